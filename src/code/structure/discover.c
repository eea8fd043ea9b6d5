/* Finds functions without symbols.

   A call into code that no function of known size covers starts a function there, marked as guessed.  A call
   into a function of known size adds an entry to it (hand-written assembly), and so does a jump (to the warm
   part of a function whose cold part was split off); jumps into code of unknown size are left to divide.c.
   Then the code between functions is classified: padding stays between functions, decodable code without
   references becomes a guessed function, and everything else stays bytes. */
#include "code/structure/layout.h"

#include "base/workers.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_ROUNDS = 4 };

struct search {
    struct layout *layout;
    struct array *found; /* for each worker, of struct found_start */
    struct array *jumps; /* for each worker, of uint64_t */
};

static bool is_direct_transfer(const struct layout *layout, const struct sweep_instruction *entry)
{
    if (!entry->encoding || entry->target == NO_ADDRESS)
        return false;
    const struct encoding *encoding = model_encoding(layout->model, entry->encoding);
    return (encoding->flow == flow_CALL || encoding->flow == flow_JUMP || encoding->flow == flow_BRANCH) &&
           !encoding->load_bytes;
}

/* Targets of the piece's calls and jumps, in any piece, where no function starts. */
static void search_piece(const struct search *search, const struct piece *piece, struct array *found,
                         struct array *jumps)
{
    const struct layout *layout = search->layout;
    const struct sweep_instruction *entries = layout_instructions(layout, piece);
    for (uint32_t i = 0; i < piece->count; i++) {
        if (!is_direct_transfer(layout, &entries[i]))
            continue;
        uint64_t target = entries[i].target;
        bool is_inside = target >= piece->start && target < piece->end;
        bool is_call = model_encoding(layout->model, entries[i].encoding)->flow == flow_CALL;
        if (is_inside && (!is_call || target == piece->start || piece->is_size_known))
            continue;
        const struct piece *other = layout_find(layout, target);
        if (!other || (other->is_function && other->start == target))
            continue;
        if (is_call)
            *(struct found_start *)array_add(found) = (struct found_start){target, origin_CALL};
        else
            *(uint64_t *)array_add(jumps) = target;
    }
}

static void search_one(void *context, size_t number, unsigned worker)
{
    struct search *search = context;
    struct piece *piece = layout_piece(search->layout, number);
    if (!piece->is_searched)
        search_piece(search, piece, &search->found[worker], &search->jumps[worker]);
    piece->is_searched = true;
}

/* Merges what the workers have found. */
static void gather(struct array *all, struct array *parts, unsigned workers)
{
    for (unsigned i = 0; i < workers; i++) {
        if (parts[i].count)
            memcpy(array_add_many(all, parts[i].count), parts[i].data, parts[i].count * parts[i].width);
        array_free(&parts[i]);
    }
    free(parts);
}

/* What pieces lead to that are not searched yet: struct found_start for calls, addresses for jumps. */
static void search_pieces(struct layout *layout, struct array *found, struct array *jumps)
{
    unsigned workers = workers_count(layout->threads);
    struct search search = {.layout = layout,
                            .found = memory_get(workers * sizeof(struct array)),
                            .jumps = memory_get(workers * sizeof(struct array))};
    for (unsigned i = 0; i < workers; i++) {
        search.found[i] = ARRAY_OF(struct found_start);
        search.jumps[i] = ARRAY_OF(uint64_t);
    }
    workers_run(layout->threads, layout->pieces.count, search_one, &search);
    gather(found, search.found, workers);
    gather(jumps, search.jumps, workers);
}

void layout_search_again(struct layout *layout)
{
    struct array found = ARRAY_OF(struct found_start);
    for (size_t i = 0; i < layout->pieces.count; i++)
        layout_piece(layout, i)->is_searched = layout_piece(layout, i)->is_size_known;
    search_pieces(layout, &found, &layout->entries);
    layout_cut(layout, &found);
    layout_sort_addresses(&layout->entries);
    array_free(&found);
}

/* A jump to a place without a function: one starts there. */
static void take_jumps_between(struct layout *layout)
{
    struct array found = ARRAY_OF(struct found_start);
    for (size_t i = 0; i < layout->entries.count; i++) {
        uint64_t address = *ARRAY_AT(uint64_t, &layout->entries, i);
        const struct piece *piece = layout_find(layout, address);
        if (piece && !piece->is_function)
            *(struct found_start *)array_add(&found) = (struct found_start){address, origin_CALL};
    }
    if (found.count)
        layout_cut(layout, &found);
    array_free(&found);
}

void layout_discover(struct layout *layout)
{
    bool is_swept_again = true;
    for (int round = 0; round < MOST_ROUNDS && is_swept_again; round++) {
        struct array found = ARRAY_OF(struct found_start);
        search_pieces(layout, &found, &layout->entries);
        is_swept_again = layout_cut(layout, &found);
        array_free(&found);
    }
    layout_trim_padding(layout);
    layout_sort_addresses(&layout->entries);
    take_jumps_between(layout);
}
