#!/usr/bin/env python3
"""assay report: what it says of loops whose faults are known, in words and for programs; that a database says the same as
its program; what it says if there is nothing to report."""
import atexit, collections, csv, functools, io, json, os, random, re, signal, subprocess, sys, time

from harness import ASSAY, PATIENCE, Folder, assay, build, command, cross, need, rows, run, test, text

from elf_writer import Elf

KERNELS = r"""
#include <math.h>
double sum(const double *a, long n)
{
    double s = 0;
    for (long i = 0; i < n; i++)
        s += a[i]; /* sums */
    return s;
}
void divide(double *restrict a, const double *restrict b, double f, long n)
{
    for (long i = 0; i < n; i++)
        a[i] = b[i] / f; /* divides */
}
void copy(long *restrict a, const long *restrict b, long n)
{
    for (long i = 0; i < n; i++)
        a[i] = b[i] + 1;
}
long choose(long *a, const long *b, long n)
{
    long s = 0;
    for (long i = 0; i < n; i++) {
        if (b[i] & 1)
            a[i] = s / (b[i] | 1);
        else if (b[i] & 2)
            a[i] = s + 3;
        s += b[i] ^ a[i];
    }
    return s;
}
extern double other(double);
void calls(double *a, long n)
{
    for (long i = 0; i < n; i++)
        a[i] = other(a[i]);
}
void nested(double *a, long n)
{
    for (long k = 0; k < n; k++)
        for (long i = 0; i < n; i++)
            a[i] *= a[k];
}
long chase(const long *a, long i)
{
    while (i > 0)
        i = a[i];
    return i;
}
"""
LOOPS = 7
PLACE = ["loop", "path", "function", "function_demangled", "file", "first_line", "last_line", "own_file", "own_line", "address", "depth", "role",
         "main_loop", "family_count", "iterations", "unroll", "machine", "limit", "next", "gain", "is_upper", "advice_count", "remark"]
FLAGS = ("-O2", "-g", "-fno-tree-vectorize", "-fno-if-conversion", "-fno-if-conversion2")


def write(folder, name, content):
    path = os.path.join(folder, name)
    with open(path, "w" if isinstance(content, str) else "wb") as file:
        file.write(content)
    return path


def compiled(folder, source=KERNELS, *flags, machine="x86_64", output="k.o"):
    gcc = cross("gcc", machine)
    need(gcc)
    path = write(folder, "k.c", source)
    return build(folder, [gcc], [path], *(flags or FLAGS), "-c", output=output)


shared = Folder()
atexit.register(shared.__exit__)
shared.__enter__()


@functools.cache
def kernels(machine="x86_64"):
    """The program that most tests ask about, built once."""
    return compiled(shared.path, machine=machine, output=machine + ".o")


@functools.cache
def answer(stamp, words, locale):
    return text(*words, env=dict(os.environ, LC_ALL=locale))


def said(file, *words, machine="skylake", locale="C.UTF-8"):
    """What assay reports, computed once for all tests that ask the same of the same file."""
    return answer(os.stat(file).st_mtime_ns, ("report", file, "--machine", machine, *map(str, words)), locale)


def ask(file, *words, machine="skylake"):
    return json.loads(said(file, "--json", *words, machine=machine))


def table(file, *words, machine="skylake"):
    return list(csv.DictReader(io.StringIO(said(file, "--csv", *words, machine=machine), newline="")))


def page(file, *words, machine="skylake", locale="C.UTF-8"):
    """The report in words, with line ends as blanks: layout does not count."""
    return re.sub(r"\s+", " ", said(file, *words, machine=machine, locale=locale))


def loop_of(report, function):
    found = [loop for loop in report["loops"] if loop["function"] == function]
    assert len(found) == 1, (function, [loop["function"] for loop in report["loops"]])
    return found[0]


@functools.cache
def metric_columns(file):
    return [row["name"] for row in rows(file, "select name from pragma_table_xinfo('loop_metrics')")
            if row["name"] not in ("loop", "path", "processor")]


