"""The tracer by itself, as a Valgrind tool: what it counts for each kind of operation, load, store and move, against
tests/programs/denormal_operations.c, whose functions do each a known number of times.  The recording is read as
runtime/denormal-trace/trace_file.h lays it out."""
# first build only: the tracer is compiled alike in all builds
import glob, os, struct

from harness import ASSAY, MACHINE, PROGRAMS, Fail, Folder, Lacking, Skip, build, command, need, run, test, watched

TOOL = os.path.join(os.path.dirname(ASSAY), "runtime", "denormal-trace")
COUNTS = ("executions operand_events underflow_events operands results births ends loads stores move_loads move_stores near").split()
SITES, MODULE, ARRAY_COUNTS, BIRTHS, ORIGINS, STACK, LIMIT, END = 4, 2, 6, 8, 9, 10, 11, 12


class Recording:
    """Counts by function, and what else a file holds."""

    def __init__(self, path, functions):
        with open(path, "rb") as file:
            data = file.read()
        assert data[:16] == b"assay dart 001\n\0", data[:16]
        self.functions, self.arrays, self.births, self.origins = {}, {}, {}, {}
        self.stacks, self.limits, self.has_end = {}, [], False
        modules, sites, at = [], [], 16
        while at < len(data):
            kind, size = struct.unpack_from("=II", data, at)
            body, at = data[at + 8:at + 8 + size], at + 8 + size
            if kind == MODULE:
                start, end, bias, is_program = struct.unpack_from("=QQQI", body)
                if is_program:
                    modules.append((start, end, bias))
            elif kind == SITES:
                sites += struct.iter_unpack("=13Q", body)
            elif kind == ARRAY_COUNTS:
                for number, _, *counts in struct.iter_unpack("=II6Q", body):
                    before = self.arrays.get(number, [0] * 6)
                    self.arrays[number] = [a + b for a, b in zip(before, counts)]
            elif kind == BIRTHS:
                for number, *birth in struct.iter_unpack("=IIQQQQII", body):
                    self.births[number] = dict(zip(("stack", "address", "values", "descendants", "removable", "array"), birth))
            elif kind == ORIGINS:
                self.origins.update({(to, source): values for to, source, values in struct.iter_unpack("=IIQ", body)})
            elif kind == STACK:
                number, count = struct.unpack_from("=II", body)
                self.stacks[number] = struct.unpack_from(f"={count}Q", body, 8)
            elif kind == LIMIT:
                self.limits.append(body[8:].decode())
            elif kind == END:
                self.has_end = True
        self.modules, self.symbols = modules, functions
        for address, *counts in sites:
            name = self.function(address)
            if name:
                before = self.functions.setdefault(name, [0] * len(COUNTS))
                self.functions[name] = [a + b for a, b in zip(before, counts)]

    def function(self, address):
        """Name of a function of the program."""
        for start, end, bias in self.modules:
            if start <= address < end:
                return next((name for low, high, name in self.symbols if low <= address - bias < high), None)
        return None

    def callers(self, birth):
        return [self.function(address) for address in self.stacks[birth["stack"]]]

    def expect(self, function, **wanted):
        """These counts, and no others."""
        found = dict(zip(COUNTS, self.functions.get(function, [0] * len(COUNTS))))
        executions = found.pop("executions")
        if "executions" in wanted:
            assert executions == wanted.pop("executions"), f"{function}: {executions} executions"
        found = {name: count for name, count in found.items() if count}
        assert found == wanted, f"{function}: {found}, not {wanted}"


def symbols(program):
    found = []
    for line in command([need("nm"), "-S", program]).stdout.decode().splitlines():
        words = line.split()
        if len(words) == 4 and words[2] in "tT":
            found.append((int(words[0], 16), int(words[0], 16) + int(words[1], 16), words[3]))
    return found


def trace(part, *options, level="-O1", status=0, source="denormal_operations.c"):
    """Recordings of all processes, in the order of their numbers."""
    need("valgrind")
    if not glob.glob(os.path.join(TOOL, "denormal-trace-*-linux")):
        raise Lacking("this build has no tracer")
    with Folder() as folder:
        program = build(folder, [need("gcc")], [os.path.join(PROGRAMS, source)], "-g", level,
                        "-ffp-contract=off", "-fno-math-errno", "-pthread", "-Wl,--no-as-needed", "-lm")
        environment = dict(os.environ, VALGRIND_LIB=TOOL)
        result = watched(["valgrind", "--command-line-only=yes", "--tool=denormal-trace", "-q", f"--output={folder}/%p.trace", *options,
                          program, part], env=environment)
        if result.returncode != status:
            raise Fail(f"{part}: exit {result.returncode}\n{result.stderr.decode(errors='replace')[-1500:]}")
        names = sorted(glob.glob(os.path.join(folder, "*.trace")), key=lambda path: int(os.path.basename(path).split(".")[0]))
        return [Recording(name, symbols(program)) for name in names]


