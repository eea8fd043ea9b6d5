#!/usr/bin/env python3
"""assay probe --values, --calls, --at, --addresses and plans: what is recorded is what the program passed and touched."""
import os, re, sqlite3, struct
from collections import Counter
from harness import *

SOURCES = os.path.join(PROGRAMS, "probes")
OTHER = {"aarch64": "x86_64", "x86_64": "aarch64"}.get(MACHINE)


def probe(folder, machine, program, *options):
    """Runs a program with probes; returns the database.  The program's own output must not change."""
    database = os.path.join(folder, "run.db")
    extra = [] if machine == MACHINE else ["--object", program]
    plain = command([*emulator_with_probes(machine), program])
    done = assay("probe", *options, *extra, "--force", "-o", database, "--quiet", "--", *emulator_with_probes(machine), program)
    assert plain.stdout == done.stdout, (plain.stdout, done.stdout)
    connection = sqlite3.connect(database)
    connection.row_factory = sqlite3.Row
    return connection


def values(database, function, kind="parameter"):
    """For each name: how often which number was seen."""
    found = {}
    for row in database.execute("select v.name, q.integer, q.number, q.count, v.is_float, v.count as all_of_it "
                                "from probe_values v join functions f on f.id = v.function "
                                "join probe_frequent q on q.value = v.id where f.name = ? and v.kind = ?",
                                (function, kind)):
        found.setdefault(row["name"], Counter())[row["number"] if row["is_float"] else row["integer"]] += row["count"]
    return found


def extremes(database, function, name):
    return tuple(database.execute("select v.count, v.minimum, v.maximum from probe_values v join functions f "
                                  "on f.id = v.function where f.name = ? and v.name = ?", (function, name)).fetchone())


def counts(numbers):
    return Counter(numbers)


def check_parameters(machine):
    with Folder() as folder:
        for compiler in compilers(machine):
            for level in ("-O0", "-O1", "-O2"):
                where = f"{compiler[0]} {level} {machine}"
                program = build(folder, compiler, [f"{SOURCES}/values.c"], "-g", level)
                database = probe(folder, machine, program, "--values", "^(takes|many|makes|sums)$")
                seen = values(database, "takes")
                assert seen["n"] == counts(i % 3 - 1 for i in range(300)), (where, seen["n"])
                assert seen["small"] == counts(-(i % 2) for i in range(300)), (where, seen["small"])
                assert seen["flag"] == {200: 300}, (where, seen["flag"])
                assert seen["last"] == {-7: 300}, (where, seen["last"])
                assert seen["single"] == {-1.5: 300}, (where, seen["single"])
                assert extremes(database, "takes", "wide") == (300, 0, 2990000000000), where
                assert "wide" not in seen, (where, seen["wide"])  # 300 values: none is frequent
                assert extremes(database, "takes", "real") == (300, 0, 149.5), where
                seen = values(database, "many")
                for position, name in enumerate("abcdef", 1):
                    assert seen[name] == {position: 300}, (where, name, seen[name])
                if "i" in seen:  # some compilers copy what comes on the stack
                    assert seen["i"] == counts(i % 5 for i in range(300)), (where, seen["i"])
                seen = values(database, "makes")
                assert seen["count"] == counts(i % 4 for i in range(300)), (where, seen)
                assert seen["from"] == {-5: 300}, (where, seen)
                assert values(database, "sums") == {"times": {9: 300}}, (where, values(database, "sums"))
                left_out = dict(database.execute("select reason, count from probe_placements where way = 'none'"))
                assert left_out.get("no value", 0) >= 1 and len(left_out) == 1, (where, left_out)
                database.close()


@test
def parameters_by_debug_information():
    check_parameters(MACHINE)


@test
def parameters_on_the_other_machine():
    emulator_with_probes(OTHER)
    check_parameters(OTHER)


@test
def structures_by_address_are_no_values():
    """The debug information says that an object with a destructor lies behind an address in the frame."""
    with Folder() as folder:
        source = os.path.join(folder, "owner.cc")
        with open(source, "w") as file:
            file.write("""
#include <cstdio>
struct owner {
    long word;
    ~owner() { word = 0; }
};
extern "C" long uses(owner all, int times) { return all.word * times; }
long (*volatile call)(owner, int) = uses;
int main()
{
    long sum = 0;
    for (int i = 0; i < 300; i++)
        sum += call(owner{i}, 9);
    std::printf("%ld\\n", sum);
}
""")
        for compiler in ("g++", "clang++"):
            program = build(folder, [need(compiler)], [source], "-g", "-O0")
            database = probe(folder, MACHINE, program, "--values", "^uses$")
            assert values(database, "uses") == {"times": {9: 300}}, (compiler, values(database, "uses"))
            database.close()


