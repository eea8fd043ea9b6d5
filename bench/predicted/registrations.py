"""Pairs of phantoms for mrregister: 12 targets of different sizes, four sources each. Everything follows from seeds.

A source is a copy of the target (the least work there is), a rescan (the same head, other noise), a follow-up (a head that
changed by at most 2 mm), a warped head (2 to 20 mm), or another head. mrregister stops a level when its cost rises for the first time,
so noise decides when work ends: with much noise in empty parts of the image it fits noise up to the limit of
iterations, whatever the heads are. Phantoms are like scans with everything but the head removed, and their noise is weak.
"""
import os, random, subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
SIZES = [44, 48, 52, 54, 56, 60, 62, 64, 68, 70, 74, 80]
KINDS = ["copy"] * 4 + ["rescan"] * 10 + ["follow-up"] * 12 + ["warp"] * 12 + ["other"] * 10
NOISE = 0.3
OPTIONS = "-type nonlinear -nl_niter 20 -nl_update_smooth 4 -nthreads 0 -quiet -force"


def builder(folder):
    program = os.path.join(folder, "phantom")
    if not os.path.exists(program):
        subprocess.run(["cc", "-O2", os.path.join(HERE, "phantom.c"), "-o", program, "-lm"], check=True)
    return program


def phantom(folder, size, anatomy, strength, warp, noise=NOISE):
    name = f"head{anatomy}-{size}" + (f"-warp{warp}" if warp else "") + ".mif"
    path = os.path.join(folder, name)
    if not os.path.exists(path):
        subprocess.run([builder(folder), str(size), str(anatomy), f"{strength:.3f}", str(warp), str(noise), "0", path + ".new"],
                       check=True)
        os.rename(path + ".new", path)
    return name


def pairs(folder, seed=20, sizes=SIZES, kinds=KINDS, first=1):
    """Makes the images; heads have the numbers from `first` on.  Rows with pair, kind, source, target (names in the folder), size, strength."""
    chance = random.Random(seed)
    kinds = kinds[:]
    chance.shuffle(kinds)
    rows = []
    for anatomy, size in enumerate(sizes, first):
        target = phantom(folder, size, anatomy, 0, 0)
        for _ in range(len(kinds) // len(sizes)):
            kind, warp = kinds[len(rows)], len(rows) + 1
            strength = chance.uniform(2, 20) if kind in ("warp", "other") else chance.uniform(0.2, 2)
            if kind in ("copy", "rescan"):
                strength = 0
            other = anatomy + 100 if kind == "other" else anatomy
            source = target if kind == "copy" else phantom(folder, size, other, strength, warp)
            rows.append({"pair": len(rows) + 1, "kind": kind, "source": source, "target": target, "size": size**3,
                         "strength": round(strength, 3)})
    chance.shuffle(rows)
    return rows


def other_pairs(folder):
    """24 pairs of other heads, which were measured after everything about the first 48 was settled."""
    return pairs(folder, seed=21, kinds=KINDS[::2], first=201)


def third_pairs(folder):
    """24 more, measured when the models had been changed after a look at the second lot."""
    return pairs(folder, seed=22, kinds=KINDS[::2], first=401)
