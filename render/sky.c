// The sky: what it looks like, and the light that it and the sun give to everything.
//
// One function sets all of it, so that water, land, the studio, bodies, smoke and particles agree. Light is linear; a
// white wall in the noon sun is about 2.5. Without a kind (TARN_SKY_AUTO) the layers keep the light that they chose.
//
//     kind       sun                 sky above           what is seen
//     day        2.75 2.55 2.20      0.40 0.54 0.74      blue, clouds, the sun
//     dusk       2.10 0.92 0.34      0.30 0.27 0.40      red at the horizon, clouds lit from below; the sun is low
//     night      0.15 0.18 0.25      0.020 0.027 0.046   stars, a large moon where the sun would be
//     overcast   0.22 0.22 0.23      1.00 1.05 1.10      gray, almost no shadows
//     studio     2.55 2.38 2.08      0.52 0.60 0.72      a plain backdrop
//     none       as studio, or as night if the sun is below the floor of a studio: one color is seen

#include "renderer.h"

typedef struct SkyLook {
    float sun[3], sky[3], ground[3]; // light of the sun, from above, from below
    float haze[3], zenith[3];        // colors of the sky at the horizon and overhead
    float clouds, stars, glow;       // 0 to 1; glow: of the air around the sun
    float disc,
        disc_cosine; // brightness of sun or moon in multiples of its light; cosine of its radius
    float highest;   // y of the direction toward the sun
} SkyLook;

static const SkyLook looks[] = {
    [TARN_SKY_DAY] = { .sun = { 2.75f, 2.55f, 2.20f },
                       .sky = { 0.40f, 0.54f, 0.74f },
                       .ground = { 0.26f, 0.25f, 0.23f },
                       .haze = { 0.38f, 0.67f, 1.10f },
                       .zenith = { 0.055f, 0.235f, 0.80f },
                       .clouds = 1.0f,
                       .glow = 1.0f,
                       .disc = 8.0f,
                       .disc_cosine = 0.9999f,
                       .highest = 1.0f },
    [TARN_SKY_DUSK] = { .sun = { 2.10f, 0.92f, 0.34f },
                        .sky = { 0.30f, 0.27f, 0.40f },
                        .ground = { 0.15f, 0.11f, 0.10f },
                        .haze = { 0.95f, 0.44f, 0.24f },
                        .zenith = { 0.07f, 0.10f, 0.30f },
                        .clouds = 0.9f,
                        .stars = 0.06f,
                        .glow = 1.0f,
                        .disc = 6.0f,
                        .disc_cosine = 0.9996f,
                        .highest = 0.20f },
    [TARN_SKY_NIGHT] = { .sun = { 0.15f, 0.18f, 0.25f },
                         .sky = { 0.020f, 0.027f, 0.046f },
                         .ground = { 0.008f, 0.009f, 0.012f },
                         .haze = { 0.022f, 0.030f, 0.052f },
                         .zenith = { 0.0045f, 0.0075f, 0.019f },
                         .clouds = 0.35f,
                         .stars = 1.0f,
                         .glow = 0.5f,
                         .disc = 9.0f,
                         .disc_cosine = 0.9994f,
                         .highest = 1.0f },
    [TARN_SKY_OVERCAST] = { .sun = { 0.22f, 0.22f, 0.23f },
                            .sky = { 1.00f, 1.05f, 1.10f },
                            .ground = { 0.36f, 0.36f, 0.36f },
                            .haze = { 0.88f, 0.93f, 0.98f },
                            .zenith = { 0.50f, 0.55f, 0.62f },
                            .clouds = 0.3f,
                            .glow = 0.3f,
                            .disc_cosine = 0.9999f,
                            .highest = 1.0f },
    [TARN_SKY_STUDIO] = { .sun = { 2.55f, 2.38f, 2.08f },
                          .sky = { 0.52f, 0.60f, 0.72f },
                          .ground = { 0.42f, 0.39f, 0.36f },
                          .haze = { 0.62f, 0.70f, 0.78f },
                          .zenith = { 0.26f, 0.30f, 0.36f },
                          .disc_cosine = 0.9999f,
                          .highest = 1.0f },
};

// Of a studio whose sun is below the floor: darker, so that fires stand out, and without a moon to be seen.
static const SkyLook dark_studio = { .sun = { 0.05f, 0.065f, 0.10f },
                                     .sky = { 0.010f, 0.014f, 0.026f },
                                     .ground = { 0.006f, 0.006f, 0.008f },
                                     .haze = { 0.006f, 0.010f, 0.025f },
                                     .zenith = { 0.0045f, 0.0075f, 0.019f },
                                     .stars = 1.0f,
                                     .disc_cosine = 0.9999f,
                                     .highest = 1.0f };

