/* docs/metrics.md: every metric of assay report in a sentence, from the table that holds them. */
#include "cli/words.h"
#include "show/report/quality/metrics.h"

void reference_write_metrics(FILE *out)
{
    struct quality_columns columns = quality_columns();
    fputs(
        "# Metrics\n\n"
        "Made by `assay generate metrics` from `loop_metrics` in `src/model/tables.def`: do not edit it "
        "here.\n\n"
        "Figures of one iteration of an innermost loop along one path, with the data in the L1 "
        "cache. "
        "They are the columns of `loop_metrics` in SQL and of `assay report --csv`, and the members of "
        "`metrics` "
        "in `assay report --json` ([report.md](report.md)). NULL, an empty field or `null` means unknown.\n",
        out);
    for (const struct table_column *it = columns.first; it < columns.end; it++) {
        if (it->group)
            fprintf(out, "\n## %s\n\n| metric | meaning |\n| --- | --- |\n", it->group);
        fprintf(out, "| `%s` | %s |\n", it->name, it->doc);
    }
}
