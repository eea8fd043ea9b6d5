/* How places and names of functions are written for people, as SQL functions. */
#ifndef SHOW_REPORT_COMMON_SHOWN_H
#define SHOW_REPORT_COMMON_SHOWN_H
#include "show/report/common/ask.h"

/* Adds to the connection: place(path, first, last); shown_name(name), the name of a function;
   shown_function(name, program), the same with its library. */
bool shown_register(const struct asked *asked, bool demangle, struct error *error);
/* The name of a function as in the source, to be freed; NULL: it is so already. */
char *shown_plain_name(const char *name);
#endif
