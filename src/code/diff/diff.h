/* Two builds of a program side by side: which function and which loop of one is which of the other.

   Each build has its own model.  Functions are matched first, then loops, most certain evidence first; what
   was matched once stays matched, and is evidence for the rest.

   Functions    the same name (without what compilers append, such as .constprop.0), and the file if several
                have it; the same code, where no other function has it; the same place among the calls of
                functions that are matched, with similar code; similar code alone
   Loops        the same source lines, through both texts or counted from the start of the function, and the
                same chain of inlined calls; the same code; the same place among
                the loops of matched functions, with similar code

   Code is the same if only addresses differ that the linker chose: a change in one file moves all others. */
#ifndef CODE_DIFF_DIFF_H
#define CODE_DIFF_DIFF_H
#include "model/model.h"

enum { diff_OLD, diff_NEW, diff_BUILDS };

enum match_way {
    match_NONE, /* only one build has it */
    match_NAME, /* functions: by name; loops: by source lines */
    match_CODE, /* by the code itself */
    match_CALLS,
    match_SHAPE,
    match_COPY, /* of a function that has another match as well */
    match_WAYS
};

struct diff_match {
    uint32_t rows[diff_BUILDS]; /* 0: this build does not have it */
    enum match_way way;
    bool is_same; /* the same instructions */
};

/* What the code of a range of instructions looks like, whatever the ids of its model. */
struct diff_code {
    uint64_t hash;  /* of all instructions, without addresses and padding, of jumps and calls */
    uint32_t count; /* of instructions, without padding */
    uint32_t bytes; /* of these blocks, padding included */
};

struct diff_side {
    const struct model *model;
    uint64_t *encodings;         /* a hash of each, without addresses */
    uint64_t *open_encodings;    /* the same without constants, for what is added to an address of a page */
    uint64_t *shapes;            /* mnemonic and kinds of operands */
    struct diff_code *functions; /* of each function */
    struct diff_code *loops;     /* of each loop, with its inner loops */
    uint32_t *of_function, *of_loop; /* places in functions and loops below, + 1 */
};

/* Where the sources of a build can be read. */
struct trust;
struct diff_sources {
    struct trust *trust;          /* NULL: not at all */
    const char *built_in, *is_in; /* a folder that was moved since the build; NULL: none was */
};

struct line_map;
struct comparison {
    struct diff_side sides[diff_BUILDS];
    struct array functions; /* of struct diff_match */
    struct array loops;     /* of struct diff_match: innermost loops */
    struct diff_sources sources[diff_BUILDS];
    struct line_map *lines; /* by file of the old build: lines of the new one (texts.h) */
    size_t line_count;
    bool takes_same; /* loops with the same code are compared, too: their machines differ */
};

/* Matches functions.  Loops come later (diff_loops), when the models have the families of their loops. */
void diff_begin(struct comparison *comparison, const struct model *old, const struct model *new);
void diff_end(struct comparison *comparison);

/* The pair of a function, or the row that says that it has none. */
const struct diff_match *diff_of_function(const struct comparison *comparison, int side, uint32_t function);
/* Matches the loops that have a role in a family: of functions that differ. */
void diff_loops(struct comparison *comparison);

/* code.c */
/* The blocks of a loop: rows of loop_blocks from first to before end. */
struct diff_rows {
    uint32_t first, end;
};
struct diff_rows diff_blocks_of_loop(const struct model *model, uint32_t loop);
void diff_read_code(struct diff_side *side);
/* How similar the code of two functions or loops is, 0 to 1: what they have in common of pairs of
   neighbouring instructions, by mnemonic and kinds of operands. */
double diff_function_similarity(const struct comparison *comparison, uint32_t old, uint32_t new);
double diff_loop_similarity(const struct comparison *comparison, uint32_t old, uint32_t new);
/* Of the name of a source file without its folders, which builds may have elsewhere; 0: of "". */
uint64_t diff_file_hash(const struct model *model, uint32_t file);
/* Whether its name is from the file, not made from the address. */
bool diff_has_name(const struct function *function);

/* functions.c */
void diff_functions(struct comparison *comparison);
#endif
