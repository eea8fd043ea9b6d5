/* Errors are values.  A call that can fail returns false (or NULL) and fills one struct error: where (a file,
   with an offset or a line if useful) and what is wrong, in one line for a person. Only the first error is
   kept: later failures are usually consequences. */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H
#include <stdbool.h>

struct error {
    bool set;
    char text[1000];
};

/* Both return false, so that a caller can write `return error_set(...)`.
   where may be NULL; it is printed before the message, followed by a colon. */
bool error_set(struct error *error, const char *where, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The same, followed by the text of errno. */
bool error_set_errno(struct error *error, const char *where, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
#endif
