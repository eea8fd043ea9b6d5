#!/usr/bin/env python3
"""assay run and report --format: the call tree of a run as folded stacks, for speedscope, the Firefox Profiler, pprof, Hatchet and in Callgrind's format, each read by its own
tool or by its published format; names that need care, trees that are none, what is refused.

The rows of most runs are made by hand: every figure is known beforehand."""
import collections, gzip, importlib, json, os, re, shutil, sqlite3, subprocess, sys

from harness import ASSAY, Folder, Lacking, MACHINE, assay, build, command, compilers, need, npm_file, run, test, text, uncertain

SOURCE = r"""
#include <math.h>
#include <stdio.h>
static double x[10000];
__attribute__((noinline)) double leaf(int n)
{
    double s = 0;
    for (int i = 0; i < n; i++)
        s += sqrt(x[i]) / 3;
    return s;
}
__attribute__((noinline)) double work(int n) { return leaf(n) + 1; }
__attribute__((noinline)) double other(int n) { return leaf(n / 2) * 2; }
int main(int argc, char **argv)
{
    double s = argc;
    (void)argv;
    for (int i = 0; i < 20000; i++) {
        x[i % 10000] = i;
        s += work(10000) + other(10000);
    }
    printf("%g\n", s);
    return 0;
}
"""


def module(name, package):
    """A module of Debian, also for a Python that is not Debian's."""
    sys.path.append("/usr/lib/python3/dist-packages")
    try:
        return importlib.import_module(name)
    except ImportError:
        raise Lacking(f"{package} is not installed")


def fill(connection, table, **columns):
    names = ", ".join(f'"{name}"' for name in columns)
    return connection.execute(f"insert into {table} ({names}) values ({', '.join('?' * len(columns))})",
                              list(columns.values())).lastrowid


def made(folder):
    """main (0.5 s) calls work (1 s), which calls leaf (4 s), and other (2 s), which calls leaf (1 s); work calls itself once (0.25 s);
    0.25 s of what main calls are too small for the tree; leaf's kernel time is 1 s."""
    source, path = os.path.join(folder, "solve.c"), os.path.join(folder, "run.db")
    with open(source, "w") as file:
        file.write(SOURCE)
    assay("db", build(folder, compilers(MACHINE)[0], [source], "-g", "-O1", "-fno-math-errno"), "-o", path, "--quiet")
    connection = sqlite3.connect(path)
    ids = {name: number for number, name in connection.execute("select id, name from functions")}
    fill(connection, "runs", id=1, command="./solve <1>", sampler="cpu clock", frequency=1000, samples=10000, seconds=12.4, cpu_seconds=10,
         sampled_seconds=10, waiting_seconds=0, processes=1, threads=1, exit_status=0)
    fill(connection, "run_processes", id=1, run=1, process=7, command="./solve <1>", start_seconds=0, seconds=12.4)
    fill(connection, "run_threads", id=1, process=1, thread=7, start_seconds=0, seconds=12.4)
    fill(connection, "run_files", id=1, run=1, path=os.path.join(folder, "program"), state="read", program=1, samples=10000)
    calls = {}
    for name, caller, own, total in (("main", None, 0.5, 10), ("work", "main", 1, 6.25), ("leaf", "work", 4, 5), ("again", "work", 0.25, 0.25),
                                     ("other", "main", 2, 3), ("leaf2", "other", 1, 1)):
        function = ids[{"again": "work", "leaf2": "leaf"}.get(name, name)]
        calls[name] = fill(connection, "run_calls", run=1, caller=calls.get(caller), function=function, depth=1, self_seconds=own,
                           total_seconds=total)
    fill(connection, "run_calls", run=1, caller=calls["leaf"], name="[kernel]", depth=4, self_seconds=1, total_seconds=1)
    for name, line, seconds in (("main", 18, 0.5), ("leaf", 9, 5), ("work", 12, 1.25), ("other", 13, 2)):
        address = connection.execute("select address from functions where id = ?", [ids[name]]).fetchone()[0]
        file = connection.execute("select id from files where path like '%solve.c'").fetchone()[0]
        fill(connection, "samples", thread=1, file=1, address=address, function=ids[name], source=file, line=line, count=int(seconds * 1000),
             seconds=seconds)
    fill(connection, "samples", thread=1, file=1, address=2 ** 62, name="[kernel]", count=1000, seconds=1)
    connection.commit()
    connection.close()
    return path


