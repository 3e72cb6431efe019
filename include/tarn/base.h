// tarn/base.h: what every other header builds on. Context, results, views, reports.
//
// A context holds the hooks of the host: allocator, tasks, log, assert. There are no globals. Everything Tarn
// creates belongs to the context it was created with and must be destroyed before it.
//
// Threads:
// - Two contexts share nothing. Calls on one may run at any time beside calls on the other.
// - On one context, each object is changed (created, stepped, edited, loaded, destroyed) by one thread at a time, together
//   with what it is attached to: a world with its solvers, a solver with its bodies and solids. Nothing else uses these
//   meanwhile. Calls that change one object may come from different threads, one after the other.
// - Objects that have nothing to do with each other may be changed at once by different threads, also on one context. The
//   results are the same. The built-in workers then serve one of the steps, and the others run on the threads that called
//   them; give each thread a context of its own if all are to use workers. Hooks must bear several threads.
// - Any number of threads may read an object (views, queries, Surface, Flow, statistics, hash, save) while nothing
//   changes it.
// - tarn_last_error is per thread.
//
// Units are SI (m, kg, s, radians; scene files and parameter tables write angles in degrees), axes right-handed with y up. Height fields lie in the xz plane.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TARN_VERSION_MAJOR 0
#define TARN_VERSION_MINOR 1
#define TARN_VERSION_PATCH 0

// TARN_SHARED: the shared library is built or used; tarn::shared of CMake and pkg-config define it. TARN_BUILD: it is
// built. Other systems than Windows need neither, since there the library hides what is not TARN_API.
#if defined(_WIN32) && defined(TARN_SHARED)
#if defined(TARN_BUILD)
#define TARN_API __declspec(dllexport)
#else
#define TARN_API __declspec(dllimport)
#endif
#elif defined(__GNUC__)
#define TARN_API __attribute__((visibility("default")))
#else
#define TARN_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

// Defs and other structs with a cookie: start from X_default_def(), which fills what this program was compiled with by
// calling X_init_def(&def, sizeof def). The cookie holds the kind of the struct and that size, so that a library of another
// version writes no more, and refuses the struct with TARN_ERR_VERSION instead of reading beyond it. Other languages call
// X_init_def themselves.
#define TARN_DEFAULT(Struct, make, init)                                                           \
    TARN_API void init(Struct* out, size_t size);                                                  \
    static inline Struct make(void)                                                                \
    {                                                                                              \
        Struct made;                                                                               \
        init(&made, sizeof made);                                                                  \
        return made;                                                                               \
    }                                                                                              \
    struct Struct
// The same from something else that the values depend on.
#define TARN_DEFAULT_FROM(Struct, make, init, From)                                                \
    TARN_API void init(Struct* out, size_t size, From from);                                       \
    static inline Struct make(From from)                                                           \
    {                                                                                              \
        Struct made;                                                                               \
        init(&made, sizeof made, from);                                                            \
        return made;                                                                               \
    }                                                                                              \
    struct Struct
#define TARN_DEFAULT_DEF(Struct, x) TARN_DEFAULT(Struct, x##_default_def, x##_init_def)

enum { TARN_MAX_WORKERS = 64 };

typedef enum TarnResult {
    TARN_OK = 0,
    TARN_ERR_ARG = -1,         // a value out of its range, a missing pointer, a stale handle
    TARN_ERR_MEMORY = -2,      // the allocator returned NULL
    TARN_ERR_DATA = -3,        // an array or a file holds something it must not
    TARN_ERR_IO = -4,          // the operating system refused to read or write
    TARN_ERR_VERSION = -5,     // made by a version that this one cannot read
    TARN_ERR_UNSUPPORTED = -6, // not built in, or not on this machine
    TARN_ERR_CAPACITY = -7,    // the buffer given is too small; the size needed is reported
} TarnResult;

typedef struct TarnVec2 {
    float x, y;
} TarnVec2; // in plan views: x and z of the world
typedef struct TarnVec3 {
    float x, y, z;
} TarnVec3;
typedef struct TarnQuat {
    float x, y, z, w;
} TarnQuat; // unit length, w = 1 is no rotation

// Where something solid is and how it moves.
typedef struct TarnMotion {
    TarnVec3 position;         // of the center of mass [m]
    TarnQuat rotation;         // unit
    TarnVec3 velocity;         // [m/s]
    TarnVec3 angular_velocity; // [rad/s], world axes
} TarnMotion;

// Read-only window on a 2-D field: value (i, k) is data[i + stride * k].
typedef struct TarnView2 {
    const float* data;
    int nx, nz;
    int stride; // floats from one row to the next
} TarnView2;

// The same in 3-D: value (i, j, k) is data[i + row * j + slab * k].
typedef struct TarnView3 {
    const float* data;
    int nx, ny, nz;
    int row, slab; // floats from one row, and one slab, to the next
} TarnView3;

