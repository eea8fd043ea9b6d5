"""How often loops seem to run, by the loops and calls around them; actions over a program; the order of loops."""
import json, os

from harness import PROGRAMS, Folder, assay, command, cross, need, rows, run, test, text

MACHINES = {"x86_64": "zen4", "aarch64": "neoverse-v1"}
WEIGHTS = """select f.name as function, w.around, w.around_calls, w.reach, w.iterations, w.share
             from loop_weights w join loops l on l.id = w.loop join functions f on f.id = l.function order by l.id"""


def compiled(folder, isa, *flags, source="weights.c", name="weights"):
    compiler = need(cross("gcc", isa))
    path = os.path.join(folder, f"{name}-{isa}")
    command([compiler, "-g", *flags, "-o", path, os.path.join(PROGRAMS, source)])
    return path


def weights(path):
    """By function: the rows of its loops, in the order of their ids."""
    found = {}
    for row in rows(path, WEIGHTS):
        found.setdefault(row["function"], []).append(row)
    return found


def check(found, function, around, calls, reach, iterations):
    row = found[function][0]
    got = (row["around"], row["around_calls"], row["reach"], row["iterations"])
    assert got == (around, calls, reach, iterations), f"{function}: {got}"


@test
def loops_multiply_along_loops_and_calls():
    for isa in MACHINES:
        with Folder() as folder:
            found = weights(compiled(folder, isa, "-O1"))
            check(found, "inner", 0, 3, "in a loop", 1e4)
            check(found, "middle", 1, 1, "in a loop", 1e3)
            check(found, "fill", 0, 0, "once", 10)
            check(found, "walk", 0, 1, "in a loop", 100)  # recursion is one loop
            shares = [row["share"] for loops in found.values() for row in loops]
            assert abs(sum(shares) - 1) < 1e-9, shares
            assert found["inner"][0]["share"] == max(shares), found


@test
def constants_are_trip_counts():
    for isa in MACHINES:
        with Folder() as folder:
            found = weights(compiled(folder, isa, "-O1"))
            check(found, "hundred", 0, 0, "once", 100)
            check(found, "downwards", 0, 0, "once", 50)
            check(found, "by_address", 0, 0, "once", 64)
            check(found, "grid", 1, 0, "once", 30 * 40)
            check(found, "series", 0, 0, "once", 10)  # it ends when its terms are small; 20000 is a limit


PARTS = """struct bits { unsigned char *bytes; int room; };
void put(struct bits *b, unsigned value, int n)
{
    while (n > 0) {
        int part = n < b->room ? n : b->room;
        *b->bytes |= (unsigned char)((value >> (n - part)) << (b->room - part));
        b->room -= part;
        if (!b->room) {
            b->bytes++;
            b->room = 8;
        }
        n -= part;
    }
}
void strided(float *x, int n, int step) { for (int i = n; i > 0; i -= step) x[i] *= 2; }
"""


@test
def a_number_that_is_taken_away_in_parts_lasts_few_iterations():
    for isa in MACHINES:
        with Folder() as folder:
            source, path = os.path.join(folder, "parts.c"), os.path.join(folder, "parts.o")
            with open(source, "w") as file:
                file.write(PARTS)
            command([need(cross("gcc", isa)), "-g", "-O1", "-c", "-o", path, source])
            found = weights(path)
            check(found, "put", 0, 0, "entry", 3)
            check(found, "strided", 0, 0, "entry", 10)


CHECKS = """#include <assert.h>
double total(const double *x, const int *at, long n, long limit)
{
    double sum = 0;
    for (long i = 0; i < n; i++) {
        assert(at[i] >= 0);
        assert(at[i] < limit);
        assert(x[at[i]] > 0);
        sum += x[at[i]];
    }
    return sum;
}
"""


@test
def paths_that_come_back_are_analysed_before_those_that_leave():
    for isa in MACHINES:
        with Folder() as folder:
            source, path = os.path.join(folder, "checks.c"), os.path.join(folder, "checks.o")
            with open(source, "w") as file:
                file.write(CHECKS)
            command([need(cross("gcc", isa)), "-g", "-O2", "-c", "-o", path, source])
            database = os.path.join(folder, "checks.db")
            assay("db", path, "--paths", "2", "-o", database)
            listed = rows(database, "select is_exit from paths where loop = 1 order by position")
            assert [row["is_exit"] for row in listed] == [0, 1], listed


@test
def what_runs_once_at_the_start_or_the_end_is_known_by_its_calls():
    for isa in MACHINES:
        with Folder() as folder:
            found = weights(compiled(folder, isa, "-O1"))
            for function in ("number", "usage", "prepare"):
                assert [row["reach"] for row in found[function]] == ["start"], f"{function}: {found[function]}"
            # the loop with getopt, and the loop that works
            assert [row["reach"] for row in found["main"]] == ["start", "once"], found["main"]


