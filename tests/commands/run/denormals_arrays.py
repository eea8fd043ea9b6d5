"""The arrays that the tracer reports, and their names: tests/programs/denormal_arrays.{c,f90,cc} have one of each kind, and every
array gets denormals a known number of times."""
# first build only: the tracer does the work, and denormals_command reads what it wrote
import os, subprocess, zlib

from harness import ASSAY, PROGRAMS, ROOT, Folder, Lacking, assay, build, need, rows, run, test, watched

N = 48


def trace(folder, program, *options, words=()):
    need("valgrind")
    database = os.path.join(folder, "trace.db")
    assay("denormals", "trace", "--force", "--quiet", "-o", database, *options, "--", program, *words)
    return database


def arrays(database):
    """By name."""
    found = rows(database, "select a.*, v.name as variable_name, f.name as function_name from denormal_arrays a "
                           "left join variables v on v.id = a.variable left join functions f on f.id = a.function")
    names = [row["name"] for row in found]
    assert len(set(names)) == len(names), f"two arrays of one name: {sorted(names)}"
    return {row["name"]: row for row in found}


def expect(found, name, **columns):
    assert name in found, f"{name} is not among {sorted(found)}"
    for column, value in columns.items():
        assert found[name][column] == value, f"{name}: {column} is {found[name][column]}, not {value}"


def compiled(folder, tool, name, level):
    modules = ["-J", folder] if tool == "gfortran" else []
    return build(folder, [need(tool)], [os.path.join(PROGRAMS, name)], "-g", level, *modules)


def check_c(level, compiler="gcc"):
    with Folder() as folder:
        found = arrays(trace(folder, compiled(folder, compiler, "denormal_arrays.c", level)))
        expect(found, "plate", kind="global", element="float", dimensions="8:6", is_assumed=0, bytes=192, loads=N, stores=N)
        expect(found, "hidden", kind="static", element="double", dimensions="48", loads=N, stores=N)
        expect(found, "own", kind="heap", element="float", bytes=192, loads=N, stores=N, function_name="main")
        expect(found, "table", kind="heap", element="double", dimensions="8:6", is_assumed=0, loads=N, stores=N)
        expect(found, "loose", kind="heap", element="float", stores=N, variable_name="loose")
        expect(found, "spectrum", kind="global", element="complex float", element_bytes=8, dimensions="24", stores=N)
        expect(found, "whole.weights", kind="global", element="double", dimensions="8:6", stores=N, variable_name="whole")
        expect(found, "whole.velocity", kind="heap", element="float", stores=N)
        expect(found, "reached->weights", kind="heap", element="double", dimensions="8:6", stores=N)
        expect(found, "reached->velocity", kind="heap", element="float", stores=N)
        expect(found, "local", kind="local", element="float", dimensions="48", stores=N, function_name="work")
        expect(found, "kept", kind="static", element="float", dimensions="48", stores=N, function_name="work")
        if level == "-O0":  # later the compiler sees that nothing reads them
            expect(found, "rows[0]", kind="heap", element="float", stores=N)
            expect(found, "rows[1]", kind="heap", element="float", stores=N)


@test
def arrays_of_c_without_optimisation():
    check_c("-O0")


@test
def arrays_of_c_optimised_a_little():
    check_c("-O1")


@test
def arrays_of_c_optimised():
    check_c("-O2")


@test
def arrays_of_c_by_clang():
    check_c("-O0", "clang")
    check_c("-O2", "clang")


@test
def blocks_without_a_variable_are_named_by_their_allocation():
    with Folder() as folder:
        found = arrays(trace(folder, compiled(folder, "gcc", "denormal_arrays.c", "-O1")))
        blocks = [row for row in found.values() if row["kind"] == "block"]
        assert blocks, f"no block among {sorted(found)}"
        for row in blocks:
            assert row["name"].startswith("block allocated at denormal_arrays.c:"), row["name"]
            assert " in make, called at denormal_arrays.c:" in row["name"], row["name"]
            assert row["stores"] == N and row["variable"] is None and row["stack"] is not None, row
            assert row["element"] == "float" and row["is_assumed"] == 1, row


