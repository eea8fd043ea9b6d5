/* A model from its files to answers about it. */
#include "plan/modelling/language/syntax.h"

#include "base/nearest.h"
#include "base/output.h"
#include "base/path.h"
#include "base/regular_file.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *language_text(const struct language_model *model, string_id id)
{
    return strings_text(&model->strings, id);
}

bool language_mistake(struct language_model *model, struct place place, const char *format, ...)
{
    if (model->problems.count >= MOST_PROBLEMS)
        return false;
    char text[500];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    /* An object that is checked again says the same again. */
    for (size_t i = 0; i < model->problems.count; i++) {
        const struct language_problem *old = ARRAY_AT(struct language_problem, &model->problems, i);
        if (old->line == place.line && old->column == place.column && !strcmp(old->text, text))
            return false;
    }
    *(struct language_problem *)array_push(&model->problems) =
        (struct language_problem){.file = *ARRAY_AT(char *, &model->files, place.file),
                                  .line = place.line,
                                  .column = place.column,
                                  .text = language_text(model, strings_add(&model->strings, text))};
    return false;
}

char *language_where(const struct language_model *model, struct place place)
{
    return memory_format("%s:%u:%u", *ARRAY_AT(char *, &model->files, place.file), place.line, place.column);
}

struct symbol *language_symbol(const struct language_model *model, string_id name)
{
    return name < model->symbols.count ? *ARRAY_AT(struct symbol *, &model->symbols, name) : NULL;
}

struct symbol *language_entry(const struct language_model *model, string_id section, string_id name)
{
    if (!model->hardware)
        return NULL;
    char *whole = memory_format("%s.%s.%s", language_text(model, model->hardware->name),
                                section ? language_text(model, section) : "", language_text(model, name));
    struct symbol *symbol = language_symbol(model, strings_find(&model->strings, whole));
    free(whole);
    return symbol;
}

char *language_nearest(const struct language_model *model, const char *name)
{
    struct nearest nearest = {.wanted = name};
    for (string_id id = 0; id < model->symbols.count && id < 20000; id++)
        if (language_symbol(model, id))
            nearest_offer(&nearest, language_text(model, id));
    char *words = nearest.best ? memory_format("; did you mean %s?", nearest.best) : memory_format("%s", "");
    free(nearest.best);
    return words;
}

struct symbol *language_declare(struct language_model *model, enum symbol_kind kind, string_id name,
                                struct place place)
{
    struct symbol *old = language_symbol(model, name);
    if (old) {
        language_mistake(model, place, "%s is declared already, in line %u of %s", language_text(model, name),
                         old->place.line, *ARRAY_AT(char *, &model->files, old->place.file));
        return NULL;
    }
    while (model->symbols.count <= name)
        array_add(&model->symbols);
    struct symbol *symbol = arena_get(&model->arena, sizeof *symbol);
    *symbol =
        (struct symbol){.kind = kind, .name = name, .place = place, .code = ARRAY_OF(struct instruction)};
    *ARRAY_AT(struct symbol *, &model->symbols, name) = symbol;
    *(struct symbol **)array_push(&model->all) = symbol;
    return symbol;
}

/* Forgets what was computed from parameters. */
static void language_forget(const struct language_model *model)
{
    for (size_t i = 0; i < model->all.count; i++) {
        struct symbol *symbol = *ARRAY_AT(struct symbol *, &model->all, i);
        free(symbol->values);
        free(symbol->states);
        symbol->values = NULL;
        symbol->states = NULL;
        symbol->value_count = 0;
    }
}

static uint16_t add_file(struct language_model *model, const char *path, char *text)
{
    *(char **)array_push(&model->files) = memory_copy_text(path, strlen(path));
    *(char **)array_push(&model->texts) = text;
    return (uint16_t)(model->files.count - 1);
}

