#!/usr/bin/env python3
"""assay bench with counters: µops by form where something counts them, why not where nothing does. Computers that tests
run on mostly have no counters, so the kernel's clock of a process stands for one, and made-up results for the rest."""
# first build only: it measures; the unit tests take the same way through the counts
import json, os, re

from harness import MACHINE, Folder, Skip, assay, command, cross, need, run, test, text

ISAS = {"aarch64": "aarch64", "x86_64": "x86-64"}
ADD = {"aarch64": "add x,x,x", "x86_64": "lea r64,b+i"}
HEAD = "# assay bench results 1 x86-64\n# computer 906ea 7ffafbbf 29c6fbf 1f\n# measured 2026-11-17 by assay 0.1.0\n"
PORTS = ("p0", "p1", "p2", "p3", "p4", "p5", "p6", "p7")


def write(folder, name, content):
    path = os.path.join(folder, name)
    with open(path, "w") as file:
        file.write(content)
    return path


def clock_as_counter(folder):
    """The environment in which nanoseconds count as µops that are issued."""
    place = os.path.join(folder, "counters")
    os.makedirs(place)
    write(place, "mine", "pmu perf\nMine?\n  nanoseconds = perf::TASK-CLOCK counts issued: time\n")
    env = dict(os.environ, ASSAY_COUNTERS=place)
    row = next(row for row in json.loads(text("counters", "--json", env=env)) if row["name"] == "nanoseconds")
    assert row["counts"] == "issued", row
    return env, row["is_here"], row["why_not"]


def is_time(found):
    """Whether the count of an instance is its time."""
    cycles = next(row for row in found if row["kind"] == "throughput")
    count = next(row for row in found if row["kind"] == "uops" and row["counter"] == "issued")
    assert count["cycles"] is None and count["count"] > 0, count
    return 0.9 < count["count"] * cycles["ghz"] / cycles["cycles"] < 1.1


@test
def counts_are_those_of_an_instance():
    with Folder() as folder:
        env, is_here, why = clock_as_counter(folder)
        if not is_here:
            raise Skip(f"the kernel's clock: {why}")
        # A busy computer may spoil an attempt.
        assert any(is_time(json.loads(text("bench", "--form", ADD[MACHINE], "--json", env=env))) for _ in range(8))
        shown = text("bench", "--form", ADD[MACHINE], env=env)
        assert re.search(r"ops issued +\d\.\d\d +\d+\.\d %", shown) and "not counted" not in shown, shown


@test
def blocks_are_counted():
    with Folder() as folder:
        env, is_here, why = clock_as_counter(folder)
        if not is_here:
            raise Skip(f"the kernel's clock: {why}")
        code = {"aarch64": "0000008b", "x86_64": "4801c0"}[MACHINE]
        for _ in range(8):
            found = json.loads(text("bench", "--hex", code, "--json", env=env))[0]
            if 0.9 < found["uops_issued"] * found["ghz"] / found["cycles"] < 1.1:
                break
        else:
            raise AssertionError(found)
        assert re.search(r"^.ops counted: \d\.\d\d issued", text("bench", "--hex", code, env=env), re.M)


def runner(folder, machine, env, *before):
    gcc, make, place = need(cross("gcc", machine)), need("make"), os.path.join(folder, f"runner-{machine}")
    assay("bench", "--make-runner", place, "--isa", ISAS[machine], "--form", ADD[machine], env=env)
    command([make, "-s", "-C", place, f"CC={gcc}"])
    return write(folder, f"results-{machine}", command([*before, os.path.join(place, "runner")]).stdout.decode())


@test
def a_runner_counts_what_opens_there():
    with Folder() as folder:
        env, is_here, why = clock_as_counter(folder)
        results = runner(folder, MACHINE, env)
        with open(results) as file:
            content = file.read()
        assert ("# counters issued" if is_here else "# no counters ") in content, content
        shown = text("bench", "--result", results, "--form", ADD[MACHINE])
        assert ("ops issued" if is_here else "are not counted: ") in shown, shown


@test
def an_emulator_has_no_counters():
    other = "x86_64" if MACHINE == "aarch64" else "aarch64"
    qemu = need(f"qemu-{other}")
    with Folder() as folder:
        env, _, _ = clock_as_counter(folder)
        results = runner(folder, other, env, qemu, "-L", f"/usr/{other}-linux-gnu")
        shown = text("bench", "--result", results, "--form", ADD[other])
        assert shown.count("are not counted: the kernel has no perf events\n") == 1, shown


@test
def why_not_is_said_once():
    with Folder() as folder:
        for comment, why in (("# no counters 13\n", "the system does not let this user count"),
                             ("# no counters 2\n", "virtual machines mostly hide"),
                             ("# no counters 0\n", "no file of counters/ has events for this processor"),
                             ("# counters issued\n", "other programs hold the counters"),
                             ("", "does not say that anything was counted")):
            rows = "".join(f"add {kind},{kind}|throughput\tmeasured\t3\t3\t0.001\t3\n" for kind in ("r32", "r64"))
            path = write(folder, "results", HEAD + comment + rows)
            shown = text("bench", "--result", path, "--form", "^add r(32|64),r(32|64)$", "--machine", "skylake")
            assert shown.count("are not counted: ") == 1 and why in shown, shown


def made_up(folder, counts, cycles):
    """Results of `add r64,r64` with so many cycles and counts for each instance."""
    line = "add r64,r64|throughput\tmeasured\t{0:.4f}\t{0:.4f}\t0.001\t3"
    path = write(folder, "one", HEAD + line.format(1) + "\tissued=1~0\n")
    found = json.loads(text("bench", "--result", path, "--form", "add r64,r64", "--json"))
    instances = round(1 / next(row["count"] for row in found if row["kind"] == "uops"))
    columns = {"issued": 1, "executed": 1, **dict.fromkeys(PORTS, 0), **counts}
    return write(folder, "results", HEAD + "# counters " + " ".join(columns) + "\n" + line.format(cycles * instances) +
                 "".join(f"\t{what}={count * instances:.4f}~0.0010" for what, count in columns.items()) + "\n")


@test
def ports_are_told_from_counts():
    with Folder() as folder:
        path = made_up(folder, dict.fromkeys(("p0", "p1", "p5", "p6"), 0.25), 0.25)
        shown = text("bench", "--result", path, "--form", "add r64,r64", "--machine", "skylake")
        assert re.search(r"ops issued +1\.00 +0\.1 % +1\.00\n", shown) and "ops on p0 " in shown, shown
        assert "ops on p2 " not in shown and re.search(r"ports, as counted +p0156 +p0156\n", shown), shown
        path = made_up(folder, {"executed": 2, "issued": 2, **dict.fromkeys(("p0", "p1", "p5", "p6"), 0.5)}, 0.5)
        shown = text("bench", "--result", path, "--form", "add r64,r64", "--machine", "skylake")
        assert re.search(r"ports, as counted +not clear +p0156\n", shown), shown


@test
def counted_uops_are_in_the_machine_file():
    with Folder() as folder:
        path, file = made_up(folder, {"p0": 0.5, "p6": 0.5}, 0.5), os.path.join(folder, "mine")
        shown = text("bench", "--result", path, "--name", "mine", "--output", file)
        assert "ops of 1 forms, and the ports of 1" in shown, shown
        with open(file) as written:
            content = written.read()
        assert "ops and ports counted\n" in content and "form add r64,r64 : uops 1 ports p06 " in content, content


run()
