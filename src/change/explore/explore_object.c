/* One compilation: the words of the build, and after them what Assay wants besides. Debug information and the
   record of decisions do not change code. Warnings about the source are left out of what a person is told; that
   an option is ignored is not, because the code is then not what he asked for. */
#include "base/child.h"
#include "base/path.h"
#include "change/explore/explore_parts.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LONGEST_MESSAGE = 300 };

static const char RECORDS[] = "-fsave-optimization-record";

/* The language where the suffix of the source does not say it; NULL: it does. */
static const char *language_option(const struct compilation *compilation)
{
    static const char *const words[] = {"c", "c++", "f95"};
    enum source_language language;
    bool is_said = compilation_is_source(compilation->source, &language) && language == compilation->language;
    return is_said ? NULL : words[compilation->language];
}

static struct array make_words(const struct explore_object *object, const char *path, bool has_records)
{
    const char *const language = language_option(object->compilation);
    struct array words = ARRAY_OF(const char *);
    compilation_words(object->compilation, &words);
    for (size_t i = 0; object->others && object->others[i]; i++)
        *(const char **)array_push(&words) = object->others[i];
    if (has_records)
        *(const char **)array_push(&words) = RECORDS;
    if (language) {
        *(const char **)array_push(&words) = "-x";
        *(const char **)array_push(&words) = language;
    }
    const char *const rest[] = {"-g", "-fno-lto", "-pipe", "-c", object->compilation->source,
                                "-o", path,       NULL};
    memcpy(array_push_many(&words, sizeof rest / sizeof *rest), rest, sizeof rest);
    return words;
}

/* A line without the folder of the source; to be freed. */
static char *shorten(const struct compilation *compilation, const char *line, size_t length)
{
    autofree char *folder = path_folder(compilation->source);
    size_t start = strlen(folder);
    if (length > start + 1 && !strncmp(line, folder, start) && line[start] == '/') {
        line += start + 1;
        length -= start + 1;
    }
    return memory_copy_text(line, length < LONGEST_MESSAGE ? length : LONGEST_MESSAGE);
}

/* "solve.f90:3:5:", which gfortran writes some lines above its message. */
static bool is_place(const char *line, size_t length)
{
    return length > 2 && line[length - 1] == ':' && isdigit((unsigned char)line[length - 2]);
}

/* The first error among the messages, with its place; to be freed; NULL: there is none. */
static char *first_error(const struct compilation *compilation, const char *messages)
{
    autofree char *place = NULL;
    for (const char *line = messages; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        size_t length = strcspn(line, "\n");
        autofree char *text = memory_copy_text(line, length);
        if (is_place(line, length)) {
            free(place);
            place = shorten(compilation, line, length);
        } else if (!strncmp(text, "Error: ", 7) || !strncmp(text, "Fatal Error: ", 13)) {
            return memory_format("%s%s%.*s", place ? place : "", place ? " " : "", LONGEST_MESSAGE, text);
        } else if (strstr(text, "error: ")) {
            return shorten(compilation, line, length);
        }
    }
    return NULL;
}

/* A warning of the driver about an option: it has no line of the source before it. To be freed; NULL: none. */
static char *first_ignored(const char *messages)
{
    static const char word[] = ": warning: ";
    for (const char *line = messages; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        size_t length = strcspn(line, "\n");
        autofree char *text = memory_copy_text(line, length);
        const char *at = strstr(text, word), *colon = strchr(text, ':');
        if (at && at == colon)
            return memory_copy_text(at + strlen(word), strnlen(at + strlen(word), LONGEST_MESSAGE));
    }
    return NULL;
}

static char *problem_of(const struct explore_object *object, const struct child_answer *answer,
                        const char *path)
{
    const struct compilation *compilation = object->compilation;
    const char *name = path_name(compilation->compiler);
    autofree char *message = first_error(compilation, answer->messages.data);
    if (answer->end == child_end_MISSING)
        return memory_format("%s is not there", compilation->compiler);
    if (answer->end == child_end_SLOW)
        return memory_format("%s took longer than %u s (--budget allows more)", name, object->seconds);
    if (answer->end == child_end_CRASHED)
        return memory_format("signal %d ended %s", answer->status, name);
    if (answer->end != child_end_DONE && message)
        return memory_format("%s does not compile it: %s", name, message);
    if (answer->end != child_end_DONE)
        return memory_format("%s failed with status %d, and its messages name no error", name,
                             answer->status);
    return access(path, R_OK) ? memory_format("%s reported no error and wrote no object file", name) : NULL;
}

static bool compile_once(const struct explore_object *object, bool has_records, bool *is_unknown,
                         char **problem, char **ignored, struct error *error)
{
    autofree char *path = memory_format("%s/loop.o", object->folder);
    struct array words = make_words(object, path, has_records);
    struct child_job job = {
        .words = words.data,
        .place = child_place_PRIVATE,
        .limits = {
            .memory = 4ull << 30, .file_size = 256ull << 20, .output = 1 << 16, .seconds = object->seconds}};
    struct child_answer answer;
    bool done = child_run(&job, &answer, error);
    if (done) {
        *problem = problem_of(object, &answer, path);
        *ignored = first_ignored(answer.messages.data);
        *is_unknown = answer.end == child_end_FAILED && strstr(answer.messages.data, RECORDS + 2);
        child_answer_free(&answer);
    }
    array_free(&words);
    return done;
}

/* Compilers before GCC 9 keep no records. */
bool explore_object_compile(const struct explore_object *object, char **problem, char **ignored,
                            struct error *error)
{
    bool is_unknown = false;
    *problem = *ignored = NULL;
    if (!compile_once(object, true, &is_unknown, problem, ignored, error))
        return false;
    if (!is_unknown)
        return true;
    free(*problem);
    free(*ignored);
    *problem = *ignored = NULL;
    return compile_once(object, false, &is_unknown, problem, ignored, error);
}
