/* What the editor completes: tables and views with their sentences and columns, functions, words of SQL and
   macros; and the rows that macros can stand for, found by a few letters. */
#include "show/ui/pages/pages.h"

#include "model/tables.h"
#include "store/problem.h"
#include "show/ui/pages/queries.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* The line of views.sql above a view; *length 0: none. */
static const char *view_sentence(const char *name, size_t *length)
{
    const char *comment = NULL;
    *length = 0;
    for (const char *line = views_sql; *line;) {
        size_t size = strcspn(line, "\n");
        if (!strncmp(line, "-- ", 3))
            comment = line + 3;
        else if (!strncmp(line, "create view ", 12)) {
            size_t word = strcspn(line + 12, " \n");
            if (comment && word == strlen(name) && !strncmp(line + 12, name, word)) {
                *length = strcspn(comment, "\n");
                return comment;
            }
            comment = NULL;
        }
        line += size + (line[size] == '\n');
    }
    return NULL;
}

static void print_sentence(FILE *out, const char *table)
{
    const struct table_description *description = table_named(table);
    size_t length = 0;
    const char *sentence = description ? NULL : view_sentence(table, &length);
    autofree char *copy = memory_copy_text(sentence ? sentence : "", length);
    ui_json_string(out, description ? description->doc : copy);
}

static const struct table_column *find_column(const char *table, const char *name)
{
    const struct table_description *description = table_named(table);
    for (unsigned i = 0; description && i < description->column_count; i++)
        if (!strcmp(description->columns[i].name, name))
            return &description->columns[i];
    return NULL;
}

/* [name, type, sentence, words] */
static void print_column(FILE *out, const char *table, const char *name, const char *declared)
{
    const struct table_column *column = find_column(table, name);
    bool is_id = !column && !strcmp(name, "id") && table_named(table);
    putc('[', out);
    ui_json_string(out, name);
    putc(',', out);
    if (column && column->refers_to) {
        autofree char *type = memory_format("→ %s", column->refers_to->name);
        ui_json_string(out, type);
    } else {
        autofree char *type = memory_copy_text(declared ? declared : "", declared ? strlen(declared) : 0);
        for (char *at = type; *at; at++)
            *at = (char)tolower((unsigned char)*at);
        ui_json_string(out, type);
    }
    putc(',', out);
    ui_json_string(out, is_id ? "id of the row" : column ? column->doc : "");
    fputs(",[", out);
    for (unsigned i = 0; column && column->vocabulary && i < column->vocabulary->count; i++) {
        fputs(i ? "," : "", out);
        ui_json_string(out, column->vocabulary->words[i]);
    }
    fputs("]]", out);
}

static bool print_tables(struct ui_request *request, FILE *out, struct error *error)
{
    sqlite3_stmt *rows = NULL;
    char *last = NULL;
    int state;
    if (sqlite3_prepare_v2(request->connection, query_named(page_queries, "print_tables"), -1, &rows, NULL))
        return error_set(error, NULL, "%s", store_problem(request->connection));
    while ((state = sqlite3_step(rows)) == SQLITE_ROW) {
        const char *table = (const char *)sqlite3_column_text(rows, 0);
        const char *type = (const char *)sqlite3_column_text(rows, 1);
        if (!last || strcmp(last, table)) {
            fprintf(out, "%s{\"name\":", last ? "]},\n" : "");
            ui_json_string(out, table);
            fprintf(out, ",\"kind\":\"%s\",\"does\":", !strcmp(type, "view") ? "view" : "table");
            print_sentence(out, table);
            fputs(",\"columns\":[", out);
            free(last);
            last = memory_copy_text(table, strlen(table));
        } else
            putc(',', out);
        print_column(out, table, (const char *)sqlite3_column_text(rows, 2),
                     (const char *)sqlite3_column_text(rows, 3));
    }
    fputs(last ? "]}" : "", out);
    free(last);
    sqlite3_finalize(rows);
    return state == SQLITE_DONE || error_set(error, NULL, "%s", store_problem(request->connection));
}

