#!/usr/bin/env python3
"""assay lsp: hints, lenses, diagnostics, actions, hovering and assembly as a client gets them; edits, new builds, runs; and what is wrong:
messages out of order, unknown methods, broken JSON, heads that lie, a client that goes away."""
import random, shutil
from harness import *
from language_client import Broken, Client, framed, uri

SOURCE = """/* ä𝄞 */
void scale(double *a, const double *b, long n)
{
    for (long i = 0; i < n; i++) /* 𝄞 */
        a[i] = 3 * b[i];
}
double sum(const double *a, long n)
{
    double s = 0;
    for (long i = 0; i < n; i++)
        s += a[i];
    return s;
}
"""
FIRST, SECOND = 3, 9  # lines of the loops, from 0
SHOWS = {"window": {"showDocument": {"support": True}}}
REFRESHES = {"workspace": {"inlayHint": {"refreshSupport": True}, "codeLens": {"refreshSupport": True}}}


class Work(Folder):
    def __enter__(self):
        self.path = super().__enter__()
        self.source, self.object = os.path.join(self.path, "a b", "solve.c"), os.path.join(self.path, "solve.o")
        os.mkdir(os.path.dirname(self.source))
        os.mkdir(os.path.join(self.path, "tmp"))
        self.write(SOURCE)
        return self

    def write(self, text):
        with open(self.source, "w") as file:
            file.write(text)

    def build(self, *flags):
        """Into place as make does it: the file is there at once, and newer than the source."""
        command([need("gcc"), "-O2", "-g", *flags, "-c", self.source, "-o", self.object + ".new"])
        os.replace(self.object + ".new", self.object)

    def client(self, *words):
        return Client([ASSAY, "lsp", *(words or [self.object])], PATIENCE, {**os.environ, "TMPDIR": os.path.join(self.path, "tmp")})

    def document(self):
        return {"uri": "file://" + self.source.replace(" ", "%20")}

    def open(self, client):
        self.text = SOURCE
        client.notify("textDocument/didOpen", textDocument={**self.document(), "languageId": "c", "version": 1, "text": SOURCE})
        return client.wait("textDocument/publishDiagnostics", lambda it: it["uri"] == self.document()["uri"])["diagnostics"]

    def hints(self, client, first=0, last=1000):
        return client.result("textDocument/inlayHint", textDocument=self.document(),
                             range={"start": {"line": first, "character": 0}, "end": {"line": last, "character": 0}})

    def actions(self, client, line):
        return client.result("textDocument/codeAction", textDocument=self.document(), context={"diagnostics": []},
                             range={"start": {"line": line, "character": 0}, "end": {"line": line, "character": 1}})

    def hover(self, client, line):
        return client.result("textDocument/hover", textDocument=self.document(), position={"line": line, "character": 5})

    def change(self, client, first, last, text, character=0):
        """From a place of a line to that of another one."""
        lines = self.text.split("\n")
        before, after = lines[:first] + [lines[first][:character]], [lines[last][character:]] + lines[last + 1:]
        self.text = "\n".join(before) + text + "\n".join(after)
        client.notify("textDocument/didChange", textDocument={**self.document(), "version": 2}, contentChanges=[{"text": self.text}])


