"""Runs with probes in a database: what the analyses find in them.

The rows are made by hand and put into the database of a real program, so that every figure is known beforehand, on any
machine and without running anything."""
import json, os, sqlite3
from harness import MACHINE, Folder, assay, build, compilers, run, test

SOURCE = r"""
#include <stdio.h>
#include <string.h>
double a[4096], b[4096];
__attribute__((noinline)) double tiny(double x)
{
    return x * 0.5 + 1;
}
__attribute__((noinline)) void smooth(double *to, const double *from, int n)
{
    for (int i = 1; i < n; i++)
        to[i] = 0.25 * (from[i - 1] + from[i + 1]);
}
__attribute__((noinline)) double total(const double *x, int n)
{
    double s = 0;
    for (int i = 0; i < n; i++)
        s += tiny(x[i]);
    return s;
}
int main(int argc, char **argv)
{
    (void)argv;
    for (int i = 0; i < 1000; i++)
        smooth(a, b, 6);
    printf("%g\n", total(a, 110 * argc));
    return 0;
}
"""


def fill(connection, table, **columns):
    """A row whose other columns are 0 or, where they may be, NULL; the id of it."""
    names = ", ".join(f'"{name}"' for name in columns)
    return connection.execute(f"insert into {table} ({names}) values ({', '.join('?' * len(columns))})",
                              list(columns.values())).lastrowid


def times(total, median, longest, deviation, calls):
    return dict(calls=calls, total_ns=total, self_ns=total, min_ns=median / 2, median_ns=median, mean_ns=total / calls,
                max_ns=longest, deviation_ns=deviation)


def make(folder):
    """The program's database with two runs; ids of its functions and loops by name of the function."""
    source = os.path.join(folder, "solve.c")
    with open(source, "w") as out:
        out.write(SOURCE)
    found = compilers(MACHINE)
    program = build(folder, found[0], [source], "-g", "-O1")
    path = os.path.join(folder, "solve.db")
    assay("db", program, "-o", path, "--quiet")
    connection = sqlite3.connect(path)
    functions = {name: number for number, name in connection.execute("select id, name from functions")}
    loops = {name: number for number, name in connection.execute(
        "select l.id, f.name from loops l join functions f on f.id = l.function")}
    access = {kind: connection.execute(f"select min(id) from instructions where function = ? and {kind}_bytes > 0",
                                       [functions["smooth"]]).fetchone()[0] for kind in ("load", "store")}
    for command in ("./solve 1", "./solve 2"):
        number = fill(connection, "probe_runs", command=command, process=4711, seconds=2.5, exit_status=0, threads=1,
                      reading_ns=1.5, inner_ns=4.25, pair_ns=11.5)
    number = 1
    fill(connection, "probe_functions", run=number, function=functions["smooth"], **times(62e6, 31, 1200, 9, 2000000))
    fill(connection, "probe_functions", run=number, function=functions["total"], **times(39e6, 1000, 9e6, 2e5, 1000))
    fill(connection, "probe_functions", run=number, function=functions["tiny"], **times(9e6, 3, 40, 1, 3000000))
    for low, high, count in ((900, 1100, 996), (8e6, 1e7, 4)):
        fill(connection, "probe_histograms", run=number, quantity="function time", subject=functions["total"], low=low,
             high=high, count=count)
    fill(connection, "probe_loops", run=number, loop=loops["smooth"], entries=1000, iterations=5000, min_iterations=5,
         median_iterations=5, max_iterations=5, usual_iterations=5, usual_share=1, total_ns=5e7, cycles_per_entry=60,
         cycles_per_iteration=12, setup_cycles=24, setup="model", counting="register")
    fill(connection, "probe_loops", run=number, loop=loops["total"], entries=100, iterations=9000, min_iterations=7,
         median_iterations=90, max_iterations=110, usual_iterations=90, usual_share=0.4, total_ns=4e7)
    value = fill(connection, "probe_values", run=number, kind="parameter", function=functions["smooth"], position=3, name="n",
                 instruction=access["load"], count=2000000, distinct_count=1, minimum=6, maximum=6, mean=6, deviation=0)
    fill(connection, "probe_frequent", value=value, position=1, integer=6, number=6, count=2000000, share=1)
    value = fill(connection, "probe_values", run=number, kind="parameter", function=functions["smooth"], position=1, name="to",
                 instruction=access["load"], count=2000000, distinct_count=1, minimum=4096, maximum=4096)
    fill(connection, "probe_frequent", value=value, position=1, integer=4096, number=4096, count=2000000, share=1)
    fill(connection, "probe_addresses", run=number, instruction=access["load"], loop=loops["smooth"], is_store=0, bytes=16,
         count=1000, minimum=4096, maximum=28080, stride=24, stride_share=0.9, alignment=8, lines=375, pages=6,
         line_splits=125, page_splits=10, aliases=0, sets=64)
    fill(connection, "probe_addresses", run=number, instruction=access["store"], loop=loops["smooth"], is_store=1, bytes=8,
         count=1000, minimum=4096, maximum=4099072, stride=4096, stride_share=1, alignment=128, lines=1000, pages=1000,
         line_splits=0, page_splits=0, aliases=0, sets=1, set_share=1)
    connection.commit()
    connection.close()
    return path, functions, loops


