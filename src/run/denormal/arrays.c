/* The arrays of a program, from its variables, as a list for the tracer
   (runtime/denormal-trace/array_list_file.h).

   A variable is examined by its type: the floating-point arrays that it is or holds, the pointers and
   descriptors in it that lead to some, and, one level behind a pointer to a structure, the same again.
   Scalars are not arrays; variables without floating-point data and those of the compiler or its library
   (names that begin with two underscores) are left out.

   Types come from debug information, which may be damaged: chains of names, nesting, the entries of one
   variable and the whole list have limits. */
#include "run/denormal/parts.h"

#include "run/denormal/layout.h"
#include "run/denormal/saved.h"

#include "runtime/denormal-trace/array_list_file.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_NAMES = 32,   /* typedef of typedef … */
    MOST_DEPTH = 8,    /* structures in structures */
    MOST_DATA = 48,    /* of one variable */
    MOST_STEPS = 2000, /* members and elements that are looked at for one variable */
    MOST_PLACES = 64,  /* of one variable */
    MOST_ELEMENTS = 16 /* of an array of pointers or structures that are listed one by one */
};
/* The tracer reads no more than twice this. */
static const long MOST_BYTES = 32 << 20;

struct walk {
    const struct model *model;
    const struct denormal_layout *layout;
    struct error *error; /* of the layout, the first */
    FILE *out;
    bool is_fortran;
    unsigned data, steps;
};

/* Where in a variable something lies. */
struct spot {
    int64_t indirect;
    uint64_t target_bytes;
    uint64_t offset;
    char name[ARRAY_LIST_NAME];
};

struct content {
    const char *name;
    uint64_t bytes;
    unsigned value_bytes;
};

static const struct type *plain(const struct model *model, uint32_t id)
{
    for (unsigned i = 0; i < MOST_NAMES && id && id < model->types.count; i++) {
        const struct type *type = model_type(model, id);
        if (type->kind != type_kind_TYPEDEF && type->kind != type_kind_QUALIFIED)
            return type;
        id = type->target;
    }
    return NULL;
}

static uint32_t id_of(const struct model *model, const struct type *type)
{
    return (uint32_t)(type - (const struct type *)model->types.data);
}

/* Rows of a LINK table that belong to a type: *first, and their number. */
static size_t rows_of(const struct array *table, size_t offset, uint32_t type, size_t *first)
{
    *first = array_first_not_below(table, 0, offset, type);
    size_t end = array_first_not_below(table, *first, offset, type + 1);
    return end - *first;
}

static size_t members_of(const struct model *model, const struct type *type, size_t *first)
{
    return rows_of(&model->members, offsetof(struct member, type), id_of(model, type), first);
}

static bool is_number(const struct type *type)
{
    return type && type->kind == type_kind_BASE &&
           (type->number_format == number_format_FLOAT || type->number_format == number_format_COMPLEX);
}

static unsigned value_bytes_of(const struct type *type)
{
    uint64_t bytes = type->number_format == number_format_COMPLEX ? type->bytes / 2 : type->bytes;
    return bytes == 4 || bytes == 8 ? (unsigned)bytes : 0;
}

/* Floating-point numbers among the members of a structure; value_bytes: 0 if they differ. false: none. */
static bool has_numbers(struct walk *walk, const struct type *type, unsigned depth, unsigned *value_bytes)
{
    size_t first, count = members_of(walk->model, type, &first);
    bool is_found = false;
    for (size_t i = 0; i < count && walk->steps < MOST_STEPS; i++) {
        walk->steps++;
        const struct type *inner =
            plain(walk->model, model_member(walk->model, (uint32_t)(first + i))->member_type);
        while (inner && inner->kind == type_kind_ARRAY && !inner->is_descriptor && walk->steps++ < MOST_STEPS)
            inner = plain(walk->model, inner->target);
        unsigned bytes = 0;
        bool has_some = is_number(inner);
        if (has_some)
            bytes = value_bytes_of(inner);
        else if (inner && (inner->kind == type_kind_STRUCT || inner->kind == type_kind_UNION) &&
                 depth < MOST_DEPTH)
            has_some = has_numbers(walk, inner, depth + 1, &bytes);
        if (!has_some)
            continue;
        *value_bytes = !is_found || *value_bytes == bytes ? bytes : 0;
        is_found = true;
    }
    return is_found;
}

