/* Variables and their locations.

   A variable DIE that only declares (extern, a static member inside its class) gives no row: the definition
   does.  In a concrete function or inlined call, name and type come from the abstract instance.  A static
   variable of an inlined function has its address in the abstract instance: the row is made there, without a
   function, and not again in the instances. */
#include "code/read/dwarf/reader.h"

static void add_location(struct debug_reader *reader, uint32_t variable, struct location location)
{
    location.variable = variable;
    *(struct location *)model_add(&reader->model->locations) = location;
}

static const struct location everywhere = {
    .address = NO_ADDRESS, .end = NO_ADDRESS, .kind = location_kind_NONE};

static void add_list(struct debug_reader *reader, const struct unit_context *unit, Dwarf_Attribute *attribute,
                     const struct scope *scope, uint32_t variable)
{
    struct list list;
    struct range range;
    struct span expression;
    size_t first = reader->model->locations.count;
    if (!debug_list_start(unit, attribute, true, &list)) {
        debug_damaged(reader, "a list of locations is outside its section");
        add_location(reader, variable, everywhere);
        return;
    }
    while (debug_list_next(reader, &list, &range, &expression)) {
        struct location location = everywhere;
        if (range.address != 0 || range.end != UINT64_MAX) {
            if (range.address >= range.end)
                continue;
            location.address = range.address;
            location.end = range.end;
        }
        debug_classify(reader, unit, expression, &scope->frame, &location);
        add_location(reader, variable, location);
    }
    if (list.at.failed)
        debug_damaged(reader, "a list of locations is damaged");
    if (reader->model->locations.count == first)
        add_location(reader, variable, everywhere);
}

static void add_constant(struct debug_reader *reader, const struct unit_context *unit,
                         Dwarf_Attribute *attribute, uint32_t variable)
{
    struct location location = everywhere;
    struct span bytes;
    const char *text;
    if (debug_block(attribute, &bytes)) {
        if (bytes.size && bytes.size <= 8) {
            struct cursor cursor = {bytes.data, bytes.data + bytes.size, unit->file->big_endian, false};
            location.kind = location_kind_CONSTANT;
            location.value = (int64_t)cursor_number(&cursor, (unsigned)bytes.size);
        } else if (debug_spend(reader, bytes.size)) {
            location.kind = location_kind_EXPRESSION;
            location.expression = debug_block_text(reader, bytes);
        }
    } else if (debug_signed_number(attribute, &location.value)) {
        location.kind = location_kind_CONSTANT;
    } else if ((text = debug_text(reader, attribute))) {
        size_t length = 0;
        while (text[length])
            length++;
        location.kind = location_kind_EXPRESSION;
        location.expression = debug_block_text(reader, (struct span){(const uint8_t *)text, length});
    }
    add_location(reader, variable, location);
}

static void add_locations(struct debug_reader *reader, const struct unit_context *unit, struct facts *facts,
                          const struct scope *scope, const struct location *single, uint32_t variable)
{
    if (single)
        add_location(reader, variable, *single);
    else if (FACT(facts, location))
        add_list(reader, unit, FACT(facts, location), scope, variable);
    else if (FACT(facts, const_value))
        add_constant(reader, unit, FACT(facts, const_value), variable);
    else
        add_location(reader, variable, everywhere);
}

static bool has_fixed_place(const struct location *single)
{
    return single && (single->kind == location_kind_ADDRESS || single->kind == location_kind_TLS);
}

static enum variable_kind kind_of(int tag, const struct scope *scope, const struct location *single,
                                  bool is_external)
{
    if (tag == DW_TAG_formal_parameter)
        return variable_kind_PARAMETER;
    if (is_external || scope->common)
        return variable_kind_GLOBAL;
    if (scope->kind == SCOPE_FILE || scope->kind == SCOPE_ABSTRACT || has_fixed_place(single))
        return variable_kind_STATIC;
    return variable_kind_LOCAL;
}

void debug_variable(struct debug_reader *reader, struct unit_context *unit, int tag, struct facts *facts,
                    const struct scope *scope)
{
    struct span bytes;
    struct location place = everywhere;
    const struct location *single = NULL;
    if (FACT(facts, location) && debug_block(FACT(facts, location), &bytes)) {
        if (!debug_spend(reader, bytes.size))
            return;
        debug_classify(reader, unit, bytes, &scope->frame, &place);
        single = &place;
    }
    bool has_value = FACT(facts, location) || FACT(facts, const_value);
    if (debug_is_set(FACT(facts, declaration)) && !has_value)
        return;
    if (scope->kind == SCOPE_ABSTRACT && !has_fixed_place(single))
        return;
    if (scope->kind == SCOPE_FILE &&
        (tag == DW_TAG_formal_parameter || (tag == DW_TAG_constant && !has_value)))
        return;
    const struct declaration *found = debug_declaration(reader, facts);
    struct declaration origin = found ? *found : (struct declaration){0};
    if (origin.has_fixed_location && !has_value)
        return;
    const char *name = debug_text(reader, FACT(facts, name));
    string_id name_id = name ? model_string(reader->model, name) : origin.name;
    if (!name_id && tag != DW_TAG_formal_parameter)
        return;
    Dwarf_Attribute *type = FACT(facts, type) ? FACT(facts, type) : origin.has_type ? &origin.type : NULL;
    bool is_local = scope->kind == SCOPE_FUNCTION;
    struct variable row = {
        .program = reader->program,
        .unit = unit->row,
        .inlined_call = is_local ? scope->inlined_call : 0,
        .name = name_id,
        .common = scope->common,
        .kind = kind_of(tag, scope, single, debug_is_set(FACT(facts, external)) || origin.is_external),
        .type = debug_type(reader, type),
        .file = FACT(facts, decl_file) ? debug_file_row(reader, unit, FACT(facts, decl_file)) : origin.file,
        .line = FACT(facts, decl_line) ? debug_small(FACT(facts, decl_line)) : origin.line,
        .function_address = is_local ? scope->function_address : NO_ADDRESS,
    };
    *(struct variable *)model_add(&reader->model->variables) = row;
    add_locations(reader, unit, facts, scope, single, model_last(&reader->model->variables));
}
