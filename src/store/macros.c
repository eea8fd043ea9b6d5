/* SQL statements with macros.

   SQL is split into tokens exactly as SQLite does it, so that a macro is only found where SQLite would find a
   name: not in 'strings', "names", [names], `names` and comments, not in a longer word, not in a dotted name.
   A macro becomes a bound parameter; its value is never spliced into text. A statement ends at its semicolon,
   and only that statement is given to SQLite: if SQLite finds an earlier end, that is an error.

   A statement that SQLite cannot parse is tried once more with || inserted between strings and their
   neighbours: the first paper prints 'Size: ' size ' Number: ' count(*) where SQL wants || between the parts.
 */
#include "store/store.h"

#include "store/problem.h"
#include "store/suggest.h"
#include "store/tokens.h"

#include <stdlib.h>
#include <string.h>

const char *const store_macro_names[STORE_MACRO_COUNT] = {"FUNCTION", "LOOP", "BLOCK", "PROGRAM"};
static const char *const macro_options[STORE_MACRO_COUNT] = {"--function NAME", "--loop ID", "--block ID",
                                                             "--program ID"};

static int macro_of_word(const char *word, size_t length)
{
    for (int i = 0; i < STORE_MACRO_COUNT; i++)
        if (strlen(store_macro_names[i]) == length && !memcmp(word, store_macro_names[i], length))
            return i;
    return -1;
}

enum value_end { NO_VALUE, STRING, OTHER_VALUE };

/* What a token ends, for inserting ||. */
static enum value_end value_end_of(enum token_kind kind, const char *text, size_t length)
{
    if (kind == TOKEN_WORD)
        return sqlite3_keyword_check(text, (int)length) ? NO_VALUE : OTHER_VALUE;
    return text[0] == '\'' ? STRING : text[0] == ')' || text[0] == '"' ? OTHER_VALUE : NO_VALUE;
}

static bool is_joined(enum value_end before, enum token_kind kind, const char *text, size_t length)
{
    enum value_end now = value_end_of(kind, text, length);
    return (before == STRING && (now != NO_VALUE || text[0] == '(') && text[0] != ')') ||
           (before == OTHER_VALUE && now == STRING);
}

/* The first statement of text with its macros as parameters, without the semicolon; with join, || is inserted
   between a string and its neighbours. *end points after it; *is_empty: it has only blanks and comments. */
static char *rewrite(const char *text, bool join, const char **end, bool *is_empty)
{
    enum value_end before = NO_VALUE;
    size_t capacity = 64, size = 0, length;
    char *result = memory_get(capacity);
    bool after_dot = false;
    *is_empty = true;
    for (;; text += length) {
        enum token_kind kind = token_next(text, &length);
        if (kind == TOKEN_END || kind == TOKEN_SEMICOLON)
            break;
        const char *behind = text + length;
        size_t blank;
        while (*behind && token_next(behind, &blank) == TOKEN_BLANK)
            behind += blank;
        bool is_macro =
            kind == TOKEN_WORD && !after_dot && *behind != '.' && macro_of_word(text, length) >= 0;
        if (size + length + 6 > capacity) {
            result = memory_grow(result, capacity, (size + length + 6) * 2);
            capacity = (size + length + 6) * 2;
        }
        if (join && kind != TOKEN_BLANK) {
            if (is_joined(before, kind, text, length)) {
                memcpy(result + size, "|| ", 3);
                size += 3;
            }
            before = value_end_of(kind, text, length);
        }
        if (is_macro)
            result[size++] = ':';
        memcpy(result + size, text, length);
        size += length;
        if (kind != TOKEN_BLANK) {
            after_dot = kind == TOKEN_DOT;
            *is_empty = false;
        }
    }
    result[size] = '\0';
    *end = text + (*text == ';');
    return result;
}

bool store_is_complete(const char *text)
{
    bool complete = false;
    size_t length;
    for (;; text += length) {
        enum token_kind kind = token_next(text, &length);
        if (kind == TOKEN_END)
            return complete;
        if (kind != TOKEN_BLANK)
            complete = kind == TOKEN_SEMICOLON;
    }
}

/* The first word of this name; NULL: none. */
static const char *find_word(const char *sql, const char *name)
{
    size_t length;
    const char *dot = strrchr(name, '.');
    name = dot ? dot + 1 : name;
    for (enum token_kind kind; (kind = token_next(sql, &length)) != TOKEN_END; sql += length)
        if (kind == TOKEN_WORD && length == strlen(name) && !sqlite3_strnicmp(sql, name, (int)length))
            return sql;
    return NULL;
}

/* The place of a rewritten statement in the text that it was made from, which lacks the colons of macros. */
static const char *original_place(const char *text, const char *sql, const char *place)
{
    for (; sql < place && *text; sql++)
        text += *sql == *text;
    return text;
}