void language_include(struct language_model *model, struct place place, const char *name)
{
    char *folder = path_folder(*ARRAY_AT(char *, &model->files, place.file));
    char *path = *name == '/'           ? memory_format("%s", name)
                 : !strcmp(folder, ".") ? memory_format("%s", name)
                                        : memory_format("%s/%s", folder, name);
    struct error error = {0};
    bool is_known = false;
    for (size_t i = 0; i < model->files.count && !is_known; i++)
        is_known = path_is_same_file(path, *ARRAY_AT(char *, &model->files, i));
    if (is_known) {
        /* Once is enough. */
    } else if (model->files.count >= MOST_FILES) {
        language_mistake(model, place, "more than %d files", MOST_FILES);
    } else if (!model->trust || !trust_allows(model->trust, path)) {
        language_mistake(model, place,
                         "%s is outside of the folders that this file may name; --trust reads it", path);
    } else {
        output_spare(path);
        char *text = regular_file_text(path, LARGEST_FILE, "a model", &error);
        if (text)
            parse_file(model, add_file(model, path, text), text, strlen(text));
        else
            language_mistake(model, place, "cannot include: %s", error.text);
    }
    free(folder);
    free(path);
}

static struct language_model *begin(void)
{
    struct language_model *model = memory_get(sizeof *model);
    model->symbols = ARRAY_OF(struct symbol *);
    model->order = ARRAY_OF(struct symbol *);
    model->all = ARRAY_OF(struct symbol *);
    model->files = ARRAY_OF(char *);
    model->texts = ARRAY_OF(char *);
    model->problems = ARRAY_OF(struct language_problem);
    model->causes = ARRAY_OF(struct activity_cause);
    model->loops = ARRAY_OF(struct language_loop);
    return model;
}

static void finish_reading(struct language_model *model)
{
    for (size_t i = 0; i < model->loops.count; i++) {
        struct language_loop *loop = ARRAY_AT(struct language_loop, &model->loops, i);
        char *folder = path_folder(loop->file);
        loop->folder = language_text(model, strings_add(&model->strings, folder));
        free(folder);
    }
}

struct language_model *language_parse(const char *path, const char *text, size_t size)
{
    struct language_model *model = begin();
    uint16_t file = add_file(model, path, NULL);
    parse_file(model, file, text, size);
    finish_reading(model);
    return model;
}

struct language_model *language_read(const char *path, struct trust *trust, struct error *error)
{
    output_spare(path);
    char *text = regular_file_text(path, LARGEST_FILE, "a model", error);
    if (!text)
        return NULL;
    struct language_model *model = begin();
    model->trust = trust;
    parse_file(model, add_file(model, path, text), text, strlen(text));
    finish_reading(model);
    return model;
}

void language_free(struct language_model *model)
{
    if (!model)
        return;
    language_forget(model);
    for (size_t i = 0; i < model->all.count; i++)
        array_free(&(*ARRAY_AT(struct symbol *, &model->all, i))->code);
    for (size_t i = 0; i < model->files.count; i++) {
        free(*ARRAY_AT(char *, &model->files, i));
        free(*ARRAY_AT(char *, &model->texts, i));
    }
    array_free(&model->symbols);
    array_free(&model->order);
    array_free(&model->all);
    array_free(&model->files);
    array_free(&model->texts);
    array_free(&model->problems);
    array_free(&model->causes);
    array_free(&model->loops);
    strings_free(&model->strings);
    arena_free(&model->arena);
    free(model);
}

/* The first problem from this one on, as an error. */
static bool tell_problem(const struct language_model *model, size_t first, struct error *error)
{
    if (model->problems.count <= first)
        return true;
    const struct language_problem *problem = ARRAY_AT(struct language_problem, &model->problems, first);
    /* --set NAME=VALUE is short: its own words say where. */
    char *where = !strncmp(problem->file, "--set ", 6)
                      ? memory_format("%s", problem->file)
                      : memory_format("%s:%u:%u", problem->file, problem->line, problem->column);
    error_set(error, where, "%s", problem->text);
    free(where);
    return false;
}

