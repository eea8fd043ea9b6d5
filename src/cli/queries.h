/* The queries of queries.sql (the tables of a program), of ledger_queries.sql and of ledger_questions.sql. */
#ifndef CLI_QUERIES_H
#define CLI_QUERIES_H
#include "base/queries.h"

extern const struct query cli_queries[], cli_ledger_queries[], ledger_questions[];
#endif
