/* Of how much of the time something is known: a prediction, a measurement, an explanation, advice.

   Explained is the part of the measured cycles that the prediction or a cause of the gap accounts for, and what
   stands at single instructions that have a line of their own. */
#include "show/report/run/parts.h"

#include "show/report/common/share.h"

#include <math.h>
#include <stdlib.h>

static const double NO_GAP = 1.1; /* times the prediction */

/* The largest part of a row's time that stands at instructions with a line of their own. */
static double part_at_points(const struct run_report *report, const struct run_hot *hot)
{
    size_t count;
    double part = 0;
    const struct run_point *points = run_points_of(report, &count);
    for (size_t i = 0; hot->share > 0 && i < count; i++)
        if (hot->loop ? points[i].loop == hot->loop
                      : !points[i].loop && points[i].function == hot->function && !hot->library_call)
            part += points[i].share / hot->share;
    return part > 0 ? fmin(part, 1) : 0;
}

static double unexplained_of(const struct run_report *report, uint32_t loop, double gap)
{
    size_t count;
    const struct run_gap *gaps = run_gaps_of(report, loop, &count);
    double explained = 0;
    for (size_t i = 0; i < count; i++) {
        if (gaps[i].rule == gap_rule_UNEXPLAINED)
            return fmin(gap, gaps[i].cycles);
        if (gaps[i].certainty != gap_certainty_POSSIBLE)
            explained += isnan(gaps[i].cycles) ? gap : fmax(0, gaps[i].cycles);
    }
    return fmax(0, gap - explained);
}

/* Of a loop or function; 0 where not both figures are known. */
static double part_explained(const struct run_report *report, const struct run_hot *hot)
{
    const struct run_function *row = run_hot_function(report, hot);
    double measured = run_hot_measured(report, hot), most = NAN;
    if (hot->loop)
        most = hot->figures->predicted_cycles;
    else if (row && row->predicted_by)
        most = fmax(row->predicted_cycles, row->chain_cycles);
    if (!(measured > 0) || !(most > 0))
        return 0;
    if (measured <= NO_GAP * most)
        return 1;
    double gap = measured - most;
    return 1 - (hot->loop ? unexplained_of(report, hot->loop, gap) : gap) / measured;
}

static bool has_advice(const struct run_report *report, const struct run_hot *hot)
{
    const struct model *model = report->model;
    uint32_t unit = hot->function ? model_function(model, hot->function)->unit : 0;
    size_t count;
    const struct run_option *options = run_options_of(report, &count);
    for (size_t i = 0; unit && i < count; i++)
        if (options[i].unit == unit)
            return true;
    if (hot->library_call)
        return model_run_library_call(model, hot->library_call)->remedy != 0;
    if (part_at_points(report, hot) > 0 || (hot->loop && run_saving_of(report, hot->loop)))
        return true;
    for (size_t i = 0; hot->loop && i < report->changes.count; i++)
        if (ARRAY_AT(struct run_change, &report->changes, i)->loop == hot->loop &&
            ARRAY_AT(struct run_change, &report->changes, i)->cause)
            return true;
    return false;
}

struct run_coverage run_cover(const struct run_report *report)
{
    struct run_coverage cover = {0};
    for (size_t i = 0; i < report->hot.count; i++) {
        const struct run_hot *hot = ARRAY_AT(struct run_hot, &report->hot, i);
        const struct run_function *row = run_hot_function(report, hot);
        bool is_predicted =
            hot->loop ? isfinite(hot->figures->predicted_cycles) : row && row->predicted_by != 0;
        bool is_measured = isfinite(run_hot_measured(report, hot)), is_advised = has_advice(report, hot);
        bool is_named =
            hot->library_call && model_run_library_call(report->model, hot->library_call)->finding;
        double explained = is_named ? 1 : fmax(part_explained(report, hot), part_at_points(report, hot));
        bool is_any = is_predicted || is_measured || is_advised;
        cover.predicted += is_predicted ? hot->share : 0;
        cover.measured += is_measured ? hot->share : 0;
        cover.explained += explained * hot->share;
        cover.advised += is_advised ? hot->share : 0;
        cover.any += (is_any ? 1 : explained) * hot->share;
    }
    return cover;
}

char *run_say_coverage(const struct run_report *report)
{
    struct run_coverage cover = run_cover(report);
    if (!report->run->samples)
        return NULL;
    autofree char *predicted = phrase_share(fmin(cover.predicted, 1)),
                  *measured = phrase_share(fmin(cover.measured, 1)),
                  *explained = phrase_share(fmin(cover.explained, 1)),
                  *advised = phrase_share(fmin(cover.advised, 1)),
                  *nothing = phrase_share(fmax(0, 1 - cover.any));
    return memory_format(
        "Of the time, %s has a prediction, %s a measurement, %s an explanation, %s advice; %s has "
        "none of these.",
        predicted, measured, explained, advised, nothing);
}
