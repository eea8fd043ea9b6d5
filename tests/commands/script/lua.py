"""assay lua and analyses in Lua: rows, methods, cycles, limits, the shipped scripts."""
# first build only: memory limits of the allocator are what is tested; leaks.py runs a script with the sanitizers
import json, os, signal, subprocess, time

from harness import ASSAY, MACHINE, Fail, Folder, assay, command, compilers, rows, run, test, text, watching

PROGRAM = """#include <stdio.h>
enum { N = 512 };
double a[N][N], b[N][N];
int written, shown;
__attribute__((noinline)) double half(double x) { return x * 0.5 + 1.0; }
__attribute__((noinline)) void put(int v) { written = v; shown = v; }
__attribute__((noinline)) void column(void)
{
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++)
            a[i][j] = a[i][j] * 2 + b[i][j];
}
__attribute__((noinline)) double iterate(double x, int n)
{
    for (int i = 0; i < n; i++)
        x = half(x);
    return x;
}
int main(int c, char **v)
{
    column();
    put(c);
    printf("%g %g %d\\n", a[1][2], iterate(c, 1000), shown);
    return v != 0;
}
"""


def make(folder, compiler=("gcc",)):
    with open(os.path.join(folder, "prog.c"), "w") as file:
        file.write(PROGRAM)
    path = os.path.join(folder, "prog")
    command([*compiler, "-O1", "-g", "-o", path, os.path.join(folder, "prog.c")])
    return path


def lua(code, *words):
    return text("lua", "-q", "-e", code, *words)


def says(code, *words, wanted):
    told = assay("lua", "-q", "-e", code, *words, status=2).stderr.decode()
    if wanted not in told:
        raise Fail(f"{code}: {told!r} does not say {wanted!r}")


@test
def rows_are_those_of_sql():
    with Folder() as folder:
        prog = make(folder)
        for table in ("functions", "loops", "edges"):
            by_sql = rows(prog, f"select * from {table}")
            by_lua = json.loads(lua(f"return assay.query('select * from {table}')", prog, "--json"))
            by_rows = json.loads(lua(f"return assay.rows('{table}')", prog, "--json"))
            if not by_sql or by_lua != by_sql or by_rows != by_sql:
                raise Fail(f"{table} differs between SQL and Lua")
        database = os.path.join(folder, "prog.db")
        assay("db", "-q", prog, "-o", database)
        code = "for l in assay.each('select id, function from loops') do print(l.id, l.function_, assay.row('loops', l.id):the('function').name) end"
        if lua(code, prog) != lua(code, database):
            raise Fail("a program and its database differ")


@test
def methods_agree_with_tables():
    with Folder() as folder:
        prog = make(folder)
        code = """
        for _, f in ipairs(assay.rows('functions')) do
          local n = 0
          for _, b in ipairs(f:blocks()) do
            n = n + #b:instructions()
            for _, s in ipairs(b:successors()) do
              local back = false
              for _, p in ipairs(s:predecessors()) do back = back or p.id == b.id end
              assert(back, 'an edge has one end')
            end
          end
          assert(n == #f:instructions(), f.name)
        end
        for _, l in ipairs(assay.rows('loops')) do assert(#l:instructions() == l.instruction_count) end
        for _, i in ipairs(assay.rows('functions', {name = 'column'})[1]:instructions()) do
          for _, d in ipairs(i:definitions()) do
            local found = false
            for _, u in ipairs(d:users()) do found = found or u.id == i.id end
            assert(found)
          end
        end
        print('good')"""
        if lua(code, prog) != "good\n":
            raise Fail("methods disagree")


@test
def cycles_are_those_of_the_command():
    with Folder() as folder:
        prog = make(folder)
        machine = "neoverse-v1" if MACHINE == "aarch64" else "zen4"
        wanted = rows(prog, "select loop, max(cycles) as cycles from loop_cycles group by loop", "--machine", machine)
        for row in wanted:
            found = float(lua(f"print(assay.cycles(assay.row('loops', {row['loop']}), '{machine}').cycles)", prog))
            if abs(found - row["cycles"]) > 1e-9:
                raise Fail(f"loop {row['loop']}: {found}, not {row['cycles']}")
        if not wanted:
            raise Fail("no loops")


