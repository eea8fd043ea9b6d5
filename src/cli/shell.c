/* The SQL shell.

   A line that starts with a dot, outside a statement, is a command of the shell; everything else is collected
   up to a semicolon and run. While a line is edited, the editor receives Ctrl-C and discards the line and the
   open statement; while a query runs, Ctrl-C is a signal and stops the query. If standard input is not a
   terminal, lines are read without prompt and history.

   A script has the same commands, but ends at the first error, and what it prints is rows: .tables answers in the
   format of the other results. */
#include "cli/shell.h"

#include "cli/line_editor.h"
#include "cli/shell_queries.h"
#include "store/same_schema.h"
#include "store/schema.h"
#include "store/tokens.h"

#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STATEMENT_MAX = 1 << 20 };

struct session {
    struct shell *shell;
    struct line_editor *editor; /* NULL if input is not a terminal */
    struct array words;         /* of char *: names of tables and columns, words of SQL, commands */
    struct schema_text statement;
    bool is_open; /* a statement has begun */
    bool is_done;
    struct error *error; /* of a script, which ends with it; NULL: errors are printed */
};

struct command {
    const char *name, *arguments, *doc;
    void (*run)(struct session *session, char *argument);
};

/* Whether Ctrl-C came: global, because a signal handler has no arguments. */
static volatile sig_atomic_t was_interrupted;

static void interrupt(int signal_number)
{
    (void)signal_number;
    was_interrupted = 1;
}

bool shell_must_end(void)
{
    return was_interrupted;
}

__attribute__((format(printf, 2, 3))) static void complain(struct session *session, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char text[1024];
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    session->is_done = session->is_done || session->error;
    if (session->error)
        error_set(session->error, NULL, "%s", text);
    else
        fprintf(session->shell->output, "error: %s\n", text);
}

static void run_sql(struct session *session, const char *sql)
{
    struct error error = {0};
    struct shell *shell = session->shell;
    if (!shell->run(shell->context, sql, &shell->choice, session->error ? session->error : &error)) {
        session->is_done = session->is_done || session->error;
        if (!session->error)
            fprintf(shell->output, "error: %s\n", error.text);
    }
    fflush(shell->output);
}

/* Runs a query with one text parameter and calls found for each row, until it returns false. */
static void for_rows(struct session *session, const char *sql, const char *text,
                     bool (*found)(struct session *session, sqlite3_stmt *row))
{
    sqlite3_stmt *statement = NULL;
    if (!sqlite3_prepare_v2(store_connection(session->shell->store), sql, -1, &statement, NULL)) {
        if (text)
            sqlite3_bind_text(statement, 1, text, -1, SQLITE_STATIC);
        while (sqlite3_step(statement) == SQLITE_ROW && found(session, statement))
            continue;
    }
    sqlite3_finalize(statement);
}

static bool print_first_column(struct session *session, sqlite3_stmt *row)
{
    fprintf(session->shell->output, "%s\n", (const char *)sqlite3_column_text(row, 0));
    return true;
}

static void run_tables(struct session *session, char *argument)
{
    const char *query = query_named(shell_queries, "tables");
    (void)argument;
    if (session->error)
        run_sql(session, query);
    else
        for_rows(session, query, NULL, print_first_column);
}

static void run_schema(struct session *session, char *argument)
{
    const struct table_description *table = argument[0] ? table_named(argument) : NULL;
    if (session->shell->has_rows_only) {
        complain(session, ".schema is text; leave out --json and --csv");
    } else if (table) { /* the same text for files and models */
        struct schema_text text = {0};
        schema_table(&text, table);
        fprintf(session->shell->output, "%s;\n", text.data);
        free(text.data);
    } else if (argument[0]) {
        for_rows(session, query_named(shell_queries, "statement_of"), argument, print_first_column);
    } else {
        autofree char *schema = store_schema();
        fprintf(session->shell->output, "%s", schema);
    }
}

static void run_mode(struct session *session, char *argument)
{
    struct shell *shell = session->shell;
    if (!shell->set_mode || !shell->set_mode(shell->context, argument))
        complain(session, ".mode takes table, csv or json");
}

static bool print_choice(struct session *session, sqlite3_stmt *row)
{
    fprintf(session->shell->output, "  %lld  %s\n", (long long)sqlite3_column_int64(row, 0),
            (const char *)sqlite3_column_text(row, 1));
    return true;
}

static bool choose_function(struct session *session, sqlite3_stmt *row)
{
    bool is_first = !session->shell->choice.function;
    session->shell->choice.function = is_first ? sqlite3_column_int64(row, 0) : -1;
    return is_first;
}

static void choose_function_named(struct session *session, const char *name)
{
    struct shell *shell = session->shell;
    int64_t before = shell->choice.function;
    shell->choice.function = 0;
    for_rows(session, query_named(shell_queries, "functions_named"), name, choose_function);
    if (!shell->choice.function) {
        char *end;
        long long id = strtoll(name, &end, 10);
        if (*name && !*end && id > 0)
            shell->choice.function = id;
    }
    if (shell->choice.function == 0) {
        complain(session, "no function is called '%s'", name);
        shell->choice.function = before;
    } else if (shell->choice.function < 0) {
        complain(session, "several functions have that name; choose one by id:");
        for_rows(session, query_named(shell_queries, "places_named"), name, print_choice);
        shell->choice.function = before;
    }
}

