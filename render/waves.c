// Waves on top of a water, at their own resolution: a map of heights and slopes that its shader adds. With the mean of
// squared slopes beside them, mip levels know how rough the waves are that they have averaged away.

#include "renderer.h"

TarnResult tarn__check_waves(TarnContext* ctx, const char* owner, const TarnFrameWaves* w)
{
    if (w->texels == NULL) return TARN_OK;
    bool is_good = w->nx >= 2 && w->nx <= 4096 && w->nz >= 2 && w->nz <= 4096 && w->dx > 0.0f &&
                   isfinite(w->dx) && isfinite(w->origin.x) && isfinite(w->origin.y);
    if (is_good) return TARN_OK;
    return tarn__fail(ctx, TARN_ERR_ARG,
                      "%s.waves: %d x %d cells of %g m; allowed: 2 to 4096, above 0", owner, w->nx,
                      w->nz, (double)w->dx);
}

void tarn__waves_upload(Waves* out, const TarnFrameWaves* w)
{
    memset(out->area, 0, sizeof out->area);
    if (w->texels == NULL) return;
    if (out->texture == 0 || out->nx != w->nx || out->nz != w->nz) {
        glDeleteTextures(1, &out->texture);
        out->texture = tarn__texture_create(w->nx, w->nz, GL_RGBA16F, GL_RGBA, GL_FLOAT, NULL, true,
                                            GL_CLAMP_TO_EDGE);
        out->nx = w->nx, out->nz = w->nz;
    }
    glBindTexture(GL_TEXTURE_2D, out->texture);
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, w->nx, w->nz, GL_RGBA, GL_FLOAT, w->texels);
    glGenerateMipmap(GL_TEXTURE_2D);
    glBindTexture(GL_TEXTURE_2D, 0);
    out->area[0] = w->origin.x, out->area[1] = w->origin.y;
    out->area[2] = 1.0f / ((float)w->nx * w->dx), out->area[3] = 1.0f / ((float)w->nz * w->dx);
}

void tarn__waves_destroy(Waves* waves)
{
    glDeleteTextures(1, &waves->texture);
    *waves = (Waves){ 0 };
}
