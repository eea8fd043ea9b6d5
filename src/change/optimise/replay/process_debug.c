/* What the debug information says about a captured call: the type of its result, what its arguments point to,
   and the types of variables.  Without it a replay compares memory alone, and guesses what is a number.

   Arguments are given to registers by the plain rules of both calling conventions: integers and pointers in
   order, floating-point numbers in order, the rest on the stack.  A function with structures among its
   arguments is left alone after the first of them. */
#include "change/optimise/replay/draft.h"

#include "base/bisect.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_ALIASES = 40, MOST_VARIABLES = 200000, MOST_DEPTH = 8 };

#ifdef __aarch64__
enum { INTEGER_REGISTERS = 8, VECTOR_REGISTERS = 8 };
#else
enum { INTEGER_REGISTERS = 6, VECTOR_REGISTERS = 8 };
#endif

struct meaning {
    enum { meaning_NONE, meaning_NUMBER, meaning_POINTER, meaning_OTHER } form;
    enum codelet_kind kind;
    uint32_t bytes;   /* of an element */
    uint64_t size;    /* of all of it; 0: not known */
    bool is_complex;  /* two numbers of bytes each */
    Dwarf_Die target; /* of a pointer; offset 0: none */
    bool has_target;
};

static bool type_of(Dwarf_Die *die, Dwarf_Die *type)
{
    Dwarf_Attribute attribute;
    return dwarf_attr_integrate(die, DW_AT_type, &attribute) && dwarf_formref_die(&attribute, type);
}

static uint64_t size_of(Dwarf_Die *die)
{
    Dwarf_Word size = 0;
    return dwarf_aggregate_size(die, &size) ? 0 : size;
}

static struct meaning meaning_of_base(Dwarf_Die *type)
{
    Dwarf_Attribute attribute;
    Dwarf_Word encoding = 0;
    uint32_t bytes = (uint32_t)size_of(type);
    struct meaning meaning = {.form = meaning_NUMBER, .kind = codelet_INTEGER, .bytes = bytes, .size = bytes};
    if (dwarf_attr(type, DW_AT_encoding, &attribute))
        dwarf_formudata(&attribute, &encoding);
    if (encoding == DW_ATE_complex_float) {
        meaning.is_complex = true;
        meaning.bytes = bytes / 2;
    }
    if (encoding == DW_ATE_float || encoding == DW_ATE_complex_float)
        meaning.kind = meaning.bytes == 4   ? codelet_FLOAT
                       : meaning.bytes == 8 ? codelet_DOUBLE
                                            : codelet_LONG_DOUBLE;
    return meaning;
}

/* Through names and qualifiers; of an array the element's. */
static struct meaning meaning_of(Dwarf_Die type)
{
    uint64_t size = 0;
    for (unsigned i = 0; i < MOST_ALIASES; i++) {
        int tag = dwarf_tag(&type);
        Dwarf_Die next;
        if (tag == DW_TAG_base_type) {
            struct meaning meaning = meaning_of_base(&type);
            meaning.size = size ? size : meaning.size;
            return meaning;
        }
        if (tag == DW_TAG_enumeration_type)
            return (struct meaning){.form = meaning_NUMBER,
                                    .kind = codelet_INTEGER,
                                    .bytes = (uint32_t)size_of(&type),
                                    .size = size ? size : size_of(&type)};
        if (tag == DW_TAG_pointer_type || tag == DW_TAG_reference_type ||
            tag == DW_TAG_rvalue_reference_type) {
            struct meaning meaning = {
                .form = meaning_POINTER, .kind = codelet_INTEGER, .bytes = 8, .size = size ? size : 8};
            meaning.has_target = type_of(&type, &meaning.target);
            return meaning;
        }
        bool is_alias = tag == DW_TAG_typedef || tag == DW_TAG_const_type || tag == DW_TAG_volatile_type ||
                        tag == DW_TAG_restrict_type || tag == DW_TAG_atomic_type || tag == DW_TAG_array_type;
        if (tag == DW_TAG_array_type && !size)
            size = size_of(&type);
        if (!is_alias || !type_of(&type, &next))
            break;
        type = next;
    }
    return (struct meaning){
        .form = meaning_OTHER, .kind = codelet_UNKNOWN, .size = size ? size : size_of(&type)};
}

