/* The queries of queries.sql. */
#ifndef SHOW_REPORT_MODELLING_QUERIES_H
#define SHOW_REPORT_MODELLING_QUERIES_H
#include "base/queries.h"

extern const struct query modelling_queries[];
#endif
