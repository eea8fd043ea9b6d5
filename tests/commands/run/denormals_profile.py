"""assay denormals profile: what traps found becomes rows, asked in SQL.

The programs know beforehand how many of their operations meet denormals: they count by bit patterns, with integers
alone, when they are asked to (first word "expect"), and are then run under the profiler."""
import os, struct
from harness import MACHINE, NO_TRAPS, ROOT, Folder, Lacking, Skip, assay, build, command, compilers, rows, run, test

INCLUDE = os.path.join(ROOT, "include")

# Every step halves all numbers of two arrays, so that they become denormal, and then zero; results are summed up.
DAMP = r"""
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <assay/denormals.h>
enum { SIZE = 1000 };
float field[SIZE];
static float other[SIZE];
__attribute__((noinline)) float damp(float *x, int n, float by)
{
    float sum = 0;
    for (int i = 0; i < n; i++) {
        x[i] *= by;                     /* LINE multiply */
        sum += x[i];                    /* LINE add */
    }
    return sum;
}
__attribute__((noinline)) float solve(float *x, int steps)
{
    float sum = 0;
    for (int s = 0; s < steps; s++)
        sum = damp(x, SIZE, 0.5f);      /* LINE call */
    return sum;
}
static int is_denormal(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, 4);
    return (bits & 0x7fffffff) && !(bits & 0x7f800000);
}
/* What the two lines of damp meet, in one call. */
static void expect(float *x, uint64_t *counts)
{
    float sum = 0;
    for (int i = 0; i < SIZE; i++) {
        float before = x[i], after = before * 0.5f, next = sum + after;
        counts[0] += is_denormal(before);
        counts[1] += before != 0 && (is_denormal(after) || after == 0);
        counts[2] += is_denormal(sum) || is_denormal(after);
        counts[3] += is_denormal(next);
        x[i] = after;
        sum = next;
    }
}
static void fill(float *x, int from)
{
    for (int i = 0; i < SIZE; i++)
        x[i] = (float)(from + i) * 1e-37f;
}
int main(int count, char **words)
{
    int steps = atoi(words[2]);
    float *heap = malloc(SIZE * sizeof *heap);
    fill(field, 1);
    fill(heap, 1);
    fill(other, 1000000);
    if (!strcmp(words[1], "expect")) {
        uint64_t counts[4] = {0};
        for (int s = 0; s < steps; s++) {
            expect(field, counts);
            expect(heap, counts);
        }
        for (int i = 0; i < 4; i++)
            printf("%llu\n", (unsigned long long)counts[i]);
        return 0;
    }
    ASSAY_DENORMAL_PHASE("quiet");
    float sum = solve(other, 2);        /* still normal */
    ASSAY_DENORMAL_PHASE("loud");
    sum += solve(field, steps) + solve(heap, steps);
    printf("%g\n", sum);
    return count - 3;
}
"""

# One denormal in a known lane of known operands.
LANES = r"""
#include <immintrin.h>
#include <stdio.h>
float values[8] __attribute__((aligned(32))) = {1, 2, 3, 1e-39f, 5, 6, 7, 8};
double numbers[2] __attribute__((aligned(16))) = {1, -4e-310};
volatile float one = 1;
int main(void)
{
    __m128 ones = _mm_set1_ps(one), sum;
    __m128d product, two = _mm_set1_pd(one + 1);
    __asm__ volatile("movaps %1, %0\n.globl at_addps\nat_addps: addps %2, %0"
                     : "=&x"(sum) : "x"(ones), "m"(*(__m128 *)values));
    __asm__ volatile("movapd %2, %%xmm9\nmovapd %1, %0\n.globl at_mulpd\nat_mulpd: mulpd %%xmm9, %0"
                     : "=&x"(product) : "x"(two), "m"(*(__m128d *)numbers) : "xmm9");
    printf("%g %g\n", _mm_cvtss_f32(sum), _mm_cvtsd_f64(product));
    return 0;
}
"""

