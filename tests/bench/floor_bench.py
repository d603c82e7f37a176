#!/usr/bin/env python3
"""What `e` costs beside the bare processes and one round trip of the tree; runs on the host where the user sits.

Usage: floor_bench.py TRELLIS ROUNDS NAME. Prints a markdown report.
"""
import json
import os
import statistics
import subprocess
import sys
import time

from shell_bench import HOSTS, Session, labelled


def direct(command):
    """Seconds for as many shells as there are hosts, all started at once by one small shell on this machine."""
    loop = f"for host in {' '.join(HOSTS)}; do /bin/sh -c '{command}' & done; wait"
    begin = time.monotonic()
    subprocess.run(["/bin/sh", "-c", loop], stdout=subprocess.DEVNULL, check=True)
    return time.monotonic() - begin


def outcome(line):
    """A host that `e --json` tells the outcome of, as Session counts them."""
    try:
        value = json.loads(line)
    except ValueError:
        return None, None
    return (value["host"], value["host"]) if "outcome" in value else (None, None)


PINGS, FIRST_PINGS = 100, 10


def tree_round_trips(session):
    """Seconds until the slowest of all agents has answered `ping`, each time; not the first times, which are slower."""
    taken = [json.loads(session.ask("ping --json"))["max_ms"] / 1000 for _ in range(FIRST_PINGS + PINGS)]
    return sorted(taken[FIRST_PINGS:])


def milliseconds(seconds):
    return f"{seconds * 1000:.1f} ms"


def main():
    trellis, rounds, name = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    session = Session([trellis], labelled)
    session.say(f"explore {','.join(HOSTS)}")
    session.timed("e hostname")
    print(f"# The floor under a warm command on {len(HOSTS)} hosts\n")
    print(f"{time.strftime('%Y-%m-%d', time.gmtime())}, laboratory `{name}`, {os.cpu_count()} processors, "
          f"medians of {rounds} runs.\n")
    trips = tree_round_trips(session)
    trip = statistics.median(trips)
    print(f"`ping` of all agents, {PINGS} times after the first {FIRST_PINGS}: median {milliseconds(trip)}, half of them "
          f"from {milliseconds(trips[PINGS // 4])} to {milliseconds(trips[3 * PINGS // 4])}.\n")
    session.found = outcome
    print("| command | its processes alone, on this machine | one round trip of the tree (ping) | floor: the sum "
          "| by trellis, through the tree | of the floor |\n|---|---|---|---|---|---|")
    for command in ("true", "exec hostname", "echo $(cat /etc/hostname)"):
        alone, through = [], []
        for _ in range(rounds):
            alone.append(direct(command))
            through.append(session.timed(f"e --json '{command}'"))
        processes, taken = statistics.median(alone), statistics.median(through)
        print(f"| `{command}` | {milliseconds(processes)} | {milliseconds(trip)} | {milliseconds(processes + trip)} "
              f"| {milliseconds(taken)} | {taken / (processes + trip):.2f} |")
    session.end("quit")


if __name__ == "__main__":
    main()
