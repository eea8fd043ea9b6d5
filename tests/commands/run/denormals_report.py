"""assay denormals report: the run in a database as text, json, csv, page and pictures.

The rows are made by hand and put into the database of a real program, so that every figure that the report has to say
is known beforehand, on any machine and without running anything."""
import base64, csv, hashlib, html.parser, io, json, os, re, sqlite3, struct, zlib
from harness import MACHINE, ROOT, Browser, Fail, Folder, assay, build, compilers, run, test, text

SOURCE = r"""
#include <stdio.h>
float grid[16 * 16], other[16 * 16], kernel[3 * 16 * 16];
__attribute__((noinline)) float tiny(int i)
{
    return 1e-38f / (float)(i + 2);
}
__attribute__((noinline)) void sweep(float *to, const float *from)
{
    for (int i = 1; i < 255; i++)
        to[i] = 0.25f * (from[i - 1] + from[i + 1]);
}
int main(void)
{
    for (int i = 0; i < 768; i++)
        kernel[i] = tiny(i);
    for (int i = 0; i < 100; i++) {
        sweep(grid, kernel);
        sweep(other, grid);
    }
    printf("%g\n", other[7]);
    return 0;
}
"""


def fill(connection, table, **columns):
    """A row whose other columns are 0 or, where they may be, NULL."""
    for number, name, kind, needed, default, key in connection.execute(f"pragma table_info({table})"):
        if name not in columns and name != "id" and (needed or kind == "integer") and not name.endswith("_code"):
            columns[name] = 0 if needed else None
    names = ", ".join(f'"{name}"' for name in columns)
    cursor = connection.execute(f"insert into {table} ({names}) values ({', '.join('?' * len(columns))})",
                                list(columns.values()))
    return cursor.lastrowid


def counts(cells):
    return zlib.compress(struct.pack(f"<{len(cells)}I", *cells))


def ring(phase):
    """16 × 16 cells: a frame that moves inwards."""
    return [3 + phase if min(x, y, 15 - x, 15 - y) == phase else 0 for y in range(16) for x in range(16)]


