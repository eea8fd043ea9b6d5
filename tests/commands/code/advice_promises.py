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
            assert row["level"] == "potential" and "wrap" not in row["text"], (machine, row)
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
void different(double *x, const double *y) { for (int i = 0; i < 1023; i++) x[i] = y[i] * 3; }
void nested(double *x, const double *y, int n)
{
    for (int k = 0; k < n; k++)
        for (int i = 0; i < 1024; i++)
            x[i] += y[i] * k;
}
void ahead(double *x) { for (int i = 0; i < 1023; i++) x[i] = x[i + 1] * 3; }
double sum(const double *x) { double s = 0; for (int i = 0; i < 1023; i++) s += x[i]; return s; }
"""


@test
def long_and_independent_loops_are_a_gain():
    for machine in CORES:
        found = reported(INDEPENDENT, "-O2", machine=machine)
        for function in ("different", "nested", "ahead", "sum"):
            row = found[function]["not-vectorised"]
            assert row["level"] == "gain" and not row["is_upper"], (machine, row)


@test
def unknown_numbers_of_iterations_are_potential():
    """Whether the loop is in another one or not; and for sums, which vectors do not cover."""
    source = """
void plain(double *x, const double *y, int n) { for (int i = 0; i < n; i++) x[i] = y[i] * 3; }
double sum(const double *x, int n) { double s = 0; for (int i = 0; i < n; i++) s += x[i]; return s; }
double by_index(const double *x, const int *k, int n) { double s = 0; for (int i = 0; i < n; i++) s += x[k[i]]; return s; }
"""
    for machine in CORES:
        found = reported(source, "-O2", machine=machine)
        for function, rule in (("plain", "not-vectorised"), ("sum", "not-vectorised"), ("by_index", "reduction")):
            if rule == "reduction" and machine == X86:
                continue  # the branch limits as well
            row = found[function][rule]
            assert row["level"] == "potential" and row["is_upper"], (machine, row)
            assert "number of iterations is unknown" in row["text"], (machine, row)


SHORT = """
struct part { double a, b, c, d, e, f, g, h, i, j, k, l; };
struct picture { int width; unsigned char planes; float *data; };
void by_byte(float *y, const struct picture *p) { int n = p->planes; for (int i = 0; i < n; i++) y[i] = p->data[i] * 3; }
void by_test(float *y, const float *x, int channels, int *stereo)
{
    if (channels == 2)
        *stereo = 1;
    for (int i = 0; i < channels; i++)
        y[i] = x[i] * 3;
}
void by_end(float *restrict y, const float *restrict x, int first) { for (int i = first; i < 15; i++) y[i] = x[i] * 3; }
double by_step(const struct part *x, int n) { double s = 0; for (int i = 0; i < n; i++) s += x[i].c; return s; }
"""


@test
def loops_that_seem_short_are_a_hint_at_most():
    for machine in CORES:
        found = reported(SHORT, "-O2", machine=machine)
        for function, advice in found.items():
            for rule in ("not-vectorised", "reduction"):
                assert advice.get(rule, {"level": "hint"})["level"] == "hint", (machine, advice)
        for function in ("by_byte", "by_test"):
            assert "over channels, axes or fields" in found[function]["not-vectorised"]["text"], (machine, found[function])


MOVING = """
void copied(int *y, const int *x, int n) { for (int i = 0; i < n; i++) y[i] = x[i]; }
void counted(int *y, int n) { for (int i = 0; i < n; i++) y[i] = i; }
void pointed(char **y, char *x, int n) { for (int i = 0; i < n; i++) y[i] = x + 16 * i; }
void reversed(int *y, const int *x, int n) { for (int i = 0; i < n; i++) y[n - 1 - i] = x[i]; }
void exchanged(int *y, int *x, int n) { for (int i = 0; i < n; i++) { int t = y[i]; y[i] = x[i]; x[i] = t; } }
void widened(long *y, const short *x, int n) { for (int i = 0; i < n; i++) y[i] = x[i]; }
void repeated(int *y, int x, int n) { for (int i = 0; i < n; i++) y[i] = x; }
void bytes(char *y, const char *x, int n) { for (int i = 0; i < n; i++) y[i] = x[i]; }
void some(char *y, const char *x, int m, const int *n)
{
    for (int i = 0; i < m; i++)
        for (int k = n[i]; k < n[i + 1]; k++)
            y[k] = x[k];
}
void rows(int *y, const int *x, int m, const int *n)
{
    for (int i = 0; i < m; i++)
        for (int k = n[i]; k < n[i + 1]; k++)
            y[k] = x[k];
}
"""


@test
def memcpy_is_offered_for_copies_alone():
    words = {"counted": "counter", "pointed": "addresses", "reversed": "reverses", "exchanged": "exchanges",
             "widened": "more or fewer bytes", "repeated": "value of several bytes"}
    for machine in CORES:
        found = reported(MOVING, "-O2", machine=machine)
        row = found["copied"]["not-vectorised"]
        assert row["level"] == "potential" and "copy" in row["actions"].split(","), (machine, row)
        assert "only copies data" in row["text"] and "gets slower" in row["text"], (machine, row)
        for function, word in words.items():
            row = found.get(function, {}).get("not-vectorised")
            if not row and machine == X86 and function in ("widened", "reversed"):
                continue  # no gain by SSE2
            assert word in row["text"] or row["gain"], (machine, row)
            assert "copy" not in row["actions"].split(","), (machine, row)
        # Few bytes in a loop within another; a function that does nothing else is a memcpy.
        for function in ("some", "rows"):
            assert found[function]["not-vectorised"]["level"] == "hint", (machine, found[function])
        assert found["bytes"]["not-vectorised"]["level"] == "potential", (machine, found["bytes"])


@test
def a_second_exit_is_an_obstacle():
    source = """
