/* A loop of a Fortran source: its procedure alone, or in its module, reduced to the declarations and the
   procedures that are used by name; modules of the same file that are used come along in the same way.
   External procedures of the file stay away: they are called, not defined again.

   Variables of such a module are defined again in the object, under the symbols that the program has.  A
   procedure inside of another one comes with that; one inside of a main program needs the whole file. */
#include "change/optimise/extract/fortran_units.h"

#include "base/child.h"
#include "base/regular_file.h"
#include "code/source/parts.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MOST_SOURCE = 64 << 20 };

struct fortran_extraction {
    struct extract *extract;
    const struct marked_text *marked;
    const struct fortran_units *units;
    bool *is_needed; /* by unit */
    struct strings used;
};

static bool has_word(const struct compilation *compilation, const char *word)
{
    for (size_t i = 0; i < compilation->meaning.count; i++)
        if (!strcmp(*ARRAY_AT(char *, &compilation->meaning, i), word))
            return true;
    return false;
}

static const char *suffix_of(const struct compilation *compilation)
{
    const char *dot = strrchr(compilation->source, '.');
    return dot ? dot : "";
}

static bool is_fixed_form(const struct compilation *compilation)
{
    static const char *const suffixes[] = {".f", ".for", ".ftn", ".fpp", ".f77"};
    if (has_word(compilation, "-ffixed-form") || has_word(compilation, "-ffree-form"))
        return has_word(compilation, "-ffixed-form");
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
        if (!strcasecmp(suffix_of(compilation), suffixes[i]))
            return true;
    return false;
}

static size_t fixed_width(const struct compilation *compilation)
{
    static const char start[] = "-ffixed-line-length-";
    size_t width = 72;
    for (size_t i = 0; i < compilation->meaning.count; i++) {
        const char *word = *ARRAY_AT(char *, &compilation->meaning, i);
        if (!strncmp(word, start, strlen(start)))
            width = (size_t)strtoul(word + strlen(start), NULL, 10);
    }
    return width;
}

static bool wants_preprocessor(const struct compilation *compilation)
{
    if (has_word(compilation, "-cpp") || has_word(compilation, "-nocpp"))
        return has_word(compilation, "-cpp");
    return isupper((unsigned char)suffix_of(compilation)[1]) || !strcmp(suffix_of(compilation), ".fpp");
}

const char *extract_fortran_suffix(const struct compilation *compilation)
{
    if (wants_preprocessor(compilation))
        return is_fixed_form(compilation) ? ".F" : ".F90";
    return is_fixed_form(compilation) ? ".f" : ".f90";
}

static bool read_text(const struct compilation *compilation, struct marked_text *marked, struct error *error)
{
    *marked = (struct marked_text){0};
    if (wants_preprocessor(compilation)) {
        struct array words = ARRAY_OF(const char *);
        compilation_words(compilation, &words);
        const char *const rest[] = {"-w", "-cpp", "-E", compilation->source, NULL};
        memcpy(array_push_many(&words, sizeof rest / sizeof *rest), rest, sizeof rest);
        struct child_job job = {
            .words = words.data, .place = child_place_PRIVATE, .limits = source_limits(MOST_SOURCE)};
        struct child_answer answer;
        bool done = child_run(&job, &answer, error);
        array_free(&words);
        if (!done)
            return false;
        if (answer.end != child_end_DONE)
            done = error_set(error, compilation->source, "gfortran's preprocessor fails on it: %.*s",
                             (int)strcspn(answer.messages.data, "\n"), (char *)answer.messages.data);
        else
            marked->text = memory_copy_text(answer.output.data, answer.output.count);
        child_answer_free(&answer);
        if (!done)
            return false;
    } else {
        char *source = regular_file_text(compilation->source, MOST_SOURCE, "a source", error);
        if (!source)
            return false;
        char *name = extract_marker_name(compilation->source);
        marked->text = memory_format("# 1 \"%s\"\n%s", name, source);
        free(name);
        free(source);
    }
    marked->size = strlen(marked->text);
    marked_text_index(marked);
    return true;
}

static const struct marked_line *physical(const struct marked_text *marked, size_t index)
{
    return ARRAY_AT(struct marked_line, &marked->lines, index);
}

static bool is_line(const struct fortran_extraction *extraction, size_t index, unsigned *line)
{
    const struct marked_line *one = physical(extraction->marked, index);
    *line = one->line;
    return one->line &&
           !strcmp(marked_text_file(extraction->marked, one), extraction->extract->compilation->source);
}

