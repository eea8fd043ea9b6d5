/* Reads CHIP³S scripts.  Their words and marks are those of C, so that the lexer of model files serves. */
#include "plan/modelling/language/import.h"

#include "base/output.h"
#include "base/path.h"
#include "base/regular_file.h"
#include "plan/modelling/language/chips.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct reader {
    struct chips *chips;
    const char *path;
    struct lexer lexer;
    struct token token;
    struct error *error;
    unsigned depth;
};

static void advance(struct reader *reader)
{
    reader->token = lexer_next(&reader->lexer);
}

static bool fail(struct reader *reader, const char *what)
{
    const struct token *token = &reader->token;
    char *where = memory_format("%s:%u:%u", reader->path, token->place.line, token->place.column);
    if (token->kind == token_END)
        error_set(reader->error, where, "the script ends where %s is expected", what);
    else
        error_set(reader->error, where,
                  "expected %s, not %.*s: import reads the CHIP3S scripts of PACE; write anything else by "
                  "hand as a model "
                  "(docs/model-language.md)",
                  what, (int)(token->length < 40 ? token->length : 40), token->text);
    free(where);
    return false;
}

static bool at(const struct reader *reader, char mark)
{
    return reader->token.kind == token_MARK && reader->token.mark == MARK(mark, 0);
}

static bool take(struct reader *reader, char mark)
{
    if (!at(reader, mark))
        return false;
    advance(reader);
    return true;
}

static bool need(struct reader *reader, char mark, const char *what)
{
    return take(reader, mark) || fail(reader, what);
}

static bool take_word(struct reader *reader, const char *word)
{
    if (!token_is(&reader->token, word))
        return false;
    advance(reader);
    return true;
}

static char *need_name(struct reader *reader, const char *what)
{
    if (reader->token.kind != token_NAME && reader->token.kind != token_TEXT)
        return fail(reader, what), NULL;
    char *name = memory_copy_text(reader->token.text, reader->token.length);
    advance(reader);
    return name;
}

/* The text of an expression up to a comma or one of these marks outside of brackets; NULL: there is none.  An
   entry of hardware may also end where the next begins, as in the appendix: `stops` at a name behind a
   number. */
static char *take_expression(struct reader *reader, const char *ends, bool stops)
{
    struct array text = ARRAY_OF(char);
    unsigned open = 0;
    bool was_value = false;
    while (reader->token.kind == token_NAME || reader->token.kind == token_NUMBER ||
           reader->token.kind == token_MARK) {
        const struct token *token = &reader->token;
        char mark = token->kind == token_MARK && token->length == 1 ? token->text[0] : 0;
        bool is_value = token->kind != token_MARK;
        if ((!open && mark && strchr(ends, mark)) || (stops && is_value && was_value) ||
            (token->length == 2 && token->text[0] == '.'))
            break;
        open += mark == '(';
        if (mark == ')' && !open--)
            break;
        memcpy(array_add_many(&text, token->length), token->text, token->length);
        was_value = is_value || mark == ')';
        advance(reader);
    }
    if (!text.count) {
        array_free(&text);
        return fail(reader, "a value"), NULL;
    }
    *(char *)array_add(&text) = 0;
    return text.data;
}

static struct chips_pair *add_pair(struct array *pairs, const char *owner, char *name)
{
    struct chips_pair *pair = array_add(pairs);
    pair->owner = owner ? memory_copy_text(owner, strlen(owner)) : NULL;
    pair->name = name;
    return pair;
}

/* "…", which the appendix writes for entries that it does not show. */
static bool take_gap(struct reader *reader)
{
    if (reader->token.kind != token_MARK || reader->token.mark != MARK('.', '.'))
        return false;
    advance(reader);
    take(reader, '.');
    return true;
}

/* name = value pairs up to the }, with commas, semicolons or nothing between. */
static bool read_pairs(struct reader *reader, struct array *pairs, const char *owner, bool *has_gap)
{
    while (!take(reader, '}')) {
        if (has_gap && take_gap(reader)) {
            *has_gap = true;
            continue;
        }
        char *name = need_name(reader, "a name");
        if (!name)
            return false;
        struct chips_pair *pair = add_pair(pairs, owner, name);
        if (!need(reader, '=', "="))
            return false;
        if (reader->token.kind == token_TEXT) {
            pair->is_text = true;
            pair->value = need_name(reader, "a text");
        } else if (!(pair->value = take_expression(reader, ",;}", true))) {
            return false;
        }
        while (take(reader, ',') || take(reader, ';'))
            ;
    }
    return true;
}

