# SPDX-License-Identifier: BSD-3-Clause
"""What a machine with a GPU and no network may lack: ./dev gpu --pack brings it together, ./dev gpu takes what it finds."""
import glob, os, pathlib, platform, shutil, zipfile

from . import needs
from .steps import ROOT, STATE, Failed, run, say

KIT = STATE / "gpu-kit"
NCCL = STATE / "nccl"  # its wheel is too large for the kit
MPICH = "mpich>=5,<6"
HEADERS = ("/usr/include/gtest", "/usr/include/gmock", "/usr/include/zfp", "/usr/include/zfp.h")
LIBRARIES = ("libgtest*.a", "libgmock*.a", "libzfp.so*")


def library_folders():
    return [f"/usr/lib/{platform.machine()}-linux-gnu", "/usr/lib64", "/usr/lib"]


def copy(path, folder):
    folder.mkdir(parents=True, exist_ok=True)
    if os.path.isdir(path):
        shutil.copytree(path, folder / os.path.basename(path), dirs_exist_ok=True)
    else:
        shutil.copy(path, folder)


def pack():
    shutil.rmtree(KIT, ignore_errors=True)
    missing = []
    for path in HEADERS:
        copy(path, KIT / "include") if os.path.exists(path) else missing.append(path)
    for pattern in LIBRARIES:
        hits = next((hits for folder in library_folders() if (hits := glob.glob(f"{folder}/{pattern}"))), None)
        for hit in hits or []:
            copy(hit, KIT / "lib")
        if not hits:
            missing.append(pattern)
    try:
        needs.make_venv()  # its pip; a fresh clone has none
        run("pack: the MPICH wheel", [needs.PYTHON, "-m", "pip", "download", "--disable-pip-version-check", "--no-deps",
                                      "--only-binary=:all:", "-d", KIT / "wheels", MPICH], 300)
    except Failed as error:
        say(str(error))
        missing.append(MPICH)
    total = sum(path.stat().st_size for path in KIT.rglob("*") if path.is_file())
    say(f"packed: {KIT.relative_to(ROOT)}, {total / 2**20:.0f} MiB" + (f"; missing: {', '.join(missing)}" if missing else ""))
    return 1 if missing else 0


def wheel():
    hits = glob.glob(str(KIT / "wheels" / "mpich-*.whl")) + glob.glob(str(STATE / "wheels" / "mpich-*.whl"))
    return hits[0] if hits else None


def unpack_mpi(folder):
    """The wheel's MPI in a folder of its own; its mpicc, or None. (pip install --target would lose the libraries.)"""
    path = wheel()
    if path is None:
        return None
    folder = pathlib.Path(folder)
    shutil.rmtree(folder, ignore_errors=True)
    with zipfile.ZipFile(path) as archive:
        archive.extractall(folder / "wheel")
    data = next((folder / "wheel").glob("*.data/data"), None)
    if data is None:
        raise Failed(f"{path}: there is no MPI in this wheel")
    for program in (data / "bin").iterdir():
        program.chmod(0o755)
    return data / "bin" / "mpicc"


def nccl(given):
    """The folder of NCCL: the given one, or the one beside the kit, if it is there."""
    folder = pathlib.Path(given).resolve() if given else NCCL
    missing = [name for name in ("include/nccl.h", "lib/libnccl.so.2") if not (folder / name).exists()]
    if given and missing:
        raise Failed(f"--nccl {given}: there is no {' and no '.join(missing)} in this folder")
    return None if missing else folder


def peers(args):
    """Options of CMake for the sources of codecs of others: the given folders, or those beside the kit."""
    options = {}
    for name, file in (("cuszp", "src/cuSZp_entry_1D_f32.cu"), ("cuzfp", "src/cuda_zfp/cuZFP.cu")):
        given = getattr(args, name)
        folder = pathlib.Path(given).resolve() if given else STATE / name
        if (folder / file).exists():
            options[f"LACONIC_{name.upper()}"] = folder
        elif given:
            raise Failed(f"--{name} {given}: there is no {file} in this folder")
    return options


def cmake_words():
    """Where CMake finds what the machine lacks itself."""
    words = []
    if not os.path.exists("/usr/include/gtest/gtest.h") and (KIT / "include" / "gtest").exists():
        words.append(f"-DGTEST_ROOT={KIT}")
    if not os.path.exists("/usr/include/zfp.h") and (KIT / "include" / "zfp.h").exists():
        words.append(f"-Dzfp_ROOT={KIT}")
    return words
