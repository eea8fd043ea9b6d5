/* A state of Lua over the tables of a program: opened, run under its limits (limits.c), and closed. */
#include "base/output.h"
#include "base/regular_file.h"
#include "script/parts.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

int script_fail(lua_State *lua, const struct error *error)
{
    luaL_where(lua, 1);
    lua_pushstring(lua, error->text);
    lua_concat(lua, 2);
    return lua_error(lua);
}

static void set_number(lua_State *lua, const char *name, int64_t value)
{
    if (value) {
        lua_pushinteger(lua, value);
        lua_setfield(lua, -2, name);
    }
}

/* The table `assay`. */
static int open_assay(lua_State *lua)
{
    static const luaL_Reg calls[] = {
#define CALL(name, function, arguments, gives, doc) {#name, function},
#include "script/calls.def"
#undef CALL
        {NULL, NULL}};
    const struct script_host *host = &script_of(lua)->host;
    sandbox_open(lua, host->is_trusted);
    luaL_newlib(lua, calls);
    lua_newtable(lua);
    lua_setfield(lua, -2, "parameters");
    lua_newtable(lua);
    for (int i = 0; host->arguments && host->arguments[i]; i++) {
        lua_pushstring(lua, host->arguments[i]);
        lua_rawseti(lua, -2, i + 1);
    }
    lua_setfield(lua, -2, "arguments");
    lua_newtable(lua);
    if (host->choice) {
        set_number(lua, "function_", host->choice->function);
        set_number(lua, "loop", host->choice->loop);
        set_number(lua, "block", host->choice->block);
        set_number(lua, "program", host->choice->program);
    }
    lua_setfield(lua, -2, "selected");
    lua_setglobal(lua, "assay");
    rows_open(lua);
    return 0;
}

struct script *script_open(const struct script_host *host, struct error *error)
{
    struct script *script = memory_get(sizeof *script);
    *script = (struct script){.host = *host, .most = host->memory ? host->memory : SCRIPT_MEMORY};
    if (getrandom(&script->secret, sizeof script->secret, 0) != sizeof script->secret)
        script->secret = (uintptr_t)script * UINT64_C(0xd1342543de82ef95);
    script->lua = script->running = lua_newstate(limits_allocate, script);
    if (script->lua) {
        *(struct script **)lua_getextraspace(script->lua) = script;
        lua_pushcfunction(script->lua, open_assay);
        if (lua_pcall(script->lua, 0, 0, 0) == LUA_OK)
            return script;
    }
    error_set(error, NULL, "cannot start Lua: %s",
              script->lua ? lua_tostring(script->lua, -1) : "not enough memory");
    script_close(script);
    return NULL;
}

void script_close(struct script *script)
{
    if (!script)
        return;
    sqlite3_finalize(script->rows);
    if (script->lua)
        lua_close(script->lua);
    sqlite3_close(script->shown);
    cycles_close(script);
    free(script);
}

void script_set(struct script *script, const char *name, const char *value)
{
    lua_State *lua = script->lua;
    lua_getglobal(lua, "assay");
    lua_getfield(lua, -1, "parameters");
    if (!lua_stringtonumber(lua, value))
        lua_pushstring(lua, value);
    lua_setfield(lua, -2, name);
    lua_pop(lua, 2);
}

/* The message, with where in the script it was raised from; `message` is on the stack. */
static int add_callers(lua_State *lua)
{
    const char *message = lua_tostring(lua, 1);
    bool is_placed = message;
    if (!message && luaL_getmetafield(lua, 1, "__tostring") != LUA_TNIL)
        message = luaL_tolstring(lua, 1, NULL);
    if (!message)
        message = lua_pushfstring(lua, "an error that is not a text but a %s", luaL_typename(lua, 1));
    lua_Debug frame;
    luaL_Buffer text;
    luaL_buffinit(lua, &text);
    luaL_addstring(&text, message);
    bool is_first = true;
    for (int level = 1; level < 12 && lua_getstack(lua, level, &frame); level++) {
        lua_getinfo(lua, "Sl", &frame);
        if (frame.currentline <= 0)
            continue;
        if (!is_first || !is_placed) {
            lua_pushfstring(lua, is_first ? "; raised at %s:%d" : "; called at %s:%d", frame.short_src,
                            frame.currentline);
            luaL_addvalue(&text);
        }
        is_first = false;
    }
    luaL_pushresult(&text);
    return 1;
}

