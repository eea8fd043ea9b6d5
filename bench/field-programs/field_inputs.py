"""Inputs of the programs of bench/field, made from fixed seeds: each function gives the bytes of a file."""
import math
import os
import random
import struct

LETTERS = "ACDEFGHIKLMNPQRSTVWY"


def lines(rows):
    return ("\n".join(rows) + "\n").encode()


def oligos(short, long, seed):
    """Arguments of ntthal: an oligonucleotide and a long template."""
    chance = random.Random(seed)
    first, second = ("".join(chance.choice("ACGT") for _ in range(length)) for length in (short, long))
    return lines([f"-s1 {first} -s2 {second}"])


def nodes(count, seed):
    """Random points in a cube, as tetgen reads them."""
    chance = random.Random(seed)
    return lines([f"{count} 3 0 0"] + [f"{i} {chance.random():.9f} {chance.random():.9f} {chance.random():.9f}" for i in range(count)])


def particles(count, seed):
    """Random points in the unit cube, as voro++ reads them."""
    chance = random.Random(seed)
    return lines(f"{i} {chance.random():.9f} {chance.random():.9f} {chance.random():.9f}" for i in range(count))


def cnf(variables, ratio, seed):
    """Random 3-SAT, near the point where it is hardest."""
    chance = random.Random(seed)
    clauses = int(variables * ratio)
    rows = [f"p cnf {variables} {clauses}"]
    for _ in range(clauses):
        rows.append(" ".join(str(each * chance.choice((-1, 1))) for each in chance.sample(range(1, variables + 1), 3)) + " 0")
    return lines(rows)


def wav(seconds, seed):
    """Stereo sound: a few voices that come and go, and noise."""
    chance = random.Random(seed)
    rate = 44100
    voices = [(chance.uniform(60, 4000), chance.uniform(0.1, 3), chance.random()) for _ in range(6)]
    samples = bytearray()
    for i in range(int(seconds * rate)):
        t = i / rate
        tone = sum(math.sin(6.2831853 * pitch * t) * math.sin(pace * t + phase) for pitch, pace, phase in voices) / len(voices)
        for side in (0.9, 0.6):
            samples += struct.pack("<h", int(20000 * tone * side + chance.gauss(0, 300)))
    return b"RIFF" + struct.pack("<I", 36 + len(samples)) + b"WAVEfmt " + struct.pack("<IHHIIHH", 16, 1, 2, rate, rate * 4, 4, 16) + b"data" + struct.pack("<I", len(samples)) + samples


