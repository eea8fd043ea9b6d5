#!/usr/bin/env python3
"""Cycles under other circumstances, on loops short enough to compute them by hand, and the rules that go by them.

Loops are written in assembly for a named machine; how a figure was found stands beside it.  Rules are asked on C that
compilers of this computer make of it, where the loop's nature and not its instructions decides."""
import os, re, struct

from harness import Fail, Folder, build, command, compilers, cross, need, rows, run, test

NEAR = 1e-9
EM_K1OM = 181


def assemble(folder, isa, body, before="", behind=""):
    tool = cross("as", isa)
    need(tool)
    source, path = os.path.join(folder, "loop.s"), os.path.join(folder, "loop.o")
    with open(source, "w") as file:
        file.write((".intel_syntax noprefix\n" if isa == "x86_64" else ".arch armv8.6-a+sve\n") +
                   f".globl kernel\n.type kernel, %function\nkernel:\n{before}\n.p2align 6\n1:\n{body}\n{behind}\nret\n"
                   ".size kernel, .-kernel\n")
    command([tool, "-o", path, source])
    return path


def measure(isa, machine, body, **around):
    with Folder() as folder:
        found = rows(assemble(folder, isa, body, **around), "select * from loop_metrics", "--machine", machine)
    if len(found) != 1:
        raise Fail(f"{len(found)} paths, expected 1")
    return found[0]


def expect(row, **values):
    wrong = [f"{name} is {row[name]}, expected {value}" for name, value in values.items()
             if (row[name] != value if value is None or row[name] is None else abs(row[name] - value) > NEAR)]
    if wrong:
        raise Fail("; ".join(wrong))


ADD = """
    movsd xmm0, [rsi]
    {} xmm0, [rdx]
    movsd [rdi], xmm0
    add rsi, 8
    add rdx, 8
    add rdi, 8
    cmp rdi, rcx
    jb 1b"""


@test
def an_addition_on_haswell():
    # Seven µops (the addition with its load is one, cmp and jb are one), four a cycle: 1.75.  Vectors of four doubles do
    # the same with the same µops.  Without the integers but for the last addition: 5 µops, which the loop buffer has in
    # three copies, 15 µops in 4 cycles.  With vector additions alone: 4 + 4 loads, an addition, 4 stores, 4 µops of the
    # counters: 17, in two copies 34 in 9 cycles, for four iterations.  Ports: the 5 µops that compute or jump have 0, 1,
    # 5 and 6, the additions among them port 1 alone: 1.25; that is what is left when µops cost nothing.
    row = measure("x86_64", "haswell", ADD.format("addsd"))
    expect(row, cycles=1.75, cycles_vectorised=1.75 / 4, cycles_without_scalar_integer=4 / 3, cycles_fp_vectorised=4.5 / 4,
           cycles_without_dependence=1.75, cycles_next_bottleneck=1.25, front_end_cycles=1.75, back_end_cycles=1.25,
           chain_cycles=1, chain_count=1, speedup_vectorised=4, speedup_without_dependence=1,
           speedup_next_bottleneck=1.75 / 1.25, speedup_without_scalar_integer=1.75 * 3 / 4, speedup_fp_vectorised=1.75 * 4 / 4.5,
           cycles_per_source_iteration=None)


@test
def a_copy_from_each_level():
    # Two streams of 16 bytes an iteration, a quarter of a line each.  A line that is loaded beside a store takes what a copy takes beyond the
    # store, and no more than a load.  Cascade Lake: loads, stores and copies in bytes a cycle; what of the core's one cycle does not overlap is
    # added.  Neoverse V1 has figures of copies: 22.6, 12.8 and 9.9 bytes a cycle, and everything overlaps.
    row = measure("x86_64", "cascade-lake", """
        movups xmm0, [rsi+rax]
        movups [rdi+rax], xmm0
        add rax, 16
        cmp rax, rcx
        jb 1b""")
    expect(row, line_count=0.5, cycles_l2=16 / 19.9 + 16 / 56.8 + 0.01, cycles_l3=16 / 4.6 + 0.07, cycles_memory=16 / 3.6 + 16 / 5.2 + 0.4)
    row = measure("aarch64", "neoverse-v1", """
        ldr q0, [x1, x3]
        str q0, [x0, x3]
        add x3, x3, #16
        cmp x3, x2
        b.lo 1b""")
    expect(row, line_count=0.5, cycles_l2=1, cycles_l3=16 / 12.8, cycles_memory=16 / 9.9)


