/* The effects of directives in IA-64 listings.  Other directives only get a row in the table directives: they
   are for unwinding, for the linker or for the assembler's own checks. */
#include "code/read/ia64/listing.h"

#include <stdlib.h>
#include <string.h>

typedef void (*action)(struct ia64_listing *listing, struct words name, struct words operands);

static void do_section(struct ia64_listing *listing, struct words name, struct words operands)
{
    (void)name;
    /* .section .text, "ax", "progbits" or, as HP writes it, .section .text = "ax", "progbits" */
    struct words section = listing_split(&operands, ',');
    const char *equals = memchr(section.start, '=', section.length);
    struct words flags = equals ? (struct words){equals, section.length - (size_t)(equals - section.start)}
                                : listing_split(&operands, ',');
    if (equals)
        section.length = (size_t)(equals - section.start);
    listing_enter_section(listing, listing_bare(section), flags);
}

static void do_named_section(struct ia64_listing *listing, struct words name, struct words operands)
{
    (void)operands;
    listing_enter_section(listing, name, (struct words){0});
}

static void do_push_section(struct ia64_listing *listing, struct words name, struct words operands)
{
    if (listing->section_stack.count < 1000)
        *(uint32_t *)array_add(&listing->section_stack) = listing->section;
    do_section(listing, name, operands);
}

static void go_to_section(struct ia64_listing *listing, uint32_t section)
{
    if (section >= listing->sections.count || section == listing->section)
        return;
    listing_imply_stop(listing);
    listing_finish_bundle(listing);
    listing->previous_section = listing->section;
    listing->section = section;
}

static void do_pop_section(struct ia64_listing *listing, struct words name, struct words operands)
{
    (void)name;
    (void)operands;
    if (listing->section_stack.count)
        go_to_section(listing, *ARRAY_AT(uint32_t, &listing->section_stack, --listing->section_stack.count));
}

static void do_previous(struct ia64_listing *listing, struct words name, struct words operands)
{
    (void)name;
    (void)operands;
    go_to_section(listing, listing->previous_section);
}

static void do_proc(struct ia64_listing *listing, struct words name, struct words operands)
{
    (void)name;
    listing_begin_procedure(listing, operands);
}

static bool is_open(const struct ia64_listing *listing, string_id name)
{
    for (size_t i = 0; i < listing->entries.count; i++)
        if (*ARRAY_AT(string_id, &listing->entries, i) == name)
            return true;
    return false;
}

/* .endp of a procedure inside which another one began: the inner one continues. */
static void do_endp(struct ia64_listing *listing, struct words name, struct words operands)
{
    (void)name;
    struct words first = listing_bare(listing_split(&operands, ','));
    uint32_t number = listing_map_find(
        &listing->name_of, strings_find_length(&listing->model->strings, first.start, first.length));
    const struct listing_name *row =
        number ? ARRAY_AT(struct listing_name, &listing->names, number - 1) : NULL;
    if (!row || !row->is_function || row->address == NO_ADDRESS || is_open(listing, row->name))
        listing_end_procedure(listing);
}

static void do_global(struct ia64_listing *listing, struct words name, struct words operands)
{
    (void)name;
    while (operands.length) {
        struct words one = listing_bare(listing_split(&operands, ','));
        if (one.length)
            listing_name(listing, one)->is_global = true;
    }
}

static void do_type(struct ia64_listing *listing, struct words name, struct words operands)
{
    (void)name;
    struct words symbol = listing_bare(listing_split(&operands, ','));
    struct words type = listing_trim(operands);
    if (symbol.length && type.length > 1 &&
        (listing_equals((struct words){type.start + 1, type.length - 1}, "function")))
        listing_name(listing, symbol)->is_function = true;
}

static void do_assign(struct ia64_listing *listing, struct words name, struct words operands)
{
    (void)name;
    struct words symbol = listing_bare(listing_split(&operands, ','));
    listing_assign(listing, symbol, listing_trim(operands), false);
}

static void do_rotate(struct ia64_listing *listing, struct words name, struct words operands)
{
    listing_rotate(listing, name.start[4], operands);
}

