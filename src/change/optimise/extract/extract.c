/* From a line of a source to the text that is compiled in a thousand ways.

   The text is proved once: it must compile as the user compiles.  A function whose text depends on options
   that a variant may change (#if __AVX2__, __FAST_MATH__) is found by a second run of the preprocessor with
   such options; its whole source file is taken as it stands, so that each variant sees its own text. */
#include "change/optimise/extract/extract_parts.h"
#include "change/optimise/extract/tokens.h"

#include "base/child.h"
#include "base/memory_file.h"
#include "base/path.h"
#include "base/regular_file.h"
#include "code/source/libclang.h"
#include "code/source/parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SOURCE = 64 << 20 };

static char *copy(const char *text)
{
    return text ? memory_copy_text(text, strlen(text)) : NULL;
}

static void add_word(struct array *words, const char *word)
{
    *(char **)array_push(words) = copy(word);
}

/* How a compiler calls the language of a text. */
static const char *text_language(const struct extract *extract)
{
    bool is_preprocessed = extract->suffix[1] == 'i';
    switch (extract->compilation->language) {
    case source_CPP:
        return is_preprocessed ? "c++-cpp-output" : "c++";
    case source_C:
        return is_preprocessed ? "cpp-output" : "c";
    default:
        return NULL; /* by its suffix */
    }
}

/* Options that a text without macros has no use for: -include would put its file there a second time. */
static void add_meaning(struct array *words, const struct compilation *compilation, bool is_preprocessed)
{
    static const char *const dropped[] = {"-I", "-isystem", "-iquote", "-idirafter", "-include", "-imacros"};
    for (size_t i = 0; i < compilation->meaning.count; i++) {
        const char *word = *ARRAY_AT(char *, &compilation->meaning, i);
        bool is_dropped = false;
        for (size_t j = 0; is_preprocessed && j < sizeof dropped / sizeof *dropped; j++)
            is_dropped |= !strcmp(word, dropped[j]);
        if (is_dropped) {
            i++;
            continue;
        }
        if (compilation->language == source_FORTRAN && (!strcmp(word, "-cpp") || !strcmp(word, "-nocpp")))
            continue;
        if (is_preprocessed && (!strncmp(word, "-D", 2) || !strncmp(word, "-U", 2)))
            continue;
        add_word(words, word);
    }
}

static struct array command_words(const struct extract *extract, const struct array *flags, const char *text,
                                  const char *object)
{
    const struct compilation *compilation = extract->compilation;
    struct array words = ARRAY_OF(char *);
    add_word(&words, compilation->compiler);
    add_meaning(&words, compilation, extract->suffix[1] == 'i');
    for (size_t i = 0; i < compilation->tuning.count; i++)
        add_word(&words, *ARRAY_AT(char *, &compilation->tuning, i));
    for (size_t i = 0; i < flags->count; i++)
        add_word(&words, *ARRAY_AT(char *, flags, i));
    static const char *const rest[] = {"-g", "-w", "-c", "-o"};
    for (size_t i = 0; i < sizeof rest / sizeof *rest; i++)
        add_word(&words, rest[i]);
    add_word(&words, object);
    if (text_language(extract)) {
        add_word(&words, "-x");
        add_word(&words, text_language(extract));
    }
    add_word(&words, text);
    array_add(&words);
    words.count--;
    return words;
}

struct array extract_command(const struct extract *extract, const struct choices *choices,
                             const struct variant *variant, const char *text, const char *object)
{
    struct array flags = variant_flags(choices, variant);
    struct array words = command_words(extract, &flags, text, object);
    extract_command_free(&flags);
    return words;
}

void extract_command_free(struct array *words)
{
    for (size_t i = 0; i < words->count; i++)
        free(*ARRAY_AT(char *, words, i));
    array_free(words);
}

struct writing {
    const char *text, *name;
};

static int write_text(void *context)
{
    const struct writing *writing = context;
    FILE *file = fopen(writing->name, "w");
    bool is_written = file && fputs(writing->text, file) >= 0;
    return file && !fclose(file) && is_written ? 0 : 1;
}

