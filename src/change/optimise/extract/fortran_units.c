/* Statements of a Fortran text, in either form, by their first words: without blanks, in small letters and
   with strings emptied, most of them say what they are.  Nothing is reserved in Fortran, so each test looks
   at the whole statement: an assignment to a variable called `end` or `do5i` is none of ours. */
#include "change/optimise/extract/fortran_units.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_WORDS = 100000, MOST_OPEN = 1000 };

struct open_do {
    size_t loop;    /* 1 + index; 0: a construct that is no loop */
    unsigned label; /* of the statement that ends it; 0: END DO */
    size_t unit;
};

struct scan {
    struct fortran_units *units;
    struct array words;   /* of char: the statement */
    struct array binding; /* of char: the last string of the statement */
    unsigned label;
    size_t first, last;
    bool is_open, is_alone;
    size_t unit;      /* 1 + index of the unit at hand */
    struct array dos; /* of struct open_do */
};

static bool starts(const char *text, const char *start)
{
    return !strncmp(text, start, strlen(start));
}

static size_t name_length(const char *text)
{
    size_t length = 0;
    if (!isalpha((unsigned char)*text))
        return 0;
    while (isalnum((unsigned char)text[length]) || text[length] == '_')
        length++;
    return length;
}

static const char *past_parentheses(const char *text)
{
    size_t depth = 0;
    do {
        depth += *text == '(';
        depth -= *text == ')';
        text++;
    } while (depth && *text);
    return text;
}

/* Past the arguments and what may stand after them; the end of the statement for a heading of a procedure.
 */
static const char *past_heading(const char *text)
{
    for (;;) {
        if (*text == '(')
            text = past_parentheses(text);
        else if (starts(text, "result(") || starts(text, "bind("))
            text = past_parentheses(text + strcspn(text, "("));
        else
            return text;
    }
}

/* The name of the procedure that a statement begins; NULL: it begins none. */
static const char *procedure_name(const char *text)
{
    static const char *const kinds[] = {"subroutine", "function"};
    for (int kind = 0; kind < 2; kind++) {
        const char *found = strstr(text, kinds[kind]);
        if (!found || starts(text, "end"))
            continue;
        bool is_prefix = true;
        for (const char *at = text; at < found && is_prefix;) {
            if (*at == '(')
                at = past_parentheses(at);
            else {
                is_prefix = isalnum((unsigned char)*at) || *at == '_' || *at == '*';
                at++;
            }
        }
        const char *name = found + strlen(kinds[kind]);
        size_t length = name_length(name);
        if (is_prefix && length && (kind == 0 || name[length] == '(') && !*past_heading(name + length))
            return name;
    }
    return NULL;
}

static struct fortran_unit *unit_at(const struct scan *scan)
{
    return scan->unit ? ARRAY_AT(struct fortran_unit, &scan->units->units, scan->unit - 1) : NULL;
}

static void begin_unit(struct scan *scan, enum unit_kind kind, const char *name)
{
    struct fortran_unit *unit = array_add(&scan->units->units);
    *unit = (struct fortran_unit){.kind = kind,
                                  .name = memory_copy_text(name, name_length(name)),
                                  .parent = scan->unit,
                                  .first = scan->first,
                                  .last = scan->last,
                                  .contains = SIZE_MAX};
    scan->unit = scan->units->units.count;
}

static void end_unit(struct scan *scan)
{
    struct fortran_unit *unit = unit_at(scan);
    if (!unit)
        return;
    unit->last = scan->last;
    scan->unit = unit->parent;
}

static bool begins_unit(struct scan *scan, const char *text)
{
    const char *name = procedure_name(text);
    if (name) {
        begin_unit(scan, unit_PROCEDURE, name);
        const char *bind = strstr(name, "bind(c");
        struct fortran_unit *unit = unit_at(scan);
        if (bind && starts(bind, "bind(c,name="))
            unit->binding = memory_copy_text(scan->binding.data, scan->binding.count);
        else if (bind)
            unit->binding = memory_copy_text(unit->name, strlen(unit->name));
        return true;
    }
    if (starts(text, "module") && !starts(text, "moduleprocedure") && name_length(text + 6) &&
        !text[6 + name_length(text + 6)])
        begin_unit(scan, unit_MODULE, text + 6);
    else if (starts(text, "program") && name_length(text + 7) && !text[7 + name_length(text + 7)])
        begin_unit(scan, unit_PROGRAM, text + 7);
    else if (starts(text, "submodule(") || starts(text, "blockdata"))
        begin_unit(scan, unit_OTHER, "");
    else if ((starts(text, "interface") || starts(text, "abstractinterface")) && !strpbrk(text, "=%"))
        begin_unit(scan, unit_INTERFACE, "");
    else
        return false;
    return true;
}

