// Moving windows: see window.h.

#include "grid/window.h"

void tarn__grid_shift(float* field, int stride, int nx, int nz, int di, int dk, float fresh,
                      bool is_border)
{
    for (int n = 0; n < nz; ++n) {
        int k = dk >= 0 ? n : nz - 1 - n; // so that nothing is overwritten before it is read
        int from = k + dk;
        float* row = field + (ptrdiff_t)k * stride;
        if (is_border) from = from < 0 ? 0 : from >= nz ? nz - 1 : from;
        if (from < 0 || from >= nz) {
            for (int i = 0; i < nx; ++i) row[i] = fresh;
            continue;
        }
        const float* source = field + (ptrdiff_t)from * stride;
        int lo = di < 0 ? -di : 0, hi = di > 0 ? nx - di : nx; // cells that stay inside
        if (lo > nx) lo = nx;
        if (hi < 0) hi = 0;
        float first = source[0], last = source[nx - 1];
        if (lo < hi) memmove(row + lo, source + lo + di, (size_t)(hi - lo) * sizeof(float));
        for (int i = 0; i < lo; ++i) row[i] = is_border ? first : fresh;
        for (int i = hi > lo ? hi : lo; i < nx; ++i) row[i] = is_border ? last : fresh;
    }
}
