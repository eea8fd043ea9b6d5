#!/usr/bin/env python3
"""Every machine file is whole, and knows the instructions that real code is made of.

Two kinds of code: the blocks of bench/bhive and libraries of Debian.  Each is reduced to one instruction of each
form, with the number of times that it occurs, and `assay cycles --batch --json` says of each whether a machine has
a figure for it (known), assumes one, or lacks the instruction.  Of those that the processor has, 97 % must be known.
What is reported missing must be missing: given the processor's extensions the assembler refuses it, else it accepts it."""
# first build only: it asks for thousands of forms by the way that the tests of cycles take
import csv, functools, glob, io, json, os, re, shutil, sys

from harness import MACHINE, ROOT, Folder, Lacking, assay, command, cross, need, rows, run, test, text

sys.path.append(os.path.join(ROOT, "tools"))
from machine_forms import read_all_forms

LISTING = os.path.join(ROOT, "examples", "daxpy.s")
LEAST = 0.97
# One row for each form: the bytes of an instruction of it, its text, and how many there are.
FORMS = ("select e.form form, min(g.id) first, i.text text, hex(i.bytes) bytes, sum(g.n) n from (select encoding, "
         "min(id) id, count(*) n from code group by encoding) g join encodings e on e.id = g.encoding join "
         "instructions i on i.id = g.id where not e.is_unknown group by e.form")
# The extensions of the processors, for the assembler.
NEHALEM = "corei7"
WESTMERE = NEHALEM + "+aes+pclmul"
SANDY_BRIDGE = WESTMERE + "+avx+xsave+xsaveopt"
IVY_BRIDGE = SANDY_BRIDGE + "+f16c+fsgsbase+rdrnd"
HASWELL = IVY_BRIDGE + "+avx2+fma+bmi+bmi2+lzcnt+movbe+rtm+invpcid"
BROADWELL = HASWELL + "+adx+rdseed+prfchw+smap"
SKYLAKE = BROADWELL + "+clflushopt+xsavec+xsaves"
SKYLAKE_X = SKYLAKE + "+avx512f+avx512cd+avx512bw+avx512dq+avx512vl+clwb"
CASCADE_LAKE = SKYLAKE_X + "+avx512_vnni"
ICE_LAKE = (CASCADE_LAKE + "+sha+gfni+vaes+vpclmulqdq+rdpid+avx512ifma+avx512vbmi+avx512_vbmi2+avx512_bitalg"
            "+avx512_vpopcntdq")
ALDER_LAKE = ICE_LAKE + "+avx_vnni+avx512_bf16+avx512_fp16+movdiri+movdir64b+serialize+waitpkg"
EXTENSIONS = {
    "core2-conroe": "core2", "core2-wolfdale": "core2+sse4.1", "nehalem": NEHALEM, "westmere": WESTMERE,
    "sandy-bridge": SANDY_BRIDGE, "ivy-bridge": IVY_BRIDGE, "haswell": HASWELL, "broadwell": BROADWELL,
    "skylake": SKYLAKE, "skylake-x": SKYLAKE_X, "cascade-lake": CASCADE_LAKE, "ice-lake": ICE_LAKE,
    "tiger-lake": ICE_LAKE + "+avx512_vp2intersect", "rocket-lake": ICE_LAKE, "alder-lake-p": ALDER_LAKE,
    "sapphire-rapids": ALDER_LAKE, "granite-rapids": ALDER_LAKE, "zen": "znver1", "zen-plus": "znver1", "zen2": "znver2", "zen3": "znver3",
    "zen4": "znver4",
    "neoverse-n1": "armv8.2-a+crypto+fp16+rcpc+dotprod+profile", "a64fx": "armv8.2-a+sve+fp16",
    "neoverse-v1": "armv8.4-a+crypto+sve+bf16+i8mm+fp16+rng+profile", "neoverse-n2": "armv8.5-a+sve2+bf16+i8mm+memtag",
    "neoverse-v2": "armv9-a+sve2+bf16+i8mm+memtag",
}
# Facts without which parts of a core would set no bound.
NEEDED = {
    "x86-64": ["width", "issue", "retire", "reorder_buffer", "decoders", "complex_uops", "load_ports", "store_ports",
               "address_ports", "load_bytes", "store_bytes", "vector_bits", "vector_registers"],
    "aarch64": ["width", "issue", "reorder_buffer", "load_ports", "store_ports", "load_bytes", "store_bytes",
                "vector_bits", "clock"],
    "k1om": ["width", "is_in_order", "issue_every", "address_wait", "vector_bits", "vector_registers"],
    "ia64": ["width", "bundles"],
}
# What every out-of-order core of Intel has, from Core 2 on; and from Sandy Bridge on.
INTEL = ["predecode_bytes", "predecode_width", "length_change", "scheduler", "forward_vector"]
INTEL_CACHED = ["cache_width", "cache_block", "cache_lines", "cache_line_uops", "decode_queue", "microcode_switch"]


