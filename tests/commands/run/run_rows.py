"""Rows of sampled runs, against programs that measure themselves (tests/programs/runs).

A share of n samples has a standard error of sqrt(p (1 - p) / n); four of them, and a little for what the programs do
outside their measurements, must hold whatever else the machine does: processor time is sampled, not time on the wall."""
# first build only: it runs other programs; unit tests cover the same code with the sanitizers
import math, os, subprocess
from harness import MACHINE, PROGRAMS, Folder, Lacking, Skip, assay, build, compilers, need, rows, run, uncertain

SOURCES = os.path.join(PROGRAMS, "runs")
SLACK = 0.015  # of the run: clock readings, loading, samples that stand one instruction beyond a loop


def made(folder, name, *flags, compiler=None, output=None):
    found = [[compiler]] if compiler else compilers(MACHINE)
    libraries = [flag for flag in flags if flag.startswith("-l")] + ["-lm"]
    return build(folder, found[0], [os.path.join(SOURCES, name + ".c"), *libraries], "-O2", "-g",
                 *(flag for flag in flags if not flag.startswith("-l")), output=output or name)


def sampled(folder, *words, env=None, options=()):
    """The database of a run, and what the program printed: words of its lines."""
    path = os.path.join(folder, "run.db")
    result = assay("run", "-o", path, "--quiet", *options, "--", *words, env=env)
    return path, [line.split() for line in result.stdout.decode().splitlines()]


def close(share, expected, samples, what, slack=SLACK):
    error = math.sqrt(max(expected * (1 - expected), 0.01) / samples)
    assert abs(share - expected) <= 4 * error + slack, f"{what}: {share:.4f}, expected {expected:.4f} ± {error:.4f}"


def run_of(path):
    return rows(path, "select * from runs")[0]


LOOPS = """select n.name as function, l.depth as depth, l.is_innermost as innermost, r.* from run_loops r
             join loops l on l.id = r.loop join functions n on n.id = l.function order by r.self_seconds desc"""
FUNCTIONS = """select coalesce(n.name, r.name) as called, f.state as state, f.path as path, r.* from run_functions r
                 left join functions n on n.id = r.function join run_files f on f.id = r.file order by r.id"""


def by_name(answer, name="called"):
    return {row[name]: row for row in reversed(answer)}


def check_shares(folder, env):
    path, printed = sampled(folder, made(folder, "shares"), "3", env=env)
    own = {name: float(seconds) for name, seconds in printed}
    whole = run_of(path)
    assert whole["samples"] > 200 and abs(whole["sampled_seconds"] - sum(own.values())) < 0.1 * sum(own.values()), whole
    loops = by_name(rows(path, LOOPS), "function")
    functions = by_name(rows(path, FUNCTIONS))
    for name, seconds in own.items():
        expected = seconds / sum(own.values())
        close(loops[name]["self_share"], expected, whole["samples"], f"loop of {name}")
        close(functions[name]["self_share"], expected, whole["samples"], name)
        assert loops[name]["innermost"] and loops[name]["call_seconds"] == 0, loops[name]
    close(loops["main"]["total_share"], 1, whole["samples"], "loop of main, which calls them")
    shares = rows(path, "select sum(share) as s from run_files")[0]["s"]
    assert abs(shares - 1) < 1e-6, shares
    lines = rows(path, "select name, sum(share) as s from run_lines group by 1")
    assert {row["name"] for row in lines if row["s"] > 0.05} == set(own), lines
    return whole


@uncertain
def loops_have_the_shares_that_programs_measure():
    with Folder() as folder:
        check_shares(folder, None)


@uncertain
def a_timer_in_the_program_sees_the_same_shares():
    with Folder() as folder:
        assert check_shares(folder, dict(os.environ, ASSAY_SAMPLER="timer"))["sampler"] == "timer"


