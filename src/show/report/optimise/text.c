/* For people: the answer first. */
#include "base/text.h"
#include "show/report/common/phrases.h"
#include "show/report/common/times.h"
#include "show/report/common/wrap.h"
#include "show/report/optimise/optimise.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LABEL = 14, MOST_ROWS = 16 };

struct page {
    const struct optimise_view *view;
    const struct report_style *style;
    FILE *out;
    size_t width;
};

static void put_safe(FILE *out, const char *text)
{
    text_print_safe(text, strlen(text), out);
}

static const struct search_finalist *finalist_at(const struct optimised *search, size_t place)
{
    return ARRAY_AT(struct search_finalist, &search->answer.finalists, place);
}

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* "label   text", the text in lines that fit. */
static void say(const struct page *page, const char *label, char *text)
{
    fprintf(page->out, "  %-*s", LABEL - 2, label);
    wrap_print(page->out, text, LABEL, LABEL, page->width);
    free(text);
}

/* Three digits, since neighbours in the table may differ by few per cent; to be freed. */
static char *time_words(double seconds)
{
    if (!(seconds > 0) || !isfinite(seconds) || seconds >= 1)
        return phrase_seconds(seconds);
    return seconds >= 1e-3 ? memory_format("%.3g ms", seconds * 1e3)
                           : memory_format("%.3g µs", seconds * 1e6);
}

/* How many times as fast, or slower. */
static char *speedup(double before, double after)
{
    double ratio = before / after;
    if (fabs(ratio - 1) < 0.005)
        return memory_format("as fast");
    return ratio > 1 ? memory_format("%.*f times as fast", ratio < 10 ? 2 : 1, ratio)
                     : memory_format("%.2f times as slow", 1 / ratio);
}

static void print_heading(const struct page *page, const struct optimised *search)
{
    const struct extract *extract = &search->extract;
    fputs(report_ink(page->style, ink_BOLD), page->out);
    put_safe(page->out, last_part(extract->source_file ? extract->source_file : search->compilation.source));
    fprintf(page->out, ":%u", extract->source_line);
    fputs(report_ink(page->style, ink_PLAIN), page->out);
    if (extract->function) {
        fputs(", in ", page->out);
        put_safe(page->out, extract->function);
    }
    fputs(": ", page->out);
}

/* What nobody has run is no answer. */
static void print_suggestion(const struct page *page, const struct optimised *search)
{
    if (!search->answer.is_measured)
        fputs("nothing was run; a suggestion to try: ", page->out);
}

static void print_change(const struct page *page, const struct optimised *search,
                         const struct search_finalist *first)
{
    autofree char *flags = optimise_flags(&search->choices, &first->variant);
    struct array changes = optimise_source_changes(&search->choices, &first->variant);
    const char *bold = report_ink(page->style, ink_BOLD), *plain = report_ink(page->style, ink_PLAIN);
    if (page->view->count > 1 || search->is_other)
        fprintf(page->out, "with %s, ", last_part(search->compilation.compiler));
    if (flags)
        fprintf(page->out, "compile it with %s%s%s", bold, flags, plain);
    else if (!changes.count)
        fputs("and otherwise as it is", page->out);
    for (size_t i = 0; i < changes.count; i++) {
        fputs(i ? ", " : flags ? ", and put " : "put ", page->out);
        fprintf(page->out, "%s%s%s", bold, *ARRAY_AT(const char *, &changes, i), plain);
    }
    fputs("\n", page->out);
    optimise_texts_free(&changes);
}

static void say_predicted(const struct page *page, const struct judgement *before,
                          const struct judgement *after)
{
    const char *name = page->view->machine_name;
    bool is_measured = page->view->searches[page->view->best].answer.is_measured;
    if (isnan(after->cycles) || after->is_rough) {
        say(page, "predicted", memory_format("nothing: %s", after->problem ? after->problem : "no cycles"));
    } else if (isnan(before->cycles) || before->is_rough) {
        say(page, "predicted",
            memory_format("%.3g cycles per iteration on %s; not known as it is now: %s", after->cycles, name,
                          before->problem ? before->problem : ""));
    } else {
        /* The gain of what was never run is nobody's to promise. */
        autofree char *gain =
            is_measured ? speedup(before->cycles, after->cycles) : memory_format("not a measured time");
        say(page, "predicted",
            memory_format("%.3g → %.3g cycles per iteration on %s, data in the first cache: %s",
                          before->cycles, after->cycles, name, gain));
    }
}

