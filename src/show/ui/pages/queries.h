/* The queries of queries.sql. */
#ifndef SHOW_UI_PAGES_QUERIES_H
#define SHOW_UI_PAGES_QUERIES_H
#include "base/queries.h"

extern const struct query page_queries[];
#endif
