/* A PEPA file as a whole: statements that end with `;`, and the system equation, which is the last one and
   may lack it.  `r = 2*s;` is a rate and `P = (a, r).P;` a component; where a statement has neither numbers
   nor signs of components, its first letter decides, as is the custom: components begin with a capital. */
#include "base/nearest.h"
#include "base/output.h"
#include "base/regular_file.h"
#include "base/text.h"
#include "plan/modelling/pepa/parse.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST_FILE = 64 << 20 };

bool pepa_complain(const struct pepa_model *model, struct pepa_place place, struct error *error,
                   const char *format, ...)
{
    char where[400], what[600];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    snprintf(where, sizeof where, "%s:%u:%u", model->path, place.line, place.column);
    return error_set(error, where, "%s", what);
}

void pepa_warn(struct pepa_model *model, struct pepa_place place, const char *format, ...)
{
    enum { MOST = 50 };
    char what[600];
    va_list arguments;
    if (model->warnings.count >= MOST)
        return;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    struct pepa_warning *warning = array_add(&model->warnings);
    *warning = (struct pepa_warning){place, memory_copy_text(what, strlen(what))};
}

uint32_t pepa_find(const struct pepa_model *model, enum pepa_names kind, string_id name)
{
    const struct array *numbers = &model->numbers[kind];
    return name < numbers->count ? *ARRAY_AT(uint32_t, numbers, name) - 1 : pepa_NONE;
}

void pepa_name(struct pepa_model *model, enum pepa_names kind, string_id name, uint32_t index)
{
    struct array *numbers = &model->numbers[kind];
    if (name >= numbers->count)
        array_add_many(numbers, name + 1 - numbers->count);
    *ARRAY_AT(uint32_t, numbers, name) = index + 1;
}

struct statement {
    size_t first, last; /* tokens; last is the `;` or the end */
    bool is_definition; /* NAME = … */
    bool is_rate;
};

static bool is_sign(const struct array *tokens, size_t index, char sign)
{
    const struct pepa_token *token = ARRAY_AT(struct pepa_token, tokens, index);
    return token->kind == token_SIGN && token->sign == sign;
}

static bool is_rate(const struct pepa_model *model, const struct array *tokens, size_t first, size_t last)
{
    bool has_number = false;
    for (size_t i = first + 2; i < last; i++) {
        const struct pepa_token *token = ARRAY_AT(struct pepa_token, tokens, i);
        if (token->kind == token_PARALLEL || (token->kind == token_SIGN && strchr(",.<[{", token->sign)))
            return false;
        has_number |= token->kind == token_NUMBER || token->kind == token_PASSIVE;
    }
    const struct pepa_token *head = ARRAY_AT(struct pepa_token, tokens, first);
    return has_number || !isupper((unsigned char)*strings_text(&model->names, head->word));
}

static void split(const struct pepa_model *model, const struct array *tokens, struct array *statements)
{
    for (size_t at = 0; at + 1 < tokens->count; at++) {
        struct statement statement = {.first = at};
        while (at + 1 < tokens->count && !is_sign(tokens, at, ';'))
            at++;
        statement.last = at;
        if (statement.last == statement.first)
            continue;
        statement.is_definition = ARRAY_AT(struct pepa_token, tokens, statement.first)->kind == token_WORD &&
                                  is_sign(tokens, statement.first + 1, '=');
        statement.is_rate =
            statement.is_definition && is_rate(model, tokens, statement.first, statement.last);
        *(struct statement *)array_add(statements) = statement;
    }
}

static bool twice(struct pepa_model *model, const struct pepa_token *token, struct pepa_place first,
                  struct error *error)
{
    return pepa_complain(model, token->place, error, "%s is defined twice; first in line %u",
                         strings_text(&model->names, token->word), first.line);
}

