/* Compilations that a stranger wrote down, and the same source by another compiler.

   A stranger's words run a compiler of a known name from PATH, with options of a list
   (compiler_options.def, tuning_options.def), on a source that the user named. */
#include "change/optimise/compile/compilation_parts.h"

#include "base/child.h"
#include "base/path.h"
#include "code/source/parts.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Options of a stranger, the source of the user. */
static bool read_strangers(struct compilation *compilation, const char *compiler, const char *const *words,
                           size_t count, const char *source, const char *named_by, struct error *error)
{
    struct trust trust;
    trust_begin(&trust, false);
    trust_add_file(&trust, source);
    if (named_by)
        trust_add_file(&trust, named_by);
    char *wanted = path_absolute(source);
    struct compilation_reader reader = {
        .compilation = compilation, .wanted = wanted, .is_strangers = true, .trust = &trust};
    bool done = compilation_find_compiler(compilation, compiler, true, error) &&
                compilation_take_words(&reader, words, count, error);
    if (done && !compilation->source) {
        compilation->source = source_join_path("/", wanted);
        if (reader.has_language)
            compilation->language = reader.language;
        else
            done = compilation_is_source(wanted, &compilation->language) ||
                   error_set(error, source, "by its name, this is not a source of C, C++ or Fortran");
    }
    done = done && compilation_complete(&reader, error);
    free(wanted);
    trust_free(&trust);
    if (!done)
        compilation_free(compilation);
    return done;
}

bool compilation_from_commands_file(const char *path, const char *source, struct compilation *compilation,
                                    struct error *error)
{
    char *whole = path_absolute(source);
    struct source_compilation entry = {0};
    bool is_found = false, done = source_find_entry(path, whole, &entry, &is_found, error);
    if (done && (!is_found || !entry.words.words.count))
        done = error_set(error, path, "has no compile command for %s", whole);
    if (done) {
        const char *const *words = entry.words.words.data;
        size_t count = entry.words.words.count;
        while (count > 1 && (!strcmp(path_name(*words), "ccache") || !strcmp(path_name(*words), "distcc"))) {
            words++;
            count--;
        }
        compilation_begin(compilation, entry.directory);
        done = read_strangers(compilation, words[0], words + 1, count - 1, whole, path, error);
    }
    source_compilation_free(&entry);
    free(whole);
    return done;
}

/* The program for a producer, with its version if PATH has it: gcc-12, else gcc.  To be freed; NULL: unknown.
 */
static char *program_of(const char *producer)
{
    static const struct {
        const char *text, *program;
    } producers[] = {
        {"GNU C++", "g++"}, {"GNU Fortran", "gfortran"}, {"GNU F", "gfortran"}, {"GNU C", "gcc"}};
    const char *program = NULL, *clang = strstr(producer, "clang version "), *version = NULL;
    for (size_t i = 0; i < sizeof producers / sizeof *producers && !program; i++)
        if (!strncmp(producer, producers[i].text, strlen(producers[i].text)))
            program = producers[i].program;
    if (program) {
        version = strchr(producer + strlen("GNU "), ' ');
        version = version && !strncmp(program, "gfortran", 8) && !isdigit((unsigned char)version[1])
                      ? strchr(version + 1, ' ')
                      : version;
    } else if (clang) {
        program = "clang";
        version = clang + strlen("clang version");
    }
    if (!program)
        return NULL;
    size_t digits = version ? strspn(version + 1, "0123456789") : 0;
    if (digits) {
        char *exact = memory_format("%s-%.*s", program, (int)digits, version + 1);
        char *found = child_find_program(exact);
        if (found) {
            free(found);
            return exact;
        }
        free(exact);
    }
    return memory_copy_text(program, strlen(program));
}

bool compilation_from_producer(const char *producer, const char *folder, const char *source,
                               struct compilation *compilation, struct error *error)
{
    char *program = program_of(producer);
    if (!program)
        return error_set(error, source,
                         "the debug information does not say how it was compiled; give the command after --");
    enum source_language language;
    if (!strncmp(program, "clang", 5) && compilation_is_source(source, &language) && language == source_CPP) {
        char *other = memory_format("clang++%s", program + 5);
        free(program);
        program = other;
    }
    struct source_words words = {0};
    const char *options = strstr(producer, " -");
    if (options)
        source_words_split(&words, options, strlen(options));
    char *whole = source_join_path(folder ? folder : "/", source);
    compilation_begin(compilation, folder);
    bool done = read_strangers(compilation, program, words.words.data, words.words.count, whole, NULL, error);
    source_words_free(&words);
    free(whole);
    free(program);
    return done;
}

