"""Sampled runs in a database: what the views and the analyses of the group runs say of them.

The rows are made by hand and put into the database of a real program, so that every figure is known beforehand, on any
machine and without running anything."""
import json, os, sqlite3
from harness import MACHINE, Folder, assay, build, compilers, rows, run, uncertain

SOURCE = r"""
#include <stdio.h>
double a[4096], b[4096];
static inline __attribute__((always_inline)) double half(double x)
{
    return x * 0.5 + a[0];
}
static inline __attribute__((always_inline)) double mean(double x, double y)
{
    return half(x) + half(y) * b[1];
}
__attribute__((noinline)) void smooth(double *to, const double *from, int n)
{
    for (int i = 1; i < n; i++)
        to[i] = mean(from[i - 1], from[i + 1]);
}
__attribute__((noinline)) double total(const double *x, int n)
{
    double s = 0;
    for (int i = 0; i < n; i++)
        s += x[i] * x[i];
    return s;
}
int main(int argc, char **argv)
{
    (void)argv;
    for (int i = 0; i < 1000; i++)
        smooth(a, b, 6 * argc);
    printf("%g\n", total(a, 110 * argc));
    return 0;
}
"""
OF_RUNS = ("hot-lines", "hot-instructions", "time-by-thread", "time-by-rank", "time-by-activity", "callers")


def fill(connection, table, **columns):
    """A row whose other columns are 0 or, where they may be, NULL; the id of it."""
    names = ", ".join(f'"{name}"' for name in columns)
    return connection.execute(f"insert into {table} ({names}) values ({', '.join('?' * len(columns))})",
                              list(columns.values())).lastrowid


class Program:
    """The program's database, open, with the ids of its functions and loops by name, and the run that rows belong to."""

    def __init__(self, folder):
        source = os.path.join(folder, "solve.c")
        with open(source, "w") as out:
            out.write(SOURCE)
        found = compilers(MACHINE)
        program = build(folder, found[0], [source], "-g", "-O1")
        self.path = os.path.join(folder, "solve.db")
        assay("db", program, "-o", self.path, "--quiet")
        self.connection = sqlite3.connect(self.path)
        self.functions = {name: number for number, name in self.connection.execute("select id, name from functions")}
        self.loops = {name: number for number, name in self.connection.execute(
            "select l.id, f.name from loops l join functions f on f.id = l.function")}
        self.run = fill(self.connection, "runs", command="./solve", sampler="cpu clock", sampled_seconds=10.0, samples=1000)
        self.file = fill(self.connection, "run_files", run=self.run, path="/solve", state="read", samples=1000)
        self.kernel = fill(self.connection, "run_files", run=self.run, state="kernel")

    def process(self, number, rank=None, **columns):
        return fill(self.connection, "run_processes", run=self.run, process=number, rank=rank, **columns)

    def thread(self, process, number, cpu, **columns):
        return fill(self.connection, "run_threads", **{**dict(process=process, thread=number, cpu_seconds=cpu, mpi_seconds=0,
                                                              parallel_wait_seconds=0, waiting_seconds=0), **columns})

    def sample(self, thread, instruction, count):
        """Samples at an instruction, 10 ms each."""
        address, function, loop, source, line, inlined = self.connection.execute(
            """select b.address + c.offset, b.function, b.loop, s.file, s.line, s.inlined_call
                 from code c join blocks b on b.id = c.block left join source_lines s on s.id = c.source_line
                where c.id = ?""", [instruction]).fetchone()
        fill(self.connection, "samples", thread=thread, file=self.file, address=address, instruction=instruction,
             function=function, loop=loop, source=source, line=line, inlined_call=inlined, count=count, seconds=count / 100)

    def in_line(self, words):
        """Instructions of the source line with these words."""
        line = 1 + SOURCE[:SOURCE.index(words)].count("\n")
        found = [number for number, in self.connection.execute(
            "select c.id from code c join source_lines s on s.id = c.source_line where s.line = ? order by c.id", [line])]
        assert found, words
        return line, found

    def close(self):
        self.connection.commit()
        self.connection.close()


