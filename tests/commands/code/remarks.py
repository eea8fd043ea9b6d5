#!/usr/bin/env python3
"""assay report --remarks: what GCC and Clang recorded of their vectoriser beside the loops that it made, in text, page, JSON, SQL and
databases; records found by themselves, and when not; records that are damaged, hostile or another program's."""
# first build only: mostly compiles; reading records has unit tests and a harness (remarks)
import gzip, json, os, re, shutil, sqlite3

from harness import Fail, Folder, assay, command, cross, MACHINE, need, rows, run, test, text, uncertain

LOOPS = """
#include <math.h>
void scale(float *restrict a, const float *restrict b, int n)
{
    for (int i = 0; i < n; i++)
        a[i] = 2 * b[i];
}
void scatter(float *a, const float *b, const int *at, int n)
{
    for (int i = 0; i < n; i++)
        a[at[i]] += b[i];
}
int find(const int *x, int n, int v)
{
    for (int i = 0; i < n; i++)
        if (x[i] == v)
            return i;
    return -1;
}
int next(int);
void call(int *x, int n)
{
    for (int i = 0; i < n; i++)
        x[i] = next(x[i]);
}
double sum(const double *x, int n)
{
    double s = 0;
    for (int i = 0; i < n; i++)
        s += x[i];
    return s;
}
static inline void copy(int *a, const int *at, int n)
{
    for (int i = 0; i < n; i++)
        a[i] = a[at[i]];
}
void both(int *a, int *b, int n)
{
    copy(a, b, n);
    copy(b, a, n);
}
"""
FORTRAN = """
subroutine follow(n, a, b)
  integer, intent(in) :: n
  real, intent(inout) :: a(n)
  real, intent(in) :: b(n)
  integer :: i
  do i = 2, n
    a(i) = a(i - 1) * b(i)
  end do
end subroutine
"""
RECORD = "-fsave-optimization-record"
COLUMNS = """select l.first_line, f.name as "in", r.verdict, r.reason, r.text, r.name, r.line, r.reason_line, r.agreement, r.compiler,
 r.record, r.file from remarks r join loops l on l.id = r.loop join functions f on f.id = l.function order by r.id"""


def compile_in(folder, *words, source=LOOPS, name="loops.c"):
    with open(os.path.join(folder, name), "w") as file:
        file.write(source)
    command(["sh", "-c", 'cd "$0" && exec "$@"', folder, *words])


def answers(path, *words):
    """The first row of each function."""
    found = {}
    for row in rows(path, COLUMNS, *words):
        found.setdefault(row["in"], row)
    return found


def expect(row, **wanted):
    got = {name: row[name] for name in wanted}
    assert got == wanted, (got, wanted)


@test
def records_of_gcc():
    with Folder() as folder:
        compile_in(folder, need("gcc"), "-O2", "-ftree-vectorize", "-g", RECORD, "-c", "loops.c")
        found = answers(os.path.join(folder, "loops.o"))
        expect(found["scale"], verdict="vectorised", agreement="agrees", line=5, reason=None)
        assert "byte vectors" in found["scale"]["text"] or "variable length" in found["scale"]["text"], found["scale"]
        expect(found["scatter"], verdict="not vectorised", agreement="agrees", line=10, reason_line=11)
        # Versions and machines stumble over different things there.
        assert found["scatter"]["reason"] in ("dependence", "aliasing", "access", "operation"), found["scatter"]
        assert found["find"]["line"] in (15, 16), found["find"]
        expect(found["call"], verdict="not vectorised", reason="call", line=23, reason_line=24, agreement="agrees", file="loops.c")
        assert "clobbers memory" in found["call"]["text"], found["call"]
        assert found["both"]["reason"] in ("dependence", "aliasing", "access", "operation"), found["both"]
        assert found["call"]["compiler"].startswith("GCC 1"), found["call"]
        assert found["call"]["record"].endswith("/loops.c.opt-record.json.gz"), found["call"]


