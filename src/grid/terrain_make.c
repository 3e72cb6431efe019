// Terrain out of nothing: a height for every point of an endless plane, one function per kind.
//
// Method   a plain shape in real units, bent and roughened by noise (noise.c) until it looks grown.
//          Every height is a pure function of (x, z) and the def: a window that moves over the plane
//          meets the same ground when it comes back, and rows can be made in any order.
// Differs  from nature: nothing here has seen water. Valleys that join like a river's come from the
//          pipe model with erosion; these are to begin with.
// Checked  tests/unit/test_terrain.c: the measures of each kind, the same bits everywhere.

#include "grid/noise.h"
#include "base/def.h"
#include "grid/terrain_internal.h"
#include "base/maths.h"
#include "base/param.h"

enum { ROWS_PER_BLOCK = 8 };

// One stream of random numbers per use; sums take one per octave from here on.
enum Stream {
    STREAM_BUMPS = 100,
    STREAM_WARP_X = 200,
    STREAM_WARP_Z = 300,
    STREAM_RIDGES = 400,
    STREAM_COAST = 500,
    STREAM_LINE = 600,
    STREAM_WALL = 700,
    STREAM_ROCKS = 800,
    STREAM_BAR = 900,
    STREAM_LEDGES = 1000
};

static const char* const kind_names[] = { "flat",   "slope", "bowl",         "steps",  "crater",
                                          "island", "beach", "river_valley", "ridged", NULL };

#define D TarnTerrainDef
static const TarnParam params[] = {
    P_ENUM(D, kind, kind_names, 9, TARN_TERRAIN_RIDGED, "Kind of ground to generate."),
    P_INT(D, nx, "cells", 2, TARN_TERRAIN_MAX_SIDE, 256, "Cells along x."),
    P_INT(D, nz, "cells", 2, TARN_TERRAIN_MAX_SIDE, 256, "Cells along z."),
    P_FLOAT(D, dx, "m", 1e-4, 1e4, 1, "Size of a cell."),
    P_VEC2(D, origin, "m", -1e6, 1e6, 0, 0, "World x and z of the corner of cell (0, 0)."),
    P_INT(D, seed, "", 0, 1e9, 1,
          "Random seed; each value gives a different terrain of the same kind."),
    P_VEC2(
        D, center, "m", -1e6, 1e6, 128, 128,
        "Center of crater, bowl and island; line of the beach (x), the river (z) or the dam (x)."),
    P_FLOAT(D, base, "m", -1e4, 1e4, 0,
            "Height y of the plain, the sea level, the lower basin, or the river banks at center."),
    P_FLOAT(D, height, "m", 0, 1e4, 60,
            "Height of mountains, valley walls, rim, dunes, island or upper basin above base."),
    P_FLOAT(D, depth, "m", 0, 1e4, 3,
            "Depth of the channel, the crater or the sea, or of the upper basin below its banks."),
    P_FLOAT(D, size, "m", 1e-3, 1e6, 110,
            "Distance between ridges; radius of crater, island, bowl and basins; length of a "
            "meander or a dune."),
    P_FLOAT(D, width, "m", 1e-3, 1e5, 14, "Width of the channel, the bar or the dam."),
    P_FLOAT(D, floor_width, "m", 0, 1e5, 60,
            "Width of the valley floor, of the dry beach, or of the gap in the dam."),
    P_FLOAT(D, slope, "m/m", 0, 10, 0.02, "Gradient of a slope or river toward +x, or of a beach."),
    P_FLOAT(D, meander, "m", 0, 1e5, 22, "How far the channel winds to each side."),
    P_FLOAT(D, bar, "m", 0, 1e3, 0.6, "Height of the bar in front of the beach."),
    P_FLOAT(D, noise, "m", 0, 1e4, 1, "Height of bumps, on all kinds of ground."),
    P_FLOAT(D, noise_size, "m", 1e-3, 1e6, 24, "Length of the largest bumps."),
    P_INT(D, octaves, "", 1, 12, 8,
          "Octaves of noise, each with half the length of the one before."),
    P_FLOAT(D, roughness, "", 0, 1, 0.46,
            "Height of an octave relative to the one before; larger is rougher."),
    P_FLOAT(D, rocks, "", 0, 1, 0, "Share of the channel or beach covered with rocks."),
    P_FLOAT(D, rock_size, "m", 1e-3, 1e4, 3, "Width of a rock."),
    P_INT(D, ledges, "", 0, 64, 0, "Ledges that a river falls over, around center.x."),
    P_FLOAT(D, ledge_height, "m", 0, 1e3, 3, "Height of each ledge."),
    P_FLOAT(D, ledge_spacing, "m", 0.1, 1e5, 20, "Distance from one ledge to the next."),
};
#undef D
static const TarnParamTable table = PARAM_TABLE("terrain", TarnTerrainDef, params);

