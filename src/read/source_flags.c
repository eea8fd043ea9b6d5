/* The options of a compilation: from compile_commands.json, from the debug information, or none.

   A recorded command is better than the debug information, because compilers leave -I and -D out of the
   latter.  Of either only what changes the parse is kept: where headers are, what macros say, which language
   and which of its forms.  Everything else (optimisation, output, linking, options that the parser has never
   heard of) is dropped, so that it cannot fail for them.  Names of files become absolute, because the parser
   does not run where the compiler ran. */
#include "read/source_parts.h"

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

static char *present_directory(void)
{
    char *directory = getcwd(NULL, 0);
    return directory ? directory : memory_format("/");
}

static char *absolute(const char *path)
{
    char *here = present_directory(), *whole = source_join_path(here, path);
    free(here);
    return whole;
}

/* compile_commands.json beside the source or above it, there or in a folder build. */
static bool look_upwards(const char *file, struct source_compilation *compilation, bool *is_found)
{
    size_t length = strlen(file);
    while (!*is_found && length > 1) {
        length = parent_length(file, length);
        static const char *const places[] = {"", "build/"};
        for (unsigned i = 0; i < 2 && !*is_found; i++) {
            char *path = memory_format("%.*s/%scompile_commands.json", (int)length, file, places[i]);
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

static void add_path(struct source_words *words, const char *option, const char *directory, const char *name)
{
    char *path = source_join_path(directory, name);
    add(words, option);
    add(words, path);
    free(path);
}

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

static bool keep_path(const struct source_compilation *compilation, size_t *index, const char *const *options,
                      struct source_words *words)
{
    for (; *options; options++) {
        size_t before = *index;
        const char *value = value_of(&compilation->words, index, *options);
        if (value && *value) {
            add_path(words, *options, compilation->directory, value);
            return true;
        }
        *index = before;
    }
    return false;
}

static bool keep_macro(const struct source_compilation *compilation, size_t *index,
                       struct source_words *words)
{
    static const char *const options[] = {"-D", "-U"};
    for (unsigned i = 0; i < 2; i++) {
        size_t before = *index;
        const char *value = value_of(&compilation->words, index, options[i]);
        if (value && *value) {
            add(words, options[i]);
            add(words, value);
            return true;
        }
        *index = before;
    }
    return false;
}

static bool is_language_option(const char *word)
{
    static const char *const options[] = {
        "-std=",        "--std=",          "-ansi",         "-nostdinc",     "-undef",    "-fms-extensions",
        "-fno-builtin", "-funsigned-char", "-fsigned-char", "-fshort-wchar", "-fchar8_t", "-fno-exceptions",
        "-fno-rtti",    "-fconcepts",      "-fcoroutines",  "-fpermissive",  NULL};
    for (const char *const *option = options; *option; option++)
        if (starts_with(word, *option))
            return true;
    return false;
}

/* Which macros of the machine are defined: __AVX2__ and the like. */
static bool is_machine_option(const char *word)
{
    return starts_with(word, "-m") && !starts_with(word, "-mllvm") && !starts_with(word, "-mtune") &&
           !starts_with(word, "-mcmodel");
}

void source_keep_clang_options(const struct source_compilation *compilation, enum kept_options most,
                               struct source_words *words)
{
    static const char *const paths[] = {"-include",  "-imacros",  "-isystem", "-iquote", "-idirafter",
                                        "-isysroot", "--sysroot", "-I",       NULL};
    for (size_t i = 0; i < compilation->words.words.count; i++) {
        const char *word = source_word(&compilation->words, i);
        if (*word != '-' || starts_with(word, "-include-pch") || keep_path(compilation, &i, paths, words) ||
            keep_macro(compilation, &i, words))
            continue;
        if ((most >= kept_LANGUAGE && is_language_option(word)) ||
            (most >= kept_MACHINE && is_machine_option(word)))
            add(words, word);
        else if (!strcmp(word, "-o") || !strcmp(word, "-MF") || !strcmp(word, "-MT") ||
                 !strcmp(word, "-MQ") || !strcmp(word, "-x"))
            i++;
    }
    if (compilation->is_recorded)
        return;
    static const char *const guesses[] = {".", "include", "src", "..", "../include"};
    for (unsigned i = 0; i < sizeof guesses / sizeof *guesses; i++)
        add_path(words, "-idirafter", compilation->directory, guesses[i]);
}

void source_keep_fortran_options(const struct source_compilation *compilation, struct source_words *words)
{
    static const char *const paths[] = {"-I", NULL}, *const modules[] = {"-J", NULL};
    static const char *const kept[] = {"-std=",
                                       "-cpp",
                                       "-nocpp",
                                       "-ffree-form",
                                       "-ffixed-form",
                                       "-ffree-line-length-",
                                       "-ffixed-line-length-",
                                       "-fdefault-",
                                       "-freal-",
                                       "-finteger-4-integer-8",
                                       "-fimplicit-none",
                                       "-fdollar-ok",
                                       "-fcray-pointer",
                                       "-fbackslash",
                                       "-fd-lines-as-",
                                       "-fdec",
                                       "-fallow-",
                                       "-fcoarray=",
                                       "-fmodule-private",
                                       "-fno-range-check",
                                       "-fno-automatic",
                                       NULL};
    for (size_t i = 0; i < compilation->words.words.count; i++) {
        const char *word = source_word(&compilation->words, i);
        if (*word != '-' || keep_path(compilation, &i, paths, words) || keep_macro(compilation, &i, words))
            continue;
        /* Where the compiler wrote modules is where we only look for them. */
        struct source_words found = {0};
        if (keep_path(compilation, &i, modules, &found)) {
            add(words, "-I");
            add(words, source_word(&found, 1));
        }
        source_words_free(&found);
        for (const char *const *option = kept; *option; option++)
            if (starts_with(word, *option)) {
                add(words, word);
                break;
            }
        if (!strcmp(word, "-o"))
            i++;
    }
    add_path(words, "-I", compilation->directory, ".");
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
