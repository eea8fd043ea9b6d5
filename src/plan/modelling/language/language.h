/* Model files: what a parallel program does, written down by a person (docs/model-language.md).

   Three steps: language_read parses a file and what it includes; language_set gives parameters other values;
   language_prepare resolves names, checks units and translates statements into code for walkers.  Mistakes
   are collected, so that one reading tells them all.  Parameters may be changed again afterwards by
   language_change, which is cheap: a sweep prepares once. */
#ifndef PLAN_MODELLING_LANGUAGE_LANGUAGE_H
#define PLAN_MODELLING_LANGUAGE_LANGUAGE_H
#include "base/error.h"
#include "base/memory.h"
#include "base/trust.h"
#include "plan/modelling/activity.h"

#include <stdbool.h>
#include <stdint.h>

struct language_problem {
    const char *file;
    uint32_t line, column;
    const char *text;
};

struct language_parameter {
    const char *name, *says; /* says: NULL for none */
    const char *unit;        /* of `value`: s, bytes, …; empty: a plain number */
    double value;            /* NAN: has none yet */
    bool is_free;            /* may be fitted */
    bool is_set;             /* not its default */
};

/* Computation given as a loop of a program: whoever prepares a model finds its cycles. */
struct language_loop {
    const char *program, *source; /* program: relative to the model's file, as it was written */
    const char *folder;           /* of that file */
    const char *file;             /* with line, column: where the model says so */
    uint32_t line, column;        /* of the model */
    uint32_t source_line;
    double cycles; /* of an iteration; NAN: not known */
};

enum language_message { language_SEND, language_RECEIVE, language_TRANSFER }; /* TRANSFER: end to end */
/* What a model may ask about the world around it. */
struct language_world {
    void *context;
    /* Seconds of a message between nodes; NULL: there is no network. */
    double (*message)(void *context, enum language_message part, double bytes);
    double clock; /* cycles a second where the hardware object says nothing; 0: not known */
};

/* NULL: the file cannot be read at all.  A model with mistakes is returned, see language_problems. */
struct language_model *language_read(const char *path, struct trust *trust, struct error *error);
/* The same for a text, which cannot include files. */
struct language_model *language_parse(const char *path, const char *text, size_t size);
void language_free(struct language_model *model);

/* "nx=1000,procs=4096,w=35ns"; hardware=NAME selects a hardware object.  Before or after language_prepare. */
bool language_set(struct language_model *model, const char *assignments, struct error *error);
/* false: there are problems; the error is the first of them. */
bool language_prepare(struct language_model *model, struct error *error);
const struct array *language_problems(const struct language_model *model); /* of struct language_problem */
/* Walkers end with an error after so many steps (loops and calls); 0: after 100 million. */
void language_limit(struct language_model *model, uint32_t steps);
void language_use(struct language_model *model, const struct language_world *world);

const char *language_application(const struct language_model *model); /* its name; NULL: none */
const char *language_hardware(const struct language_model *model);    /* name; NULL: none */
const char *language_network(const struct language_model *model);     /* the one that the file names; NULL */
bool language_communicates(const struct language_model *model);       /* some statement needs a network */
/* Parameters in the order of the file, of struct language_parameter, to be freed; after language_prepare.
   Values that cannot be computed are NAN. */
struct array language_parameters(const struct language_model *model);
/* Another value, in the unit of language_parameters, for all walkers that begin from now on. false: no such
   parameter. */
bool language_change(struct language_model *model, const char *name, double value);
struct array *language_loops(struct language_model *model); /* of struct language_loop */
bool language_ranks(const struct language_model *model, int32_t *ranks, struct error *error);
#endif
