#include "run/probe/plan/text.h"

#include "base/nearest.h"
#include "base/regular_file.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_BYTES = 16 << 20 };

static const char *const words[] = {"functions", "loops", "loop",     "calls",    "values",  "addresses",
                                    "at",        "file",  "build-id", "no-clock", "keep-all"};

struct reading {
    struct probe_choice *choice;
    const char *name;
    uint32_t line;
    char *origin;  /* "plan.txt:3" */
    uint32_t file; /* that lines are for; 0: all */
    struct error *error;
};

static bool unknown_word(const struct reading *reading, const char *word)
{
    struct nearest nearest = {.wanted = word};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        nearest_offer(&nearest, words[i]);
    if (nearest.best)
        error_set(reading->error, reading->origin, "a plan has no word %s; did you mean %s?", word,
                  nearest.best);
    else
        error_set(reading->error, reading->origin,
                  "a plan has no word %s; it has functions, loops, loop, calls, values, addresses, at, file, "
                  "build-id, no-clock and keep-all",
                  word);
    free(nearest.best);
    return false;
}

static bool set_file(struct reading *reading, const char *path)
{
    if (!path)
        return error_set(reading->error, reading->origin, "file needs a path");
    struct probe_file *file = array_add(&reading->choice->files);
    file->path = memory_copy_text(path, strlen(path));
    reading->file = (uint32_t)reading->choice->files.count;
    return true;
}

static bool set_build_id(struct reading *reading, const char *text)
{
    if (!text || strspn(text, "0123456789abcdefABCDEF") != strlen(text))
        return error_set(reading->error, reading->origin, "build-id needs a number in hexadecimal, not %s",
                         text ? text : "nothing");
    struct probe_file *file = reading->file
                                  ? ARRAY_AT(struct probe_file, &reading->choice->files, reading->file - 1)
                                  : array_add(&reading->choice->files);
    free(file->build_id);
    free(file->origin);
    file->build_id = memory_copy_text(text, strlen(text));
    file->origin = memory_copy_text(reading->origin, strlen(reading->origin));
    return true;
}

static bool set_flag(struct reading *reading, const char *word, const char *text, bool *flag)
{
    if (text)
        return error_set(reading->error, reading->origin, "%s takes nothing, not %s", word, text);
    return *flag = true;
}

/* text: what follows the word, without blanks around it; NULL: nothing. */
static bool take(struct reading *reading, const char *word, const char *text)
{
    struct probe_choice *choice = reading->choice;
    if (!strcmp(word, "file"))
        return set_file(reading, text);
    if (!strcmp(word, "build-id"))
        return set_build_id(reading, text);
    if (!strcmp(word, "no-clock"))
        return set_flag(reading, word, text, &choice->has_no_clock);
    if (!strcmp(word, "keep-all"))
        return set_flag(reading, word, text, &choice->keeps_all);
    if (!probe_choice_knows(word))
        return unknown_word(reading, word);
    size_t before = choice->wishes.count;
    if (!probe_choice_word(choice, word, text, reading->origin, reading->error))
        return false;
    for (size_t i = before; i < choice->wishes.count; i++)
        ARRAY_AT(struct probe_wish, &choice->wishes, i)->file = reading->file;
    return true;
}

/* A # starts a comment at the start of a line and after a blank: names may contain one. */
static size_t without_comment(const char *line, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (line[i] == '#' && (!i || isblank((unsigned char)line[i - 1])))
            return i;
    return length;
}

static bool read_line(struct reading *reading, const char *line, size_t length)
{
    if (memchr(line, 0, length))
        return error_set(reading->error, reading->origin, "the line has a zero byte: this is not a plan");
    length = without_comment(line, length);
    while (length && isspace((unsigned char)line[length - 1]))
        length--;
    while (length && isspace((unsigned char)*line))
        line++, length--;
    if (!length)
        return true;
    char *text = memory_copy_text(line, length);
    size_t word = strcspn(text, " \t");
    char *rest = text + word;
    while (isblank((unsigned char)*rest))
        rest++;
    text[word] = 0;
    bool is_taken = take(reading, text, *rest ? rest : NULL);
    free(text);
    return is_taken;
}

bool plan_text_read(struct probe_choice *choice, const char *text, size_t length, const char *name,
                    struct error *error)
{
    struct reading reading = {.choice = choice, .name = name, .error = error};
    bool is_read = true;
    for (size_t at = 0; is_read && at < length;) {
        const char *end = memchr(text + at, '\n', length - at);
        size_t size = end ? (size_t)(end - text) - at : length - at;
        reading.origin = memory_format("%s:%u", name, ++reading.line);
        is_read = read_line(&reading, text + at, size);
        free(reading.origin);
        at += size + 1;
    }
    return is_read;
}

