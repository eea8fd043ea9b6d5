#!/usr/bin/env python3
"""assay forecast and assay schedule hosts: series from files, from this computer and from a ledger; a directory that expires."""
import os, signal, subprocess, time
from harness import *


def write(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, "w") as file:
        file.write(text)
    return path


@test
def a_file_in_all_formats():
    with Folder() as folder:
        path = write(folder, "saw.csv", "time,other,load\n" + "".join(f"{i},0,{i % 2}\n" for i in range(200)))
        shown = assay("forecast", path).stdout.decode()
        assert shown.startswith("load: 200 values, the last 1\nNext: "), shown
        assert "by ar-" in shown and "best single method in hindsight" in shown, shown
        told = json.loads(assay("forecast", path, "--json").stdout)
        assert told["values"] == 200 and abs(told["next"]) < 0.05 and told["rms_error"] < 0.4, told
        chosen = [row["method"] for row in told["methods"] if row["is_chosen"]]
        assert chosen == [told["method"]] and len(told["methods"]) > 20, told
        lines = assay("forecast", path, "--csv").stdout.decode().splitlines()
        assert lines[0].startswith("method,next,mean_error") and len(lines) == len(told["methods"]) + 1, lines[:2]
        by_sizes = json.loads(assay("forecast", path, "--column", "other", "--judged-by", "sizes", "--json").stdout)
        assert by_sizes["next"] == 0 and by_sizes["name"] == "other", by_sizes
        picture = os.path.join(folder, "saw.svg")
        assay("forecast", path, "--plot", picture)
        assert open(picture).read().startswith("<svg") and "</svg>" in open(picture).read()


@test
def a_series_that_comes_back():
    with Folder() as folder:
        path = write(folder, "week.txt", "".join(f"{(7, 1, 4, 4, 2, 9, 30)[i % 7] + i % 3}\n" for i in range(210)))
        told = json.loads(assay("forecast", path, "--json").stdout)
        assert told["period"] == 21 and told["method"].startswith("season") and abs(told["next"] - 7) < 0.5, told
        assert "(a period has 21 values)" in assay("forecast", path).stdout.decode()
        path = write(folder, "line.txt", "".join(f"{i}\n" for i in range(100)))
        assert "period" not in json.loads(assay("forecast", path, "--json").stdout)


@test
def bad_series_are_told_with_their_place():
    with Folder() as folder:
        for text, words in {"1\n2\nthree\n": ":3:1: 'three' is not a number", "": "no values", "a,b\n1,2\n3\n": ":3:1", "nan\n1\n": ":1:1: 'nan' is not",
                            "1e400\n1\n": ":1:1: '1e400' is not", "1\n1e308\n": ":2:1: '1e308' is not"}.items():
            message = assay("forecast", write(folder, "bad.csv", text), status=2).stderr.decode()
            assert words in message, message
        good = write(folder, "good", "1\n2\n")
        marked = write(folder, "marked", "\ufeff1\n2\n")
        assert json.loads(assay("forecast", marked, "--json").stdout)["values"] == 2
        for words in (["nowhere.csv"], [good, "--column", "x"], [good, "--every", "1"], ["load", "--every", "0"], [good, "--judged-by", "luck"],
                      ["load", "--for", "soon"], ["load", "--column", "x"], ["load", "--for", "0", "--engine", "slurm"], [good, "--ledger", good], [], [good, good], [folder]):
            assay("forecast", *words, status=2)


@test
def waits_of_slurm_accounting():
    """A stand-in prints what sacct(1) documents: there is no accounting database here."""
    with Folder() as folder:
        def sacct(text):
            path = write(folder, "sacct", "#!/bin/sh\necho \"$@\" > " + os.path.join(folder, "words") + "\n" + text)
            os.chmod(path, 0o755)

        env = dict(os.environ, PATH=folder + ":" + os.environ["PATH"])
        rows = "".join(f"2026-11-17T02:{i:02}:00|2026-11-17T02:{i:02}:{20 + i % 2}\n" for i in range(40))
        sacct("cat << END\n" + rows + "2026-11-17T03:00:00|Unknown\n2026-11-17T03:00:00|None\nEND\n")
        told = json.loads(assay("forecast", "slurm", "--json", env=env).stdout)
        assert told["values"] == 40 and 19.5 < told["next"] < 21.5, told
        words = open(os.path.join(folder, "words")).read().split()
        assert "-a" in words and "-X" in words and "now-30days" in words, words
        sacct("echo 'Slurm accounting storage is disabled' >&2\nexit 1\n")
        message = assay("forecast", "slurm", status=2, env=env).stderr.decode()
        assert "sacct: did not answer: Slurm accounting storage is disabled" in message, message
        sacct("echo hello\n")
        assert "not SUBMIT|START: hello" in assay("forecast", "slurm", status=2, env=env).stderr.decode()
        message = assay("forecast", "waits", "--engine", "nope", status=2).stderr.decode()
        assert "there is no engine nope; choose local, slurm or simgrid" in message, message


@test
def this_computer_is_sampled():
    for gauge in ("load", "running", "cpu", "memory", "network"):
        told = json.loads(assay("forecast", gauge, "--every", "0.05", "--for", "0.3", "--json").stdout)
        assert 1 <= told["values"] <= 7 and told["next"] >= 0, told
    # Ctrl-C ends the sampling, not the answer.
    process = subprocess.Popen([ASSAY, "forecast", "load", "--every", "0.05", "--for", "1h", "--json"], stdout=subprocess.PIPE)
    wait_until_heard(process, signal.SIGINT)
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0 and json.loads(out)["values"] >= 1, (process.returncode, out)


@test
def the_directory_is_soft_state():
    with Folder() as folder:
        ledger = os.path.join(folder, "ledger.db")
        hosts = write(folder, "hosts.txt", "valid = 1h\n[host big]\nprocessors = 64    memory = 256G    machine = neoverse-n1\n"
                                           "[host small]\nprocessors = 4    state = drained\n")
        told = {row["name"]: row for row in json.loads(assay("schedule", "hosts", hosts, "--ledger", ledger, "--json").stdout)}
        assert told["big"]["processors"] == 64 and told["big"]["machine"] == "neoverse-n1" and told["small"]["state"] == "drained", told
        own = told[os.uname().nodename]
        assert own["source"] == "self" and own["processors"] >= 1 and own["memory_gb"] > 0 and own["load"] >= 0, own
        # What has expired is not listed, and a file that is read again is believed again.
        subprocess.run(["sqlite3", ledger, "update directory set expires = unixepoch() - 1 where name = 'big'"], check=True)
        listed = [row["name"] for row in json.loads(assay("schedule", "hosts", "--ledger", ledger, "--json").stdout)]
        assert "big" not in listed and "small" in listed, listed
        assert rows(ledger, "select count(*) as n from directory where name = 'big'") == [{"n": 1}]
        assert "big" in assay("schedule", "hosts", hosts, "--ledger", ledger).stdout.decode()
        bad = write(folder, "bad.txt", "[host x]\nprocessors = many\n")
        assert "bad.txt:2:14" in assay("schedule", "hosts", bad, "--ledger", ledger, status=2).stderr.decode()
        assay("schedule", "hosts", "--engine", "simgrid", "--ledger", ledger, status=2)
        # A ledger of an earlier version gets the table.
        subprocess.run(["sqlite3", ledger, "drop table directory"], check=True)
        assert "big" in assay("schedule", "hosts", hosts, "--ledger", ledger).stdout.decode()


run(side_by_side=4)
