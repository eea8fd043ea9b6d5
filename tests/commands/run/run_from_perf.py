#!/usr/bin/env python3
"""Recordings of perf (assay run --from): those that perf writes here, beside perf report on the same file, and those of tests/perf_data.py,
for what perf cannot write here: other computers, other builds, branch records, hostile files."""
# first build only: it mostly runs other programs; unit tests and the fuzzer cover the same code with the sanitizers
import json, os, random, re, shutil, struct, subprocess
from harness import *

import perf_data
from perf_data import Recording

SOURCES = os.path.join(PROGRAMS, "sampling")
SHARES = """select coalesce(n.name, r.name) as name, sum(r.self_share) as share from run_functions r
              left join functions n on n.id = r.function group by 1"""


def made(folder, *flags, compiler=None, output="habits"):
    return build(folder, compiler or compilers(MACHINE)[0], [os.path.join(SOURCES, "habits.c")], "-D_GNU_SOURCE", "-O2", "-g", "-pthread",
                 "-fno-omit-frame-pointer", "-no-pie", *flags, output=output)


def recorded(folder, program, *options, words=("work", "60"), name="perf.data"):
    """A recording that perf made here."""
    data = os.path.join(folder, name)
    done = command([need("perf"), "record", "-q", "-N", *options, "-o", data, "--", program, *words], status=None)
    if not os.path.exists(data) or os.path.getsize(data) < 2000:
        raise Skip(f"perf takes no such samples here: {done.stderr.decode(errors='replace').strip()[:200]}")
    return data


def read(folder, data, *options, status=0, stdin=None, env=None):
    """The row of the run, its database, and the command's result."""
    path = os.path.join(folder, "run.db")
    if os.path.exists(path):
        os.unlink(path)
    words = [ASSAY, "run", "--from", data, "-o", path, *options]
    if stdin is not None:
        done = subprocess.run(words, input=stdin, capture_output=True, timeout=PATIENCE, env=env)
        assert done.returncode == status, done.stderr.decode()
    else:
        done = command(words, status, env=env)
    return (rows(path, "select * from runs")[0] if not status else None), path, done


def shares(path):
    return {row["name"]: row["share"] for row in rows(path, SHARES)}


def perf_shares(data, program, *options):
    """Of longer and shorter, by perf report; by addresses if it was built without symbols."""
    listed = command(["perf", "report", "-i", data, "--stdio", "-F", "overhead,symbol", "-g", "none", "--no-children", *options],
                     status=None).stdout.decode(errors="replace")
    found = {}
    for name in ("longer", "shorter"):
        line = re.search(rf"^\s*([\d.]+)%\s+\[\.\] {name}\s*$", listed, re.M)
        if line:
            found[name] = float(line.group(1)) / 100
    if len(found) == 2:
        return found
    listed = command(["perf", "script", "-i", data, "-F", "ip", "-G"], status=None).stdout.decode().split()
    symbols = command(["nm", "-S", program]).stdout.decode()
    for name in ("longer", "shorter"):
        start, size = (int(word, 16) for word in re.search(rf"^(\w+) (\w+) T {name}$", symbols, re.M).groups())
        found[name] = sum(start <= int(address, 16) < start + size for address in listed) / len(listed)
    return found


def check_like_perf(path, data, program, *options, slack=0.006):
    own, other = shares(path), perf_shares(data, program, *options)
    for name, share in other.items():
        assert abs(own[name] - share) < slack, (own, other)
    return own


def output_of(done):
    return (done.stdout + done.stderr).decode(errors="replace")


# ---- recordings that perf makes here ----

