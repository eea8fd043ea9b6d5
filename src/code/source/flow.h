/* The flow of the functions of a C source: what they compute, in loops, behind conditions and in calls, as a list of steps.

   Numbers of iterations and conditions are texts in what C and the language of models have in common: whole numbers, the function's
   own whole-number parameters, variables of loops around, + - * %, comparisons, && || !, and floor(a / b) for C's division.  Where the
   source does not say it so, the text is empty. */
#ifndef CODE_SOURCE_FLOW_H
#define CODE_SOURCE_FLOW_H
#include "base/memory.h"
#include "code/source/source.h"

enum source_step_kind {
    source_step_FUNCTION, /* name; first: names of its whole-number parameters, by ", ".  Up to its END */
    source_step_COMPUTE,  /* operations, of lines line to last_line */
    source_step_FOR,      /* name from first to last */
    source_step_REPEAT,   /* first: how often; empty: the source does not say */
    source_step_IF,       /* first: the condition; empty: it depends on data */
    source_step_ELSE,
    source_step_SWITCH, /* what its cases do is not told */
    source_step_CALL, /* name; first: its whole-number arguments by ", ", in which ? stands for one that is not known */
    source_step_END,
    source_step_COUNT
};

enum { SOURCE_STEP_TEXT = 240, SOURCE_STEP_NAME = 64, MOST_SOURCE_STEPS = 20000 };

struct source_step {
    uint32_t kind, line, last_line;
    uint32_t floating, memory, branches;
    char name[SOURCE_STEP_NAME];
    char first[SOURCE_STEP_TEXT], last[SOURCE_STEP_TEXT];
};

/* Of a C file; steps (of struct source_step) are whole: each that begins something has its END.  *errors: complaints of the compiler. */
bool source_flow_read(const char *path, const struct source_options *options, struct array *steps,
                      uint32_t *errors, struct error *error);
#endif
