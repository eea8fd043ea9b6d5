/* The assembler and the linker of binutils, run by base/child.

   The first error that they report is passed on, with the name of the listing instead of the nameless file
   that they were given.  A short listing can demand a huge output (.fill, .rept) or an endless input
   (.include of a pipe), so both programs have limits.  It can also name files of the user (.incbin,
   .include): the result is used only if those may be read (dependencies.h). */
#include "base/child.h"
#include "base/clock.h"
#include "base/memory_file.h"
#include "base/path.h"
#include "code/read/listing/assembled.h"
#include "code/read/bytes.h"
#include "code/read/listing/dependencies.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_OUTPUT = 16 << 20, LEAST_SECONDS = 60, LEAST_SPEED = 64 << 10 /* bytes in a second */ };

struct tools {
    const char *assemblers[3], *linkers[3]; /* to be tried in this order */
    const char *package;                    /* of Debian */
};

#if defined __aarch64__
static const struct tools x86 = {
    {"x86_64-linux-gnu-as"}, {"x86_64-linux-gnu-ld"}, "binutils-x86-64-linux-gnu"};
static const struct tools aarch64 = {
    {"as", "aarch64-linux-gnu-as"}, {"ld", "aarch64-linux-gnu-ld"}, "binutils-aarch64-linux-gnu"};
#else
static const struct tools x86 = {
    {"as", "x86_64-linux-gnu-as"}, {"ld", "x86_64-linux-gnu-ld"}, "binutils-x86-64-linux-gnu"};
static const struct tools aarch64 = {
    {"aarch64-linux-gnu-as"}, {"aarch64-linux-gnu-ld"}, "binutils-aarch64-linux-gnu"};
#endif

static const struct tools *tools_for(enum isa isa)
{
    return isa == isa_AARCH64 ? &aarch64 : &x86;
}

int64_t assembled_deadline(const struct listing_source *sources, size_t count)
{
    int64_t size = 0;
    for (size_t i = 0; i < count; i++)
        size += (int64_t)sources[i].text.size;
    return (int64_t)clock_monotonic_seconds() + LEAST_SECONDS + size / LEAST_SPEED;
}

/* words[0] is filled in.  size is the number of bytes that the tool gets. */
static bool run_tool(const struct assembling *work, const char *const *names, const char **words,
                     uint64_t size, const struct tools *tools, struct child_answer *answer,
                     struct error *error)
{
    int64_t left = work->deadline - (int64_t)clock_monotonic_seconds();
    struct child_job job = {.words = words,
                            .limits = {.memory = (UINT64_C(2) << 30) + 256 * size,
                                       .file_size = (UINT64_C(256) << 20) + 64 * size,
                                       .output = MOST_OUTPUT,
                                       .seconds = left > 1 ? (unsigned)left : 1}};
    for (unsigned i = 0; i < 3 && names[i]; i++) {
        words[0] = names[i];
        if (!child_run(&job, answer, error))
            return false;
        if (answer->end != child_end_MISSING)
            return true;
        child_answer_free(answer);
    }
    return error_set(error, work->sources[0].path,
                     "the assembler and linker for it are not installed: apt install %s", tools->package);
}

/* All errors in a text that stands alone. */
static bool pass_errors(const struct assembling *work, const struct memory_file *input,
                        const struct child_answer *answer, bool *is_refused)
{
    static const char *const words[] = {" Error: ", " Fatal error: "};
    size_t known = strlen(input->path);
    for (const char *line = answer->messages.data; line && *line;) {
        const char *next = strchr(line, '\n');
        char *end = NULL;
        unsigned long number = !strncmp(line, input->path, known) && line[known] == ':'
                                   ? strtoul(line + known + 1, &end, 10)
                                   : 0;
        for (unsigned i = 0; number && *end == ':' && i < 2; i++)
            if (!strncmp(end + 1, words[i], strlen(words[i]))) {
                *is_refused = true;
                work->refuse(work->refusals, (uint32_t)number, end + 1 + strlen(words[i]));
            }
        line = next ? next + 1 : NULL;
    }
    return *is_refused;
}

