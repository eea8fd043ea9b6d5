/* assay bench: what this computer's core does, measured: forms, blocks, and where a machine file differs. */
#include "base/output.h"
#include "cli/bench.h"
#include "cli/block_input.h"
#include "cli/commands.h"
#include "cli/folders.h"
#include "cli/machines.h"
#include "run/bench/kernel.h"
#include "run/bench/memory/memory.h"
#include "code/read/opcodes.h"
#include "show/report/bench.h"

#include <math.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { USUAL_ROWS = 40, MOST_PASSES = 100 };

/* The machine beside which figures are shown: the one that is named, else this computer's. */
static bool take_machine(struct bench_work *work, struct error *error)
{
    const char *name = options_value(work->invocation, OPTION_COMPARE);
    if (!name)
        name = options_value(work->invocation, OPTION_MACHINE);
    work->machine = machines_take(name, work->isa, &work->is_host, error);
    if (work->machine && !name && !work->is_host) {
        machine_free(work->machine); /* a default, not this computer's */
        work->machine = NULL;
    }
    return !error->set;
}

/* The instruction set: of --isa, of the file of results, of this computer. */
static bool take_isa(struct bench_work *work, struct error *error)
{
    const char *result = options_value(work->invocation, OPTION_RESULT);
    bool measures = !result && !options_has(work->invocation, OPTION_MAKE_RUNNER);
    if (!session_isa(work->invocation, &work->isa, error))
        return false;
    if (result) {
        bool done = bench_results_read(&work->results, result, error);
        work->isa = work->results.isa;
        return done;
    }
    if (!work->isa)
        work->isa = bench_host_isa();
    if (work->isa != isa_AARCH64 && work->isa != isa_X86_64)
        return error_set(error, NULL, "bench knows x86-64 and AArch64");
    if (measures && work->isa != bench_host_isa())
        return error_set(error, NULL,
                         "this computer cannot run code of that instruction set (--make-runner writes a "
                         "program for one that can)");
    return opcodes_know(work->isa, error);
}

/* `div *` stands for all forms of div that have no line of their own: it is not an instruction. */
static bool is_family(const char *form)
{
    size_t length = strlen(form);
    return length && form[length - 1] == '*';
}

/* Forms that match, of the machine at hand: names of forms are in machine files. */
static bool add_matching(struct bench_work *work, const char *pattern, struct error *error)
{
    regex_t expression;
    if (!work->machine)
        return error_set(error, NULL,
                         "there is no form `%s`, and no machine file for this computer to look for others "
                         "(--machine NAME)",
                         pattern);
    if (regcomp(&expression, pattern, REG_EXTENDED | REG_NOSUB))
        return error_set(error, NULL, "--form: not a regular expression: %s", pattern);
    size_t count = 0;
    for (size_t i = 0; i < work->machine->forms.count; i++) {
        const struct machine_form *form = ARRAY_AT(struct machine_form, &work->machine->forms, i);
        if (form->is_missing || is_family(form->text) || regexec(&expression, form->text, 0, NULL, 0))
            continue;
        bench_session_add(&work->bench, form->text);
        count++;
    }
    regfree(&expression);
    return count || error_set(error, NULL,
                              "no form of %s matches `%s` (assay machines show %s --form REGEX lists them)",
                              work->machine->name, pattern, work->machine->name);
}

/* The machine with the most forms of an instruction set: those that a core does not have are told as missing.
 */
static struct machine *take_catalogue(enum isa isa, struct error *error)
{
    struct array folders = folders_find("ASSAY_MACHINES", "machines");
    struct array names = machine_names((const char *const *)folders.data, folders.count);
    struct machine *best = NULL;
    for (size_t i = 0; i < names.count; i++) {
        struct error ignored = {0};
        struct machine *machine = machine_load(*ARRAY_AT(char *, &names, i),
                                               (const char *const *)folders.data, folders.count, &ignored);
        bool is_better =
            machine && machine->isa == isa && (!best || machine->forms.count > best->forms.count);
        machine_free(is_better ? best : machine);
        best = is_better ? machine : best;
    }
    machine_names_free(&names);
    folders_free(&folders);
    if (!best)
        error_set(error, NULL, "there is no machine file of this instruction set to take forms from");
    return best;
}

static bool add_all(struct bench_work *work, struct error *error)
{
    struct machine *machine = work->machine ? work->machine : take_catalogue(work->isa, error);
    for (size_t i = 0; machine && i < machine->forms.count; i++) {
        const struct machine_form *form = ARRAY_AT(struct machine_form, &machine->forms, i);
        if (!form->is_missing && !is_family(form->text))
            bench_session_add(&work->bench, form->text);
    }
    if (machine && machine != work->machine)
        machine_free(machine);
    return machine;
}

