"""What the driver says of the GPU: attributes, and how many blocks fit on an SM by registers and shared memory."""

from collections.abc import Iterator

from ..program import Experiment, Launch

# cudaDeviceAttr, by the names of CUDA's driver_types.h.
ATTRIBUTES = {
    "MaxThreadsPerBlock": 1,
    "WarpSize": 10,
    "ClockRate": 13,  # kHz
    "MultiProcessorCount": 16,
    "L2CacheSize": 38,
    "MaxThreadsPerMultiProcessor": 39,
    "MaxSharedMemoryPerMultiprocessor": 81,
    "MaxRegistersPerMultiprocessor": 82,
    "MaxSharedMemoryPerBlockOptin": 97,
    "MaxBlocksPerMultiprocessor": 106,
    "ReservedSharedMemoryPerBlock": 111,
}
LEAST_REGISTERS, MOST_REGISTERS = 32, 255
SHARED_BYTES = 232448  # the most that a block of sm_90 may ask for
SHARED_STEP = 16


def experiments() -> Iterator[Experiment]:
    """Yield the questions; their kernels are not launched."""
    launches = tuple(Launch(name) for name in ATTRIBUTES)
    yield Experiment("device/attributes", [], [], launches=launches, kind="attribute", meta=dict(ATTRIBUTES))
    for registers in range(LEAST_REGISTERS, MOST_REGISTERS + 1):
        yield Experiment(
            f"device/registers/{registers}",
            [],
            [],
            launches=(Launch("128 threads", 128),),
            registers=registers,
            kind="blocks",
            meta={"registers": registers, "shared": 0, "step": 1},
        )
    yield Experiment(
        "device/shared bytes",
        [],
        [],
        launches=(Launch("32 threads", 32),),
        registers=LEAST_REGISTERS,
        kind="blocks",
        meta={"registers": LEAST_REGISTERS, "shared": SHARED_BYTES, "step": SHARED_STEP},
    )
