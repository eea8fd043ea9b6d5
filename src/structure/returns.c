/* Which functions never return.

   A function may return if its code holds a return, an indirect jump, a jump to a function that may return,
   or if it runs off its end after something other than a call that does not return.  Everything is taken not
   to return until one of these is seen; what a jump or a last call reaches passes its answer on to those who
   wait for it.  Whether the return can be reached inside the function is not asked: code after a last call is
   not there if the compiler knew that the call does not return. */
#include "structure/callees.h"
#include "structure/layout.h"

#include "base/workers.h"

#include <stdlib.h>

static bool names_no_return(const struct layout *layout, const struct piece *piece)
{
    const char *name =
        piece->symbol ? model_text(layout->model, model_symbol(layout->model, piece->symbol)->name) : NULL;
    return name && callee_is_known_not_to_return(name);
}

/* Last entry that is an instruction and no padding, or UINT32_MAX. */
static uint32_t last_instruction(const struct layout *layout, const struct piece *piece)
{
    const struct sweep_instruction *entries = layout_instructions(layout, piece);
    for (uint32_t i = piece->count; i-- > 0;)
        if (entries[i].encoding && model_encoding(layout->model, entries[i].encoding)->class != class_NOP)
            return i;
    return UINT32_MAX;
}

static bool leaves(const struct piece *piece, uint64_t target)
{
    return target == NO_ADDRESS || target < piece->start || target >= piece->end;
}

static bool returns_by_itself(const struct layout *layout, const struct piece *piece)
{
    const struct sweep_instruction *entries = layout_instructions(layout, piece);
    for (uint32_t i = 0; i < piece->count; i++) {
        if (!entries[i].encoding)
            continue;
        uint8_t flow = model_encoding(layout->model, entries[i].encoding)->flow;
        if (flow == flow_RETURN)
            return true;
        if ((flow == flow_JUMP || flow == flow_BRANCH) && leaves(piece, entries[i].target)) {
            struct callee callee = callee_of(layout, piece, i);
            if (!callee.piece && !callee.import)
                return true;
        }
    }
    uint32_t last = last_instruction(layout, piece);
    if (last == UINT32_MAX)
        return true;
    uint8_t flow = model_encoding(layout->model, entries[last].encoding)->flow;
    return flow == flow_NEXT || flow == flow_BRANCH || flow == flow_SYSTEM;
}

static void judge_alone(void *context, size_t number, unsigned worker)
{
    struct layout *layout = context;
    struct piece *piece = layout_piece(layout, number);
    (void)worker;
    if (piece->is_function)
        piece->returns = !names_no_return(layout, piece) && returns_by_itself(layout, piece);
}

/* waiter returns if callee does. */
struct wait {
    uint32_t callee, waiter;
};

static int by_callee(const void *a, const void *b)
{
    const struct wait *x = a, *y = b;
    if (x->callee != y->callee)
        return x->callee < y->callee ? -1 : 1;
    return x->waiter < y->waiter ? -1 : x->waiter > y->waiter;
}

/* What the function ends in: it waits for functions of this program, and knows about others. */
static void collect_waits(const struct layout *layout, uint32_t number, struct array *waits)
{
    struct piece *piece = layout_piece(layout, number);
    const struct sweep_instruction *entries = layout_instructions(layout, piece);
    uint32_t last = last_instruction(layout, piece);
    for (uint32_t i = 0; i < piece->count && !piece->returns; i++) {
        if (!entries[i].encoding)
            continue;
        uint8_t flow = model_encoding(layout->model, entries[i].encoding)->flow;
        bool is_exit = (flow == flow_JUMP || flow == flow_BRANCH) && leaves(piece, entries[i].target);
        if (!is_exit && !(i == last && flow == flow_CALL))
            continue;
        struct callee callee = callee_of(layout, piece, i);
        if (callee.piece)
            *(struct wait *)array_add(waits) =
                (struct wait){(uint32_t)(callee.piece - layout_piece(layout, 0)), number};
        else
            piece->returns = callee_returns(layout, &callee);
    }
}

static void pass_on(const struct layout *layout, const struct array *waits, uint32_t callee,
                    struct array *queue)
{
    size_t low = 0, high = waits->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (ARRAY_AT(struct wait, waits, middle)->callee < callee)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < waits->count && ARRAY_AT(struct wait, waits, low)->callee == callee; low++) {
        uint32_t waiter = ARRAY_AT(struct wait, waits, low)->waiter;
        if (!layout_piece(layout, waiter)->returns) {
            layout_piece(layout, waiter)->returns = true;
            *(uint32_t *)array_add(queue) = waiter;
        }
    }
}

void layout_find_returns(struct layout *layout)
{
    struct array waits = ARRAY_OF(struct wait), queue = ARRAY_OF(uint32_t);
    workers_run(layout->threads, layout->pieces.count, judge_alone, layout);
    for (uint32_t i = 0; i < layout->pieces.count; i++) {
        struct piece *piece = layout_piece(layout, i);
        if (piece->is_function && !piece->returns && !names_no_return(layout, piece))
            collect_waits(layout, i, &waits);
    }
    if (waits.count)
        qsort(waits.data, waits.count, sizeof(struct wait), by_callee);
    for (size_t i = 0; i < waits.count; i++) {
        uint32_t callee = ARRAY_AT(struct wait, &waits, i)->callee;
        if (layout_piece(layout, callee)->returns)
            pass_on(layout, &waits, callee, &queue);
    }
    for (size_t i = 0; i < queue.count; i++)
        pass_on(layout, &waits, *ARRAY_AT(uint32_t, &queue, i), &queue);
    array_free(&waits);
    array_free(&queue);
}
