#!/usr/bin/env python3
"""Probes at every instruction: real programs and libraries do what they did, with exceptions, longjmp, threads and signals in
between."""
# first build only: runs programs that the build did not make; what makes the plans has tests of its own
import glob, os, shutil
from harness import *

BUILD = os.path.dirname(ASSAY)
EVERY = f"{BUILD}/tests/unit/every-point"
RUNTIME = f"{BUILD}/runtime/probe/libassay-probe-{MACHINE}.so"
SHELL = """for ((i = 0; i < 200; i++)); do x=$((x + i)); y=${x//1/2}; done; echo $x $y
f() { [ $1 -gt 0 ] && f $(($1 - 1)); }; f 30; echo a b c | while read a b; do echo $b$a; done; (exit 3); echo $?"""
SQL = """create table t(a, b); with recursive c(x) as (select 1 union all select x + 1 from c where x < 2000)
insert into t select x, x * x % 97 from c; create index i on t(b);
select b, count(*), sum(a), avg(a * 1.5) from t group by b order by 2 desc, 1 limit 5;"""


def same(patched, words, density=100, seed=1):
    """Runs a program with probes in a file, itself or a library, and without."""
    if not os.path.exists(RUNTIME):
        raise Lacking(f"this build has no runtime for {MACHINE}")
    with Folder() as folder:
        made = command([EVERY, patched, f"{folder}/plan", str(density), str(seed)]).stdout.decode()
        plain = command(words, status=None)
        probed = command(words, status=None, env={**os.environ, "LD_PRELOAD": RUNTIME, "ASSAY_PROBE_PLAN": f"{folder}/plan",
                                                  "ASSAY_PROBE_FILE": f"{folder}/recording"})
        assert (plain.returncode, plain.stdout) == (probed.returncode, probed.stdout), (
            f"{made}{plain.returncode}, {probed.returncode}: {probed.stdout[-500:]} {probed.stderr[-500:]}")
        recordings = glob.glob(f"{folder}/recording*")
        assert recordings and os.path.getsize(recordings[0]) > 1 << 17, made
        return made


def library(program, name):
    for line in command(["ldd", program]).stdout.decode().splitlines():
        if name in line and "=>" in line:
            return os.path.realpath(line.split("=>")[1].split()[0])
    raise Fail(f"{program} does not use {name}")


def program(folder, level):
    path = f"{folder}/everywhere"
    command([need("g++"), f"-O{level}", "-pthread", "-o", path, f"{PROGRAMS}/probes/everywhere.cc"])
    return path


@test
def every_instruction_of_a_shell():
    same(os.path.realpath(shutil.which(need("bash"))), ["bash", "--norc", "-c", SHELL])


@test
def some_instructions_of_a_shell():
    for seed in (1, 2, 3):
        same(os.path.realpath(shutil.which(need("bash"))), ["bash", "--norc", "-c", SHELL], 30, seed)


@test
def exceptions_long_jumps_threads_and_signals():
    with Folder() as folder:
        for level in (0, 2):
            path = program(folder, level)
            for density in (100, 40):
                same(path, [path], density, 5 + level)


@test
def every_instruction_of_the_unwinder_and_of_the_c_plus_plus_library():
    with Folder() as folder:
        path = program(folder, 2)
        same(library(path, "libgcc_s"), [path])
        same(library(path, "libstdc++"), [path])


@test
def what_an_instruction_may_leave_alone_is_not_free():
    if MACHINE != "x86_64":
        raise Skip("the instructions are those of x86-64")
    with Folder() as folder:
        path = f"{folder}/maybe"
        command([need("gcc"), "-O2", "-o", path, f"{PROGRAMS}/probes/maybe.c"])
        assert set(command([path]).stdout.split()) == {b"7700"}
        for seed in (1, 2, 3):
            same(path, [path], 100, seed)


@test
def no_ops_that_a_function_runs_through_are_not_spare():
    if MACHINE != "x86_64":
        raise Skip("the functions are those of x86-64")
    with Folder() as folder:
        path = f"{folder}/fallen"
        command([need("gcc"), "-O2", "-o", path, f"{PROGRAMS}/probes/fallen.c"])
        assert set(command([path]).stdout.split()) == {b"104500"}
        for seed in (1, 2, 3):
            same(path, [path], 100, seed)


@test
def every_instruction_of_the_c_library():
    same(library(shutil.which(need("bash")), "libc.so"), ["bash", "--norc", "-c", SHELL])


@test
def every_instruction_of_a_database():
    path = shutil.which(need("sqlite3"))
    same(library(path, "libsqlite3"), [path, ":memory:", SQL])


run()
