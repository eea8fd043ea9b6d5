"""assay counters: the trees of counters/, what this computer has of them, and files with mistakes."""
import csv
import io
import json
import os
import pathlib

from harness import ROOT, Folder, assay, run, test, text

FILES = pathlib.Path(ROOT) / "data" / "counters"


def rows(*words, folder=None):
    env = dict(os.environ, ASSAY_COUNTERS=folder) if folder else None
    return text("counters", *words, env=env)


def equal(got, wanted, about=""):
    assert got == wanted, f"{about}: {got!r}, expected {wanted!r}"


def check(is_good, about):
    assert is_good, about


@test
def the_kernels_counters_work_everywhere_or_say_why():
    found = {row["name"]: row for row in json.loads(rows("--json"))}
    for name in ("page_faults", "switches", "migrations", "task_clock"):
        check(found[name]["is_here"] or "perf" in found[name]["why_not"] or "let this user" in found[name]["why_not"],
              f"{name}: {found[name]}")
    check(found["page_faults"]["question"].endswith("?"), "a counter has a question above it")


@test
def csv_and_json_have_the_same_rows():
    table = list(csv.DictReader(io.StringIO(rows("--csv"))))
    objects = json.loads(rows("--json"))
    equal([row["name"] for row in table], [row["name"] for row in objects])
    equal(list(table[0]), list(objects[0]))


@test
def the_tree_marks_what_does_not_work():
    tree = rows()
    for row in json.loads(rows("--json")):
        lines = [line for line in tree.splitlines() if line.split()[:1] == [row["name"]] or line.split()[:2] == ["-", row["name"]]]
        check(any(line.lstrip().startswith("-") != row["is_here"] for line in lines), f"{row['name']}: {lines}")


@test
def every_file_is_well_formed():
    """Also those for other processors: a folder with one of them alone, for the unit that is everywhere."""
    for path in sorted(FILES.iterdir()):
        with Folder() as place:
            lines = path.read_text().splitlines()
            heads = [line for line in lines if line.startswith("pmu ")]
            equal(len(heads), 1, f"{path.name}: {heads}")
            (pathlib.Path(place) / path.name).write_text("\n".join("pmu perf" if line in heads else line for line in lines))
            names = [row["name"] for row in json.loads(rows("--json", folder=place))
                     if row["file"] == path.name]
            wanted = [line.split()[0] for line in lines if " = " in line and not line.startswith("#")]
            missing = [name for name in wanted if name not in names and path.name not in ("generic", "software")]
            equal(missing, [], path.name)


@test
def a_bad_line_is_named():
    for content, words in (("pmu perf\n x = CYCLES: odd indentation\n", ":2: the indentation"),
                        ("pmu perf\nx = CYCLES\n", ":2: a counter needs a colon"),
                        ("pmu perf\nx = CYCLES often: a sentence\n", ":2: expected 'every N'"),
                        ("pmu perf\nx = CYCLES counts some: a sentence\n", ":2: counts is followed by issued"),
                        ("pmu perf\nx = CYCLES counts p0-1: a sentence\n", ":2: counts is followed by issued"),
                        ("pmu perf\nx = CYCLES counts p0123456789abc: a sentence\n", ":2: counts is followed by issued"),
                        ("pmu perf\nx = CYCLES counts: a sentence\n", ":2: expected 'every N'"),
                        ("pmu perf\nx = CYCLES raw 3x: a sentence\n", ":2: expected 'every N'"),
                        ("pmu perf\ncpuid 6\nx = CYCLES: a sentence\n", ":2: expected 'cpuid FAMILY MODEL"),
                        ("pmu perf\nmidr 41 dxy\nx = CYCLES: a sentence\n", ":2: expected 'cpuid FAMILY MODEL"),
                        ("pmu perf\nmidr 41 " + "1 " * 25 + "\n", ":2: expected 'cpuid FAMILY MODEL"),
                        ("pmu perf\n= CYCLES: a sentence\n", ":2: a counter is written as"),
                        ("pmu perf\nx = : a sentence\n", ":2: the counter has no event"),
                        ("Is it?\n", ":1: the file must begin with a line pmu")):
        with Folder() as place:
            (pathlib.Path(place) / "mine").write_text(content)
            said = assay("counters", status=2, env=dict(os.environ, ASSAY_COUNTERS=place)).stderr.decode()
            check(words in said, f"{content!r}: {said}")


@test
def a_file_of_ones_own_adds_names():
    with Folder() as place:
        (pathlib.Path(place) / "mine").write_text("pmu perf\nMine?\n  my_faults = perf::PAGE-FAULTS every 1: mine\n")
        names = [row["name"] for row in json.loads(rows("--json", folder=place))]
        check("my_faults" in names and "page_faults" in names, names)


@test
def the_first_folder_wins():
    with Folder() as place:
        folders = [pathlib.Path(place) / name for name in ("z", "a")]
        for folder in folders:
            folder.mkdir()
            (folder / "same").write_text(f"pmu perf\nMine?\n  my_faults = perf::PAGE-FAULTS every 1: from {folder.name}\n")
        found = [row["sentence"] for row in json.loads(rows("--json", folder=":".join(map(str, folders))))
                 if row["name"] == "my_faults"]
        equal(found, ["from z"])


run()
