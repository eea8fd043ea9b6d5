/* assay analyses and assay analysis. */
#include "store/analyses.h"
#include "cli/choose.h"
#include "cli/commands.h"
#include "cli/foreign.h"
#include "cli/scripts.h"
#include "show/report/common/text.h"
#include "store/finding_rows.h"
#include "store/findings.h"
#include "store/problem.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void add_column(sqlite3_stmt *statement, int column, const char *text)
{
    sqlite3_bind_text(statement, column, text, -1, SQLITE_TRANSIENT);
}

/* The default parameters as `name=value name=value`; to be freed. */
static char *parameters_of(const struct analysis *analysis)
{
    char *text = memory_format("%s", "");
    for (size_t i = 0; i < analysis->parameters.count; i++) {
        const struct analysis_parameter *it = ARRAY_AT(struct analysis_parameter, &analysis->parameters, i);
        char *longer = memory_format("%s%s%s=%s", text, i ? " " : "", it->name, it->initial);
        free(text);
        text = longer;
    }
    return text;
}

/* The list for --csv and --json goes through SQL so that it prints like every other table. */
static bool insert_rows(sqlite3 *connection, const struct array *list, struct error *error)
{
    sqlite3_stmt *insert = NULL;
    /* A table of this function alone, which no schema has. */
    if (sqlite3_exec(
            connection,
            "create table analyses(name, title, \"group\", group_title, does, parameters, isa, path)", NULL,
            NULL, NULL) != SQLITE_OK ||
        sqlite3_prepare_v2(connection, "insert into analyses values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)", -1,
                           &insert, NULL) != SQLITE_OK)
        return error_set(error, NULL, "%s", store_problem(connection));
    for (size_t i = 0; i < list->count; i++) {
        const struct analysis *analysis = *ARRAY_AT(const struct analysis *, list, i);
        autofree char *parameters = parameters_of(analysis), *isas = analysis_isas(analysis);
        sqlite3_reset(insert);
        add_column(insert, 1, analysis->name);
        add_column(insert, 2, analysis->title);
        add_column(insert, 3, analysis->group);
        add_column(insert, 4, analyses_group_title(analysis->group));
        add_column(insert, 5, analysis->error.set ? analysis->error.text : analysis->does);
        add_column(insert, 6, parameters);
        add_column(insert, 7, isas);
        add_column(insert, 8, analysis->path);
        sqlite3_step(insert);
    }
    sqlite3_finalize(insert);
    return true;
}

static bool print_rows(struct session *session, const struct array *list, struct error *error)
{
    sqlite3 *connection = NULL;
    sqlite3_stmt *rows = NULL;
    struct printing printing = {.session = session};
    bool done = sqlite3_open(":memory:", &connection) == SQLITE_OK && insert_rows(connection, list, error);
    if (done &&
        sqlite3_prepare_v2(connection, "select * from analyses order by name", -1, &rows, NULL) != SQLITE_OK)
        done = error_set(error, NULL, "%s", store_problem(connection));
    done = done && printing_rows(&printing, rows, error);
    sqlite3_finalize(rows);
    sqlite3_close(connection);
    return done;
}

/* Wraps text at width; the cursor is at column indent, later lines are indented to it. */
static void print_wrapped(FILE *out, const char *text, size_t indent, size_t width)
{
    size_t at = indent;
    while (*text) {
        size_t length = strcspn(text, " ");
        autofree char *word = memory_copy_text(text, length);
        size_t columns = text_width(word);
        if (at > indent && at + 1 + columns > width) {
            fprintf(out, "\n%*s", (int)indent, "");
            at = indent;
        }
        at += columns + (at > indent ? (size_t)fprintf(out, " ") : 0);
        fputs(word, out);
        text += length + strspn(text + length, " ");
    }
    putc('\n', out);
}

