/* What the ranked table lacks, and why: each figure that is missing has its reason below the table, and those of
   one reason share a sentence. */
#include "show/report/run/parts.h"

#include "model/tables.h"

#include <math.h>
#include <stdlib.h>

static const double LEAST_NAMED = 0.01;

/* ---- no prediction ---- */

/* After "it" or "they". */
static const char *const silence_words[run_silence_COUNT][2] = {
    [run_silence_NONE] = {"it contains other loops", "they contain other loops"},
    [run_silence_SMALL] = {"it takes too little of the time to be analysed",
                           "they take too little of the time to be analysed"},
    [run_silence_LACK] = {"it has an instruction that the processor lacks",
                          "they have instructions that the processor lacks"},
    [run_silence_COST] = {"the costs of its instructions are not known",
                          "the costs of their instructions are not known"},
    [run_silence_BUNDLED] = {"only loops without others inside are scheduled for this instruction set",
                             "only loops without others inside are scheduled for this instruction set"},
    [run_silence_NO_WAY] = {"no way through its code was found", "no way through their code was found"},
    [run_silence_UNKNOWN_WAYS] = {"too few samples say which way through its code was taken",
                                  "too few samples say which ways through their code were taken"},
    [run_silence_WAITS] = {"it waits for others", "they wait for others"},
};

/* Of databases that do not say it. */
static enum run_silence guess(const struct model *model, uint32_t loop)
{
    if (!model_loop(model, loop)->is_innermost)
        return run_silence_NONE;
    size_t count;
    const struct loop_cycle *paths = run_rows(&model->loop_cycles, loop, &count);
    if (!count && model->loop_cycles.count)
        return run_silence_SMALL;
    for (size_t i = 0; i < count; i++)
        if (paths[i].missing)
            return run_silence_LACK;
    return run_silence_COST;
}

/* run_silence_COUNT: it has a prediction, or is no code of which there could be one. */
static enum run_silence silence_of(const struct run_report *report, const struct run_hot *hot)
{
    const struct run_function *row = run_hot_function(report, hot);
    if (hot->loop && !isfinite(hot->figures->predicted_cycles))
        return hot->figures->silence ? (enum run_silence)hot->figures->silence
                                     : guess(report->model, hot->loop);
    return row && row->silence ? (enum run_silence)row->silence : run_silence_COUNT;
}

/* ---- no measurement ---- */

enum unmeasured { FEW_SAMPLES, PROBE_TOO_COSTLY, NOT_REACHED, NO_CALLS, MEASURED };
static const char *const unmeasured_words[MEASURED] = {
    [FEW_SAMPLES] = "too few samples",
    [PROBE_TOO_COSTLY] =
        "the probe had seen enough and switched itself off, and how often the loop was entered in "
        "all is unknown",
    [NOT_REACHED] = "no probe found a place there, or the second run did not get there",
    [NO_CALLS] = "the calls could not be counted, or there were none in the second run",
};

static enum unmeasured unmeasured_of(const struct run_report *report, const struct run_hot *hot)
{
    const struct run_function *row = run_hot_function(report, hot);
    bool is_loop = hot->loop != 0;
    if ((!is_loop && !(row && row->predicted_by)) || isfinite(run_hot_measured(report, hot)))
        return MEASURED;
    if (hot->samples < FEWEST_SAMPLES)
        return FEW_SAMPLES;
    if (!is_loop)
        return NO_CALLS;
    return hot->figures->seen_entries ? PROBE_TOO_COSTLY : NOT_REACHED;
}

/* ---- both ---- */

static char *name_of(const struct run_report *report, const struct run_hot *hot)
{
    return hot->loop ? memory_format("%u", hot->loop) : run_hot_name(report, hot);
}

/* "Loops 1 and 3 have no prediction: …" */
static void say_group(const struct run_report *report, struct array *sentences, const bool *is_meant,
                      bool of_loops, const char *what, const char *const why[2])
{
    char *list = NULL, *last = NULL;
    size_t count = 0, size = 0;
    FILE *out = open_memstream(&list, &size);
    for (size_t i = 0; i < report->shown; i++) {
        const struct run_hot *hot = ARRAY_AT(struct run_hot, &report->hot, i);
        if (!is_meant[i] || (hot->loop != 0) != of_loops)
            continue;
        if (last)
            fprintf(out, "%s%s", count > 1 ? ", " : "", last);
        free(last);
        last = name_of(report, hot);
        count++;
    }
    fclose(out);
    if (count)
        sentences_say(sentences, memory_format("%s%s%s%s %s no %s: %s.",
                                               !of_loops    ? ""
                                               : count == 1 ? "Loop "
                                                            : "Loops ",
                                               list, count > 1 ? " and " : "", last,
                                               count == 1 ? "has" : "have", what, why[count > 1]));
    free(last);
    free(list);
}