# The same in vectors of 512 bits: masks choose lanes, one element stands for all.
WIDE = r"""
#include <immintrin.h>
#include <stdio.h>
float values[16] __attribute__((aligned(64))) = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 1e-39f, 15, 16};
float single = 1e-39f;
double numbers[4] __attribute__((aligned(32))) = {1, 2, -4e-310, 4};
volatile float one = 1;
int main(void)
{
    __m512 ones = _mm512_set1_ps(one), sum = ones;
    __m256d doubles = _mm256_set1_pd(one), product = doubles;
    __asm__ volatile("movl $0x2fff, %%eax\nkmovw %%eax, %%k3\nvaddps %1, %2, %0 %{%%k3%}\n"
                     "movl $0x0fff, %%eax\nkmovw %%eax, %%k3\nvsubps %1, %2, %0 %{%%k3%}"
                     : "+v"(sum) : "m"(*(__m512 *)values), "v"(ones) : "eax", "k3");
    __asm__ volatile("movl $0x0ff0, %%eax\nkmovw %%eax, %%k3\nvmulps %0%{1to16%}, %1, %%zmm25 %{%%k3%}"
                     : : "m"(single), "v"(ones) : "eax", "k3", "xmm25");
    __asm__ volatile("vmovapd %1, %%ymm13\nvfmadd231pd %%ymm13, %2, %0"
                     : "+v"(product) : "m"(*(__m256d *)numbers), "v"(doubles) : "xmm13");
    __asm__ volatile("vmovups %0, %%zmm30\nvmaxps %%zmm30, %%zmm30, %%zmm31\n"
                     "vcomiss %1, %%xmm30\nvcvtps2pd %2, %%ymm6"
                     : : "m"(*(__m512 *)values), "m"(single), "m"(values[12]) : "xmm30", "xmm31", "xmm6");
    printf("%g\n", _mm512_cvtss_f32(sum) + _mm256_cvtsd_f64(product));
    return 0;
}
"""

KILLED = r"""
#include <signal.h>
volatile float tiny = 1e-39f, one = 1, sink;
int main(void)
{
    for (int i = 0; i < 1000; i++)
        sink = tiny + one;
    return raise(SIGKILL);
}
"""

THREADS = r"""
#include <pthread.h>
#include <stdio.h>
enum { THREADS = 4, TIMES = 1000 };
volatile float tiny = 1e-39f, one = 1;
__attribute__((noinline)) float work(void)
{
    float sum = 0;
    for (int i = 0; i < TIMES; i++)
        sum += tiny * one > 0;
    return sum;
}
static void *start(void *unused)
{
    static __thread volatile float sum;
    sum = work();
    return unused;
}
int main(void)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, start, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
"""

# A denormal in one of so many rounds of 64 additions, for three seconds; prints how many there were.
LONG = r"""
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
volatile float values[64], sink;
__attribute__((noinline)) void round_of(void)
{
    for (int i = 0; i < 64; i++)
        sink = values[i] + values[i];
}
int main(int count, char **words)
{
    struct timespec start, now;
    unsigned long rounds = 0, every = strtoul(words[count - 1], NULL, 10), denormals = 0;
    for (int i = 0; i < 64; i++)
        values[i] = 1;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &start);
    do {
        for (int i = 0; i < 1000; i++, rounds++) {
            int is_due = rounds % every == 0;
            values[7] = is_due ? 1e-39f : 1;
            denormals += is_due;
            round_of();
        }
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    } while ((now.tv_sec - start.tv_sec) * 1e9 + (now.tv_nsec - start.tv_nsec) < 3e9);
    printf("%lu\n", denormals);
    return 0;
}
"""

X87 = r"""
#include <stdio.h>
volatile double tiny = 4e-310;
double sum;
int main(void)
{
    for (int i = 0; i < 50; i++)
        __asm__ volatile("fldl %1\n\tfaddl %0\n\tfstpl %0\n\tfwait" : "+m"(sum) : "m"(tiny));
    printf("%g\n", sum);
    return 0;
}
"""


def compiled(folder, name, text, *flags):
    if MACHINE != "x86_64":
        raise Skip(NO_TRAPS)
    found = compilers(MACHINE)
    source = os.path.join(folder, name + ".c")
    with open(source, "w") as out:
        out.write(text)
    return build(folder, found[0], [source], "-g", "-O1", "-mfpmath=sse", "-msse2", "-I", INCLUDE, *flags, output=name), text


def line_of(text, mark):
    return next(number for number, line in enumerate(text.split("\n"), 1) if f"LINE {mark} " in line)


