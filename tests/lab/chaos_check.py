#!/usr/bin/env python3
"""Checks a round of chaos_lab_test.sh: what `e --json` and a second `e --json hostname` printed, the lines that mw's
master got, and the most milliseconds that all may have taken beyond the time of the commands. Prints what is wrong."""
import collections
import json
import sys

HOSTS = [f"{cluster}{number:02}" for cluster in "ab" for number in range(16)]
COMMAND_MS = 4500
SLACK_MS = 3000  # of a busy machine
COUNTED = ["begun"] + [f"line {number}" for number in range(1, 21)]


def read_session(path):
    """Two times, and for each `e` the lines and the outcomes of each host."""
    times, runs = [], [(collections.defaultdict(list), collections.defaultdict(list)) for _ in range(2)]
    for text in open(path):
        if not text.startswith("{"):
            times.append(int(text))
            continue
        entry = json.loads(text)
        lines, outcomes = runs[len(times) == 2]
        if "line" in entry:
            lines[entry["host"]].append(entry["line"])
        else:
            outcomes[entry["host"]].append(entry["outcome"])
    return times, runs


def check_lines(what, host, got, wanted, survived):
    if survived and got != wanted:
        yield f"{what}: {host} survived, but not all its lines: {got[-3:]} after {len(got)}"
    if not survived and got != wanted[: len(got)]:
        yield f"{what}: {host} is lost, and its lines are not the first ones: {got[-3:]} after {len(got)}"


def check(session, joined_path, most_ms):
    times, ((lines, outcomes), (answers, later)) = read_session(session)
    if len(times) != 2:
        yield f"the session ended early: {times}"
        return
    took = times[1] - times[0]
    if took > most_ms + COMMAND_MS + SLACK_MS:
        yield f"the commands took {took} ms"
    joined = collections.defaultdict(list)
    for text in open(joined_path):
        host, _, rest = text.rstrip("\n").partition(" ")
        joined[host].append(rest)
    worked = [f"word {number}" for number in range(1, 9)] + [str(number) for number in range(1, 201)]
    for host in HOSTS:
        if len(outcomes[host]) != 1 or outcomes[host][0] not in ("succeeded", "lost"):
            yield f"outcomes of {host}: {outcomes[host]}"
        yield from check_lines("e", host, lines[host], COUNTED, outcomes[host] == ["succeeded"])
        there = host in later
        if there and (later[host] != ["succeeded"] or answers[host] != [host]):
            yield f"{host} answers later with {answers[host]}, {later[host]}"
        yield from check_lines("mw", host, joined[host], worked, there)
        if outcomes[host] == ["succeeded"] and not there:
            yield f"{host} survived `e` but does not answer later"
    for host in set(outcomes) | set(joined):
        if host not in HOSTS:
            yield f"a torn line: {host}"


for complaint in check(sys.argv[1], sys.argv[2], int(sys.argv[3])):
    print(complaint)
