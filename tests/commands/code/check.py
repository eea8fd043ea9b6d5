"""assay check: comments and rules against what compilers really made, in every output form."""
import csv, importlib, io, json, os, re, sys, time

from harness import ROOT, Fail, Folder, Lacking, assay, command, compilers, cross, need, npm_file, run, test

MACHINES = {"x86_64": "sapphire-rapids", "aarch64": "neoverse-v1"}
KERNELS = """#include "sum.h"
void scale(double *restrict a, const double *restrict b, int n)
{
    // assay: vectorised >= 128 bits, no spills, no calls
    for (int i = 0; i < n; i++)
        a[i] = b[i] * 2.0;
}
double twice(const double *a, int n) { return sum(a, n) + sum(a + 3, n - 3); }
int main(void) { return 0; }
"""
HEADER = """static inline double sum(const double *a, int n)
{
    double s = 0;
    // assay: no spills, instructions <= 40
    for (int i = 0; i < n; i++)
        s += a[i];
    return s;
}
"""


def module(name, package):
    """A module of Debian, also for a Python that is not Debian's."""
    sys.path.append("/usr/lib/python3/dist-packages")
    try:
        return importlib.import_module(name)
    except ImportError:
        raise Lacking(f"{package} is not installed")


def write(folder, **files):
    for name, text in files.items():
        with open(os.path.join(folder, name.replace("__", ".")), "w") as file:
            file.write(text)


def make(folder, source, *flags, compiler=("gcc",), name="prog", **headers):
    """A program of one source; C, or what the suffix of the compiler's language says."""
    suffix = {"gfortran": "f90", "g++": "cc", "clang++": "cc"}.get(os.path.basename(compiler[0]).rpartition("-gnu-")[2], "c")
    write(folder, **{"prog__" + suffix: source, **headers})
    path = os.path.join(folder, name)
    command([*compiler, "-g", *flags, "-o", path, os.path.join(folder, "prog." + suffix)])
    return path


def check(*words, status=0, **options):
    return assay("check", "-q", *words, status=status, **options)


def verdicts(*words, status=0):
    """Rows as (line, assertion, outcome), in order."""
    found = json.loads(check("--json", *words, status=status).stdout)
    return [(row["line"], row["assertion"], row["outcome"]) for row in found]


def one(source, *words, flags=("-O2",), status=1, **options):
    """The text of a check of one small program."""
    with Folder() as folder:
        path = make(folder, source, *flags, **options)
        return check(path, *words, status=status).stdout.decode()


def expect(text, *parts):
    for part in parts:
        if part not in text:
            raise Fail(f"'{part}' is missing in:\n{text}")


@test
def vectorised_at_o3_and_not_at_o1():
    for machine in ("aarch64", "x86_64"):
        for compiler in compilers(machine):
            with Folder() as folder:
                good = make(folder, KERNELS, "-O3", "-c", compiler=compiler, name="good.o", sum__h=HEADER)
                check(good, "-m", MACHINES[machine])
                bad = make(folder, KERNELS, "-O1", "-c", compiler=compiler, name="bad.o", sum__h=HEADER)
                failed = [row for row in verdicts(bad, "-m", MACHINES[machine], status=1) if row[2] != "holds"]
                assert failed == [(4, "vectorised >= 128 bits", "fails")], failed


@test
def every_inlined_copy_of_a_header_is_checked():
    with Folder() as folder:
        path = make(folder, KERNELS, "-O2", "-ftree-vectorize", **{"sum__h": HEADER.replace("40", "4")})
        rows = json.loads(check(path, "--json", status=None).stdout)
        copies = {row["loop"] for row in rows if row["file"].endswith("sum.h") and row["assertion"] == "no spills"}
        assert len(copies) == 2, rows


@test
def spills_calls_and_conversions():
    need(cross("gcc", "x86_64"))  # whose calls keep no vector register
    text = one("""double f(double);
void many(double *a, double *b, double c, int n)
{
    // assay: no calls, no spills
    for (int i = 0; i < n; i++)
        a[i] = f(b[i]) * c;
}
void narrow(float *a, const double *b, int n)
{
    for (int i = 0; i < n; i++) /* assay: no conversions */
        a[i] = b[i];
}
""", "-m", MACHINES["x86_64"], flags=("-O2", "-c"), compiler=(cross("gcc", "x86_64"),))
    expect(text, ":4:14: error: no calls: found 1", ":4:14: error: no spills: found 1", ":10:42: error: no conversions: found 1")


