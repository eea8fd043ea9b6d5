"""Advice about instructions: products that could be fused, conversions, SSE among AVX code, and what the front end waits for.
Loops in which a rule speaks, with gains that are known by hand, and loops that look alike in which it has to be silent."""
import os

from harness import Folder, command, cross, need, rows, run, test

X86, ARM = "x86_64", "aarch64"
CORES = {X86: "sapphire-rapids", ARM: "neoverse-v1"}
ADVICE = ("select f.name as function, r.name as rule, a.level, a.gain, a.cycles, a.text, (select count(*) from "
          "advice_evidence e where e.advice = a.id) as evidence, (select group_concat(m.text, ' ') from remedies m where "
          "m.advice = a.id) as remedies from advice a join rules r on r.id = a.rule join loops l on l.id = a.loop join "
          "functions f on f.id = l.function order by a.id")


def reported(source, *flags, machine=X86, core=None, suffix=".c", compiler="gcc"):
    """Advice by function and rule, of a text that is compiled, or assembled; the first of each."""
    with Folder() as folder:
        path, output = os.path.join(folder, "loop" + suffix), os.path.join(folder, "loop")
        with open(path, "w") as out:
            out.write(source)
        command([need(cross(compiler, machine)), "-g", *(flags or ["-O2"]), "-c", "-o", output, path])
        found = {}
        for row in rows(output, ADVICE, "--machine", core or CORES[machine]):
            found.setdefault(row["function"], {}).setdefault(row["rule"], row)
        return found


def assembled(body, prologue="", core=None):
    """Advice on the loop of a function k: its body, which ends in a jump to 1."""
    text = (f".intel_syntax noprefix\n.text\n.globl k\n.type k,@function\n.p2align 6\nk:\n{prologue}\n1: {body}\nret\n"
            ".size k,.-k\n.section .note.GNU-stack\n")
    return reported(text, suffix=".s", core=core).get("k", {})


def speaks(found, function, rule, level=None, gain=None):
    row = found.get(function, {}).get(rule)
    assert row, f"{rule} is silent in {function}; there is {sorted(found.get(function, {}))}"
    assert level in (None, row["level"]), f"{rule} in {function}: {row}"
    assert gain is None or abs(row["gain"] - gain) < 1e-6, f"{rule} in {function}: {row}"
    return row


def is_silent(found, rule, *functions):
    for function in functions:
        row = found.get(function, {}).get(rule)
        assert not row, f"{rule} speaks in {function}: {row}"


PRODUCTS = """
void horner(int n, const float *restrict x, float *restrict y, float a, float b, float c, float d, float e)
{
    for (int i = 0; i < n; i++)
        y[i] = (((a * x[i] + b) * x[i] + c) * x[i] + d) * x[i] + e;
}
void used_twice(int n, const float *restrict x, float *restrict y, float *restrict z, float a, float b)
{
    for (int i = 0; i < n; i++) {
        float product = a * x[i];
        y[i] = product;
        z[i] = product + b;
    }
}
void apart(int n, const float *restrict x, float *restrict y, float a) { for (int i = 0; i < n; i++) y[i] = a * x[i]; }
float dot(int n, const float *x, const float *y) { float s = 0; for (int i = 0; i < n; i++) s += x[i] * y[i]; return s; }
"""


@test
def products_that_could_be_fused():
    found = reported(PRODUCTS, "-O3", "-mavx2")
    # Four products and four sums on ports 0, 1 and 5; four multiply-adds on 0 and 1.
    row = speaks(found, "horner", "missed-fma", None, 8 / 3 / 2)
    assert row["text"].startswith("4 multiplications") and row["evidence"] == 8, row
    assert "-mfma" in row["remedies"] and "-std=gnu17" not in row["remedies"], row
    is_silent(found, "missed-fma", "used_twice", "apart")
    # An addition hands its result on after 2 cycles, a multiply-add after 4: the sum would wait longer.
    is_silent(found, "missed-fma", "dot")
    is_silent(reported(PRODUCTS, "-O3", "-mavx2", "-mfma"), "missed-fma", "horner")


@test
def fusing_is_asked_only_of_machines_that_can():
    is_silent(reported(PRODUCTS, "-O3", "-mavx", core="sandy-bridge"), "missed-fma", "horner")


