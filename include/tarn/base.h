// tarn/base.h: what every other header builds on: context, results, views, step reports, parameter tables.
//
// A context holds the host's hooks: allocator, tasks, log and assert. There are no globals. Every object
// belongs to the context it was created with and must be destroyed before it.
//
// Threads:
// - Two contexts share nothing. Calls on one may run at the same time as calls on the other.
// - Within one context, only one thread at a time may change an object (create, step, edit, load, destroy)
//   together with whatever is attached to it: a world with its solvers, a solver with its bodies and solids.
//   Nothing else may use these objects meanwhile. Successive calls may come from different threads.
// - Unrelated objects may be changed at the same time from different threads, even within one context. The
//   results are the same. The built-in workers then serve one of the steps, and the others run on their
//   calling threads only; give each thread its own context if all of them should use workers. The hooks must
//   be thread-safe.
// - Any number of threads may read an object (views, queries, Surface, Flow, statistics, hash, save) while
//   nothing changes it.
// - tarn_last_error is per thread.
//
// Units are SI: meters, kilograms, seconds and radians; scene files and parameter tables use degrees for
// angles. Axes are right-handed with y up, and height fields lie in the xz plane.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TARN_VERSION_MAJOR 0
#define TARN_VERSION_MINOR 1
#define TARN_VERSION_PATCH 0

// TARN_SHARED is defined when the shared library is built or used (CMake's tarn::shared and pkg-config define
// it), and TARN_BUILD while it is built. Both matter on Windows only; elsewhere everything but TARN_API is
// hidden.
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

// Defs and other structs with a cookie: start from X_default_def(), which calls X_init_def(&def, sizeof def).
// The cookie stores the kind of the struct and the size that the program was compiled with. A library of
// another version writes no more than that size, and rejects the struct with TARN_ERR_VERSION instead of
// reading past its end. Bindings for other languages call X_init_def directly.
#define TARN_DEFAULT(Struct, make, init)                                                           \
    TARN_API void init(Struct* out, size_t size);                                                  \
    static inline Struct make(void)                                                                \
    {                                                                                              \
        Struct made;                                                                               \
        init(&made, sizeof made);                                                                  \
        return made;                                                                               \
    }                                                                                              \
    struct Struct
// Like TARN_DEFAULT, for defaults that depend on another value.
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
    TARN_ERR_ARG = -1,         // a value is out of range, a pointer is missing or a handle is stale
    TARN_ERR_MEMORY = -2,      // the allocator returned NULL
    TARN_ERR_DATA = -3,        // an array or a file has invalid contents
    TARN_ERR_IO = -4,          // the operating system failed to read or write
    TARN_ERR_VERSION = -5,     // made by a version that this one cannot read
    TARN_ERR_UNSUPPORTED = -6, // not built in, or not available on this machine
    TARN_ERR_CAPACITY = -7,    // a buffer is too small or a pool is full
} TarnResult;

typedef struct TarnVec2 {
    float x, y;
} TarnVec2; // for points in the xz plane: x and z
typedef struct TarnVec3 {
    float x, y, z;
} TarnVec3;
typedef struct TarnQuat {
    float x, y, z, w;
} TarnQuat; // unit length; w = 1 is no rotation

// Pose and velocity of a body or a solid.
typedef struct TarnMotion {
    TarnVec3 position;         // center of mass [m]
    TarnQuat rotation;         // unit length
    TarnVec3 velocity;         // [m/s]
    TarnVec3 angular_velocity; // [rad/s], world axes
} TarnMotion;

// Read-only view of a 2-D field: value (i, k) is data[i + stride * k].
typedef struct TarnView2 {
    const float* data;
    int nx, nz;
    int stride; // floats from one row to the next
} TarnView2;

// Read-only view of a 3-D field: value (i, j, k) is data[i + row * j + slab * k].
typedef struct TarnView3 {
    const float* data;
    int nx, ny, nz;
    int row, slab; // floats from one row to the next, and from one slab to the next
} TarnView3;

// Flags of TarnStepReport: why a step could not do everything it was asked to.
enum {
    TARN_STEP_TIME_CUT = 1,      // the step advanced less than dt: see time_dropped and time_limit
    TARN_STEP_NOT_CONVERGED = 2, // an iterative solve reached its iteration limit
    TARN_STEP_CAPACITY_FULL = 4, // something could not be added because a pool is full
    TARN_STEP_CLAMPED = 8,       // values were clamped to keep the state finite: see limited
    TARN_STEP_COMPRESSED = 16, // an sph or wcsph liquid is compressed by more than 10 % on average
};

