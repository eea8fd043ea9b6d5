"""How accesses of loops move, as compilers write them: the same source at several levels of optimisation, with and
without vectors, for both instruction sets.  Loops by hand are in tests/unit/code/quality_subject.c."""
import collections
import os

from harness import *

SOURCE = os.path.join(PROGRAMS, "patterns.c")
LEVELS = ["-O1", "-O2", "-O3", "-O3 -ffast-math"]
FLAGS = {"x86_64": ["", "-mavx2 -mfma"], "aarch64": ["", "-march=armv8.2-a+sve"]}
# Nothing but accesses that go on where the last iteration ended.
STREAMS = {"axpy", "saxpy", "stencil", "bytes", "length", "backwards", "all_members", "complex_scale", "row_sum"}


def accesses(path):
    """Rows of each function, without those of the stack: constants and spilled registers."""
    found = collections.defaultdict(list)
    for row in rows(path, "select f.name, a.loop, i.text, a.pattern, a.stride, a.bytes, a.is_store from access_patterns a "
                          "join instructions i on i.id = a.instruction join functions f on f.id = i.function "
                          "where not a.is_stack order by a.loop, a.instruction"):
        if row["pattern"] != "invariant":
            found[row["name"]].append(row)
    return found


def check(found, what):
    def reported(name):
        return f"{what}, {name}: " + "; ".join(f"{r['text']} {r['pattern']} {r['stride']}" for r in found[name])

    def patterns(name):
        return {row["pattern"] for row in found[name]}

    for name in STREAMS:
        assert patterns(name) == {"stride one"}, reported(name)
    for row in found["backwards"]:
        assert row["stride"] < 0, reported("backwards")
    for row in found["axpy"]:
        assert row["stride"] > 0 and row["stride"] % 8 == 0, reported("axpy")
    # With vectors, what lies between is loaded too and thrown away.
    for name in ("one_member", "strided"):
        assert all(row["stride"] % 24 == 0 and row["stride"] for row in found[name]), reported(name)
        assert all(row["pattern"] == "constant stride" or row["pattern"] == "stride one" and row["bytes"] > 8
                   for row in found[name]), reported(name)
        assert any(row["pattern"] == "constant stride" for row in found[name]) or "-O3" in what, reported(name)
    # Two loops may share their first block: then one of the paths goes to the next row.
    assert "stride one" in patterns("set_matrix"), reported("set_matrix")
    assert patterns("set_matrix") <= {"stride one", "constant stride"}, reported("set_matrix")
    assert patterns("column_sum") == {"constant stride"}, reported("column_sum")
    assert all(row["stride"] % 16000 == 0 and row["stride"] for row in found["column_sum"]), reported("column_sum")
    # A compiler may make a version for a width of one.
    assert "constant stride" in patterns("column"), reported("column")
    assert patterns("column") <= {"constant stride", "stride one"}, reported("column")
    assert any(row["stride"] == 0 for row in found["column"]), reported("column")
    assert patterns("list") == {"indirect"}, reported("list")
    for name, side in (("gather", 0), ("scatter", 1)):
        assert patterns(name) == {"indirect", "stride one"}, reported(name)
        assert all(row["is_store"] == side for row in found[name] if row["pattern"] == "indirect"), reported(name)


def check_machine(machine):
    found = compilers(machine)
    done = 0
    with Folder() as folder:
        for compiler in found:
            for level in LEVELS:
                for flags in FLAGS[machine]:
                    words = [*level.split(), *flags.split(), "-fno-builtin", "-c"]
                    try:
                        path = build(folder, compiler, [SOURCE], *words, output="patterns.o")
                    except Fail:
                        continue  # clang has no headers for the other machine everywhere
                    check(accesses(path), " ".join([*compiler, *words]))
                    done += 1
    if not done:
        raise Lacking(f"no compiler for {machine} works")


@test
def accesses_of_compiled_loops_on_x86_64():
    check_machine("x86_64")


@test
def accesses_of_compiled_loops_on_aarch64():
    check_machine("aarch64")


@test
def loops_that_are_not_optimised():
    """Counters, bases and sums are on the stack; what the loop is about moves all the same."""
    with Folder() as folder:
        for compiler in compilers(MACHINE):
            path = build(folder, compiler, [SOURCE], "-O0", "-c", output="patterns.o")
            found = accesses(path)
            for name in STREAMS:
                assert {row["pattern"] for row in found[name]} == {"stride one"}, f"{compiler[0]}: {found[name]}"
            for name, pattern in (("strided", "constant stride"), ("column", "constant stride"), ("list", "indirect")):
                assert {row["pattern"] for row in found[name]} == {pattern}, f"{compiler[0]}: {found[name]}"


run()
