"""Loops, switches, calls and functions of compiled programs against counts made by hand."""
import itertools, os, re
from harness import *

LEVELS = ("-O0", "-O2", "-O3")


def expectations(source):
    pattern = r"EXPECT (\S+) (\d+) (\d+) (\d+)"
    return {m[1]: (int(m[2]), int(m[3]), int(m[4])) for m in re.finditer(pattern, open(source).read())}


def counted_loops(file):
    query = """select f.name, count(l.id) as loops, coalesce(max(l.depth), 0) as deepest,
                      coalesce(sum(l.is_irreducible), 0) as irreducible
                 from functions f left join loops l on l.function = f.id group by f.id"""
    return {r["name"]: (r["loops"], r["deepest"], r["irreducible"]) for r in rows(file, query)}


def check_loops(compiler, source, level, extra=(), flags=()):
    with Folder() as folder:
        file = build(folder, compiler, [source, *extra], level, "-g", *flags)
        found, wrong = counted_loops(file), []
        for name, expected in expectations(source).items():
            if found.get(name) != expected:
                wrong.append(f"{name}: {found.get(name)}, expected {expected}")
        if wrong:
            raise Fail(f"{' '.join(compiler)} {level}: " + "; ".join(wrong))


def c_loops(machine):
    source = os.path.join(PROGRAMS, "loops.c")
    for compiler, level in itertools.product(compilers(machine), LEVELS):
        # clang has no cross linker of its own: its objects show the same
        flags = ["-c"] if compiler[0] == "clang" and machine != MACHINE else []
        check_loops(compiler, source, level, flags=flags)


@test
def hand_counted_loops_in_C_for_x86_64():
    c_loops("x86_64")


@test
def hand_counted_loops_in_C_for_AArch64():
    c_loops("aarch64")


def i386_compilers():
    """C compilers for i386, as command lines; they make objects at least."""
    found = [compiler for compiler in ([cross("gcc", "x86_64"), "-m32"], ["clang", "--target=i386-linux-gnu"])
             if need(compiler[0])]
    with Folder() as folder:
        source = os.path.join(folder, "empty.c")
        open(source, "w").write("int nothing;\n")
        found = [compiler for compiler in found if command([*compiler, "-c", "-o", source + ".o", source],
                                                           status=None).returncode == 0]
    if not found:
        raise Lacking("neither gcc nor clang makes objects for i386")
    return found


def i386_files(folder, source, levels):
    """(what, file) for each compiler and level, position independent or not: the object, and where gcc can link for
    i386 (without a library, which need not be here), what it links of it."""
    compilers, empty = i386_compilers(), os.path.join(folder, "empty.c")
    open(empty, "w").write("int nothing;\n")
    linker = compilers[0] if compilers[0][0] != "clang" else None
    if linker and command([*linker, "-shared", "-nostdlib", "-o", empty + ".so", empty], status=None).returncode:
        linker = None
    for compiler, level, (pic, *link) in itertools.product(compilers, levels, (
            ("-fPIC", "-shared"), ("-fno-pic", "-no-pie", "-static", "-Wl,-e,main"))):
        file = build(folder, compiler, [source], level, "-g", pic, "-c", "-ffreestanding", "-fno-stack-protector",
                     output="object.o")
        yield f"{' '.join(compiler)} {level} {pic} object", file
        if linker:
            yield f"{' '.join(compiler)} {level} {pic} linked", build(folder, linker, [file], "-nostdlib", *link)


@test
def hand_counted_loops_in_C_for_i386():
    source, wrong = os.path.join(PROGRAMS, "loops.c"), []
    with Folder() as folder:
        for what, file in i386_files(folder, source, LEVELS):
            found = counted_loops(file)
            wrong += [f"{what}: {name}: {found.get(name)}, expected {expected}"
                      for name, expected in expectations(source).items() if found.get(name) != expected]
    if wrong:
        raise Fail("; ".join(wrong))


def fortran_loops(machine):
    fortran, c = need(cross("gfortran", machine)), need(cross("gcc", machine))
    source = os.path.join(PROGRAMS, "loops.f90")
    with Folder() as folder:
        touch = build(folder, [c], [os.path.join(PROGRAMS, "touch.c")], "-c", "-O1", output="touch.o")
        for level in LEVELS:
            check_loops([fortran], source, level, [touch], ["-shared", "-fPIC"])


@test
def hand_counted_loops_in_Fortran_for_x86_64():
    fortran_loops("x86_64")


@test
def hand_counted_loops_in_Fortran_for_AArch64():
    fortran_loops("aarch64")


@test
def a_loop_of_an_inlined_function_is_found_by_its_name_and_line():
    source = os.path.join(PROGRAMS, "loops.c")
    line = next(i for i, l in enumerate(open(source), 1) if "INLINED LINE" in l)
    for compiler in compilers(MACHINE):
        with Folder() as folder:
            file = build(folder, compiler, [source], "-O2", "-g")
            found = rows(file, "select * from loops_by_name where function = 'calls_inlined_loop'")
            assert len(found) == 1 and found[0]["inlined_function"] == "inlined_loop", found
            assert found[0]["first_line"] <= line <= found[0]["last_line"], (line, found)


