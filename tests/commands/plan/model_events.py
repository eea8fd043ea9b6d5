#!/usr/bin/env python3
"""assay model run --events: agrees with the formulas where nothing contends; noise, slow nodes, shared links; mistakes."""
# first build only: the evaluator has a unit test (events); most of the time here is SimGrid's
import json, os, random

from harness import ASSAY, Folder, Lacking, assay, command, emulation, run, test, text

NETWORK = """cores-per-chip = 2   chips-per-node = 2
[on-chip a]
L = 0.2us   o = 0.3us   O = 0.2ns
[on-node a]
up-to = 2000   L = 0.5us   o-send = 0.5us   o-receive = 0.7us   G = 0.3ns
[on-node b]
L = 0.5us   o = 1us   O = 0.1ns   G = 0.2ns   handshake = 2us
[off-node a]
up-to = 4000   L = 5us   o-send = 1us   o-receive = 2us   G = 1ns
[off-node b]
L = 5us   o = 2us   O = 0.1ns   G = 0.8ns   handshake = 12us
"""
PLATFORM = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><cluster id="c" prefix="n" suffix="" radical="0-%d" speed="1Gf" bw="1GBps" lat="5us"%s/></platform>
"""


def write(folder, name, words):
    path = os.path.join(folder, name)
    with open(path, "w") as file:
        file.write(words)
    return path


def model(folder, statements, columns=3, rows=4):
    return write(folder, "a.model", f"application a {{\n    ranks {columns * rows};\n    run {{\n{statements}    }}\n}}\n")


def seconds(path, network, *words):
    return sum(row["seconds"] for row in json.loads(text("model", "run", path, "--network", network, "--json", "--quiet", *words)))


def agree(path, network, *words):
    formulas, events = seconds(path, network), seconds(path, network, "--events", *words)
    assert abs(formulas - events) <= 0.01 * formulas, (formulas, events)


@test
def both_evaluators_agree():
    chance = random.Random(11)
    with Folder() as folder:
        network = write(folder, "net", NETWORK + "[nodes]\nspeeds = 1, 0.7, 1.3\n")
        for columns, rows in ((1, 1), (2, 1), (3, 4), (5, 5)):
            grid = f"({columns}, {rows})"
            kinds = ["compute {us} us;", "barrier;", "broadcast {b} bytes from 0;", "reduce {b} bytes to 0;", "allreduce {b} bytes;",
                     "alltoall {b} bytes;", f"halo {{b}} bytes, {{c}} bytes on {grid};",
                     f"wavefront from {{corner}} on {grid} tiles {{tiles}} before {{pre}} us compute {{us}} us send {{b}} bytes, {{c}} bytes;"]
            for _ in range(4):
                words = "".join("        " + chance.choice(kinds).format(us=chance.randint(1, 50), pre=chance.randint(0, 9), b=chance.randint(0, 9000),
                                                                       c=chance.randint(0, 9000), corner=chance.randint(0, 3), tiles=chance.randint(1, 30)) + "\n"
                                for _ in range(6))
                agree(model(folder, words, columns, rows), network)


@test
def noise_depends_on_the_seed():
    with Folder() as folder:
        path = model(folder, "        repeat (100) { compute 1 ms; barrier; }\n")
        quiet = write(folder, "quiet", NETWORK)
        noisy = write(folder, "noisy", NETWORK + "[noise]\nrate = 100   length = 1ms\n")
        base, one, again, two = (seconds(path, network, "--events", "--seed", seed) for network, seed in
                                 ((quiet, "1"), (noisy, "1"), (noisy, "1"), (noisy, "2")))
        # Each rank loses a tenth; at each barrier all wait for the unluckiest of twelve.
        assert one == again != two and one > 1.5 * base and two > 1.5 * base, (base, one, two)


def simulator():
    folder = os.environ.get("ASSAY_RUNTIME", os.path.join(os.path.dirname(ASSAY), "runtime"))
    for place in ("simgrid/assay-simulator", "assay-simulator"):
        if os.path.exists(os.path.join(folder, place)):
            return os.path.join(folder, place)
    raise Lacking("libsimgrid-dev is not installed, or was not when this was built")


@test
def links_are_shared():
    simulator()
    with Folder() as folder:
        plain = "[off-node a]\nL = 10us   o = 1us   G = 1ns\n"
        alone = write(folder, "alone", plain)
        wide, narrow = (write(folder, name, f"platform = {name}.xml\n" + plain) for name in ("wide", "narrow"))
        write(folder, "wide.xml", PLATFORM % (11, ""))
        write(folder, "narrow.xml", PLATFORM % (11, ' bb_bw="1GBps" bb_lat="0us"'))
        # One message at a time: links that are shared do not matter.
        path = model(folder, "        broadcast 1000 bytes from 0;\n        wavefront on (12, 1) tiles 3 compute 5 us send 2000 bytes;\n", 12, 1)
        agree(path, wide)
        # A megabyte from each of six ranks to another one, at once, over one link of 1 GB/s.
        path = model(folder, "        let half = 6;\n        if (rank < half) send 1000000 bytes to rank + half; else receive 1000000 bytes from rank - half;\n", 12, 1)
        for network, expected in ((alone, 1.012e-3), (wide, 1.012e-3), (narrow, 6.012e-3)):
            took = seconds(path, network, "--events")
            assert abs(took / expected - 1) < 0.02, (network, took)


def breaks_off(platform):
    """Whether SimGrid itself does: version 4.0 does with a torus."""
    return command([simulator(), platform], status=None, stdin=b"").returncode < 0


@test
def flows_are_simgrids():
    simulator()
    random.seed(7)
    zone = "".join(f'<host id="n{i}" speed="1Gf"/><link id="l{i}" bandwidth="{1 + i % 3}GBps" latency="{1 + 7 * (i % 2)}us"/>' for i in range(12))
    zone += '<link id="m" bandwidth="2GBps" latency="2us"/>' + "".join(
        f'<route src="n{i}" dst="n{k}"><link_ctn id="l{i}"/>' + ('<link_ctn id="m"/>' if (i + k) % 2 else "") + f'<link_ctn id="l{k}"/></route>'
        for i in range(12) for k in range(i))
    kinds = [PLATFORM % (11, ' bb_bw="1500MBps" bb_lat="3us"'), PLATFORM % (11, ' bb_bw="300MBps" bb_lat="1us" bb_sharing_policy="FATPIPE"'),
             PLATFORM % (11, ' topology="TORUS" topo_parameters="4,3"'), PLATFORM.split("<cluster")[0] + f'<zone id="z" routing="Full">{zone}</zone></platform>']
    with Folder() as folder:
        for number, platform in enumerate(kinds):
            write(folder, "p.xml", platform)
            network = write(folder, "net", "platform = p.xml\n[off-node a]\nup-to = 4K   L = 1us   o = 1us\n[off-node b]\nL = 1us   o = 1us   handshake = 2us\n")
            size = random.choice((8, 3000, 100000))
            path = model(folder, f"        halo {size} bytes, {3 * size} bytes on (4, 3);\n        compute (rank * 7 % 5) * 9 us;\n"
                                 f"        wavefront on (4, 3) tiles 3 compute 5 us send {size} bytes;\n        alltoall {size // 2} bytes;\n", 12, 1)
            if "TORUS" in platform and breaks_off(os.path.join(folder, "p.xml")):
                assert b"SimGrid cannot read it" in assay("model", "run", path, "--network", network, "--events", status=2).stderr
                continue
            own = seconds(path, network, "--events")
            os.environ["ASSAY_FLOWS"] = "simgrid"
            try:
                theirs = seconds(path, network, "--events")
            finally:
                del os.environ["ASSAY_FLOWS"]
            assert abs(own / theirs - 1) < 0.01, (number, own, theirs)


@test
def sweeps_go_by_events():
    with Folder() as folder:
        network = write(folder, "net", NETWORK + "[noise]\nrate = 100   length = 1ms\n")
        path = write(folder, "a.model", "parameter n = 2;\napplication a { ranks n; run { repeat (50) { compute 1 ms; barrier; } } }\n")
        tables = [text("model", "sweep", path, "--network", network, "--vary", "n=2..16", "--csv", *words) for words in ((), ("--events",))]
        assert tables[0] != tables[1] and tables[0].count("\n") == tables[1].count("\n"), tables


@test
def exchanges_of_all_with_all_go_in_pieces():
    with Folder() as folder:
        network = write(folder, "net", NETWORK)
        for columns, rows in ((9, 1), (3, 3), (10, 1), (17, 3), (25, 8)):
            agree(model(folder, "        compute rank * 1 us;\n        alltoall 100 bytes;\n        alltoall 3 kB;\n", columns, rows), network)


@test
def what_cannot_end_is_refused():
    with Folder() as folder:
        network = write(folder, "net", NETWORK)
        path = model(folder, "        alltoall 8 bytes;\n", 1000, 1000)
        said = assay("model", "run", path, "--network", network, "--events", status=2).stderr.decode()
        assert "line 4" in said and "1e+12 messages" in said and "Without --events" in said, said
        assert seconds(path, network) > 1
        path = model(folder, "        if (rank == 0) repeat (1000000000) send 8 bytes to 1;\n")
        for words in ((), ("--events",)):
            said = assay("model", "run", path, "--network", network, *words, status=2).stderr.decode()
            assert "more than 20 million messages wait" in said, said
        if emulation.is_emulated():
            return  # qemu-user has no limits of memory
        path = model(folder, "        barrier;\n", 4096, 4096)
        done = command(["sh", "-c", 'ulimit -v 4000000; exec "$@"', "sh", ASSAY, "model", "run", path, "--network", network, "--events"], status=2)
        assert b"16777216 ranks by events take more than 2.0 GB" in done.stderr, done.stderr


@test
def mistakes_are_told():
    with Folder() as folder:
        path = model(folder, "        if (rank == 0) receive 8 bytes from 1;\n")
        network = write(folder, "net", NETWORK)
        for words in ((), ("--events",)):
            answer = assay("model", "run", path, "--network", network, *words, status=2).stderr.decode()
            assert "a.model:4" in answer and "deadlock: 1 of 12 ranks wait for ever: rank 0 receives from rank 1 (line 4)" in answer, answer
        assert b"--seed is for --events" in assay("model", "run", path, "--network", network, "--seed", "3", status=2).stderr
        path = model(folder, "        if (rank == 0) send 8 bytes to 1;\n")
        assert b"which never receives it" in assay("model", "run", path, "--network", network, "--events", status=2).stderr
        simulator()
        far = write(folder, "far", "platform = small.xml\n[off-node a]\nL = 1us\n")
        write(folder, "small.xml", PLATFORM % (4, ""))
        assert b"has 5 hosts, but 12 ranks need 12 nodes" in assay("model", "run", path, "--network", far, "--events", status=2).stderr
        two = model(folder, "        if (rank == 0) send 8 bytes to 1; else if (rank == 1) receive 8 bytes from 0;\n", 12, 1)
        for bandwidth in ("0GBps", "1e-300Bps"):
            write(folder, "small.xml", (PLATFORM % (11, "")).replace("1GBps", bandwidth))
            said = assay("model", "run", two, "--network", far, "--events", status=2).stderr
            assert b"nothing arrives over it" in said or b"never arrive" in said, said
        write(folder, "small.xml", "<platform")
        assert b"small.xml" in assay("model", "run", path, "--network", far, "--events", status=2).stderr


run()
