#!/usr/bin/env python3
# first build only: it mostly runs compilers; the parts that read hostile text have tests of their own
"""assay optimise: variants judged, measured and refused, whole programs, what the ledger keeps, Ctrl-C, and bad usage.

A file of few options makes the searches short; they end by themselves, whatever the machine does besides."""
import os, shutil, signal, sqlite3, subprocess, time
from harness import *

CHOICES = """[choice level]
form   = flag
values = -O3
says   = more

[choice fast]
form   = flag
values = -ffast-math
risks  = rounding, specials
says   = as real numbers
"""

# With -ffast-math the test for NaN goes, and with it the reason why the sum is a number.
SOURCE = """#include <stdio.h>
#include <stdlib.h>
__attribute__((noinline)) double sum(const double *a, int n)
{
    double s = 0;
    for (int i = 0; i < n; i++)
        s += a[i] * 3;
    return s;
}
__attribute__((noinline)) double valid(const double *a, int n)
{
    double s = 0;
    for (int i = 0; i < n; i++)
        if (a[i] == a[i])
            s += a[i];
    return s;
}
int main(int argc, char **argv)
{
    static double a[3000], b[3000];
    double total = 0;
    int times = argc > 1 ? atoi(argv[1]) : 20;
    for (int i = 0; i < 3000; i++)
        a[i] = i % 7, b[i] = i % 5 ? i : __builtin_nan("");
    for (int t = 0; t < times; t++)
        total += sum(a, 3000) + valid(b, 3000);
    printf("%.6e\\n", total);
}
"""
SUM, VALID = "solve.c:7", "solve.c:15"


class Work(Folder):
    """A folder with the source, its program and the choices."""

    def __enter__(self):
        self.path = super().__enter__()
        need("gcc")
        os.mkdir(self.at("options"))
        for name, text in (("solve.c", SOURCE), ("options/gcc", CHOICES)):
            with open(self.at(name), "w") as file:
                file.write(text)
        command(["gcc", "-O2", "-g", "-o", self.at("solve"), self.at("solve.c")])
        return self

    def at(self, name):
        return os.path.join(self.path, name)

    def words(self, line, *more):
        return ["optimise", "--line", self.at(line), "--ledger", self.at("ledger.db"), *more, "--", "gcc", "-O2", "-c", self.at("solve.c")]

    def run(self, line, *more, status=0):
        return assay(*self.words(line, *more), status=status, env={**os.environ, "ASSAY_OPTIONS": self.at("options")})

    def json(self, line, *more):
        return json.loads(self.run(line, "--json", *more).stdout)[0]


@test
def judged_by_the_model():
    with Work() as work:
        told = work.json(SUM)
        search, answer = told["searches"][0], told["suggestion"]
        assert told["answer"] is None and told["patch"] is None, told
        assert told["function"] == "sum" and told["line"] == 6, told
        assert search["tried"] == 4 and search["is_exhausted"] and search["earlier"] == 0, search
        assert "-ffast-math" in answer["flags"] and answer["cycles"] < search["original"]["cycles"], answer
        assert any("last digits" in risk for risk in told["risks"]) and answer["seconds"] is None, told
        kept = sqlite3.connect(work.at("ledger.db")).execute(
            "select count(*), count(code), count(seconds) from search_variants join searches s on s.id = search where s.function = 'sum'")
        assert kept.fetchone() == (4, 4, 0)
        again = work.json(SUM)
        assert again["searches"][0]["earlier"] == 4 and again["suggestion"]["code"] == answer["code"], again
        shown = work.run(SUM).stdout.decode()
        assert shown.startswith("solve.c:6, in sum: nothing was run; a suggestion to try: compile it with ") and "the model's" in shown, shown
        assert "times as fast" not in shown and "+++" not in shown, shown
        message = work.run(SUM, "--apply", work.at("patch"), status=2).stderr.decode()
        assert "suggestion to try" in message and "--capture" in message and not os.path.exists(work.at("patch")), message
        kept = work.json(SUM, "--forbid", "rounding")
        assert kept["suggestion"] is None or "-ffast-math" not in kept["suggestion"]["flags"], kept
        lines = work.run(SUM, "--csv").stdout.decode().splitlines()
        assert lines[0].startswith("file,line,function,compiler,is_winner,change") and len(lines) >= 3, lines


