/* The options of a compilation: from compile_commands.json, from the debug information, or none.

   A recorded command is better than the debug information, because compilers leave -I and -D out of the
   latter.  Neither can be trusted: options can start programs and load libraries.  So only the options in
   code/source/flags.def are kept, which affect the parse: folders of headers, macros, the language and its
   dialect.  Names of files become absolute, because the parser does not run where the compiler ran. */
#include "code/source/parts.h"

#include "base/path.h"
#include "code/read/listing/preprocess.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

void source_words_add(struct source_words *words, const char *text, size_t length)
{
    if (!words->words.width)
        words->words = ARRAY_OF(char *);
    char *copy = arena_get(&words->memory, length + 1);
    memcpy(copy, text, length);
    *(char **)array_add(&words->words) = copy;
}

void source_words_free(struct source_words *words)
{
    array_free(&words->words);
    arena_free(&words->memory);
}

void source_words_split(struct source_words *words, const char *text, size_t length)
{
    char *word = memory_get(length + 1);
    size_t at = 0;
    while (at < length) {
        while (at < length && strchr(" \t\n\r", text[at]))
            at++;
        size_t used = 0;
        bool is_word = false;
        for (char quote = 0; at < length && (quote || !strchr(" \t\n\r", text[at])); at++) {
            char c = text[at];
            is_word = true;
            if (c == quote)
                quote = 0;
            else if (!quote && (c == '"' || c == '\''))
                quote = c;
            else if (c == '\\' && quote != '\'' && at + 1 < length)
                word[used++] = text[++at];
            else
                word[used++] = c;
        }
        if (is_word)
            source_words_add(words, word, used);
    }
    free(word);
}

/* Takes the last part off a path that ends without a slash. */
static size_t parent_length(const char *path, size_t length)
{
    while (length > 1 && path[length - 1] != '/')
        length--;
    return length > 1 ? length - 1 : length;
}

char *source_join_path(const char *directory, const char *name)
{
    char *joined = *name == '/' ? memory_format("%s", name) : memory_format("%s/%s", directory, name);
    char *clean = memory_get(strlen(joined) + 2);
    size_t used = 0;
    clean[used++] = '/';
    for (const char *at = joined; *at;) {
        size_t length = strcspn(at, "/");
        if (length == 2 && !memcmp(at, "..", 2)) {
            used = parent_length(clean, used);
        } else if (length && !(length == 1 && *at == '.')) {
            if (used > 1)
                clean[used++] = '/';
            memcpy(clean + used, at, length);
            used += length;
        }
        at += length + (at[length] == '/');
    }
    clean[used] = 0;
    free(joined);
    return clean;
}

/* From the root on, without . and .. and doubled slashes. */
static char *absolute(const char *path)
{
    char *whole = path_absolute(path), *clean = source_join_path("/", whole);
    free(whole);
    return clean;
}

const char *const source_build_folders[] = {
    "",  "build/", "Build/", "_build/", "builddir/", "out/", "cmake-build-release/", "cmake-build-debug/",
    NULL};

/* compile_commands.json beside the source or above it, there or in a usual folder of builds. */
static bool look_upwards(const char *file, struct source_compilation *compilation, bool *is_found)
{
    size_t length = strlen(file);
    while (!*is_found && length > 1) {
        length = parent_length(file, length);
        for (const char *const *place = source_build_folders; *place && !*is_found; place++) {
            char *path = memory_format("%.*s/%scompile_commands.json", (int)length, file, *place);
            struct error ignored = {0}; /* nobody asked for it */
            if (!access(path, R_OK))
                source_find_entry(path, file, compilation, is_found, &ignored);
            free(path);
        }
    }
    return true;
}

static bool look_in(const char *place, const char *file, struct source_compilation *compilation,
                    bool *is_found, struct error *error)
{
    char *inside = memory_format("%s/compile_commands.json", place);
    bool done = source_find_entry(access(inside, R_OK) ? place : inside, file, compilation, is_found, error);
    free(inside);
    return done;
}

bool source_find_compilation(const char *file, const struct source_options *options,
                             struct source_compilation *compilation, struct error *error)
{
    char *whole = absolute(file);
    bool is_found = false;
    bool done = options->compile_commands
                    ? look_in(options->compile_commands, whole, compilation, &is_found, error)
                    : look_upwards(whole, compilation, &is_found);
    compilation->is_recorded = is_found;
    compilation->trust = options->trust;
    if (done && !is_found) {
        if (options->flags)
            source_words_split(&compilation->words, options->flags, strlen(options->flags));
        whole[parent_length(whole, strlen(whole))] = 0;
        free(compilation->directory);
        compilation->directory =
            options->directory ? absolute(options->directory) : memory_format("%s", whole);
    }
    free(whole);
    if (!done)
        source_compilation_free(compilation);
    return done;
}

void source_compilation_free(struct source_compilation *compilation)
{
    source_words_free(&compilation->words);
    free(compilation->directory);
    *compilation = (struct source_compilation){0};
}

static bool starts_with(const char *text, const char *start)
{
    return !strncmp(text, start, strlen(start));
}

static void add(struct source_words *words, const char *text)
{
    source_words_add(words, text, strlen(text));
}

/* A folder where headers may be, near the one that debug information names: a stranger. */
static void add_path(struct source_words *words, const char *option,
                     const struct source_compilation *compilation, const char *name)
{
    char *path = source_join_path(compilation->directory, name);
    if (trust_allows_guess(compilation->trust, path)) {
        add(words, option);
        add(words, path);
    }
    free(path);
}

enum parser { parser_CLANG, parser_FORTRAN };
enum form { form_ALONE, form_NAME, form_FOLDER, form_FILE, form_MODULES, form_MACRO };

