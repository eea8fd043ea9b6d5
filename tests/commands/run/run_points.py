"""Single instructions that take much of the time (docs/run-report.md): what the report says of programs whose time stands at one
instruction, and that it is silent about those that follow its advice.  Shares are samples, so limits are wide."""
# first build only: it runs other programs; unit tests cover the same code with the sanitizers
import csv, io, json, os, re, resource, shutil, subprocess
from harness import MACHINE, ROOT, Folder, Skip, assay, build, compilers, rows, run, uncertain

EXAMPLES = os.path.join(ROOT, "examples", "points")
POINTS = """select p.*, f.name as called, s.path as path from run_points p left join functions f on f.id = p.function
              left join files s on s.id = p.source order by p.position"""
KINDS = {"load": "load", "chain": "chain", "store": "store", "gather": "gather", "division": "division",
         "float-division": "float division", "root": "root", "atomic": "atomic", "serial": "serial", "branch": "branch", "jump": "jump",
         "call": "call"}
REPETITIONS = {"load": 20000, "chain": 40, "store": 20000, "gather": 6000000, "division": 60000, "float-division": 200000, "root": 120000,
               "atomic": 100000, "serial": 60000, "branch": 1500, "jump": 1000, "call": 1000}
FASTER = {"load": 8, "chain": 100, "store": 8, "gather": 3, "division": 15, "float-division": 3, "root": 3, "atomic": 10, "serial": 20,
          "branch": 5, "jump": 5, "call": 5}
GUARDED = "+guarded-gathers" in assay("machines").stdout.decode()
OPTIONS = {"branch": ["--explain"]}
# GCC for AArch64 calls functions for atomic operations, which choose the instruction when the program runs.
FLAGS = {"atomic": ["-mno-outline-atomics"] if MACHINE == "aarch64" else []}


def line_of(source, mark):
    return 1 + next(number for number, line in enumerate(source.splitlines()) if mark in line)


def sampled(folder, program, *words, options=()):
    database = os.path.join(folder, "run.db")
    result = assay("run", "--force", "-o", database, *options, "--", program, *words)
    if rows(database, "select samples from runs")[0]["samples"] < 100:
        raise Skip("too few samples")
    return database, " ".join(result.stderr.decode().split())


def built(folder, name, side):
    """A copy in this folder: sources elsewhere are not shown."""
    source = shutil.copy(os.path.join(EXAMPLES, name, side + ".c"), folder)
    return build(folder, compilers(MACHINE)[0], [source, "-lm"], "-g", "-O2", *FLAGS.get(name, []), output=side)


def needs_avx2(name):
    if name == "gather" and (MACHINE != "x86_64" or "avx2" not in open("/proc/cpuinfo").read()):
        raise Skip("gather needs AVX2")


def check_example(name):
    needs_avx2(name)
    kind, options = KINDS[name], OPTIONS.get(name, [])
    if name == "gather" and GUARDED:
        kind = "guarded gather"
    with open(os.path.join(EXAMPLES, name, "slow.c")) as file:
        source = file.read()
    lines = [number for number, line in enumerate(source.splitlines(), 1) if "the point" in line]
    with Folder() as folder:
        programs = {side: built(folder, name, side) for side in ("slow", "fast")}
        printed = {side: subprocess.run([program, "3"], capture_output=True, check=True).stdout for side, program in programs.items()}
        assert printed["slow"] == printed["fast"], f"they compute different results: {printed}"
        database, text = sampled(folder, programs["slow"], str(REPETITIONS[name]), options=options)
        found = [row for row in rows(database, POINTS) if row["kind"] == kind]
        assert found, (rows(database, POINTS), text)
        point = found[0]
        assert point["line"] in lines and point["path"].endswith("slow.c"), (point, lines)
        assert point["share"] > 0.1 and point["part"] > 0.2 and point["samples"] >= 30, point
        assert point["saving"] is None or 0 < point["saving"] <= point["share"], point
        assert "Instructions that take much of the time" in text, text
        assert re.search(rf"\d+\. \S*slow\.c:{point['line']} in {point['called']}\S*: [\d.]+ .*% of the time", text), text
        if name in ("jump", "call") and not is_predicted(programs):
            raise Skip("this computer predicts no jumps through pointers now: sorted work takes as long, rightly blamed")
        database, text = sampled(folder, programs["fast"], str(REPETITIONS[name] * FASTER[name]), options=options)
        assert not [row for row in rows(database, POINTS) if row["kind"] == kind], (rows(database, POINTS), text)