@test
def a_sum_waits_and_lanes_wait_together():
    # The addition takes 3 cycles on Haswell and 4 on Skylake; four (eight) lanes wait as long as one did.
    body = """
        addsd xmm0, [rdi]
        add rdi, 8
        cmp rdi, rcx
        jb 1b"""
    expect(measure("x86_64", "haswell", body), cycles=3, cycles_vectorised=3 / 4, cycles_fp_vectorised=3 / 4, chain_cycles=3,
           chain_count=1, cycles_without_dependence=1, cycles_next_bottleneck=1, cycles_without_scalar_integer=3)
    expect(measure("x86_64", "skylake-x", body), cycles=4, cycles_vectorised=4 / 8)
    # Two lanes of 128 bits: vectors that are there already become longer ones.
    packed = body.replace("addsd", "addpd").replace("rdi, 8", "rdi, 16")
    expect(measure("x86_64", "haswell", packed), cycles=3, cycles_vectorised=3 / 2)
    expect(measure("x86_64", "nehalem", packed), cycles=3, cycles_vectorised=3)


@test
def vectors_that_lie_apart_stay_whole():
    """Vectors from places that are not side by side are joined as they are, not number by number; and where even that
    takes longer than the loop does now, it stays as it is."""
    load = """
        movapd xmm0, [rsi]
        addpd xmm0, xmm1
        addpd xmm0, xmm2
        addpd xmm0, xmm3
        addpd xmm0, xmm4
        movapd [rdi], xmm0
        add rsi, 48
        add rdi, 16
        cmp rdi, rcx
        jb 1b"""
    # 9 µops, four a cycle.  For two iterations: two loads, a join, four additions, a store and three for the counters.
    expect(measure("x86_64", "skylake", load), cycles=9 / 4, cycles_vectorised=11 / 4 / 2)
    copy = """
        movaps xmm0, [rsi]
        movaps [rdi], xmm0
        add rsi, 48
        add rdi, 48
        cmp rdi, rcx
        jb 1b"""
    for machine in ("haswell", "skylake", "zen4", "alder-lake-p", "skylake-x"):
        row = measure("x86_64", machine, copy)
        assert row["cycles_vectorised"] is None or row["speedup_vectorised"] >= 1, (machine, row["speedup_vectorised"])


@test
def signs_are_what_the_decoder_says():
    with Folder() as folder:
        for isa, code, signed in (
                ("x86_64", "movsx eax, bl; movsxd rax, ebx; cdqe; cwde; vpmovsxbw xmm0, xmm1; movss xmm0, [rsi]; movsd [rdi], xmm0; "
                 "movzx eax, bl; sub eax, ebx; cqo; movsd", {"movsx", "movsxd", "cdqe", "cwde", "vpmovsxbw"}),
                ("aarch64", "ldrsw x0, [x1]; ldrsb w0, [x1]; ldursh w0, [x1, 1]; ldpsw x0, x2, [x1]; sxtw x0, w1; "
                 "sshll v0.4s, v1.4h, 2; ld1sb {z0.s}, p0/z, [x0]; str x0, [x1]; sub x0, x1, x2; uxtb w0, w1; "
                 "ushll v0.4s, v1.4h, 2; smull x0, w1, w2; subs x0, x1, x2; ldr s0, [x1]",
                 {"ldrsw", "ldrsb", "ldursh", "ldpsw", "sxtw", "sshll", "ld1sb"})):
            file = assemble(folder, isa, code.replace(";", "\n"))
            found = {row["name"] for row in rows(file, "select name from encodings where extends_sign and uses > 0")}
            assert found == signed, (isa, found ^ signed)