@test
def csv_has_a_row_for_each_loop_and_path_and_a_column_for_each_metric():
    file = kernels()
    reported = said(file, "--csv")
    head = reported.split("\r\n")[0].split(",")
    added = [row["name"] for row in rows(file, "select name from added_metrics order by id", "--machine", "skylake")]
    assert added and head == PLACE + metric_columns(file) + added, head
    found = table(file, "--paths", "64")
    known = rows(file, "select * from loop_metrics order by loop, path", "--machine", "skylake")
    assert len(found) == len(known) > 7, (len(found), len(known))
    by_path = {(int(row["loop"]), int(row["path"])): row for row in found}
    for want in known:
        row = by_path[want["loop"], want["path"]]
        for name in metric_columns(file):
            if want[name] is None:
                assert row[name] == "", (name, row[name])
            else:
                assert abs(float(row[name]) - want[name]) <= 1e-5 * abs(want[name]), (name, row[name], want[name])
    places = {row["function"]: row for row in found}
    assert places["sum"]["file"].endswith("/k.c") and places["sum"]["machine"] == "skylake", places["sum"]
    line = KERNELS[:KERNELS.index("/* sums */")].count("\n") + 1
    assert int(places["sum"]["first_line"]) <= line <= int(places["sum"]["last_line"]), places["sum"]
    assert "calls not counted" in places["calls"]["remark"], places["calls"]
    assert places["nested"]["depth"] == "2" and places["sum"]["depth"] == "1"


@test
def speed_ups_are_quotients():
    for row in table(kernels()):
        for name in ("without_scalar_integer", "fp_vectorised", "vectorised", "without_dependence", "next_bottleneck"):
            other, speedup = row[f"cycles_{name}"], row[f"speedup_{name}"]
            assert bool(other) == bool(speedup), row
            if other:
                assert abs(float(row["cycles"]) / float(other) - float(speedup)) < 2e-5 * float(speedup), row


def by_saving(file):
    """Ids of loops, the largest saving first: share x (1 - 1/gain) of its best rule, all paths together."""
    query = """
        with parts as (select loop, path, cycles / sum(cycles) over (partition by loop) as part from loop_cycles),
             saved as (select a.loop, sum(p.part * (1 - 1 / a.gain) * (1 - a.is_upper * 0.5)) as saved
                         from advice a join parts p on p.loop = a.loop and p.path = a.path
                        where a.level_code <= 1 and a.gain > 1 group by a.loop, a.rule),
             known as (select loop, min(level_code) as level from advice where level_code <= 1 group by loop)
        select w.loop, w.share, coalesce((select max(saved) from saved s where s.loop = w.loop), 0) * w.share as saving,
               (select max(gain) from advice a where a.loop = w.loop and a.level_code <= 1) as gain, k.level, l.depth, r.role
          from loop_weights w join loops l on l.id = w.loop left join known k on k.loop = w.loop
          left join loop_roles r on r.loop = w.loop"""
    def key(row):
        saves = (row["gain"] or 0) > 1
        return (not saves, row["level"] is None, -row["saving"], -max(row["gain"] or 1, 1), -row["share"],
                9 if row["level"] is None else row["level"], ["only", "main", "version", "peel", "tail"].index(row["role"]),
                -row["depth"], row["loop"])
    return [row["loop"] for row in sorted(rows(file, query, "--machine", "skylake"), key=key)]


@test
def json_has_what_csv_has_and_the_advice():
    file = kernels()
    report, flat = ask(file, "--all"), table(file)
    assert report["schema"] == 2 and report["file"] == file and report["level"] == "potential", report["file"]
    assert report["has_details"] is True and report["order"] == "structure", report["order"]
    assert [m["name"] for m in report["machines"]] == ["skylake"] and report["machines"][0]["is_named"] is True
    assert len(report["compilers"]) == 1 and "-O2" in report["compilers"][0]["flags"], report["compilers"]
    paths = [(loop["loop"], path["path"]) for loop in report["loops"] for path in loop["paths"]]
    assert paths == [(int(row["loop"]), int(row["path"])) for row in flat]
    summary = report["summary"]
    assert summary["loop_count"] == summary["told_count"] == len(report["loops"]) == LOOPS, summary
    assert sum(summary["limits"].values()) + summary["unanswered_count"] == LOOPS and summary["unanswered_count"] == 0
    assert summary["path_count"] == len(flat), summary
    by_path = {(int(row["loop"]), int(row["path"])): row for row in flat}
    shares = {row["loop"]: row["share"] for row in rows(file, "select loop, share from loop_weights", "--machine", "skylake")}
    for loop in report["loops"]:
        for path in loop["paths"]:
            row = by_path[loop["loop"], path["path"]]
            for name, value in path["metrics"].items():
                assert (row[name] == "") == (value is None) and (value is None or float(row[name]) == value), name
            assert path["cycles"] == max(path["bounds"].values()) == path["bounds"][path["limit"].replace(" ", "_")
                                                                                      .replace("µ", "u")], path
            assert int(row["advice_count"]) == len(path["advice"])
        assert "-O2" in report["compilers"][loop["compiler"]]["flags"], loop
        assert abs(loop["share"] - shares[loop["loop"]]) < 1e-6, loop
        assert loop["saving"] <= loop["share"] * (1 - 1 / loop["gain"]) + 1e-5, loop
    savings = [loop["saving"] for loop in report["loops"]]
    assert savings == sorted(savings, reverse=True) and savings[0] > 0, savings
    assert [loop["loop"] for loop in report["loops"]] == by_saving(file), report["loops"]


