"""What bench/field reads in a report of `assay run --json`, and the page that it writes."""
import json
import os
import re
import tomllib

OURS = os.path.dirname(os.path.abspath(__file__))
LEAST = 0.02  # smaller differences between two builds are noise

HEAD = """# Programs of others: what Assay says, and what helps

`bench/field` writes this page ([what it does](../field), [the programs](../field-programs/programs.toml), [what was read on the screen](../field-programs/judged.toml)).
Sources are Debian's, compiled as their build files do it. Times are processor time, the quickest of some runs by turns.

- **predicted, measured, explained, with advice, any**: shares of the run's time for which `assay report` says such a thing of a run with `--measure`, and any of them; the
  report's own line "Of the time …" ([what counts](../../docs/run-report.md)). `assay run` itself leaves out loops with hardly any time, so its line has a little less.
- **first advice**: the first item of `assay run` with its promise; **did**: what following it saved.
- **best win known**: of all changes that were tried, among them those that stand below the table.
- **named**: whether the best win is on the first screen (**yes**, half, no; "none": nothing helps, and nothing was promised), and whether its promise is within a factor of 1.5.
"""


def shares(report):
    """Shares of the run's time that the report says something about, as it says itself, and what all its advice would save."""
    return dict(report["coverage"], saving=report["saving"])


def percent(value):
    return "" if value is None else f"{100 * value:.0f} %"


def best(result):
    """The change that saved most, and how much; none if all of them are within the noise."""
    tried = [variant for variant in result["variants"].values() if variant.get("saving") is not None and not variant["output"].startswith(("differs", "other"))]
    first = max(tried, key=lambda variant: variant["saving"], default=None)
    return first if first and first["saving"] > LEAST else None


def failure(result):
    """Why there are no figures, without folders of one computer."""
    said = result.get("failed", "not run").splitlines()[0].replace("|", "/")
    return re.sub(r"/[^ ]*/", "", said)[:120]


def row(name, program, result, judged, folder):
    if "failed" in result or "says" not in result:
        return f"| {name} | {program['kind']} | | | | | | | {failure(result)} | | | | |"
    with open(os.path.join(folder, name, "measured.json")) as file:
        says = shares(json.load(file))
    won = best(result)
    did = result["variants"].get(judged.get("by", ""), {}).get("saving")
    known = f"{won['name']}: {percent(won['saving'])}" if won else "none"
    if judged.get("best"):
        known = judged["best"]
    cells = [name, program["kind"], f"{result['base']['seconds']:.2f}", *(percent(says[key]) for key in ("predicted", "measured", "explained", "advised", "any")),
             judged.get("first", ""), judged.get("promised", ""), judged.get("did", percent(did)), known, judged.get("named", "")]
    return "| " + " | ".join(cells) + " |"


def tries(name, result):
    if "base" not in result:
        return None
    words = []
    for variant in result["variants"].values():
        if "failed" in variant:
            words.append(f"{variant['name']} fails ({re.sub(r'/[^ ]*/program', 'it', variant['failed'].splitlines()[0])[:60]})")
        elif "saving" in variant:
            words.append(f"{variant['name']} {percent(variant['saving'])}" + ("" if variant["output"].startswith("same") else f" ({variant['output']})"))
    return f"- **{name}**, {result['base']['seconds']:.2f} s: " + ", ".join(words) + ("." if result.get("patched", True) else ". Without Debian's patches, which the mirror lacked.")


def write(page, programs, folder):
    with open(os.path.join(OURS, "judged.toml"), "rb") as file:
        judged = tomllib.load(file)
    lines = [HEAD, judged["about"]["text"].strip() + "\n",
             "| program | kind | s | predicted | measured | explained | with advice | any | first advice | promised | did | best win known | named |",
             "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"]
    notes = ["\n## All changes that were tried\n", "Time saved; outputs are the same unless something else is said.\n"]
    for name, program in programs.items():
        kept = os.path.join(folder, name, "result.json")
        result = json.load(open(kept)) if os.path.exists(kept) else {}
        lines.append(row(name, program, result, judged.get(name, {}), folder))
        said = tries(name, result)
        if said:
            notes.append(said + (f" {program['note'].capitalize()}." if "note" in program else "") + (" " + judged[name]["note"] if judged.get(name, {}).get("note") else ""))
    with open(page, "w") as file:
        file.write("\n".join(lines + notes) + "\n")
