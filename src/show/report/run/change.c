/* The loops that are worth a change.  What a change would save of the run is known from two sides: advice on
   the code gains on the prediction, and a cause of a gap takes what the loop took beyond it.  A loop has the
   larger of both; the largest come first.  A gap without a cause that can be removed saves nothing, but a
   large one is worth a line. */
#include "show/report/run/parts.h"

#include "model/tables.h"
#include "code/quality/actions.h"
#include "show/report/common/share.h"
#include "show/report/quality/rows.h"
#include "show/report/quality/words.h"
#include "run/measure/gap.h"
#include "run/units/trials.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_REMEDY = 105, MOST_PATHS = 6, MOST_HEX_BYTES = 512 };
static const double LEAST_WORTH = 0.005; /* of the run */

static int compare_weight(const void *left, const void *right)
{
    const struct run_change *a = left, *b = right;
    return a->weight > b->weight   ? -1
           : a->weight < b->weight ? 1
           : a->loop < b->loop     ? -1
                                   : a->loop > b->loop;
}

static int compare_worth(const void *left, const void *right)
{
    const struct run_change *a = left, *b = right;
    return a->worth > b->worth ? -1 : a->worth < b->worth ? 1 : compare_weight(left, right);
}

/* What an entry of a loop takes was neither measured nor simulated: a wrong guess of a branch each time is assumed.  The
   loops of real programs that are short because their data is (lists, sets) lose little of that by any change. */
static bool is_assumed(const struct run_gap *gap)
{
    return (gap->rule == gap_rule_SHORT_TRIPS || gap->rule == gap_rule_INNER_EXITS) &&
           gap->certainty == gap_certainty_LIKELY && !gap->instruction;
}

/* The advice on a branch of a loop that gives a figure; 0: none. */
static uint32_t branch_advice(const struct model *model, uint32_t loop)
{
    for (uint32_t id = 1; id < model->advice.count; id++) {
        const struct advice *advice = model_advice(model, id);
        const char *rule = model_text(model, model_rule_row(model, advice->rule)->name);
        if (advice->loop == loop && advice->level != advice_level_HINT && rule &&
            !strcmp(rule, "unpredictable-branch"))
            return id;
    }
    return 0;
}

/* A branch that a select cannot replace costs what it costs. */
static bool is_avoidable(const struct model *model, const struct run_gap *gap)
{
    enum branch_cure cure = gap_branch_cure(model, gap->instruction);
    return cure == branch_cure_UNKNOWN || cure == branch_cure_SELECT || branch_advice(model, gap->loop);
}

/* Whether a change of the program could remove the cause of a gap from the time of the loop.  "Perhaps" explains, but
   promises nothing; nor does a cost that is assumed. */
static bool is_removable(const struct model *model, const struct run_gap *gap)
{
    if (gap->certainty == gap_certainty_POSSIBLE || is_assumed(gap))
        return false;
    if (gap->rule == gap_rule_BRANCHES)
        return is_avoidable(model, gap);
    switch ((enum gap_rule)gap->rule) {
    case gap_rule_CACHE:
    case gap_rule_SETS:
    case gap_rule_ALIASING:
    case gap_rule_DENORMALS:
    case gap_rule_PAGE_FAULTS:
    case gap_rule_DIVISION:
    case gap_rule_SHORT_TRIPS:
    case gap_rule_INNER_EXITS:
    case gap_rule_FORWARDING:
        return true;
    default:
        return false;
    }
}

/* The part of the run that a loop took beyond the prediction; its cause is the one that explains most of what
   could be removed, *removable says how much.  What explains an unknown number of cycles explains all of
   them, if it comes first. */
static double find_cause(const struct model *model, struct run_change *change, const struct run_hot *hot,
                         double *removable)
{
    double measured = run_measured(hot->figures), predicted = hot->figures->predicted_cycles;
    if (!change->gap_count || !(measured > predicted && predicted > 0))
        return 0;
    double gap = measured - predicted;
    for (size_t i = 0; i < change->gap_count; i++) {
        double cycles = isfinite(change->gaps[i].cycles) ? fmin(change->gaps[i].cycles, gap) : i ? 0 : gap;
        double share = hot->share * cycles / measured;
        if (!is_removable(model, &change->gaps[i]) || !(share > *removable))
            continue;
        *removable = share;
        change->cause = &change->gaps[i];
    }
    return hot->share * gap / measured;
}

static uint32_t unit_of(const struct run_report *report, uint32_t loop)
{
    return model_function(report->model, model_loop(report->model, loop)->function)->unit;
}

const char *run_native_option(const struct model *model)
{
    bool is_arm = model->programs.count > 1 && model_program(model, 1)->isa == isa_AARCH64;
    return is_arm ? "-mcpu=native" : "-march=native";
}

