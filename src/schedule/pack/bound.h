/* The lower bound of a problem that was checked: bound.c explains it. */
#ifndef SCHEDULE_PACK_BOUND_H
#define SCHEDULE_PACK_BOUND_H
#include "schedule/pack/case.h"

double bound_of(const struct pack_case *the_case);
#endif
