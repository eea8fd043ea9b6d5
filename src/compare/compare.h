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
#ifndef COMPARE_COMPARE_H
#define COMPARE_COMPARE_H
#include "model/model.h"

enum { compare_OLD, compare_NEW, compare_BUILDS };

enum match_way {
    match_NONE, /* only one build has it */
    match_NAME, /* functions: by name; loops: by source lines */
    match_CODE, /* by the code itself */
    match_CALLS,
    match_SHAPE,
    match_COPY, /* of a function that has another match as well */
    match_WAYS
};

struct compare_match {
    uint32_t rows[compare_BUILDS]; /* 0: this build does not have it */
    enum match_way way;
    bool is_same; /* the same instructions */
};

/* What the code of a range of instructions looks like, whatever the ids of its model. */
struct compare_code {
    uint64_t hash;  /* of all instructions, without addresses and padding, of jumps and calls */
    uint32_t count; /* of instructions, without padding */
    uint32_t bytes; /* of these blocks, padding included */
};

struct compare_side {
    const struct model *model;
    uint64_t *encodings;      /* a hash of each, without addresses */
    uint64_t *open_encodings; /* the same without constants, for what is added to an address of a page */
    uint64_t *shapes;         /* mnemonic and kinds of operands */
    struct compare_code *functions;  /* of each function */
    struct compare_code *loops;      /* of each loop, with its inner loops */
    uint32_t *of_function, *of_loop; /* places in functions and loops below, + 1 */
};

/* Where the sources of a build can be read. */
struct trust;
struct compare_sources {
    struct trust *trust;          /* NULL: not at all */
    const char *built_in, *is_in; /* a folder that was moved since the build; NULL: none was */
};

struct line_map;
struct comparison {
    struct compare_side sides[compare_BUILDS];
    struct array functions; /* of struct compare_match */
    struct array loops;     /* of struct compare_match: innermost loops */
    struct compare_sources sources[compare_BUILDS];
    struct line_map *lines; /* by file of the old build: lines of the new one (texts.h) */
    size_t line_count;
    bool takes_same; /* loops with the same code are compared, too: their machines differ */
};

/* Matches functions.  Loops come later (compare_loops), when the models have the families of their loops. */
void compare_begin(struct comparison *comparison, const struct model *old, const struct model *new);
void compare_end(struct comparison *comparison);

/* The pair of a function, or the row that says that it has none. */
const struct compare_match *compare_of_function(const struct comparison *comparison, int side,
                                                uint32_t function);
/* Matches the loops that have a role in a family: of functions that differ. */
void compare_loops(struct comparison *comparison);

/* code.c */
/* The blocks of a loop: rows of loop_blocks from first to before end. */
struct compare_rows {
    uint32_t first, end;
};
struct compare_rows compare_blocks_of_loop(const struct model *model, uint32_t loop);
void compare_read_code(struct compare_side *side);
/* How similar the code of two functions or loops is, 0 to 1: what they have in common of pairs of
   neighbouring instructions, by mnemonic and kinds of operands. */
double compare_function_similarity(const struct comparison *comparison, uint32_t old, uint32_t new);
double compare_loop_similarity(const struct comparison *comparison, uint32_t old, uint32_t new);
/* Of the name of a source file without its folders, which builds may have elsewhere; 0: of "". */
uint64_t compare_file_hash(const struct model *model, uint32_t file);
/* Whether its name is from the file, not made from the address. */
bool compare_has_name(const struct function *function);

/* functions.c */
void compare_functions(struct comparison *comparison);
#endif
