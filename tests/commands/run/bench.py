#!/usr/bin/env python3
"""assay bench: what it measures and how it says so, the runner for other computers (that of the other instruction set
under qemu), results in files. Nothing here depends on how long anything takes."""
# first build only: it measures most of the time; bench_machine and the unit tests take the same way through the plans
import csv, io, json, os, re, signal, subprocess, time

from harness import ASSAY, MACHINE, PATIENCE, Folder, assay, command, cross, emulator, need, run, test, text, uncertain

ISAS = {"aarch64": "aarch64", "x86_64": "x86-64"}
# A form of each instruction set with two sources, one result, and a latency and a throughput for sure.
ADD = {"aarch64": "add x,x,x", "x86_64": "lea r64,b+i"}
DIVIDE = {"aarch64": "fdiv d,d,d", "x86_64": "divsd xmm,xmm"}
LOOP = {"aarch64": "1: ldr x1, [x2]\n add x3, x3, x1\n cmp x3, x4\n b.ne 1b\n",
        "x86_64": "1: mov (%rsi), %rax\n add %rax, %rbx\n cmp %rcx, %rbx\n jne 1b\n"}
JUMP = {"aarch64": "ret\n", "x86_64": "ret\n"}
UNDEFINED = {"aarch64": "udf #0\n", "x86_64": "ud2\n"}
WILD = {"aarch64": "mov x1, #0\n ldr x1, [x1]\n", "x86_64": "xor %eax, %eax\n mov (%rax), %rax\n"}


def ask(*words):
    """Rows of times; those of counters are bench_counters.py's."""
    return [row for row in json.loads(text("bench", *words, "--json")) if row.get("kind") != "uops"]


def write(folder, name, content):
    path = os.path.join(folder, name)
    with open(path, "w") as file:
        file.write(content)
    return path


def complaint(*words, status=2):
    return assay("bench", *words, status=status).stderr.decode()


def output(words):
    return command(words).stdout.decode()


@test
def a_form_has_latencies_and_a_throughput():
    found = ask("--form", ADD[MACHINE])
    assert [row["kind"] for row in found].count("throughput") == 1, found
    flows = {(row["from"], row["to"]) for row in found if row["kind"] == "latency"}
    assert len(flows) == 2 and {to for _, to in flows} == {"1"}, flows
    for row in found:
        assert row["form"] == ADD[MACHINE] and row["status"] == "measured" and row["cycles"] > 0 and row["ghz"] > 0, row


@test
def divisions_have_easy_and_hard_operands():
    found = ask("--form", DIVIDE[MACHINE])
    assert {row["operands"] for row in found} == {"easy", "hard"}, found
    assert all(row["status"] == "measured" for row in found), found


@test
def text_names_the_form_and_its_figures():
    shown = text("bench", "--form", ADD[MACHINE])
    assert ADD[MACHINE] in shown and "throughput" in shown and "latency" in shown, shown


@test
def what_cannot_be_tested_is_named():
    form = {"aarch64": "b rel", "x86_64": "hlt"}[MACHINE]
    found = ask("--form", form)
    assert len(found) == 1 and found[0]["status"] == "untested" and found[0]["remark"], found


@test
def a_loop_is_measured_beside_its_prediction():
    with Folder() as folder:
        found = ask("--kernel", write(folder, "loop.s", LOOP[MACHINE]))
        assert len(found) == 1 and found[0]["mode"] == "loop" and found[0]["status"] == "measured", found
        assert found[0]["cycles"] > 0, found
        said = assay("bench", "--kernel", os.path.join(folder, "loop.s"))
        assert b"comparison and branch are replaced" in said.stderr and b"cycles per iteration" in said.stdout, said
        straight = LOOP[MACHINE].rsplit("\n", 3)[0] + "\n"
        found = ask("--kernel", write(folder, "straight.s", straight))
        assert found[0]["mode"] == "unrolled" and found[0]["status"] == "measured", found


@test
def blocks_that_stop_or_trap():
    with Folder() as folder:
        for content in (JUMP[MACHINE], UNDEFINED[MACHINE]):
            said = complaint("--kernel", write(folder, "k.s", content))
            assert "flow of control" in said, said
        found = ask("--kernel", write(folder, "wild.s", WILD[MACHINE]))
        assert found[0]["status"] == "trapped" and found[0]["cycles"] is None, found