def found(name, path, *options):
    return json.loads(assay("analysis", name, path, "--json", *options).stdout)


def only(answer, *names):
    return [tuple(row[name] for name in names) for row in answer]


@uncertain
def time_is_by_line_and_by_instruction():
    with Folder() as folder:
        program = Program(folder)
        thread, other = (program.thread(program.process(100), number, 5.0) for number in (100, 101))
        line, instructions = program.in_line("s += x[i] * x[i]")
        inlined_line, inlined = program.in_line("return x * 0.5")
        program.sample(thread, instructions[0], 300)
        program.sample(other, instructions[0], 100)
        program.sample(thread, instructions[-1], 50)
        program.sample(thread, inlined[0], 40)
        fill(program.connection, "samples", thread=thread, file=program.kernel, address=0, name="[kernel]", count=510, seconds=5.1)
        program.close()
        assert only(found("hot-lines", program.path), "function", "line", "samples", "seconds", "percent") == \
            [("total", line, 450, 4.5, 45), ("smooth", inlined_line, 40, 0.4, 4)], found("hot-lines", program.path)
        hot = found("hot-instructions", program.path)
        assert only(hot, "instruction_id", "samples", "percent") == \
            [(instructions[0], 400, 40), (instructions[-1], 50, 5), (inlined[0], 40, 4)], hot
        assert hot[0]["text"] and hot[0]["function"] == "total" and hot[0]["loop"] == program.loops["total"], hot
        assert only(found("hot-lines", program.path, "--function", "smooth"), "function") == [("smooth",)]
        assert len(found("hot-instructions", program.path, "--set", "most=1")) == 1
        assert found("hot-lines", program.path, "--set", "run=2") == []


@uncertain
def time_is_by_inlined_call():
    with Folder() as folder:
        program = Program(folder)
        thread = program.thread(program.process(100), 100, 5.0)
        line, halves = program.in_line("return x * 0.5")
        _, means = program.in_line("return half(x)")
        program.sample(thread, halves[0], 30)
        program.sample(thread, means[0], 20)
        half, mean = (program.connection.execute(
            "select s.inlined_call from code c join source_lines s on s.id = c.source_line where c.id = ?",
            [at]).fetchone()[0] for at in (halves[0], means[0]))
        program.close()
        answer = {row["inlined_call"]: row for row in rows(program.path, "select * from run_inlined")}
        assert sorted(answer) == sorted((half, mean)), answer
        inner, outer = answer[half], answer[mean]
        assert (inner["name"], inner["caller"], outer["name"], outer["caller"]) == ("half", "mean", "mean", "smooth"), answer
        assert (inner["samples"], round(inner["self_seconds"], 6), round(inner["total_seconds"], 6)) == (30, 0.3, 0.3), inner
        assert (outer["samples"], round(outer["self_seconds"], 6), round(outer["total_seconds"], 6)) == (20, 0.2, 0.5), outer
        assert round(outer["total_share"], 6) == 0.05 and outer["function"] == program.functions["smooth"], outer


@uncertain
def ranks_and_threads_show_their_imbalance():
    with Folder() as folder:
        program = Program(folder)
        first = program.process(100, 0, cpu_seconds=4.0, mpi_seconds=3.0, seconds=4.0, host="a")
        second = program.process(101, 1, cpu_seconds=4.0, mpi_seconds=1.0, seconds=4.0, host="b")
        program.process(99, cpu_seconds=0.1, mpi_seconds=0)  # mpirun
        program.thread(first, 100, 2.0, mpi_seconds=1.0, seconds=4.0, waiting_seconds=2.0)
        program.thread(first, 110, 2.0, parallel_wait_seconds=1.5)
        program.thread(first, 120, 0.01)  # it hardly ran
        program.thread(second, 101, 4.0, mpi_seconds=1.0)
        program.close()
        answer = rows(program.path, "select kind, process, count, mean_seconds, max_seconds, imbalance, slowest from run_imbalance")
        assert [tuple(row.values()) for row in answer] == [("ranks", None, 2, 2.0, 3.0, 1.5, 1),
                                                           ("threads", first, 2, 0.75, 1.0, 1.0 / 0.75, 100)], answer
        assert only(found("time-by-rank", program.path), "rank", "host", "computing", "mpi", "over_mean") == \
            [(0, "a", 1, 3, 0.5), (1, "b", 3, 1, 1.5)]
        assert only(found("time-by-thread", program.path), "rank", "thread", "cpu", "computing", "mpi", "spinning", "off") == \
            [(0, 100, 2, 1, 1, 0, 2), (0, 110, 2, 0.5, 0, 1.5, 0), (0, 120, 0.01, 0.01, 0, 0, 0), (1, 101, 4, 3, 1, 0, 0)]


