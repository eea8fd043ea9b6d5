/* SQLite comes with more than a question needs, and each distribution builds in other parts of it: Debian's
   has three kinds of full-text search, whose fts3_tokenizer() makes the address of a module from any bytes
   and calls there.  So nothing is trusted because it is there:

   - functions are those of functions.def (the authorizer in open.c asks);
   - modules, which are after virtual tables, are dropped from the connection, but for JSON's and the one
   that shows the model;
   - a schema has tables, views and indexes only, by the words of its statements: SQLite goes by these alone,
   and not by the type that is written beside them;
   - the settings that SQLite recommends for files of strangers are on. */
#include "store/fence.h"

#include "store/tokens.h"

#include <stddef.h>

#define FUNCTION(name) name,
static const char *const functions[] = {
#include "store/functions.def"
    NULL};
#undef FUNCTION

bool fence_is_among(const char *name, const char *const *names)
{
    for (; *names; names++)
        if (!sqlite3_stricmp(name, *names))
            return true;
    return false;
}

bool fence_allows_function(const char *name)
{
    return name && fence_is_among(name, functions);
}

/* The next token that is no blank, as a word to compare. */
static const char *next_word(const char *text, size_t *length)
{
    enum token_kind kind;
    while ((kind = token_next(text, length)) == TOKEN_BLANK)
        text += *length;
    return kind == TOKEN_WORD ? text : "";
}

static bool is_word(const char *text, size_t length, const char *word)
{
    return !sqlite3_strnicmp(text, word, (int)length) && !word[length];
}

bool fence_allows_schema(const char *sql)
{
    static const char *const things[] = {"table", "view", "index", "unique", NULL};
    size_t length = 0;
    if (!sql) /* an index that a table brings along */
        return true;
    const char *word = next_word(sql, &length);
    if (!*word || !is_word(word, length, "create"))
        return false;
    word = next_word(word + length, &length);
    for (const char *const *thing = things; *word && *thing; thing++)
        if (is_word(word, length, *thing))
            return true;
    return false;
}

void fence_connection(sqlite3 *connection)
{
    static const char *modules[] = {"json_each", "json_tree", "model", NULL};
    sqlite3_drop_modules(connection, modules);
    sqlite3_db_config(connection, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)NULL);
    sqlite3_db_config(connection, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, (int *)NULL);
    sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, (int *)NULL);
    sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0, (int *)NULL);
    sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, (int *)NULL);
    sqlite3_limit(connection, SQLITE_LIMIT_ATTACHED, 0);
}
