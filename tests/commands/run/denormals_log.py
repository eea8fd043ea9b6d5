"""The log of denormals and the graph behind one value: a program does a few operations on known numbers, so that each
entry of its log, with its values and where they come from, is known by construction."""
# first build only: most of it waits for programs and runtimes, which have no sanitizers; the last test runs in both
import csv, io, json, os, re, shutil, sqlite3, struct

from harness import MACHINE, ROOT, Folder, assay, build, compilers, need, run, test

# make: a product is born denormal; halve: load, multiply, store (figure 5.9); copy: moves through scalars, which are no
# arrays (figure 5.12); drain: a sum that is normal again.
PROGRAM = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <signal.h>
#include <unistd.h>
#include <sys/wait.h>
static float a[4], b[4], c[4];
static double d[4], e[4];
static volatile float tiny = 1e-30f, small = 1e-10f, sum, first, second;
static volatile double least = 1e-300, less = 1e-8, below = 2.3e-308;
__attribute__((noinline)) void make(float *to, int i) { to[i] = tiny * small; }
__attribute__((noinline)) void halve(float *to, const float *from, int i) { to[i] = from[i] * 0.5f; }
__attribute__((noinline)) void drain(const float *from, int i) { sum = from[i] + 1.0f; }
__attribute__((noinline)) void copy(float *to, const float *from, int i) { first = from[i]; second = first; to[i] = second * 0.5f; }
__attribute__((noinline)) void wide(double *to, int i) { to[i] = least * less - below; }
__attribute__((noinline)) void shrink(double *to, const double *from, int i) { to[i] = from[i] / 3.0; }
int main(int count, char **words)
{
    int times = count > 2 ? atoi(words[2]) : 1;
    const char *what = count > 1 ? words[1] : "few";
    if (!strcmp(what, "few")) {
        make(a, 1);
        halve(b, a, 1);
        drain(b, 1);
    }
    if (!strcmp(what, "copy")) {
        make(a, 2);
        copy(b, a, 2);
    }
    if (!strcmp(what, "wide")) {
        wide(d, 3);
        shrink(e, d, 3);
    }
    for (int i = 0; !strcmp(what, "many") && i < times; i++) {
        make(a, 1);
        halve(b, a, 1);
    }
    for (int i = 0; !strcmp(what, "three") && i < times; i++) {
        make(a, 1);
        halve(b, a, 1);
        make(c, 3);
        drain(c, 3);
    }
    if (!strcmp(what, "fork")) {
        make(a, 1);
        if (!fork()) { halve(b, a, 1); return 0; }
        wait(NULL);
    }
    if (!strcmp(what, "killed")) {
        make(a, 1);
        raise(SIGKILL);
    }
    printf("%g\n", (double)sum);
    return 0;
}
"""


def single(number):
    return struct.unpack("f", struct.pack("f", number))[0]


BORN = single(single(1e-30) * single(1e-10))
HALF = single(BORN * 0.5)


class Work(Folder):
    def __enter__(self):
        super().__enter__()
        need("valgrind")
        source = self.file("program.c")
        with open(source, "w") as out:
            out.write(PROGRAM)
        self.program = build(self.path, compilers(MACHINE)[0], [source], "-g", "-O1", "-ffp-contract=off")
        self.lines = {name: number for number, line in enumerate(PROGRAM.splitlines(), 1)
                      for name in re.findall(r"void (\w+)\(", line)}
        return self

    def file(self, name):
        return os.path.join(self.path, name)

    def trace(self, *words, options=(), status=0):
        """Text of the log, its rows, and what was said."""
        said = assay("denormals", "trace", "--quiet", "--log", self.file("log"), "--output", self.file("log.db"), "--force",
                     *options, "--", self.program, *words, status=status)
        with open(self.file("log"), encoding="utf-8") as file:
            text = file.read()
        return text, json.loads(assay("denormals", "log", self.file("log.db"), "--json").stdout), said.stderr.decode()

    def fails(self, *words):
        said = assay("denormals", *words, status=2).stderr.decode()
        assert said.startswith("assay: ") and said.count("\n") == 1, said
        return said


def entries(rows):
    """Compilers choose the order of factors; JSON has 15 digits."""
    found = []
    for row in rows:
        origins = [row["first_from"], row["second_from"], row["third_from"]][:row["operands"]]
        if row["action"] in ("add", "multiply"):
            origins.sort(key=lambda origin: origin is None)
        found.append((row["action"], row["function"], row["array"], row["element"], digits(row["result"]), origins))
    return found


def in_order(text):
    return re.sub(r"0\.5 × (\S+ \[#\d+\])", r"\1 × 0.5", text)


def digits(number):
    return float(f"{number:.14g}")


@test
def each_operation_with_its_values():
    with Work() as work:
        text, rows, _ = work.trace("few")
        assert [row["number"] for row in rows] == [1, 2, 3, 4, 5, 6, 7], rows
        assert entries(rows) == [
            ("multiply", "make", None, None, digits(BORN), [None, None]),
            ("store", "make", "a", 1, digits(BORN), [1]),
            ("load", "halve", "a", 1, digits(BORN), [2]),
            ("multiply", "halve", None, None, digits(HALF), [3, None]),
            ("store", "halve", "b", 1, digits(HALF), [4]),
            ("load", "drain", "b", 1, digits(HALF), [5]),
            ("add", "drain", None, None, 1.0, [6, None])], entries(rows)
        assert {digits(rows[0]["first"]), digits(rows[0]["second"])} == {digits(single(1e-30)), digits(single(1e-10))}, rows[0]
        assert 0.5 in (rows[3]["first"], rows[3]["second"]) and all(row["line"] == work.lines[row["function"]] for row in rows), rows
        assert f"program.c:{work.lines['halve']}  halve  {BORN:.9g} [#3] × 0.5 = {HALF:.9g}" in in_order(text), text
        assert f"store {HALF:.9g} [#4] to b[1]" in text and "cut:" not in text, text
        assert text.startswith("Log of denormals: ") and re.search(r"\nend of the log of process \d+\n$", text), text
        table = list(csv.DictReader(io.StringIO(assay("denormals", "log", work.file("log.db"), "--csv").stdout.decode())))
        assert [row["action"] for row in table] == [row["action"] for row in rows], table
        assert assay("denormals", "log", work.file("log.db")).stdout.decode() == text


@test
def copies_through_scalars_are_passed_over():
    with Work() as work:
        _, rows, _ = work.trace("copy")
        assert entries(rows) == [
            ("multiply", "make", None, None, digits(BORN), [None, None]),
            ("store", "make", "a", 2, digits(BORN), [1]),
            ("load", "copy", "a", 2, digits(BORN), [2]),
            ("multiply", "copy", None, None, digits(HALF), [3, None]),
            ("store", "copy", "b", 2, digits(HALF), [4])], entries(rows)


@test
def doubles_and_other_operations():
    with Work() as work:
        _, rows, _ = work.trace("wide")
        made, left = 1e-300 * 1e-8, 1e-300 * 1e-8 - 2.3e-308
        assert entries(rows) == [
            ("multiply", "wide", None, None, digits(made), [None, None]),
            ("subtract", "wide", None, None, digits(left), [1, None]),
            ("store", "wide", "d", 3, digits(left), [2]),
            ("load", "shrink", "d", 3, digits(left), [3]),
            ("divide", "shrink", None, None, digits(left / 3), [4, None]),
            ("store", "shrink", "e", 3, digits(left / 3), [5])], entries(rows)


@test
def one_array_with_what_leads_there_and_comes_from_there():
    with Work() as work:
        text, rows, _ = work.trace("three", "50", options=["--array", "b"])
        # of the nine operations of a round those into b: load a, multiply, store b
        assert [(row["action"], row["array"]) for row in rows] == [("load", "a"), ("multiply", None), ("store", "b")] * 50, rows
        assert [row["number"] for row in rows[:6]] == [3, 4, 5, 12, 13, 14], rows[:6]
        _, rows, _ = work.trace("three", "50", options=["--array", "c"])
        assert [(row["action"], row["array"]) for row in rows] == [("multiply", None), ("store", "c"), ("load", "c"), ("add", None)] * 50
        said = work.fails("trace", "--log", work.file("x"), "--array", "bb", "--", work.program)
        assert "has no array of floating-point numbers named bb; it has " in said and not os.path.exists(work.file("x")), said


@test
def the_log_is_bounded_and_says_so():
    with Work() as work:
        text, rows, _ = work.trace("many", "30000")  # five operations each
        assert len(rows) == 100000 and rows[-1]["number"] == 100000, len(rows)
        assert "cut: 50,000 operations on denormals after the log was full (100,000 entries)" in text, text[-600:]
        text, rows, _ = work.trace("many", "30000", options=["--around", "140000"])
        assert rows[0]["number"] == 90000 and rows[-1]["number"] == 150000 and len(rows) == 60001, (rows[0], rows[-1])
        assert "cut: 89,999 operations on denormals before the log begins" in text and "after the log" not in text, text[-600:]
        assert rows[5]["action"] == rows[0]["action"] == "store" and rows[0]["array"] == "b" and rows[0]["first_from"] is None, rows[0]


@test
def the_log_has_what_was_counted():
    """Vectors of a stencil and filters in Fortran: an entry for each lane that was counted, and no operand of unknown origin."""
    with Work() as work:
        examples = os.path.join(ROOT, "examples", "denormals")
        jacobi = build(work.path, compilers(MACHINE)[0], [os.path.join(examples, "jacobi.c")], "-g", "-O3", f"-I{ROOT}/include", output="jacobi")
        programs = [[jacobi, "160", "100"]]
        if shutil.which("gfortran"):
            sources = [os.path.join(examples, name) for name in ("cfft.f90", "gabor.f90")]
            programs.append([build(work.path, ["gfortran"], sources, "-g", "-O2", f"-J{work.path}", output="gabor"), "64"])
        for words in programs:
            work.program, before = words[0], work.program
            text, rows, _ = work.trace(*words[1:])
            work.program = before
            with sqlite3.connect(work.file("log.db")) as connection:
                one = lambda query: connection.execute(query).fetchone()[0]
                counted = one("select sum(results + ends) from denormal_sites") + \
                    one("select sum(loads + move_loads + stores + move_stores) from denormal_arrays")
                unknown = one("select count(*) from denormal_log_entries where action <> 'load' and "
                              "((first <> 0 and abs(first) < 1.17549435e-38 and operand_bytes = 4 and first_from is null) or "
                              "(second <> 0 and abs(second) < 1.17549435e-38 and operand_bytes = 4 and second_from is null))")
            connection.close()
            cut = re.search(r"cut: ([\d,]+) operations", text)
            logged = len(rows) + (int(cut[1].replace(",", "")) if cut else 0)
            assert counted == logged > 10000 and unknown == 0, (words, counted, logged, unknown)


@test
def a_killed_program_and_children():
    with Work() as work:
        text, rows, said = work.trace("killed", status=1)
        assert [row["action"] for row in rows] == ["multiply", "store"], rows
        assert re.search(r"\nend of the log of process \d+\n$", text) and "SIGKILL" not in said, text
        text, rows, _ = work.trace("fork", options=["--children"])
        runs = sorted({row["run"] for row in rows})
        assert len(runs) == 2 and text.count("Log of denormals: ") == 2, text
        assert [[row["action"] for row in rows if row["run"] == one] for one in runs] in (
            [["multiply", "store"], ["load", "multiply", "store"]], [["load", "multiply", "store"], ["multiply", "store"]]), rows
        loads = [row for row in rows if row["action"] == "load"]
        assert loads[0]["first_from"] is None and loads[0]["number"] == 3, "the parent's entries are not the child's"


def nodes(graph):
    return re.findall(r'^\t"(entry \d+|before \d+|more)"\t', graph, re.M), re.findall(r'^\t"([^"]+)" -> "([^"]+)"', graph, re.M)


@test
def what_led_to_a_value():
    with Work() as work:
        work.trace("few")
        graph = assay("denormals", "graph", work.file("log.db"), "--value", "5").stdout.decode()
        found, edges = nodes(graph)
        assert sorted(found) == [f"entry {i}" for i in range(1, 6)], graph
        assert sorted(edges) == [(f"entry {i}", f"entry {i + 1}") for i in range(1, 5)], edges
        assert "operations behind #5" in graph and f"× 0.5 = {HALF:.9g}" in in_order(graph), graph
        assay("denormals", "graph", work.file("log.db"), "--value", "5", "--output", work.file("five.svg"))
        with open(work.file("five.svg"), encoding="utf-8") as file:
            assert "<svg" in file.read()
        assert "has no entry 8 in its log; its numbers are 1 to 7" in work.fails("graph", work.file("log.db"), "--value", "8")
        assert "--value N" in work.fails("graph", work.file("log.db"))
        work.trace("many", "20000", options=["--around", "95004"])  # begins within a round
        graph = assay("denormals", "graph", work.file("log.db"), "--value", "45004").stdout.decode()
        assert "not in the log" in graph, graph
        assay("denormals", "trace", "--quiet", "--output", work.file("none.db"), "--", work.program)
        assert "has no log; assay denormals trace --log" in work.fails("graph", work.file("none.db"), "--value", "1")
        assert "No operation on a denormal was logged." in assay("denormals", "log", work.file("none.db")).stdout.decode()


@test
def wrong_wishes_are_refused_in_a_line():
    with Work() as work:
        log = ["--log", work.file("x")]
        with open(work.file("layout"), "w") as file:
            file.write("array a\n0..1 real low\n")
        for words, reported in [
            (["trace", "--array", "a", "--", work.program], "add --log FILE"),
            (["trace", "--around", "5", "--", work.program], "add --log FILE"),
            (["trace", *log, "--around", "0", "--", work.program], "--around takes 1 to"),
            (["trace", *log, "--counts", "--", work.program], "--counts"),
            (["trace", "--log", "-", "--", work.program], "name of a file"),
            (["trace", *log, "--output", work.file("x"), "--", work.program], "two files"),
            (["profile", *log, "--", work.program], "only trace follows values"),
            (["report", work.program, "--value", "3"], "only graph"),
            (["log", work.program], "is not a database"),
            (["trace", "--log", os.path.join(work.path, ".", "x"), "--output", work.file("x"), "--", work.program], "two files"),
            (["trace", "--log", work.file("layout"), "--layout", work.file("layout"), "--", work.program], "is an input"),
            (["graph", work.program, "--value", "3", "--json"], "it draws, and prints no rows"),
        ]:
            assert reported in work.fails(*words), words
        assert not os.path.exists(work.file("x"))


@test
def rows_of_a_stranger_are_drawn_without_harm():
    """A database that somebody changed: an entry behind itself, far away, of absurd numbers."""
    with Work() as work:
        work.trace("few")
        with sqlite3.connect(work.file("log.db")) as connection:
            connection.execute("update denormal_log_entries set first_from = id where number = 5")
            connection.execute("update denormal_log_entries set second_from = 7, first_from = 9223372036854775807, operands = 200 where number = 4")
            connection.execute("update denormal_log_entries set element = -1, array = 99999, operand_bytes = 77, first = null where number = 3")
        connection.close()
        graph = assay("denormals", "graph", work.file("log.db"), "--value", "7").stdout.decode()
        assert "entry 7" in graph, graph
        assert assay("denormals", "log", work.file("log.db")).stdout


run()