static void print_entry(struct session *session, const struct analysis *analysis, size_t names, bool in_full)
{
    size_t width = session->style.width ? session->style.width : 100, indent = names + 4;
    autofree char *name = text_safe(analysis->name, strlen(analysis->name)),
                  *parameters = parameters_of(analysis);
    const char *says = analysis->error.set ? analysis->error.text : analysis->does;
    autofree char *isas = analysis_isas(analysis);
    autofree char *line = memory_format("%s%s%s%s%s%s%s", says, *isas ? " (" : "", isas, *isas ? ")" : "",
                                        *parameters && !in_full ? " [" : "", in_full ? "" : parameters,
                                        *parameters && !in_full ? "]" : "");
    autofree char *safe = text_safe(line, strlen(line));
    fprintf(session->out, "  %s%s%s%*s", report_ink(&session->style, ink_NAME), name,
            report_ink(&session->style, ink_PLAIN), (int)(indent - 2 - text_width(name)), "");
    print_wrapped(session->out, safe, indent, width);
    for (size_t i = 0; in_full && i < analysis->parameters.count; i++) {
        const struct analysis_parameter *it = ARRAY_AT(struct analysis_parameter, &analysis->parameters, i);
        autofree char *sentence = memory_format("--set %s=%s: %s", it->name, it->initial, it->doc);
        autofree char *shown = text_safe(sentence, strlen(sentence));
        fprintf(session->out, "%*s", (int)indent, "");
        print_wrapped(session->out, shown, indent, width);
    }
}

/* For people: a menu for each group. */
static void print_menus(struct session *session, const struct array *list, bool in_full)
{
    size_t names = 0;
    for (size_t i = 0; i < list->count; i++) {
        size_t width = text_width((*ARRAY_AT(const struct analysis *, list, i))->name);
        names = width > names ? width : names;
    }
    const char *last = NULL;
    for (size_t i = 0; i < list->count; i++) {
        const struct analysis *analysis = *ARRAY_AT(const struct analysis *, list, i);
        const char *title = analyses_group_title(analysis->group);
        if (!last || strcmp(last, title)) {
            autofree char *safe = text_safe(title, strlen(title));
            autofree char *group = text_safe(analysis->group ? analysis->group : "",
                                             strlen(analysis->group ? analysis->group : ""));
            fprintf(session->out, "%s%s%s%s", last ? "\n" : "", report_ink(&session->style, ink_BOLD), safe,
                    report_ink(&session->style, ink_PLAIN));
            fprintf(session->out, strcmp(group, safe) && *group ? " (--group %s)\n" : "\n", group);
        }
        last = title;
        print_entry(session, analysis, names, in_full);
    }
}

static int compare_menus(const void *left, const void *right)
{
    return analyses_compare_menus(*(const struct analysis *const *)left,
                                  *(const struct analysis *const *)right);
}

static bool print_list(struct session *session, const struct array *all, const char *group,
                       struct error *error)
{
    struct array list = ARRAY_OF(const struct analysis *);
    for (size_t i = 0; i < all->count; i++) {
        const struct analysis *analysis = ARRAY_AT(const struct analysis, all, i);
        if (!group || (analysis->group && !strcmp(group, analysis->group)))
            *(const struct analysis **)array_add(&list) = analysis;
    }
    if (list.count)
        qsort(list.data, list.count, list.width, compare_menus);
    bool done = true;
    if (group && !list.count)
        done = error_set(error, NULL, "no analysis is in group %s (assay analyses lists all groups)", group);
    else if (session->style.format == report_TABLE)
        print_menus(session, &list, group != NULL);
    else
        done = print_rows(session, &list, error);
    array_free(&list);
    return done;
}

int command_analyses(const struct invocation *invocation, struct error *error)
{
    struct session session;
    struct array list;
    list = scripts_find();
    int code = 2;
    if (session_begin(&session, invocation, error) &&
        print_list(&session, &list, options_value(invocation, OPTION_GROUP), error))
        code = 0;
    analyses_free(&list);
    return session_end(&session, code, error);
}

