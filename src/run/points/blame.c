#include "run/points/blame.h"

#include "model/elements.h"
#include "model/loops.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_PREDECESSORS = 8 }; /* beyond, nobody knows */

/* ---- what is slow ---- */

static bool is_stack_pointer(const struct model *model, uint32_t id)
{
    const char *name =
        id ? model_text(model, model_register(model, model_full_register(model, id))->name) : NULL;
    return name && (!strcmp(name, "rsp") || !strcmp(name, "sp"));
}

/* Its own frame is in the first cache. */
static bool is_frame_access(const struct model *model, const struct subject_item *item)
{
    const struct operand *memory = subject_item_memory(item);
    return memory && is_stack_pointer(model, memory->base_register);
}

static bool is_indirect_jump(const struct model *model, const struct subject_item *item)
{
    uint32_t block = model_instruction(model, item->instruction)->block;
    unsigned end = model_block(model, block)->ends;
    return item->row->flow == flow_JUMP && (end == block_end_SWITCH || end == block_end_INDIRECT);
}

static unsigned kind_of_access(const struct model *model, const struct subject_item *item)
{
    const struct encoding *row = item->row;
    bool is_plain = row->flow == flow_NEXT && row->class != class_PUSH && row->class != class_POP &&
                    row->class != class_PREFETCH && row->class != class_NOP && row->class != class_STRING;
    if (!is_plain || is_frame_access(model, item))
        return POINT_NONE;
    return row->load_bytes ? point_kind_LOAD : row->store_bytes ? point_kind_STORE : POINT_NONE;
}

static unsigned kind_of_item(const struct point_blame *blame, const struct subject_item *item)
{
    const struct encoding *row = item->row;
    unsigned guess = blame->guesses ? blame->guesses[item->instruction] : POINT_GUESS_UNKNOWN;
    switch (row->class) {
    case class_DIVIDE:
        return element_is_fp((enum element)row->element) ? point_kind_FLOAT_DIVISION : point_kind_DIVISION;
    case class_SQRT:
        return point_kind_ROOT;
    case class_ATOMIC:
        return point_kind_ATOMIC;
    case class_GATHER:
        return point_kind_GATHER;
    case class_FENCE:
        return point_kind_SERIAL;
    case class_SYSTEM: /* a system call is the kernel's time */
        return row->flow == flow_NEXT ? point_kind_SERIAL : POINT_NONE;
    default:
        break;
    }
    if (row->flow == flow_BRANCH)
        return guess == POINT_GUESS_WRONG ? point_kind_BRANCH : POINT_NONE;
    if (is_indirect_jump(blame->model, item))
        return guess == POINT_GUESS_RIGHT ? POINT_NONE : point_kind_JUMP;
    return kind_of_access(blame->model, item);
}

unsigned point_kind_of(const struct point_blame *blame, uint32_t instruction)
{
    struct subject_item item;
    subject_item_take(blame->model, &item, instruction);
    return kind_of_item(blame, &item);
}

/* Moves from line to line, or less, in each iteration of its loop: the processor fetches ahead what it needs. */
static bool is_stream(const struct model *model, uint32_t instruction)
{
    enum { LINE = 64 };
    uint32_t loop = model_block(model, model_instruction(model, instruction)->block)->loop;
    const struct array *table = &model->access_patterns;
    size_t at = array_first_not_below(table, 0, offsetof(struct access_pattern_row, loop), loop);
    for (; at < table->count && model_access_pattern_row(model, (uint32_t)at)->loop == loop; at++) {
        const struct access_pattern_row *row = model_access_pattern_row(model, (uint32_t)at);
        if (row->instruction == instruction)
            return row->stride && row->stride >= -LINE && row->stride <= LINE;
    }
    return false;
}

/* Of two that may be meant, the heavier. */
static unsigned weight_of(const struct model *model, unsigned kind, uint32_t instruction)
{
    switch (kind) {
    case POINT_NONE:
        return 0;
    case point_kind_STORE:
        return is_stream(model, instruction) ? 1 : 3;
    case point_kind_LOAD:
        return is_stream(model, instruction) ? 2 : 4;
    case point_kind_BRANCH:
    case point_kind_JUMP:
        return 5;
    default:
        return 6;
    }
}

/* ---- who waits for whom ---- */

static bool reads_result(const struct model *model, const struct subject_item *user,
                         const struct subject_item *maker)
{
    for (unsigned i = 0; i < user->use_count; i++)
        for (unsigned k = 0; k < maker->use_count && user->uses[i].access != access_WRITE; k++)
            if (maker->uses[k].access != access_READ &&
                model_full_register(model, user->uses[i].register_) ==
                    model_full_register(model, maker->uses[k].register_))
                return true;
    return false;
}

struct walk {
    const struct point_blame *blame;
    uint32_t passed[16]; /* instructions between, the latest first */
    unsigned count;
    uint32_t loop; /* innermost around the sample */
    uint32_t best; /* 0: none yet */
    unsigned weight;
};

/* A conditional jump is one with the comparison before it, and does not hold anybody up. */
static bool is_waited_for(const struct walk *walk, const struct subject_item *maker)
{
    for (unsigned i = 0; i < walk->count; i++) {
        struct subject_item between;
        subject_item_take(walk->blame->model, &between, walk->passed[i]);
        if (between.row->flow != flow_BRANCH && reads_result(walk->blame->model, &between, maker))
            return true;
    }
    return false;
}

