/* What may be touched at all, instruction by instruction; differences.c asks who looks at the results.

   Never touched: control flow, the stack pointer, atomic instructions and fences, the x87 stack, whatever the reader
   does not know.  Memory outside the function's frame may be volatile, or not be there: loads from it stay, and new
   ones are refused, but for prefetches.  In the frame, a volatile variable looks like a spill: an access goes only if
   the listing says that it is a spill (a comment of the compiler, IA-64's spill and fill), or the user does. */
#include "change/edit/parts.h"

#include <string.h>

static const struct encoding *encoding_of(const struct edit_side *side, uint32_t instruction)
{
    return model_encoding(side->model, model_instruction(side->model, instruction)->encoding);
}

static uint32_t local_of(const struct edit_side *side, uint32_t instruction)
{
    return instruction - side->function->graph.first_instruction;
}

const struct frame_access *edit_accesses(const struct flow_function *function, uint32_t instruction,
                                         unsigned *count)
{
    const struct array *accesses = &function->frame.accesses;
    size_t first =
        array_first_not_below(accesses, 0, offsetof(struct frame_access, instruction), instruction);
    *count = 0;
    while (first + *count < accesses->count &&
           ARRAY_AT(struct frame_access, accesses, first + *count)->instruction == instruction)
        ++*count;
    return *count ? ARRAY_AT(struct frame_access, accesses, first) : NULL;
}

const struct frame_effect *edit_effect(const struct flow_function *function, uint32_t instruction)
{
    const struct array *effects = &function->frame.effects;
    size_t first = array_first_not_below(effects, 0, offsetof(struct frame_effect, instruction), instruction);
    const struct frame_effect *effect = first < effects->count ? array_at(effects, first) : NULL;
    return effect && effect->instruction == instruction ? effect : NULL;
}

/* Whether all of its memory is known places of the frame. */
static bool is_in_frame(const struct edit_side *side, uint32_t instruction)
{
    unsigned count;
    uint32_t local = local_of(side, instruction);
    return !side->function->frame.is_unreliable && edit_accesses(side->function, local, &count) &&
           !edit_effect(side->function, local);
}

static enum uselessness why_useless(const struct edit_side *side, uint32_t instruction)
{
    const struct array *rows = &side->function->useless;
    size_t at = array_first_not_below(rows, 0, offsetof(struct useless_access, instruction), instruction);
    const struct useless_access *row = at < rows->count ? array_at(rows, at) : NULL;
    return row && row->instruction == instruction ? (enum uselessness)row->reason : uselessness_COUNT;
}

bool edit_rules_is_idle(const struct edit_side *side, uint32_t instruction)
{
    enum uselessness why = why_useless(side, instruction);
    return why == uselessness_STILL_IN_REGISTER || why == uselessness_PUT_BACK;
}

/* Comments of compilers: "%sfp" of gcc -fverbose-asm, "8-byte Spill" of clang. */
static bool is_spill(const struct edit_making *making, const struct edit_side *side, uint32_t instruction)
{
    const struct model *model = side->model;
    const struct listing_instruction *row = node_listing_row(model, instruction);
    const char *comment = row && row->comment ? model_text(model, row->comment) : "";
    unsigned count;
    const struct frame_access *access = edit_accesses(side->function, local_of(side, instruction), &count);
    return making->work->has_no_volatile || strstr(comment, "%sfp") || strstr(comment, "-byte Spill") ||
           strstr(comment, "-byte Reload") || strstr(comment, "-byte Folded Spill") ||
           strstr(comment, "-byte Folded Reload") || (access && access->flags & ACCESS_IS_EXPLICIT);
}

static void need_spill(const struct edit_making *making, const struct edit_side *side, uint32_t instruction,
                       struct edit_wish *wish)
{
    if (!is_spill(making, side, instruction))
        edit_refuse(
            wish, "what it accesses may be a volatile variable: no comment of the compiler says that it is a "
                  "spill (gcc -fverbose-asm writes them; --no-volatile promises that there is none)");
}

static bool has_odd_registers(const struct edit_side *side, uint32_t instruction)
{
    const struct model *model = side->model;
    uint32_t encoding = model_instruction(model, instruction)->encoding;
    size_t at =
        array_first_not_below(&model->register_uses, 0, offsetof(struct register_use, encoding), encoding);
    for (; at < model->register_uses.count && model_register_use(model, (uint32_t)at)->encoding == encoding;
         at++) {
        unsigned kind = model_register(model, model_register_use(model, (uint32_t)at)->register_)->kind;
        if (kind == register_kind_X87 || kind == register_kind_MATRIX)
            return true;
    }
    return false;
}

