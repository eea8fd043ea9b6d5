"""Views of predictions: predicted against measured as text, rows and picture, of ledgers whose rows were made by hand."""
# first build only: a test of words and pictures
import csv, io, xml.etree.ElementTree as trees
from harness import *
from ledgers import Ledger

SVG = "{http://www.w3.org/2000/svg}"
EVIL = "a\x1b[2J<script>alert(1)</script>\"'&\nb\u202e\x01"


class Files(Folder):
    def __enter__(self):
        folder = super().__enter__()
        return folder, Ledger(os.path.join(folder, "ledger.db"))


def history(path, *words, status=0):
    return assay("predict", "--history", "--ledger", path, *words, status=status)


def predicted(ledger, predictor, inputs, seconds, lower, upper, measured, at=1000.0, is_final=1, processors=1, run_at=None):
    ledger.add("predictions", predictor=predictor, inputs=inputs, label=inputs, host="h", processors=processors, seconds=seconds,
               lower=lower, upper=upper, is_final=is_final, made=at, probe_seconds=1, probes=2)
    if measured is not None:
        ledger.add("runs", predictor=predictor, inputs=inputs, label=inputs, host="h", processors=processors, seconds=measured,
                   source="predict", made=run_at or at + 100)


@test
def nothing_to_compare():
    with Files() as (folder, ledger):
        predictor = ledger.add("predictors", name="register", path="/x/register.predict")
        predicted(ledger, predictor, "a", 100, 50, 200, None)
        path, picture = ledger.done(), os.path.join(folder, "p.svg")
        assert b"No prediction can be compared yet" in history(path, "--plot", picture, status=1).stdout
        assert trees.parse(picture).getroot().find(SVG + "desc").text.startswith("No prediction")
        assert json.loads(history(path, "--json", status=1).stdout)["predictions"] == []
        assert len(history(path, "--csv", status=1).stdout.splitlines()) == 1
        assert b"knows no program nix" in history(path, "nix", status=2).stderr
        assert b"missing.db" in history(os.path.join(folder, "missing.db"), status=2).stderr


@test
def errors_and_intervals():
    with Files() as (folder, ledger):
        register = ledger.add("predictors", name="register", path="/x/register.predict", digest="1")
        solve = ledger.add("predictors", name="solve", path="/x/solve.predict", digest="2")
        predicted(ledger, register, "a", 110, 80, 150, 100)
        predicted(ledger, register, "b", 50, 40, 60, 100)
        predicted(ledger, register, "c", 100, 90, None, 125)
        predicted(ledger, solve, "d", 3000, None, None, 1000)
        predicted(ledger, register, "e", 999, 998, 1000, None, is_final=1, at=500)
        predicted(ledger, register, "e", 200, 100, 300, 200, at=600)          # the last word counts
        predicted(ledger, register, "e", 1, 1, 1, None, at=650, is_final=0)   # an estimate on the way
        predicted(ledger, register, "e", 777, 1, 1000, None, at=5000)         # told after the run
        predicted(ledger, register, "a", 100, 99, 101, 100, at=2000)          # a run of these inputs was known
        predicted(ledger, register, "f", 5, 1, 9, 0)                          # no time
        path = ledger.done()
        found = json.loads(history(path, "--json").stdout)
        assert [(row["inputs"], row["predicted"], row["is_held"]) for row in found["predictions"]] == [
            ("e", 200, True), ("a", 110, True), ("b", 50, False), ("c", 100, True), ("d", 3000, False)], found
        assert abs(found["mean_error"] - (0 + 0.1 + 0.5 + 0.2 + 2) / 5) < 1e-9 and found["worst_error"] == 2, found
        assert found["coverage"] == 0.75 and found["count"] == 5, found
        words = re.sub(r"\s+", " ", history(path).stdout.decode())
        assert "5 predictions with a measured run: wrong by 56 % on average, 200 % at worst." in words, words
        assert "The interval held 3 of 4 times (75 %; 90 % is meant)." in words, words
        assert "register b 50 s 40 s to 1 min 1 min 40 s -50 % missed" in words, words
        assert "1 min 30 s or more" in words and "+200 % none" in words, words
        for name in ("solve", "solve.predict", "/x/solve.predict"):
            rows = list(csv.DictReader(io.StringIO(history(path, name, "--csv").stdout.decode())))
            assert [row["inputs"] for row in rows] == ["d"], (name, rows)


@test
def the_picture_has_a_point_for_each():
    with Files() as (folder, ledger):
        predictor = ledger.add("predictors", name=EVIL, path=EVIL)
        for i in range(1000):
            predicted(ledger, predictor, f"{EVIL}{i}", 10 * 1.01**i, 5 * 1.01**i, None if i % 7 == 0 else 20 * 1.01**i, 10 * 1.01**i * (5 if i == 1 else 1.2))
        path, picture = ledger.done(), os.path.join(folder, "p.svg")
        words = history(path, "--plot", picture).stdout.decode()
        assert "\x1b" not in words and "\u202e" not in words and "960 earlier ones" in words
        svg = trees.parse(picture).getroot()
        points = [g for g in svg.iter(SVG + "g") if g.find(SVG + "title") is not None]
        assert len(points) == 1000 and sum("missed" in g.get("class") for g in points) == 1
        assert not list(svg.iter(SVG + "script")) and svg.get("role") == "img"
        for circle in svg.iter(SVG + "circle"):
            assert 96 <= float(circle.get("cx")) <= 616 and 20 <= float(circle.get("cy")) <= 540


run()
