"""Advice about memory: what registers could keep, what lies badly, what is looked up.  Loops in which a rule speaks, with
gains that are known by hand, and loops that look alike in which it has to be silent."""
import os

from harness import ROOT, Folder, command, cross, need, rows, run, test

X86, ARM = "x86_64", "aarch64"
CORES = {X86: "sapphire-rapids", ARM: "neoverse-v1"}
ADVICE = ("select f.name as function, r.name as rule, a.level, a.gain, a.cycles, a.is_upper, a.text, (select count(*) from "
          "advice_evidence e where e.advice = a.id) as evidence, (select group_concat(m.text, ' ') from remedies m where "
          "m.advice = a.id) as remedies from advice a join rules r on r.id = a.rule join loops l on l.id = a.loop join "
          "functions f on f.id = l.function order by a.id")


def reported(source, *flags, machine=X86, core=None, suffix=".c", links=False):
    """Advice by function and rule, of a text that is compiled, or assembled; the first of each."""
    with Folder() as folder:
        path, output = os.path.join(folder, "loop" + suffix), os.path.join(folder, "loop")
        with open(path, "w") as out:
            out.write(source)
        command([need(cross("gcc", machine)), "-g", *(flags or ["-O2"]), *([] if links else ["-c"]), "-o", output, path])
        found = {}
        for row in rows(output, ADVICE, "--machine", core or CORES[machine]):
            found.setdefault(row["function"], {}).setdefault(row["rule"], row)
        return found


def speaks(found, function, rule, level=None, gain=None):
    row = found.get(function, {}).get(rule)
    assert row, f"{rule} is silent in {function}; there is {sorted(found.get(function, {}))}"
    assert level in (None, row["level"]), f"{rule} in {function}: {row}"
    assert gain is None or abs(row["gain"] - gain) < 1e-6, f"{rule} in {function}: {row}"
    assert row["evidence"] and row["remedies"], f"{rule} in {function}: {row}"
    return row


def is_silent(found, rule, *functions):
    for function in functions:
        row = found.get(function, {}).get(rule)
        assert not row, f"{rule} speaks in {function}: {row}"


LOADS = """
#include <stdint.h>
struct key { uint32_t flip, add, keep, set, more, last; };
void again(int n, const double *a, const double *b, double *x, double *y)
{
    for (int i = 0; i < n; i++) {
        x[i] = a[i] * b[i];
        y[i] = a[i] + b[i];
    }
}
void promised(int n, const double *restrict a, const double *restrict b, double *restrict x, double *restrict y)
{
    for (int i = 0; i < n; i++) {
        x[i] = a[i] * b[i];
        y[i] = a[i] + b[i];
    }
}
void still(int n, const uint32_t *from, uint32_t *to, const struct key *key)
{
    for (int i = 0; i < n; i++)
        to[i] = (((((from[i] ^ key->flip) + key->add) & key->keep) | key->set) + key->more) ^ key->last;
}
void copied(int n, const uint32_t *from, uint32_t *to, const struct key *where)
{
    struct key key = *where;
    for (int i = 0; i < n; i++)
        to[i] = (((((from[i] ^ key.flip) + key.add) & key.keep) | key.set) + key.more) ^ key.last;
}
"""


@test
def loads_that_a_register_could_save():
    found = reported(LOADS, "-O2")
    # Seven loads, three a cycle, take 7/3 cycles; ten µops, six a cycle, take 10/6.
    row = speaks(found, "still", "loads")
    assert 1.1 < row["gain"] < 1.41, row
    assert row["text"].startswith("6 of the 7 loads"), row
    assert "restrict" in row["remedies"] and row["evidence"] == 6, row
    is_silent(found, "loads", "promised", "copied")
    # Haswell loads two a cycle: four of a and b, twice, take two, and two once each take one.
    row = speaks(reported(LOADS, "-O2", core="haswell"), "again", "loads")
    assert "loaded already" in row["text"], row


@test
def loads_without_a_free_register_are_no_fault():
    coefficients = 40
    body = " + ".join(f"c[{i}] * x[i + {i}]" for i in range(coefficients))
    found = reported(f"void k(int n, const double *c, const double *x, double *y) {{ for (int i = 0; i < n; i++) y[i] = {body}; }}",
                 "-O2", core="haswell")
    row = found.get("k", {}).get("loads")
    if row:
        # No more than fit into the sixteen registers that there are.
        assert row["evidence"] < 16, row


