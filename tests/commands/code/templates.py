"""Loops that libraries have: which are recognised, by both compilers for both instruction sets, and that nothing else is."""
# first build only: it mostly compiles; the kernels of the corpus run the same code with the sanitizers
import os

from harness import Fail, Folder, command, compilers, rows, run, test

PROGRAM = """void copy(double *restrict y, const double *restrict x, long n) { for (long i = 0; i < n; i++) y[i] = x[i]; }
void copy_bytes(unsigned char *restrict y, const unsigned char *restrict x, long n) { for (long i = 0; i < n; i++) y[i] = x[i]; }
void copy_words(short *restrict y, const short *restrict x, int n) { for (int i = 0; i < n; i++) y[i] = x[i]; }
void fill(double *y, double a, long n) { for (long i = 0; i < n; i++) y[i] = a; }
void fill_zero(int *y, long n) { for (long i = 0; i < n; i++) y[i] = 0; }
double dot(const double *x, const double *y, long n) { double s = 0; for (long i = 0; i < n; i++) s += x[i] * y[i]; return s; }
float dot_float(const float *x, const float *y, int n) { float s = 0; for (int i = 0; i < n; i++) s += x[i] * y[i]; return s; }
void axpy(double *restrict y, const double *restrict x, double a, long n) { for (long i = 0; i < n; i++) y[i] += a * x[i]; }
void axpy_less(float *restrict y, const float *restrict x, float a, int n) { for (int i = 0; i < n; i++) y[i] -= a * x[i]; }
void triad(double *restrict z, const double *restrict y, const double *restrict x, double a, long n) { for (long i = 0; i < n; i++) z[i] = y[i] + a * x[i]; }
void gemv(double *restrict y, const double *restrict a, const double *restrict x, long n) { for (long i = 0; i < n; i++) { double s = 0; for (long j = 0; j < n; j++) s += a[i * n + j] * x[j]; y[i] = s; } }
void gemv_columns(double *restrict y, const double *restrict a, const double *restrict x, long n) { for (long j = 0; j < n; j++) for (long i = 0; i < n; i++) y[i] += a[j * n + i] * x[j]; }
void gemm(double *restrict c, const double *restrict a, const double *restrict b, long n) { for (long i = 0; i < n; i++) for (long j = 0; j < n; j++) { double s = 0; for (long k = 0; k < n; k++) s += a[i * n + k] * b[k * n + j]; c[i * n + j] = s; } }
void gemm_rows(double *restrict c, const double *restrict a, const double *restrict b, long n) { for (long i = 0; i < n; i++) for (long k = 0; k < n; k++) for (long j = 0; j < n; j++) c[i * n + j] += a[i * n + k] * b[k * n + j]; }
enum { M = 300 };
void gemm_fixed(double c[restrict M][M], double a[restrict M][M], double b[restrict M][M]) { for (int i = 0; i < M; i++) for (int j = 0; j < M; j++) for (int k = 0; k < M; k++) c[i][j] += a[i][k] * b[k][j]; }
void transpose(double *restrict y, const double *restrict x, long n) { for (long i = 0; i < n; i++) for (long j = 0; j < n; j++) y[j * n + i] = x[i * n + j]; }
void prefix(double *y, const double *x, long n) { double s = 0; for (long i = 0; i < n; i++) { s += x[i]; y[i] = s; } }
void prefix_ints(int *y, const int *x, long n) { int s = 0; for (long i = 0; i < n; i++) { s += x[i]; y[i] = s; } }
void histogram(unsigned *counts, const unsigned char *x, long n) { for (long i = 0; i < n; i++) counts[x[i]]++; }
void histogram_weights(double *sums, const int *bin, const double *w, long n) { for (long i = 0; i < n; i++) sums[bin[i]] += w[i]; }
/* none of them */
void no_scale(double *restrict y, const double *restrict x, double a, long n) { for (long i = 0; i < n; i++) y[i] = a * x[i]; }
void no_add(double *restrict z, const double *restrict y, const double *restrict x, long n) { for (long i = 0; i < n; i++) z[i] = y[i] + x[i]; }
double no_horner(const double *x, double a, long n) { double s = 0; for (long i = 0; i < n; i++) s = s * a + x[i]; return s; }
double no_horner_two(const double *x, const double *y, long n) { double s = 0; for (long i = 0; i < n; i++) s = s * y[i] + x[i]; return s; }
void no_reverse(double *restrict y, const double *restrict x, long n) { for (long i = 0; i < n; i++) y[i] = x[n - 1 - i]; }
double no_sum(const double *x, long n) { double s = 0; for (long i = 0; i < n; i++) s += x[i]; return s; }
void no_stencil(double *restrict y, const double *restrict x, double a, long n) { for (long i = 1; i < n - 1; i++) y[i] = x[i - 1] + a * x[i] + x[i + 1]; }
void no_gather(double *restrict y, const double *restrict x, const int *k, long n) { for (long i = 0; i < n; i++) y[i] = x[k[i]]; }
void no_scatter(double *restrict y, const double *restrict x, const int *k, long n) { for (long i = 0; i < n; i++) y[k[i]] = x[i]; }
void no_recurrence(double *y, const double *x, double a, long n) { for (long i = 1; i < n; i++) y[i] = a * y[i - 1] + x[i]; }
double no_dot_converted(const float *x, const float *y, long n) { double s = 0; for (long i = 0; i < n; i++) s += (double) x[i] * y[i]; return s; }
void no_convert(double *restrict y, const float *restrict x, long n) { for (long i = 0; i < n; i++) y[i] = x[i]; }
void no_widen(int *restrict y, const short *restrict x, long n) { for (long i = 0; i < n; i++) y[i] = x[i]; }
void no_square(double *restrict y, const double *restrict x, double a, long n) { for (long i = 0; i < n; i++) y[i] += a * x[i] * x[i]; }
void no_scaled_own(double *restrict y, const double *restrict x, double a, long n) { for (long i = 0; i < n; i++) y[i] = a * y[i] + x[i]; }
void no_swap(double *restrict y, double *restrict x, long n) { for (long i = 0; i < n; i++) { double t = x[i]; x[i] = y[i]; y[i] = t; } }
void no_complex(double *restrict z, const double *restrict x, const double *restrict y, long n) { for (long i = 0; i < n; i++) { z[2 * i] = x[2 * i] * y[2 * i] - x[2 * i + 1] * y[2 * i + 1]; z[2 * i + 1] = x[2 * i] * y[2 * i + 1] + x[2 * i + 1] * y[2 * i]; } }
double no_complex_dot(const double *x, const double *y, long n, double *im) { double r = 0, q = 0; for (long i = 0; i < n; i++) { r += x[2 * i] * y[2 * i] - x[2 * i + 1] * y[2 * i + 1]; q += x[2 * i] * y[2 * i + 1] + x[2 * i + 1] * y[2 * i]; } *im = q; return r; }
double no_product(const double *x, long n) { double s = 1; for (long i = 0; i < n; i++) s *= x[i]; return s; }
void no_index(int *y, long n) { for (long i = 0; i < n; i++) y[i] = (int) i; }
void no_swap_bytes(unsigned *restrict y, const unsigned *restrict x, long n) { for (long i = 0; i < n; i++) y[i] = __builtin_bswap32(x[i]); }
void no_places(int *place, const unsigned char *x, int *out, long n) { for (long i = 0; i < n; i++) out[i] = place[x[i]]++; }
double no_dot_and_sum(const double *x, const double *y, long n) { double s = 0, t = 0; for (long i = 0; i < n; i++) { s += x[i] * y[i]; t += x[i]; } return s / t; }
double no_weighted(const double *x, const double *y, const double *w, long n) { double s = 0; for (long i = 0; i < n; i++) s += w[i] * x[i] * y[i]; return s; }
double no_difference(const double *x, const double *y, long n) { double s = 0; for (long i = 0; i < n; i++) s += (x[i] - y[i]) * (x[i] - y[i]); return s; }
void no_member(double *restrict y, const double *restrict x, long n) { for (long i = 0; i < n; i++) y[3 * i] = x[3 * i]; }
void no_decay(double *restrict y, const double *restrict x, double a, double b, long n) { for (long i = 0; i < n; i++) y[i] = y[i] + a * x[i] + b; }
void no_swap_pairs(double *restrict y, const double *restrict x, long n) { for (long i = 0; i < n; i += 2) { y[i] = x[i + 1]; y[i + 1] = x[i]; } }
void no_rotated(double *restrict y, const double *restrict x, double a, long n) { for (long i = 0; i < n; i += 2) { y[i] += a * x[i + 1]; y[i + 1] += a * x[i]; } }
long no_text(char *restrict y, const char *restrict x) { long i = 0; while ((y[i] = x[i])) i++; return i; }
void no_rotation(double *restrict y, const double *restrict x, long n) { for (long i = 0; i < n; i++) for (long j = 0; j < n; j++) y[j * n + (n - 1 - i)] = x[i * n + j]; }
void no_saturating(unsigned char *c, const unsigned char *x, long n) { for (long i = 0; i < n; i++) if (c[x[i]] < 255) c[x[i]]++; }
void no_saturating_min(unsigned char *c, const unsigned char *x, long n) { for (long i = 0; i < n; i++) { unsigned v = c[x[i]] + 1; c[x[i]] = v > 255 ? 255 : v; } }
void no_parity(unsigned *c, const unsigned char *x, long n) { for (long i = 0; i < n; i++) c[x[i]] ^= 1; }
void no_overlap(double *x, long n) { for (long i = n - 1; i > 0; i--) x[i] = x[i - 1]; }
void no_every_second(double *restrict y, const double *restrict x, long n) { for (long i = 0; i < n; i++) y[i] = x[2 * i]; }
void no_bytes(int *r, const signed char *x, const signed char *y, long n) { int s = 0; for (long i = 0; i < n; i++) s += x[i] * y[i]; *r = s; }
void no_negated(double *restrict y, const double *restrict x, long n) { for (long i = 0; i < n; i++) y[i] = -x[i]; }
double no_limit(const double *x, const double *y, long n) { double s = 0; for (long i = 0; i < n && s < 100; i++) s += x[i] * y[i]; return s; }
void no_distances(double *restrict c, const double *restrict a, const double *restrict b, long n) { for (long i = 0; i < n; i++) for (long j = 0; j < n; j++) { double s = 1e300; for (long k = 0; k < n; k++) { double v = a[i * n + k] + b[k * n + j]; s = v < s ? v : s; } c[i * n + j] = s; } }
/* a scalar product, and no more */
void convolution(double *restrict y, const double *restrict x, const double *restrict k, long n, long m) { for (long i = 0; i < n; i++) { double s = 0; for (long j = 0; j < m; j++) s += x[i + j] * k[j]; y[i] = s; } }
double one_sum(const double *a, const double *x, long n) { double s = 0; for (long i = 0; i < n; i++) for (long j = 0; j < n; j++) s += a[i * n + j] * x[j]; return s; }
void dot_backwards(double *r, const double *x, const double *y, long n) { double s = 0; for (long i = n - 1; i >= 0; i--) s += x[i] * y[i]; *r = s; }
void no_condition(double *restrict y, const double *restrict x, long n) { for (long i = 0; i < n; i++) if (x[i] > 0) y[i] = x[i]; }
"""
NAMES = {"copy": "copy", "copy_bytes": "copy", "copy_words": "copy", "fill": "fill", "fill_zero": "fill", "dot": "dot", "dot_float": "dot",
         "axpy": "axpy", "axpy_less": "axpy", "triad": "triad", "gemv": "gemv", "gemv_columns": "gemv", "gemm": "gemm", "gemm_rows": "gemm",
         "gemm_fixed": "gemm", "transpose": "transpose", "prefix": "prefix sum", "prefix_ints": "prefix sum", "histogram": "histogram",
         "histogram_weights": "histogram", "convolution": "dot", "one_sum": "dot", "dot_backwards": "dot"}
