// A context for tests that counts its memory and can run out of it. Each test file includes it once.
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include "tarn/tarn.h"
#include "alone.h"

typedef struct Memory {
    size_t bytes;       // alive
    int calls, fail_at; // the call that gets NULL, counted from 1; 0: none
    int n_bad;          // odd alignments, and sizes or alignments that free got wrong
} Memory;

static Memory memory;
static TarnContext* ctx;

static inline void* counted_alloc(size_t size, size_t align, void* user)
{
    Memory* m = user;
    if (++m->calls == m->fail_at) return NULL;
    m->bytes += size;
    m->n_bad += align != 64 || size == 0;
    size_t whole = (size + 127) / 64 * 64; // with the size in front
    char* block = aligned_alloc(64, whole);
    memset(block, 0xa5, whole); // nothing may count on zeros
    memcpy(block, &size, sizeof size);
    return block + 64;
}
static inline void counted_free(void* ptr, size_t size, size_t align, void* user)
{
    Memory* m = user;
    char* block = (char*)ptr - 64;
    m->bytes -= size;
    m->n_bad += memcmp(block, &size, sizeof size) != 0 || align != 64;
    free(block);
}

static inline TarnContextDef counted_def(int workers, TarnIsa isa)
{
    TarnContextDef def = tarn_context_default_def();
    def.workers = workers;
    def.isa = isa;
    def.alloc = counted_alloc;
    def.free = counted_free;
    def.alloc_user = &memory;
    return def;
}

// NULL only if this machine lacks the instruction set.
static inline TarnContext* make_context(int workers, TarnIsa isa)
{
    TarnContextDef def = counted_def(workers, isa);
    TarnContext* made;
    TarnResult result = tarn_context_create(&def, &made);
    if (result != TARN_ERR_UNSUPPORTED) assert_int_equal(result, TARN_OK);
    return made;
}

static inline int begin(void** state)
{
    (void)state;
    memory = (Memory){ 0 };
    ctx = make_context(1, TARN_ISA_AUTO);
    return 0;
}
static inline int end(void** state)
{
    (void)state;
    tarn_context_destroy(ctx);
    if (memory.bytes == 0 && memory.n_bad == 0) return 0;
    print_error("%zu bytes not freed, %d bad calls\n", memory.bytes, memory.n_bad);
    return -1;
}