@test
def a_sum_of_products_is_fused_where_it_is_vectorised():
    # mulsd and addsd become vfmadd231pd, through which the sum takes 5 cycles on Haswell instead of the addition's 3.
    row = measure("x86_64", "haswell", """
        movsd xmm1, [rsi]
        mulsd xmm1, [rdi]
        addsd xmm0, xmm1
        add rsi, 8
        add rdi, 8
        cmp rdi, rcx
        jb 1b""")
    expect(row, cycles=3, cycles_vectorised=5 / 4)


@test
def divisions_gain_what_the_divider_gives():
    # Skylake X: a division holds the divider for 4 cycles, one of four lanes for 8, one of eight for 16.  Without the
    # divider: 7 µops, which come from the µop cache in 2 cycles.
    expect(measure("x86_64", "skylake-x", ADD.format("divsd")), cycles=4, cycles_vectorised=2, cycles_fp_vectorised=2,
           back_end_cycles=4, cycles_next_bottleneck=2, cycles_without_dependence=4)


@test
def recurrences_stay():
    # x = x * a + b[i]: five cycles and three on Haswell.
    row = measure("x86_64", "haswell", """
        mulsd xmm0, xmm1
        addsd xmm0, [rdi]
        add rdi, 8
        cmp rdi, rcx
        jb 1b""")
    expect(row, cycles=8, cycles_vectorised=None, cycles_fp_vectorised=None, chain_cycles=8, chain_count=2,
           cycles_without_dependence=1)
    # Prefix sums: the sum itself is needed in every iteration.
    row = measure("x86_64", "haswell", """
        addsd xmm0, [rdi]
        movsd [rdi], xmm0
        add rdi, 8
        cmp rdi, rcx
        jb 1b""")
    expect(row, cycles=3, cycles_vectorised=None)


@test
def through_memory():
    # a[i] = a[i-1] * x: the value goes through memory.  Without the pointer's addition it still does: the chain stays.
    row = measure("x86_64", "haswell", """
        movsd xmm0, [rdi-8]
        mulsd xmm0, xmm1
        movsd [rdi], xmm0
        add rdi, 8
        add rdx, 8
        cmp rdi, rcx
        jb 1b""")
    expect(row, cycles_vectorised=None, cycles_without_scalar_integer=row["chain_cycles"], cycles=row["chain_cycles"])
    assert row["chain_cycles"] > 5, row["chain_cycles"]
    # a[i] = a[i] * x, by two pointers: without their additions nothing waits for the store of the iteration before.  The
    # loop buffer has five copies of 6 µops, 30 in 8 cycles, and three of 5, 15 in 4.
    row = measure("x86_64", "haswell", """
        movsd xmm0, [rdi]
        mulsd xmm0, xmm1
        movsd [rdi], xmm0
        add rdi, 8
        add rdx, 8
        cmp rdx, rcx
        jb 1b""")
    expect(row, cycles=8 / 5, cycles_without_scalar_integer=4 / 3, cycles_vectorised=8 / 5 / 4)
    # AArch64: a pair that is loaded, half of which was stored in the iteration before.
    row = measure("aarch64", "neoverse-v1", """
        ldp d1, d0, [x0, -8]
        fmadd d0, d1, d2, d0
        str d0, [x0], 8
        cmp x1, x0
        b.ne 1b""")
    expect(row, cycles_vectorised=None)


@test
def loads_that_cost_nothing():
    # Seven loads, two a cycle.  Without them 8 µops are left to issue, four a cycle.
    loads = "".join(f"movsd xmm{i}, [rdi+{8 * i}]\n" for i in range(7))
    row = measure("x86_64", "haswell", loads + "cmp rdi, rcx\njb 1b")
    expect(row, cycles=3.5, cycles_next_bottleneck=8 / 4, back_end_cycles=3.5)


