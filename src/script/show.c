/* Rows of a script as a table of SQL, for the code that prints tables: in a private connection in memory,
   with the columns that the script names. A script has no types, so that a column takes what comes. */
#include "script/parts.h"
#include "store/problem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_COLUMNS = 500, ROW_WORK = 1000 };

static int compare_texts(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/* Leaves a list of names of columns on the stack: those of `columns`, of the list's field columns, or all
   fields of the first row by name. */
static int choose_columns(lua_State *lua, int rows, int columns)
{
    if (columns && !lua_isnoneornil(lua, columns)) {
        luaL_checktype(lua, columns, LUA_TTABLE);
        lua_pushvalue(lua, columns);
        return lua_gettop(lua);
    }
    lua_pushliteral(lua, "columns");
    if (lua_rawget(lua, rows) == LUA_TTABLE)
        return lua_gettop(lua);
    lua_pop(lua, 1);
    const char *names[MOST_COLUMNS];
    size_t count = 0;
    lua_newtable(lua);
    if (lua_rawgeti(lua, rows, 1) == LUA_TTABLE)
        for (lua_pushnil(lua); lua_next(lua, -2) && count < MOST_COLUMNS; lua_pop(lua, 1))
            if (lua_type(lua, -2) == LUA_TSTRING)
                names[count++] = lua_tostring(lua, -2); /* the row keeps it */
    qsort(names, count, sizeof *names, compare_texts);
    int list = lua_gettop(lua) - 1;
    for (size_t i = 0; i < count; i++) {
        lua_pushstring(lua, names[i]);
        lua_rawseti(lua, list, (lua_Integer)i + 1);
    }
    lua_settop(lua, list);
    return list;
}

static void run(lua_State *lua, sqlite3 *connection, const char *sql)
{
    if (sqlite3_exec(connection, sql, NULL, NULL, NULL) != SQLITE_OK)
        luaL_error(lua, "%s", store_problem(connection));
}

/* `create table shown("a", "b")` and an insert with as many parameters, as texts on the stack. */
static void push_statements(lua_State *lua, int columns, lua_Integer count)
{
    luaL_Buffer names, marks;
    luaL_buffinit(lua, &names);
    luaL_addstring(&names, "create table shown(");
    for (lua_Integer i = 1; i <= count; i++) {
        lua_rawgeti(lua, columns, i);
        const char *name = lua_tostring(lua, -1);
        if (!name)
            luaL_error(lua, "names of columns are texts");
        const char *quoted = luaL_gsub(lua, name, "\"", "\"\"");
        lua_pushfstring(lua, "%s\"%s\"", i > 1 ? ", " : "", quoted);
        lua_replace(lua, -3);
        lua_pop(lua, 1);
        luaL_addvalue(&names);
    }
    luaL_addchar(&names, ')');
    luaL_pushresult(&names);
    luaL_buffinit(lua, &marks);
    luaL_addstring(&marks, "insert into shown values (");
    for (lua_Integer i = 1; i <= count; i++)
        luaL_addstring(&marks, i > 1 ? ", ?" : "?");
    luaL_addchar(&marks, ')');
    luaL_pushresult(&marks);
}

static void bind_field(lua_State *lua, sqlite3_stmt *insert, int at)
{
    struct script *script = script_of(lua);
    size_t size;
    const char *text;
    switch (lua_type(lua, -1)) {
    case LUA_TNIL:
        sqlite3_bind_null(insert, at);
        break;
    case LUA_TNUMBER:
        if (lua_isinteger(lua, -1))
            sqlite3_bind_int64(insert, at, lua_tointeger(lua, -1));
        else
            sqlite3_bind_double(insert, at, lua_tonumber(lua, -1));
        break;
    case LUA_TBOOLEAN:
        sqlite3_bind_int(insert, at, lua_toboolean(lua, -1));
        break;
    case LUA_TSTRING:
        text = lua_tolstring(lua, -1, &size);
        script->shown_bytes += size;
        if (script->shown_bytes > script->most)
            luaL_error(lua, "the rows have more than %d MB of text", (int)(script->most >> 20));
        sqlite3_bind_text64(insert, at, text, size, SQLITE_TRANSIENT, SQLITE_UTF8);
        break;
    default:
        luaL_error(lua, "a field of a row is a %s: numbers, texts, booleans and nil can be shown",
                   luaL_typename(lua, -1));
    }
}

static void insert_rows(lua_State *lua, sqlite3_stmt *insert, int rows, int columns, lua_Integer count)
{
    lua_Integer size = (lua_Integer)lua_rawlen(lua, rows);
    script_of(lua)->shown_bytes = 0;
    for (lua_Integer row = 1; row <= size; row++) {
        limits_spend(lua, ROW_WORK);
        if (lua_rawgeti(lua, rows, row) != LUA_TTABLE)
            luaL_error(lua, "a list of rows is needed: item %I is a %s", row, luaL_typename(lua, -1));
        sqlite3_reset(insert);
        for (lua_Integer i = 1; i <= count; i++) {
            lua_rawgeti(lua, columns, i);
            lua_rawget(lua, -2); /* no metamethods: they could run this again */
            bind_field(lua, insert, (int)i);
            lua_pop(lua, 1);
        }
        lua_pop(lua, 1);
        if (sqlite3_step(insert) != SQLITE_DONE)
            luaL_error(lua, "%s", store_problem(sqlite3_db_handle(insert)));
    }
}

/* The statement of an insert that fails halfway goes with script->rows at the end of the script. */
sqlite3_stmt *show_statement(lua_State *lua, int rows, int columns)
{
    struct script *script = script_of(lua);
    luaL_checktype(lua, rows, LUA_TTABLE);
    luaL_checkstack(lua, MOST_COLUMNS + 20, "too many columns");
    int names = choose_columns(lua, rows, columns);
    lua_Integer count = (lua_Integer)lua_rawlen(lua, names);
    luaL_argcheck(lua, count <= MOST_COLUMNS, rows, "too many columns");
    sqlite3_finalize(script->rows);
    script->rows = NULL;
    if (!count) {
        luaL_argcheck(lua, !lua_rawlen(lua, rows), rows, "the rows have no fields with names");
        return NULL;
    }
    if (!script->shown && sqlite3_open(":memory:", &script->shown) != SQLITE_OK)
        luaL_error(lua, "%s", store_problem(script->shown));
    push_statements(lua, names, count);
    if (!sqlite3_get_autocommit(script->shown)) /* an earlier call failed */
        run(lua, script->shown, "rollback");
    run(lua, script->shown, "drop table if exists shown");
    run(lua, script->shown, lua_tostring(lua, -2));
    run(lua, script->shown, "begin");
    if (sqlite3_prepare_v2(script->shown, lua_tostring(lua, -1), -1, &script->rows, NULL) != SQLITE_OK)
        luaL_error(lua, "%s", store_problem(script->shown));
    insert_rows(lua, script->rows, rows, names, count);
    sqlite3_finalize(script->rows);
    script->rows = NULL;
    run(lua, script->shown, "commit");
    if (sqlite3_prepare_v2(script->shown, "select * from shown order by rowid", -1, &script->rows, NULL) !=
        SQLITE_OK)
        luaL_error(lua, "%s", store_problem(script->shown));
    sqlite3_stmt *made = script->rows;
    script->rows = NULL;
    return made;
}

int show_rows(lua_State *lua)
{
    struct script *script = script_of(lua);
    if (!script->host.show)
        luaL_error(lua, "nothing can be shown here: return the rows");
    lua_settop(lua, 2);
    script->rows = show_statement(lua, 1, 2);
    struct error error = {0};
    if (script->rows && !script->host.show(script->host.show_context, script->rows, &error))
        return script_fail(lua, &error);
    sqlite3_finalize(script->rows);
    script->rows = NULL;
    return 0;
}