const TarnParamTable* tarn_terrain_def_table(void)
{
    return &table;
}

void tarn_terrain_init_def(TarnTerrainDef* out, size_t size)
{
    TarnTerrainDef def = { 0 };
    tarn_param_defaults(&table, &def);
    TARN_INIT_DEF(TarnTerrainDef, out, size, &def);
}

void tarn_terrain_init_kind_def(TarnTerrainDef* out, size_t size, TarnTerrainKind kind)
{
    TarnTerrainDef def = tarn_terrain_default_def();
    def.kind = (int)kind;
    switch (kind) {
    case TARN_TERRAIN_FLAT:
    case TARN_TERRAIN_SLOPE:
        def.noise = 0.0f;
        break;
    case TARN_TERRAIN_BOWL:
        def.noise = 0.0f, def.height = 20.0f, def.size = 100.0f;
        break;
    case TARN_TERRAIN_STEPS:
        def.height = 6.0f, def.depth = 8.0f, def.size = 56.0f, def.width = 4.0f;
        def.floor_width = 10.0f, def.noise = 0.8f, def.noise_size = 30.0f;
        break;
    case TARN_TERRAIN_CRATER:
        def.height = 9.0f, def.depth = 26.0f, def.size = 70.0f, def.noise = 1.6f;
        break;
    case TARN_TERRAIN_ISLAND:
        def.height = 32.0f, def.depth = 14.0f, def.size = 92.0f, def.noise = 1.2f;
        break;
    case TARN_TERRAIN_BEACH:
        def.height = 7.0f, def.depth = 6.0f, def.size = 34.0f, def.width = 9.0f;
        def.floor_width = 34.0f, def.slope = 0.06f, def.bar = 0.9f, def.noise = 0.15f;
        def.center.x = 130.0f, def.noise_size = 20.0f;
        break;
    case TARN_TERRAIN_RIVER_VALLEY:
        def.height = 42.0f, def.size = 150.0f, def.noise = 0.7f;
        break;
    case TARN_TERRAIN_RIDGED:
        break;
    }
    TARN_INIT_DEF(TarnTerrainDef, out, size, &def);
}

TarnResult tarn_terrain_validate(TarnContext* ctx, const TarnTerrainDef* def)
{
    TARN_TRY(TARN_CHECK_DEF(ctx, "terrain", "tarn/terrain.h", TarnTerrainDef,
                            tarn_terrain_default_def, def));
    return tarn_param_validate(ctx, &table, def);
}

// ---- Small curves ------------------------------------------------------------------------------

static double clamp01(double t)
{
    return t > 0.0 ? (t < 1.0 ? t : 1.0) : 0.0;
}

static double smooth(double t) // 0 below 0, 1 above 1, flat at both
{
    t = clamp01(t);
    return t * t * (3.0 - 2.0 * t);
}

static double lerp(double a, double b, double t)
{
    return a + t * (b - a);
}

static double falling(double t) // exp(t) for t <= 0
{
    return (double)tarn_exp((float)(t < -80.0 ? -80.0 : t));
}

static double bump(double t) // 1 at 0, a bell of width 1
{
    return falling(-t * t);
}

static Noise noise_of(const TarnTerrainDef* def, uint64_t stream, int octaves)
{
    int most = def->octaves < octaves ? def->octaves : octaves;
    return (Noise){ (uint64_t)(uint32_t)def->seed, stream, most, (double)def->roughness };
}

