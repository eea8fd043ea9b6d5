/* Follows indirect jumps until nothing new is found.

   switches.h finds the table of one jump: it goes backwards from the jump to where its target and the bound
   of its index come from, along the jumps that are known.  A table that it finds shows how more of the code
   is reached, so a search that met code without a known way in may find more, or a longer table, next time.
   So the jumps are looked at in rounds.

     - What a round finds counts from the next round on, so the order of the jumps does not matter.  Only a
       table that lies in the code stops being code at once.
     - A jump is looked at again only if that can say more: new ways were found since, or the last search met
       code without a known way in.
     - Tables whose length is a guess come last, when a round brings nothing new.  From then on, code without
       a known way in counts as a target of every jump that is still open.
     - A table that was found stays.  It is replaced only by one with another number of entries that is not a
       guess.
     - The rounds end when one brings nothing new, or after MOST_ROUNDS.  All searches share a budget of
       steps, so crafted code cannot make them long; a jump that gets no steps stays unknown.

   In the end a jump has a table, which becomes edges; or it goes through a pointer, which makes it a tail
   call to an unknown function; or it is unresolved, which is counted.

   On ISAs whose values are not understood, only listings have tables: the text names them
   (listing_tables.h), so no rounds are needed. */
#include "code/structure/shape_parts.h"

#include "code/structure/listing_tables.h"

#include <stdlib.h>

/* Steps of all searches in one function.  Real functions stay far below; code without bounds of functions,
   which is one huge piece with thousands of indirect jumps, does not. */
enum { STEPS_FOR_ALL = 1000000, STEPS_FOR_EACH = 20, MOST_ROUNDS = 16 };

static void take_steps(struct shape_work *work, uint64_t count)
{
    work->steps_left -= count < work->steps_left ? count : work->steps_left;
}

/* A table that lies in the code is not code. */
static void clear_table(struct shape_work *work, const struct switch_table *table)
{
    uint64_t end = table->address + (uint64_t)table->entry_count * table->entry_size;
    if (!shape_is_inside(work, table->address) || end > work->piece->end || work->piece->lacks_followers)
        return;
    for (uint32_t i = shape_entry_at(work, table->address);
         i < work->piece->count && shape_address(work, i) < end; i++) {
        work->entries[i].encoding = 0;
        work->entries[i].target = NO_ADDRESS;
        shape_lead(work, i + 1);
    }
}

static void add_jumps(struct shape_work *work, const struct open_jump *jump)
{
    for (uint32_t i = 0; i < jump->target_count; i++) {
        uint64_t address = *ARRAY_AT(uint64_t, &work->shaper->found_targets, jump->first_target + i);
        if (!shape_is_inside(work, address))
            continue;
        struct jump_source *source = array_push(&work->shaper->jumps);
        *source = (struct jump_source){shape_entry_at(work, address), jump->entry};
        shape_lead(work, source->target);
    }
}

static int by_pair(const void *a, const void *b)
{
    const struct jump_source *x = a, *y = b;
    if (x->target != y->target)
        return x->target < y->target ? -1 : 1;
    return x->source < y->source ? -1 : x->source > y->source;
}

/* What was found since the last time counts from now on; searches must not be under way. */
static void refresh_jumps(struct shape_work *work)
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

/* Looks for the table; true if that says more than was known before. */
static bool look_again(struct shape_work *work, struct open_jump *jump, bool takes_guesses)
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
    take_steps(work, jump->target_count);
    jump->has_new_targets = true;
    clear_table(work, &table);
    return true;
}

/* Whether another look at the jump could say more than the last one did. */
static bool is_worth_a_look(const struct open_jump *jump, bool has_new_jumps)
{
    if (jump->result == SWITCH_FOUND)
        return has_new_jumps && jump->table.may_change;
    return !jump->was_looked_at || has_new_jumps || jump->table.may_change || jump->table.is_guessed;
}

static bool look_at_all(struct shape_work *work, bool has_new_jumps, bool takes_guesses)
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

static void look_in_rounds(struct shape_work *work)
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

/* The targets of a jump through a table become leaders and edges. */
static void take_targets(struct shape_work *work, uint32_t jump, const struct array *targets, size_t first,
                         size_t count)
{
    for (size_t i = first; i < first + count; i++) {
        struct switch_edge edge = {
            .source = jump, .target = UINT32_MAX, .outside = *ARRAY_AT(uint64_t, targets, i)};
        if (shape_is_inside(work, edge.outside)) {
            edge.target = shape_entry_at(work, edge.outside);
            shape_lead(work, edge.target);
        }
        *(struct switch_edge *)array_push(&work->shaper->switch_edges) = edge;
    }
}