def profiled(folder, program, *words, options=("--exact",), status=0):
    """The database of a run and what the program printed."""
    database = program + ".db"
    result = assay("denormals", "profile", *options, "--quiet", "--force", "-o", database, "--", program, *words, status=None)
    if b"built without 32-bit support" in result.stderr:
        raise Lacking("this build has no profiler for i386")
    assert status is None or result.returncode == status, result.stderr.decode()
    tool = rows(database, "select tool from denormal_runs")
    if tool and tool[0]["tool"] != "profiler":
        raise Skip(NO_TRAPS)
    return database, result.stdout.decode()


@test
def exact_counts_are_those_that_the_program_expects():
    with Folder() as folder:
        program, source = compiled(folder, "damp", DAMP)
        wanted = [int(word) for word in command([program, "expect", "20"]).stdout.split()]
        assert all(wanted), wanted
        database, printed = profiled(folder, program, "run", "20")
        found = rows(database, """select l.line, s.loop is not null as in_loop, i.name,
            s.operand_events, s.underflow_events, s.low, s.high
            from denormal_sites s join functions f on f.id = s.function join instructions i on i.id = s.instruction
            join source_lines l on l.id = i.source_line where f.name = 'damp' and s.operand_events > 0""")
        lines = {row["line"]: row for row in found}
        assert len(lines) == len(found) == 2, found
        multiply, add = lines[line_of(source, "multiply")], lines[line_of(source, "add")]
        assert multiply["name"] == "mulss" and add["name"] == "addss", found
        counts = [multiply["operand_events"], multiply["underflow_events"], add["operand_events"], add["underflow_events"]]
        assert counts == wanted, f"{counts}, expected {wanted}"
        assert all(row["in_loop"] and row["low"] is None and row["high"] is None for row in found), found
        run_row, = rows(database, "select * from denormal_runs")
        assert run_row["mode"] == "exact" and run_row["exit_status"] == 0 and run_row["end_signal"] is None, run_row
        assert run_row["command"] == f"{program} run 20" and run_row["seconds"] > 0 and run_row["processor"], run_row


@test
def phases_have_their_own_counts():
    with Folder() as folder:
        program, _ = compiled(folder, "damp", DAMP)
        database, _ = profiled(folder, program, "run", "20")
        phases = rows(database, """select p.position, p.name, p.start, p.seconds, r.seconds as whole,
            coalesce((select sum(s.operand_events) from denormal_sites s join functions f on f.id = s.function
                      where s.phase = p.id and f.name = 'damp'), 0) as events
            from denormal_phases p join denormal_runs r on r.id = p.run order by p.position""")
        assert [phase["name"] for phase in phases] == ["start", "quiet", "loud"], phases
        assert [phase["position"] for phase in phases] == [1, 2, 3], phases
        assert phases[0]["events"] == phases[1]["events"] == 0 < phases[2]["events"], phases
        for before, after in zip(phases, phases[1:]):
            assert abs(before["start"] + before["seconds"] - after["start"]) < 1e-6, phases
        assert abs(phases[2]["start"] + phases[2]["seconds"] - phases[2]["whole"]) < 1e-6, phases


@test
def samples_name_variable_value_and_callers():
    with Folder() as folder:
        program, source = compiled(folder, "damp", DAMP, "-fno-inline")
        database, _ = profiled(folder, program, "run", "20")
        samples = rows(database, """select s.*, p.name as phase_name, i.name, l.line from denormal_samples s
            join denormal_phases p on p.id = s.phase join instructions i on i.id = s.instruction
            join source_lines l on l.id = i.source_line join functions f on f.id = i.function where f.name = 'damp'""")
        assert samples and all(sample["phase_name"] == "loud" for sample in samples), samples
        memory = [s for s in samples if s["operand"] == "memory"]
        assert memory, samples
        limit = 2.0 ** -126
        for sample in samples:
            assert abs(sample["value"]) < limit and (sample["value"] or sample["event"] == "underflow"), sample
        for sample in memory:
            assert sample["event"] == "operand" and sample["name"] == "mulss" and sample["data_address"], sample
            assert sample["line"] == line_of(source, "multiply"), sample
        places = {sample["place"].split("+")[0] for sample in memory}
        assert "field" in places and places <= {"field", "heap"}, places
        registers = [s for s in samples if s["operand"] != "memory"]
        assert registers and all(s["operand"].startswith("xmm") and s["data_address"] is None and s["place"] is None
                                 for s in registers), registers
        for sample in samples:
            frames = rows(database, f"""select f.name, d.line from denormal_frames d left join functions f on f.id = d.function
                where stack = {sample["stack"]} order by position""")
            assert [frame["name"] for frame in frames][:3] == ["damp", "solve", "main"], frames
            assert frames[0]["line"] == sample["line"] and frames[1]["line"] == line_of(source, "call"), frames


