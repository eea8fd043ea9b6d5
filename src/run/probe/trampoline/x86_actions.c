/* Actions as x86-64 code.

   The actions of one place are a group, around which what they use is saved and restored once:

     - Registers: free ones are taken first; others are kept in slots below the stack pointer.  rdtsc needs
       rax and rdx, a tally needs rax and rcx.  Registers that a source or an action names are never free.
     - Flags: seto and lahf bring them into rax and so into a slot, `add al, 127` and sahf bring them back;
       pushfq and popfq would take ten times as long.  (All but the very first x86-64 processors have lahf.)
   A group that changes no flags keeps none: lea and mov do most of the work.
     - Stack: the 128 bytes below rsp are safe from signals.  Where they may hold something of the program's,
       rsp goes down by 128 first, and the slots are below that.

   An event takes its place in the buffer by one instruction (xadd) and is written then, its identity last: a
   signal handler with probes of its own writes after it.  A handler that fills the buffer leaves this place
   behind, which is written when the handler is over, while the next events begin at the start of the buffer:
   so an event whose place has an identity already goes on to the next.  If bit PROBE_BUFFER_BIT of the next
   place is set, the buffer is full. */
#include "run/probe/trampoline/x86.h"

#include "runtime/probe/record_file.h"

#include <string.h>

enum { MOST_SLOTS = 16, RED_ZONE = 128 };

struct group {
    struct x86_trampoline *trampoline;
    struct array *code;
    uint32_t free;             /* registers that need no slot */
    uint32_t named;            /* registers of sources, INCREMENT and CLEAR */
    uint32_t changed;          /* registers that do not have the program's value now */
    uint8_t slots[MOST_SLOTS]; /* registers that are kept there */
    unsigned slot_count;
    unsigned flags_slot;   /* plus 1; 0: flags are not kept */
    bool changes_flags;    /* and so does the group */
    int32_t lowered;       /* how far rsp is below the program's */
    uint8_t first, second; /* registers to work with */
};

/* What actions need */

static uint32_t bit(uint8_t reg)
{
    return reg < 32 ? UINT32_C(1) << reg : 0;
}

static uint32_t registers_of(const struct probe_source *source)
{
    switch (source->kind) {
    case PROBE_FROM_GENERAL:
        return bit(source->base);
    case PROBE_FROM_ADDRESS:
    case PROBE_FROM_MEMORY:
        return bit(source->base) | (source->scale ? bit(source->index) : 0);
    default:
        return 0;
    }
}

static uint32_t named_by(const struct probe_action *action)
{
    switch (action->kind) {
    case PROBE_DO_EVENT:
    case PROBE_DO_KEEP:
    case PROBE_DO_TALLY:
        return registers_of(&action->source);
    case PROBE_DO_INCREMENT:
    case PROBE_DO_CLEAR:
        return bit(action->register_);
    default:
        return 0;
    }
}

static bool reads_clock(const struct probe_action *action)
{
    return (action->kind == PROBE_DO_EVENT || action->kind == PROBE_DO_KEEP ||
            action->kind == PROBE_DO_TALLY) &&
           action->source.kind == PROBE_FROM_CLOCK;
}

/* Registers that it cannot do without. */
static uint32_t fixed_of(const struct probe_action *action)
{
    uint32_t fixed = reads_clock(action) ? bit(X86_RAX) | bit(X86_RDX) : 0;
    return action->kind == PROBE_DO_TALLY ? fixed | bit(X86_RAX) | bit(X86_RCX) : fixed;
}

/* How many others. */
static unsigned picks_of(const struct probe_action *action, bool has_flags)
{
    switch (action->kind) {
    case PROBE_DO_EVENT:
        return reads_clock(action) ? 1 : 2;
    case PROBE_DO_COUNT:
        return has_flags ? 1 : 2;
    case PROBE_DO_KEEP:
        return 2;
    default:
        return 0;
    }
}

static bool must_change_flags(const struct probe_action *action)
{
    return action->kind == PROBE_DO_EVENT || action->kind == PROBE_DO_TALLY || reads_clock(action) ||
           (action->kind == PROBE_DO_KEEP && action->source.may_be_null);
}