@test
def mistakes_name_file_and_line():
    with Folder() as folder:
        path = os.path.join(folder, "wrong.lua")
        for text, wanted in ((" \nlocal x = = 1", "wrong.lua:2:"), ("\n\nprint(nothing.field)", "wrong.lua:3:"),
                             ("assay.query('select nosuch from loops')", "wrong.lua:1: SQL: no such column"),
                             ("return {{a = {}}}", "a field of a row is a table"), ("return 5", "table expected"),
                             ("assay.query('select ?1')", "1 parameter(s), and 0 value(s)"), ("assay.row('loops; drop', 1)", "is not the name"),
                             ("assay.query('delete from loops')", "wrong.lua:1:"), ("assay.query('select 1; select 2')", "one query at a time")):
            with open(path, "w") as file:
                file.write(text)
            told = assay("lua", "-q", path, status=2).stderr.decode()
            if wanted not in told or told.count("\n") != 1:
                raise Fail(f"{text!r}: {told!r}")


@test
def the_sandbox_holds():
    for code, wanted in (("io.open('/etc/passwd')", "global 'io'"), ("os.execute('true')", "global 'os'"), ("require 'x'", "global 'require'"),
                         ("dofile('/etc/passwd')", "global 'dofile'"), ("loadfile('/etc/passwd')", "global 'loadfile'"), ("debug.sethook()", "global 'debug'"),
                         ("setmetatable({}, {__gc = print})", "__gc"), ("assert(load(string.dump(function() end)))", "binary chunk"),
                         ("load(collectgarbage)", "load takes a text or a function of Lua"), ("print(('%-20p'):format({}))", "addresses (%p)"),
                         ("getmetatable(assay.query('select 1')[1]).x = 1", "attempt to index a string value"),
                         ("print(('x'):rep(1 << 40))", ""), ("local t = {} while true do t[#t + 1] = ('x'):rep(1000) .. #t end", "--memory-limit")):
        says(code, "--memory-limit", "20", wanted=wanted)
    lua("assert(io and os and require)", "--trust")


@test
def functions_in_their_bounded_versions_do_the_same():
    lua("""
    assert(table.concat({1, 'b', 2.5}, ', ') == '1, b, 2.5' and table.concat({}) == '' and table.concat({1, 2, 3}, '', 2) == '23')
    assert(table.concat({1, 2, 3}, '-', 2, 3) == '2-3' and table.concat({1, 2}, 'x', 3) == '')
    assert(table.concat({[math.maxinteger] = 'z'}, '', math.maxinteger, math.maxinteger) == 'z')
    assert(not pcall(table.concat, {1, {}, 3}) and not pcall(table.concat, 5))
    local t = {3, 1, 2} table.sort(t, math.ult) assert(t[1] == 1 and t[3] == 3)
    table.sort(t, function(a, b) return a > b end) assert(t[1] == 3)
    local c = coroutine.create(function() coroutine.yield(1) end) coroutine.resume(c) assert(coroutine.close(c))
    assert(collectgarbage('count') > 0 and collectgarbage() == 0)
    local x = {} assert(tostring(x) == tostring(x) and tostring(x) ~= tostring({}) and tostring(x):find('^table: %x+$'))
    assert(('%s|%5.1f|%q|%%p'):format(x, 2, 'a') == tostring(x) .. '|  2.0|"a"|%p')
    assert(tostring(setmetatable({}, {__tostring = function() return 'own' end})) == 'own' and tostring(nil) == 'nil')
    assert(load(function() return nil end) and load('return 1')() == 1)
    """)