@uncertain
def time_is_by_activity():
    with Folder() as folder:
        program = Program(folder)
        for name, activity, seconds, file in (("a", "compute", 5, program.file), ("b", "compute", 1, program.file),
                                              ("[libgomp.so.1]", "parallel wait", 2.5, program.file),
                                              ("[kernel]", "compute", 1.5, program.kernel)):
            fill(program.connection, "run_functions", run=program.run, name=name, file=file, activity=activity,
                 self_seconds=seconds, self_share=seconds / 10, total_seconds=seconds, total_share=seconds / 10)
        program.close()
        assert only(found("time-by-activity", program.path), "activity", "functions", "seconds", "percent") == \
            [("compute", 2, 6, 60), ("parallel wait", 1, 2.5, 25), ("kernel", 1, 1.5, 15)]


@uncertain
def callers_are_found_in_the_call_tree():
    with Folder() as folder:
        program = Program(folder)
        functions = program.functions

        def call(caller, function, name, seconds):
            depth = 1 if caller is None else 1 + program.connection.execute(
                "select depth from run_calls where id = ?", [caller]).fetchone()[0]
            return fill(program.connection, "run_calls", run=program.run, caller=caller, function=function, name=name,
                        depth=depth, self_seconds=0, total_seconds=seconds)

        main = call(None, functions["main"], None, 10)
        smooth = call(main, functions["smooth"], None, 7)
        call(smooth, None, "exp (libm.so.6)", 3)
        total = call(smooth, functions["total"], None, 4)
        again = call(total, functions["smooth"], None, 2)  # smooth, total, smooth, total: recursion
        call(again, functions["total"], None, 1)
        call(main, functions["total"], None, 2)
        program.close()
        assert only(found("callers", program.path, "--function", "total"), "function", "caller", "seconds", "percent") == \
            [("total", "smooth", 4, 40), ("total", "main", 2, 20)]
        answer = only(found("callers", program.path), "function", "caller", "seconds")
        assert answer[0] == ("main", "(nothing: stacks begin here)", 10) and answer[1] == ("smooth", "main", 7), answer
        assert ("exp (libm.so.6)", "smooth", 3) in answer, answer


@uncertain
def savings_add_up_by_rule():
    with Folder() as folder:
        program = Program(folder)
        rule, other = (fill(program.connection, "rules", name=name, title=name.upper(), meaning="x") for name in ("one", "two"))
        position = 0
        for loop, by, saving in (("smooth", rule, 0.3), ("total", other, 0.25), ("total", rule, 0.1), ("smooth", other, 0.0001)):
            advice = fill(program.connection, "advice", loop=program.loops[loop], path=1, rule=by, level_code=0, gain=2)
            position += 1
            fill(program.connection, "run_savings", run=program.run, position=position, loop=program.loops[loop],
                 advice=advice, share=0.5, gain=2, saving=saving)
        program.close()
        assert only(found("savings", program.path), "rule", "loops", "percent", "most_in_a_loop") == \
            [("one", 2, 40, 30), ("two", 1, 25, 25)]


@uncertain
def databases_without_runs_say_so():
    with Folder() as folder:
        program = Program(folder)
        program.connection.execute("delete from runs")
        program.close()
        for name in OF_RUNS:
            said = assay("analysis", name, program.path)
            assert said.stdout == b"" and b"nothing found: the file has no sampled runs" in said.stderr, said


run()