STORES = """
#include <stdint.h>
struct check { uint64_t sum, mixed, any, all; };
void stored(int n, const unsigned char *from, struct check *check)
{
    for (int i = 0; i < n; i++) {
        check->sum += from[i];
        check->mixed ^= from[i];
        check->any |= from[i];
        check->all &= from[i];
    }
}
void once(int n, const unsigned char *from, struct check *where)
{
    struct check check = *where;
    for (int i = 0; i < n; i++) {
        check.sum += from[i];
        check.mixed ^= from[i];
        check.any |= from[i];
        check.all &= from[i];
    }
    *where = check;
}
void counted(int n, const unsigned char *from, uint64_t *counts)
{
    for (int i = 0; i < n; i++) {
        counts[from[i]]++;
        counts[0]++;
    }
}
void moving(int n, uint64_t *to) { for (int i = 0; i < n; i++) to[i] = (uint64_t)i * 3; }
void sum(int n, const double *from, double *to, double *total)
{
    for (int i = 0; i < n; i++) {
        to[i] = 0.5 * from[i] + 1;
        *total += to[i];
    }
}
"""


@test
def stores_of_what_only_the_end_needs():
    found = reported(STORES, "-O2")
    # Four stores, two a cycle, take 2 cycles; without them the rest takes less: seven or eight µops, six a cycle.
    row = speaks(found, "stored", "stores", "potential")
    assert row["text"].startswith("All 4 stores") and 1.1 < row["gain"] < 2, row
    assert row["is_upper"] and "number of iterations is unknown" in row["text"], row
    # An element of an array that an index reaches, too, is no variable.
    is_silent(found, "stores", "once", "counted", "moving")
    # A sum that iterations wait for has a rule of its own.
    is_silent(found, "stores", "sum")
    speaks(found, "sum", "reduction")


SHORT_STORES = """
#include <stdint.h>
struct check { uint64_t sum, mixed, any, all; };
struct bits { unsigned char *out; unsigned buffer; int at, live; };
void emptied(struct bits *s)
{
    while (s->live >= 8) {
        s->out[s->at++] = s->buffer >> 24;
        s->buffer <<= 8;
        s->live -= 8;
    }
}
void filled(struct bits *s)
{
    while (s->live < 8) {
        s->buffer = (s->buffer << 8) | s->out[s->at++];
        s->live += 8;
        s->out[s->at] = 1;
    }
}
void often(const unsigned char *from, struct check *check)
{
    for (int i = 0; i < 1000; i++) {
        check->sum += from[i];
        check->mixed ^= from[i];
        check->any |= from[i];
        check->all &= from[i];
    }
}
void chained(struct bits *s)
{
    for (int i = 0; i < 1000; i++)
        s->out[s->at++] = 3;
}
void seldom(const unsigned char *from, struct check *check)
{
    for (int i = 0; i < 9; i++) {
        check->sum += from[i];
        check->mixed ^= from[i];
        check->any |= from[i];
        check->all &= from[i];
    }
}
"""


@test
def stores_in_short_loops():
    for machine in (X86, ARM):
        found = reported(SHORT_STORES, "-O2", machine=machine)
        # A buffer of bits is emptied or filled by a byte or two.
        is_silent(found, "stores", "emptied", "filled")
        # Less than a factor of two.
        row = speaks(found, "often", "stores", "potential")
        assert not row["is_upper"] and "unknown" not in row["text"], row
        row = speaks(found, "seldom", "stores", "potential")
        assert row["is_upper"] and "there are only 9" in row["text"], row
    # One number that goes through memory.
    row = speaks(found, "chained", "stores", "gain")
    assert not row["is_upper"] and row["gain"] > 2, row
    # It waits for that number, not for the pointer that is loaded as well.
    speaks(found, "chained", "double-indirection", "hint")


