#include "run/sample/heat.h"

#include "base/hash_index.h"

#include <stdlib.h>

enum { MOST_INLINED = 100 }; /* one into the other; what is further out is as if it were not inlined */

/* Nodes while they are found: in the order in which they came, each after the one above it. */
struct heat_search {
    const struct model *model;
    uint32_t function;
    struct array nodes;       /* of struct heat_node */
    struct hash_index places; /* by what tells nodes apart */
    uint32_t *of_position;    /* by row of source_lines: its node */
};

/* ---- the tree ---- */

static uint32_t node_at(struct heat_search *search, const struct heat_node *wanted)
{
    uint64_t hash = hash_mix(hash_mix((uint64_t)wanted->parent << 32 | wanted->line, wanted->file),
                             (uint64_t)wanted->name << 8 | wanted->kind);
    size_t slot = SIZE_MAX;
    for (uint32_t place; (place = hash_index_next(&search->places, hash, &slot)) != UINT32_MAX;) {
        const struct heat_node *node = ARRAY_AT(struct heat_node, &search->nodes, place);
        if (node->parent == wanted->parent && node->kind == wanted->kind && node->file == wanted->file &&
            node->line == wanted->line && node->name == wanted->name)
            return place;
    }
    uint32_t place = (uint32_t)search->nodes.count;
    *(struct heat_node *)array_push(&search->nodes) = *wanted;
    hash_index_add(&search->places, hash, place);
    return place;
}

static uint32_t line_in(struct heat_search *search, uint32_t body, uint32_t file, uint32_t line)
{
    struct heat_node wanted = {.kind = HEAT_LINE,
                               .depth = ARRAY_AT(struct heat_node, &search->nodes, body)->depth + 1,
                               .parent = body,
                               .file = file,
                               .line = line};
    return node_at(search, &wanted);
}

/* The node of a line in the body of an inlined call (0: of the function). */
static uint32_t find_node(struct heat_search *search, uint32_t file, uint32_t line, uint32_t call)
{
    const struct model *model = search->model;
    uint32_t around[MOST_INLINED], body = 0;
    size_t count = 0;
    for (; call && count < MOST_INLINED; call = model_inlined_call(model, call)->parent)
        around[count++] = call;
    while (count--) {
        const struct inlined_call *row = model_inlined_call(model, around[count]);
        uint32_t caller = line_in(search, body, row->call_file, row->call_line);
        struct heat_node wanted = {.kind = HEAT_CALL,
                                   .depth = ARRAY_AT(struct heat_node, &search->nodes, caller)->depth + 1,
                                   .parent = caller,
                                   .file = row->file,
                                   .line = row->line,
                                   .name = row->name};
        body = node_at(search, &wanted);
    }
    return line_in(search, body, file, line);
}

static uint32_t node_of(struct heat_search *search, uint32_t position)
{
    const struct source_line *row = model_source_line(search->model, position);
    if (!search->of_position[position])
        search->of_position[position] =
            position ? find_node(search, row->file, row->line, row->inlined_call) : line_in(search, 0, 0, 0);
    return search->of_position[position];
}

/* ---- times ---- */

static void take_instructions(struct heat_search *search, struct heat *heat)
{
    const struct model *model = heat->model;
    const struct function *function = model_function(model, heat->function);
    for (uint32_t i = 0; i < function->block_count; i++) {
        const struct block *block = model_block(model, function->first_block + i);
        for (uint32_t k = 0; k < block->instruction_count; k++) {
            uint32_t instruction = block->first_instruction + k;
            uint32_t node = node_of(search, model_instruction(model, instruction)->source_line);
            *(struct heat_instruction *)array_push(&heat->instructions) =
                (struct heat_instruction){.instruction = instruction, .node = node};
            ARRAY_AT(struct heat_node, &search->nodes, node)->instruction_count++;
        }
    }
}

static void take_samples(struct heat *heat)
{
    const struct model *model = heat->model;
    for (uint32_t i = 0; i < model->samples.count; i++) {
        const struct sample_row *sample = model_sample_row(model, i);
        size_t place = sample->function == heat->function && sample->instruction
                           ? array_first_not_below(&heat->instructions, 0, 0, sample->instruction)
                           : heat->instructions.count;
        if (place >= heat->instructions.count)
            continue;
        struct heat_instruction *row = ARRAY_AT(struct heat_instruction, &heat->instructions, place);
        if (row->instruction != sample->instruction)
            continue;
        row->samples += sample->count;
        row->self += sample->seconds;
        heat->hottest_instruction =
            row->self > heat->hottest_instruction ? row->self : heat->hottest_instruction;
    }
}

static void take_lines(struct heat_search *search, const struct heat *heat)
{
    const struct model *model = heat->model;
    for (uint32_t i = 0; i < model->run_positions.count; i++) {
        const struct run_position *line = model_run_position(model, i);
        if (line->run != heat->run || line->function != heat->function)
            continue;
        uint32_t place = find_node(search, line->source, line->line, line->inlined_call);
        struct heat_node *node = ARRAY_AT(struct heat_node, &search->nodes, place);
        node->samples += line->samples;
        node->self += line->self_seconds;
        node->own += line->self_seconds;
        node->total += line->total_seconds;
    }
}

/* A function without a declaration (made at run time, or by an assembler) is in the file of its longest line. */
static void take_file(struct heat_search *search)
{
    struct heat_node *function = ARRAY_AT(struct heat_node, &search->nodes, 0);
    uint32_t most = 0;
    for (size_t i = 1; i < search->nodes.count && !model_function(search->model, search->function)->file;
         i++) {
        const struct heat_node *line = ARRAY_AT(struct heat_node, &search->nodes, i);
        if (line->depth == 1 && line->file && line->instruction_count > most) {
            most = line->instruction_count;
            function->file = line->file;
        }
    }
}