static bool can_address(const struct probe_source *source)
{
    return source->segment != 'g' && source->extend == PROBE_WHOLE && source->scale <= 8 &&
           (source->base == PROBE_NO_REGISTER || source->base < 16) &&
           (!source->scale || (source->index < 16 && source->index != X86_RSP)) &&
           source->displacement >= INT32_MIN && source->displacement <= INT32_MAX - RED_ZONE &&
           !(source->may_be_null && (source->base >= 16 || source->scale || source->segment));
}

bool x86_can_act(const struct probe_action *action)
{
    enum { MOST_COUNTER = INT32_MAX / 8 - PROBE_TALLY_WORDS - PROBE_TALLY_MORE - 1 };
    const struct probe_source *source = &action->source;
    if (action->counter > MOST_COUNTER || action->limit > MOST_COUNTER)
        return false;
    if (action->kind == PROBE_DO_INCREMENT || action->kind == PROBE_DO_CLEAR)
        return action->register_ < 16 && action->register_ != X86_RSP;
    if (action->kind == PROBE_DO_COUNT)
        return true;
    switch (source->kind) {
    case PROBE_FROM_GENERAL:
    case PROBE_FROM_VECTOR:
        return source->base < 16;
    case PROBE_FROM_ADDRESS:
    case PROBE_FROM_MEMORY:
        return can_address(source);
    case PROBE_FROM_COUNTER:
        return source->counter <= MOST_COUNTER;
    default:
        return source->kind == PROBE_FROM_CLOCK || source->kind == PROBE_FROM_PLACE ||
               source->kind == PROBE_FROM_PLACE_MEMORY;
    }
}

/* Slots */

static struct x86_memory slot(unsigned number)
{
    return x86_at(X86_RSP, -8 * (int32_t)(number + 1));
}

static unsigned slot_of(const struct group *group, uint8_t reg)
{
    unsigned number = 0;
    while (number < group->slot_count && group->slots[number] != reg)
        number++;
    return number;
}

static void need(struct group *group, uint32_t registers)
{
    for (uint8_t reg = 0; reg < 16; reg++)
        if ((registers & ~group->free) >> reg & 1 && slot_of(group, reg) == group->slot_count)
            group->slots[group->slot_count++] = reg;
}

/* The best register but `taken`: free, or kept anyway, or any. */
static uint8_t pick(struct group *group, uint32_t fixed, uint32_t taken)
{
    static const uint8_t order[] = {X86_RCX, X86_RAX, X86_RDX, X86_RSI, X86_RDI, 8,  9,      10,
                                    11,      X86_RBX, 12,      13,      14,      15, X86_RBP};
    uint32_t wishes[] = {group->free, fixed & ~group->named, ~group->named};
    for (unsigned wish = 0; wish < 3; wish++)
        for (unsigned i = 0; i < sizeof order; i++)
            if (bit(order[i]) & wishes[wish] & ~taken) {
                need(group, bit(order[i]));
                return order[i];
            }
    return X86_NONE; /* 15 registers, of which a group names a few */
}

static void save(struct group *group, bool must_lower)
{
    if (group->slot_count && must_lower) {
        group->lowered = RED_ZONE;
        x86_with_memory(group->code, x86_lea, X86_RSP, x86_at(X86_RSP, -RED_ZONE));
    }
    for (unsigned i = 0; i < group->slot_count; i++)
        if (group->slots[i] != X86_NONE)
            x86_with_memory(group->code, x86_store, group->slots[i], slot(i));
    if (group->flags_slot) {
        x86_bytes(group->code, "\x0f\x90\xc0\x9f", 4); /* seto al; lahf */
        x86_with_memory(group->code, x86_store, X86_RAX, slot(group->flags_slot - 1));
        group->changed |= bit(X86_RAX);
    }
}