@test
def a_miscompilation_is_refused():
    need_real_kernel("ptrace")
    with Work() as work:
        told = work.json(VALID, "--capture", work.at("solve"), "--tolerance", "1e-9", "--budget", "8s")
        assert not told["not_measured"], told["not_measured"]
        search = told["searches"][0]
        wrong = [one for one in search["finalists"] if "-ffast-math" in (one["flags"] or "")]
        assert wrong and all(one["results"] in ("wrong", None) for one in wrong) and any(one["results"] for one in wrong), search
        assert search["original"]["results"] == "same", search
        assert told["answer"] is None or "-ffast-math" not in told["answer"]["flags"], told


@test
def measured_on_a_call():
    need_real_kernel("ptrace")
    with Work() as work:
        exact = work.json(SUM, "--capture", work.at("solve"), "--budget", "8s")
        assert not exact["not_measured"], exact["not_measured"]
        whole = ["--build-with", "gcc -O2 -o $ASSAY_PROGRAM " + work.at("solve.c"), "--measure-with", "$ASSAY_PROGRAM"]
        loose = work.json(SUM, "--capture", work.at("solve"), "--tolerance", "1e-9", "--budget", "8s", *whole)
        assert not loose["answer"] or loose["before"] > 0 and loose["after"] > 0, loose
        fast = [one for one in loose["searches"][0]["finalists"] if "-ffast-math" in (one["flags"] or "") and one["results"]]
        assert fast and all(one["results"] in ("same", "within tolerance") and one["seconds"] > 0 for one in fast), loose
        assert "call" in loose["measured"], loose
        rows = sqlite3.connect(work.at("ledger.db")).execute("select count(*) from search_variants where verdict is not null").fetchone()
        assert rows[0] >= 2, rows


@test
def whole_programs():
    need_real_kernel("time for that: the budget is 3 s")
    with Work() as work:
        build, source = "gcc -O2 $ASSAY_FLAGS -o $ASSAY_PROGRAM ", work.at("solve.c")
        told = work.json(SUM, "--build-with", build + source, "--measure-with", "$ASSAY_PROGRAM 5", "--tolerance", "1e-9", "--budget", "3s")
        finalists = told["searches"][0]["finalists"]
        # valid() is part of the program: with -ffast-math its result is not a number.
        assert any(one["results"] == "wrong" and "line 1 of the output" in one["where"] for one in finalists), finalists
        assert "whole runs" in told["measured"], told
        # A pragma is in the source: it is built from a changed copy, and the user's file stays.
        with open(work.at("options/gcc"), "w") as file:
            file.write("[choice unroll]\nform = pragma\nvalues = GCC unroll 4\nsays = unroll\n")
        before = open(source).read()
        told = work.json(SUM, "--build-with", build + source, "--measure-with", "$ASSAY_PROGRAM 5", "--budget", "3s")
        assert any(one["results"] == "same" and "unroll 4" in one["change"] for one in told["searches"][0]["finalists"]), told
        assert open(source).read() == before
        failed = work.json(SUM, "--build-with", "false", "--measure-with", "$ASSAY_PROGRAM")
        assert "--build-with failed" in failed["not_measured"], failed