@uncertain
def a_file_has_the_shares_of_perf():
    with Folder() as folder:
        program = made(folder)
        data = recorded(folder, program, "-F", "997", "-e", "cpu-clock")
        row, path, done = read(folder, data)
        own = check_like_perf(path, data, program)
        assert abs(own["longer"] / (own["longer"] + own["shorter"]) - 0.7) < 0.08, own
        assert row["sampler"] == "cpu clock" and row["event"].startswith("cpu-clock") and row["recording"] == data, row
        assert row["command"] == f"{program} work 60" and row["frequency"] == 997, row
        assert row["samples"] > 50 and 0 < row["sampled_seconds"] <= row["seconds"] * 1.1 + 0.1, row
        assert row["host"] == os.uname().nodename and row["processor"], row
        listed = output_of(done)
        assert "a recording of perf" in listed and "habits.c:" in listed and "recorded without callers" in listed, listed
        loops = rows(path, "select * from run_loops where self_share > 0.2")
        assert loops and all(loop["predicted_cycles"] > 0 for loop in loops), loops
        assert "run_savings" in {table["name"] for table in rows(path, "select name from sqlite_master")}


@test
def every_answer_follows():
    """Page, JSON, CSV, other viewers and databases, as of a run of Assay's own."""
    with Folder() as folder:
        data = recorded(folder, made(folder), "--call-graph", "dwarf", "-e", "cpu-clock")
        page, folded = os.path.join(folder, "run.html"), os.path.join(folder, "run.folded")
        _, path, _ = read(folder, data, "--html", page)
        with open(page) as file:
            text = file.read()
        assert "perf.data" in text and "longer" in text
        found = json.loads(command([ASSAY, "run", "--from", data, "--json"]).stdout)
        assert found["run"]["recording"] == data and found["run"]["event"].startswith("cpu-clock"), found["run"]
        assert b"longer" in command([ASSAY, "run", "--from", data, "--csv"]).stdout
        command([ASSAY, "run", "--from", data, "-o", folded, "--format", "folded"])
        with open(folded) as file:
            assert re.search(r"main;(\S+;)*longer \d+", file.read())
        assert b"longer" in command([ASSAY, "report", path]).stdout


@uncertain
def callers_are_known():
    with Folder() as folder:
        program = made(folder)
        # By frame pointers, leaves without a frame hide who called them: then libc called main's callees.
        for options, caller in ((("-g",), "libc"), (("--call-graph", "dwarf"), "main")):
            data = recorded(folder, program, *options, "-F", "997", "-e", "cpu-clock")
            _, path, _ = read(folder, data)
            check_like_perf(path, data, program)
            totals = rows(path, "select coalesce(n.name, r.name) as name, r.total_share as share from run_functions r left join functions n on n.id = r.function")
            assert max((row["share"] for row in totals if caller in row["name"]), default=0) > 0.8, (options, totals)


@uncertain
def pipes_and_packed_records():
    with Folder() as folder:
        program = made(folder)
        piped = os.path.join(folder, "piped")
        with open(piped, "wb") as file:
            done = subprocess.run([need("perf"), "record", "-q", "-e", "cpu-clock", "-o", "-", "--", program, "work", "40"],
                                  stdout=file, stderr=subprocess.PIPE, timeout=PATIENCE)
        if os.path.getsize(piped) < 2000:
            raise Skip(f"perf takes no samples here: {done.stderr.decode(errors='replace')[:200]}")
        row, path, _ = read(folder, piped)
        own = check_like_perf(path, piped, program)
        with open(piped, "rb") as file:
            again, path, _ = read(folder, "-", stdin=file.read())
        assert shares(path) == own and again["samples"] == row["samples"] and again["recording"] == "standard input", again
        packed = recorded(folder, program, "-z", "-g", "-e", "cpu-clock", name="packed")
        row, path, _ = read(folder, packed)
        check_like_perf(path, packed, program)
        assert not rows(path, "select * from run_limits where kind in ('nonsense', 'cut short')")


@uncertain
def several_events():
    with Folder() as folder:
        program = made(folder)
        data = recorded(folder, program, "-e", "page-faults,task-clock", "-F", "997")
        row, path, _ = read(folder, data)
        own = shares(path)
        assert row["event"].startswith("task-clock") and abs(own["longer"] / (own["longer"] + own["shorter"]) - 0.7) < 0.08, (row, own)
        counted = {counter["name"] for counter in rows(path, "select * from run_counters")}
        assert any(name.startswith("page-faults") for name in counted), counted
        row, path, done = read(folder, data, "--event", "page-faults")
        assert row["sampler"] == "event" and "not of time" in output_of(done), (row, output_of(done))
        _, _, done = read(folder, data, "--event", "branch-misses", status=2)
        assert "has no 'branch-misses', but" in output_of(done) and "task-clock" in output_of(done), output_of(done)


