/* Types: a row for each type DIE that a variable leads to, directly or through other types.

   A request for a type gives its row at once and puts the DIE into a queue.  Working through the queue in
   order handles recursive types and gives the rows of members and dimensions sorted by type.  A type in a
   type unit is reached through its signature, from any number of declarations, and still has one row.

   Fortran arrays after descriptors: data_location, the bounds and the strides are expressions over the
   address of the descriptor (push_object_address); they are kept as text.  So is the length of a string that
   is known only at run time: it is the single dimension of a string type. */
#include "code/read/dwarf/reader.h"

#include <stdlib.h>
#include <string.h>

static bool is_aggregate(int tag)
{
    return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type ||
           tag == DW_TAG_enumeration_type || tag == DW_TAG_interface_type;
}

uint32_t debug_type(struct debug_reader *reader, Dwarf_Attribute *attribute)
{
    Dwarf_Die die, whole;
    if (!attribute || !debug_follow(attribute, &die))
        return 0;
    uint32_t row = *debug_number_at(&reader->type_of, die.addr);
    if (row)
        return row;
    int tag = dwarf_tag(&die);
    if (tag == DW_TAG_invalid) {
        debug_damaged(reader, "a reference to a type leads to something else");
        return 0;
    }
    Dwarf_Attribute signature;
    const void *declaration = die.addr;
    if (is_aggregate(tag) && dwarf_attr(&die, DW_AT_signature, &signature) &&
        debug_follow(&signature, &whole) && dwarf_tag(&whole) != DW_TAG_invalid) {
        die = whole;
        row = *debug_number_at(&reader->type_of, die.addr);
    }
    if (!row) {
        struct type *type = model_add(&reader->model->types);
        type->program = reader->program;
        row = model_last(&reader->model->types);
        *debug_number_at(&reader->type_of, die.addr) = row;
        *(struct pending_type *)array_add(&reader->pending_types) = (struct pending_type){die, row};
    }
    *debug_number_at(&reader->type_of, declaration) = row;
    return row;
}

static enum number_format format_of(uint64_t encoding)
{
    switch (encoding) {
    case DW_ATE_boolean:
        return number_format_BOOLEAN;
    case DW_ATE_complex_float:
        return number_format_COMPLEX;
    case DW_ATE_float:
    case DW_ATE_imaginary_float:
    case DW_ATE_decimal_float:
        return number_format_FLOAT;
    case DW_ATE_signed:
    case DW_ATE_signed_fixed:
        return number_format_SIGNED;
    case DW_ATE_unsigned:
    case DW_ATE_unsigned_fixed:
    case DW_ATE_address:
        return number_format_UNSIGNED;
    case DW_ATE_signed_char:
    case DW_ATE_unsigned_char:
    case DW_ATE_UTF:
    case DW_ATE_UCS:
    case DW_ATE_ASCII:
        return number_format_CHARACTER;
    }
    return number_format_NONE;
}

static enum type_kind kind_of(int tag, const char **word)
{
    *word = NULL;
    switch (tag) {
    case DW_TAG_base_type:
        return type_kind_BASE;
    case DW_TAG_pointer_type:
    case DW_TAG_reference_type:
    case DW_TAG_rvalue_reference_type:
    case DW_TAG_ptr_to_member_type:
        return type_kind_POINTER;
    case DW_TAG_array_type:
        return type_kind_ARRAY;
    case DW_TAG_structure_type:
    case DW_TAG_class_type:
    case DW_TAG_interface_type:
        return type_kind_STRUCT;
    case DW_TAG_union_type:
        return type_kind_UNION;
    case DW_TAG_enumeration_type:
        return type_kind_ENUM;
    case DW_TAG_typedef:
    case DW_TAG_template_alias:
        return type_kind_TYPEDEF;
    case DW_TAG_const_type:
        *word = "const";
        return type_kind_QUALIFIED;
    case DW_TAG_volatile_type:
        *word = "volatile";
        return type_kind_QUALIFIED;
    case DW_TAG_restrict_type:
        *word = "restrict";
        return type_kind_QUALIFIED;
    case DW_TAG_atomic_type:
        *word = "atomic";
        return type_kind_QUALIFIED;
    case DW_TAG_immutable_type:
        *word = "immutable";
        return type_kind_QUALIFIED;
    case DW_TAG_packed_type:
    case DW_TAG_shared_type:
        return type_kind_QUALIFIED;
    case DW_TAG_subroutine_type:
    case DW_TAG_subprogram:
        return type_kind_FUNCTION;
    case DW_TAG_string_type:
        return type_kind_STRING;
    }
    return type_kind_OTHER;
}