static const struct flag {
    enum parser parser;
    enum kept_options set;
    const char *name;
    enum form form;
} flags[] = {
#define FLAG(parser, set, name, form) {parser_##parser, kept_##set, name, form_##form},
#include "code/source/flags.def"
#undef FLAG
};

/* An option with a value, in the same word or the next: the value, or NULL where it is another option. */
static const char *value_of(const struct source_words *words, size_t *index, const char *option)
{
    const char *word = source_word(words, *index);
    if (!starts_with(word, option))
        return NULL;
    const char *value = word + strlen(option);
    if (*value == '=' && option[1] == '-')
        return value + 1;
    if (*value)
        return value;
    return *index + 1 < words->words.count ? source_word(words, ++*index) : NULL;
}

static bool is_name(const char *text)
{
    for (; *text; text++)
        if (!isalnum((unsigned char)*text) && !strchr("+-._=", *text))
            return false;
    return true;
}

static bool is_plain(const char *text)
{
    for (; *text; text++)
        if (iscntrl((unsigned char)*text))
            return false;
    return true;
}

/* Adds the option if its value has the right form. */
static void keep_value(const struct source_compilation *compilation, const struct flag *flag,
                       const char *value, struct source_words *words)
{
    char *path = source_join_path(compilation->directory, value), *word = NULL;
    bool is_path = flag->form == form_FOLDER || flag->form == form_MODULES || flag->form == form_FILE;
    bool may_read = is_path && is_plain(path) && trust_allows(compilation->trust, path);
    if (flag->form == form_MACRO && preprocess_is_macro(value)) {
        word = memory_format("%s%s", flag->name, value);
        add(words, word);
    } else if (flag->form == form_FOLDER && may_read) {
        add(words, flag->name);
        add(words, path);
    } else if (flag->form == form_MODULES && may_read) {
        add(words, "-I");
        add(words, path);
    } else if (flag->form == form_FILE && may_read) {
        /* To the parser itself: the driver would take a precompiled header beside the file in its place. */
        add(words, "-Xclang");
        add(words, flag->name);
        add(words, "-Xclang");
        add(words, path);
    }
    free(word);
    free(path);
}

/* Takes an option and its value; whether it is this one. */
static bool take_flag(const struct source_compilation *compilation, size_t *index, const struct flag *flag,
                      enum kept_options most, struct source_words *words)
{
    const char *word = source_word(&compilation->words, *index);
    bool is_wanted = flag->set <= most;
    if (flag->form == form_ALONE || flag->form == form_NAME) {
        bool is_it = flag->form == form_ALONE
                         ? !strcmp(word, flag->name)
                         : starts_with(word, flag->name) && is_name(word + strlen(flag->name));
        if (is_it && is_wanted)
            add(words, word);
        return is_it;
    }
    size_t before = *index;
    const char *value = value_of(&compilation->words, index, flag->name);
    if (value && *value) {
        keep_value(compilation, flag, value, words);
        return true;
    }
    *index = before;
    return false;
}

/* Options that are dropped together with the word after them. */
static bool has_value_behind(const char *word)
{
    static const char *const options[] = {"-o", "-MF", "-MT", "-MQ", "-x", "-Xclang", "-include-pch"};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (!strcmp(word, options[i]))
            return true;
    return false;
}

static void keep_options(const struct source_compilation *compilation, enum parser parser,
                         enum kept_options most, struct source_words *words)
{
    for (size_t i = 0; i < compilation->words.words.count; i++) {
        const char *word = source_word(&compilation->words, i);
        bool is_taken = has_value_behind(word);
        i += is_taken;
        for (size_t j = 0; *word == '-' && !is_taken && j < sizeof flags / sizeof *flags; j++)
            is_taken = flags[j].parser == parser && take_flag(compilation, &i, &flags[j], most, words);
    }
}

void source_keep_clang_options(const struct source_compilation *compilation, enum kept_options most,
                               struct source_words *words)
{
    keep_options(compilation, parser_CLANG, most, words);
    if (compilation->is_recorded)
        return;
    static const char *const guesses[] = {".", "include", "src", "..", "../include"};
    for (unsigned i = 0; i < sizeof guesses / sizeof *guesses; i++)
        add_path(words, "-idirafter", compilation, guesses[i]);
}

void source_keep_fortran_options(const struct source_compilation *compilation, struct source_words *words)
{
    keep_options(compilation, parser_FORTRAN, kept_MACHINE, words);
    add_path(words, "-I", compilation, ".");
}

bool source_is_cplusplus(const char *path, const struct source_compilation *compilation)
{
    const char *dot = strrchr(path, '.');
    static const char *const certain[] = {".cc",  ".cp",  ".cpp", ".cxx", ".c++", ".hh",
                                          ".hp",  ".hpp", ".hxx", ".h++", ".tcc", ".ipp",
                                          ".inl", ".tpp", ".txx", ".ii",  ".mm",  NULL};
    for (const char *const *suffix = certain; dot && *suffix; suffix++)
        if (!strcasecmp(dot, *suffix))
            return true;
    if (dot && (!strcmp(dot, ".C") || !strcmp(dot, ".H")))
        return true;
    if (dot && (!strcmp(dot, ".c") || !strcmp(dot, ".i")))
        return false;
    for (size_t i = 0; i < compilation->words.words.count; i++) {
        const char *word = source_word(&compilation->words, i);
        if (starts_with(word, "C++") || starts_with(word, "-std=c++") || starts_with(word, "-std=gnu++") ||
            strstr(word, "g++") || strstr(word, "clang++"))
            return true;
    }
    return false;
}
