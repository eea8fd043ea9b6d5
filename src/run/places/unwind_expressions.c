/* A small machine for the expressions of call frame information.

   Expressions come from files that may be damaged, so everything has a bound: the stack, the steps (branches
   can loop), the operations; an unknown register or word of memory ends the expression. */
#include "run/places/unwind_expressions.h"

#include <dwarf.h>

enum { MOST_STACK = 64, MOST_STEPS = 1000 };

struct machine {
    const struct unwind_state *state;
    const uint64_t *frame_address; /* NULL: it is being computed */
    uint64_t stack[MOST_STACK];
    unsigned depth;
    bool is_wrong;
    bool is_value; /* the result is the value itself, not where it lies */
};

static uint64_t cut(const struct unwind_state *state, uint64_t value)
{
    return state->isa->word == 8 ? value : value & UINT32_MAX;
}

static void push(struct machine *machine, uint64_t value)
{
    if (machine->depth == MOST_STACK)
        machine->is_wrong = true;
    else
        machine->stack[machine->depth++] = cut(machine->state, value);
}

static uint64_t pop(struct machine *machine)
{
    if (!machine->depth) {
        machine->is_wrong = true;
        return 0;
    }
    return machine->stack[--machine->depth];
}

static void push_register(struct machine *machine, uint64_t number, uint64_t offset)
{
    if (number >= UNWIND_REGISTERS || !(machine->state->known >> number & 1))
        machine->is_wrong = true;
    else
        push(machine, machine->state->values[number] + offset);
}

static void push_memory(struct machine *machine, unsigned bytes)
{
    uint64_t value = 0, address = pop(machine);
    if (!bytes || bytes > 8 || !unwind_read(machine->state, address, bytes, &value))
        machine->is_wrong = true;
    push(machine, value);
}

static void push_copy(struct machine *machine, uint64_t depth)
{
    if (depth >= machine->depth)
        machine->is_wrong = true;
    else
        push(machine, machine->stack[machine->depth - 1 - depth]);
}

static int64_t as_signed(const struct machine *machine, uint64_t value)
{
    return machine->state->isa->word == 8 ? (int64_t)value : (int64_t)(int32_t)(uint32_t)value;
}

static void divide(struct machine *machine, bool is_remainder)
{
    uint64_t right = pop(machine), left = pop(machine);
    int64_t divisor = as_signed(machine, right), number = as_signed(machine, left);
    if (!right)
        machine->is_wrong = true;
    else if (is_remainder)
        push(machine, left % right);
    else
        push(machine, divisor == -1 ? 0 - left : (uint64_t)(number / divisor));
}

static void shift(struct machine *machine, uint8_t operation)
{
    uint64_t by = pop(machine), value = pop(machine), bits = machine->state->isa->word * 8u;
    int64_t number = as_signed(machine, value);
    if (operation == DW_OP_shra)
        push(machine, (uint64_t)(number >> (by < bits ? by : bits - 1)));
    else if (by >= bits)
        push(machine, 0);
    else
        push(machine, operation == DW_OP_shl ? value << by : value >> by);
}

static bool compute(struct machine *machine, uint8_t operation)
{
    if (operation == DW_OP_div || operation == DW_OP_mod) {
        divide(machine, operation == DW_OP_mod);
        return true;
    }
    if (operation == DW_OP_shl || operation == DW_OP_shr || operation == DW_OP_shra) {
        shift(machine, operation);
        return true;
    }
    uint64_t right = pop(machine), left = pop(machine);
    int64_t a = as_signed(machine, left), b = as_signed(machine, right);
    switch (operation) {
    case DW_OP_and:
        push(machine, left & right);
        return true;
    case DW_OP_or:
        push(machine, left | right);
        return true;
    case DW_OP_xor:
        push(machine, left ^ right);
        return true;
    case DW_OP_plus:
        push(machine, left + right);
        return true;
    case DW_OP_minus:
        push(machine, left - right);
        return true;
    case DW_OP_mul:
        push(machine, left * right);
        return true;
    case DW_OP_eq:
        push(machine, a == b);
        return true;
    case DW_OP_ne:
        push(machine, a != b);
        return true;
    case DW_OP_lt:
        push(machine, a < b);
        return true;
    case DW_OP_le:
        push(machine, a <= b);
        return true;
    case DW_OP_gt:
        push(machine, a > b);
        return true;
    case DW_OP_ge:
        push(machine, a >= b);
        return true;
    default:
        return false;
    }
}

static void rearrange(struct machine *machine, uint8_t operation)
{
    uint64_t first = pop(machine), second = pop(machine), third = operation == DW_OP_rot ? pop(machine) : 0;
    if (operation == DW_OP_swap) {
        push(machine, first);
        push(machine, second);
    } else { /* the top goes below the other two */
        push(machine, first);
        push(machine, third);
        push(machine, second);
    }
}

