#!/usr/bin/env python3
"""Cores in order: Knights Corner's code in object files and as bytes, its pairs counted by hand; Itanium's loops by the
same command; the MACS levels of both."""
import json, os, struct

from harness import ROOT, Folder, assay, cross, need, rows, run, test, text

LISTING = os.path.join(ROOT, "examples", "daxpy.s")
# y += a * x, one vector a time: load, multiply and add, store, two pointers, a counter.
AXPY = ("62f178082806"      # vmovaps zmm0, [rsi]
        "62f2f108b807"      # vfmadd231pd zmm0, zmm1, [rdi]
        "62f178082906"      # vmovaps [rsi], zmm0
        "4883c640"          # add rsi, 64
        "4883c740"          # add rdi, 64
        "ffc9"              # dec ecx
        "75e2")             # jne to the start
EM_K1OM = 181


def ask(*words):
    return json.loads(text("cycles", *words, "--json"))


def k1om_object(folder):
    """The assembler knows no vectors of Knights Corner: bytes, and another machine number."""
    tool = cross("as", "x86_64")
    need(tool)
    source, path = os.path.join(folder, "k.s"), os.path.join(folder, "k.o")
    data = bytes.fromhex(AXPY)
    with open(source, "w") as file:
        file.write(".globl axpy\n.type axpy, @function\naxpy:\n.byte " + ",".join(map(str, data)) +
                   "\nret\n.size axpy, .-axpy\n")
    if os.system(f"{tool} --64 {source} -o {path}"):
        raise AssertionError("the assembler failed")
    with open(path, "r+b") as file:
        file.seek(18)
        file.write(struct.pack("<H", EM_K1OM))
    return path


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


@test
def what_it_does_not_have():
    for block in ("0f58c1", "c5f858c1"):
        result = assay("cycles", "--hex", block, "--isa", "k1om", status=2)
        assert len(result.stderr.splitlines()) == 1, result.stderr
    result = assay("cycles", "--hex", AXPY, "--machine", "skylake", status=2)
    assert len(result.stderr.splitlines()) == 1, result.stderr
    with Folder() as folder:
        listing = os.path.join(folder, "k.s")
        with open(listing, "w") as file:
            file.write("f:\n\tadd %rax, %rbx\n\tret\n")
        result = assay("bounds", listing, "--isa", "k1om", status=2)
        assert b"no assembler for Knights Corner" in result.stderr, result.stderr


@test
def itanium():
    found = {r["loop"]: r for r in ask(LISTING)}
    assert [found[n]["cycles"] for n in (1, 2)] == [12, 11], found
    assert {r["limit"] for r in found.values()} == {"pairing"}, found
    assert all(r["known_count"] == r["instruction_count"] for r in found.values()), found
    assert "12.00 cycles per iteration, limited by pairing" in text("cycles", LISTING, "--loop", "1")


run()
