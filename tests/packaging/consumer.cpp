// The same headers in C++17; prints the same line as consumer.c.
#include "tarn/tarn.h"
#include <cstdio>
#include <memory>

#if defined(TARN_SHARED)
static_assert(EXPECT_SHARED == 1,
              "TARN_SHARED is defined for a program that links the static library");
#else
static_assert(EXPECT_SHARED == 0, "TARN_SHARED is missing");
#endif

template <auto destroy> struct Destroy {
    template <class T> void operator()(T* object) const { destroy(object); }
};

int main()
{
    TarnContextDef context_def = tarn_context_default_def();
    context_def.workers = 2;
    TarnContext* made = nullptr;
    if (tarn_context_create(&context_def, &made) != TARN_OK) return 1;
    std::unique_ptr<TarnContext, Destroy<tarn_context_destroy>> ctx(made);

    TarnWaveDef def = tarn_wave_default_def();
    def.nx = 64;
    def.nz = 64;
    TarnWave* water = nullptr;
    if (tarn_wave_create(ctx.get(), &def, &water) != TARN_OK) {
        std::fprintf(stderr, "%s\n", tarn_last_error(ctx.get()));
        return 1;
    }
    std::unique_ptr<TarnWave, Destroy<tarn_wave_destroy>> wave(water);
    TarnVec2 center{ def.origin.x + 32 * def.dx, def.origin.y + 32 * def.dx };
    if (tarn_wave_add_drop(wave.get(), center, 4 * def.dx, 0.1f) != TARN_OK) return 1;
    for (int n = 0; n < 60; ++n)
        if (tarn_wave_step(wave.get(), 1.0f / 60.0f, nullptr) != TARN_OK) return 1;

    float height = tarn_surface_height(tarn_wave_surface(wave.get()), center.x, center.y);
    std::printf("tarn %s: hash %016llx, height %.6f m\n", tarn_version(),
                static_cast<unsigned long long>(tarn_wave_hash(wave.get())),
                static_cast<double>(height));
}
