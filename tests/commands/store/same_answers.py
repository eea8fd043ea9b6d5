#!/usr/bin/env python3
"""One question, one answer: assay cycles, assay report, assay bounds and the tables must not contradict each other, on
any loop and any machine, in text and in json."""
import json, os, re, sys

from harness import Folder, assay, command, cross, need, rows, run, test, text

# Each register is swapped by itself, so that neither latency nor the µop cache says anything: the decoders limit.
BSWAP = "f:\n.L1:\n" + "".join(f"\tbswap %{register}\n" for register in (
    "rax", "rbx", "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11", "r12", "r13", "r14")) + "\tdec %rdi\n\tjne .L1\n\tret\n"

LOOPS = r"""
#include <math.h>
#include <string.h>
void add(long n, double *restrict a, const double *restrict b) { for (long i = 0; i < n; i++) a[i] += b[i]; }
double sum(long n, const double *a) { double s = 0; for (long i = 0; i < n; i++) s += a[i]; return s; }
void divide(long n, double *a, double x) { for (long i = 0; i < n; i++) a[i] = x / a[i]; }
void copy(long n, int *restrict a, const int *restrict b) { for (long i = 0; i < n; i++) a[i] = b[i]; }
long gather(long n, const long *a, const int *at) { long s = 0; for (long i = 0; i < n; i++) s ^= a[at[i]]; return s; }
long count(long n, const char *a) { long s = 0; for (long i = 0; i < n; i++) s += a[i] == 'x'; return s; }
int odd(long n, const int *a) { int s = 0; for (long i = 0; i < n; i++) if (a[i] & 1) s += a[i] * 3; else s ^= a[i]; return s; }
void swap(long n, unsigned long *a) { for (long i = 0; i < n; i++) a[i] = __builtin_bswap64(a[i]); }
struct link { struct link *next; };
long length(const struct link *at) { long n = 0; for (; at; at = at->next) n++; return n; }
void root(long n, float *a) { for (long i = 0; i < n; i++) a[i] = sqrtf(a[i]) + 1; }
void widen(long n, double *restrict a, const int *restrict b) { for (long i = 0; i < n; i++) a[i] = b[i]; }
"""
MACHINES = {"x86_64": ("skylake", "zen4", "ivy-bridge"), "aarch64": ("neoverse-v1", "a64fx")}


def near(a, b):
    """The report has six digits."""
    return a == b or (a is not None and b is not None and abs(a - b) <= 1e-5 * max(abs(a), abs(b)))


def paths_of_cycles(file, machine, *words):
    answers = json.loads(text("cycles", file, "--machine", machine, "--json", *words))
    return {(row["loop"], row["path"]): row for row in answers}


def paths_of_report(file, machine):
    report = json.loads(text("report", file, "--machine", machine, "--paths", "64", "--json", "--all"))
    return {(loop["loop"], path["path"]): path for loop in report["loops"] for path in loop["paths"]}


def bounds_of(row):
    """The columns of the parts of the core, which stand after the remark."""
    names = list(row)
    return {name: float(f"{row[name]:.6g}") for name in names[names.index("remark") + 1:]
            if name != "instructions" and row[name] is not None}


def remark(row):
    """Without how many paths were looked at, which is more in the report."""
    return re.sub(r"(, )?\d+ of \d+ paths$", "", row["remark"] or "")


def compare_paths(what, cycles, report):
    """Everything that both commands report about a path."""
    wrong = []
    metrics = report["metrics"]
    for name, left, right in (
            ("cycles", cycles["cycles"], report["cycles"]), ("cycles", cycles["cycles"], metrics.get("cycles")),
            ("next_cycles", cycles["next_cycles"], report["next_cycles"]),
            ("next_cycles", cycles["next_cycles"], metrics.get("cycles_next_bottleneck")),
            ("instruction_count", cycles["instruction_count"], metrics.get("instruction_count")),
            ("known_count", cycles["known_count"], metrics.get("known_count")),
            ("call_count", cycles["call_count"], metrics.get("call_count")),
            ("latency", cycles["latency"], metrics.get("chain_cycles") or None)):
        if not near(left, right):
            wrong.append(f"{what}: {name} {left} and {right}")
    for name, left, right in (("limit", cycles["limit"], report["limit"]), ("next", cycles["next"], report["next"]),
                              ("remark", remark(cycles), remark(report)),
                              ("bounds", bounds_of(cycles), report["bounds"])):
        if left != right:
            wrong.append(f"{what}: {name} {left} and {right}")
    if cycles["next_cycles"] is not None and not cycles["next_cycles"] <= cycles["cycles"]:
        wrong.append(f"{what}: {cycles['next_cycles']} without what limits, {cycles['cycles']} with it")
    for name, value in metrics.items():
        if name.startswith("speedup_") and value is not None and not value >= 1 - 1e-5:
            wrong.append(f"{what}: {name} {value}")
    return wrong


