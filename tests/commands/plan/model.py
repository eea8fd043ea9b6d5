#!/usr/bin/env python3
"""assay model run, sweep, check and import: the examples, their answers and their agreement; mistakes with line and column;
hostile files."""
# first build only: the language and the evaluator have unit tests, and are fuzzed
import csv
import io
import json
import os
import re
import xml.dom.minidom

from harness import ROOT, Folder, assay, build, run, test, text

MODELS = os.path.join(ROOT, "examples", "models")
# Nothing but eager messages between nodes, so that the published equations hold.
NETWORK = "name = flat\ncores-per-chip = 1   chips-per-node = 1\n[off-node all]\nL = 2us   o = 4us   G = 0.4ns\n"


def model(name):
    return os.path.join(MODELS, name)


def write(folder, name, contents):
    path = os.path.join(folder, name)
    with open(path, "w") as file:
        file.write(contents)
    return path


def predicted(path, *words):
    answer = json.loads(text("model", "run", path, "--json", *words))
    total = answer[0]["predicted_seconds"]
    assert abs(sum(row["seconds"] for row in answer) - total) <= 1e-9 * total, answer
    return total


@test
def blend_takes_the_time_of_its_operations():
    us = {name: float(value) for name, value in
          (line.replace(" us", "").split(" = ") for part in open(model("sun-ultra-10.hardware")) if " us;" in part
           for line in part.strip().rstrip(";").split(";  "))}
    body = us["LFOR"] + us["CMLL"] + 3 * us["POC1"] + 2 * us["MCHL"] + 3 * us["INLL"] + us["ACHL"] + us["TCHL"]
    row = us["LFOR"] + us["CMLL"] + us["SILL"] + us["INLL"]
    whole = us["FCAL"] + 4 * us["FARL"] + us["FARF"] + us["AFDL"] + us["TFSL"] + us["SILL"] + 240 * (row + 320 * (row + 3 * body))
    assert abs(predicted(model("blend.model")) / (whole * 1e-6) - 1) < 1e-9
    assert predicted(model("blend.model"), "--set", "width=640,height=480") > 3.9 * whole * 1e-6
    shown = text("model", "run", model("blend.model"))
    assert "blend_app: 21.9 ms predicted, hardware SunUltra10" in shown and "computing" in shown, shown


@test
def equations_and_ranks_agree():
    """The equations add the messages of a stack's first tile to each stack, and let every stack be as slow as one of four
    neighbours: they are above the ranks' times by that, and by no more."""
    with Folder() as folder:
        network = ("--network", write(folder, "flat", NETWORK))
        overheads = 4 * 4e-6
        for procs in (64, 1024):
            for sweeps in (("sweeps=8,full=2,diagonal=2", "sweeps=8"), ("sweeps=8,full=4,diagonal=2", "sweeps=8,is_chimaera=1"),
                           ("sweeps=2,full=2,diagonal=0", "sweeps=2")):
                size = f"procs={procs},nx=128,"
                equations = predicted(model("sweep3d.model"), *network, "--set", size + sweeps[0])
                ranks = predicted(model("wavefront.model"), *network, "--set", size + sweeps[1])
                assert ranks * 0.99 < equations < ranks * 1.02 + 8 * overheads, (procs, sweeps, equations, ranks)
        # One tile a stack: filling is all there is, and both are the same but for the messages of the first tile.
        one = "procs=64,nx=128,nz=2,"
        equations = predicted(model("sweep3d.model"), *network, "--set", one + "sweeps=1,full=1,diagonal=0")
        ranks = predicted(model("wavefront.model"), *network, "--set", one + "sweeps=1")
        assert abs(equations - overheads - ranks) < 1e-9 * ranks, (equations, ranks)
    assert len(open(model("sweep3d.model")).readlines()) <= 60


@test
def sweeps_are_tables_rows_and_pictures():
    with Folder() as folder:
        picture = os.path.join(folder, "out.svg")
        shown = text("model", "sweep", model("stencil.model"), "--vary", "procs=1..65536", "--plot", picture)
        assert "65,536" in shown and "efficiency" in shown and "at best, with procs =" in shown, shown
        drawn = xml.dom.minidom.parse(picture)
        assert len(drawn.getElementsByTagName("circle")) == 17
        rows = list(csv.DictReader(io.StringIO(text("model", "sweep", model("stencil.model"), "--vary", "n=1000..2000+500", "--csv"))))
        assert [float(row["value"]) for row in rows] == [1000, 1500, 2000] and rows[0]["parameter"] == "n", rows
        one = predicted(model("stencil.model"), "--set", "n=1500")
        assert float(rows[1]["predicted_seconds"]) == one, (rows, one)
        for vary, message in (("procs=1..", b"a range is"), ("procs=0..8", b"a range is"), ("q=1,2", b"no parameter q"), ("procs", b"--vary NAME="),
                              ("procs=1,x", b"values are numbers"), ("procs=1..1e9+1", b"more than 1000 values"),
                              ("procs=1.5,2", b"with procs = 1.5")):
            answer = assay("model", "sweep", model("stencil.model"), "--vary", vary, status=2)
            assert message in answer.stderr, (vary, answer.stderr)


