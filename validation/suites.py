"""What a suite is: a name for many kernels, to be measured or compared together."""

import kernels
from isa.errors import LaunchError

SUITES = ("open", "catalogue", "generated")


def kernel_names(suite: str) -> tuple[str, ...]:
    """The kernels of a suite: the catalogue, the generated ones, or both ("open").

    Raises:
        LaunchError: there is no such suite.
    """
    if suite not in SUITES:
        raise LaunchError(f"no suite {suite!r}; the suites are {', '.join(SUITES)}")
    written, generated = kernels.names(), kernels.generated.names()
    return {"open": (*written, *generated), "catalogue": written, "generated": generated}[suite]
