/* Shapes the chosen functions of a part for trial.

   It shows what has to be known before rows are made:

     - A jump table whose length the code does not give ends where the next object begins, which code after
       the function may refer to (table_ends.c): where that code is not decoded yet, the function is shaped
       again when it is, with more of it each time.
     - Where the edges of the part's functions lead: data flow and advice look at what is there, so it is
       chosen as well.  Direct jumps were followed before; jump tables and slots show only here.
     - What rows refer to gets a row, though it has no blocks: the functions that the chosen ones call, those
       that stubs and imports may stand for, and those that the debug information names (an inlined call in a
       cold part is one of the function that it was split from). */
#include "code/structure/callees.h"
#include "code/structure/shape.h"
#include "code/structure/table_ends.h"

#include "base/workers.h"

#include <stdlib.h>

/* Of code after a function that are decoded at first: nearly always all that a search looks at, because
   decoding them is cheaper than shaping a large function (an interpreter) once more. */
enum { FIRST_BYTES = 1 << 18 };

/* What trials have shown. */
struct findings {
    struct array targets; /* of uint64_t: where edges of the part's functions lead */
    struct array called;  /* of uint32_t: pieces that the part's functions call */
    /* Of struct callee_name: what stubs and imports stand for that the part's functions call, and others. */
    struct array called_names, names;
};

struct trial_call {
    struct callee callee;
    bool is_of_part; /* a call by a function of the part, and no tail call: advice looks into the callee */
};

struct trial {
    struct layout *layout;
    const struct array *numbers; /* of uint32_t: pieces that are shaped */
    struct shaper *shapers;      /* one for each worker */
    struct array *calls;         /* for each worker, of struct trial_call */
    struct array *targets;       /* for each worker, of uint64_t */
};

static void try_one(void *context, size_t item, unsigned worker)
{
    struct trial *trial = context;
    struct layout *layout = trial->layout;
    struct piece *piece = layout_piece(layout, *ARRAY_AT(uint32_t, trial->numbers, item));
    struct shape shape;
    bool is_wanted = layout_is_wanted(layout, piece);
    piece->lacks_followers = false;
    shape_find(&trial->shapers[worker], piece, &shape);
    for (uint32_t i = 0; i < shape.call_count; i++) {
        const struct shape_call *call = &shape.calls[i];
        struct callee callee = {.piece = call->piece == NO_NODE ? NULL : layout_piece(layout, call->piece),
                                .import = call->import};
        *(struct trial_call *)array_push(&trial->calls[worker]) =
            (struct trial_call){callee, is_wanted && call->kind != call_kind_TAIL};
    }
    for (uint32_t i = 0; i < shape.edge_count && is_wanted && !piece->lacks_followers; i++)
        if (shape.edges[i].target == NO_NODE)
            *(uint64_t *)array_push(&trial->targets[worker]) = shape.edges[i].outside;
    arena_empty(&trial->shapers[worker].arena);
}

static void take_calls(struct layout *layout, const struct array *calls, struct findings *findings)
{
    for (size_t i = 0; i < calls->count; i++) {
        const struct trial_call *call = array_at(calls, i);
        struct piece *piece = call->callee.piece;
        if (piece)
            piece->is_named = true;
        if (piece && call->is_of_part && piece->origin != origin_PLT)
            *(uint32_t *)array_push(&findings->called) = (uint32_t)(piece - layout_piece(layout, 0));
        callees_note_meant(layout, &call->callee,
                           call->is_of_part ? &findings->called_names : &findings->names);
    }
}

static void try_all(struct layout *layout, const struct array *numbers, struct findings *findings)
{
    unsigned workers = workers_count(layout->threads);
    struct trial trial = {.layout = layout,
                          .numbers = numbers,
                          .shapers = memory_get(workers * sizeof(struct shaper)),
                          .calls = memory_get(workers * sizeof(struct array)),
                          .targets = memory_get(workers * sizeof(struct array))};
    for (unsigned i = 0; i < workers; i++) {
        shaper_init(&trial.shapers[i], layout, 0);
        trial.calls[i] = ARRAY_OF(struct trial_call);
        trial.targets[i] = ARRAY_OF(uint64_t);
    }
    workers_run(layout->threads, numbers->count, try_one, &trial);
    for (unsigned i = 0; i < workers; i++) {
        take_calls(layout, &trial.calls[i], findings);
        for (size_t k = 0; k < trial.targets[i].count; k++)
            *(uint64_t *)array_push(&findings->targets) = *ARRAY_AT(uint64_t, &trial.targets[i], k);
        shaper_free(&trial.shapers[i]);
        array_free(&trial.calls[i]);
        array_free(&trial.targets[i]);
    }
    free(trial.shapers);
    free(trial.calls);
    free(trial.targets);
}

