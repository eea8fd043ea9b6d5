#!/usr/bin/env python3
# first build only: compiles and runs programs; the sanitizers see the same code on listings in nodes_listings.py
"""assay cc on programs that count themselves: the code that the compiler made, with nodes in it, says the same to the
last digit."""
import glob, os, sqlite3
from harness import *

SOURCES = os.path.join(PROGRAMS, "probes")
LEVELS = ["-O0", "-O1", "-O2", "-O3"]
OTHER = {"aarch64": "x86_64", "x86_64": "aarch64"}.get(MACHINE)

FORTRAN = """program counts
  implicit none
  integer :: i, calls
  integer, parameter :: n = 400
  real(8) :: a(n), total
  calls = 0
  total = 0
  a = 1
  do i = 1, 37
    call fill(a, mod(i, 7) + 1)
    calls = calls + 1
    total = total + a(1)
  end do
  print '(a,i0)', 'fill ', calls
  print '(a,f0.3)', 'total ', total
contains
  subroutine fill(a, m)
    real(8), intent(inout) :: a(:)
    integer, intent(in) :: m
    integer :: k
    do k = 1, m
      a(k) = a(k) * 0.5d0 + k
    end do
  end subroutine
end program
"""


def counted(output, width):
    """Lines "name number…" that the program printed."""
    found = {}
    for line in output.decode().splitlines():
        words = line.split()
        if len(words) == width + 1 and all(word.isdigit() for word in words[1:]):
            found[words[0]] = tuple(map(int, words[1:]))
    return found


def run_recorded(folder, machine, program, status=0):
    """Runs a program with nodes; its result and the rows of its recording by table."""
    for old in glob.glob(os.path.join(folder, "record.*")):
        os.unlink(old)
    done = command([*emulator_with_probes(machine), program], status=status,
                   env=dict(os.environ, ASSAY_PROBE_FILE=os.path.join(folder, "record")))
    (recording,) = glob.glob(os.path.join(folder, "record.*"))
    (report,) = json.loads(text("probe", "report", recording, "--json"))["runs"]
    return done, report


def compile_both(folder, compiler, sources, *options, flags=()):
    """The same program, plain and with nodes."""
    plain, noded = os.path.join(folder, "plain"), os.path.join(folder, "noded")
    command([*compiler, *flags, *sources, "-o", plain])
    assay("cc", *options, *compiler, *flags, *sources, "-o", noded)
    return plain, noded


def check_functions(machine):
    with Folder() as folder:
        for compiler in compilers(machine):
            for level in LEVELS:
                plain, noded = compile_both(folder, compiler, [os.path.join(SOURCES, "functions.c")],
                                            flags=["-g", "-fno-inline", level])
                wanted = counted(command([*emulator_with_probes(machine), plain]).stdout, 1)
                assert len(wanted) == 11, wanted
                done, report = run_recorded(folder, machine, noded)
                assert counted(done.stdout, 1).items() >= wanted.items(), "the program's own output changed"
                seen = {row["name"]: row for row in report["functions"]}
                for name, (calls,) in wanted.items():
                    got = seen[name]["calls"] if name in seen else 0
                    assert got == calls, f"{compiler[0]} {level} {machine}: {name}: {got} calls, not {calls}"
                assert seen["jumps"]["abandoned"] == 334, seen["jumps"]
                assert seen["main"]["calls"] == 1


def check_loops(machine, *options):
    with Folder() as folder:
        for compiler in compilers(machine):
            for level in LEVELS:
                plain, noded = compile_both(folder, compiler, [os.path.join(SOURCES, "loops.c")], "--loops", *options,
                                            flags=["-g", level])
                wanted = counted(command([*emulator_with_probes(machine), plain]).stdout, 2)
                assert len(wanted) == 15, wanted
                done, report = run_recorded(folder, machine, noded)
                assert counted(done.stdout, 2).items() >= wanted.items(), "the program's own output changed"
                seen = {}
                for row in report["loops"]:
                    entries, turns = seen.get(row["name"], (0, 0))
                    seen[row["name"]] = entries + row["entries"], turns + row["iterations"]
                for name, pair in wanted.items():
                    assert seen.get(name) == pair, \
                        f"{compiler[0]} {level} {machine} {options}: {name}: {seen.get(name)}, not {pair}"


