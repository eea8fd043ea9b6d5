/* What the words of a compiler's command line are for. */
#include "run/probe/nodes/compile.h"

#include "base/path.h"

#include <stdlib.h>
#include <string.h>

static bool starts_with(const char *word, const char *start)
{
    return !strncmp(word, start, strlen(start));
}

static bool is_one_of(const char *word, const char *const *words)
{
    for (; *words; words++)
        if (!strcmp(word, *words))
            return true;
    return false;
}

static bool starts_with_one_of(const char *word, const char *const *starts)
{
    for (; *starts; starts++)
        if (starts_with(word, *starts))
            return true;
    return false;
}

/* Options whose next word belongs to them. */
static const char *const with_word[] = {"-D",
                                        "-U",
                                        "-I",
                                        "-include",
                                        "-imacros",
                                        "-isystem",
                                        "-iquote",
                                        "-idirafter",
                                        "-iprefix",
                                        "-iwithprefix",
                                        "-iwithprefixbefore",
                                        "-isysroot",
                                        "-imultilib",
                                        "-cxx-isystem",
                                        "--param",
                                        "-A",
                                        "-aux-info",
                                        "-J",
                                        "-mllvm",
                                        "-Xclang",
                                        "-Xpreprocessor",
                                        "-dumpbase",
                                        "-dumpdir",
                                        "-dumpbase-ext",
                                        "-wrapper",
                                        "-specs",
                                        "--config",
                                        "-arch",
                                        "-fplugin",
                                        "-framework",
                                        "-Xarch_host",
                                        NULL};
static const char *const linker_with_word[] = {"-L", "-l",       "-T",     "-u", "-z",
                                               "-e", "-Xlinker", "-rpath", "-y", NULL};
static const char *const linker_words[] = {"-rdynamic",      "-s", "-nostdlib", "-nostartfiles",
                                           "-nodefaultlibs", NULL};
static const char *const linker_starts[] = {"-l", "-L", "-Wl,", "-fuse-ld=", "-T", NULL};
static const char *const machine_with_word[] = {
    "-B", "-target", "-gcc-toolchain", "-Xassembler", "--sysroot", "-b", "-V", NULL};
static const char *const machine_starts[] = {
    "-m", "-Wa,", "-B", "--target=", "--sysroot=", "--gcc-toolchain=", NULL};
static const char *const machine_words[] = {
    "-pipe", "-fintegrated-as", "-fno-integrated-as", "-no-integrated-as", "-v", NULL};
static const char *const depends_with_word[] = {"-MF", "-MT", "-MQ", NULL};
static const char *const depends_words[] = {"-MD", "-MMD", "-MP", "-MG", NULL};

/* Lines with these make no object, or none from a listing. */
static const char *const as_is_words[] = {"-E",
                                          "-S",
                                          "-M",
                                          "-MM",
                                          "-###",
                                          "-fsyntax-only",
                                          "-emit-llvm",
                                          "-dumpversion",
                                          "-dumpmachine",
                                          "-dumpspecs",
                                          "-dumpfullversion",
                                          "--help",
                                          "--version",
                                          "-",
                                          NULL};
static const char *const as_is_starts[] = {"-print-", "--print-", "-cc1", "--help=", "-analyze", NULL};
static const struct {
    const char *start, *why;
} not_from_listings[] = {
    {"-flto", "with -flto there is no assembly at this step; -fno-lto gives probes"},
    {"-gsplit-dwarf", "with -gsplit-dwarf the compiler must assemble itself"},
    {"--coverage", "with --coverage the compiler must name its own files"},
    {"-fprofile-", "with -fprofile-… the compiler must name its own files"},
    {"-ftest-coverage", "with -ftest-coverage the compiler must name its own files"},
    {"-save-temps", "with -save-temps the compiler must name its own files"},
};

static const char *const source_suffixes[] = {
    "c", "i",   "cc",  "cp",  "cxx", "cpp", "CPP", "c++", "C",   "ii",  "m",   "f",   "for", "ftn",
    "F", "FOR", "fpp", "FPP", "FTN", "f90", "f95", "f03", "f08", "F90", "F95", "F03", "F08", NULL};

static bool is_source(const char *word)
{
    const char *dot = strrchr(path_name(word), '.');
    return dot && is_one_of(dot + 1, source_suffixes);
}

struct parsing {
    struct compile_line *line;
    size_t at;
    const char *language; /* of -x; NULL: by the name */
    bool is_object, is_as_is;
};

