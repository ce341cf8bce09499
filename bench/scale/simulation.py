# SPDX-License-Identifier: BSD-3-Clause
"""Starts one simulated collective: a network as SimGrid describes it, and the ranks of simulate.cpp on it."""
import dataclasses, json, os, shutil, subprocess, tempfile

# Simulated time passes in messages and where the program says so, not while the ranks of this process compute.
# SMPI's own factors of bandwidth and latency are those of TCP on links of 1 Gbit/s, so they are left out.  So are the
# acknowledgements of TCP, which take a twentieth of the other direction: they would count as messages on a connection.
SETTINGS = ["smpi/bw-factor:0:1", "smpi/lat-factor:0:1", "network/crosstraffic:0", "smpi/simulate-computation:no", "smpi/cpu-threshold:0",
            "smpi/host-speed:1Gf", "smpi/test:0", "smpi/iprobe:0", "smpi/wtime:0"]

NODE_BITS_PER_SECOND, NODE_LATENCY = 96e9, 300e-9  # of messages between ranks of a node
WITHIN_NODE = (f"{NODE_BITS_PER_SECOND / 8:.0f}Bps", f"{NODE_LATENCY:.9f}s")


# A link for each ordered pair of ranks; for more ranks the description of the network would take gigabytes.
MOST_CONNECTED_RANKS = 256


@dataclasses.dataclass
class Network:
    """Nodes with a cable to one switch that carries all of them at full rate.

    Each ordered pair of ranks has a connection, which carries its messages one after another in the order sent, as a TCP
    stream or a verbs queue pair does.  simulate.cpp sets this limit on the links named "connection".  Connections share
    the cables of their nodes fairly.  Beyond MOST_CONNECTED_RANKS, and with connections=False, the messages of a pair
    share the cable, too.
    """
    ranks: int
    bits_per_second: float = 100e9
    latency: float = 2e-6  # seconds from node to node
    ranks_per_node: int = 1
    round_robin: bool = False  # ranks are dealt round the nodes; else those of a node follow one another
    connections: bool = True

    def nodes(self):
        return -(-self.ranks // self.ranks_per_node)

    def node_of(self, rank):
        return rank % self.nodes() if self.round_robin else rank // self.ranks_per_node

    def connected(self):
        return self.connections and self.ranks <= MOST_CONNECTED_RANKS

    def hosts(self):
        """The host of each rank.  simulate.cpp takes the part before the dot for the node."""
        return [f"node{self.node_of(rank)}" + (f".{rank}" if self.connected() else "") for rank in range(self.ranks)]

    def platform(self):
        inside = "\n".join(self._connections() if self.connected() else self._cluster())
        return f"""<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
<zone id="all" routing="Full">
{inside}
</zone>
</platform>
"""

    def _connections(self):
        bandwidth = f"{self.bits_per_second / 8:.0f}Bps"
        hosts = self.hosts()
        yield from (f'<host id="{host}" speed="1Gf"/>' for host in hosts)
        for node in range(self.nodes()):
            yield from (f'<link id="{way}{node}" bandwidth="{bandwidth}" latency="0s"/>' for way in ("out", "in"))
        routes = []
        for a in range(self.ranks):
            for b in range(self.ranks):
                if a == b:
                    continue
                here, there = self.node_of(a), self.node_of(b)
                name = f"connection{a}-{b}"
                rate, latency = (WITHIN_NODE if here == there else (bandwidth, f"{self.latency:.9f}s"))
                yield f'<link id="{name}" bandwidth="{rate}" latency="{latency}"/>'
                ways = [name] if here == there else [f"out{here}", name, f"in{there}"]
                links = "".join(f'<link_ctn id="{way}"/>' for way in ways)
                routes.append(f'<route src="{hosts[a]}" dst="{hosts[b]}" symmetrical="NO">{links}</route>')
        yield from routes

    def _cluster(self):
        bandwidth, latency = WITHIN_NODE
        yield f"""<cluster id="nodes" prefix="node" suffix="" radical="0-{self.nodes() - 1}" speed="1Gf"
 core="{self.ranks_per_node}" bw="{self.bits_per_second / 8:.0f}Bps" lat="{self.latency / 2:.9f}s"
 sharing_policy="SPLITDUPLEX" loopback_bw="{bandwidth}" loopback_lat="{latency}"/>"""


def available():
    return shutil.which("smpirun") is not None


def run(program, network, arguments, coll_selector="mpich", limit=600):
    """The outcome that rank 0 printed, as a dictionary.  arguments: of simulate.cpp, by name."""
    words = ["--rate", str(network.bits_per_second), "--latency", str(network.latency), "--node-rate", str(NODE_BITS_PER_SECOND),
             "--node-latency", str(NODE_LATENCY)]
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
            f.write("\n".join(network.hosts()) + "\n")
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
