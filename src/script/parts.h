/* What the files of this room share.  Nobody else includes this. */
#ifndef SCRIPT_PARTS_H
#define SCRIPT_PARTS_H
#include "script/script.h"

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>

struct script {
    struct script_host host;
    lua_State *lua;
    size_t used, most; /* memory */
    uint64_t steps;    /* so far */
    bool is_over;      /* every further step ends it, */
    bool is_stopped;   /* because somebody stopped it */
    bool is_late;      /* or its time is used up */
    double begun;      /* seconds of this thread when it was called */
    bool is_short;     /* memory was refused */
    sqlite3 *shown;    /* private connection with the rows that are shown */
    sqlite3_stmt *rows;
    struct script_costs *costs; /* cycles.c: NULL until they are asked for */
};

/* The script that a state belongs to. */
static inline struct script *script_of(lua_State *lua)
{
    return *(struct script **)lua_getextraspace(lua);
}

/* Raises an error of Lua, at the caller's place in the script. */
int script_fail(lua_State *lua, const struct error *error);

/* Calls a function of C with what the script returned, and the argument: under the same limits. */
bool script_call(struct script *script, const char *name, lua_CFunction function, void *argument,
                 struct error *error);

/* sandbox.c: the libraries and what is taken out of them. */
void sandbox_open(lua_State *lua, bool is_trusted);
/* rows.c: makes the class of each table with methods. */
void rows_open(lua_State *lua);
/* The id of a row at this index; *table gets its table. Of a path (loop_metrics): that of its loop. */
int64_t rows_id(lua_State *lua, int index, const char **table);
/* The path of a row of loop_metrics at this index. */
int64_t rows_path(lua_State *lua, int index);
/* Prepares a query, which a value on the stack owns from then on; its next row; the row as a value of a
 * class. */
sqlite3_stmt *rows_prepare(lua_State *lua, const char *sql);
bool rows_step(lua_State *lua, sqlite3_stmt *statement);
void rows_push(lua_State *lua, sqlite3_stmt *statement, const char *class);
/* show.c: a list of rows at this index as a statement over script->shown; columns at another one, or 0. */
sqlite3_stmt *show_statement(lua_State *lua, int rows, int columns);
/* cycles.c */
void cycles_close(struct script *script);

#define CALL(name, function, arguments, gives, doc) int function(lua_State *lua);
#include "script/calls.def"
#undef CALL
#endif
