/* `bytes(x)` and `lines(x)` are counted here; a command prints numbers, and their product is the value: a
   program that prints the three sides of a volume needs no script around it.

   Features are separated by commas, but a comma that no feature follows (a name after a blank, and `=`)
   belongs to the command before it. */
#include "plan/predict/figures.h"

#include "base/child.h"
#include "base/regular_file.h"
#include "plan/predict/template.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_SECONDS = 60, MOST_OUTPUT = 4096, PART = 1 << 20 };

static const struct {
    const char *word;
    enum predict_feature_kind kind;
} counted[] = {{"bytes", feature_BYTES}, {"lines", feature_LINES}};

static bool is_of_name(char letter)
{
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
           (letter >= '0' && letter <= '9') || letter == '_';
}

/* Where a feature's definition begins: after `NAME =`, or at `bytes(`; NULL: none begins here. */
static const char *definition_at(const char *at, size_t *name_length)
{
    size_t length = 0;
    *name_length = 0;
    while (is_of_name(at[length]))
        length++;
    for (size_t i = 0; i < sizeof counted / sizeof *counted; i++)
        if (strlen(counted[i].word) == length && !memcmp(counted[i].word, at, length) && at[length] == '(')
            return at;
    const char *equals = at + length + strspn(at + length, " \t");
    if (!length || *equals != '=')
        return NULL;
    *name_length = length;
    return equals + 1 + strspn(equals + 1, " \t");
}

static const char *end_of(const char *at)
{
    for (; *at; at++) {
        size_t ignored;
        const char *next = at + 1 + strspn(at + 1, " \t");
        if (*at == ',' && definition_at(next, &ignored) && (next > at + 1 || !ignored))
            break;
    }
    return at;
}

static const char *copy(struct settings *settings, const char *text, size_t length)
{
    char *made = arena_get(&settings->arena, length + 1);
    return memcpy(made, text, length);
}

/* bytes(x) */
static bool take_counted(struct predict_description *description, const struct setting *setting,
                         struct predict_feature *feature, struct error *error)
{
    for (size_t i = 0; i < sizeof counted / sizeof *counted; i++) {
        size_t length = strlen(counted[i].word), whole = strlen(feature->definition);
        if (strncmp(feature->definition, counted[i].word, length) || feature->definition[length] != '(')
            continue;
        if (feature->definition[whole - 1] != ')')
            return settings_complain_at(&description->settings, setting, feature->offset + whole, error,
                                        "expected `)` at the end of `%.60s`", feature->definition);
        feature->kind = counted[i].kind;
        for (feature->input = 0; feature->input < description->inputs.count; feature->input++) {
            const char *name = *ARRAY_AT(char *, &description->inputs, feature->input);
            if (strlen(name) == whole - length - 2 &&
                !strncmp(feature->definition + length + 1, name, whole - length - 2))
                return true;
        }
        return settings_complain_at(&description->settings, setting, feature->offset + length + 1, error,
                                    "`%.60s` is not of one of the inputs", feature->definition);
    }
    return true;
}

static bool is_taken(const struct predict_description *description, const char *name)
{
    for (size_t i = 0; i < description->features.count; i++)
        if (!strcmp(ARRAY_AT(struct predict_feature, &description->features, i)->name, name))
            return true;
    for (size_t i = 0; i < description->inputs.count; i++)
        if (!strcmp(*ARRAY_AT(char *, &description->inputs, i), name))
            return true;
    for (size_t i = 0; i < description->outputs.count; i++)
        if (!strcmp(ARRAY_AT(struct predict_output, &description->outputs, i)->name, name))
            return true;
    return !strcmp(name, "k") || !strcmp(name, "processors") || !strcmp(name, "here") ||
           !strcmp(name, "in") || !strcmp(name, "round");
}

static bool take_feature(struct predict_description *description, const struct setting *setting,
                         const char *at, const char *end, struct error *error)
{
    size_t name_length, offset = (size_t)(at - setting->value);
    const char *definition = definition_at(at, &name_length);
    while (end > at && strchr(" \t", end[-1]))
        end--;
    if (!definition || definition >= end)
        return settings_complain_at(&description->settings, setting, offset, error,
                                    "expected bytes(INPUT), lines(INPUT) or NAME = COMMAND, not '%.40s'", at);
    struct predict_feature feature = {
        .kind = feature_COMMAND,
        .definition = copy(&description->settings, definition, (size_t)(end - definition)),
        .offset = (size_t)(definition - setting->value),
    };
    feature.name = name_length ? copy(&description->settings, at, name_length) : feature.definition;
    if (is_taken(description, feature.name))
        return settings_complain_at(&description->settings, setting, offset, error,
                                    "`%.60s` is the name of something else already", feature.name);
    if (!take_counted(description, setting, &feature, error))
        return false;
    *(struct predict_feature *)array_push(&description->features) = feature;
    return true;
}

