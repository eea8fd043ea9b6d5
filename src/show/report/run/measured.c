/* How the run was measured, how far it can be trusted, and what to ask next. */
#include "show/report/run/parts.h"

#include "model/tables.h"
#include "show/report/quality/words.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_FAULTS = 2 };

static const double WORTH_A_TRIAL = 0.1; /* share of the run in sources that are known */

static char *say_clock(const struct sampled_run *run)
{
    if (!(run->cycles_per_second > 0))
        return memory_format("; the core's clock is unknown");
    bool is_steady = !(run->fastest_clock > 1.05 * run->slowest_clock);
    if (is_steady)
        return memory_format("; core at %.2f GHz", run->cycles_per_second * 1e-9);
    return memory_format("; core at %.2f GHz (%.2f to %.2f)", run->cycles_per_second * 1e-9,
                         run->slowest_clock * 1e-9, run->fastest_clock * 1e-9);
}

/* Samples of perf. */
static void say_recorded(const struct run_report *report, const char *samples, const char *clock,
                         struct array *sentences)
{
    const struct sampled_run *run = report->run;
    const char *processor = model_text(report->model, run->processor),
               *host = model_text(report->model, run->host), *event = model_text(report->model, run->event);
    sentences_say(sentences,
                  memory_format("%s %s of %s in %s, a recording of perf%s%s, %.0f a second of each running "
                                "thread%s%s%s.",
                                samples, run->samples == 1 ? "sample" : "samples", event ? event : "an event",
                                model_text(report->model, run->recording), host ? " on " : "",
                                host ? host : "", run->frequency > 0 ? run->frequency : 0, clock,
                                processor ? ", " : "", processor ? processor : ""));
    size_t count;
    const struct run_loop *loops = run_rows(&report->model->run_loops, report->view->run, &count);
    for (size_t i = 0; i < count; i++)
        if (loops[i].measured_by == run_measure_BRANCHES) {
            sentences_say(sentences,
                          memory_format("Measured cycles are those between records of branches; how often "
                                        "loops ran is estimated from them."));
            break;
        }
    if (run->sampler == run_sampler_EVENT)
        sentences_say(sentences,
                      memory_format("Shares are shares of %s, not of time: the recording has no samples "
                                    "of cycles or a clock, or --event chose this.",
                                    event ? event : "an event"));
}

/* Of a computer that nobody knows. */
static void say_guessed(const struct run_report *report, struct array *sentences)
{
    const struct machine *machine = NULL;
    for (unsigned isa = 0; isa < isa_COUNT && !machine; isa++)
        machine = report->view->quality.machines[isa];
    if (report->view->is_guessed && machine)
        sentences_say(sentences,
                      memory_format("Predictions are for %s: the recording does not say which processor "
                                    "it was made on, or no machine file has it (--machine NAME "
                                    "chooses).",
                                    machine->title));
}

void run_say_measured(const struct run_report *report, struct array *sentences)
{
    static const char *const words[run_sampler_COUNT] = {
        [run_sampler_CYCLES] = "by the processor's counter of cycles",
        [run_sampler_CPU_CLOCK] = "by the kernel's clock of processor time",
        [run_sampler_TIMER] = "by a timer in the program",
        [run_sampler_EVENT] = "of another event"};
    const struct sampled_run *run = report->run;
    const char *why = model_text(report->model, run->without_kernel_sampling);
    autofree char *samples = phrase_count(run->samples), *clock = say_clock(run);
    const char *processor = model_text(report->model, run->processor);
    if (run->recording)
        say_recorded(report, samples, clock, sentences);
    else
        sentences_say(sentences, memory_format("%s %s %s, %.0f a second of each running thread%s%s%s.",
                                               samples, run->samples == 1 ? "sample" : "samples",
                                               words[run->sampler], run->frequency > 0 ? run->frequency : 0,
                                               clock, processor ? ", " : "", processor ? processor : ""));
    say_guessed(report, sentences);
    if (run->sampler == run_sampler_TIMER && why)
        sentences_say(sentences, memory_format("The kernel did not take them: %s.", why));
    sentences_say(sentences,
                  memory_format("A sample stands at or shortly after the instruction that waited."));
}

