"""Advice about compiler options where the file records none: only what the code itself shows is reported."""
import os, shutil

from harness import Folder, Skip, command, cross, rows, run, test

SOURCE = """
extern void see(char **p, long *n);
double sum(const double *x, long n) { double s = 0; for (long i = 0; i < n; i++) s += x[i]; return s; }
void scale(float *x, float a, long n) { for (long i = 0; i < n; i++) x[i] *= a; }
long count(const char *s, char c) { long n = 0; for (; *s; s++) n += *s == c; return n; }
/* The address is known elsewhere, so that the pointer lives in memory even in optimised code. */
char *trim(char *end, char *start) { see(&end, 0); see(&start, 0); while (end != start && *end == ' ') { end--; see(0, 0); } return end; }
"""


def reported(machine, *flags):
    """Functions in which flag-optimisation speaks, of code without debug information and without the compiler's name."""
    compiler = cross("gcc", machine)
    if not shutil.which(compiler):
        raise Skip(f"{compiler} is not installed")
    with Folder() as folder:
        source, file = os.path.join(folder, "loops.c"), os.path.join(folder, "loops.o")
        with open(source, "w") as out:
            out.write(SOURCE)
        command([compiler, "-c", *flags, "-o", file, source])
        command([cross("objcopy", machine), "-R", ".comment", file])
        found = rows(file, "select distinct f.name from advice a join rules r on r.id = a.rule join loops l on l.id = a.loop "
                           "join functions f on f.id = l.function where r.name = 'flag-optimisation'")
        return {row["name"] for row in found}


@test
def unoptimised_code_is_known_by_its_looks():
    for machine in ("x86_64", "aarch64"):
        found = reported(machine, "-O0")
        assert found == {"sum", "scale", "count", "trim"}, (machine, found)


@test
def optimised_code_is_not_taken_for_it():
    for machine in ("x86_64", "aarch64"):
        for flags in (["-O1"], ["-O2"], ["-Os"], ["-O2", "-fno-omit-frame-pointer"], ["-O3"]):
            found = reported(machine, *flags)
            assert not found, (machine, flags, found)


run()
