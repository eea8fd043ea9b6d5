"""Advice about arithmetic, sums, calls and addresses: loops in which a rule speaks, how sure it is, and loops that look alike
in which it has to be silent.  (Pairs of whole programs are in examples/advice.)"""
import os

from harness import Folder, command, cross, need, rows, run, test

X86, ARM = "x86_64", "aarch64"
CORES = {X86: "sapphire-rapids", ARM: "neoverse-v1"}
ADVICE = ("select f.name as function, r.name as rule, a.level, a.gain, a.is_upper, a.text, a.loop, o.role, "
          "(select count(*) from blocks b where b.loop = a.loop) as block_count from advice a "
          "join rules r on r.id = a.rule join loops l on l.id = a.loop join functions f on f.id = l.function "
          "left join loop_roles o on o.loop = a.loop order by a.id")


def reported(source, *flags, machine=X86, compiler="gcc", core=None):
    """Advice by function and rule, of a text that is compiled; where there is more of a rule, the first."""
    with Folder() as folder:
        suffix = ".f90" if compiler == "gfortran" else ".c"
        path, output = os.path.join(folder, "loop" + suffix), os.path.join(folder, "loop.o")
        with open(path, "w") as out:
            out.write(source)
        command([need(cross(compiler, machine)), "-g", *(flags or ["-O2"]), "-c", "-o", output, path])
        found = {}
        for row in rows(output, ADVICE, "--machine", core or CORES[machine]):
            found.setdefault(row["function"].rstrip("_"), {}).setdefault(row["rule"], row)
        return found


def check(source, rule, speaking, silent, *flags, **options):
    """The rule speaks in these functions, at this level (None: any), and not in those."""
    found = reported(source, *flags, **options)
    for function, level in speaking.items():
        row = found.get(function, {}).get(rule)
        assert row, f"{rule} is silent in {function}; there is {sorted(found.get(function, {}))}"
        assert level in (None, row["level"]), f"{rule} in {function}: {row}"
    for function in silent:
        row = found.get(function, {}).get(rule)
        assert not row, f"{rule} speaks in {function}: {row}"
    return found


DIVISIONS = """
void same(double *x, double d, int n) { for (int i = 0; i < n; i++) x[i] = x[i] / d + 1; }
void often(double *x, double d) { for (int i = 0; i < 1000; i++) x[i] = x[i] / d + 1; }
void other(double *restrict x, const double *restrict d, int n) { for (int i = 0; i < n; i++) x[i] = x[i] / d[i] + 1; }
void shared(double *restrict x, double *restrict y, const double *restrict d, int n)
{
    for (int i = 0; i < n; i++) {
        double root = d[i] * d[i] + 1;
        x[i] = x[i] / root;
        y[i] = y[i] / root;
    }
}
void changed(double *x, double d, int n)
{
    for (int i = 0; i < n; i++) {
        if (x[i] > 1e9)
            d = x[i];
        x[i] = x[i] / d + 1;
    }
}
void addresses(double *restrict x, const double *restrict y, int m, int n)
{
    for (int i = 0; i < n; i++)
        x[i] += y[i % m];
}
void multiplied(double *x, double d, int n) { for (int i = 0; i < n; i++) x[i] = x[i] * d + 1; }
"""


@test
def divisions():
    for machine in (X86, ARM):
        found = check(DIVISIONS, "divider", {"same": "potential", "often": "gain", "other": "potential", "shared": "gain"},
                      ["addresses", "multiplied"], "-O2", machine=machine)
        assert "loop-invariant" in found["same"]["divider"]["text"]
        # The reciprocal is a division, too: in a loop of unknown length the gain is an upper limit.
        assert found["same"]["divider"]["is_upper"] and not found["often"]["divider"]["is_upper"], found
        # With a select instead of a branch (GCC 13), a chain of them is nearly as long as a division of Neoverse V1.
        changed = found["changed"].get("divider")
        has_branch = any(row["block_count"] > 1 for row in found["changed"].values())
        assert changed or (machine == ARM and not has_branch), found["changed"]
        assert not changed or "loop-invariant" not in changed["text"], changed
        assert "same number" in found["shared"]["divider"]["text"]
        assert found["addresses"]["integer-division"]["level"] == "potential", found["addresses"]