void f(float *restrict y, const float *restrict x, int n, int m)
{
    int i = 0;
    while (i < n) {
        if (i + 3 * n == m)
            break;
        y[i] = x[i] * 3;
        i++;
        m -= 2;
    }
}
"""
    for machine in CORES:
        found = reported(source, "-O2", machine=machine)
        assert found.get("f", {}).get("not-vectorised", {"level": "hint"})["level"] == "hint", (machine, found)


@test
def groups_that_are_accessed_backwards():
    source = """
struct complex_ { float r, i; };
void f(struct complex_ *restrict y, const struct complex_ *restrict x, const struct complex_ *restrict t, int n)
{
    for (int i = 0; i < n; i++) {
        float ar = x[i].r + x[n - i].r, ai = x[i].i - x[n - i].i;
        float br = x[i].r - x[n - i].r, bi = x[i].i + x[n - i].i;
        float tr = br * t[i].r - bi * t[i].i, ti = br * t[i].i + bi * t[i].r;
        y[i].r = .5f * (ar + tr);
        y[i].i = .5f * (ai + ti);
        y[n - i].r = .5f * (ar - tr);
        y[n - i].i = .5f * (ti - ai);
    }
}
"""
    row = reported(source, "-O2", machine=ARM)["f"]["not-vectorised"]
    assert row["level"] == "hint" and "backwards" in row["text"], row
    assert "layout" in row["actions"] and not {"optimise", "simd", "restrict"} & set(row["actions"].split(",")), row


TABLES = """
void table(float *restrict y, const float *restrict x, const int *restrict k, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = x[k[i]] * 3 + y[i] * y[i] * 2 + y[i];
}
void column(float *restrict y, const float *restrict x, int n, int m)
{
    for (int i = 0; i < n; i++)
        y[i] = x[m * i] * 3 + y[i] * y[i] * 2 + y[i] * y[i] * y[i] + 1 / y[i];
}
"""


@test
def loops_are_exchanged_for_strides_alone():
    for machine in CORES:
        found = reported(TABLES, "-O2", machine=machine)
        row = found["table"].get("not-vectorised")
        assert not row or "exchange" not in row["actions"].split(","), (machine, row)
        assert not row or machine == X86 or row["level"] == "hint", row
        row = found["column"]["not-vectorised"]
        assert "exchange" in row["actions"].split(","), (machine, row)


SIDES = """
void select(int *restrict y, const double *restrict x, double f, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = x[i] * 2 >= f ? y[i] : 0;
}
void compute(double *restrict y, const double *restrict x, double f, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = x[i] * 2 > f ? x[i] * 3 + 1 / x[i] : x[i];
}
void store(double *restrict y, const double *restrict x, double f, int n)
{
    for (int i = 0; i < n; i++)
        if (x[i] * 2 > f)
            y[i] = 0;
}
"""


@test
def branches_that_only_select_need_no_further_option():
    remedies = "select f.name as function, m.text from remedies m join advice a on a.id = m.advice join rules r on r.id = a.rule " \
               "join loops l on l.id = a.loop join functions f on f.id = l.function where r.name = 'not-vectorised'"
    for machine in CORES:
        with Folder() as folder:
            path, output = os.path.join(folder, "loop.c"), os.path.join(folder, "loop.o")
            with open(path, "w") as out:
                out.write(SIDES)
            command([need(cross("gcc", machine)), "-g", "-O2", "-c", "-o", output, path])
            texts = {}
            for row in rows(output, remedies, "--machine", CORES[machine]):
                texts[row["function"]] = texts.get(row["function"], "") + row["text"]
        assert "Compile with -O3" in texts["select"] and "trapping" not in texts["select"], (machine, texts)
        assert "-fno-trapping-math" in texts["compute"], (machine, texts)
        assert "Store in every iteration" in texts["store"] and "trapping" not in texts["store"], (machine, texts)


@test
def pairs_of_loaded_pointers_are_two_arrays():
    """Both come from one ldp: that is not one array."""
    source = """
