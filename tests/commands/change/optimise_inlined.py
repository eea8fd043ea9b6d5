#!/usr/bin/env python3
# first build only: it mostly runs compilers
"""assay optimise on ordinary builds: a function that is inlined everywhere is measured all the same, and loops that do several
iterations at once are compared by how far they go through memory."""
import os, platform
from harness import *

NBODY = """#include <math.h>
#include "body.h"
static void advance(struct body *b, int n, double dt)
{
    for (int i = 0; i < n; i++) {
        double ax = 0, ay = 0, az = 0;
        for (int j = 0; j < n; j++) {
            double dx = b[j].x - b[i].x, dy = b[j].y - b[i].y, dz = b[j].z - b[i].z;
            double d = dx * dx + dy * dy + dz * dz + 1e-9;
            double m = b[j].mass / (d * sqrt(d));
            ax += dx * m;
            ay += dy * m;
            az += dz * m;
        }
        b[i].vx += ax * dt;
        b[i].vy += ay * dt;
        b[i].vz += az * dt;
    }
}
int main(int argc, char **argv)
{
    static struct body b[400];
    begin(b, 400);
    for (int step = 0; step < 20; step++)
        advance(b, 400, 0.001);
    return finish(b, 400, argc > 1 ? argv[1] : "nothing");
}
"""
BODY = """struct body { double x, y, z, vx, vy, vz, mass; };
void begin(struct body *b, int n);
int finish(const struct body *b, int n, const char *word);
"""
BEGIN = """#include <stdio.h>
#include "body.h"
void begin(struct body *b, int n)
{
    for (int i = 0; i < n; i++)
        b[i] = (struct body){i % 17 * 0.1, i % 13 * 0.2, i % 11 * 0.3, 0, 0, 0, 1 + i % 7};
}
int finish(const struct body *b, int n, const char *word)
{
    double e = 0;
    for (int i = 0; i < n; i++)
        e += b[i].vx * b[i].vx;
    printf("%s %.10g\\n", word, e);
    return 0;
}
"""
# A call of this makes a system call, so it cannot be replayed.
WRITING = """#include <stdio.h>
#include <unistd.h>
static double sum(const double *a, int n)
{
    double s = 0;
    for (int i = 0; i < n; i++)
        s += a[i] * 3;
    if (write(1, "x", 1) != 1)
        return 0;
    return s;
}
int main(void)
{
    static double a[20000];
    double total = 0;
    for (int i = 0; i < 20000; i++)
        a[i] = i;
    for (int t = 0; t < 200; t++)
        total += sum(a, 20000);
    printf("%.6e\\n", total);
}
"""
LEVEL = "[choice level]\nform = flag\nvalues = -O3\nsays = more\n"
VECTORS = """[choice vectors]
form   = flag
values = -O3 -ffast-math -fvect-cost-model=unlimited
risks  = rounding, specials
says   = vectors whatever they cost
"""
LOOP = "nbody.c:7"


class Work(Folder):
    def __enter__(self):
        self.path = super().__enter__()
        need("gcc")
        os.mkdir(self.at("options"))
        for name, text in (("nbody.c", NBODY), ("begin.c", BEGIN), ("body.h", BODY), ("writing.c", WRITING)):
            with open(self.at(name), "w") as file:
                file.write(text)
        return self

    def at(self, name):
        return os.path.join(self.path, name)

    def build(self, program, *sources, options=("-O2", "-g")):
        command(["gcc", *options, "-o", self.at(program), *[self.at(source) for source in sources], "-lm"])

    def json(self, line, choices, *more, source="nbody.c"):
        with open(self.at("options/gcc"), "w") as file:
            file.write(choices)
        told = assay("optimise", "--json", "--line", self.at(line), "--ledger", self.at("ledger.db"), *more, "--", "gcc", "-O2", "-c", self.at(source),
                     env={**os.environ, "ASSAY_OPTIONS": self.at("options")})
        return json.loads(told.stdout)[0]


@test
def an_inlined_function_is_kept_out_of_line():
    need_real_kernel("ptrace")
    with Work() as work:
        work.build("nbody", "nbody.c", "begin.c")
        symbols = command(["nm", work.at("nbody")]).stdout.decode()
        assert " advance" not in symbols, "the compiler did not inline it"
        told = work.json(LOOP, LEVEL, "--capture", work.at("nbody") + " 'two words'", "--budget", "25s")
        assert told["not_measured"] is None and "kept out of line" in told["measured"], told
        search = told["searches"][0]
        assert search["original"]["results"] == "same" and search["original"]["seconds"] > 0, search
        assert told["suggestion"] is None, told
        # What wins on a call has also been run as a whole program.
        assert told["answer"] is None or told["before"] > 0 or told["unverified"], told


@test
def what_cannot_be_replayed_is_run_as_a_whole():
    need_real_kernel("ptrace")
    with Work() as work:
        work.build("writing", "writing.c")
        told = work.json("writing.c:6", LEVEL, "--capture", work.at("writing"), "--budget", "15s", source="writing.c")
        assert told["not_measured"] is None and "whole runs" in told["measured"], told
        assert told["searches"][0]["original"]["seconds"] > 0, told


@test
def without_means_it_says_what_to_give():
    need_real_kernel("ptrace")
    with Work() as work:
        work.build("bare", "nbody.c", "begin.c", options=("-O2",))
        told = work.json(LOOP, LEVEL, "--capture", work.at("bare"), "--budget", "10s")
        assert "--build-with" in told["not_measured"] and "-g" in told["not_measured"], told
        assert told["answer"] is None and told["patch"] is None, told


@test
def iterations_at_once_are_counted_by_strides():
    """Estimates of square roots and divisions are many more operations: by those, two elements looked like nine."""
    with Work() as work:
        told = work.json(LOOP, VECTORS + "[choice precision]\nform = flag\nvalues = -mlow-precision-div\nrisks = rounding\nsays = estimates\n")
        finalists = told["searches"][0]["finalists"]
        vectors = [one for one in finalists if "unlimited" in (one["flags"] or "")]
        assert vectors and all(one["cycles"] is None or one["iterations"] in (1, 2, 4, 8, 16) for one in vectors), finalists
        assert all(one["cycles"] is not None or one["problem"] for one in finalists), finalists
        if platform.machine() == "aarch64":
            assert any(one["iterations"] == 2 for one in vectors), vectors


run()