# What the nests become where a compiler leaves a scalar loop behind the vectors, or where addresses are computed in a way that is not followed.
WEAKER = {"gemv": {"dot"}, "gemm": {"gemv", "dot"}}
# Missed with these options; the products of matrices are interchanged, unrolled or kept in memory by halves.
MAY_MISS = {"-O3": {"gemm", "gemm_fixed", "dot_backwards"}}


def recognised(folder, compiler, options):
    """By function: the templates of its loops."""
    source, path = os.path.join(folder, "loops.c"), os.path.join(folder, "loops.o")
    with open(source, "w") as file:
        file.write(PROGRAM)
    calls = "-fno-builtin" if compiler[0] == "clang" else "-fno-tree-loop-distribute-patterns"  # no memcpy and memset
    command([*compiler, *options, calls, "-g", "-c", "-o", path, source])
    found = {}
    for row in rows(path, "select f.name, t.template from loop_templates t join loops l on l.id = t.loop join functions f on f.id = l.function"):
        found.setdefault(row["name"], set()).add(row["template"])
    return found


def judge(compiler, options):
    with Folder() as folder:
        found = recognised(folder, compiler, options)
    wrong = {name: kinds for name, kinds in found.items() if name not in NAMES}
    if wrong:
        raise Fail(f"{compiler} {options}: recognised by mistake: {wrong}")
    for name, kind in NAMES.items():
        kinds = found.get(name, set())
        if name == "convolution":
            kinds = kinds - {"fill"}  # with zeros, where there is nothing to add
        allowed = {kind} | WEAKER.get(kind, set()) | ({"axpy"} if name in ("gemv_columns", "gemm_rows") else set())
        if name == "one_sum" and options[0] == "-O3":
            allowed.add("gemv")  # what vectors leave is added up outside the inner loop, which is not looked at
        if kinds - allowed:
            raise Fail(f"{compiler} {options}: {name} is called {kinds}")
        if not kinds and name not in MAY_MISS.get(options[0], set()):
            raise Fail(f"{compiler} {options}: {name} is missed")
        if options[0] == "-O1" and kinds != {kind}:
            raise Fail(f"{compiler} {options}: {name} is {kinds}")