static char *results_words(const struct page *page, const struct replay_result *result)
{
    if (result->verdict == replay_SAME)
        return memory_format("results are the same, bit for bit");
    if (result->largest_ulps > 0)
        return memory_format("results are the same within %.0f ulp of the largest element, %.2g relative "
                             "(--tolerance %s)",
                             ceil(result->largest_ulps), result->largest_error, page->view->tolerance);
    return memory_format("results differ by at most %.2g, relative (--tolerance %s)", result->largest_error,
                         page->view->tolerance);
}

static void say_measured(const struct page *page, const struct search_finalist *original,
                         const struct search_finalist *first)
{
    const struct optimise_view *view = page->view;
    const struct replay_result *result = &first->result;
    if (!first->is_measured || !first->is_right) {
        const char *problem = first->is_measured ? result->where : first->problem;
        if (!problem && original->is_measured && !original->is_right)
            problem = original->result.where;
        if (!problem && original->is_measured)
            problem = "the budget was spent before it was run; a larger --budget measures it";
        say(page, "measured",
            memory_format("no: %s", problem ? problem
                                    : view->why_not
                                        ? view->why_not
                                        : "there is no run to take inputs from, so this is the model's word "
                                          "alone; --capture './program its arguments' measures it"));
        return;
    }
    autofree char *before = time_words(result->original_seconds), *after = time_words(result->seconds);
    autofree char *gain = speedup(result->original_seconds, result->seconds),
                  *results = results_words(page, result);
    say(page, "measured",
        memory_format("%s → %s %s: %s; %s", before, after, view->is_program ? "for the program" : "a call",
                      gain, results));
}

static void say_risks(const struct page *page, const struct optimised *search,
                      const struct search_finalist *first)
{
    struct array risks = optimise_risks(variant_risks(&search->choices, &first->variant));
    for (size_t i = 0; i < risks.count; i++)
        say(page, i ? "" : "risks", memory_format("%s", *ARRAY_AT(const char *, &risks, i)));
    if (!risks.count)
        say(page, "risks", memory_format("none that are known"));
    optimise_texts_free(&risks);
}

static void say_program(const struct page *page, const struct search_finalist *first)
{
    const struct optimise_view *view = page->view;
    double ratio = first->is_measured && first->is_right ? first->ratio : NAN;
    if (view->share > 0 && ratio > 0 && !view->is_program) {
        double whole = 1 - view->share + view->share * ratio;
        autofree char *share = phrase_share(view->share), *gain = speedup(1, whole);
        say(page, "program",
            memory_format("the loop takes %s of the run, so the program should be %s (Amdahl)", share, gain));
    }
    if (view->unverified)
        say(page, "verified", memory_format("%s", view->unverified));
    if (view->before > 0 && view->after > 0) {
        autofree char *before = time_words(view->before), *after = time_words(view->after),
                      *gain = speedup(view->before, view->after);
        say(page, "verified", memory_format("a run of the whole program: %s → %s, %s", before, after, gain));
    }
}

/* The fastest that only its last digits keep out, where it is worth a word. */
static void say_near(const struct page *page, const struct optimised *search)
{
    const struct search_answer *answer = &search->answer;
    const struct search_finalist *fastest = NULL;
    double limit = 0.95 * (answer->has_winner ? finalist_at(search, 0)->ratio : 1);
    for (size_t i = 0; i < answer->finalists.count; i++) {
        const struct search_finalist *finalist = finalist_at(search, i);
        if (finalist->is_measured && finalist->result.verdict == replay_NEAR && finalist->ratio < limit) {
            fastest = finalist;
            limit = finalist->ratio;
        }
    }
    if (!fastest)
        return;
    autofree char *change = optimise_change(&search->choices, &fastest->variant),
                  *gain = speedup(1, fastest->ratio), *option = optimise_accepted_by(&fastest->result);
    say(page, "last digits",
        memory_format("%s with %s, whose results differ in the last digits; %s accepts them", gain, change,
                      option ? option : "a tolerance"));
}

