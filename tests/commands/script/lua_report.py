"""Metrics and rules in Lua, in every form of the report and on the pages; plans of probes in Lua; reports as values."""
# first build only: leaks.py runs a report and a script with the sanitizers
import json, os

from harness import MACHINE, Fail, Folder, assay, command, compilers, rows, run, test, text
from ui import Ui

PROGRAM = """#include <math.h>
#include <stdio.h>
double x[1000], y[1000], l[1000];
__attribute__((noinline)) int near(const double *x, const double *y, long n, double r)
{
    int count = 0;
    for (long i = 0; i < n; i++)
        count += sqrt(x[i] * x[i] + y[i] * y[i]) < r;
    return count;
}
__attribute__((noinline)) void lengths(double *restrict l, const double *x, const double *y, long n)
{
    for (long i = 0; i < n; i++)
        l[i] = sqrt(x[i] * x[i] + y[i] * y[i]);
}
int main(int c, char **v)
{
    int s = 0;
    for (int k = 0; k < 10; k++) {
        s += near(x, y, 1000, c);
        lengths(l, x, y, 1000);
    }
    printf("%d %g %d\\n", s, l[5], v != 0);
    return 0;
}
"""
OWN = {"loads-per-store": """-- title: Loads for each store
-- does: counts loads
-- kind: metric
-- parameter: factor 2 times this
-- where: store_count > 0
return function(loop, path)
  assert(loop.id == path.loop and #path:instructions() == path.instruction_count)
  return assay.parameters.factor * path.load_count / path.store_count
end
""", "every-loop": """-- title: A loop "<b>"
-- does: speaks of every loop, in <i>words</i>
-- kind: rule
-- level: gain
return function(loop, path)
  local all = path:instructions()
  return {text = "It has " .. #all .. " instructions.", evidence = {all[1], all[#all].id}, gain = 2,
          remedies = {"Do less.", {text = "Use -O9.", option = "-O9"}}}
end
"""}


def make(folder, compiler=("gcc",), source=PROGRAM):
    with open(os.path.join(folder, "prog.c"), "w") as file:
        file.write(source)
    path = os.path.join(folder, "prog")
    command([*compiler, "-O1", "-g", "-fno-math-errno", "-o", path, os.path.join(folder, "prog.c"), "-lm"])
    return path


def own(folder, files):
    place = os.path.join(folder, "own")
    os.makedirs(place, exist_ok=True)
    for name, words in files.items():
        with open(os.path.join(place, f"{name}.lua"), "w") as file:
            file.write(words)
    return dict(os.environ, ASSAY_ANALYSES=place)


# The root is only compared, but the chain through s takes longer than it does.
CHAINED = """__attribute__((noinline)) double chained(const double *x, const double *y, long n, double r, int *count)
{
    double s = 0;
    int c = 0;
    for (long i = 0; i < n; i++) {
        s = ((s * 0.5 + x[i]) * 0.25 + y[i]) * 0.125 + x[i];
        c += sqrt(x[i] * x[i] + y[i] * y[i]) < r;
    }
    *count = c;
    return s;
}
"""


@test
def shipped_ones_speak_and_are_silent():
    with Folder() as folder:
        for machine, compiler in [("haswell", words) for words in compilers("x86_64")] + [("neoverse-n1", words) for words in compilers("aarch64")]:
            prog = make(folder, compiler, PROGRAM + CHAINED)
            said = json.loads(text("analysis", "-q", "root-compared", prog, "--json", "--machine", machine))
            if {row["function"] for row in said} != {"near"} or not all(row["gain"] > 1.04 for row in said):
                raise Fail(f"{compiler}: root-compared: {said}")
            figures = json.loads(text("analysis", "-q", "traffic-per-flop", prog, "--json"))
            found = {row["function"]: row["value"] for row in figures}
            # lengths: three streams of 8 bytes for two products, a sum and a root; near has no stream that is stored
            if abs(found["lengths"] - 24 / 4) > 0.01 or abs(found["near"] - 16 / 4) > 0.01:
                raise Fail(f"{compiler}: traffic-per-flop: {figures}")


