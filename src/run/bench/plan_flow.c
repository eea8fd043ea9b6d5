/* A chain by one flow of an instruction (plan.h has the idea). */
#include "run/bench/plan.h"

#include <string.h>

/* Four registers take turns; where memory is read and written, eight places do. */
enum { MOST_INSTANCES = 8, TURNS = 4, STEP_BYTES = 64, PLACE = 8 };
/* Of a spaced chain, for each instance: 15 cycles or so. */
enum { GENERAL_LINKS = 5, VECTOR_LINKS = 3 };

struct chain {
    struct bench_planned *planned;
    const struct bench_instruction *sample;
    unsigned from, to; /* slots */
    struct bench_bank bank;
    unsigned instances;
    uint8_t numbers[MOST_INSTANCES][MOST_SLOTS];
    /* Registers for partners, taken when they are first needed. */
    unsigned temporary, zero, base, value_general, broken_value, vector_zero, value_vector, one, vector_one;
};

static unsigned take(struct chain *chain, unsigned *register_, enum bench_domain domain, bool is_pointer,
                     uint64_t value)
{
    if (*register_ == NO_REGISTER) {
        *register_ = bench_bank_take(&chain->bank, domain, 1);
        if (*register_ != NO_REGISTER)
            bench_put_value(chain->planned, domain, *register_, is_pointer, value);
    }
    return *register_;
}

/* Whether the operand must be put back: hard ones, and those of x86's divisions, which trap for some numbers.
 */
static bool restores_value(const struct chain *chain)
{
    bool is_x86 = chain->sample->isa == isa_X86_64,
         is_general = chain->sample->slots[chain->from].domain == domain_GENERAL;
    return chain->planned->operands == operands_HARD ||
           (chain->planned->operands == operands_EASY && is_x86 && is_general && chain->from != chain->to);
}

/* Whether the value of the source register must be an address in the buffer. */
static bool is_pointer(const struct bench_instruction *sample, const struct bench_slot *slot)
{
    return slot->role == role_BASE &&
           sample->description.operands[slot->operand].kind != operand_kind_ADDRESS;
}

static bool is_address_flow(const struct chain *chain)
{
    const struct bench_slot *from = &chain->sample->slots[chain->from];
    return (from->role == role_BASE || from->role == role_INDEX) &&
           chain->sample->description.operands[from->operand].kind == operand_kind_MEMORY;
}

/* Whether the result must be made zero before it is part of an address: what loads and moves bring is zero
 * already. */
static bool needs_zero(const struct chain *chain)
{
    unsigned class = chain->sample->description.encoding.class;
    return is_address_flow(chain) && class != class_LOAD && class != class_GATHER && class != class_MOVE;
}

/* Result and source are one register.  Flags of a spaced chain go through a general one. */
static bool is_direct(const struct chain *chain)
{
    const struct bench_slot *from = &chain->sample->slots[chain->from],
                            *to = &chain->sample->slots[chain->to];
    if (chain->planned->is_spaced && from->domain == domain_FLAGS && to->domain == domain_FLAGS)
        return false;
    if (chain->from == chain->to)
        return !restores_value(chain);
    if (from->domain != to->domain || restores_value(chain) || from->domain == domain_FLAGS)
        return from->domain == domain_FLAGS && to->domain == domain_FLAGS;
    if (is_pointer(chain->sample, from) || needs_zero(chain))
        return false;
    /* A register that the text does not show would be shown. */
    return from->role != role_HIDDEN && to->role != role_HIDDEN && (!from->is_fixed || !to->is_fixed);
}

/* A slot that is read and written besides the flow comes round every fourth time only.  So does the result of
   a move: cores know moves of a register to itself. */
static bool takes_turns(const struct chain *chain, unsigned place)
{
    const struct bench_slot *slot = &chain->sample->slots[place];
    if (!slot->writes || slot->is_fixed || (place == chain->from && place == chain->to))
        return false;
    bool is_move =
        chain->sample->description.encoding.class == class_MOVE && place == chain->to && is_direct(chain);
    return slot_takes(slot) || is_move;
}

