"""assay ui: requests of strangers, of other sites and of programs that speak no HTTP."""
import os, random, socket, threading, time
from harness import PATIENCE, Folder, build, need, run, test
from ui import Ui


def made(folder):
    path = os.path.join(folder, "kernels.c")
    with open(path, "w") as out:
        out.write("int main(int n, char **a) { int s = 0; for (int i = 0; i < n; i++) s += a[i][0]; return s; }\n")
    return build(folder, [need("gcc")], [path], "-O1", "-g")


def raw(ui, data, ends=False, most=1 << 16):
    """Bytes as they are, and what comes back; ends: nothing more is sent."""
    with socket.create_connection((ui.address, ui.port), timeout=PATIENCE) as connection:
        try:
            connection.sendall(data)
            if ends:
                connection.shutdown(socket.SHUT_WR)
            return connection.recv(most)
        except (ConnectionResetError, BrokenPipeError):
            return b""


@test
def only_the_token_opens():
    with Folder() as folder, Ui(made(folder)) as ui:
        for path in ("/", "/1/", "/1/api/progress", "/static/frame.js", "/nothing"):
            answer = ui.ask("GET", path, cookie=None)
            assert answer.status == 403 and b"program" not in answer.body, (path, answer.status)
            assert answer.headers["Content-Security-Policy"] and not answer.headers["Set-Cookie"], answer.headers
        name = ui.cookie.split("=")[0]
        for secret in ("", "0" * 32, ui.token[:-1], ui.token + "0", ui.cookie.split("=")[1] + "0", ui.cookie.split("=")[1].upper() + "!"):
            assert ui.ask("GET", "/1/", cookie=f"{name}={secret}").status == 403, secret
            assert ui.ask("GET", f"/1/?token={secret}", cookie=None).status == 403, secret
        assert ui.ask("GET", "/1/api/progress", cookie=None).json["error"]
        assert len(ui.token) == 32 and ui.token not in ui.cookie
        flags = ui.ask("GET", f"/?token={ui.token}", cookie=None).headers["Set-Cookie"]
        assert "HttpOnly" in flags and "SameSite=Strict" in flags, flags


@test
def host_must_be_this_computer():
    with Folder() as folder, Ui(made(folder)) as ui:
        for host in (f"127.0.0.1:{ui.port}", f"localhost:{ui.port}", f"LOCALHOST:{ui.port}", "localhost:8888", "localhost"):
            assert ui.get("/1/", None, Host=host).status == 200, host
        for host in ("evil.example", f"evil.example:{ui.port}", f"127.0.0.1.evil.example:{ui.port}", f"localhost.evil.example:{ui.port}",
                     f"127.0.0.2:{ui.port}", f"[::1]:{ui.port}", "", ":", f"localhost:{ui.port}@evil.example", "localhost:1x", "a" * 1000,
                     "[", "]", "[]:1", f"0.0.0.0:{ui.port}"):
            assert ui.get("/1/", None, Host=host).status in (400, 403), host
        for version in (b"1.1", b"1.0"):  # without Host
            answer = raw(ui, b"GET /1/ HTTP/" + version + b"\r\nCookie: " + ui.cookie.encode() + b"\r\n\r\n").split(b"\r\n")[0]
            assert b" 400 " in answer or b" 403 " in answer, answer


@test
def other_sites_are_refused():
    with Folder() as folder, Ui(made(folder)) as ui:
        for origin in ("http://evil.example", "null", "https://127.0.0.1", f"http://127.0.0.1:{ui.port + 1}", f"http://localhost:{ui.port}",
                       f"{ui.base}.evil.example", f"{ui.base}/", "http://"):
            assert ui.get("/1/", None, Origin=origin).status == 403, origin
            assert ui.ask("POST", "/1/", "x", Origin=origin).status == 403, origin
        assert ui.ask("POST", "/1/", "x").status == 403  # without Origin
        assert ui.get("/1/", None, Origin=ui.base).status == 200
        for site, status in (("cross-site", 403), ("same-site", 403), ("same-origin", 200), ("none", 200)):
            assert ui.get("/1/", None, Sec_Fetch_Site=site).status == status, site
        # The link itself may be opened from elsewhere, but only as a page.
        enter = dict(cookie=None, Sec_Fetch_Site="cross-site")
        answer = ui.ask("GET", f"/?token={ui.token}", Sec_Fetch_Mode="navigate", **enter)
        assert answer.status == 200 and answer.headers["Set-Cookie"] and b"http-equiv" in answer.body, answer.status
        assert ui.ask("GET", f"/?token={ui.token}", Sec_Fetch_Mode="no-cors", **enter).status == 403