bool extract_compiles(const struct extract *extract, char **message, struct error *error)
{
    char name[20];
    snprintf(name, sizeof name, "text%s", extract->suffix);
    struct writing writing = {extract->text, name};
    struct array none = ARRAY_OF(char *), words = command_words(extract, &none, name, "text.o");
    struct child_job job = {.work = write_text,
                            .context = &writing,
                            .words = words.data,
                            .place = child_place_PRIVATE,
                            .limits = source_limits(1 << 16)};
    struct child_answer answer;
    bool has_run = child_run(&job, &answer, error);
    extract_command_free(&words);
    *message = NULL;
    if (!has_run)
        return false;
    bool is_fine = answer.end == child_end_DONE;
    if (!is_fine) {
        const char *found = strcasestr(answer.messages.data, "error: ");
        found = found ? found + 7 : answer.messages.data;
        if (answer.end == child_end_SLOW)
            found = "the compiler took too long";
        else if (!*found)
            found = "the compiler was ended, and said nothing";
        *message = memory_copy_text(found, strcspn(found, "\n"));
    }
    child_answer_free(&answer);
    return is_fine;
}

static void clear_places(struct extract *extract)
{
    extract->loop_at = extract->attribute_at = extract->body_at = SIZE_MAX;
}

/* The innermost loop with this line. */
static const struct shape_loop *loop_at_line(const struct shape *shape, unsigned line)
{
    const struct shape_loop *best = NULL;
    for (size_t i = 0; i < shape->loops.count; i++) {
        const struct shape_loop *loop = ARRAY_AT(struct shape_loop, &shape->loops, i);
        if (loop->first_line && loop->first_line <= line && line <= loop->last_line &&
            (!best || loop->end - loop->start < best->end - best->start))
            best = loop;
    }
    return best;
}

static bool complain_no_loop(const struct compilation *compilation, const struct shape *shape, unsigned line,
                             struct error *error)
{
    char list[200] = "", *where = memory_format("%s:%u", compilation->source, line);
    for (size_t i = 0; i < shape->loops.count && strlen(list) < 150; i++)
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%u", *list ? ", " : "",
                 ARRAY_AT(struct shape_loop, &shape->loops, i)->first_line);
    if (!shape->has_function)
        error_set(error, where, "this line is in no function that is compiled");
    else if (!*list)
        error_set(error, where, "the function %s has no loop", shape->function.name);
    else
        error_set(error, where, "there is no loop at this line; loops of %s begin at %s",
                  shape->function.name, list);
    free(where);
    return false;
}

static void take_parameters(struct extract *extract, const char *text, const struct shape *shape)
{
    for (size_t i = 0; i < shape->parameters.count; i++) {
        const struct shape_parameter *one = ARRAY_AT(struct shape_parameter, &shape->parameters, i);
        size_t behind = one->name_at + strlen(one->name), array_at = 0;
        struct token token = tokens_next(text, &behind, strlen(text));
        if (*one->name && tokens_is(text, token, "["))
            array_at = behind;
        *(struct extract_parameter *)array_push(&extract->parameters) =
            (struct extract_parameter){.name = copy(one->name),
                                       .is_pointer = one->is_pointer,
                                       .is_restrict = one->is_restrict,
                                       .is_constant = one->is_constant,
                                       .type = copy(one->type),
                                       .name_at = *one->name ? one->name_at : 0,
                                       .array_at = array_at};
    }
}

static unsigned line_at(const char *text, size_t at)
{
    unsigned line = 1;
    for (size_t i = 0; i < at && text[i]; i++)
        line += text[i] == '\n';
    return line;
}

static void forget_pieces(struct extract *extract)
{
    for (size_t i = 0; i < extract->pieces.count; i++)
        free(ARRAY_AT(struct extract_piece, &extract->pieces, i)->text);
    extract->pieces.count = 0;
}

/* The whole preprocessed text. */
static void take_whole(struct extract *extract, const struct marked_text *marked, const struct shape *shape,
                       const struct shape_loop *loop, char *why)
{
    free(extract->text);
    extract->text = memory_copy_text(marked->text, marked->size);
    forget_pieces(extract);
    extract->is_whole_file = true;
    extract->why_whole = why;
    extract->loop_at = loop->start;
    extract->attribute_at = shape->function.start;
    extract->body_at = shape->function.open + 1;
    extract->has_own_symbol =
        !shape->function.is_static && !shape->function.is_template && !shape->is_in_class;
    for (size_t i = 0; i < extract->parameters.count; i++)
        free(ARRAY_AT(struct extract_parameter, &extract->parameters, i)->name),
            free(ARRAY_AT(struct extract_parameter, &extract->parameters, i)->type);
    extract->parameters.count = 0;
    take_parameters(extract, marked->text, shape);
    extract_command_free(&extract->statics);
    extract->statics = ARRAY_OF(char *);
    free(extract->symbol);
    extract->symbol = copy(extract->program_symbol);
}

