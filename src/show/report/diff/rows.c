/* For programs: every loop that differs, or every function, and the total. */
#include "base/text.h"
#include "show/report/common/loop_place.h"
#include "show/report/common/row_writer.h"
#include "show/report/diff/diff.h"

#include <math.h>
#include <stdlib.h>

static const char *const verdict_words[] = {"slower",  "faster",  "depends", "added",
                                            "removed", "unknown", "same"};
static const char *const way_words[] = {"none", "name", "code", "calls", "shape", "copy"};
static const char *const unit_names[] = {NULL, "source iteration", "old iteration", "iteration"};

static void write_side(struct row_writer *writer, const struct diff_view *view,
                       const struct loop_change *change, int side)
{
    uint32_t loop = change->match.rows[side];
    static const char *const names[][7] = {{"old_loop", "old_function", "old_place", "old_cycles",
                                            "old_vector_bits", "old_instructions", "old_bytes"},
                                           {"new_loop", "new_function", "new_place", "new_cycles",
                                            "new_vector_bits", "new_instructions", "new_bytes"}};
    bool is_explained = loop && change->is_explained;
    const struct model *model = view ? view->comparison->sides[side].model : NULL;
    autofree char *place = model && loop ? loop_place_short(model, loop, view->directory) : NULL;
    row_id(writer, names[side][0], loop);
    row_text(writer, names[side][1],
             model && loop ? model_text(model, model_function(model, model_loop(model, loop)->function)->name)
                           : NULL);
    row_text(writer, names[side][2], place);
    row_figure(writer, names[side][3], loop ? change->cycles[side] : NAN);
    row_figure(writer, names[side][4],
               is_explained ? change->reasons[reason_VECTOR_BITS].figures[side] : NAN);
    row_figure(writer, names[side][5],
               is_explained ? change->reasons[reason_INSTRUCTIONS].figures[side] : NAN);
    row_number(writer, names[side][6], model && loop ? view->comparison->sides[side].loops[loop].bytes : NAN);
}

/* view NULL: names alone. */
static void write_row(struct row_writer *writer, const struct diff_view *view,
                      const struct loop_change *change)
{
    autofree char *reasons = view ? diff_reasons(change, view->comparison) : NULL;
    writer->is_first = true;
    row_text(writer, "verdict", view ? verdict_words[diff_verdict(view, change)] : NULL);
    row_figure(writer, "ratio", change->ratio);
    row_figure(writer, "share", change->share);
    row_figure(writer, "effect", change->effect);
    row_text(writer, "unit", unit_names[change->unit]);
    row_text(writer, "matched_by", way_words[change->match.way]);
    write_side(writer, view, change, diff_OLD);
    write_side(writer, view, change, diff_NEW);
    row_text(writer, "reasons", reasons);
}

/* NULL: of the whole program. */
static const char *name_of(const struct comparison *comparison, const struct diff_match *match, int side)
{
    if (!match || !match->rows[side])
        return NULL;
    const struct model *model = comparison->sides[side].model;
    return model_text(model, model_function(model, match->rows[side])->name);
}

static const char *verdict_of(const struct diff_match *match)
{
    if (!match)
        return "total";
    if (!match->rows[diff_OLD])
        return "added";
    return !match->rows[diff_NEW] ? "removed" : match->is_same ? "same" : "changed";
}

/* view NULL: names alone. */
static void write_total(struct row_writer *writer, const struct diff_view *view,
                        const struct diff_match *match, const struct change_total *total)
{
    bool is_function = view && match;
    writer->is_first = true;
    row_text(writer, "verdict", verdict_of(match));
    row_text(writer, "matched_by", match ? way_words[match->way] : NULL);
    row_text(writer, "old_function", is_function ? name_of(view->comparison, match, diff_OLD) : NULL);
    row_text(writer, "new_function", is_function ? name_of(view->comparison, match, diff_NEW) : NULL);
    row_figure(writer, "share", total->share);
    row_figure(writer, "effect", total->effect);
    row_integer(writer, "slower_loops", (int64_t)total->slower);
    row_integer(writer, "faster_loops", (int64_t)total->faster);
    row_integer(writer, "old_instructions", (int64_t)total->instructions[diff_OLD]);
    row_integer(writer, "new_instructions", (int64_t)total->instructions[diff_NEW]);
    row_integer(writer, "old_bytes", (int64_t)total->bytes[diff_OLD]);
    row_integer(writer, "new_bytes", (int64_t)total->bytes[diff_NEW]);
}

static void write_csv(const struct diff_view *view, const struct array *functions,
                      const struct change_total *total, bool by_function, FILE *out)
{
    struct row_writer writer = {.out = out, .is_head = true};
    static const struct loop_change empty = {.ratio = 0};
    if (by_function)
        write_total(&writer, NULL, NULL, total);
    else
        write_row(&writer, NULL, &empty);
    fputs("\r\n", out);
    writer.is_head = false;
    if (by_function) {
        write_total(&writer, view, NULL, total);
        fputs("\r\n", out);
    }
    size_t count = by_function ? functions->count : view->changes->count;
    for (size_t i = 0; i < count; i++) {
        const struct function_change *function =
            by_function ? ARRAY_AT(struct function_change, functions, i) : NULL;
        if (function)
            write_total(&writer, view, function->match, &function->total);
        else
            write_row(&writer, view, ARRAY_AT(struct loop_change, view->changes, i));
        fputs("\r\n", out);
    }
}

static void write_json(const struct diff_view *view, const struct array *functions,
                       const struct change_total *total, FILE *out)
{
    struct row_writer writer = {.out = out, .is_json = true};
    fputs("{\"total\": {", out);
    write_total(&writer, view, NULL, total);
    fputs("},\n\"functions\": [", out);
    for (size_t i = 0; i < functions->count; i++) {
        const struct function_change *function = ARRAY_AT(struct function_change, functions, i);
        fputs(i ? "},\n {" : "{", out);
        write_total(&writer, view, function->match, &function->total);
    }
    fprintf(out, "%s],\n\"loops\": [", functions->count ? "}" : "");
    for (size_t i = 0; i < view->changes->count; i++) {
        fputs(i ? "},\n {" : "{", out);
        write_row(&writer, view, ARRAY_AT(struct loop_change, view->changes, i));
    }
    fprintf(out, "%s]}\n", view->changes->count ? "}" : "");
}

void report_diff_rows(const struct diff_view *view, bool by_function, const struct report_style *style,
                      FILE *out)
{
    struct array functions = changes_of_functions(view->comparison, view->changes, view->threshold);
    struct change_total total = changes_total(view->comparison, view->changes, view->threshold);
    if (style->format == report_JSON)
        write_json(view, &functions, &total, out);
    else
        write_csv(view, &functions, &total, by_function, out);
    array_free(&functions);
}