@functools.lru_cache(None)
def machines():
    return json.loads(text("machines", "--json"))


def of_isa(isa):
    found = [r["name"] for r in machines() if r["isa"] == isa]
    assert found, isa
    return found


def forms_of(path):
    found = rows(path, FORMS)
    assert len(found) > 100, (path, len(found))
    return found


@functools.lru_cache(None)
def blocks():
    """The instructions of BHive's blocks: one object file with the bytes of all."""
    tool = cross("as", "x86_64")
    need(tool)
    lines = [".globl all", ".type all, @function", "all:"]
    for path in sorted(glob.glob(os.path.join(ROOT, "bench", "bhive", "*.csv"))):
        with open(path, newline="") as file:
            for row in csv.DictReader(file):
                lines.append(".byte " + ",".join(str(byte) for byte in bytes.fromhex(row["hex"])))
    assert len(lines) > 9000, len(lines)
    with Folder() as folder:
        path = os.path.join(folder, "blocks.o")
        command([tool, "-o", path], stdin=("\n".join(lines) + "\nret\n.size all, .-all\n").encode())
        return forms_of(path)


@functools.lru_cache(None)
def libraries(machine):
    folders = [f"/lib/{machine}-linux-gnu", f"/usr/{machine}-linux-gnu/lib"]
    if machine != MACHINE:
        folders.reverse()
    found = {}
    for folder in folders:
        for name in ("libc.so.6", "libm.so.6", "libstdc++.so.6"):
            path = os.path.join(folder, name)
            if name not in found and os.path.exists(path):
                found[name] = forms_of(path)
    if not found:
        raise Lacking(f"there are no libraries of {machine} here")
    return found


def answers(machine, forms):
    found = json.loads(assay("cycles", "--batch", "-", "--machine", machine, "--json", "--quiet", status=None,
                             stdin="\n".join(f["bytes"] for f in forms).encode()).stdout)
    assert len(found) == len(forms), (machine, len(found), len(forms))
    return found


def accepted(isa, options, texts):
    """Which of these instructions the assembler takes."""
    tool = cross("as", {"x86-64": "x86_64"}.get(isa, isa))
    need(tool)
    start = ".intel_syntax noprefix\n" if isa == "x86-64" else ".text\n"
    with Folder() as folder:
        done = command([tool, *options, "-o", os.path.join(folder, "o"), "-"], status=None,
                       stdin=(start + "\n".join(texts) + "\n").encode())
    refused = {int(n) - 2 for n in re.findall(r"^[^:]*:(\d+): Error: ", done.stderr.decode(), re.M)}
    assert refused or not done.returncode, done.stderr
    return [i not in refused for i in range(len(texts))]


def covered(machine, isa, forms, what):
    """Fails unless enough of what the processor has is known, and what is lacking truly is."""
    lacking, assumed, total = [], [], sum(f["n"] for f in forms)
    for form, answer in zip(forms, answers(machine, forms)):
        if answer["cycles"] is None:
            lacking.append(form)
        elif not answer["known_count"]:
            assumed.append(form)
    texts = [f["text"] for f in lacking]
    everything = [] if isa == "x86-64" else ["-march=all"]
    for form, alone, anywhere in zip(lacking, accepted(isa, ["-march=" + EXTENSIONS[machine]], texts),
                                     accepted(isa, everything, texts)):
        assert anywhere and not alone, f"{machine} lacks {form['text']} ({form['form']}), says Assay"
    has = total - sum(f["n"] for f in lacking)
    known = has - sum(f["n"] for f in assumed)
    assert has > total / 2 and known >= LEAST * has, (
        f"{machine} knows {100 * known / has:.2f} % of what it has of {what}: "
        + ", ".join(f["form"] for f in sorted(assumed, key=lambda f: -f["n"])[:10]))