@uncertain
def whole_systems():
    with Folder() as folder:
        program = made(folder)
        data = recorded(folder, program, "-a", "-F", "997", "-e", "cpu-clock")
        row, path, done = read(folder, data, "--command", "habits")
        own = shares(path)
        assert abs(own["longer"] / (own["longer"] + own["shorter"]) - 0.7) < 0.08, own
        assert {process["command"].split("/")[-1].split()[0] for process in rows(path, "select * from run_processes")} == {"habits"}
        limits = {limit["kind"]: limit["count"] for limit in rows(path, "select * from run_limits")}
        listed = command(["perf", "script", "-i", data, "-F", "comm,pid"], status=None).stdout.decode(errors="replace").split("\n")
        others = [line for line in listed if line.strip() and "habits" not in line]
        assert limits.get("other programs", 0) + limits.get("idle", 0) == len(others), (limits, len(others))
        _, _, done = read(folder, data, "--command", "no-such-program", status=2)
        assert "is called 'no-such-program'" in output_of(done) and "habits" in output_of(done), output_of(done)


# ---- programs that lie elsewhere ----

def build_id_of(program):
    listed = command([need("readelf"), "-n", program]).stdout.decode()
    return re.search(r"Build ID: (\w+)", listed).group(1)


@uncertain
def moved_programs():
    """By build-id only: in a named folder, in perf's cache, in debuginfod's; another build is refused."""
    with Folder() as folder:
        program = made(folder, "-Wl,--build-id")
        data = recorded(folder, program, "-e", "cpu-clock")
        number = build_id_of(program)
        away = os.path.join(folder, "away")
        os.mkdir(away)
        os.rename(program, os.path.join(away, "habits"))
        home = os.path.join(folder, "home")
        os.makedirs(os.path.join(home, ".debug", ".build-id", number[:2], number[2:]))
        os.makedirs(os.path.join(home, "cache", "debuginfod_client", number))
        env = {**os.environ, "HOME": os.path.join(folder, "nowhere"), "XDG_CACHE_HOME": os.path.join(folder, "nowhere")}
        env.pop("DEBUGINFOD_CACHE_PATH", None)

        def state(*options, **changed):
            _, path, done = read(folder, data, *options, env={**env, **changed})
            file = rows(path, "select * from run_files where path like '%/habits'")[0]
            return file["state"], " ".join(output_of(done).split()), shares(path)

        found, said, _ = state()
        assert found == "missing" and "/habits is not here by its build-id " + number in said, (found, said)
        for named in (away, os.path.relpath(away)):
            found, _, own = state("--debug-dir", named)
            assert found == "read" and own["longer"] > 0.3, (named, found, own)
        before = os.getcwd()
        os.chdir(away)  # in the current folder; then beside the recording, which has a short name
        found, _, own = state()
        shutil.copy(data, "short.data")
        os.chdir(before)
        assert found == "read" and own["longer"] > 0.3, (found, own)
        done = subprocess.run([ASSAY, "run", "--from", "away/short.data", "--json"], cwd=folder, env=env, capture_output=True, timeout=PATIENCE)
        assert b'"longer"' in done.stdout, done
        made(folder, "-Wl,--build-id", "-DOTHER", "-O1")
        found, said, own = state()
        assert found == "other build" and "another build here" in said and "longer" not in own, (found, said, own)
        shutil.copy(os.path.join(away, "habits"), os.path.join(home, ".debug", ".build-id", number[:2], number[2:], "elf"))
        found, _, own = state(HOME=home)
        assert found == "read" and own["longer"] > 0.3, (found, own)
        shutil.copy(os.path.join(away, "habits"), os.path.join(home, "cache", "debuginfod_client", number, "executable"))
        found, _, own = state(XDG_CACHE_HOME=os.path.join(home, "cache"))
        assert found == "read" and own["longer"] > 0.3, (found, own)


