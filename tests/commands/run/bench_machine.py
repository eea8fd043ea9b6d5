#!/usr/bin/env python3
"""assay bench alone: the machine file that it writes, where, what it replaces; results that are kept; rounds for other
computers. Nothing here depends on how long anything takes."""
import os, re, signal, subprocess, time

from harness import ASSAY, MACHINE, PATIENCE, Folder, assay, run, test, text

ADD = {"aarch64": "add x,x,x", "x86_64": "lea r64,b+i"}[MACHINE]
RARE = {"aarch64": "sqdmulh 8h,8h,8h", "x86_64": "pmulhrsw xmm,xmm"}[MACHINE]  # not among the common forms
ADDITION = {"aarch64": "0000008b", "x86_64": "488d0418"}[MACHINE]


def home(folder, **others):
    environment = dict(os.environ, HOME=folder, **others)
    for name in ("XDG_CONFIG_HOME", "XDG_CACHE_HOME", "ASSAY_MACHINES"):
        if name not in others:
            environment.pop(name, None)
    return environment


def results_of(folder):
    """A file of results of one form, measured here."""
    path = os.path.join(folder, "results")
    assay("bench", "--form", ADD, "--resume", path)
    return path


def machine_path(folder, name):
    return os.path.join(folder, ".config", "assay", "machines", name)


def content(path):
    with open(path) as file:
        return file.read()


@test
def the_file_is_written_and_used():
    with Folder() as folder:
        env = home(folder)
        shown = text("bench", "--result", results_of(folder), "--name", "mine", env=env)
        path = machine_path(folder, "mine")
        assert path in shown and "mine" in shown.splitlines()[0], shown
        written = content(path)
        assert "\nname mine\n" in written and "\nfrom measured 20" in written and "\nfrom assumed, as " in written, written
        found = text("machines", "show", "mine", "--form", f"^{re.escape(ADD)}$", env=env)
        assert re.search(rf"^{re.escape(ADD)} .*\[measured", found, re.M), found
        cycles = text("cycles", "--hex", ADDITION, "--machine", "mine", env=env)
        assert "machine: mine" in cycles and "cycles per iteration" in cycles, cycles
        # Written by the program itself, it is the same machine.
        os.makedirs(os.path.join(folder, "again"))
        with open(os.path.join(folder, "again", "mine"), "w") as file:
            file.write(text("machines", "show", "mine", "--as-file", env=env))
        env["ASSAY_MACHINES"] = os.path.join(folder, "again")
        assert text("machines", "show", "mine", "--form", f"^{re.escape(ADD)}$", env=env) == found


@test
def the_file_has_every_form_that_results_are_of():
    with Folder() as folder:
        env, results = home(folder), results_of(folder)
        assay("bench", "--form", RARE, "--resume", results)
        text("bench", "--result", results, "--name", "mine", env=env)
        found = text("machines", "show", "mine", "--form", f"^{re.escape(RARE)}$", env=env)
        assert re.search(rf"^{re.escape(RARE)} .*\[measured", found, re.M), found


@test
def a_result_that_was_disturbed_beyond_measure_is_not_taken():
    with Folder() as folder:
        env, results = home(folder), results_of(folder)
        assay("bench", "--form", RARE, "--resume", results)
        lines = [line.split("\t") for line in content(results).splitlines()]
        for cells in lines:
            if cells[0].startswith(RARE) and cells[1] == "measured":
                cells[4] = "90.195"
        with open(results, "w") as file:
            file.writelines("\t".join(cells) + "\n" for cells in lines)
        text("bench", "--result", results, "--name", "mine", env=env)
        found = text("machines", "show", "mine", "--form", f"^({re.escape(RARE)}|{re.escape(ADD)})$", env=env)
        assert not re.search(rf"^{re.escape(RARE)} .*\[measured", found, re.M), found
        assert re.search(rf"^{re.escape(ADD)} .*\[measured", found, re.M), found


@test
def it_becomes_this_computers_machine():
    with Folder() as folder:
        env = home(folder)
        text("bench", "--result", results_of(folder), "--name", "zz-mine", env=env)
        listed = text("machines", env=env)
        assert re.search(r"this computer: zz-mine", listed), listed
        os.unlink(machine_path(folder, "zz-mine"))
        assert "zz-mine" not in text("machines", env=env)


@test
def xdg_folders_are_used():
    with Folder() as folder:
        env = home(folder, XDG_CONFIG_HOME=os.path.join(folder, "config"))
        text("bench", "--result", results_of(folder), "--name", "mine", env=env)
        assert os.path.exists(os.path.join(folder, "config", "assay", "machines", "mine"))


