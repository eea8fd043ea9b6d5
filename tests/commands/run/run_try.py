#!/usr/bin/env python3
# first build only: it mostly runs compilers and what they made
"""assay run --try: other builds of the program are run by turns with it, and what that measured takes the place of promises."""
import os
import shlex
import signal
import subprocess
import time

from harness import *

STEP = "double step(const double *a, int i) { return a[i] * 0.5 + a[i + 1] * 0.25; }\n"
MAIN = """#include <stdio.h>
#include <stdlib.h>
double step(const double *a, int i);
int main(void)
{
    static double a[2001];
    double sum = 0;
    int rounds = 20000;
    if (scanf("%d", &rounds) != 1)
        rounds = 20000;
    for (int i = 0; i <= 2000; i++)
        a[i] = i % 7;
    for (int round = 0; round < rounds; round++)
        for (int i = 0; i < 2000; i++)
            sum += step(a, i);
    printf("%.3e\\n", sum);
    return CODE;
}
"""


class Work(Folder):
    def __init__(self, *options, main=MAIN, libraries=()):
        super().__init__()
        self.options, self.main, self.libraries = options, main, libraries

    def __enter__(self):
        self.path = super().__enter__()
        need("gcc")
        need_real_kernel("sampling")
        for name, text in (("step.c", STEP), ("main.c", self.main), ("config.h", "#define CODE 0\n")):
            with open(self.at(name), "w") as file:
                file.write(text)
        command(["gcc", "-g", *(word.replace("FOLDER", self.path) for word in self.options), "-o", self.at("solve"), self.at("main.c"), self.at("step.c"), *self.libraries])
        return self

    def at(self, name):
        return os.path.join(self.path, name)

    def run(self, status=0, stdin=None, path="/dev/null", budget="20s"):
        """The answer as rows, what was said, and the page."""
        environment = dict(os.environ, ASSAY_LEDGER=self.at("ledger.db"))
        line = [ASSAY, "run", "--try", "--budget", budget, "--force", "-o", self.at("run.db"), "--", self.at("solve")]
        if path:
            line = ["sh", "-c", f"{shlex.join(line)} < {shlex.quote(path)}"]
        ran = command(line, status, stdin, environment)
        told = json.loads(assay("report", self.at("run.db"), "--json").stdout)
        return told, " ".join(ran.stderr.decode().split()), " ".join(assay("report", self.at("run.db")).stdout.decode().split())


@test
def what_a_build_saves_is_measured():
    with Work("-O0", "-DCODE=3") as work:
        with open(work.at("compile_commands.json"), "w") as file:
            json.dump([{"directory": work.path, "file": name, "arguments": ["gcc", "-O0", "-DCODE=3", "-c", name]} for name in ("main.c", "step.c")], file)
        with open(work.at("input"), "w") as file:
            file.write("12000\n")
        before = {name: os.stat(work.at(name)).st_mtime_ns for name in os.listdir(work.path)}
        told, said, page = work.run(status=3, path=work.at("input"))
        best = told["trials"][0]
        assert best["is_answer"] and best["result"] == "same" and 0.1 < best["saving"] < 1 and best["rounds"] >= 3 and best["error"] >= 0, told["trials"]
        names = [trial["options"] for trial in told["trials"]]
        assert "-O3" in names and sum(trial["is_answer"] for trial in told["trials"]) == 1 and len(set(names)) == len(names), names
        assert f"Built with {best['options']}, it takes" in page and "Other options, tried by whole runs" in page, page
        assert "it prints the same" in page and "assay run --try" not in page, page
        # The promise for code without optimisation, which is for no single build, is there or is measured; never both.
        for option in told["options"]:
            trial = next((trial for trial in told["trials"] if trial["options"] == "-O2"), None)
            if option["rule"] == "unoptimised" and trial and trial["saving"] > 0.01 and trial["rounds"]:
                assert option["is_tried"] and "; tried: with -O2 a run saves" in option["title"], option
        made = set(os.listdir(work.path)) - set(before)
        assert made <= {"run.db", "ledger.db", "ledger.db-wal", "ledger.db-shm"}, made
        assert all(os.stat(work.at(name)).st_mtime_ns == before[name] for name in before)
        html = assay("report", work.at("run.db"), "--html").stdout.decode()
        assert 'id="trials"' in html and "tried by whole runs" in html


