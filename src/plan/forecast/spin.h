/* What a process gets of a busy computer, tried instead of counted.

   How many processes want a processor does not say what they leave to others: one at nice 19 leaves nearly all of it,
   sessions share before their processes do (autogroups), and so do control groups, which may have a limit besides. So
   some processes of our own do nothing but count their time for a moment. */
#ifndef PLAN_FORECAST_SPIN_H
#define PLAN_FORECAST_SPIN_H
#include <stdbool.h>

/* The share of the passed time that each of `processes` had a processor, on average. has_sessions: each in a session of
   its own, as tasks of the scheduler are. NaN: no process could be made. */
double spin_share(unsigned processes, double seconds, bool has_sessions);

/* What one of `others` processes weighs beside one of ours, if `ours` got this share of `processors`; 1 where there is room
   for all of them. */
double spin_weight(double share, double ours, double others, double processors);
#endif
