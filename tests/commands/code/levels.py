#!/usr/bin/env python3
"""assay cycles --data: lines of data that an iteration touches and the time that they take from each level, in programs of C and
Fortran of both instruction sets; in SQL and in the report; what it refuses."""
# first build only: the counting and the times have unit tests (data_lines)
import json, os

from harness import Folder, assay, build, cross, need, rows, run, test, text

KERNELS = r"""
#include <stddef.h>
struct link { struct link *next; double values[7]; };
#define KERNEL __attribute__((noinline)) void
KERNEL fill(size_t n, double *restrict a) { for (size_t i = 0; i < n; i++) a[i] = 1; }
KERNEL copy(size_t n, double *restrict a, const double *restrict b) { for (size_t i = 0; i < n; i++) a[i] = b[i] * 3; }
KERNEL update(size_t n, double *a) { for (size_t i = 0; i < n; i++) a[i] *= 3; }
KERNEL stencil(size_t n, double *restrict a, const double *restrict b)
{ for (size_t i = 1; i < n; i++) a[i] = b[i - 1] + b[i] + b[i + 1]; }
KERNEL every_second(size_t n, double *restrict a, const double *restrict b) { for (size_t i = 0; i < n; i += 2) a[i] = b[i] * 3; }
KERNEL columns(size_t n, double (*restrict a)[64]) { for (size_t i = 0; i < n; i++) a[i][0] *= 3; }
size_t follow(const struct link *at) { size_t n = 0; for (; at; at = at->next) n++; return n; }
double indirect(size_t n, const double *restrict a, const size_t *restrict at)
{ double sum = 0; for (size_t i = 0; i < n; i++) sum += a[at[i]]; return sum; }
"""
FORTRAN = """
subroutine saxpy(n, a, x, y)
  integer, intent(in) :: n
  real, intent(in) :: a, x(n)
  real, intent(inout) :: y(n)
  integer :: i
  do i = 1, n
    y(i) = y(i) + a * x(i)
  end do
end subroutine
"""
LEVELS = """cache 1 32K ways 8 line 64 latency 4
cache 2 1M line 64 bandwidth 32 store 16 copy 12.8 update 20 latency 14
cache 3 8M line 64 bandwidth 8 shared
main-memory bandwidth 2 overlap 0.5 latency 204
"""
KIN = {"x86_64": "skylake", "aarch64": "neoverse-v1"}


def machine(folder, target):
    """The core of a known machine with caches whose figures are easy to count with."""
    lines = text("machines", "show", KIN[target], "--as-file").splitlines(keepends=True)
    words = ("cache ", "main-memory ", "name ", "also ", "from ")
    name = "made-up-" + target.replace("_", "-")
    with open(os.path.join(folder, name), "w") as file:
        file.writelines([f"name {name}\n", LEVELS] + [line for line in lines if not line.startswith(words)])
    return name


def kernels(folder, target, language="gcc", source=KERNELS, name="k.c"):
    compiler = cross(language, target)
    need(compiler)
    path = os.path.join(folder, name)
    with open(path, "w") as file:
        file.write(source)
    return build(folder, [compiler], [path], "-O2", "-fno-tree-vectorize", "-fno-unroll-loops",
                 "-fno-tree-loop-distribute-patterns", "-c", output=name + ".o")


def ask(program, function, name, folder, *words):
    env = dict(os.environ, ASSAY_MACHINES=folder)
    found = json.loads(text("cycles", program, "--function", function, "--machine", name, "--json", *words, env=env))
    return max(found, key=lambda row: abs(row["stride"]))


def near(value, right):
    return abs(value - right) < 1e-6 * max(1, abs(right))


def check(found, **right):
    for word, value in right.items():
        assert near(found[word], value), (word, found[word], value)


def each(function):
    """The test for both instruction sets."""
    def both():
        for target in ("x86_64", "aarch64"):
            with Folder() as folder:
                function(folder, target, machine(folder, target))
    both.__name__ = function.__name__
    return test(both)


