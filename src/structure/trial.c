/* Shapes the chosen functions of a part for trial.

   It shows two things that have to be known before rows are made.  A jump table whose length the code does
   not give ends where the next object begins, which code after the function may refer to (table_ends.c):
   where that code is not decoded yet, the function is shaped again when it is, with more of it each time. And
   the functions that the chosen ones call get a row, though nothing of them is decoded. */
#include "structure/shape.h"
#include "structure/table_ends.h"

#include "base/workers.h"

#include <stdlib.h>

/* Of code after a function that are decoded at first: nearly always all that a search looks at, because
   decoding them is cheaper than shaping a large function (an interpreter) once more. */
enum { FIRST_BYTES = 1 << 18 };

struct trial {
    struct layout *layout;
    const struct array *numbers; /* of uint32_t: pieces that are shaped */
    struct shaper *shapers;      /* one for each worker */
    struct array *called;        /* for each worker, of uint32_t */
};

static void try_one(void *context, size_t item, unsigned worker)
{
    struct trial *trial = context;
    struct piece *piece = layout_piece(trial->layout, *ARRAY_AT(uint32_t, trial->numbers, item));
    struct shape shape;
    piece->lacks_followers = false;
    shape_find(&trial->shapers[worker], piece, &shape);
    for (uint32_t i = 0; i < shape.call_count; i++)
        if (shape.calls[i].piece != NO_NODE)
            *(uint32_t *)array_add(&trial->called[worker]) = shape.calls[i].piece;
    arena_empty(&trial->shapers[worker].arena);
}

static void try_all(struct layout *layout, const struct array *numbers)
{
    unsigned workers = workers_count(layout->threads);
    struct trial trial = {.layout = layout,
                          .numbers = numbers,
                          .shapers = memory_get(workers * sizeof(struct shaper)),
                          .called = memory_get(workers * sizeof(struct array))};
    for (unsigned i = 0; i < workers; i++) {
        shaper_init(&trial.shapers[i], layout, 0);
        trial.called[i] = ARRAY_OF(uint32_t);
    }
    workers_run(layout->threads, numbers->count, try_one, &trial);
    for (unsigned i = 0; i < workers; i++) {
        for (size_t k = 0; k < trial.called[i].count; k++)
            layout_piece(layout, *ARRAY_AT(uint32_t, &trial.called[i], k))->is_named = true;
        shaper_free(&trial.shapers[i]);
        array_free(&trial.called[i]);
    }
    free(trial.shapers);
    free(trial.called);
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

void layout_try_shapes(struct layout *layout)
{
    struct array numbers = ARRAY_OF(uint32_t), wanted = ARRAY_OF(uint32_t);
    for (uint32_t i = 0; i < layout->pieces.count; i++)
        if (layout_piece(layout, i)->is_chosen && layout_piece(layout, i)->is_function)
            *(uint32_t *)array_add(&numbers) = i;
    for (uint64_t bytes = FIRST_BYTES; numbers.count; bytes *= 16) {
        size_t kept = 0;
        try_all(layout, &numbers);
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
    wanted.count = 0;
    for (uint32_t i = 0; i < layout->pieces.count; i++)
        if (layout_piece(layout, i)->is_named)
            *(uint32_t *)array_add(&wanted) = i;
    layout_sweep_some(layout, &wanted); /* for the number of their instructions */
    array_free(&numbers);
    array_free(&wanted);
}