@test
def the_remedy_fits_the_reason():
    row = speaks(reported(PRODUCTS, "-O3", "-std=c17", "-march=x86-64-v3"), "horner", "missed-fma")
    assert "-std=gnu17" in row["remedies"], row
    found = reported(PRODUCTS, "-O3", "-ffp-contract=off", machine=ARM)
    row = speaks(found, "horner", "missed-fma")
    assert "-ffp-contract" in row["remedies"] and "-mfma" not in row["remedies"], row
    is_silent(reported(PRODUCTS, "-O3", machine=ARM), "missed-fma", "horner")


CONVERSIONS = """
#include <math.h>
void constant(int n, const float *restrict x, float *restrict y) { for (int i = 0; i < n; i++) y[i] = 0.25 * x[i] * x[i] + 1.5; }
void meant(int n, const float *restrict x, float *restrict y) { for (int i = 0; i < n; i++) y[i] = 0.25f * x[i] * x[i] + 1.5f; }
double sum(int n, const float *x) { double s = 0; for (int i = 0; i < n; i++) s += x[i]; return s; }
void counted(int n, double *x, double h) { for (int i = 0; i < n; i++) x[i] = i * h; }
void loaded(int n, double *restrict x, const int *restrict k) { for (int i = 0; i < n; i++) x[i] = (k[i] + 1) * 0.5; }
"""


@test
def conversions_that_nobody_meant():
    for machine in (X86, ARM):
        found = reported(CONVERSIONS, "-O3", machine=machine)
        row = speaks(found, "constant", "conversions", "potential")
        assert row["gain"] > 2 and "0.5f" in row["remedies"], row
        is_silent(found, "conversions", "meant")
        # A sum of double precision is rather meant.
        assert found.get("sum", {}).get("conversions", {"level": "hint"})["level"] == "hint", found["sum"]


@test
def counters_are_converted_and_data_is_too():
    found = reported(CONVERSIONS, "-O2", "-fno-tree-vectorize", core="haswell")
    for function in ("counted", "loaded"):  # a counter in floating point would be a chain of additions, 3 cycles each
        row = found.get(function, {}).get("conversions")
        assert not row or row["level"] == "hint", row
    assert "conversions" in found.get("counted", {}) or "conversions" in found.get("loaded", {}), found


MIXED = "vaddps ymm3,ymm2,ymm2\n{}\ndec rdi\njnz 1b\nvzeroupper"


@test
def sse_among_avx_code():
    row = speaks({"k": assembled(MIXED.format("mulps xmm0,xmm2"))}, "k", "sse-avx", "gain")
    # A switch to and one back, 200 cycles each, beside 4 cycles of the product.
    assert abs(row["cycles"] - 4) < 1e-6 and abs(row["gain"] - 404 / 4) < 1e-6, row
    row = speaks({"k": assembled(MIXED.format("mulps xmm0,xmm2"), core="haswell")}, "k", "sse-avx", "gain")
    assert abs(row["gain"] - (row["cycles"] + 140) / row["cycles"]) < 1e-6, row
    # Skylake keeps upper halves, which costs waiting that nobody counts here.
    row = speaks({"k": assembled(MIXED.format("mulps xmm0,xmm2"), core="skylake")}, "k", "sse-avx", "hint")
    assert row["gain"] is None, row
    for core in ("sapphire-rapids", "haswell", "skylake"):
        assert "sse-avx" not in assembled(MIXED.format("vmulps xmm0,xmm0,xmm2"), core=core)
        assert "sse-avx" not in assembled(MIXED.format("vzeroupper\nmulps xmm0,xmm2"), core=core)
        # What only reads a vector register switches nothing.
        assert "sse-avx" not in assembled(MIXED.format("movups [rsi],xmm2"), core=core)
    assert "sse-avx" not in assembled(MIXED.format("mulps xmm0,xmm2"), core="zen3")


@test
def microcode():
    source = ("struct s { double v[20]; };\nvoid k(int n, const struct s *restrict x, const int *restrict p, struct s *restrict y)"
              "{ for (int i = 0; i < n; i++) y[i] = x[p[i]]; }")
    row = speaks(reported(source, "-Os"), "k", "front-end", "potential")
    # 160 bytes are ten vectors of 16, two stores a cycle.
    assert row["cycles"] > 5 and row["gain"] > 3 and "-O2" in row["remedies"], row
    is_silent(reported(source, "-O2"), "front-end", "k")
    row = speaks({"k": assembled("add rax,1\nloop 1b")}, "k", "front-end", "potential")
    assert row["evidence"] == 1 and row["gain"] > 2, row
    assert "front-end" not in assembled("add rax,1\ndec rcx\njnz 1b")
    # Divisions have a rule of their own.
    assert "front-end" not in assembled("xor edx,edx\nmov rax,r8\ndiv r9\ndec rcx\njnz 1b", core="skylake")


