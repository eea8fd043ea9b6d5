/* Actions as AArch64 code.  No instruction of them touches the flags.

   The actions of one place share scratch registers: those that are free there, and, if they are too few,
   others that are put on the stack around all of them.  A register that an action reads is never among them,
   so sources are read as the program left them; only displacements from the stack pointer have to be moved by
   what was put on the stack.

   An event takes its place first (the position moves on by 16 bytes) and is written then: a signal handler
   with probes of its own writes after it.  A handler that runs while the position is moving on writes from
   the same place on: so an event whose place has an identity already goes on to the next.  The first word of
   the event is made whole, since the stack pointer is a multiple of 16:  sp << 29  has  sp >> 3  in its upper
   half and nothing in its lower one, where the identity goes.  An event that another follows leaves the
   address of the runtime's locals and the position in their registers for it, if there are enough.

   Clocks are read as near to the program's own code as registers allow: early when something ends, late when
   it starts. */
#include "run/probe/trampoline/aarch64.h"
#include "runtime/probe/record_file.h"

enum { MOST_SCRATCH = 4 };

struct scratch {
    uint8_t registers[MOST_SCRATCH];
    unsigned count;
    unsigned saved; /* the last ones, on the stack */
};

unsigned aarch64_choose(uint32_t free, uint32_t kept, uint8_t *registers, unsigned most)
{
    static const uint8_t best_first[] = {16, 17, 15, 14, 13, 12, 11, 10, 9,  8,  7,  6,  5,  4,  3, 2,
                                         1,  0,  18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 30, 29};
    unsigned count = 0;
    for (unsigned i = 0; i < sizeof best_first && count < most; i++)
        if ((free & ~kept) >> best_first[i] & 1)
            registers[count++] = best_first[i];
    return count;
}

static uint32_t bit_of(unsigned register_)
{
    return register_ < 31 ? UINT32_C(1) << register_ : 0;
}

uint32_t aarch64_action_registers(const struct probe_action *action)
{
    const struct probe_source *source = &action->source;
    switch (action->kind) {
    case PROBE_DO_INCREMENT:
    case PROBE_DO_CLEAR:
        return bit_of(action->register_);
    case PROBE_DO_EVENT:
    case PROBE_DO_KEEP:
    case PROBE_DO_TALLY:
        if (source->kind == PROBE_FROM_GENERAL)
            return bit_of(source->base);
        if (source->kind == PROBE_FROM_ADDRESS || source->kind == PROBE_FROM_MEMORY)
            return bit_of(source->base) | bit_of(source->index);
        return 0;
    default:
        return 0;
    }
}

/* Where a source is already, PROBE_NO_REGISTER if it has to be computed. */
static unsigned register_of(const struct probe_source *source)
{
    return source->kind == PROBE_FROM_GENERAL && source->base != PROBE_AARCH64_SP ? source->base
                                                                                  : PROBE_NO_REGISTER;
}

/* Offsets of counters that two additions reach take no register of their own. */
static bool is_far(uint32_t counter)
{
    return counter >= (1U << 24) / 8 - 1;
}

static bool reads_far(const struct probe_action *action)
{
    return action->source.kind == PROBE_FROM_COUNTER && is_far(action->source.counter);
}

static unsigned registers_needed(const struct probe_action *action)
{
    switch (action->kind) {
    case PROBE_DO_KEEP:
        if (!is_far(action->counter) &&
            (register_of(&action->source) != PROBE_NO_REGISTER || action->source.kind == PROBE_FROM_VECTOR))
            return 1;
        return reads_far(action) ? 3 : 2;
    case PROBE_DO_EVENT:
        return reads_far(action) ? 3 : 2;
    case PROBE_DO_COUNT:
        return 2;
    case PROBE_DO_TALLY:
        return reads_far(action) ? 4 : 3;
    default:
        return 0;
    }
}

