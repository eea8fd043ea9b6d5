/* Changes to the text of an assembly listing, checked before anything is written.

   A wish names an instruction of the model and what shall happen to it.  edit_apply makes the new text, reads it
   again, and compares what both do: the new text may differ from the old one only where nothing looks at the
   difference.  Lines without a wish stay byte for byte.

   The check knows what code/flow/ knows: registers, flags and the function's own frame.  What it cannot see
   counts as looked at: memory elsewhere, callees, unknown jumps, the unwinder.  What a replacement computes is
   the word of whoever wishes it; that it touches nothing else is checked. */
#ifndef CHANGE_EDIT_EDIT_H
#define CHANGE_EDIT_EDIT_H
#include "code/read/read.h"

struct edit_wish {
    uint32_t instruction, other; /* rows of code; other: of a swap */
    enum edit_kind kind;
    char *text;       /* one or more lines; NULL for delete and swap */
    char *reason;     /* NULL: none */
    bool is_proposal; /* left out if it is refused; of a command that is refused nothing is written */
    char *refusal;    /* filled: why it cannot be done; NULL: it is done */
};
void edit_wishes_free(struct array *wishes); /* of struct edit_wish */

struct edit_work {
    const struct model *model;
    uint32_t program; /* of one listing, */
    uint32_t file;    /* which is this row of files */
    const char *path; /* for messages, and for files that it includes */
    struct span text; /* as it was read into the model */
    struct read_options reading;
    bool has_no_volatile; /* the user's word: no volatile variables, no memory that others watch */
};

struct edit_outcome {
    uint32_t made, refused;
    bool is_written;   /* no command was refused */
    uint32_t replaced; /* of those made: what they compute was not checked */
    uint32_t rounds;   /* how often the text was read again */
};

/* out: of char; empty if a command was refused.  false: the text cannot be judged. */
bool edit_apply(const struct edit_work *work, struct array *wishes, struct array *out,
                struct edit_outcome *outcome, struct error *error);

/* The line of an instruction in the listing, from 1; 0: unknown. */
uint32_t edit_line_of(const struct model *model, uint32_t instruction);
#endif
