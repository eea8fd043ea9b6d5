"""Tests of assay ui: starts the server, asks it like a program, and opens its pages in Chromium.

    with Folder() as folder, Ui(program) as ui:
        assert "main" in ui.get("/1/").text
        with UiBrowser(folder, ui) as browser:
            browser.open("/1/")
            browser.run("return document.title")
            browser.inspect("/1/")    # light and dark, narrow and wide: accessible, no complaint, no scrolling sideways

With ASSAY_PICTURES=FOLDER in the environment `inspect` and `picture` leave screenshots there, for people to look at."""
import base64, http.client, json, os, signal, subprocess, time, urllib.parse
from harness import ASSAY, Browser, Fail, PATIENCE, Skip, npm_file

WIDTHS = {"narrow": 360, "usual": 1300, "wide": 3840}


class Answer:
    def __init__(self, response):
        self.status, self.headers, self.body = response.status, response.headers, response.read()

    @property
    def text(self):
        return self.body.decode()

    @property
    def json(self):
        return json.loads(self.body)


class Ui:
    """assay ui FILES…; the link that it prints, and requests with its cookie."""

    def __init__(self, *files, words=(), env=None):
        self.process = subprocess.Popen([ASSAY, "ui", "--no-browser", *words, *files], env=env, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.link = self.process.stdout.readline().decode().strip()
        if not self.link.startswith("http://"):
            self.process.wait(PATIENCE)
            raise Fail(f"assay ui {' '.join(files)}: {self.link!r}\n{self.process.stderr.read().decode(errors='replace')}")
        parts = urllib.parse.urlsplit(self.link)
        self.address, self.port, self.host = parts.hostname, parts.port, parts.netloc
        self.base, self.token = f"http://{self.host}", urllib.parse.parse_qs(parts.query)["token"][0]
        self.cookie = self.ask("GET", f"{parts.path}?{parts.query}", cookie=None).headers["Set-Cookie"].split(";")[0]

    def ask(self, method, path, body=None, cookie="own", **headers):
        """One request as it is: redirections are not followed.  Names of headers have _ for -; None leaves one out."""
        sent = {"Host": self.host, "Cookie": self.cookie if cookie == "own" else cookie}
        sent.update((name.replace("_", "-"), value) for name, value in headers.items())
        connection = http.client.HTTPConnection(self.address, self.port, timeout=PATIENCE)
        try:
            connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            data = body.encode() if isinstance(body, str) else body
            for name, value in sent.items():
                if value is not None:
                    connection.putheader(name, value)
            if data is not None:
                connection.putheader("Content-Length", str(len(data)))
            connection.endheaders(data)
            return Answer(connection.getresponse())
        finally:
            connection.close()

    def get(self, path, status=200, **headers):
        answer = self.ask("GET", path, **headers)
        if status is not None and answer.status != status:
            raise Fail(f"{path}: {answer.status}, expected {status}: {answer.body[-1500:]!r}")
        return answer

    def post(self, path, body, status=200, **headers):
        answer = self.ask("POST", path, body, **{"Origin": self.base, **headers})
        if status is not None and answer.status != status:
            raise Fail(f"{path}: {answer.status}, expected {status}: {answer.body[-1500:]!r}")
        return answer

    def wait_for_report(self, number=1):
        """Until the tables of the report are there."""
        end = time.monotonic() + PATIENCE
        while self.get(f"/{number}/api/progress").json["is_working"] and time.monotonic() < end:
            time.sleep(0.1)

    def end(self, number=signal.SIGTERM):
        """Ends it by a signal and returns its exit status."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        _, self.errors = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()


class UiBrowser(Browser):
    """Chromium that has opened the link."""

    def __init__(self, folder, ui, *arguments):
        super().__init__(folder, *arguments)
        self.ui = ui
        self.ask("/url", {"url": ui.link})

    def open(self, path):
        self.ask("/url", {"url": self.ui.base + path})

    @property
    def path(self):
        """Where it is now, without the server's address."""
        return self.ask("/url").removeprefix(self.ui.base)

    def tool(self, command, **parameters):
        """A command of the DevTools protocol."""
        return self.ask("/goog/cdp/execute", {"cmd": command, "params": parameters})

    def resize(self, width, height=900):
        self.tool("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def dark(self, is_dark=True):
        self.tool("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": "dark" if is_dark else "light"}])

    def wait(self, script, *arguments):
        """Until an expression is true; returns it."""
        end = time.monotonic() + 60
        while not (value := self.run("return " + script, *arguments)):
            if time.monotonic() > end:
                raise Fail(f"{self.path}: never true: {script}")
            time.sleep(0.05)
        return value

    def axe(self, where=None):
        """What axe-core finds wrong with the page, or with one element of it (a selector)."""
        with open(npm_file("axe-core", "axe.min.js")) as file:
            self.run(file.read())
        found = self.ask("/execute/async", {
            "script": "const [where, done] = arguments;"
                      "axe.run(where || document, {resultTypes: ['violations']})"
                      ".then(r => done(r.violations), e => done([{id: 'axe', help: String(e), nodes: []}]))", "args": [where]})
        return [f"{violation['id']}: {violation['help']}: " + "; ".join(node["html"][:200] for node in violation["nodes"][:3])
                for violation in found]

    def picture(self, name):
        """A screenshot of the whole page, if pictures are wanted."""
        folder = os.environ.get("ASSAY_PICTURES")
        if folder:
            os.makedirs(folder, exist_ok=True)
            height = min(self.run("return document.documentElement.scrollHeight"), 6000)
            width = self.run("return innerWidth")
            image = self.tool("Page.captureScreenshot", captureBeyondViewport=True,
                              clip={"x": 0, "y": 0, "width": width, "height": height, "scale": 1})
            with open(os.path.join(folder, name + ".png"), "wb") as out:
                out.write(base64.b64decode(image["data"]))

    def inspect(self, path=None, name=None, prepare=None, widths=tuple(WIDTHS)):
        """A page (None: as it is now) in all sizes, light and dark: accessible, without complaints of the browser, and not
        wider than the window.  `prepare`: an expression to wait for after loading."""
        problems = []
        name = name or (path or self.path).strip("/").replace("/", "-").replace("?", "-") or "all"
        try:
            for is_dark in (False, True):
                self.dark(is_dark)
                for width in widths:
                    if is_dark and width != "usual":
                        continue
                    self.resize(WIDTHS[width], 2160 if width == "wide" else 900)
                    if path:
                        self.open(path)
                    if prepare:
                        self.wait(prepare)
                    self.picture(f"{name}-{'dark' if is_dark else width}")
                    if self.run("return document.documentElement.scrollWidth > innerWidth"):
                        problems.append(f"{width}: wider than the window")
                    if width != "wide":
                        problems += [f"{'dark' if is_dark else width}: {found}" for found in self.axe()]
            problems += self.complaints()
        finally:
            self.dark(False)
            self.resize(WIDTHS["usual"])
        if problems:
            raise Fail(f"{path or name}: " + "\n".join(problems))
