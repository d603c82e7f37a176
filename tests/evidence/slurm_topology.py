#!/usr/bin/env python3
"""Prints whether two descriptions of Slurm's tree agree: a topology.conf, and what `scontrol show topology` prints or a
topology.yaml. Lists of hosts are expanded by scontrol."""
import subprocess
import sys


def expanded(text):
    shown = subprocess.run(["scontrol", "show", "hostnames", text], capture_output=True, text=True, check=True)
    return sorted(shown.stdout.split())


def of_lines(path):
    tree = {}
    for line in open(path):
        if not line.startswith("SwitchName="):
            continue
        words = dict(word.split("=", 1) for word in line.split())
        kind = "Switches" if "Switches" in words else "Nodes"
        tree[words["SwitchName"]] = (kind, expanded(words[kind]))
    return tree


def of_yaml(path):
    import yaml

    (topology,) = yaml.safe_load(open(path))
    assert topology["topology"] == "trellis" and topology["cluster_default"] is True, topology
    tree = {}
    for one in topology["tree"]["switches"]:
        name = one.pop("switch")
        ((kind, below),) = one.items()
        assert isinstance(name, str) and isinstance(below, str), (name, below)
        tree[name] = ({"children": "Switches", "nodes": "Nodes"}[kind], expanded(below))
    return tree


written = of_lines(sys.argv[1])
other = of_yaml(sys.argv[2]) if sys.argv[2].endswith(".yaml") else of_lines(sys.argv[2])
different = [name for name in written if other.get(name) != written[name]] + [name for name in other if name not in written]
print("NO: " + " ".join(different) if different or not written else "yes")
sys.exit(bool(different))
