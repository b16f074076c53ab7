"""The rules of the forwarding table: one per latency class of a writer and of a reader, from ``forwarding.toml``."""

import tomllib
from collections.abc import Iterator
from importlib.resources import files

from .registry import ONE_WARP, Rule

FAMILIES = ("latency", "forwarding")


def rules() -> Iterator[Rule]:
    """A rule for every pair of classes; whether any of its programs exists, the recordings say."""
    classes = tomllib.loads(files(__package__).joinpath("forwarding.toml").read_text(encoding="utf-8"))
    for writer, about in classes["writers"].items():
        writers = about["programs"][0] if len(about["programs"]) == 1 else f"{{{','.join(about['programs'])}}}"
        for reader, names in classes["readers"].items():
            yield Rule(
                path=f"forwarding.{writer}.{reader}",
                derivation="forwarding",
                family=FAMILIES[0],
                programs=tuple(f"{{}}/{name}/{by}" for name in about["programs"] for by in names),
                launch=ONE_WARP,
                arguments={"latency": about["latency"], "families": ",".join(FAMILIES)},
                digits=0,
                named=f"{FAMILIES[0]}: {{{','.join(FAMILIES)}}}/{writers}/*",
            )
        if written := about.get("written", ()):
            yield Rule(
                path=f"forwarding.{writer}.register_file",
                derivation="written",
                family="mixes",
                programs=tuple(f"mixes/IMAD.WIDE.a behind {name}" for name in written),
                launch=ONE_WARP,
                arguments={"latency": about["latency"]},
                digits=0,
                named=f"mixes: mixes/IMAD.WIDE.a behind {{{','.join(written)}}}",
            )