// What was clamped, and where. Of several values it is the first one of the step, ordered by solver, then by
// cell, particle or body, so it is the same for any number of workers; of particles it is the fastest.
typedef struct TarnStepLimit {
    const char* what;   // "height", "speed", "spin", "position", "push"; NULL: nothing was clamped
    const char* solver; // "wave", "shallow", "liquid", "gas", "particles", "bodies"
    // The parameter that sets the limit, such as "shallow.max_speed"; NULL if no parameter does
    const char* parameter;
    const char* unit; // unit of the limit
    float limit;      // the limit that was applied
    // Index of the cell (i + nx k, or i + nx (j + ny k)), of the particle, or of the body's slot. -1: the
    // particle died or slowed down within the step, so its place is not known
    int index;
    TarnVec3 position; // [m]
} TarnStepLimit;

// The phases of a world's step, in order. A solver class declares one from TARN_PHASE_LIQUIDS to
// TARN_PHASE_PARTICLES (tarn/solver.h); solvers of the same phase step in the order of their numbers.
typedef enum TarnPhase {
    TARN_PHASE_EMITTERS, // the script, moving windows, emitters
    TARN_PHASE_DRIVERS,  // drivers move or push bodies
    TARN_PHASE_SOLIDS,   // solids move
    TARN_PHASE_WIND, // flows push bodies, before waters do: those count what else pulls at a body
    TARN_PHASE_LIQUIDS,   // particle liquids, which push bodies
    TARN_PHASE_HANDOVER,  // drops that fall into height fields, spouts, channels
    TARN_PHASE_WATERS,    // height fields
    TARN_PHASE_GASES,     // gases, whose flow carries particles
    TARN_PHASE_EFFECTS,   // solvers that read all of the above and steer particles
    TARN_PHASE_PARTICLES, // particle systems
    TARN_PHASE_BODIES,    // bodies move
    TARN_PHASES           // number of phases
} TarnPhase;

// What a step did.
typedef struct TarnStepReport {
    int substeps;
    uint32_t flags;       // TARN_STEP_*; 0 if the step did everything it was asked to
    double time_advanced; // [s]
    // The part of dt that was not advanced [s]; 0 unless TARN_STEP_TIME_CUT is set. Step again by dt -
    // time_advanced to catch up. In a world, bodies or a gas may also fall behind while time_advanced is dt;
    // that time is lost.
    double time_dropped;
    // The parameter that limited the time (the first of several), or NULL. "X.max_substeps": raise it.
    // "world.max_step": lower it. "bodies": dt was longer than tarn_bodies_step can take.
    const char* time_limit;
    double stable_dt; // longest stable substep [s]
    int tiles_awake;  // tiles computed in the last substep
    int tiles_total;
    TarnStepLimit limited; // zero unless TARN_STEP_CLAMPED is set
    // Time spent in each phase of a world's step [ms]; 0 unless TarnContextDef.measure_phases is set
    float phase_ms[TARN_PHASES];
} TarnStepReport;

// ---- Hooks -------------------------------------------------------------------------------------

typedef void* TarnAllocFn(size_t size, size_t align, void* user); // NULL: out of memory
// Gets the size and align that the block was allocated with.
typedef void TarnFreeFn(void* ptr, size_t size, size_t align, void* user);

// Tasks: enqueue starts fn(task) on any thread and returns a handle, or NULL if it already ran it. finish
// waits for a handle. Tarn enqueues at most workers - 1 tasks at a time, and the calling thread works too.
typedef void TarnTaskFn(void* task);
typedef void* TarnEnqueueFn(TarnTaskFn* fn, void* task, void* user);
typedef void TarnFinishFn(void* handle, void* user);

typedef enum TarnLogLevel { TARN_LOG_ERROR, TARN_LOG_WARNING, TARN_LOG_INFO } TarnLogLevel;
typedef void TarnLogFn(TarnLogLevel level, const char* message, void* user);

// Called for a bug in Tarn or a violated contract. It may abort, throw, or return to continue.
typedef void TarnAssertFn(const char* condition, const char* file, int line, void* user);

// Instruction set of the kernels. It changes the speed only; results are the same bit for bit.
typedef enum TarnIsa {
    TARN_ISA_AUTO,     // the best this CPU has, unless the environment variable TARN_ISA names one
    TARN_ISA_BASELINE, // SSE2 on x86-64, NEON on ARM64, SIMD128 in WebAssembly
    TARN_ISA_AVX2,
    TARN_ISA_AVX512, // AVX-512 VL, BW and DQ, with 256-bit registers
    TARN_ISA_COUNT,
} TarnIsa;

