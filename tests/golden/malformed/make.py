#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Frames that a reader must refuse, one or more for every rule of docs/wire-format.md.

Writes NAME.frame and errors.txt: a line for each with its name and the words that the error must contain, that of the
library and that of the decoder of docs/educational. Run it after adding a row; the tests compare.
"""
import math, pathlib, struct

NONE, RAW, QUANT, SZX, ZFP, LOSSLESS, DENSE = range(7)
F32, F64, U8, I64 = 1, 2, 6, 11
EXACT, ACCURACY, RATE = range(3)
HERE = pathlib.Path(__file__).resolve().parent


def frame(codec=RAW, payload=b"\0" * 8, count=2, dtype=F32, step=0.0, error=0.0, flags=0, version=2, magic=b"LCON", size=None):
    size = len(payload) if size is None else size
    return magic + struct.pack("<BBBBIIdd", version, codec, dtype, flags, count, size, step, error) + payload


def quant(*blocks, count=16, step=0.5, after=b"", **more):
    """Blocks are (kind, body), or (kind, body, the size that the index says, in units of 2 bytes)."""
    index = [kind | (said[0] if said else len(body) // 2) << 3 for kind, body, *said in blocks]
    bodies = b"".join(body for _, body, *_ in blocks)
    return frame(QUANT, struct.pack(f"<{len(index)}H", *index) + bodies + after, count, step=step, **more)


def szx(*chunks, count=4, sizes=None, after=b"", **more):
    sizes = [len(c) for c in chunks] if sizes is None else sizes
    return frame(SZX, struct.pack(f"<{len(sizes)}I", *sizes) + b"".join(chunks) + after, count, **more)


def words(*numbers):
    return struct.pack(f"<{len(numbers)}H", *numbers)


def exceptions(count, mask, changes, values):
    head = words(count) + mask + changes
    return head + b"\0" * (len(head) % 2) + values


def masked(count, mask, changes, values, rest=b"", **more):
    """A frame of one masked block."""
    return quant((FILL, exceptions(count, mask, changes, values) + rest), **more)


def lossless(*blocks, count=16, **more):
    """Blocks are pairs of kind and body."""
    index = b"".join(struct.pack("<H", kind | len(body) // 2 << 3) for kind, body in blocks)
    return frame(LOSSLESS, index + b"".join(body for _, body in blocks), count, **more)


def packed(codes, planes, base=b"\0" * 4, shift=0, floor=0, bitmap=1):
    """A body of order 0 or 1 of lossless whose first group has these codes."""
    word = sum(c << 4 * k for k, c in enumerate(codes))
    return struct.pack("<H", shift | floor << 6) + base + struct.pack("<HH", bitmap, word) + b"\1\0" * planes


def truncated(length, counts, words, middle=0.0):
    """A szx chunk of one block of four numbers."""
    return b"\1" + bytes([length]) + struct.pack("<f", middle) + bytes([counts]) + words


def zfp(*pieces, count=4, mode=ACCURACY, zero=0, parameter=-3, sizes=None, after=b"", **more):
    sizes = [len(p) for p in pieces] if sizes is None else sizes
    return frame(ZFP, struct.pack(f"<BBh{len(sizes)}H", mode, zero, parameter, *sizes) + b"".join(pieces) + after, count, **more)


def dense(*entries, exponents=(), verbatim=b"", coded=b"", lag=0, count=16, step=0.5, verbatim_size=None, coded_size=None, after=b"", **more):
    """One segment; entries are kind + 8 * table; exponents are those of the parts of a scaled frame of format 1.0."""
    sizes = (len(verbatim) if verbatim_size is None else verbatim_size, len(coded) if coded_size is None else coded_size)
    head = struct.pack("<IIH", *sizes, lag) + bytes(entries) + struct.pack(f"<{len(exponents)}h", *exponents)
    return frame(DENSE, head + verbatim + coded + after, count, step=step, **more)


def parts(entry, *words_of_parts, lag=0, **more):
    """One segment of a scaled frame; words are kind + 8 (masked) + 16 (new cut) + 32 * (exponent + 1023)."""
    signed = [w - 65536 if w >= 32768 else w for w in words_of_parts]
    return dense(entry, exponents=signed, lag=lag | PARTS, step=1.0, flags=2, **more)


def exact(*entries, shift=0, rest=0, base=0, step=0.0, **more):
    """One segment of an exact frame; entries are kind + 8 * table, + 64 for exponents."""
    return dense(shift, rest, *struct.pack("<Q", base), *entries, step=step, **more)


def states(first=256):
    """Those of a coder; with table 0 of widths, 256 gives differences of 0 and 383 an escape."""
    return words(first, *[256] * 63)


CUT = "the payload ends in a block"
INDEX = "the index of lossless says that the payload has another size"
OTHER_SIZE = "a block of another size than the index says"
BEYOND = "a shift or width beyond the type's"
PIECE, PARAMETERS = "a piece of zfp is cut short or not valid", "parameters that zfp does not have"
WIDTHS, SIZE = "a block whose widths do not fit its size or its numbers", "a block of another size than its numbers have"
DENSE_WIDTHS = "a block whose widths do not fit its segment"
DENSE_EXCEPTIONS = "exceptions that do not fit their block or its segment"
PARTS, EXACT_SEGMENT = 1 << 15, 1 << 14  # beside the lag of a segment of dense
NO_EXPONENT = "a part with an exponent that its kind does not have"
X0 = 1023 << 5  # a part with exponent 0
MASKED, ALL, NONE_DIFFERS = 64, b"\1\0", b"\0"  # the bit of a block of dense; masks of 16 and of 15 bits
RAW_BLOCK, FILL = 3, 7  # kinds of quant; the others are orders 0, 1, 2 and, with wide or long groups, 4, 5, 6
LATTICE = (0, 1, 2, 4, 5, 6)
ZERO = (0, b"")
ONE_PLANE = 0 | 3 << 3  # the entry of order 0 with one plane
ONE = struct.pack("<f", 1.0)

ROWS = [
    # The header.
    ("empty", b"", "the header alone has 32"),
    ("header_cut", frame()[:31], "the header alone has 32"),
    ("magic", frame(magic=b"LCOM"), "wrong magic number"),
    ("version_0", frame(version=0), "version 0"),
    ("version_1", frame(version=1), "version 1"),
    ("version_3", frame(version=3), "version 3"),
    ("codec_unknown", frame(codec=99), "codec 99"),
    ("dtype_0", frame(dtype=0), "unknown type 0"),
    ("dtype_13", frame(dtype=13), "unknown type 13"),
    ("flag_unknown", frame(flags=4), "unknown flags 4"),
    ("flag_failed_and_unknown", frame(NONE, b"", flags=129), "unknown flags 129"),
    ("payload_short", frame(size=9), "payload of 9 bytes announced, 8 present"),
    ("payload_long", frame(size=7), "payload of 7 bytes announced, 8 present"),
    ("payload_largest", frame(size=2**32 - 1), "bytes announced, 8 present"),
    ("step_negative", quant(ZERO, step=-0.5), "step is not a finite number"),
    ("step_minus_zero", frame(step=-0.0), "step is not a finite number"),
    ("step_infinite", quant(ZERO, step=math.inf), "step is not a finite number"),
    ("step_nan", quant(ZERO, step=math.nan), "step is not a finite number"),
    ("error_negative", quant(ZERO, error=-1.0), "error is not a finite number"),
    ("error_minus_zero", frame(error=-0.0), "error is not a finite number"),
    ("error_infinite", quant(ZERO, error=math.inf), "error is not a finite number"),
    ("error_nan", quant(ZERO, error=math.nan), "error is not a finite number"),
    # Failed frames.
    ("failed", frame(NONE, b"", flags=1), "the sender could not produce these numbers"),
    ("failed_with_codec", frame(QUANT, b"", flags=1), "a failed frame has codec 0"),
    ("codec_0_not_failed", frame(NONE, b""), "a failed frame has codec 0"),
    ("failed_with_payload", frame(NONE, flags=1), "a failed frame with a payload"),
    ("failed_with_step", frame(NONE, b"", flags=1, step=1.0), "a failed frame with a payload, a step or an error"),
    ("failed_with_error", frame(NONE, b"", flags=1, error=1.0), "a failed frame with a payload, a step or an error"),
    # raw.
    ("raw_short", frame(payload=b"\0" * 7), "payload does not fit the count"),
    ("raw_long", frame(payload=b"\0" * 9), "payload does not fit the count"),
    ("raw_f64_of_f32_size", frame(dtype=F64), "payload does not fit the count"),
    ("raw_with_step", frame(step=1.0), "raw with a step or an error"),
    ("raw_with_error", frame(error=1.0), "raw with a step or an error"),
    # quant.
    ("quant_no_index", frame(QUANT, b"", 16, step=0.5), "the payload ends in the index"),
    ("quant_index_cut", frame(QUANT, b"\0", 16, step=0.5), "the payload ends in the index"),
    ("quant_second_entry_missing", quant(ZERO, count=1025), "the payload ends in the index"),
    ("quant_entry_too_many", quant(ZERO, ZERO), "bytes after the last block"),
    ("quant_bytes_for_no_numbers", quant(ZERO, count=0), "bytes after the last block"),
    ("quant_byte_after", quant(ZERO, after=b"\0"), "bytes after the last block"),
    ("quant_bytes_after_lattice", quant((0, words(1, 1, 1)), after=b"\0\0"), "bytes after the last block"),
    ("quant_bytes_after_raw", quant((RAW_BLOCK, ONE * 16), after=ONE), "bytes after the last block"),
    ("quant_body_missing", quant((0, b"", 3)), CUT),
    ("quant_body_cut", quant((0, words(1, 1), 3)), CUT),
    ("quant_body_cut_in_word", quant((0, words(1, 1) + b"\1", 3)), CUT),
    ("quant_body_largest", quant((0, b"\xff" * 200, 8191)), CUT),
    ("quant_second_body_cut", quant((0, words(1, 1, 1)), (0, words(1, 1), 3), count=1040), CUT),
    ("quant_raw_cut", quant((RAW_BLOCK, ONE * 15, 32)), CUT),
    ("quant_fill_cut", quant((FILL, ONE[:2], 2)), CUT),
    ("quant_raw_empty", quant((RAW_BLOCK, b"")), SIZE),
    ("quant_raw_short", quant((RAW_BLOCK, ONE * 15)), SIZE),
    ("quant_raw_long", quant((RAW_BLOCK, ONE * 17)), SIZE),
    ("quant_raw_of_a_full_block", quant(ZERO, (RAW_BLOCK, ONE * 1024), count=1040), SIZE),
    ("quant_raw_of_fill_size", quant((RAW_BLOCK, ONE)), SIZE),
    ("quant_fill_empty", quant((FILL, b"")), SIZE),
    ("quant_fill_of_raw_size", quant((FILL, ONE * 16)), WIDTHS),
    ("quant_fill_of_f64_size", quant((FILL, ONE * 2)), SIZE),
    ("quant_f64_fill_of_f32_size", quant((FILL, ONE), dtype=F64), SIZE),
    ("quant_f64_raw_of_f32_size", quant((RAW_BLOCK, ONE * 16), dtype=F64), SIZE),
    ("scaled_raw", frame(flags=2), "scaled, which those of raw never are"),
    ("scaled_failed", frame(NONE, b"", flags=3), "a failed frame that is scaled"),
    ("quant_scaled_step", quant(ZERO, flags=2), "scaled with another step than 1"),
    ("quant_scaled_index_cut", quant(ZERO, count=513, step=1.0, flags=2), "the payload ends in the index"),
    ("quant_scaled_no_exponent", quant((1, b""), step=1.0, flags=2), "a block that ends in its exponent"),
    ("quant_scaled_exponent_alone", quant((0, words(0)), step=1.0, flags=2), "a block that ends in its exponent"),
    ("quant_scaled_exponent_large", quant((0, words(1024, 1, 1, 1)), step=1.0, flags=2), "an exponent of a block beyond"),
    ("quant_scaled_exponent_small", quant((0, words(64513, 1, 1, 1)), step=1.0, flags=2), "an exponent of a block beyond"),
    ("quant_scaled_planes_cut", quant((0, words(0, 1, 1)), step=1.0, flags=2), WIDTHS),
    ("quant_zero_without_lattice", quant(ZERO, step=0.0), "without a lattice"),
    *((f"quant_kind_{k}_without_lattice", quant((k, words(1, 1, 1)), step=0.0), "without a lattice") for k in LATTICE),
    *((f"quant_kind_{k}_of_size_0", quant((k, b"")), WIDTHS) for k in LATTICE[1:]),
    ("quant_base_cut", quant((1, words(0))), WIDTHS),
    ("quant_order_1_bitmap_missing", quant((1, words(0, 0))), WIDTHS),
    ("quant_order_2_bitmap_missing", quant((2, words(0, 0))), WIDTHS),
    ("quant_wide_bitmap_missing", quant((4, words(0))), WIDTHS),
    ("quant_order_1_wide_bitmap_missing", quant((5, words(0, 0, 0))), WIDTHS),
    ("quant_order_2_wide_bitmap_missing", quant((6, words(0, 0, 0))), WIDTHS),
    ("quant_codes_missing", quant((0, words(1))), WIDTHS),
    ("quant_codes_of_second_group_missing", quant((0, words(3, 1)), count=1024), WIDTHS),
    ("quant_wide_codes_missing", quant((4, words(1, 1))), WIDTHS),
    ("quant_planes_missing", quant((0, words(1, 1))), WIDTHS),
    ("quant_planes_short", quant((0, words(1, 3, 0, 0))), WIDTHS),
    ("quant_planes_long", quant((0, words(1, 3, 0, 0, 0, 0))), WIDTHS),
    ("quant_planes_without_bitmap", quant((0, words(0, 1))), WIDTHS),
    ("quant_planes_with_signs_left_out", quant((0, words(1, 9, 0, 0))), WIDTHS),
    ("quant_planes_without_signs_short", quant((0, words(1, 15, *[0] * 6))), WIDTHS),
    ("quant_wide_read_as_narrow", quant((4, words(1, 0, 2, *[0] * 4))), WIDTHS),
    ("quant_narrow_read_as_wide", quant((4, words(1, 1, 2, *[0] * 2))), WIDTHS),
    ("quant_wide_read_as_long", quant((4, words(0, 1, 2, *[0] * 3))), WIDTHS),
    ("quant_long_read_as_wide", quant((4, words(1, 1, 2, *[0] * 14))), WIDTHS),
    ("quant_long_codes_missing", quant((4, words(0, 1))), WIDTHS),
    ("quant_codes_of_long_group_missing", quant((4, words(1, 2, 1, 0)), count=1024), WIDTHS),
    ("quant_width_16_short", quant((4, words(1, 1, 15, *[0] * 15))), WIDTHS),
    ("quant_width_21_short", quant((4, words(0, 1, 9, *[0] * 20))), WIDTHS),
    ("quant_width_21_long", quant((4, words(0, 1, 9, *[0] * 22))), WIDTHS),
    ("quant_width_32_short", quant((4, words(0, 1, 15, *[0] * 31))), WIDTHS),
    ("quant_width_32_long", quant((4, words(0, 1, 15, *[0] * 33))), WIDTHS),
    ("quant_width_beyond_sub_blocks", quant((0, words(1, 0x11, 1, 1))), WIDTHS),
    ("quant_width_without_signs_beyond_sub_blocks", quant((0, words(1, 0x91, 1, 1))), WIDTHS),
    ("quant_width_beyond_groups", quant((0, words(0x8000, 0x1000, 1))), WIDTHS),
    ("quant_wide_width_beyond_groups", quant((4, words(2, 2, 1, 1, 1))), WIDTHS),
    ("quant_long_width_beyond_groups", quant((4, words(0, 2, 1, *[1] * 12))), WIDTHS),
    # Far blocks: a word 0, the entries of two blocks, and their bodies; ONE_PLANE is a block of 3 words.
    ("quant_far_head_cut", quant((FILL, words(0, ONE_PLANE, 0))), WIDTHS),
    ("quant_far_first_word", quant((FILL, words(1, ONE_PLANE, 0, 1, 1, 1))), WIDTHS),
    ("quant_far_body_short", quant((FILL, words(0, ONE_PLANE, 0, 1, 1))), WIDTHS),
    ("quant_far_body_long", quant((FILL, words(0, ONE_PLANE, 0, 1, 1, 1, 0))), WIDTHS),
    ("quant_far_high_body_missing", quant((FILL, words(0, ONE_PLANE, ONE_PLANE, 1, 1, 1))), WIDTHS),
    ("quant_far_low_raw", quant((FILL, words(0, RAW_BLOCK | 32 << 3, 0) + ONE * 16)), WIDTHS),
    ("quant_far_high_fill", quant((FILL, words(0, ONE_PLANE, FILL | 2 << 3, 1, 1, 1) + ONE)), WIDTHS),
    ("quant_far_low_of_size_0", quant((FILL, words(0, 1, ONE_PLANE, 1, 1, 1))), WIDTHS),
    ("quant_far_low_planes_short", quant((FILL, words(0, ONE_PLANE, 0, 1, 3, 1))), WIDTHS),
    ("quant_far_high_planes_short", quant((FILL, words(0, 0, ONE_PLANE, 1, 3, 1))), WIDTHS),
    ("quant_far_high_base_cut", quant((FILL, words(0, ONE_PLANE, 1 | 2 << 3, 1, 1, 1, 7, 0))), WIDTHS),
    ("quant_far_width_beyond_sub_blocks", quant((FILL, words(0, 0, 4 << 3, 1, 0x11, 1, 1))), WIDTHS),
    ("quant_far_cut", quant((FILL, words(0, ONE_PLANE, 0, 1, 1), 6)), CUT),
    ("quant_far_without_lattice", quant((FILL, words(0, ONE_PLANE, 0, 1, 1, 1)), step=0.0), "without a lattice"),
    ("quant_masked_other_count", masked(2, b"\2\5\1", b"\0", ONE, words(0)), WIDTHS),
    ("quant_masked_more_than_numbers", masked(17, b"\1\0", b"\0", ONE, words(0)), WIDTHS),
    ("quant_masked_no_exceptions_in_mask", masked(1, b"\0", b"\0", ONE, words(0)), WIDTHS),
    ("quant_masked_mask_cut", masked(1, b"\x20\5\1", b"\0", ONE, words(0)), WIDTHS),
    ("quant_masked_runs_beyond", masked(2, b"\2\x0e\3", b"\0", ONE, words(0)), WIDTHS),
    ("quant_masked_changes_beyond", masked(2, b"\2\5\2", b"\2\0\2", ONE, words(0)), WIDTHS),
    ("quant_masked_values_cut", masked(2, b"\2\5\2", b"\1\0", ONE), WIDTHS),
    ("quant_masked_no_points", masked(1, b"\2\5\1", b"\0", ONE), WIDTHS),
    ("quant_masked_points_cut", masked(1, b"\2\5\1", b"\0", ONE, words(ONE_PLANE, 1, 1)), WIDTHS),
    ("quant_masked_bytes_after_points", masked(1, b"\2\5\1", b"\0", ONE, words(0, 0)), WIDTHS),
    ("quant_masked_points_of_all", masked(16, b"\1\0", b"\0", ONE, words(0)), WIDTHS),
    ("quant_masked_raw_inside", masked(1, b"\2\5\1", b"\0", ONE, words(RAW_BLOCK | 30 << 3) + ONE * 15), WIDTHS),
    ("quant_masked_masked_inside", masked(1, b"\2\5\1", b"\0", ONE, words(FILL | 6 << 3, 1, 0x0502, 1) + ONE + words(0)), WIDTHS),
    ("quant_masked_planes_short", masked(1, b"\2\5\1", b"\0", ONE, words(ONE_PLANE, 1, 3, 1)), WIDTHS),
    ("quant_masked_without_lattice", masked(1, b"\2\5\1", b"\0", ONE, words(0), step=0.0), "without a lattice"),
    ("quant_masked_scaled_exponent", masked(1, b"\2\5\1", b"\0", ONE, words(ONE_PLANE + 8, 1024, 1, 1, 1), step=1.0, flags=2), "an exponent of a block beyond"),
    ("quant_masked_scaled_no_exponent", masked(1, b"\2\5\1", b"\0", ONE, words(1 << 3, 0), step=1.0, flags=2), "a block that ends in its exponent"),
    ("quant_far_scaled_exponent", quant((FILL, words(0, 1024, ONE_PLANE, 0, 1, 1, 1)), step=1.0, flags=2), "an exponent of a block beyond"),
    ("quant_far_scaled_head_cut", quant((FILL, words(0, 1, ONE_PLANE)), step=1.0, flags=2), WIDTHS),
    ("quant_far_scaled_other_size", quant((FILL, words(0, 1, ONE_PLANE, 0, 1, 1, 1, 1)), step=1.0, flags=2), WIDTHS),
    ("quant_long_width_beyond_sub_blocks", quant((4, words(0, 1, 0x11, *[1] * 24))), WIDTHS),
    # szx.
    ("szx_with_step", szx(b"\0" + ONE, step=1.0), "szx with a step"),
    ("szx_index_cut", frame(SZX, b"\5\0\0", 4), "the payload ends in the index"),
    ("szx_chunk_cut", szx(b"\0" + ONE, sizes=[6]), "the payload ends in a chunk"),
    ("szx_second_chunk_missing", szx(b"\0\0\0\0\0" + ONE * 40, count=5121, sizes=[165]), "the payload ends in a chunk"),
    ("szx_bytes_for_no_numbers", frame(SZX, b"\0", 0), "bytes after the last chunk"),
    ("szx_bytes_after", szx(b"\0" + ONE, after=b"\0"), "bytes after the last chunk"),
    ("szx_bytes_in_chunk", szx(b"\0" + ONE + b"\0"), "bytes after the last block of a chunk"),
    ("szx_states_cut", szx(b""), "the payload ends in the states"),
    ("szx_state_of_no_block", szx(b"\2" + ONE), "states of blocks that the chunk does not have"),
    ("szx_constant_cut", szx(b"\0" + ONE[:3]), CUT),
    ("szx_length_missing", szx(b"\1"), CUT),
    ("szx_length_8", szx(truncated(8, 0, b"\0" * 4)), "a length that blocks of this type do not have"),
    ("szx_length_33", szx(truncated(33, 0, b"\0" * 20)), "a length that blocks of this type do not have"),
    ("szx_raw_cut", szx(b"\1\x20" + ONE * 3), CUT),
    ("szx_middle_cut", szx(b"\1\x09" + ONE[:3]), CUT),
    ("szx_counts_cut", szx(b"\1\x09" + ONE), CUT),
    ("szx_words_cut", szx(truncated(9, 0, b"\0" * 7)), CUT),
    ("szx_count_larger_than_word", szx(truncated(9, 3, b"\0" * 6)), "a leading count larger than the word"),
    ("szx_count_of_no_number", szx(truncated(9, 0x40, b"\0" * 6), count=3),
     "leading counts of numbers that the block does not have"),
    # zfp. A bit 0 is a block of zeros; one byte of them is what four numbers take.
    ("zfp_with_step", zfp(b"\0", step=1.0), "zfp with a step"),
    ("zfp_head_cut", frame(ZFP, b"\1\0\0", 0), "no room for the index of zfp"),
    ("zfp_index_cut", frame(ZFP, b"\1\0\0\0\1", 4), "no room for the index of zfp"),
    ("zfp_second_size_missing", zfp(b"", count=4097), "no room for the index of zfp"),
    ("zfp_mode_3", zfp(b"\0", mode=3), PARAMETERS),
    ("zfp_mode_1_and_a_bit", zfp(b"\0", zero=1), PARAMETERS),
    ("zfp_exact_with_parameter", zfp(ONE * 4, mode=EXACT, parameter=1), PARAMETERS),
    ("zfp_exponent_too_low", zfp(b"\0", parameter=-1075), PARAMETERS),
    ("zfp_exponent_too_high", zfp(b"\0", parameter=1024), PARAMETERS),
    ("zfp_rate_too_low", zfp(b"\0", mode=RATE, parameter=8), PARAMETERS),
    ("zfp_rate_of_raw", zfp(b"\0" * 16, mode=RATE, parameter=128), PARAMETERS),
    ("zfp_f64_rate_too_low", zfp(b"\0", mode=RATE, parameter=11, dtype=F64), PARAMETERS),
    ("zfp_exact_with_stream", zfp(b"\0", mode=EXACT, parameter=0), PIECE),
    ("zfp_piece_empty", zfp(b""), PIECE),
    ("zfp_piece_cut", zfp(b"\0", sizes=[2]), PIECE),
    ("zfp_piece_longer_than_numbers", zfp(b"\0" * 17), PIECE),
    ("zfp_stream_cut", zfp(b"\xff" * 4, parameter=-1000), PIECE),
    ("zfp_stream_long", zfp(b"\0\0"), PIECE),
    ("zfp_rate_cut", zfp(b"\0" * 3, mode=RATE, parameter=32), PIECE),
    ("zfp_bytes_after", zfp(b"\0", after=b"\0"), PIECE),
    ("zfp_bytes_for_no_numbers", zfp(count=0, after=b"\0"), PIECE),
    # dense.
    ("dense_head_cut", frame(DENSE, b"\0" * 10, 16, step=0.5), "the payload ends in the head of a segment"),
    ("dense_entry_missing", dense(5, count=1025), "the payload ends in the head of a segment"),
    ("dense_second_segment_missing", dense(*[5] * 64, count=65537), "the payload ends in the head of a segment"),
    ("dense_bytes_for_no_numbers", frame(DENSE, b"\0", 0, step=0.5), "bytes behind the last segment"),
    ("dense_bytes_after", dense(5, after=b"\0"), "bytes behind the last segment"),
    ("dense_lag_15", dense(5, lag=15), "a lag out of range"),
    ("dense_lag_8192", dense(5, lag=8192), "a lag out of range"),
    ("dense_verbatim_cut", dense(7, verbatim=ONE, verbatim_size=5), "the payload ends in a segment"),
    ("dense_verbatim_largest", dense(7, verbatim=ONE, verbatim_size=2**32 - 1), "the payload ends in a segment"),
    ("dense_coded_cut", dense(0, coded=states(), coded_size=129), "the payload ends in a segment"),
    ("dense_coded_largest", dense(0, coded=states(), coded_size=2**32 - 1), "the payload ends in a segment"),
    ("dense_states_cut", dense(0, coded=states()[:-1]), "a segment that ends in the states of its coder"),
    ("dense_state_255", dense(0, coded=states(255)), "a state of the coder that is too low"),
    ("dense_zeros_with_table", dense(5 + 8), "a block with a table that it does not use"),
    ("dense_raw_with_table", dense(6 + 8, verbatim=ONE * 16), "a block with a table that it does not use"),
    ("dense_raw_cut", dense(6, verbatim=ONE * 15), "a segment that ends in a block"),
    ("dense_raw_long", dense(6, verbatim=ONE * 17), "bytes behind the last block of a segment"),
    ("dense_raw_of_f32_size", dense(6, verbatim=ONE * 16, dtype=F64), "a segment that ends in a block"),
    ("dense_fill_cut", dense(7, verbatim=ONE[:3]), "a segment that ends in a block"),
    ("dense_fill_long", dense(7, verbatim=ONE * 2), "bytes behind the last block of a segment"),
    ("dense_above_without_lag", dense(3, coded=states()), "a prediction from above without a lag"),
    ("dense_lorenzo_without_lag", dense(4, coded=states()), "a prediction from above without a lag"),
    ("dense_cut_missing", dense(128, coded=states()), "a segment that ends in a cut"),
    ("dense_cut_of_5_bytes", dense(128, verbatim=b"\5" + bytes(8), coded=states()), "a cut that leaves no points"),
    ("dense_cut_without_points", dense(128 + 6, verbatim=ONE * 19), "a cut of a unit without points"),
    ("dense_cut_low_bytes_missing", dense(128, verbatim=b"\1" + bytes(8) + bytes(15), coded=states() + bytes(0)), DENSE_WIDTHS),
    ("dense_form_255", dense(255, verbatim=ONE), "a block with a table that it does not use"),
    ("dense_parts_of_plain", dense(5, lag=PARTS), "a lag out of range"),
    ("dense_exact_inside_cut", dense(5, lag=EXACT_SEGMENT), "the payload ends in the head of a segment"),
    ("dense_masked_fill", dense(7 + MASKED, verbatim=exceptions(16, ALL, NONE_DIFFERS, ONE)), DENSE_EXCEPTIONS),
    ("dense_masked_head_cut", dense(5 + MASKED, verbatim=b"\1"), DENSE_EXCEPTIONS),
    ("dense_masked_without_exceptions", dense(5 + MASKED, verbatim=exceptions(0, b"\0", b"\0", ONE)), DENSE_EXCEPTIONS),
    ("dense_masked_other_count", dense(5 + MASKED, verbatim=exceptions(3, b"\2\5\2", b"\0", ONE)), DENSE_EXCEPTIONS),
    ("dense_masked_mask_cut", dense(5 + MASKED, verbatim=words(2) + b"\2\5"), DENSE_EXCEPTIONS),
    ("dense_masked_runs_beyond", dense(5 + MASKED, verbatim=exceptions(2, b"\3\5\2\12", b"\0", ONE)), DENSE_EXCEPTIONS),
    ("dense_masked_changes_beyond", dense(5 + MASKED, verbatim=exceptions(2, b"\2\5\2", b"\1\2", ONE * 2)), DENSE_EXCEPTIONS),
    ("dense_masked_padding_cut", dense(5 + MASKED, verbatim=words(3) + b"\2\5\3\1\1"), DENSE_EXCEPTIONS),
    ("dense_masked_values_cut", dense(5 + MASKED, verbatim=exceptions(2, b"\2\5\2", b"\1\0", ONE)), DENSE_EXCEPTIONS),
    ("dense_masked_all_beside_points", dense(5 + MASKED, verbatim=exceptions(16, ALL, NONE_DIFFERS, ONE)), DENSE_EXCEPTIONS),
    ("dense_masked_some_without_points", dense(6 + MASKED, verbatim=exceptions(2, b"\2\5\2", b"\0", ONE)), DENSE_EXCEPTIONS),
    ("dense_masked_bytes_after", dense(5 + MASKED, verbatim=exceptions(2, b"\2\5\2", b"\0", ONE) + b"\0"), "bytes behind the last block of a segment"),
    ("dense_masked_with_table", dense(5 + 8 + MASKED, verbatim=exceptions(2, b"\2\5\2", b"\0", ONE)), "a block with a table that it does not use"),
    ("dense_masked_scaled", dense(5 + MASKED, exponents=[1024], verbatim=exceptions(2, b"\2\5\2", b"\0", ONE), step=1.0, flags=2), "a block without exponents in a scaled frame"),
    ("dense_block_without_coder", dense(0), "a coded block in a segment without a coder"),
    ("dense_coder_without_block", dense(5, coded=states()), "a coder that does not end as it should"),
    ("dense_coder_cut", dense(0, coded=states()), DENSE_WIDTHS),
    ("dense_coder_long", dense(0, coded=states() + b"\0" * 600), "a coder that does not end as it should"),
    ("dense_escape_missing", dense(0, coded=states(383) + b"\0" * 600), DENSE_WIDTHS),
    ("dense_width_33", dense(0, verbatim=b"\x21", coded=states(383) + b"\0" * 600), DENSE_WIDTHS),
    ("dense_width_255", dense(0, verbatim=b"\xff", coded=states(383) + b"\0" * 600), DENSE_WIDTHS),
    ("dense_verbatim_bits_missing", dense(0, verbatim=b"\x20", coded=states(383) + b"\0" * 600), DENSE_WIDTHS),
    ("dense_exact_head_cut", dense(*[0] * 10, step=0.0), "the payload ends in the head of a segment"),
    ("dense_exact_second_segment_missing", exact(*[5] * 64, count=65537), "the payload ends in the head of a segment"),
    ("dense_exact_bytes_for_no_numbers", frame(DENSE, b"\0", 0), "bytes behind the last segment"),
    ("dense_exact_bytes_after", exact(5, after=b"\0"), "bytes behind the last segment"),
    ("dense_exact_error", exact(5, error=0.5), "an error in a frame that rounds nothing"),
    ("dense_exact_scaled", exact(5, flags=2), "scaled with another step than 1"),
    ("dense_i64_step", exact(5, step=0.5, dtype=I64), "step differs from this operation's"),
    ("dense_exact_shift_32", exact(5, shift=32), "a cut beyond the type's bits"),
    ("dense_exact_shift_8", exact(5, shift=8, dtype=U8), "a cut beyond the type's bits"),
    ("dense_exact_rest", exact(5, rest=1), "a cut beyond the type's bits"),
    ("dense_exact_rest_5", exact(5, rest=5, dtype=F64), "a cut beyond the type's bits"),
    ("dense_exact_lag_15", exact(5, lag=15), "a lag out of range"),
    ("dense_exact_zeros_with_table", exact(5 + 8), "a block with a table that it does not use"),
    ("dense_exact_raw_cut", exact(6, verbatim=ONE * 15), "a segment that ends in a block"),
    ("dense_exact_fill_cut", exact(7, verbatim=ONE[:3]), "a segment that ends in a block"),
    ("dense_exact_fill_long", exact(7, verbatim=ONE * 2), "bytes behind the last block of a segment"),
    ("dense_exact_above_without_lag", exact(3, coded=states()), "a prediction from above without a lag"),
    ("dense_exact_bit_7", exact(128, coded=states()), "a way of cutting numbers that there is not"),
    ("dense_exact_predicted_exponents", exact(1 + 64, coded=states()), "a way of cutting numbers that there is not"),
    ("dense_exact_exponents_of_integers", exact(64, coded=states(), dtype=I64), "a way of cutting numbers that there is not"),
    ("dense_exact_block_without_coder", exact(0), "a coded block in a segment without a coder"),
    ("dense_exact_coder_without_block", exact(5, coded=states()), "a coder that does not end as it should"),
    ("dense_exact_centre_cut", exact(64, verbatim=b"\0" * 3, coded=states()), "a segment that ends in a block"),
    ("dense_exact_noise_cut", exact(64, verbatim=b"\0" * (4 + 47), coded=states() + b"\0" * 600), "a segment that ends in a block"),
    ("dense_exact_rests_cut", exact(0, rest=4, verbatim=b"\0" * 63, coded=states() + b"\0" * 600, dtype=F64), "a segment that ends in a block"),
    ("dense_exact_coder_cut", exact(0, coded=states()), DENSE_WIDTHS),
    ("dense_exact_state_255", exact(0, coded=states(255)), "a state of the coder that is too low"),
    ("dense_exact_parts", exact(5, lag=PARTS), "a lag out of range"),
    ("dense_exact_exact", exact(5, lag=EXACT_SEGMENT), "a lag out of range"),
    ("dense_exact_others_of_bytes", exact(6 + 64, dtype=U8, verbatim=exceptions(16, ALL, NONE_DIFFERS, b"\1")), "a block with a table that it does not use"),
    ("dense_exact_others_some", exact(6 + 64, verbatim=exceptions(2, b"\2\5\2", b"\0", ONE)), DENSE_EXCEPTIONS),
    ("dense_decimals_16", exact(5, shift=128 + 16, dtype=F64), "a cut beyond the type's bits"),
    ("dense_decimals_of_f32", exact(5, shift=128, dtype=F32), "a cut beyond the type's bits"),
    ("dense_decimals_zeros_of_numbers", exact(5 + 128, shift=128, dtype=F64), "a way of cutting numbers that there is not"),
    ("dense_scaled_step", dense(5, exponents=[1024], flags=2), "scaled with another step than 1"),
    ("dense_scaled_exponents_missing", dense(5, step=1.0, flags=2), "the payload ends in the head of a segment"),
    ("dense_scaled_lag", dense(5, exponents=[1024], lag=16, step=1.0, flags=2), "a lag out of range"),
    ("dense_scaled_raw_block", dense(6, exponents=[1025], verbatim=ONE * 16, step=1.0, flags=2), "a block without exponents in a scaled frame"),
    ("dense_scaled_exponent_1027", dense(5, exponents=[1027], step=1.0, flags=2), "an exponent of a part beyond those of float64"),
    ("dense_scaled_exponent_low", dense(5, exponents=[-1023], step=1.0, flags=2), "an exponent of a part beyond those of float64"),
    ("dense_scaled_raw_cut", dense(5, exponents=[1025], verbatim=ONE * 15, step=1.0, flags=2), "a segment that ends in a block"),
    ("dense_scaled_fill_cut", dense(5, exponents=[1026], verbatim=ONE[:3], step=1.0, flags=2), "a segment that ends in a block"),
    ("dense_scaled_part_long", dense(5, exponents=[1024], verbatim=ONE, step=1.0, flags=2), "bytes behind the last block of a segment"),
    ("dense_part_without_exponent", parts(0, 0, coded=states()), NO_EXPONENT),
    ("dense_part_exponent_1024", parts(0, 2047 << 5, coded=states()), NO_EXPONENT),
    ("dense_zero_part_with_exponent", parts(5, 5 + X0), NO_EXPONENT),
    ("dense_raw_part_with_exponent", parts(5, 6 + X0, verbatim=ONE * 16), NO_EXPONENT),
    ("dense_part_above_without_lag", parts(0, 3 + X0, coded=states()), "a prediction from above without a lag"),
    ("dense_parts_lag_15", parts(5, 5, lag=15), "a lag out of range"),
    ("dense_parts_kind_of_block", parts(1, 1 + X0, coded=states()), "a block of an unknown form"),
    ("dense_parts_coded_without_points", parts(0, 5, coded=states()), "a block of an unknown form"),
    ("dense_parts_not_coded", parts(5, 1 + X0), "a block of an unknown form"),
    ("dense_part_cut_missing", parts(0, 16 + X0, coded=states()), "a segment that ends in a cut"),
    ("dense_part_cut_of_zeros", parts(5, 16 + 5, verbatim=bytes(9)), "a cut of a unit without points"),
    ("dense_part_masked_fill", parts(5, 8 + 7, verbatim=exceptions(16, ALL, NONE_DIFFERS, ONE)), DENSE_EXCEPTIONS),
    ("dense_part_raw_cut", parts(5, 6, verbatim=ONE * 15), "a segment that ends in a block"),
    ("dense_parts_words_missing", parts(5), "the payload ends in the head of a segment"),
    # lossless.
    ("lossless_with_step", lossless((0, b""), step=1.0), "lossless with a step or an error"),
    ("lossless_with_error", lossless((0, b""), error=1.0), "lossless with a step or an error"),
    ("lossless_index_cut", frame(LOSSLESS, b"\0", 16), "the payload ends in the index of lossless"),
    ("lossless_second_block_missing", lossless((0, b""), count=1025), "the payload ends in the index of lossless"),
    ("lossless_block_too_many", lossless((0, b""), (0, b"")), INDEX),
    ("lossless_bytes_for_no_numbers", frame(LOSSLESS, b"\0\0", 0), INDEX),
    ("lossless_body_cut", frame(LOSSLESS, lossless((1, packed([3], 3)))[32:-2], 16), INDEX),
    ("lossless_body_long", frame(LOSSLESS, lossless((1, packed([3], 3)))[32:] + b"\0", 16), INDEX),
    ("lossless_kind_5", lossless((5, b"")), "unknown kind of block"),
    ("lossless_kind_7", lossless((7, b"\0" * 16)), "unknown kind of block"),
    ("lossless_zero_with_bytes", lossless((0, b"\0\0")), OTHER_SIZE),
    ("lossless_raw_short", lossless((3, ONE * 15)), CUT),
    ("lossless_raw_long", lossless((3, ONE * 17)), OTHER_SIZE),
    ("lossless_fill_short", lossless((4, ONE[:2])), CUT),
    ("lossless_fill_long", lossless((4, ONE * 2)), OTHER_SIZE),
    ("lossless_u8_fill_not_padded", lossless((4, b""), dtype=U8), CUT),
    ("lossless_head_cut", lossless((1, b"\0\0")), CUT),
    ("lossless_bitmap_cut", lossless((2, b"\0\0\0\0\0\0")), CUT),
    ("lossless_codes_cut", lossless((1, packed([], 0)[:-2])), CUT),
    ("lossless_residuals_cut", lossless((1, packed([3], 2))), CUT),
    ("lossless_residuals_long", lossless((1, packed([3], 4))), OTHER_SIZE),
    ("lossless_packed_as_large_as_raw", lossless((1, packed([12], 27, floor=15))),
     "a packed block that is not smaller than its numbers"),
    ("lossless_shift_32", lossless((1, packed([1], 1, shift=32))), BEYOND),
    ("lossless_floor_18", lossless((1, packed([1], 19, floor=18))), BEYOND),
    ("lossless_floor_of_reserved_bits", lossless((1, packed([1], 1, floor=64))), BEYOND),
    ("lossless_u8_width_9", lossless((1, packed([9], 9, base=b"\0\0")), count=64, dtype=U8), BEYOND),
    ("lossless_i64_floor_50", lossless((1, packed([1], 1, base=b"\0" * 8, floor=50)), dtype=I64), BEYOND),
    ("lossless_width_beyond_sub_blocks", lossless((1, packed([1, 1], 2))),
     "widths of sub-blocks that the block does not have"),
    ("lossless_width_beyond_groups", lossless((2, packed([1], 1, bitmap=0x8000))),
     "widths of sub-blocks that the block does not have"),
]


def files():
    """Names and contents of all files."""
    made = {f"{row[0]}.frame": row[1] for row in ROWS}
    made["errors.txt"] = "".join("\t".join((row[0], row[2])) + "\n" for row in ROWS).encode()
    assert len(made) == len(ROWS) + 1, "two rows with one name"
    return made


if __name__ == "__main__":
    for old in HERE.glob("*.frame"):
        old.unlink()
    for name, contents in files().items():
        (HERE / name).write_bytes(contents)
