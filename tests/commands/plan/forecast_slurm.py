# first build only: the daemons take the time; tests/commands/plan/forecast.py has a stand-in for sacct
"""assay forecast slurm against real accounting: a private Slurm (tests/slurm.py) with a slurmdbd and a MariaDB of its own."""
import json, os, shutil, socket, subprocess, time
from harness import *
from slurm import FOLDERS, Slurm, free_ports

DATABASE = ("slurmdbd", "mariadbd", "mariadb-install-db", "sacct", "sacctmgr")
WAIT = 60


def until(is_so, what):
    limit = time.monotonic() + WAIT
    while not is_so():
        if time.monotonic() > limit:
            raise OSError(f"{what} does not come up")
        time.sleep(0.1)


class Accounted(Slurm):
    """Everything lies in the private folder: the database listens on a socket there, and nowhere else."""

    @staticmethod
    def missing():
        absent = [name for name in DATABASE if not shutil.which(name, path=FOLDERS)]
        return Slurm.missing() or (f"{absent[0]} is not installed" if absent else None)

    def configure(self):
        self.processes = {}  # of an earlier try
        super().configure()
        with open(self.path("slurm.conf")) as file:
            lines = [line for line in file if not line.startswith("AccountingStorageType")]
        self.port, = free_ports(1)
        with open(self.path("slurm.conf"), "w") as file:
            file.write("".join(lines) + "AccountingStorageType=accounting_storage/slurmdbd\nAccountingStorageHost=127.0.0.1\n"
                       f"AccountingStoragePort={self.port}\nAccountingStoragePass={self.path('munge.socket')}\n")
        with open(os.open(self.path("slurmdbd.conf"), os.O_WRONLY | os.O_CREAT, 0o600), "w") as file:
            file.write(f"AuthType=auth/munge\nAuthInfo=socket={self.path('munge.socket')}\nDbdAddr=127.0.0.1\n"
                       f"DbdHost={socket.gethostname().split('.')[0]}\nDbdPort={self.port}\nSlurmUser=root\n"
                       f"LogFile={self.path('slurmdbd.log')}\nPidFile={self.path('slurmdbd.pid')}\n"
                       "StorageType=accounting_storage/mysql\nStorageHost=localhost\nStorageUser=root\nStorageLoc=accounts\n")
        os.mkdir(self.path("database"))
        made = subprocess.run(["mariadb-install-db", "--no-defaults", f"--datadir={self.path('database')}", "--user=root",
                               "--auth-root-authentication-method=normal", "--skip-test-db"], env=self.environment,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        if made.returncode:
            raise OSError(f"mariadb-install-db: {made.stderr.decode(errors='replace')[-300:]}")

    def words(self, name):
        if name == "mariadbd":
            return ["mariadbd", "--no-defaults", "--user=root", f"--datadir={self.path('database')}", "--skip-networking",
                    f"--socket={self.path('database.socket')}", f"--pid-file={self.path('database.pid')}",
                    "--innodb-buffer-pool-size=64M", "--innodb-lock-wait-timeout=900"]
        if name == "slurmdbd":
            return ["env", f"MYSQL_UNIX_PORT={self.path('database.socket')}", "slurmdbd", "-D"]
        return super().words(name)

    def start(self, name):
        if name == "slurmctld" and "slurmdbd" not in self.processes:
            super().start("mariadbd")
            until(lambda: os.path.exists(self.path("database.socket")), "mariadbd")
            super().start("slurmdbd")
            until(self.answers, "slurmdbd")
            self.run("sacctmgr", "-i", "add", "cluster", "private")
        super().start(name)

    def answers(self):
        try:
            socket.create_connection(("127.0.0.1", self.port), 1).close()
            return True
        except OSError:
            return False


@test
def waits_of_jobs_that_ran():
    need_slurm(Accounted)
    slurm = Accounted({"n1": 1})
    slurm.__enter__()
    try:
        for _ in range(3):
            slurm.run("sbatch", "-o", "/dev/null", "--wrap", "sleep 1")
        until(lambda: slurm.run("sacct", "-a", "-X", "-n", "-P", "-o", "State").split().count("COMPLETED") == 3,
              "accounting of three jobs")
        told = json.loads(assay("forecast", "slurm", "--json", env=slurm.environment).stdout)
        assert told["values"] == 3 and told["next"] >= 1, told  # one processor: the last one waited for two others
    finally:
        slurm.stop()


run()