def found(name, path, *options):
    return json.loads(assay("analysis", name, path, "--json", *options).stdout)


def only(rows, *names):
    return [tuple(row[name] for name in names) for row in rows]


@test
def constant_trip_counts_are_found():
    with Folder() as folder:
        path, functions, loops = make(folder)
        assert only(found("constant-trips", path), "run", "function", "loop", "kind", "entries", "iterations", "percent",
                    "cycles_per_entry", "setup_percent", "total_ms") == \
            [(1, "smooth", loops["smooth"], "short constant loop", 1000, 5, 100, 60, 40, 50)]
        connection = sqlite3.connect(path)
        connection.execute("update probe_loops set min_iterations = 110, max_iterations = 110 where loop = ?",
                           [loops["total"]])
        connection.execute("update probe_loops set min_iterations = 4, usual_share = 0.95 where loop = ?", [loops["smooth"]])
        connection.commit()
        assert only(found("constant-trips", path), "function", "kind") == \
            [("smooth", "usual loop"), ("total", "constant loop")]
        assert only(found("constant-trips", path, "--function", "total"), "function") == [("total",)]
        connection.execute("update probe_loops set entries = 9")
        connection.commit()
        assert found("constant-trips", path) == []


@test
def parameters_with_one_value_are_found_and_addresses_left_out():
    with Folder() as folder:
        path, functions, loops = make(folder)
        assert only(found("constant-values", path), "function", "finding", "kind", "name", "value", "percent") == \
            [("smooth", "one value", "parameter", "n", 6, 100)]
        assert found("constant-values", path, "--set", "run=2") == []
        assert len(found("constant-values", path, "--set", "run=1")) == 1


@test
def misaligned_and_conflicting_streams_are_found():
    with Folder() as folder:
        path, functions, loops = make(folder)
        assert only(found("misaligned-streams", path), "function", "loop", "kind", "stride", "line_split_percent",
                    "page_split_percent") == [("smooth", loops["smooth"], "split access", 24, 12.5, 1)]
        assert only(found("conflicting-streams", path), "kind", "stride", "lines", "sets", "most_used_set_percent") == \
            [("conflicting access", 4096, 1000, 1, 100)]
        connection = sqlite3.connect(path)
        connection.execute("update probe_addresses set aliases = 500, alias_instruction = "
                           "(select instruction from probe_addresses where is_store) where not is_store")
        connection.commit()
        aarch64, x86_64 = 3, 1
        connection.execute(f"update encodings set isa_code = {aarch64}")  # Arm's cores compare whole addresses
        connection.commit()
        assert only(found("conflicting-streams", path), "kind") == [("conflicting access",)]
        connection.execute(f"update encodings set isa_code = {x86_64}")
        connection.commit()
        rows = found("conflicting-streams", path, "--loop", str(loops["smooth"]))
        assert sorted(only(rows, "kind", "alias_percent")) == [("aliasing access", 50), ("conflicting access", 0)]
        assert [bool(row["store"]) for row in rows if row["kind"] == "aliasing access"] == [True]
        assert found("misaligned-streams", path) == []


@test
def functions_whose_time_varies_are_found():
    with Folder() as folder:
        path, functions, loops = make(folder)
        rows = found("uneven-times", path)
        assert only(rows, "function", "kind", "calls", "total_ms", "median_ns", "longest_ns", "slow_calls") == \
            [("total", "uneven function", 1000, 39, 1000, 9e6, 4)]
        assert 96 < rows[0]["slow_percent"] < 98.5 and rows[0]["line"] == 14


@test
def databases_without_runs_have_no_findings():
    with Folder() as folder:
        path, functions, loops = make(folder)
        connection = sqlite3.connect(path)
        for table in ("functions", "loops", "values", "addresses"):
            connection.execute(f"delete from probe_{table}")
        connection.commit()
        names = ("constant-trips", "constant-values", "misaligned-streams", "conflicting-streams", "uneven-times")
        for name in names:
            assert found(name, path) == []
            assert b"nothing found" in assay("analysis", name, path).stderr
        connection.execute("delete from probe_runs")
        connection.commit()
        for name in names:
            said = assay("analysis", name, path)
            assert said.stdout == b"" and b"nothing found: the file has no runs with probes" in said.stderr, said


run()