// Bumps that lie on everything, -1 to 1.
static double bumps(const TarnTerrainDef* def, double x, double z)
{
    if (def->noise <= 0.0f) return 0.0;
    Noise noise = noise_of(def, STREAM_BUMPS, 12);
    return tarn__noise_fractal(&noise, x / (double)def->noise_size, z / (double)def->noise_size);
}

// Two slow noises that bend straight lines.
static void warp(const TarnTerrainDef* def, double* x, double* z, double length, double reach)
{
    Noise wx = noise_of(def, STREAM_WARP_X, 3), wz = noise_of(def, STREAM_WARP_Z, 3);
    double u = *x / length, v = *z / length;
    *x += reach * tarn__noise_fractal(&wx, u, v);
    *z += reach * tarn__noise_fractal(&wz, u, v);
}

// Boulders: one to a square of a loose grid, or none; half sunk, no two alike. Height over the bed.
static double rocks(const TarnTerrainDef* def, double x, double z)
{
    if (def->rocks <= 0.0f) return 0.0;
    double cell = 1.6 * (double)def->rock_size, highest = 0.0;
    double gx = floor(x / cell), gz = floor(z / cell);
    if (!(fabs(gx) < 1e9 && fabs(gz) < 1e9)) return 0.0;
    for (int n = 0; n < 9; ++n) {
        double i = gx + n % 3 - 1, k = gz + n / 3 - 1;
        uint64_t at = (uint64_t)(uint32_t)(int64_t)i << 32 | (uint32_t)(int64_t)k;
        uint64_t seed = (uint64_t)(uint32_t)def->seed;
        if (tarn__random01(seed, STREAM_ROCKS, at) >= def->rocks) continue;
        double jx = (double)tarn__random01(seed, STREAM_ROCKS + 1, at);
        double jz = (double)tarn__random01(seed, STREAM_ROCKS + 2, at);
        double big = (double)tarn__random01(seed, STREAM_ROCKS + 3, at);
        double radius = 0.5 * (double)def->rock_size * lerp(0.45, 1.0, big);
        double dx = (x - (i + 0.2 + 0.6 * jx) * cell) / radius;
        double dz = (z - (k + 0.2 + 0.6 * jz) * cell) / radius;
        double ragged =
            1.0 + 0.35 * tarn__noise(seed, STREAM_ROCKS + 4, x / radius + 9.0 * big, z / radius);
        double r2 = (dx * dx + dz * dz) * ragged * ragged;
        if (r2 >= 1.0) continue;
        double h = radius * lerp(0.7, 1.1, jx) * sqrt(1.0 - r2) * (1.0 - 0.3 * r2);
        highest = h > highest ? h : highest;
    }
    return highest;
}

// ---- Shapes ------------------------------------------------------------------------------------

static double make_slope(const TarnTerrainDef* def, double x, double z)
{
    (void)z;
    return -(double)def->slope * (x - (double)def->center.x);
}

static double make_bowl(const TarnTerrainDef* def, double x, double z)
{
    double u = (x - (double)def->center.x) / (double)def->size;
    double v = (z - (double)def->center.y) / (double)def->size;
    return (double)def->height * (u * u + v * v);
}

// Distance to the edge of a box with round corners, negative inside.
static double round_box(double x, double z, double half_x, double half_z, double corner)
{
    double dx = fabs(x) - (half_x - corner), dz = fabs(z) - (half_z - corner);
    double ox = dx > 0.0 ? dx : 0.0, oz = dz > 0.0 ? dz : 0.0;
    double inside = dx > dz ? dx : dz;
    return sqrt(ox * ox + oz * oz) + (inside < 0.0 ? inside : 0.0) - corner;
}

