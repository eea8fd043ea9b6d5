#!/usr/bin/env python3
# first build only: it mostly runs compilers
"""assay explore: a loop as one compiler makes it, compilers and options side by side, where the line is, and what goes wrong: compilers that
are not there, hang or fail, sources that do not compile, lines in no loop, bad usage, Ctrl-C."""
import csv, io, signal, subprocess, time
from harness import *

SOURCE = """void scale(double *restrict a, const double *restrict b, long n)
{
    for (long i = 0; i < n; i++)
        a[i] = 3 * b[i];
}
double sum(const double *a, long n)
{
    double s = 0;
    for (long i = 0; i < n; i++)
        s += a[i];
    return s;
}
void table(double *a, const double *b, long rows)
{
    for (long r = 0; r < rows; r++) {
        double *row = a + 100 * r;

        for (long i = 0; i < 100; i++)
            row[i] = 2 * b[i];
    }
}
double few(const double *a)
{
    double s = 0;
    for (int i = 0; i < 3; i++)
        s += a[i];
    return s;
}
"""
SCALE, SUM, OUTER, FEW, NOWHERE = "solve.c:4", "solve.c:10", "solve.c:16", "solve.c:25", "solve.c:2"

# A compiler that says that it is GCC, and then does something else.
FAKE = """#!/bin/sh
[ "$1" = --version ] && { echo "gcc (Test) 12.0.0"; echo "Copyright (C) Free Software Foundation, Inc."; exit 0; }
case " $* " in *" /dev/null "*) exit 0;; esac
%s
"""


class Work(Folder):
    def __enter__(self):
        self.path = super().__enter__()
        need("gcc")
        self.write("solve.c", SOURCE)
        os.mkdir(self.at("tmp"))
        return self

    def at(self, name):
        return os.path.join(self.path, name)

    def write(self, name, words):
        with open(self.at(name), "w") as file:
            file.write(words)
        return self.at(name)

    def compiler(self, name, does):
        os.chmod(self.write(name, FAKE % does), 0o755)
        return self.at(name)

    def environment(self):
        return {**os.environ, "TMPDIR": self.at("tmp")}

    def run(self, place, *more, build=("gcc", "-O2", "-c"), status=0):
        answer = assay("explore", self.at(place), *more, "--", *build, self.at("solve.c"), status=status, env=self.environment())
        assert not os.listdir(self.at("tmp")), os.listdir(self.at("tmp"))
        return answer

    def json(self, place, *more, **options):
        return json.loads(self.run(place, "--json", *more, **options).stdout)["compilations"]

    def refusal(self, place, *more, status=2, **options):
        answer = self.run(place, *more, status=status, **options)
        lines = answer.stderr.decode().splitlines()
        assert not answer.stdout and len(lines) == 1, answer
        return lines[0]


def said(*words):
    return assay(*words, status=2).stderr.decode()


@test
def one_compilation_is_a_screen():
    with Work() as work:
        words = work.run(SUM).stdout.decode()
        command(["gcc", "-O2", "-g", "-c", work.at("solve.c"), "-o", work.at("solve.o")])
        [own] = json.loads(assay("cycles", work.at("solve.o"), "--line", "solve.c:10", "--json").stdout)
        [row] = work.json(SUM)
        assert row["cycles"] == own["cycles"] and row["limit"] == own["limit"], (row, own)
        assert f"An iteration takes {own['cycles']:.2f} cycles" in words, words
        assert "s += a[i];" in words and "1. " in words, words
        for step in row["code"]:
            assert step["text"].split()[0] in words, step
        assert row["function"] == "sum" and (row["first_line"], row["last_line"]) == (9, 10), row
        assert row["problem"] is None and row["is_best"] and row["options"] == "-O2", row


@test
def the_compilers_own_words_are_shown():
    with Work() as work:
        for compiler, name in ((need("gcc"), "GCC"), (need("clang"), "LLVM")):
            answer = work.json(SCALE, "--flags", "-O3", build=(compiler, "-c"))
            assert answer[0]["remarks"][0]["verdict"] == "vectorised", answer
            words = work.run(SCALE, "--flags", "-O3", build=(compiler, "-c")).stdout.decode()
            assert re.search(f"{name}.*\\svectorised\\sit", words), words