@each
def kinds_of_lines(folder, target, name):
    program = kernels(folder, target)

    def of(function):
        return ask(program, function, name, folder)
    nothing = {"lines_loaded": 0, "lines_updated": 0, "lines_stored": 0, "lines_streamed": 0, "lines_unknown": 0}
    check(of("fill"), **nothing | {"lines_stored": 1 / 8, "stride": 8})
    check(of("copy"), **nothing | {"lines_loaded": 1 / 8, "lines_stored": 1 / 8})
    check(of("update"), **nothing | {"lines_updated": 1 / 8})
    check(of("stencil"), **nothing | {"lines_loaded": 1 / 8, "lines_stored": 1 / 8})
    # Half of each line is written, so it has to be read as well.
    check(of("every_second"), **nothing | {"lines_loaded": 1 / 4, "lines_updated": 1 / 4, "stride": 16})
    check(of("columns"), **nothing | {"lines_updated": 1, "stride": 512})
    check(of("follow"), **nothing | {"lines_loaded": 1, "lines_unknown": 1})
    check(of("indirect"), **nothing | {"lines_loaded": 1 + 1 / 8, "lines_unknown": 1})


@each
def times_of_levels(folder, target, name):
    program = kernels(folder, target)
    fill, copy, update = (ask(program, function, name, folder, "--data", "l2") for function in ("fill", "copy", "update"))
    for found, l2, l3 in ((fill, 8 / 16, 8 * 2 / 8), (copy, 8 / 12.8, 8 * 3 / 8), (update, 8 / 20, 8 * 2 / 8)):
        core = found["cycles"]
        check(found, cycles_l2=max(core, l2), data_cycles=max(core, l2), cycles_l3=max(core, l3),
              cycles_memory=max(core, 4 * l3) + 0.5 * min(core, 4 * l3))
        assert found["data"] == "l2" and found["data_limit"] == ("lines" if l2 > core else found["limit"]), found
    # Each load of a list waits for the one before it: 200 cycles more than in L1.
    follow = ask(program, "follow", name, folder, "--data", "memory")
    check(follow, data_cycles=follow["latency"] + 200)
    assert follow["data_limit"] == "load latency", follow
    assert ask(program, "copy", name, folder)["data"] == "l1"


@each
def fortran(folder, target, name):
    program = kernels(folder, target, "gfortran", FORTRAN, "saxpy.f90")
    found = ask(program, "saxpy_", name, folder, "--data", "memory")
    check(found, lines_loaded=1 / 16, lines_updated=1 / 16, lines_stored=0, stride=4)
    lines = 4 * (1 + 2) / 2
    check(found, cycles_memory=max(found["cycles"], lines) + 0.5 * min(found["cycles"], lines))


@each
def words_tables_and_the_report(folder, target, name):
    program = kernels(folder, target)
    env = dict(os.environ, ASSAY_MACHINES=folder)
    told = text("cycles", program, "--function", "copy", "--machine", name, "--data", "memory", env=env)
    assert "cycles per iteration with data in memory, limited by lines" in told, told
    assert "An iteration touches 0.25 new lines of 64 bytes: 0.125 loaded, 0.125 written whole." in told, told
    assert "The core alone, with data in L1:" in told, told
    told = text("cycles", program, "--function", "indirect", "--machine", name, "--data", "l3", env=env)
    assert "Of these, 1 at places that the code does not show" in told, told
    table = text("cycles", program, "--machine", name, "--data", "memory", env=env)
    assert "in L1" in table and "load latency" in table, table
    # SQL has the same figures, computed when they are read.
    levels = json.loads(text("sql", program, "select f.name, v.level, v.cycles, v.\"limit\" from loop_levels v join loops l on "
                             "l.id = v.loop join functions f on f.id = l.function where f.name = 'copy' order by v.cycles",
                             "--machine", name, "--json", env=env))
    found = ask(program, "copy", name, folder)
    assert [row["level"] for row in levels] == ["l2", "l3", "memory"], levels
    for row in levels:
        assert near(row["cycles"], found["cycles_" + row["level"]]), (row, found)
    database = os.path.join(folder, "k.db")
    text("db", program, "--cycles", "-o", database, "--machine", name, env=env)
    assert rows(database, "select count(*) as n from loop_levels where level = 'memory'")[0]["n"] == 8
    # The report mentions what changes, and only that.
    told = " ".join(text("report", program, "--function", "copy", "--machine", name, "--no-pager", env=env).split())
    assert "With data in L3 it takes 3.00 cycles, in memory" in told, told
    assert "lines of data limit it there, so fewer bytes help and faster arithmetic does not" in told, told
    report = json.loads(text("report", program, "--function", "copy", "--machine", name, "--json", env=env))
    assert near(report["loops"][0]["paths"][0]["levels"]["l3"]["cycles"], 3), report["loops"][0]["paths"]