bool predict_take_features(struct predict_description *description, struct error *error)
{
    struct settings *settings = &description->settings;
    const struct setting *setting = settings_find(settings, description->section, "features");
    const struct setting *size = settings_find(settings, description->section, "size");
    for (const char *at = setting ? setting->value : ""; *at;) {
        const char *end = end_of(at);
        if (!take_feature(description, setting, at, end, error))
            return false;
        at = *end ? end + 1 + strspn(end + 1, " \t") : end;
    }
    if (!description->features.count)
        *(struct predict_feature *)array_push(&description->features) = (struct predict_feature){
            .name = "bytes", .definition = "bytes of all inputs", .kind = feature_ALL_BYTES};
    if (!size)
        return true;
    for (unsigned i = 0; i < description->features.count; i++)
        if (!strcmp(ARRAY_AT(struct predict_feature, &description->features, i)->name, size->value)) {
            description->size = i;
            return true;
        }
    return settings_complain(settings, size, error, "`%.60s` is not one of the features", size->value);
}

/* --- values --- */

static bool count_lines(const char *path, double *value, struct error *error)
{
    int file = regular_file_open(path, NULL, error);
    if (file < 0)
        return false;
    char *part = memory_get(PART);
    int64_t got;
    *value = 0;
    while ((got = regular_file_read(file, part, PART)) > 0)
        for (const char *at = part; (at = memchr(at, '\n', (size_t)(got - (at - part)))); at++)
            ++*value;
    free(part);
    close(file);
    return got == 0 || error_set_errno(error, path, "cannot be read");
}

bool predict_product(const char *text, double *value)
{
    bool has_number = false;
    *value = 1;
    for (text += strspn(text, " \t\r\n,"); *text; text += strspn(text, " \t\r\n,")) {
        char *end;
        double number = strtod(text, &end);
        if (end == text || (*end && !strchr(" \t\r\n,", *end)) || !isfinite(number))
            return false;
        *value *= number;
        has_number = true;
        text = end;
    }
    return has_number && isfinite(*value);
}

/* The first line of what a program said, for a message. */
static const char *first_line(struct array *text)
{
    char *line = text->data;
    if (!text->count)
        return "nothing";
    line[strcspn(line, "\r\n")] = 0;
    return line;
}

void predict_limit_features(struct predict_description *description, double seconds)
{
    description->feature_seconds = seconds < MOST_SECONDS ? (unsigned)fmax(1, ceil(seconds)) : MOST_SECONDS;
}

static bool run_command(const struct predict_feature *feature, const char *command, unsigned seconds,
                        double *value, struct error *error)
{
    const char *const words[] = {"sh", "-c", command, NULL};
    struct child_job job = {
        .words = words,
        .place = child_place_PRIVATE,
        .limits = {.memory = (uint64_t)8 << 30, .file_size = (uint64_t)1 << 30, MOST_OUTPUT, seconds}};
    struct child_answer answer;
    if (!child_run(&job, &answer, error))
        return false;
    bool is_fine = true;
    if (answer.end == child_end_SLOW)
        is_fine = error_set(error, feature->name, "the command of this feature took longer than %u s: %s",
                            seconds, command);
    else if (answer.end == child_end_LARGE)
        is_fine = error_set(error, feature->name, "the command of this feature prints more than numbers: %s",
                            command);
    else if (answer.end != child_end_DONE)
        is_fine = error_set(error, feature->name, "the command of this feature failed: %s said: %s", command,
                            first_line(&answer.messages));
    else if (!predict_product(answer.output.data, value))
        is_fine = error_set(error, feature->name,
                            "the command of this feature has to print numbers: %s printed: %.100s", command,
                            first_line(&answer.output));
    child_answer_free(&answer);
    return is_fine;
}

static bool file_size(const char *path, double *value, struct error *error)
{
    struct stat facts;
    if (stat(path, &facts))
        return error_set_errno(error, path, "cannot be read");
    *value += (double)facts.st_size;
    return true;
}

bool predict_feature_value(const struct predict_description *description,
                           const struct predict_feature *feature, const char *const *paths, double *value,
                           struct error *error)
{
    *value = 0;
    if (feature->kind == feature_LINES)
        return count_lines(paths[feature->input], value, error);
    if (feature->kind == feature_BYTES)
        return file_size(paths[feature->input], value, error);
    if (feature->kind == feature_ALL_BYTES) {
        bool is_fine = true;
        for (size_t i = 0; i < description->inputs.count && is_fine; i++)
            is_fine = file_size(paths[i], value, error);
        return is_fine;
    }
    struct template_name *names = memory_get((description->inputs.count + 1) * sizeof *names);
    size_t count = 0;
    for (; count < description->inputs.count; count++)
        names[count] =
            (struct template_name){*ARRAY_AT(char *, &description->inputs, count), paths[count], 0, false};
    names[count++] = (struct template_name){"here", description->here, 0, false};
    struct template_fault fault;
    char *command = template_fill(feature->definition, names, count, &fault);
    bool is_fine =
        command ? run_command(feature, command,
                              description->feature_seconds ? description->feature_seconds : MOST_SECONDS,
                              value, error)
                : error_set(error, feature->name, "%s", fault.problem);
    free(command);
    free(names);
    return is_fine;
}
