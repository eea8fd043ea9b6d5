/* Starts a program under the profiler or the tracer and waits for it.

   The profiler's recordings are mapped into memory and the tracer's are written as they grow, so they exist
   however the program ended (run/launch/run.c). */
#include "run/denormal/launch.h"
#include "run/denormal/parts.h"

#include "base/regular_file.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void list_processes(struct denormal_recording *recording)
{
    bool is_trace = recording->options.tool == denormal_tool_TRACER;
    struct array paths = ARRAY_OF(char *);
    launch_run_list(&recording->run, is_trace ? "" : "profile.", is_trace ? ".trace" : "", &paths);
    for (size_t i = 0; i < paths.count; i++) {
        char *path = *ARRAY_AT(char *, &paths, i);
        *(struct denormal_process **)array_push(&recording->processes) = denormal_process_make(path);
        free(path);
    }
    array_free(&paths);
}

/* The watched program could reach the folder as well. */
static FILE *open_log(const char *path)
{
    int file = regular_file_open(path, NULL, NULL);
    return file < 0 ? NULL : fdopen(file, "r");
}

/* Valgrind ends programs whose instructions it cannot decode by SIGILL, and says so. */
static bool has_met_unknown_code(const struct denormal_recording *recording)
{
    if (recording->options.tool != denormal_tool_TRACER || recording->run.end_signal != SIGILL)
        return false;
    char *path = memory_format("%s/%u.log", recording->run.folder, recording->run.process), line[300];
    FILE *log = open_log(path);
    bool has_met = false;
    while (log && !has_met && fgets(line, sizeof line, log))
        has_met = strstr(line, "unhandled instruction") || strstr(line, "Unrecognised instruction");
    if (log)
        fclose(log);
    free(path);
    return has_met;
}

/* Valgrind's message, in one line; or why there may be nothing. */
static bool tell_why_nothing(const struct denormal_recording *recording, struct error *error)
{
    const char *program = recording->options.words[0];
    char *path = memory_format("%s/%u.log", recording->run.folder, recording->run.process), line[300] = "";
    FILE *log = recording->options.tool == denormal_tool_TRACER ? open_log(path) : NULL;
    const char *text = log && fgets(line, sizeof line, log) ? line : NULL;
    if (log)
        fclose(log);
    free(path);
    line[strcspn(line, "\n")] = 0;
    if (text && !strncmp(text, "valgrind: ", 10))
        text += 10;
    else if (text && !strncmp(text, "==", 2) && strstr(text, "== "))
        text = strstr(text, "== ") + 3;
    if (text && *text)
        return error_set(error, program, "could not be traced: Valgrind says: %s", text);
    if (recording->run.end_signal)
        return error_set(error, program, "signal %d (%s) ended it before anything was recorded",
                         recording->run.end_signal, strsignal(recording->run.end_signal));
    if (recording->options.tool == denormal_tool_TRACER)
        return error_set(error, program,
                         "left no recording of the tracer; is there room in the folder for temporary files "
                         "($TMPDIR, else /tmp)?");
    return error_set(error, program,
                     "left no recording of the profiler: it may have started a program that libraries cannot "
                     "be loaded into; try assay denormals trace");
}

bool denormal_watch(const struct denormal_options *options, struct denormal_recording *recording,
                    struct error *error)
{
    *recording =
        (struct denormal_recording){.options = *options, .processes = ARRAY_OF(struct denormal_process *)};
    struct launch_program program;
    struct launch launch;
    if (!launch_find_program(options->words[0], &program, error))
        return false;
    launch_init(&launch);
    bool is_done = launch_run_begin(&recording->run, error) &&
                   denormal_prepare(&launch, options, &program, recording->run.folder, error) &&
                   launch_run(&launch, &recording->run, error);
    launch_free(&launch);
    launch_free_program(&program);
    if (is_done) {
        recording->is_unknown_code = has_met_unknown_code(recording);
        list_processes(recording);
        is_done = recording->processes.count || tell_why_nothing(recording, error);
    }
    if (!is_done)
        denormal_forget(recording);
    return is_done;
}

void denormal_forget(struct denormal_recording *recording)
{
    for (size_t i = 0; i < recording->processes.count; i++)
        denormal_process_free(*ARRAY_AT(struct denormal_process *, &recording->processes, i));
    array_free(&recording->processes);
    launch_run_forget(&recording->run);
}
