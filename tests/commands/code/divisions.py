#!/usr/bin/env python3
"""Divisions and square roots, whose time depends on the operands: what machine files have for easy and for hard ones and where it
comes from, and which of them programs and batches of blocks are taken to have."""
import json, os, re

from harness import ROOT, Folder, assay, command, cross, need, run, test, text

QUOTIENTS = """
void quotients(double *restrict a, const double *restrict b, const double *restrict c, long n)
{
    for (long i = 0; i < n; i++)
        a[i] = b[i] / c[i];
}
"""
# The first figure of the paper on CQA: a reduction with a division and a square root of elements that are looked up.
REDUCTION = """
#include <math.h>
double reduction(const double *a, const double *b, const int *first, const int *second, long n)
{
    double sum = 0;
    #pragma omp parallel for reduction(+:sum)
    for (long i = 0; i < n; i++)
        sum += sqrt(a[first[i]] / b[second[i]]);
    return sum;
}
"""
REMAINDERS = """
unsigned long remainders(const unsigned long *x, unsigned long y, long n)
{
    unsigned long sum = 0;
    for (long i = 0; i < n; i++)
        sum += x[i] % y;
    return sum;
}
"""
KINDS = ("measured", "published", "assumed")


def built(folder, source, machine, *flags):
    path, output = os.path.join(folder, "code.c"), os.path.join(folder, "code.o")
    with open(path, "w") as file:
        file.write(source)
    command([need(cross("gcc", machine)), "-g", *flags, "-c", "-o", output, path])
    return output


def loops(program, machine):
    return json.loads(text("cycles", program, "--machine", machine, "--json"))


@test
def every_file_says_where_its_figures_come_from():
    """Lists for each machine how many figures are measured, published and assumed: the table of docs/machines.md."""
    listed = []
    for name in sorted(row["name"] for row in json.loads(text("machines", "--json"))):
        machine, = json.loads(text("machines", "show", name, "--json", "--form", "^none$"))
        ends = [division[end] for division in machine["divisions"] for end in ("easy", "hard")]
        assert all(end["source"] and end["latency"] > 0 and end["busy"] > 0 for end in ends), (name, ends)
        for division in machine["divisions"]:
            easy, hard = division["easy"], division["hard"]
            assert easy["busy"] <= hard["busy"] and easy["latency"] <= hard["latency"], (name, division)
        assert ends or name == "itanium2", name # which has no such instructions
        counts = [sum(end["basis"] == kind for end in ends) for kind in KINDS]
        assumed = sorted({f"{division['class']} {division['element']} {division['bits'] or 'scalar'} {end}"
                          for division in machine["divisions"] for end in ("easy", "hard")
                          if division[end]["basis"] == "assumed"})
        print(f"{name}: " + ", ".join(f"{count} {kind}" for count, kind in zip(counts, KINDS)) +
              (f" ({'; '.join(assumed)})" if assumed else ""))
        listed.append(f"| `{name}` | " + " | ".join(map(str, counts)) + " |")
    with open(os.path.join(ROOT, "docs", "machines.md")) as file:
        told = re.findall(r"^\| `[^`]+` \| \d+ \| \d+ \| \d+ \|$", file.read(), re.M)
    assert told == listed, "docs/machines.md should have:\n" + "\n".join(listed)


DIVISIONS = r"^(v?(div|sqrt)[sp][sd] |i?div |fdivr? |fsqrt |[su]divr? )"
BITS = {"xmm": 128, "ymm": 256, "zmm": 512, "2s": 64, "4s": 128, "2d": 128}
ELEMENTS = {"s": "fp32", "d": "fp64"}


def kind_of(form, vector_bits):
    """What a line has to describe for a form: class, element and bits of the vector (None: a scalar); None: no line."""
    name, operands = form.split(" ", 1)
    first = operands.split(",")[0]
    of_x86 = re.fullmatch(r"v?(div|sqrt)([sp])([sd])", name)
    if of_x86:
        what, packed, element = of_x86.groups()
        return "divide" if what == "div" else what, ELEMENTS[element], BITS[first] if packed == "p" else None
    what = "sqrt" if name == "fsqrt" else "divide"
    if name in ("div", "idiv"):
        return {"32": (what, "int32", None), "64": (what, "int64", None)}.get(first[1:])
    is_float = name.startswith("f")
    if first in ("w", "x"):
        return what, "int32" if first == "w" else "int64", None
    if first.startswith("z."):
        element = ELEMENTS.get(first[2:])
        return element and (what, element if is_float else element.replace("fp", "int"), vector_bits)
    return (what, ELEMENTS[first[-1]], BITS.get(first)) if first[-1] in ELEMENTS else None  # neither half precision nor x87


@test
def every_division_of_a_machine_has_both_figures():
    """Each form of the table that divides or takes a root, of fp32, fp64, int32 and int64, scalar and vector."""
    lacking = {}
    for name in sorted(row["name"] for row in json.loads(text("machines", "--json"))):
        machine, = json.loads(text("machines", "show", name, "--json", "--form", DIVISIONS))
        known = {(row["class"], row["element"], row["bits"]) for row in machine["divisions"] if row["easy"] and row["hard"]}
        forms = [row["form"] if isinstance(row, dict) else row for row in machine["forms"]]
        wanted = {kind_of(form, machine["core"].get("vector_bits")): form for form in forms if not re.search(r"st|^f\w+ m|\*", form)} \
            if name != "itanium2" else {}
        assert len(forms) >= 20 or name in ("knights-corner", "itanium2"), (name, forms)  # they have few, or approximate
        wanted.pop(None, None)
        if wanted.keys() - known:
            lacking[name] = sorted(wanted[kind] for kind in wanted.keys() - known)
    assert not lacking, f"machine files without easy and hard figures for forms like these: {lacking}"


