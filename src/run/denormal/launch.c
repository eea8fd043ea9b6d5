/* What the profiler and the tracer need to be started.

   The profiler is a library in LD_PRELOAD. The tracer is a Valgrind tool. Valgrind is started so that it
   takes no options from elsewhere (.valgrindrc, VALGRIND_OPTS: they are meant for other tools) and writes its
   own messages into a file. */
#include "run/denormal/launch.h"

#include "base/path.h"
#include "run/denormal/layout.h"
#include "run/denormal/parts.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool refuse(const struct denormal_options *options, const struct launch_program *program,
                   struct error *error)
{
    if (program->is_privileged)
        return error_set(error, options->words[0],
                         "runs with the rights of another user (setuid), so it cannot be watched; watch a "
                         "copy without these rights");
    if (program->is_static)
        return error_set(
            error, program->code,
            "is statically linked, so the profiler cannot be loaded into it; use assay denormals trace");
    return true;
}

static bool prepare_profiler(struct launch *launch, const struct denormal_options *options,
                             const struct launch_program *program, const char *folder, struct error *error)
{
    static const char *const own[] = {"LD_PRELOAD",
                                      "ASSAY_DENORMALS_FILE",
                                      "ASSAY_DENORMALS_EXACT",
                                      "ASSAY_DENORMALS_BUDGET",
                                      "ASSAY_DENORMALS_EVERY",
                                      NULL};
    if (!refuse(options, program, error))
        return false;
    char *wide = launch_find_part(options->runtime, "denormal-profile", "libassay-denormal-profile.so");
    char *narrow =
        launch_find_part(options->runtime, "denormal-profile", "i386/libassay-denormal-profile.so");
    bool is_done = wide && (narrow || program->bits != 32);
    if (!wide)
        error_set(
            error, options->runtime,
            "the profiler (libassay-denormal-profile.so) is missing; set ASSAY_RUNTIME to the folder " LAUNCH_RUNTIME);
    else if (!is_done)
        error_set(error, program->code,
                  "is a 32-bit program, and the profiler was built without 32-bit support (it needs "
                  "gcc-12-multilib)");
    launch_inherit(launch, own);
    is_done = is_done && launch_preload(launch, folder, "libassay-denormal-profile.so", wide, narrow, error);
    free(wide);
    free(narrow);
    if (!is_done)
        return false;
    launch_assign(launch, memory_format("ASSAY_DENORMALS_FILE=%s/profile", folder));
    if (options->mode == denormal_mode_EXACT)
        launch_assign(launch, memory_format("ASSAY_DENORMALS_EXACT=1"));
    launch_assign(launch, memory_format("ASSAY_DENORMALS_BUDGET=%g", options->budget * 100));
    if (options->phase_seconds > 0)
        launch_assign(launch, memory_format("ASSAY_DENORMALS_EVERY=%g", options->phase_seconds));
    launch_add_words(launch, options->words);
    launch->file = memory_copy_text(program->path, strlen(program->path));
    return true;
}

/* The folder of the tool for programs of this many bits (0: unknown), or NULL. */
static char *find_tool(const char *runtime, unsigned bits)
{
    static const struct {
        unsigned bits;
        const char *name;
    } tools[] = {{64, "denormal-trace/denormal-trace-amd64-linux"},
                 {64, "denormal-trace/denormal-trace-arm64-linux"},
                 {32, "denormal-trace/denormal-trace-x86-linux"}};
    for (size_t i = 0; i < sizeof tools / sizeof *tools; i++) {
        char *path = !bits || tools[i].bits == bits ? launch_find_part(runtime, ".", tools[i].name) : NULL;
        if (!path)
            continue;
        char *folder = path_folder(path);
        free(path);
        return folder;
    }
    return NULL;
}

static bool complain_of_tool(const struct denormal_options *options, const struct launch_program *program,
                             struct error *error)
{
    char *other = find_tool(options->runtime, 0);
    bool is_there = other;
    free(other);
    if (is_there)
        return error_set(error, program->code, "is a %u-bit program, which the tracer does not support%s",
                         program->bits, program->bits == 32 ? "; on x86, use assay denormals profile" : "");
    return error_set(
        error, options->runtime,
        "the tracer (denormal-trace) is missing: building it needs Debian's package valgrind; or set "
        "ASSAY_RUNTIME to the folder " LAUNCH_RUNTIME);
}