@test
def sweeps_show_the_causes_where_one_kind_has_several():
    with Folder() as folder:
        with open(model("sweep3d.model")) as file:
            path = write(folder, "alike", file.read().replace("on waiting", "on messages"))
        shown = text("model", "sweep", path, "--vary", "procs=1..65536")
        again = text("model", "sweep", path, "--vary", "procs=64,65536,1")
    causes = shown.split("what the time goes to, with procs =\n")[1].splitlines()
    assert causes[0].split() == ["1", "65,536", "doing", "in"], shown  # the last is the best
    assert [re.split("  +", cause.strip())[-2:] for cause in causes[1:]] == [
        ["computing", "sweep3d (cells)"], ["sending and receiving", "sweep3d (messages of the stacks)"],
        ["sending and receiving", "sweep3d (filling the pipelines)"]], shown
    shares = [float(line.split(" %")[-2].split()[-1]) for line in causes[1:]]
    assert 98 <= sum(shares) <= 102 and all(share > 10 for share in shares), shown
    assert "           64       65,536            1  doing" in again, again
    assert "what the time goes to" not in text("model", "sweep", model("wavefront.model"), "--vary", "procs=1,4")
    with Folder() as folder:
        path = write(folder, "below", "parameter x = 1;\napplication a { run { compute (10 + x) * 1 s; } }\n")
        rows = list(csv.DictReader(io.StringIO(text("model", "sweep", path, "--vary", "x=-3..-1+1", "--csv"))))
        assert [row["value"] for row in rows] == ["-3", "-2", "-1"], rows


@test
def equations_of_messages_are_no_computing():
    """Sweep3D by equations was 100 % computing on 65,536 processors, though two thirds of it are for messages."""
    for words in ((), ("--events",)):
        one, many = csv.DictReader(io.StringIO(text("model", "sweep", model("sweep3d.model"), "--vary", "procs=1,65536", "--csv", *words)))
        kinds = [float(many[kind]) for kind in ("compute_seconds", "send_seconds", "wait_seconds")]
        assert abs(sum(kinds) - float(many["predicted_seconds"])) < 1e-12 and all(0.2 < kind / sum(kinds) < 0.5 for kind in kinds), many
        assert float(one["compute_seconds"]) > 0.999 * float(one["predicted_seconds"]) and float(one["wait_seconds"]) == 0, one
    shown = text("model", "sweep", model("sweep3d.model"), "--vary", "procs=1..65536")
    assert "more than half of the time is computing up to procs = 32768" in shown, shown
    assert shown.splitlines()[3].split() == ["procs", "time", "speedup", "computing", "sending", "waiting"], shown
    with Folder() as folder:
        path = write(folder, "spent", 'application a { run { repeat (3) { compute 1 s; spend 2 s on waiting; spend 3 s on messages as "m"; } } }\n')
        spent = {row["kind"]: row["seconds"] for row in json.loads(text("model", "run", path, "--json"))}
        assert spent == {"computing": 3, "sending and receiving": 9, "waiting": 6}, spent
        for wrong, message in (("spend 1 s;", b"expected on: spend TIME on messages|waiting;"),
                               ("spend 1 s on work;", b"expected messages or waiting"),
                               ("spend 1 on waiting;", b"must be")):
            path = write(folder, "wrong", "application a { run { " + wrong + " } }\n")
            assert message in assay("model", "run", path, status=2).stderr, wrong
        path = write(folder, "flow", "flow f() { spend 1 s on waiting; }\napplication a { run { compute f(); } }\n")
        assert b"a flow only computes" in assay("model", "run", path, status=2).stderr


@test
def options_without_effect_are_refused():
    for words, message in ((("run", model("stencil.model"), "--plot", "x.svg"), b"model run does not take --plot: sweep and pepa do"),
                           (("run", model("stencil.model"), "--vary", "n=1"), b"model run does not take --vary: sweep does"),
                           (("pepa", model("goldilocks.pepa"), "--events"), b"does not take --events"),
                           (("check", model("stencil.model"), "--network", "x"), b"does not take --network"),
                           (("run", model("stencil.model"), "--set", "nope=1"), b"no parameter nope (assay model check lists them)"),
                           (("run", model("stencil.model"), "--set", "proc=1"), b"no parameter proc; did you mean procs?"),
                           (("run", model("stencil.model"), "--set", "n=3 bytes"), b"n is a plain number: bytes does not fit")):
        answer = assay("model", *words, status=2)
        assert message in answer.stderr, (words, answer.stderr)


