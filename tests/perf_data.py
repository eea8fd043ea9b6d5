"""A writer of recordings of perf, for what perf cannot write here: other computers, branch records, damage.

The format is tools/perf/Documentation/perf.data-file-format.txt of the kernel; records are those of linux/perf_event.h."""
import struct

CYCLES, CPU_CLOCK, TASK_CLOCK, PAGE_FAULTS, INSTRUCTIONS = (0, 0), (1, 0), (1, 1), (1, 2), (0, 1)
IP, TID, TIME, CALLCHAIN, CPU, PERIOD, BRANCHES, REGISTERS, STACK, IDENTIFIER = (
    1 << bit for bit in (0, 1, 2, 5, 7, 8, 11, 12, 13, 16))
USER, KERNEL = 2, 1
CONTEXT_USER = 2 ** 64 - 512
FEATURES = {"host": 3, "version": 5, "architecture": 6, "processor": 8, "processor_id": 9}


class Recording:
    def __init__(self, events=((CYCLES, "cycles"),), kinds=IP | TID | TIME | CPU | PERIOD | IDENTIFIER, order="<", frequency=4000,
                 branch_kinds=0, **facts):
        self.events, self.kinds, self.order, self.frequency, self.branch_kinds = events, kinds, order, frequency, branch_kinds
        self.facts, self.records, self.builds, self.time = facts, [], [], 1000000000
        self.words = facts.pop("words", None)

    def pack(self, layout, *values):
        return struct.pack(self.order + layout, *values)

    def record(self, kind, body, misc=0):
        body += b"\0" * (-len(body) % 8)
        self.records.append(self.pack("IHH", kind, misc, 8 + len(body)) + body)

    def trailer(self, pid, tid):
        return self.pack("IIQIIQ", pid, tid, self.time, 0, 0, 1)

    def text(self, text):
        text = text.encode() + b"\0"
        return text + b"\0" * (-len(text) % 8)

    def string(self, text):
        text = self.text(text)
        return self.pack("I", len(text)) + text

    def comm(self, pid, name, executes=True, tid=None):
        self.record(3, self.pack("II", pid, tid or pid) + self.text(name) + self.trailer(pid, tid or pid), 1 << 13 if executes else 0)

    def fork(self, pid, parent):
        self.record(7, self.pack("IIIIQ", pid, parent, pid, parent, self.time) + self.trailer(pid, pid))

    def exit(self, pid):
        self.record(4, self.pack("IIIIQ", pid, 1, pid, 1, self.time) + self.trailer(pid, pid))

    def map(self, pid, path, start, size, offset, build_id=None):
        identity = (struct.pack("<BBH", len(build_id), 0, 0) + build_id.ljust(20, b"\0") if build_id
                    else self.pack("IIQQ", 8, 1, 12345, 0))
        self.record(10, self.pack("IIQQQ", pid, pid, start, size, offset) + identity + self.pack("II", 5, 2) +
                    self.text(path) + self.trailer(pid, pid), USER | (1 << 14 if build_id else 0))

    def old_map(self, pid, path, start, size, offset):
        self.record(1, self.pack("IIQQQ", pid, pid, start, size, offset) + self.text(path) + self.trailer(pid, pid), USER)

    def lost(self, count):
        self.record(2, self.pack("QQ", 1, count) + self.trailer(0, 0))

    def round(self):
        self.record(68, b"")

    def build_id(self, path, build_id):
        body = self.pack("i", -1) + build_id.ljust(20, b"\0") + bytes([len(build_id), 0, 0, 0]) + self.text(path)
        self.builds.append(self.pack("IHH", 67, USER | 1 << 15, 8 + len(body)) + body)

    def sample(self, address, pid=100, tid=None, event=1, period=1000000, chain=None, branches=None, misc=USER, gap=250000, cpu=0):
        self.time += gap
        kinds, body = self.kinds, b""
        for kind, piece in ((IDENTIFIER, lambda: self.pack("Q", event)), (IP, lambda: self.pack("Q", address)),
                            (TID, lambda: self.pack("II", pid, pid if tid is None else tid)),
                            (TIME, lambda: self.pack("Q", self.time)), (CPU, lambda: self.pack("II", cpu, 0)),
                            (PERIOD, lambda: self.pack("Q", period)),
                            (CALLCHAIN, lambda: self.pack(f"Q{len(chain or [])}Q", len(chain or []), *(chain or []))),
                            (BRANCHES, lambda: self.pack("Q", len(branches or [])) + (self.pack("Q", 0) if self.branch_kinds >> 17 & 1 else b"") +
                             b"".join(self.pack("QQQ", *branch) for branch in branches or []))):
            if kinds & kind:
                body += piece()
        self.record(9, body, misc)

    def attribute(self, number):
        kind, config = self.events[number][0]
        flags = 1 << 10 | 1 << 18 | 1 << 12  # frequency, trailers, enabled by exec
        fields = self.pack("IIQQQQQIIQQQQIiQIHH", kind, 112, config, self.frequency, self.kinds, 0, flags, 0, 0, 0, 0, self.branch_kinds,
                           0, 0, 0, 0, 0, 0, 0)
        return fields.ljust(112, b"\0")

    def features(self):
        found = {FEATURES[name]: self.string(text) for name, text in self.facts.items()}
        if self.builds:
            found[2] = b"".join(self.builds)
        if self.words:
            found[11] = self.pack("I", len(self.words)) + b"".join(self.string(word) for word in self.words)
        described = self.pack("II", len(self.events), 112)
        for number, (_, name) in enumerate(self.events):
            described += self.attribute(number) + self.pack("I", 1) + self.string(name) + self.pack("Q", number + 1)
        found[12] = described
        return found

    def file(self):
        magic = struct.unpack("<Q", b"PERFILE2")[0]
        count, data = len(self.events), b"".join(self.records)
        ids = 104
        attributes = ids + 8 * count
        start = attributes + 128 * count
        features = sorted(self.features().items())
        head = self.pack("QQQQQQQQQ", magic, 104, 128, attributes, 128 * count, start, len(data), 0, 0)
        flags = sum(1 << number for number, _ in features)
        head += self.pack("QQQQ", flags, 0, 0, 0)
        head += b"".join(self.pack("Q", number + 1) for number in range(count))
        for number in range(count):
            head += self.attribute(number) + self.pack("QQ", ids + 8 * number, 8)
        at, sections, bodies = start + len(data) + 16 * len(features), b"", b""
        for _, body in features:
            sections += self.pack("QQ", at + len(bodies), len(body))
            bodies += body
        return head + data + sections + bodies

    def pipe(self):
        """As perf writes into a pipe: what it knows are records, too."""
        magic = struct.unpack("<Q", b"PERFILE2")[0]
        kept, self.records = self.records, []
        for number in range(len(self.events)):
            self.record(64, self.attribute(number) + self.pack("Q", number + 1))
        for number, body in sorted(self.features().items()):
            if number != 2:
                self.record(80, self.pack("Q", number) + body)
        head, self.records = self.records, kept
        return self.pack("QQ", magic, 16) + b"".join(head) + b"".join(kept) + b"".join(self.builds)