static void set_role(struct parsing *parsing, enum compile_role role, bool has_word)
{
    struct compile_line *line = parsing->line;
    line->roles[parsing->at++] = (uint8_t)role;
    if (has_word && parsing->at < line->count)
        line->roles[parsing->at++] = (uint8_t)role;
}

static void take_file(struct parsing *parsing, const char *word)
{
    bool is_known = parsing->language && strcmp(parsing->language, "none") != 0;
    bool is_code = is_known && !starts_with(parsing->language, "assembler");
    set_role(parsing, (is_known ? is_code : is_source(word)) ? ROLE_SOURCE : ROLE_INPUT, false);
}

static const char *word_behind(const struct parsing *parsing)
{
    return parsing->at + 1 < parsing->line->count ? parsing->line->words[parsing->at + 1] : NULL;
}

/* -o and -x, with their word beside them or after. */
static bool take_joined(struct parsing *parsing, const char *word)
{
    bool is_output = starts_with(word, "-o"), is_alone = strlen(word) == 2;
    if ((!is_output && !starts_with(word, "-x")) || starts_with(word, "-objc"))
        return false;
    const char *value = is_alone ? word_behind(parsing) : word + 2;
    if (is_output)
        parsing->line->output = value;
    else
        parsing->language = value;
    set_role(parsing, is_output ? ROLE_OUTPUT : ROLE_LANGUAGE, is_alone);
    return true;
}

static bool take_dependencies(struct parsing *parsing, const char *word)
{
    struct compile_line *line = parsing->line;
    bool has_word = is_one_of(word, depends_with_word);
    bool is_joined = !has_word && starts_with_one_of(word, depends_with_word) && strlen(word) > 3;
    if (!has_word && !is_joined && !is_one_of(word, depends_words))
        return false;
    line->makes_dependencies = line->makes_dependencies || !strcmp(word, "-MD") || !strcmp(word, "-MMD");
    line->names_dependencies = line->names_dependencies || starts_with(word, "-MF");
    line->names_target = line->names_target || starts_with(word, "-MT") || starts_with(word, "-MQ");
    set_role(parsing, ROLE_DEPENDS, has_word);
    return true;
}

static void look_for_reasons(struct parsing *parsing, const char *word)
{
    struct compile_line *line = parsing->line;
    for (unsigned i = 0; i < sizeof not_from_listings / sizeof *not_from_listings; i++)
        if (starts_with(word, not_from_listings[i].start))
            line->why = not_from_listings[i].why;
    if (!strcmp(word, "-fno-lto") && line->why == not_from_listings[0].why)
        line->why = NULL;
    parsing->is_as_is =
        parsing->is_as_is || is_one_of(word, as_is_words) || starts_with_one_of(word, as_is_starts);
    line->is_static = line->is_static || !strcmp(word, "-static") || !strcmp(word, "-static-pie");
    line->is_relocatable = line->is_relocatable || !strcmp(word, "-r");
}

static void take_word(struct parsing *parsing, const char *word)
{
    look_for_reasons(parsing, word);
    if (*word != '-' || !word[1])
        take_file(parsing, word);
    else if (!strcmp(word, "-c"))
        parsing->is_object = true, set_role(parsing, ROLE_MODE, false);
    else if (take_joined(parsing, word) || take_dependencies(parsing, word))
        return;
    else if (is_one_of(word, with_word))
        set_role(parsing, ROLE_OPTION, true);
    else if (is_one_of(word, linker_with_word))
        set_role(parsing, ROLE_LINKER, true);
    else if (is_one_of(word, machine_with_word))
        set_role(parsing, ROLE_MACHINE, true);
    else if (is_one_of(word, linker_words) || starts_with_one_of(word, linker_starts))
        set_role(parsing, ROLE_LINKER, false);
    else if (is_one_of(word, machine_words) || starts_with_one_of(word, machine_starts))
        set_role(parsing, ROLE_MACHINE, false);
    else
        set_role(parsing, ROLE_OPTION, false);
}

static bool has_role(const struct compile_line *line, enum compile_role role)
{
    for (size_t i = line->first; i < line->count; i++)
        if (line->roles[i] == role)
            return true;
    return false;
}

