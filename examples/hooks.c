// The host provides allocator, threads and log.
#include "tarn/tarn.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct Host {
    size_t bytes, blocks;
    int tasks;
} Host;

static void* host_alloc(size_t size, size_t align, void* user)
{
    Host* host = user;
    host->bytes += size;
    host->blocks += 1;
    return aligned_alloc(align, (size + align - 1) / align * align);
}
static void host_free(void* ptr, size_t size, size_t align, void* user)
{
    Host* host = user;
    (void)align;         // for allocators that need it
    host->bytes -= size; // Tarn passes size and alignment, so an arena needs no headers
    free(ptr);
}

// The simplest possible task system: one thread per task. Yours has a queue.
typedef struct Task {
    TarnTaskFn* fn;
    void* task;
    pthread_t thread;
} Task;
static void* run_task(void* argument)
{
    Task* task = argument;
    task->fn(task->task);
    return NULL;
}
static void* host_enqueue(TarnTaskFn* fn, void* argument, void* user)
{
    ((Host*)user)->tasks += 1;
    Task* task = malloc(sizeof *task);
    *task = (Task){ .fn = fn, .task = argument };
    if (pthread_create(&task->thread, NULL, run_task, task) == 0) return task;
    fn(argument); // no thread available: run it now and return NULL
    free(task);
    return NULL;
}
static void host_finish(void* handle, void* user)
{
    (void)user;
    Task* task = handle;
    pthread_join(task->thread, NULL);
    free(task);
}
static void host_log(TarnLogLevel level, const char* message, void* user)
{
    (void)user;
    printf("log %d: %s\n", (int)level, message);
}

int main(void)
{
    Host host = { 0 };
    TarnContextDef def = tarn_context_default_def();
    def.workers = 4;
    def.alloc = host_alloc, def.free = host_free, def.alloc_user = &host;
    def.enqueue = host_enqueue, def.finish = host_finish, def.task_user = &host;
    def.log = host_log;
    TarnContext* ctx;
    if (tarn_context_create(&def, &ctx) != TARN_OK) return 1;

    TarnWaveDef water = tarn_wave_default_def();
    water.dx = -1.0f; // an invalid value, to show the error message
    TarnWave* wave;
    tarn_wave_create(ctx, &water, &wave);
    water.dx = 0.05f;
    printf("the pool will take %zu bytes\n", tarn_wave_memory(&water));
    if (tarn_wave_create(ctx, &water, &wave) != TARN_OK) return 1;
    size_t blocks = host.blocks;
    tarn_wave_add_drop(wave, (TarnVec2){ 6.0f, 5.0f }, 0.3f, 0.1f);
    for (int frame = 0; frame < 60; ++frame) tarn_wave_step(wave, 1.0f / 60.0f, NULL);
    printf("%zu blocks, %zu of them while stepping, %d tasks\n", host.blocks, host.blocks - blocks,
           host.tasks);
    tarn_wave_destroy(wave);
    tarn_context_destroy(ctx);
    return host.bytes == 0 && host.blocks == blocks ? 0 : 1;
}