@test
def indices_are_brought_one_by_one():
    # Four indices and four numbers for four lanes, two loads a cycle: nothing is gained but what the sum waits for.
    row = measure("x86_64", "haswell", """
        movsxd rax, dword ptr [rsi]
        addsd xmm0, [rdx+rax*8]
        add rsi, 4
        cmp rsi, rcx
        jb 1b""")
    assert row["cycles"] == 3 and 1 <= row["cycles_vectorised"] < 3, row["cycles_vectorised"]
    # h[x[i]]++: two lanes may mean the same element.
    row = measure("x86_64", "haswell", """
        movsxd rax, dword ptr [rsi]
        movsd xmm0, [rdx+rax*8]
        addsd xmm0, xmm1
        movsd [rdx+rax*8], xmm0
        add rsi, 4
        cmp rsi, rcx
        jb 1b""")
    expect(row, cycles_vectorised=None)


@test
def integers_alone_have_no_cycles_without_integers():
    # Eight lanes of 32 bits: 1.25 cycles for what takes 5 µops.
    row = measure("x86_64", "haswell", """
        mov eax, [rsi]
        add eax, [rdx]
        mov [rdi], eax
        add rsi, 4
        add rdx, 4
        add rdi, 4
        cmp rdi, rcx
        jb 1b""")
    expect(row, cycles=1.75, cycles_without_scalar_integer=None, cycles_fp_vectorised=None, cycles_vectorised=1.75 / 8)


@test
def neon_and_sve():
    # Neoverse V1: an addition takes 2 cycles for one number, for two and for four.  N1 has vectors of two doubles.
    body = """
        ldr d1, [x0], 8
        fadd d0, d0, d1
        cmp x0, x3
        b.ne 1b"""
    expect(measure("aarch64", "neoverse-v1", body), cycles=2, cycles_vectorised=2 / 4, chain_cycles=2, chain_count=1)
    expect(measure("aarch64", "neoverse-n1", body), cycles=2, cycles_vectorised=2 / 2)
    # A64FX: 9 cycles for one and for eight.
    expect(measure("aarch64", "a64fx", body), cycles=9, cycles_vectorised=9 / 8)
    # Whole vectors of N1 are a half of V1's.
    packed = body.replace("d1, [x0], 8", "q1, [x0], 16").replace("fadd d0, d0, d1", "fadd v0.2d, v0.2d, v1.2d")
    expect(measure("aarch64", "neoverse-v1", packed), cycles=2, cycles_vectorised=2 / 2)
    expect(measure("aarch64", "neoverse-n1", packed), cycles=2, cycles_vectorised=2)


@test
def an_addition_on_neoverse():
    # V1: three accesses and three pointers; a taken branch a cycle, and pipes that are chosen early: 1.56 were measured.  With
    # NEON the block takes a cycle for two iterations; with SVE whilelo alone takes two cycles, for four.
    row = measure("aarch64", "neoverse-v1", """
        ldr d0, [x1], 8
        ldr d1, [x2], 8
        fadd d0, d0, d1
        str d0, [x0], 8
        cmp x0, x3
        b.ne 1b""")
    assert 1 <= row["cycles"] <= 1.6, row
    expect(row, cycles_vectorised=1 / 2, chain_cycles=1, cycles_without_scalar_integer=row["cycles"])


@test
def what_ends_early_or_branches():
    # Looks for a zero.
    row = measure("x86_64", "haswell", """
        add rdi, 8
        ucomisd xmm0, [rdi]
        jne 1b""")
    expect(row, cycles_vectorised=None, cycles_fp_vectorised=None)
    # Calls.
    row = measure("x86_64", "haswell", """
        movsd xmm0, [rdi]
        call somewhere
        movsd [rdi], xmm0
        add rdi, 8
        cmp rdi, rcx
        jb 1b""")
    expect(row, cycles_vectorised=None)


@test
def cores_in_order_have_no_parts_to_take_away():
    with Folder() as folder:
        path = assemble(folder, "x86_64", """
            fld qword ptr [rsi]
            fadd qword ptr [rdi]
            fstp qword ptr [rdi]
            add rdi, 8
            add rsi, 8
            cmp rdi, rcx
            jb 1b""")
        with open(path, "r+b") as file:
            file.seek(18)
            file.write(struct.pack("<H", EM_K1OM))
        row = rows(path, "select * from loop_metrics", "--machine", "knights-corner")[0]
    assert row["cycles"] > 0
    expect(row, cycles_without_dependence=None, cycles_next_bottleneck=None, front_end_cycles=None, back_end_cycles=None,
           cycles_vectorised=None)


