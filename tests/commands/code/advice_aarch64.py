"""Advice for AArch64: what is particular to vectors of two kinds, to maxima that know about NaN, and to code in which
everything that can be fused is."""
import os

from harness import Folder, command, cross, need, rows, run, test

ADVICE = ("select f.name as function, r.name as rule, a.level, a.text, (select group_concat(m.option) from remedies m "
          "where m.advice = a.id) as options from advice a join rules r on r.id = a.rule join loops l on l.id = a.loop "
          "join functions f on f.id = l.function order by a.id")


def reported(source, *flags, core="neoverse-v1", compiler="gcc"):
    """Advice by function and rule; the first of each."""
    with Folder() as folder:
        path, output = os.path.join(folder, "loop.c"), os.path.join(folder, "loop.o")
        with open(path, "w") as out:
            out.write(source)
        command([need(cross(compiler, "aarch64")), "-g", *flags, "-c", "-o", output, path])
        found = {}
        for row in rows(output, ADVICE, "--machine", core):
            found.setdefault(row["function"], {}).setdefault(row["rule"], row)
        return found


VECTORS = """
#include <math.h>
void axpy(float *restrict y, const float *restrict x, float a, int n) { for (int i = 0; i < n; i++) y[i] += a * x[i]; }
void root(double *restrict y, const double *restrict x, int n) { for (int i = 0; i < n; i++) y[i] = sqrt(x[i]); }
void clamp(float *restrict y, const float *restrict x, float a, float b, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = fminf(fmaxf(x[i], a), b);
}
void four(float *restrict y, const float *restrict x, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = x[i] + x[i + 1] + x[i + 2] + x[i + 3];
}
"""


@test
def two_pipes_of_256_bits_are_four_of_128():
    found = reported(VECTORS, "-O3", "-fno-math-errno")
    for function in ("axpy", "root", "clamp"):
        assert not {"part-of-vector", "flag-target"} & set(found.get(function, {})), found[function]
    assert found["four"]["part-of-vector"]["level"] == "potential", found["four"]
    assert "flag-target" in found["four"], found["four"]


@test
def vectors_of_128_bits_are_all_there_is():
    for core in ("neoverse-n1", "neoverse-n2", "neoverse-v2"):
        for function, rules in reported(VECTORS, "-O3", "-fno-math-errno", core=core).items():
            assert not {"part-of-vector", "flag-target"} & set(rules), (core, function, rules)


SHORT = """
typedef float pair __attribute__((vector_size(8)));
typedef double couple __attribute__((vector_size(16)));
void pairs(pair *restrict y, const pair *restrict x, int n) { for (int i = 0; i < n; i++) y[i] += x[i]; }
void apart(couple *restrict y, const couple *restrict x, long s, long t, int n)
{
    for (int i = 0; i < n; i++)
        y[i * s] += x[i * t];
}
double sum(const double *restrict x, int n)
{
    couple s = {0, 0};
    for (int i = 0; i < n; i += 2)
        s += *(const couple *)&x[i];
    return s[0] + s[1];
}
void full(couple *restrict y, const couple *restrict x, int n) { for (int i = 0; i < n; i++) y[i] += x[i]; }
"""


@test
def short_vectors():
    found = reported(SHORT, "-O2", "-fno-tree-vectorize", "-g0")
    assert "older" not in found["pairs"]["part-of-vector"]["text"], "both are in every processor"
    assert "part-of-vector" not in found.get("apart", {}), found["apart"]
    assert "order of operations" not in found["sum"]["part-of-vector"]["text"], found["sum"]


EXTREMES = """
#include <math.h>
double known(const double *x, int n) { double m = 0; for (int i = 0; i < n; i++) m = fmax(m, x[i]); return m; }
"""


@test
def maxima_that_know_about_nan_need_no_option():
    row = reported(EXTREMES, "-O2")["known"]["not-vectorised"]
    assert "-ffinite-math-only" not in (row["options"] or ""), row


FUSED = """
void beyond(double *restrict y, const double *restrict x, const int *restrict k, double a, double b, double c, double d, int n)
{
    for (int i = 0; i < n; i++) {
        double p = a * x[i], q = b * x[i], r = c * x[i], s = d * x[i];
        if (k[i])
            y[i] = p * q * (r * s);
        else
            y[i] = (p + b) * (q + c) * ((r + d) * (s + a));
    }
}
void here(double *restrict y, const double *restrict x, const double *restrict z, double a, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = (((a * x[i] + z[i]) * x[i] + a) * x[i] + z[i]) * x[i] + a;
}
"""


@test
def products_are_fused_within_a_block():
    assert "missed-fma" not in reported(FUSED, "-O2").get("beyond", {})
    assert "missed-fma" in reported(FUSED, "-O2", "-ffp-contract=off", "-fno-tree-vectorize")["here"]


run()
