/* The profiler is a library in LD_PRELOAD. A run may have programs of 64 and of 32 bits, and the dynamic
   linker complains of a library of the wrong kind: so the folder of the recordings gets links to both under
   the names that the linker puts in place of $LIB, and each program finds the one of its own kind. That path
   has no blanks and colons either, which would end a name in LD_PRELOAD.

   The tracer is a Valgrind tool. Valgrind is started so that it takes no options from elsewhere (.valgrindrc,
   VALGRIND_OPTS: they are meant for other tools) and writes its own messages into a file. */
#include "denormal/launch.h"

#include "base/child.h"
#include "base/path.h"
#include "denormal/parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void add(struct array *texts, char *text)
{
    *(char **)array_push(texts) = text;
}

static void add_words(struct array *words, const struct denormal_options *options)
{
    for (const char *const *word = options->words; *word; word++)
        add(words, memory_copy_text(*word, strlen(*word)));
    add(words, NULL);
}

static bool is_named(const char *assignment, const char *const *names)
{
    for (; *names; names++) {
        size_t length = strlen(*names);
        if (!strncmp(assignment, *names, length) && assignment[length] == '=')
            return true;
    }
    return false;
}

/* Our environment without these; the caller adds its own and the NULL. */
static void copy_environment(struct array *environment, const char *const *without)
{
    for (char **assignment = environ; *assignment; assignment++)
        if (!is_named(*assignment, without))
            add(environment, memory_copy_text(*assignment, strlen(*assignment)));
}

/* runtime/NAME if installed, runtime/PART/NAME in a build; NULL if missing. */
static char *find_part(const char *runtime, const char *part, const char *name)
{
    char *path = memory_format("%s/%s", runtime, name);
    if (access(path, R_OK)) {
        free(path);
        path = memory_format("%s/%s/%s", runtime, part, name);
    }
    char *full = access(path, R_OK) ? NULL : realpath(path, NULL);
    free(path);
    return full;
}

static bool make_folder(const char *path)
{
    return !mkdir(path, 0700) || errno == EEXIST;
}

/* What the dynamic linkers of Debian and of others have for $LIB. */
static bool link_libraries(const char *folder, const char *wide, const char *narrow, struct error *error)
{
    const struct {
        const char *folder, *library;
    } places[] = {{"lib", narrow},
                  {"lib32", narrow},
                  {"lib64", wide},
                  {"lib/x86_64-linux-gnu", wide},
                  {"lib/i386-linux-gnu", narrow}};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        char *place = memory_format("%s/%s", folder, places[i].folder);
        char *link = memory_format("%s/libassay-dip.so", place);
        bool is_done = make_folder(place) && (!places[i].library || !symlink(places[i].library, link));
        free(place);
        free(link);
        if (!is_done)
            return error_set_errno(error, folder, "cannot create a link there");
    }
    return true;
}

