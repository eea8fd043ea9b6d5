"""Views of schedules, of ledgers whose rows were made by hand: text, picture, page, rows, and why a task waited."""
# first build only: a test of words and pictures; the ledger's own tests and the scheduler's run the same queries
import csv, fcntl, io, pty, struct, termios, xml.etree.ElementTree as trees
from harness import *
import pages
from ledgers import Ledger

EVIL = "a\x1b[2J<script>alert(1)</script>\"'&\nb\u202e\x01"
SVG = "{http://www.w3.org/2000/svg}"


def show(path, *words, status=None, env=None):
    return assay("schedule", "show", "--ledger", path, *words, status=status, env=env)


class Files(Folder):
    """with Files() as (folder, ledger)."""

    def __enter__(self):
        folder = super().__enter__()
        return folder, Ledger(os.path.join(folder, "ledger.db"))


def hosts(ledger, count=2, processors=2, **values):
    return [ledger.add("hosts", name=f"node{i}", processors=processors,
                       **{"engine": "local", "state": "up", "seen": time.time(), **values}) for i in range(1, count + 1)]


def workflow(ledger, name="flow", **values):
    user = ledger.add("users", name=f"user of {name}")
    return ledger.add("workflows", **{"name": name, "user": user, "submitted": time.time() - 1000, **values})


def pictures(folder, path):
    """The picture and the page, both checked, and the text that came with them."""
    picture, page = os.path.join(folder, "g.svg"), os.path.join(folder, "p.html")
    result = show(path, "--gantt", picture, "--html", page)
    with open(page, encoding="utf-8") as file:
        tree = pages.check(file.read())
    return trees.parse(picture).getroot(), tree, result.stdout.decode()


