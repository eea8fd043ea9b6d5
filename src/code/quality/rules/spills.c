/* Values that are on the stack although registers are free.

   Each fixed place in the function's own frame stands for a value. A value that is stored and loaded again
   would come from a register when it is made; one that is only loaded would always be ready. Only as many
   values count as registers of their kind are free at the worst point: if none are, the compiler had no
   choice. Stores without a purpose are left to rule useless-spills. */
#include "code/quality/rules/around.h"
#include "code/quality/rules/iterations.h"
#include "code/quality/rules/preconditions.h"
#include "code/quality/rules/rule.h"
#include "code/quality/rules/spare.h"
#include "code/quality/without.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>

/* Cycles that must be saved to be reported: less is within the error of the model. */
static const double LEAST_SAVING = 0.5;
static const double NEARLY_ALWAYS = 1.2;
enum { MOST_PLACES = 32, KINDS = 2 };

static const struct remedy copy_after = {
    .audience = audience_C,
    .text = "If the address of the variable was passed to a function (such as scanf), copy the variable to "
            "another one after that call and use the copy in the loop.",
    .action = action_KEEP_LOCAL};
static const struct remedy no_volatile = {.audience = audience_C,
                                          .text =
                                              "Remove volatile from variables that only this function uses.",
                                          .action = action_KEEP_LOCAL};
static const struct remedy copy_scalar = {
    .audience = audience_FORTRAN,
    .text = "Copy a variable that was an argument of a CALL before the loop, or that has TARGET or VOLATILE, "
            "to a local scalar, and use that in the loop.",
    .action = action_KEEP_LOCAL};
static const struct remedy optimise = {.audience = audience_GCC,
                                       .option = "-O3",
                                       .text =
                                           "Compile with -O3: with vectors the loop needs fewer registers.",
                                       .action = action_OPTIMISE,
                                       .holds = precondition_vectorisable};
static const struct remedy own_function = {
    .audience = audience_ANY,
    .text =
        "Try the loop in a function of its own that is not inlined, with these values as arguments: fewer "
        "values compete for registers there.",
    .action = action_OUTLINE};

struct stack_place {
    int64_t offset;
    uint16_t bytes;
    bool is_vector, is_taken;
    bool is_mixed; /* another access has a part of it, or more */
};

struct spilling {
    const struct subject *subject;
    struct stack_place places[MOST_PLACES];
    unsigned place_count;
    unsigned stores, loads;
    unsigned kept[KINDS]; /* values of general and of vector registers */
    unsigned spare[KINDS];
};

/* The row of an item whose access is one of the frame, by plain loads, stores and arithmetic on memory. */
static const struct stack_access *access_of(const struct subject *subject, unsigned item)
{
    const struct array *rows = &subject->model->stack_accesses;
    const struct subject_item *row = &subject->items[item];
    unsigned class = row->row->class;
    if (class == class_PUSH || class == class_POP || class == class_CALL || class == class_RETURN)
        return NULL;
    size_t at = array_first_not_below(rows, 0, offsetof(struct stack_access, instruction), row->instruction);
    if (at == rows->count)
        return NULL;
    const struct stack_access *access = ARRAY_AT(struct stack_access, rows, at);
    bool is_only =
        at + 1 == rows->count || ARRAY_AT(struct stack_access, rows, at + 1)->instruction != row->instruction;
    /* At or above the stack pointer at entry are arguments. */
    return access->instruction == row->instruction && access->offset < 0 && is_only ? access : NULL;
}

/* Places that overlap are one value only if they are the same: an array on the stack is not a variable. */
static struct stack_place *place_of(struct spilling *spilling, const struct stack_access *access)
{
    struct stack_place *same = NULL;
    bool is_mixed = false;
    for (unsigned i = 0; i < spilling->place_count; i++) {
        struct stack_place *place = &spilling->places[i];
        if (place->offset == access->offset && place->bytes == access->bytes)
            same = place;
        else if (access->offset < place->offset + place->bytes &&
                 place->offset < access->offset + access->bytes)
            is_mixed = place->is_mixed = true;
    }
    if (same) {
        same->is_mixed |= is_mixed;
        return same;
    }
    if (spilling->place_count == MOST_PLACES)
        return NULL;
    struct stack_place *place = &spilling->places[spilling->place_count++];
    *place = (struct stack_place){.offset = access->offset, .bytes = access->bytes, .is_mixed = is_mixed};
    return place;
}

/* Whether the loop accesses the frame with an index, which may mean any of its places. */
static bool has_array(const struct subject *subject)
{
    for (unsigned i = 0; i < subject->item_count; i++)
        if (access_of(subject, i))
            return around_is_array(subject, i);
    return false;
}

static bool is_of_vectors(const struct subject *subject, unsigned item)
{
    const struct cost_item *items = subject->work->items.data;
    const struct machine_cost *cost = items[item].cost;
    return subject->items[item].is_fp || (cost->access_count && cost->accesses[0].is_vector);
}