static void add_up(struct heat_search *search)
{
    for (size_t i = search->nodes.count; i-- > 1;) {
        const struct heat_node *node = ARRAY_AT(struct heat_node, &search->nodes, i);
        struct heat_node *above = ARRAY_AT(struct heat_node, &search->nodes, node->parent);
        above->instruction_count += node->instruction_count;
        above->samples += node->samples;
        above->self += node->self;
        above->total += node->total;
    }
}

/* ---- order ---- */

struct heat_order {
    uint32_t place, parent;
    bool is_foreign; /* not of the file of the body around it */
    struct heat_node node;
};

static int by_place(const void *left, const void *right)
{
    const struct heat_order *a = left, *b = right;
    if (a->parent != b->parent)
        return a->parent < b->parent ? -1 : 1;
    if (a->node.kind == HEAT_CALL && a->node.self != b->node.self)
        return a->node.self > b->node.self ? -1 : 1;
    if (a->is_foreign != b->is_foreign)
        return (int)a->is_foreign - (int)b->is_foreign;
    if (a->node.file != b->node.file)
        return a->node.file < b->node.file ? -1 : 1;
    if (a->node.line != b->node.line)
        return a->node.line < b->node.line ? -1 : 1;
    return (a->place > b->place) - (a->place < b->place);
}

static struct heat_order *sorted_nodes(const struct heat_search *search)
{
    size_t count = search->nodes.count;
    struct heat_order *order = memory_get((count + 1) * sizeof *order);
    for (uint32_t i = 0; i < count; i++) {
        const struct heat_node *node = ARRAY_AT(struct heat_node, &search->nodes, i);
        const struct heat_node *above = ARRAY_AT(struct heat_node, &search->nodes, node->parent);
        order[i] = (struct heat_order){i, node->parent, node->file != above->file, *node};
    }
    if (count > 2)
        qsort(order + 1, count - 1, sizeof *order, by_place);
    return order;
}

/* Each node, what is below it, then the next one beside it; `places`: by number of the search, the place. */
static void put_in_order(const struct heat_search *search, struct heat *heat, uint32_t *places)
{
    size_t count = search->nodes.count;
    struct heat_order *order = sorted_nodes(search);
    autofree uint32_t *next =
        memory_get((count + 1) * sizeof *next); /* by number: its next child, in order */
    autofree uint32_t *above = memory_get((count + 1) * sizeof *above); /* by depth of the walk */
    size_t depth = 0;
    for (size_t i = count; i-- > 1;)
        next[order[i].parent] = (uint32_t)i;
    *(struct heat_node *)array_push(&heat->nodes) = order[0].node;
    while (count) {
        uint32_t number = above[depth], at = next[number];
        if (at && at < count && order[at].parent == number) {
            next[number] = at + 1;
            places[order[at].place] = (uint32_t)heat->nodes.count;
            struct heat_node *node = array_push(&heat->nodes);
            *node = order[at].node;
            node->parent = places[number];
            above[++depth] = order[at].place;
            continue;
        }
        ARRAY_AT(struct heat_node, &heat->nodes, places[number])->end = (uint32_t)heat->nodes.count;
        if (!depth--)
            break;
    }
    free(order);
}

void heat_find(struct heat *heat, const struct model *model, uint32_t run, uint32_t function)
{
    *heat = (struct heat){.model = model,
                          .run = run,
                          .function = function,
                          .all = model_sampled_run(model, run)->sampled_seconds,
                          .nodes = ARRAY_OF(struct heat_node),
                          .instructions = ARRAY_OF(struct heat_instruction)};
    struct heat_search search = {.model = model,
                                 .function = function,
                                 .nodes = ARRAY_OF(struct heat_node),
                                 .of_position =
                                     memory_get((model->source_lines.count + 1) * sizeof(uint32_t))};
    const struct function *row = model_function(model, function);
    *(struct heat_node *)array_push(&search.nodes) =
        (struct heat_node){.kind = HEAT_FUNCTION, .file = row->file, .line = row->line, .name = row->name};
    take_instructions(&search, heat);
    take_samples(heat);
    take_lines(&search, heat);
    take_file(&search);
    add_up(&search);
    autofree uint32_t *places = memory_get((search.nodes.count + 1) * sizeof *places);
    put_in_order(&search, heat, places);
    for (size_t i = 0; i < heat->instructions.count; i++) {
        struct heat_instruction *it = ARRAY_AT(struct heat_instruction, &heat->instructions, i);
        it->node = places[it->node];
    }
    for (uint32_t i = 1; i < heat->nodes.count; i = ARRAY_AT(struct heat_node, &heat->nodes, i)->end) {
        double self = ARRAY_AT(struct heat_node, &heat->nodes, i)->self;
        heat->hottest_line = self > heat->hottest_line ? self : heat->hottest_line;
    }
    hash_index_free(&search.places);
    array_free(&search.nodes);
    free(search.of_position);
}

void heat_free(struct heat *heat)
{
    array_free(&heat->nodes);
    array_free(&heat->instructions);
}

void heat_functions(const struct model *model, uint32_t run, double least_share, bool takes_all, size_t most,
                    struct array *functions)
{
    *functions = ARRAY_OF(uint32_t);
    for (uint32_t i = 1; i < model->run_functions.count && functions->count < most; i++) {
        const struct run_function *row = model_run_function(model, i);
        bool is_hot = row->self_seconds > 0 && row->self_share >= least_share && !row->is_library;
        if (row->run == run && row->function && (takes_all || is_hot))
            *(uint32_t *)array_push(functions) = row->function;
    }
}
