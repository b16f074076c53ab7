from pathlib import Path

import pytest

from tests.golden.harness import case_folders, run_case


@pytest.mark.parametrize("folder", case_folders(), ids=lambda folder: folder.name)
def test_the_text_is_the_one_expected(folder: Path) -> None:
    expected = (folder / "expected.txt").read_text()
    assert run_case(folder) == expected, "if it is meant: python -m tests.golden.regenerate"
