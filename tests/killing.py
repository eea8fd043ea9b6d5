"""A scheduler that is killed again and again, and what must be true afterwards: no task is lost or run twice.

A task appends its name to one file in a single write.  Campaign kills `assay schedule run` (SIGKILL) at random moments, starts it
again, and adds tasks when there is nothing left to do; at the end one run goes on undisturbed, and every name must be in the file
exactly once."""
import collections, os, random, signal, subprocess, time
from slurm import descendants


class Campaign:
    def __init__(self, assay, folder, words, environment=None, seed=1, least=0.02, most=0.4, batch=40):
        """words: of the engine.  least, most: seconds after its start when the scheduler is killed.  batch: tasks of a workflow."""
        self.assay, self.folder, self.words, self.environment = assay, folder, list(words), environment or dict(os.environ)
        self.chance, self.least, self.most, self.batch = random.Random(seed), least, most, batch
        self.ledger, self.ran = os.path.join(folder, "ledger.db"), os.path.join(folder, "ran")
        self.names, self.kills, self.aimed, self.log = [], 0, 0, os.path.join(folder, "log")
        open(self.ran, "w").close()

    def command(self, *words):
        result = subprocess.run([self.assay, *words, "--ledger", self.ledger], env=self.environment, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, cwd=self.folder, timeout=1800)
        if result.returncode:
            raise AssertionError(f"{' '.join(words)}: exit {result.returncode}: {result.stdout.decode(errors='replace')[-1500:]}")
        return result.stdout.decode()

    def submit(self, hosts=""):
        """A workflow of tiny tasks, some of which wait for others."""
        number = len(self.names) // self.batch
        lines = [f"name = flow{number}"]
        for i in range(self.batch):
            name = f"t{number}.{i}"
            pause = f"sleep {self.chance.uniform(0, 0.1):.3f}; " if self.chance.random() < 0.3 else ""
            lines += [f"[task {name}]", f"command = {pause}echo {name} >>{self.ran}", f"seconds = {self.chance.uniform(0.01, 1):.2f}"]
            if i > 4 and self.chance.random() < 0.4:
                lines.append(f"after = t{number}.{self.chance.randrange(i)}")
            self.names.append(name)
        path = os.path.join(self.folder, f"flow{number}.txt")
        with open(path, "w") as file:
            file.write("\n".join(lines) + "\n")
        self.command("schedule", "submit", path)

    def start(self):
        with open(self.log, "ab") as log:
            return subprocess.Popen([self.assay, "schedule", "run", *self.words, "--ledger", self.ledger], env=self.environment,
                                    cwd=self.folder, stdout=log, stderr=log)

    def kill_once(self, aim=None):
        """Kills it after a random time, or while it runs a program of this name; false: it had ended before."""
        process = self.start()
        end = time.monotonic() + self.chance.uniform(self.least, self.most)
        while aim and process.poll() is None and not self.sees(process, aim):
            time.sleep(0.001)
        if aim:
            end = time.monotonic() + self.chance.uniform(0, 0.03)
        while process.poll() is None and time.monotonic() < end:
            time.sleep(min(0.002, max(0, end - time.monotonic())))
        process.kill()
        status = process.wait()
        if status not in (0, -signal.SIGKILL):
            raise AssertionError(f"schedule run: exit {status}: {self.last_words()}")
        return status == -signal.SIGKILL

    @staticmethod
    def sees(process, name):
        for child in descendants(process.pid):
            try:
                if open(f"/proc/{child}/comm").read().strip() == name:
                    return True
            except OSError:
                pass
        return False

    def kill(self, count, aim=None):
        wanted = self.kills + count
        while self.kills < wanted:
            if self.kill_once(aim):
                self.kills += 1
            else:
                self.submit()

    def finish(self):
        """The last go-on, undisturbed."""
        process = self.start()
        if process.wait(1800):
            raise AssertionError(f"the last schedule run: exit {process.returncode}: {self.last_words()}")

    def check(self):
        with open(self.ran) as file:
            counts = collections.Counter(file.read().splitlines())
        lost = [name for name in self.names if not counts[name]]
        twice = [name for name, count in counts.items() if count > 1]
        strange = set(counts) - set(self.names)
        assert not lost and not twice and not strange, (
            f"{self.kills} kills, {len(self.names)} tasks: lost {lost[:9]}, run more than once {twice[:9]}, never submitted {strange}")

    def last_words(self):
        with open(self.log, errors="replace") as file:
            return file.read()[-1500:]