static void do_regstk(struct ia64_listing *listing, struct words name, struct words operands)
{
    (void)name;
    int64_t ins, locals;
    if (listing_evaluate(listing, listing_split(&operands, ','), &ins) &&
        listing_evaluate(listing, listing_split(&operands, ','), &locals) && ins >= 0 && ins <= 96 &&
        locals >= 0 && locals <= 96)
        listing_set_frame(listing, (unsigned)ins, (unsigned)locals);
}

static void do_align(struct ia64_listing *listing, struct words name, struct words operands)
{
    (void)name;
    (void)operands;
    listing_end_bundle(listing);
    listing_imply_stop(listing);
}

/* A path in a listing, made absolute if the text has the directory. */
static uint32_t file_row(struct ia64_listing *listing, struct words path)
{
    string_id id = listing_intern(listing, listing_bare(path));
    return id ? model_file_id(listing->model, model_text(listing->model, id)) : 0;
}

/* .file "x.c", .file 1 "x.c", .file 1 "directory" "x.c" */
static void do_file(struct ia64_listing *listing, struct words name, struct words operands)
{
    (void)name;
    uint64_t number = 0;
    bool is_numbered = listing_take_number(&operands, &number);
    operands = listing_trim(operands);
    const char *quote = operands.length ? memchr(operands.start + 1, '"', operands.length - 1) : NULL;
    struct words first = {operands.start, quote ? (size_t)(quote + 1 - operands.start) : operands.length};
    struct words rest =
        listing_trim((struct words){operands.start + first.length, operands.length - first.length});
    uint32_t row;
    const char *end =
        rest.length > 1 && rest.start[0] == '"' ? memchr(rest.start + 1, '"', rest.length - 1) : NULL;
    if (end) {
        struct words directory = listing_bare(first), path = {rest.start + 1, (size_t)(end - rest.start) - 1};
        bool is_absolute = path.length && path.start[0] == '/';
        char *joined = memory_format("%.*s/%.*s", (int)(is_absolute ? 0 : directory.length), directory.start,
                                     (int)path.length, path.start);
        row = file_row(listing, is_absolute ? path : (struct words){joined, strlen(joined)});
        free(joined);
    } else {
        row = file_row(listing, first);
    }
    struct unit *unit = model_unit(listing->model, listing->unit);
    if (!is_numbered || (!listing->source_file && number <= 1))
        listing->source_file = row;
    if (row && (!is_numbered || !unit->name))
        unit->name = model_file(listing->model, row)->path;
    if (!is_numbered || number > 1 << 20)
        return;
    if (number >= listing->file_rows.count)
        array_add_many(&listing->file_rows, number + 1 - listing->file_rows.count);
    *ARRAY_AT(uint32_t, &listing->file_rows, number) = row;
}

static void do_loc(struct ia64_listing *listing, struct words name, struct words operands)
{
    (void)name;
    uint64_t file = 0, line = 0, column = 0;
    if (!listing_take_number(&operands, &file))
        return;
    operands = listing_trim(operands);
    if (!listing_take_number(&operands, &line))
        return;
    operands = listing_trim(operands);
    listing_take_number(&operands, &column);
    listing->loc_file = file < listing->file_rows.count ? *ARRAY_AT(uint32_t, &listing->file_rows, file) : 0;
    if (!listing->loc_file)
        listing->loc_file = listing->source_file;
    listing->loc_line = line < UINT32_MAX ? (uint32_t)line : 0;
    listing->loc_column = column < UINT32_MAX ? (uint32_t)column : 0;
}

/* .ln LINE */
static void do_line(struct ia64_listing *listing, struct words name, struct words operands)
{
    (void)name;
    uint64_t line = 0;
    if (!listing_take_number(&operands, &line) || line >= UINT32_MAX)
        return;
    listing->loc_file = listing->source_file;
    listing->loc_line = (uint32_t)line;
    listing->loc_column = 0;
}

static void do_ident(struct ia64_listing *listing, struct words name, struct words operands)
{
    (void)name;
    listing_set_producer(listing, listing_bare(operands));
}

/* Included files are not read. */
static void do_include(struct ia64_listing *listing, struct words name, struct words operands)
{
    char word[64];
    listing_note(listing, problem_kind_LISTING, operands.length ? operands.start : name.start,
                 "an included file, which is not read: '%s'", listing_word(word, listing_bare(operands)));
}

