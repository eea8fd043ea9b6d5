/* docs/tables.md: every table, view and enumeration, from the definitions that the program uses. */
#include "cli/words.h"
#include "model/tables.h"

#include <string.h>

/* A cell of a Markdown table. */
static void write_cell(FILE *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '|')
            putc('\\', out);
        putc(*text, out);
    }
}

static const char *type_word(const struct table_column *column)
{
    switch (column->type) {
    case COLUMN_TEXT:
    case COLUMN_ENUM:
        return "text";
    case COLUMN_BYTES:
        return "blob";
    case COLUMN_ADDRESS:
        return "address";
    case COLUMN_FLAG:
        return "0 or 1";
    case COLUMN_REAL:
        return "real";
    case COLUMN_VIRTUAL:
        return "computed";
    default:
        return "integer";
    }
}

static void write_column(FILE *out, const struct table_column *column)
{
    fprintf(out, "| `%s` | ", column->name);
    if (column->type == COLUMN_REF)
        fprintf(out, "[%s](#%s)", column->refers_to->name, column->refers_to->name);
    else if (column->vocabulary)
        fprintf(out, "[%s](#words-of-%s)", column->vocabulary->name, column->vocabulary->name);
    else
        fputs(type_word(column), out);
    fprintf(out, " | ");
    write_cell(out, column->doc);
    if (column->type == COLUMN_VIRTUAL && !column->vocabulary) {
        fputs(" (`", out);
        write_cell(out, column->sql);
        fputs("`)", out);
    }
    fputs(" |\n", out);
}

static void write_table(FILE *out, const struct table_description *table)
{
    fprintf(out, "\n### %s\n\n%s.\n\n", table->name, table->doc);
    if (table->key)
        fprintf(out, "Rows have no id; `%s` name one.\n\n", table->key);
    fputs("| column | type | meaning |\n| --- | --- | --- |\n", out);
    if (!table->key)
        fputs("| `id` | integer | id of the row |\n", out);
    for (unsigned i = 0; i < table->column_count; i++)
        write_column(out, &table->columns[i]);
    bool is_first = true;
    for (unsigned i = 0; i < table->column_count; i++) {
        if (!table->columns[i].is_indexed)
            continue;
        fprintf(out, "%s`%s`", is_first ? "\nIndexed by " : ", ", table->columns[i].name);
        is_first = false;
    }
    fputs(is_first ? "" : ".\n", out);
}

/* Views: the comment line before each, its name, its text. */
static void write_views(FILE *out)
{
    const char *comment = NULL;
    for (const char *line = views_sql; *line;) {
        size_t length = strcspn(line, "\n");
        if (!strncmp(line, "-- ", 3)) {
            comment = line + 3;
        } else if (!strncmp(line, "create view ", 12)) {
            const char *end = strstr(line, ";\n");
            int size = end ? (int)(end - line) + 1 : (int)strlen(line);
            fprintf(out, "\n### %.*s\n\n", (int)strcspn(line + 12, " \n"), line + 12);
            if (comment)
                fprintf(out, "%.*s.\n\n", (int)strcspn(comment, "\n"), comment);
            fprintf(out, "```sql\n%.*s\n```\n", size, line);
            comment = NULL;
            line += size;
            continue;
        }
        line += length + (line[length] == '\n');
    }
}

static void write_vocabularies(FILE *out)
{
    for (unsigned i = 0; i < enumeration_count; i++) {
        const struct enumeration_description *enumeration = enumeration_descriptions[i];
        fprintf(out, "\n### Words of %s\n\n%s.\n\n| word | meaning |\n| --- | --- |\n", enumeration->name,
                enumeration->doc);
        for (unsigned k = 0; k < enumeration->count; k++) {
            fprintf(out, "| %s | ", enumeration->words[k]);
            write_cell(out, enumeration->docs[k]);
            fputs(" |\n", out);
        }
    }
}

void reference_write_tables(FILE *out)
{
    fputs("# The tables\n\n"
          "Made by `assay generate tables` from `src/model/tables.def`, `enums.def` and `views.sql`: do not "
          "edit it here.\n\n"
          "A database written by `assay db` has these tables and views; `assay sql` offers the same ones for "
          "a binary. Ids count from 1; NULL means unknown or not applicable. Addresses are integers "
          "(`printf('0x%x', address)` shows them as usual); addresses from 2^63 on are negative, because "
          "SQLite's integers are signed.\n\n## Tables\n\n| table | contents |\n| --- | --- |\n",
          out);
    for (unsigned i = 0; i < table_count; i++)
        fprintf(out, "| [%s](#%s) | %s |\n", table_descriptions[i].name, table_descriptions[i].name,
                table_descriptions[i].doc);
    for (unsigned i = 0; i < table_count; i++)
        write_table(out, &table_descriptions[i]);
    fputs("\n## Views\n", out);
    write_views(out);
    fputs("\n## Vocabularies\n", out);
    write_vocabularies(out);
}
