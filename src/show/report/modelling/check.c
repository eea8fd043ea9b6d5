/* A model file's mistakes; or, if it has none, what it has. */
#include "show/report/common/row_writer.h"
#include "show/report/common/text.h"
#include "show/report/modelling/model_view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void write_problem(struct row_writer *row, const struct language_problem *problem)
{
    row_text(row, "file", problem ? problem->file : NULL);
    row_integer(row, "line", problem ? problem->line : 0);
    row_integer(row, "column", problem ? problem->column : 0);
    row_text(row, "problem", problem ? problem->text : NULL);
}

static void print_rows(const struct array *problems, bool is_json, FILE *out)
{
    struct row_table table = row_begin_table(out, is_json, true);
    if (row_begin_head(&table))
        write_problem(&table.row, NULL);
    for (size_t i = 0; i < problems->count; i++) {
        row_begin_row(&table);
        write_problem(&table.row, ARRAY_AT(struct language_problem, problems, i));
    }
    row_end_table(&table);
}

static void print_safe(FILE *out, const char *text)
{
    text_print_safe(text, strlen(text), out);
}

static void print_parameters(const struct language_model *model, FILE *out)
{
    struct array parameters = language_parameters(model);
    for (size_t i = 0; i < parameters.count; i++) {
        const struct language_parameter *one = ARRAY_AT(struct language_parameter, &parameters, i);
        fputs(i ? "" : "parameters (--set NAME=VALUE):\n", out);
        fputs("  ", out);
        print_safe(out, one->name);
        if (isnan(one->value))
            fprintf(out, ": no value yet%s%s", *one->unit ? ", in " : "", one->unit);
        else
            fprintf(out, " = %.6g%s%s", one->value, *one->unit ? " " : "", one->unit);
        fputs(one->is_free ? ", free" : "", out);
        if (one->says) {
            fputs("    ", out);
            print_safe(out, one->says);
        }
        fputs("\n", out);
    }
    array_free(&parameters);
}

void report_model_check(const struct language_model *model, const char *path,
                        const struct report_style *style, FILE *out)
{
    const struct array *problems = language_problems(model);
    if (style->format != report_TABLE) {
        print_rows(problems, style->format == report_JSON, out);
        return;
    }
    for (size_t i = 0; i < problems->count; i++) {
        const struct language_problem *problem = ARRAY_AT(struct language_problem, problems, i);
        print_safe(out, problem->file);
        fprintf(out, ":%u:%u: ", problem->line, problem->column);
        print_safe(out, problem->text);
        fputs("\n", out);
    }
    if (problems->count) {
        fprintf(out, "%zu mistake%s\n", problems->count, problems->count == 1 ? "" : "s");
        return;
    }
    print_safe(out, path);
    fputs(": no mistakes", out);
    if (language_application(model)) {
        fputs("; application ", out);
        print_safe(out, language_application(model));
        fputs(language_communicates(model) ? ", which needs a network" : "", out);
    }
    fputs("\n", out);
    print_parameters(model, out);
}
