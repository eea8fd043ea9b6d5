/* A compile command taken apart: each word is looked up in change/optimise/compile/compiler_options.def,
   once, in order.

   What is left of it runs anywhere: folders and files in it are absolute, -J of gfortran (which would write
   modules into the user's folder) becomes -I, and the folder of the source is known for #include "…" of a
   text that lies elsewhere. */
#include "change/optimise/compile/compilation_parts.h"

#include "base/child.h"
#include "base/path.h"
#include "code/read/listing/preprocess.h"
#include "code/source/parts.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

enum form { form_ALONE, form_START, form_VALUE };
enum fate { fate_DROP, fate_MEANING, fate_TUNING, fate_PATH, fate_MODULES };
enum who { who_ANY, who_USER };

struct option {
    const char *name;
    enum form form;
    enum fate fate;
    enum who who;
};
static const struct option options[] = {
#define OPTION(name, form, fate, who) {name, form_##form, fate_##fate, who_##who},
#include "change/optimise/compile/compiler_options.def"
#undef OPTION
};

static const char *const tuning_options[] = {
#define TUNING_OPTION(name) name,
#include "change/optimise/compile/tuning_options.def"
#undef TUNING_OPTION
};

static bool starts_with(const char *text, const char *start)
{
    return !strncmp(text, start, strlen(start));
}

void compilation_add(struct array *words, const char *text)
{
    *(char **)array_push(words) = memory_copy_text(text, strlen(text));
}

static const struct option *option_of(const char *word)
{
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (options[i].form == form_ALONE ? !strcmp(word, options[i].name)
                                          : starts_with(word, options[i].name))
            return &options[i];
    return NULL;
}

