/* Where a row is, for people: the views of places, by table. */
#include "script/parts.h"
#include "script/queries.h"

#include <string.h>

static const struct {
    const char *table, *query;
} places[] = {
    {"functions", "function_place"},
    {"loops", "loop_place"},
    {"blocks", "block_place"},
    {"instructions", "instruction_place"},
};

int place_of(lua_State *lua)
{
    const char *table;
    int64_t id = rows_id(lua, 1, &table);
    for (unsigned i = 0; i < sizeof places / sizeof *places; i++)
        if (!strcmp(places[i].table, table)) {
            lua_settop(lua, 0);
            lua_pushstring(lua, query_named(script_queries, places[i].query));
            lua_pushinteger(lua, id);
            return query_value(lua);
        }
    return luaL_error(lua, "rows of %s have no place", table);
}