@test
def a_loop_that_is_gone_is_an_error():
    text = one("""void copy(double *restrict a, const double *restrict b, int n)
{
    // assay: vectorised
    for (int i = 0; i < n; i++)
        a[i] = b[i];
    // assay: no calls
    for (int i = 0; i < n; i++)
        ;
    // assay: no spills
}
int main(void) { return 0; }
""", flags=("-O3",))
    expect(text, "prog.c:3:14: error: vectorised: the loop is gone: no loop of the program comes from lines 4-5; the code there calls memcpy",
           "prog.c:6:14: error: no calls: the loop is gone", "prog.c:9:14: error: no spills: the loop is gone: no loop follows")


@test
def code_that_was_not_compiled_is_not_checked():
    source = """void f(double *a, int n)
{
#ifdef FAST
    // assay: vectorised >= 4096 bits
    for (int i = 0; i < n; i++)
        a[i] *= 2;
#else
    // assay: no calls
    for (int i = 0; i < n; i++)
        a[i] *= 3;
#endif
    // assay: no spills
#ifdef FAST
    for (int i = 0; i < n; i++)
        a[i] += 2;
#else
    for (int i = 0; i < n; i++)
        a[i] += 3;
#endif
}
static inline void unused(double *a, int n)
{
    // assay: vectorised >= 4096 bits
    for (int i = 0; i < n; i++)
        a[i] = 1;
}
int main(void) { return 0; }
"""
    expect(one(source, status=0), "note: 2 comments are in code that this program does not have", "2 checks of 2 loops: all hold")
    text = one(source, flags=("-O2", "-DFAST"))
    expect(text, "prog.c:4:14: error: vectorised >= 4096 bits: found")


@test
def comments_in_cplusplus_and_fortran():
    need("g++"), need("gfortran")
    text = one("""#include <numeric>
template <class T> T total(const T *a, int n)
{
    T s = 0;
    // assay: no conversions
    for (int i = 0; i < n; i++)
        s += a[i];
    return s;
}
double f(const double *a, int n) { return total(a, n); }
float g(const float *a, int n) { return total(a, n); }
double h(const double *a, int n)
{
    // assay: no divisions
    return std::accumulate(a, a + n, 0.0);
}
int main() { return 0; }
""", "--passed", status=0, compiler=("g++",))
    assert text.count("prog.cc:5:14: note: no conversions: holds") >= 2, text
    expect(text, "prog.cc:14:14: note: no divisions: holds (loop", "inlined from stl_numeric.h")
    text = one("""subroutine scale(a, b, n)
  integer :: n, i
  real(8) :: a(n), b(n)
  ! assay: vectorised
  do i = 1, n
    a(i) = b(i) * 2
  end do
  ! assay: divisions >= 1
  a = a / b
end subroutine
program p
end program
""", "--passed", flags=("-O1",), compiler=("gfortran",))
    expect(text, "prog.f90:4:11: error: vectorised: vector_ratio is 0 %", "prog.f90:8:11: note: divisions >= 1: holds")


@test
def a_vector_loop_is_judged_without_its_tail():
    compiler = ["clang"]
    need("clang")
    text = one("""void axpy(float *restrict y, const float *restrict x, float a, int n)
{
    // assay: vectorised >= 128 bits, cycles <= 1.5 per element on neoverse-v1, sapphire-rapids
    for (int i = 0; i < n; i++)
        y[i] += a * x[i];
}
int main(void) { return 0; }
""", "--passed", flags=("-O3",), compiler=compiler, status=0)
    expect(text, "2 checks of 1 loop: all hold")
    assert "skipped" in text, text


