/* Queries and rows.

   A row is a plain table of Lua with the columns as fields; its metatable, one for each table of the model,
   gives it the methods of methods.def. `function` is a word of Lua, so that row.function is not a name: any
   field may also be written with an underscore after it (row.function_).

   Raising an error leaves C without a way to tidy up, so whatever needs to be freed belongs to a value of
   Lua before anything can fail: a statement is a userdata that finalizes it. */
#include "model/tables.h"
#include "script/parts.h"
#include "store/problem.h"

#include <ctype.h>
#include <string.h>

static const char STATEMENT[] = "statement";

struct holder {
    sqlite3_stmt *statement;
};

static int finalize(lua_State *lua)
{
    struct holder *holder = lua_touserdata(lua, 1);
    sqlite3_finalize(holder->statement);
    holder->statement = NULL;
    return 0;
}

/* Prepares a query; leaves its holder on the stack. */
static struct holder *prepare(lua_State *lua, const char *sql)
{
    struct script *script = script_of(lua);
    limits_spend(lua, WORK_OF_QUERY + WORK_OF_COLUMN * strlen(sql));
    struct holder *holder = lua_newuserdatauv(lua, sizeof *holder, 0);
    holder->statement = NULL;
    luaL_setmetatable(lua, STATEMENT);
    static const struct store_choice nothing = {.may_be_null = ~0u};
    struct error error = {0};
    const char *rest = sql;
    struct store_choice choice = script->host.choice ? *script->host.choice : nothing;
    if (!store_prepare(script->host.store, sql, &choice, &holder->statement, &rest, &error))
        script_fail(lua, &error);
    if (!holder->statement)
        luaL_error(lua, "the query is empty");
    while (*rest == ';' || isspace((unsigned char)*rest))
        rest++;
    if (*rest)
        luaL_error(lua, "one query at a time: there is more after the first");
    return holder;
}

/* Binds the arguments from this index on to ?1, ?2, …. */
static void bind(lua_State *lua, sqlite3_stmt *statement, int first, int last)
{
    int wanted = 0;
    for (int i = 1; i <= sqlite3_bind_parameter_count(statement); i++) {
        const char *name = sqlite3_bind_parameter_name(statement, i);
        wanted += !name || name[0] == '?';
    }
    if (last - first + 1 != wanted)
        luaL_error(lua, "the query has %d parameter(s), and %d value(s) were given", wanted,
                   last - first + 1);
    for (int i = first; i <= last; i++) {
        int at = i - first + 1;
        size_t size;
        switch (lua_type(lua, i)) {
        case LUA_TNIL:
            sqlite3_bind_null(statement, at);
            break;
        case LUA_TBOOLEAN:
            sqlite3_bind_int(statement, at, lua_toboolean(lua, i));
            break;
        case LUA_TNUMBER:
            if (lua_isinteger(lua, i))
                sqlite3_bind_int64(statement, at, lua_tointeger(lua, i));
            else
                sqlite3_bind_double(statement, at, lua_tonumber(lua, i));
            break;
        case LUA_TSTRING: {
            const char *text = lua_tolstring(lua, i, &size);
            sqlite3_bind_text64(statement, at, text, size, SQLITE_TRANSIENT, SQLITE_UTF8);
            break;
        }
        default:
            luaL_error(lua, "value %d of a query is a %s: a number, a text, a boolean or nil is needed", at,
                       luaL_typename(lua, i));
        }
    }
}

sqlite3_stmt *rows_prepare(lua_State *lua, const char *sql)
{
    return prepare(lua, sql)->statement;
}

static bool step(lua_State *lua, sqlite3_stmt *statement)
{
    int state = sqlite3_step(statement);
    limits_spend(lua, WORK_OF_COLUMN * (size_t)sqlite3_column_count(statement));
    if (state == SQLITE_ROW)
        return true;
    if (state == SQLITE_INTERRUPT)
        limits_look(lua);
    if (state != SQLITE_DONE)
        luaL_error(lua, "%s", store_problem(sqlite3_db_handle(statement)));
    return false;
}

static void push_value(lua_State *lua, sqlite3_stmt *statement, int column)
{
    switch (sqlite3_column_type(statement, column)) {
    case SQLITE_INTEGER:
        lua_pushinteger(lua, sqlite3_column_int64(statement, column));
        break;
    case SQLITE_FLOAT:
        lua_pushnumber(lua, sqlite3_column_double(statement, column));
        break;
    case SQLITE_TEXT:
    case SQLITE_BLOB: {
        const void *bytes = sqlite3_column_blob(statement, column);
        lua_pushlstring(lua, bytes ? bytes : "", (size_t)sqlite3_column_bytes(statement, column));
        break;
    }
    default:
        lua_pushnil(lua);
    }
}

/* The current row as a table of this class. */
static void push_row(lua_State *lua, sqlite3_stmt *statement, const char *class)
{
    int columns = sqlite3_column_count(statement);
    lua_createtable(lua, 0, columns);
    for (int i = 0; i < columns; i++) {
        push_value(lua, statement, i);
        lua_setfield(lua, -2, sqlite3_column_name(statement, i));
    }
    if (luaL_getmetatable(lua, class) == LUA_TNIL) {
        lua_pop(lua, 1);
        luaL_getmetatable(lua, "row");
    }
    lua_setmetatable(lua, -2);
}