static bool is_name(const char *text)
{
    for (; *text; text++)
        if (!isalnum((unsigned char)*text) && !strchr("+-._=,", *text))
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

/* -fNAME, -fno-NAME, either with =VALUE. */
static bool is_known_tuning(const char *word)
{
    if (!starts_with(word, "-f"))
        return false;
    const char *name = word + 2 + (starts_with(word, "-fno-") ? 3 : 0);
    size_t length = strcspn(name, "=");
    for (size_t i = 0; i < sizeof tuning_options / sizeof *tuning_options; i++)
        if (strlen(tuning_options[i]) == length && !memcmp(tuning_options[i], name, length))
            return true;
    return false;
}

/* Options in no row of the table. */
static void take_unlisted(struct compilation_reader *reader, const char *word)
{
    struct compilation *compilation = reader->compilation;
    bool is_tuning = starts_with(word, "-f") || starts_with(word, "-m");
    if (!reader->is_strangers)
        compilation_add(is_tuning ? &compilation->tuning : &compilation->meaning, word);
    else if (is_known_tuning(word) ||
             (starts_with(word, "-m") && !starts_with(word, "-mllvm") && is_name(word)))
        compilation_add(&compilation->tuning, word);
    else
        compilation->dropped++;
}

/* Whether a stranger may give this value. */
static bool may_have(const struct compilation_reader *reader, const struct option *option, const char *value,
                     const char *path)
{
    if (!reader->is_strangers)
        return true;
    if (option->who == who_USER)
        return false;
    if (!strcmp(option->name, "-D") || !strcmp(option->name, "-U"))
        return preprocess_is_macro(value);
    if (!strcmp(option->name, "-include") || !strcmp(option->name, "-imacros"))
        return is_plain(path) && trust_allows(reader->trust, path);
    return option->fate == fate_PATH || option->fate == fate_MODULES ? is_plain(path) : is_name(value);
}

/* An option with its value; a value may be empty only in the same word. */
static void take_value(struct compilation_reader *reader, const struct option *option, const char *value)
{
    struct compilation *compilation = reader->compilation;
    char *path = source_join_path(compilation->folder, value), *word = NULL;
    if (option->fate == fate_DROP) {
        /* nothing */
    } else if (!may_have(reader, option, value, path)) {
        compilation->dropped++;
    } else if (option->fate == fate_PATH) {
        /* -isystem=… does not exist, --sysroot needs the sign: two words serve all but that one. */
        if (!strcmp(option->name, "--sysroot")) {
            word = memory_format("--sysroot=%s", path);
            compilation_add(&compilation->meaning, word);
        } else {
            compilation_add(&compilation->meaning, option->name);
            compilation_add(&compilation->meaning, path);
        }
    } else if (option->fate == fate_MODULES) {
        compilation_add(&compilation->meaning, "-I");
        compilation_add(&compilation->meaning, path);
    } else if (!strcmp(option->name, "--param")) {
        word = memory_format("--param=%s", value);
        compilation_add(&compilation->tuning, word);
    } else if (!strcmp(option->name, "-D") || !strcmp(option->name, "-U")) {
        word = memory_format("%s%s", option->name, value);
        compilation_add(&compilation->meaning, word);
    } else {
        struct array *words = option->fate == fate_TUNING ? &compilation->tuning : &compilation->meaning;
        compilation_add(words, option->name);
        compilation_add(words, value);
    }
    free(word);
    free(path);
}

static void take_word(struct compilation_reader *reader, const struct option *option, const char *word)
{
    struct compilation *compilation = reader->compilation;
    if (option->fate == fate_DROP)
        return;
    if (reader->is_strangers && (option->who == who_USER || !is_name(word)))
        compilation->dropped++;
    else
        compilation_add(option->fate == fate_TUNING ? &compilation->tuning : &compilation->meaning, word);
}

/* -x LANGUAGE, in one word or two. */
static bool take_language(struct compilation_reader *reader, const char *const *words, size_t count,
                          size_t *index)
{
    if (!starts_with(words[*index], "-x"))
        return false;
    const char *value = words[*index] + 2;
    if (!*value)
        value = *index + 1 < count ? words[++*index] : "";
    reader->has_language = strcmp(value, "none");
    reader->language = starts_with(value, "c++") ? source_CPP : *value == 'f' ? source_FORTRAN : source_C;
    return true;
}

bool compilation_is_source(const char *word, enum source_language *language)
{
    static const struct {
        const char *suffix;
        enum source_language language;
    } suffixes[] = {
        {"c", source_C},         {"i", source_C},         {"cc", source_CPP},      {"cp", source_CPP},
        {"cxx", source_CPP},     {"cpp", source_CPP},     {"c++", source_CPP},     {"C", source_CPP},
        {"CPP", source_CPP},     {"ii", source_CPP},      {"f", source_FORTRAN},   {"for", source_FORTRAN},
        {"ftn", source_FORTRAN}, {"fpp", source_FORTRAN}, {"f77", source_FORTRAN}, {"f90", source_FORTRAN},
        {"f95", source_FORTRAN}, {"f03", source_FORTRAN}, {"f08", source_FORTRAN}};
    const char *dot = strrchr(path_name(word), '.');
    for (size_t i = 0; dot && i < sizeof suffixes / sizeof *suffixes; i++)
        if (suffixes[i].language == source_FORTRAN ? !strcasecmp(dot + 1, suffixes[i].suffix)
                                                   : !strcmp(dot + 1, suffixes[i].suffix)) {
            *language = suffixes[i].language;
            return true;
        }
    return false;
}

/* A word that is no option: the source, an object, a library. */
static void take_file(struct compilation_reader *reader, const char *word)
{
    struct compilation *compilation = reader->compilation;
    enum source_language language = reader->language;
    if (!reader->has_language && !compilation_is_source(word, &language)) {
        reader->stray = reader->stray ? reader->stray : word;
        return;
    }
    char *path = source_join_path(compilation->folder, word);
    bool is_wanted = !reader->wanted || path_is_same_file(path, reader->wanted);
    reader->sources++;
    if (is_wanted && !compilation->source) {
        compilation->source = path;
        compilation->language = language;
        return;
    }
    free(path);
}

bool compilation_take_words(struct compilation_reader *reader, const char *const *words, size_t count,
                            struct error *error)
{
    for (size_t i = 0; i < count; i++) {
        const char *word = words[i];
        if (*word == '@' && !reader->is_strangers)
            return error_set(error, word, "options in a file are not read; write them out");
        if (*word == '@') {
            reader->compilation->dropped++;
            continue;
        }
        if (*word != '-' || !word[1]) {
            take_file(reader, word);
            continue;
        }
        if (take_language(reader, words, count, &i))
            continue;
        const struct option *option = option_of(word);
        if (!option) {
            take_unlisted(reader, word);
        } else if (option->form != form_VALUE) {
            take_word(reader, option, word);
        } else {
            const char *value = word + strlen(option->name);
            value += *value == '=' && option->name[1] == '-';
            if (!*value)
                value = i + 1 < count ? words[++i] : "";
            take_value(reader, option, value);
        }
    }
    return true;
}

/* What every compilation needs besides its words; the compiler is known already. */
bool compilation_complete(struct compilation_reader *reader, struct error *error)
{
    struct compilation *compilation = reader->compilation;
    if (!compilation->source && reader->wanted && reader->sources)
        return error_set(error, reader->wanted, "the compile command is about another source");
    if (!compilation->source)
        return error_set(error, NULL, "the compile command has no source (C, C++ or Fortran)");
    if (!reader->wanted && reader->sources > 1)
        return error_set(error, NULL, "the compile command has %u sources; name one of them by --line",
                         reader->sources);
    struct stat facts;
    if (stat(compilation->source, &facts))
        return error_set_errno(error, compilation->source, "the source cannot be read");
    if (!S_ISREG(facts.st_mode))
        return error_set(error, compilation->source, "this is not a source file");
    if (compilation->language == source_C && strstr(path_name(compilation->compiler), "++") &&
        !reader->has_language)
        compilation->language = source_CPP;
    bool is_fortran = compilation->language == source_FORTRAN;
    if (is_fortran && compilation->family == compiler_GCC)
        compilation->family = compiler_GFORTRAN; /* gcc compiles Fortran, too */
    if (is_fortran != (compilation->family == compiler_GFORTRAN))
        return error_set(error, compilation->source, "%s does not compile %s", compilation->compiler,
                         is_fortran ? "Fortran" : "C and C++");
    char *folder = path_folder(compilation->source);
    compilation_add(&compilation->meaning, is_fortran ? "-I" : "-iquote");
    compilation_add(&compilation->meaning, folder);
    if (is_fortran && strcmp(folder, compilation->folder)) {
        compilation_add(&compilation->meaning, "-I");
        compilation_add(&compilation->meaning, compilation->folder);
    }
    free(folder);
    return true;
}

void compilation_begin(struct compilation *compilation, const char *folder)
{
    *compilation = (struct compilation){.meaning = ARRAY_OF(char *), .tuning = ARRAY_OF(char *)};
    char *whole = path_absolute(folder ? folder : ".");
    compilation->folder = source_join_path("/", whole);
    free(whole);
}

static bool is_wrapper(const char *word)
{
    static const char *const names[] = {"ccache", "distcc", "sccache", "icecc", "nice", "time"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(path_name(word), names[i]))
            return true;
    return false;
}

bool compilation_is_same_compiler(const char *left, const char *right)
{
    autofree char *real = realpath(left, NULL);
    return real && path_is_same_file(real, right) &&
           (!is_wrapper(real) || !strcmp(path_name(left), path_name(right)));
}

bool compilation_from_words(const char *const *words, size_t count, const char *folder, const char *source,
                            struct compilation *compilation, struct error *error)
{
    compilation_begin(compilation, folder);
    struct compilation_reader reader = {.compilation = compilation};
    char *wanted = source ? path_absolute(source) : NULL;
    reader.wanted = wanted;
    while (count && is_wrapper(*words)) {
        words++;
        count--;
    }
    bool done = count || error_set(error, NULL, "a compile command is missing: -- cc -O2 -c FILE");
    done = done && compilation_find_compiler(compilation, words[0], false, error) &&
           compilation_take_words(&reader, words + 1, count - 1, error) &&
           compilation_complete(&reader, error);
    free(wanted);
    if (!done)
        compilation_free(compilation);
    return done;
}

bool compilation_add_options(struct compilation *compilation, const char *const *words, size_t count,
                             struct error *error)
{
    struct compilation_reader reader = {.compilation = compilation, .wanted = ""};
    size_t before = compilation->meaning.count + compilation->tuning.count;
    for (size_t i = 0; i < count; i++)
        if (starts_with(words[i], "-x"))
            return error_set(error, words[i], "the language is the build's, and no option changes it here");
    if (!compilation_take_words(&reader, words, count, error))
        return false;
    if (reader.stray || reader.sources)
        return error_set(error, reader.stray, "%s",
                         reader.stray ? "this is no option of a compiler" : "options must name no source");
    return !count || compilation->meaning.count + compilation->tuning.count > before ||
           error_set(error, words[0], "does not change how one source is compiled");
}

static void free_words(struct array *words)
{
    for (size_t i = 0; i < words->count; i++)
        free(*ARRAY_AT(char *, words, i));
    array_free(words);
}

void compilation_free(struct compilation *compilation)
{
    free_words(&compilation->meaning);
    free_words(&compilation->tuning);
    free(compilation->compiler);
    free(compilation->version);
    free(compilation->folder);
    free(compilation->source);
    *compilation = (struct compilation){0};
}

void compilation_words(const struct compilation *compilation, struct array *words)
{
    *(const char **)array_push(words) = compilation->compiler;
    for (size_t i = 0; i < compilation->meaning.count; i++)
        *(const char **)array_push(words) = *ARRAY_AT(char *, &compilation->meaning, i);
    for (size_t i = 0; i < compilation->tuning.count; i++)
        *(const char **)array_push(words) = *ARRAY_AT(char *, &compilation->tuning, i);
}
