"""Advice where the file records neither compiler nor options: only what the code itself shows is reported, for whom it may concern."""
import os

from harness import Folder, command, cross, need, rows, run, test

SOURCE = """
extern void see(char **p, long *n);
double sum(const double *x, long n) { double s = 0; for (long i = 0; i < n; i++) s += x[i]; return s; }
void scale(float *x, float a, long n) { for (long i = 0; i < n; i++) x[i] *= a; }
long count(const char *s, char c) { long n = 0; for (; *s; s++) n += *s == c; return n; }
/* The address is known elsewhere, so that the pointer lives in memory even in optimised code. */
char *trim(char *end, char *start) { see(&end, 0); see(&start, 0); while (end != start && *end == ' ') { end--; see(0, 0); } return end; }
"""


def reported(machine, *flags):
    """Functions in which flag-optimisation speaks, of code without debug information and without the compiler's name."""
    compiler = cross("gcc", machine)
    need(compiler)
    with Folder() as folder:
        source, file = os.path.join(folder, "loops.c"), os.path.join(folder, "loops.o")
        with open(source, "w") as out:
            out.write(SOURCE)
        command([compiler, "-c", *flags, "-o", file, source])
        command([cross("objcopy", machine), "-R", ".comment", file])
        found = rows(file, "select distinct f.name from advice a join rules r on r.id = a.rule join loops l on l.id = a.loop "
                           "join functions f on f.id = l.function where r.name = 'flag-optimisation'")
        return {row["name"] for row in found}


@test
def unoptimised_code_is_known_by_its_looks():
    for machine in ("x86_64", "aarch64"):
        found = reported(machine, "-O0")
        assert found == {"sum", "scale", "count", "trim"}, (machine, found)


@test
def optimised_code_is_not_taken_for_it():
    for machine in ("x86_64", "aarch64"):
        for flags in (["-O1"], ["-O2"], ["-Os"], ["-O2", "-fno-omit-frame-pointer"], ["-O3"]):
            found = reported(machine, *flags)
            assert not found, (machine, flags, found)


def audiences(machine, compiler, name, source):
    """Whom the remedies for a stripped shared library speak to."""
    tool = cross(compiler, machine)
    need(tool)
    with Folder() as folder:
        path, file = os.path.join(folder, name), os.path.join(folder, "lib.so")
        with open(path, "w") as out:
            out.write(source)
        command([tool, "-O2", "-shared", "-fPIC", "-o", file, path])
        command([cross("strip", machine), "-R", ".comment", file])
        return {row["audience"] for row in rows(file, "select distinct audience from remedies")}


C_LOOPS = SOURCE + "void see(char **p, long *n) { __builtin_puts(p ? *p : 0); *n = 0; }"
FORTRAN_LOOPS = """subroutine scale(x, n, f)
  real :: x(n), f
  integer :: n, i
  do i = 1, n
    x(i) = x(i) * f + 1.0
  end do
  print *, f
end subroutine
"""


@test
def options_suit_the_processor():
    """AVX2 and FMA, and -march=x86-64-v3 which needs both, are no advice for processors without them."""
    source = ("#include <math.h>\nvoid scale(float *restrict x, const float *restrict y, long n)\n"
              "{ for (long i = 0; i < n; i++) x[i] = x[i] * y[i] + 1; }\n"
              "void fused(double *x, const double *y, long n) { for (long i = 0; i < n; i++) x[i] = fma(x[i], y[i], 1); }\n")
    with Folder() as folder:
        path, file = os.path.join(folder, "loops.c"), os.path.join(folder, "loops.o")
        with open(path, "w") as out:
            out.write(source)
        command([need(cross("gcc", "x86_64")), "-c", "-g", "-O3", "-o", file, path])
        for core, has_them in (("sandy-bridge", False), ("ivy-bridge", False), ("haswell", True)):
            found = " ".join(row["text"] for row in rows(file, "select text from remedies", "--machine", core))
            assert ("avx2" in found) == has_them and ("-mfma" in found) == has_them, (core, found)
            assert has_them or "x86-64-v3" not in found, (core, found)
            assert f"-march={core.replace('-', '')}" in found, (core, found)


@test
def a_file_without_fortrans_library_gets_no_advice_for_fortran():
    for machine in ("x86_64", "aarch64"):
        found = audiences(machine, "gcc", "loops.c", C_LOOPS)
        assert "C" in found and "Fortran" not in found, (machine, found)
        found = audiences(machine, "gfortran", "loops.f90", FORTRAN_LOOPS)
        assert "Fortran" in found, (machine, found)


@test
def an_unknown_compiler_is_gcc_or_clang():
    for machine in ("x86_64", "aarch64"):
        found = audiences(machine, "gcc", "loops.c", C_LOOPS)
        assert not {"Intel", "GCC", "Clang"} & found, found


run()
