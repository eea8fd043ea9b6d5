#!/usr/bin/env python3
"""assay probe on programs that count themselves: calls, entries and iterations agree to the last digit."""
import os, re, sqlite3
from harness import *

SOURCES = os.path.join(PROGRAMS, "probes")
LEVELS = ["-O0", "-O1", "-O2", "-O3"]
OTHER = {"aarch64": "x86_64", "x86_64": "aarch64"}.get(MACHINE)


def probe(folder, machine, program, *options, words=(), status=0, before=None):
    """Runs a program with probes; returns its standard output and its database."""
    database = os.path.join(folder, "run.db")
    if os.path.exists(database):
        os.unlink(database)
    extra = [] if machine == MACHINE else ["--object", program]
    done = assay("probe", *options, *extra, "-o", database, "--quiet", "--", *(before or emulator_with_probes(machine)), program, *words,
                 status=status)
    connection = sqlite3.connect(database)
    connection.row_factory = sqlite3.Row
    return done, connection


def counted(output, width):
    """Lines "name number…" that the program printed."""
    found = {}
    for line in output.decode().splitlines():
        words = line.split()
        if len(words) == width + 1 and all(word.isdigit() for word in words[1:]):
            found[words[0]] = tuple(map(int, words[1:]))
    return found


def own_count(folder, machine, program):
    return command([*emulator_with_probes(machine), program]).stdout


def check_functions(machine):
    with Folder() as folder:
        for compiler in compilers(machine):
            for level in LEVELS:
                program = build(folder, compiler, [os.path.join(SOURCES, "functions.c")], "-g", "-fno-inline", level)
                wanted = counted(own_count(folder, machine, program), 1)
                assert len(wanted) == 11, wanted
                done, database = probe(folder, machine, program)
                assert counted(done.stdout, 1) == wanted, "the program's own output changed"
                assert done.stderr.startswith(b"Probes: ") and b"assay: " not in done.stderr, done.stderr[:500]
                seen = {row["name"]: row for row in database.execute(
                    "select name, calls, abandoned, total_ns, self_ns, min_ns, max_ns from probe_functions "
                    "join functions on functions.id = function")}
                for name, (calls,) in wanted.items():
                    got = seen[name]["calls"] if name in seen else 0
                    assert got == calls, f"{compiler[0]} {level} {machine}: {name}: {got} calls, not {calls}"
                # jumps leaves by longjmp every third time.
                assert seen["jumps"]["abandoned"] == 334, dict(seen["jumps"])
                assert seen["twice"]["total_ns"] >= seen["twice"]["self_ns"] >= 0
                assert seen["main"]["calls"] == 1
                (unpaired,) = database.execute("select coalesce(sum(count), 0) from probe_limits "
                                               "where kind = 'unpaired'").fetchone()
                assert unpaired == 0, unpaired
                database.close()


def check_loops(machine, *options):
    with Folder() as folder:
        for compiler in compilers(machine):
            for level in LEVELS:
                program = build(folder, compiler, [os.path.join(SOURCES, "loops.c")], "-g", level)
                wanted = counted(own_count(folder, machine, program), 2)
                assert len(wanted) == 15, wanted
                done, database = probe(folder, machine, program, "--loops", *options)
                assert counted(done.stdout, 2) == wanted, "the program's own output changed"
                seen = {row["name"]: (row["entries"], row["iterations"]) for row in database.execute(
                    "select name, sum(entries) as entries, sum(iterations) as iterations from probe_loops "
                    "join loops on loops.id = loop join functions on functions.id = loops.function group by name")}
                for name, pair in wanted.items():
                    assert seen.get(name) == pair, \
                        f"{compiler[0]} {level} {machine} {options}: {name}: {seen.get(name)}, not {pair}"
                always = database.execute(
                    "select min_iterations, max_iterations, usual_iterations, usual_share from probe_loops "
                    "join loops on loops.id = loop join functions on functions.id = loops.function "
                    "where name = 'up'").fetchone()
                assert tuple(always) == (5, 5, 5, 1), tuple(always)
                database.close()


# Two ways through a loop, each with an addition of its own to the variable.
TWO_WAYS = {"aarch64": """
{name}: mov x9, #0
1:  tbnz x9, #0, 2f
    add x9, x9, #1
    cmp x9, x0
    b.lo 1b
    ret
2:  add x9, x9, #{step}
    cmp x9, x0
    b.lo 1b
    ret
""", "x86_64": """
{name}: xor %ecx, %ecx
1:  test $1, %cl
    jne 2f
    add $1, %rcx
    cmp %rdi, %rcx
    jb 1b
    ret
2:  add ${step}, %rcx
    cmp %rdi, %rcx
    jb 1b
    ret
"""}


