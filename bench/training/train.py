#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Accuracy of data-parallel training with compressed gradients: the experiment of the OSU group's GPU Allreduce with ZFP.

Trains a transformer on 4 workers and a convolutional network with batch normalisation on 16, on the handwritten digits that
scikit-learn brings (1257 images to train, 540 to test), with the reducers of reducers.py.  The workers are simulated: one
process computes the gradients of all of them, one after the other, and their mean with the frames that ranks would send.
Every reducer sees the same seeds: the same first weights and the same order of images.

Writes a table and a figure of accuracy, loss and bytes.  ./dev train sets up what it needs, and measures step times as well.
"""
import argparse, json, os, statistics, sys, time

import numpy as np
import torch
from sklearn.datasets import load_digits

import reducers

HERE = os.path.dirname(os.path.abspath(__file__))
BATCH = 128
EXPERIMENTS = {"transformer": {"workers": 4, "epochs": 20, "rate": 2e-3}, "cnn": {"workers": 16, "epochs": 10, "rate": 1e-3}}


class Transformer(torch.nn.Module):
    """Rows of an image are tokens: two layers of width 64 with 4 heads, without dropout."""

    def __init__(self):
        super().__init__()
        self.embed = torch.nn.Linear(8, 64)
        self.place = torch.nn.Parameter(0.02 * torch.randn(8, 64))
        layer = torch.nn.TransformerEncoderLayer(64, 4, 128, dropout=0.0, batch_first=True)
        self.layers = torch.nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.head = torch.nn.Linear(64, 10)

    def forward(self, x):
        return self.head(self.layers(self.embed(x.view(-1, 8, 8)) + self.place).mean(1))


def cnn():
    def block(n, m):
        return [torch.nn.Conv2d(n, m, 3, padding=1), torch.nn.BatchNorm2d(m), torch.nn.ReLU()]
    return torch.nn.Sequential(torch.nn.Unflatten(1, (1, 8, 8)), *block(1, 32), *block(32, 32), torch.nn.MaxPool2d(2), *block(32, 64),
                               torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten(), torch.nn.Linear(64, 10))


MODELS = {"transformer": Transformer, "cnn": cnn}


def digits():
    """(x, y) to train and to test; the division is the same for all seeds."""
    x, y = load_digits(return_X_y=True)
    x, y = torch.tensor(x / 16.0, dtype=torch.float32), torch.tensor(y)
    order = torch.tensor(np.random.default_rng(0).permutation(len(y)))
    return (x[order[:1257]], y[order[:1257]]), (x[order[1257:]], y[order[1257:]])


def run(model_name, make_reducer, seed):
    """One training: accuracy (percent), losses, ratio."""
    settings = EXPERIMENTS[model_name]
    workers = settings["workers"]
    (x, y), (tx, ty) = digits()
    torch.manual_seed(seed)
    model = MODELS[model_name]()
    optimizer = torch.optim.Adam(model.parameters(), lr=settings["rate"])
    reducer = make_reducer(workers)
    order = np.random.default_rng(seed)
    parameters = list(model.parameters())
    for _ in range(settings["epochs"]):
        shuffled = order.permutation(len(y))
        for begin in range(0, len(y) - BATCH + 1, BATCH):
            gradients = []
            for share in np.array_split(shuffled[begin:begin + BATCH], workers):
                optimizer.zero_grad()
                torch.nn.functional.cross_entropy(model(x[share]), y[share]).backward()
                gradients.append(torch.cat([p.grad.reshape(-1) for p in parameters]).numpy())
            mean, at = torch.from_numpy(reducer.mean(gradients)), 0
            for p in parameters:
                p.grad = mean[at:at + p.numel()].view_as(p).clone()
                at += p.numel()
            optimizer.step()
    model.eval()
    with torch.no_grad():
        loss = [torch.nn.functional.cross_entropy(model(a), b).item() for a, b in ((x, y), (tx, ty))]
        accuracy = 100 * (model(tx).argmax(1) == ty).float().mean().item()
    return {"accuracy": accuracy, "train_loss": loss[0], "test_loss": loss[1], "ratio": reducer.ratio,
            "parameters": sum(p.numel() for p in parameters)}


def spread(values):
    return statistics.mean(values), statistics.stdev(values) if len(values) > 1 else 0.0


def table(results, model_name):
    """Differences to plain are paired: of equal seeds.  SE: their standard error."""
    rows = results[model_name]
    plain = {r["seed"]: r for r in rows["plain"]}
    lines = ["| gradients | ratio | accuracy % | difference to plain (2 SE) | train loss | test loss |", "|---|---:|---:|---:|---:|---:|"]
    for name, runs in rows.items():
        difference, deviation = spread([r["accuracy"] - plain[r["seed"]]["accuracy"] for r in runs if r["seed"] in plain])
        lines.append("| %s | %.2f | %.1f ± %.1f | %s | %.3f | %.3f |" % (
            name, spread([r["ratio"] for r in runs])[0], *spread([r["accuracy"] for r in runs]),
            "" if name == "plain" else "%+.1f (%.1f)" % (difference, 2 * deviation / max(len(runs), 1) ** 0.5),
            spread([r["train_loss"] for r in runs])[0], spread([r["test_loss"] for r in runs])[0]))
    return "\n".join(lines)


def draw(results, path):
    """The paper's curve: accuracy and training loss against the ratio."""
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    figure, axes = plt.subplots(2, len(results), figsize=(5 * len(results), 7), squeeze=False)
    for column, (model_name, rows) in enumerate(results.items()):
        for row, (key, label) in enumerate((("accuracy", "test accuracy, %"), ("train_loss", "training loss"))):
            axis = axes[row][column]
            level = spread([r[key] for r in rows["plain"]])[0]
            axis.axhline(level, color="black", lw=0.8, label="plain")
            for family, marker in (("ring zfp", "o"), ("doubling zfp", "s"), ("direct rms", "^"), ("direct dense", "v"), ("fp16", "x")):
                points = [(spread([r["ratio"] for r in runs])[0], *spread([r[key] for r in runs]))
                          for name, runs in rows.items() if name.startswith(family)]
                if points:
                    x, y, e = zip(*sorted(points))
                    axis.errorbar(x, y, e, marker=marker, lw=1, capsize=2, label=family)
            axis.set_xlabel("ratio against float32")
            axis.set_ylabel(label)
            if key == "train_loss":
                axis.set_yscale("log")
            if row == 0:
                axis.set_title(f"{model_name}, {EXPERIMENTS[model_name]['workers']} workers")
            axis.legend(fontsize=7)
    figure.tight_layout()
    figure.savefig(path, dpi=110)


