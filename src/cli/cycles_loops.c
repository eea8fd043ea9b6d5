/* assay cycles FILE: the innermost loops of a program, path by path.

   Without a selection: one line per loop, for its slowest path, computed by workers. With one: paths in full,
   the slowest first, one after the other, because the marks of a bound are valid only until the next one is
   computed. */
#include "cli/cycles.h"

#include "base/progress.h"
#include "cli/innermost.h"
#include "cli/queries.h"
#include "model/tables.h"
#include "show/report/common/rows.h"
#include "store/problem.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* The tables that cycles and their text need. */
static const char *const needed[] = {"programs", "files",         "functions",   "blocks",        "edges",
                                     "loops",    "paths",         "path_blocks", "code",          "encodings",
                                     "operands", "register_uses", "registers",   "inlined_calls", NULL};

enum { MOST_TOLD = 4 }; /* paths of a loop shown in full without --paths */

struct work {
    struct session *session;
    struct innermost innermost;
    struct loop_machines machines;
    struct array paths; /* of struct loop_path, by loop and position */
    enum data_level data;
};

/* The paths of a loop in the array, and the slowest of them. */
struct loop_run {
    uint32_t loop;
    size_t first, count;
    size_t slowest;
    double cycles, least; /* NaN: unknown */
};

static struct cycles_view view_of(const struct work *work, const struct loop_path *path, size_t told);

/* With the data where --data says. */
static double cycles_of(const struct work *work, const struct loop_path *path)
{
    struct cycles_view view = view_of(work, path, 1);
    return view.machine ? cycles_with_data(&view) : path->cycles;
}

static void note_run(const struct work *work, struct loop_run *run)
{
    const struct array *paths = &work->paths;
    run->cycles = run->least = NAN;
    run->slowest = run->first;
    for (size_t i = run->first; i < run->first + run->count; i++) {
        double cycles = cycles_of(work, ARRAY_AT(struct loop_path, paths, i));
        if (isnan(cycles))
            continue;
        if (isnan(run->cycles) || cycles > run->cycles) {
            run->cycles = cycles;
            run->slowest = i;
        }
        run->least = isnan(run->least) || cycles < run->least ? cycles : run->least;
    }
}

static int compare_runs(const void *left, const void *right)
{
    const struct loop_run *a = left, *b = right;
    if (isnan(a->cycles) != isnan(b->cycles))
        return isnan(a->cycles) ? 1 : -1;
    if (!isnan(a->cycles) && a->cycles != b->cycles)
        return a->cycles > b->cycles ? -1 : 1;
    return a->loop < b->loop ? -1 : a->loop > b->loop;
}

static struct array list_runs(const struct work *work)
{
    const struct array *paths = &work->paths;
    struct array runs = ARRAY_OF(struct loop_run);
    for (size_t i = 0; i < paths->count; i++) {
        uint32_t loop = ARRAY_AT(struct loop_path, paths, i)->loop;
        struct loop_run *last = runs.count ? ARRAY_AT(struct loop_run, &runs, runs.count - 1) : NULL;
        if (last && last->loop == loop)
            last->count++;
        else
            *(struct loop_run *)array_add(&runs) = (struct loop_run){.loop = loop, .first = i, .count = 1};
    }
    for (size_t i = 0; i < runs.count; i++)
        note_run(work, ARRAY_AT(struct loop_run, &runs, i));
    if (runs.count)
        qsort(runs.data, runs.count, sizeof(struct loop_run), compare_runs);
    return runs;
}

/* Paths of all selected loops. A loop without listed paths gets one without blocks, so that it is reported.
 */
static void list_paths(struct innermost *innermost, struct array *paths)
{
    const struct model *model = innermost->session->model;
    for (size_t i = 0; i < innermost->loops.count; i++) {
        uint32_t loop = (uint32_t)*ARRAY_AT(int64_t, &innermost->loops, i);
        size_t before = paths->count;
        loop_paths_list(model, loop, paths);
        if (paths->count == before)
            *(struct loop_path *)array_add(paths) =
                (struct loop_path){.loop = loop, .path = 1, .cycles = NAN};
    }
}

