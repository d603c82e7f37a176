#!/usr/bin/env bash
# rankmap's files, read by the launchers of Open MPI 4, MPICH and Slurm: each rank says on which host it runs. Its name
# from the launcher is enough for that, so that no MPI program has to be compiled.
set -euo pipefail
# shellcheck source=tests/lab/session.sh
source "$(dirname "$0")/session.sh"

hosts='n[00-15]'
true_switch='n01 0 n04 0 n10 0 n15 0 n03 1 n07 1 n09 1 n12 1 n00 2 n06 2 n11 2 n13 2 n02 3 n05 3 n08 3 n14 3'

# Expects that "$scratch/want" has the host of each rank, "RANK HOST", as the json of the same order says.
take_wanted() {
    jq -r '.ranks | to_entries[] | "\(.key) \(.value.host)"' <<<"$(on ctl cat /tmp/ranks.json)" | sort -n >"$scratch/want"
}

# As the ranks themselves have said.
expect_ranks() {
    grep -E '^[0-9]+ n[0-9]+$' "$out" | sort -n >"$scratch/got" || true
    expect_equal "ranks on their hosts" "$(tr '\n' ',' <"$scratch/got")" "$(tr '\n' ',' <"$scratch/want")"
    expect_status 0
}

# Each switch's hosts follow one another: 3 changes of switch in 16 hosts.
expect_depth_first() {
    local changes
    changes=$(awk -v of="$true_switch" 'BEGIN { n = split(of, word, " "); for (i = 1; i < n; i += 2) on[word[i]] = word[i + 1] }
        NR > 1 && on[$2] != last { changes++ } { last = on[$2] } END { print changes + 0 }' "$scratch/want")
    expect_equal "changes of switch" "$changes" 3
}

# Prints a session that places ranks and starts them. The options, the format, the launcher and the variable of its ranks.
launching() { # OPTIONS FORMAT LAUNCHER VARIABLE
    cat <<TRL
explore $hosts
infer > /dev/null
rankmap $1 --format json -o /tmp/ranks.json
rankmap $1 --format $2 --launcher '$3' --run sh -c 'echo \$$4 \$(hostname)'
TRL
}

open_mpi() {
    session <<<"$(launching '' openmpi 'OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun.openmpi' OMPI_COMM_WORLD_RANK)"
    take_wanted
    expect_ranks
    expect_depth_first
}

# Two ranks a host, in an order that goes back and forth between hosts.
open_mpi_with_slots() {
    session <<<"$(launching '--slots 2 --np 9 --pattern multipartition --method pattern' openmpi \
        'OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun.openmpi' OMPI_COMM_WORLD_RANK)"
    take_wanted
    expect_ranks
}

mpich() {
    session <<<"$(launching '' mpich mpiexec.hydra PMI_RANK)"
    take_wanted
    expect_ranks
    expect_depth_first
}

mpich_with_slots() {
    session <<<"$(launching '--slots 3 --np 36 --pattern multipartition --method pattern' mpich mpiexec.hydra PMI_RANK)"
    take_wanted
    expect_ranks
}

# A controller on ctl and a daemon on each host, without munge. Of cgroups, which the hosts do not have, none is asked for;
# the plugin that is named does not look for them.
begin_slurm() {
    local host
    cat >"$scratch/slurm.conf" <<TEXT
ClusterName=trellis
SlurmctldHost=ctl
SlurmUser=root
AuthType=auth/none
CredType=cred/none
MpiDefault=none
MailProg=/bin/true
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
ReturnToService=2
SlurmdParameters=config_overrides
StateSaveLocation=/tmp/slurmctld
SlurmdSpoolDir=/tmp/slurmd
SlurmctldPidFile=/tmp/slurmctld.pid
SlurmdPidFile=/tmp/slurmd.pid
SlurmctldLogFile=/tmp/slurmctld.log
SlurmdLogFile=/tmp/slurmd.log
SelectType=select/cons_tres
NodeName=n[00-15] CPUs=4
PartitionName=all Nodes=ALL Default=YES
TEXT
    for host in "${lab_hosts[@]}"; do
        lab exec -i "$host" sh -c 'cat > /tmp/slurm.conf; echo CgroupPlugin=cgroup/v1 > /tmp/cgroup.conf' <"$scratch/slurm.conf"
    done
    on ctl sh -c 'mkdir -p /tmp/slurmctld; slurmctld -f /tmp/slurm.conf'
    for host in "${lab_hosts[@]}"; do
        [[ $host == ctl ]] || on "$host" sh -c 'mkdir -p /tmp/slurmd; slurmd -f /tmp/slurm.conf'
    done
    for _ in {1..100}; do
        if [[ $(on ctl env SLURM_CONF=/tmp/slurm.conf sinfo -h -t idle -o %D 2>/dev/null) == 16 ]]; then return; fi
        sleep 0.1
    done
    wrong+=("slurm is not up: $(on ctl env SLURM_CONF=/tmp/slurm.conf sinfo 2>&1 | tail -n 3)")
}

slurm() {
    begin_slurm
    session <<<"$(launching '' slurm 'env SLURM_CONF=/tmp/slurm.conf srun' SLURM_PROCID)"
    take_wanted
    expect_ranks
    expect_depth_first
    session <<<"$(launching '--slots 3 --np 36 --pattern multipartition --method pattern' slurm \
        'env SLURM_CONF=/tmp/slurm.conf srun' SLURM_PROCID)"
    take_wanted
    expect_ranks
}

try_with() { # PROGRAM NAME FUNCTION
    if command -v "$1" >/dev/null; then try "$2" "$3"; else echo "skip $2: $1 is missing"; fi
}

begin_lab shuffled_16
try_with mpirun.openmpi "Open MPI starts ranks by a rankfile" open_mpi
try_with mpirun.openmpi "Open MPI starts two ranks a host, back and forth" open_mpi_with_slots
try_with mpiexec.hydra "MPICH starts ranks by a host file" mpich
try_with mpiexec.hydra "MPICH starts three ranks a host, back and forth" mpich_with_slots
try_with slurmd "Slurm starts ranks by SLURM_HOSTFILE" slurm
finish