static struct symbol *parameter_named(const struct language_model *model, const char *name, size_t length,
                                      struct error *error)
{
    struct symbol *symbol = language_symbol(model, strings_find_length(&model->strings, name, length));
    if (symbol && symbol->is_parameter)
        return symbol;
    char *copy = memory_copy_text(name, length);
    struct nearest nearest = {.wanted = copy};
    for (size_t i = 0; i < model->all.count && i < 20000; i++) {
        symbol = *ARRAY_AT(struct symbol *, &model->all, i);
        if (symbol->is_parameter)
            nearest_offer(&nearest, language_text(model, symbol->name));
    }
    error_set(error, NULL,
              nearest.best ? "the model has no parameter %s; did you mean %s?"
                           : "the model has no parameter %s (assay model check lists them)",
              copy, nearest.best);
    free(nearest.best);
    free(copy);
    return NULL;
}

static bool tell_hardware(const struct language_model *model, const char *name, size_t length,
                          struct error *error)
{
    char *known = NULL;
    for (size_t i = 0; i < model->all.count && i < 20000; i++) {
        const struct symbol *symbol = *ARRAY_AT(struct symbol *, &model->all, i);
        if (symbol->kind != symbol_HARDWARE || (known && strlen(known) > 200))
            continue;
        char *longer = memory_format("%s%s%s", known ? known : "", known ? ", " : "",
                                     language_text(model, symbol->name));
        free(known);
        known = longer;
    }
    error_set(error, NULL,
              known ? "the model has no hardware object %.*s; it has %s"
                    : "the model has no hardware object %.*s, and no other; include a file that has one",
              (int)length, name, known);
    free(known);
    return false;
}

static bool set_hardware(struct language_model *model, const char *name, size_t length, struct error *error)
{
    string_id id = strings_find_length(&model->strings, name, length);
    struct symbol *symbol = language_symbol(model, id);
    if (model->is_prepared)
        return error_set(error, NULL, "the hardware cannot be changed any more");
    if (!symbol || symbol->kind != symbol_HARDWARE)
        return tell_hardware(model, name, length, error);
    model->hardware_name = id;
    model->has_chosen_hardware = true;
    return true;
}

static bool set_one(struct language_model *model, const char *text, size_t length, struct error *error)
{
    const char *equals = memchr(text, '=', length);
    while (length && *text == ' ')
        text++, length--;
    if (!equals || equals <= text)
        return error_set(error, NULL, "--set takes NAME=VALUE, such as procs=64 or w=35ns, not %.*s",
                         (int)length, text);
    size_t name = (size_t)(equals - text), value = length - name - 1;
    while (name && text[name - 1] == ' ')
        name--;
    if (name == 8 && !memcmp(text, "hardware", 8))
        return set_hardware(model, equals + 1, value, error);
    struct symbol *symbol = parameter_named(model, text, name, error);
    if (!symbol)
        return false;
    if (strspn(equals + 1, " \t") >= value)
        return error_set(error, NULL, "--set %.*s= has no value after the =; such as --set %.*s=64",
                         (int)name, text, (int)name, text);
    char *copy = memory_copy_text(equals + 1, value);
    char *where = memory_format("--set %.*s", (int)length, text);
    uint16_t file = add_file(model, where, copy);
    free(where);
    size_t problems = model->problems.count;
    symbol->set = parse_value(model, file, copy, value);
    symbol->is_given = false;
    if (symbol->set && model->is_prepared) {
        symbol->compiled = compile_NOT_YET;
        compile_symbol(model, symbol);
        language_forget(model);
    }
    bool is_fine = tell_problem(model, problems, error);
    if (!is_fine)
        model->problems.count = problems;
    return is_fine;
}

bool language_set(struct language_model *model, const char *assignments, struct error *error)
{
    const char *begin = assignments;
    unsigned open = 0;
    if (model->files.count + strlen(assignments) >= UINT16_MAX)
        return error_set(error, NULL, "--set is too long");
    for (const char *at = assignments;; at++) {
        open += *at == '(';
        open -= *at == ')' && open;
        if (*at && (*at != ',' || open))
            continue;
        if (!set_one(model, begin, (size_t)(at - begin), error))
            return false;
        if (!*at)
            return true;
        begin = at + 1;
    }
}