@test
def non_temporal_stores():
    source = r"""
#include <emmintrin.h>
void stream(long n, double *a, __m128d x) { for (long i = 0; i < n; i += 2) _mm_stream_pd(a + i, x); }
"""
    with Folder() as folder:
        name = machine(folder, "x86_64")
        found = ask(kernels(folder, "x86_64", source=source), "stream", name, folder)
        check(found, lines_streamed=1 / 4, lines_stored=0, lines_updated=0)
        # A line in and out is a store; without the line in, half of its time. It goes to memory from wherever.
        core = found["cycles"]
        check(found, cycles_l2=max(core, 8), cycles_memory=max(core, 8) + 0.5 * min(core, 8))


@test
def blocks():
    # movsd xmm0,[rdi+rax*8]; addsd xmm0,xmm0; movsd [rsi+rax*8],xmm0; add rax,1; cmp rax,rdx; jne
    block = "f20f1004c7f20f58c0f20f1104c64883c0014839d075e8"
    with Folder() as folder:
        name = machine(folder, "x86_64")
        env = dict(os.environ, ASSAY_MACHINES=folder)
        found = json.loads(text("cycles", "--hex", block, "--machine", name, "--data", "l3", "--json", env=env))[0]
        check(found, lines_loaded=1 / 8, lines_stored=1 / 8, data_cycles=3)
        told = text("cycles", "--hex", block, "--machine", name, "--data", "l3", env=env)
        assert "3.00 cycles per iteration with data in L3, limited by lines" in told, told


FROM_NEHALEM_ON = ("nehalem", "westmere", "sandy-bridge", "ivy-bridge", "haswell", "broadwell", "skylake", "skylake-x", "cascade-lake",
                   "ice-lake", "tiger-lake", "rocket-lake", "alder-lake-p", "sapphire-rapids", "granite-rapids", "zen", "zen-plus", "zen2", "zen3", "zen4")
KINDS = ("measured", "published", "assumed")


@test
def every_x86_file_has_every_level():
    # movsd xmm0,[rdi+rax*8]; addsd xmm0,xmm0; movsd [rsi+rax*8],xmm0; add rax,1; cmp rax,rdx; jne
    block = "f20f1004c7f20f58c0f20f1104c64883c0014839d075e8"
    known = json.loads(text("machines", "--json"))
    older = {"core2-conroe", "core2-wolfdale"}
    assert {row["name"] for row in known if row["isa"] == "x86-64"} == older | set(FROM_NEHALEM_ON), known
    page = open(os.path.join(os.path.dirname(__file__), "../../../docs/levels.md")).read()
    for name in FROM_NEHALEM_ON:
        cycles = []
        for level in ("l2", "l3", "memory"):
            found = json.loads(text("cycles", "--hex", block, "--machine", name, "--data", level, "--json"))[0]
            assert found["data_cycles"] >= found["cycles"] and found["data_source"].startswith(KINDS), (name, found)
            told = text("cycles", "--hex", block, "--machine", name, "--data", level)
            assert found["data_source"] in " ".join(told.split()), (name, told)
            line = next(line for line in told.splitlines() if line.split()[1:2] == [level.upper() if level != "memory" else level])
            assert line.endswith("; assumed") == found["data_source"].startswith("assumed"), (name, line)
            cycles.append(found["data_cycles"])
        # Nothing is nearer than what is farther away, and no line is fetched faster than the core loads it.
        assert cycles == sorted(cycles), (name, cycles)
        told = text("machines", "show", name)
        caches = told[told.index("caches of data"):].split("\n\n")[0]
        assert caches.count("L2  ") == caches.count("L3  ") == caches.count("memory  ") == 2, caches
        # The page has a row for each file, with the kind of each level.
        shown = json.loads(text("machines", "show", name, "--json"))[0]
        kinds = [level["source"].split()[0].rstrip(",:") for level in shown["caches"][1:] + [shown["memory"]]]
        row = [cell.strip() for cell in next(line for line in page.splitlines() if line.startswith(f"| `{name}` |")).split("|")[2:5]]
        assert [cell.split()[0].rstrip(",:") for cell in row] == kinds, (row, kinds)


