/* Compilers: which one a word means, what family it is of, and which options it takes.

   A compiler is asked for its version once per compilation.  Which options it refuses is asked for all of
   them in one call with an empty source; only where it refuses some is it asked again without those that it
   named, and a half at a time where its messages name none. */
#include "change/optimise/compile/compilation_parts.h"

#include "base/child.h"
#include "base/path.h"
#include "code/source/parts.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *compiler_family_name(enum compiler_family family)
{
    static const char *const names[] = {"gcc", "clang", "gfortran"};
    return names[family];
}

/* Names that a stranger's command may have: perhaps a machine before, perhaps a version after. */
static bool is_known_name(const char *name)
{
    static const char *const names[] = {"clang++", "clang",  "gfortran", "gcc",    "g++",
                                        "c++",     "cc",     "f95",      "mpicc",  "mpic++",
                                        "mpicxx",  "mpif90", "mpif77",   "mpifort"};
    size_t length = strlen(name);
    while (length && (isdigit((unsigned char)name[length - 1]) || name[length - 1] == '.'))
        length--;
    if (length < strlen(name) && length && name[length - 1] == '-')
        length--;
    else
        length = strlen(name);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t own = strlen(names[i]);
        if (length >= own && !memcmp(name + length - own, names[i], own) &&
            (length == own || name[length - own - 1] == '-'))
            return name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-._")] ==
                   0;
    }
    return false;
}

static char *find_program(const char *word, const char *folder, bool is_strangers)
{
    if (is_strangers)
        return is_known_name(path_name(word)) ? child_find_program(path_name(word)) : NULL;
    if (!strchr(word, '/'))
        return child_find_program(word);
    char *path = source_join_path(folder, word);
    if (!access(path, X_OK))
        return path;
    free(path);
    return NULL;
}

static bool read_version(struct compilation *compilation, struct error *error)
{
    const char *const words[] = {compilation->compiler, "--version", NULL};
    struct child_job job = {.words = words, .limits = source_limits(1 << 16)};
    struct child_answer answer;
    if (!child_run(&job, &answer, error))
        return false;
    const char *text = answer.output.data;
    bool done = answer.end == child_end_DONE;
    compilation->version = memory_copy_text(text, strcspn(text, "\n"));
    if (strstr(compilation->version, "clang"))
        compilation->family = compiler_CLANG;
    else if (strstr(compilation->version, "GNU Fortran"))
        compilation->family = compiler_GFORTRAN;
    else if (strstr(text, "Free Software Foundation") &&
             (strstr(compilation->version, "cc") || strstr(compilation->version, "++") ||
              strstr(compilation->version, "GCC")))
        compilation->family = compiler_GCC;
    else
        done = false;
    child_answer_free(&answer);
    return done || error_set(error, compilation->compiler, "this is neither GCC nor clang nor gfortran");
}

bool compilation_find_compiler(struct compilation *compilation, const char *word, bool is_strangers,
                               struct error *error)
{
    compilation->compiler = find_program(word, compilation->folder, is_strangers);
    if (!compilation->compiler && is_strangers && !is_known_name(path_name(word)))
        return error_set(error, path_name(word),
                         "is not a compiler that is known here; give the command after --");
    if (!compilation->compiler)
        return error_set(error, word, "there is no such compiler in PATH");
    return read_version(compilation, error);
}

/* Whether a message speaks of this option. */
static bool is_named(const char *messages, const char *option)
{
    size_t length = strlen(option);
    if (!strcmp(option, "-mllvm"))
        return false; /* what matters is after it */
    for (const char *at = messages; (at = strstr(at, option)); at += length) {
        char before = at > messages ? at[-1] : ' ', behind = at[length];
        if (!isalnum((unsigned char)behind) && !strchr("-_+", behind ? behind : ' ') &&
            !isalnum((unsigned char)before) && before != '-')
            return true;
    }
    const char *equals = strchr(option, '=');
    if (!equals || !equals[1])
        return false;
    const char *value = strrchr(option, '=') + 1;
    char *name = memory_copy_text(option, (size_t)(equals - option)); /* ‘haswell’ for ‘-mtune’ */
    bool is_it = strstr(messages, name) && strstr(messages, value);
    free(name);
    return is_it;
}

