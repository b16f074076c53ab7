"""The README's table of accuracy."""

from dataclasses import replace

from tests.unit.validation.comparisons import with_error
from validation.accuracy import HEADER, accuracy_table
from validation.clock import ClockComparison


def test_a_row_per_class_and_cache_mode() -> None:
    timed = replace(with_error(-0.02, "chain"), clock64=ClockComparison((5,), (5,), one_warp_per_smsp=True))
    table = accuracy_table([timed, with_error(0.1, "dot"), replace(with_error(0.3, "dot"), cache="cold")])
    assert table.splitlines() == [
        *HEADER,
        "| chain | warm | 1 | 2.0% | 2.0% | 2.0% | 2.0% | 20.0% | 20.0% | 1 of 1 | 1 of 1 |",
        "| dot | warm | 1 | 10.0% | 10.0% | 10.0% | 10.0% | 20.0% | 20.0% | 1 of 1 |  |",
        "| all | warm | 2 | 6.0% | 6.0% | 9.2% | 10.0% | 20.0% | 20.0% | 2 of 2 | 1 of 1 |",
        "| dot | cold | 1 | 30.0% | 30.0% | 30.0% | 30.0% | 20.0% | 20.0% | 1 of 1 |  |",
        "| all | cold | 1 | 30.0% | 30.0% | 30.0% | 30.0% | 20.0% | 20.0% | 1 of 1 |  |",
    ]
