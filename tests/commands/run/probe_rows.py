"""Recordings of runs with probes as rows: a program that knows its own counts, with threads, a child, and an end by force."""
# first build only: mostly runs other programs; the reader of recordings has unit tests and a fuzzer
import os, sqlite3
from harness import *

SOURCE = r"""
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
volatile long sink;
__attribute__((noinline)) long work(long n)
{
    long s = 0;
    for (long i = 0; i < n; i++)
        s += i ^ sink;
    return s;
}
__attribute__((noinline)) void *many(void *argument)
{
    for (long i = 0; i < (long)argument; i++)
        sink += work(1 + i % 3);
    return 0;
}
int main(int argc, char **argv)
{
    pthread_t threads[3];
    const char *end = argc > 1 ? argv[1] : "";
    for (long i = 0; i < 3; i++)
        pthread_create(&threads[i], 0, many, (void *)(1500 * (i + 1)));
    for (long i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
    if (!strcmp(end, "child")) {
        pid_t child = fork();
        if (!child) {
            many((void *)30);
            _exit(7);
        }
        waitpid(child, 0, 0);
    }
    if (!strcmp(end, "kill"))
        kill(getpid(), SIGKILL);
    return 0;
}
"""
CALLS, ITERATIONS = 9000, 18000  # 1500 + 3000 + 4500 calls, of 1, 2 and 3 iterations in turn


def probed(folder, *words, end=None, status=0):
    """The database of a run, as a connection."""
    program, path = os.path.join(folder, "counted"), os.path.join(folder, "run.db")
    if not os.path.exists(program):
        source = os.path.join(folder, "counted.c")
        open(source, "w").write(SOURCE)
        build(folder, [need("gcc")], [source], "-O1", "-g", "-pthread", output="counted")
    assay("probe", *words, "-o", path, "--force", "-q", "--", program, *([end] if end else []), status=status)
    return sqlite3.connect(path)


def one(connection, query):
    rows = connection.execute(query).fetchall()
    assert len(rows) == 1, rows
    return rows[0] if len(rows[0]) > 1 else rows[0][0]


WORK = "(select id from functions where name = 'work')"
LOOP = f"(select id from loops where function = {WORK})"


def check_counts(connection, run=1):
    assert one(connection, f"select calls, abandoned from probe_functions where run = {run} and function = {WORK}") == (CALLS, 0)
    assert one(connection, f"select entries, iterations, min_iterations, max_iterations from probe_loops "
                           f"where run = {run} and loop = {LOOP}") == (CALLS, ITERATIONS, 1, 3)


@test
def threads_are_added_up_and_distributions_too():
    with Folder() as folder:
        connection = probed(folder, "--plan", plan(folder))
        check_counts(connection)
        assert one(connection, "select exit_status, end_signal from probe_runs") == (0, None)
        for quantity, table, key, count in (("function time", "functions", "function", "calls"),
                                            ("loop time", "loops", "loop", "entries"),
                                            ("iterations", "loops", "loop", "entries")):
            wrong = connection.execute(f"""select t.{key} from probe_{table} t where t.{count} - t.abandoned <>
                (select total(h.count) from probe_histograms h where h.run = t.run and h.subject = t.{key}
                    and h.quantity = '{quantity}')""").fetchall()
            assert not wrong, (quantity, wrong)
        assert connection.execute(f"""select low, high, count from probe_histograms where quantity = 'iterations'
            and subject = {LOOP} order by low""").fetchall() == [(n, n, CALLS // 3) for n in (1, 2, 3)]
        outside = connection.execute("""select function from probe_functions where not
            (min_ns <= median_ns and median_ns <= max_ns and min_ns <= mean_ns and mean_ns <= max_ns)""").fetchall()
        assert not outside, outside


def plan(folder):
    path = os.path.join(folder, "plan.txt")
    open(path, "w").write("functions work\nfunctions many\nloops work\n")
    return path


@test
def a_killed_program_leaves_everything():
    with Folder() as folder:
        connection = probed(folder, "--plan", plan(folder), end="kill", status=1)
        check_counts(connection)
        assert one(connection, "select exit_status, end_signal, seconds > 0 from probe_runs") == (None, 9, 1)
        kinds = {kind for kind, in connection.execute("select kind from probe_limits")}
        assert not kinds & {"damaged", "unread", "lost", "unpaired"}, kinds


@test
def a_child_is_a_run_of_its_own():
    with Folder() as folder:
        connection = probed(folder, "--plan", plan(folder), end="child")
        check_counts(connection)
        assert connection.execute("select id, exit_status from probe_runs order by id").fetchall() == [(1, 0), (2, 7)]
        assert one(connection, f"select calls from probe_functions where run = 2 and function = {WORK}") == 30
        assert one(connection, f"select entries, iterations from probe_loops where run = 2 and loop = {LOOP}") == (30, 60)
        assert one(connection, "select count(*) from (select process from probe_runs group by process)") == 2


@test
def individual_events_agree_with_their_summary():
    with Folder() as folder:
        connection = probed(folder, "--plan", plan(folder), "--keep-all")
        check_counts(connection)
        assert one(connection, f"select sum(kind = 'enter'), sum(kind = 'leave') from probe_events "
                               f"where function = {WORK} and loop is null") == (CALLS, CALLS)
        assert one(connection, f"select sum(kind = 'enter'), sum(kind = 'start'), sum(kind = 'stop'), sum(kind = 'leave') "
                               f"from probe_events where loop = {LOOP}") == (CALLS,) * 4
        assert one(connection, "select count(distinct thread) from probe_events") >= 1
        gaps = connection.execute("""select thread from probe_events group by run, thread
            having min(position) <> 1 or max(position) <> count(*)""").fetchall()
        assert not gaps, gaps
        backwards = connection.execute("""select 1 from (select ns, lag(ns) over (partition by run, thread order by position)
            as before from probe_events where ns is not null) where ns < before""").fetchall()
        assert not backwards
        assert one(connection, "select count(*) from probe_events where (ns is null) = (kind in ('enter', 'leave'))") == 0


run()
