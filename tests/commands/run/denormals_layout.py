"""assay denormals trace --layout: parts of arrays that are arrays of their own, as table 6.10 of the thesis has them: counts,
origins, maps and the log go by part, in arrays on the heap, on the stack and at fixed addresses; what does not fit is told."""
# first build only: most of it waits for a program under the tracer, which has no sanitizers
import json, os

from harness import MACHINE, Folder, assay, build, compilers, need, run, test

# A workspace as in old libraries: 8 temporaries, 8 constants, 4 integers that are bits among floats.  Each function does a
# known number of loads and stores of denormals.
PROGRAM = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static volatile float tiny = 1e-30f, small = 1e-10f;
static float fixed[20], out[8];
static volatile int sum, none;
__attribute__((noinline)) void make(float *work) { for (int i = 0; i < 6; i++) work[i] = tiny * small; }
__attribute__((noinline)) void use(float *to, const float *work) { for (int i = 0; i < 5; i++) to[i] = work[i] * 0.5f; }
__attribute__((noinline)) void count_up(float *work) { for (int i = 16; i < 20; i++) { int n = i - 15 + none; memcpy(work + i, &n, 4); } }
__attribute__((noinline)) void look(const float *work) { for (int i = 16; i < 20; i++) { int n; memcpy(&n, work + i, 4); sum += n; } }
__attribute__((noinline)) void on_stack(void)
{
    float local[20];
    make(local);
    local[19] = 0;
    use(out, local);
    __asm__ volatile("" : : "r"(local) : "memory");
}
__attribute__((noinline)) void work_in(float *work)
{
    make(work);
    count_up(work);
    for (int i = 0; i < 3; i++)
        look(work);
    use(work + 8, work);
}
int main(int count, char **words)
{
    if (count > 1 && !strcmp(words[1], "fixed"))
        work_in(fixed);
    if (count > 1 && !strcmp(words[1], "heap")) {
        float *work = calloc(20, sizeof *work);
        work_in(work);
        free(work);
    }
    if (count > 1 && !strcmp(words[1], "stack"))
        on_stack();
    printf("%d\n", sum);
    return 0;
}
"""
PARTS = "  0..7 real temporaries\n  8..15 real constants # from the table\n  16.. integer factors\n"


class Work(Folder):
    def __enter__(self):
        super().__enter__()
        need("valgrind")
        self.write("program.c", PROGRAM)
        self.program = build(self.path, compilers(MACHINE)[0], [self.file("program.c")], "-g", "-O1", "-fno-tree-vectorize", "-fno-inline")
        return self

    def file(self, name):
        return os.path.join(self.path, name)

    def write(self, name, words):
        with open(self.file(name), "w") as out:
            out.write(words)
        return self.file(name)

    def trace(self, layout, what, *options):
        said = assay("denormals", "trace", "--quiet", "--layout", self.write("layout", layout), "--json", *options, "--", self.program, what)
        return json.loads(said.stdout)["runs"][0]

    def fails(self, layout, *options):
        said = assay("denormals", "trace", "--layout", self.write("layout", layout), *options, "--", self.program, status=2).stderr.decode()
        assert said.startswith("assay: ") and said.count("\n") == 1, said
        return said


def counts(found):
    return {array["name"]: (array["loads"] + array["move_loads"], array["stores"] + array["move_stores"], array["integer_loads"], array["integer_stores"])
            for array in found["arrays"]}


@test
def parts_have_counts_of_their_own():
    with Work() as work:
        for name, what in (("fixed", "fixed"), ("work", "heap")):
            for mode in ([], ["--counts"]):
                found = work.trace(f"array {name}\n{PARTS}", what, *mode)
                expected = {f"{name} (temporaries)": (5, 6, 0, 0), f"{name} (constants)": (0, 5, 0, 0), f"{name} (factors)": (0, 0, 12, 4)}
                assert counts(found) == expected, (what, mode, counts(found))
                shapes = {array["name"]: (array["element"], array["dimensions"]) for array in found["arrays"]}
                assert shapes == {f"{name} (temporaries)": ("float", "8"), f"{name} (constants)": ("float", "8"), f"{name} (factors)": ("integer", "4")}, shapes
                if not mode:
                    pairs = {(row["destination_name"], row["source_name"]): row["count"] for row in found["origins"]}
                    assert pairs == {(f"{name} (temporaries)", None): 6, (f"{name} (constants)", f"{name} (temporaries)"): 5}, pairs
                    assert f"{name} (constants) ← {name} (temporaries), arising in make" in found["story"][0], found["story"]
        found = work.trace(f"array local\n{PARTS}", "stack")
        assert counts(found) == {"local (temporaries)": (5, 6, 0, 0), "out": (0, 5, 0, 0)}, counts(found)


@test
def what_lies_between_parts_stays_with_the_array():
    with Work() as work:
        found = work.trace("array fixed from 1\n 3..4 real first\n 9..10 real second\n", "fixed")
        assert counts(found) == {"fixed": (3, 7, 12, 4), "fixed (first)": (2, 2, 0, 0), "fixed (second)": (0, 2, 0, 0)}, counts(found)


@test
def other_types():
    with Work() as work:
        found = work.trace("array fixed\n 0..7 complex pairs\n 16..19 double whole\n", "fixed")
        shapes = {array["name"]: (array["element"], array["element_bytes"], array["dimensions"]) for array in found["arrays"]}
        assert shapes["fixed (pairs)"] == ("complex", 8, "4"), shapes
        assert counts(found)["fixed (pairs)"][:2] == (5, 6), counts(found)


@test
def maps_and_the_log_know_parts():
    with Work() as work:
        found = work.trace(f"array fixed\n{PARTS}", "fixed", "--maps", work.file("maps"), "--log", work.file("log"), "--array", "fixed (constants)")
        pictures = os.listdir(work.file("maps"))
        assert "fixed_temporaries.png" in pictures and "fixed_constants-from-fixed_temporaries.png" in pictures, pictures
        with open(work.file("log"), encoding="utf-8") as log:
            text = log.read()
        assert "from fixed (temporaries)[4]" in text and "to fixed (constants)[4]" in text and "cut" not in text, text
        assert len(found["maps"]) >= 2


@test
def mistakes_have_file_and_line():
    with Work() as work:
        for layout, line, reported in [
            ("0..3 real x\n", 1, "comes first"),
            ("\n\narray\n", 3, "expected: array NAME"),
            ("array fixed to 3\n", 1, "expected: array NAME"),
            ("array fixed\n", 1, "has no parts"),
            ("array fixed\n 3..2 real x\n", 2, "no range"),
            ("array fixed from 1\n 0..2 real x\n", 2, "no range"),
            ("array fixed\n 0..2 quad x\n", 2, "no type"),
            ("array fixed\n 0..2 real\n", 2, "a name for the part"),
            ("array fixed\n 0..2 real x\n 2..3 real y\n", 3, "before the part above ends"),
            ("array fixed\n 0..2 real x\narray fixed\n", 3, "was laid out above"),
            ("array fixed\n 0..20 real x\n", 2, "ends beyond the array, which has 20 elements"),
            ("array fixe\n 0..2 real x\n", 1, "has no array of floating-point numbers named fixe; it has "),
            ("# nothing\n", 2, "lays out no array"),
        ]:
            said = work.fails(layout)
            assert f"layout:{line}: " in said and reported in said, (layout, said)
        said = assay("denormals", "trace", "--layout", work.file("none"), "--", work.program, status=2).stderr.decode()
        assert "none" in said and said.count("\n") == 1, said
        said = assay("denormals", "profile", "--layout", work.file("layout"), "--", work.program, status=2).stderr.decode()
        assert "only trace knows arrays" in said, said
        strip = work.file("bare")
        os.link(work.program, strip)
        said = work.fails("array fixed\n 0..2 real x\n", "--no-debug")
        assert "has no debug information, so arrays have no names" in said, said


run()