@test
def without_build_ids_the_path_decides():
    """If it is older than the recording, and the recording is of this computer."""
    with Folder() as folder:
        program = made(folder, "-Wl,--build-id=none")
        data = os.path.join(folder, "made.data")

        def wrote(**facts):
            with open(data, "wb") as file:
                file.write(of_program(program, **facts).file())
            return read(folder, data)

        _, path, _ = wrote(host=os.uname().nodename)
        assert abs(shares(path)["longer"] - 0.75) < 0.001, shares(path)
        _, path, done = wrote(host="somewhere-else")
        assert "longer" not in shares(path) and "is another build here" in output_of(done), output_of(done)
        later = os.path.getmtime(data) + 100
        os.utime(program, (later, later))
        _, path, _ = wrote(host=os.uname().nodename)
        os.utime(data, (later - 50, later - 50))
        _, path, done = read(folder, data)
        assert "longer" not in shares(path), shares(path)


@test
def many_programs_and_deleted_ones():
    """More programs than a process may have open; and one that was deleted while it ran is not what lies there now."""
    with Folder() as folder:
        program, data = made(folder, "-Wl,--build-id=none"), os.path.join(folder, "made.data")
        functions, address, offset, size = places(program)
        recording = Recording(host=os.uname().nodename)
        recording.comm(100, "habits")
        for number in range(150):
            copy = shutil.copy2(program, os.path.join(folder, f"habits{number}"))
            recording.map(100, copy + (" (deleted)" if number == 7 else ""), 0x10000000 + number * 0x100000, size, offset)
            recording.sample(functions["longer"] - address + 0x10000000 + number * 0x100000)
        with open(data, "wb") as file:
            file.write(recording.file())
        path = os.path.join(folder, "run.db")
        command(["prlimit", "--nofile=64:64", ASSAY, "run", "--from", data, "-o", path])
        states = {os.path.basename(row["path"]): row["state"] for row in rows(path, "select path, state from run_files")}
        assert len(states) == 150 and states.pop("habits7") == "other build", states
        assert set(states.values()) <= {"read", "small"}, states


# ---- recordings of tests/perf_data.py ----

def places(program):
    """Addresses of the loops of functions, and the executable segment of a program."""
    found = {row["name"]: row["address"] for row in rows(program, "select f.name, b.address from loops l join blocks b on b.id = l.header join functions f on f.id = l.function")}
    listed = command([need("readelf"), "-lW", program]).stdout.decode()
    offset, address, size = re.search(r"LOAD\s+(0x\w+) (0x\w+) 0x\w+ (0x\w+) 0x\w+ R E", listed).groups()
    return found, int(address, 16), int(offset, 16), int(size, 16)


def of_program(program, count=100, kinds=None, path=None, build_id=None, order="<", ends=True, **facts):
    """Three samples in `longer` for one in `shorter`, at 1 MHz cycles each 250 µs: a core of 4 GHz."""
    functions, address, offset, size = places(program)
    made = Recording(order=order, **({"kinds": kinds} if kinds else {}), words=["perf", "record", program, "work"], **facts)
    made.comm(100, "habits")
    made.map(100, path or program, address, size, offset, build_id)
    for number in range(count):
        made.sample(functions["shorter" if number % 4 == 3 else "longer"])
        if number % 10 == 9:
            made.round()
    if ends:
        made.exit(100)
    return made


@test
def files_and_pipes_are_the_same():
    with Folder() as folder:
        program, data = made(folder, "-Wl,--build-id"), os.path.join(folder, "made.data")
        recording = of_program(program, host="elsewhere", processor="A Processor", architecture=MACHINE)
        recording.build_id(program, bytes.fromhex(build_id_of(program)))
        recording.lost(7)
        seen = []
        for text in (recording.file(), recording.pipe()):
            with open(data, "wb") as file:
                file.write(text)
            row, path, _ = read(folder, data)
            assert row["host"] == "elsewhere" and row["processor"] == "A Processor" and row["samples"] == 100, row
            assert abs(row["cycles_per_second"] - 4e9) < 1e6 and abs(row["sampled_seconds"] - 0.025) < 1e-6, row
            assert row["event"] == "cycles" and row["sampler"] == "cycles", row
            assert {limit["kind"]: limit["count"] for limit in rows(path, "select * from run_limits")}["lost"] == 7
            seen.append(shares(path))
        assert seen[0] == seen[1] and abs(seen[0]["longer"] - 0.75) < 0.001, seen


