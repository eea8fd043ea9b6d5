/* Capturing a call: which one (calls.h), the run to it, its process as a file, and a first replay, which says
   whether it can be replayed at all, how long the call takes, and which pages it touches; of anonymous memory
   the others are dropped. */
#include "change/optimise/replay/calls.h"
#include "base/clock.h"
#include "change/optimise/replay/codelet.h"
#include "change/optimise/replay/draft.h"
#include "change/optimise/replay/function_symbol.h"
#include "change/optimise/replay/placing.h"
#include "change/optimise/replay/replay.h"
#include "change/optimise/replay/replaying.h"
#include "change/optimise/replay/tracing.h"
#include "run/launch/program.h"

#include "base/output.h"
#include "base/path.h"
#include "base/progress.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

enum { MOST_ATTEMPTS = 3 };
static const double watching_seconds = 10, trial_budget = 0.5;

struct capturing {
    const struct capture_request *request;
    struct capture_facts *facts;
    struct launch_program program;
    struct function_symbol function;
    struct tracing_request run;
    uint64_t call;
    double program_seconds;
    uint64_t ended_after; /* calls, where the run ended before the one that is wanted; 0: it did not */
};

static bool tell_end(const struct capturing *capturing, const struct tracing *tracing, struct error *error)
{
    const char *name = capturing->request->function;
    int status = tracing->status;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127 && !tracing->calls)
        return error_set(error, capturing->run.executable, "could not be run");
    if (WIFSIGNALED(status))
        return error_set(error, capturing->run.executable,
                         "was ended by signal %d (%s) after %" PRIu64 " calls of %s", WTERMSIG(status),
                         strsignal(WTERMSIG(status)), tracing->calls, name);
    capturing->facts->is_absent = !tracing->calls;
    if (!tracing->calls)
        return error_set(
            error, capturing->run.executable,
            "ended without a call of %s; with these arguments it is not called, or only inlined copies are",
            name);
    return error_set(error, capturing->run.executable,
                     "ended after %" PRIu64 " calls of %s: there is no call %" PRIu64, tracing->calls, name,
                     capturing->call);
}

/* The first run: every call is timed, up to a limit; after it the program is ended. */
static bool choose_call(struct capturing *capturing, struct error *error)
{
    struct tracing tracing = {.lowest = capturing->function.lowest};
    struct tracing_request run = capturing->run;
    run.is_timed = true;
    if (!tracing_begin(&tracing, &run, error))
        return false;
    double first = 0;
    size_t thread;
    enum tracing_event event;
    while ((event = tracing_next(&tracing, &thread, error)) == tracing_CALL) {
        progress_tell("watching calls", tracing.calls, 0);
        first = first > 0 ? first : clock_monotonic_seconds();
        if (tracing.calls > CALLS_WATCHED || clock_monotonic_seconds() - first > watching_seconds)
            break;
    }
    progress_clear();
    capturing->facts->is_every_call = event == tracing_ENDED;
    capturing->facts->calls = tracing.calls;
    capturing->call = calls_choose(tracing.durations.data, tracing.durations.count);
    for (size_t i = 0; i < tracing.durations.count; i++)
        capturing->program_seconds += 1e-9 * (double)*ARRAY_AT(uint64_t, &tracing.durations, i);
    /* A call that is still going on when the watch ends is long, and the only one that is. */
    if (!capturing->call && tracing.calls)
        capturing->call = 1;
    bool is_chosen = capturing->call;
    capturing->facts->is_out_of_time = event == tracing_TIME_IS_UP && !is_chosen;
    if (capturing->facts->is_out_of_time)
        error_set(error, capturing->run.executable, "did not call %s in %g seconds",
                  capturing->request->function, run.seconds);
    else if (event != tracing_FAILED && !is_chosen)
        tell_end(capturing, &tracing, error);
    tracing_end(&tracing);
    return is_chosen && event != tracing_FAILED;
}

static char *words_as_text(const char *const *words)
{
    char *text = memory_copy_text("", 0);
    for (; *words; words++) {
        char *longer = memory_format("%s%s%s", text, *text ? " " : "", *words);
        free(text);
        text = longer;
    }
    return text;
}

static unsigned threads_of(const struct tracing *tracing, pid_t process)
{
    unsigned count = 0;
    for (size_t i = 0; i < tracing->threads.count; i++)
        count += ARRAY_AT(struct trace_thread, &tracing->threads, i)->process == process;
    return count;
}

/* A thread stands at the call. */
static bool save_process(struct capturing *capturing, struct tracing *tracing, const struct trace_thread *at,
                         struct draft *draft, struct error *error)
{
    pid_t process = at->process, thread = at->thread;
    struct codelet_header *header = &draft->header;
    if (!tracing_freeze(tracing, process, error) || !draft_take_registers(draft, thread, error) ||
        !draft_take_memory(draft, process, capturing->request->memory_limit, error))
        return false;
    struct hole room = placing_near(draft->regions.data, draft->regions.count, header->entry);
    if (!room.size)
        return error_set(error, NULL, "the program leaves no addresses free for a replay");
    header->room = room.start;
    header->room_size = room.size;
    header->size = capturing->function.size;
    header->call = capturing->call;
    header->calls = capturing->facts->calls ? capturing->facts->calls : tracing->calls;
    header->program_seconds = capturing->program_seconds;
    header->threads = threads_of(tracing, process);
    header->result_count = CODELET_RESULT_UNKNOWN;
    header->function = draft_name(draft, capturing->function.name);
    char *command = words_as_text(capturing->request->words);
    header->command = draft_name(draft, command);
    free(command);
    if (!draft_take_symbols(draft, process, thread, error))
        return false;
    draft_take_debug(draft);
    return draft_finish(draft, error);
}

