/* The tree of stacks, added up.

   A node's total is its own time and that of all nodes below it, which come after it.  The tree is then
   walked once, with a counter for each function and loop of how many frames of the present stack are in it:
   what a node and everything below it took counts for a function, or a loop, only where the counter was 0. So
   a recursive function counts once in each sample, and a loop counts whatever ran while it was on the stack:
   its inner loops, what all of them called, the kernel that brought pages for it.

   The frame of a caller is its call, so the loops that contain the call are the loops that wait for it. */
#include "run/sample/rows_parts.h"

#include <math.h>
#include <stdlib.h>

static const double ROUNDING = 1e-9; /* differences of sums below it are none */

/* ---- nodes ---- */

static uint32_t caller_of(const struct sample_rows *rows, uint32_t node)
{
    uint32_t caller = recorded_node(rows, node)->caller;
    return caller < node ? caller : 0;
}

static bool is_kernel(const struct sample_rows *rows, uint32_t node)
{
    uint32_t file = recorded_frame(rows, node)->file;
    return ARRAY_AT(struct sample_file, &rows->recording->files, file)->kind == SAMPLE_FILE_KERNEL;
}

static uint8_t activity_of_node(const struct sample_rows *rows, uint32_t node)
{
    const struct row_code *code = row_code_of(rows, node);
    uint32_t caller = caller_of(rows, node);
    return code->activity == run_activity_COMPUTE && code->is_helper && caller ? rows->nodes[caller].activity
                                                                               : code->activity;
}

static void find_nodes(struct sample_rows *rows)
{
    const struct array *counts = &rows->recording->counts;
    size_t node_count = rows->recording->nodes.count;
    rows->nodes = memory_get((node_count + 1) * sizeof *rows->nodes);
    for (size_t i = 0; i < counts->count; i++) {
        const struct sample_count *count = ARRAY_AT(struct sample_count, counts, i);
        if (count->event)
            continue;
        rows->nodes[count->node].samples += count->samples;
        rows->nodes[count->node].self += count->amount;
        rows->samples += count->samples;
        rows->seconds += count->amount;
    }
    for (uint32_t i = 1; i < node_count; i++) {
        struct row_node *node = &rows->nodes[i];
        const struct row_node *caller = &rows->nodes[caller_of(rows, i)];
        node->total = node->self;
        node->activity = activity_of_node(rows, i);
        node->is_mpi = caller->is_mpi || row_code_of(rows, i)->activity == run_activity_MPI;
        node->is_cut = caller->is_cut || recorded_node(rows, i)->is_cut;
    }
    for (uint32_t i = (uint32_t)node_count; i-- > 1;) {
        struct row_node *caller = &rows->nodes[caller_of(rows, i)];
        caller->total += rows->nodes[i].total;
        caller->kernel += is_kernel(rows, i) ? rows->nodes[i].total : 0;
    }
}

/* ---- the walk ---- */

struct walk {
    struct sample_rows *rows;
    uint32_t *first_callee, *next_callee; /* by node */
    uint32_t *active;                     /* by code */
    struct loop_time *loops;
};

static void enter(struct walk *walk, uint32_t id)
{
    const struct row_node *node = &walk->rows->nodes[id];
    const struct row_frame *frame = row_frame_of(walk->rows, id);
    struct row_code *code = row_code_of(walk->rows, id);
    code->samples += node->samples;
    code->self += node->self;
    if (!walk->active[frame->code]++)
        code->total += node->total;
    if (!frame->loop)
        return;
    struct loop_time *own = &walk->loops[frame->loop];
    own->samples += node->samples;
    own->self += node->self;
    own->kernel += node->kernel;
    if (!own->calling++)
        own->calls += node->total - node->self - node->kernel;
    for (uint32_t loop = frame->loop; loop; loop = model_loop(walk->rows->model, loop)->parent)
        if (!walk->loops[loop].active++)
            walk->loops[loop].total += node->total;
}

static void leave(struct walk *walk, uint32_t id)
{
    const struct row_frame *frame = row_frame_of(walk->rows, id);
    walk->active[frame->code]--;
    if (frame->loop)
        walk->loops[frame->loop].calling--;
    for (uint32_t loop = frame->loop; loop; loop = model_loop(walk->rows->model, loop)->parent)
        walk->loops[loop].active--;
}