static void restore(struct group *group)
{
    if (group->flags_slot) {
        x86_with_memory(group->code, x86_load, X86_RAX, slot(group->flags_slot - 1));
        x86_bytes(group->code, "\x04\x7f\x9e", 3); /* add al, 127; sahf */
        group->changed |= bit(X86_RAX);
    }
    for (unsigned i = 0; i < group->slot_count; i++)
        if (group->slots[i] != X86_NONE && group->changed & bit(group->slots[i]))
            x86_with_memory(group->code, x86_load, group->slots[i], slot(i));
    if (group->lowered)
        x86_with_memory(group->code, x86_lea, X86_RSP, x86_at(X86_RSP, RED_ZONE));
}

/* Registers that an action before has changed get the program's values again. */
static void recall(struct group *group, uint32_t registers)
{
    for (unsigned i = 0; i < group->slot_count; i++)
        if (group->slots[i] != X86_NONE && registers & group->changed & bit(group->slots[i]))
            x86_with_memory(group->code, x86_load, group->slots[i], slot(i));
    group->changed &= ~registers;
}

/* Sources */

static void load_local(struct group *group, struct x86_opcode opcode, uint8_t reg, enum probe_local local)
{
    x86_with_memory(group->code, opcode, reg, x86_local());
    x86_add_fix(group->trampoline, (uint32_t)group->code->count - 4, PROBE_FIX_LOCAL32, 0, local);
}

static struct x86_memory counter_at(uint8_t base, uint32_t counter)
{
    return x86_at(base, (int32_t)(8 * counter));
}

/* The program's rsp is higher than ours. */
static struct x86_memory address_of(const struct group *group, const struct probe_source *source)
{
    int32_t displacement = (int32_t)source->displacement;
    return (struct x86_memory){.base = source->base == PROBE_NO_REGISTER ? X86_NONE : source->base,
                               .index = source->scale ? source->index : X86_NONE,
                               .scale = source->scale,
                               .displacement =
                                   source->base == X86_RSP ? displacement + group->lowered : displacement,
                               .is_32_bit = source->is_32_bit};
}

static struct x86_opcode load_of(const struct probe_source *source)
{
    switch (source->bytes) {
    case 1:
        return (struct x86_opcode){.wide = source->is_signed, .code = source->is_signed ? 0x0fbe : 0x0fb6};
    case 2:
        return (struct x86_opcode){.wide = source->is_signed, .code = source->is_signed ? 0x0fbf : 0x0fb7};
    case 4:
        return (struct x86_opcode){.wide = source->is_signed, .code = source->is_signed ? 0x63 : 0x8b};
    default:
        return x86_load;
    }
}

/* Nothing is read where the base is 0, and the value is 0. */
static void evaluate_unless_null(struct group *group, uint8_t to, const struct probe_source *source)
{
    enum { SHORT_JUMP_IF_ZERO = 0x74 };
    struct array *code = group->code;
    x86_move(code, to, source->base);
    x86_with_register(code, (struct x86_opcode){.wide = true, .code = 0x85}, to, to); /* test */
    x86_byte(code, SHORT_JUMP_IF_ZERO);
    size_t start = code->count + 1;
    x86_byte(code, 0);
    x86_with_memory(code, load_of(source), to, x86_at(to, (int32_t)source->displacement));
    *ARRAY_AT(uint8_t, code, start - 1) = (uint8_t)(code->count - start);
}

/* The thread's base of fs is in its first word; no flags change. */
static void evaluate_memory(struct group *group, uint8_t to, uint8_t helper,
                            const struct probe_source *source)
{
    struct x86_memory memory = address_of(group, source);
    bool is_value = source->kind == PROBE_FROM_MEMORY;
    if (is_value && source->may_be_null) {
        evaluate_unless_null(group, to, source);
        return;
    }
    if (source->segment != 'f') {
        x86_with_memory(group->code, is_value ? load_of(source) : x86_lea, to, memory);
        return;
    }
    x86_with_memory(group->code, x86_lea, to, memory);
    x86_with_memory(group->code, x86_load, helper, x86_local());
    memory = (struct x86_memory){.base = to, .index = helper, .scale = 1};
    x86_with_memory(group->code, is_value ? load_of(source) : x86_lea, to, memory);
}

