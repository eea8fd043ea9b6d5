"""Shared by the command tests: compilers, the program under test, and the report of results.

A test is a function decorated with @test; it fails by raising (assert, Fail).  It raises Skip if the processor, the kernel, the
emulator or the rights of this user cannot do what it needs, and Lacking if something is missing that can be installed or built: a
package, a tool, a part of the build.  Each file ends with run(), which prints one line for each test (`pass: …`, `fail: …: why`,
`skip: …: why`, `lack: …: what`) for tests/run to count; there Lacking is a failure, unless it is --lenient.  Reasons group at the end
of a run: a test's own numbers and paths do not belong into one.  ASSAY names the program under test."""
import atexit, concurrent.futures, functools, json, os, re, shutil, signal, subprocess, sys, tempfile, time, traceback, urllib.request

ASSAY = os.path.abspath(os.environ.get("ASSAY", "build/assay"))
for name in ("BUILD", "ROOT"):
    if name in os.environ:
        os.environ[name] = os.path.abspath(os.environ[name])
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
PROGRAMS = os.path.join(ROOT, "tests", "programs")
MACHINE = os.uname().machine
sys.path.append(os.path.dirname(HERE))
import emulation, watching

GRANTED = 900  # seconds of processor time for one command
PATIENCE = 1800  # seconds for what is near its end, or answers within seconds: it hangs if it takes so long on any machine

BUILT_WITHOUT = re.compile(r"this Assay was built without [^;]+")

# Jobs in the background start with some signals ignored; programs under test must hear them all the same.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)

NO_TRAPS = "this processor, or its emulator, does not trap denormal numbers"

_tests = []


class Skip(Exception):
    """The processor, the kernel, the emulator or this user cannot do it; nothing that could be installed would help."""


class Lacking(Exception):
    """Something is missing that tools/deps, tools/npm-deps or a build with everything would bring."""


class Fail(AssertionError):
    pass


def test(function):
    _tests.append(function)
    return function


def uncertain(function):
    """A test of samples, clocks or shares of time, which other programs on the machine disturb: it may fail twice."""
    function.tries = 3
    return test(function)


def cross(tool, machine):
    """Name of a GNU tool for a machine: plain on that machine, with the prefix elsewhere."""
    return tool if machine == MACHINE else f"{machine}-linux-gnu-{tool}"


def compilers(machine):
    """C compilers for a machine, as command lines: GCC and Clang.  With LENIENT in the environment only those that are here."""
    triple = [] if machine == MACHINE else [f"--target={machine}-linux-gnu"]
    wanted = [[cross("gcc", machine)], ["clang", *triple]]
    found = [words for words in wanted if shutil.which(words[0])]
    if len(found) < (1 if "LENIENT" in os.environ else len(wanted)):
        raise Lacking(f"{next(words[0] for words in wanted if words not in found)} is not installed")
    return found


def need(tool):
    if not shutil.which(tool):
        raise Lacking(f"{tool} is not installed")
    return tool


def gcc_version(machine):
    return int(command([need(cross("gcc", machine)), "-dumpversion"]).stdout.split(b".")[0])


def older_gcc(machine):
    """A GCC for this machine that is older than the usual one, and its version: tools/deps installs one that this Debian has."""
    usual = gcc_version(machine)
    for version in range(usual - 1, 7, -1):
        if shutil.which(cross(f"gcc-{version}", machine)):
            return cross(f"gcc-{version}", machine), version
    raise Lacking(f"no GCC for {machine} is older than {usual}")


def emulator(machine, *options):
    """Words before a program of a machine; there are none on that machine."""
    if machine == MACHINE:
        return []
    name = shutil.which(f"qemu-{machine}") or shutil.which(f"qemu-{machine}-static") or need(f"qemu-{machine}")
    return [name, *options, "-L", f"/usr/{machine}-linux-gnu"]


def emulator_with_probes(machine):
    """The same, where this build can put probes into programs of that machine."""
    if not os.path.exists(os.path.join(os.path.dirname(ASSAY), "runtime", "probe", f"libassay-probe-{machine}.so")):
        raise Lacking(f"this build has no runtime for {machine}")
    return emulator(machine)


def need_real_kernel(what):
    """For what programs under qemu-user cannot have: ptrace, perf, traps of single instructions …"""
    if emulation.is_emulated():
        raise Skip(f"qemu-user has no {what}")