/* What an array is made of: numbers, or structures with numbers in them. */
static bool is_element(struct walk *walk, const struct type *type, struct content *element)
{
    if (!type)
        return false;
    *element = (struct content){model_text(walk->model, type->name), type->bytes, 0};
    if (!element->name)
        element->name = "struct";
    if (!strcmp(element->name, "complex")) /* clang records no more */
        element->name = type->bytes == 8 ? "complex float" : type->bytes == 16 ? "complex double" : "complex";
    if (is_number(type))
        element->value_bytes = value_bytes_of(type);
    else if ((type->kind != type_kind_STRUCT && type->kind != type_kind_UNION) ||
             !has_numbers(walk, type, 0, &element->value_bytes))
        return false;
    return element->bytes > 0 && element->bytes <= 1 << 20;
}

/* The dimensions of an array and of arrays that it is made of, the fastest first; 0: unknown.  Returns the
   element's type. */
static const struct type *dimensions_of(struct walk *walk, const struct type *type,
                                        uint64_t dimensions[ARRAY_LIST_DIMENSIONS], unsigned *rank)
{
    *rank = 0;
    while (type && type->kind == type_kind_ARRAY && !type->is_descriptor && walk->steps++ < MOST_STEPS) {
        size_t first, count = rows_of(&walk->model->dimensions, offsetof(struct dimension, type),
                                      id_of(walk->model, type), &first);
        for (size_t i = 0; i < count; i++) {
            const struct dimension *row = model_dimension(walk->model, (uint32_t)(first + i));
            if (*rank == ARRAY_LIST_DIMENSIONS)
                return NULL;
            dimensions[(*rank)++] =
                row->count > 0 && row->count < (int64_t)1 << 40 ? (uint64_t)row->count : 0;
        }
        type = plain(walk->model, type->target);
    }
    for (unsigned i = 0; !walk->is_fortran && i < *rank / 2; i++) {
        uint64_t other = dimensions[i];
        dimensions[i] = dimensions[*rank - 1 - i];
        dimensions[*rank - 1 - i] = other;
    }
    return type;
}

/* Words of the list must not contain separators. */
static void put_text(FILE *out, const char *text)
{
    for (; *text; text++)
        fputc((unsigned char)*text < ' ' ? ' ' : *text, out);
}

static bool misfit(const struct walk *walk, const struct layout_part *part, const char *format,
                   const char *name, unsigned long long number)
{
    char *where = memory_format("%s:%u", walk->layout->path, part->line);
    if (!walk->error->set)
        error_set(walk->error, where, format, name, number);
    free(where);
    return false;
}

/* The bytes of a value, of an element and the name of its type, in a part of an array of such elements. */
static bool content_of_part(const struct walk *walk, const struct layout_part *part,
                            const struct content *element, struct content *content)
{
    unsigned own = element->value_bytes;
    bool is_plain = own && (element->bytes == own || element->bytes == 2 * own);
    bool is_complex = part->type == layout_COMPLEX;
    *content = (struct content){.value_bytes = part->type == layout_FLOAT    ? 4
                                               : part->type == layout_DOUBLE ? 8
                                                                             : own};
    content->bytes = content->value_bytes * (is_complex ? 2 : 1);
    content->name = part->type == layout_INTEGER                         ? "integer"
                    : is_complex                                         ? "complex"
                    : part->type == layout_REAL && element->bytes == own ? element->name
                    : content->value_bytes == 4                          ? "float"
                                                                         : "double";
    return is_plain ||
           misfit(walk, part, "%s is no array of plain numbers, which alone can be divided", part->name, 0);
}

