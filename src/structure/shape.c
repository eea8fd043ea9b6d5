#include "structure/shape.h"

#include "structure/callees.h"
#include "structure/frames.h"
#include "structure/labels.h"
#include "structure/listing_tables.h"
#include "structure/slots.h"
#include "structure/switches.h"

#include <stdlib.h>
#include <string.h>

/* A way through a jump table; target is an entry, or UINT32_MAX where it is outside of the function. */
struct switch_edge {
    uint32_t source, target;
    uint64_t outside;
};

/* What is known of an indirect jump so far. */
struct open_jump {
    uint32_t entry;
    uint32_t first_target, target_count; /* in shaper->found_targets */
    struct switch_table table;
    enum switch_result result;
    bool was_looked_at, has_new_targets;
};

/* Steps of the searches for jump tables in one function.  No real function comes near; code without bounds of
   functions, which is one huge piece with thousands of indirect jumps, does. */
enum { STEPS_FOR_ALL = 1000000, STEPS_FOR_EACH = 20, MOST_ROUNDS = 16 };

void shaper_init(struct shaper *shaper, struct layout *layout, unsigned path_limit)
{
    *shaper = (struct shaper){.layout = layout,
                              .path_limit = path_limit,
                              .flags = ARRAY_OF(uint8_t),
                              .jumps = ARRAY_OF(struct jump_source),
                              .targets = ARRAY_OF(uint64_t),
                              .blocks = ARRAY_OF(struct shape_block),
                              .edges = ARRAY_OF(struct shape_edge),
                              .calls = ARRAY_OF(struct shape_call),
                              .block_of = ARRAY_OF(uint32_t),
                              .switch_edges = ARRAY_OF(struct switch_edge),
                              .first = ARRAY_OF(uint32_t),
                              .graph_targets = ARRAY_OF(uint32_t),
                              .numbers = ARRAY_OF(uint32_t),
                              .marks = ARRAY_OF(uint8_t),
                              .loops = ARRAY_OF(struct graph_loop),
                              .memberships = ARRAY_OF(struct shape_membership),
                              .paths = ARRAY_OF(struct shape_path),
                              .path_blocks = ARRAY_OF(uint32_t),
                              .open_jumps = ARRAY_OF(struct open_jump),
                              .open_entries = ARRAY_OF(uint32_t),
                              .found_targets = ARRAY_OF(uint64_t)};
}

void shaper_free(struct shaper *shaper)
{
    struct array *arrays[] = {
        &shaper->flags,        &shaper->jumps,         &shaper->targets,     &shaper->blocks,
        &shaper->edges,        &shaper->calls,         &shaper->block_of,    &shaper->switch_edges,
        &shaper->first,        &shaper->graph_targets, &shaper->numbers,     &shaper->loops,
        &shaper->memberships,  &shaper->paths,         &shaper->path_blocks, &shaper->open_jumps,
        &shaper->open_entries, &shaper->found_targets, &shaper->marks};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        array_free(arrays[i]);
    graph_scratch_free(&shaper->graph_scratch);
    arena_free(&shaper->arena);
}

/* What the functions below share while one function is shaped. */
struct work {
    struct shaper *shaper;
    struct layout *layout;
    struct piece *piece;
    struct sweep_instruction *entries;
    uint64_t section_start;
    uint8_t *flags;
    struct shape *shape;
    struct switch_context context; /* complete when the leaders are known */
    struct frame frame;
    uint64_t steps_left;
};

static uint64_t address_of(const struct work *work, uint32_t entry)
{
    return work->section_start + work->entries[entry].offset;
}

static const struct encoding *encoding_of(const struct work *work, uint32_t entry)
{
    return model_encoding(work->layout->model, work->entries[entry].encoding);
}

static bool is_inside(const struct work *work, uint64_t address)
{
    return address >= work->piece->start && address < work->piece->end;
}

static bool is_direct(const struct work *work, uint32_t entry)
{
    return work->entries[entry].target != NO_ADDRESS && !encoding_of(work, entry)->load_bytes;
}

static void count_first(uint32_t *count, uint64_t *first, uint64_t address)
{
    if (!(*count)++)
        *first = address;
}

