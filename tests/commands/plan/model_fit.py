"""assay model fit: parameters found again from times that a model made, their uncertainty, and what is wrong with tables."""
import json, os, random

from harness import Folder, assay, run, test, text

MODEL = """parameter procs = 4, n = 1000, steps = 10;
free parameter point = 1 ns "of a point", setup = 1 ms "before the first step";
let columns = grid_columns(procs);
let rows = grid_rows(procs);
application stencil {
    ranks procs;
    network "ethernet-10g";
    run {
        compute setup as "setup";
        repeat (steps) {
            compute n/columns * n/rows * point as "points";
            halo 8 bytes * n/rows, 8 bytes * n/columns on (columns, rows);
        }
    }
}
"""


def write(folder, name, what):
    path = os.path.join(folder, name)
    with open(path, "w") as file:
        file.write(what)
    return path


def measured(folder, model, noise, dice):
    lines = ["# made by the model itself", "procs,n,seconds"]
    for procs in (1, 2, 4, 9):
        for n in (500, 1000, 2000):
            answer = json.loads(text("model", "run", model, "--json", "--quiet", "--set",
                                     f"procs={procs},n={n},point=2.6ns,setup=4ms"))
            lines.append(f"{procs},{n},{answer[0]['predicted_seconds'] * (1 + dice.gauss(0, noise)):.9g}")
    return write(folder, "measured.csv", "\n".join(lines) + "\n")


@test
def parameters_are_found_again():
    with Folder() as folder:
        model = write(folder, "f.model", MODEL)
        answer = json.loads(text("model", "fit", model, measured(folder, model, 0, random.Random(1)), "--json"))
        values = {row["parameter"]: row["value"] for row in answer["parameters"]}
        assert abs(values["point"] / 2.6e-9 - 1) < 1e-5 and abs(values["setup"] / 4e-3 - 1) < 1e-5, values
        assert answer["worst_without"] < 1e-5 and len(answer["rows"]) == 12 and answer["alike"] is None


@test
def uncertainty_holds_the_truth():
    """With 2 % of noise the truth lies within 95 % intervals most of the time, and errors are those of the noise."""
    held = 0
    with Folder() as folder:
        model = write(folder, "f.model", MODEL)
        exact = measured(folder, model, 0, random.Random(1))
        rows = [line.split(",") for line in open(exact).read().splitlines()[2:]]
        for seed in range(12):
            dice = random.Random(seed)
            noisy = write(folder, "noisy.csv", "procs,n,seconds\n" + "".join(
                f"{p},{n},{float(s) * (1 + dice.gauss(0, 0.02))}\n" for p, n, s in rows))
            answer = json.loads(text("model", "fit", model, noisy, "--json"))
            for row, truth in zip(answer["parameters"], (2.6e-9, 4e-3)):
                held += row["lower"] <= truth <= row["upper"]
                assert abs(row["value"] / truth - 1) < 0.2, row
            assert 0.003 < answer["error"] < 0.04 and answer["error"] < answer["error_without"] < 0.06, answer
    assert held >= 18, held  # of 24; 95 % expected


@test
def units_and_words():
    with Folder() as folder:
        model = write(folder, "f.model", "parameter size in bytes = 1 bytes;\nfree parameter cost in seconds = 1 s;\n"
                      "application a { run { compute cost * (size / 1 bytes); } }")
        table = write(folder, "m.csv", "size,seconds\n1kB,10\n2kB,20\n4kB,40\n")
        said = text("model", "fit", model, table)
        assert "is off by" in said, said
        setting = said.rsplit("--set ", 1)[1].strip()
        answer = json.loads(text("model", "run", model, "--json", "--quiet", "--set", setting + ",size=3kB"))
        assert abs(answer[0]["predicted_seconds"] / 30 - 1) < 1e-5, answer


@test
def parameters_that_cannot_be_told_apart():
    with Folder() as folder:
        model = write(folder, "f.model", "parameter n = 1;\nfree parameter a = 1 s, b = 2 s;\n"
                      "application x { run { compute n * a; compute n * b; } }")
        table = write(folder, "m.csv", "n,seconds\n1,5\n2,10\n3,15.1\n4,20\n")
        answer = json.loads(text("model", "fit", model, table, "--json"))
        assert answer["alike"] == "a and b" and answer["parameters"][0]["deviation"] is None, answer


@test
def what_would_be_below_zero_is_held_there():
    with Folder() as folder:
        model = write(folder, "f.model", "parameter n = 1;\nfree parameter a = 5 s, b = 4 s;\n"
                      "application x { run { compute n * a + b; } }")
        table = write(folder, "m.csv", "n,seconds\n" + "".join(f"{n},{2 * n - 0.5}\n" for n in (1, 2, 4, 8, 16)))
        answer = json.loads(text("model", "fit", model, table, "--json"))
        (a, b), rows = answer["parameters"], [(n, 2 * n - 0.5) for n in (1, 2, 4, 8, 16)]
        best = sum(n / t for n, t in rows) / sum((n / t) ** 2 for n, t in rows)  # of a alone
        assert b["value"] == 0 and b["deviation"] is None and abs(a["value"] / best - 1) < 1e-6 and a["deviation"] > 0, (answer, best)
        assert "held at 0" in text("model", "fit", model, table)
        found = json.loads(text("model", "fit", model, table, "--json", "--set", "b=-0.1s"))["parameters"]
        assert abs(found[0]["value"] - 2) < 1e-6 and abs(found[1]["value"] + 0.5) < 1e-6, found


@test
def what_is_wrong_with_a_table():
    with Folder() as folder:
        model = write(folder, "f.model", MODEL)

        def refused(table, part, *words):
            said = assay("model", "fit", model, write(folder, "m.csv", table), *words, status=2).stderr.decode()
            assert part in said and said.count("\n") == 1, said

        refused("", "there are no rows")
        refused("procs,n,seconds\n", "there are no rows")
        refused("procs,m,seconds\n1,1,1\n", "m.csv:1: columns are parameters of the model")
        refused("proc,n,seconds\n1,1,1\n", "did you mean procs?")
        refused("procs,n\n1,1\n", "m.csv:1: there is no column seconds")
        refused("procs,n,n,seconds\n1,1,1,1\n", "m.csv:1: the column n is there twice")
        refused("seconds,n,seconds\n1,1,1\n", "m.csv:1: the column seconds is there twice")
        refused('procs,n,seconds\n1,"500,0.1\n', "m.csv:2: a cell ends within its quotes")
        refused("\ufeffprocs,n,seconds\n1,1,0\n", "m.csv:2: seconds must be")
        refused("procs,point,seconds\n1,1,1\n", "point is free in the model")
        refused("procs,n,seconds\n1,1000\n", "m.csv:2: this row has not as many cells")
        refused("procs,n,seconds\n1,1000,1,2\n", "m.csv:2:")
        refused("procs,n,seconds\n1,1000,0\n", "m.csv:2: seconds must be a number above 0")
        refused("procs,n,seconds\n1,x y,2\n", "m.csv:2:")
        refused("procs,n,seconds\n1,1000,1\n", "more rows are needed")
        refused("procs,n,seconds\n0,1000,1\n1,1000,2\n", "m.csv:2: with the parameters of this row the model fails")
        model = write(folder, "g.model", MODEL.replace("free parameter", "parameter"))
        refused("procs,n,seconds\n1,1000,1\n", "no free parameters")


run()
