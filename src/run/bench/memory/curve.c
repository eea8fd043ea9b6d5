/* The curve is made smooth first, by logarithms: a point that is above or below both of its neighbours
   becomes the nearer of them, and where the curve still falls, points are replaced by their mean (larger
   regions are never quicker). A rise is a run of steep pieces; flat stretches that are shorter than a cache's
   share of the curve belong to the rise around them. */
#include "run/bench/memory/curve.h"

#include "base/memory.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

static const double SHORTEST_FLAT = 0.75; /* octaves */

static double middle_of(double a, double b, double c)
{
    return fmax(fmin(a, b), fmin(fmax(a, b), c));
}

/* The nearest curve that never falls, by squares. */
static void make_rising(double *heights, unsigned count)
{
    double *means = memory_get((count + 1) * sizeof *means);
    unsigned *sizes = memory_get((count + 1) * sizeof *sizes), blocks = 0;
    for (unsigned i = 0; i < count; i++) {
        means[blocks] = heights[i];
        sizes[blocks++] = 1;
        while (blocks > 1 && means[blocks - 2] > means[blocks - 1]) {
            unsigned left = sizes[blocks - 2], right = sizes[blocks - 1];
            means[blocks - 2] = (means[blocks - 2] * left + means[blocks - 1] * right) / (left + right);
            sizes[blocks - 2] = left + right;
            blocks--;
        }
    }
    unsigned at = 0;
    for (unsigned block = 0; block < blocks; block++)
        for (unsigned i = 0; i < sizes[block]; i++)
            heights[at++] = means[block];
    free(means);
    free(sizes);
}

static double *smooth(const struct curve_point *points, unsigned count)
{
    double *heights = memory_get((count + 1) * sizeof *heights);
    for (unsigned i = 0; i < count; i++) {
        unsigned before = i ? i - 1 : i, after = i + 1 < count ? i + 1 : i;
        heights[i] = log2(middle_of(points[before].time, points[i].time, points[after].time));
    }
    if (count > 1) /* the ends have one neighbour */
        heights[0] = fmin(heights[0], heights[1]);
    make_rising(heights, count);
    return heights;
}

/* The end of the rise that starts at a point: the last point that a steep piece leads to, with short flat
   stretches between. */
static unsigned end_of_rise(const struct curve_point *points, unsigned count, const double *heights,
                            unsigned from, double slope)
{
    unsigned end = from;
    for (unsigned i = from; i + 1 < count; i++) {
        double octaves = log2(points[i + 1].bytes / points[i].bytes);
        if (heights[i + 1] - heights[i] > slope * octaves)
            end = i + 1;
        else if (log2(points[i + 1].bytes / points[end].bytes) > SHORTEST_FLAT)
            break;
    }
    return end;
}

unsigned curve_steps(const struct curve_point *points, unsigned count, struct curve_rule rule,
                     struct curve_step *steps, unsigned most)
{
    double *heights = smooth(points, count);
    double slope = log2(rule.for_octave), least = log2(rule.least);
    unsigned found = 0;
    for (unsigned i = 0; i + 1 < count && found < most;) {
        unsigned end = end_of_rise(points, count, heights, i, slope);
        /* It starts with a steep piece, not with a flat stretch before one. */
        bool is_steep = heights[i + 1] - heights[i] > slope * log2(points[i + 1].bytes / points[i].bytes);
        if (!is_steep || end == i) {
            i++;
            continue;
        }
        if (heights[end] - heights[i] >= least)
            steps[found++] = (struct curve_step){
                .bytes = points[i].bytes, .from = exp2(heights[i]), .to = exp2(heights[end])};
        i = end;
    }
    free(heights);
    return found;
}
