/* An estimate after each probe, and the answer. */
#include "show/report/common/phrases.h"
#include "show/report/common/row_writer.h"
#include "show/report/common/share.h"
#include "show/report/common/text.h"
#include "show/report/common/times.h"
#include "show/report/common/wrap.h"
#include "show/report/predict/words.h"
#include "show/report/predict/queries.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void write_estimate(struct row_writer *row, const struct predict_estimate *estimate)
{
    row_number(row, "seconds", estimate->seconds);
    row_number(row, "lower", estimate->lower);
    row_number(row, "upper", estimate->upper);
    row_text(row, "model", estimate->model);
    row_number(row, "model_error", estimate->error);
    row_number(row, "model_worst", estimate->worst);
    row_integer(row, "runs", estimate->runs);
    row_integer(row, "probes", estimate->probes);
    row_id(row, "prediction", estimate->id > 0 ? (uint64_t)estimate->id : 0);
}

static void write_step(const struct predict_subject *subject, const struct predict_step *step, FILE *out)
{
    struct row_writer row = row_begin_object(out);
    row_text(&row, "event", step->probe ? "probe" : "begin");
    row_text(&row, "name", subject->name);
    row_text(&row, "inputs", subject->label);
    row_integer(&row, "number", step->number);
    row_integer(&row, "count", step->count);
    if (step->probe) {
        row_number(&row, "factor", step->probe->factor);
        row_flag(&row, "is_identity", step->probe->is_identity);
        row_integer(&row, "probe_processors", step->probe->processors);
        row_flag(&row, "is_cached", step->probe->is_known);
        row_number(&row, "probe_seconds", step->problem ? NAN : step->probe->seconds);
        row_text(&row, "problem", step->problem);
    }
    row_number(&row, "spent", step->spent);
    write_estimate(&row, &step->estimate);
    fputs("}\n", out);
    fflush(out);
}

/* "8 min 20 s (5 min to 14 min)". */
static char *estimate_words(const struct predict_estimate *estimate)
{
    char *seconds = predict_seconds_words(estimate->seconds),
         *interval = predict_interval_words(estimate->lower, estimate->upper),
         *words = interval ? memory_format("%s (%s)", seconds, interval) : memory_format("%s", seconds);
    free(seconds);
    free(interval);
    return words;
}

void report_predict_step(const struct predict_subject *subject, const struct predict_step *step,
                         const struct report_style *style, FILE *out)
{
    if (style->format == report_JSON)
        write_step(subject, step, out);
    if (style->format != report_TABLE)
        return;
    autofree char *words = estimate_words(&step->estimate);
    if (!step->probe) {
        if (!isnan(step->estimate.seconds))
            fprintf(out, "before any probe: %s%s%s\n", report_ink(style, ink_BOLD), words,
                    report_ink(style, ink_PLAIN));
    } else {
        autofree char *probe = predict_probe_words(step->probe),
                      *took = phrase_duration(step->probe->seconds),
                      *problem = step->problem ? text_safe(step->problem, strlen(step->problem)) : NULL;
        fprintf(out, "%u of %u, %s: ", step->number, step->count, probe);
        if (problem)
            fprintf(out, "%sfailed%s: %s", report_ink(style, ink_ALARM), report_ink(style, ink_PLAIN),
                    problem);
        else
            fprintf(out, "%s%s", took, step->probe->is_known ? " (known)" : "");
        fprintf(out, " %s %s%s%s\n", style->unicode ? "→" : "->", report_ink(style, ink_BOLD), words,
                report_ink(style, ink_PLAIN));
    }
    fflush(out);
}

/* --- the answer --- */

static void say_answer(const struct predict_subject *subject, const struct predict_answer *answer,
                       const struct report_style *style, size_t width, FILE *out)
{
    const struct predict_estimate *it = &answer->estimate;
    autofree char *seconds = predict_seconds_words(it->seconds),
                  *interval = predict_interval_words(it->lower, it->upper);
    fputs(report_ink(style, ink_BOLD), out);
    if (isnan(it->seconds))
        wrap_say(out, 0, width, "How long %s will take is not known: no earlier run is known, and %s.",
                 subject->name,
                 answer->failed    ? "no probe ended well"
                 : answer->stopped ? "the probes were stopped before one ended"
                                   : "the description has no probes");
    else if (interval)
        wrap_say(out, 0, width, "%s will take about %s; nine times in ten it should be %s.", subject->name,
                 seconds, interval);
    else
        wrap_say(out, 0, width, "%s will take about %s; nothing is known about how far off that may be.",
                 subject->name, seconds);
    fputs(report_ink(style, ink_PLAIN), out);
}

static void say_grounds(const struct predict_subject *subject, const struct predict_answer *answer,
                        size_t width, FILE *out)
{
    const struct predict_estimate *it = &answer->estimate;
    double probing = answer->spent - answer->shrinking;
    bool shrinks_long = answer->shrinking > 0.01 * it->seconds;
    autofree char *spent = phrase_duration(probing), *shrinking = phrase_duration(answer->shrinking),
                  *text = NULL;
    size_t size = 0;
    FILE *words = open_memstream(&text, &size);
    fprintf(words, "For %s on %s, %u processor%s.", subject->label, subject->host, subject->processors,
            subject->processors == 1 ? "" : "s");
    if (!isnan(it->seconds) && it->model)
        fprintf(words, " Model %s: %s.", it->model, predict_model_words(it->model));
    if (!isnan(it->error))
        fprintf(words, " On the %u whole run%s known it was wrong by %s %% on average, %s %% at worst.",
                it->runs, it->runs == 1 ? "" : "s", share_words(it->error).text, share_words(it->worst).text);
    if (answer->spent > 0 && it->seconds > 0)
        fprintf(words, " Probes took %s, %s %% of the time predicted%s%s.", spent,
                share_words(probing / it->seconds).text, shrinks_long ? "; making smaller inputs took " : "",
                shrinks_long ? shrinking : "");
    if (answer->cached)
        fprintf(words, " %u probe%s known already.", answer->cached, answer->cached == 1 ? " was" : "s were");
    if (answer->failed)
        fprintf(words, " %u probe%s failed.", answer->failed, answer->failed == 1 ? "" : "s");
    if (answer->stopped)
        fprintf(words, " Not all probes were run: %s.", answer->stopped);
    if (it->upper > 10 * it->lower)
        fputs(it->runs
                  ? " The interval is wide because such inputs differ much: take the estimate as a guess."
                  : " The interval is wide because no whole run is known yet: take the estimate as a guess.",
              words);
    fclose(words);
    wrap_say(out, 0, width, "%s", text);
}

