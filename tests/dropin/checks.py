# SPDX-License-Identifier: BSD-3-Clause
"""Checks of run.py: each gets (args, what was said, the report's operations) and returns a list of problems."""
import html.parser, re

NOT_COMPARED = "rel:1e-6 is only a start, for no results were compared"


def says(*words):
    """A check: these words are said, each of them once."""
    def check(args, said, entries):
        return [f"'{word}' is said {said.count(word)} times" for word in words if said.count(word) != 1]
    return check


class Page(html.parser.HTMLParser):
    """Elements of a page that are not closed, or fetch something."""

    def __init__(self, text):
        super().__init__()
        self.open, self.problems, self.words = [], [], []
        self.feed(text)
        self.problems += [f"<{name}> is not closed" for name in self.open]

    def handle_starttag(self, name, attributes):
        if name in ("script", "link", "img", "iframe") or {"src", "href", "onload"} & {key for key, _ in attributes}:
            self.problems.append(f"<{name}> may fetch or run something")
        if name not in ("meta", "rect"):
            self.open.append(name)

    def handle_endtag(self, name):
        if name in ("meta", "rect"):
            return
        if not self.open or self.open.pop() != name:
            self.problems.append(f"</{name}> closes another element")

    def handle_data(self, text):
        self.words.append(text)


def page_with(*words):
    """A check: the page of the report is well-formed, needs nothing else, and its text has these words."""
    def check(args, said, entries):
        page = Page(entries.page)
        text = "".join(page.words)
        missing = [f"the page does not say '{word}'" for word in (*words, f"({args.n})") if word not in text]
        shown = any(name == "table" for name in re.findall(r"<(\w+)", entries.page))
        return page.problems + missing + ([] if shown else ["the page has no table"])
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


def compressed_bytes(bytes_of_all):
    """A check: messages of as many bytes were compressed."""
    def check(args, said, entries):
        found, right = entries.coverage["compressed"], bytes_of_all(args.n) if args.n > 1 else 0
        return [f"{found} bytes were compressed, not {right}"] if found != right else []
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


def coded_with(codec):
    """A check: every compressed collective of numbers was coded with this codec, according to the report."""
    def check(args, said, entries):
        return [f"{e['operation']}: {e['compressed']} calls compressed, by codec {e['codecs']}" for e in entries
                if e["operation"] != "send" and e["codecs"] != ({codec: e["compressed"]} if e["compressed"] else {})]
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


def errors(**limits):
    """A check: the largest error of each of these is within its bound and not far below it; with a bound of 0 there is none.

    Any other bound of the scenario is at least 10 times smaller or larger, so that each call is known to have had its own.
    """
    def check(args, said, entries):
        found = {}
        for name, error in re.findall(r"^error (\w+) (\S+)$", said, re.M):
            found[name] = max(float(error), found.get(name, 0))
        return [f"{name}: error {found.get(name)} with a bound of {limit}" for name, limit in limits.items()
                if name not in found or (args.n > 1 and not limit / 10 <= found[name] <= limit * (1 + 1e-6))]
    return check


def exceeded(*operations):
    """A check: the bound exceeds the median magnitude of the numbers in calls of these operations, and in no others."""
    def check(args, said, entries):
        found = {e["operation"] for e in entries if e["exceeded"]}
        return [f"warned of {found}"] if args.n > 1 and found != set(operations) else []
    return check


def bounded_by(**items):
    """A check: the report says that compressed calls of each of these operations had their bounds from these items."""
    def check(args, said, entries):
        found = {name: set() for name in items}
        for e in entries:
            if e["operation"] in found:
                found[e["operation"]] |= set(e["bounds"])
                if sum(e["bounds"].values()) != e["compressed"]:
                    return [f"{e['operation']}: {e['compressed']} compressed, bounds {e['bounds']}"]
        return [f"{name}: bounds of {found[name]}" for name, wanted in items.items() if args.n > 1 and found[name] != wanted]
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
        wanted = {"LACONIC_P2P=1", "LACONIC_INCLUDE=movement"}
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