static bool number_slot(struct chain *chain, unsigned place)
{
    const struct bench_slot *slot = &chain->sample->slots[place];
    unsigned run = bench_slot_run(chain->sample, place);
    bool has_turns = takes_turns(chain, place);
    unsigned number = slot->number;
    for (unsigned i = 0; i < chain->instances; i++) {
        if (!slot->is_fixed && (i == 0 || has_turns)) {
            number = bench_bank_take(&chain->bank, slot->domain, run);
            if (number == NO_REGISTER)
                return false;
        }
        chain->numbers[i][place] = (uint8_t)number;
        if (i && !has_turns)
            continue;
        uint64_t value = bench_operand_value(chain->planned, chain->sample, place);
        if (is_address_flow(chain) && !is_pointer(chain->sample, slot))
            value = 0;
        for (unsigned k = 0; k < run && slot_takes(slot); k++)
            bench_put_value(chain->planned, slot->domain, number + k, is_pointer(chain->sample, slot),
                            is_pointer(chain->sample, slot) ? i * STEP_BYTES : value);
    }
    return true;
}

/* Registers of all slots but flags, then the source of each instance as the result of the one before. */
static bool number_slots(struct chain *chain)
{
    const struct bench_instruction *sample = chain->sample;
    bool joins =
        is_direct(chain) && chain->from != chain->to && sample->slots[chain->to].domain != domain_FLAGS;
    const struct bench_slot *from = &sample->slots[chain->from];
    for (unsigned i = 0; i < sample->slot_count; i++) {
        if (sample->slots[i].role == role_FLAGS || sample->slots[i].leader != NO_SLOT)
            continue;
        /* The one of the two that cannot be chosen decides. */
        if (joins && ((i == chain->from && !from->is_fixed) || (i == chain->to && from->is_fixed)))
            continue;
        if (!number_slot(chain, i))
            return false;
    }
    if (!joins)
        return true;
    for (unsigned i = 0; i < chain->instances; i++) {
        unsigned next = (i + 1) % chain->instances;
        if (from->is_fixed)
            chain->numbers[i][chain->to] = chain->numbers[next][chain->from];
        else
            chain->numbers[next][chain->from] = chain->numbers[i][chain->to];
    }
    return true;
}

static bool put(struct chain *chain, enum bench_partner partner, unsigned to, unsigned from,
                unsigned constant)
{
    chain->planned->partners[partner]++;
    return to != NO_REGISTER && from != NO_REGISTER && constant != NO_REGISTER &&
           bench_put_partner(chain->planned, chain->sample->isa, partner, to, from, constant, chain->sample);
}

static unsigned zero_of(struct chain *chain)
{
    return take(chain, &chain->zero, domain_GENERAL, false, 0);
}

/* Time between two instances of a spaced chain: the value goes on as it is, times one or through a mask of
   ones, in the register where it is. */
static bool put_links(struct chain *chain, enum bench_domain domain, unsigned at)
{
    unsigned element = chain->sample->description.encoding.source_element;
    bool is_64 = element == element_FP64,
         is_float = is_64 || element == element_FP32 || element == element_FP16,
         is_vector = domain == domain_VECTOR;
    if (!chain->planned->is_spaced)
        return true;
    if (domain != domain_GENERAL && !is_vector)
        return false;
    uint64_t vector_one = is_64      ? 0x3ff0000000000000
                          : is_float ? 0x3f8000003f800000
                                     : 0x0001000100010001,
             one = chain->sample->isa == isa_X86_64 ? UINT64_MAX : 1;
    enum bench_partner link = !is_vector ? partner_SPACE
                              : is_64    ? partner_MUL64
                              : is_float ? partner_MUL32
                                         : partner_V_SPACE;
    unsigned constant = is_vector ? take(chain, &chain->vector_one, domain, false, vector_one)
                                  : take(chain, &chain->one, domain, false, one);
    for (unsigned i = 0; i < (is_vector ? VECTOR_LINKS : GENERAL_LINKS); i++)
        if (!put(chain, link, at, at, constant))
            return false;
    return true;
}

/* Partners that lead from a domain to general registers, and back. */
static const enum bench_partner way_out[domain_COUNT] = {[domain_VECTOR] = partner_V_TO_G,
                                                         [domain_MASK] = partner_K_TO_G,
                                                         [domain_MMX] = partner_M_TO_G,
                                                         [domain_FLAGS] = partner_F_TO_G};
