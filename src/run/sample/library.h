/* Code of run-time libraries, which nobody changes: which it is, and what its functions are called. */
#ifndef RUN_SAMPLE_LIBRARY_H
#define RUN_SAMPLE_LIBRARY_H
#include "model/model.h"

/* Whether a file, by its name without folders, is such a library. */
bool library_is_file(const char *name);
/* Whether a symbol of a program is code of such a library: made from a header. */
bool library_is_code(const char *symbol);
/* The outermost body of a header of the system around an inlined call, without a body of the program between; 0: none. */
uint32_t library_header_around(const struct model *model, uint32_t inlined);
/* Where code of such a body was called: *source and *line are left alone for other code. */
void library_line_around(const struct model *model, uint32_t inlined, uint32_t *source, uint32_t *line);
/* Whether it is a function that some cure is about. */
bool library_is_known(const char *symbol);
/* What users call it: "memcpy" for "__memcpy_generic", "pow" for "powf64"; to be freed. */
char *library_plain_name(const char *symbol);
#endif