@test
def records_of_clang():
    with Folder() as folder:
        compile_in(folder, need("clang"), "-O2", "-g", RECORD, "-c", "loops.c")
        found = answers(os.path.join(folder, "loops.o"))
        expect(found["scale"], verdict="vectorised", agreement="agrees", line=5, compiler="LLVM", name="Vectorized")
        expect(found["sum"], verdict="not vectorised", reason="order of sums", line=29, reason_line=30, name="CantReorderFPOps",
               agreement="agrees")
        expect(found["call"], verdict="not vectorised", reason="call", line=23, reason_line=24)
        assert found["find"]["line"] == 15, found["find"]
        assert found["scatter"]["reason"] in ("aliasing", "dependence"), found["scatter"]


@test
def records_of_gfortran():
    with Folder() as folder:
        compile_in(folder, need("gfortran"), "-O3", "-g", RECORD, "-c", "follow.f90", source=FORTRAN, name="follow.f90")
        found = answers(os.path.join(folder, "follow.o"))
        expect(found["follow_"], verdict="not vectorised", reason="dependence", line=7, reason_line=8, agreement="agrees")


@test
def other_instruction_set():
    """SVE's vectors have no length that GCC knows; the record of the other machine is read like ours."""
    for machine, options in ("aarch64", ["-march=armv8.2-a+sve"]), ("x86_64", ["-march=x86-64-v3"]):
        with Folder() as folder:
            compile_in(folder, need(cross("gcc", machine)), "-O3", "-g", *options, RECORD, "-c", "loops.c")
            found = answers(os.path.join(folder, "loops.o"))
            expect(found["scale"], verdict="vectorised", agreement="agrees")
            expect(found["call"], verdict="not vectorised", reason="call")


@test
def said_in_every_form():
    with Folder() as folder:
        compile_in(folder, need("gcc"), "-O2", "-g", RECORD, "-c", "loops.c")
        path = os.path.join(folder, "loops.o")
        answer = " ".join(text("report", path, "--function", "call", "--quiet").split())
        assert "did not vectorise it: statement clobbers memory: " in answer and "(line 24)" in answer, answer
        assert "That is: the loop calls a function that has no form for vectors." in answer, answer
        whole = " ".join(text("report", path, "--quiet").split())
        assert "the compiler's records say that " in whole, whole
        told = json.loads(text("report", path, "--json", "--function", "call", "--quiet"))["loops"][0]["remarks"]
        assert [r["reason"] for r in told] == ["call"] and told[0]["agreement"] == "agrees", told
        page = text("report", path, "--html", "--quiet")
        assert "did not vectorise it: statement clobbers memory" in page
        assert "compiler's records say" not in text("report", path, "--remarks", "none", "--quiet")
        assert not json.loads(text("report", path, "--json", "--remarks", "none", "--quiet"))["loops"][0]["remarks"]


@test
def kept_in_databases():
    with Folder() as folder:
        compile_in(folder, need("gcc"), "-O2", "-g", RECORD, "-c", "loops.c")
        path, database = os.path.join(folder, "loops.o"), os.path.join(folder, "loops.db")
        assay("db", path, "--report", "-o", database)
        os.remove(os.path.join(folder, "loops.c.opt-record.json.gz"))
        expect(answers(database)["call"], reason="call")
        assert "clobbers memory" in text("report", database, "--function", "call", "--quiet")
        assert "clobbers memory" not in text("report", path, "--function", "call", "--quiet")
        with sqlite3.connect(database) as connection:  # a stranger's: rows without texts
            connection.execute("update remarks set compiler = null, text = null")
        connection.close()
        for words in [], ["--html"]:
            page = text("report", database, "--function", "call", "--quiet", *words)
            assert "A compiler did not vectorise it" in page and "(null) did" not in page, (words, [line for line in page.splitlines() if "vectorise it" in line])


def sum_in_order(folder, *flags):
    source = "double sum(const double *x, int n)\n{\n    double s = 0;\n    for (int i = 0; i < n; i++)\n        s += x[i];\n    return s;\n}\n"
    compile_in(folder, need("gcc"), *flags, "-g", RECORD, "-c", "sum.c", source=source, name="sum.c")
    return os.path.join(folder, "sum.o")


