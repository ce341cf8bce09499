# SPDX-License-Identifier: BSD-3-Clause
"""SZ3 beside our codecs: its HDF5 filter from the wheel hdf5plugin, on the field as one chunk of one dimension.

Writing a dataset to a file in memory compresses it, and reading it decompresses it.  HDF5's own work is a copy or two.
"""
import statistics, time

CODEC = "sz3"


def available():
    try:
        import h5py, hdf5plugin, numpy  # noqa: F401
    except ImportError:
        return False
    return True


def measure(file, bounds, repeat):
    """A row per bound, as `laconic codec --json` has them: ratio, speeds in GB/s of processor time, PSNR, violations."""
    import h5py, hdf5plugin, numpy
    field = numpy.fromfile(file, numpy.float32)
    value_range = float(field.max()) - float(field.min())
    rows = []
    for bound in bounds:
        error = float(bound) * value_range
        encode, decode = [], []
        for _ in range(repeat):
            # Without a cache of chunks, reading decompresses.
            with h5py.File("field.h5", "w", driver="core", backing_store=False, rdcc_nbytes=0) as h5:
                began = time.process_time()
                made = h5.create_dataset("field", data=field, chunks=field.shape, **hdf5plugin.SZ3(absolute=error))
                h5.flush()
                encode.append(time.process_time() - began)
                stored = made.id.get_storage_size()
                began = time.process_time()
                got = made[:]
                decode.append(time.process_time() - began)
        off = numpy.abs(got.astype(numpy.float64) - field.astype(numpy.float64))
        mean_square = float(numpy.mean(off * off))
        gigabytes = field.nbytes / 1e9
        rows.append({
            "file": file, "codec": CODEC, "bound": f"rel:{bound}", "count": field.size, "ratio": field.nbytes / stored,
            "encode_median_gbs": gigabytes / statistics.median(encode),
            "decode_median_gbs": gigabytes / statistics.median(decode),
            "psnr": float(20 * numpy.log10(value_range) - 10 * numpy.log10(mean_square)) if mean_square > 0 else None,
            "violations": int(numpy.count_nonzero(off > error)), "beyond_rounding": 0, "isa": ""})
    return rows
