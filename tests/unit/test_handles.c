// Slots and ids: generations, owners, order; and that a snapshot brings back all of it.

#include "test_common.h"
#include "base/handles.h"

enum { CAPACITY = 7 };

typedef struct Pool {
    TarnHandles ids;
    size_t size;
    char* block;
} Pool;

static Pool make_pool(int capacity)
{
    Pool p = { 0 };
    TarnLayout counted = { 0 }, layout = { 0 };
    tarn__handles_place(&p.ids, &counted, NULL, capacity);
    p.size = counted.size;
    p.block = tarn__alloc(ctx, p.size ? p.size : 64);
    tarn__handles_place(&p.ids, &layout, p.block, capacity);
    assert_true(layout.size == counted.size);
    tarn__handles_begin(&p.ids, "thing", "box", "add_thing");
    return p;
}
static void drop_pool(Pool* p)
{
    tarn__free(ctx, p->block, p->size ? p->size : 64);
}

static uint64_t add(Pool* p)
{
    int slot = tarn__handles_add(&p->ids);
    return slot < 0 ? 0 : tarn__handles_id(&p->ids, slot);
}
static void take(Pool* p, uint64_t id)
{
    int slot = tarn__handles_slot(&p->ids, id);
    assert_true(slot >= 0);
    tarn__handles_remove(&p->ids, slot);
}

static void test_slots(void** state)
{
    (void)state;
    Pool p = make_pool(CAPACITY), none = make_pool(0);
    uint64_t ids[CAPACITY];
    for (int n = 0; n < CAPACITY; ++n) {
        ids[n] = add(&p);
        assert_int_equal(tarn__handles_slot(&p.ids, ids[n]), n);
    }
    assert_true(add(&p) == 0 && add(&none) == 0 && p.ids.count == CAPACITY);
    take(&p, ids[4]);
    take(&p, ids[1]);
    assert_int_equal(p.ids.count, CAPACITY - 2);
    const int left[] = { 0, 2, 3, 5, 6 };
    for (int n = 0; n < 5; ++n) assert_true(tarn__handles_at(&p.ids, n) == ids[left[n]]);
    assert_true(tarn__handles_at(&p.ids, 5) == 0 && tarn__handles_at(&p.ids, -1) == 0);
    assert_int_equal(tarn__handles_slot(&p.ids, ids[4]), -1);
    uint64_t again = add(&p); // the lowest free slot, and not the id that was there
    assert_true(tarn__handles_slot(&p.ids, again) == 1 && again != ids[1]);
    assert_int_equal(tarn__handles_slot(&p.ids, ids[1]), -1);
    drop_pool(&p);
    drop_pool(&none);
}

static void assert_refused(const Pool* p, uint64_t id, const char* word)
{
    assert_int_equal(tarn__handles_find(ctx, &p->ids, id), -1);
    assert_non_null(strstr(tarn_last_error(ctx), word));
    assert_non_null(strstr(tarn_last_error(ctx), "add_thing of this box"));
}

static void test_messages(void** state)
{
    (void)state;
    Pool p = make_pool(CAPACITY), other = make_pool(CAPACITY);
    uint64_t id = add(&p), foreign = add(&other);
    assert_true((id & 0xffffffffffff) == (foreign & 0xffffffffffff) && id != foreign);
    assert_int_equal(tarn__handles_find(ctx, &p.ids, id), 0);
    assert_refused(&p, 0, "null id");
    assert_refused(&p, foreign, "another box");
    assert_refused(&p, UINT64_MAX, "another box");
    assert_refused(&p, id + 1, "stale");       // a slot that was never used
    assert_refused(&p, id + 65000, "stale");   // beyond the capacity
    assert_refused(&p, id + 0x20000, "stale"); // a later generation
    take(&p, id);
    assert_refused(&p, id, "stale");
    assert_refused(&p, id + 0x10000, "stale"); // the free slot's own generation is no id
    drop_pool(&p);
    drop_pool(&other);
}

// A generation that has come around is no other than the rest.
static void test_wrap(void** state)
{
    (void)state;
    Pool p = make_pool(1);
    p.ids.generation[0] = UINT32_MAX - 1;
    uint64_t last = add(&p);
    assert_int_equal(tarn__handles_slot(&p.ids, last), 0);
    take(&p, last);
    uint64_t first = add(&p);
    assert_true(first != 0 && first != last && tarn__handles_slot(&p.ids, last) == -1);
    drop_pool(&p);
}

// Random adds and removes; what was saved at some moment comes back, in this pool and in another.
static void test_rollback(void** state)
{
    (void)state;
    Pool p = make_pool(CAPACITY), twin = make_pool(CAPACITY);
    uint8_t data[256];
    for (int round = 0; round < 200; ++round) {
        for (int n = pick(12); n > 0; --n) {
            if (pick(2) == 0 && p.ids.count > 0)
                take(&p, tarn__handles_at(&p.ids, pick(p.ids.count)));
            else
                add(&p);
        }
        TarnWriter w = { data, sizeof data, 0 };
        tarn__handles_save(&p.ids, &w);
        uint64_t hash = tarn__handles_hash(&p.ids, 0), ids[CAPACITY];
        int count = p.ids.count;
        for (int n = 0; n < count; ++n) ids[n] = tarn__handles_at(&p.ids, n);
        uint64_t later[2] = { add(&p), add(&p) };
        while (p.ids.count > 0 && pick(4) != 0) take(&p, tarn__handles_at(&p.ids, 0));
        uint64_t changed = tarn__handles_hash(&p.ids, 0);

        SavedHandles saved;
        for (size_t cut = 0; cut < w.size; ++cut) {
            TarnReader r = { data, cut, 0, false };
            assert_false(tarn__handles_read(&r, CAPACITY, &saved));
        }
        TarnReader r = { data, w.size, 0, false };
        assert_true(tarn__handles_read(&r, CAPACITY, &saved) && r.at == r.size);
        TarnReader small = { data, w.size, 0, false };
        if (saved.n > 1)
            assert_false(tarn__handles_read(&small, saved.n - 1, &(SavedHandles){ 0 }));
        assert_true(tarn__handles_hash(&p.ids, 0) == changed); // reading changes nothing
        tarn__handles_load(&p.ids, &saved);
        tarn__handles_load(&twin.ids, &saved);
        assert_true(tarn__handles_hash(&p.ids, 0) == hash && p.ids.count == count);
        assert_true(tarn__handles_hash(&twin.ids, 0) == hash);
        for (int n = 0; n < count; ++n) assert_true(tarn__handles_at(&p.ids, n) == ids[n]);
        for (int n = 0; n < 2; ++n)
            assert_true(later[n] == 0 || tarn__handles_slot(&p.ids, later[n]) == -1);
        for (int n = 0; n < 2; ++n) assert_true(add(&p) == later[n]); // a replay gets the same ids
    }
    drop_pool(&p);
    drop_pool(&twin);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_slots),
        TEST(test_messages),
        TEST(test_wrap),
        TEST(test_rollback),
    };
    return cmocka_run_group_tests_name("handles", tests, NULL, NULL);
}
