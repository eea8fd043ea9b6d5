"""Ends test programs that hang, and only those: the speed and load of the machine must not matter.

A program hangs if one of these is true for the whole tree of its processes:
- none of them used the processor, or even waited for it, for IDLE seconds;
- together they used more processor time than they were granted (an endless loop), however busy the machine is;
- they ran for ENDLESS seconds (they wake up now and then, but get nowhere).
Then the whole tree is killed, including processes in sessions of their own, and Hung says which case it was.

The tree is followed by parents and sessions: a process whose parent ended is recognised by its session, or because it was
seen before.  Scanning the tree is expensive, so it happens every few seconds.
"""
import os, select, signal, subprocess, threading, time

IDLE = 300
ENDLESS = 3 * 3600
STEP = 2  # seconds between two looks at the tree
TICK = os.sysconf("SC_CLK_TCK")


class Hung(Exception):
    pass


def processes():
    """Of all processes: number → (parent, session, state, start, ticks used by it and by children that it waited for)."""
    found = {}
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/stat", "rb") as file:
                words = file.read().rpartition(b")")[2].split()
        except OSError:
            continue  # it has ended
        found[int(name)] = (int(words[1]), int(words[3]), words[0], int(words[19]), sum(map(int, words[11:15])))
    return found


class Tree:
    """A process and all that come from it."""

    def __init__(self, root):
        self.root, self.known = root, {}  # known: number → start, which tells a number that is used again

    def look(self):
        """The processes of the tree that are there now, as processes() gives them."""
        every = processes()
        own = every.get(os.getpid())
        members = {number for number, start in self.known.items() if number in every and every[number][3] == start}
        members |= {self.root} & every.keys()
        grown = True
        while grown:
            sessions = {every[number][1] for number in members} - {own[1]}
            more = {number for number, (parent, session, *_) in every.items() if parent in members or session in sessions}
            grown = not more <= members
            members |= more
        members.discard(os.getpid())
        self.known = {number: every[number][3] for number in members}
        return {number: every[number] for number in members}

    def kill(self):
        """Kills until nothing is left: processes may start others meanwhile.  What the kernel holds is left after a while."""
        end = time.monotonic() + 60
        while there := {number for number, row in self.look().items() if row[2] != b"Z"}:
            for number in there:
                try:
                    os.kill(number, signal.SIGKILL)
                except (ProcessLookupError, PermissionError):
                    pass
            if time.monotonic() > end:
                return
            time.sleep(0.01)


class Watch:
    """Asked every STEP seconds with hung(): why the tree hangs, or None."""

    def __init__(self, tree, granted):
        self.tree, self.granted = tree, granted
        self.start = self.moved = time.monotonic()
        self.ticks = {}

    def hung(self):
        now, there = time.monotonic(), self.tree.look()
        ticks = {number: row[4] for number, row in there.items()}
        if ticks != self.ticks or any(row[2] in (b"R", b"D") for row in there.values()):
            self.moved = now
        self.ticks = ticks
        used = sum(ticks.values()) / TICK
        if used > self.granted:
            return f"it used {used:.0f} s of processor time"
        if now - self.moved > IDLE:
            return f"nothing of it ran for {IDLE} s"
        if now - self.start > ENDLESS:
            return f"still running after {ENDLESS} s"
        return None


def feed(stream, input):
    """Writes all of it; a program may end without reading it."""
    try:
        with stream:
            stream.write(input)
    except BrokenPipeError:
        pass


def finish(process, granted, input=None):
    """(stdout, stderr) of a process that subprocess.Popen started, at its end; granted: seconds of processor time."""
    tree = Tree(process.pid)
    watch = Watch(tree, granted)
    if input is not None:  # communicate() would forget the rest of it after the first look
        threading.Thread(target=feed, args=(process.stdin, input), daemon=True).start()
        process.stdin = None
    while True:
        try:
            return process.communicate(timeout=STEP)
        except subprocess.TimeoutExpired:
            reason = watch.hung()
        if reason:
            tree.kill()
            process.communicate()
            raise Hung(reason)


def run(words, granted, input=None, **options):
    """Like subprocess.run(); both outputs are caught unless something else is said."""
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
    if input is not None:
        options["stdin"] = subprocess.PIPE
    with subprocess.Popen([str(word) for word in words], **options) as process:
        try:
            out, err = finish(process, granted, input)
        except BaseException:
            process.kill()
            raise
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)


def run_measured(words, granted, output, **options):
    """(status as os.waitstatus_to_exitcode gives it, seconds of processor time) of a program in a session of its own, which is
    over with it.  Its output goes to a file."""
    process = subprocess.Popen(words, stdout=output, stderr=subprocess.STDOUT, start_new_session=True, **options)
    tree = Tree(process.pid)
    watch, ended = Watch(tree, granted), select.poll()
    handle = os.pidfd_open(process.pid)
    ended.register(handle, select.POLLIN)
    try:
        while not ended.poll(STEP * 1000):
            reason = watch.hung()
            if reason:
                raise Hung(reason)
    finally:
        tree.kill()
        os.close(handle)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, usage.ru_utime + usage.ru_stime