static size_t count_listed(const struct model *model, uint32_t loop)
{
    size_t offset = offsetof(struct path, loop);
    size_t first = array_first_not_below(&model->paths, 0, offset, loop);
    return array_first_not_below(&model->paths, first, offset, loop + 1) - first;
}

static struct cycles_view view_of(const struct work *work, const struct loop_path *path, size_t told)
{
    const struct model *model = work->session->model;
    uint64_t all = model_loop(model, path->loop)->path_count;
    return (struct cycles_view){.model = model,
                                .machine = loop_machine(&work->machines, model, path->loop),
                                .path = path,
                                .mode = cost_LOOP,
                                .data = work->data,
                                .path_count = all,
                                .seen_count = count_listed(model, path->loop) < all ? told : all,
                                .told_count = told};
}

static void open_json(const struct work *work)
{
    fputs(work->session->style.format == report_JSON ? "[" : "", work->session->out);
}

static void close_json(const struct work *work)
{
    fputs(work->session->style.format == report_JSON ? "]\n" : "", work->session->out);
}

/* Slower paths first; paths without an answer, which must be reported too, before all others. */
static int compare_paths(const void *left, const void *right)
{
    const struct loop_path *a = left, *b = right;
    if (isnan(a->cycles) != isnan(b->cycles))
        return isnan(a->cycles) ? -1 : 1;
    if (!isnan(a->cycles) && a->cycles != b->cycles)
        return a->cycles > b->cycles ? -1 : 1;
    return a->path < b->path ? -1 : a->path > b->path;
}

static void say_others(struct work *work, const struct loop_path *paths, size_t told, size_t count)
{
    FILE *out = work->session->out;
    if (told == count)
        return;
    fprintf(out, "\n%zu other paths of loop %u", count - told, paths->loop);
    if (isnan(paths[told].cycles))
        fputs(" are not shown", out);
    else
        fprintf(out, " take %.2f to %.2f cycles", paths[count - 1].cycles, paths[told].cycles);
    fprintf(out, " (show with --paths %zu).\n", count_listed(work->session->model, paths->loop));
}

/* The paths of a loop in full (as text only the slowest). Returns how many have an answer. */
static size_t tell_paths(struct work *work, struct block_costs *costs, struct loop_path *paths, size_t count,
                         size_t printed)
{
    const struct model *model = work->session->model;
    bool is_for_people = work->session->style.format == report_TABLE;
    bool is_all = !is_for_people || options_has(work->session->invocation, OPTION_PATHS);
    size_t answers = 0, told = 0;
    if (is_for_people)
        qsort(paths, count, sizeof *paths, compare_paths);
    for (; told < count && (is_all || told < MOST_TOLD); told++) {
        struct cycles_view view = view_of(work, &paths[told], count);
        struct block_costs *mine = &costs[view.machine->isa];
        if (!mine->costs.machine)
            block_costs_begin(mine, view.machine, model);
        loop_path_take(model, &paths[told], mine);
        loop_path_note(mine, block_costs_predict(mine, cost_LOOP, cost_MARKS), &paths[told]);
        cycles_print_details(work->session, &view, mine, printed + told);
        answers += isfinite(paths[told].cycles);
    }
    say_others(work, paths, told, count);
    return answers;
}

/* Loop by loop. Returns how many paths have an answer. */
static size_t tell_in_full(struct work *work)
{
    struct block_costs costs[isa_COUNT] = {0};
    struct loop_path *paths = work->paths.data;
    size_t answers = 0, count = work->paths.count;
    if (work->session->style.format == report_TABLE)
        cost_loops(work->session->model, &work->machines, &work->paths,
                   session_threads(work->session->invocation));
    progress_clear();
    open_json(work);
    for (size_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && paths[end].loop == paths[first].loop;)
            end++;
        answers += tell_paths(work, costs, &paths[first], end - first, first);
    }
    close_json(work);
    for (unsigned isa = 0; isa < isa_COUNT; isa++)
        if (costs[isa].costs.machine)
            block_costs_end(&costs[isa]);
    return answers;
}