static bool refuse(const struct denormal_options *options, const struct denormal_program *program,
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

static bool prepare_profiler(struct denormal_launch *launch, const struct denormal_options *options,
                             const struct denormal_program *program, const char *folder, struct error *error)
{
    static const char *const own[] = {"LD_PRELOAD",       "ASSAY_DIP_FILE",  "ASSAY_DIP_EXACT",
                                      "ASSAY_DIP_BUDGET", "ASSAY_DIP_EVERY", NULL};
    if (!refuse(options, program, error))
        return false;
    char *wide = find_part(options->runtime, "dip", "libassay-dip.so");
    char *narrow = find_part(options->runtime, "dip", "i386/libassay-dip.so");
    bool is_done = wide && (narrow || program->bits != 32);
    if (!wide)
        error_set(error, options->runtime,
                  "the profiler (libassay-dip.so) is missing; set ASSAY_RUNTIME to its folder");
    else if (!is_done)
        error_set(error, program->code,
                  "is a 32-bit program, and the profiler was built without 32-bit support (it needs "
                  "gcc-12-multilib)");
    is_done = is_done && link_libraries(folder, wide, narrow, error);
    free(wide);
    free(narrow);
    if (!is_done)
        return false;
    const char *others = getenv("LD_PRELOAD");
    struct array *environment = &launch->environment;
    copy_environment(environment, own);
    add(environment, memory_format("LD_PRELOAD=%s/$LIB/libassay-dip.so%s%s", folder,
                                   others && *others ? ":" : "", others ? others : ""));
    add(environment, memory_format("ASSAY_DIP_FILE=%s/dip", folder));
    if (options->mode == denormal_mode_EXACT)
        add(environment, memory_format("ASSAY_DIP_EXACT=1"));
    add(environment, memory_format("ASSAY_DIP_BUDGET=%g", options->budget * 100));
    if (options->phase_seconds > 0)
        add(environment, memory_format("ASSAY_DIP_EVERY=%g", options->phase_seconds));
    add(environment, NULL);
    add_words(&launch->words, options);
    launch->file = memory_copy_text(program->path, strlen(program->path));
    return true;
}

/* The folder of the tool for programs of this many bits (0: unknown), or NULL. */
static char *find_tool(const char *runtime, unsigned bits)
{
    static const struct {
        unsigned bits;
        const char *name;
    } tools[] = {{64, "dart/dart-amd64-linux"}, {64, "dart/dart-arm64-linux"}, {32, "dart/dart-x86-linux"}};
    for (size_t i = 0; i < sizeof tools / sizeof *tools; i++) {
        char *path = !bits || tools[i].bits == bits ? find_part(runtime, ".", tools[i].name) : NULL;
        if (!path)
            continue;
        char *folder = path_folder(path);
        free(path);
        return folder;
    }
    return NULL;
}

static bool complain_of_tool(const struct denormal_options *options, const struct denormal_program *program,
                             struct error *error)
{
    char *other = find_tool(options->runtime, 0);
    bool is_there = other;
    free(other);
    if (is_there)
        return error_set(error, program->code, "is a %u-bit program, which the tracer does not support%s",
                         program->bits, program->bits == 32 ? "; on x86, use assay denormals profile" : "");
    return error_set(error, options->runtime,
                     "the tracer (dart) is missing: building it needs Debian's package valgrind; set "
                     "ASSAY_RUNTIME to look in another folder");
}

static void add_tracer_words(struct denormal_launch *launch, const struct denormal_options *options,
                             const struct denormal_program *program, const char *folder)
{
    struct array *words = &launch->words;
    add(words, memory_format("valgrind"));
    add(words, memory_format("--command-line-only=yes"));
    add(words, memory_format("--tool=dart"));
    add(words, memory_format("--quiet"));
    add(words, memory_format("--vgdb=no")); /* its pipes would stay behind a program that is killed */
    add(words, memory_format("--sigill-diagnostics=yes")); /* into the file: watch.c looks for it */
    add(words, memory_format("--log-file=%s/%%p.log", folder));
    add(words, memory_format("--trace-children=%s", options->has_children ? "yes" : "no"));
    add(words, memory_format("--follows-children=%s", options->has_children ? "yes" : "no"));
    add(words, memory_format("--output=%s/%%p.dart", folder));
    add(words, memory_format("--origins=%s", options->mode == denormal_mode_ORIGINS ? "yes" : "no"));
    add(words, memory_format("--near=%u", options->binades));
    add(words, memory_format("--phase-milliseconds=%.0f", options->phase_seconds * 1000));
    if (options->arrays)
        add(words, memory_format("--arrays=%s/arrays", folder));
    size_t first = words->count;
    add_words(words, options);
    /* A name like an option, or without a slash in a folder of PATH that is not absolute. */
    if (options->words[0][0] == '-') {
        free(*ARRAY_AT(char *, words, first));
        *ARRAY_AT(char *, words, first) = memory_copy_text(program->path, strlen(program->path));
    }
}

static bool prepare_tracer(struct denormal_launch *launch, const struct denormal_options *options,
                           const struct denormal_program *program, const char *folder, struct error *error)
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
    launch->file = child_find_program("valgrind");
    if (!launch->file) {
        free(tool);
        return error_set(error, NULL,
                         "the tracer needs valgrind, which is not in PATH (Debian package valgrind)");
    }
    add_tracer_words(launch, options, program, folder);
    copy_environment(&launch->environment, own);
    add(&launch->environment, memory_format("VALGRIND_LIB=%s", tool));
    add(&launch->environment, NULL);
    free(tool);
    char *list = memory_format("%s/arrays", folder);
    bool is_done = !options->arrays || denormal_write_arrays(options->arrays, list, error);
    free(list);
    return is_done;
}

bool denormal_prepare(struct denormal_launch *launch, const struct denormal_options *options,
                      const struct denormal_program *program, const char *folder, struct error *error)
{
    *launch = (struct denormal_launch){.words = ARRAY_OF(char *), .environment = ARRAY_OF(char *)};
    return options->tool == denormal_tool_TRACER ? prepare_tracer(launch, options, program, folder, error)
                                                 : prepare_profiler(launch, options, program, folder, error);
}

static void free_texts(struct array *texts)
{
    for (size_t i = 0; i < texts->count; i++)
        free(*ARRAY_AT(char *, texts, i));
    array_free(texts);
}

void denormal_free_launch(struct denormal_launch *launch)
{
    free(launch->file);
    free_texts(&launch->words);
    free_texts(&launch->environment);
}
