"""assay run --measure and --explain: a second and a third run with probes, on real programs whose counts are known."""
import os, subprocess
from harness import ASSAY, MACHINE, Fail, Folder, build, compilers, need, rows, run, uncertain, watched

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
    return build(folder, compiler or compilers(MACHINE)[0], [path], "-g", "-O2", *flags, output=output)


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
        assert row["measured_by"] == "probes", row
        few = 1 / row["samples"] ** 0.5
        assert abs(row["probed_cycles"] / row["sampled_cycles"] - 1) < 4 * few + 0.1, row


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
        found = [row for row in measured.rows(FIGURES) if row["iterations"] == 60000000]
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


@uncertain
def short_loops_are_left_to_the_third_run():
    source = SUM + r"""
    __attribute__((noinline)) double nest(const double *x, long m, long n)
    {
        double all = 0;
        for (long k = 0; k < m; k++) {
            double s = 0;
            for (long i = 0; i < n; i++)
                s = s * 0.5 + x[i + (k & 7)];
            all += s;
        }
        return all;
    }
    int main(int count, char **words)
    {
        double *x = calloc(100, 8);
        sink = nest(x, 30000000 * (long)count, atol(words[1]));
        return 0;
    }
    """
    with Folder() as folder:
        program = compiled(folder, source, compiler=[need("gcc")])
        inner = "select r.iterations, r.entries from run_loops r join loops l on l.id = r.loop where l.is_innermost"
        measured = Measured(folder, program, "3")
        assert measured.limits.get("too short") == 1, measured.limits
        assert [row["iterations"] for row in measured.rows(inner)] in ([0], [None]), measured.rows(inner)
        explained = Measured(folder, program, "3", options=("--explain",))
        assert explained.rows(inner) == [{"iterations": 180000000, "entries": 60000000}], explained.rows(inner)
        assert "too short" not in explained.limits, explained.limits


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
