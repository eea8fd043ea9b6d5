#include "run/bench/core/parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char core_BRANCH[] = "branch";

/* x86-64: rsi, rdi, rbx, r14, r8, r9.  r15 counts, rsp is left alone. */
uint8_t core_general(enum isa isa, enum core_role role)
{
    static const uint8_t aarch64[] = {0, 1, 2, 3, 4, 5}, x86[] = {6, 7, 3, 14, 8, 9};
    return isa == isa_AARCH64 ? aarch64[role] : x86[role];
}

/* Registers that results go to. */
static const uint8_t general_aarch64[] = {6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16,
                                          17, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28};
static const uint8_t general_x86[] = {0, 1, 2, 5, 10, 11, 12, 13};

static uint8_t next_result(struct core_unit *unit, bool is_vector)
{
    unsigned turn = unit->turn++;
    if (is_vector)
        return (uint8_t)(2 + turn % (unit->isa == isa_AARCH64 ? 30 : 14));
    return unit->isa == isa_AARCH64 ? general_aarch64[turn % sizeof general_aarch64]
                                    : general_x86[turn % sizeof general_x86];
}

struct core_unit core_begin(struct array *plan, enum isa isa, const char *what, unsigned number)
{
    struct core_unit unit = {.plan = plan, .planned = array_push(plan), .isa = isa, .is_made = true};
    *unit.planned = (struct bench_planned){.kind = bench_EXPERIMENT,
                                           .code = ARRAY_OF(uint8_t),
                                           .values = ARRAY_OF(struct bench_value),
                                           .instances = 1,
                                           .general = 1,
                                           .vector = 0x3f8000003f800000,
                                           .vector_bytes = 16};
    snprintf(unit.planned->name, sizeof unit.planned->name, "core|%s|%u", what, number);
    core_set(&unit, core_general(isa, core_BASE), true, 0);
    core_set(&unit, core_general(isa, core_BASE_TOO), true, 0);
    core_set(&unit, core_general(isa, core_INDEX), false, 0);
    return unit;
}

void core_end(struct core_unit *unit)
{
    if (unit->is_made && unit->planned->code.count)
        return;
    bench_planned_free(unit->planned);
    unit->plan->count--;
}

void core_set(struct core_unit *unit, unsigned number, bool is_pointer, uint64_t value)
{
    for (size_t i = 0; i < unit->planned->values.count; i++) {
        struct bench_value *old = ARRAY_AT(struct bench_value, &unit->planned->values, i);
        if (old->number == number && !old->is_vector) {
            old->is_pointer = is_pointer;
            old->value = value;
            return;
        }
    }
    bench_put_value(unit->planned, domain_GENERAL, number, is_pointer, value);
}

void core_chase(struct core_unit *unit, unsigned number, uint64_t bytes)
{
    unit->planned->layout = bench_CHASE;
    unit->planned->bytes = bytes;
    *(struct bench_value *)array_push(&unit->planned->values) =
        (struct bench_value){.number = (uint8_t)number, .is_pointer = bench_CHASER};
}

void core_sizes(struct core_unit *unit, uint32_t copies, uint32_t more_copies, uint32_t trips,
                uint32_t more_trips)
{
    unit->planned->copies[0] = copies;
    unit->planned->copies[1] = more_copies;
    unit->planned->trips[0] = trips;
    unit->planned->trips[1] = more_trips;
}

void core_put_bytes(struct core_unit *unit, const void *bytes, size_t size)
{
    memcpy(array_push_many(&unit->planned->code, size), bytes, size);
    unit->planned->instruction_count++;
}

static uint8_t register_of(const struct bench_slot *slot, const struct core_registers *registers,
                           unsigned *sources)
{
    switch (slot->role) {
    case role_BASE:
        return registers->base;
    case role_INDEX:
        return registers->index;
    default:
        if (slot->writes)
            return registers->to;
        (*sources)++;
        if (*sources > 2 && registers->has_third)
            return registers->third;
        return *sources > 1 && registers->has_second ? registers->second : registers->from;
    }
}