LEVELS = """
#include <stdint.h>
struct key { uint32_t flip, add, keep, set, more, last; };
struct image { unsigned char *bytes; };
#define MIX(at) (((((from[at] ^ key->flip) + key->add) & key->keep) | key->set) + key->more) ^ key->last
void unknown(int n, const uint32_t *from, uint32_t *to, const struct key *key)
{
    for (int i = 0; i < n; i++)
        to[i] = MIX(i);
}
void known(const uint32_t *from, uint32_t *to, const struct key *key)
{
    for (int i = 0; i < 4096; i++)
        to[i] = MIX(i);
}
void skipping(const uint32_t *from, uint32_t *to, const struct key *key)
{
    for (int i = 0; i < 4096; i++) {
        if (from[i] != 17)
            to[i] = MIX(i);
    }
}
void both(int n, struct image *image, int apart)
{
    for (int i = 0; i < n; i++)
        image->bytes[i] = image->bytes[i + apart] = 3;
}
"""


@test
def hoisting_is_certain_only_in_long_straight_loops():
    flags = ["-O2", "-fno-tree-vectorize"]
    found = reported(LEVELS, *flags, core="haswell")
    row = speaks(found, "unknown", "loads", "potential")
    assert row["is_upper"], row
    row = speaks(found, "known", "loads", "gain")
    assert not row["is_upper"], row
    speaks(found, "skipping", "loads", "potential")
    # A store takes as long as the load of its pointer.
    is_silent(reported(LEVELS, *flags, machine=ARM), "double-indirection", "both")


SPILLS = """
#include <stdio.h>
struct grid { double *from, *to; };
extern struct grid grid;
double given(const char *text, int n)
{
    double scale, total;
    if (sscanf(text, "%lf %lf", &scale, &total) != 2)
        return 0;
    const double *from = grid.from;
    double *to = grid.to;
    for (int i = 0; i < n; i++) {
        to[i] = scale * from[i];
        total += to[i];
    }
    return total;
}
double taken(const char *text, int n)
{
    double first_scale, first_total;
    if (sscanf(text, "%lf %lf", &first_scale, &first_total) != 2)
        return 0;
    double scale = first_scale, total = first_total;
    const double *from = grid.from;
    double *to = grid.to;
    for (int i = 0; i < n; i++) {
        to[i] = scale * from[i];
        total += to[i];
    }
    return total;
}
extern void fill(int *);
int array(int n, const unsigned char *from)
{
    int counts[16];
    fill(counts);
    for (int i = 0; i < n; i++) {
        counts[from[i] & 15]++;
        counts[3]++;
    }
    fill(counts);
    return counts[3];
}
"""


@test
def spills_although_registers_are_free():
    for machine, waits, then in ((X86, 8, 3), (ARM, 9.5, 2)):
        found = reported(SPILLS, "-O2", machine=machine)
        row = speaks(found, "given", "spills", "potential", waits / then)
        assert "2 values" in row["text"] and "vector registers" in row["text"], row
        is_silent(found, "spills", "taken", "array")
        # It is reported once, not as a sum that is kept in memory as well.
        is_silent(found, "reduction", "given")


@test
def spills_of_unoptimised_code_are_not_reported():
    is_silent(reported(SPILLS, "-O0"), "spills", "given", "taken")


FILLED = """
    .text
    .globl filled
    .type filled, %function
filled:
    sub sp, sp, #32
    str x3, [sp, #8]
    mov x8, #0
1:  ldr x4, [sp, #8]
    ldr x5, [x0, x8]
    ldr x6, [x1, x8]
    eor x5, x5, x4
    str x5, [x2, x8]
    str x6, [x9, x8]
    add x8, x8, #8
    cmp x8, x7
    b.ne 1b
    add sp, sp, #32
    ret
    .size filled, . - filled
    .section .note.GNU-stack
"""


@test
def a_single_fill_costs_next_to_nothing():
    is_silent(reported(FILLED, machine=ARM, suffix=".s"), "spills", "filled")


