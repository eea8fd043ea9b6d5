/* What code does besides computing, as names of libraries and functions say: activities.def. */
#ifndef RUN_SAMPLE_ACTIVITIES_H
#define RUN_SAMPLE_ACTIVITIES_H
#include "model/model.h"

/* The library is the name of its file, the function its symbol; either may be NULL. */
enum run_activity activity_of(const char *library, const char *function);
/* Whether code of this library without an activity of its own works for its caller: what the C library does
   inside malloc is allocating. */
bool activity_is_helper(const char *library);
#endif
