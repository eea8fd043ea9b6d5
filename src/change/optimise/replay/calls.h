/* Which call of a function stands for all.

   A first run watches the calls and how much processor time each takes.  The one that is captured is that in
   which the middle of the function's time lies: calls in order of their time, the one where half of the sum
   is reached.  So neither many quick calls nor an odd first one decide, nor a single slow one, unless it is
   most of the time. */
#ifndef CHANGE_OPTIMISE_REPLAY_CALLS_H
#define CHANGE_OPTIMISE_REPLAY_CALLS_H
#include "base/memory.h"

/* Durations in the order of the calls, 0 where one is not known; the number of the call, from 1; 0: none has
   a duration. */
uint64_t calls_choose(const uint64_t *durations, size_t count);
enum { CALLS_WATCHED = 1000 }; /* at most */
#endif