struct data { const double *in; double *out; long size; };
void g(struct data *d, long n, long k)
{
    const double *in = d->in + k;
    double *out = d->out + k;
    for (long i = 0; i < n; i++)
        out[i] = in[i] * 3;
}
"""
    row = reported(source, "-O2", machine=ARM)["g"]["not-vectorised"]
    assert "array that it stores to" not in row["text"], row


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
    """Two running sums of vectors, as Clang makes them: 10.6 measured on a Skylake-X for the first."""
    flags = ["-O2", "-fno-vectorize", "-fno-slp-vectorize"]
    plain = promised(*flags, compiler="clang")
    assert plain["sum"]["gain"] == 8 and "With 128-bit vectors" in plain["sum"]["text"], plain
    wide = promised(*flags, "-mavx2", compiler="clang")
    assert wide["sum"]["gain"] == 16 and "With 256-bit vectors" in wide["sum"]["text"], wide
    newer = """
__attribute__((target("avx2"))) void newer(float *x, const float *y)
{
    typedef float eight __attribute__((vector_size(32), aligned(4)));
    *(eight *)x = *(const eight *)y;
}
"""
    row = reported(STREAMS + newer, *flags, compiler="clang")["sum"]["not-vectorised"]
    assert row["gain"] == 16 and row["is_upper"], row


PATHS = """
#include <math.h>
/* The divisions keep numbers from overflowing: hardly any iteration does them. */
double scaled(const double *x, double big)
{
    double a = 1, b = 1, c = 1;
    for (int i = 0; i < 1024; i++) {
        a = a * x[i] + 1; b = b * x[i] + a; c = c * x[i] + b;
        if (fabs(c) > big) { a /= big; b /= big; c /= big; }
    }
    return a + b + c;
}
void always(double *restrict y, const double *restrict x, double big)
{
    for (int i = 0; i < 1024; i++)
        y[i] = x[i] / big;
}
"""


@test
def what_one_of_several_paths_gains_is_not_certain():
    for machine in CORES:
        found = reported(PATHS, "-O2", machine=machine)
        row = found["scaled"].get("divider", {"level": "potential", "is_upper": 1} if machine == ARM else {})
        assert (row.get("level"), row.get("is_upper")) == ("potential", 1), (machine, row)  # latency is longer on ARM
        assert found["always"]["divider"]["level"] == "gain", (machine, found["always"]["divider"])


BASELINE = """
void select(int *restrict x, const int *restrict y, int n) { for (int i = 0; i < n; i++) x[i] = x[i] > y[i] ? y[i] : x[i]; }
void product(int *restrict x, const int *restrict y, int n) { for (int i = 0; i < n; i++) x[i] = x[i] * y[i]; }
void longs(long *restrict x, const long *restrict y, int n) { for (int i = 0; i < n; i++) x[i] = x[i] > y[i] ? y[i] : x[i]; }
"""


@test
def the_baseline_of_x86_has_no_selections_and_no_32_bit_products():
    """SSE2 takes three operations for the one, seven instructions for the other, and does not compare 64-bit integers."""
    found = {name: rules["not-vectorised"] for name, rules in reported(BASELINE, "-O2").items()}
    assert found["select"]["gain"] < 3 and found["product"]["gain"] < 2, found
    assert "That needs another target" in found["longs"]["text"], found["longs"]

run()