/* All but branches. */
static void step(struct machine *machine, const Dwarf_Op *op)
{
    uint8_t atom = op->atom;
    unsigned word = machine->state->isa->word;
    if (atom >= DW_OP_lit0 && atom <= DW_OP_lit31)
        push(machine, atom - DW_OP_lit0);
    else if (atom >= DW_OP_breg0 && atom <= DW_OP_breg31)
        push_register(machine, atom - DW_OP_breg0, op->number);
    else if (atom == DW_OP_bregx)
        push_register(machine, op->number, op->number2);
    else if (atom >= DW_OP_const1u && atom <= DW_OP_consts)
        push(machine, op->number);
    else if (atom == DW_OP_call_frame_cfa && machine->frame_address)
        push(machine, *machine->frame_address);
    else if (atom == DW_OP_deref)
        push_memory(machine, word);
    else if (atom == DW_OP_deref_size)
        push_memory(machine, op->number <= word ? (unsigned)op->number : 0);
    else if (atom == DW_OP_plus_uconst)
        push(machine, pop(machine) + op->number);
    else if (atom == DW_OP_dup)
        push_copy(machine, 0);
    else if (atom == DW_OP_over)
        push_copy(machine, 1);
    else if (atom == DW_OP_pick)
        push_copy(machine, op->number);
    else if (atom == DW_OP_drop)
        pop(machine);
    else if (atom == DW_OP_swap || atom == DW_OP_rot)
        rearrange(machine, atom);
    else if (atom == DW_OP_neg)
        push(machine, 0 - pop(machine));
    else if (atom == DW_OP_not)
        push(machine, ~pop(machine));
    else if (atom == DW_OP_abs) {
        uint64_t value = pop(machine);
        push(machine, as_signed(machine, value) < 0 ? 0 - value : value);
    } else if (atom == DW_OP_stack_value)
        machine->is_value = true;
    else if (atom != DW_OP_nop && !compute(machine, atom))
        machine->is_wrong = true;
}

/* The operation that a branch goes to; count for the end; more than that if there is none. */
static size_t target_of(const Dwarf_Op *ops, size_t count, const Dwarf_Op *branch)
{
    uint64_t wanted = branch->offset + 3 + (uint64_t)(int64_t)(int16_t)branch->number;
    for (size_t i = 0; i < count; i++)
        if (ops[i].offset == wanted)
            return i;
    return wanted > ops[count - 1].offset ? count : count + 1;
}

static bool run(struct machine *machine, const Dwarf_Op *ops, size_t count, uint64_t *result)
{
    size_t at = 0;
    for (unsigned steps = 0; at < count && !machine->is_wrong; steps++) {
        const Dwarf_Op *op = &ops[at++];
        if (steps == MOST_STEPS)
            return false;
        if (op->atom == DW_OP_skip || (op->atom == DW_OP_bra && pop(machine)))
            at = target_of(ops, count, op);
        else if (op->atom != DW_OP_bra)
            step(machine, op);
    }
    *result = pop(machine);
    return !machine->is_wrong && at == count;
}

bool unwind_frame_address(const struct unwind_state *state, Dwarf_Frame *frame, uint64_t *address)
{
    struct machine machine = {.state = state};
    Dwarf_Op *ops = NULL;
    size_t count = 0;
    return !dwarf_frame_cfa(frame, &ops, &count) && ops && count && run(&machine, ops, count, address);
}

enum unwind_value unwind_register(const struct unwind_state *state, Dwarf_Frame *frame,
                                  uint64_t frame_address, unsigned number, uint64_t *value)
{
    struct machine machine = {.state = state, .frame_address = &frame_address};
    Dwarf_Op memory[3], *ops = NULL;
    size_t count = 0;
    uint64_t result;
    if (dwarf_frame_register(frame, (int)number, memory, &ops, &count))
        return UNWIND_UNKNOWN;
    if (!count) { /* undefined, or the same as here */
        *value = state->values[number];
        return ops ? UNWIND_UNDEFINED : state->known >> number & 1 ? UNWIND_KNOWN : UNWIND_UNKNOWN;
    }
    unsigned atom = ops[0].atom;
    if (count == 1 && ((atom >= DW_OP_reg0 && atom <= DW_OP_reg31) || atom == DW_OP_regx)) {
        uint64_t other = atom == DW_OP_regx ? ops[0].number : atom - DW_OP_reg0;
        if (other >= UNWIND_REGISTERS || !(state->known >> other & 1))
            return UNWIND_UNKNOWN;
        *value = state->values[other];
        return UNWIND_KNOWN;
    }
    if (!run(&machine, ops, count, &result))
        return UNWIND_UNKNOWN;
    if (machine.is_value)
        *value = result;
    return machine.is_value || unwind_read(state, result, state->isa->word, value) ? UNWIND_KNOWN
                                                                                   : UNWIND_UNKNOWN;
}
