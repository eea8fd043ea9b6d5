/* What a user wants to measure: wishes, from the options of `assay probe` or from a plan in a file
   (plan_text.h), and the rows that they mean.

   A wish names functions as --function does: by exact name, else by the name in the source (with or without
   parameters), else by a POSIX extended regular expression (model/names.h).  No text: all functions, or all
   innermost loops.  Every wish must match something; the error says where the wish came from and which name
   is near. */
#ifndef WATCH_CHOICE_H
#define WATCH_CHOICE_H
#include "model/model.h"
#include "watch/probe/plan.h"

enum watch_wish_kind {
    WATCH_WISH_FUNCTIONS,      /* text: name or expression; NULL: all */
    WATCH_WISH_LOOPS,          /* text: of their function; NULL: innermost loops of all functions */
    WATCH_WISH_LOOP_LINE,      /* text: file, number: line; the innermost loops that have the line */
    WATCH_WISH_LOOP,           /* number: row of loops */
    WATCH_WISH_CALLS,          /* text: of the called function; NULL: all calls of imports */
    WATCH_WISH_VALUES,         /* text: of functions whose parameters are recorded */
    WATCH_WISH_ADDRESSES,      /* number: row of loops; all loads and stores of the loop */
    WATCH_WISH_ADDRESSES_LINE, /* text: file, number: line; of the innermost loops that have the line */
    WATCH_WISH_AT,             /* number: address of an instruction; name: register or variable */
    WATCH_WISH_AT_LINE,        /* text: file, number: line; name: register or variable */
};

struct watch_wish {
    uint8_t kind;
    char *text, *name; /* to be freed; NULL: none */
    uint64_t number;
    uint32_t file; /* of choice.files, from 1: that file alone; 0: all files */
    char *origin;  /* "plan.txt:3", or the option; to be freed.  NULL: none */
};

struct watch_file {
    char *path;     /* NULL: the program */
    char *build_id; /* in hexadecimal; NULL: any */
    char *origin;   /* of the build-id */
};

struct watch_choice {
    struct array wishes; /* of struct watch_wish */
    struct array files; /* of struct watch_file: those that get probes; none with a path: the program alone */
    bool has_no_clock;  /* loops: counts alone */
    bool keeps_all;     /* individual values, besides summaries */
};

void watch_choice_init(struct watch_choice *choice);
void watch_choice_free(struct watch_choice *choice);

/* Adds a wish; texts are copied.  The pointer is good until the next one is added. */
struct watch_wish *watch_choice_add(struct watch_choice *choice, enum watch_wish_kind kind, const char *text,
                                    uint64_t number, const char *name, const char *origin);
/* Adds the wish that an option or a line of a plan words: "solve", "solve.f90:40" or "12" for loops,
   "0x1234 x3", "0x1234:x3", "solve.f90:40 i", "solve.f90:40:i" for at.  word: as in a plan (plan_text.h). */
bool watch_choice_word(struct watch_choice *choice, const char *word, const char *text, const char *origin,
                       struct error *error);

/* Whether such a word starts a wish. */
bool watch_choice_knows(const char *word);

/* The rows that the wishes mean: sorted, each once. */
struct watch_at {
    uint32_t instruction; /* row of code */
    const char *name;     /* of the wish: register or variable */
    const char *origin;   /* of the wish */
};
struct watch_found {
    struct array functions;       /* of uint32_t */
    struct array loops;           /* of uint32_t */
    struct array calls;           /* of uint32_t: rows of code */
    struct array value_functions; /* of uint32_t */
    struct array address_loops;   /* of uint32_t */
    struct array at;              /* of struct watch_at, in the order of the wishes */
};
enum watch_finding {
    WATCH_FOUND,
    WATCH_MISSING, /* a wish matches nothing: exit code 1 */
    WATCH_BROKEN,  /* the choice is not for these files: exit code 2 */
};
/* Frees nothing of the choice; found is to be freed in any case. */
enum watch_finding watch_choice_find(const struct model *model, const struct watch_choice *choice,
                                     struct watch_found *found, struct error *error);
void watch_found_free(struct watch_found *found);

/* Adds subjects and points for everything found. */
bool watch_plan_add(struct watch_plan *plan, const struct watch_choice *choice,
                    const struct watch_found *found, struct error *error);
#endif
