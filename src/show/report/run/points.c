/* Single instructions that take much of the time: where they are, what they are, and the usual cure.

   The source line is read when it is shown; where it cannot be read, or there is no debug information, the
   place is an address and the sentence does without. */
#include "show/report/run/parts.h"

#include "base/path.h"
#include "model/tables.h"
#include "run/measure/gap.h"
#include "run/points/points.h"
#include "show/report/common/share.h"
#include "show/report/common/short_name.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_WIDTH = 40, SOURCE_LENGTH = 160 };
static const double LEAST_CYCLES = 10; /* a lower limit below that says nothing */

const struct run_point *run_points_of(const struct run_report *report, size_t *count)
{
    return run_rows(&report->model->run_points, report->view->run, count);
}

/* Where the nearest body around an instruction was inlined in the file of its function, if its own line is in
   another one; NULL: no such place.  A database may hold anything, or lack the code. */
static const struct inlined_call *own_call(const struct model *model, const struct run_point *point)
{
    enum { MOST_CALLS = 200 };
    uint32_t line = point->instruction < model->code.count
                        ? model_instruction(model, point->instruction)->source_line
                        : 0;
    uint32_t call =
        line && line < model->source_lines.count ? model_source_line(model, line)->inlined_call : 0;
    uint32_t own =
        point->function < model->functions.count ? model_function(model, point->function)->file : 0;
    for (unsigned i = 0;
         i < MOST_CALLS && own && own != point->source && call < model->inlined_calls.count && call; i++) {
        const struct inlined_call *row = model_inlined_call(model, call);
        if (row->call_file == own && row->call_line)
            return row;
        call = row->parent;
    }
    return NULL;
}

/* "solve.c:40", "vector.h:60, inlined at solve.c:40", "solve 0x11a0". */
static char *place_of(const struct run_report *report, const struct run_point *point)
{
    const struct model *model = report->model;
    char *place = run_line_place(report, point->source, point->line);
    const struct inlined_call *call = place ? own_call(model, point) : NULL;
    if (call) {
        autofree char *inner = place, *outer = run_line_place(report, call->call_file, call->call_line);
        return memory_format("%s, inlined at %s", inner, outer ? outer : "?");
    }
    if (place)
        return place;
    uint32_t program =
        point->function < model->functions.count ? model_function(model, point->function)->program : 0;
    const char *path =
        program < model->programs.count ? model_text(model, model_program(model, program)->path) : NULL;
    return memory_format("%s 0x%llx", path ? path_name(path) : "address", (unsigned long long)point->address);
}

char *run_point_heading(const struct run_report *report, const struct run_point *point)
{
    autofree char *place = place_of(report, point), *name = run_name(report, point->function, 0);
    autofree char *shorter = name_shorten(name, NAME_WIDTH, !report->is_plain);
    autofree char *share = run_share(report, point->share, run_error(point->samples));
    autofree char *part = phrase_share(fmin(point->part, 1));
    bool has_loops = point->function < report->model->functions.count &&
                     model_function(report->model, point->function)->loop_count;
    autofree char *whose = point->loop ? memory_format("of loop %u's", point->loop)
                           : has_loops ? memory_format("of the function's outside its loops")
                                       : memory_format("of the function's own");
    return memory_format("%s in %s: %s of the time, %s %s", place, shorter, share, part, whose);
}

char *run_point_source(const struct run_report *report, const struct run_point *point)
{
    const struct model *model = report->model;
    const struct quality_view *quality = &report->view->quality;
    const char *path = point->source && point->source < model->files.count
                           ? model_text(model, model_file(model, point->source)->path)
                           : NULL;
    struct places places;
    size_t length = 0;
    if (!path || !point->line)
        return NULL;
    places_take(&places, model, quality->demangle, quality->trust);
    const char *text = places_source(&places, path, point->line, &length);
    char *line = text && length
                     ? memory_copy_text(text, length < SOURCE_LENGTH ? length : (size_t)SOURCE_LENGTH)
                     : NULL;
    places_free(&places);
    return line;
}