@uncertain
def recursion_inlining_and_page_faults_stand_where_they_belong():
    with Folder() as folder:
        path, printed = sampled(folder, made(folder, "nested"), "2")
        own = {name: float(seconds) for name, seconds in printed}
        own.pop("pages")
        whole, everything = run_of(path), sum(own.values())
        functions, loops = by_name(rows(path, FUNCTIONS)), rows(path, LOOPS)
        tree = functions["tree"]
        close(tree["total_share"], own["tree"] / everything, whole["samples"], "tree")
        close(functions["main"]["total_share"], 1, whole["samples"], "main")
        assert all(row["total_share"] <= 1 + 1e-9 for row in functions.values()), functions
        assert all(row["total_share"] <= 1 + 1e-9 for row in loops), loops
        inlined = rows(path, "select name, caller, self_seconds from run_inlined where name = 'mixed'")
        assert inlined and inlined[0]["caller"] == "tree", inlined
        # The rest of tree's code counts iterations and calls.
        assert 0.3 * tree["self_seconds"] < sum(row["self_seconds"] for row in inlined) <= tree["self_seconds"], (inlined, tree)
        calls = rows(path, """select coalesce(n.name, c.name) as name, c.depth as depth, o.depth as above
                                from run_calls c left join functions n on n.id = c.function
                                left join run_calls o on o.id = c.caller""")
        assert sum(row["name"] == "tree" for row in calls) == 1, calls  # it calls itself: one call
        touched = [row for row in loops if row["function"] == "touch"]
        if not rows(path, "select 1 from run_limits where kind = 'no kernel'"):
            close(functions["touch"]["total_share"], own["touch"] / everything, whole["samples"], "touch", 0.03)
            # The kernel brings pages for the loop: not its own time, but time below it.
            assert touched[0]["kernel_seconds"] > touched[0]["self_seconds"], touched
            assert functions["[kernel]"]["self_seconds"] >= touched[0]["kernel_seconds"] - 1e-9, functions["[kernel]"]


@uncertain
def advice_saves_its_part_of_the_run():
    with Folder() as folder:
        path, _ = sampled(folder, made(folder, "saxpy", "-O1"), "1")
        found = rows(path, """select n.name as function, s.*, a.gain as advised, a.level as level, u.name as rule, r.self_share as own
                                from run_savings s join advice a on a.id = s.advice join rules u on u.id = a.rule
                                join run_loops r on r.loop = s.loop join loops l on l.id = s.loop
                                join functions n on n.id = l.function order by s.position""")
        best = next(row for row in found if row["rule"] == "not-vectorised")
        assert best["function"] == "saxpy" and best["advised"] > 1.5 and best["level"] == "potential", found
        for row in found:
            assert abs(row["saving"] - row["own"] * (1 - 1 / row["advised"])) < 1e-9 and row["share"] == row["own"], row
        savings = [row["saving"] for row in found]
        assert savings == sorted(savings, reverse=True) and found[0]["function"] == "saxpy", found


@uncertain
def page_faults_are_counted_by_loop():
    with Folder() as folder:
        path, printed = sampled(folder, made(folder, "nested"), "0.3", options=["--counters", "page_faults"])
        pages = int(dict(printed)["pages"])
        counter = rows(path, "select * from run_counters")[0]
        assert counter["name"] == "page_faults", counter
        counted = rows(path, """select n.name as function, v.count as count, v.loop as loop from counter_values v
                                  join functions n on n.id = v.function order by v.count desc""")
        # Each page is read first, then written: two faults.
        assert counted[0]["function"] == "touch" and counted[0]["loop"], counted
        if counter["is_exact"] and not rows(path, "select 1 from run_limits where kind = 'lost'"):
            assert counted[0]["count"] in (pages, 2 * pages), (counted, pages)
        else:
            assert 0.8 * pages < counted[0]["count"] < 2.2 * pages, (counted, pages)