@test
def where_they_disagree():
    """The record of a build with vectors beside the code of one without, and the other way round."""
    with Folder() as folder:
        with_vectors, without = os.path.join(folder, "with"), os.path.join(folder, "without")
        for place, options in (with_vectors, ["-ftree-vectorize"]), (without, ["-fno-tree-vectorize"]):
            os.mkdir(place)
            compile_in(place, need("gcc"), "-O2", *options, "-g", RECORD, "-c", "loops.c")
        clang = os.path.join(folder, "clang")
        os.mkdir(clang)
        record = os.path.join(with_vectors, "loops.c.opt-record.json.gz")
        found = answers_of_report(os.path.join(without, "loops.o"), record)
        assert found["scale"]["agreement"] == "no vectors", found["scale"]
        said = " ".join(text("report", os.path.join(without, "loops.o"), "--remarks", record, "--quiet").split())
        assert "the code of " in said and "The code disagrees: no loop made from these lines computes with vectors." in said, said
        # A record that says no, of code that has vectors: the options of the record's compilation were others.
        compile_in(clang, "gcc", "-O2", "-fno-tree-loop-vectorize", "-ftree-slp-vectorize", "-g", RECORD, "-c", "loops.c")
        with gzip.open(record, "rt") as file:
            changed = file.read().replace("loop vectorized using", "nothing").replace("optimized: ", "")
        denied = os.path.join(folder, "denied.opt-record.json")
        with open(denied, "w") as file:
            file.write(changed.replace('"kind": "success"', '"kind": "failure"').replace('"nothing', '"couldn\'t vectorize loop nothing'))
        found = answers_of_report(os.path.join(with_vectors, "loops.o"), denied)
        assert found["scale"]["agreement"] == "has vectors", found["scale"]
        said = " ".join(text("report", os.path.join(with_vectors, "loops.o"), "--remarks", denied, "--quiet").split())
        assert "The code disagrees: it computes with vectors" in said, said


def answers_of_report(path, record):
    """Remarks of the report by the names of functions."""
    told = json.loads(text("report", path, "--remarks", record, "--json", "--quiet"))
    found = {}
    for loop in told["loops"]:
        for remark in loop["remarks"]:
            found.setdefault(remark["function"], remark)
    return found


@test
def vectors_that_only_move():
    """Structures are copied and zeroed by vectors in loops that no vectoriser touched: nobody disagrees there."""
    source = """
struct part { double a[2]; long at, end; };
int next(int);
void move(struct part *to, const struct part *from, const int *order, int n)
{
    for (int i = 0; i < n; i++)
        to[order[next(i)]] = from[i];
}
"""
    with Folder() as folder:
        compile_in(folder, need("gcc"), "-O2", "-g", RECORD, "-c", "loops.c", source=source)
        path = os.path.join(folder, "loops.o")
        expect(answers(path)["move"], verdict="not vectorised", reason="call", agreement="agrees")
        moved = rows(path, "select max(vector_ratio) as most from loop_metrics")[0]["most"]
        assert moved > 0 or MACHINE != "x86_64", "the copy is by vectors"


@test
def sums_in_order():
    """GCC calls the in-order sum vectorised; where its additions are scalar, the code disagrees."""
    if MACHINE != "x86_64":
        need(cross("gcc", "x86_64"))
    with Folder() as folder:
        compile_in(folder, cross("gcc", "x86_64"), "-O3", "-g", RECORD, "-c", "loops.c")
        found = answers(os.path.join(folder, "loops.o"))["sum"]
        assert found["verdict"] != "vectorised" or found["agreement"] == "no vectors", found


