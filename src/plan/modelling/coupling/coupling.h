/* Kernels that run one after the other are not the sum of their times: one leaves data in the caches that
   the next one needs, or throws out what it needs. Coupling (Taylor, Wu and others: Prophesy) measures this
   with chains that are shorter than the program, and composes them.

   P(S) is the time of a chain S of kernels, run over and over; C(S) = P(S) / sum of P(i) its coupling: below
   1 they help each other, above 1 they hinder. A program that runs all kernels in a circle is predicted from
   its chains of some length: each kernel's time is multiplied by the mean coupling of the chains that it is
   in, weighed by their times.

   The kernels are functions of a shared library, or a command that runs those that it is told:

       library = ./kernels.so        kernels = gather, update, walk        prepare = make_data
       command = ./solver --only {kernels}        kernels = flux, source, update

   Functions take no arguments and return nothing. A command prints the seconds of one round, alone in a line.
   read.c reads such a file, measure.c measures chains, compose.c reckons; stored.c reckons with couplings of an
   earlier measurement. */
#ifndef PLAN_MODELLING_COUPLING_COUPLING_H
#define PLAN_MODELLING_COUPLING_COUPLING_H
#include "base/error.h"
#include "base/memory.h"

#include <stdbool.h>
#include <stdint.h>

enum { COUPLING_MOST_KERNELS = 32 };

struct coupling_chain {
    uint32_t first, length; /* kernels first … first + length - 1, in a circle */
    double seconds;         /* of a round; the median of passes */
    double spread;          /* half of highest less lowest of the passes, relative */
    double apart;           /* sum of its kernels' own times */
    double coupling;        /* of stored chains, which have no times */
};

struct coupling {
    char *path, *library, *prepare;
    struct array command; /* of char *: words; {kernels} stands in one of them */
    struct array kernels; /* of char * */
    uint32_t passes;
    uint32_t done;       /* passes that were measured; fewer than passes: Ctrl-C came */
    struct array chains; /* of struct coupling_chain: by length, then by first */
};

/* What chains of one length say about all kernels together. */
struct coupling_prediction {
    uint32_t length;       /* 1: the plain sum */
    double seconds, error; /* relative to what was measured; with its sign */
};

bool coupling_read(const char *path, struct coupling *coupling, struct error *error);
void coupling_free(struct coupling *coupling);
/* Chains of 1 to `longest` kernels, and all together. A Ctrl-C that interrupt_catch noted ends it: with what
   the passes before say, if there was one. */
bool coupling_measure(struct coupling *coupling, uint32_t longest, struct error *error);
double coupling_value(const struct coupling_chain *chain);
/* Of chains of this length; NAN if they were not measured. */
double coupling_compose(const struct coupling *coupling, uint32_t length);
/* stored.c: couplings that were measured before, elsewhere or for another size; of struct coupling_chain. */
bool coupling_read_stored(const char *path, const struct coupling *coupling, struct array *chains,
                          struct error *error);
/* All kernels, by their own times here and stored chains of this length; NAN: there are none. */
double coupling_compose_stored(const struct coupling *coupling, const struct array *stored, uint32_t length);
const struct coupling_chain *coupling_whole(const struct coupling *coupling);
#endif