// What a step did. A step that could not do all it was asked to sets a flag and says why.
enum {
    TARN_STEP_TIME_CUT = 1,      // time was dropped: see time_dropped and time_limit
    TARN_STEP_NOT_CONVERGED = 2, // an iterative solve stopped at its cap
    TARN_STEP_CAPACITY_FULL = 4, // something could not be added: a pool is full
    TARN_STEP_CLAMPED = 8,       // values were limited to keep the state finite: see limited
};

// What was limited, and where: the first in the step, by solver, then cell, particle or body; the same for
// any number of workers. Of fast particles it is the fastest.
typedef struct TarnStepLimit {
    const char* what;   // "height", "speed", "spin", "position", "push"; NULL: nothing was limited
    const char* solver; // "wave", "shallow", "liquid", "gas", "particles", "bodies"
    const char* parameter; // that sets the limit, "shallow.max_speed"; NULL: none does
    const char* unit;      // of the limit
    float limit;           // what it was limited to
    int index; // of the cell (i + nx k, or i + nx (j + ny k)), particle or slot of the body;
               // -1: it has died or calmed down within the step, the place is not known
    TarnVec3 position; // [m]
} TarnStepLimit;

// The parts of a world's step, in their order. Solvers declare one from TARN_PHASE_LIQUIDS to TARN_PHASE_PARTICLES
// (tarn/solver.h); those of one phase step in the order of their numbers.
typedef enum TarnPhase {
    TARN_PHASE_EMITTERS,  // scripts, windows, emitters
    TARN_PHASE_DRIVERS,   // what moves bodies by itself
    TARN_PHASE_SOLIDS,    // solids go where they go
    TARN_PHASE_LIQUIDS,   // particles of liquid, which move bodies
    TARN_PHASE_HANDOVER,  // drops that fell into waters, spouts
    TARN_PHASE_WATERS,    // height fields
    TARN_PHASE_GASES,     // volumes that carry particles
    TARN_PHASE_EFFECTS,   // what reads all of the above and steers what comes next
    TARN_PHASE_PARTICLES, // what is carried
    TARN_PHASE_WIND,      // flows push bodies
    TARN_PHASE_BODIES,    // bodies move
    TARN_PHASES           // how many there are
} TarnPhase;

typedef struct TarnStepReport {
    int substeps;
    uint32_t flags;       // TARN_STEP_*, 0 when all went as asked
    double time_advanced; // [s]
    // What was asked for and not advanced [s]; 0 unless TARN_STEP_TIME_CUT is set. Step again by dt -
    // time_advanced to make up for it. In a world, bodies or a gas may also fall behind while
    // time_advanced is dt; that is not made up for.
    double time_dropped;
    // The parameter that limited it, the first if several did; NULL if none did. "X.max_substeps": raise
    // it. "world.max_step": lower it. "bodies": dt was longer than tarn_bodies_step can take.
    const char* time_limit;
    double stable_dt; // longest substep that is stable [s]
    int tiles_awake;  // tiles that were computed in the last substep
    int tiles_total;
    TarnStepLimit limited; // zero unless TARN_STEP_CLAMPED is set
    float phase_ms
        [TARN_PHASES]; // of a world's step [ms]; 0 unless TarnContextDef.measure_phases is set
} TarnStepReport;

// ---- Hooks -------------------------------------------------------------------------------------

typedef void* TarnAllocFn(size_t size, size_t align, void* user);          // NULL: no memory
typedef void TarnFreeFn(void* ptr, size_t size, size_t align, void* user); // as it was asked for

// Tasks: enqueue starts fn(task) on any thread and returns a handle, or NULL if it ran it at once.
// finish waits for a handle. Tarn enqueues at most workers - 1 tasks and helps along itself.
typedef void TarnTaskFn(void* task);
typedef void* TarnEnqueueFn(TarnTaskFn* fn, void* task, void* user);
typedef void TarnFinishFn(void* handle, void* user);

typedef enum TarnLogLevel { TARN_LOG_ERROR, TARN_LOG_WARNING, TARN_LOG_INFO } TarnLogLevel;
typedef void TarnLogFn(TarnLogLevel level, const char* message, void* user);

// Called for a bug of Tarn's or a broken contract. It may abort, throw, or return to go on.
typedef void TarnAssertFn(const char* condition, const char* file, int line, void* user);

// Which kernels run. The results are the same, bit for bit; the speed is not.
typedef enum TarnIsa {
    TARN_ISA_AUTO,     // the best this CPU has, or what the environment variable TARN_ISA says
    TARN_ISA_BASELINE, // SSE2 on x86-64, NEON on ARM64, SIMD128 in WebAssembly
    TARN_ISA_AVX2,
    TARN_ISA_AVX512, // AVX-512 VL, BW and DQ, with registers of 256 bits
    TARN_ISA_COUNT,
} TarnIsa;