@test
def figures_are_those_of_the_report():
    with Work() as work:
        work.build("-fno-tree-vectorize")
        report = json.loads(text("report", work.object, "--json"))
        with work.client() as client:
            can = client.start()
            assert can["inlayHintProvider"] and can["hoverProvider"] and can["codeActionProvider"] and "codeLensProvider" in can, can
            diagnostics = work.open(client)
            hints = work.hints(client)
            assert [hint["position"]["line"] for hint in hints] == [FIRST, SECOND], hints
            cycles = {loop["first_line"]: max(path["cycles"] for path in loop["paths"]) for loop in report["loops"]}
            for hint in hints:
                assert hint["label"].startswith(f"{cycles[hint['position']['line'] + 1]:.2f} cycles"), (hint, cycles)
            # in units of UTF-16: the note at the end of the line is two of them for one character
            line = SOURCE.split("\n")[FIRST]
            assert hints[0]["position"]["character"] == len(line.encode("utf-16-le")) // 2 == len(line) + 1, hints
            assert work.hints(client, 0, 5) == hints[:1] and work.hints(client, 5, 1000) == hints[1:]
            lenses = client.result("textDocument/codeLens", textDocument=work.document())
            assert [lens["range"]["start"] for lens in lenses] == [{"line": FIRST, "character": 4}, {"line": SECOND, "character": 4}], lenses
            assert all("limited by" in lens["command"]["title"] for lens in lenses), lenses
            rules = {(loop["first_line"] - 1, advice["rule"]) for loop in report["loops"] for path in loop["paths"] for advice in path["advice"]
                     if advice["level"] in ("gain", "potential")}
            names = {(it["range"]["start"]["line"], it["code"]) for it in diagnostics}
            assert names == rules and names, (names, rules)
            assert all(it["source"] == "assay" and it["severity"] in (2, 3) for it in diagnostics), diagnostics
            assert client.end() == 0


@test
def hovering_says_limits_and_ports():
    with Work() as work:
        work.build()
        with work.client() as client:
            client.start(textDocument={"hover": {"contentFormat": ["markdown", "plaintext"]}})
            contents = work.hover(client, FIRST + 1)["contents"]
            assert contents["kind"] == "markdown" and contents["value"].startswith("```text\n") and contents["value"].endswith("\n```")
            for words in ("cycles per iteration, limited by", "parts of the core:", "ports (uops):", "scale", "1. "):
                assert words in contents["value"], contents["value"]
            assert work.hover(client, 0) is None
            assert client.end() == 0
        with work.client() as client:
            client.start()
            contents = work.hover(client, SECOND)["contents"]
            assert contents["kind"] == "plaintext" and "```" not in contents["value"], contents


@test
def actions_are_remedies_and_a_pragma():
    with Work() as work:
        work.build()
        with work.client() as client:
            client.start()
            work.open(client)
            actions = work.actions(client, FIRST)
            [pragma] = [it for it in actions if "edit" in it]
            [edit] = pragma["edit"]["changes"][work.document()["uri"]]
            assert edit["newText"] == "    #pragma omp simd\n" and edit["range"]["start"] == edit["range"]["end"] == {"line": FIRST, "character": 0}, edit
            remedies = [it["command"] for it in actions if it.get("command", {}).get("command") == "assay.remedy"]
            assert any("restrict" in it["arguments"][0] for it in remedies) and any("-O3" in it["arguments"][0] for it in remedies), remedies
            client.result("workspace/executeCommand", command="assay.remedy", arguments=remedies[0]["arguments"])
            assert client.wait("window/showMessage")["message"] == remedies[0]["arguments"][0]
            assert work.actions(client, 0) == []
            assert client.end() == 0


@test
def assembly_is_a_document():
    with Work() as work:
        work.build()
        arguments = [{**work.document(), "line": SECOND}]
        with work.client() as client:
            client.start()
            shown = client.result("workspace/executeCommand", command="assay.assembly", arguments=arguments)
            assert shown["uri"] is None and "loop in sum" in shown["text"], shown
        with work.client() as client:
            client.start(**SHOWS)
            shown = client.result("workspace/executeCommand", command="assay.assembly", arguments=arguments)
            asked = client.wait("window/showDocument")
            assert asked["uri"] == shown["uri"] and asked["uri"].startswith("file:///"), asked
            with open(asked["uri"][len("file://"):]) as file:
                assert file.read() == shown["text"]
            assert client.end() == 0
            assert not os.listdir(os.path.join(work.path, "tmp"))
        with work.client() as client:
            client.start(workspace={"textDocumentContent": {}}, **SHOWS)
            shown = client.result("workspace/executeCommand", command="assay.assembly", arguments=arguments)
            assert shown["uri"].startswith("assay:/"), shown
            assert client.result("workspace/textDocumentContent", uri=shown["uri"])["text"] == shown["text"]
            for wrong in ("assay:/", "assay:/9/x", "assay:/999999999999999/x?file:///x", "assay:/9/x?", "file:///etc/passwd", ""):
                assert client.error("workspace/textDocumentContent", uri=wrong) == -32602, wrong
            assert not os.listdir(os.path.join(work.path, "tmp"))