@test
def details_come_where_they_are_asked_for():
    file = kernels()
    short, whole, chosen = ask(file), ask(file, "--all"), ask(file, "--function", "divide")
    details = {"metrics", "bounds", "ports", "bound_instructions", "accesses", "instructions"}
    for report, has in ((short, False), (whole, True), (chosen, True), (ask(file, "--level", "expert"), True)):
        assert report["has_details"] == has, report["level"]
        for loop in report["loops"]:
            assert all(details & set(path) == (details if has else set()) for path in loop["paths"]), loop
    plain = [{**loop, "paths": [{name: value for name, value in path.items() if name not in details} for path in loop["paths"]]}
             for loop in whole["loops"]]
    assert plain == short["loops"]
    texts = [(it["audience"], it["option"], it["text"]) for it in short["remedies"]]
    assert len(set(texts)) == len(texts) > 5, texts
    for loop in short["loops"]:
        for path in loop["paths"]:
            for advice in path["advice"]:
                assert advice["remedies"] and max(advice["remedies"]) < len(texts), advice
                assert advice["rule"] in {rule["name"] for rule in short["rules"]}, advice
    for figure in re.findall(r"[\d.]+\.\d+", json.dumps([path["metrics"] for loop in whole["loops"] for path in loop["paths"]])):
        assert len(figure.replace(".", "").lstrip("0")) <= 6, figure


@test
def what_would_help_many_loops_comes_first():
    file = kernels()
    report, reported = ask(file), page(file)
    known = rows(file, "select action, loop_count, loop from program_actions order by program, position", "--machine", "skylake")
    assert known and [(it["action"], it["loop_count"], it["loop"]) for it in report["actions"]] == [
        (it["action"], it["loop_count"], it["loop"]) for it in known], (known, report["actions"])
    first = reported[reported.index("What would help, over the whole program"):reported.index("Loops that matter")]
    for number, it in enumerate(report["actions"][:3], 1):
        words = it["text"][0].upper() + it["text"][1:]
        assert f" {number}. {words}: {it['loop_count']} loop" in first, (words, first)
        loop, = [loop for loop in report["loops"] if loop["loop"] == it["loop"]]
        assert f"({loop['function']})" in first, (loop["function"], first)


@test
def the_usual_report_is_short():
    with Folder() as folder:
        divide = KERNELS[KERNELS.index("void divide("):KERNELS.index("void copy(")]
        file = compiled(folder, KERNELS + "".join(divide.replace("divide", f"divide{i}") for i in range(30)))
        lines = said(file).split("\n")
        heads = [i for i, line in enumerate(lines) if re.match(r"loop \d+ in ", line)]
        assert len(heads) == 10 and heads[0] <= 42, heads
        assert all(after - before <= 42 for before, after in zip(heads, heads[1:] + [len(lines)])), heads
        assert re.search(r"\d+ more loops have advice: --all shows them", said(file)), lines[-3:]
        everything = said(file, "--all")
        assert len(re.findall(r"^loop \d+ in divide", everything, re.M)) == 31, everything
        assert len(re.findall(r"^loop \d+ in ", said(file, "--top", 3), re.M)) == 3
        # A remedy that the summary or an earlier page explains is not explained again.
        remedies = [it["text"] for it in ask(file)["remedies"]]
        counts = [page(file, "--all").count(remedy) for remedy in remedies]
        assert max(counts) == 1, counts
        assert "at the top." in page(file) and "As for loop" in page(file), page(file)
        twice = divide.replace("divide", "twice").replace("    for", "    for (long i = 0; i < n; i++)\n        b[i] = a[i] / f;\n    for", 1)
        twice = twice.replace("const double", "double")
        file = compiled(folder, twice + divide)
        assert re.search(r"in twice, \S+ [^─]*The same cycles and findings as loop \d+\.", page(file)), page(file)
        assert "The same cycles and findings" not in page(file, "--all")
        file = compiled(folder, KERNELS + divide.replace("divide", "divide7") + divide.replace("divide", "divide8"))
        remedies = [it["text"] for it in ask(file)["remedies"]]
        # A chosen loop has everything on its page.
        chosen = page(file, "--function", "divide7")
        divider = [it["remedies"] for it in loop_of(ask(file), "divide7")["paths"][0]["advice"] if it["rule"] == "divider"][0]
        assert all(remedies[at] in chosen for at in divider) and "at the top" not in chosen, chosen


