#!/usr/bin/env python3
"""Times one command on all hosts by trellis and its peers; runs on the host where the user sits.

Usage: shell_bench.py TRELLIS ROUNDS NAME. Prints a markdown report. Every tool uses the same ssh settings; a run counts
only if every host's answer came.
"""
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

KEX = "KexAlgorithms=curve25519-sha256"
COLD_ROUNDS = 5


def known_hosts_of_lab():
    """All hosts but this one, in the order of known_hosts."""
    names = []
    for line in (pathlib.Path.home() / ".ssh/known_hosts").read_text().splitlines():
        name = line.split(" ")[0].split(",")[0]
        if name not in names and name != os.uname().nodename:
            names.append(name)
    return names


HOSTS = known_hosts_of_lab()


def same_settings_for_all():
    config = pathlib.Path.home() / ".ssh/config"
    config.write_text(f"Host *\n  {KEX.replace('=', ' ')}\n")
    config.chmod(0o600)
    os.environ["PDSH_SSH_ARGS_APPEND"] = f"-o {KEX}"


def answers(text, found):
    """How many hosts have answered with their own names, as `found` picks host and line out of a line of output."""
    seen = set()
    for line in text.splitlines():
        host, answer = found(line)
        if host is not None and host == answer:
            seen.add(host)
    return len(seen)


def labelled(line):
    host, _, answer = line.partition(": ")
    return (host, answer) if answer else (None, None)


def taktuk_labelled(line):
    if "output > " not in line:
        return None, None
    return line.split("-")[0], line.split("output > ")[1]


def timed_run(command, found, text=None):
    begin = time.monotonic()
    done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=120,
                          stdin=subprocess.DEVNULL if text is None else None)
    took = time.monotonic() - begin
    count = answers(done.stdout, found)
    if count != len(HOSTS):
        raise SystemExit(f"{command[0]}: {count} of {len(HOSTS)} hosts answered\n{done.stderr[-2000:]}")
    return took


class Session:
    """A tool that stays connected: lines go in, labelled output comes out."""

    def __init__(self, command, found):
        self.found = found
        self.errors = tempfile.TemporaryFile()
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=self.errors)

    def say(self, line):
        self.process.stdin.write((line + "\n").encode())
        self.process.stdin.flush()

    def timed(self, line):
        """Seconds from the line until every host has answered."""
        begin = time.monotonic()
        self.say(line)
        text = b""
        while answers(text.decode(errors="replace"), self.found) < len(HOSTS):
            more = os.read(self.process.stdout.fileno(), 1 << 16)
            if not more:
                raise SystemExit(f"{self.process.args[0]} ended early with status {self.process.wait()}\n"
                                 f"{self.last_words()}")
            text += more
        took = time.monotonic() - begin
        self.drain()
        return took

    def ask(self, line):
        """The one line that is printed in answer to this one."""
        self.say(line)
        text = b""
        while not text.endswith(b"\n"):
            more = os.read(self.process.stdout.fileno(), 1 << 16)
            if not more:
                raise SystemExit(f"{self.process.args[0]} ended early\n{self.last_words()}")
            text += more
        return text.decode()

    def last_words(self):
        self.errors.seek(0)
        return self.errors.read().decode(errors="replace")[-2000:]

    def drain(self):
        """What a tool says behind the answers (statuses) must not be counted with the next round."""
        os.set_blocking(self.process.stdout.fileno(), False)
        quiet_until = time.monotonic() + 0.1
        while time.monotonic() < quiet_until:
            try:
                if os.read(self.process.stdout.fileno(), 1 << 16):
                    quiet_until = time.monotonic() + 0.1
            except BlockingIOError:
                time.sleep(0.01)
        os.set_blocking(self.process.stdout.fileno(), True)

    def end(self, line):
        self.say(line)
        self.process.stdin.close()
        self.process.wait(timeout=60)


def peers():
    hosts = ",".join(HOSTS)
    taktuk = ["taktuk", "-c", f"ssh -o {KEX}"]
    for host in HOSTS:
        taktuk += ["-m", host]
    return {
        "pdsh": (["pdsh", "-R", "ssh", "-f", str(len(HOSTS)), "-w", hosts, "hostname"], labelled),
        "clush": (["clush", "-f", str(len(HOSTS)), "-o", f"-o {KEX}", "-w", hosts, "hostname"], labelled),
        "taktuk": (taktuk + ["broadcast", "exec", "[", "hostname", "]"], taktuk_labelled),
    }


def taktuk_session():
    command = ["taktuk", "-c", f"ssh -o {KEX}"]
    for host in HOSTS:
        command += ["-m", host]
    return Session(command, taktuk_labelled)


def cold_times(trellis, rounds):
    """Seconds of each cold run, tool by tool in turn; and those of trellis's first run, which pushes the agent."""
    session = f"explore {','.join(HOSTS)}\ne hostname\n"
    push = timed_run([trellis], labelled, session)
    times = {"trellis": []}
    for _ in range(rounds):
        times["trellis"].append(timed_run([trellis], labelled, session))
        for name, (command, found) in peers().items():
            times.setdefault(name, []).append(timed_run(command, found))
    return push, times


def warm_times(trellis, rounds):
    session = Session([trellis], labelled)
    session.say(f"explore {','.join(HOSTS)}")
    taktuk = taktuk_session()
    session.timed("e hostname")
    taktuk.timed("broadcast exec [ hostname ]")
    times = {"trellis": [], "taktuk": [], "pdsh": [], "clush": []}
    for _ in range(rounds):
        times["trellis"].append(session.timed("e hostname"))
        times["taktuk"].append(taktuk.timed("broadcast exec [ hostname ]"))
        for name in ("pdsh", "clush"):
            command, found = peers()[name]
            times[name].append(timed_run(command, found))
    session.end("quit")
    taktuk.end("quit")
    return times


def table(times):
    own = statistics.median(times["trellis"])
    print("| tool | median | fastest | slowest | median / trellis's |\n|---|---|---|---|---|")
    for name, values in times.items():
        middle = statistics.median(values)
        print(f"| {name} | {middle * 1000:.0f} ms | {min(values) * 1000:.0f} ms | {max(values) * 1000:.0f} ms "
              f"| {middle / own:.2f} |")


def main():
    trellis, rounds, name = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    same_settings_for_all()
    push, cold = cold_times(trellis, min(rounds, COLD_ROUNDS))
    print(f"# `hostname` on {len(HOSTS)} hosts\n")
    print(f"{time.strftime('%Y-%m-%d', time.gmtime())}, laboratory `{name}`, {os.cpu_count()} processors, "
          f"Linux {os.uname().release}; key exchange curve25519 for all.\n")
    print(f"## Cold: from nothing to every host's answer, {len(cold['trellis'])} runs in turn\n")
    table(cold)
    print(f"\ntrellis with its agent in no host's cache, once: {push * 1000:.0f} ms.\n")
    print(f"## Warm: {rounds} runs in turn\n")
    print("trellis and taktuk in a session that stands; pdsh and clush know none and log in again.\n")
    table(warm_times(trellis, rounds))


if __name__ == "__main__":
    main()
