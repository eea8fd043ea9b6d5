/* How commands that run SQL print its results: the printer that store/ calls back. */
#ifndef CLI_PRINTING_H
#define CLI_PRINTING_H
#include "cli/session.h"

struct printing {
    struct session *session;
    const char *bars;  /* column drawn as bars, or NULL */
    bool is_histogram; /* the last column is */
    unsigned results;  /* printed so far */
    uint64_t rows;     /* of all of them */
    bool is_shell;     /* the prompt keeps results apart */
};

store_print printing_rows; /* context: struct printing */
/* .mode of the shell. */
bool printing_set_mode(void *context, const char *mode);
#endif
