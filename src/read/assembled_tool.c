/* The assembler and the linker of binutils, run by base/child.

   Of what they say the first error is handed up, with the name of the listing in the place of the nameless
   file that they were given.  A listing can ask for much in few words (.fill, .rept) or for something that
   never ends (.include of a pipe), so both have limits. */
#include "base/child.h"
#include "base/memory_file.h"
#include "base/path.h"
#include "read/assembled.h"
#include "read/bytes.h"

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

/* words[0] is filled in.  work is the number of bytes that the tool gets. */
static bool run_tool(const char *const *names, const char **words, uint64_t work, const char *path,
                     const struct tools *tools, struct child_answer *answer, struct error *error)
{
    struct child_job job = {.words = words,
                            .limits = {.memory = (UINT64_C(2) << 30) + 256 * work,
                                       .file_size = (UINT64_C(256) << 20) + 64 * work,
                                       .output = MOST_OUTPUT,
                                       .seconds = LEAST_SECONDS + (unsigned)(work / LEAST_SPEED)}};
    for (unsigned i = 0; i < 3 && names[i]; i++) {
        words[0] = names[i];
        if (!child_run(&job, answer, error))
            return false;
        if (answer->end != child_end_MISSING)
            return true;
        child_answer_free(answer);
    }
    return error_set(error, path, "the assembler and linker for it are not installed: apt install %s",
                     tools->package);
}

/* "/proc/self/fd/5:12: Error: no such instruction" becomes file:12: no such instruction. */
static bool tell_assembler_error(const char *path, const struct memory_file *input,
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
            "the assembler was stopped: what the listing asks for is too large or takes too long");
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
    size_t known = strlen(input->path);
    unsigned long number = 0;
    if (!strncmp(line, input->path, known) && line[known] == ':')
        number = strtoul(line + known + 1, NULL, 10);
    char *where = number ? memory_format("%s:%lu", path, number) : memory_format("%s", path);
    error_set(error, where, "the assembler says: %.400s%s", said, strlen(said) > 400 ? " …" : "");
    free(where);
    return false;
}

static bool assemble_one(enum isa isa, const char *path, const struct assembled_text *text,
                         struct memory_file *object, bool *is_refused, struct error *error)
{
    struct memory_file input;
    if (!memory_file_make(&input, text->copy.data, text->copy.count, error))
        return false;
    const struct tools *tools = tools_for(isa);
    char *folder = path_folder(path); /* where included files are looked for, too */
    const char *words[] = {NULL,       isa == isa_AARCH64 ? "-mcpu=all" : isa == isa_I386 ? "--32" : "--64",
                           "-I",       folder,
                           "-o",       object->path,
                           input.path, NULL};
    struct child_answer answer;
    bool done = run_tool(tools->assemblers, words, text->copy.count, path, tools, &answer, error);
    if (done) {
        if (answer.end != child_end_DONE)
            done = tell_assembler_error(path, &input, &answer, is_refused, error);
        child_answer_free(&answer);
    }
    free(folder);
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

static bool join(enum isa isa, const struct listing_source *sources, const struct memory_file *objects,
                 size_t count, uint64_t work, struct memory_file *joined, struct error *error)
{
    enum { OWN_WORDS = 6 };
    const char *emulation = isa == isa_AARCH64 ? "aarch64linux" : isa == isa_I386 ? "elf_i386" : "elf_x86_64";
    const char **words = memory_get((OWN_WORDS + count + 1) * sizeof *words);
    memcpy(words, (const char *[OWN_WORDS]){NULL, "-m", emulation, "-r", "-o", joined->path},
           OWN_WORDS * sizeof *words);
    for (size_t i = 0; i < count; i++)
        words[OWN_WORDS + i] = objects[i].path;
    const struct tools *tools = tools_for(isa);
    struct child_answer answer;
    bool done = run_tool(tools->linkers, words, 16 * work, sources[0].path, tools, &answer, error);
    if (done) {
        if (answer.end != child_end_DONE)
            done = tell_linker_error(sources, objects, count, answer.messages.data, error);
        child_answer_free(&answer);
    }
    free(words);
    return done;
}

bool assembled_assemble(enum isa isa, const struct listing_source *sources,
                        const struct assembled_text *texts, size_t count, struct span *object,
                        bool *is_refused, struct error *error)
{
    *is_refused = false;
    struct memory_file *objects = memory_get((count + 1) * sizeof *objects); /* and the joined one */
    size_t made = 0, wanted = count > 1 ? count + 1 : 1;
    uint64_t work = 0;
    bool done = true;
    while (done && made < wanted) {
        done = memory_file_make(&objects[made], NULL, 0, error);
        made += done;
    }
    for (size_t i = 0; done && i < count; i++) {
        done = assemble_one(isa, sources[i].path, &texts[i], &objects[i], is_refused, error);
        work += texts[i].copy.count;
    }
    if (done && count > 1)
        done = join(isa, sources, objects, count, work, &objects[count], error);
    if (done) {
        struct error reason = {0};
        done = bytes_read(objects[wanted - 1].path, object, &reason);
        if (!done)
            error_set(error, sources[0].path, "what the assembler made cannot be read: %s", reason.text);
    }
    for (size_t i = 0; i < made; i++)
        memory_file_close(&objects[i]);
    free(objects);
    return done;
}
