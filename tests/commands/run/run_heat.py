"""assay asm --heat, the page of a run and ui: the time of a function on its source lines, inlined code folded into the line that called
it.  Shares are samples, so limits are wide; what adds up, adds up exactly."""
import csv, io, json, os, re, shutil, sqlite3, subprocess

from harness import MACHINE, Browser, Folder, Skip, assay, build, compilers, rows, run, test, text, uncertain
from ui import Ui, UiBrowser

HEADER = """static inline double weigh(const double *x, int n)
{
    double s = 0;
    for (int i = 0; i < n; i++)
        s = x[i] / (s + 3) + x[i] / (s + 5) + x[i] * (s + 7) / (s + 11);                   /* the hot line */
    return s;
}
"""
SOURCE = """#include <stdio.h>
#include <stdlib.h>
#include "weigh.h"
static double x[1000];
__attribute__((noinline)) double cold(double s)
{
    return s * 1.5;
}
__attribute__((noinline)) double solve(int n)
{
    double s = 0;
    for (int i = 0; i < n; i++)
        s += weigh(x, 1000) + cold(i);            /* the call */
    return s;
}
int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 100000;
    for (int i = 0; i < 1000; i++)
        x[i] = i;
    printf("%g\\n", solve(n));
    return 0;
}
"""


def line_of(source, mark):
    return next(number for number, line in enumerate(source.splitlines(), 1) if mark in line)


HOT, CALL = line_of(HEADER, "the hot line"), line_of(SOURCE, "the call")


def recorded(folder, *flags, options=()):
    """A program and the database of its run."""
    for name, content in (("weigh.h", HEADER), ("solve.c", SOURCE)):
        with open(os.path.join(folder, name), "w") as file:
            file.write(content)
    program = build(folder, compilers(MACHINE)[0], [os.path.join(folder, "solve.c")], "-O2", *(flags or ["-g"]))
    path = os.path.join(folder, "run.db")
    assay("run", "--force", "-o", path, *options, "--", program, "60000")
    if rows(path, "select samples from runs")[0]["samples"] < 60:
        raise Skip("too few samples")
    return path


def heat_rows(path, *words):
    return json.loads(text("asm", path, "--heat", "--json", "--quiet", *words))


@uncertain
def inlined_time_is_folded_into_the_calling_line():
    with Folder() as folder:
        found = heat_rows(recorded(folder), "--function", "solve")
        function, lines = found[0], [row for row in found if row["kind"] == "line" and row["depth"] == 1]
        assert function["kind"] == "function" and function["self_share"] > 0.8, function
        hottest = max(lines, key=lambda row: row["self_seconds"])
        assert hottest["line"] == CALL and hottest["file"].endswith("solve.c"), hottest
        assert hottest["self_seconds"] > 0.8 * function["self_seconds"], (hottest, function)
        place = found.index(hottest)
        call = found[place + 1]
        assert call["kind"] == "inlined" and call["inlined"] == "weigh" and call["depth"] == 2, call
        body = []
        for row in found[place + 2:]:
            if row["kind"] != "line" or row["depth"] != 3:
                break
            body.append(row)
        inner = max(body, key=lambda row: row["self_seconds"])
        assert inner["line"] == HOT and inner["file"].endswith("weigh.h"), body
        # What is folded adds up: bodies to the call, lines to the function, instructions to the function.
        for parts, whole in ((body, call), (lines, function), ([row for row in found if row["kind"] == "instruction"], function)):
            for column in ("self_seconds", "samples", "instructions"):
                total = sum(row[column] for row in parts)
                assert abs(total - whole[column]) < 1e-6 * (1 + abs(total)), (column, total, whole)
        assert all(row["own_line"] == CALL for row in found if row["kind"] == "instruction" and row["file"].endswith("weigh.h"))


