/* Reads only a part of a program: the functions that contain some addresses.

   The pieces with these addresses are chosen, and with them what belongs to the same functions: a cold part
   that a chosen function jumps to or throws into, and a piece that jumps into the middle of a chosen one.
   Chosen pieces become rows exactly as in a whole reading, so everything that their shape depends on has to
   be known as well:

     - Where other code leads into their middle: blocks start there.  read/isa.h finds these ways in the bytes
       of all code, without decoding; the pieces that they start from are decoded, because bytes may only look
       like a jump.
     - Which functions they call never return: part_returns.c decodes as many of the callees as it takes.
     - Where jump tables end that the code does not bound: trial.c decodes the functions after.
     - Where functions without a size end: calls that are decoded and ways that are found show the same starts
       as in a whole reading.  Only functions that nothing but undecoded code names (an address taken), or
   that are called from a large piece of unknown size alone, can stay hidden in a chosen piece of unknown
   size.

   Small functions that chosen ones call, directly or through a stub of their own library, are chosen as well,
   because advice about calls looks into them.
   Larger ones have a row of functions with their name, size and number of instructions, and no blocks, like
   all pieces that are decoded for a reason above.

   Reading 20 functions of libLLVM-15 (112 MB, 98,634 functions) takes 0.22 s of processor time in place of
   7.3 s, 500 functions 0.5 s; 20 of Chromium (283 MB) take 0.96 s in place of 41 s.  Most of it is reading
   the bytes and looking for ways in, 3 ns for a word of code (bench/parts). */
#include "structure/callees.h"

#include "base/workers.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_ROUNDS = 16,
    STRETCH = 1 << 20, /* bytes of code that a worker looks through at a time */
    SMALL = 32,        /* instructions of a small function */
    /* Bytes of a piece of unknown size that are looked at around an address of the part, and after the start
       of a function that it calls. */
    AROUND = 1 << 16,
    BEHIND = 1 << 14
};

struct choice {
    struct layout *layout;
    struct array waiting; /* of uint32_t: numbers of pieces that are chosen since the last round */
    struct array sources; /* of uint32_t: pieces with ways into chosen ones */
    struct array ranges;  /* of struct transfer_range: the waiting pieces */
};

static uint32_t number_of(const struct layout *layout, const struct piece *piece)
{
    return (uint32_t)(piece - layout_piece(layout, 0));
}

static void choose(struct choice *choice, struct piece *piece)
{
    if (!piece || piece->is_chosen)
        return;
    piece->is_chosen = true;
    *(uint32_t *)array_add(&choice->waiting) = number_of(choice->layout, piece);
}

static void cut_around_addresses(struct layout *layout)
{
    struct array extracts = ARRAY_OF(struct extract);
    const struct model_part *part = layout->part;
    for (size_t i = 0; i < part->count; i++) {
        const struct piece *piece = layout_find(layout, part->addresses[i]);
        if (!piece || !layout_is_large(piece))
            continue;
        uint64_t around = part->addresses[i] & ~UINT64_C(15);
        uint64_t low = around - piece->start > AROUND ? around - AROUND : piece->start;
        *(struct extract *)array_add(&extracts) = (struct extract){low, around + AROUND};
    }
    layout_cut_extracts(layout, &extracts);
    array_free(&extracts);
}

static void choose_addresses(struct choice *choice)
{
    const struct model_part *part = choice->layout->part;
    for (size_t i = 0; i < part->count; i++)
        choose(choice, layout_find(choice->layout, part->addresses[i]));
}

static bool is_jump(const struct layout *layout, const struct sweep_instruction *entry)
{
    const struct encoding *encoding = model_encoding(layout->model, entry->encoding);
    return entry->encoding && entry->target != NO_ADDRESS && !encoding->load_bytes &&
           (encoding->flow == flow_JUMP || encoding->flow == flow_BRANCH);
}

