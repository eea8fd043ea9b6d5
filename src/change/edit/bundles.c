/* What IA-64 asks of edits besides: bundles keep their templates and groups their independence.

   A deleted instruction leaves the no-op of its slot, so that bundles, stops and groups stay as they were.  Nothing
   is inserted between instructions: a no-op is replaced.  What is new in a group, or has moved into it, may neither
   read nor write what another instruction of the group writes, and nobody else there may read what it writes: without
   a stop in between, the processor does not promise an order.  (The few dependences that the architecture allows in
   a group, such as from a comparison to its branch, are refused, too.)  Instructions that the processor remembers in
   tables of its own (advanced and speculative loads, checks, ordered accesses) are not touched. */
#include "change/edit/parts.h"

#include <string.h>

static const struct encoding *encoding_of(const struct model *model, uint32_t instruction)
{
    return model_encoding(model, model_instruction(model, instruction)->encoding);
}

char edit_bundles_no_op(const struct model *model, uint32_t instruction)
{
    static const char letters[] = {[slot_kind_A] = 'i',
                                   [slot_kind_I] = 'i',
                                   [slot_kind_M] = 'm',
                                   [slot_kind_F] = 'f',
                                   [slot_kind_B] = 'b'};
    unsigned kind = encoding_of(model, instruction)->slot;
    const struct bundle *bundle = node_bundle_of(model, instruction);
    uint32_t slot = bundle ? instruction - bundle->first_instruction : 0;
    const char *template = bundle && bundle->template ? model_text(model, bundle->template) : "";
    if (kind == slot_kind_LX)
        return 'x';
    if (slot < strlen(template))
        return template[slot];
    return kind < sizeof letters && letters[kind] ? letters[kind] : 'i';
}

/* Completers that make an access more than a load or a store. */
static bool is_ordinary(const struct encoding *encoding, const char *completers)
{
    static const char *const plain[] = {"spill", "fill", "nt1", "nt2", "nta", "excl", "d1", "d2", "d4", "d8"};
    if (encoding->class != class_LOAD && encoding->class != class_STORE && encoding->class != class_PREFETCH)
        return true;
    for (const char *at = completers; *at;) {
        at += *at == '.';
        size_t length = strcspn(at, ".");
        bool is_plain = !length;
        for (unsigned i = 0; i < sizeof plain / sizeof *plain; i++)
            is_plain |= strlen(plain[i]) == length && !strncmp(at, plain[i], length);
        if (!is_plain)
            return false;
        at += length;
    }
    return true;
}

const char *edit_bundles_taboo(const struct model *model, uint32_t instruction)
{
    const struct encoding *encoding = encoding_of(model, instruction);
    if (encoding->isa != isa_IA64)
        return NULL;
    if (!is_ordinary(encoding, encoding->completers ? model_text(model, encoding->completers) : ""))
        return "it is an advanced, speculative or ordered access";
    return encoding->slot == slot_kind_B || encoding->slot == slot_kind_LX
               ? "it is in a branch slot or takes two"
               : NULL;
}

static bool meets(const struct edit_side *a, uint32_t one, const struct edit_side *b, uint32_t other)
{
    unsigned count, others;
    const struct unit_use *mine = edit_uses(a, one, &count), *its = edit_uses(b, other, &others);
    for (unsigned i = 0; i < count; i++)
        for (unsigned k = 0; k < others; k++)
            if (mine[i].unit == its[k].unit && (mine[i].what | its[k].what) & USE_WRITES)
                return true;
    return false;
}

void edit_bundles_check_group(const struct edit_side *side, uint32_t instruction, uint32_t place,
                              uint32_t leaving, struct edit_wish *wish)
{
    const struct model *model = side->model;
    size_t at = array_first_not_below(&model->issue_groups, 0,
                                      offsetof(struct issue_group, first_instruction), place + 1);
    const struct issue_group *group = at ? model_issue_group(model, (uint32_t)at - 1) : NULL;
    uint32_t end = group ? group->first_instruction + group->instruction_count : 0;
    for (uint32_t i = group ? group->first_instruction : end; i < end; i++)
        if (i != place && i != leaving && i != instruction && meets(side, instruction, side, i))
            edit_refuse(wish, "it would depend on line %u in its issue group", edit_line_of(model, i));
}

uint32_t edit_bundles_first(const struct model *model, uint32_t instruction, uint32_t *count)
{
    const struct bundle *bundle = node_bundle_of(model, instruction);
    *count = bundle ? bundle->instruction_count : 0;
    return bundle ? bundle->first_instruction : 0;
}

/* Each instruction of both bundles is independent of all between, and of the groups that it comes into. */
static void check_bundles(const struct edit_making *making, const struct edit_side *old,
                          struct edit_wish *wish)
{
    const struct model *model = old->model;
    const struct bundle *one = node_bundle_of(model, wish->instruction),
                        *two = node_bundle_of(model, wish->other);
    if (!one || !two || one == two)
        edit_refuse(wish, "the two are not in two bundles");
    else if (one->block != two->block ||
             model_instruction(model, one->first_instruction)->block !=
                 model_instruction(model, one->first_instruction + one->instruction_count - 1)->block)
        edit_refuse(wish, "the two bundles are not in one block");
    else if (one->stops != two->stops || one->instruction_count != two->instruction_count)
        edit_refuse(wish, "the two bundles have other stops, or a long instruction");
    if (wish->refusal)
        return;
    const struct bundle *above = one < two ? one : two, *below = one < two ? two : one;
    uint32_t count = one->instruction_count, end = below->first_instruction + count;
    for (uint32_t k = 0; k < 2 * count && !wish->refusal; k++) {
        uint32_t moved = k < count ? above->first_instruction + k : below->first_instruction + k - count;
        uint32_t there = k < count ? below->first_instruction + k : above->first_instruction + k - count;
        for (uint32_t i = above->first_instruction; i < end && !wish->refusal; i++) {
            uint32_t own = k < count ? above->first_instruction : below->first_instruction;
            if (i - own >= count)
                edit_rules_pair(making, old, moved, i, wish);
        }
        edit_bundles_check_group(old, moved, there, 0, wish);
    }
}

void edit_bundles_check(const struct edit_making *making, const struct edit_side *old, struct edit_wish *wish)
{
    const struct model *model = making->work->model;
    if (model_program(model, making->work->program)->isa != isa_IA64)
        return;
    if (wish->kind == edit_kind_BEFORE || wish->kind == edit_kind_AFTER)
        edit_refuse(wish, "bundles keep their templates: replace a no-op by what shall be inserted");
    if (wish->kind == edit_kind_SWAP_BUNDLES)
        check_bundles(making, old, wish);
    if (wish->kind != edit_kind_SWAP)
        return;
    bool fit_both = encoding_of(model, wish->instruction)->slot == slot_kind_A &&
                    encoding_of(model, wish->other)->slot == slot_kind_A;
    if (!fit_both && edit_bundles_no_op(model, wish->instruction) != edit_bundles_no_op(model, wish->other))
        edit_refuse(wish, "the two are in slots of different kinds");
    edit_bundles_check_group(old, wish->instruction, wish->other, 0, wish);
    edit_bundles_check_group(old, wish->other, wish->instruction, 0, wish);
}
