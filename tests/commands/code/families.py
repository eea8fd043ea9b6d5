"""Which loops of the code come from one source loop, their roles, and how many source iterations they do."""
import os

from harness import PROGRAMS, Folder, command, cross, need, rows, run, test

# A sum of threads: each adds its own to that of all by a loop that tries until nobody came between.
REDUCTIONS = """
#include <math.h>
double roots(const double *a, const double *b, const int *first, const int *second, int n)
{
    double sum = 0;
    #pragma omp parallel for reduction(+:sum)
    for (int i = 0; i < n; i++)
        sum += sqrt(a[first[i]] / b[second[i]]);
    return sum;
}
double sum(const double *a, int n)
{
    double sum = 0;
    #pragma omp parallel for reduction(+:sum)
    for (int i = 0; i < n; i++)
        sum += a[i];
    return sum;
}
"""
QUERY = """select f.name as function, r.family, r.role, r.iterations, r.unroll, l.first_line, l.id
           from loop_roles r join loops l on l.id = r.loop join functions f on f.id = l.function order by l.id"""


def families(path):
    """By function: a list of families, each a sorted list of (role, iterations, unroll)."""
    found = {}
    for row in rows(path, QUERY):
        function = found.setdefault(row["function"], {})
        function.setdefault(row["family"], []).append((row["role"], row["iterations"], row["unroll"]))
    return {name: sorted((sorted(members, key=str) for members in by_family.values()), key=str)
            for name, by_family in found.items()}


def compiled(folder, compiler, *flags, source="families.c"):
    need(compiler[0])
    path = os.path.join(folder, "families.o")
    command([*compiler, "-g", "-c", *flags, "-o", path, os.path.join(PROGRAMS, source)])
    return families(path)


def expect(found, expected):
    for function, members in expected.items():
        assert found[function] == members, f"{function}: {found[function]}, expected {members}"


def main_and_tail(iterations, unroll):
    return [("main", iterations, unroll), ("tail", 1, 1)]


@test
def gcc_at_O2_keeps_loops_as_they_are():
    with Folder() as folder:
        found = compiled(folder, [cross("gcc", "x86_64")], "-O2", "-fno-unroll-loops")
        plain = [("only", 1, 1)]
        expect(found, {"add": [plain], "overlap": [plain], "sum": [plain], "count": [plain], "two": [plain, plain],
                       "line": [plain, plain], "twice": [plain, plain], "product": [plain], "bytes": [plain]})
        # the loop unrolled by hand was vectorised within an iteration: nothing shows how much that does
        assert found["hand"] == [[("only", 1, 1)], [("only", None, None)]], found["hand"]


@test
def gcc_lays_out_tails_as_straight_code():
    with Folder() as folder:
        found = compiled(folder, [cross("gcc", "x86_64")], "-O3")
        pair, quartet = [("only", 2, 1)], [("only", 4, 1)]
        expect(found, {"add": [pair], "overlap": [[("main", 2, 1), ("version", 1, 1)]], "count": [quartet],
                       "two": [quartet, quartet], "line": [pair, pair], "twice": [quartet, quartet],
                       "bytes": [[("only", 16, 1)]]})


@test
def gcc_unrolls_vector_loops():
    """Four lanes, eight times.  -mno-stv: gcc 14 would add single integers of the tail in vector registers, too."""
    with Folder() as folder:
        found = compiled(folder, [cross("gcc", "x86_64")], "-O3", "-march=x86-64-v3", "-funroll-loops", "-mno-stv")
        wide, half = [("only", 64, 8)], [("only", 32, 8)]
        expect(found, {"add": [half], "overlap": [[("main", 32, 8), ("version", 8, 8)]], "count": [wide],
                       "two": [wide, wide], "line": [half, half], "twice": [wide, wide], "bytes": [[("only", 256, 8)]]})


@test
def gcc_unrolls_scalar_loops():
    with Folder() as folder:
        found = compiled(folder, [cross("gcc", "x86_64")], "-O2", "-fno-tree-vectorize", "-funroll-loops")
        eight = [("only", 8, 8)]
        expect(found, {"add": [eight], "overlap": [eight], "sum": [eight], "count": [eight], "two": [eight, eight],
                       "twice": [eight, eight]})


def clang(folder, target, vectors, *flags):
    """What every version of clang makes: so many vectors in an iteration, loops that are not unrolled further."""
    return compiled(folder, ["clang", f"--target={target}-linux-gnu"], "-fno-unroll-loops", "-mllvm", f"-force-vector-interleave={vectors}", *flags)


