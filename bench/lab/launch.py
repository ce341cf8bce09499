# SPDX-License-Identifier: BSD-3-Clause
"""How MPI programs are started on the hosts of the lab, or over loopback where there is no lab."""
import os, shutil, subprocess

from hosts import HEAD, SHARED, SUBNET

KINDS = ("mpich", "openmpi")

# Without these a rank's "clear to send" queues behind bulk data on the same connection and a pair takes turns: plain
# MPI then takes 1.5 or 2 times as long as the cable needs, which would flatter every speed-up measured against it.
FULL_DUPLEX = {
    "mpich": {"UCX_RNDV_THRESH": "inf", "UCX_TCP_PUT_ENABLE": "n"},
    "openmpi": {"OMPI_MCA_btl_tcp_flags": "send,inplace"},
}
TCP = {
    "mpich": {"MPIR_CVAR_CH4_NETMOD": "ucx", "MPIR_CVAR_NOLOCAL": "1", "UCX_TLS": "tcp,self",
              "UCX_WARN_UNUSED_ENV_VARS": "n", "FI_PROVIDER": "tcp"},
    "openmpi": {"OMPI_MCA_pml": "ob1", "OMPI_MCA_btl": "self,tcp", "OMPI_MCA_mpi_yield_when_idle": "1",
                "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                "OMPI_MCA_hwloc_base_binding_policy": "none", "PRTE_MCA_hwloc_default_binding_policy": "none"},
}
# The OMPI_ names are for Open MPI 4, the PRTE_ names for 5; each ignores the other's.
IN_LAB = {
    "mpich": {"UCX_NET_DEVICES": "eth0", "FI_TCP_IFACE": "eth0"},
    "openmpi": {"OMPI_MCA_plm_rsh_agent": SHARED + "/rsh", "OMPI_MCA_plm_rsh_no_tree_spawn": "1",
                "OMPI_MCA_oob_tcp_if_include": SUBNET + "0/24", "OMPI_MCA_btl_tcp_if_include": SUBNET + "0/24",
                "PRTE_MCA_plm_ssh_agent": SHARED + "/rsh", "PRTE_MCA_plm_ssh_no_tree_spawn": "1",
                "PRTE_MCA_prte_if_include": SUBNET + "0/24"},
}
ON_LOOPBACK = {
    "mpich": {"MPIR_CVAR_CH4_NETMOD": "ofi", "FI_TCP_IFACE": "lo"},  # UCX refuses the loopback device
    "openmpi": {"OMPI_MCA_rmaps_base_oversubscribe": "1", "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
                "OMPI_MCA_btl_tcp_if_include": "lo"},
}


def environment(kind, settings, in_lab):
    """The caller's `settings` (K=V strings) win over ours; ours win over what the shell happens to hold."""
    env = {**os.environ, **TCP[kind], **FULL_DUPLEX[kind], **(IN_LAB if in_lab else ON_LOOPBACK)[kind]}
    if in_lab:
        env["TMPDIR"] = "/dev/shm"  # hosts with equal process ids would collide in a common /tmp
    env.update(s.split("=", 1) for s in settings)
    return env


def launcher(mpiexec):
    found = shutil.which(mpiexec or "mpiexec")
    if not found:
        raise FileNotFoundError("no launcher %s (--mpiexec PATH)" % (mpiexec or "mpiexec"))
    return found


def kind_of(path):
    """Which of KINDS a launcher belongs to, from its own words."""
    words = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=60).stdout
    return "openmpi" if "open" in words.lower().split("\n")[0] else "mpich"


def job(kind, path, count, idle, program, in_lab):
    """The command that starts `program` once on each of `count` hosts."""
    argv = [path]
    hosts = ",".join("h%d:1" % k for k in range(1, count + 1))
    if in_lab and kind == "mpich":
        argv += ["-launcher", "ssh", "-launcher-exec", SHARED + "/rsh", "-localhost", HEAD, "-hosts", hosts]
    elif in_lab:
        argv += ["-H", hosts]
    argv += ["-n", str(count)]
    if idle:  # only into the ranks: launchers have their own loops
        argv += ["env", "LD_PRELOAD=" + " ".join(filter(None, [idle, os.environ.get("LD_PRELOAD")]))]
    return argv + program


def write_rsh(network):
    """Stands in for ssh: `rsh [options] hK command...` runs the command on host K, in the current folder."""
    cases = "".join("h%d|%s%d) pid=%d;;\n" % (k, SUBNET, k, pid) for k, pid in enumerate(network.pids, 1))
    with open(SHARED + "/rsh", "w") as f:
        f.write("#!/bin/sh\n"
                'while :; do case "$1" in -l|-p|-o) shift 2;; -*) shift;; *) break;; esac; done\n'
                "host=$1; shift\n"
                "case $host in\n" + cases + '*) echo "rsh: unknown host $host" >&2; exit 255;;\nesac\n'
                "exec nsenter -t $pid -n -u -i -p -m -- "
                "sh -c 'cd \"$1\" || exit 1; shift; eval \"$*\"' sh \"$PWD\" \"$@\"\n")
    os.chmod(SHARED + "/rsh", 0o755)