INTEGERS = """
#include <stdint.h>
void same(uint64_t *restrict y, const uint64_t *restrict x, uint64_t m, int n) { for (int i = 0; i < n; i++) y[i] = x[i] % m; }
void brief(uint32_t *restrict y, const uint32_t *restrict x, uint32_t m, int n) { for (int i = 0; i < n; i++) y[i] = x[i] / m; }
void each(uint64_t *restrict y, const uint64_t *restrict x, int n) { for (int i = 0; i < n; i++) y[i] = x[i] / y[i]; }
uint64_t common(uint64_t a, uint64_t b) { while (b) { uint64_t rest = a % b; a = b; b = rest; } return a; }
void constant(uint64_t *restrict y, const uint64_t *restrict x, int n) { for (int i = 0; i < n; i++) y[i] = x[i] % 10; }
void power(uint64_t *restrict y, const uint64_t *restrict x, int n) { for (int i = 0; i < n; i++) y[i] = x[i] / 8; }
"""


@test
def divisions_of_integers():
    for machine, core in ((X86, "sapphire-rapids"), (X86, "skylake"), (ARM, "neoverse-v1")):
        found = check(INTEGERS, "integer-division", {"same": "potential", "brief": "potential"}, ["constant", "power"], "-O2",
                      machine=machine, core=core)
        assert found["same"]["integer-division"]["is_upper"], found["same"]
        assert "1 division of 64-bit integers" in found["same"]["integer-division"]["text"], found["same"]
        assert "loop-invariant" in found["same"]["integer-division"]["text"], found["same"]
        assert "of 32-bit integers" in found["brief"]["integer-division"]["text"], found["brief"]
        for function in found:
            assert "divider" not in found[function], found[function]
        # Intel's cores divide 32-bit numbers faster; on Neoverse only large numbers make a difference.
        for function in ("each", "common"):
            row = found[function]["integer-division"]
            assert row["level"] == ("potential" if machine == X86 else "hint"), (core, row)
    assert "up to 20" in found["same"]["integer-division"]["text"], found["same"]


@test
def divisions_that_stay_promise_no_more_than_quicker_ones():
    source = """
#include <math.h>
void roots(double *restrict y, const double *restrict x, int n) { for (int i = 0; i < n; i++) y[i] = 2 * x[i] + sqrt(x[i]); }
void rest(int *restrict y, const int *restrict x, int m, int n) { for (int i = 0; i < n; i++) y[i] = x[i] % m; }
"""
    found = reported(source, "-O2", "-fno-math-errno")
    # Sapphire Rapids: the divider takes 6 cycles for a square root of a double, 3 for one of a float.
    assert abs(found["roots"]["divider"]["gain"] - 2) < 1e-9, found["roots"]
    # Without any division 1.5 cycles are left of 6; a remainder by a constant is more than a product.
    assert 1 < found["rest"]["integer-division"]["gain"] < 3, found["rest"]
    with Folder() as folder:
        path, output = os.path.join(folder, "rest.c"), os.path.join(folder, "rest.o")
        with open(path, "w") as out:
            out.write(source)
        command([need(cross("gcc", X86)), "-g", "-O2", "-fno-math-errno", "-c", "-o", output, path])
        remedies = [row["text"] for row in rows(output, "select m.text from remedies m join advice a on a.id = m.advice "
                                                "join loops l on l.id = a.loop join functions f on f.id = l.function "
                                                "where f.name = 'rest'", "--machine", CORES[X86])]
        assert remedies and not any("float" in it or "-freciprocal-math" in it for it in remedies), remedies


@test
def forbidden_options_are_reported_once():
    source = "void add(double *restrict x, const double *restrict y, int n) { for (int i = 0; i < n; i++) x[i] += y[i]; }"
    found = reported(source, "-O3", "-fno-tree-vectorize")["add"]
    assert found["flag-harmful"]["level"] == "gain" and found["not-vectorised"]["level"] == "hint", found


@test
def no_advice_for_peel_and_tail_loops():
    found = reported(DIVISIONS, "-O3", "-march=haswell", core="haswell")
    assert found["same"]["divider"]["role"] in ("main", "only"), found["same"]


