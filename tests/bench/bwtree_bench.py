#!/usr/bin/env python3
"""bwtree beside the rates of a laboratory's links and beside iperf3, in a laboratory that is up.

Usage: bwtree_bench.py LAB TRELLIS LAB_FILE PAIRS ROUNDS. Prints a markdown report. Rates are those of Ethernet frames, in
Mbit/s.
"""
import json
import os
import random
import re
import statistics
import subprocess
import sys
import time

FRAME = 1538 / 1448  # bytes on the wire for each one that iperf3 counts
UNITS = {"kbit": 1e-3, "mbit": 1, "gbit": 1e3}
TOLERANCE = 0.1


def rate_of(text):
    number, unit = re.fullmatch(r"([\d.]+)([kmg]bit)", text).groups()
    return float(number) * UNITS[unit]


class Truth:
    """The tree of a lab file: each node's parent, and its rates to it and from it."""

    def __init__(self, path):
        self.parent, self.up, self.down, self.hosts = {}, {}, {}, []
        with open(path, encoding="utf-8") as file:
            for line in file:
                self.read(line.split("#")[0].split())

    def read(self, words):
        if not words or words[0] not in ("switch", "hosts") or len(words) < 3:
            return
        names = [words[1]]
        if words[0] == "hosts":
            names = [words[1] % number for number in range(int(words[2]), int(words[3]) + 1)]
            self.hosts += names
        options = dict(word.split("=") for word in words if "=" in word)
        for name in names:
            self.parent[name] = words[4 if words[0] == "hosts" else 2]
            self.up[name] = rate_of(options["rate"])
            self.down[name] = rate_of(options.get("down", options["rate"]))

    def below(self, node):
        return frozenset(host for host in self.hosts if node in self.way_up(host))

    def way_up(self, node):
        way = [node]
        while way[-1] in self.parent:
            way.append(self.parent[way[-1]])
        return way

    def supply(self, node, upwards):
        """What the hosts below a node could bring over its link to its parent, whatever that carries."""
        rates = self.up if upwards else self.down
        if node in self.hosts:
            return float("inf")
        children = [child for child, parent in self.parent.items() if parent == node]
        return sum(min(rates[child], self.supply(child, upwards)) for child in children)

    def beyond(self, node, upwards):
        """What the others could take of that, or bring the other way."""
        parent = self.parent[node]
        rates = self.down if upwards else self.up
        siblings = [child for child, over in self.parent.items() if over == parent and child != node]
        rest = sum(min(rates[child], self.supply(child, not upwards)) for child in siblings)
        if parent in self.parent:
            own = self.up if upwards else self.down
            rest += min(own[parent], self.beyond(parent, upwards))
        return rest

    def at_hand(self, node, upwards):
        return min(self.supply(node, upwards), self.beyond(node, upwards))


def directions(tree):
    """The figures of a bandwidth tree, by the hosts from which a link leads away."""
    near = {}
    for link in tree["links"]:
        near.setdefault(link["a"], []).append(link["b"])
        near.setdefault(link["b"], []).append(link["a"])

    def behind(start, without):
        seen, waiting = {start, without}, [start]
        while waiting:
            for node in near[waiting.pop()]:
                if node not in seen:
                    seen.add(node)
                    waiting.append(node)
        return frozenset((seen - {without}) & set(tree["topology"]["hosts"]))

    found = {}
    for link in tree["links"]:
        found[behind(link["a"], link["b"])] = link["a_to_b"]
        found[behind(link["b"], link["a"])] = link["b_to_a"]
    return found


def off(figure, rate):
    return figure["bits_per_second"] / 1e6 / rate - 1


def link_errors(truth, tree):
    """Of each direction of each link that the hosts can fill; 1 for what is not measured."""
    errors, everyone, found = [], frozenset(truth.hosts), directions(tree)
    for node in truth.parent:
        for upwards in (True, False):
            hosts = truth.below(node) if upwards else everyone - truth.below(node)
            rate = (truth.up if upwards else truth.down)[node]
            figure = found.get(hosts, {"kind": "no such link"})
            if truth.at_hand(node, upwards) >= rate:
                errors.append(abs(off(figure, rate)) if figure["kind"] == "measured" else 1)
    return errors


def link_table(truth, default, published):
    """Prints a row for each link between switches and for each sort of host."""
    everyone = frozenset(truth.hosts)
    print("| link | towards | rate | the hosts have at hand | bwtree | off | published method | off |")
    print("|---|---|---|---|---|---|---|---|")
    worst = {}  # by what a row is about
    for node, parent in truth.parent.items():
        for upwards in (True, False):
            hosts = truth.below(node) if upwards else everyone - truth.below(node)
            rate = (truth.up if upwards else truth.down)[node]
            hand = truth.at_hand(node, upwards)
            pair = [trees.get(hosts, {"kind": "no such link", "bits_per_second": 0}) for trees in (default, published)]
            name = f"{node}" if node not in truth.hosts else f"each host at {parent}, the worst"
            key = (name, parent if upwards else "hosts")
            score = abs(off(pair[0], rate))
            if key not in worst or score > worst[key][0]:
                worst[key] = (score, rate, hand, pair)
    for (name, towards), (_, rate, hand, pair) in worst.items():
        hand_text = "more" if hand == float("inf") else f"{hand:.0f}"
        cells = [f"{figure_text(figure)} | {100 * off(figure, rate):+.1f}%" for figure in pair]
        print(f"| {name} | {towards} | {rate:.0f} | {hand_text} | {cells[0]} | {cells[1]} |")