bool plan_text_read_file(struct probe_choice *choice, const char *path, struct error *error)
{
    uint64_t size;
    int file = regular_file_open(path, &size, error);
    if (file < 0)
        return false;
    bool is_read = false;
    if (size > MOST_BYTES) {
        error_set(error, path, "the plan is too large: %llu bytes", (unsigned long long)size);
    } else {
        char *text = memory_get((size_t)size + 1);
        int64_t got = regular_file_read(file, text, (size_t)size);
        is_read = got >= 0 ? plan_text_read(choice, text, (size_t)got, path, error)
                           : error_set_errno(error, path, "cannot read the plan");
        free(text);
    }
    close(file);
    return is_read;
}

static void write_wish(const struct probe_wish *wish, FILE *out)
{
    unsigned long long number = wish->number;
    static const char *const named[] = {[PROBE_WISH_FUNCTIONS] = "functions",
                                        [PROBE_WISH_LOOPS] = "loops",
                                        [PROBE_WISH_CALLS] = "calls",
                                        [PROBE_WISH_VALUES] = "values"};
    switch ((enum probe_wish_kind)wish->kind) {
    case PROBE_WISH_FUNCTIONS:
    case PROBE_WISH_LOOPS:
    case PROBE_WISH_CALLS:
    case PROBE_WISH_VALUES:
        fprintf(out, "%s%s%s\n", named[wish->kind], wish->text ? " " : "", wish->text ? wish->text : "");
        break;
    case PROBE_WISH_LOOP_LINE:
        fprintf(out, "loops %s:%llu\n", wish->text, number);
        break;
    case PROBE_WISH_LOOP:
        fprintf(out, "loop %llu\n", number);
        break;
    case PROBE_WISH_ADDRESSES:
        fprintf(out, "addresses loop %llu\n", number);
        break;
    case PROBE_WISH_ADDRESSES_LINE:
        fprintf(out, "addresses %s:%llu\n", wish->text, number);
        break;
    case PROBE_WISH_AT:
        fprintf(out, "at 0x%llx %s\n", number, wish->name);
        break;
    case PROBE_WISH_AT_LINE:
        fprintf(out, "at %s:%llu %s\n", wish->text, number, wish->name);
        break;
    }
}

static void write_wishes(const struct probe_choice *choice, uint32_t file, FILE *out)
{
    for (size_t i = 0; i < choice->wishes.count; i++) {
        const struct probe_wish *wish = ARRAY_AT(struct probe_wish, &choice->wishes, i);
        if (wish->file == file)
            write_wish(wish, out);
    }
}

/* The build of a file, as the choice wants it, or as it is; NULL: neither is known. */
static const char *build_of(const struct probe_choice *choice, const struct model *model, const char *path)
{
    for (size_t i = 0; i < choice->files.count; i++) {
        const struct probe_file *file = ARRAY_AT(struct probe_file, &choice->files, i);
        if (file->build_id && (path ? file->path && !strcmp(file->path, path) : !file->path))
            return file->build_id;
    }
    for (uint32_t id = 1; model && id < model->programs.count; id++) {
        const struct program *program = model_program(model, id);
        const char *name = model_text(model, program->path);
        if (!path || (name && !strcmp(name, path)))
            return model_text(model, program->build_id);
    }
    return NULL;
}

static bool has_paths(const struct probe_choice *choice)
{
    for (size_t i = 0; i < choice->files.count; i++)
        if (ARRAY_AT(struct probe_file, &choice->files, i)->path)
            return true;
    return false;
}

static void write_build(const char *build, FILE *out)
{
    if (build)
        fprintf(out, "build-id %s\n", build);
}

void plan_text_write(const struct probe_choice *choice, const struct model *model, FILE *out)
{
    if (choice->has_no_clock)
        fprintf(out, "no-clock\n");
    if (choice->keeps_all)
        fprintf(out, "keep-all\n");
    write_build(build_of(choice, has_paths(choice) ? NULL : model, NULL), out);
    write_wishes(choice, 0, out);
    for (size_t i = 0; i < choice->files.count; i++) {
        const struct probe_file *file = ARRAY_AT(struct probe_file, &choice->files, i);
        if (!file->path)
            continue;
        fprintf(out, "file %s\n", file->path);
        write_build(build_of(choice, model, file->path), out);
        write_wishes(choice, (uint32_t)i + 1, out);
    }
}