static const enum bench_partner way_in[domain_COUNT] = {[domain_VECTOR] = partner_G_TO_V,
                                                        [domain_MASK] = partner_G_TO_K,
                                                        [domain_MMX] = partner_G_TO_M,
                                                        [domain_FLAGS] = partner_G_TO_F};

/* From the result of an instance to the source of the next, by partners. */
static bool close_chain(struct chain *chain, unsigned instance)
{
    const struct bench_instruction *sample = chain->sample;
    const struct bench_slot *from = &sample->slots[chain->from], *to = &sample->slots[chain->to];
    unsigned source = chain->numbers[(instance + 1) % chain->instances][chain->from];
    unsigned at = chain->numbers[instance][chain->to], domain = to->domain;
    bool restores = restores_value(chain);
    if (domain != domain_GENERAL && (domain == domain_FLAGS || domain != from->domain)) {
        /* Through a general register: the source itself if nothing else happens to it. */
        bool is_end =
            from->domain == domain_GENERAL && !restores && !is_pointer(sample, from) && !needs_zero(chain);
        unsigned next = is_end ? source : take(chain, &chain->temporary, domain_GENERAL, false, 0);
        if (!put(chain, way_out[domain], next, at, 0) || !put_links(chain, domain_GENERAL, next))
            return false;
        if (is_end)
            return true;
        /* A flag as it is would be a denormal number. */
        if (domain == domain_FLAGS && from->domain == domain_VECTOR &&
            !put(chain, partner_AND, next, next, zero_of(chain)))
            return false;
        at = next;
        domain = domain_GENERAL;
    } else if (!put_links(chain, domain, at)) {
        return false;
    }
    if (domain == domain_GENERAL && from->domain != domain_GENERAL) {
        if (!put(chain, way_in[from->domain], source, at, from->domain == domain_VECTOR ? 0 : zero_of(chain)))
            return false;
        at = source;
        domain = from->domain;
        if (!restores || domain != domain_VECTOR)
            return true;
    }
    if (domain > domain_VECTOR) /* masks that cannot be chosen */
        return false;
    uint64_t value = bench_operand_value(chain->planned, sample, chain->from);
    if (domain == domain_VECTOR) {
        unsigned element = sample->description.encoding.source_element;
        bool is_64 = element == element_FP64, is_32 = element == element_FP32;
        return at == source &&
               put(chain,
                   is_64   ? partner_MUL64
                   : is_32 ? partner_MUL32
                           : partner_V_AND,
                   at, at, take(chain, &chain->vector_zero, domain_VECTOR, false, 0)) &&
               put(chain,
                   is_64   ? partner_ADD64
                   : is_32 ? partner_ADD32
                           : partner_V_OR,
                   source, at, take(chain, &chain->value_vector, domain_VECTOR, false, value));
    }
    if (needs_zero(chain) && !put(chain, partner_AND, at, at, zero_of(chain)))
        return false;
    if (is_pointer(sample, from))
        return put(chain, partner_STEP, source, at, take(chain, &chain->base, domain_GENERAL, true, 0));
    if (!restores)
        return put(chain, partner_STEP, source, at, zero_of(chain));
    return put(chain, partner_AND, at, at, zero_of(chain)) &&
           put(chain, partner_STEP, source, at,
               take(chain, &chain->value_general, domain_GENERAL, false, value));
}

/* Registers that cannot be chosen and carry another chain get a constant before each instance; flags of x86,
   by the idiom for zero. */
