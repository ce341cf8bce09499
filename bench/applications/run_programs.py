#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs real programs plainly, under `laconic profile`, with the drop-in's default, and with the settings that the profile
suggests; says which share of their bytes was compressed, and what became of their results (README.md).

    run_programs.py --build TREE --mpiexec PATH [--only NAME]... [--out FOLDER] [--lab RATE [--rounds N]]
"""
import argparse, importlib.metadata, json, pathlib, shutil, subprocess, sys, tempfile

import catalogue, coverage_table, in_lab, jobs

BOUND = "rel:1e-6"  # of the profile's suggestion
CLOSER = "rel:1e-9"
ENOUGH = 0.85  # share of the bytes


def version(program):
    if program.wheels:
        name = program.wheels[0].split(">")[0]
        return f"{name} {importlib.metadata.version(name)}"
    package = program.packages[0]
    said = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", package], capture_output=True, text=True, timeout=60)
    return f"{package} {said.stdout.strip() or 'of unknown version'}"


def entry(run, plain, bound):
    return {**coverage_table.counted(run.report), "bound": bound, "numbers": run.numbers, "same_bits": run.same_bits(plain),
            "difference": coverage_table.difference(run.field, plain.field)}


def measure(program, site, folder):
    """All runs of a program, as an entry of the results."""
    def say(text):
        print(f"   {program.name}: {text}", flush=True)
    say("plain, twice")
    plain = jobs.plain(program, site, folder / "plain")
    again = jobs.plain(program, site, folder / "again")
    say("profile")
    profiled = jobs.profile(program, site, folder / "profile").report
    suggestion = profiled["suggestion"]
    result = {"name": program.name, "title": program.title, "size": program.size, "version": version(program),
              "numbers": plain.numbers, "deterministic": plain.same_bits(again), "profile_bytes": profiled["bytes"],
              "where": coverage_table.where(profiled), "stays_plain": profiled["stays_plain"],
              "suggestion": suggestion["options"] if suggestion else None, "runs": {}}
    runs = result["runs"]
    say("default")
    runs["default"] = entry(jobs.default(program, site, folder / "default", BOUND), plain, BOUND)
    if suggestion:
        for name, bound, audit in (("suggested", None, False), ("closer", CLOSER, False), ("audit", None, True)):
            say(f"{suggestion['options']}" + (f", {bound}" if bound else "") + (" --audit 1:plain" if audit else ""))
            done = jobs.suggested(program, site, folder / name, suggestion, bound, audit)
            runs[name] = entry(done, plain, bound or BOUND)
    return result


def problems(result):
    """What is wrong with the results of a program, in words."""
    found = []
    runs = result["runs"]
    if "suggested" in runs:
        part = coverage_table.share(runs["suggested"]["compressed"], runs["suggested"]["bytes"])
        if part < ENOUGH:
            found.append(f"the suggestion compresses {100 * part:.1f} % of the bytes: "
                         + "; ".join(f"{one['what']} {one['bytes'] / 1e6:.1f} MB" for one in runs["suggested"]["plain"]))
    else:
        found.append("the profile suggests nothing: "
                     + "; ".join(f"{one['what']} {one['bytes'] / 1e6:.1f} MB" for one in result["stays_plain"]))
    if result["deterministic"] and "audit" in runs and not runs["audit"]["same_bits"]:
        found.append("with --audit 1:plain the result is another one")
    if "audit" in runs and runs["audit"]["audits"] == 0:
        found.append("no call was audited")
    return found


def main():
    names = [program.name for program in catalogue.PROGRAMS]
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--build", required=True, type=pathlib.Path, help="tree for Open MPI, with the drop-in and laconic")
    parser.add_argument("--mpiexec", default="mpiexec.openmpi")
    parser.add_argument("--only", action="append", default=[], choices=names)
    parser.add_argument("--out", type=pathlib.Path, help="folder for results.json and tables.md")
    parser.add_argument("--lab", metavar="RATE", help="measure times in the network lab instead, as with 1gbit")
    parser.add_argument("--rounds", type=int, default=5, help="with --lab: runs of each kind, which take turns")
    args = parser.parse_args()
    build = args.build.resolve()
    site = jobs.Site(build / "cli" / "laconic", shutil.which(args.mpiexec) or args.mpiexec, build / "bench" / "lab" / "libidle.so")
    results, good = [], True
    for program in catalogue.PROGRAMS:
        if args.only and program.name not in args.only:
            continue
        print(f"== {program.title} ({program.size})", flush=True)
        try:
            with tempfile.TemporaryDirectory() as folder:
                if args.lab:
                    in_lab.measure(program, site, pathlib.Path(folder), build, args.lab, args.rounds)
                    continue
                results.append(measure(program, site, pathlib.Path(folder)))
        except catalogue.Missing as error:
            print(f"   NOT RUN: {error}", flush=True)
            continue
        except jobs.Wrong as error:
            print(f"   FAILED: {error}", flush=True)
            good = False
            continue
        for problem in problems(results[-1]):
            print(f"   {program.name}: {problem}", flush=True)
    if results:
        text = "\n\n".join((coverage_table.bytes_table(results), coverage_table.results_table(results), coverage_table.commands(results)))
        print("\n" + text)
        if args.out:
            args.out.mkdir(parents=True, exist_ok=True)
            (args.out / "results.json").write_text(json.dumps(results, indent=1) + "\n")
            (args.out / "tables.md").write_text(text + "\n")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
