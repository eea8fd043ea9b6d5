/* The queries of queries.sql. */
#ifndef CHANGE_OPTIMISE_PROGRAM_QUERIES_H
#define CHANGE_OPTIMISE_PROGRAM_QUERIES_H
#include "base/queries.h"

extern const struct query program_queries[];
#endif
