#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""unpack.py FILE.xz TARGET: for the build, which must not depend on an xz command being installed."""
import lzma, os, shutil, sys

if len(sys.argv) != 3:
    sys.exit(__doc__)
unfinished = sys.argv[2] + ".part"  # a broken file must not pass for a finished one
with lzma.open(sys.argv[1]) as packed, open(unfinished, "wb") as raw:
    shutil.copyfileobj(packed, raw)
os.replace(unfinished, sys.argv[2])