/* The entry that an address inside the function means.  A jump into the middle of an instruction (over a
   prefix, as some atomic operations do) counts as one to its start. */
static uint32_t entry_at(struct work *work, uint64_t address)
{
    uint32_t offset = (uint32_t)(address - work->section_start);
    struct bisection search = {0, work->piece->count};
    while (bisect(&search))
        bisect_past(&search, work->entries[search.middle].offset <= offset);
    uint32_t low = (uint32_t)search.first;
    if (!low) /* before the first instruction lies nothing */
        return 0;
    if (work->entries[low - 1].offset != offset)
        count_first(&work->shape->inner_jumps, &work->shape->first_inner, address);
    return low - 1;
}

static void lead(struct work *work, uint32_t entry)
{
    if (entry < work->piece->count)
        work->flags[entry] |= LEADER;
}

static void note_call(struct work *work, uint32_t entry)
{
    struct callee callee = callee_of(work->layout, work->piece, entry);
    struct shape_call *call = array_add(&work->shaper->calls);
    *call = (struct shape_call){.entry = entry, .piece = NO_NODE, .import = callee.import};
    if (callee.piece)
        call->piece = (uint32_t)(callee.piece - layout_piece(work->layout, 0));
    bool is_known = callee.piece || callee.import;
    call->kind = !is_known          ? (is_direct(work, entry) ? call_kind_DIRECT : call_kind_INDIRECT)
                 : callee.is_import ? call_kind_IMPORT
                                    : call_kind_DIRECT;
    if (!callee_returns(work->layout, &callee)) {
        work->flags[entry] |= NO_RETURN;
        lead(work, entry + 1);
    }
    const struct landing_pad *pad = layout_pad(work->layout, address_of(work, entry));
    if (pad && pad->pad != NO_ADDRESS) {
        work->flags[entry] |= HAS_PAD;
        lead(work, entry + 1);
        if (is_inside(work, pad->pad))
            lead(work, entry_at(work, pad->pad));
    }
}

static void find_leaders(struct work *work)
{
    lead(work, 0);
    for (uint32_t i = 0; i < work->piece->count; i++) {
        if (!work->entries[i].encoding) {
            lead(work, i + 1);
            continue;
        }
        switch (encoding_of(work, i)->flow) {
        case flow_JUMP:
        case flow_BRANCH:
            lead(work, i + 1);
            if (is_direct(work, i) && is_inside(work, work->entries[i].target)) {
                uint32_t target = entry_at(work, work->entries[i].target);
                lead(work, target);
                *(struct jump_source *)array_push(&work->shaper->jumps) = (struct jump_source){target, i};
            }
            break;
        case flow_RETURN:
        case flow_STOP:
            lead(work, i + 1);
            break;
        case flow_CALL:
            note_call(work, i);
            break;
        default:
            break;
        }
    }
}

static void mark_entries(struct work *work)
{
    const struct array *entries = &work->layout->entries;
    size_t low = layout_first_address(entries, work->piece->start);
    for (; low < entries->count && *ARRAY_AT(uint64_t, entries, low) < work->piece->end; low++) {
        uint32_t entry = entry_at(work, *ARRAY_AT(uint64_t, entries, low));
        work->flags[entry] |= LEADER | ENTRY;
    }
}

/* Blocks that the compiler states are blocks, whether anything jumps there or not. */
static void mark_stated_blocks(struct work *work)
{
    const struct array *stated = &work->layout->stated_blocks;
    size_t i = layout_first_address(stated, work->piece->start);
    for (; i < stated->count && *ARRAY_AT(uint64_t, stated, i) < work->piece->end; i++)
        lead(work, layout_index(work->layout, work->piece, *ARRAY_AT(uint64_t, stated, i)));
}

static int by_pair(const void *a, const void *b)
{
    const struct jump_source *x = a, *y = b;
    if (x->target != y->target)
        return x->target < y->target ? -1 : 1;
    return x->source < y->source ? -1 : x->source > y->source;
}

