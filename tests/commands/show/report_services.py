#!/usr/bin/env python3
"""assay report --format sarif, annotations and junit: read by others, at the places of loops, with fingerprints that stay the same when
lines move; copies of a loop, code without lines, names that need escapes, databases, what is refused."""
import importlib, json, os, re, sys

from harness import Folder, Lacking, assay, build, command, need, npm_file, run, test, text

SOURCE = """
#include <math.h>
struct point { float x, y, z; };
template <class T> static void scaled(T *x, int n, T by) { for (int i = 0; i < n; i++) x[i] *= by; }
void both(float *a, double *b, int n) { scaled(a, n, 2.0f); scaled(b, n, 3.0); }
float middle(const point *p, int n)
{
    float s = 0;
    for (int i = 0; i < n; i++)
        s += p[i].x / p[i].y;
    return s;
}
double far(double *x, const int *at, int n)
{
    double s = 0;
    for (int i = 0; i < n; i++)
        s += sin(x[at[i]]);
    for (int i = 0; i < n; i++)
        s += sin(x[i]);
    return s;
}
void quiet(int *x, int n, int (*f)(int))
{
    for (int i = 0; i < n; i++)
        x[i] = f(x[i]);
}
"""


def module(name, package):
    """A module of Debian, also for a Python that is not Debian's."""
    sys.path.append("/usr/lib/python3/dist-packages")
    try:
        return importlib.import_module(name)
    except ImportError:
        raise Lacking(f"{package} is not installed")


def made(folder, source=SOURCE, *flags, name="a b.cpp"):
    path = os.path.join(folder, name)
    with open(path, "w") as file:
        file.write(source)
    return build(folder, [need("g++")], [path], "-O2", "-fno-tree-vectorize", "-g", "-c", *flags, output="prog.o")


def report(path, format, *words):
    return text("report", path, "--format", format, "--remarks", "none", "--quiet", *words)


def results(path, *words):
    return json.loads(report(path, "sarif", *words))["runs"][0]["results"]


@test
def sarif_is_what_the_published_schema_says():
    jsonschema = module("jsonschema", "python3-jsonschema")
    with open(npm_file("@microsoft/jest-sarif", "lib/schemas/sarif-2.1.0-rtm.5.json")) as file:
        schema = json.load(file)
    with Folder() as folder:
        path = made(folder)
        for words in [], ["--level", "expert"], ["--level", "gain"], ["--function", "quiet"], ["--no-debug"]:
            jsonschema.validate(json.loads(report(path, "sarif", "--root", folder, *words)), schema)
        told = json.loads(report(path, "sarif", "--root", folder))["runs"][0]
        rules = told["tool"]["driver"]["rules"]
        calls = [row for row in told["results"] if row["ruleId"] == "calls"]
        assert len(calls) == 2 and all(rules[row["ruleIndex"]]["id"] == "calls" for row in calls), calls
        place = calls[0]["locations"][0]
        assert place["physicalLocation"]["artifactLocation"] == {"uri": "a%20b.cpp", "uriBaseId": "%SRCROOT%"}, place
        assert {row["locations"][0]["physicalLocation"]["region"]["startLine"] for row in calls} == {16, 18}, calls
        rule = rules[calls[0]["ruleIndex"]]
        assert rule["help"]["text"].startswith("What to do:\n- ") and rule["fullDescription"]["text"], rule
        assert len({row["partialFingerprints"]["assayFinding/v1"] for row in told["results"]}) == len(told["results"])
        levels = {row["ruleId"]: row["level"] for row in told["results"]}
        assert set(levels.values()) <= {"warning", "note"}, levels
        advice = json.loads(text("report", path, "--json", "--quiet", "--remarks", "none"))
        certain = {a["rule"] for loop in advice["loops"] for p in loop["paths"] for a in p["advice"] if a["level"] == "gain"}
        assert certain == {rule for rule, level in levels.items() if level == "warning"}, (certain, levels)