/* Cold parts: what the piece jumps into the middle of, or by the name of one. */
static void follow_jumps(struct choice *choice, const struct piece *piece)
{
    const struct layout *layout = choice->layout;
    const struct sweep_instruction *entries = layout_instructions(layout, piece);
    for (uint32_t i = 0; i < piece->count; i++) {
        uint64_t target = entries[i].target;
        if (!is_jump(layout, &entries[i]) || (target >= piece->start && target < piece->end))
            continue;
        struct piece *other = layout_find(layout, target);
        if (other && other->is_size_known &&
            (target != other->start || callee_is_part_of(layout, piece, other)))
            choose(choice, other);
    }
}

static void follow_exceptions(struct choice *choice, const struct piece *piece)
{
    const struct layout *layout = choice->layout;
    struct bisection search = {layout->first_pad, layout->pad_end};
    while (bisect(&search))
        bisect_past(&search,
                    model_landing_pad(layout->model, (uint32_t)search.middle)->address < piece->start);
    for (uint32_t id = (uint32_t)search.first; id < layout->pad_end; id++) {
        const struct landing_pad *pad = model_landing_pad(layout->model, id);
        if (pad->address >= piece->end)
            break;
        struct piece *other = pad->pad == NO_ADDRESS ? NULL : layout_find(layout, pad->pad);
        if (other && other->is_size_known)
            choose(choice, other);
    }
}

/* One search through a stretch of a code section. */
struct stretch {
    uint32_t section;
    size_t first;
    struct array ways; /* of struct transfer */
};

struct ways {
    const struct choice *choice;
    struct array stretches; /* of struct stretch */
};

static void search_stretch(void *context, size_t item, unsigned worker)
{
    struct ways *ways = context;
    struct stretch *stretch = array_at(&ways->stretches, item);
    const struct layout *layout = ways->choice->layout;
    const struct section *section = model_section(layout->model, stretch->section);
    const struct array *ranges = &ways->choice->ranges;
    struct transfer_search search = {.bytes = section->contents.data,
                                     .size = section->contents.size,
                                     .address = section->address,
                                     .first = stretch->first,
                                     .end = stretch->first + STRETCH,
                                     .ranges = ranges->data,
                                     .range_count = ranges->count};
    (void)worker;
    layout->reader->find_transfers(&search, &stretch->ways);
}

/* Pieces from which something seems to lead into the ranges. */
static void find_sources(struct choice *choice)
{
    const struct layout *layout = choice->layout;
    struct ways ways = {.choice = choice, .stretches = ARRAY_OF(struct stretch)};
    for (size_t i = 0; i < layout->sections.count; i++) {
        uint32_t id = *ARRAY_AT(uint32_t, &layout->sections, i);
        const struct section *section = model_section(layout->model, id);
        for (size_t first = 0; section->is_code && first < section->contents.size; first += STRETCH)
            *(struct stretch *)array_add(&ways.stretches) =
                (struct stretch){.section = id, .first = first, .ways = ARRAY_OF(struct transfer)};
    }
    choice->sources.count = 0;
    if (choice->ranges.count)
        workers_run(layout->threads, ways.stretches.count, search_stretch, &ways);
    for (size_t i = 0; i < ways.stretches.count; i++) {
        struct stretch *stretch = array_at(&ways.stretches, i);
        for (size_t k = 0; k < stretch->ways.count; k++) {
            const struct piece *piece =
                layout_find(layout, ARRAY_AT(struct transfer, &stretch->ways, k)->from);
            if (piece && !layout_is_large(piece))
                *(uint32_t *)array_add(&choice->sources) = number_of(layout, piece);
        }
        array_free(&stretch->ways);
    }
    array_free(&ways.stretches);
    layout_sort_numbers(&choice->sources);
}

/* What jumps into the middle of a chosen function belongs to it. */
static bool leads_into_chosen(const struct layout *layout, const struct piece *piece)
{
    const struct sweep_instruction *entries = layout_instructions(layout, piece);
    for (uint32_t i = 0; i < piece->count; i++) {
        const struct piece *other =
            is_jump(layout, &entries[i]) ? layout_find(layout, entries[i].target) : NULL;
        if (other && other != piece && other->is_chosen && entries[i].target != other->start)
            return true;
    }
    return false;
}