static void run_choose(struct session *session, char *argument)
{
    struct store_choice *choice = &session->shell->choice;
    char *value = argument + strcspn(argument, " \t");
    if (*value)
        *value++ = '\0';
    value += strspn(value, " \t");
    if (!argument[0]) {
        fprintf(session->shell->output, "FUNCTION %lld, LOOP %lld, BLOCK %lld, PROGRAM %lld (0: none)\n",
                (long long)choice->function, (long long)choice->loop, (long long)choice->block,
                (long long)choice->program);
        return;
    }
    if (!strcmp(argument, "function") && *value) {
        choose_function_named(session, value);
        return;
    }
    int64_t *id = !strcmp(argument, "loop")      ? &choice->loop
                  : !strcmp(argument, "block")   ? &choice->block
                  : !strcmp(argument, "program") ? &choice->program
                                                 : NULL;
    char *end = value;
    long long number = strtoll(value, &end, 10);
    if (id && *value && !*end && number >= 0)
        *id = number;
    else
        complain(session, ".choose takes function NAME, or loop, block or program with an id");
}

static void run_quit(struct session *session, char *argument)
{
    (void)argument;
    session->is_done = true;
}

static void run_help(struct session *session, char *argument);

static const struct command commands[] = {
    {".choose", "[function NAME | loop ID | …]", "sets what FUNCTION, LOOP, BLOCK and PROGRAM stand for",
     run_choose},
    {".help", "", "shows this list", run_help},
    {".mode", "table|csv|json", "sets the output format", run_mode},
    {".quit", "", "ends the shell (or Ctrl-D)", run_quit},
    {".schema", "[TABLE]", "shows columns and their meaning", run_schema},
    {".tables", "", "lists tables and views", run_tables},
};
enum { COMMAND_COUNT = sizeof commands / sizeof commands[0] };

static void run_help(struct session *session, char *argument)
{
    (void)argument;
    FILE *output = session->shell->output;
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        fprintf(output, "%-8s %-30s %s\n", commands[i].name, commands[i].arguments, commands[i].doc);
    fprintf(output, "Statements end with a semicolon.  Ctrl-C stops a query or clears the line.\n");
}

static void run_command(struct session *session, char *line)
{
    line[strcspn(line, "\r\n")] = '\0';
    char *argument = line + strcspn(line, " \t");
    if (*argument)
        *argument++ = '\0';
    argument += strspn(argument, " \t");
    for (size_t length = strlen(argument);
         length && (argument[length - 1] == ' ' || argument[length - 1] == '\t');)
        argument[--length] = '\0';
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        if (!strcmp(commands[i].name, line)) {
            commands[i].run(session, argument);
            return;
        }
    }
    complain(session, "unknown command %s; .help lists the commands", line);
}

static void remember(struct session *session, const char *text)
{
    if (!session->editor)
        return;
    /* Joins a statement into one line for the history, unless it has a comment to the end of a line. */
    autofree char *line = memory_copy_text(text, strlen(text));
    size_t length = strlen(line);
    while (length && (line[length - 1] == '\n' || line[length - 1] == ' '))
        line[--length] = '\0';
    if (!strstr(line, "--"))
        for (char *at = line; (at = strchr(at, '\n'));)
            *at = ' ';
    if (*line && !strchr(line, '\n'))
        line_editor_remember(session->editor, line);
}

static void take_line(struct session *session, const char *line)
{
    if (!session->is_open && line[strspn(line, " \t")] == '.') {
        autofree char *command =
            memory_copy_text(line + strspn(line, " \t"), strlen(line + strspn(line, " \t")));
        remember(session, command);
        run_command(session, command);
        return;
    }
    if (session->statement.size + strlen(line) > STATEMENT_MAX) {
        complain(session, "the statement is too long");
        session->statement.size = 0;
        session->is_open = false;
        return;
    }
    schema_add(&session->statement, "%s", line);
    session->is_open = session->statement.data[strspn(session->statement.data, " \t\r\n")] != '\0';
    if (!session->is_open || store_is_complete(session->statement.data)) {
        if (session->is_open) {
            remember(session, session->statement.data);
            run_sql(session, session->statement.data);
        }
        session->statement.size = 0;
        session->is_open = false;
    }
}

/* ---- a terminal ---- */

static const char *prompt(void *context)
{
    const struct session *session = context;
    return session->is_open ? "  ...> " : "assay> ";
}

static bool add_word(struct session *session, sqlite3_stmt *row)
{
    const char *word = (const char *)sqlite3_column_text(row, 0);
    if (word)
        *(char **)array_add(&session->words) = memory_copy_text(word, strlen(word));
    return true;
}

