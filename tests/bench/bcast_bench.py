#!/usr/bin/env python3
"""Times one file to all hosts by trellis and its peers; runs on the host where the user sits.

Usage: bcast_bench.py TRELLIS MEGABYTES NAME [TOOL...]. Prints a markdown report. A run counts only if every host has the
exact bytes. Of trellis's peers only taktuk, clush and scp log in and encrypt.
"""
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import time

from memory_in_use import MemoryInUse
from shell_bench import HOSTS, KEX, Session, labelled, same_settings_for_all

SOURCE = "/tmp/big"
TARGET = "/tmp/got/big"
CHUNK = 1 << 20
PATIENCE = 1800


def on_all(command):
    """The command's output on all hosts, by host; its status is 0 everywhere."""
    done = subprocess.run(["clush", "-S", "-f", "64", "-w", ",".join(HOSTS), command], capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, timeout=PATIENCE)
    if done.returncode != 0:
        raise SystemExit(f"{command}: {(done.stdout + done.stderr)[-2000:]}")
    return dict(pair for pair in map(labelled, done.stdout.splitlines()) if pair[0])


def make_source(megabytes):
    digest = hashlib.sha256()
    with open(SOURCE, "wb") as file:
        for _ in range(megabytes):
            block = os.urandom(1000000)
            digest.update(block)
            file.write(block)
    return digest.hexdigest()


def finished(command, **options):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE, **options)
    if done.returncode != 0:
        raise SystemExit(f"{command[0]}: status {done.returncode}\n{(done.stdout + done.stderr)[-2000:]}")
    return done


class Trellis:
    """A session that stands; the file goes in the order that is asked for."""

    def __init__(self, program):
        self.session = Session([program], labelled)
        self.session.say(f"explore {','.join(HOSTS)}")
        self.session.timed("e hostname")
        self.session.ask("infer --json")
        self.seconds = 0
        self.knows_rates = False

    def send(self, order, options=""):
        before = agents_seconds()
        begin = time.monotonic()
        self.session.ask(f"bcast --json {options} --order {order} {SOURCE} /tmp/got/")
        took = time.monotonic() - begin
        self.seconds = agents_seconds() - before
        return took

    def send_evenly(self, options=""):
        if not self.knows_rates:
            self.session.ask("bwtree --json")
            self.knows_rates = True
        return self.send("tree", options)


def trellis_from_nothing(program):
    lines = f"explore {','.join(HOSTS)}\nbcast --order name {SOURCE} /tmp/got/\n"
    done = subprocess.run([program], input=lines, capture_output=True, text=True, timeout=PATIENCE)
    if done.returncode != 0:
        raise SystemExit(f"trellis: {done.stderr[-2000:]}")


def udpcast(bits):
    def send():
        on_all("nohup udp-receiver --interface net0 --nokbd --mcast-rdv-address 239.1.1.1 "
               f"--file {TARGET} >/tmp/udpcast.log 2>&1 &")
        time.sleep(1)
        begin = time.monotonic()
        finished(["udp-sender", "--interface", "net0", "--nokbd", "--full-duplex", "--file", SOURCE, "--min-receivers",
                  str(len(HOSTS)), "--max-bitrate", str(int(bits * 0.95)), "--mcast-rdv-address", "239.1.1.1",
                  "--mcast-data-address", "239.1.1.2"])
        on_all("while pgrep -x udp-receiver >/dev/null; do sleep 0.1; done")
        return time.monotonic() - begin
    return send


def uftp(bits):
    def send():
        on_all("nohup uftpd -d -I net0 -D /tmp/got -M 239.1.1.1 >/tmp/uftp.log 2>&1 & sleep 1")
        begin = time.monotonic()
        finished(["uftp", "-I", "net0", "-M", "239.1.1.1", "-P", "239.1.1.2", "-B", "4000000", "-R",
                  str(int(bits * 0.95 / 1000)), SOURCE])
        took = time.monotonic() - begin
        on_all("pkill -x uftpd; while pgrep -x uftpd >/dev/null; do sleep 0.1; done")
        return took
    return send


