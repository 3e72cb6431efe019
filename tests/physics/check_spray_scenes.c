// The ledger of white water, in its scenes: over ten minutes of each not a grain is lost, in cells, in the air and between.

#include "check.h"
#include "scene_file.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static double grains(double volume, double grain) // the nearest whole number of them
{
    return rint(volume / grain);
}

// What is in the cells and in the air, and left over an open edge, less all that ever came in, in grains. All parts are
// whole numbers of them, and so the sum is exact. Pools that the scene filled before it began do not change.
static double missing(const TarnShallow* water, const TarnSpray* spray)
{
    double grain = tarn_shallow_surface(water).grain;
    TarnShallowLedger w = tarn_shallow_ledger(water);
    TarnSprayLedger s = tarn_spray_ledger(spray);
    double is = grains(w.volume, grain) + grains(s.held, grain) + grains(s.left, grain);
    double came = grains(w.initial, grain) + grains(w.edges, grain) + grains(w.rain, grain) +
                  grains(w.evaporated, grain) + grains(w.window, grain);
    return is - came;
}

static TarnScene* open_scene(CheckRun* run, const char* name)
{
    TarnScene* scene = NULL;
    char* path = scene_find(name);
    if (path == NULL || tarn_scene_create_from_file(run->ctx, path, NULL, 0, &scene) != TARN_OK) {
        if (path) fprintf(stderr, "tarn: check: %s\n", tarn_last_error(run->ctx));
        exit(1);
    }
    free(path);
    return scene;
}

static void check_scene(CheckRun* run, const char* name)
{
    TarnScene* scene = open_scene(run, name);
    TarnWorld* world = tarn_scene_world(scene);
    const TarnSpray* spray = tarn_world_spray(world, 0);
    const TarnShallow* water = tarn_world_shallow(world, 0); // NULL: the sea, which has no end
    double world_error = 0.0, lost = 0.0, filled = water ? missing(water, spray) : 0.0;
    for (int s = 0; s < (run->is_quick ? 5 : 600); ++s) {
        for (int n = 0; n < 60; ++n) {
            if (tarn_world_step(world, 1.0f / 60.0f, NULL) != TARN_OK) exit(1);
        }
        TarnLedger ledger;
        tarn_world_ledger(world, &ledger, NULL, 0);
        world_error = fmax(world_error, fabs(ledger.error));
        if (water) lost = fmax(lost, fabs(missing(water, spray) - filled));
    }
    char row[sizeof run->rows[0].name];
    TarnSprayLedger l = tarn_spray_ledger(spray);
    double flown = l.landed + l.to_sea;
    snprintf(row, sizeof row, "spray.scenes.%s.ledger", name);
    check_add(run, row, world_error, 0.0, 0.0);
    snprintf(row, sizeof row, "spray.scenes.%s.grains", name);
    if (water) check_add(run, row, lost, 0.0, 0.0);
    snprintf(row, sizeof row, "spray.scenes.%s.flown",
             name); // there is something to count; rain has no volume
    check_add(run, row, flown > 1e-3 || tarn_spray_params(spray).rain > 0.0f, 1.0, 0.0);
    tarn_scene_destroy(scene);
}

void check_spray_scenes(CheckRun* run, const char* group)
{
    check_scene(run, group + strlen("spray.scenes."));
}
