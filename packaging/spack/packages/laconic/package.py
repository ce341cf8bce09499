# SPDX-License-Identifier: BSD-3-Clause
"""Spack's recipe. The sources are those of the clone that holds it: packaging/README.md says how to use it."""
import pathlib

from spack.package import *

try:  # since Spack 1.0; before, spack.package has these names
    from spack_repo.builtin.build_systems.cmake import CMakePackage
    from spack_repo.builtin.build_systems.cuda import CudaPackage
    from spack_repo.builtin.build_systems.python import PythonPipBuilder
except ImportError:
    from spack.build_systems.python import PythonPipBuilder


class Laconic(CMakePackage, CudaPackage):
    """Error-bounded compressed communication for MPI: collectives and messages for programs in C and C++, a drop-in for
    unmodified programs, and a Python package."""

    git = pathlib.Path(__file__).resolve().parents[4].as_uri()

    license("BSD-3-Clause")

    version("main", branch="main")
    version("0.2.0", tag="v0.2.0")

    variant("mpi", default=True, description="Collectives, messages and the drop-in; without it, the codecs alone")
    variant("zfp", default=True, description="The baseline codec zfp")
    variant("cli", default=True, description="The command laconic")
    variant("python", default=False, description="The Python package laconic")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("mpi@3.1:", when="+mpi")
    depends_on("zfp@0.5.5:1.0", when="+zfp")
    depends_on("cuda@12:", when="+cuda")
    depends_on("cli11", type="build", when="+cli")
    depends_on("fmt", when="+cli")
    depends_on("help2man", type="build", when="+cli")

    extends("python@3.9:", when="+python")
    with when("+python"):
        depends_on("py-pip", type="build")
        depends_on("py-scikit-build-core@0.10:", type="build")
        depends_on("py-nanobind@2.4:", type="build")
        depends_on("py-numpy", type=("build", "run"))
        depends_on("py-mpi4py@4:", type=("build", "run"), when="+mpi")

    conflicts("%gcc@:10", msg="C++20 needs g++ 11 or newer")
    conflicts("cuda_arch=70", when="+cuda", msg="device code needs compute capability 8.0")

    def cmake_args(self):
        args = [
            self.define_from_variant("LACONIC_MPI", "mpi"),
            self.define_from_variant("LACONIC_CLI", "cli"),
            self.define_from_variant("LACONIC_ZFP", "zfp"),
            self.define_from_variant("LACONIC_CUDA", "cuda"),
            self.define("LACONIC_DEV", False),
        ]
        architectures = self.spec.variants["cuda_arch"].value if self.spec.satisfies("+cuda") else ("none",)
        if "none" not in architectures:
            args.append(self.define("CMAKE_CUDA_ARCHITECTURES", list(architectures)))
        return args

    @run_after("install")
    def install_python_package(self):
        """The extension modules hold the library, so they are built anew by the package's own build."""
        if not self.spec.satisfies("+python"):
            return
        on = lambda name: "ON" if self.spec.satisfies(f"+{name}") else "OFF"
        settings = [f"--config-settings=cmake.define.LACONIC_{name.upper()}={on(name)}" for name in ("mpi", "zfp", "cuda")]
        with working_dir(self.stage.source_path):
            python("-m", "pip", *PythonPipBuilder.std_args(self), f"--prefix={self.prefix}", *settings, ".")
