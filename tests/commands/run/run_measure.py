"""assay run --measure and --explain: a second and a third run with probes, on real programs whose counts are known."""
import json, os, subprocess
from harness import ASSAY, MACHINE, Fail, Folder, build, compilers, need, rows, run, text, uncertain, watched

SUM = r"""
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
static volatile double sink;
/* Additions that wait for each other: the same time on every processor and at every length. */
__attribute__((noinline)) double chain(const double *x, long n)
{
    double s = 0;
    for (long i = 0; i < n; i++)
        s += x[i];
    return s;
}
"""
MAIN = SUM + r"""
int main(int count, char **words)
{
    long n = atol(words[1]), entries = atol(words[2]);
    double *x = calloc((size_t)n, 8);
    for (long i = 0; i < entries; i++)
        sink += chain(x, n);
    printf("done %d\n", count);
    return count > 3 ? atoi(words[3]) : 0;
}
"""
FIGURES = """select f.name, r.samples, r.entries, r.iterations, r.cycles_per_iteration, r.measured_by, r.sampled_cycles,
    r.probed_cycles, l.id as loop from run_loops r join loops l on l.id = r.loop join functions f on f.id = l.function"""


def compiled(folder, source, *flags, output="program", language="c", compiler=None):
    path = os.path.join(folder, f"{output}.{language}")
    with open(path, "w") as out:
        out.write(source)
    # One element an iteration: GCC 14 also makes vectors of sums whose order stays, and on x86-64 takes two elements at a time.
    return build(folder, compiler or compilers(MACHINE)[0], [path], "-g", "-O2", "-fno-tree-vectorize", "-fno-unroll-loops", *flags, output=output)


class Measured:
    def __init__(self, folder, *words, options=("--measure",), status=0, **how):
        self.path = os.path.join(folder, "run.db")
        how.setdefault("stdin", subprocess.DEVNULL)
        done = watched([ASSAY, "run", *options, "--force", "-o", self.path, "--", *words], **how)
        self.output, self.said = done.stdout.decode(), done.stderr.decode(errors="replace")
        if done.returncode != status:
            raise Fail(f"status {done.returncode}, not {status}: {self.said[-1000:]}")
        self.limits = {row["kind"]: row["count"] for row in self.rows("select kind, count from run_limits")}

    def rows(self, query):
        return rows(self.path, query)

    def loop(self, name):
        found = [row for row in self.rows(FIGURES) if row["name"] == name]
        if len(found) != 1:
            raise Fail(f"{len(found)} loops of {name} have samples: {self.said[-2000:]}")
        return found[0]

    def check(self, name, entries, iterations):
        row = self.loop(name)
        got = row["entries"], row["iterations"]
        assert got == (entries, iterations), f"{name}: {got} entries and iterations, not {entries}, {iterations}; {self.limits}"
        assert row["cycles_per_iteration"] > 0 and row["measured_by"] in ("probes", "samples"), row
        return row


@uncertain
def bounds_have_what_the_run_measured():
    with Folder() as folder:
        measured = Measured(folder, compiled(folder, MAIN), "3000", "20000")
        row = measured.check("chain", 20000, 60000000)
        levels = {r["level"]: r for r in json.loads(text("bounds", measured.path, "--loop", str(row["loop"]), "--json"))}
        assert levels["measured"]["cycles"] == row["cycles_per_iteration"] and levels["measured"]["origin"] == "run", levels
        assert "in the run" in levels["measured"]["gap"], levels["measured"]
        given = {r["level"]: r for r in json.loads(text("bounds", measured.path, "--loop", str(row["loop"]), "--measured", "7", "--json"))}
        assert given["measured"]["cycles"] == 7 and given["measured"]["origin"] == "given", given
        assert "measured" not in {r["level"] for r in json.loads(text("bounds", os.path.join(folder, "program"), "--json"))}


@uncertain
def counts_are_exact_and_output_comes_once():
    with Folder() as folder:
        program = compiled(folder, MAIN)
        measured = Measured(folder, program, "3000", "20000")
        measured.check("chain", 20000, 60000000)
        assert measured.output == "done 3\n", measured.output
        assert not {"unprobed", "differs", "not measured", "ended"} & set(measured.limits), measured.limits