@test
def fingerprints_stay_when_lines_move():
    def fingerprints(folder, source, *words, **options):
        return {(row["ruleId"], row["partialFingerprints"]["assayFinding/v1"])
                for row in results(made(folder, source, **options), "--root", folder, *words)}

    with Folder() as folder:
        before = fingerprints(folder, SOURCE)
        assert before and before == fingerprints(folder, "// a line\n" * 40 + SOURCE)
        assert before == fingerprints(folder, SOURCE.replace("float middle", "\n\n\nfloat middle"))
        assert {rule for rule, _ in before} == {rule for rule, _ in fingerprints(folder, SOURCE, name="other.cpp")}
        assert not before & fingerprints(folder, SOURCE, name="other.cpp"), "another file"
        # The second of two loops of a function goes: the finding of the first stays what it was.
        fewer = fingerprints(folder, SOURCE.replace("s += sin(x[i]);", "s += x[i];"))
        assert sum(rule == "calls" for rule, _ in before & fewer) == 1, (before, fewer)


@test
def copies_of_a_loop_are_one_finding():
    with Folder() as folder:
        one = results(made(folder), "--root", folder)
        at_four = [row for row in one if row["locations"][0]["physicalLocation"]["region"]["startLine"] == 4]
        keys = [(row["ruleId"], row["locations"][0]["logicalLocations"][0]["name"]) for row in one]
        lines = [row["locations"][0]["physicalLocation"]["region"]["startLine"] for row in one]
        assert len(set(zip(keys, lines))) == len(one), one
        assert len({row["ruleId"] for row in at_four}) == len(at_four), at_four


@test
def annotations_are_lines():
    with Folder() as folder:
        path = made(folder)
        told = report(path, "annotations", "--root", folder)
        lines = told.splitlines()
        assert len(lines) == len(results(path, "--root", folder))
        for line in lines:
            assert re.match(r"::(warning|notice) file=a b\.cpp,line=\d+,(endLine=\d+,)?title=[^:]+::.* What to do: ", line), line
        out = os.path.join(folder, "out")
        assay("report", path, "--format", "annotations", "--root", folder, "-o", out)
        with open(out) as file:
            assert file.read() == told


@test
def junit_is_read_by_others():
    junitparser = module("junitparser", "python3-junitparser")
    with Folder() as folder:
        path, out = made(folder), os.path.join(folder, "out.xml")
        assay("report", path, "--format", "junit", "--root", folder, "-o", out)
        tests = junitparser.JUnitXml.fromfile(out)
        cases = [case for suite in tests for case in suite]
        loops = json.loads(text("report", path, "--json", "--quiet"))["summary"]["loop_count"]
        assert tests.tests == len(cases) == loops and tests.errors == tests.skipped == 0
        failed = {case.name for case in cases if case.result}
        assert tests.failures == len(failed) and any(name.startswith("far(") and name.endswith(": loop 2") for name in failed), failed
        assert {case.classname for case in cases} == {"a b.cpp"}


@test
def without_lines():
    with Folder() as folder:
        path = made(folder)
        command(["strip", "-g", path])
        rows = results(path)
        assert rows and all("physicalLocation" not in row["locations"][0] for row in rows), rows
        assert rows[0]["locations"][0]["logicalLocations"][0]["kind"] == "function"
        assert len({row["partialFingerprints"]["assayFinding/v1"] for row in rows}) == len(rows)
        for line in report(path, "annotations").splitlines():
            assert re.match(r"::(warning|notice) title=", line), line


@test
def databases_and_good_code():
    with Folder() as folder:
        path, database = made(folder), os.path.join(folder, "prog.db")
        assay("db", path, "-o", database)
        assert results(database, "--root", folder) == results(path, "--root", folder)
        good = made(folder, "void f(int *x, int n) { for (int i = 0; i < n; i++) x[i] *= 3; }\n", "-O3", "-ftree-vectorize", name="good.cpp")
        assert results(good, "--level", "gain") == []
        assert report(good, "annotations", "--level", "gain") == ""


@test
def what_is_refused():
    with Folder() as folder:
        path = made(folder)
        for words, why in ((["--format", "xml"], "--format takes sarif, annotations or junit, or of a run folded"),
                           (["--format", "sarif", "--json"], "choose one of"), (["--format", "junit", "--html"], "choose one of"),
                           (["--root", folder], "--root needs --format"),
                           (["--format", "sarif", "--root", path], "is not a folder")):
            said = assay("report", path, *words, status=2).stderr.decode()
            assert why in said and len(said.splitlines()) == 1, said


run(side_by_side=2)