def npm_file(package, path):
    """A file of an npm package that tools/npm-deps fetches: npm_file("axe-core", "axe.min.js")."""
    folder = os.path.join(os.path.dirname(os.path.dirname(HERE)), "build", "npm", os.path.dirname(package))
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
        found = os.path.join(folder, name, path)
        if name.rpartition("@")[0] == os.path.basename(package) and os.path.exists(found):
            return found
    raise Lacking(f"{package} is not there: tools/npm-deps fetches it")


def need_slurm(kind):
    """A private Slurm (tests/slurm.py), or a class made of it."""
    if os.geteuid():
        raise Skip("needs root")
    if kind.missing():
        raise Lacking(kind.missing())


def watched(words, granted=GRANTED, **options):
    """subprocess.run() for what may hang, but may be slow (watching.py); both outputs are caught."""
    try:
        return watching.run(words, granted, **options)
    except watching.Hung as reason:
        raise Fail(f"{' '.join(map(str, words))}: {reason}")


def wait_until_heard(process, number):
    """Returns when a process has a handler for a signal, so that sending it means something; or has ended."""
    need_real_kernel("list of the signals that a program handles")
    end = time.monotonic() + PATIENCE
    while process.poll() is None and time.monotonic() < end:
        with open(f"/proc/{process.pid}/status") as file:
            if int(re.search(r"^SigCgt:\s*(\w+)", file.read(), re.M).group(1), 16) >> (number - 1) & 1:
                return
        time.sleep(0.02)


def command(words, status=0, stdin=None, env=None):
    """Runs a command and returns its result; the exit status must be as expected (None: any)."""
    result = watched(words, input=stdin, env=env)
    if status is not None and result.returncode != status:
        said = result.stderr or result.stdout or b""  # a verdict, such as that of assay codelet replay, is in the answer alone
        raise Fail(f"{' '.join(map(str, words))}: exit {result.returncode}, expected {status}\n" + said.decode(errors="replace")[-2000:])
    return result


def assay(*words, status=0, stdin=None, env=None):
    return command([ASSAY, *words], status, stdin, env)


def text(*words, **options):
    return assay(*words, **options).stdout.decode()


def rows(file, query, *words):
    """Answer of a query as a list of dictionaries."""
    return json.loads(text("sql", file, query, "--json", "--quiet", *words))


def build(folder, compiler, sources, *flags, output="program"):
    path = os.path.join(folder, output)
    command([*compiler, *flags, "-o", path, *sources])
    return path


class Folder:
    """A temporary folder: with Folder() as path."""

    def __enter__(self):
        self.path = tempfile.mkdtemp(prefix="assay-test-")
        return self.path

    def __exit__(self, *_):
        shutil.rmtree(self.path, ignore_errors=True)


@functools.lru_cache(None)
def assay_for_everybody():
    """A copy of the program under test, with what it looks for beside itself, where every user may run it: the clone may lie below a
    folder that is closed to others, as /root is."""
    place = tempfile.mkdtemp(prefix="assay-test-")
    atexit.register(shutil.rmtree, place, ignore_errors=True)
    os.chmod(place, 0o755)
    made, root = os.path.dirname(ASSAY), os.path.dirname(os.path.dirname(HERE))
    os.mkdir(os.path.join(place, "build"), 0o755)
    shutil.copy(ASSAY, os.path.join(place, "build"))
    shutil.copytree(os.path.join(made, "runtime"), os.path.join(place, "build", "runtime"), ignore=shutil.ignore_patterns("*.p"))
    shutil.copytree(os.path.join(root, "data"), os.path.join(place, "data"))
    subprocess.run(["chmod", "-R", "go=u-w", place], check=True)  # whatever umask the clone was made with
    return os.path.join(place, "build", "assay")