SWITCH = r"""
#define CASE(n) case n: out[n] = state; state = state * (3 + n) + 1; break;
__attribute__((noinline)) int many(int selector, int state, volatile int *out)
{
    switch (selector) {
        CASE(0) CASE(1) CASE(2) CASE(3) CASE(4) CASE(5) CASE(6) CASE(7) CASE(8) CASE(9)
        CASE(10) CASE(11) CASE(12) CASE(13) CASE(14) CASE(15) CASE(16) CASE(17) CASE(18) CASE(19)
    default: state = 1; break;
    }
    return state;
}
int main(int n, char **v) { volatile int out[20]; (void)v; return many(n, n, out); }
"""


def cases_found(file):
    return rows(file, """select count(distinct e.target) as cases from edges e
        join blocks b on b.id = e.source join functions f on f.id = b.function
        where f.name = 'many' and e.kind = 'switch'""")[0]["cases"]


def switches(machine):
    wrong = []
    with Folder() as folder:
        source = os.path.join(folder, "switch.c")
        open(source, "w").write(SWITCH)
        for compiler, level, pic in itertools.product(compilers(machine), ("-O0", "-O1", "-O2", "-O3"),
                                                      (["-fPIC"], ["-fno-pic", "-no-pie"])):
            flags = ["-c"] if compiler[0] == "clang" and machine != MACHINE else []
            if flags:
                pic = [f for f in pic if f != "-no-pie"]
            found = cases_found(build(folder, compiler, [source], level, *pic, *flags))
            if not 20 <= found <= 21:
                wrong.append(f"{compiler[0]} {level} {pic[0]}: {found} targets, expected 20 or 21")
    if wrong:
        raise Fail("; ".join(wrong))


@test
def every_case_of_a_switch_is_an_edge_on_x86_64():
    switches("x86_64")


@test
def every_case_of_a_switch_is_an_edge_on_AArch64():
    switches("aarch64")


@test
def every_case_of_a_switch_is_an_edge_on_i386():
    wrong = []
    with Folder() as folder:
        source = os.path.join(folder, "switch.c")
        open(source, "w").write(SWITCH)
        for what, file in i386_files(folder, source, ("-O0", "-O1", "-O2", "-O3")):
            found = cases_found(file)
            if not 20 <= found <= 21:
                wrong.append(f"{what}: {found} targets, expected 20 or 21")
    if wrong:
        raise Fail("; ".join(wrong))


@test
def a_block_dominates_another_exactly_when_its_interval_contains_the_others():
    """The stored tree and the intervals say the same, on a Debian program."""
    found = rows("/usr/bin/grep" if os.path.exists("/usr/bin/grep") else "/bin/grep", """
        with recursive above(block, dominator) as (
            select id, dominator from blocks where dominator is not null and function % 7 = 0
            union select above.block, b.dominator from above join blocks b on b.id = above.dominator
             where b.dominator is not null)
        select (select count(*) from above) as by_tree,
               (select count(*) from blocks a join blocks b on a.function = b.function and a.id <> b.id
                 where a.function % 7 = 0 and a.dom_enter > 0 and b.dom_enter > 0
                   and a.dom_enter <= b.dom_enter and b.dom_leave <= a.dom_leave) as by_interval,
               (select count(*) from above join blocks a on a.id = above.dominator
                  join blocks b on b.id = above.block
                 where a.dom_enter <= b.dom_enter and b.dom_leave <= a.dom_leave) as both""")[0]
    assert found["by_tree"] == found["by_interval"] == found["both"] > 100, found


@test
def calls_that_do_not_return_end_their_block():
    program = r"""
    #include <stdlib.h>
    #include <stdio.h>
    __attribute__((noinline)) static void die(const char *why) { puts(why); exit(3); }
    __attribute__((noinline)) static void give_up(const char *why) { fputs(why, stderr); die(why); }
    int main(int n, char **v) { if (n > 3) give_up(v[0]); puts(v[0]); return n; }"""
    for compiler in compilers(MACHINE):
        for level in LEVELS:
            with Folder() as folder:
                source = os.path.join(folder, "die.c")
                open(source, "w").write(program)
                file = build(folder, compiler, [source], level)
                found = {r["name"]: r["returns"] for r in rows(file, "select name, returns from functions")}
                assert found["die"] == 0 and found["give_up"] == 0 and found["main"] == 1, found
                ends = rows(file, """select count(*) as n from blocks b join functions f on f.id = b.function
                                      where b.ends = 'no return' and f.name = 'main'""")
                assert ends[0]["n"] == 1, ends


