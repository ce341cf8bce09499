# SPDX-License-Identifier: BSD-3-Clause
"""Numbers of a run for the table, and the table."""


def counted(report):
    """Of the report of a run: bytes in all calls, in compressed ones, and what these sent."""
    operations = report["operations"]
    return {"bytes": report["coverage"]["bytes"], "compressed": report["coverage"]["compressed"],
            "uncompressed": sum(one["uncompressed_bytes"] for one in operations),
            "wire": sum(one["wire_bytes"] for one in operations), "audits": sum(one["audits"] for one in operations),
            "exceeded": sum(one["exceeded"] for one in operations), "looked_at": sum(one["looked_at"] for one in operations),
            "plain": report["coverage"]["plain"]}


def share(part, whole):
    return part / whole if whole else 0.0


def where(profile, least=0.03):
    """The kinds of calls of a profile that carry the bytes: (operation, type, share, least and largest size class)."""
    kinds = {}
    for one in profile["calls"]:
        entry = kinds.setdefault((one["operation"], one["type"]), [0, one["least_size"], one["least_size"]])
        entry[0] += one["bytes"]
        if share(one["bytes"], profile["bytes"]) >= least:
            entry[1:] = min(entry[1], one["least_size"]), max(entry[2], one["least_size"])
    rows = [(operation, kind, share(count, profile["bytes"]), low, high) for (operation, kind), (count, low, high) in kinds.items()]
    return sorted((row for row in rows if row[2] >= least), key=lambda row: -row[2])


def difference(field, plain):
    """The norm of the difference of two fields, as a share of the norm of the plain one; None where there is no field."""
    if field is None or plain is None:
        return None
    import numpy
    if field.shape != plain.shape:
        raise ValueError(f"the fields have {field.size} and {plain.size} numbers")
    norm = numpy.linalg.norm(plain)
    return float(numpy.linalg.norm(field - plain) / norm) if norm else float(numpy.linalg.norm(field))


def size(count):
    for unit in ("B", "KiB", "MiB", "GiB"):
        if count < 1024 or unit == "GiB":
            return f"{count:g} {unit}"
        count //= 1024


def percent(part, whole):
    value = 100 * share(part, whole)
    return "0" if value == 0 else f"{value:.1f}" if value < 99.95 else "100"


def value(name, number):
    return f"{number:.0f}" if name == "iterations" else f"{number:.10g}"


def changes(numbers, plain):
    """How far the results of a run are from the plain ones."""
    said = []
    for name, number in numbers.items():
        if number is None:
            said.append(f"**no {name}**")
        elif name == "iterations":
            said.append(f"{name} {plain[name]:.0f} → {number:.0f}" if number != plain[name] else f"{name} {number:.0f}")
        elif number == plain[name]:
            said.append(f"{name} the same")
        else:
            said.append(f"{name} {abs(number - plain[name]) / max(abs(plain[name]), 1e-300):.1e}")
    return ", ".join(said)


def table(rows):
    """Rows of cells, the first with the titles, as a table of Markdown."""
    lines = ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]
    return "\n".join([lines[0], "|" + "---|" * len(rows[0]), *lines[1:]])


def sent(run):
    """Bytes that are sent, and those that would be without compression. Of compressed calls these are known; of the others
    they are taken to be what the ranks contribute."""
    others = run["bytes"] - run["compressed"]
    return others + run["wire"], others + run["uncompressed"]


def bytes_table(results):
    rows = [("program", "MB", "where the bytes are", "by default, %", "suggested, %", "ratio", "bytes sent, of plain, %",
             "bits with `--audit 1:plain`")]
    for one in results:
        kinds = "; ".join(f"{operation} {kind} {100 * part:.0f} % ({size(low)}" + (f" to {size(high)})" if high != low else ")")
                          for operation, kind, part, low, high in one["where"])
        runs, rest = one["runs"], ("-",) * 3
        if "suggested" in runs:
            run = runs["suggested"]
            rest = (percent(run["compressed"], run["bytes"]), f"{share(run['uncompressed'], run['wire']):.2f}", percent(*sent(run)))
        rows.append((one["title"], f"{one['profile_bytes'] / 1e6:.0f}", kinds,
                     percent(runs["default"]["compressed"], runs["default"]["bytes"]), *rest, bits(one)))
    return table(rows)


def bits(one):
    if not one["deterministic"]:
        return "differ between plain runs"
    if "audit" not in one["runs"]:
        return "-"
    return "equal" if one["runs"]["audit"]["same_bits"] else "**differ**"


def results_table(results):
    rows = [("program", "plain", "bound", "differences, relative", "norm of the difference of the fields", "ratio")]
    for one in results:
        for name, run in one["runs"].items():
            if name == "audit" or (name == "default" and run["compressed"] == 0):
                continue
            first = ", ".join(f"{key} {value(key, number)}" for key, number in one["numbers"].items())
            off = run["difference"]
            bound = run["bound"] + (", default" if name == "default" else "")
            rows.append((one["name"], first, bound, changes(run["numbers"], one["numbers"]),
                         "-" if off is None else f"{off:.1e}", f"{share(run['uncompressed'], run['wire']):.2f}"))
    return table(rows)


def commands(results):
    return "\n".join(f"{one['name']}: " + (f"laconic run {one['suggestion']}" if one["suggestion"] else "no settings")
                     for one in results)
