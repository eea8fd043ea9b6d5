/* Functions of Lua's tables and coroutines that could go on for ever without an instruction of Lua, which is
   where a script is stopped: in versions that look at the script's limits themselves.

   A length may be whatever a script says (__len), and elements and comparisons may come from functions in C,
   so that going through them one by one may take years. Sorting compares texts, which may be long. A
   collection of garbage takes the longer the more is alive, and any function in C may call it in turn.

   A coroutine has a hook of its own: one that creates others, and those others again, would get the time to
   its next hook at every level; so none is created or resumed once the script has to end. Nor is one closed
   that was ended by its hook: Lua runs no hook in it any more, and its variables may have __close. It is also
   noted which one runs, for the allocator. */
#include "script/parts.h"

enum { COSTLY = 16, WORK_OF_VALUE = 2 }; /* of a call and of a value, in characters that are compared */

static void move_one(lua_State *lua, int from_table, lua_Integer from, int to_table, lua_Integer to)
{
    limits_spend(lua, COSTLY);
    lua_geti(lua, from_table, from);
    lua_seti(lua, to_table, to);
}

/* Tables, or what acts like one. */
static void check_table(lua_State *lua, int at)
{
    if (lua_istable(lua, at))
        return;
    if (!lua_getmetatable(lua, at))
        luaL_checktype(lua, at, LUA_TTABLE);
    else
        lua_pop(lua, 1);
}

static int table_insert(lua_State *lua)
{
    check_table(lua, 1);
    lua_Integer end = (lua_Integer)((lua_Unsigned)luaL_len(lua, 1) + 1), place = end;
    int count = lua_gettop(lua);
    if (count != 2 && count != 3)
        return luaL_error(lua, "wrong number of arguments to 'insert'");
    if (count == 3) {
        place = luaL_checkinteger(lua, 2);
        luaL_argcheck(lua, (lua_Unsigned)place - 1u < (lua_Unsigned)end, 2, "position out of bounds");
        for (lua_Integer i = end; i > place; i--)
            move_one(lua, 1, i - 1, 1, i);
    }
    lua_seti(lua, 1, place);
    return 0;
}

static int table_remove(lua_State *lua)
{
    check_table(lua, 1);
    lua_Integer size = luaL_len(lua, 1), place = luaL_optinteger(lua, 2, size);
    luaL_argcheck(lua, place == size || (lua_Unsigned)place - 1u <= (lua_Unsigned)size, 2,
                  "position out of bounds");
    lua_geti(lua, 1, place);
    for (; place < size; place++)
        move_one(lua, 1, place + 1, 1, place);
    lua_pushnil(lua);
    lua_seti(lua, 1, place);
    return 1;
}

static int table_move(lua_State *lua)
{
    lua_Integer first = luaL_checkinteger(lua, 2), last = luaL_checkinteger(lua, 3),
                target = luaL_checkinteger(lua, 4);
    int to = lua_isnoneornil(lua, 5) ? 1 : 5;
    check_table(lua, 1);
    check_table(lua, to);
    if (last >= first) {
        luaL_argcheck(lua, first > 0 || last < LUA_MAXINTEGER + first, 3, "too many elements to move");
        lua_Integer count = last - first + 1;
        luaL_argcheck(lua, target <= LUA_MAXINTEGER - count + 1, 4, "destination wrap around");
        bool is_upward = target > last || target <= first || (to != 1 && !lua_compare(lua, 1, to, LUA_OPEQ));
        for (lua_Integer i = 0; i < count; i++) {
            lua_Integer k = is_upward ? i : count - 1 - i;
            move_one(lua, 1, first + k, to, target + k);
        }
    }
    lua_pushvalue(lua, to);
    return 1;
}

static int table_concat(lua_State *lua)
{
    check_table(lua, 1);
    size_t size;
    lua_Integer last = luaL_len(lua, 1);
    const char *between = luaL_optlstring(lua, 2, "", &size);
    lua_Integer first = luaL_optinteger(lua, 3, 1);
    last = luaL_optinteger(lua, 4, last);
    luaL_Buffer text;
    luaL_buffinit(lua, &text);
    for (lua_Integer i = first; i <= last; i++) {
        limits_spend(lua, COSTLY);
        lua_geti(lua, 1, i);
        if (!lua_isstring(lua, -1))
            return luaL_error(lua, "invalid value (at index %I) in table for 'concat'", (LUAI_UACINT)i);
        luaL_addvalue(&text);
        if (i == last) /* which may be the largest number */
            break;
        luaL_addlstring(&text, between, size);
    }
    luaL_pushresult(&text);
    return 1;
}

static int is_less(lua_State *lua)
{
    size_t work = 1;
    if (lua_type(lua, 1) == LUA_TSTRING && lua_type(lua, 2) == LUA_TSTRING)
        work += lua_rawlen(lua, 1) < lua_rawlen(lua, 2) ? lua_rawlen(lua, 1) : lua_rawlen(lua, 2);
    limits_spend(lua, work);
    lua_pushboolean(lua, lua_compare(lua, 1, 2, LUA_OPLT));
    return 1;
}

/* Upvalue: a comparison in C that the script gives. */
static int is_less_by_function(lua_State *lua)
{
    limits_spend(lua, COSTLY);
    lua_settop(lua, 2);
    lua_pushvalue(lua, lua_upvalueindex(1));
    lua_insert(lua, 1);
    lua_call(lua, 2, 1);
    return 1;
}

