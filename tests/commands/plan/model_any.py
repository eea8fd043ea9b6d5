"""assay model: receives from any rank. A master that hands out tasks is predicted as list scheduling by brute force says,
with and without costs of messages; rules of matching, the words of the language, mistakes."""
import heapq, json, os, random

from harness import ASSAY, Folder, Lacking, assay, run, test, text

FREE = "[off-node a]\nL = 0us   o = 0us\n"
COSTLY = "[off-node a]\nup-to = 4K   L = 5us   o-send = 1us   o-receive = 2us   O-send = 0.1ns   G = 1ns\n" \
         "[off-node b]\nL = 5us   o-send = 1us   o-receive = 2us   O-send = 0.1ns   G = 0.8ns   handshake = 12us\n"
FARM = """parameter procs = %d, tasks = %d;
vector length[i = 1 .. tasks] in s = %s;
application farm {
    ranks procs;
    run {
        let handed = min(tasks, ranks - 1);
        if (rank == 0) {
            for (i = 1 .. handed) send %d bytes to i with i;
            for (i = handed + 1 .. tasks) {
                receive %d bytes from any sender worker;
                send %d bytes to worker with i;
            }
            repeat (handed) receive %d bytes from any;
            for (worker = 1 .. ranks - 1) send 1 bytes to worker with 0;
        } else {
            let task = 1;
            while (task > 0) {
                receive %d bytes from 0 number task;
                if (task > 0) {
                    compute length[task];
                    send %d bytes to 0;
                }
            }
        }
    }
}
"""


def write(folder, name, words):
    path = os.path.join(folder, name)
    with open(path, "w") as file:
        file.write(words)
    return path


def predicted(path, network, *words):
    return json.loads(text("model", "run", path, "--network", network, "--json", "--quiet", *words))[0]["predicted_seconds"]


def farm(folder, workers, lengths, given, result):
    """Tasks of these lengths, in s, as a model."""
    choice = "".join(f"i == {i} ? {length!r} s : " for i, length in enumerate(lengths, 1)) + "0 s"
    return write(folder, "farm.model", FARM % (workers + 1, len(lengths), choice, given, result, given, result, given, result))


def list_scheduling(workers, lengths):
    free = [0.0] * workers
    for length in lengths:
        heapq.heappush(free, heapq.heappop(free) + length)
    return max(free)


def reckoned(workers, lengths, given, result):
    """The same with messages, all eager: who is done first gets the next task when the master comes to it."""
    def sent(size):  # the sender is busy; the message takes
        return 1e-6 + 0.1e-9 * size, 5e-6 + 1e-9 * size
    given_busy, given_way = sent(given)
    result_busy, result_way = sent(result)
    master, order, coming = 0.0, 0, []
    clocks = [0.0] * (workers + 1)

    def hand_out(worker, length):
        nonlocal master, order
        master += given_busy
        clocks[worker] = max(clocks[worker], master + given_way) + 2e-6 + length + result_busy
        order += 1
        heapq.heappush(coming, (clocks[worker] + result_way, order, worker))

    handed = min(workers, len(lengths))
    for worker in range(1, handed + 1):
        hand_out(worker, lengths[worker - 1])
    for i in range(handed, len(lengths) + handed):
        there, _, worker = heapq.heappop(coming)
        master = max(master, there) + 2e-6
        if i < len(lengths):
            hand_out(worker, lengths[i])
    for worker in range(1, workers + 1):
        busy, way = sent(1)
        master += busy
        clocks[worker] = max(clocks[worker], master + way) + 2e-6
    return max(master, *clocks)


