/* Where the time of a function went, line by line, as its source is written.

   A compiler inlines functions, so the code of one line may come from ten files.  Here a line of the function has all
   that was inlined for it folded into it: what a call in that line took is the line's time.  Below the line stands
   each function that was inlined there, with the lines of its body, and so on: whoever wants to see more unfolds it.
   A function that was inlined twice into one line (unrolled loops, copies of a path) is there once. */
#ifndef RUN_SAMPLE_HEAT_H
#define RUN_SAMPLE_HEAT_H
#include "model/model.h"

enum heat_kind {
    HEAT_FUNCTION, /* the first node: the function itself */
    HEAT_LINE,     /* a line of a body */
    HEAT_CALL,     /* below the line that calls it: a function that was inlined there */
};
/* Times are with everything below. */
struct heat_node {
    uint8_t kind;         /* enum heat_kind */
    uint32_t depth;       /* 0: the function, 1: its lines, 2: what was inlined there, 3: lines of that … */
    uint32_t parent, end; /* places: of the node above; of the first one that is not below this one */
    uint32_t file, line;  /* 0: unknown; of a call: where the inlined function is declared */
    string_id name;       /* of the inlined function */
    uint32_t instruction_count; /* with everything below */
    uint64_t samples;
    double self, total; /* seconds: in this code; in it and in what it called */
    double own;         /* of self, without what is below */
};
struct heat_instruction {
    uint32_t instruction; /* row of code */
    uint32_t node;        /* the line that it belongs to, the innermost one */
    uint64_t samples;
    double self;
};
struct heat {
    const struct model *model;
    uint32_t run, function;
    double all;          /* seconds of the run: what shares are shares of */
    double hottest_line; /* most time of a line of the function itself */
    double hottest_instruction;
    struct array nodes;        /* of struct heat_node, each before what is below it, lines in order */
    struct array instructions; /* of struct heat_instruction, in order of address */
};

/* From the rows run_positions and samples of the model, and the code of the function. */
void heat_find(struct heat *heat, const struct model *model, uint32_t run, uint32_t function);
void heat_free(struct heat *heat);
/* Functions whose own code has at least this share of the run, the most time first: of uint32_t.  All: also those of
   run-time libraries, which nobody changes, and those that only called what took time. */
void heat_functions(const struct model *model, uint32_t run, double least_share, bool takes_all, size_t most,
                    struct array *functions);
#endif
