/* Which functions never return.

   A function may return if a path leads from its entry to a return, to an indirect jump, to a jump to a
   function that may return, or over its end.  A path ends at a call to a function that never returns, and at
   a call to the function itself, which returns only if another path does.  At first only library functions
   with known names never return.  When a function turns out never to return, its callers and the functions
   that jump to it are checked again, round after round until nothing changes. */
#include "code/structure/returns.h"

#include "code/structure/callees.h"

#include "base/workers.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_ROUNDS = 64 }; /* real chains of wrappers are shorter; crafted files would take forever */

/* caller calls, or jumps to, callee; both are numbers of pieces. */
struct call_pair {
    uint32_t callee, caller;
};

struct returns_work {
    struct layout *layout;
    struct returns_walk *walks;
    struct array *pairs; /* for each worker, of struct call_pair */
    bool *never;         /* by piece: found in the first pass */
};

struct returns_walk returns_walk_begin(void)
{
    return (struct returns_walk){ARRAY_OF(uint8_t), ARRAY_OF(uint32_t)};
}

void returns_walk_end(struct returns_walk *walk)
{
    array_free(&walk->is_seen);
    array_free(&walk->waiting);
}

static void go_on(struct returns_walk *walk, const struct layout *layout, const struct piece *piece,
                  uint64_t address)
{
    uint32_t index = layout_index(layout, piece, address);
    if (index != UINT32_MAX)
        *(uint32_t *)array_add(&walk->waiting) = index;
}

static bool is_inside(const struct piece *piece, uint64_t address)
{
    return address != NO_ADDRESS && address >= piece->start && address < piece->end;
}

static bool may_leave_by(const struct layout *layout, const struct piece *piece, uint32_t entry)
{
    struct callee callee = callee_of(layout, piece, entry);
    return callee.piece != piece && callee_returns(layout, &callee);
}

/* Follows one path until it ends or meets another one; true if it may return to the caller. */
static bool follow(const struct layout *layout, const struct piece *piece, struct returns_walk *walk,
                   uint32_t entry)
{
    const struct sweep_instruction *entries = layout_instructions(layout, piece);
    uint8_t *is_seen = walk->is_seen.data;
    uint64_t section_start = layout_section_start(layout, piece);
    for (; entry < piece->count; entry++) {
        if (is_seen[entry] || !entries[entry].encoding)
            return false;
        is_seen[entry] = 1;
        const struct encoding *encoding = model_encoding(layout->model, entries[entry].encoding);
        bool is_jump = encoding->flow == flow_JUMP || encoding->flow == flow_BRANCH;
        if (is_jump && is_inside(piece, entries[entry].target) && !encoding->load_bytes)
            go_on(walk, layout, piece, entries[entry].target);
        else if (is_jump && may_leave_by(layout, piece, entry))
            return true;
        if (encoding->flow == flow_RETURN)
            return true;
        if (encoding->flow == flow_JUMP || (encoding->flow == flow_STOP && !layout_may_go_on(encoding)))
            return false;
        if (encoding->flow == flow_CALL) {
            const struct landing_pad *pad = layout_pad(layout, section_start + entries[entry].offset);
            if (pad && is_inside(piece, pad->pad))
                go_on(walk, layout, piece, pad->pad);
            struct callee callee = callee_of(layout, piece, entry);
            bool is_recursive = callee.piece == piece && entries[entry].target == piece->start;
            if ((is_recursive || !callee_returns(layout, &callee)) && !layout_may_go_on(encoding))
                return false;
        }
    }
    return true; /* over the end */
}

bool returns_may(const struct layout *layout, const struct piece *piece, struct returns_walk *walk)
{
    walk->is_seen.count = walk->waiting.count = 0;
    array_add_many(&walk->is_seen, piece->count);
    *(uint32_t *)array_add(&walk->waiting) = 0;
    while (walk->waiting.count) {
        uint32_t entry = *ARRAY_AT(uint32_t, &walk->waiting, --walk->waiting.count);
        if (follow(layout, piece, walk, entry))
            return true;
    }
    return false;
}

static bool names_no_return(const struct layout *layout, const struct piece *piece)
{
    const char *name =
        piece->symbol ? model_text(layout->model, model_symbol(layout->model, piece->symbol)->name) : NULL;
    return name && callee_is_known_not_to_return(name);
}

static void judge_name(void *context, size_t number, unsigned worker)
{
    struct layout *layout = context;
    struct piece *piece = layout_piece(layout, number);
    (void)worker;
    piece->returns = !piece->is_function || !names_no_return(layout, piece);
}

void layout_judge_names(struct layout *layout)
{
    workers_run(layout->threads, layout->pieces.count, judge_name, layout);
}

