/* Computes values by backward substitution: finds the last writer of a register and builds its value from the
   values of its sources, down to a limit of depth.  Anything else becomes an unknown, identified by the
   places that wrote it, so that two readers of the same unknown get the same identity.

   A place with several possible writers has a value if all of them agree.  A writer that only copies the
   place back (registers moved to and fro around a loop) is ignored.

   Widths are treated loosely, which is enough for jump tables: extensions and truncations do not change an
   index (the bounds check makes that true), and all arithmetic is modulo 2^64. */
#include "code/structure/values.h"

#include "model/elements.h"
#include "model/isa.h"

#include <limits.h>
#include <string.h>

enum { MERGE_DEPTH = 6, LEAST_ADDRESS = 4096 };

static struct value value_at(struct backward *backward, const struct place *place, uint32_t before,
                             unsigned depth);
static struct value operand_at(struct backward *backward, uint32_t entry, const struct operand *operand,
                               unsigned depth);

static struct value constant_value(uint64_t constant)
{
    return (struct value){.constant = constant};
}

static uint64_t place_number(const struct place *place)
{
    return hash_mix(hash_mix(hash_mix(place->is_memory + 1, place->full), place->base), place->displacement);
}

static struct value opaque_value(uint64_t identity, uint32_t born)
{
    return (struct value){
        .term = TERM_INDEX, .scale = 1, .identity = identity, .most = UINT64_MAX, .born = born};
}

static struct value unknown_value(const struct backward *backward, const struct place *place,
                                  const struct definitions *definitions)
{
    const uint32_t *entries = backward_entries(backward, definitions);
    uint64_t identity = hash_mix(place_number(place), definitions->count);
    for (uint32_t i = 0; i < definitions->count; i++)
        identity = hash_mix(identity, entries[i]);
    struct value value = opaque_value(identity, definitions->count == 1 ? entries[0] : FUNCTION_ENTRY);
    if (definitions->count > 1) {
        value.place = *place;
        value.definitions = *definitions;
    }
    return value;
}

/* An unknown made by this entry; number distinguishes several of them. */
static struct value new_value(uint32_t entry, uint64_t number)
{
    return opaque_value(hash_mix(hash_mix(3, number), entry), entry);
}

static struct value silent_value(const struct place *place)
{
    struct value value = opaque_value(place_number(place), FUNCTION_ENTRY);
    value.term = TERM_SILENT;
    return value;
}

/* Without more information it is an unknown like others. */
static struct value spoken_value(struct value value)
{
    if (value.term == TERM_SILENT)
        value.term = TERM_INDEX;
    return value;
}

struct value value_as_index(const struct value *value)
{
    if (value->term != TERM_ENTRY)
        return *value;
    struct value index = new_value(1, hash_mix(hash_mix(value->identity, value->table), value->entry_scale));
    index.born = value->born;
    if (!value->is_signed && value->entry_bytes < 8)
        index.most = ((uint64_t)1 << 8 * value->entry_bytes) - 1;
    index.constant = value->constant;
    index.address = value->address;
    index.scale = value->scale;
    return index;
}

static bool is_in_data(const struct backward *backward, uint64_t address)
{
    const struct layout *layout = backward->context->layout;
    return layout_bytes(layout, address, 1) != NULL;
}

static struct value add_values(const struct backward *backward, const struct value *a, const struct value *b,
                               uint32_t entry)
{
    if (a->term == TERM_SILENT || b->term == TERM_SILENT)
        return new_value(entry, 2);
    if (a->term == TERM_NONE || b->term == TERM_NONE) {
        const struct value *plain = a->term == TERM_NONE ? a : b;
        struct value sum = a->term == TERM_NONE ? *b : *a;
        sum.constant = a->constant + b->constant;
        if (sum.term != TERM_NONE && is_in_data(backward, plain->constant))
            sum.address += plain->constant;
        return sum;
    }
    if (a->term == TERM_INDEX && b->term == TERM_INDEX && a->identity == b->identity) {
        struct value sum = *a;
        sum.constant += b->constant;
        sum.address += b->address;
        sum.scale += b->scale;
        return sum;
    }
    return new_value(entry, 2);
}

static struct value scaled_value(struct value value, uint64_t factor)
{
    value.constant *= factor;
    value.address *= factor;
    value.scale *= factor;
    return value;
}