@test
def all_forms_of_the_report_have_them():
    with Folder() as folder:
        prog = make(folder)
        env = own(folder, OWN)
        listed = text("analyses", env=env)
        if "loads-per-store" not in listed or "every-loop" not in listed:
            raise Fail(listed)
        found = json.loads(text("report", "-q", "--json", prog, env=env))
        rule = {rule["name"]: rule for rule in found["rules"]}["every-loop"]
        if not rule["file"].endswith("own/every-loop.lua") or not any(rule["file"] is None for rule in found["rules"]):
            raise Fail(f"{rule}")
        if "loads-per-store" not in [metric["name"] for metric in found["added_metrics"]]:
            raise Fail(f"{found['added_metrics']}")
        for loop in found["loops"]:
            for path in loop["paths"]:
                advice = [each for each in path["advice"] if each["rule"] == "every-loop"]
                if len(advice) != 1 or len(advice[0]["evidence"]) != 2 or len(advice[0]["remedies"]) != 2 or advice[0]["gain"] != 2:
                    raise Fail(f"loop {loop['loop']}: {advice}")
        head, *lines = text("report", "-q", "--csv", prog, "--function", "lengths", env=env).split("\r\n")
        column = dict(zip(head.split(","), lines[0].split(",")))
        if column["loads-per-store"] != "4":
            raise Fail(f"csv: {column}")
        plain = " ".join(text("report", "-q", prog, "--level", "hint", env=env).split())
        if 'A loop "<b>" [gain]' not in plain or "every-loop.lua)" not in plain or "loads-per-store: counts loads (" not in plain:
            raise Fail(plain)
        page = text("report", "-q", "--html", prog, env=env)
        if "A loop &quot;&lt;b&gt;&quot;" not in page or "<i>words" in page or "Loads for each store" not in page:
            raise Fail("the page lacks them, or takes their text for tags")
        database = os.path.join(folder, "prog.db")
        assay("db", "-q", "--report", prog, "-o", database, env=env)
        kept = rows(database, "select count(*) as n from advice a join rules r on r.id = a.rule where r.file like '%every-loop.lua'")
        orders = rows(database, "select loop, path, rule from advice")
        if not kept[0]["n"] or orders != sorted(orders, key=lambda row: (row["loop"], row["path"], row["rule"])):
            raise Fail(f"{kept}, {orders}")
        apart = rows(database, "select count(*) as n from advice_evidence e join advice a on a.id = e.advice join code c on c.id = e.instruction "
                               "join blocks b on b.id = c.block where b.loop is not a.loop")
        if apart[0]["n"]:
            raise Fail("evidence of one loop became that of another")


@test
def a_script_sees_what_sql_sees():
    """It runs in a process of its own, where the report is computed, and its metrics and rules asked."""
    with Folder() as folder:
        prog, env = make(folder), own(folder, OWN)
        for sql, columns in (("select loop, path, value from added_figures order by 1, 2", ("loop", "path", "value")),
                             ("select a.loop, a.path, r.name from advice a join rules r on r.id = a.rule order by 1, 2, 3", ("loop", "path", "name"))):
            wanted = [list(map(str, row.values())) for row in json.loads(text("sql", "-q", "--json", prog, sql, env=env))]
            words = " .. ' ' .. ".join(f"tostring(row.{name})" for name in columns)
            found = [line.split() for line in text("lua", "-q", "-e", f'for row in assay.each("{sql}") do print({words}) end', prog, env=env).splitlines()]
            if not found or len(found) != len(wanted) or any(one[:2] != other[:2] for one, other in zip(found, wanted)):
                raise Fail(f"{found} != {wanted}")


@test
def a_failing_file_is_left_out():
    for body, wanted in (("return function(loop) return loop.nothing.here end", "wrong.lua:5: attempt to index"),
                         ("return 5", "must return a function of a loop and its path"),
                         ("local x = = 1", "wrong.lua:5: unexpected symbol"),
                         ("return function() return {} end", "what a rule found needs a text"),
                         ("return function() return {text = 'x', gain = -1} end", "gain: a number above 0"),
                         ("return function() return {text = 'x', evidence = {10^9 | 0}} end", "item 1 is not an instruction"),
                         ("return function() return {text = 'x', remedies = {5}} end", "a remedy is a text"),
                         ("return function() return assay.cycles(assay.row('loops', 1), 'nosuch') end", "nosuch is not the machine of this report"),
                         ("local t = {} return function() while true do t[#t + 1] = ('x'):rep(1 << 20) .. #t end end", "used all its 256 MB|took longer than 10 s"),
                         ("return function() return ('x'):rep(10001) end", "a text of a rule may have 10000 bytes, not 10001"),
                         ("local t = {} for i = 1, 10001 do t[i] = 1 end return function() return {text = 'x', evidence = t} end", "evidence: at most 10000"),
                         ("local t = {} for i = 1, 21 do t[i] = 'r' end return function() return {text = 'x', remedies = t} end", "remedies: at most 20"),
                         ("return function() error({}) end", "an error that is not a text but a table; raised at"),
                         ("return function() io.open('/etc/passwd') end", "global 'io'")):
        with Folder() as folder:
            prog = make(folder)
            env = own(folder, dict(OWN, wrong=f"-- title: t\n-- does: d\n-- kind: rule\n-- level: gain\n{body}\n"))
            done = assay("report", "--json", prog, env=env)
            told = done.stderr.decode()
            # A slow computer meets the one limit before the other.
            if not any(words in told for words in wanted.split("|")) or "(this rule is left out)" not in told or "wrong.lua" not in told:
                raise Fail(f"{body}: {told!r}")
            found = {rule["name"] for rule in json.loads(done.stdout)["rules"]}
            if "every-loop" not in found or "wrong" in found:
                raise Fail(f"{body}: {found}")
    with Folder() as folder:
        prog = make(folder)
        for head, wanted in (("-- kind: metric\n-- where: nosuch > 1", "SQL: no such column: nosuch"), ("-- kind: rul", "kind: expected metric, rule or analysis"),
                             ("-- kind: rule\n-- level: high", "level: expected gain")):
            env = own(folder, {"wrong": f"-- title: t\n-- does: d\n{head}\nreturn function() end\n"})
            told = assay("report", prog, env=env).stderr.decode() + text("analyses", env=env)
            if wanted not in " ".join(told.split()):
                raise Fail(f"{head}: {told}")