USELESS = """
    .text
    .globl put_back, kept
    .type put_back, @function
    .type kept, @function
put_back:
    movq $3, -8(%rsp)
    movq $5, -16(%rsp)
    movq $7, -24(%rsp)
    movq $9, -32(%rsp)
1:  movq -8(%rsp), %r8
    movq -16(%rsp), %r9
    movq -24(%rsp), %r10
    movq -32(%rsp), %r11
    addq %r8, %rax
    addq %r9, %rdx
    addq %r10, %rcx
    addq %r11, %rsi
    movq %r8, -8(%rsp)
    movq %r9, -16(%rsp)
    movq %r10, -24(%rsp)
    movq %r11, -32(%rsp)
    decq %rdi
    jne 1b
    ret
    .size put_back, . - put_back
kept:
    movl $3, %r8d
1:  addq %r8, %rax
    addq %r8, %rdx
    decq %rdi
    jne 1b
    ret
    .size kept, . - kept
    .section .note.GNU-stack
"""


@test
def useless_spills():
    found = reported(USELESS, suffix=".s")
    row = speaks(found, "put_back", "useless-spills", "gain")
    # Four stores go: what is left of 8 accesses are four loads.
    assert row["text"].startswith("4 of the 8 stack accesses") and row["evidence"] == 4, row
    is_silent(found, "useless-spills", "kept")
    # The loads that stay are reported once the stores are gone, not at the same time.
    is_silent(found, "spills", "put_back")


INDIRECT = """
void through(int n, const double *restrict x, const int *restrict index, double *restrict y)
{
    for (int i = 0; i < n; i++)
        y[i] += 0.5 * x[index[i]];
}
void straight(int n, const double *restrict x, double *restrict y)
{
    for (int i = 0; i < n; i++)
        y[i] += 0.5 * x[i];
}
void divided(int n, const double *restrict x, const int *restrict index, double *restrict y)
{
    for (int i = 0; i < n; i++)
        y[i] /= x[index[i]];
}
void table(int n, const unsigned char *restrict from, const unsigned char *restrict map, unsigned char *restrict to)
{
    for (int i = 0; i < n; i++)
        to[i] = map[from[i]];
}
"""


@test
def indirect_loads_rank_below_what_limits():
    found = reported(INDIRECT, "-O3", "-march=x86-64-v3")
    speaks(found, "through", "indirect", "potential", 3)
    is_silent(found, "indirect", "straight", "table")
    row = speaks(reported(INDIRECT, "-O2", "-fno-tree-vectorize"), "divided", "indirect", "hint")
    assert row["gain"] is None, row


@test
def gathers_are_as_slow_as_single_loads():
    # Written out, because gcc 13 and later avoid gathers for the processors that a flaw of theirs made slow.
    source = "#include <immintrin.h>\n" \
             "void g(int n, const float *restrict x, const int *restrict p, float *restrict y) { for (int i = 0; i < n; i += 8) " \
             "_mm256_storeu_ps(y + i, _mm256_i32gather_ps(x, _mm256_loadu_si256((const __m256i *)(p + i)), 4)); }"
    row = speaks(reported(source, "-O3", "-march=skylake"), "g", "indirect", "potential")
    assert "gather" in row["text"] and row["gain"] > 2, row


ALIGNED = """
#include <stdint.h>
enum { COUNT = 1024 };
static struct { uint64_t length; uint64_t x[COUNT] ALIGN; uint64_t gap[GAP]; uint64_t y[COUNT] ALIGN; }
    data __attribute__((aligned(64)));
__attribute__((noinline)) uint64_t known(void)
{
    uint64_t sum = 0;
    for (int i = 0; i < COUNT; i++)
        sum += data.x[i] ^ data.y[i];
    return sum;
}
__attribute__((noinline)) uint64_t unknown(int n, const uint64_t *x, const uint64_t *y)
{
    uint64_t sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i] ^ y[i];
    return sum;
}
int main(int n, char **words) { data.x[n] = data.length; return (int)known() + (int)unknown(n, data.x, data.y) + !words; }
"""
LONG = ("-O3", "-march=skylake-avx512", "-mprefer-vector-width=512")