typedef struct TarnContextDef {
    uint32_t cookie;    // set by tarn_context_default_def; leave it alone
    int workers;        // computing threads, 1 to TARN_MAX_WORKERS; 0: one per core. Default 1
    TarnIsa isa;        // default TARN_ISA_AUTO
    TarnAllocFn* alloc; // NULL: malloc of the C library
    TarnFreeFn* free;
    void* alloc_user;
    TarnEnqueueFn* enqueue; // NULL: a built-in pool of workers - 1 threads
    TarnFinishFn* finish;
    void* task_user;
    TarnLogFn* log; // NULL: no log; tarn_last_error has the message anyway
    void* log_user;
    TarnAssertFn* assert_failed; // NULL: print and abort
    void* assert_user;
    // Measure the phases of a world's step (TarnStepReport.phase_ms). It does not change results. Default
    // false
    bool measure_phases;
} TarnContextDef;

typedef struct TarnContext TarnContext;

TARN_DEFAULT_DEF(TarnContextDef, tarn_context);

// Creates a context. On failure *out is NULL, and tarn_last_error(NULL) names the field and the remedy.
// TARN_ERR_ARG: a field is out of range. TARN_ERR_UNSUPPORTED: the CPU lacks the requested instruction set.
TARN_API TarnResult tarn_context_create(const TarnContextDef* def, TarnContext** out);
TARN_API void tarn_context_destroy(TarnContext* ctx); // NULL is fine
TARN_API int tarn_context_workers(const TarnContext* ctx);
// Writes how long each worker has computed in parallel loops so far [ms], up to capacity of them, and returns the
// number of workers. All 0 unless TarnContextDef.measure_phases is set. Not during a step.
TARN_API int tarn_context_busy(const TarnContext* ctx, double* ms, int capacity);
TARN_API TarnIsa tarn_context_isa(const TarnContext* ctx);
TARN_API const char* tarn_isa_name(TarnIsa isa); // "auto", "baseline", "avx2", "avx512"

// Returns the message of the last failure on this context and thread: field, value, allowed range, remedy. On
// a thread without one, or with a later one on another context, it is that of the last failure on any thread.
// Never NULL; "" if there was no failure. Valid until the next failure or the next call of this function on
// this thread. With ctx NULL, it is the message of the last tarn_context_create on this thread that failed.
TARN_API const char* tarn_last_error(const TarnContext* ctx);
TARN_API const char* tarn_result_name(TarnResult result); // "TARN_ERR_ARG"
TARN_API const char* tarn_phase_name(TarnPhase phase);    // "emitters"
TARN_API const char* tarn_version(void);                  // "0.1.0"

// ---- State hash --------------------------------------------------------------------------------

// Returns a 64-bit hash of bytes, the same on every machine. It is not cryptographic.
TARN_API uint64_t tarn_hash(const void* data, size_t size, uint64_t seed);

// ---- Parameter tables --------------------------------------------------------------------------

// Each Def and Params struct has one table, which provides its defaults, validation and JSON keys,
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
    const char* unit;         // "m", "1/s"; "" if it has none
    double min, max;          // inclusive; for vectors, of each component
    double value[3];          // default
    const char* const* names; // of the enum values, NULL-terminated
    const char* help;         // one sentence
    // The struct holds value * scale; 0 means no scaling. Angles are in degrees in tables and scenes, in
    // radians in structs.
    double scale;
    uint32_t allowed; // of an enum: a bit (1 << value) for each supported value; 0: all
} TarnParam;

typedef struct TarnParamTable {
    const char* name;        // "wave"
    const char* struct_name; // "TarnWaveDef"
    const TarnParam* params;
    int count;
    size_t struct_size;
} TarnParamTable;

// Returns the parameter with this name, or NULL.
TARN_API const TarnParam* tarn_param_find(const TarnParamTable* table, const char* name);
// Returns the known name closest to a misspelled one, or NULL if none is close.
TARN_API const char* tarn_param_nearest(const TarnParamTable* table, const char* name);
// Sets every field of the table to its default; other fields are left alone.
TARN_API void tarn_param_defaults(const TarnParamTable* table, void* object);
// Writes a value to text as in a scene file: "0.5", "true", "reflecting", "[1, 2]".
TARN_API void tarn_param_format(const TarnParam* param, const double* value, char* text,
                                size_t size);
// Checks every value of the object. TARN_ERR_ARG: a value is out of range; the message names the field, the
// value and the range in the table's unit.
TARN_API TarnResult tarn_param_validate(TarnContext* ctx, const TarnParamTable* table,
                                        const void* object);
// Sets one value from text ("0.5", "true", "open", "1,2,3") in the table's unit. TARN_ERR_ARG: the name is
// unknown, or the value has the wrong type or is out of range; nothing has changed.
TARN_API TarnResult tarn_param_set_text(TarnContext* ctx, const TarnParamTable* table, void* object,
                                        const char* name, const char* text);
// Sets one value from numbers in the table's unit: one for scalars and enum indices, 2 or 3 for vectors.
// Errors as tarn_param_set_text.
TARN_API TarnResult tarn_param_set(TarnContext* ctx, const TarnParamTable* table, void* object,
                                   const char* name, const double* value, int count);

#ifdef __cplusplus
}
#endif
