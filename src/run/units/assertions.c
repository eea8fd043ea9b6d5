/* Code is needed if it has an effect (a store, a call, a return), if what is needed reads its result, or if it is a
   branch that decides whether something needed is done.  All else is dead.  That is asked twice: of the code as it
   is, and of the code whose assertions cannot fail.  What is dead in the second only is there for the assertions:
   the comparison and its branch, the loads for it, and a whole loop that does nothing but look for a fault.

   A branch decides about a block if the block is done on the one side, whatever happens later, and not on the
   other: the blocks from the target of an edge up the tree of post-dominators to where the sides meet again.

   Compilers may keep a loop without effects if they cannot prove that it ends, so this is what can be saved at
   most. */
#include "run/units/assertions.h"

#include "code/structure/graph.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_BLOCKS = 1 << 15, MOST_DECISIONS = 1 << 20 };

/* Branch `by` (a block) decides about a block. */
struct decision {
    uint32_t block, by;
};

/* Blocks and instructions are numbered from 0 within the function. */
struct needs {
    const struct model *model;
    const struct function *function;
    uint32_t first;          /* row of its first instruction */
    const uint8_t *is_alarm; /* by row of blocks; NULL: those count like all others */
    struct array decisions;  /* of struct decision, by block */
    struct array queue;      /* of uint32_t: instructions whose needs are to be followed */
    uint8_t *is_needed, *is_done;
    struct graph_scratch scratch;
};

static bool reports_assertion(const char *name)
{
    static const char *const names[] = {"__assert_fail", "__assert", "__assert_perror_fail", "__assert_rtn",
                                        "_ZSt21__glibcxx_assert_failPKciS0_S0_"};
    for (size_t i = 0; name && i < sizeof names / sizeof *names; i++) {
        size_t length = strlen(names[i]);
        if (!strncmp(name, names[i], length) && (!name[length] || name[length] == '@'))
            return true;
    }
    return false;
}

uint8_t *assertions_find_alarms(const struct model *model)
{
    uint8_t *is_alarm = NULL;
    for (uint32_t i = 0; i < model->calls.count; i++) {
        const struct call *call = model_call(model, i);
        if (!call->callee || !reports_assertion(model_text(model, model_function(model, call->callee)->name)))
            continue;
        if (!is_alarm)
            is_alarm = memory_get(model->blocks.count + 1);
        is_alarm[model_instruction(model, call->instruction)->block] = 1;
    }
    return is_alarm;
}

static bool is_left_out(const struct needs *needs, uint32_t block)
{
    return needs->is_alarm && needs->is_alarm[needs->function->first_block + block];
}

/* Edges within the function, but those to blocks that are left out: calls found for each. */
typedef void edge_function(void *context, uint32_t from, uint32_t to);
static void each_edge(const struct needs *needs, edge_function *found, void *context)
{
    const struct model *model = needs->model;
    uint32_t first = needs->function->first_block, count = needs->function->block_count;
    size_t at = array_first_not_below(&model->edges, 0, offsetof(struct edge, source), first);
    for (; at < model->edges.count && model_edge(model, (uint32_t)at)->source < first + count; at++) {
        const struct edge *edge = model_edge(model, (uint32_t)at);
        uint32_t from = edge->source - first, to = edge->target - first;
        if (edge->target >= first && to < count && !is_left_out(needs, from) && !is_left_out(needs, to))
            found(context, from, to);
    }
}

/* The graph backwards: node 0 is the end of the function, node b + 1 a block. */
struct backwards {
    struct graph graph;
    uint8_t *continues; /* by block: it has an edge in the function */
    uint32_t *place;    /* by node: where its next target goes */
};

static void count_edge(void *context, uint32_t from, uint32_t to)
{
    struct backwards *backwards = context;
    backwards->graph.first[to + 2]++;
    backwards->continues[from] = 1;
}

static void put_edge(void *context, uint32_t from, uint32_t to)
{
    struct backwards *backwards = context;
    backwards->graph.targets[backwards->place[to + 1]++] = from + 1;
}