static void add_tracer_words(struct launch *launch, const struct denormal_options *options,
                             const struct launch_program *program, const char *folder)
{
    launch_add_word(launch, memory_format("valgrind"));
    launch_add_word(launch, memory_format("--command-line-only=yes"));
    launch_add_word(launch, memory_format("--tool=denormal-trace"));
    launch_add_word(launch, memory_format("--quiet"));
    launch_add_word(launch,
                    memory_format("--vgdb=no")); /* its pipes would stay behind a program that is killed */
    launch_add_word(launch,
                    memory_format("--sigill-diagnostics=yes")); /* into the file: watch.c looks for it */
    launch_add_word(launch, memory_format("--log-file=%s/%%p.log", folder));
    launch_add_word(launch, memory_format("--trace-children=%s", options->has_children ? "yes" : "no"));
    launch_add_word(launch, memory_format("--follows-children=%s", options->has_children ? "yes" : "no"));
    launch_add_word(launch, memory_format("--output=%s/%%p.trace", folder));
    launch_add_word(launch,
                    memory_format("--origins=%s", options->mode == denormal_mode_ORIGINS ? "yes" : "no"));
    launch_add_word(launch, memory_format("--near=%u", options->binades));
    launch_add_word(launch, memory_format("--phase-milliseconds=%.0f", options->phase_seconds * 1000));
    if (options->arrays)
        launch_add_word(launch, memory_format("--arrays=%s/arrays", folder));
    if (options->has_log)
        launch_add_word(launch, memory_format("--log=yes"));
    if (options->has_log && options->log_array)
        launch_add_word(launch, memory_format("--log-array=%s", options->log_array));
    if (options->has_log && options->log_around)
        launch_add_word(launch, memory_format("--log-around=%lld", (long long)options->log_around));
    struct array *words = &launch->words;
    size_t first = words->count;
    launch_add_words(launch, options->words);
    /* A name like an option, or without a slash in a folder of PATH that is not absolute. */
    if (options->words[0][0] == '-') {
        free(*ARRAY_AT(char *, words, first));
        *ARRAY_AT(char *, words, first) = memory_copy_text(program->path, strlen(program->path));
    }
}

/* Whether there are the arrays that the user names. */
static bool check_names(const struct denormal_options *options, const struct launch_program *program,
                        const char *list, struct error *error)
{
    const struct denormal_layout *layout = options->layout;
    if (!options->log_array && !layout)
        return true;
    if (!options->arrays)
        return error_set(
            error, options->words[0],
            "has no debug information, so arrays have no names: compile it with -g, or leave out "
            "--array and --layout");
    for (size_t i = 0; layout && i < layout->arrays.count; i++) {
        const struct layout_array *array = ARRAY_AT(struct layout_array, &layout->arrays, i);
        struct error missing = {0};
        if (denormal_has_array(list, array->name, program->code, &missing))
            continue;
        char *where = memory_format("%s:%u", layout->path, array->line);
        error_set(error, where, "%s", missing.text);
        free(where);
        return false;
    }
    return !options->log_array || denormal_has_array(list, options->log_array, program->code, error);
}

static bool prepare_tracer(struct launch *launch, const struct denormal_options *options,
                           const struct launch_program *program, const char *folder, struct error *error)
{
    static const char *const own[] = {"VALGRIND_LIB", NULL};
    if (program->is_privileged)
        return refuse(options, program, error);
    if (program->has_id_bits)
        return error_set(error, options->words[0],
                         "has a setuid or setgid bit, which Valgrind refuses; watch a copy without that bit");
    if (program->is_unreadable)
        return error_set(error, options->words[0], "may be run but not read, and the tracer has to read it");
    const char *temporary = getenv("TMPDIR");
    if (temporary && access(temporary, W_OK | X_OK))
        return error_set_errno(error, temporary,
                               "$TMPDIR is not a writable folder, and Valgrind needs one; set it to another "
                               "folder, or unset it");
    char *tool = find_tool(options->runtime, program->bits);
    if (!tool)
        return complain_of_tool(options, program, error);
    launch->file = memory_format("%s/denormal-trace-launcher", tool);
    if (access(launch->file, X_OK)) {
        error_set_errno(error, launch->file,
                        "cannot start the tracer: install Assay again, or set ASSAY_RUNTIME");
        free(tool);
        return false;
    }
    add_tracer_words(launch, options, program, folder);
    launch_inherit(launch, own);
    launch_assign(launch, memory_format("VALGRIND_LIB=%s", tool));
    free(tool);
    char *list = memory_format("%s/arrays", folder);
    bool is_done =
        (!options->arrays || denormal_write_arrays(options->arrays, options->layout, list, error)) &&
        check_names(options, program, list, error);
    free(list);
    return is_done;
}

bool denormal_prepare(struct launch *launch, const struct denormal_options *options,
                      const struct launch_program *program, const char *folder, struct error *error)
{
    launch->is_diverted = options->is_diverted;
    return options->tool == denormal_tool_TRACER ? prepare_tracer(launch, options, program, folder, error)
                                                 : prepare_profiler(launch, options, program, folder, error);
}