@test
def a_divider_bound_loop_says_so_everywhere():
    file = kernels()
    report = ask(file, "--all")
    loop = loop_of(report, "divide")
    path, = loop["paths"]
    assert path["limit"] == "divider" and path["metrics"]["divide_count"] == 1, path["limit"]
    advice, = [it for it in path["advice"] if it["rule"] == "divider"]
    line = KERNELS[:KERNELS.index("/* divides */")].count("\n") + 1
    evidence, = [it for it in path["instructions"] if it["address"] in advice["evidence"]]
    assert advice["lines"] == [evidence["line"]] == [line] and "div" in evidence["text"], advice
    assert abs(path["cycles"] / advice["cycles"] - advice["gain"]) < 1e-4 and advice["gain"] > 1, advice
    remedies = [report["remedies"][at] for at in advice["remedies"]]
    assert remedies and all(it["text"] and it["action"] for it in remedies), advice
    rule, = [it for it in report["rules"] if it["name"] == "divider"]
    reported = page(file, "--loop", loop["loop"])
    for words in (f"loop {loop['loop']} in divide", f"An iteration takes {path['cycles']:.2f} cycles", "(divider)",
                  rule["title"], advice["text"], f"line {line}", f"→ {advice['cycles']:.2f} cycles",
                  f"{advice['gain']:.1f} × faster", "L1 cache", "a[i] = b[i] / f; /* divides */", "skylake",
                  "-fno-tree-vectorize", rule["meaning"], *[it["text"] for it in remedies]):
        assert words in reported, (words, reported)


@test
def switches_between_sse_and_avx_are_in_the_figure():
    """What the advice promises to take away is in the figure that heads the loop, in the table and in JSON."""
    with Folder() as folder:
        file = compiled(folder, """
#include <immintrin.h>
static inline float root(float x) { float y; __asm__("rsqrtss %1, %0" : "=x"(y) : "x"(x)); return y; }
void kernel(float *to, const __m256 *from, int n)
{ __m256 s = from[0]; for (int i = 0; i < n; i++) { s += from[i] * from[i]; to[i] = root(s[0]); } }
""", "-g", "-O2", "-mavx2")
        for core, has_penalty in (("haswell", True), ("skylake", False)):
            loop = loop_of(ask(file, machine=core), "kernel")
            path = loop["paths"][0]
            flat = " ".join(said(file, "-F", "kernel", machine=core).split())
            assert (path["total_cycles"] > path["cycles"]) == has_penalty, path
            assert f"An iteration takes {path['total_cycles']:.2f} cycles" in flat, flat
            assert ("for switches between SSE and AVX code" in flat) == has_penalty, flat
            if has_penalty:
                assert f"Gain: {path['total_cycles']:.2f} → {path['cycles']:.2f} cycles" in flat, flat


@test
def a_terminal_without_unicode_has_plain_signs():
    reported = page(kernels(), "--function", "divide", locale="C")
    assert " -> " in reported and " times faster" in reported and "→" not in reported and "×" not in reported, reported


@test
def the_summary_opens_the_report():
    file = kernels()
    report = ask(file)
    reported = page(file)
    first = reported[:reported.index("loop " + str(report["loops"][0]["loop"]) + " in ")]
    for words in (f"file {file}", "machine skylake (", f"{LOOPS} innermost loops", "-O2", "limits ", "L1 cache",
                  "no run was sampled", "What would help, over the whole program", "Loops that matter",
                  f"{report['summary']['advised'].get('gain', 0)} at level gain"):
        assert words in first, (words, first)
    top = report["summary"]["most_to_gain"]
    assert top and [it["loop"] for it in top] == [it["loop"] for it in report["loops"] if it["gain"] > 1][:10], top
    for it in top:
        assert f"{it['gain']:.1f} ×" in first, (it, first)


@test
def why_it_matters_is_explained_once():
    with Folder() as folder:
        source = KERNELS + KERNELS[KERNELS.index("void divide("):KERNELS.index("void copy(")].replace("divide", "again")
        file = compiled(folder, source)
        rule, = [it for it in ask(file)["rules"] if it["name"] == "divider"]
        assert rule["loop_count"] >= 2 and page(file).count(rule["meaning"]) == 1, rule


@test
def levels_take_those_before_along():
    file = kernels()
    last = set()
    for level in ("gain", "potential", "hint", "expert"):
        report = ask(file, "--level", level)
        advice = {(loop["loop"], path["path"], it["rule"]) for loop in report["loops"] for path in loop["paths"]
                  for it in path["advice"]}
        assert last <= advice and report["level"] == level, (level, advice)
        assert all(("instructions" in path) == (level == "expert") for loop in report["loops"] for path in loop["paths"])
        last = advice
    assert page(file, "--level", "gain") != page(file, "--level", "hint")
    hint, expert = page(file, "--level", "hint"), page(file, "--level", "expert")
    assert "Notable figures" in hint and "sqrt_count" not in hint, hint
    for words in ("sqrt_count: square roots", "Memory accesses", "stride one", "marks the instructions", "addsd",
                  "dependence chain", "advice 1"):
        assert words in expert, (words, expert)


