"""ELF files, damaged where it hurts: headers, tables, debug information, texts at the end of the file (see fuzz/mutate).

A file gets one to four damages.  Each knows what it looks at: the fields of headers, entries of symbol and relocation
tables, the inside of one section (debug information more often than others), the end of the file, or another seed, of
which it takes a section or the rest.  Of an archive a member is damaged, or the archive's own headers."""
import os, pathlib, shutil, struct, subprocess

CORPUS = pathlib.Path(__file__).resolve().parent / "corpus" / "file"
COMMANDS = [["functions", "FILE", "--quiet"], ["loops", "FILE", "--quiet"], ["report", "FILE", "--top", "1", "--quiet"],
            ["cycles", "FILE", "--quiet"], ["asm", "FILE", "--quiet"], ["problems", "FILE", "--quiet"],
            ["db", "FILE", "--output", "FOLDER/made.db", "--quiet"], ["variables", "FILE", "--json", "--quiet"],
            ["types", "FILE", "--quiet"], ["lines", "FILE", "--csv", "--quiet"], ["symbols", "FILE", "--quiet"]]
PAGE, LARGE = 4096, 2 << 20  # files of this size and more are mapped: nothing follows their last byte

C = r"""
struct pair { struct pair *next; double value[3]; unsigned bits : 5; };
extern int outside(int), further(const char *);
int counter; static double table[4][8]; _Thread_local int mine;
static inline double weigh(const struct pair *p, int n) {
    double sum = 0; for (int i = 0; i < n; i++) sum += p->value[i % 3] * table[i & 3][n & 7]; return sum; }
int choose(int kind, struct pair *p) {
    switch (kind) { case 0: return outside(1); case 1: counter += 3; break; case 2: return further("two");
    case 3: p = p->next; break; case 4: return (int)weigh(p, counter); case 5: return -1; }
    for (int i = 0; i < kind; i++) for (int j = 0; j < i; j++) table[i & 3][j & 7] += p->value[0];
    return kind + counter + mine++; }
void sum(double *restrict a, const double *b, int n) { for (int i = 0; i < n; i++) a[i] = a[i] * 2 + b[i]; }
#ifdef START
int outside(int n) { while (n-- > 2) counter ^= n; return counter; }
int further(const char *t) { return *t; }
int main(void) { struct pair p = {&p, {1, 2, 3}, 4}; return choose(counter, &p); }
#endif
"""
CXX = r"""
#include <vector>
struct error { int code; }; extern void risky(int);
namespace shape { template <class T> struct box { T inside; T get() const { return inside; } }; }
double total(const std::vector<double> &v) { double t = 0; for (double x : v) t += x * 2; return t; }
int careful(int n) { try { risky(n); } catch (error &e) { return e.code; } catch (...) { return -1; }
    return shape::box<int>{n}.get(); }
"""
_others = []  # all seeds: splices take their parts from here


def _compiled(folder):
    """(name, compiler, source, flags): what the compilers here can make."""
    machines = {"x86_64": "x86_64-linux-gnu-", "aarch64": "aarch64-linux-gnu-"}
    for machine, prefix in machines.items():
        gcc = prefix + "gcc" if shutil.which(prefix + "gcc") else "gcc"
        if gcc == "gcc" and os.uname().machine != machine:
            continue
        for version in "45":
            yield f"{machine}-object-{version}.o", gcc, "a.c", ["-c", "-O2", f"-gdwarf-{version}"]
        yield f"{machine}-packed.o", gcc, "a.c", ["-c", "-O1", "-g", "-gz", "-ffunction-sections"]
        yield f"{machine}-split.o", gcc, "a.c", ["-c", "-O1", "-g", "-gsplit-dwarf"]
        yield f"{machine}-types.o", gcc, "a.c", ["-c", "-O1", "-g", "-fdebug-types-section", "-gdwarf-4"]
        yield f"{machine}-library.so", gcc, "a.c", ["-shared", "-fPIC", "-O2", "-g", "-nostdlib", "-Wl,--unresolved-symbols=ignore-all"]
        yield f"{machine}-program", gcc, "a.c", ["-O2", "-g", "-DSTART", "-nostdlib", "-static", "-Wl,-e,main"]
    native = "g++" if shutil.which("g++") else "clang++"
    yield "exceptions.o", native, "b.cc", ["-c", "-O1", "-g"]
    yield "exceptions.so", native, "b.cc", ["-shared", "-fPIC", "-O2", "-g", "-nostdlib", "-Wl,--unresolved-symbols=ignore-all"]
    if shutil.which("clang"):
        yield "clang-5.o", "clang", "a.c", ["-c", "-O2", "-gdwarf-5"]
        yield "clang-4.o", "clang", "a.c", ["-c", "-O1", "-gdwarf-4"]