def check_fortran(level):
    with Folder() as folder:
        found = arrays(trace(folder, compiled(folder, "gfortran", "denormal_arrays.f90", level)))
        for name, kind, dimensions in (("field", "allocatable", "6:8"), ("own", "allocatable", "6:8"), ("mine", "pointer", "6:8"),
                                       ("view", "pointer", "6:8"), ("whole%inner", "allocatable", "48"),
                                       ("whole%fixed", "global", "4:12"), ("c1", "common", "4:12"), ("here", "local", "48")):
            expect(found, name, kind=kind, dimensions=dimensions, element="real(kind=4)", stores=N, is_assumed=0)
        expect(found, "table", kind="global", dimensions="6:8", element="real(kind=8)", stores=N)
        expect(found, "waves", kind="allocatable", dimensions="24", element="complex(kind=4)", element_bytes=8)
        expect(found, "automatic", stores=N, function_name="locals_")
        expect(found, "square", kind="allocatable", dimensions="7:7")
        expect(found, "parts", kind="allocatable", dimensions="3", element="part")
        turned = [row for row in found.values() if row["kind"] == "block"]
        assert len(turned) == 1 and turned[0]["name"].endswith(" in turn_"), [row["name"] for row in turned]
        assert turned[0]["stores"] + turned[0]["move_stores"] == 49, turned


@test
def arrays_of_fortran_without_optimisation():
    check_fortran("-O0")


@test
def arrays_of_fortran_optimised_a_little():
    check_fortran("-O1")


@test
def arrays_of_fortran_optimised():
    check_fortran("-O2")


def check_cxx(level):
    with Folder() as folder:
        found = arrays(trace(folder, compiled(folder, "g++", "denormal_arrays.cc", level)))
        expect(found, "result", kind="heap", element="double", bytes=384, stores=N, function_name="main")
        expect(found, "s.raw", kind="heap", element="double", stores=N)
        expect(found, "s.parts", kind="heap", element="particle", element_bytes=32, stores=10)
        expect(found, "global_vector", kind="heap", element="float")
        expect(found, "owned", kind="heap", element="double", stores=N)


@test
def containers_of_cxx_without_optimisation():
    check_cxx("-O0")


@test
def containers_of_cxx_optimised():
    check_cxx("-O2")


JACOBI = r"""
#include <assay/denormals.h>
#include <stdlib.h>
enum { SIZE = 40 };
float *a, *b;
__attribute__((noinline)) static void sweep(const float *from, float *to)
{
    for (int i = 1; i < SIZE - 1; i++)
        for (int j = 1; j < SIZE - 1; j++)
            to[i * SIZE + j] = 0.25f * (from[(i - 1) * SIZE + j] + from[(i + 1) * SIZE + j] + from[i * SIZE + j - 1] + from[i * SIZE + j + 1]);
}
int main(void)
{
    a = calloc(SIZE * SIZE, sizeof *a);
    b = calloc(SIZE * SIZE, sizeof *b);
    for (int i = 0; i < SIZE; i++)
        a[i] = b[i] = 1e-36f;
    for (int k = 0; k < 30; k++) {
        if (k % 10 == 0)
            ASSAY_DENORMAL_PHASE(k == 0 ? "first" : k == 10 ? "second" : "third");
        sweep(a, b);
        float *other = a;
        a = b;
        b = other;
    }
    return 0;
}
"""


def counts_of(row):
    packed = zlib.decompress(bytes.fromhex(row["counts"]) if isinstance(row["counts"], str) else bytes(row["counts"]))
    assert len(packed) == 4 * row["width"] * row["height"], row
    return [int.from_bytes(packed[i:i + 4], "little") for i in range(0, len(packed), 4)]