@test
def every_loop_has_a_page_where_it_is_chosen():
    with Folder() as folder:
        file = kernels()
        reported = page(file, "--function", "chase", "--level", "gain")
        assert "in chase," in reported and "No advice at this level" in reported, reported
        assert "in chase," not in page(file, "--level", "gain")
        # --all leaves none out, with advice or without.
        everything = said(file, "--all", "--level", "gain")
        assert len(re.findall(r"^loop \d+ in ", everything, re.M)) == len(ask(file)["loops"]), everything
        assert re.search(r"^loop \d+ in chase,", everything, re.M) and "No advice at this level for this loop" in everything, everything
        chase = KERNELS[KERNELS.index("long chase("):]
        assert "in chase," in page(compiled(folder, chase), "--level", "gain"), "the only loop"
        reported = page(compiled(folder, chase + chase.replace("chase", "again")), "--level", "gain")
        assert "No loop has advice at this level" in reported and "in chase," not in reported, reported


@test
def all_loops_have_a_page_with_all():
    file = kernels()
    everything = ask(file, "--all", "--level", "gain")
    silent = [loop["loop"] for loop in everything["loops"] if not any(path["advice"] for path in loop["paths"])]
    pages = [int(number) for number in re.findall(r"^loop (\d+) in ", said(file, "--all", "--level", "gain"), re.M)]
    assert silent and sorted(pages) == sorted(loop["loop"] for loop in everything["loops"]), (silent, pages)
    assert not set(silent) & set(map(int, re.findall(r"^loop (\d+) in ", said(file, "--level", "gain"), re.M)))


@test
def loops_are_chosen_by_line_function_and_number():
    file = kernels()
    line = KERNELS[:KERNELS.index("/* sums */")].count("\n") + 1
    loop = loop_of(ask(file), "sum")["loop"]
    for words in (("--line", f"k.c:{line}"), ("--function", "sum"), ("--function", "^su"), ("--loop", loop)):
        assert [it["function"] for it in ask(file, *words)["loops"]] == ["sum"], words
    everything = ask(file)["loops"]
    for count in (1, 3, 100):
        assert [it["loop"] for it in ask(file, "--top", count)["loops"]] == [it["loop"] for it in everything][:count]
    assert ask(file, "--top", 1)["summary"]["loop_count"] == LOOPS
    assert page(file, "--top", 1).count(" An iteration takes ") == 1


@test
def a_choice_that_matches_nothing_names_what_is_near():
    with Folder() as folder:
        file = kernels()
        result = assay("report", file, "--function", "divid$", status=1)
        assert b"did you mean divide?" in result.stderr and not result.stdout, result
        assert b"no function" in assay("report", file, "--function", "zzzzzzzzzzzzz", status=1).stderr
        assert b"matches the selection" in assay("report", file, "--line", "k.c:2", status=1).stderr
        assert b"99" in assay("report", file, "--loop", "99", status=1).stderr
        outer = rows(file, "select id from loops where not is_innermost")[0]["id"]
        assert b"contains other loops" in assay("report", file, "--loop", outer, status=2).stderr
        for words, says in ((("--level", "most"), b"gain, potential, hint or expert"), (("--top", "0"), b"--top takes 1"),
                            (("--html", "--json"), b"choose one of"), (("--csv", "--json"), b"choose one of"),
                            (("--machine", "skylark"), b"skylake"), (("--paths", "x"), b"--paths"), (("--paths", "0"), b"--paths takes 1"),
                            (("--paths", "1000001"), b"--paths")):
            result = assay("report", file, *words, status=2)
            assert says in result.stderr and not result.stdout, (words, result)
        assert assay("report", os.path.join(folder, "none"), status=2).stderr.count(b"\n") == 1


@test
def a_file_without_loops_says_so():
    with Folder() as folder:
        file = compiled(folder, "int one(void) { return 1; }")
        for words in ((), ("--csv",), ("--json",), ("--html",)):
            result = assay("report", file, *words, status=1)
            assert b"contains no loop" in result.stderr and not result.stdout, result


@test
def without_debug_information_loops_are_named_by_address():
    with Folder() as folder:
        file = compiled(folder, KERNELS, *[flag for flag in FLAGS if flag != "-g"])
        reported, report = page(file), ask(file)
        assert report["summary"]["unplaced_count"] == LOOPS and reported.count("compile with -g") == 1, reported
        loop = loop_of(report, "divide")
        assert loop["file"] is None and f"in divide, address {loop['address']:#x}" in reported, reported
        assert "line" not in reported[reported.index("in divide"):reported.index("What to do")].replace("baseline", ""), reported
        assert "compile with -g" not in page(kernels())


