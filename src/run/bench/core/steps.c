/* A step is where two lines fit the series much better than one, and the second starts well above the end of
   the first.

   Disturbances make single points too high; a median of five neighbours removes those and leaves steps
   in their place.  The lines are fitted by least squares on each side of every possible place, a few points
   at least each.  The best place counts if two lines are much nearer to the points than one, and if the
   median after it is far above that before it, beside what is there and beside what the points are off their
   lines. */
#include "run/bench/core/steps.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

enum { FEWEST = 3 /* points on one side */, WINDOW = 5 /* of the median */ };
static const double SMALLEST_JUMP = 0.2, OUT_OF_NOISE = 4;

struct line {
    double start, slope, error; /* error: sum of squares */
};

static struct line fit(const struct core_point *points, size_t count)
{
    double n = (double)count, x = 0, y = 0, xx = 0, xy = 0;
    for (size_t i = 0; i < count; i++) {
        x += points[i].x / n;
        y += points[i].y / n;
    }
    for (size_t i = 0; i < count; i++) {
        xx += (points[i].x - x) * (points[i].x - x);
        xy += (points[i].x - x) * (points[i].y - y);
    }
    struct line line = {.slope = xx > 0 ? xy / xx : 0};
    line.start = y - line.slope * x;
    for (size_t i = 0; i < count; i++) {
        double off = points[i].y - line.start - line.slope * points[i].x;
        line.error += off * off;
    }
    return line;
}

static double at(const struct line *line, double x)
{
    return line->start + line->slope * x;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(const struct core_point *points, size_t count)
{
    double *sorted = memory_get(count * sizeof *sorted);
    for (size_t i = 0; i < count; i++)
        sorted[i] = points[i].y;
    qsort(sorted, count, sizeof *sorted, by_size);
    double found = sorted[(count - 1) / 2];
    free(sorted);
    return found;
}

/* Each point becomes the median of those around it; at the ends these are fewer. */
static struct core_point *smoothed(const struct core_point *points, size_t count)
{
    struct core_point *smooth = memory_get(count * sizeof *smooth);
    for (size_t i = 0; i < count; i++) {
        size_t from = i > WINDOW / 2 ? i - WINDOW / 2 : 0, to = i + WINDOW / 2 + 1;
        to = to < count ? to : count;
        smooth[i] = (struct core_point){points[i].x, median(points + from, to - from)};
    }
    return smooth;
}

/* The first index of the high side, 0 if no place divides the series better than none. */
static size_t divide(const struct core_point *points, size_t count, struct line *low, struct line *high)
{
    size_t best = 0;
    double least = INFINITY;
    for (size_t i = FEWEST; i + FEWEST <= count; i++) {
        struct line before = fit(points, i), behind = fit(points + i, count - i);
        double error = before.error + behind.error;
        if (error >= least || at(&behind, points[i].x) <= at(&before, points[i - 1].x))
            continue;
        least = error;
        best = i;
        *low = before;
        *high = behind;
    }
    return best;
}

bool core_find_step(const struct core_point *points, size_t count, struct core_step *step)
{
    struct line low = {0}, high = {0};
    if (count < 2 * FEWEST)
        return false;
    struct core_point *smooth = smoothed(points, count);
    struct line one = fit(smooth, count);
    size_t place = divide(smooth, count, &low, &high);
    bool found = false;
    if (place) {
        double from = median(smooth, place), to = median(smooth + place, count - place), jump = to - from;
        double two = low.error + high.error, noise = sqrt(two / (double)count), x = smooth[place].x;
        /* The rest is slope. */
        bool is_sudden = at(&high, x) - at(&low, x) > jump / 3;
        found = is_sudden && jump > SMALLEST_JUMP * fabs(from) && jump > OUT_OF_NOISE * noise &&
                two < one.error / 2;
        double bottom = at(&low, x), quarter = (at(&high, x) - bottom) / 4;
        size_t last = place - 1, first = place;
        while (last > 0 && smooth[last].y > bottom + quarter)
            last--;
        while (first + 1 < count && smooth[first].y < bottom + 3 * quarter)
            first++;
        *step = (struct core_step){.at = (smooth[place - 1].x + smooth[place].x) / 2,
                                   .from = smooth[last].x,
                                   .to = smooth[first].x,
                                   .low = bottom,
                                   .high = at(&high, x)};
    }
    free(smooth);
    return found;
}
