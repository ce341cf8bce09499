# SPDX-License-Identifier: BSD-3-Clause
"""Build trees: one per preset of CMakePresets.json, in build/<preset>."""
import json, os

from . import needs
from .steps import ROOT, run

CONFIGURE_LIMIT, BUILD_LIMIT = 300, 1500  # seconds
MPIEXEC = needs.VENV / "bin" / "mpiexec"


def presets():
    rows = json.loads((ROOT / "CMakePresets.json").read_text())["configurePresets"]
    return {row["name"]: row for row in rows if not row.get("hidden")}


def build(preset, jobs, targets=()):
    """Configures where needed and builds. Returns the tree's folder."""
    tree = ROOT / "build" / preset
    variables = presets()[preset].get("cacheVariables", {})
    command = [needs.cmake(), "--preset", preset, f"-DPython3_EXECUTABLE={needs.PYTHON}",
               f"-DCMAKE_MAKE_PROGRAM={needs.program('ninja')}"]
    if "MPI_C_COMPILER" not in variables and variables.get("LACONIC_MPI") != "OFF":
        command.append(f"-DMPI_C_COMPILER={needs.VENV / 'bin' / 'mpicc'}")
    run(f"{preset}: configure", command, CONFIGURE_LIMIT)
    command = [needs.cmake(), "--build", tree, "-j", jobs]
    if targets:
        command += ["--target", *targets]
    run(f"{preset}: build", command, BUILD_LIMIT, {**os.environ, "NINJA_STATUS": "[%f/%t] "})
    return tree