/* A table that lies in the code is no code. */
static void clear_table(struct work *work, const struct switch_table *table)
{
    uint64_t end = table->address + (uint64_t)table->entry_count * table->entry_size;
    if (!is_inside(work, table->address) || end > work->piece->end)
        return;
    for (uint32_t i = entry_at(work, table->address); i < work->piece->count && address_of(work, i) < end;
         i++) {
        work->entries[i].encoding = 0;
        work->entries[i].target = NO_ADDRESS;
        lead(work, i + 1);
    }
}

/* The targets of a jump through a table become borders and edges. */
static void take_targets(struct work *work, uint32_t jump)
{
    struct shaper *shaper = work->shaper;
    for (size_t i = 0; i < shaper->targets.count; i++) {
        struct switch_edge edge = {
            .source = jump, .target = UINT32_MAX, .outside = *ARRAY_AT(uint64_t, &shaper->targets, i)};
        if (is_inside(work, edge.outside)) {
            edge.target = entry_at(work, edge.outside);
            lead(work, edge.target);
        }
        *(struct switch_edge *)array_push(&shaper->switch_edges) = edge;
    }
}

static void add_jumps(struct work *work, const struct open_jump *jump)
{
    for (uint32_t i = 0; i < jump->target_count; i++) {
        uint64_t address = *ARRAY_AT(uint64_t, &work->shaper->found_targets, jump->first_target + i);
        if (!is_inside(work, address))
            continue;
        struct jump_source *source = array_push(&work->shaper->jumps);
        *source = (struct jump_source){entry_at(work, address), jump->entry};
        lead(work, source->target);
    }
}

/* Looks for the table; true where that says more than was known before. */
static bool look_again(struct work *work, struct open_jump *jump, bool takes_guesses)
{
    struct shaper *shaper = work->shaper;
    struct switch_table table;
    shaper->targets.count = 0;
    enum switch_result result = switch_find(&work->context, jump->entry, &table, &shaper->targets);
    jump->was_looked_at = true;
    bool is_guess = result == SWITCH_FOUND && table.is_guessed;
    bool is_new = result == SWITCH_FOUND &&
                  (jump->result != SWITCH_FOUND || table.entry_count != jump->table.entry_count);
    if (jump->result == SWITCH_FOUND && (!is_new || is_guess)) {
        jump->table.may_change = table.may_change;
        return false;
    }
    jump->result = is_guess && !takes_guesses ? SWITCH_UNKNOWN : result;
    jump->table = table;
    if (jump->result != SWITCH_FOUND)
        return false;
    jump->first_target = (uint32_t)shaper->found_targets.count;
    jump->target_count = (uint32_t)shaper->targets.count;
    memcpy(array_add_many(&shaper->found_targets, shaper->targets.count), shaper->targets.data,
           shaper->targets.count * sizeof(uint64_t));
    work->steps_left -= jump->target_count < work->steps_left ? jump->target_count : work->steps_left;
    jump->has_new_targets = true;
    clear_table(work, &table);
    return true;
}

/* What was found since the last time counts from now on; searches must not be under way. */
static void refresh_jumps(struct work *work)
{
    struct shaper *shaper = work->shaper;
    shaper->open_entries.count = 0;
    for (size_t i = 0; i < shaper->open_jumps.count; i++) {
        struct open_jump *jump = array_at(&shaper->open_jumps, i);
        if (jump->result != SWITCH_FOUND)
            *(uint32_t *)array_push(&shaper->open_entries) = jump->entry;
        if (jump->has_new_targets)
            add_jumps(work, jump);
        jump->has_new_targets = false;
    }
    if (shaper->jumps.count)
        qsort(shaper->jumps.data, shaper->jumps.count, sizeof(struct jump_source), by_pair);
    work->context.jumps = shaper->jumps.data;
    work->context.jump_count = (uint32_t)shaper->jumps.count;
    work->context.open_jumps = shaper->open_entries.data;
    work->context.open_jump_count = (uint32_t)shaper->open_entries.count;
}

/* Whether another look at the jump could say more than the last one did. */
static bool is_worth_a_look(const struct open_jump *jump, bool has_new_jumps)
{
    if (jump->result == SWITCH_FOUND)
        return has_new_jumps && jump->table.may_change;
    return !jump->was_looked_at || has_new_jumps || jump->table.may_change || jump->table.is_guessed;
}