/* "/proc/self/fd/5:12: Error: no such instruction" becomes file:12: no such instruction. */
static bool tell_assembler_error(const char *path, const struct memory_file *input, struct trust *trust,
                                 struct child_answer *answer, bool *is_refused, struct error *error)
{
    static const char *const words[] = {"Error: ", "Fatal error: "};
    char *messages = answer->messages.data, *first = NULL, *said = NULL;
    for (unsigned i = 0; i < 2; i++) {
        char *found = strstr(messages, words[i]);
        if (found && (!first || found < first)) {
            first = found;
            said = found + strlen(words[i]);
        }
    }
    if (!first && child_met_limit(answer))
        return error_set(
            error, path,
            "the assembler was stopped: the output of this listing is too large or takes too long");
    if (!first) {
        char *words_left = messages + strspn(messages, " \n");
        words_left[strcspn(words_left, "\n")] = 0;
        return error_set(error, path, "the assembler failed with %s %d: %.300s",
                         answer->end == child_end_CRASHED ? "signal" : "status", answer->status, words_left);
    }
    *is_refused = true;
    said[strcspn(said, "\n")] = 0;
    char *line = first;
    while (line > messages && line[-1] != '\n')
        line--;
    if (!dependencies_may_show(line, input->path, trust))
        return error_set(
            error, path,
            "the assembler found an error in %.*s, which the listing includes; the file is outside its "
            "folder, its project and the current directory (--trust shows the error)",
            (int)strcspn(line, ":\n"), line);
    size_t known = strlen(input->path);
    unsigned long number = 0;
    if (!strncmp(line, input->path, known) && line[known] == ':')
        number = strtoul(line + known + 1, NULL, 10);
    char *where = number ? memory_format("%s:%lu", path, number) : memory_format("%s", path);
    error_set(error, where, "the assembler says: %.400s%s", said, strlen(said) > 400 ? " …" : "");
    free(where);
    return false;
}

/* The assembler's arguments, owned, except for its name, input and output: the folders of included files. */
static void add_folders(struct array *words, const struct assembling *work, const char *path)
{
    char *own = path_folder(path);
    const char *places[] = {".", own}; /* as if it ran in the current directory */
    for (size_t i = 0; i < 2; i++) {
        *(char **)array_push(words) = memory_format("-I");
        *(char **)array_push(words) = path_absolute(places[i]);
    }
    for (const char *const *folder = work->options->folders; folder && *folder; folder++) {
        *(char **)array_push(words) = memory_format("-I");
        *(char **)array_push(words) = path_absolute(*folder);
    }
    free(own);
}

static bool run_assembler(const struct assembling *work, const char *path, const struct assembled_text *text,
                          const struct memory_file *object, const struct memory_file *input,
                          const struct memory_file *rule, struct child_answer *answer, struct error *error)
{
    const struct tools *tools = tools_for(work->isa);
    const char *kind = work->isa == isa_AARCH64 ? "-mcpu=all" : work->isa == isa_I386 ? "--32" : "--64";
    const char *own[] = {kind, "--MD", rule->path, "-o", object->path, input->path};
    struct array words = ARRAY_OF(char *);
    *(char **)array_push(&words) = NULL; /* its name */
    if (!work->refuse)
        add_folders(&words, work, path);
    size_t folders = words.count;
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        *(const char **)array_push(&words) = own[i];
    *(char **)array_push(&words) = NULL;
    bool done = run_tool(work, tools->assemblers, words.data, text->copy.count, tools, answer, error);
    for (size_t i = 1; i < folders; i++)
        free(*ARRAY_AT(char *, &words, i));
    array_free(&words);
    return done;
}