@test
def edits_move_figures_and_void_them():
    with Work() as work:
        work.build()
        with work.client() as client:
            client.start()
            work.open(client)
            labels = {hint["label"] for hint in work.hints(client)}

            def lines():
                return [hint["position"]["line"] for hint in work.hints(client)]
            work.change(client, 0, 0, "\n\n")
            assert lines() == [FIRST + 2, SECOND + 2], lines()
            assert {hint["label"] for hint in work.hints(client)} == labels
            work.change(client, 0, 1, "")
            assert lines() == [FIRST + 1, SECOND + 1], lines()
            work.change(client, FIRST + 1, FIRST + 1, "\n")  # a new line above the first loop
            assert lines() == [FIRST + 2, SECOND + 2], lines()
            work.change(client, FIRST + 3, FIRST + 3, "x", character=8)  # in the loop
            assert lines() == [SECOND + 2], lines()
            told = client.wait("textDocument/publishDiagnostics", lambda it: all(one["range"]["start"]["line"] == SECOND + 2 for one in it["diagnostics"]))
            assert told["uri"] == work.document()["uri"]
            assert work.hover(client, FIRST + 2) is None
            work.change(client, FIRST + 2, FIRST + 2, "    /* long */\n")  # above an edited one, and above the second
            assert lines() == [SECOND + 3], lines()
            client.notify("textDocument/didChange", textDocument=work.document(), contentChanges=[{"text": "int x;\n"}])
            assert lines() == []
            # closed and opened again it is what is on disk
            client.notify("textDocument/didClose", textDocument=work.document())
            work.open(client)
            assert lines() == [FIRST, SECOND], lines()
            assert client.end() == 0


@test
def a_new_build_brings_new_figures():
    with Work() as work:
        with work.client() as client:
            client.start(**REFRESHES)
            assert "is not there yet" in client.wait("window/showMessage")["message"]
            assert work.open(client) == [] and work.hints(client) == []
            work.build("-O1")
            client.wait("workspace/inlayHint/refresh"), client.wait("workspace/codeLens/refresh")
            before = work.hints(client)
            assert len(before) == 2, before
            # what was saved before the build is in it
            work.write("\n\n" + SOURCE)
            work.change(client, 0, 0, "\n\n")
            client.notify("textDocument/didSave", textDocument=work.document())
            assert [hint["position"]["line"] for hint in work.hints(client)] == [FIRST + 2, SECOND + 2]
            work.build("-O3", "-ffast-math")
            client.wait("workspace/inlayHint/refresh")
            after = work.hints(client)
            assert [hint["position"]["line"] for hint in after] == [FIRST + 2, SECOND + 2], after
            assert after[1]["label"] != before[1]["label"], (before, after)
            # a file that cannot be read leaves the figures, and is told
            with open(work.object, "wb") as file:
                file.write(b"\x7fELF nonsense")
            assert work.object in client.wait("window/logMessage", lambda it: it["type"] == 2)["message"]
            assert work.hints(client) == after
            assert client.end() == 0


@test
def a_source_that_is_newer_says_so():
    with Work() as work:
        work.build()
        status = os.stat(work.object)
        os.utime(work.source, (status.st_atime + 100, status.st_mtime + 100))
        with work.client() as client:
            client.start()
            assert all("newer than the build" in hint["label"] for hint in work.hints(client))
            assert not [it for it in work.actions(client, FIRST) if "edit" in it]