static void print_steps(const struct predict_answer *answer, const struct report_style *style, FILE *out)
{
    if (!answer->step_count)
        return;
    fprintf(out, "\n%s%-26s %12s  %12s  %-26s %s%s\n", report_ink(style, ink_DIM), "probe", "took",
            "estimate", "interval", "model", report_ink(style, ink_PLAIN));
    for (unsigned i = 0; i < answer->step_count; i++) {
        const struct predict_step *step = &answer->steps[i];
        autofree char *probe =
                          step->probe ? predict_probe_words(step->probe) : memory_format("before any probe"),
                      *took = !step->probe    ? memory_format("%s", "")
                              : step->problem ? memory_format("failed")
                                              : phrase_duration(step->probe->seconds),
                      *seconds = predict_seconds_words(step->estimate.seconds),
                      *interval = predict_interval_words(step->estimate.lower, step->estimate.upper);
        fprintf(out, "%-26s %12s  %12s  %-26s %s\n", probe, took, seconds, interval ? interval : "",
                step->estimate.model ? step->estimate.model : "");
    }
}

static void print_model(const struct ledger_rows *rows, const char *used, const struct report_style *style,
                        bool is_first, FILE *out)
{
    double error = ledger_real(rows, 2), worst = ledger_real(rows, 3);
    const char *kind = ledger_text(rows, 0) ? ledger_text(rows, 0) : "";
    autofree char *mean = isnan(error) ? memory_format("too few runs") : phrase_share(error),
                  *most = isnan(worst) ? memory_format("%s", "") : phrase_share(worst),
                  *safe = text_safe(kind, strlen(kind));
    bool is_used = used && !strcmp(used, kind);
    if (is_first)
        fprintf(out, "\n%s%-14s %6s  %14s  %10s  what it is%s\n", report_ink(style, ink_DIM), "model", "runs",
                "mean error", "worst", report_ink(style, ink_PLAIN));
    fprintf(out, "%s%-14s %6lld  %14s  %10s  %s%s%s\n", is_used ? report_ink(style, ink_BOLD) : "", safe,
            (long long)ledger_integer(rows, 1), mean, most, predict_model_words(kind),
            is_used ? " (used)" : "", is_used ? report_ink(style, ink_PLAIN) : "");
}

/* What each kind of model would be wrong by: the latest of each that was fitted for this predictor. */
static bool print_models(struct ledger *ledger, const struct predict_answer *answer,
                         const struct report_style *style, FILE *out, struct error *error)
{
    struct ledger_rows rows;
    bool is_first = true;
    if (answer->estimate.id <= 0)
        return true;
    if (!ledger_ask(ledger, &rows, error, query_named(predict_view_queries, "print_models"), "i",
                    answer->estimate.id))
        return false;
    while (ledger_next(&rows)) {
        print_model(&rows, answer->estimate.model, style, is_first, out);
        is_first = false;
    }
    return ledger_end(&rows, error);
}

static void write_answer(struct row_writer *row, const struct predict_subject *subject,
                         const struct predict_answer *answer)
{
    row_text(row, "event", "answer");
    row_text(row, "name", subject->name);
    row_text(row, "inputs", subject->label);
    row_text(row, "host", subject->host);
    row_integer(row, "processors", subject->processors);
    row_number(row, "spent", answer->spent);
    row_number(row, "shrinking", answer->shrinking);
    row_integer(row, "cached", answer->cached);
    row_integer(row, "failed", answer->failed);
    row_text(row, "stopped", answer->stopped);
    write_estimate(row, &answer->estimate);
}

bool report_predict_answer(struct ledger *ledger, const struct predict_subject *subject,
                           const struct predict_answer *answer, const struct report_style *style, FILE *out,
                           struct error *error)
{
    bool is_json = style->format == report_JSON, done = true;
    if (style->format == report_TABLE) {
        size_t width = !style->width                ? WRAP_USUAL_WIDTH
                       : style->width > WRAP_WIDEST ? WRAP_WIDEST
                                                    : style->width;
        say_answer(subject, answer, style, width, out);
        say_grounds(subject, answer, width, out);
        print_steps(answer, style, out);
        done = print_models(ledger, answer, style, out, error);
    } else {
        struct row_writer row = {.out = out, .is_json = is_json, .is_head = !is_json, .is_first = true};
        fputs(is_json ? "{" : "", out);
        write_answer(&row, subject, answer);
        if (!is_json) {
            fputs("\r\n", out);
            row = (struct row_writer){.out = out, .is_first = true};
            write_answer(&row, subject, answer);
        }
        fputs(is_json ? "}\n" : "\r\n", out);
        fflush(out);
    }
    return done && (!ferror(out) || error_set_errno(error, NULL, "cannot write"));
}
