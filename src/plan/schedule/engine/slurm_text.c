/* Reading what sinfo, squeue and sbatch print.

   States of nodes end with marks, as sinfo's manual lists them: `*` for one that does not answer, `~` for one
   that sleeps and is woken when a job needs it, `$` for maintenance, … A node whose state has a word that
   we do not know is left alone. */
#include "plan/schedule/engine/slurm_text.h"

#include "base/text.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Splits a line at `|`; the last field has the rest. */
static bool split(char *line, char **fields, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        fields[i] = line;
        if (i + 1 == count)
            return true;
        line = strchr(line, '|');
        if (!line)
            return false;
        *line++ = 0;
    }
    return false;
}

static bool read_count(const char **text, uint32_t most, uint32_t *value)
{
    if (!isdigit((unsigned char)**text))
        return false;
    char *end;
    unsigned long number = strtoul(*text, &end, 10);
    *text = end;
    *value = (uint32_t)number;
    return number <= most;
}

static bool read_whole_count(const char *text, uint32_t most, uint32_t *value)
{
    return read_count(&text, most, value) && !*text;
}

/* Numbers between separators, as many as there are. */
static bool read_counts(const char *text, char separator, unsigned count, uint32_t *values)
{
    for (unsigned i = 0; i < count; i++) {
        if (!read_count(&text, ENGINE_MOST_PROCESSORS, &values[i]) ||
            *text != (i + 1 < count ? separator : 0))
            return false;
        text++;
    }
    return true;
}

bool slurm_read_time(const char *text, double *seconds)
{
    if (!strcmp(text, "infinite") || !strcmp(text, "UNLIMITED"))
        return *seconds = INFINITY, true;
    if (!strcmp(text, "n/a") || !strcmp(text, "NOT_SET"))
        return *seconds = NAN, true;
    uint32_t days = 0, parts[3] = {0}, count = 0;
    const char *dash = strchr(text, '-');
    if (dash && (!read_count(&text, 1000000, &days) || text++ != dash))
        return false;
    do {
        if (count == 3 || !read_count(&text, 100000000, &parts[count++]))
            return false;
    } while (*text == ':' && text++);
    if (*text || (!dash && count < 2))
        return false;
    double value = 0;
    for (uint32_t i = 0; i < count; i++)
        value = value * 60 + parts[i];
    if (dash) /* days-hours[:minutes[:seconds]] */
        for (uint32_t i = count; i < 3; i++)
            value *= 60;
    *seconds = value + days * 86400.0;
    return true;
}

/* --- nodes --- */

static const struct {
    const char *word;
    enum engine_host_state state;
    const char *why;
} node_states[] = {
    {"idle", engine_host_UP, NULL},
    {"allocated", engine_host_UP, NULL},
    {"mixed", engine_host_UP, NULL},
    {"completing", engine_host_UP, NULL},
    {"planned", engine_host_UP, NULL},
    {"power_up", engine_host_UP, NULL},
    {"powering_up", engine_host_UP, NULL},
    {"power_down", engine_host_UP, NULL},
    {"powered_down", engine_host_UP, NULL},
    {"down", engine_host_DOWN, "down"},
    {"fail", engine_host_DOWN, "failed"},
    {"error", engine_host_DOWN, "failed"},
    {"inval", engine_host_DOWN, "registered with less than Slurm's settings promise"},
    {"drained", engine_host_DRAINED, "drained"},
    {"draining", engine_host_DRAINED, "draining"},
    {"failing", engine_host_DRAINED, "failing"},
    {"maint", engine_host_DRAINED, "in maintenance"},
    {"reserved", engine_host_DRAINED, "reserved"},
    {"reboot", engine_host_DRAINED, "about to restart"},
    {"reboot_issued", engine_host_DRAINED, "restarting"},
    {"powering_down", engine_host_DRAINED, "being switched off"},
    {"blocked", engine_host_DRAINED, "blocked by a job that has its switch alone"},
    {"future", engine_host_DRAINED, "not there yet"},
    {"perfctrs", engine_host_DRAINED, "taken for its counters"},
    {"unknown", engine_host_DRAINED, "not heard of yet"}, /* its controller has just begun */
};

static const struct {
    char mark;
    const char *why;
} node_marks[] = {{'*', "does not answer"},
                  {'$', "in maintenance"},
                  {'@', "about to restart"},
                  {'^', "restarting"},
                  {'%', "being switched off"},
                  {'!', "about to be switched off"},
                  {'~', NULL},
                  {'#', NULL},
                  {'-', NULL},
                  {'+', NULL}};