@test
def odd_values_are_told_once():
    with Folder() as folder:
        prog = make(folder)
        env = own(folder, {"odd": "-- title: t\n-- does: d\n-- kind: metric\n\nreturn function(loop, path)\n  return path.store_count > 0 and 7 or 0 / 0\nend\n",
                           "bytes": "-- title: t\n-- does: d\n-- kind: rule\n-- level: gain\nreturn function() return 'a\\xff\\x1b[31mb' end\n"})
        done = assay("report", "--json", prog, env=env)
        told = done.stderr.decode()
        if told.count("odd.lua") != 1 or "odd.lua:5: gave nan for the loop at " not in told or "which is not a number (no value there)" not in told:
            raise Fail(told)
        if "bytes" not in {rule["name"] for rule in json.loads(done.stdout.decode())["rules"]}:
            raise Fail("a text that is not UTF-8 is lost")
        if b"\x1b" in assay("report", prog, env=env).stdout:
            raise Fail("a rule reaches the terminal")


@test
def hostile_plans_are_refused():
    if MACHINE not in ("x86_64", "aarch64"):
        return
    with Folder() as folder:
        prog, plan = make(folder), os.path.join(folder, "plan.lua")
        for body, wanted in (("local t = {} for i = 1, 10001 do t[i] = 'near' end assay.probe{functions = t}", "plan.lua:1: a plan may have 10000 wishes"),
                             ("assay.probe{functions = ('x'):rep(1e7)}", "plan.lua:1: functions: a text of more than 4096 bytes is not a name"),
                             ("assay.probe{calls = setmetatable({}, {__name = {}})}", "plan.lua:1: calls: a row, a text or a number is needed"),
                             ("assay.probe{functions = 'near'} coroutine.yield()", "attempt to yield"),
                             ("assay.probe{[assay] = 1}", "not 'table'")):
            with open(plan, "w") as file:
                file.write(body)
            done = assay("probe", "-q", "--plan", plan, "--", prog, status=2)
            if wanted not in done.stderr.decode():
                raise Fail(f"{body}: {done.stderr}")


@test
def probes_are_planned_and_digested():
    if MACHINE not in ("x86_64", "aarch64"):
        return
    with Folder() as folder:
        prog, plan = make(folder), os.path.join(folder, "plan.lua")
        with open(plan, "w") as file:
            file.write("for _, row in ipairs(assay.query('select loop from loop_metrics where sqrt_count > 0 group by loop')) do\n"
                       "  assay.probe{loop = assay.row('loops', row.loop)}\nend\nassay.probe{values = assay.rows('functions', {name = 'near'})[1]}\n"
                       "return function()\n  return assay.query('select f.name, p.entries, p.iterations from probe_loops p join loops l on l.id = p.loop '"
                       " .. 'join functions f on f.id = l.function order by 1')\nend\n")
        done = assay("probe", "-q", "--json", "--plan", plan, "--", prog)
        if json.loads(done.stdout) != [{"name": name, "entries": 10, "iterations": 10000} for name in ("lengths", "near")]:
            raise Fail(done.stdout.decode())
        shown = text("probe", "-q", "--show-plan", "--plan", plan, "--", prog)
        if "near" not in shown or "loop" not in shown:
            raise Fail(shown)
        for body, wanted in (("assay.probe{lop = 1}", "plan.lua:1: assay.probe takes functions"), ("print(1)", "chose nothing to probe"),
                             ("\nassay.probe{loop = assay.rows('functions')[1]}", "plan.lua:2: loop cannot be a row of functions"),
                             ("assay.probe{at = 'here'}", "plan.lua:1:")):
            with open(plan, "w") as file:
                file.write(body)
            told = assay("probe", "-q", "--plan", plan, "--", prog, status=2).stderr.decode()
            if wanted not in told:
                raise Fail(f"{body}: {told}")
        with open(plan, "w") as file:
            file.write("assay.probe{functions = 'near'}")
        if "near" not in assay("probe", "-q", "--plan", plan, "--", prog).stderr.decode():
            raise Fail("without a function that digests, there is no report")