@test
def clang_makes_main_loops_and_tails():
    with Folder() as folder:
        found = clang(folder, "x86_64", 4, "-O2")
        wide, narrow = main_and_tail(16, 4), main_and_tail(8, 4)
        # the tail of overlap serves pointers that overlap, too
        expect(found, {"add": [narrow], "overlap": [narrow], "sum": [[("only", 1, 1)]], "count": [wide], "two": [wide, wide],
                       "line": [narrow, narrow], "twice": [wide, wide], "product": [narrow],
                       "bytes": [[("main", 64, 4), ("tail", 1, 1), ("tail", 8, 1)]]})
        # vectors are loaded, their elements added in order
        found = clang(folder, "x86_64", 2, "-O2", "-mllvm", "-force-ordered-reductions=true")
        expect(found, {"sum": [main_and_tail(4, 2)]})


@test
def clang_unrolls_as_it_likes():
    """How often depends on its version; what an iteration then does, and that there is a tail of single iterations, does not."""
    with Folder() as folder:
        found = compiled(folder, ["clang", "--target=x86_64-linux-gnu"], "-O2")
        for function, lanes, loops in (("add", 2, 1), ("sum", 1, 1), ("count", 4, 1), ("two", 4, 2), ("line", 2, 2), ("twice", 4, 2), ("product", 2, 1)):
            assert len(found[function]) == loops, (function, found[function])
            for (role, iterations, unroll), *tails in found[function]:
                assert role == "main" and unroll in (2, 4, 8) and iterations == lanes * unroll, (function, found[function])
                assert tails[0] == ("tail", 1, 1) and all(tail[0] == "tail" and tail[1] == lanes * tail[2] for tail in tails[1:]), (function, found[function])
        assert [role for role, _, _ in found["overlap"][0]] == ["main", "tail"], found["overlap"]


@test
def clang_for_wider_vectors():
    with Folder() as folder:
        # without SLP, which makes a vector of the four additions of an iteration of hand: nothing shows how much that does
        found = clang(folder, "x86_64", 8, "-O3", "-march=x86-64-v3", "-fno-slp-vectorize")
        expect(found, {"add": [main_and_tail(32, 8)], "two": [main_and_tail(64, 8)] * 2,
                       "twice": [main_and_tail(64, 8)] * 2, "product": [main_and_tail(32, 8)],
                       "bytes": [[("main", 256, 8), ("tail", 1, 1), ("tail", 16, 1)]], "hand": [main_and_tail(32, 8)] * 2})


@test
def vectors_that_are_loaded_in_pieces_have_tails():
    """GCC loads the floats of two vectors of doubles once as a whole and once in part: the loads do not show the ratio."""
    source = ("double mean(const float *v, int n)\n{\n    double s = 0;\n#pragma omp simd reduction(+ : s)\n"
              "    for (int i = 0; i < n; i++)\n        s += v[i];\n    return s;\n}\n")
    with Folder() as folder:
        path, output = os.path.join(folder, "mean.c"), os.path.join(folder, "mean.o")
        with open(path, "w") as out:
            out.write(source)
        command([need(cross("gcc", "x86_64")), "-g", "-O2", "-fopenmp-simd", "-march=skylake-avx512",
                 "-mprefer-vector-width=512", "-c", "-o", output, path])
        roles = [[role for role, _, _ in family] for family in families(output)["mean"]]
        assert ["main", "tail"] in roles and not any("version" in family for family in roles), roles


@test
def lines_without_columns():
    with Folder() as folder:
        found = clang(folder, "x86_64", 4, "-O2", "-gno-column-info")
        expect(found, {"add": [main_and_tail(8, 4)], "two": [main_and_tail(16, 4)] * 2})


@test
def aarch64_of_gcc():
    with Folder() as folder:
        found = compiled(folder, [cross("gcc", "aarch64")], "-O3")
        pair, quartet = [("only", 2, 1)], [("only", 4, 1)]
        expect(found, {"add": [pair], "overlap": [[("main", 2, 1), ("version", 1, 1)]], "sum": [[("only", 1, 1)]],
                       "count": [quartet], "two": [quartet, quartet], "twice": [quartet, quartet]})


@test
def aarch64_of_clang():
    with Folder() as folder:
        found = clang(folder, "aarch64", 2, "-O2", "-mllvm", "-force-ordered-reductions=false")
        expect(found, {"add": [main_and_tail(4, 2)], "overlap": [main_and_tail(4, 2)], "sum": [[("only", 1, 1)]],
                       "count": [main_and_tail(8, 2)], "two": [main_and_tail(8, 2)] * 2,
                       "twice": [main_and_tail(8, 2)] * 2, "product": [main_and_tail(4, 2)]})


@test
def sve_loops_need_no_tail():
    with Folder() as folder:
        found = compiled(folder, [cross("gcc", "aarch64")], "-O3", "-march=armv8.2-a+sve")
        alone = [("only", None, None)]
        expect(found, {"add": [alone], "two": [alone, alone], "twice": [alone, alone], "bytes": [alone]})


FORTRAN = """subroutine arrays(x, y, z)
  real(4), intent(in) :: x(:), y(:)
  real(4), intent(out) :: z(:)
  z = x * y + 1.0
  z = z - y
end subroutine
subroutine roots(n, x, y)
  integer, intent(in) :: n
  real(8) :: x(n), y(n)
  integer :: i
  !$omp simd
  do i = 1, n
    y(i) = sqrt(x(i))
  end do
end subroutine
"""


