"""What the benches share: times and memory of commands, and a line for each figure beside its limit."""
import os, subprocess, sys, time

RUNS = int(os.environ.get("RUNS", "3"))


def run(command, output=None):
    """Wall seconds and peak memory in MB of a command."""
    start = time.monotonic()
    with open(output or os.devnull, "wb") as out:
        process = subprocess.Popen(command, stdout=out)
        _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"failed with status {status}: {' '.join(command)}")
    return time.monotonic() - start, usage.ru_maxrss / 1024


def best(command, before=None):
    results = []
    for _ in range(RUNS):
        if before:
            before()
        results.append(run(command))
    return min(r[0] for r in results), max(r[1] for r in results)


def line(what, value, limit, unit=""):
    verdict = "" if limit is None else f"  (at most {limit:g}{unit}: {'ok' if value <= limit else 'MISSED'})"
    print(f"  {what:<58} {value:9.3f}{unit}{verdict}", flush=True)
