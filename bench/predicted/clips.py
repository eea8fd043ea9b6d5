"""Clips for x264: one to three scenes each, which are still, move, tremble or are full of noise. Everything follows from seeds."""
import os, random, subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
PICTURES = [(352, 288), (416, 240), (480, 360), (640, 360)]
KINDS = ["still", "pan", "swarm", "shake", "snow"]
COUNT = 36


def clips(folder, count=COUNT, seed=7):
    """Makes the files.  Rows with clip (a name in the folder), width, height, frames, scenes."""
    program = os.path.join(folder, "clip")
    if not os.path.exists(program):
        subprocess.run(["cc", "-O2", os.path.join(HERE, "clip.c"), "-o", program, "-lm"], check=True)
    chance = random.Random(seed)
    rows = []
    for number in range(1, count + 1):
        width, height = chance.choice(PICTURES)
        scenes, frames = [], 0
        for _ in range(chance.choice([1, 1, 2, 3])):
            kind, length = chance.choice(KINDS), chance.randint(60, 180)
            if kind == "snow":  # which takes ten times as long
                length //= 3
            scenes.append(f"{kind}:{length}" + (f":{chance.randint(10, 120)}" if kind == "snow" else ""))
            frames += length
        name = f"clip{number}.y4m"
        path = os.path.join(folder, name)
        if not os.path.exists(path):
            subprocess.run([program, str(width), str(height), str(number), ",".join(scenes), path + ".new"], check=True)
            os.rename(path + ".new", path)
        rows.append({"clip": name, "width": width, "height": height, "frames": frames, "scenes": " ".join(scenes)})
    return rows
