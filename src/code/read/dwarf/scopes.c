/* The walk through the DIEs of a unit: functions become symbols, inlined calls become rows with their ranges,
   variables become rows with the function or inlined call that they belong to.

   The tree is walked in the order of the file with a stack of scopes on the heap, each DIE once: at the end
   of a list of children the walk continues right after it, because finding the parent's sibling from the
   parent would cost time in proportion to the depth for each DIE.  Subtrees without anything for the model
   (types, call sites) are skipped; types are described when a variable refers to them.

   A function without code is an abstract instance or a declaration: its contents count only if they have code
   or an address of their own.  If all ranges of a function are outside code, the linker dropped it. */
#include "code/read/dwarf/reader.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_DEPTH = 100000 };

static string_id known_symbol(const struct debug_reader *reader, uint64_t address)
{
    const struct array *known = &reader->known_symbols;
    size_t at = array_first_at(known, 0, offsetof(struct known_symbol, address), address);
    const struct known_symbol *symbol = array_at(known, at);
    return at < known->count && symbol->address == address ? symbol->name : 0;
}

static uint64_t entry_address(struct debug_reader *reader, struct facts *facts)
{
    const struct range *first = array_at(&reader->ranges, 0);
    Dwarf_Attribute *attributes[] = {FACT(facts, entry_pc), FACT(facts, low_pc)};
    for (int i = 0; i < 2; i++) {
        Dwarf_Addr address;
        if (!attributes[i] || dwarf_formaddr(attributes[i], &address) != 0)
            continue;
        address = debug_place(reader, address);
        for (size_t j = 0; j < reader->ranges.count; j++) {
            const struct range *range = array_at(&reader->ranges, j);
            if (address >= range->address && address < range->end)
                return address;
        }
    }
    return first->address;
}

static string_id cold_name(struct debug_reader *reader, string_id name, uint64_t address)
{
    string_id known = known_symbol(reader, address);
    if (known || !name)
        return known;
    char *cold = memory_format("%s.cold", model_text(reader->model, name));
    known = model_string(reader->model, cold);
    free(cold);
    return known;
}

/* Functions start at bundles, even if a label before the first instruction got a later slot. */
static void align_ranges(struct debug_reader *reader)
{
    for (size_t i = 0; i < reader->ranges.count && reader->has_slots; i++)
        ((struct range *)array_at(&reader->ranges, i))->address &= ~UINT64_C(15);
}

/* Assemblers describe functions without types. */
static bool is_void(const struct debug_reader *reader, const struct unit_context *unit, struct facts *facts,
                    const struct declaration *origin)
{
    unsigned language = unit->row ? model_unit(reader->model, unit->row)->language : 0;
    return language && language != language_ASSEMBLY && !FACT(facts, type) && !origin->has_type;
}

/* One symbol for each range; gives the address of the function's entry. */
static uint64_t add_symbols(struct debug_reader *reader, struct unit_context *unit, struct facts *facts)
{
    const struct declaration *found = debug_declaration(reader, facts);
    struct declaration origin = found ? *found : (struct declaration){0};
    Dwarf_Attribute *linkage = FACT(facts, linkage_name);
    const char *name = debug_text(reader, linkage ? linkage : FACT(facts, MIPS_linkage_name));
    string_id name_id = name ? model_string(reader->model, name) : origin.linkage_name;
    if (!name_id && (name = debug_text(reader, FACT(facts, name))))
        name_id = model_string(reader->model, name);
    if (!name_id)
        name_id = origin.name;
    uint64_t entry = entry_address(reader, facts);
    struct symbol row = {
        .program = reader->program,
        .origin = origin_DEBUG,
        .is_global = debug_is_set(FACT(facts, external)) || origin.is_external,
        .is_void = is_void(reader, unit, facts, &origin),
        .file = FACT(facts, decl_file) ? debug_file_row(reader, unit, FACT(facts, decl_file)) : origin.file,
        .line = FACT(facts, decl_line) ? debug_small(FACT(facts, decl_line)) : origin.line,
        .unit = unit->row,
    };
    for (size_t i = 0; i < reader->ranges.count; i++) {
        const struct range *range = array_at(&reader->ranges, i);
        bool is_main = entry >= range->address && entry < range->end;
        *(uint64_t *)array_push(&reader->function_starts) = range->address;
        row.address = range->address;
        row.size = range->end - range->address;
        row.name = is_main ? name_id : cold_name(reader, name_id, range->address);
        *(struct symbol *)model_add(&reader->model->symbols) = row;
    }
    return entry;
}

