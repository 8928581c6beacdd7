"""A proxy between a client and a server that delays, cuts, and swallows what the server answers."""

import socket
import threading
import time


class Proxy:
    """Passes connections on, each by the plan that is current when it begins."""

    def __init__(self, port):
        self.target = port
        self.delay = 0.0
        # After how many bytes a connection breaks, from the client and from the server; None for never.
        self.cut_sent = self.cut_answered = None
        # Which COMMIT of a connection is the last one to arrive; its answer is swallowed. None for none.
        self.last_commit = None
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self):
        self.listener.close()

    def _accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            try:
                server = socket.create_connection(("127.0.0.1", self.target), timeout=10)
            except OSError:
                client.close()
                continue
            swallow = Swallow(self.last_commit)
            for source, target, cut, pieces in (
                (client, server, self.cut_sent, swallow.sent), (server, client, self.cut_answered, swallow.answered)
            ):
                threading.Thread(
                    target=self._pass, args=(source, target, cut, self.delay, pieces), daemon=True).start()

    @staticmethod
    def _pass(source, target, cut, delay, passing):
        try:
            while piece := passing(source.recv(1 << 16)):
                if delay:
                    time.sleep(delay)
                if cut is not None:
                    piece, cut = piece[:cut], cut - len(piece)
                target.sendall(piece)
                if cut is not None and cut <= 0:
                    break
        except OSError:
            pass
        for end in (source, target):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            end.close()


class Swallow:
    """Lets what a server answers vanish once a client has sent a number of COMMITs."""

    def __init__(self, commits):
        self.commits = commits

    def sent(self, piece):
        if self.commits is not None:
            self.commits -= piece.count(b"COMMIT\0")
        return piece

    def answered(self, piece):
        return piece if self.commits is None or self.commits > 0 else b""