static bool look_at_all(struct work *work, bool has_new_jumps, bool takes_guesses)
{
    bool is_new = false;
    work->context.joins_open_jumps = takes_guesses;
    for (size_t i = 0; i < work->shaper->open_jumps.count; i++) {
        struct open_jump *jump = array_at(&work->shaper->open_jumps, i);
        if (is_worth_a_look(jump, has_new_jumps) && work->entries[jump->entry].encoding)
            is_new |= look_again(work, jump, takes_guesses);
    }
    return is_new;
}

/* A table shows where more of the function's code is reached from, and that helps to find others; so jumps
   are looked at in rounds until one brings nothing new.  Tables whose length is a guess come last. */
static void find_tables(struct work *work)
{
    bool is_new = false, takes_guesses = false;
    for (uint32_t round = 0; round < MOST_ROUNDS && work->shaper->open_jumps.count; round++) {
        refresh_jumps(work);
        is_new = look_at_all(work, is_new, takes_guesses);
        if (is_new)
            continue;
        if (takes_guesses || !work->shaper->open_entries.count)
            break;
        takes_guesses = true;
    }
}

/* What was found becomes edges, what was not is counted. */
static void take_tables(struct work *work)
{
    struct shaper *shaper = work->shaper;
    for (size_t i = 0; i < shaper->open_jumps.count; i++) {
        const struct open_jump *jump = array_at(&shaper->open_jumps, i);
        uint64_t address = address_of(work, jump->entry);
        if (!work->entries[jump->entry].encoding)
            continue;
        if (jump->result == SWITCH_UNKNOWN)
            count_first(&work->shape->unresolved_jumps, &work->shape->first_unresolved, address);
        if (jump->result == SWITCH_POINTER)
            work->flags[jump->entry] |= POINTER;
        if (jump->result != SWITCH_FOUND)
            continue;
        if (jump->table.is_guessed)
            count_first(&work->shape->guessed_tables, &work->shape->first_guessed, address);
        shaper->targets.count = 0;
        memcpy(array_add_many(&shaper->targets, jump->target_count),
               (const uint64_t *)shaper->found_targets.data + jump->first_target,
               jump->target_count * sizeof(uint64_t));
        take_targets(work, jump->entry);
    }
}

/* Values in registers are understood for these ISAs only. */
static bool knows_values(const struct work *work)
{
    return work->layout->reader->values != NULL;
}

/* The function that a jump or call reaches, also through a register that a slot was just loaded into. */
static struct callee callee_at(const struct work *work, uint32_t entry)
{
    struct callee callee = callee_of(work->layout, work->piece, entry);
    uint64_t slot;
    if (!callee.piece && !callee.import && !is_direct(work, entry) && knows_values(work) &&
        slot_find(&work->context, entry, &slot))
        callee = callee_in_slot(work->layout, slot);
    return callee;
}

static bool is_tail_call_through_slot(const struct work *work, uint32_t entry)
{
    struct callee callee = callee_at(work, entry);
    return callee.piece || callee.import;
}

static void complete_calls(struct work *work)
{
    for (size_t i = 0; i < work->shaper->calls.count; i++) {
        struct shape_call *call = array_at(&work->shaper->calls, i);
        if (call->kind != call_kind_INDIRECT)
            continue;
        struct callee callee = callee_at(work, call->entry);
        call->import = callee.import;
        if (callee.piece)
            call->piece = (uint32_t)(callee.piece - layout_piece(work->layout, 0));
        if (callee.piece || callee.import)
            call->kind = call_kind_IMPORT;
    }
}

static int by_source(const void *a, const void *b)
{
    const struct switch_edge *x = a, *y = b;
    if (x->source != y->source)
        return x->source < y->source ? -1 : 1;
    return x->outside < y->outside ? -1 : x->outside > y->outside;
}

