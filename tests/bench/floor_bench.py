#!/usr/bin/env python3
"""What `e` costs beside the bare processes; runs on the host where the user sits.

Usage: floor_bench.py TRELLIS ROUNDS NAME. Prints a markdown report.
"""
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


def median_ms(times):
    return f"{statistics.median(times) * 1000:.1f} ms"


def main():
    trellis, rounds, name = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    session = Session([trellis], labelled)
    session.say(f"explore {','.join(HOSTS)}")
    session.timed("e hostname")
    commands = {"two processes": "echo $(cat /etc/hostname)", "one process": "exec hostname"}
    print(f"# The floor under a warm command on {len(HOSTS)} hosts\n")
    print(f"{time.strftime('%Y-%m-%d', time.gmtime())}, laboratory `{name}`, {os.cpu_count()} processors, "
          f"medians of {rounds} runs.\n")
    print("| command | its processes alone, on this machine | by trellis, through the tree |\n|---|---|---|")
    for label, command in commands.items():
        alone = [direct(command) for _ in range(rounds)]
        through = [session.timed(f"e '{command}'") for _ in range(rounds)]
        print(f"| {label} | {median_ms(alone)} | {median_ms(through)} |")
    session.end("quit")


if __name__ == "__main__":
    main()