def main():
    known = reducers.all_reducers()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", action="append", choices=tuple(EXPERIMENTS), help="only this model (repeatable)")
    parser.add_argument("--only", action="append", metavar="NAME", choices=tuple(known), help="only this kind of gradients, and plain")
    parser.add_argument("--seeds", type=int, default=5, help="number of seeds (default: %(default)s)")
    parser.add_argument("--out", default=os.path.join(HERE, "..", "results", "training.json"), metavar="FILE")
    a = parser.parse_args()
    torch.set_num_threads(1)
    names = [name for name in known if not a.only or name in a.only or name == "plain"]
    results = {model: {name: [] for name in names} for model in a.model or EXPERIMENTS}
    total, done, begin = len(results) * len(names) * a.seeds, 0, time.monotonic()
    for model_name, rows in results.items():
        for name in names:
            for seed in range(1, a.seeds + 1):
                rows[name].append({"seed": seed, **run(model_name, known[name], seed)})
                done += 1
            accuracy = spread([r["accuracy"] for r in rows[name]])
            left = (time.monotonic() - begin) / done * (total - done)
            print("%3d of %d  %-12s %-22s %.1f ± %.1f %%, ratio %.2f; %d s left" % (
                done, total, model_name, name, *accuracy, rows[name][0]["ratio"], left), flush=True)
    os.makedirs(os.path.dirname(os.path.abspath(a.out)), exist_ok=True)
    with open(a.out, "w") as f:
        json.dump(results, f)
        f.write("\n")
    for model_name in results:
        print(f"\n{model_name}, {EXPERIMENTS[model_name]['workers']} workers, {results[model_name]['plain'][0]['parameters']} "
              f"parameters, {a.seeds} seeds\n\n{table(results, model_name)}")
    draw(results, os.path.splitext(a.out)[0] + ".png")
    print(f"\nnumbers: {os.path.relpath(a.out)}")


if __name__ == "__main__":
    sys.exit(main())
