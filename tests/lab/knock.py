#!/usr/bin/env python3
"""A stranger: connects to every port that opens on this host besides sshd's, says nonsense or nothing, and counts
what is answered.

Usage: knock.py SECONDS. Prints "begun", and in the end "N ports, M connections, K bytes answered, closed within T ms"; T
is that of the connection that stayed open longest.
"""
import os
import socket
import sys
import threading
import time

LISTENING = "0A"
PATIENCE = 3  # seconds, with each connection


class Tally:
    """What all connections have met; each adds to it when it ends."""

    def __init__(self):
        self.lock = threading.Lock()
        self.ports, self.connections, self.answered, self.longest = set(), 0, 0, 0.0

    def add(self, place, answered, seconds):
        """One connection has ended."""
        with self.lock:
            self.ports.add(place)
            self.connections += 1
            self.answered += answered
            self.longest = max(self.longest, seconds)


def open_ports():
    """Address and port of every IPv4 socket that listens, but sshd's."""
    found = set()
    with open("/proc/net/tcp", encoding="ascii") as table:
        for line in table.readlines()[1:]:
            fields = line.split()
            address, port = fields[1].split(":")
            if fields[3] == LISTENING and int(port, 16) != 22:
                found.add((socket.inet_ntoa(bytes.fromhex(address)[::-1]), int(port, 16)))
    return found


def knock(place, words, tally):
    """Connects, says the words and waits for the other side to close."""
    answered, begin = 0, time.monotonic()
    try:
        with socket.create_connection(place, timeout=PATIENCE) as connection:
            connection.sendall(words)
            while more := connection.recv(4096):
                answered += len(more)
    except OSError:
        pass  # closed at once, or never
    tally.add(place, answered, time.monotonic() - begin)


def main():
    """Knocks at each port twice whenever it is seen, every 50 ms."""
    end = time.monotonic() + float(sys.argv[1])
    tally, visits = Tally(), []
    print("begun", flush=True)
    while time.monotonic() < end:
        for place in open_ports():
            for words in (os.urandom(300), b""):
                visits.append(threading.Thread(target=knock, args=(place, words, tally)))
                visits[-1].start()
        time.sleep(0.05)
    for visit in visits:
        visit.join()
    print(f"{len(tally.ports)} ports, {tally.connections} connections, {tally.answered} bytes answered, "
          f"closed within {tally.longest * 1000:.0f} ms")


if __name__ == "__main__":
    main()