@test
def mistakes_have_line_and_column():
    answer = assay("model", "check", model("bad.model"), status=1).stdout.decode()
    for line in ("bad.model:4:21: cannot add bytes and seconds", "bad.model:5:28: volume is in bytes: bytes/s does not fit",
                 "bad.model:8:10: the size of a message must be bytes, not a plain number", "bad.model:15:9: exchange takes 1 argument, not 2",
                 "bad.model:16:17: sizes is not known; did you mean size?", "9 mistakes"):
        assert line in answer, (line, answer)
    rows = json.loads(assay("model", "check", model("bad.model"), "--json", status=1).stdout)
    assert rows[0]["line"] == 4 and rows[0]["column"] == 21, rows
    assert b"bad.model:4:21" in assay("model", "run", model("bad.model"), status=2).stderr
    assert "no mistakes; application stencil, which needs a network" in text("model", "check", model("stencil.model"))


@test
def what_is_set_must_fit():
    for words, message in (("width=3 s", b"width is a plain number: seconds does not fit"), ("widht=3", b"no parameter widht; did you mean width?"),
                           ("width", b"--set takes NAME=VALUE"), ("width=", b"--set width= has no value after the ="),
                           ("width=1/0", b"division by zero"), ("hardware=Mac", b"no hardware object Mac")):
        answer = assay("model", "run", model("blend.model"), "--set", words, status=2)
        assert message in answer.stderr, (words, answer.stderr)
    with Folder() as folder:
        path = write(folder, "a.model", "application a { ranks 2; run { barrier; } }")
        assert b"--network" in assay("model", "run", path, status=2).stderr


@test
def hostile_files_are_refused():
    with Folder() as folder:
        network = ("--network", write(folder, "flat", NETWORK))
        cases = (("compute 1 s / 0;", b"division by zero"),
                 ("let x = 0; for (i = 1 .. 1e12) x = x + 1; compute x * 1 s;", b"more than 100 million steps"),
                 ("compute " + "(" * 5000 + "1 s" + ")" * 5000 + ";", b"nested more than"),
                 ("compute 1 s" + " + 1 s" * 100000 + ";", b"nested more than"),
                 ("{" * 20000 + "}" * 20000, b"nested more than"),
                 ("compute f(1);} } function f(n) = f(n + 1) * 1 s; subtask t() { {", b"deep: does a recursion end?"),
                 ("compute v[1] * 1 s;} } vector v[i = 1 .. 2] = v[3 - i]; subtask t() { {", b"depends on itself"),
                 ("compute v[1] * 1 s;} } vector v[i = 1 .. 1e12] = 1; subtask t() { {", b"elements; at most"),
                 ("if (rank == 0) receive 8 bytes from 1;", b"deadlock: 1 of 2 ranks wait for ever: rank 0 receives from rank 1 (line 1)"),
                 ("compute 1 parsec;", b"parsec is not a unit"))
        for number, (statement, message) in enumerate(cases):
            path = write(folder, f"{number}.model", "application a { ranks 2; run { " + statement + " } }")
            answer = assay("model", "run", path, *network, status=2)
            assert message in answer.stderr, (statement[:60], answer.stderr)
        large = write(folder, "large.model", "application a { run { compute 1 s; } }\n" + "let x%d = 3 s + 4 s; // %s\n" % (0, "y" * 90)
                      + "".join(f"function g{i}(n) = n * {i} + {'1 * ' * 20} 1;\n" for i in range(100000)))
        assert os.path.getsize(large) > 10e6 and predicted(large) == 1
        assert b"--trust" in assay("model", "check", write(folder, "inside.model", 'include "/etc/passwd";'), status=1).stdout


LOOP = """
void scale(double *restrict a, const double *restrict b, long n)
{
    for (long i = 0; i < n; i++)
        a[i] = b[i] * 3.0;
}
int main(void) { static double a[100], b[100]; scale(a, b, 100); return 0; }
"""


@test
def a_loop_of_a_program_is_worth_its_cycles():
    with Folder() as folder:
        write(folder, "scale.c", LOOP)
        build(folder, ["gcc"], [os.path.join(folder, "scale.c")], "-O2", "-g", "-fno-inline", "-fno-tree-vectorize")
        path = write(folder, "scale.model", 'application scale { parameter n = 1e6; hardware h; run { compute n * loop "scale.c":4 of "program"; } }\n'
                     'hardware h { clock = 2 GHz; }\n')
        cycles = predicted(path) * 2e9 / 1e6
        assert 0.4 < cycles < 8, cycles
        assert predicted(path, "--set", "n=2e6") == 2 * predicted(path)
        wrong = write(folder, "wrong.model", 'application w { run { compute loop "scale.c":1 of "program"; } }')
        assert b"no innermost loop" in assay("model", "run", wrong, status=2).stderr
        gone = write(folder, "gone.model", 'application w { run { compute loop "scale.c":4 of "elsewhere"; } }')
        assert b"cannot be read" in assay("model", "run", gone, status=2).stderr


