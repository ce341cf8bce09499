#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Collectives and stencils of 2 to 128 nodes, simulated: plain MPI, the engine without compression, and the codecs.

Runs every line of --lines on every number of nodes and writes all numbers to --out, a table and a figure beside it.  The
engine runs for real and all results are checked; the network and the time of coding are simulated (README.md).  The rates
of coding are measured once for each codec, bound and number of nodes, with nothing else running, unless --rates names them.
Exit status 1: a result was out of its bound, or its bits differed between ranks.
"""
import argparse, itertools, json, math, os, sys

SCALE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, SCALE)
import simulation  # noqa: E402

# The lines of the table: a name, and arguments of the simulated program.  `input`: the bound applies to every input, as
# in C-Coll; else to the result.
LINES = {
    "plain MPI": {"algorithm": "mpi"},
    "raw": {"codec": "raw"},
    "szx per hop, input": {"codec": "szx", "per-hop": True, "target": "input"},
    "szx, input": {"codec": "szx", "target": "input"},
    "quant, input": {"codec": "quant", "target": "input"},
    "quant, input, 4 threads": {"codec": "quant", "target": "input", "threads": 4},
    "quant, result": {"codec": "quant"},
    "quant, result, 4 threads": {"codec": "quant", "threads": 4},
    "quant, result, range of inputs": {"codec": "quant", "range-of": "input"},
    "quant, likely": {"codec": "quant", "target": "likely"},
}
# For numbers that are only moved: Ramesh et al. compare pipelined messages with those that are compressed as a whole (the
# variant nd), and found two or four chunks best.  `chunks`: of each block; else as the library chooses.
LINES |= {f"zfp rate {rate}{way}": {"codec": "zfp", "bound": f"rate:{rate}", **more} for rate in (8, 16)
          for way, more in {", nd": {"no-overlap": True}, ", 4 chunks": {"chunks": 4}, "": {}}.items()}
AMONG_NEIGHBORS = ("neighbor_alltoall", "stencil")
ALGORITHMS = {"allreduce": ["ring", "recursive-doubling", "recursive-halving", "direct"],
              "reduce_scatter": ["ring", "recursive-halving", "direct"],
              "allgather": ["ring", "recursive-doubling", "bruck", "direct"],
              "bcast": ["binomial", "chain", "ring"],
              "scatter": ["binomial", "direct"],
              "alltoall": ["pairwise", "bruck"],
              "neighbor_alltoall": ["direct"],
              "stencil": ["messages"]}
# Such a line has the rates of the one without it.
LIKE = (", 4 threads", ", nd", ", 4 chunks")
MOST_RESULTS = 4 << 30  # bytes of the results of all ranks that are kept
HIERARCHICAL = ("allreduce", "reduce_scatter", "allgather", "bcast", "alltoall")  # where nodes have several ranks


def algorithms_of(collective, ranks_per_node):
    return ALGORITHMS[collective] + (["hierarchical"] if collective in HIERARCHICAL and ranks_per_node > 1 else [])


def lines_of(collective):
    """The lines of the table, unless --lines names them."""
    if collective in AMONG_NEIGHBORS:
        return ["plain MPI", "raw", "quant, input", "quant, input, 4 threads", *(line for line in LINES if line.startswith("zfp"))]
    return [line for line in LINES if not line.startswith("zfp")]


def balanced_grid(ranks):
    """Sides as close to a cube as possible."""
    sides = ((x, y, ranks // (x * y)) for x in range(1, ranks + 1) for y in range(1, ranks // x + 1) if ranks % (x * y) == 0)
    return sorted(min(sides, key=sum), reverse=True)


def faces_that_leave(sides, periodic, network):
    """The most faces that the ranks of a node send to other nodes."""
    leaving = [0] * network.nodes()
    places = list(itertools.product(*map(range, sides)))  # in the order of the ranks
    for rank, place in enumerate(places):
        for axis, step in itertools.product(range(3), (-1, 1)):
            there = list(place)
            there[axis] += step
            if periodic or 0 <= there[axis] < sides[axis]:
                there[axis] %= sides[axis]
                node = network.node_of(rank)
                leaving[node] += node != network.node_of(places.index(tuple(there)))
    return max(leaving)


def bandwidth_bound(collective, nodes, size, bits_per_second, faces=0):
    """Seconds that the bytes of the busiest link take without compression.  faces: among neighbors, those of that link."""
    if collective in AMONG_NEIGHBORS:
        return faces * (size if collective == "stencil" else size / 6) * 8 / bits_per_second
    share = {"allreduce": 2 * (nodes - 1) / nodes, "bcast": 1}.get(collective, (nodes - 1) / nodes)
    return share * size * 8 / bits_per_second


def coding_of(line):
    return next((line.removesuffix(end) for end in LIKE if line.endswith(end)), line)


def rates_in(rows, line, nodes):
    """Those of the same codec and bound with the nearest number of nodes, as simulate.cpp takes them, or None."""
    of_line = [row for row in rows if coding_of(row["line"]) == coding_of(line)]
    if not of_line:
        return None
    row = min(of_line, key=lambda row: abs(math.log(row["nodes"] / nodes)))
    steps = ["encode", "fold", "add", "decode"] + ["search"] * ("search_GB_s" in row)
    return ",".join(str(row[step + "_GB_s"]) for step in steps)


def rates_for(rates, line, nodes):
    """GB/s as simulate.cpp takes them: `rates` itself, or those in an earlier run's file."""
    if not rates or not os.path.exists(rates):
        return rates
    with open(rates) as f:
        found = rates_in(json.load(f)["rows"], line, nodes)
    return found or sys.exit(f"--rates {rates}: no row of the line {line}")


