"""Library calls by caller (docs/run-report.md): the function and line that calls has the library's time, in the database, the
ranking, JSON and the page; libraries' own functions and loops are no places to change.  Shares are samples, so limits are wide."""
# first build only: it runs other programs; unit tests cover the same code with the sanitizers
import json, os, re, subprocess
from harness import MACHINE, ROOT, Folder, Lacking, Skip, assay, build, compilers, need, rows, run, uncertain

EXAMPLES = os.path.join(ROOT, "examples", "library-calls")
CALLS = """select c.*, coalesce(f.name, c.caller) as called_in, s.path as path, b.name as back, r.path as library
             from run_library_calls c left join functions f on f.id = c.function left join files s on s.id = c.source
             left join functions b on b.id = c.callback left join run_files r on r.id = c.file order by c.id"""
REPETITIONS = {"sort": 2000000, "power": 40000, "remainder": 15000, "allocate": 25000, "length": 10000, "copy": 150000}
FASTER = {"sort": 3, "power": 40, "remainder": 10, "allocate": 2, "length": 60, "copy": 5}  # so that it has samples, too
CALLED = "-fno-builtin-fmod"  # GCC 14 has an instruction of the x87 for it
NAMES = {"sort": "qsort", "power": "pow", "remainder": "fmod", "allocate": "malloc", "length": "strlen", "copy": "memcpy"}

STARTUP = {"_start", "__do_global_dtors_aux", "call_weak_fn", "deregister_tm_clones", "register_tm_clones", "frame_dummy"}


def line_of(source, mark):
    return 1 + next(number for number, line in enumerate(source.splitlines()) if mark in line)


def sampled(folder, program, *words, options=()):
    database = os.path.join(folder, "run.db")
    result = assay("run", "--force", "-o", database, *options, "--", program, *words)
    if rows(database, "select samples from runs")[0]["samples"] < 100:
        raise Skip("too few samples")
    return database, " ".join(result.stderr.decode().split())


def made(folder, source, *flags, name="prog.c", compiler=None):
    path = os.path.join(folder, name)
    with open(path, "w") as file:
        file.write(source)
    return build(folder, [compiler] if compiler else compilers(MACHINE)[0], [path, "-lm"], "-g", "-O2", CALLED, *flags,
                 output="prog")


def check_example(name):
    with open(os.path.join(EXAMPLES, name, "before.c")) as file:
        line = line_of(file.read(), "the call")
    with Folder() as folder:
        built = {side: build(folder, compilers(MACHINE)[0], [os.path.join(EXAMPLES, name, side + ".c"), "-lm"], "-g", "-O2", CALLED,
                             output=side) for side in ("before", "after")}
        printed = {side: subprocess.run([program], capture_output=True, check=True).stdout for side, program in built.items()}
        assert printed["before"] == printed["after"], f"they compute different results: {printed}"
        database, text = sampled(folder, built["before"], str(REPETITIONS[name]))
        found = [row for row in rows(database, CALLS) if row["name"] == NAMES[name] and row["line"] == line]
        assert len(found) == 1, rows(database, CALLS)
        call = found[0]
        assert call["called_in"].split(".")[0] == "kernel" and call["path"].endswith("before.c"), call
        assert 0.1 < call["self_share"] <= call["total_share"] <= 1.0001, call
        assert call["cure"] == name and call["finding"] and call["remedy"], call
        assert f"{call['finding']} {call['remedy']}" in text, text
        assert (call["saving"] is not None) == (name in ("sort", "allocate")), call  # where arguments do not decide
        if call["saving"] is not None:
            assert 0.3 * call["self_share"] < call["saving"] < 0.6, call  # the pairs get 1.8 and 2.3 times as fast
            assert "; another way would save up to " in text and "The advice below would save up to " in text, text
        assert re.search(rf"\d. (\S+ and )?{NAMES[name]}( and \S+)? called at .*before\.c:\d+.* in kernel(\.\S+)?: \d+", text), text
        database, text = sampled(folder, built["after"], str(REPETITIONS[name] * FASTER[name]))
        assert not [row for row in rows(database, CALLS) if row["name"] == NAMES[name] and row["self_share"] > 0.05], text
        assert call["finding"] not in text, text


def add_example(name):
    def check():
        check_example(name)
    check.__name__ = f"example_{name}"
    uncertain(check)


for each in REPETITIONS:
    add_example(each)


