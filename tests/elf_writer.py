"""ELF files from nothing, sound or not, for tests that no compiler would serve."""
import struct


class Elf:
    """A 64-bit little-endian file with one section of code, function symbols, and what add_section adds."""

    def __init__(self, code, symbols, address=0x1000, machine=62, type=3):
        self.machine, self.type, self.symbols, self.address = machine, type, symbols, address
        self.sections = []
        self.add_section(".text", code, flags=6, address=address)

    def add_section(self, name, contents, kind=1, flags=0, address=0, size=None, offset=None, link=0, info=0, entry=0):
        self.sections.append((name, contents, kind, flags, address, size, offset, link, info, entry))

    def bytes(self):
        names, texts = bytearray(b"\0"), bytearray(b"\0")
        symbols = bytearray(24)
        for name, value, size in self.symbols:
            symbols += struct.pack("<IBBHQQ", len(texts), 0x12, 0, 1, value, size)
            texts += name.encode() + b"\0"
        sections = list(self.sections)
        if self.symbols:
            sections.append((".symtab", bytes(symbols), 2, 0, 0, None, None, len(sections) + 2, 1, 24))
            sections.append((".strtab", bytes(texts), 3, 0, 0, None, None, 0, 0, 0))
        numbers, places = {}, []
        data = bytearray(64)
        for name, contents, *_ in sections + [(".shstrtab",  b"")]:
            if name not in numbers:
                numbers[name] = len(names)
                names += name.encode() + b"\0"
        for name, contents, *_ in sections:
            places.append(len(data))
            data += contents
        places.append(len(data))
        data += names
        sections.append((".shstrtab", bytes(names), 3, 0, 0, None, None, 0, 0, 0))
        data += bytes(-len(data) % 8)
        start = len(data)
        data += bytes(64)
        for (name, contents, kind, flags, address, size, offset, link, info, entry), place in zip(sections, places):
            data += struct.pack("<IIQQQQIIQQ", numbers[name], kind, flags, address, place if offset is None else offset,
                                len(contents) if size is None else size, link, info, 1, entry)
        count = len(sections) + 1
        data[:64] = struct.pack("<16sHHIQQQIHHHHHH", b"\x7fELF\x02\x01\x01", self.type, self.machine, 1, self.address, 0,
                                start, 0, 64, 56, 0, 64, count, count - 1)
        return bytes(data)

    def write(self, path):
        with open(path, "wb") as file:
            file.write(self.bytes())
