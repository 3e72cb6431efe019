// temporary
#include "lattice/lattice_surface.h"
#include "base/def.h"
#include "base/param.h"
void tarn__lattice_lay_out_surface(TarnLayout* layout, char* base, const LatticeGrid* grid, const TarnLatticeDef* def, LatticeSurface** out){(void)layout;(void)base;(void)grid;(void)def;(void)out;}
void tarn__lattice_reset_surface(TarnLattice* l){(void)l;}
void tarn__lattice_exchange(TarnLattice* l){(void)l;}
void tarn__lattice_convert(TarnLattice* l){(void)l;}
void tarn__lattice_surface_sources(TarnLattice* l){(void)l;}
void tarn__lattice_surface_solids(TarnLattice* l){(void)l;}
bool tarn__lattice_is_wet(const TarnLattice* l, ptrdiff_t c){(void)l;(void)c;return true;}
const float* tarn__lattice_fill_field(const TarnLattice* l){(void)l;return NULL;}
void tarn__lattice_surface_stats(const TarnLattice* l, TarnLatticeStats* stats){(void)l;(void)stats;}
int tarn__lattice_surface_arrays(const TarnLattice* l, LatticeArray* out){(void)l;(void)out;return 0;}
uint64_t tarn__lattice_surface_hash(const TarnLattice* l, uint64_t hash){(void)l;return hash;}
void tarn__lattice_surface_save(const TarnLattice* l, TarnWriter* w){(void)l;(void)w;}
bool tarn__lattice_surface_load(const TarnLattice* l, TarnReader* r, TarnLattice* out){(void)l;(void)r;(void)out;return true;}
#define F TarnLatticeFillDef
static const TarnParam fill_params[] = {
    P_SHAPE(F, SHAPES_VOLUMES, TARN_SHAPE_BOX, "Shape of the volume."),
    P_SHAPE_SIZE(F, 1e4, 1, 1, 1, "Sphere: radius; box: half extents; capsule, cylinder: radius, half length."),
};
#undef F
static const TarnParamTable fill_table = PARAM_TABLE("lattice_fill", TarnLatticeFillDef, fill_params);
const TarnParamTable* tarn_lattice_fill_def_table(void){return &fill_table;}
void tarn_lattice_fill_init_def(TarnLatticeFillDef* out, size_t size)
{
    TarnLatticeFillDef def = { 0 };
    tarn_param_defaults(&fill_table, &def);
    def.motion.rotation.w = 1.0f;
    TARN_INIT_DEF(TarnLatticeFillDef, out, size, &def);
}
TarnResult tarn__lattice_check_fill(const TarnLattice* l, const TarnLatticeFillDef* def){(void)l;(void)def;return TARN_OK;}
TarnResult tarn_lattice_add_fill(TarnLattice* l, const TarnLatticeFillDef* def, TarnLatticeFillId* out){(void)l;(void)def;(void)out;return TARN_ERR_UNSUPPORTED;}
TarnResult tarn_lattice_remove_fill(TarnLattice* l, TarnLatticeFillId id){(void)l;(void)id;return TARN_ERR_ARG;}
TarnSurface tarn_lattice_surface(const TarnLattice* l){(void)l;return (TarnSurface){0};}