@test
def endless_scripts_end():
    for code in ("while true do end", "while true do pcall(function() while true do end end) end",
                 "local function f() return pcall(f) end while true do f() end",
                 "local w = coroutine.wrap(function() while true do end end) while true do pcall(w) end",
                 "while true do xpcall(function() while true do end end, function() while true do end end) end",
                 # Without an instruction of Lua: functions in C that call functions in C.
                 "table.sort(setmetatable({}, {__len = function() return (1 << 31) - 2 end, __index = rawequal, __newindex = rawequal}), rawequal)",
                 "table.concat(setmetatable({}, {__len = function() return 1 << 53 end, __index = getmetatable, __metatable = ''}))",
                 "local t = {} for i = 1, 100000 do t[i] = {} end string.gsub(('collect'):rep(1000000), 'collect', collectgarbage)",
                 # Functions of as many values as there are, and a query that never ends.
                 "local a = ('x'):rep(3000000) while true do math.max(a:byte(1, 9000)) end",
                 "local t = table.pack(('x'):rep(9000):byte(1, -1)) while true do select('#', table.unpack(t)) end",
                 "assay.value('with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n')",
                 # One step that takes long.
                 "local a, b = ('x'):rep(1000000) .. 'a', ('x'):rep(1000000) .. 'b' while true do local q = a < b end",
                 # Where Lua calls no hook: in a coroutine that its hook ended.
                 "local m = {} m.__close = function() while true do end end\n"
                 "coroutine.wrap(function() local x <close> = setmetatable({}, m) while true do end end)()",
                 "local m = {} m.__close = function() while true do end end\n"
                 "local c = coroutine.create(function() local x <close> = setmetatable({}, m) while true do end end) coroutine.resume(c) coroutine.close(c)"):
        says(code, "--steps", "2", wanted="stopped after 2 ")
    script = subprocess.Popen([ASSAY, "lua", "-e", "while true do pcall(function() while true do end end) end"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    tree = watching.Tree(script.pid)
    while script.poll() is None and sum(row[4] for row in tree.look().values()) < 30:
        time.sleep(0.02)  # until it has computed for 0.3 seconds: the script runs
    script.send_signal(signal.SIGINT)
    _, told = watching.finish(script, 60)
    if script.returncode != 2 or "interrupted" not in told:
        raise Fail(f"Ctrl-C: {script.returncode}, {told!r}")


@test
def work_in_c_counts_as_steps():
    """Two million steps are as many as their work takes instructions: so many rounds at most."""
    for code, most in (("while true do assay.value('select 1') print(1) end", 1100),
                       ("local t = {} for i = 1, 100000 do t[i] = i end while true do table.insert(t, 1, 1) table.remove(t, 1) print(1) end", 20)):
        done = assay("lua", "-e", code, "--steps", "2", status=2)
        if b"stopped after 2 million steps" not in done.stderr or not 0 < len(done.stdout.split()) <= most:
            raise Fail(f"{code}: {len(done.stdout.split())} rounds, {done.stderr}")


@test
def scripts_are_analyses():
    with Folder() as folder:
        prog, own = make(folder), os.path.join(folder, "own")
        os.mkdir(own)
        with open(os.path.join(own, "big.lua"), "w") as file:
            file.write("-- title: Big blocks\n-- does: lists blocks\n-- parameter: least 3 instructions\n"
                       "local rows = {columns = {'block', 'n'}}\nfor b in assay.each('select * from blocks') do\n"
                       "  if b.instruction_count >= assay.parameters.least then rows[#rows + 1] = {block = b.id, n = b.instruction_count} end\nend\nreturn rows\n")
        environment = dict(os.environ, ASSAY_ANALYSES=own)
        listed = text("analyses", env=environment)
        if "big" not in listed:
            raise Fail(listed)
        for least in (3, 7):
            found = json.loads(text("analysis", "-q", "big", prog, "--json", "--set", f"least={least}", env=environment))
            wanted = rows(prog, f"select id as block, instruction_count as n from blocks where instruction_count >= {least}")
            if not wanted or found != wanted:
                raise Fail(f"{found} is not {wanted}")
        database = os.path.join(folder, "prog.db")
        assay("db", "-q", prog, "-o", database)
        assay("analysis", "-q", "big", database, "--keep", env=environment)
        kept = rows(database, "select count(*) as n from findings where analysis = 'big'")[0]["n"]
        if kept != rows(prog, "select count(*) as n from blocks where instruction_count >= 3")[0]["n"]:
            raise Fail(f"{kept} findings")


def shipped(prog, name, *words):
    return json.loads(text("analysis", "-q", name, prog, "--json", *words))


@test
def shipped_scripts_find_what_was_planted():
    with Folder() as folder:
        for compiler in compilers("x86_64")[:1] + compilers("aarch64")[:1]:
            prog = make(folder, compiler)
            found = shipped(prog, "interchange")
            if [(row["function"], row["stride"], row["outer_stride"]) for row in found] != [("column", 4096, 8)]:
                raise Fail(f"interchange: {found}")
            chains = shipped(prog, "chain-across-calls")
            if [row["callee"] for row in chains] != ["half"] or chains[0]["cycles"] < 4:
                raise Fail(f"chain-across-calls: {chains}")
            if {row["variable"] for row in shipped(prog, "dead-stores")} != {"written"}:
                raise Fail(f"dead-stores: {shipped(prog, 'dead-stores')}")
            roofs = shipped(prog, "roofline")
            if not roofs or not all(0 < row["share"] <= 1.01 for row in roofs):
                raise Fail(f"roofline: {roofs}")
            pressure = shipped(prog, "register-pressure", "--set", "most=1")
            size = rows(prog, f"select instruction_count as n from loops where id = {pressure[0]['loop_id']}")[0]["n"]
            if len(pressure) != size or not any(row["general"] >= 2 for row in pressure):
                raise Fail(f"register-pressure: {pressure}")


run()