static void collect_pairs(const struct layout *layout, uint32_t number, struct array *pairs)
{
    const struct piece *piece = layout_piece(layout, number);
    const struct sweep_instruction *entries = layout_instructions(layout, piece);
    for (uint32_t i = 0; i < piece->count; i++) {
        if (!entries[i].encoding || entries[i].target == NO_ADDRESS || is_inside(piece, entries[i].target))
            continue;
        uint8_t flow = model_encoding(layout->model, entries[i].encoding)->flow;
        if (flow != flow_CALL && flow != flow_JUMP && flow != flow_BRANCH)
            continue;
        struct callee callee = callee_of(layout, piece, i);
        if (callee.piece)
            *(struct call_pair *)array_add(pairs) =
                (struct call_pair){(uint32_t)(callee.piece - layout_piece(layout, 0)), number};
    }
}

static void judge_alone(void *context, size_t number, unsigned worker)
{
    struct returns_work *work = context;
    const struct piece *piece = layout_piece(work->layout, number);
    if (!piece->is_function)
        return;
    work->never[number] = !piece->returns || !returns_may(work->layout, piece, &work->walks[worker]);
    collect_pairs(work->layout, (uint32_t)number, &work->pairs[worker]);
}

/* Callers of piece c are callers[first[c]] … callers[first[c+1]-1]. */
struct callers {
    uint32_t *first, *callers;
};

static struct callers sort_pairs(const struct array *found, unsigned workers, size_t pieces)
{
    struct callers sorted = {.first = memory_get((pieces + 2) * sizeof(uint32_t))};
    size_t total = 0;
    for (unsigned w = 0; w < workers; w++)
        for (size_t i = 0; i < found[w].count; i++, total++)
            sorted.first[ARRAY_AT(struct call_pair, &found[w], i)->callee + 2]++;
    for (size_t i = 2; i < pieces + 2; i++)
        sorted.first[i] += sorted.first[i - 1];
    sorted.callers = memory_get((total + 1) * sizeof(uint32_t));
    for (unsigned w = 0; w < workers; w++)
        for (size_t i = 0; i < found[w].count; i++) {
            const struct call_pair *pair = array_at(&found[w], i);
            sorted.callers[sorted.first[pair->callee + 1]++] = pair->caller;
        }
    return sorted;
}

/* Adds those who call a function and are not waiting yet. */
static void add_callers(const struct callers *callers, uint32_t callee, bool *is_waiting,
                        struct array *waiting)
{
    for (uint32_t i = callers->first[callee]; i < callers->first[callee + 1]; i++) {
        uint32_t caller = callers->callers[i];
        if (!is_waiting[caller])
            *(uint32_t *)array_add(waiting) = caller;
        is_waiting[caller] = true;
    }
}

/* One round: checks the callers of the functions in found again; those that never return either become the
   next found. */
static void ask_callers(struct returns_work *work, const struct callers *callers, struct array *found)
{
    struct array waiting = ARRAY_OF(uint32_t);
    bool *is_waiting = work->never; /* no longer needed for the first pass */
    for (size_t i = 0; i < found->count; i++)
        add_callers(callers, *ARRAY_AT(uint32_t, found, i), is_waiting, &waiting);
    found->count = 0;
    for (size_t i = 0; i < waiting.count; i++) {
        uint32_t number = *ARRAY_AT(uint32_t, &waiting, i);
        const struct piece *piece = layout_piece(work->layout, number);
        is_waiting[number] = false;
        if (piece->returns && !returns_may(work->layout, piece, &work->walks[0]))
            *(uint32_t *)array_add(found) = number;
    }
    for (size_t i = 0; i < found->count; i++)
        layout_piece(work->layout, *ARRAY_AT(uint32_t, found, i))->returns = false;
    array_free(&waiting);
}

void layout_find_returns(struct layout *layout)
{
    if (layout->part) {
        layout_find_part_returns(layout);
        return;
    }
    unsigned workers = workers_count(layout->threads);
    struct returns_work work = {.layout = layout,
                                .walks = memory_get(workers * sizeof(struct returns_walk)),
                                .pairs = memory_get(workers * sizeof(struct array)),
                                .never = memory_get(layout->pieces.count * sizeof(bool))};
    struct array found = ARRAY_OF(uint32_t);
    for (unsigned i = 0; i < workers; i++) {
        work.walks[i] = returns_walk_begin();
        work.pairs[i] = ARRAY_OF(struct call_pair);
    }
    workers_run(layout->threads, layout->pieces.count, judge_alone, &work);
    struct callers callers = sort_pairs(work.pairs, workers, layout->pieces.count);
    for (uint32_t i = 0; i < layout->pieces.count; i++) {
        struct piece *piece = layout_piece(layout, i);
        if (work.never[i] && piece->returns) { /* those with known names were taken into account at once */
            piece->returns = false;
            *(uint32_t *)array_add(&found) = i;
        }
    }
    memset(work.never, 0, layout->pieces.count * sizeof(bool));
    for (int round = 0; round < MOST_ROUNDS && found.count; round++)
        ask_callers(&work, &callers, &found);
    for (unsigned i = 0; i < workers; i++) {
        returns_walk_end(&work.walks[i]);
        array_free(&work.pairs[i]);
    }
    free(work.walks);
    free(work.pairs);
    free(work.never);
    free(callers.first);
    free(callers.callers);
    array_free(&found);
}
