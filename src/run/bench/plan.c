#include "run/bench/plan.h"

#include <stdio.h>
#include <string.h>

const char *const bench_refusal_words[] = {
    "",
    "no instruction of this form can be made",
    "it changes the flow of control",
    "it needs rights, or uses more than the registers and addresses that its text shows",
    "it uses registers of a kind that has no tests (control, segments, tiles)",
    "it uses the register that counts the iterations of tests",
    "its addresses are in a vector register"};

unsigned bench_counter(enum isa isa)
{
    return isa == isa_AARCH64 ? 30 : 15;
}

/* The stack pointer, the counter, AArch64's x18 and x86's k0 are left alone.  With ah and the like only four
   registers can be named. */
void bench_bank_begin(struct bench_bank *bank, enum isa isa, const struct bench_instruction *instruction)
{
    *bank = (struct bench_bank){.isa = isa};
    bool is_x86 = isa == isa_X86_64, has_high = false;
    for (unsigned i = 0; i < instruction->slot_count; i++)
        has_high |= instruction->slots[i].is_high;
    for (unsigned i = 0; i < 32; i++) {
        bank->is_taken[domain_GENERAL][i] = is_x86 ? i == 4 || i > (has_high ? 3 : 14) : i == 18 || i > 29;
        bank->is_taken[domain_VECTOR][i] = is_x86 && i > 15;
        bank->is_taken[domain_MASK][i] = is_x86 ? i == 0 || i > 7 : i > 7;
        bank->is_taken[domain_MMX][i] = i > 7;
    }
    for (unsigned i = 0; i < instruction->slot_count; i++)
        if (instruction->slots[i].is_fixed && instruction->slots[i].domain < domain_BANKS)
            bank->is_taken[instruction->slots[i].domain][instruction->slots[i].number] = true;
}

/* x86: rax, rcx and rdx come last, because many instructions use them by themselves, and rbp and r13, because
   an address with one of them as its base needs a displacement. */
static const uint8_t general_x86[32] = {3,  6,  7,  8,  9,  10, 11, 12, 14, 0,  1,  2,  5,  13, 4,  15,
                                        16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31};

unsigned bench_bank_take(struct bench_bank *bank, enum bench_domain domain, unsigned run)
{
    bool is_ordered = bank->isa == isa_X86_64 && domain == domain_GENERAL;
    for (unsigned turn = 0; turn < 32; turn++) {
        unsigned number = is_ordered ? general_x86[turn] : turn, free = 0;
        while (free < run && number + free < 32 && !bank->is_taken[domain][number + free])
            free++;
        if (free < run)
            continue;
        for (unsigned i = 0; i < run; i++)
            bank->is_taken[domain][number + i] = true;
        return number;
    }
    return NO_REGISTER;
}

unsigned bench_slot_run(const struct bench_instruction *instruction, unsigned slot)
{
    unsigned run = 1;
    for (unsigned i = 0; i < instruction->slot_count; i++)
        if (instruction->slots[i].leader == slot && instruction->slots[i].distance + 1u > run)
            run = instruction->slots[i].distance + 1u;
    return run;
}

bool bench_put_instruction(struct bench_planned *planned, const struct bench_instruction *sample,
                           const uint8_t *numbers)
{
    struct bench_instruction made;
    if (!bench_instruction_renumber(sample, numbers, &made))
        return false;
    for (unsigned i = 0; i < made.size; i++)
        *(uint8_t *)array_push(&planned->code) = made.bytes[i];
    planned->instruction_count++;
    return true;
}

void bench_put_value(struct bench_planned *planned, enum bench_domain domain, unsigned number,
                     enum bench_pointer is_pointer, uint64_t value)
{
    if (domain > domain_VECTOR) /* masks are ones, mm registers have the default of vectors */
        return;
    *(struct bench_value *)array_push(&planned->values) =
        (struct bench_value){.is_vector = domain == domain_VECTOR,
                             .number = (uint8_t)number,
                             .is_pointer = (uint8_t)is_pointer,
                             .value = value};
}

static bool is_division(const struct bench_instruction *sample)
{
    unsigned class = sample->description.encoding.class;
    return class == class_DIVIDE || class == class_SQRT;
}

