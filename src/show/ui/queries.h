/* The queries of queries.sql. */
#ifndef SHOW_UI_QUERIES_H
#define SHOW_UI_QUERIES_H
#include "base/queries.h"

extern const struct query ui_queries[];
#endif
