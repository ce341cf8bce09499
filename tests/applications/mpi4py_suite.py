# SPDX-License-Identifier: BSD-3-Clause
"""Runs mpi4py's own test suite on this rank, and writes down what became of every test.

    mpi4py_suite.py SUITE FOLDER SECONDS [--within E] [arguments for the suite's main.py]...

SUITE is the folder test/ of mpi4py's sources. FOLDER gets `rank-N.jsonl`, one line for each beginning and each outcome,
so that of a job that hangs the last line says where. After SECONDS without an end the rank says where it is, and ends.

Many tests assert that a floating-point number is exactly what it should be. With --within E numbers that differ by at
most E pass, and the outcome of the test is `rounded`, not `passed`. A test that failed would end on that rank alone,
and leave the others waiting for its next call.
"""
import argparse, faulthandler, json, numbers, os, resource, sys, time, traceback, unittest


def number(x):
    return isinstance(x, numbers.Complex)


class Tolerance:
    """Stands in for unittest's assertion that two numbers are equal."""

    def __init__(self, most):
        self.most, self.largest = most, 0.0

    def excuses(self, one, other):
        whole = isinstance(one, numbers.Integral) and isinstance(other, numbers.Integral)
        if whole or not number(one) or not number(other) or not abs(one - other) <= self.most:
            return False
        self.largest = max(self.largest, float(abs(one - other)))
        return True

    def install(self):
        strict = unittest.TestCase.assertEqual

        def lenient(case, one, other, msg=None):
            if not self.excuses(one, other):
                strict(case, one, other, msg)

        unittest.TestCase.assertEqual = lenient

    def take(self):
        """The largest difference since the last time."""
        largest, self.largest = self.largest, 0.0
        return largest


class Recorder(unittest.TestResult):
    """What is recorded: the names of tests that failed, with what they said; of the others only the outcome."""

    def __init__(self, out, tolerance):
        super().__init__()
        self.out, self.tolerance, self.began = out, tolerance, time.monotonic()

    def write(self, **what):
        self.out.write(json.dumps(what) + "\n")

    def startTest(self, test):
        super().startTest(test)
        self.began = time.monotonic()
        self.tolerance.take()
        self.write(begin=test.id())

    def outcome(self, test, outcome, error=None):
        said = "".join(traceback.format_exception(*error)) if error else ""
        off = self.tolerance.take()
        if outcome == "passed" and off > 0:
            outcome = "rounded"
        self.write(test=test.id(), outcome=outcome, seconds=round(time.monotonic() - self.began, 3), off=off, said=said)

    def addSuccess(self, test):
        self.outcome(test, "passed")

    def addFailure(self, test, error):
        super().addFailure(test, error)
        self.outcome(test, "failed", error)

    def addError(self, test, error):
        super().addError(test, error)
        self.outcome(test, "failed", error)

    def addSkip(self, test, reason):
        self.outcome(test, "skipped")

    def addExpectedFailure(self, test, error):
        self.outcome(test, "passed")

    def addUnexpectedSuccess(self, test):
        super().addUnexpectedSuccess(test)
        self.outcome(test, "failed")

    def addSubTest(self, test, subtest, error):
        super().addSubTest(test, subtest, error)
        if error is not None:
            self.outcome(subtest, "failed", error)


def run(suite, folder, tolerance):
    from mpi4py import MPI
    rank = MPI.COMM_WORLD.Get_rank()
    with open(os.path.join(folder, f"rank-{rank}.jsonl"), "w", buffering=1) as out:
        result = Recorder(out, tolerance)
        suite(result)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        result.write(ran=result.testsRun, peak_megabytes=peak)
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("suite")
    parser.add_argument("folder")
    parser.add_argument("seconds", type=float)
    parser.add_argument("--within", type=float, default=0.0)
    args, further = parser.parse_known_args()
    faulthandler.dump_traceback_later(args.seconds, exit=True)
    sys.path.insert(0, args.suite)
    sys.dont_write_bytecode = True
    from main import TestProgram
    tolerance = Tolerance(args.within)
    tolerance.install()

    class Program(TestProgram):
        def runTests(self):
            self.result = run(self.test, args.folder, tolerance)

    Program(module=None, argv=[os.path.join(args.suite, "main.py"), *further])
    faulthandler.cancel_dump_traceback_later()


if __name__ == "__main__":
    main()