@uncertain
def the_two_measures_agree():
    with Folder() as folder:
        program = compiled(folder, MAIN)
        row = Measured(folder, program, "5000", "30000").check("chain", 30000, 150000000)
        few = 1 / row["samples"] ** 0.5
        apart = row["probed_cycles"] / row["sampled_cycles"] - 1
        if os.getloadavg()[0] <= os.cpu_count():
            assert row["measured_by"] == "probes" and abs(apart) < 4 * few + 0.1, row
        else:  # the clock of probes also runs while another program has the processor
            assert -4 * few - 0.1 < apart < 4 * few + 1, row


@uncertain
def exit_status_of_both_runs():
    with Folder() as folder:
        program = compiled(folder, MAIN)
        measured = Measured(folder, program, "3000", "20000", "7", status=7)
        measured.check("chain", 20000, 60000000)
        assert "ended" not in measured.limits, measured.limits


@uncertain
def a_file_is_read_again_from_where_it_was():
    source = SUM + r"""
    int main(void)
    {
        long n = 0, entries = 0;
        char line[80];
        if (!fgets(line, sizeof line, stdin) || sscanf(line, "%ld %ld", &n, &entries) != 2)
            return 9;
        double *x = calloc((size_t)n, 8);
        while (entries--)
            sink += chain(x, n);
        return 0;
    }
    """
    with Folder() as folder:
        program, path = compiled(folder, source), os.path.join(folder, "input")
        with open(path, "w") as out:
            out.write("1 1\n2000 30000\n")
        with open(path) as file:
            os.lseek(file.fileno(), 4, os.SEEK_SET)
            Measured(folder, program, stdin=file).check("chain", 30000, 60000000)
        piped = Measured(folder, program, stdin=None, input=b"2000 30000\n")
        assert piped.limits.get("not measured") == 1, piped.limits
        assert "pipe" in piped.said and "< file" in piped.said, piped.said
        assert piped.loop("chain")["iterations"] in (0, None)


@uncertain
def a_pipe_that_nobody_reads_does_not_matter():
    with Folder() as folder:
        program = compiled(folder, MAIN)
        reading, writing = os.pipe()
        measured = Measured(folder, program, "3000", "20000", stdin=reading)
        os.close(reading)
        os.close(writing)
        measured.check("chain", 20000, 60000000)


@uncertain
def a_program_that_fails_the_second_time():
    source = SUM + r"""
    int main(int count, char **words)
    {
        (void)count;
        double *x = calloc(2000, 8);
        FILE *mark = fopen(words[1], "r");
        if (mark && words[2][0] == 'e')
            return 3;
        for (int i = 0; i < 30000; i++)
            sink += chain(x, 2000);
        if (mark)
            abort();
        return !fopen(words[1], "w");
    }
    """
    with Folder() as folder:
        program, mark = compiled(folder, source), os.path.join(folder, "mark")
        late = Measured(folder, program, mark, "late")
        late.check("chain", 30000, 60000000)
        assert late.limits.get("ended") == 1, late.limits
        os.remove(mark)
        early = Measured(folder, program, mark, "early")
        assert early.limits.get("ended") == 1 and early.limits.get("differs") == 1, early.limits
        assert early.loop("chain")["iterations"] in (0, None)


@uncertain
def loops_of_a_library():
    with Folder() as folder:
        compiled(folder, SUM + "double keep(void) { return sink; }\n", "-shared", "-fPIC", output="libchain.so")
        main = r"""
        #include <stdlib.h>
        double chain(const double *x, long n);
        int main(void)
        {
            double *x = calloc(2000, 8), s = 0;
            for (int i = 0; i < 30000; i++)
                s += chain(x, 2000);
            return s != 0;
        }
        """
        program = compiled(folder, main, "-Wl,--no-as-needed", f"-L{folder}", "-l:libchain.so", f"-Wl,-rpath,{folder}")
        Measured(folder, program).check("chain", 30000, 60000000)


