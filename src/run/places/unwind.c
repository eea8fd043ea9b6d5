/* The callers of a sample.

   A sample has the registers and the top of the stack as they were.  The call frame information of the file
   that contains an address gives the places of the caller's registers, mostly on the stack
   (unwind_file.c).  Each step leads to the next caller, until an address is in no file, the copy of the stack
   ends, or a file has no caller there.  Without call frame information the chain of frame pointers is
   followed, but only from one code address to another.  Kernels in assembly on AArch64 leave their return
   address in its register (step_by_link).  Where the copy ends and somebody else (the kernel)
   followed the frame pointers further, the rest of that chain is put after the last common frame.

   Everything in a sample is hostile: nothing outside the copy is read, and the number of frames bounds the
   number of steps. */
#include "run/places/unwind.h"

#include "run/places/unwind_file.h"

#include <elf.h>
#include <string.h>

/* NULL: unknown. */
static const struct unwind_isa *unwind_isa(uint8_t isa)
{
    static const struct unwind_isa x86_64 = {EM_X86_64, 8, 7, 6, 16, UINT8_MAX};
    static const struct unwind_isa i386 = {EM_386, 4, 4, 5, 8, UINT8_MAX};
    static const struct unwind_isa aarch64 = {EM_AARCH64, 8, 31, 29, 32, 30};
    return isa == isa_X86_64 ? &x86_64 : isa == isa_I386 ? &i386 : isa == isa_AARCH64 ? &aarch64 : NULL;
}

/* Addresses of programs have 48 bits; those above are a signature or a tag. */
static uint64_t places_plain_address(uint8_t isa, uint64_t address)
{
    return isa == isa_AARCH64 ? address & ((UINT64_C(1) << 48) - 1) : address;
}

struct walk {
    struct unwind_state state;
    uint8_t isa;
    places_find_code *find;
    void *context;
};

static uint64_t here(const struct walk *walk)
{
    return walk->state.values[walk->state.isa->here];
}

/* By the frame pointer: it points to the caller's, and the return address lies above that. */
static enum unwind_step step_by_chain(struct walk *walk)
{
    struct unwind_state *state = &walk->state;
    const struct unwind_isa *isa = state->isa;
    uint64_t outer, back;
    if (!(state->known >> isa->frame & 1))
        return UNWIND_LOST;
    uint64_t at = state->values[isa->frame];
    if (!at)
        return UNWIND_END;
    if (at < state->values[isa->stack] || at % isa->word || !unwind_read(state, at, isa->word, &outer) ||
        !unwind_read(state, at + isa->word, isa->word, &back))
        return UNWIND_LOST;
    back = places_plain_address(walk->isa, back);
    if (!back)
        return UNWIND_END;
    state->values[isa->frame] = outer;
    state->values[isa->stack] = at + 2 * (uint64_t)isa->word;
    state->values[isa->here] = back;
    state->known = UINT64_C(1) << isa->frame | UINT64_C(1) << isa->here;
    if (isa->link == UINT8_MAX) /* else the two words lie anywhere in their frame */
        state->known |= UINT64_C(1) << isa->stack;
    return UNWIND_CALLER;
}

/* AArch64 code without rules that was interrupted: kernels in assembly keep their return address in its
   register.  It is one if a call to code without rules shortly before this, or through a register from
   elsewhere, stands before it. */
static enum unwind_step step_by_link(struct walk *walk, const struct places_code *code)
{
    enum { NEAR = 4096, LARGEST_FUNCTION = 1 << 16 };
    struct unwind_state *state = &walk->state;
    const struct unwind_isa *isa = state->isa;
    struct places_code other;
    uint32_t word;
    if (isa->link == UINT8_MAX || !(state->known >> isa->link & 1))
        return UNWIND_NO_RULE;
    uint64_t pc = here(walk), back = places_plain_address(walk->isa, state->values[isa->link]);
    if (back < 4 || !walk->find(walk->context, back - 4, &other) || !other.rules ||
        !unwind_file_code(other.rules, back - 4 - other.bias, &word))
        return UNWIND_NO_RULE;
    uint64_t target = back - 4 + (uint64_t)((int64_t)(int32_t)(word << 6) >> 4);
    bool is_call = word >> 26 == 0x25 && other.rules == code->rules && target <= pc &&
                   pc - target < LARGEST_FUNCTION &&
                   !unwind_file_has_rule(other.rules, target - other.bias, isa);
    bool is_far = other.rules != code->rules || back - pc + NEAR > 2 * NEAR;
    if (!is_call && !((word & 0xfffffc1f) == 0xd63f0000 && is_far))
        return UNWIND_NO_RULE;
    state->values[isa->here] = back;
    state->known &= ~(UINT64_C(1) << isa->stack); /* it may have room of its own */
    return UNWIND_CALLER;
}

/* Puts the rest of somebody's chain after the last frame that is in it, too. */
static size_t append_chain(const struct places_stack *stack, struct walk *walk, struct places_frame *frames,
                           size_t count, size_t most, bool *is_cut)
{
    for (size_t i = count; i-- > 0;)
        for (size_t j = 0; j < stack->chain_count; j++) {
            if (stack->chain[j] != frames[i].address || (!j && frames[i].is_call))
                continue;
            if (j + 1 == stack->chain_count)
                return count;
            for (count = i + 1, j++; j < stack->chain_count && count < most; j++) {
                struct places_frame *frame = &frames[count++];
                *frame = (struct places_frame){.address = stack->chain[j], .is_call = true};
                frame->is_code = walk->find(walk->context, frame->address - 1, &frame->code);
            }
            *is_cut = j < stack->chain_count;
            return count;
        }
    return count;
}

size_t places_walk(const struct places_stack *stack, places_find_code *find, void *context,
                   struct places_frame *frames, size_t most, bool *is_cut)
{
    const struct places_registers *registers = stack->registers;
    struct walk walk = {.isa = registers->isa, .find = find, .context = context};
    struct unwind_state *state = &walk.state;
    enum unwind_step step = UNWIND_SIGNAL;
    size_t count = 0;
    *is_cut = true;
    state->isa = unwind_isa(registers->isa);
    if (!state->isa)
        return 0;
    state->stack_address = stack->address;
    state->stack = stack->bytes;
    state->stack_size = stack->size;
    memcpy(state->values, registers->values, sizeof state->values);
    state->known = (UINT64_C(2) << state->isa->here) - 1;
    while (count < most && (step == UNWIND_SIGNAL || step == UNWIND_CALLER)) {
        bool is_leaf = step == UNWIND_SIGNAL;
        struct places_frame *frame = &frames[count++];
        *frame = (struct places_frame){.address = here(&walk), .is_call = !is_leaf};
        uint64_t instruction = frame->address - frame->is_call;
        frame->is_code = find(context, instruction, &frame->code);
        if (!frame->is_code && count > 1) { /* the rules led astray */
            step = UNWIND_LOST;
            count--;
            break;
        }
        step = UNWIND_NO_RULE;
        if (frame->is_code && frame->code.rules)
            step = unwind_file_step(frame->code.rules, instruction - frame->code.bias, is_leaf, state);
        if (step == UNWIND_NO_RULE && is_leaf && frame->is_code)
            step = step_by_link(&walk, &frame->code);
        if (step == UNWIND_NO_RULE)
            step = step_by_chain(&walk);
        state->values[state->isa->here] = places_plain_address(walk.isa, here(&walk));
    }
    if (step == UNWIND_END)
        *is_cut = false;
    else if (count < most)
        count = append_chain(stack, &walk, frames, count, most, is_cut);
    return count;
}