def make(folder):
    """The program's database with a traced run of 3 phases, a sampled profile and a run without denormals."""
    source = os.path.join(folder, "tiny.c")
    with open(source, "w") as out:
        out.write(SOURCE)
    found = compilers(MACHINE)
    program = build(folder, found[0], [source], "-g", "-O1")
    path = os.path.join(folder, "tiny.db")
    assay("db", program, "-o", path, "--quiet")
    connection = sqlite3.connect(path)
    one = lambda sql, *values: connection.execute(sql, values).fetchone()
    functions = {name: number for number, name in connection.execute("select id, name from functions")}
    place = {}
    for name, kinds in (("sweep", ("add", "multiply", "store")), ("tiny", ("divide",))):
        for kind in kinds:
            row = one("select i.id, i.address, l.id from instructions i left join loop_blocks m on m.block = i.block left join "
                      "loops l on l.id = m.loop and l.is_innermost where i.function = ? and i.class = ? "
                      "and i.element = 'fp32' order by i.id, l.id is null limit 1", functions[name], kind)
            place[kind] = dict(program=1, instruction=row[0], address=row[1], loop=row[2], function=functions[name])
    traced = fill(connection, "denormal_runs", tool="tracer", mode="origins", command="./tiny <input>", process=4711,
                  processor="A Processor @ 3 GHz", seconds=2.5, exit_status=0, binades=4)
    phases = [fill(connection, "denormal_phases", run=traced, position=i + 1, name=("start", "middle", None)[i],
                   start=0.5 * i, seconds=0.5) for i in range(3)]
    for i, phase in enumerate(phases):
        fill(connection, "denormal_sites", run=traced, phase=phase, executions=100000, operand_events=30000 - 10000 * i,
             operands=40000, results=20000, ends=5000, loads=50000, near=7, seconds=0.01, **place["add"])
        fill(connection, "denormal_sites", run=traced, phase=phase, executions=100000, operand_events=1000,
             underflow_events=11, operands=1000, results=1000, seconds=0.001, **place["multiply"])
        fill(connection, "denormal_sites", run=traced, phase=phase, stores=19000, **place["store"])
    fill(connection, "denormal_sites", run=traced, phase=phases[0], executions=768, underflow_events=700, results=700,
         births=700, **place["divide"])
    fill(connection, "denormal_sites", run=traced, phase=phases[0], address=0x7f0000001234, name="memcpy in libc.so.6",
         move_loads=123, move_stores=122)
    arrays = {}
    for name, kind, dimensions, loads, stores in (("kernel", "global", "16:16:3", 140000, 700), ("grid", "global", "16:16", 9000, 8000),
                                                  ("other<i>&", "heap", "16:16", 3, 5000), ("work/../space", "block", "40", 0, 0)):
        arrays[name] = fill(connection, "denormal_arrays", run=traced, name=name, kind=kind, element="float", element_bytes=4,
                            dimensions=dimensions, bytes=1024, lives=1, loads=loads, stores=stores)
    connection.execute("update denormal_arrays set integer_loads = 61, integer_stores = 60 where dimensions = '40'")
    for i, phase in enumerate(phases):
        fill(connection, "denormal_array_phases", array=arrays["grid"], phase=phase, loads=3000, stores=2000)
        for kind in ("loads", "stores"):
            fill(connection, "denormal_maps", array=arrays["grid"], phase=phase, kind=kind, slice=0, width=16, height=16,
                 shrink=1, largest=3 + i, counts=counts(ring(i)))
    fill(connection, "denormal_maps", array=arrays["grid"], kind="loads", slice=0, width=16, height=16, shrink=1,
         largest=5, counts=counts([max(c) for c in zip(ring(0), ring(1), ring(2))]))
    fill(connection, "denormal_maps", array=arrays["grid"], kind="stores", slice=0, width=16, height=16, shrink=1,
         largest=1000, counts=counts([1000] + [0] * 254 + [1]))
    fill(connection, "denormal_maps", array=arrays["grid"], kind="origin", source=arrays["kernel"], slice=0, width=16,
         height=16, shrink=1, largest=4, counts=counts([4] * 256))
    for piece in range(3):
        fill(connection, "denormal_maps", array=arrays["kernel"], kind="stores", slice=piece, width=16, height=16, shrink=1,
             largest=1, counts=counts([int(x == piece) for y in range(16) for x in range(16)]))
    for to, origin, count in (("grid", "kernel", 64000), ("other<i>&", "grid", 5000), ("kernel", None, 700)):
        fill(connection, "denormal_origins", run=traced, destination=arrays[to], source=arrays.get(origin), count=count)
    for position, (program, function, name, line) in enumerate(((None, None, "__expf_fma", None), (1, functions["tiny"], None, 6),
                                                                (1, functions["main"], None, 17)), 1):
        fill(connection, "denormal_frames", stack=1, position=position, program=program, address=position, function=function,
             name=name, line=line, file=line and one("select id from files where path like '%tiny.c'")[0])
    birth = fill(connection, "denormal_births", run=traced, address=0x7f0000005678, stack=1, array=arrays["kernel"], values=700,
                 descendants=63000, removable=62000)
    chain = fill(connection, "denormal_chains", run=traced, birth=birth, share=62000 / 63000)
    for position, (name, origin, count) in enumerate((("kernel", None, 700), ("grid", "kernel", 64000),
                                                      ("other<i>&", "grid", 5000)), 1):
        fill(connection, "denormal_chain_steps", chain=chain, position=position, array=arrays[name],
             source=arrays.get(origin), count=count)
    fill(connection, "denormal_limits", run=traced, position=1, kind="runtime", text="x87 arithmetic on 80 bits is not followed", count=1234)
    fill(connection, "denormal_penalties", run=traced, operation="add", type="double", denormal="operand", normal_seconds=1e-9,
         denormal_seconds=4e-8)
    sampled = fill(connection, "denormal_runs", tool="profiler", mode="sampled", command="./tiny", process=4712,
                   processor="A Processor @ 3 GHz", seconds=2.0, end_signal=11)
    phase = fill(connection, "denormal_phases", run=sampled, position=1, start=0.0, seconds=2.0)
    fill(connection, "denormal_sites", run=sampled, phase=phase, operand_events=5000, underflow_events=1000, low=5700.0,
         high=6300.0, seconds=0.5, **place["multiply"])
    fill(connection, "denormal_samples", run=sampled, phase=phase, program=1, address=place["multiply"]["address"],
         instruction=place["multiply"]["instruction"], event="operand", operand="xmm0", lane=1, value=1e-42,
         data_address=0x4050, place="grid", stack=1, thread=4712)
    quiet = fill(connection, "denormal_runs", tool="profiler", mode="exact", command="./quiet", process=4713,
                 processor="A Processor @ 3 GHz", seconds=0.125, exit_status=3)
    fill(connection, "denormal_phases", run=quiet, position=1, start=0.0, seconds=0.125)
    connection.commit()
    connection.close()
    return path


def report(path, *words, **options):
    return text("denormals", "report", path, "--quiet", *words, **options)


