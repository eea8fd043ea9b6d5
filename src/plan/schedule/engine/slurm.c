/* Jobs on a cluster under Slurm, through its command line tools.

   Two witnesses say what became of a job. The spool (script.h) knows that it began and how it ended: this is
   the truth, and is asked often, since it costs nothing. Slurm's list of jobs knows what the spool cannot:
   that a job waits, that a node died under it, that somebody cancelled it. squeue is asked every few seconds
   at most, and less often where it is slow, because a controller serves many users. Nothing needs accounting
   (sacct).

   A job that ended in Slurm's list, or is missing there, and has no result in the spool was killed. It
   counts as such only after a short while, since a shared file system shows a file of another computer late.

   Whenever we say that a tag is lost although it never began, or give up on an sbatch that may or may not
   have reached the controller, we revoke the tag first: then it cannot run later, whatever is still on its
   way.

   A controller that does not answer is no reason to do anything: everything goes on by itself on the nodes.
   Until it is back, jobs without a result are UNREACHABLE. */
#include "plan/schedule/engine/slurm_parts.h"
#include "base/clock.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const double slurm_ask_again = 2;
static const double ask_patience = 20; /* and this many times as long as the last answer took */
enum { MOST_FAILURES = 3 };
static const double rest_after_failures = 60; /* seconds */

double slurm_now(struct engine *engine)
{
    (void)engine;
    return clock_calendar_seconds();
}

struct known *slurm_known(struct engine *engine, const char *tag)
{
    string_id id = strings_add(&engine->names, tag);
    while (engine->known.count <= id)
        *(struct known *)array_add(&engine->known) = (struct known){.submitted = NAN, .over_since = NAN};
    return ARRAY_AT(struct known, &engine->known, id);
}

static void forget_texts(struct known *known)
{
    free(known->nodes);
    free(known->comment);
    free(known->state);
    free(known->reason);
    known->nodes = known->comment = known->state = known->reason = NULL;
}

/* --- questions --- */

/* After a question: when the next may be asked, and whether there was an answer. */
static void note_answer(struct engine *engine, double began, double *due, bool is_fine,
                        const struct error *error)
{
    double now = slurm_now(engine), took = now > began ? now - began : 0;
    engine->is_reached = is_fine;
    if (!is_fine)
        engine->why_not = *error;
    *due = now + fmin(fmax(slurm_ask_again, ask_patience * took), 60);
}

/* How far along a job is: of several with one tag, the one that is furthest from its end counts. */
static int rank_of(enum slurm_phase phase)
{
    static const int ranks[] = {[slurm_phase_RUNNING] = 4,
                                [slurm_phase_OTHER] = 3,
                                [slurm_phase_QUEUED] = 2,
                                [slurm_phase_ENDED] = 1,
                                [slurm_phase_REMOVED] = 0};
    return ranks[phase];
}

bool slurm_is_over(enum slurm_phase phase)
{
    return phase == slurm_phase_ENDED || phase == slurm_phase_REMOVED;
}

static void take_job(struct engine *engine, const struct slurm_job *job)
{
    struct known *known = slurm_known(engine, job->name);
    bool is_first = known->list != engine->lists;
    if (!is_first && rank_of(job->phase) <= rank_of(known->phase))
        return;
    if (is_first)
        known->was_over = known->list && slurm_is_over(known->phase);
    forget_texts(known);
    known->list = engine->lists;
    known->phase = job->phase;
    known->processors = job->processors;
    snprintf(known->job, sizeof known->job, "%s", job->number);
    known->nodes = memory_copy_text(job->nodes, strlen(job->nodes));
    known->comment = memory_copy_text(job->comment, strlen(job->comment));
    known->state = memory_copy_text(job->state, strlen(job->state));
    known->reason = memory_copy_text(job->reason, strlen(job->reason));
}

bool slurm_list_jobs(struct engine *engine)
{
    if (slurm_now(engine) < engine->jobs_due)
        return engine->is_reached;
    struct array jobs;
    char *text;
    struct error error = {0};
    double began = slurm_now(engine);
    bool is_fine = slurm_ask_jobs(engine->session, &jobs, &text, &error);
    if (is_fine) {
        engine->lists++;
        engine->jobs_asked = began;
        for (size_t i = 0; i < jobs.count; i++)
            take_job(engine, ARRAY_AT(struct slurm_job, &jobs, i));
        array_free(&jobs);
        free(text);
    }
    note_answer(engine, began, &engine->jobs_due, is_fine, &error);
    return is_fine;
}