typedef struct TarnContextDef {
    uint32_t cookie;    // set by tarn_context_default_def, leave alone
    int workers;        // threads that compute, 1 to TARN_MAX_WORKERS. 0: one per core. Default 1
    TarnIsa isa;        // Default TARN_ISA_AUTO
    TarnAllocFn* alloc; // NULL: the C library
    TarnFreeFn* free;
    void* alloc_user;
    TarnEnqueueFn* enqueue; // NULL: a built-in pool of workers - 1 threads
    TarnFinishFn* finish;
    void* task_user;
    TarnLogFn* log; // NULL: silent (tarn_last_error has the sentence anyway)
    void* log_user;
    TarnAssertFn* assert_failed; // NULL: print and abort
    void* assert_user;
    // Reads the clock in steps and fills TarnStepReport.phase_ms. The results are the same. Default false
    bool measure_phases;
} TarnContextDef;

typedef struct TarnContext TarnContext;

TARN_DEFAULT_DEF(TarnContextDef, tarn_context);

// On failure *out is NULL, and tarn_last_error(NULL) tells which field is wrong and what to do. TARN_ERR_UNSUPPORTED:
// the CPU lacks the isa that was asked for.
TARN_API TarnResult tarn_context_create(const TarnContextDef* def, TarnContext** out);
TARN_API void tarn_context_destroy(TarnContext* ctx); // NULL is fine
TARN_API int tarn_context_workers(const TarnContext* ctx);
TARN_API TarnIsa tarn_context_isa(const TarnContext* ctx);
TARN_API const char* tarn_isa_name(TarnIsa isa); // "auto", "baseline", "avx2", "avx512"

// The sentence that belongs to the last failure on this thread and context: field, value, allowed range, remedy. On a thread
// that had none, or had one on another context since: to the last failure on any thread. Never NULL, "" if there was
// none; valid until the next failure on this thread or the next call of this function. NULL: of the last
// tarn_context_create on this thread that failed.
TARN_API const char* tarn_last_error(const TarnContext* ctx);
TARN_API const char* tarn_result_name(TarnResult result); // "TARN_ERR_ARG"
TARN_API const char* tarn_phase_name(TarnPhase phase);    // "emitters"
TARN_API const char* tarn_version(void);                  // "0.1.0"

// ---- State hash --------------------------------------------------------------------------------

// 64-bit hash of bytes, the same on every machine. Not for secrets.
TARN_API uint64_t tarn_hash(const void* data, size_t size, uint64_t seed);

// ---- Parameter tables --------------------------------------------------------------------------

// Each Def and Params struct has one table. It makes the defaults, the validator, the JSON keys,
// `--set path=value`, `tarn describe` and the tables in the docs.
typedef enum TarnParamType {
    TARN_PARAM_INT,   // int
    TARN_PARAM_FLOAT, // float
    TARN_PARAM_BOOL,  // bool
    TARN_PARAM_ENUM,  // int, written by name
    TARN_PARAM_VEC2,  // TarnVec2
    TARN_PARAM_VEC3,  // TarnVec3
} TarnParamType;

typedef struct TarnParam {
    const char* name;
    TarnParamType type;
    size_t offset;
    const char* unit;         // "m", "1/s", "" for a bare number
    double min, max;          // inclusive; for vectors each component
    double value[3];          // default
    const char* const* names; // of an enum, NULL-terminated
    const char* help;         // one sentence
    double
        scale; // the struct holds value * scale; 0: the value itself. Angles are degrees in tables and
               // scenes, radians in structs
    uint32_t
        allowed; // of an enum: the values that are supported here, one bit each (1 << value); 0: all
} TarnParam;

typedef struct TarnParamTable {
    const char* name;        // "wave"
    const char* struct_name; // "TarnWaveDef"
    const TarnParam* params;
    int count;
    size_t struct_size;
} TarnParamTable;

TARN_API const TarnParam* tarn_param_find(const TarnParamTable* table, const char* name);
// The known name that is closest to a wrong one, or NULL if none is close.
TARN_API const char* tarn_param_nearest(const TarnParamTable* table, const char* name);
TARN_API void tarn_param_defaults(const TarnParamTable* table, void* object);
// A value as a scene file would write it: "0.5", "true", "reflecting", "[1, 2]".
TARN_API void tarn_param_format(const TarnParam* param, const double* value, char* text,
                                size_t size);
// Checks every value of the object. TARN_ERR_ARG names the field, the value and the range, in the table's unit.
TARN_API TarnResult tarn_param_validate(TarnContext* ctx, const TarnParamTable* table,
                                        const void* object);
// Writes one value from text ("0.5", "true", "open", "1,2,3") in the table's unit; checks type and range
// first.
TARN_API TarnResult tarn_param_set_text(TarnContext* ctx, const TarnParamTable* table, void* object,
                                        const char* name, const char* text);
// Writes one value from numbers in the table's unit (1 for scalars and enum indices, 2 or 3 for vectors).
TARN_API TarnResult tarn_param_set(TarnContext* ctx, const TarnParamTable* table, void* object,
                                   const char* name, const double* value, int count);

#ifdef __cplusplus
}
#endif
