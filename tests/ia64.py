"""A small Itanium: reads assembly listings, lays them out as a linker would, and executes them.

It knows the instructions of the tests' listings and of the runtime of nodes (runtime/probe-ia64), and no others: an unknown one ends the
test.  It shares nothing with Assay, so that it can judge what Assay writes.

    machine = Machine([listing, runtime], {"observe": lambda machine, text, value: 7})
    number, _ = machine.call("daxpy", 5, x, y, floats=[2.0])

What it checks while it runs: nothing is read or written in an issue group after it was written there (branches may read what the group
made for them); registers outside of the frame are not touched; memory is what sections, the stack or the system gave.  Registers
that hold nothing are full of garbage.  What a callee need not keep is garbage after a call of a function of Python.

The clock, ar.itc, is the number of groups so far.  Bundles that the assembler would fill are a bundle for each instruction here."""
import bisect, os, random, re, struct
from ia64_listing import Listing

MASK = (1 << 64) - 1
RETURN, HOST, ELF, TLS = 0x10, 0x1000, 0x400000, 0x6000000000000000
CODE, DATA, STACK, BACKING = 0x4000000000000000, 0x6000000000010000, 0x60000FFF80000000, 0x60000FFF40000000
LARGEST = 20_000_000  # groups


class Fault(Exception):
    """The program did what no program may do."""


def signed(value, bits=64):
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def double(bits):
    return struct.unpack("<d", struct.pack("<Q", bits & MASK))[0]


def single(value):
    return struct.unpack("<f", struct.pack("<f", value))[0]


class Integer:
    """A floating-point register whose significand is a number (setf.sig)."""
    def __init__(self, value):
        self.value = value & MASK

    def __eq__(self, other):
        return isinstance(other, Integer) and other.value == self.value


class Memory:
    def __init__(self):
        self.regions, self.spilled, self.touched = [], {}, None

    def add(self, start, size, file=None, offset=0):
        self.regions = [region for region in self.regions if region[0] + len(region[1]) <= start or region[0] >= start + size] + \
            [piece for region in self.regions for piece in self.outside(region, start, start + size)]
        self.regions.append((start, bytearray(size), file, offset))
        return self.regions[-1][1]

    @staticmethod
    def outside(region, start, end):
        low, data, file, offset = region
        if low + len(data) <= start or low >= end:
            return
        if low < start:
            yield low, data[:start - low], file, offset
        if low + len(data) > end:
            yield end, data[end - low:], file, offset + end - low

    def find(self, address, size):
        self.touched = address
        for start, data, *_ in reversed(self.regions):
            if start <= address and address + size <= start + len(data):
                return data, address - start
        raise Fault(f"no memory at {address:#x}")

    def read(self, address, size):
        data, at = self.find(address, size)
        return int.from_bytes(data[at:at + size], "little")

    def write(self, address, size, value):
        if address % size:
            raise Fault(f"{size} bytes at {address:#x} are not aligned")
        data, at = self.find(address, size)
        data[at:at + size] = (value & ((1 << 8 * size) - 1)).to_bytes(size, "little")

    def text(self, address):
        data, at = self.find(address, 1)
        return bytes(data[at:data.index(0, at)]).decode()


