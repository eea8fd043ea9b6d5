#!/usr/bin/env python3
# first build only: it mostly runs compilers
"""What assay optimise says of results that are not the same: last digits, with their time and the tolerance that accepts them; and wrong ones."""
import os
from harness import *

# sum: another order of adding changes the last digits. small: a result that cancels to almost nothing beside a large one.
# scale: with a constant that lost half of its digits the results are other ones.
SOURCE = """#include <stdio.h>
__attribute__((noinline)) double sum(const double *a, int n)
{
    double s = 0;
    for (int i = 0; i < n; i++)
        s += a[i] * 0.3;
    return s;
}
__attribute__((noinline)) void small(double *out, const double *a, int n)
{
    double s = 0;
    out[0] = 1e6;
    for (int i = 0; i < n; i++)
        s += a[i] - a[n - 1 - i];
    out[1] = s;
}
__attribute__((noinline)) void scale(double *out, const double *a, int n)
{
    for (int i = 0; i < n; i++)
        out[i] = a[i] * 0.3;
}
int main(void)
{
    static double a[3000], out[3000];
    double total = 0;
    for (int i = 0; i < 3000; i++)
        a[i] = 1.0 / (i + 1);
    for (int t = 0; t < 20; t++) {
        small(out, a, 3000);
        total += sum(a, 3000) + out[1];
        scale(out, a, 3000);
    }
    printf("%.15e\\n", total + out[7]);
}
"""
CHOICES = """[choice fast]
form   = flag
values = -ffast-math -O3
risks  = rounding, specials
says   = as real numbers
"""
MISTAKE = """[choice mistake]
form   = flag
values = -fsingle-precision-constant
risks  = rounding
says   = 0.3 with half of its digits
"""


class Work(Folder):
    def __enter__(self):
        self.path = super().__enter__()
        need("gcc")
        need_real_kernel("ptrace")
        os.mkdir(self.at("options"))
        with open(self.at("solve.c"), "w") as file:
            file.write(SOURCE)
        command(["gcc", "-O2", "-g", "-o", self.at("solve"), self.at("solve.c")])
        return self

    def at(self, name):
        return os.path.join(self.path, name)

    def run(self, line, *more, choices=CHOICES):
        with open(self.at("options/gcc"), "w") as file:
            file.write(choices)
        return assay("optimise", "--line", self.at("solve.c:%d" % line), "--ledger", self.at("ledger.db"), "--budget", "20s", *more, "--", "gcc", "-O2",
                     "-c", self.at("solve.c"), env={**os.environ, "ASSAY_OPTIONS": self.at("options")}).stdout.decode()

    def json(self, line, *more, **named):
        return json.loads(self.run(line, "--json", *more, **named))[0]

    def fast(self, line, *more, **named):
        told = self.json(line, "--capture", self.at("solve"), *more, **named)
        return told, told["searches"][0]["finalists"][0]


SUM, SMALL, SCALE = 5, 13, 19


@test
def last_digits_have_a_time_and_a_tolerance():
    with Work() as work:
        told, fast = work.fast(SUM)
        assert fast["results"] == "last digits" and fast["seconds"] > 0 and fast["ratio"] > 0, fast
        assert 0 < fast["largest_ulps"] < 10000 and fast["largest_error"] < 1e-12, fast
        assert told["answer"] is None, "bit for bit is what was asked for"
        option, tolerance = fast["accepted_by"].split(" ")
        assert option == "--tolerance" and tolerance.endswith("ulp"), fast
        shown = work.run(SUM, "--capture", work.at("solve"))
        assert "ulp of the largest element; " + fast["accepted_by"] + " accepts it" in " ".join(shown.split()), shown
        accepted = work.fast(SUM, option, tolerance)[1]
        assert accepted["results"] == "within tolerance" and accepted["accepted_by"] is None, accepted
        refused = work.fast(SUM, "--tolerance", "0.5ulp")[1]
        assert refused["results"] == "last digits", refused


@test
def ulps_are_of_the_largest_element():
    """Relative to itself the sum that cancels is off by anything; beside a million it is nothing."""
    with Work() as work:
        fast = work.fast(SMALL)[1]
        assert fast["results"] in ("same", "last digits"), fast
        if fast["results"] == "last digits":
            assert fast["largest_ulps"] < 1 and fast["accepted_by"] == "--tolerance 1ulp", fast
            assert work.fast(SMALL, "--tolerance", "1ulp")[1]["results"] == "within tolerance"


@test
def wrong_is_wrong():
    with Work() as work:
        told, wrong = work.fast(SCALE, choices=MISTAKE)
        assert wrong["results"] == "wrong" and wrong["seconds"] > 0 and told["answer"] is None, wrong
        assert wrong["accepted_by"] == "--tolerance 4.0e-08", wrong
        assert work.fast(SCALE, "--tolerance", "1000000ulp", choices=MISTAKE)[1]["results"] == "wrong"
        assert work.fast(SCALE, *wrong["accepted_by"].split(" "), choices=MISTAKE)[1]["results"] == "within tolerance"


@test
def whole_programs_have_last_digits_too():
    with Work() as work:
        build = "gcc -O2 $ASSAY_FLAGS -o $ASSAY_PROGRAM " + work.at("solve.c")
        told = work.json(SUM, "--build-with", build, "--measure-with", "$ASSAY_PROGRAM")
        one = told["searches"][0]["finalists"][0]
        assert one["results"] == "last digits" and one["seconds"] > 0 and one["accepted_by"].startswith("--tolerance "), one
        again = work.json(SUM, "--build-with", build, "--measure-with", "$ASSAY_PROGRAM", *one["accepted_by"].split(" "))
        assert again["searches"][0]["finalists"][0]["results"] == "within tolerance", again


@test
def bad_tolerances_are_told():
    with Work() as work:
        for text in ("8ulpx", "ulp", "-1ulp", "2"):
            message = assay("optimise", "--line", work.at("solve.c:5"), "--tolerance", text, "--", "gcc", "-c", work.at("solve.c"), status=2).stderr.decode()
            assert "--tolerance takes" in message and message.count("\n") == 1, message


run()