/* Numbers of the element's type: 1, or for divisions some with all bits in use. */
static uint64_t vector_value(const struct bench_planned *planned, const struct bench_instruction *sample,
                             bool is_divisor)
{
    unsigned element = sample->description.encoding.source_element;
    bool is_hard = planned->operands == operands_HARD;
    switch (element) {
    case element_FP64:
        return !is_hard ? 0x3ff0000000000000 : is_divisor ? 0x3ff5bf0a8b145769 : 0x400921fb54442d18;
    case element_FP32:
        return !is_hard ? 0x3f8000003f800000 : is_divisor ? 0x3fadf8543fadf854 : 0x40490fdb40490fdb;
    case element_FP16:
        return !is_hard ? 0x3c003c003c003c00 : is_divisor ? 0x3d6f3d6f3d6f3d6f : 0x4248424842484248;
    default:
        return 0x0101010101010101;
    }
}

static uint64_t general_value(const struct bench_planned *planned, const struct bench_instruction *sample,
                              const struct bench_slot *slot)
{
    if (sample->description.encoding.class != class_DIVIDE)
        return 1;
    bool is_x86 = sample->isa == isa_X86_64;
    if (is_x86 && !strcmp(slot->name, "rdx"))
        return 0;
    if (planned->operands == operands_EASY)
        return 1;
    if (is_x86 ? slot->role != role_HIDDEN : slot->operand == 2)
        return 3;
    unsigned bits = is_x86 ? sample->description.operands[0].bits : slot->bits;
    return bits == 64 ? 0x7fff000012340000 : bits == 32 ? 0x7fff1234 : bits == 16 ? 0x7ff0 : 0x7f;
}

uint64_t bench_operand_value(const struct bench_planned *planned, const struct bench_instruction *sample,
                             unsigned place)
{
    const struct bench_slot *slot = &sample->slots[place];
    if (slot->role == role_INDEX)
        return 0;
    if (slot->domain == domain_VECTOR)
        return vector_value(planned, sample,
                            slot->role == role_OPERAND &&
                                slot->operand + 1u == sample->description.operand_count);
    uint64_t value = general_value(planned, sample, slot);
    return slot->is_high ? value << 8 : value;
}

bool bench_is_stack_pointer(const struct bench_instruction *sample, const struct bench_slot *slot)
{
    return sample->isa == isa_X86_64 && slot->domain == domain_GENERAL && slot->number == 4;
}

/* SVE's loads that note their first fault. */
static bool uses_first_fault(const struct bench_instruction *sample)
{
    const struct register_fact *facts = isa_reader(sample->isa)->registers;
    for (unsigned i = 0; i < sample->description.use_count; i++)
        if (!strcmp(facts[sample->description.uses[i].register_].name, "ffr"))
            return true;
    return false;
}

/* Addresses in registers that the text does not show (xlat). */
static bool has_hidden_address(const struct bench_instruction *sample)
{
    const struct register_fact *facts = isa_reader(sample->isa)->registers;
    for (unsigned i = 0; i < sample->description.use_count; i++) {
        const struct register_use *use = &sample->description.uses[i];
        unsigned place = bench_slot_named(sample, facts[facts[use->register_].full].name);
        if (use->is_address && place != NO_SLOT && !bench_is_stack_pointer(sample, &sample->slots[place]))
            return true;
    }
    return false;
}

bool bench_updates_memory(const struct bench_instruction *sample)
{
    return sample->description.encoding.store_bytes && sample->description.encoding.load_bytes;
}

static bool bench_is_indexed_by_vector(const struct bench_instruction *sample)
{
    for (unsigned i = 0; i < sample->slot_count; i++)
        if (sample->slots[i].role == role_INDEX && sample->slots[i].domain == domain_VECTOR)
            return true;
    return false;
}

bool bench_is_consumed_mask(const struct bench_instruction *sample, const struct bench_slot *slot)
{
    return bench_is_indexed_by_vector(sample) && slot->role == role_OPERAND && slot->reads && slot->writes &&
           (slot->domain == domain_MASK || (slot->domain == domain_VECTOR && slot->operand));
}

