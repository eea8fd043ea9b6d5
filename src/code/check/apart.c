/* Rules in SQL are a stranger's text, in the CI of a project that anybody may send changes to.  So they are
   asked in a process of their own (base/child.h), with limits of time and memory: a query that never ends, or
   that takes the program over, costs that process.  What it found comes back as records, which are believed
   no more than a file: a head, then the bytes of two texts.

   Tables that they read, and that are computed when somebody first does, are there before: whoever calls this
   sees to that. */
#include "code/check/check.h"

#include "base/child.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_OUTPUT = 64 << 20, MOST_FILE = 1 << 30 }; /* files: where SQLite sorts */

enum record_kind { record_BEGIN, record_VERDICT, record_ERROR };

struct record {
    uint32_t kind, demand;
    uint32_t outcome, line;
    uint32_t file_bytes, text_bytes; /* with their 0; 0: there is none */
};

/* ---- in the process of its own ---- */

struct asking {
    struct check *check;
    struct store *store;
};

static uint32_t bytes_of(const char *text)
{
    return text ? (uint32_t)strlen(text) + 1 : 0;
}

static bool put_record(struct record record, const char *file, const char *text)
{
    record.file_bytes = bytes_of(file);
    record.text_bytes = bytes_of(text);
    return child_write(&record, sizeof record) && child_write(file, record.file_bytes) &&
           child_write(text, record.text_bytes);
}

static bool put_verdicts(const struct check *check, size_t first)
{
    bool done = true;
    for (size_t i = first; done && i < check->verdicts.count; i++) {
        const struct check_verdict *verdict = check_verdict_at(check, i);
        done = put_record((struct record){.kind = record_VERDICT,
                                          .demand = verdict->demand,
                                          .outcome = verdict->outcome,
                                          .line = verdict->line},
                          verdict->file, verdict->text);
    }
    return done;
}

static int ask_all(void *context)
{
    const struct asking *asking = context;
    struct check *check = asking->check;
    for (uint32_t i = 0; i < check->demands.count; i++) {
        if (check_demand_at(check, i)->origin != check_QUERY)
            continue;
        struct error problem = {0};
        size_t first = check->verdicts.count;
        if (!put_record((struct record){.kind = record_BEGIN, .demand = i}, NULL, NULL))
            return 1;
        bool is_asked = check_ask_here(check, i, asking->store, &problem);
        if (!is_asked)
            return !put_record((struct record){.kind = record_ERROR, .demand = i}, NULL, problem.text);
        if (!put_verdicts(check, first))
            return 1;
    }
    return 0;
}

/* ---- in Assay ---- */

/* The next record and its texts, which end with 0; false: there is none, or it is damaged. */
static bool take(const struct array *output, size_t *at, struct record *record, const char **file,
                 const char **text)
{
    const char *bytes = output->data;
    if (output->count - *at < sizeof *record)
        return false;
    memcpy(record, bytes + *at, sizeof *record);
    size_t left = output->count - *at - sizeof *record;
    if (record->file_bytes > left || record->text_bytes > left - record->file_bytes)
        return false;
    *file = record->file_bytes ? bytes + *at + sizeof *record : NULL;
    *text = record->text_bytes ? bytes + *at + sizeof *record + record->file_bytes : NULL;
    *at += sizeof *record + record->file_bytes + record->text_bytes;
    return (!*file || !(*file)[record->file_bytes - 1]) && (!*text || !(*text)[record->text_bytes - 1]);
}

static bool blame(const struct check *check, uint32_t demand, const char *why, struct error *error)
{
    const struct check_demand *rule = check_demand_at(check, demand);
    char *where = memory_format("%s:%u: rule '%s'", rule->file, rule->line, rule->subject);
    error_set(error, where, "%s", why);
    free(where);
    return false;
}

static void add_verdict(struct check *check, const struct record *record, const char *file, const char *text)
{
    struct check_verdict *verdict =
        check_add_verdict(check, record->demand, (enum check_outcome)record->outcome);
    verdict->file = file ? memory_format("%s", file) : NULL;
    verdict->text = text ? memory_format("%s", text) : NULL;
    verdict->line = record->line;
}

/* All that it wrote; the rule that it was at. */
static bool take_all(struct check *check, const struct array *output, uint32_t *demand, struct error *error)
{
    struct record record;
    const char *file, *text;
    for (size_t at = 0; take(output, &at, &record, &file, &text);) {
        if (record.demand >= check->demands.count ||
            check_demand_at(check, record.demand)->origin != check_QUERY)
            break;
        *demand = record.demand;
        if (record.kind == record_ERROR)
            return blame(check, record.demand, text ? text : "", error);
        if (record.kind == record_VERDICT &&
            (record.outcome == check_HOLDS || (record.outcome == check_FAILS && text)))
            add_verdict(check, &record, file, text);
    }
    return true;
}

static bool explain_end(const struct check *check, const struct child_answer *answer, uint32_t demand,
                        unsigned seconds, struct error *error)
{
    char *slow = NULL;
    switch (answer->end) {
    case child_end_DONE:
        return true;
    case child_end_SLOW:
        slow = memory_format("did not end within the %u seconds that all rules have together: does it count "
                             "without end? (ASSAY_SQL_SECONDS sets the limit)",
                             seconds);
        blame(check, demand, slow, error);
        free(slow);
        return false;
    case child_end_LARGE:
        return blame(check, demand, "its rows are too long to be shown: select fewer columns", error);
    case child_end_CRASHED:
        return blame(
            check, demand,
            "the process that asked it was killed: it took too much memory, or met an error of SQLite",
            error);
    default:
        return blame(check, demand, "could not be asked: out of memory", error);
    }
}

bool check_ask(struct check *check, struct store *store, unsigned seconds, struct error *error)
{
    struct asking asking = {.check = check, .store = store};
    struct child_job job = {
        .work = ask_all,
        .context = &asking,
        .place = child_place_ROOT,
        .is_confined = true,
        .limits = {
            .memory = memory_budget(), .file_size = MOST_FILE, .output = MOST_OUTPUT, .seconds = seconds}};
    struct child_answer answer;
    uint32_t demand = 0;
    if (!child_run(&job, &answer, error))
        return false;
    while (demand < check->demands.count && check_demand_at(check, demand)->origin != check_QUERY)
        demand++;
    bool done = take_all(check, &answer.output, &demand, error) &&
                explain_end(check, &answer, demand, seconds, error);
    child_answer_free(&answer);
    return done;
}