SUMS = """
double sum(const double *x, int n) { double s = 0; for (int i = 0; i < n; i++) s += x[i]; return s; }
double product(const double *x, int n) { double s = 1; for (int i = 0; i < n; i++) s *= x[i]; return s; }
double most(const double *x, int n) { double s = x[0]; for (int i = 0; i < n; i++) s = s > x[i] ? s : x[i]; return s; }
void stored(double *s, const double *x, int n) { for (int i = 0; i < n; i++) *s += x[i]; }
void kept(double *s, double *t, const double *x, int n) { for (int i = 0; i < n; i++) *s += x[i], *t = i; }
void running(double *restrict y, const double *restrict x, int n)
{
    double s = 0;
    for (int i = 0; i < n; i++)
        y[i] = s += x[i];
}
double recurrence(const double *x, double a, int n)
{
    double s = 0;
    for (int i = 0; i < n; i++)
        s = s * a + x[i];
    return s;
}
double power(double a, int n) { double s = 1; while (n--) s *= a; return s; }
long integers(const long *x, int n) { long s = 0; for (int i = 0; i < n; i++) s += x[i]; return s; }
struct link { struct link *next; double value; };
double list(const struct link *l) { double s = 0; for (; l; l = l->next) s += l->value; return s; }
void apart(double *restrict y, const double *restrict x, int n) { for (int i = 0; i < n; i++) y[i] += x[i]; }
"""


@test
def sums():
    for machine in (X86, ARM):
        # Vectors promise more for plain sums and products, with the same options.
        speaking = {"sum": "hint", "product": "hint", "stored": None, "kept": None}
        silent = ["running", "recurrence", "power", "integers", "list", "apart"]
        found = check(SUMS, "reduction", speaking, silent, "-O2", machine=machine)
        assert found["sum"]["not-vectorised"]["level"] == "potential", found["sum"]
        assert "kept in memory" in found["kept"]["reduction"]["text"], found["kept"]
        assert "product" in found["product"]["reduction"]["text"]
    check(SUMS, "reduction", {"most": None}, [], "-O2", "-ffinite-math-only", "-fno-signed-zeros")


@test
def fused_sums_are_recognised_by_the_added_operand():
    source = """
double dot(const double *x, const double *y, int n) { double s = 0; for (int i = 0; i < n; i++) s += x[i] * y[i]; return s; }
double horner(const double *c, double x, int n) { double s = 0; for (int i = 0; i < n; i++) s = s * x + c[i]; return s; }
"""
    # gcc 13 and later unroll short loops, in which the chain is longer than an iteration.
    check(source, "reduction", {"dot": "hint"}, ["horner"], "-O2", "-fno-unroll-loops", "-march=haswell", core="haswell")
    check(source, "reduction", {"dot": "hint"}, ["horner"], "-O2", machine=ARM)


X87 = """
void constants(double *x, int n) { for (int i = 0; i < n; i++) x[i] = x[i] * 0.75L + 0.25L; }
void wanted(long double *x, int n) { for (int i = 0; i < n; i++) x[i] = x[i] * 0.75L + 0.25L; }
long double summed(const double *x, int n) { long double s = 0; for (int i = 0; i < n; i++) s += x[i]; return s; }
void plain(double *x, int n) { for (int i = 0; i < n; i++) x[i] = x[i] * 0.75 + 0.25; }
"""


@test
def x87_by_what_it_is_for():
    check(X87, "x87", {"constants": "potential", "wanted": "hint", "summed": "hint"}, ["plain"])
    check(X87, "x87", {"plain": "gain"}, [], "-O2", "-mfpmath=387")
    check(X87, "x87", {"plain": "gain", "wanted": "hint"}, [], "-O2", "-m32")
    check(X87, "x87", {"wanted": "hint"}, ["plain"], "-O2", "-m32", "-msse2", "-mfpmath=sse")


@test
def complex_products():
    source = """
#include <complex.h>
void product(double complex *restrict x, const double complex *restrict y, int n)
{
    for (int i = 0; i < n; i++)
        x[i] *= y[i];
}
void real(double *restrict x, const double *restrict y, int n)
{
    for (int i = 0; i < n; i++) {
        double a = x[i] < 0 ? -x[i] : x[i], b = y[i] < 0 ? -y[i] : y[i];
        x[i] = a < b ? a / b : b / a;
    }
}
"""
    for machine in (X86, ARM):
        found = check(source, "complex-division", {"product": "potential"}, ["real"], "-O2", machine=machine)
        assert "__muldc3" in found["product"]["complex-division"]["text"]
        check(source, "complex-division", {}, ["product", "real"], "-O2", "-fcx-limited-range", machine=machine)


