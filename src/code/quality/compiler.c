/* Producer texts of compilers, read as the compilers read their own options.

   Options are taken word by word, later ones over earlier ones. For GCC, the effects of the optimisation
   level and the language come first: every explicit option wins over an implied one (opts.cc:
   default_options_optimization runs before the command line is read). Clang applies -Ofast where it stands.
   Some options are in force only together with others, such as -fassociative-math, or are undone by the
   choice of a language, as -std=c11 undoes contraction: finish() handles these.

   GCC resolves -march=native before it records its options; only then it adds the sizes of the caches, which
   shows that native was given. It writes -march=x86-64 where no target was given, so that option carries no
   information.

   Code that GCC generated at link time belongs to a compile unit of the link, which has the options of the
   link. The options that the code was compiled with are in the unit of its source file. */
#include "code/quality/compiler.h"

#include <ctype.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Since this version GCC vectorises at -O2 (with -fvect-cost-model=very-cheap). */
enum { GCC_VECTORISES_AT_2 = 12, LONGEST_NAME = 256 };

struct word {
    const char *text;
    size_t length;
};

/* The next word at or after *at; false at the end, which a semicolon before a blank is too.  Clang puts a
   backslash before blanks within words. */
static bool next_word(const char **at, struct word *word)
{
    const char *end;
    while (**at == ' ')
        ++*at;
    for (end = *at; *end && *end != ' ' && !(*end == ';' && (!end[1] || end[1] == ' ')); end++)
        if (*end == '\\' && end[1])
            end++;
    *word = (struct word){*at, (size_t)(end - *at)};
    *at = end;
    return word->length;
}

static bool is_word(struct word word, const char *text)
{
    return strlen(text) == word.length && !memcmp(word.text, text, word.length);
}

static bool begins(struct word word, const char *text)
{
    return word.length >= strlen(text) && !memcmp(word.text, text, strlen(text));
}

static bool is_one_of(struct word word, const char *const *texts)
{
    while (*texts && !is_word(word, *texts))
        texts++;
    return *texts;
}

/* Options that set one property and nothing else; also as "option=value". */
static const struct effect {
    const char *option;
    size_t property; /* a bool of struct compiler */
    bool value;
} effects[] = {
#define SETS(option, property)                                                                               \
    {                                                                                                        \
        option, offsetof(struct compiler, property), true                                                    \
    }
#define CLEARS(option, property)                                                                             \
    {                                                                                                        \
        option, offsetof(struct compiler, property), false                                                   \
    }
    SETS("-fno-math-errno", has_no_math_errno),
    CLEARS("-fmath-errno", has_no_math_errno),
    SETS("-fassociative-math", has_associative_math),
    CLEARS("-fno-associative-math", has_associative_math),
    SETS("-fno-signed-zeros", has_no_signed_zeros),
    CLEARS("-fsigned-zeros", has_no_signed_zeros),
    SETS("-fno-trapping-math", has_no_trapping_math),
    CLEARS("-ftrapping-math", has_no_trapping_math),
    SETS("-freciprocal-math", has_reciprocal_math),
    CLEARS("-fno-reciprocal-math", has_reciprocal_math),
    SETS("-ffinite-math-only", has_finite_math),
    CLEARS("-fno-finite-math-only", has_finite_math),
    SETS("-fcx-limited-range", has_limited_range),
    CLEARS("-fno-cx-limited-range", has_limited_range),
    SETS("-funroll-loops", has_unroll),
    SETS("-funroll-all-loops", has_unroll),
    CLEARS("-fno-unroll-loops", has_unroll),
    SETS("-flto", has_lto),
    SETS("-fltrans", has_lto),
    SETS("-ipo", has_lto),
    CLEARS("-fno-lto", has_lto),
    SETS("-fopenmp", has_openmp),
    SETS("-fopenmp-simd", has_openmp),
    SETS("-qopenmp", has_openmp),
    SETS("-qopenmp-simd", has_openmp),
    CLEARS("-fno-openmp", has_openmp),
    SETS("-ftree-vectorize", vectorises),
    SETS("-ftree-loop-vectorize", vectorises),
    SETS("-fvectorize", vectorises),
    SETS("-fno-tree-vectorize", forbids_vectorising),
    SETS("-fno-tree-loop-vectorize", forbids_vectorising),
    SETS("-fno-vectorize", forbids_vectorising),
    SETS("-no-vec", forbids_vectorising),
    SETS("-mno-fma", forbids_fma),
    CLEARS("-mfma", forbids_fma),
    SETS("-no-fma", forbids_fma),
    CLEARS("-fma", forbids_fma),
    SETS("-pg", has_profile),
    SETS("-p", has_profile),
    SETS("-fprofile-generate", has_profile),
    SETS("-fprofile-instr-generate", has_profile),
    SETS("-fprofile-arcs", has_profile),
    SETS("--coverage", has_profile),
    SETS("-mavx", has_features),
    SETS("-mavx2", has_features),
    SETS("-mavx512f", has_features),
    SETS("-mfma", has_features),
    /* The driver of GCC adds these for -march=native alone. */
    SETS("--param=l1-cache-size", is_native),
    SETS("-xHost", is_native),
#undef SETS
#undef CLEARS
};
enum { EFFECT_COUNT = sizeof effects / sizeof *effects };