/* The text of an attribute that is an expression, or the name (else the place) of a variable it refers to. */
static string_id expression_of(struct debug_reader *reader, const struct unit_context *unit,
                               Dwarf_Attribute *attribute)
{
    struct span bytes;
    Dwarf_Die die;
    struct facts facts;
    if (debug_block(attribute, &bytes))
        return debug_expression_text(reader, unit, bytes, NULL);
    if (!debug_follow(attribute, &die) || !debug_facts(reader, &die, &facts))
        return 0;
    const char *name = debug_text(reader, FACT(&facts, name));
    if (name)
        return model_string(reader->model, name);
    if (FACT(&facts, location) && debug_block(FACT(&facts, location), &bytes)) {
        string_id place = debug_expression_text(reader, unit, bytes, NULL);
        char *value = memory_format("%s deref", place ? model_text(reader->model, place) : "");
        place = model_string(reader->model, value);
        free(value);
        return place;
    }
    return model_string(reader->model, "variable");
}

static void set_stride(struct debug_reader *reader, const struct unit_context *unit, Dwarf_Attribute *bytes,
                       Dwarf_Attribute *bits, struct dimension *row)
{
    int64_t number;
    Dwarf_Attribute *stride = bytes ? bytes : bits;
    if (!stride)
        return;
    if (debug_signed_number(stride, &number))
        row->stride = bytes ? number : number / 8;
    else
        row->stride_expression = expression_of(reader, unit, stride);
}

static void set_bounds(struct debug_reader *reader, const struct unit_context *unit, struct facts *facts,
                       int language, struct dimension *row)
{
    Dwarf_Sword lower = 0;
    int64_t upper, count;
    if (dwarf_default_lower_bound(language, &lower) != 0)
        lower = 0;
    row->lower = lower;
    row->count = -1;
    Dwarf_Attribute *low = FACT(facts, lower_bound), *high = FACT(facts, upper_bound),
                    *number = FACT(facts, count);
    if (low && !debug_signed_number(low, &row->lower))
        row->lower_expression = expression_of(reader, unit, low);
    if (number && debug_signed_number(number, &count)) {
        row->count = count < 0 ? -1 : count;
    } else if (number) {
        row->count_expression = expression_of(reader, unit, number);
        row->count_kind = count_kind_COUNT_OF_ELEMENTS;
    } else if (high && debug_signed_number(high, &upper)) {
        if (!row->lower_expression && !__builtin_sub_overflow(upper, row->lower, &count) &&
            !__builtin_add_overflow(count, 1, &count)) {
            row->count = count < 0 ? 0 : count;
        } else {
            char *words = memory_format("consts %lld", (long long)upper);
            row->count_expression = model_string(reader->model, words);
            row->count_kind = count_kind_UPPER_BOUND;
            free(words);
        }
    } else if (high) {
        row->count_expression = expression_of(reader, unit, high);
        row->count_kind = count_kind_UPPER_BOUND;
    }
}