CALLS = """
#include <math.h>
#include <stdlib.h>
#include <string.h>
void exponentials(double *x, int n) { for (int i = 0; i < n; i++) x[i] = 1 + exp(x[i]); }
__attribute__((noinline)) static double small(double x) { return x * x + 1; }
void own(double *x, int n) { for (int i = 0; i < n; i++) x[i] = 1 + small(x[i]); }
void pointed(double *x, double (*f)(double), int n) { for (int i = 0; i < n; i++) x[i] = 1 + f(x[i]); }
void pieces(char **x, int n) { for (int i = 0; i < n; i++) x[i] = malloc(i); }
void sines(double *x, int n) { for (int i = 0; i < n; i++) x[i] = sin(x[i]); }
void texts(char **x, size_t *y, int n) { for (int i = 0; i < n; i++) y[i] = strlen(x[i]); }
void none(double *x, int n) { for (int i = 0; i < n; i++) x[i] = 1 + x[i]; }
"""


@test
def calls():
    for machine in (X86, ARM):
        found = check(CALLS, "calls", {"exponentials": "potential", "own": "potential", "pointed": "hint", "pieces": "hint",
                                       "sines": "potential"},
                      ["texts", "none"], "-O2", machine=machine)
        assert ": exp." in found["exponentials"]["calls"]["text"], found["exponentials"]
        assert "small" in found["own"]["calls"]["text"] and "through a pointer" in found["pointed"]["calls"]["text"]
    # Functions that work on vectors are as it should be.
    check(CALLS, "calls", {}, ["exponentials"], "-O3", "-march=haswell", "-ffast-math", core="haswell")


@test
def sums_under_a_condition_are_less_sure():
    source = """
int first(const double *x, int n) { for (int i = 0; i < n; i++) if (x[i] > 4) return i; return n; }
double some(const double *restrict x, const int *restrict y, int n, int *count)
{
    double s = 0;
    for (int i = 0; i < n; i++)
        if (y[i] > 2) { s += x[i]; ++*count; }
    return s;
}
"""
    found = reported(source, "-O2", "-fno-if-conversion", "-fno-if-conversion2", "-fno-tree-loop-if-convert")
    assert "reduction" not in found.get("first", {}), found["first"]
    assert found.get("some", {}).get("reduction", {}).get("level") != "gain", found["some"]


@test
def multiply_adds_by_what_they_bring():
    source = """
void alone(double *restrict x, const double *restrict y, const int *restrict at, double a, double b, double c, int n)
{
    for (int i = 0; i < n; i++) {
        double v = y[at[i]];
        x[at[i]] = ((v * a + b) * v + c) * v + a;
    }
}
void vectors(double *restrict x, double a, double b, double c, int n)
{
    for (int i = 0; i < n; i++)
        x[i] = ((x[i] * a + b) * x[i] + c) * x[i] + a;
}
"""
    check(source, "missed-fma", {"alone": "gain", "vectors": "hint"}, [], "-O2", "-fno-tree-vectorize", core="skylake")
    # Beside code that has multiply-adds, and with nothing known of the options, it may be a version for older processors.
    other = source + """
__attribute__((target("fma"))) double fused(double x, double y, double z) { return x * y + z; }
"""
    found = check(other, "missed-fma", {"alone": "potential"}, [], "-O2", "-g0", "-fno-tree-vectorize", core="skylake")
    assert "older" in found["alone"]["missed-fma"]["text"], found
    check(other, "missed-fma", {"alone": "gain"}, [], "-O2", "-fno-tree-vectorize", core="skylake")