static bool *property(struct compiler *compiler, const struct effect *effect)
{
    return (bool *)((char *)compiler + effect->property);
}

/* The next effect of a word from a place in the list on; EFFECT_COUNT: none. */
static size_t find_effect(struct word word, size_t from)
{
    const char *value = memchr(word.text, '=', word.length);
    bool is_parameter = begins(word, "--param=");
    if (is_parameter)
        value = memchr(word.text + 8, '=', word.length - 8);
    struct word name = {word.text, value ? (size_t)(value - word.text) : word.length};
    while (from < EFFECT_COUNT && !is_word(name, effects[from].option))
        from++;
    return from;
}

/* Of -ffast-math, those that -funsafe-math-optimizations has too. */
static void set_unsafe_math(struct compiler *compiler, bool value)
{
    compiler->has_associative_math = compiler->has_reciprocal_math = value;
    compiler->has_no_signed_zeros = value;
    compiler->has_no_trapping_math = value || compiler->family == compiler_CLANG;
}

static void set_fast_math(struct compiler *compiler, bool value)
{
    set_unsafe_math(compiler, value);
    compiler->has_finite_math = value;
    compiler->has_no_math_errno = value || compiler->language == language_FORTRAN;
    if (value)
        compiler->has_limited_range = true;
}

/* Whether a target of AArch64 has SVE: its name, then +sve and +nosve. */
static bool has_sve(struct word value)
{
    static const char *const names[] = {"armv9",           "neoverse-v",  "neoverse-n2", "neoverse-n3",
                                        "neoverse-512tvb", "zeus",        "demeter",     "perseus",
                                        "grace",           "a64fx",       "cortex-a510", "cortex-a520",
                                        "cortex-a710",     "cortex-a715", "cortex-a720", "cortex-a725",
                                        "cortex-x2",       "cortex-x3",   "cortex-x4",   "cortex-x925"};
    bool has = false;
    for (size_t i = 0; i < sizeof names / sizeof *names && !has; i++)
        has = begins(value, names[i]);
    for (const char *end = value.text + value.length, *at = value.text;
         (at = memchr(at, '+', (size_t)(end - at))); at++) {
        struct word feature = {at, (size_t)(end - at)};
        has = begins(feature, "+sve") || (has && !begins(feature, "+nosve"));
    }
    return has;
}

/* -mno-avx512f and -mavx512f */
static void take_extension(struct compiler *compiler, struct word word)
{
    for (unsigned i = 0; i < extension_COUNT; i++) {
        const char *option = extensions[i].option;
        if (strncmp(option, "-mno-", 5))
            continue;
        if (is_word(word, option))
            compiler->without |= extensions_closure(1U << i);
        else if (word.length + 3 == strlen(option) && begins(word, "-m") &&
                 !memcmp(word.text + 2, option + 5, word.length - 2))
            compiler->without &= ~(1U << i);
    }
}

static void take_target(struct compiler *compiler, struct word value)
{
    /* The features that every processor of the instruction set has. */
    static const char *const baselines[] = {"x86-64", "generic",   "armv8-a", "i386",     "i486",     "i586",
                                            "i686",   "pentium-m", "k8",      "pentium4", "athlon64", NULL};
    size_t size = value.length < sizeof compiler->target ? value.length : sizeof compiler->target - 1;
    if (is_one_of(value, baselines))
        size = 0;
    memcpy(compiler->target, value.text, size);
    compiler->target[size] = 0;
    if (is_word(value, "native") || is_word(value, "Host"))
        compiler->is_native = true;
    compiler->without &= ~(1U << extension_SVE);
    if (!compiler->is_native && !has_sve(value))
        compiler->without |= 1U << extension_SVE;
}