@uncertain
def the_comparison_of_qsort_has_its_own_time():
    with Folder() as folder:
        program = build(folder, compilers(MACHINE)[0], [os.path.join(EXAMPLES, "sort", "before.c")], "-g", "-O2", output="sort")
        database, text = sampled(folder, program, "1000000")
        call = next(row for row in rows(database, CALLS) if row["name"] == "qsort")
        assert call["back"] == "by_key" and call["callback_seconds"] > 0, call
        assert call["total_seconds"] > call["self_seconds"] + 0.9 * call["callback_seconds"], call
        assert " with by_key, which it calls" in text, text
        own = rows(database, "select r.* from run_functions r join functions f on f.id = r.function where f.name = 'by_key'")
        assert own and not own[0]["is_library"], own


@uncertain
def libraries_are_no_places_to_change():
    """Every sample of a library is in one call, and the ranking has the calls only."""
    with Folder() as folder:
        program = build(folder, compilers(MACHINE)[0], [os.path.join(EXAMPLES, "sort", "before.c")], "-g", "-O2", output="sort")
        database, text = sampled(folder, program, "1000000")
        libraries = rows(database, "select sum(self_seconds) as s from run_functions where is_library")[0]["s"]
        calls = rows(database, "select sum(self_seconds) as s from run_library_calls")[0]["s"]
        assert libraries > 0 and abs(libraries - calls) < 1e-6 * libraries, (libraries, calls)
        ranking = text[text.index("Hottest"):text.index("How it was measured")]
        for inner in ("msort", "memcpy", "libc.so", "qsort_r"):
            assert inner not in ranking, ranking
        assert re.search(r"before\.c:\d+ qsort, called in kernel", ranking), ranking
        advised = rows(database, "select l.* from run_savings s join loops l on l.id = s.loop join run_functions r "
                                 "on r.function = l.function where r.is_library")
        assert not advised, advised


@uncertain
def json_and_page_have_the_same():
    with Folder() as folder:
        program = build(folder, compilers(MACHINE)[0], [os.path.join(EXAMPLES, "sort", "before.c")], "-g", "-O2", output="sort")
        database, _ = sampled(folder, program, "1000000")
        stored = rows(database, CALLS)
        whole = json.loads(assay("report", database, "--json").stdout)
        judged = {loop["function"] for loop in whole["report"]["loops"]}
        assert judged and judged <= {"main", "kernel", "by_key"} | STARTUP, judged
        shown = whole["library_calls"]
        assert [row["name"] for row in shown] == [row["name"] for row in stored]
        for key in ("line", "loop", "samples", "cure", "finding", "remedy"):
            assert shown[0][key] == stored[0][key], (key, shown[0], stored[0])
        assert shown[0]["caller"] == "kernel" and shown[0]["callback"] == "by_key", shown[0]
        assert abs(shown[0]["self_share"] - stored[0]["self_share"]) < 1e-9
        page = assay("report", database, "--html").stdout.decode()
        assert "Library calls, by who calls them" in page and "qsort called at" in page and stored[0]["remedy"] in page
        assert "qsort called at" in " ".join(assay("report", database).stdout.decode().split())


STATIC = r"""
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
volatile double step = 1.25;
__attribute__((noinline)) double remainders(long n)
{
    double sum = 0;
    for (long i = 0; i < n; i++)
        sum += fmod(step + (double)i * 1e6, 1.375); /* here */
    return sum;
}
int main(int count, char **words)
{
    printf("%g\n", remainders(count > 1 ? atol(words[1]) : 10));
    return 0;
}
"""


@uncertain
def a_library_that_is_linked_statically_is_told_by_its_symbols():
    with Folder() as folder:
        try:
            program = made(folder, STATIC, "-static")
        except AssertionError:
            raise Lacking("libc6-dev has no static library")
        database, text = sampled(folder, program, "6000000")
        call = rows(database, CALLS)[0]
        assert call["name"] == "fmod" and call["called_in"] == "remainders" and call["line"] == line_of(STATIC, "here"), call
        assert call["library"] is None and call["self_share"] > 0.5, call
        assert "fmod called at" in text, text


CPP = r"""
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
std::map<int, int> counts;
__attribute__((noinline)) void count_all(long n)
{
    unsigned seed = 1;
    for (long i = 0; i < n; i++) {
        seed = seed * 1664525u + 1013904223u;
        counts[(int)(seed >> 20)]++; // the map
    }
}
__attribute__((noinline)) size_t join_all(long n)
{
    size_t all = 0;
    for (long i = 0; i < n; i++) {
        std::string text = "a rather long beginning of a text ";
        text += "and its end"; // the string
        all += text.size();
    }
    return all;
}
int main(int count, char **words)
{
    long n = count > 1 ? atol(words[1]) : 10;
    count_all(n);
    std::printf("%zu %zu\n", counts.size(), join_all(n));
}
"""