def taktuk():
    command = ["taktuk", "-c", f"ssh -o {KEX}"]
    for host in HOSTS:
        command += ["-m", host]
    finished(command + ["broadcast", "put", "[", SOURCE, "]", "[", TARGET, "]"])


def clush():
    finished(["clush", "-f", str(len(HOSTS)), "-o", f"-o {KEX}", "-w", ",".join(HOSTS), "--copy", SOURCE, "--dest", TARGET])


def scp():
    running = [subprocess.Popen(["scp", "-q", "-o", KEX, SOURCE, f"{host}:{TARGET}"], stdin=subprocess.DEVNULL)
               for host in HOSTS]
    if any([each.wait(timeout=PATIENCE) for each in running]):
        raise SystemExit("scp: a copy has failed")


def bencode(value):
    if isinstance(value, int):
        return b"i%de" % value
    if isinstance(value, bytes):
        return b"%d:%s" % (len(value), value)
    return b"d" + b"".join(bencode(key) + bencode(value[key]) for key in sorted(value)) + b"e"


def torrent():
    pieces = b""
    with open(SOURCE, "rb") as file:
        while block := file.read(CHUNK):
            pieces += hashlib.sha1(block).digest()
    info = {b"length": os.path.getsize(SOURCE), b"name": b"big", b"piece length": CHUNK, b"pieces": pieces}
    return bencode({b"info": info})


def aria2():
    """Peers find one another by local discovery over multicast."""
    path = pathlib.Path("/tmp/big.torrent")
    path.write_bytes(torrent())
    finished(["clush", "-f", "64", "-w", ",".join(HOSTS), "--copy", str(path), "--dest", str(path)])
    options = ("--enable-dht=false --enable-dht6=false --bt-enable-lpd=true --bt-lpd-interface=net0 --seed-ratio=0 --quiet "
               "--file-allocation=none --bt-max-peers=64 --disable-ipv6=true --check-certificate=false")
    seed = subprocess.Popen(["aria2c", *options.split(), "--check-integrity=true", "--dir=/tmp", str(path)])
    time.sleep(2)
    begin = time.monotonic()
    on_all("rm -f /tmp/aria2.done; printf '#!/bin/sh\\n: > /tmp/aria2.done\\n' >/tmp/aria2.hook; chmod 755 /tmp/aria2.hook; "
           f"nohup aria2c {options} --on-bt-download-complete=/tmp/aria2.hook --dir=/tmp/got {path} "
           ">/tmp/aria2.log 2>&1 & until [ -e /tmp/aria2.done ]; do sleep 0.1; done")
    took = time.monotonic() - begin
    on_all("pkill -x aria2c; while pgrep -x aria2c >/dev/null; do sleep 0.1; done; rm -f /tmp/aria2.done")
    seed.terminate()
    seed.wait()
    return took


def agents_seconds():
    """Processor time that the agents have had so far, summed over all hosts."""
    ticks = on_all("cat $(pgrep -f '[a]gentd-' | sed 's#.*#/proc/&/stat#') | awk '{ sum += $14 + $15 } END { print sum }'")
    return sum(float(value) for value in ticks.values()) / os.sysconf("SC_CLK_TCK")


def relay_floor(program):
    """Seconds for each GB that is opened, sealed, hashed and written."""
    lines = finished([os.path.join(os.path.dirname(program), "relay_bench")]).stdout.splitlines()
    return next(float(line.split()[1]) for line in lines if line.startswith("all"))


def iperf3():
    """Bits a second of one flow alone to the last host; the best of three."""
    host = HOSTS[-1]
    rates = []
    for _ in range(3):
        finished(["ssh", host, "iperf3 -s -1 -D"])
        time.sleep(0.5)
        done = finished(["iperf3", "-c", host, "-n", "128M", "-J"])
        rates.append(json.loads(done.stdout)["end"]["sum_received"]["bits_per_second"])
    return max(rates)