@uncertain
def threads_add_up():
    source = SUM + r"""
    static void *work(void *x)
    {
        for (int i = 0; i < 10000; i++)
            sink = chain(x, 2000);
        return NULL;
    }
    int main(void)
    {
        pthread_t threads[3];
        double *x = calloc(2000, 8);
        for (int i = 0; i < 3; i++)
            pthread_create(&threads[i], NULL, work, x);
        for (int i = 0; i < 3; i++)
            pthread_join(threads[i], NULL);
        return 0;
    }
    """
    with Folder() as folder:
        Measured(folder, compiled(folder, source, "-pthread")).check("chain", 30000, 60000000)


@uncertain
def processes_add_up():
    source = SUM + r"""
    int main(void)
    {
        double *x = calloc(2000, 8);
        fork();
        for (int i = 0; i < 15000; i++)
            sink += chain(x, 2000);
        wait(NULL);
        return 0;
    }
    """
    with Folder() as folder:
        program = compiled(folder, source)
        Measured(folder, program).check("chain", 30000, 60000000)
        Measured(folder, "/bin/sh", "-c", f"{program}; :").check("chain", 30000, 60000000)


@uncertain
def openmp():
    source = SUM + r"""
    int main(void)
    {
        double *x = calloc(2000, 8);
        #pragma omp parallel for num_threads(4)
        for (int i = 0; i < 30000; i++)
            sink = chain(x, 2000);
        return 0;
    }
    """
    with Folder() as folder:
        Measured(folder, compiled(folder, source, "-fopenmp", compiler=[need("gcc")])).check("chain", 30000, 60000000)


@uncertain
def ranks_of_mpi():
    source = "#include <mpi.h>\n" + SUM + r"""
    int main(int count, char **words)
    {
        MPI_Init(&count, &words);
        double *x = calloc(2000, 8);
        for (int i = 0; i < 15000; i++)
            sink += chain(x, 2000);
        MPI_Finalize();
        return 0;
    }
    """
    with Folder() as folder:
        program = compiled(folder, source, compiler=[need("mpicc")])
        words = [need("mpirun"), "--allow-run-as-root", "--oversubscribe", "-n", "2", program]
        Measured(folder, *words).check("chain", 30000, 60000000)


@uncertain
def fortran():
    source = """
program sums
  implicit none
  real(8) :: x(2000), s
  integer :: k
  x = 1
  s = 0
  do k = 1, 30000
    x(1) = k
    s = s + chain(x, 2000)
  end do
  print *, s
contains
  real(8) function chain(x, n)
    integer, intent(in) :: n
    real(8), intent(in) :: x(n)
    integer :: i
    chain = 0
    do i = 1, n
      chain = chain + x(i)
    end do
  end function
end program
"""
    with Folder() as folder:
        program = compiled(folder, source, language="f90", compiler=[need("gfortran")])
        measured = Measured(folder, program)
        found = [row for row in measured.rows(FIGURES) if row["iterations"] in (30000 * 2000, 30000 * 1999)]  # perhaps without the first
        assert len(found) == 1 and found[0]["entries"] == 30000, measured.rows(FIGURES)


@uncertain
def recursive_code():
    source = SUM + r"""
    __attribute__((noinline)) double tree(const double *x, int depth)
    {
        double s = 0;
        for (int i = 0; i < 3; i++)
            s += depth ? tree(x, depth - 1) : chain(x, 500);
        return s;
    }
    int main(void)
    {
        double *x = calloc(500, 8);
        sink = tree(x, 9);
        return 0;
    }
    """
    with Folder() as folder:
        Measured(folder, compiled(folder, source)).check("chain", 59049, 29524500)