static void add_result(struct codelet_header *header, unsigned slot, unsigned bytes, enum codelet_kind kind)
{
    header->results[header->result_count++] =
        (struct codelet_result){.slot = (uint8_t)slot, .bytes = (uint8_t)bytes, .kind = (uint8_t)kind};
}

static void take_result(struct codelet_header *header, Dwarf_Die *function)
{
    Dwarf_Die type;
    header->result_count = 0;
    if (!type_of(function, &type))
        return;
    struct meaning meaning = meaning_of(type);
    bool is_real = meaning.kind == codelet_FLOAT || meaning.kind == codelet_DOUBLE;
    bool is_vector_like = is_real || (meaning.kind == codelet_LONG_DOUBLE && INTEGER_REGISTERS == 8);
    if (meaning.form == meaning_POINTER ||
        (meaning.form == meaning_NUMBER && meaning.kind == codelet_INTEGER)) {
        for (unsigned done = 0; done < meaning.bytes && done < 16; done += 8)
            add_result(header, codelet_FIRST_INTEGER + done / 8,
                       meaning.bytes - done < 8 ? meaning.bytes - done : 8, codelet_INTEGER);
    } else if (meaning.form == meaning_NUMBER && is_vector_like) {
        bool is_packed = meaning.is_complex && meaning.kind == codelet_FLOAT && INTEGER_REGISTERS == 6;
        add_result(header, codelet_FIRST_VECTOR, is_packed ? 8 : meaning.bytes, meaning.kind);
        if (meaning.is_complex && !is_packed)
            add_result(header, codelet_FIRST_VECTOR + 1, meaning.bytes, meaning.kind);
    } else if (meaning.form == meaning_NUMBER && meaning.kind == codelet_LONG_DOUBLE && !meaning.is_complex) {
        add_result(header, codelet_X87, 10, meaning.kind);
    } else if (meaning.size <= 16) {
        header->result_count = CODELET_RESULT_UNKNOWN; /* a structure in registers */
    }
}

static uint64_t integer_argument(const struct draft *draft, unsigned number)
{
#ifdef __aarch64__
    return draft->registers.aarch64.x[number];
#else
    const struct codelet_x86 *registers = &draft->registers.x86;
    const uint64_t values[] = {registers->rdi, registers->rsi, registers->rdx,
                               registers->rcx, registers->r8,  registers->r9};
    return values[number];
#endif
}

static void add_object(struct draft *draft, const char *name, uint64_t address, const struct meaning *meaning,
                       uint64_t size, uint32_t argument)
{
    if (address)
        *(struct codelet_object *)array_push(&draft->objects) =
            (struct codelet_object){.address = address,
                                    .size = size,
                                    .name = draft_name(draft, name),
                                    .argument = argument,
                                    .kind = meaning->kind,
                                    .bytes = meaning->bytes};
}

/* What pointers among the arguments point to. Which of them are on the stack is counted alone. */
static void take_arguments(struct draft *draft, Dwarf_Die *function)
{
    Dwarf_Die child, type;
    unsigned integers = 0, vectors = 0, number = 0;
    bool is_clear = true;
    for (int more = dwarf_child(function, &child); !more; more = dwarf_siblingof(&child, &child)) {
        if (dwarf_tag(&child) != DW_TAG_formal_parameter || !type_of(&child, &type))
            continue;
        number++;
        struct meaning meaning = meaning_of(type);
        bool is_real = meaning.form == meaning_NUMBER && meaning.kind != codelet_INTEGER;
        if (meaning.form == meaning_OTHER || meaning.is_complex || meaning.kind == codelet_LONG_DOUBLE ||
            meaning.size > 8)
            is_clear = false;
        if (is_real ? vectors++ >= VECTOR_REGISTERS : integers >= INTEGER_REGISTERS)
            draft->header.stack_arguments += 8;
        else if (!is_real && is_clear && meaning.form == meaning_POINTER) {
            struct meaning target = meaning.has_target ? meaning_of(meaning.target) : (struct meaning){0};
            add_object(draft, dwarf_diename(&child), integer_argument(draft, integers), &target, 0, number);
        }
        integers += !is_real;
    }
#ifndef __aarch64__
    if (draft->header.stack_arguments)
        draft->header.stack_arguments += 8; /* the return address lies below them */
#endif
}