def stacks(folded):
    found = collections.Counter()
    for line in folded.splitlines():
        names, _, count = line.rpartition(" ")
        found[tuple(names.split(";"))] += int(count)
    return found


EXPECTED = {("main",): 500000, ("main", "work"): 1000000, ("main", "work", "leaf"): 4000000, ("main", "work", "work"): 250000,
            ("main", "work", "leaf", "[kernel]"): 1000000, ("main", "other"): 2000000, ("main", "other", "leaf"): 1000000,
            ("main", "[rare calls]"): 250000}


@test
def folded_stacks():
    with Folder() as folder:
        path = made(folder)
        assert stacks(text("report", path, "--format", "folded", "--quiet")) == EXPECTED
        out = os.path.join(folder, "out")
        assay("report", path, "--format", "folded", "-o", out)
        with open(out) as file:
            assert stacks(file.read()) == EXPECTED


@test
def speedscope_is_what_the_published_schema_says():
    jsonschema = module("jsonschema", "python3-jsonschema")
    with open(npm_file("speedscope", "dist/release/file-format-schema.json")) as file:
        schema = json.load(file)
    with Folder() as folder:
        told = json.loads(text("report", made(folder), "--format", "speedscope", "--quiet"))
        jsonschema.validate(told, schema)
        frames, profile = told["shared"]["frames"], told["profiles"][0]
        got = {tuple(frames[i]["name"] for i in stack): round(weight * 1e6) for stack, weight in zip(profile["samples"], profile["weights"])}
        assert got == EXPECTED and len(profile["samples"]) == len(profile["weights"]), got
        leaf = next(frame for frame in frames if frame["name"] == "leaf")
        assert leaf["file"].endswith("/solve.c") and leaf["line"] == 5, leaf
        assert abs(profile["endValue"] - 10) < 1e-9 and told["name"] == "./solve <1>"


def hatchet_nodes(node, chain=()):
    """Chains and nodes, as hatchet/readers/literal_reader.py walks them: what it needs of a node is there, and nothing that it would take
    for something else."""
    assert set(node) <= {"frame", "metrics", "children"} and set(node["frame"]) == {"name", "type"}, node
    assert node["frame"]["type"] == "function" and set(node["metrics"]) == {"time", "time (inc)"}, node
    chain += (node["frame"]["name"],)
    yield chain, node
    for child in node.get("children", []):
        yield from hatchet_nodes(child, chain)


@test
def hatchet_reads_the_literal():
    with Folder() as folder:
        told = json.loads(text("report", made(folder), "--format", "hatchet", "--quiet"))
    nodes = [item for root in told for item in hatchet_nodes(root)]
    got = collections.Counter()
    for chain, node in nodes:
        got[chain] += round(node["metrics"]["time"] * 1e6)
        below = sum(child["metrics"]["time (inc)"] for child in node.get("children", []))
        assert abs(node["metrics"]["time (inc)"] - node["metrics"]["time"] - below) < 1e-9, node
    assert +got == EXPECTED, got
    assert [root["metrics"]["time (inc)"] for root in told] == [10], told


# The processed format of the Firefox Profiler, version 62, as its types and samply's have it: columns of tables.
FIREFOX = {"frameTable": "address inlineDepth category subcategory func nativeSymbol innerWindowID line column",
           "funcTable": "name isJS relevantForJS resource source lineNumber columnNumber",
           "stackTable": "frame prefix", "resourceTable": "lib name host type", "nativeSymbols": "libIndex address name functionSize",
           "sources": "id filename startLine startColumn sourceMapURL"}
THREAD = {"samples": "stack timeDeltas weight", "markers": "data name startTime endTime phase category"}


