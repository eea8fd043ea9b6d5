/* See pepa.h: text and pictures. */
#include "show/report/modelling/pepa.h"
#include "show/report/common/phrases.h"
#include "show/report/common/share.h"
#include "show/report/common/text.h"
#include "show/report/common/wrap.h"
#include "show/report/modelling/lines.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_COLUMNS = 7, MOST_MOMENTS = 11, NAME_WIDTH = 34, MOST_CLASSES = 8 };

static size_t width_of(const struct report_style *style)
{
    return !style->width ? WRAP_USUAL_WIDTH : style->width > WRAP_WIDEST ? WRAP_WIDEST : style->width;
}

static const struct array *states_of(const struct pepa_view *view, uint32_t component)
{
    return &PEPA_AUTOMATON(view->structure, PEPA_COMPONENT(view->structure, component)->automaton)->states;
}

static const char *state_name(const struct pepa_view *view, uint32_t component, uint32_t state)
{
    return ARRAY_AT(struct pepa_local_state, states_of(view, component), state)->name;
}

static void print_name(const char *name, size_t indent, size_t width, FILE *out)
{
    autofree char *cut = text_cut(name, width, false, true);
    fprintf(out, "%*s%s%*s", (int)indent, "", cut, (int)(width - text_width(cut)), "");
}

static void print_head(const struct report_style *style, const char *left, const char *right, FILE *out)
{
    fprintf(out, "\n%s%-*s%s%s\n", report_ink(style, ink_BOLD), NAME_WIDTH + 4, left, right,
            report_ink(style, ink_PLAIN));
}

static void print_throughputs(const struct pepa_view *view, const struct report_style *style, FILE *out)
{
    print_head(style, "How often actions happen", "   per unit of time", out);
    for (pepa_label i = 0; i < view->measures->throughputs.count; i++) {
        double rate = *ARRAY_AT(double, &view->measures->throughputs, i);
        if (rate == 0 && (i % 2 || !i))
            continue;
        autofree char *name = pepa_label_text(view->model, i);
        print_name(name, 2, NAME_WIDTH + 2, out);
        if (rate > 0)
            fprintf(out, "%14.6g\n", rate);
        else
            fprintf(out, "%14s\n", "never");
    }
}

static void print_populations(const struct pepa_view *view, const struct report_style *style, FILE *out)
{
    print_head(style, "Where components are", "          mean     share", out);
    for (uint32_t c = 0; c < view->structure->components.count; c++) {
        const struct pepa_component *component = PEPA_COMPONENT(view->structure, c);
        const struct array *states = states_of(view, c);
        if (c >= 40) {
            fprintf(out, "  and %zu more components (--csv has all)\n",
                    view->structure->components.count - c);
            break;
        }
        fprintf(out, "  %s\n", component->name);
        for (uint32_t s = 0; s < states->count && s < 60; s++) {
            double mean = *pepa_population(view->measures, c, s);
            print_name(state_name(view, c, s), 4, NAME_WIDTH, out);
            if (isnan(mean))
                fprintf(out, "%14s %9s\n", "lumped", "");
            else
                fprintf(out, "%14.6g %7s %%\n", mean, share_words(mean / component->count).text);
        }
        if (states->count > 60)
            fprintf(out, "    and %zu more local states (--csv has all)\n", states->count - 60);
    }
}

