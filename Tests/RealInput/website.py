"""A small web site on the loopback interface, with one resource for each way in which a load can end."""

import contextlib
import http.server
import threading
import time
import zlib

PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Real input</title>
<link rel="icon" href="/icon.svg">
<link rel="stylesheet" href="/style.css">
<h1>Loads of every kind</h1>
<img src="/picture.png" alt="a picture">
<img src="/moved.png" alt="a picture behind a redirect">
<img src="/missing.png" alt="a picture that is not there">
<img src="http://localhost:{port}/picture.png?from=another%20host" alt="a picture of another host">
<img src="data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7" alt="an inline picture">
<script>
  async function quietly(path, options) {{
    try {{ await (await fetch(path, options)).text() }} catch {{ /* some of them are meant to fail */ }}
  }}
  async function loadEverything() {{
    await quietly('/articles.json')
    await quietly('/articles.json', {{ headers: {{ 'If-None-Match': '"1"' }} }})
    await quietly('/réviews.json?q=ü')
    await quietly('/form', {{ method: 'POST', body: 'a=1' }})
    await quietly('/broken.json')
    await quietly('/unanswered')
    await quietly('/endless', {{ signal: AbortSignal.timeout(200) }})
    await Promise.all([1, 2, 3].map((number) => quietly('/slow.json?' + number)))
    document.title = 'done'
  }}
  window.addEventListener('load', loadEverything)
</script>
</html>
"""


def picture():
    """A PNG of one grey pixel."""

    def chunk(kind, data):
        body = kind + data
        return len(data).to_bytes(4, "big") + body + zlib.crc32(body).to_bytes(4, "big")

    header = (1).to_bytes(4, "big") * 2 + bytes([8, 0, 0, 0, 0])
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"\x00\x80"))
            + chunk(b"IEND", b""))


FILES = {
    "/style.css": ("text/css", b"h1 { color: gray }"),
    "/icon.svg": ("image/svg+xml", b'<svg xmlns="http://www.w3.org/2000/svg"/>'),
    "/picture.png": ("image/png", picture()),
    "/articles.json": ("application/json", b"[]"),
    "/r%C3%A9views.json": ("application/json", b"[]"),
}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        path = self.path.partition("?")[0]
        if path == "/":
            self.answer("text/html", PAGE.format(port=self.server.server_port).encode())
        elif path == "/moved.png":
            self.answer("text/plain", b"", 302, {"Location": "/picture.png?moved"})
        elif path == "/articles.json" and self.headers["If-None-Match"] == '"1"':
            self.answer("application/json", b"", 304)
        elif path == "/broken.json":
            self.answer("application/json", b"{}", 500)
        elif path == "/slow.json":
            time.sleep(0.1)
            self.answer("application/json", b"[]")
        elif path == "/unanswered":
            self.close_connection = True
        elif path == "/endless":
            # The page gives up long before; the limit only bounds the life of this thread.
            self.server.stopping.wait(10)
            self.close_connection = True
        elif path in FILES:
            self.answer(*FILES[path])
        else:
            self.answer("text/plain", b"not found", 404)

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.answer("text/plain", b"thanks", 201)

    def answer(self, kind, body, status=200, headers=None):
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        if status != 304:
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    # A connection that the browser keeps open must not delay the end.
    block_on_close = False

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.stopping = threading.Event()

    def handle_error(self, request, client_address):
        pass


@contextlib.contextmanager
def website():
    """Serves the site on a free port; yields its URL without a slash at the end."""
    with Server() as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.stopping.set()
            server.shutdown()
            thread.join()