@test
def a_hand_written_parser_is_known_by_its_comparisons():
    for isa in MACHINES:
        with Folder() as folder:
            found = weights(compiled(folder, isa, "-O1", "-fno-builtin", source="options.c"))
            assert [row["reach"] for row in found["parse"]] == ["start"], found
            # it reads lines, so it works on them
            assert [row["reach"] for row in found["commands"]] == ["once"], found
            # the files that options name are what the program is for
            assert {row["reach"] for row in found["process"]} == {"once"}, found


@test
def exported_functions_of_a_library_are_entries():
    for isa in MACHINES:
        with Folder() as folder:
            flags = "-O1", "-shared", "-fPIC", "-DLIBRARY"
            found = weights(compiled(folder, isa, *flags))
            check(found, "library_entry", 0, 0, "entry", 10)
            check(found, "library_repeat", 0, 0, "entry", 10)
            # through the PLT, because another library may replace it
            check(found, "library_part", 0, 1, "in a loop", 100)
            check(found, "fill", 0, 0, "entry", 10)


@test
def members_of_an_archive_call_each_other():
    for isa in MACHINES:
        with Folder() as folder:
            compiler = need(cross("gcc", isa))
            sources = {"one.c": "void two(double *x, long n);\n"
                                "void one(double *x, long n) { for (long i = 0; i < n; i++) two(x + i, n); }\n",
                       "two.c": "void two(double *x, long n) { for (long i = 0; i < n; i++) x[i] *= 2; }\n"}
            objects = []
            for name, content in sources.items():
                with open(os.path.join(folder, name), "w") as file:
                    file.write(content)
                objects.append(os.path.join(folder, name + ".o"))
                command([compiler, "-O1", "-c", "-o", objects[-1], os.path.join(folder, name)])
            archive = os.path.join(folder, "lib.a")
            command([need(cross("ar", isa)), "rc", archive, *objects])
            found = weights(archive)
            check(found, "two", 0, 1, "in a loop", 100)
            assert abs(found["one"][0]["share"] + found["two"][0]["share"] - 1) < 1e-9, found


@test
def the_report_begins_with_what_saves_most():
    for isa, machine in MACHINES.items():
        with Folder() as folder:
            path = compiled(folder, isa, "-O1")
            for file in (path, path + ".db"):
                if file != path:
                    assay("db", path, "-o", file, "--paths", "64", "--quiet")
                loops = json.loads(text("report", file, "--json", "--machine", machine, "--quiet"))["loops"]
                order = [loop["function"] for loop in loops]
                assert order[0] == "inner", order
                last = {"number", "usage", "prepare", "main"}
                assert set(order[-4:]) == last, order


@test
def actions_are_counted_over_a_program():
    for isa, machine in MACHINES.items():
        with Folder() as folder:
            path = compiled(folder, isa, "-O1")
            found = rows(path, "select * from program_actions order by position", "--machine", machine)
            assert found and [row["position"] for row in found] == list(range(1, len(found) + 1)), found
            assert all(row["loop_count"] >= row["function_count"] >= 1 for row in found), found
            savings = [row["saving"] for row in found]
            assert savings == sorted(savings, reverse=True) and 0 < savings[0] < 1, savings
            told = rows(path, """select count(distinct a.loop) as loops from advice a join remedies r on r.advice = a.id
                                 where r.position = 1 and a.level_code <= 1 and r.action = 'optimise' and a.loop not in (
                                     select a.loop from advice a join remedies r on r.advice = a.id
                                      where r.position = 1 and a.level_code <= 1 and r.action in ('hoist', 'keep-local', 'restrict'))""",
                        "--machine", machine)[0]["loops"]
            assert told == next(row["loop_count"] for row in found if row["action"] == "optimise"), (told, found)
            steps = json.loads(text("analysis", "first-steps", path, "--json", "--machine", machine))
            assert [row["action"] for row in steps] == [row["action"] for row in found], steps
            kept = os.path.join(folder, "kept.db")
            assay("db", path, "-o", kept, "--report", "--machine", machine, "--quiet")
            assert rows(kept, "select * from program_actions order by position") == found


STATICS = """
#include <string>
static std::string names[64];
double sum(const double *x, int n) { double s = 0; for (int i = 0; i < n; i++) s += x[i]; return s; }
int main(int count, char **words) { for (int i = 0; i < count; i++) names[i % 64] = words[i]; double x[9] = {1.0 * count}; return sum(x, 9) > 3; }
"""


@test
def what_ends_static_objects_runs_once():
    """Functions that the compiler makes for them have no caller, but are no unknown either."""
    with Folder() as folder:
        path, output = os.path.join(folder, "statics.cpp"), os.path.join(folder, "statics")
        with open(path, "w") as out:
            out.write(STATICS)
        command([need(cross("g++", "aarch64")), "-g", "-O2", "-fno-inline", "-o", output, path])
        found = weights(output)
        made = [name for name in found if name.startswith("__tcf_")]
        assert made and all(row["reach"] == "start" for name in made for row in found[name]), found


run()