/* Calls what is on the stack, under the limits. */
static int call_watched(struct script *script, int arguments, int results, int handler)
{
    limits_begin(script);
    int state = lua_pcall(script->lua, arguments, results, handler);
    limits_end(script);
    if (state == LUA_OK && script->over) /* it caught that, and returned at once */
        state = LUA_ERRERR;
    if (script->host.output)
        fflush(script->host.output);
    return state;
}

static bool ended(struct script *script, const char *name, int state, struct error *error)
{
    lua_State *lua = script->lua;
    if (state == LUA_OK)
        return true;
    const char *message = lua_tostring(lua, -1);
    char reason[LIMITS_REASON];
    limits_reason(script, reason);
    if (*reason && (state == LUA_ERRMEM || state == LUA_ERRERR))
        return error_set(error, name, "%s", reason);
    if (state == LUA_ERRMEM)
        return error_set(error, name, "the computer refused more than %zu MB of memory", script->used >> 20);
    return error_set(error, NULL, "%s", message ? message : "the script failed without a message");
}

bool script_run_text(struct script *script, const char *name, const char *text, size_t size,
                     struct error *error)
{
    lua_State *lua = script->lua;
    lua_settop(lua, 0);
    lua_pushcfunction(lua, add_callers);
    char *chunk = memory_format("@%s", name);
    int state = luaL_loadbufferx(lua, text, size, chunk, "t");
    free(chunk);
    return ended(script, name, state == LUA_OK ? call_watched(script, 0, 1, 1) : state, error);
}

bool script_call(struct script *script, const char *name, lua_CFunction function, void *argument,
                 struct error *error)
{
    lua_State *lua = script->lua;
    lua_pushcfunction(lua, function); /* after add_callers and what the script returned */
    lua_insert(lua, 2);
    lua_settop(lua, 3);
    lua_pushlightuserdata(lua, argument);
    return ended(script, name, call_watched(script, 2, 1, 1), error);
}

static int call_it(lua_State *lua)
{
    lua_settop(lua, 1);
    if (!lua_isfunction(lua, 1))
        return 0;
    lua_call(lua, 0, 1);
    return 1;
}

bool script_call_returned(struct script *script, const char *name, struct error *error)
{
    return script_call(script, name, call_it, NULL, error);
}

double script_seconds(const struct script *script)
{
    return script->spent;
}

bool script_returned_function(const struct script *script)
{
    return lua_isfunction(script->lua, -1);
}

char *script_read(const char *path, struct error *error)
{
    char *text = regular_file_text(path, SCRIPT_SIZE_MAX, "a script", error);
    if (!text)
        return NULL;
    output_spare(path);
    /* `#!/usr/bin/env -S assay lua`: the line stays as a comment, so that numbers of lines are right. */
    if (text[0] == '#' && text[1] == '!')
        memcpy(text, "--", 2);
    return text;
}

static int make_rows(lua_State *lua)
{
    script_of(lua)->rows = show_statement(lua, 1, 0);
    return 0;
}

sqlite3_stmt *script_rows(struct script *script, struct error *error)
{
    lua_State *lua = script->lua;
    sqlite3_finalize(script->rows);
    script->rows = NULL;
    if (lua_gettop(lua) < 2 || lua_isnil(lua, -1))
        return NULL;
    lua_pushcfunction(lua, make_rows);
    lua_pushvalue(lua, -2);
    struct error found = {0};
    if (!ended(script, "what the script returned", call_watched(script, 1, 0, 0), &found))
        error_set(
            error, NULL, "%s%s",
            strstr(found.text, "what the script returned") ? "" : "what the script returned: ", found.text);
    return script->rows;
}