def text(size, seed):
    """Words, some much more frequent than others."""
    chance = random.Random(seed)
    words = ["".join(chance.choice("etaoinshrdlu") for _ in range(chance.randint(2, 9))) for _ in range(3000)]
    weights = [1 / (rank + 1) for rank in range(len(words))]
    rows = [" ".join(chance.choices(words, weights, k=12)) for _ in range(size // 60)]
    return lines(rows)[:size]


def family(letters, count, length, change, chance):
    """Sequences, each a copy of an earlier one with some letters changed."""
    found = ["".join(chance.choice(letters) for _ in range(length))]
    while len(found) < count:
        found.append("".join(chance.choice(letters) if chance.random() < change else letter for letter in chance.choice(found)))
    return found


def proteins(count, length, change, seed):
    chance = random.Random(seed)
    return lines(f">protein{i}\n{sequence[chance.randint(0, 9):]}" for i, sequence in enumerate(family(LETTERS, count, length, change, chance)))


def dna(count, length, seed):
    """Aligned sequences, as PHYLIP's programs read them."""
    chance = random.Random(seed)
    return lines([f"{count} {length}"] + [f"dna{i:<7}{sequence}" for i, sequence in enumerate(family("ACGT", count, length, 0.12, chance))])


def depots(places, customers, seed):
    """Where to open depots, and which customer gets what from which (the linear relaxation is solved)."""
    chance = random.Random(seed)
    rows = ["set I; set J; param f{I}; param c{I, J}; param d{J}; param u{I};",
            "var y{I} binary; var x{I, J} >= 0;",
            "minimize cost: sum{i in I} f[i] * y[i] + sum{i in I, j in J} c[i, j] * x[i, j];",
            "s.t. all{j in J}: sum{i in I} x[i, j] = 1;",
            "s.t. room{i in I}: sum{j in J} d[j] * x[i, j] <= u[i] * y[i];",
            "s.t. open{i in I, j in J}: x[i, j] <= y[i];", "solve; display cost; data;",
            "set I := " + " ".join(f"i{i}" for i in range(places)) + ";", "set J := " + " ".join(f"j{j}" for j in range(customers)) + ";"]
    rows.append("param f := " + " ".join(f"i{i} {chance.randint(400, 900)}" for i in range(places)) + ";")
    rows.append("param u := " + " ".join(f"i{i} {chance.randint(60, 160)}" for i in range(places)) + ";")
    rows.append("param d := " + " ".join(f"j{j} {chance.randint(5, 20)}" for j in range(customers)) + ";")
    rows.append("param c :=")
    rows += [f"[i{i}, j{j}] {chance.randint(10, 400)}" for i in range(places) for j in range(customers)]
    return lines(rows + [";", "end;"])


def alkane(carbons):
    """A chain of carbon atoms in internal coordinates, to be optimised by MOPAC."""
    rows = ["AM1 PRECISE T=3600", f"alkane with {carbons} carbons", ""]
    rows += ["C 0.0 0 0.0 0 0.0 0 0 0 0", "C 1.52 1 0.0 0 0.0 0 1 0 0", "C 1.52 1 112.0 1 0.0 0 2 1 0"]
    rows += [f"C 1.52 1 112.0 1 180.0 1 {i - 1} {i - 2} {i - 3}" for i in range(4, carbons + 1)]
    for i in range(1, carbons + 1):
        near, far = (i - 1, i - 2) if i > 2 else (i + 1, i + 2)
        if i in (2, carbons - 1) or 2 < i < carbons:
            near, far = i - 1, i + 1
            twists = (120.0, -120.0)
        else:
            twists = (60.0, -60.0, 180.0)
        rows += [f"H 1.10 1 110.0 1 {twist} 1 {i} {near} {far}" for twist in twists]
    return lines(rows + ["0 0.0 0 0.0 0 0.0 0 0 0 0"])


def grid(side, seed):
    """A square grid of nodes with some longer edges, as METIS reads graphs."""
    chance = random.Random(seed)
    nodes = side * side
    near = [set() for _ in range(nodes)]
    for i in range(nodes):
        for other in ([i + 1] if (i + 1) % side else []) + ([i + side] if i + side < nodes else []) + ([chance.randrange(nodes)] if not chance.randrange(40) else []):
            if other != i:
                near[i].add(other)
                near[other].add(i)
    return lines([f"{nodes} {sum(map(len, near)) // 2}"] + [" ".join(str(each + 1) for each in sorted(found)) for found in near])


def script(name):
    """A file of ours."""
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), name), "rb") as file:
        return file.read()


def dimacs(nodes, share, seed):
    """A random graph with so many of the possible edges (DIMACS)."""
    chance = random.Random(seed)
    edges = [f"e {i} {j}" for i in range(2, nodes + 1) for j in range(1, i) if chance.random() < share]
    return lines([f"p edge {nodes} {len(edges)}"] + edges)


def features(count, width, seed):
    """Two classes that overlap, as LIBSVM reads them."""
    chance = random.Random(seed)
    rows = []
    for _ in range(count):
        kind = chance.choice((-1, 1))
        rows.append(f"{kind:+d} " + " ".join(f"{k + 1}:{chance.gauss(0.25 * kind, 1):.5f}" for k in range(width)))
    return lines(rows)