@test
def a_database_serves_as_well():
    with Work() as work:
        work.build()
        database = os.path.join(work.path, "solve.db")
        assay("db", work.object, "-o", database)
        answers = []
        for file in (work.object, database):
            with work.client(file) as client:
                client.start()
                answers.append((work.hints(client), work.open(client)))
                assert client.end() == 0
        assert answers[0] == answers[1] and answers[0][0], answers


@test
def other_documents_have_nothing():
    with Work() as work:
        work.build()
        with work.client() as client:
            client.start()
            for name in ("file:///nowhere/solve.c", "untitled:Untitled-1", "file://host/x", "file:///%00", "file:///%zz", "", "x" * 100000):
                answer = client.result("textDocument/inlayHint", textDocument={"uri": name}, range={"start": {"line": 0}, "end": {"line": 99}})
                assert answer == [], (name[:50], answer)
                assert client.result("textDocument/hover", textDocument={"uri": name}, position={"line": 3, "character": 0}) is None
            assert client.end() == 0


@test
def messages_out_of_order():
    with Work() as work:
        work.build()
        with work.client() as client:
            assert client.error("textDocument/hover", textDocument=work.document()) == -32002
            client.notify("textDocument/didOpen", textDocument=work.document())  # not yet: no answer, no harm
            client.start()
            assert client.error("initialize", capabilities={}) == -32600
            assert client.error("workspace/symbol", query="x") == -32601
            assert client.error("initialized") == -32600  # it has no id
            client.notify("$/setTrace", value="off"), client.notify("no/such/notification")
            client.notify("$/cancelRequest", id=1)
            assert client.result("shutdown") is None
            assert client.error("textDocument/hover", textDocument=work.document()) == -32600
            client.notify("exit")
            assert client.process.wait(PATIENCE) == 0
        with work.client() as client:
            client.start()
            client.notify("exit")
            assert client.process.wait(PATIENCE) == 1
        with work.client() as client:
            client.start()
            client.leave()
            assert client.process.wait(PATIENCE) == 1


@test
def parameters_of_the_wrong_kind():
    with Work() as work:
        work.build()
        with work.client() as client:
            client.start()
            for method in ("textDocument/hover", "textDocument/inlayHint", "textDocument/codeLens", "textDocument/codeAction", "workspace/executeCommand",
                           "workspace/textDocumentContent"):
                for parameters in ({}, {"textDocument": 3}, {"textDocument": {"uri": [1]}}, {"position": {"line": -1}}, {"position": {"line": "4"}},
                                   {"range": {"start": {"line": 1e300}, "end": None}}, {"command": {}}, {"command": "assay.assembly", "arguments": {"a": 1}},
                                   {"command": "assay.remedy", "arguments": [4]}, {"uri": {}}):
                    assert client.error(method, **parameters) == -32602, (method, parameters)
            for changes in (None, 3, [], [3], [{"text": 5}], [{"range": {"start": {"line": -5}, "end": {"line": 3}}, "text": "x"}], {"a": "b"},
                            [{"range": {"start": {"line": 9, "character": 0}, "end": {"line": 2, "character": 0}}, "text": ""}]):
                work.open(client)
                client.notify("textDocument/didChange", textDocument=work.document(), contentChanges=changes)
                work.hints(client)
                client.notify("textDocument/didClose", textDocument=work.document())
            assert client.end() == 0


