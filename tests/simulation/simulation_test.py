#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Collectives of 16 and more simulated ranks.  Arguments: the simulated program, a field, and names of tests."""
import json, pathlib, sys, tempfile, unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench" / "scale"))
import scale, simulation  # noqa: E402

PROGRAM = FIELD = ""
RATES = "10,5,5,10"  # GB/s, so that simulated times do not depend on the machine
LIMIT = 120  # seconds of one simulation


def run(ranks=16, network=None, **arguments):
    arguments = {name.replace("_", "-"): value for name, value in arguments.items()}
    if arguments.get("algorithm") != "mpi":
        arguments.setdefault("rates", RATES)
    return simulation.run(PROGRAM, network or simulation.Network(ranks), {"field": FIELD, "bytes": 1 << 18, **arguments},
                          limit=LIMIT)


class Simulation(unittest.TestCase):
    def check(self, found):
        self.assertTrue(found["bound_kept"], found)
        self.assertTrue(found["bits_equal"], found)
        self.assertGreater(found["seconds"], 0)

    def test_algorithms_give_the_same_bits(self):
        for bound in ("rel:1e-3", "rel:1e-5"):
            results = {name: run(algorithm=name, bound=bound) for name in scale.ALGORITHMS["allreduce"]}
            for found in results.values():
                self.check(found)
            self.assertEqual(len({found["hash"] for found in results.values()}), 1, bound)
            chunks = run(algorithm="ring", bound=bound, chunk=1024)
            self.assertEqual(chunks["hash"], results["ring"]["hash"])

    def test_hierarchical_gives_the_bits_of_the_others_and_spares_links(self):
        """4 nodes of 4 ranks, in both placements."""
        for round_robin in (False, True):
            network = simulation.Network(16, ranks_per_node=4, round_robin=round_robin)
            results = {name: run(network=network, algorithm=name, free_coding=True, rates=None, bytes=4 << 20)
                       for name in scale.algorithms_of("allreduce", 4)}
            self.assertIn("hierarchical", results)
            for found in results.values():
                self.check(found)
            self.assertEqual(len({found["hash"] for found in results.values()}), 1, round_robin)
            seconds = {name: found["seconds"] for name, found in results.items()}
            bound = scale.bandwidth_bound("allreduce", 4, 4 << 20, network.bits_per_second) / results["hierarchical"]["ratio"]
            self.assertLess(bound, seconds["hierarchical"])
            self.assertLess(seconds["hierarchical"], 2 * bound)
            self.assertLess(seconds["hierarchical"], seconds["recursive-halving"])
            if round_robin:
                self.assertLess(2 * seconds["hierarchical"], seconds["ring"])
            self.check(run(network=network, algorithm="hierarchical", codec="szx"))
            self.assertTrue(run(network=network, algorithm="hierarchical", codec="szx", per_hop=True)["bound_kept"])

    def test_hierarchical_needs_several_ranks_on_a_node(self):
        with self.assertRaisesRegex(RuntimeError, "does not serve"):
            run(algorithm="hierarchical")

    def test_two_runs_are_equal(self):
        first, second = run(), run()
        self.check(first)
        self.assertEqual(first, second)

    def test_every_collective_keeps_its_bound(self):
        for collective, algorithms in scale.ALGORITHMS.items():
            for algorithm in algorithms:
                with self.subTest(collective=collective, algorithm=algorithm):
                    self.check(run(collective=collective, algorithm=algorithm))
                    self.check(run(collective=collective, algorithm=algorithm, codec="raw"))

    def test_the_engine_reaches_the_bandwidth_bound(self):
        """Without compression, where coding takes no time, 28 MB."""
        network = simulation.Network(16)
        size = 28 << 20
        found = run(network=network, codec="raw", algorithm="ring", free_coding=True, rates=None, bytes=size)
        self.check(found)
        bound = scale.bandwidth_bound("allreduce", 16, size, network.bits_per_second)
        self.assertGreater(found["seconds"], bound)
        self.assertLess(found["seconds"], 1.15 * bound)

    def test_messages_of_two_ranks_arrive_in_order(self):
        """Where the wire takes longer than coding, rows do not delay each other, as the model takes it."""
        rows = lambda **more: run(algorithm="ring", free_coding=True, rates=None, bytes=8 << 20,
                                  chunk=(8 << 20) // 4 // 16 // 4, **more)
        found = rows()
        self.assertLess(found["seconds"], 1.1 * found["predicted_seconds"])
        self.assertGreater(rows(network=simulation.Network(16, connections=False))["seconds"], 1.1 * found["seconds"])

    def test_the_model_predicts_the_times(self):
        """Coding is as fast as the wire, and blocks are cut into a few rows or many.  How connections to several peers share
        a cable is in the model only roughly, which counts for direct."""
        for algorithm in ("ring", "recursive-halving", "direct"):
            for chunk in (0, 16384):
                for ranks in (4, 16):
                    found = run(ranks, algorithm=algorithm, bytes=4 << 20, rates="40,20,25,30", threads=4, chunk=chunk)
                    self.check(found)
                    factor = found["seconds"] / found["predicted_seconds"]
                    with self.subTest(algorithm=algorithm, chunk=chunk, ranks=ranks, factor=factor):
                        self.assertLess(max(factor, 1 / factor), 1.35 if algorithm == "direct" else 1.25)

    def exchange(self, collective="stencil", **more):
        arguments = {"collective": collective, "algorithm": scale.ALGORITHMS[collective][0], "grid": "4x2x2", **more}
        try:
            found = run(**arguments)
        except RuntimeError as error:
            if "zfp is not in this build" in str(error):
                self.skipTest("no libzfp")
            raise
        self.check(found)
        return found

    def test_neighbours_exchange_their_faces(self):
        """Plain messages and the library's are checked against the faces of the neighbours, and have the same bits."""
        for collective in scale.AMONG_NEIGHBORS:
            for grid in ("4x2x2", "16x1x1", "1x4x4"):
                with self.subTest(collective=collective, grid=grid):
                    exchange = lambda **more: self.exchange(collective, grid=grid, bytes=6 << 18, **more)
                    plain, raw = exchange(algorithm="mpi"), exchange(codec="raw", bound="abs:0.5")
                    self.assertEqual(plain["error"], 0)
                    self.assertEqual(raw["hash"], plain["hash"])
                    for bound in ("abs:0.5", "rel:1e-4"):
                        found = exchange(bound=bound)
                        self.assertGreater(found["error"], 0.5 * found["bound_result"])
                        self.assertLess(found["error"], 1.001 * found["bound_result"])
                        self.assertGreater(found["ratio"], 2)
                        self.assertNotEqual(found["hash"], plain["hash"])
                        self.assertEqual(exchange(bound=bound, no_overlap=True)["hash"], found["hash"])

    def test_chunks_of_a_stencil_hide_coding_behind_the_wire(self):
        """Where coding takes about as long as the wire.  Where it takes longer, the faces of one rank hide each other's wire."""
        faces = {"codec": "zfp", "bound": "rate:8", "bytes": 2 << 20, "network": simulation.Network(16, 100e9, 1e-7)}
        for rates, most in (("100,100,100,100", 0.85), ("5,5,5,5", 1.01)):
            whole = self.exchange(**faces, rates=rates, no_overlap=True)
            chunks = self.exchange(**faces, rates=rates, chunk=(2 << 20) // 4 // 4)
            self.assertEqual(whole["hash"], chunks["hash"])
            self.assertEqual([whole["messages"], chunks["messages"]], [4, 16])
            self.assertLess(chunks["seconds"], most * whole["seconds"])

    def test_a_part_of_a_stencil_takes_the_time_of_the_whole(self):
        for more in ({}, {"no_overlap": True}):
            whole = self.exchange(bytes=8 << 20, **more)
            part = self.exchange(bytes=1 << 20, part=8, network=simulation.Network(16, 100e9 / 8), **more)
            self.assertEqual([part["bytes"], part["messages"]], [whole["bytes"], whole["messages"]])
            self.assertAlmostEqual(part["seconds"] / whole["seconds"], 1, delta=0.02)

    def test_a_stencil_reaches_the_bandwidth_bound(self):
        network = simulation.Network(16)
        self.assertEqual(scale.balanced_grid(16), [4, 2, 2])
        self.assertEqual([scale.faces_that_leave([4, 2, 2], periodic, network) for periodic in (False, True)], [4, 6])
        self.assertEqual(scale.faces_that_leave([4, 2, 2], False, simulation.Network(16, ranks_per_node=4)), 8)
        bound = scale.bandwidth_bound("stencil", 16, 4 << 20, network.bits_per_second, 4)
        for arguments in ({"algorithm": "mpi"}, {"codec": "raw", "free_coding": True, "rates": None}):
            found = self.exchange(bytes=4 << 20, **arguments)
            self.assertGreater(found["seconds"], bound)
            self.assertLess(found["seconds"], 1.1 * bound)

    def test_one_result_of_all_ranks(self):
        for collective in ("allreduce", "allgather", "bcast"):
            both = [run(collective=collective, algorithm="ring", one_result=one) for one in (False, True)]
            for found in both:
                self.check(found)
            self.assertEqual(both[0], both[1])
        with self.assertRaisesRegex(RuntimeError, "--one-result"):
            run(collective="scatter", algorithm="direct", one_result=True)

    def test_rates_of_an_earlier_run(self):
        with tempfile.NamedTemporaryFile("w") as f:
            rows = [{"line": "quant, input", "nodes": nodes, "encode_GB_s": nodes, "fold_GB_s": 2, "add_GB_s": 3,
                     "decode_GB_s": 4} for nodes in (4, 128)]
            json.dump({"rows": rows}, f)
            f.flush()
            self.assertEqual(scale.rates_for(f.name, "quant, input, 4 threads", 8), "4,2,3,4")
            self.assertEqual(scale.rates_for(f.name, "quant, input", 100), "128,2,3,4")
            rows[0].update({"line": "zfp rate 8", "search_GB_s": 5})
            self.assertEqual([scale.rates_in(rows, "zfp rate 8" + end, 4) for end in ("", ", nd", ", 4 chunks")], ["4,2,3,4,5"] * 3)
            self.assertIsNone(scale.rates_in(rows, "zfp rate 16", 4))
            with self.assertRaises(SystemExit):
                scale.rates_for(f.name, "szx, input", 8)
        self.assertEqual(scale.rates_for("1,2,3,4", "raw", 8), "1,2,3,4")

    def test_simulated_mpi_is_there_to_compare_with(self):
        for collective in scale.ALGORITHMS:
            with self.subTest(collective=collective):
                self.assertGreater(run(collective=collective, algorithm="mpi")["seconds"], 0)

    def test_rates_and_threads_count(self):
        slow = run(rates="1,1,1,1")
        fast = run(rates="1,1,1,1", threads=4)
        free = run(free_coding=True, rates=None)
        self.assertEqual(slow["hash"], free["hash"])
        self.assertAlmostEqual(slow["coding_seconds"], 4 * fast["coding_seconds"], delta=1e-3 * slow["coding_seconds"])
        self.assertGreater(slow["seconds"], fast["seconds"])
        self.assertGreater(fast["seconds"], free["seconds"])
        self.assertEqual(free["coding_seconds"], 0)

    def test_invalid_arguments_are_named(self):
        for arguments, word in (({"algorithm": "chain"}, "--algorithm"), ({"bound": "rel:x"}, "--bound"),
                                ({"collective": "scan"}, "--collective"), ({"codec": "zip"}, "--codec"),
                                ({"grid": "4x2x2"}, "--grid"), ({"bound": "rate:8"}, "--bound"),
                                ({"collective": "stencil", "algorithm": "messages", "grid": "4x4x4"}, "--grid"),
                                ({"collective": "stencil", "algorithm": "direct"}, "--algorithm")):
            with self.assertRaisesRegex(RuntimeError, word):
                run(**arguments)


if __name__ == "__main__":
    PROGRAM, FIELD = sys.argv[1:3]
    if not simulation.available():
        sys.exit("smpirun is missing: apt-get install libsimgrid-dev")
    unittest.main(argv=[sys.argv[0], *("Simulation." + name for name in sys.argv[3:])])
