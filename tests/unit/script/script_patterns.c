/* Our functions of patterns against Lua's own, on patterns made at random and on some made by hand.  Ours
   tells a mistake in a pattern even where matching does not reach it, so that Lua may succeed where ours says
   "malformed"; nothing else may differ. */
#include "script/judge.h"
#include "script/judge_pack.h"

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The same text runs in both: what it returns, as one text. */
static const char DRAW[] =
    "local seed = 12345\n"
    "local function random(n) seed = (seed * 1103515245 + 12345) % 2147483648 return seed // 65536 % n + 1 "
    "end\n"
    "local parts = {'a', 'b', '.', '%a', '%d', '%W', '[ab]', '[^a]', '[a-c]', '[%d-]', '[]a]', '[^]b]', '(', "
    "')', '()',\n"
    "  '%b()', '%bab', '%f[a]', '%f[%A]', '%1', '%2', '$', '^', '*', '+', '-', '?', '*', '-', '%%', "
    "'[a-%]]', '%.', '1',\n"
    "  '%0', '[', ']', '%', '\\0', '%z', '[%', '%f', '%b', '(a', 'b)', '(.-)', '(a*)', '[%a_][%w_]*', "
    "'\\200'}\n"
    "local letters = {'a', 'b', 'a', 'b', 'c', '(', ')', '1', ' ', '-', ']', '%', '.', '\\0', '\\200'}\n"
    "local function draw(from, n) local t = {} for i = 1, random(n) - 1 do t[i] = from[random(#from)] end "
    "return table.concat(t) end\n"
    "local out = {}\n"
    "local function note(...)\n"
    "  local t = table.pack(...)\n"
    "  for i = 1, t.n do t[i] = tostring(t[i]) end\n"
    "  out[#out + 1] = table.concat(t, '|')\n"
    "end\n"
    "local function good(pattern) return (pcall(string.find, 'a', pattern)) end\n";

static const char TRY[] =
    "for i = 1, 4000 do\n"
    "  local s, p, init = draw(letters, 14), draw(parts, 7), random(20) - 10\n"
    "  local r = ({'x', '<%0>', '%1', '%2', '%%', '%', '%a', 7, {a = 'A', b = false}, function(a, b) return "
    "b end})[random(10)]\n"
    "  note(i, p, pcall(string.find, s, p, init))\n"
    "  note(i, p, pcall(string.find, s, p, init, true))\n"
    "  note(i, p, pcall(string.match, s, p, init))\n"
    "  note(i, p, pcall(string.gsub, s, p, r, random(4) == 1 and random(3) - 1 or nil))\n"
    "  note(i, p, pcall(function() local t = {} for a, b in s:gmatch(p, init) do t[#t + 1] = tostring(a) .. "
    "tostring(b) end\n"
    "    return table.concat(t, ',') end))\n"
    "end\n"
    "local t = {5, 3, 9, 1} table.insert(t, 2, 8) table.remove(t, 1) table.move(t, 1, 3, 2) table.sort(t)\n"
    "note(table.concat(t, ' '), pcall(table.insert, t, 9, 1), pcall(table.insert, t), (pcall(table.remove, "
    "t, "
    "9)))\n"
    "note(pcall(table.remove, {}), pcall(table.remove, {}, 0), table.unpack(table.move({1, 2, 3}, 2, 3, "
    "1)))\n"
    "note(pcall(table.insert, 1, 2), pcall(table.move, {}, 1, 2), pcall(table.sort, {1, 'a'}))\n"
    "local w = coroutine.wrap(function(a) local b = coroutine.yield(a + 1) error('e' .. b) end)\n"
    "note(w(1), pcall(w, 5)) note(pcall(w))\n"
    "note(coroutine.resume(coroutine.create(function(...) return ... end), 1, nil, 3))\n"
    "note(('ab'):rep(3, ','), ('ab'):rep(-1), (''):rep(5), (''):rep(3, '.'))\n"
    "return out\n";

static char *join(const char *first, const char *second)
{
    char *text = malloc(strlen(first) + strlen(second) + 1);
    strcpy(text, first);
    return strcat(text, second);
}

