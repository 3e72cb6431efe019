// PNG through stb_image_write, into memory or a stream: output.c handles the file.

#include "png.h"
#include "message.h"

#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wall"
#pragma GCC diagnostic ignored "-Wextra"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#endif
#define STBI_WRITE_NO_STDIO
#define STB_IMAGE_WRITE_IMPLEMENTATION
#include <stb/stb_image_write.h>
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

static void write_bytes(void* context, void* data, int size)
{
    fwrite(data, 1, (size_t)size, (FILE*)context); // output_commit reports errors
}

bool png_commit(OutputFile* file, PixelSize size, int channels, const uint8_t* pixels)
{
    if (stbi_write_png_to_func(write_bytes, file->stream, size.width, size.height, channels, pixels,
                               size.width * channels) == 0) {
        say("not enough memory to compress a picture of %dx%d", size.width, size.height);
        output_discard(file);
        return false;
    }
    return output_commit(file);
}

bool png_write(const char* path, PixelSize size, int channels, const uint8_t* pixels)
{
    OutputFile file;
    return output_open(&file, path) && png_commit(&file, size, channels, pixels);
}