def jacobi(folder, *flags):
    source = os.path.join(folder, "jacobi.c")
    with open(source, "w") as file:
        file.write(JACOBI)
    return build(folder, [need("gcc")], [source], "-g", "-O1", "-I" + os.path.join(ROOT, "include"), *flags)


@test
def maps_add_up_to_the_counts_and_phases_to_the_run():
    with Folder() as folder:
        database = trace(folder, jacobi(folder))
        assert [row["name"] for row in rows(database, "select name from denormal_phases order by position")] == \
            ["start", "first", "second", "third"]
        found = rows(database, "select * from denormal_arrays")
        assert len(found) == 2, found
        for array in found:
            assert array["dimensions"] == "40:40" and array["is_assumed"] == 1, array
            maps = rows(database, "select phase, kind, width, height, shrink, largest, hex(counts) as counts from denormal_maps "
                                  f"where array = {array['id']} and source is null")
            phases = {row["phase"]: row for row in
                      rows(database, f"select * from denormal_array_phases where array = {array['id']}")}
            for kind in ("loads", "stores"):
                whole = [m for m in maps if m["kind"] == kind and m["phase"] is None]
                assert len(whole) == 1 and whole[0]["width"] == 40 and whole[0]["shrink"] == 1, whole
                cells = counts_of(whole[0])
                assert sum(cells) == array[kind] and max(cells) == whole[0]["largest"], (sum(cells), array)
                added = [0] * len(cells)
                for part in (m for m in maps if m["kind"] == kind and m["phase"] is not None):
                    its = counts_of(part)
                    assert sum(its) == phases[part["phase"]][kind], part["phase"]
                    added = [x + y for x, y in zip(added, its)]
                assert added == cells, f"{array['name']}: phases do not add up to the run"
                assert not any(cells[:40]), "the edge holds no denormals"


@test
def pointers_that_are_swapped_stay_two_arrays():
    with Folder() as folder:
        found = rows(trace(folder, jacobi(folder)), "select name, lives, stores from denormal_arrays")
        assert len(found) == 2 and all(row["lives"] == 1 and row["stores"] for row in found), found


@test
def static_programs_mark_phases_too():
    with Folder() as folder:
        database = trace(folder, jacobi(folder, "-static"))
        names = [row["name"] for row in rows(database, "select name from denormal_phases order by position")]
        assert names == ["start", "first", "second", "third"], names


FORK = r"""
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
float values[64];
__attribute__((noinline)) static void fill(float value)
{
    for (int i = 0; i < 64; i++)
        values[i] = value * (i + 1);
}
int main(int count, char **words)
{
    if (count > 1) {
        fill(1e-40f);
        return 0;
    }
    fill(1e-40f);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        fill(1e-40f);
        fill(1e-40f);
        exit(3);
    }
    waitpid(child, NULL, 0);
    return 0;
}
"""


@test
def a_child_has_a_run_of_its_own_that_counts_from_nothing():
    with Folder() as folder:
        source = os.path.join(folder, "fork.c")
        with open(source, "w") as file:
            file.write(FORK)
        database = trace(folder, build(folder, [need("gcc")], [source], "-g", "-O1"))
        found = rows(database, "select r.id, r.exit_status, a.stores from denormal_runs r join denormal_arrays a on a.run = r.id "
                               "where a.name = 'values' order by a.stores")
        assert [(row["exit_status"], row["stores"]) for row in found] == [(0, 64), (3, 128)], found


SIGNALS = r"""
#include <signal.h>
#include <unistd.h>
float values[64];
int main(void)
{
    for (int i = 0; i < 64; i++)
        values[i] = 1e-40f * (i + 1);
    kill(getpid(), SIGUSR1);
    for (volatile int i = 0; i < 1000; i++)
        ;
    for (int i = 0; i < 64; i++)
        values[i] *= 0.5f;
    return 0;
}
"""


