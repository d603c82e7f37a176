#!/usr/bin/env bash
# What others make of the topologies that we write: a real slurmctld of topology.conf, a reader of YAML of topology.yaml, a
# browser of the page.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$(realpath "${TRELLIS_BUILD:-$here/../../build}")
scratch=$(mktemp -d)
controller=
trap 'if [[ -n $controller ]]; then kill "$controller" 2>/dev/null || true; fi; rm -rf "$scratch"' EXIT
cd "$scratch"

trellis() { "$build/bin/trellis" -c "$*"; }

for size in 64 256; do
    "$build/bin/lab" truth "$here/../lab/files/four_clusters_$size.lab" >"four_clusters_$size.json"
done
"$here/example_topology.py" large 5000 >large_5000.json
"$here/example_topology.py" names >unusual_names.json
"$here/example_topology.py" hostile >hostile_names.json

# A controller of its own: no munge, no slurmd, all hosts at 127.0.0.1, which it never reaches.
configure_slurm() { # TOPOLOGY
    rm -rf state
    mkdir state
    cat >slurm.conf <<TEXT
ClusterName=trellis
SlurmctldHost=localhost(127.0.0.1)
SlurmUser=$(id -un)
SlurmctldPort=16817
SlurmdPort=16818
AuthType=auth/none
CredType=cred/none
MailProg=/bin/true
StateSaveLocation=$scratch/state
SlurmctldPidFile=$scratch/slurmctld.pid
SlurmctldLogFile=$scratch/slurmctld.log
SelectType=select/cons_tres
TopologyPlugin=topology/tree
ProctrackType=proctrack/linuxproc
TEXT
    python3 -c 'import json, sys
for host in json.load(open(sys.argv[1]))["hosts"]: print(f"NodeName={host} NodeAddr=127.0.0.1")' "$1.json" >>slurm.conf
    echo "PartitionName=all Nodes=ALL Default=YES" >>slurm.conf
    cp "$1.conf" topology.conf
}

# Leaves what `scontrol show topology` prints in "shown".
ask_slurm() {
    export SLURM_CONF=$scratch/slurm.conf
    : >shown
    slurmctld -D -f "$SLURM_CONF" >slurmctld.out 2>&1 &
    controller=$!
    for _ in {1..100}; do
        if timeout 5 scontrol show topology >shown 2>/dev/null; then break; fi
        sleep 0.1
    done
    kill "$controller" 2>/dev/null || true
    wait "$controller" || true
    controller=
}

slurm_row() { # TOPOLOGY
    local first again
    trellis "topology draw --slurm-conf $1.json" >"$1.conf"
    trellis "topology draw --slurm-yaml $1.json" >"$1.yaml"
    configure_slurm "$1"
    ask_slurm
    first=$("$here/slurm_topology.py" "$1.conf" shown || true)
    again=$("$here/slurm_topology.py" "$1.conf" "$1.yaml" || true)
    echo "| $1 | $(grep -c '^SwitchName' "$1.conf") | $first | $again |"
}

# A page as the browser has it once it has run, with what PROBE has noted in the attributes of its body.
load_page() { # TOPOLOGY PROBE
    local sandbox=()
    if [[ $EUID -eq 0 ]]; then sandbox=(--no-sandbox); fi
    trellis "topology view $1.json -o $1.html"
    python3 - "$1.html" "$2" <<'TEXT'
import sys
path, probe = sys.argv[1:]
page = open(path).read()
open(path, "w").write(page.replace("</body>", "<script>" + probe + "</script></body>"))
TEXT
    chromium --headless=new "${sandbox[@]}" --disable-gpu --disable-dev-shm-usage --enable-logging=stderr \
        --user-data-dir="$scratch/chromium" --window-size=1500,900 --dump-dom "file://$scratch/$1.html" >"$1.dom" 2>"$1.log"
}

noted() { # TOPOLOGY NAME
    grep -o "<body[^>]*>" "$1.dom" | grep -o "data-$2=\"[^\"]*\"" | cut -d'"' -f2
}

page_row() { # TOPOLOGY
    load_page "$1" '
        const note = document.body.dataset, since = (start) => Math.round(performance.now() - start);
        note.first = since(0);
        note.drawn = world.querySelectorAll(".switch").length;
        let start = performance.now();
        setAll(true);
        note.open = since(start);
        note.switches = world.querySelectorAll(".switch").length;
        start = performance.now();
        for (const one of switches) one.groupOpen = true;
        render();
        fit();
        note.all = since(start);
        note.hosts = world.querySelectorAll(".chip").length;'
    echo "| $1 | $(stat -c %s "$1.html") | $(noted "$1" first) | $(noted "$1" drawn) | $(noted "$1" open) | $(noted "$1" switches) |" \
        "$(noted "$1" all) | $(noted "$1" hosts) | $(grep -c CONSOLE "$1.log" || true) |"
}

hostile_row() {
    load_page hostile_names '
        setAll(true);
        for (const one of switches) one.groupOpen = true;
        render();
        const note = document.body.dataset;
        note.hosts = world.querySelectorAll(".chip").length;
        note.foreign = document.querySelectorAll("img, b, script:not(#data)").length - 2;
        note.ran = window.ran ?? "nothing";'
    echo "$(noted hostile_names hosts) hosts drawn, $(noted hostile_names foreign) elements that a name made," \
        "$(noted hostile_names ran) that a name ran, $(grep -c CONSOLE hostile_names.log || true) messages on the console."
}

cat <<TEXT
# Topologies, as others read them

$(date -u +%F), by tests/evidence/topology.sh. four_clusters_*: the laboratory's own; large_5000: 5,000 hosts in 10 clusters of
racks, doubtful links and a mesh among them.

## Slurm

$(slurmctld -V), started in a directory of its own with the topology.conf that we wrote; \`scontrol show topology\` has to show
every switch with the same hosts or switches below. topology.yaml, which needs Slurm 25.05, is only parsed (python3-yaml) and
compared with topology.conf. unusual_names has those at the border of what we let pass: 64 characters, digits only, several numbers.

| topology | switches | slurmctld has the same | topology.yaml says the same |
|---|---|---|---|
TEXT
for topology in four_clusters_64 four_clusters_256 large_5000 unusual_names; do
    slurm_row "$topology"
done
cat <<TEXT

## The page

$(chromium --version 2>/dev/null), headless, $(nproc) processors. First: milliseconds from the start of loading to the tree as it is first
shown; all switches open; all groups of hosts open, too, which nobody needs.

| topology | bytes | first, ms | switches drawn | all switches, ms | switches drawn | all hosts, ms | hosts drawn | messages on the console |
|---|---|---|---|---|---|---|---|---|
TEXT
for topology in four_clusters_64 four_clusters_256 large_5000; do
    page_row "$topology"
done
echo
echo "Hosts and switches named like markup and script: $(hostile_row)"