/* The stack pointer moves once. */
static void save(struct arm_writer *writer, const struct scratch *scratch)
{
    const uint8_t *saved = &scratch->registers[scratch->count - scratch->saved];
    if (!scratch->saved)
        return;
    writer->spilled = (scratch->saved + 1) / 2 * 16;
    aarch64_put(writer, scratch->saved == 1 ? arm_push(saved[0], (int32_t)writer->spilled)
                                            : arm_push_pair(saved[0], saved[1], (int32_t)writer->spilled));
    for (unsigned i = 2; i < scratch->saved; i++)
        aarch64_put(writer, arm_store(saved[i], ARM_SP, i * 8));
}

static void restore(struct arm_writer *writer, const struct scratch *scratch)
{
    const uint8_t *saved = &scratch->registers[scratch->count - scratch->saved];
    if (!scratch->saved)
        return;
    for (unsigned i = 2; i < scratch->saved; i++)
        aarch64_put(writer, arm_load(saved[i], ARM_SP, i * 8));
    aarch64_put(writer, scratch->saved == 1 ? arm_pop(saved[0], (int32_t)writer->spilled)
                                            : arm_pop_pair(saved[0], saved[1], (int32_t)writer->spilled));
    writer->spilled = 0;
}

/* Sources. */

static void put_sum(struct arm_writer *writer, unsigned to, unsigned from, int64_t distance)
{
    uint64_t size = distance < 0 ? 0 - (uint64_t)distance : (uint64_t)distance;
    uint32_t (*word)(unsigned, unsigned, uint32_t, bool) =
        distance < 0 ? arm_subtract_immediate : arm_add_immediate;
    if (size >> 12)
        aarch64_put(writer, word(to, from, (uint32_t)(size >> 12), true));
    if (size & 0xfff || (!size && to != from))
        aarch64_put(writer, word(to, size >> 12 ? to : from, (uint32_t)(size & 0xfff), false));
}

static bool is_sum_short(int64_t distance)
{
    return distance > -(1 << 24) && distance < 1 << 24;
}

static void put_scaled(struct arm_writer *writer, unsigned to, const struct probe_source *source,
                       unsigned shift)
{
    unsigned immr = (64 - shift) & 63;
    if (source->extend == PROBE_WHOLE)
        aarch64_put(writer, arm_shift_left(to, source->index, shift));
    else if (source->extend == PROBE_UNSIGNED32)
        aarch64_put(writer, arm_bits_unsigned(to, source->index, immr, 31));
    else
        aarch64_put(writer, arm_bits_signed(to, source->index, immr, 31));
}

static int64_t displacement_of(const struct arm_writer *writer, const struct probe_source *source)
{
    bool is_from_stack = source->base == PROBE_AARCH64_SP;
    return (int64_t)((uint64_t)source->displacement + (is_from_stack ? writer->spilled : 0));
}

static void put_address(struct arm_writer *writer, unsigned to, const struct probe_source *source)
{
    bool has_base = source->base != PROBE_NO_REGISTER, has_index = source->index != PROBE_NO_REGISTER;
    int64_t displacement = displacement_of(writer, source);
    unsigned shift = has_index && source->scale ? (unsigned)__builtin_ctz(source->scale) : 0;
    enum arm_extend extend = source->extend == PROBE_UNSIGNED32 ? ARM_UXTW
                             : source->extend == PROBE_SIGNED32 ? ARM_SXTW
                                                                : ARM_UXTX;
    if (!has_base && !has_index)
        aarch64_put_constant(writer, to, (uint64_t)displacement);
    else if (!is_sum_short(displacement)) {
        aarch64_put_constant(writer, to, (uint64_t)displacement);
        if (has_base)
            aarch64_put(writer, arm_add_extended(to, source->base, to, ARM_UXTX, 0));
        if (has_index)
            aarch64_put(writer, arm_add_extended(to, to, source->index, extend, shift));
    } else if (has_index) {
        if (has_base)
            aarch64_put(writer, arm_add_extended(to, source->base, source->index, extend, shift));
        else
            put_scaled(writer, to, source, shift);
        put_sum(writer, to, to, displacement);
    } else
        put_sum(writer, to, source->base, displacement);
}

