#!/usr/bin/env python3
# first build only: real jobs on this computer; the same C code as in schedule.py
"""What assay schedule knows from around it: the directory, the load of others, waits in queues, what assay predict measured."""
import os, subprocess
from harness import *

HERE = os.uname().nodename


class Place(Folder):
    def __enter__(self):
        self.folder = super().__enter__()
        self.ledger = os.path.join(self.folder, "ledger.db")
        return self

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w") as file:
            file.write(text)
        return os.path.join(self.folder, name)

    def schedule(self, *words, status=0):
        return assay("schedule", *words, "--ledger", self.ledger, status=status).stdout.decode()

    def submit(self, name, text="[task a]\ncommand = true\nseconds = 1\n"):
        self.schedule("submit", self.write(name + ".txt", f"name = {name}\n" + text))

    def ask(self, query):
        return rows(self.ledger, query)

    def change(self, statement):
        subprocess.run(["sqlite3", self.ledger, statement], check=True)


@test
def hosts_are_what_the_directory_says_while_it_may_be_believed():
    with Place() as place:
        place.submit("first")
        place.schedule("run", "--hosts", "here:1")
        own = place.ask("select name, processors, expires > unixepoch() as valid from directory where source = 'self'")
        assert own[0]["name"] == HERE and own[0]["processors"] >= 1 and own[0]["valid"], own
        hosts = place.write("hosts.txt", "valid = 1h\n[host one]\nprocessors = 1    state = drained\n[host two]\nprocessors = 1\n")
        place.schedule("hosts", hosts)
        place.submit("second")
        place.schedule("run", "--hosts", "one:1,two:1")
        ran = "select hosts.name, count(*) as n from attempts join attempt_hosts on attempt = attempts.id join hosts on hosts.id = host group by 1 order by 1"
        assert place.ask(ran) == [{"name": "here", "n": 1}, {"name": "two", "n": 1}]
        why = place.ask("select why from hosts where name = 'one'")[0]["why"]
        assert "directory" in why and "drained" in why and "hosts.txt" in why, why
        # Rows that expired say nothing any more.
        place.change("update directory set expires = unixepoch() - 1 where source like '%hosts.txt'")
        place.submit("third", "[task a]\ncommand = true\nhosts = one\n")
        place.schedule("run", "--hosts", "one:1,two:1")
        assert {"name": "one", "n": 1} in place.ask(ran)
        reasons = [row["reason"] for row in place.ask("select reason from decisions where kind = 'host' and reason like 'host one is%'")]
        assert any("now drained" in text or "is drained" in text for text in reasons) and "is now up" in reasons[-1], reasons


@test
def others_make_hosts_slower_in_plans():
    with Place() as place:
        place.submit("flow", "[task a]\ncommand = true\nseconds = 10\n")
        loops = [subprocess.Popen(["sh", "-c", "while :; do :; done"], preexec_fn=lambda: os.nice(19)) for _ in range(1 + (os.cpu_count() or 1))]
        try:
            place.schedule("run")
        finally:
            for loop in loops:
                loop.kill()
                loop.wait()
        told = [row["reason"] for row in place.ask("select reason from decisions where kind = 'host'")]
        assert any("processes of others are expected there (by " in text for text in told), told
        start = place.ask("select reason, expected from decisions join attempts on attempts.id = attempt where kind = 'start'")[0]
        assert "of the speed there" in start["reason"] and start["expected"] > 12, start
        # What is learned is what was measured.
        assert place.ask("select seconds < 5 as n from tasks") == [{"n": 1}]


@test
def waits_in_the_queue_are_planned():
    with Place() as place:
        for name in ["first", "second"]:
            place.submit(name)
        place.schedule("run", "--hosts", "here:1")
        place.change("update attempts set asked = started - 30")
        place.submit("third")
        place.schedule("run", "--hosts", "here:1")
        start = place.ask("select reason from decisions join tasks on tasks.id = task join workflows on workflows.id = workflow where kind = "
                          "'start' and workflows.name = 'third'")[0]["reason"]
        assert "in the queue of local" in start, start


@test
def what_predict_measured_is_known():
    """Both name a kind of computer in the same way, so probes of assay predict are not run again."""
    with Place() as place:
        place.write("work.predict", "name = work\ncommand = sleep 0.0$(wc -l <{data})\ninputs = data\nfeatures = lines(data)\n"
                                    "shrink = head -n1 {in} >{out}; : {k}\nprobes = 2\n")
        data = place.write("a.dat", "a\n" * 5)
        assay("predict", os.path.join(place.folder, "work.predict"), "--ledger", place.ledger, "--", f"data={data}")
        assert place.ask("select count(*) > 0 as n from probe_tasks") == [{"n": 1}]
        place.submit("flow", "deadline = 1h\n[task a]\ncommand = true\nprocessors = 1..2\npredictor = work.predict data=a.dat\n")
        place.schedule("run", "--hosts", "here:2")
        assert place.ask("select count(*) as n from tasks where probe_of is not null") == [{"n": 0}]
        assert place.ask("select count(distinct host) as n from (select host from probe_tasks union all select host from runs)") == [{"n": 1}]


run(side_by_side=2)