/* `helper` is another register, which a segment needs and the clock: rax, rdx. */
static void evaluate(struct group *group, uint8_t to, uint8_t helper, const struct probe_source *source)
{
    struct array *code = group->code;
    recall(group, registers_of(source));
    switch (source->kind) {
    case PROBE_FROM_CLOCK:
        x86_bytes(code, "\x0f\x31", 2); /* rdtsc */
        x86_shift(code, X86_SHL, X86_RDX, 32);
        x86_with_register(code, (struct x86_opcode){.wide = true, .code = 0x09}, X86_RDX, X86_RAX);
        if (to != X86_RAX)
            x86_move(code, to, X86_RAX);
        break;
    case PROBE_FROM_GENERAL:
        if (source->base == X86_RSP)
            x86_with_memory(code, x86_lea, to, x86_at(X86_RSP, group->lowered));
        else if (source->base != to)
            x86_move(code, to, source->base);
        break;
    case PROBE_FROM_VECTOR: /* movq */
        x86_with_register(code, (struct x86_opcode){.prefix = 0x66, .wide = true, .code = 0x0f7e},
                          source->base, to);
        break;
    case PROBE_FROM_ADDRESS:
    case PROBE_FROM_MEMORY:
        evaluate_memory(group, to, helper, source);
        break;
    case PROBE_FROM_COUNTER:
        load_local(group, x86_load, to, PROBE_COUNTERS);
        x86_with_memory(code, x86_load, to, counter_at(to, source->counter));
        if (source->displacement)
            x86_with_memory(code, x86_lea, to, x86_at(to, (int32_t)source->displacement));
        break;
    case PROBE_FROM_PLACE:
    case PROBE_FROM_PLACE_MEMORY: {
        struct x86_opcode opcode = source->kind == PROBE_FROM_PLACE ? x86_lea : load_of(source);
        x86_add_fix(group->trampoline, x86_with_relative(code, opcode, to), PROBE_FIX_RELATIVE32, 0,
                    (uint64_t)source->displacement);
        break;
    }
    }
    group->changed |= bit(to) | (source->kind == PROBE_FROM_CLOCK ? bit(X86_RAX) | bit(X86_RDX) : 0) |
                      (source->segment == 'f' ? bit(helper) : 0);
}

/* Actions */

/* The place of the next event; it is taken now.  The way back is short and hardly ever gone. */
static void take_place(struct group *group, uint8_t place)
{
    enum { SHORT_JUMP_IF_NOT_ZERO = 0x75 };
    struct array *code = group->code;
    size_t again = code->count;
    x86_move_constant32(code, place, sizeof(struct probe_event));
    load_local(group, x86_xadd, place, PROBE_POSITION);
    x86_with_memory(code, (struct x86_opcode){.code = 0x83}, X86_CMP,
                    x86_at(place, offsetof(struct probe_event, identity)));
    x86_byte(code, 0);
    x86_byte(code, SHORT_JUMP_IF_NOT_ZERO);
    x86_byte(code, (uint8_t)(again - code->count - 1));
    group->changed |= bit(place);
}

static void put_stack_and_identity(struct group *group, uint8_t place, uint8_t helper, uint32_t identity)
{
    struct array *code = group->code;
    if (group->lowered)
        x86_with_memory(code, x86_lea, helper, x86_at(X86_RSP, group->lowered));
    else
        x86_move(code, helper, X86_RSP);
    x86_shift(code, X86_SHR, helper, PROBE_STACK_SHIFT);
    x86_with_memory(code, x86_store32, helper, x86_at(place, offsetof(struct probe_event, stack)));
    x86_with_memory(code, (struct x86_opcode){.code = 0xc7}, 0,
                    x86_at(place, offsetof(struct probe_event, identity)));
    x86_word32(code, identity);
    group->changed |= bit(helper);
}