static bool assemble_one(const struct assembling *work, const char *path, const struct assembled_text *text,
                         struct memory_file *object, bool *is_refused, struct error *error)
{
    struct memory_file input, rule;
    if (!memory_file_make(&input, text->copy.data, text->copy.count, error))
        return false;
    bool done = memory_file_make(&rule, NULL, 0, error);
    if (done) {
        struct trust *trust = work->options->trust;
        struct child_answer answer;
        done = run_assembler(work, path, text, object, &input, &rule, &answer, error);
        if (done) {
            done =
                answer.end != child_end_DONE && work->refuse && pass_errors(work, &input, &answer, is_refused)
                    ? false
                : answer.end == child_end_DONE
                    ? dependencies_allow(&rule, input.path, trust, path, error)
                    : tell_assembler_error(path, &input, trust, &answer, is_refused, error);
            child_answer_free(&answer);
        }
        memory_file_close(&rule);
    }
    memory_file_close(&input);
    return done;
}

/* "…: multiple definition of `name'; /proc/self/fd/5:…: first defined here" */
static bool tell_linker_error(const struct listing_source *sources, const struct memory_file *objects,
                              size_t count, char *messages, struct error *error)
{
    const char *start = strstr(messages, "multiple definition of `");
    if (start) {
        const char *name = strchr(start, '`') + 1;
        size_t length = strcspn(name, "'\n");
        messages[(size_t)(name - messages) + strcspn(name, "\n")] = 0;
        for (size_t i = 0; i < count; i++) {
            char *file = memory_format("%s:", objects[i].path);
            bool is_here = strstr(name, file);
            free(file);
            if (is_here)
                return error_set(
                    error, sources[i].path,
                    "'%.*s' is defined here and in another of the listings; read them one by one",
                    (int)(length < 200 ? length : 200), name);
        }
    }
    messages[strcspn(messages, "\n")] = 0;
    return error_set(error, sources[0].path, "the listings cannot be joined; the linker says: %.400s",
                     messages);
}

static bool join(const struct assembling *work, const struct memory_file *objects, uint64_t size,
                 struct memory_file *joined, struct error *error)
{
    enum { OWN_WORDS = 6 };
    enum isa isa = work->isa;
    size_t count = work->count;
    const char *emulation = isa == isa_AARCH64 ? "aarch64linux" : isa == isa_I386 ? "elf_i386" : "elf_x86_64";
    const char **words = memory_get((OWN_WORDS + count + 1) * sizeof *words);
    memcpy(words, (const char *[OWN_WORDS]){NULL, "-m", emulation, "-r", "-o", joined->path},
           OWN_WORDS * sizeof *words);
    for (size_t i = 0; i < count; i++)
        words[OWN_WORDS + i] = objects[i].path;
    const struct tools *tools = tools_for(isa);
    struct child_answer answer;
    bool done = run_tool(work, tools->linkers, words, 16 * size, tools, &answer, error);
    if (done) {
        if (answer.end != child_end_DONE)
            done = tell_linker_error(work->sources, objects, count, answer.messages.data, error);
        child_answer_free(&answer);
    }
    free(words);
    return done;
}

bool assembled_assemble(const struct assembling *work, const struct assembled_text *texts,
                        struct span *object, bool *is_refused, struct error *error)
{
    const struct listing_source *sources = work->sources;
    size_t count = work->count;
    *is_refused = false;
    struct memory_file *objects = memory_get((count + 1) * sizeof *objects); /* and the joined one */
    size_t made = 0, wanted = count > 1 ? count + 1 : 1;
    uint64_t size = 0;
    bool done = true;
    while (done && made < wanted) {
        done = memory_file_make(&objects[made], NULL, 0, error);
        made += done;
    }
    for (size_t i = 0; done && i < count; i++) {
        done = assemble_one(work, sources[i].path, &texts[i], &objects[i], is_refused, error);
        size += texts[i].copy.count;
    }
    if (done && count > 1)
        done = join(work, objects, size, &objects[count], error);
    if (done) {
        struct error reason = {0};
        done = bytes_read(objects[wanted - 1].path, NULL, object, &reason);
        if (!done)
            error_set(error, sources[0].path, "the assembler's output cannot be read: %s", reason.text);
    }
    for (size_t i = 0; i < made; i++)
        memory_file_close(&objects[i]);
    free(objects);
    return done;
}