class Profiled:
    """Checks of the profile of profile.cpp, and of the run that follows its suggestion."""

    def __init__(self):
        self.settings = {}
        self.bytes = 0

    # Calls, bytes, and what the contents look like, by operation, type and least size.
    @staticmethod
    def right(n):
        return {("allreduce", "double", 65536): (3, 3 * n * 96000, "numbers"),
                ("bcast", "double", 65536): (1, 96000, "integers"),
                ("allgather", "double", 1 << (n * 96000).bit_length() - 1): (1, n * 96000, "no_numbers"),
                ("gather", "double", 1 << (n * 96000).bit_length() - 1): (1, n * 96000, "numbers"),
                ("send", "float", 32768): (1, n * 48000, "numbers"),
                ("send", "byte", 65536): (1, n * 96000, "doubles"),
                ("send", "byte", 8192): (1, n * 12000, "no_numbers"),
                ("send", "double", 65536): (3, 3 * n * 96000, "numbers"),
                ("send", "double", 32768): (1, n * 48000, "numbers")}

    def make(self, args, said, entries):
        profile = entries.profile
        calls = {(c["operation"], c["type"], c["least_size"]): c for c in profile["calls"] if c["communicator"] == "grid"}
        if args.n == 1:
            return [f"a suggestion for one rank: {profile}"] if profile["calls"] or profile["suggestion"] else []
        right = self.right(args.n)
        problems = [f"calls of {set(calls)}, not {set(right)}"] if set(calls) != set(right) else []
        for key in set(calls) & set(right):
            c = calls[key]
            if (c["calls"], c["bytes"], c["contents"]) != right[key]:
                problems.append(f"{key}: {c}, not {right[key]}")
            ratios = [c["ratios"][bound] for bound in ("rel:1e-3", "rel:1e-6", "rel:1e-9", "lossless")]
            if (c["contents"] in ("numbers", "doubles")) and not (ratios[0] > ratios[1] >= ratios[2] >= 1 and ratios[1] > 1.2):
                problems.append(f"{key}: ratios {ratios}")
        suggestion = profile["suggestion"]
        self.settings.update(dict(one.split("=", 1) for one in suggestion["variables"].split()))
        self.bytes = suggestion["bytes"]
        # Integers in the memory of doubles and whole numbers are compressed without loss.
        # Bytes that look like doubles are read as doubles; text is not.
        if NOT_COMPARED not in suggestion["note"]:
            problems.append(f"note: {suggestion['note']}")
        included = sum(b for (_, kind, _), (_, b, looks) in right.items() if kind != "byte" or looks == "doubles")
        lossless = "allgather+type:double,bcast+type:double"
        if (suggestion["lossless"], suggestion["excluded"], self.bytes) != (lossless, "", included):
            problems.append(f"{suggestion}, not {included} bytes")
        for of in suggestion["by_range"]:
            if not (of["ratio_by_range"] > of["ratio"] >= 1 and of["narrow_blocks"] <= of["blocks"]):
                problems.append(f"by range: {of}")
        if not 0.2 * included < suggestion["saved"]["rel:1e-6"] < included:
            problems.append(f"saved: {suggestion['saved']}")
        alone = {of["settings"].partition("=rel:1e-6 ")[2]: of["bytes"] for of in profile["included"]}
        if alone[""] != right["allreduce", "double", 65536][1] or alone["LACONIC_MIN_BYTES=4096"] != alone[""]:
            problems.append(f"settings: {alone}")
        return problems

    def follow(self, args, said, entries):
        compressed = entries.coverage["compressed"]
        return [f"{self.bytes} bytes should be compressed: {entries.coverage}"] if compressed != self.bytes else []

    def excluded(self, *operations_and_types):
        pairs = set(zip(operations_and_types[::2], operations_and_types[1::2]))

        def check(args, said, entries):
            plain = {(c["operation"], c["type"]) for c in entries.profile["calls"]
                     if c["stays_plain"] == "not included, or excluded"}
            options = (entries.profile["suggestion"] or {"options": ""})["options"]
            return [f"excluded: {plain}, {options}"] if args.n > 1 and (
                plain != pairs or "--exclude send+type:float,allreduce " not in options) else []
        return check

    def printed(self, args, said, entries):
        wanted = (r"^  a b --bound allgather\+type:double=lossless,bcast\+type:double=lossless,rel:1e-6 --include "
                  r"all,send\+type:byte=double --min-bytes 4096 --report summary c%$")
        found = re.findall(wanted, said, re.M)
        problems = [f"the command line is printed {len(found)} times"] if len(found) != (args.n > 1) else []
        return problems + where_ranks_are_several(says(NOT_COMPARED))(args, said, entries)


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


def where_ranks_are_several(check):
    return lambda args, said, entries: check(args, said, entries) if args.n > 1 else []


def differ(word):
    """A check: this is said, once, where there is another rank to differ from."""
    return where_ranks_are_several(says(word))
