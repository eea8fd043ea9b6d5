#!/usr/bin/env python3
"""Samples of the kernel (assay run), of programs with habits of their own (tests/programs/sampling): threads, children,
exec, signals, closed files, daemons, processes that run already, users with fewer rights, no sampling at all; and beside
perf report."""
# first build only: it mostly runs other programs; unit tests cover the same code with the sanitizers
import os, re, signal, subprocess, time
from harness import *

SOURCES = os.path.join(PROGRAMS, "sampling")
SHARES = """select coalesce(n.name, r.name) as name, sum(r.self_share) as share from run_functions r
              left join functions n on n.id = r.function group by 1"""


def made(folder, name="habits", *flags):
    found = compilers(MACHINE)
    return build(folder, found[0], [os.path.join(SOURCES, name + ".c")], "-D_GNU_SOURCE", "-O2", "-g", "-pthread", *flags,
                 output=name)


def sampled(folder, *words, before=(), status=0, options=(), program=ASSAY):
    """The row of the run, its database, and the command's result."""
    path = os.path.join(folder, "run.db")
    if os.path.exists(path):
        os.unlink(path)
    done = command([*before, program, "run", "-o", path, "--quiet", *options, *words], status)
    return rows(path, "select * from runs")[0], path, done


def shares(path):
    return {row["name"]: row["share"] for row in rows(path, SHARES)}


def check_split(path, slack=0.06):
    """7 : 3 between the two functions; the kernel and the dynamic linker take a part, more of it on an emulated computer."""
    found = shares(path)
    both = found["longer"] + found["shorter"]
    assert both > 0.75 and abs(found["longer"] / both - 0.7) < slack, found


def kernel_samples():
    """Skips where the kernel takes no samples, as in containers."""
    with Folder() as folder:
        row, _, _ = sampled(folder, "--", "/bin/true")
        if row["sampler"] == "timer":
            raise Skip(f"the kernel takes no samples here: {row['without_kernel_sampling']}")


@uncertain
def functions_have_their_shares():
    kernel_samples()
    with Folder() as folder:
        row, path, _ = sampled(folder, "--", made(folder), "work", "60")
        check_split(path, 0.03)
        assert row["samples"] > 300 and 0.9 < row["sampled_seconds"] / row["cpu_seconds"] < 1.05, row
        assert 5e8 < row["cycles_per_second"] < 1e10, row
        assert row["slowest_clock"] <= row["cycles_per_second"] <= row["fastest_clock"], row
        assert row["minor_faults"] > 10 and row["peak_bytes"] > 1 << 18, row
        assert row["exit_status"] == 0 and row["end_signal"] is None, row
        assert not rows(path, "select * from run_limits where kind = 'unseen'")


@uncertain
def threads_children_and_other_programs():
    kernel_samples()
    with Folder() as folder:
        program = made(folder)
        row, path, _ = sampled(folder, "--", program, "threads", "4")
        assert row["threads"] == 5, row
        check_split(path)
        own = rows(path, "select cpu_seconds from run_threads order by cpu_seconds desc limit 4")
        assert min(thread["cpu_seconds"] for thread in own) > 0.12 * row["sampled_seconds"], own
        row, path, _ = sampled(folder, "--", program, "threads", "1000")
        assert row["threads"] == 1001, row
        row, path, _ = sampled(folder, "--", program, "children", "2000")
        assert row["processes"] == 2001, row
        limits = {limit["kind"]: limit["count"] for limit in rows(path, "select * from run_limits")}
        # Each child is too short for a sample; their parent is not.
        assert row["cpu_seconds"] < 0.02 or limits.get("unseen", 0) > 10, (row, limits)
        assert row["samples"] >= 10, row
        row, path, _ = sampled(folder, "--", program, "exec")
        assert row["processes"] == 1, row
        check_split(path)
        row, path, _ = sampled(folder, "--", "sh", "-c", f"{program} work 20; {program} work 20; exit 3", status=3)
        assert row["processes"] == 3 and row["exit_status"] == 3, row
        check_split(path)


