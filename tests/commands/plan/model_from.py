# first build only: it runs a program with probes, and the code after it is that of other tests
"""assay model from: a first model of a recorded program runs, and takes as long as the run did."""
import json, os, re, sqlite3

from harness import MACHINE, Folder, assay, build, compilers, run, test, text

PROGRAM = """#include <stdio.h>
static double a[20000], b[20000];
__attribute__((noinline)) double sum(int n)
{
    double s = 0;
    for (int i = 0; i < n; i++)
        s += a[i] * b[i];
    return s;
}
int main(void)
{
    double s = 0;
    for (int i = 0; i < 20000; i++) {
        a[i] = b[i] = i;
        s += sum(20000);
    }
    printf("%g\\n", s);
}
"""


@test
def a_recorded_run_becomes_a_model():
    with Folder() as folder:
        source, database, model = (os.path.join(folder, name) for name in ("dot.c", "run.db", "dot.model"))
        with open(source, "w") as file:
            file.write(PROGRAM)
        program = build(folder, compilers(MACHINE)[0], [source], "-O2", "-g")
        assay("run", "--measure", "-o", database, "--", program)
        assay("model", "from", database, "-o", model)
        written = open(model).read()
        found = re.search(r"parameter (\w+)_iterations = (\d+)", written)
        assert found and int(found.group(2)) in (400000000, 200000000, 100000000), written  # unrolled, or vectors
        assert f"free parameter {found.group(1)}_time = " in written and "dot.c:" in written, written
        taken = json.loads(text("sql", database, "select sampled_seconds as s from runs", "--json", "--quiet"))[0]["s"]
        answer = json.loads(text("model", "run", model, "--json", "--quiet"))
        assert abs(answer[0]["predicted_seconds"] / taken - 1) < 0.01, (answer, taken)
        twice = json.loads(text("model", "run", model, "--json", "--quiet", "--set",
                                f"{found.group(1)}_iterations={2 * int(found.group(2))}"))
        assert twice[0]["predicted_seconds"] > 1.5 * answer[0]["predicted_seconds"]
        assert f'loop "dot.c":' in written, written
        # Loops of MPI are not the program's.
        with sqlite3.connect(database) as own:
            own.execute("update run_functions set activity = 'mpi'")
            own.execute("update run_processes set rank = 0, mpi_seconds = cpu_seconds * 0.75")
        own.close()
        left = text("model", "from", database)
        computed = json.loads(text("sql", database, "select sum(cpu_seconds) as s from run_processes", "--json", "--quiet"))[0]["s"] * 0.25
        assert "_iterations" not in left and abs(float(re.search(r"rest = ([\d.e-]+) s", left)[1]) / computed - 1) < 0.01, (left, computed)


UNEVEN = """#include <stdio.h>
#include <stdlib.h>
static double a[1000];
__attribute__((noinline)) double work(long times)
{
    double s = 0;
    for (long k = 0; k < times; k++)
        for (int i = 0; i < 1000; i++)
            s += a[i] * a[i];
    return s;
}
int main(void)
{
    int rank = atoi(getenv("OMPI_COMM_WORLD_RANK"));
    for (int i = 0; i < 1000; i++)
        a[i] = i;
    printf("%g\\n", work((rank + 1) * 150000L));
}
"""


@test
def ranks_that_do_more_are_told_apart():
    """Two processes with the ranks that a launcher would give them: one has twice the iterations of the other."""
    with Folder() as folder:
        source, database, model = (os.path.join(folder, name) for name in ("uneven.c", "run.db", "uneven.model"))
        with open(source, "w") as file:
            file.write(UNEVEN)
        program = build(folder, compilers(MACHINE)[0], [source], "-O1", "-g")
        words = ["/bin/sh", "-c", f"OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=2 {program}; OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=2 {program}"]
        for measures in (True, False):
            assay("run", *(["--measure"] if measures else []), "-o", database, "--force", "--", *words)
            times = {row["rank"]: row["s"] for row in json.loads(text("sql", database, """select rank,
                sum(cpu_seconds - coalesce(mpi_seconds, 0)) as s from run_processes where rank is not null group by rank""", "--json", "--quiet"))}
            assert set(times) == {0, 1}, times
            assay("model", "from", database, "-o", model)
            written = open(model).read()
            what = "iterations" if measures else "time"
            values = dict(re.findall(rf"parameter \w+_{what}_[12] = ([\d.e-]+)[ s]* \"of rank ([01])\"", written))
            assert sorted(values.values()) == ["0", "1"], written
            less, more = sorted(map(float, values))
            assert values[[key for key in values if float(key) == more][0]] == "1", written
            if measures:
                assert (less, more) == (150000000, 300000000), written
            else:
                assert 1.5 < more / less < 2.7, written
            answer = json.loads(text("model", "run", model, "--json", "--quiet"))[0]["predicted_seconds"]
            assert abs(answer / max(times.values()) - 1) < 0.15, (answer, times, written)


@test
def what_is_no_run_is_refused():
    with Folder() as folder:
        path = os.path.join(folder, "file")
        with open(path, "w") as file:
            file.write("no database")
        assert "is neither a database nor a C source" in assay("model", "from", path, status=2).stderr.decode()
        assert "cannot be read" in assay("model", "from", path + "x", status=2).stderr.decode()
        database = os.path.join(folder, "a.db")
        assay("db", "/bin/true", "-o", database, "--quiet")
        assert "has no run" in assay("model", "from", database, status=2).stderr.decode()


run()
