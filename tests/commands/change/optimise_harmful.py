#!/usr/bin/env python3
# first build only: it mostly runs compilers
"""assay optimise undoes options that harm, runs the usual sets before it says to leave a loop as it is, and says when it could not."""
import os, sqlite3
from harness import *

SOURCE = """#include <stdio.h>
__attribute__((noinline)) double sum(const double *a, int n)
{
    double s = 0;
    for (int i = 0; i < n; i++)
        s += a[i] * 3;
    return s;
}
int main(void)
{
    static double a[3000];
    double total = 0;
    for (int i = 0; i < 3000; i++)
        a[i] = i % 7;
    for (int t = 0; t < 20; t++)
        total += sum(a, 3000);
    printf("%.6e\\n", total);
}
"""
CHOICES = """[choice level]
form   = flag
values = -O1, -O2, -O3
says   = more

[choice no-float-store]
form   = flag
values = -fno-float-store
when   = -ffloat-store
risks  = rounding
says   = numbers stay in registers

[choice no-profiling]
form   = attribute
values = no_instrument_function
when   = -pg
says   = no call that counts it
"""


class Work(Folder):
    def __enter__(self):
        self.path = super().__enter__()
        need("gcc")
        need_real_kernel("ptrace")
        os.mkdir(self.at("options"))
        for name, text in (("solve.c", SOURCE), ("options/gcc", CHOICES)):
            with open(self.at(name), "w") as file:
                file.write(text)
        return self

    def at(self, name):
        return os.path.join(self.path, name)

    def run(self, options, *more):
        return assay("optimise", "--line", self.at("solve.c:5"), "--ledger", self.at("ledger.db"), *more, "--", "gcc", *options, "-c", self.at("solve.c"),
                     env={**os.environ, "ASSAY_OPTIONS": self.at("options")}).stdout.decode()

    def captured(self, *options):
        command(["gcc", "-g", *options, "-o", self.at("solve"), self.at("solve.c")])
        return json.loads(self.run(options, "--json", "--capture", self.at("solve"), "--budget", "60s"))[0]["searches"][0]


@test
def harmful_options_are_undone():
    with Work() as work:
        for options, change in ((["-O2", "-ffloat-store"], "-fno-float-store"), (["-O0"], "-O2"), (["-O2", "-pg"], "no_instrument_function")):
            search = work.captured(*options)
            undone = [one for one in search["finalists"] if change in one["change"]]
            assert undone and any(one["results"] == "same" and one["seconds"] > 0 for one in undone), (options, search)
            assert search["usual_left"] == 0, search
        # What is not there needs no undoing.
        work.captured("-O2")
        tried = [row[0] or "" for row in sqlite3.connect(work.at("ledger.db")).execute(
            "select variant from search_variants where search = (select max(id) from searches)")]
        assert tried and not any("float-store" in text or "profiling" in text for text in tried), tried


@test
def leaving_it_takes_the_usual_sets():
    with Work() as work:
        build = "gcc -O2 $ASSAY_FLAGS -o $ASSAY_PROGRAM " + work.at("solve.c")
        slow = work.run(["-O2"], "--build-with", build, "--measure-with", "sleep 1; $ASSAY_PROGRAM", "--budget", "3s", "--forbid", "rounding", "--json")
        search = json.loads(slow)[0]["searches"][0]
        if search["usual_left"]:
            shown = work.run(["-O2"], "--build-with", build, "--measure-with", "sleep 1; $ASSAY_PROGRAM", "--budget", "3s", "--forbid", "rounding")
            assert "leave it as it is" not in shown, shown
        else:
            assert all(one["results"] for one in search["finalists"] if one["is_usual"]), search
        shown = work.run(["-O3"], "--build-with", build, "--measure-with", "$ASSAY_PROGRAM", "--budget", "10s", "--forbid", "rounding")
        assert "no answer yet" not in shown, shown


run()