/* Sanitizers that check accesses or arithmetic cost time; others do not. */
static bool is_slow_sanitizer(struct word word)
{
    static const char *const slow[] = {"address", "thread",  "memory",  "undefined",
                                       "bounds",  "integer", "overflow"};
    if (!begins(word, "-fsanitize="))
        return false;
    for (size_t i = 0; i < sizeof slow / sizeof *slow; i++)
        if (memmem(word.text, word.length, slow[i], strlen(slow[i])))
            return true;
    return false;
}

/* Options that are in force only together with others. */
struct asked {
    struct word level;                           /* the last -O; empty: none */
    bool has_associative, has_unroll;            /* an option decided it, either way */
    bool is_contracting, is_decided;             /* -ffp-contract, and whether it was there */
    bool is_unsafe;                              /* -ffast-math or -funsafe-math-optimizations */
    bool has_debug, has_profile_use, is_precise; /* -fp-model precise or strict */
};

static bool is_level(struct word word)
{
    return begins(word, "-O") && (word.length <= 3 || is_word(word, "-Ofast"));
}

static void take_fp_model(struct compiler *compiler, struct asked *asked, struct word value)
{
    bool is_fast = begins(value, "fast");
    asked->is_precise = !is_fast;
    set_fast_math(compiler, is_fast);
    compiler->has_no_math_errno = true;
}

/* Options with a special meaning; false if this is not one. */
static bool take_special(struct compiler *compiler, struct asked *asked, struct word word)
{
    const char *equals = memchr(word.text, '=', word.length);
    struct word value = {0};
    if (equals)
        value = (struct word){equals + 1, word.length - (size_t)(equals + 1 - word.text)};
    if (is_word(word, "-ffast-math") || is_word(word, "-fno-fast-math")) {
        asked->is_unsafe = is_word(word, "-ffast-math");
        set_fast_math(compiler, asked->is_unsafe);
    } else if (is_word(word, "-funsafe-math-optimizations") ||
               is_word(word, "-fno-unsafe-math-optimizations")) {
        asked->is_unsafe = word.text[2] == 'u';
        set_unsafe_math(compiler, asked->is_unsafe);
    } else if (begins(word, "-march=") || begins(word, "-mcpu=")) {
        take_target(compiler, value);
    } else if (compiler->family == compiler_INTEL && begins(word, "-x") && word.length > 3) {
        take_target(compiler, (struct word){word.text + 2, word.length - 2});
    } else if (begins(word, "-ffp-contract=")) {
        asked->is_decided = true;
        asked->is_contracting =
            is_word(value, "fast") || (compiler->family != compiler_GCC && is_word(value, "on"));
    } else if (begins(word, "-mprefer-vector-width=") || begins(word, "-mprefer-avx128")) {
        compiler->preferred_vector = equals ? (unsigned)strtoul(value.text, NULL, 10) : 128;
    } else if (begins(word, "-fp-model=")) {
        take_fp_model(compiler, asked, value);
    } else if (begins(word, "-std=")) {
        compiler->is_strict_iso = begins(value, "c") || begins(value, "iso9899");
    } else if (is_word(word, "-ansi")) {
        compiler->is_strict_iso = true;
    } else if (is_word(word, "-fno-sanitize=all")) {
        compiler->has_sanitizer = false;
    } else {
        return false;
    }
    return true;
}

static void take_word(struct compiler *compiler, struct asked *asked, struct word word)
{
    if (take_special(compiler, asked, word))
        return;
    if (begins(word, "-fassociative-math") || begins(word, "-fno-associative-math"))
        asked->has_associative = true;
    if (begins(word, "-funroll") || begins(word, "-fno-unroll"))
        asked->has_unroll = true;
    if (begins(word, "-fprofile-use") || begins(word, "-fauto-profile"))
        asked->has_profile_use = true;
    if (is_slow_sanitizer(word))
        compiler->has_sanitizer = true;
    take_extension(compiler, word);
    for (size_t i = 0; (i = find_effect(word, i)) < EFFECT_COUNT; i++) {
        *property(compiler, &effects[i]) = effects[i].value;
        if (effects[i].property == offsetof(struct compiler, vectorises))
            compiler->forbids_vectorising = false;
    }
}

