#!/usr/bin/env python3
# first build only: it mostly runs compilers and what they made
"""assay optimise --program: options of a whole program, tried by whole runs. What it prints decides; nothing of the user's is written to."""
import os
from harness import *

STEP = "double step(const double *a, int i) { return a[i] * 0.5 + a[i + 1] * 0.25; }\n"
MAIN = """#include <assert.h>
#include <stdio.h>
double step(const double *a, int i);
int main(int argc, char **argv)
{
    static double a[2001];
    double sum = 0;
    for (int i = 0; i <= 2000; i++)
        a[i] = i % 7;
    for (int round = 0; round < 8000; round++)
        for (int i = 0; i < 2000; i++)
            sum += step(a, i);
    printf("%.3e %s\\n", sum, argc > 1 ? argv[1] : "-");
#ifdef ASSERTED
    assert(sum > 0);
#ifdef NDEBUG
    puts("without assertions");
#endif
#endif
}
"""


class Work(Folder):
    def __init__(self, *options, main=MAIN):
        super().__init__()
        self.options, self.main = options, main

    def __enter__(self):
        self.path = super().__enter__()
        need("gcc")
        for name, text in (("step.c", STEP), ("main.c", self.main)):
            with open(self.at(name), "w") as file:
                file.write(text)
        command(["gcc", "-g", *self.options, "-o", self.at("solve"), self.at("main.c"), self.at("step.c")])
        return self

    def at(self, name):
        return os.path.join(self.path, name)

    def optimise(self, *words, status=0, run=None, budget="20s"):
        run = [self.at("solve"), "two words"] if run is None else run
        return assay("optimise", "--program", "--ledger", self.at("ledger.db"), "--budget", budget, "--json", *words, *(["--", *run] if run else []), status=status)


@test
def a_level_is_found_and_written():
    with Work("-O0") as work:
        before = {name: os.stat(work.at(name)).st_mtime_ns for name in os.listdir(work.path)}
        told = json.loads(work.optimise("--apply", work.at("lines")).stdout)
        assert told["change"] and "-O" in told["change"] and 0.1 < told["saving"] < 1 and told["rounds"] >= 3, told
        first = told["trials"][0]
        assert first["change"] == "-O3" and first["results"] == "same" and first["ratio"] < 1 and sum(trial["is_best"] for trial in told["trials"]) == 1, told
        with open(work.at("lines")) as file:
            lines = file.read()
        assert all("-c " + work.at(name) in lines for name in ("main.c", "step.c")) and told["change"].split()[0] in lines, lines
        made = set(os.listdir(work.path)) - set(before)
        assert made <= {"lines", "ledger.db", "ledger.db-wal", "ledger.db-shm"}, made
        assert all(os.stat(work.at(name)).st_mtime_ns == before[name] for name in before)
        # The same again measures nothing twice.
        again = json.loads(work.optimise().stdout)
        assert again["trials"][0]["is_remembered"] and again["trials"][0]["rounds"] == first["rounds"], again
        text = assay("optimise", "--program", "--ledger", work.at("ledger.db"), "--budget", "5s", "--", work.at("solve"), "two words").stdout.decode()
        assert "build it with" in text.splitlines()[0] and "% of the run's processor time" in text.splitlines()[0], text


@test
def what_is_forbidden_or_refused_is_no_answer():
    with Work("-O3", "-ffloat-store", "-DASSERTED") as work:
        with open(work.at("compile_commands.json"), "w") as file:
            json.dump([{"directory": work.path, "file": name, "arguments": ["gcc", "-O3", "-ffloat-store", "-DASSERTED", "-c", name]} for name in ("main.c", "step.c")], file)
        told = json.loads(work.optimise("--forbid", "target,specials", budget="40s").stdout)
        trials = {trial["change"]: trial for trial in told["trials"]}
        assert not any("native" in name or "-ffast-math" in name or "-fno-math-errno" in name for name in trials), told
        assert trials["without -ffloat-store"]["results"] == "same" and "-O3" not in trials, told
        if "-DNDEBUG" in trials:
            assert trials["-DNDEBUG"]["results"] == "wrong" and "line 2" in trials["-DNDEBUG"]["problem"], told
        assert "-DNDEBUG" not in (told["change"] or ""), told