@test
def machines_are_named():
    source = """void f(double *a, int n)
{
    // assay: cycles <= 100 per iteration on %s
    for (int i = 0; i < n; i++)
        a[i] *= 2;
}
int main(void) { return 0; }
"""
    mine, other = (MACHINES["aarch64"], "zen4") if os.uname().machine == "aarch64" else ("zen4", MACHINES["aarch64"])
    expect(one(source % f"{mine}, {other}", status=0), f"skipped: {other} does not run this code", "1 check of 1 loop: all hold")
    expect(one(source % other), "not checked: " + other + " does not run")
    with Folder() as folder:
        path = make(folder, source % "zen44")
        assert b"zen4" in check(path, status=2).stderr


@test
def a_comment_that_cannot_be_read_stops_everything():
    with Folder() as folder:
        path = make(folder, """void f(double *a, int n)
{
    // assay: no spils
    for (int i = 0; i < n; i++) // assay: vectorised >= 256
        a[i] *= 2;
}
int main(void) { return 0; }
""")
        result = check(path, "--junit", os.path.join(folder, "out.xml"), status=2)
        errors = result.stderr.decode()
        expect(errors, "prog.c:3:18: unknown assertion no 'spils'; did you mean spills?",
               "prog.c:4:60: vectorised needs a unit: bits or %", "2 assertions cannot be read")
        assert not result.stdout and not os.path.exists(os.path.join(folder, "out.xml"))


@test
def rules_of_a_file():
    with Folder() as folder:
        path = make(folder, KERNELS, "-O2", "-fno-tree-vectorize", **{"sum__h": HEADER})
        write(folder, rules="""# what must hold
loop prog.c:5: instructions <= 20
function twice: no divisions     # inlined copies too
function scle: no calls
loop prog.c:1: no calls
file prog.c: instructions <= 1
rule 'no function is called main': select name, file, line from (select f.name, p.path as file, f.line as line
  from functions f join files p on p.id = f.file) where name = 'main'
rule 'nothing': select 1 where 0;
""", typo="function f: fast\n", sql="rule 'x': select nme from functions\n", two="rule 'x': select 1; select 2\n")
        rules = os.path.join(folder, "rules")
        text = check(path, rules, status=1).stdout.decode()
        expect(text, "no calls: no function scle has a loop; did you mean scale?", "rules:5:1: error: no calls: the loop is gone: no innermost loop at prog.c:1",
               "prog.c:5: error: instructions <= 1: found", "prog.c:9: error: rule 'no function is called main': the query returns name=main, file=")
        assert "divisions" not in text and "'nothing'" not in text and "rules:2" not in text, text
        expect(check(path, os.path.join(folder, "typo"), status=2).stderr.decode(), "typo:1:13: unknown assertion 'fast'")
        expect(check(path, os.path.join(folder, "sql"), status=2).stderr.decode(), "sql:1: rule 'x': SQL: no such column: nme; did you mean name?")
        expect(check(path, os.path.join(folder, "two"), status=2).stderr.decode(), "a rule has one query")
        assay("check", path, os.path.join(folder, "none"), status=2)
        database = os.path.join(folder, "prog.db")
        assay("db", "-q", path, "-o", database)
        assert check(database, rules, status=1).stdout.decode().count("error:") == text.count("error:")


@test
def a_baseline_fails_loops_that_got_slower():
    with Folder() as folder:
        source = KERNELS.replace("    // assay: vectorised >= 128 bits, no spills, no calls\n", "").replace("#include \"sum.h\"", "").replace(
            "double twice(const double *a, int n) { return sum(a, n) + sum(a + 3, n - 3); }\n", "")
        old = make(folder, source, "-O3", name="old")
        new = make(folder, source, "-O1", name="new")
        database = os.path.join(folder, "old.db")
        assay("db", "-q", old, "-o", database)
        for baseline in (old, database):
            text = check(new, "--baseline", baseline, "--allow", "3%", status=1).stdout.decode()
            expect(text, "prog.c:", "error: at most 3 % slower than the baseline: ", "% slower", "no longer vectorised")
        expect(check(old, "--baseline", new).stdout.decode(), "1 check: all hold")
        check(old, "--baseline", old)
        check(new, "--baseline", old, "--allow", "1000")
        assert b"--allow takes a percentage" in check(new, "--baseline", old, "--allow", "x", status=2).stderr
        assert b"--allow needs --baseline" in check(new, "--allow", "3", status=2).stderr


