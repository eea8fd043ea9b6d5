/* docs/ledger.md: every table of the ledger, from the definitions that the program uses, and questions that
   can be asked of them (ledger_questions.sql). */
#include "cli/queries.h"
#include "cli/words.h"
#include "ledger/ledger.h"

#include <string.h>

static void write_cell(FILE *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '|')
            putc('\\', out);
        putc(*text, out);
    }
}

static void write_table(FILE *out, const struct ledger_table *table)
{
    fprintf(out, "\n### %s\n\n%s%s\n\n| column | type | meaning |\n| --- | --- | --- |\n", table->name,
            table->doc, strchr(".?!", table->doc[strlen(table->doc) - 1]) ? "" : ".");
    for (unsigned i = 0; i < table->count; i++) {
        static const char *const types[][2] = {{"INTEGER", "integer"}, {"REAL", "real"}, {"TEXT", "text"}};
        const char *type = table->columns[i].type;
        for (unsigned k = 0; k < sizeof types / sizeof *types; k++)
            if (!strcmp(type, types[k][0]))
                type = types[k][1];
        fprintf(out, "| `%s` | %s | ", table->columns[i].name, type);
        write_cell(out, table->columns[i].doc);
        fputs(" |\n", out);
    }
}

void reference_write_ledger(FILE *out)
{
    fputs(
        "# The ledger\n\n"
        "Made by `assay generate ledger` from `src/ledger/tables.def`: do not edit it here.\n\n"
        "`assay predict` and `assay schedule` keep what they learn, decide and do in one file that grows "
        "from run "
        "to run: an SQLite database in WAL mode. It is `--ledger FILE`, else `$ASSAY_LEDGER`, else "
        "`assay/ledger.db` in your data folder (`$XDG_DATA_HOME`, or `~/.local/share`). Any number of "
        "commands may "
        "read it and add to it at once; only one scheduler runs on it at a time. A command that is killed "
        "loses at "
        "most what it had not yet stored.\n\n"
        "`assay sql LEDGER` asks it, and so does any other SQLite client. Times are seconds since 1970 (of a "
        "simulated cluster: since the beginning of the simulation), durations are seconds. NULL means "
        "unknown or "
        "not applicable. To forget everything, delete the file while nothing uses it.\n\n## Questions\n",
        out);
    for (const struct query *question = ledger_questions; question->name; question++)
        fprintf(out, "\n### %s\n\n%s:\n\n```sql\n%s;\n```\n", question->title, question->note, question->sql);
    fputs("\n## Tables\n\n| table | contents |\n| --- | --- |\n", out);
    for (unsigned i = 0; i < ledger_table_count; i++)
        fprintf(out, "| [%s](#%s) | %s |\n", ledger_tables[i].name, ledger_tables[i].name,
                ledger_tables[i].doc);
    for (unsigned i = 0; i < ledger_table_count; i++)
        write_table(out, &ledger_tables[i]);
}
