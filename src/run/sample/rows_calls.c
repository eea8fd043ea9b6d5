/* The call tree: nodes of the recording merged by function.

   A function that calls itself is one call, however deep; calls through others are followed to a depth that
   only recursion reaches.  A call has its callees right after it, the most time first. */
#include "run/sample/rows_parts.h"

#include "base/number_map.h"

#include <stdlib.h>

static const double LEAST_SHARE = 0.001;
enum { MOST_DEPTH = 200 };

struct tree_call {
    uint32_t caller, number, code, depth; /* number: its place in the tree, caller: that of its caller */
    double self, total;
};

static int by_caller(const void *left, const void *right)
{
    const struct tree_call *a = left, *b = right;
    if (a->caller != b->caller)
        return a->caller < b->caller ? -1 : 1;
    if (a->total != b->total)
        return a->total > b->total ? -1 : 1;
    return (a->code > b->code) - (a->code < b->code);
}

/* Of struct tree_call; the first is what calls the outermost functions. */
static struct array find_calls(const struct sample_rows *rows)
{
    size_t node_count = rows->recording->nodes.count;
    uint32_t *calls = memory_get((node_count + 1) * sizeof *calls); /* by node */
    struct array tree = ARRAY_OF(struct tree_call);
    struct number_map known = {0};
    array_add(&tree);
    for (uint32_t i = 1; i < node_count; i++) {
        uint32_t caller = recorded_node(rows, i)->caller;
        uint32_t above = caller < i ? calls[caller] : 0, code = row_frame_of(rows, i)->code;
        const struct tree_call *there = ARRAY_AT(struct tree_call, &tree, above);
        calls[i] = above;
        if (there->code != code && there->depth < MOST_DEPTH) {
            struct tree_call new = {
                .caller = above, .code = code, .depth = there->depth + 1, .number = (uint32_t)tree.count};
            uint32_t *call = number_map_at(&known, (uint64_t)above << 32 | code);
            if (!*call) {
                *call = (uint32_t)tree.count;
                *(struct tree_call *)array_add(&tree) = new;
            }
            calls[i] = *call;
        }
        ARRAY_AT(struct tree_call, &tree, calls[i])->self += rows->nodes[i].self;
    }
    for (size_t i = tree.count; i-- > 1;) {
        struct tree_call *call = ARRAY_AT(struct tree_call, &tree, i);
        call->total += call->self;
        ARRAY_AT(struct tree_call, &tree, call->caller)->total += call->total;
    }
    number_map_free(&known);
    free(calls);
    return tree;
}

/* A call whose callees are being added. */
struct open_call {
    uint32_t call, row;
    size_t next; /* callee, among the sorted ones */
};

static void open_callees(struct array *open, const struct array *sorted, uint32_t call, uint32_t row)
{
    size_t first = array_first_not_below(sorted, 0, offsetof(struct tree_call, caller), call);
    *(struct open_call *)array_push(open) = (struct open_call){call, row, first};
}

static uint32_t add_row(struct sample_rows *rows, const struct tree_call *call, uint32_t caller)
{
    const struct row_code *code = ARRAY_AT(struct row_code, &rows->codes, call->code);
    *(struct run_call *)model_add(&rows->model->run_calls) = (struct run_call){.run = rows->run,
                                                                               .caller = caller,
                                                                               .function = code->function,
                                                                               .name = code->name,
                                                                               .depth = call->depth,
                                                                               .self_seconds = call->self,
                                                                               .total_seconds = call->total};
    return model_last(&rows->model->run_calls);
}

static void add_in_order(struct sample_rows *rows, const struct array *sorted)
{
    struct array open = ARRAY_OF(struct open_call);
    open_callees(&open, sorted, 0, 0);
    while (open.count) {
        struct open_call *top = ARRAY_AT(struct open_call, &open, open.count - 1);
        const struct tree_call *callee =
            top->next < sorted->count ? ARRAY_AT(struct tree_call, sorted, top->next) : NULL;
        if (!callee || callee->caller != top->call) {
            open.count--;
            continue;
        }
        top->next++;
        open_callees(&open, sorted, callee->number, add_row(rows, callee, top->row));
    }
    array_free(&open);
}

void row_calls_add(struct sample_rows *rows)
{
    struct array tree = find_calls(rows), sorted = ARRAY_OF(struct tree_call);
    for (size_t i = 1; i < tree.count; i++) {
        const struct tree_call *call = ARRAY_AT(struct tree_call, &tree, i);
        if (call->total > 0 && call->total >= LEAST_SHARE * rows->seconds)
            *(struct tree_call *)array_push(&sorted) = *call;
    }
    if (sorted.count)
        qsort(sorted.data, sorted.count, sorted.width, by_caller);
    add_in_order(rows, &sorted);
    array_free(&sorted);
    array_free(&tree);
}