@test
def other_architectures():
    other = "aarch64" if MACHINE == "x86_64" else "x86_64"
    with Folder() as folder:
        compiler = [need(cross("gcc", other))]
        program = made(folder, "-Wl,--build-id", compiler=compiler, output="habits")
        data = os.path.join(folder, "made.data")
        recording = of_program(program, path="/usr/bin/habits", host="elsewhere", architecture=other,
                               build_id=bytes.fromhex(build_id_of(program)))
        with open(data, "wb") as file:
            file.write(recording.file())
        row, path, done = read(folder, data)  # beside the recording
        assert abs(shares(path)["longer"] - 0.75) < 0.001, shares(path)
        assert rows(path, "select * from run_loops where predicted_cycles > 0"), output_of(done)


@test
def other_processors():
    """Cycles are those of the processor that the recording names; a machine that is only guessed is said."""
    with Folder() as folder:
        program, data = made(folder, "-Wl,--build-id", compiler=[need(cross("gcc", "x86_64"))]), os.path.join(folder, "made.data")

        def cycles(*options, **facts):
            with open(data, "wb") as file:
                file.write(of_program(program, build_id=bytes.fromhex(build_id_of(program)), host="elsewhere", architecture="x86_64", **facts).file())
            row, path, done = read(folder, data, *options)
            return row["processor"], [loop["predicted_cycles"] for loop in rows(path, "select * from run_loops")], " ".join(output_of(done).split())

        for number, name, title in (("AuthenticAMD,25,97,2", "zen4", "Zen 4"), ("GenuineIntel,6,26,5", "nehalem", "Nehalem")):
            named = cycles(processor="P", processor_id=number)
            assert title in named[0] and "Predictions are for" not in named[2], named
            assert named[1] == cycles("--machine", name, processor="P")[1], named
        processor, _, said = cycles(processor="P", processor_id="GenuineIntel,6,255,1")
        assert processor == "P" and "Predictions are for" in said, said
        assert "Predictions are for" not in cycles("--machine", "zen4", processor="P")[2]


@test
def records_of_branches():
    """Seven cycles an iteration and five iterations an entry in `longer`; `shorter` has cycles that are not known."""
    with Folder() as folder:
        program, data = made(folder, "-Wl,--build-id=none"), os.path.join(folder, "made.data")
        functions, address, offset, size = places(program)
        kinds = perf_data.IP | perf_data.TID | perf_data.TIME | perf_data.CPU | perf_data.PERIOD | perf_data.BRANCHES | perf_data.IDENTIFIER
        for branch_kinds in (1 << 3, 1 << 3 | 1 << 17):  # all branches, without and with the place in the processor's own list
            recording = Recording(kinds=kinds, branch_kinds=branch_kinds, words=["perf", "record", "-b", program])
            recording.comm(100, "habits")
            recording.map(100, program, address, size, offset)
            for number in range(200):
                name = "shorter" if number % 4 == 3 else "longer"
                loop, known = functions[name], name == "longer"
                back = (loop + 1, loop, (7 if known else 0) << 4)
                left, entered = (loop + 0x100, loop + 0x200, 30 << 4), (loop - 0x100, loop - 0x10, 7 << 4)
                recording.sample(loop, branches=([left] + [back] * 4 + [entered]) * 5 + [left, back])
            with open(data, "wb") as file:
                file.write(recording.file())
            row, path, done = read(folder, data)
            assert "records of branches" in " ".join(output_of(done).split()), output_of(done)
            found = {loop["name"]: loop for loop in rows(path, """select f.name, r.* from run_loops r join loops l on l.id = r.loop
                                                                     join functions f on f.id = l.function""")}
            longer, shorter = found["longer"], found["shorter"]
            assert longer["cycles_per_iteration"] == 7 and longer["measured_by"] == "branches", longer
            assert abs(longer["iterations"] / (longer["self_seconds"] * row["cycles_per_second"] / 7) - 1) < 1e-6, (longer, row)
            # Getting in and out is in none of these iterations.
            assert [gap["rule"] for gap in rows(path, "select * from run_gaps")] == ["unexplained"], rows(path, "select * from run_gaps")
            # 3 of 4 jumps are followed by another one; the last of the stack is one whose end was seen, too.
            assert 4.4 < longer["iterations"] / longer["entries"] <= 5, longer
            assert shorter["measured_by"] is None or shorter["measured_by"] == "none", shorter
            assert shorter["cycles_per_iteration"] is None and shorter["entries"] is None, shorter