/* Calls of the start of a function are no news, but they make functions of code between functions. */
static void add_range(struct choice *choice, const struct piece *piece)
{
    *(struct transfer_range *)array_add(&choice->ranges) =
        (struct transfer_range){piece->is_function ? piece->start : piece->start - 1, piece->end};
}

/* The pieces that wait are decoded and followed; they are taken off the list. */
static void go_on(struct choice *choice)
{
    struct layout *layout = choice->layout;
    layout_sort_numbers(&choice->waiting);
    struct array now = choice->waiting;
    choice->waiting = ARRAY_OF(uint32_t);
    choice->ranges.count = 0;
    layout_sweep_some(layout, &now);
    for (size_t i = 0; i < now.count; i++) {
        const struct piece *piece = layout_piece(layout, *ARRAY_AT(uint32_t, &now, i));
        add_range(choice, piece);
        follow_jumps(choice, piece);
        follow_exceptions(choice, piece);
    }
    find_sources(choice);
    layout_sweep_some(layout, &choice->sources);
    for (size_t i = 0; i < choice->sources.count; i++) {
        struct piece *piece = layout_piece(layout, *ARRAY_AT(uint32_t, &choice->sources, i));
        if (piece->is_size_known && leads_into_chosen(layout, piece))
            choose(choice, piece);
    }
    array_free(&now);
}

/* Whether the piece is between functions, and one beside it is chosen. */
static bool is_beside_chosen(const struct layout *layout, uint32_t number)
{
    const struct piece *piece = layout_piece(layout, number);
    return !piece->is_function &&
           ((number && piece[-1].is_chosen && piece[-1].is_function) ||
            (number + 1 < layout->pieces.count && piece[1].is_chosen && piece[1].is_function));
}

/* Notes the name of a stub's function. */
static void want_behind(const struct layout *layout, const struct piece *stub, bool *wanted)
{
    const char *name =
        stub->symbol ? model_text(layout->model, model_symbol(layout->model, stub->symbol)->name) : NULL;
    if (name)
        wanted[strings_find_length(&layout->model->strings, name, strcspn(name, "@"))] = true;
}

/* A library calls its own exported functions through stubs. */
static void add_behind_stubs(const struct layout *layout, bool *wanted, struct array *callees)
{
    wanted[0] = false;
    for (uint32_t id = 1; id < layout->model->symbols.count; id++) {
        const struct symbol *symbol = model_symbol(layout->model, id);
        if (symbol->program != layout->program || !wanted[symbol->name] || symbol->address == NO_ADDRESS)
            continue;
        const struct piece *piece = layout_find(layout, symbol->address);
        if (piece && piece->start == symbol->address && piece->is_size_known)
            *(uint32_t *)array_add(callees) = number_of(layout, piece);
    }
}

/* Functions that the chosen ones call: of uint32_t. */
static struct array find_callees(const struct layout *layout)
{
    struct array callees = ARRAY_OF(uint32_t);
    bool *wanted = memory_get(layout->model->strings.entries.count + 1);
    for (size_t number = 0; number < layout->pieces.count; number++) {
        const struct piece *piece = layout_piece(layout, number);
        const struct sweep_instruction *entries = layout_instructions(layout, piece);
        for (uint32_t i = 0; piece->is_chosen && i < piece->count; i++) {
            if (model_encoding(layout->model, entries[i].encoding)->flow != flow_CALL)
                continue;
            struct callee callee = callee_of(layout, piece, i);
            if (callee.piece && callee.piece->origin == origin_PLT)
                want_behind(layout, callee.piece, wanted);
            else if (callee.piece && callee.piece->is_size_known)
                *(uint32_t *)array_add(&callees) = number_of(layout, callee.piece);
        }
    }
    add_behind_stubs(layout, wanted, &callees);
    free(wanted);
    layout_sort_numbers(&callees);
    return callees;
}

