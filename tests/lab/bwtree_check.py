#!/usr/bin/env python3
"""Compares the bandwidths of a tree with what they should be.

Usage: bwtree_check.py BANDWIDTH.json
Reads expectations from standard input, a line each: FROM TO N RATE, where N is the place of a link on the way from one host
to another, from 0, and RATE is in Mbit/s; ">=RATE" where the hosts cannot fill the link. Prints what is more than a tenth off,
and the greatest error of the others on standard error.
"""

import json
import sys

TOLERANCE = 0.1


def way(tree, start, end):
    """The bandwidths from one node to another, in order."""
    steps = {}
    for link in tree["links"]:
        steps.setdefault(link["a"], []).append((link["b"], link["a_to_b"]))
        steps.setdefault(link["b"], []).append((link["a"], link["b_to_a"]))
    waiting, seen = [(start, [])], {start}
    while waiting:
        node, found = waiting.pop()
        if node == end:
            return found
        for following, bandwidth in steps[node]:
            if following not in seen:
                seen.add(following)
                waiting.append((following, found + [bandwidth]))
    return []


def fault(found, rate):
    """What is wrong with a bandwidth, or nothing."""
    mbits = found["bits_per_second"] / 1e6
    text = f"{found['kind']} {mbits:.1f} Mbit/s, not {rate}"
    if rate.startswith(">="):
        right = found["kind"] == "at least" and mbits >= float(rate[2:])
    else:
        right = found["kind"] == "measured" and abs(mbits / float(rate) - 1) <= TOLERANCE
    return "" if right else text


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        tree = json.load(file)
    greatest = 0
    for line in sys.stdin:
        start, end, place, rate = line.split()
        links = way(tree, start, end)
        found = links[int(place)] if int(place) < len(links) else {"kind": "no link", "bits_per_second": 0}
        wrong = fault(found, rate)
        if wrong:
            print(f"{start} to {end}, link {place}: {wrong}")
        elif not rate.startswith(">="):
            greatest = max(greatest, abs(found["bits_per_second"] / 1e6 / float(rate) - 1))
    print(f"the others are at most {100 * greatest:.1f}% off", file=sys.stderr)


if __name__ == "__main__":
    main()
