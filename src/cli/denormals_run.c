/* assay denormals profile and trace: from a command line to a report of its run.

   The tracer is given the program's arrays by name, so the program is read first, with the libraries that
   have debug information. The recording may mention further libraries (rarely): then all files are read again
   in the same order, so that variables keep their ids. */
#include "cli/denormals.h"

#include "base/path.h"
#include "base/progress.h"
#include "cli/cycles.h"
#include "cli/folders.h"
#include "cli/machines.h"
#include "cli/say.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static struct model *new_model(void)
{
    struct model *model = memory_get(sizeof *model);
    model_init(model);
    return model;
}

static void drop_model(struct model *model)
{
    if (!model)
        return;
    model_free(model);
    free(model);
}

/* The files that a model was made from. */
struct files {
    struct array paths; /* of char * */
    struct model *model;
};

static void drop_files(struct files *files)
{
    for (size_t i = 0; i < files->paths.count; i++)
        free(*ARRAY_AT(char *, &files->paths, i));
    array_free(&files->paths);
    drop_model(files->model);
    files->model = NULL;
}

static void add_path(struct array *paths, const char *path)
{
    *(char **)array_push(paths) = memory_copy_text(path, strlen(path));
}

/* Reads them all, or only the first if one of the libraries cannot be read. */
static bool read_model(struct files *files, const struct session *session, struct error *error)
{
    struct error failure = {0};
    files->model = new_model();
    if (session_build(session, files->model, files->paths.data, files->paths.count, &failure))
        return true;
    drop_model(files->model);
    files->model = NULL;
    if (files->paths.count < 2)
        return error_set(error, NULL, "%s", failure.text);
    session_say(session, "libraries are not analysed: %s", failure.text);
    while (files->paths.count > 1)
        free(*ARRAY_AT(char *, &files->paths, --files->paths.count));
    files->model = new_model();
    return session_build(session, files->model, files->paths.data, 1, error);
}

/* The program with its arrays; without a model the tracer only knows heap blocks. */
static void read_arrays(struct files *files, const struct session *session,
                        const struct launch_program *program, const struct invocation *invocation)
{
    struct error error = {0};
    if (program->is_script || !program->code || options_has(invocation, OPTION_NO_DEBUG))
        return;
    add_path(&files->paths, program->code);
    launch_find_libraries(program, &files->paths);
    if (read_model(files, session, &error))
        return;
    session_say(session, "arrays have no names: %s", error.text);
    drop_files(files);
}

static bool has_file(const struct array *paths, const char *path)
{
    for (size_t i = 0; i < paths->count; i++)
        if (path_is_same_file(*ARRAY_AT(char *, paths, i), path))
            return true;
    return false;
}

/* The model that rows are added to: the one already read, or a new one with more files. */
static struct model *read_files_of_run(struct files *files, const struct session *session,
                                       const struct denormal_recording *recording, struct error *error)
{
    struct files events = {.paths = ARRAY_OF(char *)};
    size_t before = files->paths.count;
    bool is_done = denormal_modules(recording, &events.paths, error);
    for (size_t i = 0; is_done && i < events.paths.count; i++)
        if (!has_file(&files->paths, *ARRAY_AT(char *, &events.paths, i)))
            add_path(&files->paths, *ARRAY_AT(char *, &events.paths, i));
    drop_files(&events);
    if (is_done && (!files->model || files->paths.count > before)) {
        drop_model(files->model);
        files->model = files->paths.count ? NULL : new_model();
        is_done = files->model || read_model(files, session, error);
    }
    struct model *model = is_done ? files->model : NULL;
    if (model)
        files->model = NULL;
    return model;
}

static bool write_database(struct session *session, const struct denormals_choice *choice,
                           const struct invocation *invocation, struct error *error)
{
    if (!choice->database)
        return true;
    if (options_has(invocation, OPTION_CYCLES) && !cycles_store(session, error))
        return false;
    bool is_done = store_write(session->model, choice->database, session_threads(invocation), error);
    progress_clear();
    return is_done;
}

static bool tell(struct session *session, const struct denormals_choice *choice,
                 const struct invocation *invocation, struct error *error)
{
    return session_connect(session, error) &&
           denormals_tell(session, choice, invocation, choice->watching.words[0], error) &&
           denormals_write_log(session, choice, error);
}

/* Reports how the program ended if it failed. */
static bool say_failure(const struct denormal_recording *recording)
{
    const char *program = recording->options.words[0];
    if (recording->is_unknown_code)
        say("Valgrind stopped %s at an instruction that it does not support (such as AVX-512 or SVE); "
            "compile for an older processor",
            program);
    else if (recording->run.end_signal)
        say("signal %d (%s) ended %s; the report covers the run up to then", recording->run.end_signal,
            strsignal(recording->run.end_signal), program);
    else if (recording->run.exit_status)
        say("%s failed with exit status %d", program, recording->run.exit_status);
    return recording->run.end_signal || recording->run.exit_status;
}

static int conclude(struct session *session, const struct denormals_choice *choice,
                    struct denormal_recording *recording, struct files *files,
                    const struct invocation *invocation, struct error *error)
{
    bool has_failed = say_failure(recording);
    session->model = read_files_of_run(files, session, recording, error);
    if (!session->model || !denormal_add(session->model, recording, error))
        return 2;
    denormal_forget(recording); /* before any output: the reader may close the pipe */
    denormal_measure(session->model);
    denormal_conclude(session->model);
    machines_name_processors(session->model);
    if (!write_database(session, choice, invocation, error) || !tell(session, choice, invocation, error))
        return 2;
    fflush(session->out); /* messages on standard error come after it */
    if (choice->database)
        session_say(session, "written to %s; show again with: assay denormals report %s", choice->database,
                    choice->database);
    return has_failed;
}

/* On a processor without traps, the tracer counts instead. */
static void choose_tool(const struct session *session, struct denormal_options *watching)
{
    const char *why = NULL;
    if (watching->tool != denormal_tool_PROFILER || denormal_can_trap(&why))
        return;
    session_say(session, "counting with the tracer, because traps are not available: %s", why);
    watching->tool = denormal_tool_TRACER;
    watching->mode = denormal_mode_COUNTS;
    watching->has_children = true; /* as the profiler would */
}

static int watch(struct session *session, struct denormals_choice *choice, const char *runtime,
                 const struct launch_program *program, const struct invocation *invocation,
                 struct error *error)
{
    struct denormal_options *watching = &choice->watching;
    struct denormal_recording recording;
    watching->runtime = runtime;
    choose_tool(session, watching);
    bool is_trace = watching->tool == denormal_tool_TRACER;
    if (is_trace && program->is_script && !watching->has_children)
        session_say(
            session,
            "%s is a script: its interpreter is traced; to trace programs that it starts, use --children",
            watching->words[0]);
    struct files files = {.paths = ARRAY_OF(char *)};
    if (is_trace && !program->is_privileged)
        read_arrays(&files, session, program, invocation);
    watching->arrays = files.model;
    int code = 2;
    fflush(NULL);
    if (denormal_watch(watching, &recording, error)) {
        code = conclude(session, choice, &recording, &files, invocation, error);
        denormal_forget(&recording);
    }
    drop_files(&files);
    return code;
}

int denormals_run(struct session *session, struct denormals_choice *choice,
                  const struct invocation *invocation, struct error *error)
{
    struct launch_program program;
    if (!launch_find_program(choice->watching.words[0], &program, error))
        return 2;
    autofree char *runtime = folders_runtime(error);
    int code = runtime ? watch(session, choice, runtime, &program, invocation, error) : 2;
    launch_free_program(&program);
    return code;
}
