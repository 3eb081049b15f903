#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# fleet-slurm.sh - docs/fleet/slurm.sh on a cluster of this machine alone: munge, slurmctld and slurmd of our
# own, in a folder of our own.
set -eu
for program in munged slurmctld slurmd sbatch; do
	command -v $program >/dev/null || { echo "needs slurm-wlm and munge"; exit 77; }
done
[ "$(id -u)" = 0 ] || { echo "needs root, as slurmd does"; exit 77; }
fleet=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../docs/fleet" && pwd)
dir=$(mktemp -d)
host=$(hostname -s)
pids=()

stop() {
	local i
	for ((i = ${#pids[@]} - 1; i >= 0; i--)); do
		kill "${pids[i]}" 2>/dev/null || true
		wait "${pids[i]}" 2>/dev/null || true
	done
	rm -rf "$dir"
}
trap stop EXIT

free_port() {
	python3 -c 'import socket; s = socket.socket(); s.bind(("", 0)); print(s.getsockname()[1])'
}

# In the background, with its words in a file.
run() { # name, command
	local log=$dir/$1.log
	shift
	"$@" >"$log" 2>&1 &
	pids+=($!)
}

wait_for() { # what, command
	local i
	for i in $(seq 300); do
		"${@:2}" >/dev/null 2>&1 && return
		sleep 0.2
	done
	echo "$1 does not come up"
	tail -n 20 "$dir"/*.log
	exit 1
}

mkdir "$dir/munge" "$dir/state" "$dir/spool"
chmod 755 "$dir"
chmod 711 "$dir/munge"
head -c 1024 /dev/urandom >"$dir/munge.key"
chmod 600 "$dir/munge.key"
run munged munged --foreground --force --key-file="$dir/munge.key" --socket="$dir/munge/socket" \
	--pid-file="$dir/munge/pid" --seed-file="$dir/munge/seed" --log-file="$dir/munged.log"
wait_for munged munge -n --socket="$dir/munge/socket"

cat >"$dir/slurm.conf" <<END
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$dir/munge/socket
CredType=cred/munge
SlurmctldPort=$(free_port)
SlurmdPort=$(free_port)
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool
SlurmctldPidFile=$dir/slurmctld.pid
SlurmdPidFile=$dir/slurmd.pid
ProctrackType=proctrack/pgid
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SchedulerType=sched/backfill
SchedulerParameters=batch_sched_delay=0,sched_min_interval=0
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
MailProg=/bin/true
NodeName=$host NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=10 State=UP
END
export SLURM_CONF=$dir/slurm.conf
run slurmctld slurmctld -D -c
wait_for slurmctld scontrol ping
run slurmd slurmd -D -N "$host"
wait_for slurmd bash -c 'sinfo -h -o %T | grep -qx idle'

. "$(dirname "${BASH_SOURCE[0]}")/fleet.inc"
check_fleet "$fleet/slurm.sh"

# The page's own command lines.
make_fleet
export OUT=$dir
run_of_page 'docs/fleet/slurm.sh traces.txt /shared/summaries'
cmp "$dir/shared/summaries/fleet.tlbsum" "$dir/both"
run_of_page 'srun --ntasks-per-node=1'
"$TLBTRACE" summarize -q "$dir/node/trace.dat" | cmp - "$dir/$(hostname).tlbsum"
