#!/usr/bin/env python3
# first build only: it mostly runs compilers
"""assay optimise run.db on a project with folders of headers and macros: how its sources were compiled is found or recorded, and where neither
works the message says what does."""
import os
from harness import *

PART = "#define TIMES 3\nstatic inline double part(double x) { return x * TIMES; }\n"
OTHER = "static inline double other(double x) { return x + 1; }\n"
SOLVE = """#include <stdio.h>
#include "parts/part.h"
#include "other.h"
__attribute__((noinline)) double sum(const double *a, int n)
{
    double s = 0;
    for (int i = 0; i < n; i++)
        s += part(other(a[i])) * SCALE;
    return s;
}
int main(void)
{
    static double a[3000];
    double total = 0;
    for (int i = 0; i < 3000; i++)
        a[i] = i % 7;
    for (int t = 0; t < 100000; t++)
        a[t % 3000] += 1, total += sum(a, 3000);
    printf("%.6e\\n", total);
}
"""
MAKEFILE = "solve: src/solve.c\n\tcd src && cc -O2 -g -Iinclude -Iinclude/deep '-DSCALE=(1 + 1)' -o ../solve solve.c\n"
CHOICES = "[choice level]\nform = flag\nvalues = -O3\nsays = more\n"


class Work(Folder):
    def __enter__(self):
        self.path = super().__enter__()
        need("gcc")
        for folder in ("options", "src", "src/include", "src/include/parts", "src/include/deep"):
            os.mkdir(self.at(folder))
        for name, text in (("src/solve.c", SOLVE), ("src/include/parts/part.h", PART), ("src/include/deep/other.h", OTHER), ("Makefile", MAKEFILE),
                           ("options/gcc", CHOICES)):
            self.write(name, text)
        return self

    def write(self, name, text):
        with open(self.at(name), "w") as file:
            file.write(text)

    def at(self, name):
        return os.path.join(self.path, name)

    def recorded(self, *options):
        command(["gcc", "-O2", "-g", *options, "-I" + self.at("src/include"), "-I" + self.at("src/include/deep"), "-o", self.at("solve"), self.at("src/solve.c")])
        assay("run", "-o", self.at("run.db"), "--", self.at("solve"))

    def run(self, *more):
        return assay("optimise", self.at("run.db"), "--ledger", self.at("ledger.db"), "--budget", "15s", *more,
                     env={**os.environ, "ASSAY_OPTIONS": self.at("options")})


@test
def folders_of_headers_come_from_the_debug_information():
    need_real_kernel("sampling")
    with Work() as work:
        work.write("src/solve.c", SOLVE.replace(" * SCALE", ""))
        work.recorded()
        told = work.run("--json")
        answers = json.loads(told.stdout)
        assert answers and answers[0]["function"] == "sum" and answers[0]["searches"][0]["tried"] >= 1, (answers, told.stderr)


@test
def headers_without_a_trace_are_found_by_other_units():
    """A header that has #include alone is in no table of its unit; another unit has something from the same folder."""
    need_real_kernel("sampling")
    with Work() as work:
        os.mkdir(work.at("src/bare"))
        work.write("src/solve.c", SOLVE.replace(" * SCALE", "").replace('#include "other.h"', '#include "only.h"'))
        work.write("src/bare/only.h", '#include "other.h"\n')
        work.write("src/bare/used.h", "static inline double used(double x) { return x / 3; }\n")
        work.write("src/more.c", '#include "used.h"\ndouble more(int t) { return used(t); }\n')
        work.recorded("-I" + work.at("src/bare"), work.at("src/more.c"))
        told = work.run("--json")
        assert told.stdout and json.loads(told.stdout)[0]["function"] == "sum", told.stderr


@test
def macros_need_a_recorded_build():
    need_real_kernel("sampling")
    need("make")
    with Work() as work:
        work.recorded("-DSCALE=(1 + 1)")
        failed = work.run()
        assert not failed.stdout and b"--record compile_commands.json -- make" in failed.stderr, failed
        list_path = work.at("recorded.json")
        assay("optimise", "--record", list_path, "--", "make", "-C", work.path, "-B")
        entries = json.load(open(list_path))
        assert len(entries) == 1 and entries[0]["directory"] == work.at("src") and entries[0]["file"] == "solve.c", entries
        assert "-DSCALE=(1 + 1)" in entries[0]["arguments"] and entries[0]["arguments"][0] == "cc", entries
        told = work.run("--json", "--compile-commands", list_path)
        assert json.loads(told.stdout)[0]["function"] == "sum", told
        # Beside the source it is found without being named.
        os.rename(list_path, work.at("compile_commands.json"))
        assert json.loads(work.run("--json").stdout)[0]["function"] == "sum"


@test
def a_compiler_that_looks_for_the_next_one():
    """As ccache does: a `cc` in PATH that calls the next `cc` in PATH which is not itself.  It must not find the scripts that record."""
    with Work() as work:
        os.mkdir(work.at("cache"))
        with open(work.at("cache/cc"), "w") as file:
            file.write("#!/bin/sh\nown=$(dirname \"$0\")\nIFS=:\nfor folder in $PATH; do\n"
                       "    if [ -x \"$folder/cc\" ] && [ \"$folder\" != \"$own\" ]; then exec \"$folder/cc\" \"$@\"; fi\ndone\nexit 9\n")
        os.chmod(work.at("cache/cc"), 0o755)
        # A real ccache would take this one for the compiler, and this one that for the next, for ever.
        compilers = [folder for folder in os.environ["PATH"].split(":") if "ccache" not in os.path.realpath(os.path.join(folder, "cc"))]
        env = dict(os.environ, PATH=":".join([work.at("cache")] + compilers))
        list_path = work.at("recorded.json")
        source = work.at("one.c")
        with open(source, "w") as file:
            file.write("int one;\n")
        assay("optimise", "--record", list_path, "--", "sh", "-c", f"PATH={work.path}:$PATH cc -c -o {work.at('one.o')} {source}", env=env)
        entries = json.load(open(list_path))
        assert [entry["file"] for entry in entries] == [source] and os.path.exists(work.at("one.o")), entries


@test
def a_build_without_compilers_is_told():
    with Work() as work:
        message = assay("optimise", "--record", work.at("list.json"), "--", "true", status=2).stderr.decode()
        assert "no compiler" in message and "make clean" in message and not os.path.exists(work.at("list.json")), message
        message = assay("optimise", "--record", work.at("list.json"), status=2).stderr.decode()
        assert "--record takes" in message, message
        message = assay("optimise", "--record", work.at("list.json"), "--", "sh", "-c", "cc -c -o /dev/null " + work.at("none.c") + "; exit 3", status=2).stderr.decode()
        assert "the build failed" in message, message


run()
