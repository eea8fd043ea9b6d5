/* For programs: as json an object for each loop, with its finalists; as csv a row for each finalist. */
#include "show/report/common/row_writer.h"
#include "show/report/common/rows.h"
#include "show/report/optimise/optimise.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct search_finalist *finalist_at(const struct search_answer *answer, size_t place)
{
    return ARRAY_AT(struct search_finalist, &answer->finalists, place);
}

/* The figures of a finalist; NULL: names alone. */
static void write_finalist(struct row_writer *writer, const struct optimised *search,
                           const struct search_finalist *finalist)
{
    static const struct search_finalist none = {0};
    autofree char *change = finalist ? optimise_change(&search->choices, &finalist->variant) : NULL;
    autofree char *flags = finalist ? optimise_flags(&search->choices, &finalist->variant) : NULL;
    autofree char *variant = finalist ? variant_text(&search->choices, &finalist->variant) : NULL;
    const struct search_finalist *row = finalist ? finalist : &none;
    bool is_timed = row->is_measured && row->result.seconds > 0;
    autofree char *accepted_by = row->is_measured ? optimise_accepted_by(&row->result) : NULL;
    row_text(writer, "change", change);
    row_text(writer, "flags", flags);
    row_text(writer, "variant", variant);
    row_text(writer, "code", row->judgement.digest);
    bool has_cycles = finalist && !row->judgement.is_rough;
    row_figure(writer, "cycles", has_cycles ? row->judgement.cycles : NAN);
    row_figure(writer, "entry_cycles", has_cycles ? row->judgement.entry_cycles : NAN);
    row_number(writer, "iterations", row->judgement.iterations);
    row_id(writer, "rank", row->rank);
    row_flag(writer, "is_usual", row->is_usual);
    row_flag(writer, "is_neighbour", row->is_neighbour);
    row_text(writer, "results", row->is_measured ? optimise_verdict(row->result.verdict) : NULL);
    row_number(writer, "seconds", is_timed ? row->result.seconds : NAN);
    row_number(writer, "spread", is_timed ? row->result.spread : NAN);
    row_number(writer, "original_seconds", is_timed ? row->result.original_seconds : NAN);
    row_number(writer, "ratio", is_timed ? row->ratio : NAN);
    row_number(writer, "largest_error", row->is_measured ? row->result.largest_error : NAN);
    row_number(writer, "largest_ulps", row->is_measured ? row->result.largest_ulps : NAN);
    row_text(writer, "accepted_by", accepted_by);
    row_text(writer, "where", row->result.where);
    row_text(writer, "problem", row->problem ? row->problem : row->judgement.problem);
}

static void write_texts(struct row_writer *writer, const char *name, const struct array *texts)
{
    row_begin(writer, name);
    fputs("[", writer->out);
    for (size_t i = 0; i < texts->count; i++) {
        const char *text = *ARRAY_AT(const char *, texts, i);
        if (i)
            fputs(", ", writer->out);
        report_json_text(writer->out, text, strlen(text));
    }
    fputs("]", writer->out);
}

static void write_object(struct row_writer *writer, const char *name, const struct optimised *search,
                         const struct search_finalist *finalist)
{
    row_begin(writer, name);
    fputs("{", writer->out);
    writer->is_first = true;
    write_finalist(writer, search, finalist);
    fputs("}", writer->out);
    writer->is_first = false;
}

