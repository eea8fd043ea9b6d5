"""The proof that denormals are counted right: heat in a plate (examples/denormals/jacobi.c), whose numbers are known to the
last digit from a plain program that asks every value, under the tracer, under the profiler, and both against each other."""
# first build only: it counts what the runtimes see, and these are alike in all builds
import glob, json, os, shutil, struct, zlib

from harness import MACHINE, NO_TRAPS, PROGRAMS, ROOT, Folder, Skip, assay, build, command, cross, need, rows, run, test

JACOBI = os.path.join(ROOT, "examples", "denormals", "jacobi.c")
# 512 × 512 points, 768 sweeps; loads at each of the four reads.
FULL = {"loads": [4477168] * 4, "results": [4306412, 4252566, 4216460, 4477184], "stores": 4477184,
        "arrays": [(8993808, 2248468), (8914864, 2228716)], "events": 4879112 + 4799120 + 4877404 + 4216460,
        "lost": 215648}
SMALL = ("192", "160")


def jacobi(folder, *flags, compiler=None):
    return build(folder, compiler or [need("gcc")], [JACOBI], "-g", f"-I{ROOT}/include", *flags)


def reference(folder, size, sweeps):
    path = build(folder, [need("gcc")], [os.path.join(PROGRAMS, "jacobi_count.c")], "-O2", "-lm", output="count")
    counted = json.loads(command([path, size, sweeps]).stdout)
    counted["arrays"] = [tuple(counted["a"]), tuple(counted["b"])]
    return counted


def trace(folder, *words, options=()):
    database = os.path.join(folder, "run.db")
    assay("denormals", "trace", "--force", "-o", database, "--quiet", *options, "--", *words)
    return database


def block_sums(database, column, classes):
    """A column of the sites of sweep, added up over the blocks that the compiler made of the loop: the first instruction
    of each block that is of these classes and counts something, the second, and so on."""
    found = {}
    query = f"""select i.block, sum(s.{column}) as count from denormal_sites s join instructions i on i.id = s.instruction
                join functions f on f.id = s.function where f.name = 'sweep' {classes}
                group by s.address having count > 0 order by i.block, i.address"""
    for row in rows(database, query):
        found.setdefault(row["block"], []).append(row["count"])
    sums = [sum(counts) for counts in zip(*found.values())]
    assert all(len(counts) == len(sums) for counts in found.values()), f"{column}: {found}"
    return sums


def total(database, column, where="1"):
    return rows(database, f"select coalesce(sum({column}), 0) as n from denormal_sites s where {where}")[0]["n"]


def expect_counts(database, known):
    """Each read, each operation, each store; and in all, so that nothing is counted anywhere else."""
    loads, results = block_sums(database, "loads", ""), block_sums(database, "results", "")
    assert loads == known["loads"], f"loads {loads}, known {known['loads']}"
    assert results == known["results"], f"results {results}, known {known['results']}"
    for column, sum_known in (("loads", sum(known["loads"])), ("results", sum(known["results"])), ("stores", known["stores"]),
                              ("move_loads", 0), ("move_stores", 0)):
        found = total(database, column)
        assert found == sum_known, f"{column} {found}, known {sum_known}"
    arrays = rows(database, "select name, loads, stores, integer_loads, integer_stores from denormal_arrays order by name")
    assert [row["name"] for row in arrays] == ["a", "b"], arrays
    assert [(row["loads"], row["stores"]) for row in arrays] == known["arrays"], arrays
    assert not any(row["integer_loads"] or row["integer_stores"] for row in arrays), arrays


def can_trace():
    need("valgrind")
    if MACHINE not in ("x86_64", "aarch64"):
        raise Skip("needs an x86-64 or AArch64 processor")


def can_trap():
    if MACHINE != "x86_64":
        raise Skip(NO_TRAPS)


@test
def plate_at_O1_to_the_last_digit():
    """At -O1 an instruction for each read, operation and store of the source."""
    can_trace()
    with Folder() as folder:
        database = trace(folder, jacobi(folder, "-O1"), options=["--counts"])
        expect_counts(database, FULL)
        sites = rows(database, "select count(distinct s.address) as n from denormal_sites s join functions f on f.id = s.function "
                               "where f.name = 'sweep' and (loads or results or stores)")
        assert sites[0]["n"] == (6 if MACHINE == "x86_64" else 9), sites