/* What the long run is: one steady state, an end, or several. */
static void print_long_run(const struct pepa_view *view, const struct report_style *style, FILE *out)
{
    const struct pepa_classes *classes = &view->steady->classes;
    size_t width = width_of(style), deadlocks = report_pepa_deadlocks(view);
    fputs(report_ink(style, deadlocks ? ink_ALARM : ink_BOLD), out);
    if (deadlocks && classes->count == 1) {
        autofree char *state = pepa_state_text(view->space, classes->first[0]);
        wrap_say(out, 0, width,
                 "It always ends in a state where nothing can happen any more (a deadlock): %s.", state);
    } else if (deadlocks == classes->count) {
        wrap_say(
            out, 0, width,
            "It ends in one of %u states where nothing can happen any more (deadlocks); chance decides in "
            "which.",
            classes->count);
    } else if (deadlocks) {
        wrap_say(out, 0, width,
                 "It can deadlock: %zu of the %u ways it can end are states where nothing can happen.",
                 deadlocks, classes->count);
    } else if (classes->count > 1) {
        wrap_say(out, 0, width,
                 "It can end in %u sets of states that it never leaves; chance decides in which.",
                 classes->count);
    } else if (classes->transient) {
        autofree char *count = phrase_count(classes->transient);
        wrap_say(out, 0, width,
                 "It settles: %s states of the beginning never come back, and the rest has one steady state.",
                 count);
    } else {
        wrap_say(out, 0, width, "It runs for ever, and every state comes back: one steady state.");
    }
    fputs(report_ink(style, ink_PLAIN), out);
    for (uint32_t i = 0; classes->count > 1 && i < classes->count && i < MOST_CLASSES; i++) {
        autofree char *state = pepa_state_text(view->space, classes->first[i]);
        bool is_deadlock = view->space->rows[classes->first[i]] == view->space->rows[classes->first[i] + 1];
        wrap_say(out, 2, width, "%.4g: %s%s", classes->probability[i],
                 is_deadlock             ? "deadlock in "
                 : classes->size[i] == 1 ? "for ever in "
                                         : "among states such as ",
                 state);
    }
    if (classes->count > MOST_CLASSES)
        fprintf(out, "  and %u more (--json has them)\n", classes->count - MOST_CLASSES);
}

static void print_states(const struct pepa_view *view, const struct report_style *style, FILE *out)
{
    fprintf(out, "\n%sprobability  state%s\n", report_ink(style, ink_BOLD), report_ink(style, ink_PLAIN));
    for (uint32_t i = 0; i < view->space->count && i < view->most_states; i++) {
        autofree char *state = pepa_state_text(view->space, i);
        fprintf(out, "%11.6g  %s\n", view->steady->probability[i], state);
    }
    if (view->space->count > view->most_states)
        fprintf(out, "and %zu more states\n", view->space->count - view->most_states);
}

static void print_lumped(const struct pepa_view *view, const struct report_style *style, FILE *out)
{
    autofree char *before = phrase_count(view->space->lumped);
    bool is_lost = false;
    for (size_t i = 0; i < view->structure->lost_count; i++)
        is_lost |= view->structure->lost[i];
    wrap_say(out, 0, width_of(style),
             "There were %s state%s before those that do the same at the same rates became one%s.", before,
             view->space->lumped == 1 ? "" : "s",
             is_lost ? "; how many components are in the local states that are lumped is not known any more"
                     : "");
}

/* "after request, think: serve at rate 2 in (…) of a.pepa, and never in (…) of b.pepa"; to be freed. */
char *report_pepa_difference(const struct pepa_view *view)
{
    enum { MOST_STEPS = 12 };
    const struct pepa_difference *difference = &view->difference;
    const struct pepa_space *spaces[] = {view->space, view->other_space};
    char *text = NULL;
    size_t size;
    if (!difference->action)
        return memory_format("they differ only after so many steps that the first difference was not found");
    FILE *out = open_memstream(&text, &size);
    if (difference->steps.count > MOST_STEPS)
        fprintf(out, "after %zu steps that both can do, ", difference->steps.count);
    for (size_t i = 0; i < difference->steps.count && difference->steps.count <= MOST_STEPS; i++)
        fprintf(out, "%s%s, ", i ? "" : "after ", *ARRAY_AT(char *, &difference->steps, i));
    fprintf(out, "%s happens ", difference->action);
    for (unsigned i = 0; i < 2; i++) {
        fputs(i ? ", and " : "", out);
        if (difference->rates[i] > 0)
            fprintf(out, "at rate %.6g", difference->rates[i]);
        else
            fputs("never", out);
        autofree char *state = text_cut(difference->states[i], 200, false, true);
        fprintf(out, " in %s of %s", state, spaces[i]->structure->model->path);
    }
    fclose(out);
    return text;
}

/* Two models. */
static void print_same(const struct pepa_view *view, const struct report_style *style, FILE *out)
{
    autofree char *one = phrase_count(view->space->count), *other = phrase_count(view->other_space->count);
    autofree char *reason = report_pepa_difference(view);
    const char *path = view->other_space->structure->model->path;
    fputs(report_ink(style, view->is_same ? ink_BOLD : ink_ALARM), out);
    if (view->is_same)
        wrap_say(
            out, 0, width_of(style),
            "%s and %s are strongly equivalent: nobody can tell them apart by what they do, and how fast.",
            view->model->path, path);
    else
        wrap_say(out, 0, width_of(style), "%s and %s are not equivalent: %s.", view->model->path, path,
                 reason);
    fputs(report_ink(style, ink_PLAIN), out);
    fputs("\n", out);
    wrap_say(out, 0, width_of(style), "%s and %s states. What is hidden counts as tau.", one, other);
}