# ---- Rules. ----

RULES = ("not-vectorised", "partly-vectorised", "part-of-vector")
SCALAR = {"gcc": ["-O1"], "clang": ["-O2", "-fno-vectorize", "-fno-slp-vectorize", "-fno-unroll-loops"]}
# The processor that is asked about, one of its generation's options, and whole vectors of it.
TARGETS = {"x86_64": ("skylake", ["-march=skylake"]), "aarch64": ("neoverse-n1", ["-mcpu=neoverse-n1"])}


def advise(source, isa, compiler, flags):
    """(rule, level, gain, text) of every loop, for the rules about vectors."""
    with Folder() as folder:
        path = os.path.join(folder, "loop.c")
        with open(path, "w") as file:
            file.write(source)
        program = build(folder, compiler, [path], "-g", "-c", *flags, output="loop.o")
        found = rows(program, "select r.name, a.level, a.gain, a.text, (select option from remedies m where m.advice = a.id "
                     "order by position limit 1) as remedy from advice a join rules r on r.id = a.rule",
                     "--machine", TARGETS[isa][0])
    return [row for row in found if row["name"] in RULES]


def each(source, expected):
    """Asks all compilers for both instruction sets; expected(rows) says what is wrong, or nothing."""
    for isa in TARGETS:
        for compiler in compilers(isa):
            kind = "clang" if "clang" in compiler[0] else "gcc"
            found = advise(source, isa, compiler, SCALAR[kind])
            wrong = expected(found)
            if wrong:
                raise Fail(f"{isa}, {kind}: {wrong}: {found}")


def loud(found):
    return [row for row in found if row["level"] in ("gain", "potential")]


@test
def speaks_of_plain_loops():
    def expected(found):
        if [(row["name"], row["level"]) for row in found] != [("not-vectorised", "potential")]:
            return "not-vectorised is expected"
        with_target = re.search(r"cycles instead of ([\d.]+)\. Compiled .* it would take ([\d.]+) cycles", found[0]["text"])
        # -O3 alone has the vectors of the baseline; what it brings with the processor's own is in the text
        best = float(with_target[1]) / float(with_target[2]) if with_target else found[0]["gain"]
        return None if found[0]["gain"] > 1.1 and best >= 1.5 else "the gain is too small"
    each("void kernel(double *restrict y, const double *restrict x, double a, long n)\n"
         "{ for (long i = 0; i < n; i++) y[i] = x[i] * a - x[i] * x[i]; }\n", expected)


@test
def leave_to_reorder_comes_first_for_sums():
    def expected(found):
        if [row["name"] for row in found] != ["not-vectorised"]:
            return "not-vectorised is expected"
        return None if "order of operations" in found[0]["text"] else "nothing is said of the order"
    source = "double kernel(const double *x, long n) { double s = 0; for (long i = 0; i < n; i++) s += x[i]; return s; }\n"
    each(source, expected)
    for isa in TARGETS:
        first = advise(source, isa, [need(cross("gcc", isa))], ["-O3"])[0]["remedy"]
        assert first == "-fassociative-math", first


@test
def is_silent_where_nothing_helps():
    sources = {
        "a list": "struct node { struct node *next; double x; };\n"
                  "double kernel(const struct node *p) { double s = 0; for (; p; p = p->next) s += p->x; return s; }\n",
        "a search": "long kernel(const char *s) { long n = 0; while (s[n]) n++; return n; }\n",
        "a search of doubles": "long kernel(const double *x, double y) { long n = 0; while (x[n] != y) n++; return n; }\n",
        "a hash": "unsigned kernel(const unsigned char *s, long n)\n"
                  "{ unsigned h = 5381; for (long i = 0; i < n; i++) h = h * 33 ^ s[i]; return h; }\n",
        "a prefix sum": "void kernel(int *x, long n) { int s = 0; for (long i = 0; i < n; i++) x[i] = s += x[i]; }\n",
        "a histogram": "void kernel(int *h, const int *x, long n) { for (long i = 0; i < n; i++) h[x[i]]++; }\n",
    }
    for what, source in sources.items():
        each(source, lambda found: f"{what} cannot be vectorised" if loud(found) else None)