static void judge_node(struct slurm_node *node, const char *state, const char *reason, bool is_partition_up)
{
    size_t length = strspn(state, "abcdefghijklmnopqrstuvwxyz_");
    const char *why = NULL;
    node->is_passing = strchr(state, '*') || (length == 7 && !strncmp(state, "unknown", length));
    node->state = engine_host_DRAINED;
    bool is_known = false;
    for (unsigned i = 0; i < sizeof node_states / sizeof *node_states && !is_known; i++)
        if (strlen(node_states[i].word) == length && !strncmp(node_states[i].word, state, length)) {
            node->state = node_states[i].state;
            why = node_states[i].why;
            is_known = true;
        }
    for (const char *mark = state + length; *mark; mark++) {
        bool has_meaning = false;
        for (unsigned i = 0; i < sizeof node_marks / sizeof *node_marks; i++)
            if (node_marks[i].mark == *mark) {
                has_meaning = true;
                if (node_marks[i].why && node->state == engine_host_UP) {
                    node->state = engine_host_DRAINED;
                    why = node_marks[i].why;
                }
            }
        is_known &= has_meaning;
    }
    if (!is_known)
        node->state = engine_host_DRAINED;
    if (is_known && node->state == engine_host_UP && !is_partition_up) {
        node->state = engine_host_DRAINED;
        why = "in a partition that is not up";
    }
    if (node->state == engine_host_UP)
        return;
    bool has_reason = *reason && strcmp(reason, "none") && strcmp(reason, "(null)");
    char *told = is_known ? memory_format("%s%s%s", why, has_reason ? ": " : "", has_reason ? reason : "")
                          : memory_format("in a state that Assay does not know: %s", state);
    node->why = text_safe(told, strlen(told));
    free(told);
}

static bool read_node(char *line, struct slurm_node *node)
{
    enum {
        NAME,
        PARTITION,
        UP,
        STATE,
        PROCESSORS,
        SHAPE,
        MEGABYTES,
        USE,
        LONGEST,
        USUAL,
        LOAD,
        REASON,
        COUNT
    };
    char *fields[COUNT];
    uint32_t all, shape[3], use[4], megabytes;
    char *end;
    if (!split(line, fields, COUNT) || !*fields[NAME] || strpbrk(fields[NAME], "[], \t"))
        return false;
    if (!read_whole_count(fields[PROCESSORS], ENGINE_MOST_PROCESSORS, &all) || !all ||
        !read_counts(fields[SHAPE], ':', 3, shape) || !read_counts(fields[USE], '/', 4, use))
        return false;
    if (!read_whole_count(fields[MEGABYTES], UINT32_MAX, &megabytes) ||
        !slurm_read_time(fields[LONGEST], &node->longest) || !slurm_read_time(fields[USUAL], &node->usual))
        return false;
    node->load = strtod(fields[LOAD], &end);
    if (end == fields[LOAD] || *end || !(node->load >= 0))
        node->load = NAN; /* N/A: the node was never heard of */
    size_t length = strlen(fields[PARTITION]);
    node->is_default = length && fields[PARTITION][length - 1] == '*';
    uint64_t cores = (uint64_t)shape[0] * shape[1];
    node->threads = cores && cores < all && all % cores == 0 ? (uint32_t)(all / cores) : 1;
    node->processors = all / node->threads;
    node->allocated = use[0];
    node->memory = megabytes > 1 ? megabytes * 1048576.0 : NAN; /* 1 is what Slurm has where nobody set it */
    judge_node(node, fields[STATE], fields[REASON], !strcmp(fields[UP], "up"));
    node->name = memory_copy_text(fields[NAME], strlen(fields[NAME]));
    return true;
}

static void free_node(struct slurm_node *node)
{
    free(node->name);
    free(node->why);
}

void slurm_nodes_free(struct array *nodes)
{
    for (size_t i = 0; i < nodes->count; i++)
        free_node(ARRAY_AT(struct slurm_node, nodes, i));
    array_free(nodes);
}

/* A node once only: from the default partition, or else from the first that has it. */
static void add_node(struct array *nodes, struct slurm_node *node)
{
    for (size_t i = nodes->count; i-- > 0;) {
        struct slurm_node *other = ARRAY_AT(struct slurm_node, nodes, i);
        if (strcmp(other->name, node->name))
            continue;
        struct slurm_node *dropped = node->is_default && !other->is_default ? other : node;
        struct slurm_node kept = dropped == node ? *other : *node;
        free_node(dropped);
        *other = kept;
        return;
    }
    *(struct slurm_node *)array_add(nodes) = *node;
}

bool slurm_read_nodes(const char *text, struct array *nodes, struct error *error)
{
    *nodes = ARRAY_OF(struct slurm_node);
    char *copy = memory_copy_text(text, strlen(text)), *rest = copy;
    bool is_fine = true;
    for (char *line; is_fine && (line = strsep(&rest, "\n"));) {
        struct slurm_node node = {0};
        if (!*line)
            continue;
        char *shown = text_safe(line, strnlen(line, 200));
        is_fine = read_node(line, &node);
        if (is_fine)
            add_node(nodes, &node);
        else
            error_set(error, NULL, "sinfo said something that Assay cannot read: \"%s\"", shown);
        free(shown);
    }
    free(copy);
    if (!is_fine)
        slurm_nodes_free(nodes);
    return is_fine;
}

/* --- jobs --- */