@test
def vectors_that_are_known_to_cross_lines():
    text = ALIGNED.replace("GAP", "8")
    found = reported(text.replace("ALIGN", ""), *LONG, links=True)
    # Two loads of 64 bytes a cycle, one if each takes two turns.
    row = speaks(found, "known", "unaligned", "potential", 2)
    assert row["text"].startswith("2 loads") and "_Alignas(64)" in row["remedies"], row
    row = speaks(found, "unknown", "unaligned", "hint")
    assert row["gain"] is None and "2.00 cycles instead of 1.00" in row["text"], row
    is_silent(reported(text.replace("ALIGN", "__attribute__((aligned(64)))"), *LONG, links=True), "unaligned", "known")
    # Elsewhere the machine files do not say what it costs: what is known is told without a gain, what is not known is not.
    for core, level in (("skylake-x", "potential"), ("cascade-lake", "potential"), ("ice-lake", "potential"), ("zen4", "hint")):
        found = reported(text.replace("ALIGN", ""), *LONG, links=True, core=core)
        row = speaks(found, "known", "unaligned", found["known"]["unaligned"]["level"])
        assert row["level"] in (level, "hint"), (core, row)  # loads are not what limits every compiler's loop there
        assert row["gain"] is None and row["text"].startswith("2 loads") and "_Alignas(64)" in row["remedies"], (core, row)
        is_silent(found, "unaligned", "unknown")
        is_silent(reported(text.replace("ALIGN", "__attribute__((aligned(64)))"), *LONG, links=True, core=core), "unaligned", "known")


@test
def known_crossings_are_told_from_Nehalem_to_Skylake():
    """CQA, IV.A.3, with the example of the rule, compiled for each: vectors are 16 bytes long before AVX2."""
    folder = os.path.join(ROOT, "examples", "advice", "unaligned")
    before, after = (open(os.path.join(folder, side + ".c")).read() for side in ("before", "after"))
    for core, target in (("nehalem", "nehalem"), ("westmere", "westmere"), ("sandy-bridge", "sandybridge"), ("ivy-bridge", "ivybridge"),
                         ("haswell", "haswell"), ("broadwell", "broadwell"), ("skylake", "skylake")):
        row = speaks(reported(before, "-O3", f"-march={target}", links=True, core=core), "kernel", "unaligned")
        assert row["text"].startswith("2 loads per iteration are known to cross a cache line") and "_Alignas(64)" in row["remedies"], (core, row)
        assert row["gain"] is None and row["level"] in ("potential", "hint"), (core, row)
        is_silent(reported(after, "-O3", f"-march={target}", links=True, core=core), "unaligned", "kernel")


@test
def accesses_that_the_compiler_split():
    source = "void add(int n, const float *restrict x, float *restrict y) { for (int i = 0; i < n; i++) y[i] += x[i]; }"
    halves = ("-O3", "-march=sandybridge", "-mavx256-split-unaligned-load", "-mavx256-split-unaligned-store")
    row = speaks(reported(source, *halves, core="sandy-bridge"), "add", "unaligned", "hint")
    assert row["text"].startswith("3 vector accesses per iteration are split in two halves") and row["evidence"] == 3, row
    whole = source.replace("{ for", "{ x = __builtin_assume_aligned(x, 32); y = __builtin_assume_aligned(y, 32); for")
    is_silent(reported(whole, *halves, core="sandy-bridge"), "unaligned", "add")


@test
def addresses_of_object_files_are_not_known():
    found = reported(ALIGNED.replace("GAP", "8").replace("ALIGN", ""), *LONG)
    assert found.get("known", {}).get("unaligned", {"level": "hint"})["level"] == "hint", found["known"]


@test
def old_cores_are_slow_with_moves_for_unaligned_data():
    source = "void add(int n, const float *restrict x, float *restrict y) { for (int i = 0; i < n; i++) y[i] += x[i]; }"
    row = speaks(reported(source, "-O3", core="core2-conroe"), "add", "unaligned", "potential")
    assert "several µops" in row["text"], row
    is_silent(reported(source, "-O3", core="haswell"), "unaligned", "add")


