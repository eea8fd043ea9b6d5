#!/usr/bin/env python3
# first build only: real jobs on this computer; the C code is that of tests/unit/plan/schedule_*.c and tests/unit/ledger/ledger.c
"""assay schedule with real commands on this computer: dependences, tries, failures, Ctrl-C, kill -9, bad workflows."""
import os, resource, signal, sqlite3, subprocess, time
from harness import *


class Place:
    """A folder with a ledger: flows are written, submitted and run there."""

    def __init__(self, folder):
        self.folder, self.ledger = folder, os.path.join(folder, "ledger.db")

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.path(name), "w") as file:
            file.write(text)
        return self.path(name)

    def read(self, name):
        with open(self.path(name)) as file:
            return file.read()

    def schedule(self, *words, **options):
        return assay("schedule", *words, "--ledger", self.ledger, **options)

    def submit(self, text, name="flow.txt", **options):
        return self.schedule("submit", self.write(name, text), **options)

    def refused(self, text, *words):
        message = self.submit(text, status=2).stderr.decode()
        for word in words:
            assert word in message, f"{message!r} does not say {word!r}"
        return message

    def run(self, *words, status=0):
        return self.schedule("run", "--hosts", "here:2", "--pack", "0.1", *words, status=status).stdout.decode()

    def start(self, *words):
        return subprocess.Popen([ASSAY, "schedule", "run", "--hosts", "here:2", "--pack", "0.1", "--ledger", self.ledger, *words],
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def ask(self, query):
        return rows(self.ledger, query)

    def states(self):
        return {row["name"]: row["state"] for row in self.ask("select name, state from tasks")}

    def wait_for(self, query):
        """Until the query has a row."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if os.path.exists(self.ledger) and (found := self.ask(query)):
                return found
            time.sleep(0.1)
        raise Fail(f"never true: {query}")


class NewPlace(Folder):
    def __enter__(self):
        return Place(super().__enter__())


@test
def tasks_run_in_order_and_once():
    with NewPlace() as place:
        place.submit("""name = order
[task one]
command = echo one >>log; echo data >one.dat
outputs = one.dat
[task two]
command = cat one.dat >>log
inputs = one.dat
[task three]
command = echo three >>log   after = two
""")
        assert place.states() == {"one": "waiting", "two": "waiting", "three": "waiting"}
        place.run()
        assert place.read("log") == "one\ndata\nthree\n"
        assert set(place.states().values()) == {"done"}
        # Why did it wait, and what happened to it, is a query.
        kinds = [row["kind"] for row in place.ask("select kind from decisions join tasks on tasks.id = task where name = 'three' "
                                                  "and kind in ('submit', 'start', 'end') order by decisions.id")]
        assert kinds == ["submit", "start", "end"], kinds
        found = place.ask("select attempts.state, exit_status, ended >= started as is_timed, estimate_from from attempts join "
                          "tasks on tasks.id = task")
        assert len(found) == 3 and all(row["state"] == "done" and row["exit_status"] == 0 and row["is_timed"] == 1 and
                                       row["estimate_from"] == "measured" for row in found), found
        place.run()
        assert place.read("log") == "one\ndata\nthree\n", "a second run does nothing again"


@test
def tries_failures_and_what_they_block():
    with NewPlace() as place:
        place.submit("""name = bad
[task shaky]
command = echo x >>shaky; [ $(wc -l <shaky) = 3 ]
tries = 4
[task fails]
command = echo why it failed; exit 9
tries = 2
[task waits]
command = true    after = fails
[task waits-too]
command = true    after = waits
[task fine]
command = true    after = shaky
""")
        place.run(status=1)
        assert place.states() == {"shaky": "done", "fails": "failed", "waits": "blocked", "waits-too": "blocked", "fine": "done"}
        assert place.read("shaky") == "x\nx\nx\n"
        assert place.ask("select tries from tasks where name = 'fails'") == [{"tries": 2}]
        assert "fails" in place.ask("select reason from decisions join tasks on tasks.id = task where kind = 'block' and name = "
                                    "'waits'")[0]["reason"]
        shown = place.schedule("show", "bad", status=1).stdout.decode()
        assert "why it failed" in shown, shown


@test
def bad_workflows_leave_nothing():
    with NewPlace() as place:
        place.refused("[task a]\ncommand = true\nafter = b\n[task b]\ncommand = true\nafter = a\n", "flow.txt:", "in a circle", "a → b")
        place.refused("[task a]\ncommand = true\ninputs = nothing.dat\n", "flow.txt:3", "nothing.dat", "no task")
        place.refused("[task a]\ncommand = true\nafter = other/task\n", "flow.txt:3", "other/task")
        place.refused("[task a]\ncomand = true\n", "flow.txt:2", "command")
        place.refused("[task a]\ncommand = true\npredictor = none.txt x=y\n", "flow.txt:3", "none.txt")
        place.refused("", "no tasks")
        # Of two files, one of which is wrong, nothing is added.
        good = place.write("good.txt", "[task a]\ncommand = true\n")
        bad = place.write("bad.txt", "[task a]\ncommand = true\nafter = missing/task\n")
        place.schedule("submit", good, bad, status=2)
        assert place.ask("select count(*) as n from workflows") == [{"n": 0}]
        place.schedule("submit", good)
        assert "submitted already" in place.schedule("submit", good, status=2).stderr.decode()
        for words in (["submit"], ["nonsense"], ["run", "x"], ["what-if"], ["cancel"], ["cancel", "none"], ["cancel", "good/b"],
                      ["run", "--engine", "none"], ["run", "--hosts", "a,a"], ["run", "--platform", "x"], ["users", "--share", "2"],
                      ["users", "ada", "--share", "0"]):
            place.schedule(*words, status=2)


@test
def what_fits_no_host_is_told_and_kept():
    with NewPlace() as place:
        place.submit("""name = wide
[task wide]
command = true    processors = 3
[task after]
command = true    after = wide
[task heavy]
command = true    memory = 1000000G
[task elsewhere]
command = true    hosts = there
[task small]
command = echo small >small
""")
        place.run(status=1)
        assert place.read("small") == "small\n"
        assert place.states() == {"wide": "waiting", "after": "waiting", "heavy": "waiting", "elsewhere": "waiting", "small": "done"}
        reasons = {row["name"]: row["reason"] for row in place.ask(
            "select name, reason from decisions join tasks on tasks.id = task where kind = 'block'")}
        assert "needs 3 processors" in reasons["wide"] and "has 2" in reasons["wide"]
        assert "memory" in reasons["heavy"] and "there" in reasons["elsewhere"], reasons
        # A larger host comes, and all but two can go on.
        place.schedule("run", "--hosts", "here:2,there:3", "--pack", "0.1", status=1)
        assert place.states() == {"wide": "done", "after": "done", "heavy": "waiting", "elsewhere": "done", "small": "done"}


@test
def interrupted_and_gone_on_with():
    with NewPlace() as place:
        place.submit("""name = long
[task first]
command = echo begun >>first; while ! [ -e go ]; do sleep 0.05; done; echo ended >>first
[task second]
command = echo second >second    after = first
""")
        scheduler = place.start()
        place.wait_for("select 1 from attempts where state = 'running'")
        # Another scheduler on the same ledger is refused, and says who runs.
        refused = place.schedule("run", status=2).stderr.decode()
        assert str(scheduler.pid) in refused and "another scheduler" in refused, refused
        scheduler.send_signal(signal.SIGINT)
        _, messages = scheduler.communicate(timeout=PATIENCE)
        assert scheduler.returncode == 1 and b"1 job goes on" in messages, (scheduler.returncode, messages)
        assert place.states() == {"first": "running", "second": "waiting"}
        place.write("go", "")
        place.run()
        assert place.read("first") == "begun\nended\n" and place.read("second") == "second\n"
        assert place.ask("select count(*) as n from attempts") == [{"n": 2}]


@test
def killed_schedulers_lose_nothing_and_run_nothing_twice():
    with NewPlace() as place:
        names = [f"t{i}" for i in range(12)]
        place.submit("name = many\n" + "".join(
            f"[task {name}]\ncommand = echo {name} >>log; sleep 0.2\n" + (f"after = t{i - 3}\n" if i >= 3 else "")
            for i, name in enumerate(names)))
        for pause in (0.15, 0.3, 0.45, 0.6, 0.2, 0.35):
            scheduler = place.start()
            time.sleep(pause)
            scheduler.kill()
            scheduler.communicate()
        place.run()
        assert sorted(place.read("log").split()) == sorted(names), place.read("log")
        assert set(place.states().values()) == {"done"}


@test
def jobs_that_are_killed_are_started_again():
    with NewPlace() as place:
        place.submit("""name = victim
[task victim]
command = echo $$ >>pids; while ! [ -e go ]; do sleep 0.05; done
""")
        scheduler = place.start()
        job = int(place.wait_for("select job from attempts where state = 'running' and job > 0")[0]["job"])
        place.write("go", "")
        os.killpg(job, signal.SIGKILL)
        out, _ = scheduler.communicate(timeout=PATIENCE)
        assert scheduler.returncode == 0, out
        states = [row["state"] for row in place.ask("select state from attempts order by id")]
        assert states in (["lost", "done"], ["done"]), states  # it may have ended a moment before
        assert place.ask("select tries from tasks") == [{"tries": 1}], "a lost attempt does not count"


@test
def what_is_lost_again_and_again_is_a_try():
    """It was said to be "lost for the 21th time"."""
    with NewPlace() as place:
        place.submit("name = victim\n[task victim]\ncommand = while ! [ -e go ]; do sleep 0.05; done\n")
        scheduler = place.start()
        job = int(place.wait_for("select job from attempts where state = 'running' and job > 0")[0]["job"])
        with sqlite3.connect(place.ledger) as connection:
            for number in range(20):
                connection.execute("insert into attempts (task, tag, engine, job, processors, state, asked, started) select task, tag || ?, "
                                   "engine, job, processors, 'lost', asked, started from attempts where state = 'running'", [number])
        connection.close()
        os.killpg(job, signal.SIGKILL)
        out, _ = scheduler.communicate(timeout=PATIENCE)
        said = [row["reason"] for row in place.ask("select reason from decisions where reason like '%lost%'")]
        assert len(said) == 1 and "was lost 21 times" in said[0] and "which now counts as a try" in said[0], (said, out)


@test
def cancelled_while_it_runs():
    with NewPlace() as place:
        place.submit("name = stop\n[task endless]\ncommand = echo $$ >pid; sleep 100000\n[task after]\ncommand = true\nafter = endless\n")
        place.submit("name = other\n[task fine]\ncommand = true\n", "other.txt")
        scheduler = place.start()
        place.wait_for("select 1 from attempts join tasks on tasks.id = task where attempts.state = 'running' and name = 'endless'")
        place.schedule("cancel", "stop")
        scheduler.communicate(timeout=PATIENCE)
        assert place.states() == {"endless": "cancelled", "after": "cancelled", "fine": "done"}
        assert place.ask("select state from attempts where task = 1") == [{"state": "cancelled"}]
        pid = int(place.read("pid"))
        end = time.monotonic() + PATIENCE
        while os.path.exists(f"/proc/{pid}/exe") and time.monotonic() < end:
            time.sleep(0.05)


@test
def estimates_that_lie_do_no_harm():
    """Declared seconds that are far too long or too short: all is done, and the overrun is noted."""
    with NewPlace() as place:
        place.submit("""name = lies
[task long]
command = sleep 2.5    seconds = 0.02
[task short]
command = sleep 0.1    seconds = 1h
[task next]
command = true    after = long    seconds = 1
""")
        place.run()
        assert set(place.states().values()) == {"done"}
        assert place.ask("select count(*) > 0 as n from decisions join tasks on tasks.id = task where kind = 'overrun' and "
                         "name = 'long'") == [{"n": 1}]
        assert place.ask("select seconds > 2.4 and seconds < 100 as n from tasks where name = 'long'") == [{"n": 1}]


@test
def deadlines_and_speculative_work():
    with NewPlace() as place:
        place.submit("name = late\ndeadline = 1s\n[task slow]\ncommand = sleep 1.5\nseconds = 30\n")
        place.submit("name = maybe\nspeculative = yes\n[task never]\ncommand = touch never\n", "maybe.txt")
        place.run()
        assert place.states() == {"slow": "done", "never": "waiting"} and not os.path.exists(place.path("never"))
        assert place.ask("select count(*) as n from decisions join tasks on tasks.id = task where kind = 'deadline' and "
                         "name = 'slow'") == [{"n": 1}]


@test
def what_nobody_knows_raises_no_alarm():
    """A speculative workflow's declared time is no estimate for others, a guess can be neither overrun nor a deadline in danger."""
    with NewPlace() as place:
        place.submit("name = maybe\nspeculative = yes\n[task long]\ncommand = touch never\nseconds = 32h\n", "maybe.txt")
        place.submit("name = quick\ndeadline = 30m\n[task a]\ncommand = true\n[task b]\ncommand = sleep 2.5\nafter = a\n")
        place.run()
        assert place.states() == {"long": "waiting", "a": "done", "b": "done"}
        alarms = place.ask("select kind, reason from decisions where kind in ('deadline', 'overrun')")
        assert not alarms, alarms
        starts = place.ask("select reason from decisions where kind = 'start'")
        assert len(starts) == 2 and all("nobody knows for how long" in row["reason"] for row in starts), starts


@test
def what_runs_by_a_guess_raises_no_alarm_when_the_guess_was_wrong():
    """All tasks are planned as a minute, on a busy host as several. When some were done in no time, the one that ran was still
    expected to take that long, with more and more certainty: the task after it would miss its deadline by minutes."""
    with NewPlace() as place:
        quick = "".join(f"[task quick{i}]\ncommand = true\nhosts = two\n" for i in range(25))
        place.submit("name = guesses\n[task slow]\ncommand = sleep 4\nhosts = one\n[task last]\ncommand = true\nafter = slow\nhosts = one\n"
                     f"deadline = 30s\n{quick}")
        place.schedule("run", "--hosts", "one:1,two:1", "--pack", "0.1")
        assert set(place.states().values()) == {"done"}
        alarms = place.ask("select kind, reason from decisions where kind in ('deadline', 'overrun')")
        assert not alarms, alarms


@test
def a_guess_may_miss_a_deadline_and_an_estimate_does():
    with NewPlace() as place:
        for seconds, says in (("", "It may miss its deadline"), ("seconds = 500\n", "It would miss its deadline")):
            flow = place.write("if.txt", f"name = new\ndeadline = 50s\n[task x]\ncommand = true\n{seconds}")
            shown = place.schedule("what-if", flow, "--hosts", "here:2", "--pack", "0.1").stdout.decode()
            assert says in " ".join(shown.split()), (says, shown)


@test
def workflows_wait_for_each_other():
    with NewPlace() as place:
        place.submit("name = left\n[task a]\ncommand = sleep 0.3; echo a >>log\n", "left.txt")
        place.submit("name = right\nuser = ben\nshare = 3\n[task b]\ncommand = echo b >>log\nafter = left/a\n", "right.txt")
        place.run()
        assert place.read("log") == "a\nb\n"
        place.schedule("users", "ada", "--share", "2.5")
        users = {row["user"]: row["share"] for row in json.loads(place.schedule("users", "--json").stdout)}
        assert users["ben"] == 3 and users["ada"] == 2.5, users


@test
def shares_decide_who_goes_first():
    for shares in ({"ada": 1, "ben": 20}, {"ada": 20, "ben": 1}):
        with NewPlace() as place:
            for user, share in shares.items():
                place.submit(f"name = {user}\nuser = {user}\nshare = {share}\n" + "".join(
                    f"[task t{i}]\ncommand = echo {user} >>log\nseconds = 2\n" for i in range(3)), f"{user}.txt")
            place.schedule("run", "--hosts", "here:1", "--pack", "0.1")
            order = place.read("log").split()
            first = max(shares, key=shares.get)
            assert order[:3] == [first] * 3 and len(order) == 6, (shares, order)


@test
def deadlines_that_have_passed_are_told_at_once():
    with NewPlace() as place:
        told = place.submit("name = late\ndeadline = 2020-01-01 12:00\n[task a]\ncommand = true\n").stderr.decode()
        assert "late" in told and "deadline has passed" in told, told
        told = place.submit("name = late-task\n[task a]\ncommand = true\ndeadline = 2020-01-01 12:00\n", "other.txt").stderr.decode()
        assert "late-task/a" in told and "deadline has passed" in told, told


@test
def what_if_stores_nothing():
    with NewPlace() as place:
        place.submit("name = there\n[task a]\ncommand = sleep 1\nseconds = 100\nprocessors = 2\n")
        flow = place.write("if.txt", "name = new\n[task x]\ncommand = touch x\nseconds = 50\n[task y]\ncommand = true\nafter = x\nseconds = 10\n")
        before = place.ask("select (select count(*) from tasks) as tasks, (select count(*) from decisions) as decisions, "
                           "(select count(*) from hosts) as hosts, (select count(*) from plan) as plan")
        shown = place.schedule("what-if", flow, "--hosts", "here:2", "--pack", "0.1").stdout.decode()
        assert "new" in shown and "x" in shown, shown
        after = place.ask("select (select count(*) from tasks) as tasks, (select count(*) from decisions) as decisions, "
                          "(select count(*) from hosts) as hosts, (select count(*) from plan) as plan")
        assert before == after and not os.path.exists(place.path("x"))
        hasty = place.write("hasty.txt", "name = hasty\n[task x]\ncommand = true\nseconds = 50\ndeadline = 10s\n[task y]\ncommand = true\nseconds = 1\n")
        shown = place.schedule("what-if", hasty, "--hosts", "here:2", "--pack", "0.1").stdout.decode()
        assert "Its task x would miss its deadline" in shown, shown
        told = json.loads(place.schedule("what-if", hasty, "--hosts", "here:2", "--pack", "0.1", "--json").stdout)
        assert 0 < told["speed"] <= 1 and told["others_running"] >= 0, told
        wide = place.write("wide.txt", "[task x]\ncommand = true\nprocessors = 9\n")
        assert "fits no host" in place.schedule("what-if", wide, "--hosts", "here:2", status=2).stderr.decode()


@test
def work_that_comes_while_it_runs():
    with NewPlace() as place:
        place.submit("name = early\n[task hold]\ncommand = while ! [ -e go ]; do sleep 0.05; done\n")
        scheduler = place.start()
        place.wait_for("select 1 from attempts where state = 'running'")
        place.submit("name = late\n[task now]\ncommand = touch go\n", "late.txt")
        scheduler.communicate(timeout=PATIENCE)
        assert scheduler.returncode == 0 and set(place.states().values()) == {"done"}


@test
def probes_are_tasks_and_change_estimates():
    with NewPlace() as place:
        place.write("work.sh", "sleep 0.$(wc -l <$1)\n")
        place.write("work.predict", "name = work\ncommand = sh {here}/work.sh {data}\ninputs = data\nfeatures = lines(data)\n"
                                    "shrink = awk 'NR % {k} == 0' {in} >{out}\nprobes = 4, 2\n")
        for name in "abc":
            place.write(f"{name}.dat", "".join(f"{name} {i}\n" for i in range(4 + ord(name) % 5)))
        place.submit("name = probed\n" + "".join(f"[task {name}]\ncommand = sh work.sh {name}.dat\npredictor = work.predict "
                                                 f"data={name}.dat\nprocessors = 1..2\n" for name in "abc"))
        place.run()
        states = place.states()
        assert all(states[name] == "done" for name in "abc") and set(states.values()) <= {"done", "cancelled"}, states
        probes = place.ask("select count(*) as n from tasks where probe_of is not null")[0]["n"]
        assert probes == 6, probes
        assert place.ask("select count(*) as n from probe_tasks where seconds is null") == [{"n": 0}]
        assert place.ask("select count(*) as n from runs where source = 'schedule'") == [{"n": 3}]
        changed = place.ask("select count(*) as n from decisions join tasks on tasks.id = task where kind = 'estimate'")
        assert changed[0]["n"] >= 1, changed
        # A probe that fails costs its estimate, and nothing else.
        place.write("bad.predict", "name = bad\ncommand = sh {here}/work.sh {data}\ninputs = data\nshrink = false {k} {in} {out}\nprobes = 2\n"
                                   "features = bytes(data)\n")
        place.submit("name = failing\n[task d]\ncommand = sh work.sh a.dat\npredictor = bad.predict data=a.dat\n", "failing.txt")
        place.run()
        assert place.states()["d"] == "done"
        assert "flow.txt:3" in place.refused("[task a]\ncommand = true\npredictor = work.sh data=a.dat\n", "description is wrong")


@test
def probes_that_cannot_pay_are_left_out():
    """Two processors, tasks of one processor: only their order could be better. Runs that are done teach instead."""
    with NewPlace() as place:
        place.write("work.predict", "name = work\ncommand = sleep 0.$(wc -l <{data})\ninputs = data\nfeatures = lines(data)\n"
                                    "shrink = head -n1 {in} >{out}; : {k}\nprobes = 2\n")
        for i, name in enumerate("abcd"):
            place.write(f"{name}.dat", f"{name}\n" * (1 + 2 * i))
        task = "[task {0}]\ncommand = sleep 0.$(wc -l <{0}.dat)\npredictor = work.predict data={0}.dat\n"
        place.submit("name = few\n" + "".join(task.format(name) for name in "abc"))
        place.submit("name = next\n" + task.format("d") + "after = few/c\n", "next.txt")
        place.run()
        assert set(place.states().values()) == {"done"}
        assert place.ask("select count(*) as n from tasks where probe_of is not null") == [{"n": 0}]
        reasons = place.ask("select reason from decisions join tasks on tasks.id = task where kind = 'estimate' and name = 'a'")
        assert "it is not probed" in reasons[0]["reason"] and "order" in reasons[0]["reason"], reasons
        # d waited for another task; it was estimated from runs of the same program all the same, before it began.
        told = place.ask("select reason from decisions join tasks on tasks.id = task where kind = 'estimate' and name = 'd' and reason "
                         "like '% runs'")
        assert told and "by history" in told[-1]["reason"], told


@test
def a_full_disk_under_the_ledger_ends_nothing_else():
    with NewPlace() as place:
        place.submit("name = full\n" + "".join(f"[task t{i}]\ncommand = echo {i} >>log; sleep 0.1\n" for i in range(6)))
        size = os.path.getsize(place.ledger)

        def no_room():
            resource.setrlimit(resource.RLIMIT_FSIZE, (size + 20000, size + 20000))
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        stopped = subprocess.run([ASSAY, "schedule", "run", "--hosts", "here:2", "--pack", "0.1", "--ledger", place.ledger],
                                 preexec_fn=no_room, capture_output=True, timeout=PATIENCE)
        # Whether it got through or not: what ran, ran once, and a run with room does the rest.
        assert stopped.returncode in (0, 1, 2) and b"assay" in stopped.stderr, stopped
        place.run()
        assert sorted(place.read("log").split()) == list("012345"), place.read("log")
        assert set(place.states().values()) == {"done"}


run(side_by_side=4)