static const struct fortran_do *loop_at(const struct fortran_extraction *extraction, unsigned line)
{
    const struct fortran_do *best = NULL;
    for (size_t i = 0; i < extraction->units->loops.count; i++) {
        const struct fortran_do *loop = ARRAY_AT(struct fortran_do, &extraction->units->loops, i);
        unsigned first, last;
        if (is_line(extraction, loop->first, &first) && is_line(extraction, loop->last, &last) &&
            first <= line && line <= last && (!best || loop->last - loop->first <= best->last - best->first))
            best = loop;
    }
    return best;
}

static struct fortran_unit *unit_of(const struct fortran_units *units, size_t number)
{
    return ARRAY_AT(struct fortran_unit, &units->units, number - 1);
}

/* Names of some lines; those of strings and comments do no harm. */
static void use_lines(struct fortran_extraction *extraction, size_t first, size_t last)
{
    for (size_t i = first; i <= last && i < extraction->marked->lines.count; i++) {
        const char *at = extraction->marked->text + physical(extraction->marked, i)->at;
        if (*at == '#')
            continue;
        while (*at && *at != '\n') {
            char name[64];
            size_t length = 0;
            for (; isalnum((unsigned char)*at) || *at == '_'; at++)
                if (length + 1 < sizeof name)
                    name[length++] = (char)tolower((unsigned char)*at);
            if (length)
                strings_add_length(&extraction->used, name, length);
            else
                at++;
        }
    }
}

/* The last line of a unit's own text, before what it contains. */
static size_t own_last(const struct fortran_unit *unit)
{
    return unit->contains != SIZE_MAX ? unit->contains : unit->last;
}

static void need(struct fortran_extraction *extraction, size_t number)
{
    const struct fortran_unit *unit = unit_of(extraction->units, number);
    if (extraction->is_needed[number - 1])
        return;
    extraction->is_needed[number - 1] = true;
    if (unit->kind == unit_MODULE)
        use_lines(extraction, unit->first, own_last(unit));
    else
        use_lines(extraction, unit->first, unit->last);
    if (unit->parent)
        need(extraction, unit->parent);
}

/* Until nothing more is needed. */
static void follow(struct fortran_extraction *extraction)
{
    for (bool is_new = true; is_new;) {
        is_new = false;
        for (size_t i = 1; i <= extraction->units->units.count; i++) {
            const struct fortran_unit *unit = unit_of(extraction->units, i);
            bool is_of_module = unit->kind == unit_PROCEDURE && unit->parent &&
                                unit_of(extraction->units, unit->parent)->kind == unit_MODULE &&
                                extraction->is_needed[unit->parent - 1];
            if (!extraction->is_needed[i - 1] && (unit->kind == unit_MODULE || is_of_module) &&
                strings_find(&extraction->used, unit->name)) {
                need(extraction, i);
                is_new = true;
            }
        }
    }
}

static void put(struct array *out, const char *text, size_t length)
{
    memcpy(array_push_many(out, length), text, length);
}

static void put_lines(const struct fortran_extraction *extraction, struct array *out, size_t first,
                      size_t last, size_t loop_line)
{
    const struct marked_text *marked = extraction->marked;
    const struct marked_line *start = physical(marked, first);
    char *name = extract_marker_name(marked_text_file(marked, start)),
         *marker = memory_format("# %u \"%s\"\n", start->line ? start->line : 1, name);
    put(out, marker, strlen(marker));
    free(marker);
    free(name);
    for (size_t i = first; i <= last && i < marked->lines.count; i++) {
        const char *text = marked->text + physical(marked, i)->at;
        if (i == loop_line)
            extraction->extract->loop_at = out->count;
        put(out, text, strcspn(text, "\n"));
        put(out, "\n", 1);
    }
}

static void write_units(const struct fortran_extraction *extraction, const struct fortran_do *loop,
                        struct array *out)
{
    const struct array *all = &extraction->units->units;
    for (size_t i = 1; i <= all->count; i++) {
        const struct fortran_unit *unit = unit_of(extraction->units, i);
        if (unit->parent || !extraction->is_needed[i - 1])
            continue;
        put_lines(extraction, out, unit->first, unit->kind == unit_MODULE ? own_last(unit) : unit->last,
                  loop->first);
        if (unit->kind != unit_MODULE || unit->contains == SIZE_MAX)
            continue;
        for (size_t j = i + 1; j <= all->count; j++) {
            const struct fortran_unit *inner = unit_of(extraction->units, j);
            if (inner->parent == i && inner->kind == unit_PROCEDURE && inner->first > unit->contains &&
                extraction->is_needed[j - 1])
                put_lines(extraction, out, inner->first, inner->last, loop->first);
        }
        put_lines(extraction, out, unit->last, unit->last, loop->first);
    }
}