static void do_skip(struct ia64_listing *listing, struct words name, struct words operands)
{
    (void)name;
    int64_t size = 0;
    if (listing_evaluate(listing, listing_split(&operands, ','), &size) && size > 0)
        listing_skip_data(listing, (uint64_t)size);
}

/* .fill count, size, value */
static void do_fill(struct ia64_listing *listing, struct words name, struct words operands)
{
    (void)name;
    int64_t count = 0, size = 1;
    if (!listing_evaluate(listing, listing_split(&operands, ','), &count) || count <= 0)
        return;
    if (operands.length)
        listing_evaluate(listing, listing_split(&operands, ','), &size);
    if (size > 0 && size <= 8)
        listing_skip_data(listing, count < INT64_MAX / 8 ? (uint64_t)(count * size) : (uint64_t)count);
}

static uint64_t count_operands(struct words operands)
{
    uint64_t count = 0;
    while (operands.length) {
        listing_split(&operands, ',');
        count++;
    }
    return count;
}

static void do_data(struct ia64_listing *listing, struct words name, struct words operands)
{
    if (!listing_section_now(listing)->is_code)
        return;
    size_t at = 0;
    while (at < name.length && !is_digit(name.start[at]))
        at++;
    uint64_t each = 1;
    struct words digits = {name.start + at, name.length - at};
    listing_take_number(&digits, &each);
    listing_skip_data(listing, each <= 16 ? each * count_operands(operands) : 16);
}

static const struct named_action {
    const char *name;
    action action;
} actions[] = {
    {".2byte", do_data},
    {".4byte", do_data},
    {".8byte", do_data},
    {".align", do_align},
    {".ascii", do_data},
    {".asciz", do_data},
    {".balign", do_align},
    {".bss", do_named_section},
    {".byte", do_data},
    {".data", do_named_section},
    {".double", do_data},
    {".endp", do_endp},
    {".equ", do_assign},
    {".equiv", do_assign},
    {".eqv", do_assign},
    {".file", do_file},
    {".fill", do_fill},
    {".float", do_data},
    {".global", do_global},
    {".globl", do_global},
    {".hword", do_data},
    {".ident", do_ident},
    {".incbin", do_include},
    {".include", do_include},
    {".int", do_data},
    {".ln", do_line},
    {".loc", do_loc},
    {".long", do_data},
    {".octa", do_data},
    {".org", do_align},
    {".p2align", do_align},
    {".popsection", do_pop_section},
    {".previous", do_previous},
    {".proc", do_proc},
    {".pushsection", do_push_section},
    {".quad", do_data},
    {".regstk", do_regstk},
    {".rodata", do_named_section},
    {".rotf", do_rotate},
    {".rotp", do_rotate},
    {".rotr", do_rotate},
    {".sbss", do_named_section},
    {".sdata", do_named_section},
    {".section", do_section},
    {".set", do_assign},
    {".short", do_data},
    {".single", do_data},
    {".skip", do_skip},
    {".sleb128", do_data},
    {".space", do_skip},
    {".string", do_data},
    {".text", do_named_section},
    {".type", do_type},
    {".uleb128", do_data},
    {".value", do_data},
    {".weak", do_global},
    {".word", do_data},
    {".zero", do_skip},
};

bool listing_is_data(struct words name)
{
    static const char *const stems[] = {"data1", "data2",  "data4",  "data8",  "data16", "real4",
                                        "real8", "real10", "real16", "string", "stringz"};
    const char *dot = memchr(name.start, '.', name.length);
    struct words stem = {name.start, dot ? (size_t)(dot - name.start) : name.length};
    if (stem.length < 5 || (name.start[0] != 'd' && name.start[0] != 'r' && name.start[0] != 's'))
        return false;
    for (size_t i = 0; i < sizeof stems / sizeof *stems; i++)
        if (listing_equals(stem, stems[i]))
            return true;
    return false;
}

void listing_directive(struct ia64_listing *listing, struct words name, struct words operands)
{
    if (name.start[0] != '.') {
        do_data(listing, name, operands);
        return;
    }
    size_t count = sizeof actions / sizeof *actions;
    const struct named_action *known = bisect_named(actions, count, sizeof *actions, name.start, name.length);
    if (known)
        known->action(listing, name, operands);
}
