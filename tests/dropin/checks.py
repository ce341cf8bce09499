# SPDX-License-Identifier: BSD-3-Clause
"""Checks of run.py: each gets (args, what was said, the report's operations) and returns a list of problems."""
import re


def says(*words):
    """A check: these words are said, each of them once."""
    def check(args, said, entries):
        return [f"'{word}' is said {said.count(word)} times" for word in words if said.count(word) != 1]
    return check


def ratio(least, operations):
    """A check: these operations sent at most a share of what they would have weighed, though some blocks are exact."""
    def check(args, said, entries):
        return [f"{e['operation']}: ratio {e['ratio']}" for e in entries
                if e["operation"] in operations and e["compressed"] and e["ratio"] < least]
    return check


def plain(reason, *operations):
    """A check: some call of each of these operations was left to MPI for this reason."""
    def check(args, said, entries):
        found = {e["operation"] for e in entries if reason in e["plain"]}
        return [f"{o}: nothing left plain for {reason}" for o in operations if args.n > 1 and o not in found]
    return check


def never_plain(reason, *operations):
    """A check: no call of these operations was left to MPI for this reason."""
    def check(args, said, entries):
        return [f"{e['operation']}: left plain for {reason}" for e in entries
                if e["operation"] in operations and reason in e["plain"]]
    return check


def chosen(**algorithms):
    """A check: the report has classes of these collectives, and the tuner chose these algorithms for all of them."""
    def check(args, said, entries):
        if args.n == 1:
            return ["there are classes of the tuner"] if entries.classes else []
        found = {name: {c["algorithm"] for c in entries.classes if c["collective"] == name} for name in algorithms}
        problems = [f"{name}: the tuner chose {found[name]}" for name, one in algorithms.items() if found[name] != {one}]
        calls = {name: sum(e["calls"] for e in entries if e["operation"] == name) for name in algorithms}
        return problems + [f"{c['collective']}: {c['compressed']} of {c['calls']} calls, {calls[c['collective']]} in all"
                           for c in entries.classes if c["collective"] in algorithms
                           and not 0 <= c["compressed"] <= c["calls"] <= calls[c["collective"]]]
    return check


def tuned(args, said, entries):
    """A check: the classes of the tuner have calls, and what was not agreed on was not compressed."""
    if args.n > 1 and not entries.classes:
        return ["the report has no classes of the tuner"]
    return [f"a class of {c}" for c in entries.classes
            if c["calls"] < 1 or c["ranks"] > args.n or (c["compressed"] > 0 and c["plain_seconds"] <= 0)]


def all_of(*checks):
    return lambda args, said, entries: [problem for check in checks for problem in check(args, said, entries)]


def each_with_a_ratio(operation):
    """A check: every line of the report `each` about this operation has the ratio of a call that was compressed."""
    def check(args, said, entries):
        ratios = [float(r) for r in re.findall(rf"^laconic: {operation} \(.*, ratio ([0-9.]+),", said, re.M)]
        if args.n > 1 and not ratios:
            return [f"no call of {operation} is reported"]
        return [f"{operation}: a ratio of {ratio}" for ratio in ratios if ratio <= 0.9]
    return check


def audited(*operations):
    """A check: all compressed calls of these operations were audited, and the errors are those of a lossy bound of 1e-3."""
    def check(args, said, entries):
        if args.n == 1:
            return []
        found = {o: [e for e in entries if e["operation"] == o and e["audits"]] for o in operations}
        problems = [f"{o}: no audits" for o in operations if not found[o]]
        return problems + [f"{e['operation']}: {e['audits']} audits of {e['compressed']} calls, error {e['audit_error']}"
                           for e in sum(found.values(), [])
                           if e["audits"] != e["compressed"] or not 0 < e["audit_error"] <= 1e-3 * (1 + 1e-6)]
    return check


def bits_in(said):
    return {(part, rank): bits for part, rank, bits in re.findall(r"^bits (\w+) (\d+) ([0-9a-f]+)$", said, re.M)}


class Bits:
    """Checks of the bits of a whole program: a digest of the data of every rank after each part."""

    def __init__(self):
        self.right = {}

    def first(self, args, said, entries):
        self.right = bits_in(said)
        return [] if len({rank for _, rank in self.right}) == args.n else ["not every rank told its bits"]

    def same(self, args, said, entries):
        found = bits_in(said)
        if not self.right or found.keys() != self.right.keys():
            return ["there are no bits to compare with"]
        return [f"{part} on rank {rank}: other bits" for part, rank in self.right
                if found[part, rank] != self.right[part, rank]]

    def other(self, args, said, entries):
        """Compression that keeps all bits would make the comparison worthless."""
        found = bits_in(said)
        return [f"{part} on rank {rank}: the same bits as without compression" for part, rank in self.right
                if args.n > 1 and part != "begin" and found.get((part, rank)) == self.right[part, rank]]


class Suggestions:
    """Checks of the report's coverage: the bytes that settings would include are those that they do include."""

    def __init__(self, settings):
        self.settings = dict(settings)
        self.bytes = 0

    def make(self, args, said, entries):
        coverage = entries.coverage
        suggested = [of for of in coverage["plain"] if of["settings"]]
        for of in suggested:
            self.settings.update(dict(one.split("=", 1) for one in of["settings"].split()))
        self.bytes = coverage["compressed"] + sum(of["bytes"] for of in suggested)
        if args.n == 1:
            return ["bytes are reported that go from a rank to itself"] if coverage["bytes"] else []
        wanted = {"LACONIC_P2P=1", "LACONIC_INCLUDE=all"}
        return [f"suggested: {suggested}"] if {of["settings"] for of in suggested} != wanted else []

    def follow(self, args, said, entries):
        problems = []
        if entries.coverage["compressed"] != self.bytes:
            problems.append(f"{self.bytes} bytes should be compressed: {entries.coverage}")
        total = sum(of["bytes"] for of in entries.coverage["plain"]) + entries.coverage["compressed"]
        parts = [sum(e["plain_bytes"].values()) + e["bytes"] for e in entries]
        if not total == entries.coverage["bytes"] == sum(parts):
            problems.append(f"{sum(parts)} bytes in all operations, {total} in all shares: {entries.coverage}")
        return problems


def counted(**bytes_of_a_rank):
    """A check: these operations are never compressed, and sent as many bytes."""
    def check(args, said, entries):
        found = {e["operation"]: e["bytes"] for e in entries.never_compressed}
        right = {name: count(args.n) * args.n for name, count in bytes_of_a_rank.items()} if args.n > 1 else {}
        if "psend" not in found:  # new in MPI 4
            right.pop("psend", None)
        problems = [f"never compressed: {found}, not {right}"] if found != right else []
        stays = {of["what"]: of["bytes"] for of in entries.coverage["plain"]}
        if stays.get("an operation that is never compressed", 0) != sum(right.values()):
            problems.append(f"coverage: {entries.coverage}")
        return problems
    return check


def plain_for_nothing_but(reasons, operations):
    """A check: calls of these operations were left to MPI for these reasons alone."""
    def check(args, said, entries):
        return [f"{e['operation']}: plain for {set(e['plain']) - set(reasons)}" for e in entries
                if args.n > 1 and e["operation"] in operations and set(e["plain"]) - set(reasons)]
    return check


def differ(word):
    """The same, where there is another rank to differ from."""
    return lambda args, said, entries: says(word)(args, said, entries) if args.n > 1 else []