@test
def every_file_is_a_machine():
    files = {name for name in os.listdir(os.path.join(ROOT, "data", "machines")) if not name.startswith(".")}
    found = {r["name"]: r for r in machines()}
    assert files <= set(found) and len(files) >= 27, files - set(found)
    for name in sorted(files):
        assert found[name]["problem"] is None and found[name]["figures"] and found[name]["title"], found[name]
    wanted = set(EXTENSIONS) | {"knights-corner", "itanium2"}
    assert wanted == files, wanted ^ files


@test
def every_machine_has_what_cycles_needs():
    for row in machines():
        shown = json.loads(text("machines", "show", row["name"], "--json"))[0]
        core, needed = shown["core"], list(NEEDED[row["isa"]])
        if row["title"].startswith("Intel") and row["isa"] == "x86-64":
            needed += INTEL
            if row["name"] not in ("core2-conroe", "core2-wolfdale", "nehalem", "westmere"):
                needed += INTEL_CACHED
        assert not [fact for fact in needed if not core[fact]], (row["name"], [f for f in needed if not core[f]])
        assert shown["ports"], row["name"]
        if row["isa"] == "ia64":
            continue
        assert len(shown["forms"]) >= (300 if row["isa"] == "k1om" else 2000), (row["name"], len(shown["forms"]))
        # The program and the tools read the same forms from the file; ports are the machine's own.
        reported = {form["form"] for form in shown["forms"]}
        assert reported == set(read_all_forms(os.path.join(ROOT, "data", "machines", row["name"]))), row["name"]
        ports = set("".join(shown["ports"]))
        for form in shown["forms"]:
            executed = 0
            for part in (form["ports"] or "").split("+"):
                letters, times = part.split("*")[-1], part.split("*")[0] if "*" in part else "1"
                assert letters in ("", "none", "missing") or set(letters[1:]) <= ports, (row["name"], form)
                executed += float(times)
            # No instruction is executed many times over.
            assert executed <= 10 * (form["uops"] or 1) + 20 or form["uops"] == 65534, (row["name"], form)


@test
def blocks_of_bhive_are_known_on_every_x86_machine():
    for name in of_isa("x86-64"):
        covered(name, "x86-64", blocks(), "BHive's blocks")


@test
def libraries_are_known_on_every_x86_machine():
    for name in of_isa("x86-64"):
        for library, forms in libraries("x86_64").items():
            covered(name, "x86-64", forms, library)


@test
def libraries_are_known_on_every_AArch64_machine():
    for name in of_isa("aarch64"):
        for library, forms in libraries("aarch64").items():
            covered(name, "aarch64", forms, library)


@test
def what_Knights_Corner_has_of_them_is_known():
    """It has the scalar instructions of x86-64 and no vectors but its own.  libm is full of x87, of which its sources
    say little."""
    for what, forms in (("BHive's blocks", blocks()), ("libc", libraries("x86_64")["libc.so.6"])):
        has = known = 0
        for form, answer in zip(forms, answers("knights-corner", forms)):
            lacks = answer["cycles"] is None
            # Conditional moves, prefetches and comparisons of x87 into flags: not in its reference manual.
            is_other = re.search(r"\b([xyz]mm|mm)\b", form["form"]) or re.match(
                r"cmov|fcmov|fu?comip? |prefetch|pause|rdtscp|(lock )?cmpxchg16b", form["form"])
            # Operations on masks of 16 bits are encoded as in AVX-512.
            is_other = is_other or re.search(r"\bk\b", form["form"]) and not re.match(r"k(andn?|mov|not|or|ortest|xn?or)w ", form["form"])
            assert lacks or not is_other, (form, answer)
            has += 0 if lacks else form["n"]
            known += form["n"] if not lacks and answer["known_count"] else 0
        assert known >= LEAST * has > 0, (what, known, has)


@test
def what_Itanium_has_of_a_listing_is_known():
    for row in csv.DictReader(io.StringIO(text("cycles", LISTING, "--csv"))):
        assert row["machine"] == "itanium2" and row["known_count"] == row["instruction_count"] > "0", row


@test
def a_whole_program_is_the_same_with_any_number_of_threads():
    program = os.path.realpath(shutil.which("sqlite3") or sys.executable)
    first = assay("cycles", program, "--csv", "--quiet", "-j", "1", status=None)
    assert first.returncode == 0 and first.stdout.count(b"\n") > 100, first.stderr[-500:]
    for threads in ("2", "4"):
        again = assay("cycles", program, "--csv", "--quiet", "-j", threads)
        assert again.stdout == first.stdout, threads


run()