/* The same load after those before it; false: it stays where it is. */
static bool move_load(struct core_unit *unit, const struct bench_instruction *sample,
                      struct bench_instruction *moved)
{
    enum { LEAST = 8, LINES = 128 };
    unsigned bytes = sample->description.encoding.load_bytes;
    if (!unit->is_side_by_side || !bytes || sample->description.encoding.store_bytes)
        return false;
    unsigned displacement = unit->loaded % LINES;
    unit->loaded += bytes < LEAST ? LEAST : bytes;
    return displacement && bench_instruction_move(sample, (int)displacement, moved);
}

void core_put(struct core_unit *unit, const char *form, struct core_registers registers)
{
    struct bench_instruction sample;
    uint8_t numbers[MOST_SLOTS] = {0};
    if (!unit->is_made)
        return;
    unit->is_made = form && bench_sample(&sample, unit->isa, form);
    if (!unit->is_made)
        return;
    for (unsigned i = 0, sources = 0; i < sample.slot_count; i++)
        numbers[i] = register_of(&sample.slots[i], &registers, &sources);
    const struct encoding *encoding = &sample.description.encoding;
    if (encoding->is_avx && unit->planned->vector_bytes < 32)
        unit->planned->vector_bytes = 32;
    if (encoding->vector_bits > 256)
        unit->planned->vector_bytes = 64;
    struct bench_instruction moved;
    unit->is_made =
        bench_put_instruction(unit->planned, move_load(unit, &sample, &moved) ? &moved : &sample, numbers);
}

/* A branch that is not taken: it waits for an overflow, which constants never give. */
static void core_put_not_taken(struct core_unit *unit)
{
    static const uint8_t aarch64[] = {0x26, 0x00, 0x00, 0x54},
                         x86[] = {0x70, 0x00}; /* b.vs, jo to the next */
    if (unit->isa == isa_AARCH64)
        core_put_bytes(unit, aarch64, sizeof aarch64);
    else
        core_put_bytes(unit, x86, sizeof x86);
}

/* Results in turn; sources: a general register or a vector. */
static void put_turn(struct core_unit *unit, const char *form, uint8_t from, uint8_t second, uint8_t base)
{
    struct bench_instruction sample;
    bool to_vector = false, from_vector = false;
    if (form && !strcmp(form, core_BRANCH))
        core_put_not_taken(unit);
    if (!unit->is_made || !strcmp(form, core_BRANCH))
        return;
    unit->is_made = form && bench_sample(&sample, unit->isa, form);
    for (unsigned i = 0; unit->is_made && i < sample.slot_count; i++) {
        bool is_vector = sample.slots[i].domain == domain_VECTOR;
        if (sample.slots[i].role == role_OPERAND)
            *(sample.slots[i].writes ? &to_vector : &from_vector) = is_vector;
    }
    uint8_t to = unit->is_made ? next_result(unit, to_vector) : 0;
    core_put(unit, form,
             (struct core_registers){.to = to,
                                     .from = from_vector ? core_VECTOR : from,
                                     .second = from_vector ? core_VECTOR_TOO : second,
                                     .has_second = true,
                                     .base = base,
                                     .index = core_general(unit->isa, core_INDEX)});
}

void core_put_free(struct core_unit *unit, const char *form)
{
    put_turn(unit, form, core_general(unit->isa, core_SOURCE), core_general(unit->isa, core_INDEX),
             core_general(unit->isa, unit->is_elsewhere ? core_BASE_TOO : core_BASE));
}

void core_put_waiting(struct core_unit *unit, const char *form, uint8_t general)
{
    put_turn(unit, form, general, general, general);
}

static const struct bench_result *find(struct bench_results *results, const char *what, unsigned number)
{
    char name[BENCH_NAME];
    snprintf(name, sizeof name, "core|%s|%u", what, number);
    const struct bench_result *result = bench_results_find(results, name);
    return result && result->status == bench_MEASURED && result->best > 0 ? result : NULL;
}

double core_cycles(struct bench_results *results, double *spread, const char *what, unsigned number)
{
    const struct bench_result *result = find(results, what, number);
    if (!result)
        return NAN;
    if (spread && result->spread > *spread)
        *spread = result->spread;
    return result->best;
}

double core_median(struct bench_results *results, const char *what, unsigned number)
{
    const struct bench_result *result = find(results, what, number);
    return result ? result->median : NAN;
}