/* Decodes the pieces after one, as many as a search for the end of a table looks at. */
static void add_followers(const struct layout *layout, uint32_t number, uint64_t bytes, struct array *wanted)
{
    uint64_t entries = 0, start = layout_piece(layout, number)->end;
    for (size_t i = number; i < layout->pieces.count && entries < TABLE_END_ENTRIES; i++) {
        const struct piece *piece = layout_piece(layout, i);
        if (!piece->is_swept && piece->start >= start + bytes)
            break;
        if (!piece->is_swept)
            *(uint32_t *)array_add(wanted) = (uint32_t)i;
        entries += piece->count;
    }
}

/* Shapes all chosen functions, some several times. */
static void try_until_done(struct layout *layout, struct findings *findings)
{
    struct array numbers = ARRAY_OF(uint32_t), wanted = ARRAY_OF(uint32_t);
    for (uint32_t i = 0; i < layout->pieces.count; i++)
        if (layout_piece(layout, i)->is_chosen && layout_piece(layout, i)->is_function)
            *(uint32_t *)array_add(&numbers) = i;
    for (uint64_t bytes = FIRST_BYTES; numbers.count; bytes *= 16) {
        size_t kept = 0;
        try_all(layout, &numbers, findings);
        wanted.count = 0;
        for (size_t i = 0; i < numbers.count; i++) {
            uint32_t number = *ARRAY_AT(uint32_t, &numbers, i);
            if (!layout_piece(layout, number)->lacks_followers)
                continue;
            *ARRAY_AT(uint32_t, &numbers, kept++) = number;
            add_followers(layout, number, bytes, &wanted);
        }
        numbers.count = kept;
        layout_sort_numbers(&wanted);
        layout_sweep_some(layout, &wanted);
    }
    array_free(&numbers);
    array_free(&wanted);
}

static void name_at(const struct layout *layout, uint64_t address)
{
    struct piece *piece = address == NO_ADDRESS ? NULL : layout_find(layout, address);
    if (piece && piece->is_function)
        piece->is_named = true;
}

/* The functions that rows of the debug information belong to: it was read for the part's functions alone. */
static void name_declared(const struct layout *layout)
{
    const struct model *model = layout->model;
    struct model_rows calls = MODEL_ROWS_OF(model, inlined_calls, inlined_call, layout->program);
    for (uint32_t id = calls.first; id < calls.end; id++)
        name_at(layout, model_inlined_call(model, id)->function_address);
    struct model_rows variables = MODEL_ROWS_OF(model, variables, variable, layout->program);
    for (uint32_t id = variables.first; id < variables.end; id++)
        name_at(layout, model_variable(model, id)->function_address);
}

static void name_meant(struct layout *layout, struct findings *findings)
{
    struct array numbers = ARRAY_OF(uint32_t);
    callees_find_meant(layout, &findings->names, &numbers);
    callees_find_meant(layout, &findings->called_names, &findings->called);
    for (size_t i = 0; i < numbers.count; i++)
        layout_piece(layout, *ARRAY_AT(uint32_t, &numbers, i))->is_named = true;
    for (size_t i = 0; i < findings->called.count; i++)
        layout_piece(layout, *ARRAY_AT(uint32_t, &findings->called, i))->is_named = true;
    array_free(&numbers);
}

/* For the number of their instructions. */
static void sweep_named(struct layout *layout)
{
    struct array named = ARRAY_OF(uint32_t);
    for (uint32_t i = 0; i < layout->pieces.count; i++)
        if (layout_piece(layout, i)->is_named)
            *(uint32_t *)array_add(&named) = i;
    layout_sweep_some(layout, &named);
    array_free(&named);
}

bool layout_try_shapes(struct layout *layout)
{
    struct findings findings = {.targets = ARRAY_OF(uint64_t),
                                .called = ARRAY_OF(uint32_t),
                                .called_names = ARRAY_OF(struct callee_name),
                                .names = ARRAY_OF(struct callee_name)};
    try_until_done(layout, &findings);
    name_declared(layout);
    name_meant(layout, &findings);
    sweep_named(layout);
    bool is_news = layout_choose_small(layout, &findings.called);
    layout_sort_addresses(&findings.targets);
    is_news |= layout_choose_targets(layout, &findings.targets);
    array_free(&findings.targets);
    array_free(&findings.called);
    array_free(&findings.called_names);
    array_free(&findings.names);
    return is_news;
}
