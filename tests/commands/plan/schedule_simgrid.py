#!/usr/bin/env python3
"""assay schedule on simulated clusters: when tasks begin and end, compared with what anybody can reckon by hand."""
import json, os, re, tempfile
from harness import *

EXAMPLES = os.path.join(ROOT, "examples", "schedule")
SIMULATOR = os.path.join(os.path.dirname(ASSAY), "runtime", "simgrid", "assay-simulator")


class Simulation:
    """A workflow that was run on a platform: times of its tasks, from the beginning of the simulation on."""

    def __init__(self, folder, flow, platform="small.xml", words=(), pack=("--pack", "0.01")):
        if not os.path.exists(SIMULATOR):
            raise Lacking("libsimgrid-dev is not installed, or was not when this was built")
        self.ledger = os.path.join(folder, "ledger.db")
        path = os.path.join(folder, "flow.txt")
        with open(path, "w") as file:
            file.write(flow)
        assay("schedule", "submit", path, "--ledger", self.ledger)
        self.told = assay("schedule", "run", "--engine", "simgrid", "--platform", os.path.join(EXAMPLES, platform), "--ledger", self.ledger,
                          *pack, *words).stdout.decode()

    def attempts(self):
        found = rows(self.ledger, "select tasks.name, hosts.name as host, attempts.state, asked, started, ended, problem from attempts join tasks "
                     "on tasks.id = task join attempt_hosts on attempt = attempts.id join hosts on hosts.id = host order by attempts.id")
        begin = min(float(row["asked"]) for row in found)
        return [(row["name"], row["host"], row["state"], *(float(row[column] or "nan") - begin for column in ("started", "ended")))
                for row in found]

    def times(self):
        return {name: (began, ended) for name, _, _, began, ended in self.attempts()}


def near(got, wanted, within=1e-3):
    assert abs(got - wanted) <= within, f"{got} instead of {wanted}"


@test
def files_take_bytes_over_bandwidth():
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "raw"), "wb") as file:
            file.truncate(12500000)
        times = Simulation(folder, """
[task scan]
command = true    hosts = node1    seconds = 100    simulated = 120    inputs = raw    outputs = image 500000000
[task near]
command = true    hosts = node1    seconds = 10    inputs = image
[task far]
command = true    hosts = node2    seconds = 10    inputs = image
[task last]
command = true    hosts = fast    seconds = 30    after = near, far
""").times()
        near(times["scan"][0], 0.1 + 1e-4)  # 12.5 MB over two links of 125 MB/s, each with a latency of 50 µs
        near(times["scan"][1], 120.1001)  # as it really is, not as it was estimated
        near(times["near"][0], 120.1001)  # the file is there
        near(times["far"][0], 120.1001 + 4 + 1e-4)
        near(times["far"][1], 134.1002)
        near(times["last"][0], 134.1002)
        near(times["last"][1], 134.1002 + 15)  # a host of speed 2


@test
def what_was_expected_is_kept_when_the_truth_is_known():
    """On a host of speed 2 an estimate of 30 s is 15 s; it takes 12 s there: the estimate was declared, and wrong by 25 %."""
    with tempfile.TemporaryDirectory() as folder:
        simulation = Simulation(folder, """
[task quick]
command = true    hosts = fast    seconds = 30    simulated = 24
[task usual]
command = true    hosts = node1    seconds = 30    simulated = 40    after = quick
""")
        shown = {row["task"]: row for row in json.loads(text("schedule", "show", "--ledger", simulation.ledger, "--json", "--quiet"))["tasks"]}
        for task, speed, measured in (("quick", 2, 12), ("usual", 1, 40)):
            row = shown[task]
            assert row["estimate"] == 30 / speed and row["share"] == 1 and row["estimate_from"] == "declared", row
            near(row["predicted"], 30 / speed)
            near(row["measured"], measured)
            near(row["error"], 30 / speed / measured - 1)
            near(row["estimate_error"], 30 / speed / measured - 1)
        assert rows(simulation.ledger, "select estimate_from from tasks")[0]["estimate_from"] == "measured"


@test
def processors_share_the_work():
    with tempfile.TemporaryDirectory() as folder:
        (one, _, _, began, ended), = Simulation(folder, """
[task wide]
command = true    hosts = node1    processors = 4    seconds = 370    scaling = 1: 1, 2: 1.9, 4: 3.7
""").attempts()
        near(ended - began, 100)


@test
def a_host_that_fails_costs_an_attempt_and_nothing_else():
    with tempfile.TemporaryDirectory() as folder:
        found = Simulation(folder, """
[task long]
command = true    hosts = node2    seconds = 150
[task after]
command = true    after = long    seconds = 5
""", "failing.xml").attempts()
        assert [(name, state) for name, _, state, _, _ in found] == [("long", "lost"), ("long", "done"), ("after", "done")], found
        near(found[0][4], 100)  # failing.state: off after 100 s, on again after 160 s
        near(found[1][3], 160)
        near(found[1][4], 310)