@test
def a_profile_is_really_used():
    """GCC took the name of the file for a folder, and was told not to say so: all that a profile saved was missed."""
    with Work("-O2", main=MAIN.replace("round < 8000", "round < 40000")) as work:
        os.mkdir(work.at("bin"))
        with open(work.at("bin/gcc"), "w") as file:
            found = (os.path.realpath(os.path.join(folder, "gcc")) for folder in os.environ["PATH"].split(":"))
            real = next(path for path in found if os.path.exists(path) and "ccache" not in path)  # which would find our own
            file.write(f"""#!/bin/sh
case "$*" in *-fprofile-use*) for word; do [ "$word" = -w ] || set -- "$@" "$word"; shift; done
    echo used >> {work.at("log")}; exec {real} "$@" -Wmissing-profile 2>> {work.at("log")};; esac
exec {real} "$@"
""")
        os.chmod(work.at("bin/gcc"), 0o755)
        version = command(["gcc", "-dumpversion"]).stdout.decode().split(".")[0].strip()
        os.symlink("gcc", work.at(f"bin/gcc-{version}"))
        command([work.at("bin/gcc"), "-g", "-O2", "-o", work.at("solve"), work.at("main.c"), work.at("step.c")])
        environment = dict(os.environ, PATH=work.at("bin") + ":" + os.environ["PATH"])
        told = json.loads(command([ASSAY, "optimise", "--program", "--ledger", work.at("ledger.db"), "--budget", "200s", "--json", "--forbid", "target", "--",
                                   work.at("solve"), "x"], env=environment).stdout)
        assert [trial for trial in told["trials"] if trial["change"] == "-fprofile-use" and trial["results"] == "same"], told
        with open(work.at("log")) as file:
            log = file.read()
        assert "used" in log and "not found" not in log, log


@test
def hot_sources_of_a_run_are_known():
    need_real_kernel("sampling")
    with Work("-O0") as work:
        database = work.at("run.db")
        assay("run", "--quiet", "-o", database, "--", work.at("solve"))
        message = work.optimise(database, status=2, run=[]).stderr.decode()
        assert "--trust" in message and work.at("solve") in message, message
        told = json.loads(work.optimise(database, "--trust", run=[], budget="10s").stdout)
        assert told["run"] == work.at("solve") and told["trials"], told


@test
def a_build_of_the_user():
    with Work("-O0") as work:
        build = f"gcc $ASSAY_FLAGS -o $ASSAY_PROGRAM {work.at('main.c')} {work.at('step.c')}"
        told = json.loads(work.optimise("--build-with", build, "--measure-with", "$ASSAY_PROGRAM", run=[], budget="10s").stdout)
        assert told["trials"][0]["change"] == "-O3" and told["trials"][0]["results"] == "same", told
        assert told["change"] is None or told["build"] is None or told["build"].startswith("gcc -O") or "-f" in told["build"], told
        message = work.optimise("--build-with", build.replace("$ASSAY_FLAGS", ""), "--measure-with", "$ASSAY_PROGRAM", run=[], status=2).stderr.decode()
        assert "must use $ASSAY_FLAGS" in message, message
        message = work.optimise("--build-with", "false", "--measure-with", "$ASSAY_PROGRAM", run=[], status=2).stderr.decode()
        assert "--build-with failed" in message, message
        message = work.optimise("--build-with", build, run=[], status=2).stderr.decode()
        assert "--measure-with" in message, message


@test
def what_cannot_be_compared_is_told():
    with Work("-O1", main=MAIN.replace("sum, argc", "sum + (argc > 1 ? (double)(size_t)&sum / 1e9 : 0), argc").replace("<stdio.h>", "<stdio.h>\n#include <stddef.h>").replace("%.3e", "%.17g")) as work:
        message = work.optimise(status=2).stderr.decode()
        assert "something else each time" in message and "--measure-with" in message, message
    with Work("-O1", main=MAIN.replace("round < 8000", "round < 1")) as work:
        message = work.optimise(status=2).stderr.decode()
        assert "too short" in message, message
    with Work("-O1") as work:
        message = work.optimise(status=2, run=[]).stderr.decode()
        assert "after --" in message, message
        message = work.optimise("--line", "main.c:9", status=2).stderr.decode()
        assert "--line" in message, message
        command(["strip", work.at("solve")])
        message = work.optimise(status=2).stderr.decode()
        assert "no debug information" in message and "--build-with" in message, message


run()
