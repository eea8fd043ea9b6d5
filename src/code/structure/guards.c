/* Finds the bounds checks of jump-table indices.  A guard is a conditional jump after a comparison of the
   unknown with a constant.  Each path back from the jump is followed until there is one.

   Several instructions may have written the unknown (a duplicated check, on two paths that meet before the
   table is read).  Then a guard on one of these paths compares the place's value there; above the instruction
   that wrote it, the path continues with the value written.  A path with a constant index needs no guard. */
#include "code/structure/guards.h"

enum { MOST_WAYS = 64 };

/* A path back from the jump that is still to be followed: the unknown plus shift is the index of the
   table. */
struct way {
    uint32_t entry;
    struct value unknown;
    uint64_t shift;
};

struct guard_search {
    struct backward *backward;
    struct way ways[MOST_WAYS];
    uint32_t way_count;
    struct bound bound;
    bool has_open_path, has_constant;
    uint64_t largest_constant;
};

static bool find_flags(const struct backward *backward, uint32_t branch, struct place *flags)
{
    const struct layout *layout = backward->context->layout;
    unsigned count;
    const struct register_use *uses =
        meanings_uses(layout->meanings, layout->model, backward->context->entries[branch].encoding, &count);
    for (unsigned i = 0; i < count; i++) {
        const struct register_ *row = model_register(layout->model, uses[i].register_);
        if (row->kind == register_kind_FLAGS && uses[i].access != access_WRITE) {
            *flags = (struct place){.full = row->full};
            return true;
        }
    }
    return false;
}

/* The comparison that decides a branch: its two sides, and how many bits are compared. */
static bool find_comparison(struct backward *backward, uint32_t branch, struct value *left, uint64_t *right,
                            unsigned *bits)
{
    struct place flags;
    struct definitions definitions;
    if (!find_flags(backward, branch, &flags))
        return false;
    backward_find(backward, &flags, branch, &definitions);
    if (!definitions.is_complete || definitions.count != 1)
        return false;
    uint32_t entry = backward_entries(backward, &definitions)[0];
    if (entry == FUNCTION_ENTRY)
        return false;
    if (backward_encoding(backward, entry)->flow == flow_CALL)
        return false;
    unsigned operation = backward_encoding(backward, entry)->operation;
    if (operation != operation_COMPARE && operation != operation_SUBTRACT)
        return false;
    unsigned count, sides = 0;
    const struct operand *operands = backward_operands(backward, entry, &count), *side[2] = {NULL, NULL};
    for (unsigned i = 0; i < count; i++) {
        if (operands[i].access != access_WRITE && sides < 2)
            side[sides++] = &operands[i];
    }
    if (sides != 2)
        return false;
    struct value second = value_of_operand(backward, entry, side[1]);
    if (second.term != TERM_NONE)
        return false;
    *bits = side[0]->bits;
    *right = *bits && *bits < 64 ? second.constant & (((uint64_t)1 << *bits) - 1) : second.constant;
    *left = value_of_operand(backward, entry, side[0]);
    return true;
}

/* Signed comparisons count as well: what is above a signed bound is above it unsigned too unless negative. */
static bool is_signed(enum condition condition)
{
    return condition >= condition_GREATER;
}

/* The largest value of the left side where the branch is taken, or is not. */
static bool largest_left(enum condition condition, bool is_taken, uint64_t right, uint64_t *most)
{
    bool above = condition == condition_ABOVE || condition == condition_GREATER;
    bool not_below = condition == condition_NOT_BELOW || condition == condition_NOT_LESS;
    bool below = condition == condition_BELOW || condition == condition_LESS;
    bool not_above = condition == condition_NOT_ABOVE || condition == condition_NOT_GREATER;
    bool includes_right = is_taken ? not_above : above, excludes_right = is_taken ? below : not_below;
    if (!includes_right && !(excludes_right && right > 0))
        return false;
    *most = includes_right ? right : right - 1;
    return *most < MOST_TABLE_ENTRIES;
}

/* Whether the value is the unknown of this path, at this entry; shift becomes what is to be added to it for
   the index. */
static bool is_unknown(struct guard_search *search, const struct way *way, uint32_t entry,
                       const struct value *value, uint64_t *shift)
{
    *shift = way->shift;
    if (value->term != TERM_INDEX || value->scale != 1)
        return false;
    if (value->identity == way->unknown.identity)
        return true;
    if (!way->unknown.definitions.count)
        return false;
    struct value here = value_of_place(search->backward, &way->unknown.place, entry);
    here = value_as_index(&here);
    *shift += here.constant;
    return here.term == TERM_INDEX && here.scale == 1 && here.identity == value->identity;
}