@test
def macros_that_left_traces():
    """A source that asks for config.h, assertions that nobody can fail, checked calls: debug information has no -D."""
    main = MAIN.replace("#include <stdio.h>", "#include <assert.h>\n#ifdef HAVE_CONFIG_H\n#include <config.h>\n#endif\n#include <stdio.h>").replace(
        "sum += step", "assert(a[i] >= 0), sum += step")
    with Work("-O1", "-DHAVE_CONFIG_H", "-DNDEBUG", "-IFOLDER", main=main) as work:
        told, said, _ = work.run()
        assert told["trials"] and "not tried" not in said, said
        assert all(not trial["rounds"] for trial in told["trials"] if trial["options"] == "-DNDEBUG"), told["trials"]  # the same program


@test
def functions_of_mathematics_on_vectors():
    """-ffast-math makes calls of libmvec, which -lm brings, and the file libm.so.6 does not."""
    main = MAIN.replace("#include <stdlib.h>", "#include <math.h>").replace("sum += step(a, i)", "sum += log10(a[i] + 1)").replace("20000", "4000")
    with Work("-O2", "-DHAVE_CONFIG_H", "-IFOLDER", main=main.replace("return CODE", "return 0"), libraries=["-lm"]) as work:
        told, _, _ = work.run(budget="60s")
        assert "-ffast-math" in {trial["options"] for trial in told["trials"]}, told["trials"]
        assert not [trial for trial in told["trials"] if "link" in (trial["problem"] or "")], told["trials"]


@test
def results_that_cannot_be_compared():
    main = MAIN.replace('printf("%.3e\\n", sum)', 'printf("%.3e %p\\n", sum, (void *)&sum)').replace("CODE", "0")
    with Work("-O0", main=main) as work:
        told, _, page = work.run()
        timed = [trial for trial in told["trials"] if trial["rounds"]]
        assert timed and {trial["result"] for trial in timed} == {"unknown"}, told["trials"]
        if timed[0]["is_answer"]:
            assert "results were not compared" in page, page


CHAIN = """#include <assert.h>
#include <stdio.h>
#include <string.h>
int main(int count, char **words)
{
    unsigned long x = 1;
    long rounds = 60000000;
#ifdef NDEBUG
    TESTED
#endif
    FIRST
    for (long i = 0; i < rounds; i++)
        x = x * 6364136223846793005 + 1442695040888963407;
    assert(x != 7);
    puts("done");
    return x == 7 && count == 9 && words[0];
}
"""


@test
def what_seemed_faster_by_chance_is_no_answer():
    """A build that is faster until it is the best: then nothing that was compared with it is faster than the program, either."""
    tested = 'size_t length = strlen(words[0]);\n    FILE *over = fopen("FOLDER/over", length > 4 && !strcmp(words[0] + length - 4, "best") ? "a" : "r");\n' \
        '    if (over)\n        fclose(over);\n    else\n        rounds /= 3;'
    with Work("-O1", main=CHAIN.replace("TESTED", tested).replace("FIRST", "")) as work:
        with open(work.at("main.c"), "w") as file:
            file.write(work.main.replace("FOLDER", work.path))
        command(["gcc", "-g", "-O1", "-o", work.at("solve"), work.at("main.c"), work.at("step.c")])
        told, said, page = work.run(budget="60s")
        assert os.path.exists(work.at("over")), told["trials"]
        trial = next(trial for trial in told["trials"] if trial["options"] == "-DNDEBUG")
        assert not trial["is_answer"] and trial["rounds"] >= 7, told["trials"]
        assert all(abs(trial["saving"]) < 0.4 for trial in told["trials"] if trial["rounds"] and trial["result"] == "same"), told["trials"]
        assert "faster: -DNDEBUG" not in page and "Saves less: -DNDEBUG" not in page, page
        assert all(not option["saving"] or option["saving"] < 0.4 for option in told["options"] if option["rule"] == "assertions"), told["options"]