@uncertain
def libraries_that_come_and_go():
    """Each is unloaded before the next is loaded, mostly at the same addresses."""
    kernel_samples()
    with Folder() as folder:
        wanted, words = {"first": 0.5, "second": 0.3, "third": 0.2}, []
        for name, share in wanted.items():
            library = build(folder, compilers(MACHINE)[0], [os.path.join(SOURCES, "plugins.c")], "-O2", "-g", "-shared", "-fPIC",
                            f"-DNAME={name}", output=name + ".so")
            words += [library, name, str(int(share * 1000))]
        row, path, done = sampled(folder, "--", made(folder, "plugins"), *words)
        found = shares(path)
        for name, share in wanted.items():
            assert abs(found[name] - share) < 0.05, (found, done.stdout)


@uncertain
def programs_end_as_they_want():
    with Folder() as folder:
        program = made(folder)
        row, path, done = sampled(folder, "--", program, "exit", "5", status=5)
        assert row["exit_status"] == 5, row
        for number in (signal.SIGSEGV, signal.SIGKILL):
            row, path, done = sampled(folder, "--", program, "killed", str(int(number)), status=128 + number)
            assert row["end_signal"] == number and row["exit_status"] is None, row
            check_split(path)
        row, path, done = sampled(folder, "--", "/bin/true")
        assert row["exit_status"] == 0 and row["seconds"] < 60, row
        row, path, done = sampled(folder, "--", program, "closed")
        check_split(path)


@uncertain
def interrupts_go_to_the_program():
    with Folder() as folder:
        path = os.path.join(folder, "run.db")
        process = subprocess.Popen([ASSAY, "run", "--quiet", "-o", path, "--", made(folder), "forever"],
                                   stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True)
        assert process.stdout.readline() == b"ready\n"
        time.sleep(0.5)
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does it
        rest, _ = process.communicate(timeout=PATIENCE)
        assert rest == b"interrupted\n" and process.returncode == 7, (rest, process.returncode)
        row = rows(path, "select * from runs")[0]
        assert row["exit_status"] == 7 and row["samples"] > 0, row


@uncertain
def daemons_are_left_alone():
    with Folder() as folder:
        number = os.path.join(folder, "number")
        row, path, _ = sampled(folder, "--", made(folder), "daemon", number)
        end = time.monotonic() + PATIENCE
        while not (os.path.exists(number) and os.path.getsize(number)) and time.monotonic() < end:
            time.sleep(0.02)
        with open(number) as file:
            daemon = int(file.read())
        os.kill(daemon, signal.SIGKILL)  # raises if it has ended
        assert row["exit_status"] == 0, row


@uncertain
def processes_that_run_already():
    kernel_samples()
    with Folder() as folder:
        process = subprocess.Popen([made(folder), "forever"], stdout=subprocess.PIPE)
        try:
            assert process.stdout.readline() == b"ready\n"
            row, path, _ = sampled(folder, "-p", str(process.pid), options=("--seconds", "2"))
            assert process.poll() is None
            assert row["command"] == f"process {process.pid}" and row["exit_status"] is None, row
            assert row["samples"] > 10 and 1.9 < row["seconds"] < 60, row
            check_split(path, 4 * (0.21 / row["samples"]) ** 0.5 + 0.1)
            # Ctrl-C ends the watching alone.
            path = os.path.join(folder, "second.db")
            watcher = subprocess.Popen([ASSAY, "run", "--quiet", "-o", path, "-p", str(process.pid)],
                                       stderr=subprocess.DEVNULL)
            time.sleep(1)
            watcher.send_signal(signal.SIGINT)
            assert watcher.wait(PATIENCE) == 0 and process.poll() is None
            assert rows(path, "select samples from runs")[0]["samples"] > 0
            # The end of the process, too.
            os.unlink(path)
            watcher = subprocess.Popen([ASSAY, "run", "--quiet", "-o", path, "-p", str(process.pid)],
                                       stderr=subprocess.DEVNULL)
            time.sleep(1)
        finally:
            process.kill()
            process.wait()
        assert watcher.wait(PATIENCE) == 0