@test
def sarif_is_what_the_published_schema_says():
    jsonschema = module("jsonschema", "python3-jsonschema")
    with open(npm_file("@microsoft/jest-sarif", "lib/schemas/sarif-2.1.0-rtm.5.json")) as file:
        schema = json.load(file)
    with Folder() as folder:
        os.makedirs(os.path.join(folder, "repo", ".git"))
        os.makedirs(os.path.join(folder, "repo", "a b"))
        inside = os.path.join(folder, "repo", "a b")
        path = make(inside, KERNELS, "-O1", **{"sum__h": HEADER})
        write(folder, rules="rule 'a \"quoted\" name': select 1\nfunction gone: no calls\n")
        out = os.path.join(folder, "out.sarif")
        for words, status in (([], 1), ([os.path.join(folder, "rules")], 1)):
            check(path, *words, "--sarif", out, "--root", os.path.join(folder, "repo"), status=status)
            with open(out) as file:
                sarif = json.load(file)
            jsonschema.validate(sarif, schema)
        found = sarif["runs"][0]["results"]
        place = found[-1]["locations"][0]["physicalLocation"] if "locations" in found[-1] else None
        vector = next(row for row in found if row["ruleId"] == "vectorised")
        place = vector["locations"][0]["physicalLocation"]
        assert place["artifactLocation"] == {"uri": "a%20b/prog.c", "uriBaseId": "%SRCROOT%"}, place
        assert place["region"]["startLine"] == 4, place
        assert sarif["runs"][0]["tool"]["driver"]["rules"][vector["ruleIndex"]]["id"] == "vectorised"
        good = make(inside, KERNELS, "-O3", **{"sum__h": HEADER})
        check(good, "--sarif", out)
        with open(out) as file:
            sarif = json.load(file)
        jsonschema.validate(sarif, schema)
        assert sarif["runs"][0]["results"] == []


@test
def junit_is_read_by_others():
    junitparser = module("junitparser", "python3-junitparser")
    with Folder() as folder:
        path = make(folder, KERNELS, "-O1", **{"sum__h": HEADER})
        write(folder, rules="function gone<\"&>: no calls\nfunction scale: no calls on zen4, neoverse-v1\n")
        out = os.path.join(folder, "out.xml")
        check(path, os.path.join(folder, "rules"), "--junit", out, "--root", folder, status=1)
        tests = junitparser.JUnitXml.fromfile(out)
        assert (tests.failures, tests.errors, tests.skipped) == (2, 0, 1), (tests.failures, tests.errors, tests.skipped)
        cases = [case for suite in tests for case in suite]
        assert tests.tests == len(cases)
        failed = [case for case in cases if case.result and isinstance(case.result[0], junitparser.Failure)]
        assert {case.classname for case in failed} == {"prog.c", "rules"}, failed
        assert any("vectorised >= 128 bits" in case.name for case in failed)
        assert any('gone<"&>' in case.result[0].message for case in failed)


@test
def annotations_and_rows():
    with Folder() as folder:
        path = make(folder, KERNELS.replace("vectorised >= 128 bits", "vectorised >= 100%"), "-O1", **{"sum__h": HEADER})
        text = check(path, "--annotations", "--root", folder, status=1).stdout.decode()
        assert text.startswith("::error file=prog.c,line=4,col=14,title=vectorised >= 100 %25::found 0 %25 (loop"), text
        assert text.count("\n") == 1, text
        rows = list(csv.DictReader(io.StringIO(check(path, "--csv", "--root", folder, status=1).stdout.decode())))
        assert rows[0]["outcome"] == "fails" and rows[0]["file"] == "prog.c" and rows[0]["figure"] == "0", rows[0]
        assert [row["outcome"] for row in rows[1:]] == ["holds"] * (len(rows) - 1), rows
        out = os.path.join(folder, "out.txt")
        check(path, "-o", out, status=1)
        assert os.path.getsize(out)
        check(path, "--sarif", path, status=2)
        check(path, "--sarif", os.path.join(folder, "prog.c"), status=2)
        with open(os.path.join(folder, "prog.c")) as file:
            assert file.read().startswith("#include")


