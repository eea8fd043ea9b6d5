/* assay codelet: one call of a function, taken out of a run (capture), looked at (show), and run again with
   other code (replay). */
#include "cli/commands.h"
#include "cli/folders.h"
#include "cli/session.h"
#include "change/optimise/replay/codelet.h"
#include "change/optimise/replay/replay.h"
#include "show/report/codelet.h"

#include "base/path.h"
#include "base/progress.h"
#include "base/settings.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { USUAL_MEMORY_MB = 4096 };

/* "smooth.codelet", in the working directory. */
static char *usual_path(const char *function)
{
    char *path = memory_format("%s.codelet", function);
    for (char *c = path; *c; c++)
        if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-", *c))
            *c = '_';
    return path;
}

static int capture(struct session *session, const struct invocation *invocation, const char *runtime,
                   struct error *error)
{
    const char *function = options_operand(invocation, 1);
    int64_t call, megabytes;
    if (invocation->before < 2 || invocation->before > 3)
        return error_set(error, NULL,
                         "capture needs one function, and the program after -- (assay codelet capture NAME "
                         "-- ./prog)"),
               2;
    if (invocation->operands.count == invocation->before)
        return error_set(error, NULL,
                         "capture needs the program after -- (assay codelet capture %s -- ./prog)", function),
               2;
    if (!options_number(invocation, OPTION_CALL, 0, &call, error) ||
        !options_number(invocation, OPTION_MEMORY_LIMIT, USUAL_MEMORY_MB, &megabytes, error))
        return 2;
    if (options_has(invocation, OPTION_CALL) && call < 1)
        return error_set(error, NULL, "--call: calls are counted from 1"), 2;
    struct array words = ARRAY_OF(const char *);
    for (size_t i = invocation->before; i < invocation->operands.count; i++)
        *(const char **)array_push(&words) = options_operand(invocation, i);
    *(const char **)array_push(&words) = NULL;
    const char *given = options_value(invocation, OPTION_OUTPUT);
    autofree char *path = given ? memory_copy_text(given, strlen(given)) : usual_path(function);
    struct capture_request request = {.words = words.data,
                                      .runtime = runtime,
                                      .function = function,
                                      .object =
                                          invocation->before == 3 ? options_operand(invocation, 2) : NULL,
                                      .call = (uint64_t)call,
                                      .memory_limit = (uint64_t)megabytes << 20,
                                      .path = path};
    struct capture_facts facts;
    bool is_captured = capture_call(&request, &facts, error);
    progress_clear();
    if (is_captured)
        report_captured(&facts, function, path, &session->style, session->out);
    array_free(&words);
    return is_captured ? 0 : 2;
}

static bool seconds_and_tolerance(const struct invocation *invocation, struct replay_request *request,
                                  struct error *error)
{
    const char *budget = options_value(invocation, OPTION_BUDGET),
               *tolerance = options_value(invocation, OPTION_TOLERANCE);
    if (budget && (!settings_parse_seconds(budget, &request->budget) || !(request->budget > 0)))
        return error_set(error, NULL, "--budget: not a time: %s (such as 5s)", budget);
    return !tolerance || replay_parse_tolerance(tolerance, &request->tolerance, &request->ulps) ||
           error_set(error, NULL, "--tolerance: not a number from 0 to 1: %s (such as 1e-12, or 8ulp)",
                     tolerance);
}

static int replay(struct session *session, const struct invocation *invocation, const char *runtime,
                  struct error *error)
{
    const char *object = options_operand(invocation, 2);
    if (invocation->operands.count > 4)
        return error_set(error, NULL, "replay takes a codelet, an object file and the name of its function"),
               2;
    struct replay_request request = {.codelet = options_operand(invocation, 1),
                                     .runtime = runtime,
                                     .object = object,
                                     .function = options_operand(invocation, 3),
                                     .processor = -1};
    struct replay_result result = {0};
    if (!seconds_and_tolerance(invocation, &request, error) || !replay_run(&request, &result, error))
        return 2;
    report_replayed(&result, object, options_value(invocation, OPTION_TOLERANCE), &session->style,
                    session->out);
    bool is_right = result.verdict == replay_SAME || result.verdict == replay_WITHIN;
    replay_result_free(&result);
    return is_right ? 0 : 1;
}

static int show(struct session *session, const struct invocation *invocation, struct error *error)
{
    struct codelet codelet;
    if (!codelet_open(options_operand(invocation, 1), &codelet, error))
        return 2;
    report_codelet(&codelet, &session->style, session->out);
    codelet_close(&codelet);
    return 0;
}

int command_codelet(const struct invocation *invocation, struct error *error)
{
    const char *verb = options_operand(invocation, 0);
    struct session session;
    bool is_capture = !strcmp(verb, "capture"), is_replay = !strcmp(verb, "replay"),
         is_show = !strcmp(verb, "show");
    /* The output of capture is the codelet: what is printed goes to standard output. */
    struct invocation plain = *invocation;
    struct array without = ARRAY_OF(struct given);
    for (size_t i = 0; i < invocation->given.count; i++)
        if (!is_capture || ARRAY_AT(struct given, &invocation->given, i)->id != OPTION_OUTPUT)
            *(struct given *)array_push(&without) = *ARRAY_AT(struct given, &invocation->given, i);
    plain.given = without;
    int code = 2;
    char *runtime = NULL;
    if (!is_capture && !is_replay && !is_show)
        error_set(error, NULL, "codelet: %s is not capture, replay or show", verb);
    if (session_begin(&session, &plain, error) && !error->set) {
        if (is_show)
            code = show(&session, invocation, error);
        else if ((runtime = folders_runtime(error)))
            code = is_capture ? capture(&session, invocation, runtime, error)
                              : replay(&session, invocation, runtime, error);
    }
    free(runtime);
    code = session_end(&session, code, error);
    array_free(&without);
    return code;
}
