/* The limits of a script: memory, time, steps, and whoever waits for it.

   Memory is counted by the allocator; what goes beyond the limit fails as if the computer had no more, which
   Lua turns into an error. A hook after every STRIDE instructions looks at a rough clock, and when that has
   moved, at the limits. Functions in C that may take long look themselves (limits_spend), and so does the
   allocator, because one instruction of Lua may join two long texts. A script may catch the error (pcall), so
   once it is over the hook comes after every single instruction: wherever the script catches it, its next
   instruction raises it again, until nobody is left to catch it. */
#include "script/parts.h"

#include "base/clock.h"

#include <stdlib.h>
#include <time.h>

enum {
    STRIDE = 200,
    STEPS_OF_SQL = 10000,
    WORK_STRIDE = 1 << 20,
    LARGE = 1 << 16,
    ROUGH = 10,
    SLOWEST_SPEED = 1000000, /* steps in a second: one step may compare texts of megabytes */
    SPARE = 1 << 20,
    MOST_REFUSALS = 8
};

static int64_t rough_milliseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static bool has_taken(const struct script *script, double seconds)
{
    return script->spent + clock_thread_seconds() - script->begun > seconds;
}

static bool must_end(const struct script *script)
{
    return script->host.must_end && script->host.must_end(script->host.context);
}

/* Notes whether it is over; true if so. */
static bool is_over(struct script *script)
{
    if (script->over)
        return true;
    script->steps += script->work / WORK_OF_STEP;
    script->work = 0;
    script->looked = rough_milliseconds();
    if (must_end(script))
        script->over = OVER_STOPPED;
    else if (script->host.seconds > 0 && has_taken(script, script->host.seconds))
        script->over = OVER_TIME;
    else if (script->host.steps && script->steps >= script->host.steps)
        script->over = OVER_STEPS;
    else if (script->host.steps && has_taken(script, (double)script->host.steps / SLOWEST_SPEED))
        script->over = OVER_STEPS_TIME;
    return script->over;
}

void limits_reason(const struct script *script, char *text)
{
    *text = 0;
    switch (script->over) {
    case OVER_STOPPED:
        snprintf(text, LIMITS_REASON, "interrupted");
        break;
    case OVER_TIME:
        snprintf(text, LIMITS_REASON, "stopped: it took longer than %g s, which is its limit here",
                 script->host.seconds);
        break;
    case OVER_STEPS:
        snprintf(text, LIMITS_REASON, "stopped after %llu million steps: --steps allows more",
                 (unsigned long long)(script->host.steps / 1000000));
        break;
    case OVER_STEPS_TIME:
        snprintf(text, LIMITS_REASON,
                 "stopped after %llu s of processor time, which so many million steps may take: --steps "
                 "allows more",
                 (unsigned long long)(script->host.steps / SLOWEST_SPEED));
        break;
    case OVER_MEMORY:
    case OVER_NOT:
        break;
    }
    if (script->over == OVER_MEMORY || (!script->over && script->is_short))
        snprintf(text, LIMITS_REASON, "used all its %zu MB of memory%s", script->most >> 20,
                 script->host.seconds > 0 ? "" : ": --memory-limit allows more");
}

static void at_instruction(lua_State *lua, lua_Debug *event);

static void end_it(lua_State *lua)
{
    char reason[LIMITS_REASON];
    limits_reason(script_of(lua), reason);
    lua_sethook(lua, at_instruction, LUA_MASKCOUNT, 1);
    luaL_error(lua, "%s", reason);
}

static void at_instruction(lua_State *lua, lua_Debug *event)
{
    (void)event;
    struct script *script = script_of(lua);
    if (!script->over) {
        script->steps += STRIDE;
        bool has_steps = !script->host.steps || script->steps < script->host.steps;
        if (has_steps && rough_milliseconds() - script->looked < ROUGH)
            return;
    }
    if (is_over(script))
        end_it(lua);
}

void limits_look(lua_State *lua)
{
    struct script *script = script_of(lua);
    if (script->over || (rough_milliseconds() - script->looked >= ROUGH && is_over(script)))
        end_it(lua);
}

void limits_spend(lua_State *lua, size_t work)
{
    struct script *script = script_of(lua);
    script->work += work;
    if (script->over || (script->work >= WORK_STRIDE && is_over(script)))
        end_it(lua);
}

/* The allocator cannot raise errors: it has the next instruction do so. A hook may be set at any time, as
   handlers of signals do. */
static void end_at_next_instruction(struct script *script)
{
    lua_sethook(script->running, at_instruction, LUA_MASKCOUNT, 1);
}

/* Memory beyond the limit is refused. Lua then collects its garbage and often asks once more for the same;
   that costs a whole collection each time, so that a script that goes on regardless is ended. */
static void refuse(struct script *script, size_t size)
{
    script->is_short = true;
    bool is_second = script->refused == size; /* after the collection; a third time is another wish */
    script->refusals += !is_second;
    script->refused = is_second ? 0 : size;
    if (!script->lua || script->over)
        return;
    if (script->refusals >= MOST_REFUSALS)
        script->over = OVER_MEMORY;
    if (is_over(script))
        end_at_next_instruction(script);
}

void *limits_allocate(void *context, void *block, size_t old, size_t size)
{
    struct script *script = context;
    old = block ? old : 0;
    if (!size) {
        free(block);
        script->used -= old;
        return NULL;
    }
    bool grows = size > old;
    if (grows && size >= LARGE) {
        script->work += size;
        if (script->lua && !script->over && script->work >= WORK_STRIDE && is_over(script))
            end_at_next_instruction(script);
    }
    /* A script that is over gets a little more, for the words that say so, and nothing large. */
    size_t most = script->most + (script->over ? SPARE : 0);
    if (grows && (size - old > most - script->used || (script->over && size >= LARGE))) {
        refuse(script, size);
        return NULL;
    }
    void *found = realloc(block, size);
    if (found)
        script->used += size - old;
    if (found && grows && size == script->refused) { /* there was enough garbage */
        script->refusals -= script->refusals > 0;
        script->refused = 0;
    }
    return found;
}

/* Asked by SQLite now and then, of a script with a limit of time or steps: its steps are as long as Lua's. */
static int query_must_end(void *context)
{
    struct script *script = context;
    script->steps += STEPS_OF_SQL;
    return is_over(script);
}

static sqlite3 *limited_connection(const struct script *script)
{
    bool is_limited = script->host.seconds > 0 || script->host.steps;
    return is_limited && script->host.store ? store_connection(script->host.store) : NULL;
}

void limits_begin(struct script *script)
{
    sqlite3 *connection = limited_connection(script);
    script->begun = clock_thread_seconds();
    script->running = script->lua;
    if (connection)
        sqlite3_progress_handler(connection, STEPS_OF_SQL, query_must_end, script);
    lua_sethook(script->lua, at_instruction, LUA_MASKCOUNT, STRIDE);
}

void limits_end(struct script *script)
{
    lua_sethook(script->lua, NULL, 0, 0);
    script->spent += clock_thread_seconds() - script->begun;
    if (limited_connection(script))
        sqlite3_progress_handler(limited_connection(script), 0, NULL, NULL);
}
