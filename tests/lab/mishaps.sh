# What can go wrong with a host of a laboratory, for the *_chaos_lab_test.sh. Sourced after session.sh.
# shellcheck shell=bash

kill_agent() { on "$1" kill -9 "$(agent_of "$1")"; }

stop_agent() { # HOST SECONDS
    local agent
    agent=$(agent_of "$1")
    on "$1" kill -STOP "$agent"
    sleep "$2"
    on "$1" kill -CONT "$agent"
}

cut_link() { # LINK SECONDS
    lab cut "$1"
    sleep "$2"
    lab heal "$1"
}

# Runs a command once so many hosts have begun (within a minute) and some seconds have passed.
strike() { # HOSTS SECONDS COMMAND...
    local hosts=$1 seconds=$2
    shift 2
    SECONDS=0
    # shellcheck disable=SC2154  # of session.sh
    until [[ $(grep -c "${begun_mark:-\"line\":\"begun\"}" "$out") -ge $hosts ]]; do
        sleep 0.1
        [[ $SECONDS -lt 60 ]] || return
    done
    sleep "$seconds"
    "$@"
}
