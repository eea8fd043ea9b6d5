/* From a recording to the answer: only the hot parts of files are read, only hot loops are analysed.

   recording ─► hot files ─► model of their hot functions ─► rows of the run ─► options of hot units ─► cycles
   and advice of the hot loops ─► (--measure) a second run, and advice again, by the iterations that it counted ─► predictions of all
   other hot code, what advice would save ─► (--try) builds with other options, run ─► single slow instructions ─► why measured and predicted differ ─► database, page, text */
#include "base/output.h"
#include "base/progress.h"
#include "cli/compiler_remarks.h"
#include "cli/innermost.h"
#include "cli/machines.h"
#include "cli/run.h"
#include "cli/scripts.h"
#include "code/machine/host.h"
#include "model/isa.h"
#include "model/part.h"
#include "code/quality/quality.h"
#include "show/report/run/run.h"
#include "run/measure/gap.h"
#include "run/measure/measure.h"
#include "run/points/points.h"
#include "run/sample/hot.h"
#include "run/sample/jit/jit.h"
#include "run/sample/rows.h"
#include "run/units/units.h"
#include "run/ways/ways.h"

#include <stdlib.h>
#include <string.h>

/* What counts: a file with 1 % of the time is read; loops with a tenth of that are analysed, at most so many, and
   those with half of it get probes. */
static const double least_file = 0.01, least_loop = 0.001, least_probed = 0.005;
enum { MOST_LOOPS = 400, MOST_PROBED = 64 };

struct answer {
    struct session *session;
    const struct run_command *command;
    struct array loops; /* of uint32_t: the hot innermost loops, the hottest first */
    struct innermost innermost;
    char *machine;   /* that has the processor of a recording from elsewhere; NULL: none */
    bool is_foreign; /* a recording of perf from another kind of computer */
};

/* ---- reading ---- */

static void new_model(struct session *session)
{
    if (session->model)
        model_free(session->model);
    else
        session->model = memory_get(sizeof *session->model);
    model_init(session->model);
}

static bool build(struct answer *answer, struct model *model, const struct hot_file *files, size_t count,
                  struct error *error)
{
    const char **paths = memory_get((count + 1) * sizeof *paths);
    autofree struct model_part *parts = memory_get((count + 1) * sizeof *parts);
    for (size_t i = 0; i < count; i++) {
        paths[i] = files[i].path;
        parts[i] = (struct model_part){
            .path = files[i].path, .addresses = files[i].addresses.data, .count = files[i].addresses.count};
    }
    bool is_done = session_build_parts(answer->session, model, paths, count, parts,
                                       answer->command->reads_all ? 0 : count, error);
    free(paths);
    return is_done;
}

/* A file that cannot be read takes no other one with it. */
static void drop_unreadable(struct answer *answer, struct array *files)
{
    size_t kept = 0;
    for (size_t i = 0; i < files->count; i++) {
        struct hot_file *file = ARRAY_AT(struct hot_file, files, i);
        struct model model;
        struct error failure = {0};
        model_init(&model);
        if (build(answer, &model, file, 1, &failure)) {
            struct hot_file good = *file;
            *file = *ARRAY_AT(struct hot_file, files, kept);
            *ARRAY_AT(struct hot_file, files, kept++) = good;
        } else {
            session_say(answer->session, "its loops are not analysed: %s", failure.text);
        }
        model_free(&model);
    }
    for (size_t i = kept; i < files->count; i++)
        array_free(&ARRAY_AT(struct hot_file, files, i)->addresses);
    files->count = kept;
}

static void read_hot_code(struct answer *answer, const struct sample_recording *recording)
{
    struct array files = ARRAY_OF(struct hot_file);
    struct error failure = {0};
    sample_hot_files(recording, least_file, &files);
    new_model(answer->session);
    if (files.count && !build(answer, answer->session->model, files.data, files.count, &failure)) {
        drop_unreadable(answer, &files);
        new_model(answer->session);
        failure = (struct error){0};
        if (files.count && !build(answer, answer->session->model, files.data, files.count, &failure))
            new_model(answer->session);
    }
    sample_hot_files_free(&files);
}

/* ---- analysing ---- */

static int compare_ids(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return a < b ? -1 : a > b;
}