/* bits is the width that is extended from. */
static struct value extended_value(struct value value, unsigned bits, bool is_signed)
{
    if (value.term == TERM_NONE && bits < 64) {
        uint64_t mask = ((uint64_t)1 << bits) - 1, sign = (uint64_t)1 << (bits - 1);
        value.constant &= mask;
        if (is_signed)
            value.constant = (value.constant ^ sign) - sign;
    }
    if (value.term == TERM_ENTRY && bits == 8u * value.entry_bytes)
        value.is_signed = is_signed;
    if (value.term == TERM_INDEX && !is_signed && bits < 32 && value.scale == 1 && value.constant == 0) {
        uint64_t most = ((uint64_t)1 << bits) - 1;
        if (most < value.most)
            value.most = most;
    }
    return value;
}

/* Row of relocations that changes the bytes of this entry in a relocatable file, or 0. */
static uint32_t value_relocation(const struct backward *backward, uint32_t entry)
{
    const struct layout *layout = backward->context->layout;
    if (!layout_is_relocatable(layout))
        return 0;
    return layout_relocation(layout, backward_address(backward, entry),
                             layout_entry_end(layout, backward->context->piece, entry));
}

/* The value that a relocation gives an operand's constant; instructions of variable length have a field for
   each constant.  The global offset table of a relocatable file has no address yet; everything is relative to
   it, so it may be at 0. */
static bool relocated_constant(const struct backward *backward, uint32_t entry, bool is_immediate,
                               uint64_t *constant)
{
    uint32_t row = value_relocation(backward, entry);
    if (!row)
        return false;
    const struct layout *layout = backward->context->layout;
    const struct relocation *relocation = model_relocation(layout->model, row);
    uint64_t end = layout_entry_end(layout, backward->context->piece, entry), target;
    if (layout->reader->relocated(relocation, end, &target) || relocation->value == NO_ADDRESS)
        return false;
    if (backward->reader->alignment == 1) {
        unsigned count;
        const struct operand *operands = backward_operands(backward, entry, &count);
        bool has_immediate = count && operands[count - 1].kind == operand_kind_IMMEDIATE;
        bool is_last = relocation->address + 4 >= end;
        if (is_immediate != (has_immediate && is_last))
            return false;
    }
    *constant = relocation->value + (uint64_t)relocation->addend;
    return true;
}

static struct value address_at(struct backward *backward, uint32_t entry, const struct operand *operand,
                               unsigned depth)
{
    if (operand->is_relative)
        return constant_value(backward->context->entries[entry].target);
    uint64_t displacement = (uint64_t)operand->displacement;
    relocated_constant(backward, entry, false, &displacement);
    struct value sum = constant_value(displacement), parts[2];
    unsigned count = 0;
    if (operand->base_register) {
        struct place place = {.full = backward_full(backward, operand->base_register)};
        parts[count++] = spoken_value(value_at(backward, &place, entry, depth));
    }
    if (operand->index_register) {
        struct place place = {.full = backward_full(backward, operand->index_register)};
        struct value index = spoken_value(value_at(backward, &place, entry, depth));
        parts[count++] = scaled_value(index, operand->scale ? operand->scale : 1);
    }
    /* Constants first, so that they form one address before the index is added. */
    for (unsigned i = 0; i < count; i++) {
        if (parts[i].term == TERM_NONE)
            sum.constant += parts[i].constant;
    }
    for (unsigned i = 0; i < count; i++) {
        if (parts[i].term != TERM_NONE)
            sum = add_values(backward, &sum, &parts[i], entry);
    }
    return sum;
}

/* If the index does not begin with 0, the code may refer to an address before the table; then the bounds
   check shows where the table starts.  Addresses below all data are displacements from a pointer. */
static bool may_be_table(const struct backward *backward, const struct value *address, unsigned bytes)
{
    if (address->term != TERM_INDEX || address->scale != bytes ||
        (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8))
        return false;
    return is_in_data(backward, address->constant) ||
           (address->address ? is_in_data(backward, address->address)
                             : bytes > 1 && address->constant >= LEAST_ADDRESS);
}