bool rows_step(lua_State *lua, sqlite3_stmt *statement)
{
    return step(lua, statement);
}

void rows_push(lua_State *lua, sqlite3_stmt *statement, const char *class)
{
    push_row(lua, statement, class);
}

/* All rows as a list with its columns. */
static void push_rows(lua_State *lua, sqlite3_stmt *statement, const char *class)
{
    lua_newtable(lua);
    lua_Integer count = 0;
    while (step(lua, statement)) {
        push_row(lua, statement, class);
        lua_rawseti(lua, -2, ++count);
    }
    int columns = sqlite3_column_count(statement);
    lua_createtable(lua, columns, 0);
    for (int i = 0; i < columns; i++) {
        lua_pushstring(lua, sqlite3_column_name(statement, i));
        lua_rawseti(lua, -2, i + 1);
    }
    lua_setfield(lua, -2, "columns");
}

int query_all(lua_State *lua)
{
    int last = lua_gettop(lua);
    struct holder *holder = prepare(lua, luaL_checkstring(lua, 1));
    bind(lua, holder->statement, 2, last);
    push_rows(lua, holder->statement, "row");
    return 1;
}

int query_value(lua_State *lua)
{
    int last = lua_gettop(lua);
    struct holder *holder = prepare(lua, luaL_checkstring(lua, 1));
    bind(lua, holder->statement, 2, last);
    if (!step(lua, holder->statement))
        return 0;
    push_value(lua, holder->statement, 0);
    return 1;
}

static int next_row(lua_State *lua)
{
    struct holder *holder = lua_touserdata(lua, lua_upvalueindex(1));
    if (!holder->statement)
        return 0;
    if (step(lua, holder->statement)) {
        push_row(lua, holder->statement, "row");
        return 1;
    }
    sqlite3_finalize(holder->statement);
    holder->statement = NULL;
    return 0;
}

int query_each(lua_State *lua)
{
    int last = lua_gettop(lua);
    struct holder *holder = prepare(lua, luaL_checkstring(lua, 1));
    bind(lua, holder->statement, 2, last);
    lua_pushcclosure(lua, next_row, 1);
    return 1;
}

/* A name that may stand in SQL as it is. */
static const char *check_name(lua_State *lua, int index)
{
    const char *name = luaL_checkstring(lua, index);
    bool is_good = *name;
    for (const char *at = name; *at; at++)
        is_good = is_good && (isalnum((unsigned char)*at) || *at == '_');
    if (!is_good)
        luaL_error(lua, "'%s' is not the name of a table or column", name);
    return name;
}

int rows_one(lua_State *lua)
{
    const char *table = check_name(lua, 1);
    luaL_checkinteger(lua, 2);
    lua_settop(lua, 2);
    struct holder *holder = prepare(lua, lua_pushfstring(lua, "select * from %s where id = ?1", table));
    bind(lua, holder->statement, 2, 2);
    if (!step(lua, holder->statement))
        return 0;
    push_row(lua, holder->statement, table);
    return 1;
}

int rows_where(lua_State *lua)
{
    const char *table = check_name(lua, 1);
    lua_settop(lua, 2);
    lua_pushfstring(lua, "select * from %s", table); /* 3: the text; the values come after it */
    int values = 0;
    if (!lua_isnil(lua, 2)) {
        luaL_checktype(lua, 2, LUA_TTABLE);
        for (lua_pushnil(lua); lua_next(lua, 2); values++) {
            luaL_checkstack(lua, 8, "too many conditions");
            luaL_argcheck(lua, lua_type(lua, -2) == LUA_TSTRING, 2, "names of columns are texts");
            lua_pushvalue(lua, -2);
            const char *column = check_name(lua, -1);
            size_t length = strlen(column);
            if (length && column[length - 1] == '_')
                lua_pushlstring(lua, column, length - 1);
            else
                lua_pushvalue(lua, -1);
            lua_pushfstring(lua, "%s %s \"%s\" is ?%d", lua_tostring(lua, 3), values ? "and" : "where",
                            lua_tostring(lua, -1), values + 1);
            lua_replace(lua, 3);
            lua_pop(lua, 2);
            lua_insert(lua, -2); /* the value stays below the key, which lua_next needs on top */
        }
    }
    int last = lua_gettop(lua);
    struct holder *holder = prepare(lua, lua_tostring(lua, 3));
    bind(lua, holder->statement, 4, last);
    push_rows(lua, holder->statement, table);
    return 1;
}

/* Paths of loops have no ids of their own: a row of loop_metrics is known by its loop and path. */
static bool is_path(const char *table)
{
    return !strcmp(table, "loop_metrics");
}

