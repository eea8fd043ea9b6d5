/* The file format of the PNG specification (ISO/IEC 15948) and, for films, its extension APNG.

   A file is a signature and chunks: length, kind, data, checksum of kind and data.  A picture is IHDR, IDAT,
   IEND; a film has acTL (how many frames) before the first IDAT, fcTL (size and time) before each frame, and
   its later frames in fdAT: an IDAT with a sequence number in front.  Each row of pixels starts with the
   number of its filter. Here all rows are filtered by the one above them: maps have long equal stretches
   downwards, and films of scaled maps have rows that are all alike, which then become zeros.  libpng would
   do, but it cannot write films. */
#include "show/report/common/png.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { CHANNELS = 3, FILTER_UP = 2, COLOUR_RGB = 2, BITS = 8 };

struct picture picture_new(uint32_t width, uint32_t height)
{
    return (struct picture){width, height, memory_get((size_t)width * height * CHANNELS)};
}

void picture_free(struct picture *picture)
{
    free(picture->pixels);
    picture->pixels = NULL;
}

static void put_u32(uint8_t *bytes, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        bytes[i] = (uint8_t)(value >> (24 - 8 * i));
}

static void put_u16(uint8_t *bytes, uint32_t value)
{
    bytes[0] = (uint8_t)(value >> 8);
    bytes[1] = (uint8_t)value;
}

/* prefix: what stands before the data in the same chunk. */
static void add_chunk(struct array *bytes, const char kind[5], const uint8_t *prefix, size_t prefix_size,
                      const uint8_t *data, size_t size)
{
    uint8_t *chunk = array_push_many(bytes, 8 + prefix_size + size + 4);
    put_u32(chunk, (uint32_t)(prefix_size + size));
    memcpy(chunk + 4, kind, 4);
    if (prefix_size)
        memcpy(chunk + 8, prefix, prefix_size);
    if (size)
        memcpy(chunk + 8 + prefix_size, data, size);
    uLong sum = crc32_z(0, chunk + 4, 4 + prefix_size + size);
    put_u32(chunk + 8 + prefix_size + size, (uint32_t)sum);
}

/* The pixels as IDAT has them; *size: bytes.  To be freed; NULL: zlib failed. */
static uint8_t *compress_pixels(const struct picture *picture, size_t *size)
{
    size_t row = (size_t)picture->width * CHANNELS, filtered_size = (row + 1) * picture->height;
    uint8_t *filtered = memory_get(filtered_size), *to = filtered;
    for (uint32_t y = 0; y < picture->height; y++) {
        const uint8_t *now = picture->pixels + y * row, *above = y ? now - row : NULL;
        *to++ = FILTER_UP;
        for (size_t i = 0; i < row; i++)
            *to++ = (uint8_t)(now[i] - (above ? above[i] : 0));
    }
    uLongf packed_size = compressBound(filtered_size);
    uint8_t *packed = memory_get(packed_size);
    int state = compress2(packed, &packed_size, filtered, filtered_size, Z_DEFAULT_COMPRESSION);
    free(filtered);
    if (state != Z_OK) {
        free(packed);
        return NULL;
    }
    *size = packed_size;
    return packed;
}

static void add_frame_control(struct array *bytes, const struct picture *frame, uint32_t sequence,
                              unsigned milliseconds)
{
    uint8_t control[26] = {0};
    put_u32(control, sequence);
    put_u32(control + 4, frame->width);
    put_u32(control + 8, frame->height);
    put_u16(control + 20, milliseconds);
    put_u16(control + 22, 1000);
    add_chunk(bytes, "fcTL", NULL, 0, control, sizeof control);
}

static void add_head(struct array *bytes, const struct picture *first, size_t count)
{
    static const uint8_t signature[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    uint8_t head[13] = {[8] = BITS, [9] = COLOUR_RGB};
    memcpy(array_push_many(bytes, sizeof signature), signature, sizeof signature);
    put_u32(head, first->width);
    put_u32(head + 4, first->height);
    add_chunk(bytes, "IHDR", NULL, 0, head, sizeof head);
    if (count > 1) {
        uint8_t animation[8] = {0}; /* plays for ever */
        put_u32(animation, (uint32_t)count);
        add_chunk(bytes, "acTL", NULL, 0, animation, sizeof animation);
    }
}

bool png_encode(const struct picture *frames, size_t count, unsigned frame_milliseconds, struct array *bytes,
                struct error *error)
{
    uint32_t sequence = 0;
    for (size_t i = 0; i < count; i++)
        if (!frames[i].width || !frames[i].height || frames[i].width != frames[0].width ||
            frames[i].height != frames[0].height)
            return error_set(error, NULL, "a film needs pictures of the same size, none of them empty");
    if (!count || count > INT32_MAX || frame_milliseconds > UINT16_MAX)
        return error_set(error, NULL, "a film needs at least one picture, each shown for at most a minute");
    add_head(bytes, frames, count);
    for (size_t i = 0; i < count; i++) {
        size_t size = 0;
        uint8_t *packed = compress_pixels(&frames[i], &size), prefix[4];
        if (!packed || size > INT32_MAX) {
            free(packed);
            return error_set(error, NULL, "zlib cannot compress a picture");
        }
        if (count > 1)
            add_frame_control(bytes, &frames[i], sequence++, frame_milliseconds);
        if (i)
            put_u32(prefix, sequence++);
        add_chunk(bytes, i ? "fdAT" : "IDAT", prefix, i ? sizeof prefix : 0, packed, size);
        free(packed);
    }
    add_chunk(bytes, "IEND", NULL, 0, NULL, 0);
    return true;
}