/* link { object: a = x, b = y; other: … } */
static bool read_links(struct reader *reader, struct chips_object *object)
{
    if (!need(reader, '{', "{"))
        return false;
    while (!take(reader, '}')) {
        char *owner = need_name(reader, "the object of a link");
        bool is_fine = owner && need(reader, ':', ": after the object of a link");
        while (is_fine && !take(reader, ';')) {
            char *name = need_name(reader, "a variable");
            struct chips_pair *pair = name ? add_pair(&object->links, owner, name) : NULL;
            is_fine = pair && need(reader, '=', "=") && (pair->value = take_expression(reader, ",;", false));
            if (is_fine)
                take(reader, ',');
        }
        free(owner);
        if (!is_fine)
            return false;
    }
    return true;
}

/* var numeric: Width = 320, Height; */
static bool read_variables(struct reader *reader, struct chips_object *object)
{
    char *kind = need_name(reader, "numeric or compute");
    bool is_fine = kind && need(reader, ':', ": after the kind of variables");
    while (is_fine) {
        char *name = need_name(reader, "a variable");
        struct chips_pair *pair = name ? add_pair(&object->variables, kind, name) : NULL;
        is_fine = pair && (!take(reader, '=') || (pair->value = take_expression(reader, ",;", false)));
        if (!is_fine || !take(reader, ','))
            break;
    }
    free(kind);
    return is_fine && need(reader, ';', "; after variables");
}

/* <is clc, FCAL, 4*FARL> */
static bool read_operations(struct reader *reader, struct chips_step *step)
{
    struct array text = ARRAY_OF(char);
    if (!need(reader, '<', "<is clc, …>") || !(take_word(reader, "is") || fail(reader, "is")) ||
        !(step->section = need_name(reader, "a section of the hardware")))
        return false;
    bool is_fine = true;
    while (is_fine && take(reader, ',')) {
        char *one = take_expression(reader, ",>", false);
        is_fine = one;
        if (one) {
            if (text.count)
                memcpy(array_add_many(&text, 2), ", ", 2);
            memcpy(array_add_many(&text, strlen(one)), one, strlen(one));
            free(one);
        }
    }
    *(char *)array_add(&text) = 0;
    step->operations = text.data;
    return is_fine && need(reader, '>', "> after operations");
}

static bool read_steps(struct reader *reader, struct chips_procedure *procedure);

static bool read_step(struct reader *reader, struct chips_procedure *procedure)
{
    struct chips_step step = {0};
    bool is_fine = true, has_body = false;
    if (take_word(reader, "compute")) {
        step.kind = chips_COMPUTE;
        is_fine = read_operations(reader, &step) && need(reader, ';', "; after compute <…>");
    } else if (take_word(reader, "loop")) {
        step.kind = chips_LOOP;
        is_fine = need(reader, '(', "(") && read_operations(reader, &step) &&
                  need(reader, ',', ", and the count of the loop") &&
                  (step.count = take_expression(reader, ",)", false)) &&
                  need(reader, ')', ") after the loop");
        /* A loop may have a name. */
        if (is_fine && reader->token.kind == token_NAME && !token_is(&reader->token, "compute") &&
            !token_is(&reader->token, "loop"))
            advance(reader);
        has_body = true;
    } else if (take_word(reader, "call")) {
        step.kind = chips_CALL;
        is_fine = (step.count = need_name(reader, "a subtask")) && need(reader, ';', "; after call");
    } else if (take_word(reader, "confdev")) {
        step.kind = chips_CONFDEV;
        is_fine =
            (step.count = need_name(reader, "a variable")) && need(reader, ';', "; after confdev VARIABLE");
    } else if (take_word(reader, "step")) {
        /* The device: only cpu computes. */
        if (!take_word(reader, "cpu"))
            return fail(reader, "cpu");
        return need(reader, '{', "{ of the step") && read_steps(reader, procedure);
    } else {
        return fail(reader, "compute, loop, call, step or confdev");
    }
    *(struct chips_step *)array_push(&procedure->steps) = step;
    if (is_fine && has_body) {
        if (take(reader, '{'))
            is_fine = read_steps(reader, procedure);
        else
            is_fine = ++reader->depth < MOST_CHIPS_DEPTH ? read_step(reader, procedure)
                                                         : fail(reader, "fewer statements within statements");
        *(struct chips_step *)array_add(&procedure->steps) = (struct chips_step){.kind = chips_END};
    }
    return is_fine;
}

