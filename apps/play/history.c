// The ring of snapshots that stepping back goes through.
//
// A step is deterministic, so a state can be restored from an earlier snapshot and the steps after it, as long as
// nothing but steps has changed it. Snapshots are taken before each step that follows an edit (the pointer, a
// parameter), and otherwise so often that they cost at most a tenth of the time.

#include "play_internal.h"
#include <stdlib.h>
#include <string.h>

enum { MOST_BETWEEN = 30 }; // steps that going back may have to repeat

static Snapshot* at(History* h, int n) // 0: the oldest
{
    return &h->ring[(h->first + n) % MAX_SNAPSHOTS];
}

void history_clear(History* h)
{
    for (int i = 0; i < MAX_SNAPSHOTS; ++i) h->ring[i].step = -1;
    h->first = h->n = 0;
    h->is_pending = true;
}

void history_free(History* h)
{
    for (int i = 0; i < MAX_SNAPSHOTS; ++i) {
        free(h->ring[i].data);
        h->ring[i] = (Snapshot){ 0 };
    }
    h->bytes = 0;
    h->first = h->n = 0;
}

static void forget(History* h, Snapshot* s)
{
    h->bytes -= s->room;
    free(s->data);
    *s = (Snapshot){ 0 };
}

static void drop_oldest(History* h)
{
    forget(h, at(h, 0));
    h->first = (h->first + 1) % MAX_SNAPSHOTS;
    --h->n;
}

// Room for one more. Blocks of snapshots that were cut off wait beyond the end and are used again.
static Snapshot* make_room(History* h, size_t size)
{
    if (h->n == MAX_SNAPSHOTS) drop_oldest(h);
    Snapshot* s = at(h, h->n);
    if (s->room >= size && s->room <= 2 * size) return s;
    forget(h, s);
    for (int i = h->n; i < MAX_SNAPSHOTS && h->bytes + size > h->limit; ++i) forget(h, at(h, i));
    while (h->n > 0 && h->bytes + size > h->limit) drop_oldest(h);
    if (size > h->limit || (s->data = malloc(size)) == NULL) return NULL;
    s->room = size;
    h->bytes += size;
    return s;
}

static void take(TarnPlay* play)
{
    History* h = &play->history;
    size_t size = 0;
    double start = play_clock_ms();
    tarn_world_save(play->world, NULL, 0, &size);
    Snapshot* s = make_room(h, size);
    if (s == NULL || tarn_world_save(play->world, s->data, s->room, &s->size) != TARN_OK) return;
    s->step = play->clock.steps;
    ++h->n;
    h->is_pending = false;
    double ms = play_clock_ms() - start;
    h->cost_ms = h->cost_ms > 0.0 ? 0.9 * h->cost_ms + 0.1 * ms : ms;
}

void history_before_step(TarnPlay* play, bool has_edits)
{
    History* h = &play->history;
    int last = h->n > 0 ? at(h, h->n - 1)->step : -1, now = play->clock.steps;
    if (last == now && !h->is_pending) { // a step was taken back: the snapshot still holds
        h->is_pending = has_edits;
        return;
    }
    if (last == now) --h->n, last = -1;
    double every = 10.0 * h->cost_ms / (play->clock.mean_ms > 0.01 ? play->clock.mean_ms : 0.01);
    bool is_due = last < 0 || now - last >= MOST_BETWEEN || (double)(now - last) >= every;
    bool must = has_edits || h->is_pending;
    if (is_due || must) take(play);
    if (has_edits)
        h->is_pending = true; // what this step leads to does not follow from the snapshot alone
}

int history_depth(const TarnPlay* play)
{
    const History* h = &play->history;
    if (h->n == 0) return 0;
    int depth = play->clock.steps - h->ring[h->first].step;
    return depth > 0 ? depth : 0;
}

bool history_go_back(TarnPlay* play)
{
    History* h = &play->history;
    int target = play->clock.steps - 1;
    while (h->n > 0 && at(h, h->n - 1)->step > target) --h->n;
    if (h->n == 0) {
        h->is_pending = true;
        return play_fail(play, "this is the beginning of the history");
    }
    Snapshot* s = at(h, h->n - 1);
    if (tarn_world_load(play->world, s->data, s->size) != TARN_OK) return play_fail_library(play);
    play->clock.steps = s->step;
    tools_release(play);
    while (play->clock.steps < target) {
        // The same calls as the first time; the snapshot at the beginning stays.
        if (!play_advance(play, false)) return false;
    }
    play_after_load(play);
    h->is_pending = false;
    return true;
}
