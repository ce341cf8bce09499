# SPDX-License-Identifier: BSD-3-Clause
"""The papers' figures that this project can measure: for each the commands and what draws it.

A command is a list of words, in which {out}, {build}, {simulator}, {mpiexec}, {python} and {data} are replaced. It writes
{out}, a file of JSON, or a folder where the name ends in a slash. The seconds are about those on two cores.
"""
import dataclasses, typing

import draw

LAB_FIELDS = ("les_wmag_91x91x91", "pcm_TREFHT_110x64x128", "fwi_shots_10x1000x40")
NODES = {"quick": "2,8,32", "full": "2,4,8,16,32,64,128"}
SIZES = {"quick": (28, 78, 178), "full": (28, 78, 178, 278, 378, 478, 578, 678)}  # MB; C-Coll's


@dataclasses.dataclass(frozen=True)
class Measurement:
    name: str  # of its results
    command: list
    seconds: int


@dataclasses.dataclass(frozen=True)
class Figure:
    name: str
    source: str  # the paper, and its figures and tables
    claim: str
    measurements: typing.Callable  # "quick" or "full" -> list of Measurement
    draw: typing.Callable  # (paths of the results, folder of the figure), returns paths of pictures


def lab(name, mode, operation, against, size, seconds, fields=LAB_FIELDS, ranks=4, extra=(), iterations=(5, 15)):
    words = ["{python}", "bench/collectives/run.py", "--build", "{build}", "--mpiexec", "{mpiexec}", "--operation", operation,
             "--ranks", ranks, "--rate", "1gbit", "--against", against, "--bytes", size, "--bound", "rel:1e-3",
             "--iterations", iterations[mode == "full"], "--out", "{out}", *extra]
    for field in fields[:1] if mode == "quick" else fields:
        words += ["--field", field]
    return Measurement(name, words, seconds)


def scale(name, mode, collective, megabytes, lines, seconds, algorithm=None, nodes=None):
    words = ["{python}", "bench/scale/scale.py", "--program", "{simulator}", "--field", "{data}/pcm_TREFHT_110x64x128.f32",
             "--collective", collective, "--nodes", nodes or NODES[mode], "--bytes", megabytes * 1000000, "--out", "{out}"]
    # Larger sizes do not fit into memory: an eighth of the bytes, of each frame and of the rates takes the same time.
    words += ["--part", 8] if megabytes > 200 else []
    words += ["--algorithm", algorithm] if algorithm else []
    for line in lines:
        words += ["--lines", line]
    return Measurement(name, words, seconds)


def pipelined_stencil(mode):
    # At 100 GB/s, coding at rate 8 takes as long as the wire: overlap can hide the most.
    speeds = {"measured": [], "100GBs": ["--rates", "100,100,100,100", "--lines", "plain MPI"]}
    for line in (f"zfp rate {bits}{way}" for bits in (8, 16) for way in (", nd", ", 4 chunks", "")):
        speeds["100GBs"] += ["--lines", line]
    points = [("measured", 4), ("100GBs", 16)] if mode == "quick" else [(speed, size) for speed in speeds for size in (4, 16, 64, 128)]
    words = ["{python}", "bench/scale/scale.py", "--program", "{simulator}", "--field", "{data}/pcm_TREFHT_110x64x128.f32",
             "--collective", "stencil", "--grid", "4x2x2", "--part", 16, "--out", "{out}"]
    return [Measurement(f"stencil-16-{size}MB-{speed}", [*words, "--bytes", size * 1000000, *speeds[speed]], 8 if mode == "quick" else 10 + size)
            for speed, size in points]


def steps(mode):
    size, seconds = ("16M", 10) if mode == "quick" else ("64M", 300)
    return [lab("allreduce-steps", mode, "allreduce", "cpr-p2p:szx,nd:szx,overlap:szx,nd:quant,overlap:quant,overlap:raw", size,
                seconds, extra=("--algorithm", "ring"))]


def codecs(mode):
    fields = ["--fields", "{data}"] if mode == "full" else ["--fields", "{few}"]
    return [Measurement("codecs", ["{python}", "tools/figures/codec_table.py", "--build", "{build}", "--out", "{out}/", *fields],
                        45 if mode == "quick" else 400)]


def sums(mode):
    ranks, seconds = (16, 6) if mode == "quick" else (64, 150)
    return [Measurement("errors", ["{python}", "tools/figures/error_prediction.py", "--build", "{build}", "--most-ranks", ranks, "--out", "{out}/"],
                        seconds)]


def histograms(mode):
    words = ["{python}", "bench/paper/error_histograms.py", "--program", "{build}/cli/laconic", "--out", "{out}"]
    for field in LAB_FIELDS:
        words += ["--field", "{data}/" + field + ".f32"]
    return [Measurement("histograms", words, 3)]


def results(mode):
    words = ["{python}", "bench/paper/results_of_allreduce.py", "--dropin", "{build}/dropin/liblaconic-mpi.so", "--mpiexec", "{mpiexec}",
             "--out", "{out}"]
    for field in ("cesm_fv_PRECT_10x192x288", "les_wmag_91x91x91"):
        words += ["--field", "{data}/" + field + ".f32"]
    return [Measurement("results", words, 5)]


def nodes(mode):
    lines = ("plain MPI", "raw", "szx, input", "szx per hop, input", "quant, input", "quant, input, 4 threads")
    return [scale("allreduce-nodes", mode, "allreduce", 28, lines, 20 if mode == "quick" else 1500, algorithm="ring")]