static bool read_steps(struct reader *reader, struct chips_procedure *procedure)
{
    if (++reader->depth > MOST_CHIPS_DEPTH)
        return fail(reader, "fewer statements within statements");
    while (!take(reader, '}'))
        if (!read_step(reader, procedure))
            return false;
    reader->depth--;
    return true;
}

static bool read_procedure(struct reader *reader, struct chips_object *object)
{
    struct chips_procedure *procedure = array_add(&object->procedures);
    procedure->steps = ARRAY_OF(struct chips_step);
    return (procedure->kind = need_name(reader, "exec or cflow")) &&
           (procedure->name = need_name(reader, "a name")) && need(reader, '{', "{ of the procedure") &&
           read_steps(reader, procedure);
}

static bool read_part(struct reader *reader, struct chips_object *object)
{
    if (take_word(reader, "include")) {
        char *name = need_name(reader, "what is included");
        if (!name)
            return false;
        *(char **)array_push(&object->includes) = name;
        return need(reader, ';', "; after include");
    }
    if (take_word(reader, "var"))
        return read_variables(reader, object);
    if (take_word(reader, "link"))
        return read_links(reader, object);
    if (take_word(reader, "option"))
        return need(reader, '{', "{ of the options") && read_pairs(reader, &object->options, NULL, NULL);
    if (take_word(reader, "proc"))
        return read_procedure(reader, object);
    return fail(reader, "include, var, link, option or proc");
}

static bool read_hardware(struct reader *reader, struct chips_object *object)
{
    while (!take(reader, '}')) {
        if (take_gap(reader)) {
            object->has_gap = true;
            continue;
        }
        char *section = need_name(reader, "a section of the hardware");
        bool is_fine = section && need(reader, '{', "{ of the section") &&
                       read_pairs(reader, &object->entries, section, &object->has_gap);
        free(section);
        if (!is_fine)
            return false;
    }
    return true;
}

static bool chips_read(struct chips *chips, const char *path, const char *text, size_t size,
                       struct error *error)
{
    static const char *const words[] = {"application", "subtask", "partmp", "config"};
    struct reader reader = {.chips = chips, .path = path, .error = error};
    lexer_begin(&reader.lexer, text, size, 0);
    advance(&reader);
    while (reader.token.kind != token_END) {
        unsigned kind = 0;
        while (kind < 4 && !token_is(&reader.token, words[kind]))
            kind++;
        if (kind == 4)
            return fail(&reader, "application, subtask, partmp or config");
        advance(&reader);
        struct chips_object *object = array_add(&chips->objects);
        *object = (struct chips_object){.kind = kind,
                                        .includes = ARRAY_OF(char *),
                                        .variables = ARRAY_OF(struct chips_pair),
                                        .links = ARRAY_OF(struct chips_pair),
                                        .options = ARRAY_OF(struct chips_pair),
                                        .entries = ARRAY_OF(struct chips_pair),
                                        .procedures = ARRAY_OF(struct chips_procedure)};
        object->name = need_name(&reader, "a name");
        if (!object->name || !need(&reader, '{', "{ of the object"))
            return false;
        if (kind == chips_HARDWARE ? !read_hardware(&reader, object) : false)
            return false;
        while (kind != chips_HARDWARE && !take(&reader, '}'))
            if (!read_part(&reader, object))
                return false;
        take(&reader, ';');
    }
    return true;
}

struct chips_object *chips_find(const struct chips *chips, enum chips_kind kind, const char *name)
{
    for (size_t i = 0; i < chips->objects.count; i++) {
        struct chips_object *object = ARRAY_AT(struct chips_object, &chips->objects, i);
        if (object->kind == kind && (!name || (object->name && !strcmp(object->name, name))))
            return object;
    }
    return NULL;
}

void chips_note(struct chips *chips, const char *format, ...)
{
    va_list arguments;
    char *text = NULL;
    va_start(arguments, format);
    if (vasprintf(&text, format, arguments) >= 0)
        *(char **)array_push(chips->notes) = text;
    va_end(arguments);
}

