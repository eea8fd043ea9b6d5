/* A register of an address is traced to the definition that gives it its value when the inner loop starts,
   and on from there: definitions outside the loop around stay the same; a definition in it is a sum of other
   registers, or the register itself plus something (an induction variable of that loop).

   What the inner loop adds does not count, if the register starts anew each time: what matters is the
   difference between two runs of the inner loop, at the same iteration of it. A pointer that the inner loop
   compares with its end is that end when the loop is left, from which GCC makes the next end. Other registers
   that run on through all runs cannot be followed. A value that the inner loop loads is the same in each run
   if its address is; so rows that are reached through an array of pointers stay where they are. As in
   motion.c, this is what nearly always happens, not a proof. */
#include "code/quality/motion/outer.h"

#include "code/quality/motion/linear.h"

#include <stddef.h>

/* Compilers put addresses together from few instructions. */
enum { MOST_STEPS = 8 };

struct outer {
    const struct subject *subject;
    uint32_t inner, around; /* loops */
};

/* The definitions of a register that reach a use, by where they are. */
struct reaching {
    uint32_t inner, around; /* the only one; 0: none */
    uint32_t peeled;        /* a second one in the loop around */
    bool is_ambiguous;      /* there are several in one of the loops */
    bool is_outside;        /* one is outside both, or the value is the function's */
};

static const struct motion unknown = {.kind = motion_VARIES};

static struct reaching list_reaching(const struct outer *outer, uint16_t resource, uint32_t use)
{
    const struct model *model = outer->subject->model;
    uint32_t row = outer->subject->registers->row[resource];
    struct reaching reaching = {0};
    bool is_found = false;
    for (size_t i = array_first_not_below(&model->def_use, 0, offsetof(struct def_use, use), use);
         i < model->def_use.count; i++) {
        const struct def_use *pair = model_def_use(model, (uint32_t)i);
        if (pair->use != use || pair->register_ > row)
            break;
        if (pair->register_ != row)
            continue;
        is_found = true;
        reaching.is_outside |= pair->is_entry_too;
        uint32_t loop = model_block(model, model_instruction(model, pair->definition)->block)->loop;
        uint32_t *place = loop == outer->inner ? &reaching.inner : NULL;
        for (; loop && !place; loop = model_loop(model, loop)->parent)
            if (loop == outer->around)
                place = &reaching.around;
        if (!place) {
            reaching.is_outside = true;
            continue;
        }
        if (place == &reaching.around && *place && *place != pair->definition && !reaching.peeled)
            place = &reaching.peeled;
        reaching.is_ambiguous |= *place && *place != pair->definition;
        *place = pair->definition;
    }
    reaching.is_outside |= !is_found;
    return reaching;
}

struct definition {
    uint32_t instruction;
    const struct machine_cost *cost;
    struct linear_result result;
};

/* The sum that an instruction gives to a register. */
static bool take_definition(const struct outer *outer, uint32_t instruction, uint16_t resource,
                            struct definition *definition)
{
    struct linear_result results[MOST_LINEAR_RESULTS];
    struct subject_item item;
    subject_item_take(outer->subject->model, &item, instruction);
    definition->instruction = instruction;
    definition->cost = machine_cost(&outer->subject->work->costs, item.encoding);
    const struct linear_instruction linear = {
        .subject = outer->subject, .item = &item, .cost = definition->cost};
    unsigned count = linear_results(&linear, results);
    for (unsigned i = 0; i < count; i++)
        if (!results[i].is_stored && results[i].resource == resource && results[i].fold == fold_NONE) {
            definition->result = results[i];
            return true;
        }
    return false;
}

/* Whether a definition adds a constant to what another one made of the register: the iteration that GCC peels
   off in front of a loop that it unrolls. */
static bool goes_on_from(const struct outer *outer, uint16_t resource, uint32_t later, uint32_t earlier)
{
    struct definition definition;
    const struct reaching reaching = list_reaching(outer, resource, later);
    return reaching.around == earlier && !reaching.peeled && !reaching.inner && !reaching.is_outside &&
           take_definition(outer, later, resource, &definition) && definition.result.part_count == 1 &&
           definition.result.parts[0].kind == linear_REGISTER &&
           definition.result.parts[0].resource == resource && definition.result.parts[0].factor == 1;
}

/* A peeled iteration in the loop around moves along with what it starts from. */
static struct reaching find_reaching(const struct outer *outer, uint16_t resource, uint32_t use)
{
    struct reaching reaching = list_reaching(outer, resource, use);
    if (!reaching.peeled)
        return reaching;
    if (goes_on_from(outer, resource, reaching.around, reaching.peeled))
        reaching.around = reaching.peeled;
    else if (!goes_on_from(outer, resource, reaching.peeled, reaching.around))
        reaching.is_ambiguous = true;
    reaching.peeled = 0;
    return reaching;
}

static struct motion add(struct motion one, struct motion other, int64_t factor)
{
    struct motion sum = {.kind = one.kind > other.kind ? one.kind : other.kind};
    sum.step = (int64_t)((uint64_t)one.step + (uint64_t)other.step * (uint64_t)factor);
    if (sum.kind == motion_STEPS && !sum.step)
        sum.kind = motion_STILL;
    if (sum.kind != motion_STEPS)
        sum.step = 0;
    return sum;
}

static struct motion of_register(const struct outer *outer, uint16_t resource, uint32_t use, unsigned depth);