static double make_steps(const TarnTerrainDef* def, double x, double z)
{
    double size = (double)def->size, width = (double)def->width, height = (double)def->height;
    double land = height + (double)def->depth;
    double u = x - (double)def->center.x, v = z - (double)def->center.y;
    double wx = x, wz = z;
    warp(def, &wx, &wz, 0.9 * size, 0.35 * size);
    // The shores wind, the dam is straight.
    double keep = smooth((fabs(u) - width) / (0.5 * size));
    double bx = u + keep * (wx - x), bz = v + smooth(fabs(u) / size) * (wz - z);
    bool is_upper = bx < 0.0;
    double middle = is_upper ? -size - 0.5 * width : size + 0.5 * width;
    double d = round_box(bx - middle, bz, size, 0.85 * size, 0.45 * size);
    double floor_y = is_upper ? height : 0.0;
    double bank = 1.5 * (land - floor_y); // as flat as earth lies
    double y = lerp(land, floor_y, smooth(-d / (bank < 0.6 * size ? bank : 0.6 * size)));
    double gap = (double)def->floor_width;
    if (gap > 0.0 && fabs(u) < size) { // a gap in the dam down to the upper floor
        double side = smooth((fabs(v) - 0.5 * gap) / (0.15 * gap));
        double sill = height * smooth((size - u) / size);
        sill = u < 0.0 ? height : sill;
        double cut = y < sill ? y : sill;
        y = lerp(cut, y, side);
    }
    double hills =
        1.0 + tarn__noise((uint64_t)(uint32_t)def->seed, STREAM_WALL, x / size, z / size);
    return y + 0.3 * (double)def->depth * smooth(sqrt(u * u + v * v) / size - 1.6) * hills;
}

static double make_crater(const TarnTerrainDef* def, double x, double z)
{
    double size = (double)def->size, depth = (double)def->depth, height = (double)def->height;
    double wx = x, wz = z;
    warp(def, &wx, &wz, 0.8 * size, 0.16 * size);
    double dx = wx - (double)def->center.x, dz = wz - (double)def->center.y;
    double u = sqrt(dx * dx + dz * dz) / size;
    Noise hummocks = noise_of(def, STREAM_WALL, 6);
    double rough = tarn__noise_worn(&hummocks, 3.0 * x / size, 3.0 * z / size);
    double y;
    if (u < 1.0) {
        const double flat = 0.42; // radius of the floor against that of the rim
        double wall = clamp01((u - flat) / (1.0 - flat));
        // Slumped terraces: the wall rises in steps that wander with the noise.
        double steps = wall + 0.045 * (double)tarn_sin((float)(18.0 * wall + 4.0 * rough)) * wall *
                                  (1.0 - wall) * 4.0;
        y = lerp(-depth, height, steps * steps * (1.4 - 0.4 * steps));
        y += 0.26 * depth * bump(u / 0.13) * (1.0 + 0.5 * rough); // the peak that sprang back
    } else {
        y = height / (u * u * u); // what was thrown out [McGetchin1973]
    }
    double crest = bump((u - 1.0) / 0.12);
    return y - 0.12 * height * crest +
           0.3 * height * rough * (u < 1.0 ? 0.25 + crest : 1.25 / (u * u));
}

static double make_island(const TarnTerrainDef* def, double x, double z)
{
    double size = (double)def->size, depth = (double)def->depth, height = (double)def->height;
    double wx = x, wz = z;
    warp(def, &wx, &wz, 0.9 * size, 0.45 * size);
    double dx = wx - (double)def->center.x, dz = wz - (double)def->center.y;
    Noise coast = noise_of(def, STREAM_COAST, 8);
    double r = sqrt(dx * dx + dz * dz) / size;
    double e = 1.0 - r + 0.22 * tarn__noise_fractal(&coast, 2.2 * x / size, 2.2 * z / size);
    if (e <= 0.0)
        return -depth * (1.0 - falling(2.2 * e * height / (depth + 0.05 * height) * 0.35));
    Noise ridges = noise_of(def, STREAM_RIDGES, 10);
    double ridge = tarn__noise_ridged(&ridges, 1.3 * wx / size, 1.3 * wz / size);
    double inland = smooth(e / 0.8);
    return height * (0.22 * e + inland * (0.25 + 0.75 * ridge) * e * 1.15);
}

