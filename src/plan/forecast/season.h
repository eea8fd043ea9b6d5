/* Series that come back: a load that rises each hour, a queue that fills each morning.

   The period is not asked for but looked for: the distance at which values were the most alike so far. Two periods
   have to be seen before there is one. */
#ifndef PLAN_FORECAST_SEASON_H
#define PLAN_FORECAST_SEASON_H
#include <stddef.h>

enum { SEASON_KEPT = 4096 };

struct season {
    size_t count, next_look, period; /* period 0: none was found */
    double values[SEASON_KEPT];      /* value i at i % SEASON_KEPT */
};

void season_add(struct season *season, double value);
/* What was a whole number of periods before the value that comes; NaN: it is not known. */
double season_before(const struct season *season, size_t periods);
/* How far the last `window` values were above those of a period before, on average; 0: not known. */
double season_drift(const struct season *season, size_t window);
#endif
