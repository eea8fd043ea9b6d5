/* What a script may use of Lua's own libraries.

   Without trust: the language, strings, tables, mathematics, UTF-8 and coroutines. Left out are files and
   processes (io, os, dofile, loadfile), libraries (package, require), the debugger, which could take the
   limits away, and code that was compiled before, which Lua does not check. Finalizers are refused, because
   Lua runs them without its hook: an endless one could not be stopped. For the same reason the handler of
   xpcall is called when the error has been caught, not while it is raised. */
#include "script/parts.h"

#include <string.h>

static int load_text(lua_State *lua)
{
    /* load(chunk, name, mode, environment) with the mode always "t". */
    lua_settop(lua, lua_gettop(lua) < 4 ? (lua_isnone(lua, 4) ? 3 : 4) : 4);
    lua_pushliteral(lua, "t");
    lua_replace(lua, 3);
    int count = lua_gettop(lua);
    lua_pushvalue(lua, lua_upvalueindex(1));
    lua_insert(lua, 1);
    lua_call(lua, count, LUA_MULTRET);
    return lua_gettop(lua);
}

static int set_metatable(lua_State *lua)
{
    luaL_checktype(lua, 1, LUA_TTABLE);
    if (lua_istable(lua, 2) && (lua_pushliteral(lua, "__gc"), lua_rawget(lua, 2)) != LUA_TNIL)
        return luaL_error(lua, "finalizers (__gc) need --trust");
    lua_settop(lua, 2);
    lua_pushvalue(lua, lua_upvalueindex(1));
    lua_insert(lua, 1);
    lua_call(lua, 2, 1);
    return 1;
}

static int call_with_handler(lua_State *lua)
{
    luaL_checktype(lua, 2, LUA_TFUNCTION);
    lua_pushvalue(lua, 2); /* the handler below, the function above it */
    lua_pushvalue(lua, 1);
    lua_replace(lua, 2);
    lua_replace(lua, 1);
    int count = lua_gettop(lua) - 2;
    if (lua_pcall(lua, count, LUA_MULTRET, 0) == LUA_OK) {
        lua_pushboolean(lua, true);
        lua_replace(lua, 1);
        return lua_gettop(lua);
    }
    lua_pushvalue(lua, 1);
    lua_insert(lua, -2);
    lua_call(lua, 1, 1);
    lua_pushboolean(lua, false);
    lua_insert(lua, -2);
    return 2;
}

static int print_line(lua_State *lua)
{
    FILE *output = script_of(lua)->host.output;
    int count = lua_gettop(lua);
    for (int i = 1; output && i <= count; i++) {
        size_t size;
        const char *text = luaL_tolstring(lua, i, &size);
        fwrite(text, 1, size, output);
        putc(i < count ? '\t' : '\n', output);
        lua_pop(lua, 1);
    }
    if (!count && output)
        putc('\n', output);
    return 0;
}

static void wrap(lua_State *lua, const char *name, lua_CFunction function)
{
    lua_getglobal(lua, name);
    lua_pushcclosure(lua, function, 1);
    lua_setglobal(lua, name);
}

static void forget(lua_State *lua, const char *name)
{
    lua_pushnil(lua);
    lua_setglobal(lua, name);
}

void sandbox_open(lua_State *lua, bool is_trusted)
{
    static const struct {
        const char *name;
        lua_CFunction open;
        bool needs_trust;
    } libraries[] = {{LUA_GNAME, luaopen_base, false},         {LUA_STRLIBNAME, luaopen_string, false},
                     {LUA_TABLIBNAME, luaopen_table, false},   {LUA_MATHLIBNAME, luaopen_math, false},
                     {LUA_UTF8LIBNAME, luaopen_utf8, false},   {LUA_COLIBNAME, luaopen_coroutine, false},
                     {LUA_LOADLIBNAME, luaopen_package, true}, {LUA_IOLIBNAME, luaopen_io, true},
                     {LUA_OSLIBNAME, luaopen_os, true},        {LUA_DBLIBNAME, luaopen_debug, true}};
    for (unsigned i = 0; i < sizeof libraries / sizeof *libraries; i++)
        if (is_trusted || !libraries[i].needs_trust) {
            luaL_requiref(lua, libraries[i].name, libraries[i].open, 1);
            lua_pop(lua, 1);
        }
    lua_register(lua, "print", print_line);
    texts_open(lua);
    bounded_open(lua);
    if (is_trusted)
        return;
    wrap(lua, "load", load_text);
    wrap(lua, "setmetatable", set_metatable);
    lua_register(lua, "xpcall", call_with_handler);
    forget(lua, "dofile");
    forget(lua, "loadfile");
    forget(lua, "warn");
}