static void write_json_text(FILE *out, const char *text)
{
    if (text)
        report_json_text(out, text, strlen(text));
    else
        fputs("null", out);
}

/* The table as JSON; SQL adds names and source lines to it. */
static char *table_json(const struct work *work, const struct array *runs, size_t limit)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (!stream)
        return NULL;
    putc('[', stream);
    for (size_t i = 0; i < runs->count && i < limit; i++) {
        const struct loop_run *run = ARRAY_AT(struct loop_run, runs, i);
        const struct loop_path *path = ARRAY_AT(struct loop_path, &work->paths, run->slowest);
        struct cycles_view view = view_of(work, path, run->count);
        autofree char *remark = cycles_remark(&view);
        fprintf(stream, "%s[%u,%u,", i ? "," : "", run->loop, path->instruction_count);
        if (isnan(run->cycles))
            fprintf(stream, "\"%8s\",", "-");
        else
            fprintf(stream, "\"%8.2f\",", run->cycles);
        if (run->least < run->cycles)
            fprintf(stream, "\"%8.2f\",", run->least);
        else
            fputs("null,", stream);
        write_json_text(stream, cycles_limit_word(&view));
        putc(',', stream);
        write_json_text(stream, remark);
        if (work->data != data_level_L1 && isfinite(path->cycles))
            fprintf(stream, ",\"%8.2f\"", path->cycles);
        else
            fputs(",null", stream);
        if (isfinite(path->unaligned_cycles))
            fprintf(stream, ",\"%9.2f\"", path->unaligned_cycles);
        else
            fputs(",null", stream);
        if (isfinite(path->easy_cycles))
            fprintf(stream, ",\"%5.2f-%.2f\"", path->easy_cycles, path->hard_cycles);
        else
            fputs(",null", stream);
        putc(']', stream);
    }
    putc(']', stream);
    fclose(stream);
    return text;
}

static bool print_table(struct work *work, const struct array *runs, size_t limit, struct error *error)
{
    struct session *session = work->session;
    struct report_style style = session->style;
    sqlite3_stmt *rows = NULL;
    autofree char *list = table_json(work, runs, limit);
    style.is_brief = style.short_names = true;
    bool good = session_connect(session, error);
    if (good && sqlite3_prepare_v2(session->connection, query_named(cli_queries, "cycles_of_loops"), -1,
                                   &rows, NULL) != SQLITE_OK)
        good = error_set(error, NULL, "%s", store_problem(session->connection));
    if (good) {
        sqlite3_bind_text(rows, 1, list ? list : "[]", -1, SQLITE_TRANSIENT);
        sqlite3_bind_int(rows, 2, session->style.demangle);
        putc('\n', session->out);
        good = report_rows(rows, &style, -1, session->out, NULL, error);
    }
    sqlite3_finalize(rows);
    session_disconnect(session);
    return good;
}

static void print_rows(struct work *work, const struct array *runs, size_t limit)
{
    size_t printed = 0;
    open_json(work);
    for (size_t i = 0; i < runs->count && i < limit; i++) {
        const struct loop_run *run = ARRAY_AT(struct loop_run, runs, i);
        for (size_t k = run->first; k < run->first + run->count; k++) {
            struct cycles_view view = view_of(work, ARRAY_AT(struct loop_path, &work->paths, k), run->count);
            report_cycles_row(&view, &work->session->style, !printed++, work->session->out);
        }
    }
    close_json(work);
}