static void print_size(const struct pepa_view *view, const struct report_style *style, FILE *out)
{
    autofree char *states = phrase_count(view->space->count),
                  *transitions = phrase_count(view->space->rows[view->space->count]);
    bool is_aggregated = false;
    for (size_t i = 0; i < view->structure->groups.count; i++)
        is_aggregated |= PEPA_GROUP(view->structure, i)->count > 1;
    fputs("\n", out);
    wrap_say(out, 0, width_of(style), "%s state%s%s, %s transition%s.", states,
             view->space->count == 1 ? "" : "s",
             is_aggregated ? " (equal components counted, which is exact)" : "", transitions,
             view->space->rows[view->space->count] == 1 ? "" : "s");
    if (view->space->lumped)
        print_lumped(view, style, out);
    if (view->steady && view->steady->sweeps)
        wrap_say(out, 0, width_of(style),
                 "Steady state by %s: %llu sweeps; what flows in and out of states differs "
                 "by %.1g of all flow.",
                 view->steady->method, (unsigned long long)view->steady->sweeps, view->steady->residual);
}

/* Local states that change: the columns of a table over time. */
struct column {
    uint32_t component, state;
    double spread;
};

static int compare_columns(const void *one, const void *other)
{
    double left = ((const struct column *)one)->spread, right = ((const struct column *)other)->spread;
    return left < right ? 1 : left > right ? -1 : 0;
}

static struct array find_columns(const struct pepa_view *view)
{
    struct array columns = ARRAY_OF(struct column);
    for (uint32_t c = 0; c < view->structure->components.count; c++)
        for (uint32_t s = 0; s < states_of(view, c)->count; s++) {
            double least = INFINITY, most = -INFINITY;
            for (size_t i = 0; i < view->curve->moments.count; i++) {
                double value =
                    *pepa_population(ARRAY_AT(struct pepa_measures, &view->curve->moments, i), c, s);
                least = fmin(least, value);
                most = fmax(most, value);
            }
            if (most >= least) /* what was lumped has no values */
                *(struct column *)array_add(&columns) = (struct column){c, s, most - least};
        }
    if (columns.count)
        qsort(columns.data, columns.count, sizeof(struct column), compare_columns);
    return columns;
}

static void print_curve(const struct pepa_view *view, const struct report_style *style, FILE *out)
{
    struct array columns = find_columns(view);
    size_t shown = columns.count < MOST_COLUMNS ? columns.count : MOST_COLUMNS,
           count = view->curve->times.count;
    size_t every = count > MOST_MOMENTS ? (count - 1 + MOST_MOMENTS - 2) / (MOST_MOMENTS - 1) : 1;
    fprintf(out, "%sMean populations over time%s\n%10s", report_ink(style, ink_BOLD),
            report_ink(style, ink_PLAIN), "time");
    for (size_t k = 0; k < shown; k++) {
        const struct column *column = ARRAY_AT(struct column, &columns, k);
        autofree char *cut =
            text_cut(state_name(view, column->component, column->state), 12, false, style->unicode);
        fprintf(out, " %*s%s", (int)(12 - text_width(cut)), "", cut);
    }
    fputs("\n", out);
    for (size_t i = 0; i < count; i += every) {
        const struct pepa_measures *measures = ARRAY_AT(struct pepa_measures, &view->curve->moments, i);
        fprintf(out, "%10.6g", *ARRAY_AT(double, &view->curve->times, i));
        for (size_t k = 0; k < shown; k++) {
            const struct column *column = ARRAY_AT(struct column, &columns, k);
            fprintf(out, " %12.6g", *pepa_population(measures, column->component, column->state));
        }
        fputs("\n", out);
    }
    if (columns.count > shown)
        fprintf(out, "The %zu local states that change most, of %zu; --csv has all, and throughputs.\n",
                shown, columns.count);
    if (!isnan(view->curve->error))
        wrap_say(out, 0, width_of(style), "By %s, which leaves out %.1g of the probability at most.",
                 view->curve->method, view->curve->error);
    else
        wrap_say(out, 0, width_of(style),
                 "By the fluid approximation: populations as real numbers, exact as they grow. %llu steps.",
                 (unsigned long long)view->curve->steps);
    array_free(&columns);
}

