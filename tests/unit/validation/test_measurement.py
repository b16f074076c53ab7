"""Measurement files: round trip, merging, damage."""

import json

import msgspec
import pytest

from validation.measurement import (
    RECORDED,
    Clock64,
    EventTime,
    Measurement,
    MeasurementError,
    MeasurementFile,
    gpu_folder,
    load,
    recorded_kernels,
    save,
)

GPU = "NVIDIA H100 80GB HBM3"


def measurement(launch: str = "132x256", **changes) -> Measurement:
    fields = {
        "launch": launch,
        "function": "dot",
        "grid": (132, 1, 1),
        "block": (256, 1, 1),
        "dynamic_shared_bytes": 0,
        "seed": 0,
        "arguments_sha256": "a",
        "cubin_sha256": "b",
        "code_sha256": "c",
        "measured_with": {"driver": "580.159.04"},
        "status": "ok",
        "event_us": EventTime(median=5.5, min=5.0, launches=101),
        "clock64": Clock64(warps=8, min=1, median=2.0, max=3, first=(1, 2, 3)),
        "runs": ("warm", "warm", "cold"),
        "counters": {"sm__cycles_active.max": (1000, 1010, 1500), "idc__requests.sum": (None, 4, 0)},
    }
    return Measurement(**{**fields, **changes})


def file_of(*measurements: Measurement) -> MeasurementFile:
    return MeasurementFile(format=1, gpu=GPU, kernel="dot", case_class="dot", launches=measurements)


def test_round_trip(tmp_path):
    path = save(tmp_path, file_of(measurement()))
    assert load(path) == file_of(measurement())
    assert path == tmp_path / "h100-80gb-hbm3" / "dot.json"
    assert recorded_kernels(tmp_path, gpu_folder(GPU)) == ["dot"]


def test_figures_by_cache_mode():
    one = measurement()
    assert one.caches == ("warm", "cold")
    assert one.figures("sm__cycles_active.max", "warm") == [1000, 1010]
    assert one.mean("sm__cycles_active.max", "warm") == 1005
    assert one.spread("sm__cycles_active.max", "warm") == pytest.approx(10 / 1005)
    assert one.figures("idc__requests.sum", "warm") == [4]
    assert one.spread("idc__requests.sum", "cold") == 0.0


def test_a_counter_that_was_not_recorded_is_an_error():
    with pytest.raises(MeasurementError, match=r"dot 132x256: no cold figure of lts__t_sectors.sum"):
        measurement().mean("lts__t_sectors.sum", "cold")


def test_saving_replaces_the_launch_and_keeps_the_others(tmp_path):
    save(tmp_path, file_of(measurement("1x32"), measurement("132x256")))
    path = save(tmp_path, file_of(measurement("132x256", seed=5)))
    assert [(one.launch, one.seed) for one in load(path).launches] == [("132x256", 5), ("1x32", 0)]


def test_the_same_content_gives_the_same_bytes_with_one_line_per_counter(tmp_path):
    text = save(tmp_path / "one", file_of(measurement())).read_text()
    assert text == save(tmp_path / "two", file_of(measurement())).read_text()
    assert '"sm__cycles_active.max": [1000, 1010, 1500]' in text
    assert msgspec.to_builtins(file_of(measurement())) == json.loads(text, object_hook=lists_as_tuples)


def lists_as_tuples(plain: dict) -> dict:
    return {name: tuple(value) if isinstance(value, list) else value for name, value in plain.items()}


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda text: text[:100], "damaged measurement file"),
        (lambda text: text.replace('"ok"', '"fine"'), r"Invalid enum value 'fine' - at `\$.launches\[0\].status`"),
        (lambda text: text.replace('"seed"', '"sead"'), "unknown field `sead`"),
        (lambda text: text.replace("[1000, 1010, 1500]", "[1000, 1010]"), "3 runs, but 2 figures of sm__cycles_active"),
        (lambda text: text.replace('"format": 1', '"format": 7'), "format 7; this version reads 1"),
    ],
)
def test_damage_is_refused_with_its_place(tmp_path, damage, message):
    path = save(tmp_path, file_of(measurement()))
    path.write_text(damage(path.read_text()))
    with pytest.raises(MeasurementError, match=message) as error:
        load(path)
    assert str(path) in str(error.value)


def test_a_missing_file_and_a_missing_launch_are_named(tmp_path):
    with pytest.raises(MeasurementError, match=r"cannot read the measurement .*no.json"):
        load(tmp_path / "no.json")
    with pytest.raises(MeasurementError, match=r"no launch '9x9' was recorded on NVIDIA H100 .* recorded are: 132x256"):
        file_of(measurement()).launch("9x9")


def test_recorded_measurements_can_all_be_read():
    for path in RECORDED.glob("*/*.json"):
        file = load(path)
        assert path.parent.name == gpu_folder(file.gpu)
        assert path.stem == file.kernel
