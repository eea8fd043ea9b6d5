"""assay predict --from: recorded runs of a program whose loops are known, for other sizes and other processors."""
# first build only: records runs; what computes is tried by unit tests
import json, os, subprocess
from harness import *

SOURCE = r"""
#include <stdio.h>
#include <stdlib.h>
/* n² and n³ iterations, in functions of their own. */
__attribute__((noinline)) void fill(double *a, long n)
{
    for (long i = 0; i < n * n; i++)
        a[i] = (double)(i % 7);
}
__attribute__((noinline)) void multiply(const double *a, const double *b, double *c, long n)
{
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++) {
            double sum = 0;
            for (long k = 0; k < n; k++)
                sum += a[i * n + k] * b[k * n + j];
            c[i * n + j] = sum;
        }
}
int main(int count, char **words)
{
    long n = atol(words[count - 1]);
    double *a = malloc(n * n * 8), *b = malloc(n * n * 8), *c = malloc(n * n * 8);
    for (int i = 0; i < 100; i++)
        fill(i % 2 ? a : b, n);
    multiply(a, b, c, n);
    return c[n] < 0;
}
"""
OTHER = {"aarch64": ("neoverse-n1", "skylake"), "x86_64": ("zen4", "neoverse-n1")}


def recorded(folder, program, size, *options):
    path = os.path.join(folder, f"{size}.db")
    done = watched([ASSAY, "run", *options, "--force", "-o", path, "--", program, str(size)], stdin=subprocess.DEVNULL)
    if done.returncode:
        raise Fail(done.stderr.decode(errors="replace")[-1000:])
    return path


def compiled(folder):
    path = os.path.join(folder, "p.c")
    with open(path, "w") as out:
        out.write(SOURCE)
    return build(folder, [need("gcc")], [path], "-g", "-O2")


def asked(*words):
    return json.loads(assay("predict", *words, "--json").stdout)


def part(answer, name):
    found = [one for one in answer["parts"] if one["loop"] and one["loop"].endswith(", " + name)]
    if not found:
        raise Fail(f"no loop of {name} has samples: {answer['parts']}")
    return max(found, key=lambda one: one["iterations"] or 0)


@uncertain
def sizes_and_processors():
    same, foreign = OTHER[MACHINE]
    with Folder() as folder:
        program = compiled(folder)
        words = []
        ledger = ["--ledger", os.path.join(folder, "ledger.db")]
        for size in (200, 300):
            words += ["--from", f"{size}={recorded(folder, program, size, '--measure')}"]
        told = asked(*words, *ledger, "--size", "450")
        assert told["earlier"] == 0 and told["earlier_error"] is None, told
        words += ["--from", f"450={recorded(folder, program, 450, '--measure')}"]
        answer = asked(*words, *ledger, "--size", "900")
        if told["machine"] == host():  # a run on a processor without a machine file says nothing about others
            remembered(ledger, told, answer)
        words += ledger
        cube, square = part(answer, "multiply"), part(answer, "fill")
        assert abs(cube["exponent"] - 3) < 1e-3 and abs(cube["iterations"] / 900**3 - 1) < 1e-2, cube
        # A compiler may unroll or vectorise: iterations are of the loop in the code.
        assert abs(square["exponent"] - 2) < 0.02, square
        assert answer["lower"] < answer["seconds"] < answer["upper"] and answer["runs"] == 3, answer
        assert abs(sum(one["seconds_here"] for one in answer["parts"]) / answer["seconds_here"] - 1) < 1e-9, answer
        # Without sizes: the last run, on another processor.
        there = asked("--from", words[5].split("=")[1], *ledger, "--machine", same)
        cube = part(there, "multiply")
        assert there["machine"] == same and cube["is_known"] and cube["exponent"] is None, there
        text = assay("predict", *words, "--size", "900", "--machine", same).stdout.decode()
        assert "size^3.00" in text and "nothing was run" in text and "at size 900" in text, text
        csv = assay("predict", *words, "--csv").stdout.decode().splitlines()
        assert csv[0].startswith("loop,seconds_here,seconds_there") and len(csv) == len(answer["parts"]) + 1, csv
        refused(words[1].split("=")[1], foreign)


def host():
    """The name of this computer's machine file, or nothing."""
    return json.loads(text("version", "--json"))["machine"] or ""


def remembered(ledger, told, answer):
    """The answer for 450 stands beside the run of 450 that was recorded after it, and the next one is as wide as it was wrong."""
    history = json.loads(assay("predict", "--history", *ledger, "--json").stdout)
    found = [row for row in history["predictions"] if row["inputs"] == "size=450"]
    assert len(found) == 1 and found[0]["model"] == "static" and found[0]["predicted"] == told["seconds"], history
    off = abs(told["seconds"] / found[0]["measured"] - 1)
    assert answer["earlier"] == 1 and abs(answer["earlier_error"] - off) < 1e-6, (answer, off)
    reach = max(told["seconds"], found[0]["measured"]) / min(told["seconds"], found[0]["measured"])
    assert answer["upper"] >= answer["seconds"] * reach * (1 - 1e-9) >= answer["lower"], (answer, reach)


def refused(path, foreign):
    for words, says in [
        ((path, "--machine", foreign), "does not run"),
        ((path, "--machine", "nix"), "nix"),
        ((path, "--size", "900"), "runs of two sizes"),
        ((path, "--size", "0"), "a number above 0"),
        ((path, "--size", "9x"), "a number above 0"),
        (("x=" + path,), "must be a number above 0"),
        (("-3=" + path,), "must be a number above 0"),
        ((path + ".missing",), "cannot be read"),
        ((ASSAY,), "is not a database"),
        ((path, "register.predict"), "takes no description"),
    ]:
        done = assay("predict", "--from", *words, status=2)
        assert says in done.stderr.decode() and not done.stdout, (words, done.stderr)


@test
def a_database_without_a_run():
    with Folder() as folder:
        path = os.path.join(folder, "program.db")
        assay("db", compiled(folder), "-o", path)
        assert b"has no run" in assay("predict", "--from", path, status=2).stderr


run()