@test
def hosts_are_chosen():
    with tempfile.TemporaryDirectory() as folder:
        found = Simulation(folder, "\n".join(f"[task t{i}]\ncommand = true    seconds = 10" for i in range(4)), words=["--hosts", "node3:2"])
        assert {host for _, host, _, _, _ in found.attempts()} == {"node3"}
        near(max(ended for _, _, _, _, ended in found.attempts()), 20)  # two at a time


@test
def memory_is_planned():
    """A host of 16 GB and four processors: tasks of 10 GB go one after the other, and that is known before anything has begun.  That the
    third one fits beside the first takes a plan that was improved: without --pack, simulations count steps of the packer, not its time."""
    with tempfile.TemporaryDirectory() as folder:
        task = "[task {}]\ncommand = true    seconds = 10    memory = {}G\n"
        found = Simulation(folder, task.format("a", 10) + task.format("b", 10) + task.format("c", 4), words=["--hosts", "node1"], pack=())
        times = found.times()
        near(sorted(times[name][1] for name in "ab")[1], 20)
        near(times["c"][1], 10)
        path = os.path.join(folder, "if.txt")
        with open(path, "w") as file:
            file.write("name = if\n" + "".join(task.format(f"t{i}", 9) for i in range(3)))
        told = json.loads(assay("schedule", "what-if", path, "--engine", "simgrid", "--platform", os.path.join(EXAMPLES, "small.xml"), "--ledger",
                                found.ledger, "--hosts", "node1", "--pack", "0.01", "--json").stdout)
        near(max(task["ends"] for task in told["tasks"]) - min(task["begins"] for task in told["tasks"]), 30)


@test
def tasks_go_where_their_files_are():
    """12.5 GB take 100 s to any other host, and 10 s of work only 5 s on the fast one."""
    with tempfile.TemporaryDirectory() as folder:
        found = Simulation(folder, """
[task write]
command = true    hosts = node2    seconds = 10    outputs = image 12500000000
[task one]
command = true    seconds = 10    inputs = image    outputs = small 1000
[task two]
command = true    seconds = 10    inputs = image
[task far]
command = true    seconds = 10    inputs = image    hosts = node3
[task next]
command = true    seconds = 40    inputs = small
""")
        hosts = {name: host for name, host, *_ in found.attempts()}
        assert hosts["one"] == hosts["two"] == "node2" and hosts["next"] == "fast", hosts
        reason = rows(found.ledger, "select reason from decisions join tasks on tasks.id = task where kind = 'start' and name = 'far'")[0]["reason"]
        assert "expected to take 10 s, after 100 s until its files are there" in reason, reason


@test
def many_tasks_on_many_hosts():
    with tempfile.TemporaryDirectory() as folder:
        flow = "\n".join(f"[task t{i}]\ncommand = true    seconds = {10 + i % 7}" for i in range(300))
        found = Simulation(folder, flow, "thousand.xml").attempts()
        assert len(found) == 300 and all(state == "done" for _, _, state, _, _ in found)
        near(max(ended for _, _, _, _, ended in found), 16)


@test
def bad_platforms_are_refused():
    with tempfile.TemporaryDirectory() as folder:
        if not os.path.exists(SIMULATOR):
            raise Lacking("libsimgrid-dev is not installed, or was not when this was built")
        with open(os.path.join(EXAMPLES, "small.xml")) as file:
            good = file.read()

        def refused(text, *words, more=()):
            path = os.path.join(folder, "platform.xml")
            with open(path, "w") as file:
                file.write(text)
            message = assay("schedule", "run", "--engine", "simgrid", "--platform", path, "--ledger", os.path.join(folder, "ledger.db"), *more,
                            status=2).stderr.decode()
            assert message.count("\n") == 1, message
            for word in words:
                assert word in message, f"{message!r} does not say {word!r}"

        refused(good.replace("2Gf", "quick"), "platform.xml:11", "quick")
        refused(good[: len(good) // 2], "platform.xml:", "SimGrid refuses it")
        refused(good.replace('down="fast-link"', 'down="none"'), "none")
        refused("", "platform.xml:1")
        refused(good.replace('value="files"', 'value="home"'), "home")
        refused(good.replace('<host id="node1" speed="1Gf" core="4"><prop id="memory" value="16e9"/>',
                             '<host id="node1" speed="1Gf"><prop id="assay" value="files"/>'), "common file system", "node1")
        refused(good.replace('core="4"', 'core="16777217"', 1), "processors, and a plan can have", "--hosts")
        refused(good, "no host node9", more=["--hosts", "node9"])
        refused(good, "has 4 processors", more=["--hosts", "fast:5"])
        message = assay("schedule", "run", "--engine", "simgrid", "--platform", "/nowhere.xml", "--ledger", os.path.join(folder, "ledger.db"),
                        status=2).stderr.decode()
        assert re.match(r"assay: /nowhere.xml: cannot be opened", message), message


run()
