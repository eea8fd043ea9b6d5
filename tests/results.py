"""What a test program printed, as outcomes; and skips, grouped by their causes.

Command tests print `pass: NAME`, `fail: NAME: why`, `skip: NAME: why` or `lack: NAME: what`, where a name is `FILE: TEST`.  Unit tests
print TAP; tests/unit/able.h puts a line `because: WHY` or `lacking: WHAT` in front of a skip or a failure.

Skipped is what the processor, the kernel, the emulator or the user cannot do.  What lacks something that can be installed or built has
failed: a missing package must not hide a test.  A lenient run skips it."""
import collections, re

LINE = re.compile(r"^(?:(ok|not ok)\b|(pass|fail|skip|lack):)\s*(.*)$")
REASON = re.compile(r"^(because|lacking): (.*)$")
SKIPPED = re.compile(r"\d+ # SKIP\b")  # cmocka 1.1.5 says "not ok" in front of it
NUMBERED = re.compile(r"^\d+ (- |# SKIP )")
OUTCOMES = {"ok": "passed", "pass": "passed", "not ok": "failed", "fail": "failed", "skip": "skipped", "lack": "lacking"}

# outcome: passed, failed, skipped or lacking.  cause: why it was skipped, or what is lacking; '' if the program does not say.
Result = collections.namedtuple("Result", "outcome name cause")


def read(label, text):
    """The results of a program, each name with its label in front."""
    found, reason = [], None
    for line in text.splitlines():
        if match := REASON.match(line):
            reason = match
        elif match := LINE.match(line):
            tap, outcome, rest = match.group(1), OUTCOMES[match.group(1) or match.group(2)], match.group(3)
            found.append(of_tap(label, outcome, rest, reason) if tap else of_command(label, outcome, rest))
            reason = None
    return found


def of_command(label, outcome, rest):
    if outcome in ("passed", "failed"):
        return Result(outcome, f"{label}: {rest}", "")
    file, _, rest = rest.partition(": ")
    test, _, cause = rest.partition(": ")
    return Result(outcome, f"{label}: {file}: {test}", cause)


def of_tap(label, outcome, rest, reason):
    name = f"{label}: {NUMBERED.sub('', rest)}"
    if SKIPPED.match(rest):
        return Result("skipped", name, reason.group(2) if reason and reason.group(1) == "because" else "")
    if outcome == "failed" and reason and reason.group(1) == "lacking":
        return Result("lacking", name, reason.group(2))
    return Result(outcome, name, "")


def judged(results, is_lenient):
    """Without lacking: it has failed, with what to do about it; in a lenient run it is skipped."""
    for one in results:
        if one.outcome != "lacking":
            yield one
        elif is_lenient:
            yield Result("skipped", one.name, one.cause)
        else:
            yield Result("failed", f"{one.name}: lacking: {one.cause}{remedy(one.cause)}", "")


def remedy(what):
    if "tools/" in what:
        return ""
    if "this build" in what:
        return ": build again after tools/deps build check"
    return ": tools/deps check installs it"


def told(result):
    return f"{result.outcome}: {result.name}" + (f": {result.cause}" if result.cause else "")


def causes(results):
    """Lines such as `12 skipped: this processor has no AVX-512`, the most frequent first."""
    counts = collections.Counter(one.cause or "no reason was given" for one in results if one.outcome == "skipped")
    return [f"{count} skipped: {cause}" for cause, count in sorted(counts.items(), key=lambda item: (-item[1], item[0]))]
