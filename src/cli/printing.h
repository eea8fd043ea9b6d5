/* Prints the results of SQL: the callback that store/ calls for each statement. */
#ifndef CLI_PRINTING_H
#define CLI_PRINTING_H
#include "cli/session.h"

struct printing {
    struct session *session;
    const char *bars;  /* column drawn as bars, or NULL */
    bool is_histogram; /* draw the last column as bars */
    unsigned results;  /* printed so far */
    uint64_t rows;     /* rows of all results */
    bool is_shell;     /* the prompt separates results */
};

store_print printing_rows; /* context: struct printing */
/* .mode of the shell. */
bool printing_set_mode(void *context, const char *mode);
#endif