static bool is_guard(struct guard_search *search, const struct way *way, uint32_t branch, bool is_taken)
{
    struct backward *backward = search->backward;
    enum condition condition = (enum condition)backward_encoding(backward, branch)->condition;
    if (condition == condition_NONE || condition == condition_EQUAL || condition == condition_NOT_EQUAL)
        return false; /* they set no bound */
    struct value left;
    uint64_t right, most, shift;
    unsigned bits;
    if (!find_comparison(backward, branch, &left, &right, &bits) ||
        !largest_left(condition, is_taken, right, &most))
        return false;
    left = value_as_index(&left);
    if (!is_unknown(search, way, branch, &left, &shift))
        return false;
    left.constant -= shift;
    /* The offset was added in the width of the comparison. */
    if (bits && bits < 64) {
        uint64_t sign = (uint64_t)1 << (bits - 1);
        left.constant = ((left.constant & (2 * sign - 1)) ^ sign) - sign;
    }
    struct bound *bound = &search->bound;
    if (bound->found && bound->offset != left.constant) {
        search->has_open_path = true;
        return true;
    }
    if (!bound->found || most > bound->most)
        *bound = (struct bound){.found = true, .most = most, .offset = left.constant};
    if (is_signed(condition))
        search->has_open_path = true;
    return true;
}

static bool writes_unknown(const struct guard_search *search, const struct way *way, uint32_t entry)
{
    const struct definitions *definitions = &way->unknown.definitions;
    const uint32_t *entries = backward_entries(search->backward, definitions);
    struct bisection bisection = {0, definitions->count};
    while (bisect(&bisection))
        bisect_past(&bisection, entries[bisection.middle] < entry);
    return bisection.first < definitions->count && entries[bisection.first] == entry;
}

/* Continues above the instruction that wrote the unknown on this path. false if the path ends here. */
static bool go_above(struct guard_search *search, struct way *way, uint32_t entry)
{
    struct value written = value_written(search->backward, &way->unknown.place, entry);
    written = value_as_index(&written);
    if (written.term == TERM_NONE) {
        uint64_t constant = written.constant + way->shift;
        if (!search->has_constant || constant > search->largest_constant)
            search->largest_constant = constant;
        search->has_constant = true;
        return false;
    }
    if (written.scale != 1 || written.born == entry) {
        search->has_open_path = true;
        return false;
    }
    way->shift += written.constant;
    way->unknown = written;
    return true;
}

static void add_way(struct guard_search *search, const struct way *way, uint32_t entry)
{
    for (uint32_t i = 0; i < search->way_count; i++) {
        if (search->ways[i].entry == entry && search->ways[i].unknown.identity == way->unknown.identity)
            return;
    }
    if (search->way_count == MOST_WAYS) {
        search->has_open_path = true;
        return;
    }
    struct way *added = &search->ways[search->way_count++];
    *added = *way;
    added->entry = entry;
}

static void add_jumps_to(struct guard_search *search, const struct way *way, uint32_t entry)
{
    uint32_t first, end;
    backward_jumps_to(search->backward, entry, &first, &end);
    for (; first < end; first++) {
        uint32_t source = search->backward->context->jumps[first].source;
        if (backward_encoding(search->backward, source)->flow != flow_BRANCH ||
            !is_guard(search, way, source, true))
            add_way(search, way, source);
    }
}

/* Goes back from the entry of a path, inclusive, to a guard or until the path cannot be followed. */
static void follow(struct guard_search *search, struct way way)
{
    struct backward *backward = search->backward;
    for (uint32_t entry = way.entry;; entry--) {
        if (entry == way.unknown.born) {
            search->has_open_path = true;
            return;
        }
        if (writes_unknown(search, &way, entry) && !go_above(search, &way, entry))
            return;
        if (backward->context->is_leader[entry] & 1)
            add_jumps_to(search, &way, entry);
        if (entry == 0 || backward->steps_left == 0) {
            search->has_open_path = true;
            return;
        }
        if (!backward_falls(backward, entry - 1))
            return;
        if (backward_encoding(backward, entry - 1)->flow == flow_BRANCH &&
            is_guard(search, &way, entry - 1, false))
            return;
        backward->steps_left--;
    }
}

struct bound guard_find(struct backward *backward, uint32_t jump, const struct value *value)
{
    struct guard_search search = {.backward = backward};
    struct way way = {.unknown = *value};
    add_way(&search, &way, jump);
    for (uint32_t next = 0; next < search.way_count; next++)
        follow(&search, search.ways[next]);
    struct bound bound = search.bound;
    bool is_certain = !search.has_open_path;
    if (search.has_constant && search.largest_constant + bound.offset > bound.most)
        is_certain = false;
    bound.is_certain = bound.found && is_certain;
    return bound;
}