static double make_beach(const TarnTerrainDef* def, double x, double z)
{
    double slope = (double)def->slope, depth = (double)def->depth + 1e-3, bar = (double)def->bar;
    double size = (double)def->size, dry = (double)def->floor_width, width = (double)def->width;
    Noise line = noise_of(def, STREAM_LINE, 3);
    double bend = tarn__noise_fractal(&line, 0.31, z / (3.0 * size));
    double s = x - (double)def->center.x + 0.6 * dry * bend; // up the beach from the water line
    double y = s < 0.0 ? -depth * (1.0 - falling(slope * s / depth)) : slope * s;
    if (s < 0.0 && bar > 0.0 && 2.4 * bar < depth && slope > 0.0) {
        // Where calm water is 2.4 bars deep, in crescents with gaps for the rip currents.
        double out = depth / slope * (double)tarn_log((float)(1.0 - 2.4 * bar / depth));
        double wave = tarn__noise(line.seed, STREAM_BAR, 0.7, z / (1.6 * size));
        double gap = 0.6 + 0.7 * tarn__noise(line.seed, STREAM_BAR + 1, 0.2, z / (1.1 * size));
        y += bar * clamp01(gap) * bump((s - out + 0.8 * width * wave) / width);
    }
    double cusps =
        tarn__noise(line.seed, STREAM_BAR + 2, s / (0.8 * dry + 1.0), z / (0.25 * dry + 1.0));
    y += 0.10 * slope * dry * cusps * bump(s / (0.5 * dry + 1.0));
    y += rocks(def, x, z) * smooth(1.0 - fabs(s) / (0.6 * dry + 1.0)); // around the water line
    // Behind the dry beach the dunes: crests across the wind that blows from the sea.
    double behind = s - dry + 0.3 * size * bend, u = x, v = z;
    if (behind <= 0.0) return y;
    warp(def, &u, &v, 2.0 * size, 0.45 * size);
    Noise dunes = noise_of(def, STREAM_RIDGES, 2);
    double crest = tarn__noise_ridged(&dunes, 0.8 * u / size, 0.3 * v / size);
    double top = slope * dry + (double)def->height * (0.35 + 0.9 * crest * crest);
    return lerp(y < top ? y : top, top, smooth(behind / (0.9 * size)));
}

// ---- Ledges of a river ---------------------------------------------------------------------------

// How far the ground has fallen over ledges at (x, z), and the depth of the pool below the last one, 0 to 1 [m].
static double fallen(const TarnTerrainDef* def, double x, double z, double* pool)
{
    double spacing = (double)def->ledge_spacing, sum = 0.0;
    uint64_t seed = (uint64_t)(uint32_t)def->seed;
    *pool = 0.0;
    for (int n = 0; n < def->ledges; ++n) {
        double edge = (double)def->center.x + (n - 0.5 * (def->ledges - 1)) * spacing;
        edge += 0.12 * spacing *
                tarn__noise(seed, STREAM_LEDGES + (uint64_t)n, z / (0.45 * spacing), 0.3);
        edge += 0.03 * spacing *
                tarn__noise(seed, STREAM_LEDGES + (uint64_t)n, z / (0.08 * spacing), 0.7);
        if (x < edge) continue;
        sum += (double)def->ledge_height;
        *pool = 1.0 - smooth((x - edge - 0.1 * spacing) / (0.3 * spacing));
    }
    return sum;
}

// ---- River valley ------------------------------------------------------------------------------

// Line of the channel: z over x, as if a wheel with an uneven stride had drawn it.
static double river_line(const TarnTerrainDef* def, double x)
{
    double turn = x / (double)def->size;
    uint64_t seed = (uint64_t)(uint32_t)def->seed;
    turn += 0.22 * tarn__noise(seed, STREAM_LINE, turn / 1.7, 0.37);
    double strength = 0.85 + 0.35 * tarn__noise(seed, STREAM_LINE + 1, turn / 2.3, 0.71);
    double side = 0.45 * tarn__noise(seed, STREAM_LINE + 2, turn / 1.3, 0.13);
    double phase = turn - floor(turn);
    double s = (double)tarn_sin((float)(6.283185307179586 * phase));
    return (double)def->meander * (strength * s + side);
}

typedef struct River {
    double across; // distance from the line, positive toward +z [m]
    double along;  // x of the nearest point of the line [m]
    double bend;   // -1 to 1, positive: it turns toward +z
} River;

