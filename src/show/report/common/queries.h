/* The queries of queries.sql. */
#ifndef SHOW_REPORT_COMMON_QUERIES_H
#define SHOW_REPORT_COMMON_QUERIES_H
#include "base/queries.h"

extern const struct query common_queries[];
#endif
