#!/usr/bin/env python3
"""Checks a round of bcast_chaos_lab_test.sh. Prints what is wrong.

Usage: bcast_chaos_check.py REPORT FILES DIGEST MOST_SECONDS [HOST...]. REPORT: what `bcast --json` printed. FILES: lines
"HOST DIGEST-OF-THE-FILE-OR-absent PARTS". The HOSTs need not have it: they were killed or away for longer than a lease.
"""
import json
import sys


def check(report_path, files_path, digest, most_seconds, excused):
    objects = [line for line in open(report_path) if line.startswith('{"bytes"')]
    if len(objects) != 1:
        yield f"{len(objects)} reports"
        return
    report = json.loads(objects[0])
    has = {host["host"]: host["has"] for host in report["hosts"]}
    if report["seconds"] > most_seconds:
        yield f"it took {report['seconds']} s"
    for line in open(files_path):
        host, found, parts = line.split()
        if host not in has:
            continue
        if found not in ("absent", digest):
            yield f"{host}: other bytes under the final name"
        if has[host] and found != digest:
            yield f"{host} is said to have it"
        if not has[host] and host not in excused:
            yield f"{host} has it not"
        if parts != "0" and host not in excused:
            yield f"{host} keeps {parts} parts"


for complaint in check(sys.argv[1], sys.argv[2], sys.argv[3], float(sys.argv[4]), set(sys.argv[5:])):
    print(complaint)
