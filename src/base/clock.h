/* The clocks that Assay reads.  A stretch of time is a difference of monotonic ones; only what people or
   other programs compare with their own clock is calendar time. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H
#include <stdint.h>

double clock_monotonic_seconds(void);
uint64_t clock_monotonic_nanoseconds(void);
double clock_calendar_seconds(void); /* since 1970 */
double clock_thread_seconds(void);   /* processor time of the calling thread */
#endif