@test
def reports_are_values():
    with Folder() as folder:
        prog = make(folder)
        number = rows(prog, "select l.id from loops l join functions f on f.id = l.function where f.name = 'lengths'")[0]["id"]
        database = os.path.join(folder, "prog.db")
        assay("db", "-q", "--report", prog, "-o", database)
        for file in (prog, database):
            for format in ("csv", "json"):
                told = text("lua", "-q", "-e", f"print(assay.report(assay.row('loops', {number}), {{format = '{format}'}}))", file)
                wanted = text("report", "-q", f"--{format}", "--loop", str(number), prog)
                if format == "csv" and told.split("\r\n")[1] != wanted.split("\r\n")[1]:
                    raise Fail(f"{told}\n{wanted}")
                if format == "json" and json.loads(told)["loops"][0]["paths"] != json.loads(wanted)["loops"][0]["paths"]:
                    raise Fail(f"{told}\n{wanted}")
            words = text("lua", "-q", "-e", f"print(assay.report(assay.row('loops', {number})))", file)
            if f"loop {number} in lengths" not in words:
                raise Fail(words)
        if text("lua", "-q", "-e", "io = assay.text({{a = 1, b = 'x'}}, 'csv') print(io)") != "a,b\r\n1,x\r\n\n":
            raise Fail("assay.text")


@test
def pages_have_scripts():
    with Folder() as folder:
        prog, env = make(folder), own(folder, dict(OWN, blocks="-- title: All blocks\n-- does: lists them\n-- parameter: least 1 instructions\n"
                                                   "local rows = {columns = {'block_id', 'cycles'}}\nfor _, b in ipairs(assay.rows('blocks')) do\n"
                                                   "  if b.function_ and b.instruction_count >= assay.parameters.least then\n"
                                                   "    local c = assay.cycles(b) rows[#rows + 1] = {block_id = b.id, cycles = c and c.cycles}\n  end\nend\nreturn rows\n"))
        with Ui(prog, env=env) as ui:
            menu = {entry["name"]: entry for entry in ui.get("/1/api/analyses").json["analyses"]}
            found = ui.post("/1/api/query?p.least=3", menu["blocks"]["text"]).json
            wanted = rows(prog, "select count(*) as n from blocks where function is not null and instruction_count >= 3")[0]["n"]
            if "error" in found or len(found["results"][0]["rows"]) != wanted:
                raise Fail(f"{found}"[:500])
            for name in ("every-loop", "loads-per-store"):
                found = ui.post("/1/api/query", menu[name]["text"]).json
                if "error" in found or not found["results"][0]["rows"]:
                    raise Fail(f"{name}: {found}"[:500])
            endless = "-- title: t\n-- does: d\n-- language: lua\nwhile true do pcall(function() while true do end end) end\n"
            found = ui.post("/1/api/query?seconds=1", endless).json
            if "stopped after 1 s" not in found.get("error", ""):
                raise Fail(f"{found}")
            wrong = ui.post("/1/api/query", "-- title: t\n-- does: d\n-- language: lua\nassay.query('select nosuch from loops')").json
            if ":4: SQL: no such column: nosuch" not in wrong.get("error", ""):
                raise Fail(f"{wrong}")
            number = rows(prog, "select l.id from loops l join functions f on f.id = l.function where f.name = 'lengths'")[0]["id"]
            page = ui.get(f"/1/loop/{number}").text
            if "A loop &quot;&lt;b&gt;&quot;" not in page or "Loads for each store" not in page:
                raise Fail("the page of the loop lacks them")


@test
def rules_on_pages_cannot_hold_the_server():
    """A rule that never ends costs its time, one that asks for all memory its own process; others are heard."""
    with Folder() as folder:
        head = "-- title: A trap\n-- does: nothing\n-- kind: rule\n"
        traps = {"y-endless": head + "while true do end\n", "z-memory": head + "local t = {} while true do t[#t + 1] = ('x'):rep(1 << 24) end\n",
                 "a-wrong": head + "return 5\n", "b-nonsense": head + "return function() return {text = 'x', gain = -1} end\n"}
        prog, env = make(folder), own(folder, dict(OWN, **traps))
        with Ui(prog, env=env) as ui:
            loops = [row["id"] for row in rows(prog, "select l.id from loops l join functions f on f.id = l.function where f.name in ('near', 'lengths')")]
            for number in loops:
                page = ui.get(f"/1/loop/{number}").text
                if "A loop &quot;&lt;b&gt;&quot;" not in page or "A trap" in page:
                    raise Fail("the page of the loop lacks the good rule, or has the others")
            if "200" not in str(ui.get("/1/").status):
                raise Fail("the server does not answer")


run()