HARDWARE = """config Slow {
  hardware { Tclk = 1 / 300, Desc = "a slow one"; }
  clc { /* microseconds */
    LFOR = 0.5
    ADDD = 0.25,
    MULD = 2 * 0.5;
    ... }
}
"""
TEMPLATE = "partmp alone { var compute: Tx; option { nstage = 1, seval = 0; } proc exec init { step cpu { confdev Tx; } } }"
SUBTASK = """subtask sums { include alone; var numeric: Size;
  link { alone: Tx = work(); }
  proc cflow work { compute <is clc, 2*ADDD>; loop (<is clc, LFOR>, Size) { compute <is clc, ADDD, MULD>; } }
}
"""
APPLICATION = """application sums_app { include hardware; include sums; var numeric: N = 10;
  link { hardware: Nproc = 1; sums: Size = N * N; }
  option { hdruse = "Slow"; }
  proc exec init { call sums; }
}
"""


@test
def scripts_of_pace_are_translated_and_run():
    with Folder() as folder:
        for name, contents in (("Slow.hmcl", HARDWARE), ("alone.la", TEMPLATE), ("sums.la", SUBTASK), ("sums_app.la", APPLICATION)):
            write(folder, name, contents)
        made = os.path.join(folder, "sums.model")
        answer = assay("model", "import", os.path.join(folder, "sums_app.la"), "-o", made)
        assert b"the script leaves out entries" in answer.stderr, answer.stderr
        assert abs(predicted(made) - (0.5 + 100 * 1.75) * 1e-6) < 1e-15, predicted(made)
        assert abs(predicted(made, "--set", "N=2") - (0.5 + 4 * 1.75) * 1e-6) < 1e-15
        write(folder, "Slow.hmcl", HARDWARE.replace("MULD", "DIVD"))
        answer = assay("model", "import", os.path.join(folder, "sums_app.la"), "-o", made)
        assert b"hardware Slow has no figures for MULD" in answer.stderr, answer.stderr
        assert b"has no clc.MULD" in assay("model", "run", made, status=2).stderr
        for change, message in ((("compute", "guess"), b"sums.la:3:"), (("loop", "case"), b"expected compute, loop"), (("alone: Tx", "alone: Ty"), b"links no value to Tx"),
                                (("include alone", "include gone"), b"gone, which was not found")):
            write(folder, "sums.la", SUBTASK.replace(*change))
            answer = assay("model", "import", os.path.join(folder, "sums_app.la"), status=2)
            assert message in answer.stderr, (change, answer.stderr)


@test
def parts_of_a_time_are_not_lost():
    """A mean of measured counts is seldom whole: half a second is predicted, and not nothing."""
    with Folder() as folder:
        path = write(folder, "parts.model", "parameter n = 0.5;\napplication a { ranks 2; run { repeat (n) compute 1 s; } }\n")
        for way in ([], ["--events"]):
            assert abs(predicted(path, *way) - 0.5) < 1e-9
            assert abs(predicted(path, "--set", "n=2.25", *way) - 2.25) < 1e-9
            assert predicted(path, "--set", "n=3", *way) == 3
        path = write(folder, "messages.model", "parameter n = 2.5;\napplication a { ranks 2; run { repeat (n) { compute 1 s; barrier; } } }\n")
        network = write(folder, "flat.network", NETWORK)
        said = assay("model", "run", "--network", network, path, status=None).stderr.decode()
        assert "messages.model:2:" in said and "repeat (2.5)" in said and "floor" in said, said
        assert predicted(path, "--network", network, "--set", "n=2") > 2


@test
def a_deadlock_names_the_pattern():
    with Folder() as folder:
        network = write(folder, "flat.network", NETWORK)

        def said(body, *way):
            path = write(folder, "stuck.model", "application a { ranks 3; run { compute 1 s; " + body + " } }\n")
            return assay("model", "run", "--network", network, path, *way, status=None).stderr.decode()

        for way in ([], ["--events"]):
            assert "rank 0 waits for the others in a barrier (line 1)" in said("if (rank == 0) barrier;", *way)
            told = said("if (rank == 0) allreduce 8 bytes; else barrier;", *way)
            assert "an allreduce" in told and "a barrier" in told, told
            assert "rank 0 receives from rank 1" in said("if (rank == 0) receive 8 bytes from 1;", *way)


run()