/* Advice asks whether they call and loop: what leads into their middle does not matter. */
static void choose_small_callees(struct layout *layout)
{
    struct array callees = find_callees(layout);
    layout_sweep_some(layout, &callees);
    for (size_t i = 0; i < callees.count; i++) {
        struct piece *piece = layout_piece(layout, *ARRAY_AT(uint32_t, &callees, i));
        piece->is_chosen |= piece->count <= SMALL;
    }
    array_free(&callees);
}

/* Calls into code between functions start one there: its code is decoded, and what else calls it. */
static void open_callees(struct choice *choice)
{
    struct layout *layout = choice->layout;
    struct array extracts = ARRAY_OF(struct extract), numbers = ARRAY_OF(uint32_t);
    for (size_t number = 0; number < layout->pieces.count; number++) {
        const struct piece *piece = layout_piece(layout, number);
        const struct sweep_instruction *entries = layout_instructions(layout, piece);
        for (uint32_t i = 0; piece->is_chosen && i < piece->count; i++) {
            uint64_t target = entries[i].target;
            const struct piece *other = target == NO_ADDRESS ? NULL : layout_find(layout, target);
            if (other && !other->is_size_known && !other->is_swept &&
                (is_jump(layout, &entries[i]) ||
                 model_encoding(layout->model, entries[i].encoding)->flow == flow_CALL))
                *(struct extract *)array_add(&extracts) = (struct extract){target, target + BEHIND};
        }
    }
    layout_cut_extracts(layout, &extracts);
    for (size_t i = 0; i < extracts.count; i++) {
        const struct piece *piece =
            layout_find(layout, ARRAY_AT(struct extract, &extracts, i)->start); /* large ones were cut */
        if (piece)
            *(uint32_t *)array_add(&numbers) = number_of(layout, piece);
    }
    layout_sort_numbers(&numbers);
    layout_sweep_some(layout, &numbers);
    choice->ranges.count = 0;
    for (size_t i = 0; i < numbers.count; i++)
        add_range(choice, layout_piece(layout, *ARRAY_AT(uint32_t, &numbers, i)));
    find_sources(choice);
    layout_sweep_some(layout, &choice->sources);
    array_free(&extracts);
    array_free(&numbers);
}

/* Padding beside chosen functions: probes need room nearby for their jumps. */
static void sweep_padding(struct layout *layout)
{
    struct array numbers = ARRAY_OF(uint32_t);
    for (uint32_t i = 0; i < layout->pieces.count; i++)
        if (is_beside_chosen(layout, i))
            *(uint32_t *)array_add(&numbers) = i;
    layout_sweep_some(layout, &numbers);
    array_free(&numbers);
}

void layout_choose(struct layout *layout)
{
    struct choice choice = {.layout = layout,
                            .waiting = ARRAY_OF(uint32_t),
                            .sources = ARRAY_OF(uint32_t),
                            .ranges = ARRAY_OF(struct transfer_range)};
    cut_around_addresses(layout);
    choose_addresses(&choice);
    for (int round = 0; round < MOST_ROUNDS && choice.waiting.count; round++)
        go_on(&choice);
    layout_sweep_some(layout, &choice.waiting);
    choose_small_callees(layout);
    open_callees(&choice);
    sweep_padding(layout);
    array_free(&choice.waiting);
    array_free(&choice.sources);
    array_free(&choice.ranges);
}

void layout_choose_again(struct layout *layout)
{
    const struct model_part *part = layout->part;
    size_t at = 0;
    for (size_t i = 0; i < layout->pieces.count; i++) {
        struct piece *piece = layout_piece(layout, i);
        if (!piece->is_chosen || (piece->is_function && piece->is_size_known))
            continue;
        while (at < part->count && part->addresses[at] < piece->start)
            at++;
        piece->is_chosen = at < part->count && part->addresses[at] < piece->end;
    }
    for (uint32_t i = 0; i < layout->pieces.count; i++)
        if (is_beside_chosen(layout, i))
            layout_piece(layout, i)->is_chosen = true;
}
