/* Jobs under Slurm: starting them, and what became of them.

   The rules of slurm.c, in the order in which they are asked: a result in the spool is the end of it; a
   revoked tag never runs; without the controller nothing can be told; a job younger than the list of jobs is
   as it was started; what the list has goes on; what it has not any more, is lost. */
#include "plan/schedule/engine/script.h"
#include "plan/schedule/engine/slurm_parts.h"

#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const double late_files = 3; /* seconds that a file of another computer may take to appear */
static const double late_orphans =
    30; /* and until a job that the controller has forgotten was killed or has ended */

/* A limit is asked for only where a site's usual one might be too short. */
static double time_limit(const struct engine *engine, const struct engine_job *job)
{
    const struct slurm_node *node = slurm_find_node(engine, job->places[0].host, strlen(job->places[0].host));
    if (!node || isnan(node->usual))
        return NAN;
    double generous = isnan(job->expected) ? INFINITY : 10 * job->expected + 3600;
    return fmin(fmax(generous, node->usual), node->longest);
}

static char *log_path(const struct engine *engine, const char *tag)
{
    return memory_format("%s/%s.slurm", engine->spool, tag);
}

/* Each host once: a place is a run of neighbouring processors, and Slurm chooses those itself. */
static unsigned join_places(const struct engine_job *job, struct engine_place *joined)
{
    unsigned count = 0;
    for (unsigned i = 0; i < job->place_count; i++) {
        unsigned same = 0;
        while (same < count && strcmp(joined[same].host, job->places[i].host))
            same++;
        if (same < count)
            joined[same].count += job->places[i].count;
        else
            joined[count++] = job->places[i];
    }
    return count;
}

static bool submit(struct engine *engine, const struct engine_job *job, uint32_t threads, char number[32],
                   struct error *error)
{
    char *script = script_write(engine->spool, job, error);
    if (!script)
        return false;
    char *log = log_path(engine, job->tag);
    struct slurm_request request = {job, script, log, threads, time_limit(engine, job)};
    bool is_fine = slurm_submit(&request, number, 32, error), has_begun;
    unlink(script);
    free(script);
    free(log);
    if (is_fine)
        return true;
    engine->nodes_due = NAN; /* the next question tells a refusal from a controller that is away */
    if (script_revoke(engine->spool, job->tag, &has_begun)) /* it may be on its way */
        return false;
    *error = (struct error){0};
    snprintf(number, 32, "?");
    return true;
}

bool slurm_start(struct engine *engine, const struct engine_job *job, struct error *error)
{
    struct engine_job whole = *job;
    struct engine_place *places = memory_get((job->place_count + 1) * sizeof *places);
    whole.places = places;
    whole.place_count = join_places(job, places);
    uint32_t threads = 0;
    bool is_fine = whole.place_count > 0;
    for (unsigned i = 0; i < whole.place_count && is_fine; i++) {
        const struct slurm_node *node = slurm_find_node(engine, places[i].host, strlen(places[i].host));
        is_fine = node || error_set(error, NULL, "Slurm has no node \"%s\"", places[i].host);
        if (node && node->threads > threads)
            threads = node->threads;
    }
    char number[32];
    is_fine = is_fine && submit(engine, &whole, threads, number, error);
    free(places);
    if (!is_fine)
        return false;
    struct known *known = slurm_known(engine, job->tag);
    known->submitted = slurm_now(engine);
    snprintf(known->job, sizeof known->job, "%s", number);
    return true;
}

bool slurm_cancel_tag(struct engine *engine, const char *tag, struct error *error)
{
    bool has_begun;
    if (!script_is_tag(tag))
        return error_set(error, NULL, "\"%.40s\" cannot be the tag of a job", tag);
    script_revoke(engine->spool, tag, &has_begun);
    return slurm_cancel(tag, false, error);
}

