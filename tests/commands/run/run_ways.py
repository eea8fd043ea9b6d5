"""Predicted and measured cycles of loops around others and of functions (docs/run-report.md): programs whose calls, iterations and ways are
known from their source, run with `assay run --measure`."""
# first build only: it runs programs several times each, and tests/unit/run/ways.c has the predictions in all builds
import json
import os

from harness import Fail, Folder, assay, build, need, run, uncertain

PROGRAM = r"""
#include <stdio.h>
#include <stdlib.h>
#define APART __attribute__((noinline, noclone))
static unsigned words[64];
APART unsigned recursion(unsigned n, unsigned depth)
{
    return depth ? recursion(n * 3 + 1, depth - 1) + recursion(n ^ 5, depth - 1) : n;
}
APART unsigned hash(unsigned h) { h *= 3; h ^= 5; h *= 7; h ^= 9; h *= 11; h ^= 13; h *= 15; h ^= 17; h *= 19; return h; }
APART unsigned around(unsigned times, unsigned inner)
{
    unsigned t = 1;
    for (unsigned i = 0; i < times; i++) {
        t = t * 3 ^ i; t = t * 7 ^ i; t = t * 11 ^ i; t = t * 13 ^ i; t = t * 17 ^ i; t = t * 19 ^ i;
        for (unsigned k = 0; k < inner; k++)
            words[k] += i;
    }
    return t;
}
int main(int count, char **arguments)
{
    unsigned scale = atoi(arguments[1]), all = 0;
    for (unsigned i = 0; i < 160 * scale; i++)
        all += recursion(i, 13);
    for (unsigned i = 0; i < 1000000 * scale; i++)
        all = hash(all);
    all += around(1000000 * scale, 20);
    printf("%u\n", all);
}
"""
SCALE = 30


def report(folder, *options):
    """The run as JSON, and the text of its report."""
    with open(os.path.join(folder, "ways.c"), "w") as file:
        file.write(PROGRAM)
    program = build(folder, [need("gcc")], [os.path.join(folder, "ways.c")], "-O2", "-g", "-fno-tree-vectorize", "-fno-unroll-loops", "-fno-optimize-sibling-calls",
                    output="ways")
    database = os.path.join(folder, "ways.db")
    result = assay("run", *options, "--force", "-o", database, "--", program, str(SCALE), status=None)
    text = result.stderr.decode(errors="replace")
    if not os.path.exists(database):
        raise Fail(text[-2000:])
    return json.loads(assay("report", database, "--json").stdout), text


def function(report_of, name):
    found = [row for row in report_of["functions"] if row["name"] == name]
    if not found:
        raise Fail(f"{name} has no sample")
    return found[0]


def outer(report_of):
    found = [row for row in report_of["loops"] if row["function"] == "around" and not row["is_innermost"]]
    if not found:
        raise Fail("the loop around the other has no sample")
    return found[0]


@uncertain
def calls_are_counted_and_have_cycles():
    with Folder() as folder:
        found, text = report(folder, "--measure")
        assert function(found, "recursion")["calls"] == 160 * SCALE * (2 ** 14 - 1), function(found, "recursion")
        row = function(found, "hash")
        assert row["calls"] == 1000000 * SCALE and row["predicted_by"] == "only" and row["ways"] == 1, row
        assert row["chain_cycles"] >= 9, row  # nine operations wait for each other
        assert row["cycles_per_call"] > 0.5 * row["chain_cycles"], row
        assert row["calls_per_call"] == 0, row
        assert function(found, "recursion")["predicted_cycles"] > 0, function(found, "recursion")
        assert "(cycles are for an iteration or a call)" in text, text


@uncertain
def a_loop_around_another_has_both_figures():
    with Folder() as folder:
        found, text = report(folder, "--measure")
        row = outer(found)
        assert row["iterations"] == 1000000 * SCALE, row
        assert row["predicted_by"] and row["predicted_cycles"] > 0 and not row["silence"], row
        assert row["cycles_per_iteration"] > 0, row
        assert "no prediction" not in text and "`assay run --measure`" not in text, text


@uncertain
def how_much_is_known_is_said():
    with Folder() as folder:
        found, text = report(folder, "--measure")
        cover = found["coverage"]
        assert all(0 <= part <= 1.000001 for part in cover.values()), cover
        assert cover["predicted"] > 0.9 and cover["measured"] > 0.7 and cover["any"] >= cover["predicted"], cover
        assert "Of the time, " in text and "has a prediction" in text, text
        before, _ = report(folder)
        assert before["coverage"]["measured"] == 0 and before["coverage"]["predicted"] > 0.9, before["coverage"]


@uncertain
def branches_that_were_counted_replace_samples():
    with Folder() as folder:
        found, _ = report(folder, "--explain")
        row = function(found, "recursion")
        assert row["predicted_by"] == "counts" and abs(row["calls_per_call"] - 1) < 0.05, row  # a tree: as many calls as nodes


run()