@test
def several_are_a_table_with_the_fastest_below():
    with Work() as work:
        rows = work.json(SCALE, "--compilers", f"gcc,{need('clang')}", "--flags=-O1|-O3")
        assert [(row["compiler"], row["flags"]) for row in rows] == [(c, f) for c in ("gcc", "clang") for f in ("-O1", "-O3")]
        slow, fast = rows[:2]
        # an iteration of the source is what counts, however many the loop does at once
        assert slow["source_iterations"] == 1 and fast["source_iterations"] > 1, rows
        assert fast["cycles_per_source_iteration"] == fast["cycles"] / fast["source_iterations"] < slow["cycles_per_source_iteration"], rows
        best = min(row["cycles_per_source_iteration"] for row in rows)
        [chosen] = [row for row in rows if row["is_best"]]
        assert chosen["cycles_per_source_iteration"] == best, rows
        words = work.run(SCALE, "--compilers", "gcc,clang", "--flags=-O1|-O3").stdout.decode()
        lines = [line for line in words.splitlines() if re.match(r"[> ] (gcc|clang) ", line)]
        assert len(lines) == 4 and sum(line.startswith("> ") for line in lines) == 1, words
        assert words.count("loop in scale") == 1, words
        assert work.run(SCALE, "--compilers", "gcc,clang", "--flags=-O1|-O3", "--all").stdout.decode().count("loop in scale") == 4
        table = list(csv.DictReader(io.StringIO(work.run(SCALE, "--csv", "--flags=-O1|-O3").stdout.decode())))
        assert [float(row["cycles"]) for row in table] == [row["cycles"] for row in rows[:2]], table


@test
def flags_come_after_the_builds_own():
    with Work() as work:
        own, more = work.json(SCALE, "--flags=|-O3", build=("gcc", "-O1", "-DX=1", "-c"))
        assert own["options"] == "-O1" and more["options"] == "-O1 -O3" and "-DX=1" in more["command"], (own, more)
        assert own["vector_bits"] is None and more["vector_bits"], (own, more)


@test
def the_line_of_an_outer_loop_means_the_inner_one():
    with Work() as work:
        [row] = work.json(OUTER, build=("gcc", "-O1", "-c"))
        assert row["function"] == "table" and row["first_line"] == 18, row


@test
def lines_without_a_loop():
    with Work() as work:
        line = work.refusal(NOWHERE, status=1)
        assert "line 2 is in no loop of the code; the nearest loops are at lines 3-4 (scale)" in line, line
        line = work.refusal(FEW, "--flags=-O3", status=1)
        assert "no loop is left of line 25: it is unrolled completely" in line, line
        # beside one that has the loop it is a line of the table
        rows = work.json(FEW, "--flags=-O1 -fno-tree-loop-optimize|-O3")
        assert rows[0]["problem"] is None and rows[0]["is_best"], rows
        assert "no loop is left of line 25" in rows[1]["problem"] and rows[1]["cycles"] is None, rows


@test
def sources_that_do_not_compile():
    with Work() as work:
        work.write("solve.c", SOURCE.replace("s += a[i]", "s += a[i", 1))
        for compiler in ("gcc", need("clang")):
            line = work.refusal(SUM, build=(compiler, "-O2", "-c"))
            assert re.search(rf"{compiler} does not compile it: solve.c:10:\d+: error: expected", line), line
        rows = assay("explore", work.at(SUM), "--compilers", "gcc,clang", "--", "gcc", "-c", work.at("solve.c"), status=2)
        assert rows.stdout.count(b"error: expected") == 2 and b"none of these compilations" in rows.stderr, rows


@test
def compilers_and_options_that_are_not_there():
    with Work() as work:
        assert "gcc-0.1: there is no such compiler in PATH" in work.refusal(SUM, build=("gcc-0.1", "-c"))
        good, bad = work.json(SUM, "--compilers", "gcc,gcc-0.1")
        assert good["cycles"] and "there is no such compiler" in bad["problem"] and bad["version"] is None, (good, bad)
        words = work.run(SUM, "--compilers", "gcc,gcc-0.1").stdout.decode()
        assert "gcc-0.1: there is no such compiler in PATH" in words and "loop in sum" in words, words
        assert "-fno-such-option" in work.refusal(SUM, "--flags=-fno-such-option")
        assert "O3: this is no option of a compiler" in work.refusal(SUM, "--flags=O3")
        assert "does not change how one source is compiled" in work.refusal(SUM, "--flags=-flto")
        assert "options must name no source" in work.refusal(SUM, "--flags=-O2 other.c")
        assert "a quote (\") is not closed" in work.refusal(SUM, '--flags=-DX="1')
        assert "options in a file are not read" in work.refusal(SUM, "--flags=@more")
        assert "the language is the build's" in work.refusal(SUM, "--flags=-x c++")
        # Clang takes it, and says that it does nothing
        [row] = work.json(SUM, "--compilers", need("clang"), "--flags=-fgcse")
        assert "-fgcse" in row["ignored"], row
        assert "Not as asked" in work.run(SUM, "--compilers", "clang", "--flags=-fgcse").stdout.decode()


@test
def compilers_that_hang_crash_or_write_nothing():
    with Work() as work:
        slow, dead, idle = work.compiler("slow-gcc", "sleep 1000"), work.compiler("dead-gcc", "kill -SEGV $$"), work.compiler("idle-gcc", "exit 0")
        loud = work.compiler("loud-gcc", "yes 'solve.c:1:1: error: no' >&2")
        odd = work.compiler("odd-gcc", 'while [ "$1" != -o ]; do shift; done; echo nonsense >"$2"')
        assert "slow-gcc took longer than 1 s (--budget allows more)" in work.refusal(SUM, "--budget=1", build=(slow, "-c"))
        assert "signal 11 ended dead-gcc" in work.refusal(SUM, build=(dead, "-c"))
        assert "idle-gcc reported no error and wrote no object file" in work.refusal(SUM, build=(idle, "-c"))
        assert "loud-gcc" in work.refusal(SUM, "--budget=1", build=(loud, "-c"))
        assert "loop.o" in work.refusal(SUM, build=(odd, "-c"))