@test
def the_answer_comes_first():
    with Folder() as folder:
        reported = report(make(folder), "--run", "1")
        flat = " ".join(reported.split())
        assert flat.startswith("Denormals: ./tiny <input> tracer, origins; process 4711, 2.50 s, exit status 0; on A Processor @ 3 GHz "
                               "63,000 operations had a denormal operand, and 733 underflowed."), flat[:300]
        assert "loaded 150,000 denormal values and stored 57,000" in flat
        assert re.search(r"Most of this \(99 %\) happens in sweep; the hottest line is \S*tiny.c:11 \(99 %\)", flat), flat[:600]
        assert "in 3 arrays, most in kernel, grid and other<i>&." in flat and "in phases 1 to 3 of 3, from 0 s to 1.50 s." in flat
        assert "about 33 ms of CPU time" in flat and "700 of the operations are not included" in flat
        assert re.search(r"Storing 0 instead of a denormal result at \S*tiny.c:6 \(in expf called from tiny\) would remove at least 98 % of", flat)
        assert "-ffast-math" in flat
        assert re.search(r"other<i>& ← grid ← kernel, arising in expf called from tiny, \S*tiny.c:6 \(700 values\); storing 0 there "
                         "would remove at least 98 %", flat), flat
        assert flat.index("63,000 operations") < flat.index("What to change") < flat.index("The story") < flat.index("Functions")


@test
def tables_have_the_rows_of_the_database():
    with Folder() as folder:
        path = make(folder)
        reported = report(path, "--run", "1", "--top", "10")
        line = lambda pattern: re.search(pattern, reported, re.M) or (_ for _ in ()).throw(Fail(f"{pattern} not in\n{reported}"))
        line(r"^sweep +3 +150,000 +63,000 +57,000 +63,000 +33 +33\.0$")
        line(r"^memcpy in libc.so.6 +1 +245$")
        line(r"^kernel +global +float +16 × 16 × 3 +140,000 +700 +source$")
        line(r"^grid +global +float +16 × 16 +9,000 +8,000 +passes on$")
        line(r"^other<i>& +heap +float +16 × 16 +3 +5,000 +sink$")
        line(r"^work/../space +block +float +40 +121 +holds integers$")
        line(r"^grid +kernel +64,000")
        line(r"^kernel +new denormals +700")
        line(r"^expf +700 +63,000 +62,000 +kernel +expf ← tiny \(\S*tiny.c:6\) ← main \(\S*tiny.c:17\)$")
        line(r"^ +1 +start +0\.0 +0\.5 +50,000 +19,000 +31,711 ")
        line(r"^add, double, denormal operand +1\.0 +40\.0 +40\.0")
        line(r"^- x87 arithmetic on 80 bits is not followed \(1,234\)$")
        first = report(path, "--run", "1", "--top", "1")
        assert "… and 2 more" in first and "memcpy" not in first, first
        assert "… and" not in report(path, "--run", "1", "--top", "100")
        assert "__expf_fma ← tiny" in report(path, "--run", "1", "--top", "10", "--no-demangle")


@test
def estimates_say_how_sure_they_are():
    with Folder() as folder:
        flat = " ".join(report(make(folder), "--run", "2", "--top", "10").split())
        assert "About 5,000 operations had a denormal operand, and 1,000 underflowed" in flat
        assert "5,700 to 6,300 with 95 % confidence" in flat
        assert "about 500 ms of CPU time, 25 % of the run's 2.00 s" in flat
        assert "ended by signal 11" in flat and "`assay denormals trace`" in flat
        assert "events underflows ± extra ms" in flat and " 300 500.0" in flat, flat
        assert re.search(r"1 operand sweep \S+ .* xmm0 1e-42 grid 0x4050 expf ← tiny", flat), flat


@test
def instructions_that_slept_together_err_together():
    with Folder() as folder:
        path = make(folder)
        change(path, "insert into denormal_phases (id, run, position) values (99, 2, 2)",
               "insert into denormal_sites (run, phase, address, operand_events, low, high) values (2, 4, 1, 1000, 900, 1100), "
               "(2, 99, 1, 10000, 9700, 10300)")
        totals = json.loads(report(path, "--run", "2", "--json"))["runs"][0]["totals"]
        assert totals["operand_events"] == 16000 and totals["sites"] == 2
        assert round(totals["low"]) == 17000 - 500 and round(totals["high"]) == 17000 + 500, "300 + 100, and 300 of another phase"


@test
def no_denormals_is_an_answer_too():
    with Folder() as folder:
        path = make(folder)
        flat = " ".join(report(path, "--run", "3").split())
        assert "exit status 3" in flat and "No denormal numbers occurred." in flat and "125 ms" in flat and "So with this input denormals cost nothing" in flat, flat
        assert "What to change" not in flat and "Functions" not in flat
        assert report(path, "--top", "10").count("Denormals: ") == 3
        assert b"run" in assay("denormals", "report", path, "--run", "9", status=None).stderr
        assert assay("denormals", "report", path, "--run", "9", status=None).returncode in (1, 2)