static struct value loaded_value(struct backward *backward, uint32_t entry, const struct operand *operand,
                                 unsigned depth)
{
    struct value address = address_at(backward, entry, operand, depth);
    address = value_as_index(&address);
    unsigned bytes = operand->bits / 8u;
    if (isa_facts(backward->reader->isa)->address_bytes == 4)
        address.constant &= UINT32_MAX;
    bool has_address = address.address && is_in_data(backward, address.address);
    if (may_be_table(backward, &address, bytes))
        return (struct value){.term = TERM_ENTRY,
                              .scale = 1,
                              .identity = address.identity,
                              .most = address.most,
                              .born = address.born,
                              .place = address.place,
                              .definitions = address.definitions,
                              .table = address.constant,
                              .unchecked_table = has_address ? address.address : address.constant,
                              .entry_scale = address.scale,
                              .entry_bytes = (uint8_t)bytes};
    struct place place;
    struct value value = backward_memory(backward, entry, operand, &place)
                             ? value_at(backward, &place, entry, depth)
                             : new_value(entry, 3);
    return extended_value(value, bytes * 8, false);
}

static bool is_zero_register(const struct backward *backward, uint32_t register_row)
{
    const struct model *model = backward->context->layout->model;
    const char *name = model_text(model, model_register(model, register_row)->name);
    return !strcmp(name, "xzr") || !strcmp(name, "wzr");
}

/* AArch64: the last operand of an addition may be extended before it is shifted; only the text says so. */
static struct value extended_as_text_says(const struct backward *backward, uint32_t entry, struct value value)
{
    static const struct {
        const char *word;
        unsigned bits;
        bool is_signed;
    } extensions[] = {{", sxtb", 8, true},  {", sxth", 16, true},  {", sxtw", 32, true},
                      {", uxtb", 8, false}, {", uxth", 16, false}, {", uxtw", 32, false}};
    const struct model *model = backward->context->layout->model;
    const char *text = model_text(model, backward_encoding(backward, entry)->text);
    for (size_t i = 0; text && i < sizeof extensions / sizeof extensions[0]; i++) {
        if (strstr(text, extensions[i].word))
            return extended_value(value, extensions[i].bits, extensions[i].is_signed);
    }
    return value;
}

static struct value register_value(struct backward *backward, uint32_t entry, const struct operand *operand,
                                   unsigned depth)
{
    const struct model *model = backward->context->layout->model;
    const struct register_ *row = model_register(model, operand->register_);
    if (is_zero_register(backward, operand->register_))
        return constant_value(0);
    if (row->bit_offset)
        return new_value(entry, 4);
    struct place place = {.full = row->full};
    struct value value = value_at(backward, &place, entry, depth);
    if (row->bits < 64)
        value = row->bits < 32 || value.term == TERM_NONE ? extended_value(value, row->bits, false) : value;
    unsigned count;
    backward_operands(backward, entry, &count);
    if (operand->position == count)
        value = extended_as_text_says(backward, entry, value);
    return operand->value > 0 && operand->value < 64 ? scaled_value(value, (uint64_t)1 << operand->value)
                                                     : value;
}

static struct value operand_at(struct backward *backward, uint32_t entry, const struct operand *operand,
                               unsigned depth)
{
    uint64_t constant;
    switch (operand->kind) {
    case operand_kind_IMMEDIATE:
        if (operand->is_relative)
            return constant_value(backward->context->entries[entry].target);
        constant = (uint64_t)operand->value;
        relocated_constant(backward, entry, true, &constant);
        return constant_value(constant);
    case operand_kind_TARGET:
        return constant_value(backward->context->entries[entry].target);
    case operand_kind_ADDRESS:
        return address_at(backward, entry, operand, depth);
    case operand_kind_MEMORY:
        return loaded_value(backward, entry, operand, depth);
    case operand_kind_REGISTER:
        return register_value(backward, entry, operand, depth);
    default:
        return new_value(entry, 5);
    }
}

/* The operands that an instruction computes its one result from. */
struct sources {
    const struct operand *operands[3];
    unsigned count;
};

static bool find_sources(const struct backward *backward, uint32_t entry, const struct place *place,
                         struct sources *sources)
{
    unsigned count, results = 0;
    const struct operand *operands = backward_operands(backward, entry, &count);
    *sources = (struct sources){0};
    for (unsigned i = 0; i < count; i++) {
        const struct operand *operand = &operands[i];
        if (operand->is_conditional)
            return false;
        if (operand->access == access_WRITE || operand->access == access_BOTH) {
            struct place written = {.full = backward_full(backward, operand->register_)};
            if (operand->kind == operand_kind_MEMORY && !backward_memory(backward, entry, operand, &written))
                return false;
            if (place->is_memory && written.bytes >= place->bytes)
                written.bytes = place->bytes;
            if (!backward_same_place(&written, place))
                return false;
            results++;
        }
        if (operand->access != access_WRITE) {
            if (sources->count == 3)
                return false;
            sources->operands[sources->count++] = operand;
        }
    }
    return results == 1;
}

