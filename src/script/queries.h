/* The queries of queries.sql. */
#ifndef SCRIPT_QUERIES_H
#define SCRIPT_QUERIES_H
#include "base/queries.h"

extern const struct query script_queries[];
#endif
