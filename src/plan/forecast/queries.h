/* The queries of queries.sql. */
#ifndef PLAN_FORECAST_QUERIES_H
#define PLAN_FORECAST_QUERIES_H
#include "base/queries.h"

extern const struct query forecast_queries[];
#endif
