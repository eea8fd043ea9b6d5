"""The report on a sampled run in a database: text, JSON, CSV and the page in a browser.

The rows of the run are made by hand and put into the database of a real program, so that every figure is known beforehand,
on any machine and without sampling anything."""
import csv, io, json, os, re, sqlite3
from harness import MACHINE, ROOT, Browser, Folder, Skip, assay, build, compilers, need, run, test, text, uncertain
from pages import check

SOURCE = r"""
#include <stdio.h>
double a[4096], b[4096];
__attribute__((noinline)) double norm(const double *x, int n)
{
    double s = 0;
    for (int i = 0; i < n; i++)
        s += x[i] * x[i];
    return s;
}
__attribute__((noinline)) void scale(double *x, int n, double by)
{
    for (int i = 0; i < n; i++)
        x[i] /= by;
}
__attribute__((noinline)) void cold(double *x, int n)
{
    for (int i = 0; i < n; i++)
        x[i] = i;
}
int main(int argc, char **argv)
{
    (void)argv;
    cold(a, argc);
    scale(a, argc, 3);
    printf("%g\n", norm(a, argc));
    return 0;
}
"""
SECONDS = 10.0


def fill(connection, table, **columns):
    """A row whose other columns are 0 or, where they may be, NULL; its id."""
    names = ", ".join(f'"{name}"' for name in columns)
    return connection.execute(f"insert into {table} ({names}) values ({', '.join('?' * len(columns))})",
                              list(columns.values())).lastrowid


def function(connection, share, total=None, **columns):
    return fill(connection, "run_functions", run=1, activity="compute", samples=int(share * 10000),
                self_seconds=share * SECONDS, self_share=share, total_seconds=(total or share) * SECONDS,
                total_share=total or share, **columns)


def loop(connection, number, share, **columns):
    fill(connection, "run_loops", run=1, loop=number, samples=int(share * 10000), self_seconds=share * SECONDS, self_share=share,
         total_seconds=share * SECONDS, total_share=share, error=(share * 10000) ** -0.5, **columns)


def built(folder, level="-O1"):
    source = os.path.join(folder, "solve.c")
    with open(source, "w") as out:
        out.write(SOURCE)
    return build(folder, compilers(MACHINE)[0], [source], "-g", level)


def begin(folder, level="-O1", **columns):
    """The database of the program, with a run without samples."""
    path = os.path.join(folder, "run.db")
    assay("db", built(folder, level), "-o", path, "--quiet")
    connection = sqlite3.connect(path)
    fill(connection, "runs", id=1, **dict(command="./solve <1>", sampler="cpu clock", frequency=1000, samples=10000, seconds=12.4,
                                          cpu_seconds=10.1, sampled_seconds=SECONDS, waiting_seconds=2.4, processes=1, threads=1,
                                          cycles_per_second=2.6e9, exit_status=0) | columns)
    return path, connection


def make(folder, level="-O1"):
    """norm: 40 % in its loop, 10 % outside; scale: 30 % in its loop; the kernel: 20 %.  The ids of functions and loops."""
    path, connection = begin(folder, level)
    functions = {name: number for number, name in connection.execute("select id, name from functions")}
    loops = {name: number for number, name in connection.execute(
        "select l.id, f.name from loops l join functions f on f.id = l.function")}
    program = fill(connection, "run_files", run=1, path="/x/solve", state="read", program=1, samples=8000, seconds=8, share=0.8)
    kernel = fill(connection, "run_files", run=1, state="kernel", samples=2000, seconds=2, share=0.2)
    function(connection, 0.5, function=functions["norm"], file=program)
    function(connection, 0.3, function=functions["scale"], file=program)
    function(connection, 0.2, name="clear_page<i>", file=kernel)
    loop(connection, loops["norm"], 0.4)
    loop(connection, loops["scale"], 0.3, entries=10, iterations=10000, cycles_per_iteration=100, measured_by="probes")
    fill(connection, "run_gaps", run=1, loop=loops["scale"], position=1, rule="cache", certainty="likely", value=8 << 20,
         reference=1 << 15)
    process = fill(connection, "run_processes", run=1, process=4711, parent=1, seconds=12.4, cpu_seconds=10)
    fill(connection, "run_threads", process=process, thread=4711, seconds=12.4, cpu_seconds=10, waiting_seconds=2.4, samples=10000)
    top = fill(connection, "run_calls", run=1, name="main<b>", depth=1, self_seconds=0, total_seconds=10)
    fill(connection, "run_calls", run=1, caller=top, function=functions["norm"], depth=2, self_seconds=5, total_seconds=5)
    fill(connection, "run_calls", run=1, caller=top, function=functions["scale"], depth=2, self_seconds=3, total_seconds=3)
    connection.commit()
    connection.close()
    return path, functions, loops