@test
def a_signal_begins_a_phase():
    with Folder() as folder:
        source = os.path.join(folder, "signals.c")
        with open(source, "w") as file:
            file.write(SIGNALS)
        database = trace(folder, build(folder, [need("gcc")], [source], "-g", "-O1"))
        found = rows(database, "select p.name, x.stores from denormal_phases p join denormal_array_phases x on x.phase = p.id "
                               "order by p.position")
        assert [(row["name"], row["stores"]) for row in found] == [("start", 64), ("signal", 64)], found


FORTRAN_MARKS = r"""
program marks
    use iso_c_binding
    implicit none
    interface
        subroutine assay_denormal_phase(name) bind(c)
            use iso_c_binding
            character(kind=c_char), intent(in) :: name(*)
        end subroutine
    end interface
    real :: values(64)
    common /held/ values
    integer :: i
    do i = 1, 64
        values(i) = 1e-40 * i
    end do
    call assay_denormal_phase('later' // c_null_char)
    do i = 1, 64
        values(i) = values(i) * 0.5
    end do
end program
"""


@test
def fortran_marks_phases_and_runs_without_the_tools():
    with Folder() as folder:
        for name, content in (("marks.f90", FORTRAN_MARKS), ("marks.c", "#define ASSAY_DENORMAL_DEFINE\n#include <assay/denormals.h>\n")):
            with open(os.path.join(folder, name), "w") as file:
                file.write(content)
        object_file = os.path.join(folder, "marks.o")
        subprocess.run([need("gcc"), "-c", "-I" + os.path.join(ROOT, "include"), os.path.join(folder, "marks.c"), "-o", object_file],
                       check=True)
        program = build(folder, [need("gfortran")], [os.path.join(folder, "marks.f90"), object_file], "-g", "-O1")
        subprocess.run([program], check=True)
        database = trace(folder, program)
        names = [row["name"] for row in rows(database, "select name from denormal_phases order by position")]
        assert names == ["start", "later"], names


SWAP = r"""
#include <stdlib.h>
__attribute__((noinline)) static void sweep(const float *from, float *to, int count)
{
    for (int i = 1; i < count - 1; i++)
        to[i] = 0.5f * (from[i - 1] + from[i + 1]);
}
int main(int count, char **words)
{
    (void)words;
    count += 99;
    float *left = calloc(count, sizeof *left), *right = calloc(count, sizeof *right);
    left[0] = right[0] = 1e-30f;
    for (int k = 0; k < 50; k++) {
        sweep(left, right, count);
        sweep(right, left, count);
    }
    int result = left[5] > 1 || right[6] > 1;
    free(left);
    free(right);
    return result;
}
"""


@test
def variables_in_registers_of_outer_functions_name_blocks():
    for level in ("-O1", "-O2"):
        with Folder() as folder:
            source = os.path.join(folder, "swap.c")
            with open(source, "w") as file:
                file.write(SWAP)
            found = arrays(trace(folder, build(folder, [need("gcc")], [source], "-g", level)))
            assert sorted(found) == ["left", "right"], f"{level}: {sorted(found)}"
            expect(found, "left", kind="heap", function_name="main", bytes=400)


CONSTANTS = r"""
float workspace[16];
static const volatile union { unsigned bits; float number; } count = {.bits = 4}, tiny = {.number = 1e-39f};
__attribute__((noinline, noclone)) static void keep(float *place, float value)
{
    *place = value;
}
int main(void)
{
    keep(&workspace[1], count.number);
    keep(&workspace[2], tiny.number);
    return workspace[2] > 1;
}
"""


@test
def integers_in_floating_point_registers_are_no_denormals():
    """As vectorised code keeps them in a workspace of floats; a constant that comes the same way is a number once it is
    computed with."""
    with Folder() as folder:
        source = os.path.join(folder, "constants.c")
        with open(source, "w") as file:
            file.write(CONSTANTS)
        found = arrays(trace(folder, build(folder, [need("gcc")], [source], "-g", "-O2")))
        expect(found, "workspace", stores=0, integer_stores=2, loads=1, integer_loads=0)