@uncertain
def what_it_waited_for_is_told():
    if not os.path.exists("/proc/self/schedstat"):
        raise Skip("this kernel does not say how long threads wait for a processor")
    with Folder() as folder:
        program = made(folder, "waits")
        slept = run_of(sampled(folder, program, "0.3", "0.5")[0])
        rest = slept["waiting_seconds"] - slept["queued_seconds"]
        assert 0.45 < rest < 1, slept
        hogs = [subprocess.Popen([program, "600"]) for _ in range(3 * os.cpu_count())]
        try:
            crowded = run_of(sampled(folder, program, "0.4")[0])
        finally:
            for hog in hogs:
                hog.kill()
                hog.wait()
        assert crowded["queued_seconds"] > 0.8 * crowded["waiting_seconds"] > 0.1, crowded
        assert crowded["others_share"] > 0.4, crowded


@uncertain
def libraries_that_take_the_time_are_read():
    cases = [("mathematics", (), "libm.so"), ("compute", ("-DZLIB", "-lz"), "libz.so")]
    for activity, flags, library in cases:
        with Folder() as folder:
            program = made(folder, "library", *flags)
            path, _ = sampled(folder, program, "1")
            whole = run_of(path)
            files = rows(path, "select path, state, share from run_files order by share desc")
            assert library in files[0]["path"] and files[0]["state"] == "read" and files[0]["share"] > 0.6, files
            functions = rows(path, FUNCTIONS)
            assert functions[0]["activity"] == activity and library in functions[0]["path"], functions[0]
            loops = rows(path, LOOPS)
            # The program itself takes hardly any time; the loop that calls is known all the same.
            calling = max((row for row in loops if row["function"] == "caller"), key=lambda row: row["call_seconds"])
            called = max(row["total_share"] for row in functions if library in (row["path"] or ""))
            close(calling["call_seconds"] / whole["sampled_seconds"], called, whole["samples"], library, 0.1)


@uncertain
def deleted_and_replaced_programs_are_counted_and_said():
    for way in ("delete", "replace"):
        with Folder() as folder:
            program = made(folder, "vanishing")
            other = made(folder, "shares", output="other")
            path, _ = sampled(folder, program, way, *([other] if way == "replace" else []))
            files = rows(path, "select path, state, program, share from run_files order by share desc")
            assert os.path.basename(files[0]["path"]).startswith("vanishing"), files
            assert files[0]["state"] == "replaced" and files[0]["program"] is None and files[0]["share"] > 0.9, files
            functions = rows(path, FUNCTIONS)
            assert functions[0]["called"] == "[vanishing]" and functions[0]["self_share"] > 0.9, functions[0]
            assert not rows(path, "select 1 from run_loops"), way


@uncertain
def code_made_at_run_time_is_counted():
    with Folder() as folder:
        path, printed = sampled(folder, made(folder, "generated"), "2")
        own = {name: float(seconds) for name, seconds in printed}
        whole, functions = run_of(path), by_name(rows(path, FUNCTIONS))
        close(functions["[generated code]"]["self_share"], own["made"] / sum(own.values()), whole["samples"], "generated")
        close(functions["plain"]["self_share"], own["plain"] / sum(own.values()), whole["samples"], "plain")
        assert functions["[generated code]"]["state"] == "generated", functions


@uncertain
def forked_children_have_their_own_time():
    with Folder() as folder:
        path, printed = sampled(folder, made(folder, "forks"))
        whole = run_of(path)
        processes = {str(row["process"]): row for row in rows(path, "select * from run_processes")}
        parent = next(number for number, seconds in printed if seconds == "0.9")
        everything = sum(float(seconds) for _, seconds in printed)
        for number, seconds in printed:
            row = processes[number]
            close(row["cpu_seconds"] / whole["sampled_seconds"], float(seconds) / everything, whole["samples"], number, 0.03)
            assert number == parent or str(row["parent"]) == parent, row
        functions = by_name(rows(path, FUNCTIONS))
        close(functions["spin"]["self_share"], 1, whole["samples"], "spin of all processes", 0.08)