static char *symbol_of(const struct fortran_extraction *extraction, const struct fortran_unit *unit)
{
    const struct fortran_unit *parent = unit->parent ? unit_of(extraction->units, unit->parent) : NULL;
    const struct compilation *compilation = extraction->extract->compilation;
    if (unit->kind == unit_PROGRAM)
        return memory_format("MAIN__");
    if (unit->binding)
        return memory_copy_text(unit->binding, strlen(unit->binding));
    if (parent && parent->kind == unit_MODULE)
        return memory_format("__%s_MOD_%s", parent->name, unit->name);
    if (has_word(compilation, "-fno-underscoring"))
        return memory_copy_text(unit->name, strlen(unit->name));
    bool is_second = has_word(compilation, "-fsecond-underscore") && strchr(unit->name, '_');
    return memory_format(is_second ? "%s__" : "%s_", unit->name);
}

/* Fills the extract; why: the sentence if the whole file is needed. */
static void take(struct fortran_extraction *extraction, const struct fortran_do *loop, char *why)
{
    struct extract *extract = extraction->extract;
    free(extract->text);
    struct array out = ARRAY_OF(char);
    extract->loop_at = SIZE_MAX;
    if (why)
        put_lines(extraction, &out, 0, extraction->marked->lines.count - 1, loop->first);
    else
        write_units(extraction, loop, &out);
    extract->text = memory_copy_text(out.data, out.count);
    array_free(&out);
    extract->is_whole_file = why != NULL;
    extract->why_whole = why;
    extract->loop_line = 1;
    for (size_t i = 0; i < extract->loop_at && extract->loop_at != SIZE_MAX; i++)
        extract->loop_line += extract->text[i] == '\n';
    if (!loop->is_alone)
        extract->loop_at = SIZE_MAX;
}

/* The procedure that is not inside of another one. */
static size_t outermost(const struct fortran_units *units, size_t number)
{
    while (number && unit_of(units, number)->parent &&
           unit_of(units, unit_of(units, number)->parent)->kind != unit_MODULE)
        number = unit_of(units, number)->parent;
    return number;
}

static bool take_loop(struct fortran_extraction *extraction, const struct fortran_do *loop,
                      struct error *error)
{
    struct extract *extract = extraction->extract;
    const struct compilation *compilation = extract->compilation;
    const struct fortran_unit *unit = loop->unit ? unit_of(extraction->units, loop->unit) : NULL;
    size_t outer = outermost(extraction->units, loop->unit);
    unsigned last;
    is_line(extraction, loop->first, &extract->source_line);
    is_line(extraction, loop->last, &last);
    extract->source_last = last;
    extract->source_file = memory_copy_text(compilation->source, strlen(compilation->source));
    extract->function = memory_format("%s", unit ? unit->name : "main");
    extract->symbol = unit ? symbol_of(extraction, unit) : memory_format("MAIN__");
    extract->program_symbol = memory_format("%s", extract->symbol);
    extract->has_own_symbol = unit && (outer == loop->unit);
    char *why = NULL, *message = NULL;
    if (!unit || unit_of(extraction->units, outer)->kind != unit_PROCEDURE)
        why = memory_format("it is a part of the main program");
    else if (unit->kind == unit_OTHER)
        why = memory_format("it is in a submodule");
    if (!why) {
        need(extraction, outer);
        follow(extraction);
        take(extraction, loop, NULL);
        if (!extract_compiles(extract, &message, error)) {
            if (!message)
                return false;
            why = memory_format("the procedure alone does not compile (%s)", message);
            free(message);
        }
    }
    if (why)
        take(extraction, loop, why);
    return true;
}

bool extract_fortran(const struct compilation *compilation, unsigned line, struct extract *extract,
                     struct error *error)
{
    struct marked_text marked;
    if (!read_text(compilation, &marked, error))
        return false;
    bool is_fixed = is_fixed_form(compilation);
    extract->suffix = is_fixed ? ".f" : ".f90";
    struct fortran_units units;
    fortran_units_read(&units, &marked, is_fixed, fixed_width(compilation));
    struct fortran_extraction extraction = {.extract = extract,
                                            .marked = &marked,
                                            .units = &units,
                                            .is_needed = memory_get(units.units.count + 1)};
    const struct fortran_do *loop = loop_at(&extraction, line);
    bool done = loop != NULL;
    if (!done) {
        char *where = memory_format("%s:%u", compilation->source, line);
        error_set(error, where, "there is no DO loop at this line");
        free(where);
    }
    done = done && take_loop(&extraction, loop, error);
    free(extraction.is_needed);
    strings_free(&extraction.used);
    fortran_units_free(&units);
    marked_text_free(&marked);
    return done;
}