@test
def interrupted_it_leaves_nothing():
    with Work() as work:
        slow = work.compiler("slow-gcc", f"touch {work.at('begun')}; sleep 1000")
        words = [ASSAY, "explore", work.at(SUM), "--", slow, "-c", work.at("solve.c")]
        process = subprocess.Popen(words, env=work.environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        end = time.monotonic() + PATIENCE
        while not os.path.exists(work.at("begun")) and time.monotonic() < end:
            time.sleep(0.02)
        assert os.listdir(work.at("tmp"))
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=PATIENCE)
        assert process.returncode in (-signal.SIGINT, 130), process.returncode
        while os.listdir(work.at("tmp")) and time.monotonic() < end:
            time.sleep(0.02)
        assert not os.listdir(work.at("tmp"))


@test
def compile_commands_are_found():
    with Work() as work:
        assert "say how" in said("explore", work.at(SUM))
        entry = {"directory": work.path, "file": "solve.c", "arguments": ["gcc", "-O3", "-c", "solve.c"]}
        work.write("compile_commands.json", json.dumps([entry]))
        [row] = json.loads(assay("explore", work.at(SUM), "--json").stdout)["compilations"]
        assert row["options"] == "-O3" and row["cycles"], row
        entry["arguments"][1:1] = ["-fplugin=/tmp/evil.so"]
        work.write("compile_commands.json", json.dumps([entry]))
        words = assay("explore", work.at(SUM)).stdout.decode()
        assert "1 option of compile_commands.json was left out" in " ".join(words.split()), words


@test
def lines_of_headers_and_inlined_functions():
    with Work() as work:
        work.write("add.h", "static inline void add(float *a, const float *b, long n)\n{\n    for (long i = 0; i < n; i++)\n        a[i] += b[i];\n}\n")
        work.write("solve.c", '#include "add.h"\nvoid f(float *a, float *b)\n{\n    add(a, b, 1000);\n}\n')
        [inner] = work.json("add.h:4")
        [call] = work.json("solve.c:4")
        assert inner["function"] == call["function"] == "f" and inner["code"] == call["code"], (inner, call)
        line = said("explore", work.at("add.h:4"))
        assert "say which source includes it" in line, line


@test
def cpp_and_fortran():
    with Work() as work:
        need("g++"), need("gfortran")
        work.write("solve.cpp", "#include <numeric>\n#include <vector>\ndouble f(const std::vector<double> &v)\n{\n"
                   "    return std::accumulate(v.begin(), v.end(), 0.0);\n}\n")
        [row] = json.loads(assay("explore", work.at("solve.cpp:5"), "--json", "--", "g++", "-O2", "-c", work.at("solve.cpp")).stdout)["compilations"]
        assert row["cycles"], row
        words = assay("explore", work.at("solve.cpp:5"), "--compilers", f"gcc,{need('clang')}", "--", "g++", "-O2", "-c", work.at("solve.cpp"))
        assert words.stdout.count(b"loop in f(std::vector") == 1, words
        source = work.write("solve.f90", "subroutine scale(n, a)\n  integer :: n, i\n  real :: a(n)\n  do i = 1, n\n    a(i) = 2 * a(i)\n  end do\nend\n")
        [row] = json.loads(assay("explore", f"{source}:5", "--json", "--", "gfortran", "-O2", "-c", source).stdout)["compilations"]
        assert row["function"] == "scale_" and row["cycles"], row
        work.write("solve.f90", "subroutine scale(n, a)\n  integer :: n, i\n  real :: a(n)\n  do i = 1, n\n    a(i) = 2 * \n  end do\nend\n")
        line = said("explore", f"{source}:5", "--", "gfortran", "-O2", "-c", source)
        assert re.search(r"gfortran does not compile it: solve.f90:5:\d+: Error: ", line), line


@test
def bad_usage():
    with Work() as work:
        for place in ("solve.c", "solve.c:", "solve.c:0", "solve.c:-3", "solve.c:4x", "solve.c:99999999999"):
            assert "takes a file and a line such as solve.c:40" in work.refusal(place), place
        assert "cannot be read" in work.refusal("other.c:4")
        assert "takes one FILE:LINE" in said("explore", work.at(SUM), work.at(SUM), "--", "gcc", "-c", work.at("solve.c"))
        assert "--budget takes a time" in work.refusal(SUM, "--budget=0")
        assert "--compilers takes names" in work.refusal(SUM, "--compilers=,")
        assert "no machine" in work.refusal(SUM, "--machine=none-such") or "none-such" in work.refusal(SUM, "--machine=none-such")
        assert "256 are the most" in work.refusal(SUM, "--flags", "|" * 300)
        assert "--level" in work.refusal(SUM, "--level=all")


run()
