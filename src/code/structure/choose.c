/* Reads only a part of a program: the functions that contain some addresses.

   The pieces with these addresses are chosen, and with them what belongs to the same functions: a cold part
   that a chosen function jumps to or throws into, and a piece that jumps into the middle of a chosen one.
   Where else the edges of the functions with the addresses lead is chosen, too (tail calls, cold parts that
   nothing names, cases of switches): data flow and advice look at the blocks there.  Direct jumps show that
   at once.  Jump tables and slots show it when the shapes are tried (trial.c); then functions are found once
   more.

   Chosen pieces become rows exactly as in a whole reading, so everything that their shape depends on has to
   be known as well:

     - Where other code leads into their middle: blocks start there.  code/read/isa.h finds these ways in the
       bytes of all code, without decoding; the pieces that they start from are decoded, because bytes may
       only look like a jump.
     - Which functions they call never return: part_returns.c decodes as many of the callees as it takes.
     - Where jump tables end that the code does not bound: trial.c decodes the functions after.
     - Where functions without a size end: calls that are decoded and ways that are found show the same starts
       as in a whole reading.  Only functions that nothing but undecoded code names (an address taken), or
   that are called from a large piece of unknown size alone, can stay hidden in a chosen piece of unknown
   size.

   Small functions that those with the addresses call, directly or through a stub or a slot of their own
   library, are chosen as well, because advice about calls looks into them.
   Larger ones have a row of functions with their name, size and number of instructions, and no blocks, and so
   has whatever else rows refer to (trial.c).

   Reading 20 functions of libLLVM-15 (112 MB, 98,634 functions) takes 0.22 s of processor time in place of
   7.3 s, 500 functions 0.5 s; 20 of Chromium (283 MB) take 0.96 s in place of 41 s.  Most of it is reading
   the bytes and looking for ways in, 3 ns for a word of code (bench/parts). */
#include "code/structure/callees.h"

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
    struct array closed;  /* of uint64_t: addresses in pieces of unknown size that chosen ones lead to */
};

static uint32_t number_of(const struct layout *layout, const struct piece *piece)
{
    return (uint32_t)(piece - layout_piece(layout, 0));
}

