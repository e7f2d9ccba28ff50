# shellcheck shell=bash
# A Slurm of one node, for tests: sourced. Needs slurmctld, slurmd, munged and the clients; runs as root, without systemd.
#
#   cluster_start FOLDER     starts it there; returns 1, and says why, where it cannot run
#   cluster_stop             ends what was started, by its process id
#   cluster_folder EXE LOGS  makes a folder for a test, which goes with everything that was started when the script ends
#
# Between the two, SLURM_CONF points the clients at it.

cluster_pids=()

cluster_lacks() { echo "no Slurm here: $*"; return 1; }

# Ports that nobody listens at.
cluster_ports() {
  /usr/bin/python3 - <<'PYTHON'
import socket
sockets = [socket.socket() for _ in range(2)]
for one in sockets:
    one.bind(("", 0))
print(*(one.getsockname()[1] for one in sockets))
PYTHON
}

cluster_configure() {  # FOLDER   slurm.conf(5), cgroup.conf(5)
  local folder=$1 ports
  read -r -a ports < <(cluster_ports)
  mkdir -p "$folder/state" "$folder/spool"
  cat >"$folder/slurm.conf" <<CONF
ClusterName=test
SlurmctldHost=$(hostname -s)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$folder/munge.socket
CredType=cred/munge
SlurmctldPort=${ports[0]}
SlurmdPort=${ports[1]}
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=batch_sched_delay=0,sched_interval=1
MpiDefault=none
ReturnToService=2
KillWait=2
NodeName=$(hostname -s) NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP OverSubscribe=FORCE:4
CONF
  echo "CgroupPlugin=autodetect" >"$folder/cgroup.conf"
}

cluster_run() {  # FOLDER NAME COMMAND...   in the background, its output in NAME.out
  local folder=$1 name=$2
  shift 2
  "$@" >"$folder/$name.out" 2>&1 </dev/null &
  cluster_pids+=("$!")
}

cluster_await() {  # SECONDS COMMAND...   until it succeeds
  local deadline=$(( SECONDS + $1 ))
  shift
  until "$@" >/dev/null 2>&1; do
    (( SECONDS < deadline )) || return 1
    sleep 0.2
  done
}

cluster_idle() { [[ $(sinfo -h -o %T 2>/dev/null) == idle ]]; }

cluster_start() {
  local folder=$1 program
  for program in munged slurmctld slurmd sbatch scancel squeue sinfo; do
    command -v "$program" >/dev/null || { cluster_lacks "there is no $program (tools/setup.sh long installs it)"; return 1; }
  done
  (( EUID == 0 )) || { cluster_lacks "its daemons have to run as root"; return 1; }
  chmod 755 "$folder"
  cluster_configure "$folder"
  export SLURM_CONF=$folder/slurm.conf
  (umask 077; head -c 1024 /dev/urandom >"$folder/munge.key")
  cluster_run "$folder" munged munged --foreground --force --key-file="$folder/munge.key" --socket="$folder/munge.socket" \
    --pid-file="$folder/munged.pid" --log-file="$folder/munged.log" --seed-file="$folder/munged.seed"
  cluster_await 10 test -S "$folder/munge.socket" || { cluster_lacks "munged does not start: $(tail -n 1 "$folder/munged.out")"; return 1; }
  cluster_run "$folder" slurmctld slurmctld -D
  cluster_run "$folder" slurmd slurmd -D -N "$(hostname -s)"
  cluster_await 30 cluster_idle || { cluster_lacks "its node does not come up: $(tail -qn 1 "$folder/slurmctld.log" "$folder/slurmd.log" "$folder/slurmd.out" | tr '\n' ' ')"; return 1; }
}

cluster_stop() {
  local pid
  for pid in "${cluster_pids[@]}"; do kill "$pid" 2>/dev/null || true; done
  for pid in "${cluster_pids[@]}"; do wait "$pid" 2>/dev/null || true; done
  cluster_pids=()
}

# A folder with bin/seqpoint, on the PATH, and work; at the end it goes, after the last lines of its logs if something failed.
cluster_folder() {  # EXE SUFFIX-OF-LOGS   sets: folder
  folder=$(mktemp -d) cluster_logs=$2
  trap cluster_finish EXIT
  mkdir "$folder/bin" "$folder/work"
  ln -s "$(realpath -- "$1")" "$folder/bin/seqpoint"
  export PATH=$folder/bin:$PATH
}

cluster_finish() {
  local status=$?
  cluster_stop
  if (( status != 0 && status != 77 )); then tail -n 20 "$folder"/*.log "$folder"/work/*."$cluster_logs" >&2 || true; fi
  rm -rf -- "$folder"
}