/* Loops of code without optimisation have one change in common: that of their unit.  So have those of a level
   that is too low, if a higher one is what helps them. */
static bool is_of_unit(const struct run_report *report, const struct run_change *change)
{
    uint32_t unit = unit_of(report, change->loop);
    enum action action = run_change_action(report, change);
    bool is_overridden = run_option_is_about(report, unit, option_rule_OVERRIDDEN);
    bool is_lower = run_option_is_about(report, unit, option_rule_LOWER);
    return run_option_is_about(report, unit, option_rule_UNOPTIMISED) ||
           (action == action_OPTIMISE && (is_overridden || is_lower)) ||
           (action == action_OTHER_OPTION && is_lower);
}

void run_find_changes(struct run_report *report)
{
    struct array *changes = &report->changes;
    for (size_t i = 0; i < report->hot.count; i++) {
        const struct run_hot *hot = ARRAY_AT(struct run_hot, &report->hot, i);
        if (!hot->loop)
            continue;
        struct run_change change = {
            .loop = hot->loop, .figures = hot->figures, .saving = run_saving_of(report, hot->loop)};
        change.gaps = run_gaps_of(report, hot->loop, &change.gap_count);
        double saving = change.saving ? change.saving->saving : 0, removable = 0;
        double gap = find_cause(report->model, &change, hot, &removable);
        if (removable <= saving) {
            change.cause = NULL;
            removable = 0;
        }
        double rest = run_option_rest(report, unit_of(report, hot->loop));
        change.worth = fmax(saving, removable) * rest;
        bool is_more = !change.cause && change.saving && change.saving->native_saving > saving;
        change.native = is_more ? change.saving->native_saving * rest : change.worth;
        change.weight = fmax(change.worth, gap);
        if (change.weight >= LEAST_WORTH && !is_of_unit(report, &change))
            *(struct run_change *)array_add(changes) = change;
    }
    report->change_count = changes->count;
    if (!changes->count)
        return;
    qsort(changes->data, changes->count, changes->width, compare_weight);
    size_t most = report->rows > USUAL_ROWS ? report->rows : USUAL_CHANGES;
    if (report->rows < most)
        most = report->rows;
    if (changes->count > most)
        changes->count = most;
    qsort(changes->data, changes->count, changes->width, compare_worth);
}

double run_rest_savings(const struct run_report *report)
{
    double all = run_option_savings(report) + run_library_savings(report);
    bool is_tried = run_best_trial(report) != NULL;
    for (size_t i = 0; i < report->changes.count; i++) {
        const struct run_change *change = ARRAY_AT(struct run_change, &report->changes, i);
        const char *options = is_tried ? units_trial_options(run_change_action(report, change)) : NULL;
        all += units_trial_of(report->model, options) ? 0 : change->worth;
    }
    return fmin(all, 1);
}

double run_all_savings(const struct run_report *report)
{
    const struct run_trial *best = run_best_trial(report);
    return fmin(run_rest_savings(report) + (best ? best->saving : 0), 1);
}

/* "12.3", "12.3 ± 0.9": the error of cycles by samples is that of the time. */
static char *measured_words(const struct run_report *report, const struct run_loop *figures)
{
    double cycles = run_measured(figures), error = figures->error;
    char *number = run_figure(cycles);
    if (figures->measured_by == run_measure_PROBES || !(error > 0.03))
        return number;
    autofree char *spread = run_figure(cycles * error);
    char *words = memory_format("%s %s %s", number, report->is_plain ? "+-" : "±", spread);
    free(number);
    return words;
}

const struct run_gap *run_faster(const struct run_gap *gaps, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (gaps[i].rule == gap_rule_FASTER)
            return &gaps[i];
    return NULL;
}

/* How much of the difference to the prediction is explained, where not all of it is. */
static char *rest_words(const struct run_loop *figures, const struct run_gap *rest)
{
    double gap = figures->cycles_per_iteration - figures->predicted_cycles;
    if (!(gap > 0) || !(rest->cycles > 0) || rest->cycles >= gap)
        return memory_format("nothing that was measured explains the rest");
    autofree char *cycles = run_figure(rest->cycles);
    return memory_format("nothing that was measured explains the rest (%s cycles: %s %% of the difference is "
                         "explained)",
                         cycles, share_words(1 - rest->cycles / gap).text);
}