// The nearest point by two steps along the tangent; beyond a meander it hardly matters.
static River find_river(const TarnTerrainDef* def, double x, double z)
{
    double step = (double)def->size / 64.0, t = x, across = 0.0, curve = 0.0;
    double most = (double)def->size / 6.0;
    for (int n = 0; n < 3; ++n) {
        double before = river_line(def, t - step), here = river_line(def, t),
               after = river_line(def, t + step);
        double grade = (after - before) / (2.0 * step), length = sqrt(1.0 + grade * grade);
        double dx = x - t, dz = z - (double)def->center.y - here;
        across = (dz - grade * dx) / length;
        double on = (dx + grade * dz) / (length * length); // to the foot of the tangent
        double limit = most / (1.0 + fabs(across) / most);
        if (n < 2) t += on > limit ? limit : on < -limit ? -limit : on;
        curve = (after - 2.0 * here + before) / (step * step);
    }
    double sharp = (double)def->size * (double)def->size / (39.48 * (double)def->meander + 1e-6);
    double bend = curve * sharp;
    return (River){ across, t, bend > 1.0 ? 1.0 : bend < -1.0 ? -1.0 : bend };
}

// rough: the bumps at this point, which make adds to everything.
static double make_river_valley(const TarnTerrainDef* def, double x, double z, double rough)
{
    double height = (double)def->height, depth = (double)def->depth, size = (double)def->size;
    River river = find_river(def, x, z);
    uint64_t seed = (uint64_t)(uint32_t)def->seed;
    double w = 0.5 * (double)def->width, half = 0.5 * (double)def->floor_width;
    w *= 1.0 + 0.18 * tarn__noise(seed, STREAM_LINE + 3, river.along / (0.4 * size), 0.9);
    double d = river.across, far = fabs(d);
    // Near the channel the ground falls along it, elsewhere along the valley.
    double along = lerp(river.along, x, smooth((far - w) / (3.0 * w)));
    double bank = -(double)def->slope * (along - (double)def->center.x), plunge = 0.0;
    if (def->ledges > 0) bank -= fallen(def, x, z, &plunge);

    // The channel is deepest and steepest at the outside of a bend, a gravel bar lies inside.
    double deepest = -0.45 * river.bend * w;
    double u = d > deepest ? (d - deepest) / (w - deepest) : (deepest - d) / (w + deepest);
    double y = bank;
    if (u < 1.0) {
        double pool =
            depth * (0.85 + 0.3 * fabs(river.bend)) + 0.4 * plunge * (double)def->ledge_height;
        y -= pool * (1.0 - u * u) * (1.0 - 0.25 * u * u);
    }
    // The walls follow the valley, not each bend, and keep off the channel.
    Noise slow = noise_of(def, STREAM_WALL, 3), fine = noise_of(def, STREAM_RIDGES, 12);
    double spur = tarn__noise_fractal(&slow, 1.6 * x / size, 1.6 * z / size);
    double line = river_line(def, x), off = fabs(z - (double)def->center.y - 0.35 * line);
    double start = half * (1.0 + 0.35 * spur), least = 0.65 * fabs(line) + 1.6 * w;
    double out = off - (start > least ? start : least);
    y += 0.25 * depth * smooth((far - w) / (half > w ? half : w));
    // Foot, face, shoulder, cut by gullies that grow with their height.
    double reach = 1.9 * height + 1e-3, face = smooth(out / reach);
    if (face > 0.0) {
        double ridge = tarn__noise_ridged(&fine, 2.4 * x / size, 2.4 * z / size);
        y += height * face * (0.72 + 0.55 * (ridge - 0.35)) + 0.25 * height * face * spur;
    }
    double calm = 0.12 + 0.88 * smooth((far - w) / (w + 1.0)); // the bed is smoother than the land
    y += (calm - 1.0) * (double)def->noise * rough;
    if (far < 1.5 * w) y += rocks(def, x, z) * smooth((1.5 * w - far) / (0.3 * w));
    return y;
}

// ---- Mountains ---------------------------------------------------------------------------------