static void print_functions(struct ui_request *request, FILE *out)
{
    sqlite3_stmt *rows = NULL;
    if (!sqlite3_prepare_v2(request->connection, query_named(page_queries, "sql_functions"), -1, &rows, NULL))
        for (bool is_first = true; sqlite3_step(rows) == SQLITE_ROW; is_first = false) {
            fputs(is_first ? "" : ",", out);
            ui_json_string(out, (const char *)sqlite3_column_text(rows, 0));
        }
    sqlite3_finalize(rows);
}

static void print_keywords(FILE *out)
{
    for (int i = 0; i < sqlite3_keyword_count(); i++) {
        const char *word;
        int length;
        if (sqlite3_keyword_name(i, &word, &length))
            continue;
        fprintf(out, "%s\"", i ? "," : "");
        for (int c = 0; c < length; c++)
            putc(tolower((unsigned char)word[c]), out);
        putc('"', out);
    }
}

bool page_schema(struct ui_request *request, struct ui_answer *answer, struct error *error)
{
    FILE *out = answer->out;
    answer->type = "application/json";
    fputs("{\"tables\":[", out);
    if (!print_tables(request, out, error))
        return false;
    fputs("],\n\"functions\":[", out);
    print_functions(request, out);
    fputs("],\n\"keywords\":[", out);
    print_keywords(out);
    fputs("],\n\"macros\":[", out);
    for (int i = 0; i < STORE_MACRO_COUNT; i++) {
        fputs(i ? "," : "", out);
        ui_json_string(out, store_macro_names[i]);
    }
    fputs("]}\n", out);
    return true;
}

/* Rows for a macro: id, name, place.  ?1: the text as typed; ?2 to ?4: parts of a name that all must be in
   it, as patterns of like (a qualified name such as a::b finds mangled names, too). */
static const struct {
    const char *kind, *query;
} choices[] = {
    {"function", "choose_function"},
    {"loop", "choose_loop"},
    {"block", "choose_block"},
    {"program", "choose_program"},
};

/* The next part of a name: letters, digits and underscores; *text moves after it. */
static char *next_pattern(const char **text)
{
    const char *at = *text;
    while (*at && !isalnum((unsigned char)*at) && *at != '_' && !(*at & 0x80))
        at++;
    size_t length = 0;
    while (at[length] && (isalnum((unsigned char)at[length]) || at[length] == '_' || at[length] & 0x80))
        length++;
    *text = at + length;
    return memory_format("%%%.*s%%", (int)length, at);
}

bool page_choose(struct ui_request *request, struct ui_answer *answer, struct error *error)
{
    const char *kind = ui_parameter(request, "kind"), *text = ui_parameter(request, "text");
    sqlite3_stmt *rows = NULL;
    size_t i = 0;
    text = text ? text : "";
    while (i < sizeof choices / sizeof *choices && (!kind || strcmp(kind, choices[i].kind)))
        i++;
    if (i == sizeof choices / sizeof *choices)
        return ui_missing(answer, error, "Choose a function, loop, block or program.");
    if (sqlite3_prepare_v2(request->connection, query_named(page_queries, choices[i].query), -1, &rows, NULL))
        return error_set(error, NULL, "%s", store_problem(request->connection));
    sqlite3_bind_text(rows, 1, text, -1, SQLITE_STATIC);
    for (int p = 2; p <= sqlite3_bind_parameter_count(rows); p++)
        sqlite3_bind_text(rows, p, next_pattern(&text), -1, free);
    answer->type = "application/json";
    fputs("[", answer->out);
    for (bool is_first = true; sqlite3_step(rows) == SQLITE_ROW; is_first = false) {
        fputs(is_first ? "[" : ",[", answer->out);
        for (int c = 0; c < 3; c++) {
            fputs(c ? "," : "", answer->out);
            ui_json_value(answer->out, rows, c);
        }
        putc(']', answer->out);
    }
    fputs("]\n", answer->out);
    sqlite3_finalize(rows);
    return true;
}
