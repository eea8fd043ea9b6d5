/* Nearly all rules of compilers are plain: the frame address is the stack pointer or the frame pointer and a
   number, and each register of the caller is a word of the frame or still in its place.  These are kept as
   numbers.  Others (realigned stacks, signal frames, stubs of the linker) keep libdw's frame, whose
   expressions are worked out for each sample (unwind_expressions.c).

   The address of what a signal interrupted is not in AArch64's call frame information, because no register
   stands for it.  The kernel's frame is known, though: siginfo, then ucontext with all registers. */
#include "run/places/unwind_rule.h"

#include <dwarf.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>

/* struct rt_sigframe of Linux: siginfo, the head of ucontext, the address of a fault. */
enum { AARCH64_SIGNAL_REGISTERS = 128 + 176 + 8 };

static bool is_plain_frame(Dwarf_Frame *frame, struct unwind_rule *rule)
{
    Dwarf_Op *ops = NULL;
    size_t count = 0;
    if (dwarf_frame_cfa(frame, &ops, &count) || !ops || count != 1)
        return false;
    bool is_numbered = ops[0].atom >= DW_OP_breg0 && ops[0].atom <= DW_OP_breg31;
    uint64_t number = is_numbered ? (uint64_t)ops[0].atom - DW_OP_breg0 : ops[0].number;
    int64_t offset = (int64_t)(is_numbered ? ops[0].number : ops[0].number2);
    if ((!is_numbered && ops[0].atom != DW_OP_bregx) || number >= UNWIND_REGISTERS ||
        offset != (int32_t)offset)
        return false;
    rule->frame_register = (uint8_t)number;
    rule->frame_offset = (int32_t)offset;
    return true;
}

/* false: it is not plain. */
static bool add_register(Dwarf_Frame *frame, unsigned number, struct unwind_rule *rule, bool *is_undefined)
{
    Dwarf_Op memory[3], *ops = NULL;
    size_t count = 0;
    *is_undefined = true;
    if (dwarf_frame_register(frame, (int)number, memory, &ops, &count))
        return false;
    if (!count) {
        *is_undefined = ops;
        rule->kept |= (uint64_t)!ops << number;
        return true;
    }
    *is_undefined = false;
    if (ops[0].atom != DW_OP_call_frame_cfa || count > 2 || (count == 2 && ops[1].atom != DW_OP_plus_uconst))
        return false;
    int64_t offset = count == 2 ? (int64_t)ops[1].number : 0;
    if (offset < -(1 << 23) || offset >= 1 << 23 || rule->saved_count == UNWIND_SAVED)
        return false;
    rule->saved[rule->saved_count++] =
        (struct unwind_saved){.offset = (int32_t)offset, .number = (uint8_t)number};
    return true;
}

static bool is_plain(Dwarf_Frame *frame, const struct unwind_isa *isa, struct unwind_rule *rule)
{
    bool is_signal = false, is_undefined;
    int back = dwarf_frame_info(frame, NULL, NULL, &is_signal);
    if (is_signal || back < 0 || back > isa->here || !is_plain_frame(frame, rule))
        return false;
    for (unsigned i = 0; i <= isa->here; i++) {
        if (i == isa->stack || (i == isa->here && i != (unsigned)back))
            continue;
        if (!add_register(frame, i, rule, &is_undefined))
            return false;
        if (i == (unsigned)back)
            rule->is_end = is_undefined;
    }
    rule->back = (uint8_t)back;
    return true;
}

void unwind_rule_of_frame(struct unwind_rule *rule, const struct unwind_isa *isa, Dwarf_Frame *frame)
{
    bool is_signal = false;
    *rule = (struct unwind_rule){.kind = UNWIND_RULE_PLAIN};
    if (is_plain(frame, isa, rule)) {
        free(frame);
        return;
    }
    dwarf_frame_info(frame, NULL, NULL, &is_signal);
    if (is_signal && isa->machine == EM_AARCH64) {
        *rule = (struct unwind_rule){.kind = UNWIND_RULE_SIGNAL};
        free(frame);
    } else {
        *rule = (struct unwind_rule){.kind = UNWIND_RULE_EXPRESSION, .frame = frame};
    }
}

void unwind_rule_of_leaf(struct unwind_rule *rule, const struct unwind_isa *isa, int32_t pushed)
{
    *rule = (struct unwind_rule){.kind = UNWIND_RULE_PLAIN,
                                 .frame_register = isa->stack,
                                 .frame_offset = pushed,
                                 .back = isa->link != UINT8_MAX ? isa->link : isa->here,
                                 .kept = (UINT64_C(1) << isa->here) - 1};
    if (isa->link == UINT8_MAX)
        rule->saved[rule->saved_count++] =
            (struct unwind_saved){.offset = -(int32_t)isa->word, .number = isa->here};
}

void unwind_rule_free(struct unwind_rule *rule)
{
    free(rule->frame);
}

/* Stacks grow downwards: the frame of who called something lies above the stack pointer. */
static bool is_above(const struct unwind_state *state, uint64_t frame_address, bool is_leaf)
{
    const struct unwind_isa *isa = state->isa;
    uint64_t stack = state->values[isa->stack];
    return frame_address > stack || (is_leaf && isa->link != UINT8_MAX && frame_address == stack);
}