@test
def addresses_in_variables_are_those_of_their_elements():
    with Folder() as folder:
        program, _ = compiled(folder, "damp", DAMP)
        database, _ = profiled(folder, program, "run", "20")
        found = rows(database, "select value, data_address, place from denormal_samples where place like 'field%'")
        assert found
        # The first step that meets element k as a denormal finds it halved so often that it is just below 2^-126.
        base = {sample["data_address"] - int((sample["place"].split("+") + ["0"])[1]) for sample in found}
        assert len(base) == 1, found
        for sample in found:
            index = (sample["data_address"] - min(base)) // 4
            assert 0 <= index < 1000, sample
            start = struct.unpack("<f", struct.pack("<f", struct.unpack("<f", struct.pack("<f", index + 1))[0] * 1e-37))[0]
            ratio = start / sample["value"]
            assert min(abs(ratio - 2 ** k) / 2 ** k for k in range(25)) < 0.01, sample


@test
def lanes_and_registers_of_vectors():
    with Folder() as folder:
        program, _ = compiled(folder, "lanes", LANES)
        database, _ = profiled(folder, program)
        found = rows(database, """select i.name, s.event, s.operand, s.lane, s.value, s.place from denormal_samples s
            join instructions i on i.id = s.instruction where i.name in ('addps', 'mulpd') and s.event = 'operand'""")
        add, = [row for row in found if row["name"] == "addps"]
        assert (add["operand"], add["lane"], add["place"]) == ("memory", 3, "values+12"), add
        assert abs(add["value"] - 1e-39) < 1e-44, add
        multiply, = [row for row in found if row["name"] == "mulpd"]
        assert (multiply["operand"], multiply["lane"], multiply["place"]) == ("xmm9", 1, None), multiply
        assert multiply["value"] == -4e-310, multiply
        under, = rows(database, """select s.operand, s.lane, s.value from denormal_samples s
            join instructions i on i.id = s.instruction where i.name = 'mulpd' and s.event = 'underflow'""")
        assert under["lane"] == 1 and under["value"] == -8e-310 and under["operand"].startswith("xmm"), under


@test
def masks_and_broadcasts_of_avx_512():
    with open("/proc/cpuinfo") as info:
        if "avx512f" not in info.read():
            raise Skip("this processor has no AVX-512")
    with Folder() as folder:
        program, _ = compiled(folder, "wide", WIDE, "-mavx512f", "-mfma")
        database, _ = profiled(folder, program)
        found = rows(database, """select i.name, s.event, s.operand, s.lane, s.place from denormal_samples s
            join instructions i on i.id = s.instruction join functions f on f.id = i.function where f.name = 'main'""")
        found = {(row["name"], row["event"], row["operand"], row["lane"], row["place"]) for row in found}
        wanted = {("vaddps", "operand", "memory", 13, "values+52"), ("vmulps", "operand", "memory", 4, "single"),
                  ("vmulps", "underflow", "zmm25", 4, None), ("vfmadd231pd", "operand", "ymm13", 2, None),
                  ("vmaxps", "operand", "zmm30", 13, None), ("vcomiss", "operand", "memory", 0, "single"),
                  ("vcvtps2pd", "operand", "memory", 1, "values+52")}
        assert found == wanted, f"{found - wanted} instead of {wanted - found}"


@test
def a_program_that_is_killed_loses_nothing():
    with Folder() as folder:
        program, _ = compiled(folder, "killed", KILLED)
        database, _ = profiled(folder, program, status=None)
        run_row, = rows(database, "select exit_status, end_signal from denormal_runs")
        assert run_row == {"exit_status": None, "end_signal": 9}, run_row
        site, = rows(database, "select operand_events, underflow_events from denormal_sites")
        assert site == {"operand_events": 1000, "underflow_events": 0}, site
        assert rows(database, "select count(*) as n from denormal_samples")[0]["n"] > 0