/* Whether these lines of the source are the same in both texts. */
static bool has_same_lines(const struct marked_text *left, const struct marked_text *right, const char *file,
                           unsigned first, unsigned last)
{
    size_t i = 0, j = 0;
    for (;;) {
        const struct marked_line *one = NULL, *other = NULL;
        for (; i < left->lines.count && !one; i++) {
            const struct marked_line *line = ARRAY_AT(struct marked_line, &left->lines, i);
            if (line->line >= first && line->line <= last && !strcmp(marked_text_file(left, line), file))
                one = line;
        }
        for (; j < right->lines.count && !other; j++) {
            const struct marked_line *line = ARRAY_AT(struct marked_line, &right->lines, j);
            if (line->line >= first && line->line <= last && !strcmp(marked_text_file(right, line), file))
                other = line;
        }
        if (!one || !other)
            return !one && !other;
        const char *a = left->text + one->at, *b = right->text + other->at;
        if (strcspn(a, "\n") != strcspn(b, "\n") || memcmp(a, b, strcspn(a, "\n")))
            return false;
    }
}

static bool depends_on_options(const struct compilation *compilation, const struct marked_text *marked,
                               const struct shape *shape)
{
    static const char *const native[] = {"-mcpu=native", "-march=native"};
    for (size_t i = 0; i < 2; i++) {
        const char *const more[] = {"-O3", "-ffast-math", native[i], NULL};
        struct marked_text other;
        struct error ignored = {0};
        if (!marked_text_preprocess(compilation, more, &other, &ignored))
            continue;
        bool is_same =
            has_same_lines(marked, &other, compilation->source, shape->function_line, shape->function_last);
        marked_text_free(&other);
        return !is_same;
    }
    return false;
}

/* The source as it stands, with places only where a line begins with the loop. */
static bool take_source(struct extract *extract, const struct shape_loop *loop, char *why,
                        struct error *error)
{
    const struct compilation *compilation = extract->compilation;
    char *source = regular_file_text(compilation->source, MOST_SOURCE, "a source", error);
    if (!source) {
        free(why);
        return false;
    }
    free(extract->text);
    char *name = extract_marker_name(compilation->source);
    extract->text = memory_format("#line 1 \"%s\"\n%s", name, source);
    free(name);
    free(source);
    extract->suffix = compilation->language == source_CPP ? ".cpp" : ".c";
    extract->is_whole_file = true;
    extract->why_whole = why;
    extract->has_own_symbol = true;
    clear_places(extract);
    size_t at = 0;
    for (unsigned line = 0; line < loop->first_line && extract->text[at]; line++)
        at += strcspn(extract->text + at, "\n") + 1;
    size_t first = at + strspn(extract->text + at, " \t");
    if (!strncmp(extract->text + first, "for", 3) || !strncmp(extract->text + first, "while", 5) ||
        !strncmp(extract->text + first, "do", 2))
        extract->loop_at = first;
    extract->loop_line = loop->first_line + 1;
    return true;
}

static void take_names(struct extract *extract, const struct marked_text *marked, const struct shape *shape,
                       const struct shape_loop *loop)
{
    extract->function = copy(shape->function.name);
    extract->symbol = copy(shape->function.mangled);
    extract->program_symbol = copy(shape->function.mangled);
    extract->source_line = loop->first_line;
    extract->source_last = loop->last_line;
    size_t at = shape->function.start;
    struct token first = tokens_next(marked->text, &at, marked->size);
    extract->function_line = shape->function_line;
    extract->function_word = memory_copy_text(marked->text + first.at, first.length);
    extract->source_file = copy(extract->compilation->source);
    extract->has_own_symbol = true;
}