static void list_places(struct spilling *spilling)
{
    const struct subject *subject = spilling->subject;
    for (unsigned i = 0; i < subject->item_count; i++) {
        const struct stack_access *access = access_of(subject, i);
        struct stack_place *place = access ? place_of(spilling, access) : NULL;
        if (place)
            place->is_vector |= is_of_vectors(subject, i);
    }
    for (unsigned i = 0; i < spilling->place_count; i++) {
        struct stack_place *place = &spilling->places[i];
        unsigned kind = place->is_vector;
        place->is_taken = !place->is_mixed && spilling->kept[kind] < spilling->spare[kind];
        spilling->kept[kind] += place->is_taken;
    }
}

static double cycles_in_registers(struct spilling *spilling, struct remark *remark)
{
    const struct subject *subject = spilling->subject;
    struct without gone, quick;
    without_begin(&gone, subject);
    without_begin(&quick, subject);
    for (unsigned i = 0; i < subject->item_count; i++) {
        const struct stack_access *access = access_of(subject, i);
        struct stack_place *place = access ? place_of(spilling, access) : NULL;
        if (!place || !place->is_taken)
            continue;
        remark_point(remark, i);
        spilling->stores += subject->items[i].row->store_bytes > 0;
        spilling->loads += subject->items[i].row->load_bytes > 0;
        if (subject->items[i].row->load_bytes)
            without_waiting(&quick, i);
        without_memory(&gone, i);
    }
    return fmax(without_cycles(&gone), without_chain(&quick));
}

static void say(const struct spilling *spilling, struct remark *remark)
{
    const struct subject *subject = spilling->subject;
    static const enum register_kind kinds[KINDS] = {register_kind_GENERAL, register_kind_VECTOR};
    unsigned values = spilling->kept[0] + spilling->kept[1];
    const char *before = "";
    char loads[32], stores[32];
    remark_say(remark, "%u %s kept on the stack, with %s", values, values == 1 ? "value is" : "values are",
               remark_count(loads, sizeof loads, spilling->loads, "load", "loads"));
    if (spilling->stores)
        remark_say(remark, " and %s",
                   remark_count(stores, sizeof stores, spilling->stores, "store", "stores"));
    remark_say(remark, " per iteration. ");
    for (unsigned kind = 0; kind < KINDS; kind++) {
        if (!spilling->kept[kind])
            continue;
        remark_say(remark, "%s", before);
        spare_say(subject, kinds[kind], remark);
        before = ", ";
    }
    remark_say(remark, ".");
}

/* A variable that the loop changes is in memory for a reason of the source: options do not help. One that it
   only reads may also have been live across calls or have run out of registers elsewhere, and the compiler
   did not load it before the loop. */
static void advise(const struct spilling *spilling, struct remark *remark)
{
    remark_advise(remark, &copy_after);
    if (spilling->stores)
        remark_advise(remark, &no_volatile);
    remark_advise(remark, &copy_scalar);
    if (spilling->stores)
        return;
    remark_advise(remark, &own_function);
    remark_advise(remark, &optimise);
}

static bool find(const struct subject *subject, struct remark *remark)
{
    struct spilling spilling = {.subject = subject};
    if (!without_matters(subject) || !(subject->metric->spill_count + subject->metric->fill_count) ||
        subject->metric->useless_stack_count)
        return false;
    if (has_array(subject) || around_returns_twice(subject))
        return false;
    spilling.spare[0] = spare_registers(subject, register_kind_GENERAL);
    spilling.spare[1] = spare_registers(subject, register_kind_VECTOR);
    subject_find_dependences(subject);
    list_places(&spilling);
    if (!(spilling.kept[0] + spilling.kept[1]))
        return false;
    remark->cycles = cycles_in_registers(&spilling, remark);
    if (!spilling.loads || !without_gains(subject, remark->cycles) ||
        subject->path->cycles - remark->cycles < LEAST_SAVING)
        return false;
    if (subject->path->cycles >= NEARLY_ALWAYS * remark->cycles && around_is_straight(subject) &&
        spilling.stores)
        remark->level = advice_level_GAIN;
    iterations_limit(subject, remark);
    say(&spilling, remark);
    advise(&spilling, remark);
    return true;
}

const struct rule rule_spills = {
    .name = "spills",
    .title = "Values are spilled to the stack although registers are free",
    .meaning = "A value in a register is available at once; a value on the stack has to be stored, and takes "
               "several cycles to load again. A compiler keeps a variable on the stack when it runs out of "
               "registers, when the address of the variable was taken, so that other pointers may refer to "
               "it, or when it is volatile.",
    .level = advice_level_POTENTIAL,
    .remedies = {{0}},
    .find = find,
};