@uncertain
def the_run_comes_first_and_the_rest_is_a_line():
    with Folder() as folder:
        path, _, loops = make(folder)
        lines = text("report", path).splitlines()
        assert lines[0] == "./solve <1>: 12.4 s, 10.1 s of processor time, 1 thread", lines
        assert lines[1].startswith("Processor time: solve 80 %, the kernel 20 %. It waited 19 % of the time"), lines
        assert any(line.startswith("The advice below would save up to ") for line in lines[:4]), lines
        table = [line.split() for line in lines if line.startswith("  ") and " % " in line]
        assert [words[0] for words in table] == ["40", "30", "20", "10"], table
        assert table[0][3:5] == [table[0][3], str(loops["norm"])] and table[0][-1] == "norm", table
        assert table[1][2] == "100" and table[1][4] == str(loops["scale"]), table
        assert table[3][-4:] == ["norm,", "outside", "its", "loops"], table
        report = " ".join(" ".join(lines).split())
        assert "probably the data does not fit" in report and "(8 MB touched, 32 KB there)" in report, report
        assert "1 other innermost loop has no samples (--function or --line shows their report)." in report, report
        assert "machine " not in report and len(lines) <= 40, report


@uncertain
def options_that_round_otherwise_are_summed_up_apart():
    """A program whose only remedy was -ffast-math had no line of options: its items named them loop by loop."""
    with Folder() as folder:
        path, _, loops = make(folder, "-O2")
        report = json.loads(text("report", path, "--json"))
        sums = [change for change in report["changes"] if change["action"] == "associative-math"]
        assert [change["loop"] for change in sums] == [loops["norm"]], report["changes"]
        page = " ".join(text("report", path).split())
        said = re.search(r"Options that may change the last digits: (let the compiler reorder sums .*?: 1 loop, saves (\d+) %)", page)
        assert said and abs(int(said.group(2)) - 100 * sums[0]["saving"]) <= 1, page


@uncertain
def a_cause_that_is_only_possible_does_not_displace_known_advice():
    """With --measure, "perhaps the data does not fit" took the place of -march=native, which was right."""
    with Folder() as folder:
        path, _, loops = make(folder)
        for certainty, is_cause in (("likely", True), ("possible", False)):
            connection = sqlite3.connect(path)
            connection.execute("update run_gaps set certainty = ?", [certainty])
            connection.commit()
            connection.close()
            report = json.loads(text("report", path, "--json"))
            change = next(change for change in report["changes"] if change["loop"] == loops["scale"])
            assert ("Work on blocks" in change["text"]) == is_cause, (certainty, change)
        assert "perhaps the data does not fit" in " ".join(text("report", path).split())


@uncertain
def a_long_command_is_cut_and_the_answer_stands_in_its_place():
    """A sequence of letters as an argument took the whole screen."""
    with Folder() as folder:
        path, connection = begin(folder, command="./align " + "ACGT" * 1000)
        connection.commit()
        connection.close()
        page = text("report", path)
        assert " ".join(page.split()).startswith("./align ACGT"), page[:100]
        assert "…: 12.4 s, 10.1 s of processor time" in " ".join(page.split()), page
        assert sum(map(len, page.splitlines()[:4])) < 400, page
        assert json.loads(text("report", path, "--json"))["run"]["command"].endswith("ACGT" * 1000)


@uncertain
def a_chosen_loop_has_its_page():
    with Folder() as folder:
        path, _, loops = make(folder)
        page = text("report", path, "--loop", str(loops["scale"]))
        lines = page.splitlines()
        assert lines[0].startswith("./solve <1>: 12.4 s"), lines
        words = " ".join(page.split())
        assert f"Loop {loops['scale']} in scale, solve.c:" in words and "30 % of the processor time" in words, words
        assert "10,000 iterations in 10 entries." in words and "Measured 100 cycles an iteration, predicted " in words, words
        assert f"loop {loops['scale']} in scale" in words and "An iteration takes" in words, words
        page = " ".join(text("report", path, "--function", "^cold$").split())
        assert f"Loop {loops['cold']} in cold" in page and "no sample" in page, page
        assert assay("report", path, "--loop", "4000", status=1).stdout == b""