FORWARDING = """
#include <stdint.h>
#include <string.h>
struct key { uint16_t kind, port; uint32_t host; };
uint64_t pieces(int n, struct key *to, const uint16_t *x, const uint32_t *y)
{
    uint64_t sum = 0, whole;
    for (int i = 0; i < n; i++) {
        to[i].port = x[i];
        to[i].host = y[i];
        memcpy(&whole, &to[i], 8);
        sum += whole ^ whole >> 29;
    }
    return sum;
}
uint64_t same(int n, volatile uint32_t *to, const uint32_t *y)
{
    uint64_t sum = 0;
    for (int i = 0; i < n; i++) {
        to[i] = y[i];
        sum += to[i];
    }
    return sum;
}
uint64_t upper(int n, volatile uint64_t *to, const uint64_t *y)
{
    uint64_t sum = 0;
    for (int i = 0; i < n; i++) {
        to[i] = y[i];
        sum += ((volatile uint32_t *)&to[i])[1];
    }
    return sum;
}
"""


@test
def loads_that_no_single_store_covers():
    for machine, cores in ((X86, ("sapphire-rapids", "skylake", "zen2", "zen4")), (ARM, ("neoverse-v1", "neoverse-n1"))):
        for core in cores:
            found = reported(FORWARDING, machine=machine, core=core)
            row = speaks(found, "pieces", "store-forwarding", "gain")
            assert "A load of 8 bytes reads what a store of 4 bytes wrote just before" in row["text"], row
            assert row["gain"] > 3, row
            is_silent(found, "store-forwarding", "same", "upper")


@test
def pairs_and_halves_are_forwarded_on_neoverse():
    source = """
.globl kernel
.type kernel, %function
kernel:
1:      str x2, [x0]
        str x2, [x0, 8]
        ldr q0, [x0]
        str w2, [x0, 32]
        str w2, [x0, 36]
        ldp w3, w4, [x0, 32]
        WIDE
        add x0, x0, 64
        cmp x0, x1
        b.ne 1b
        ret
.size kernel, . - kernel
"""
    is_silent(reported(source.replace("WIDE", ""), machine=ARM, suffix=".s"), "store-forwarding", "kernel")
    for load, words in (("ldr x5, [x0, 32]", "A load of 8 bytes reads what a store of 4 bytes wrote"),
                        ("ldrb w5, [x0, 3]", "A load of 1 byte reads part of what a store of 8 wrote")):
        row = speaks(reported(source.replace("WIDE", load), machine=ARM, suffix=".s"), "kernel", "store-forwarding", "gain")
        assert words in row["text"], row


COLUMNS = """
enum { ROWS = 300, COLUMNS = 400, NARROW = 8 };
double down(const double (*a)[COLUMNS], double *to)
{
    for (int j = 0; j < COLUMNS; j++)
        for (int i = 0; i < ROWS; i++)
            to[j] += a[i][j];
}
void any(int n, int m, double *a)
{
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++)
            a[(long)i * n + j] *= 0.5;
}
double rows(int n, int m, float **a, float *to)
{
    for (int j = 0; j < n; j++) {
        float most = 0;
        for (int i = 0; i < m; i++)
            most = a[i][j] > most ? a[i][j] : most;
        to[j] = most;
    }
}
void along(double (*a)[COLUMNS])
{
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            a[i][j] *= 0.5;
}
void turned(double (*restrict a)[COLUMNS], const double (*restrict b)[ROWS])
{
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            a[i][j] = b[j][i];
}
void narrow(double (*a)[NARROW])
{
    for (int j = 0; j < NARROW; j++)
        for (int i = 0; i < ROWS; i++)
            a[i][j] *= 0.5;
}
void few(int n, const double *restrict a, double *restrict b)
{
    for (int j = 0; j < COLUMNS; j++)
        for (long i = 0; i < 20; i++)
            b[j + i * i] = a[i * n + j];
}
void one(int n, double *a)
{
    for (int i = 0; i < ROWS; i++)
        a[i * n] *= 0.5;
}
void lists(int n, int m, double **a)
{
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            a[i][j] *= 0.5;
}
void far(int n, double *a)
{
    for (int j = 0; j < n; j++)
        for (int i = 0; i < ROWS; i++)
            a[i * COLUMNS + j * 100] *= 0.5;
}
"""


@test
def loops_that_could_be_exchanged():
    for machine in (X86, ARM):
        for option in ("-O1", "-O2"):
            found = reported(COLUMNS, option, machine=machine)
            row = speaks(found, "down", "loop-order", "potential")
            assert "3200 bytes" in row["text"] and row["gain"] is None, row
            speaks(found, "any", "loop-order", "potential")
            assert "array of pointers" in speaks(found, "rows", "loop-order", "potential")["text"], found
            is_silent(found, "loop-order", "along", "turned", "narrow", "few", "one", "lists", "far")