/* The parts that the user has given names, after the array that they belong to. */
static void put_parts(struct walk *walk, const struct spot *spot, const struct content *element,
                      const uint64_t *dimensions, unsigned rank)
{
    const struct layout_array *array = denormal_layout_of(walk->layout, spot->name);
    uint64_t elements = rank ? 1 : 0;
    for (unsigned i = 0; i < rank; i++)
        elements *= dimensions[i];
    for (size_t i = 0; array && i < array->parts.count; i++) {
        const struct layout_part *part = ARRAY_AT(struct layout_part, &array->parts, i);
        struct content content;
        if (!content_of_part(walk, part, element, &content))
            return;
        if (elements && (part->first >= elements || part->count > elements - part->first)) {
            misfit(walk, part, "%s ends beyond the array, which has %llu elements", part->name, elements);
            return;
        }
        fprintf(walk->out, "part %llu %llu %u %llu %d ", (unsigned long long)(part->first * element->bytes),
                (unsigned long long)(part->count * element->bytes), content.value_bytes,
                (unsigned long long)content.bytes, part->type == layout_INTEGER);
        put_text(walk->out, content.name);
        fprintf(walk->out, "\t%s (%s)\n", spot->name, part->name);
    }
}

static void put_data(struct walk *walk, const struct spot *spot, char how, const struct content *element,
                     const uint64_t *dimensions, unsigned rank)
{
    if (walk->data == MOST_DATA || !spot->name[0])
        return;
    walk->data++;
    fprintf(walk->out, "data %lld %llu %c %llu %u %llu %u ", (long long)spot->indirect,
            (unsigned long long)spot->target_bytes, how, (unsigned long long)spot->offset,
            element->value_bytes, (unsigned long long)element->bytes, rank);
    for (unsigned i = 0; i < rank; i++)
        fprintf(walk->out, "%llu ", (unsigned long long)dimensions[i]);
    put_text(walk->out, element->name);
    fputc('\t', walk->out);
    put_text(walk->out, spot->name);
    fputc('\n', walk->out);
    put_parts(walk, spot, element, dimensions, rank);
}

static void take_apart(struct walk *walk, const struct type *type, const struct spot *spot, unsigned depth);

/* The library's own members (_M_impl._M_start) mean nothing to users. */
static void extend_name(struct spot *spot, const char *separator, const char *name)
{
    size_t length = strlen(spot->name);
    if (!name || !strncmp(name, "_M_", 3))
        return;
    if (snprintf(spot->name + length, sizeof spot->name - length, "%s%s", separator, name) >=
        (int)(sizeof spot->name - length))
        spot->name[0] = 0; /* too long for a name */
}

/* Of the pointers in a vector of C++ one is enough. */
static bool is_second_pointer(const char *name)
{
    return name && (!strcmp(name, "_M_finish") || !strcmp(name, "_M_end_of_storage"));
}

static void take_members(struct walk *walk, const struct type *type, const struct spot *spot,
                         const char *separator, unsigned depth)
{
    size_t first, count = members_of(walk->model, type, &first);
    for (size_t i = 0; i < count && walk->data < MOST_DATA && walk->steps < MOST_STEPS; i++) {
        const struct member *member = model_member(walk->model, (uint32_t)(first + i));
        const char *name = model_text(walk->model, member->name);
        struct spot inner = *spot;
        walk->steps++;
        if (is_second_pointer(name) || member->offset > (uint64_t)1 << 40)
            continue;
        inner.offset += member->offset;
        extend_name(&inner, separator, name);
        take_apart(walk, plain(walk->model, member->member_type), &inner, depth + 1);
    }
}

/* The structure that a pointer or descriptor leads to. */
static void take_target(struct walk *walk, const struct type *type, const struct spot *spot, unsigned depth)
{
    if (spot->indirect >= 0)
        return;
    struct spot inner = *spot;
    inner.indirect = (int64_t)spot->offset;
    inner.target_bytes = type->bytes;
    inner.offset = 0;
    take_members(walk, type, &inner, walk->is_fortran ? "%" : "->", depth);
}

static void take_pointer(struct walk *walk, const struct type *pointer, const struct spot *spot,
                         unsigned depth)
{
    const struct type *target = plain(walk->model, pointer->target);
    uint64_t dimensions[ARRAY_LIST_DIMENSIONS];
    struct content element;
    unsigned rank;
    if (target && target->kind == type_kind_POINTER) {
        if (is_element(walk, plain(walk->model, target->target), &element))
            put_data(walk, spot, 'q', &element, NULL, 0);
        return;
    }
    const struct type *inner = dimensions_of(walk, target, dimensions, &rank);
    if (is_element(walk, inner, &element)) {
        if (rank && rank < ARRAY_LIST_DIMENSIONS)
            dimensions[rank++] = 0; /* the number of rows is unknown */
        put_data(walk, spot, is_number(inner) ? 'p' : 's', &element, dimensions, rank);
    }
    if (inner && rank == 0 && (inner->kind == type_kind_STRUCT || inner->kind == type_kind_UNION))
        take_target(walk, inner, spot, depth);
}

