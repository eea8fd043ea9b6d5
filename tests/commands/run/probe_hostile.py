#!/usr/bin/env python3
"""Programs that do what a runtime inside them does not expect: their own counts must stay right, and they must run to their end."""
# first build only: mostly runs other programs
import glob, json, os, re, sqlite3
from harness import *


def probed(folder, word, status=0):
    """What the program printed, as numbers by name, and the calls of each function, by run."""
    program = build(folder, ["gcc"], [os.path.join(PROGRAMS, "probes", "hostile.c")], "-D_GNU_SOURCE", "-g", "-O2", "-pthread",
                    output="hostile")
    database = os.path.join(folder, "run.db")
    done = assay("probe", "-o", database, "--quiet", "--", program, word, status=status)
    counted = {name: int(number) for name, number in re.findall(r"(\w+) (\d+)", done.stdout.decode().splitlines()[0])}
    runs = {}
    for run, name, calls in sqlite3.connect(database).execute(
            "select run, name, calls from probe_functions join functions on functions.id = function"):
        runs.setdefault(run, {})[name] = calls
    return counted, [runs[run] for run in sorted(runs)]


@test
def no_event_of_a_handler_is_lost():
    with Folder() as folder:
        counted, (run,) = probed(folder, "storm")
        assert run["work"] == counted["work"] and run["on_alarm"] == counted["signals"], (counted, run)


@test
def no_event_is_lost_if_handlers_fill_the_buffer_several_times():
    with Folder() as folder:
        counted, (run,) = probed(folder, "long storm")
        assert run["work"] == counted["work"] and run["on_alarm"] == counted["signals"], (counted, run)


@test
def no_event_is_lost_if_handlers_interrupt_each_other():
    with Folder() as folder:
        counted, (run,) = probed(folder, "crossed storms")
        assert run["work"] == counted["work"] and run["on_alarm"] == counted["signals"], (counted, run)


@test
def no_event_of_a_handler_is_lost_in_nodes():
    if MACHINE != "aarch64":
        raise Skip("nodes of x86-64 take their place in the buffer after they have written to it")
    with Folder() as folder:
        source = os.path.join(PROGRAMS, "probes", "hostile.c")
        program, prefix = os.path.join(folder, "hostile"), os.path.join(folder, "run")
        assay("cc", "gcc", "-D_GNU_SOURCE", "-g", "-O2", source, "-o", program)
        done = command([program, "storm"], env={**os.environ, "ASSAY_PROBE_FILE": prefix})
        recording, = glob.glob(prefix + ".*")
        rows = json.loads(assay("probe", "report", recording, "--json").stdout)["runs"][0]["functions"]
        calls = {row["name"]: row["calls"] for row in rows}
        assert f"work {calls['work']} signals {calls['on_alarm']}\n" == done.stdout.decode(), (calls, done.stdout)


@test
def a_child_by_clone_is_a_run_of_its_own():
    with Folder() as folder:
        counted, runs = probed(folder, "clone")
        assert [run["work"] for run in runs] == [counted["work"], 30000], (counted, runs)


@test
def a_child_by_a_system_call_leaves_its_parent_alone():
    """But for the first events of the child, which go into the buffer that they share."""
    with Folder() as folder:
        counted, runs = probed(folder, "system call")
        parent, child = (run["work"] for run in runs)
        buffer = 1024
        assert abs(parent - counted["work"]) <= buffer and 30000 - buffer <= child <= 30000, (counted, runs)


run()