/* Jumps that name no table near them share the one that is left, if there is one. */
static void take_far_table(struct work *work, const struct array *jumps, const struct array *tables)
{
    struct shaper *shaper = work->shaper;
    uint64_t most = jumps->count ? work->steps_left / jumps->count : 0;
    bool is_found =
        most && listing_tables_find_far(work->layout, work->piece, tables, most, &shaper->targets);
    for (size_t i = 0; i < jumps->count; i++) {
        uint32_t jump = *ARRAY_AT(uint32_t, jumps, i);
        if (is_found)
            take_targets(work, jump);
        else
            count_first(&work->shape->unresolved_jumps, &work->shape->first_unresolved,
                        address_of(work, jump));
    }
    if (is_found)
        qsort(shaper->switch_edges.data, shaper->switch_edges.count, sizeof(struct switch_edge), by_source);
}

/* Jumps and branches through a register of an ISA whose values are not understood: a listing may name the
   table. */
static void find_named_tables(struct work *work)
{
    struct shaper *shaper = work->shaper;
    struct array *targets = &shaper->targets, *unfound = &shaper->numbers, *tables = &shaper->first;
    unfound->count = tables->count = 0;
    for (uint32_t i = 0; i < work->piece->count; i++) {
        if (!work->entries[i].encoding || is_direct(work, i))
            continue;
        uint8_t flow = encoding_of(work, i)->flow;
        uint32_t table;
        if ((flow != flow_JUMP && flow != flow_BRANCH) || is_tail_call_through_slot(work, i))
            continue;
        bool is_found = listing_tables_find(work->layout, work->piece, i, work->steps_left, targets, &table);
        work->steps_left -= targets->count < work->steps_left ? targets->count : work->steps_left;
        if (is_found)
            take_targets(work, i);
        *(uint32_t *)array_push(is_found ? tables : unfound) = is_found ? table : i;
    }
    take_far_table(work, unfound, tables);
}

static void find_switches(struct work *work)
{
    struct shaper *shaper = work->shaper;
    work->steps_left = STEPS_FOR_ALL + (uint64_t)work->piece->count * STEPS_FOR_EACH;
    work->context = (struct switch_context){.layout = work->layout,
                                            .piece = work->piece,
                                            .entries = work->entries,
                                            .is_leader = work->flags,
                                            .frame = &work->frame,
                                            .steps_left = &work->steps_left};
    refresh_jumps(work);
    complete_calls(work);
    if (!knows_values(work))
        find_named_tables(work);
    if (work->piece->origin == origin_PLT || !knows_values(work))
        return;
    for (uint32_t i = 0; i < work->piece->count; i++) {
        if (work->entries[i].encoding && encoding_of(work, i)->flow == flow_JUMP && !is_direct(work, i) &&
            !is_tail_call_through_slot(work, i))
            *(struct open_jump *)array_push(&shaper->open_jumps) =
                (struct open_jump){.entry = i, .result = SWITCH_UNKNOWN};
    }
    find_tables(work);
    take_tables(work);
}

static void cut_blocks(struct work *work)
{
    struct shaper *shaper = work->shaper;
    uint32_t *block_of = array_add_many(&shaper->block_of, work->piece->count);
    bool is_open = false;
    for (uint32_t i = 0; i < work->piece->count; i++) {
        block_of[i] = NO_NODE;
        if (!work->entries[i].encoding) {
            is_open = false;
            continue;
        }
        if (!is_open || (work->flags[i] & LEADER)) {
            struct shape_block *block = array_push(&shaper->blocks);
            *block = (struct shape_block){.first = i, .loop = NO_NODE, .dominator = NO_NODE};
            is_open = true;
        }
        block_of[i] = (uint32_t)shaper->blocks.count - 1;
        ARRAY_AT(struct shape_block, &shaper->blocks, block_of[i])->count++;
    }
}

static void add_edge(struct work *work, uint32_t source, uint32_t entry, uint64_t outside,
                     enum edge_kind kind)
{
    uint32_t target = NO_NODE;
    if (entry != UINT32_MAX) {
        target = *ARRAY_AT(uint32_t, &work->shaper->block_of, entry);
        if (target == NO_NODE) /* leads into bytes that are no instruction */
            return;
    }
    *(struct shape_edge *)array_push(&work->shaper->edges) =
        (struct shape_edge){source, target, outside, (uint8_t)kind};
}