@test
def firefox_profiler_has_its_tables():
    with Folder() as folder:
        told = json.loads(text("report", made(folder), "--format", "firefox", "--quiet"))
        shared, thread = told["shared"], told["threads"][0]
        for tables, wanted in (shared, FIREFOX), (thread, THREAD):
            for name, columns in wanted.items():
                table = tables[name]
                assert set(table) - {"length", "weightType"} == set(columns.split()), (name, table.keys())
                assert all(len(table[column]) == table["length"] for column in columns.split()), name
        texts, frames, functions, chains = (shared[name] for name in ("stringArray", "frameTable", "funcTable", "stackTable"))
        assert len(set(texts)) == len(texts) and thread["samples"]["weightType"] == "tracing-ms"
        assert all(0 <= number < functions["length"] for number in frames["func"])
        assert all(number is None or number < row for row, number in enumerate(chains["prefix"])), "callers come first"
        got = collections.Counter()
        for stack, weight in zip(thread["samples"]["stack"], thread["samples"]["weight"]):
            names = []
            while stack is not None:
                names.insert(0, texts[functions["name"][frames["func"][chains["frame"][stack]]]])
                stack = chains["prefix"][stack]
            got[tuple(names)] += round(weight * 1000)
        assert got == EXPECTED, got
        assert abs(sum(thread["samples"]["timeDeltas"]) + thread["samples"]["weight"][-1] - 10000) < 1e-6
        leaf = texts.index("leaf")
        row = functions["name"].index(leaf)
        assert texts[shared["sources"]["filename"][functions["source"][row]]].endswith("/solve.c") and functions["lineNumber"][row] == 5
        assert told["libs"][shared["resourceTable"]["lib"][functions["resource"][row]]]["name"] == "program"
        meta = told["meta"]
        assert meta["preprocessedProfileVersion"] == 62 and meta["version"] == 24 and meta["interval"] == 1
        assert meta["categories"][0]["color"] == "grey" and frames["category"] == [1] * frames["length"]


def fields(data):
    """The fields of a message of protocol buffers, by their numbers."""
    found, at = collections.defaultdict(list), 0

    def number():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 0x7f) << shift
            shift += 7
            if byte < 0x80:
                return value

    while at < len(data):
        key = number()
        if key & 7 == 0:
            found[key >> 3].append(number())
        else:
            assert key & 7 == 2, key
            size = number()
            assert at + size <= len(data)
            found[key >> 3].append(data[at:at + size])
            at += size
    return found


def packed(data):
    """Numbers one after the other."""
    values, value, shift = [], 0, 0
    for byte in data:
        value |= (byte & 0x7f) << shift
        shift += 7
        if byte < 0x80:
            values.append(value)
            value = shift = 0
    return values


def read_pprof(data):
    """By profile.proto: types, samples as chains of names with their values, functions, mappings."""
    whole = fields(gzip.decompress(data))
    texts = [item.decode() for item in whole[6]]
    assert texts[0] == ""
    types = [(texts[fields(item)[1][0]], texts[fields(item)[2][0]]) for item in whole[1]]
    functions = {}
    for item in whole[5]:
        it = fields(item)
        functions[it[1][0]] = {"name": texts[it[2][0]], "system": texts[it[3][0]], "file": texts[(it[4] or [0])[0]], "line": (it[5] or [0])[0]}
    mappings = {fields(item)[1][0]: texts[fields(item)[5][0]] for item in whole[3]}
    locations = {}
    for item in whole[4]:
        it = fields(item)
        assert not it[2] or it[2][0] in mappings
        locations[it[1][0]] = functions[fields(it[4][0])[1][0]]
    samples = {}
    for item in whole[2]:
        it = fields(item)
        chain = tuple(locations[number]["name"] for number in reversed(packed(it[1][0])))
        values = packed(it[2][0])
        assert len(values) == len(types)
        samples[chain] = values
    return types, samples, functions, mappings, whole, texts