static void write_search(struct row_writer *writer, const struct optimised *search)
{
    const struct search_answer *answer = &search->answer;
    writer->is_first = true;
    row_text(writer, "compiler",
             search->compilation.compiler ? search->compilation.compiler : search->compiler);
    row_text(writer, "version", search->compilation.version);
    row_text(writer, "problem", search->problem ? search->problem : answer->problem);
    if (!search->is_done)
        return;
    row_flag(writer, "is_whole_file", search->extract.is_whole_file);
    row_integer(writer, "tried", (int64_t)answer->tried);
    row_integer(writer, "distinct", (int64_t)answer->distinct);
    row_integer(writer, "earlier", (int64_t)answer->earlier);
    row_number(writer, "search_seconds", answer->seconds);
    row_flag(writer, "is_interrupted", answer->is_interrupted);
    row_flag(writer, "is_exhausted", answer->is_exhausted);
    row_integer(writer, "usual_left", (int64_t)answer->usual_left);
    write_texts(writer, "advice", &answer->advice);
    write_object(writer, "original", search, &answer->original);
    row_begin(writer, "finalists");
    fputs("[", writer->out);
    for (size_t i = 0; i < answer->finalists.count; i++) {
        fputs(i ? ",\n   {" : "\n   {", writer->out);
        writer->is_first = true;
        write_finalist(writer, search, finalist_at(answer, i));
        fputs("}", writer->out);
    }
    fputs("]", writer->out);
    writer->is_first = false;
}

static void write_json(const struct optimise_view *view, struct row_writer *writer)
{
    const struct optimised *best = view->best != SIZE_MAX ? &view->searches[view->best] : NULL;
    const struct optimised *any = best ? best : view->count ? &view->searches[0] : NULL;
    const struct search_finalist *first = best ? finalist_at(&best->answer, 0) : NULL;
    fputs("{", writer->out);
    writer->is_first = true;
    row_text(writer, "file", any ? any->extract.source_file : NULL);
    row_id(writer, "line", any ? any->extract.source_line : 0);
    row_text(writer, "function", any ? any->extract.function : NULL);
    row_text(writer, "machine", view->machine_name);
    row_text(writer, "compiler", best ? best->compilation.compiler : NULL);
    if (first) {
        struct array risks = optimise_risks(variant_risks(&best->choices, &first->variant));
        write_object(writer, best->answer.is_measured ? "answer" : "suggestion", best, first);
        write_texts(writer, "risks", &risks);
        optimise_texts_free(&risks);
    }
    if (!first || !best->answer.is_measured)
        row_text(writer, "answer", NULL);
    if (!first || best->answer.is_measured)
        row_text(writer, "suggestion", NULL);
    row_text(writer, "patch", view->patch);
    row_number(writer, "share", view->share);
    row_number(writer, "before", view->before);
    row_number(writer, "after", view->after);
    row_text(writer, "unverified", view->unverified);
    row_text(writer, "measured", view->measured);
    row_text(writer, "not_measured", view->why_not);
    row_begin(writer, "searches");
    fputs("[", writer->out);
    for (size_t i = 0; i < view->count; i++) {
        fputs(i ? ",\n  {" : "\n  {", writer->out);
        write_search(writer, &view->searches[i]);
        fputs("}", writer->out);
    }
    fputs("]}", writer->out);
}

static void write_row(struct row_writer *writer, const struct optimised *search,
                      const struct search_finalist *finalist, bool is_winner)
{
    writer->is_first = true;
    row_text(writer, "file", search ? search->extract.source_file : NULL);
    row_id(writer, "line", search ? search->extract.source_line : 0);
    row_text(writer, "function", search ? search->extract.function : NULL);
    row_text(writer, "compiler", search ? search->compilation.compiler : NULL);
    row_flag(writer, "is_winner", is_winner);
    write_finalist(writer, search, finalist);
    fputs("\r\n", writer->out);
}

void report_optimise_rows(const struct optimise_view *view, const struct report_style *style, bool with_head,
                          FILE *out)
{
    struct row_writer writer = {.out = out, .is_json = style->format == report_JSON};
    if (writer.is_json) {
        write_json(view, &writer);
        return;
    }
    if (with_head) {
        writer.is_head = true;
        write_row(&writer, NULL, NULL, false);
        writer.is_head = false;
    }
    for (size_t i = 0; i < view->count; i++) {
        const struct optimised *search = &view->searches[i];
        if (!search->is_done)
            continue;
        write_row(&writer, search, &search->answer.original, false);
        for (size_t k = 0; k < search->answer.finalists.count; k++)
            write_row(&writer, search, finalist_at(&search->answer, k), i == view->best && !k);
    }
}