static void check_room(struct group *group, uint8_t place)
{
    enum { NOT_ZERO = 5 };
    struct array *code = group->code;
    x86_with_register(code, (struct x86_opcode){.code = 0x83}, X86_ADD, place);
    x86_byte(code, sizeof(struct probe_event));
    x86_with_register(code, (struct x86_opcode){.code = 0xf7}, 0, place); /* test */
    x86_word32(code, 1 << PROBE_BUFFER_BIT);
    struct x86_aside *aside = x86_add_aside(group->trampoline, X86_ASIDE_FULL, x86_branch(code, NOT_ZERO));
    aside->back = (uint32_t)code->count;
}

static void put_clock_event(struct group *group, const struct probe_action *action)
{
    uint8_t place = group->first;
    int32_t value = offsetof(struct probe_event, value);
    take_place(group, place);
    x86_bytes(group->code, "\x0f\x31", 2); /* rdtsc */
    x86_with_memory(group->code, x86_store32, X86_RAX, x86_at(place, value));
    x86_with_memory(group->code, x86_store32, X86_RDX, x86_at(place, value + 4));
    group->changed |= bit(X86_RAX) | bit(X86_RDX);
    put_stack_and_identity(group, place, X86_RAX, action->identity);
    check_room(group, place);
}

static void put_one_event(struct group *group, const struct probe_action *action)
{
    if (reads_clock(action)) {
        put_clock_event(group, action);
        return;
    }
    uint8_t place = group->first, value = group->second;
    evaluate(group, value, place, &action->source);
    take_place(group, place);
    x86_with_memory(group->code, x86_store, value, x86_at(place, offsetof(struct probe_event, value)));
    put_stack_and_identity(group, place, value, action->identity);
    check_room(group, place);
}

/* The branch whose distance is at `branch` leads to the end of the code. */
static void aim_here(struct array *code, uint32_t branch)
{
    uint32_t distance = (uint32_t)code->count - (branch + (uint32_t)sizeof distance);
    memcpy(ARRAY_AT(uint8_t, code, branch), &distance, sizeof distance);
}

/* The branch that is taken where the counter has reached the limit; else it counts.  Registers of the source
   get their values back before, so that they have them either way. */
static uint32_t put_limit(struct group *group, const struct probe_action *action, uint8_t base)
{
    enum { NOT_ZERO = 5, TEST = 0xf6 };
    struct array *code = group->code;
    recall(group, registers_of(&action->source));
    struct x86_memory counter = counter_at(base, action->limit - 1), byte = counter;
    byte.displacement += action->limit_bits / 8;
    load_local(group, x86_load, base, PROBE_COUNTERS);
    group->changed |= bit(base);
    x86_with_memory(code, (struct x86_opcode){.code = TEST}, 0, byte);
    x86_byte(code, (uint8_t)(1u << action->limit_bits % 8));
    uint32_t branch = x86_branch(code, NOT_ZERO);
    x86_with_memory(code, (struct x86_opcode){.wide = true, .code = 0xff}, 0, counter); /* inc */
    return branch;
}

static void put_event(struct group *group, const struct probe_action *action)
{
    uint32_t branch = action->limit ? put_limit(group, action, group->first) : 0;
    put_one_event(group, action);
    if (action->limit)
        aim_here(group->code, branch);
}

static void put_count(struct group *group, const struct probe_action *action)
{
    uint8_t base = group->first, value = group->second;
    struct x86_memory counter = counter_at(base, action->counter);
    load_local(group, x86_load, base, PROBE_COUNTERS);
    group->changed |= bit(base);
    if (group->changes_flags) {
        x86_with_memory(group->code, (struct x86_opcode){.wide = true, .code = 0xff}, 0, counter); /* inc */
        return;
    }
    x86_with_memory(group->code, x86_load, value, counter);
    x86_with_memory(group->code, x86_lea, value, x86_at(value, 1));
    x86_with_memory(group->code, x86_store, value, counter);
    group->changed |= bit(value);
}

/* A register of the program changes for good. */
static void put_in_register(struct group *group, const struct probe_action *action)
{
    uint8_t reg = action->register_;
    if (action->kind == PROBE_DO_CLEAR) {
        x86_move_constant32(group->code, reg, 0);
        group->changed &= ~bit(reg);
    } else {
        recall(group, bit(reg));
        x86_with_memory(group->code, x86_lea, reg, x86_at(reg, 1));
    }
    unsigned number = slot_of(group, reg);
    if (number < group->slot_count)
        x86_with_memory(group->code, x86_store, reg, slot(number));
}