/* Every --set name=value. The caller frees the names. */
static bool read_values(const struct invocation *invocation, struct array *values, struct error *error)
{
    for (size_t i = 0; i < invocation->given.count; i++) {
        const struct given *given = ARRAY_AT(struct given, &invocation->given, i);
        if (given->id != OPTION_SET)
            continue;
        const char *equals = strchr(given->value, '=');
        if (!equals || equals == given->value)
            return error_set(error, NULL, "--set needs NAME=VALUE, not '%s'", given->value);
        struct analysis_value *value = array_add(values);
        value->name = memory_copy_text(given->value, (size_t)(equals - given->value));
        value->text = equals + 1;
    }
    return true;
}

static const struct analysis *find_named(const struct array *list, const char *name, struct error *error)
{
    const struct analysis *analysis = analyses_named(list, name);
    if (analysis)
        return analysis;
    struct nearest nearest = {.wanted = name};
    for (size_t i = 0; i < list->count; i++)
        nearest_offer(&nearest, ARRAY_AT(struct analysis, list, i)->name);
    if (nearest.best)
        error_set(error, NULL, "no analysis is called %s; did you mean %s?", name, nearest.best);
    else
        error_set(error, NULL, "no analysis is called %s (assay analyses lists them)", name);
    free(nearest.best);
    return NULL;
}

/* A printer that also hands findings over: the statement runs a second time for that. If the database lacks
   data flow or cycles that the analysis needs, that is an error: an empty table would claim that nothing was
   found. */
struct keeping {
    struct printing *printing;
    FILE *rows; /* NULL without --keep */
};

static bool print_and_keep(void *context, sqlite3_stmt *statement, struct error *error)
{
    struct keeping *keeping = context;
    if (keeping->printing->session->lacks[SUPPLY_FLOW])
        return error_set(error, NULL,
                         "needs data flow, which this database does not contain; write it again with assay "
                         "db --flow, or give the program itself");
    if (keeping->printing->session->lacks[SUPPLY_CYCLES])
        return error_set(error, NULL,
                         "needs cycles, which this database does not contain; write it again with assay db "
                         "--cycles, or give the program itself");
    if (keeping->printing->session->lacks[SUPPLY_REPORT])
        return error_set(error, NULL,
                         "needs the results of assay report, which this database does not contain; write it "
                         "again with assay db --report, or give the program itself");
    return printing_rows(keeping->printing, statement, error) &&
           (!keeping->rows || finding_rows_print(statement, keeping->rows, error));
}

static bool say_whom_it_is_for(struct session *session, const struct analysis *analysis)
{
    char *meant, *found;
    bool is_meant = analysis_is_meant_for(analysis, session->store, &meant, &found);
    if (!is_meant)
        session_say(session, "%s is for %s only; this file is %s", analysis->name, meant, found);
    free(meant);
    free(found);
    return is_meant;
}

static void say_nothing_found(struct session *session, const struct analysis *analysis)
{
    const char *lacks = analysis_lacks(analysis, session->store);
    session_say(session, "nothing found%s%s", lacks ? ": " : "", lacks ? lacks : "");
}

/* A parameter called most limits the number of rows: says so if it was reached. */
static void say_if_cut(const struct session *session, const struct analysis *analysis,
                       const struct array *values, uint64_t rows)
{
    const char *most = NULL;
    for (size_t i = 0; i < analysis->parameters.count; i++) {
        const struct analysis_parameter *it = ARRAY_AT(struct analysis_parameter, &analysis->parameters, i);
        most = strcmp(it->name, "most") ? most : it->initial;
    }
    for (size_t i = 0; most && i < values->count; i++) {
        const struct analysis_value *it = ARRAY_AT(struct analysis_value, values, i);
        most = strcmp(it->name, "most") ? most : it->text;
    }
    if (most && rows && strtoull(most, NULL, 10) == rows)
        session_say(session, "only the first %s are shown; --set most=N shows more", most);
}

struct running {
    struct session *session;
    const struct analysis *analysis;
    const struct store_choice *choice;
    const struct array *values;
    struct keeping *keeping;
};

static bool run_in_its_language(void *context, struct error *error)
{
    const struct running *it = context;
    const struct array *values = it->values;
    if (!it->analysis->is_script)
        return analysis_run(it->session->store, it->analysis, it->choice, values->data, values->count,
                            print_and_keep, it->keeping, error);
    struct scripts scripts;
    struct script_host host;
    scripts_begin(&scripts, it->session, it->keeping->printing, it->choice, &host);
    bool done =
        script_analysis(&host, it->analysis, values->data, values->count, print_and_keep, it->keeping, error);
    scripts_end(&scripts);
    return done;
}