static void take_descriptor(struct walk *walk, const struct type *array, const struct spot *spot,
                            unsigned depth)
{
    static const uint64_t none[ARRAY_LIST_DIMENSIONS];
    const struct type *target = plain(walk->model, array->target);
    struct content element;
    size_t first, rank = rows_of(&walk->model->dimensions, offsetof(struct dimension, type),
                                 id_of(walk->model, array), &first);
    if (rank <= ARRAY_LIST_DIMENSIONS && is_element(walk, target, &element))
        put_data(walk, spot, array->is_associated ? 'e' : 'd', &element, none, (unsigned)rank);
    if (target && target->kind == type_kind_STRUCT)
        take_target(walk, target, spot, depth);
}

/* An array of structures or pointers: the first few one by one. */
static void take_elements(struct walk *walk, const struct type *type, uint64_t count, const struct spot *spot,
                          unsigned depth)
{
    for (uint64_t i = 0; i < count && i < MOST_ELEMENTS && walk->data < MOST_DATA; i++) {
        struct spot inner = *spot;
        char place[32];
        inner.offset += i * type->bytes;
        snprintf(place, sizeof place, walk->is_fortran ? "(%llu)" : "[%llu]",
                 (unsigned long long)i + walk->is_fortran);
        extend_name(&inner, "", place);
        take_apart(walk, type, &inner, depth + 1);
    }
}

static void take_array(struct walk *walk, const struct type *array, const struct spot *spot, unsigned depth)
{
    uint64_t dimensions[ARRAY_LIST_DIMENSIONS];
    struct content element;
    unsigned rank;
    const struct type *inner = dimensions_of(walk, array, dimensions, &rank);
    if (!inner || !rank)
        return;
    if (is_element(walk, inner, &element))
        put_data(walk, spot, 'a', &element, dimensions, rank);
    if (rank == 1 && inner->kind == type_kind_POINTER && dimensions[0] > MOST_ELEMENTS) {
        struct spot table = *spot;
        table.target_bytes = dimensions[0] * inner->bytes;
        if (spot->indirect < 0 && is_element(walk, plain(walk->model, inner->target), &element))
            put_data(walk, &table, 't', &element, NULL, 0);
    } else if (!is_number(inner) && rank == 1 && inner->kind != type_kind_BASE && inner->bytes) {
        take_elements(walk, inner, dimensions[0], spot, depth);
    }
}

static void take_apart(struct walk *walk, const struct type *type, const struct spot *spot, unsigned depth)
{
    if (!type || depth > MOST_DEPTH || walk->steps >= MOST_STEPS || walk->data >= MOST_DATA)
        return;
    walk->steps++;
    switch (type->kind) {
    case type_kind_ARRAY:
        if (type->is_descriptor)
            take_descriptor(walk, type, spot, depth);
        else
            take_array(walk, type, spot, depth);
        return;
    case type_kind_POINTER:
        take_pointer(walk, type, spot, depth);
        return;
    case type_kind_STRUCT:
    case type_kind_UNION:
        take_members(walk, type, spot, walk->is_fortran ? "%" : ".", depth);
        return;
    default:
        return;
    }
}

/* Places. */

/* DWARF's number of a register that is named in the model, or -1. */
static int register_number(const char *name)
{
    static const char *const x86[] = {"rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp"};
    if (!name)
        return -1;
    for (int i = 0; i < 8; i++)
        if (!strcmp(name, x86[i]))
            return i;
    if (!strcmp(name, "sp"))
        return 31;
    if ((name[0] == 'r' || name[0] == 'x') && isdigit((unsigned char)name[1])) {
        int number = atoi(name + 1);
        return number <= 30 ? number : -1;
    }
    return -1;
}

