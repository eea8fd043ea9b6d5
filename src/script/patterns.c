#include "script/patterns.h"

#include "script/parts.h"

#include <ctype.h>
#include <limits.h>
#include <string.h>

enum kind { ONE, GREEDY, LAZY, OPTIONAL, OPEN, CLOSE, BALANCED, FRONTIER, AGAIN, AT_END };
enum test { CHARACTER, ANY, CLASS, SET };
enum { WORK_STRIDE = 1 << 18, SET_WORDS = (UCHAR_MAX + 1) / 64 };

struct pattern_item {
    uint8_t kind, test;
    uint8_t first, second; /* the character or class; %b: both characters; captures: the number */
    bool needs_one;        /* + */
    uint64_t set[SET_WORDS];
    const char *place, *least; /* while matching: what is tried now, and the shortest way */
    unsigned before;           /* the item to try again when this one has nothing left; UINT_MAX: none */
};

struct reading {
    lua_State *lua;
    const char *at, *end;
    struct pattern *pattern;
    bool is_open[PATTERN_CAPTURES];
};

static bool is_in_class(unsigned char character, unsigned char class)
{
    bool is;
    switch (tolower(class)) {
    case 'a':
        is = isalpha(character);
        break;
    case 'c':
        is = iscntrl(character);
        break;
    case 'd':
        is = isdigit(character);
        break;
    case 'g':
        is = isgraph(character);
        break;
    case 'l':
        is = islower(character);
        break;
    case 'p':
        is = ispunct(character);
        break;
    case 's':
        is = isspace(character);
        break;
    case 'u':
        is = isupper(character);
        break;
    case 'w':
        is = isalnum(character);
        break;
    case 'x':
        is = isxdigit(character);
        break;
    case 'z':
        is = !character;
        break;
    default:
        return character == class;
    }
    return isupper(class) ? !is : is;
}

static bool fits(const struct pattern_item *item, unsigned char character)
{
    switch (item->test) {
    case CHARACTER:
        return character == item->first;
    case ANY:
        return true;
    case CLASS:
        return is_in_class(character, item->first);
    default:
        return item->set[character / 64] >> character % 64 & 1;
    }
}

static void add_to_set(struct pattern_item *item, unsigned first, unsigned last)
{
    for (unsigned i = first; i <= last; i++)
        item->set[i / 64] |= UINT64_C(1) << i % 64;
}

static void add_class_to_set(struct pattern_item *item, unsigned char class)
{
    for (unsigned i = 0; i <= UCHAR_MAX; i++)
        if (is_in_class((unsigned char)i, class))
            add_to_set(item, i, i);
}

/* The ] of a set. One that comes first stands for itself. */
static const char *set_end(const struct reading *reading, const char *at)
{
    do {
        if (at < reading->end && *at++ == '%')
            at++;
        if (at >= reading->end)
            luaL_error(reading->lua, "malformed pattern (missing ']')");
    } while (*at != ']');
    return at;
}

/* A set from after its [ to after its ]. */
static void read_set(struct reading *reading, struct pattern_item *item)
{
    item->test = SET;
    const char *at = reading->at;
    bool is_other = at < reading->end && *at == '^';
    at += is_other;
    const char *end = set_end(reading, at);
    while (at < end) {
        unsigned char character = (unsigned char)*at++;
        if (character == '%') {
            add_class_to_set(item, (unsigned char)*at++);
        } else if (end - at >= 2 && *at == '-') {
            add_to_set(item, character, (unsigned char)at[1]);
            at += 2;
        } else {
            add_to_set(item, character, character);
        }
    }
    for (unsigned i = 0; is_other && i < SET_WORDS; i++)
        item->set[i] = ~item->set[i];
    reading->at = end + 1;
}

static void read_repetition(struct reading *reading, struct pattern_item *item)
{
    item->kind = ONE;
    char mark = reading->at < reading->end ? *reading->at : 0;
    if (!mark || !strchr("*+-?", mark))
        return;
    item->kind = mark == '-' ? LAZY : mark == '?' ? OPTIONAL : GREEDY;
    item->needs_one = mark == '+';
    reading->at++;
}

