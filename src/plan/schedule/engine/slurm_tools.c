/* Slurm's command line tools, run as base/child.h says.

   What a user's environment or a site's defaults would change is said in options: formats, names, requeueing.
   Limits that we put on sbatch itself must not become limits of the job, hence --propagate=NONE; and jobs get
   the user's own language and PATH, not those that our children run with.

   A job that has the same number of processors on each of its hosts is an ordinary one. Others are
   heterogeneous jobs, the only kind for which Slurm gives different numbers to different nodes; their script
   runs on the first. $ASSAY_PLACES tells the command where it is, for mpirun --host. */
#include "plan/schedule/engine/slurm_tools.h"

#include "base/child.h"
#include "base/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATIENCE = 40 /* seconds: several times what Slurm waits for its controller by itself */ };

static const struct child_limits usual = {
    .memory = UINT64_C(4) << 30, .file_size = 1 << 20, .output = 256 << 20, .seconds = PATIENCE};

bool slurm_has_tools(struct error *error)
{
    static const char *const tools[] = {"sinfo", "squeue", "sbatch", "scancel"};
    for (unsigned i = 0; i < sizeof tools / sizeof *tools; i++) {
        char *path = child_find_program(tools[i]);
        if (!path)
            return error_set(error, NULL,
                             "%s is not installed here: Slurm's commands are needed (Debian: slurm-client)",
                             tools[i]);
        free(path);
    }
    return true;
}

/* The last line of what a tool complained, without the name of the tool. */
static void take_complaint(const struct child_answer *answer, const char *tool, struct error *error)
{
    const char *text = answer->messages.data;
    size_t length = strlen(text);
    while (length && (text[length - 1] == '\n' || text[length - 1] == ' '))
        length--;
    size_t first = length;
    while (first && text[first - 1] != '\n')
        first--;
    char *line = text_safe(text + first, length - first > 300 ? 300 : length - first);
    switch (answer->end) {
    case child_end_SLOW:
        error_set(error, NULL, "Slurm did not answer %s within %d s", tool, PATIENCE);
        break;
    case child_end_MISSING:
        error_set(error, NULL, "%s is not installed here any more", tool);
        break;
    default:
        if (*line)
            error_set(error, NULL, "Slurm: %s", line);
        else
            error_set(error, NULL, "%s failed and did not say why", tool);
    }
    free(line);
}

/* Runs a tool; false: it failed, and the error says why. */
static bool run(const char *const *words, const char *tool, struct child_answer *answer, struct error *error)
{
    struct child_job job = {.words = words, .place = child_place_ROOT, .limits = usual};
    if (!child_run(&job, answer, error))
        return false;
    if (answer->end == child_end_DONE && strlen(answer->output.data) == answer->output.count)
        return true;
    take_complaint(answer, tool, error);
    child_answer_free(answer);
    return false;
}

bool slurm_ask_nodes(struct array *nodes, struct error *error)
{
    const char *partition = getenv("SBATCH_PARTITION");
    char *choice = partition && *partition ? memory_format("--partition=%s", partition) : NULL;
    const char *words[] = {
        "env",       "-u",    "SINFO_FORMAT", "-u",         "SINFO_PARTITION", "-u",
        "SINFO_ALL", "sinfo", "--Node",       "--noheader", "--noconvert",     "--format=" SLURM_NODE_FORMAT,
        choice,      NULL};
    struct child_answer answer;
    bool is_fine = run(words, "sinfo", &answer, error);
    if (is_fine) {
        is_fine = slurm_read_nodes(answer.output.data, nodes, error);
        child_answer_free(&answer);
    }
    if (is_fine && !choice) { /* only those of the default partition, where our jobs go */
        size_t kept = 0;
        for (size_t i = 0; i < nodes->count; i++) {
            struct slurm_node *node = ARRAY_AT(struct slurm_node, nodes, i), other = *node;
            *node = *ARRAY_AT(struct slurm_node, nodes, kept);
            *ARRAY_AT(struct slurm_node, nodes, kept) = other;
            kept += other.is_default;
        }
        while (nodes->count > kept) {
            struct slurm_node *last = ARRAY_AT(struct slurm_node, nodes, --nodes->count);
            free(last->name);
            free(last->why);
        }
    }
    if (is_fine && !nodes->count) {
        slurm_nodes_free(nodes);
        is_fine = choice
                      ? error_set(error, NULL,
                                  "Slurm has no partition %s (SBATCH_PARTITION), or no node in it", partition)
                      : error_set(error, NULL,
                                  "Slurm has no default partition: set SBATCH_PARTITION to one that "
                                  "sinfo lists");
    }
    free(choice);
    return is_fine;
}

bool slurm_ask_jobs(const char *session, struct array *jobs, char **text, struct error *error)
{
    char user[40];
    snprintf(user, sizeof user, "--user=%u", (unsigned)geteuid());
    const char *words[] = {
        "squeue", "--noheader", "--all", "--states=all", "--noconvert", user, "--format=" SLURM_JOB_FORMAT,
        NULL};
    struct child_answer answer;
    if (!run(words, "squeue", &answer, error))
        return false;
    *text = memory_copy_text(answer.output.data, answer.output.count);
    child_answer_free(&answer);
    if (slurm_read_jobs(*text, session, jobs, error))
        return true;
    free(*text);
    *text = NULL;
    return false;
}

/* --- sbatch --- */

struct words {
    struct array list; /* of const char * */
    struct arena arena;
};