def seeds(folder, assay):
    folder = pathlib.Path(folder)
    (folder / "a.c").write_text(C)
    (folder / "b.cc").write_text(CXX)
    made = [path for path in sorted(CORPUS.iterdir()) if not path.name.startswith("found-")]
    for name, compiler, source, flags in _compiled(folder):
        words = [compiler, *flags, "-w", "-o", name, source]
        if subprocess.run(words, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0:
            made.append(folder / name)
    objects = sorted(folder.glob("*-object-*.o"))
    if objects and shutil.which("ar"):
        subprocess.run(["ar", "rcs", "two.a", *[path.name for path in objects]], cwd=folder, check=True)
        made.append(folder / "two.a")
    made += sorted(folder.glob("*.dwo"))
    _others[:] = [path.read_bytes() for path in made]
    return [str(path) for path in made]


class File:
    """The parts of an ELF file, as far as its headers make sense."""

    def __init__(self, data):
        self.data = bytearray(data)
        self.wide = len(data) > 4 and data[4] == 2
        self.word = 8 if self.wide else 4
        self.header = 64 if self.wide else 52
        self.width = 64 if self.wide else 40
        self.start, count, names = 0, 0, 0
        if len(data) >= self.header:
            self.start = self.number(40 if self.wide else 32, self.word)
            count, names = self.number(60 if self.wide else 48, 2), self.number(62 if self.wide else 50, 2)
        self.sections = [n for n in range(count) if self.start + (n + 1) * self.width <= len(data)]
        self.names = self.place(names) if names in self.sections else (0, 0)

    def number(self, at, size):
        return int.from_bytes(self.data[at:at + size], "little")

    def put(self, at, size, value):
        if 0 <= at <= len(self.data) - size:
            self.data[at:at + size] = (value % (1 << 8 * size)).to_bytes(size, "little")

    def field(self, section, name):
        """(place, size) of a field of a section header."""
        wide = {"name": (0, 4), "type": (4, 4), "flags": (8, 8), "address": (16, 8), "offset": (24, 8), "size": (32, 8),
                "link": (40, 4), "info": (44, 4), "align": (48, 8), "entry": (56, 8)}
        narrow = {name: (4 * i, 4) for i, name in enumerate(wide)}
        at, size = (wide if self.wide else narrow)[name]
        return self.start + section * self.width + at, size

    def get(self, section, name):
        return self.number(*self.field(section, name))

    def set(self, section, name, value):
        self.put(*self.field(section, name), value)

    def place(self, section):
        """(first, end) of its bytes within the file."""
        first = min(self.get(section, "offset"), len(self.data))
        size = 0 if self.get(section, "type") == 8 else self.get(section, "size")
        return first, min(first + size, len(self.data))

    def name(self, section):
        at = self.names[0] + self.get(section, "name")
        end = self.data.find(0, at, at + 64)
        return bytes(self.data[at:end]) if self.names[0] <= at < self.names[1] and end > at else b""

    def filled(self, wanted=lambda name: True):
        return [n for n in self.sections if self.place(n)[1] > self.place(n)[0] and wanted(self.name(n))]


def _odd(random, size):
    """A number that is rarely right."""
    bits = 8 * size
    return random.choice([0, 1, 2, 3, 7, 8, 0x7f, 0x80, 0xff, 0x100, 0xffff, 0x10000, (1 << bits) - 1, (1 << bits) - 2,
                          1 << bits - 1, (1 << bits - 1) - 1, random.getrandbits(bits), random.getrandbits(12),
                          random.getrandbits(20), random.getrandbits(bits) & 0xfffffff8, -random.getrandbits(8)])


def _any_section(random, file):
    """Of debug information, tables and texts rather than of code."""
    chosen = [file.filled(lambda name: b"debug" in name), file.filled(lambda name: b"frame" in name or b"except" in name or
              b"note" in name or b"dyn" in name or b"rel" in name or b"sym" in name or b"str" in name or b"plt" in name), file.filled()]
    for group in random.sample([chosen[0], chosen[0], chosen[1], chosen[2]], 4):
        if group:
            return random.choice(group)
    return None


def _header(random, file):
    at, size = random.choice([(4, 1), (5, 1), (16, 2), (18, 2), (24, file.word), (24 + file.word, file.word),
                              (24 + 2 * file.word, file.word), (file.header - 12, 2), (file.header - 10, 2), (file.header - 8, 2),
                              (file.header - 6, 2), (file.header - 4, 2), (file.header - 2, 2)])
    file.put(at, size, _odd(random, size))


def _section_header(random, file):
    if not file.sections:
        return
    section = random.choice(file.sections)
    name = random.choice(["name", "type", "flags", "address", "offset", "size", "size", "offset", "link", "info", "align", "entry"])
    value = _odd(random, file.field(section, name)[1])
    if name in ("size", "offset") and random.random() < 0.5:
        value = file.get(section, name) + random.choice([-1, 1, -8, 8, 16, -16, random.randrange(-300, 300)])
    elif name == "type":
        value = random.choice([0, 1, 2, 3, 4, 6, 7, 8, 9, 11, 14, 17, 18, 19, value])
    elif name == "flags":
        value = file.get(section, name) ^ 1 << random.randrange(13)
    elif name in ("link", "info") and random.random() < 0.7:
        value = random.choice(file.sections)
    file.set(section, name, value)


def _segment(random, file):
    at, count = file.number(32 if file.wide else 28, file.word), file.number(file.header - 8, 2)
    if not count:
        return
    at += random.randrange(min(count, 64)) * (56 if file.wide else 32)
    fields = [(0, 4), (4, 4), (8, 8), (16, 8), (32, 8), (40, 8), (48, 8)] if file.wide else [(4 * i, 4) for i in range(8)]
    place, size = random.choice(fields)
    file.put(at + place, size, _odd(random, size))


def _entries(random, file):
    """Fields of symbols, relocations and the dynamic section."""
    tables = [n for n in file.filled() if file.get(n, "type") in (2, 4, 6, 9, 11, 14, 15, 17, 18, 19)]
    if not tables:
        return
    section = random.choice(tables)
    first, end = file.place(section)
    width = {2: 24 if file.wide else 16, 11: 24 if file.wide else 16, 4: 3 * file.word, 9: 2 * file.word,
             6: 2 * file.word}.get(file.get(section, "type"), file.word)
    for _ in range(random.randrange(1, 6)):
        at = first + random.randrange(max(1, (end - first) // width)) * width
        size = random.choice([1, 2, 4, file.word])
        file.put(min(at + random.randrange(0, width, size if size < width else width), end - size), size, _odd(random, size))


def _inside(random, file):
    """Bytes of a section: small numbers of DWARF, lengths, offsets."""
    section = _any_section(random, file)
    if section is None:
        return
    first, end = file.place(section)
    for _ in range(random.choice([1, 1, 2, 3, 8, 30])):
        at = random.randrange(first, end)
        kind = random.randrange(6)
        if kind == 0:
            file.data[at] ^= 1 << random.randrange(8)
        elif kind == 1:
            file.data[at] = random.choice([0, 1, 0x7f, 0x80, 0xff, random.randrange(256)])
        elif kind == 2:
            size = random.choice([2, 4, 8])
            file.put(min(at, end - size), size, _odd(random, size))
        elif kind == 3:
            length = min(random.choice([1, 4, 10, 64]), end - at)
            file.data[at:at + length] = bytes([random.choice([0, 0x80, 0xff])]) * length
        elif kind == 4:
            source, length = random.randrange(first, end), random.randrange(1, 40)
            length = min(length, end - at, end - source)
            file.data[at:at + length] = file.data[source:source + length]
        else:
            file.put(first + random.choice([0, 4, 6, 8, 12]), 4, _odd(random, 4))


def _shift(random, file):
    """Bytes go in or out of a section; what follows in it moves, its size stays."""
    section = _any_section(random, file)
    if section is None:
        return
    first, end = file.place(section)
    at, count = random.randrange(first, end), random.randrange(1, 9)
    if random.random() < 0.5:
        file.data[at:end] = (random.randbytes(count) + file.data[at:end])[:end - at]
    else:
        file.data[at:end] = file.data[at + count:end] + bytes(min(count, end - at))


def _cut(random, file):
    """The file ends early: anywhere, in a section, or in the table of sections."""
    places = [random.randrange(1, len(file.data) + 1)] + [random.randrange(*file.place(n)) + 1 for n in file.filled()]
    if 0 < file.start < len(file.data):
        places.append(random.randrange(file.start, len(file.data)) + 1)
    del file.data[random.choice(places):]


def _splice(random, file):
    """A section, or the rest of the file, of another seed."""
    other = File(random.choice(_others))
    if other.data[:4] != b"\x7fELF" or random.random() < 0.2:
        at = random.randrange(len(file.data))
        file.data[at:] = other.data[random.randrange(len(other.data)):]
        return
    section = _any_section(random, file)
    same = other.filled(lambda name: section is not None and name == file.name(section)) or other.filled()
    if section is None or not same:
        return
    first, end = other.place(random.choice(same))
    file.set(section, "offset", len(file.data))
    file.set(section, "size", end - first)
    file.data += other.data[first:end]


def _at_the_end(random, file):
    """A section becomes the last bytes of a file that ends at the border of a page, texts without their final zero."""
    texts = file.filled(lambda name: b"str" in name or b"comment" in name or b"link" in name or b"note" in name)
    sections = texts if texts and random.random() < 0.7 else file.filled()
    if not sections:
        return
    section = random.choice(sections)
    first, end = file.place(section)
    body = bytearray(file.data[first:end])
    if random.random() < 0.8:
        zeros = random.choice([1, 1, 2, len(body)])
        body = bytearray(body[:-zeros]) + bytes(byte or 0x78 for byte in body[-zeros:])
    size = max(LARGE if random.random() < 0.7 else 0, len(file.data) + len(body))
    size += -size % PAGE
    file.set(section, "offset", size - len(body))
    file.data += bytes(size - len(body) - len(file.data)) + body


def _counts(random, file):
    """Far more than there can be: sections, symbols, entries, units."""
    kind = random.randrange(4)
    if kind == 0 and file.sections:  # the number of sections is in the first header
        file.put(file.header - 4, 2, 0)
        file.set(0, "size", _odd(random, file.word))
    elif kind == 1:
        file.put(file.header - 4, 2, random.choice([0xffff, 0xfeff, 0xff00]))
    elif file.filled():
        section = _any_section(random, file)
        file.set(section, random.choice(["size", "info", "entry"]), _odd(random, 4))


def _one_member(random, data):
    """A member of an archive, damaged or not in place, or the text before it."""
    data, at, members = bytearray(data), 8, []
    while at + 60 <= len(data):
        try:
            size = int(data[at + 48:at + 58])
        except ValueError:
            break
        members.append((at, at + 60, min(at + 60 + size, len(data))))
        at += 60 + size + (size & 1)
    if not members:
        return bytes(data)
    at, first, end = random.choice(members)
    if random.random() < 0.7 and data[first:first + 4] == b"\x7fELF":
        damaged = _damage(random, data[first:end])[:end - first]
        data[first:first + len(damaged)] = damaged
    else:
        place = at + random.randrange(60)
        data[place:place + 1] = random.choice([b" ", b"0", b"9", b"/", b"\n", b"\xff", b"-"])
    return bytes(data[:random.randrange(1, len(data))]) if random.random() < 0.1 else bytes(data)


DAMAGES = [_header, _section_header, _section_header, _segment, _entries, _entries, _inside, _inside, _inside, _inside, _inside,
           _shift, _shift, _cut, _splice, _splice, _at_the_end, _at_the_end, _counts]


def _damage(random, data):
    for _ in range(random.choice([1, 1, 2, 3, 4])):
        file = File(data)
        if len(data) < 16:
            break
        random.choice(DAMAGES)(random, file)
        data = bytes(file.data)
    return data


def mutate(random, seed_bytes):
    if seed_bytes[:8] in (b"!<arch>\n", b"!<thin>\n"):
        return _one_member(random, seed_bytes)
    return _damage(random, seed_bytes)