def measure(a, nodes, line, algorithm, rows):
    """rows: those measured before."""
    # SMPI's own algorithms know the ranks of a node by their common host.
    connections = not a.shared_cables and not (line == "plain MPI" and a.ranks_per_node > 1)
    network = simulation.Network(nodes * a.ranks_per_node, a.gbit * 1e9, a.latency, a.ranks_per_node, a.round_robin,
                                 connections)
    arguments = {"collective": a.collective, "algorithm": algorithm, "bytes": a.bytes, "bound": a.bound, "field": a.field,
                 "coherent": a.coherent, **LINES[line]}
    faces = 0
    if a.collective in AMONG_NEIGHBORS:
        grid = a.grid or balanced_grid(network.ranks)
        arguments["grid"] = "x".join(map(str, grid))
        faces = faces_that_leave(grid, a.collective == "neighbor_alltoall", network)
    all_results = network.ranks * a.bytes * (6 if a.collective == "stencil" else 1)
    whole_rate = network.bits_per_second
    arguments["one-result"] = (all_results // a.part > MOST_RESULTS and a.collective in ("allreduce", "allgather", "bcast")
                               and "per-hop" not in arguments)
    divisor = 1
    if line == "plain MPI":
        # MPI's own algorithms have buffers of the size of the result on every rank.  A k-th of the bytes at a k-th of
        # the rate takes the same time.
        while all_results > divisor * MOST_RESULTS:
            divisor *= 2
    else:
        divisor = arguments["part"] = a.part
        arguments["rates"] = rates_for(a.rates, line, nodes) or rates_in([row for row in rows if row["nodes"] == nodes], line, nodes)
    if "chunks" in arguments:
        blocks = 6 if a.collective == "neighbor_alltoall" else 1
        arguments["chunk"] = math.ceil(a.bytes / blocks / 4 / arguments.pop("chunks"))
    network.bits_per_second /= divisor
    arguments["bytes"] //= divisor
    found = simulation.run(a.program, network, arguments, a.mpi, a.timeout)
    found.update(line=line, nodes=nodes, divisor=divisor,
                 bandwidth_bound=bandwidth_bound(a.collective, nodes, a.bytes, whole_rate, faces))
    return found


def best_algorithm(rows, nodes, line):
    of_line = [row for row in rows if row["line"] == line and row["nodes"] == nodes]
    return min(of_line, key=lambda row: row["seconds"]) if of_line else None


def table(rows, nodes, lines):
    text = ["| nodes | " + " | ".join(lines) + " |", "|" + "---:|" * (len(lines) + 1)]
    for number in nodes:
        cells = [str(number)]
        plain = best_algorithm(rows, number, "plain MPI")
        for line in lines:
            best = best_algorithm(rows, number, line)
            if best is None:
                cells.append("-")
                continue
            cell = "%.2f ms" % (1e3 * best["seconds"])
            if line not in ("plain MPI", "raw"):
                cell += ", %.2f x" % best["ratio"]
            if plain and line != "plain MPI":
                cell += ", **%.2f**" % (plain["seconds"] / best["seconds"])
            cells.append(cell)
        text.append("| " + " | ".join(cells) + " |")
    return "\n".join(text)


