#!/usr/bin/env python3
"""Machines without an extension, NAME+noEXTENSION: what they cannot run is refused, vectors and peaks are shorter, advice
names options that work on them, and every command says which machine it is."""
import json, os, re, sys

from harness import ROOT, Folder, Skip, assay, command, cross, need, rows, run, test, text

sys.path.append(os.path.join(ROOT, "tools"))
from machine_forms import read_all_forms

SOURCE = """
void scale(double *restrict a, const double *restrict b, long n) { for (long i = 0; i < n; i++) a[i] = b[i] * 2 + 1; }
"""
FIGURES = ("select m.vector_efficiency efficiency, m.peak_flop_per_cycle flops, m.peak_loaded_bytes_per_cycle bytes, "
           "m.cycles_vectorised vectorised, c.cycles from loop_metrics m join loop_cycles c on c.loop = m.loop")


def compiled(folder, machine, *flags):
    compiler = cross("gcc", machine)
    need(compiler)
    source, file = os.path.join(folder, "loop.c"), os.path.join(folder, "loop.o")
    with open(source, "w") as out:
        out.write(SOURCE)
    command([compiler, "-c", "-O3", "-g", *flags, "-o", file, source])
    return file


def figures(file, machine):
    found = rows(file, FIGURES, "--machine", machine)
    assert len(found) == 1, found
    return {name: float(value) if value not in (None, "") else None for name, value in found[0].items()}


def advice(file, machine):
    """Texts of advice, and of the remedies that are about the target."""
    reported = [r["text"] for r in rows(file, "select text from advice", "--machine", machine)]
    remedies = [r["text"] for r in rows(file, "select text from remedies where option = '-march'", "--machine", machine)]
    return " ".join(reported), remedies


@test
def vectors_of_x86_are_shorter_without_avx512():
    with Folder() as folder:
        file = compiled(folder, "x86_64")
        whole, less, least = (figures(file, f"skylake-x{without}") for without in ("", "+noavx512", "+noavx"))
        assert (whole["efficiency"], less["efficiency"], least["efficiency"]) == (0.25, 0.5, 1), (whole, less, least)
        assert (whole["flops"], less["flops"], least["flops"]) == (32, 16, 4), (whole, less, least)
        assert (whole["bytes"], less["bytes"], least["bytes"]) == (128, 64, 32), (whole, less, least)
        assert whole["vectorised"] <= less["vectorised"] < least["vectorised"] == least["cycles"], (whole, less, least)
        assert figures(file, "skylake-x+nofma")["flops"] == 8
        for machine, bits, option in (("skylake-x", 512, "For skylake-x: -march=skylake-avx512."),
                                      ("skylake-x+noavx512", 256,
                                       "For skylake-x without AVX-512: -march=skylake-avx512 -mno-avx512f.")):
            reported, remedies = advice(file, machine)
            assert f"128-bit vectors; this processor has {bits}-bit vectors" in reported, (machine, reported)
            assert remedies and all(r.endswith(option) for r in remedies), (machine, remedies)


@test
def vectors_of_arm_are_shorter_without_sve():
    with Folder() as folder:
        file = compiled(folder, "aarch64")
        whole, less = figures(file, "neoverse-v1"), figures(file, "neoverse-v1+nosve")
        assert (whole["efficiency"], less["efficiency"]) == (0.5, 1), (whole, less)
        assert (whole["bytes"], less["bytes"]) == (64, 48), (whole, less)
        scalar = compiled(folder, "aarch64", "-fno-tree-vectorize")
        for machine, lanes, option in (("neoverse-v1", 4, "For neoverse-v1: -mcpu=neoverse-v1."), ("neoverse-v1+nosve", 2, None)):
            reported, remedies = advice(scalar, machine)
            assert f"a vector of this processor holds {lanes} double-precision numbers" in reported, (machine, reported)
            # Without SVE this processor has no longer vectors than all others: naming it brings none.
            assert bool(remedies) == bool(option) and all(r.endswith(option) for r in remedies), (machine, remedies)


@test
def what_the_machine_cannot_run_is_refused():
    for machine, target, name, lacks, instruction in (
            ("aarch64", ["-march=armv8.2-a+sve"], "neoverse-v1", "sve", r"ld1d .*"),
            ("x86_64", ["-march=skylake-avx512", "-mprefer-vector-width=512"], "skylake-x", "avx512", r"v\w+ .*zmm.*"),
            ("x86_64", ["-march=haswell"], "haswell", "fma", r"vfmadd.*"),
            ("x86_64", ["-march=haswell"], "haswell", "avx", r"v\w+ .*")):
        title = {"sve": "SVE", "avx512": "AVX-512", "fma": "FMA", "avx": "AVX"}[lacks]
        with Folder() as folder:
            file = compiled(folder, machine, *target)
            assay("cycles", file, "--machine", name)
            result = assay("cycles", file, "--machine", f"{name}+no{lacks}", status=2)
            reported = result.stderr.decode()
            assert re.search(rf"{name}\+no{lacks} does not have the instruction {instruction}: it lacks {title}", reported), reported
            shown = text("report", file, "--machine", f"{name}+no{lacks}", "--level", "expert")
            assert f"it lacks {title}" in re.sub(r"\s+", " ", shown), shown