static char *gaps_words(const struct run_report *report, uint32_t loop)
{
    size_t count;
    const struct run_gap *gaps = run_gaps_of(report, loop, &count), *faster = run_faster(gaps, count);
    char *first = faster ? run_gap_words(report, faster) : count ? run_gap_words(report, &gaps[0]) : NULL;
    if (count < 2 || faster)
        return first;
    bool is_rest = gaps[1].rule == gap_rule_UNEXPLAINED;
    autofree char *second =
        is_rest ? rest_words(run_figures(report, loop), &gaps[1]) : run_gap_words(report, &gaps[1]);
    char *both = memory_format("%s; %s%s", first, is_rest ? "" : "besides, ", second);
    free(first);
    return both;
}

char *run_say_cycles(const struct run_report *report, uint32_t loop)
{
    const struct run_loop *figures = run_figures(report, loop);
    if (!figures)
        return NULL;
    bool is_predicted = isfinite(figures->predicted_cycles), is_measured = isfinite(run_measured(figures));
    char *predicted = run_figure(figures->predicted_cycles), *text = NULL;
    autofree char *gaps = gaps_words(report, loop),
                  *measured = is_measured ? measured_words(report, figures) : NULL;
    const char *colon = gaps ? ": " : "", *why = gaps ? gaps : "";
    if (is_measured && is_predicted)
        text = memory_format("Measured %s cycles an iteration, predicted %s%s%s.", measured, predicted, colon,
                             why);
    else if (is_measured)
        text = memory_format("Measured %s cycles an iteration%s%s.", measured, colon, why);
    else if (is_predicted)
        text = memory_format("Predicted: %s cycles an iteration%s%s.", predicted, colon, why);
    else if (gaps)
        text = memory_format("Cycles unknown: %s.", gaps);
    free(predicted);
    return text;
}

/* Whole sentences of a remedy, as many as are quickly read, without the last full stop. */
static size_t remedy_length(const char *text)
{
    size_t length = 0;
    for (const char *at = text; at;) {
        const char *next = strstr(at, ". ");
        size_t whole = next ? (size_t)(next - text) : strlen(text);
        if (length && whole > LONGEST_REMEDY)
            break;
        length = whole;
        at = next ? next + 1 : NULL;
    }
    while (length && text[length - 1] == '.')
        length--;
    return length;
}

static char *say_remedy(const struct model *model, uint32_t id)
{
    const struct advice *advice = model_advice(model, id);
    const char *title = model_text(model, model_rule_row(model, advice->rule)->title);
    size_t count;
    const struct remedy_row *remedies = quality_remedies(model, id, &count);
    const char *remedy = count ? model_text(model, remedies[0].text) : NULL;
    bool is_stopped = title && *title && title[strlen(title) - 1] == '.';
    const char *stop = is_stopped ? "" : ".";
    if (!remedy)
        return memory_format("%s%s", title ? title : "?", stop);
    return memory_format("%s%s %.*s.", title ? title : "?", stop, (int)remedy_length(remedy), remedy);
}

char *run_say_advice(const struct run_report *report, const struct run_saving *saving)
{
    return say_remedy(report->model, saving->advice);
}

/* What the advice on the code says about a branch is more exact than what can be said of all. */
static char *say_branch(const struct run_report *report, const struct run_gap *gap)
{
    uint32_t advice = branch_advice(report->model, gap->loop);
    return advice ? say_remedy(report->model, advice)
                  : memory_format("%s", gap_branch_remedy(gap_branch_cure(report->model, gap->instruction)));
}

char *run_say_change(const struct run_report *report, const struct run_change *change)
{
    const struct run_gap *gap = change->cause ? change->cause : change->gap_count ? change->gaps : NULL;
    if (gap && gap->rule == gap_rule_BRANCHES && (change->cause || !change->saving))
        return say_branch(report, gap);
    if (!change->cause)
        return change->saving ? run_say_advice(report, change->saving) : NULL;
    const char *remedy = gap_text((enum gap_rule)change->cause->rule)->remedy;
    return memory_format("%.*s.", (int)remedy_length(remedy), remedy);
}

char *run_say_native(const struct run_report *report, const struct run_change *change)
{
    if (change->native - change->worth < LEAST_WORTH)
        return NULL;
    return memory_format("%s %% with %s as well", share_words(change->native).text,
                         run_native_option(report->model));
}

enum action run_change_action(const struct run_report *report, const struct run_change *change)
{
    return change->cause || !change->saving ? action_OTHER
                                            : actions_of_advice(report->model, change->saving->advice);
}

struct tried_option {
    size_t loops;
    double saving, native;
};

/* " (64 % with -march=native)", where that is worth a word. */
static char *native_words(const struct tried_option *option, const char *native)
{
    if (option->native - option->saving < LEAST_WORTH)
        return memory_format("%s", "");
    return memory_format(" (%s %% with %s as well)", share_words(option->native).text, native);
}

