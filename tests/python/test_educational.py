# SPDX-License-Identifier: BSD-3-Clause
"""The decoder of docs/educational, which was written from docs/wire-format.md alone, reads what the library writes."""
import importlib.util, pathlib, subprocess, sys, unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "tests" / "golden"
DECODER = ROOT / "docs" / "educational" / "decode_frame.py"


def load(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


decode_frame = load(DECODER)
make = load(GOLDEN / "malformed" / "make.py")


class Golden(unittest.TestCase):
    def test_numbers_are_those_of_the_library(self):
        compared = 0
        for path in sorted(GOLDEN.glob("*.frame")):
            with self.subTest(path.name):
                frame = path.read_bytes()
                if frame[5] == decode_frame.NONE:
                    continue
                header, numbers = decode_frame.decode(frame)
                suffix = "." + decode_frame.TYPES[header.dtype]
                self.assertEqual(numbers, path.with_suffix(suffix).read_bytes())
                compared += 1
        self.assertGreater(compared, 10)

    def test_failed_frames_are_told_apart(self):
        with self.assertRaisesRegex(decode_frame.Malformed, "could not produce"):
            decode_frame.decode((GOLDEN / "failed.frame").read_bytes())


class Malformed(unittest.TestCase):
    def test_files_are_those_of_make(self):
        made = make.files()
        self.assertEqual(made.keys(), {p.name for p in make.HERE.iterdir() if p.suffix in (".frame", ".txt")})
        for name, contents in made.items():
            self.assertEqual((make.HERE / name).read_bytes(), contents, name)

    def test_every_frame_is_refused_in_the_words_expected(self):
        for line in (make.HERE / "errors.txt").read_text().splitlines():
            name, words = line.split("\t")
            with self.subTest(name), self.assertRaises(decode_frame.Malformed) as refused:
                decode_frame.decode((make.HERE / f"{name}.frame").read_bytes())
            self.assertIn(words, str(refused.exception), name)

    def test_good_frames_cut_anywhere_are_refused(self):
        for name in ("quant_f32_sum", "quant_f32_ties", "quant_f32_not_canonical", "raw_f32_special", "zfp_f64_sum",
                     "lossless_f32_special", "lossless_i8_normal"):
            frame = bytearray((GOLDEN / f"{name}.frame").read_bytes())
            for size in range(32, len(frame)):
                frame[12:16] = (size - 32).to_bytes(4, "little")
                with self.assertRaises(decode_frame.Malformed):
                    decode_frame.decode(bytes(frame[:size]))


class Command(unittest.TestCase):
    def run_on(self, path):
        return subprocess.run([sys.executable, DECODER, path], capture_output=True, text=True, timeout=60)

    def test_prints_header_and_numbers(self):
        done = self.run_on(GOLDEN / "quant_f64_fill.frame")
        self.assertEqual(done.returncode, 0, done.stderr)
        for word in ("(quant)", "2048", "0.396", "..."):
            self.assertIn(word, done.stdout)

    def test_says_what_is_wrong(self):
        done = self.run_on(GOLDEN / "malformed" / "quant_raw_empty.frame")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("malformed frame: a block of another size than its numbers have", done.stderr)


if __name__ == "__main__":
    unittest.main()
