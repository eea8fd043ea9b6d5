"""assay predict on small programs: which probes run and which are known already, what the ledger keeps, what is told when
something fails, and how it stops."""
import sqlite3
from harness import *

# Work that depends on the data: a loop of as many iterations as the sums of two files differ. Each run writes a line to $RUNS.
PROGRAM = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static long sum(const char *path, long *lines)
{
    FILE *file = fopen(path, "r");
    long total = 0, number;
    *lines = 0;
    if (!file)
        exit(3);
    for (; fscanf(file, "%ld", &number) == 1; ++*lines)
        total += number;
    fclose(file);
    return total;
}
int main(int count, char **words)
{
    long lines, others, left = sum(words[1], &lines), right = sum(words[2], &others);
    FILE *runs = fopen(getenv("RUNS"), "a");
    volatile long steps = 0;
    fprintf(runs, "%ld %s %s\n", lines, count > 4 ? words[4] : "1", words[3]);
    fclose(runs);
    if (getenv("FAILS_AT") && atol(getenv("FAILS_AT")) == lines) {
        fprintf(stderr, "cannot work\non %ld lines\n", lines);
        return 4;
    }
    if (getenv("HANGS_AT") && atol(getenv("HANGS_AT")) == lines) {
        fclose(fopen(getenv("STARTED"), "w"));
        pause();
    }
    for (long i = labs(left - right) * 1000 + right; i > 0; i--)
        steps++;
    FILE *out = fopen(words[3], "w");
    fprintf(out, "%ld\n", steps);
    return fclose(out) ? 5 : VERSION;
}
"""
DESCRIPTION = """\
# several settings on a line
name = work    command = {here}/program {a} {b} {out}      inputs = a, b
shrink = awk 'NR % {k} == 0' {in} > {out}       probes = 4, 6, 5      identity = a := b
features = lines(a), total = awk '{{ s += $1 }} END {{ print s, 2 }}' {a}    hosts = any
"""


class Work:
    def __enter__(self):
        self.folder = tempfile.mkdtemp(prefix="assay-test-")
        self.private = self.path("private folder")
        os.mkdir(self.private)
        self.env = dict(os.environ, RUNS=self.path("runs"), TMPDIR=self.private, STARTED=self.path("started"))
        for name, size in (("a", 60), ("b", 60), ("c", 120)):
            self.write(name, "".join(f"{(i * 7 + size) % 50}\n" for i in range(size)))
        self.write("d.txt", DESCRIPTION)
        self.build(0)
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.folder, ignore_errors=True)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, content):
        with open(self.path(name), "w") as file:
            file.write(content)
        return self.path(name)

    def build(self, version):
        source = self.write("program.c", PROGRAM.replace("VERSION", str(version)))
        command(["cc", "-O1", "-Wl,--build-id", "-o", self.path("program"), source])

    def predict(self, *words, status=0, file="d.txt", **env):
        return assay("predict", "--ledger", self.path("ledger.db"), self.path(file), *words, status=status,
                     env=dict(self.env, **env))

    def predict_history(self):
        return assay("predict", "--history", "--ledger", self.path("ledger.db"), "--json").stdout

    def events(self, *words, **options):
        return [json.loads(line) for line in self.predict("--json", *words, **options).stdout.splitlines()]

    def inputs(self, a="a", b="b"):
        return ["--", f"a={self.path(a)}", f"b={self.path(b)}"]

    def runs(self):
        """Lines and last words of the runs since the last call; a quick probe is run again, which counts as one."""
        if not os.path.exists(self.path("runs")):
            return []
        with open(self.path("runs")) as file:
            found = [line.split(maxsplit=2) for line in file]
        found = [tuple(line[:2]) for i, line in enumerate(found) if not i or line != found[i - 1]]
        os.remove(self.path("runs"))
        return found

    def ask(self, sql):
        with sqlite3.connect(self.path("ledger.db")) as connection:
            return connection.execute(sql).fetchall()

    def start(self, *words):
        process = subprocess.Popen([ASSAY, "predict", "--ledger", self.path("ledger.db"), self.path("d.txt"), *words], env=self.env,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
        end = time.monotonic() + PATIENCE
        while not os.path.exists(self.path("started")) and process.poll() is None and time.monotonic() < end:
            time.sleep(0.02)
        assert process.poll() is None, process.stderr.read()
        return process


def wait_until(is_so):
    end = time.monotonic() + PATIENCE
    while not is_so() and time.monotonic() < end:
        time.sleep(0.02)
    assert is_so()


def processes_of(path):
    found = []
    for number in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.readlink(f"/proc/{number}/exe") == path:
                found.append(int(number))
        except OSError:
            pass
    return found


@test
def each_probe_makes_an_estimate():
    with Work() as work:
        events = work.events(*work.inputs())
        probes = [event for event in events if event["event"] == "probe"]
        assert [(event["factor"], event["is_identity"]) for event in probes] == [
            (6, True), (6, False), (5, True), (5, False), (4, True), (4, False)], probes
        assert all(event["problem"] is None and event["probe_seconds"] > 0 for event in probes), probes
        assert [event["probes"] for event in probes] == [1, 2, 3, 4, 5, 6], probes
        answer = events[-1]
        assert answer["event"] == "answer" and answer["seconds"] > 0 and answer["lower"] <= answer["seconds"], answer
        assert work.runs() == [("10", "1")] * 2 + [("12", "1")] * 2 + [("15", "1")] * 2
        assert work.ask("select count(*), sum(is_identity), min(seconds) > 0, min(cpu_seconds) >= 0 from probe_tasks") == [(6, 3, 1, 1)]
        assert work.ask("select is_final, count(*) from predictions group by 1") == [(0, 7), (1, 1)]
        assert work.ask("select seconds from predictions order by id limit 1") == [(None,)], "nothing was known before"
        shrunk = dict(work.ask("select name, value from features where name like 'shrunk-%'"))
        assert sorted(shrunk) == ["shrunk-4", "shrunk-5", "shrunk-6"] and 3.5 < shrunk["shrunk-4"] < 4.5, shrunk
        assert work.ask("select name, value from features where name not like 'shrunk-%' order by name") == [("lines(a)", 60), ("total", 2 * sum((i * 7 + 60) % 50 for i in range(60)))]
        assert os.listdir(work.private) == []
        told = work.predict(*work.inputs()).stdout.decode()
        assert re.search(r"^work will take about .*nine times in ten", told, re.M) and "6 probes were known" in " ".join(told.split()), told


@test
def contents_are_probed_once():
    with Work() as work:
        work.predict(*work.inputs())
        assert len(work.runs()) == 6
        work.predict(*work.inputs())
        shutil.copy(work.path("a"), work.path("renamed"))
        work.predict(*work.inputs("renamed"))
        assert work.runs() == []
        work.predict(*work.inputs("c"))
        assert work.runs() == [("20", "1"), ("24", "1"), ("30", "1")], "the reference alone was known"
        work.write("renamed", "1\n" * 24)
        work.predict(*work.inputs("renamed"))
        assert len(work.runs()) == 3
        work.write("more.txt", DESCRIPTION.replace("lines(a)", "lines(a), bytes(b)"))
        work.predict(*work.inputs("c"), file="more.txt")
        assert work.runs() == [], "features do not decide about times"
        work.predict("--host", "elsewhere", *work.inputs())
        assert len(work.runs()) == 6
        work.build(0)
        work.predict(*work.inputs())
        assert work.runs() == [], "the same build"
        with open(work.path("program.c"), "a") as file:
            file.write("int another = 1;\n")
        command(["cc", "-O1", "-Wl,--build-id", "-o", work.path("program"), work.path("program.c")])
        work.predict(*work.inputs())
        assert len(work.runs()) == 6 and work.ask("select count(distinct build_id), count(*) from predictors") == [(2, 2)]


@test
def a_library_is_part_of_the_program():
    with Work() as work:
        def library(text):
            command(["cc", "-shared", "-fPIC", "-Wl,--build-id", "-o", work.path("libown.so"), work.write("own.c", text)])

        library("int own(void) { return 0; }")
        command(["cc", "-O1", "-Wl,--build-id", "-Wl,--no-as-needed", "-Wl,-rpath,$ORIGIN", "-o", work.path("program"),
                 work.path("program.c"), work.path("libown.so")])
        counts = []
        for text in ("int own(void) { return 0; }", "int own(void) { return 1; }", "int own(void) { return 0; }"):
            library(text)
            work.predict(*work.inputs())
            counts.append(len(work.runs()))
        assert counts == [6, 6, 0], counts


@test
def failing_probes_do_not_stop_the_others():
    with Work() as work:
        events = work.events(*work.inputs(), FAILS_AT="12")
        problems = [event["problem"] for event in events if event["event"] == "probe"]
        assert problems == [None, None] + ["the program failed with status 4: on 12 lines"] * 2 + [None, None], problems
        assert events[-1]["failed"] == 2 and events[-1]["seconds"] > 0, events[-1]
        assert work.ask("select count(*) from probe_tasks where seconds is null and problem like '%on 12 lines'") == [(2,)]
        work.runs()
        work.predict(*work.inputs())
        assert len(work.runs()) == 2, "what failed is tried again"
        work.write("broken.txt", DESCRIPTION.replace("awk 'NR % {k} == 0' {in} > {out}", "echo no {k} of {in} > {out}; sh -c 'echo bad >&2; exit 7'"))
        events = work.events(*work.inputs(), file="broken.txt", status=1)
        assert all(event["problem"] == "shrinking failed with status 1: bad" for event in events if event["event"] == "probe"), events
        assert events[-1]["seconds"] is None and not work.runs()


@test
def the_kind_of_model_can_be_chosen():
    with Work() as work:
        for i in range(1, 6):
            work.write(f"data{i}", "x\n" * 10 * i)
        used = {}
        for kind in ("", "model = mean\n", "model = features\n", "model = bands\n"):
            work.write("kind.txt", "name = kind\ncommand = cat {a}\ninputs = a\nfeatures = lines(a)\n" + kind)

            def ask(*words):
                return assay("predict", work.path("kind.txt"), "--budget", "0", "--json", "--ledger", work.path("kind.db"), *words).stdout.decode()
            for i in range(1, 5) if not kind else ():
                ask("--took", str(i), "--", f"a={work.path(f'data{i}')}")
            answer = json.loads(ask("--", f"a={work.path('data5')}").splitlines()[-1])
            used[kind] = (answer["model"], round(answer["seconds"], 1))
        assert used[""] == used["model = features\n"] and used[""][0] == "features" and used["model = mean\n"][0] == "mean", used
        assert used["model = bands\n"] == used[""], "bands need probes: where a kind cannot be fitted, the best one is used"
        work.write("kind.txt", "name = kind\ncommand = cat {a}\ninputs = a\nmodel = magic\n")
        assert "kind.txt:4:9" in assay("predict", work.path("kind.txt"), "--", f"a={work.path('data1')}", status=2).stderr.decode()


@test
def a_budget_ends_in_time():
    with Work() as work:
        events = work.events("--budget", "0", *work.inputs(), status=1)
        assert [event["event"] for event in events] == ["answer"] and "budget" in events[0]["stopped"], events
        assert not work.runs()
        work.events("--budget", "0", "--took", "3", *work.inputs("c"))
        answer = work.events("--budget", "0", *work.inputs())[-1]
        assert answer["model"] == "mean" and abs(answer["seconds"] - 3) < 0.01, answer
        answer = work.events("--budget", "3s", *work.inputs(), HANGS_AT="12")[-1]
        assert "budget" in answer["stopped"] and answer["probes"] == 2 and answer["seconds"] > 0, answer
        assert not processes_of(work.path("program")) and os.listdir(work.private) == []
        assert work.ask("select count(*) from probe_tasks") == [(2,)], "a probe that was stopped says nothing"
        work.write("slow.txt", "name = slow\ncommand = cat {a}\ninputs = a\nfeatures = n = sleep 1000; echo {a}\n")
        message = assay("predict", work.path("slow.txt"), "--budget", "1s", "--ledger", work.path("slow.db"), "--", f"a={work.path('slow.txt')}",
                        status=2).stderr.decode()
        assert "took longer than 1 s" in message, message


@test
def runs_are_recorded():
    with Work() as work:
        refused = work.predict("--run", *work.inputs(), status=2).stderr.decode()
        assert "say where it goes by out=FILE" in refused and not work.runs(), refused
        out = work.path("out file")
        events = work.events("--run", *work.inputs(), f"out={out}")
        assert events[-1]["measured"] > 0 and events[-1]["predicted"] > 0, events
        assert os.path.exists(out) and work.runs()[-1] == ("60", "1")
        assert work.ask("select source, processors, seconds > 0 and cpu_seconds >= 0, label from runs") == [
            ("predict", 1, 1, f"a={work.path('a')} b={work.path('b')}")]
        failed = work.predict("--run", *work.inputs("c"), f"out={out}", status=2, FAILS_AT="120").stderr.decode()
        assert "failed with status 4; its time is not recorded" in failed, failed
        told = work.predict("--took", "1:00:00", *work.inputs("c")).stdout.decode()
        assert told.startswith("It took 3.6e+03 s") or "3600" in told or "1 h" in told, told
        assert work.ask("select source, seconds, cpu_seconds from runs order by id desc limit 1") == [("told", 3600.0, None)]
        listed = assay("predict", "--history", "work", "--ledger", work.path("ledger.db")).stdout.decode()
        assert "predictions with a measured run" in listed, listed
        answer = work.events(*work.inputs("c"))[-1]
        assert answer["runs"] >= 1, answer


@test
def ctrl_c_keeps_what_is_done():
    for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 130)):
        with Work() as work:
            work.env["HANGS_AT"] = "12"
            process = work.start("--json", *work.inputs())
            process.send_signal(number)
            out, errors = process.communicate(timeout=PATIENCE)
            events = [json.loads(line) for line in out.splitlines()]
            assert process.returncode == code and events[-1]["stopped"] == "interrupted", (process.returncode, out, errors)
            assert events[-1]["probes"] == 2 and events[-1]["seconds"] > 0, events[-1]
            wait_until(lambda: not processes_of(work.path("program")))
            assert os.listdir(work.private) == [] and work.ask("select count(*) from probe_tasks") == [(2,)]
            del work.env["HANGS_AT"]
            work.runs()
            work.predict(*work.inputs())
            assert len(work.runs()) == 4, "it goes on from there"


@test
def a_kill_leaves_nothing_running():
    with Work() as work:
        work.env["HANGS_AT"] = "12"
        process = work.start(*work.inputs())
        process.kill()
        process.communicate(timeout=PATIENCE)
        wait_until(lambda: not processes_of(work.path("program")) and os.listdir(work.private) == [])
        assert work.ask("select count(*) from probe_tasks") == [(2,)]


@test
def processors_and_scaling():
    with Work() as work:
        work.write("many.txt", DESCRIPTION.replace("{b} {out}", "{b} {out} {processors}") + "processors = 1..8\n")
        work.predict("--scaling", "1,2,4", *work.inputs(), file="many.txt")
        assert work.runs()[-2:] == [("15", "2"), ("15", "4")]
        assert work.ask("select processors, count(*) from probe_tasks group by 1") == [(1, 6), (2, 1), (4, 1)]
        answer = work.events("--processors", "4", *work.inputs(), file="many.txt")[-1]
        assert answer["processors"] == 4 and not work.runs(), answer
        refused = work.predict("--processors", "9", *work.inputs(), file="many.txt", status=2).stderr.decode()
        assert "the description allows 1..8" in refused, refused
        work.write("declared.txt", DESCRIPTION.replace("{b} {out}", "{b} {out} {processors}") + "processors = 1..8\nscaling = 1: 1, 4: 2\n")
        one = work.events("--host", "x", *work.inputs(), file="declared.txt")[-1]
        four = work.events("--host", "x", "--processors", "4", *work.inputs(), file="declared.txt")[-1]
        assert abs(four["seconds"] / one["seconds"] - 0.5) < 1e-6, (one, four)


@test
def sizes_of_probes_follow_the_bytes():
    """Where the description says none: smaller ones if the bytes shrink with the factor, larger ones if with its cube."""
    usual = "name = sized\ncommand = wc {a}\ninputs = a\nshrink = awk 'NR % {STEP} == 0' {in} > {out}\n"
    with Work() as work:
        work.write("long", "a line of text\n" * 6000)

        def factors(step, file, extra="", host="here"):
            work.write("sized.txt", usual.replace("{STEP}", step) + extra)
            events = work.events("--host", host, "--", "a=" + work.path(file), file="sized.txt")
            return [event["factor"] for event in events if event["event"] == "probe"]

        # This program takes no time: larger sizes are cheap, too.
        assert factors("{k}", "long") == [72, 36, 18, 9, 5]
        assert work.ask("select count(*) from features where name = 'shrunk-4'") == [(1,)], "one smaller input was tried first"
        assert factors("{k}", "long") == [], "all are known"
        assert factors("{k}", "long", "probes = 3, 2\n") == [3, 2]
        assert factors("{k^2}", "long")[:3] == [9, 7, 5]
        assert factors("{k^3}", "long")[:3] == [6, 5, 4]
        # What is small already: 60 lines divided by 72 say nothing.
        assert factors("{k + 0}", "a")[:3] == [6, 5, 4]
        work.write("another", "a line of text\n" * 7000)
        assert factors("{k + 0}", "another")[:3] == [6, 5, 4], "sizes stay: runs are compared by them"
        # With a whole run known, there is no need to go on.
        work.predict("--host", "here", "--took", "20ms", "--", "a=" + work.path("long"), file="sized.txt")
        work.write("third", "a line of text\n" * 8000)
        assert factors("{k + 0}", "third") == [6, 5, 4]
        # A smaller input that cannot be made: the probes tell why.
        events = work.events("--", "a=" + work.path("long"), file=os.path.basename(work.write("broken.txt", usual.replace("{STEP}", "{k}").replace("awk", "exit 7; awk"))), status=1)
        assert all("shrinking failed" in event["problem"] for event in events if event["event"] == "probe"), events


@test
def a_square_is_seen():
    """Work that goes with the square of the lines: three probes and two more tell it from what most programs do."""
    with Work() as work:
        work.write("pairs.txt", "name = pairs\ninputs = a\nshrink = awk 'NR % {k} == 0' {in} > {out}\n"
                   "command = {here}/program {a} {a} {out} $(wc -l < {a})\n")
        source = work.write("pairs.c", "#include <stdlib.h>\nint main(int n, char **w) { volatile double s = 0; long lines = atol(w[4]);\n"
                            "for (long i = 0; i < lines * lines; i++) s += i; return 0; }\n")
        command(["cc", "-O1", "-o", work.path("program"), source])
        work.write("long", "a line\n" * 24000)
        events = work.events("--run", "--", "a=" + work.path("long"), "out=" + work.path("out"), file="pairs.txt")
        parameters = json.loads(work.ask("select parameters from prediction_models where kind = 'extrapolate' order by id desc limit 1")[0][0])
        assert 1.5 < parameters["exponent"] < 2.8, (parameters, events)
        answer = [event for event in events if event.get("event") == "answer"][0]
        assert answer["spent"] >= answer["shrinking"] > 0, answer
        history = json.loads(work.predict_history())
        assert history["count"] == 1 and history["probe_share"] > 0, history


@test
def knobs_without_shrink():
    with Work() as work:
        work.write("knob.txt", "name = knob\ninputs = a\nsuccess = 10, 0\nfeatures = n = wc -l < {a}\nprobes = 5, 2\n"
                   "command = sh -c 'echo {round(n/k)} x >> $RUNS; exit 10' {a}\n")
        work.predict("--", "a=" + work.path("a"), file="knob.txt")
        assert work.runs() == [("12", "x"), ("30", "x")]
        assert work.ask("select count(*) from probe_tasks where seconds > 0") == [(2,)]


@test
def mistakes_are_told():
    with Work() as work:
        def refused(expected, *words, file="d.txt"):
            said = work.predict(*words, file=file, status=2).stderr.decode()
            assert expected in said and said.count("\n") == 1, (expected, said)
        a, b = "a=" + work.path("a"), "b=" + work.path("b")
        refused("the input `b` is missing: add b=FILE", "--", a)
        refused("nothing", "--", a, "b=" + work.path("nothing"))
        refused("private folder", "--", a, "b=" + work.private)
        refused("has no input `bb`: did you mean `b`?", "--", a, b, "bb=x")
        refused("this name is given twice", "--", a, a, b)
        refused("expected NAME=FILE", "--", "x")
        refused("--budget takes a time", "--budget", "soon", "--", a, b)
        refused("--scaling takes numbers", "--scaling", "1,x", "--", a, b)
        refused("choose one of --run and --took", "--run", "--took", "3", "--", a, b)
        refused("nowhere.txt", "--", a, b, file="nowhere.txt")
        for text, expected in ((DESCRIPTION.replace("{b}", "{bee}"), "bad.txt:2:46: there is no {bee} here"),
                               (DESCRIPTION.replace("identity", "idendity"), "bad.txt:3:"),
                               (DESCRIPTION.replace("{here}/program", "no-such-program"), "bad.txt:2:26: the program that it runs is not found"),
                               (DESCRIPTION.replace("{here}/program", "./program"), "bad.txt:2:26: commands run in a private folder"),
                               (DESCRIPTION.replace("awk 'NR", "cat d.txt; awk 'NR"), "bad.txt:3:14: commands run in a private folder, where `d.txt` is not found"),
                               (DESCRIPTION.replace("hosts = any", "hosts = zx81"), "it does not run on this computer"),
                               (DESCRIPTION.replace("print s, 2", "print \"many\""), "has to print numbers"),
                               (DESCRIPTION.replace("total = awk", "total = awk -X"), "the command of this feature failed"),
                               ("name = x\0", "bad.txt:1:9: a byte 0")):
            work.write("bad.txt", text)
            refused(expected, "--", a, b, file="bad.txt")
        assert not work.runs()
        nothing = assay("predict", status=2).stderr.decode()
        assert "assay predict FILE -- NAME=FILE" in nothing, nothing
        work.write("not-a-ledger", "x" * 4096)
        said = assay("predict", "--ledger", work.path("not-a-ledger"), work.path("d.txt"), "--", a, b, status=2, env=work.env).stderr
        assert b"is not a ledger" in said, said


@test
def odd_names_are_files_all_the_same():
    with Work() as work:
        odd = work.path("it's $HOME; `x` \"y\".v1.txt")
        shutil.copy(work.path("c"), odd)
        work.predict("--", "a=" + odd, "b=" + work.path("b"))
        assert len(work.runs()) == 6 and work.ask("select count(*) from probe_tasks where problem is null") == [(6,)]


run()
