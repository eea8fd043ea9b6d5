/* Questions of strangers for a program with threads: base/apart.h forks where it is, which such a program may
   not do, since other threads may hold any lock.

   So a process is forked early, while there is one thread: the desk. It never looks into a question. For each
   one it opens what the question is about, and keeps that open for the next, and forks a process that answers
   it: confined (base/confine.h), with limits, and gone afterwards. */
#ifndef BASE_DESK_H
#define BASE_DESK_H
#include "base/error.h"
#include "base/memory.h"

#include <stdint.h>
#include <stdio.h>

/* What is asked: subject names what it is about, text is the stranger's. */
struct desk_question {
    const char *subject;
    const char *text;
    size_t size;
};

struct desk_options {
    /* At the desk: opens the subject, if it is not open; NULL: the error says why. */
    void *(*open)(void *context, const char *subject, struct error *error);
    /* In the process of the question: prints the answer. */
    void (*answer)(void *context, void *opened, const struct desk_question *question, FILE *out);
    void *context;
    uint64_t memory; /* bytes that an answer may take beside what is there */
};

enum desk_end {
    desk_end_DONE,
    desk_end_REFUSED, /* the subject cannot be opened, or there is no desk: the error says why */
    desk_end_KILLED,  /* must_end said so */
    desk_end_LATE,    /* its time was over */
    desk_end_BROKEN   /* its process ended early: no memory, or an error in a library */
};

struct desk;
/* NULL: the error says why. */
struct desk *desk_open(const struct desk_options *options, struct error *error);
void desk_close(struct desk *desk);
/* In any thread: waits for the answer, which is added to an array of char. must_end is asked ten times a
 * second. */
enum desk_end desk_ask(struct desk *desk, const struct desk_question *question, unsigned seconds,
                       bool (*must_end)(void *context), void *context, struct array *answer,
                       struct error *error);
#endif
