#!/usr/bin/env python3
"""Where loops are said to be: at the line of their own program, also where the compiler inlined a function of a header."""
# first build only: the same C code as in report.py, on other programs
import csv, io, json, os, re

from harness import Folder, assay, build, cross, need, run, test, text

PROGRAM = r"""
#include <algorithm>
#include <numeric>
#include <vector>
#include "util.h"
static double total(const std::vector<double> &v)
{
    return std::accumulate(v.begin(), v.end(), 0.0); /* accumulates */
}
double outer(const std::vector<double> &v)
{
    return total(v) + 1;
}
void order(std::vector<int> &v)
{
    std::sort(v.begin(), v.end()); /* sorts */
}
double scaled(const double *p, long n)
{
    return util_sum(p, n); /* scales */
}
static inline double squares(const double *p, long n)
{
    double s = 0;
    for (long i = 0; i < n; i++)
        s += p[i] * p[i]; /* squares */
    return s;
}
double same(const double *p, long n)
{
    return squares(p, n); /* calls */
}
"""
HEADER = r"""
static inline double util_sum(const double *p, long n)
{
    double s = 0;
    for (long i = 0; i < n; i++)
        s += p[i]; /* adds */
    return s;
}
"""
FORTRAN = """
subroutine fill(a, n)
  integer :: n
  real(8) :: a(n)
  call scale(a)
contains
  subroutine scale(b)
    real(8), intent(inout) :: b(:)
    integer :: i
    do i = 1, size(b)
      b(i) = b(i) / 3.7d0
    end do
  end subroutine
end subroutine
"""


def line_of(source, mark):
    return source[:source.index(mark)].count("\n") + 1


def compiled(folder):
    for name, content in (("bugs.cpp", PROGRAM), ("util.h", HEADER)):
        with open(os.path.join(folder, name), "w") as file:
            file.write(content)
    return build(folder, [need(cross("g++", "x86_64"))], [os.path.join(folder, "bugs.cpp")], "-O2", "-g", "-c", output="bugs.o")


def page(file, *words):
    return re.sub(r"\s+", " ", text("report", file, "--machine", "skylake", *words))


@test
def inlined_loops_are_at_the_users_own_line():
    with Folder() as folder:
        file = compiled(folder)
        loops = json.loads(text("report", file, "--json", "--machine", "skylake"))["loops"]
        by_function = {loop["function_demangled"].split("(")[0]: loop for loop in loops}
        for function, mark, origin in (("outer", "/* accumulates */", "stl_numeric.h"), ("order", "/* sorts */", "stl_algo.h"),
                                       ("scaled", "/* scales */", "util.h")):
            loop, line = by_function[function], line_of(PROGRAM, mark)
            assert loop["own_file"].endswith("/bugs.cpp") and loop["own_line"] == line, loop
            assert loop["file"].endswith("/" + origin), loop
            assert re.search(rf"loop {loop['loop']} in {function}\(.*\), \S*bugs.cpp:{line}, inlined from "
                             rf"{origin}:{loop['first_line']}\b", page(file, "--loop", loop["loop"])), page(file, "--loop", loop["loop"])
            for place in (f"bugs.cpp:{line}", f"{origin}:{loop['first_line']}"):
                found = csv.DictReader(io.StringIO(text("report", file, "--csv", "--machine", "skylake", "--line", place)))
                assert str(loop["loop"]) in {row["loop"] for row in found}, place
        loop = by_function["same"]
        assert loop["own_file"] == loop["file"] and loop["own_line"] == loop["first_line"], loop
        assert f"inlined at line {line_of(PROGRAM, '/* calls */')}" in page(file, "--loop", loop["loop"])
        sort = [loop for loop in loops if "__introsort_loop" in loop["function"]]
        assert sort and all(loop["own_file"] == loop["file"] for loop in sort), sort
        assay("report", file, "--line", "bugs.cpp:1", "--machine", "skylake", status=1)


@test
def a_database_knows_the_same_places():
    with Folder() as folder:
        file, database = compiled(folder), os.path.join(folder, "bugs.db")
        assay("db", file, "-o", database, "-q", "--paths", 64)
        place = f"bugs.cpp:{line_of(PROGRAM, '/* accumulates */')}"
        assert page(database, "--line", place).replace(database, file) == page(file, "--line", place)


@test
def contained_procedures_are_at_their_own_lines():
    with Folder() as folder:
        source = os.path.join(folder, "fill.f90")
        with open(source, "w") as file:
            file.write(FORTRAN)
        file = build(folder, [need(cross("gfortran", "x86_64"))], [source], "-O2", "-g", "-c", output="fill.o")
        line, call = line_of(FORTRAN, "b(i) = b(i)"), line_of(FORTRAN, "call scale")
        for place in (f"fill.f90:{line}", f"fill.f90:{call}"):
            words = page(file, "--line", place)
            assert re.search(rf"fill.f90:\d+-{line}, inlined at line {call}\b|fill.f90:{line}, inlined at line {call}\b", words), words


run()
