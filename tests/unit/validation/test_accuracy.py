from validation.accuracy import HEADER, accuracy_table


def case(name: str, cache: str, cycles: float, stalls: float, exact: bool) -> dict[str, object]:
    return {
        "case": name,
        "cache": cache,
        "cycles_error": cycles,
        "stall_distance": stalls,
        "instructions_exact": exact,
    }


def test_a_row_per_kind_of_launch_and_cache_mode() -> None:
    table = accuracy_table(
        [
            case("scale_scalar/132x1024", "warm", 0.5, 0.2, False),
            case("scale_scalar/1x1024", "warm", -0.02, 0.1, True),
            case("matmul_naive/1x1_16x16_k256", "warm", 0.01, 0.2, True),
            case("matmul_naive/1x1_16x16_k256", "cold", 0.10, 0.3, True),
        ]
    )
    assert table.splitlines() == [
        *HEADER,
        "| one block | cold | 1 | 10.0% | 10.0% | 10.0% | 30.0% | 1 of 1 |",
        "| one block | warm | 2 | 1.5% | 1.5% | 2.0% | 15.0% | 2 of 2 |",
        "| several blocks | warm | 1 | 50.0% | 50.0% | 50.0% | 20.0% | 0 of 1 |",
    ]