@test
def conversions_of_counters_and_of_elements():
    source = """
void counter(float *x, float a, int n) { for (int i = 0; i < n; i++) x[i] = a * (float)i; }
void elements(float *restrict x, const long *restrict y, int n) { for (int i = 0; i < n; i++) x[i] = (float)y[i]; }
"""
    found = reported(source, "-O2", "-fno-tree-vectorize", core="skylake")
    # Vectors are better than an array, and a counter in floating point takes longer than the loop.
    row = found["counter"].get("conversions")
    assert not row or row["level"] == "hint", row
    # The counter only says where they are.
    row = found["elements"].get("conversions")
    assert not row or (row["level"] == "hint" and "counter" not in row["text"]), row


@test
def divisions_beside_roots_stay_as_slow_in_vectors():
    source = """
#include <math.h>
void mixed(double *restrict y, const double *restrict x, const double *restrict z, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = sqrt(x[i]) / z[i] + x[i] / (z[i] + 1);
}
"""
    # Neoverse V1 divides two numbers as a vector in the time of two divisions.
    check(source, "flag-math-errno", {}, ["mixed"], "-O2", machine=ARM)
    check(source, "flag-math-errno", {"mixed": "potential"}, [], "-O2", machine=X86)


@test
def missing_debug_information_is_reported_once():
    source = """
void one(double *x, int n) { for (int i = 0; i < n; i++) x[i] += 1; }
void two(double *x, int n) { for (int i = 0; i < n; i++) x[i] *= 3; }
"""
    found = reported(source, "-O2", "-g0")
    assert "flag-debug" in found["one"] and "flag-debug" not in found.get("two", {}), found


POINTERS = """
struct inner { long n; unsigned char *bytes; double *numbers; };
struct outer { struct inner *inner; };
void again(struct outer *o, int n) { for (int i = 0; i < n; i++) o->inner->bytes[i] = o->inner->bytes[i] + 3; }
void before(struct outer *o, int n)
{
    unsigned char *bytes = o->inner->bytes;
    for (int i = 0; i < n; i++)
        bytes[i] = bytes[i] + 3;
}
/* Numbers cannot change pointers. */
void numbers(struct outer *o, int n) { for (int i = 0; i < n; i++) o->inner->numbers[i] *= 3; }
/* The pointer moves, although it is always in the same place. */
void moving(struct inner *s, const unsigned char *from, int n) { for (int i = 0; i < n; i++) *s->bytes++ = from[i]; }
"""


@test
def pointers_that_are_loaded_again():
    for machine in (X86, ARM):
        flags = ["-O2", "-fno-tree-vectorize"]
        found = check(POINTERS, "double-indirection", {"again": None}, ["before", "numbers", "moving"], *flags, machine=machine)
        assert "through another pointer" in found["again"]["double-indirection"]["text"]
        found = check(POINTERS, "double-indirection", {"numbers": None}, ["before"], *flags, "-fno-strict-aliasing",
                      machine=machine)


FORTRAN = """
subroutine shaped(a, b, n)
  real(8) :: a(:), b(:)
  integer :: n, i
  do i = 1, n
     a(i) = a(i) * 0.5d0 + b(i)
  end do
end subroutine
subroutine contiguously(a, b, n)
  real(8), contiguous :: a(:), b(:)
  integer :: n, i
  do i = 1, n
     a(i) = a(i) * 0.5d0 + b(i)
  end do
end subroutine
subroutine along(a, b, n, m)
  integer :: n, m, i
  real(8) :: a(m, n), b(n)
  do i = 1, n
     a(1, i) = a(1, i) * 0.5d0 + b(i)
  end do
end subroutine
subroutine picked(a, b, k, n, m)
  integer :: n, m, i
  integer :: k(n)
  real(8) :: a(m, n), b(n)
  do i = 1, n
     b(i) = b(i) + a(1, k(i))
  end do
end subroutine
"""


@test
def fortran_arrays_with_gaps():
    for machine in (X86, ARM):
        found = check(FORTRAN, "fortran-pointer", {"shaped": "potential"}, ["contiguously", "along", "picked"], "-O2",
                      machine=machine, compiler="gfortran")
        assert found["shaped"]["fortran-pointer"]["text"].endswith("descriptor in this routine: a, b."), found["shaped"]