@test
def a_farm_is_list_scheduling():
    chance = random.Random(5)
    with Folder() as folder:
        free, costly = write(folder, "free", FREE), write(folder, "costly", COSTLY)
        for workers, count in ((1, 5), (3, 2), (4, 40), (7, 60), (16, 100)):
            lengths = [chance.choice((1, 2, 3, 30, 47)) * 1e-3 + chance.random() * 1e-4 for _ in range(count)]
            path = farm(folder, workers, lengths, 3000, 100)
            expected = list_scheduling(workers, lengths)
            for way in ([], ["--events"]):
                assert abs(predicted(path, free, *way) / expected - 1) < 1e-9, (workers, count, predicted(path, free, *way), expected)
                found, by_hand = predicted(path, costly, *way), reckoned(workers, lengths, 3000, 100)
                assert abs(found / by_hand - 1) < 1e-9, (workers, count, found, by_hand)


@test
def uneven_tasks_in_rounds_and_as_they_come():
    """Rounds wait for the slowest of each; whoever is done goes on."""
    lengths = [46 if i % 4 == 0 else 2 for i in range(80)]
    with Folder() as folder:
        free = write(folder, "free", FREE)
        path = farm(folder, 4, [length * 1e-3 for length in lengths], 100, 100)
        rounds = write(folder, "rounds.model", """application rounds { ranks 5; run {
            for (round = 0 .. 19)
                if (rank == 0) { for (w = 1 .. 4) send 100 bytes to w; for (w = 1 .. 4) receive 100 bytes from w; }
                else { receive 100 bytes from 0; compute (rank == round % 4 + 1 ? 46 ms : 2 ms); send 100 bytes to 0; } } }\n""")
        assert abs(predicted(rounds, free) - 20 * 0.046) < 1e-9
        found = predicted(path, free)
        assert abs(found - list_scheduling(4, [length * 1e-3 for length in lengths])) < 1e-9 and found < 0.3, found


def answer(folder, statements, network, ranks=4):
    path = write(folder, "a.model", f"application a {{\n    ranks {ranks};\n    run {{\n{statements}    }}\n}}\n")
    return predicted(path, network)


@test
def who_comes_first():
    """What rank 0 computes after a receive tells whom it heard."""
    with Folder() as folder:
        free, costly = write(folder, "free", FREE), write(folder, "costly", COSTLY)
        hear = "            receive 8 bytes from any sender who number said;\n            compute power(10, said) * 1 us + order * 0.001 us * who;\n            order = order + 1;\n"
        # Three ranks send at other times than their order; rank 0 hears 2, 3, 1: 1·2 + 2·3 + 3·1 parts.
        took = answer(folder, "        let order = 1;\n        if (rank == 0) repeat (3) {\n" + hear + "        } else { compute (rank * 3 % 4 + 1 == 4 ? 4 us : rank * 2 % 5 * 1 us); "
                      "send 8 bytes to 0 with rank; }\n", free)
        sent = {rank: (4 if rank * 3 % 4 + 1 == 4 else rank * 2 % 5) for rank in (1, 2, 3)}
        clock = 0.0
        for order, rank in enumerate(sorted(sent, key=lambda rank: sent[rank]), 1):
            clock = max(clock, sent[rank]) + 10 ** rank + order * 0.001 * rank
        assert abs(took * 1e6 - clock) < 1e-6, (took, clock)
        # A message that is there already goes before one that comes later, though it was sent by a later rank; tags are apart.
        took = answer(folder, "        if (rank == 0) { compute 1 ms; receive 8 bytes from any tag 7 sender who; compute who * 1 s; receive 8 bytes from any tag 5; }\n"
                      "        if (rank == 1) { compute 2 ms; send 8 bytes to 0 tag 7; }\n        if (rank == 2) send 8 bytes to 0 tag 5;\n"
                      "        if (rank == 3) { compute 3 ms; send 8 bytes to 0 tag 7; }\n        if (rank == 0) receive 8 bytes from 3 tag 7;\n", free)
        assert abs(took - 1.002) < 1e-9, took
        # Messages of one sender stay in order, though the second, smaller one would be there earlier.
        took = answer(folder, "        if (rank == 0) { compute 1 ms; receive 8 bytes from any number first; compute first * 1 s; receive 8 bytes from any; }\n"
                      "        if (rank == 1) { send 4000 bytes to 0 with 3; send 8 bytes to 0 with 5; }\n", costly, 2)
        assert 3 < took < 3.1, took
        # A rendezvous waits for its receiver: 1 us of overhead, then the receive at 1 ms, 12 us to agree.
        took = answer(folder, "        if (rank == 0) { compute 1 ms; receive 8 bytes from any sender who; compute who * 1 s; }\n"
                      "        if (rank == 3) send 10000 bytes to 0;\n", costly)
        assert abs(took - (3 + 1e-3 + 12e-6 + 0.1e-9 * 10000 + 5e-6 + 0.8e-9 * 10000 + 2e-6)) < 1e-9, took
        # Requests that were begun, and a receive from any beside them.
        took = answer(folder, "        if (rank == 0) { ireceive 8 bytes from 1 as 4; receive 8 bytes from any sender who; wait 4; compute who * 1 s; }\n"
                      "        if (rank == 1) send 8 bytes to 0;\n        if (rank == 2) { compute 1 s; send 8 bytes to 0; }\n", free)
        assert abs(took - 3) < 1e-9, took


