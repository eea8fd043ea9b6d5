/* The queries of queries.sql. */
#ifndef PLAN_SCHEDULE_QUERIES_H
#define PLAN_SCHEDULE_QUERIES_H
#include "base/queries.h"

extern const struct query schedule_queries[];
#endif