@test
def results_that_were_not_compared_are_compared_later():
    """What an earlier call could not compare says nothing about results that can be compared."""
    first = 'FILE *file = fopen("FOLDER/differs", "r");\n    printf("%p\\n", file ? (void *)&x : NULL);\n    if (file)\n        fclose(file);'
    with Work("-O1", main=CHAIN.replace("TESTED", 'puts("without assertions");').replace("FIRST", first)) as work:
        with open(work.at("main.c"), "w") as file:
            file.write(work.main.replace("FOLDER", work.path))
        command(["gcc", "-g", "-O1", "-o", work.at("solve"), work.at("main.c"), work.at("step.c")])
        for name, result in ("differs", "unknown"), ("same", "other"):
            with open(work.at("differs"), "w"):
                pass
            os.rename(work.at("differs"), work.at(name))
            told, said, _ = work.run(budget="60s")
            trial = next(trial for trial in told["trials"] if trial["options"] == "-DNDEBUG")
            assert trial["result"] == result, (name, trial, said)


@test
def an_end_by_ctrl_c_is_told():
    count = 'FILE *file = fopen("FOLDER/runs", "a");\n    fputc(1, file);\n    fclose(file);'
    with Work("-O1", main=CHAIN.replace("TESTED", "").replace("FIRST", count)) as work:
        with open(work.at("main.c"), "w") as file:
            file.write(work.main.replace("FOLDER", work.path))
        command(["gcc", "-g", "-O1", "-o", work.at("solve"), work.at("main.c"), work.at("step.c")])
        environment = dict(os.environ, ASSAY_LEDGER=work.at("ledger.db"), TMPDIR=work.path)
        with subprocess.Popen([ASSAY, "run", "--try", "--budget", "10m", "--", work.at("solve")], env=environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
            end = time.monotonic() + PATIENCE
            while time.monotonic() < end and process.poll() is None and (not os.path.exists(work.at("runs")) or os.path.getsize(work.at("runs")) < 13):
                time.sleep(0.05)
            process.send_signal(signal.SIGINT)
            said = " ".join(process.communicate(timeout=PATIENCE)[1].decode().split())
        assert "Ctrl-C ended the trials of other builds: the same command goes on with them" in said, said
        assert "Other options, tried by whole runs" in said or "No other build" in said or "other builds" in said, said
        assert not [name for name in os.listdir(work.path) if name.startswith("assay-")], os.listdir(work.path)


@test
def a_try_is_named_where_little_is_promised():
    chain = "int main(void)\n{\n    unsigned long x = 1;\n    for (long i = 0; i < 300000000; i++)\n        x = x * 6364136223846793005 + 1442695040888963407;\n" \
        "    return x == 7;\n}\n"
    with Work("-O2", main=chain) as work:
        words = "What other options would save is not known without a try (--try)"
        said = " ".join(command([ASSAY, "run", "-o", work.at("first.db"), "--html", work.at("first.html"), "--", work.at("solve")]).stderr.decode().split())
        assert words in said and words[:28] in " ".join(open(work.at("first.html")).read().split()), said
        told, said, page = work.run()
        assert told["trials"] and words not in said and words not in page, said


@test
def what_cannot_be_tried_is_told():
    with Work("-O1", "-DCODE=0") as work:  # a macro that leaves no trace
        told, said, _ = work.run()
        assert not told["trials"] and "other builds were not tried" in said and "'CODE' undeclared" in said.replace("‘", "'").replace("’", "'"), said
        os.remove(work.at("main.c"))
        with open(work.at("main.c"), "w") as file:
            file.write(work.main.replace("return CODE;", "\n#ifndef CODE\n    return 3;\n#endif\n    return 0;"))
        command(["gcc", "-g", "-O1", "-DCODE=0", "-o", work.at("solve"), work.at("main.c"), work.at("step.c")])
        told, said, _ = work.run()
        assert not told["trials"] and "its copy fails (status 3), which was built as its debug information says" in said, said
        told, said, _ = work.run(stdin=b"100\n", path=None)
        assert "standard input: came through a pipe" in said and "Next: `assay run --try" not in said, said
        command(["strip", work.at("solve")])
        told, said, _ = work.run()
        assert not told["trials"] and "no debug information" in said, said
    for words, expected in ((["--pid", "1"], "--try runs the program again"), (["--merge", "x"], "--try runs the program again")):
        assert expected in assay("run", "--try", *words, status=2).stderr.decode()
    assert "--budget goes with --try" in assay("run", "--budget", "9s", "--", "true", status=2).stderr.decode()
    assert "--budget takes a time" in assay("run", "--try", "--budget", "soon", "--", "true", status=2).stderr.decode()


run()
