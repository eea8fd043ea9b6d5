#!/usr/bin/env python3
"""The case studies of docs/probes.md: the answer says the fact from which the fix follows.  bench/probe measures what the fix gains."""
# first build only: it mostly compiles and runs programs
import os
from harness import *

EXAMPLES = os.path.join(os.path.dirname(os.path.dirname(PROGRAMS)), "examples", "probes")


def place_of(source, text):
    """FILE:LINE of the only line with this text after the last #endif before it."""
    with open(os.path.join(EXAMPLES, source), encoding="utf-8") as file:
        lines = file.read().splitlines()
    return f"{source}:{max(number for number, line in enumerate(lines, 1) if text in line)}"


def answer(source, compiler, flags, text, *options, words=()):
    """The sentences of the report, on one line, and what the program itself printed, with the fix and without."""
    outputs = []
    with Folder() as folder:
        for fix in ([], [{"totalise.f90": "-DFIVE", "eis.f90": "-DKNOWN", "interference.c": "-DPADDED"}[source]]):
            program = build(folder, [need(compiler)], [os.path.join(EXAMPLES, source)], "-g", *flags, *fix,
                            *([f"-J{folder}", "-cpp"] if compiler == "gfortran" else []))
            outputs.append(command([program, *words]).stdout)
            if not fix:
                done = assay("probe", *options, "--line", place_of(source, text), "--", program, *words)
                outputs.append(done.stdout)
                report = done.stderr
    before, meanwhile, after = outputs
    assert source == "interference.c" or before == meanwhile, "the program's own output changed"
    assert source == "interference.c" or before == after, (before, after)
    return " ".join(report.decode().split("How it was measured")[0].split())


@test
def always_five_iterations_after_a_costly_set_up():
    # With -O3, x86-64's compiler makes vectors of two: two iterations and a rest.
    level = "-O2" if MACHINE == "x86_64" else "-O3"
    found = answer("totalise.f90", "gfortran", [level], "mass(mn, j) =", "--loops", words=["5", "500"])
    assert "1,000,000 entries, always 5 iterations" in found, found
    assert "peel it or give the compiler the constant" in found, found


@test
def another_number_is_not_called_five():
    found = answer("totalise.f90", "gfortran", ["-O2"], "mass(mn, j) =", "--loops", "--no-clock", words=["6", "50"])
    assert "100,000 entries, always 6 iterations" in found, found


@test
def always_a_hundred_and_ten_iterations():
    found = answer("eis.f90", "gfortran", ["-O2"], "e(i) = ets(i)", "--loops", words=["110", "2000"])
    assert "80,000 entries, always 110 iterations" in found, found
    assert "give the compiler the constant" in found, found


@test
def streams_in_the_same_sets():
    found = answer("interference.c", cross("gcc", MACHINE), ["-O2"], "uint32_t word = ", "--addresses", words=["2000"])
    assert "share 5 of the 64 sets of the cache: pad the rows" in found, found
    assert "16384 (99.2 %)" in found, found


run()