/* Figures of other cores would be wrong for it. */
static bool is_unknown(const struct bench_work *work)
{
    return !work->machine && !options_has(work->invocation, OPTION_RESULT) &&
           !options_has(work->invocation, OPTION_MAKE_RUNNER);
}

bool bench_add_forms(struct bench_work *work, struct error *error)
{
    const char *form = options_value(work->invocation, OPTION_FORM);
    const char *set = options_value(work->invocation, OPTION_FORMS);
    struct bench_instruction sample;
    char text[96];
    if (form && bench_sample(&sample, work->isa, form)) {
        bench_session_add(&work->bench, form);
        return true;
    }
    if (form)
        return add_matching(work, form, error);
    if (set && !strcmp(set, "all"))
        return add_all(work, error);
    if (set && strcmp(set, "common"))
        return error_set(error, NULL, "--forms is common or all, not %s", set);
    if (!set && is_unknown(work)) {
        session_say(&work->session,
                    "no machine file describes this computer: all forms are measured, which takes some "
                    "minutes (--forms common takes the rare ones from the nearest known core)");
        return add_all(work, error);
    }
    for (size_t i = 0; bench_common_form(work->isa, i, text); i++)
        bench_session_add(&work->bench, text);
    if (!set)
        bench_session_add_measured(&work->bench, &work->results);
    return true;
}

/* The whole plan, round after round. */
static bool run_rounds(struct bench_work *work, int file, struct error *error)
{
    do
        if (!bench_session_run(&work->bench, file, error))
            return false;
    while (work->is_whole && bench_plan_more(work));
    return true;
}

/* Those of --result, which were read before. */
static void take_results(struct bench_work *work)
{
    struct bench_results empty = work->bench.results;
    work->bench.results = work->results;
    work->results = empty;
    if (work->is_whole)
        bench_plan_more(work);
}

/* What a file of results has already. */
static bool go_on_from(struct bench_work *work, const char *path, struct error *error)
{
    if (access(path, F_OK) != 0)
        return true;
    if (!bench_results_read(&work->bench.results, path, error))
        return false;
    if (work->bench.results.isa && work->bench.results.isa != work->isa)
        return error_set(error, path, "has results of another instruction set");
    size_t count = work->bench.results.rows.count;
    if (count && !options_has(work->invocation, OPTION_RESUME))
        session_say(&work->session, "going on from %zu results of %s (%s); --again measures anew", count,
                    *work->bench.results.computer.day ? work->bench.results.computer.day : "before", path);
    return true;
}

bool bench_get_results(struct bench_work *work, const char *path, struct error *error)
{
    if (options_has(work->invocation, OPTION_RESULT)) {
        take_results(work);
        return true;
    }
    int file = -1;
    if (path) {
        if (!go_on_from(work, path, error))
            return false;
        file = bench_results_open(path, work->isa, error);
        if (file < 0)
            return false;
    }
    session_release_interrupts();
    bool done = run_rounds(work, file, error);
    if (file >= 0)
        close(file);
    return done;
}

/* Tests for a computer without Assay: all, or those that are missing in its results. */
static int write_runner(struct bench_work *work, struct error *error)
{
    struct session *session = &work->session;
    const char *folder = options_value(work->invocation, OPTION_MAKE_RUNNER);
    const char *result = options_value(work->invocation, OPTION_RESULT);
    bool has_form = options_has(work->invocation, OPTION_FORM);
    bool is_memory = options_has(work->invocation, OPTION_MEMORY);
    if (is_memory  ? !bench_add_memory(work, error)
        : has_form ? !bench_add_forms(work, error)
                   : !bench_plan_all(work, error))
        return 2;
    if (result)
        take_results(work);
    size_t count = bench_session_missing(&work->bench);
    if (!count) {
        session_say(session,
                    "nothing is left to measure: assay bench --result %s --name NAME writes the "
                    "machine file",
                    result);
        return 0;
    }
    if (!bench_write_runner(&work->bench, folder, error))
        return 2;
    if (result)
        session_say(session, "%zu tests are left: make -C %s && %s/runner %s >> %s", count, folder, folder,
                    result, result);
    else
        session_say(session, "%zu tests of %s: make -C %s && %s/runner > results", count,
                    is_memory  ? "the memory"
                    : has_form ? "forms"
                               : "forms, the core and the memory",
                    folder, folder);
    return 0;
}