/* "a load of e->key (struct entry)". */
static char *what(const struct run_report *report, const struct run_point *point)
{
    const struct model *model = report->model;
    const char *name = points_text((enum point_kind)point->kind)->name;
    const char *data = model_text(model, point->data), *type = model_text(model, point->type);
    bool is_load = point->kind == point_kind_LOAD || point->kind == point_kind_CHAIN;
    if (!data)
        return memory_format("%s", name);
    return memory_format("%s %s %s%s%s%s", name, is_load && point->kind == point_kind_LOAD ? "of" : "at",
                         data, type ? " (" : "", type ? type : "", type ? ")" : "");
}

/* ", at least 37 cycles each time"; empty: unknown. */
static char *say_cycles(const struct run_point *point)
{
    if (isfinite(point->cycles) && !point->is_least) {
        autofree char *cycles = run_figure(point->cycles);
        return memory_format(", %s cycles each time", cycles);
    }
    if (isfinite(point->misses))
        return memory_format(", guessed wrong %s %% of the time", share_words(point->misses).text);
    if (isfinite(point->cost)) {
        autofree char *cost = run_figure(point->cost);
        return memory_format(", %s cycles by the model", cost);
    }
    if (point->cycles >= LEAST_CYCLES)
        return memory_format(", at least %.0f cycles each time", floor(point->cycles));
    return memory_format("%s", "");
}

/* The change of the list above that says the same; 0: none. */
static size_t change_like(const struct run_report *report, const struct run_point *point)
{
    static const struct {
        enum point_kind kind;
        const char *rule;
    } same[] = {{point_kind_DIVISION, "integer-division"},
                {point_kind_FLOAT_DIVISION, "divider"},
                {point_kind_ROOT, "divider"},
                {point_kind_ATOMIC, "atomics"},
                {point_kind_CALL, "indirect-call"},
                {point_kind_BRANCH, "unpredictable-branch"}};
    for (size_t i = 0; i < report->changes.count; i++) {
        const struct run_change *change = ARRAY_AT(struct run_change, &report->changes, i);
        if (change->loop != point->loop || change->cause || !change->saving)
            continue;
        const struct advice *advice = model_advice(report->model, change->saving->advice);
        const char *rule = model_text(report->model, model_rule_row(report->model, advice->rule)->name);
        for (size_t k = 0; rule && k < sizeof same / sizeof *same; k++)
            if (same[k].kind == point->kind && !strcmp(same[k].rule, rule))
                return i + 1;
    }
    return 0;
}

/* What to do, and what that would save at most. */
static char *say_cure(const struct run_report *report, const struct run_point *point)
{
    const struct point_text *text = points_text((enum point_kind)point->kind);
    size_t change = change_like(report, point);
    if (change)
        return memory_format("What to change: number %zu above.", change);
    if (point->kind == point_kind_BRANCH)
        return memory_format("%s", gap_branch_remedy(gap_branch_cure(report->model, point->instruction)));
    if (!(point->saving > 0))
        return memory_format("%s", text->remedy);
    autofree char *saved = phrase_share(point->saving);
    return memory_format("%s A multiplication in its place would save up to %s of the whole run.",
                         text->remedy, saved);
}

char *run_say_point(const struct run_report *report, const struct run_point *point)
{
    const struct point_text *text = points_text((enum point_kind)point->kind);
    autofree char *subject = what(report, point), *cycles = say_cycles(point),
                  *cure = say_cure(report, point);
    bool is_open = point->certainty == gap_certainty_POSSIBLE && text->open;
    const char *how = report->run->has_second_run ? ". " : ": --measure counts cycles. ";
    return memory_format("At or just after %s%s. %s %s%s%s", subject, cycles, text->finding,
                         is_open ? text->open : "", is_open ? how : "", cure);
}
