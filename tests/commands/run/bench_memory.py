#!/usr/bin/env python3
"""assay bench --memory: what it measures and how it says so, results in files, the runner for other computers (that of the
other instruction set under qemu). Regions are small. Nothing here depends on how long anything takes."""
import csv, io, json, os

from harness import MACHINE, Folder, assay, command, cross, emulator, need, run, test, text, uncertain

ISAS = {"aarch64": "aarch64", "x86_64": "x86-64"}
STREAMS = {"load", "loads", "store", "copy", "update", "triad", "light", "heavy"}
SMALL = ["--memory", "--largest", "256K"]


def ask(*words):
    return json.loads(text("bench", *words, "--json"))


def write(folder, name, content):
    path = os.path.join(folder, name)
    with open(path, "w") as file:
        file.write(content)
    return path


def near(one, other):
    return abs(one - other) <= 1e-4 * abs(other)


def check_rows(rows, largest):
    """Every kind in every region, and figures that agree with each other."""
    assert {row["what"] for row in rows} == STREAMS | {"latency", "stride"}, {row["what"] for row in rows}
    for row in rows:
        assert 4096 <= row["bytes"] <= largest, row
        assert row["status"] == "measured" or row["vector_bytes"] == 64 and row["status"] == "missing", row
        if row["status"] == "missing":
            continue
        assert row["ghz"] > 0 and row["spread"] >= 0, row
        assert (row["cycles"] is None) == (row["what"] in STREAMS), row
        assert (row["bytes_per_cycle"] is None) == (row["what"] == "latency"), row
        if row["cycles"] is not None:
            assert near(row["nanoseconds"] * row["ghz"], row["cycles"]) and row["cycles"] > 0, row
        if row["bytes_per_cycle"] is not None:
            assert near(row["bytes_per_cycle"] * row["ghz"], row["gigabytes_per_second"]), row
    latencies = [row["bytes"] for row in rows if row["what"] == "latency"]
    assert latencies == sorted(set(latencies)) and latencies[0] == 4096 and latencies[-1] == largest, latencies
    assert len(latencies) == 4 * (largest // 4096).bit_length() - 3, latencies


@test
def regions_of_one_core_and_of_all():
    with Folder() as folder:
        path = os.path.join(folder, "results")
        rows = ask(*SMALL, "--resume", path)
        check_rows(rows, 256 << 10)
        processors = len(os.sched_getaffinity(0))
        crowd = [row for row in rows if row["processors"] == processors]
        assert {row["what"] for row in crowd} >= {"load", "store", "copy"}, crowd
        assert {row["stride"] for row in rows if row["what"] == "stride"} == {64, 128, 256, 4096}, rows
        # Nothing is measured twice, and a file of results says the same as the run.
        with open(path) as file:
            kept = file.read()
        again = ask(*SMALL, "--resume", path)
        assert [(row["what"], row["bytes"], row["status"]) for row in again] == [
            (row["what"], row["bytes"], row["status"]) for row in rows], again
        with open(path) as file:
            assert file.read() == kept
        assert ask("--memory", "--result", path) == again
        table = list(csv.DictReader(io.StringIO(text("bench", "--memory", "--result", path, "--csv"))))
        assert [int(row["bytes"]) for row in table] == [row["bytes"] for row in rows], table


def made_up(levels, caches, processors=4):
    """Results of a computer with levels (bytes, latency, bytes a cycle), whose system reports caches (level, bytes, shared)."""
    lines = [f"system|processors\tmeasured\t{processors}\t{processors}\t0\t0"]
    for index, (level, size, shared) in enumerate(caches):
        answers = {"type": ord("U"), "level": level, "size": size, "ways_of_associativity": 8, "coherency_line_size": 64,
                   "shared_cpu_list": shared}
        lines += [f"system|/sys/devices/system/cpu/cpu0/cache/index{index}/{name}\tmeasured\t{value}\t{value}\t0\t0"
                  for name, value in answers.items()]
    octaves = [4096 << i for i in range(16)]
    for size in [octave * part // 4 for octave in octaves for part in (4, 5, 6, 7)]:
        latency, rate = next((latency, rate) for most, latency, rate in levels if size <= most)
        lines.append(f"memory|latency|{size}\tmeasured\t{latency}\t{latency}\t0\t2")
        for kind in ("load", "store", "copy", "update") if size in octaves else ():
            lines.append(f"memory|{kind} 16|{size}\tmeasured\t{256 / rate}\t{256 / rate}\t0\t2")
            if kind != "update":
                lines.append(f"memory|{kind} 16|{size}|all\tmeasured\t{64 / rate}\t{64 / rate}\t0\t2")
        if size in octaves and size >= 256 << 10:
            lines.append(f"memory|stride 64|{size}\tmeasured\t{8 * latency / 10}\t{8 * latency / 10}\t0\t2")
    return "# assay bench results 1 aarch64\n" + "\n".join(lines) + "\n"


LEVELS = [(64 << 10, 4, 32), (1 << 20, 12, 16), (16 << 20, 60, 8), (1 << 40, 200, 4)]


@test
def a_table_of_levels():
    with Folder() as folder:
        caches = [(1, 64 << 10, 0), (2, 1 << 20, 0), (3, 16 << 20, 4)]
        path = write(folder, "r", made_up(LEVELS, caches))
        shown = text("bench", "--memory", "--result", path)
        rows = {words[0]: words[1:] for words in map(str.split, shown.split("cycles of a load")[0].splitlines()) if words}
        assert rows["L1"][:4] == ["64K", "4.0", "2.0", "32.0"], shown
        assert rows["L2"][:4] == ["1M", "12.0", "6.0", "16.0"], shown
        assert rows["L3"][:4] == ["16M", "60.0", "30.0", "8.0"], shown
        assert rows["memory"][:3] == ["200.0", "100.0", "4.0"], shown
        assert rows["memory"][-3:] == ["32.0", "32.0", "32.0"], shown  # 4 bytes a cycle of 2 GHz, 4 processors
        assert "reports" not in shown, shown
        strides = [words for words in map(str.split, shown.split("cycles of a load")[1].splitlines()) if words]
        assert ["memory", "20.00", "-", "-", "-", "200.00"] in strides, shown


@test
def disagreements_are_named():
    with Folder() as folder:
        none = text("bench", "--memory", "--result", write(folder, "none", made_up(LEVELS, [])))
        assert none.count("the system reports no caches") == 3 and "L3" in none, none
        half = [(1, 64 << 10, 0), (2, 2 << 20, 0), (3, 64 << 20, 4)]
        shown = text("bench", "--memory", "--result", write(folder, "half", made_up(LEVELS, half)))
        assert "L2: times rise beyond 1M, the system reports 2M\n" in shown, shown
        assert "L3: times rise beyond 16M, the system reports 64M for all cores that share it" in shown, shown
        few = [(1, 64 << 10, 0), (2, 256 << 10, 0)]
        shown = text("bench", "--memory", "--result", write(folder, "few", made_up(LEVELS, few)))
        assert "L2: the size is what the system reports; times do not rise there" in shown, shown
        assert "times also rise beyond 1M" in shown and "times also rise beyond 16M" in shown, shown
        noisy = text("bench", "--memory", "--result", write(folder, "noisy", made_up(LEVELS, half).replace("\t0\t2\n", "\t0.25\t2\n")))
        assert "L2: samples are 25 % apart" in noisy and "samples are" not in shown, noisy
        empty = write(folder, "empty", "# assay bench results 1 aarch64\n")
        assert "no level of memory was measured" in text("bench", "--memory", "--result", empty)


def runner(machine):
    """The same by sources that gcc and make alone compile."""
    gcc, make = need(cross("gcc", machine)), need("make")
    qemu = emulator(machine, "-cpu", "max")
    with Folder() as folder:
        place = os.path.join(folder, "runner")
        assay("bench", "--make-runner", place, "--isa", ISAS[machine], "--memory", "--largest", "256K")
        command([make, "-s", "-C", place, f"CC={gcc}", "CFLAGS=-std=gnu17 -O2 -Wall -Wextra -Werror -D_GNU_SOURCE -I."])
        results = command([*qemu, os.path.join(place, "runner")]).stdout.decode()
        rows = ask("--memory", "--result", write(folder, "results", results))
        check_rows(rows, 256 << 10)
        assert "L1" in text("bench", "--memory", "--result", os.path.join(folder, "results")) or qemu


@uncertain
def the_runner_for_this_instruction_set():
    runner(MACHINE)


@uncertain
def the_runner_for_the_other_instruction_set():
    runner({"aarch64": "x86_64", "x86_64": "aarch64"}[MACHINE])


@test
def bad_usage():
    for words in (["--memory", "--largest", "1K"], ["--memory", "--largest", "much"], ["--largest", "1M", "--form", "x"],
                  ["--memory", "--form", "x"], ["--memory", "--kernel", "x.s"], ["--memory", "--compare", "skylake"]):
        said = assay("bench", *words, status=2).stderr.decode()
        assert said.startswith("assay: ") and said.count("\n") == 1, (words, said)


run()