static void set3(float to[4], const float from[3])
{
    for (int i = 0; i < 3; ++i) to[i] = from[i];
}

// As the sky of the day; layers change colors of theirs.
static void set_look(FrameBlock* f, const SkyLook* l)
{
    set3(f->zenith, l->zenith);
    f->zenith[3] = l->clouds;
    f->heaven[0] = l->stars, f->heaven[1] = l->disc_cosine;
    f->heaven[2] = l->glow, f->heaven[3] = l->disc;
}

// Toward the sun, or the moon. Neither ever sets.
TarnVec3 tarn__sky_sun(const TarnFrame* frame, float lowest)
{
    TarnVec3 sun = vec3_unit(frame->sky.sun);
    TarnSky kind = frame->sky.kind;
    bool is_moon = tarn__is_night(frame);
    float highest = kind == TARN_SKY_DUSK ? looks[TARN_SKY_DUSK].highest : 1.0f;
    if (kind == TARN_SKY_DUSK) lowest = fminf(lowest, 0.08f);
    sun.y = clampf(is_moon ? fabsf(sun.y) : sun.y, lowest, highest);
    float flat = sqrtf(sun.x * sun.x + sun.z * sun.z);
    if (highest < 1.0f && flat > 1e-3f) { // lower it without turning it
        float wide = sqrtf(1.0f - sun.y * sun.y) / flat;
        sun.x *= wide, sun.z *= wide;
    }
    return vec3_unit(sun);
}

void tarn__sky(const TarnFrame* frame, FrameBlock* f)
{
    const TarnFrameSky* s = &frame->sky;
    bool is_bars = f->haze_color[3] > 0.5f;
    TarnSky kind = tarn__is_night(frame)      ? TARN_SKY_NIGHT
                   : s->kind == TARN_SKY_NONE ? TARN_SKY_STUDIO
                                              : s->kind;
    if (kind == TARN_SKY_AUTO || is_bars) {
        set_look(f, &looks[TARN_SKY_DAY]);
    } else {
        bool is_dark_studio = kind == TARN_SKY_NIGHT && s->kind != TARN_SKY_NIGHT;
        const SkyLook* l = is_dark_studio ? &dark_studio : &looks[kind];
        set_look(f, l);
        set3(f->sun_color, l->sun), set3(f->sky_color, l->sky);
        set3(f->ground_color, l->ground), set3(f->haze_color, l->haze);
    }
    f->background[0] = s->background.x, f->background[1] = s->background.y;
    f->background[2] = s->background.z;
    f->background[3] = (s->kind == TARN_SKY_NONE ? 1.0f : 0.0f) + (s->hides_floor ? 2.0f : 0.0f);
    if (s->kind == TARN_SKY_NONE) set3(f->haze_color, f->background); // what the floor fades into
}

TarnResult tarn__check_sky(TarnContext* ctx, const TarnFrameSky* s)
{
    if ((int)s->kind < TARN_SKY_AUTO || (int)s->kind > TARN_SKY_NONE)
        return tarn__fail(ctx, TARN_ERR_ARG, "frame.sky.kind is %d; allowed: 0 to %d", (int)s->kind,
                          TARN_SKY_NONE);
    if (!vec3_is_finite(s->sun) || !(vec3_length(s->sun) > 0.0f))
        return tarn__fail(ctx, TARN_ERR_ARG, "frame.sky.sun must be finite and not zero");
    if (!(s->exposure >= 0.0f && s->exposure <= 1e3f))
        return tarn__fail(ctx, TARN_ERR_ARG, "frame.sky.exposure is %g; allowed: 0 to 1000",
                          (double)s->exposure);
    if (!(s->fog >= 0.0f && s->fog <= 1e3f))
        return tarn__fail(ctx, TARN_ERR_ARG, "frame.sky.fog is %g 1/m; allowed: 0 to 1000",
                          (double)s->fog);
    const float c[3] = { s->background.x, s->background.y, s->background.z };
    for (int i = 0; i < 3; ++i)
        if (!(c[i] >= 0.0f && c[i] <= 1.0f))
            return tarn__fail(ctx, TARN_ERR_ARG,
                              "frame.sky.background is (%g, %g, %g); allowed: 0 to 1", (double)c[0],
                              (double)c[1], (double)c[2]);
    if (s->is_transparent && s->kind != TARN_SKY_NONE)
        return tarn__fail(ctx, TARN_ERR_ARG,
                          "frame.sky.is_transparent needs the kind TARN_SKY_NONE, and it is %d",
                          (int)s->kind);
    return TARN_OK;
}
