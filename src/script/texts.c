/* string.find, match, gmatch, gsub and rep, with limits: what Lua's own do, by patterns.h. */
#include "script/parts.h"
#include "script/patterns.h"

#include <string.h>

static size_t place_of_number(lua_Integer number, size_t length)
{
    if (number > 0)
        return (size_t)number;
    if (number == 0 || number < -(lua_Integer)length)
        return 1;
    return length + (size_t)number + 1;
}

/* Pushes a capture; where there is none at all, the first is the whole match. */
static void push_capture(lua_State *lua, const struct pattern *pattern, unsigned number, const char *start,
                         const char *end)
{
    if (number >= pattern->capture_count) {
        if (number)
            luaL_error(lua, "invalid capture index %%%d", (int)number + 1);
        lua_pushlstring(lua, start, (size_t)(end - start));
        return;
    }
    const struct pattern_capture *capture = &pattern->captures[number];
    if (capture->is_position)
        lua_pushinteger(lua, capture->start - pattern->begin + 1);
    else
        lua_pushlstring(lua, capture->start, capture->length);
}

static int push_captures(lua_State *lua, const struct pattern *pattern, const char *start, const char *end)
{
    unsigned count = pattern->capture_count || !start ? pattern->capture_count : 1;
    luaL_checkstack(lua, (int)count, "too many captures");
    for (unsigned i = 0; i < count; i++)
        push_capture(lua, pattern, i, start, end);
    return (int)count;
}

static int find_text(lua_State *lua, const char *subject, size_t length, const char *text, size_t text_length,
                     size_t from)
{
    const char *found = memmem(subject + from, length - from, text, text_length);
    if (!found)
        return luaL_pushfail(lua), 1;
    lua_pushinteger(lua, found - subject + 1);
    lua_pushinteger(lua, found - subject + (lua_Integer)text_length);
    return 2;
}

static int find_or_match(lua_State *lua, bool is_find)
{
    size_t length, text_length;
    const char *subject = luaL_checklstring(lua, 1, &length);
    const char *text = luaL_checklstring(lua, 2, &text_length);
    size_t from = place_of_number(luaL_optinteger(lua, 3, 1), length) - 1;
    if (from > length)
        return luaL_pushfail(lua), 1;
    if (is_find && (lua_toboolean(lua, 4) || strcspn(text, "^$*+?.([%-") == text_length))
        return find_text(lua, subject, length, text, text_length, from);
    struct pattern *pattern = pattern_compile(lua, text, text_length, true);
    pattern_aim(pattern, lua, subject, length);
    for (const char *at = subject + from; at <= subject + length; at++) {
        const char *end = pattern_match(pattern, at);
        if (end && !is_find)
            return push_captures(lua, pattern, at, end);
        if (end) {
            lua_pushinteger(lua, at - subject + 1);
            lua_pushinteger(lua, end - subject);
            return push_captures(lua, pattern, NULL, NULL) + 2;
        }
        if (pattern->is_anchored)
            break;
    }
    return luaL_pushfail(lua), 1;
}

static int text_find(lua_State *lua)
{
    return find_or_match(lua, true);
}

static int text_match(lua_State *lua)
{
    return find_or_match(lua, false);
}

/* Upvalues: the subject, the pattern, where to go on, where the last match ended. */
static int next_match(lua_State *lua)
{
    size_t length;
    const char *subject = lua_tolstring(lua, lua_upvalueindex(1), &length);
    struct pattern *pattern = lua_touserdata(lua, lua_upvalueindex(2));
    lua_Integer last = lua_tointeger(lua, lua_upvalueindex(4));
    pattern_aim(pattern, lua, subject, length);
    for (size_t from = (size_t)lua_tointeger(lua, lua_upvalueindex(3)); from <= length; from++) {
        const char *end = pattern_match(pattern, subject + from);
        if (!end || end - subject == last)
            continue;
        lua_pushinteger(lua, end - subject);
        lua_copy(lua, -1, lua_upvalueindex(3));
        lua_replace(lua, lua_upvalueindex(4));
        return push_captures(lua, pattern, subject + from, end);
    }
    lua_pushinteger(lua, (lua_Integer)length + 1);
    lua_replace(lua, lua_upvalueindex(3));
    return 0;
}

static int text_each_match(lua_State *lua)
{
    size_t length, text_length;
    luaL_checklstring(lua, 1, &length);
    const char *text = luaL_checklstring(lua, 2, &text_length);
    size_t from = place_of_number(luaL_optinteger(lua, 3, 1), length) - 1;
    lua_settop(lua, 2);
    lua_pushvalue(lua, 1);
    pattern_compile(lua, text, text_length, false);
    lua_pushinteger(lua, (lua_Integer)(from > length ? length + 1 : from));
    lua_pushinteger(lua, -1);
    lua_pushcclosure(lua, next_match, 4);
    return 1;
}