static bool find_loops(struct answer *answer, struct error *error)
{
    struct innermost *innermost = &answer->innermost;
    sample_hot_loops(answer->session->model, SAMPLE_INNERMOST, least_loop, MOST_LOOPS, &answer->loops);
    for (size_t i = 0; i < answer->loops.count; i++)
        *(int64_t *)array_push(&innermost->loops) = *ARRAY_AT(uint32_t, &answer->loops, i);
    return innermost_take_machines(innermost, error);
}

static void judge_loops(struct answer *answer)
{
    struct array ordered = ARRAY_OF(uint32_t);
    struct quality_options options = {.threads = session_threads(answer->session->invocation),
                                      .path_limit = QUALITY_PATHS};
    if (!answer->loops.count)
        return;
    memcpy(array_add_many(&ordered, answer->loops.count), answer->loops.data,
           answer->loops.count * sizeof(uint32_t));
    qsort(ordered.data, ordered.count, sizeof(uint32_t), compare_ids);
    for (unsigned isa = 0; isa < isa_COUNT; isa++)
        options.machines.of[isa] = answer->innermost.machines[isa];
    quality_build(answer->session->model, &options, &ordered);
    scripts_judge(answer->session, &options.machines);
    progress_clear();
    array_free(&ordered);
}

/* The program has run: a record that cannot be read must not cost its answer. */
static void take_remarks(struct answer *answer)
{
    struct array ordered = ARRAY_OF(uint32_t);
    struct error error = {0};
    for (size_t i = 0; i < answer->loops.count; i++)
        *(uint32_t *)array_push(&ordered) = *ARRAY_AT(uint32_t, &answer->loops, i);
    if (ordered.count)
        qsort(ordered.data, ordered.count, sizeof(uint32_t), compare_ids);
    if (!compiler_remarks_take(answer->session, &ordered, &error))
        session_say(answer->session, "%s", error.text);
    array_free(&ordered);
}

static void explain(struct answer *answer)
{
    const struct machine *file = NULL;
    for (unsigned isa = 0; isa < isa_COUNT && !file; isa++)
        file = answer->innermost.machines[isa];
    struct gap_machine machine = gap_host(file);
    gap_explain(answer->session->model, &machine);
}

/* Machines of programs whose loops were not analysed; without one, less is said. */
static void take_machines(struct answer *answer)
{
    struct innermost *innermost = &answer->innermost;
    struct model *model = answer->session->model;
    const char *name =
        innermost->machine ? innermost->machine : options_value(answer->session->invocation, OPTION_MACHINE);
    for (uint32_t id = 1; id < model->programs.count; id++) {
        struct error ignored = {0};
        enum isa code = (enum isa)model_program(model, id)->isa, isa = isa_facts(code)->machine;
        if (!innermost->machines[isa])
            innermost->machines[isa] = machines_take(name, code, &innermost->is_host[isa], &ignored);
    }
}

/* A second run that fails costs its figures, not the answer.  Loops that contain others are measured, too. */
static void measure(struct answer *answer, const struct launch_program *program)
{
    struct array loops = ARRAY_OF(uint32_t), functions = ARRAY_OF(uint32_t);
    const struct run_command *command = answer->command;
    struct error failure = {0};
    struct measure_result result = {0};
    struct measure_options options = {.words = command->words.data,
                                      .runtime = command->sampling.runtime,
                                      .input = command->input,
                                      .has_addresses = command->is_explained};
    sample_hot_loops(answer->session->model, SAMPLE_ANY_DEPTH, least_probed, MOST_PROBED, &loops);
    sample_hot_functions(answer->session->model, least_probed, MOST_PROBED, &functions);
    if (!measure_loops(answer->session->model, program, &options, &loops, &functions, &result, &failure))
        session_say(answer->session, "not measured again: %s", failure.text);
    progress_clear();
    array_free(&loops);
    array_free(&functions);
}

/* ---- showing ---- */