@test
def a_recurrence_is_a_hint():
    def expected(found):
        return None if [(row["name"], row["level"], row["gain"]) for row in found] == [("not-vectorised", "hint", None)] \
            else "a hint without a gain is expected"
    each("double kernel(const double *x, double a, long n)\n"
         "{ double s = 0; for (long i = 0; i < n; i++) s = s * a + x[i]; return s; }\n", expected)


@test
def arrays_that_meet_themselves_are_no_sure_gain():
    need(cross("gcc", "x86_64"))
    found = advise("void kernel(float *a, const float *b, unsigned n, unsigned m)\n"
                   "{ for (unsigned i = 0; i < n; i++) a[i + m] = 0.5f * a[i] + b[i]; }\n",
                   "x86_64", [cross("gcc", "x86_64")], ["-O1"])
    reported = [row for row in found if row["name"] == "not-vectorised"]
    assert reported and all(row["level"] != "gain" for row in reported), found
    assert any("shortly before" in row["text"] for row in reported), reported


@test
def is_silent_after_vectorising():
    # Peel and tail loops of a vectorised one are scalar, and nobody minds.
    source = ("void kernel(double *restrict y, const double *restrict x, double a, long n)\n"
              "{ for (long i = 0; i < n; i++) y[i] = x[i] * a - x[i] * x[i]; }\n")
    for isa in TARGETS:
        for compiler in compilers(isa):
            found = loud(advise(source, isa, compiler, ["-O3", *TARGETS[isa][1]]))
            assert not found, f"{isa}, {compiler[0]}: {found}"


@test
def short_vectors():
    source = ("void kernel(float *restrict y, const float *restrict x, float a, long n)\n"
              "{ for (long i = 0; i < n; i++) y[i] = x[i] * a - x[i] * x[i]; }\n")
    for compiler in compilers("x86_64"):
        found = loud(advise(source, "x86_64", compiler, ["-O3"]))
        assert [row["name"] for row in found] == ["part-of-vector"] and "128" in found[0]["text"], f"{compiler[0]}: {found}"


@test
def sums_in_order_are_partly_vectorised():
    need(cross("gcc", "x86_64"))
    source = ("double kernel(const double *x, const double *y, long n)\n"
              "{ double s = 0; for (long i = 0; i < n; i++) s += x[i] * y[i]; return s; }\n")
    gcc = [cross("gcc", "x86_64")]
    found = loud(advise(source, "x86_64", gcc, ["-O3", "-march=skylake"]))
    assert [row["name"] for row in found] == ["partly-vectorised"], found
    assert found[0]["remedy"] == "-fassociative-math", found
    found = loud(advise(source, "x86_64", gcc, ["-O3", "-march=skylake", "-ffast-math"]))
    assert not found, found


@test
def loops_that_only_move_numbers():
    gcc, scalar = [cross("gcc", "x86_64")], SCALAR["gcc"] + ["-fno-tree-loop-distribute-patterns"]
    copy = "void kernel(float *restrict y, const float *restrict x, long n) { for (long i = 0; i < n; i++) y[i] = x[i]; }\n"
    found = advise(copy, "x86_64", gcc, scalar)
    assert [(row["name"], row["level"]) for row in found] == [("not-vectorised", "potential")], found
    assert "only copies data" in found[0]["text"] and "integers" not in found[0]["text"], found
    # With vectors already, memory is what it waits for.
    found = advise(copy, "x86_64", gcc, ["-O3", "-fno-tree-loop-distribute-patterns"])
    assert not loud(found), found
    column = "void kernel(float *restrict y, const float *restrict x, long m, long n) { for (long i = 0; i < n; i++) y[i] = x[i * m]; }\n"
    found = advise(column, "x86_64", gcc, scalar)
    assert not found, found
    stream = ("#include <emmintrin.h>\n"
              "void kernel(double *y, long n) { for (long i = 0; i < n; i += 2) _mm_stream_pd(y + i, _mm_set1_pd((double)i)); }\n")
    found = advise(stream, "x86_64", gcc, ["-O2"])
    assert not found, found