def sizes(mode):
    count = "8" if mode == "quick" else "8,32"
    return [scale(f"allreduce-{size}MB", mode, "allreduce", size, ("plain MPI", "raw", "quant, input", "quant, input, 4 threads"),
                  2 + size // 10 if mode == "quick" else 60 + 2 * size, algorithm="ring", nodes=count) for size in SIZES[mode]]


def movement(mode):
    size, seconds = ("16M", 5) if mode == "quick" else ("64M", 150)
    found = [lab(operation, mode, operation, "cpr-p2p:szx,overlap:szx,overlap:quant", size, seconds)
             for operation in ("scatter", "bcast")]
    lines = ("plain MPI", "raw", "quant, input")
    return found + [scale(f"{operation}-nodes", mode, operation, 28, lines, 8 if mode == "quick" else 200)
                    for operation in ("scatter", "bcast")]


def stacking(mode):
    bounds = "1e-2,1e-3,1e-4,szx:1e-2,szx:1e-3,szx:1e-4,zfp:1e-2,zfp:1e-3,zfp:1e-4,zfp:rate:4"
    small = ["--shots", 4, "--offsets", 10, "--repeat", 2] if mode == "quick" else []
    return [Measurement("stacking", ["{python}", "examples/image_stacking/run.py", "--build", "{build}", "--mpiexec", "{mpiexec}",
                                     "--bounds", bounds, "--no-picture", "--out", "{out}/", *small],
                        12 if mode == "quick" else 500)]


def rings(mode):
    # With cpr-p2p each step of recursive doubling encodes the sum once and a rank's own operand stays exact: gZCCL's design.
    size, seconds = ("16M", 25) if mode == "quick" else ("64M", 320)
    codecs = ("quant", "szx", "zfp-rate8")
    return [lab(f"allreduce-{algorithm}", mode, "allreduce", ",".join(f"{v}:{c}" for v in ("overlap", "cpr-p2p") for c in codecs),
                size, seconds, fields=LAB_FIELDS[:1], extra=("--algorithm", algorithm))
            for algorithm in ("ring", "recursive-doubling")]


def messages(mode):
    size, seconds = ("4M", 6) if mode == "quick" else ("4M,16M,64M", 200)
    against = "nd:zfp-rate8,overlap:zfp-rate8,overlap:quant"
    found = [lab(operation, mode, operation, against, size, seconds, fields=LAB_FIELDS[:1], ranks=2)
             for operation in ("bandwidth", "bidirectional")]
    # Figure 3 has both rates and messages of up to 128 MB.
    found.append(lab("latency", mode, "latency", against + ",nd:zfp-rate16,overlap:zfp-rate16", size if mode == "quick" else "4M,16M,64M,128M",
                     10 if mode == "quick" else 900, extra=("--timeout", 1200), fields=LAB_FIELDS[:1], ranks=2))
    found.append(lab("stencil", mode, "stencil", against, "1M" if mode == "quick" else "4M,16M", seconds, fields=LAB_FIELDS[:1], ranks=8))
    chunks = ("1", "2", "4", "8", "16")
    return found + [lab(f"chunks-{n}", mode, "latency", "overlap:zfp-rate8", "4M" if mode == "quick" else "64M", 2 if mode == "quick" else 20, LAB_FIELDS[:1], 2,
                        ("--chunks", n)) for n in chunks]


FIGURES = [
    Figure("codecs", "C-Coll, Tables I to III; gZCCL, Table 1; Ramesh et al., Figure 1(a)",
           "throughput, ratio and PSNR of the codecs", codecs, draw.folder_pictures),
    Figure("error-histograms", "C-Coll, Figures 5 and 6",
           "errors of one encode and of the second in a chain, with the normal fit", histograms, draw.histograms),
    Figure("errors-of-sums", "C-Coll, Theorems 1 and 2", "errors of sums grow as the root of the number of ranks", sums,
           draw.folder_pictures),
    Figure("steps", "C-Coll, Figures 7 to 10 and Table V; gZCCL, Figure 2",
           "each step of the design adds speed; time by phase, with the ring without compression for comparison", steps, draw.phases),
    Figure("nodes", "C-Coll, Figure 12; gZCCL, Figure 10", "Allreduce over the number of nodes, simulated, 100 Gbit/s", nodes,
           draw.over_nodes),
    Figure("sizes", "C-Coll, Figure 11; gZCCL, Figure 9", "Allreduce over the size, simulated, 100 Gbit/s", sizes, draw.over_sizes),
    Figure("scatter-bcast", "C-Coll, Figure 16; gZCCL, Figures 8, 11 and 12", "Scatter and Bcast", movement, draw.speedups),
    Figure("results", "C-Coll, Figures 14 and 15", "results of an Allreduce on real fields: pictures, PSNR, NRMSE", results,
           draw.allreduce_results),
    Figure("stacking", "C-Coll, Figures 17 and 18; gZCCL, Table 2 and Figure 13", "image stacking with bounded and fixed-rate codecs",
           stacking, draw.stacking),
    Figure("ring-and-doubling", "gZCCL, Figure 7; Subramoni and Zhou, Allreduce with ZFP",
           "ring against recursive doubling, with frames added and with one encode per step (cpr-p2p)", rings, draw.speedups),
    Figure("messages", "Ramesh et al., Figures 3 to 6 and IV-A3",
           "latency, bandwidth, both ways, stencil 2 x 2 x 2, number of chunks", messages, draw.speedups),
    Figure("stencil-16", "Ramesh et al., Figure 6", "stencil 4 x 2 x 2 with ZFP in chunks, simulated, 100 Gbit/s", pipelined_stencil,
           draw.pipelining),
]

# Those that ask for something else than this command has.
ELSEWHERE = [
    ("gZCCL, Figures 3 and 6 to 13; Ramesh et al. and Subramoni and Zhou on GPUs", "./dev gpu, on a machine with a GPU"),
    ("Subramoni and Zhou, training", "./dev train, a quarter of an hour"),
]
