# SPDX-License-Identifier: BSD-3-Clause
"""The codecs of the installed package, where there is neither an MPI nor a compiler."""
import numpy as np

import laconic

numbers = np.sin(1e-3 * np.arange(100000, dtype=np.float32))
frame = laconic.compress(numbers, "abs:1e-4")
back = laconic.decompress(frame)
error = np.abs(back - numbers).max()
print("ratio", numbers.nbytes / len(bytes(frame)), "within the bound" if 0 < error <= 1e-4 else f"wrong: {error}")
