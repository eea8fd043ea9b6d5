/* One loop: extracted, searched with each compiler, and the answer printed. */
#include "base/child.h"
#include "base/clock.h"
#include "base/interrupt.h"
#include "base/output.h"
#include "base/path.h"
#include "base/progress.h"
#include "cli/folders.h"
#include "cli/optimise.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What people try by hand; measured in any case, so that the answer is not worse. */
static const char *const usual[] = {"", /* less what harms */
                                    "-O2",
                                    "-O3",
                                    "-O3 -ffast-math",
                                    "-O3 -mcpu=native",
                                    "-O3 -march=native",
                                    "-O3 -ffast-math -mcpu=native -funroll-loops",
                                    "-O3 -ffast-math -march=native -funroll-loops",
                                    NULL};

static const double LEAST_BUDGET = 1; /* seconds of a search, however long the way to it was */

static bool read_choices(struct optimised *search, struct error *error)
{
    struct array folders = folders_find("ASSAY_OPTIONS", "compiler-options");
    const char *name = compiler_family_name(search->compilation.family);
    char *path = NULL;
    for (size_t i = 0; i < folders.count && !path; i++) {
        path = memory_format("%s/%s", *ARRAY_AT(const char *, &folders, i), name);
        if (access(path, R_OK)) {
            free(path);
            path = NULL;
        }
    }
    bool is_fine = path ? choices_read(path, &search->choices, error)
                        : error_set(error, NULL,
                                    "no file of options for %s: it comes with Assay as options/%s; "
                                    "ASSAY_OPTIONS names other folders",
                                    name, name);
    is_fine = is_fine && choices_keep_taken(&search->choices, &search->compilation, error);
    free(path);
    folders_free(&folders);
    return is_fine;
}

static void show_progress(void *context, const char *stage, size_t tried, size_t distinct, double best_cycles,
                          double seconds_left)
{
    autofree char *text =
        isnan(best_cycles) ? memory_format("%s, %.0f s left", stage, seconds_left > 0 ? seconds_left : 0)
                           : memory_format("%s: %zu of different code, best %.3g cycles, %.0f s left", stage,
                                           distinct, best_cycles, seconds_left > 0 ? seconds_left : 0);
    (void)context, (void)tried;
    progress_tell(text, 0, 0);
}

static bool search_with(struct optimise_work *work, struct optimised *search,
                        struct optimise_measure *measure, double budget, double present, struct error *error)
{
    struct search_request request = {.extract = &search->extract,
                                     .choices = &search->choices,
                                     .machine = work->machine,
                                     .ledger = work->ledger,
                                     .usual = usual,
                                     .forbidden = work->forbidden,
                                     .budget = budget,
                                     .finalists = (unsigned)work->finalists,
                                     .processes = session_threads(work->session.invocation),
                                     .is_other = search->is_other,
                                     .present = present,
                                     .seed = (uint64_t)work->seed,
                                     .progress = show_progress};
    if (measure)
        request.measure = optimise_measure_of(measure, search);
    search->is_done = search_run(&request, &search->answer, error);
    progress_clear();
    return search->is_done;
}

/* The compilation by one of the compilers that were asked for, and its extract. */
static bool prepare(const struct optimise_loop *loop, const char *compiler, struct optimised *search,
                    struct error *error)
{
    if (!compilation_with_compiler(&loop->compilation, compiler, &search->compilation, error))
        return false;
    return read_choices(search, error) &&
           extract_loop(&search->compilation, loop->line, &search->extract, error);
}

/* The figure by which the winners of two compilers are compared; INFINITY: it has none. */
static double worth(const struct optimised *search, bool by_time)
{
    if (!search->is_done || !search->answer.has_winner || (by_time && !search->answer.is_measured))
        return INFINITY;
    const struct search_finalist *first = ARRAY_AT(struct search_finalist, &search->answer.finalists, 0);
    return by_time ? first->ratio : first->judgement.cycles;
}

/* By time where any was measured: ratios and cycles cannot be compared with each other. */
static size_t choose_best(const struct optimised *searches, size_t count)
{
    size_t best = SIZE_MAX;
    bool by_time = false;
    for (size_t i = 0; i < count; i++)
        by_time |= searches[i].is_done && searches[i].answer.is_measured;
    for (size_t i = 0; i < count; i++)
        if (worth(&searches[i], by_time) < INFINITY &&
            (best == SIZE_MAX || worth(&searches[i], by_time) < worth(&searches[best], by_time)))
            best = i;
    return best;
}

static void apply_best(struct optimise_view *view, struct applied *applied, struct error *error)
{
    const struct optimised *search = &view->searches[view->best];
    const struct search_finalist *first = ARRAY_AT(struct search_finalist, &search->answer.finalists, 0);
    if (search->answer.is_measured)
        apply_variant(&search->extract, &search->choices, &first->variant, applied, error);
    else
        error_set(error, NULL,
                  "nothing was run, so this is a suggestion to try; --capture './program its arguments' "
                  "measures it");
    view->patch = applied->patch;
}

static bool write_patch(struct optimise_work *work, struct optimise_view *view, const struct applied *applied,
                        const struct error *unpatched, struct error *error)
{
    const char *file = options_value(work->session.invocation, OPTION_APPLY);
    if (!file)
        return true;
    if (!applied->patch)
        return error_set(error, file, "no patch: %s", unpatched->text);
    struct output *output = output_open(file, error);
    if (!output)
        return false;
    fputs(applied->patch, output_stream(output));
    view->patch_file = file;
    return output_finish(output, error);
}

