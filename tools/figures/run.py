# SPDX-License-Identifier: BSD-3-Clause
"""Makes the figures and tables of docs/: ./dev figures [--only codecs|errors] [arguments of that script]."""
import argparse, pathlib, subprocess, sys

HERE = pathlib.Path(__file__).resolve().parent
SCRIPTS = {"codecs": "codec_table.py", "errors": "error_prediction.py"}

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=sorted(SCRIPTS))
    args, rest = parser.parse_known_args()
    for name in [args.only] if args.only else SCRIPTS:
        code = subprocess.run([sys.executable, str(HERE / SCRIPTS[name]), *rest]).returncode
        if code:
            sys.exit(code)
