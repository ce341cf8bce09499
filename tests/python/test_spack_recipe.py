# SPDX-License-Identifier: BSD-3-Clause
"""Evaluates the recipe for Spack with a stand-in for Spack's directives, for every choice of variants."""
import contextlib, importlib.util, itertools, pathlib, re, sys, types, unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
RECIPE = ROOT / "packaging" / "spack" / "packages" / "laconic" / "package.py"
VARIANTS = ("mpi", "zfp", "cli", "python", "cuda")


class Directives:
    """What a recipe says, with the conditions of each statement."""

    def __init__(self):
        self.variants, self.dependencies, self.conditions, self.after, self.others = {"cuda": False}, [], [], [], []

    @contextlib.contextmanager
    def when(self, condition):
        self.conditions.append(condition)
        yield
        self.conditions.pop()

    def depends_on(self, spec, type=("build", "link"), when=""):
        self.dependencies.append((spec, type, " ".join([*self.conditions, when]).split()))

    def names(self):
        other = lambda *args, **kwargs: self.others.append((args, kwargs))
        run_after = lambda phase: lambda method: self.after.append((phase, method.__name__)) or method
        return {"depends_on": self.depends_on, "extends": lambda spec, when="": self.depends_on(spec, "run", when), "when": self.when,
                "variant": lambda name, default, description: self.variants.update({name: default}), "version": other,
                "license": other, "conflicts": other, "run_after": run_after, "working_dir": contextlib.nullcontext}


class Spec:
    def __init__(self, chosen, architectures):
        self.chosen = chosen
        self.variants = {"cuda_arch": types.SimpleNamespace(value=architectures)}

    def satisfies(self, condition):
        return self.chosen[condition[1:]] == (condition[0] == "+")


class Package:
    def __init__(self, spec):
        self.spec, self.prefix, self.stage = spec, "/prefix", types.SimpleNamespace(source_path="/source")

    def define(self, name, value):
        if isinstance(value, list):
            return f"-D{name}:STRING={';'.join(value)}"
        return f"-D{name}:BOOL={'ON' if value else 'OFF'}"

    def define_from_variant(self, name, variant):
        return self.define(name, self.spec.chosen[variant])


def read_recipe():
    said = Directives()
    modules = {name: types.ModuleType(name) for name in ("spack", "spack.package", "spack.build_systems", "spack.build_systems.python")}
    vars(modules["spack.package"]).update(said.names(), CMakePackage=Package, CudaPackage=type("CudaPackage", (), {}))
    modules["spack.build_systems.python"].PythonPipBuilder = types.SimpleNamespace(std_args=lambda package: ["install", "--no-deps"])
    kept = dict(sys.modules)
    sys.modules.update(modules)
    try:
        spec = importlib.util.spec_from_file_location("laconic_recipe", RECIPE)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    finally:
        for name in modules:
            sys.modules.pop(name, None)
        sys.modules.update({name: kept[name] for name in modules if name in kept})
    return module, said


class SpackRecipe(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.module, cls.said = read_recipe()
        text = "".join(path.read_text() for path in (ROOT / "CMakeLists.txt", *sorted((ROOT / "cmake").glob("*.cmake"))))
        cls.options = set(re.findall(r"^(?:option|set)\((LACONIC_[A-Z]+) ", text, re.MULTILINE))

    def choices(self):
        self.assertEqual(set(self.said.variants), set(VARIANTS))
        for values in itertools.product((False, True), repeat=len(VARIANTS)):
            chosen = dict(zip(VARIANTS, values))
            for architectures in ((("none",), ("80", "90")) if chosen["cuda"] else (("none",),)):
                with self.subTest(**chosen, architectures=architectures):
                    yield chosen, architectures, self.module.Laconic(Spec(chosen, architectures))

    def test_options(self):
        for chosen, architectures, package in self.choices():
            given = dict(re.fullmatch(r"-D(\w+):\w+=(.*)", text).groups() for text in package.cmake_args())
            architecture = given.pop("CMAKE_CUDA_ARCHITECTURES", None)
            self.assertEqual(architecture, "80;90" if architectures != ("none",) else None)
            self.assertLessEqual(set(given), self.options)
            self.assertEqual(given.pop("LACONIC_DEV"), "OFF")
            self.assertEqual(given, {f"LACONIC_{name.upper()}": "ON" if chosen[name] else "OFF" for name in ("mpi", "cli", "zfp", "cuda")})

    def test_dependencies(self):
        needed = {"mpi": {"mpi"}, "zfp": {"zfp"}, "cuda": {"cuda"}, "cli": {"cli11", "fmt", "help2man"},
                  "python": {"python", "py-pip", "py-scikit-build-core", "py-nanobind", "py-numpy"}}
        for chosen, _, package in self.choices():
            found = {re.split("[@+]", spec)[0] for spec, _, conditions in self.said.dependencies
                     if all(package.spec.satisfies(condition) for condition in conditions)}
            right = {"c", "cxx", "cmake"}.union(*(needed[name] for name in VARIANTS if chosen[name]))
            self.assertEqual(found, right | ({"py-mpi4py"} if chosen["python"] and chosen["mpi"] else set()))
        declared = (ROOT / "pyproject.toml").read_text()
        for name in ("scikit-build-core", "nanobind"):
            least = re.search(rf'"{name}>=([0-9.]+)"', declared)[1]
            self.assertTrue(any(spec == f"py-{name}@{least}:" for spec, _, _ in self.said.dependencies), name)

    def test_the_python_package(self):
        self.assertEqual(self.said.after, [("install", "install_python_package")])
        for chosen, _, package in self.choices():
            calls = []
            self.module.python = lambda *args: calls.append(args)
            package.install_python_package()
            settings = [f"--config-settings=cmake.define.LACONIC_{name.upper()}={'ON' if chosen[name] else 'OFF'}"
                        for name in ("mpi", "zfp", "cuda")]
            self.assertEqual(calls, [("-m", "pip", "install", "--no-deps", "--prefix=/prefix", *settings, ".")] if chosen["python"] else [])

    def test_the_sources_are_those_of_the_clone(self):
        self.assertEqual(self.module.Laconic.git, ROOT.as_uri())


if __name__ == "__main__":
    unittest.main()