@test
def the_call_graph_counts_call_sites():
    program = "void a(void); void b(void);\n" \
              "__attribute__((noinline)) void a(void) { __asm__ volatile(\"\"); }\n" \
              "__attribute__((noinline)) void b(void) { a(); a(); __asm__ volatile(\"\"); a(); " \
              "__asm__ volatile(\"\"); }\nint main(void) { b(); return 0; }\n"
    for compiler in compilers(MACHINE):
        with Folder() as folder:
            source = os.path.join(folder, "calls.c")
            open(source, "w").write(program)
            file = build(folder, compiler, [source], "-O1")
            found = rows(file, "select caller, callee, sites from call_graph_by_name where callee in ('a', 'b')")
            pairs = {(r["caller"], r["callee"]): r["sites"] for r in found}
            assert pairs == {("b", "a"): 3, ("main", "b"): 1}, pairs


@test
def jumps_and_calls_through_slots_find_their_function():
    """The start-up code of every program calls weak functions through the global offset table."""
    for machine in ("x86_64", "aarch64"):
        need(cross("gcc", machine))
        with Folder() as folder:
            source = os.path.join(folder, "empty.c")
            open(source, "w").write("int main(void) { return 0; }\n")
            file = build(folder, [cross("gcc", machine)], [source], "-O1", "-fPIE", "-pie")
            found = {r["callee"] for r in rows(file, "select callee from call_graph_by_name")}
            assert "_ITM_registerTMCloneTable" in found, (machine, found)
            assert not rows(file, "select * from problems"), rows(file, "select * from problems")


@test
def exceptions_have_edges_to_their_landing_pads():
    need("g++")
    program = r"""
    struct guard { ~guard(); };
    void thrower(int);
    int catcher(int n) { try { guard g; thrower(n); } catch (int e) { return e; } return 0; }"""
    with Folder() as folder:
        source = os.path.join(folder, "throw.cc")
        open(source, "w").write(program)
        file = build(folder, ["g++"], [source], "-O1", "-shared", "-fPIC", output="throw.so")
        found = rows(file, "select count(*) as n from edges where kind = 'exception'")[0]["n"]
        assert found >= 1, found
        lost = rows(file, """select count(*) as n from blocks b join functions f on f.id = b.function
                              where f.name = '_Z7catcheri' and not b.is_reachable
                                and b.instruction_count > 1""")[0]["n"]
        assert lost == 0, lost


@test
def a_stripped_program_keeps_its_functions():
    strip = need("strip")
    for compiler in compilers(MACHINE):
        with Folder() as folder:
            file = build(folder, compiler, [os.path.join(PROGRAMS, "loops.c")], "-O2")
            bare = os.path.join(folder, "bare")
            command([strip, "-o", bare, file])
            query = "select address, size from functions where address is not null order by address"
            whole = {r["address"] for r in rows(file, query)}
            stripped = {r["address"] for r in rows(bare, query)}
            named = rows(file, "select address from functions where name in (select 'main' union select 'one_loop'"
                               " union select 'with_switch' union select 'never_ends')")
            assert all(r["address"] in stripped for r in named), (whole - stripped)
            loops = "select count(*) as n from loops"
            assert rows(file, loops) == rows(bare, loops)
            origins = {r["origin"] for r in rows(bare, "select distinct origin from functions")}
            assert "symbol" not in origins, origins


def many_functions(folder, machine, count, distance):
    """An object of functions that each jump into the one that many functions further on."""
    need(cross("gcc", machine))
    jump = {"x86_64": "test %edi, %edi\n je", "aarch64": "cbz w0,"}[machine]
    source = os.path.join(folder, "many.s")
    with open(source, "w") as out:
        for i in range(count):
            print(f" .type f{i}, %function\nf{i}:\n {jump} f{(i + distance) % count}\n ret\n .size f{i}, . - f{i}",
                  file=out)
    return build(folder, [cross("gcc", machine)], [source], "-c", output="many.o")


def groups(machine):
    count, distance = 40000, 17001
    with Folder() as folder:
        file = many_functions(folder, machine, count, distance)
        found = rows(file, """select cast(substr(f.name, 2) as integer) as source,
                                     cast(substr(g.name, 2) as integer) as target, e.source as block, e.target as other
                                from edges e join blocks b on b.id = e.source join blocks c on c.id = e.target
                                join functions f on f.id = b.function join functions g on g.id = c.function""")
        leaving = [(row["source"], row["target"]) for row in found if row["source"] != row["target"]]
        assert sorted(leaving) == [(i, (i + distance) % count) for i in range(count)], leaving[:5]
        assert len(found) == 2 * count, "each function also goes on to its return"
        places = [(row["block"], row["other"]) for row in found]
        assert places == sorted(places), "edges are in order of their blocks"
        size = {"x86_64": 3, "aarch64": 2}[machine]
        query = """select count(*) as n, min(instruction_count) as least, max(instruction_count) as most,
                          (select count(*) from code) as code from functions"""
        assert rows(file, query) == [{"n": count, "least": size, "most": size, "code": size * count}]


@test
def jumps_between_functions_that_are_far_apart_on_x86_64():
    """Rows are written in groups of functions; these jumps leave theirs, forwards and backwards."""
    groups("x86_64")


@test
def jumps_between_functions_that_are_far_apart_on_AArch64():
    groups("aarch64")


run()