@test
def calls_of_functions():
    check_functions(MACHINE)


@test
def calls_of_functions_on_the_other_machine():
    emulator_with_probes(OTHER)
    check_functions(OTHER)


@test
def trip_counts():
    check_loops(MACHINE)


@test
def trip_counts_without_the_clock():
    check_loops(MACHINE, "--no-clock")


@test
def trip_counts_on_the_other_machine():
    emulator_with_probes(OTHER)
    check_loops(OTHER)
    check_loops(OTHER, "--no-clock")


@test
def fortran():
    compiler = need("gfortran")
    with Folder() as folder:
        source = os.path.join(folder, "counts.f90")
        with open(source, "w") as file:
            file.write(FORTRAN)
        for level in LEVELS:
            plain, noded = compile_both(folder, [compiler], [source], "--functions", "--loops",
                                        flags=["-g", "-fno-inline", "-fno-unroll-loops", "-fno-tree-vectorize",
                                               "-fno-peel-loops", level])
            wanted = command([plain]).stdout
            done, report = run_recorded(folder, MACHINE, noded)
            assert done.stdout == wanted
            calls = {row["name"]: row["calls"] for row in report["functions"]}
            assert [count for name, count in calls.items() if name.startswith("fill")] == [37], calls
            turns = sum(i % 7 + 1 for i in range(1, 38))
            fill = [row for row in report["loops"] if row["name"].startswith("fill")]
            assert [(row["entries"], row["iterations"]) for row in fill] == [(37, turns)], (level, fill)


THROWING = """#include <cstdio>
#include <stdexcept>
#define APART __attribute__((noinline))
static volatile int sink;
struct guard { ~guard() { sink = sink + 1; } };
APART int thrower(int i) { if (i % 3 == 0) throw std::runtime_error("no"); return i; }
APART int between(int i) { guard g; int a[40]; for (int k = 0; k < 40; k++) a[k] = i + sink; return thrower(i) + a[i % 40] * 0; }
APART int catcher(int i) { try { return between(i); } catch (const std::exception &) { return -1; } }
int main() { long sum = 0; for (int i = 0; i < 3000; i++) sum += catcher(i); std::printf("%ld %d\\n", sum, sink); return 7; }
"""


@test
def exceptions_pass_through_nodes():
    with Folder() as folder:
        source = os.path.join(folder, "throwing.cc")
        with open(source, "w") as file:
            file.write(THROWING)
        for compiler in [cross("g++", machine) for machine in (MACHINE, OTHER)]:
            machine = MACHINE if compiler == "g++" else OTHER
            need(compiler)
            for level in LEVELS:
                plain, noded = compile_both(folder, [compiler], [source], "--functions", "--loops", flags=[level, "-g"])
                wanted = command([*emulator_with_probes(machine), plain], status=7).stdout
                done, report = run_recorded(folder, machine, noded, status=7)
                assert done.stdout == wanted, (done.stdout, wanted)
                seen = {row["name"]: row for row in report["functions"]}
                thrower = seen["thrower(int)"]
                assert (thrower["calls"], thrower["abandoned"]) == (3000, 1000), (level, thrower)
                assert (seen["catcher(int)"]["calls"], seen["catcher(int)"]["abandoned"]) == (3000, 0), seen["catcher(int)"]


THREADS = """#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
__attribute__((noinline)) long work(long n) { long s = 0; for (long i = 0; i < n; i++) { s += i; __asm__ volatile("" : "+r"(s)); } return s; }
static void *run(void *data) { long s = 0; for (int i = 0; i < 20000; i++) s += work(7); return (void *)s; }
int main(void)
{
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) pthread_create(&threads[i], NULL, run, NULL);
    for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
    pid_t child = fork();
    if (!child) { for (int i = 0; i < 300; i++) work(3); return 5; }
    int status;
    waitpid(child, &status, 0);
    printf("%d\\n", WEXITSTATUS(status));
    return 0;
}
"""