static bool break_others(struct chain *chain)
{
    const struct bench_instruction *sample = chain->sample;
    for (unsigned i = 0; i < sample->slot_count; i++) {
        const struct bench_slot *slot = &sample->slots[i];
        bool is_beside = slot->writes && slot_takes(slot) && i != chain->from && i != chain->to;
        if (slot->role == role_FLAGS && is_beside && sample->isa == isa_X86_64 &&
            (zero_of(chain) == NO_REGISTER ||
             !bench_put_partner(chain->planned, sample->isa, partner_ZERO, zero_of(chain), 0, 0, NULL)))
            return false;
        if (slot->role != role_HIDDEN || slot->domain != domain_GENERAL ||
            bench_is_stack_pointer(sample, slot) || !slot->writes || !slot_takes(slot) || i == chain->from)
            continue;
        uint64_t value = bench_operand_value(chain->planned, sample, i);
        unsigned constant =
            value ? take(chain, &chain->broken_value, domain_GENERAL, false, value) : zero_of(chain);
        if (constant == NO_REGISTER || zero_of(chain) == NO_REGISTER ||
            !bench_put_partner(chain->planned, sample->isa, partner_STEP, slot->number, zero_of(chain),
                               constant, NULL))
            return false;
    }
    return true;
}

/* A division's result and source must be one register for partners of vectors; false if it then divides a
   number by itself. */
static bool join_restored(struct chain *chain)
{
    const struct bench_slot *from = &chain->sample->slots[chain->from],
                            *to = &chain->sample->slots[chain->to];
    if (restores_value(chain) && from->domain == domain_VECTOR && to->domain == domain_VECTOR &&
        chain->from != chain->to) {
        if (slot_takes(to))
            return false;
        for (unsigned i = 0; i < chain->instances; i++)
            chain->numbers[i][chain->to] = chain->numbers[(i + 1) % chain->instances][chain->from];
    }
    return true;
}

/* Instances in memory of their own, so that no chain goes through it. */
static bool put_instance(struct chain *chain, unsigned instance)
{
    const struct bench_instruction *sample = chain->sample;
    struct bench_instruction moved;
    unsigned bytes = sample->description.encoding.store_bytes;
    int displacement = (int)(instance * (bytes > PLACE ? bytes : PLACE));
    bool is_moved = sample->isa == isa_X86_64 && bench_updates_memory(sample) && displacement &&
                    bench_instruction_move(sample, displacement, &moved);
    return bench_put_masks(chain->planned, sample, chain->numbers[instance]) &&
           bench_put_instruction(chain->planned, is_moved ? &moved : sample, chain->numbers[instance]);
}

static bool plan_chain(struct bench_planned *planned, const struct bench_instruction *sample, unsigned from,
                       unsigned to, unsigned instances)
{
    struct chain chain = {.planned = planned,
                          .sample = sample,
                          .from = from,
                          .to = to,
                          .instances = instances,
                          .temporary = NO_REGISTER,
                          .zero = NO_REGISTER,
                          .base = NO_REGISTER,
                          .value_general = NO_REGISTER,
                          .broken_value = NO_REGISTER,
                          .vector_zero = NO_REGISTER,
                          .value_vector = NO_REGISTER,
                          .one = NO_REGISTER,
                          .vector_one = NO_REGISTER};
    bench_bank_begin(&chain.bank, sample->isa, sample);
    planned->code.count = planned->values.count = 0;
    planned->instruction_count = 0;
    memset(planned->partners, 0, sizeof planned->partners);
    if (is_address_flow(&chain))
        planned->general = planned->vector = 0;
    if (!number_slots(&chain) || !join_restored(&chain))
        return false;
    for (unsigned i = 0; i < chain.instances; i++)
        if (!break_others(&chain) || !put_instance(&chain, i) ||
            !(is_direct(&chain) ? put_links(&chain, sample->slots[to].domain, chain.numbers[i][to])
                                : close_chain(&chain, i)))
            return false;
    planned->instances = chain.instances;
    if (bench_moves_pointer(sample))
        planned->most_trips = 1;
    return true;
}

bool bench_plan_flow(struct bench_planned *planned, const struct bench_instruction *sample, unsigned from,
                     unsigned to)
{
    struct chain chain = {.planned = planned, .sample = sample, .from = from, .to = to};
    bool has_turns = false;
    if (planned->is_spaced && bench_moves_pointer(sample))
        return false;
    for (unsigned i = 0; i < sample->slot_count; i++)
        has_turns |= takes_turns(&chain, i);
    if (sample->isa == isa_X86_64 && bench_updates_memory(sample) && !bench_moves_pointer(sample) &&
        plan_chain(planned, sample, from, to, MOST_INSTANCES))
        return true;
    return plan_chain(planned, sample, from, to, has_turns ? TURNS : 1);
}