static void take_level(struct compiler *compiler, struct word level)
{
    char sign = level.length > 2 ? level.text[2] : '1';
    compiler->optimisation = isdigit((unsigned char)sign) ? (sign > '3' ? 3 : sign - '0') : 2;
    compiler->optimises_size = sign == 's' || sign == 'z';
    compiler->optimises_debugging = sign == 'g';
    if (sign == 'g')
        compiler->optimisation = 1;
    if (is_word(level, "-Ofast"))
        compiler->optimisation = 3;
}

/* What holds before any option: by language and by compiler. */
static void begin(struct compiler *compiler)
{
    compiler->optimisation = compiler->family == compiler_INTEL ? 2 : 0;
    compiler->has_no_math_errno = compiler->language == language_FORTRAN;
    /* Clang assumes by default that operations do not trap. */
    compiler->has_no_trapping_math = compiler->family == compiler_CLANG;
    if (compiler->family == compiler_INTEL) /* -fp-model fast is its default */
        set_fast_math(compiler, true);
}

/* Options in force only with others. */
static void finish(struct compiler *compiler, const struct asked *asked)
{
    bool is_reordering = compiler->has_no_signed_zeros && compiler->has_no_trapping_math;
    bool is_gcc = compiler->family == compiler_GCC, is_c = compiler->language == language_C;
    if (compiler->language == language_FORTRAN && is_gcc && !asked->has_associative)
        compiler->has_associative_math = true; /* -fprotect-parens keeps what the programmer grouped */
    compiler->has_associative_math = compiler->has_associative_math && is_reordering;
    compiler->has_fast_math = compiler->has_associative_math && compiler->has_reciprocal_math &&
                              compiler->has_finite_math && compiler->has_no_math_errno;
    if (!asked->has_unroll)
        compiler->has_unroll =
            asked->has_profile_use || (!is_gcc && compiler->optimisation >= 2 && !compiler->optimises_size);
    /* ISO C lets a product and a sum become one operation only within an expression, and GCC does not know
       where one ends. */
    if (asked->is_decided)
        compiler->forbids_contraction = !asked->is_contracting;
    else
        compiler->forbids_contraction =
            asked->is_precise || (is_gcc && is_c && compiler->is_strict_iso && !asked->is_unsafe);
    if (compiler->optimisation >= (is_gcc && compiler->major < GCC_VECTORISES_AT_2 ? 3 : 2) &&
        !(is_gcc && compiler->optimises_size))
        compiler->vectorises = true;
    if (compiler->optimisation == 0 || compiler->forbids_vectorising)
        compiler->vectorises = false;
}

static void take_flags(struct compiler *compiler)
{
    struct asked asked = {0};
    const char *at = compiler->flags;
    struct word word;
    begin(compiler);
    while (next_word(&at, &word))
        if (is_level(word))
            asked.level = word;
        else if (is_word(word, "-g"))
            asked.has_debug = true;
    if (asked.level.length)
        take_level(compiler, asked.level);
    else if (asked.has_debug && compiler->family == compiler_INTEL)
        compiler->optimisation = 0; /* -g changes the default */
    bool is_fast = asked.level.length && is_word(asked.level, "-Ofast");
    asked.is_unsafe = is_fast;
    if (is_fast)
        set_fast_math(compiler, true);
    for (at = compiler->flags; next_word(&at, &word);) {
        if (is_word(word, "-fp-model") && next_word(&at, &word))
            take_fp_model(compiler, &asked, word);
        else if (is_fast && compiler->family == compiler_CLANG && is_word(word, "-Ofast"))
            set_fast_math(compiler, true);
        else
            take_word(compiler, &asked, word);
    }
    finish(compiler, &asked);
}

/* The first number of a version, such as 12.2.0; words in brackets are the distributor's. */
static unsigned find_version(const char *name)
{
    unsigned depth = 0;
    for (const char *at = name; *at; at++) {
        depth += *at == '(';
        if (*at == ')' && depth)
            depth--;
        if (depth || !isdigit((unsigned char)*at) || (at > name && at[-1] != ' '))
            continue;
        char *end;
        unsigned long number = strtoul(at, &end, 10);
        if (*end == '.' && number < 10000)
            return (unsigned)number;
        at = end - 1;
    }
    return 0;
}