def check_fortran(machine):
    fortran = need(cross("gfortran", machine))
    with Folder() as folder:
        for level in ("-O0", "-O2"):
            program = build(folder, [fortran], [f"{SOURCES}/values.f90", f"{SOURCES}/values_scales.f90"], "-g", level)
            database = probe(folder, machine, program, "--values", "scales")
            seen = values(database, "scales_")
            assert seen["n"] == {5: 20, -7: 1}, (level, seen)
            assert seen["by"] == {2.5: 20, 1.0: 1}, (level, seen)
            assert seen["extra"] == {0: 20, 3: 1}, (level, seen)  # left out: 0
            assert len(seen["x"]) == 1, (level, seen)
            database.close()


@test
def Fortran_passes_addresses_of_numbers():
    check_fortran(MACHINE)


@test
def Fortran_on_the_other_machine():
    emulator_with_probes(OTHER)
    check_fortran(OTHER)


@test
def parameters_without_debug_information():
    with Folder() as folder:
        program = build(folder, compilers(MACHINE)[0], [f"{SOURCES}/values.c"], "-g", "-O2")
        name = "function_%x" % dict(functions(program))["makes"]
        command(["strip", program])
        seen = list(values(probe(folder, MACHINE, program, "--values", name), name).values())
        expected = [counts(i % 4 for i in range(300)), counts([-5] * 300)]
        for numbers in expected:
            assert numbers in seen, seen


def functions(program):
    return [(row["name"], row["address"]) for row in json.loads(
        assay("sql", program, "select name, address from functions", "--json").stdout)]


def check_arguments(machine):
    with Folder() as folder:
        for level in ("-O0", "-O2"):
            program = build(folder, compilers(machine)[0], [f"{SOURCES}/values.c"], "-g", "-fno-builtin",
                            "-fno-optimize-sibling-calls", level)
            database = probe(folder, machine, program, "--calls", "memcpy")
            seen = values(database, "copies", "argument")
            assert seen["n"] == {16: 150, 1000: 150}, (level, seen)
            assert len(seen["dest"]) == len(seen["src"]) == 1, (level, seen)
            (calls,) = database.execute("select sum(calls) from probe_calls").fetchone()
            assert calls == 300, calls
            database.close()


@test
def arguments_of_library_functions():
    check_arguments(MACHINE)


@test
def arguments_on_the_other_machine():
    emulator_with_probes(OTHER)
    check_arguments(OTHER)


def line_of(source, text):
    with open(os.path.join(SOURCES, source)) as file:
        return next(number for number, line in enumerate(file, 1) if text in line)


def check_at(machine):
    line = line_of("values.c", "at: n, seen")
    with Folder() as folder:
        for level in ("-O0", "-O1"):
            program = build(folder, compilers(machine)[0], [f"{SOURCES}/values.c"], "-g", level)
            database = probe(folder, machine, program, "--at", f"values.c:{line}:n", "--at", f"values.c:{line}:seen")
            assert values(database, "takes", "variable")["n"] == counts(i % 3 - 1 for i in range(300)), level
            # what the call before stored
            assert extremes(database, "takes", "seen") == (300, -1, 2980000000000), level
            database.close()
        entry = dict(functions(program))["makes"]
        register = {"aarch64": "w0", "x86_64": "esi"}[machine]  # x86-64: the hidden address is in rdi
        database = probe(folder, machine, program, "--at", f"0x{entry:x}:{register}")
        assert values(database, "makes", "register")[register] == counts(i % 4 for i in range(300))


@test
def registers_and_variables_at_places():
    check_at(MACHINE)


@test
def registers_and_variables_on_the_other_machine():
    emulator_with_probes(OTHER)
    check_at(OTHER)


@test
def a_variable_of_a_loop_is_read_where_it_moves():
    """Line 4 has code before the loop, where i is 0, and code in it."""
    source = """volatile double sink;
__attribute__((noinline)) double total(const double *x, int n) {
    double s = 0;
    for (int i = 0; i < n; i++)
        s += x[i];
    return s;
}
int main(void) { static double x[50]; sink = total(x, 50); sink = total(x, 50); return 0; }
"""
    with Folder() as folder:
        path = os.path.join(folder, "moving.c")
        with open(path, "w") as out:
            out.write(source)
        program = build(folder, compilers(MACHINE)[0], [path], "-g", "-O0")
        database = probe(folder, MACHINE, program, "--at", "moving.c:4:i")
        count, least, most = extremes(database, "total", "i")
        assert count >= 100 and least == 0 and most >= 49, (count, least, most)
        assert "always" not in assay("probe", "--at", "moving.c:4:i", "--", program).stderr.decode()
        before, = database.execute("""select min(b.address + c.offset) as address from code c join blocks b on b.id = c.block
            join functions f on f.id = b.function join source_lines s on s.id = c.source_line
            where f.name = 'total' and s.line = 4 and b.loop is null""").fetchone()
        said = " ".join(assay("probe", "--at", f"0x{before:x}:i", "--", program).stderr.decode().split())
        assert "read before the loop there begins, not in its iterations" in said, said
        assert "always" not in said and "version" not in said, said
        # Over three lines: the first sets it, and is reached with what the last call left there.
        with open(path, "w") as out:
            out.write(source.replace("int i = 0; i < n;", "int i = 0;\n         i < n;\n        "))
        program = build(folder, compilers(MACHINE)[0], [path], "-g", "-O0")
        said = " ".join(assay("probe", "--at", "moving.c:4:i", "--", program).stderr.decode().split())
        assert "variable i at moving.c:4, read where its line begins, before it is set" in said and "version" not in said, said
        for line in 5, 6, 7:
            said = assay("probe", "--at", f"moving.c:{line}:i", "--", program).stderr.decode()
            assert "Nothing stands out" in said, said