@test
def where_they_are_found():
    """Links in one go, objects elsewhere, CMake's names; the record of a clang object is not GCC's beside it."""
    main = "int main(void) { return 0; }\n"
    with Folder() as folder:
        with open(os.path.join(folder, "main.c"), "w") as file:
            file.write(main + "int next(int x) { return x + 1; }\n")
        os.makedirs(os.path.join(folder, "out", "CMakeFiles", "prog.dir"))
        compile_in(folder, need("gcc"), "-O2", "-g", RECORD, "loops.c", "main.c", "-o", "out/prog")
        expect(answers(os.path.join(folder, "out", "prog"))["call"], reason="call")
        moved = os.path.join(folder, "records", "deep")
        os.makedirs(moved)
        for name in os.listdir(os.path.join(folder, "out")):
            if name.endswith(".gz"):
                shutil.move(os.path.join(folder, "out", name), moved)
        assert not answers(os.path.join(folder, "out", "prog"))
        expect(answers_of_report(os.path.join(folder, "out", "prog"), os.path.join(folder, "records"))["call"], reason="call")
        compile_in(folder, "sh", "-c", f"cd out && gcc -O2 -g {RECORD} -c ../loops.c -o CMakeFiles/prog.dir/loops.c.o && "
                   "gcc -c ../main.c && gcc CMakeFiles/prog.dir/loops.c.o main.o -o prog")
        found = answers(os.path.join(folder, "out", "prog"))
        expect(found["call"], reason="call", file="../loops.c")
        compile_in(folder, need("clang"), "-O2", "-g", "-c", "loops.c")
        compile_in(folder, "gcc", "-O2", "-g", RECORD, "-c", "loops.c", "-o", "loops-gcc.o")
        os.rename(os.path.join(folder, "loops-gcc.c.opt-record.json.gz"), os.path.join(folder, "loops.c.opt-record.json.gz"))
        os.utime(os.path.join(folder, "loops.c.opt-record.json.gz"), (1, 1))
        assert not answers(os.path.join(folder, "loops.o")), "GCC's record for Clang's code"


@test
def newer_than_the_program():
    with Folder() as folder:
        compile_in(folder, need("gcc"), "-O2", "-g", RECORD, "-c", "loops.c")
        path = os.path.join(folder, "loops.o")
        os.utime(path, (1000000000, 1000000000))
        result = assay("report", path)
        assert b"newer than the program" in result.stderr, result.stderr
        assert b"records say" not in result.stdout
        assert b"records say" in assay("report", path, "--remarks", folder).stdout


@test
def strangers_name_no_folders():
    """The debug information names the folder of the compilation: a record there is read if the folder is near, or with --trust."""
    with Folder() as there, Folder() as here:
        compile_in(there, need("gcc"), "-O2", "-g", RECORD, "-c", "loops.c")
        path = os.path.join(here, "loops.o")
        shutil.move(os.path.join(there, "loops.o"), path)
        assert not answers(path)
        expect(answers(path, "--trust")["call"], reason="call")
        expect(answers_of_report(path, there)["call"], reason="call")


@test
def same_names():
    """Two files of one name: the folders tell them apart, and another program's record says nothing."""
    with Folder() as folder:
        for place in "one", "two":
            os.mkdir(os.path.join(folder, place))
        with open(os.path.join(folder, "one", "same.c"), "w") as file:
            file.write("static int add(int *x, int n)\n{\n    int s = 0;\n    for (int i = 0; i < n; i++)\n        s += x[i];\n    return s;\n}\n"
                       "int (*one)(int *, int) = add;\n")
        with open(os.path.join(folder, "two", "same.c"), "w") as file:
            file.write("int next(int);\nstatic void add(int *x, int n)\n{\n\n    for (int i = 0; i < n; i++)\n        x[i] = next(i);\n}\n"
                       "void (*two)(int *, int) = add;\nint next(int i) { return i * 3; }\nint main(void) { return 0; }\n")
        compile_in(folder, need("gcc"), "-O2", "-ftree-vectorize", "-fno-inline", "-g", RECORD, "one/same.c", "two/same.c", "-o", "prog")
        told = json.loads(text("report", os.path.join(folder, "prog"), "--json", "--quiet", "--remarks", folder))
        by_file = {loop["file"].split("/")[-2]: loop["remarks"] for loop in told["loops"] if loop["remarks"]}
        assert all(r["file"] == f"{place}/same.c" for place, remarks in by_file.items() for r in remarks), by_file
        assert by_file["two"][0]["reason"] == "call", by_file
        compile_in(folder, "gcc", "-O2", "-g", RECORD, "-c", "loops.c")
        result = assay("report", os.path.join(folder, "prog"), "--remarks", os.path.join(folder, "loops.c.opt-record.json.gz"))
        assert b"about none of these loops" in result.stderr, result.stderr


