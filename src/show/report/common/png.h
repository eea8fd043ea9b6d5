/* Pictures as PNG, one or a film of them (animated PNG, which every browser plays).

   Eight bits for red, green and blue, one after the other, row by row from the top.  Whatever can be shown is
   small: the whole file is made in memory and handed out at once. */
#ifndef SHOW_REPORT_COMMON_PNG_H
#define SHOW_REPORT_COMMON_PNG_H
#include "base/error.h"
#include "base/memory.h"
#include <stdint.h>

struct picture {
    uint32_t width, height;
    uint8_t *pixels; /* 3 × width × height */
};

/* Black.  Sizes that come from a file must be checked before. */
struct picture picture_new(uint32_t width, uint32_t height);
void picture_free(struct picture *picture);

/* Appends a PNG file to bytes (an array of uint8_t).  Several frames of one size make a film that shows each
   for frame_milliseconds and starts again; programs that know no films show the first frame. */
bool png_encode(const struct picture *frames, size_t count, unsigned frame_milliseconds, struct array *bytes,
                struct error *error);
#endif
