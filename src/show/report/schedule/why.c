/* Why a task waited: everything that was decided about it, in order, with the time that passed in between. A
   decision about all tasks (a plan, a host that went away, an engine that could not be asked) counts where it
   came while this task waited. */
#include "show/report/common/row_writer.h"
#include "base/clock.h"
#include "show/report/common/rows.h"
#include "show/report/common/text.h"
#include "show/report/common/times.h"
#include "show/report/common/wrap.h"
#include "show/report/schedule/view.h"
#include "show/report/schedule/queries.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct subject {
    int64_t id;
    char *name; /* with its workflow */
    char *state;
    double submitted, first_start;
    bool has_clock;
};

/* The task of this name; an error names what there is. */
static bool find_task(struct ledger *ledger, const char *name, struct subject *subject, struct error *error)
{
    struct ledger_rows rows;
    unsigned count = 0;
    char *other = NULL;
    if (!ledger_ask(ledger, &rows, error, query_named(view_queries, "find_task"), "t", name))
        return false;
    while (ledger_next(&rows)) {
        const char *found = ledger_text(&rows, 1), *engine = ledger_text(&rows, 5);
        if (count++) {
            if (count == 2)
                other = memory_format("%s", found ? found : "");
            continue;
        }
        *subject = (struct subject){.id = ledger_integer(&rows, 0),
                                    .name = memory_format("%s", found ? found : ""),
                                    .state = memory_format("%s", ledger_text(&rows, 2)),
                                    .submitted = ledger_real(&rows, 3),
                                    .first_start = ledger_real(&rows, 4),
                                    .has_clock = view_has_clock(engine, ledger_real(&rows, 4))};
    }
    bool done = ledger_end(&rows, error);
    if (done && !count)
        done = error_set(
            error, ledger_path(ledger),
            "has no task %s; a task is named WORKFLOW/TASK, and assay schedule show --all --csv lists "
            "them",
            name);
    else if (done && count > 1 && strcmp(subject->name, name) != 0)
        done = error_set(error, ledger_path(ledger), "has %u tasks of the name %s, such as %s and %s", count,
                         name, subject->name, other);
    free(other);
    return done;
}

static void print_decision(const struct subject *subject, const struct ledger_rows *rows, double since,
                           const struct report_style *style, FILE *out)
{
    double time = ledger_real(rows, 0);
    const char *kind = ledger_text(rows, 1), *reason = ledger_text(rows, 2);
    size_t width = !style->width ? WRAP_USUAL_WIDTH : style->width > WRAP_WIDEST ? WRAP_WIDEST : style->width;
    autofree char *when = subject->has_clock ? phrase_moment(time, clock_calendar_seconds(), true)
                                             : phrase_duration(time),
                  *after = isnan(since) || time - since < 0.5 ? NULL : phrase_duration(time - since),
                  *text = memory_format("%s: %s", kind ? kind : "", reason ? reason : ""),
                  *safe = text_safe(text, strlen(text));
    fprintf(out, "%s%s%s", report_ink(style, ink_DIM), when, report_ink(style, ink_PLAIN));
    if (after)
        fprintf(out, "%s, %s later%s", report_ink(style, ink_DIM), after, report_ink(style, ink_PLAIN));
    fputs("\n    ", out);
    wrap_print(out, safe, 4, 4, width);
}

static void print_summary(const struct subject *subject, const struct report_style *style, FILE *out)
{
    autofree char *safe = text_safe(subject->name, strlen(subject->name)),
                  *state = text_safe(subject->state, strlen(subject->state));
    autofree char *waited = phrase_duration(
        (isnan(subject->first_start) ? clock_calendar_seconds() : subject->first_start) - subject->submitted);
    fprintf(out, "%s%s is %s.%s", report_ink(style, ink_BOLD), safe, state, report_ink(style, ink_PLAIN));
    if (!isnan(subject->first_start))
        fprintf(out, subject->has_clock ? " It was started %s after it was submitted.\n" : "\n", waited);
    else if (!strcmp(subject->state, "waiting") && subject->has_clock)
        fprintf(out, " It has waited for %s.\n", waited);
    else
        putc('\n', out);
}

static bool print_missing(struct ledger *ledger, const struct subject *subject,
                          const struct report_style *style, FILE *out, struct error *error)
{
    struct ledger_rows rows;
    bool is_first = true;
    if (strcmp(subject->state, "waiting") != 0 && strcmp(subject->state, "blocked") != 0)
        return true;
    if (!ledger_ask(ledger, &rows, error, query_named(view_queries, "print_missing"), "i", subject->id))
        return false;
    while (ledger_next(&rows)) {
        autofree char *name = text_safe(ledger_text(&rows, 0), strlen(ledger_text(&rows, 0))),
                      *state = text_safe(ledger_text(&rows, 1), strlen(ledger_text(&rows, 1)));
        fprintf(out, "%s%s (%s)", is_first ? "It waits for " : ", ", name, state);
        is_first = false;
    }
    fputs(is_first ? "" : ".\n", out);
    (void)style;
    return ledger_end(&rows, error);
}

static void write_decision(const struct ledger_rows *rows, const struct report_style *style, bool is_head,
                           FILE *out)
{
    struct row_writer row = {
        .out = out, .is_json = style->format == report_JSON, .is_head = is_head, .is_first = true};
    fputs(row.is_json ? "{" : "", out);
    row_number(&row, "time", is_head ? NAN : ledger_real(rows, 0));
    row_text(&row, "kind", is_head ? NULL : ledger_text(rows, 1));
    row_text(&row, "reason", is_head ? NULL : ledger_text(rows, 2));
    row_text(&row, "host", is_head ? NULL : ledger_text(rows, 3));
    fputs(row.is_json ? "}" : "\r\n", out);
}

static bool print_decisions(struct ledger *ledger, const struct subject *subject,
                            const struct report_style *style, FILE *out, struct error *error)
{
    struct ledger_rows rows;
    double since = NAN;
    const char *between = "[";
    bool is_json = style->format == report_JSON;
    if (!ledger_ask(ledger, &rows, error, query_named(view_queries, "print_decisions"), "irr", subject->id,
                    subject->submitted, isnan(subject->first_start) ? INFINITY : subject->first_start))
        return false;
    if (style->format == report_CSV)
        write_decision(NULL, style, true, out);
    while (ledger_next(&rows)) {
        if (is_json)
            fprintf(out, "%s\n", between);
        if (style->format == report_TABLE)
            print_decision(subject, &rows, since, style, out);
        else
            write_decision(&rows, style, false, out);
        since = ledger_real(&rows, 0);
        between = ",";
    }
    if (is_json)
        fputs(*between == '[' ? "[]\n" : "\n]\n", out);
    else if (style->format == report_TABLE && isnan(since))
        fputs("Nothing was decided about it yet.\n", out);
    return ledger_end(&rows, error);
}

bool report_schedule_why(struct ledger *ledger, const char *name, const struct report_style *style, FILE *out,
                         struct error *error)
{
    struct subject subject = {0};
    bool done = find_task(ledger, name, &subject, error);
    if (done && style->format == report_TABLE) {
        print_summary(&subject, style, out);
        done = print_missing(ledger, &subject, style, out, error);
        putc('\n', out);
    }
    done = done && print_decisions(ledger, &subject, style, out, error);
    free(subject.name);
    free(subject.state);
    return done && (!ferror(out) || error_set_errno(error, NULL, "cannot write"));
}
