"""A private Slurm on loopback, for tests: munged, slurmctld, and a slurmd for each of several virtual nodes.

    with Slurm({"n1": 4, "n2": 2}) as slurm:
        slurm.run("sinfo", "-N")                   # with slurm.environment, as any program that is to see it
        slurm.kill("slurmctld"); slurm.start("slurmctld")    # or the name of a node

Everything is its own: key, sockets, ports, state and logs lie in a temporary folder, so that it disturbs neither a Slurm of
this computer nor another private one.  Nodes have as many processors as wanted, whatever this computer has; jobs are plain
processes here.  It needs root (slurmd refuses others), and Slurm built so that several slurmd can run on one computer, as
Debian's is: Slurm.missing() says what is missing.  It needs neither a munged, folders or users of the system's, nor a name of this
computer that can be looked up, nor control groups: slurmd looks for these although nothing here uses them, and does not start in a
container or a changed root without /sys/fs/cgroup, unless its cgroup.conf tells it not to.

The daemons belong to a keeper, a process of this file.  It adopts what they leave behind (slurmstepd and jobs outlive their
slurmd), and when the pipe to the test closes, however the test ended, it kills all of them and removes the folder."""
import atexit, contextlib, ctypes, json, os, random, re, shutil, signal, socket, subprocess, sys, tempfile, time

PATIENCE = 300
DAEMONS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "sinfo", "scancel", "scontrol")
FOLDERS = os.environ.get("PATH", "") + ":/usr/sbin:/sbin:/usr/local/sbin"


