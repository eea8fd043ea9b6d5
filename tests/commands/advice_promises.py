"""What promises of vectors depend on: independent iterations, enough of them, subscripts that do not wrap around.  Where one of
these is unknown, the advice is at most potential and its gain an upper limit.  And the vectors that the compiler will use."""
import os, random

from harness import Folder, command, cross, need, rows, run, test

X86, ARM = "x86_64", "aarch64"
CORES = {X86: "sapphire-rapids", ARM: "neoverse-v1+nosve"}
ADVICE = ("select f.name as function, r.name as rule, a.level, a.gain, a.is_upper, a.text, (select group_concat(action) from "
          "remedies m where m.advice = a.id) as actions from advice a join rules r on r.id = a.rule join loops l on "
          "l.id = a.loop join functions f on f.id = l.function order by a.id")


def reported(source, *flags, machine=X86, core=None, compiler="gcc"):
    """Advice by function and rule; the first of each."""
    with Folder() as folder:
        path, output = os.path.join(folder, "loop.c"), os.path.join(folder, "loop.o")
        with open(path, "w") as out:
            out.write(source)
        words = [need("clang"), f"--target={machine}-linux-gnu"] if compiler == "clang" else [need(cross(compiler, machine))]
        command([*words, "-g", *flags, "-c", "-o", output, path])
        found = {}
        for row in rows(output, ADVICE, "--machine", core or CORES[machine]):
            found.setdefault(row["function"], {}).setdefault(row["rule"], row)
        return found


WRAPPING = """
#include <stddef.h>
void sum(float *a, const float *b, unsigned k, unsigned n) { for (unsigned i = 0; i < n; i++) a[i + k] += b[i]; }
void row(float *restrict a, const float *restrict b, unsigned r, unsigned n)
{
    for (unsigned j = 0; j < n; j++)
        a[r * n + j] = b[r * n + j] * 3;
}
void down(float *restrict a, const float *restrict b, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        a[i] = b[n - i - 1] * 3;
}
"""
NOT_WRAPPING = """
#include <stddef.h>
void wide(float *a, const float *b, size_t k, size_t n) { for (size_t i = 0; i < n; i++) a[i + k] += b[i]; }
void with_sign(float *a, const float *b, int k, int n) { for (int i = 0; i < n; i++) a[i + k] += b[i]; }
void plain(float *restrict a, const float *restrict b, unsigned n) { for (unsigned i = 0; i < n; i++) a[i] = b[i] * 3; }
"""


@test
def subscripts_that_wrap_around_are_named():
    for machine in CORES:
        for level in ("-O2", "-O3"):
            found = reported(WRAPPING, level, machine=machine)
            for function in ("sum", "row", "down"):
                if function == "down" and machine == X86 and level == "-O3":
                    continue  # GCC loads lane by lane there
                row = found[function]["not-vectorised"]
                assert row["level"] == "potential" and "wrap around" in row["text"], (machine, level, row)
                actions = set(row["actions"].split(","))
                assert "index-type" in actions and not actions & {"optimise", "target", "restrict", "simd"}, row


@test
def other_subscripts_are_not():
    for machine in CORES:
        found = reported(NOT_WRAPPING, "-O2", machine=machine)
        for function in ("wide", "with_sign", "plain"):
            row = found[function]["not-vectorised"]
            assert row["level"] == "gain" and not row["is_upper"] and "wrap" not in row["text"], (machine, row)
            assert "index-type" not in row["actions"] and "optimise" in row["actions"], (machine, row)