/* "compile with -O3 (Clang: -O2): 22 loops, saves 12 %; …", the largest first, after a title; nothing without options. */
static char *say_tried(struct tried_option options[action_COUNT], const char *title, const char *native)
{
    char *text = memory_format("%s", "");
    for (;;) {
        unsigned best = 0;
        for (unsigned action = 1; action < action_COUNT; action++)
            if (options[action].loops && (!best || options[action].saving > options[best].saving))
                best = action;
        if (!best)
            break;
        autofree char *besides = native_words(&options[best], native);
        char *longer =
            memory_format("%s%s%s: %zu loop%s, saves %s %%%s", text, *text ? "; " : title, action_doc(best),
                          options[best].loops, options[best].loops == 1 ? "" : "s",
                          share_words(options[best].saving).text, besides);
        options[best].loops = 0;
        free(text);
        text = longer;
    }
    char *sentence = memory_format("%s%s", text, *text ? "." : "");
    free(text);
    return sentence;
}

/* What costs only a try.  It is part of what the changes above save, by the same numbers: a loop counts for the one
   change that it is shown with. */
char *run_say_options(const struct run_report *report)
{
    struct tried_option exact[action_COUNT] = {0}, rounded[action_COUNT] = {0};
    const char *native = run_native_option(report->model);
    for (size_t i = 0; i < report->changes.count; i++) {
        const struct run_change *change = ARRAY_AT(struct run_change, &report->changes, i);
        enum action action = run_change_action(report, change);
        bool is_exact = actions_is_option(action);
        if ((!is_exact && !actions_is_arithmetic(action)) || !(change->worth > 0))
            continue;
        struct tried_option *option = is_exact ? &exact[action] : &rounded[action];
        option->loops++;
        option->saving += change->worth;
        option->native += change->native;
    }
    autofree char *plain = say_tried(exact, "Options alone: ", native);
    autofree char *others = say_tried(rounded, "Options that may change the last digits: ", native);
    return *plain || *others ? memory_format("%s%s%s", plain, *plain && *others ? " " : "", others) : NULL;
}

char *run_say_seen(const struct run_loop *figures)
{
    if (!figures->seen_entries)
        return NULL;
    autofree char *iterations = phrase_count(figures->seen_iterations),
                  *entries = phrase_count(figures->seen_entries);
    return memory_format("%s iterations in the first %s entries, %.3g each; then its probe had seen enough.",
                         iterations, entries,
                         (double)figures->seen_iterations / (double)figures->seen_entries);
}

char *run_say_paths(const struct run_report *report, uint32_t loop)
{
    size_t count;
    const struct run_path *paths = run_paths_of(report, loop, &count);
    struct quality_rows rows;
    char *text = NULL;
    size_t size = 0;
    FILE *out = count > 1 ? open_memstream(&text, &size) : NULL;
    quality_rows_find(&rows, report->model, loop);
    for (size_t i = 0; out && i < count && i < MOST_PATHS; i++) {
        struct quality_rows path = quality_rows_of_path(&rows, paths[i].path);
        bool is_known = path.cycle_count && isfinite(path.cycles->cycles);
        autofree char *cycles = is_known ? run_figure(path.cycles->cycles) : NULL;
        fprintf(out, "%s%s %% %spath %u", i ? ", " : "", share_words(paths[i].share).text,
                i ? "" : "of the iterations took ", paths[i].path);
        if (cycles)
            fprintf(out, " (%s cycles%s)", cycles, i ? "" : " predicted");
    }
    if (out) {
        fprintf(out, count > MOST_PATHS ? ", the rest others." : ".");
        fclose(out);
    }
    return text;
}

char *run_block_hex(const struct run_report *report, uint32_t loop)
{
    const struct model *model = report->model;
    const struct run_loop *figures = run_figures(report, loop);
    struct quality_rows rows;
    quality_rows_find(&rows, model, loop);
    const struct loop_cycle *slowest = quality_slowest(&rows);
    uint32_t path = figures && figures->path ? figures->path : slowest ? slowest->path : 0;
    struct array instructions = path ? quality_path_instructions(model, loop, path) : ARRAY_OF(uint32_t);
    char *text = NULL;
    size_t size = 0, bytes = 0;
    FILE *out = open_memstream(&text, &size);
    uint32_t last = 0;
    for (size_t i = 0; i < instructions.count; i++) {
        uint32_t block = model_instruction(model, *ARRAY_AT(uint32_t, &instructions, i))->block;
        if (block == last)
            continue;
        last = block;
        struct span span = model_block_bytes(model, model_block(model, block));
        for (size_t k = 0; k < span.size; k++)
            fprintf(out, "%02x", span.data[k]);
        bytes += span.size;
    }
    fclose(out);
    array_free(&instructions);
    if (bytes && bytes <= MOST_HEX_BYTES)
        return text;
    free(text);
    return NULL;
}