@test
def pprof_is_what_its_proto_says():
    with Folder() as folder:
        path, out = made(folder), os.path.join(folder, "out.pb.gz")
        assay("report", path, "--format", "pprof", "-o", out)
        with open(out, "rb") as file:
            types, samples, functions, mappings, whole, texts = read_pprof(file.read())
        assert types == [("samples", "count"), ("cpu", "nanoseconds")], types
        assert {chain: values[1] // 1000 for chain, values in samples.items()} == EXPECTED
        assert samples[("main", "work", "leaf")][0] == 4000, "samples at 1000 a second"
        leaf = next(it for it in functions.values() if it["name"] == "leaf")
        assert leaf["file"].endswith("/solve.c") and leaf["line"] == 5, leaf
        assert any(name.endswith("/program") for name in mappings.values()), mappings
        assert whole[10] == [12400000000] and whole[12] == [1000000] and texts[whole[13][0]] == "./solve <1>"
        go = shutil.which("pprof")
        if go:
            assert b"leaf" in command([go, "-top", out]).stdout


@test
def callgrind_annotate_reads_it():
    need("callgrind_annotate")
    with Folder() as folder:
        path, out = made(folder), os.path.join(folder, "callgrind.out.1")
        assay("report", path, "--format", "callgrind", "-o", out)
        told = command(["callgrind_annotate", "--tree=both", "--inclusive=yes", "--threshold=100", out]).stdout.decode()
        assert "10,000,000 (100.0%)  PROGRAM TOTALS" in told and "Events shown:     us" in told, told
        assert re.search(r"10,000,000 \(100\.0%\)  \*  .*solve\.c:main", told), told
        assert re.search(r"6,250,000 \(62\.50%\)  >   .*solve\.c:work \(1x\)", told), told
        assert re.search(r"5,000,000 \(50\.00%\)  >   .*solve\.c:leaf \(1x\)", told), told
        lines = command(["callgrind_annotate", "--auto=yes", "--threshold=100", out]).stdout.decode()
        assert re.search(r"5,000,000 \(50\.00%\)\s+s \+= sqrt", lines), lines


@test
def names_that_need_care():
    with Folder() as folder:
        path = made(folder)
        connection = sqlite3.connect(path)
        connection.execute("update run_calls set name = 'odd;name\nand \"more\" (lib;x.so)' where name = '[kernel]'")
        connection.execute("update samples set name = 'odd;name\nand \"more\" (lib;x.so)' where name = '[kernel]'")
        connection.execute("update functions set name = '_ZN3fooIiE3barEv' where name = 'leaf'")
        connection.commit()
        connection.close()
        folded = text("report", path, "--format", "folded", "--quiet")
        assert "main;work;foo<int>::bar();odd:name?and \"more\" 1000000\n" in folded, folded
        assert len(folded.splitlines()) == len(EXPECTED)
        assert "_ZN3fooIiE3barEv" in text("report", path, "--format", "folded", "--quiet", "--no-demangle")
        frames = json.loads(text("report", path, "--format", "speedscope", "--quiet"))["shared"]["frames"]
        assert {"name": 'odd;name\nand "more"', "file": "lib;x.so"} in frames, frames
        assert "fn=odd;name?and \"more\"\n" in text("report", path, "--format", "callgrind", "--quiet")


@test
def trees_that_are_none():
    """Callers after their callees, callers that are not there, times that are no times: nothing hangs, and what is left is well formed."""
    with Folder() as folder:
        path = made(folder)
        connection = sqlite3.connect(path)
        connection.execute("update run_calls set caller = id where id = 2")
        connection.execute("update run_calls set caller = 6 where id = 3")
        connection.execute("update run_calls set self_seconds = -1 where id = 4")
        connection.execute("update run_calls set total_seconds = 9e999 where id = 5")
        connection.commit()
        connection.close()
        for format in "folded", "speedscope", "firefox", "pprof", "callgrind":
            out = os.path.join(folder, format)
            result = subprocess.run([ASSAY, "report", path, "--format", format, "-o", out], capture_output=True)
            assert result.returncode in (0, 2), result
            if result.returncode == 0 and format == "pprof":
                with open(out, "rb") as file:
                    read_pprof(file.read())
            if result.returncode == 0 and format in ("speedscope", "firefox"):
                with open(out) as file:
                    json.load(file)


@test
def calls_without_end():
    """A small database with a chain of thousands of calls must not become gigabytes of stacks."""
    with Folder() as folder:
        path = made(folder)
        connection = sqlite3.connect(path)
        first = connection.execute("select max(id) from run_calls").fetchone()[0] + 1
        connection.executemany("insert into run_calls (id, run, caller, name, depth, self_seconds, total_seconds) values (?, 1, ?, 'deep', 1, 0.001, ?)",
                               ((first + i, first + i - 1 if i else None, 0.001 * (5000 - i)) for i in range(5000)))
        connection.commit()
        connection.close()
        told = stacks(text("report", path, "--format", "folded"))
        assert sum(count for chain, count in told.items() if chain[-1] == "deep") == 5000000, len(told)
        assert max(len(chain) for chain in told) <= 257, max(len(chain) for chain in told)
        for format in "speedscope", "pprof", "callgrind", "firefox":
            out = os.path.join(folder, format)
            assay("report", path, "--format", format, "-o", out)
            assert os.path.getsize(out) < 8 << 20, (format, os.path.getsize(out))


@uncertain
def a_run_writes_it_at_once():
    with Folder() as folder:
        source = os.path.join(folder, "solve.c")
        with open(source, "w") as file:
            file.write(SOURCE)
        program = build(folder, compilers(MACHINE)[0], [source], "-g", "-O1", "-fno-math-errno")
        out, second = os.path.join(folder, "out"), os.path.join(folder, "second.pb.gz")
        result = assay("run", "-o", out, "--format", "folded", "--", program)
        assert b"Hottest loops" in result.stderr, result.stderr
        with open(out) as file:
            told = stacks(file.read())
        leafs = sum(count for chain, count in told.items() if "leaf" in chain)
        assert leafs > 0.8 * sum(told.values()) and any("work" in chain and "leaf" in chain for chain in told), told
        assay("run", "-o", second, "--format", "pprof", "--", program)
        with open(second, "rb") as file:
            assert any("leaf" in chain for chain in read_pprof(file.read())[1])


@test
def what_is_refused():
    with Folder() as folder:
        path = made(folder)
        program = os.path.join(folder, "program")
        for words, why in ((["report", program, "--format", "folded"], "has no run: --format folded takes a database of assay run"),
                           (["report", path, "--format", "flame"], "or of a run folded, speedscope, firefox, pprof, callgrind or hatchet, not 'flame'"),
                           (["report", path, "--format", "folded", "--root", folder], "--root goes with"),
                           (["report", path, "--format", "folded", "--top", "3"], "leave --top out"),
                           (["report", path, "--format", "pprof", "--function", "x"], "leave --function out"),
                           (["report", path, "--format", "folded", "--json"], "choose one of"),
                           (["report", path, "--format", "folded", "-o", path], "is an input"),
                           (["run", "--format", "folded", "--", program], "--format needs --output FILE"),
                           (["run", "--format", "folded", "-o", path, "--", program], "is a database, which --format would replace"),
                           (["run", "--format", "sarif", "-o", "x", "--", program], "--format takes folded"),
                           (["run", "--format", "folded", "-o", "x", "--rank-files", "y", "--", program], "--rank-files only records"),
                           (["run", "--format", "folded", "-o", os.path.join(folder, "x"), "--html", os.path.join(folder, ".", "x"), "--", program],
                            "cannot be the file of --output and of --html"),
                           (["run", "-o", os.path.join(folder, "y"), "--html", os.path.join(folder, "y"), "--", program],
                            "cannot be the file of --output and of --html"),
                           (["run", "--format", "folded", "-o", os.path.join(folder, "no", "x"), "--", program], "no/x")):
            said = assay(*words, status=2).stderr.decode()
            assert why in said and len(said.splitlines()) == 1, (words, said)


run(side_by_side=2)
