"""As much of the package websockets (sync.client.connect, exceptions.ConnectionClosed) as the program of docs/stream_clients.md uses, from the standard library."""

import base64
import os
import socket
import struct
from urllib.parse import urlparse

from websockets.exceptions import ConnectionClosed


class connect:
    def __init__(self, url):
        address = urlparse(url)
        self.sock = socket.create_connection((address.hostname, address.port))
        key = base64.b64encode(os.urandom(16)).decode()
        self.sock.sendall(
            f"GET {address.path} HTTP/1.1\r\nHost: {address.netloc}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
        )
        self.stream = self.sock.makefile("rb")
        while self.stream.readline() not in (b"\r\n", b""):
            pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.sock.close()

    def send(self, text, opcode=1):
        body = text.encode() if isinstance(text, str) else text
        length = len(body)
        head = struct.pack("!BB", 0x80 | opcode, 0x80 | length) if length < 126 else struct.pack("!BBH", 0x80 | opcode, 0x80 | 126, length)
        self.sock.sendall(head + b"\0\0\0\0" + body)

    def __iter__(self):
        text = b""
        while True:
            head = self.stream.read(2)
            if len(head) < 2:
                raise ConnectionClosed(None)
            first, length = head[0], head[1] & 127
            if length == 126:
                (length,) = struct.unpack("!H", self.stream.read(2))
            elif length == 127:
                (length,) = struct.unpack("!Q", self.stream.read(8))
            body = self.stream.read(length)
            if first & 15 == 8:
                self.send(body, 8)
                raise ConnectionClosed(struct.unpack("!H", body[:2])[0])
            if first & 15 == 9:
                self.send(body, 10)
                continue
            text += body
            if first & 128:
                yield text.decode()
                text = b""