/* The family, and the language where the name shows it. */
static void take_name(struct compiler *compiler, const char *name)
{
    static const struct {
        const char *part;
        enum compiler_family family;
        enum language language;
    } names[] = {{"rustc version", compiler_UNKNOWN, language_OTHER},
                 {"GNU AS ", compiler_UNKNOWN, language_ASSEMBLY},
                 {"GNU C++", compiler_GCC, language_CPLUSPLUS},
                 {"GNU Fortran", compiler_GCC, language_FORTRAN},
                 {"GNU F77", compiler_GCC, language_FORTRAN},
                 {"GNU F95", compiler_GCC, language_FORTRAN},
                 {"GNU GIMPLE", compiler_GCC, language_UNKNOWN},
                 {"GNU C", compiler_GCC, language_C},
                 {"GNU ", compiler_GCC, language_OTHER},
                 {"GCC: ", compiler_GCC, language_UNKNOWN},
                 {"flang", compiler_CLANG, language_FORTRAN},
                 {"Flang", compiler_CLANG, language_FORTRAN},
                 {"clang", compiler_CLANG, language_UNKNOWN},
                 {"Arm C/C++/Fortran", compiler_CLANG, language_UNKNOWN},
                 {"Intel(R) Fortran", compiler_INTEL, language_FORTRAN},
                 {"Intel(R) C++", compiler_INTEL, language_UNKNOWN},
                 {"Intel(R)", compiler_INTEL, language_UNKNOWN}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strstr(name, names[i].part)) {
            compiler->family = names[i].family;
            if (compiler->language == language_UNKNOWN)
                compiler->language = names[i].language;
            break;
        }
    compiler->major = find_version(name);
}

/* Where the options start in a text; NULL: it has none. */
static const char *find_flags(const char *text)
{
    for (const char *at = text; (at = strstr(at, " -")); at++)
        if (isalpha((unsigned char)at[2]) || at[2] == '-')
            return at + 1;
    return NULL;
}

void compiler_parse(struct compiler *compiler, const char *producer, const char *flags,
                    enum language language)
{
    *compiler = (struct compiler){.name = producer, .flags = flags};
    compiler->language = language > language_OTHER ? language_OTHER : language;
    if (producer) {
        take_name(compiler, producer);
        if (!flags)
            compiler->flags = find_flags(producer);
    }
    /* Options of an unknown compiler are ignored. */
    if (compiler->family == compiler_UNKNOWN)
        compiler->flags = NULL;
    if (compiler->flags)
        take_flags(compiler);
}

static bool has_word(const struct compiler *compiler, struct word option)
{
    static const char *const targets[] = {"-march", "-mcpu", "-march=native", "-mcpu=native", "-xHost", NULL};
    size_t effect = find_effect(option, 0);
    if (is_one_of(option, targets))
        return compiler->target[0] || compiler->has_features || compiler->is_native;
    if (is_word(option, "-g"))
        return compiler->has_debug;
    if (is_word(option, "-ffast-math"))
        return compiler->has_fast_math;
    if (is_word(option, "-Ofast"))
        return compiler->has_fast_math && compiler->optimisation == 3;
    if (begins(option, "-O") && option.length == 3 && isdigit((unsigned char)option.text[2]))
        return compiler->optimisation >= option.text[2] - '0' && !compiler->optimises_size &&
               !compiler->optimises_debugging;
    if (is_word(option, "-ffp-contract=fast"))
        return !compiler->forbids_contraction;
    if (is_word(option, "-ftree-vectorize") || is_word(option, "-fvectorize"))
        return compiler->vectorises;
    /* Single features of a processor are in force only if they are named, not if they are merely not
       forbidden. */
    if (effect < EFFECT_COUNT && !begins(option, "-m") && !memchr(option.text, '=', option.length))
        return *property((struct compiler *)compiler, &effects[effect]) == effects[effect].value;
    const char *at = compiler->flags;
    for (struct word word; next_word(&at, &word);)
        if (word.length == option.length && !memcmp(word.text, option.text, word.length))
            return true;
    return false;
}

bool compiler_has(const struct compiler *compiler, const char *options)
{
    struct word option;
    if (!compiler->flags)
        return is_word((struct word){options, strlen(options)}, "-g") && compiler->has_debug;
    while (next_word(&options, &option))
        if (!has_word(compiler, option))
            return false;
    return true;
}