static int tell_forms(struct bench_work *work, struct error *error)
{
    struct session *session = &work->session;
    int64_t most;
    if (!options_number(work->invocation, OPTION_LIMIT, USUAL_ROWS, &most, error) ||
        !bench_add_forms(work, error))
        return 2;
    if (!bench_get_results(work, options_value(work->invocation, OPTION_RESUME), error))
        return 2;
    struct array figures = bench_session_figures(&work->bench, work->machine);
    struct bench_view view = {.figures = &figures, .machine = work->machine, .results = &work->bench.results};
    if (work->machine && session->style.format == report_TABLE)
        fprintf(session->out, "beside %s (%s)%s\n\n", work->machine->name, work->machine->title,
                work->is_host ? ", this computer's" : "");
    if (options_has(work->invocation, OPTION_COMPARE))
        report_bench_compare(&view, (size_t)most, &session->style, session->out);
    else
        report_bench_forms(&view, &session->style, session->out);
    array_free(&figures);
    return 0;
}

/* How far --memory goes: on this computer, or on any. */
bool bench_add_memory(struct bench_work *work, struct error *error)
{
    const char *largest = options_value(work->invocation, OPTION_LARGEST);
    bool is_elsewhere =
        options_has(work->invocation, OPTION_MAKE_RUNNER) || options_has(work->invocation, OPTION_RESULT);
    struct bench_memory_plan plan =
        is_elsewhere ? bench_memory_plan_anywhere(work->isa) : bench_memory_plan_here(work->isa);
    if (largest && !bench_memory_size(largest, &plan.largest))
        return error_set(error, NULL, "--largest is a size from 4K to 64G such as 512K or 256M, not %s",
                         largest);
    bench_plan_levels(&work->bench.planned, &plan);
    return true;
}

static int tell_memory(struct bench_work *work, struct error *error)
{
    struct session *session = &work->session;
    if (!bench_add_memory(work, error) ||
        !bench_get_results(work, options_value(work->invocation, OPTION_RESUME), error))
        return 2;
    report_bench_memory(&work->bench.results, work->isa, &session->style, session->out);
    return 0;
}

/* Events that tell µops: of this computer, or of all that a runner may meet. */
static bool find_events(const struct bench_work *work, bool is_for_runner, struct array *events,
                        struct error *error)
{
    struct array folders = folders_find("ASSAY_COUNTERS", "counters");
    bool done = bench_find_events(events, work->isa, is_for_runner, (const char *const *)folders.data,
                                  folders.count, error);
    folders_free(&folders);
    return done;
}

static int tell_kernel(struct bench_work *work, struct error *error)
{
    struct text_code code;
    struct bench_kernel kernel = {.code = ARRAY_OF(uint8_t)};
    struct bench_result result;
    struct array events = ARRAY_OF(struct bench_event);
    const char *name = options_value(work->invocation, OPTION_KERNEL);
    struct session *session = &work->session;
    text_code_begin(&code, work->isa);
    bool done = name ? block_input_assembly(session, name, &code, error)
                     : block_input_hex(options_value(work->invocation, OPTION_HEX), &code, error);
    work->isa = code.isa;
    done = done && bench_kernel_read(&kernel, work->isa, code.bytes.data, code.bytes.count, error) &&
           find_events(work, false, &events, error) && bench_kernel_measure(&kernel, &events, &result, error);
    if (done) {
        struct bench_expectation *expectation =
            work->machine ? bench_expectation_begin(work->machine, work->isa) : NULL;
        struct bench_kernel_view view = {
            .kernel = &kernel, .result = &result, .machine = work->machine, .expected = NAN};
        if (expectation)
            view.expected =
                bench_expect_block(expectation, code.bytes.data, code.bytes.count, kernel.is_loop);
        if (session->style.format == report_TABLE && kernel.removed)
            session_say(session, "the last %s replaced by a counter",
                        kernel.removed == 1 ? "branch is" : "comparison and branch are");
        report_bench_kernel(&view, &session->style, session->out);
        bench_expectation_end(expectation);
    }
    array_free(&events);
    bench_kernel_free(&kernel);
    text_code_end(&code);
    return done ? 0 : 2;
}

/* What a call is about. */
enum way { way_MACHINE, way_FORMS, way_MEMORY, way_BLOCK, way_RUNNER };

