/* Loops over single members of an array of structures.

   The members of neighbouring elements are apart by the size of the structure, so that compilers load and
   store them one by one, or not with vectors at all. The gain is that of the same loop with its members side
   by side, in vectors of the present target. All accesses that are apart must have the same constant
   distance, a structure has more than two members (complex numbers are separated by shuffles) and no more
   than a few hundred bytes, and the loop computes on floating-point numbers: whoever searches a table of
   records does not need vectors. A loop that walks down the columns of a matrix has such accesses, too; rule
   loop_order reports it, so that the rule is silent where the loop around it moves by less than a structure.
 */
#include "code/quality/motion/outer.h"
#include "code/quality/rules/around.h"
#include "code/quality/rules/iterations.h"
#include "code/quality/rules/rule.h"
#include "code/quality/rules/targets.h"
#include "code/quality/vector/vectorise.h"
#include "code/quality/without.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Another layout is work, so it must pay. */
static const double WORTH_A_WORD = 1.5;
enum { LARGEST = 512 };

struct members {
    int64_t size;          /* of a structure, in bytes; 0: none found */
    unsigned count, bytes; /* accesses of members, and their bytes */
};

/* Whether a loop around this one goes on by less than this one: along the rows of a matrix. */
static bool is_column(const struct subject *subject, const struct subject_access *access)
{
    const struct cost_access *place = &((const struct cost_item *)subject->work->items.data)[access->item]
                                           .cost->accesses[access->position - 1];
    struct motion outer = motion_outer(subject, access->item, place);
    return model_loop(subject->model, subject->loop)->parent &&
           (outer.kind == motion_STRIDES || outer.kind == motion_VARIES ||
            (outer.kind == motion_STEPS && llabs(outer.step) < llabs(access->stride)));
}

/* Takes the accesses that are apart to be side by side; false if there are others, or none. */
static bool move_together(const struct subject *subject, uint8_t *ways, struct members *members,
                          struct remark *remark)
{
    for (unsigned i = 0; i < subject->access_count; i++) {
        const struct subject_access *access = &subject->accesses[i];
        if (subject->items[access->item].purpose != purpose_DATA || ways[access->item] != memory_LANES)
            continue;
        int64_t size = llabs(access->stride);
        if (access->pattern != access_pattern_CONSTANT_STRIDE || size <= 2 * access->bytes ||
            size > LARGEST || (members->size && members->size != size) || is_column(subject, access))
            return false;
        members->size = size;
        members->bytes += access->bytes;
        members->count++;
        remark_point(remark, access->item);
    }
    for (unsigned i = 0; i < subject->access_count; i++)
        if (ways[subject->accesses[i].item] == memory_LANES)
            ways[subject->accesses[i].item] = memory_WHOLE;
    return members->count;
}

/* Whether the loop could be vectorised if its data were side by side, by the present options. */
static bool may_be_vectorised(const struct subject *subject)
{
    const struct vectorising *now = subject->vectorising;
    bool is_ordered = now->carried.kind == carried_SUM && !subject->compiler->has_associative_math;
    bool may_be_short = !subject->trips && model_loop(subject->model, subject->loop)->depth > 1;
    return !now->obstacle && now->has_scalars && now->has_fp && now->has_lanes && !now->scatters &&
           now->carried.kind < carried_IN_MEMORY && !is_ordered && !may_be_short &&
           !now->doubts.seems_short && now->doubts.wraps == subject->item_count;
}

static bool find(const struct subject *subject, struct remark *remark)
{
    struct members members = {0};
    char count[64];
    if (!without_matters(subject) || !subject->vectorising || !may_be_vectorised(subject) ||
        !around_is_straight(subject) || model_loop(subject->model, subject->loop)->exit_count > 1)
        return false;
    struct vectorising together = *subject->vectorising;
    together.ways = arena_get(subject->arena, subject->item_count + 1);
    memcpy(together.ways, subject->vectorising->ways, subject->item_count);
    together.tried = arena_get(subject->arena, vector_dialect_count * sizeof *together.tried);
    together.has_lanes = false;
    together.is_apart = true;
    if (!move_together(subject, together.ways, &members, remark))
        return false;
    struct vector_choice choice = vectorising_within(&together, target_bits(subject));
    if (!choice.bits || !(subject->path->cycles >= WORTH_A_WORD * choice.cycles))
        return false;
    remark->cycles = fmax(choice.cycles, subject->path->cycles * together.element / choice.bits);
    remark_count(count, sizeof count, members.count, "access takes one member",
                 "accesses take single members");
    remark_say(
        remark,
        "%s of structures of %lld bytes. Those of neighbouring elements are not side by side, so that "
        "they are loaded and stored one by one. With an array for each member, vectors of %u bits would "
        "do an iteration in %.2f cycles instead of %.2f, and the caches would hold only what is used.",
        count, (long long)members.size, choice.bits, remark->cycles, subject->path->cycles);
    iterations_caution(subject, remark);
    return true;
}

const struct rule rule_array_of_structures = {
    .name = "array-of-structures",
    .title = "The loop takes single members of structures",
    .meaning =
        "Vector instructions load neighbouring numbers. In an array of structures the members that a loop "
        "needs are apart, with members between them that it does not need.",
    .level = advice_level_POTENTIAL,
    .remedies =
        {{audience_C, NULL,
          "Store each member in an array of its own (a structure of arrays), at least those that such "
          "loops use, and compile with -O3.",
          action_LAYOUT, NULL},
         {audience_FORTRAN, NULL,
          "Use a derived type of arrays, or one array for each component, instead of an array of a "
          "derived type, and compile with -O3.",
          action_LAYOUT, NULL},
         {0}},
    .find = find,
};
