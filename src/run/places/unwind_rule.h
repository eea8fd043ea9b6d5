/* The rule of a code address: how to come from its registers to those of its caller. */
#ifndef RUN_PLACES_UNWIND_RULE_H
#define RUN_PLACES_UNWIND_RULE_H
#include "run/places/unwind_file.h"

enum unwind_rule_kind {
    UNWIND_RULE_NONE,
    UNWIND_RULE_PLAIN,      /* the frame is a register and an offset, saved registers are words of it */
    UNWIND_RULE_EXPRESSION, /* anything else that DWARF has */
    UNWIND_RULE_SIGNAL,     /* AArch64's return from a signal handler */
};
enum { UNWIND_SAVED = 14 };

struct unwind_rule {
    uint8_t kind; /* enum unwind_rule_kind */
    uint8_t frame_register;
    uint8_t back; /* register with the return address: of the caller's, after those below were read */
    uint8_t saved_count;
    bool is_end; /* nobody called it */
    int32_t frame_offset;
    uint64_t kept; /* registers that are the same in the caller: bits */
    struct unwind_saved {
        int32_t offset : 24; /* from the frame address */
        uint32_t number : 8; /* of the register */
    } saved[UNWIND_SAVED];
    Dwarf_Frame *frame; /* UNWIND_RULE_EXPRESSION */
};
/* The rule has the frame afterwards. */
void unwind_rule_of_frame(struct unwind_rule *rule, const struct unwind_isa *isa, Dwarf_Frame *frame);
/* Of code that saves nothing: the return address is in its register, or on the stack below `pushed` bytes
   that include it. */
void unwind_rule_of_leaf(struct unwind_rule *rule, const struct unwind_isa *isa, int32_t pushed);
void unwind_rule_free(struct unwind_rule *rule);
enum unwind_step unwind_rule_step(const struct unwind_rule *rule, bool is_leaf, struct unwind_state *state);
#endif