@test
def a_machine_that_lacks_an_instruction_gives_no_number():
    with Folder() as folder:
        file = compiled(folder, KERNELS, "-O3", "-g", "-march=skylake-avx512", "-mprefer-vector-width=512")
        report = ask(file, "--function", "copy", machine="haswell")
        lacking = [loop for loop in report["loops"] for path in loop["paths"] if path["cycles"] is None]
        assert lacking, report["summary"]
        path, = lacking[0]["paths"]
        assert "haswell does not have the instruction" in path["remark"] and path["limit"] is None, path
        assert path["bounds"] == {} and path["ports"] == {} and path["metrics"]["cycles"] is None, path
        assert all(it["cycles"] is None and it["gain"] is None for it in path["advice"]), path["advice"]
        reported = page(file, "--loop", lacking[0]["loop"], machine="haswell")
        assert "No cycles could be computed: haswell does not have the instruction" in reported and "An iteration takes" not in reported
        row, = [row for row in table(file, machine="haswell") if row["loop"] == str(lacking[0]["loop"])]
        assert row["cycles"] == row["limit"] == row["gain"] == "" and "does not have" in row["remark"], row
        assert report["summary"]["unanswered_count"] == len(lacking)
        assert ask(file, machine="skylake-x")["summary"]["unanswered_count"] == 0


@test
def a_loop_that_nothing_leaves_is_reported():
    with Folder() as folder:
        file = compiled(folder, "volatile long x; void run(void) { for (;;) x += 3; }")
        loop, = ask(file)["loops"]
        assert loop["exit_count"] == 0 and loop["paths"][0]["cycles"] > 0, loop
        assert "No jump leaves the loop." in page(file, "--function", "run")


@test
def x87_code_has_no_vector_length():
    with Folder() as folder:
        file = compiled(folder, "long double sum(const long double *a, long n)\n{\n    long double s = 0;\n"
                        "    for (long i = 0; i < n; i++)\n        s += a[i];\n    return s;\n}\n")
        words = " ".join(page(file, "--function", "sum").split())
        assert "x87 instructions" in words and "vectors of this machine" not in words, words


@test
def a_path_explosion_is_counted():
    with Folder() as folder:
        tests = "".join(f"        if (b[i] & {1 << k}) a[i + {k}] = s;\n" for k in range(20))
        source = ("void run(volatile long *a, volatile long *b, long n, long s)\n{\n    for (long i = 0; i < n; i++) {\n"
                  + tests + "    }\n}\n")
        file = compiled(folder, source)
        loop, = ask(file)["loops"]
        assert loop["path_count"] >= 1 << 20 and loop["is_cut"] and len(loop["paths"]) == 8, loop["path_count"]
        assert f"8 of {loop['path_count']:,} paths were analysed" in page(file, "--function", "run")
        assert len(ask(file, "--paths", 20)["loops"][0]["paths"]) == 20
        assert not any(loop["is_cut"] for loop in ask(compiled(folder, output="plain.o"))["loops"])
        assert "8 of" in table(file)[0]["remark"], table(file)[0]


@test
def paths_are_shown_one_by_one():
    file = kernels()
    loop = loop_of(ask(file, "--all"), "choose")
    assert len(loop["paths"]) == 3, loop["paths"]
    reported = said(file, "--function", "choose")
    for path in loop["paths"]:
        want = rf"^ +{path['path']} +{path['cycles']:.2f} +{path['metrics']['instruction_count']} +{path['limit']}$"
        assert re.search(want, reported, re.M), (want, reported)
    slowest = max(loop["paths"], key=lambda path: path["cycles"])
    assert f"{slowest['cycles']:.2f} cycles on the slowest path (path {slowest['path']})" in re.sub(r"\s+", " ", reported)


@test
def a_database_gives_the_report_of_its_program():
    file, database = kernels(), os.path.join(shared.path, "k.db")
    some = (("--level", "expert"), ("--json", "--all"))
    every = (("--csv",), (), ("--function", "choose", "--level", "hint"), *some)
    for options, reports in (((), every), (("--flow",), some), (("--report", "--machine", "skylake"), some), (("--cycles",), some)):
        assay("db", file, "-o", database, "--paths", 100, "-q", *options)
        for words in reports:
            assert said(database, *words).replace(database, file) == said(file, *words), (options, words)