void compile_parse(struct compile_line *line, const char *const *words)
{
    *line = (struct compile_line){.words = words};
    while (words[line->count])
        line->count++;
    line->roles = memory_get(line->count + 1);
    static const char *const starters[] = {"ccache", "distcc", "sccache", "icecc", "nice", "time", NULL};
    line->first = line->count > 1 && is_one_of(path_name(words[0]), starters) && *words[1] != '-' ? 2 : 1;
    line->is_clang = strstr(path_name(words[line->first - 1]), "clang") != NULL;
    struct parsing parsing = {.line = line, .at = line->first};
    while (parsing.at < line->count)
        take_word(&parsing, words[parsing.at]);
    bool has_sources = has_role(line, ROLE_SOURCE);
    if (parsing.is_as_is || (!has_sources && !has_role(line, ROLE_INPUT)) ||
        (parsing.is_object && !has_sources))
        line->kind = COMPILE_AS_IS, line->why = NULL;
    else if (line->why && parsing.is_object)
        line->kind = COMPILE_AS_IS;
    else
        line->kind = parsing.is_object ? COMPILE_OBJECTS : COMPILE_PROGRAM;
}

void compile_free(struct compile_line *line)
{
    free(line->roles);
}

/* Steps */

static void add(struct array *words, const char *word)
{
    *(char **)array_push(words) = memory_copy_text(word, strlen(word));
}

static struct array start(const struct compile_line *line)
{
    struct array words = ARRAY_OF(char *);
    for (size_t i = 0; i < line->first; i++)
        add(&words, line->words[i]);
    return words;
}

static void finish(struct array *words)
{
    *(char **)array_push(words) = NULL;
}

/* A name with another suffix. */
static char *with_suffix(const char *name, const char *suffix)
{
    const char *dot = strrchr(path_name(name), '.');
    return memory_format("%.*s%s", (int)(dot ? (size_t)(dot - name) : strlen(name)), name, suffix);
}

char *compile_object_name(const struct compile_line *line, size_t source)
{
    if (line->kind == COMPILE_OBJECTS && line->output)
        return memory_copy_text(line->output, strlen(line->output));
    return with_suffix(path_name(line->words[source]), ".o");
}

/* Names that the compiler would have made from that of the object. */
static void add_dependency_names(struct array *words, const struct compile_line *line, size_t source)
{
    char *object = compile_object_name(line, source);
    bool is_program = line->kind == COMPILE_PROGRAM;
    if (line->makes_dependencies && !line->names_dependencies) {
        char *name = with_suffix(is_program && line->output ? line->output : object, ".d");
        add(words, "-MF");
        add(words, name);
        free(name);
    }
    if (line->makes_dependencies && !line->names_target) {
        add(words, "-MQ");
        add(words, is_program && line->output ? line->output : object);
    }
    free(object);
}

struct array compile_to_listing(const struct compile_line *line, size_t source, const char *listing)
{
    struct array words = start(line);
    for (size_t i = line->first; i < line->count; i++) {
        uint8_t role = line->roles[i];
        if (role == ROLE_OPTION || role == ROLE_MACHINE || role == ROLE_DEPENDS || role == ROLE_LANGUAGE ||
            i == source)
            add(&words, line->words[i]);
    }
    add_dependency_names(&words, line, source);
    if (line->is_clang)
        add(&words, "-Qunused-arguments");
    add(&words, "-S");
    add(&words, "-o");
    add(&words, listing);
    finish(&words);
    return words;
}

static void add_machine(struct array *words, const struct compile_line *line)
{
    for (size_t i = line->first; i < line->count; i++)
        if (line->roles[i] == ROLE_MACHINE)
            add(words, line->words[i]);
    if (line->is_clang)
        add(words, "-Qunused-arguments");
}

struct array compile_to_ask(const struct compile_line *line, const char *question)
{
    struct array words = start(line);
    add_machine(&words, line);
    add(&words, question);
    finish(&words);
    return words;
}

struct array compile_to_object(const struct compile_line *line, const char *listing, const char *object)
{
    struct array words = start(line);
    add_machine(&words, line);
    add(&words, "-c");
    add(&words, listing);
    add(&words, "-o");
    add(&words, object);
    finish(&words);
    return words;
}

struct array compile_to_program(const struct compile_line *line, char *const *objects,
                                const char *const *runtime)
{
    struct array words = start(line);
    for (size_t i = line->first; i < line->count; i++) {
        uint8_t role = line->roles[i];
        bool is_object = role == ROLE_SOURCE && objects[i];
        if (role == ROLE_DEPENDS || (role == ROLE_LANGUAGE && has_role(line, ROLE_SOURCE)))
            continue;
        add(&words, is_object ? objects[i] : line->words[i]);
    }
    if (line->is_clang)
        add(&words, "-Qunused-arguments");
    for (; runtime && *runtime; runtime++)
        add(&words, *runtime);
    finish(&words);
    return words;
}

void compile_words_free(struct array *words)
{
    for (size_t i = 0; i < words->count; i++)
        free(*ARRAY_AT(char *, words, i));
    array_free(words);
}