def change(path, *statements):
    connection = sqlite3.connect(path)
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()


@test
def brief_text_has_what_most_people_need():
    with Folder() as folder:
        path = make(folder)
        change(path, "insert into denormal_penalties (run, operation, type, denormal, normal_seconds, denormal_seconds) "
               "values (1, 'multiply', 'float', 'operand', 1e-9, 5e-8), (2, 'multiply', 'float', 'operand', 1e-9, 5e-8)")
        reported = report(path)
        for title in ("What to change", "The story", "Functions", "Source lines", "Arrays", "Phases", "What the run could not see"):
            assert f"\n{title}\n" in reported, title
        for title in ("Instructions", "Loops", "Births", "Where denormals end", "From array to array"):
            assert f"\n{title}\n" not in reported and f"\n{title}\n" in report(path, "--top", "10"), title
        assert reported.count("What a denormal costs") == 1 and "multiply, float" in reported
        assert "add, double" not in reported, "no operation on a denormal double was met"
        multiply = r"(?:mulss xmm0, \S+|fmul s\d+, s\d+, s\d+)"
        assert re.search(rf"^ +1  operand +{multiply} +1e-42 +grid +expf ← tiny \(\S*tiny.c:6\) ← main", reported, re.M), reported
        change(path, "delete from denormal_sites where run = 2 and instruction is not null",
               "insert into denormal_sites (run, phase, address, name, operand_events) values (2, 4, 4660, 'f (x.so)', 7)")
        assert re.search(r"^Instructions\n.*\nf \(x.so\) +0x1234 +7$", report(path, "--run", "2"), re.M), "without lines"


@test
def processes_that_met_nothing_are_a_line():
    with Folder() as folder:
        path = make(folder)
        reported = report(path)
        assert reported.count("Denormals: ") == 2 and "\n1 other process had none (quiet).\n" in reported, reported[-600:]
        change(path, "insert into denormal_limits (run, position, kind, count, text) values (1, 2, 'left out', 302, "
               "'processes: left out'), (3, 1, 'runtime', 5, 'something')")
        flat = " ".join(report(path).split())
        assert "303 other processes had none (quiet); in 1 " in flat, flat[-600:]
        assert "left out" not in flat
        change(path, "delete from denormal_sites", "delete from denormal_arrays")
        reported = report(path)
        assert reported.count("Denormals: ./tiny") == 1 and "No denormal numbers occurred." in reported
        assert "304 other processes had none (tiny, quiet)" in " ".join(reported.split()), reported


@test
def of_many_processes_those_with_most_denormals_are_shown():
    with Folder() as folder:
        path = make(folder)
        connection = sqlite3.connect(path)
        for i in range(20):
            run = fill(connection, "denormal_runs", tool="profiler", mode="sampled", command=f"./child {i}", process=5000 + i,
                       processor="A Processor", seconds=1.0, exit_status=0)
            fill(connection, "denormal_sites", run=run, address=16, name="f (x.so)", operand_events=10 + i)
        connection.commit()
        connection.close()
        reported = report(path)
        assert re.findall("^Denormals: (.*)", reported, re.M) == ["./tiny <input>", "./tiny", "./child 19"], reported
        assert reported.count("\n- ./child ") == 10 and "- ./child 18: operands 28, underflows 0 (run 22, process 5018)" in reported
        assert "… and 9 more" in reported


@test
def what_hardly_matters_needs_no_change():
    with Folder() as folder:
        path = make(folder)
        change(path, "update denormal_sites set seconds = 0.01, low = 6000, high = 6000 where run = 2")
        flat = " ".join(report(path, "--run", "2").split())
        assert "5,000 operations had" in flat and "About" not in flat and "an estimate" not in flat, "every event was seen"
        assert "So denormals hardly matter" in flat and "What to change" not in flat, flat
        change(path, "update denormal_sites set low = 100, high = 90000 where run = 2")
        flat = " ".join(report(path, "--run", "2").split())
        assert "hardly" not in flat and "a rough guess" in flat and "90,000" not in flat, "it may be 150 ms"
        change(path, "update denormal_sites set low = 2000, high = 10000 where run = 2")
        flat = " ".join(report(path, "--run", "2").split())
        assert "2,000 to 10,000 with 95 % confidence; --exact" in flat, flat
        change(path, "update denormal_sites set low = 6000, high = 6000, operand_events = 0 where run = 2")
        flat = " ".join(report(path, "--run", "2").split())
        assert "1,000 operations underflowed, and none had a denormal operand" in flat, flat
        change(path, "update denormal_sites set low = 6000, high = 6000, operand_events = 5000 where run = 2",
               "insert into denormal_sites (run, phase, address, name, operand_events) values (2, 4, 4660, 'f', 1000000)")
        flat = " ".join(report(path, "--run", "2").split())
        assert "hardly" not in flat and "What to change" in flat, "most of the cost is not known"


