#!/usr/bin/env python3
"""Nodes in IA-64 listings are executed by a small Itanium (tests/ia64.py): functions do what they did without nodes, and the recording
that the runtime writes has the true numbers."""
# first build only: what is executed is text, and Python executes it
import collections, math, random, struct
from harness import *
from ia64 import Fault, Machine, signed

LISTINGS = os.path.join(os.path.dirname(HERE), "listings")
RUNTIME = os.path.join(ROOT, "runtime", "probe-ia64")
MAIN = """	.text
	.global main#
	.proc main#
main:
	alloc r34 = ar.pfs, 2, 1, 0, 0
	mov r8 = 3 ;;
	mov ar.pfs = r34
	br.ret.sptk.many b0 ;;
	.endp main#
"""
# What these listings, written by hand to look like icc's, do not give back.
CARELESS = {"daxpy.s": [f"f{i}" for i in range(16, 32)], "icc10.s": ["ar.lc", *[f"p{i}" for i in range(16, 64)]]}


def listing_of(name):
    return os.path.join(ROOT, "examples", name) if name == "daxpy.s" else os.path.join(LISTINGS, name)


def read(path):
    with open(path) as file:
        return file.read()


def runtime():
    return text("asm", "--probe-runtime")


class Program:
    """A listing on an Itanium, with nodes where a plan is given."""
    def __init__(self, folder, name, plan=None, is_started=True, **more):
        self.folder, self.name, self.plan = folder, name, plan
        self.ends, texts = [], [read(listing_of(name))]
        self.host = {"observe": lambda machine, words, value: 7, "on_exit": lambda machine, what, state: self.ends.append((what, state))}
        if plan is not None:
            texts = [self.with_nodes(listing_of(name), plan), runtime(), self.with_nodes(self.put("main.s", MAIN), "functions main\n")]
        self.machine = Machine(texts, self.host, folder=folder, **more)
        if plan is not None and is_started:
            self.machine.call("main", 1, 0)

    def at(self, folder):
        self.folder = folder
        return self

    def put(self, name, contents):
        path = os.path.join(self.folder, name)
        with open(path, "w") as file:
            file.write(contents)
        return path

    def with_nodes(self, listing, plan):
        out = os.path.join(self.folder, "nodes.s")
        assay("asm", listing, "--isa", "ia64", "--probe", self.put("plan.txt", plan), "-o", out)
        return read(out)

    def call(self, name, *arguments, floats=()):
        return self.machine.call(name, *arguments, floats=floats, may_change=CARELESS.get(self.name, ()))

    def end(self):
        """The status of its end is 5."""
        for what, state in self.ends:
            self.machine.call(self.machine.memory.read(what, 8), 5, state)
        self.machine.leave()

    def recording(self, name="assay.4711.probe"):
        return json.loads(text("probe", "report", os.path.join(self.folder, name), "--json"))["runs"][0]


def work(program):
    """Calls of the functions of kernels.c; everything that they return and leave in memory."""
    machine, results = program.machine, []
    x, y = machine.put_doubles(*range(1, 41)), machine.put_doubles(*[3 * i for i in range(40)])
    for count in (5, 3, 0, 17, 4, 4, 4):
        program.call("daxpy", count, 0, x, y, floats=[2.0])
    results.append(machine.doubles(y, 40))
    results += [program.call("dot", count, x, y)[1] for count in (1, 0, 17, 17)]
    results.append(program.call("checksum", x, 30)[0])
    results += [program.call("pick", what, 1000 * what - 77)[0] for what in range(-1, 8)]
    points = machine.room(24 * 5)
    for i in range(5):
        for at, number in ((0, i + 0.5), (8, -i)):
            machine.store_bytes(points + 24 * i + at, 8, struct.unpack("<Q", struct.pack("<d", number))[0])
        machine.store_bytes(points + 24 * i + 16, 8, points + 24 * (i + 1) if i < 4 else 0)
    results += [program.call("length", where)[1] for where in (points, points + 48, 0)]
    results += [signed(program.call("fibonacci", number)[0], 32) for number in (0, 1, 7, 11)]
    words = [machine.room(16) for _ in range(3)]
    for place, word in zip(words, (b"probes", b"probing", b"")):
        for i, byte in enumerate(word + b"\0"):
            machine.store_bytes(place + i, 1, byte)
    results += [signed(program.call("compare", words[i], words[k])[0], 32) for i in range(3) for k in range(3)]
    return results