@test
def a_loop_of_a_database_is_that_of_its_program():
    """Only the rows of its function are read, and of those that it calls."""
    for isa, machine in (("x86_64", "skylake"), ("aarch64", "neoverse-v1")):
        file, database = kernels(isa), os.path.join(shared.path, isa + ".db")
        assay("db", file, "-o", database, "--paths", 100, "-q")
        loops = [row["id"] for row in rows(file, "select id from loops where is_innermost")]
        every = [(loop, ("--json",)) for loop in loops[2:5]] + [(loops[-1], ()), (loops[-2], ("--csv",))]
        for loop, words in every if isa == "x86_64" else every[-2:]:
            of_file = said(file, "--loop", loop, *words, machine=machine)
            of_database = said(database, "--loop", loop, *words, machine=machine)
            assert of_database.replace(database, file) == of_file, (isa, loop, words)
        assert assay("report", database, "--loop", 1000, status=1).stderr == assay("report", file, "--loop", 1000, status=1).stderr


@test
def the_number_of_threads_cannot_be_seen():
    with Folder() as folder:
        source = KERNELS + "".join(
            KERNELS[KERNELS.index("long choose("):KERNELS.index("extern double")].replace("choose", f"choose{i}")
            for i in range(40))
        file = compiled(folder, source)
        for words in (("--json", "--level", "expert"), ("--csv",), ("--level", "hint"), ("--html",)):
            reported = {text("report", file, "--machine", "skylake", "--threads", count, *words) for count in (1, 4)}
            assert len(reported) == 1, words


@test
def sql_makes_the_tables_when_they_are_read():
    with Folder() as folder:
        file, database = kernels(), os.path.join(folder, "k.db")
        report = ask(file, "--paths", 64, "--level", "expert")
        count = sum(len(path["advice"]) for loop in report["loops"] for path in loop["paths"])
        queries = {"loop_metrics": sum(len(loop["paths"]) for loop in report["loops"]), "advice": count,
                   "access_patterns": sum(len(path["accesses"]) for loop in report["loops"] for path in loop["paths"]),
                   "loop_roles": LOOPS}
        for table_name in ("loop_families", "remedies", "rules", "advice_evidence", "bound_instructions", "port_uses"):
            queries[table_name] = None
        counts, = rows(file, "select " + ", ".join(f"(select count(*) from {name}) as {name}" for name in queries), "--machine", "skylake")
        for name, want in queries.items():
            assert counts[name] == want if want is not None else counts[name] > 0, (name, counts[name], want)
        assay("db", file, "-o", database, "-q")
        reported = assay("sql", database, "select count(*) from advice")
        assert b"assay db --report" in reported.stderr, reported
        assay("db", file, "-o", database, "-q", "--report", "--machine", "skylake")
        columns = collections.defaultdict(list)
        for row in rows(file, "select t.name as t, c.name as c from sqlite_schema t join pragma_table_xinfo(t.name) c where t.name in ("
                        + ", ".join(f"'{name}'" for name in queries) + ")"):
            columns[row["t"]].append(row["c"])
        assert set(columns) == set(queries), columns
        cells = {name: " || ',' || ".join(f"quote({column})" for column in columns[name]) for name in queries}
        everything = "select " + ", ".join(f"(select group_concat({cells[name]}) from {name}) as {name}" for name in queries)
        both = [assay("sql", where, everything, "--json", "--machine", "skylake") for where in (file, database)]
        assert both[0].stdout == both[1].stdout and not both[1].stderr, both[1].stderr
        assert rows(database, "select has_flow from programs") == [{"has_flow": 0}]
        assert rows(database, "select count(*) n from def_use") == [{"n": 0}]
        assert rows(file, "select count(*) n from advice; select count(*) n from def_use where use not in "
                    "(select id from code)".split(";")[0], "--machine", "skylake")[0]["n"] == count
        assert b"loop_metrics" in assay("show", "loop_metricz", file, status=2).stderr


@test
def an_analysis_needs_the_report_or_says_how_to_make_it():
    with Folder() as folder:
        file, database, own = kernels(), os.path.join(folder, "k.db"), os.path.join(folder, "own")
        os.mkdir(own)
        write(own, "bad-loops.sql", "-- title: T\n-- does: d\nselect loop, max(gain) as gain from advice group by loop")
        env = dict(os.environ, ASSAY_ANALYSES=own)
        assert b"gain" in assay("analysis", "bad-loops", file, "--machine", "skylake", env=env).stdout
        assay("db", file, "-o", database, "-q")
        assert b"assay db --report" in assay("analysis", "bad-loops", database, env=env, status=2).stderr