class Machine:
    """environment: texts NAME=VALUE; folder: where files that it opens lie."""
    def __init__(self, texts, host=(), environment=(), folder=".", seed=1):
        self.memory, self.random, self.folder = Memory(), random.Random(seed), folder
        self.host, self.clock, self.process, self.files, self.next_map = dict(host), 1000, 4711, {}, 0x2000000000000000
        self.known, self.user = {}, 1000
        self.mapped, self.calls, self.executed, self.accesses = [], 0, {}, []  # accesses: (instruction, address)
        self.link([Listing(text, number) for number, text in enumerate(texts)], environment)
        garbage = lambda: self.random.getrandbits(63)
        self.general = [0] + [garbage() for _ in range(31)]
        self.stacked, self.bottom = [], 0
        self.floats = [0.0, 1.0] + [self.random.uniform(-9, 9) for _ in range(126)]
        self.predicates = [True] + [bool(garbage() & 1) for _ in range(63)]
        self.branches = [garbage() for _ in range(8)]
        self.applications = {name: garbage() for name in ("ar.unat", "ar.ccv", "ar.lc", "ar.pfs", "ar.fpsr")}
        self.applications["ar.ec"], self.nothing = 5, set()
        self.frame, self.rotating, self.turned = (0, 0), 0, [0, 0, 0]
        self.general[12], self.general[13] = STACK + 0x70000, TLS
        self.memory.add(STACK, 0x80000)

    # Linking

    def link(self, listings, environment):
        self.symbols, self.code, self.entries, self.got, self.descriptors = {}, [], {}, {}, {}
        order = lambda name: (not name.startswith(".text"), name)
        pieces = sorted(((name, listing) for listing in listings for name in listing.sections), key=lambda piece: (order(piece[0]), piece[1].number))
        at, self.local_size, notes = DATA, 16, None
        here = {}
        code_at = CODE
        for name, listing in pieces:
            section = listing.sections[name]
            size, align = len(section["bytes"]), section["align"]
            if name.startswith((".text", ".init")):
                code_at += -code_at % align
                here[listing.number, name] = code_at
                code_at += size
            elif name.startswith((".tdata", ".tbss")):
                self.local_size += -self.local_size % 16
                here[listing.number, name] = TLS + self.local_size
                self.local_size += size
            else:
                align = 4 if name.startswith(".note") else align
                at += -at % align
                here[listing.number, name] = at
                if name.startswith(".note"):
                    notes = (notes[0] if notes else at, at + size)
                at += size
        self.image_end = at + 0x40000
        self.memory.add(DATA, self.image_end - DATA)
        self.memory.add(TLS, self.local_size)
        self.free = at + 16
        for name, handler in self.host.items():
            self.symbols[name] = HOST + 16 * len(self.symbols)
        for listing in listings:
            listing.names = {label: here[listing.number, section] + offset for label, (section, offset) in listing.labels.items()}
            self.symbols.update({name: listing.names[name] for name in listing.globals if name in listing.names})
        self.header(notes)
        self.symbols["environ"] = self.variables(environment)
        for listing in listings:
            for name, section in listing.sections.items():
                if section["bytes"] and not name.startswith((".text", ".init")):
                    data, offset = self.memory.find(here[listing.number, name], len(section["bytes"]))
                    data[offset:offset + len(section["bytes"])] = section["bytes"]
            for section, offset, size, words in listing.fixes:
                if section.startswith((".debug", ".IA_64")):
                    continue
                address = here[listing.number, section] + offset
                self.store_bytes(address, size, self.value(listing, words, address))
            for row in listing.code:
                row.address = here[listing.number, row.address[0]] + row.address[1]
                self.entries.setdefault(row.address, len(self.code))
                self.code.append(row)

        self.addresses = sorted(self.entries)

    def store_bytes(self, address, size, value):
        data, at = self.memory.find(address, size)
        data[at:at + size] = (value & ((1 << 8 * size) - 1)).to_bytes(size, "little")

    def header(self, notes):
        data = self.memory.add(ELF, 4096)
        data[32:40] = (64).to_bytes(8, "little")
        data[54:58] = struct.pack("<HH", 56, 2)
        data[64:120] = struct.pack("<IIQQQQQQ", 1, 5, 0, ELF, ELF, 4096, 4096, 4096)
        first, end = notes or (0, 0)
        data[120:176] = struct.pack("<IIQQQQQQ", 4, 4, 0x1000, first, first, end - first, end - first, 4)
        self.symbols["__ehdr_start"] = ELF

    def variables(self, environment):
        texts, rows = self.free, self.free + 4096
        for number, word in enumerate([*environment]):
            self.store_bytes(rows + 8 * number, 8, texts)
            for byte in word.encode() + b"\0":
                self.store_bytes(texts, 1, byte)
                texts += 1
        self.free = rows + 8 * len(environment) + 16
        self.store_bytes(self.free, 8, rows)
        self.free += 16
        return self.free - 16

    def symbol(self, listing, name):
        name = name.rstrip("#")
        if name in listing.constants:
            return self.value(listing, listing.constants[name])
        found = listing.names.get(name, self.symbols.get(name))
        if found is None and name not in listing.weak:
            raise Fault(f"undefined symbol {name}")
        return found or 0

    def descriptor(self, address):
        if address and address not in self.descriptors:
            self.descriptors[address] = self.free
            self.store_bytes(self.free, 8, address)
            self.store_bytes(self.free + 8, 8, DATA)
            self.free += 16
        return self.descriptors.get(address, 0)

    def slot(self, value):
        if value not in self.got:
            self.got[value] = self.free
            self.store_bytes(self.free, 8, value)
            self.free += 8
        return self.got[value] - DATA

    def value(self, listing, words, place=0):
        """Of an expression; place: where it stands, for @pcrel."""
        words = words.strip()
        if found := re.fullmatch(r"@(\w+)\((.*)\)", words):
            inner = self.value(listing, found[2], place)
            return {"pcrel": lambda: inner - place, "tprel": lambda: inner - TLS, "fptr": lambda: self.descriptor(inner),
                    "ltoff": lambda: self.slot(inner), "ltoffx": lambda: self.slot(inner), "gprel": lambda: inner - DATA,
                    "segrel": lambda: inner}[found[1]]()
        total = re.sub(r"0x[0-9a-fA-F]+|\b\d+\b|[.\w$]*[A-Za-z_.$][.\w$]*#?", lambda found: self.term(listing, found[0], place), words)
        return eval(total, {"__builtins__": {}})

    def term(self, listing, word, place):
        if word[0].isdigit():
            return str(int(word, 8) if re.fullmatch(r"0[0-7]+", word) else int(word, 0))
        return str(place if word == "." else self.symbol(listing, word))

    # Registers

    def stack_row(self, number):
        number -= 32
        if number >= self.frame[0]:
            raise Fault(f"r{number + 32} is outside of the frame")
        if number < self.rotating:
            number = (number + self.turned[0]) % self.rotating
        at = self.bottom + number
        while at >= len(self.stacked):
            self.stacked.append(self.random.getrandbits(63))
        return at

    def turned_float(self, number):
        return number if number < 32 else 32 + (number - 32 + self.turned[1]) % 96

    def turned_predicate(self, number):
        return number if number < 16 else 16 + (number - 16 + self.turned[2]) % 48

    def place(self, name):
        """Which register it is, however the names are turned."""
        kind, number = name[0], name[1:]
        if not number.isdigit():
            return name
        number = int(number)
        return (kind, self.stack_row(number) + 1000 if kind == "r" and number > 31 else self.turned_float(number) if kind == "f"
                else self.turned_predicate(number) if kind == "p" else number)

    def get(self, name, is_branch=False):
        place = self.place(name)
        if place in self.written and not (is_branch and name[0] in "pb"):
            raise Fault(f"{name} is read after it was written in its group")
        if isinstance(place, str):
            if place == "ar.itc":
                return self.clock
            if place == "ar.bsp":
                return BACKING + 8 * (self.bottom + self.bottom // 63)
            if place == "pr":
                return sum(1 << i for i in range(64) if self.predicates[i])
            if place == "ip":
                return self.row.address
            return self.applications[place]
        kind, number = place
        return self.stacked[number - 1000] if number >= 1000 else \
            {"r": self.general, "f": self.floats, "p": self.predicates, "b": self.branches}[kind][number]

    def set(self, name, value):
        place = self.place(name)
        if place in (("p", 0), ("r", 0), ("f", 0), ("f", 1)):
            if place != ("p", 0):
                raise Fault(f"{name} is written")
            return
        if place in self.written:
            raise Fault(f"{name} is written twice in its group")
        self.fresh.append(place)
        self.nothing.discard(place)
        if isinstance(place, str):
            self.applications[place] = value & MASK
        elif place[1] >= 1000:
            self.stacked[place[1] - 1000] = value & MASK
        else:
            kind, number = place
            kinds = {"r": self.general, "f": self.floats, "p": self.predicates, "b": self.branches}
            kinds[kind][number] = value & MASK if kind in "rb" else value

    def set_predicate(self, number, bits):
        """By its number, however the names are turned."""
        if ("p", number) in self.written:
            raise Fault(f"predicate {number} is written twice in its group")
        self.fresh.append(("p", number))
        self.predicates[number] = bool(bits >> number & 1)

    def number(self, word):
        if re.fullmatch(r"r\d+", word):
            return self.get(word)
        key = self.row.listing.number, word, self.row.address
        if key not in self.known:
            self.known[key] = self.value(self.row.listing, word, self.row.address)
        return self.known[key]

    # Running

    def call(self, name, *arguments, floats=(), may_change=()):
        """r8 and f8 afterwards.  What a function keeps is checked."""
        self.frame, self.bottom, self.rotating, self.turned = (8, 0), len(self.stacked) + 16, 0, [0, 0, 0]
        self.written, self.fresh = set(), []
        for i, value in enumerate(arguments):
            self.stacked += [self.random.getrandbits(63)] * (self.bottom + 8 - len(self.stacked))
            self.stacked[self.bottom + i] = value & MASK
        for i, value in enumerate(floats):
            self.floats[8 + i] = value
        self.general[1] = DATA
        self.branches[0] = RETURN
        before = self.kept()
        self.run(name if isinstance(name, int) else self.symbols.get(name) or next(row.listing.names[name] for row in self.code if name in row.listing.names))
        after = self.kept()
        changed = [key for key in before if before[key] != after[key] and key not in may_change]
        if changed:
            raise Fault(f"{name} changed {changed}")
        return self.general[8], self.floats[8]

    def kept(self):
        return {**{f"r{i}": self.general[i] for i in (1, 4, 5, 6, 7, 12, 13)}, **{f"b{i}": self.branches[i] for i in range(1, 6)},
                **{f"f{i}": self.floats[i] for i in (2, 3, 4, 5, *range(16, 32))}, "bottom": self.bottom,
                **{f"p{i}": self.predicates[i] for i in (*range(1, 6), *range(16, 64))}, "ar.lc": self.applications["ar.lc"]}

    def run(self, address):
        at = self.enter(address)
        while at is not None:
            self.row = row = self.code[at]
            self.fresh = []
            self.executed[row] = self.executed.get(row, 0) + 1
            try:
                target = self.step(row)
            except Fault as fault:
                raise Fault(f"listing {row.listing.number}, {row}: {fault}") from None
            if row.base.startswith(("ld", "st")) and self.memory.touched is not None:
                self.accesses.append((row, self.memory.touched))
            self.memory.touched = None
            self.written |= set(self.fresh)
            if row.has_stop or target is not None:
                self.written = set()
                self.clock += 1
                if self.clock > LARGEST:
                    raise Fault("it does not end")
            at = at + 1 if target is None else self.enter(target)

    def enter(self, address):
        """The number of the instruction there; functions of Python are called, and return."""
        while address in range(HOST, HOST + 16 * len(self.host)):
            name = list(self.host)[(address - HOST) // 16]
            arguments = [self.stacked[i] for i in range(self.bottom, min(self.bottom + 8, len(self.stacked)))]
            link, kept = self.branches[0], (self.frame, self.bottom, self.rotating, self.turned, self.applications["ar.pfs"])
            result = self.host[name](self, *arguments[:self.host[name].__code__.co_argcount - 1])
            self.frame, self.bottom, self.rotating, self.turned, self.applications["ar.pfs"] = kept
            self.spoil()
            self.general[8] = (result or 0) & MASK
            address = link
            self.give_back()
        if address == RETURN:
            return None
        if address not in self.entries:  # into what .align fills with no-ops
            following = bisect.bisect_left(self.addresses, address)
            if following == len(self.addresses) or address % 16 or self.addresses[following] > address + 64 or address < CODE:
                raise Fault(f"a branch to {address:#x}, which is no code")
            address = self.addresses[following]
        return self.entries[address]

    def spoil(self):
        for number in (2, 3, 9, 10, 11, *range(14, 32)):
            self.general[number] = self.random.getrandbits(63)
        for number in (6, 7, *range(32, 128)):
            self.floats[number] = Integer(self.random.getrandbits(63))
        for number in range(6, 16):
            self.predicates[number] = bool(self.random.getrandbits(1))
        self.branches[6], self.branches[7] = self.random.getrandbits(63), self.random.getrandbits(63)

    def save_frame(self):
        size, local = self.frame
        return (size | local << 7 | self.rotating // 8 << 14 | self.turned[0] << 18 | self.turned[1] << 25 | self.turned[2] << 32
                | self.applications["ar.ec"] << 52)

    def give_back(self):
        """What a return does with ar.pfs."""
        saved = self.applications["ar.pfs"]
        self.frame = (saved & 127, saved >> 7 & 127)
        self.bottom -= self.frame[1]
        self.rotating, self.turned = (saved >> 14 & 15) * 8, [saved >> 18 & 127, saved >> 25 & 127, saved >> 32 & 63]
        self.applications["ar.ec"] = saved >> 52 & 63

    def rotate(self):
        if self.rotating:
            self.turned[0] = (self.turned[0] - 1) % self.rotating
        self.turned[1], self.turned[2] = (self.turned[1] - 1) % 96, (self.turned[2] - 1) % 48

    def step(self, row):
        if row.base == "br" or row.base == "brl":
            return self.branch(row)
        is_held = self.get(row.predicate)
        if not is_held and "unc" in row.more and row.base.startswith(("cmp", "tbit")):
            for target in row.targets:
                self.set(target, False)
        if not is_held:
            return None
        fails = self.nothing and row.base != "chk" and any(self.is_nothing(word) for word in (*row.sources, *row.targets) if word[0] == "[" or word in row.sources)
        if fails and (row.targets[0][0] == "[" or "[" in row.sources[0] and not set(row.more) & {"s", "sa"}):
            raise Fault("a register without a value is used")
        is_speculative = row.base.startswith("ld") and set(row.more) & {"s", "sa"}
        try:
            result = self.execute(row)
        except Fault:
            if not is_speculative:
                raise
            result, fails = None, True
        if fails:
            self.nothing |= {self.place(word) for word in row.targets if word[0] in "rf"}
        return result

    def execute(self, row):
        handler = getattr(self, "do_" + row.base, None)
        if handler:
            return handler(row)
        for pattern, method in self.patterns:
            if found := re.fullmatch(pattern, row.base):
                return method(self, row, *found.groups())
        raise Fault("an instruction that this Itanium does not know")

    def branch(self, row):
        kind, held = (row.more + [""])[0], self.get(row.predicate, is_branch=True)
        if kind in ("cloop", "ctop"):
            return self.counted(row, kind)
        if not held:
            return None
        words = row.sources[-1]
        target = self.get(words, is_branch=True) if re.fullmatch(r"b\d", words) else None if kind == "ret" else self.number(words)
        if kind == "call":
            self.applications["ar.pfs"] = self.save_frame()
            self.set(row.targets[0], row.address + 16)
            next_row = self.code.index(row, self.entries[row.address]) + 1
            self.branches[int(row.targets[0][1:])] = self.code[next_row].address
            if self.entries[self.code[next_row].address] != next_row:
                raise Fault("a call in the middle of a bundle")
            self.bottom += self.frame[1]
            self.frame, self.rotating, self.turned = (self.frame[0] - self.frame[1], 0), 0, [0, 0, 0]
        if kind == "ret":
            if target != RETURN:
                self.give_back()
        return target

    def counted(self, row, kind):
        left, stages = self.applications["ar.lc"], self.applications["ar.ec"]
        is_taken = left > 0
        if left:
            self.applications["ar.lc"] = left - 1
        elif kind == "ctop" and stages:
            is_taken = stages > 1
            self.applications["ar.ec"] = stages - 1
        if kind == "ctop":
            self.predicates[self.turned_predicate(63)] = left > 0
            if left or stages:
                self.rotate()
        return self.number(row.sources[-1]) if is_taken else None

    # Instructions

    def do_nop(self, row):
        return None

    do_hint = do_invala = do_mf = do_nop

    def do_lfetch(self, row):
        if len(row.sources) == 2:
            base = row.sources[0][1:-1]
            self.set(base, self.get(base) + self.number(row.sources[1]))

    def do_chk(self, row):
        return self.number(row.sources[1]) if self.place(row.sources[0]) in self.nothing else None

    def is_nothing(self, word):
        """Whether it is a register that a speculative load could not fill (NaT)."""
        return bool(re.fullmatch(r"\[?[rf]\d+\]?", word)) and self.place(word.strip("[]")) in self.nothing

    def do_alloc(self, row):
        inputs, local, outs, rotating = [int(word, 0) for word in row.sources[1:]]
        if rotating > inputs + local + outs or rotating % 8:
            raise Fault("too many registers rotate")
        saved = self.get("ar.pfs")
        self.frame, self.rotating = (inputs + local + outs, inputs + local), rotating
        self.set(row.targets[0], saved)

    def do_mov(self, row):
        target, source = row.targets[0], row.sources[0]
        if target == "pr":
            value, mask = self.get(source), signed(self.number(row.sources[1]), 17)
            for i in range(1, 64):
                if mask >> i & 1:
                    self.set_predicate(i, value)
        elif target == "pr.rot":
            value = signed(self.number(source), 44)
            for i in range(16, 64):
                self.set_predicate(i, value)
        elif source[0] == "f" and re.fullmatch(r"f\d+", source):
            self.set(target, self.get(source))
        elif re.fullmatch(r"[rb]\d+|ar\.\w+|pr|ip", source):
            self.set(target, self.get(source))
        else:
            self.set(target, self.number(source))

    def do_movl(self, row):
        self.set(row.targets[0], self.number(row.sources[0]))

    def do_fetchadd(self, row, size):
        address = self.get(row.sources[0][1:-1])
        old = self.memory.read(address, int(size))
        self.memory.write(address, int(size), old + self.number(row.sources[1]))
        self.set(row.targets[0], old)

    def do_xchg(self, row, size):
        address, value = self.get(row.sources[0][1:-1]), self.get(row.sources[1])
        self.set(row.targets[0], self.memory.read(address, int(size)))
        self.memory.write(address, int(size), value)

    def moved(self, base, row, words):
        """The base register after an access."""
        if words:
            self.set(base, self.get(base) + self.number(words[0]))

    def do_load(self, row, size):
        base = row.sources[0][1:-1]
        value = self.memory.read(self.get(base), int(size))
        self.moved(base, row, [] if "mov" in row.more else row.sources[1:])
        self.set(row.targets[0], value)

    def do_store(self, row, size):
        base = row.targets[0][1:-1]
        self.memory.write(self.get(base), int(size), self.number(row.sources[0]))
        self.moved(base, row, row.sources[1:])

    def loaded(self, address, kind):
        if kind in ("d", "s"):
            size = 8 if kind == "d" else 4
            return struct.unpack("<" + kind.replace("s", "f"), self.memory.read(address, size).to_bytes(size, "little"))[0]
        return Integer(self.memory.read(address, 8))

    def do_load_float(self, row, kind):
        base = row.sources[0][1:-1]
        address = self.get(base)
        if row.more[:1] == ["fill"]:
            value = self.memory.spilled[address]
        else:
            value = self.loaded(address, kind)
        self.moved(base, row, row.sources[1:])
        self.set(row.targets[0], value)

    def do_load_pair(self, row, kind):
        base, size = row.sources[0][1:-1], 4 if kind == "s" else 8
        address = self.get(base)
        self.moved(base, row, row.sources[1:])
        self.set(row.targets[0], self.loaded(address, kind))
        self.set(row.targets[1], self.loaded(address + size, kind))

    def do_store_float(self, row, kind):
        base, value = row.targets[0][1:-1], self.get(row.sources[0])
        address = self.get(base)
        if row.more[:1] == ["spill"]:
            self.memory.write(address, 16, 0)
            self.memory.spilled[address] = value
        elif kind == "8":
            self.memory.write(address, 8, value.value)
        else:
            size = 8 if kind == "d" else 4
            self.memory.write(address, size, int.from_bytes(struct.pack("<" + kind.replace("s", "f"), value), "little"))
        self.moved(base, row, row.sources[1:])

    def do_setf(self, row):
        value = self.get(row.sources[0])
        self.set(row.targets[0], Integer(value) if row.more == ["sig"] else double(value))

    def do_getf(self, row):
        value = self.get(row.sources[0])
        if row.more == ["sig"]:
            if not isinstance(value, Integer):
                raise Fault("getf.sig of a number with an exponent")
            self.set(row.targets[0], value.value)
        else:
            value = float(value.value) if isinstance(value, Integer) else value
            kind = "<d" if row.more == ["d"] else "<f"
            self.set(row.targets[0], int.from_bytes(struct.pack(kind, value), "little"))

    def rounded(self, row, value):
        self.set(row.targets[0], single(value) if "s" in row.more else value)

    def do_fma(self, row):
        a, b, c = [self.get(word) for word in row.sources]
        self.rounded(row, a * b + c)

    def do_fmpy(self, row):
        self.rounded(row, self.get(row.sources[0]) * self.get(row.sources[1]))

    def do_fadd(self, row):
        self.rounded(row, self.get(row.sources[0]) + self.get(row.sources[1]))

    def do_xmpy(self, row):
        a, b = [self.get(word).value for word in row.sources]
        if row.more[0] == "h":
            a, b = signed(a), signed(b)
        self.set(row.targets[0], Integer(a * b >> 64 if row.more[0][0] == "h" else a * b))

    def do_arithmetic(self, row):
        values = [self.number(word) for word in row.sources]
        operations = {"add": sum, "adds": sum, "addl": sum, "sub": lambda v: v[0] - v[1] - (v[2] if len(v) > 2 else 0),
                      "and": lambda v: v[0] & v[1], "or": lambda v: v[0] | v[1], "xor": lambda v: v[0] ^ v[1],
                      "andcm": lambda v: v[0] & ~v[1], "shladd": lambda v: (v[0] << v[1]) + v[2],
                      "addp4": lambda v: (v[0] + v[1] & 0xffffffff) | (v[1] >> 30 & 3) << 61}
        self.set(row.targets[0], operations[row.base](values))

    def do_shift(self, row):
        value, count = self.number(row.sources[0]), self.number(row.sources[1])
        if row.base == "shl":
            self.set(row.targets[0], value << count if count < 64 else 0)
        else:
            self.set(row.targets[0], (value if row.more == ["u"] else signed(value)) >> min(count, 64))

    def do_extend(self, row, kind, size):
        value, bits = self.number(row.sources[0]), 8 * int(size)
        self.set(row.targets[0], signed(value, bits) if kind == "s" else value & ((1 << bits) - 1))

    def do_extr(self, row):
        value, place, length = [self.number(word) for word in row.sources]
        value = value >> place & ((1 << length) - 1)
        self.set(row.targets[0], value if row.more == ["u"] else signed(value, length))

    def do_dep(self, row):
        values = [self.number(word) for word in row.sources]
        if row.more == ["z"]:
            value, place, length = values
            self.set(row.targets[0], (value & ((1 << length) - 1)) << place)
        else:
            value, into, place, length = values
            mask = ((1 << length) - 1) << place
            self.set(row.targets[0], into & ~mask | (value << place) & mask)

    def do_compare(self, row, narrow):
        a, b = [self.number(word) for word in row.sources]
        relation, bits = row.more[0], 32 if narrow else 64
        plain = lambda value: value & ((1 << bits) - 1)
        a, b = (plain(a), plain(b)) if relation.endswith("u") and relation != "eq" else (signed(a, bits), signed(b, bits))
        held = {"eq": a == b, "ne": a != b, "lt": a < b, "le": a <= b, "gt": a > b, "ge": a >= b}[relation.rstrip("u")]
        if set(row.more) & {"and", "or"}:
            raise Fault("parallel comparisons are unknown here")
        self.pair(row, held)

    def do_tbit(self, row):
        is_set = bool(self.number(row.sources[0]) >> self.number(row.sources[1]) & 1)
        self.pair(row, is_set == (row.more[0] == "nz"))

    def pair(self, row, held):
        self.set(row.targets[0], held)
        if len(row.targets) > 1:
            self.set(row.targets[1], not held)

    patterns = [(r"ld([1248])", do_load), (r"st([1248])", do_store), (r"ldf([ds8]?)", do_load_float), (r"stf([ds8]?)", do_store_float),
                (r"ldfp([ds8])", do_load_pair), (r"cmp(4?)", do_compare), (r"([sz])xt([124])", do_extend),
                (r"fetchadd([48])", do_fetchadd), (r"xchg([48])", do_xchg),
                (r"add|adds|addl|sub|and|or|xor|andcm|shladd|addp4", do_arithmetic), (r"shl|shr", do_shift)]

    # Linux

    def do_break(self, row):
        number = self.number(row.sources[0])
        if number != 0x100000:
            raise Fault(f"break {number}")
        handler = {1026: self.sys_read, 1028: self.sys_open, 1029: self.sys_close, 1041: lambda *_: self.process, 1042: lambda *_: 1,
                   1046: lambda *_: self.user, 1047: lambda *_: 1000, 1062: lambda *_: 1000, 1063: lambda *_: 1000, 1085: self.sys_limit,
                   1092: self.sys_readlink, 1098: self.sys_truncate, 1105: lambda *_: self.process, 1151: self.sys_map,
                   1179: lambda *_: 0, 1184: self.sys_folder, 1254: self.sys_clock, 1303: lambda *_: -95}[self.get("r15")]
        self.calls += 1
        size, local = self.frame
        arguments = [self.stacked[self.stack_row(32 + i)] if i < size else 0 for i in range(local, local + 6)]
        result = handler(*arguments)
        for register in (2, 3, 9, 11, *range(14, 32)):  # what the kernel does not keep
            self.general[register] = self.random.getrandbits(63)
        for register in range(6, 12):
            self.floats[register] = 0.0
        self.branches[6], self.branches[7] = 0, 0
        for register in range(6, 16):
            self.predicates[register] = bool(self.random.getrandbits(1))
        self.set("r8", -result if result < 0 else result)
        self.set("r10", -1 if result < 0 else 0)

    def sys_open(self, path, flags, mode, *_):
        path = self.memory.text(path)
        number = 3 + len(self.files)
        if path == "/proc/self/cmdline":
            self.files[number] = b"program\0argument\0"
            return number
        assert path.startswith(self.folder + "/"), path
        if not flags & 0x40 and not os.path.exists(path):
            return -2
        if flags & 0x80 and os.path.exists(path):
            return -17
        if not os.path.isdir(os.path.dirname(path)):
            return -2
        self.files[number] = os.open(path, os.O_RDWR | (flags & 0x40 and os.O_CREAT), mode)
        return number

    def sys_read(self, file, address, size, *_):
        text = self.files[signed(file)][:size]
        for i, byte in enumerate(text):
            self.memory.write(address + i, 1, byte)
        return len(text)

    def sys_close(self, file, *_):
        return 0 if signed(file) in self.files else -9

    def sys_limit(self, which, address, *_):
        self.memory.write(address, 8, MASK)
        self.memory.write(address + 8, 8, MASK)
        return 0

    def sys_readlink(self, path, address, size, *_):
        assert self.memory.text(path) == "/proc/self/exe"
        for i, byte in enumerate(b"/test/program"):
            self.memory.write(address + i, 1, byte)
        return 13

    def sys_folder(self, address, size, *_):
        for i, byte in enumerate(self.folder.encode() + b"\0"):
            self.memory.write(address + i, 1, byte)
        return len(self.folder.encode()) + 1

    def sys_truncate(self, file, size, *_):
        os.ftruncate(self.files[signed(file)], size)
        return 0

    def sys_clock(self, which, address, *_):
        self.memory.write(address, 8, self.clock // 10**9)
        self.memory.write(address + 8, 8, self.clock % 10**9)
        return 0

    def sys_map(self, address, size, protection, flags, file, offset):
        if not flags & 0x10:
            address, self.next_map = self.next_map, self.next_map + size + 0x4000
        if protection:
            data = self.memory.add(address, size, self.files.get(signed(file)), offset)
            self.mapped.append((data, self.files.get(signed(file)), offset))
        return address

    def room(self, size):
        """Memory for the test."""
        self.free += -self.free % 64
        self.free += size
        return self.free - size

    def put_doubles(self, *numbers):
        start = self.room(8 * len(numbers))
        for i, number in enumerate(numbers):
            self.store_bytes(start + 8 * i, 8, struct.unpack("<Q", struct.pack("<d", number))[0])
        return start

    def doubles(self, start, count):
        return [self.loaded(start + 8 * i, "d") for i in range(count)]

    def leave(self):
        """What shared mappings hold goes to their files."""
        for data, file, offset in self.mapped:
            os.pwrite(file, bytes(data), offset)
