#!/usr/bin/env python3
"""assay machines: the list of processors and one of them in full, from the files that come with Assay and from a
user's own, good and broken."""
import csv, io, json, os, re

from harness import Folder, assay, run, test, text

SMALL = """name small
title Small processor
also tiny
isa x86-64
figures invented for a test, by hand
width 2
floating 1
memory 1
branches 1
ports 0 1
issue 2
load-bytes 16
form add r64,r64 : uops 1 ports p01 latency 1 fuses je,jne
form mov r64,m64 : uops 1 ports p1 latency 4
form imul r64,m64 : uops 1/2 ports p0+p1 latency 3 addr>1=7 mem>1=5
"""


def folder_with(folder, **files):
    for name, content in files.items():
        with open(os.path.join(folder, name), "w") as file:
            file.write(content)
    return dict(os.environ, ASSAY_MACHINES=folder)


@test
def every_machine_is_listed_with_its_figures():
    found = {r["name"]: r for r in json.loads(text("machines", "--json"))}
    for name, isa in (("skylake", "x86-64"), ("haswell", "x86-64"), ("ivy-bridge", "x86-64"), ("zen4", "x86-64"),
                      ("neoverse-v1", "aarch64"), ("itanium2", "ia64")):
        assert found[name]["isa"] == isa and found[name]["figures"] and found[name]["title"], found[name]
    assert all(r["problem"] is None for r in found.values()), found
    for name in ("skylake", "haswell", "ivy-bridge"):
        assert found[name]["forms"] > 1000, found[name]
    shown = text("machines")
    assert all(re.search(rf"^[* ] {re.escape(name)} ", shown, re.M) for name in found), shown
    assert sum(r["is_host"] for r in found.values()) <= 1
    host = [r["name"] for r in found.values() if r["is_host"]]
    assert (f"this computer: {host[0]}" if host else "this computer's processor is not in the list") in shown, shown
    lines = list(csv.DictReader(io.StringIO(text("machines", "--csv"))))
    assert {r["name"]: r["forms"] for r in lines} == {n: str(r["forms"]) for n, r in found.items()}


@test
def servers_have_a_second_multiplier():
    """Two independent 512-bit multiplications: a cycle on a server, two on its sister for desktops; 256 bits are the same."""
    def cycles(code, machine):
        return json.loads(text("cycles", "--hex", code, "--machine", machine, "--json"))[0]["ports"]
    wide, narrow = "62f1ed4859c362f1ed4859cc", "c5ed59c3c5ed59cc" # vmulpd zmm0,zmm2,zmm3; vmulpd zmm1,zmm2,zmm4; ymm
    for client in ("alder-lake-p", "golden-cove", "raptor-lake"):
        assert cycles(wide, client) == 2 and cycles(narrow, client) == 1, client
    for server in ("sapphire-rapids", "emerald-rapids", "granite-rapids"):
        assert cycles(wide, server) == 1 and cycles(narrow, server) == 1, server


@test
def one_machine_in_full():
    with Folder() as folder:
        env = folder_with(folder, small=SMALL)
        shown = text("machines", "show", "small", env=env)
        for words in ("Small processor, x86-64", "also: tiny", "invented for a test", "2  execution ports: 0 1",
                      "3 of 3 instruction forms"):
            assert words in shown, (words, shown)
        assert re.search(r"^add r64,r64 +1  p01 +1 +fuses je,jne$", shown, re.M), shown
        assert re.search(r"^imul r64,m64 +1/2  p0\+p1 +3 addr>1=7 mem>1=5$", shown, re.M), shown
        assert text("machines", "show", "tiny", env=env) == shown  # its other name
        some = text("machines", "show", "small", "--form", "^(add|imul)", env=env)
        assert "2 of 3 instruction forms" in some and "mov r64" not in some and "execution ports" not in some, some
        found = json.loads(text("machines", "show", "small", "--json", env=env))[0]
        assert found["name"] == "small" and found["core"]["issue"] == 2 and found["core"]["retire"] is None, found
        assert found["forms"][1] == {"form": "imul r64,m64", "ports": "p0+p1", "exceptions": "addr>1=7 mem>1=5",
                                     "more": "", "uops": 1, "executed": 2, "latency": 3, "divider": None,
                                     "throughput": None, "source": None, "spread": None}, found
        lines = list(csv.DictReader(io.StringIO(text("machines", "show", "small", "--csv", env=env))))
        assert [r["form"] for r in lines] == ["add r64,r64", "imul r64,m64", "mov r64,m64"], lines
        assert lines[0]["latency"] == "1" and lines[0]["more"] == "fuses je,jne", lines


@test
def a_machine_as_a_file_is_the_same_machine():
    """What `show --as-file` prints can be put into a file, and is the same machine then; show itself leaves no fact out."""
    with Folder() as folder:
        for name in ("rocket-lake", "neoverse-v1", "itanium2"):
            file = text("machines", "show", name, "--as-file")
            env = folder_with(folder, **{name: file})
            assert text("machines", "show", name, "--as-file", env=env) == file, name
            assert text("machines", "show", name, env=env) == text("machines", "show", name), name
    shown = text("machines", "show", "rocket-lake")
    for words in (r"^ *1 6 6  a loop", r"^ *3 rsp r12  ", r"^ *spread  ", r"^ *2  cycles in which a last operand",
                  r"^ *0  cycles from a store to a load of the value", r"^adc m16,r16 .* complex simple 1"):
        assert re.search(words, shown, re.M), (words, shown[:3000])
    core = json.loads(text("machines", "show", "rocket-lake", "--json"))[0]["core"]
    assert core["loop_copies"] == ["1 6 6", "7 8 4", "9 12 3", "13 30 2"] and core["port_choice"] == ["spread"], core
    for words in (["--as-file"], ["show", "skylake", "--as-file", "--json"], ["show", "skylake", "--as-file", "--form", "a"]):
        assert "--as-file" in assay("machines", *words, status=2).stderr.decode(), words


@test
def own_files_stand_beside_those_that_come_with_assay():
    with Folder() as folder:
        names = [r["name"] for r in json.loads(text("machines", "--json", env=folder_with(folder, small=SMALL)))]
        assert "small" in names and "skylake" in names, names


@test
def broken_files_are_reported_with_their_line():
    with Folder() as folder:
        bent = SMALL.replace("name small", "name bent").replace("width 2", "width lots")
        env = folder_with(folder, small=SMALL, bent=bent)
        shown = assay("machines", status=1, env=env).stdout.decode()
        assert re.search(r"bent +cannot be read: .*bent:6: ", shown), shown
        assert re.search(r"^[* ] small ", shown, re.M), shown
        found = {r["name"]: r for r in json.loads(assay("machines", "--json", status=1, env=env).stdout)}
        assert "bent:6" in found["bent"]["problem"] and found["bent"]["forms"] is None, found
        result = assay("machines", "show", "bent", status=2, env=env)
        assert b"bent:6:" in result.stderr and not result.stdout, result


@test
def mistakes_say_what_to_do():
    for words, says in ((["show", "skylke"], "did you mean skylake"), (["show"], "assay machines lists them"),
                        (["list"], "show NAME"), (["show", "skylake", "more"], "does not take more"),
                        (["--form", "add"], "machines show NAME"),
                        (["show", "skylake", "--form", "("], "regular expression"),
                        (["show", "../skylake"], "no machine is called")):
        result = assay("machines", *words, status=2)
        reported = result.stderr.decode()
        assert says in reported and reported.count("\n") == 1 and not result.stdout, (words, reported)


run()