DEPENDING = """
void pass_on(float *x, int n, float c, float m)
{
    for (int i = 0; i < n; i++) {
        float v = x[i];
        x[i] = v - m;
        m = c * v;
    }
}
void comb(float *y, float *x, int t, int n, float a, float b, float c)
{
    float x0, x1 = x[1 - t], x2 = x[-t], x3 = x[-t - 1], x4 = x[-t - 2];
    for (int i = 0; i < n; i++) {
        x0 = x[i - t + 2];
        y[i] = x[i] + a * x2 + b * (x1 + x3) + c * (x0 + x4);
        x4 = x3, x3 = x2, x2 = x1, x1 = x0;
    }
}
void in_place(float *x, int t, int n, float g) { for (int i = 0; i < n; i++) x[i] = x[i] + g * x[i - t]; }
void many(double *a, double *b, double *c, double *d, double *e, const double *p, const double *q, int n)
{
    for (int i = 0; i < n; i++) {
        a[i] = p[i] + q[i];
        b[i] = p[i] - q[i];
        c[i] = p[i] * q[i];
        d[i] = p[i] * 2;
        e[i] = q[i] * 2;
    }
}
void rows(int n, const int *first, double *v, const double *d)
{
    for (int i = 0; i < n; i++)
        for (int j = first[i]; j < first[i + 1]; j++)
            v[j] *= d[i];
}
"""


@test
def what_is_unknown_is_an_upper_limit():
    for machine in CORES:
        found = reported(DEPENDING, "-O2", machine=machine)
        for function in ("pass_on", "comb", "in_place", "many", "rows"):
            row = found[function]["not-vectorised"]
            assert row["level"] == "potential" and row["is_upper"], (machine, row)


INDEPENDENT = """
double a[1024], b[1024], c[1024];
void different(double *x, const double *y, int n) { for (int i = 0; i < n; i++) x[i] = y[i] * 3; }
void nested(double *x, const double *y, int n)
{
    for (int k = 0; k < n; k++)
        for (int i = 0; i < 1024; i++)
            x[i] += y[i] * k;
}
void ahead(double *x, int n) { for (int i = 0; i < n; i++) x[i] = x[i + 1] * 3; }
"""


@test
def long_and_independent_loops_are_a_gain():
    for machine in CORES:
        found = reported(INDEPENDENT, "-O2", machine=machine)
        for function in ("different", "nested", "ahead"):
            row = found[function]["not-vectorised"]
            assert row["level"] == "gain" and not row["is_upper"], (machine, row)


@test
def a_compiler_that_refused_had_a_reason():
    source = """
void f(double *restrict y, const double *restrict x, const double *restrict z, int n)
{
#pragma GCC novector
    for (int i = 0; i < n; i++)
        y[i] = x[i] * z[i];
}
"""
    for machine in CORES:
        found = reported(source, "-O3", "-fno-tree-loop-vectorize", machine=machine)
        assert found["f"].get("not-vectorised", {"level": "hint"})["level"] != "gain", found


@test
def constant_numbers_of_iterations_are_found():
    """Random loops, against Python's own range."""
    dice = random.Random(17)
    for machine in CORES:
        source, counts = "", {}
        for number in range(40):
            first, step = dice.randint(-20, 20), dice.choice((1, 1, -1))
            count = dice.randint(17, 60)
            last = first + count * step
            test_, move = ("<", "i++") if step > 0 else (">", "i--")
            if dice.random() < 0.3:
                last, test_ = last - step, test_ + "="
            around = f"for (long k = 0; k < m; k++, x += {dice.randint(1, 9)}) " if number % 2 else ""
            source += (f"void f{number}(double *x, const double *y, long m) {{ {around}for (long i = {first}; i {test_} {last}; {move}) "
                       f"x[i] = y[i] * 3; }}\n")
            counts[f"f{number}"] = count
            stop = last + (step if "=" in test_ else 0)
            assert len(range(first, stop, step)) == count
        found = reported(source, "-O1", machine=machine)
        for function, count in counts.items():
            text = found.get(function, {}).get("not-vectorised", {}).get("text", "silent")
            assert f"It makes {count} iterations" in text, (machine, function, count, text, source.split("\n")[int(function[1:])])