ROWS = r"""
#include <stdlib.h>
float *table[64];
float **matrix;
__attribute__((noinline)) static void fill(float *row, int count)
{
    for (int i = 0; i < count; i++)
        row[i] = 1e-40f * (i + 1);
}
int main(void)
{
    matrix = malloc(32 * sizeof *matrix);
    for (int i = 0; i < 64; i++)
        table[i] = malloc(16 * sizeof(float));
    for (int i = 0; i < 32; i++)
        matrix[i] = malloc(24 * sizeof(float));
    for (int i = 0; i < 64; i++)
        fill(table[i], 16);
    for (int i = 0; i < 32; i++)
        fill(matrix[i], 24);
    return 0;
}
"""


@test
def rows_behind_pointers_are_one_array():
    with Folder() as folder:
        source = os.path.join(folder, "rows.c")
        with open(source, "w") as file:
            file.write(ROWS)
        found = arrays(trace(folder, build(folder, [need("gcc")], [source], "-g", "-O2")))
        expect(found, "table", kind="heap", element="float", lives=64, stores=64 * 16)
        expect(found, "matrix", kind="heap", element="float", lives=32, stores=32 * 24)


def tracer():
    folder = os.path.join(os.environ.get("ASSAY_RUNTIME", os.path.join(os.path.dirname(ASSAY), "runtime")), "denormal-trace")
    if not os.path.isdir(folder):
        raise Lacking("this build has no tracer")
    return folder


LISTS = ["", "assay-arrays 2\n", "assay-arrays 1", "assay-arrays 1\nvariable 1 g x\n", "assay-arrays 1\nmodule\n", "\0" * 5000,
         "assay-arrays 1\nmodule /x\nfunction 0 0 -\nvariable 1 g x\nplace 0 0 a 0 99999999999999999999\ndata -1 0 a 0 4 4 1 9 float\tx\n",
         "assay-arrays 1\nmodule PROGRAM\nfunction 0 0 -\nvariable 1 g x\nplace 0 0 A 0 -5\nplace 0 0 r 77 0\nplace 0 0 b 7 0\n"
         "data -1 0 d 0 4 4 7 0 0 0 0 0 0 0 float\tx\ndata 0 1 q 0 4 4 0 float\tx\n",
         "assay-arrays 1\nmodule PROGRAM\nfunction ffffffffffffffff 0 -\nfunction 0 ffffffffffffffff -\nsaved 0 ffffffffffffffff 3 -16 3\n",
         "assay-arrays 1\nmodule PROGRAM\nfunction 0 ffffffffffffffff -\nsaved 0 ffffffffffffffff 3 -16 12 1000000000\nvariable 1 l x\n"
         "place 0 0 b 3 0\nplace 0 0 f 0 -100000000000\ndata -1 0 a 0 4 4 1 1099511627776 float\tx\nvariable 2 p y\nplace 0 0 F 0 0\n"
         "data 8 8 p 8 4 4 0 float\ty\ndata -1 0 a 0 4 1048576 3 1099511627776 1099511627776 1099511627776 float\ty\n"]


@test
def lists_that_are_damaged_or_lie_do_no_harm():
    need("valgrind")
    with Folder() as folder:
        program = compiled(folder, "gcc", "denormal_arrays.c", "-O1")
        for number, content in enumerate(LISTS):
            list_file = os.path.join(folder, "list")
            with open(list_file, "w") as file:
                file.write(content.replace("PROGRAM", program))
            output = os.path.join(folder, f"{number}.trace")
            result = watched(["valgrind", "-q", "--tool=denormal-trace", f"--arrays={list_file}", f"--output={output}", program],
                             env={**os.environ, "VALGRIND_LIB": tracer()})
            assert result.returncode == 0, f"list {number}: {result.stderr.decode()[-500:]}"
            with open(output, "rb") as file:
                recording = file.read()
            assert recording.startswith(b"assay dart 001\n"), number
            if number < 6 or number == 8:
                assert b"the list of arrays" in recording, f"list {number}: nothing said that it could not be read"


run()
