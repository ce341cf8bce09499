# SPDX-License-Identifier: BSD-3-Clause
"""szx (codec 3): chunks of 5120 numbers behind an index; blocks of 128, constant, truncated or raw."""
import math, struct

from reader import Reader, layout_of, require, rounded

CHUNK, BLOCK = 5120, 128
WORDS = {"<f": ("<I", 32, 9), "<d": ("<Q", 64, 12)}  # the words of a type, their bits, those of sign and exponent


def truncated(reader, layout, n, length):
    word_layout, bits, _ = WORDS[layout]
    middle = reader.number(layout, "a block: its middle")
    bytes_of_word = -(-length // 8)
    packed = reader.take(-(-n // 4), "a block: its leading counts")
    counts = [packed[i // 4] >> 2 * (i % 4) & 3 for i in range(4 * len(packed))]
    require(max(counts) <= bytes_of_word, "a leading count larger than the word")
    require(not any(counts[n:]), "leading counts of numbers that the block does not have")
    out, word = b"", 0
    for count in counts[:n]:
        fresh = bytes_of_word - count
        low = int.from_bytes(reader.take(fresh, "a block: its words"), "little")
        word = word >> 8 * fresh << 8 * fresh | low
        v = struct.unpack(layout, struct.pack(word_layout, (word << bits - length) % 2**bits))[0]
        # float64 has room enough to add two float32 numbers and still round correctly.
        x = v + middle
        out += rounded(math.nan if math.isnan(x) else x, layout)
    return out


def chunk(reader, layout, count):
    _, bits, least = WORDS[layout]
    size, out = struct.calcsize(layout), bytearray()
    blocks = -(-count // BLOCK)
    states = reader.take(-(-blocks // 8), "the states of a chunk")
    states = [states[b // 8] >> b % 8 & 1 for b in range(8 * len(states))]
    require(not any(states[blocks:]), "states of blocks that the chunk does not have")
    for b in range(blocks):
        n = min(BLOCK, count - b * BLOCK)
        if states[b] == 0:
            out += reader.take(size, "a block: its number") * n
            continue
        length = reader.number("<B", "a block: its length")
        require(least <= length <= bits, "a length that blocks of this type do not have")
        out += reader.take(n * size, "a block: its numbers") if length == bits else truncated(reader, layout, n, length)
    require(reader.at_end(), "bytes after the last block of a chunk")
    return out


def decode(header, payload):
    require(header.step == 0, "szx with a step")
    reader, out = Reader(payload), bytearray()
    counts = [min(CHUNK, header.count - begin) for begin in range(0, header.count, CHUNK)]
    sizes = struct.unpack(f"<{len(counts)}I", reader.take(4 * len(counts), "the index"))
    for count, size in zip(counts, sizes):
        out += chunk(Reader(reader.take(size, "a chunk")), layout_of(header), count)
    require(reader.at_end(), "bytes after the last chunk")
    return bytes(out)
