/* Code of run-time libraries, which nobody changes: which it is, and what its functions are called. */
#ifndef RUN_SAMPLE_LIBRARY_H
#define RUN_SAMPLE_LIBRARY_H
#include "model/model.h"

/* Whether a file, by its name without folders, is such a library. */
bool library_is_file(const char *name);
/* Whether a symbol of a program is code of such a library: made from a header. */
bool library_is_code(const char *symbol);
/* Whether an inlined function is one of a header of the system, by its symbol or by where it is declared. */
bool library_is_header(const char *symbol, const char *path);
/* Whether it is a function that some cure is about. */
bool library_is_known(const char *symbol);
/* What users call it: "memcpy" for "__memcpy_generic", "pow" for "powf64"; to be freed. */
char *library_plain_name(const char *symbol);
#endif