@uncertain
def beside_the_loops_of_a_run():
    source = """
#include <stdio.h>
static double x[10000];
__attribute__((noinline)) void smooth(double *y, int n)
{
    for (int i = 1; i < n; i++)
        y[i] = 0.5 * (y[i] + y[i - 1]) / 1.5;
}
int main(void)
{
    for (int i = 0; i < 5000; i++)
        smooth(x, 10000);
    printf("%g\\n", x[5]);
    return 0;
}
"""
    with Folder() as folder:
        compile_in(folder, need("gcc"), "-O2", "-ftree-vectorize", "-g", RECORD, "loops.c", "-o", "prog", source=source)
        program, database = os.path.join(folder, "prog"), os.path.join(folder, "run.db")
        said = " ".join(assay("run", "-o", database, "--", program).stderr.decode().split())
        assert re.search(r"GCC [0-9.]+ did not vectorise it: [^.]+ \(line 7\)\.", said), said
        assert rows(database, "select reason from remarks where loop is not null") == [{"reason": "dependence"}]
        # The program has run: a record that cannot be read does not cost its answer.
        result = assay("run", "--remarks", program, "--", program)
        assert b"no record of optimisations" in result.stderr and b"Hottest loops" in result.stderr, result.stderr
        assert "did not vectorise it: " in text("report", database, "--quiet", "--html")


def refused(path, record, why):
    result = assay("report", path, "--remarks", record, status=2)
    said = result.stderr.decode()
    if why not in said or os.path.basename(record) not in said or len(said.strip().splitlines()) != 1:
        raise Fail(f"{said!r} does not say {why!r}")