def is_predicted(programs):
    """Whether a jump through a pointer that goes the same way is faster here and now.  On a virtual machine with a core of Skylake's and
    IBRS each took 36 cycles while other programs kept it busy, sorted or not, and 11 when it was idle."""
    taken = {}
    for side in ("slow", "fast"):
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        subprocess.run([programs[side], "500"], stdout=subprocess.DEVNULL, check=True)
        taken[side] = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    return taken["slow"] > 1.5 * taken["fast"]


def add_example(name):
    def check():
        check_example(name)
    check.__name__ = f"example_{name.replace('-', '_')}"
    uncertain(check)


for each in KINDS:
    add_example(each)


@uncertain
def all_formats_have_the_same():
    with Folder() as folder:
        database, text = sampled(folder, built(folder, "division", "slow"), str(REPETITIONS["division"]))
        point = rows(database, POINTS)[0]
        whole = json.loads(assay("report", database, "--json").stdout)
        shown = whole["points"][0]
        for key in ("kind", "certainty", "line", "loop", "samples", "share", "part", "saving", "data"):
            same = shown[key] == point[key] or abs(shown[key] - point[key]) < 1e-9
            assert same, (key, shown, point)
        assert shown["function"] == "add_up" and shown["source"].endswith("slow.c"), shown
        assert "keys[i] % size" in shown["source_text"], shown
        page = assay("report", database, "--html").stdout.decode()
        assert "Instructions that take much of the time" in page and "keys[i] % size" in page
        listed = [row for row in csv.DictReader(io.StringIO(assay("report", database, "--csv").stdout.decode())) if row["kind"] == "point"]
        assert listed and listed[0]["advice"] == "division" and listed[0]["first_line"] == str(point["line"]), listed
        assert "sum += keys[i] % size;" in text, text


@uncertain
def data_has_its_name_in_the_source():
    with Folder() as folder:
        database, text = sampled(folder, built(folder, "load", "slow"), str(REPETITIONS["load"]))
        point = next(row for row in rows(database, POINTS) if row["kind"] == "load")
        assert point["data"] and "state" in point["data"] and point["type"] == "struct record", point
        assert "(struct record)" in text and point["cycles"] > 10, text


@uncertain
def without_debug_information_there_is_an_address():
    with Folder() as folder:
        program = built(folder, "division", "slow")
        subprocess.run([shutil.which("strip"), program], check=True)
        database, text = sampled(folder, program, str(REPETITIONS["division"]))
        point = next(row for row in rows(database, POINTS) if row["kind"] == "division")
        assert point["line"] is None and point["data"] is None and point["address"], point
        assert re.search(r"slow 0x[0-9a-f]+ in \S+: ", text), text


@uncertain
def counted_iterations_say_how_long_it_waits():
    with Folder() as folder:
        database, text = sampled(folder, built(folder, "chain", "slow"), str(REPETITIONS["chain"]), options=["--measure"])
        if not rows(database, "select max(iterations) as n from run_loops")[0]["n"]:
            raise Skip("the loop was not counted here")
        point = next(row for row in rows(database, POINTS) if row["kind"] == "chain")
        assert point["certainty"] == "shown" and point["cycles"] > 10, point
        assert "cycles each time" in text, text


HOT = r"""
#include <stdio.h>
#include <stdlib.h>
double by = 1.5;
__attribute__((noinline)) double work(double x)
{
    x = x + 1;
    if (x > 1e300)
        x = 1;
    x = 1 / (by + 1 / (by + 1 / (by + 1 / (by + x)))); /* hot */
    return x;
}
int main(int count, char **words)
{
    double x = 1;
    for (long i = 0, n = count > 1 ? atol(words[1]) : 1; i < n; i++)
        x = work(x);
    printf("%g\n", x);
    return 0;
}
"""


@uncertain
def functions_stand_with_their_hot_line():
    with Folder() as folder:
        path = os.path.join(folder, "hot.c")
        with open(path, "w") as file:
            file.write(HOT)
        program = build(folder, compilers(MACHINE)[0], [path], "-g", "-O2", output="hot")
        database, text = sampled(folder, program, "20000000")
        line = line_of(HOT, "/* hot */")
        row = rows(database, "select r.hot_line as line, s.path as path from run_functions r join functions f on f.id = r.function "
                             "left join files s on s.id = r.hot_source where f.name = 'work'")[0]
        assert row["line"] == line and row["path"].endswith("hot.c"), row
        assert re.search(rf"hot\.c:{line} work", text), text
        whole = json.loads(assay("report", database, "--json").stdout)
        work = next(one for one in whole["functions"] if one["name"] == "work")
        assert work["hot_line"] == line and work["line"] == line_of(HOT, "double work"), work


run()
