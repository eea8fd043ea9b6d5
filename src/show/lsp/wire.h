/* Messages on a stream: a head of lines, one of them Content-Length, an empty line, and so many bytes. */
#ifndef SHOW_LSP_WIRE_H
#define SHOW_LSP_WIRE_H
#include "base/error.h"
#include "base/memory.h"

#include <stdio.h>

struct wire {
    int in, out;
    struct array bytes; /* of char: read, and not taken yet */
    size_t size;        /* of the message that wire_next returned last */
    bool is_at_end;
};

enum wire_state {
    wire_MESSAGE, /* there is one */
    wire_QUIET,   /* nothing came for so long */
    wire_END,     /* no more will come */
    wire_BROKEN   /* where the next message begins cannot be known; the error says why */
};
/* The text is valid until the next call. */
enum wire_state wire_next(struct wire *wire, int milliseconds, const char **text, size_t *size,
                          struct error *error);
/* false: nobody reads. */
bool wire_send(struct wire *wire, const char *text, size_t size);
void wire_free(struct wire *wire);
#endif