static void note_place(struct store *store, const char *text, const char *sql, int offset,
                       const char *message)
{
    static const char TABLE[] = "no such table: ";
    const char *place = offset >= 0 ? sql + offset : NULL;
    if (!place && !strncmp(message, TABLE, strlen(TABLE)))
        place = find_word(sql, message + strlen(TABLE));
    store_note_place(store, place && text ? original_place(text, sql, place) : NULL);
}

/* text: what sql was rewritten from; NULL: unknown. */
static bool sql_error(struct store *store, const char *text, const char *sql, struct error *error)
{
    sqlite3 *connection = store_connection(store);
    bool is_refused = (sqlite3_errcode(connection) & 0xff) == SQLITE_AUTH;
    int offset = sqlite3_error_offset(connection);
    const char *problem = store_problem(connection);
    char *message = memory_copy_text(problem, strlen(problem)), *hint = suggest_name(store, message, sql);
    note_place(store, text, sql, offset, message);
    if (is_refused)
        error_set(error, NULL, "not allowed: queries only read (%s)", message);
    else
        error_set(error, NULL, "SQL: %s%s", message, hint);
    free(hint);
    free(message);
    return false;
}

/* A statement that SQLite accepts and that returns no columns would change something (vacuum, vacuum into a
   file): refuses to run it. */
static bool gives_rows(sqlite3_stmt *statement, struct error *error)
{
    return sqlite3_column_count(statement) ||
           error_set(error, NULL, "not allowed: queries only read (%.60s)", sqlite3_sql(statement));
}

static bool bind_macros(struct store *store, const struct store_choice *choice, sqlite3_stmt *statement,
                        struct error *error)
{
    static const struct store_choice nothing = {0};
    choice = choice ? choice : &nothing;
    const int64_t ids[STORE_MACRO_COUNT] = {choice->function, choice->loop, choice->block, choice->program};
    for (int i = 0; i < STORE_MACRO_COUNT; i++) {
        char parameter[16] = ":";
        strcat(parameter, store_macro_names[i]);
        int place = sqlite3_bind_parameter_index(statement, parameter);
        if (!place || (!ids[i] && choice->may_be_null & 1u << i))
            continue;
        if (!ids[i])
            return error_set(error, NULL, "the SQL uses %s, but none is selected: give %s",
                             store_macro_names[i], macro_options[i]);
        if (sqlite3_bind_int64(statement, place, ids[i]))
            return sql_error(store, NULL, sqlite3_sql(statement), error);
    }
    return true;
}

static bool prepare(struct store *store, const char *text, const char *sql, const struct store_choice *choice,
                    sqlite3_stmt **statement, struct error *error)
{
    const char *tail = "";
    if (sqlite3_prepare_v2(store_connection(store), sql, -1, statement, &tail))
        return sql_error(store, text, sql, error);
    if (!*statement || *tail)
        return error_set(error, NULL, "SQL: cannot be parsed as one statement: %.60s", sql);
    return gives_rows(*statement, error) && bind_macros(store, choice, *statement, error);
}

bool store_prepare(struct store *store, const char *text, const struct store_choice *choice,
                   sqlite3_stmt **statement, const char **rest, struct error *error)
{
    *statement = NULL;
    store_note_place(store, NULL);
    bool is_empty;
    char *sql = rewrite(text, false, rest, &is_empty);
    struct error first = {0}, second = {0};
    bool good = is_empty || prepare(store, text, sql, choice, statement, &first);
    if (!good && !*statement) {
        char *joined = rewrite(text, true, rest, &is_empty);
        const char *place = store_wrong_place(store);
        good = strcmp(sql, joined) && prepare(store, NULL, joined, choice, statement, &second);
        store_note_place(store, place);
        if (!good && *statement) /* it can be parsed, but something else is wrong */
            first = second;
        free(joined);
    }
    free(sql);
    if (!good) {
        error_set(error, NULL, "%s", first.text);
        sqlite3_finalize(*statement);
        *statement = NULL;
    }
    return good;
}

void store_read_over(struct store *store, const char *script, const struct store_choice *choice)
{
    struct error ignored = {0};
    for (bool good = true; *script && good;) {
        sqlite3_stmt *statement;
        good = store_prepare(store, script, choice, &statement, &script, &ignored);
        sqlite3_finalize(statement);
    }
}

bool store_run(struct store *store, const char *where, const char *script, const struct store_choice *choice,
               store_print *print, void *context, struct error *error)
{
    struct error inner = {0};
    bool good = true;
    while (*script && good) {
        sqlite3_stmt *statement;
        good = store_prepare(store, script, choice, &statement, &script, &inner);
        if (statement)
            good = print(context, statement, &inner);
        sqlite3_finalize(statement);
    }
    return good || error_set(error, where, "%s", inner.text);
}