@test
def plain_loops_are_recognised():
    for compiler in compilers("x86_64") + compilers("aarch64"):
        judge(compiler, ["-O1"])


@test
def vectors_are_recognised():
    for compiler in compilers("x86_64"):
        judge(compiler, ["-O3", "-march=x86-64-v3"])
    for compiler in compilers("aarch64"):
        judge(compiler, ["-O3"])


@test
def the_advice_speaks_of_products_alone():
    with Folder() as folder:
        source, path = os.path.join(folder, "loops.c"), os.path.join(folder, "loops.o")
        with open(source, "w") as file:
            file.write(PROGRAM)
        for compiler in compilers("x86_64")[:1] + compilers("aarch64")[:1]:
            command([*compiler, "-O2", "-g", "-c", "-o", path, source])
            said = {(row["name"], row["level"]) for row in rows(path, "select f.name, a.level from advice a join rules r on r.id = a.rule join loops l "
                                                                 "on l.id = a.loop join functions f on f.id = l.function where r.name = 'library-call'")}
            wanted = {("gemm", "potential"), ("gemm_rows", "potential"), ("gemv", "hint"), ("dot", "hint"), ("dot_float", "hint"),
                      ("convolution", "hint"), ("one_sum", "hint"), ("dot_backwards", "hint")}
            if not said or said - wanted or ("gemm", "potential") not in said or ("dot", "hint") not in said:
                raise Fail(f"{compiler}: {said}")


run()
