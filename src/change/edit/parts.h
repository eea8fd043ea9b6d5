/* What the files of this room share. */
#ifndef CHANGE_EDIT_PARTS_H
#define CHANGE_EDIT_PARTS_H
#include "change/edit/edit.h"
#include "code/flow/function.h"
#include "run/probe/nodes/parts.h"

enum { NO_LINE = UINT32_MAX };

/* Two bundles that exchange their places: lines from 0, with their braces. */
struct edit_region {
    uint32_t first, last, other_first, other_last, wish;
};

/* Where a line of the new text comes from. */
struct edit_origin {
    uint32_t line; /* of the old text, from 0; NO_LINE: it is new */
    uint32_t wish; /* number + 1 of the wish that made it; 0: none */
};

/* An instruction of the new text that a wish brought. */
struct edit_fresh {
    uint32_t wish, instruction; /* number of the wish; row of code of the new model */
};

struct edit_making {
    const struct edit_work *work;
    struct array *wishes;
    struct nodes_listing listing;
    struct node_lines lines;
    struct array inline_lines; /* of uint8_t, by line: inside inline assembler */
    /* By row of code: numbers + 1 of the wish that changes the instruction, and of the first one before and
       after it; next links those of one place, by number. */
    struct array changes, befores, afters, next;
    struct array regions; /* of struct edit_region, both ways round */
    struct array text;    /* of char: the new one */
    struct array origins; /* of struct edit_origin, by line of it */
    struct model again;   /* what it is */
    struct array fresh;   /* of struct edit_fresh, by place: those of a wish follow each other */
    struct array firsts;  /* of uint32_t, by wish: number + 1 of its first in fresh */
};

static inline struct edit_wish *edit_wish_at(const struct edit_making *making, size_t number)
{
    return ARRAY_AT(struct edit_wish, making->wishes, number);
}
static inline uint32_t edit_number(const struct array *numbers, uint32_t row)
{
    return row < numbers->count ? *ARRAY_AT(uint32_t, numbers, row) : 0;
}
/* The new instructions of a wish, one after the other from *next = 0; 0: there are no more. */
static inline uint32_t edit_fresh_next(const struct edit_making *making, uint32_t wish, uint32_t *next)
{
    uint32_t at = *next ? *next : edit_number(&making->firsts, wish);
    const struct edit_fresh *fresh =
        at && at <= making->fresh.count ? ARRAY_AT(struct edit_fresh, &making->fresh, at - 1) : NULL;
    *next = at + 1;
    return fresh && fresh->wish == wish ? fresh->instruction : 0;
}
/* The first reason counts. */
void edit_refuse(struct edit_wish *wish, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* "line 12 (movq %rax, 8(%rsp))"; to be freed. */
char *edit_place(const struct edit_making *making, uint32_t instruction);

/* text.c: which places can be edited, and the new text. */
void edit_text_begin(struct edit_making *making);
void edit_text_check(struct edit_making *making);
void edit_text_make(struct edit_making *making);
void edit_text_end(struct edit_making *making);

/* again.c: reads the new text.  Wishes whose text no assembler takes are refused; is_read: there is a model. */
bool edit_again(struct edit_making *making, bool *is_read, struct error *error);
/* Whether every other line is the same instruction as before. */
bool edit_again_check(struct edit_making *making, struct error *error);

/* rules.c: what an instruction does, and whether a wish may touch it at all. */
struct edit_side {
    const struct model *model;
    const struct flow_meanings *meanings;
    const struct flow_function *function;
};
void edit_rules_old(const struct edit_making *making, const struct edit_side *side, struct edit_wish *wish);
/* The instruction that something is inserted before. */
void edit_rules_before(const struct edit_side *side, struct edit_wish *wish);
void edit_rules_new(const struct edit_making *making, const struct edit_side *side, uint32_t instruction,
                    const struct edit_side *old, struct edit_wish *wish);
void edit_rules_swap(const struct edit_making *making, const struct edit_side *side, struct edit_wish *wish);
/* Whether an instruction may pass another one. */
void edit_rules_pair(const struct edit_making *making, const struct edit_side *side, uint32_t moved,
                     uint32_t other, struct edit_wish *wish);
/* Whether what the instruction of a deletion does changes no state of the run. */
bool edit_rules_is_idle(const struct edit_side *side, uint32_t instruction);
/* The accesses of an instruction to the frame: the first, and how many. */
const struct frame_access *edit_accesses(const struct flow_function *function, uint32_t instruction,
                                         unsigned *count);
const struct frame_effect *edit_effect(const struct flow_function *function, uint32_t instruction);
/* The units that an instruction reads and writes, with calls and returns. */
static inline const struct unit_use *edit_uses(const struct edit_side *side, uint32_t instruction,
                                               unsigned *count)
{
    return meaning_uses(side->meanings, model_instruction(side->model, instruction)->encoding, count);
}

/* bundles.c: IA-64. The letter of the no-op for an instruction's slot; NULL or why an instruction is not touched; whether
   an instruction may stand at the place of another one, in the group of that, while `leaving` is not there. */
char edit_bundles_no_op(const struct model *model, uint32_t instruction);
const char *edit_bundles_taboo(const struct model *model, uint32_t instruction);
void edit_bundles_check_group(const struct edit_side *side, uint32_t instruction, uint32_t place,
                              uint32_t leaving, struct edit_wish *wish);
/* The first instruction of the bundle, and how many there are; 0: it is in none. */
uint32_t edit_bundles_first(const struct model *model, uint32_t instruction, uint32_t *count);
void edit_bundles_check(const struct edit_making *making, const struct edit_side *old,
                        struct edit_wish *wish);

/* differences.c: whether anything looks at what the wishes of one function change. */
void edit_differences(struct edit_making *making, const struct edit_side *old, const struct edit_side *fresh);
#endif