static bool writes_stack(const struct edit_side *side, uint32_t instruction)
{
    unsigned count;
    const struct unit_use *uses = edit_uses(side, instruction, &count);
    for (unsigned i = 0; i < count; i++)
        if (uses[i].what & USE_WRITES && side->function->graph.units->abi[uses[i].unit] & ABI_STACK)
            return true;
    return false;
}

/* AArch64: between a load-exclusive and its store-exclusive nothing may come. */
static bool is_near_exclusive(const struct edit_side *side, uint32_t instruction)
{
    const struct block *block = model_block(side->model, model_instruction(side->model, instruction)->block);
    for (uint32_t i = 0; side->function->graph.units->isa == isa_AARCH64 && i < block->instruction_count; i++)
        if (encoding_of(side, block->first_instruction + i)->class == class_ATOMIC)
            return true;
    return false;
}

/* NULL, or why it is out of bounds. */
static const char *taboo(const struct edit_side *side, uint32_t instruction)
{
    const struct encoding *encoding = encoding_of(side, instruction);
    const struct encoding_meaning *meaning =
        &side->meanings->encodings[model_instruction(side->model, instruction)->encoding];
    if (encoding->is_unknown)
        return "the reader does not know it";
    switch (encoding->class) {
    case class_BRANCH:
    case class_CALL:
    case class_RETURN:
        return "control flow stays as it is";
    case class_PUSH:
    case class_POP:
        return "the stack pointer stays as it is";
    case class_OTHER:
    case class_STRING:
    case class_ATOMIC:
    case class_FENCE:
    case class_SYSTEM:
        return "it does more than its registers show (string, atomic, fence or system instruction)";
    default:
        break;
    }
    if (encoding->flow != flow_NEXT || meaning->rotates || meaning->clears_rotation || meaning->is_alloc)
        return "control flow stays as it is";
    if (edit_bundles_taboo(side->model, instruction))
        return edit_bundles_taboo(side->model, instruction);
    if (is_near_exclusive(side, instruction))
        return "it is in a block with exclusive or atomic accesses";
    if (writes_stack(side, instruction))
        return "the stack pointer stays as it is";
    return has_odd_registers(side, instruction)
               ? "it works on the x87 stack or on tiles, which are not followed"
               : NULL;
}

static bool is_named(const struct edit_side *side, uint32_t instruction, const char *name)
{
    const char *its = model_text(side->model, encoding_of(side, instruction)->name);
    return its && !strcmp(its, name);
}

static bool may_trap(const struct encoding *encoding)
{
    return encoding->class == class_DIVIDE && encoding->isa == isa_X86_64;
}

void edit_rules_before(const struct edit_side *side, struct edit_wish *wish)
{
    const struct encoding *encoding = encoding_of(side, wish->instruction);
    if (encoding->class == class_NOP && !is_named(side, wish->instruction, "nop"))
        edit_refuse(wish, "nothing may come before a landing mark or a hint");
}

void edit_rules_old(const struct edit_making *making, const struct edit_side *side, struct edit_wish *wish)
{
    uint32_t instruction = wish->instruction;
    const struct encoding *encoding = encoding_of(side, instruction);
    const char *reason = taboo(side, instruction);
    if (reason) {
        edit_refuse(wish, "%s", reason);
        return;
    }
    if (encoding->class == class_NOP && !is_named(side, instruction, "nop"))
        edit_refuse(wish, "it is a hint or a landing mark, which the processor or the system looks at");
    if (wish->kind == edit_kind_DELETE && may_trap(encoding))
        edit_refuse(wish, "a division may trap, which is an effect, too");
    if (wish->kind != edit_kind_DELETE || encoding->class == class_PREFETCH ||
        (!encoding->load_bytes && !encoding->store_bytes))
        return;
    if (!is_in_frame(side, instruction)) {
        edit_refuse(wish, encoding->store_bytes ? "it stores to memory that others may read"
                                                : "it loads from memory that may be volatile");
        return;
    }
    unsigned count;
    const struct frame_access *access = edit_accesses(side->function, local_of(side, instruction), &count);
    const struct units *units = side->function->graph.units;
    bool is_kept = encoding->store_bytes && why_useless(side, instruction) == uselessness_COUNT;
    for (unsigned i = 0; is_kept && i < count; i++)
        if (units->isa == isa_IA64 || access[i].unit == NO_UNIT || units->abi[access[i].unit] & ABI_PRESERVED)
            edit_refuse(wish, "something may read what it stores, such as the unwinder");
    need_spill(making, side, instruction, wish);
}