@uncertain
def time_of_calls_stands_with_the_line_that_calls():
    with Folder() as folder:
        path = recorded(folder)
        found = heat_rows(path, "--function", "main")[0:]
        function, lines = found[0], [row for row in found if row["kind"] == "line" and row["depth"] == 1]
        calling = max(lines, key=lambda row: row["total_seconds"])
        assert calling["line"] == line_of(SOURCE, "solve(n))"), calling
        assert calling["total_share"] > 0.8 and calling["self_share"] < 0.2, calling
        for row in rows(path, """select f.function as function, f.self_seconds as self, f.total_seconds as total,
                                        sum(p.self_seconds) as lines_self, sum(p.total_seconds) as lines_total, f.samples as samples,
                                        sum(p.samples) as lines_samples
                                   from run_functions f join run_positions p on p.function = f.function group by f.function"""):
            assert abs(row["self"] - row["lines_self"]) < 1e-9 and abs(row["total"] - row["lines_total"]) < 1e-9, row
            assert row["samples"] == row["lines_samples"], row


@uncertain
def the_text_has_source_and_arrows():
    with Folder() as folder:
        path = recorded(folder)
        told = text("asm", path, "--heat", "-F", "solve")
        assert re.search(rf"^ *\S+ +[\d.]+ %( +[\d.]+ %)? +{CALL} .*the call", told, re.M), told
        assert re.search(r"inlined: weigh [\d.]+ %", told), told
        assert "the hot line" not in told, told
        unfolded = text("asm", path, "--heat", "-F", "solve", "--unfold")
        assert re.search(rf" {HOT} .*the hot line", unfolded) and "weigh, inlined from weigh.h" in unfolded, unfolded
        # The jump back to the head of the loop has an arrow: its two ends are in one lane.
        body = told[told.index("instruction"):]
        assert re.search(r"[┌╭].*▸ ", body) or re.search(r"\.-*> ", body) or re.search(r"\+-*> ", body), body
        without = text("asm", path, "--heat", "-F", "solve", "--no-assembly")
        assert "the call" in without and "address" not in without, without
        without = text("asm", path, "--heat", "-F", "solve", "--no-source")
        assert "the call" not in without and "address" in without, without
        hot = text("asm", path, "--heat", "--no-assembly")
        assert hot.startswith("solve"), hot
        plain = assay("asm", path, "--heat", "-F", "solve", env=dict(os.environ, LC_ALL="C")).stdout
        assert plain
        table = list(csv.DictReader(io.StringIO(text("asm", path, "--heat", "-F", "solve", "-F", "solve", "--csv", "--quiet"))))
        assert table[0]["kind"] == "function" and {row["kind"] for row in table} == {"function", "line", "inlined", "instruction"}


@uncertain
def a_source_that_is_not_there_is_said():
    with Folder() as folder:
        path = recorded(folder)
        os.unlink(os.path.join(folder, "solve.c"))
        told = " ".join(text("asm", path, "--heat", "-F", "solve").split())
        assert f"solve.c is not on this computer: its lines are numbers." in told, told
        assert re.search(rf"[\d.]+ %( [\d.]+ %)? {CALL} ", told), told
        path = recorded(folder, "-g0")
        told = " ".join(text("asm", path, "--heat", "-F", "solve").split())
        assert "without debug information: -g brings" in told, told


@test
def wrong_uses_are_told():
    with Folder() as folder:
        source = os.path.join(folder, "a.c")
        with open(source, "w") as file:
            file.write("int main(void) { return 0; }\n")
        program = build(folder, compilers(MACHINE)[0], [source], "-g")
        database = os.path.join(folder, "a.db")
        assay("db", program, "-o", database, "--quiet")
        for words, status, wanted in (
                ([program, "--heat"], 2, "is no database of a run"), ([database, "--heat"], 2, "has no sampled run"),
                ([program, "--unfold"], 2, "--unfold goes with --heat"), ([database, "--heat", "--raw"], 2, "does not go with --raw"),
                ([database, "--heat", "--no-source", "--no-assembly"], 2, "nothing to show"),
                ([database, "--heat", "--top", "0"], 2, "")):
            said = assay("asm", *words, status=status).stderr.decode()
            assert wanted in said, (words, said)