static double make_ridged(const TarnTerrainDef* def, double x, double z)
{
    double size = (double)def->size, u = 0.8 * x + 0.6 * z, v = 0.8 * z - 0.6 * x;
    warp(def, &u, &v, 1.4 * size, 0.32 * size);
    Noise ridges = noise_of(def, STREAM_RIDGES, 12), massif = noise_of(def, STREAM_WALL, 8);
    double high = 0.5 + 0.5 * tarn__noise_worn(&massif, 0.45 * u / size, 0.45 * v / size);
    double ridge = tarn__noise_ridged(&ridges, 0.5 * u / size, 0.5 * v / size);
    double y = ridge * (0.2 + 1.1 * high) + 0.25 * high - 0.18; // what is common begins at 0
    return (double)def->height * 1.15 * y;
}

// ---- All together ------------------------------------------------------------------------------

static double make(const TarnTerrainDef* def, double x, double z)
{
    double y = 0.0, rough = bumps(def, x, z);
    switch (def->kind) {
    case TARN_TERRAIN_SLOPE:
        y = make_slope(def, x, z);
        break;
    case TARN_TERRAIN_BOWL:
        y = make_bowl(def, x, z);
        break;
    case TARN_TERRAIN_STEPS:
        y = make_steps(def, x, z);
        break;
    case TARN_TERRAIN_CRATER:
        y = make_crater(def, x, z);
        break;
    case TARN_TERRAIN_ISLAND:
        y = make_island(def, x, z);
        break;
    case TARN_TERRAIN_BEACH:
        y = make_beach(def, x, z);
        break;
    case TARN_TERRAIN_RIVER_VALLEY:
        y = make_river_valley(def, x, z, rough);
        break;
    case TARN_TERRAIN_RIDGED:
        y = make_ridged(def, x, z);
        break;
    default: // flat
        break;
    }
    return (double)def->base + y + (double)def->noise * rough;
}

float tarn_terrain_made_ground(float x, float z, void* user)
{
    const TarnTerrainDef* def = user;
    if (def == NULL) return 0.0f;
    return tarn_clampf((float)make(def, (double)x, (double)z), -terrain_limit, terrain_limit);
}

static size_t cells_of(const TarnTerrainDef* def)
{
    return (size_t)def->nx * (size_t)def->nz;
}

size_t tarn_terrain_memory(const TarnTerrainDef* def)
{
    if (tarn_terrain_validate(NULL, def) != TARN_OK) return 0;
    TarnLayout layout = { 0 };
    tarn__layout_add(&layout, sizeof(TarnTerrain));
    tarn__layout_add(&layout, cells_of(def) * sizeof(float));
    return layout.size;
}

typedef struct Make {
    TarnTerrainDef def;
    TarnTerrain* terrain;
} Make;

static void make_rows(int block, void* data)
{
    Make* m = data;
    TarnTerrain* t = m->terrain;
    int end = (block + 1) * ROWS_PER_BLOCK < t->nz ? (block + 1) * ROWS_PER_BLOCK : t->nz;
    for (int k = block * ROWS_PER_BLOCK; k < end; ++k) {
        for (int i = 0; i < t->nx; ++i) {
            // The same floats that a solver asks a bed_fn with.
            float x = t->origin.x + ((float)i + 0.5f) * t->dx;
            float z = t->origin.y + ((float)k + 0.5f) * t->dx;
            t->heights[(size_t)k * (size_t)t->nx + (size_t)i] =
                tarn_terrain_made_ground(x, z, &m->def);
        }
    }
}

TarnResult tarn_terrain_create(TarnContext* ctx, const TarnTerrainDef* def, TarnTerrain** out)
{
    if (out == NULL) return tarn__fail(ctx, TARN_ERR_ARG, "terrain: out is NULL");
    *out = NULL;
    if (ctx == NULL) return TARN_ERR_ARG;
    TARN_TRY(tarn_terrain_validate(ctx, def));
    TARN_TRY(tarn__terrain_new(ctx, def->nx, def->nz, def->dx, def->origin, out));
    Make m = { *def, *out };
    tarn__parallel_for(ctx, (def->nz + ROWS_PER_BLOCK - 1) / ROWS_PER_BLOCK, make_rows, &m);
    tarn__terrain_finish(*out);
    return TARN_OK;
}
