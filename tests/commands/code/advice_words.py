"""Sentences of the report that were wrong once: lanes that no vector has, levels of optimisation that were not used, places without
their file, names as the linker has them, and remedies that the source has already."""
import os, re

from harness import Folder, command, cross, need, run, test, text

CORE = {"x86_64": "sapphire-rapids", "aarch64": "neoverse-v1+nosve"}


def words(source, *flags, machine="aarch64", compiler="gcc", name="loop.c"):
    """The whole report, in one line."""
    with Folder() as folder:
        path, output = os.path.join(folder, name), os.path.join(folder, "loop.o")
        with open(path, "w") as out:
            out.write(source)
        tool = [need("clang"), f"--target={machine}-linux-gnu"] if compiler == "clang" else [need(cross(compiler, machine))]
        command([*tool, "-g", *flags, "-c", "-o", output, path])
        return re.sub(r"\s+", " ", text("report", output, "--all", "--level", "hint", "--machine", CORE[machine]))


MIXED = """
void mixed(float *restrict y, const double *restrict x, const float *restrict z, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = (float)(x[i] * 2.0) + z[i];
}
"""
PLAIN = "void plain(double *restrict y, const double *restrict x, int n) { for (int i = 0; i < n; i++) y[i] = 3 * x[i]; }"


@test
def lanes_are_never_averaged():
    """Doubles and floats in one loop: no vector holds 3 numbers."""
    said = words(MIXED, "-O2")
    assert "vectors of this machine hold 2 of its widest numbers and 4 of its narrowest." in said, said
    assert "vectors of this machine hold 2 such numbers." in words(PLAIN, "-O2")


BRANCH = """
void branch(float *y, const float *x, const float *z, int n)
{
    for (int i = 0; i < n; i++)
        if (x[i] > 0)
            y[i] = z[i] / x[i];
}
"""


@test
def the_level_of_optimisation_is_the_one_in_use():
    for level in ("-O2", "-O3"):
        said = words(BRANCH, level)
        assert "the compiler did not vectorise it: a branch handles some elements" in said, (level, said)
        assert "at -O2:" not in said, (level, said)


@test
def wide_steps_are_not_called_unforeseeable():
    """A step of 2048 bytes is the same in every iteration; indices are another matter."""
    strided = words("float sum(const float *x, int n) { float s = 0; for (int i = 0; i < n; i++) s += x[(long)i * n]; return s; }", "-O2")
    assert "far apart" in strided and "foresee" not in strided and "loaded values decide" not in strided, strided
    said = words("float sum(const float *x, const int *k, int n) { float s = 0; for (int i = 0; i < n; i++) s += x[k[i]]; return s; }", "-O2")
    assert "loaded values decide where its loads go" in said, said


HEADER = """
# 7 "pick.h"
static inline long pick(long s, const int *x, const int *y, int i, int t) { if (x[i] < t) s += y[i]; return s; }
# 2 "loop.c"
long sum(const int *x, const int *y, int n, int t) { long s = 0; for (int i = 0; i < n; i++) s = pick(s, x, y, i, t); return s; }
"""


@test
def places_have_their_file():
    said = words(HEADER, "-O2", machine="x86_64")
    assert "At pick.h:7 the loop compares" in said and "At line" not in said, said


CALLS = """
namespace grid { double step(double x, int i); }
double sum(const double *x, int n) { double s = 0; for (int i = 0; i < n; i++) s += grid::step(x[i], i); return s; }
"""


@test
def names_are_those_of_the_source():
    said = words(CALLS, "-O2", compiler="g++", name="loop.cpp")
    assert "call in each iteration: grid::step" in said and "_ZN4grid" not in said, said


ONE_SCALAR = """
#include <arm_neon.h>
float sum(const float *x, int n)
{
    float s = 0;
    for (int i = 0; i < n; i++)
        s += vaddvq_f32(vld1q_f32(x + 4 * i));
    return s;
}
"""


@test
def one_is_singular():
    assert "vector instructions and 1 is scalar." in words(ONE_SCALAR, "-O2")


UNRESTRICTED = PLAIN.replace("restrict ", "")


@test
def restrict_is_not_advised_where_it_is():
    """Parameters that the function only loads through need not have it."""
    one = PLAIN.replace("const double *restrict", "const double *")
    for machine in CORE:
        assert "that do not overlap restrict" in words(UNRESTRICTED, "-O2", machine=machine)
        for source in (PLAIN, one, PLAIN.replace("restrict y", "__restrict y")):
            assert "that do not overlap restrict" not in words(source, "-O2", machine=machine), (machine, source)


run()