@test
def the_output_is_whole_or_not_there():
    with Folder() as folder:
        file, output = kernels(), os.path.join(folder, "out", "report")
        assay("report", file, "--machine", "skylake", "-o", output, status=2)
        os.mkdir(os.path.join(folder, "out"))
        assay("report", file, "--machine", "skylake", "-o", output)
        with open(output) as stream:
            whole = stream.read()
        assert whole == text("report", file, "--machine", "skylake")
        assay("report", file, "--function", "none_such", "-o", output, status=1)
        with open(output) as stream:
            assert stream.read() == whole
        assert os.listdir(os.path.dirname(output)) == ["report"]
        with open("/dev/full", "w") as full:
            result = subprocess.run([ASSAY, "report", file, "--machine", "skylake"], stdout=full, stderr=subprocess.PIPE)
        assert result.returncode == 2 and b"standard output" in result.stderr, result


@test
def an_interrupt_leaves_no_output():
    with Folder() as folder:
        output = os.path.join(folder, "out")
        os.mkdir(output)
        interrupted = 0
        for wait in (0.05, 0.1, 0.2, 0.4):
            process = subprocess.Popen([ASSAY, "report", ASSAY, "--json", "--level", "expert", "--threads", "1", "-o",
                                        os.path.join(output, "report.json")], stderr=subprocess.DEVNULL)
            time.sleep(wait)
            process.send_signal(signal.SIGINT)
            interrupted += process.wait(PATIENCE) != 0
            if process.returncode == 0:
                with open(os.path.join(output, "report.json")) as stream:
                    json.load(stream)
                os.unlink(os.path.join(output, "report.json"))
            assert os.listdir(output) == [], os.listdir(output)
        assert interrupted, "nothing was interrupted"


@test
def lines_fit_and_nothing_is_coloured_where_there_is_no_terminal():
    file = kernels()
    reported = said(file)
    assert "\x1b" not in reported and max(len(line) for line in reported.splitlines()) <= 80, reported
    assert "\x1b[" in text("report", file, "--machine", "skylake", "--color", "always")


@test
def names_from_files_cannot_drive_a_terminal():
    with Folder() as folder:
        # inc eax; dec edi; jne back; ret
        code = bytes.fromhex("ffc0ffcf75fac3")
        path = os.path.join(folder, "hostile")
        Elf(code, [("bad\x1b[2Jname", 0x1000, len(code))]).write(path)
        for words in ((), ("--level", "expert"), ("--function", "bad")):
            result = assay("report", path, "--machine", "skylake", *words)
            assert b"\x1b" not in result.stdout, words
        assert "bad\\x1b[2Jname" in page(path, "--function", "bad")
        assert ask(path)["loops"][0]["function"] == "bad\x1b[2Jname"
        assert table(path)[0]["function"] == "bad\x1b[2Jname"


@test
def damaged_databases_do_no_harm():
    with Folder() as folder:
        file, database = kernels(), os.path.join(folder, "k.db")
        assay("db", file, "-o", database, "-q")
        with open(database, "rb") as stream:
            whole = stream.read()
        choice = random.Random(5)
        for turn in range(16):
            broken = bytearray(whole)
            for _ in range(choice.randrange(1, 30)):
                broken[choice.randrange(4096, len(broken))] = choice.randrange(256)
            path = write(folder, "broken.db", bytes(broken))
            chosen = ("--loop", 1 + turn % 4) if turn % 2 else ("--all",)
            result = assay("report", path, "--json", "--machine", "skylake", *chosen, status=None)
            assert result.returncode in (0, 1, 2), result
            if result.returncode == 0:
                json.loads(result.stdout)


@test
def arm_code_has_a_report_too():
    with Folder() as folder:
        file = kernels("aarch64")
        report = ask(file, "--all", machine="neoverse-v1")
        loop = loop_of(report, "divide")
        assert loop["paths"][0]["metrics"]["divide_count"] == 1 and loop["machine"] == "neoverse-v1", loop
        reported = page(file, "--function", "divide", machine="neoverse-v1")
        assert "neoverse-v1" in reported and f"An iteration takes {loop['paths'][0]['cycles']:.2f} cycles" in reported, reported
        assert len(table(file, machine="neoverse-v1")) == report["summary"]["path_count"]
        assert b"choose another machine" in assay("report", file, "--machine", "skylake", status=2).stderr


@test
def every_metric_has_its_sentence_in_the_manual():
    columns = metric_columns(kernels())
    helped, manual = text("help", "metrics"), text("generate", "man")
    sentences = {row["name"] for row in rows(kernels(), "select name from pragma_table_xinfo('loop_metrics')")}
    assert set(columns) <= sentences
    for name in columns:
        assert re.search(rf"^  {name}\n      \S", helped, re.M), name
        assert re.search(rf"^\.TP\n\\fB{name}\\fR\n\S", manual, re.M), name
    assert len([line for line in helped.splitlines() if line and not line.startswith(" ")]) >= 14, "groups"
    assert len(text("help", "report").splitlines()) < 90
    assert b"metrics" in assay("help", "report").stdout


run()