def figure_text(figure):
    mbits = figure["bits_per_second"] / 1e6
    if figure["kind"] == "measured":
        return f"{mbits:.1f} ± {figure['standard_error'] / 1e6:.1f}"
    return f"{figure['kind']} {mbits:.1f}"


class Laboratory:
    def __init__(self, lab, trellis, truth):
        self.lab, self.trellis, self.truth = lab, trellis, truth

    def on(self, host, *command, **options):
        return subprocess.run([self.lab, "exec", "-i", host, *command], check=True, text=True, **options)

    def measure(self, rounds):
        """By the default method so many times, then by the published one: the trees, and what was said of each."""
        script = f"explore {' '.join(self.truth.hosts)}; infer\n"
        methods = ["default"] * rounds + ["published"]
        for place, method in enumerate(methods):
            script += f"bwtree --method {method}\nshow bandwidth --json > /tmp/{place}.json\n"
        said = self.on("ctl", self.trellis, input=script, capture_output=True).stderr
        print(said, file=sys.stderr)
        summaries = [line for line in said.splitlines() if " directions of links in " in line]
        trees = [json.loads(self.on("ctl", "cat", f"/tmp/{place}.json", capture_output=True).stdout)
                 for place in range(len(methods))]
        return trees, summaries

    def iperf3(self, sender, receiver):
        """Mbit/s of frames that one flow reaches in two seconds, after half a second."""
        server = subprocess.Popen([self.lab, "exec", receiver, "iperf3", "-s", "-1"], stdout=subprocess.DEVNULL)
        try:
            for _ in range(20):
                time.sleep(0.1)
                client = subprocess.run([self.lab, "exec", sender, "iperf3", "-c", receiver, "-t", "2", "-O", "0.5", "-J"],
                                        capture_output=True, text=True, check=False)
                result = json.loads(client.stdout)
                if "error" not in result:
                    return result["end"]["sum_received"]["bits_per_second"] / 1e6 * FRAME
        finally:
            server.wait(timeout=10)
        raise RuntimeError(f"iperf3 from {sender} to {receiver}: {result['error']}")


def way(tree, start, end):
    """The least figure between two hosts."""
    near = {}
    for link in tree["links"]:
        near.setdefault(link["a"], []).append((link["b"], link["a_to_b"]))
        near.setdefault(link["b"], []).append((link["a"], link["b_to_a"]))
    waiting, seen = [(start, [])], {start}
    while waiting:
        node, found = waiting.pop()
        if node == end:
            return min(figure["bits_per_second"] for figure in found) / 1e6
        for following, figure in near[node]:
            if following not in seen:
                seen.add(following)
                waiting.append((following, found + [figure]))
    return 0


def pair_table(laboratory, tree, count):
    print("\n| from | to | bwtree | iperf3 | off |\n|---|---|---|---|---|")
    choice, errors = random.Random(1), []
    for _ in range(count):
        sender, receiver = choice.sample(laboratory.truth.hosts, 2)
        ours, theirs = way(tree, sender, receiver), laboratory.iperf3(sender, receiver)
        errors.append(abs(ours / theirs - 1))
        print(f"| {sender} | {receiver} | {ours:.1f} | {theirs:.1f} | {100 * (ours / theirs - 1):+.1f}% |")
    return errors


def summary(errors):
    within = sum(error <= TOLERANCE for error in errors)
    median, worst = 100 * statistics.median(errors), 100 * max(errors)
    return f"{within} of {len(errors)} within 10%, median {median:.1f}%, worst {worst:.1f}% off"


def main():
    lab, trellis, path, pairs, rounds = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]), int(sys.argv[5])
    truth = Truth(path)
    laboratory = Laboratory(lab, trellis, truth)
    trees, summaries = laboratory.measure(rounds)
    print(f"# The bandwidth of every link of `{os.path.basename(path)}`\n")
    print(f"{time.strftime('%Y-%m-%d', time.gmtime())}, {len(truth.hosts)} emulated hosts, {os.cpu_count()} processors. "
          "Mbit/s of Ethernet frames, each direction by itself.\n")
    print(f"bwtree {rounds} times one after the other, then its published method; the tables are of the last of these. What is\n"
          "said not to be measured, or to be at least a rate, counts as 100% off where the hosts can fill the link.\n")
    link_table(truth, directions(trees[-2]), directions(trees[-1]))
    print("\n## Between hosts, beside one flow of iperf3")
    pair_errors = pair_table(laboratory, trees[-2], pairs)
    print("\n## In short\n")
    for place, tree in enumerate(trees):
        name = f"bwtree, round {place + 1}" if place < rounds else "published method"
        print(f"- {name}: links that the hosts can fill: {summary(link_errors(truth, tree))}; {summaries[place]}")
    print(f"- bwtree beside iperf3: pairs: {summary(pair_errors)}")


if __name__ == "__main__":
    main()
