/* One loop of a source, compiled as its build does, and by other compilers and with other options: what is left
   of it in the code of each.

   Each attempt compiles the whole source, with debug information and a record of the compiler's decisions,
   into a private folder that goes in any case. Nothing is run, and nothing of the user's is written.

   An attempt can fail (no such compiler, the source does not compile, the loop is gone) without the others: its
   problem says why. To be compared, cycles are per iteration of the source: the source loop is compiled once
   more without vectors and unrolling, and by the amounts of work in both (code/quality/footprint.h), else by the
   family of the loop (code/quality/families.h), it is known how many iterations of it the loop of an attempt does at once. */
#ifndef CHANGE_EXPLORE_EXPLORE_H
#define CHANGE_EXPLORE_EXPLORE_H
#include "change/optimise/compile/compilation.h"
#include "code/cost/loops.h"
#include "code/diff/half.h"

struct explore_request {
    const struct compilation *compilation; /* as the build does */
    const char *file;                      /* absolute: the source, or a header that it includes */
    unsigned line;
    const char *const *compilers; /* names; none: the build's own */
    const char *const *flags;     /* options after the build's own, in one text each; none: no more */
    size_t compiler_count, flag_count;
    unsigned threads, seconds; /* for one compilation */
};

struct explore_attempt {
    const char *compiler; /* as it was asked for; NULL: the build's own */
    const char *flags;    /* likewise; NULL: no more */
    struct compilation compilation;
    bool is_prepared;     /* the compilation is known */
    char *problem;        /* why there is no loop, a sentence without full stop; NULL: there is one */
    char *ignored;        /* the compiler's warning that it ignores an option; NULL: none */
    struct model *model;  /* of its object file; NULL: it did not compile */
    char *records;        /* folder with what the compiler wrote down */
    uint32_t loop;        /* the main one; 0: none */
    struct array loops;   /* of uint32_t, in order: all innermost loops made of the line */
    struct half half;     /* of the main one */
    uint32_t vector_bits; /* of the widest vectors that it computes with, loads or stores; 0: none */
    double iterations;    /* of the source in one of its; 0: unknown */
    double cycles;        /* per iteration of the source; NaN: unknown */
};

struct explored {
    struct explore_attempt *attempts; /* for each compiler all options, in order */
    size_t count;
    char *folder;
    struct model *plain; /* the source loop without vectors and unrolling; NULL: not needed, or not there */
    uint32_t plain_loop;
    unsigned line;
    const char *file;
};

/* Compiles and reads all of them; false: nothing could be done at all. Attempts that failed say so. */
bool explore_compile(const struct explore_request *request, struct explored *explored, struct error *error);
/* Cycles, advice and the compiler's remarks of the loops that were found. */
void explore_judge(struct explored *explored, const struct loop_machines *machines, unsigned threads);
/* The attempt with the fewest cycles per iteration of the source, the first of equals; SIZE_MAX: unknown. */
size_t explore_best(const struct explored *explored);
void explore_free(struct explored *explored);
#endif