@test
def methods_and_paths():
    with Folder() as folder, Ui(made(folder)) as ui:
        head = ui.ask("HEAD", "/1/")
        assert head.status == 200 and not head.body and int(head.headers["Content-Length"]) > 100
        for method in ("POST", "PUT", "DELETE", "OPTIONS", "TRACE", "PATCH", "X"):
            answer = ui.ask(method, "/1/", Origin=ui.base)
            assert answer.status == 405 and "GET" in answer.headers["Allow"], (method, answer.status)
        assert ui.ask("POST", "/static/frame.js", "x", Origin=ui.base).status == 405
        for path in ("/static/", "/static/..%2f..%2fetc%2fpasswd", "/static/../server.c", "/../../etc/passwd", "/1/../../etc/passwd",
                     "/1/%2e%2e/%2e%2e/etc/passwd", "/1/nothing", "/01/", "/-1/", "/1e0/", "/2/", "/18446744073709551617/", "//",
                     "/1/loop/", "/1/loop/0", "/1/loop/-1", "/1/loop/1x", "/1/loop/99999999999999999999", "/1/loop/4294967297", "/1/function/..%2f1"):
            answer = ui.get(path, None)
            assert answer.status == 404 and b"root:" not in answer.body, (path, answer.status)
        assert ui.get("/1/api/nothing", 404).json["error"]


@test
def too_large_is_refused():
    with Folder() as folder, Ui(made(folder)) as ui:
        cookie = f"Host: {ui.host}\r\nCookie: {ui.cookie}\r\nOrigin: {ui.base}\r\n".encode()
        assert b" 413 " in raw(ui, b"POST /1/ HTTP/1.1\r\n" + cookie + b"Content-Length: 99999999\r\n\r\n").split(b"\r\n")[0]
        assert b" 413 " in raw(ui, b"POST /1/ HTTP/1.1\r\n" + cookie + b"Content-Length: 99999999999\r\n\r\n").split(b"\r\n")[0]
        flood = b"".join(b"X-%d: %s\r\n" % (i, b"y" * 100) for i in range(1000))
        assert b" 431 " in raw(ui, b"GET /1/ HTTP/1.1\r\n" + cookie + flood + b"\r\n").split(b"\r\n")[0]
        long = raw(ui, b"GET /1/?q=" + b"a" * 100000 + b" HTTP/1.1\r\n" + cookie + b"\r\n").split(b"\r\n")[0]
        assert b" 414 " in long or b" 431 " in long, long
        assert ui.get("/1/").status == 200


@test
def many_at_once():
    with Folder() as folder, Ui(made(folder)) as ui:
        found = []

        def ask():
            while True:  # of more than 32 that have not shown their cookie yet, one is sent away; a browser asks again
                try:
                    return found.append(ui.get("/1/", None).status)
                except ConnectionError:
                    time.sleep(0.1)

        threads = [threading.Thread(target=ask) for _ in range(100)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(PATIENCE)
        assert len(found) == 100 and set(found) == {200}, (len(found), set(found))


@test
def half_requests_hold_up_nobody():
    with Folder() as folder, Ui(made(folder)) as ui:
        halves = [b"", b"G", b"GET /1/ HTTP/1.1\r\nHost", b"GET /1/ HTTP/1.1\r\n",
                  b"POST /1/ HTTP/1.1\r\nHost: " + ui.host.encode() + b"\r\nCookie: " + ui.cookie.encode() + b"\r\nOrigin: " + ui.base.encode()
                  + b"\r\nContent-Length: 1000\r\n\r\nhalf"]
        open_ones = []
        for data in halves * 8:
            connection = socket.create_connection((ui.address, ui.port), timeout=PATIENCE)
            connection.sendall(data)
            open_ones.append(connection)
        assert ui.get("/1/").status == 200
        for connection in open_ones:
            connection.close()
        assert ui.get("/1/").status == 200


@test
def random_bytes_do_no_harm():
    with Folder() as folder, Ui(made(folder)) as ui:
        chance = random.Random(7)
        good = (f"GET /1/loops?machine=zen4&q=a HTTP/1.1\r\nHost: {ui.host}\r\nCookie: {ui.cookie}\r\n"
                "Connection: close\r\n\r\n").encode()
        for _ in range(300):
            data = bytearray(good if chance.random() < 0.8 else chance.randbytes(chance.randrange(2000)))
            for _ in range(chance.randrange(6)):
                if data:
                    data[chance.randrange(len(data))] = chance.randrange(256)
            raw(ui, bytes(data), ends=True)
        assert ui.process.poll() is None and ui.get("/1/").status == 200
        assert ui.end() == 0, ui.errors


run()