const struct slurm_node *slurm_find_node(const struct engine *engine, const char *name, size_t length)
{
    for (size_t i = 0; i < engine->nodes.count; i++) {
        const struct slurm_node *node = ARRAY_AT(struct slurm_node, &engine->nodes, i);
        if (strlen(node->name) == length && !strncmp(node->name, name, length))
            return node;
    }
    return NULL;
}

/* The number of processors after NAME: in --hosts.  0: the node was not chosen; UINT32_MAX: all of it. */
static uint32_t chosen_of(const char *chosen, const char *name)
{
    if (!chosen)
        return UINT32_MAX;
    for (const char *item = chosen; *item; item += strcspn(item, ",") + (strchr(item, ',') != NULL)) {
        size_t length = strcspn(item, ",:");
        if (strlen(name) == length && !strncmp(item, name, length))
            return item[length] == ':' ? (uint32_t)strtoul(item + length + 1, NULL, 10) : UINT32_MAX;
    }
    return 0;
}

static bool check_choice(const struct engine *engine, struct error *error)
{
    const char *item = engine->chosen;
    while (item && *item) {
        size_t length = strcspn(item, ",:"), whole = strcspn(item, ",");
        char *end = NULL;
        if (item[length] == ':') {
            unsigned long count = strtoul(item + length + 1, &end, 10);
            if (end != item + whole || item[length + 1] < '0' || item[length + 1] > '9' || !count ||
                count > 1 << 20)
                return error_set(error, "--hosts", "\"%.*s\" is not NAME:PROCESSORS", (int)whole, item);
        }
        if (!slurm_find_node(engine, item, length))
            return error_set(
                error, "--hosts",
                "Slurm has no node \"%.*s\" in the partition that jobs go to; sinfo -N lists them",
                (int)length, item);
        item += whole + (item[whole] == ',');
    }
    return true;
}

static bool ask_nodes(struct engine *engine, struct error *error)
{
    struct array nodes;
    double began = slurm_now(engine);
    bool is_fine = slurm_ask_nodes(&nodes, error);
    if (is_fine) {
        slurm_nodes_free(&engine->nodes);
        engine->nodes = nodes;
        engine->nodes_asked = began;
    }
    note_answer(engine, began, &engine->nodes_due, is_fine, error);
    return is_fine;
}

static void slurm_close(struct engine *engine)
{
    for (size_t i = 0; i < engine->known.count; i++)
        forget_texts(ARRAY_AT(struct known, &engine->known, i));
    array_free(&engine->known);
    array_free(&engine->watched);
    for (size_t i = 0; i < engine->troubles.count; i++)
        free(ARRAY_AT(struct trouble, &engine->troubles, i)->node);
    array_free(&engine->troubles);
    slurm_nodes_free(&engine->nodes);
    strings_free(&engine->names);
    free(engine->spool);
    free(engine->session);
    free(engine->chosen);
    free(engine);
}

static struct engine *slurm_open(const struct engine_settings *settings, struct error *error)
{
    if (!slurm_has_tools(error))
        return NULL;
    struct engine *engine = memory_get(sizeof *engine);
    *engine = (struct engine){.spool = memory_copy_text(settings->spool, strlen(settings->spool)),
                              .session = memory_copy_text(settings->session, strlen(settings->session)),
                              .known = ARRAY_OF(struct known),
                              .nodes = ARRAY_OF(struct slurm_node),
                              .watched = ARRAY_OF(string_id),
                              .troubles = ARRAY_OF(struct trouble),
                              .nodes_asked = NAN,
                              .jobs_asked = NAN,
                              .nodes_due = NAN,
                              .jobs_due = NAN};
    if (settings->hosts)
        engine->chosen = memory_copy_text(settings->hosts, strlen(settings->hosts));
    bool is_fine = ask_nodes(engine, error) && check_choice(engine, error);
    if (is_fine && !slurm_list_jobs(engine))
        is_fine = error_set(error, NULL, "%s", engine->why_not.text);
    if (is_fine)
        return engine;
    slurm_close(engine);
    return NULL;
}

/* --- nodes on which jobs cannot begin --- */

static struct trouble *trouble_of(struct engine *engine, const char *name, size_t length)
{
    for (size_t i = 0; i < engine->troubles.count; i++) {
        struct trouble *trouble = ARRAY_AT(struct trouble, &engine->troubles, i);
        if (strlen(trouble->node) == length && !strncmp(trouble->node, name, length))
            return trouble;
    }
    struct trouble *trouble = array_add(&engine->troubles);
    trouble->node = memory_copy_text(name, length);
    return trouble;
}

