# SPDX-License-Identifier: BSD-3-Clause
"""Starts one simulated collective: a network as SimGrid describes it, and the ranks of simulate.cpp on it."""
import dataclasses, json, os, shutil, subprocess, tempfile

# Simulated time passes in messages and where the program says so, not while the ranks of this process compute.
# SMPI's own factors of bandwidth and latency are those of TCP on links of 1 Gbit/s, so they are left out.
SETTINGS = ["smpi/bw-factor:0:1", "smpi/lat-factor:0:1", "smpi/simulate-computation:no", "smpi/cpu-threshold:0",
            "smpi/host-speed:1Gf", "smpi/test:0", "smpi/iprobe:0", "smpi/wtime:0"]


@dataclasses.dataclass
class Network:
    """Nodes with a cable to one switch that carries all of them at full rate."""
    ranks: int
    bits_per_second: float = 100e9
    latency: float = 2e-6  # seconds from node to node
    ranks_per_node: int = 1
    round_robin: bool = False  # ranks are dealt round the nodes; else those of a node follow one another

    def platform(self):
        nodes = -(-self.ranks // self.ranks_per_node)
        return f"""<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <zone id="all" routing="Full">
    <cluster id="nodes" prefix="node" suffix="" radical="0-{nodes - 1}" speed="1Gf" core="{self.ranks_per_node}"
             bw="{self.bits_per_second / 8:.0f}Bps" lat="{self.latency / 2:.9f}s" sharing_policy="SPLITDUPLEX"
             loopback_bw="12GBps" loopback_lat="300ns"/>
  </zone>
</platform>
"""

    def hosts(self):
        nodes = -(-self.ranks // self.ranks_per_node)
        place = (lambda rank: rank % nodes) if self.round_robin else (lambda rank: rank // self.ranks_per_node)
        return "".join(f"node{place(rank)}\n" for rank in range(self.ranks))


def available():
    return shutil.which("smpirun") is not None


def run(program, network, arguments, coll_selector="mpich", limit=600):
    """The outcome that rank 0 printed, as a dictionary.  arguments: of simulate.cpp, by name."""
    words = ["--rate", str(network.bits_per_second), "--latency", str(network.latency)]
    for name, value in arguments.items():
        if value is True:
            words.append("--" + name)
        elif value is not False and value is not None:
            words += ["--" + name, str(value)]
    with tempfile.TemporaryDirectory() as folder:
        platform, hosts = os.path.join(folder, "platform.xml"), os.path.join(folder, "hosts")
        with open(platform, "w") as f:
            f.write(network.platform())
        with open(hosts, "w") as f:
            f.write(network.hosts())
        settings = ["--cfg=" + setting for setting in SETTINGS + ["smpi/coll-selector:" + coll_selector]]
        command = ["smpirun", "-no-privatize", "-np", str(network.ranks), "-platform", platform, "-hostfile", hosts, *settings,
                   "--log=root.thres:error", program, *words]
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit)
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if done.returncode != 0 and not lines:
        raise RuntimeError(f"{' '.join(command)}\nexit status {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-4000:]}")
    if not lines:
        raise RuntimeError(f"{command}: no outcome\n{done.stdout[-2000:]}{done.stderr[-4000:]}")
    return json.loads(lines[-1])