/* One line per loop, the slowest first. Returns how many have an answer. */
static bool tell_in_short(struct work *work, size_t *answers, struct error *error)
{
    int64_t limit;
    if (!options_number(work->session->invocation, OPTION_LIMIT, INT64_MAX, &limit, error))
        return false;
    cost_loops(work->session->model, &work->machines, &work->paths,
               session_threads(work->session->invocation));
    progress_clear();
    struct array runs = list_runs(work);
    for (size_t i = 0; i < runs.count; i++)
        *answers += isfinite(ARRAY_AT(struct loop_run, &runs, i)->cycles);
    bool good = true;
    if (work->session->style.format == report_TABLE)
        good = print_table(work, &runs, (size_t)limit, error);
    else
        print_rows(work, &runs, (size_t)limit);
    array_free(&runs);
    return good;
}

/* Above the table: where the figures of the level come from. */
static void tell_sources(const struct work *work)
{
    for (unsigned isa = 0; isa < isa_COUNT; isa++)
        if (work->innermost.machines[isa])
            report_cycles_source(work->innermost.machines[isa], work->data, work->session->out);
}

static bool tell(struct work *work, struct error *error)
{
    size_t answers = 0;
    bool is_short = !work->innermost.is_chosen && work->innermost.loops.count > 1;
    if (work->session->style.format == report_TABLE)
        innermost_print_machines(&work->innermost);
    if (is_short && work->session->style.format == report_TABLE)
        tell_sources(work);
    if (is_short && !tell_in_short(work, &answers, error))
        return false;
    if (!is_short)
        answers = tell_in_full(work);
    if (is_short && work->session->style.format == report_TABLE)
        session_say(work->session, "--loop N shows a loop in full");
    if (answers)
        return true;
    const struct loop_path *first = ARRAY_AT(struct loop_path, &work->paths, 0);
    struct cycles_view view = view_of(work, first, 1);
    autofree char *refusal = cycles_refusal(view.model, view.machine, first);
    error_set(error, NULL, "no loop has an answer; loop %u: %s", first->loop, refusal ? refusal : "none");
    return false;
}

static void note_machines(struct work *work)
{
    for (unsigned isa = 0; isa < isa_COUNT; isa++)
        work->machines.of[isa] = work->innermost.machines[isa];
}

static bool check_levels(const struct work *work, struct error *error)
{
    for (unsigned isa = 0; isa < isa_COUNT; isa++)
        if (work->innermost.machines[isa] &&
            !cycles_check_level(work->innermost.machines[isa], work->data, error))
            return false;
    return true;
}

int cycles_of_file(struct session *session, struct error *error)
{
    struct work work = {.session = session, .paths = ARRAY_OF(struct loop_path)};
    work.innermost = (struct innermost){.session = session, .loops = ARRAY_OF(int64_t)};
    int code = session_read(session, session->invocation->operands.data, 1, needed, error) ? 0 : 2;
    if (!code)
        code = innermost_choose(&work.innermost, false, error);
    if (!code && (!cycles_data_level(session->invocation, &work.data, error) ||
                  !innermost_take_machines(&work.innermost, error) || !check_levels(&work, error)))
        code = 2;
    if (!code) {
        note_machines(&work);
        list_paths(&work.innermost, &work.paths);
        code = tell(&work, error) ? 0 : 2;
    }
    array_free(&work.paths);
    innermost_free(&work.innermost);
    return code;
}

bool cycles_store(struct session *session, struct error *error)
{
    struct model *model = session->model;
    struct work work = {.session = session, .paths = ARRAY_OF(struct loop_path)};
    work.innermost = (struct innermost){.session = session, .loops = ARRAY_OF(int64_t)};
    bool done = innermost_take_all(&work.innermost, error);
    if (done) {
        note_machines(&work);
        for (size_t i = 0; i < work.innermost.loops.count; i++)
            loop_paths_list(model, (uint32_t)*ARRAY_AT(int64_t, &work.innermost.loops, i), &work.paths);
        cost_loops(model, &work.machines, &work.paths, session_threads(session->invocation));
        cost_loops_add(model, &work.machines, &work.paths);
        progress_clear();
    }
    array_free(&work.paths);
    innermost_free(&work.innermost);
    return done;
}