@test
def loops_that_end_before_a_vector_is_full():
    source = ("void kernel(float *restrict y, const float *restrict x, float a)\n"
              "{ for (long i = 0; i < COUNT; i++) y[i] = x[i] * a - x[i]; }\n")
    gcc = [cross("gcc", "x86_64")]
    found = advise(source, "x86_64", gcc, [*SCALAR["gcc"], "-DCOUNT=1000"])
    assert [(row["name"], row["level"]) for row in found] == [("not-vectorised", "gain")], found
    assert found[0]["gain"] <= 8.01, found
    found = advise(source, "x86_64", gcc, [*SCALAR["gcc"], "-DCOUNT=5"])
    assert not found, found


@test
def integers_that_are_not_side_by_side():
    source = "void kernel(int *restrict y, const int *restrict x, long m, long n) { for (long i = 0; i < n; i++) y[i] = x[i * m] * 7 + 3; }\n"
    found = advise(source, "x86_64", [cross("gcc", "x86_64")], SCALAR["gcc"])
    assert not loud(found), found


@test
def short_vectors_beside_long_ones():
    gcc = [cross("gcc", "x86_64")]
    short = ("void kernel(double *restrict y, const double *restrict x, double a, long n)\n"
             "{ for (long i = 0; i < n; i++) y[i] = x[i] * a + y[i]; }\n")
    both = "__attribute__((target(\"avx2\"), optimize(\"O0\"))) void other(double *y) { for (int i = 0; i < 4; i++) y[i] = 0;\n" \
           "asm volatile(\"vaddpd %ymm0, %ymm1, %ymm2\"); }\n" + short
    for source, flags, level, is_older in ((short, ["-g0"], "potential", False), (both, [], "potential", False),
                                           (both, ["-g0"], "potential", True)):
        found = [row for row in advise(source, "x86_64", gcc, ["-O3", *flags]) if row["name"] == "part-of-vector"]
        assert found and found[0]["level"] == level, (flags, found)
        assert ("older" in found[0]["text"]) == is_older, found


@test
def code_without_optimisation_hears_of_nothing_else():
    with Folder() as folder:
        path = os.path.join(folder, "loop.c")
        with open(path, "w") as file:
            file.write("void kernel(double *y, const double *x, long n) { for (long i = 0; i < n; i++) y[i] = x[i] * 2 + y[i]; }\n")
        # Only the code is known: neither options nor the compiler's name.
        program = build(folder, [cross("gcc", "x86_64")], [path], "-c", "-O0", "-fno-ident", output="loop.o")
        reported = {row["name"] for row in rows(program, "select r.name from advice a join rules r on r.id = a.rule", "--machine",
                                            "skylake")}
    assert "flag-optimisation" in reported and not reported & {"spills", "useless-spills", "loads", "missed-fma"}, reported


@test
def cycles_of_a_source_iteration():
    source = ("void kernel(double *restrict y, const double *restrict x, double a, long n)\n"
              "{ for (long i = 0; i < n; i++) y[i] = x[i] * a; }\n")
    asked = 0
    for isa in TARGETS:
        with Folder() as folder:
            path = os.path.join(folder, "loop.c")
            with open(path, "w") as file:
                file.write(source)
            program = build(folder, compilers(isa)[0], [path], "-g", "-c", "-O3", *TARGETS[isa][1], output="loop.o")
            for row in rows(program, "select cycles, cycles_per_source_iteration as each, iterations from loop_metrics m "
                            "join loop_roles r on r.loop = m.loop", "--machine", TARGETS[isa][0]):
                if row["iterations"] is None:
                    assert row["each"] is None, row
                    continue
                assert abs(row["each"] * row["iterations"] - row["cycles"]) < NEAR, row
                asked += row["iterations"] > 1
    assert asked, "no loop does more than one iteration at a time"


run()