@test
def threads_and_children():
    with Folder() as folder:
        source = os.path.join(folder, "threads.c")
        with open(source, "w") as file:
            file.write(THREADS)
        for compiler in compilers(MACHINE):
            program = os.path.join(folder, "program")
            assay("cc", "--functions", "--loops", *compiler, "-O2", "-fno-inline", "-pthread", source, "-o", program)
            for old in glob.glob(os.path.join(folder, "record.*")):
                os.unlink(old)
            done = command([program], env=dict(os.environ, ASSAY_PROBE_FILE=os.path.join(folder, "record")))
            assert done.stdout == b"5\n", done.stdout
            counts = []
            for recording in glob.glob(os.path.join(folder, "record.*")):
                (report,) = json.loads(text("probe", "report", recording, "--json"))["runs"]
                calls = {row["name"]: row["calls"] for row in report["functions"]}
                turns = {row["name"]: (row["entries"], row["iterations"]) for row in report["loops"]}
                counts.append((calls["work"], turns["work"]))
            assert sorted(counts) == [(300, (300, 900)), (80000, (80000, 560000))], counts


@test
def libraries_with_nodes():
    with Folder() as folder:
        def put(name, contents):
            with open(os.path.join(folder, name), "w") as file:
                file.write(contents)
            return os.path.join(folder, name)
        library, program = os.path.join(folder, "libpart.so"), os.path.join(folder, "program")
        part = put("part.c", "int part(int x) { return x * 3; }\n")
        main = put("main.c", """#include <dlfcn.h>
int main(int count, char **words) { void *file = dlopen(words[count - 1], 2); if (!file) return 9; int (*part)(int) = (int (*)(int))dlsym(file, "part");
int s = 0; for (int i = 0; i < 1234; i++) s += part(i); return s == 3 * 1234 * 1233 / 2 ? 0 : 1; }
""")
        assay("cc", "gcc", "-O2", "-shared", "-fPIC", part, "-o", library)
        assay("cc", "gcc", "-O2", main, "-o", program, "-ldl")
        env = dict(os.environ, ASSAY_PROBE_FILE=os.path.join(folder, "record"))
        command([program, library], env=env)
        (recording,) = glob.glob(os.path.join(folder, "record.*"))
        (report,) = json.loads(text("probe", "report", recording, "--json"))["runs"]
        assert {row["name"]: row["calls"] for row in report["functions"]} == {"main": 1, "part": 1234}, report["functions"]


@test
def values_and_places():
    with Folder() as folder:
        source = os.path.join(folder, "values.c")
        with open(source, "w") as file:
            file.write("""volatile long five = 5; const char *volatile none;
__attribute__((noinline)) long take(long n, const char *p, double x) { __asm__ volatile(""); return n + (p != 0) + (long)x; }
int main(void) { long s = 0; for (int i = 0; i < 500; i++) s += take(five, none, i * 0.5); return (int)(s % 7); }
""")
        plan = os.path.join(folder, "plan.txt")
        with open(plan, "w") as file:
            file.write("values take\n")
        for machine in (MACHINE, OTHER):
            for compiler in compilers(machine):
                for level in LEVELS:
                    plain, noded = compile_both(folder, compiler, [source], "--plan", plan, flags=["-g", level])
                    status = command([*emulator_with_probes(machine), plain], status=None).returncode
                    done, report = run_recorded(folder, machine, noded, status=status)
                    seen = {row["name"]: row for row in report["values"]}
                    assert seen["n"]["count"] == 500 and seen["n"]["minimum"] == seen["n"]["maximum"] == 5, seen["n"]
                    assert seen["p"]["distinct_count"] == 1, seen["p"]
                    assert (seen["x"]["minimum"], seen["x"]["maximum"]) == (0, 249.5), seen["x"]


