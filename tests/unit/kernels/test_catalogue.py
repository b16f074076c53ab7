import numpy as np
import pytest

import kernels
from kernels import Expected, catalogue


def test_names_are_unique():
    declared = [kernel.name for family in catalogue.FAMILIES for kernel in family.KERNELS]
    assert sorted(declared) == sorted(set(declared)) == sorted(kernels.names())


def test_every_family_lists_its_kernels():
    assert sorted(name for names in kernels.families().values() for name in names) == sorted(kernels.names())
    assert kernels.families()["dot"] == ("dot_ilp1", "dot_ilp4", "dot_serial")


def test_the_closest_names_are_offered_for_an_unknown_one():
    with pytest.raises(kernels.UnknownKernelError, match=r"no kernel 'dot_ipl4'.*did you mean dot_ilp4"):
        kernels.get("dot_ipl4")


def test_nothing_is_offered_when_nothing_is_close():
    with pytest.raises(kernels.UnknownKernelError, match=r"^no kernel 'zzz' in the catalogue$"):
        kernels.get("zzz")


def test_what_a_seed_draws_is_found_by_its_name():
    kernel = kernels.get("shared_seed7_1x64")
    assert [launch.name for launch in kernel.launches] == ["1x64"]
    assert kernel.code == kernels.get("shared_seed7_1x64").code != kernels.get("shared_seed8_1x64").code


def test_an_unknown_launch_lists_the_known_ones():
    with pytest.raises(
        kernels.UnknownLaunchError, match=r"pipeline has no launch 'three'; it has: one_warp, two_warps"
    ):
        kernels.get("pipeline").launch("three")


def test_a_launch_is_found_by_its_name():
    kernel = kernels.get("rsqrt_unroll4")
    assert kernel.launch("1024x256_n512").grid == (1024, 1, 1)
    assert kernel.default is kernel.launches[0]


@pytest.mark.parametrize("name", kernels.names())
def test_the_declaration_is_consistent(name: str):
    kernel = kernels.get(name)
    # Streams are kernels of other families.
    assert kernel.source.parent.name in kernels.families()
    assert kernel.code
    assert "\n" not in kernel.description
    launches = [launch.name for launch in kernel.launches]
    assert len(launches) == len(set(launches))
    for launch in kernel.launches:
        assert np.prod(launch.block) <= 1024


@pytest.mark.parametrize("name", kernels.names())
def test_a_seed_gives_the_same_arguments_and_expectations_that_fit_them(name: str):
    kernel = kernels.get(name)
    launch = kernel.default
    first, again = launch.arguments(7), launch.arguments(7)
    assert all(np.array_equal(a, b) for a, b in zip(first, again, strict=True))
    expected = launch.expected(first)
    assert expected
    for index, wanted in expected.items():
        assert wanted.values.shape == np.shape(first[index])
        assert wanted.values.dtype == first[index].dtype
        assert np.isfinite(wanted.values).all()
    assert all(np.array_equal(a, b) for a, b in zip(first, again, strict=True)), "the reference changed its input"
    if kernel.cycles_argument is not None:
        cycles = first[kernel.cycles_argument]
        assert cycles.dtype == np.int64
        assert len(cycles) == -(-launch.num_threads // 32)


def test_without_a_tolerance_bits_count():
    expected = Expected(np.array([1.0, -0.0, np.nan], np.float32))
    one_up = np.nextafter(np.float32(1), np.float32(2))
    assert expected.differs(np.array([1.0, -0.0, np.nan], np.float32)).tolist() == [False, False, False]
    assert expected.differs(np.array([one_up, 0.0, 1.0], np.float32)).tolist() == [True, True, True]


def test_a_tolerance_is_relative_plus_absolute():
    expected = Expected(np.array([100.0, 100.0, np.inf]), relative=0.01, absolute=0.5, reason="an approximation")
    assert expected.differs(np.array([101.4, 101.6, np.inf])).tolist() == [False, True, False]


def test_a_tolerance_needs_a_reason():
    with pytest.raises(ValueError, match="reason"):
        Expected(np.zeros(1), relative=0.1)


def test_integers_are_compared_exactly():
    assert Expected(np.array([1, 2], np.uint32)).differs(np.array([1, 3], np.uint32)).tolist() == [False, True]