static void print_patch(const struct page *page)
{
    const struct optimise_view *view = page->view;
    bool is_patch = view->patch && (!strncmp(view->patch, "--- ", 4) || strstr(view->patch, "\n--- "));
    if (view->patch_file && !is_patch)
        say(page, "change", memory_format("written to %s, in words: no patch can do it", view->patch_file));
    else if (view->patch_file)
        say(page, "patch",
            memory_format("written to %s: patch -p1 < %s", view->patch_file, view->patch_file));
    else if (view->patch) {
        fputs("\n", page->out);
        const char *new_file = strstr(view->patch, "\n--- /dev/null\n"),
                   *diff = strstr(view->patch, "\n--- ");
        const char *stop = new_file ? diff : NULL; /* a new file is long */
        const char *line = view->patch;
        if (stop && !strncmp(line, "In ", 3)) /* how to apply what is not shown */
            line += strcspn(line, "\n") + 1;
        while (*line && line != stop) {
            size_t length = strcspn(line, "\n");
            fputs("    ", page->out);
            text_print_safe(line, length, page->out);
            fputs("\n", page->out);
            line += length + (line[length] == '\n');
        }
        if (stop)
            fputs("    --apply FILE writes the patch.\n", page->out);
    }
}

static void print_answer(const struct page *page)
{
    const struct optimised *search = &page->view->searches[page->view->best];
    const struct search_finalist *first = finalist_at(search, 0);
    print_heading(page, search);
    print_suggestion(page, search);
    print_change(page, search, first);
    say_predicted(page, &search->answer.original.judgement, &first->judgement);
    say_measured(page, &search->answer.original, first);
    say_risks(page, search, first);
    say_program(page, first);
    say_near(page, search);
    print_patch(page);
}

/* --- finalists --- */
/* For the column of results; to be freed. */
static char *finalist_results(const struct search_finalist *finalist)
{
    const struct replay_result *result = &finalist->result;
    bool is_close = result->verdict == replay_NEAR || result->verdict == replay_WITHIN;
    if (!finalist->is_measured)
        return memory_format("%s", finalist->problem ? "not run" : "-");
    if (is_close && result->largest_ulps > 0)
        return memory_format("within %.0f ulp", ceil(result->largest_ulps));
    return memory_format("%s", optimise_verdict(result->verdict));
}

/* Why one is out, and what would let it in. */
static void explain_refused(const struct page *page, const struct optimised *search,
                            const struct search_finalist *finalist)
{
    const struct replay_result *result = &finalist->result;
    autofree char *change = optimise_change(&search->choices, &finalist->variant),
                  *option = optimise_accepted_by(result);
    if (result->verdict == replay_NEAR && result->largest_ulps > 0)
        wrap_say(page->out, 4, page->width,
                 "refused: %s: the same within %.0f ulp of the largest element; %s accepts it", change,
                 ceil(result->largest_ulps), option ? option : "a tolerance");
    else
        wrap_say(page->out, 4, page->width, "out: %s: %s%s%s%s", change, result->where, option ? "; " : "",
                 option ? option : "", option ? " would accept it" : "");
}

static void print_finalist(const struct page *page, const struct optimised *search,
                           const struct search_finalist *finalist, const char *mark)
{
    char *change = optimise_change(&search->choices, &finalist->variant), *time = NULL;
    char cycles[24] = "-", gain[24] = "-";
    if (!isnan(finalist->judgement.cycles) && !finalist->judgement.is_rough)
        snprintf(cycles, sizeof cycles, "%.3g", finalist->judgement.cycles);
    if (finalist->is_measured && finalist->result.seconds > 0) {
        time = time_words(finalist->result.seconds);
        snprintf(gain, sizeof gain, "%.2f", 1 / finalist->ratio);
    }
    autofree char *results = finalist_results(finalist);
    fprintf(page->out, "  %-2s%8s", mark, cycles);
    if (search->answer.is_measured)
        fprintf(page->out, "%*s%s%8s  %-17s",
                10 - (int)(time ? strlen(time) - (strstr(time, "µ") != NULL) : 1), "", time ? time : "-",
                gain, results);
    fputs("  ", page->out);
    put_safe(page->out, change);
    fputs(finalist->is_usual ? "  (usual)\n" : "\n", page->out);
    free(change);
    free(time);
}

