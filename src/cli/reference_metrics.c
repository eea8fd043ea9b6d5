/* docs/metrics.md: every metric of assay report in a sentence, from the table that holds them. */
#include "cli/words.h"
#include "report/quality/metrics.h"

void reference_write_metrics(FILE *out)
{
    struct array columns = quality_columns();
    fputs(
        "# Metrics\n\n"
        "Made by `assay generate metrics` from `loop_metrics` in `src/model/tables.def`: do not edit it "
        "here.\n\n"
        "Figures of one iteration of an innermost loop along one path, with the data in the first-level "
        "cache. "
        "They are the columns of `loop_metrics` in SQL and of `assay report --csv`, and the members of "
        "`metrics` "
        "in `assay report --json` ([report.md](report.md)). NULL, an empty field or `null` is what cannot be "
        "told.\n",
        out);
    for (size_t i = 0; i < columns.count; i++) {
        const struct quality_column *it = ARRAY_AT(struct quality_column, &columns, i);
        const char *group = quality_group(it);
        if (group)
            fprintf(out, "\n## %s\n\n| metric | what it says |\n| --- | --- |\n", group);
        fprintf(out, "| `%s` | %s |\n", it->column->name, it->column->doc);
    }
    array_free(&columns);
}