@test
def events_of_all_threads_are_counted():
    with Folder() as folder:
        program, _ = compiled(folder, "threads", THREADS, "-pthread")
        database, _ = profiled(folder, program)
        total, = rows(database, """select sum(s.operand_events) as events from denormal_sites s
            join functions f on f.id = s.function join instructions i on i.id = s.instruction
            where f.name = 'work' and i.name = 'mulss'""")
        assert total["events"] == 4 * 1000, total
        threads = rows(database, "select distinct thread from denormal_samples")
        process, = rows(database, "select process from denormal_runs")
        assert len(threads) >= 2 and process["process"] not in [row["thread"] for row in threads], threads


def sampled(folder, every):
    """The row of the only instruction with denormals, and how many events it had: each denormal is an operand, and so is
    its result."""
    program, _ = compiled(folder, "long", LONG)
    database, printed = profiled(folder, program, str(every), options=("--budget", "5%"))
    run_row, = rows(database, "select mode from denormal_runs")
    assert run_row["mode"] == "sampled", run_row
    site, = rows(database, """select s.operand_events, s.underflow_events, s.low, s.high from denormal_sites s
        join functions f on f.id = s.function where f.name = 'round_of'""")
    assert site["low"] <= site["operand_events"] + site["underflow_events"] <= site["high"], site
    return site, 2 * int(printed.split()[0])


@test
def sampled_counts_are_near_the_exact_ones():
    with Folder() as folder:
        site, exact = sampled(folder, 1000)
        # 95 % of intervals hold the truth on a quiet machine; where other programs take turns with this one, time that
        # a sleep hides is not what it seems, so the interval may miss by half.
        assert site["low"] / 1.5 <= exact <= site["high"] * 1.5, f"{site}, expected {exact}"


@test
def sampled_counts_of_dense_loops_have_the_right_size():
    with Folder() as folder:
        site, exact = sampled(folder, 1)
        # No clock sees what lies between two events here, so the interval is wide, and rests on a model of the processor.
        assert site["low"] / 3 <= exact <= site["high"] * 3, f"{site}, expected {exact}"


@test
def x87_operands_are_found_on_its_stack_and_in_memory():
    with Folder() as folder:
        program, _ = compiled(folder, "x87", X87)
        database, printed = profiled(folder, program)
        assert float(printed.split()[0]) == 2e-308, printed
        found = rows(database, """select i.name, s.operand_events from denormal_sites s
            join instructions i on i.id = s.instruction join functions f on f.id = s.function where f.name = 'main'""")
        counts = {row["name"]: row["operand_events"] for row in found}
        assert counts.get("fld") == 50, found
        sample = rows(database, """select s.operand, s.value, s.place from denormal_samples s
            join instructions i on i.id = s.instruction where i.name = 'fld' limit 1""")
        assert sample and sample[0] == {"operand": "memory", "value": 4e-310, "place": "tiny"}, sample


@test
def programs_of_32_bits_have_samples_and_callers_too():
    with Folder() as folder:
        try:
            program, _ = compiled(folder, "damp32", DAMP, "-m32", "-fno-inline")
        except AssertionError:
            raise Lacking("the compiler makes no 32-bit programs: the package gcc-…-multilib is not installed")
        wanted = [int(word) for word in command([program, "expect", "20"]).stdout.split()]
        database, _ = profiled(folder, program, "run", "20")
        total, = rows(database, """select sum(operand_events) as operands, sum(underflow_events) as underflows
            from denormal_sites s join functions f on f.id = s.function where f.name = 'damp'""")
        assert total == {"operands": wanted[0] + wanted[2], "underflows": wanted[1] + wanted[3]}, (total, wanted)
        stacks = rows(database, """select group_concat(name, ' ') as names from (select d.stack, f.name from denormal_frames d
            join functions f on f.id = d.function where d.position <= 3 order by d.stack, d.position) group by stack""")
        assert any(row["names"] == "damp solve main" for row in stacks), stacks


run()
