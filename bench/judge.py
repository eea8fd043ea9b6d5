"""What the benches of predictions share: how an error is counted, Kendall's tau-b, and llvm-mca on many blocks.

An error is that of the prediction against the measurement, as a part of the measurement.  A block without a prediction
counts as 100 %, so that nobody gets better by saying less."""
import bisect, os, re, resource, statistics, subprocess, sys, tempfile

UNPREDICTED = 1.0
CHUNK = 1000  # blocks that one process of llvm-mca gets; on an error the chunk is halved until the culprit stands alone


def error(predicted, measured):
    """Signed; None for no prediction."""
    return None if predicted is None else (predicted - measured) / measured


def absolute(value):
    return UNPREDICTED if value is None else abs(value)


def mean_error(predictions, measurements):
    return statistics.fmean(absolute(error(p, m)) for p, m in zip(predictions, measurements))


def median_error(predictions, measurements):
    return statistics.median(absolute(error(p, m)) for p, m in zip(predictions, measurements))


def ties(values):
    """Pairs of equal values in a sorted list."""
    pairs, run = 0, 1
    for before, after in zip(values, values[1:]):
        if before == after:
            pairs += run
            run += 1
        else:
            run = 1
    return pairs


def count_exchanges(values):
    """Pairs that stand in the wrong order: how often a merge sort passes one element over another."""
    total, width, values = 0, 1, list(values)
    while width < len(values):
        for start in range(0, len(values), 2 * width):
            left, right = values[start:start + width], values[start + width:start + 2 * width]
            merged, i = [], 0
            for value in right:
                end = bisect.bisect_right(left, value, i)
                merged += left[i:end]
                merged.append(value)
                i = end
                total += len(left) - i
            values[start:start + 2 * width] = merged + left[i:]
        width *= 2
    return total


def tau(predictions, measurements):
    """Kendall's tau-b by Knight's method, in n log n.  No prediction ranks as 0."""
    pairs = sorted((0.0 if p is None else p, m) for p, m in zip(predictions, measurements))
    count = len(pairs) * (len(pairs) - 1) // 2
    tied_first = ties([p for p, _ in pairs])
    tied_both = ties(pairs)
    tied_second = ties(sorted(m for _, m in pairs))
    discordant = count_exchanges([m for _, m in pairs])
    concordant = count - tied_first - tied_second + tied_both - discordant
    scale = ((count - tied_first) * (count - tied_second)) ** 0.5
    return (concordant - discordant) / scale if scale else float("nan")


def pin():
    """One core, for a child whose speed is measured."""
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def run_pinned(command, text=None):
    """A command on one core, and its processor time: the same on a busy machine."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    result = subprocess.run(command, input=text, capture_output=True, text=True, preexec_fn=pin)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return result, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def find_llvm(tool):
    for name in (f"{tool}-19", tool):
        for folder in os.environ["PATH"].split(os.pathsep):
            if os.access(os.path.join(folder, name), os.X_OK):
                return os.path.join(folder, name)
    sys.exit(f"bench: {tool} is missing; tools/deps bench installs it")


def mca_chunk(texts, triple, processor, flags):
    """Cycles of an iteration of each text, and the seconds that took; None where llvm-mca refuses the input."""
    with tempfile.NamedTemporaryFile("w", suffix=".s") as file:
        for number, text in enumerate(texts):
            file.write(f"# LLVM-MCA-BEGIN block{number}\n{text}\n# LLVM-MCA-END\n")
        file.flush()
        result, seconds = run_pinned([find_llvm("llvm-mca"), f"-mtriple={triple}", f"-mcpu={processor}",
                                      "-resource-pressure=0", "-instruction-info=0", *flags, file.name])
    if result.returncode:
        return None, seconds
    answers = [None] * len(texts)
    for number, iterations, cycles in re.findall(r"Code Region - block(\d+)\n\nIterations: +(\d+)\n.*\n"
                                                 r"Total Cycles: +(\d+)", result.stdout):
        answers[int(number)] = int(cycles) / int(iterations)
    return answers, seconds


def mca(texts, triple, processor, flags=()):
    """Cycles of an iteration of each assembly text (None: not predicted), and blocks in a second."""
    answers, seconds, counted = [], 0.0, 0
    chunks = [texts[i:i + CHUNK] for i in range(0, len(texts), CHUNK)][::-1]
    while chunks:
        chunk = chunks.pop()
        some, time_taken = mca_chunk(chunk, triple, processor, flags)
        if some is not None:
            answers += some
            seconds += time_taken
            counted += len(chunk)
        elif len(chunk) == 1:
            answers.append(None)
        else:
            half = len(chunk) // 2
            chunks += [chunk[half:], chunk[:half]]
    return answers, counted / seconds if seconds else 0.0