class Browser:
    """Headless Chromium, driven over HTTP as W3C WebDriver says."""

    def __init__(self, folder, *arguments):
        self.driver, self.browser = need("chromedriver"), shutil.which("chromium") or shutil.which("chromium-browser")
        if not self.browser:
            raise Lacking("chromium is not installed")
        problems = []
        while len(problems) < 4:  # on a busy machine chromedriver does not wait until Chromium has started
            try:
                return self.start(folder, os.path.join(folder, f"profile-{len(problems)}"), arguments)
            except (OSError, KeyError, TypeError) as problem:
                self.end()
                problems.append(problem.read().decode(errors="replace") if hasattr(problem, "read") else str(problem))
        if emulation.is_emulated():
            raise Skip("Chromium does not start under qemu-user")
        raise Lacking(f"chromium does not start: {problems[-1][:300]}")

    def start(self, folder, profile, arguments):
        self.process = subprocess.Popen([self.driver, "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                        env=dict(os.environ, HOME=folder), start_new_session=True)
        self.base = ""
        port = next((found.group(1) for line in self.process.stdout
                     if (found := re.search(rb"successfully on port (\d+)", line))), None)
        if not port:
            raise OSError("chromedriver does not start")
        self.base = f"http://127.0.0.1:{int(port)}/session"
        options = {"binary": self.browser, "args": ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                                                    "--window-size=1300,900", f"--user-data-dir={profile}", *arguments]}
        wanted = {"goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}
        self.base += "/" + self.ask("", {"capabilities": {"alwaysMatch": wanted}})["sessionId"]

    def ask(self, path, body=None, method=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data, {"Content-Type": "application/json"}, method=method)
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return json.load(answer)["value"]

    def run(self, script, *arguments):
        return self.ask("/execute/sync", {"script": script, "args": arguments})

    def keys(self, keys):
        actions = [action for key in keys for action in ({"type": "keyDown", "value": key}, {"type": "keyUp", "value": key})]
        self.ask("/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": actions}]})

    def point(self, selector):
        """The mouse rests on an element."""
        found = self.ask("/element", {"using": "css selector", "value": selector})
        self.run("arguments[0].scrollIntoView({block: 'center'})", found)
        self.ask("/actions", {"actions": [{"type": "pointer", "id": "mouse", "actions": [
            {"type": "pointerMove", "origin": found, "x": 0, "y": 0}]}]})

    def complaints(self):
        return [entry["message"] for entry in self.ask("/se/log", {"type": "browser"}) if entry["level"] != "INFO"]

    def end(self):
        try:
            if "/session/" in self.base:
                self.ask("", method="DELETE")
        except OSError:
            pass
        os.killpg(self.process.pid, signal.SIGTERM)
        self.process.wait(PATIENCE)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()


def attempt(function):
    for left in reversed(range(getattr(function, "tries", 1))):
        try:
            return function()
        except AssertionError as error:
            if not left:
                raise
            print(f"again: {function.__name__}: {error}"[:400], file=sys.stderr, flush=True)


def tell(name, function):
    """The line for tests/run.  With TIMES in the environment, the processor time of each test is told beside it."""
    before = os.times()
    try:
        return told(name, function)
    finally:
        if "TIMES" in os.environ:
            print(f"{sum(os.times()[:4]) - sum(before[:4]):7.1f} s  {name}", file=sys.stderr, flush=True)


def told(name, function):
    try:
        attempt(function)
        return f"pass: {name}"
    except Skip as reason:
        return f"skip: {name}: {reason}"
    except Lacking as what:
        return f"lack: {name}: {what}"
    except Exception as error:  # a test that breaks has failed
        reported = isinstance(error, AssertionError) and str(error)
        detail = str(error) if reported else " / ".join(traceback.format_exc().split("\n")[-4:])
        missing = BUILT_WITHOUT.search(detail)  # the sentence of src/base/built.c
        return f"lack: {name}: {missing.group()}" if missing else f"fail: {name}: {detail}"


def run(side_by_side=1):
    """side_by_side: so many tests at once, for files whose tests mostly wait and share nothing."""
    if not os.access(ASSAY, os.X_OK):
        sys.exit(f"{ASSAY} is not there: build it first, or set ASSAY")
    wanted = sys.argv[1:]
    with Folder() as folder:
        if "SCRATCH" not in os.environ:  # by hand: what compilers leave, such as modules of Fortran, stays out of the sources
            os.chdir(folder)
        run_chosen(wanted, side_by_side)


def run_chosen(wanted, side_by_side):
    chosen = [function for function in _tests if not wanted or any(word in function.__name__ for word in wanted)]
    names = [f"{os.path.basename(sys.argv[0])[:-3]}: {function.__name__.replace('_', ' ')}" for function in chosen]
    with concurrent.futures.ThreadPoolExecutor(side_by_side) as several:
        lines = several.map(tell, names, chosen) if side_by_side > 1 else map(tell, names, chosen)
        for line in lines:
            print(line, flush=True)
