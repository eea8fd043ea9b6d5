#!/usr/bin/env python3
"""Cores in order: Knights Corner's code in object files and as bytes, its pairs counted by hand; Itanium's loops by the
same command; the MACS levels of both."""
import json, os, struct

from harness import ROOT, Folder, assay, rows, run, test, text
from k1om import AXPY, GATHER, around, jump, k1om_object, once, twice

LISTING = os.path.join(ROOT, "examples", "daxpy.s")
def ask(*words):
    return json.loads(text("cycles", *words, "--json"))


@test
def pairs_counted_by_hand():
    # One thread issues every other cycle.  0: the load (U).  4: multiply and add (U), when the load is there.
    # 8: the store (U) and add (V), when that is.  10: add (U), dec (V).  12: jne (V).  The next load is due at 14, and its
    # address, which was written at 8, is ready at 11.
    row = ask("--hex", AXPY, "--isa", "k1om")[0]
    assert row["machine"] == "knights-corner" and row["mode"] == "loop", row
    assert row["cycles"] == 14 and row["limit"] == "pairing", row
    assert row["known_count"] == row["instruction_count"] == 7, row
    # Scalars that pair, and a vector that stands second and cannot.
    assert ask("--hex", "4883c001 4883c301", "--isa", "k1om")[0]["cycles"] == 2
    assert ask("--hex", "62f1780858c0 4883c301", "--isa", "k1om")[0]["cycles"] == 4
    assert ask("--hex", "62f1580858c1 62f1580858d3", "--isa", "k1om")[0]["cycles"] == 4


@test
def object_files():
    with Folder() as folder:
        path = k1om_object(folder)
        found = ask(path)
        assert [r["cycles"] for r in found] == [14.0], found
        database = os.path.join(folder, "k.db")
        assay("db", path, "-o", database)
        program = rows(database, "select isa from programs")
        assert program[0]["isa"] == "k1om", program
        names = {r["form"] for r in rows(database, "select form from encodings where is_vector = 1")}
        assert names == {"vmovaps zmm,m512", "vfmadd231pd zmm,zmm,m512", "vmovaps m512,zmm"}, names
        levels = {r["level"]: r for r in json.loads(text("bounds", path, "--json"))}
        assert levels["MAC"]["floating"] == 1 and levels["MAC"]["memory"] == 3, levels
        assert levels["MACS"]["cycles"] == 14 and levels["MACS"]["origin"] == "parts of the core", levels


def loops_of(folder, code):
    path, database = k1om_object(folder, code), os.path.join(folder, "k.db")
    assay("db", path, "-o", database)
    loops = rows(database, "select id, depth, is_innermost, path_count, back_edge_count, block_count from loops order by id")
    return path, database, loops


@test
def gathers_are_no_loops():
    """CQA, III.C.2: the real loop is the innermost one, and the gather one of its instructions."""
    with Folder() as folder:
        for lanes in (16, 8):
            for gathers, blocks in (([once(lanes)], 3), ([twice(lanes)], 4), ([twice(lanes), once(lanes)], 6)):
                path, database, loops = loops_of(folder, around(*gathers))
                assert len(loops) == 1, loops
                loop = loops[0]
                assert (loop["depth"], loop["is_innermost"], loop["path_count"], loop["back_edge_count"]) == (1, 1, 2, 1), loop
                assert loop["block_count"] == blocks, loop
                marked = rows(database, "select most_repeats from blocks where most_repeats is not null")
                assert [row["most_repeats"] for row in marked] == [lanes] * len(gathers), marked
                # On the path stands each gather once, with one jump.
                found = ask(path)
                assert len(found) == 1 and found[0]["instruction_count"] == 6 + 3 * len(gathers), found
                names = [row["text"].split()[0] for row in ask(path, "--loop", "1")[0]["instructions"]]
                assert sum(name.startswith("vgather") for name in names) == len(gathers), names
                assert sum(name.startswith("jk") for name in names) == len(gathers), names


@test
def gathers_are_repeated_for_each_line():
    with Folder() as folder:
        for lanes in (16, 8):
            path = k1om_object(folder, around(once(lanes)))
            one = ask(path)[0]
            # The mask that is left is ready 7 cycles after a gather was issued, and the next one needs it; its jump fits between.
            assert one["scattered_cycles"] - one["cycles"] == 7 * (lanes - 1), one
            # Written twice it is as quick.
            two = ask(k1om_object(folder, around(twice(lanes))))[0]
            assert (two["cycles"], two["scattered_cycles"]) == (one["cycles"], one["scattered_cycles"]), (one, two)
            told = text("cycles", path, "--loop", "1")
            range_ = f"{one['cycles']:.2f}-{one['scattered_cycles']:.2f} cycles by the lines that gathers and scatters touch"
            assert range_ in told and "one line for all lanes is assumed" in told, told
            told = " ".join(text("report", path, "--loop", "1", "--no-pager").split())
            assert f"with each lane in a line of its own an iteration takes {one['scattered_cycles']:.2f}" in told, told
        # So it is for the bounds: the second half only repeats the first.
        bounds = [{row["level"]: [row[name] for name in ("floating", "memory", "branches", "cycles")]
                   for row in json.loads(text("bounds", k1om_object(folder, around(gather(16))), "--json"))} for gather in (once, twice)]
        assert bounds[0] == bounds[1] and bounds[0]["MAC"][1] == 3, bounds
        assert "Gathers and scatters count once" in " ".join(text("bounds", k1om_object(folder, around(twice(16)))).split())
        # Two gathers: both are repeated.
        both = ask(k1om_object(folder, around(twice(16), once(8))))[0]
        assert both["scattered_cycles"] - both["cycles"] == 7 * (15 + 7), both
        assert ask(k1om_object(folder))[0]["scattered_cycles"] is None


@test
def what_is_no_gather_that_repeats_itself():
    with Folder() as folder:
        # Alone it is no loop at all.
        assert loops_of(folder, "c5f846c9" + once(16))[2] == []
        assert loops_of(folder, "c5f846c9" + twice(16))[2] == []
        # Something else in the loop, or a jump by another mask: a loop like any other.
        for other in (GATHER[16] + "48ffc0" + jump("85", -17), GATHER[16] + "c5e885" + struct.pack("<i", -14).hex()):
            loops = loops_of(folder, around(other))[2]
            assert [loop["depth"] for loop in loops] == [1, 2], loops
        # The outer loop may begin with it.
        code = once(16) + "ffc9" + "0f85" + struct.pack("<i", -(14 + 2 + 6)).hex()
        loops = loops_of(folder, code)[2]
        assert [(loop["depth"], loop["back_edge_count"]) for loop in loops] == [(1, 1)], loops


@test
def what_it_does_not_have():
    for block in ("0f58c1", "c5f858c1"):
        result = assay("cycles", "--hex", block, "--isa", "k1om", status=2)
        assert len(result.stderr.splitlines()) == 1, result.stderr
    result = assay("cycles", "--hex", AXPY, "--machine", "skylake", status=2)
    assert len(result.stderr.splitlines()) == 1, result.stderr


@test
def itanium():
    found = {r["loop"]: r for r in ask(LISTING)}
    assert [found[n]["cycles"] for n in (1, 2)] == [12, 11], found
    assert {r["limit"] for r in found.values()} == {"pairing"}, found
    assert all(r["known_count"] == r["instruction_count"] for r in found.values()), found
    assert "12.00 cycles per iteration, limited by pairing" in text("cycles", LISTING, "--loop", "1")


run()