static char **lines_of_lua(size_t *count)
{
    lua_State *lua = luaL_newstate();
    luaL_openlibs(lua);
    char *text = join(DRAW, TRY);
    assert_int_equal(luaL_loadbufferx(lua, text, strlen(text), "@try", "t"), LUA_OK);
    free(text);
    if (lua_pcall(lua, 0, 1, 0) != LUA_OK)
        fail_msg("%s", lua_tostring(lua, -1));
    *count = (size_t)lua_rawlen(lua, -1);
    char **lines = malloc(*count * sizeof *lines);
    for (size_t i = 0; i < *count; i++) {
        size_t size;
        lua_rawgeti(lua, -1, (lua_Integer)i + 1);
        const char *line = lua_tolstring(lua, -1, &size);
        lines[i] = malloc(size + 1);
        memcpy(lines[i], line, size + 1);
        for (size_t k = 0; k < size; k++) /* zeros would end a text of SQL */
            lines[i][k] = lines[i][k] ? lines[i][k] : '@';
        lua_pop(lua, 1);
    }
    lua_close(lua);
    return lines;
}

static bool is_mistake(const char *line)
{
    static const char *const words[] = {"malformed pattern", "missing '['", "pattern capture",
                                        "capture index",     "unfinished",  "too many captures"};
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(line, words[i]))
            return true;
    return false;
}

static void same_as_lua(void **state)
{
    (void)state;
    size_t count;
    char **lines = lines_of_lua(&count);
    struct error error = {0};
    struct script *script = script_open(&(struct script_host){0}, &error);
    assert_non_null(script);
    char *text = join(DRAW, TRY);
    char *tail = strstr(text, "return out\n");
    *tail = 0;
    char *whole = join(text, "local rows = {} for i, line in ipairs(out) do rows[i] = {line = "
                             "(line:gsub('\\0', '@'))} end return rows\n");
    free(text);
    if (!script_run_text(script, "try", whole, strlen(whole), &error))
        fail_msg("%s", error.text);
    free(whole);
    sqlite3_stmt *rows = script_rows(script, &error);
    assert_non_null(rows);
    size_t at = 0, mistakes = 0;
    for (; sqlite3_step(rows) == SQLITE_ROW; at++) {
        const char *ours = (const char *)sqlite3_column_text(rows, 0);
        assert_true(at < count);
        if (is_mistake(ours))
            mistakes++;
        else
            assert_string_equal(ours, lines[at]);
        free(lines[at]);
    }
    assert_int_equal(at, count);
    assert_true(mistakes < count / 2);
    free(lines);
    script_close(script);
}

/* Each would take longer than the universe is old; the limit is the processor's time, so a busy machine is no
   reason to fail. */
static void hostile_texts_end(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "local s = ('a'):rep(3000) return s:find(('.-'):rep(9) .. 'b')",
        "return (('a'):rep(40)):match(('a?'):rep(40) .. ('a'):rep(40) .. 'b')",
        "return (('a'):rep(1e5)):gsub('.-.-.-b', '')",
        "for x in (('a'):rep(1e5)):gmatch('.-.-.-b') do end",
        "table.insert(setmetatable({}, {__len = function() return 1 << 60 end}), 1, 1)",
        "table.remove(setmetatable({}, {__len = function() return 1 << 60 end}), 1)",
        "table.move({}, 1, 1 << 60, 2)",
        "local a = ('a'):rep(1e7) local b = a .. 'b' local t = {} for i = 1, 1e5 do t[i] = i % 2 == 0 and a "
        "or b end table.sort(t)",
        "local s = ('a'):rep(5e7) while true do pcall(function() while true do local x = s .. 'b' end end) "
        "end",
        "local function f() while true do pcall(coroutine.wrap(f)) end end f()",
        "local function f() while true do coroutine.resume(coroutine.create(f)) end end f()",
        "error(setmetatable({}, {__tostring = function() while true do end end}))",
        "local x <close> = setmetatable({}, {__close = function() while true do end end}) while true do end",
        "return load(function() return ' ' end)",
    };
    for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct error error = {0};
        struct script *script =
            script_open(&(struct script_host){.seconds = 0.03, .memory = 200 << 20}, &error);
        assert_false(script_run_text(script, "hostile", texts[i], strlen(texts[i]), &error));
        if (!strstr(error.text, "it took longer than 0.03 s"))
            fail_msg("%s: %s", texts[i], error.text);
        script_close(script);
    }
}

