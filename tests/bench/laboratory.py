"""An emulated cluster from outside: its program, commands on its hosts, and a session of trellis on the host `ctl`."""
import json
import os
import pathlib
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
BUILD = pathlib.Path(os.environ.get("TRELLIS_BUILD", HERE / "../../build")).resolve()
LAB = HERE / "../lab/lab"


def lab(*words):
    subprocess.run([LAB, *words], check=True, stdin=subprocess.DEVNULL)


def on(host, *command):
    done = subprocess.run([LAB, "exec", host, *command], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    return done.stdout.strip()


class Session:
    """With agents on the hosts; its answers are lines of JSON."""

    def __init__(self, hosts, *options):
        self.hosts = " ".join(hosts)
        self.process = subprocess.Popen([LAB, "exec", "-i", "ctl", BUILD / "bin/trellis", *options],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.explore()

    def explore(self):
        self.ask(f"rmask; explore {self.hosts}; ! echo '{{}}'")

    def ask(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        while True:
            text = self.process.stdout.readline()
            if not text:
                raise SystemExit(f"the session ended at: {line}")
            if text.startswith("{"):
                return json.loads(text)

    def end(self):
        self.process.stdin.close()
        self.process.wait(timeout=60)