static void print_finalists(const struct page *page, const struct optimised *search)
{
    const struct search_answer *answer = &search->answer;
    fputs("\n", page->out);
    if (page->view->count > 1)
        fprintf(page->out, "%s\n", last_part(search->compilation.compiler));
    fprintf(page->out, "    %8s", "cycles");
    if (answer->is_measured)
        fprintf(page->out, "%10s%8s  %-17s", "time", "faster", "results");
    fputs("  change\n", page->out);
    print_finalist(page, search, &answer->original, "");
    for (size_t i = 0; i < answer->finalists.count && i < MOST_ROWS; i++)
        print_finalist(page, search, finalist_at(search, i), !i && answer->has_winner ? "*" : "");
    for (size_t i = 0; i < answer->finalists.count; i++) {
        const struct search_finalist *finalist = finalist_at(search, i);
        if (!answer->is_measured && finalist->judgement.is_rough) {
            autofree char *change = optimise_change(&search->choices, &finalist->variant);
            wrap_say(page->out, 4, page->width, "not compared: %s: %s", change, finalist->judgement.problem);
        }
        if (finalist->is_measured && !finalist->is_right && finalist->result.where) {
            explain_refused(page, search, finalist);
        }
    }
}

static void print_effort(const struct page *page, const struct optimised *search)
{
    const struct search_answer *answer = &search->answer;
    autofree char *seconds = phrase_duration(answer->seconds);
    char earlier[60] = "";
    if (answer->earlier)
        snprintf(earlier, sizeof earlier, ", %zu of them in earlier calls", answer->earlier);
    wrap_say(page->out, 0, page->width, "Tried %zu variants (%zu of different code%s) in %s, by %s.%s%s",
             answer->tried, answer->distinct, earlier, seconds, search->compilation.version,
             answer->is_interrupted ? " Interrupted: this is the best so far; the same command goes on."
             : answer->is_exhausted || answer->problem
                 ? ""
                 : " The budget ended the search: a larger --budget, or the same command "
                   "again, goes on.",
             search->extract.is_whole_file && search->extract.why_whole ? " " : "");
    if (answer->problem)
        wrap_say(page->out, 0, page->width, "The search ended early: %s", answer->problem);
    if (search->extract.is_whole_file && search->extract.why_whole)
        wrap_say(page->out, 0, page->width, "The whole file was compiled each time: %s.",
                 search->extract.why_whole);
}

static const struct optimised *first_done(const struct optimise_view *view)
{
    for (size_t i = 0; i < view->count; i++)
        if (view->searches[i].is_done)
            return &view->searches[i];
    return &view->searches[0];
}

void report_optimise_text(const struct optimise_view *view, const struct report_style *style, FILE *out)
{
    size_t width = style->width ? style->width : WRAP_USUAL_WIDTH;
    struct page page = {view, style, out, width > WRAP_WIDEST ? WRAP_WIDEST : width};
    if (view->best != SIZE_MAX)
        print_answer(&page);
    else if (view->count) {
        const struct optimised *first = first_done(view);
        print_heading(&page, first);
        bool is_measured = first->answer.is_measured;
        fputs(
            !first->is_done ? "no answer\n"
            : view->is_different
                ? "leave it as it is: what is right on one call changes what the whole program says\n"
            : view->is_slower
                ? "leave it as it is: what is faster on one call makes the whole program slower\n"
            : is_measured && first->answer.usual_left
                ? "no answer yet: the time was up before all of the usual sets of options were run; a larger "
                  "--budget runs them\n"
            : is_measured ? "leave it as it is: nothing that was tried is faster and right\n"
                          : "nothing was run, and by the model nothing that was tried is faster\n",
            out);
        if (view->is_slower || view->is_different)
            say_program(&page, finalist_at(first, 0));
        const struct search_finalist *original = &first->answer.original;
        const char *why = view->why_not                                  ? view->why_not
                          : original->is_measured && !original->is_right ? original->result.where
                                                                         : NULL;
        if (!is_measured && why)
            say(&page, "measured", memory_format("no: %s", why));
        if (is_measured)
            say_near(&page, first);
    }
    for (size_t i = 0; i < view->count; i++) {
        if (view->searches[i].is_done) {
            print_finalists(&page, &view->searches[i]);
        } else if (view->searches[i].problem) {
            fputs("\n", out);
            wrap_say(out, 0, page.width, "%s is left out: %s", view->searches[i].compiler,
                     view->searches[i].problem);
        }
    }
    fputs("\n", out);
    if (view->measured)
        wrap_say(out, 0, page.width, "Times: %s.", view->measured);
    for (size_t i = 0; i < view->count; i++)
        if (view->searches[i].is_done)
            print_effort(&page, &view->searches[i]);
    if (view->machine)
        wrap_say(out, 0, page.width, "Cycles are of %s.", view->machine);
}