class Attended:
    """A scheduler that only holds the lock."""

    def __init__(self, path):
        self.path = path + ".lock"

    def __enter__(self):
        self.process = subprocess.Popen([sys.executable, "-c", "import fcntl,sys,time\nf=open(sys.argv[1],'w')\nfcntl.lockf(f,"
                                         "fcntl.LOCK_EX)\nprint('held',flush=True)\nsys.stdin.read()", self.path],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.process.stdout.readline()

    def __exit__(self, *_):
        self.process.communicate()


@test
def nothing_to_show():
    with Files() as (folder, ledger):
        missing = os.path.join(folder, "missing.db")
        for words in (["show"], ["why", "a/b"]):
            result = assay("schedule", *words, "--ledger", missing, status=2)
            assert b"missing.db" in result.stderr and result.stderr.count(b"\n") == 1, result.stderr
        path = ledger.done()
        svg, page, words = pictures(folder, path)
        assert "Nothing was submitted yet" in words and "assay schedule submit" in words, words
        assert svg.find(SVG + "title").text and "Nothing was submitted" in svg.find(SVG + "desc").text
        assert "Nothing was submitted" in page.text
        assert json.loads(show(path, "--json", status=0).stdout)["tasks"] == []
        assert len(show(path, "--csv", status=0).stdout.splitlines()) == 1
        assert b"has no workflow nix" in show(path, "nix", status=2).stderr
        assert b"there is no engine lsf" in show(path, "--engine", "lsf", status=2).stderr
        assert b"schedule why takes one task" in assay("schedule", "why", "--ledger", path, status=2).stderr


@test
def one_task_that_is_done():
    with Files() as (folder, ledger):
        (host,) = hosts(ledger, 1, 1)
        task = ledger.task(workflow(ledger), "only", "done", seconds=90, lower=45, upper=180)
        end = time.time() - 50
        ledger.attempt(task, host, end - 100, end, expected=90, exit_status=0)
        path = ledger.done()
        svg, page, words = pictures(folder, path)
        assert words.startswith("All done: 1 task in 1 min 40 s, until "), words
        assert "only" in words and "idle" not in words, words
        (row,) = csv.DictReader(io.StringIO(show(path, "--csv", status=0).stdout.decode()))
        assert row["state"] == "done" and abs(float(row["measured"]) - 100) < 1e-3 and row["predicted"] == "90", row
        assert abs(float(row["error"]) + 0.1) < 1e-6 and float(row["lower"]) == 45 and float(row["upper"]) == 180, row
        table = next(table for table in page.all("table") if "sortable" in table.attributes["class"])
        assert [cell.text for cell in table.first("tbody").all("td")][5:9] == ["90.0", "45.0 to 180", "100", "-10 %"]


@test
def a_thousand_tasks():
    with Files() as (folder, ledger):
        machines, now = hosts(ledger, 20, 8), time.time()
        flow = workflow(ledger)
        for i in range(1000):
            begins = now - 3000 + 7 * i
            state = "done" if begins + 600 < now else "running" if begins < now else "waiting"
            task = ledger.task(flow, f"t{i}", state, seconds=600)
            if state == "waiting":
                ledger.plan(task, machines[i % 20], begins, begins + 600, i // 20 % 8)
            else:
                ledger.attempt(task, machines[i % 20], begins, begins + 600 if state == "done" else None, state, i // 20 % 8, expected=600)
        path = ledger.done()
        svg, page, words = pictures(folder, path)
        bars = [g for g in svg.iter(SVG + "g") if g.get("class", "").startswith("bar c0") and g.find(SVG + "title") is not None]
        assert len(bars) == 1000, len(bars)
        assert {"ran", "runs", "planned"} <= {g.get("class").split()[2] for g in bars}
        assert len(list(csv.reader(io.StringIO(show(path, "--csv").stdout.decode())))) == 1001
        assert "node20" in words and "all hosts" in words and "No scheduler runs" in words, words
        assert max(map(len, words.splitlines())) <= 100
        assert all(ord(letter) < 128 for letter in show(path, env={**os.environ, "LC_ALL": "C"}).stdout.decode())


@test
def bars_are_where_and_when_tasks_ran():
    with Files() as (folder, ledger):
        one, other = hosts(ledger, 2, 4)
        flow = workflow(ledger)
        first, second = ledger.task(flow, "first", "done"), ledger.task(flow, "second", "done")
        end = time.time() - 100
        ledger.attempt(first, one, end - 1000, end - 500, first=1, processors=2)
        ledger.attempt(second, other, end - 500, end)
        svg, _, words = pictures(folder, ledger.done())
        places = {}
        for g in svg.iter(SVG + "g"):
            if g.find(SVG + "title") is not None:
                rect = g.find(SVG + "rect")
                places[g.find(SVG + "title").text.split(",")[0]] = [float(rect.get(key)) for key in ("x", "y", "width", "height")]
        (x, y, width, height), (x2, y2, width2, height2) = places["flow/first"], places["flow/second"]
        assert abs(width - width2) < 0.3 and abs(x2 - x - width - 1) < 0.3, places
        assert y2 > y + height and abs(height + 1 - 2 * (height2 + 1)) < 0.3, places
        lines = [line for line in words.splitlines() if "first" in line or "second" in line]
        assert abs(lines[1].index("second") - 6 - (len(lines[0]) - 6) / 2) <= 3, lines


@test
def hostile_names_stay_text():
    with Files() as (folder, ledger):
        host = ledger.add("hosts", engine="local", name=EVIL, processors=1, state="drained", why=EVIL, seen=time.time())
        flow = workflow(ledger, EVIL, deadline=time.time() - 5)
        task = ledger.task(flow, EVIL, "failed", deadline=time.time() - 10, estimate_from=EVIL)
        tag = ledger.attempt(task, host, time.time() - 100, time.time() - 50, "failed", exit_status=7, problem=EVIL)
        ledger.plan(ledger.task(flow, EVIL + "2"), host, time.time() + 5, time.time() + 50)
        ledger.add("decisions", time=time.time(), kind=EVIL, task=task, reason=EVIL)
        path = ledger.done()
        os.makedirs(f"{path}.spool/{tag}")
        with open(f"{path}.spool/{tag}/output", "w") as file:
            file.write(EVIL + "\n")
        svg, page, words = pictures(folder, path)
        assert "<script>" in page.text and "\x1b" not in page.text  # as text
        assert not list(svg.iter(SVG + "script"))
        assert "\x1b" not in words and "\x01" not in words and "\u202e" not in words, words
        why = assay("schedule", "why", f"{EVIL}/{EVIL}", "--ledger", path)
        assert b"\x1b" not in why.stdout and b"alert(1)" in why.stdout
        found = json.loads(show(path, "--json").stdout)
        assert found["tasks"][0]["task"] == EVIL and found["tasks"][0]["decisions"][0]["reason"] == EVIL


@test
def nonsense_in_rows():
    with Files() as (folder, ledger):
        flow = workflow(ledger, submitted=-1e300, deadline=1e300)
        host = ledger.add("hosts", engine="local", name="h", processors=-5, state="?", seen=0)
        task = ledger.task(flow, "t", "what", least=-1, most=10**15, seconds=-1, lower=1e308, upper=-1e308, probe_of=999)
        ledger.attempt(task, host, 1e300, -1e300, "?", first=10**12, processors=-7)
        ledger.attempt(task, host, -1e300, 1e300, "done", first=-1, processors=10**9)
        ledger.attempt(999, 999, 5, 6)
        ledger.plan(task, host, 5, -5)
        ledger.plan(12345, host, float("inf"), 1e9)
        ledger.task(777, "no workflow")
        path = ledger.done()
        pictures(folder, path)
        json.loads(show(path, "--json", "--all").stdout)


@test
def idle_hosts_have_a_reason():
    with Files() as (folder, ledger):
        up, waits, busy = hosts(ledger, 3, 1)
        ledger.add("hosts", engine="local", name="broken", processors=1, state="down", why="does not answer", seen=time.time())
        flow, now = workflow(ledger), time.time()
        running = ledger.task(flow, "long", "running", seconds=1000)
        ledger.attempt(running, busy, now - 100, None, "running", expected=1000)
        task = ledger.task(flow, "next")
        ledger.add("needs", task=task, needed=running)
        ledger.plan(task, waits, now + 900, now + 1000, packed=now)
        path = ledger.done()
        words = show(path).stdout.decode()
        assert "node1, node2: no scheduler runs" in words and "broken: down: does not answer." in words, words
        with Attended(path):
            words = re.sub(r"\s+", " ", show(path).stdout.decode())
        assert "No scheduler" not in words, words
        assert "node2: its next task, flow/next, waits for flow/long (runs until about" in words, words
        assert "node1: the plan has no task for it" in words, words
        assert "All will be done at about" in words and "1 runs, 1 waits" in words, words


@test
def tasks_that_fit_nowhere():
    with Files() as (folder, ledger):
        hosts(ledger, 1)
        task = ledger.task(workflow(ledger), "huge")
        ledger.add("decisions", time=time.time(), kind="block", task=task, reason="it fits no host: it needs 1000 processors")
        path = ledger.done()
        _, page, words = pictures(folder, path)
        assert words.startswith("Nothing is left that could run.\n") and "1 of the tasks that wait cannot be started." in words, words
        assert "- flow/huge: it fits no host: it needs 1000 processors.\n" in words and "flow/huge: it fits no host" in page.text, words
        assert "no task is left that fits it" in words
        show(path, status=1)


@test
def deadlines_are_missed_or_in_danger():
    with Files() as (folder, ledger):
        (host,) = hosts(ledger, 1, 4)
        flow, now = workflow(ledger), time.time()
        late = ledger.task(flow, "was-late", "done", deadline=now - 500)
        ledger.attempt(late, host, now - 900, now - 400, expected=400)
        for name, deadline, upper in (("will-be", now + 100, None), ("may-be", now + 500, 1000), ("is-well", now + 2000, 1000),
                                      ("is-over", now - 60, None)):
            task = ledger.task(flow, name, deadline=deadline, seconds=200, lower=100, upper=upper)
            ledger.plan(task, host, now, now + 200)
        result = show(ledger.done(), status=1)
        words = re.sub(r"\s+", " ", result.stdout.decode())
        for says in ("flow/was-late ended 1 min 40 s late", "flow/will-be will be late by 1 min 40 s", "flow/may-be may be late",
                     "flow/is-over is not done and was due 1 min ago", "2 deadlines were missed. 2 deadlines are in danger."):
            assert says in words, (says, words)
        assert "flow/is-well" not in words, words


@test
def failed_tasks_show_the_end_of_their_output():
    with Files() as (folder, ledger):
        (host,) = hosts(ledger, 1)
        flow = workflow(ledger)
        task = ledger.task(flow, "breaks", "failed")
        ledger.task(flow, "behind", "blocked")
        ledger.attempt(task, host, time.time() - 50, time.time() - 45, "failed", exit_status=1)
        tag = ledger.attempt(task, host, time.time() - 40, time.time() - 30, "failed", exit_status=139)
        path = ledger.done()
        os.makedirs(f"{path}.spool/{tag}")
        with open(f"{path}.spool/{tag}/output", "w") as file:
            file.write("".join(f"line {i}\n" for i in range(1000)) + "the last words\n\n")
        words = show(path, status=1).stdout.decode()
        assert "1 task failed, and 1 cannot run because of that." in re.sub(r"\s+", " ", words), words
        assert "flow/breaks failed, ended by signal 11" in words and "after 2 attempts" in re.sub(r"\s+", " ", words), words
        assert "line 996\n" in words and "the last words\n" in words and "line 995" not in words, words
        assert f"all of it: {os.path.realpath(path)}.spool/{tag}/output" in words or f"{path}.spool/{tag}/output" in words, words


@test
def workflows_are_chosen():
    with Files() as (folder, ledger):
        (host,) = hosts(ledger, 1, 2)
        now = time.time()
        for name, state in (("old", "done"), ("new", "done"), ("open", "waiting")):
            task = ledger.task(workflow(ledger, name), "t-" + name, state)
            if state == "done":
                ledger.attempt(task, host, now - (5000 if name == "old" else 2000), now - (4000 if name == "old" else 1000))
        path = ledger.done()

        def names(*words):
            return [row["workflow"] for row in csv.DictReader(io.StringIO(show(path, "--csv", *words).stdout.decode()))]
        assert names() == ["open"] and names("old", "new") == ["old", "new"] and names("--all") == ["old", "new", "open"]
        assert "2 more workflows" in show(path).stdout.decode()
        assay("sql", path, "select 1")
        import sqlite3
        connection = sqlite3.connect(path)
        connection.execute("update tasks set state = 'cancelled' where state = 'waiting'")
        connection.commit()
        connection.close()
        assert names() == ["new"]


@test
def what_others_took_is_told_apart():
    """Half of a host was expected to be left for an estimate of 4 s: 8 s; it took 4 s, so the estimate was right and the load was not."""
    with Files() as (folder, ledger):
        (host,) = hosts(ledger, 1, 2)
        flow, now = workflow(ledger), time.time()
        known, old = ledger.task(flow, "known", "done", estimate_from="measured"), ledger.task(flow, "old", "done", estimate_from="measured")
        for task in (known, old):
            ledger.attempt(task, host, now - 20, now - 16, expected=8)
        ledger.add("attempt_estimates", attempt=1, seconds=4, share=0.5, estimate_from="declared")
        path = ledger.done()
        shown = {row["task"]: row for row in csv.DictReader(io.StringIO(show(path, "--csv", "--all").stdout.decode()))}
        row = shown["known"]
        assert (row["estimate"], row["share"], row["estimate_from"]) == ("4", "0.5", "declared"), row
        assert abs(float(row["error"]) - 1) < 0.01 and abs(float(row["estimate_error"])) < 0.01, row
        assert (shown["old"]["estimate"], shown["old"]["estimate_from"]) == ("", "measured"), shown  # as ledgers of before have it
        pictures(folder, path)
        assert "declared, at 0.50 of the speed" in open(os.path.join(folder, "p.html"), encoding="utf-8").read()
        import sqlite3  # a ledger of before this table was there
        with sqlite3.connect(path) as connection:
            connection.execute("drop table attempt_estimates")
        connection.close()
        shown = [row for row in csv.DictReader(io.StringIO(show(path, "--csv", "--all").stdout.decode()))]
        assert [(row["estimate"], row["estimate_from"], row["predicted"]) for row in shown] == [("", "measured", "8")] * 2, shown


@test
def simulated_time_has_its_own_clock():
    with Files() as (folder, ledger):
        (host,) = hosts(ledger, 1, 1, engine="simgrid")
        flow = workflow(ledger, submitted=0)
        ledger.attempt(ledger.task(flow, "a", "done"), host, 0, 3600, engine="simgrid")
        ledger.plan(ledger.task(flow, "b"), host, 3600, 7200, packed=3600)
        words = show(ledger.done()).stdout.decode()
        assert words.startswith("All will be done in about 1 h, 2 h after the beginning."), words
        assert re.search(r"╵30 min\b.*╵1 h\b", words), words


@test
def why_a_task_waited():
    with Files() as (folder, ledger):
        hosts(ledger, 1)
        flow, now = workflow(ledger), time.time()
        task, needed = ledger.task(flow, "waits"), ledger.task(flow, "goes-first", "running")
        ledger.task(workflow(ledger, "other"), "waits")
        ledger.add("needs", task=task, needed=needed)
        ledger.add("decisions", time=now - 500, kind="pack", task=task, reason="planned behind goes-first")
        ledger.add("decisions", time=now - 900, kind="submit", task=task, reason="submitted")
        ledger.add("decisions", time=now, kind="start", task=needed, reason="something else")
        path = ledger.done()
        words = text("schedule", "why", "flow/waits", "--ledger", path)
        assert words.startswith("flow/waits is waiting. It has waited for"), words
        assert "It waits for flow/goes-first (running)." in words and "something else" not in words, words
        assert words.index("submit: submitted") < words.index("6 min 40 s later") < words.index("pack: planned behind"), words
        found = json.loads(text("schedule", "why", "flow/waits", "--json", "--ledger", path))
        assert [row["kind"] for row in found] == ["submit", "pack"], found
        assert b"has 2 tasks of the name waits" in assay("schedule", "why", "waits", "--ledger", path, status=2).stderr
        assert b"has no task flow/nix" in assay("schedule", "why", "flow/nix", "--ledger", path, status=2).stderr
        assert text("schedule", "why", "goes-first", "--ledger", path).startswith("flow/goes-first is running.")


def on_terminal(words, columns, lines=40, until=None):
    """What a command writes to a terminal of this size; `until` these bytes were seen, then Ctrl-C."""
    child, terminal = pty.fork()
    if child == 0:
        os.execve(ASSAY, [ASSAY, *words], dict(os.environ, TERM="xterm", LC_ALL="C.UTF-8"))
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
    seen, end, is_told = b"", time.monotonic() + PATIENCE, False
    try:
        while time.monotonic() < end and (piece := os.read(terminal, 65536)):
            seen += piece
            if until and until in seen and not is_told:
                os.write(terminal, b"\x03")
                is_told = True
    except OSError:
        pass
    os.close(terminal)
    return seen.decode(), os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@test
def follow_draws_until_it_is_ended():
    with Files() as (folder, ledger):
        (host,) = hosts(ledger, 1)
        ledger.plan(ledger.task(workflow(ledger), "to-come"), host, time.time() + 50, time.time() + 100)
        path = ledger.done()
        with Attended(path):
            seen, status = on_terminal(["schedule", "show", "--follow", "--ledger", path], 90, until=b"to-come")
        assert status == 0 and seen.count("\x1b[?1049h") == seen.count("\x1b[?1049l") == 1, (status, seen[-300:])
        assert "to-come" in seen.split("\x1b[?1049l")[1], "the last state stays"
        assert "\x1b" not in show(path, "--follow", status=0).stdout.decode()


@test
def a_browser_shows_the_page():
    with Files() as (folder, ledger):
        machines, now = hosts(ledger, 6, 4), time.time()
        flow = workflow(ledger, "a-workflow-with-a-long-name-that-does-not-fit-a-phone", deadline=now + 50)
        for i in range(80):
            task = ledger.task(flow, f"task-with-a-long-name-of-its-own-{i}", "done" if i else "failed", seconds=5)
            ledger.attempt(task, machines[i % 6], now - 500 + i, now - 300 + i, "done" if i else "failed", expected=5, problem="x" * 300)
            ledger.add("decisions", time=now, kind="pack", task=task, reason="y" * 500)
        path = ledger.done()
        page = os.path.join(folder, "p.html")
        show(path, "--html", page)
        with Browser(folder) as browser:
            browser.ask("/goog/cdp/execute", {"cmd": "Emulation.setDeviceMetricsOverride",
                                              "params": {"width": 360, "height": 800, "deviceScaleFactor": 1, "mobile": False}})
            browser.ask("/url", {"url": "file://" + page})
            assert browser.run("return document.querySelectorAll('svg.gantt .bar title').length") == 80
            assert not browser.run("return document.documentElement.scrollWidth > innerWidth")
            assert not browser.complaints(), browser.complaints()


run()
