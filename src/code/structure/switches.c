/* Finds jump tables from the target address of an indirect jump.  If its value (values.h) is

       constant + scale · entry(table + entry size · index)

   then there is a table.  All forms that compilers use are cases of this: tables of addresses have constant
   0, tables of differences have the table or some label as constant, byte and halfword tables of AArch64 have
   scale 4.

   The length comes from the bounds check before the jump: every path back from the jump has a conditional
   jump after a comparison of the same unknown with a constant (guards.h), which gives the first and the last
   value of the index.  If the check is missing on some path, the table is guessed to end where entries stop
   leading into the function, at the latest where something else begins (table_ends.h); a mask or the type of
   the index gives an upper limit, not the length.

   Not found: tables that are built at run time, tables of functions (those are calls), jumps whose table
   depends on the path that led there, and addresses of code that are computed without a table. */
#include "code/structure/switches.h"

#include "code/structure/frames.h"
#include "code/structure/guards.h"
#include "code/structure/table_ends.h"

#include <string.h>

enum { MOST_OUTSIDE = 1024 };

/* --- reading the table --- */

struct table_reader {
    struct backward *backward;
    const struct layout *layout;
    const struct piece *piece;
    struct value value;
    uint64_t start;
    bool is_relocated;      /* relocations lie in it */
    bool needs_relocations; /* in every entry */
};

static bool is_relative_relocation(const struct isa_reader *reader, uint32_t type)
{
    for (const uint16_t *relative = reader->values->relative_relocations; *relative; relative++)
        if (*relative == type)
            return true;
    return false;
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
        if (is_relative_relocation(layout->reader, relocation->type))
            *entry -= address;
        return true;
    }
    const uint8_t *at = layout_bytes(layout, address, bytes);
    if (!at || reader->needs_relocations)
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

/* Whether the target is new; entries inside the function have a mark, the few targets outside are searched in
   the list. */
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

/* The limit of a table's entries: known, or only the most that we read; and whether the code itself gives
   this length. */
struct reach {
    uint32_t limit;
    bool is_limited, is_certain;
};

/* Adds targets of up to limit entries and returns the number of entries; 0 if none leads into the function.
   Stops at an invalid entry.  Unless the length is certain, the last entry leads into the function; without a
   limit, all entries do. */
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

static bool find_table(struct backward *backward, uint32_t jump, struct value *value)
{
    unsigned count;
    *value = (struct value){.term = TERM_INDEX};
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
    struct reach reach = {.limit = MOST_TABLE_ENTRIES, .is_certain = bound->is_certain, .is_limited = true};
    if (bound->found) {
        reach.limit = (uint32_t)bound->most + 1;
        reader.start -= bound->offset * value->entry_scale;
    } else if (value->most < MOST_TABLE_ENTRIES) {
        reach.limit = (uint32_t)value->most + 1;
    } else {
        reach.is_limited = false;
    }
    if (!bound->found)
        reader.start = value->unchecked_table;
    /* The check may allow more values than there are entries, if values below the first entry were handled
       before. */
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
        uint64_t next = reference_after(backward->context, reader.start, end);
        is_cut = next < end;
        reach.limit = (uint32_t)((next - reader.start) / value->entry_bytes);
    }
    reader.is_relocated = layout_relocation(layout, reader.start, end) != 0;
    reader.needs_relocations =
        layout_is_relocatable(layout) &&
        layout_relocation(layout, reader.start, reader.start + value->entry_bytes) != 0;
    size_t before = targets->count;
    uint32_t count = read_table(&reader, &reach, targets);
    if (count == 0 || (!reach.is_certain && count < 2)) {
        targets->count = before;
        return false;
    }
    /* A table that covers the whole range of its index's type counts as bounded by the code. */
    bool is_full = count == reach.limit && reach.is_limited && !bound->found && !is_cut;
    *table = (struct switch_table){.address = reader.start,
                                   .entry_count = count,
                                   .entry_size = value->entry_bytes,
                                   .is_guessed = !(reach.is_certain && count == reach.limit) && !is_full};
    return true;
}

/* A goto through a variable that can hold only one label. */
static bool is_label(const struct switch_context *context, const struct value *value)
{
    return value->term == TERM_NONE && value->constant > context->piece->start &&
           value->constant < context->piece->end &&
           layout_index(context->layout, context->piece, value->constant) != UINT32_MAX;
}

/* A computed sum is not a stored pointer, and a tail call comes after the frame was released. */
static bool is_pointer(struct backward *backward, uint32_t jump)
{
    unsigned count;
    const struct operand *operands = backward_operands(backward, jump, &count);
    if (count && operands[0].kind == operand_kind_REGISTER) {
        struct place place = {.full = backward_full(backward, operands[0].register_)};
        struct definitions definitions;
        backward_find(backward, &place, jump, &definitions);
        for (uint32_t i = 0; i < definitions.count; i++) {
            uint32_t writer = backward_entries(backward, &definitions)[i];
            if (writer != FUNCTION_ENTRY && backward_encoding(backward, writer)->operation == operation_ADD)
                return false;
        }
    }
    return backward->steps_left && !frame_is_set_up(backward, jump);
}

enum switch_result switch_find(const struct switch_context *context, uint32_t jump,
                               struct switch_table *table, struct array *targets)
{
    struct backward backward;
    struct value value;
    enum switch_result result = SWITCH_UNKNOWN;
    backward_init(&backward, context);
    *table = (struct switch_table){0};
    if (find_table(&backward, jump, &value)) {
        struct bound bound = guard_find(&backward, jump, &value);
        if (read_whole_table(&backward, &value, &bound, table, targets))
            result = SWITCH_FOUND;
    } else if (is_label(context, &value)) {
        *(uint64_t *)array_push(targets) = value.constant;
        table->is_guessed = backward.met_dead_end;
        result = SWITCH_FOUND;
    } else if (is_pointer(&backward, jump)) {
        result = SWITCH_POINTER;
    }
    table->may_change = backward.met_dead_end;
    backward_free(&backward);
    return result;
}
