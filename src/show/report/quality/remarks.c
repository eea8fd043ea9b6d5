/* What the compiler recorded about a loop (-fsave-optimization-record), beside what Assay found in its code.

   A reason is given in the compiler's own words, and then in plain ones: what kind of reason it is. Where the
   record and the code disagree, that is said instead, because then one of them is not what its reader thinks:
   the record is of another compilation, the vectors are the source's own, or the loop that runs is not the one
   that was vectorised. */
#include "show/report/quality/remarks.h"

static bool is_disagreement(const struct compiler_remark *row)
{
    return row->agreement == remark_agreement_NO_VECTORS || row->agreement == remark_agreement_HAS_VECTORS;
}

/* A database may be anybody's: its rows need not have a text. */
static const char *compiler_of(const struct model *model, const struct compiler_remark *row)
{
    const char *text = model_text(model, row->compiler);
    return text ? text : "A compiler";
}

/* ": control flow in loop (line 18)" */
static void say_words(FILE *out, const struct model *model, const struct compiler_remark *row)
{
    const char *text = model_text(model, row->text);
    if (text)
        fprintf(out, ": %s", text);
    if (row->reason_line)
        fprintf(out, " (line %u)", row->reason_line);
    fputs(".", out);
}

static void say_missed(FILE *out, const struct model *model, const struct compiler_remark *row)
{
    fprintf(out, "%s did not vectorise it", compiler_of(model, row));
    say_words(out, model, row);
    if (row->agreement == remark_agreement_HAS_VECTORS)
        fputs(
            " The code disagrees: it computes with vectors. They may be the source's own (intrinsics, types of "
            "vectors) or statements that the compiler put into vectors without a remark, or the record is of "
            "another compilation.",
            out);
    else if (row->reason != remark_reason_NONE && row->reason != remark_reason_OTHER)
        fprintf(out, " That is: %s.", remark_reason_doc(row->reason));
}

static void say_vectorised(FILE *out, const struct model *model, const struct compiler_remark *row)
{
    const char *compiler = compiler_of(model, row);
    if (row->agreement == remark_agreement_REST) {
        fprintf(out, "%s vectorised the loop at line %u; the vectors are in another loop made from it.",
                compiler, row->line);
        return;
    }
    fprintf(out, "%s vectorised it", compiler);
    say_words(out, model, row);
    if (row->agreement == remark_agreement_NO_VECTORS)
        fputs(
            " The code disagrees: no loop made from these lines computes with vectors. Either their numbers "
            "are added one by one, because the order of a floating-point sum must stay, or the record is of "
            "another compilation.",
            out);
}

bool quality_say_remarks(FILE *out, const struct quality_rows *rows)
{
    for (size_t i = 0; i < rows->remark_count; i++) {
        const struct compiler_remark *row = &rows->remarks[i];
        if (i)
            putc(' ', out);
        if (row->verdict == remark_verdict_MISSED) {
            say_missed(out, rows->model, row);
        } else if (row->verdict == remark_verdict_VECTORISED) {
            say_vectorised(out, rows->model, row);
        } else {
            fprintf(out, "%s put statements of it into vectors", compiler_of(rows->model, row));
            say_words(out, rows->model, row);
        }
    }
    return rows->remark_count > 0;
}

bool quality_say_records(FILE *out, const struct quality_view *view)
{
    const struct model *model = view->model;
    size_t vectorised = 0, missed = 0, disagreeing = 0;
    uint32_t first = 0;
    for (size_t i = 0; i < view->analysed_count; i++) {
        struct quality_rows rows;
        quality_rows_find(&rows, model, view->loops[i]);
        if (!rows.remark_count)
            continue;
        vectorised += rows.remarks->verdict == remark_verdict_VECTORISED;
        missed += rows.remarks->verdict == remark_verdict_MISSED;
        disagreeing += is_disagreement(rows.remarks);
        if (is_disagreement(rows.remarks) && (!first || view->loops[i] < first))
            first = view->loops[i];
    }
    if (!vectorised && !missed)
        return false;
    fprintf(out, "the compiler's records say that %zu of these loops %s vectorised and %zu %s not",
            vectorised, vectorised == 1 ? "was" : "were", missed, missed == 1 ? "was" : "were");
    if (disagreeing)
        fprintf(out, "; the code of %zu disagrees: loop %u%s", disagreeing, first,
                disagreeing > 1 ? " and others" : "");
    return true;
}
