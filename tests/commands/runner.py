"""The tests' own helpers: a program that hangs is ended with its children, a slow one is not."""
# first build only: it looks at the tests, not at the program
import contextlib, time
from harness import *

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


run()