ADDRESSES = """
void split(double *restrict x, const double *restrict y, const double *restrict z, int m, int n)
{
    for (int i = 0; i < n; i++)
        x[i] = x[i] * 0.5 + y[i % m] * z[i / m];
}
void plain(double *restrict x, const double *restrict y, int n) { for (int i = 0; i < n; i++) x[i] = x[i] * 0.5 + y[i]; }
void indexed(double *restrict x, const double *restrict y, const int *restrict k, int n)
{
    for (int i = 0; i < n; i++)
        x[i] = x[i] * 0.5 + y[k[i]];
}
unsigned table(const unsigned *t, const unsigned char *x, int n)
{
    unsigned s = 0;
    for (int i = 0; i < n; i++)
        s = t[(s ^ x[i]) & 255] ^ (s >> 8);
    return s;
}
"""


@test
def addresses():
    for machine in (X86, ARM):
        found = check(ADDRESSES, "scalar-integer", {"split": "gain"}, ["plain", "indexed", "table"], "-O2", machine=machine)
        assert "division" in found["split"]["scalar-integer"]["text"]
        assert "divider" not in found["split"], found["split"]
        check(ADDRESSES, "scalar-integer", {}, ["split", "plain"], "-O0", machine=machine)


SECTIONS = """
module parts
  type grid
     real(8), pointer :: p(:)
     real(8), allocatable :: a(:)
  end type grid
contains
  subroutine rows(x, n, m)
    integer, intent(in) :: n, m
    real(8), intent(inout) :: x(:, :)
    integer :: i
    external :: other
    do i = 1, m
       call other(x(i, 1:n), n)
    end do
  end subroutine rows
  subroutine columns(x, n, m)
    integer, intent(in) :: n, m
    real(8), contiguous, intent(inout) :: x(:, :)
    integer :: i
    external :: other
    do i = 1, m
       call other(x(1:n, i), n)
    end do
  end subroutine columns
  subroutine copied(x, y, n, m)
    integer, intent(in) :: n, m
    real(8), intent(inout) :: x(n, m), y(m)
    integer :: i, k
    external :: other
    do i = 1, n
       do k = 1, m
          y(k) = x(i, k)
       end do
       call other(y, m)
    end do
  end subroutine copied
  subroutine pointed(g, n, s)
    type(grid), intent(inout) :: g
    integer, intent(in) :: n
    real(8), intent(in) :: s
    integer :: i
    do i = 1, n
       g%p(i) = g%p(i) * s + 1
    end do
  end subroutine pointed
  subroutine allocated_(g, n, s)
    type(grid), intent(inout) :: g
    integer, intent(in) :: n
    real(8), intent(in) :: s
    integer :: i
    do i = 1, n
       g%a(i) = g%a(i) * s + 1
    end do
  end subroutine allocated_
end module parts
"""


@test
def fortran_sections_and_components():
    for machine in (X86, ARM):
        found = {name.rsplit("_MOD_", 1)[-1]: of for name, of in
                 reported(SECTIONS, "-O2", machine=machine, compiler="gfortran").items()}
        assert found["rows"]["array-temporary"]["level"] == "potential", found["rows"]
        assert "p, a." in found["pointed"]["fortran-pointer"]["text"], found["pointed"]
        for name in ("columns", "copied", "pointed", "allocated"):
            assert "array-temporary" not in found.get(name, {}), found[name]
        for name in ("columns", "copied", "allocated"):
            assert "fortran-pointer" not in found.get(name, {}), found[name]


ROUNDED = """
#include <math.h>
void lower(double *restrict y, const double *restrict x, int n) { for (int i = 0; i < n; i++) y[i] = floor(x[i]); }
void upper(float *restrict y, const float *restrict x, int n) { for (int i = 0; i < n; i++) y[i] = ceilf(x[i]); }
void rest(double *restrict y, const double *restrict x, int n) { for (int i = 0; i < n; i++) y[i] = x[i] - (int) x[i]; }
"""


@test
def numbers_that_are_rounded_without_an_instruction():
    found = check(ROUNDED, "conversions", {"lower": "potential", "upper": "potential", "rest": "hint"}, [], "-O3")
    assert "rounded" in found["lower"]["conversions"]["text"], found["lower"]
    for flags, machine in ((("-O3", "-msse4.1"), X86), (("-O3",), ARM)):
        check(ROUNDED, "conversions", {}, ["lower", "upper"], *flags, machine=machine)

run()