/* The symbol NAME.N at this address is the static variable of a function. */
static void note_owner(struct draft *draft, const char *name, uint64_t address, const char *function)
{
    struct bisection search = {0, draft->symbols.count};
    size_t length = strlen(name);
    while (bisect(&search)) {
        const struct codelet_symbol *middle = ARRAY_AT(struct codelet_symbol, &draft->symbols, search.middle);
        bisect_past(&search, strcmp(draft_text(draft, middle->name), name) < 0);
    }
    for (size_t i = search.first; i < draft->symbols.count; i++) {
        struct codelet_symbol *symbol = ARRAY_AT(struct codelet_symbol, &draft->symbols, i);
        const char *text = draft_text(draft, symbol->name);
        if (strncmp(text, name, length))
            return;
        if (text[length] == '.' && symbol->address == address && symbol->module == draft->header.module &&
            symbol->kind == codelet_DATA && !symbol->function)
            symbol->function = draft_name(draft, function);
    }
}

/* function: it is inside of that; NULL: of none. */
static void take_variable(struct draft *draft, Dwarf_Die *die, uint64_t bias, const char *function)
{
    Dwarf_Attribute attribute;
    Dwarf_Op *operations;
    size_t count;
    Dwarf_Die type;
    if (!dwarf_attr_integrate(die, DW_AT_location, &attribute) ||
        dwarf_getlocation(&attribute, &operations, &count) || count != 1 ||
        operations[0].atom != DW_OP_addr || !operations[0].number || !type_of(die, &type))
        return;
    struct meaning meaning = meaning_of(type);
    const char *name = dwarf_diename(die);
    if (name && meaning.size && draft->objects.count < MOST_VARIABLES)
        add_object(draft, name, operations[0].number + bias, &meaning, meaning.size, 0);
    if (name && function)
        note_owner(draft, name, operations[0].number + bias, function);
}

/* The function; variables of files, modules and namespaces, and static ones of functions. */
static void walk(struct draft *draft, Dwarf_Die *parent, uint64_t bias, const char *function, unsigned depth)
{
    Dwarf_Die child;
    for (int more = dwarf_child(parent, &child); !more; more = dwarf_siblingof(&child, &child)) {
        int tag = dwarf_tag(&child);
        Dwarf_Addr address;
        if (tag == DW_TAG_subprogram && !dwarf_entrypc(&child, &address) &&
            address + bias == draft->header.entry) {
            take_result(&draft->header, &child);
            take_arguments(draft, &child);
        }
        if (tag == DW_TAG_variable)
            take_variable(draft, &child, bias, function);
        else if (depth < MOST_DEPTH &&
                 (tag == DW_TAG_namespace || tag == DW_TAG_module || tag == DW_TAG_subprogram ||
                  tag == DW_TAG_lexical_block || tag == DW_TAG_common_block))
            walk(draft, &child, bias, tag == DW_TAG_subprogram ? dwarf_diename(&child) : function, depth + 1);
    }
}

static int by_address(const void *left, const void *right)
{
    const struct codelet_object *a = left, *b = right;
    if (a->address != b->address)
        return a->address < b->address ? -1 : 1;
    return (a->argument > b->argument) - (a->argument < b->argument);
}

static void read_units(struct draft *draft, Dwarf *debug, uint64_t bias)
{
    Dwarf_CU *unit = NULL;
    Dwarf_Die root;
    while (!dwarf_get_units(debug, unit, &unit, NULL, NULL, &root, NULL))
        walk(draft, &root, bias, NULL, 0);
}
void draft_take_debug(struct draft *draft)
{
    const struct codelet_module *module =
        ARRAY_AT(struct codelet_module, &draft->modules, draft->header.module);
    int file = open(draft_text(draft, module->name), O_RDONLY | O_CLOEXEC);
    Dwarf *debug = file < 0 ? NULL : dwarf_begin(file, DWARF_C_READ);
    if (debug) {
        read_units(draft, debug, module->bias);
        dwarf_end(debug);
    }
    if (file >= 0)
        close(file);
    if (draft->objects.count)
        qsort(draft->objects.data, draft->objects.count, sizeof(struct codelet_object), by_address);
}
