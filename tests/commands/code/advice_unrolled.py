"""Advice about small loops that GCC unrolls twice, as 13 and later do at -O2 for x86-64: it is that of the plain loop."""
# first build only: the same rules with other code
import os

from harness import Folder, build, cross, need, rows, run, test

SOURCE = r"""
enum { COLUMNS = 64 };
void columns(double *restrict sums, double (*restrict a)[COLUMNS], int rows, int columns)
{
    for (int i = 0; i < columns; i++) {
        double sum = 0;
        for (int j = 0; j < rows; j++)
            sum += a[j][i];
        sums[i] = sum;
    }
}
void in_place(int *restrict x, int n)
{
    for (int i = 0; i < n; i++)
        x[i] ^= 0x55;
}
"""
QUERY = ("select f.name as function, r.name as rule from advice a join rules r on r.id = a.rule join loops l on l.id = a.loop "
         "join functions f on f.id = l.function where a.level in ('gain', 'potential')")
ROLES = "select f.name as function, r.unroll from loop_roles r join loops l on l.id = r.loop join functions f on f.id = l.function"


@test
def advice_is_that_of_the_plain_loop():
    for options in (["-fno-unroll-loops"], ["-funroll-loops", "--param", "max-unroll-times=2"]):
        with Folder() as folder:
            path = os.path.join(folder, "loops.c")
            with open(path, "w") as file:
                file.write(SOURCE)
            program = build(folder, [need(cross("gcc", "x86_64"))], [path], "-O2", "-g", *options, "-c", output="loops.o")
            wanted = 2 if "-funroll-loops" in options else 1
            unrolled = {row["function"]: row["unroll"] for row in rows(program, ROLES) if row["function"] == "in_place"}
            assert unrolled == {"in_place": wanted}, (options, unrolled)
            found = {(row["function"], row["rule"]) for row in rows(program, QUERY, "--machine", "sapphire-rapids")}
            assert {("columns", "loop-order"), ("in_place", "not-vectorised")} <= found, (options, found)


run()