/* cdqe and cwde have no operand: the register that they write is also what they extend. */
static struct value widened_value(struct backward *backward, uint32_t entry, const struct place *place,
                                  unsigned depth)
{
    struct value value = value_at(backward, place, entry, depth);
    const struct encoding *encoding = backward_encoding(backward, entry);
    return extended_value(value, element_bits((enum element)encoding->source_element), true);
}

static struct value limited_value(uint64_t most, uint32_t entry)
{
    struct value value = new_value(entry, 6);
    value.most = most;
    return value;
}

static struct value masked_value(const struct value *value, uint64_t mask, uint32_t entry)
{
    if (value->term == TERM_NONE)
        return constant_value(value->constant & mask);
    bool is_low = mask <= UINT32_MAX && (mask & (mask + 1)) == 0;
    return limited_value(is_low ? mask : UINT64_MAX, entry);
}

/* A 32-bit constant added to an index is a small number, often negative. */
static struct value signed_constant(struct value value)
{
    return value.term == TERM_NONE ? extended_value(value, 32, true) : value;
}

static struct value computed_value(struct backward *backward, uint32_t entry, enum operation operation,
                                   const struct sources *sources, unsigned depth)
{
    struct value values[3] = {{0}};
    for (unsigned i = 0; i < sources->count; i++)
        values[i] = operand_at(backward, entry, sources->operands[i], depth);
    const struct encoding *encoding = backward_encoding(backward, entry);
    bool extends_sign = operation == operation_EXTEND && encoding->extends_sign;
    bool copies = operation == operation_COPY || (operation == operation_EXTEND && !extends_sign);
    for (unsigned i = 0; i < sources->count && !copies; i++) {
        if (values[i].term == TERM_SILENT)
            return new_value(entry, 7);
    }
    const struct operand *first = sources->operands[0];
    bool is_short = first && first->bits == 32 && isa_facts(backward->reader->isa)->address_bytes == 8;
    bool is_pair = sources->count == 2, has_factor = is_pair && values[1].term == TERM_NONE;
    switch (operation) {
    case operation_COPY:
    case operation_EXTEND:
    case operation_ADDRESS:
    case operation_PAGE:
        if (sources->count == 1)
            return extends_sign ? extended_value(values[0], first->bits, true) : values[0];
        break;
    case operation_ADD:
    case operation_SUBTRACT:
        for (unsigned i = 0; i < sources->count && is_short; i++)
            values[i] = signed_constant(values[i]);
        if (is_pair && operation == operation_ADD)
            return add_values(backward, &values[0], &values[1], entry);
        if (has_factor) {
            values[1].constant = -values[1].constant;
            return add_values(backward, &values[0], &values[1], entry);
        }
        break;
    case operation_INCREMENT:
    case operation_DECREMENT:
        values[0].constant += operation == operation_INCREMENT ? 1 : (uint64_t)-1;
        return values[0];
    case operation_SHIFT_LEFT:
        if (sources->count >= 2 && values[1].term == TERM_NONE && values[1].constant < 64)
            return scaled_value(values[0], (uint64_t)1 << values[1].constant);
        break;
    case operation_AND:
        if (has_factor)
            return masked_value(&values[0], values[1].constant, entry);
        break;
    case operation_EXTRACT:
        if (sources->count == 3 && values[2].term == TERM_NONE && values[2].constant < 32)
            return limited_value(((uint64_t)1 << values[2].constant) - 1, entry);
        break;
    case operation_SHIFT_RIGHT:
        if (has_factor && values[1].constant < first->bits && first->bits - values[1].constant < 32)
            return limited_value(((uint64_t)1 << (first->bits - values[1].constant)) - 1, entry);
        break;
    case operation_EXCLUSIVE_OR:
        if (is_pair && first->kind == operand_kind_REGISTER &&
            sources->operands[1]->kind == operand_kind_REGISTER &&
            first->register_ == sources->operands[1]->register_)
            return constant_value(0);
        break;
    default:
        break;
    }
    return new_value(entry, 7);
}

/* The address that `call next; next: pop` leaves in a register. */
static bool is_popped_address(const struct backward *backward, uint32_t entry, const struct place *place)
{
    unsigned count;
    const struct operand *operands = backward_operands(backward, entry, &count);
    return entry > 0 && count == 1 && operands[0].kind == operand_kind_REGISTER && !place->is_memory &&
           backward_full(backward, operands[0].register_) == place->full &&
           backward->context->entries[entry - 1].encoding &&
           backward_encoding(backward, entry - 1)->flow == flow_CALL &&
           backward->context->entries[entry - 1].target == backward_address(backward, entry);
}