static void add_fall(struct work *work, uint32_t source, uint32_t last)
{
    if (last + 1 < work->piece->count)
        add_edge(work, source, last + 1, 0, edge_kind_FALL);
}

static const char *piece_name(const struct work *work, const struct piece *piece)
{
    return piece->symbol
               ? model_text(work->layout->model, model_symbol(work->layout->model, piece->symbol)->name)
               : NULL;
}

/* gcc and clang move what is rarely run into a second function, f.cold: a jump there is no call. */
static bool are_parts_of_one(const struct work *work, const struct piece *other)
{
    const char *a = piece_name(work, work->piece), *b = piece_name(work, other);
    if (!a || !b)
        return false;
    size_t length = strlen(a) < strlen(b) ? strlen(a) : strlen(b);
    const char *suffix = strlen(a) > strlen(b) ? a + length : b + length;
    return !strncmp(a, b, length) && !strncmp(suffix, ".cold", 5);
}

/* The edge of a jump or branch that leaves the function, and the call that it may be. */
static enum block_end leave(struct work *work, uint32_t source, uint32_t last)
{
    if (work->piece->origin == origin_PLT) /* to the common part of the stubs: the linker's matter */
        return block_end_TAIL_CALL;
    struct callee callee = callee_at(work, last);
    uint64_t target = is_direct(work, last) ? work->entries[last].target : NO_ADDRESS;
    if (callee.piece && are_parts_of_one(work, callee.piece)) {
        add_edge(work, source, UINT32_MAX, callee.piece->start, edge_kind_TAKEN);
        return block_end_JUMP;
    }
    if (callee.piece || callee.import) {
        struct shape_call *call = array_add(&work->shaper->calls);
        *call = (struct shape_call){
            .entry = last, .piece = NO_NODE, .import = callee.import, .kind = call_kind_TAIL};
        if (callee.piece) {
            call->piece = (uint32_t)(callee.piece - layout_piece(work->layout, 0));
            add_edge(work, source, UINT32_MAX, callee.piece->start, edge_kind_TAIL_CALL);
        }
        return block_end_TAIL_CALL;
    }
    if (target != NO_ADDRESS && layout_find(work->layout, target))
        add_edge(work, source, UINT32_MAX, target, edge_kind_TAKEN);
    return block_end_JUMP;
}

/* Switches were found in order of their jumps, so their edges lie together in that order. */
static bool add_switch_edges(struct work *work, uint32_t source, uint32_t jump)
{
    const struct array *edges = &work->shaper->switch_edges;
    size_t before = work->shaper->edges.count;
    for (size_t i = array_first_not_below(edges, 0, offsetof(struct switch_edge, source), jump);
         i < edges->count && ARRAY_AT(struct switch_edge, edges, i)->source == jump; i++) {
        const struct switch_edge *edge = ARRAY_AT(struct switch_edge, edges, i);
        add_edge(work, source, edge->target, edge->outside, edge_kind_SWITCH);
    }
    return work->shaper->edges.count > before;
}

/* A jump through a pointer leaves the function for one that nobody knows. */
static enum block_end leave_by_pointer(struct work *work, uint32_t last)
{
    *(struct shape_call *)array_add(&work->shaper->calls) =
        (struct shape_call){.entry = last, .piece = NO_NODE, .kind = call_kind_TAIL};
    return block_end_TAIL_CALL;
}

static enum block_end end_with_jump(struct work *work, uint32_t source, uint32_t last)
{
    if (is_direct(work, last)) {
        uint64_t target = work->entries[last].target;
        if (!is_inside(work, target))
            return leave(work, source, last);
        add_edge(work, source, entry_at(work, target), 0, edge_kind_TAKEN);
        return block_end_JUMP;
    }
    if (work->piece->origin == origin_PLT)
        return block_end_TAIL_CALL;
    if (is_tail_call_through_slot(work, last))
        return leave(work, source, last);
    if (work->flags[last] & POINTER)
        return leave_by_pointer(work, last);
    return add_switch_edges(work, source, last) ? block_end_SWITCH : block_end_INDIRECT;
}