/* false: the walk ends here. */
static bool look_at(struct walk *walk, uint32_t instruction)
{
    struct subject_item item;
    subject_item_take(walk->blame->model, &item, instruction);
    if (item.row->flow == flow_CALL || item.row->flow == flow_SYSTEM)
        return false;
    unsigned kind = kind_of_item(walk->blame, &item),
             weight = weight_of(walk->blame->model, kind, instruction);
    if (weight > walk->weight && !is_waited_for(walk, &item)) {
        walk->best = instruction;
        walk->weight = weight;
    }
    walk->passed[walk->count++] = instruction;
    return walk->count < walk->blame->reach;
}

static void go_back(struct walk *walk, uint32_t block, uint32_t before, unsigned depth);

/* The blocks before this one, each with a walk of its own.  What comes before a loop runs once for many
   iterations. */
static void go_over_edges(struct walk *walk, uint32_t block, unsigned depth)
{
    const struct point_blame *blame = walk->blame;
    const uint32_t *first = &blame->predecessor_first[block - blame->first_block];
    uint32_t best = 0;
    unsigned weight = 0;
    bool is_split = first[1] - first[0] > MOST_PREDECESSORS;
    for (uint32_t i = first[0]; i < first[1] && !is_split; i++) {
        uint32_t from = blame->predecessors[i];
        const struct block *row = model_block(blame->model, from);
        struct walk way = *walk;
        if (walk->loop && !loop_is_within(blame->model, model_block(blame->model, from)->loop, walk->loop))
            continue;
        go_back(&way, from, row->first_instruction + row->instruction_count, depth);
        if (way.best == walk->best || way.best == best)
            continue;
        uint32_t mine = model_instruction(blame->model, way.best)->block;
        uint32_t other = best ? model_instruction(blame->model, best)->block : 0;
        bool is_above = !best || model_dominates(blame->model, mine, other);
        is_split = !is_above && !model_dominates(blame->model, other, mine); /* then the loop ends */
        if (is_above) {
            best = way.best;
            weight = way.weight;
        }
    }
    if (best && !is_split) {
        walk->best = best;
        walk->weight = weight;
    }
}

static void go_back(struct walk *walk, uint32_t block, uint32_t before, unsigned depth)
{
    enum { MOST_DEPTH = 3 };
    uint32_t first = model_block(walk->blame->model, block)->first_instruction;
    while (before > first)
        if (!look_at(walk, --before))
            return;
    if (depth < MOST_DEPTH)
        go_over_edges(walk, block, depth + 1);
}

uint32_t point_blame_of(const struct point_blame *blame, uint32_t instruction)
{
    uint32_t block = model_instruction(blame->model, instruction)->block;
    struct walk walk = {.blame = blame, .loop = model_block(blame->model, block)->loop};
    unsigned own = point_kind_of(blame, instruction);
    go_back(&walk, block, instruction, 0);
    /* A store to any place finds no room: what it stores, or where, came from a stream in time. */
    bool is_own_store = own == point_kind_STORE && weight_of(blame->model, own, instruction) > walk.weight;
    if (walk.best && !is_own_store)
        return walk.best;
    return own != POINT_NONE && own != point_kind_BRANCH && own != point_kind_JUMP ? instruction : 0;
}

/* ---- edges ---- */

static bool is_inside(const struct point_blame *blame, uint32_t block)
{
    return block >= blame->first_block && block - blame->first_block < blame->block_count;
}

/* Puts the sources of the function's own edges where at says, by target; before there is room, counts them. */
static void list_edges(struct point_blame *blame, uint32_t *at)
{
    const struct array *edges = &blame->model->edges;
    size_t i = array_first_not_below(edges, 0, offsetof(struct edge, source), blame->first_block);
    for (; i < edges->count && is_inside(blame, model_edge(blame->model, (uint32_t)i)->source); i++) {
        const struct edge *edge = model_edge(blame->model, (uint32_t)i);
        if (!is_inside(blame, edge->target) || edge->kind == edge_kind_EXCEPTION)
            continue;
        uint32_t place = at[edge->target - blame->first_block]++;
        if (blame->predecessors)
            blame->predecessors[place] = edge->source;
    }
}

void point_blame_begin(struct point_blame *blame, const struct model *model, uint32_t function,
                       unsigned reach, const uint8_t *guesses)
{
    const struct function *row = model_function(model, function);
    enum { MOST_REACH = sizeof(((struct walk *)NULL)->passed) / sizeof(uint32_t) };
    *blame = (struct point_blame){.model = model,
                                  .function = function,
                                  .first_block = row->first_block,
                                  .block_count = row->block_count,
                                  .reach = reach < MOST_REACH ? reach : MOST_REACH,
                                  .guesses = guesses};
    blame->predecessor_first = memory_get((row->block_count + 2) * sizeof(uint32_t));
    autofree uint32_t *at = memory_get((row->block_count + 1) * sizeof(uint32_t));
    list_edges(blame, at);
    for (uint32_t i = 0; i < row->block_count; i++) {
        blame->predecessor_first[i + 1] = blame->predecessor_first[i] + at[i];
        at[i] = blame->predecessor_first[i];
    }
    blame->predecessors = memory_get((blame->predecessor_first[row->block_count] + 1) * sizeof(uint32_t));
    list_edges(blame, at);
}

void point_blame_end(struct point_blame *blame)
{
    free(blame->predecessor_first);
    free(blame->predecessors);
}