static bool take_function(struct extract *extract, const struct marked_text *marked,
                          const struct shape *shape, const struct shape_loop *loop, struct error *error)
{
    take_names(extract, marked, shape, loop);
    if (depends_on_options(extract->compilation, marked, shape))
        return take_source(extract, loop, memory_format("its text depends on the compiler's options (#if)"),
                           error);
    char *why = NULL;
    take_parameters(extract, marked->text, shape);
    if (shape->function.is_template)
        why = memory_format("%s is a template", shape->function.name);
    else if (shape->is_in_class)
        why = memory_format("%s is defined inside of a class", shape->function.name);
    else if (shape->is_nested)
        why = memory_format("%s is defined inside of another function", shape->function.name);
    else
        extract_function(extract, marked, shape, loop, &why);
    char *message = NULL;
    if (!why && !extract_compiles(extract, &message, error)) {
        if (!message)
            return false;
        why = memory_format("the function alone does not compile (%s)", message);
        free(message);
    }
    if (why)
        take_whole(extract, marked, shape, loop, why);
    extract->loop_line = line_at(extract->text, extract->loop_at);
    return true;
}

/* No parser: the whole file.  Which symbol C++ gives the function is not known; programs have its name. */
static bool extract_by_words(const struct compilation *compilation, const struct marked_text *marked,
                             unsigned line, struct extract *extract, struct error *error)
{
    static const char why[] = "libclang, which cuts the function out, is not installed (apt install "
                              "libclang1)";
    bool is_cpp = compilation->language == source_CPP;
    struct shape shape;
    shape_by_words(marked, is_cpp, compilation->source, line, &shape);
    const struct shape_loop *loop = loop_at_line(&shape, line);
    bool done = loop != NULL;
    if (!shape.has_function) {
        char *where = memory_format("%s:%u", compilation->source, line);
        error_set(error, where, "no function was found around this line; %s", why);
        free(where);
    } else if (!loop) {
        complain_no_loop(compilation, &shape, line, error);
    } else {
        shape.function.mangled = is_cpp ? NULL : shape.function.name;
        take_names(extract, marked, &shape, loop);
        if (depends_on_options(compilation, marked, &shape)) {
            done = take_source(extract, loop, copy(why), error);
        } else {
            take_whole(extract, marked, &shape, loop, copy(why));
            extract->loop_line = line_at(extract->text, extract->loop_at);
        }
        extract->has_own_symbol = !is_cpp && !shape.function.is_static;
        if (is_cpp) { /* a class, or a template, may be around it */
            extract->attribute_at = extract->body_at = SIZE_MAX;
            free(extract->program_symbol);
            extract->program_symbol = copy(extract->function);
        }
    }
    shape_free(&shape);
    return done;
}

static bool extract_clang(const struct compilation *compilation, unsigned line, struct extract *extract,
                          struct error *error)
{
    struct marked_text marked;
    struct shape shape;
    if (!marked_text_preprocess(compilation, NULL, &marked, error))
        return false;
    extract->suffix = compilation->language == source_CPP ? ".ii" : ".i";
    if (!libclang_load()) {
        bool is_taken = extract_by_words(compilation, &marked, line, extract, error);
        marked_text_free(&marked);
        return is_taken;
    }
    bool done = shape_read(compilation, marked.text, marked.size, compilation->source, line, &shape, error);
    if (done) {
        const struct shape_loop *loop = loop_at_line(&shape, line);
        done = loop ? take_function(extract, &marked, &shape, loop, error)
                    : complain_no_loop(compilation, &shape, line, error);
        shape_free(&shape);
    }
    marked_text_free(&marked);
    return done;
}

bool extract_loop(const struct compilation *compilation, unsigned line, struct extract *extract,
                  struct error *error)
{
    *extract = (struct extract){.compilation = compilation,
                                .parameters = ARRAY_OF(struct extract_parameter),
                                .statics = ARRAY_OF(char *),
                                .pieces = ARRAY_OF(struct extract_piece)};
    clear_places(extract);
    bool done = compilation->language == source_FORTRAN ? extract_fortran(compilation, line, extract, error)
                                                        : extract_clang(compilation, line, extract, error);
    if (!done)
        extract_free(extract);
    return done;
}

void extract_free(struct extract *extract)
{
    for (size_t i = 0; i < extract->parameters.count; i++) {
        free(ARRAY_AT(struct extract_parameter, &extract->parameters, i)->name);
        free(ARRAY_AT(struct extract_parameter, &extract->parameters, i)->type);
    }
    array_free(&extract->parameters);
    extract_command_free(&extract->statics);
    forget_pieces(extract);
    array_free(&extract->pieces);
    free(extract->text);
    free(extract->function);
    free(extract->symbol);
    free(extract->program_symbol);
    free(extract->source_file);
    free(extract->function_word);
    free(extract->why_whole);
    *extract = (struct extract){0};
}
