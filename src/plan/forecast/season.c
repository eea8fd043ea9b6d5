/* See season.h.  Distances are compared by the mean square of what lies between values that far apart. A multiple
   of a period is as good as the period, but for chance: the shortest of the good ones is taken. It has to be
   much better than what lies between any two values, which is twice the variance: without a season there is none.
   Values that lie side by side are alike in any smooth series, so distances count from where values differ.

   A look at all distances costs some million operations, so it is taken rarely: when the series has grown by a
   fifth, and later each thousand values. */
#include "plan/forecast/season.h"

#include <math.h>

enum { FIRST_LOOK = 16, SELDOM = 1024 };
/* Of the mean square difference: to any two values, and to the best distance. */
static const double MUCH_BETTER = 0.8, AS_GOOD = 1.1;

static size_t known(const struct season *season)
{
    return season->count < SEASON_KEPT ? season->count : SEASON_KEPT;
}

/* The value so many steps before the last one. */
static double back(const struct season *season, size_t steps)
{
    return season->values[(season->count - 1 - steps) % SEASON_KEPT];
}

static double difference(const double *values, size_t count, size_t distance)
{
    double sum = 0;
    for (size_t i = distance; i < count; i++)
        sum += (values[i] - values[i - distance]) * (values[i] - values[i - distance]);
    return sum / (double)(count - distance);
}

static void look(struct season *season)
{
    double values[SEASON_KEPT], off[SEASON_KEPT / 2 + 1], mean = 0, variance = 0, least = INFINITY;
    size_t count = known(season), most = count / 2;
    for (size_t i = 0; i < count; i++)
        mean += values[i] = back(season, count - 1 - i);
    mean /= (double)count;
    for (size_t i = 0; i < count; i++)
        variance += (values[i] - mean) * (values[i] - mean) / (double)count;
    for (size_t distance = 1; distance <= most; distance++)
        off[distance] = difference(values, count, distance);
    size_t first = 1, distance;
    while (first <= most && off[first] < MUCH_BETTER * 2 * variance)
        first++;
    for (distance = first; distance <= most; distance++)
        least = fmin(least, off[distance]);
    season->period = 0;
    if (!(least < MUCH_BETTER * 2 * variance))
        return;
    /* Next to a period it is nearly as good, too: of a run of good distances the best one. */
    distance = first;
    while (distance < most && off[distance] > least * AS_GOOD)
        distance++;
    while (distance < most && off[distance + 1] < off[distance])
        distance++;
    season->period = distance;
}

void season_add(struct season *season, double value)
{
    season->values[season->count++ % SEASON_KEPT] = value;
    if (season->count < (season->next_look ? season->next_look : FIRST_LOOK))
        return;
    look(season);
    size_t wait = season->count / 5;
    season->next_look = season->count + (wait < SELDOM ? wait : SELDOM);
}

double season_before(const struct season *season, size_t periods)
{
    size_t steps = season->period * periods;
    return steps && steps <= known(season) ? back(season, steps - 1) : NAN;
}

double season_drift(const struct season *season, size_t window)
{
    double sum = 0;
    if (!season->period || season->period + window > known(season))
        return 0;
    for (size_t i = 0; i < window; i++)
        sum += back(season, i) - back(season, i + season->period);
    return sum / (double)window;
}
