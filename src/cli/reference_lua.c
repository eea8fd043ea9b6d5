/* docs/lua-reference.md: what a script may call, from the tables that the program registers. */
#include "cli/words.h"
#include "script/script.h"

#include <string.h>

static bool is_table(const char *gives)
{
    return strcmp(gives, "ROWS") != 0;
}

void reference_write_lua(FILE *out)
{
    fputs("# What scripts can call\n\n"
          "Made by `assay generate lua` from src/script/calls.def and methods.def. [Scripts](lua.md) is the "
          "guide.\n\n"
          "## Functions of assay\n\n| call | gives | |\n| --- | --- | --- |\n",
          out);
    const char *last = NULL;
    for (unsigned i = 0; i < script_entry_count; i++) {
        const struct script_entry *entry = &script_entries[i];
        if (!entry->of) {
            fprintf(out, "| `assay.%s(%s)` | %s | %s |\n", entry->name, entry->arguments, entry->gives,
                    entry->doc);
            continue;
        }
        if (!last)
            fputs("\nBeside them: `assay.arguments` (the words after --), `assay.parameters` (values of "
                  "--set, and an "
                  "analysis's own), `assay.selected` (`function_`, `loop`, `block`, `program`: ids that "
                  "options "
                  "selected).\n\n## Methods of rows\n\n"
                  "Every row of a table has `row:the(column)`: the row that a column refers to. Fields are "
                  "the columns of "
                  "[tables](tables.md).\n",
                  out);
        if (!last || strcmp(last, entry->of))
            fprintf(out, "\n### %s\n\n| method | gives | |\n| --- | --- | --- |\n", entry->of);
        last = entry->of;
        fprintf(out, "| `row:%s()` | %s%s | %s |\n", entry->name,
                is_table(entry->gives) ? "rows of " : "plain rows",
                is_table(entry->gives) ? entry->gives : "", entry->doc);
    }
}