/* All names first: each may be used before its line. */
static bool name_all(struct pepa_model *model, const struct array *tokens, const struct array *statements,
                     struct error *error)
{
    for (size_t i = 0; i < statements->count; i++) {
        const struct statement *statement = ARRAY_AT(struct statement, statements, i);
        const struct pepa_token *head = ARRAY_AT(struct pepa_token, tokens, statement->first);
        if (!statement->is_definition)
            continue;
        uint32_t constant = pepa_find(model, pepa_CONSTANTS, head->word),
                 definition = pepa_find(model, pepa_DEFINITIONS, head->word);
        if (constant != pepa_NONE)
            return twice(model, head, ARRAY_AT(struct pepa_constant, &model->constants, constant)->place,
                         error);
        if (definition != pepa_NONE)
            return twice(model, head, PEPA_DEFINITION(model, definition)->place, error);
        if (statement->is_rate) {
            pepa_name(model, pepa_CONSTANTS, head->word, (uint32_t)model->constants.count);
            *(struct pepa_constant *)array_add(&model->constants) =
                (struct pepa_constant){.name = head->word,
                                       .first = statement->first + 2,
                                       .last = statement->last,
                                       .place = head->place};
        } else {
            pepa_name(model, pepa_DEFINITIONS, head->word, (uint32_t)model->definitions.count);
            *(struct pepa_definition *)array_add(&model->definitions) =
                (struct pepa_definition){.name = head->word, .term = pepa_NONE, .place = head->place};
        }
    }
    return true;
}

static bool take_setting(struct pepa_model *model, const char *setting, struct error *error)
{
    size_t length = strcspn(setting, "=");
    char *end, *name = memory_copy_text(setting, length);
    double value = setting[length] ? strtod(setting + length + 1, &end) : NAN;
    bool is_fine = setting[length] && end != setting + length + 1 && !*end && isfinite(value);
    uint32_t found = pepa_find(model, pepa_CONSTANTS, strings_find(&model->names, name));
    if (!is_fine)
        error_set(error, NULL, "--set %s: write NAME=NUMBER", setting);
    else if (found == pepa_NONE) {
        struct nearest nearest = {.wanted = name};
        for (size_t i = 0; i < model->constants.count; i++)
            nearest_offer(&nearest, strings_text(&model->names,
                                                 ARRAY_AT(struct pepa_constant, &model->constants, i)->name));
        error_set(error, NULL, "--set %s: %s has no rate of this name%s%s", setting, model->path,
                  nearest.best ? "; did you mean " : "", nearest.best ? nearest.best : "");
        free(nearest.best);
    } else {
        struct pepa_constant *constant = ARRAY_AT(struct pepa_constant, &model->constants, found);
        constant->value = value;
        constant->is_known = true;
    }
    free(name);
    return is_fine && found != pepa_NONE;
}

static bool parse_components(struct pepa_model *model, const struct array *tokens,
                             const struct array *statements, struct error *error)
{
    const struct statement *system = NULL;
    for (size_t i = 0; i < statements->count; i++) {
        const struct statement *statement = ARRAY_AT(struct statement, statements, i);
        if (statement->is_definition && !statement->is_rate) {
            const struct pepa_token *head = ARRAY_AT(struct pepa_token, tokens, statement->first);
            uint32_t term;
            if (!pepa_parse_term(model, tokens, statement->first + 2, statement->last, &term, error))
                return false;
            PEPA_DEFINITION(model, pepa_find(model, pepa_DEFINITIONS, head->word))->term = term;
        } else if (!statement->is_definition) {
            if (i + 1 < statements->count)
                return pepa_complain(
                    model, ARRAY_AT(struct pepa_token, tokens, statement->first)->place, error,
                    "expected NAME = …; only the last statement, the system equation, has no "
                    "name");
            system = statement;
        }
    }
    if (!system)
        return pepa_complain(model, ARRAY_AT(struct pepa_token, tokens, tokens->count - 1)->place, error,
                             "there is no system equation: the last line says which components run together, "
                             "such as Client[10] <request> Server");
    return pepa_parse_term(model, tokens, system->first, system->last, &model->system, error);
}