/* "fbreg -72 deref", "breg6(rbp) -72 deref": a pointer to the variable; "reg0(rax) piece 8 …": its first word
   is in a register, and that is where pointers and descriptors hold an address. */
static bool place_of_expression(const char *text, char *how, int *number, long long *value)
{
    int end = 0;
    *number = 0;
    if (sscanf(text, "fbreg %lld deref%n", value, &end) == 1 && end && !text[end])
        *how = 'F';
    else if (sscanf(text, "breg%d(%*[a-z0-9]) %lld deref%n", number, value, &end) == 2 && end && !text[end])
        *how = 'B';
    else if (sscanf(text, "addr %llx deref%n", (unsigned long long *)value, &end) == 1 && end && !text[end])
        *how = 'A';
    else if (sscanf(text, "reg%d(%*[a-z0-9]) piece 8%n", number, &end) == 1 && end)
        *how = 'r';
    else
        return false;
    return *number >= 0 && *number < 32;
}

static bool place_of(const struct model *model, const struct location *row, char *how, int *number,
                     long long *value)
{
    *number = 0;
    *value = (long long)row->value;
    switch (row->kind) {
    case location_kind_ADDRESS:
        *how = 'a';
        return true;
    case location_kind_FRAME:
        *how = 'f';
        return true;
    case location_kind_BASED:
    case location_kind_REGISTER:
        *how = row->kind == location_kind_BASED ? 'b' : 'r';
        *number = register_number(model_text(model, row->register_name));
        return *number >= 0;
    case location_kind_EXPRESSION: {
        const char *text = model_text(model, row->expression);
        *value = 0;
        return text && place_of_expression(text, how, number, value);
    }
    default:
        return false;
    }
}

static unsigned put_places(const struct model *model, uint32_t variable, FILE *out)
{
    size_t first, count = rows_of(&model->locations, offsetof(struct location, variable), variable, &first);
    unsigned put = 0;
    for (size_t i = 0; i < count && put < MOST_PLACES; i++) {
        const struct location *row = model_location(model, (uint32_t)(first + i));
        bool is_everywhere = row->address == NO_ADDRESS;
        long long value;
        int number;
        char how;
        if (!place_of(model, row, &how, &number, &value) || (!is_everywhere && row->end <= row->address))
            continue;
        put++;
        fprintf(out, "place %llx %llx %c %d %lld\n", is_everywhere ? 0 : (unsigned long long)row->address,
                is_everywhere ? 0 : (unsigned long long)row->end, how, number, value);
    }
    return put;
}

/* Variables. */
static char kind_letter(const struct variable *variable)
{
    if (variable->common)
        return ARRAY_LIST_COMMON;
    switch (variable->kind) {
    case variable_kind_GLOBAL:
        return ARRAY_LIST_GLOBAL;
    case variable_kind_STATIC:
        return ARRAY_LIST_STATIC;
    case variable_kind_PARAMETER:
        return ARRAY_LIST_PARAMETER;
    default:
        return ARRAY_LIST_LOCAL;
    }
}

static bool is_fortran(const struct model *model, uint32_t unit)
{
    return unit && model_unit(model, unit)->language == language_FORTRAN;
}

/* The lines of a variable, or nothing if it leads to no numbers or its place is unknown. */
static void put_variable(const struct model *model, const struct denormal_layout *layout, uint32_t id,
                         FILE *out, struct error *error)
{
    const struct variable *variable = model_variable(model, id);
    const char *name = model_text(model, variable->name);
    if (!name || !name[0] || !strncmp(name, "__", 2) || strlen(name) >= ARRAY_LIST_NAME)
        return;
    char *text = NULL;
    size_t size = 0;
    FILE *buffer = open_memstream(&text, &size);
    if (!buffer)
        return;
    struct walk walk = {.model = model,
                        .layout = layout,
                        .error = error,
                        .out = buffer,
                        .is_fortran = is_fortran(model, variable->unit)};
    struct spot spot = {.indirect = -1};
    snprintf(spot.name, sizeof spot.name, "%s", name);
    fprintf(buffer, "variable %u %c ", id, kind_letter(variable));
    put_text(buffer, name);
    fputc('\n', buffer);
    unsigned places = put_places(model, id, buffer);
    if (places)
        take_apart(&walk, plain(model, variable->type), &spot, 0);
    fclose(buffer);
    if (walk.data)
        fwrite(text, 1, size, out);
    free(text);
}