static void read_open(struct reading *reading, struct pattern_item *item)
{
    struct pattern *pattern = reading->pattern;
    if (pattern->capture_count == PATTERN_CAPTURES)
        luaL_error(reading->lua, "too many captures");
    unsigned number = pattern->capture_count++;
    bool is_position = reading->at < reading->end && *reading->at == ')';
    reading->at += is_position;
    reading->is_open[number] = !is_position;
    pattern->captures[number] = (struct pattern_capture){.is_position = is_position};
    item->kind = OPEN;
    item->first = (uint8_t)number;
}

static void read_close(struct reading *reading, struct pattern_item *item)
{
    unsigned number = reading->pattern->capture_count;
    while (number && !reading->is_open[number - 1])
        number--;
    if (!number)
        luaL_error(reading->lua, "invalid pattern capture");
    reading->is_open[number - 1] = false;
    item->kind = CLOSE;
    item->first = (uint8_t)(number - 1);
}

/* What stands after a %, whose character is the next one. */
static void read_escape(struct reading *reading, struct pattern_item *item)
{
    if (reading->at == reading->end)
        luaL_error(reading->lua, "malformed pattern (ends with '%%')");
    unsigned char what = (unsigned char)*reading->at++;
    if (what == 'b') {
        if (reading->end - reading->at < 2)
            luaL_error(reading->lua, "malformed pattern (missing arguments to '%%b')");
        *item = (struct pattern_item){.kind = BALANCED,
                                      .first = (unsigned char)reading->at[0],
                                      .second = (unsigned char)reading->at[1]};
        reading->at += 2;
    } else if (what == 'f') {
        if (reading->at == reading->end || *reading->at++ != '[')
            luaL_error(reading->lua, "missing '[' after '%%f' in pattern");
        read_set(reading, item);
        item->kind = FRONTIER;
    } else if (isdigit(what)) {
        unsigned number = what - '1';
        if (what == '0' || number >= reading->pattern->capture_count || reading->is_open[number])
            luaL_error(reading->lua, "invalid capture index %%%d in pattern", (int)(what - '0'));
        item->kind = AGAIN;
        item->first = (uint8_t)number;
    } else {
        item->test = CLASS;
        item->first = what;
        read_repetition(reading, item);
    }
}

static void read_item(struct reading *reading, struct pattern_item *item)
{
    unsigned char what = (unsigned char)*reading->at++;
    *item = (struct pattern_item){.test = CHARACTER, .first = what};
    if (what == '(') {
        read_open(reading, item);
    } else if (what == ')') {
        read_close(reading, item);
    } else if (what == '$' && reading->at == reading->end) {
        item->kind = AT_END;
    } else if (what == '%') {
        read_escape(reading, item);
    } else {
        if (what == '[')
            read_set(reading, item);
        else if (what == '.')
            item->test = ANY;
        read_repetition(reading, item);
    }
}

struct pattern *pattern_compile(lua_State *lua, const char *text, size_t length, bool may_anchor)
{
    if (length > INT_MAX / sizeof(struct pattern_item))
        luaL_error(lua, "the pattern is too long");
    size_t head = (sizeof(struct pattern) + _Alignof(max_align_t) - 1) & ~(_Alignof(max_align_t) - 1);
    char *memory = lua_newuserdatauv(lua, head + length * sizeof(struct pattern_item), 0);
    struct pattern *pattern = (struct pattern *)memory;
    *pattern = (struct pattern){.items = (struct pattern_item *)(memory + head)};
    struct reading reading = {.lua = lua, .at = text, .end = text + length, .pattern = pattern};
    pattern->is_anchored = may_anchor && length && *text == '^';
    reading.at += pattern->is_anchored;
    while (reading.at < reading.end)
        read_item(&reading, &pattern->items[pattern->count++]);
    for (unsigned i = 0; i < pattern->capture_count; i++)
        if (reading.is_open[i])
            luaL_error(lua, "unfinished capture");
    return pattern;
}

void pattern_aim(struct pattern *pattern, lua_State *lua, const char *subject, size_t length)
{
    pattern->lua = lua;
    pattern->begin = subject;
    pattern->end = subject + length;
}