class Slurm:
    def __init__(self, nodes=None, **settings):
        """nodes: name → processors.  settings: of slurm.conf, in place of the usual ones (None: without it)."""
        self.nodes, self.settings = nodes or {"n1": 4, "n2": 4, "n3": 2}, settings
        self.keeper, self.processes = None, {}

    @staticmethod
    def missing():
        """Why there can be no private Slurm here; None: there can."""
        absent = [name for name in DAEMONS if not shutil.which(name, path=FOLDERS)]
        if absent:
            return f"{absent[0]} is not installed"
        return "only root can start slurmd" if os.geteuid() else None

    def __enter__(self):
        problem = ""
        for _ in range(6):  # somebody else may take a port in the moment between our choice and our use of it
            self.folder = tempfile.mkdtemp(prefix="assay-slurm-")
            os.chmod(self.folder, 0o755)
            self.environment = dict(os.environ, SLURM_CONF=self.path("slurm.conf"), PATH=FOLDERS)
            self.keeper = subprocess.Popen([sys.executable, __file__, self.folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                           env=self.environment, start_new_session=True)
            atexit.register(self.stop)
            try:
                self.configure()
                for name in ("munged", "slurmctld", *self.nodes):
                    self.start(name)
                self.wait_for_nodes()
                return self
            except BaseException as reason:
                problem = f"{reason}; {self.last_words()}"
                self.stop()
                if not isinstance(reason, OSError):
                    raise
        raise OSError(f"the private Slurm does not start: {problem}")

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        if self.keeper:
            self.keeper.stdin.close()
            self.keeper.wait(PATIENCE)
            self.keeper.stdout.close()
            self.keeper = None
            atexit.unregister(self.stop)

    def path(self, name):
        return os.path.join(self.folder, name)

    def configure(self):
        ports = free_ports(2 + len(self.nodes))
        host = socket.gethostname().split(".")[0]
        settings = {
            "ClusterName": "private", "SlurmctldHost": f"{host}(127.0.0.1)", "SlurmctldPort": ports[0], "SlurmdPort": ports[1],
            "AuthType": "auth/munge", "AuthInfo": f"socket={self.path('munge.socket')}", "CredType": "cred/munge",
            "SlurmUser": "root", "SlurmdUser": "root", "StateSaveLocation": self.path("state"), "SlurmdSpoolDir": self.path("%n"),
            "SlurmctldPidFile": self.path("slurmctld.pid"), "SlurmdPidFile": self.path("%n.pid"),
            "ProctrackType": "proctrack/linuxproc", "TaskPlugin": "task/none", "SwitchType": "switch/none", "MpiDefault": "none",
            "SelectType": "select/cons_tres", "SelectTypeParameters": "CR_CPU", "SchedulerType": "sched/backfill",
            "SchedulerParameters": "sched_interval=1,sched_min_interval=0,bf_interval=1,batch_sched_delay=0",
            "AccountingStorageType": "accounting_storage/none", "JobAcctGatherType": "jobacct_gather/none",
            "JobCompType": "jobcomp/none", "MailProg": "/bin/true", "ReturnToService": 2, "SlurmdTimeout": 6,
            "SlurmctldTimeout": 5, "MessageTimeout": 5, "InactiveLimit": 0, "MinJobAge": 300, "KillWait": 1,
            "SlurmdParameters": "config_overrides", **self.settings}
        lines = [f"{name}={value}" for name, value in settings.items() if value is not None]
        for port, (name, processors) in zip(ports[2:], self.nodes.items()):
            lines.append(f"NodeName={name} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs={processors} RealMemory=8192")
            os.mkdir(self.path(name))
        lines.append("PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP")
        os.mkdir(self.path("state"))
        with open(self.path("slurm.conf"), "w") as file:
            file.write("\n".join(lines) + "\n")
        with open(self.path("cgroup.conf"), "w") as file:
            file.write(f"CgroupPlugin={without_cgroups()}\n")
        with open(os.open(self.path("munge.key"), os.O_WRONLY | os.O_CREAT, 0o400), "wb") as file:
            file.write(os.urandom(128))

    def words(self, name):
        if name == "munged":
            return ["munged", "--foreground", "--force", f"--key-file={self.path('munge.key')}",
                    f"--socket={self.path('munge.socket')}", f"--pid-file={self.path('munged.pid')}",
                    f"--log-file={self.path('munged.log')}", f"--seed-file={self.path('munge.seed')}"]
        configuration = ["-D", "-f", self.path("slurm.conf")]
        return ["slurmctld", *configuration] if name == "slurmctld" else ["slurmd", "-N", name, *configuration]

    def start(self, name):
        self.keeper.stdin.write((json.dumps([name, self.words(name)]) + "\n").encode())
        self.keeper.stdin.flush()
        self.processes[name] = int(self.keeper.stdout.readline())

    def kill(self, name, number=signal.SIGKILL):
        """A daemon dies; jobs on a node go on without it, as when a network fails (lose_node ends them, too)."""
        process = self.processes.pop(name)
        os.kill(process, number)
        limit = time.monotonic() + PATIENCE
        while os.path.exists(f"/proc/{process}") and time.monotonic() < limit:
            time.sleep(0.01)

    def lose_node(self, name):
        """A node dies with everything on it, as when its power fails."""
        self.kill(name)
        scripts = [number for number, words in command_lines().items() if self.path(name) + "/job" in words]
        for step in {parent_of(number) for number in scripts} - {None, self.keeper.pid}:  # slurmstepd
            for process in [step, *descendants(step)]:  # slurmstepd first: it must not tell anybody
                end(process)

    def run(self, *words):
        """Standard output of a command that sees this Slurm."""
        result = subprocess.run(words, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=PATIENCE)
        if result.returncode:
            raise OSError(f"{' '.join(words)}: {result.stderr.decode(errors='replace').strip()}")
        return result.stdout.decode()

    def states(self):
        return dict(line.split() for line in self.run("sinfo", "-hN", "-o", "%N %T").splitlines())

    def wait_for_nodes(self, state="idle", names=None):
        limit = time.monotonic() + 60
        while time.monotonic() < limit:
            try:
                states = self.states()
                if all(states.get(name) == state for name in names or self.nodes):
                    return
            except OSError:
                pass
            if any(not os.path.exists(f"/proc/{process}") for process in self.processes.values()):
                break
            time.sleep(0.05)
        raise OSError(f"not all nodes are {state}")

    def resume_nodes(self):
        """After a controller was killed: it may have used numbers of jobs again, and drained nodes that know them already."""
        limit = time.monotonic() + PATIENCE
        while time.monotonic() < limit:
            try:
                states = self.states()
            except OSError:
                states = {}
            for name in [name for name, state in states.items() if state.startswith("drain")]:
                with contextlib.suppress(OSError):  # it has left that state meanwhile
                    self.run("scontrol", "update", f"nodename={name}", "state=resume")
            if states and all(state in ("idle", "mixed", "allocated", "completing", "allocated+") for state in states.values()):
                return
            time.sleep(0.2)

    def last_words(self):
        try:
            with open(self.path("daemons.log"), errors="replace") as file:
                return "; ".join([line.strip() for line in file if "rror" in line or "atal" in line][-3:])
        except OSError:
            return ""


def without_cgroups():
    """The plugin of Slurm that looks for no control groups: before 23.11 there is none, but that of version 1 looks late."""
    told = subprocess.run(["slurmd", "-V"], env=dict(os.environ, PATH=FOLDERS), stdout=subprocess.PIPE, text=True).stdout
    return "disabled" if tuple(map(int, re.findall(r"\d+", told)[:2])) >= (23, 11) else "cgroup/v1"


def free_ports(count):
    """Ports below those that the kernel hands out by itself, so that nobody gets one by chance.  Where to look is a matter of luck,
    not of this process's number: there may be several clusters of one process, and processes of other namespaces share the ports."""
    chosen, port = [], random.SystemRandom().randrange(10001, 31000)
    while len(chosen) < count:
        port = port + 1 if port < 31000 else 10001
        with socket.socket() as one:
            try:
                one.bind(("", port))
            except OSError:
                chosen = []  # another cluster begins here, and goes on
                continue
        chosen.append(port)
    return chosen


def end(process):
    try:
        os.kill(process, signal.SIGKILL)
    except ProcessLookupError:
        pass


def command_lines():
    found = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/cmdline", errors="replace") as file:
                found[int(name)] = file.read().replace("\0", " ")
        except OSError:
            pass  # it has ended
    return found


def parent_of(process):
    try:
        with open(f"/proc/{process}/stat", "rb") as file:
            return int(file.read().rpartition(b")")[2].split()[1])
    except OSError:
        return None


def descendants(process):
    children = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        children.setdefault(parent_of(int(name)), []).append(int(name))
    found, left = set(), [process]
    while left:
        for child in children.get(left.pop(), []):
            if child not in found:
                found.add(child)
                left.append(child)
    return found


def keep(folder):
    """Starts what the pipe asks for; at its end kills all of it, what it left behind, too."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    adopt_orphans = 36  # PR_SET_CHILD_SUBREAPER
    ctypes.CDLL(None).prctl(adopt_orphans, 1, 0, 0, 0)
    signal.signal(signal.SIGCHLD, lambda *_: reap())
    log = open(os.path.join(folder, "daemons.log"), "ab")
    for line in sys.stdin:
        name, words = json.loads(line)
        process = os.fork()
        if not process:
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGCHLD):
                signal.signal(number, signal.SIG_DFL)
            os.setsid()
            os.dup2(os.open(os.devnull, os.O_RDWR), 0)
            os.dup2(log.fileno(), 1)
            os.dup2(log.fileno(), 2)
            os.chdir(folder)
            try:
                os.execvp(words[0], words)
            finally:
                os._exit(127)
        print(process, flush=True)
    while alive := descendants(os.getpid()):
        for process in alive:
            end(process)
        reap()
        time.sleep(0.01)
    shutil.rmtree(folder, ignore_errors=True)


def reap():
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass


if __name__ == "__main__":
    keep(sys.argv[1])