static bool check_names(struct pepa_model *model, struct error *error)
{
    for (size_t i = 0; i < model->definitions.count; i++) {
        const struct pepa_definition *definition = PEPA_DEFINITION(model, i);
        const char *name = strings_text(&model->names, definition->name);
        if (definition->term == pepa_NONE) {
            struct nearest nearest = {.wanted = name};
            for (size_t k = 0; k < model->definitions.count; k++)
                if (PEPA_DEFINITION(model, k)->term != pepa_NONE)
                    nearest_offer(&nearest, strings_text(&model->names, PEPA_DEFINITION(model, k)->name));
            pepa_complain(model, definition->place, error, "the component %s is not defined%s%s", name,
                          nearest.best ? "; did you mean " : "", nearest.best ? nearest.best : "");
            free(nearest.best);
            return false;
        }
        if (!definition->is_used)
            pepa_warn(model, definition->place, "%s is defined and never used", name);
    }
    for (size_t i = 0; i < model->constants.count; i++) {
        const struct pepa_constant *constant = ARRAY_AT(struct pepa_constant, &model->constants, i);
        if (!constant->is_used)
            pepa_warn(model, constant->place, "the rate %s is defined and never used",
                      strings_text(&model->names, constant->name));
    }
    return true;
}

static bool parse(struct pepa_model *model, const char *text, size_t size, const char *const *settings,
                  size_t setting_count, struct error *error)
{
    struct array tokens, statements = ARRAY_OF(struct statement);
    bool is_fine = pepa_tokens(model, text, size, &tokens, error);
    if (is_fine) {
        split(model, &tokens, &statements);
        is_fine = name_all(model, &tokens, &statements, error);
    }
    for (size_t i = 0; is_fine && i < setting_count; i++)
        is_fine = take_setting(model, settings[i], error);
    is_fine = is_fine && pepa_evaluate_constants(model, &tokens, error) &&
              parse_components(model, &tokens, &statements, error) && check_names(model, error);
    array_free(&tokens);
    array_free(&statements);
    return is_fine;
}

struct pepa_model *pepa_parse(const char *path, const char *text, size_t size, const char *const *settings,
                              size_t setting_count, struct error *error)
{
    struct pepa_model *model = memory_get(sizeof *model);
    model->path = text_safe(path, strlen(path));
    model->actions = ARRAY_OF(string_id);
    model->terms = ARRAY_OF(struct pepa_term);
    model->sets = ARRAY_OF(uint32_t);
    model->definitions = ARRAY_OF(struct pepa_definition);
    model->constants = ARRAY_OF(struct pepa_constant);
    model->warnings = ARRAY_OF(struct pepa_warning);
    for (unsigned i = 0; i < 3; i++)
        model->numbers[i] = ARRAY_OF(uint32_t);
    string_id tau = strings_add(&model->names, "tau");
    *(string_id *)array_add(&model->actions) = tau;
    pepa_name(model, pepa_ACTIONS, tau, 0);
    if (parse(model, text, size, settings, setting_count, error))
        return model;
    pepa_free(model);
    return NULL;
}

struct pepa_model *pepa_read(const char *path, const char *const *settings, size_t setting_count,
                             struct error *error)
{
    output_spare(path);
    char *text = regular_file_text(path, LARGEST_FILE, "a PEPA model", error);
    struct pepa_model *model =
        text ? pepa_parse(path, text, strlen(text), settings, setting_count, error) : NULL;
    free(text);
    return model;
}

void pepa_free(struct pepa_model *model)
{
    if (!model)
        return;
    for (size_t i = 0; i < model->warnings.count; i++)
        free(ARRAY_AT(struct pepa_warning, &model->warnings, i)->text);
    for (unsigned i = 0; i < 3; i++)
        array_free(&model->numbers[i]);
    array_free(&model->warnings);
    array_free(&model->constants);
    array_free(&model->definitions);
    array_free(&model->sets);
    array_free(&model->terms);
    array_free(&model->actions);
    strings_free(&model->names);
    free(model->path);
    free(model);
}