static void add_dimensions(struct debug_reader *reader, struct unit_context *unit, Dwarf_Die *die,
                           struct facts *array, uint32_t type)
{
    Dwarf_Die child;
    unsigned position = 0;
    if (dwarf_child(die, &child) != 0)
        return;
    do {
        int tag = dwarf_tag(&child);
        struct facts facts;
        if (tag == DW_TAG_invalid || !debug_facts(reader, &child, &facts))
            return;
        if (tag != DW_TAG_subrange_type && tag != DW_TAG_generic_subrange && tag != DW_TAG_enumeration_type)
            continue;
        struct dimension row = {.type = type, .position = (uint8_t)++position};
        set_bounds(reader, unit, &facts, unit->language, &row);
        set_stride(reader, unit, FACT(&facts, byte_stride), FACT(&facts, bit_stride), &row);
        if (position == 1 && !row.stride && !row.stride_expression)
            set_stride(reader, unit, FACT(array, byte_stride), FACT(array, bit_stride), &row);
        *(struct dimension *)array_add(&reader->model->dimensions) = row;
    } while (position < UINT8_MAX && dwarf_siblingof(&child, &child) == 0);
}

static void add_members(struct debug_reader *reader, Dwarf_Die *die, uint32_t type)
{
    Dwarf_Die child;
    uint32_t position = 0;
    if (dwarf_child(die, &child) != 0)
        return;
    do {
        int tag = dwarf_tag(&child);
        struct facts facts;
        if (tag == DW_TAG_invalid || !debug_spend(reader, 4))
            return;
        if (tag != DW_TAG_member && tag != DW_TAG_inheritance)
            continue;
        if (!debug_facts(reader, &child, &facts))
            return;
        if (debug_is_set(FACT(&facts, external)) || debug_is_set(FACT(&facts, declaration)))
            continue; /* static: it has its own storage */
        struct span bytes;
        uint64_t bits = 0;
        struct member row = {.type = type, .position = ++position};
        row.name = model_string(reader->model, debug_text(reader, FACT(&facts, name)));
        row.member_type = debug_type(reader, FACT(&facts, type));
        Dwarf_Attribute *place = FACT(&facts, data_member_location);
        if (place && debug_block(place, &bytes)) { /* DWARF 2: plus_uconst N */
            struct cursor cursor = {bytes.data, bytes.data + bytes.size, false, false};
            if (cursor_number(&cursor, 1) == DW_OP_plus_uconst)
                row.offset = cursor_unsigned_leb(&cursor);
        } else if (place) {
            debug_number(place, &row.offset);
        } else if (debug_number(FACT(&facts, data_bit_offset), &bits)) {
            row.offset = bits / 8;
        }
        uint32_t width = debug_small(FACT(&facts, bit_size));
        row.bits = width <= UINT16_MAX ? (uint16_t)width : 0;
        *(struct member *)array_add(&reader->model->members) = row;
    } while (dwarf_siblingof(&child, &child) == 0);
}

static void describe_descriptor(struct debug_reader *reader, struct unit_context *unit, struct facts *facts,
                                struct type *row)
{
    Dwarf_Attribute *place = FACT(facts, data_location);
    Dwarf_Attribute *exists = FACT(facts, allocated) ? FACT(facts, allocated) : FACT(facts, associated);
    if (place)
        row->data_location = expression_of(reader, unit, place);
    if (exists)
        row->allocated = expression_of(reader, unit, exists);
    row->is_descriptor = place || exists;
    row->is_associated = FACT(facts, associated) && !FACT(facts, allocated);
}

/* A string whose length is a variable: its location becomes the single dimension. */
static void describe_string(struct debug_reader *reader, struct unit_context *unit, struct facts *facts,
                            uint32_t type)
{
    struct dimension row = {.type = type, .position = 1, .lower = 1, .count = -1};
    if (!FACT(facts, string_length))
        return;
    row.count_expression = expression_of(reader, unit, FACT(facts, string_length));
    row.count_kind = count_kind_PLACE_OF_LENGTH;
    *(struct dimension *)array_add(&reader->model->dimensions) = row;
}