@test
def calls_in_records_of_branches():
    """--call-graph lbr: the calls that have not returned; a record of calls alone measures nothing."""
    with Folder() as folder:
        program, data = made(folder, "-Wl,--build-id=none"), os.path.join(folder, "made.data")
        functions, address, offset, size = places(program)
        main = int(re.search(r"^(\w+) T main$", command(["nm", program]).stdout.decode(), re.M).group(1), 16)
        kinds = (perf_data.IP | perf_data.TID | perf_data.TIME | perf_data.CPU | perf_data.PERIOD | perf_data.CALLCHAIN | perf_data.BRANCHES |
                 perf_data.IDENTIFIER)
        loop = functions["longer"]
        for branch_kinds, branches, total in ((1 << 11 | 1, [(main + 4, loop, 9 << 4)], [1]), (1 << 4 | 1, [(loop + 1, loop, 9 << 4)] * 3, [])):
            recording = Recording(kinds=kinds, branch_kinds=branch_kinds, words=["perf", "record", program])
            recording.comm(100, "habits")
            recording.map(100, program, address, size, offset)
            for number in range(200):
                recording.sample(loop, chain=[perf_data.CONTEXT_USER, loop], branches=branches)
            with open(data, "wb") as file:
                file.write(recording.file())
            _, path, done = read(folder, data)
            found = rows(path, "select r.total_share as share from run_functions r join functions n on n.id = r.function where n.name = 'main'")
            assert [row["share"] for row in found] == total, found
            assert not rows(path, "select * from run_loops where cycles_per_iteration is not null"), output_of(done)


@test
def what_is_refused():
    with Folder() as folder:
        program, data = made(folder), os.path.join(folder, "made.data")
        sound = of_program(program).file()
        for text, words in ((of_program(program, order=">").file(), "other order of bytes"), (b"", "is empty"),
                            (b"PERFFILE" + sound[8:], "from before 2010"), (b"hello, world, this is text", "is not a recording of perf"),
                            (sound[:50], "ends within its head"), (sound[:200], "makes no sense")):
            with open(data, "wb") as file:
                file.write(text)
            _, _, done = read(folder, data, status=2)
            assert words in output_of(done) and output_of(done).count("\n") == 1, output_of(done)
        for words, what in ((["--from", folder], "is a folder"), (["--from", "/dev/zero"], "is not a recording"),
                            (["--from", os.path.join(folder, "none")], "cannot be opened"),
                            (["--from", data, "--measure"], "--from"), (["--from", data, "--from", data], "one recording"),
                            (["--event", "cycles", "--", "true"], "go with --from"), (["--from", data, "true"], "choose one"),
                            (["--from", data, "--frequency", "100"], "for recording")):
            done = command([ASSAY, "run", *words], status=2)
            assert what in output_of(done) and output_of(done).count("\n") == 1, output_of(done)