def executed(program):
    """How often each line of the listing was executed."""
    return collections.Counter({row.line: count for row, count in program.machine.executed.items() if row.listing.number == 0})


def plain(name):
    with Folder() as folder:
        program = Program(folder, name)
        return work(program), executed(program)


def first_lines(listing):
    """Lines of the first instruction of each function, of the header of each innermost loop, and of the way on from there."""
    start = "join code c on c.block = {} join listing_instructions l on l.instruction = c.id"
    functions = rows(listing, "select f.name, min(l.line) as line from functions f join blocks b on b.function = f.id and b.address = f.address "
                     + start.format("b.id") + " group by f.id")
    inside = "(select block from loop_blocks where loop = o.id)"
    heads, others = (rows(listing, f"with heads as (select o.id, o.function, {block} as block from loops o where o.is_innermost) select f.name, "
                                   "min(l.line) as line from heads h join functions f on f.id = h.function " + start.format("h.block") + " group by h.id")
                     for block in ("o.header", f"coalesce((select e.target from edges e where e.source = o.header and e.target <> o.header and "
                                               f"e.target in {inside}), o.header)"))
    return {row["name"]: row["line"] for row in functions}, {row["name"]: {row["line"], other["line"]} for row, other in zip(heads, others)}


@test
def what_the_functions_do_stays_the_same():
    for name in ("kernels-O0.s", "kernels-O2.s", "kernels-O3.s", "kernels-g.s", "kernels-plain.s"):
        before, _ = plain(name)
        for plan in ("functions\nloops\nvalues daxpy\nvalues fibonacci\ncalls observe\n", "loops\nno-clock\n"):
            with Folder() as folder:
                program = Program(folder, name, plan)
                after = work(program)
                program.end()
                assert after == before, (name, plan, before, after)
                assert program.recording()["exit_status"] == 5


@test
def calls_and_iterations_are_true():
    for name in ("kernels-O0.s", "kernels-O2.s", "kernels-g.s", "kernels-plain.s"):
        _, times = plain(name)
        functions, loops = first_lines(listing_of(name))
        for plan in ("functions\nloops\n", "functions\nloops\nno-clock\n"):
            with Folder() as folder:
                program = Program(folder, name, plan)
                work(program)
                program.end()
                run = program.recording()
            calls = {row["name"]: row["calls"] for row in run["functions"]}
            assert calls.pop("main") == 1
            assert calls == {function: times[line] for function, line in functions.items() if times[line]}, (name, calls)
            found = collections.Counter()
            for row in run["loops"]:
                assert not row["abandoned"], row
                found[row["name"]] += row["iterations"]
            # A loop that tests at the start passes its header once more.
            assert all(count in {times[line] for line in loops[function]} for function, count in found.items()), (name, found, loops, times)
            missing = {function for function in loops if times[min(loops[function])] and function not in found}
            assert missing <= ({"compare"} if name in ("kernels-O2.s", "kernels-g.s") else set()), (name, missing)
            assert {limit["kind"] for limit in run["limits"]} <= {"overhead", "burst"}, run["limits"]


def accesses(program, lines):
    """Addresses that the listing's instructions at these lines accessed, line by line."""
    found = collections.defaultdict(list)
    for row, address in program.machine.accesses:
        if row.listing.number == 0 and row.line in lines:
            found[row.line].append(address)
    return found