/* What a relocation makes of an addition: the address of the global offset table, which may be at 0, or an
   address whose page was added to. */
static bool is_relocated_sum(const struct backward *backward, uint32_t entry, uint64_t *sum)
{
    const struct isa_values *types = backward->reader->values;
    uint32_t row = value_relocation(backward, entry);
    if (!row)
        return false;
    const struct relocation *relocation = model_relocation(backward->context->layout->model, row);
    bool is_low = relocation->type == types->low_bits_relocation && relocation->value != NO_ADDRESS;
    *sum = is_low ? relocation->value + (uint64_t)relocation->addend : 0;
    return relocation->type && (is_low || relocation->type == types->offset_table_relocation);
}

/* AArch64: the half of a pair that lies in the place, or goes there. */
static bool find_half(const struct backward *backward, uint32_t entry, const struct place *place,
                      struct operand *source)
{
    unsigned count;
    const struct operand *operands = backward_operands(backward, entry, &count);
    struct place memory;
    if (count != 3 || !backward_memory(backward, entry, &operands[2], &memory) || operands[2].bits % 16)
        return false;
    uint32_t bytes = memory.bytes / 2;
    for (unsigned half = 0; half < 2; half++) {
        if (!place->is_memory && backward_full(backward, operands[half].register_) == place->full) {
            *source = operands[2];
            source->bits = (uint16_t)(8 * bytes);
            source->displacement += half * bytes;
            return true;
        }
        if (place->is_memory && place->base == memory.base && place->bytes <= bytes &&
            place->displacement == memory.displacement + half * bytes) {
            *source = operands[half];
            return true;
        }
    }
    return false;
}

/* The value that the instruction at this entry writes to the place. */
static struct value understood_value(struct backward *backward, const struct place *place, uint32_t entry,
                                     unsigned depth)
{
    const struct layout *layout = backward->context->layout;
    const struct encoding *encoding = backward_encoding(backward, entry);
    if (encoding->flow == flow_CALL) {
        if (!place->is_memory && backward_call_gives_address(backward, entry, place->full))
            return constant_value(layout_entry_end(layout, backward->context->piece, entry));
        return new_value(entry, place_number(place));
    }
    enum operation operation = encoding->is_vector ? operation_NONE : (enum operation)encoding->operation;
    if (operation == operation_NONE)
        return new_value(entry, place_number(place));
    if (operation == operation_POP && is_popped_address(backward, entry, place))
        return constant_value(backward_address(backward, entry));
    uint64_t sum;
    if (operation == operation_ADD && is_relocated_sum(backward, entry, &sum))
        return constant_value(sum);
    struct operand half;
    if (operation == operation_COPY_PAIR)
        return !encoding->extends_sign && find_half(backward, entry, place, &half)
                   ? operand_at(backward, entry, &half, depth)
                   : new_value(entry, place_number(place));
    struct sources sources;
    if (!find_sources(backward, entry, place, &sources)) {
        unsigned count;
        backward_operands(backward, entry, &count);
        if (operation == operation_EXTEND && encoding->extends_sign && count == 0)
            return widened_value(backward, entry, place, depth);
        return new_value(entry, place_number(place));
    }
    return computed_value(backward, entry, operation, &sources, depth);
}

static struct value written_value(struct backward *backward, const struct place *place, uint32_t entry,
                                  unsigned depth)
{
    for (unsigned i = 0; i < backward->active_count; i++) {
        if (backward->active[i].entry == entry && backward_same_place(&backward->active[i].place, place)) {
            if (i < backward->lowest_circle)
                backward->lowest_circle = i;
            return silent_value(place);
        }
    }
    if (backward->active_count == MOST_DEPTH)
        return new_value(entry, place_number(place));
    backward->active[backward->active_count++] = (struct active){*place, entry};
    struct value value = understood_value(backward, place, entry, depth);
    backward->active_count--;
    return value;
}

static bool are_equal(const struct value *a, const struct value *b)
{
    return a->term == b->term && a->constant == b->constant &&
           (a->term == TERM_NONE || (a->identity == b->identity && a->scale == b->scale)) &&
           (a->term != TERM_ENTRY || (a->table == b->table && a->entry_scale == b->entry_scale &&
                                      a->entry_bytes == b->entry_bytes && a->is_signed == b->is_signed));
}

