/* Which of the functions that a part calls never return.

   The answer is that of returns.c: a function returns unless it is proved that it never does.  But returns.c
   looks at all functions, and here only those are decoded that the answer takes.

   A function that is asked about is decided by one of two walks.  The wary one lets no path go on after a
   call whose callee is not decided: if it still finds a way out, the function returns, whatever its callees
   do.  The trusting one takes all undecided callees to return: if it finds no way out, the function never
   returns.  If neither decides, the callees that the wary walk stopped at are asked about as well, and so on.
   Most functions are decided by the first walk.  When nothing is decided any more and the undecided functions
   need only each other to return (as recursive ones do), they return.

   After MOST_FUNCTIONS the rest is taken to return: then a block that calls such a function may go on in a
   part and end in a whole reading.  Even libLLVM has not come near that. */
#include "code/structure/callees.h"
#include "code/structure/returns.h"

#include "base/workers.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_FUNCTIONS = 50000 };
enum judgement { NOT_ASKED, UNDECIDED, RETURNS, NEVER_RETURNS };

struct part_returns {
    struct layout *layout;
    uint8_t *judgements; /* enum judgement, by piece */
    struct array open;   /* of uint32_t: undecided pieces */
    struct array asked;  /* of uint32_t: callees that are not asked about yet */
    struct returns_walk *walks;
    struct array *callees; /* for each worker, of uint32_t */
    bool *finds_way_out;   /* by place in open */
    size_t asked_count;
};

static struct piece *open_piece(const struct part_returns *work, size_t item)
{
    return layout_piece(work->layout, *ARRAY_AT(uint32_t, &work->open, item));
}

/* Callees of a piece that are not asked about; with a walk, only those that it reached. */
static void add_callees(const struct part_returns *work, const struct piece *piece,
                        const struct returns_walk *walk, struct array *callees)
{
    const struct layout *layout = work->layout;
    const struct sweep_instruction *entries = layout_instructions(layout, piece);
    for (uint32_t i = 0; i < piece->count; i++) {
        uint8_t flow = model_encoding(layout->model, entries[i].encoding)->flow;
        if ((walk && !*ARRAY_AT(uint8_t, &walk->is_seen, i)) || !entries[i].encoding ||
            (flow != flow_CALL && flow != flow_JUMP && flow != flow_BRANCH))
            continue;
        struct callee callee = callee_of(layout, piece, i);
        uint32_t number = callee.piece ? (uint32_t)(callee.piece - layout_piece(layout, 0)) : 0;
        if (callee.piece && callee.piece != piece && work->judgements[number] == NOT_ASKED)
            *(uint32_t *)array_add(callees) = number;
    }
}

static void walk_one(void *context, size_t item, unsigned worker)
{
    struct part_returns *work = context;
    const struct piece *piece = open_piece(work, item);
    work->finds_way_out[item] = returns_may(work->layout, piece, &work->walks[worker]);
    if (!work->finds_way_out[item])
        add_callees(work, piece, &work->walks[worker], &work->callees[worker]);
}

static void set_returns(const struct part_returns *work, bool returns, enum judgement judgement)
{
    for (size_t i = 0; i < work->layout->pieces.count; i++)
        if (work->judgements[i] == judgement)
            layout_piece(work->layout, i)->returns = returns;
}

/* Walks through all open functions; the callees that stopped walks are in work->asked. */
static void walk_all(struct part_returns *work)
{
    unsigned workers = workers_count(work->layout->threads);
    free(work->finds_way_out);
    work->finds_way_out = memory_get(work->open.count + 1);
    work->asked.count = 0;
    workers_run(work->layout->threads, work->open.count, walk_one, work);
    for (unsigned i = 0; i < workers; i++) {
        if (work->callees[i].count)
            memcpy(array_add_many(&work->asked, work->callees[i].count), work->callees[i].data,
                   work->callees[i].count * sizeof(uint32_t));
        work->callees[i].count = 0;
    }
    layout_sort_numbers(&work->asked);
}

