#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The time of a training step with plain DistributedDataParallel, PyTorch's fp16 hook and laconic.torch, in turns.

    step_time.py --rate 1gbit --ranks 4 --build build/release       # in the network lab
    step_time.py --rate none --ranks 4                              # over loopback

An MLP of 2.2 million parameters (8.9 MB of gradients) in buckets of 4 MiB, gloo.  Each hook has a replica of the model of
its own; all of them make a step in every round.  The time of a step is that of the slowest rank.  PowerSGD is left out: it
aborts the process on gloo when there is more than one bucket.  Needs the Python package laconic and PyTorch.
"""
import argparse, fcntl, json, os, socket, statistics, struct, subprocess, sys, time

HERE = os.path.dirname(os.path.abspath(__file__))
VARIANTS = ("plain", "fp16", "rms:0.1", "rms:0.3", "dense rms:0.1", "dense rms:0.3", "tuned")
WARMUP = 10  # rounds


def address_of(interface):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        found = fcntl.ioctl(s.fileno(), 0x8915, struct.pack("256s", interface.encode()))  # SIOCGIFADDR
    return socket.inet_ntoa(found[20:24])


def rank_program(a):
    """One rank; PMI_RANK and PMI_SIZE come from the launcher."""
    rank, size = int(os.environ["PMI_RANK"]), int(os.environ["PMI_SIZE"])
    os.environ["GLOO_SOCKET_IFNAME"] = a.interface
    import torch
    import torch.distributed as dist
    from torch.distributed.algorithms.ddp_comm_hooks import default_hooks
    from torch.nn.parallel import DistributedDataParallel

    import laconic.torch
    torch.set_num_threads(1)
    network, _, host = address_of(a.interface).rpartition(".")
    # Rank r is on host r of the lab, whose addresses are in the same order.
    master = f"{network}.{int(host) - rank}" if a.interface != "lo" else "127.0.0.1"
    dist.init_process_group("gloo", init_method=f"tcp://{master}:29650", rank=rank, world_size=size)
    torch.manual_seed(1)
    sizes = (784, 1024, 1024, 350, 10)

    def model():
        layers = []
        for n, m in zip(sizes, sizes[1:]):
            layers += [torch.nn.Linear(n, m), torch.nn.ReLU()]
        return DistributedDataParallel(torch.nn.Sequential(*layers[:-1]), bucket_cap_mb=4)
    replicas, states = {}, {}
    for name in VARIANTS:
        replicas[name] = model()
        if name == "fp16":
            replicas[name].register_comm_hook(None, default_hooks.fp16_compress_hook)
        elif name != "plain":
            codec, _, bound = ("", "", "rms:0.1") if name == "tuned" else name.rpartition(" ")
            states[name] = laconic.torch.State(bound=bound, codec=codec or None, tune=name == "tuned")
            replicas[name].register_comm_hook(states[name], laconic.torch.hook)
    optimizers = {name: torch.optim.SGD(m.parameters(), lr=0.05) for name, m in replicas.items()}
    generator = torch.Generator().manual_seed(100 + rank)
    seconds = {name: [] for name in VARIANTS}
    for k in range(WARMUP + a.steps):
        x = torch.randn(a.batch // size, 784, generator=generator)
        y = torch.randint(10, (a.batch // size,), generator=generator)
        for name in VARIANTS[k % len(VARIANTS):] + VARIANTS[:k % len(VARIANTS)]:
            dist.barrier()
            begin = time.perf_counter()
            loss = torch.nn.functional.cross_entropy(replicas[name](x), y)
            optimizers[name].zero_grad()
            loss.backward()
            optimizers[name].step()
            took = torch.tensor([time.perf_counter() - begin])
            dist.all_reduce(took, op=dist.ReduceOp.MAX)
            seconds[name].append(took.item())
    if rank == 0:
        total = states["rms:0.1"].total()
        with open(a.out, "w") as f:
            json.dump({"seconds": {name: s[WARMUP:] for name, s in seconds.items()}, "total": str(total), "ranks": size,
                       "rate": a.rate, "parameters": sum(p.numel() for p in replicas["plain"].parameters())}, f)
    dist.barrier()
    dist.destroy_process_group()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ranks", type=int, default=4)
    parser.add_argument("--rate", default="1gbit", help="rate of each link of the lab; none: loopback")
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--batch", type=int, default=128, help="images of all ranks together")
    parser.add_argument("--build", metavar="DIR", help="build folder with bench/lab/libidle.so")
    parser.add_argument("--mpiexec", default="mpiexec")
    parser.add_argument("--out", default=os.path.join(HERE, "..", "results", "local", "step_time.json"))
    parser.add_argument("--interface", help=argparse.SUPPRESS)  # on the ranks
    a = parser.parse_args()
    if a.interface:
        return rank_program(a)
    a.out = os.path.abspath(a.out)
    os.makedirs(os.path.dirname(a.out), exist_ok=True)
    program = [sys.executable, os.path.abspath(__file__), "--steps", str(a.steps), "--batch", str(a.batch), "--rate", a.rate, "--out", a.out, "--interface",
               "lo" if a.rate == "none" else "eth0"]
    if a.rate == "none":
        done = subprocess.run([a.mpiexec, "-n", str(a.ranks), *program], capture_output=True, text=True, timeout=600)
    else:
        sys.path.insert(0, os.path.join(HERE, "..", "lab"))
        import lab
        done = lab.run(program, a.ranks, a.rate, None, a.mpiexec, a.build, [], 600)
    if done.returncode != 0:
        sys.exit((done.stderr or done.stdout)[-3000:])
    with open(a.out) as f:
        found = json.load(f)
    plain, fp16 = (statistics.median(found["seconds"][name]) for name in ("plain", "fp16"))
    print(f"{found['ranks']} ranks, {found['rate']}, {found['parameters']} parameters, batches of {a.batch}, {a.steps} steps")
    print("| hook | median ms | quartiles | of plain | of fp16 |\n|---|---:|---:|---:|---:|")
    for name, s in found["seconds"].items():
        low, middle, high = statistics.quantiles(s, n=4)
        print(f"| {name} | {1e3 * middle:.1f} | {1e3 * low:.1f} - {1e3 * high:.1f} | {middle / plain:.2f} | {middle / fp16:.2f} |")


if __name__ == "__main__":
    main()