static void put_keep(struct group *group, const struct probe_action *action)
{
    evaluate(group, group->second, group->first, &action->source);
    load_local(group, x86_load, group->first, PROBE_COUNTERS);
    x86_with_memory(group->code, x86_store, group->second, counter_at(group->first, action->counter));
    group->changed |= bit(group->first);
}

static void put_quotient(struct group *group, const struct probe_action *action)
{
    struct array *code = group->code;
    int64_t factor = (int64_t)action->inverse;
    if (factor == -1) {
        x86_with_register(code, (struct x86_opcode){.wide = true, .code = 0xf7}, 3, X86_RAX); /* neg */
    } else if (factor != 1 && factor >= INT32_MIN && factor <= INT32_MAX) {
        x86_with_register(code, (struct x86_opcode){.wide = true, .code = 0x69}, X86_RAX, X86_RAX); /* imul */
        x86_word32(code, (uint32_t)factor);
    } else if (factor != 1) {
        uint32_t at = x86_with_relative(code, (struct x86_opcode){.wide = true, .code = 0x0faf}, X86_RAX);
        x86_add_aside(group->trampoline, X86_ASIDE_CONSTANT, at)->value = action->inverse;
    }
    if (action->shift)
        x86_shift(code, X86_SAR, X86_RAX, action->shift);
    if (action->bias)
        x86_with_constant(code, X86_ADD, X86_RAX, action->bias);
}

/* To the runtime once the word has this bit; rax and rcx are not needed afterwards. */
static void put_enough(struct group *group, const struct probe_action *action, struct x86_memory word,
                       unsigned place)
{
    enum { NOT_ZERO = 5, TEST = 0xf6 };
    if (!place)
        return;
    word.displacement += (int32_t)(place / 8);
    x86_with_memory(group->code, (struct x86_opcode){.code = TEST}, 0, word);
    x86_byte(group->code, (uint8_t)(1u << place % 8));
    struct x86_aside *aside =
        x86_add_aside(group->trampoline, X86_ASIDE_TALLY, x86_branch(group->code, NOT_ZERO));
    aside->back = (uint32_t)group->code->count;
    aside->value = action->tally;
}

/* After a comparison of rax: one way for small numbers, one for large ones. */
static void put_summed(struct group *group, const struct probe_action *action)
{
    enum { NOT_ABOVE = 6, SHORT_JUMP = 0xeb, ADD_TO = 0x01 };
    struct array *code = group->code;
    uint32_t behind = action->counter + 1 + PROBE_TALLY_WORDS;
    struct x86_memory word = counter_at(X86_RCX, action->counter + 1);
    word.index = X86_RAX;
    word.scale = 8;
    uint32_t small = x86_branch(code, NOT_ABOVE);
    x86_with_memory(code, (struct x86_opcode){.wide = true, .code = 0xff}, 0, counter_at(X86_RCX, behind));
    x86_with_memory(code, (struct x86_opcode){.wide = true, .code = ADD_TO}, X86_RAX,
                    counter_at(X86_RCX, behind + 1));
    put_enough(group, action, counter_at(X86_RCX, behind + 1), action->enough_sum_bits);
    x86_byte(code, SHORT_JUMP);
    uint32_t done = (uint32_t)code->count;
    x86_byte(code, 0);
    aim_here(code, small);
    x86_with_memory(code, (struct x86_opcode){.wide = true, .code = 0xff}, 0, word); /* inc */
    put_enough(group, action, word, action->enough_bits);
    *ARRAY_AT(uint8_t, code, done) = (uint8_t)(code->count - done - 1);
}

