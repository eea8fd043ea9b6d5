/* assay bench alone: everything is measured in rounds, and becomes the machine file of this computer.

   The file's name and place are settled before anything is measured, so that minutes of work are not lost to
   a typing error.  The text is read again with all that it refers to before it replaces a file. */
#include "base/built.h"
#include "cli/bench.h"
#include "cli/folders.h"
#include "run/bench/core/core.h"
#include "run/bench/machine_file.h"
#include "run/bench/ports/ports.h"
#include "run/bench/memory/memory.h"
#include "show/report/bench.h"
#include "show/report/bench_machine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct making {
    struct bench_work *work;
    struct array directories; /* of machine files */
    char *name, *path;        /* of the file; no path: standard output, or --output */
    struct machine *nearest;
    double distance;
    struct array figures, findings, words, queues;
    struct array differences; /* of struct bench_port_difference, */
    size_t compared;          /* of so many forms */
    char *text;
    struct bench_file_counts counts;
};

size_t bench_plan_more(struct bench_work *work)
{
    return features[feature_PROGRAMS].is_built ? bench_plan_pairs(&work->bench) : 0;
}

bool bench_plan_all(struct bench_work *work, struct error *error)
{
    if (!bench_add_forms(work, error))
        return false;
    work->is_whole = true;
    bool is_measured =
        options_has(work->invocation, OPTION_RESULT) && !options_has(work->invocation, OPTION_MAKE_RUNNER);
    if (is_measured) /* findings follow from results alone */
        return true;
    bench_plan_core(&work->bench.planned, work->isa);
    return bench_add_memory(work, error);
}

/* --name, or the known name with -measured, or what the processor calls itself. */
static bool choose_name(struct making *making, const struct bench_computer *computer, struct error *error)
{
    const char *name = options_value(making->work->invocation, OPTION_NAME);
    struct machine_identity identity = host_identify(&computer->facts);
    struct array names =
        machine_names_of(&identity, (const char *const *)making->directories.data, making->directories.count);
    for (size_t i = 0; !name && !making->name && i < names.count; i++) {
        const char *known = *ARRAY_AT(char *, &names, i);
        size_t length = strlen(known), end = strlen("-measured");
        if (length <= end || strcmp(known + length - end, "-measured"))
            making->name = memory_format("%s-measured", known);
    }
    machine_names_free(&names);
    if (name)
        making->name = memory_format("%s", name);
    else if (!making->name)
        making->name = bench_name_of(computer);
    return machine_is_name(making->name) ||
           error_set(error, NULL, "--name: a machine's name may only have letters, digits, - and _: %s",
                     making->name);
}

static bool choose_path(struct making *making, struct error *error)
{
    if (options_has(making->work->invocation, OPTION_OUTPUT))
        return true;
    autofree char *folder = bench_machine_folder(error);
    if (folder)
        making->path = memory_format("%s/%s", folder, making->name);
    return making->path && bench_may_write(making->path, error);
}

/* The file that results are kept in; NULL: they are not kept, and a sentence says why. */
static char *results_file(struct making *making, const struct bench_computer *computer)
{
    const struct invocation *invocation = making->work->invocation;
    const char *resume = options_value(invocation, OPTION_RESUME);
    struct error problem = {0};
    if (options_has(invocation, OPTION_RESULT))
        return NULL;
    char *path = resume ? memory_format("%s", resume) : bench_cache_file(computer, &problem);
    if (!path)
        session_say(&making->work->session, "results are not kept while they come: %s", problem.text);
    else if (options_has(invocation, OPTION_AGAIN) && !resume)
        unlink(path);
    return path;
}

static bool measure(struct making *making, struct error *error)
{
    struct bench_work *work = making->work;
    struct bench_computer here = bench_this_computer(work->isa);
    const struct bench_computer *computer =
        options_has(work->invocation, OPTION_RESULT) ? &work->results.computer : &here;
    bool done = choose_name(making, computer, error) && choose_path(making, error);
    autofree char *path = done ? results_file(making, computer) : NULL;
    done = done && bench_plan_all(work, error) && bench_get_results(work, path, error);
    if (done && !work->bench.results.computer.facts.isa && !options_has(work->invocation, OPTION_RESULT))
        work->bench.results.computer = here;
    return done;
}