@test
def jumps_on_borders():
    # Each addition has 4 bytes, dec and jne together 5: they end on a border of 32 bytes after 27, and not after 24.
    additions = ["add r8,1", "add r9,1", "add r10,1", "add r11,1", "add rsi,1", "add rdx,1"]
    def loop(gap):
        return "\n".join(additions + [gap, "dec rcx", "jnz 1b"])
    row = speaks({"k": assembled(loop("nop\nnop\nnop"), core="skylake")}, "k", "front-end")
    assert "32-byte boundary" in row["text"] and "32B-boundaries" in row["remedies"], row
    assert "front-end" not in assembled(loop(""), core="skylake")
    assert "front-end" not in assembled(loop("nop\nnop\nnop"), core="sapphire-rapids")


@test
def the_loop_buffer():
    ways = ["add eax,0x12345678", "xor edx,0x23456789", "add esi,0x3456789a", "mov r8d,[rdi+r9*4+0x12345]"]
    def body(count):
        return "\n".join(ways[i % 4] for i in range(count)) + "\nadd r9,1\ncmp r9,rcx\njne 1b"
    row = speaks({"k": assembled(body(30), core="nehalem")}, "k", "loop-buffer", "hint")
    # 32 µops, of which the buffer holds 28.
    assert "32 µops" in row["text"] and "4 fewer" in row["text"], row
    assert "loop-buffer" not in assembled(body(26), core="nehalem")
    assert "loop-buffer" not in assembled(body(60), core="nehalem")
    for core in ("sapphire-rapids", "skylake", "zen3"):
        assert "loop-buffer" not in assembled(body(30), core=core)


@test
def chains_through_values_that_nobody_needs():
    end = "\nadd rdi,8\ncmp rdi,rsi\njne 1b"
    for body, cores in (("cvtsi2sd xmm0,dword ptr [rdi]\nmovsd [rdi],xmm0", ("sapphire-rapids", "skylake", "zen2")),
                        ("vcvtsi2sd xmm0,xmm0,dword ptr [rdi]\nvmovsd [rdi],xmm0", ("sapphire-rapids", "haswell")),
                        ("sqrtsd xmm0,[rdi]\nmovsd [rdi],xmm0", ("sapphire-rapids", "skylake")),
                        ("popcnt rax,[rdi]\nmov [rdi],rax", ("skylake", "haswell")),
                        ("lzcnt rax,[rdi]\nmov [rdi],rax", ("haswell",))):
        for core in cores:
            row = speaks({"k": assembled(body + end, core=core)}, "k", "false-dependence", "gain")
            assert body.split(" ")[0].split("\n")[0] in row["text"] and row["gain"] > 1.2, row
    for body, cores in (("popcnt rax,[rdi]\nmov [rdi],rax", ("sapphire-rapids", "ice-lake", "zen2")),
                        ("lzcnt rax,[rdi]\nmov [rdi],rax", ("skylake",)),
                        # Set to zero, from elsewhere, or the data itself.
                        ("pxor xmm0,xmm0\ncvtsi2sd xmm0,dword ptr [rdi]\nmovsd [rdi],xmm0", ("sapphire-rapids", "skylake")),
                        ("vcvtsi2sd xmm0,xmm5,dword ptr [rdi]\nvmovsd [rdi],xmm0", ("sapphire-rapids",)),
                        ("sqrtsd xmm0,xmm0\nmovsd [rdi],xmm0", ("sapphire-rapids",)),
                        ("popcnt rax,rax\nmov [rdi],rax", ("skylake",)),
                        # Something else is slower.
                        ("cvtsi2sd xmm0,dword ptr [rdi]\nmulsd xmm1,xmm2\nmulsd xmm1,xmm3\nmovsd [rdi],xmm0", ("skylake",))):
        for core in cores:
            assert "false-dependence" not in assembled(body + end, core=core), (body, core)


run()
