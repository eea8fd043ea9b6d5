/* The queries of queries.sql. */
#ifndef CHANGE_OPTIMISE_SEARCH_QUERIES_H
#define CHANGE_OPTIMISE_SEARCH_QUERIES_H
#include "base/queries.h"

extern const struct query search_queries[];
#endif