/* The last line that Slurm or the shell wrote about a job, apart from its command's own output. */
static void add_last_words(const struct engine *engine, const char *tag, char why[200])
{
    char *path = log_path(engine, tag), text[1024];
    FILE *log = fopen(path, "re");
    free(path);
    if (!log)
        return;
    size_t length = 0;
    if (!fseek(log, 0, SEEK_END) && ftell(log) > (long)sizeof text - 1)
        fseek(log, 1 - (long)sizeof text, SEEK_END);
    else
        rewind(log);
    length = fread(text, 1, sizeof text - 1, log);
    fclose(log);
    while (length && (text[length - 1] == '\n' || !text[length - 1]))
        length--;
    size_t first = length;
    while (first && text[first - 1] != '\n')
        first--;
    size_t used = strlen(why);
    if (length > first) {
        char *line = text_safe(text + first, length - first);
        snprintf(why + used, 200 - used, ": %s", line);
        free(line);
    }
}

static void drop_empty_log(const struct engine *engine, const char *tag)
{
    char *path = log_path(engine, tag);
    struct stat facts;
    if (!lstat(path, &facts) && S_ISREG(facts.st_mode) && !facts.st_size)
        unlink(path);
    free(path);
}

/* --- what became of a tag --- */

struct node_search {
    const struct engine *engine;
    const struct slurm_node *found;
};

static void find_lost_node(void *context, const char *host, size_t length, uint32_t count)
{
    (void)count;
    struct node_search *search = context;
    const struct slurm_node *node = slurm_find_node(search->engine, host, length);
    if (node && node->state != engine_host_UP && !node->is_passing)
        search->found = node;
}

/* A tag that has not begun is given up, for certain; if it has begun just now, it runs. */
static bool give_up(struct engine *engine, const char *tag, struct engine_status *status)
{
    bool has_begun;
    if (!script_revoke(engine->spool, tag, &has_begun)) {
        status->state = has_begun ? engine_RUNNING : engine_UNREACHABLE;
        return false;
    }
    status->state = engine_LOST;
    return true;
}

static void judge_queued(struct engine *engine, const char *tag, const struct known *known,
                         struct engine_status *status)
{
    struct node_search search = {.engine = engine};
    status->state = engine_QUEUED;
    snprintf(status->why, sizeof status->why, "%s", known->reason);
    if (!slurm_read_comment(known->comment, find_lost_node, &search) || !search.found)
        return;
    struct error ignored = {0};
    if (give_up(engine, tag, status)) {
        snprintf(status->why, sizeof status->why, "%s is %s", search.found->name, search.found->why);
        slurm_cancel(tag, false, &ignored); /* if it fails, the job ends by itself when it begins */
    }
}

/* Slurm has ended it, or does not have it any more, and there is no result. */
static void judge_gone(struct engine *engine, const char *tag, struct known *known, bool has_begun,
                       struct engine_status *status)
{
    bool is_listed = known->list == engine->lists;
    if (isnan(known->over_since))
        known->over_since = slurm_now(engine);
    if (slurm_now(engine) - known->over_since < (is_listed || !has_begun ? late_files : late_orphans)) {
        status->state = has_begun ? engine_RUNNING : engine_QUEUED;
        return;
    }
    if (!has_begun && !give_up(engine, tag, status))
        return;
    status->state = engine_LOST;
    if (!is_listed) {
        snprintf(status->why, sizeof status->why, "Slurm does not know it any more, and it left no result");
    } else if (known->phase == slurm_phase_REMOVED) {
        snprintf(status->why, sizeof status->why, "Slurm ended it on %s: %s",
                 *known->nodes ? known->nodes : "no node", known->state);
    } else if (!has_begun) {
        snprintf(status->why, sizeof status->why, "it could not begin on %s: is %s there, with room on it?",
                 known->nodes, engine->spool);
        slurm_read_comment(known->comment, slurm_note_trouble, engine);
    } else {
        bool is_timeout = !strcmp(known->state, "TIMEOUT");
        status->state = engine_DONE;
        status->exit_status = is_timeout ? 124 : 137;
        snprintf(status->why, sizeof status->why, "Slurm ended it on %s: %s", known->nodes, known->state);
    }
    add_last_words(engine, tag, status->why);
}