def check_operations(found):
    found.expect("add", executions=30, operand_events=10, operands=30, ends=30)  # a NaN goes before a denormal
    found.expect("multiply", executions=11, underflow_events=11, results=11, births=11)
    found.expect("divide", executions=12, operand_events=12, underflow_events=12, operands=12, results=12)
    found.expect("root", executions=13, operand_events=13, operands=13, ends=13)
    found.expect("widen", executions=14, operand_events=14, operands=14, ends=14)
    found.expect("narrow", executions=15, underflow_events=15, results=15, births=15)
    found.expect("compare", executions=16, operand_events=16, operands=16, ends=16)
    found.expect("truncate_to_integer", executions=17, operands=17, ends=17)  # which x86 does not signal
    found.expect("add_double", executions=18, operand_events=18, underflow_events=18, operands=36, results=18)
    found.expect("negate_then_add", executions=19, operand_events=19, underflow_events=19, operands=19, results=19)


@test
def operations_are_counted():
    check_operations(trace("operations")[0])


@test
def counts_without_origins_are_the_same():
    found = trace("operations", "--origins=no")[0]
    check_operations(found)
    assert not found.births and not found.origins, (found.births, found.origins)


@test
def numbers_from_outside_are_one_birth():
    births = trace("operations")[0].births.values()
    outside = [birth for birth in births if birth["address"] == 0]
    assert len(outside) == 1 and outside[0]["values"] == 2, births  # tiny and tiny_double, however often they are read
    # all operand events of the part but one: what multiply and narrow make is not used
    assert outside[0]["descendants"] == outside[0]["removable"] == 10 + 12 + 13 + 14 + 16 + 18 + 19, outside


@test
def fused_operations():
    if MACHINE == "x86_64":
        raise Skip("fmaf is a call of libm here; lanes of fused operations have a test of their own")
    found = trace("fusions")[0]
    found.expect("fused", executions=21, operand_events=10, underflow_events=21, operands=10, results=21, births=11)


def check_lanes(found):
    found.expect("make", executions=5, underflow_events=5, results=5, births=5, stores=5)
    found.expect("make_doubles", executions=3, underflow_events=3, results=3, births=3, stores=3)
    found.expect("four_lanes", executions=16, operand_events=2, underflow_events=2, operands=5, results=5, loads=5, stores=5)
    found.expect("two_lanes", executions=32, operand_events=2, underflow_events=2, operands=3, results=3, loads=3, stores=3)
    found.expect("reverse_then_halve", executions=16, operand_events=2, underflow_events=2, operands=5, results=5, loads=5,
                 stores=5)


@test
def lanes_are_counted_one_by_one():
    found = trace("lanes")[0]
    check_lanes(found)
    # a → c → b, x → z: five and three values on each way, through the shuffle too
    assert sorted(found.origins.values()) == [3, 3, 5, 5, 5], found.origins
    assert sum(count for (_, source), count in found.origins.items() if source == 0) == 8, found.origins


@test
def lanes_without_origins():
    check_lanes(trace("lanes", "--origins=no", level="-O2")[0])


@test
def lanes_of_fused_operations():
    with open("/proc/cpuinfo") as file:
        if MACHINE != "x86_64" or " fma " not in file.read():
            raise Skip("needs an x86-64 processor with fused multiply-add")
    found = trace("wide")[0]
    found.expect("eight_lanes", executions=8, operand_events=2, underflow_events=2, operands=11, results=11, loads=11, stores=11)


@test
def lanes_that_are_added_and_subtracted_in_turns():
    """Valgrind adds all of them and subtracts all of them, and takes half of each."""
    if MACHINE != "x86_64":
        raise Skip("needs an x86-64 processor")
    trace("turns")[0].expect("add_and_subtract", executions=1, operand_events=1, operands=2, ends=2, loads=2)


