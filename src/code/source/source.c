/* Turns one source file into rows of source_loops: detects the language, calls its reader, and records what
   could not be read.

   Paths come from debug information, which cannot be trusted: only regular files of a sensible size are
   opened, and compilers run in a separate process. */
#include "code/source/parts.h"
#include "code/read/bytes.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

enum { MOST_SOURCE_BYTES = 64 << 20 };

static bool is_one_of(const char *suffix, const char *const *list)
{
    for (; *list; list++)
        if (!strcasecmp(suffix, *list))
            return true;
    return false;
}

static const char *suffix_of(const char *path)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
    return dot && (!slash || dot > slash) ? dot + 1 : "";
}

static bool is_fortran(const char *path)
{
    static const char *const suffixes[] = {"f",   "for", "ftn", "fpp", "f77", "f90",
                                           "f95", "f03", "f08", "f18", NULL};
    return is_one_of(suffix_of(path), suffixes);
}

static bool is_clang_language(const char *path)
{
    static const char *const suffixes[] = {"c",   "h",   "cc",  "cp",  "cpp", "cxx", "c++", "hh",
                                           "hp",  "hpp", "hxx", "h++", "tcc", "ipp", "inl", "inc",
                                           "def", "ii",  "i",   "tpp", "txx", "",    NULL};
    return is_one_of(suffix_of(path), suffixes);
}

/* A regular file that is not too large. */
static bool check_file(const char *path, struct error *error)
{
    struct stat facts;
    if (stat(path, &facts))
        return error_set_errno(error, path, "the source cannot be opened");
    if (S_ISDIR(facts.st_mode))
        return error_set(error, path, "this is a directory, not a source file");
    if (!S_ISREG(facts.st_mode))
        return error_set(error, path, "this is a device, pipe or socket, not a source file");
    if (facts.st_size > MOST_SOURCE_BYTES)
        return error_set(error, path, "the source has %lld MB; the limit is 64 MB",
                         (long long)facts.st_size >> 20);
    return true;
}

static bool read_language(const char *path, const char *unit, const struct source_compilation *compilation,
                          struct found_source *found, struct error *error)
{
    if (!is_fortran(path))
        return source_read_clang(path, unit, compilation, found, error);
    struct span text;
    if (!bytes_read(path, NULL, &text, error))
        return false;
    bool done = source_read_fortran(path, text, compilation, found, error);
    bytes_free(text);
    return done;
}

/* Order: by first line; an outer loop before those in it, which end no later. */
static int diff_loops(const void *left, const void *right)
{
    const struct found_loop *a = *(const struct found_loop *const *)left,
                            *b = *(const struct found_loop *const *)right;
    if (a->first_line != b->first_line)
        return a->first_line < b->first_line ? -1 : 1;
    return a < b ? -1 : a > b; /* as they were found: outer ones first */
}

/* Where rows of this file belong; *is_there: whether it has some already. */
static uint32_t place_of(const struct model *model, uint32_t file, bool *is_there)
{
    uint32_t low = (uint32_t)array_first_not_below(&model->source_loops, 1,
                                                   offsetof(struct source_loop, file), file + 1);
    *is_there = low > 1 && model_source_loop(model, low - 1)->file == file;
    return low;
}

/* Room for count rows at place: the rows after it move, and what they say about their parents with them. */
static void make_room(struct model *model, uint32_t place, uint32_t count)
{
    uint32_t behind = (uint32_t)model->source_loops.count - place;
    for (uint32_t i = 0; i < count; i++)
        model_add(&model->source_loops);
    struct source_loop *rows = model_source_loop(model, place);
    memmove(rows + count, rows, behind * sizeof *rows);
    for (uint32_t i = 0; i < behind; i++)
        if (rows[count + i].parent)
            rows[count + i].parent += count;
}

static void add_rows(struct model *model, uint32_t file, uint32_t place, const struct found_source *found)
{
    uint32_t count = (uint32_t)found->loops.count;
    if (!count)
        return;
    struct found_loop *loops = found->loops.data, **order = memory_get(count * sizeof *order);
    uint32_t *row_of = memory_get(count * sizeof *row_of);
    for (uint32_t i = 0; i < count; i++)
        order[i] = &loops[i];
    qsort(order, count, sizeof *order, diff_loops);
    make_room(model, place, count);
    for (uint32_t i = 0; i < count; i++)
        row_of[order[i] - loops] = place + i;
    for (uint32_t i = 0; i < count; i++) {
        const struct found_loop *loop = order[i];
        *model_source_loop(model, place + i) = (struct source_loop){
            .file = file,
            .first_line = loop->first_line,
            .last_line = loop->last_line,
            .parent = loop->parent ? row_of[loop->parent - 1] : 0,
            .is_innermost = 1,
            .floating = loop->floating,
            .memory = loop->memory,
            .branches = loop->branches,
        };
    }
    for (uint32_t i = 0; i < count; i++)
        if (order[i]->parent)
            model_source_loop(model, row_of[order[i]->parent - 1])->is_innermost = 0;
    free(order);
    free(row_of);
}

static void note_gaps(struct model *model, const char *path, uint32_t program,
                      const struct source_compilation *compilation, const struct found_source *found)
{
    if (found->loop_errors || (found->errors && !found->loops.count)) {
        char *text = memory_format(
            "%s: loops with compile errors, so operations may be missing (first error: %s%s)", path,
            found->first_error,
            compilation->is_recorded ? "" : "; compile_commands.json can give the paths of headers");
        model_note_problem(model, program, problem_kind_SOURCE, NO_ADDRESS,
                           found->loop_errors ? found->loop_errors : found->errors, text);
        free(text);
    }
    if (found->templates) {
        char *text = memory_format("%s: loops of templates that this source does not use, so floating-point "
                                   "operations cannot be recognised",
                                   path);
        model_note_problem(model, program, problem_kind_SOURCE, NO_ADDRESS, found->templates, text);
        free(text);
    }
    if (found->misplaced) {
        char *text = memory_format("%s: loops of included files, or with an unknown line", path);
        model_note_problem(model, program, problem_kind_SOURCE, NO_ADDRESS, found->misplaced, text);
        free(text);
    }
}

bool source_read(struct model *model, const char *path, const struct source_options *options,
                 struct error *error)
{
    if (!is_fortran(path) && !is_clang_language(path))
        return error_set(error, path, "loops are read from C, C++ and Fortran sources only");
    const char *unit = options->unit && strcmp(options->unit, path) && is_clang_language(options->unit)
                           ? options->unit
                           : NULL;
    if (!check_file(path, error) || (unit && !check_file(unit, error)))
        return false;
    uint32_t file = model_file_id(model, path);
    bool is_there;
    place_of(model, file, &is_there);
    if (is_there)
        return true;
    struct source_compilation compilation = {0};
    if (!source_find_compilation(unit ? unit : path, options, &compilation, error))
        return false;
    struct found_source found = {.loops = ARRAY_OF(struct found_loop)};
    bool done = read_language(path, unit, &compilation, &found, error);
    if (done) {
        add_rows(model, file, place_of(model, file, &is_there), &found);
        note_gaps(model, path, options->program, &compilation, &found);
    }
    array_free(&found.loops);
    source_compilation_free(&compilation);
    return done;
}