/* What few runs have: of recordings of perf, and of code that was made at run time. */
static char *recording_words(const struct run_limit *limit)
{
    unsigned long long count = limit->count;
    bool is_one = limit->count == 1;
    switch ((enum run_limit_kind)limit->kind) {
    case run_limit_kind_OTHER_PROGRAMS:
        return memory_format(
            "The recording is of a whole system: %llu %s of other programs %s left out (--command "
            "NAME reports on another one).",
            count, is_one ? "sample" : "samples", is_one ? "is" : "are");
    case run_limit_kind_IDLE:
        return memory_format("%llu %s of processors with nothing to do %s left out.", count,
                             is_one ? "sample" : "samples", is_one ? "is" : "are");
    case run_limit_kind_NONSENSE:
        return memory_format("%llu %s of the recording %s no sense and %s left out.", count,
                             is_one ? "record" : "records", is_one ? "makes" : "make", is_one ? "is" : "are");
    case run_limit_kind_CUT_SHORT:
        return memory_format("The recording ends before its end: perf was ended, or the copy is not whole.");
    case run_limit_kind_TRACES:
        return memory_format(
            "The recording has a trace of the processor (Intel PT, Arm SPE), which Assay does not "
            "read.");
    case run_limit_kind_REUSED:
        return memory_format(
            "%llu hot %s made at run time where other code was before or after: what is shown there may be "
            "of either.",
            count, is_one ? "function was" : "functions were");
    case run_limit_kind_UNDUMPED:
        return memory_format(
            "%llu %s about code made at run time (jitdump, perf-PID.map) could not be read whole.", count,
            is_one ? "file" : "files");
    default:
        return NULL; /* the first lines say that there are few samples */
    }
}

static char *limit_words(const struct run_report *report, const struct run_limit *limit)
{
    unsigned long long count = limit->count;
    bool is_one = limit->count == 1;
    switch ((enum run_limit_kind)limit->kind) {
    case run_limit_kind_LOST:
        return memory_format("%llu %s lost because the computer was too busy.", count,
                             is_one ? "sample was" : "samples were");
    case run_limit_kind_NO_KERNEL:
        if (report->run->recording)
            return memory_format("The kernel was not recorded: its time is missing.");
        return memory_format(
            "The system does not let this user sample the kernel: its time is counted where it "
            "was called, or is missing.");
    case run_limit_kind_UNSEEN:
        return memory_format("No sample stands for %llu %% of the processor time: threads and processes that "
                             "ended before their first sample, or could not be sampled.",
                             count);
    case run_limit_kind_CUT: {
        if (report->run->recording && limit->count >= report->run->samples)
            return memory_format("It was recorded without callers (perf record -g).");
        char *share =
            phrase_share(report->run->samples ? (double)limit->count / (double)report->run->samples : 1);
        char *text = memory_format("The callers of %s of the samples are not fully known.", share);
        free(share);
        return text;
    }
    case run_limit_kind_SUMMARISED:
        return memory_format("%llu %s kept without callers: the run had too many different ones.", count,
                             is_one ? "sample was" : "samples were");
    case run_limit_kind_UNREAD:
        return memory_format("%llu %s of ranks could not be read.", count,
                             is_one ? "recording" : "recordings");
    case run_limit_kind_CLOCK:
        return memory_format("The core's clock changed by %llu %% during the run: measured cycles are "
                             "approximate.",
                             count);
    case run_limit_kind_BUSY:
        return memory_format(
            "Other programs had %llu %% of the processors' time meanwhile: measured cycles may "
            "be too high, because programs share caches and cores.",
            count);
    case run_limit_kind_UNPROBED:
        return memory_format("%llu hot %s could not get probes: unknown iterations.", count,
                             is_one ? "loop" : "loops");
    case run_limit_kind_DIFFERS:
        return memory_format("The second run did not reach %llu hot %s: it did something else.", count,
                             is_one ? "loop" : "loops");
    case run_limit_kind_NOT_MEASURED:
        return memory_format("The second run failed: unknown iterations.");
    case run_limit_kind_ENDED:
        return memory_format("The second run ended differently: its figures may be of other work.");
    case run_limit_kind_UNCOUNTED:
        return memory_format("The calls of %llu hot %s could not be counted: unknown cycles of a call.",
                             count, is_one ? "function" : "functions");
    case run_limit_kind_PARTIAL:
        return memory_format("The probes of %llu hot %s had seen enough and switched themselves off: how "
                             "often %s entered in all is unknown.",
                             count, is_one ? "loop" : "loops", is_one ? "it was" : "they were");
    default:
        return recording_words(limit);
    }
}

