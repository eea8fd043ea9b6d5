/* Jump tables are found by asking what address an indirect jump goes to.  If the answer (values.h) is

       constant + scale · entry(table + entry size · index)

   then there is a table, and every form that compilers use is a case of it: tables of addresses have constant
   0, tables of differences have the table or some label as constant, byte and halfword tables of AArch64 have
   scale 4.

   How long is it?  The code checks the index before it jumps: on every path back from the jump there is a
   conditional jump after a comparison of the same unknown with a constant (or the unknown is masked).  The
   comparison says which value of the unknown means the table's first entry and which its last.  Without such
   a check, or where one path lacks it, the table is guessed to end where entries stop leading into the
   function.

   What it does not find: tables that are built at run time, tables of functions (those are calls), and jumps
   whose table depends on the path that led there. */
#include "structure/switches.h"

#include "structure/operations.h"
#include "structure/values.h"

#include <string.h>

enum { MOST_ENTRIES = 65536, MOST_GUARD_BLOCKS = 64, MOST_OUTSIDE = 1024 };

/* What the paths back from the jump say about the index. */
struct bound {
    bool found;
    bool is_certain; /* on every path */
    uint64_t most;   /* the largest value of unknown + offset */
    uint64_t offset;
};

struct guard_search {
    struct backward *backward;
    uint64_t identity;
    uint32_t born;
    struct bound bound;
    bool has_open_path;
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
    const struct model *model = backward->context->layout->model;
    struct place flags;
    struct definitions definitions;
    if (!find_flags(backward, branch, &flags))
        return false;
    backward_find(backward, &flags, branch, &definitions);
    if (definitions.count != 1 || definitions.entries[0] == FUNCTION_ENTRY)
        return false;
    uint32_t entry = definitions.entries[0];
    if (backward_encoding(backward, entry)->flow == flow_CALL)
        return false;
    enum operation operation =
        operation_of(backward->isa, model_text(model, backward_encoding(backward, entry)->name));
    if (operation != OPERATION_COMPARE && operation != OPERATION_SUBTRACT)
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

/* The largest value of the left side where the branch is taken, or is not. */
static bool largest_left(enum condition condition, bool is_taken, uint64_t right, uint64_t *most)
{
    bool includes_right = is_taken ? condition == CONDITION_NOT_ABOVE : condition == CONDITION_ABOVE;
    bool excludes_right = is_taken ? condition == CONDITION_BELOW : condition == CONDITION_NOT_BELOW;
    if (!includes_right && !(excludes_right && right > 0))
        return false;
    *most = includes_right ? right : right - 1;
    return *most < MOST_ENTRIES;
}

static bool is_guard(struct guard_search *search, uint32_t branch, bool is_taken)
{
    struct backward *backward = search->backward;
    const struct model *model = backward->context->layout->model;
    bool is_signed;
    enum condition condition =
        condition_of(backward->isa, model_text(model, backward_encoding(backward, branch)->name), &is_signed);
    if (condition == CONDITION_OTHER)
        return false;
    struct value left;
    uint64_t right, most;
    unsigned bits;
    if (!find_comparison(backward, branch, &left, &right, &bits) ||
        !largest_left(condition, is_taken, right, &most))
        return false;
    left = value_as_index(&left);
    if (left.term != TERM_INDEX || left.identity != search->identity || left.scale != 1)
        return false;
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
    if (is_signed)
        search->has_open_path = true;
    return true;
}

/* From this entry backwards, itself included, to a guard on every path. */
static struct bound find_bound(struct backward *backward, uint32_t jump, const struct value *value)
{
    const struct switch_context *context = backward->context;
    struct guard_search search = {.backward = backward, .identity = value->identity, .born = value->born};
    uint32_t queue[MOST_GUARD_BLOCKS], queued = 1, next = 0;
    queue[0] = jump;
    while (next < queued) {
        uint32_t entry = queue[next++];
        for (;; entry--) {
            if (entry == value->born) {
                search.has_open_path = true;
                break;
            }
            bool is_leader = context->is_leader[entry] & 1;
            uint32_t first = 0, end = 0;
            if (is_leader)
                backward_jumps_to(backward, entry, &first, &end);
            for (; first < end; first++) {
                uint32_t source = context->jumps[first].source;
                if (backward_encoding(backward, source)->flow == flow_BRANCH &&
                    is_guard(&search, source, true))
                    continue;
                bool is_new = true;
                for (uint32_t i = 0; i < queued; i++)
                    is_new &= queue[i] != source;
                if (is_new && queued < MOST_GUARD_BLOCKS)
                    queue[queued++] = source;
                else if (is_new)
                    search.has_open_path = true;
            }
            if (entry == 0) {
                search.has_open_path = true;
                break;
            }
            if (!backward_falls(backward, entry - 1))
                break;
            if (backward_encoding(backward, entry - 1)->flow == flow_BRANCH &&
                is_guard(&search, entry - 1, false))
                break;
            if (backward->steps_left == 0) {
                search.has_open_path = true;
                break;
            }
            backward->steps_left--;
        }
    }
    search.bound.is_certain = search.bound.found && !search.has_open_path;
    return search.bound;
}

/* --- reading the table --- */

struct table_reader {
    struct backward *backward;
    const struct layout *layout;
    const struct piece *piece;
    struct value value;
    uint64_t start;
    bool is_relocated; /* relocations lie in it */
};

static bool is_relative_relocation(enum isa isa, uint32_t type)
{
    switch (isa) {
    case isa_X86_64:
    case isa_K1OM:
        return type == 2 || type == 24; /* PC32, PC64 */
    case isa_I386:
        return type == 2; /* PC32 */
    case isa_AARCH64:
        return type >= 260 && type <= 262; /* PREL64, PREL32, PREL16 */
    default:
        return false;
    }
}

static bool read_entry(const struct table_reader *reader, uint32_t number, uint64_t *entry)
{
    const struct layout *layout = reader->layout;
    unsigned bytes = reader->value.entry_bytes;
    uint64_t address = reader->start + (uint64_t)number * bytes;
    uint32_t row = reader->is_relocated ? layout_relocation(layout, address, address + bytes) : 0;
    if (row) {
        const struct relocation *relocation = model_relocation(layout->model, row);
        if (relocation->value == NO_ADDRESS || relocation->address != address)
            return false;
        *entry = relocation->value + (uint64_t)relocation->addend;
        if (is_relative_relocation(layout->reader->isa, relocation->type))
            *entry -= address;
        return true;
    }
    const uint8_t *at = model_bytes(layout->model, layout->program, address, bytes);
    if (!at)
        return false;
    *entry = 0;
    for (unsigned i = 0; i < bytes; i++)
        *entry |= (uint64_t)at[i] << 8 * i;
    if (reader->value.is_signed && bytes < 8) {
        uint64_t sign = (uint64_t)1 << (8 * bytes - 1);
        *entry = (*entry ^ sign) - sign;
    }
    return true;
}

static bool read_target(const struct table_reader *reader, uint32_t number, uint64_t *target)
{
    uint64_t entry;
    if (!read_entry(reader, number, &entry))
        return false;
    *target = reader->value.constant + reader->value.scale * entry;
    if (model_program(reader->layout->model, reader->layout->program)->bits == 32)
        *target &= UINT32_MAX;
    return *target % reader->layout->reader->alignment == 0;
}

/* Whether the target is new; inside the function an entry's mark says so, outside (few are) the list itself.
 */
static bool is_new(const struct table_reader *reader, const struct array *targets, size_t first,
                   uint64_t target, uint32_t entry)
{
    struct backward *backward = reader->backward;
    if (entry != UINT32_MAX) {
        bool was_seen = backward->seen[entry] == backward->search;
        backward->seen[entry] = backward->search;
        return !was_seen;
    }
    for (size_t i = first; i < targets->count; i++) {
        if (*ARRAY_AT(uint64_t, targets, i) == target)
            return false;
    }
    return true;
}

/* How far a table may reach: a limit is known, or it is only the largest that we read; and whether the code
   itself says that there are so many entries. */
struct reach {
    uint32_t limit;
    bool is_limited, is_certain;
};

/* Adds targets of up to limit entries and returns the number of entries; 0 where none leads into the
   function.  Stops where an entry makes no sense.  Unless the length is certain, the table ends with an entry
   that leads into the function, and where there is no limit, all do. */
static uint32_t read_table(const struct table_reader *reader, const struct reach *reach,
                           struct array *targets)
{
    size_t first = targets->count, good_targets = first;
    uint32_t number = 0, good = 0, outside = 0;
    reader->backward->search++;
    for (; number < reach->limit; number++) {
        uint64_t target;
        if (!read_target(reader, number, &target))
            break;
        if (target == reader->piece->end) /* clang's label for what cannot happen: it has no code */
            continue;
        uint32_t entry = layout_index(reader->layout, reader->piece, target);
        bool is_inside = target >= reader->piece->start && target < reader->piece->end;
        if (is_inside && entry == UINT32_MAX)
            break;
        if (!is_inside &&
            (!reach->is_limited || outside++ == MOST_OUTSIDE || !layout_find(reader->layout, target)))
            break;
        if (is_new(reader, targets, first, target, entry))
            *(uint64_t *)array_add(targets) = target;
        if (is_inside) {
            good = number + 1;
            good_targets = targets->count;
        }
    }
    if (reach->is_certain && good > 0)
        return number;
    targets->count = good_targets;
    return good;
}

/* The first address after start, up to end, that the function's code refers to: another table may begin
 * there. */
static uint64_t next_reference(const struct backward *backward, uint64_t start, uint64_t end)
{
    const struct switch_context *context = backward->context;
    uint64_t page = 0;
    for (uint32_t i = 0; i < context->piece->count; i++) {
        const struct sweep_instruction *entry = &context->entries[i];
        if (!entry->encoding)
            continue;
        uint64_t address = entry->target;
        if (address == NO_ADDRESS) {
            unsigned count;
            const struct operand *operands = backward_operands(backward, i, &count);
            for (unsigned j = 0; j < count; j++) {
                if (operands[j].kind == operand_kind_MEMORY && operands[j].index_register)
                    address = (uint64_t)operands[j].displacement;
                else if (operands[j].kind == operand_kind_IMMEDIATE && backward->isa == isa_AARCH64)
                    address = page + (uint64_t)operands[j].value;
            }
        } else if (backward->isa == isa_AARCH64) {
            page = address;
        }
        if (address > start && address < end)
            end = address;
    }
    return end;
}

static bool find_table(struct backward *backward, uint32_t jump, struct value *value)
{
    unsigned count;
    const struct operand *operands = backward_operands(backward, jump, &count);
    for (unsigned i = 0; i < count; i++) {
        if (operands[i].kind != operand_kind_MEMORY && operands[i].kind != operand_kind_REGISTER)
            continue;
        *value = value_of_operand(backward, jump, &operands[i]);
        return value->term == TERM_ENTRY;
    }
    return false;
}

static bool read_whole_table(struct backward *backward, const struct value *value, const struct bound *bound,
                             struct switch_table *table, struct array *targets)
{
    const struct layout *layout = backward->context->layout;
    struct table_reader reader = {.backward = backward,
                                  .layout = layout,
                                  .piece = backward->context->piece,
                                  .value = *value,
                                  .start = value->table};
    struct reach reach = {.limit = MOST_ENTRIES, .is_certain = bound->is_certain, .is_limited = true};
    if (bound->found) {
        reach.limit = (uint32_t)bound->most + 1;
        reader.start -= bound->offset * value->entry_scale;
    } else if (value->most < MOST_ENTRIES) {
        reach.limit = (uint32_t)value->most + 1;
        reach.is_certain = value->is_masked;
    } else {
        reach.is_limited = false;
    }
    if (!bound->found)
        reader.start = value->unchecked_table;
    /* The check may let more through than is left: values below the first that has an entry were sorted out
     * before. */
    uint64_t before_table = (value->unchecked_table - reader.start) / value->entry_bytes;
    if (bound->found && value->unchecked_table > reader.start && before_table < reach.limit) {
        reader.start = value->unchecked_table;
        reach.limit -= (uint32_t)before_table;
    }
    if (model_program(layout->model, layout->program)->bits == 32)
        reader.start &= UINT32_MAX;
    uint64_t end = reader.start + (uint64_t)reach.limit * value->entry_bytes;
    bool is_cut = false;
    if (!reach.is_certain) {
        uint64_t next = next_reference(backward, reader.start, end);
        is_cut = next < end;
        reach.limit = (uint32_t)((next - reader.start) / value->entry_bytes);
    }
    reader.is_relocated = layout_relocation(layout, reader.start, end) != 0;
    size_t before = targets->count;
    uint32_t count = read_table(&reader, &reach, targets);
    if (count == 0 || (!reach.is_certain && count < 2)) {
        targets->count = before;
        return false;
    }
    /* A table that fills the whole range of its index's type is as good as one that the code bounds. */
    bool is_full = count == reach.limit && reach.is_limited && !bound->found && !is_cut;
    *table = (struct switch_table){.address = reader.start,
                                   .entry_count = count,
                                   .entry_size = value->entry_bytes,
                                   .is_guessed = !(reach.is_certain && count == reach.limit) && !is_full};
    return true;
}

enum switch_result switch_find(const struct switch_context *context, uint32_t jump,
                               struct switch_table *table, struct array *targets)
{
    struct backward backward;
    struct value value;
    enum switch_result result = SWITCH_POINTER;
    backward_init(&backward, context);
    if (find_table(&backward, jump, &value)) {
        struct bound bound = find_bound(&backward, jump, &value);
        if (read_whole_table(&backward, &value, &bound, table, targets))
            result = SWITCH_FOUND;
        else if (value.entry_scale)
            result = SWITCH_UNKNOWN;
    }
    if (result == SWITCH_POINTER && !backward.steps_left)
        result = SWITCH_UNKNOWN;
    backward_free(&backward);
    return result;
}