/* Tables become edges, unresolved jumps are counted. */
static void take_tables(struct shape_work *work)
{
    struct shaper *shaper = work->shaper;
    for (size_t i = 0; i < shaper->open_jumps.count; i++) {
        const struct open_jump *jump = array_at(&shaper->open_jumps, i);
        uint64_t address = shape_address(work, jump->entry);
        if (!work->entries[jump->entry].encoding)
            continue;
        if (jump->result == SWITCH_UNKNOWN)
            shape_count(&work->shape->unresolved_jumps, &work->shape->first_unresolved, address);
        if (jump->result == SWITCH_POINTER)
            work->flags[jump->entry] |= POINTER;
        if (jump->result != SWITCH_FOUND)
            continue;
        if (jump->table.is_guessed)
            shape_count(&work->shape->guessed_tables, &work->shape->first_guessed, address);
        take_targets(work, jump->entry, &shaper->found_targets, jump->first_target, jump->target_count);
    }
}

static int by_source(const void *a, const void *b)
{
    const struct switch_edge *x = a, *y = b;
    if (x->source != y->source)
        return x->source < y->source ? -1 : 1;
    return x->outside < y->outside ? -1 : x->outside > y->outside;
}

/* Jumps without a table named near them share the one that is left, if there is one. */
static void take_far_table(struct shape_work *work, const struct array *jumps, const struct array *tables)
{
    struct shaper *shaper = work->shaper;
    uint64_t most = jumps->count ? work->steps_left / jumps->count : 0;
    bool is_found =
        most && listing_tables_find_far(work->layout, work->piece, tables, most, &shaper->targets);
    for (size_t i = 0; i < jumps->count; i++) {
        uint32_t jump = *ARRAY_AT(uint32_t, jumps, i);
        if (is_found)
            take_targets(work, jump, &shaper->targets, 0, shaper->targets.count);
        else
            shape_count(&work->shape->unresolved_jumps, &work->shape->first_unresolved,
                        shape_address(work, jump));
    }
    if (is_found)
        qsort(shaper->switch_edges.data, shaper->switch_edges.count, sizeof(struct switch_edge), by_source);
}

/* Jumps and branches through a register of an ISA whose values are not understood: a listing may name the
   table. */
static void find_named_tables(struct shape_work *work)
{
    struct shaper *shaper = work->shaper;
    struct array *targets = &shaper->targets, *unfound = &shaper->numbers, *tables = &shaper->first;
    unfound->count = tables->count = 0;
    for (uint32_t i = 0; i < work->piece->count; i++) {
        if (!work->entries[i].encoding || shape_is_direct(work, i))
            continue;
        uint8_t flow = shape_encoding(work, i)->flow;
        uint32_t table;
        if ((flow != flow_JUMP && flow != flow_BRANCH) || shape_is_tail_call(work, i))
            continue;
        bool is_found = listing_tables_find(work->layout, work->piece, i, work->steps_left, targets, &table);
        take_steps(work, targets->count);
        if (is_found)
            take_targets(work, i, targets, 0, targets->count);
        *(uint32_t *)array_push(is_found ? tables : unfound) = is_found ? table : i;
    }
    take_far_table(work, unfound, tables);
}

void shape_prepare_search(struct shape_work *work)
{
    work->steps_left = STEPS_FOR_ALL + (uint64_t)work->piece->count * STEPS_FOR_EACH;
    work->context = (struct switch_context){.layout = work->layout,
                                            .piece = work->piece,
                                            .entries = work->entries,
                                            .is_leader = work->flags,
                                            .frame = &work->frame,
                                            .lacks_followers = &work->piece->lacks_followers,
                                            .steps_left = &work->steps_left};
    refresh_jumps(work);
}

/* Tables that a search through the values of registers finds. */
static void find_computed_tables(struct shape_work *work)
{
    for (uint32_t i = 0; i < work->piece->count; i++) {
        if (work->entries[i].encoding && shape_encoding(work, i)->flow == flow_JUMP &&
            !shape_is_direct(work, i) && !shape_is_tail_call(work, i))
            *(struct open_jump *)array_push(&work->shaper->open_jumps) =
                (struct open_jump){.entry = i, .result = SWITCH_UNKNOWN};
    }
    look_in_rounds(work);
    take_tables(work);
}

void shape_find_tables(struct shape_work *work)
{
    if (!shape_knows_values(work))
        find_named_tables(work);
    else if (work->piece->origin != origin_PLT)
        find_computed_tables(work);
}