@uncertain
def savings_follow_amdahl():
    with Folder() as folder:
        path, _, loops = make(folder)
        answer = json.loads(text("report", path, "--json"))
        assert answer["schema"] == 1 and answer["run"]["samples"] == 10000 and answer["run"]["end_signal"] is None
        assert answer["where"]["program"] == 8 and answer["where"]["kernel"] == 2 and answer["where"]["library"] == 0
        by_loop = {row["loop"]: row for row in answer["loops"]}
        assert set(by_loop) == {loops["norm"], loops["scale"]}
        gains = {loop["loop"]: loop for loop in answer["report"]["loops"]}
        for number, share in ((loops["norm"], 0.4), (loops["scale"], 0.3)):
            row = by_loop[number]
            assert row["predicted_cycles"] == max(path["cycles"] for path in gains[number]["paths"])
            part = min(1, row["predicted_cycles"] / (row["cycles_per_iteration"] or row["predicted_cycles"]))
            assert row["savings"], row
            for saving in row["savings"]:
                assert abs(saving["saving"] - share * part * (1 - 1 / saving["gain"])) < 1e-9, (saving, row)
        changes = answer["changes"]
        assert len({change["loop"] for change in changes}) == len(changes) > 1, changes
        assert abs(answer["saving"] - sum(change["saving"] for change in changes)) < 1e-9, (answer["saving"], changes)
        said = " ".join(text("report", path).split())
        assert f"The advice below would save up to {100 * answer['saving']:.0f} % of the run." in said, said
        for action, words in (("optimise", "compile with -O3 (Clang: -O2)"),):
            mine = [change["saving"] for change in changes if change["action"] == action]
            told = re.search(re.escape(words) + r": (\d+) loops?, saves (\d+) %", said)
            assert bool(told) == bool(mine), (changes, said)
            if mine:  # one number for one change: that of the loops which are told to do it
                assert (int(told[1]), int(told[2])) == (len(mine), round(100 * sum(mine))), (changes, told[0])
        gap, = by_loop[loops["scale"]]["gaps"]
        assert (gap["rule"], gap["certainty"], gap["value"]) == ("cache", "likely", 8 << 20), gap
        only = json.loads(text("report", path, "--json", "--loop", str(loops["norm"])))
        assert [row["loop"] for row in only["loops"]] == [loops["norm"]] == [row["loop"] for row in only["report"]["loops"]]


@uncertain
def what_compiling_for_this_processor_adds():
    """Sums in vectors of 128 bits were promised, and -march=native doubles those of most x86-64 processors."""
    with Folder() as folder:
        path, _, loops = make(folder, "-O2")
        is_x86 = MACHINE == "x86_64"
        asked = ("report", path, "--machine", "skylake" if is_x86 else "neoverse-v1")
        report = json.loads(text(*asked, "--json"))
        saving, = (saving for row in report["loops"] if row["loop"] == loops["norm"] for saving in row["savings"] if saving["rule"] == "not-vectorised")
        gains = [advice["native_gain"] for loop in report["report"]["loops"] if loop["loop"] == loops["norm"] for path in loop["paths"]
                 for advice in path["advice"] if advice["rule"] == "not-vectorised"]
        page = " ".join(text(*asked).split())
        if not is_x86:  # four pipes of 128 bits do as much as two of 256
            assert saving["native_saving"] is None and gains == [None] and "as well" not in page, (saving, gains, page)
            return
        assert len(gains) == 1 and abs(saving["native_saving"] - 0.4 * (1 - 1 / gains[0])) < 1e-9 and gains[0] > 1.5 * saving["gain"], (saving, gains)
        native = f"{100 * saving['native_saving']:.0f} % with -march=native as well"
        assert f"of the whole run, {native}" in page and f"({native})." in page, page


@uncertain
def csv_has_a_row_for_each_function_and_loop():
    with Folder() as folder:
        path, _, loops = make(folder)
        rows = list(csv.DictReader(io.StringIO(text("report", path, "--csv"))))
        assert [(row["kind"], row["function"], row["self_share"]) for row in rows] == [
            ("function", "norm", "0.5"), ("function", "scale", "0.3"), ("function", "clear_page<i>", "0.2"),
            ("loop", "norm", "0.4"), ("loop", "scale", "0.3")], rows
        assert rows[4]["measured_cycles"] == "100" and rows[4]["gap"] == "cache" and rows[4]["source"].endswith("solve.c"), rows
        metrics = list(csv.DictReader(io.StringIO(text("report", path, "--csv", "--loop", str(loops["norm"])))))
        assert [row["loop"] for row in metrics] == [str(loops["norm"])] and "vector_ratio" in metrics[0]