@test
def the_compiler_is_the_compiler():
    with Folder() as folder:
        def put(name, contents):
            with open(os.path.join(folder, name), "w") as file:
                file.write(contents)
            return os.path.join(folder, name)
        one = put("one.c", "#include \"one.h\"\nint one(int x) { return x + ONE; }\n")
        put("one.h", "#define ONE 1\n")
        two = put("two.c", "int one(int);\nint main(void) { return one(41) != 42; }\n")
        bad = put("bad.c", "int f( { }\n")
        where = dict(cwd=folder)
        def cc(*words, status=0):
            done = watched([ASSAY, "cc", *words], **where)
            assert done.returncode == status, (words, done.returncode, done.stderr.decode())
            return done
        # What makes no object is the compiler's alone.
        for words in (["-E", one], ["-S", "-o", "-", two], ["--version"], ["-MM", one], ["-dumpmachine"]):
            assert cc("gcc", *words).stdout == watched(["gcc", *words], **where).stdout, words
        # Messages and status of a failure, and no object.
        failed = cc("gcc", "-c", bad, "-o", "bad.o", status=1)
        assert failed.stderr == watched(["gcc", "-c", bad, "-o", "bad.o"], **where).stderr
        assert not os.path.exists(os.path.join(folder, "bad.o"))
        assert b"no such program" in cc("no-such-compiler", "-c", one, status=127).stderr
        # Objects and dependencies have the compiler's names.
        cc("gcc", "-MD", "-c", one, two)
        dependencies = open(os.path.join(folder, "one.d")).read()
        assert dependencies.startswith("one.o:") and "one.h" in dependencies, dependencies
        cc("gcc", "one.o", "two.o", "-o", "linked")
        command([os.path.join(folder, "linked")], env=dict(os.environ, ASSAY_PROBE_FILE=os.path.join(folder, "r")))
        assert len(glob.glob(os.path.join(folder, "r.*"))) == 1
        # Everything in one step, with words from a file.
        put("words", f"-O1 -DMORE='a b' {one} {two}")
        cc("gcc", "@words", "-o", "program")
        command([os.path.join(folder, "program")], env=dict(os.environ, ASSAY_PROBE_FILE=os.path.join(folder, "s")))
        # No assembly: compiled without probes, with a message.
        assert b"-flto" in cc("gcc", "-flto", "-c", one, "-o", "lto.o").stderr
        assert b"-static" in cc("gcc", "-static", one, two, "-o", "still", status=2).stderr
        cc("gcc", "-c", one, "-o", "/dev/null")
        assert os.path.exists("/dev/null") and not os.path.isfile("/dev/null")
        # The default name of a recording.
        watched([os.path.join(folder, "program")], **where)
        assert glob.glob(os.path.join(folder, "assay.*.probe")), os.listdir(folder)
        private = os.path.join(folder, "private")
        os.mkdir(private)
        watched([ASSAY, "cc", "gcc", "-c", one, "-o", "one.o"], env=dict(os.environ, TMPDIR=private), **where)
        assert not os.listdir(private), os.listdir(private)


@test
def programs_run_where_nothing_can_be_recorded():
    with Folder() as folder:
        plain, noded = compile_both(folder, compilers(MACHINE)[0], [os.path.join(SOURCES, "functions.c")], "--functions",
                                    "--loops", flags=["-O1"])
        env = dict(os.environ, ASSAY_PROBE_FILE=os.path.join(folder, "no", "such", "folder"))
        assert command([noded], env=env).stdout == command([plain]).stdout


@test
def distances_that_become_too_long():
    """A switch whose table has bytes: functions that the assembler does not take with nodes have them out of line."""
    with Folder() as folder:
        source = os.path.join(folder, "switch.c")
        cases = "".join(f"case {i}: for (int k = 0; k < x[{i}]; k++) s += other(s * {i + 3}); return s ^ {i * 7919};\n" for i in range(24))
        with open(source, "w") as file:
            file.write("int other(int);\n__attribute__((noinline)) int many(int n, const int *x) { int s = n; switch (n) {"
                       + cases + "} return s; }\n__attribute__((noinline)) int other(int x) { return x + 1; }\n"
                       "int main(void) { int x[24]; long s = 0; for (int i = 0; i < 24; i++) x[i] = i; "
                       "for (int i = 0; i < 2400; i++) s += many(i % 25, x); return (int)(s & 63); }\n")
        for compiler in compilers(MACHINE):
            for level in ("-Os", "-O2"):
                plain, noded = compile_both(folder, compiler, [source], "--functions", "--loops", flags=[level])
                status = command([plain], status=None).returncode
                done, report = run_recorded(folder, MACHINE, noded, status=status)
                calls = {row["name"]: row["calls"] for row in report["functions"]}
                assert calls.get("main") == 1 and calls.get("many") == 2400, calls


run()