static void judge_done(struct engine *engine, const char *tag, const struct known *known,
                       struct engine_status *status)
{
    struct error ignored = {0};
    status->state = engine_DONE;
    if (known->comment)
        slurm_read_comment(known->comment, slurm_note_health, engine);
    if (known->list == engine->lists && known->phase == slurm_phase_QUEUED && engine->is_reached)
        slurm_cancel(tag, true, &ignored); /* a second job with this tag, which would do nothing */
    drop_empty_log(engine, tag);
}

static void judge(struct engine *engine, const char *tag, struct engine_status *status)
{
    struct known *known = slurm_known(engine, tag);
    *status = (struct engine_status){.started = NAN, .ended = NAN, .cpu_seconds = NAN};
    enum script_state seen = script_look(engine->spool, tag, status, NULL);
    bool has_begun = seen == script_CLAIMED, is_listed = engine->lists && known->list == engine->lists;
    snprintf(status->job, sizeof status->job, "%s", known->job);
    known->has_begun = has_begun;
    if (seen == script_ENDED) {
        judge_done(engine, tag, known, status);
    } else if (seen == script_REVOKED) {
        status->state = engine_LOST;
        snprintf(status->why, sizeof status->why, "it was taken back before it began");
    } else if (seen == script_UNREADABLE) {
        status->state = engine_UNREACHABLE;
        snprintf(status->why, sizeof status->why, "%s cannot be read", engine->spool);
    } else if (!engine->is_reached || (is_listed && known->phase == slurm_phase_OTHER)) {
        status->state = engine_UNREACHABLE;
        snprintf(status->why, sizeof status->why, "%.199s",
                 engine->is_reached ? known->state : engine->why_not.text);
    } else if (known->submitted >= engine->jobs_asked) { /* younger than the list */
        status->state = has_begun ? engine_RUNNING : engine_QUEUED;
    } else if (is_listed && !slurm_is_over(known->phase)) {
        known->over_since = NAN;
        if (!has_begun && known->phase == slurm_phase_QUEUED)
            judge_queued(engine, tag, known, status);
        else
            status->state = engine_RUNNING;
    } else if (!is_listed && !has_begun && isnan(known->submitted)) {
        status->state = engine_UNKNOWN;
    } else {
        judge_gone(engine, tag, known, has_begun, status);
    }
}

bool slurm_poll(struct engine *engine, const char *const *tags, unsigned count, struct engine_status *status,
                struct error *error)
{
    (void)error;
    slurm_list_jobs(engine);
    engine->watched.count = 0;
    for (unsigned i = 0; i < count; i++) {
        judge(engine, tags[i], &status[i]);
        if (status[i].state != engine_DONE && status[i].state != engine_LOST)
            *(string_id *)array_add(&engine->watched) = strings_add(&engine->names, tags[i]);
    }
    return true;
}

/* --- waiting --- */

static bool has_changed(struct engine *engine)
{
    struct stat facts;
    for (size_t i = 0; i < engine->watched.count; i++) {
        string_id id = *ARRAY_AT(string_id, &engine->watched, i);
        bool has_begun = ARRAY_AT(struct known, &engine->known, id)->has_begun;
        char *path = memory_format("%s/%s%s", engine->spool, strings_text(&engine->names, id),
                                   has_begun ? "/end" : "");
        bool is_there = !lstat(path, &facts);
        free(path);
        if (is_there)
            return true;
    }
    return false;
}

/* Looks at the spool often, less so where there is much to look at; and comes back when Slurm may be asked
 * again. */
void slurm_wait(struct engine *engine, double until)
{
    double now = slurm_now(engine), most = engine->jobs_due > now ? engine->jobs_due : now + slurm_ask_again;
    until = fmin(until, most);
    while (!has_changed(engine) && (now = slurm_now(engine)) < until) {
        double pause = fmin(fmin(fmax(0.02, (double)engine->watched.count * 0.001), 1), until - now);
        struct timespec step = {.tv_sec = (time_t)pause, .tv_nsec = (long)(fmod(pause, 1) * 1e9)};
        if (nanosleep(&step, NULL))
            return;
    }
}