/* Every node after its caller and before the next one beside it; a node is left after all below it. */
static void walk_tree(struct walk *walk)
{
    for (uint32_t node = walk->first_callee[0]; node;) {
        enter(walk, node);
        if (walk->first_callee[node]) {
            node = walk->first_callee[node];
            continue;
        }
        while (node) {
            leave(walk, node);
            if (walk->next_callee[node]) {
                node = walk->next_callee[node];
                break;
            }
            node = caller_of(walk->rows, node);
        }
    }
}

void row_times_find(struct sample_rows *rows)
{
    size_t node_count = rows->recording->nodes.count;
    find_nodes(rows);
    struct walk walk = {.rows = rows,
                        .first_callee = memory_get((node_count + 1) * sizeof(uint32_t)),
                        .next_callee = memory_get((node_count + 1) * sizeof(uint32_t)),
                        .active = memory_get(rows->codes.count * sizeof(uint32_t)),
                        .loops = memory_get((rows->model->loops.count + 1) * sizeof(struct loop_time))};
    for (uint32_t i = (uint32_t)node_count; i-- > 1;) {
        uint32_t caller = caller_of(rows, i);
        walk.next_callee[i] = walk.first_callee[caller];
        walk.first_callee[caller] = i;
    }
    walk_tree(&walk);
    struct row_code *unknown = row_code_of(rows, 0);
    unknown->samples += rows->nodes[0].samples;
    unknown->self += rows->nodes[0].self;
    unknown->total += rows->nodes[0].self;
    free(walk.first_callee);
    free(walk.next_callee);
    free(walk.active);
    rows->loops = walk.loops;
}

/* ---- rows ---- */

static int by_time(const void *left, const void *right)
{
    const struct run_function *a = left, *b = right;
    if (a->self_seconds != b->self_seconds)
        return a->self_seconds > b->self_seconds ? -1 : 1;
    if (a->total_seconds != b->total_seconds)
        return a->total_seconds > b->total_seconds ? -1 : 1;
    if (a->function != b->function)
        return a->function < b->function ? -1 : 1;
    return (a->name > b->name) - (a->name < b->name);
}

void row_functions_add(struct sample_rows *rows)
{
    struct array *table = &rows->model->run_functions;
    size_t first = 0;
    for (size_t i = 1; i < rows->codes.count; i++) {
        const struct row_code *code = ARRAY_AT(struct row_code, &rows->codes, i);
        if (!(code->total > 0))
            continue;
        struct run_function *row = model_add(table);
        first = first ? first : model_last(table);
        *row = (struct run_function){.run = rows->run,
                                     .function = code->function,
                                     .name = code->name,
                                     .file = rows->file_rows[code->file],
                                     .activity = code->activity,
                                     .is_library = code->is_library,
                                     .samples = code->samples,
                                     .self_seconds = code->self,
                                     .self_share = row_share(rows, code->self),
                                     .total_seconds = code->total,
                                     .total_share = row_share(rows, code->total),
                                     .cycles_per_call = NAN,
                                     .predicted_cycles = NAN,
                                     .chain_cycles = NAN,
                                     .calls_per_call = NAN};
    }
    if (first)
        qsort(array_at(table, first), table->count - first, table->width, by_time);
}

/* Samples fall into a loop or not: the number in it is binomial. */
static double relative_error(const struct sample_rows *rows, uint64_t samples)
{
    return samples ? sqrt((1 - (double)samples / (double)rows->samples) / (double)samples) : NAN;
}

void row_loops_add(struct sample_rows *rows)
{
    for (uint32_t loop = 1; loop < rows->model->loops.count; loop++) {
        const struct loop_time *time = &rows->loops[loop];
        if (!(time->total > 0))
            continue;
        *(struct run_loop *)model_add(&rows->model->run_loops) =
            (struct run_loop){.run = rows->run,
                              .loop = loop,
                              .samples = time->samples,
                              .self_seconds = time->self,
                              .self_share = row_share(rows, time->self),
                              .total_seconds = time->total,
                              .total_share = row_share(rows, time->total),
                              .call_seconds = time->calls > ROUNDING * time->total ? time->calls : 0,
                              .kernel_seconds = rows->recording->has_kernel ? time->kernel : NAN,
                              .error = relative_error(rows, time->samples),
                              .cycles_per_iteration = NAN,
                              .measured_by = run_measure_NONE,
                              .sampled_cycles = NAN,
                              .probed_cycles = NAN,
                              .predicted_cycles = NAN,
                              .least_cycles = NAN,
                              .most_cycles = NAN,
                              .calls_per_iteration = NAN};
    }
}