/* Lua's own with a comparison that counts, where the script gives none of its own. Upvalue: Lua's own. */
static int table_sort(lua_State *lua)
{
    lua_settop(lua, 2);
    if (lua_isnil(lua, 2)) {
        lua_pushcfunction(lua, is_less);
        lua_replace(lua, 2);
    } else if (lua_iscfunction(lua, 2)) {
        lua_pushcclosure(lua, is_less_by_function, 1);
    }
    lua_pushvalue(lua, lua_upvalueindex(1));
    lua_insert(lua, 1);
    lua_call(lua, 2, 0);
    return 0;
}

/* Calls Lua's own function, the upvalue, with the same arguments, while this coroutine is the running one. */
static int call_original(lua_State *lua, lua_State *running)
{
    struct script *script = script_of(lua);
    lua_State *before = script->running;
    limits_look(lua);
    lua_pushvalue(lua, lua_upvalueindex(1));
    lua_insert(lua, 1);
    script->running = running ? running : before;
    int state = lua_pcall(lua, lua_gettop(lua) - 1, LUA_MULTRET, 0);
    script->running = before;
    return state == LUA_OK ? lua_gettop(lua) : lua_error(lua);
}

/* coroutine.create, coroutine.close */
static int call_unless_over(lua_State *lua)
{
    return call_original(lua, NULL);
}

static int collect_garbage(lua_State *lua)
{
    limits_spend(lua, script_of(lua)->used / COSTLY);
    return call_original(lua, NULL);
}

static int coroutine_resume(lua_State *lua)
{
    return call_original(lua, lua_tothread(lua, 1));
}

/* Upvalues: Lua's coroutine.resume, the coroutine. An error goes through, with its place. */
static int resume_wrapped(lua_State *lua)
{
    lua_State *coroutine = lua_tothread(lua, lua_upvalueindex(2));
    lua_pushvalue(lua, lua_upvalueindex(2));
    lua_insert(lua, 1);
    int count = call_original(lua, coroutine);
    if (lua_toboolean(lua, 1))
        return count - 1;
    int state = lua_status(coroutine);
    limits_look(lua);
    if (state != LUA_OK && state != LUA_YIELD && lua_resetthread(coroutine) != LUA_OK)
        lua_xmove(coroutine, lua, 1); /* its variables are closed; the error may be another one now */
    if (state != LUA_ERRMEM && lua_type(lua, -1) == LUA_TSTRING) {
        luaL_where(lua, 1);
        lua_insert(lua, -2);
        lua_concat(lua, 2);
    }
    return lua_error(lua);
}

/* Upvalues: Lua's coroutine.create and coroutine.resume. */
static int coroutine_wrap(lua_State *lua)
{
    lua_settop(lua, 1);
    call_original(lua, NULL);
    lua_pushvalue(lua, lua_upvalueindex(2));
    lua_insert(lua, -2);
    lua_pushcclosure(lua, resume_wrapped, 2);
    return 1;
}

/* Calls a function that takes or gives any number of values: each is work. */
static int call_counted(lua_State *lua)
{
    limits_spend(lua, WORK_OF_VALUE * (size_t)lua_gettop(lua));
    lua_pushvalue(lua, lua_upvalueindex(1));
    lua_insert(lua, 1);
    lua_call(lua, lua_gettop(lua) - 1, LUA_MULTRET);
    limits_spend(lua, WORK_OF_VALUE * (size_t)lua_gettop(lua));
    return lua_gettop(lua);
}

static void count_values(lua_State *lua)
{
    static const char *const counted[][2] = {
        {LUA_STRLIBNAME, "byte"},   {LUA_STRLIBNAME, "char"},       {LUA_TABLIBNAME, "pack"},
        {LUA_TABLIBNAME, "unpack"}, {LUA_MATHLIBNAME, "max"},       {LUA_MATHLIBNAME, "min"},
        {LUA_UTF8LIBNAME, "char"},  {LUA_UTF8LIBNAME, "codepoint"}, {LUA_GNAME, "select"}};
    for (size_t i = 0; i < sizeof counted / sizeof *counted; i++) {
        lua_getglobal(lua, counted[i][0]);
        bounded_replace(lua, counted[i][1], call_counted);
        lua_pop(lua, 1);
    }
}

void bounded_replace(lua_State *lua, const char *name, lua_CFunction function)
{
    lua_getfield(lua, -1, name);
    lua_pushcclosure(lua, function, 1);
    lua_setfield(lua, -2, name);
}

void bounded_open(lua_State *lua)
{
    static const luaL_Reg functions[] = {{"concat", table_concat},
                                         {"insert", table_insert},
                                         {"move", table_move},
                                         {"remove", table_remove},
                                         {NULL, NULL}};
    lua_getglobal(lua, LUA_TABLIBNAME);
    luaL_setfuncs(lua, functions, 0);
    bounded_replace(lua, "sort", table_sort);
    lua_getglobal(lua, LUA_COLIBNAME);
    lua_getfield(lua, -1, "create");
    lua_getfield(lua, -2, "resume");
    lua_pushcclosure(lua, coroutine_wrap, 2);
    lua_setfield(lua, -2, "wrap");
    bounded_replace(lua, "close", call_unless_over);
    bounded_replace(lua, "create", call_unless_over);
    bounded_replace(lua, "resume", coroutine_resume);
    lua_pushglobaltable(lua);
    bounded_replace(lua, "collectgarbage", collect_garbage);
    lua_pop(lua, 3);
    count_values(lua);
}