# Of each function of denormal_neon.c: counts, and how many values its block has from first and from second (None: a
# selection or a table, where the tracer goes by the value, which both have).
NEON_MOVES = {
    "extract": (dict(loads=5, stores=3), 2, 1), "zip_low": (dict(loads=5, stores=3), 1, 2),
    "zip_high": (dict(loads=5, stores=2), 2, 0), "zip_halves": (dict(loads=5, stores=2), 1, 1),
    "unzip_odd": (dict(loads=5, stores=2), 1, 1), "unzip_even": (dict(loads=5, stores=3), 2, 1),
    "transpose": (dict(loads=5, stores=3), 2, 1), "reverse": (dict(loads=5, stores=3), 3, 0),
    "duplicate": (dict(loads=5, stores=4), 4, 0), "insert": (dict(loads=5, stores=3), 1, 2),
    "table": (dict(loads=5, stores=3), None, None), "through_general": (dict(loads=5, stores=2), 2, 0),
    "select_scalar": (dict(loads=5, stores=1), None, None), "select_lanes": (dict(loads=5, stores=3), None, None),
    "signs": (dict(loads=3, stores=4), 4, 0),  # Valgrind drops the load of second, which nothing uses
    "pairs_of_quads": (dict(loads=3, stores=3), 3, 0), "pairs_of_doubles": (dict(loads=3, stores=3), 3, 0),
    "pairs_of_singles": (dict(loads=1, stores=1), 1, 0), "structures_of_two": (dict(loads=3, stores=3), 3, 0),
    "structures_of_three": (dict(loads=3, stores=3), 3, 0), "structures_of_four": (dict(loads=3, stores=3), 3, 0),
    "registers_in_turn": (dict(loads=3, stores=3), 3, 0), "lanes_alone": (dict(loads=1, stores=1), 1, 0),
    "load_to_all": (dict(loads=1, stores=4), 4, 0)}
NEON_ARITHMETIC = {  # operands, results, ends; loads and stores
    "add_halves": (3, 1, 1, 5, 1), "add_pairs": (5, 2, 1, 5, 2), "add_pairs_of_halves": (3, 1, 1, 5, 1),
    "add_one_pair": (2, 1, 0, 2, 1), "minimum_of_all": (5, 3, 0, 5, 1), "maximum": (5, 1, 3, 5, 1),
    "minimum_of_scalars": (2, 1, 0, 5, 1), "multiply_add": (5, 1, 3, 5, 1), "multiply_add_hidden": (3, 0, 3, 5, 0),
    "multiply_subtract_element": (3, 1, 1, 5, 1), "multiply_scalar_by_element": (1, 1, 0, 2, 1),
    "multiply_add_scalar": (2, 1, 0, 5, 1), "multiply_subtract_scalar": (2, 1, 0, 5, 1), "difference": (5, 0, 4, 5, 0),
    "square_roots": (1, 0, 1, 5, 0), "square_root": (1, 0, 1, 5, 0), "divide_lanes": (3, 3, 0, 5, 3),
    "compare_lanes": (5, 0, 4, 5, 0), "compare_halves_with_zero": (1, 0, 1, 5, 0), "compare_scalars": (2, 0, 1, 5, 0),
    "widen_lanes": (1, 0, 1, 5, 0), "add_pairs_of_doubles": (3, 1, 1, 3, 1), "add_one_pair_of_doubles": (2, 1, 0, 2, 1),
    "multiply_add_doubles": (3, 1, 1, 3, 1), "multiply_double_by_element": (1, 1, 0, 2, 1), "narrow_lanes": (1, 0, 1, 3, 0),
    "divide_doubles": (1, 1, 0, 3, 1), "fused_double": (2, 1, 0, 3, 1)}
# operands, loads
NEON_ROUNDINGS = {"round_lanes": (3, 5), "round_scalar": (1, 5), "to_integers": (3, 5), "round_doubles": (1, 3)}
NEON_MOVES_OF_DOUBLES = {
    "doubles_in_turn": (dict(loads=3, stores=1), 0, 1), "doubles_duplicated": (dict(loads=2, stores=2), 0, 2),
    "doubles_through_general": (dict(loads=3, stores=2), 1, 1), "doubles_extracted": (dict(loads=3, stores=1), 0, 1),
    "pairs_of_double_registers": (dict(loads=4, stores=1), 1, 0), "structures_of_doubles": (dict(loads=4, stores=1), 1, 0),
    "double_select": (dict(loads=3, stores=1), None, None)}


def neon(*options):
    if MACHINE != "aarch64":
        raise Skip("needs an AArch64 processor")
    return trace("", *options, source="denormal_neon.c")[0]


def check_neon(found):
    for name, (counts, *_) in (NEON_MOVES | NEON_MOVES_OF_DOUBLES).items():
        found.expect(name, **counts)
    for name, (operands, results, ends, loads, stores) in NEON_ARITHMETIC.items():
        wanted = dict(operands=operands, operand_events=1, results=results, underflow_events=min(results, 1), ends=ends,
                      loads=loads, stores=stores)
        found.expect(name, executions=1, **{key: count for key, count in wanted.items() if count})
    for name, (operands, loads) in NEON_ROUNDINGS.items():
        found.expect(name, executions=1, operands=operands, ends=operands, loads=loads)
    found.expect("to_half", loads=5)
    for text in ("vector multiply-adds", "half", "flush-to-zero"):
        assert any(text in limit for limit in found.limits), (text, found.limits)