NEST = SUM + r"""
/* Inner loops of 2 iterations, and of 3 every eighth time; the list has no induction variable. */
__attribute__((noinline)) double nest(const double *x, const long *trips, long m)
{
    double all = 0;
    for (long k = 0; k < m; k++) {
        double s = 0;
        for (long i = 0; i < trips[k & 1023]; i++)
            s = s * 0.5 + x[i];
        all += s;
    }
    return all;
}
struct node { struct node *next; long value; };
__attribute__((noinline)) long walk(struct node *const *heads, long m)
{
    long all = 0;
    for (long k = 0; k < m; k++)
        for (const struct node *node = heads[k & 1023]; node; node = node->next)
            all += node->value;
    return all;
}
static double x[100];
static long trips[1024];
static struct node nodes[4096], *heads[1024];
static long rounds;
static void *work(void *which)
{
    sink = which ? (double)walk(heads, rounds) : nest(x, trips, rounds);
    return NULL;
}
static void *nests(void *unused)
{
    double own = nest(x, trips, rounds);
    return own < 0 ? unused : NULL;
}
int main(int count, char **words)
{
    for (int k = 0, used = 0; k < 1024; k++) {
        trips[k] = k % 8 ? 2 : 3;
        for (int i = 0; i < trips[k]; i++, used++) {
            nodes[used] = (struct node){heads[k], i};
            heads[k] = &nodes[used];
        }
    }
    rounds = atol(words[2]);
    if (!strcmp(words[1], "threads")) {
        pthread_t threads[3];
        for (int i = 0; i < 3; i++)
            pthread_create(&threads[i], NULL, nests, NULL);
        for (int i = 0; i < 3; i++)
            pthread_join(threads[i], NULL);
    } else
        work(!strcmp(words[1], "walk") ? words : NULL);
    printf("done %d\n", count);
    return 0;
}
"""
OUTER = """select r.*, u.cycles_per_second from run_loops r join runs u on u.id = r.run join loops l on l.id = r.loop
    join functions f on f.id = l.function where f.name = '%s' and not l.is_innermost"""
SEEN = """select r.entries, r.iterations, r.seen_entries, r.seen_iterations, r.cycles_per_iteration, r.measured_by from run_loops r
    join loops l on l.id = r.loop join functions f on f.id = l.function where f.name = '%s' and l.is_innermost"""


