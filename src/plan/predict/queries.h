/* The queries of queries.sql. */
#ifndef PLAN_PREDICT_QUERIES_H
#define PLAN_PREDICT_QUERIES_H
#include "base/queries.h"

extern const struct query predict_queries[];
#endif