/* The memory operand; NULL: none. */
static const struct operand *memory_of(const struct edit_side *side, uint32_t instruction)
{
    const struct model *model = side->model;
    uint32_t encoding = model_instruction(model, instruction)->encoding;
    size_t at = array_first_not_below(&model->operands, 0, offsetof(struct operand, encoding), encoding);
    for (; at < model->operands.count && model_operand(model, (uint32_t)at)->encoding == encoding; at++)
        if (model_operand(model, (uint32_t)at)->kind == operand_kind_MEMORY)
            return model_operand(model, (uint32_t)at);
    return NULL;
}

static bool is_same_register(const struct edit_side *a, uint32_t one, const struct edit_side *b,
                             uint32_t other)
{
    if (!one || !other)
        return one == other;
    return !strcmp(model_text(a->model, model_register(a->model, one)->name),
                   model_text(b->model, model_register(b->model, other)->name));
}

static bool is_same_place(const struct edit_side *a, uint32_t one, const struct edit_side *b, uint32_t other)
{
    const struct operand *p = memory_of(a, one), *q = memory_of(b, other);
    return p && q && is_same_register(a, p->base_register, b, q->base_register) &&
           is_same_register(a, p->index_register, b, q->index_register) && p->scale == q->scale &&
           p->displacement == q->displacement && !p->is_relative && !q->is_relative;
}

/* A replacement accesses the memory that the old instruction accesses, or less of it. */
static void check_replaced_memory(const struct edit_making *making, const struct edit_side *again,
                                  uint32_t instruction, const struct edit_side *old, struct edit_wish *wish)
{
    const struct encoding *before = encoding_of(old, wish->instruction),
                          *now = encoding_of(again, instruction);
    bool is_same = is_same_place(old, wish->instruction, again, instruction);
    if (before->class == class_PREFETCH && now->class == class_PREFETCH)
        return;
    if (before->store_bytes || now->store_bytes) {
        if (!is_same || before->store_bytes != now->store_bytes || now->load_bytes > before->load_bytes)
            edit_refuse(wish, "a store is replaced only by one of as many bytes to the same place");
        return;
    }
    bool is_less = is_same && now->load_bytes <= before->load_bytes;
    if (now->load_bytes && !is_less && !is_in_frame(again, instruction))
        edit_refuse(wish, "the new instruction loads from memory that may not be there");
    if (!before->load_bytes || (is_same && now->load_bytes == before->load_bytes))
        return;
    if (is_in_frame(old, wish->instruction))
        need_spill(making, old, wish->instruction, wish);
    else if (!making->work->has_no_volatile)
        edit_refuse(wish, "it loads from memory that may be volatile");
}

void edit_rules_new(const struct edit_making *making, const struct edit_side *side, uint32_t instruction,
                    const struct edit_side *old, struct edit_wish *wish)
{
    const struct encoding *encoding = encoding_of(side, instruction);
    const char *reason = taboo(side, instruction);
    if (encoding->isa == isa_IA64)
        edit_bundles_check_group(side, instruction, instruction, 0, wish);
    if (reason)
        edit_refuse(wish, "its text: %s", reason);
    else if (may_trap(encoding) &&
             (wish->kind != edit_kind_REPLACE || !may_trap(encoding_of(old, wish->instruction))))
        edit_refuse(wish, "its text has a division, which may trap");
    else if (wish->kind == edit_kind_REPLACE)
        check_replaced_memory(making, side, instruction, old, wish);
    else if (encoding->class == class_PREFETCH)
        return;
    else if (encoding->store_bytes)
        edit_refuse(wish, "its text stores to memory");
    else if (encoding->load_bytes && !is_in_frame(side, instruction))
        edit_refuse(wish, "its text loads from memory that may not be there; a prefetch may be inserted");
}

/* Two instructions that may change their order */

static bool is_disjoint(const struct frame_access *a, unsigned count, const struct frame_access *b,
                        unsigned others)
{
    for (unsigned i = 0; i < count; i++)
        for (unsigned k = 0; k < others; k++)
            if (a[i].offset < b[k].offset + b[k].bytes && b[k].offset < a[i].offset + a[i].bytes)
                return false;
    return true;
}

static bool is_private(const struct edit_side *side, const struct frame_access *accesses, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (accesses[i].offset + accesses[i].bytes > 0)
            return false;
    return !side->function->frame.escapes;
}