static bool run_where_it_may(struct running *running, struct error *error)
{
    struct printing *printing = running->keeping->printing;
    if (options_has(running->session->invocation, OPTION_TRUST))
        return run_in_its_language(running, error);
    return foreign_run(&(struct foreign){.session = running->session,
                                         .work = run_in_its_language,
                                         .context = running,
                                         .what = "the analysis",
                                         .file = running->keeping->rows,
                                         .result = &printing->rows,
                                         .result_size = sizeof printing->rows},
                       error);
}

/* path: the database whose table gets the rows. */
static bool run_for_findings(struct running *running, const char *path, uint64_t *kept, struct error *error)
{
    struct findings *findings = findings_begin(path, running->analysis, running->choice, error);
    if (!findings)
        return false;
    FILE *rows = running->keeping->rows = tmpfile();
    bool done = rows ? run_where_it_may(running, error)
                     : error_set_errno(error, NULL, "no temporary file can be made for the rows");
    if (done)
        rewind(rows);
    done = done && findings_add(findings, rows, error);
    if (rows)
        fclose(rows);
    if (done)
        return findings_commit(findings, kept, error);
    findings_abandon(findings);
    return false;
}

static bool run_and_keep(struct session *session, const struct analysis *analysis,
                         const struct store_choice *choice, const struct array *values, const char *path,
                         struct error *error)
{
    struct printing printing = {.session = session, .is_histogram = analysis->shows == SHOWS_HISTOGRAM};
    struct keeping keeping = {.printing = &printing};
    uint64_t kept = 0;
    bool is_meant = say_whom_it_is_for(session, analysis);
    session->needs_all = true;
    session->style.is_brief = session->style.short_names = true;
    struct running running = {session, analysis, choice, values, &keeping};
    bool done = path ? run_for_findings(&running, path, &kept, error) : run_where_it_may(&running, error);
    if (done && !printing.rows && is_meant && session->style.format == report_TABLE)
        say_nothing_found(session, analysis);
    if (done)
        say_if_cut(session, analysis, values, printing.rows);
    if (done && path)
        session_say(session, "%llu %s written to the table findings of %s", (unsigned long long)kept,
                    kept == 1 ? "row" : "rows", path);
    return done;
}

/* keep_in: the database for findings, NULL without --keep. */
static int run_analysis(struct session *session, const struct analysis *analysis,
                        const struct invocation *invocation, const char *keep_in, struct error *error)
{
    struct store_choice choice;
    enum choice found = choose_macros(session->connection, invocation, &choice, error);
    if (found > choice_FOUND)
        return choice_exit(found);
    struct array values = ARRAY_OF(struct analysis_value);
    bool done = read_values(invocation, &values, error) &&
                run_and_keep(session, analysis, &choice, &values, keep_in, error);
    for (size_t i = 0; i < values.count; i++)
        free((char *)ARRAY_AT(struct analysis_value, &values, i)->name);
    array_free(&values);
    return done ? 0 : 2;
}

int command_analysis(const struct invocation *invocation, struct error *error)
{
    struct session session = {0};
    struct array list;
    list = scripts_find();
    const char *path = options_operand(invocation, 1);
    const struct analysis *analysis = find_named(&list, options_operand(invocation, 0), error);
    bool keeps = options_has(invocation, OPTION_KEEP);
    int code = 2;
    if (analysis && keeps && access(path, F_OK) == 0 && !store_is_database(path))
        error_set(error, path,
                  "is not a database, so --keep has no table to write to; make one with assay db %s", path);
    else if (analysis && session_open(&session, invocation, path, error)) {
        code = run_analysis(&session, analysis, invocation, keeps ? path : NULL, error);
        if (code == 0)
            session_say_problems(&session);
    }
    analyses_free(&list);
    return session_end(&session, code, error);
}
