"""A client of the Language Server Protocol that takes nothing on trust: heads and JSON must be exact, answers have the id of their
request, and nothing else comes than what the protocol has."""
import json, os, re, select, subprocess, time


class Broken(AssertionError):
    """The server did not keep to the protocol."""


def framed(body):
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    return b"Content-Length: %d\r\n\r\n" % len(data) + data


def uri(path):
    return "file://" + path


class Client:
    """with Client(words, patience) as client: … ; notifications and requests of the server are kept in `told`."""

    def __init__(self, words, patience, environment=None):
        self.patience, self.number, self.buffer, self.told = patience, 0, b"", []
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            try:
                pipe.close()
            except BrokenPipeError:
                pass

    def write(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def leave(self):
        """As an editor that was killed."""
        self.process.stdin.close()

    def receive(self):
        """The next message; None at the end."""
        end = time.monotonic() + self.patience
        while True:
            head, mark, rest = self.buffer.partition(b"\r\n\r\n")
            if mark:
                found = re.fullmatch(rb"Content-Length: (\d+)", head)
                if not found:
                    raise Broken(f"head {head!r}")
                length = int(found.group(1))
                if len(rest) >= length:
                    self.buffer = rest[length:]
                    message = json.loads(rest[:length].decode())
                    if message.get("jsonrpc") != "2.0" or not isinstance(message, dict):
                        raise Broken(f"{message}")
                    return message
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.process.stdout], [], [], left)[0]:
                raise Broken("no message came")
            piece = os.read(self.process.stdout.fileno(), 65536)
            if not piece:
                if self.buffer:
                    raise Broken(f"half a message: {self.buffer!r}")
                return None
            self.buffer += piece

    def notify(self, method, **parameters):
        self.write(framed({"jsonrpc": "2.0", "method": method, "params": parameters}))

    def answer(self, identity):
        """The answer with this id; what else comes is kept, and requests of the server are answered with null."""
        while True:
            message = self.receive()
            if message is None:
                raise Broken("the server ended")
            if "method" in message:
                self.told.append(message)
                if "id" in message:
                    self.write(framed({"jsonrpc": "2.0", "id": message["id"], "result": None}))
            elif message.get("id") != identity or ("result" in message) == ("error" in message):
                raise Broken(f"{message} is no answer to {identity}")
            else:
                return message

    def request(self, method, **parameters):
        self.number += 1
        self.write(framed({"jsonrpc": "2.0", "id": self.number, "method": method, "params": parameters}))
        return self.answer(self.number)

    def result(self, method, **parameters):
        message = self.request(method, **parameters)
        if "error" in message:
            raise Broken(f"{method}: {message}")
        return message["result"]

    def error(self, method, **parameters):
        return self.request(method, **parameters)["error"]["code"]

    def wait(self, method, fits=lambda parameters: True):
        """The parameters of the next notification, or request of the server, of this method that fits."""
        while True:
            for at, message in enumerate(self.told):
                if message["method"] == method and fits(message.get("params")):
                    del self.told[at]
                    return message.get("params")
            message = self.receive()
            if message is None or "method" not in message:
                raise Broken(f"{message} instead of {method}")
            self.told.append(message)
            if "id" in message:
                self.write(framed({"jsonrpc": "2.0", "id": message["id"], "result": None}))

    def start(self, **capabilities):
        """initialize and initialized; the capabilities of the server."""
        server = self.result("initialize", processId=os.getpid(), rootUri=None, capabilities=capabilities)
        self.notify("initialized")
        return server["capabilities"]

    def open(self, path):
        with open(path) as file:
            text = file.read()
        self.notify("textDocument/didOpen", textDocument={"uri": uri(path), "languageId": "c", "version": 1, "text": text})

    def end(self):
        """shutdown and exit: the exit status."""
        if self.result("shutdown") is not None:
            raise Broken("shutdown answers null")
        self.notify("exit")
        return self.process.wait(self.patience)