static void print_passage(const struct pepa_view *view, const struct report_style *style, FILE *out)
{
    const struct pepa_passage *passage = view->passage;
    fputs(report_ink(style, ink_BOLD), out);
    wrap_say(out, 0, width_of(style), "%s takes %.6g on average (standard deviation %.4g).",
             view->passage_words, passage->mean, passage->deviation);
    fputs(report_ink(style, ink_PLAIN), out);
    if (passage->reached < 1 - 1e-6)
        wrap_say(out, 0, width_of(style),
                 "With probability %.6g it never gets there; the mean is of the rest.", 1 - passage->reached);
    fprintf(out, "\n%sdone by then        time%s\n", report_ink(style, ink_BOLD),
            report_ink(style, ink_PLAIN));
    for (size_t i = 0; i < passage->levels.count; i++) {
        double time = *ARRAY_AT(double, &passage->quantiles, i);
        fprintf(out, "%10g %%", 100 * *ARRAY_AT(double, &passage->levels, i));
        if (isnan(time))
            fputs("       never\n", out);
        else
            fprintf(out, "%12.6g\n", time);
    }
    wrap_say(out, 0, width_of(style), "What is left out of these probabilities is %.1g at most.",
             passage->error);
}

void report_pepa(const struct pepa_view *view, const struct report_style *style, FILE *out)
{
    if (style->format == report_JSON) {
        report_pepa_json(view, out);
        return;
    }
    if (style->format == report_CSV) {
        report_pepa_csv(view, out);
        return;
    }
    if (view->other) {
        print_same(view, style, out);
        return;
    }
    if (view->passage) {
        print_passage(view, style, out);
    } else if (view->curve && view->space) {
        print_curve(view, style, out);
    } else {
        if (view->steady)
            print_long_run(view, style, out);
        else
            wrap_say(out, 0, width_of(style),
                     view->measures
                         ? "Populations settle (fluid approximation: they are real numbers, and exact as "
                           "they grow)."
                         : "Populations over time, by the fluid approximation.");
        if (view->measures) {
            print_throughputs(view, style, out);
            print_populations(view, style, out);
        } else if (view->curve) {
            print_curve(view, style, out);
        }
        if (view->most_states && view->steady)
            print_states(view, style, out);
    }
    if (view->space)
        print_size(view, style, out);
}

static void plot_passage(const struct pepa_view *view, FILE *out)
{
    const struct pepa_passage *passage = view->passage;
    autofree char *title = memory_format("%s: %s", view->model->path, view->passage_words);
    struct line line = {.name = "done by then (cdf)", .values = passage->share.data};
    struct lines lines = {.title = title,
                          .across = "time",
                          .up = "probability",
                          .places = passage->times.data,
                          .place_count = passage->times.count,
                          .lines = &line,
                          .count = 1};
    report_lines(&lines, out);
}

void report_pepa_plot(const struct pepa_view *view, FILE *out)
{
    if (view->passage) {
        plot_passage(view, out);
        return;
    }
    enum { MOST_LINES = 14 };
    struct array columns = find_columns(view), made = ARRAY_OF(struct line);
    size_t count = view->curve->times.count;
    autofree char *title = memory_format("%s: mean populations", view->model->path);
    for (size_t k = 0; k < columns.count && k < MOST_LINES; k++) {
        const struct column *column = ARRAY_AT(struct column, &columns, k);
        double *values = memory_get(count * sizeof *values);
        for (size_t i = 0; i < count; i++)
            values[i] = *pepa_population(ARRAY_AT(struct pepa_measures, &view->curve->moments, i),
                                         column->component, column->state);
        *(struct line *)array_add(&made) =
            (struct line){.name = state_name(view, column->component, column->state), .values = values};
    }
    struct lines lines = {.title = title,
                          .across = "time",
                          .up = "components",
                          .places = view->curve->times.data,
                          .place_count = count,
                          .lines = made.data,
                          .count = made.count};
    report_lines(&lines, out);
    for (size_t i = 0; i < made.count; i++)
        free((void *)(uintptr_t)ARRAY_AT(struct line, &made, i)->values);
    array_free(&made);
    array_free(&columns);
}