def check_two_ways(machine):
    with Folder() as folder:
        path = os.path.join(folder, "ways.c")
        with open(path, "w") as file:
            for name, step in ("even", 1), ("uneven", 2):
                text = f".text\n.globl {name}\n.type {name}, %function" + TWO_WAYS[machine].format(name=name, step=step) + f".size {name}, .-{name}"
                file.write("__asm__(%s);\n" % " ".join(f'"{line}\\n"' for line in text.splitlines()))
            file.write("void even(long), uneven(long);\nint main(void) { even(1000); even(1); uneven(1001); return 0; }\n")
        program = build(folder, compilers(machine)[0], [path])
        for options in [], ["--no-clock"]:
            _, database = probe(folder, machine, program, "--loops", *options)
            seen = {row["name"]: (row["counting"], row["entries"], row["iterations"]) for row in database.execute(
                "select name, counting, entries, iterations from probe_loops join loops on loops.id = loop "
                "join functions on functions.id = loops.function")}
            assert seen["even"] == ("induction variable", 2, 1001), seen
            assert seen["uneven"][0] != "induction variable" and seen["uneven"][1:] == (1, 501), seen
            database.close()


@test
def variables_that_move_on_every_way():
    check_two_ways(MACHINE)


@test
def variables_that_move_on_every_way_on_the_other_machine():
    emulator_with_probes(OTHER)
    check_two_ways(OTHER)


@test
def calls_of_functions():
    check_functions(MACHINE)


@test
def calls_of_functions_on_the_other_machine():
    emulator_with_probes(OTHER)
    check_functions(OTHER)


def check_between(machine):
    """Values that are handed over in registers that the convention leaves to the linker stay as they are."""
    with Folder() as folder:
        program = build(folder, compilers(machine)[0], [os.path.join(SOURCES, "between.c")], "-O2")
        wanted = own_count(folder, machine, program)
        assert wanted.startswith(b"4950 "), wanted
        for options in ([], ["--loops"], ["--loops", "--no-clock"], ["--calls", "add_to|add_up"]):
            done, database = probe(folder, machine, program, *options)
            assert wanted in done.stdout, (options, done.stdout)
            database.close()


@test
def values_between_functions():
    machine = "aarch64"
    if machine != MACHINE:
        emulator_with_probes(machine)
    check_between(machine)


@test
def trip_counts_with_the_clock():
    check_loops(MACHINE)


@test
def trip_counts_without_the_clock():
    check_loops(MACHINE, "--no-clock")


@test
def trip_counts_on_the_other_machine():
    emulator_with_probes(OTHER)
    check_loops(OTHER)
    check_loops(OTHER, "--no-clock")


@uncertain
def advice_follows_the_mean():
    """Most calls are too short for the clock; the others decide whether inlining is what helps."""
    source = """
    static volatile double sink;
    __attribute__((noinline)) double work(int i)
    {
        double s = 1;
        if (i % 10 == 0)
            for (int k = 0; k < 1000; k++)
                s = s * 0.999 + 0.1;
        return s;
    }
    __attribute__((noinline)) int next(int i)
    {
        __asm__ volatile("");
        return i + 1;
    }
    int main(int count, char **words)
    {
        double all = (double)count + words[0][0];
        for (int i = 0; i < 1000000; i++)
            all += words[1][0] == 'w' ? work(i) : next(i);
        sink = all;
        return 0;
    }
    """
    with Folder() as folder:
        path = os.path.join(folder, "mean.c")
        with open(path, "w") as out:
            out.write(source)
        program = build(folder, compilers(MACHINE)[0], [path], "-g", "-O2")
        kept = os.path.join(folder, "mean.db")
        for name in "work", "next":
            done = assay("probe", name, "--force", "-o", kept, "--", program, name)
            said = " ".join(done.stderr.decode().split())
            mean, reading = sqlite3.connect(kept).execute(
                "select f.mean_ns, r.reading_ns from probe_functions f join probe_runs r on r.id = f.run").fetchone()
            # On a busy machine, interruptions make the mean of short calls long, too.
            assert ("let the compiler inline it" in said) == (mean < max(10, 2 * reading)), (mean, said)
            assert mean < 2 * reading or f", less than {reading:.3g} ns each" not in said, (mean, said)
            if name == "work":
                assert re.search("the slow ones .(9|10|11) % of the calls. take 9[0-9.]+ % of its time", said), said


@test
def programs_of_a_static_emulator():
    """Debian 13's emulators are static: this one hands on to whichever there is, and is not what gets the probes."""
    words = emulator_with_probes(OTHER)
    with Folder() as folder:
        source = os.path.join(folder, "hands_on.c")
        with open(source, "w") as file:
            file.write(f'#include <unistd.h>\nint main(int n, char **words) {{ return n && execv("{words[0]}", words); }}\n')
        static = build(folder, compilers(MACHINE)[0], [source], "-static", output=f"qemu-{OTHER}")
        program = build(folder, compilers(OTHER)[0], [os.path.join(SOURCES, "functions.c")], "-g", "-fno-inline", "-O1")
        wanted = counted(own_count(folder, OTHER, program), 1)
        done, database = probe(folder, OTHER, program, before=[static, *words[1:]])
        assert counted(done.stdout, 1).items() >= wanted.items(), done.stdout
        seen = dict(database.execute("select name, calls from probe_functions join functions on functions.id = function"))
        for name, (calls,) in wanted.items():
            assert seen.get(name, 0) == calls, (name, seen, calls)
        database.close()


run()
