# SPDX-License-Identifier: BSD-3-Clause
"""The programs: what they need, how their inputs are made, how they start, and which of their results are compared."""
import dataclasses, gzip, os, pathlib, re, shutil, subprocess, sys

HERE = pathlib.Path(__file__).resolve().parent / "programs"
DEBIAN_PSEUDO = pathlib.Path("/usr/share/doc/quantum-espresso/examples/atomic/pseudo-LDA-0.5/Si.pz-vbc.UPF.gz")
FOAM = pathlib.Path("/usr/share/openfoam")
NUMBER = r"[-+]?\d+(?:\.\d*)?(?:[eEdD][-+]?\d+)?"
PREPARE_LIMIT = 300  # seconds


class Missing(Exception):
    """A program cannot be had here; the message says what is missing."""


def named(said, patterns, all_of_them=True):
    """The last number that each pattern finds. ValueError names what a program did not print; None stands for it where it
    may be missing, as iterations that do not converge."""
    found = {}
    for name, pattern in patterns.items():
        hits = re.findall(pattern, said, re.M)
        if not hits and all_of_them:
            raise ValueError(f"the output has no {name}")
        found[name] = float(hits[-1].replace("D", "e").replace("d", "e")) if hits else None
    if all(number is None for number in found.values()):
        raise ValueError("the output has none of " + ", ".join(patterns))
    return found


def lines_of(*names):
    """Patterns of lines that are a name and a number."""
    return {name: rf"^{name} ({NUMBER})$" for name in names}


@dataclasses.dataclass
class Program:
    name: str
    title: str
    size: str
    packages: tuple  # Debian's
    numbers: dict  # name: pattern
    command: object  # gives the words after mpiexec -n 4, the same in the folder of every run
    prepare: object = None  # makes the inputs in the folder of a run
    wheels: tuple = ()
    field: str = ""  # files of the result, all of which are compared bit by bit
    read: object = None  # of a file: its numbers, where they can be compared as such
    environment: dict = dataclasses.field(default_factory=dict)

    def files(self, folder):
        return sorted(folder.glob(self.field)) if self.field else []


def program(*names):
    for name in names:
        if shutil.which(name):
            return shutil.which(name)
    raise Missing(f"there is no {' or '.join(names)}")


def call(command, folder, **more):
    done = subprocess.run([str(word) for word in command], cwd=folder, capture_output=True, text=True,
                          timeout=PREPARE_LIMIT, **more)
    if done.returncode != 0:
        raise Missing(f"{command[0]}: exit code {done.returncode}\n{(done.stdout + done.stderr)[-2000:]}")
    return done.stdout


def compile_with(folder, source, flags):
    """Compiles a program of ours for the MPI of Debian's packages."""
    call([program("mpicc.openmpi"), "-O2", HERE / source, "-o", folder / "program", *flags, "-lm"], folder)


def petsc_flags(folder):
    return call(["pkg-config", "--cflags", "--libs", "petsc"], folder).split()


def copy(folder, *names):
    for name in names:
        shutil.copy(HERE / name, folder)


def silicon(folder):
    copy(folder, "silicon_qe.in")
    if not DEBIAN_PSEUDO.exists():
        raise Missing(f"there is no {DEBIAN_PSEUDO}")
    (folder / "silicon.UPF").write_bytes(gzip.decompress(DEBIAN_PSEUDO.read_bytes()))


def foam_environment():
    return {**os.environ, "WM_PROJECT_DIR": str(FOAM), "FOAM_ETC": str(FOAM / "etc")}


def cavity(folder):
    shutil.copytree(HERE / "cavity_openfoam", folder, dirs_exist_ok=True)
    for step in (["blockMesh"], ["decomposePar"]):
        call([program(step[0])], folder, env=foam_environment())


def doubles(path):
    import numpy
    return numpy.fromfile(path)


def petsc_vector(path):
    import numpy
    return numpy.fromfile(path, ">f8", offset=8)