/* Whether a compile unit belongs to a source file. */
static bool is_unit_of(const struct model *model, const struct unit *unit, string_id file)
{
    size_t name = strings_length(&model->strings, unit->name), path = strings_length(&model->strings, file);
    const char *text = model_text(model, file);
    if (unit->name == file)
        return true;
    return unit->name && name < path && text[path - name - 1] == '/' &&
           !strcmp(text + path - name, model_text(model, unit->name)) && unit->directory &&
           strings_length(&model->strings, unit->directory) == path - name - 1 &&
           !strncmp(text, model_text(model, unit->directory), path - name - 1);
}

/* The unit with the options that a function was compiled with; 0: none. */
static uint32_t unit_of(const struct model *model, const struct function *function)
{
    uint32_t unit = function->unit;
    if (!unit && function->first_block) {
        const struct block *block = model_block(model, function->first_block);
        uint32_t line =
            block->first_instruction ? model_instruction(model, block->first_instruction)->source_line : 0;
        unit = model_source_line(model, line)->unit;
    }
    const char *producer = unit ? model_text(model, model_unit(model, unit)->producer) : NULL;
    if (!producer || strncmp(producer, "GNU GIMPLE", 10) || !function->file)
        return unit;
    string_id file = model_file(model, function->file)->path;
    for (uint32_t id = 1; id < model->units.count; id++)
        if (model_unit(model, id)->program == function->program &&
            is_unit_of(model, model_unit(model, id), file))
            return id;
    return unit;
}

/* One of the texts that a file has; flags point into it. */
static void parse_piece(struct compiler *compiler, const char *text, size_t length)
{
    char name[LONGEST_NAME];
    size_t size = length < sizeof name ? length : sizeof name - 1;
    memcpy(name, text, size);
    name[size] = 0;
    const char *flags = find_flags(name);
    if (flags)
        name[flags - name] = 0;
    compiler_parse(compiler, name, flags ? text + (flags - name) : NULL, language_UNKNOWN);
}

/* From the texts of a whole file. Its start-up code comes from the C library's compiler, which is GCC, so if
   there is another compiler, that one matters. Options are known if exactly one command line was recorded. */
static void find_in_program(struct compiler *compiler, const char *texts)
{
    struct compiler piece, recorded = {0};
    unsigned found = 0, lines = 0;
    for (const char *at = texts, *end; at && *at; at = *end ? end + 2 : end) {
        end = strstr(at, "; ");
        if (!end)
            end = at + strlen(at);
        parse_piece(&piece, at, (size_t)(end - at));
        if (piece.flags) {
            recorded = piece;
            lines++;
        }
        if (piece.family == compiler_UNKNOWN || (found && compiler->family != compiler_GCC))
            continue;
        if (found && compiler->family == piece.family && piece.major && compiler->major != piece.major)
            compiler->major = 0;
        if (!found || compiler->family != piece.family)
            *compiler = (struct compiler){.family = piece.family, .major = piece.major};
        found++;
    }
    if (lines == 1 && recorded.family == compiler->family) {
        recorded.major = compiler->major;
        *compiler = recorded;
    }
    compiler->name = texts;
}

/* Names of Fortran's procedures end with an underscore. */
static bool is_without_fortran(const struct model *model, const struct function *row)
{
    const char *name = model_text(model, row->name);
    bool is_procedure = name && *name && name[strlen(name) - 1] == '_';
    return !is_procedure && model_program(model, row->program)->is_not_fortran;
}

void compiler_find(struct compiler *compiler, const struct model *model, uint32_t function)
{
    const struct function *row = model_function(model, function);
    uint32_t unit = unit_of(model, row);
    const struct unit *of = model_unit(model, unit);
    if (unit) {
        const char *name = model_text(model, of->compiler);
        compiler_parse(compiler, name ? name : model_text(model, of->producer), model_text(model, of->flags),
                       (enum language)of->language);
        if (row->unit != unit && compiler->flags)
            compiler->has_lto |= row->unit != 0;
        compiler->has_debug = true;
        compiler->is_not_fortran =
            compiler->language != language_FORTRAN && compiler->language != language_UNKNOWN;
        return;
    }
    *compiler = (struct compiler){0};
    find_in_program(compiler, model_text(model, model_program(model, row->program)->compiler));
    compiler->is_not_fortran = compiler->language != language_FORTRAN && is_without_fortran(model, row);
}
