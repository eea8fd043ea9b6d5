"""The stories of examples/denormals: image filters in Fortran, whose denormals are born in exp and pass five arrays before they
cost time, and a flow solver that has denormals in its first steps only; and that each fix removes what it promises."""
# first build only: it runs programs under the tracer, which is alike in all builds; the other tests of denormals read recordings
import os

from harness import MACHINE, NO_TRAPS, ROOT, Folder, Skip, assay, build, command, need, rows, run, test

EXAMPLES = os.path.join(ROOT, "examples", "denormals")
SIZE = 128
LEVELS, DIRECTIONS = 5, 8


def gabor(folder, level="-O1"):
    sources = [os.path.join(EXAMPLES, name) for name in ("cfft.f90", "gabor.f90")]
    return build(folder, [need("gfortran")], sources, "-g", level, f"-J{folder}", output="gabor")


def line_of(name, text):
    with open(os.path.join(EXAMPLES, name)) as source:
        return next(number for number, line in enumerate(source, 1) if text in line)


def watch(folder, kind, *words, options=()):
    """The database of a run, and what the program printed."""
    if kind == "trace":
        need("valgrind")
    elif MACHINE != "x86_64":
        raise Skip(NO_TRAPS)
    database = os.path.join(folder, kind + ".db")
    result = assay("denormals", kind, "--force", "-o", database, "--quiet", *options, "--", *words)
    return database, result.stdout.decode()


def one(database, query):
    found = rows(database, query)
    assert len(found) == 1, f"{query}: {found}"
    return found[0]


def arrays(database):
    return {row["name"]: row for row in rows(database, "select * from denormal_arrays")}


def first_chain(database):
    """Arrays that the denormals of the birth with the largest share pass, from the birth on; blocks without a name left out."""
    chain = one(database, "select id, birth, share from denormal_chains order by share desc, id limit 1")
    steps = rows(database, f"select a.name, a.kind from denormal_chain_steps s join denormal_arrays a on a.id = s.array "
                           f"where s.chain = {chain['id']} order by s.position")
    return chain, [step["name"] for step in steps if step["kind"] != "block"]


def in_order(words, among):
    rest = iter(among)
    return all(word in rest for word in words)


@test
def workspaces_are_three_arrays_each():
    """Table 6.10: the denormals of the workspaces are among the temporaries of wsaverow, the rest of what looks so are factors."""
    with Folder() as folder:
        program = gabor(folder)
        plain, _ = watch(folder, "trace", program, 256)
        before = arrays(plain)
        parts, _ = watch(folder, "trace", program, 256, options=["--layout", os.path.join(EXAMPLES, "fftpack.layout")])
        after = arrays(parts)
        temporaries = after["wsaverow (temporaries)"]
        assert temporaries["loads"] == temporaries["stores"] == before["wsaverow"]["loads"] > 0, temporaries
        assert temporaries["element"] == before["wsaverow"]["element"] and temporaries["dimensions"] == "512", temporaries
        for name in ("wsaverow", "wsavecol"):
            factors = after[f"{name} (factors)"]
            assert factors["integer_loads"] == before[name]["integer_loads"] > 0 and not factors["loads"] + factors["stores"], factors
            assert factors["dimensions"] == "15" and factors["element"] == "integer", factors
            assert name not in after and f"{name} (constants)" not in after, after.keys()
        assert "wsavecol (temporaries)" not in after and after["ftemp"]["loads"] == before["ftemp"]["loads"], after.keys()


@test
def story_of_the_filters():
    with Folder() as folder:
        program = gabor(folder)
        database, printed = watch(folder, "trace", program, SIZE)
        assert printed == command([program, SIZE]).stdout.decode(), printed
        chain, passed = first_chain(database)
        assert in_order(["kernel", "fctemp", "ftemp", "ctemp"], passed), passed
        assert passed[0] == "kernel" and chain["share"] > 0.5, (passed, chain)
        frames = rows(database, f"select f.position, f.name, n.name as function, p.path, f.line from denormal_frames f left join "
                                f"functions n on n.id = f.function left join files p on p.id = f.file where f.stack = "
                                f"(select stack from denormal_births where id = {chain['birth']}) order by f.position")
        assert "exp" in (frames[0]["function"] or frames[0]["name"]), frames
        caller = next(f for f in frames if f["path"] and f["path"].endswith("gabor.f90"))
        assert "compute_kernel" in caller["function"], frames
        assert caller["line"] == line_of("gabor.f90", "value = exp("), frames
        reported = assay("denormals", "report", database).stdout.decode()
        for word in ("kernel", "fctemp", "ftemp", "ctemp", f"gabor.f90:{caller['line']}"):
            assert word in reported, reported


