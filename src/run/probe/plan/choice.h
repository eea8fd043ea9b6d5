/* What a user wants to measure: wishes, from the options of `assay probe` or from a plan in a file
   (text.h), and the rows that they mean.

   A wish names functions as --function does: by exact name, else by the name in the source (with or without
   parameters), else by a POSIX extended regular expression (model/names.h).  No text: all functions, or all
   innermost loops.  Every wish must match something; the error says where the wish came from and which name
   is near. */
#ifndef RUN_PROBE_PLAN_CHOICE_H
#define RUN_PROBE_PLAN_CHOICE_H
#include "model/model.h"
#include "run/probe/plan/plan.h"

enum probe_wish_kind {
    PROBE_WISH_FUNCTIONS,      /* text: name or expression; NULL: all */
    PROBE_WISH_LOOPS,          /* text: of their function; NULL: innermost loops of all functions */
    PROBE_WISH_LOOP_LINE,      /* text: file, number: line; the innermost loops that have the line */
    PROBE_WISH_LOOP,           /* number: row of loops */
    PROBE_WISH_CALLS,          /* text: of the called function; NULL: all calls of imports */
    PROBE_WISH_VALUES,         /* text: of functions whose parameters are recorded */
    PROBE_WISH_ADDRESSES,      /* number: row of loops; all loads and stores of the loop */
    PROBE_WISH_ADDRESSES_LINE, /* text: file, number: line; of the innermost loops that have the line */
    PROBE_WISH_AT,             /* number: address of an instruction; name: register or variable */
    PROBE_WISH_AT_LINE,        /* text: file, number: line; name: register or variable */
};

struct probe_wish {
    uint8_t kind;
    char *text, *name; /* to be freed; NULL: none */
    uint64_t number;
    uint32_t file; /* of choice.files, from 1: that file alone; 0: all files */
    char *origin;  /* "plan.txt:3", or the option; to be freed.  NULL: none */
};

struct probe_file {
    char *path;     /* NULL: the program */
    char *build_id; /* in hexadecimal; NULL: any */
    char *origin;   /* of the build-id */
};

struct probe_choice {
    struct array wishes; /* of struct probe_wish */
    struct array files; /* of struct probe_file: those that get probes; none with a path: the program alone */
    bool has_no_clock;  /* loops: counts alone */
    bool keeps_all;     /* individual values, besides summaries */
};

void probe_choice_init(struct probe_choice *choice);
void probe_choice_free(struct probe_choice *choice);

/* Adds a wish; texts are copied.  The pointer is good until the next one is added. */
struct probe_wish *probe_choice_add(struct probe_choice *choice, enum probe_wish_kind kind, const char *text,
                                    uint64_t number, const char *name, const char *origin);
/* Adds the wish that an option or a line of a plan words: "solve", "solve.f90:40" or "12" for loops,
   "0x1234 x3", "0x1234:x3", "solve.f90:40 i", "solve.f90:40:i" for at.  word: as in a plan (text.h). */
bool probe_choice_word(struct probe_choice *choice, const char *word, const char *text, const char *origin,
                       struct error *error);

/* Whether such a word starts a wish. */
bool probe_choice_knows(const char *word);

/* The rows that the wishes mean: sorted, each once. */
struct probe_at {
    uint32_t instruction; /* row of code */
    const char *name;     /* of the wish: register or variable */
    const char *origin;   /* of the wish */
};
struct probe_found {
    struct array functions;       /* of uint32_t */
    struct array loops;           /* of uint32_t */
    struct array calls;           /* of uint32_t: rows of code */
    struct array value_functions; /* of uint32_t */
    struct array address_loops;   /* of uint32_t */
    struct array at;              /* of struct probe_at, in the order of the wishes */
};
enum probe_choice_result {
    PROBE_FOUND,
    PROBE_MISSING, /* a wish matches nothing: exit code 1 */
    PROBE_BROKEN,  /* the choice is not for these files: exit code 2 */
};
/* Frees nothing of the choice; found is to be freed in any case. */
enum probe_choice_result probe_choice_find(const struct model *model, const struct probe_choice *choice,
                                           struct probe_found *found, struct error *error);
void probe_found_free(struct probe_found *found);

/* Adds subjects and points for everything found. */
bool probe_plan_add(struct probe_plan *plan, const struct probe_choice *choice,
                    const struct probe_found *found, struct error *error);
#endif
