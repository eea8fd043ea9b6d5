/* What is wrong with how hot compile units were compiled, in words. */
#include "show/report/run/parts.h"

#include "show/report/common/share.h"
#include "run/units/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct run_option *run_options_of(const struct run_report *report, size_t *count)
{
    return run_rows(&report->model->run_options, report->view->run, count);
}

bool run_option_is_about(const struct run_report *report, uint32_t unit, enum option_rule rule)
{
    size_t count;
    const struct run_option *rows = run_options_of(report, &count);
    for (size_t i = 0; unit && i < count; i++)
        if (rows[i].unit == unit && rows[i].rule == rule)
            return true;
    return false;
}

double run_option_savings(const struct run_report *report)
{
    size_t count;
    const struct run_option *rows = run_options_of(report, &count);
    double all = 0;
    bool is_tried = run_best_trial(report) != NULL; /* which has them */
    for (size_t i = 0; i < count; i++)
        all += isfinite(rows[i].saving) && !(is_tried && rows[i].is_tried) ? rows[i].saving : 0;
    return all;
}

double run_option_rest(const struct run_report *report, uint32_t unit)
{
    size_t count;
    const struct run_option *rows = run_options_of(report, &count);
    double rest = 1;
    for (size_t i = 0; unit && i < count; i++)
        if (rows[i].unit == unit && isfinite(rows[i].cost))
            rest *= 1 - rows[i].cost;
    return rest;
}

/* "; without it about " */
static const char *saves(const struct run_option *option)
{
    const struct units_rule *rule = units_rule_of((enum option_rule)option->rule);
    if (!isfinite(option->saving))
        return "";
    if (option->is_tried)
        return option->rule == option_rule_OVERRIDDEN || option->rule == option_rule_LOWER
                   ? "; tried: with -O3 a run saves "
               : option->rule == option_rule_UNOPTIMISED ? "; tried: with -O2 a run saves "
               : rule->is_missing                        ? "; tried: with it a run saves "
                                                         : "; tried: without it a run saves ";
    if (rule->is_missing)
        return rule->is_upper ? "; with it up to " : "; with it about ";
    if (!option->option)
        return "; optimised, about ";
    return rule->is_upper ? "; without it up to " : "; without it about ";
}

static const char *how(const struct run_option *option, const char *name)
{
    if (!name)
        return "seems to be compiled without optimisation";
    return units_rule_of((enum option_rule)option->rule)->is_missing ? "compiled without " : "compiled with ";
}

static bool is_same(const struct run_option *one, const struct run_option *other)
{
    return one->rule == other->rule && one->option == other->option;
}

bool run_option_is_first(const struct run_option *rows, size_t row)
{
    for (size_t i = 0; i < row; i++)
        if (is_same(&rows[i], &rows[row]))
            return false;
    return true;
}

static const char *unit_name(const struct model *model, uint32_t unit)
{
    const char *path = unit ? model_text(model, model_unit(model, unit)->name) : NULL;
    const char *slash = path ? strrchr(path, '/') : NULL;
    return slash ? slash + 1 : path ? path : "The program";
}

/* All units that were compiled so: their names ("a.c, b.c and 3 more") and, as one row, their figures. */
static struct run_option add_up(const struct run_report *report, const struct run_option *option,
                                char **names)
{
    enum { MOST_NAMES = 3 };
    size_t count, found = 0, same = 0;
    const struct run_option *rows = run_options_of(report, &count);
    struct run_option all = *option;
    *names = memory_format("%s", "");
    for (size_t i = 0; i < count; i++)
        same += is_same(&rows[i], option);
    all.share = all.saving = 0;
    for (size_t i = 0; i < count; i++) {
        if (!is_same(&rows[i], option))
            continue;
        all.share += rows[i].share;
        all.saving += isfinite(rows[i].saving) ? rows[i].saving : 0;
        if (++found > MOST_NAMES && same > MOST_NAMES + 1)
            continue;
        char *longer = memory_format("%s%s%s", *names,
                                     found == 1      ? ""
                                     : found == same ? " and "
                                                     : ", ",
                                     unit_name(report->model, rows[i].unit));
        free(*names);
        *names = longer;
    }
    if (same > MOST_NAMES + 1) {
        char *longer = memory_format("%s and %zu more", *names, same - MOST_NAMES);
        free(*names);
        *names = longer;
    }
    all.saving = all.saving > 0 ? all.saving : NAN;
    all.cost = all.saving / all.share;
    return all;
}

char *run_option_heading(const struct run_report *report, const struct run_option *option)
{
    char *units;
    const struct run_option all = add_up(report, option, &units);
    const char *name = model_text(report->model, option->option);
    autofree char *share = phrase_share(all.share);
    bool is_known = isfinite(all.saving);
    autofree char *saved = is_known ? phrase_share(all.saving) : NULL;
    char *text = memory_format("%s, %s%s%s: %s of the time%s%s%s", units, how(option, name),
                               option->rule == option_rule_OVERRIDDEN ? "-O3 and a later " : "",
                               name ? name : "", share, saves(&all), saved ? saved : "",
                               all.is_tried ? " of its time"
                               : is_known   ? " of the whole run would be saved"
                                            : "; what it costs is not known without a try");
    free(units);
    return text;
}

char *run_say_option(const struct run_report *report, const struct run_option *option)
{
    char *units;
    const struct units_rule *rule = units_rule_of((enum option_rule)option->rule);
    const struct run_option all = add_up(report, option, &units);
    const char *name = model_text(report->model, option->option);
    free(units);
    if (!rule->stands)
        return memory_format("%s %s. %s", name, rule->costs, rule->remedy);
    autofree char *cost = phrase_share(option->unit ? all.cost : all.share);
    return memory_format("%s %s: %s %s%s. %s", name ? name : "Such code", rule->costs, cost,
                         option->unit ? "of its time " : "", rule->stands, rule->remedy);
}