/* After code without rules the stack pointer of AArch64 is unknown.  There the frame pointer points to where
   the rule says that the caller's frame pointer and return address were saved. */
static bool frame_address_of(const struct unwind_rule *rule, const struct unwind_state *state,
                             uint64_t *address)
{
    const struct unwind_isa *isa = state->isa;
    *address = state->values[rule->frame_register] + (uint64_t)(int64_t)rule->frame_offset;
    if (isa->word == 4)
        *address &= UINT32_MAX;
    if (state->known >> rule->frame_register & 1)
        return true;
    if (isa->link == UINT8_MAX || rule->frame_register != isa->stack || !(state->known >> isa->frame & 1))
        return false;
    for (unsigned i = 1; i < rule->saved_count; i++) { /* in the order of their numbers */
        const struct unwind_saved *frame = &rule->saved[i - 1], *link = &rule->saved[i];
        *address = state->values[isa->frame] - (uint64_t)(int64_t)frame->offset;
        if (frame->number == isa->frame && link->number == isa->link && link->offset == frame->offset + 8)
            return true;
    }
    return false;
}

static enum unwind_step step_plain(const struct unwind_rule *rule, bool is_leaf, struct unwind_state *state)
{
    const struct unwind_isa *isa = state->isa;
    if (rule->is_end)
        return UNWIND_END;
    uint64_t frame_address;
    if (!frame_address_of(rule, state, &frame_address))
        return UNWIND_NO_RULE;
    if (!is_above(state, frame_address, is_leaf))
        return UNWIND_LOST;
    uint64_t known = state->known & rule->kept;
    for (unsigned i = 0; i < rule->saved_count; i++) {
        const struct unwind_saved *saved = &rule->saved[i];
        uint64_t at = frame_address + (uint64_t)(int64_t)saved->offset,
                 *value = &state->values[saved->number];
        if (isa->word == 8 ? unwind_read(state, at, 8, value) : unwind_read(state, at, 4, value))
            known |= UINT64_C(1) << saved->number;
    }
    state->known = known;
    if (!(known >> rule->back & 1))
        return UNWIND_LOST;
    state->values[isa->here] = state->values[rule->back];
    state->values[isa->stack] = frame_address;
    state->known |= UINT64_C(1) << isa->here | UINT64_C(1) << isa->stack;
    return state->values[isa->here] ? UNWIND_CALLER : UNWIND_END;
}

static enum unwind_step step_by_expressions(Dwarf_Frame *frame, bool is_leaf, struct unwind_state *state)
{
    const struct unwind_isa *isa = state->isa;
    struct unwind_state caller = *state;
    uint64_t frame_address;
    bool is_signal = false;
    int back = dwarf_frame_info(frame, NULL, NULL, &is_signal);
    if (back < 0 || back >= UNWIND_REGISTERS || !unwind_frame_address(state, frame, &frame_address))
        return UNWIND_LOST;
    caller.known = 0;
    for (unsigned i = 0; i < isa->here; i++)
        if (unwind_register(state, frame, frame_address, i, &caller.values[i]) == UNWIND_KNOWN)
            caller.known |= UINT64_C(1) << i;
    if (!is_signal) {
        if (!is_above(state, frame_address, is_leaf))
            return UNWIND_LOST;
        caller.values[isa->stack] = frame_address;
        caller.known |= UINT64_C(1) << isa->stack;
    }
    enum unwind_value kind =
        unwind_register(state, frame, frame_address, (unsigned)back, &caller.values[isa->here]);
    if (kind == UNWIND_UNDEFINED || (kind == UNWIND_KNOWN && !caller.values[isa->here]))
        return UNWIND_END;
    if (kind != UNWIND_KNOWN)
        return UNWIND_LOST;
    caller.known |= UINT64_C(1) << isa->here;
    *state = caller;
    return is_signal ? UNWIND_SIGNAL : UNWIND_CALLER;
}

static enum unwind_step step_from_handler(struct unwind_state *state)
{
    uint64_t at = state->values[state->isa->stack] + AARCH64_SIGNAL_REGISTERS;
    if (!(state->known >> state->isa->stack & 1))
        return UNWIND_LOST;
    for (unsigned i = 0; i < UNWIND_REGISTERS; i++) /* x0 … x30, sp, pc */
        if (!unwind_read(state, at + 8 * (uint64_t)i, 8, &state->values[i]))
            return UNWIND_LOST;
    state->known = (UINT64_C(1) << UNWIND_REGISTERS) - 1;
    return state->values[state->isa->here] ? UNWIND_SIGNAL : UNWIND_END;
}

enum unwind_step unwind_rule_step(const struct unwind_rule *rule, bool is_leaf, struct unwind_state *state)
{
    switch (rule->kind) {
    case UNWIND_RULE_PLAIN:
        return step_plain(rule, is_leaf, state);
    case UNWIND_RULE_EXPRESSION:
        return step_by_expressions(rule->frame, is_leaf, state);
    case UNWIND_RULE_SIGNAL:
        return step_from_handler(state);
    default:
        return UNWIND_NO_RULE;
    }
}
