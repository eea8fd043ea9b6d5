/* What the files of the judge share. */
#ifndef CHANGE_OPTIMISE_JUDGE_JUDGE_PARTS_H
#define CHANGE_OPTIMISE_JUDGE_JUDGE_PARTS_H
#include "change/optimise/judge/judge.h"
#include "code/quality/footprint.h"

/* How far addresses move in an iteration, each distance once; none: not known. */
enum { JUDGE_STRIDES = 16 };
struct judge_strides {
    uint64_t bytes[JUDGE_STRIDES];
    unsigned count;
};

/* The source loop: what its code is made of when the compiler neither unrolls nor vectorises it. */
struct judged_loop {
    const char *source;         /* path of the file that it is in */
    uint32_t first, last;       /* its lines there */
    struct footprint footprint; /* of one iteration; empty: unknown */
    struct judge_strides strides;
    double cycles; /* of it; NaN: no answer */
};

/* judge_compile.c: an object file of a text, with the options of a variant and, after them, others (NULL:
   none, or up to NULL).  The problem is the compiler's first error; to be freed.  false: the compiler could
   not be run at all. */
struct judge_job {
    const struct extract *extract;
    const struct choices *choices;
    const struct variant *variant; /* NULL: the user's own compilation */
    const char *const *others;
    const char *text, *text_path, *object;
};
bool judge_compile(const struct judge_job *job, char **problem, struct error *error);

/* judge_digest.c: of the code of a function in an object file (of all code where is_whole), and of its
   constants. */
bool judge_digest(const char *object, const char *symbol, bool is_whole, char digest[65],
                  struct error *error);

/* judge_read.c: the source loop in an object file; false: the error says why it is not there. */
bool judge_read_loop(const char *object, const struct extract *extract, const struct machine *machine,
                     struct judged_loop *loop, struct error *error);
/* Cycles of the loop in an object file: fills cycles, entry_cycles, iterations, is_rough, problem. */
void judge_read(const char *object, const struct judged_loop *loop, const struct machine *machine,
                struct judgement *judgement);
/* The parts: a model of an object file; its innermost loops with code of the source loop, of uint32_t. */
bool judge_read_model(const char *object, struct model *model, struct error *error);
void judge_find_loops(const struct model *model, const struct judged_loop *loop, struct array *loops);

/* judge_strides.c: from access_patterns; how many times the strides of part are in those of whole, 0 if they do
   not show it. */
struct judge_strides judge_strides_of(const struct model *model, uint32_t loop);
uint32_t judge_strides_ratio(const struct judge_strides *whole, const struct judge_strides *part);

/* judge_advice.c: rules of the report that speak about the loop; of char *, to be freed each. */
void judge_read_advice(const char *object, const struct judged_loop *loop, const struct machine *machine,
                       struct array *names);
#endif
