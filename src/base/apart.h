/* The one place where a stranger's text runs: SQL, scripts, rules and models.

   Work on it is a function that prints. It runs in a process of its own, which is confined (base/confine.h)
   and has limits (base/child.h), and which has a copy of everything that Assay has in memory, so nothing has
   to be handed over. What it prints comes back through a pipe and is printed by Assay. Whatever the text does
   to that process, even if it takes it over, Assay reads bytes. */
#ifndef BASE_APART_H
#define BASE_APART_H
#include "base/error.h"

#include <stdint.h>
#include <stdio.h>

struct apart {
    /* Prints to out; false: the error says why. What it changes in memory stays in its process. */
    bool (*work)(void *context, FILE *out, struct error *error);
    void *context;
    FILE *out;            /* where that goes */
    uint64_t most_output; /* bytes; more end it; 0: no limit */
    FILE *file;           /* that it may write to as well, and that its process flushes; NULL: none */
    /* Numbers that it leaves behind, without pointers: its own copy at the end replaces this one. NULL: none.
     */
    void *result;
    size_t result_size;
    const char *what; /* it is, for messages: "the query" */
    /* Limits; 0: no limit of time, half of this computer's memory. */
    unsigned seconds;
    const char *setting; /* sets the limit of time: for its message; NULL: nothing does */
    uint64_t memory;
    /* Asked ten times a second whether it has to end; NULL: it ends with Assay. */
    bool (*must_end)(void *context);
    /* Instead of that: after Ctrl-C (base/interrupt.h) it has two seconds for what it has until then. */
    bool ends_gently;
};

/* false: the error is the one of the work, or names the limit that it met. Within such work, it is a call. */
bool apart_run(const struct apart *apart, struct error *error);
#endif