/* A cache: where paths merge again and again, each value is needed many times. */
struct known_value {
    struct place place;
    uint32_t before;
    unsigned depth; /* that it was put together with; 0: nothing is known here */
    struct value value;
};
enum { KNOWN_VALUES = 128 };

/* The value on which all writers that have one agree. */
static bool find_agreement(struct backward *backward, const struct place *place,
                           const struct definitions *definitions, unsigned depth, struct value *agreed)
{
    unsigned merge_depth = depth <= MERGE_DEPTH ? depth - 1 : MERGE_DEPTH;
    if (!backward->memory)
        backward->memory = memory_get(KNOWN_VALUES * sizeof *backward->memory);
    *agreed = (struct value){.term = TERM_SILENT};
    for (uint32_t i = 0; i < definitions->count; i++) {
        uint32_t writer = backward_entries(backward, definitions)[i];
        if (writer == FUNCTION_ENTRY)
            return false;
        struct value value = written_value(backward, place, writer, merge_depth);
        if (agreed->term == TERM_SILENT)
            *agreed = value;
        else if (value.term != TERM_SILENT && !are_equal(agreed, &value))
            return false;
    }
    return true;
}

static struct value found_value(struct backward *backward, const struct place *place, uint32_t before,
                                unsigned depth)
{
    struct definitions definitions;
    backward_find(backward, place, before, &definitions);
    if (!definitions.is_complete)
        return new_value(before, place_number(place));
    if (definitions.count == 0)
        return silent_value(place);
    bool passed_call = backward->passed_call;
    struct value value = {0};
    if (definitions.count == 1) {
        uint32_t writer = backward_entries(backward, &definitions)[0];
        value = writer == FUNCTION_ENTRY ? unknown_value(backward, place, &definitions)
                                         : written_value(backward, place, writer, depth - 1);
    } else if (!find_agreement(backward, place, &definitions, depth, &value)) {
        value = unknown_value(backward, place, &definitions);
    }
    backward->passed_call = passed_call;
    return value;
}

/* A call may change a variable whose address it got, so a number stored there before may be gone.  An address
   of data is an exception: the compiler spilled it for want of a register.  An unknown may count as
   unchanged, because code that could not rely on that checks it again. */
static struct value value_after_calls(struct backward *backward, const struct place *place, uint32_t before,
                                      unsigned depth)
{
    bool heeded_calls = backward->heeds_calls;
    backward->heeds_calls = false;
    struct value value = found_value(backward, place, before, depth);
    if (place->is_memory && backward->passed_call && value.term == TERM_NONE &&
        !is_in_data(backward, value.constant)) {
        backward->heeds_calls = true;
        value = found_value(backward, place, before, depth);
    }
    backward->heeds_calls = heeded_calls;
    return value;
}

/* Its slot, filled or not; NULL as long as no paths merged. */
static struct known_value *known_value(struct backward *backward, const struct place *place, uint32_t before)
{
    uint64_t hash = hash_mix(place_number(place), before);
    return backward->memory ? &backward->memory[hash % KNOWN_VALUES] : NULL;
}

static struct value value_at(struct backward *backward, const struct place *place, uint32_t before,
                             unsigned depth)
{
    if (depth == 0 || backward->steps_left == 0)
        return new_value(before, 0);
    backward->steps_left--;
    struct known_value *known = known_value(backward, place, before);
    if (known && known->depth >= depth && known->before == before &&
        backward_same_place(&known->place, place))
        return known->value;
    unsigned lowest = backward->lowest_circle;
    backward->lowest_circle = UINT_MAX;
    struct value value = value_after_calls(backward, place, before, depth);
    /* A result that depends on values still under construction may differ later, so it is not cached. */
    known = known_value(backward, place, before);
    if (known && backward->lowest_circle >= backward->active_count)
        *known = (struct known_value){*place, before, depth, value};
    if (lowest < backward->lowest_circle)
        backward->lowest_circle = lowest;
    return value;
}

struct value value_of_operand(struct backward *backward, uint32_t entry, const struct operand *operand)
{
    return spoken_value(operand_at(backward, entry, operand, MOST_DEPTH));
}

struct value value_of_place(struct backward *backward, const struct place *place, uint32_t before)
{
    return spoken_value(value_at(backward, place, before, MOST_DEPTH));
}

struct value value_written(struct backward *backward, const struct place *place, uint32_t entry)
{
    return spoken_value(written_value(backward, place, entry, MOST_DEPTH));
}
