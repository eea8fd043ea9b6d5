# first build only: the daemons take the time, and the units cover what reads their answers
"""The engine for Slurm against a private one (tests/slurm.py): jobs run where they should and once only, and whatever dies, what
became of a tag can be told."""
import functools, os, subprocess, threading, time
from harness import *
from slurm import Slurm

DRIVE = os.path.join(os.environ.get("BUILD", os.path.dirname(ASSAY)), "tests", "unit", "engine-drive")
clusters, here = {name: {"lock": threading.Lock(), "slurm": None} for name in ("quiet", "shared", "restarting")}, threading.local()


def on(name):
    """Tests of one cluster run one after the other, those of different ones side by side: they mostly wait."""
    def decorate(function):
        @functools.wraps(function)
        def wrapped():
            with clusters[name]["lock"]:
                here.name = name
                function()
        return wrapped
    return decorate


def private():
    """The cluster of this test, made by the first that wants it."""
    need_slurm(Slurm)
    cluster = clusters[here.name]
    if not cluster["slurm"]:
        slurm = Slurm({"n1": 4, "n2": 4, "n3": 2})
        slurm.__enter__()
        cluster["slurm"] = slurm
    return cluster["slurm"]


class Engine:
    """engine-drive: each line is answered by lines up to a dot."""

    def __init__(self, spool, *hosts, session="assay-t", environment=None):
        self.process = subprocess.Popen([DRIVE, "slurm", spool, session, *hosts], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, env=environment or private().environment, text=True)

    def ask(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        answer = []
        while (got := self.process.stdout.readline().rstrip("\n")) != ".":
            if not got and self.process.poll() is not None:
                raise Fail(f"{line}: the driver ended: {self.process.stderr.read()}")
            answer.append(got)
        return answer

    def poll(self, *tags):
        return [answer.split(" ", 3) for answer in self.ask("poll " + " ".join(tags))]

    def until(self, tag, *states):
        """Waits as the scheduler does; the status of the tag when it is in one of these states."""
        limit = time.monotonic() + PATIENCE
        while time.monotonic() < limit:
            status = self.poll(tag)[0]
            if status[0] in states:
                return status
            self.ask("wait 5")
        raise Fail(f"{tag} is {status}, not {states}")

    def hosts(self):
        return {words[0]: words[1:] for words in (line.split(" ", 4) for line in self.ask("hosts"))}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait(PATIENCE)
        self.process.stdout.close()
        self.process.stderr.close()


def output(spool, tag, name="output"):
    with open(os.path.join(spool, tag, name)) as file:
        return file.read()


@test
@on("quiet")
def jobs_run_where_they_are_put():
    private()
    with Folder() as spool, Engine(spool) as engine:
        assert engine.ask(f"start assay-t-1 {spool} n2:3 echo $SLURMD_NODENAME $SLURM_NTASKS $ASSAY_PLACES; exit 7") == ["started"]
        assert engine.until("assay-t-1", "done")[1] == "7"
        assert output(spool, "assay-t-1") == "n2 3 n2:3\n", output(spool, "assay-t-1")
        # even counts are an ordinary job, others a heterogeneous one
        command = "srun --het-group=$1 printenv SLURMD_NODENAME"
        assert engine.ask(f"start assay-t-2 {spool} n1:2,n2:2 srun printenv SLURMD_NODENAME | sort") == ["started"]
        assert engine.until("assay-t-2", "done")[1] == "0"
        assert output(spool, "assay-t-2").split() == ["n1", "n1", "n2", "n2"]
        assert engine.ask(f"start assay-t-3 {spool} n1:1,n2:3,n3:2 {command.replace('$1', '0,1,2')} | sort") == ["started"]
        assert engine.until("assay-t-3", "done")[1] == "0"
        assert output(spool, "assay-t-3").split() == ["n1", "n2", "n2", "n2", "n3", "n3"]
        assert engine.ask(f"start assay-t-4 {spool} n1:1,n1:2 echo $SLURM_NTASKS on $SLURM_NNODES") == ["started"]
        engine.until("assay-t-4", "done")
        assert output(spool, "assay-t-4") == "3 on 1\n"
        assert sorted(os.listdir(spool)) == ["assay-t-1", "assay-t-2", "assay-t-3", "assay-t-4"], "scripts or empty logs were left"


@test
@on("quiet")
def limits_of_our_own_tools_are_not_those_of_jobs():
    environment = dict(private().environment, LC_ALL="C.UTF-8", SBATCH_WAIT="1", SBATCH_ARRAY_INX="1-3")
    with Folder() as spool, Engine(spool, environment=environment) as engine:
        engine.ask(f"start assay-t-limits {spool} n1:1 ulimit -t; ulimit -v; ulimit -f; echo $LC_ALL ${{LANGUAGE-none}}")
        engine.until("assay-t-limits", "done")
        assert output(spool, "assay-t-limits") == "unlimited\nunlimited\nunlimited\nC.UTF-8 none\n"


@test
@on("quiet")
def a_tag_runs_once_however_often_it_is_submitted():
    with Folder() as spool, Engine(spool) as engine:
        for _ in range(3):
            engine.ask(f"start assay-t-once {spool} n1:1 echo ran >>{spool}/count; sleep 1")
        engine.until("assay-t-once", "done")
        limit = time.monotonic() + PATIENCE
        while private().run("squeue", "-h") and time.monotonic() < limit:
            time.sleep(0.1)
        assert open(os.path.join(spool, "count")).read() == "ran\n"


@test
@on("quiet")
def another_scheduler_finds_the_jobs_of_one_that_was_killed():
    with Folder() as spool:
        with Engine(spool) as engine:
            engine.ask(f"start assay-t-run {spool} n1:4 while [ ! -e {spool}/go ]; do sleep 0.05; done; exit 5")
            engine.ask(f"start assay-t-wait {spool} n1:4 true")
            engine.until("assay-t-run", "running")
            engine.process.kill()
        with Engine(spool) as engine:
            first, second, third = engine.poll("assay-t-run", "assay-t-wait", "assay-t-never")
            assert first[0] == "running" and second[0] == "queued" and third[0] == "unknown", (first, second, third)
            assert first[2].isdigit()
            open(os.path.join(spool, "go"), "w").close()
            assert engine.until("assay-t-run", "done")[1] == "5" and engine.until("assay-t-wait", "done")[1] == "0"


@test
@on("shared")
def processors_of_others_are_taken():
    with Folder() as spool, Engine(spool) as engine:
        other = private().run("sbatch", "--parsable", "--job-name=other", "-w", "n2", "-n", "3", "-o", "/dev/null", "--wrap", "sleep 1000").strip()
        engine.ask(f"start assay-t-own {spool} n1:2,n2:1 sleep 1000")
        engine.until("assay-t-own", "running")
        limit = time.monotonic() + PATIENCE
        while (hosts := engine.hosts())["n2"][1] != "3" and time.monotonic() < limit:
            engine.ask("wait 2")
        assert hosts == {"n1": ["4", "0", "up", "-"], "n2": ["4", "3", "up", "-"], "n3": ["2", "0", "up", "-"]}, hosts
        private().run("scancel", other)
        assert engine.ask("cancel assay-t-own") == ["cancelled"]
        lost = engine.until("assay-t-own", "lost")
        assert "CANCELLED" in lost[3], lost
        while engine.hosts()["n2"][1] != "0" and time.monotonic() < limit:
            engine.ask("wait 2")
        assert engine.hosts()["n2"][1] == "0"
    with Folder() as spool, Engine(spool, "n3,n1:2") as engine:
        assert {name: host[0] for name, host in engine.hosts().items()} == {"n1": "2", "n3": "2"}


@test
@on("restarting")
def a_controller_that_restarts_is_waited_for():
    with Folder() as spool, Engine(spool) as engine:
        engine.ask(f"start assay-t-a {spool} n1:1 while [ ! -e {spool}/go ]; do sleep 0.05; done")
        engine.until("assay-t-a", "running")
        private().kill("slurmctld")
        engine.until("assay-t-a", "unreachable")
        answer = engine.ask(f"start assay-t-b {spool} n2:1 true")
        assert answer[0].startswith("error Slurm: "), answer
        assert engine.ask("hosts")[0].startswith("error Slurm: ")
        open(os.path.join(spool, "go"), "w").close()
        assert engine.until("assay-t-a", "done")[1] == "0", "a result needs no controller"
        private().start("slurmctld")
        private().wait_for_nodes(names=["n2"])
        # what could not be submitted never runs under that tag, but runs under another
        assert engine.poll("assay-t-b")[0][0] == "lost"
        limit = time.monotonic() + PATIENCE
        while engine.ask(f"start assay-t-c{time.monotonic_ns()} {spool} n2:1 true") != ["started"] and time.monotonic() < limit:
            engine.ask("wait 1")
        assert not os.path.exists(os.path.join(spool, "assay-t-b", "begin"))


@test
@on("shared")
def jobs_that_were_ended_from_outside_are_lost():
    with Folder() as spool, Engine(spool) as engine:
        private().run("scontrol", "update", "nodename=n3", "state=drain", "reason=a | fan")
        limit = time.monotonic() + PATIENCE
        while (host := engine.hosts()["n3"])[2] == "up" and time.monotonic() < limit:
            engine.ask("wait 1")
        assert host[2:] == ["drained", "drained: a | fan"], host
        engine.ask(f"start assay-t-drained {spool} n3:1 true")
        lost = engine.until("assay-t-drained", "lost", "done")
        assert lost[0] == "lost" and "a | fan" in lost[3], lost
        private().run("scontrol", "update", "nodename=n3", "state=resume")
        engine.ask(f"start assay-t-down {spool} n2:1 sleep 1000")
        engine.until("assay-t-down", "running")
        private().run("scontrol", "update", "nodename=n2", "state=down", "reason=power")
        lost = engine.until("assay-t-down", "lost", "done")
        assert lost[0] == "lost" and "NODE_FAIL" in lost[3], lost  # it comes back by itself, since it answers


@test
@on("quiet")
def nodes_are_in_the_directory():
    with Folder() as folder:
        listed = json.loads(assay("schedule", "hosts", "--engine", "slurm", "--ledger", os.path.join(folder, "ledger.db"), "--json",
                                  env=private().environment).stdout)
        assert {row["name"]: row["processors"] for row in listed} == {"n1": 4, "n2": 4, "n3": 2}, listed
        assert all(row["source"] == "slurm" and row["memory_gb"] > 0 and 0 < row["valid_for"] <= 600 for row in listed), listed
        # This Slurm has no accounting: that is said, and nothing is made up.
        assay("forecast", "slurm", env=private().environment, status=2)


@test
@on("quiet")
def bad_choices_are_explained():
    with Folder() as spool:
        for hosts, words in {"n1,nowhere": "no node \"nowhere\"", "n1:many": "is not NAME:PROCESSORS", "n1:0": "is not NAME"}.items():
            with Engine(spool, hosts) as engine:
                message = engine.process.communicate()[1]
                assert engine.process.returncode == 1 and words in message, message
        environment = dict(private().environment, SBATCH_PARTITION="none-such")
        with Engine(spool, environment=environment) as engine:
            message = engine.process.communicate()[1]
            assert engine.process.returncode == 1 and "none-such" in message, message
        with Engine(spool, environment=dict(os.environ, PATH="/nowhere")) as engine:
            assert "slurm-client" in engine.process.communicate()[1]


try:
    run(side_by_side=9)
finally:
    for cluster in clusters.values():
        if cluster["slurm"]:
            cluster["slurm"].stop()