static struct frame frame_of(struct debug_reader *reader, const struct unit_context *unit,
                             struct facts *facts)
{
    struct frame frame = {0};
    struct span bytes;
    struct location place = {0};
    if (!FACT(facts, frame_base) || !debug_block(FACT(facts, frame_base), &bytes) ||
        !debug_spend(reader, bytes.size))
        return frame;
    debug_classify(reader, unit, bytes, NULL, &place);
    frame.is_register = place.kind == location_kind_REGISTER || place.kind == location_kind_BASED;
    frame.register_name = place.register_name;
    frame.offset = place.value;
    return frame;
}

static bool enter_function(struct debug_reader *reader, struct unit_context *unit, struct facts *facts,
                           struct scope *scope)
{
    bool has_code = FACT(facts, ranges) || FACT(facts, low_pc);
    if (!has_code) {
        *scope = (struct scope){.kind = SCOPE_ABSTRACT};
        return !debug_is_set(FACT(facts, declaration));
    }
    if (!debug_ranges_of(reader, unit, facts))
        return false;
    align_ranges(reader);
    *scope = (struct scope){.kind = SCOPE_FUNCTION, .function_address = add_symbols(reader, unit, facts)};
    if (!debug_ranges_are_wanted(reader)) {
        *scope = (struct scope){.kind = SCOPE_UNREAD};
        return true;
    }
    scope->frame = frame_of(reader, unit, facts);
    return true;
}

static bool enter_inlined(struct debug_reader *reader, struct unit_context *unit, struct facts *facts,
                          struct scope *scope)
{
    if (scope->kind != SCOPE_FUNCTION || !debug_ranges_of(reader, unit, facts))
        return false;
    const struct declaration *found = debug_declaration(reader, facts);
    struct declaration origin = found ? *found : (struct declaration){0};
    struct inlined_call row = {
        .program = reader->program,
        .parent = scope->inlined_call,
        .name = origin.linkage_name ? origin.linkage_name : origin.name,
        .file = origin.file,
        .line = origin.line,
        .call_file = debug_file_row(reader, unit, FACT(facts, call_file)),
        .call_line = debug_small(FACT(facts, call_line)),
        .call_column = debug_small(FACT(facts, call_column)),
        .address = NO_ADDRESS,
        .function_address = scope->function_address,
    };
    uint32_t call = (uint32_t)reader->model->inlined_calls.count;
    scope->inlined_call = call;
    scope->depth++;
    for (size_t i = 0; i < reader->ranges.count; i++) {
        const struct range *range = array_at(&reader->ranges, i);
        row.address = range->address < row.address ? range->address : row.address;
        row.end = range->end > row.end ? range->end : row.end;
        *(struct inlined_range *)array_add(&reader->inlined_ranges) =
            (struct inlined_range){range->address, range->end, call, scope->depth};
    }
    *(struct inlined_call *)model_add(&reader->model->inlined_calls) = row;
    return true;
}

static void add_entry_point(struct debug_reader *reader, struct unit_context *unit, struct facts *facts)
{
    Dwarf_Addr address;
    uint64_t end;
    if (!FACT(facts, low_pc) || dwarf_formaddr(FACT(facts, low_pc), &address) != 0 ||
        !debug_in_code(reader, debug_place(reader, address), &end))
        return;
    const char *linkage = debug_text(reader, FACT(facts, linkage_name));
    const char *name = linkage ? linkage : debug_text(reader, FACT(facts, name));
    struct symbol row = {
        .program = reader->program,
        .name = model_string(reader->model, name),
        .address = debug_place(reader, address),
        .origin = origin_DEBUG,
        .is_global = 1,
        .file = debug_file_row(reader, unit, FACT(facts, decl_file)),
        .line = debug_small(FACT(facts, decl_line)),
        .unit = unit->row,
    };
    *(struct symbol *)model_add(&reader->model->symbols) = row;
}

enum visit { VISIT_PASS, VISIT_ENTER, VISIT_DAMAGED };