@uncertain
def a_function_without_samples_is_told():
    with Folder() as folder:
        path = recorded(folder, options=["--all-code"])
        assert "no sample is in that function" in assay("asm", path, "--heat", "-F", "deregister_tm_clones", status=1).stderr.decode()
        said = assay("asm", path, "--heat", "-F", "weigh", status=1).stderr.decode()
        assert "weigh was inlined: its time is in solve (--function solve --unfold)" in said, said
        assert "no function" in assay("asm", path, "--heat", "-F", "nothing_of_that_name", status=1).stderr.decode()


@uncertain
def the_page_has_hot_functions_and_needs_no_network():
    with Folder() as folder:
        path = recorded(folder)
        page = os.path.join(folder, "run.html")
        assay("report", path, "--html", "-o", page)
        with open(page) as file:
            content = file.read()
        assert not re.search(r"(src|href)=\"(https?:)?//", content) and "@import" not in content
        with Browser(folder) as browser:
            browser.ask("/url", {"url": "file://" + page})
            found = browser.run("""
                const part = document.querySelector('#heat details'), rows = [...part.querySelectorAll('.source > table > tbody > tr[id]')];
                const share = row => parseFloat(row.querySelector('.share').textContent) || 0;
                const hot = rows.reduce((a, b) => share(a) >= share(b) ? a : b), fold = hot.querySelector('details');
                const wasOpen = fold.open;
                fold.querySelector('summary').click();
                const before = fold.offsetHeight;
                fold.querySelector('summary').click();
                const svg = [...part.querySelectorAll('.assembly .jumps svg')];
                return {open: part.open, wasOpen, line: hot.querySelector('.number').textContent, warm: hot.className,
                        color: getComputedStyle(hot).backgroundColor, before, after: fold.offsetHeight,
                        inner: fold.querySelector('table').textContent, arrows: svg.length, heads: part.querySelectorAll('.head').length,
                        tall: Math.max(...[...part.querySelectorAll('.assembly tbody tr')].map(row => row.offsetHeight))};""")
            assert found["open"] and found["line"] == str(CALL) and "h8" in found["warm"], found
            assert found["color"] not in ("rgba(0, 0, 0, 0)", "transparent"), found
            assert found["wasOpen"] and 0 < found["before"] < found["after"] and "the hot line" in found["inner"], found
            # Arrows are drawn row by row: they only meet if no row is taller than its part of the drawing.
            assert found["arrows"] > 2 and found["heads"] >= 1 and found["tall"] <= 20.5, found
            assert not browser.complaints()


@uncertain
def ui_has_it_on_the_page_of_a_function():
    with Folder() as folder:
        path = recorded(folder)
        function = rows(path, "select id from functions where name = 'solve'")[0]["id"]
        with Ui(path) as ui:
            content = ui.get(f"/1/function/{function}").text
            assert 'id="heat"' in content and "the hot line" in content and "% of the time" in content, content[:2000]
            cold = rows(path, "select f.id as id from functions f where f.id not in (select function from run_functions where function is not null)")
            for row in cold[:1]:
                assert 'id="heat"' not in ui.get(f"/1/function/{row['id']}").text
            with UiBrowser(folder, ui) as browser:
                browser.inspect(f"/1/function/{function}")


@test
def damaged_rows_neither_crash_nor_hang():
    with Folder() as folder:
        path = recorded(folder)
        for number, change in enumerate((
                "update run_positions set line = 4294967295", "update run_positions set line = null, source = null",
                "update inlined_calls set parent = id", "update inlined_calls set call_line = 4294967295, call_file = null",
                "update run_positions set self_seconds = null", "update run_positions set self_seconds = -1, total_seconds = 1e300",
                "update samples set instruction = 1", "delete from run_positions", "delete from samples",
                "update run_positions set samples = 9223372036854775807", "update functions set line = 1")):
            copy = shutil.copy(path, os.path.join(folder, f"damaged-{number}.db"))
            connection = sqlite3.connect(copy)
            connection.execute(change)
            connection.commit()
            connection.close()
            for words in (["asm", copy, "--heat", "--all", "--unfold"], ["asm", copy, "--heat", "--json"], ["asm", copy, "--heat", "-F", "solve"],
                          ["report", copy, "--html", "-o", os.path.join(folder, "page.html"), "--force"]):
                result = assay(*words, status=None)
                assert result.returncode in (0, 1, 2), (change, words, result)


run()