def draw(rows, nodes, lines, title, file):
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    figure, axes = plt.subplots(figsize=(7, 4.5))
    for line in lines:
        if line == "plain MPI":
            continue
        points = [(n, best_algorithm(rows, n, "plain MPI")["seconds"] / best_algorithm(rows, n, line)["seconds"])
                  for n in nodes if best_algorithm(rows, n, line) and best_algorithm(rows, n, "plain MPI")]
        if points:
            axes.plot(*zip(*points), marker="o", label=line)
    axes.axhline(1, color="grey", linewidth=0.8)
    axes.set(xscale="log", xlabel="nodes", ylabel="speed-up over plain MPI", title=title)
    axes.set_xticks(nodes, [str(n) for n in nodes])
    axes.minorticks_off()
    if axes.get_legend_handles_labels()[0]:
        axes.legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(file, dpi=110)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0], allow_abbrev=False)
    parser.add_argument("--program", required=True, help="build/simulation/bench/scale/simulate")
    parser.add_argument("--field", required=True, help="a file of float32")
    parser.add_argument("--collective", choices=sorted(ALGORITHMS), default="allreduce")
    parser.add_argument("--algorithm", action="append", default=[], help="only these; default: all")
    parser.add_argument("--nodes", help="default: 2,4,8,16,32,64,128; with --grid, as many as its ranks need")
    parser.add_argument("--grid", metavar="XxYxZ", help="ranks of a stencil or of neighbor_alltoall; default: as close to a cube as possible")
    parser.add_argument("--ranks-per-node", type=int, default=1, help="default: %(default)s")
    parser.add_argument("--round-robin", action="store_true", help="ranks are dealt round the nodes")
    parser.add_argument("--bytes", type=int, default=28 << 20, help="of the largest buffer, or of a face of a stencil; default: %(default)s")
    parser.add_argument("--bound", default="rel:1e-3")
    parser.add_argument("--coherent", action="store_true", help="contributions are shifted by one number, not at random")
    parser.add_argument("--gbit", type=float, default=100, help="rate of a cable; default: %(default)s")
    parser.add_argument("--latency", type=float, default=2e-6, help="seconds from node to node; default: %(default)s")
    parser.add_argument("--mpi", default="mpich", help="whose algorithms plain MPI takes: mpich, ompi, impi, mvapich2")
    parser.add_argument("--lines", action="append", choices=list(LINES), default=[], help="only these (repeatable)")
    parser.add_argument("--rates", help="GB/s of encode, fold, add, decode and the search for the range, with commas, or the file of an earlier run; "
                        "default: measured")
    parser.add_argument("--part", type=int, default=1, metavar="K", help="simulate a K-th of the bytes, of each frame and "
                        "of all rates, except for plain MPI; default: %(default)s")
    parser.add_argument("--shared-cables", action="store_true", help="the messages of two ranks share the cable")
    parser.add_argument("--timeout", type=float, default=900, help="seconds of one simulation; default: %(default)s")
    parser.add_argument("--out", default="bench/results/local/scale.json")
    a = parser.parse_args()
    if a.grid:
        try:
            a.grid = [int(side) for side in a.grid.split("x")]
        except ValueError:
            a.grid = []
        if a.collective not in AMONG_NEIGHBORS or len(a.grid) != 3 or math.prod(a.grid) < 1 or math.prod(a.grid) % a.ranks_per_node or a.nodes:
            parser.error("--grid XxYxZ is for stencil and neighbor_alltoall, fills nodes of --ranks-per-node, and needs no --nodes")
        a.nodes = str(math.prod(a.grid) // a.ranks_per_node)
    a.nodes = [int(word) for word in (a.nodes or "2,4,8,16,32,64,128").split(",")]
    a.field, a.program = os.path.abspath(a.field), os.path.abspath(a.program)
    return a


def main():
    a = arguments()
    if not simulation.available():
        sys.exit("smpirun is missing: apt-get install libsimgrid-dev")
    lines = a.lines or lines_of(a.collective)
    rows, broken = [], 0
    for nodes in a.nodes:
        for line in lines:
            known = a.algorithm or algorithms_of(a.collective, a.ranks_per_node)
            for algorithm in ["mpi"] if line == "plain MPI" else known:
                try:
                    row = measure(a, nodes, line, algorithm, rows)
                except RuntimeError as error:
                    if "does not serve" in str(error):
                        continue
                    raise
                rows.append(row)
                broken += not (row["bound_kept"] and row["bits_equal"]) and line != "szx per hop, input"
                print("%4d %-26s %-20s %9.3f ms  model %9.3f ms  ratio %6.2f  coding %9.3f ms  %6d messages  bound %s" % (
                    row["ranks"], line, algorithm, 1e3 * row["seconds"], 1e3 * row["predicted_seconds"], row["ratio"],
                    1e3 * row["coding_seconds"], row["messages"], "kept" if row["bound_kept"] else "BROKEN"), flush=True)
    os.makedirs(os.path.dirname(os.path.abspath(a.out)), exist_ok=True)
    stem = os.path.splitext(a.out)[0]
    with open(a.out, "w") as f:
        json.dump({"simulated": True, "gbit": a.gbit, "latency": a.latency, "mpi": a.mpi,
                   "grid": a.grid, "ranks_per_node": a.ranks_per_node, "round_robin": a.round_robin, "shared_cables": a.shared_cables,
                   "rows": rows}, f, indent=1)
    text = table(rows, a.nodes, lines)
    with open(stem + ".md", "w") as f:
        f.write(text + "\n")
    print("\n" + text)
    try:
        draw(rows, a.nodes, lines, "%s of %.0f MB, simulated, %g Gbit/s" % (a.collective, a.bytes / 1e6, a.gbit), stem + ".png")
    except ImportError:
        print("no figure: matplotlib is missing")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