static void say_unpredicted(const struct run_report *report, struct array *sentences)
{
    autofree bool *is_meant = memory_get((report->shown + 1) * sizeof *is_meant);
    static const enum run_silence order[] = {
        run_silence_NONE,    run_silence_SMALL,  run_silence_LACK,         run_silence_COST,
        run_silence_BUNDLED, run_silence_NO_WAY, run_silence_UNKNOWN_WAYS, run_silence_WAITS};
    for (size_t why = 0; why < sizeof order / sizeof *order; why++) {
        for (size_t i = 0; i < report->shown; i++)
            is_meant[i] = silence_of(report, ARRAY_AT(struct run_hot, &report->hot, i)) == order[why];
        say_group(report, sentences, is_meant, true, "prediction", silence_words[order[why]]);
        say_group(report, sentences, is_meant, false, "prediction", silence_words[order[why]]);
    }
}

static void say_unmeasured(const struct run_report *report, struct array *sentences)
{
    autofree bool *is_meant = memory_get((report->shown + 1) * sizeof *is_meant);
    for (unsigned why = 0; why < MEASURED; why++) {
        const char *const words[] = {unmeasured_words[why], unmeasured_words[why]};
        for (size_t i = 0; i < report->shown; i++)
            is_meant[i] = unmeasured_of(report, ARRAY_AT(struct run_hot, &report->hot, i)) == why;
        say_group(report, sentences, is_meant, true, "measured cycles", words);
        say_group(report, sentences, is_meant, false, "measured cycles", words);
    }
}

static char *unread_words(const struct run_report *report, const struct run_file *row, const char *name)
{
    const char *path = model_text(report->model, row->path),
               *build_id = model_text(report->model, row->build_id);
    switch (row->state) {
    case run_file_state_REPLACED:
        return memory_format("%s was deleted or replaced while it ran, so its loops are unknown.", name);
    case run_file_state_UNREADABLE:
        return memory_format("%s cannot be read, so its loops are unknown.", name);
    case run_file_state_MISSING:
        return memory_format(
            "%s is not here%s%s, so its loops are unknown; --debug-dir DIR names a folder that has "
            "it.",
            path ? path : name, build_id ? " by its build-id " : "", build_id ? build_id : "");
    case run_file_state_OTHER_BUILD:
        return memory_format(
            "%s is another build here than what ran%s%s, so its loops are unknown; --debug-dir DIR "
            "names a folder that has it.",
            path ? path : name, build_id ? ", build-id " : "", build_id ? build_id : "");
    default:
        return NULL;
    }
}

/* Why a hot file has no functions, loops or lines. */
static void say_unread(const struct run_report *report, struct array *sentences)
{
    size_t count;
    const struct run_file *rows = run_rows(&report->model->run_files, report->view->run, &count);
    for (size_t i = 0; i < count; i++) {
        if (!(rows[i].share >= LEAST_NAMED))
            continue;
        autofree char *name = run_file_name(report, (uint32_t)(&rows[i] - model_run_file(report->model, 0)));
        char *words = unread_words(report, &rows[i], name);
        if (words)
            sentences_say(sentences, words);
    }
}

void run_say_lacks(const struct run_report *report, struct array *sentences)
{
    size_t loops = 0, unmeasured = 0, unplaced = 0, named = 0, around = 0, estimated = 0;
    for (size_t i = 0; i < report->shown; i++) {
        const struct run_hot *hot = ARRAY_AT(struct run_hot, &report->hot, i);
        const struct model *model = report->model;
        const struct run_function *row = run_hot_function(report, hot);
        loops += hot->loop != 0;
        unmeasured += hot->loop && !isfinite(run_measured(hot->figures));
        around +=
            hot->loop && isfinite(run_measured(hot->figures)) && !model_loop(model, hot->loop)->is_innermost;
        estimated += hot->loop ? hot->figures->predicted_by == run_prediction_SAMPLES
                               : row && row->predicted_by == run_prediction_SAMPLES;
        named += hot->function != 0;
        unplaced += hot->loop       ? !model_loop(model, hot->loop)->file
                    : hot->function ? !model_function(model, hot->function)->file
                                    : 0;
    }
    if (loops && unmeasured == loops && !report->run->has_second_run)
        sentences_say(sentences, memory_format("Measured cycles need a second run, with probes: `assay run "
                                               "--measure`."));
    say_unpredicted(report, sentences);
    if (report->run->has_second_run)
        say_unmeasured(report, sentences);
    if (estimated)
        sentences_say(
            sentences,
            memory_format("Some predictions are for the ways that the samples suggest%s.",
                          report->model->probe_branches.count ? "" : "; --explain counts branches"));
    if (around)
        sentences_say(sentences,
                      memory_format("What a loop around others is measured at is an iteration of its own "
                                    "code, without the loops inside it."));
    if (unplaced)
        sentences_say(sentences, memory_format("%s source lines: compile with -g, or install the debug "
                                               "information of the library.",
                                               unplaced == named ? "There are no" : "Some have no"));
    say_unread(report, sentences);
}