/* scope is the one around the DIE, and afterwards the one inside it. */
static enum visit visit(struct debug_reader *reader, struct unit_context *unit, Dwarf_Die *die, int tag,
                        struct scope *scope)
{
    struct facts facts;
    switch (tag) {
    case DW_TAG_namespace:
    case DW_TAG_module:
    case DW_TAG_lexical_block:
    case DW_TAG_try_block:
    case DW_TAG_catch_block:
    case DW_TAG_with_stmt:
        return VISIT_ENTER;
    case DW_TAG_structure_type:
    case DW_TAG_class_type:
    case DW_TAG_union_type:
    case DW_TAG_interface_type:
        if (scope->kind == SCOPE_UNREAD)
            return VISIT_PASS;
        *scope = (struct scope){.kind = SCOPE_TYPE};
        return VISIT_ENTER;
    case DW_TAG_subprogram:
        if (!debug_facts(reader, die, &facts))
            return VISIT_DAMAGED;
        return enter_function(reader, unit, &facts, scope) ? VISIT_ENTER : VISIT_PASS;
    }
    if (scope->kind == SCOPE_TYPE || scope->kind == SCOPE_UNREAD)
        return VISIT_PASS;
    switch (tag) {
    case DW_TAG_inlined_subroutine:
    case DW_TAG_entry_point:
    case DW_TAG_common_block:
    case DW_TAG_variable:
    case DW_TAG_formal_parameter:
    case DW_TAG_constant:
        if (!debug_facts(reader, die, &facts))
            return VISIT_DAMAGED;
        break;
    default:
        return VISIT_PASS;
    }
    if (tag == DW_TAG_inlined_subroutine)
        return enter_inlined(reader, unit, &facts, scope) ? VISIT_ENTER : VISIT_PASS;
    if (tag == DW_TAG_entry_point) {
        add_entry_point(reader, unit, &facts);
        return scope->kind == SCOPE_FUNCTION ? VISIT_ENTER : VISIT_PASS;
    }
    if (tag == DW_TAG_common_block) {
        const char *name = debug_text(reader, FACT(&facts, name));
        scope->common = model_string(reader->model, name ? name : "");
        return VISIT_ENTER;
    }
    debug_variable(reader, unit, tag, &facts, scope);
    return VISIT_PASS;
}

/* End of the unit's DIEs; NULL if unknown. */
static const uint8_t *unit_end(const struct unit_context *unit)
{
    Dwarf_Die die = unit->die;
    Dwarf_Off offset = dwarf_dieoffset(&die), next;
    Dwarf_Off start = offset - dwarf_cuoffset(&die);
    size_t header;
    if (dwarf_nextcu(unit->file->dwarf, start, &next, &header, NULL, NULL, NULL) != 0 || next < offset)
        return NULL;
    struct span info = unit->file->sections[SECTION_INFO];
    const uint8_t *at = die.addr;
    if (!info.data || at < info.data || at > info.data + info.size)
        return NULL;
    return next - offset > (size_t)(info.data + info.size - at) ? info.data + info.size
                                                                : at + (next - offset);
}

void debug_walk(struct debug_reader *reader, struct unit_context *unit)
{
    const uint8_t *end = unit_end(unit);
    Dwarf_Die die, next;
    if (!end || dwarf_child(&unit->die, &die) != 0)
        return;
    struct array scopes = ARRAY_OF(struct scope);
    *(struct scope *)array_add(&scopes) = (struct scope){.kind = SCOPE_FILE};
    while (debug_spend(reader, 4)) {
        struct scope scope = *ARRAY_AT(struct scope, &scopes, scopes.count - 1);
        int tag = dwarf_tag(&die);
        enum visit what = tag == DW_TAG_invalid ? VISIT_DAMAGED : visit(reader, unit, &die, tag, &scope);
        if (what == VISIT_DAMAGED) {
            if (!reader->exhausted)
                debug_damaged(reader,
                              "a unit of the debug information is damaged; the rest of the unit was skipped");
            break;
        }
        if (what == VISIT_ENTER && scopes.count == MOST_DEPTH)
            model_note_problem(reader->model, reader->program, problem_kind_LIMIT, NO_ADDRESS, 1,
                               "the debug information is nested too deep; deeper levels were skipped");
        else if (what == VISIT_ENTER && dwarf_child(&die, &next) == 0) {
            *(struct scope *)array_add(&scopes) = scope;
            die = next;
            continue;
        }
        int found = dwarf_siblingof(&die, &next);
        if (found == 0) {
            die = next;
            continue;
        }
        if (found < 0) {
            debug_damaged(reader,
                          "a unit of the debug information is damaged; the rest of the unit was skipped");
            break;
        }
        const uint8_t *at = next.addr; /* the zero that ends the list of children */
        if (!at)
            break;
        do {
            scopes.count--;
            at++;
        } while (scopes.count && at < end && *at == 0);
        if (!scopes.count || at >= end)
            break;
        die = (Dwarf_Die){.addr = (void *)at, .cu = die.cu};
    }
    array_free(&scopes);
}