@test
def arrays_of_the_filters():
    """Names, kinds and shapes; integers among the reals of the workspaces are distinguished."""
    with Folder() as folder:
        database, _ = watch(folder, "trace", gabor(folder), SIZE)
        found = arrays(database)
        for name, kind, element, dimensions in (("kernel", "pointer", 4, f"{SIZE}:{SIZE}:5"), ("ctemp", "pointer", 8, f"{SIZE}:{SIZE}"),
                                                ("fctemp", "allocatable", 8, f"{SIZE}:{SIZE}"),
                                                ("ftemp", "allocatable", 8, f"{SIZE}:{SIZE}"),
                                                ("wsaverow", "allocatable", 4, str(4 * SIZE + 15))):
            row = found[name]
            assert (row["kind"], row["element_bytes"], row["dimensions"]) == (kind, element, dimensions), row
            assert row["loads"] + row["move_loads"] > 0 and row["stores"] + row["move_stores"] > 0, row
        # each kernel is used in 8 directions, for both halves of a complex number
        kernel = found["kernel"]
        assert kernel["loads"] == DIRECTIONS * kernel["stores"], kernel
        # of each transform n, the number of factors and the four factors are read; all six were written once
        transforms = SIZE * (1 + LEVELS * DIRECTIONS)
        for name in ("wsaverow", "wsavecol"):
            assert (found[name]["integer_loads"], found[name]["integer_stores"]) == (6 * transforms, 6), found[name]


@test
def integers_of_the_filters_at_all_levels():
    """However the compiler moves the integers of the workspaces, through vector registers too, they are no denormals."""
    transforms, births = SIZE * (1 + LEVELS * DIRECTIONS), set()
    with Folder() as folder:
        for level in ("-O0", "-O1", "-O2", "-O3"):
            database, _ = watch(folder, "trace", gabor(folder, level), SIZE)
            found = arrays(database)
            for name in ("wsaverow", "wsavecol"):
                row = found[name]
                assert row["integer_stores"] == 6 and row["integer_loads"] in (6 * transforms, 12 * transforms), (level, row)
                assert row["move_loads"] == row["move_stores"] == 0, (level, row)
            for name, row in found.items():
                assert name.startswith("wsave") or row["integer_loads"] == row["integer_stores"] == 0, (level, name, row)
            kernel = found["kernel"]
            assert kernel["loads"] == DIRECTIONS * kernel["stores"], (level, kernel)
            births.add(kernel["stores"])
            outside = rows(database, "select * from denormal_births where address is null")
            assert not outside, (level, outside)
    assert len(births) == 1, births


@test
def fix_of_the_filters_removes_everything():
    """What is left are the births in exp, and the comparison that throws them away."""
    with Folder() as folder:
        program = gabor(folder)
        plain = command([program, SIZE]).stdout.decode()
        assert command([program, SIZE, "fix"]).stdout.decode() == plain, "the fix changes the result"
        before, _ = watch(folder, "trace", program, SIZE)
        born = one(before, "select stores from denormal_arrays where name = 'kernel'")["stores"]
        after, printed = watch(folder, "trace", program, SIZE, "fix")
        assert printed == plain, printed
        for name, row in arrays(after).items():
            assert not any(row[column] for column in ("loads", "stores", "move_loads", "move_stores")), (name, row)
        left = rows(after, "select coalesce(f.name, s.name) as name, f.program, sum(births) as births, sum(results) as results, "
                           "sum(operand_events) as events from denormal_sites s left join functions f on f.id = s.function "
                           "group by 1, 2 having sum(results) or sum(operand_events)")
        own = [row for row in left if row["program"] == 1]
        assert len(own) == 1 and "compute_kernel" in own[0]["name"], left
        assert (own[0]["events"], own[0]["births"], own[0]["results"]) == (born, 0, 0), (born, own)
        libraries = [row for row in left if row["program"] != 1]
        assert sum(row["births"] for row in libraries) == born, (born, libraries)
        assert not any(row["events"] for row in libraries), libraries


@test
def fix_of_the_filters_under_traps():
    """The profiler sees the same: operations on denormals in compute_kernel alone, as many as it compares."""
    with Folder() as folder:
        program = gabor(folder)
        traced, _ = watch(folder, "trace", program, SIZE, "fix", options=["--counts"])
        trapped, printed = watch(folder, "profile", program, SIZE, "fix", options=["--exact"])
        assert printed == command([program, SIZE]).stdout.decode(), printed
        query = ("select f.name, sum(s.operand_events) as events from denormal_sites s join functions f on f.id = s.function "
                 "group by f.id having events order by 1")
        assert rows(trapped, query) == rows(traced, query) != [], (rows(trapped, query), rows(traced, query))


@test
def flow_has_denormals_in_its_first_steps_only():
    with Folder() as folder:
        program = build(folder, [need("gcc")], [os.path.join(EXAMPLES, "flow.c")], "-g", "-O2", f"-I{ROOT}/include", "-lm")
        database, _ = watch(folder, "trace", program, options=["--counts"])
        phases = rows(database, "select p.position, p.name, coalesce(sum(s.operand_events), 0) as events from denormal_phases p "
                                "left join denormal_sites s on s.phase = p.id group by p.id order by 1")
        steps = [phase["events"] for phase in phases if phase["name"] == "step"]
        assert len(steps) == 12, phases
        assert all(steps[:4]) and not any(steps[4:]), steps
        assert max(steps) == max(steps[1:3]), f"they grow, then die away: {steps}"


@test
def flow_from_a_small_start_has_none():
    with Folder() as folder:
        program = build(folder, [need("gcc")], [os.path.join(EXAMPLES, "flow.c")], "-g", "-O2", f"-I{ROOT}/include", "-lm")
        database, printed = watch(folder, "trace", program, 12, "1e-10", options=["--counts"])
        assert printed == command([program]).stdout.decode(), printed
        assert one(database, "select count(*) as n from denormal_sites where operand_events or results")["n"] == 0


run()
