/* The queries of queries.sql. */
#ifndef STORE_QUERIES_H
#define STORE_QUERIES_H
#include "base/queries.h"

extern const struct query store_queries[];
#endif