def compare_bounds(file, machine, cycles):
    """The bound of the schedule (MACS) of a loop of one block is its cycles, and the same part limits it."""
    wrong = []
    blocks = {row["loop"] for row in rows(file, "select id as loop from loops where is_innermost and block_count = 1")}
    result = assay("bounds", file, "--machine", machine, "--json", status=None)
    answers = json.loads(result.stdout or b"[]")
    code = {row["loop"]: row["cycles"] for row in answers if row["level"] == "MAC"}
    for row in answers:
        if row["level"] == "MACS" and code[row["loop"]] > row["cycles"] + 1e-9:
            wrong.append(f"{file} on {machine}, loop {row['loop']}: MAC {code[row['loop']]} above MACS {row['cycles']}")
        path = cycles.get((row["loop"], 1))
        if row["level"] != "MACS" or row["loop"] not in blocks or not path or row["origin"] != "parts of the core":
            continue
        named = re.search(r"Limited by: ([^(]*) \(", row["gap"] or "")
        if not near(path["cycles"], row["cycles"]):
            wrong.append(f"{file} on {machine}, loop {row['loop']}: cycles {path['cycles']}, bound {row['cycles']}")
        if named and named[1] != path["limit"]:
            wrong.append(f"{file} on {machine}, loop {row['loop']}: {path['limit']} limits, bounds say {named[1]}")
    return wrong


def compare(file, machine, with_bounds=True):
    """Mismatches between all that is said of the loops of a file."""
    short, report = paths_of_cycles(file, machine), paths_of_report(file, machine)
    reported = {(row["loop"], row["path"]): row for row in rows(
        file, 'select loop, path, cycles, "limit", next, next_cycles, instruction_count, known_count from loop_cycles',
        "--machine", machine)}
    wrong = []
    if short.keys() - report.keys():  # the report looks further for paths that stay in the loop
        wrong.append(f"{file} on {machine}: paths that the report lacks: {short.keys() - report.keys()}")
    for key in short.keys() & report.keys():
        what = f"{os.path.basename(file)} on {machine}, loop {key[0]}, path {key[1]}"
        wrong += compare_paths(what, short[key], report[key])
        row = reported.get(key, {})
        for name in row:
            same = near(row[name], short[key][name]) if isinstance(row[name], float) else row[name] == short[key][name]
            if not same and not (name in ("limit", "next") and row[name] == "none" and short[key][name] is None):
                wrong.append(f"{what}: {name} {short[key][name]} and {row[name]} in loop_cycles")
    return wrong + (compare_bounds(file, machine, short) if with_bounds else [])


def write(folder, name, content):
    path = os.path.join(folder, name)
    with open(path, "w") as file:
        file.write(content)
    return path


def need_assembler():
    need(cross("as", "x86_64"))


def next_in_text(file, machine, loop):
    """What would be left without what limits, as both commands word it: (cycles, part), or None."""
    found = []
    for name, pattern in (("cycles", r"Without this limit: (?:still )?(\S+) cycles \(([^)]*)\)"),
                          ("report", r"Without this limit it would (?:still )?take (\S+) \(([^)]*)\)")):
        words = " ".join(text(name, file, "--machine", machine, "--loop", str(loop)).split())
        match = re.search(pattern, words)
        found.append(match and match.groups())
    return found


@test
def twelve_bswap():
    need_assembler()
    with Folder() as folder:
        file = write(folder, "bswap.s", BSWAP)
        words = ("--isa", "x86-64", "--machine", "skylake")
        row, = json.loads(text("cycles", file, *words, "--json"))
        assert (row["cycles"], row["limit"], row["next_cycles"], row["next"]) == (12, "decoders", 6.5, "ports"), row
        assert next_in_text(file, "skylake", 1) == [("6.50", "ports")] * 2, next_in_text(file, "skylake", 1)
        for machine in ("skylake", "haswell", "ice-lake", "zen4"):
            assert not compare(file, machine), compare(file, machine)
            one, other = next_in_text(file, machine, 1)
            assert one == other and one, (machine, one, other)


def check_loops(isa):
    need(cross("gcc", isa))
    with Folder() as folder:
        source = write(folder, "loops.c", LOOPS)
        for flags in (("-O2",), ("-O3", "-march=x86-64-v3" if isa == "x86_64" else "-march=armv8.4-a+sve")):
            file = os.path.join(folder, "loops" + flags[0] + ".o")
            command([cross("gcc", isa), "-g", *flags, "-ffast-math", "-c", "-o", file, source])
            for machine in MACHINES[isa]:
                wrong = compare(file, machine)
                assert not wrong, wrong[:5]
        for row in rows(file, "select id from loops where is_innermost and block_count = 1 limit 4"):
            one, other = next_in_text(file, MACHINES[isa][0], row["id"])
            assert one == other, (row, one, other)


@test
def loops_of_x86():
    check_loops("x86_64")


@test
def loops_of_aarch64():
    check_loops("aarch64")


@test
def operations_fit_into_the_code():
    """A call in a loop does not make a taken jump of what is behind it, though only operations count in MAC."""
    need_assembler()
    with Folder() as folder:
        file = write(folder, "call.s", "f:\n.L1:\n\tmov %rbx, %rdi\n\tcall g\n\tsub $1, %r15d\n\tjne .L1\n\tret\ng:\n\tret\n")
        cycles = {row["level"]: row["cycles"] for row in json.loads(
            text("bounds", file, "--isa", "x86-64", "--machine", "skylake", "--json"))}
        row, = json.loads(text("cycles", file, "--isa", "x86-64", "--machine", "skylake", "--json"))
        assert cycles["MAC"] <= cycles["MACS"] == row["cycles"] == 1, (cycles, row["cycles"])


if __name__ == "__main__" and len(sys.argv) > 2 and os.path.exists(sys.argv[2]):
    # same_answers.py MACHINE FILE…: compares what is said of any files.
    problems = [line for path in sys.argv[2:] for line in compare(path, sys.argv[1])]
    print("\n".join(problems + [f"{len(problems)} mismatches"]))
    sys.exit(bool(problems))
run()
