#!/usr/bin/env python3
"""Ctrl-C in assay model: what was done is shown and called partial, the exit code is 130."""
# first build only: evaluations that are long enough to be stopped
import os, pty, re, select, signal, stat, subprocess, time

from harness import ASSAY, Fail, Folder, need, run, test

LONG = "parameter times = 1;\napplication long { ranks 4; network \"ethernet-10g\"; run { compute 1 ms; repeat (times) barrier; } }\n"
TELL = "kill -INT $(sed 's/.*) . //; s/ .*//' /proc/$PPID/stat)\n"  # of the keeper's parent: Assay


def write(folder, name, words, is_program=False):
    path = os.path.join(folder, name)
    with open(path, "w") as file:
        file.write(words)
    if is_program:
        os.chmod(path, stat.S_IRWXU)
    return path


def stop_when(words, shown, folder):
    """Sends Ctrl-C when the progress on a terminal says so."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen([ASSAY, "model", *words], stdout=subprocess.PIPE, stderr=theirs, cwd=folder)
    os.close(theirs)
    text, end, is_sent = "", time.monotonic() + 300, False
    while process.poll() is None or select.select([ours], [], [], 0)[0]:
        if time.monotonic() > end:
            process.kill()
            raise Fail(f"{words} did not end: {text[-300:]}")
        if select.select([ours], [], [], 0.1)[0]:
            try:
                text += os.read(ours, 4096).decode(errors="replace")
            except OSError:
                break
        if not is_sent and re.search(shown, text):
            process.send_signal(signal.SIGINT)
            is_sent = True
    os.close(ours)
    output = process.communicate()[0].decode()
    return process.returncode, output, text


@test
def a_sweep_keeps_its_points():
    with Folder() as folder:
        write(folder, "long.model", LONG)
        code, output, said = stop_when(["sweep", "long.model", "--vary", "times=1,2,50000000,3", "--plot", "out.svg"], r"have done: \d{4}", folder)
        assert code == 130 and "stopped by Ctrl-C after 2 of 4 values" in said, (code, said)
        assert "partial: 2 of 4 values" in output and len(re.findall(r"^ +[12] ", output, re.M)) == 2, output
        with open(os.path.join(folder, "out.svg")) as file:
            assert "partial: 2 of 4 values" in file.read()


@test
def a_run_says_how_far_it_came():
    with Folder() as folder:
        write(folder, "long.model", LONG)
        for words, shown in (([], r"have done: \d{4}"), (["--events"], r"messages: \d{4}")):
            code, output, said = stop_when(["run", "long.model", "--set", "times=50000000", *words], shown, folder)
            assert code == 130 and "stopped by Ctrl-C before the end: the modelled program was at" in said and not output, (code, said, output)


@test
def a_fit_keeps_its_parameters():
    with Folder() as folder:
        write(folder, "fit.model", LONG.replace("compute 1 ms", "compute x").replace("parameter", "free parameter x = 1 ms; parameter n = 1,"))
        write(folder, "runs.csv", "n,times,seconds\n" + "".join(f"{n},20000,{2 + n / 100}\n" for n in range(12)))
        code, output, said = stop_when(["fit", "fit.model", "runs.csv"], "without a row [1-9]\d? %", folder)
        assert code == 130 and "partial" in said, (code, said)
        done = int(re.search(r"partial: Ctrl-C came after (\d+) of 12", output)[1])
        assert 1 <= done < 12 and re.search(r"^x +\d", output, re.M), output


@test
def coupling_keeps_whole_passes():
    with Folder() as folder:
        write(folder, "program", f"#!/bin/sh\necho >>calls\nif [ $(wc -l <calls) = $STOP ]; then {TELL} sleep 20; fi\necho 1\n", True)
        path = write(folder, "kernels.txt", "command = ./program {kernels}\nkernels = a, b\npasses = 5\n")
        for stop, code, words in ((8, 130, b"partial: 2 of 5 passes"), (2, 130, b"")):
            if os.path.exists(os.path.join(folder, "calls")):
                os.remove(os.path.join(folder, "calls"))
            done = subprocess.run([ASSAY, "model", "coupling", path], env=dict(os.environ, STOP=str(stop)), capture_output=True, timeout=300, cwd=folder)
            assert done.returncode == code and b"stopped by Ctrl-C" in done.stderr and words in done.stdout, done


@test
def a_network_keeps_its_sizes():
    with Folder() as folder:
        need("sh")
        points = "".join(f"point\t{8 << i}" + f"\t{1e-6 + i * 1e-8}" * 12 + "\t0\n" for i in range(6))
        write(folder, "mpicc", "#!/bin/sh\nexit 0\n", True)
        write(folder, "mpirun", f"#!/bin/sh\nprintf '%s' \"$POINTS\"\n{TELL}sleep 20\n", True)
        for text, code, said in (("layout\t1\nclock\t1e-8\nplace\t0\tx\t0\t0\nplace\t1\tx\t1\t0\npair\t1\t0\n" + points + "point\t9", 130, b"the file is partial"),
                                 ("layout\t1\n", 130, b"before three sizes were measured")):
            out = os.path.join(folder, "net")
            done = subprocess.run([ASSAY, "model", "measure-network", "--output", out, "--", os.path.join(folder, "mpirun")], capture_output=True,
                                  env=dict(os.environ, POINTS=text), timeout=300, cwd=folder)
            assert done.returncode == code and said in done.stderr, done
            if b"partial" in said:
                with open(out) as file:
                    shown = file.read()
                assert "partial: stopped by Ctrl-C" in shown and "[on-chip" in shown, shown
                os.remove(out)
            assert not os.path.exists(out) and not [name for name in os.listdir(folder) if "ping-pong" in name], os.listdir(folder)


run()