static void put_memory(struct arm_writer *writer, unsigned to, const struct probe_source *source)
{
    unsigned size = (unsigned)__builtin_ctz(source->bytes);
    bool is_signed = source->is_signed && size < 3;
    int64_t displacement = displacement_of(writer, source);
    bool is_simple = source->base != PROBE_NO_REGISTER && source->index == PROBE_NO_REGISTER;
    uint32_t branch = arm_here(writer) + 4;
    if (source->may_be_null) {
        aarch64_put(writer, arm_movz(to, 0, 0));
        aarch64_put(writer, arm_branch_if_zero(source->base));
    }
    if (is_simple && displacement >= 0 && displacement < 4096 << size &&
        !(displacement & (source->bytes - 1)))
        aarch64_put(writer, arm_load_extended(to, source->base, (uint32_t)displacement, size, is_signed));
    else if (is_simple && displacement >= -256 && displacement < 256)
        aarch64_put(writer, arm_load_extended_near(to, source->base, (int32_t)displacement, size, is_signed));
    else {
        put_address(writer, to, source);
        aarch64_put(writer, arm_load_extended(to, to, 0, size, is_signed));
    }
    if (source->may_be_null)
        aarch64_aim_here(writer, branch);
}

static void put_place_memory(struct arm_writer *writer, unsigned to, const struct probe_source *source)
{
    unsigned size = (unsigned)__builtin_ctz(source->bytes);
    aarch64_put_place(writer, to, (uint64_t)source->displacement);
    aarch64_put(writer, arm_load_extended(to, to, 0, size, source->is_signed && size < 3));
}

/* The runtime's local: its address but for the low twelve bits, and the word there. */
static void put_locals(struct arm_writer *writer, unsigned to, enum probe_local local)
{
    aarch64_put(writer, arm_thread_pointer(to));
    aarch64_put_fixed(writer, arm_add_immediate(to, to, 0, true), PROBE_FIX_LOCAL_HIGH12, local);
}

static void put_load_local(struct arm_writer *writer, unsigned to, unsigned locals, enum probe_local local)
{
    aarch64_put_fixed(writer, arm_load(to, locals, 0), PROBE_FIX_LOCAL_LOW12, local);
}

/* Near a counter: the offset that is left, from 0 to 32752, so that the next counter is in reach, too.
   `other` is needed if it is far. */
static uint32_t put_counter_address(struct arm_writer *writer, unsigned to, uint32_t counter, unsigned other)
{
    uint64_t offset = (uint64_t)counter * 8;
    put_locals(writer, to, PROBE_COUNTERS);
    put_load_local(writer, to, to, PROBE_COUNTERS);
    if (offset <= 4095 * 8 - 8)
        return (uint32_t)offset;
    if (is_far(counter)) {
        aarch64_put_constant(writer, other, offset & ~UINT64_C(0xfff));
        aarch64_put(writer, arm_add(to, to, other, 0));
    } else
        aarch64_put(writer, arm_add_immediate(to, to, (uint32_t)(offset >> 12), true));
    return (uint32_t)offset & 0xfff;
}

/* The value of a source in `to`; `other` is needed for a far counter. */
static void put_source(struct arm_writer *writer, unsigned to, const struct probe_source *source,
                       unsigned other)
{
    switch (source->kind) {
    case PROBE_FROM_CLOCK:
        aarch64_put(writer, arm_clock(to));
        break;
    case PROBE_FROM_GENERAL:
        if (source->base == PROBE_AARCH64_SP)
            aarch64_put(writer, arm_add_immediate(to, ARM_SP, writer->spilled, false));
        else
            aarch64_put(writer, arm_move(to, source->base));
        break;
    case PROBE_FROM_VECTOR:
        aarch64_put(writer, arm_move_from_vector(to, source->base));
        break;
    case PROBE_FROM_ADDRESS:
        put_address(writer, to, source);
        break;
    case PROBE_FROM_MEMORY:
        put_memory(writer, to, source);
        break;
    case PROBE_FROM_COUNTER: {
        uint32_t offset = put_counter_address(writer, to, source->counter, other);
        aarch64_put(writer, arm_load(to, to, offset));
        if (source->displacement < 0)
            aarch64_put(writer, arm_subtract_immediate(to, to, (uint32_t)-source->displacement, false));
        else if (source->displacement)
            aarch64_put(writer, arm_add_immediate(to, to, (uint32_t)source->displacement, false));
        break;
    }
    case PROBE_FROM_PLACE:
        aarch64_put_place(writer, to, (uint64_t)source->displacement);
        break;
    case PROBE_FROM_PLACE_MEMORY:
        put_place_memory(writer, to, source);
        break;
    }
}