/* The open functions whose walk ended so are decided. */
static bool decide(struct part_returns *work, bool found_way_out, enum judgement judgement)
{
    size_t kept = 0;
    for (size_t i = 0; i < work->open.count; i++) {
        uint32_t number = *ARRAY_AT(uint32_t, &work->open, i);
        if (work->finds_way_out[i] != found_way_out) {
            *ARRAY_AT(uint32_t, &work->open, kept++) = number;
            continue;
        }
        work->judgements[number] = (uint8_t)judgement;
        layout_piece(work->layout, number)->returns = judgement == RETURNS;
    }
    bool is_any = kept < work->open.count;
    work->open.count = kept;
    return is_any;
}

/* The callees in work->asked become open functions. */
static bool ask(struct part_returns *work)
{
    bool is_any = false;
    if (work->asked_count + work->asked.count > MOST_FUNCTIONS)
        return false;
    layout_sweep_some(work->layout, &work->asked);
    for (size_t i = 0; i < work->asked.count; i++) {
        uint32_t number = *ARRAY_AT(uint32_t, &work->asked, i);
        if (work->judgements[number] != NOT_ASKED)
            continue;
        work->judgements[number] = UNDECIDED;
        *(uint32_t *)array_add(&work->open) = number;
        is_any = true;
    }
    work->asked_count += work->asked.count;
    layout_sort_numbers(&work->open);
    return is_any;
}

/* One round; false if all is decided. */
static bool go_on(struct part_returns *work)
{
    walk_all(work); /* wary: undecided callees do not return */
    bool is_any = decide(work, true, RETURNS);
    struct array stops = work->asked;
    work->asked = ARRAY_OF(uint32_t);
    set_returns(work, true, NOT_ASKED);
    set_returns(work, true, UNDECIDED);
    walk_all(work); /* trusting */
    is_any |= decide(work, false, NEVER_RETURNS);
    array_free(&work->asked);
    work->asked = stops;
    set_returns(work, false, NOT_ASKED);
    set_returns(work, false, UNDECIDED);
    is_any |= ask(work);
    if (is_any)
        return true;
    set_returns(work, true, UNDECIDED);
    walk_all(work); /* do they need only each other? */
    set_returns(work, false, UNDECIDED);
    return ask(work);
}

/* Functions run together where a call never returns (divide.c), also in a piece that a chosen one leads to.
 */
static bool is_begun_with(const struct piece *piece)
{
    return piece->is_function && (piece->is_chosen || (piece->has_ways && !piece->is_size_known));
}

static void begin(struct part_returns *work, unsigned workers)
{
    struct layout *layout = work->layout;
    for (unsigned i = 0; i < workers; i++) {
        work->walks[i] = returns_walk_begin();
        work->callees[i] = ARRAY_OF(uint32_t);
    }
    for (size_t i = 0; i < layout->pieces.count; i++) {
        const struct piece *piece = layout_piece(layout, i);
        work->judgements[i] = !piece->is_function ? RETURNS : piece->returns ? NOT_ASKED : NEVER_RETURNS;
    }
    for (uint32_t i = 0; i < layout->pieces.count; i++) {
        const struct piece *piece = layout_piece(layout, i);
        if (!is_begun_with(piece))
            continue;
        add_callees(work, piece, NULL, &work->asked);
        if (work->judgements[i] == NOT_ASKED)
            *(uint32_t *)array_add(&work->asked) = i;
    }
    layout_sort_numbers(&work->asked);
}

void layout_find_part_returns(struct layout *layout)
{
    unsigned workers = workers_count(layout->threads);
    struct part_returns work = {.layout = layout,
                                .judgements = memory_get(layout->pieces.count + 1),
                                .open = ARRAY_OF(uint32_t),
                                .asked = ARRAY_OF(uint32_t),
                                .walks = memory_get(workers * sizeof(struct returns_walk)),
                                .callees = memory_get(workers * sizeof(struct array))};
    begin(&work, workers);
    set_returns(&work, false, NOT_ASKED);
    ask(&work);
    while (go_on(&work))
        ;
    set_returns(&work, true, NOT_ASKED);
    set_returns(&work, true, UNDECIDED);
    for (unsigned i = 0; i < workers; i++) {
        returns_walk_end(&work.walks[i]);
        array_free(&work.callees[i]);
    }
    free(work.walks);
    free(work.callees);
    free(work.judgements);
    free(work.finds_way_out);
    array_free(&work.open);
    array_free(&work.asked);
}