static enum way way_of(const struct invocation *invocation)
{
    if (options_has(invocation, OPTION_KERNEL) || options_has(invocation, OPTION_HEX))
        return way_BLOCK;
    if (options_has(invocation, OPTION_MAKE_RUNNER))
        return way_RUNNER;
    if (options_has(invocation, OPTION_MEMORY))
        return way_MEMORY;
    if (options_has(invocation, OPTION_FORM) || options_has(invocation, OPTION_COMPARE))
        return way_FORMS;
    bool is_named = options_has(invocation, OPTION_NAME) || options_has(invocation, OPTION_OUTPUT);
    return options_has(invocation, OPTION_RESULT) && !is_named ? way_FORMS : way_MACHINE;
}

static bool check_ways(const struct invocation *invocation, struct error *error)
{
    enum way way = way_of(invocation);
    unsigned blocks = options_has(invocation, OPTION_KERNEL) + options_has(invocation, OPTION_HEX);
    unsigned forms = options_has(invocation, OPTION_FORM) + options_has(invocation, OPTION_FORMS);
    unsigned ways = options_has(invocation, OPTION_COMPARE) + options_has(invocation, OPTION_MAKE_RUNNER);
    bool has_name = options_has(invocation, OPTION_NAME), is_again = options_has(invocation, OPTION_AGAIN);
    bool is_memory = options_has(invocation, OPTION_MEMORY);
    if (is_memory && (blocks || forms || options_has(invocation, OPTION_COMPARE)))
        return error_set(error, NULL, "these options of bench do not go together (see assay help bench)");
    if (options_has(invocation, OPTION_LARGEST) &&
        (blocks || options_has(invocation, OPTION_FORM) || options_has(invocation, OPTION_COMPARE)))
        return error_set(error, NULL,
                         "--largest is about memory: it does not go with --form, --compare and blocks");
    if (blocks > 1 || forms > 1 || ways > 1 || (blocks && (forms || ways)))
        return error_set(error, NULL, "these options of bench do not go together (see assay help bench)");
    if (options_has(invocation, OPTION_RESULT) &&
        (options_has(invocation, OPTION_RESUME) || options_has(invocation, OPTION_PASSES) || blocks ||
         is_again))
        return error_set(error, NULL,
                         "--result takes results from a file, and nothing is measured: it does not go "
                         "with --resume, --again, --passes, --kernel and --hex");
    if (options_has(invocation, OPTION_PASSES) && (blocks || options_has(invocation, OPTION_MAKE_RUNNER)))
        return error_set(error, NULL,
                         "--passes is for measurements here; a runner may be run several times, and "
                         "its results put into one file");
    if (way != way_MACHINE && (has_name || is_again))
        return error_set(
            error, NULL,
            "--%s is for the machine file that assay bench writes, without blocks or other tests",
            has_name ? "name" : "again");
    if (is_again && options_has(invocation, OPTION_RESUME))
        return error_set(error, NULL, "--resume goes on, --again measures anew: one of them, please");
    return true;
}

static int run_way(struct bench_work *work, struct error *error)
{
    enum way way = way_of(work->invocation);
    if (way == way_BLOCK)
        return tell_kernel(work, error);
    int64_t passes;
    if (!options_number(work->invocation, OPTION_PASSES, 1, &passes, error))
        return 2;
    if (passes < 1 || passes > MOST_PASSES) {
        error_set(error, NULL, "--passes is 1 to %d, not %lld", MOST_PASSES, (long long)passes);
        return 2;
    }
    work->has_bench = true;
    bench_session_begin(&work->bench, work->isa);
    work->bench.version = ASSAY_VERSION;
    work->bench.passes = (unsigned)passes;
    bool has_events =
        way == way_RUNNER || (way != way_MEMORY && !options_has(work->invocation, OPTION_RESULT));
    if (has_events && !find_events(work, way == way_RUNNER, &work->bench.events, error))
        return 2;
    return way == way_RUNNER    ? write_runner(work, error)
           : way == way_MEMORY  ? tell_memory(work, error)
           : way == way_MACHINE ? bench_machine(work, error)
                                : tell_forms(work, error);
}

int command_bench(const struct invocation *invocation, struct error *error)
{
    struct bench_work work = {.invocation = invocation};
    bench_results_begin(&work.results);
    const char *const inputs[] = {options_value(invocation, OPTION_KERNEL),
                                  options_value(invocation, OPTION_RESULT)};
    int code = 2;
    for (unsigned i = 0; i < sizeof inputs / sizeof *inputs; i++)
        if (inputs[i])
            output_spare(inputs[i]);
    if (session_begin(&work.session, invocation, error) && check_ways(invocation, error) &&
        take_isa(&work, error) && take_machine(&work, error))
        code = run_way(&work, error);
    if (work.has_bench)
        bench_session_end(&work.bench);
    bench_results_end(&work.results);
    machine_free(work.machine);
    return session_end(&work.session, code, error);
}