struct question {
    const struct compilation *compilation;
    const char *const *options;
    size_t count;
    bool *is_refused;
};

/* Each word of a group; to be freed are only the copies. */
static void add_group(struct array *words, struct array *copies, const char *group)
{
    while (*(group += strspn(group, " "))) {
        char *word = memory_copy_text(group, strcspn(group, " "));
        *(char **)array_push(copies) = word;
        *(const char **)array_push(words) = word;
        group += strlen(word);
    }
}

/* Asks about all options from first on that are not refused yet, at most `most` of them. */
static bool ask(const struct question *question, size_t first, size_t most, bool *is_fine, char **messages,
                struct error *error)
{
    static const char *const languages[] = {"c", "c++", "f95"};
    struct array words = ARRAY_OF(const char *), copies = ARRAY_OF(char *);
    compilation_words(question->compilation, &words);
    for (size_t i = first; i < question->count && i < first + most; i++)
        if (!question->is_refused[i])
            add_group(&words, &copies, question->options[i]);
    const char *const rest[] = {
        "-S", "-o", "/dev/null", "-x", languages[question->compilation->language], "/dev/null", NULL};
    memcpy(array_push_many(&words, sizeof rest / sizeof *rest), rest, sizeof rest);
    struct child_job job = {
        .words = words.data, .place = child_place_PRIVATE, .limits = source_limits(1 << 20)};
    struct child_answer answer;
    bool done = child_run(&job, &answer, error);
    if (done) {
        *messages = memory_copy_text(answer.messages.data, answer.messages.count);
        *is_fine = answer.end == child_end_DONE && !strstr(*messages, "warning:");
        if (answer.end == child_end_SLOW) {
            free(*messages);
            *messages = NULL;
            done = error_set(error, question->compilation->compiler,
                             "does not end when it is asked which options it takes");
        }
        child_answer_free(&answer);
    }
    for (size_t i = 0; i < copies.count; i++)
        free(*ARRAY_AT(char *, &copies, i));
    array_free(&copies);
    array_free(&words);
    return done;
}

/* What the messages name goes; whether there was something. */
static bool refuse_named(const struct question *question, const char *messages)
{
    bool has_named = false;
    for (size_t i = 0; i < question->count; i++) {
        struct array words = ARRAY_OF(const char *), copies = ARRAY_OF(char *);
        add_group(&words, &copies, question->options[i]);
        for (size_t j = 0; j < copies.count && !question->is_refused[i]; j++)
            if (is_named(messages, *ARRAY_AT(char *, &copies, j)))
                has_named = question->is_refused[i] = true;
        for (size_t j = 0; j < copies.count; j++)
            free(*ARRAY_AT(char *, &copies, j));
        array_free(&copies);
        array_free(&words);
    }
    return has_named;
}

/* Halves the options from first on until those that are refused stand alone. */
static bool halve(const struct question *question, size_t first, size_t count, struct error *error)
{
    char *messages;
    bool is_fine;
    if (!count)
        return true;
    if (!ask(question, first, count, &is_fine, &messages, error))
        return false;
    free(messages);
    if (is_fine)
        return true;
    if (count == 1) {
        question->is_refused[first] = true;
        return true;
    }
    return halve(question, first, count / 2, error) &&
           halve(question, first + count / 2, count - count / 2, error);
}

bool compilation_refuses(const struct compilation *compilation, const char *const *options, size_t count,
                         bool *is_refused, struct error *error)
{
    struct question question = {compilation, options, count, is_refused};
    memset(is_refused, 0, count * sizeof *is_refused);
    enum { ROUNDS = 4 };
    for (int round = 0; round < ROUNDS; round++) {
        char *messages;
        bool is_fine;
        if (!ask(&question, 0, count, &is_fine, &messages, error))
            return false;
        bool goes_on = !is_fine && refuse_named(&question, messages);
        free(messages);
        if (is_fine)
            return true;
        if (!goes_on)
            break;
    }
    return halve(&question, 0, count, error);
}
