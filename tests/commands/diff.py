"""assay diff: two builds of a program, matched by names, code, calls and lines, and what changed in their loops."""
import json, os

from harness import Folder, assay, command, cross, need, run, test, text

MACHINES = {"x86_64": "sapphire-rapids", "aarch64": "neoverse-v1"}
SOURCE = """#include <stddef.h>
#include <stdio.h>
void axpy(double *restrict y, const double *restrict x, double a, size_t n)
{
    for (size_t i = 0; i < n; i++)
        y[i] += a * x[i];
}
double faded(const double *x, size_t n)
{
    double s = x[0];
    for (size_t i = 1; i < n; i++)
        s = s * 0.5 + x[i];
    return s;
}
int lines(const unsigned char *p, size_t n)
{
    int c = 0;
    for (size_t i = 0; i < n; i++)
        c += p[i] == 10;
    return c;
}
static double grid[1000];
int main(int argc, char **argv)
{
    static double x[1000], y[1000];
    axpy(y, x, argc, 1000);
    puts("one");
    printf("%d %g\\n", lines((unsigned char *)argv[0], 5), faded(grid, 1000));
    return 0;
}
"""


def built(folder, isa, text, *flags, name="program", source="program.c", compiler="gcc"):
    path = os.path.join(folder, source)
    with open(path, "w") as file:
        file.write(text)
    output = os.path.join(folder, f"{name}-{isa}")
    command([need(cross(compiler, isa) if compiler == "gcc" else compiler), "-g", *flags, "-fno-inline", "-o", output, path])
    return output


def compare(isa, old, new, *words, status=0):
    return json.loads(assay("diff", old, new, "--json", "--machine", MACHINES[isa], *words, status=status).stdout)


def named(loops, function):
    found = [loop for loop in loops if function in (loop["old_function"], loop["new_function"])]
    assert len(found) == 1, (function, loops)
    return found[0]


@test
def the_same_program_has_no_difference():
    for isa in MACHINES:
        with Folder() as folder:
            old = built(folder, isa, SOURCE, "-O2", name="old")
            assert compare(isa, old, old) == []
            assert "No difference" in text("diff", old, old)


@test
def vectorised_loops_are_faster_and_the_way_back_is_slower():
    for isa in MACHINES:
        with Folder() as folder:
            scalar = built(folder, isa, SOURCE, "-O1", name="scalar")
            vector = built(folder, isa, SOURCE, "-O3", name="vector")
            loop = named(compare(isa, scalar, vector), "axpy")
            assert loop["verdict"] == "faster" and loop["ratio"] < 0.7, loop
            assert loop["old_vector_bits"] == 0 and loop["new_vector_bits"] == 128, loop
            assert "now vectorised (128 bits)" in loop["reasons"], loop
            loop = named(compare(isa, vector, scalar, status=1), "axpy")
            assert loop["verdict"] == "slower" and "no longer vectorised" in loop["reasons"], loop


@test
def only_what_changed_is_shown_when_lines_move():
    changed = "/* a comment\n\n   that moves everything */\n" + SOURCE.replace("a * x[i]", "a / x[i]")
    for isa in MACHINES:
        with Folder() as folder:
            old = built(folder, isa, SOURCE, "-O2", name="old")
            new = built(folder, isa, changed, "-O2", name="new")
            loops = compare(isa, old, new, status=1)
            assert [loop["new_function"] for loop in loops] == ["axpy"], loops
            assert loops[0]["matched_by"] == "name" and "divisions 0 -> 1" in loops[0]["reasons"], loops


@test
def programs_without_names_are_matched():
    for isa in MACHINES:
        with Folder() as folder:
            paths = []
            for level in ("-O2", "-O3"):
                path = built(folder, isa, SOURCE, level, name="stripped" + level)
                command([need(cross("strip", isa)), path])
                paths.append(path)
            faster = [loop for loop in compare(isa, *paths) if loop["verdict"] == "faster"]
            assert any(loop["new_vector_bits"] == 128 and loop["old_vector_bits"] == 0 for loop in faster), faster


@test
def a_file_and_a_function_with_another_name_are_matched():
    for isa in MACHINES:
        with Folder() as folder:
            old = built(folder, isa, SOURCE, "-O2", name="old")
            new = built(folder, isa, SOURCE.replace("axpy", "saxpy"), "-O2", name="new", source="renamed.c")
            assert compare(isa, old, new) == []
            answer = text("diff", old, new)
            assert "0 only in the old build, 0 only in the new one" in answer or "No difference" in answer, answer


@test
def a_loop_split_in_two():
    split = SOURCE.replace("""        y[i] += a * x[i];
}""", """        y[i] += a;
    for (size_t i = 0; i < n; i++)
        y[i] *= x[i];
}""")
    for isa in MACHINES:
        with Folder() as folder:
            old = built(folder, isa, SOURCE, "-O2", name="old")
            new = built(folder, isa, split, "-O2", name="new")
            loops = [loop for loop in compare(isa, old, new) if loop["new_function"] == "axpy"]
            assert sorted(loop["verdict"] for loop in loops)[0] == "added" and len(loops) == 2, loops


@test
def other_compilers_and_databases():
    for isa in MACHINES:
        with Folder() as folder:
            old = built(folder, isa, SOURCE, "-O2", name="old")
            database = os.path.join(folder, "old.db")
            assay("db", old, "-o", database)
            new = built(folder, isa, SOURCE.replace("a * x[i]", "a / x[i]"), "-O2", name="new")
            direct = compare(isa, old, new, status=1)
            stored = compare(isa, database, new, status=1)
            assert direct == stored, (direct, stored)


@test
def thresholds():
    for isa in MACHINES:
        with Folder() as folder:
            scalar = built(folder, isa, SOURCE, "-O1", name="scalar")
            vector = built(folder, isa, SOURCE, "-O3", name="vector")
            assay("diff", vector, scalar, "--machine", MACHINES[isa], status=1)
            assay("diff", vector, scalar, "--machine", MACHINES[isa], "--threshold", "1000", status=0)
            error = assay("diff", vector, scalar, "--threshold", "much", status=2).stderr.decode()
            assert "--threshold takes a percentage" in error, error


run()