static bool ends_unit(const struct scan *scan, const char *text)
{
    static const char *const kinds[] = {"program",   "module",    "subroutine", "function",
                                        "interface", "submodule", "blockdata",  "procedure"};
    if (!starts(text, "end") || strpbrk(text, "=%"))
        return false;
    if (!text[3])
        return true;
    const struct fortran_unit *unit = unit_at(scan);
    if (unit && unit->kind == unit_INTERFACE && !starts(text, "endinterface"))
        return false;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (starts(text + 3, kinds[i]))
            return true;
    return false;
}

/* do, do while(…), do concurrent(…), do 10 i = …, do i = a, b */
static bool is_do(const char *text, unsigned *label)
{
    *label = 0;
    if (!starts(text, "do"))
        return false;
    text += 2;
    for (; isdigit((unsigned char)*text); text++)
        *label = *label < 1000000 ? *label * 10 + (unsigned)(*text - '0') : *label;
    if (*label && *text == ',')
        text++;
    if (!*text || starts(text, "while(") || starts(text, "concurrent("))
        return true;
    size_t length = name_length(text);
    if (!length || text[length] != '=')
        return false;
    for (const char *at = text + length + 1; *at; at += *at ? 1 : 0) {
        if (*at == '(')
            at = past_parentheses(at) - 1;
        else if (*at == ',')
            return true;
    }
    return false;
}

static void end_do(struct scan *scan)
{
    struct open_do *open = ARRAY_AT(struct open_do, &scan->dos, --scan->dos.count);
    if (open->loop)
        ARRAY_AT(struct fortran_do, &scan->units->loops, open->loop - 1)->last = scan->last;
}

static void take_statement(struct scan *scan)
{
    if (!scan->is_open || !scan->words.count)
        return;
    *(char *)array_push(&scan->words) = 0;
    const char *text = scan->words.data;
    size_t length = name_length(text);
    if (length && text[length] == ':' && text[length + 1] != ':')
        text += length + 1; /* the name of a construct */
    unsigned label;
    if (is_do(text, &label)) {
        struct fortran_do *loop = array_add(&scan->units->loops);
        *loop = (struct fortran_do){scan->unit, scan->first, scan->last, scan->is_alone};
        *(struct open_do *)array_push(&scan->dos) =
            (struct open_do){scan->units->loops.count, label, scan->unit};
    } else if (!strncmp(text, "enddo", 5) && !strpbrk(text, "=(%")) {
        if (scan->dos.count)
            end_do(scan);
    } else if (begins_unit(scan, text)) {
        /* done */
    } else if (ends_unit(scan, text)) {
        while (scan->dos.count &&
               ARRAY_AT(struct open_do, &scan->dos, scan->dos.count - 1)->unit == scan->unit)
            scan->dos.count--;
        end_unit(scan);
    } else if (!strcmp(text, "contains") && unit_at(scan)) {
        unit_at(scan)->contains = scan->first;
    }
    while (scan->label && scan->dos.count &&
           ARRAY_AT(struct open_do, &scan->dos, scan->dos.count - 1)->label == scan->label)
        end_do(scan);
}

static void begin_statement(struct scan *scan, size_t line, bool is_alone)
{
    take_statement(scan);
    scan->words.count = 0;
    scan->binding.count = 0;
    scan->label = 0;
    scan->is_open = true;
    scan->is_alone = is_alone;
    scan->first = scan->last = line;
}

static void add(struct scan *scan, char c)
{
    if (scan->words.count < MOST_WORDS && !isspace((unsigned char)c))
        *(char *)array_push(&scan->words) = (char)tolower((unsigned char)c);
}