def columns(path):
    """The numbers of a LAMMPS dump of one step, without its head."""
    import numpy
    return numpy.loadtxt(path, skiprows=9)[:, 1:].ravel()


def foam_vectors(path):
    """The vectors of a field that OpenFOAM has written as text."""
    import numpy
    inside = path.read_text().split("nonuniform List<vector>", 1)[1].split("boundaryField", 1)[0]
    return numpy.array([float(x) for x in re.findall(NUMBER, inside.split("(", 1)[1])])


PROGRAMS = [
    Program("fftw", "FFTW 3.3 MPI: flow in a periodic box", "64³, 10 steps", ("libfftw3-mpi-dev", "libfftw3-dev"),
            lines_of("energy", "enstrophy"), lambda: ["./program", 64, 10, "velocity"],
            lambda folder: compile_with(folder, "flow_fftw.c", ["-lfftw3_mpi", "-lfftw3"]), field="velocity.*", read=doubles),
    Program("mpi4py-fft", "mpi4py-fft: the same flow, in pencils", "64³, 10 steps", ("libfftw3-dev",),
            lines_of("energy", "enstrophy"), lambda: [sys.executable, HERE / "flow_mpi4py.py", 64, 10, "velocity"],
            wheels=("mpi4py-fft>=2.0.6,<3",), field="velocity.*", read=doubles, environment={"MPI4PY_MPIABI": "openmpi"}),
    Program("petsc", "PETSc DMDA: conjugate gradients", "96³", ("petsc-dev", "pkg-config"),
            lines_of("iterations", "residual", "norm"), lambda: ["./program", "-n", 96, "-out", "solution"],
            lambda folder: compile_with(folder, "poisson_petsc.c", petsc_flags(folder)), field="solution", read=petsc_vector),
    Program("lammps", "LAMMPS: molten salt, PPPM", "8000 ions, 40 steps", ("lammps",),
            lines_of("potential_energy", "kinetic_energy", "energy"),
            lambda: [program("lmp"), "-in", "salt_lammps.in", "-log", "log"], lambda folder: copy(folder, "salt_lammps.in"),
            field="positions.txt", read=columns),
    Program("qe", "Quantum ESPRESSO pw.x: silicon", "8 atoms, 16 Ry",
            ("quantum-espresso", "quantum-espresso-data"),
            {"energy": rf"^!\s+total energy\s+=\s+({NUMBER}) Ry", "iterations": r"convergence has been achieved in\s+(\d+) iter",
             "force": rf"Total force =\s+({NUMBER})"},
            lambda: [program("pw.x"), "-ndiag", 1, "-in", "silicon_qe.in"], silicon, field="silicon.save/charge-density.dat"),
    Program("cp2k", "CP2K: water", "8 molecules, PBE", ("cp2k", "cp2k-data"),
            {"energy": rf"ENERGY\| Total FORCE_EVAL.*:\s+({NUMBER})", "iterations": r"SCF run converged in\s+(\d+) steps",
             "force": rf"SUM OF ATOMIC FORCES(?:\s+{NUMBER}){{3}}\s+({NUMBER})"},
            lambda: [program("cp2k.psmp", "cp2k"), "-i", "water_cp2k.inp"], lambda folder: copy(folder, "water_cp2k.inp"),
            field="water-RESTART.wfn", environment={"CP2K_DATA_DIR": "/usr/share/cp2k"}),
    Program("openfoam", "OpenFOAM icoFoam: flow in a cavity", "48³ cells, 3 steps", ("openfoam",),
            {"residual": rf"Solving for p,.*Final residual = ({NUMBER})", "iterations": r"Solving for p,.*No Iterations (\d+)",
             "courant": rf"Courant Number mean: {NUMBER} max: ({NUMBER})"},
            lambda: [program("icoFoam"), "-parallel"], cavity, field="processor*/0.003/U", read=foam_vectors,
            environment={"WM_PROJECT_DIR": str(FOAM), "FOAM_ETC": str(FOAM / "etc")}),
]
