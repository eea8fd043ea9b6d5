#!/usr/bin/env python3
"""assay model measure-network: a file from what a launcher's ranks print; what it says where that fails."""
# first build only: reading and fitting have unit tests (network)
import os

from harness import ASSAY, Folder, assay, need, run, test, watched

POINTS = "".join(f"point\t{size}" + 3 * f"\t{2e-6 + size * 1e-9:.4g}" + 3 * "\t5e-7" + 3 * "\t6e-7" + 3 * "\t5e-7" + "\t0\n"
                 for size in [0] + [8 << k for k in range(18)])


def launcher(folder, text, status=0):
    """A launcher of ours: it checks that there is a program to start, and prints what ranks would."""
    path = os.path.join(folder, "launch")
    with open(path, "w") as file:
        file.write(f"#!/bin/sh\ntest -x \"$1\" || exit 9\necho a line of the site\ncat <<'END'\n{text}END\nexit {status}\n")
    os.chmod(path, 0o755)
    return path


def measure(folder, *words):
    return watched([ASSAY, "model", "measure-network", *words], cwd=folder, text=True)


@test
def a_network_file_is_written():
    need("mpicc")
    with Folder() as folder:
        places = "place\t0\tn1\t0\t0\nplace\t1\tn2\t0\t0\n"
        answer = measure(folder, "--output", "net", "--", launcher(folder, "layout\t1\nclock\t3e-8\n" + places + "pair\t1\t2\n" + POINTS + "end\n"))
        assert answer.returncode == 0, answer.stderr
        with open(os.path.join(folder, "net")) as file:
            text = file.read()
        assert "name = net\n" in text and "[off-node 1]" in text and "[off-node 2]" not in text, text
        assert "L = 0.9us" in text and "o-send = 500ns" in text and "G = 1ns" in text, text
        assert "off node (ranks 0 and 1): 19 sizes, 1 region" in answer.stderr, answer.stderr
        assert sorted(os.listdir(folder)) == ["launch", "net"], os.listdir(folder)


@test
def failures_are_told():
    need("mpicc")
    with Folder() as folder:
        for text, status, message in (("alone\n", 0, "one rank cannot measure a network"),
                                      ("pair\t1\t0\npoint\t8\n", 0, "printed a line that is not whole"),
                                      ("", 0, "did not come to its end"),
                                      ("", 3, "failed (status 3)")):
            answer = measure(folder, "--output", "net", "--", launcher(folder, text, status))
            assert answer.returncode == 2 and message in answer.stderr, answer.stderr
        assert os.listdir(folder) == ["launch"], os.listdir(folder)


@test
def usage_is_told():
    with Folder() as folder:
        for words, message in (((), "measure-network takes the command that starts ranks"),
                               (("mpirun",), "measure-network takes the command that starts ranks")):
            answer = measure(folder, *words)
            assert answer.returncode == 2 and message in answer.stderr, answer.stderr
        assert b"measure-network" in assay("model", "measure", status=2).stderr


run()