/* Events. */

static void put_identity(struct arm_writer *writer, unsigned to, uint32_t identity)
{
    aarch64_put(writer, arm_add_immediate(to, ARM_SP, writer->spilled, false));
    aarch64_put(writer, arm_shift_left(to, to, 32 - PROBE_STACK_SHIFT));
    aarch64_put(writer, arm_movk(to, identity & 0xffff, 0));
    if (identity >> 16)
        aarch64_put(writer, arm_movk(to, identity >> 16, 1));
}

/* Registers of an event.  Locals are not needed once the position has moved on, unless another event
   follows. */
struct event_registers {
    unsigned locals, position, identity, value;
};

static struct event_registers event_registers(const struct scratch *scratch, bool is_followed)
{
    const uint8_t *registers = scratch->registers;
    struct event_registers chosen = {registers[0], registers[1], registers[0], registers[0]};
    if (is_followed)
        chosen.identity = registers[2];
    if (scratch->count > 2)
        chosen.value = registers[2];
    if (is_followed && scratch->count > 3)
        chosen.value = registers[3];
    return chosen;
}

static void put_value_and_identity(struct arm_writer *writer, const struct probe_action *action,
                                   struct event_registers by, bool has_value)
{
    const struct probe_source *source = &action->source;
    unsigned direct = register_of(source);
    bool is_late = source->kind == PROBE_FROM_CLOCK && (action->identity & 15) == PROBE_ENTER;
    if (direct != PROBE_NO_REGISTER || by.identity != by.value) {
        if (direct == PROBE_NO_REGISTER && !has_value && !is_late)
            put_source(writer, by.value, source, by.identity);
        put_identity(writer, by.identity, action->identity);
        if (is_late)
            put_source(writer, by.value, source, PROBE_NO_REGISTER);
        unsigned value = direct != PROBE_NO_REGISTER ? direct : by.value;
        aarch64_put(writer, arm_store_pair(by.identity, value, by.position, -16));
        return;
    }
    for (int i = 0; i < 2; i++)
        if ((i == 0) == is_late) {
            put_identity(writer, by.identity, action->identity);
            aarch64_put(writer, arm_store_near(by.identity, by.position, -16));
        } else {
            put_source(writer, by.value, source, PROBE_NO_REGISTER);
            aarch64_put(writer, arm_store_near(by.value, by.position, -8));
        }
}

/* Takes the next place that is not taken; by.identity is used. */
static void put_take_place(struct arm_writer *writer, struct event_registers by)
{
    enum { WORD = 2 };
    uint32_t again = arm_here(writer);
    aarch64_put(writer, arm_add_immediate(by.position, by.position, 16, false));
    aarch64_put_fixed(writer, arm_store(by.position, by.locals, 0), PROBE_FIX_LOCAL_LOW12, PROBE_POSITION);
    aarch64_put(writer, arm_load_extended_near(by.identity, by.position, -16, WORD, false));
    *(struct arm_detour *)array_add(writer->detours) = (struct arm_detour){
        .kind = ARM_DETOUR_OCCUPIED, .from = arm_here(writer), .base = (uint8_t)by.locals, .back = again};
    aarch64_put(writer, arm_branch_if_not_zero(by.identity));
}

void aarch64_put_occupied(struct arm_writer *writer, const struct arm_detour *detour)
{
    put_locals(writer, detour->base, PROBE_POSITION);
    aarch64_put_branch(writer, detour->back);
}