/* Immediate post-dominators by node, to be freed; NO_NODE: the end cannot be reached. */
static uint32_t *find_after(struct needs *needs)
{
    uint32_t count = needs->function->block_count, ends = 0;
    struct backwards backwards = {
        {count + 1, memory_get((count + 3) * sizeof(uint32_t)), NULL}, memory_get(count + 1), NULL};
    struct graph *graph = &backwards.graph;
    each_edge(needs, count_edge, &backwards);
    for (uint32_t block = 0; block < count; block++)
        ends += !backwards.continues[block];
    graph->first[1] = ends;
    for (uint32_t node = 1; node <= count; node++)
        graph->first[node + 1] += graph->first[node];
    graph->targets = memory_get((graph->first[count + 1] + 1) * sizeof(uint32_t));
    backwards.place = memory_get((count + 2) * sizeof(uint32_t));
    memcpy(backwards.place, graph->first, (count + 2) * sizeof(uint32_t));
    for (uint32_t block = 0, at = 0; block < count; block++)
        if (!backwards.continues[block])
            graph->targets[at++] = block + 1;
    each_edge(needs, put_edge, &backwards);
    uint32_t *after = memory_get((count + 1) * sizeof(uint32_t));
    autofree uint32_t *enter = memory_get((count + 1) * sizeof(uint32_t)),
                      *leave = memory_get((count + 1) * sizeof(uint32_t));
    graph_dominators(graph, &needs->scratch, after, enter, leave);
    free(graph->first);
    free(graph->targets);
    free(backwards.continues);
    free(backwards.place);
    return after;
}

struct deciding {
    struct needs *needs;
    const uint32_t *after;
};

static void decide(void *context, uint32_t from, uint32_t to)
{
    const struct deciding *deciding = context;
    struct array *decisions = &deciding->needs->decisions;
    uint32_t meeting = deciding->after[from + 1];
    for (uint32_t node = to + 1; node && node != NO_NODE && node != meeting; node = deciding->after[node])
        if (decisions->count < MOST_DECISIONS)
            *(struct decision *)array_push(decisions) = (struct decision){node - 1, from};
}

static int by_block(const void *left, const void *right)
{
    const struct decision *a = left, *b = right;
    return a->block != b->block ? (a->block > b->block) - (a->block < b->block)
                                : (a->by > b->by) - (a->by < b->by);
}

static void need(struct needs *needs, uint32_t instruction)
{
    if (needs->is_needed[instruction])
        return;
    needs->is_needed[instruction] = 1;
    *(uint32_t *)array_push(&needs->queue) = instruction;
}

static bool has_effect(const struct encoding *row)
{
    return row->store_bytes ||
           (row->flow != flow_NEXT && row->flow != flow_JUMP && row->flow != flow_BRANCH) ||
           row->class == class_OTHER || row->class == class_SYSTEM || row->class == class_ATOMIC ||
           row->class == class_FENCE || row->class == class_STRING || row->class == class_PUSH ||
           row->class == class_POP || row->class == class_PREFETCH || row->class == class_SCATTER;
}

/* A jump to places that only the run knows, or a jump or branch out of the function: but not to what is left out, which
   compilers like to put into a part of its own (`work.cold`). */
static bool leaves(const struct needs *needs, const struct instruction *instruction,
                   const struct encoding *row)
{
    if (row->flow != flow_JUMP && row->flow != flow_BRANCH)
        return false;
    const struct model *model = needs->model;
    const struct function *function = needs->function;
    size_t at = array_first_not_below(&model->edges, 0, offsetof(struct edge, source), instruction->block);
    uint32_t inside = 0, outside = 0, left_out = 0;
    for (; at < model->edges.count && model_edge(model, (uint32_t)at)->source == instruction->block; at++) {
        uint32_t target = model_edge(model, (uint32_t)at)->target;
        if (needs->is_alarm && needs->is_alarm[target])
            left_out++;
        else if (target - function->first_block < function->block_count)
            inside++;
        else
            outside++;
    }
    return outside || inside > (row->flow == flow_BRANCH ? 2 : 1) || !(inside + left_out);
}