static enum bench_refusal judge(const struct bench_instruction *sample)
{
    const struct encoding *encoding = &sample->description.encoding;
    if (encoding->flow != flow_NEXT)
        return refusal_CONTROL;
    if (encoding->element == element_X87) /* plan_x87.c has the others */
        return refusal_SYSTEM;
    if (encoding->operation == operation_LEAVE || encoding->operation == operation_ENTER)
        return refusal_SYSTEM; /* the stack of the test has no frames */
    if (has_hidden_address(sample) || uses_first_fault(sample))
        return refusal_SYSTEM;
    switch ((enum class)encoding->class) {
    case class_SYSTEM:
    case class_STRING:
    case class_FENCE:
        return refusal_SYSTEM;
    default:
        break;
    }
    for (unsigned i = 0; i < sample->slot_count; i++) {
        if (sample->slots[i].domain == domain_OTHER)
            return refusal_REGISTERS;
        if (sample->slots[i].role == role_BASE && sample->slots[i].domain == domain_VECTOR)
            return refusal_VECTOR_BASE;
    }
    for (unsigned i = 0; i < sample->slot_count; i++)
        if (sample->slots[i].is_fixed && sample->slots[i].domain == domain_GENERAL &&
            sample->slots[i].number == bench_counter(sample->isa))
            return refusal_COUNTER;
    for (unsigned i = 0; i < sample->description.operand_count; i++) {
        const struct operand *operand = &sample->description.operands[i];
        const struct register_fact *facts = isa_reader(sample->isa)->registers;
        if (operand->is_relative)
            return refusal_CONTROL;
        if (operand->register_ && facts[facts[operand->register_].full].kind > register_kind_MASK &&
            facts[operand->register_].kind > register_kind_MASK)
            return refusal_REGISTERS;
    }
    return refusal_NONE;
}

struct bench_planned *bench_planned_begin(struct array *planned, const struct bench_instruction *sample,
                                          enum bench_kind kind, enum bench_operands operands)
{
    struct bench_planned *next = array_push(planned);
    bool is_avx = sample->description.encoding.is_avx;
    *next = (struct bench_planned){.kind = kind,
                                   .operands = operands,
                                   .code = ARRAY_OF(uint8_t),
                                   .values = ARRAY_OF(struct bench_value),
                                   .general = 1,
                                   .is_avx = is_avx,
                                   .vector_bytes = is_avx ? 32 : 16};
    for (unsigned i = 0; i < sample->slot_count; i++)
        if ((sample->slots[i].domain == domain_VECTOR && sample->slots[i].bits > 256) ||
            sample->slots[i].domain == domain_MASK)
            next->vector_bytes = 64;
    for (unsigned i = 0; i < sample->slot_count; i++)
        if (sample->slots[i].domain == domain_MMX)
            next->vector_bytes = 8;
    next->vector = vector_value(next, sample, false);
    unsigned element = sample->description.encoding.source_element;
    bool is_float = element == element_FP64 || element == element_FP32 || element == element_FP16;
    if (is_division(sample)) /* what it divides by, if that is in memory */
        next->memory = is_float ? vector_value(next, sample, true) : operands == operands_HARD ? 3 : 1;
    return next;
}

/* Names the test, or takes it back if its code could not be made. */
static void end(struct array *planned, const char *form, const char *what, bool is_made)
{
    static const char *const words[] = {"", " easy", " hard"};
    struct bench_planned *last = ARRAY_AT(struct bench_planned, planned, planned->count - 1);
    int length = snprintf(last->name, sizeof last->name, "%s|%s%s", form, what, words[last->operands]);
    if (is_made && last->code.count && length < (int)sizeof last->name)
        return;
    bench_planned_free(last);
    planned->count--;
}

bool bench_moves_pointer(const struct bench_instruction *sample)
{
    for (unsigned i = 0; i < sample->slot_count; i++)
        if (sample->slots[i].writes &&
            (sample->slots[i].role == role_BASE || bench_is_stack_pointer(sample, &sample->slots[i])))
            return true;
    return false;
}

/* The register that a base is stepped by, after the address. */
static bool is_increment(const struct bench_instruction *sample, const struct bench_slot *slot)
{
    for (unsigned i = 0; i < sample->slot_count; i++)
        if (sample->slots[i].role == role_BASE && sample->slots[i].writes && slot->role == role_OPERAND &&
            slot->operand > sample->slots[i].operand)
            return true;
    return false;
}

/* The same flow as the last test's, with links. */
static void plan_spaced(struct array *planned, const struct bench_instruction *sample, unsigned from,
                        unsigned to)
{
    struct bench_planned *next = bench_planned_begin(planned, sample, bench_LATENCY, operands_ANY);
    char what[32];
    memcpy(next->from, sample->slots[from].name, sizeof next->from);
    memcpy(next->to, sample->slots[to].name, sizeof next->to);
    next->is_variant = next->is_spaced = true;
    snprintf(what, sizeof what, "%s>%s spaced", next->from, next->to);
    end(planned, sample->description.form, what, bench_plan_flow(next, sample, from, to));
}

