#include "code/read/listing/preprocess.h"

#include "base/child.h"
#include "base/clock.h"
#include "base/memory_file.h"
#include "base/path.h"
#include "code/read/bytes.h"
#include "code/read/listing/dependencies.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_MISSING = 64,
    LEAST_OUTPUT = 32 << 20,
    MOST_GROWTH = 64, /* bytes of output per byte of input */
    LEAST_SECONDS = 20,
    LEAST_SPEED = 1 << 20 /* bytes in a second */
};

static const struct {
    enum isa isa;
    const char *name, *meaning;
} macros[] = {
#define MACRO(isa, name, meaning) {isa, name, meaning},
#include "code/read/listing/preprocess.def"
#undef MACRO
};

bool preprocess_is_wanted(const char *path)
{
    size_t length = strlen(path);
    return (length > 2 && !strcmp(path + length - 2, ".S")) ||
           (length > 3 && !strcmp(path + length - 3, ".sx"));
}

bool preprocess_is_macro(const char *text)
{
    size_t length = 0;
    while (isalnum((unsigned char)text[length]) || text[length] == '_')
        length++;
    bool is_named = length && !isdigit((unsigned char)*text) && strchr("=(", text[length]);
    while (text[length] && !iscntrl((unsigned char)text[length]))
        length++;
    return is_named && !text[length];
}

static const char *isa_macro(enum isa isa)
{
    switch (isa) {
    case isa_IA64:
        return "-D__ia64__=1";
    case isa_AARCH64:
        return "-D__aarch64__=1";
    case isa_I386:
        return "-D__i386__=1";
    default:
        return "-D__x86_64__=1";
    }
}

static void add(struct array *words, char *word)
{
    *(char **)array_push(words) = word;
}

static void add_folder(struct array *words, const char *folder)
{
    add(words, memory_format("-I"));
    add(words, path_absolute(folder));
}

/* The words of one run, owned. */
static struct array make_words(const char *path, const char *input, const char *rule, enum isa isa,
                               const struct read_options *options)
{
    const char *const first[] = {"cc",
                                 "-E",
                                 "-x",
                                 "assembler-with-cpp",
                                 "-w",
                                 "-undef",
                                 "-D__ELF__=1",
                                 "-D__ASSEMBLER__=1",
                                 "-D__ASSEMBLY__=1",
                                 "-D__linux__=1",
                                 isa_macro(isa),
                                 "-MD",
                                 "-MF",
                                 rule};
    struct array words = ARRAY_OF(char *);
    for (size_t i = 0; i < sizeof first / sizeof *first; i++)
        add(&words, memory_format("%s", first[i]));
    if (isa != isa_I386)
        add(&words, memory_format("-D_LP64=1"));
    char *folder = path_folder(path);
    add_folder(&words, folder);
    free(folder);
    for (const char *const *other = options->folders; other && *other; other++)
        add_folder(&words, *other);
    for (size_t i = 0; i < sizeof macros / sizeof *macros; i++)
        if (macros[i].isa == isa || (macros[i].isa == isa_NONE && isa != isa_IA64))
            add(&words, memory_format("-D%s=%s", macros[i].name, macros[i].meaning));
    for (const char *const *macro = options->macros; macro && *macro; macro++)
        add(&words, memory_format("-D%s", *macro));
    add(&words, memory_format("%s", input));
    add(&words, NULL);
    return words;
}

static void free_words(struct array *words)
{
    for (size_t i = 0; i < words->count; i++)
        free(*ARRAY_AT(char *, words, i));
    array_free(words);
}

/* The line of the first complaint about the input itself, 0 for none. */
static unsigned long complaint_line(const char *messages, const char *input)
{
    size_t length = strlen(input);
    for (const char *at = messages; (at = strstr(at, input)); at += length)
        if (at[length] == ':')
            return strtoul(at + length + 1, NULL, 10);
    return 0;
}

