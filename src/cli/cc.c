/* assay cc: a compiler that puts probes between itself and the assembler.

   Each source becomes a listing in a private folder, the listing gets nodes, the same compiler assembles it;
   a program is linked with the runtime.  Everything else is the compiler's: its messages, its exit status,
   its files.  What cannot get nodes is compiled without them, and a message says so: a build must not fail
   because it is measured. */
#include "base/leftovers.h"
#include "base/output.h"
#include "base/path.h"
#include "cli/commands.h"
#include "cli/folders.h"
#include "cli/nodes.h"
#include "cli/response_files.h"
#include "run/probe/nodes/compile.h"
#include "run/launch/launch.h"
#include "run/probe/plan/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

struct compiling {
    struct session session;
    struct compile_line line;
    struct probe_choice choice;
    char folder[64];
    char *listing, *with_nodes, *object, *messages; /* names in the folder */
    unsigned objects;                               /* made so far */
};

/* Runs words; `stream` goes to the file `messages`, unless that is NULL.  Returns the exit status. */
static int run(const struct array *words, const char *messages, int stream, struct error *error)
{
    fflush(NULL);
    pid_t child = fork();
    if (child < 0) {
        error_set_errno(error, NULL, "cannot start %s", *ARRAY_AT(char *, words, 0));
        return 2;
    }
    if (!child) {
        int file = messages ? open(messages, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600) : -1;
        if (file >= 0)
            dup2(file, stream);
        execvp(*ARRAY_AT(char *, words, 0), words->data);
        _exit(errno == ENOENT ? 127 : 126);
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    if (code == 126 || code == 127)
        error_set(error, *ARRAY_AT(char *, words, 0), code == 127 ? "no such program" : "cannot be executed");
    return code;
}

static int run_and_free(struct array words, const char *messages, struct error *error)
{
    int code = run(&words, messages, STDERR_FILENO, error);
    compile_words_free(&words);
    return code;
}

static bool write_file(const char *path, const struct array *text, struct error *error)
{
    FILE *file = fopen(path, "w");
    bool is_done = file && fwrite(text->data, 1, text->count, file) == text->count;
    if (file)
        is_done = !fclose(file) && is_done;
    return is_done || error_set_errno(error, path, "cannot be written");
}

/* What an assembler said, shown under the name of the source. */
static void show_messages(const struct compiling *compiling)
{
    struct span text;
    struct error ignored = {0};
    if (!nodes_read_text(compiling->messages, &text, &ignored))
        return;
    fwrite(text.data, 1, text.size, stderr);
    free((void *)text.data);
}

/* Assembles with nodes; as long as the assembler refuses, functions at fault do without.  false: give up. */
static bool assemble_with_nodes(struct compiling *compiling, struct nodes_state *state, const char *source,
                                const char *object, struct error *error)
{
    enum { MOST_ROUNDS = 8 };
    struct nodes_outcome outcome;
    bool is_done = false;
    for (unsigned round = 0; round < MOST_ROUNDS && !is_done; round++) {
        struct array out = ARRAY_OF(char);
        struct span messages = {0};
        bool has_text = nodes_insert(&state->plan, &state->listing, &out, &outcome, error) &&
                        write_file(compiling->with_nodes, &out, error);
        is_done =
            has_text && !run_and_free(compile_to_object(&compiling->line, compiling->with_nodes, object),
                                      compiling->messages, error);
        uint32_t shortened = 0;
        if (has_text && !is_done && nodes_read_text(compiling->messages, &messages, error))
            shortened = nodes_shorten(&state->plan, &state->listing, (struct span){out.data, out.count},
                                      compiling->with_nodes, (const char *)messages.data);
        array_free(&out);
        free((void *)messages.data);
        if (!is_done && !shortened)
            return error_set(error, source, "the assembler does not take the nodes");
    }
    if (is_done)
        show_messages(compiling);
    if (is_done && outcome.refused)
        session_say(&compiling->session, "%s: %u of %u subjects have no node: no place in the text", source,
                    outcome.refused, outcome.subjects);
    return is_done;
}

/* The listing becomes an object: with nodes if possible. */
static int assemble(struct compiling *compiling, const char *source, const char *object, struct error *error)
{
    struct nodes_work work = {
        .path = compiling->listing, .shown = source, .choice = &compiling->choice, .may_miss = true};
    struct nodes_state state;
    struct error problem = {0};
    bool is_done = !nodes_begin(&compiling->session, &work, &state, &problem) &&
                   assemble_with_nodes(compiling, &state, source, object, &problem);
    nodes_end(&state);
    if (is_done)
        return 0;
    session_say(&compiling->session, "%s: compiled without probes: %s", source, problem.text);
    return run_and_free(compile_to_object(&compiling->line, compiling->listing, object), NULL, error);
}

/* A regular file or a new one appears whole; anything else (/dev/null) is written by the assembler. */
static bool may_be_replaced(const char *path)
{
    struct stat facts;
    return stat(path, &facts) ? errno == ENOENT : S_ISREG(facts.st_mode);
}

static bool put_into_place(const char *from, const char *to, struct error *error)
{
    struct span bytes;
    if (!nodes_read_text(from, &bytes, error))
        return false;
    struct output *output = output_open(to, error);
    bool is_done = output != NULL;
    if (is_done && fwrite(bytes.data, 1, bytes.size, output_stream(output)) != bytes.size) {
        error_set_errno(error, to, "cannot be written");
        output_abandon(output);
        is_done = false;
    } else if (is_done) {
        is_done = output_finish(output, error);
    }
    free((void *)bytes.data);
    return is_done;
}

/* One source becomes an object. */
static int compile(struct compiling *compiling, size_t source, const char *object, struct error *error)
{
    const struct compile_line *line = &compiling->line;
    bool is_apart = may_be_replaced(object);
    int code = run_and_free(compile_to_listing(line, source, compiling->listing), NULL, error);
    if (!code)
        code = assemble(compiling, line->words[source], is_apart ? compiling->object : object, error);
    if (!code && is_apart && !put_into_place(compiling->object, object, error))
        code = 2;
    return code;
}

static int compile_objects(struct compiling *compiling, struct error *error)
{
    const struct compile_line *line = &compiling->line;
    int code = 0;
    for (size_t i = line->first; i < line->count; i++) {
        if (line->roles[i] != ROLE_SOURCE)
            continue;
        autofree char *object = compile_object_name(line, i);
        int failure = compile(compiling, i, object, error);
        code = code ? code : failure;
    }
    return code;
}

/* What the compiler makes code for: the first word of its -dumpmachine. */
static bool is_for(struct compiling *compiling, const char *machine)
{
    struct array words = compile_to_ask(&compiling->line, "-dumpmachine");
    struct error ignored = {0};
    struct span answer = {0};
    bool is_it = !run(&words, compiling->messages, STDOUT_FILENO, &ignored) &&
                 nodes_read_text(compiling->messages, &answer, &ignored) && answer.size > strlen(machine) &&
                 !memcmp(answer.data, machine, strlen(machine));
    free((void *)answer.data);
    compile_words_free(&words);
    return is_it;
}

/* The runtime as words for the linker: needed only if some object has nodes. */
static bool find_runtime(struct compiling *compiling, char **words, struct error *error)
{
    const char *name = is_for(compiling, "x86_64")    ? "libassay-probe-x86_64.so"
                       : is_for(compiling, "aarch64") ? "libassay-probe-aarch64.so"
                                                      : NULL;
    if (!name)
        return true; /* no nodes either */
    char *folder = folders_runtime(error), *library = NULL;
    if (folder)
        library = launch_find_part(folder, "probe", name);
    if (folder && !library)
        error_set(error, NULL,
                  "the runtime of probes (%s) is missing; set ASSAY_RUNTIME to the folder " LAUNCH_RUNTIME,
                  name);
    if (library) {
        char *absolute = path_absolute(library), *parent = path_folder(absolute);
        words[0] = memory_format("-Wl,--push-state,--as-needed");
        words[1] = absolute;
        words[2] = memory_format("-Wl,--pop-state,-rpath,%s", parent);
        free(parent);
    }
    free(folder);
    free(library);
    return library != NULL;
}

static int link_program(struct compiling *compiling, char **objects, struct error *error)
{
    const struct compile_line *line = &compiling->line;
    char *runtime[4] = {0};
    bool is_whole = !line->is_relocatable;
    if (line->is_static && is_whole) {
        error_set(error, NULL, "the runtime of probes is a shared library: link without -static");
        return 2;
    }
    if (is_whole && !find_runtime(compiling, runtime, error))
        return 2;
    int code = run_and_free(compile_to_program(line, objects, (const char *const *)runtime), NULL, error);
    for (unsigned i = 0; i < 4; i++)
        free(runtime[i]);
    return code;
}

static int compile_program(struct compiling *compiling, struct error *error)
{
    const struct compile_line *line = &compiling->line;
    char **objects = memory_get(line->count * sizeof *objects);
    int code = 0;
    for (size_t i = line->first; i < line->count && !code; i++)
        if (line->roles[i] == ROLE_SOURCE && !line->why) {
            objects[i] = memory_format("%s/%u.o", compiling->folder, compiling->objects++);
            code = compile(compiling, i, objects[i], error);
        }
    if (!code)
        code = link_program(compiling, objects, error);
    for (size_t i = 0; i < line->count; i++)
        free(objects[i]);
    free(objects);
    return code;
}

static int compile_in_folder(struct compiling *compiling, struct error *error)
{
    const char *parent = getenv("TMPDIR");
    snprintf(compiling->folder, sizeof compiling->folder, "%s/assay-cc.XXXXXX",
             parent && *parent == '/' && strlen(parent) < 40 ? parent : "/tmp");
    if (!mkdtemp(compiling->folder)) {
        error_set_errno(error, compiling->folder, "cannot make a folder");
        return 2;
    }
    leftovers_add(compiling->folder);
    compiling->listing = memory_format("%s/listing.s", compiling->folder);
    compiling->with_nodes = memory_format("%s/nodes.s", compiling->folder);
    compiling->object = memory_format("%s/object.o", compiling->folder);
    compiling->messages = memory_format("%s/messages", compiling->folder);
    int code = compiling->line.kind == COMPILE_OBJECTS ? compile_objects(compiling, error)
                                                       : compile_program(compiling, error);
    leftovers_remove_folder(compiling->folder);
    leftovers_drop(compiling->folder);
    free(compiling->listing);
    free(compiling->with_nodes);
    free(compiling->object);
    free(compiling->messages);
    return code;
}

/* What gets nodes: functions, unless the options say otherwise. */
static bool choose(struct probe_choice *choice, const struct invocation *invocation, struct error *error)
{
    const char *plan = options_value(invocation, OPTION_PLAN);
    bool has_loops = options_has(invocation, OPTION_LOOPS);
    choice->has_no_clock = options_has(invocation, OPTION_NO_CLOCK);
    if (plan && !plan_text_read_file(choice, plan, error))
        return false;
    if (has_loops)
        probe_choice_add(choice, PROBE_WISH_LOOPS, NULL, 0, NULL, "--loops");
    if (options_has(invocation, OPTION_FUNCTIONS) || (!plan && !has_loops))
        probe_choice_add(choice, PROBE_WISH_FUNCTIONS, NULL, 0, NULL, "--functions");
    return true;
}

int command_cc(const struct invocation *invocation, struct error *error)
{
    struct compiling compiling = {0};
    char **words = response_files_expand(&invocation->operands);
    int code = 2;
    probe_choice_init(&compiling.choice);
    compile_parse(&compiling.line, (const char *const *)words);
    if (session_begin(&compiling.session, invocation, error) &&
        choose(&compiling.choice, invocation, error)) {
        if (compiling.line.why)
            session_say(&compiling.session, "compiled without probes: %s", compiling.line.why);
        if (compiling.line.kind == COMPILE_AS_IS)
            code =
                run(&(struct array){.data = words, .count = compiling.line.count + 1, .width = sizeof *words},
                    NULL, 0, error);
        else
            code = compile_in_folder(&compiling, error);
    }
    compile_free(&compiling.line);
    probe_choice_free(&compiling.choice);
    response_files_free(words);
    return session_end(&compiling.session, code, error);
}