@test
def instructions_of_neon():
    """Lanes that an instruction does not mean are not counted, and a multiply-add is one operation."""
    found = neon()
    check_neon(found)
    assert sum(birth["values"] for birth in found.births.values()) == 8, found.births


@test
def instructions_of_neon_without_origins():
    """What is loaded from blocks of unknown type, and not computed with, has no tags that distinguish it from integers then."""
    found = neon("--origins=no")
    for name, (operands, results, ends, *_) in NEON_ARITHMETIC.items():
        counts = dict(zip(COUNTS, found.functions[name]))
        reported = tuple(counts[key] for key in ("operands", "results", "ends", "births"))
        assert reported == (operands, results, ends, 0), f"{name}: {reported}"


def origins_of_blocks(found, moves, first, second):
    """The blocks that the functions store to were allocated in the order of the functions."""
    blocks = sorted({to for to, source in found.origins if source in (first, second) and to > second})
    for (name, (counts, *wanted)), block in zip(moves.items(), blocks):
        reported = [found.origins.get((block, source), 0) for source in (first, second)]
        assert sum(reported) == counts["stores"] and (reported == wanted or wanted[0] is None), f"{name}: {reported}, not {wanted}"


@test
def lanes_of_neon_keep_their_origins():
    found = neon()
    (first, _), (second, _), (third, _), (fourth, _) = sorted((to, source) for to, source in found.origins if source == 0)
    origins_of_blocks(found, NEON_MOVES, first, second)
    origins_of_blocks(found, NEON_MOVES_OF_DOUBLES, third, fourth)


@test
def moves_are_distinguished_from_loads_and_integers():
    found = trace("moves")[0]
    found.expect("make", executions=20, underflow_events=20, results=20, births=20, stores=20)
    found.expect("move_by_integers", move_loads=20, move_stores=20)
    found.expect("move_by_vectors", loads=20, stores=20)
    # realloc moved the tags; the zeros of memset have none
    found.expect("consume", executions=128, operand_events=20, operands=20, ends=20, loads=20)
    birth, = found.births.values()
    assert (birth["values"], birth["descendants"], birth["removable"]) == (20, 20, 20), birth


@test
def pairs_of_singles_in_one_register():
    """Nothing says how wide the numbers of these blocks are: the half that is denormal does, whichever it is."""
    found = trace("pairs")[0]
    found.expect("make", executions=8, underflow_events=8, results=8, births=8, stores=8)
    found.expect("move_pairs", loads=16, stores=16)
    found.expect("consume", executions=64, operand_events=8, operands=8, ends=8, loads=8)
    assert sum(birth["values"] for birth in found.births.values()) == 8, found.births


@test
def births_are_distinguished_by_their_callers():
    found = trace("births")[0]
    by_caller = {found.callers(birth)[1]: birth for birth in found.births.values()}
    assert set(by_caller) == {"first_caller", "second_caller"}, by_caller
    first, second = by_caller["first_caller"], by_caller["second_caller"]
    assert (first["values"], second["values"]) == (7, 9), by_caller
    # each once alone, seven times together
    assert (first["descendants"], first["removable"]) == (14, 7), first
    assert (second["descendants"], second["removable"]) == (16, 9), second
    assert all(found.callers(birth)[0] == "make" for birth in by_caller.values()), by_caller


@test
def threads_share_the_counts():
    trace("threads")[0].expect("multiply", executions=4000, operand_events=4000, underflow_events=4000, operands=4000, results=4000)


@test
def child_and_parent_have_a_recording_each():
    # By their counts: a child has the lower number when the kernel's numbers start again.
    parent, child = sorted(trace("forks"), key=lambda found: found.functions["multiply"][COUNTS.index("executions")])
    for found, count in ((parent, 30), (child, 70)):
        found.expect("multiply", executions=count, operand_events=count, underflow_events=count, operands=count, results=count)
        assert found.has_end


@test
def crash_leaves_the_counts():
    found = trace("crash", status=-11)[0]
    found.expect("multiply", executions=30, operand_events=30, underflow_events=30, operands=30, results=30)


@test
def results_near_the_denormals():
    found = trace("near", "--near=3")[0]
    found.expect("multiply", executions=21, near=10)
    found.expect("add_double", executions=12, near=12)
    trace("near")[0].expect("multiply", executions=21)


@test
def x87_is_counted_and_80_bits_are_reported():
    if MACHINE != "x86_64":
        raise Skip("needs an x86-64 processor")
    found = trace("x87")[0]
    name = next(name for name in found.functions if name == "stack_of_x87")
    counts = dict(zip(COUNTS, found.functions[name]))
    assert (counts["operand_events"], counts["operands"], counts["results"]) == (10, 20, 10), counts
    assert any("80-bit" in text for text in found.limits), found.limits


run()
