#!/usr/bin/env python3
"""Probes in programs with habits of their own: threads, children, exec, exceptions, coroutines, libraries that are
loaded late, own SIGTRAP handlers, code made at run time; and what probes refuse."""
import os, sqlite3
from harness import *

SOURCES = os.path.join(PROGRAMS, "probes")


def made(folder, name, *flags, compiler="gcc", output=None):
    return build(folder, [compiler], [os.path.join(SOURCES, name)], "-D_GNU_SOURCE", "-g", "-O2", *flags,
                 output=output or name.split(".")[0])


def probe(folder, *words, status=0):
    database = os.path.join(folder, "run.db")
    if os.path.exists(database):
        os.unlink(database)
    done = assay("probe", "-o", database, "--quiet", *words, status=status)
    connection = sqlite3.connect(database)
    connection.row_factory = sqlite3.Row
    return done, connection


def calls(database):
    """(name, calls) of every run."""
    found = {}
    for row in database.execute("select run, name, calls, abandoned from probe_functions "
                                "join functions on functions.id = function"):
        found.setdefault(row["run"], {})[row["name"]] = (row["calls"], row["abandoned"])
    return [found[run] for run in sorted(found)]


def refusal(*words, status=2):
    done = assay("probe", *words, status=status)
    assert not done.stdout, done.stdout
    return done.stderr.decode()


@test
def own_handler_writable_code_and_a_jit():
    with Folder() as folder:
        program = made(folder, "manners.c")
        alone = command([program], status=3)
        done, database = probe(folder, "--", program, status=1)
        assert alone.stdout == done.stdout, (alone.stdout, done.stdout)
        assert b"traps 1 failed 0" in done.stdout
        assert calls(database)[0]["f"][0] == 200


@test
def threads_children_and_exec():
    with Folder() as folder:
        program = made(folder, "processes.c", "-pthread")
        done, database = probe(folder, "--", program)
        assert b"work 40006\n" in done.stdout, done.stdout
        assert sorted(run.get("work", (0,))[0] for run in calls(database)) == [777, 40006], calls(database)
        (threads,) = database.execute("select max(threads) from probe_runs").fetchone()
        assert 2 <= threads <= 5, threads  # a thread may take the place of one that has ended
        done, database = probe(folder, "--", program, "exec")
        # Its child becomes another run of the program, which has a child of its own.
        assert sorted(run.get("work", (0,))[0] for run in calls(database)) == [777, 777, 40006, 40006], calls(database)


@test
def nothing_is_lost_when_it_is_killed():
    with Folder() as folder:
        program = made(folder, "processes.c", "-pthread")
        done, database = probe(folder, "--", program, "killed", status=1)
        assert calls(database)[0]["work"][0] == 5000, calls(database)
        row = database.execute("select end_signal, exit_status from probe_runs").fetchone()
        assert row["end_signal"] == 9 and row["exit_status"] is None, tuple(row)


@test
def exceptions_and_coroutines():
    with Folder() as folder:
        program = made(folder, "leaving.cc", compiler="g++")
        alone = command([program]).stdout
        done, database = probe(folder, "--", program)
        assert alone == done.stdout
        (seen,) = calls(database)
        assert seen["thrower"] == (400, 100) and seen["middle"][1] == 100, seen
        assert seen["catcher"] == (400, 0), seen
        assert seen["step"] == (100, 0) and seen["resume"] == (51, 0), seen
        (unpaired,) = database.execute("select coalesce(sum(count), 0) from probe_limits where kind = 'unpaired'").fetchone()
        assert unpaired == 0, unpaired


@test
def a_library_that_is_loaded_late():
    with Folder() as folder:
        library = made(folder, "late.c", "-shared", "-fPIC", output="liblate.so")
        program = made(folder, "loader.c", "-ldl")
        done, database = probe(folder, "--object", library, "--", program, library)
        assert done.stdout.startswith(b"763229\n"), done.stdout
        (seen,) = calls(database)
        assert seen["late"][0] == 1234 and seen["late_many"][0] == 1, seen


@test
def programs_that_get_no_probes():
    with Folder() as folder:
        fixed = made(folder, "functions.c", "-static", "-no-pie", output="fixed")
        said = refusal("--", fixed)
        assert "statically linked" in said and "assay cc" in said, said
        script = os.path.join(folder, "nothing")
        said = refusal("--", script)
        assert "No such file" in said, said


@test
def options_that_cannot_work_are_refused_before_the_run():
    with Folder() as folder:
        program = made(folder, "functions.c")
        assert "no machine is called 'nosuch'" in refusal("--machine", "nosuch", "--", program)
        assert "assay probe report FILE.db --run N" in refusal("--run", "2", "--", program)
        assert "--keep-all needs --output" in refusal("--keep-all", "--", program)
        assert "--values needs a name" in refusal("--values", "--", program)
        assert "did you mean leaf?" in refusal("laef", "--", program, status=1)
        module = os.path.join(folder, "m.f90")
        with open(module, "w") as out:
            out.write("module m\ncontains\nsubroutine relax(x)\nreal :: x\nx = x + 1\nend\nend\n"
                      "program p\nuse m\nreal :: x\nx = 0\ncall relax(x)\nprint *, x\nend\n")
        command([need("gfortran"), "-O0", "-o", os.path.join(folder, "p"), module, "-J", folder])
        assert "did you mean relax?" in refusal("relaks", "--", os.path.join(folder, "p"), status=1)
        done = assay("probe", "--object", "/proc/self/exe", "--", program, status=2)
        assert b"no process loaded a file with probes" in done.stderr, done.stderr


@test
def plans_that_do_not_fit():
    with Folder() as folder:
        program = made(folder, "functions.c")
        plan = os.path.join(folder, "plan.txt")

        def with_plan(contents, status):
            with open(plan, "w") as out:
                out.write(contents)
            return refusal("--plan", plan, "--", program, status=status)

        assert "0x2 is not the address of an instruction" in with_plan("at 0x2 x3\n", 1)
        assert "another build" in with_plan("build-id 0011\nfunctions leaf\n", 2)
        assert "did you mean functions" in with_plan("functon leaf\n", 2)
        assert "plan.txt:2" in with_plan("# a comment\nloops nosuch\n", 1)
        assert "no function is called nosuch" in refusal("nosuch", "--", program, status=1)
        assert "99999" in refusal("--loop", "99999", "--", program, status=1)
        # A plan that --show-plan printed can be used.
        shown = text("probe", "--show-plan", "leaf", "--", program)
        assert "\n# to measure: 1, without a probe: 0; places in the code: 2 by jump, 0 by trap\n" in shown, shown
        with open(plan, "w") as out:
            out.write(shown)
        done, database = probe(folder, "--plan", plan, "--", program)
        assert list(calls(database)[0]) == ["leaf"], calls(database)


run()