@test
def results_are_kept_and_a_second_call_goes_on():
    with Folder() as folder:
        path = os.path.join(folder, "results")
        first = ask("--form", ADD[MACHINE], "--resume", path)
        with open(path) as file:
            kept = file.read()
        assert kept.startswith(f"# assay bench results 1 {ISAS[MACHINE]}\n"), kept[:80]
        second = ask("--form", ADD[MACHINE], "--resume", path)
        with open(path) as file:
            assert file.read() == kept, "nothing was left to measure"
        assert [row["status"] for row in first] == [row["status"] for row in second], (first, second)
        # A line that was cut short is measured again; a whole one is not.
        lines = kept.splitlines(keepends=True)
        write(folder, "cut", "".join(lines[:-1]) + lines[-1][:10])
        ask("--form", ADD[MACHINE], "--result", path)
        lost = ask("--form", ADD[MACHINE], "--result", os.path.join(folder, "cut"))
        assert [row["status"] for row in lost].count("not measured") == 1, lost
        found = ask("--form", ADD[MACHINE], "--resume", os.path.join(folder, "cut"))
        assert all(row["status"] == "measured" for row in found), found
        ask("--form", ADD[MACHINE], "--result", os.path.join(folder, "cut"))


@test
def all_forms_are_all_but_families():
    """`lea r64,b+i*s` is an instruction; `div *` stands for the forms of div that have no line of their own."""
    with Folder() as folder:
        place = os.path.join(folder, "runner")
        assay("bench", "--make-runner", place, "--isa", "x86-64", "--form", r"^lea r64,b\+i", "--machine", "ice-lake")
        with open(os.path.join(place, "tests.c")) as file:
            tests = file.read()
        assert '"lea r64,b+i*s|' in tests and '"lea r64,b+i|' in tests, tests[:300]


@test
def several_passes_measure_each_test_again_and_go_on_where_they_ended():
    def lines_of(path):
        with open(path) as file:
            return sum(not line.startswith("#") for line in file)
    with Folder() as folder:
        path = os.path.join(folder, "results")
        ask("--form", ADD[MACHINE], "--resume", path)
        one = lines_of(path)
        rows = ask("--form", ADD[MACHINE], "--resume", path, "--passes", "3")
        assert one > 0 and lines_of(path) == 3 * one, (one, lines_of(path))
        assert all(row["status"] == "measured" for row in rows), rows
        assert "1 to 100" in complaint("--form", ADD[MACHINE], "--passes", "0")
        assert "--passes" in complaint("--form", ADD[MACHINE], "--result", path, "--passes", "2")