static struct run_view view_of(struct answer *answer)
{
    const struct session *session = answer->session;
    struct run_view view = {.run = 1,
                            .top = answer->command->top,
                            .database = answer->command->database,
                            .was_tried = answer->command->is_tried,
                            .is_guessed = answer->is_foreign && !answer->machine &&
                                          !options_has(session->invocation, OPTION_MACHINE)};
    view.quality = (struct quality_view){.model = session->model,
                                         .is_named = options_has(session->invocation, OPTION_MACHINE),
                                         .loops = answer->loops.data,
                                         .analysed_count = answer->loops.count,
                                         .loop_count = answer->loops.count,
                                         .demangle = session->style.demangle,
                                         .level = answer->command->level,
                                         .trust = session->trust};
    for (unsigned isa = 0; isa < isa_COUNT; isa++) {
        view.quality.machines[isa] = answer->innermost.machines[isa];
        view.quality.is_host[isa] = answer->innermost.is_host[isa];
    }
    return view;
}

static bool write_page(const struct run_view *view, const char *path, struct error *error)
{
    struct output *output = output_open(path, error);
    if (!output)
        return false;
    if (report_run_html(view, output_stream(output), error))
        return output_finish(output, error);
    output_abandon(output);
    return false;
}

static bool write_profile(const struct answer *answer, struct error *error)
{
    const struct run_command *command = answer->command;
    const struct session *session = answer->session;
    struct output *output = output_open(command->profile_file, error);
    if (!output)
        return false;
    if (report_profile(command->profile, session->model, model_last(&session->model->runs),
                       session->style.demangle, ASSAY_VERSION, output_stream(output), error))
        return output_finish(output, error);
    output_abandon(output);
    return false;
}

static bool show(struct answer *answer, struct error *error)
{
    struct session *session = answer->session;
    const struct run_command *command = answer->command;
    struct run_view view = view_of(answer);
    if (command->database &&
        !store_write(session->model, command->database, session_threads(session->invocation), error))
        return false;
    progress_clear();
    if (command->profile_file && !write_profile(answer, error))
        return false;
    if (command->page && !write_page(&view, command->page, error))
        return false;
    if (session->style.format == report_JSON)
        return report_run_json(&view, session->out, error);
    if (session->style.format == report_CSV)
        return report_run_csv(&view, session->out, error);
    return report_run_text(&view, &session->style, session->out, error);
}

/* Recordings of ranks and of perf may come from another kind of computer. */
static void name_processor(struct answer *answer, const struct sample_recording *recording)
{
    const struct run_command *command = answer->command;
    struct model *model = answer->session->model;
    if ((!command->merged_folder && !command->recording.path) || run_was_here(model)) {
        machines_name_processors(model);
        return;
    }
    answer->is_foreign = command->recording.path != NULL;
    answer->machine = command->recording.path ? run_foreign_machine(model, recording) : NULL;
    if (!options_has(answer->session->invocation, OPTION_MACHINE))
        answer->innermost.machine = answer->machine;
}

bool run_answer(struct session *session, const struct run_command *command,
                const struct sample_recording *recording, const struct launch_program *program,
                struct error *error)
{
    struct answer answer = {.session = session,
                            .command = command,
                            .loops = ARRAY_OF(uint32_t),
                            .innermost = {.session = session, .loops = ARRAY_OF(int64_t)}};
    read_hot_code(&answer, recording);
    sample_rows_add(session->model, recording);
    jit_name_programs(session->model, recording);
    name_processor(&answer, recording);
    units_judge(session->model);
    bool is_done = find_loops(&answer, error);
    if (is_done) {
        sample_branches(session->model, recording);
        judge_loops(&answer);
        sample_counted(session->model);
        if (command->is_measured) {
            measure(&answer, program);
            judge_loops(&answer); /* by the iterations that were counted */
        }
        take_remarks(&answer);
        take_machines(&answer);
        ways_predict(session->model, answer.innermost.machines);
        sample_savings(session->model); /* and the paths that were taken */
        sample_library_cures(session->model);
        units_promise(session->model);
        units_judge_target(session->model, (const struct machine *const *)answer.innermost.machines);
        if (command->is_tried)
            run_try(session, command, program);
        points_find(session->model, answer.innermost.machines);
        explain(&answer); /* by where samples stand, too */
        is_done = show(&answer, error);
    }
    array_free(&answer.loops);
    innermost_free(&answer.innermost);
    free(answer.machine);
    return is_done;
}
