/* Patterns of Lua's strings, with a matcher that can be stopped.

   Lua's own matcher may need time exponential in the length of a pattern, and nothing can end it: its steps
   are not instructions of Lua. This one compiles a pattern to a row of items first. Only single characters
   repeat in these patterns, so that each item has at most one place where it may try again, and what is left
   to try needs no recursion. Results are those of Lua 5.4 (tests/unit/script/script_patterns.c compares
   them); a mistake in a pattern is told always, not only where matching reaches it. */
#ifndef SCRIPT_PATTERNS_H
#define SCRIPT_PATTERNS_H
#include <lua.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PATTERN_CAPTURES = 32 };

struct pattern_capture {
    const char *start;
    size_t length;
    bool is_position; /* "()": where it is, not what */
};

struct pattern_item;
struct pattern {
    lua_State *lua; /* of the call that matches now */
    const char *begin, *end;
    struct pattern_item *items;
    unsigned count, capture_count;
    bool is_anchored; /* it begins with ^ */
    uint64_t work;    /* tests of characters since the script's limits were looked at */
    struct pattern_capture captures[PATTERN_CAPTURES];
};

/* Compiles a text; the result belongs to a value that is left on the stack. With may_anchor a ^ at the
   beginning is an anchor. Mistakes are errors of Lua. */
struct pattern *pattern_compile(lua_State *lua, const char *text, size_t length, bool may_anchor);
/* The subject of matches from now on. */
void pattern_aim(struct pattern *pattern, lua_State *lua, const char *subject, size_t length);
/* The end of a match that begins right here, or NULL. It raises an error when the script has to end. */
const char *pattern_match(struct pattern *pattern, const char *at);
#endif
