from pathlib import Path

import pytest

from tests.golden.harness import CASES, case_folders, run, run_case


@pytest.fixture(scope="module", autouse=True)
def _compiled_rules() -> None:
    """The word on stderr about the first simulation on a machine is no part of what is expected."""
    run(["run", "chain_ffma_ilp4"], CASES)


@pytest.mark.parametrize("folder", case_folders(), ids=lambda folder: folder.name)
def test_the_text_is_the_one_expected(folder: Path) -> None:
    expected = (folder / "expected.txt").read_text()
    assert run_case(folder) == expected, "if it is meant: python -m tests.golden.regenerate"
