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


@test
def what_is_no_run_is_refused():
    with Folder() as folder:
        path = os.path.join(folder, "file")
        with open(path, "w") as file:
            file.write("no database")
        assert "is not a database" in assay("model", "from", path, status=2).stderr.decode()
        assert "cannot be read" in assay("model", "from", path + "x", status=2).stderr.decode()
        database = os.path.join(folder, "a.db")
        assay("db", "/bin/true", "-o", database, "--quiet")
        assert "has no run" in assay("model", "from", database, status=2).stderr.decode()


run()