def accesses(database, function):
    return [dict(row) for row in database.execute(
        "select a.*, f.name from probe_addresses a join loops l on l.id = a.loop join functions f on f.id = l.function "
        "where f.name = ?", (function,))]


def check_addresses(machine):
    with Folder() as folder:
        program = build(folder, compilers(machine)[0], [f"{SOURCES}/accesses.c"], "-g", "-O1", "-fno-inline", "-fno-tree-vectorize")
        loops = json.loads(assay("sql", program, "select l.id, f.name from loops l join functions f on f.id = l.function",
                                 "--json").stdout)
        plan = os.path.join(folder, "plan.txt")
        with open(plan, "w") as file:
            for loop in loops:
                file.write(f"addresses loop {loop['id']}  # {loop['name']}\n")
        database = probe(folder, machine, program, "--plan", plan)
        (load,) = accesses(database, "strides")
        assert (load["is_store"], load["bytes"], load["count"], load["stride"]) == (0, 8, 5000, 24), load
        assert load["maximum"] - load["minimum"] == 499 * 24 and load["alignment"] == 8, load
        assert load["line_splits"] == 0 and 180 <= load["lines"] <= 200 and load["pages"] in (3, 4), load
        (store,) = accesses(database, "stores")
        assert (store["is_store"], store["bytes"], store["count"], store["stride"]) == (1, 8, 10000, -8), store
        assert store["maximum"] - store["minimum"] == 999 * 8, store
        (load,) = accesses(database, "indexed")
        assert (load["bytes"], load["count"], load["stride"]) == (1, 10330, 3), load
        assert load["minimum"] % 4096 == 1, load


@test
def addresses_of_loads_and_stores():
    check_addresses(MACHINE)


@test
def addresses_on_the_other_machine():
    emulator_with_probes(OTHER)
    check_addresses(OTHER)


def show(program, *options, status=0):
    return assay("probe", *options, "--show-plan", "--", program, status=status)


@test
def plans_are_shown_and_read_again():
    with Folder() as folder:
        program = build(folder, compilers(MACHINE)[0], [f"{SOURCES}/values.c"], "-g", "-O2", "-Wl,--build-id")
        shown = show(program, "--values", "takes", "--calls", "printf|memcpy").stdout.decode()
        lines = shown.splitlines()
        assert "values takes" in lines and "calls printf|memcpy" in lines, shown
        (build_id,) = [line for line in lines if line.startswith("build-id ")]
        entry = dict(functions(program))["takes"]
        assert re.search(r"^# parameter 1 n in takes$", shown, re.M), shown
        assert re.search(rf"^#   0x{entry:x} before .*: value \S+; free:.*; by jump$", shown, re.M), shown
        assert re.search(rf"^#     moves 0x{entry:x} [0-9a-f]+ \S", shown, re.M), shown
        plan = os.path.join(folder, "plan.txt")
        with open(plan, "w") as file:
            file.write(shown)
        again = show(program, "--plan", plan).stdout.decode()
        assert again == shown, again
        with open(plan, "w") as file:
            file.write("# another build\nbuild-id 1234\nvalues takes\n")
        done = show(program, "--plan", plan, status=2)
        assert f"plan.txt:2: the plan is for another build of {program}: build-id 1234, and the file has " in \
            done.stderr.decode(), done.stderr


@test
def wishes_that_match_nothing():
    with Folder() as folder:
        program = build(folder, compilers(MACHINE)[0], [f"{SOURCES}/values.c"], "-g", "-O2")
        for options, status, message in [
                (["--values", "takse"], 1, "no function is called takse; did you mean takes?"),
                (["--calls", "memcopy_x"], 1, "no function is called memcopy_x"),
                (["--at", "values.c:9999:n"], 1, "no code has line values.c:9999"),
                (["--at", "values.d:20:n"], 1, "no source file is called values.d; did you mean values.c?"),
                (["--at", "0x1:x0"], 1, "0x1 is not the address of an instruction in a function"),
                (["--at", "nonsense"], 2, "at needs a place and a name, such as 0x1234:x3 or solve.f90:40:i, not nonsense"),
                (["--loops", "--loop", "999999"], 1, "no loop has number 999999")]:
            done = show(program, *options, status=status)
            assert message in done.stderr.decode(), (options, done.stderr)
        done = show(program, "--at", f"values.c:{line_of('values.c', 'at: n, seen')}:nn", status=1)
        assert "nn is neither a register nor a variable of takes; did you mean n?" in done.stderr.decode(), done.stderr


run()