struct owned {
    uint32_t program, function, id; /* id 0: the function itself */
    uint64_t address;
};

static int by_owner(const void *left, const void *right)
{
    const struct owned *a = left, *b = right;
    if (a->program != b->program)
        return a->program < b->program ? -1 : 1;
    if (a->address != b->address)
        return a->address < b->address ? -1 : 1;
    if (a->function != b->function)
        return a->function < b->function ? -1 : 1;
    return (a->id > b->id) - (a->id < b->id);
}

/* Functions and variables in order of the functions' addresses; variables of no function first, and statics
   of functions with them, because they always exist. */
static struct array order_of(const struct model *model)
{
    struct array order = ARRAY_OF(struct owned);
    for (uint32_t id = 1; id < model->variables.count; id++) {
        const struct variable *variable = model_variable(model, id);
        bool is_local = variable->kind == variable_kind_LOCAL || variable->kind == variable_kind_PARAMETER;
        uint32_t function = is_local ? variable->function : 0;
        if (is_local && (!function || model_function(model, function)->address == NO_ADDRESS))
            continue;
        uint64_t address = function ? model_function(model, function)->address : 0;
        *(struct owned *)array_push(&order) = (struct owned){variable->program, function, id, address};
    }
    for (uint32_t id = 1; id < model->functions.count; id++) {
        const struct function *function = model_function(model, id);
        if (function->address != NO_ADDRESS && function->address &&
            model_program(model, function->program)->has_debug)
            *(struct owned *)array_push(&order) = (struct owned){function->program, id, 0, function->address};
    }
    if (order.count)
        qsort(order.data, order.count, order.width, by_owner);
    return order;
}

static void put_module(const struct model *model, uint32_t program, FILE *out)
{
    const char *path = model_text(model, model_program(model, program)->path);
    char *real = path ? realpath(path, NULL) : NULL;
    fputs("module ", out);
    put_text(out, real ? real : path ? path : "?");
    fputc('\n', out);
    free(real);
}

static void put_function(const struct model *model, uint32_t function, struct saved_reader *saved, FILE *out)
{
    if (!function) {
        fputs("function 0 0 -\n", out);
        return;
    }
    const struct function *row = model_function(model, function);
    const char *name = model_text(model, row->name);
    fprintf(out, "function %llx %llx ", (unsigned long long)row->address,
            (unsigned long long)(row->address + row->size));
    put_text(out, name ? name : "-");
    fputc('\n', out);
    saved_put(saved, row->address, row->address + row->size, out);
}

static void put_all(const struct model *model, const struct denormal_layout *layout, FILE *out,
                    struct error *error)
{
    struct array order = order_of(model);
    struct saved_reader *saved = NULL;
    uint32_t program = 0, function = UINT32_MAX;
    for (size_t i = 0; i < order.count; i++) {
        const struct owned *it = ARRAY_AT(struct owned, &order, i);
        if (it->program != program) {
            program = it->program;
            function = UINT32_MAX;
            put_module(model, program, out);
            saved_close(saved);
            saved = saved_open(model_text(model, model_program(model, program)->path));
        }
        if (it->function != function) {
            function = it->function;
            put_function(model, function, saved, out);
        }
        if (it->id)
            put_variable(model, layout, it->id, out, error);
        if (ftell(out) > MOST_BYTES) {
            fputs("and more\n", out); /* the tracer says that the list is too long */
            break;
        }
    }
    saved_close(saved);
    array_free(&order);
}

bool denormal_write_arrays(const struct model *model, const struct denormal_layout *layout, const char *path,
                           struct error *error)
{
    struct error misfit = {0};
    FILE *out = fopen(path, "we");
    if (!out)
        return error_set_errno(error, path, "cannot be written");
    fputs(ARRAY_LIST_FIRST_LINE "\n", out);
    put_all(model, layout, out, &misfit);
    bool is_done = !ferror(out);
    if (fclose(out) || !is_done)
        return error_set_errno(error, path, "cannot be written");
    return !misfit.set || error_set(error, NULL, "%s", misfit.text);
}