static void free_pairs(struct array *pairs)
{
    for (size_t i = 0; i < pairs->count; i++) {
        struct chips_pair *pair = ARRAY_AT(struct chips_pair, pairs, i);
        free(pair->owner);
        free(pair->name);
        free(pair->value);
    }
    array_free(pairs);
}

static void free_names(struct array *names)
{
    for (size_t i = 0; i < names->count; i++)
        free(*ARRAY_AT(char *, names, i));
    array_free(names);
}

static void chips_free(struct chips *chips)
{
    for (size_t i = 0; i < chips->objects.count; i++) {
        struct chips_object *object = ARRAY_AT(struct chips_object, &chips->objects, i);
        free(object->name);
        free_names(&object->includes);
        free_pairs(&object->variables);
        free_pairs(&object->links);
        free_pairs(&object->options);
        free_pairs(&object->entries);
        for (size_t k = 0; k < object->procedures.count; k++) {
            struct chips_procedure *procedure = ARRAY_AT(struct chips_procedure, &object->procedures, k);
            for (size_t j = 0; j < procedure->steps.count; j++) {
                struct chips_step *step = ARRAY_AT(struct chips_step, &procedure->steps, j);
                free(step->section);
                free(step->operations);
                free(step->count);
            }
            array_free(&procedure->steps);
            free(procedure->kind);
            free(procedure->name);
        }
        array_free(&object->procedures);
    }
    array_free(&chips->objects);
    free_names(&chips->names);
}

static struct chips begin(struct array *notes)
{
    return (struct chips){
        .objects = ARRAY_OF(struct chips_object), .names = ARRAY_OF(char *), .notes = notes};
}

static bool read_path(struct chips *chips, const char *path, struct error *error)
{
    enum { LARGEST = 16 << 20 };
    for (size_t i = 0; i < chips->names.count; i++)
        if (path_is_same_file(path, *ARRAY_AT(char *, &chips->names, i)))
            return true;
    *(char **)array_push(&chips->names) = memory_copy_text(path, strlen(path));
    output_spare(path);
    char *text = regular_file_text(path, LARGEST, "a CHIP3S script", error);
    bool is_fine = text && chips_read(chips, path, text, strlen(text), error);
    free(text);
    return is_fine;
}

/* Scripts that are included, or hardware that is used, beside the first file. */
static bool read_beside(struct chips *chips, const char *folder, const char *name, const char *ending,
                        struct trust *trust, struct error *error)
{
    if (chips->names.count > 200 || strchr(name, '/'))
        return true;
    char *path = memory_format("%s/%s%s", folder, name, ending);
    bool is_fine = access(path, R_OK) || !trust_allows(trust, path) || read_path(chips, path, error);
    free(path);
    return is_fine;
}

bool language_import(const char *const *paths, size_t count, struct trust *trust, FILE *out,
                     struct array *notes, struct error *error)
{
    struct chips chips = begin(notes);
    bool is_fine = true;
    for (size_t i = 0; i < count && is_fine; i++)
        is_fine = read_path(&chips, paths[i], error);
    char *folder = path_folder(paths[0]);
    /* Objects grow while they are looked at. */
    for (size_t i = 0; i < chips.objects.count && is_fine; i++) {
        for (size_t k = 0; k < ARRAY_AT(struct chips_object, &chips.objects, i)->includes.count && is_fine;
             k++)
            is_fine =
                read_beside(&chips, folder,
                            *ARRAY_AT(char *, &ARRAY_AT(struct chips_object, &chips.objects, i)->includes, k),
                            ".la", trust, error);
        for (size_t k = 0; k < ARRAY_AT(struct chips_object, &chips.objects, i)->options.count && is_fine;
             k++) {
            const struct chips_pair *option =
                ARRAY_AT(struct chips_pair, &ARRAY_AT(struct chips_object, &chips.objects, i)->options, k);
            if (!strcmp(option->name, "hdruse") && option->is_text)
                is_fine = read_beside(&chips, folder, option->value, ".hmcl", trust, error);
        }
    }
    free(folder);
    is_fine = is_fine && chips_write(&chips, out, error);
    chips_free(&chips);
    return is_fine;
}

bool language_import_text(const char *path, const char *text, size_t size, FILE *out, struct array *notes,
                          struct error *error)
{
    struct chips chips = begin(notes);
    bool is_fine = chips_read(&chips, path, text, size, error) && chips_write(&chips, out, error);
    chips_free(&chips);
    return is_fine;
}
