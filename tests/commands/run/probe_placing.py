"""assay probe on files that are hard to put probes into; what is wanted is that every probe has its place."""
import os, sqlite3
from harness import *


def write(path, text):
    with open(path, "w") as file:
        file.write(text)
    return path


def placements(database):
    """How many probes of which file were placed how, by name of the file."""
    connection = sqlite3.connect(database)
    found = {}
    for path, way, reason, count in connection.execute(
            "select path, way, reason, count from probe_placements join programs on programs.id = program"):
        found.setdefault(os.path.basename(path), {})[f"{way} {reason}"] = count
    connection.close()
    return found


@test
def many_libraries_have_room_for_their_trampolines():
    # Each needs more memory than the small gaps between libraries have.
    count, functions = 6, 1500
    with Folder() as folder:
        libraries = []
        for number in range(count):
            names = [f"f{number}_{i}" for i in range(functions)]
            source = write(os.path.join(folder, f"l{number}.s"), "\n".join(
                [".text", *(f".globl {name}\n.type {name}, %function\n.p2align 4\n{name}: ret\n.size {name}, .-{name}"
                            for name in names), '.section .note.GNU-stack,"",%progbits', ""]))
            libraries.append(build(folder, [need("gcc")], [source], "-shared", output=f"libl{number}.so"))
        program = build(folder, [need("gcc")], [write(os.path.join(folder, "main.c"), "".join(
            f"void f{number}_7(void);\n" for number in range(count)) + "int main(void)\n{\n" + "".join(
                f"    f{number}_7();\n" for number in range(count)) + "}\n"), *libraries], "-O1", f"-Wl,-rpath,{folder}")
        database = os.path.join(folder, "run.db")
        objects = [word for library in libraries for word in ("--object", library)]
        assay("probe", *objects, "-o", database, "--quiet", "--", program)
        found = placements(database)
        for library in libraries:
            ways = found[os.path.basename(library)]
            assert ways["jump none"] >= functions and not any(way.startswith("none") for way in ways), ways
        called = rows(database, "select name, calls from probe_functions join functions on functions.id = function "
                                "where name glob 'f[0-9]_7'")
        assert [row["calls"] for row in called] == [1] * count, called


TWO_ENTRIES = """
#include <stdio.h>
static volatile unsigned long entries, upper, lower;
__attribute__((noinline)) void middle(unsigned n, int where)
{
    entries++;
    if (where)
        goto inside;
outside:
    upper++;
    if (n == 9)
        return;
inside:
    lower++;
    if (n-- > 1)
        goto outside;
}
int main(void)
{
    for (unsigned i = 1; i < 40; i++)
        middle(i, i % 3 == 0);
    printf("%lu %lu %lu\\n", entries, upper, lower);
}
"""


@test
def loops_with_two_entries():
    with Folder() as folder:
        source = write(os.path.join(folder, "two.c"), TWO_ENTRIES)
        for compiler in compilers(MACHINE):
            program = build(folder, compiler, [source], "-O1", "-fno-inline")
            entries, *passes = map(int, command([program]).stdout.split())
            for options in ([], ["--no-clock"]):
                database = os.path.join(folder, "run.db")
                assay("probe", "--loops", "--force", *options, "-o", database, "--quiet", "--", program)
                (loop,) = rows(database, "select entries, iterations, is_irreducible from probe_loops "
                                         "join loops on loops.id = loop "
                                         "join functions on functions.id = loops.function where name = 'middle'")
                assert loop["is_irreducible"] and loop["entries"] == entries and loop["iterations"] in passes, \
                    (compiler, options, loop, entries, passes)


COMMON_EXIT = """
#include <stdio.h>
static volatile unsigned long entries, turns;
static volatile int sink;
__attribute__((noinline)) int search(int kind, int n, int wanted)
{
    int i = 0;
    if (kind == 0)
        return sink;
    entries++;
    if (kind & 1) {
        do {
            turns++;
            if (i == wanted)
                goto found;
        } while (++i < n);
        sink = 1;
    } else {
        do {
            turns++;
            if (i == wanted)
                goto found;
            i += 2;
        } while (i < n);
        sink = 2;
    }
    return -1;
found:
    sink = i;
    return i * 3;
}
int main(void)
{
    for (int i = 0; i < 60; i++)
        search(i % 5, i % 13 + 1, i % 7);
    printf("%lu %lu\\n", entries, turns);
}
"""


@test
def loops_that_are_left_to_the_same_place():
    with Folder() as folder:
        source = write(os.path.join(folder, "common.c"), COMMON_EXIT)
        for compiler in compilers(MACHINE):
            for level in ("-O1", "-O2", "-Os"):
                program = build(folder, compiler, [source], level)
                wanted = tuple(map(int, command([program]).stdout.split()))
                for options in ([], ["--no-clock"]):
                    database = os.path.join(folder, "run.db")
                    assay("probe", "--loops", "search", "--force", *options, "-o", database, "--quiet", "--", program)
                    (seen,) = rows(database, "select sum(entries) as entries, sum(iterations) as iterations, "
                                             "sum(abandoned) as abandoned from probe_loops")
                    assert tuple(seen.values()) == (*wanted, 0), (compiler, level, options, seen, wanted)


run()
