# SPDX-License-Identifier: BSD-3-Clause
"""Build trees: one per preset of CMakePresets.json, in build/<preset>."""
import json, os

from . import needs
from .steps import ROOT, STATE, run

CONFIGURE_LIMIT, BUILD_LIMIT = 300, 1500  # seconds
MPIEXEC = needs.VENV / "bin" / "mpiexec"


def presets():
    rows = json.loads((ROOT / "CMakePresets.json").read_text())["configurePresets"]
    return {row["name"]: row for row in rows if not row.get("hidden")}


def compiler_launcher():
    """Words in front of each call of a compiler: ccache, so that trees that differ in their MPI alone share the rest."""
    ccache = needs.program("ccache")
    if not ccache:
        return []
    # Names of files are taken relative to the repository, and the folder of a tree is no part of what is compared. Headers
    # are looked up in what the compiler says it read, since a run of the preprocessor costs as much as precompiled headers
    # save; the sloppiness is what ccache asks for before it deals with those.
    return ["env", f"CCACHE_DIR={STATE / 'ccache'}", f"CCACHE_BASEDIR={ROOT}", "CCACHE_NOHASHDIR=1", "CCACHE_DEPEND=1",
            "CCACHE_SLOPPINESS=pch_defines,time_macros", "CCACHE_MAXSIZE=2G", ccache]


def tools():
    """Arguments for CMake that name the programs of every tree."""
    return [f"-DPython3_EXECUTABLE={needs.PYTHON}", f"-DCMAKE_MAKE_PROGRAM={needs.program('ninja')}",
            *(f"-DCMAKE_{language}_COMPILER_LAUNCHER={';'.join(compiler_launcher())}" for language in ("C", "CXX"))]


def build(preset, jobs, targets=()):
    """Configures where needed and builds. Returns the tree's folder."""
    tree = ROOT / "build" / preset
    variables = presets()[preset].get("cacheVariables", {})
    command = [needs.cmake(), "--preset", preset, *tools()]
    if "MPI_C_COMPILER" not in variables and variables.get("LACONIC_MPI") != "OFF":
        command.append(f"-DMPI_C_COMPILER={needs.VENV / 'bin' / 'mpicc'}")
    run(f"{preset}: configure", command, CONFIGURE_LIMIT)
    command = [needs.cmake(), "--build", tree, "-j", jobs]
    if targets:
        command += ["--target", *targets]
    run(f"{preset}: build", command, BUILD_LIMIT, {**os.environ, "NINJA_STATUS": "[%f/%t] "})
    return tree