@test
def a_pipelined_loop_keeps_its_iterations_and_addresses():
    """The kernel of examples/daxpy.s works on 16 elements in three stages; accesses of the first and last stages are under predicates."""
    for count in (0, 3, 16, 70):
        results = []
        for plan in (None, "loops\n", "loops\naddresses loop 1\naddresses loop 2\nvalues daxpy\n"):
            with Folder() as folder:
                program = Program(folder, "daxpy.s", plan)
                machine = program.machine
                x, y = machine.put_doubles(*range(100)), machine.put_doubles(*[i * i for i in range(100)])
                program.call("daxpy", count, 0, x, y, floats=[3.0])
                results.append(machine.doubles(y, 100))
                if plan is None:
                    made = accesses(program, {row["line"] for row in rows(listing_of("daxpy.s"), "select line from listing_instructions")})
                    continue
                program.end()
                run = program.recording()
                loops = {row["loop"]: row["iterations"] for row in run["loops"]}
                assert sorted(loops.values()) == sorted(number for number in (count // 16, count % 16) if number), (count, loops)
                if "values" not in plan:
                    continue
                values = {row["name"]: row["maximum"] for row in run["values"]}
                true = {"r32": count, "r34": x, "r35": y, "f8": 3.0}
                assert values.keys() == true.keys() and all(math.isclose(values[name], true[name]) for name in true), values
                recorded = sorted(run["addresses"], key=lambda row: row["instruction"])
                true = [there for _, there in sorted(made.items()) if there]
                assert [row["count"] for row in recorded] == [len(there) for there in true], (recorded, made)
                for row, there in zip(recorded, true):
                    strides = collections.Counter(b - a for a, b in zip(there, there[1:]))
                    assert len(there) < 2 or row["stride"] == strides.most_common(1)[0][0], (row, strides)
                    assert row["maximum"] - row["minimum"] == max(there) - min(there), (row, there)
        assert results[0] == results[1] == results[2], count
        assert results[0][:count] == [i * i + 3.0 * i for i in range(count)]


@test
def registers_at_a_line():
    with Folder() as folder:
        lines = {"ar.lc": 36, "r35": 36, "f6": 46, "r32": 36}
        plan = "".join(f"at kernels-O2.s:{line} {name}\n" for name, line in lines.items())
        program = Program(folder, "kernels-O2.s", plan)
        x, y = program.machine.put_doubles(1.5, 2.5, 3.5), program.machine.put_doubles(10, 20, 30)
        program.call("daxpy", 3, 0, x, y, floats=[2.0])
        program.end()
        values = {row["name"]: (row["count"], row["minimum"], row["maximum"]) for row in program.recording()["values"]}
        assert values["ar.lc"] == (3, 0, 2) and values["r32"] == (3, 3, 3) and values["f6"] == (3, 13, 37), values
        assert math.isclose(values["r35"][1], y) and values["r35"][0] == 3, values
    message = refused("kernels-O2.s", "at kernels-O2.s:37 f7\n")
    assert "kernels-O2.s:37: a value of daxpy has no node: what it needs is only made in the same bundle" in message, message


def refused(name, plan):
    with Folder() as folder:
        file, out = os.path.join(folder, "plan.txt"), os.path.join(folder, "out.s")
        with open(file, "w") as text_file:
            text_file.write(plan)
        return assay("asm", listing_of(name), "--probe", file, "-o", out).stderr.decode()


@test
def many_events_of_a_run():
    """Buffers of 1,024 events are full again and again; what does not fit the recording is counted."""
    for limit in (None, 4 * 65536):
        with Folder() as folder:
            program = Program(folder, "kernels-O2.s", "functions daxpy\nloops daxpy\nvalues daxpy\n", is_started=False)
            if limit:
                program.machine.store_bytes(limit_place(program), 8, limit)
            program.machine.call("main", 1, 0)
            machine = program.machine
            x, y = machine.put_doubles(1, 2, 3), machine.put_doubles(0, 0, 0)
            for i in range(450):
                program.call("daxpy", i % 4, 0, x, y, floats=[1.0])
            program.end()
            run = program.recording()
            if limit:
                assert {row["kind"]: row["count"] for row in run["limits"]}["lost"] >= 1024, run["limits"]
                continue
            assert {row["name"]: row["calls"] for row in run["functions"]} == {"daxpy": 450, "main": 1}
            loop, = run["loops"]
            assert (loop["iterations"], loop["entries"]) == (sum(i % 4 for i in range(450)), sum(i % 4 > 0 for i in range(450))), loop
            counted = {row["name"]: row["count"] for row in run["values"]}
            assert counted == {"r32": 450, "r34": 450, "r35": 450, "f8": 450}, counted
            assert {limit["kind"] for limit in run["limits"]} <= {"overhead", "burst"}, run["limits"]


def limit_place(program):
    return next(row.listing.names["most_bytes"] for row in program.machine.code if "most_bytes" in row.listing.names)


@test
def the_runtime_keeps_every_register():
    for routine in ("assay_probe_begin", "assay_probe_full"):
        for is_started in (False, True):
            with Folder() as folder:
                program = Program(folder, "kernels-O2.s", "functions daxpy\n", is_started)
                machine = program.machine
                runtime_names = next(row.listing.names for row in machine.code if "most_bytes" in row.listing.names)
                position = machine.symbols["assay_probe_position"]
                machine.store_bytes(position, 8, 16384 + (machine.memory.read(position + 8, 8) or runtime_names["scrap"]))
                machine.frame, machine.rotating, machine.turned = (40, 8), 8, [3, 17, 40]
                machine.bottom = len(machine.stacked) + 3
                machine.stacked += [random.getrandbits(63) for _ in range(200)]
                machine.written, machine.fresh = set(), []
                machine.branches[0] = random.getrandbits(63)
                before = registers(machine)
                machine.applications["ar.pfs"], machine.branches[6] = machine.save_frame(), 0x10
                machine.bottom += 8
                machine.frame, machine.rotating, machine.turned = (32, 0), 0, [0, 0, 0]
                machine.run(machine.symbols[routine])
                machine.give_back()
                after = registers(machine)
                if routine == "assay_probe_begin":  # it calls on_exit, where main begins and nothing is there
                    before, after = ({key: values[key] for key in values if not re.fullmatch(r"f(3[2-9]|[4-9].|1..)", key)} for values in (before, after))
                assert before == after, (routine, [key for key in before if before[key] != after[key]])
                machine.leave()


def registers(machine):
    names = {f"{kind}{i}": value for kind, values in (("r", machine.general), ("f", machine.floats), ("p", machine.predicates))
             for i, value in enumerate(values)}
    names.update({f"b{i}": machine.branches[i] for i in range(6)})
    names.update({f"stacked {i}": machine.stacked[machine.bottom + i] for i in range(40)})
    names.update({name: machine.applications[name] for name in ("ar.lc", "ar.ec", "ar.unat", "ar.ccv")})
    return {**names, "frame": (machine.frame, machine.bottom, machine.rotating, tuple(machine.turned))}


@test
def names_of_recordings():
    with Folder() as folder:
        os.mkdir(os.path.join(folder, "deep"))
        for environment, name in ((["A=1", "ASSAY_PROBE_FILEX=no", f"ASSAY_PROBE_FILE={folder}/deep/run"], "deep/run.4711"),
                                  (["ASSAY_PROBE_FILE=deep/run"], "deep/run.4711.2"), (["ASSAY_PROBE_FILE=deep/run"], "deep/run.4711.3"),
                                  (["ASSAY_PROBE_FILE="], "assay.4711.probe")):
            program = Program(folder, "kernels-O2.s", "functions daxpy\n", environment=environment)
            program.call("daxpy", 0, 0, 0, 0)
            program.end()
            run = program.recording(name)
            assert {row["name"]: row["calls"] for row in run["functions"]} == {"daxpy": 1, "main": 1}, run["functions"]
            assert (run["processor"], run["process"], run["command"]) == ("Itanium", 4711, "program argument"), run


@test
def programs_run_without_a_recording():
    """Where no file can be made, where the rights are somebody else's, and in children."""
    before, _ = plain("kernels-O2.s")
    for case in ("no folder", "other rights"):
        with Folder() as folder:
            environment = ["ASSAY_PROBE_FILE=none/run"] if case == "no folder" else []
            program = Program(folder, "kernels-O2.s", "functions\n", is_started=False, environment=environment)
            program.machine.user = 0 if case == "other rights" else 1000
            program.machine.call("main", 1, 0)
            assert work(program) == before
            assert not [name for name in os.listdir(folder) if "4711" in name], os.listdir(folder)
    with Folder() as folder:
        program = Program(folder, "kernels-O2.s", "functions daxpy\n")
        for i in range(1500):
            program.call("daxpy", 0, 0, 0, 0)
            program.machine.process = 4711 if i < 99 else 4712
        program.end()
        calls = {row["name"]: row["calls"] for row in program.recording()["functions"]}["daxpy"]
        assert 99 <= calls <= 99 + 512, calls


@test
def a_recording_joins_the_rows_of_its_listing():
    """Bounds have the measured column then; cycles are groups here, and the kernel of the example has twelve."""
    with Folder() as folder:
        program = Program(folder, "daxpy.s", "functions\nloops\n")
        x, y = program.machine.put_doubles(*range(200)), program.machine.put_doubles(*range(200))
        for count in (160, 96, 0):
            program.call("daxpy", count, 0, x, y, floats=[3.0])
        program.end()
        recording, database = os.path.join(folder, "assay.4711.probe"), os.path.join(folder, "daxpy.db")
        report = ["probe", "report", recording, "--object"]
        assay(*report, listing_of("daxpy.s"), "-o", database)
        found, = rows(database, "select l.id, p.entries, p.iterations, p.cycles_per_iteration, n.stages from probe_loops p join loops l on l.id = p.loop "
                                "join pipelined_loops n on n.loop = l.id")
        assert (found["entries"], found["iterations"], found["stages"]) == (2, 16, 3), found
        # Two more stages than iterations, and the branch is a group's end: 12 groups each.
        assert 12 <= found["cycles_per_iteration"] <= 12 * 20 / 16 + 1, found
        bounds = assay("bounds", database, "--loop", str(found["id"])).stdout.decode()
        assert re.search(r"c +9? .*12 +1[2-6]", re.sub("n/a", "", bounds)), bounds
        changed = os.path.join(folder, "changed", "daxpy.s")
        os.mkdir(os.path.dirname(changed))
        with open(changed, "w") as file:
            file.write("// one line more\n" + read(listing_of("daxpy.s")))
        for words, message in (([changed], "is not the text that the nodes were put into"), ([listing_of("icc10.s")], "has nothing about the listings given"),
                               ([ASSAY], "is not an assembly listing"), ([listing_of("daxpy.s"), "-o", "-"], "cannot go to standard output")):
            assert message in assay(*report, *words, status=2).stderr.decode(), words
        assert "which --object is for" in assay("probe", "report", database, "--object", listing_of("daxpy.s"), status=2).stderr.decode()


@test
def what_has_no_node_is_told():
    message = refused("kernels-O2.s", "loops\n")
    assert re.search(r"kernels-O2.s:\d+: loop of compare has no node: no place in the text is on that way alone", message), message
    assert "1 of 7 subjects have no node" in message, message


@test
def the_runtime_is_a_text_of_its_own():
    for words, message in ((["x.s"], "does not take x.s"), (["--json"], "does not go with --json"), (["--probe", "plan"], "does not go with --probe")):
        assert message in assay("asm", "--probe-runtime", *words, status=2).stderr.decode()
    assert "needs an operand" in assay("asm", status=2).stderr.decode()
    with Folder() as folder:
        path = os.path.join(folder, "runtime.s")
        assay("asm", "--probe-runtime", "-o", path)
        assert not rows(path, "select * from problems")


def assembled(folder, name, contents):
    """What an assembler that checks dependences says; the object."""
    source, out = os.path.join(folder, name + ".s"), os.path.join(folder, name + ".o")
    with open(source, "w") as file:
        file.write(contents)
    done = subprocess.run(["ia64-linux-gnu-as", "-x", source, "-o", out], capture_output=True, text=True)
    lines = [line for line in done.stderr.splitlines() if re.search(r":\d+: ", line)]
    return lines, out


@test
def an_assembler_takes_it():
    if not shutil.which("ia64-linux-gnu-as"):
        raise Skip("there is no assembler for IA-64 (Debian has had none since 12, and none on AArch64)")
    with Folder() as folder:
        plan = "functions\nloops\nvalues .\naddresses loop 1\n"
        for name in ("kernels-O0.s", "kernels-O2.s", "kernels-O3.s", "kernels-g.s", "kernels-plain.s", "icc10.s", "icc8.s", "daxpy.s"):
            before, _ = assembled(folder, "before", read(listing_of(name)))
            after, _ = assembled(folder, "after", Program.with_nodes(Program.__new__(Program).at(folder), listing_of(name), plan))
            assert len(after) == len(before), (name, after)
        message, made = assembled(folder, "runtime", runtime())
        assert not message, message
        message, kernels = assembled(folder, "kernels", Program.with_nodes(Program.__new__(Program).at(folder), listing_of("kernels-O2.s"), plan))
        message, other = assembled(folder, "other", "\t.text\n\t.global observe#\n\t.global _start#\nobserve:\n_start:\n\tbr.ret.sptk.many b0\n")
        program = os.path.join(folder, "program")
        command(["ia64-linux-gnu-ld", "-static", "-o", program, kernels, made, other])
        headers = command(["ia64-linux-gnu-readelf", "-lW", program]).stdout
        assert b"NOTE" in headers and b"TLS" in headers, headers


run()