int64_t rows_id(lua_State *lua, int index, const char **table)
{
    luaL_checktype(lua, index, LUA_TTABLE);
    if (luaL_getmetafield(lua, index, "__name") != LUA_TSTRING)
        luaL_error(lua, "a row of a table is needed, such as assay.row('loops', 1)");
    *table = lua_tostring(lua, -1); /* kept alive by the metatable */
    lua_pop(lua, 1);
    lua_pushstring(lua, is_path(*table) ? "loop" : "id");
    if (lua_rawget(lua, index) != LUA_TNUMBER)
        luaL_error(lua, "the row has no id");
    int64_t id = lua_tointeger(lua, -1);
    lua_pop(lua, 1);
    return id;
}

int64_t rows_path(lua_State *lua, int index)
{
    lua_pushliteral(lua, "path");
    if (lua_rawget(lua, index) != LUA_TNUMBER)
        luaL_error(lua, "the row has no path");
    int64_t path = lua_tointeger(lua, -1);
    lua_pop(lua, 1);
    return path;
}

struct method {
    const char *table, *name, *result, *sql;
};
static const struct method methods[] = {
#define METHOD(table, name, result, sql, doc) {#table, #name, #result, sql},
#include "script/methods.def"
#undef METHOD
};
enum { METHODS = sizeof methods / sizeof *methods };

/* A method: its statement is prepared once, and kept. */
static int ask_method(lua_State *lua)
{
    const struct method *method = lua_touserdata(lua, lua_upvalueindex(1));
    const char *table;
    int64_t id = rows_id(lua, 1, &table);
    if (strcmp(table, method->table))
        luaL_error(lua, "%s is a method of rows of %s, not of %s", method->name, method->table, table);
    if (lua_rawgetp(lua, LUA_REGISTRYINDEX, method) != LUA_TUSERDATA) {
        prepare(lua, method->sql);
        lua_pushvalue(lua, -1);
        lua_rawsetp(lua, LUA_REGISTRYINDEX, method);
    }
    struct holder *holder = lua_touserdata(lua, -1);
    sqlite3_reset(holder->statement);
    sqlite3_bind_int64(holder->statement, 1, id);
    if (is_path(table))
        sqlite3_bind_int64(holder->statement, 2, rows_path(lua, 1));
    push_rows(lua, holder->statement, method->result);
    sqlite3_reset(holder->statement);
    return 1;
}

/* row:the(column): the row that a column refers to. */
static int follow(lua_State *lua)
{
    luaL_checktype(lua, 1, LUA_TTABLE);
    const char *column = luaL_checkstring(lua, 2);
    const char *table = luaL_getmetafield(lua, 1, "__name") == LUA_TSTRING ? lua_tostring(lua, -1) : "";
    /* Columns of instructions, a view, mean the same as those of the table below it. */
    const struct table_description *described = table_named(!strcmp(table, "instructions") ? "code" : table);
    const struct table_description *target = NULL;
    for (unsigned i = 0; described && i < described->column_count; i++)
        if (!strcmp(described->columns[i].name, column))
            target = described->columns[i].refers_to;
    if (!target)
        luaL_error(lua, "column %s of %s does not refer to a row of another table", column,
                   *table ? table : "this row");
    lua_settop(lua, 2);
    lua_rawget(lua, 1);
    if (lua_isnil(lua, -1))
        return 1;
    lua_pushstring(lua, !strcmp(target->name, "code") ? "instructions" : target->name);
    lua_insert(lua, -2);
    lua_remove(lua, 1);
    return rows_one(lua);
}

/* __index of a row: a method of its class, else the field without the underscore after it. */
static int find_field(lua_State *lua)
{
    lua_pushvalue(lua, 2);
    if (lua_rawget(lua, lua_upvalueindex(1)) != LUA_TNIL)
        return 1;
    size_t length = 0;
    const char *name = lua_type(lua, 2) == LUA_TSTRING ? lua_tolstring(lua, 2, &length) : NULL;
    if (!length || name[length - 1] != '_')
        return 0;
    lua_pushlstring(lua, name, length - 1);
    lua_rawget(lua, 1);
    return 1;
}

static void open_class(lua_State *lua, const char *table)
{
    if (!luaL_newmetatable(lua, table)) {
        lua_pop(lua, 1);
        return;
    }
    lua_newtable(lua);
    for (unsigned i = 0; i < METHODS; i++)
        if (!strcmp(methods[i].table, table)) {
            lua_pushlightuserdata(lua, (void *)&methods[i]);
            lua_pushcclosure(lua, ask_method, 1);
            lua_setfield(lua, -2, methods[i].name);
        }
    lua_pushcfunction(lua, follow);
    lua_setfield(lua, -2, "the");
    lua_pushcclosure(lua, find_field, 1);
    lua_setfield(lua, -2, "__index");
    lua_pushstring(lua, table);
    lua_setfield(lua, -2, "__metatable"); /* scripts cannot change it */
    lua_pop(lua, 1);
}

void rows_open(lua_State *lua)
{
    luaL_newmetatable(lua, STATEMENT);
    lua_pushcfunction(lua, finalize);
    lua_setfield(lua, -2, "__gc");
    lua_pop(lua, 1);
    for (unsigned i = 0; i < table_count; i++)
        open_class(lua, table_descriptions[i].name);
    open_class(lua, "instructions");
    open_class(lua, "row");
}