static bool memory_meets(const struct edit_making *making, const struct edit_side *side, uint32_t one,
                         uint32_t other)
{
    const struct encoding *a = encoding_of(side, one), *b = encoding_of(side, other);
    bool has_a = a->load_bytes || a->store_bytes, has_b = b->load_bytes || b->store_bytes;
    if (!has_a || !has_b || a->class == class_PREFETCH || b->class == class_PREFETCH)
        return false;
    bool a_here = is_in_frame(side, one), b_here = is_in_frame(side, other),
         stores = a->store_bytes || b->store_bytes;
    unsigned count, others;
    const struct frame_access *mine = edit_accesses(side->function, local_of(side, one), &count),
                              *its = edit_accesses(side->function, local_of(side, other), &others);
    bool has_no_order =
        making->work->has_no_volatile || (is_spill(making, side, one) && is_spill(making, side, other));
    if (a_here && b_here)
        return (stores && !is_disjoint(mine, count, its, others)) || !has_no_order;
    if (a_here || b_here) {
        bool is_own = side->function->frame.is_unreliable
                          ? false
                          : is_private(side, a_here ? mine : its, a_here ? count : others);
        bool has_order = !making->work->has_no_volatile && !is_spill(making, side, a_here ? one : other);
        return (stores && !is_own) || has_order;
    }
    return stores || !making->work->has_no_volatile;
}

/* Whether one reads what the other writes. */
static bool registers_meet(const struct edit_side *side, uint32_t one, uint32_t other)
{
    unsigned count, others;
    const struct unit_use *a = edit_uses(side, one, &count), *b = edit_uses(side, other, &others);
    for (unsigned i = 0; i < count; i++)
        for (unsigned k = 0; k < others; k++) {
            if (a[i].unit != b[k].unit)
                continue;
            bool a_reads = a[i].what & (USE_READS | USE_KEEPS), b_reads = b[k].what & (USE_READS | USE_KEEPS);
            bool a_writes = a[i].what & USE_WRITES, b_writes = b[k].what & USE_WRITES;
            if ((a_writes && b_reads) || (a_reads && b_writes))
                return true;
        }
    return false;
}

void edit_rules_pair(const struct edit_making *making, const struct edit_side *side, uint32_t moved,
                     uint32_t other, struct edit_wish *wish)
{
    autofree char *place = edit_place(making, moved), *passed = edit_place(making, other);
    if (taboo(side, moved) && encoding_of(side, moved)->class != class_NOP)
        edit_refuse(wish, "%s: %s", place, taboo(side, moved));
    else if (taboo(side, other) && encoding_of(side, other)->class != class_NOP)
        edit_refuse(wish, "%s is between them: %s", passed, taboo(side, other));
    else if (may_trap(encoding_of(side, moved)))
        edit_refuse(wish, "%s may trap, so it stays where it is", place);
    else if (registers_meet(side, moved, other))
        edit_refuse(wish, "%s and %s depend on each other by a register", place, passed);
    else if (memory_meets(making, side, moved, other))
        edit_refuse(wish, "%s and %s may meet in memory, or others watch their order", place, passed);
}

void edit_rules_swap(const struct edit_making *making, const struct edit_side *side, struct edit_wish *wish)
{
    uint32_t first = wish->instruction < wish->other ? wish->instruction : wish->other;
    uint32_t last = first == wish->instruction ? wish->other : wish->instruction;
    const char *reason = taboo(side, first) ? taboo(side, first) : taboo(side, last);
    if (model_instruction(side->model, first)->block != model_instruction(side->model, last)->block)
        edit_refuse(wish, "the two are in different blocks");
    else if (first == last)
        edit_refuse(wish, "an instruction is not swapped with itself");
    else if (reason)
        edit_refuse(wish, "%s", reason);
    for (uint32_t i = first; i <= last && !wish->refusal; i++) {
        uint32_t change = edit_number(&making->changes, i);
        bool has_other = (change && edit_wish_at(making, change - 1) != wish &&
                          !edit_wish_at(making, change - 1)->refusal) ||
                         edit_number(&making->befores, i) || edit_number(&making->afters, i);
        if (has_other)
            edit_refuse(wish, "another edit is between the two, or at one of them");
        for (unsigned end = 0; end < 2 && !wish->refusal; end++) {
            uint32_t moved = end ? last : first;
            if (i == moved || (end && i == first))
                continue;
            edit_rules_pair(making, side, moved, i, wish);
        }
    }
}