static void describe(struct debug_reader *reader, struct pending_type *pending)
{
    struct facts facts;
    struct unit_context *unit = debug_context_of(reader, pending->die.cu);
    int tag = dwarf_tag(&pending->die);
    const char *word;
    struct type row = {.program = reader->program, .kind = (uint8_t)kind_of(tag, &word)};
    if (debug_facts(reader, &pending->die, &facts)) {
        const char *name = debug_text(reader, FACT(&facts, name));
        row.name = model_string(reader->model, name ? name : word);
        if (!name && FACT(&facts, specification)) {
            const struct declaration *origin = debug_declaration(reader, &facts);
            row.name = origin ? origin->name : 0;
        }
        uint64_t bits = 0;
        if (!debug_number(FACT(&facts, byte_size), &row.bytes) && debug_number(FACT(&facts, bit_size), &bits))
            row.bytes = bits / 8 + (bits % 8 != 0);
        uint64_t encoding = 0;
        if (debug_number(FACT(&facts, encoding), &encoding) && row.kind == type_kind_BASE)
            row.number_format = (uint8_t)format_of(encoding);
        row.target = debug_type(reader, FACT(&facts, type));
        describe_descriptor(reader, unit, &facts, &row);
        if (row.kind == type_kind_POINTER && !row.bytes)
            row.bytes = reader->address_size;
        if (row.kind == type_kind_ARRAY)
            add_dimensions(reader, unit, &pending->die, &facts, pending->row);
        else if (row.kind == type_kind_STRING)
            describe_string(reader, unit, &facts, pending->row);
        else if (row.kind == type_kind_STRUCT || row.kind == type_kind_UNION)
            add_members(reader, &pending->die, pending->row);
    } else if (!reader->exhausted) {
        debug_damaged(reader, "a type of the debug information is damaged");
    }
    *model_type(reader->model, pending->row) = row;
}

void debug_finish_types(struct debug_reader *reader)
{
    while (reader->next_pending < reader->pending_types.count) {
        struct pending_type pending =
            *ARRAY_AT(struct pending_type, &reader->pending_types, reader->next_pending);
        reader->next_pending++;
        describe(reader, &pending);
    }
    reader->pending_types.count = reader->next_pending = 0;
}

/* Number of elements of an array type; UINT64_MAX if it is not constant. */
static uint64_t element_count(const struct model *model, uint32_t type)
{
    size_t low = array_first_not_below(&model->dimensions, 0, offsetof(struct dimension, type), type);
    uint64_t count = 1;
    bool any = false;
    for (; low < model->dimensions.count && model_dimension(model, (uint32_t)low)->type == type; low++) {
        const struct dimension *row = model_dimension(model, (uint32_t)low);
        if (row->count < 0 || row->stride || __builtin_mul_overflow(count, (uint64_t)row->count, &count))
            return UINT64_MAX;
        any = true;
    }
    return any ? count : UINT64_MAX;
}

static bool needs_size(const struct type *row)
{
    return !row->bytes && row->target && !row->is_descriptor &&
           (row->kind == type_kind_TYPEDEF || row->kind == type_kind_QUALIFIED ||
            row->kind == type_kind_ARRAY);
}

void debug_size_types(struct debug_reader *reader, uint32_t first)
{
    struct model *model = reader->model;
    enum { MOST_CHAIN = 64 };
    for (uint32_t id = first; id < model->types.count; id++) {
        uint32_t chain[MOST_CHAIN], at = id;
        unsigned length = 0;
        while (length < MOST_CHAIN && needs_size(model_type(model, at))) {
            chain[length++] = at;
            at = model_type(model, at)->target;
        }
        uint64_t bytes = length == MOST_CHAIN ? 0 : model_type(model, at)->bytes;
        while (length-- > 0 && bytes) {
            struct type *row = model_type(model, chain[length]);
            if (row->kind == type_kind_ARRAY) {
                uint64_t count = element_count(model, chain[length]);
                if (count == UINT64_MAX || __builtin_mul_overflow(count, bytes, &bytes))
                    bytes = 0;
            }
            row->bytes = bytes;
        }
    }
}