@test
def an_interrupted_run_keeps_whole_lines():
    with Folder() as folder:
        path = os.path.join(folder, "results")
        process = subprocess.Popen([ASSAY, "bench", "--forms", "common", "--resume", path], stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        end = time.monotonic() + PATIENCE
        while process.poll() is None and time.monotonic() < end and not (os.path.exists(path) and os.path.getsize(path) > 2500):
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        process.wait(PATIENCE)
        with open(path) as file:
            kept = file.read()
        assert kept.endswith("\n") and len(kept.splitlines()) > 3, kept
        found = ask("--forms", "common", "--result", path)
        count = [row["status"] for row in found].count("measured")
        assert 0 < count, found


def runner(machine):
    """Tests written out, compiled with gcc and make alone, and run; the results are read again."""
    gcc, make, qemu = need(cross("gcc", machine)), need("make"), emulator(machine)
    with Folder() as folder:
        place = os.path.join(folder, "runner")
        assay("bench", "--make-runner", place, "--isa", ISAS[machine], "--form", ADD[machine])
        command([make, "-s", "-C", place, f"CC={gcc}", "CFLAGS=-std=gnu17 -O2 -Wall -Wextra -Werror -D_GNU_SOURCE -I."])
        results = output([*qemu, os.path.join(place, "runner")])
        path = write(folder, "results", results)
        found = ask("--result", path, "--form", ADD[machine])
        assert len(found) == 3 and all(row["status"] == "measured" for row in found), found
        # It goes on where it stopped.
        lines = [line for line in results.splitlines(keepends=True) if not line.startswith("# ") or "results" in line]
        part = write(folder, "part", "".join(lines[:4]) + lines[4][:8])
        rest = output([*qemu, os.path.join(place, "runner"), part])
        names = [line.split("\t")[0] for line in lines]
        # What it adds says of which day and version it is, also after a line that was cut short.
        version = text("--version").split()[1]
        assert re.fullmatch(rf"# measured \d{{4}}-\d\d-\d\d by assay {re.escape(version)}", rest.splitlines()[1]), rest
        assert all(row["day"] == rest.split()[4] and row["version"] == version for row in found), (found, rest)
        assert re.match(r"# (no )?counters ", rest.splitlines()[2]), rest
        assert [line.split("\t")[0] for line in rest.splitlines()[3:]] == names[4:], rest
        write(folder, "whole", "".join(lines[:4]) + lines[4][:8] + rest)
        found = ask("--result", os.path.join(folder, "whole"), "--form", ADD[machine])
        assert len(found) == 3 and all(row["version"] == version for row in found), found
        assay("bench", "--make-runner", place, "--form", ADD[MACHINE], status=2)


@uncertain
def the_runner_for_this_instruction_set():
    runner(MACHINE)


@uncertain
def the_runner_for_the_other_instruction_set():
    runner({"aarch64": "x86_64", "x86_64": "aarch64"}[MACHINE])


def measure_less(sources):
    """Figures do not matter where code must only run."""
    for name, usual, few in (("bench_file.h", "BENCH_SAMPLES = 31", "BENCH_SAMPLES = 3"), ("measure.c", "REPETITIONS = 4", "REPETITIONS = 1")):
        path = os.path.join(sources, name)
        with open(path) as file:
            text = file.read()
        assert usual in text, name
        with open(path, "w") as file:
            file.write(text.replace(usual, few))


def all_common(machine):
    """Code of every common form and of the experiments about the core runs: none has an illegal instruction or touches memory
    that is not its own."""
    gcc, make, qemu = need(cross("gcc", machine)), need("make"), emulator(machine)
    if qemu:
        qemu[1:1] = ["-cpu", "max"]
    with Folder() as folder:
        place = os.path.join(folder, "runner")
        assay("bench", "--make-runner", place, "--isa", ISAS[machine], "--largest", "4K")
        measure_less(os.path.join(place, "runtime", "bench"))
        command([make, "-s", "-C", place, f"CC={gcc}"])
        lines = [line for line in output([*qemu, os.path.join(place, "runner")]).splitlines()
                 if line[0] not in "#" and not line.startswith("memory|")]
        bad = [line for line in lines if line.split("\t")[1] not in ("measured", "slow") and not line.startswith("system|")]
        # Without an emulator the processor may lack some; qemu has no AVX-512, and kernels may switch SVE off.
        bad = [line for line in bad if "missing" not in line or (qemu and not re.search(r"zmm|\bk\b|bytes 64", line))]
        assert len(lines) > 700 and not bad, bad


@test
def common_forms_of_AArch64_run():
    all_common("aarch64")


@test
def common_forms_of_x86_run():
    all_common("x86_64")


# Cycles of two misses by the instructions between them, as a Golden Cove server gave them. Its reorder buffer has 512 places.
WINDOW = """
4:301 8:291 12:300 16:318 20:320 24:332 28:313 32:333 36:317 40:323 44:329 48:328 52:327 56:312 60:330 64:305
68:323 72:330 76:332 80:352 84:339 88:335 92:352 96:337 100:350 104:348 108:321 112:352 116:357 120:359
124:354 128:334 132:312 136:300 140:334 144:311 148:305 152:353 157:310 162:314 167:315 172:322 177:316
182:327 188:324 194:310 200:323 206:317 212:319 219:322 226:313 233:319 240:319 248:332 256:328 264:329
272:328 281:364 290:347 299:373 308:365 318:371 328:372 338:372 349:367 360:375 372:371 384:376 396:396
409:401 422:402 436:414 450:402 465:414 480:457 496:652 512:643 529:611 546:683 564:633 582:666 601:880
621:681 641:664 662:715 684:721 706:725 729:739 753:732 778:733
"""


def core_results(machine, points, what="window thirds"):
    head = f"# assay bench results 1 {ISAS[machine]}\n"
    if machine == "x86_64":
        head += "# computer c06f2 fffa3203 f1bf27eb 602e7\n"
    return head + "".join(f"core|{what}|{size}\tmeasured\t{cycles}\t{cycles}\t0.03\t2.6\n" for size, cycles in points)


def window_of(points, machine="x86_64"):
    """The line reorder-buffer of a machine file from these results, by where it is from."""
    with Folder() as folder:
        place = os.path.join(folder, "file")
        assay("bench", "--result", write(folder, "results", core_results(machine, points)), "--name", "made", "--output", place)
        with open(place) as file:
            text = file.read()
    found, source = {}, ""
    for line in text.splitlines():
        source = line if line.startswith("from") else source
        if line.startswith("reorder-buffer "):
            found[source[:13]] = line.split()
    return found


@test
def the_window_of_a_recorded_run():
    points = [tuple(map(int, point.split(":"))) for point in WINDOW.split()]
    found = window_of(points)
    assert list(found) == ["from measured"] and 480 <= int(found["from measured"][1]) <= 530, found
    assert "±" in found["from measured"], found
    # Without the step it is assumed, as the nearest core has it.
    assert window_of([(size, 300) for size, _ in points]) == {"from assumed,": ["reorder-buffer", "512"]}


@test
def results_of_another_computer():
    with Folder() as folder:
        tests = "# assay bench results 1 aarch64\n@step\tmeasured\t1\t1\t0\t2\nadd x,x,x|2>1\tmeasured\t1.5\t1.5\t0.001\t2\n"
        tests += "add x,x,x|3>1\tmissing\nadd x,x,x|throughput\ttrapped\t11\n"
        found = ask("--result", write(folder, "r", tests), "--form", "add x,x,x", "--machine", "neoverse-v1")
        assert [row["status"] for row in found] == ["measured", "missing", "trapped"], found
        assert found[0]["cycles"] == 1.5 and found[0]["expected"] == 1 and found[0]["machine"] == "neoverse-v1", found
        rows = list(csv.DictReader(io.StringIO(text("bench", "--result", os.path.join(folder, "r"), "--form", "add x,x,x",
                                                    "--machine", "neoverse-v1", "--csv"))))
        assert [row["status"] for row in rows] == ["measured", "missing", "trapped"], rows
        shown = text("bench", "--result", os.path.join(folder, "r"), "--compare", "neoverse-v1")
        assert "latencies: 0 of 1 equal" in shown and "add x,x,x" in shown, shown
        dated = write(folder, "dated", tests.replace("@step", "# measured 2026-01-02 by assay 1.2\n@step"))
        rows = list(csv.DictReader(io.StringIO(text("bench", "--result", dated, "--compare", "neoverse-v1", "--csv"))))
        assert [(row["form"], row["cycles"], row["day"]) for row in rows] == [("add x,x,x", "1.5", "2026-01-02")], rows
        # A figure whose samples are far apart is not given in silence.
        assert "unsteady" not in shown, shown
        write(folder, "noisy", tests.replace("0.001", "0.2"))
        assert "unsteady" in text("bench", "--result", os.path.join(folder, "noisy"), "--form", "add x,x,x")
        said = text("bench", "--result", os.path.join(folder, "r"), "--form", "add x,x,x", "--machine", "neoverse-v1")
        assert "the processor does not have it" in said and "trapped (signal 11)" in said, said


@test
def damaged_results_are_refused():
    with Folder() as folder:
        for content, says in (("", "empty"), ("form\tcycles\n", "not a file of results"),
                              ("# assay bench results 1 z80\n", "unknown instruction set"),
                              ("# assay bench results 1 aarch64\nadd\tmeasured\tfast\t1\t1\t1\n", "line 2"),
                              ("# assay bench results 1 aarch64\nadd\tmeasured\tnan\t1\t1\t1\n", "line 2"),
                              ("# assay bench results 1 aarch64\n" + "x" * 3000 + "\n", "line 2")):
            said = complaint("--result", write(folder, "r", content), "--form", "add x,x,x")
            assert says in said, (content[:40], said)


@test
def bad_usage():
    for words in (["--form", "x", "--kernel", "y"], ["--compare", "skylake", "--make-runner", "d"],
                  ["--forms", "some"], ["--result", "/nonexistent", "--form", "x"], ["--form", "no such form"],
                  ["--isa", {"aarch64": "x86-64", "x86_64": "aarch64"}[MACHINE], "--form", "x"]):
        said = complaint(*words)
        assert said.startswith("assay: ") and said.count("\n") == 1, (words, said)


run()
