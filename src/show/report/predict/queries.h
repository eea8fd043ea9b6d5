/* The queries of queries.sql. */
#ifndef SHOW_REPORT_PREDICT_QUERIES_H
#define SHOW_REPORT_PREDICT_QUERIES_H
#include "base/queries.h"

extern const struct query predict_view_queries[];
#endif