@uncertain
def a_run_without_any_code_has_a_report():
    with Folder() as folder:
        path, connection = begin(folder, samples=0, sampled_seconds=0, seconds=0.01, cpu_seconds=0.004, waiting_seconds=None)
        for table in ("code", "blocks", "edges", "loops", "loop_blocks", "paths", "path_blocks", "calls", "functions",
                      "source_lines", "inlined_calls"):
            connection.execute(f"delete from {table}")
        connection.commit()
        answer = text("report", path)
        assert answer.startswith("./solve <1>: 10 ms, 4 ms of processor time, 1 thread\nNo sample was taken"), answer
        assert json.loads(text("report", path, "--json"))["loops"] == []
        check(text("report", path, "--html"))
        assert assay("report", path, "--function", "main", status=1).stdout == b""


@uncertain
def programs_without_runs_have_the_usual_report():
    with Folder() as folder:
        program, path = built(folder), os.path.join(folder, "plain.db")
        assay("db", program, "-o", path, "--quiet")
        lines = text("report", path).splitlines()
        assert lines[0].split() == ["file", path], lines[0]


@uncertain
def damaged_runs_do_no_harm():
    with Folder() as folder:
        path, _, loops = make(folder)
        for change, is_refused in (("update runs set samples = -1, seconds = null, sampled_seconds = null", False),
                                   ("update run_loops set self_seconds = -1e308, error = 1e308", False),
                                   ("update run_functions set self_seconds = 9e999, samples = 0", False),
                                   ("update run_calls set caller = id, total_seconds = 9e999", False),
                                   ("update run_files set share = 1e300, state = 'nothing'", False),
                                   ("update run_gaps set value = 9e999, reference = null, rule = 'nothing'", False),
                                   ("update run_threads set process = null, cpu_seconds = -5", False),
                                   ("update runs set threads = 4000000000, ranks = 4000000000", False),
                                   ("update run_functions set function = 4000000", True)):
            connection = sqlite3.connect(path)
            connection.execute(change)
            connection.commit()
            connection.close()
            for format in ((), ("--json",), ("--csv",), ("--html",)):
                answer = assay("report", path, *format, status=2 if is_refused else 0)
                if is_refused:
                    assert b"damaged" in answer.stderr, answer.stderr
                elif format == ("--json",):
                    json.loads(answer.stdout)
                elif format == ("--html",):
                    check(answer.stdout.decode())


@uncertain
def the_page_works_in_a_browser():
    with Folder() as folder:
        path, _, loops = make(folder)
        out = os.path.join(folder, "page.html")
        assay("report", path, "--html", "-o", out)
        with open(out) as page:
            checked = check(page.read())
        assert checked.first("h1").text == "./solve <1>"
        assert [article.attributes["id"] for article in checked.all("article")][:2] in (
            [f"loop-{loops[one]}", f"loop-{loops[other]}"] for one, other in (("norm", "scale"), ("scale", "norm")))
        with Browser(folder) as browser:
            browser.ask("/url", {"url": "file://" + out})
            names = "return Array.from(document.querySelectorAll('#hottest tbody tr')).map(row => row.cells[2].textContent)"
            click = "Array.from(document.querySelectorAll('#hottest button')).find(b => b.textContent === arguments[0]).click()"
            assert browser.run(names) == ["norm", "scale", "clear_page<i>", "norm, outside its loops"], browser.run(names)
            browser.run(click, "function")
            assert browser.run(names) == sorted(browser.run(names))
            browser.run(click, "measured")
            assert browser.run(names)[0] == "scale", browser.run(names)
            browser.run(click, "share")
            browser.run(click, "share")
            assert browser.run(names)[0] == "norm, outside its loops", browser.run(names)
            shown = ("return Array.from(document.querySelectorAll('.flame .box')).filter(box => !box.classList.contains('away'))"
                     ".map(box => [box.querySelector('title').textContent.split(':')[0], Math.round(parseFloat(box.getAttribute('width')))])")
            press = ("Array.from(document.querySelectorAll('.flame .box')).find(box => box.textContent.startsWith(arguments[0]))"
                     ".dispatchEvent(new MouseEvent('click'))")
            whole = [["main<b>", 100], ["norm", 50], ["scale", 30]]
            assert browser.run(shown) == whole, browser.run(shown)
            browser.run(press, "scale")
            assert browser.run(shown) == [["main<b>", 100], ["scale", 100]], browser.run(shown)
            browser.run(press, "scale")
            assert browser.run(shown) == whole, browser.run(shown)
            assert browser.run("return document.querySelectorAll('details.all table#table tbody tr').length") == 3
            assert browser.complaints() == [], browser.complaints()