/* `follows`: the event before has left locals and position. */
static void put_event(struct arm_writer *writer, const struct probe_action *action,
                      const struct scratch *scratch, bool follows, bool is_followed)
{
    struct event_registers by = event_registers(scratch, is_followed);
    bool is_early = action->source.kind == PROBE_FROM_CLOCK && (action->identity & 15) == PROBE_LEAVE &&
                    by.value != by.locals && by.value != by.identity;
    if (is_early)
        put_source(writer, by.value, &action->source, PROBE_NO_REGISTER);
    if (!follows) {
        put_locals(writer, by.locals, PROBE_POSITION);
        put_load_local(writer, by.position, by.locals, PROBE_POSITION);
    }
    put_take_place(writer, by);
    if (action->source.kind == PROBE_FROM_VECTOR) {
        aarch64_put(writer, arm_store_vector_near(action->source.base, by.position, -8));
        put_identity(writer, by.identity, action->identity);
        aarch64_put(writer, arm_store_near(by.identity, by.position, -16));
    } else
        put_value_and_identity(writer, action, by, is_early);
    struct arm_detour *full = array_add(writer->detours);
    full->kind = ARM_DETOUR_FULL;
    full->from = arm_here(writer);
    full->base = is_followed ? (uint8_t)by.locals : PROBE_NO_REGISTER;
    full->position = (uint8_t)by.position;
    aarch64_put(writer, arm_branch_if_bit(by.position, PROBE_BUFFER_BIT));
    full->back = arm_here(writer);
}

void aarch64_put_full(struct arm_writer *writer, const struct arm_detour *detour)
{
    aarch64_put(writer, arm_push(ARM_X30, 16));
    aarch64_put_call(writer, ARM_STUB_FULL);
    aarch64_put(writer, arm_pop(ARM_X30, 16));
    if (detour->base != PROBE_NO_REGISTER)
        put_load_local(writer, detour->position, detour->base, PROBE_POSITION);
    aarch64_put_branch(writer, detour->back);
}

/* Counters. */

static void put_count(struct arm_writer *writer, const struct probe_action *action,
                      const struct scratch *scratch)
{
    unsigned address = scratch->registers[0], value = scratch->registers[1];
    uint32_t offset = put_counter_address(writer, address, action->counter, value);
    aarch64_put(writer, arm_load(value, address, offset));
    aarch64_put(writer, arm_add_immediate(value, value, 1, false));
    aarch64_put(writer, arm_store(value, address, offset));
}

static void put_keep(struct arm_writer *writer, const struct probe_action *action,
                     const struct scratch *scratch)
{
    unsigned address = scratch->registers[0], value = scratch->registers[1];
    unsigned direct = register_of(&action->source);
    uint32_t offset = put_counter_address(writer, address, action->counter, value);
    if (action->source.kind == PROBE_FROM_VECTOR) {
        aarch64_put(writer, arm_store_vector(action->source.base, address, offset));
        return;
    }
    if (direct == PROBE_NO_REGISTER)
        put_source(writer, value, &action->source, scratch->registers[2]);
    aarch64_put(writer, arm_store(direct != PROBE_NO_REGISTER ? direct : value, address, offset));
}

/* number = (value - kept) * inverse >> shift + bias, with `other` to use.  An inverse that is a power of two,
   or minus one, takes no multiplication: bits are cut out. */
static void put_iterations(struct arm_writer *writer, const struct probe_action *action, unsigned number,
                           unsigned value, unsigned kept, unsigned other)
{
    uint64_t inverse = action->inverse;
    bool is_negative = inverse && !(-inverse & (-inverse - 1)) && (inverse & (inverse - 1));
    if (is_negative)
        inverse = -inverse;
    aarch64_put(writer, is_negative ? arm_subtract(number, kept, value) : arm_subtract(number, value, kept));
    if (inverse && !(inverse & (inverse - 1))) {
        unsigned up = (unsigned)__builtin_ctzll(inverse);
        if (up || action->shift)
            aarch64_put(writer, arm_bits_signed(number, number, (action->shift - up) & 63, 63 - up));
    } else {
        aarch64_put_constant(writer, other, inverse);
        aarch64_put(writer, arm_multiply(number, number, other));
        if (action->shift)
            aarch64_put(writer, arm_shift_right_signed(number, number, action->shift));
    }
    if (action->bias)
        put_sum(writer, number, number, action->bias);
}