void run_say_limits(const struct run_report *report, struct array *sentences)
{
    size_t count;
    const struct run_limit *limits = run_rows(&report->model->run_limits, report->view->run, &count);
    for (size_t i = 0; i < count; i++) {
        char *words = limit_words(report, &limits[i]);
        if (words)
            sentences_say(sentences, words);
    }
}

void run_say_faults(const struct run_report *report, struct array *sentences)
{
    size_t said = 0;
    for (size_t i = 0; i < report->shown && said < MOST_FAULTS; i++) {
        uint32_t loop = ARRAY_AT(struct run_hot, &report->hot, i)->loop;
        size_t count = 0;
        const struct run_gap *gaps = loop ? run_gaps_of(report, loop, &count) : NULL;
        if (!run_faster(gaps, count))
            continue;
        const struct machine *machine = quality_machine(&report->view->quality, loop);
        autofree char *hex = run_block_hex(report, loop);
        if (hex && machine) {
            sentences_say(sentences,
                          memory_format("Loop %u is faster than predicted; please report it, with:", loop));
            sentences_say(sentences, memory_format("assay cycles --machine %s --hex %s", machine->name, hex));
        }
        said += hex && machine;
    }
}

/* Whether a run with addresses (--explain) could find a cause that is unknown so far. */
static bool is_unexplained(const struct run_report *report)
{
    if (report->model->probe_addresses.count)
        return false;
    for (size_t i = 0; i < report->changes.count; i++) {
        const struct run_change *change = ARRAY_AT(struct run_change, &report->changes, i);
        if (change->gap_count && change->gaps[0].rule == gap_rule_UNEXPLAINED)
            return true;
    }
    return false;
}

/* The loop that a reader most likely wants to see in full. */
static uint32_t first_loop(const struct run_report *report)
{
    if (report->changes.count)
        return ARRAY_AT(struct run_change, &report->changes, 0)->loop;
    for (size_t i = 0; i < report->hot.count; i++) {
        uint32_t loop = ARRAY_AT(struct run_hot, &report->hot, i)->loop;
        if (loop && model_loop(report->model, loop)->is_innermost)
            return loop;
    }
    return 0;
}

static bool is_measured(const struct run_report *report)
{
    size_t count;
    const struct run_loop *loops = run_rows(&report->model->run_loops, report->view->run, &count);
    for (size_t i = 0; i < count; i++)
        if (loops[i].measured_by != run_measure_NONE)
            return true;
    return false;
}

bool run_can_be_tried(const struct run_report *report)
{
    size_t count, tried;
    run_trials_of(report, &tried);
    if (tried || report->view->was_tried || report->run->recording ||
        !model_text(report->model, report->run->command))
        return false;
    const struct run_unit *units = run_rows(&report->model->run_units, report->view->run, &count);
    for (size_t i = 0; i < count; i++)
        if (units[i].share >= WORTH_A_TRIAL && model_unit(report->model, units[i].unit)->producer)
            return true;
    return false;
}

void run_say_next(const struct run_report *report, struct array *sentences)
{
    const char *database = report->view->database;
    uint32_t loop = first_loop(report);
    if (run_can_be_tried(report))
        sentences_say(
            sentences,
            memory_format("`assay run --try -- %s` builds it with -O3, %s, -flto and a profile, and "
                          "measures what each saves",
                          model_text(report->model, report->run->command), run_native_option(report->model)));
    if (loop && database)
        sentences_say(sentences,
                      memory_format("`assay report %s --loop %u` shows a loop in full", database, loop));
    else if (!database && report->run->samples)
        sentences_say(sentences,
                      memory_format("`assay run -o run.db` keeps all of it for `assay report run.db`"));
    if (loop && !report->run->has_second_run && !is_measured(report))
        sentences_say(sentences,
                      memory_format("`assay run --measure` counts iterations and measures cycles"));
    if (is_unexplained(report))
        sentences_say(
            sentences,
            memory_format("`assay run --explain` looks at addresses and branches, too, for the cause"));
    if (run_has_more(report))
        sentences_say(sentences, memory_format("`--top %zu` shows more",
                                               report->hot.count < 100 ? report->hot.count : 100));
}