/* In the order of the text: checks follow names, not lines. */
static int by_place(const void *left, const void *right)
{
    const struct language_problem *a = left, *b = right;
    int files = strcmp(a->file, b->file);
    if (files)
        return files;
    return a->line != b->line ? (a->line > b->line) - (a->line < b->line)
                              : (a->column > b->column) - (a->column < b->column);
}

bool language_prepare(struct language_model *model, struct error *error)
{
    if (model->hardware_name && !model->problems.count) {
        struct symbol *hardware = language_symbol(model, model->hardware_name);
        if (hardware && hardware->kind == symbol_HARDWARE)
            model->hardware = hardware;
        else
            language_mistake(model, model->hardware_place,
                             "there is no hardware object %s; include the file that has it",
                             language_text(model, model->hardware_name));
    }
    if (!model->problems.count)
        compile_model(model);
    model->is_prepared = !model->problems.count;
    if (model->problems.count)
        qsort(model->problems.data, model->problems.count, sizeof(struct language_problem), by_place);
    return tell_problem(model, 0, error);
}

const struct array *language_problems(const struct language_model *model)
{
    return &model->problems;
}

void language_limit(struct language_model *model, uint32_t steps)
{
    model->most_steps = steps;
}

void language_use(struct language_model *model, const struct language_world *world)
{
    model->world = *world;
    language_forget(model);
}

const char *language_application(const struct language_model *model)
{
    return model->application ? language_text(model, model->application->name) : NULL;
}

const char *language_hardware(const struct language_model *model)
{
    return model->hardware ? language_text(model, model->hardware->name) : NULL;
}

const char *language_network(const struct language_model *model)
{
    return language_text(model, model->network_name);
}

bool language_communicates(const struct language_model *model)
{
    return model->communicates;
}

struct array language_parameters(const struct language_model *model)
{
    struct array result = ARRAY_OF(struct language_parameter);
    for (size_t i = 0; i < model->order.count; i++) {
        struct symbol *symbol = *ARRAY_AT(struct symbol *, &model->order, i);
        struct error ignored = {0};
        struct dimension_words unit = dimension_unit(symbol->unit);
        struct language_parameter *one = array_push(&result);
        *one = (struct language_parameter){
            .name = language_text(model, symbol->name),
            .says = language_text(model, symbol->says),
            .unit = language_text(model, strings_add((struct strings *)&model->strings, unit.text)),
            .is_free = symbol->is_free,
            .is_set = symbol->set || symbol->is_given};
        if (!walker_value(model, symbol, &one->value, &ignored))
            one->value = NAN;
    }
    return result;
}

bool language_change(struct language_model *model, const char *name, double value)
{
    struct error ignored = {0};
    struct symbol *symbol = parameter_named(model, name, strlen(name), &ignored);
    if (!symbol)
        return false;
    symbol->is_given = true;
    symbol->given = value;
    language_forget(model);
    return true;
}

struct array *language_loops(struct language_model *model)
{
    return &model->loops;
}

bool language_ranks(const struct language_model *model, int32_t *ranks, struct error *error)
{
    double value = 1;
    *ranks = 1;
    if (!model->ranks_symbol)
        return true;
    if (!walker_value(model, model->ranks_symbol, &value, error))
        return false;
    if (!(value >= 1 && value <= MOST_RANKS) || fabs(value - nearbyint(value)) > 1e-6) {
        char *where = language_where(model, model->ranks_symbol->place);
        error_set(error, where, "ranks must be a whole number from 1 to %d, not %g", MOST_RANKS, value);
        free(where);
        return false;
    }
    *ranks = (int32_t)nearbyint(value);
    return true;
}

size_t activity_cause_count(const struct language_model *model)
{
    return model->causes.count;
}

const struct activity_cause *activity_cause(const struct language_model *model, uint32_t cause)
{
    return ARRAY_AT(struct activity_cause, &model->causes, cause);
}
