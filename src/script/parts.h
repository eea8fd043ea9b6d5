/* What the files of this room share.  Nobody else includes this. */
#ifndef SCRIPT_PARTS_H
#define SCRIPT_PARTS_H
#include "script/script.h"

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>

/* Why a script has to end. */
enum over { OVER_NOT, OVER_STOPPED, OVER_TIME, OVER_STEPS, OVER_STEPS_TIME, OVER_MEMORY };

struct script {
    struct script_host host;
    lua_State *lua, *running; /* the main one; the one that runs now, which may be a coroutine */
    size_t used, most;        /* memory */
    size_t refused;           /* what was asked for last and refused; 0: nothing */
    unsigned refusals;        /* that garbage did not make good */
    bool is_short;            /* there was one */
    uint64_t steps;           /* so far */
    uint64_t work;            /* of functions in C since the limits were looked at */
    enum over over;           /* every further step ends it */
    int64_t looked;           /* milliseconds of a rough clock when the limits were looked at */
    double begun, spent;      /* seconds of this thread: when it was called, and in earlier calls */
    unsigned wishes;          /* of probes */
    uint64_t secret;          /* hides addresses */
    size_t shown_bytes;       /* of texts in the rows that are shown */
    sqlite3 *shown;           /* private connection with the rows that are shown */
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

/* limits.c: memory; a call of the script that is watched; why it had to end, or "". */
enum { LIMITS_REASON = 120 };
void *limits_allocate(void *context, void *block, size_t old, size_t size);
void limits_begin(struct script *script);
void limits_end(struct script *script);
void limits_reason(const struct script *script, char *text);
/* For functions in C that may take long: raises an error if the script has to end. The second counts work in
   comparisons of characters, and looks now and then. */
void limits_look(lua_State *lua);
void limits_spend(lua_State *lua, size_t work);
/* Work is counted in characters that are compared; WORK_OF_STEP of them take as long as an instruction of
   Lua. A query, and each of its columns and characters; the cycles of some code; a report. */
enum {
    WORK_OF_STEP = 16,
    WORK_OF_QUERY = 2000 * WORK_OF_STEP,
    WORK_OF_COLUMN = WORK_OF_STEP,
    WORK_OF_CYCLES = 5000 * WORK_OF_STEP,
    WORK_OF_REPORT = 1000000 * WORK_OF_STEP
};

/* texts.c, bounded.c: functions of Lua's libraries that can be stopped. */
void texts_open(lua_State *lua);
void bounded_open(lua_State *lua);
/* Puts a function in the place of one in the table on top of the stack; the old one is its upvalue. */
void bounded_replace(lua_State *lua, const char *name, lua_CFunction function);
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