@test
def rules_end_in_time():
    """Also those that do all of it in one step of SQLite, where nothing asks whether to go on."""
    endless = ["with recursive n(n) as (select 1 union all select n + 1 from n) select count(*) from n",
               "select instr(hex(zeroblob(10000000)), hex(zeroblob(5000000)) || '1')",
               "select replace(hex(zeroblob(10000000)), hex(zeroblob(5000000)) || '1', '')"]
    with Folder() as folder:
        path = make(folder, KERNELS, "-O1", **{"sum__h": HEADER})
        for rule in endless:
            write(folder, rules=f"rule 'quick':\n  select 1 where 0;\nrule 'endless':\n  {rule};\n")
            said = check(path, os.path.join(folder, "rules"), status=2, env=dict(os.environ, ASSAY_SQL_SECONDS="2")).stderr.decode()
            assert "rules:3: rule 'endless': did not end within the 2 seconds" in said, (rule, said)
        write(folder, rules="rule 'large':\n  select hex(zeroblob(40000000)) as x;\n")
        assert b"too long to be shown" in check(path, os.path.join(folder, "rules"), status=2).stderr
        for bad in ("0", "-3", "x", "1s"):
            said = check(path, os.path.join(folder, "rules"), status=2, env=dict(os.environ, ASSAY_SQL_SECONDS=bad)).stderr
            assert b"ASSAY_SQL_SECONDS: takes seconds" in said, said


@test
def names_are_no_commands_of_a_service():
    """A line of a log that begins with :: is one."""
    with Folder() as folder:
        path = make(folder, KERNELS, "-O1", **{"sum__h": HEADER})
        write(folder, rules="rule 'x':\n  select 'a' || char(13) || char(10) || '::add-mask::secret' as text, 'b' || char(10) || '::c' as file;\n")
        for options in [], ["--csv"], ["--annotations"], ["--json"]:
            text = check(path, os.path.join(folder, "rules"), *options, status=1).stdout.decode()
            assert "add-mask" in text, text
            assert not re.search(r"[\r\n]::(add-mask|c)", text), (options, text)


@test
def what_cannot_be_checked_is_said():
    with Folder() as folder:
        path = make(folder, KERNELS, "-O3", **{"sum__h": HEADER})
        time.sleep(0.01)
        os.utime(os.path.join(folder, "sum.h"))
        expect(check(path).stdout.decode(), "sum.h changed after the program was built")
        os.unlink(os.path.join(folder, "sum.h"))
        expect(check(path).stdout.decode(), "sum.h cannot be read: its comments are not checked")
        os.unlink(os.path.join(folder, "prog.c"))
        assert b"nothing to check" in check(path, status=2).stderr
        command(["strip", path])
        assert b"compile with -g" in check(path, status=2).stderr


@test
def an_assembly_source_has_comments_too():
    need(cross("gcc", "aarch64"))
    with Folder() as folder:
        path, source = os.path.join(folder, "f.o"), os.path.join(folder, "f.s")
        write(folder, f__s="""f:
1:  subs x0, x0, 1
    b.ne 1b
    // assay: instructions <= 2
2:  add x1, x1, x2
    subs x2, x2, 1
    b.ne 2b
    ret
""")
        command([cross("gcc", "aarch64"), "-g", "-c", "-o", path, source])
        expect(check(path, "-m", "neoverse-v1", status=1).stdout.decode(), "f.s:4:14: error: instructions <= 2: found 3")


@test
def the_manual_has_every_word():
    root = ROOT
    with open(os.path.join(root, "docs", "check.md")) as file:
        manual = file.read()
    with open(os.path.join(root, "src", "code", "check", "assertions.def")) as file:
        for word, says in re.findall(r'^(?:FIGURE|COUNT|PLAIN)\("([^"]+)".*"([^"]+)"\)$', file.read(), re.M):
            expect(manual, f"{word}", f"| {says} |")


run()
