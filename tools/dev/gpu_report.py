# SPDX-License-Identifier: BSD-3-Clause
"""What ./dev gpu writes for people: summary.md, from the rows of bench_gpu and the outcomes of the steps."""
MIB = 1 << 20

# What is asked of the kernels of quant on float32, and hoped for: name, least, goal. Shares of the copy rate unless said otherwise.
ASKED = [
    ("encode, 1 GiB, share of the copy rate", 0.45, 0.75),
    ("decode, 1 GiB, share of the copy rate", 0.60, 0.85),
    ("merge, 1 GiB, share of the copy rate", 0.70, 0.90),
    ("encode of 1 MiB, µs", 15, 7),
    ("64 pieces of 1 MiB in one launch, times one of 64 MiB", 1.3, 1.05),
    ("direct against recursive doubling, 8 ranks of 256 MiB", 2, 3),
]


def size(count):
    for unit, name in ((1 << 30, "GiB"), (MIB, "MiB"), (1024, "KiB")):
        if count >= unit:
            return f"{count / unit:g} {name}"
    return f"{count:g} B"


def seconds(value):
    for unit, name in ((1, "s"), (1e-3, "ms")):
        if value >= unit:
            return f"{value / unit:.3g} {name}"
    return f"{value / 1e-6:.3g} µs"


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]) + "\n"


def pick(rows, **wanted):
    return [row for row in rows if all(row.get(name) == value for name, value in wanted.items())]


def found(rows):
    """The measured values of ASKED, None where there is none."""
    usual = dict(what="kernel", codec="quant", dtype="f32", mode="rel:1e-3", data="walk")

    def kernel(name, count, key):
        hits = pick(rows, kernel=name, bytes=count, **usual)
        return hits[0][key] if hits else None

    encode = kernel("encode", MIB, "median_s")
    pieces = pick(rows, what="pieces", codec="quant", pieces=64)

    def fastest(algorithm):
        hits = pick(rows, what="allreduce", codec="quant", algorithm=algorithm, ranks=8, bytes=256 * MIB)
        return min((row["median_s"] for row in hits), default=None)

    direct, doubling = fastest("direct"), fastest("recursive-doubling")
    return [*(kernel(name, 1024 * MIB, "copy_share") for name in ("encode", "decode", "merge")),
            encode and encode * 1e6, pieces[0]["times_one"] if pieces else None, direct and doubling and doubling / direct]


def asked(rows):
    lines = []
    for (name, least, goal), value in zip(ASKED, found(rows)):
        met = "not measured" if value is None else "yes" if (value <= least if goal < least else value >= least) else "**no**"
        lines.append((name, "-" if value is None else f"{value:.3g}", least, goal, met))
    return table(("what", "measured", "asked", "goal", "met"), lines)


def kernels(rows):
    out = []
    for codec, dtype in sorted({(r["codec"], r["dtype"]) for r in pick(rows, what="kernel")}):
        mine = pick(rows, what="kernel", codec=codec, dtype=dtype)
        lines = [(r["kernel"], r["data"], r["mode"], size(r["bytes"]), f"{r['ratio']:.2f}",
                  f"{seconds(r['median_s'])} [{seconds(r['least_s'])} - {seconds(r['greatest_s'])}]", f"{r['input_gbs']:.0f}",
                  f"{r['moved_gbs']:.0f}", f"{r['copy_share']:.2f}", ("yes" if r["compared"] else "-") if r["equal"] else "**no**")
                 for r in sorted(mine, key=lambda r: (r["kernel"], r["data"], r["mode"], r["bytes"]))]
        out.append(f"### {codec}, {dtype}\n\n" + table(("kernel", "data", "mode", "numbers", "ratio", "median [least - greatest]",
                                                        "GB/s of numbers", "GB/s moved", "of copy", "equals host"), lines))
    return "\n".join(out)