STREAMS = """
void axpy(double *restrict y, const double *restrict x, double a, long n) { for (long i = 0; i < n; i++) y[i] += a * x[i]; }
float sum(const float *x, long n) { float s = 0; for (long i = 0; i < n; i++) s += x[i]; return s; }
int whole(const int *x, long n) { int s = 0; for (long i = 0; i < n; i++) s += x[i]; return s; }
"""


def promised(*flags, machine=X86, core=None, compiler="gcc", rule="not-vectorised"):
    """What the rule says of the functions of STREAMS."""
    found = reported(STREAMS, *flags, machine=machine, core=core, compiler=compiler)
    return {function: found[function][rule] for function in found if rule in found[function]}


@test
def promises_keep_to_the_vectors_of_the_target():
    narrow = promised("-O2")
    assert 1.5 <= narrow["axpy"]["gain"] <= 2 and narrow["sum"]["gain"] == narrow["whole"]["gain"] == 4, narrow
    for row in narrow.values():
        assert "With 128-bit vectors" in row["text"] and "(-march=native), it would take" in row["text"], row
        assert "target" in row["actions"], row
    for flags in (["-march=x86-64-v3"], ["-march=sapphirerapids"], ["-mavx2"]):
        wide = promised("-O2", *flags)
        assert wide["axpy"]["gain"] <= 4 and wide["sum"]["gain"] == wide["whole"]["gain"] == 8, (flags, wide)
        for row in wide.values():
            assert "With 256-bit vectors" in row["text"] and "-march=native), it" not in row["text"], row
    widest = promised("-O2", "-march=sapphirerapids", "-mprefer-vector-width=512")
    assert widest["sum"]["gain"] > 8 and "With 512-bit vectors" in widest["sum"]["text"], widest


@test
def so_they_do_on_aarch64():
    narrow = promised("-O2", machine=ARM, core="neoverse-v1")
    assert narrow["axpy"]["gain"] == 2 and narrow["sum"]["gain"] == 4, narrow
    assert "With 128-bit vectors" in narrow["sum"]["text"], narrow
    assert "(-mcpu=native), it would take 0.25 cycles" in narrow["sum"]["text"], narrow
    lacking = promised("-O2", machine=ARM)  # of SVE
    assert lacking["sum"]["gain"] == 4 and "native" not in lacking["sum"]["text"], lacking
    wide = promised("-O2", "-fno-tree-vectorize", "-mcpu=neoverse-v1", machine=ARM, core="neoverse-v1")
    assert wide["sum"]["gain"] == 8 and "With 256-bit vectors" in wide["sum"]["text"], wide


@test
def the_target_brings_what_compilers_choose_for_it():
    for rule in ("part-of-vector", "flag-target"):
        row = promised("-O3", rule=rule)["axpy"]
        assert row["gain"] <= 2 and row["actions"].startswith("target"), row
    assert "With 256-bit vectors" in promised("-O3", rule="part-of-vector")["axpy"]["text"]
    row = promised("-O3", "-march=sapphirerapids", rule="part-of-vector")["axpy"]
    assert row["actions"].startswith("vector-width") and "With 512-bit vectors" in row["text"], row


@test
def without_options_the_file_shows_the_target():
    flags = ["-O2", "-fno-vectorize", "-fno-slp-vectorize"]
    plain = promised(*flags, compiler="clang")
    assert plain["sum"]["gain"] == 4 and "With 128-bit vectors" in plain["sum"]["text"], plain
    wide = promised(*flags, "-mavx2", compiler="clang")
    assert wide["sum"]["gain"] == 8 and "With 256-bit vectors" in wide["sum"]["text"], wide
    assert not plain["sum"]["is_upper"] and not wide["sum"]["is_upper"], (plain, wide)
    newer = """
__attribute__((target("avx2"))) void newer(float *x, const float *y)
{
    typedef float eight __attribute__((vector_size(32), aligned(4)));
    *(eight *)x = *(const eight *)y;
}
"""
    row = reported(STREAMS + newer, *flags, compiler="clang")["sum"]["not-vectorised"]
    assert row["gain"] == 8 and row["is_upper"], row


run()