/* Appends the text of a replacement, with its %1. */
static void add_text(lua_State *lua, luaL_Buffer *out, const struct pattern *pattern, const char *start,
                     const char *end)
{
    size_t length;
    const char *text = lua_tolstring(lua, 3, &length), *stop = text + length;
    for (const char *mark; (mark = memchr(text, '%', (size_t)(stop - text))); text = mark + 2) {
        luaL_addlstring(out, text, (size_t)(mark - text));
        char what = mark + 1 < stop ? mark[1] : 0;
        if (what == '%') {
            luaL_addchar(out, '%');
        } else if (what == '0') {
            luaL_addlstring(out, start, (size_t)(end - start));
        } else if (what >= '1' && what <= '9') {
            push_capture(lua, pattern, (unsigned)(what - '1'), start, end);
            luaL_tolstring(lua, -1, NULL); /* a place is a number */
            lua_remove(lua, -2);
            luaL_addvalue(out);
        } else {
            luaL_error(lua, "invalid use of '%%' in replacement string");
        }
    }
    luaL_addlstring(out, text, (size_t)(stop - text));
}

/* Appends what replaces a match. */
static void add_replacement(lua_State *lua, luaL_Buffer *out, const struct pattern *pattern,
                            const char *start, const char *end)
{
    int type = lua_type(lua, 3);
    if (type == LUA_TFUNCTION) {
        lua_pushvalue(lua, 3);
        lua_call(lua, push_captures(lua, pattern, start, end), 1);
    } else if (type == LUA_TTABLE) {
        push_capture(lua, pattern, 0, start, end);
        lua_gettable(lua, 3);
    } else {
        add_text(lua, out, pattern, start, end);
        return;
    }
    if (!lua_toboolean(lua, -1)) {
        lua_pop(lua, 1);
        luaL_addlstring(out, start, (size_t)(end - start));
    } else if (!lua_isstring(lua, -1)) {
        luaL_error(lua, "invalid replacement value (a %s)", luaL_typename(lua, -1));
    } else {
        luaL_addvalue(out);
    }
}

static int text_replace(lua_State *lua)
{
    size_t length, text_length;
    const char *subject = luaL_checklstring(lua, 1, &length);
    const char *text = luaL_checklstring(lua, 2, &text_length);
    int type = lua_type(lua, 3);
    luaL_argexpected(
        lua, type == LUA_TNUMBER || type == LUA_TSTRING || type == LUA_TFUNCTION || type == LUA_TTABLE, 3,
        "string/function/table");
    lua_Integer most = luaL_optinteger(lua, 4, (lua_Integer)length + 1), count = 0;
    lua_settop(lua, 4);
    struct pattern *pattern = pattern_compile(lua, text, text_length, true);
    const char *at = subject, *stop = subject + length, *last = NULL;
    luaL_Buffer out;
    luaL_buffinit(lua, &out);
    while (count < most) {
        pattern_aim(pattern, lua, subject, length);
        const char *end = pattern_match(pattern, at);
        if (end && end != last) {
            count++;
            add_replacement(lua, &out, pattern, at, end);
            at = last = end;
        } else if (at < stop) {
            luaL_addchar(&out, *at++);
        } else {
            break;
        }
        if (pattern->is_anchored)
            break;
    }
    luaL_addlstring(&out, at, (size_t)(stop - at));
    luaL_pushresult(&out);
    lua_pushinteger(lua, count);
    return 2;
}

/* Nothing, any number of times, is nothing at once; Lua's own would count. */
static int text_repeat(lua_State *lua)
{
    size_t length, between = 0;
    luaL_checklstring(lua, 1, &length);
    luaL_checkinteger(lua, 2);
    luaL_optlstring(lua, 3, "", &between);
    if (length + between == 0)
        return lua_pushliteral(lua, ""), 1;
    lua_settop(lua, 3);
    lua_pushvalue(lua, lua_upvalueindex(1));
    lua_insert(lua, 1);
    lua_call(lua, 3, 1);
    return 1;
}

void texts_open(lua_State *lua)
{
    static const luaL_Reg functions[] = {{"find", text_find},
                                         {"match", text_match},
                                         {"gmatch", text_each_match},
                                         {"gsub", text_replace},
                                         {NULL, NULL}};
    lua_getglobal(lua, LUA_STRLIBNAME);
    luaL_setfuncs(lua, functions, 0);
    lua_getfield(lua, -1, "rep");
    lua_pushcclosure(lua, text_repeat, 1);
    lua_setfield(lua, -2, "rep");
    lua_pop(lua, 1);
}
