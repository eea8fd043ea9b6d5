/* What share of this computer's processors a program would get now, beside the processes of others.

   The number of processes that run or want to is looked at many times for a short while, and its next value
   is forecast. With more of them than processors, each gets its part; how large the parts of others are is tried (spin.h). */
#ifndef PLAN_FORECAST_SHARE_H
#define PLAN_FORECAST_SHARE_H
#include "base/error.h"

#include <stdbool.h>

struct host_share {
    double others; /* processes of others that want a processor */
    double weight; /* of one of them, beside one of ours: of those at nice 19 it is next to nothing */
    double share;  /* of the speed on an idle computer: 1 and less */
    unsigned processors;
};

/* wanted: processors that the program would use; own: processes that run here and are no others. has_sessions: programs
   are started in sessions of their own. */
bool share_forecast(double wanted, double own, bool has_sessions, struct host_share *share,
                    struct error *error);
#endif
