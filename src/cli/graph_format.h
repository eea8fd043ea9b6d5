/* The format of a graph, by the name of the file that --output gives it. */
#ifndef CLI_GRAPH_FORMAT_H
#define CLI_GRAPH_FORMAT_H
#include "cli/options.h"

/* dot on standard output. */
bool graph_format(const struct invocation *invocation, const char **format, struct error *error);
#endif