static void put_add(struct arm_writer *writer, unsigned address, uint32_t offset, unsigned other,
                    uint32_t addition)
{
    aarch64_put(writer, arm_load(other, address, offset));
    aarch64_put(writer, addition);
    aarch64_put(writer, arm_store(other, address, offset));
}

/* To the runtime once the word in `other` has this bit. */
static void put_enough(struct arm_writer *writer, const struct probe_action *action, unsigned number,
                       unsigned other, unsigned bit)
{
    if (!bit)
        return;
    struct arm_detour *enough = array_add(writer->detours);
    enough->kind = ARM_DETOUR_TALLY;
    enough->from = arm_here(writer);
    enough->value = (uint8_t)number;
    enough->tally = action->tally;
    aarch64_put(writer, arm_branch_if_bit(other, bit));
    enough->back = arm_here(writer);
}

/* One way for small numbers, one for large ones; neither calls the runtime before enough was seen. */
static void put_summed(struct arm_writer *writer, const struct probe_action *action, unsigned address,
                       uint32_t offset, unsigned number, unsigned other)
{
    uint32_t one = arm_add_immediate(other, other, 1, false);
    aarch64_put(writer, arm_shift_right(other, number, 8));
    uint32_t large = arm_here(writer);
    aarch64_put(writer, arm_branch_if_not_zero(other));
    aarch64_put(writer, arm_add(address, address, number, 3));
    put_add(writer, address, offset + 8, other, one);
    put_enough(writer, action, number, other, action->enough_bits);
    uint32_t done = arm_here(writer);
    aarch64_put_branch(writer, done);
    aarch64_aim_here(writer, large);
    aarch64_put(writer, arm_add_immediate(address, address, 8 + 8 * PROBE_TALLY_WORDS, false));
    put_add(writer, address, offset, other, one);
    put_add(writer, address, offset + 8, other, arm_add(other, other, number, 0));
    put_enough(writer, action, number, other, action->enough_sum_bits);
    aarch64_aim_here(writer, done);
}

static void put_tally(struct arm_writer *writer, const struct probe_action *action,
                      const struct scratch *scratch)
{
    unsigned address = scratch->registers[0], number = scratch->registers[1], other = scratch->registers[2];
    unsigned value = register_of(&action->source);
    uint32_t offset = put_counter_address(writer, address, action->counter, other);
    if (value == PROBE_NO_REGISTER) {
        put_source(writer, other, &action->source, scratch->registers[3]);
        value = other;
    }
    aarch64_put(writer, arm_load(number, address, offset));
    put_iterations(writer, action, number, value, number, other);
    if (action->is_summed) {
        put_summed(writer, action, address, offset, number, other);
        return;
    }
    aarch64_put(writer, arm_shift_right(other, number, 8));
    struct arm_detour *large = array_add(writer->detours);
    large->kind = ARM_DETOUR_TALLY;
    large->from = arm_here(writer);
    large->value = (uint8_t)number;
    large->tally = action->tally;
    aarch64_put(writer, arm_branch_if_not_zero(other));
    aarch64_put(writer, arm_add(address, address, number, 3));
    aarch64_put(writer, arm_load(other, address, offset + 8));
    aarch64_put(writer, arm_add_immediate(other, other, 1, false));
    aarch64_put(writer, arm_store(other, address, offset + 8));
    large->back = arm_here(writer);
}

void aarch64_put_tally(struct arm_writer *writer, const struct arm_detour *detour)
{
    aarch64_put(writer, arm_push_pair(ARM_X16, ARM_X17, 32));
    aarch64_put(writer, arm_store(ARM_X30, ARM_SP, 16));
    if (detour->value != ARM_X17)
        aarch64_put(writer, arm_move(ARM_X17, detour->value));
    aarch64_put_constant(writer, ARM_X16, detour->tally);
    aarch64_put_call(writer, ARM_STUB_TALLY);
    aarch64_put(writer, arm_load(ARM_X30, ARM_SP, 16));
    aarch64_put(writer, arm_pop_pair(ARM_X16, ARM_X17, 32));
    aarch64_put_branch(writer, detour->back);
}