def flows_at_once():
    """Bits a second of flows from each host to the next one by name, all at the same time; the slowest first."""
    on_all("iperf3 -s -1 -D")
    time.sleep(0.5)
    flows = [subprocess.Popen(["iperf3", "-c", HOSTS[0], "-t", "5", "-J"], stdout=subprocess.PIPE)]
    for host, following in zip(HOSTS, HOSTS[1:]):
        flows.append(subprocess.Popen(["ssh", host, f"iperf3 -c {following} -t 5 -J"], stdout=subprocess.PIPE))
    return sorted(json.loads(flow.communicate(timeout=60)[0])["end"]["sum_received"]["bits_per_second"] for flow in flows)


def measured(send, digest):
    """Seconds of one run from the first byte asked for to the last host's last byte, or what went wrong."""
    on_all("rm -rf /tmp/got; mkdir /tmp/got")
    with MemoryInUse():
        begin = time.monotonic()
        took = send()
        if took is None:
            took = time.monotonic() - begin
    sums = on_all(f"sha256sum {TARGET}")
    wrong = [host for host in HOSTS if not sums.get(host, "").startswith(digest)]
    on_all("rm -rf /tmp/got")
    if wrong:
        raise SystemExit(f"not the same bytes on {','.join(wrong)}")
    return took


def main():
    program, megabytes, name = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    chosen = sys.argv[4:]
    same_settings_for_all()
    digest = make_source(megabytes)
    on_all("ip route replace 224.0.0.0/4 dev net0")
    subprocess.run(["ip", "route", "replace", "224.0.0.0/4", "dev", "net0"], check=True)
    floor = iperf3()
    hops = flows_at_once()
    trellis = Trellis(program)
    tools = {
        "trellis, order of the tree": lambda: trellis.send("tree"),
        "trellis, order of the tree, --plain": lambda: trellis.send("tree", "--plain"),
        "trellis, by name": lambda: trellis.send("name"),
        "trellis, random order": lambda: trellis.send("random"),
        "trellis, order of the tree, after `bwtree`": trellis.send_evenly,
        "trellis, order of the tree, after `bwtree`, --plain": lambda: trellis.send_evenly("--plain"),
        "trellis, by name, with `explore`": lambda: trellis_from_nothing(program),
        "udpcast (multicast)": udpcast(floor),
        "uftp (multicast)": uftp(floor),
        "aria2 (BitTorrent)": aria2,
        "taktuk put": taktuk,
        "clush --copy": clush,
        "scp, all at once": scp,
    }
    print(f"# {megabytes} MB to {len(HOSTS)} hosts\n")
    print(f"{time.strftime('%Y-%m-%d', time.gmtime())}, laboratory `{name}`, {os.cpu_count()} processors, Linux "
          f"{os.uname().release}; one run each. One iperf3 flow alone to {HOSTS[-1]}: {floor / 1e6:.1f} Mbit/s; as many as hosts at "
          f"once, from each host to the next one: {hops[0] / 1e6:.1f} the slowest, {hops[len(hops) // 2] / 1e6:.1f} the median.\n")
    print("| tool | seconds | Mbit/s to each host | of the iperf3 flow | time / trellis's |\n|---|---|---|---|---|")
    own = None
    cpu = {}
    for tool, send in tools.items():
        if chosen and not any(tool.startswith(each) for each in chosen):
            continue
        took = measured(send, digest)
        own = own or took
        bits = megabytes * 8e6 / took
        if tool.startswith("trellis, order"):
            cpu[tool] = trellis.seconds * 1000 / megabytes / len(HOSTS)
        print(f"| {tool} | {took:.2f} | {bits / 1e6:.1f} | {100 * bits / floor:.1f}% | {took / own:.2f} |", flush=True)
    if cpu:
        floor = relay_floor(program)
        print("\nProcessor time of an agent for each GB, sockets and all; opening, sealing, hashing and writing it take "
              f"{floor:.2f} s at the least:")
        for tool, seconds in cpu.items():
            print(f"- {tool}: {seconds:.2f} s")


if __name__ == "__main__":
    main()
