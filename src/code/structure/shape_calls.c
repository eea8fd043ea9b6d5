/* Which functions the calls of a function reach.

   A call names its target, or a slot that the dynamic linker fills, or a relocation says it (callees.h): that
   is known from the instruction alone.  A call through a register needs the instructions before it, back to
   the load of a slot (slots.h), and the search needs to know where blocks start.  So such calls stay indirect
   until the leaders are known, and are completed then.  That does not change the leaders: a callee found late
   counts as one that returns. */
#include "code/structure/shape_parts.h"

#include "code/structure/slots.h"

static bool is_known(const struct callee *callee)
{
    return callee->piece || callee->import;
}

static void set_callee(const struct shape_work *work, struct shape_call *call, const struct callee *callee,
                       enum call_kind kind)
{
    call->piece = callee->piece ? (uint32_t)(callee->piece - layout_piece(work->layout, 0)) : NO_NODE;
    call->import = callee->import;
    call->kind = (uint8_t)kind;
}

void shape_add_call(struct shape_work *work, uint32_t entry, const struct callee *callee, enum call_kind kind)
{
    struct shape_call *call = array_add(&work->shaper->calls);
    call->entry = entry;
    set_callee(work, call, callee, kind);
}

void shape_note_call(struct shape_work *work, uint32_t entry)
{
    struct callee callee = callee_of(work->layout, work->piece, entry);
    bool is_direct = is_known(&callee) ? !callee.is_import : shape_is_direct(work, entry);
    shape_add_call(work, entry, &callee,
                   is_direct           ? call_kind_DIRECT
                   : is_known(&callee) ? call_kind_IMPORT
                                       : call_kind_INDIRECT);
    if (!callee_returns(work->layout, &callee)) {
        work->flags[entry] |= NO_RETURN;
        shape_lead(work, entry + 1);
    }
    const struct landing_pad *pad = layout_pad(work->layout, shape_address(work, entry));
    if (pad && pad->pad != NO_ADDRESS) {
        work->flags[entry] |= HAS_PAD;
        shape_lead(work, entry + 1);
        if (shape_is_inside(work, pad->pad))
            shape_lead(work, shape_entry_at(work, pad->pad));
    }
}

struct callee shape_callee(const struct shape_work *work, uint32_t entry)
{
    struct callee callee = callee_of(work->layout, work->piece, entry);
    uint64_t slot;
    if (!is_known(&callee) && !shape_is_direct(work, entry) && shape_knows_values(work) &&
        slot_find(&work->context, entry, &slot))
        callee = callee_in_slot(work->layout, slot);
    return callee;
}

bool shape_is_tail_call(const struct shape_work *work, uint32_t entry)
{
    struct callee callee = shape_callee(work, entry);
    return is_known(&callee);
}

void shape_complete_calls(struct shape_work *work)
{
    for (size_t i = 0; i < work->shaper->calls.count; i++) {
        struct shape_call *call = array_at(&work->shaper->calls, i);
        if (call->kind != call_kind_INDIRECT)
            continue;
        struct callee callee = shape_callee(work, call->entry);
        if (is_known(&callee))
            set_callee(work, call, &callee, call_kind_IMPORT);
    }
}
