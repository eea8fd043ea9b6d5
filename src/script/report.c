/* Reports as functions: what a command prints, as a value. The host makes the text, because views are rooms
   after this one (show/report/). */
#include "script/parts.h"

#include <stdlib.h>
#include <string.h>

static const char *option_of(lua_State *lua, int at, const char *name)
{
    if (!lua_istable(lua, at))
        return NULL;
    int type = lua_getfield(lua, at, name);
    if (type != LUA_TNIL && type != LUA_TSTRING)
        luaL_error(lua, "%s: a text is needed", name);
    return lua_tostring(lua, -1); /* the table keeps it, and the stack */
}

static const char *format_of(lua_State *lua, const char *format)
{
    if (format && strcmp(format, "text") && strcmp(format, "json") && strcmp(format, "csv"))
        luaL_error(lua, "the formats are text, json and csv, not '%s'", format);
    return format ? format : "text";
}

/* Leaves the text on the stack. Nothing here may raise an error while the memory is ours. */
static int push_report(lua_State *lua, const struct script_report *wanted)
{
    struct script *script = script_of(lua);
    char *text = NULL;
    size_t size = 0;
    struct error error = {0};
    FILE *out = open_memstream(&text, &size);
    bool done = out && script->host.report(script->host.context, wanted, out, &error);
    if (out)
        fclose(out);
    if (!done) {
        free(text);
        return script_fail(lua, &error);
    }
    char *copy = lua_newuserdatauv(lua, size ? size : 1, 0); /* may fail: then the text is lost, not more */
    memcpy(copy, text, size);
    free(text);
    lua_pushlstring(lua, copy, size);
    return 1;
}

static void need_reports(lua_State *lua)
{
    if (!script_of(lua)->host.report)
        luaL_error(lua, "there are no reports here");
}

int report_of(lua_State *lua)
{
    limits_spend(lua, WORK_OF_REPORT);
    const char *table;
    lua_settop(lua, 2);
    need_reports(lua);
    if (!lua_isnil(lua, 2))
        luaL_checktype(lua, 2, LUA_TTABLE);
    struct script_report wanted = {.id = rows_id(lua, 1, &table)};
    luaL_argcheck(lua, !strcmp(table, "loops") || !strcmp(table, "loop_metrics"), 1, "a loop is needed");
    wanted.level = option_of(lua, 2, "level");
    wanted.format = format_of(lua, option_of(lua, 2, "format"));
    return push_report(lua, &wanted);
}

int rows_as_text(lua_State *lua)
{
    struct script *script = script_of(lua);
    lua_settop(lua, 2);
    need_reports(lua);
    struct script_report wanted = {.format = format_of(lua, luaL_optstring(lua, 2, NULL))};
    script->rows = show_statement(lua, 1, 0);
    wanted.rows = script->rows;
    if (!wanted.rows) {
        lua_pushliteral(lua, "");
        return 1;
    }
    push_report(lua, &wanted);
    sqlite3_finalize(script->rows);
    script->rows = NULL;
    return 1;
}