@uncertain
def processes_that_cannot_be_watched():
    kernel_samples()
    done = assay("run", "-p", "4194304", status=2)
    assert b"there is no process 4194304" in done.stderr, done.stderr
    ended = subprocess.Popen(["/bin/true"])
    os.waitid(os.P_PID, ended.pid, os.WEXITED | os.WNOWAIT)
    done = assay("run", "-p", str(ended.pid), status=2)
    assert b"has ended" in done.stderr, done.stderr
    ended.wait()
    if os.geteuid() == 0:
        need("setpriv")
        done = command(["setpriv", "--reuid=65534", "--clear-groups", assay_for_everybody(), "run", "-p", str(os.getpid())], status=2)
        assert b"belongs to another user" in done.stderr, done.stderr


@uncertain
def users_without_rights():
    kernel_samples()
    if os.geteuid():
        raise Skip("needs root")
    need("setpriv")
    with open("/proc/sys/kernel/perf_event_paranoid") as file:
        level = int(file.read())
    with Folder() as folder:
        os.chmod(folder, 0o777)
        program = made(folder)
        nobody = ["setpriv", "--reuid=65534", "--clear-groups", "--inh-caps=-all"]
        row, path, _ = sampled(folder, "--", program, "work", "60", before=nobody, program=assay_for_everybody())
        check_split(path, 0.03)
        kernel = rows(path, "select * from run_files where state = 'kernel'")
        assert row["sampler"] != "timer" or level > 2, row
        assert level < 2 or not kernel, kernel
        for mode in (0o711, 0o4755):
            os.chmod(program, mode)
            done = command([*nobody, assay_for_everybody(), "run", program, "work"], status=2)
            assert b"allows no samples of it" in done.stderr, done.stderr


@uncertain
def sampling_that_is_forbidden():
    with Folder() as folder:
        program, forbid = made(folder), made(folder, "forbid")
        row, path, _ = sampled(folder, "--", program, "work", "100", before=[forbid])
        assert row["sampler"] == "timer" and "forbidden" in row["without_kernel_sampling"], row
        assert row["exit_status"] == 0 and row["samples"] > 10, row
        check_split(path, 4 * (0.21 / row["samples"]) ** 0.5 + 0.02)
        done = command([forbid, ASSAY, "run", "-p", str(os.getpid())], status=2)
        assert b"forbidden" in done.stderr and b"already" in done.stderr, done.stderr


@uncertain
def counters_are_exact_where_every_event_is_a_sample():
    kernel_samples()
    with Folder() as folder:
        row, path, _ = sampled(folder, "--", made(folder), "touch", "5000", options=("--counters", "page_faults"))
        counter = rows(path, "select * from run_counters")[0]
        assert counter["count"] >= 5000 and counter["is_exact"], counter
        assert abs(counter["count"] - row["minor_faults"] - row["major_faults"]) < 0.05 * counter["count"], (counter, row)
        found = rows(path, "select n.name, sum(v.count) as faults from counter_values v join functions n on n.id = v.function "
                           "where v.counter = 1 group by 1")
        assert max(found, key=lambda one: one["faults"])["name"] == "touch", found


def perf_shares(folder, program, *words):
    """Shares of functions by perf, from addresses: it may have been built without symbols."""
    data = os.path.join(folder, "perf.data")
    command([need("perf"), "record", "-q", "-F", "997", "-e", "cpu-clock", "-o", data, program, *words], status=None)
    listed = command(["perf", "script", "-i", data, "-F", "ip"], status=None).stdout.decode().split()
    if len(listed) < 100:
        raise Skip("perf takes no samples here")
    symbols = command(["nm", "-S", program]).stdout.decode()
    found = {}
    for name in ("longer", "shorter"):
        start, size = (int(word, 16) for word in re.search(rf"^(\w+) (\w+) T {name}$", symbols, re.M).groups())
        found[name] = sum(start <= int(address, 16) < start + size for address in listed) / len(listed)
    return found


@uncertain
def shares_are_those_of_perf():
    kernel_samples()
    with Folder() as folder:
        program = made(folder, "habits", "-no-pie")
        other = perf_shares(folder, program, "work", "120")
        row, path, _ = sampled(folder, "--", program, "work", "120")
        own = shares(path)
        for name, share in other.items():  # of two runs: four times what chance does
            chance = (2 * share * (1 - share) / row["samples"]) ** 0.5
            assert abs(own[name] - share) < max(0.01, 4 * chance), (own, other, row["samples"])


run()