@test
def every_command_says_which_machine_it_is():
    with Folder() as folder:
        file = compiled(folder, "x86_64")
        words, name = "skylake-x without AVX-512 (Intel Skylake-X)", "skylake-x+noavx512"
        assert f"machine: {words}\n" in text("cycles", file, "--machine", name)
        assert words in re.sub(r"\s+", " ", text("report", file, "--machine", name))
        assert f"machine: {words}\n" in text("bounds", file, "--machine", name)
        assert json.loads(text("report", file, "--machine", name, "--json"))["machines"][0]["name"] == name
        page = text("report", file, "--machine", name, "--html")
        assert words in page
        database = os.path.join(folder, "x.db")
        said = assay("db", file, "--report", "--machine", name, "-o", database)
        assert name in said.stdout.decode() + said.stderr.decode(), said
        assert [r["name"] for r in rows(database, "select name from processors")] == [name]
        shown = text("report", database, "--machine", name)
        assert shown.replace(database, file) == text("report", file, "--machine", name), shown


@test
def a_restricted_machine_is_shown():
    shown = text("machines", "show", "neoverse-v1+nosve")
    assert shown.startswith("neoverse-v1+nosve: Arm Neoverse V1 without SVE, aarch64"), shown[:200]
    assert re.search(r"^ *128  bits of the longest vector$", shown, re.M), shown[:2000]
    assert re.search(r"^fmla z\.d,p/m,z\.d,z\.d .*missing$", shown, re.M) and re.search(r"^fmla 2d,2d,2d +1 ", shown, re.M)
    file = text("machines", "show", "skylake-x+noavx512", "--as-file")
    assert "\nwithout avx512\n" in file and "\nvector-bits 256\n" in file
    with Folder() as folder:
        with open(os.path.join(folder, "mine"), "w") as out:
            out.write(file.replace("name skylake-x\n", "name mine\n"))
        forms = read_all_forms(os.path.join(folder, "mine"))
        assert forms["vaddpd zmm,zmm,zmm"] == "missing" != forms["vaddpd ymm,ymm,ymm"]
        env = dict(os.environ, ASSAY_MACHINES=folder)
        assert text("machines", "show", "mine", "--as-file", env=env) == file.replace("name skylake-x\n", "name mine\n")
        assert json.loads(text("machines", "show", "mine", "--json", env=env))[0]["name"] == "mine+noavx512"


@test
def restrictions_that_make_no_sense_are_refused():
    for name, says in (("skylake+nosve", "possible: skylake+noavx, skylake+noavx2, skylake+nofma"),
                       ("skylake+noavx512", "possible: skylake+noavx, "), ("neoverse-v1+nofoo", "possible: neoverse-v1+nosve"),
                       ("neoverse-n1+nosve", "no extension"), ("skylke+noavx", "did you mean skylake")):
        for words in (("machines", "show", name), ("cycles", "--hex", "90", "--machine", name)):
            result = assay(*words, status=2)
            reported = result.stderr.decode()
            assert says in reported and reported.count("\n") == 1 and not result.stdout, (words, reported)


@test
def this_computer_has_what_its_kernel_reports():
    """Where the processor is known: its machine is without exactly what the kernel does not report."""
    listed = text("machines").splitlines()[-1]
    if "is not in the list" in listed:
        raise Skip("no machine file has this computer's processor")
    with open("/proc/cpuinfo") as file:
        flags = set(re.search(r"^(?:Features|flags)\s*: (.*)$", file.read(), re.M).group(1).split())
    name = re.search(r"this computer: (\S+) ", listed).group(1)
    base = name.split("+")[0]
    core = json.loads(text("machines", "show", name, "--json"))[0]
    assert core["is_host"], core["name"]
    possible = {"sve": "sve", "avx512": "avx512f", "avx2": "avx2", "avx": "avx", "fma": "fma"}
    for word, flag in possible.items():
        result = assay("machines", "show", f"{base}+no{word}", "--form", "^$", status=None)
        if result.returncode == 0 and flag not in flags:
            assert "+no" in name, (name, word)
            lacking = assay("machines", "show", f"{name}+no{word}", status=None)
            assert lacking.returncode == 0, (name, word)
        if flag in flags:
            assert f"+no{word}" not in name, (name, word)
    code = {"x86-64": "90", "aarch64": "1f2003d5"}[core["isa"]]
    said = assay("cycles", "--hex", code, "--isa", core["isa"]).stdout.decode()
    assert "this computer's" in said and ("reports no" in said) == ("+no" in name), said


run()