@test
def names_are_as_in_the_source():
    with Folder() as folder:
        path = make(folder)
        change(path, "update denormal_arrays set name = 'block allocated at t.f90:9 in __transforms_MOD_blur, called in "
               "_ZN1a1bEi' where name = 'kernel'", "update denormal_chains set share = 0.1",
               "insert into denormal_births (run, address, \"values\") values (1, 99, 3)")
        reported = report(path, "--run", "1")
        assert "_MOD_" not in reported and "_ZN" not in reported
        assert "← block allocated at t.f90:9 in transforms::blur, called in a::b(int), arising in" in " ".join(reported.split()), reported
        assert "No single change removes most of them; the best one: storing 0" in " ".join(reported.split())
        assert "2 places; storing 0 in all of these would remove all of them." in " ".join(reported.split())
        assert "__transforms_MOD_blur" in report(path, "--run", "1", "--no-demangle")
        for share in ("0", "0.0001"):
            change(path, f"update denormal_chains set share = {share}")
            flat = " ".join(report(path, "--run", "1").split())
            assert "arising in" in flat and "remove at least" not in flat, flat


@test
def assumed_shapes_are_shown():
    with Folder() as folder:
        path = make(folder)
        change(path, "update denormal_arrays set is_assumed = 1 where name = 'grid'")
        assert re.search("^grid +global +float +256, drawn as 16 × 16 ", report(path, "--run", "1"), re.M)
        assert report(path, "--run", "1", "--html").count("(assumed)") == 1


@test
def json_has_everything():
    with Folder() as folder:
        path = make(folder)
        reported = json.loads(report(path, "--json"))
        assert [run["run"] for run in reported["runs"]] == [1, 2, 3]
        first, second, third = reported["runs"]
        assert first["totals"]["operand_events"] == 63000 == sum(site["operand_events"] for site in first["sites"])
        assert first["totals"]["loads"] == 150000 and first["totals"]["moves"] == 245 and first["totals"]["low"] is None
        assert second["totals"]["low"] == 5700 and second["totals"]["high"] == 6300 and second["end_signal"] == 11
        assert second["exit_status"] is None and third["exit_status"] == 3 and first["exit_status"] == 0
        assert {array["name"]: array["loads"] for array in first["arrays"]} == \
            {"kernel": 140000, "grid": 9000, "other<i>&": 3, "work/../space": 0}
        assert [(o["destination_name"], o["source_name"], o["count"]) for o in first["origins"]] == \
            [("grid", "kernel", 64000), ("other<i>&", "grid", 5000), ("kernel", None, 700)]
        assert [step["name"] for step in first["chain_steps"]] == ["kernel", "grid", "other<i>&"]
        assert [frame["function"] for frame in first["frames"]] == ["expf", "tiny", "main"]
        assert abs(first["chains"][0]["share"] - 62000 / 63000) < 1e-12
        assert len(first["maps"]) == 12 and second["samples"][0]["value"] == 1e-42 and first["answer"] and first["story"]
        assert {len(phase) for phase in first["phases"]} == {5} and third["sites"] == []
        with open(os.path.join(ROOT, "docs", "denormal-report.md")) as manual:
            page = manual.read()
        for key in [*first, *first["totals"], *(key for part in first.values() if isinstance(part, list) and part and
                                               isinstance(part[0], dict) for key in part[0])]:
            assert f"`{key}`" in page, f"the manual does not have the key {key}"


@test
def csv_has_a_row_for_each_site_and_phase():
    with Folder() as folder:
        path = make(folder)
        reported = list(csv.DictReader(io.StringIO(report(path, "--csv"))))
        assert len(reported) == 12, len(reported)
        assert sum(int(row["operand_events"]) for row in reported if row["run"] == "1") == 63000
        add = [row for row in reported if row["run"] == "1" and row["loads"] == "50000"]
        assert [row["operand_events"] for row in add] == ["30000", "20000", "10000"]
        assert [row["phase_name"] for row in add] == ["start", "middle", ""] and {row["line"] for row in add} == {"11"}
        assert {row["function"] for row in add} == {"sweep"} and all(row["instruction"] for row in add)