static char *line_start(char *text, size_t size, unsigned long line)
{
    char *end = text + size;
    while (--line && text && text < end) {
        text = memchr(text, '\n', (size_t)(end - text));
        text = text ? text + 1 : NULL;
    }
    return text && text < end ? text : NULL;
}

/* Blanks an #include that stands on this line. */
static bool pass_over_include(char *text, size_t size, unsigned long line)
{
    char *at = line ? line_start(text, size, line) : NULL;
    if (!at)
        return false;
    char *stop = memchr(at, '\n', size - (size_t)(at - text));
    size_t length = (stop ? (size_t)(stop - at) : size - (size_t)(at - text)), skip = 0;
    while (skip < length && (at[skip] == ' ' || at[skip] == '\t' || at[skip] == '#'))
        skip++;
    if (length - skip < 7 || memcmp(at + skip, "include", 7))
        return false;
    memset(at, ' ', length);
    return true;
}

/* Places lines of the output. */
struct placing {
    struct array text;  /* of char: the result */
    unsigned long line; /* number of the line that the result's end is on, from 1 */
    bool has_text;      /* not empty */
};

static void put(struct placing *placing, const char *text, size_t length)
{
    if (length)
        memcpy(array_add_many(&placing->text, length), text, length);
}

static void place_line(struct placing *placing, unsigned long line, const char *text, size_t length)
{
    while (placing->line < line) {
        put(placing, "\n", 1);
        placing->line++;
        placing->has_text = false;
    }
    if (strspn(text, " \t") >= length)
        return;
    if (placing->has_text)
        put(placing, " ; ", 3);
    put(placing, text, length);
    placing->has_text = true;
}

/* `# LINE "FILE" flags` */
static bool read_marker(const char *text, unsigned long *line, const char **file, size_t *file_length)
{
    if (text[0] != '#' || text[1] != ' ')
        return false;
    char *end;
    *line = strtoul(text + 2, &end, 10);
    if (end == text + 2 || strncmp(end, " \"", 2))
        return false;
    *file = end + 2;
    *file_length = strcspn(*file, "\"\n");
    return true;
}

/* The output of the preprocessor on the lines of the input. */
static struct span lay_out(const char *output, const char *input, unsigned long line_count)
{
    struct placing placing = {.text = ARRAY_OF(char), .line = 1};
    unsigned long line = 1, marked;
    bool is_input = true;
    for (const char *at = output, *file; *at;) {
        size_t length = strcspn(at, "\n"), file_length;
        if (read_marker(at, &marked, &file, &file_length)) {
            bool was_input = is_input;
            is_input = file_length == strlen(input) && !memcmp(file, input, file_length);
            if (is_input)
                line = marked ? marked : 1;
            else if (was_input && line > placing.line + 1)
                line--; /* the marker of a header replaces the #include */
        } else {
            place_line(&placing, line <= line_count ? line : line_count, at, length);
            line += is_input;
        }
        at += length + (at[length] == '\n');
    }
    place_line(&placing, line_count + 1, "", 0);
    struct span text = bytes_copy((struct span){placing.text.data, placing.text.count});
    array_free(&placing.text);
    return text;
}

static bool complain(const char *path, const struct child_answer *answer, const char *input,
                     struct trust *trust, struct error *error)
{
    if (answer->end == child_end_MISSING)
        return error_set(
            error, path,
            "needs the C preprocessor: install the package gcc, or preprocess the file yourself");
    if (answer->end == child_end_LARGE)
        return error_set(error, path, "the output of the C preprocessor is far larger than this listing");
    if (child_met_limit(answer) || answer->end == child_end_CRASHED)
        return error_set(error, path,
                         "the C preprocessor was stopped: it takes too long, or an included file has no end");
    const char *messages = answer->messages.data, *message = strstr(messages, "error: "), *start = message;
    while (start && start > messages && start[-1] != '\n')
        start--;
    if (start && !dependencies_may_show(start, input, trust))
        return error_set(
            error, path,
            "the C preprocessor found an error in %.*s, which the listing includes; the file is outside its "
            "folder, its project and the current directory (--trust shows the error)",
            (int)strcspn(start, ":\n"), start);
    message = message ? message + 7 : messages;
    unsigned long line = complaint_line(messages, input);
    char *where = line ? memory_format("%s:%lu", path, line) : memory_format("%s", path);
    error_set(error, where, "the C preprocessor says: %.*s", (int)strcspn(message, "\n"), message);
    free(where);
    return false;
}

