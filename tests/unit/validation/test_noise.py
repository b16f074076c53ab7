"""How far runs differ, over a suite."""

from validation.compare import CYCLES
from validation.measurement import Measurement, MeasurementFile
from validation.noise import noise


def launch(name: str, runs: tuple[str, ...], cycles: tuple[int, ...]) -> Measurement:
    return Measurement(
        launch=name,
        function="dot",
        grid=(1, 1, 1),
        block=(32, 1, 1),
        dynamic_shared_bytes=0,
        seed=0,
        arguments_sha256="",
        cubin_sha256="",
        code_sha256="",
        measured_with={},
        status="ok",
        runs=runs,
        counters={CYCLES: cycles},
    )


def test_median_and_worst_spread_of_each_cache_mode():
    launches = (
        launch("still", ("warm", "warm"), (100, 100)),
        launch("loud", ("warm", "warm", "cold", "cold"), (90, 110, 50, 150)),
        launch("quiet", ("warm", "warm", "cold"), (199, 201, 100)),
        launch("once", ("warm",), (7,)),
    )
    file = MeasurementFile(format=1, gpu="NVIDIA H100", kernel="dot", case_class="dot", launches=launches)
    warm, cold = noise([file])
    assert (warm.launches, warm.median) == (3, 0.01)
    assert warm.worst == (("dot/loud", 0.2), ("dot/quiet", 0.01), ("dot/still", 0.0))
    assert str(cold) == "cold: runs differ by 100.00% (median of 1 launches), most: dot/loud 100.00%"


def test_single_runs_have_no_noise():
    once = launch("once", ("warm", "cold"), (7, 8))
    assert noise([MeasurementFile(format=1, gpu="", kernel="dot", case_class="", launches=(once,))]) == []