@test
def programs_divide_ordinary_numbers():
    with Folder() as folder:
        program = built(folder, QUOTIENTS, "x86_64", "-O2", "-fno-tree-vectorize")
        for machine, easy, hard in (("core2-conroe", 5, 31), ("westmere", 7, 22), ("sandy-bridge", 10, 22), ("haswell", 8, 14)):
            found, = loops(program, machine)
            assert found["cycles"] == hard and found["limit"] == "divider", (machine, found)
            assert (found["easy_cycles"], found["hard_cycles"]) == (easy, hard), (machine, found)
            shown = text("cycles", program, "--machine", machine)
            assert f"{easy:.2f}-{hard:.2f} cycles by the operands" in shown, shown
        report = text("report", program, "--machine", "haswell")
        assert "8.00-14.00 by the operands" in " ".join(report.split()), report
        path = json.loads(text("report", program, "--machine", "haswell", "--json"))
        assert '"easy_cycles": 8' in json.dumps(path) and '"hard_cycles": 14' in json.dumps(path), path
        # One figure is known for all operands.
        found, = loops(program, "zen4")
        assert found["limit"] == "divider" and found["easy_cycles"] is None and found["hard_cycles"] is None, found


@test
def vectors_have_figures_of_their_own():
    with Folder() as folder:
        program = built(folder, QUOTIENTS, "x86_64", "-O3", "-mavx")
        most = max(loops(program, "sandy-bridge"), key=lambda row: row["hard_cycles"] or 0)
        assert (most["easy_cycles"], most["hard_cycles"]) == (20, 44), most


@test
def the_divider_limits_the_reduction():
    with Folder() as folder:
        for flags in (["-O2"], ["-O3"], ["-O3", "-fno-math-errno"], ["-O3", "-fopenmp"]):
            program = built(folder, REDUCTION, "x86_64", *flags)
            found = max(loops(program, "sandy-bridge"), key=lambda row: row["cycles"] or 0)
            assert found["limit"] == "divider" and found["cycles"] == 43, (flags, found)
            assert found["easy_cycles"] == 20 and found["hard_cycles"] == 43, (flags, found)
            said = " ".join(text("report", program, "--machine", "sandy-bridge").split())
            assert "An iteration takes 43.00 cycles" in said and "(divider)" in said and "20.00-43.00 by the operands" in said, said
            assert "iterations of the source loop" not in said, said  # it seemed to be unrolled 4 times with -fopenmp


@test
def a_chain_of_divisions_depends_on_them_too():
    """divsd xmm0,xmm1: latency 10 to 20 on Haswell, beside a divider that is held for 8 to 14."""
    found, = json.loads(text("cycles", "--hex", "f20f5ec1", "--machine", "haswell", "--json"))
    assert found["limit"] == "latency" and found["cycles"] == 20 and found["easy_cycles"] == 10, found


@test
def batches_have_easy_operands():
    with Folder() as folder:
        path = os.path.join(folder, "blocks.csv")
        with open(path, "w") as file:
            file.write("hex\nf20f5ec1\nf20f51c1\n") # divsd, sqrtsd: xmm0,xmm1
        rows = text("cycles", "--batch", path, "--machine", "haswell").split()
        assert [row.split(",")[1] for row in rows] == ["10.00", "10.00"], rows
        rows = text("cycles", "--batch", path, "--machine", "haswell", "--operands", "ordinary").split()
        assert [row.split(",")[1] for row in rows] == ["20.00", "20.00"], rows
        assert b"easy, ordinary or hard, not 'odd'" in assay("cycles", "--batch", path, "--operands", "odd", status=2).stderr
        assert b"--operands is for --batch" in assay("cycles", "--hex", "90", "--operands", "hard", status=2).stderr
        # Forms of this machine have the figures of hard operands: fdiv d0,d1,d2
        with open(path, "w") as file:
            file.write("hex\n2018621e\n")
        rows = text("cycles", "--batch", path, "--machine", "neoverse-v1").split()
        assert rows[0].split(",")[1] == "1.50", rows
        found, = json.loads(text("cycles", "--hex", "2018621e", "--machine", "neoverse-v1", "--json"))
        assert (found["cycles"], found["easy_cycles"], found["hard_cycles"]) == (2.5, 1.5, 2.5), found


@test
def integers_of_programs_are_small():
    with Folder() as folder:
        found, = loops(built(folder, REMAINDERS, "x86_64", "-O2"), "skylake")
        assert 20 < found["cycles"] < 30 and found["easy_cycles"] == found["cycles"], found
        assert 90 < found["hard_cycles"] < 110, found
        found, = loops(built(folder, REMAINDERS, "aarch64", "-O2"), "neoverse-v1")
        assert found["cycles"] == 7 and (found["easy_cycles"], found["hard_cycles"]) == (5, 20), found


run()
