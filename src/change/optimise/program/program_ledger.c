/* What was measured, in the ledger: after Ctrl-C, or where the budget ended a search, the same command goes on.
   It is the same as long as the program, compiled as it is, has the same contents, runs in the same way, and may
   differ by as much. */
#include "base/clock.h"
#include "base/digest.h"
#include "change/optimise/program/program_parts.h"
#include "change/optimise/program/queries.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_COMMAND = 1000 };
/* What earlier versions built in another way is measured again. */
static const char how_built[] = "profiles of GCC beside the objects";
static const char *const verdicts[] = {
    [replay_SAME] = "same",          [replay_WITHIN] = "within tolerance", [replay_NEAR] = "last digits",
    [replay_DIFFERENT] = "wrong",    [replay_CRASHED] = "crashed",         [replay_SLOW] = "too slow",
    [replay_UNLINKED] = "cannot run"};

bool program_memory_begin(struct program_memory *memory, const struct program_request *request,
                          const char *original, bool is_uncompared, struct error *error)
{
    char contents[DIGEST_TEXT];
    struct digest digest;
    *memory = (struct program_memory){.ledger = request->ledger, .command = request->run};
    if (!digest_file(original, contents, NULL, error))
        return false;
    digest_begin(&digest);
    digest_add_text(&digest, how_built);
    digest_add_text(&digest, contents);
    digest_add_text(&digest, request->run);
    digest_add_text(&digest, request->build ? request->build : "");
    digest_add(&digest, &request->tolerance, sizeof request->tolerance);
    if (is_uncompared)
        digest_add_text(&digest, "uncompared"); /* "same" says nothing then */
    digest_end(&digest, memory->digest);
    return true;
}

static enum replay_verdict verdict_of(const char *word)
{
    for (unsigned i = 0; i < sizeof verdicts / sizeof *verdicts; i++)
        if (!strcmp(verdicts[i], word))
            return (enum replay_verdict)i;
    return replay_UNLINKED;
}

bool program_memory_find(const struct program_memory *memory, const char *beside, struct program_trial *trial)
{
    struct ledger_rows rows;
    struct error error = {0};
    bool is_found = false;
    if (!ledger_ask(memory->ledger, &rows, &error, query_named(program_queries, "find_trial"), "ttt",
                    memory->digest, trial->name, beside))
        return false;
    if (ledger_next(&rows) && ledger_text(&rows, 5)) {
        is_found = true;
        trial->result.seconds = ledger_is_null(&rows, 0) ? 0 : ledger_real(&rows, 0);
        trial->result.original_seconds = ledger_is_null(&rows, 1) ? 0 : ledger_real(&rows, 1);
        trial->step = ledger_real(&rows, 2);
        trial->step_error = ledger_real(&rows, 3);
        trial->rounds = (unsigned)ledger_integer(&rows, 4);
        trial->result.verdict = verdict_of(ledger_text(&rows, 5));
        trial->result.largest_error = ledger_is_null(&rows, 6) ? 0 : ledger_real(&rows, 6);
        trial->problem = ledger_text(&rows, 7) ? memory_format("%s", ledger_text(&rows, 7)) : NULL;
        trial->is_built = trial->is_remembered = true;
    }
    return ledger_end(&rows, &error) && is_found;
}

bool program_memory_add(const struct program_memory *memory, const char *beside,
                        const struct program_trial *trial, struct error *error)
{
    autofree char *command = memory_format("%.*s", MOST_COMMAND, memory->command);
    bool has_run = trial->is_built, is_timed = isfinite(trial->step);
    return ledger_do(memory->ledger, error, query_named(program_queries, "add_trial"), "ttttrrrritrtr",
                     memory->digest, command, trial->name, beside, is_timed ? trial->result.seconds : NAN,
                     is_timed ? trial->result.original_seconds : NAN, is_timed ? trial->step : NAN,
                     is_timed ? trial->step_error : NAN, (int64_t)trial->rounds,
                     has_run ? verdicts[trial->result.verdict] : NULL,
                     has_run ? trial->result.largest_error : NAN, trial->problem, clock_calendar_seconds());
}
