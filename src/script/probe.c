/* assay.probe{…}: what a script wants to have probed, as words of a plan (run/probe/plan/text.h).

   The script runs before the program does. It chooses places by looking at the tables; the wishes that it
   makes go the same way as those of a plan's file, and nothing of it is in the watched process. */
#include "script/parts.h"

#include <string.h>

enum { MOST_WISHES = 10000, MOST_TEXT = 4096 };

static const char *const words[] = {"functions", "loops", "loop", "calls", "values", "addresses", "at", NULL};
static const char *const flags[] = {"no_clock", "keep_all", NULL};

/* The text of a wish from what a script gives: a text, a number, or a row. */
static const char *text_of(lua_State *lua, int at, const char *word)
{
    if (lua_type(lua, at) == LUA_TSTRING || lua_isinteger(lua, at))
        return luaL_tolstring(lua, at, NULL);
    luaL_argcheck(lua, lua_istable(lua, at), 1, "texts, numbers, rows or lists of them are needed");
    if (luaL_getmetafield(lua, at, "__name") != LUA_TSTRING)
        luaL_error(lua, "%s: a row, a text or a number is needed", word);
    const char *table = lua_tostring(lua, -1);
    bool wants_loop = !strcmp(word, "loop") || !strcmp(word, "loops") || !strcmp(word, "addresses");
    if (wants_loop && (!strcmp(table, "loops") || !strcmp(table, "loop_metrics")))
        return lua_pushfstring(lua, "%I", (lua_Integer)rows_id(lua, at, &table));
    if (!wants_loop && !strcmp(table, "functions") && strcmp(word, "at")) {
        lua_pushliteral(lua, "name");
        lua_rawget(lua, at);
        return luaL_checkstring(lua, -1);
    }
    luaL_error(lua, "%s cannot be a row of %s", word, table);
    return NULL;
}

/* {instruction, "x3"}: its address and a register or variable. */
static const char *place_and_name(lua_State *lua, int at)
{
    lua_rawgeti(lua, at, 1);
    lua_rawgeti(lua, at, 2);
    const char *name = luaL_checkstring(lua, -1);
    luaL_checktype(lua, -2, LUA_TTABLE);
    lua_pushliteral(lua, "address");
    if (lua_rawget(lua, -3) != LUA_TNUMBER)
        luaL_error(lua, "at: {instruction, \"register\"} is needed");
    char address[24];
    snprintf(address, sizeof address, "0x%llx", (unsigned long long)lua_tointeger(lua, -1));
    return lua_pushfstring(lua, "%s %s", address, name);
}

static void wish(lua_State *lua, const char *word, const char *text)
{
    struct script *script = script_of(lua);
    struct error error = {0};
    limits_look(lua);
    if (++script->wishes > MOST_WISHES)
        luaL_error(lua, "a plan may have %d wishes: a regular expression chooses many functions at once",
                   MOST_WISHES);
    if (text && strlen(text) > MOST_TEXT)
        luaL_error(lua, "%s: a text of more than %d bytes is not a name", word, MOST_TEXT);
    luaL_where(lua, 1); /* "plan.lua:3: " */
    size_t length;
    const char *where = lua_tolstring(lua, -1, &length);
    lua_pushlstring(lua, where, length > 2 ? length - 2 : 0);
    if (!script->host.probe(script->host.context, word, text, lua_tostring(lua, -1), &error))
        luaL_error(lua, "%s", error.text);
    lua_pop(lua, 2);
}

static bool is_row(lua_State *lua, int at)
{
    bool is = luaL_getmetafield(lua, at, "__name") != LUA_TNIL;
    if (is)
        lua_pop(lua, 1);
    return is;
}

/* A value at the top of the stack: one thing, or a list. */
static void wish_all(lua_State *lua, const char *word)
{
    int at = lua_gettop(lua);
    bool is_at = !strcmp(word, "at");
    bool is_list = lua_istable(lua, at) && !is_row(lua, at);
    if (is_at && is_list) { /* one pair, or a list of pairs */
        bool is_pair = lua_rawgeti(lua, at, 2) == LUA_TSTRING && lua_rawgeti(lua, at, 1) == LUA_TTABLE;
        lua_settop(lua, at);
        if (is_pair) {
            wish(lua, word, place_and_name(lua, at));
            return;
        }
    }
    lua_Integer count = is_list ? (lua_Integer)lua_rawlen(lua, at) : 1;
    for (lua_Integer i = 1; i <= count; i++) {
        if (is_list)
            lua_rawgeti(lua, at, i);
        int item = lua_gettop(lua);
        bool is_pair = is_at && lua_istable(lua, item);
        wish(lua, word, is_pair ? place_and_name(lua, item) : text_of(lua, item, word));
        lua_settop(lua, at);
    }
}

static bool is_among(const char *const *names, const char *name)
{
    while (*names && strcmp(*names, name))
        names++;
    return *names;
}

int script_probe_wish(lua_State *lua)
{
    luaL_checktype(lua, 1, LUA_TTABLE);
    lua_settop(lua, 1);
    if (!script_of(lua)->host.probe)
        return luaL_error(lua, "probes are planned by assay probe --plan FILE.lua -- PROGRAM");
    for (lua_pushnil(lua); lua_next(lua, 1); lua_settop(lua, 2)) {
        const char *word = lua_type(lua, 2) == LUA_TSTRING ? lua_tostring(lua, 2) : "";
        if (is_among(flags, word)) {
            if (lua_toboolean(lua, 3))
                wish(lua, !strcmp(word, "no_clock") ? "no-clock" : "keep-all", NULL);
        } else if (is_among(words, word)) {
            wish_all(lua, word);
        } else {
            return luaL_error(
                lua,
                "assay.probe takes functions, loops, loop, calls, values, addresses, at, no_clock "
                "and keep_all, not '%s'",
                *word ? word : luaL_typename(lua, 2));
        }
    }
    return 0;
}