static void print(struct optimise_work *work, const struct optimise_loop *loop,
                  const struct optimise_view *view)
{
    FILE *out = work->session.out;
    if (work->session.style.format == report_TABLE) {
        if (loop->is_inner)
            fputs("\n", out);
        report_optimise_text(view, &work->session.style, out);
        fflush(out);
        return;
    }
    if (loop->is_inner && work->session.style.format == report_JSON)
        fputs(",\n ", out);
    report_optimise_rows(view, &work->session.style, !loop->is_inner, out);
}

static void search_free(struct optimised *search)
{
    if (search->is_done)
        search_answer_free(&search->answer);
    extract_free(&search->extract);
    choices_free(&search->choices);
    compilation_free(&search->compilation);
    free(search->problem);
}

static bool is_any_done(const struct optimised *searches, size_t count)
{
    bool is_any = false;
    for (size_t i = 0; i < count; i++)
        is_any |= searches[i].is_done;
    return is_any;
}

/* Which of --compilers is the user's own; SIZE_MAX: none. */
static size_t own_place(const struct optimise_work *work, const struct optimise_loop *loop)
{
    size_t found = SIZE_MAX;
    for (size_t i = 0; i < work->compilers.count && found == SIZE_MAX; i++) {
        autofree char *program = child_find_program(*ARRAY_AT(const char *, &work->compilers, i));
        if (program && compilation_is_same_compiler(loop->compilation.compiler, program))
            found = i;
    }
    return found;
}

/* Searches with each compiler in turn, for its share of the time that is left; a compiler that fails is told
   beside the others. */
static void search_all(struct optimise_work *work, struct optimise_loop *loop, struct optimised *searches,
                       size_t count, struct optimise_view *view, char **why_not, char **measured,
                       struct error *error)
{
    double end = clock_monotonic_seconds() + loop->budget, present = NAN;
    size_t own = own_place(work, loop);
    struct error first = {0};
    for (size_t i = 0; i < count; i++) {
        struct error problem = {0};
        /* the user's own compiler first: the others are compared with it */
        size_t place = own == SIZE_MAX || i > own ? i : i ? i - 1 : own;
        const char *compiler = work->compilers.count ? *ARRAY_AT(const char *, &work->compilers, place)
                                                     : loop->compilation.compiler;
        struct optimised *search = &searches[place];
        search->compiler = compiler;
        search->is_other = work->compilers.count && place != own;
        double part_end = clock_monotonic_seconds() + (end - clock_monotonic_seconds()) / (double)(count - i);
        if (i && interrupt_came())
            error_set(&problem, NULL, "Ctrl-C came before its turn");
        else if (prepare(loop, compiler, search, &problem)) {
            double whole = loop->budget;
            loop->budget = part_end - clock_monotonic_seconds();
            struct optimise_measure *measure =
                optimise_measure_begin(work, loop, search, *why_not ? &(char *){NULL} : why_not);
            loop->budget = whole;
            if (measure && !*measured) {
                *measured = memory_format("%s", optimise_measure_words(measure));
                view->is_program = optimise_measure_is_program(measure);
            }
            search_with(work, search, measure, fmax(part_end - clock_monotonic_seconds(), LEAST_BUDGET),
                        present, &problem);
            if (search->is_done && !search->is_other)
                present = search->answer.original.judgement.cycles;
            optimise_measure_end(measure);
        }
        if (problem.set) {
            search->problem = memory_format("%s", problem.text);
            if (!first.set)
                first = problem;
        }
    }
    if (!is_any_done(searches, count))
        *error = first;
}

bool optimise_one(struct optimise_work *work, struct optimise_loop *loop, bool *is_found, struct error *error)
{
    size_t count = work->compilers.count ? work->compilers.count : 1;
    struct optimised *searches = memory_get(count * sizeof *searches);
    char *why_not = NULL, *measured = NULL, *unverified = NULL;
    struct applied applied = {0};
    struct error unpatched = {0};
    struct optimise_view view = {.searches = searches,
                                 .count = count,
                                 .machine = work->machine_words,
                                 .machine_name = work->machine->name,
                                 .tolerance = options_value(work->session.invocation, OPTION_TOLERANCE),
                                 .share = loop->share,
                                 .before = NAN,
                                 .after = NAN};
    loop->build = work->build ? memory_format("%s", work->build) : NULL;
    loop->run = work->run ? memory_format("%s", work->run) : NULL;
    search_all(work, loop, searches, count, &view, &why_not, &measured, error);
    if (!error->set) {
        view.best = choose_best(searches, count);
        view.why_not = why_not;
        view.measured = measured;
        *is_found = view.best != SIZE_MAX;
        if (*is_found)
            apply_best(&view, &applied, &unpatched);
        if (*is_found && loop->run && applied.patch && !interrupt_came() &&
            (!view.is_program || applied.own_name)) {
            const struct optimised *best = &searches[view.best];
            optimise_verify(work, loop, best,
                            &ARRAY_AT(struct search_finalist, &best->answer.finalists, 0)->variant, &applied,
                            &view, &unverified);
            view.unverified = unverified;
            if (view.is_slower || view.is_different) {
                view.best = SIZE_MAX;
                view.patch = NULL;
                *is_found = false;
            }
        }
        if (!*is_found || write_patch(work, &view, &applied, &unpatched, error))
            print(work, loop, &view);
    }
    for (size_t i = 0; i < count; i++)
        search_free(&searches[i]);
    free(searches);
    free(why_not);
    free(measured);
    applied_free(&applied);
    free(unverified);
    free(loop->build);
    free(loop->run);
    relink_end(&loop->relink);
    return !error->set;
}