def cells(database, array, phase, kind):
    """(row, column, count) of the cells of a map that are not zero, and its width and height."""
    row = rows(database, f"select m.width, m.height, hex(m.counts) as counts from denormal_maps m join denormal_arrays a on "
                         f"a.id = m.array join denormal_phases p on p.id = m.phase where a.name = '{array}' and "
                         f"p.position = {phase} and m.kind = '{kind}'")
    if not row:
        return [], 0, 0
    packed, width, height = zlib.decompress(bytes.fromhex(row[0]["counts"])), row[0]["width"], row[0]["height"]
    counts = memoryview(packed).cast("I")
    assert len(counts) == width * height, row[0]
    return [(i // width, i % width, n) for i, n in enumerate(counts) if n], width, height


def mean_distance(database, array, phase):
    """Of denormal stores, from the nearest edge."""
    found, width, height = cells(database, array, phase, "stores")
    stores = sum(n for _, _, n in found)
    return sum(n * min(y, x, height - 1 - y, width - 1 - x) for y, x, n in found) / stores if stores else None


@test
def plate_at_O3_to_the_last_digit_and_its_maps():
    """Vectors of four, and what is left of a row; origins followed; the ring moves inwards from phase to phase."""
    can_trace()
    with Folder() as folder:
        database = trace(folder, jacobi(folder, "-O3"))
        expect_counts(database, FULL)
        pairs = rows(database, "select d.name as destination, s.name as source, o.count from denormal_origins o join "
                               "denormal_arrays d on d.id = o.destination left join denormal_arrays s on s.id = o.source")
        assert {(p["destination"], p["source"]) for p in pairs if p["count"]} == \
            {("a", "b"), ("b", "a"), ("a", None), ("b", None)}, pairs
        distances = [mean_distance(database, "a", phase) for phase in range(2, 10)]  # the first is before the first mark
        present = [d for d in distances if d is not None]
        assert len(present) >= 4 and present == sorted(present) and present[-1] > 2 * present[0], distances


def small_builds():
    """Options that make different code of the loop."""
    builds = [["-O0"], ["-O2"]]
    if MACHINE == "x86_64" and " avx2 " in open("/proc/cpuinfo").read():
        builds.append(["-O3", "-mavx2", "-mfma"])
    return builds


@test
def small_plates_as_counted_by_asking_each_value():
    can_trace()
    with Folder() as folder:
        known = reference(folder, *SMALL)
        for flags in small_builds():
            database = trace(folder, jacobi(folder, *flags), *SMALL, options=["--counts"])
            sums = {column: total(database, column) for column in ("loads", "results", "stores", "births", "operand_events")}
            expected = {"loads": sum(known["loads"]), "results": sum(known["results"]), "stores": known["stores"],
                        "births": known["births"], "operand_events": sum(known["events"])}
            if flags[0] == "-O3":  # an event is an execution, of up to eight lanes
                assert sum(known["events"]) / 8 <= sums.pop("operand_events") < expected.pop("operand_events"), sums
            assert sums == expected, f"{flags}: {sums}, counted {expected}"
            arrays = rows(database, "select loads, stores from denormal_arrays order by name")
            assert [(row["loads"], row["stores"]) for row in arrays] == known["arrays"], f"{flags}: {arrays}"


def operand_events(database):
    """By phase and address in the program."""
    found = rows(database, "select p.position, s.address, sum(s.operand_events) as n from denormal_sites s join denormal_phases p "
                           "on p.id = s.phase where s.program = 1 group by 1, 2 having n")
    return {(row["position"], row["address"]): row["n"] for row in found}


@test
def profiler_and_tracer_agree_on_every_instruction():
    """Traps of the processor in exact mode against the tracer's counts, phase by phase: scalar and packed SSE, AVX."""
    can_trace()
    can_trap()
    with Folder() as folder:
        known = reference(folder, *SMALL)
        for flags in [["-O1"], *small_builds(), ["-O3"]]:
            program, database = jacobi(folder, *flags), os.path.join(folder, "exact.db")
            traced = operand_events(trace(folder, program, *SMALL, options=["--counts"]))
            assay("denormals", "profile", "--exact", "--force", "-o", database, "--quiet", "--", program, *SMALL)
            trapped = operand_events(database)
            assert trapped == traced, f"{flags}: trapped {trapped}, traced {traced}"
            underflows = total(database, "underflow_events")
            assert flags[0] == "-O3" or (sum(trapped.values()), underflows) == \
                (sum(known["events"]), sum(known["results"]) + known["lost"]), (flags, trapped, underflows)
            assert len({address for _, address in trapped}) >= 4 and len({phase for phase, _ in trapped}) >= 3, (flags, trapped)


@test
def sampled_counts_are_near_the_truth():
    """At the default budget: the total within a factor of 1.5 in the median of some runs; and each phase that has more than 5 % of
    the events gets some in the mean of the runs. The run is short, so that a phase has only a few windows of sampling, and none
    of them when the computer is busy elsewhere: then the mean of more runs decides."""
    can_trap()
    runs, at_most, seen = 5, 25, []
    with Folder() as folder:
        program, database = jacobi(folder, "-O1"), os.path.join(folder, "sampled.db")
        exact = trace(folder, program, options=["--counts"])
        by_phase = ("select p.position, coalesce(sum(s.operand_events), 0) as events from denormal_phases p left join denormal_sites s "
                    "on s.phase = p.id group by p.id order by 1")
        true = [row["events"] for row in rows(exact, by_phase)]
        assert sum(true) == FULL["events"], true
        large = [phase for phase, events in enumerate(true) if events > 0.05 * sum(true)]

        def missed():
            return [phase for phase in large if sum(run[phase] for run in seen) <= 0.1 * true[phase] * len(seen)]

        while len(seen) < runs or (missed() and len(seen) < at_most):
            assay("denormals", "profile", "--force", "-o", database, "--quiet", "--", program)
            seen.append([row["events"] for row in rows(database, by_phase)])
        totals = sorted(sum(counts) for counts in seen)
        assert sum(true) / 1.5 <= totals[len(totals) // 2] <= sum(true) * 1.5, (totals, sum(true))
        assert not missed(), (missed(), seen, true)


def build_arm_tool(folder):
    """The tracer for AArch64 on another machine: needs Valgrind for that, which cannot be installed beside the machine's own."""
    package = os.environ.get("VALGRIND_ARM64")
    if MACHINE == "aarch64":
        raise Skip("the other tests run on AArch64 here")
    if not package:
        raise Skip("Valgrind of AArch64 cannot be installed beside this machine's; VALGRIND_ARM64 can name a folder with it")
    compiler, libraries = need(cross("gcc", "aarch64")), f"{package}/usr/lib/aarch64-linux-gnu/valgrind"
    sources = [path for path in glob.glob(f"{ROOT}/runtime/denormal-trace/*.c") if os.path.basename(path) != "preload.c"]
    command([compiler, "-std=gnu99", "-O2", "-fno-pie", "-fno-stack-protector", "-fno-strict-aliasing", "-fno-builtin",
             "-DVGA_arm64=1", "-DVGO_linux=1", "-DVGP_arm64_linux=1", "-DVGPV_arm64_linux_vanilla=1",
             "-I/usr/include/valgrind", f"-I{ROOT}/include", "-o", f"{folder}/denormal-trace-arm64-linux", "-static", "-no-pie",
             "-nodefaultlibs", "-nostartfiles", "-u", "_start", "-Wl,-Ttext-segment=0x58000000", *sources, f"-L{libraries}",
             "-lcoregrind-arm64-linux", "-lvex-arm64-linux", "-lgcc", "-lgcc-sup-arm64-linux"])
    shutil.copy(f"{package}/usr/libexec/valgrind/default.supp", folder)
    return os.path.join(folder, "denormal-trace-arm64-linux")


def read_sites(path):
    """Sums of a recording (runtime/denormal-trace/trace_file.h) over all sites and phases."""
    columns = ("executions", "operand_events", "underflow_events", "operands", "results", "births", "ends", "loads", "stores")
    site, sums = struct.Struct("<13Q"), dict.fromkeys(columns, 0)
    with open(path, "rb") as file:
        data = file.read()
    at = 16
    while at < len(data):
        kind, size = struct.unpack_from("<II", data, at)
        if kind == 4:
            for counts in site.iter_unpack(data[at + 8:at + 8 + size]):
                for column, count in zip(columns, counts[1:]):
                    sums[column] += count
        at += 8 + size
    return sums


@test
def small_plates_on_AArch64_under_qemu():
    qemu = need("qemu-aarch64")
    with Folder() as folder:
        tool, known = build_arm_tool(folder), reference(folder, *SMALL)
        for flag in ("-O1", "-O3"):
            program = jacobi(folder, flag, "-static", compiler=[cross("gcc", "aarch64")])
            command([qemu, "-cpu", "max", tool, "--tool=denormal-trace", "--quiet", f"--output={folder}/run.trace", program, *SMALL],
                    env=dict(os.environ, VALGRIND_LIB=folder, VALGRIND_LAUNCHER="/usr/bin/valgrind"))
            found = read_sites(f"{folder}/run.trace")
            assert (found["loads"], found["results"], found["stores"], found["births"]) == \
                (sum(known["loads"]), sum(known["results"]), known["stores"], known["births"]), (flag, found, known)


run()
