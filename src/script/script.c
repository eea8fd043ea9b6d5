/* A state of Lua with limits.

   Memory is counted by the allocator; what goes beyond the limit fails as if the computer had no more, which
   Lua turns into an error. A hook after every STRIDE instructions looks whether the script was stopped or
   used its steps up. A script may catch that error (pcall), so from then on the hook comes after every single
   instruction: wherever the script catches it, its next instruction raises it again, until nobody is left
   to catch it. */
#include "base/output.h"
#include "base/regular_file.h"
#include "script/parts.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { STRIDE = 100000, STEPS_OF_SQL = 10000 };

static void *allocate(void *context, void *block, size_t old, size_t size)
{
    struct script *script = context;
    old = block ? old : 0;
    if (!size) {
        free(block);
        script->used -= old;
        return NULL;
    }
    if (size > old && size - old > script->most - script->used) {
        script->is_short = true;
        return NULL;
    }
    void *found = realloc(block, size);
    if (found)
        script->used += size - old;
    return found;
}

static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static bool is_late(const struct script *script)
{
    return script->host.seconds > 0 && processor_seconds() - script->begun > script->host.seconds;
}

/* Asked by SQLite now and then, of a script with a limit of time. */
static int query_must_end(void *context)
{
    struct script *script = context;
    return is_late(script) || (script->host.must_end && script->host.must_end(script->host.context));
}

static void look(lua_State *lua, lua_Debug *event)
{
    (void)event;
    struct script *script = script_of(lua);
    if (!script->is_over) {
        script->steps += STRIDE;
        script->is_stopped = script->host.must_end && script->host.must_end(script->host.context);
        script->is_late = is_late(script);
        script->is_over = script->is_stopped || script->is_late ||
                          (script->host.steps && script->steps >= script->host.steps);
    }
    if (!script->is_over)
        return;
    lua_sethook(lua, look, LUA_MASKCOUNT, 1);
    if (script->is_stopped)
        luaL_error(lua, "interrupted");
    if (script->is_late)
        luaL_error(lua, "stopped: it took longer than %d s, which is its limit here",
                   (int)script->host.seconds);
    luaL_error(lua, "stopped after %I million steps: --steps allows more",
               (lua_Integer)(script->host.steps / 1000000));
}

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
    script->lua = lua_newstate(allocate, script);
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
    if (!message)
        message = luaL_tolstring(lua, 1, NULL);
    lua_Debug frame;
    luaL_Buffer text;
    luaL_buffinit(lua, &text);
    luaL_addstring(&text, message);
    bool is_first = true;
    for (int level = 1; level < 12 && lua_getstack(lua, level, &frame); level++) {
        lua_getinfo(lua, "Sl", &frame);
        if (frame.currentline <= 0)
            continue;
        if (!is_first) {
            lua_pushfstring(lua, "; called at %s:%d", frame.short_src, frame.currentline);
            luaL_addvalue(&text);
        }
        is_first = false;
    }
    luaL_pushresult(&text);
    return 1;
}

/* Calls what is on the stack behind add_callers, at index 1, and leaves one result. */
static int call_watched(struct script *script, int arguments)
{
    sqlite3 *connection = script->host.seconds > 0 ? store_connection(script->host.store) : NULL;
    script->is_short = script->is_over = false;
    script->begun = processor_seconds();
    if (connection)
        sqlite3_progress_handler(connection, STEPS_OF_SQL, query_must_end, script);
    lua_sethook(script->lua, look, LUA_MASKCOUNT, STRIDE);
    int state = lua_pcall(script->lua, arguments, 1, 1);
    lua_sethook(script->lua, NULL, 0, 0);
    if (connection)
        sqlite3_progress_handler(connection, 0, NULL, NULL);
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
    if (state == LUA_ERRMEM)
        return error_set(error, name, "%s %zu MB of memory: --memory-limit allows more",
                         script->is_short ? "used all its" : "the computer refused more than",
                         (script->is_short ? script->most : script->used) >> 20);
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
    return ended(script, name, state == LUA_OK ? call_watched(script, 0) : state, error);
}

bool script_call(struct script *script, const char *name, lua_CFunction function, void *argument,
                 struct error *error)
{
    lua_State *lua = script->lua;
    lua_pushcfunction(lua, function); /* behind add_callers and what the script returned */
    lua_insert(lua, 2);
    lua_settop(lua, 3);
    lua_pushlightuserdata(lua, argument);
    return ended(script, name, call_watched(script, 2), error);
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

bool script_returned_function(const struct script *script)
{
    return lua_isfunction(script->lua, -1);
}

bool script_run_file(struct script *script, const char *path, struct error *error)
{
    char *text = regular_file_text(path, SCRIPT_SIZE_MAX, "a script", error);
    if (!text)
        return false;
    output_spare(path);
    /* `#!/usr/bin/env -S assay lua`: the line stays as a comment, so that numbers of lines are right. */
    if (text[0] == '#' && text[1] == '!')
        memcpy(text, "--", 2);
    bool done = script_run_text(script, path, text, strlen(text), error);
    free(text);
    return done;
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
    if (lua_pcall(lua, 1, 0, 0) != LUA_OK)
        error_set(error, NULL, "what the script returned: %s", lua_tostring(lua, -1));
    return script->rows;
}

const struct script_entry script_entries[] = {
#define CALL(name, function, arguments, gives, doc) {NULL, #name, arguments, gives, doc},
#include "script/calls.def"
#undef CALL
#define METHOD(table, name, result, sql, doc) {#table, #name, "", #result, doc},
#include "script/methods.def"
#undef METHOD
};
const unsigned script_entry_count = sizeof script_entries / sizeof *script_entries;