/* The block is done for something: so are its jump and the branches that decide about it. */
static void need_block(struct needs *needs, uint32_t block)
{
    if (needs->is_done[block])
        return;
    needs->is_done[block] = 1;
    size_t at = array_first_not_below(&needs->decisions, 0, offsetof(struct decision, block), block);
    for (; at < needs->decisions.count; at++) {
        const struct decision *decision = ARRAY_AT(struct decision, &needs->decisions, at);
        if (decision->block != block)
            break;
        const struct block *by = model_block(needs->model, needs->function->first_block + decision->by);
        if (by->instruction_count)
            need(needs, by->first_instruction + by->instruction_count - 1 - needs->first);
    }
}

static void find_roots(struct needs *needs)
{
    const struct function *function = needs->function;
    for (uint32_t b = 0; b < function->block_count; b++) {
        const struct block *block = model_block(needs->model, function->first_block + b);
        for (uint32_t i = 0; i < block->instruction_count && !is_left_out(needs, b); i++) {
            uint32_t id = block->first_instruction + i;
            const struct instruction *instruction = model_instruction(needs->model, id);
            const struct encoding *row = model_encoding(needs->model, instruction->encoding);
            if (has_effect(row) || leaves(needs, instruction, row))
                need(needs, id - needs->first);
        }
    }
}

/* Data flow has the registers of results as used by every return. */
static bool returns_nothing(const struct needs *needs, uint32_t instruction)
{
    const struct instruction *row = model_instruction(needs->model, instruction);
    return needs->function->is_void && model_encoding(needs->model, row->encoding)->flow == flow_RETURN;
}

static void follow(struct needs *needs)
{
    const struct model *model = needs->model;
    const struct function *function = needs->function;
    for (size_t next = 0; next < needs->queue.count; next++) {
        uint32_t id = *ARRAY_AT(uint32_t, &needs->queue, next) + needs->first;
        size_t at = array_first_not_below(&model->def_use, 0, offsetof(struct def_use, use), id);
        for (; at < model->def_use.count && !returns_nothing(needs, id); at++) {
            const struct def_use *row = ARRAY_AT(struct def_use, &model->def_use, at);
            if (row->use != id)
                break;
            uint32_t definition = row->definition - needs->first;
            if (row->definition && definition < function->instruction_count)
                need(needs, definition);
        }
        need_block(needs, model_instruction(model, id)->block - function->first_block);
    }
}

/* 1 for each instruction that is needed; to be freed. */
static uint8_t *find_needed(const struct model *model, const struct function *function,
                            const uint8_t *is_alarm)
{
    struct needs needs = {.model = model,
                          .function = function,
                          .first = model_block(model, function->first_block)->first_instruction,
                          .is_alarm = is_alarm,
                          .decisions = ARRAY_OF(struct decision),
                          .queue = ARRAY_OF(uint32_t),
                          .is_needed = memory_get(function->instruction_count + 1),
                          .is_done = memory_get(function->block_count + 1)};
    autofree uint32_t *after = find_after(&needs);
    each_edge(&needs, decide, &(struct deciding){&needs, after});
    if (needs.decisions.count)
        qsort(needs.decisions.data, needs.decisions.count, needs.decisions.width, by_block);
    find_roots(&needs);
    follow(&needs);
    graph_scratch_free(&needs.scratch);
    array_free(&needs.decisions);
    array_free(&needs.queue);
    free(needs.is_done);
    return needs.is_needed;
}

void assertions_mark(const struct model *model, uint32_t id, const uint8_t *is_alarm, uint8_t *is_spared)
{
    const struct function *function = model_function(model, id);
    if (!function->block_count || function->block_count > MOST_BLOCKS)
        return;
    autofree uint8_t *with = find_needed(model, function, NULL),
                     *without = find_needed(model, function, is_alarm);
    uint32_t first = model_block(model, function->first_block)->first_instruction;
    for (uint32_t i = 0; i < function->instruction_count; i++)
        is_spared[first + i] |= with[i] && !without[i];
}