HISTOGRAM = """
struct node { struct node *next; int count; };
static unsigned table[256];
void bytes(unsigned *c, const unsigned char *x, long n) { for (long i = 0; i < n; i++) c[x[i]]++; }
void global(const unsigned char *x, long n) { for (long i = 0; i < n; i++) table[x[i]]++; }
void weights(double *h, const unsigned char *x, const double *w, long n) { for (long i = 0; i < n; i++) h[x[i]] += w[i]; }
void masked(unsigned *c, const unsigned *x, int s, long n) { for (long i = 0; i < n; i++) c[(x[i] >> s) & 255]++; }
void words(unsigned *c, const unsigned short *x, long n) { for (long i = 0; i < n; i++) c[x[i]]++; }
void scattered(double *restrict y, const int *p, const double *w, long n) { for (long i = 0; i < n; i++) y[p[i]] += w[i]; }
void pointers(struct node **t, long n) { for (long i = 0; i < n; i++) t[i]->count++; }
void rows(unsigned (*c)[256], const unsigned char *x, long n) { for (long i = 0; i < n; i++) c[i][x[i]]++; }
void colours(unsigned *r, unsigned *g, const unsigned char *x, long n)
{
    for (long i = 0; i < n; i++) r[x[2 * i]]++, g[x[2 * i + 1]]++;
}
void marks(unsigned *c, const unsigned char *x, long n) { for (long i = 0; i < n; i++) c[x[i]] = i; }
void places(unsigned *c, const unsigned char *x, long *y, long n) { for (long i = 0; i < n; i++) y[c[x[i]]++] = i; }
void few(unsigned *c, const unsigned char *x) { for (long i = 0; i < 64; i++) c[x[i]]++; }
"""


@test
def tables_of_counters():
    for machine in (X86, ARM):
        found = reported(HISTOGRAM, "-O2", machine=machine)
        for function in ("bytes", "global", "weights", "masked"):
            row = speaks(found, function, "histogram", "hint")
            assert row["is_upper"] and "four tables" in row["remedies"], row
        for function in ("words", "scattered"):
            speaks(found, function, "histogram", "hint")
        is_silent(found, "histogram", "pointers", "rows", "colours", "marks", "places", "few")


STRUCTURES = """
struct point { float mass, x, y, z, u, v, w; };
struct pair { float re, im; };
void step(struct point *p, float t, int n) { for (int i = 0; i < n; i++) p[i].x = p[i].x * 0.5f + p[i].u * t; }
void copy(float *restrict x, const struct point *restrict p, int n) { for (int i = 0; i < n; i++) x[i] = p[i].x * 2 + 1; }
float sum(const struct point *p, int n) { float s = 0; for (int i = 0; i < n; i++) s += p[i].mass; return s; }
void both(struct pair *p, float t, int n) { for (int i = 0; i < n; i++) { p[i].re *= t; p[i].im += t; } }
void plain(float *restrict x, const float *restrict y, float t, int n) { for (int i = 0; i < n; i++) x[i] = y[i] * t + 1; }
int find(const struct point *p, float x, int n) { for (int i = 0; i < n; i++) if (p[i].x * 2 > x) return i; return -1; }
void column(double (*restrict a)[40], const double (*restrict b)[40], int n, int m)
{
    for (int j = 0; j < m; j++)
        for (int i = 0; i < n; i++)
            a[i][j] = b[i][j] * 2 + 1;
}
void places(struct point *p, const int *k, float t, int n) { for (int i = 0; i < n; i++) p[k[i]].x = p[k[i]].x * t + 1; }
"""


@test
def members_of_structures():
    for machine in (X86, ARM):
        found = reported(STRUCTURES, "-O3", machine=machine)
        row = speaks(found, "step", "array-of-structures", "potential", 4)
        assert row["is_upper"] and "structures of 28 bytes" in row["text"], row
        speaks(found, "copy", "array-of-structures", "potential")
        is_silent(found, "array-of-structures", "sum", "both", "plain", "find", "column", "places")

run()
