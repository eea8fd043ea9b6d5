/* What a script may use of Lua's own libraries.

   Without trust: the language, strings, tables, mathematics, UTF-8 and coroutines. Left out are files and
   processes (io, os, dofile, loadfile), libraries (package, require), the debugger, which could take the
   limits away, code that was compiled before, which Lua does not check, and addresses (%p). Finalizers are
   refused, because Lua runs them without its hook: an endless one could not be stopped. For the same reason
   the handler of xpcall is called when the error has been caught, not while it is raised. */
#include "script/parts.h"

#include <string.h>

static int load_text(lua_State *lua)
{
    if (lua_iscfunction(lua, 1)) /* which could go on for ever: no instruction of Lua is between two calls */
        return luaL_error(lua, "load takes a text or a function of Lua, unless --trust is given");
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

/* As luaL_tolstring, but a number that only this run knows in place of an address, which would tell an
   attacker where things are. */
static const char *push_text(lua_State *lua, int index, size_t *size)
{
    static const uint64_t odd = 0x9e3779b97f4a7c15;
    const struct script *script = script_of(lua);
    const void *address = lua_topointer(lua, index);
    if (script->host.is_trusted || !address || lua_type(lua, index) == LUA_TSTRING)
        return luaL_tolstring(lua, index, size);
    if (luaL_getmetafield(lua, index, "__tostring") != LUA_TNIL) {
        lua_pop(lua, 1);
        return luaL_tolstring(lua, index, size);
    }
    char number[24];
    snprintf(number, sizeof number, "%012llx",
             (unsigned long long)(((uint64_t)(uintptr_t)address ^ script->secret) * odd >> 16));
    lua_pushfstring(lua, "%s: %s", luaL_typename(lua, index), number);
    return lua_tolstring(lua, -1, size);
}

static int to_text(lua_State *lua)
{
    luaL_checkany(lua, 1);
    push_text(lua, 1, NULL);
    return 1;
}

/* Whether a format has %p, an address. */
static bool shows_address(const char *format, size_t size)
{
    const char *end = format + size;
    while (format < end && (format = memchr(format, '%', (size_t)(end - format)))) {
        format += 1 + strspn(format + 1, "-+ #0123456789.");
        if (*format == 'p')
            return true;
        format += format < end;
    }
    return false;
}

/* Upvalue: Lua's own. */
static int format_text(lua_State *lua)
{
    size_t size;
    const char *format = luaL_checklstring(lua, 1, &size);
    if (shows_address(format, size))
        return luaL_error(lua, "addresses (%%p) need --trust");
    int count = lua_gettop(lua);
    for (int i = 2; i <= count; i++)
        if (lua_type(lua, i) != LUA_TSTRING && lua_topointer(lua, i)) {
            push_text(lua, i, NULL);
            lua_replace(lua, i);
        }
    lua_pushvalue(lua, lua_upvalueindex(1));
    lua_insert(lua, 1);
    lua_call(lua, count, 1);
    return 1;
}

static int print_line(lua_State *lua)
{
    FILE *output = script_of(lua)->host.output;
    int count = lua_gettop(lua);
    for (int i = 1; output && i <= count; i++) {
        size_t size;
        const char *text = push_text(lua, i, &size);
        fwrite(text, 1, size, output);
        putc(i < count ? '\t' : '\n', output);
        lua_pop(lua, 1);
    }
    if (!count && output)
        putc('\n', output);
    return 0;
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
    lua_register(lua, "tostring", to_text);
    lua_getglobal(lua, LUA_STRLIBNAME);
    bounded_replace(lua, "format", format_text);
    lua_pushglobaltable(lua);
    bounded_replace(lua, "load", load_text);
    bounded_replace(lua, "setmetatable", set_metatable);
    lua_pop(lua, 2);
    lua_register(lua, "xpcall", call_with_handler);
    forget(lua, "dofile");
    forget(lua, "loadfile");
    forget(lua, "warn");
}