void slurm_note_trouble(void *context, const char *host, size_t length, uint32_t count)
{
    (void)count;
    struct engine *engine = context;
    struct trouble *trouble = trouble_of(engine, host, length);
    if (++trouble->failures >= MOST_FAILURES)
        trouble->until = slurm_now(engine) + rest_after_failures;
}

void slurm_note_health(void *context, const char *host, size_t length, uint32_t count)
{
    (void)count;
    trouble_of(context, host, length)->failures = 0;
}

/* --- hosts --- */

struct sums {
    const struct engine *engine;
    uint32_t *by_node;
};

static void add_place(void *context, const char *host, size_t length, uint32_t count)
{
    struct sums *sums = context;
    const struct slurm_node *node = slurm_find_node(sums->engine, host, length);
    if (node)
        sums->by_node[node - (const struct slurm_node *)sums->engine->nodes.data] += count * node->threads;
}

/* Slurm's processors that our jobs have on each node.  The list of jobs is younger than that of nodes: a job
   that ended in between still counts. */
static void sum_ours(const struct engine *engine, uint32_t *by_node)
{
    struct sums sums = {engine, by_node};
    for (size_t i = 0; i < engine->known.count; i++) {
        const struct known *known = ARRAY_AT(struct known, &engine->known, i);
        if (known->list != engine->lists || known->phase == slurm_phase_QUEUED || known->was_over)
            continue;
        if (slurm_read_comment(known->comment, add_place, &sums))
            continue;
        const struct slurm_node *node = slurm_find_node(engine, known->nodes, strlen(known->nodes));
        if (node)
            by_node[node - (const struct slurm_node *)engine->nodes.data] += known->processors;
    }
}

static void rest_after_trouble(struct engine *engine, struct engine_host *host)
{
    for (size_t i = 0; i < engine->troubles.count; i++) {
        const struct trouble *trouble = ARRAY_AT(struct trouble, &engine->troubles, i);
        if (host->state != engine_host_UP || strcmp(trouble->node, host->name) ||
            slurm_now(engine) >= trouble->until)
            continue;
        host->state = engine_host_DRAINED;
        host->why = memory_format("%u jobs could not begin there: is %s on it, with room?", trouble->failures,
                                  engine->spool);
    }
}

static bool slurm_hosts(struct engine *engine, struct array *hosts, struct error *error)
{
    if (!(slurm_now(engine) < engine->nodes_due)) {
        if (!ask_nodes(engine, error))
            return false;
        engine->jobs_due = NAN; /* both, so that they fit together */
        slurm_list_jobs(engine);
    }
    if (!engine->is_reached)
        return error_set(error, NULL, "%s", engine->why_not.text);
    uint32_t *ours = memory_get((engine->nodes.count + 1) * sizeof *ours);
    sum_ours(engine, ours);
    *hosts = ARRAY_OF(struct engine_host);
    for (size_t i = 0; i < engine->nodes.count; i++) {
        const struct slurm_node *node = ARRAY_AT(struct slurm_node, &engine->nodes, i);
        uint32_t most = chosen_of(engine->chosen, node->name);
        if (!most)
            continue;
        uint32_t others = node->allocated > ours[i] ? node->allocated - ours[i] : 0;
        uint32_t taken = (others + node->threads - 1) / node->threads;
        uint32_t unchosen = node->processors > most ? node->processors - most : 0;
        uint32_t processors = node->processors - unchosen;
        taken = taken > unchosen ? taken - unchosen : 0; /* others may have what we were not given */
        struct engine_host *host = array_add(hosts);
        *host =
            (struct engine_host){.name = memory_copy_text(node->name, strlen(node->name)),
                                 .processors = processors,
                                 .taken = taken < processors ? taken : processors,
                                 .memory = node->memory,
                                 .speed = 1,
                                 .load = node->load,
                                 .state = node->state,
                                 .why = node->why ? memory_copy_text(node->why, strlen(node->why)) : NULL};
        rest_after_trouble(engine, host);
    }
    free(ours);
    return true;
}

const struct engine_kind engine_slurm = {.name = "slurm",
                                         .open = slurm_open,
                                         .close = slurm_close,
                                         .hosts = slurm_hosts,
                                         .start = slurm_start,
                                         .poll = slurm_poll,
                                         .cancel = slurm_cancel_tag,
                                         .now = slurm_now,
                                         .wait = slurm_wait};
