/* A variant replayed: linked, run beside the original, and a verdict. */
#include "change/optimise/replay/replay.h"

#include "change/optimise/replay/replaying.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double usual_budget = 1, usual_patience = 120;

static enum replay_verdict verdict_on(const struct replay_answer *answer)
{
    if (answer->end == replay_end_SLOW)
        return replay_SLOW;
    if (answer->end != replay_end_DONE)
        return replay_CRASHED;
    if (!answer->differing)
        return replay_SAME;
    return !answer->beyond ? replay_WITHIN : answer->far ? replay_DIFFERENT : replay_NEAR;
}

static void fill(const struct codelet *codelet, const struct replay_image *image,
                 const struct replay_answer *answer, struct replay_result *result)
{
    *result =
        (struct replay_result){.verdict = verdict_on(answer),
                               .seconds = answer->variant.seconds,
                               .spread = answer->variant.spread,
                               .original_seconds = answer->original.seconds,
                               .original_spread = answer->original.spread,
                               .calls = answer->original.calls,
                               .in_a_row = answer->original.in_a_row,
                               .is_processor_time = answer->is_processor_time,
                               .has_result = codelet->header->result_count != CODELET_RESULT_UNKNOWN,
                               .largest_error = answer->largest_error,
                               .largest_ulps = answer->largest_ulps,
                               .is_strange = answer->strange != 0,
                               .differing = answer->differing,
                               .first_address = answer->differing ? answer->first_address : answer->address,
                               .compared = answer->compared};
    result->where = answer->end == replay_end_DONE ? replaying_difference_words(codelet, answer)
                                                   : replaying_end_words(codelet, image, answer);
}

bool replay_parse_tolerance(const char *text, double *relative, double *ulps)
{
    char *end;
    double number = strtod(text, &end);
    bool is_ulps = !strcmp(end, "ulp") || !strcmp(end, "ulps");
    if (end == text || (*end && !is_ulps) || !(number >= 0) || !isfinite(number) || (!is_ulps && number >= 1))
        return false;
    *relative = is_ulps ? 0 : number;
    *ulps = is_ulps ? number : 0;
    return true;
}

static bool run_linked(const struct replay_request *request, const struct codelet *codelet,
                       struct replay_image *image, struct replay_result *result, struct error *error)
{
    struct replaying replaying = {.codelet = codelet,
                                  .file = codelet->file,
                                  .image = image,
                                  .tolerance = request->tolerance,
                                  .ulps = request->ulps,
                                  .budget = request->budget > 0 ? request->budget : usual_budget,
                                  .patience = usual_patience,
                                  .processor = request->processor};
    struct replay_outcome outcome;
    bool is_done = replaying_run(&replaying, &outcome, error);
    if (is_done)
        fill(codelet, image, &outcome.answer, result);
    replaying_free(&outcome);
    return is_done;
}

bool replay_run(const struct replay_request *request, struct replay_result *result, struct error *error)
{
    *result = (struct replay_result){0};
    struct codelet codelet;
    if (!codelet_open(request->codelet, &codelet, error))
        return false;
    struct link_request linking = {.codelet = &codelet,
                                   .runtime = request->runtime,
                                   .object = request->object,
                                   .function = request->function,
                                   .source = request->source};
    struct replay_image image;
    bool is_unlinked = false;
    struct error why = {0};
    bool is_done = link_image(&linking, &image, &is_unlinked, &why);
    if (is_done) {
        is_done = run_linked(request, &codelet, &image, result, error);
        link_free(&image);
    } else if (is_unlinked) {
        *result = (struct replay_result){.verdict = replay_UNLINKED, .where = memory_format("%s", why.text)};
        is_done = true;
    } else {
        error_set(error, NULL, "%s", why.text);
    }
    codelet_close(&codelet);
    return is_done;
}

void replay_result_free(struct replay_result *result)
{
    free(result->where);
    result->where = NULL;
}
