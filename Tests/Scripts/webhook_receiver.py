"""Receives webhooks at a port of this machine, and prints each request as a line of JSON.

    webhook_receiver.py [--key KEY] [--certificate FILE] ANSWER…

An ANSWER is a status, a status and the address of a redirect (307=http://…), a status and the half of a body (200+),
"silence" until the client leaves, or the "end" of the connection; the last one is given again and again. The first line of
the output is the port. KEY is the key of Standard Webhooks with which signatures are checked; FILE has a certificate and its
key, for https.
"""

import argparse
import base64
import hashlib
import hmac
import http.server
import itertools
import json
import ssl


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--key")
    parser.add_argument("--certificate")
    parser.add_argument("answers", nargs="+")
    options = parser.parse_args()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    server.key = options.key and base64.b64decode(options.key.removeprefix("whsec_"))
    server.answers = itertools.chain(options.answers, itertools.repeat(options.answers[-1]))
    if options.certificate:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(options.certificate)
        server.socket = context.wrap_socket(server.socket, server_side=True)
    print(server.server_port, flush=True)
    server.serve_forever()


class Receiver(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        headers = {name.lower(): value for name, value in self.headers.items()}
        print(json.dumps({
            "path": self.path, "headers": headers, "body": json.loads(body), "is_signed": self.is_signed(body),
        }), flush=True)
        status, _, address = next(self.server.answers).partition("=")
        if status == "silence":
            self.rfile.read()
        if status in ("silence", "end"):
            return
        self.send_response(int(status.rstrip("+")))
        if address:
            self.send_header("Location", address)
        self.send_header("Content-Length", "4" if status.endswith("+") else "0")
        self.end_headers()
        if status.endswith("+"):
            self.wfile.write(b"ok")

    def is_signed(self, body):
        """Whether one of the signatures was made with the key."""
        given = self.headers.get("webhook-signature", "").split(" ")
        if not self.server.key:
            return False
        text = f"{self.headers['webhook-id']}.{self.headers['webhook-timestamp']}.".encode() + body
        expected = "v1," + base64.b64encode(hmac.digest(self.server.key, text, hashlib.sha256)).decode()
        return any(hmac.compare_digest(expected, signature) for signature in given)

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    main()