/* Options that two compilers spell differently. */
static const struct {
    enum compiler_family from;
    const char *word, *other;
} translations[] = {
    {compiler_GCC, "-ftree-vectorize", "-fvectorize -fslp-vectorize"},
    {compiler_GCC, "-fno-tree-vectorize", "-fno-vectorize -fno-slp-vectorize"},
    {compiler_GCC, "-ftree-loop-vectorize", "-fvectorize"},
    {compiler_GCC, "-fno-tree-loop-vectorize", "-fno-vectorize"},
    {compiler_GCC, "-ftree-slp-vectorize", "-fslp-vectorize"},
    {compiler_GCC, "-fno-tree-slp-vectorize", "-fno-slp-vectorize"},
    {compiler_GCC, "-funroll-all-loops", "-funroll-loops"},
    {compiler_CLANG, "-fvectorize", "-ftree-loop-vectorize"},
    {compiler_CLANG, "-fno-vectorize", "-fno-tree-loop-vectorize"},
    {compiler_CLANG, "-fslp-vectorize", "-ftree-slp-vectorize"},
    {compiler_CLANG, "-fno-slp-vectorize", "-fno-tree-slp-vectorize"},
    {compiler_CLANG, "-Oz", "-Os"},
};

static void add_translated(struct array *words, const char *word, enum compiler_family from)
{
    for (size_t i = 0; i < sizeof translations / sizeof *translations; i++)
        if (translations[i].from == from && !strcmp(translations[i].word, word)) {
            const char *other = translations[i].other;
            size_t length = strcspn(other, " ");
            *(char **)array_push(words) = memory_copy_text(other, length);
            if (other[length])
                compilation_add(words, other + length + 1);
            return;
        }
    compilation_add(words, word);
}

/* Words of a list that the compiler takes. */
static bool keep_taken(struct compilation *compilation, struct array *words, struct error *error)
{
    struct array list = *words;
    *words = ARRAY_OF(char *);
    bool *is_refused = memory_get(list.count + 1);
    bool done = compilation_refuses(compilation, list.data, list.count, is_refused, error);
    for (size_t i = 0; i < list.count; i++)
        if (done && !is_refused[i])
            *(char **)array_push(words) = *ARRAY_AT(char *, &list, i);
        else
            free(*ARRAY_AT(char *, &list, i));
    free(is_refused);
    array_free(&list);
    return done;
}

/* The program of a family for a language: gcc means g++ for C++. */
static char *program_for(const char *compiler, enum source_language language)
{
    if (language != source_CPP || strstr(path_name(compiler), "++"))
        return memory_copy_text(compiler, strlen(compiler));
    const char *name = path_name(compiler);
    int before = (int)(name - compiler);
    const char *gcc = strstr(name, "gcc"), *clang = strstr(name, "clang");
    if (gcc)
        return memory_format("%.*s%.*sg++%s", before, compiler, (int)(gcc - name), name, gcc + 3);
    if (clang)
        return memory_format("%.*s%.*sclang++%s", before, compiler, (int)(clang - name), name, clang + 5);
    return memory_copy_text(compiler, strlen(compiler));
}

bool compilation_with_compiler(const struct compilation *compilation, const char *compiler,
                               struct compilation *other, struct error *error)
{
    compilation_begin(other, compilation->folder);
    char *program = program_for(compiler, compilation->language);
    bool done = compilation_find_compiler(other, program, false, error);
    free(program);
    other->language = compilation->language;
    other->source = memory_copy_text(compilation->source, strlen(compilation->source));
    bool is_fortran = compilation->language == source_FORTRAN;
    if (done && is_fortran && other->family == compiler_GCC)
        other->family = compiler_GFORTRAN;
    if (done && is_fortran != (other->family == compiler_GFORTRAN))
        done = error_set(error, other->compiler, "does not compile %s", is_fortran ? "Fortran" : "C and C++");
    for (size_t i = 0; done && i < compilation->tuning.count; i++) {
        const char *word = *ARRAY_AT(char *, &compilation->tuning, i);
        if (other->family == compilation->family)
            compilation_add(&other->tuning, word);
        else
            add_translated(&other->tuning, word, compilation->family);
    }
    done = done && keep_taken(other, &other->tuning, error);
    for (size_t i = 0; done && i < compilation->meaning.count; i++)
        compilation_add(&other->meaning, *ARRAY_AT(char *, &compilation->meaning, i));
    if (!done)
        compilation_free(other);
    return done;
}
