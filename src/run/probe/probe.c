/* The runtime is a library of the ISA of the plan, which is not always ours: a program for another one may
   run under an emulator, which passes the environment on.  The emulator, and what else the run starts, finds
   the runtime of its own ISA, which has nothing to do there.

     ASSAY_PROBE_PLAN=DIR/plan     what to patch (runtime/probe/plan_file.h)
     ASSAY_PROBE_FILE=DIR/probe    a recording is DIR/probe.PID; probe.PID.2 … where an exec came before */
#include "run/probe/probe.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

static bool may_be_launched(const struct launch_program *program, struct error *error)
{
    if (program->is_movable && !program->is_script)
        return true;
    return error_set(error, program->code,
                     "is statically linked and runs at one address only, so the runtime of the probes "
                     "cannot be loaded with it; link it with -static-pie or dynamically, or put probes "
                     "into its assembly (assay cc)");
}

bool probe_may_run(const struct launch_program *program, const char *word, struct error *error)
{
    if (program->is_privileged)
        return error_set(error, word,
                         "runs with the rights of another user (setuid), so it gets no probes; use a copy "
                         "without these rights");
    if (program->bits == 32)
        return error_set(error, word, "is a 32-bit program; probes are for x86-64 and AArch64");
    return !program->is_static || program->is_emulator || may_be_launched(program, error);
}

static const char NAME[] = "libassay-probe.so";

/* As names of files have it; NULL: probes do not know it. */
static const char *machine_of(const struct probe_plan *plan)
{
    enum isa isa = isa_NONE;
    if (plan->modules.count)
        isa = (enum isa)model_program(plan->model,
                                      ARRAY_AT(struct probe_made_module, &plan->modules, 0)->program)
                  ->isa;
    else if (plan->model->programs.count > 1)
        isa = (enum isa)model_program(plan->model, 1)->isa;
    return isa == isa_X86_64 ? "x86_64" : isa == isa_AARCH64 ? "aarch64" : NULL;
}

static char *find_library(const struct probe_request *probe, const char *machine)
{
    char *name = memory_format("libassay-probe-%s.so", machine);
    char *library = launch_find_part(probe->runtime, "probe", name);
    free(name);
    return library;
}

static bool preload(struct launch *launch, const struct probe_request *probe, const char *machine,
                    const char *library, const char *folder, struct error *error)
{
    const char *other_machine = strcmp(machine, "x86_64") ? "x86_64" : "aarch64";
    char *other = find_library(probe, other_machine);
    bool is_done = launch_preload(launch, folder, NAME, library, NULL, error) &&
                   (!other || launch_preload_for(folder, NAME, other_machine, other, error));
    free(other);
    return is_done;
}

/* gcc's address sanitizer refuses to run where another library was loaded before it. */
static void allow_sanitizer(struct launch *launch)
{
    const char *options = getenv("ASAN_OPTIONS");
    bool has_some = options && *options;
    launch_assign(launch, memory_format("ASAN_OPTIONS=%s%sverify_asan_link_order=0", has_some ? options : "",
                                        has_some ? ":" : ""));
}

/* A static program has no dynamic linker to load the runtime: the launcher does what one would do.  An
   emulator may be static, too, but the one that the runtime is for is the program of the other machine that
   it runs. */
static bool needs_launcher(const struct launch_program *program, const char *machine)
{
#ifdef __aarch64__
    static const char ours[] = "aarch64";
#else
    static const char ours[] = "x86_64";
#endif
    return program->is_static && (!program->is_emulator || !strcmp(machine, ours));
}

static bool start_by_launcher(struct launch *launch, const struct probe_request *probe,
                              const struct launch_program *program, const char *machine, struct error *error)
{
    char *name = memory_format("assay-probe-launcher-%s", machine);
    launch->file = launch_find_part(probe->runtime, "probe", name);
    if (!launch->file)
        error_set(error, probe->runtime, "%s, which starts static programs, is missing", name);
    else
        launch_assign(launch, memory_format("ASSAY_PROBE_PROGRAM=%s", program->path));
    free(name);
    return launch->file;
}

static bool prepare(struct launch *launch, const struct probe_request *probe, const struct probe_plan *plan,
                    const struct launch_program *program, const char *folder, struct error *error)
{
    static const char *const own[] = {"LD_PRELOAD",          "ASSAY_PROBE_PLAN", "ASSAY_PROBE_FILE",
                                      "ASSAY_PROBE_PROGRAM", "ASAN_OPTIONS",     NULL};
    const char *machine = machine_of(plan);
    if (!machine)
        return error_set(error, program->path, "probes are for x86-64 and AArch64");
    char *library = find_library(probe, machine);
    if (!library)
        return error_set(
            error, probe->runtime,
            "the runtime of the probes (libassay-probe-%s.so) is missing; set ASSAY_RUNTIME to the folder " LAUNCH_RUNTIME,
            machine);
    char *file = memory_format("%s/plan", folder);
    bool is_done = probe_plan_write(plan, file, error);
    free(file);
    launch_inherit(launch, own);
    is_done = is_done && preload(launch, probe, machine, library, folder, error);
    free(library);
    if (!is_done)
        return false;
    launch_assign(launch, memory_format("ASSAY_PROBE_PLAN=%s/plan", folder));
    launch_assign(launch, memory_format("ASSAY_PROBE_FILE=%s/probe", folder));
    allow_sanitizer(launch);
    launch_add_words(launch, probe->words);
    launch->is_diverted = probe->is_diverted;
    launch->is_silent = probe->is_silent;
    launch->has_no_input = probe->has_no_input;
    if (needs_launcher(program, machine))
        return may_be_launched(program, error) && start_by_launcher(launch, probe, program, machine, error);
    launch->file = memory_copy_text(program->path, strlen(program->path));
    return true;
}

bool probe_launch(const struct probe_request *probe, const struct probe_plan *plan,
                  const struct launch_program *program, struct launch_run *run, struct array *paths,
                  struct error *error)
{
    struct launch launch;
    *paths = ARRAY_OF(char *);
    launch_init(&launch);
    bool is_done = launch_run_begin(run, error) &&
                   prepare(&launch, probe, plan, program, run->folder, error) &&
                   launch_run(&launch, run, error);
    launch_free(&launch);
    if (!is_done)
        return false;
    launch_run_list(run, "probe.", "", paths);
    if (paths->count)
        return true;
    if (run->end_signal)
        return error_set(error, probe->words[0], "signal %d (%s) ended it before anything was recorded",
                         run->end_signal, strsignal(run->end_signal));
    return error_set(
        error, probe->words[0],
        "left no recording: the runtime of the probes was not loaded into it, or could not write "
        "into the folder for temporary files ($TMPDIR, else /tmp)");
}
