/* Curves over one axis as a picture: SVG, with axes of round numbers, a legend, and a title for readers of
   screens. */
#ifndef SHOW_REPORT_MODELLING_LINES_H
#define SHOW_REPORT_MODELLING_LINES_H
#include "base/memory.h"

#include <stdbool.h>
#include <stdio.h>

struct line {
    const char *name;
    const double *values; /* as many as there are places; NaN: no point there */
    bool is_dashed;
};
struct lines {
    const char *title, *across, *up; /* what the axes are */
    const double *places;
    size_t place_count;
    const struct line *lines;
    size_t count;
    bool is_log_across, is_log_up; /* logarithmic axes: values must be above 0 */
};
void report_lines(const struct lines *lines, FILE *out);
#endif