static void put_tally(struct group *group, const struct probe_action *action)
{
    enum { ABOVE = 7 };
    struct array *code = group->code;
    evaluate(group, X86_RAX, X86_RCX, &action->source);
    load_local(group, x86_load, X86_RCX, PROBE_COUNTERS);
    x86_with_memory(code, (struct x86_opcode){.wide = true, .code = 0x2b}, X86_RAX, /* sub */
                    counter_at(X86_RCX, action->counter));
    put_quotient(group, action);
    x86_with_constant(code, X86_CMP, X86_RAX, PROBE_TALLY_WORDS - 1);
    group->changed |= bit(X86_RAX) | bit(X86_RCX);
    if (action->is_summed) {
        put_summed(group, action);
        return;
    }
    struct x86_aside *aside = x86_add_aside(group->trampoline, X86_ASIDE_TALLY, x86_branch(code, ABOVE));
    struct x86_memory word = counter_at(X86_RCX, action->counter + 1);
    word.index = X86_RAX;
    word.scale = 8;
    x86_with_memory(code, (struct x86_opcode){.wide = true, .code = 0xff}, 0, word); /* inc */
    aside->back = (uint32_t)code->count;
    aside->value = action->tally;
}

static void put_late_tally(struct group *group, const struct probe_action *action)
{
    struct array *code = group->code;
    uint32_t begin = put_limit(group, action, X86_RCX);
    x86_byte(code, 0xe9); /* jmp */
    uint32_t skip = (uint32_t)code->count;
    x86_word32(code, 0);
    aim_here(code, begin);
    put_tally(group, action);
    aim_here(code, skip);
}

static void put_action(struct group *group, const struct probe_action *action)
{
    switch (action->kind) {
    case PROBE_DO_EVENT:
        put_event(group, action);
        break;
    case PROBE_DO_COUNT:
        put_count(group, action);
        break;
    case PROBE_DO_INCREMENT:
    case PROBE_DO_CLEAR:
        put_in_register(group, action);
        break;
    case PROBE_DO_KEEP:
        put_keep(group, action);
        break;
    case PROBE_DO_TALLY:
        if (action->limit)
            put_late_tally(group, action);
        else
            put_tally(group, action);
        break;
    }
}

/* Which registers the group works with, and what of them it keeps. */
static void choose(struct group *group, const struct probe_point *points, uint32_t count, bool has_flags)
{
    uint32_t fixed = 0;
    unsigned picks = 0;
    bool reads_time = false;
    for (uint32_t i = 0; i < count; i++) {
        const struct probe_action *action = &points[i].action;
        unsigned wanted = picks_of(action, group->changes_flags);
        fixed |= fixed_of(action);
        picks = wanted > picks ? wanted : picks;
        reads_time |= reads_clock(action);
    }
    bool keeps_flags = group->changes_flags && !has_flags;
    if (keeps_flags)
        fixed |= bit(X86_RAX);
    need(group, fixed);
    uint32_t taken = bit(X86_RSP) | (reads_time ? bit(X86_RAX) | bit(X86_RDX) : 0);
    group->first = picks > 0 ? pick(group, fixed, taken) : X86_NONE;
    group->second = picks > 1 ? pick(group, fixed, bit(X86_RSP) | bit(group->first)) : X86_NONE;
    if (keeps_flags) {
        group->slots[group->slot_count++] = X86_NONE;
        group->flags_slot = group->slot_count;
    }
}

void x86_act(struct x86_trampoline *trampoline, const struct probe_point *points, uint32_t count)
{
    struct group group = {.trampoline = trampoline, .code = trampoline->code, .free = 0xffff & ~bit(X86_RSP)};
    bool has_flags = true, has_red_zone = true, must_change = false;
    for (uint32_t i = 0; i < count; i++) {
        group.free &= points[i].free.general;
        group.named |= named_by(&points[i].action);
        has_flags &= points[i].free.has_flags;
        has_red_zone &= points[i].free.has_red_zone;
        must_change |= must_change_flags(&points[i].action);
    }
    if (!count)
        return;
    group.free &= ~group.named;
    group.changes_flags = must_change || has_flags;
    choose(&group, points, count, has_flags);
    save(&group, !has_red_zone);
    for (uint32_t i = 0; i < count; i++)
        put_action(&group, &points[i].action);
    restore(&group);
}