static unsigned long count_lines(const char *text, size_t size)
{
    struct span bytes = {(const uint8_t *)text, size};
    return bytes_count_lines(bytes) + (size && text[size - 1] != '\n');
}

/* A listing that is being preprocessed. */
struct listing_text_run {
    const char *path;
    char *copy; /* of the text, as it is now */
    size_t size;
    enum isa isa;
    const struct read_options *options;
    unsigned missing; /* skipped headers */
};

/* One run. *goes_on: it failed because of an #include, which is now blanked: try again. */
static bool run_files(struct listing_text_run *run, unsigned seconds, const struct memory_file *input,
                      const struct memory_file *rule, struct span *result, bool *goes_on, struct error *error)
{
    size_t most_output = LEAST_OUTPUT + MOST_GROWTH * run->size;
    struct array words = make_words(run->path, input->path, rule->path, run->isa, run->options);
    struct child_job job = {.words = words.data,
                            .limits = {.memory = (UINT64_C(512) << 20) + 16 * (uint64_t)run->size,
                                       .file_size = most_output,
                                       .output = most_output,
                                       .seconds = seconds}};
    struct trust *trust = run->options->trust;
    struct child_answer answer;
    bool has_run = child_run(&job, &answer, error), is_done = has_run && answer.end == child_end_DONE;
    free_words(&words);
    *goes_on = false;
    if (!has_run)
        return false;
    if (is_done)
        is_done = dependencies_allow(rule, input->path, trust, run->path, error);
    else if (answer.end == child_end_FAILED && run->missing < MOST_MISSING)
        *goes_on = pass_over_include(run->copy, run->size, complaint_line(answer.messages.data, input->path));
    if (is_done)
        *result = lay_out(answer.output.data, input->path, count_lines(run->copy, run->size));
    else if (!*goes_on && !error->set)
        complain(run->path, &answer, input->path, trust, error);
    child_answer_free(&answer);
    return is_done;
}

static bool run_once(struct listing_text_run *run, unsigned seconds, struct span *result, bool *goes_on,
                     struct error *error)
{
    struct memory_file input, rule;
    *goes_on = false;
    if (!memory_file_make(&input, run->copy, run->size, error))
        return false;
    bool is_done = memory_file_make(&rule, NULL, 0, error);
    if (is_done) {
        is_done = run_files(run, seconds, &input, &rule, result, goes_on, error);
        memory_file_close(&rule);
    }
    memory_file_close(&input);
    return is_done;
}

bool preprocess_assembly(const char *path, struct span text, enum isa isa, const struct read_options *options,
                         struct span *result, unsigned *missing, struct error *error)
{
    struct listing_text_run run = {.path = path,
                                   .copy = memory_copy_text((const char *)text.data, text.size),
                                   .size = text.size,
                                   .isa = isa,
                                   .options = options};
    int64_t deadline =
        (int64_t)clock_monotonic_seconds() + LEAST_SECONDS + (int64_t)(text.size / LEAST_SPEED);
    bool is_done = false, goes_on = true;
    for (; goes_on; run.missing += goes_on) {
        int64_t left = deadline - (int64_t)clock_monotonic_seconds();
        is_done = run_once(&run, left > 1 ? (unsigned)left : 1, result, &goes_on, error);
    }
    *missing = run.missing;
    free(run.copy);
    return is_done;
}
