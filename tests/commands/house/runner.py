"""The tests' own helpers: a program that hangs is ended with its children, a slow one is not; what is lacking has failed; tests are
chosen by words and by changes."""
# first build only: it looks at the tests, not at the program
import contextlib, fnmatch, pathlib
from harness import *
import choosing, results

BUSY = "end = time.process_time() + {0}\nwhile time.process_time() < end: pass\n"


@contextlib.contextmanager
def impatient():
    """Limits of seconds in place of minutes."""
    usual = watching.IDLE, watching.STEP
    watching.IDLE, watching.STEP = 2, 0.2
    try:
        yield
    finally:
        watching.IDLE, watching.STEP = usual


def python(text):
    return [sys.executable, "-c", "import os, sys, time, subprocess\n" + text]


def reason(words, granted=60):
    try:
        with impatient():
            watching.run(words, granted)
    except watching.Hung as hung:
        return str(hung)
    return None


def is_running(number):
    try:
        with open(f"/proc/{number}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@test
def what_sleeps_for_ever_is_ended_with_all_that_it_started():
    with Folder() as folder:
        note = os.path.join(folder, "numbers")
        for session in ("False", "True"):
            started = (f"for i in range(2):\n  p = subprocess.Popen(['sleep', '10000'], start_new_session={session})\n"
                       f"  print(p.pid, file=open({note!r}, 'a'), flush=True)\ntime.sleep(10000)")
            assert "nothing of it ran" in (reason(python(started)) or "")
        with open(note) as file:
            numbers = [int(line) for line in file]
        assert len(numbers) == 4 and not any(map(is_running, numbers)), numbers


@test
def a_slow_program_gets_all_its_input():
    with impatient():
        done = watching.run(["sh", "-c", "sleep 1; wc -c; sleep 1"], 60, input=b"x" * 1000000)
        assert done.stdout.split() == [b"1000000"], done
        assert watching.run(["sh", "-c", "sleep 1"], 60, input=b"x" * 1000000).returncode == 0, "it need not read it"


@test
def what_computes_for_ever_is_ended_by_its_processor_time():
    assert "of processor time" in (reason(python("while True: pass"), 1) or "")
    child = "subprocess.run([sys.executable, '-c', 'while True: pass'])"
    assert "of processor time" in (reason(python(child), 1) or "")


@test
def what_is_slow_is_not_ended():
    with impatient():
        done = watching.run(python(("time.sleep(1)\n" + BUSY.format(0.05)) * 4 + "print(sys.stdin.read())"), 60, input=b"all")
    assert done.returncode == 0 and done.stdout == b"all\n", done


@test
def a_program_that_ends_takes_its_session_along():
    with Folder() as folder, open(os.path.join(folder, "out"), "w+") as out, impatient():
        words = python(BUSY.format(0.2) + "print(subprocess.Popen(['sleep', '10000']).pid)\nsys.exit(3)")
        status, seconds = watching.run_measured(words, 60, out)
        out.seek(0)
        assert status == 3 and seconds >= 0.2 and not is_running(int(out.read())), (status, seconds)


@test
def what_is_lacking_has_failed_unless_the_run_is_lenient():
    text = ("pass: codelets: one\nskip: codelets: two: needs root\nlack: codelets: three: gfortran is not installed\n"
            "lack: nodes: four: this build has no runtime for x86_64\nlack: ui: five: axe-core is not there: tools/npm-deps fetches it\n"
            "fail: codelets: six: a: b\n")
    found = results.read("build/codelets", text)
    assert [one.outcome for one in found] == ["passed", "skipped", "lacking", "lacking", "lacking", "failed"], found
    assert found[1].name == "build/codelets: codelets: two" and found[1].cause == "needs root", found[1]
    strict, lenient = list(results.judged(found, False)), list(results.judged(found, True))
    assert [one.outcome for one in strict] == ["passed", "skipped", "failed", "failed", "failed", "failed"], strict
    assert strict[2].name == ("build/codelets: codelets: three: lacking: gfortran is not installed: "
                              "tools/deps check installs it"), strict[2]
    assert strict[3].name.endswith("x86_64: build again after tools/deps build check") and strict[4].name.endswith("fetches it"), strict
    assert [one.outcome for one in lenient] == ["passed", "skipped", "skipped", "skipped", "skipped", "failed"], lenient


@test
def unit_tests_say_why_they_did_not_run():
    text = ("1..4\nok 1 - test_a\nbecause: this processor has no vectors\nok 2 # SKIP test_b\nlacking: g++ is not installed\n"
            "not ok 3 - test_c\nnot ok 4 - test_d\nnot ok 5 # SKIP test_e\n")
    found = results.read("build/unit", text)
    assert [one.outcome for one in found] == ["passed", "skipped", "lacking", "failed", "skipped"], found
    assert found[1] == ("skipped", "build/unit: test_b", "this processor has no vectors") and found[2].cause == "g++ is not installed"
    assert found[4].cause == "", found[4]


@test
def causes_are_counted():
    skipped = [results.Result("skipped", f"t{i}", cause) for i, cause in enumerate(["needs root", "no AVX", "needs root", ""])]
    assert results.causes(skipped + [results.Result("passed", "p", "")]) == [
        "2 skipped: needs root", "1 skipped: no AVX", "1 skipped: no reason was given"], results.causes(skipped)


def runs(folder, tests, *words, status=0):
    """What tests/run prints of tests that are written here, with the build and the rest of tests/ as they are."""
    copy = os.path.join(folder, "tests")
    os.makedirs(os.path.join(copy, "commands", "fruit"), exist_ok=True)
    for name in ("run", "results.py", "choosing.py", "emulation.py", "watching.py", "touched", "leaks.txt", "commands/harness.py"):
        shutil.copy(os.path.join(os.path.dirname(HERE), name), os.path.join(copy, name))
    for name, text in tests.items():
        with open(os.path.join(copy, "commands", "fruit", name + ".py"), "w") as file:
            file.write("from harness import *\n" + text + "\nrun()\n")
    tool = os.path.join(folder, "meson")  # no unit tests
    with open(tool, "w") as file:
        file.write("#!/bin/sh\necho '[]'\n")
    os.chmod(tool, 0o755)
    made = os.path.join(folder, "made")
    os.makedirs(made, exist_ok=True)
    shutil.copy("/bin/true", os.path.join(made, "assay"))
    done = command([sys.executable, os.path.join(copy, "run"), *[made if word == "BUILD" else word for word in words]], status=status,
                   env={**os.environ, "PATH": folder + ":" + os.environ["PATH"], "PYTHONDONTWRITEBYTECODE": "1"})
    return done.stdout.decode(), done.stderr.decode()


SMALL = {"apples": "@test\ndef red_ones():\n    pass\n@test\ndef green_ones():\n    raise Lacking('a ladder is not installed')\n",
         "pears": "@test\ndef yellow_ones():\n    raise Skip('needs root')\n@test\ndef old_ones():\n    raise Skip('needs root')\n"
                  "@test\ndef ripe_ones():\n    pass\n"}


@test
def a_run_ends_with_causes_failures_and_counts():
    with Folder() as folder:
        out, _ = runs(folder, SMALL, "BUILD", status=1)
        assert out.splitlines()[-3:] == ["2 skipped: needs root", "failed: made/apples: apples: green ones: lacking: a ladder is not "
                                         "installed: tools/deps check installs it", "2 passed, 1 failed, 2 skipped"], out
        out, _ = runs(folder, SMALL, "--lenient", "BUILD")
        assert out.splitlines()[-3:] == ["2 skipped: needs root", "1 skipped: a ladder is not installed",
                                         "2 passed, 0 failed, 3 skipped"], out


@test
def tests_are_chosen_by_words_of_their_names():
    with Folder() as folder:
        for words, counts in ((["pears"], "1 passed, 0 failed, 2 skipped"), (["pear"], "1 passed, 0 failed, 2 skipped"),
                              (["apples: red"], "1 passed, 0 failed, 0 skipped"), (["ripe ones"], "1 passed, 0 failed, 0 skipped"),
                              (["apples: red", "pears: old ones"], "1 passed, 0 failed, 1 skipped")):
            out, _ = runs(folder, SMALL, "BUILD", *words)
            assert out.splitlines()[-1] == counts, (words, out)
        for words in (["plums"], ["plums: red"], ["--changed", "apples"]):
            out, said = runs(folder, SMALL, "BUILD", *words, status=2)
            assert words[-1].split(":")[0] in said or "--changed" in said, said
        _, said = runs(folder, SMALL, os.path.join(folder, "nowhere"), status=2)
        assert "nowhere is no build directory" in said, said
        out, _ = runs(folder, SMALL, "--within", "3600", "BUILD", status=1)
        assert out.splitlines()[-1] == "2 passed, 1 failed, 2 skipped", out
        with open(os.path.join(folder, "made", "test-times.json"), "w") as file:
            json.dump({"made/apples": 5000, "made/pears": 1}, file)
        out, _ = runs(folder, SMALL, "--within", "3600", "BUILD")
        assert out.splitlines()[-2:] == ["left out, no time: made/apples", "1 passed, 0 failed, 2 skipped"], out
        out, _ = runs(folder, SMALL, "--within", "0", "BUILD", status=1)
        assert out.splitlines()[-2:] in (["left out, no time: made/apples made/pears", "0 passed, 0 failed, 0 skipped"],
                                         ["left out, no time: made/pears made/apples", "0 passed, 0 failed, 0 skipped"]), out


@test
def the_words_that_choose():
    sources = {"probe": "def fortran_ones", "probe_values": "", "nodes": "def cpp_and_fortran", "check-rooms": ""}
    for words, chosen in ((["probe"], {"probe": ()}), (["prob"], {"probe": (), "probe_values": ()}),
                          (["fortran"], {"probe": ("fortran",), "nodes": ("fortran",)}), (["check-rooms"], {"check-rooms": ()}),
                          (["cpp and fortran"], {"nodes": ("cpp and fortran",)}), (["nodes: cpp", "nodes: c"], {"nodes": ("cpp", "c")}),
                          (["nodes: cpp", "nodes"], {"nodes": ()}), (["nodes", "nodes: cpp"], {"nodes": ()})):
        assert choosing.by_words(words, list(sources), sources.get) == chosen, (words, choosing.by_words(words, list(sources), sources.get))
    for words in (["cobol"], ["node: cpp"]):
        try:
            choosing.by_words(words, list(sources), sources.get)
        except ValueError as problem:
            assert words[0] in str(problem)
        else:
            raise Fail(f"{words} choose something")


@test
def what_changed_chooses_tests():
    table = choosing.read_table("# all\nsrc/base: cli # small\nsrc/run: run_*\nsrc/run/probe runtime/probe: probe*\n")
    sources = {"cli": "", "run_rows": "", "run_timer": '"habits.c"', "probe": "", "probe_values": "import ui", "nodes": ""}

    def chosen(*paths):
        return choosing.by_changes(paths, list(sources), table, sources.get)
    assert chosen("src/base/error.c") == ["cli"] and chosen("docs/run.md") == [] and chosen("src/basement/x.c") == []
    assert chosen("src/run/probe/x.c") == ["probe", "probe_values", "run_rows", "run_timer"], chosen("src/run/probe/x.c")
    assert chosen("src/base/error.c", "tests/commands/run/nodes.py") == ["nodes", "cli"]
    assert chosen("tests/programs/runs/habits.c") == ["run_timer"] and chosen("tests/ui.py") == ["probe_values"]
    assert chosen("tests/commands/gone.py") == [] and chosen("runtime/probe") == ["probe", "probe_values"]


@test
def the_table_of_what_is_touched_is_complete():
    with open(os.path.join(ROOT, "tests", "touched")) as file:
        table = choosing.read_table(file.read())
    tests = [path.stem for path in pathlib.Path(HERE).glob("*/*.py")]
    for paths, patterns in table:
        gone = [path for path in paths if not os.path.exists(os.path.join(ROOT, path))]
        assert not gone, f"tests/touched: {gone} are not there"
        empty = [pattern for pattern in patterns if not fnmatch.filter(tests, pattern)]
        assert patterns and not empty, f"tests/touched: {paths}: no test is called {empty}"
    places = [f"{os.path.relpath(path, ROOT)}/x.c" for pattern in ("src/*", "src/*/*", "runtime/*") for path in pathlib.Path(ROOT).glob(pattern)
              if path.is_dir() and any(path.glob("*.c"))]
    bare = [place for place in places if not choosing.by_changes([place], tests, table, lambda name: "")]
    assert not bare, f"tests/touched has no line for {bare}"
    reached = {name for _, patterns in table for pattern in patterns for name in fnmatch.filter(tests, pattern)}
    assert reached == set(tests), f"tests/touched has no path for {sorted(set(tests) - reached)}"


@test
def changes_are_those_that_are_not_committed_or_the_last_commit():
    with Folder() as folder:
        def git(*words):
            command([need("git"), "-C", folder, "-c", "user.name=t", "-c", "user.email=t@localhost", *words])

        def write(name):
            with open(os.path.join(folder, name), "a") as file:
                file.write("x\n")
        git("init", "-q")
        for name in ("one", "two"):
            write(name)
            git("add", name)
            git("commit", "-q", "-m", name)
        assert choosing.changed_files(folder) == ["two"]
        write("one")
        write("three")
        assert choosing.changed_files(folder) == ["one", "three"]
    with Folder() as folder:
        try:
            choosing.changed_files(folder)
        except ValueError as problem:
            assert "git" in str(problem)
        else:
            raise Fail("a folder without commits has changes")


run()