static void choose(struct choice *choice, struct piece *piece)
{
    if (!piece)
        return;
    piece->is_chosen = true;
    if (piece->has_ways)
        return;
    piece->has_ways = true;
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

bool layout_is_wanted(const struct layout *layout, const struct piece *piece)
{
    const struct model_part *part = layout->part;
    struct bisection search = {0, part->count};
    while (bisect(&search))
        bisect_past(&search, part->addresses[search.middle] < piece->start);
    return search.first < part->count && part->addresses[search.first] < piece->end;
}

static bool is_jump(const struct layout *layout, const struct sweep_instruction *entry)
{
    const struct encoding *encoding = model_encoding(layout->model, entry->encoding);
    return entry->encoding && entry->target != NO_ADDRESS && !encoding->load_bytes &&
           (encoding->flow == flow_JUMP || encoding->flow == flow_BRANCH);
}

/* Cold parts: what the piece jumps into the middle of, or by the name of one.  A function of the part leads
   to everything that it jumps to. */
static void follow_jumps(struct choice *choice, const struct piece *piece)
{
    struct layout *layout = choice->layout;
    const struct sweep_instruction *entries = layout_instructions(layout, piece);
    bool is_wanted = layout_is_wanted(layout, piece);
    for (uint32_t i = 0; i < piece->count; i++) {
        uint64_t target = entries[i].target;
        if (!is_jump(layout, &entries[i]) || (target >= piece->start && target < piece->end))
            continue;
        struct piece *other = layout_find(layout, target);
        if (other && is_wanted)
            *(uint64_t *)array_push(&layout->ways_out) = target;
        if (other && other->is_size_known &&
            (is_wanted || target != other->start || callee_is_part_of(layout, piece, other)))
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

/* The pieces that wait are decoded and followed; they are taken off the list and added to done. */
static void follow(struct choice *choice, struct array *done)
{
    struct layout *layout = choice->layout;
    layout_sort_numbers(&choice->waiting);
    struct array now = choice->waiting;
    choice->waiting = ARRAY_OF(uint32_t);
    layout_sweep_some(layout, &now);
    for (size_t i = 0; i < now.count; i++) {
        const struct piece *piece = layout_piece(layout, *ARRAY_AT(uint32_t, &now, i));
        follow_jumps(choice, piece);
        follow_exceptions(choice, piece);
        *(uint32_t *)array_push(done) = number_of(layout, piece);
    }
    array_free(&now);
}

/* The pieces that wait, and those that they lead to.  All are there before the search for ways into them,
   which takes longest. */
static void go_on(struct choice *choice)
{
    struct layout *layout = choice->layout;
    struct array done = ARRAY_OF(uint32_t);
    for (int step = 0; step < MOST_ROUNDS && choice->waiting.count; step++)
        follow(choice, &done);
    layout_sort_numbers(&done);
    choice->ranges.count = 0;
    for (size_t i = 0; i < done.count; i++)
        add_range(choice, layout_piece(layout, *ARRAY_AT(uint32_t, &done, i)));
    array_free(&done);
    find_sources(choice);
    layout_sweep_some(layout, &choice->sources);
    for (size_t i = 0; i < choice->sources.count; i++) {
        struct piece *piece = layout_piece(layout, *ARRAY_AT(uint32_t, &choice->sources, i));
        if (piece->is_size_known && leads_into_chosen(layout, piece))
            choose(choice, piece);
    }
}

/* Whether the piece is between functions, and one beside it is chosen. */
static bool is_beside_chosen(const struct layout *layout, uint32_t number)
{
    const struct piece *piece = layout_piece(layout, number);
    return !piece->is_function &&
           ((number && piece[-1].is_chosen && piece[-1].is_function) ||
            (number + 1 < layout->pieces.count && piece[1].is_chosen && piece[1].is_function));
}

/* What the functions of the part call, also through stubs, as a library calls its own exported functions: of
   uint32_t. */
static struct array find_callees(const struct layout *layout)
{
    struct array callees = ARRAY_OF(uint32_t), names = ARRAY_OF(struct callee_name);
    for (size_t number = 0; number < layout->pieces.count; number++) {
        const struct piece *piece = layout_piece(layout, number);
        const struct sweep_instruction *entries = layout_instructions(layout, piece);
        bool is_wanted = piece->is_chosen && layout_is_wanted(layout, piece);
        for (uint32_t i = 0; is_wanted && i < piece->count; i++) {
            if (model_encoding(layout->model, entries[i].encoding)->flow != flow_CALL)
                continue;
            struct callee callee = callee_of(layout, piece, i);
            if (callee.piece && callee.piece->origin != origin_PLT)
                *(uint32_t *)array_add(&callees) = number_of(layout, callee.piece);
            callees_note_meant(layout, &callee, &names);
        }
    }
    callees_find_meant(layout, &names, &callees);
    array_free(&names);
    return callees;
}

bool layout_choose_small(struct layout *layout, struct array *numbers)
{
    size_t kept = 0;
    bool is_news = false;
    layout_sort_numbers(numbers);
    for (size_t i = 0; i < numbers->count; i++) {
        uint32_t number = *ARRAY_AT(uint32_t, numbers, i);
        if (layout_piece(layout, number)->is_size_known)
            *ARRAY_AT(uint32_t, numbers, kept++) = number;
    }
    numbers->count = kept;
    layout_sweep_some(layout, numbers);
    for (size_t i = 0; i < numbers->count; i++) {
        struct piece *piece = layout_piece(layout, *ARRAY_AT(uint32_t, numbers, i));
        is_news |= !piece->is_chosen && piece->count <= SMALL;
        piece->is_chosen |= piece->count <= SMALL;
    }
    return is_news;
}

static void choose_small_callees(struct layout *layout)
{
    struct array callees = find_callees(layout);
    layout_choose_small(layout, &callees);
    array_free(&callees);
}

/* Notes an address in a piece of unknown size, unless all is known there. */
static void note_if_closed(struct choice *choice, uint64_t address)
{
    const struct piece *piece = layout_find(choice->layout, address);
    if (piece && !piece->is_size_known && !piece->has_ways)
        *(uint64_t *)array_push(&choice->closed) = address;
}

/* Calls into code between functions start one there. */
static void note_closed_callees(struct choice *choice)
{
    const struct layout *layout = choice->layout;
    for (size_t number = 0; number < layout->pieces.count; number++) {
        const struct piece *piece = layout_piece(layout, number);
        const struct sweep_instruction *entries = layout_instructions(layout, piece);
        for (uint32_t i = 0; piece->is_chosen && i < piece->count; i++)
            if (entries[i].target != NO_ADDRESS &&
                (is_jump(layout, &entries[i]) ||
                 model_encoding(layout->model, entries[i].encoding)->flow == flow_CALL))
                note_if_closed(choice, entries[i].target);
    }
}

/* What is at closed addresses is decoded, and what else leads there. */
static void open_closed(struct choice *choice)
{
    struct layout *layout = choice->layout;
    const struct array *addresses = &choice->closed;
    struct array extracts = ARRAY_OF(struct extract), numbers = ARRAY_OF(uint32_t);
    for (size_t i = 0; i < addresses->count; i++) {
        uint64_t address = *ARRAY_AT(uint64_t, addresses, i);
        *(struct extract *)array_push(&extracts) = (struct extract){address, address + BEHIND};
    }
    layout_cut_extracts(layout, &extracts);
    for (size_t i = 0; i < addresses->count; i++) {
        const struct piece *piece =
            layout_find(layout, *ARRAY_AT(uint64_t, addresses, i)); /* large ones were cut */
        if (piece && !piece->is_size_known && !piece->has_ways)
            *(uint32_t *)array_push(&numbers) = number_of(layout, piece);
    }
    layout_sort_numbers(&numbers);
    layout_sweep_some(layout, &numbers);
    choice->ranges.count = 0;
    for (size_t i = 0; i < numbers.count; i++) {
        struct piece *piece = layout_piece(layout, *ARRAY_AT(uint32_t, &numbers, i));
        piece->has_ways = true;
        add_range(choice, piece);
    }
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

static struct choice begin(struct layout *layout)
{
    return (struct choice){.layout = layout,
                           .waiting = ARRAY_OF(uint32_t),
                           .sources = ARRAY_OF(uint32_t),
                           .ranges = ARRAY_OF(struct transfer_range),
                           .closed = ARRAY_OF(uint64_t)};
}

/* Decodes the pieces that wait, and what else their rows depend on. */
static void finish(struct choice *choice)
{
    for (int round = 0; round < MOST_ROUNDS && choice->waiting.count; round++)
        go_on(choice);
    layout_sweep_some(choice->layout, &choice->waiting);
    choose_small_callees(choice->layout);
    note_closed_callees(choice);
    open_closed(choice);
    sweep_padding(choice->layout);
    layout_sort_addresses(&choice->layout->ways_out);
}

static void end(struct choice *choice)
{
    array_free(&choice->waiting);
    array_free(&choice->sources);
    array_free(&choice->ranges);
    array_free(&choice->closed);
}

void layout_choose(struct layout *layout)
{
    struct choice choice = begin(layout);
    cut_around_addresses(layout);
    choose_addresses(&choice);
    finish(&choice);
    end(&choice);
}

/* Which of the addresses are news: what is there was not chosen, or only as a small callee. */
static struct array find_news(const struct layout *layout, const struct array *targets)
{
    struct array news = ARRAY_OF(uint64_t);
    for (size_t i = 0; i < targets->count; i++) {
        uint64_t address = *ARRAY_AT(uint64_t, targets, i);
        const struct piece *piece = layout_find(layout, address);
        if (piece && !(piece->is_chosen && piece->has_ways) &&
            !layout_has_address(&layout->ways_out, address))
            *(uint64_t *)array_push(&news) = address;
    }
    return news;
}

bool layout_choose_targets(struct layout *layout, const struct array *targets)
{
    struct choice choice = begin(layout);
    struct array news = find_news(layout, targets);
    bool is_any = news.count > 0;
    for (size_t i = 0; i < news.count; i++) {
        uint64_t address = *ARRAY_AT(uint64_t, &news, i);
        struct piece *piece = layout_find(layout, address);
        *(uint64_t *)array_push(&layout->ways_out) = address;
        note_if_closed(&choice, address);
        if (piece->is_size_known)
            choose(&choice, piece);
    }
    if (is_any)
        finish(&choice);
    end(&choice);
    array_free(&news);
    return is_any;
}

static bool is_led_to(const struct layout *layout, const struct piece *piece)
{
    size_t first = layout_first_address(&layout->ways_out, piece->start);
    return first < layout->ways_out.count && *ARRAY_AT(uint64_t, &layout->ways_out, first) < piece->end;
}

void layout_choose_again(struct layout *layout)
{
    for (size_t i = 0; i < layout->pieces.count; i++) {
        struct piece *piece = layout_piece(layout, i);
        if (!piece->is_function || !piece->is_size_known)
            piece->is_chosen =
                piece->is_swept && (layout_is_wanted(layout, piece) || is_led_to(layout, piece));
    }
    for (uint32_t i = 0; i < layout->pieces.count; i++)
        if (is_beside_chosen(layout, i))
            layout_piece(layout, i)->is_chosen = true;
}