@test
def records_that_make_no_sense():
    """Each is counted, and the sound ones around it stay."""
    with Folder() as folder:
        program, data = made(folder, "-Wl,--build-id=none"), os.path.join(folder, "made.data")
        functions, *_ = places(program)

        def kinds_of(recording):
            with open(data, "wb") as file:
                file.write(recording.file())
            row, path, _ = read(folder, data)
            return row, {limit["kind"]: limit["count"] for limit in rows(path, "select * from run_limits")}

        def wrong(*bodies, **more):
            recording = of_program(program)
            for kind, body in bodies:
                recording.record(kind, body)
            recording.sample(functions["longer"])
            return kinds_of(recording)

        row, kinds = wrong((9, b"12345678"), (10, b"\xff" * 60), (3, b"\xff" * 8), (83, b"\xff" * 8), (81, b"no frame"))
        assert row["samples"] == 101 and kinds["nonsense"] == 5, (row, kinds)
        sound = of_program(program)
        sound.records.append(struct.pack("<IHH", 9, 0, 0))
        sound.sample(functions["longer"])
        row, kinds = kinds_of(sound)
        assert row["samples"] == 100 and kinds["nonsense"] == 1, (row, kinds)
        sound = of_program(program)
        sound.record(71, struct.pack("<QQQIIII", 1 << 40, 0, 0, 0, 0, 0, 0))
        row, kinds = kinds_of(sound)
        assert row["samples"] == 100 and kinds["cut short"] == 1 and kinds["traces"] == 1, (row, kinds)
        text = of_program(program).file()
        with open(data, "wb") as file:
            file.write(text[:4000])
        row, path, done = read(folder, data)
        assert 0 < row["samples"] < 100 and "ends before its end" in output_of(done), output_of(done)


@test
def hostile_recordings_end():
    """Damage of every kind: an answer or one line, soon, and without much memory."""
    with Folder() as folder:
        program, data = made(folder), os.path.join(folder, "made.data")
        recording = of_program(program, kinds=perf_data.IP | perf_data.TID | perf_data.TIME | perf_data.CALLCHAIN | perf_data.PERIOD |
                               perf_data.CPU | perf_data.BRANCHES | perf_data.IDENTIFIER)
        recording.build_id(program, b"12345678901234567890")
        texts, chance = (recording.file(), recording.pipe()), random.Random(7)
        for number in range(40):
            text = bytearray(texts[number % 2])
            for _ in range(chance.choice((1, 4, 30))):
                at = chance.randrange(len(text)) if chance.random() < 0.6 else chance.randrange(600)
                text[at:at + 8] = chance.choice((b"\xff" * 8, b"\0" * 8, struct.pack("<Q", chance.getrandbits(64)), struct.pack("<Q", 1 << chance.randrange(64))))
            with open(data, "wb") as file:
                file.write(text[:chance.choice((len(text), chance.randrange(len(text))))])
            done = command([ASSAY, "run", "--from", data, "--json"], status=None)
            assert done.returncode in (0, 2), (number, done.returncode, output_of(done)[-500:])


@test
def bombs_do_not_go_off():
    """Packed records that would unpack to terabytes, and processes with far too many maps."""
    with Folder() as folder:
        program, data = made(folder), os.path.join(folder, "made.data")
        # A frame of ZSTD whose blocks repeat one byte 131,072 times, as records of kind 0x08080808 with 2,056 bytes.
        packed = struct.pack("<IBB", 0xfd2fb528, 0, 0x58) + struct.pack("<I", 1 << 1 | 131072 << 3 | 8 << 24) * (1 << 20)
        recording = of_program(program)
        for at in range(0, len(packed), 32000):
            recording.records.append(struct.pack("<IHH", 81, 0, 8 + len(packed[at:at + 32000])) + packed[at:at + 32000])
        with open(data, "wb") as file:
            file.write(recording.file())
        row, path, _ = read(folder, data)
        assert row["samples"] == 100 and rows(path, "select * from run_limits where kind = 'nonsense'"), row
        recording = of_program(program, ends=False)
        for number in range(20000):
            recording.map(100, "/x", 0x700000000000 - number * 8192, 4096, 0)
        for number in range(2000):
            recording.fork(1000 + number, 100)
            recording.map(1000 + number, "/y", 0x1000, 4096, 0)
        with open(data, "wb") as file:
            file.write(recording.file())
        row, path, _ = read(folder, data)
        assert row["samples"] == 100 and rows(path, "select * from run_limits where kind = 'nonsense'"), row


run()