@test
def views_join_counts_with_code():
    with Folder() as folder:
        path = make(folder)
        connection = sqlite3.connect(path)
        one = lambda sql: connection.execute(sql).fetchall()
        assert one("select sum(operand_events), count(*) from denormal_instructions where run = 1") == [(63000, 5)]
        assert one("select operand_events, results from denormal_lines where run = 1 and line = 11") == [(63000, 63000)]
        assert one("select name, operand_events from denormal_functions where run = 1 order by 2 desc limit 1") == [("sweep", 63000)]
        loop = one("select d.operand_events, l.depth, d.first_line from denormal_loops d join loops l on l.id = d.loop where run = 1")
        assert loop == [(63000, 1, 10)], loop
        assert one("select low, high from denormal_instructions where run = 2") == [(5700.0, 6300.0)]
        shares = one("select sum(executions), sum(operand_events) from denormal_kinds where run = 1")
        assert shares == [(600768, 63000)], shares


def chunks(data):
    """Kinds and contents of a PNG's chunks, checked."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, found = 8, []
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        inside = data[at + 8:at + 8 + size]
        assert struct.unpack(">I", data[at + 8 + size:at + 12 + size])[0] == zlib.crc32(kind + inside), kind
        found.append((kind.decode(), inside))
        at += size + 12
    assert found[-1] == ("IEND", b"") and found[0][0] == "IHDR"
    return found


def unpack(packed, width, height):
    """Rows of colours."""
    raw, lines, above = zlib.decompress(packed), [], bytes(3 * width)
    assert len(raw) == (3 * width + 1) * height
    for y in range(height):
        line = raw[y * (3 * width + 1):(y + 1) * (3 * width + 1)]
        assert line[0] in (0, 2)
        above = bytes((a + b) & 255 for a, b in zip(line[1:], above)) if line[0] else line[1:]
        lines.append([tuple(above[3 * x:3 * x + 3]) for x in range(width)])
    return lines


def picture(path):
    with open(path, "rb") as file:
        found = chunks(file.read())
    width, height, bits, colours = struct.unpack(">IIBB", found[0][1][:10])
    assert (bits, colours) == (8, 2)
    return unpack(b"".join(inside for kind, inside in found if kind == "IDAT"), width, height), found


@test
def pictures_show_the_maps():
    with Folder() as folder:
        path, maps = make(folder), os.path.join(folder, "maps")
        report(path, "--run", "1", "--maps", maps)
        names = sorted(os.listdir(maps))
        assert names == ["grid-film.png", "grid-from-kernel.png", "grid-loads.png", "grid-phase-001.png", "grid-phase-002.png",
                         "grid-phase-003.png", "grid-stores.png", "grid.png", "kernel-loads.png", "kernel-stores.png",
                         "kernel.png", "story.dot", "story.svg"], names
        lines, _ = picture(os.path.join(maps, "grid.png"))
        side = len(lines) // 16
        assert len(lines) == len(lines[0]) == 256
        cell = lambda lines, x, y: lines[y * side + side // 2][x * side + side // 2]
        assert cell(lines, 7, 7) == (0, 0, 0)
        red, green, blue = cell(lines, 0, 0)  # read and written: purple
        assert red > 100 and blue == 255 and green < 128
        assert cell(lines, 15, 15)[2] > 60, "a cell with one write of a thousand cannot be seen"
        assert cell(lines, 2, 2) == (255, 0, 0) and 60 < cell(lines, 0, 1)[0] < cell(lines, 1, 1)[0] < 255
        assert cell(picture(os.path.join(maps, "grid-loads.png"))[0], 15, 15)[2] == 0
        assert cell(picture(os.path.join(maps, "grid-stores.png"))[0], 0, 1) == (0, 0, 0)
        for i in range(3):  # the frame moves inwards
            lines = picture(os.path.join(maps, f"grid-phase-00{i + 1}.png"))[0]
            assert [cell(lines, x, 8) != (0, 0, 0) for x in range(16)] == [x in (i, 15 - i) for x in range(16)]
        lines, found = picture(os.path.join(maps, "grid-film.png"))
        assert [kind for kind, _ in found] == ["IHDR", "acTL", "fcTL", "IDAT", "fcTL", "fdAT", "fcTL", "fdAT", "IEND"]
        assert struct.unpack(">II", found[1][1]) == (3, 0) and lines == picture(os.path.join(maps, "grid-phase-001.png"))[0]
        assert unpack(found[7][1][4:], 256, 256) == picture(os.path.join(maps, "grid-phase-003.png"))[0]
        assert [struct.unpack(">I", inside[:4])[0] for kind, inside in found if kind in ("fcTL", "fdAT")] == list(range(5))
        lines, _ = picture(os.path.join(maps, "kernel.png"))  # three slices side by side
        blue = lambda x, y: lines[y][x][2] > 200 and lines[y][x][0] == 0
        assert len(lines) >= 256 and sum(blue(x, 4) for x in range(len(lines[0]))) > 0
        with open(os.path.join(maps, "story.svg")) as file:
            drawn = file.read()
        assert "<svg" in drawn and "kernel" in drawn and "expf called from tiny" in drawn and "64,000" in drawn


@test
def maps_of_phases_may_be_coarser():
    with Folder() as folder:
        path, maps = make(folder), os.path.join(folder, "maps")
        connection = sqlite3.connect(path)
        connection.execute("update denormal_maps set width = 4, height = 4, shrink = 4, counts = ? where phase is not null",
                           (counts([int(i == 5) for i in range(16)]),))
        connection.execute("update denormal_maps set width = 16, height = 3, counts = ? where kind = 'origin'", (counts([1] * 48),))
        connection.commit()
        connection.close()
        report(path, "--run", "1", "--maps", maps)
        cell = lambda lines, x, y: lines[y * 16 + 8][x * 16 + 8] != (0, 0, 0)
        whole, phase, origin = (picture(os.path.join(maps, f"grid{end}.png"))[0] for end in ("", "-phase-002", "-from-kernel"))
        assert len(whole) == len(phase) == len(origin) == len(phase[0]) == 256 and cell(whole, 0, 0) and cell(whole, 15, 15)
        assert all(cell(phase, x, y) == (4 <= x < 8 and 4 <= y < 8) for x in range(16) for y in range(16))
        assert all(cell(origin, x, y) == (y < 3) for x in range(16) for y in range(16))
        report(path, "--run", "1", "--html")


@test
def names_of_arrays_stay_in_the_folder():
    with Folder() as folder:
        path, maps = make(folder), os.path.join(folder, "deep", "maps")
        connection = sqlite3.connect(path)
        connection.execute("update denormal_arrays set name = '../../../grid/\x1b[2J' where name = 'grid'")
        connection.execute("update denormal_arrays set name = '.. grid [2J' where name = 'kernel'")
        connection.commit()
        connection.close()
        os.mkdir(os.path.join(folder, "deep"))
        report(path, "--run", "1", "--maps", maps)
        assert os.listdir(os.path.join(folder, "deep")) == ["maps"]
        names = os.listdir(maps)
        assert all(re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_.]*(-[A-Za-z0-9_.-]+)?", name) for name in names), names
        assert len(names) == 13, names
        assert "\x1b" not in report(path, "--run", "1")


@test
def damaged_maps_are_reported():
    with Folder() as folder:
        for number, change in enumerate(("counts = x'00'", "counts = null", "width = 1000000000, height = 1000000000",
                                         "width = 0", "counts = (select counts from denormal_maps where kind = 'origin' "
                                         "limit 1), width = 15", "slice = 4000000000, width = 17", "width = 16000, height = 16000", "slice = -1")):
            inner = os.path.join(folder, str(number))
            os.mkdir(inner)
            path = make(inner)
            connection = sqlite3.connect(path)
            connection.execute(f"update denormal_maps set {change} where kind = 'loads' and phase is null")
            connection.commit()
            connection.close()
            for words in (["--maps", os.path.join(inner, "maps")], ["--html", "-o", os.path.join(inner, "page.html")]):
                result = assay("denormals", "report", path, "--run", "1", "--quiet", *words, status=None)
                assert result.returncode in (0, 2), (change, result.returncode, result.stderr)
                assert (result.returncode == 0) == (change == "slice = -1") or b"damaged" in result.stderr, (change, result.stderr)


@test
def several_runs_have_their_own_stories():
    with Folder() as folder:
        path, maps = make(folder), os.path.join(folder, "maps")
        connection = sqlite3.connect(path)
        for run in (2, 3):  # a second and a third graph in one process
            fill(connection, "denormal_births", run=run, address=0x7f0000005678, stack=1, values=run)
        connection.commit()
        connection.close()
        report(path, "--maps", maps)
        for run in (1, 2, 3):
            with open(os.path.join(maps, f"run-{run}-story.svg")) as file:
                assert "expf called from tiny" in file.read()
        assert report(path, "--html").count("<svg width") == 3


class Page(html.parser.HTMLParser):
    """Tags that are closed in order, with their attributes and text."""

    def __init__(self, source):
        super().__init__(convert_charrefs=True)
        self.open, self.tags, self.words = [], [], []
        self.feed(source)
        self.close()
        assert not self.open, f"{self.open} stay open"

    def handle_starttag(self, name, attributes):
        self.tags.append((name, dict(attributes)))
        if name not in ("meta", "img", "input", "br"):
            self.open.append(name)

    def handle_startendtag(self, name, attributes):
        self.tags.append((name, dict(attributes)))

    def handle_endtag(self, name):
        assert self.open and self.open.pop() == name, f"</{name}> where {self.open[-3:]} is open"

    def handle_data(self, data):
        if not self.open or self.open[-1] not in ("style", "script"):
            self.words.append(data)

    def handle_comment(self, data):
        raise Fail(f"a comment: {data[:40]}")


@test
def the_page_stands_alone():
    with Folder() as folder:
        path, out = make(folder), os.path.join(folder, "page.html")
        connection = sqlite3.connect(path)
        connection.execute("update denormal_arrays set name = '<script>alert(1)</script>\"onload=\"' where name like 'other%'")
        connection.execute("update denormal_runs set command = command || ' \"><img src=x>'")
        connection.commit()
        connection.close()
        report(path, "--html", "-o", out)
        with open(out, encoding="utf-8") as file:
            source = file.read()
        page = Page(source)
        ids = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
        assert len(ids) == len(set(ids)) and {"run-1", "run-2", "run-3"} <= set(ids), ids
        for name, attributes in page.tags:
            assert not any(key.startswith("on") or key == "style" for key in attributes), (name, attributes)
            if "href" in attributes:
                assert attributes["href"][1:] in ids
            if "src" in attributes:
                assert name == "img" and attributes["src"].startswith("data:image/png;base64,"), (name, attributes)
                chunks(base64.b64decode(attributes["src"].split(",")[1], validate=True))
        assert sum(name == "img" for name, _ in page.tags) == 2 + 3 + 1, "arrays, phases of one, origins of one"
        assert sum(name == "script" for name, _ in page.tags) == 1 and sum(name == "svg" for name, _ in page.tags) > 1
        policy = next(attributes["content"] for name, attributes in page.tags if "http-equiv" in attributes)
        for tag in ("style", "script"):
            inside = re.search(f"<{tag}>(.*?)</{tag}>", source, re.S).group(1)
            digest = base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode()
            assert f"{tag}-src 'sha256-{digest}'" in policy, policy
        assert "default-src 'none'" in policy and "img-src data:" in policy
        words = " ".join(" ".join(page.words).split())
        for wanted in ("63,000 operations had a denormal operand", "The story", "Where in the arrays", "150,000", "passes on",
                       "No denormal numbers occurred.", "<script>alert(1)</script>"):
            assert wanted in words, wanted
        assert report(path, "--html") == source, "the same page every time"


@test
def the_page_works_in_a_browser():
    with Folder() as folder:
        path, out = make(folder), os.path.join(folder, "page.html")
        report(path, "--run", "1", "--html", "-o", out)
        with Browser(folder) as browser:
            browser.ask("/url", {"url": "file://" + out})
            table = "Array.from(document.querySelectorAll('section')).find(s => s.querySelector('h2').textContent === 'Arrays')"
            names = f"return Array.from({table}.querySelectorAll('tbody tr')).map(row => row.cells[0].textContent)"
            click = f"Array.from({table}.querySelectorAll('thead button')).find(b => b.textContent === arguments[0]).click()"
            assert browser.run(names) == ["kernel", "grid", "other<i>&", "work/../space"]
            browser.run(click, "stores")
            assert browser.run(names) == ["grid", "other<i>&", "kernel", "work/../space"]
            browser.run(click, "stores")
            assert browser.run(names) == ["kernel", "other<i>&", "grid", "work/../space"], "what has no number stays last"
            browser.run(click, "name")
            assert browser.run(names) == ["grid", "kernel", "other<i>&", "work/../space"]
            shown = """const map = document.querySelector('.map:has(.player)');
                       return [map.querySelector('.what').textContent,
                               Array.from(map.querySelectorAll(':scope > img')).map(image => !image.hidden && image.naturalWidth)]"""
            slide = """const slider = document.querySelector('.player input');
                       slider.value = arguments[0]; slider.dispatchEvent(new Event('input'))"""
            assert browser.run("return document.querySelectorAll('.player').length") == 1
            assert browser.run(shown) == ["whole run", [256, False, False, False]]
            browser.run(slide, 2)
            assert browser.run(shown) == ["phase 2, middle, from 0.5 s", [False, False, 256, False]], browser.run(shown)
            button = "const button = document.querySelector('.player button'); button.click(); return button.textContent"
            assert browser.run(button) == "Stop" and browser.run(button) == "Play"
            assert browser.complaints() == [], browser.complaints()


run()