@test
def only_its_own_files_are_replaced():
    with Folder() as folder:
        env, results = home(folder), results_of(folder)
        path = machine_path(folder, "mine")
        text("bench", "--result", results, "--name", "mine", env=env)
        text("bench", "--result", results, "--name", "mine", env=env)
        by_hand = content(path).replace("figures measured by assay bench", "figures by hand")
        with open(path, "w") as file:
            file.write(by_hand)
        said = assay("bench", "--result", results, "--name", "mine", env=env, status=2).stderr.decode()
        assert "was not written by assay bench" in said and said.count("\n") == 1, said
        assert content(path) == by_hand


@test
def without_a_place_to_write():
    with Folder() as folder:
        results, env = results_of(folder), home(folder)
        del env["HOME"]
        said = assay("bench", "--result", results, "--name", "mine", env=env, status=2).stderr.decode()
        assert "HOME is not set" in said and "--output" in said, said
        path = os.path.join(folder, "machine")
        assay("bench", "--result", results, "--name", "mine", "--output", path, env=env)
        assert "\nname mine\n" in content(path)
        with open(os.path.join(folder, ".config"), "w"):
            pass  # a file where the folder should be
        said = assay("bench", "--result", results, "--name", "mine", env=home(folder), status=2).stderr.decode()
        assert "cannot create the folder" in said and said.count("\n") == 1, said


@test
def bad_usage():
    with Folder() as folder:
        results, env = results_of(folder), home(folder)
        for words in (["--result", results, "--name", "../mine"], ["--result", results, "--name", "a b"],
                      ["--form", ADD, "--name", "mine"], ["--form", ADD, "--again"],
                      ["--result", results, "--name", "mine", "--again"], ["--again", "--resume", results]):
            said = assay("bench", *words, env=env, status=2).stderr.decode()
            assert said.startswith("assay: ") and said.count("\n") == 1, (words, said)
        assert not os.path.exists(machine_path(folder, "mine"))


def cache_of(folder):
    place = os.path.join(folder, ".cache", "assay", "bench")
    names = os.listdir(place) if os.path.isdir(place) else []
    return os.path.join(place, names[0]) if names else None


def start(folder, *words):
    """Starts a run, and ends it by Ctrl-C when it has kept some results, or said that it goes on from some."""
    path = cache_of(folder)
    before = os.stat(path) if path else None

    def has_more():
        now = os.stat(cache_of(folder)) if cache_of(folder) else None
        is_same = before and now and now.st_ino == before.st_ino
        return now and ("--again" not in words or not is_same) and now.st_size > 1500 + (before.st_size if is_same else 0)

    process = subprocess.Popen([ASSAY, "bench", *words], env=home(folder), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    end = time.monotonic() + PATIENCE
    while process.poll() is None and time.monotonic() < end and not has_more():
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    return process.communicate(timeout=PATIENCE)[1].decode()


@test
def results_are_kept_and_the_next_call_goes_on():
    with Folder() as folder:
        assert "going on" not in start(folder)
        kept = content(cache_of(folder))
        holder = open(cache_of(folder))  # so that its number is not given to the next file
        assert kept.startswith("# assay bench results 1 ") and kept.endswith("\n") and kept.count("\n") > 10, kept
        said = start(folder)
        assert re.search(r"going on from \d+ results of 20\d\d-\d\d-\d\d .*--again", said), said
        assert content(cache_of(folder)).startswith(kept)
        assert "going on" not in start(folder, "--again")
        assert not content(cache_of(folder)).startswith(kept)
        holder.close()


@test
def rounds_for_another_computer():
    with Folder() as folder:
        results = results_of(folder)
        first, second = os.path.join(folder, "first"), os.path.join(folder, "second")
        said = assay("bench", "--result", results, "--make-runner", first).stderr.decode()
        assert re.search(rf"^assay: \d+ tests are left: make -C {re.escape(first)}", said), said
        tests = content(os.path.join(first, "tests.c"))
        assert f'"{ADD}|throughput"' not in tests and "core|" in tests and "computer" in "".join(os.listdir(
            os.path.join(first, "runtime", "bench"))), tests[:500]
        said = assay("bench", "--result", results, "--form", ADD, "--make-runner", second).stderr.decode()
        assert "nothing is left to measure" in said and not os.path.exists(second), said


run()