@uncertain
def short_loops_are_counted():
    with Folder() as folder:
        program = compiled(folder, NEST, "-fno-tree-vectorize", "-pthread", compiler=[need("gcc")])
        rounds = 30 << 20
        for name in "nest", "walk":
            measured = Measured(folder, program, name, str(rounds))
            row, = measured.rows(SEEN % name)
            assert (row["entries"], row["iterations"]) == (rounds, rounds // 8 * 17), (row, measured.limits)
            assert row["cycles_per_iteration"] > 0 and row["seen_entries"] is None, row
            assert "partial" not in measured.limits and "unprobed" not in measured.limits, measured.limits


@uncertain
def a_probe_that_has_seen_enough_switches_itself_off():
    """Entered too often to count all: the mean of those that were seen is right, and the program goes on as it should."""
    with Folder() as folder:
        program = compiled(folder, NEST, "-fno-tree-vectorize", "-pthread", compiler=[need("gcc")])
        rounds = 120 << 20
        for way, name in ("nest", "nest"), ("walk", "walk"), ("threads", "nest"):
            measured = Measured(folder, program, way, str(rounds))
            row, = measured.rows(SEEN % name)
            assert measured.limits.get("partial") == 1 and measured.output == "done 3\n", (measured.limits, measured.output)
            assert row["entries"] is None and row["iterations"] is None, row
            if way == "nest":  # by the counted iterations of the loop around it
                assert row["measured_by"] == "estimated" and 0.5 < row["cycles_per_iteration"] < 20, row
            assert 1 << 24 < row["seen_entries"] < 3 * rounds, row
            assert abs(row["seen_iterations"] / row["seen_entries"] - 17 / 8) < 0.001, row
            assert "had seen enough and switched" in measured.said and "run --measure" not in measured.said, measured.said


@uncertain
def a_loop_of_many_iterations_is_counted_however_often_it_is_entered():
    source = SUM + r"""
    enum { COUNT = 1000 };
    static double x[COUNT], y[COUNT], v[COUNT], w[COUNT];
    __attribute__((noinline)) void step(double dt)
    {
        for (int i = 0; i < COUNT; i++) {
            double a = 0, b = 0;
            for (int j = 0; j < COUNT; j++) {
                double p = x[j] - x[i], q = y[j] - y[i], d = p * p + q * q + 1e-3, f = 1 / (d * sqrt(d));
                a += p * f;
                b += q * f;
            }
            v[i] += dt * a;
            w[i] += dt * b;
        }
        for (int i = 0; i < COUNT; i++) {
            x[i] += dt * v[i];
            y[i] += dt * w[i];
        }
    }
    int main(void)
    {
        for (int i = 0; i < COUNT; i++) {
            x[i] = i % 30;
            y[i] = i / 30;
        }
        for (int i = 0; i < 100; i++)
            step(1e-4);
        sink = x[3];
        return 0;
    }
    """
    with Folder() as folder:
        program = compiled(folder, source, "-fno-tree-vectorize", "-fno-math-errno", compiler=[need("gcc")])
        measured = Measured(folder, program)
        most, = [row for row in measured.rows(FIGURES) if row["name"] == "step" and row["samples"] > 100]
        assert (most["entries"], most["iterations"]) == (100000, 100000000), most
        assert most["cycles_per_iteration"] > 0 and "run --measure" not in measured.said, measured.said


@uncertain
def paths_branches_and_addresses():
    source = SUM + r"""
    __attribute__((noinline)) long choose(const unsigned char *x, long n, long *low)
    {
        long s = 0;
        for (long i = 0; i < n; i++) {
            if (x[i] < 64) {
                __asm__ volatile("" ::: "memory");
                low[i & 7] += s;
            } else {
                __asm__ volatile("" ::: "memory");
                s ^= x[i];
            }
        }
        return s;
    }
    int main(void)
    {
        enum { SIZE = 1 << 16 };
        static unsigned char x[SIZE];
        static long low[8];
        unsigned long state = 1;
        for (int i = 0; i < SIZE; i++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            x[i] = i % 4 ? 64 | (unsigned char)(state >> 57) : 3;
            if (i > SIZE / 2)
                x[i] = state >> 62 ? 99 : 3;
        }
        x[SIZE - 1] = 99;
        long count = 0;
        for (int i = 0; i < SIZE; i++)
            count += x[i] < 64;
        for (int i = 0; i < 800; i++)
            sink += (double)choose(x, SIZE, low);
        printf("%ld\n", count * 800);
        return 0;
    }
    """
    with Folder() as folder:
        program = compiled(folder, source, compiler=[need("gcc")])
        measured = Measured(folder, program, options=("--explain",))
        low, total = int(measured.output), 800 << 16
        loop = measured.check("choose", 800, total)["loop"]
        counts = [row["count"] for row in measured.rows(f"select count from run_paths where loop = {loop} and share > 0.01")]
        assert sorted(counts) == sorted([low, total - low]) or abs(min(counts) - low) <= 800, (counts, low, total)
        branches = measured.rows(f"select * from probe_branches where loop = {loop} order by misses desc")
        data, ends = branches[0], branches[1:]
        assert data["count"] == total == sum(row["count"] for row in ends), branches
        assert data["taken"] in (low, total - low) and 800 in [row["count"] - row["taken"] for row in ends], (branches, low)
        assert 0 < sum(row["guessed"] for row in branches) <= 1 << 20, branches
        assert all(row["misses"] < 0.001 * row["guessed"] for row in ends), branches
        # Half of the data repeats every four, the other half is random: a quarter of these is low.
        assert 0.05 < data["misses"] / data["guessed"] < 0.3, branches
        touched = measured.rows(f"""select a.count from probe_addresses a join code c on c.id = a.instruction
            join loop_blocks b on b.block = c.block where b.loop = {loop}""")
        assert touched and all(row["count"] <= 1 << 22 for row in touched), touched


@uncertain
def a_static_program_says_why_not():
    with Folder() as folder:
        program = compiled(folder, MAIN, "-static", "-no-pie", compiler=[need("gcc")])
        measured = Measured(folder, program, "3000", "20000")
        assert measured.limits.get("not measured") == 1 and "statically linked" in measured.said, measured.said


@uncertain
def a_loop_around_others_has_the_figures_of_its_own_code():
    source = SUM + r"""
    __attribute__((noinline)) double rows(const double *x, const int *lengths, long n)
    {
        double s = 1;
        for (long i = 0; i < n; i++) { /* divisions that wait for each other, and a loop of few iterations */
            s = x[i] / s + 1 / (s + x[i]);
            for (int k = 0; k < lengths[i]; k++)
                s += x[k];
        }
        return s;
    }
    int main(void)
    {
        enum { ROWS = 1000 };
        static double x[ROWS];
        static int lengths[ROWS];
        for (int i = 0; i < ROWS; i++) {
            x[i] = 1 + i % 7;
            lengths[i] = 1 + i % 4;
        }
        for (int i = 0; i < 30000; i++)
            sink += rows(x, lengths, ROWS);
        return 0;
    }
    """
    with Folder() as folder:
        program = compiled(folder, source, compiler=[need("gcc")])
        measured = Measured(folder, program, options=("--explain",))
        outer, = measured.rows(OUTER % "rows")
        assert (outer["entries"], outer["iterations"]) == (30000, 30000000), (outer, measured.limits)
        assert outer["measured_by"] == "samples" and outer["cycles_per_iteration"] > 5, outer
        own = outer["self_seconds"] * outer["cycles_per_second"] / outer["iterations"]
        assert abs(outer["cycles_per_iteration"] / own - 1) < 1e-6, (outer, own)
        assert outer["predicted_cycles"] > 5 and outer["probed_cycles"] is None, outer  # divisions in a row


@uncertain
def advice_counts_the_iterations_of_the_run():
    """How often the inner loop goes round decides whether vectors pay; the code does not show it."""
    source = SUM + r"""
    __attribute__((noinline)) void add(float *restrict to, const float *restrict from, int rows, int n)
    {
        for (int r = 0; r < rows; r++)
            for (int i = 0; i < n; i++)
                to[r * n + i] += from[i] * 3;
    }
    int main(int count, char **words)
    {
        enum { ROWS = 64 };
        int n = atoi(words[1]), rounds = (int)(3e8 / n / ROWS);
        float *to = calloc((size_t)n * ROWS, 4), *from = calloc((size_t)n, 4);
        for (int i = 0; i < rounds; i++)
            add(to, from, ROWS, n);
        sink = to[n - 1] + count;
        return 0;
    }
    """
    query = """select a.level, a.gain, a.text, exists(select * from run_savings s where s.advice = a.id) as is_promised
        from advice a join rules r on r.id = a.rule join loops l on l.id = a.loop join functions f on f.id = l.function
        where f.name = 'add' and r.name = 'not-vectorised'"""
    with Folder() as folder:
        path = os.path.join(folder, "add.c")
        with open(path, "w") as out:
            out.write(source)
        program = build(folder, [need("gcc")], [path], "-g", "-O2", output="add")
        unknown = Measured(folder, program, "2000", options=()).rows(query)
        assert [row["level"] for row in unknown] != ["gain"] and "number of iterations is unknown" in unknown[0]["text"], unknown
        many, = Measured(folder, program, "2000").rows(query)
        assert many["level"] != "hint" and many["is_promised"] and many["gain"] > 1.5 and "unknown" not in many["text"], many
        some, = Measured(folder, program, "20").rows(query)
        assert "In the run that was measured, it made 20 iterations each time" in some["text"], some
        assert 1 < some["gain"] < many["gain"], (some, many)
        assert not Measured(folder, program, "2").rows(query)


@uncertain
def a_loop_that_never_ends():
    source = SUM + r"""
    #include <signal.h>
    static void stop(int number)
    {
        _exit(number == SIGALRM ? 5 : 6);
    }
    int main(void)
    {
        signal(SIGALRM, stop);
        alarm(1);
        for (unsigned long state = 1;; state = state * 5 + 1)
            sink = (double)state;
    }
    """
    with Folder() as folder:
        measured = Measured(folder, compiled(folder, source, compiler=[need("gcc")]), status=5)
        row = measured.loop("main")
        assert row["entries"] in (None, 0, 1) and row["cycles_per_iteration"] is None, row


run()