@test
def messages_that_are_no_requests():
    with Work() as work:
        work.build()
        with work.client() as client:
            client.start()
            for body, code in ((b"", -32700), (b"{", -32700), (b"nonsense", -32700), (b'{"id":1,"method":"a"}\0', -32700), (b"\xff\xfe", -32700),
                               (b"[" * 100000, -32700), (b"[]", -32600), (b"3", -32600), (b"{}", -32600), (b'"method"', -32600),
                               (b'{"jsonrpc":"2.0","id":{"a":1},"method":"shutdown"}', -32600), (b'{"jsonrpc":"2.0","id":7,"method":5}', -32600),
                               (b'{"jsonrpc":"2.0","id":null,"method":"shutdown"}', -32600)):
                client.write(framed(body))
                while "method" in (message := client.receive()):
                    pass
                assert message["error"]["code"] == code, (body[:40], message)
            # ids are given back as they came
            for identity in ("a \"quoted\" id", 0, -5, 2 ** 53, ""):
                client.write(framed({"jsonrpc": "2.0", "id": identity, "method": "no/such"}))
                assert client.answer(identity)["error"]["code"] == -32601, identity
            # an answer to a request of the server is none of its business
            client.write(framed({"jsonrpc": "2.0", "id": "assay-77", "result": None}))
            # several messages in one piece, one message in many pieces
            two = framed({"jsonrpc": "2.0", "id": "one", "method": "no"}) + framed({"jsonrpc": "2.0", "id": "two", "method": "no"})
            client.write(two)
            client.answer("one"), client.answer("two")
            for at in range(len(two)):
                client.write(two[at:at + 1])
            client.answer("one"), client.answer("two")
            # heads may have other fields, and any case
            client.write(b"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\ncontent-length:  36\r\n\r\n" + b'{"jsonrpc":"2.0","id":9,"method":"x"}'[:36] + b"")
            client.receive()
            assert client.end() == 0


@test
def heads_that_lie_end_it():
    with Work() as work:
        work.build()
        for data in (b"Content-Length: 99999999999999999999999\r\n\r\n", b"Content-Length: 2000000000\r\n\r\n{}", b"Content-Length: -5\r\n\r\n{}",
                     b"Content-Length: 0x10\r\n\r\n", b"Content-Length:\r\n\r\n", b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}", b"\r\n\r\n{}",
                     b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", b"Content-Type: x\r\n\r\n{}", b"A" * 10000, b"{}" * 5000):
            with work.client() as client:
                client.start()
                client.write(data)
                while (message := client.receive()) and "method" in message:
                    pass
                assert message["error"]["code"] == -32700 and message["id"] is None, (data[:60], message)
                assert client.process.wait(PATIENCE) == 2, data[:60]
                lines = client.process.stderr.read().decode().splitlines()
                assert len(lines) == 1 and lines[0].startswith("assay: "), lines
        # a message that is shorter than its head says is waited for, until the client goes
        with work.client() as client:
            client.start()
            client.write(b"Content-Length: 100\r\n\r\n{}")
            client.leave()
            assert client.process.wait(PATIENCE) == 1


@test
def noise_does_no_harm():
    with Work() as work:
        work.build()
        chance = random.Random(7)
        good = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "textDocument/codeAction", "params": {"textDocument": work.document(), "context": {},
                          "range": {"start": {"line": 3, "character": 0}, "end": {"line": 9, "character": 0}}}}).encode()
        with work.client() as client:
            client.start()
            for _ in range(300):
                body = bytearray(good)
                for _ in range(chance.randrange(1, 6)):
                    body[chance.randrange(len(body))] = chance.randrange(256)
                client.write(framed(bytes(body)))
            client.write(framed({"jsonrpc": "2.0", "id": "last", "method": "no"}))
            while True:
                message = client.receive()
                assert message is not None
                if message.get("id") == "last":
                    break
            assert client.end() == 0


@test
def bad_usage():
    with Work() as work:
        work.build()
        assert "level" in assay("lsp", work.object, "--level", "all", status=2).stderr.decode()
        assert assay("lsp", status=2).stderr
        assert "none-such" in assay("lsp", work.object, "--machine", "none-such", status=2).stderr.decode()
        assert b"--json" in assay("lsp", work.object, "--json", status=2).stderr


run()