static bool make_text(struct making *making, struct error *error)
{
    struct bench_session *bench = &making->work->bench;
    const char *const *directories = (const char *const *)making->directories.data;
    making->nearest = bench_nearest(bench, directories, making->directories.count, &making->distance);
    if (!making->nearest)
        return error_set(
            error, NULL,
            "there is no machine file of this instruction set that facts could be taken from, or "
            "too few results");
    making->figures = bench_session_figures(bench, making->nearest);
    bench_core_findings(&making->findings, &bench->results, bench->isa);
    bench_level_findings(&making->findings, &bench->results, bench->isa);
    bench_core_form_words(&making->words, &bench->results, bench->isa);
    bench_core_queues(&making->queues, &bench->results, bench->isa);
    struct bench_ports ports = {0};
    struct error too_few = {0};
    bool has_ports = bench_ports_find(bench, &ports, &too_few);
    if (!features[feature_PROGRAMS].is_built)
        session_say(&making->work->session, "the ports are those of the nearest core: %s", too_few.text);
    struct bench_evidence evidence = {.bench = bench,
                                      .figures = &making->figures,
                                      .findings = &making->findings,
                                      .words = &making->words,
                                      .queues = &making->queues,
                                      .nearest = making->nearest,
                                      .is_known = isnan(making->distance),
                                      .name = making->name};
    if (has_ports && bench_name_ports(&ports, making->nearest, &making->figures, evidence.port_names))
        evidence.ports = &ports;
    making->compared = bench_compare_ports(&evidence, &making->differences);
    making->text = bench_machine_file(&evidence, &making->counts, error);
    if (has_ports)
        bench_ports_free(&ports);
    struct machine *machine = making->text
                                  ? machine_parse_in(making->name, making->text, strlen(making->text),
                                                     directories, making->directories.count, error)
                                  : NULL;
    if (!machine) {
        struct error why = *error;
        *error = (struct error){0};
        return error_set(error, NULL, "assay wrote a machine file that it cannot read, which is a bug: %s",
                         why.text);
    }
    machine_free(machine);
    return true;
}

static bool put_text(struct making *making, struct error *error)
{
    struct session *session = &making->work->session;
    if (making->path)
        return bench_write(making->path, making->text, error);
    fputs(making->text, session->out);
    return true;
}

static void report(const struct making *making)
{
    struct session *session = &making->work->session;
    struct bench_view figures = {
        .figures = &making->figures, .machine = making->nearest, .results = &making->work->bench.results};
    FILE *out = making->path ? session->out : stdout;
    if (session->style.format != report_TABLE) {
        report_bench_forms(&figures, &session->style, out);
        return;
    }
    struct bench_machine_view view = {.name = making->name,
                                      .path = making->path,
                                      .nearest = making->nearest,
                                      .distance = making->distance,
                                      .findings = &making->findings,
                                      .differences = &making->differences,
                                      .compared = making->compared,
                                      .counts = &making->counts,
                                      .figures = &figures,
                                      .computer = &making->work->bench.results.computer,
                                      .is_here = !options_has(making->work->invocation, OPTION_RESULT)};
    report_bench_machine(&view, &session->style, out);
}

int bench_machine(struct bench_work *work, struct error *error)
{
    struct making making = {.work = work,
                            .directories = folders_find("ASSAY_MACHINES", "machines"),
                            .figures = ARRAY_OF(struct bench_figure),
                            .findings = ARRAY_OF(struct bench_finding),
                            .words = ARRAY_OF(struct bench_form_word),
                            .queues = ARRAY_OF(struct bench_queue),
                            .differences = ARRAY_OF(struct bench_port_difference)};
    bool done = measure(&making, error) && make_text(&making, error) && put_text(&making, error);
    if (done)
        report(&making);
    free(making.text);
    free(making.name);
    free(making.path);
    machine_free(making.nearest);
    array_free(&making.figures);
    array_free(&making.findings);
    array_free(&making.words);
    array_free(&making.queues);
    array_free(&making.differences);
    folders_free(&making.directories);
    return done ? 0 : 2;
}
