/* Where a row is, for people: the views of places, by table. */
#include "script/parts.h"

#include <string.h>

static const struct {
    const char *table, *sql;
} places[] = {
    {"functions",
     "select coalesce(p.path || ':' || f.line, printf('0x%x', f.address), f.name) from functions f "
     "left join files p on p.id = f.file where f.id = ?1"},
    {"loops",
     "select coalesce(file || ':' || line, printf('0x%x', address)) from loop_places where loop = ?1"},
    {"blocks", "select coalesce(p.file || ':' || p.line, printf('0x%x', p.address)) from blocks b "
               "join instruction_places p on p.instruction = b.first_instruction where b.id = ?1"},
    {"instructions", "select coalesce(file || ':' || line, printf('0x%x', address)) from instruction_places "
                     "where instruction = ?1"},
};

int place_of(lua_State *lua)
{
    const char *table;
    int64_t id = rows_id(lua, 1, &table);
    for (unsigned i = 0; i < sizeof places / sizeof *places; i++)
        if (!strcmp(places[i].table, table)) {
            lua_settop(lua, 0);
            lua_pushstring(lua, places[i].sql);
            lua_pushinteger(lua, id);
            return query_value(lua);
        }
    return luaL_error(lua, "rows of %s have no place", table);
}