/* A table or view, and its columns. Columns of views that are not Assay's are not looked up: nested views can
   take SQLite arbitrarily long. */
static bool add_table(struct session *session, sqlite3_stmt *row)
{
    const char *name = (const char *)sqlite3_column_text(row, 0);
    add_word(session, row);
    if (name && (sqlite3_column_int(row, 1) || same_schema_is_view(name)))
        for_rows(session, query_named(shell_queries, "columns_of"), name, add_word);
    return true;
}

static int compare_words(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

/* Sorted, without duplicates. */
static void sort_words(struct array *words)
{
    size_t kept = 0;
    if (words->count)
        qsort(words->data, words->count, words->width, compare_words);
    for (size_t i = 0; i < words->count; i++) {
        char *word = *ARRAY_AT(char *, words, i);
        if (kept && !strcmp(word, *ARRAY_AT(char *, words, kept - 1)))
            free(word);
        else
            *ARRAY_AT(char *, words, kept++) = word;
    }
    words->count = kept;
}

static void collect_words(struct session *session)
{
    session->words = ARRAY_OF(char *);
    store_hold_supply(session->shell->store, true); /* no rows were read yet */
    for_rows(session, query_named(shell_queries, "names_of_tables"), NULL, add_table);
    store_hold_supply(session->shell->store, false);
    sort_words(&session->words);
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        *(char **)array_add(&session->words) = memory_copy_text(commands[i].name, strlen(commands[i].name));
    for (int i = 0; i < STORE_MACRO_COUNT; i++)
        *(char **)array_add(&session->words) =
            memory_copy_text(store_macro_names[i], strlen(store_macro_names[i]));
    for (int i = 0; i < sqlite3_keyword_count(); i++) {
        const char *name;
        int length;
        if (sqlite3_keyword_name(i, &name, &length))
            continue;
        char *word = memory_copy_text(name, (size_t)length);
        for (char *at = word; *at; at++)
            *at |= *at >= 'A' && *at <= 'Z' ? 0x20 : 0;
        *(char **)array_add(&session->words) = word;
    }
}

static bool start_editor(struct session *session, struct error *error)
{
    struct line_editor_host host = {
        .prompt = prompt, .context = session, .words = &session->words, .output = session->shell->output};
    session->editor = line_editor_open(&host, error);
    if (session->editor)
        collect_words(session);
    return session->editor;
}

static void edit_lines(struct session *session)
{
    while (!session->is_done) {
        was_interrupted = 0;
        const char *line = line_editor_read(session->editor);
        if (line) {
            take_line(session, line);
            continue;
        }
        fputc('\n', session->shell->output);
        if (!was_interrupted)
            break;
        line_editor_reset(session->editor);
        session->statement.size = 0;
        session->is_open = false;
    }
}

static void read_lines(struct session *session)
{
    autofree char *line = NULL;
    size_t capacity = 0;
    while (!session->is_done && !was_interrupted && getline(&line, &capacity, stdin) >= 0)
        take_line(session, line);
    if (session->is_open && !was_interrupted) /* the end of input ends the last statement */
        run_sql(session, session->statement.data);
}

bool shell_run(struct shell *shell, struct error *error)
{
    struct session session = {.shell = shell};
    was_interrupted = 0;
    bool good = true;
    struct sigaction stopping = {.sa_handler = interrupt},
                     before; /* no SA_RESTART: reading a line must be interrupted too */
    sigemptyset(&stopping.sa_mask);
    sigaction(SIGINT, &stopping, &before);
    if (isatty(STDIN_FILENO)) {
        good = start_editor(&session, error);
        if (good)
            edit_lines(&session);
    } else {
        read_lines(&session);
    }
    sigaction(SIGINT, &before, NULL);
    line_editor_close(session.editor);
    for (size_t i = 0; i < session.words.count; i++)
        free(*ARRAY_AT(char *, &session.words, i));
    array_free(&session.words);
    free(session.statement.data);
    return good;
}

static void run_part(struct session *session, const char *from, const char *end)
{
    autofree char *part = memory_copy_text(from, (size_t)(end - from));
    run_sql(session, part);
}

bool shell_script(struct shell *shell, const char *script, struct error *error)
{
    struct session session = {.shell = shell, .error = error};
    const char *from = script, *at = script;
    bool is_between = true, is_empty = true;
    size_t length;
    for (enum token_kind kind; !session.is_done && (kind = token_next(at, &length)) != TOKEN_END;
         at += length) {
        if (is_between && *at == '.') {
            if (!is_empty)
                run_part(&session, from, at);
            length = strcspn(at, "\n");
            autofree char *line = memory_copy_text(at, length);
            if (!session.is_done)
                run_command(&session, line);
            from = at + length;
            is_empty = true;
        } else if (kind != TOKEN_BLANK) {
            is_between = kind == TOKEN_SEMICOLON;
            is_empty = false;
        }
    }
    if (!session.is_done && (!is_empty || from == script))
        run_part(&session, from, at);
    return !error->set;
}
