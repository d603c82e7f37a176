#!/usr/bin/env python3
"""Prints a topology to try formats with: large HOSTS | names | hostile."""
import json
import random
import sys


class Tree:
    def __init__(self):
        self.value = {"format": "trellis-topology", "version": 1, "hosts": [], "switches": [], "links": []}

    def add(self, kind, name, above, delay, confidence=1, error=0):
        self.value[kind].append(name)
        if above is None:
            return
        link = {"a": above, "b": name, "delay_us": round(delay, 3)}
        if confidence < 1:
            link["confidence"] = confidence
        if error:
            link["standard_error_us"] = error
        self.value["links"].append(link)


def large(count):
    tree, draw = Tree(), random.Random(1)
    tree.add("switches", "core", None, 0)
    clusters = max(2, count // 500)
    racks = max(2, count // clusters // 40)
    for number in range(count):
        cluster, rack = number * clusters // count, number * clusters * racks // count
        cluster_name, rack_name = f"cluster{cluster + 1}", f"rack{rack + 1:03}"
        if cluster_name not in tree.value["switches"]:
            tree.add("switches", cluster_name, "core", draw.choice([200, 900, 5000]) * draw.uniform(0.9, 1.1), 1, 12.5)
        if rack_name not in tree.value["switches"]:
            tree.add("switches", rack_name, cluster_name, draw.uniform(20, 120), draw.choice([1, 1, 0.99, 0.7]), 1.2)
        tree.add("hosts", f"n{number:04}", rack_name, draw.uniform(8, 40), draw.choice([1] * 30 + [0.6]))
    tree.value["meshes"] = ["cluster2"]
    return tree.value


def flat(hosts, switches):
    tree = Tree()
    tree.add("switches", switches[0], None, 0)
    for name in switches[1:]:
        tree.add("switches", name, switches[0], 100)
    for number, name in enumerate(hosts):
        tree.add("hosts", name, switches[number % len(switches)], 10)
    return tree.value


def names():
    several = [f"r{rack}n{node:02}" for rack in (1, 2) for node in range(4)]
    return flat([*several, "007", "8", "-a", "a-", "_b", "x-1.example.org", "h" * 64, "A1", "n123456789012345678"],
                ["on", "1e3", "s" * 58])


def hostile():
    bad = ["</script><script>ran='a script'</script>", "<!--<script>", "<img src=x onerror=\"ran='an image'\">",
           "\"'><b>&amp;", "{{data}}", "${ran='a template'}", "\u2028\u202e", "]]>"]
    return flat([*bad, *(f"plain{number}" for number in range(3))], ["</title><img src=x onerror=\"ran='a title'\">", "'\"`\\"])


kinds = {"large": lambda: large(int(sys.argv[2])), "names": names, "hostile": hostile}
print(json.dumps(kinds[sys.argv[1]]()))