static void put_action(struct arm_writer *writer, const struct probe_action *action,
                       const struct scratch *scratch)
{
    switch (action->kind) {
    case PROBE_DO_COUNT:
        put_count(writer, action, scratch);
        break;
    case PROBE_DO_INCREMENT:
        aarch64_put(writer, arm_add_immediate(action->register_, action->register_, 1, false));
        break;
    case PROBE_DO_CLEAR:
        aarch64_put(writer, arm_movz(action->register_, 0, 0));
        break;
    case PROBE_DO_KEEP:
        put_keep(writer, action, scratch);
        break;
    case PROBE_DO_TALLY:
        put_tally(writer, action, scratch);
        break;
    }
}

static struct scratch choose_scratch(uint32_t free, uint32_t kept, unsigned needed)
{
    struct scratch scratch = {{0}, 0, 0};
    scratch.count = aarch64_choose(free, kept, scratch.registers, MOST_SCRATCH);
    if (scratch.count < needed) {
        scratch.saved =
            aarch64_choose(~free, kept, scratch.registers + scratch.count, needed - scratch.count);
        scratch.count += scratch.saved;
    }
    return scratch;
}

/* Returns the branch past an event that there were enough of. */
static uint32_t put_limit(struct arm_writer *writer, const struct probe_action *action,
                          const struct scratch *scratch)
{
    unsigned address = scratch->registers[0], value = scratch->registers[1];
    uint32_t offset = put_counter_address(writer, address, action->limit - 1, value);
    aarch64_put(writer, arm_load(value, address, offset));
    uint32_t branch = arm_here(writer);
    aarch64_put(writer, arm_branch_if_bit(value, action->limit_bits));
    aarch64_put(writer, arm_add_immediate(value, value, 1, false));
    aarch64_put(writer, arm_store(value, address, offset));
    return branch;
}

static void put_limited_event(struct arm_writer *writer, const struct probe_action *action,
                              const struct scratch *scratch)
{
    uint32_t branch = put_limit(writer, action, scratch);
    put_event(writer, action, scratch, false, false);
    aarch64_aim_here(writer, branch);
}

static void put_late_tally(struct arm_writer *writer, const struct probe_action *action,
                           const struct scratch *scratch)
{
    uint32_t begin = put_limit(writer, action, scratch), skip = arm_here(writer);
    aarch64_put_branch(writer, skip);
    aarch64_aim_here(writer, begin);
    put_tally(writer, action, scratch);
    aarch64_aim_here(writer, skip);
}

void aarch64_put_actions(struct arm_writer *writer, uint32_t first, uint32_t count, uint32_t kept)
{
    const struct probe_point *points = ARRAY_AT(const struct probe_point, &writer->windows->points, first);
    uint32_t free = UINT32_MAX;
    unsigned needed = 0;
    for (uint32_t i = 0; i < count; i++) {
        unsigned own = registers_needed(&points[i].action);
        needed = own > needed ? own : needed;
        free &= points[i].free.general;
    }
    struct scratch scratch = choose_scratch(free, kept, needed);
    save(writer, &scratch);
    bool follows = false;
    for (uint32_t i = 0; i < count; i++) {
        const struct probe_action *action = &points[i].action;
        if (action->kind != PROBE_DO_EVENT) {
            if (action->kind == PROBE_DO_TALLY && action->limit)
                put_late_tally(writer, action, &scratch);
            else
                put_action(writer, action, &scratch);
            follows = false;
            continue;
        }
        if (action->limit) {
            put_limited_event(writer, action, &scratch);
            follows = false;
            continue;
        }
        bool is_followed = i + 1 < count && points[i + 1].action.kind == PROBE_DO_EVENT &&
                           !points[i + 1].action.limit && scratch.count > (reads_far(action) ? 3 : 2);
        put_event(writer, action, &scratch, follows, is_followed);
        follows = is_followed;
    }
    restore(writer, &scratch);
}
