/* For programs: every loop that differs. */
#include "base/text.h"
#include "report/common/loop_place.h"
#include "report/common/row_writer.h"
#include "report/diff/diff.h"

#include <math.h>
#include <stdlib.h>

static const char *const verdict_words[] = {"slower",  "faster",  "depends", "added",
                                            "removed", "unknown", "same"};
static const char *const way_words[] = {"none", "name", "code", "calls", "shape", "copy"};
static const char *const unit_names[] = {NULL, "source iteration", "old iteration", "iteration"};

static void write_side(struct row_writer *writer, const struct diff_view *view,
                       const struct loop_change *change, int side)
{
    static const char *const names[][6] = {
        {"old_loop", "old_function", "old_place", "old_cycles", "old_vector_bits", "old_instructions"},
        {"new_loop", "new_function", "new_place", "new_cycles", "new_vector_bits", "new_instructions"}};
    const struct model *model = view ? view->comparison->sides[side].model : NULL;
    uint32_t loop = change->match.rows[side];
    char *place = model && loop ? loop_place_short(model, loop, NULL) : NULL;
    row_id(writer, names[side][0], loop);
    row_text(writer, names[side][1],
             model && loop ? model_text(model, model_function(model, model_loop(model, loop)->function)->name)
                           : NULL);
    row_text(writer, names[side][2], place);
    row_figure(writer, names[side][3], loop ? change->cycles[side] : NAN);
    row_figure(writer, names[side][4], loop ? change->reasons[reason_VECTOR_BITS].figures[side] : NAN);
    row_figure(writer, names[side][5], loop ? change->reasons[reason_INSTRUCTIONS].figures[side] : NAN);
    free(place);
}

/* view NULL: names alone. */
static void write_row(struct row_writer *writer, const struct diff_view *view,
                      const struct loop_change *change)
{
    char *reasons = view ? diff_reasons(change, view->comparison) : NULL;
    writer->is_first = true;
    row_text(writer, "verdict", view ? verdict_words[diff_verdict(view, change)] : NULL);
    row_figure(writer, "ratio", change->ratio);
    row_figure(writer, "share", change->share);
    row_figure(writer, "effect", change->effect);
    row_text(writer, "unit", unit_names[change->unit]);
    row_text(writer, "matched_by", way_words[change->match.way]);
    write_side(writer, view, change, compare_OLD);
    write_side(writer, view, change, compare_NEW);
    row_text(writer, "reasons", reasons);
    free(reasons);
}

void report_diff_rows(const struct diff_view *view, const struct report_style *style, FILE *out)
{
    bool is_json = style->format == report_JSON;
    struct row_writer writer = {.out = out, .is_json = is_json, .is_head = !is_json};
    static const struct loop_change empty = {.ratio = 0};
    if (!is_json) {
        write_row(&writer, NULL, &empty);
        fputs("\r\n", out);
        writer.is_head = false;
    } else {
        fputs("[", out);
    }
    for (size_t i = 0; i < view->changes->count; i++) {
        if (is_json)
            fputs(i ? "},\n {" : "{", out);
        write_row(&writer, view, ARRAY_AT(struct loop_change, view->changes, i));
        if (!is_json)
            fputs("\r\n", out);
    }
    if (is_json)
        fputs(view->changes->count ? "}]\n" : "]\n", out);
}