@uncertain
def a_real_run_says_the_same_again():
    with Folder() as folder:
        source, path = os.path.join(folder, "busy.c"), os.path.join(folder, "busy.db")
        with open(source, "w") as out:
            out.write("""
double table[1000];
__attribute__((noinline)) double busy(long n)
{
    double sum = 0;
    for (long i = 0; i < n; i++)
        sum += table[i % 1000] / (double)(i + 1);
    return sum;
}
int main(void) { return busy(100000000) > 1; }
""")
        program = build(folder, compilers(MACHINE)[0], [source], "-g", "-O1")
        answered = assay("run", "-o", path, "--", program)
        first = (answered.stderr + answered.stdout).decode()
        again = text("report", path)
        assert first.splitlines()[0].startswith(program + ": "), first
        assert first.splitlines()[0] == again.splitlines()[0], (first, again)
        table = [[line.split() for line in lines.splitlines() if "busy.c:" in line and " % " in line][0] for lines in (first, again)]
        assert table[0] == table[1] and table[0][-1] == "busy" and float(table[0][0]) > 80, table
        answer = json.loads(text("report", path, "--json"))
        hottest = max(answer["loops"], key=lambda row: row["self_share"])
        assert hottest["function"] == "busy" and hottest["self_share"] > 0.8 and hottest["predicted_cycles"] > 0, hottest
        assert sum(row["seconds"] for row in answer["files"]) <= answer["run"]["sampled_seconds"] * 1.0001
        page = check(text("report", path, "--html"))
        assert [article.attributes["id"] for article in page.all("article")][0] == f"loop-{hottest['loop']}"


@uncertain
def switches_between_sse_and_avx_are_predicted():
    """The figure beside a loop is the one that its advice starts from: 143 cycles on Haswell, not 3."""
    with open("/proc/cpuinfo") as file:
        if MACHINE != "x86_64" or not re.search(r"^flags.* avx2\b", file.read(), re.M):
            raise Skip("needs an x86-64 processor with AVX2")
    with Folder() as folder:
        program = build(folder, [need("gcc")], [os.path.join(ROOT, "examples", "advice", "sse-avx", "before.c")], "-g", "-O2", "-mavx2")
        answer = json.loads(text("run", "--machine", "haswell", "--json", "--", program, "100000"))
        row, = [row for row in answer["loops"] if row["function"] == "kernel"]
        path, = [path for loop in answer["report"]["loops"] if loop["loop"] == row["loop"] for path in loop["paths"]]
        advice, = [advice for advice in path["advice"] if advice["rule"] == "sse-avx"]
        assert row["predicted_cycles"] == path["total_cycles"] > 140, (row, path)
        assert abs(advice["gain"] * advice["cycles"] - row["predicted_cycles"]) < 1e-3 * row["predicted_cycles"], (row, advice)


@test
def a_processor_has_one_name():
    """Runs name it as the machine files do, though Arm's kernels give numbers alone."""
    numbers = {}
    folder = os.path.join(ROOT, "data", "machines")
    for name in os.listdir(folder):
        with open(os.path.join(folder, name)) as file:
            facts = dict(line.split(None, 1) for line in file if line.startswith(("title ", "midr ")))
        if "midr" in facts:
            implementer, *parts = facts["midr"].split()
            numbers.update({(int(implementer, 16), int(part, 16)): facts["title"].strip() for part in parts})
    assert numbers
    with open(os.path.join(ROOT, "src", "run", "launch", "parts.def")) as file:
        known = {(int(a, 16), int(b, 16)): title for a, b, title in re.findall(r'PART\((0x\w+), (0x\w+), "(.*)"\)', file.read())}
    assert {key: known.get(key) for key in numbers} == numbers
    with open("/proc/cpuinfo") as file:
        listed = file.read()
    said = json.loads(text("run", "--json", "--", "/bin/true"))["run"]["processor"]
    hosts = [row["title"] for row in json.loads(text("machines", "--json")) if row["is_host"]]
    assert hosts in ([said], []), (hosts, said)
    with Folder() as folder:
        source = os.path.join(folder, "call.c")
        with open(source, "w") as file:
            file.write("__attribute__((noinline)) int f(int x) { return x + 1; } int main(int n, char **words) { return f(n) + !words - 2; }")
        program = build(folder, compilers(MACHINE)[0], [source], "-O1")
        named = {name: json.loads(text(*words, "--json", "--", program))["runs"][0]["processor"]
                 for name, words in (("probe", ["probe"]), ("denormals", ["denormals", "trace", "--counts"]))}
        assert set(named.values()) == {said}, (named, said)
    here = re.search(r"CPU implementer\s*: (\w+).*?CPU part\s*: (\w+)", listed, re.S)
    if here and "model name" not in listed:
        key = int(here[1], 16), int(here[2], 16)
        assert said == known.get(key, said), said


run()