def peers(rows):
    """Codecs of others, and of ours the one with the same mode, on the same numbers."""
    lines = []
    ours = {(r["codec"], r["data"], r["mode"], r["bytes"], r["kernel"]): r for r in pick(rows, what="kernel", dtype="f32")}
    theirs = sorted(pick(rows, what="peer"), key=lambda r: (r["data"], r["mode"], r["bytes"], r["codec"]))

    def line(r, codec, ratio, encode, decode, error):
        return (r["data"], r["mode"], size(r["bytes"]), codec, f"{ratio:.2f}", f"{encode:.0f}", f"{decode:.0f}",
                "not finite" if error is None else f"{error:.3g}", f"{r['bound']:.3g}" if r["bound"] else "-")

    seen = set()
    for r in theirs:
        key = (r["data"], r["mode"], r["bytes"])
        if key not in seen:
            seen.add(key)
            for codec in ("quant", "zfp"):
                encode, decode = ours.get((codec, *key, "encode")), ours.get((codec, *key, "decode"))
                if encode and decode:
                    lines.append(line(r, codec, encode["ratio"], encode["input_gbs"], decode["input_gbs"], decode["greatest_error"]))
        lines.append(line(r, r["codec"], r["ratio"], r["encode_gbs"], r["decode_gbs"], r["greatest_error"]))
    return table(("data", "mode", "numbers", "codec", "ratio", "encode, GB/s of numbers", "decode, GB/s of numbers", "largest error", "bound"), lines)


def pieces(rows):
    return table(("codec", "pieces", "each", "one launch", "one array as long", "times", "equals host"),
                 [(r["codec"], f"{r['pieces']:g}", size(r["piece_bytes"]), seconds(r["median_s"]), seconds(r["one_median_s"]),
                   f"{r['times_one']:.2f}", "yes" if r["equal"] else "**no**") for r in pick(rows, what="pieces")])


def allreduce(rows):
    return table(("algorithm", "codec", "mode", "ranks", "each", "rows", "median [least - greatest]", "coding, all ranks", "sent", "ratio",
                  "largest error", "right"),
                 [(r["algorithm"], r["codec"], r["mode"], f"{r['ranks']:g}", size(r["bytes"]), f"{r['rows']:g}",
                   f"{seconds(r['median_s'])} [{seconds(r['least_s'])} - {seconds(r['greatest_s'])}]",
                   seconds(r["encode_s"] + r["decode_s"] + r["reduce_s"]), size(r["wire_bytes"]),
                   f"{r['uncompressed_bytes'] / max(r['wire_bytes'], 1):.2f}", f"{r['greatest_error']:.3g}", "yes" if r["equal"] else "**no**")
                  for r in pick(rows, what="allreduce")])


def nccl(rows):
    return table(("ranks", "each", "bits per number", "sent by each", "ncclAllReduce", "compressed", "times as fast", "largest error", "right"),
                 [(f"{r['ranks']:g}", size(r["bytes"]), f"{r['rate']:g}", size(r["sent_bytes"]), seconds(r["plain_s"]), seconds(r["compressed_s"]),
                   f"{r['plain_s'] / r['compressed_s']:.2f}", f"{r['greatest_error']:.3g}", "yes" if r["equal"] else "**no**")
                  for r in pick(rows, what="nccl")])


def summary(machine, outcomes, rows):
    """outcomes: triples of step, seconds, and what was said of it."""
    parts = [f"# {machine.get('gpu', 'no GPU')}\n"]
    if machine.get("emulated"):
        parts.append("**A rehearsal in the emulator: none of the times below means anything.**\n")
    parts.append(table(("", ""), [(key, value) for key, value in machine.items()]))
    parts.append("## Steps\n\n" + table(("step", "s", "outcome"), [(name, f"{took:.0f}", said) for name, took, said in outcomes]))
    if not rows:
        return "\n".join(parts)
    parts.append("## What is asked\n\n" + asked(rows))
    if pick(rows, what="kernel"):
        parts.append("## Kernels\n\nBytes moved are those that a kernel has to read and write; `of copy` is their share of what a copy "
                     "on the device moves in the same time.\n\n" + kernels(rows))
    if pick(rows, what="peer"):
        parts.append("### Beside the codecs of others\n\nTheirs are timed as whole calls of their API: calls of cuSZp contain allocations and "
                     "a wait of the host, which weigh least at the largest size.\n\n" + peers(rows))
    if pick(rows, what="pieces"):
        parts.append("## Pieces\n\n" + pieces(rows))
    if pick(rows, what="allreduce"):
        parts.append("## Allreduce of ranks on this one device\n\nThere is no network in these times: messages are copies in the "
                     "memory of the device. Coding overlaps, so that its sum over all ranks may exceed the time of the whole.\n\n" + allreduce(rows))
    if pick(rows, what="nccl"):
        parts.append("## Allreduce over NCCL\n\nA ring with frames of `zfp` at a fixed rate beside ncclAllReduce, on all GPUs of this machine in "
                     "one process. A single rank only copies.\n\n" + nccl(rows))
    for row in pick(rows, what="left_out"):
        if row["cases"]:
            parts.append(f"{row['cases']:g} cases of {row['topic']} were left out for want of time or memory.\n")
    return "\n".join(parts)
