#!/usr/bin/env python3
"""Long text on a terminal is shown by a pager, short text and text for pipes and files never; whoever quits, interrupts or
lacks the pager gets what he expects."""
import fcntl, os, pty, select, struct, subprocess, sys, termios, time

from harness import ASSAY, PATIENCE, Folder, build, cross, need, run, test, text

from elf_writer import Elf

SOURCE = r"""
double sum(const double *a, long n) { double s = 0; for (long i = 0; i < n; i++) s += a[i]; return s; }
void divide(double *restrict a, const double *restrict b, double f, long n) { for (long i = 0; i < n; i++) a[i] = b[i] / f; }
"""


def compiled(folder):
    path = os.path.join(folder, "k.c")
    with open(path, "w") as file:
        file.write(SOURCE)
    return build(folder, [need(cross("gcc", "x86_64"))], [path], "-O2", "-g", "-fno-tree-vectorize", "-c", output="k.o")


class Terminal:
    """A command on a terminal of so many lines; read() returns all that it wrote until it ends."""

    def __init__(self, words, lines=24, columns=80, **variables):
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        env = {name: value for name, value in os.environ.items() if name not in ("PAGER", "ASSAY_PAGER", "LESS", "NO_COLOR")}
        env.update({"TERM": "xterm", "LC_ALL": "C.UTF-8"}, **variables)
        env = {name: value for name, value in env.items() if value is not None}
        self.process = subprocess.Popen([ASSAY, *words], stdin=slave, stdout=slave, stderr=slave, env=env, close_fds=True,
                                        start_new_session=True, preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
        os.close(slave)
        self.seen = b""

    def read_until(self, wanted=None):
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end and (wanted is None or wanted not in self.seen):
            if not select.select([self.master], [], [], 1)[0]:
                continue
            try:
                block = os.read(self.master, 65536)
            except OSError:  # the other side is closed
                block = b""
            if not block:
                break
            self.seen += block
        assert wanted is None or wanted in self.seen, self.seen[-2000:]
        return self.seen

    def type(self, keys):
        os.write(self.master, keys)

    def end(self):
        self.read_until()
        status = self.process.wait(PATIENCE)
        os.close(self.master)
        return status, self.seen.decode(errors="replace").replace("\r\n", "\n")


def paged(file, *words, lines=24, pager="sed 's/^/> /'", **variables):
    return Terminal(["report", file, "--machine", "skylake", "--color", "never", *words], lines, ASSAY_PAGER=pager,
                    **variables).end()


@test
def long_text_goes_to_the_pager_and_short_text_does_not():
    with Folder() as folder:
        file = compiled(folder)
        status, shown = paged(file)
        plain = text("report", file, "--machine", "skylake", env=dict(os.environ, LC_ALL="C.UTF-8"))
        assert plain.count("\n") > 24, plain
        assert status == 0 and shown == "".join(f"> {line}\n" for line in plain.splitlines()), shown
        assert paged(file, lines=500) == (0, plain)
        for words in (("--csv",), ("--json",), ("--no-pager",)):
            status, shown = paged(file, *words)
            assert status == 0 and not shown.startswith("> "), (words, shown)
        output = os.path.join(folder, "out")
        assert paged(file, "-o", output) == (0, "")
        with open(output) as stream:
            assert stream.read() == plain
        for name in ("cat", ""):
            assert paged(file, pager=name) == (0, plain), name
        assert paged(file, TERM="dumb") == (0, plain)


@test
def variables_choose_the_pager():
    with Folder() as folder:
        file = compiled(folder)
        words = ["report", file, "--machine", "skylake", "--color", "never"]
        assert Terminal(words, PAGER="sed 's/^/1/'").end()[1].startswith("1file")
        assert Terminal(words, PAGER="sed 's/^/1/'", ASSAY_PAGER="sed 's/^/2/'").end()[1].startswith("2file")
        assert Terminal(words, PAGER="cat >/dev/null; echo $LESS").end() == (0, "FRX\n")
        assert Terminal(words, PAGER="cat >/dev/null; echo $LESS", LESS="S").end() == (0, "S\n")


@test
def a_missing_pager_is_not_missed():
    with Folder() as folder:
        file = compiled(folder)
        plain = text("report", file, "--machine", "skylake", env=dict(os.environ, LC_ALL="C.UTF-8"))
        for name in ("/no/such/pager", "no-such-pager -x", folder):
            status, shown = paged(file, pager=name)
            assert status == 0 and shown.endswith(plain), (name, shown)


@test
def whoever_quits_the_pager_has_read_enough():
    with Folder() as folder:
        file = compiled(folder)
        # A pager that reads one line and ends, with more text than a pipe holds.
        status, shown = paged(file, "--level", "expert", pager="head -n 1")
        assert status == 0 and shown.startswith("file") and shown.count("\n") == 1, shown
        status, shown = paged(file, pager="exit 3")
        assert status == 0 and not shown, shown


@test
def an_interrupt_belongs_to_the_pager():
    with Folder() as folder:
        file = compiled(folder)
        script = os.path.join(folder, "pager")
        with open(script, "w") as stream:
            stream.write("#!/bin/sh\ntrap 'echo interrupted' INT\ncat >/dev/null\necho ready\nread line </dev/tty\n"
                         "read line </dev/tty\necho \"left $line\"\n")
        os.chmod(script, 0o755)
        terminal = Terminal(["report", file, "--machine", "skylake"], PAGER=script)
        terminal.read_until(b"ready")
        terminal.type(b"\x03")
        terminal.read_until(b"interrupted")
        assert terminal.process.poll() is None
        terminal.type(b"one\nq\n")
        status, shown = terminal.end()
        assert status == 0 and "left " in shown, (status, shown)


@test
def less_shows_it_and_leaves_on_q():
    need("less")
    with Folder() as folder:
        terminal = Terminal(["report", compiled(folder), "--machine", "skylake", "--color", "always"])
        terminal.read_until(b":")
        assert b"\x1b[1m" in terminal.seen and b"ESC[" not in terminal.seen, terminal.seen
        terminal.type(b"q")
        assert terminal.end()[0] == 0


@test
def names_from_files_cannot_drive_the_terminal_through_the_pager():
    with Folder() as folder:
        code = bytes.fromhex("ffc0ffcf75fac3")  # inc eax; dec edi; jne back; ret
        path = os.path.join(folder, "hostile")
        Elf(code, [("bad\x1b[2Jname", 0x1000, len(code))]).write(path)
        status, shown = paged(path, "--function", "bad", lines=5)
        assert status == 0 and shown.startswith("> ") and "\x1b[2J" not in shown and "bad\\x1b[2Jname" in shown, shown


run()