static void plan_latencies(struct array *planned, const struct bench_instruction *sample,
                           enum bench_operands operands)
{
    const char *form = sample->description.form;
    for (unsigned to = 0; to < sample->slot_count; to++) {
        for (unsigned from = 0; from < sample->slot_count; from++) {
            const struct bench_slot *source = &sample->slots[from], *result = &sample->slots[to];
            /* A base that is stepped depends on the address alone, and so does the stack pointer. */
            bool is_step = result->role == role_BASE || bench_is_stack_pointer(sample, result);
            if ((bench_is_stack_pointer(sample, source) && to != from) || is_increment(sample, source) ||
                bench_is_consumed_mask(sample, source) || bench_is_consumed_mask(sample, result))
                continue;
            if (!result->writes || !slot_takes(source) || result->leader != NO_SLOT ||
                source->leader != NO_SLOT || (is_step && source->role != role_BASE && to != from))
                continue;
            struct bench_planned *next = bench_planned_begin(planned, sample, bench_LATENCY, operands);
            char what[24];
            memcpy(next->from, source->name, sizeof next->from);
            memcpy(next->to, result->name, sizeof next->to);
            snprintf(what, sizeof what, "%s>%s", source->name, result->name);
            size_t count = planned->count;
            end(planned, form, what, bench_plan_flow(next, sample, from, to));
            if (operands == operands_ANY && planned->count == count)
                plan_spaced(planned, sample, from, to);
        }
    }
}

static void plan_rest(struct array *planned, const struct bench_instruction *sample,
                      enum bench_operands operands)
{
    const char *form = sample->description.form;
    size_t count = planned->count;
    struct bench_planned *next = bench_planned_begin(planned, sample, bench_THROUGHPUT, operands);
    end(planned, form, "throughput", bench_plan_throughput(next, sample, is_division(sample)));
    if (bench_has_fixed_chain(sample) && !is_division(sample) && planned->count > count) {
        next = bench_planned_begin(planned, sample, bench_THROUGHPUT, operands);
        next->is_variant = true;
        end(planned, form, "throughput broken", bench_plan_throughput(next, sample, true));
    }
    if (sample->description.encoding.class == class_STORE) {
        next = bench_planned_begin(planned, sample, bench_MEMORY, operands);
        end(planned, form, "1>mem>1", bench_plan_memory(next, sample));
    }
}

enum bench_refusal bench_plan_form(struct array *planned, enum isa isa, const char *form)
{
    struct bench_instruction sample;
    if (isa == isa_X86_64 && form[0] == 'f' && bench_plan_x87(planned, form))
        return refusal_NONE;
    if (!bench_sample(&sample, isa, form))
        return refusal_NO_SAMPLE;
    enum bench_refusal refusal = judge(&sample);
    if (refusal)
        return refusal;
    bool is_varied = is_division(&sample);
    for (enum bench_operands operands = is_varied ? operands_EASY : operands_ANY;
         operands <= (is_varied ? operands_HARD : operands_ANY); operands++) {
        plan_latencies(planned, &sample, operands);
        plan_rest(planned, &sample, operands);
    }
    return refusal_NONE;
}

struct bench_test bench_test_of(const struct bench_planned *planned, enum isa isa)
{
    /* Instructions of the smaller size, and how much larger the other is: what happens around the branch is
       not quite the same in both. */
    enum { BODY = 96, RATIO = 4 };
    unsigned count = planned->instruction_count ? planned->instruction_count : BODY; /* walks have none */
    uint32_t copies = (BODY + count - 1) / count;
    uint32_t small = planned->copies[0] ? planned->copies[0] : copies;
    uint32_t large = planned->copies[1] ? planned->copies[1] : RATIO * copies;
    return (struct bench_test){.name = planned->name,
                               .unit = planned->code.data,
                               .unit_size = (uint32_t)planned->code.count,
                               .copies = {small, large},
                               .trips = {planned->trips[0], planned->trips[1]},
                               .most_trips = planned->most_trips,
                               .counter = (uint8_t)bench_counter(isa),
                               .vector_bytes = (uint8_t)planned->vector_bytes,
                               .layout = (uint8_t)planned->layout,
                               .threads = (uint16_t)planned->threads,
                               .bytes = planned->bytes,
                               .pass = planned->pass,
                               .general = planned->general,
                               .vector = planned->vector,
                               .memory = planned->memory,
                               .values = planned->values.data,
                               .value_count = (uint32_t)planned->values.count,
                               .is_counted = planned->kind == bench_THROUGHPUT &&
                                             planned->instruction_count == planned->instances};
}

void bench_planned_free(struct bench_planned *planned)
{
    array_free(&planned->code);
    array_free(&planned->values);
}

void bench_plan_free(struct array *planned)
{
    for (size_t i = 0; i < planned->count; i++)
        bench_planned_free(ARRAY_AT(struct bench_planned, planned, i));
    array_free(planned);
}