/* The statements of a line from `at` on; whether the last one goes on in the next line. */
static bool scan_text(struct scan *scan, const char *text, size_t at, size_t end, size_t line, char *quote)
{
    bool continues = false;
    for (; at < end; at++) {
        char c = text[at];
        if (*quote) {
            if (c == *quote)
                *quote = 0;
            else if (c == '&' && at + 1 + strspn(text + at + 1, " \t\r") >= end)
                return true;
            else
                *(char *)array_push(&scan->binding) = c;
            continue;
        }
        if (c == '!')
            break;
        if (c == '\'' || c == '"') {
            *quote = c;
            scan->binding.count = 0;
            continues = false;
        } else if (c == ';') {
            begin_statement(scan, line, false);
        } else if (c == '&') {
            continues = true;
        } else if (!isspace((unsigned char)c)) {
            continues = false;
            add(scan, c);
        }
    }
    return continues;
}

static void scan_free(struct scan *scan, const char *text, size_t end, size_t line, bool *continues,
                      char *quote)
{
    size_t at = strspn(text, " \t");
    if (at >= end || text[at] == '!' || text[at] == '\r')
        return;
    if (*continues) {
        at += text[at] == '&';
        scan->last = line;
    } else {
        *quote = 0;
        begin_statement(scan, line, true);
        for (; at < end && isdigit((unsigned char)text[at]); at++)
            scan->label = scan->label < 100000 ? scan->label * 10 + (unsigned)(text[at] - '0') : scan->label;
    }
    *continues = scan_text(scan, text, at, end, line, quote);
    if (!*continues)
        *quote = 0;
}

static void scan_fixed(struct scan *scan, const char *text, size_t end, size_t line, size_t width,
                       char *quote)
{
    if (!end || strchr("cC*!dD", *text))
        return;
    size_t at = 0;
    unsigned label = 0;
    for (; at < end && at < 5 && (text[at] == ' ' || isdigit((unsigned char)text[at])); at++)
        if (isdigit((unsigned char)text[at]))
            label = label * 10 + (unsigned)(text[at] - '0');
    bool has_tab = at < end && text[at] == '\t';
    bool continues = has_tab ? at + 1 < end && text[at + 1] >= '1' && text[at + 1] <= '9'
                             : at == 5 && end > 5 && text[5] != ' ' && text[5] != '0';
    at += has_tab ? 1u + continues : at == 5 && end > 5;
    if (!has_tab && width && end > width)
        end = width;
    size_t rest = at < end ? at + strspn(text + at, " \t") : end;
    if (!continues && (rest >= end || text[rest] == '!' || text[rest] == '\r'))
        return;
    if (continues) {
        scan->last = line;
    } else {
        *quote = 0;
        begin_statement(scan, line, true);
        scan->label = label;
    }
    scan_text(scan, text, at, end, line, quote);
}

void fortran_units_read(struct fortran_units *units, const struct marked_text *marked, bool is_fixed,
                        size_t width)
{
    *units = (struct fortran_units){ARRAY_OF(struct fortran_unit), ARRAY_OF(struct fortran_do)};
    struct scan scan = {
        .units = units, .words = ARRAY_OF(char), .binding = ARRAY_OF(char), .dos = ARRAY_OF(struct open_do)};
    bool continues = false;
    char quote = 0;
    for (size_t i = 0; i < marked->lines.count; i++) {
        const struct marked_line *line = ARRAY_AT(struct marked_line, &marked->lines, i);
        const char *text = marked->text + line->at;
        size_t end = strcspn(text, "\n");
        if (*text == '#')
            continue;
        if (is_fixed)
            scan_fixed(&scan, text, end, i, width, &quote);
        else
            scan_free(&scan, text, end, i, &continues, &quote);
    }
    take_statement(&scan);
    array_free(&scan.words);
    array_free(&scan.binding);
    array_free(&scan.dos);
}

void fortran_units_free(struct fortran_units *units)
{
    for (size_t i = 0; i < units->units.count; i++) {
        free(ARRAY_AT(struct fortran_unit, &units->units, i)->name);
        free(ARRAY_AT(struct fortran_unit, &units->units, i)->binding);
    }
    array_free(&units->units);
    array_free(&units->loops);
}
