/* The queries of shell_queries.sql. */
#ifndef CLI_SHELL_QUERIES_H
#define CLI_SHELL_QUERIES_H
#include "base/queries.h"

extern const struct query shell_queries[];
#endif