@uncertain
def ranks_of_mpi_show_their_imbalance():
    mpirun, compiler = need("mpirun"), need("mpicc")
    with Folder() as folder:
        program = made(folder, "ranks", compiler=compiler)
        path, printed = sampled(folder, mpirun, "--allow-run-as-root", "--oversubscribe", "-n", "2", program)
        own = {int(rank): float(seconds) for rank, seconds in printed}
        whole = run_of(path)
        assert whole["ranks"] == 2, whole
        answer = {row["rank"]: row for row in rows(path, """select rank, sum(cpu_seconds) as cpu, sum(mpi_seconds) as mpi
                                                              from run_processes where rank is not null group by rank""")}
        assert sorted(answer) == [0, 1], answer
        for rank, row in answer.items():
            spread = 4 * math.sqrt(own[rank] * whole["frequency"]) / whole["frequency"]
            assert -spread - 0.03 <= row["cpu"] - row["mpi"] - own[rank] <= spread + 0.15, (rank, row, own)  # MPI_Init, loading
        assert answer[0]["mpi"] > answer[1]["mpi"], answer
        uneven = rows(path, "select * from run_imbalance where kind = 'ranks'")[0]
        assert uneven["slowest"] == 1 and 1.2 < uneven["imbalance"] < 1.7, uneven


def team_of(folder, program, count, env):
    path, printed = sampled(folder, program, str(count), env=dict(os.environ, **env))
    threads = {str(row["thread"]): row for row in rows(path, "select * from run_threads")}
    return path, [(threads[number], float(computed), float(waited), float(wall)) for _, number, computed, waited, wall in printed]


@uncertain
def threads_of_openmp_show_their_barriers():
    # Runtimes spin only where there is a processor for each thread, and on a busy machine threads that yield it wait
    # without using it: then the program's own clock shows no barrier either.
    ways = [("gcc", min(4, os.cpu_count()), {"OMP_WAIT_POLICY": "active", "GOMP_SPINCOUNT": "infinite"}),
            ("clang", min(4, os.cpu_count()), {"KMP_BLOCKTIME": "infinite", "OMP_WAIT_POLICY": "active"})]
    done = 0
    for compiler, count, env in ways:
        with Folder() as folder:
            try:
                program = made(folder, "team", "-fopenmp", compiler=need(compiler))
            except AssertionError:
                raise Lacking(f"{compiler} has no runtime of OpenMP")
            path, team = team_of(folder, program, count, env)
            frequency = run_of(path)["frequency"]
            for row, computed, waited, _ in team:
                computing = row["cpu_seconds"] - row["parallel_wait_seconds"]
                assert abs(computing - computed) <= 4 * math.sqrt(computed / frequency) + 0.05, (compiler, row, computed)
                assert abs(row["parallel_wait_seconds"] - waited) <= 4 * math.sqrt(waited / frequency) + 0.05, (row, waited)
            uneven = rows(path, "select * from run_imbalance where kind = 'threads'")[0]
            expected = max(computed for _, computed, _, _ in team) * len(team) / sum(computed for _, computed, _, _ in team)
            assert abs(uneven["imbalance"] - expected) < 0.35 * expected and uneven["count"] == count, (uneven, expected)
            activities = {row["activity"] for row in rows(path, FUNCTIONS)}
            if sum(waited for _, _, waited, _ in team) > 0.05:
                assert "parallel wait" in activities, activities
                done += 1
    if not done:
        raise Skip("threads had no processor to spin on")


@uncertain
def threads_that_sleep_at_a_barrier_wait():
    with Folder() as folder:
        program = made(folder, "team", "-fopenmp", compiler=need("gcc"))
        path, team = team_of(folder, program, 4, {"OMP_WAIT_POLICY": "passive"})
        for row, computed, waited, wall in team:
            slept = wall - computed - waited
            assert abs(row["waiting_seconds"] - slept) < 0.1 * wall + 0.1, (row, slept)
        whole = run_of(path)
        assert whole["threads"] == 4 and whole["waiting_seconds"] > 0.5, whole


run()