static void at_once(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message; /* NULL: it succeeds */
    } cases[] = {
        {"assert((''):rep(1 << 60) == '')", NULL},
        {"assert(not (('a'):rep(2e6)):find(('a'):rep(1e6) .. 'b', 1, true))", NULL},
        {"assert(not pcall(string.rep, 'x', 1 << 50)) assert(not pcall(string.rep, 'x', 1e9))", NULL},
        {"local t = {} while true do pcall(function() while true do t[#t + 1] = {} end end) end",
         "used all its 50 MB of memory"},
        {"error({})", "an error that is not a text but a table; raised at hostile:1"},
        {"error(nil)", "an error that is not a text but a nil"},
        {"coroutine.yield(1)", "attempt to yield from outside a coroutine"},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct error error = {0};
        struct script *script = script_open(&(struct script_host){.seconds = 60, .memory = 50 << 20}, &error);
        bool done = script_run_text(script, "hostile", cases[i].text, strlen(cases[i].text), &error);
        if (done != !cases[i].message || (!done && !strstr(error.text, cases[i].message)))
            fail_msg("%s: %s", cases[i].text, done ? "no error" : error.text);
        script_close(script);
    }
}

/* Files of a folder share their time; one may use half of it. */
static void files_share_their_time(void **state)
{
    (void)state;
    struct array files = ARRAY_OF(struct analysis), failures = ARRAY_OF(char *);
    for (int i = 0; i < 4; i++) {
        char *path = memory_format("own/rule%d.lua", i);
        analysis_parse(array_push(&files), path,
                       "-- title: a\n-- does: b\n-- kind: rule\nwhile true do end\n");
        free(path);
    }
    struct model model;
    model_init(&model);
    script_judge(&(struct script_judging){.model = &model, .analyses = &files, .seconds = 0.1}, &failures);
    assert_int_equal(failures.count, 4);
    for (size_t i = 0; i < failures.count; i++) {
        char *text = *ARRAY_AT(char *, &failures, i);
        const char *wanted =
            i < 2 ? "longer than 0.0" : "not asked: the files before it used up the time of all";
        if (!strstr(text, wanted) || !strstr(text, "own/rule"))
            fail_msg("%zu: %s", i, text);
        free(text);
    }
    array_free(&failures);
    analyses_free(&files);
    model_free(&model);
}

/* A process that was taken over can answer anything. */
static void damaged_answers_are_refused(void **state)
{
    (void)state;
    struct model model;
    model_init(&model);
    for (uint32_t i = 1; i <= 5; i++) {
        model_add(&model.code);
        *(struct loop_metric *)model_add(&model.loop_metrics) = (struct loop_metric){.loop = i, .path = i};
    }
    struct addition found = {.values = ARRAY_OF(struct added_value),
                             .remarks = ARRAY_OF(struct added_remark)};
    for (uint32_t i = 2; i <= 4; i += 2) {
        *(struct added_value *)array_push(&found.values) = (struct added_value){i, i, 1.5};
        struct added_remark *remark = array_add(&found.remarks);
        *remark = (struct added_remark){.loop = i,
                                        .path = i,
                                        .level = 1,
                                        .cycles = 2,
                                        .gain = NAN,
                                        .text = memory_format("text %u", i),
                                        .evidence = ARRAY_OF(uint32_t),
                                        .remedies = ARRAY_OF(struct added_remedy)};
        *(uint32_t *)array_push(&remark->evidence) = i;
        *(struct added_remedy *)array_push(&remark->remedies) =
            (struct added_remedy){.text = memory_format("remedy")};
    }
    char *bytes = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&bytes, &size);
    judge_pack(out, &found, "odd");
    fclose(out);
    unsigned good = 0;
    for (int trial = 0; trial < 20000; trial++) {
        char *damaged = memcpy(memory_get(size), bytes, size), *odd = NULL;
        size_t length = trial % 3 == 1 ? (size_t)random() % (size + 1) : size;
        for (int i = 0; trial && i < trial % 4; i++)
            damaged[(size_t)random() % size] = (char)(random() % 3 ? random() % 8 : random());
        struct addition again = {.values = ARRAY_OF(struct added_value),
                                 .remarks = ARRAY_OF(struct added_remark)};
        bool is_good = judge_unpack(damaged, length, &model, &again, &odd);
        good += is_good;
        assert_true(trial || is_good);
        for (size_t i = 0; i < again.values.count; i++)
            assert_in_range(ARRAY_AT(struct added_value, &again.values, i)->loop, 1, 5);
        if (is_good) {
            assert_true(again.values.count <= 5 && again.remarks.count <= 5);
            assert_non_null(again.remarks.count ? ARRAY_AT(struct added_remark, &again.remarks, 0)->text
                                                : "");
        }
        addition_free(&again);
        free(odd);
        free(damaged);
    }
    assert_in_range(good, 1, 19999);
    free(bytes);
    addition_free(&found);
    model_free(&model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_as_lua), cmocka_unit_test(hostile_texts_end),
                                       cmocka_unit_test(at_once), cmocka_unit_test(files_share_their_time),
                                       cmocka_unit_test(damaged_answers_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