@test
def fortran():
    with Folder() as folder:
        source, path = os.path.join(folder, "arrays.f90"), os.path.join(folder, "arrays.o")
        with open(source, "w") as file:
            file.write(FORTRAN)
        command([need(cross("gfortran", "x86_64")), "-g", "-O3", "-fopenmp-simd", "-c", "-o", path, source])
        found = families(path)
        # for strides that are not one there is a version of each
        expect(found, {"arrays_": [[("main", 4, 1), ("version", 1, 1)]] * 2, "roots_": [[("only", 2, 1)]]})


# A peel loop until the address is aligned, a main loop of two vectors, and a tail.
PEELED = """    .text
    .globl kernel
    .type kernel, @function
    .file 1 "kernel.c"
kernel:
    .loc 1 1 1
    test %rdx, %rdx
    jz 4f
1:  .loc 1 3 9
    test $15, %dil
    jz 2f
    movsd (%rdi), %xmm0
    addsd %xmm1, %xmm0
    .loc 1 3 14
    movsd %xmm0, (%rdi)
    .loc 1 2 5
    add $8, %rdi
    dec %rdx
    jnz 1b
    jmp 4f
2:  cmp $4, %rdx
    jb 3f
5:  .loc 1 3 9
    movapd (%rdi), %xmm0
    movapd 16(%rdi), %xmm2
    addpd %xmm1, %xmm0
    addpd %xmm1, %xmm2
    .loc 1 3 14
    movapd %xmm0, (%rdi)
    movapd %xmm2, 16(%rdi)
    .loc 1 2 5
    add $32, %rdi
    sub $4, %rdx
    cmp $4, %rdx
    jae 5b
    test %rdx, %rdx
    jz 4f
3:  .loc 1 3 9
    movsd (%rdi), %xmm0
    addsd %xmm1, %xmm0
    .loc 1 3 14
    movsd %xmm0, (%rdi)
    .loc 1 2 5
    add $8, %rdi
    dec %rdx
    jnz 3b
4:  .loc 1 4 1
    ret
    .size kernel, . - kernel
"""


@test
def peel_loops_come_before():
    with Folder() as folder:
        source, path = os.path.join(folder, "peeled.s"), os.path.join(folder, "peeled.o")
        with open(source, "w") as file:
            file.write(PEELED)
        command([need(cross("as", "x86_64")), "-o", path, source])
        assert [(row["role"], row["iterations"], row["unroll"]) for row in rows(path, QUERY)] == \
            [("peel", 1, 1), ("main", 4, 2), ("tail", 1, 1)]


@test
def the_sum_of_threads_is_no_tail():
    """Its loop locks what it changes, and neither divides nor takes roots: it says nothing about the iterations of the other."""
    with Folder() as folder:
        source, path = os.path.join(folder, "reductions.c"), os.path.join(folder, "reductions.o")
        with open(source, "w") as file:
            file.write(REDUCTIONS)
        for flags in (["-O2"], ["-O3"], ["-O2", "-g1"], ["-Ofast", "-g1"]):
            command([need(cross("gcc", "x86_64")), "-g", "-fopenmp", *flags, "-c", "-o", path, source])
            locked = {row["loop"] for row in rows(path, """select distinct b.loop from code c join encodings e on e.id = c.encoding
                join blocks b on b.id = c.block where e.class = 'atomic' and b.loop is not null""")}
            assert len(locked) == 2, (flags, locked)
            for row in rows(path, QUERY):
                assert row["role"] == "only", (flags, row)
                if row["function"].startswith("roots") and row["id"] not in locked:
                    assert row["iterations"] in ((2, None) if "-Ofast" in flags else (1, None)), (flags, row)


@test
def without_lines_every_loop_is_alone():
    with Folder() as folder:
        path = os.path.join(folder, "families.o")
        command([need(cross("gcc", "x86_64")), "-O3", "-c", "-o", path, os.path.join(PROGRAMS, "families.c")])
        for function, found in families(path).items():
            for members in found:
                assert members == [("only", None, None)], (function, members)


@test
def compilers_are_known_without_debug_information():
    with Folder() as folder:
        source, path = os.path.join(PROGRAMS, "families.c"), os.path.join(folder, "families.o")
        command([need(cross("gcc", "x86_64")), "-O2", "-c", "-o", path, source])
        assert rows(path, "select compiler from programs")[0]["compiler"].startswith("GCC: (")
        command([need("clang"), "--target=x86_64-linux-gnu", "-O2", "-frecord-command-line", "-c", "-o", path, source])
        compiler = rows(path, "select compiler from programs")[0]["compiler"].split("; ")
        assert "clang version" in compiler[0] and " -O2 " in compiler[1], compiler


run()