static bool run_to_call(struct capturing *capturing, struct draft *draft, struct error *error)
{
    struct tracing tracing = {.lowest = capturing->function.lowest};
    if (!tracing_begin(&tracing, &capturing->run, error))
        return false;
    size_t thread = 0;
    enum tracing_event event;
    while ((event = tracing_next(&tracing, &thread, error)) == tracing_CALL &&
           tracing.calls < capturing->call)
        progress_tell("running to the call", tracing.calls, capturing->call);
    progress_clear();
    bool is_saved = false;
    if (event == tracing_CALL)
        is_saved = save_process(capturing, &tracing, ARRAY_AT(struct trace_thread, &tracing.threads, thread),
                                draft, error);
    else if (event == tracing_TIME_IS_UP) {
        capturing->facts->is_out_of_time = true;
        error_set(error, capturing->run.executable, "did not come to call %" PRIu64 " of %s in %g seconds",
                  capturing->call, capturing->request->function, capturing->run.seconds);
    } else if (event == tracing_ENDED) {
        capturing->ended_after = tracing.calls;
        tell_end(capturing, &tracing, error);
    }
    if (!capturing->facts->calls)
        capturing->facts->calls = tracing.calls;
    tracing_end(&tracing);
    return is_saved;
}

/* The replay of the original, and the codelet with what it needs. */
static bool try_and_trim(struct capturing *capturing, struct draft *draft, struct error *error)
{
    struct codelet whole;
    const char *path = capturing->request->path;
    if (!codelet_open_file(draft->file, path, &whole, error))
        return false;
    struct replay_outcome outcome = {0};
    bool is_tried =
        replaying_original(&whole, draft->file, capturing->request->runtime, trial_budget, &outcome, error);
    struct draft trimmed = {.file = -1};
    bool is_done =
        is_tried && draft_begin(&trimmed, path, error) && replaying_trim(&whole, &outcome, &trimmed, error);
    if (is_done) {
        capturing->facts->seconds = outcome.answer.original.seconds;
        is_done = replaying_save(&trimmed, path, error);
        capturing->facts->bytes = trimmed.header.file_size;
        for (size_t i = 0; i < trimmed.stretches.count; i++) {
            const struct codelet_stretch *stretch = ARRAY_AT(struct codelet_stretch, &trimmed.stretches, i);
            capturing->facts->pages += stretch->offset ? stretch->bytes / trimmed.header.page_size : 0;
        }
    }
    draft_free(&trimmed);
    replaying_free(&outcome);
    codelet_close(&whole);
    return is_done;
}

/* Programs that repeat their work until a time has gone by make other numbers of calls in each run. */
static bool run_to_a_call(struct capturing *capturing, struct draft *draft, struct error *error)
{
    for (unsigned attempt = 1;; attempt++) {
        capturing->ended_after = 0;
        if (run_to_call(capturing, draft, error))
            return true;
        if (capturing->request->call || !capturing->ended_after || attempt == MOST_ATTEMPTS)
            return false;
        capturing->call = capturing->facts->call = (capturing->ended_after + 1) / 2;
        *error = (struct error){0};
    }
}

static bool capture(struct capturing *capturing, struct error *error)
{
    const struct capture_request *request = capturing->request;
    if (!request->call && !choose_call(capturing, error))
        return false;
    if (request->call)
        capturing->call = request->call;
    capturing->facts->call = capturing->call;
    struct draft draft;
    bool is_done = draft_begin(&draft, request->path, error) && run_to_a_call(capturing, &draft, error) &&
                   try_and_trim(capturing, &draft, error);
    draft_free(&draft);
    return is_done;
}

bool capture_call(const struct capture_request *request, struct capture_facts *facts, struct error *error)
{
    *facts = (struct capture_facts){0};
    struct capturing capturing = {.request = request, .facts = facts};
    if (!output_may_replace(request->path, error) ||
        !launch_find_program(request->words[0], &capturing.program, error))
        return false;
    const char *object = request->object ? request->object : capturing.program.code;
    bool is_done = false;
    if (capturing.program.is_privileged)
        error_set(error, capturing.program.path, "runs with rights of its own and cannot be followed");
    else if (capturing.program.bits == 32)
        error_set(error, capturing.program.path, "has 32 bits; calls are captured from programs of 64 bits");
    else if (!object)
        error_set(error, capturing.program.path, "is not a program for this computer");
    else if (function_symbol_find(object, request->function, &capturing.function, error)) {
        char *executable = path_absolute(capturing.program.path);
        capturing.run = (struct tracing_request){.words = request->words,
                                                 .folder = request->folder,
                                                 .executable = executable,
                                                 .object = object,
                                                 .function = capturing.function.address,
                                                 .is_silent = request->is_silent,
                                                 .seconds = request->seconds};
        is_done = capture(&capturing, error);
        free(executable);
    } else
        facts->is_absent = true;
    free(capturing.function.name);
    launch_free_program(&capturing.program);
    return is_done;
}