@test
def damaged_records():
    with Folder() as folder:
        compile_in(folder, need("gcc"), "-O2", "-g", RECORD, "-c", "loops.c")
        path, good = os.path.join(folder, "loops.o"), os.path.join(folder, "loops.c.opt-record.json.gz")
        with open(good, "rb") as file:
            whole = file.read()
        with open(os.path.join(folder, "cut.opt-record.json.gz"), "wb") as file:
            file.write(whole[:len(whole) // 2])
        refused(path, file.name, "cut off")
        # In a folder with others it is said, and the others are read.
        result = assay("report", path, "--remarks", folder)
        assert b"cut off" in result.stderr and b"records say" in result.stdout, result.stderr
        # Found by itself, it is no reason to fail.
        shutil.move(file.name, good)
        result = assay("report", path)
        assert b"cut off" in result.stderr and b"records say" not in result.stdout, result.stderr
        deep = os.path.join(folder, *["d"] * 40)
        os.makedirs(deep)
        shutil.move(good, deep)
        refused(path, folder, "compile with -fsave-optimization-record")
        shutil.move(os.path.join(deep, os.path.basename(good)), good)
        empty = os.path.join(folder, "empty")
        os.mkdir(empty)
        refused(path, empty, "compile with -fsave-optimization-record")
        refused(path, os.path.join(folder, "nothing"), "No such file")
        refused(path, path, "no record of optimisations")


@test
def hostile_records():
    """A packed file that holds gigabytes, a line without end, brackets without end: refused or read, in seconds and little memory."""
    with Folder() as folder:
        compile_in(folder, need("gcc"), "-O2", "-g", "-c", "loops.c")
        path = os.path.join(folder, "loops.o")
        for name, pieces, why in (
                ("nested.opt-record.json", [b"[" * 1000000], "nested deeper"),
                ("text.opt-record.json.gz", [b'[{}, [], [{"message": ["'] + [b"x" * 1000000] * 300, "ends inside a text"),
                ("blanks.opt-record.json.gz", [b" " * 1000000] * 300, "empty"),
                ("line.opt.yaml", [b"--- !Missed\nPass: "] + [b"x" * 1000000] * 300 + [b"\n"], "ends inside a remark"),
                ("block.opt.yaml", [b"--- !Missed\nArgs:\n  - String: |\n"] + [b"      x\n" * 100000] * 30, "ends inside a remark")):
            record = os.path.join(folder, name)
            opened = gzip.open(record, "wb", compresslevel=1) if name.endswith(".gz") else open(record, "wb")
            with opened as file:
                for piece in pieces:
                    file.write(piece)
            refused(path, record, why)
            os.remove(record)


@test
def large_records_that_nobody_named():
    """A packed record of a megabyte holds gigabytes: reading them is for whoever asks for it."""
    with Folder() as folder:
        compile_in(folder, need("gcc"), "-O2", "-g", "-c", "loops.c")
        path, record = (os.path.join(folder, name) for name in ("loops.o", "loops.c.opt-record.json.gz"))
        with open(record, "wb") as file:
            file.write(gzip.compress(b"[") + gzip.compress(b" " * (64 << 20), 1) * 11)
        os.utime(record, (1, 1))
        said = assay("report", path).stderr.decode()
        assert "more text than Assay reads without being asked (--remarks reads it)" in said, said
        refused(path, record, "cut off")
        said = assay("report", path, "--remarks", record, "-o", record, status=2).stderr.decode()
        assert os.path.getsize(record) > 1 << 20, said


@test
def more_remarks_than_anybody_compares():
    """Hundreds of loops in a function, and tens of thousands of remarks about it, none at their lines: told, after seconds."""
    with Folder() as folder:
        lines = [f"    for (int i = 0; i < n; i++) x[i] += {i};\n" for i in range(600)]
        compile_in(folder, need("gcc"), "-O1", "-g", "-c", "many.c", source="extern int x[];\nvoid many(int n)\n{\n" + "".join(lines) + "}\n", name="many.c")
        path, record = (os.path.join(folder, name) for name in ("many.o", "many.opt-record.json.gz"))
        remark = '{"kind": "failure", "message": ["couldn\'t vectorize loop"], "location": {"file": "many.c", "line": 9999, "column": 1}, "function": "many"}'
        with gzip.open(record, "wt", compresslevel=1) as file:
            file.write('[{"generator": {"version": "12"}}, [], [' + ", ".join([remark] * 40000) + "]]")
        said = " ".join(assay("report", path, "--remarks", record, "--csv").stderr.decode().split())
        assert "more remarks about single functions than Assay compares with their loops" in said, said


@test
def records_are_not_replaced():
    with Folder() as folder:
        compile_in(folder, need("gcc"), "-O2", "-g", RECORD, "-c", "loops.c")
        path, record = (os.path.join(folder, name) for name in ("loops.o", "loops.c.opt-record.json.gz"))
        for words in ["--remarks", record], ["--remarks", folder]:
            said = assay("report", path, *words, "-o", record, status=2).stderr.decode()
            assert "is an input, so it cannot be the output" in said, said


@test
def names_are_made_safe():
    with Folder() as folder:
        compile_in(folder, need("gcc"), "-O2", "-g", "-c", "loops.c")
        record = os.path.join(folder, "evil.opt.yaml")
        with open(record, "w") as file:
            file.write('--- !Missed\nPass: loop-vectorize\nName: X\nDebugLoc: { File: loops.c, Line: 23, Column: 5 }\nFunction: call\n'
                       'Args:\n  - String: "\\x1b[31m<script>alert(1)</script>"\n...\n')
        path = os.path.join(folder, "loops.o")
        # The code is GCC's: a record of LLVM is of another compilation.
        assert b"about none of these loops" in assay("report", path, "--remarks", record).stderr
        if shutil.which("clang"):
            compile_in(folder, "clang", "-O2", "-g", "-c", "loops.c")
            page = text("report", path, "--remarks", record, "--html", "--quiet")
            assert "&lt;script&gt;alert(1)" in page and "<script>alert" not in page
            assert "\x1b" not in text("report", path, "--remarks", record, "--quiet")


run(side_by_side=2)
