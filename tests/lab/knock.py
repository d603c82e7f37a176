#!/usr/bin/env python3
"""A stranger: connects to every port that opens on this host besides sshd's, says nonsense, and counts what is answered.

Usage: knock.py SECONDS. Prints "N ports, M connections, K bytes answered".
"""
import os
import socket
import sys
import time

LISTENING = "0A"


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


def knock(place):
    """How many bytes are answered to nonsense within two seconds, or until the connection is closed."""
    answered = 0
    with socket.create_connection(place, timeout=2) as connection:
        connection.sendall(os.urandom(300))
        while more := connection.recv(4096):
            answered += len(more)
    return answered


def main():
    end = time.monotonic() + float(sys.argv[1])
    ports, connections, answered = set(), 0, 0
    while time.monotonic() < end:
        for place in open_ports():
            ports.add(place)
            try:
                connections += 1
                answered += knock(place)
            except OSError:
                pass
        time.sleep(0.002)
    print(f"{len(ports)} ports, {connections} connections, {answered} bytes answered")


if __name__ == "__main__":
    main()