static struct motion of_access(const struct outer *outer, const struct cost_access *access,
                               uint32_t instruction, unsigned depth)
{
    struct motion motion = {0};
    if (access->is_relative)
        return motion;
    motion = add(motion, of_register(outer, access->base, instruction, depth), 1);
    return add(motion, of_register(outer, access->index, instruction, depth),
               access->scale ? access->scale : 1);
}

static struct motion of_part(const struct outer *outer, const struct definition *definition,
                             const struct linear_part *part, unsigned depth)
{
    if (part->kind == linear_CONSTANT)
        return (struct motion){0};
    if (part->kind == linear_REGISTER)
        return of_register(outer, part->resource, definition->instruction, depth + 1);
    struct motion place =
        of_access(outer, &definition->cost->accesses[part->access], definition->instruction, depth + 1);
    return place.kind == motion_STILL ? place : unknown;
}

/* A sum of parts, without one of them (of_itself). */
static struct motion of_sum(const struct outer *outer, const struct definition *definition, unsigned left_out,
                            unsigned depth)
{
    const struct linear_result *result = &definition->result;
    struct motion motion = {0};
    for (unsigned i = 0; i < result->part_count; i++) {
        const struct linear_part *part = &result->parts[i];
        if (i == left_out)
            continue;
        struct motion own = of_part(outer, definition, part, depth);
        if (part->is_product && i + 1 < result->part_count) {
            struct motion other = of_part(outer, definition, &result->parts[++i], depth);
            bool are_still = own.kind == motion_STILL && other.kind == motion_STILL;
            bool strides = (own.kind == motion_STILL && other.kind < motion_VARIES) ||
                           (other.kind == motion_STILL && own.kind < motion_VARIES);
            own = (struct motion){.kind = are_still ? motion_STILL
                                          : strides ? motion_STRIDES
                                                    : motion_VARIES};
        }
        motion = add(motion, own, part->factor);
    }
    return motion;
}

/* The register that the inner loop compares this one with, its value where that loop ends; RESOURCE_NONE for
   none. */
static uint16_t end_of(const struct outer *outer, uint16_t resource)
{
    const struct subject *subject = outer->subject;
    const uint16_t *resource_of = subject->work->costs.resource_of;
    for (unsigned i = subject->item_count; i--;) {
        const struct subject_item *item = &subject->items[i];
        if (item->row->class != class_COMPARE || item->operand_count < 2)
            continue;
        const struct operand *one = &item->operands[item->operand_count - 2],
                             *other = &item->operands[item->operand_count - 1];
        if (one->kind != operand_kind_REGISTER || other->kind != operand_kind_REGISTER)
            return RESOURCE_NONE;
        uint16_t left = resource_of[one->register_], right = resource_of[other->register_];
        return left == resource ? right : right == resource ? left : (uint16_t)RESOURCE_NONE;
    }
    return RESOURCE_NONE;
}

/* Whether a part of a definition is the register itself, as the inner loop left it. */
static bool is_itself(const struct outer *outer, const struct definition *definition,
                      const struct linear_part *part, uint16_t resource)
{
    if (part->kind != linear_REGISTER)
        return false;
    if (part->resource == resource)
        return true;
    const struct reaching reaching = find_reaching(outer, part->resource, definition->instruction);
    return reaching.inner && !reaching.around && !reaching.is_outside && !reaching.is_ambiguous &&
           end_of(outer, part->resource) == resource;
}

/* An induction variable of the loop around: itself plus something that stays. */
static struct motion of_itself(const struct outer *outer, const struct definition *definition,
                               uint16_t resource, unsigned depth)
{
    const struct linear_result *result = &definition->result;
    for (unsigned i = 0; i < result->part_count; i++) {
        const struct linear_part *part = &result->parts[i];
        bool is_product = part->is_product || (i && result->parts[i - 1].is_product);
        if (part->factor != 1 || is_product || !is_itself(outer, definition, part, resource))
            continue;
        if (of_sum(outer, definition, i, depth).kind != motion_STILL)
            return unknown;
        if (result->part_count > 1)
            return (struct motion){.kind = motion_STRIDES};
        return (struct motion){.kind = result->constant ? motion_STEPS : motion_STILL,
                               .step = result->constant};
    }
    return unknown;
}

static struct motion of_register(const struct outer *outer, uint16_t resource, uint32_t use, unsigned depth)
{
    struct definition definition;
    if (!resource)
        return (struct motion){0};
    const struct reaching reaching = find_reaching(outer, resource, use);
    bool is_in_inner =
        model_block(outer->subject->model, model_instruction(outer->subject->model, use)->block)->loop ==
        outer->inner;
    if (reaching.is_ambiguous || depth > MOST_STEPS)
        return unknown;
    if (!reaching.around && reaching.is_outside) /* it runs on, or stays */
        return reaching.inner ? unknown : (struct motion){0};
    if (reaching.inner && !is_in_inner)
        return unknown;
    uint32_t from = reaching.around ? reaching.around : reaching.inner;
    if (!from || !take_definition(outer, from, resource, &definition))
        return unknown;
    return reaching.is_outside ? of_itself(outer, &definition, resource, depth)
                               : of_sum(outer, &definition, UINT32_MAX, depth);
}

struct motion motion_around(const struct subject *subject, unsigned item, const struct cost_access *access,
                            uint32_t around)
{
    struct outer outer = {.subject = subject, .inner = subject->loop, .around = around};
    return around ? of_access(&outer, access, subject->items[item].instruction, 0) : unknown;
}

struct motion motion_outer(const struct subject *subject, unsigned item, const struct cost_access *access)
{
    return motion_around(subject, item, access, model_loop(subject->model, subject->loop)->parent);
}
