/* Times for people: how long, when, and the ticks of an axis.

   A moment is seconds since 1970 where there is a clock, and is shown in local time; simulated time has none,
   and is shown as what passed since its beginning. */
#ifndef SHOW_REPORT_COMMON_TIMES_H
#define SHOW_REPORT_COMMON_TIMES_H
#include "base/memory.h"
#include <stdbool.h>

/* "850 ms", "12 s", "4 min 30 s", "1 h 12 min", "3 d 4 h"; to be freed. */
char *phrase_duration(double seconds);
/* After "at": "14:05" today or within half a day, "14:05:07" within ten minutes, "14:05 on Tuesday", "14:05
   on 12 March 2026"; to be freed. */
char *phrase_moment(double time, double now, bool has_clock);

struct time_axis {
    double first, step; /* of its ticks; the first is not before the beginning */
    double zero;        /* what times are counted from, without a clock */
    bool has_clock;
};
/* At most so many ticks between two times, at round moments. */
struct time_axis time_axis_make(double begins, double ends, unsigned most, bool has_clock);
/* "14:05", "14:05:30", "Tue 14:00", "12 Mar", "1 h 30 min"; to be freed. */
char *time_axis_label(const struct time_axis *axis, double tick);
#endif