@test
def over_links_of_a_platform():
    folder = os.environ.get("ASSAY_RUNTIME", os.path.join(os.path.dirname(ASSAY), "runtime"))
    if not any(os.path.exists(os.path.join(folder, place)) for place in ("simgrid/assay-simulator", "assay-simulator")):
        raise Lacking("libsimgrid-dev is not installed, or was not when this was built")
    platform = "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n<platform version=\"4.1\">" \
        "<cluster id=\"c\" prefix=\"n\" suffix=\"\" radical=\"0-4\" speed=\"1Gf\" bw=\"1GBps\" lat=\"2500ns\"/></platform>\n"
    chance = random.Random(8)
    with Folder() as folder:
        write(folder, "p.xml", platform)
        network = write(folder, "net", "platform = p.xml\n[off-node a]\nL = 5us   o-send = 1us   o-receive = 2us   O-send = 0.1ns   G = 1ns\n")
        lengths = [chance.choice((1, 2, 3, 30, 47)) * 1e-3 + chance.random() * 1e-4 for _ in range(40)]
        path = farm(folder, 4, lengths, 3000, 100)
        expected = reckoned(4, lengths, 3000, 100)
        for way in ([], ["--events"]):
            assert abs(predicted(path, network, *way) / expected - 1) < 0.01, (way, predicted(path, network, *way), expected)


@test
def mistakes_are_told():
    with Folder() as folder:
        network = write(folder, "free", FREE)

        def said(statements, ranks=3, top=""):
            path = write(folder, "bad.model", f"{top}application a {{ ranks {ranks}; run {{ {statements} }} }}\n")
            return assay("model", "run", path, "--network", network, status=None).stderr.decode()

        for statements, message in [
            ("receive 8 bytes from any;", "deadlock: 3 of 3 ranks wait for ever: rank 0 receives from any rank (line 1)"),
            ("ireceive 8 bytes from any as 3;", "only receive takes any"),
            ("broadcast 8 bytes from any;", "only receive takes any"),
            ("if (rank == 1) send 8 bytes to 0;", "rank 1 sends to rank 0, which never receives it"),
            ("let t = 3 s; receive 8 bytes from any number t;", "t is seconds"),
            ("send 8 bytes to 0 with 3 s;", "the number in a message must be a plain number"),
            ("let any = 3;", "any is a word of the language"),
            ("while (rank >= 0) { let x = 1; }", "more than 100"),
            ("while (3 s) compute 1 s;", "a condition must be a plain number"),
            ("receive 8 bytes from 0 sender;", "receive BYTES from RANK|any"),
            ("send 8 bytes to 0 with 1/0;", "division by zero"),
        ]:
            assert message in said(statements), (statements, said(statements))
        assert "a flow only computes: while" in said("compute f();", top="flow f() { while (1) compute 1 s; }\n")
        # sender, number and with are names, too.
        path = write(folder, "names.model", "parameter number = 2, sender = 3, with = 4;\napplication a { run { compute number * sender * with * 1 s; } }\n")
        assert predicted(path, network) == 24


run()