@uncertain
def operations_of_cpp_stand_where_the_program_calls_them():
    with Folder() as folder:
        database, text = sampled(folder, made(folder, CPP, name="prog.cpp", compiler=need("g++")), "4000000")
        calls = rows(database, CALLS)
        trees = [row for row in calls if row["cure"] == "map"]
        texts = [row for row in calls if row["cure"] == "string"]
        assert trees and trees[0]["line"] == line_of(CPP, "// the map"), calls
        assert sum(row["self_seconds"] + row["inlined_seconds"] for row in trees) > 0.1, trees
        assert line_of(CPP, "// the string") in [row["line"] for row in texts], texts
        many = [row for row in trees + texts if row["self_seconds"] + row["inlined_seconds"] > 0.02]  # a sample or two may fall between
        assert many and all(row["path"].endswith("prog.cpp") for row in many), calls
        assert "count_all" in trees[0]["called_in"] and "join_all" in texts[0]["called_in"], calls
        assert re.search(r"std::map<.*called at .*prog\.cpp:\d+ in count_all", text), text


@uncertain
def counted_iterations_say_what_a_call_costs():
    with Folder() as folder:
        program = build(folder, compilers(MACHINE)[0], [os.path.join(EXAMPLES, "remainder", "before.c"), "-lm"], "-g", "-O2", CALLED,
                        output="remainder")
        database, text = sampled(folder, program, "15000", options=["--measure"])
        call = rows(database, CALLS)[0]
        loop = rows(database, f"select * from run_loops where loop = {call['loop']}")[0]
        if not loop["iterations"]:
            raise Skip("the loop was not counted here")
        clock = rows(database, "select cycles_per_second as c from runs")[0]["c"]
        assert abs(call["cycles_per_iteration"] - call["self_seconds"] * clock / loop["iterations"]) < 1e-6 * clock, call
        assert 1 < call["cycles_per_iteration"] < 10000, call
        assert f"cycles for an iteration of loop {call['loop']}." in text, text


COPY = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
void *(*volatile copy)(void *, const void *, size_t) = memcpy;
double from = 1.5, to;
__attribute__((noinline)) void copies(long n)
{
    for (long i = 0; i < n; i++)
        copy(&to, &from, sizeof to);
}
int main(int count, char **words)
{
    copies(count > 1 ? atol(words[1]) : 1);
    printf("%g\n", to);
    return 0;
}
"""


@uncertain
def short_copies_have_a_cure_of_their_own():
    with Folder() as folder:
        database, _ = sampled(folder, made(folder, COPY), "100000000", options=["--measure"])
        call = rows(database, CALLS)[0]
        if call["cycles_per_iteration"] is None:
            raise Skip("the loop was not counted here")
        assert call["name"] == "memcpy" and call["cycles_per_iteration"] < 100 and call["cure"] == "copy-small", call


MANY = r"""
#include <stdio.h>
#include <stdlib.h>
#define TAKE(n) __attribute__((noinline)) char *take##n(size_t size) { char *p = malloc(size); p[0] = n; return p; }
TAKE(1) TAKE(2) TAKE(3) TAKE(4) TAKE(5) TAKE(6) TAKE(7) TAKE(8) TAKE(9) TAKE(10)
static char *(*const takes[])(size_t) = {take1, take2, take3, take4, take5, take6, take7, take8, take9, take10};
double numbers[4096];
int main(int count, char **words)
{
    double sum = 0;
    for (long k = 0, n = count > 1 ? atol(words[1]) : 1; k < n; k++) {
        char *pieces[10];
        for (int i = 0; i < 10; i++)
            pieces[i] = takes[i](64);
        for (int i = 0; i < 10; i++)
            free(pieces[i]);
        for (int i = 0; i < 300; i++)
            sum += numbers[i];
    }
    printf("%g\n", sum);
    return 0;
}
"""


@uncertain
def calls_of_many_callers_add_up():
    """Each of them has little of malloc; the section has all of it.  One that had too few samples to be read goes by its symbol: take3 (prog)."""
    with Folder() as folder:
        database, text = sampled(folder, made(folder, MANY), "2000000")
        callers = {row["called_in"].removesuffix(" (prog)") for row in rows(database, CALLS) if row["name"] == "malloc"}
        assert {f"take{n}" for n in range(1, 11)} >= callers and len(callers) >= 8, callers
        assert re.search(r"malloc.*: [\d.]+ .*% of the time, called from take\d+, \S*prog\.c:5 \([\d.]+ %\)", text), text


@uncertain
def without_stacks_the_caller_is_unknown():
    with Folder() as folder:
        program = build(folder, compilers(MACHINE)[0], [os.path.join(EXAMPLES, "power", "before.c"), "-lm"], "-g", "-O2",
                        output="power")
        database, text = sampled(folder, program, "40000", options=["--no-stacks"])
        call = rows(database, CALLS)[0]
        assert call["name"] == "pow" and call["called_in"] is None and call["line"] is None, call
        assert "caller unknown" in text, text


run()