@test
def ctrl_c_keeps_the_best():
    with Work() as work:
        os.remove(work.at("options/gcc"))  # the real ones: a search of minutes
        environment = {name: value for name, value in os.environ.items() if name != "ASSAY_OPTIONS"}
        process = subprocess.Popen([ASSAY] + work.words(SUM, "--budget", "1h"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)
        for _ in range(PATIENCE * 10):
            time.sleep(0.1)
            if os.path.exists(work.at("ledger.db")):
                try:
                    count = sqlite3.connect(work.at("ledger.db")).execute("select count(*) from search_variants").fetchone()[0]
                except sqlite3.Error:
                    continue
                if count >= 20:
                    break
            assert process.poll() is None, process.communicate()
        process.send_signal(signal.SIGINT)
        shown, said = process.communicate(timeout=PATIENCE)
        assert process.returncode == 130 and b"Interrupted: this is the best so far" in shown, (process.returncode, shown, said)


@test
def ctrl_c_ends_a_capture():
    need_real_kernel("ptrace")
    with Work() as work:
        with open(work.at("endless.c"), "w") as file:
            file.write('#include <stdio.h>\nint main(int c, char **v) { fclose(fopen(v[1], "w")); for (volatile int i = 0;; i++); }\n')
        command(["gcc", "-O2", "-c", "-Dmain=other", "-o", work.at("solve.o"), work.at("solve.c")])
        command(["gcc", "-o", work.at("endless"), work.at("endless.c"), work.at("solve.o")])
        capture = work.at("endless") + " " + work.at("started")
        process = subprocess.Popen([ASSAY] + work.words(SUM, "--budget", "1h", "--capture", capture), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   env={**os.environ, "ASSAY_OPTIONS": work.at("options"), "TMPDIR": work.path})
        for _ in range(PATIENCE * 10):
            if os.path.exists(work.at("started")):
                break
            assert process.poll() is None, process.communicate()
            time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        shown, said = process.communicate(timeout=PATIENCE)
        assert process.returncode == 130 and said.count(b"\n") == 1 and b"interrupted" in said, (process.returncode, shown, said)
        assert not [name for name in os.listdir(work.path) if name.startswith("assay-")], os.listdir(work.path)


@test
def several_compilers():
    need_real_kernel("ptrace")
    with Work() as work:
        told = work.json(SUM, "--compilers", "no-such-compiler,gcc")
        assert [one["compiler"] for one in told["searches"]][0] == "no-such-compiler" and "no such compiler" in told["searches"][0]["problem"], told
        assert told["suggestion"] and told["compiler"].endswith("gcc"), told
        shown = work.run(SUM, "--compilers", "no-such-compiler,gcc", "--forbid", "rounding,specials").stdout.decode()
        assert shown.startswith("solve.c:6, in sum: nothing was run, and by the model nothing") and "\nno-such-compiler is left out: " in shown, shown
        message = work.run(SUM, "--compilers", "no-such-compiler,neither-this", status=2).stderr.decode()
        assert "no-such-compiler" in message and message.count("\n") == 1, message
        if shutil.which("clang"):
            command(["gcc", "-O0", "-g", "-o", work.at("slow"), work.at("solve.c")])
            with open(work.at("options/clang"), "w") as file:
                file.write(CHOICES)
            both = work.json(SUM, "--compilers", "gcc,clang", "--capture", work.at("solve"), "--tolerance", "1e-9", "--budget", "60s")
            assert [one["tried"] for one in both["searches"]] == [4, 4], both
            # Another compiler with the same options is an answer, too: here nothing else may change.
            only = work.json(SUM, "--compilers", "clang", "--capture", work.at("slow") + " 3", "--forbid", "rounding,specials", "--budget", "8s")
            if not only["not_measured"]:
                finalists = only["searches"][0]["finalists"]
                assert any(one["change"] == "as it is" and one["results"] == "same" for one in finalists), only
                assert only["answer"] and only["compiler"].endswith("clang"), only


@test
def bad_usage_is_told():
    with Work() as work:
        for line, more, words in ((SUM, ["--forbid", "luck"], "luck"), ("solve.c", [], "--line takes"), ("solve.c:0", [], "--line takes"),
                                  ("solve.c:5000", [], "solve.c"), (SUM, ["--budget", "soon"], "--budget"),
                                  (SUM, ["--tolerance", "much"], "--tolerance"), (SUM, ["--measure-with", "x"], "--build-with"),
                                  (SUM, ["--capture", "'x"], "quote"), (SUM, ["--capture", " "], "--capture"),
                                  (SUM, ["--machine", "abacus"], "abacus")):
            message = work.run(line, *more, status=2).stderr.decode()
            assert words in message and message.count("\n") == 1, message
        assay("optimise", status=2)
        assay("optimise", "--line", work.at(SUM), status=2)
        assay("optimise", work.at("solve"), "--ledger", work.at("ledger.db"), status=2)


run()