static void add(struct words *words, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(struct words *words, const char *format, ...)
{
    char *text = NULL;
    va_list values;
    va_start(values, format);
    int length = vasprintf(&text, format, values);
    va_end(values);
    if (length < 0)
        return;
    char *kept = arena_get(&words->arena, (size_t)length + 1);
    memcpy(kept, text, (size_t)length);
    free(text);
    *(const char **)array_add(&words->list) = kept;
}

/* Jobs get the user's environment as it is, but for what would make sbatch do something else. */
static void add_environment(struct words *words, const struct engine_job *job)
{
    static const char *const unwanted[] = {"SBATCH_WAIT",
                                           "SBATCH_ARRAY_INX",
                                           "SBATCH_REQUEUE",
                                           "SBATCH_SIGNAL",
                                           "SBATCH_OVERCOMMIT",
                                           "SBATCH_EXPORT",
                                           "SBATCH_DISTRIBUTION",
                                           "SBATCH_EXCLUSIVE",
                                           "SBATCH_GET_USER_ENV",
                                           "SBATCH_TEST_ONLY",
                                           "SBATCH_HINT",
                                           "SLURM_HOSTFILE",
                                           "CLANG_NO_DEFAULT_CONFIG",
                                           "LANGUAGE",
                                           "LC_ALL"};
    static const char *const restored[] = {"CLANG_NO_DEFAULT_CONFIG", "LANGUAGE", "LC_ALL", "PATH"};
    add(words, "env");
    for (unsigned i = 0; i < sizeof unwanted / sizeof *unwanted; i++) {
        add(words, "-u");
        add(words, "%s", unwanted[i]);
    }
    for (unsigned i = 0; i < sizeof restored / sizeof *restored; i++)
        if (getenv(restored[i]))
            add(words, "%s=%s", restored[i], getenv(restored[i]));
    char *comment = slurm_comment(job), *places = comment + strlen("assay ");
    add(words, "ASSAY_PLACES=%.*s", (int)strcspn(places, " "), places);
    free(comment);
}

/* Options of all jobs, and of each component of a heterogeneous one. */
static void add_common(struct words *words, const struct slurm_request *request)
{
    const struct engine_job *job = request->job;
    char *comment = slurm_comment(job);
    add(words, "--job-name=%s", job->tag);
    add(words, "--comment=%s", comment);
    free(comment);
    add(words, "--no-requeue");
    add(words, "--propagate=NONE");
    add(words, "--export=ALL");
    add(words, "--cpus-per-task=%u", request->threads);
    if (job->memory > 0)
        add(words, "--mem=%.0fM", ceil(job->memory / 1048576));
    if (!isnan(request->seconds)) {
        bool is_short = request->seconds < 86400 * 365.0 * 10;
        add(words, "--time=%.0f", is_short ? ceil(request->seconds / 60) : 0);
    }
}

static void add_output(struct words *words, const char *path)
{
    struct array escaped = ARRAY_OF(char);
    for (; *path; path++) { /* % begins a pattern */
        if (*path == '%')
            *(char *)array_add(&escaped) = '%';
        *(char *)array_add(&escaped) = *path;
    }
    array_add(&escaped);
    add(words, "--output=%s", (const char *)escaped.data);
    array_free(&escaped);
    add(words, "--open-mode=append");
}

static void add_places(struct words *words, const struct slurm_request *request)
{
    const struct engine_job *job = request->job;
    const struct engine_place *places = job->places;
    bool is_even = true;
    for (unsigned i = 1; i < job->place_count; i++)
        is_even &= places[i].count == places[0].count;
    unsigned each = is_even ? job->place_count : 1;
    for (unsigned first = 0; first < job->place_count; first += each) {
        if (first)
            add(words, ":");
        add_common(words, request);
        struct array names = ARRAY_OF(char);
        for (unsigned i = first; i < first + each; i++) {
            size_t length = strlen(places[i].host);
            memcpy(array_add_many(&names, length), places[i].host, length);
            *(char *)array_add(&names) = i + 1 < first + each ? ',' : 0;
        }
        add(words, "--nodelist=%s", (const char *)names.data);
        array_free(&names);
        add(words, "--nodes=%u", each);
        add(words, "--ntasks=%u", each * places[first].count);
        add(words, "--ntasks-per-node=%u", places[first].count);
    }
}

bool slurm_submit(const struct slurm_request *request, char *number, size_t size, struct error *error)
{
    struct words words = {.list = ARRAY_OF(const char *)};
    add_environment(&words, request->job);
    char *program = child_find_program("sbatch"); /* not by the PATH of the job */
    add(&words, "%s", program ? program : "sbatch");
    free(program);
    add(&words, "--parsable");
    add_output(&words, request->log);
    add_places(&words, request);
    add(&words, "%s", request->script);
    array_add(&words.list);
    struct child_answer answer;
    bool is_fine = run(words.list.data, "sbatch", &answer, error);
    array_free(&words.list);
    arena_free(&words.arena);
    if (!is_fine)
        return false;
    is_fine = slurm_read_number(answer.output.data, number, size);
    if (!is_fine) {
        char *shown = text_safe(answer.output.data, strnlen(answer.output.data, 200));
        error_set(error, NULL, "sbatch said something that Assay cannot read: \"%s\"", shown);
        free(shown);
    }
    child_answer_free(&answer);
    return is_fine;
}

bool slurm_cancel(const char *name, bool only_queued, struct error *error)
{
    char user[40], *choice = memory_format("--name=%s", name);
    snprintf(user, sizeof user, "--user=%u", (unsigned)geteuid());
    const char *words[] = {"env",
                           "-u",
                           "SCANCEL_INTERACTIVE",
                           "scancel",
                           "--quiet",
                           user,
                           choice,
                           only_queued ? "--state=PENDING" : NULL,
                           NULL};
    struct child_answer answer;
    bool is_fine = run(words, "scancel", &answer, error);
    if (is_fine)
        child_answer_free(&answer);
    free(choice);
    return is_fine;
}