static enum block_end end_with_call(struct work *work, uint32_t source, uint32_t last)
{
    if (work->flags[last] & HAS_PAD) {
        uint64_t pad = layout_pad(work->layout, address_of(work, last))->pad;
        if (is_inside(work, pad))
            add_edge(work, source, entry_at(work, pad), 0, edge_kind_EXCEPTION);
        else if (layout_find(work->layout, pad))
            add_edge(work, source, UINT32_MAX, pad, edge_kind_EXCEPTION);
    }
    if (work->flags[last] & NO_RETURN && !layout_may_go_on(encoding_of(work, last)))
        return block_end_NO_RETURN;
    add_fall(work, source, last);
    return block_end_CALL;
}

static enum block_end end_block(struct work *work, uint32_t number, uint32_t last)
{
    switch (encoding_of(work, last)->flow) {
    case flow_JUMP:
        return end_with_jump(work, number, last);
    case flow_BRANCH: {
        uint64_t target = work->entries[last].target;
        if (target != NO_ADDRESS && is_inside(work, target))
            add_edge(work, number, entry_at(work, target), 0, edge_kind_TAKEN);
        else if (target != NO_ADDRESS || !add_switch_edges(work, number, last))
            leave(work, number, last);
        add_fall(work, number, last);
        return block_end_BRANCH;
    }
    case flow_RETURN:
    case flow_STOP:
        if (layout_may_go_on(encoding_of(work, last)))
            add_fall(work, number, last);
        return encoding_of(work, last)->flow == flow_RETURN ? block_end_RETURN : block_end_STOP;
    case flow_CALL:
        return end_with_call(work, number, last);
    default:
        if (last + 1 < work->piece->count && !work->entries[last + 1].encoding)
            return block_end_STOP;
        add_fall(work, number, last);
        return block_end_FALL;
    }
}

static int by_entry(const void *a, const void *b)
{
    const struct shape_call *x = a, *y = b;
    return x->entry < y->entry ? -1 : x->entry > y->entry;
}

static void *keep(struct shaper *shaper, const struct array *array)
{
    void *copy = arena_get(&shaper->arena, array->count * array->width + 1);
    if (array->count)
        memcpy(copy, array->data, array->count * array->width);
    return copy;
}

void shape_find(struct shaper *shaper, struct piece *piece, struct shape *shape)
{
    struct array *reused[] = {&shaper->flags,        &shaper->jumps,      &shaper->blocks,
                              &shaper->edges,        &shaper->calls,      &shaper->block_of,
                              &shaper->switch_edges, &shaper->open_jumps, &shaper->open_entries,
                              &shaper->found_targets};
    for (size_t i = 0; i < sizeof reused / sizeof reused[0]; i++)
        reused[i]->count = 0;
    *shape = (struct shape){0};
    if (!piece->count)
        return;
    struct work work = {.shaper = shaper,
                        .layout = shaper->layout,
                        .piece = piece,
                        .entries = layout_instructions(shaper->layout, piece),
                        .section_start = layout_section_start(shaper->layout, piece),
                        .shape = shape};
    work.flags = array_add_many(&shaper->flags, piece->count + 1);
    find_leaders(&work);
    mark_entries(&work);
    mark_stated_blocks(&work);
    find_switches(&work);
    labels_lead(shaper, piece);
    cut_blocks(&work);
    for (uint32_t i = 0; i < shaper->blocks.count; i++) {
        const struct shape_block *block = ARRAY_AT(struct shape_block, &shaper->blocks, i);
        uint8_t ends = (uint8_t)end_block(&work, i, block->first + block->count - 1);
        ARRAY_AT(struct shape_block, &shaper->blocks, i)->ends = ends;
    }
    if (shaper->calls.count)
        qsort(shaper->calls.data, shaper->calls.count, sizeof(struct shape_call), by_entry);
    shape->blocks = keep(shaper, &shaper->blocks);
    shape->block_count = (uint32_t)shaper->blocks.count;
    shape->edges = keep(shaper, &shaper->edges);
    shape->edge_count = (uint32_t)shaper->edges.count;
    shape->calls = keep(shaper, &shaper->calls);
    shape->call_count = (uint32_t)shaper->calls.count;
    labels_enter(shaper, piece, shape);
    shape_find_loops(shaper, piece, shape);
}