@test
def memory_is_that_of_a_computer():
    with Folder() as folder:
        program = kernels(folder, "x86_64")
        words = ("cycles", program, "--machine", "sandy-bridge", "--data", "memory")
        sentence = ("The figures of sandy-bridge's memory are one computer's, and others differ: published by RRZE-HPC/kerncraft: "
                    "likwid-bench on one core of a Xeon E5-2680 at 2.7 GHz")
        for told in (text(*words), text(*words, "--function", "copy")):
            assert told.count(sentence) == 1, told
        # The report says which figures are assumed, and the database has it.
        told = " ".join(text("report", program, "--function", "copy", "--machine", "nehalem", "--no-pager").split())
        assert "With data in memory it takes 3.81 cycles (assumed): lines of data limit it there" in told, told
        report = json.loads(text("report", program, "--function", "copy", "--machine", "nehalem", "--json"))
        assert report["loops"][0]["paths"][0]["levels"]["l3"]["is_assumed"] is True, report["loops"][0]["paths"]
        told = " ".join(text("report", program, "--function", "copy", "--machine", "sandy-bridge", "--no-pager").split())
        assert "in memory" in told and "assumed" not in told, told


@test
def stores_follow_from_copies_and_updates():
    """A file without `store`: what a copy takes beyond its loads, and no less than an update."""
    with Folder() as folder:
        program = kernels(folder, "x86_64")
        name = machine(folder, "x86_64")
        path = os.path.join(folder, name)
        lines = open(path).read().replace("bandwidth 8 shared", "bandwidth 8 copy 2 update 5 shared")
        open(path, "w").write(lines.replace("main-memory bandwidth 2 ", "main-memory bandwidth 2 copy 1.5 update 1 "))
        fill, copy = (ask(program, function, name, folder) for function in ("fill", "copy"))
        check(fill, cycles_l3=max(fill["cycles"], 8 / 2 - 8 / 8))
        check(copy, cycles_l3=max(copy["cycles"], 8 / 2))
        # From memory an update takes longer than that.
        check(fill, cycles_memory=max(fill["cycles"], 8) + 0.5 * min(fill["cycles"], 8))


@test
def sources():
    with Folder() as folder:
        path = os.path.join(folder, machine(folder, "x86_64"))
        lines = open(path).read()
        env = dict(os.environ, ASSAY_MACHINES=folder)
        block = ("--hex", "f20f1004c7f20f58c0f20f1104c64883c0014839d075e8")
        told = text("cycles", *block, "--machine", os.path.basename(path), "--data", "l3", env=env)
        assert "figures of" not in told and "assumed" not in told, told
        open(path, "w").write(lines.replace("bandwidth 8 shared", "bandwidth 8 shared source guessed by me"))
        message = assay("cycles", *block, "--machine", os.path.basename(path), status=2, env=env).stderr.decode()
        assert "a source starts with measured, published or assumed, not 'guessed by me'" in message, message


@test
def refusals():
    def refused(*words):
        return assay("cycles", *words, status=2).stderr.decode()
    block = ("--hex", "4883c0484839c2")
    memory = ("cycles", "--hex", "f20f1004c74883c0014839d075f2", "--machine", "skylake", "--data")
    for level in ("L1", "L2", "L3", "Memory"):
        assert text(*memory, level) == text(*memory, level.lower()) != "", level
    assert "--data takes l1, l2, l3 or memory, not l4" in refused(*block, "--machine", "skylake", "--data", "l4")
    message = refused(*block, "--machine", "core2-conroe", "--data", "l2")
    assert "the machine file of core2-conroe has no bandwidth of L2 (assay bench --memory" in message, message
    message = refused(*block, "--machine", "core2-conroe", "--data", "l3")
    assert "the machine file of core2-conroe has no L3 cache" in message, message
    message = refused("--hex", "00", "--machine", "itanium2", "--data", "l2")
    assert "lines of data are not counted on machines with bundles (itanium2)" in message, message
    assert "--data applies to loops and to single blocks" in refused("--batch", "-", "--data", "l2")


run()