static const struct {
    const char *word;
    enum slurm_phase phase;
} job_states[] = {
    {"PENDING", slurm_phase_QUEUED},        {"CONFIGURING", slurm_phase_QUEUED},
    {"REQUEUED", slurm_phase_QUEUED},       {"REQUEUE_FED", slurm_phase_QUEUED},
    {"REQUEUE_HOLD", slurm_phase_QUEUED},   {"SPECIAL_EXIT", slurm_phase_QUEUED},
    {"RESV_DEL_HOLD", slurm_phase_QUEUED},  {"POWER_UP_NODE", slurm_phase_QUEUED},
    {"RUNNING", slurm_phase_RUNNING},       {"COMPLETING", slurm_phase_RUNNING},
    {"SUSPENDED", slurm_phase_RUNNING},     {"STOPPED", slurm_phase_RUNNING},
    {"SIGNALING", slurm_phase_RUNNING},     {"STAGE_OUT", slurm_phase_RUNNING},
    {"RESIZING", slurm_phase_RUNNING},      {"UPDATE_DB", slurm_phase_RUNNING},
    {"COMPLETED", slurm_phase_ENDED},       {"FAILED", slurm_phase_ENDED},
    {"TIMEOUT", slurm_phase_ENDED},         {"OUT_OF_MEMORY", slurm_phase_ENDED},
    {"DEADLINE", slurm_phase_ENDED},        {"CANCELLED", slurm_phase_REMOVED},
    {"NODE_FAIL", slurm_phase_REMOVED},     {"PREEMPTED", slurm_phase_REMOVED},
    {"BOOT_FAIL", slurm_phase_REMOVED},     {"REVOKED", slurm_phase_REMOVED},
    {"LAUNCH_FAILED", slurm_phase_REMOVED}, {"RECONFIG_FAIL", slurm_phase_REMOVED},
};

static bool is_job_number(const char *text)
{
    size_t digits = strspn(text, "0123456789");
    return digits && digits < 20 && strspn(text, "0123456789_+[]-,%") == strlen(text);
}

static bool read_job(char *line, struct slurm_job *job)
{
    char *fields[7];
    if (!split(line, fields, 7) || !is_job_number(fields[0]) ||
        !read_whole_count(fields[2], UINT32_MAX, &job->processors))
        return false;
    job->number = fields[0];
    job->state = fields[1];
    job->nodes = fields[3];
    job->reason = fields[4];
    job->name = fields[5];
    job->comment = fields[6];
    job->phase = slurm_phase_OTHER;
    for (unsigned i = 0; i < sizeof job_states / sizeof *job_states; i++)
        if (!strcmp(job_states[i].word, job->state))
            job->phase = job_states[i].phase;
    return true;
}

bool slurm_read_jobs(char *text, const char *session, struct array *jobs, struct error *error)
{
    *jobs = ARRAY_OF(struct slurm_job);
    for (char *line, *rest = text; (line = strsep(&rest, "\n"));) {
        if (!strstr(line, session))
            continue;
        char *shown = text_safe(line, strnlen(line, 200));
        struct slurm_job job;
        bool is_fine = read_job(line, &job);
        if (!is_fine)
            error_set(error, NULL, "squeue said something that Assay cannot read: \"%s\"", shown);
        else if (!strncmp(job.name, session, strlen(session)))
            *(struct slurm_job *)array_add(jobs) = job;
        free(shown);
        if (!is_fine) {
            array_free(jobs);
            return false;
        }
    }
    return true;
}

bool slurm_read_number(const char *text, char *number, size_t size)
{
    size_t digits = strspn(text, "0123456789"), end = digits;
    if (text[end] == ';') /* its cluster follows, where there are several */
        end += strcspn(text + end, "\n");
    if (!digits || digits >= size || digits > 19 || strcmp(text + end, "\n"))
        return false;
    memcpy(number, text, digits);
    number[digits] = 0;
    return true;
}

/* --- comments --- */

static const char comment_start[] = "assay ";

char *slurm_comment(const struct engine_job *job)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    fputs(comment_start, out);
    for (unsigned i = 0; i < job->place_count; i++)
        fprintf(out, "%s%s:%u", i ? "," : "", job->places[i].host, job->places[i].count);
    putc(' ', out);
    unsigned length = 0;
    for (const char *name = job->name; *name && length < 100; name++, length++)
        putc(*name > ' ' && *name < 127 && !strchr("|\"'\\", *name) ? *name : '_', out);
    fclose(out);
    return text;
}

bool slurm_read_comment(const char *comment,
                        void (*each)(void *context, const char *host, size_t length, uint32_t count),
                        void *context)
{
    if (strncmp(comment, comment_start, strlen(comment_start)))
        return false;
    const char *first = comment + strlen(comment_start);
    for (int pass = 0; pass < 2; pass++) /* first whether all of it is right */
        for (const char *place = first;; place++) {
            size_t length = strcspn(place, ":, ");
            const char *rest = place + length + 1;
            uint32_t count;
            if (!length || place[length] != ':' || !read_count(&rest, ENGINE_MOST_PROCESSORS, &count) ||
                !count)
                return false;
            if (pass)
                each(context, place, length, count);
            place = rest;
            if (*place == ' ' || !*place)
                break;
            if (*place != ',')
                return false;
        }
    return true;
}