static void count_work(struct pattern *pattern, size_t work)
{
    pattern->work += work;
    if (pattern->work < WORK_STRIDE)
        return;
    limits_spend(pattern->lua, pattern->work);
    pattern->work = 0;
}

/* How far characters that fit go on, in pieces that can be stopped between. */
static const char *run_end(struct pattern *pattern, const struct pattern_item *item, const char *at)
{
    const char *from = at;
    for (; at < pattern->end && fits(item, (unsigned char)*at); at++)
        if (at - from >= WORK_STRIDE) {
            count_work(pattern, (size_t)(at - from));
            from = at;
        }
    count_work(pattern, (size_t)(at - from));
    return at;
}

static const char *balanced_end(struct pattern *pattern, const struct pattern_item *item, const char *at)
{
    if (at >= pattern->end || (unsigned char)*at != item->first)
        return NULL;
    size_t depth = 1;
    for (const char *next = at + 1; next < pattern->end; next++) {
        if ((unsigned char)*next == item->second) {
            if (!--depth) {
                count_work(pattern, (size_t)(next - at));
                return next + 1;
            }
        } else if ((unsigned char)*next == item->first) {
            depth++;
        }
    }
    count_work(pattern, (size_t)(pattern->end - at));
    return NULL;
}

static bool is_frontier(const struct pattern *pattern, const struct pattern_item *item, const char *at)
{
    unsigned char before = at > pattern->begin ? (unsigned char)at[-1] : 0;
    unsigned char here = at < pattern->end ? (unsigned char)*at : 0;
    return !fits(item, before) && fits(item, here);
}

/* After another copy of what was captured. A place, as Lua has it, is a capture that nothing repeats. */
static const char *again_end(struct pattern *pattern, const struct pattern_item *item, const char *at)
{
    const struct pattern_capture *capture = &pattern->captures[item->first];
    if (capture->is_position || (size_t)(pattern->end - at) < capture->length)
        return NULL;
    count_work(pattern, capture->length);
    return memcmp(capture->start, at, capture->length) ? NULL : at + capture->length;
}

/* Takes an item at a place: after it, or NULL. What may be tried again is noted in the item. */
static const char *take(struct pattern *pattern, unsigned index, const char *at, unsigned *last_choice)
{
    struct pattern_item *item = &pattern->items[index];
    const char *next = at;
    switch ((enum kind)item->kind) {
    case ONE:
        return at < pattern->end && fits(item, (unsigned char)*at) ? at + 1 : NULL;
    case GREEDY:
        next = run_end(pattern, item, at);
        if (item->needs_one && next == at)
            return NULL;
        item->least = at + item->needs_one;
        break;
    case OPTIONAL:
        item->least = at;
        next = at < pattern->end && fits(item, (unsigned char)*at) ? at + 1 : at;
        break;
    case LAZY:
        break;
    case OPEN:
        pattern->captures[item->first].start = at;
        return at;
    case CLOSE:
        pattern->captures[item->first].length = (size_t)(at - pattern->captures[item->first].start);
        return at;
    case BALANCED:
        return balanced_end(pattern, item, at);
    case FRONTIER:
        return is_frontier(pattern, item, at) ? at : NULL;
    case AGAIN:
        return again_end(pattern, item, at);
    case AT_END:
        return at == pattern->end ? at : NULL;
    }
    item->place = next;
    item->before = *last_choice;
    *last_choice = index;
    return next;
}

/* The next place that an item offers, or NULL. */
static const char *retry(const struct pattern *pattern, struct pattern_item *item)
{
    if (item->kind == LAZY)
        return item->place < pattern->end && fits(item, (unsigned char)*item->place) ? ++item->place : NULL;
    return item->place > item->least ? --item->place : NULL;
}

const char *pattern_match(struct pattern *pattern, const char *at)
{
    unsigned index = 0, last_choice = UINT_MAX;
    while (index < pattern->count) {
        count_work(pattern, 1);
        const char *next = take(pattern, index, at, &last_choice);
        while (!next && last_choice != UINT_MAX) {
            index = last_choice;
            struct pattern_item *item = &pattern->items[index];
            next = retry(pattern, item);
            if (!next)
                last_choice = item->before;
        }
        if (!next)
            return NULL;
        at = next;
        index++;
    }
    return at;
}
