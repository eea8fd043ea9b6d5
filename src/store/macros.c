/* Statements with macros.

   The words of SQL are told apart exactly as SQLite does it, so that a macro is only found where SQLite would
   find a name: not in 'strings', "names", [names], `names` and comments, not in a longer word, not in a
   dotted name. A macro becomes a parameter; its value never passes through text.  A statement ends at its
   semicolon, and only that one statement is given to SQLite: if it finds less in it than we did, that is an
   error. */
#include "store/store.h"

#include <stdlib.h>
#include <string.h>

const char *const store_macro_names[STORE_MACRO_COUNT] = {"FUNCTION", "LOOP", "BLOCK", "PROGRAM"};
static const char *const macro_options[STORE_MACRO_COUNT] = {"--function NAME", "--loop ID", "--block ID",
                                                             "--program ID"};

enum token_kind { TOKEN_END, TOKEN_BLANK, TOKEN_WORD, TOKEN_SEMICOLON, TOKEN_DOT, TOKEN_OTHER };

static bool is_word_byte(unsigned char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9') ||
           byte == '_' || byte == '$' || byte >= 0x80;
}

static size_t word_length(const char *text)
{
    size_t length = 0;
    while (is_word_byte((unsigned char)text[length]))
        length++;
    return length;
}

/* Length of a string or name in quotes; a doubled quote is one inside. */
static size_t quoted_length(const char *text)
{
    char quote = text[0] == '[' ? ']' : text[0];
    size_t length = 1;
    while (text[length]) {
        if (text[length++] != quote)
            continue;
        if (quote == ']' || text[length] != quote)
            break;
        length++;
    }
    return length;
}

static enum token_kind next_token(const char *text, size_t *length)
{
    *length = 1;
    switch (text[0]) {
    case '\0':
        *length = 0;
        return TOKEN_END;
    case ' ':
    case '\t':
    case '\n':
    case '\f':
    case '\r':
        return TOKEN_BLANK;
    case ';':
        return TOKEN_SEMICOLON;
    case '-':
        if (text[1] != '-')
            return TOKEN_OTHER;
        *length = strcspn(text, "\n");
        return TOKEN_BLANK;
    case '/': {
        if (text[1] != '*' || !text[2])
            return TOKEN_OTHER;
        const char *end = strstr(text + 2, "*/");
        *length = end ? (size_t)(end - text) + 2 : strlen(text);
        return TOKEN_BLANK;
    }
    case '\'':
    case '"':
    case '`':
    case '[':
        *length = quoted_length(text);
        return TOKEN_OTHER;
    case ':':
    case '@':
    case '#':
    case '$':
    case '?':
        *length = 1 + word_length(text + 1);
        return TOKEN_OTHER;
    case '.':
        /* ".5" is a number, and "a.b" a dotted name. */
        if (text[1] >= '0' && text[1] <= '9') {
            *length = 1 + word_length(text + 1);
            return TOKEN_OTHER;
        }
        return TOKEN_DOT;
    default:
        *length = word_length(text);
        if (!*length) {
            *length = 1;
            return TOKEN_OTHER;
        }
        return TOKEN_WORD;
    }
}

static int macro_of_word(const char *word, size_t length)
{
    for (int i = 0; i < STORE_MACRO_COUNT; i++)
        if (strlen(store_macro_names[i]) == length && !memcmp(word, store_macro_names[i], length))
            return i;
    return -1;
}

/* The first statement of text with its macros as parameters, without the semicolon.  *end is behind it;
 *is_empty says that it holds blanks and comments only. */
static char *rewrite(const char *text, const char **end, bool *is_empty)
{
    size_t capacity = 64, size = 0, length;
    char *result = memory_get(capacity);
    bool after_dot = false;
    *is_empty = true;
    for (;; text += length) {
        enum token_kind kind = next_token(text, &length);
        if (kind == TOKEN_END || kind == TOKEN_SEMICOLON)
            break;
        const char *behind = text + length;
        size_t blank;
        while (*behind && next_token(behind, &blank) == TOKEN_BLANK)
            behind += blank;
        bool is_macro =
            kind == TOKEN_WORD && !after_dot && *behind != '.' && macro_of_word(text, length) >= 0;
        if (size + length + 2 > capacity) {
            result = memory_grow(result, capacity, (size + length + 2) * 2);
            capacity = (size + length + 2) * 2;
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
        enum token_kind kind = next_token(text, &length);
        if (kind == TOKEN_END)
            return complete;
        if (kind != TOKEN_BLANK)
            complete = kind == TOKEN_SEMICOLON;
    }
}

static bool sql_error(struct store *store, struct error *error)
{
    sqlite3 *connection = store_connection(store);
    if ((sqlite3_errcode(connection) & 0xff) == SQLITE_AUTH)
        return error_set(error, NULL, "not allowed: queries only read (%s)", sqlite3_errmsg(connection));
    return error_set(error, NULL, "SQL: %s", sqlite3_errmsg(connection));
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
            return error_set(error, NULL, "the SQL says %s, and none is chosen: give %s",
                             store_macro_names[i], macro_options[i]);
        if (sqlite3_bind_int64(statement, place, ids[i]))
            return sql_error(store, error);
    }
    return true;
}

bool store_prepare(struct store *store, const char *text, const struct store_choice *choice,
                   sqlite3_stmt **statement, const char **rest, struct error *error)
{
    *statement = NULL;
    bool is_empty;
    char *sql = rewrite(text, rest, &is_empty);
    bool good = true;
    if (!is_empty) {
        const char *tail = "";
        if (sqlite3_prepare_v2(store_connection(store), sql, -1, statement, &tail))
            good = sql_error(store, error);
        else if (!*statement || *tail)
            good = error_set(error, NULL, "SQL: cannot be read as one statement: %.60s", sql);
        else
            good = bind_macros(store, choice, *statement, error);
    }
    free(sql);
    if (!good) {
        sqlite3_finalize(*statement);
        *statement = NULL;
    }
    return good;
}

bool store_run(struct store *store, const char *where, const char *script, const struct store_choice *choice,
               store_print *print, void *context, struct error *error)
{
    struct error inner = {0};
    bool good = true;
    while (*script && good) {
        sqlite3_stmt *statement;
        good = store_prepare(store, script, choice, &statement, &script, &inner);
        if (statement && sqlite3_column_count(statement))
            good = print(context, statement, &inner);
        sqlite3_finalize(statement);
    }
    return good || error_set(error, where, "%s", inner.text);
}
