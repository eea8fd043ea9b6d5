/* The queries of queries.sql. */
#ifndef SHOW_LSP_QUERIES_H
#define SHOW_LSP_QUERIES_H
#include "base/queries.h"

extern const struct query lsp_queries[];
#endif
