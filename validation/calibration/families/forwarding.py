"""Fixed latencies of the classes that latency.py leaves out, with its trials: an early reader sees the old value.

Writers: HADD2.F32 (fp16_f32), HMNMX2, HSET2, HSETP2 (fp16_alu), VOTEU (voteu), PLOP3 (disp_64), I2I, ELECT. Readers:
the same, jumps by register (branch), PLOP3 and VOTE (predicates), uniform registers in every unit, addresses.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace

from ..program import SAFE, Experiment
from ..sass import PT, RZ, URZ, Instruction, op
from . import latency as base
from .latency import NEW, NEW_ADDRESS, OLD, OLD_ADDRESS, RESULT, D, Step

HALF_WRITERS: dict[str, Instruction] = {
    "HMNMX2": op("HMNMX2", D, base._N, base._N),
    "I2I": op("I2I", D, base._I1),
    "HADD2.F32": op("HADD2.F32", D, base._N),
    "HSET2": op("HSET2", D, base._N, RZ),
}
_WRITERS = base.WRITERS
FREQUENT = ("FFMA", "IMAD", "IMAD.WIDE", "IADD3", "LOP3", "MOV", "HADD2", "HFMA2.MMA", "DADD", "CS2R.32", "MOV.UR")
NEW_READERS: dict[str, Callable[[int], Step]] = {
    "HMNMX2.a": base._plain(op("HMNMX2", RESULT, D, D)),
    "HSET2.a": base._plain(op("HSET2", RESULT, D, base._O)),
    "HADD2.F32.b": base._plain(op("HADD2.F32", RESULT, D)),
    "I2I.b": base._plain(op("I2I", RESULT, D)),
    "HSETP2.a": lambda r: [op("HSETP2", 0, r, base._O, stall=SAFE), op("NOP", stall=SAFE), base._select(0)],
}
PREDICATES: dict[str, Instruction] = {
    "HSETP2": op("HSETP2", base.P, base._N, RZ),
    "PLOP3": op("PLOP3.ALL", base.P),
    "ISETP": op("ISETP", base.P, base._N, RZ),
    "FSETP": op("FSETP", base.P, base._N, RZ),
    "DSETP": op("DSETP", base.P, base._N, RZ),
    "VOTE.ALL": op("VOTE.ALL", base.P, PT),
    "R2P": op("R2P", base._N),
}
PREDICATE_READERS: dict[str, Step] = {
    "guard MOV": base.PREDICATE_READERS["guard MOV"],
    "guard FFMA": base.PREDICATE_READERS["guard FFMA"],
    "SEL": base.PREDICATE_READERS["SEL"],
    "VOTE.ANY": base.PREDICATE_READERS["VOTE.ANY"],
    "PLOP3": [op("PLOP3.OF", 0, base.P, stall=SAFE), op("NOP", stall=SAFE), base._select(0)],
    "VOTEU": [op("VOTEU.ANY", 9, base.P, stall=SAFE), op("NOP", stall=SAFE), op("MOV.UR", RESULT, 9, stall=SAFE)],
    "guard HMNMX2": [op("HMNMX2", RESULT, base._I1, base._I1, guard=base.P, stall=SAFE)],
}
_UNIFORM: dict[str, Instruction] = {
    **{name: base.UNIFORM_WRITERS[name] for name in ("UMOV", "UIADD3", "UIMAD", "ULDC", "R2UR")},
    "VOTEU": op("VOTEU.ANY", base._UD, PT),
    "ELECT": op("ELECT", base._UD),
}
UNIFORM_READERS: dict[str, Step] = {
    "MOV.UR": base.UNIFORM_READERS["MOV.UR"],
    "FFMA.UR": base.UNIFORM_READERS["FFMA.UR"],
    "IMAD.UR": base.UNIFORM_READERS["IMAD.UR"],
    "IMAD.WIDE.UR": [op("IMAD.WIDE.UR", RESULT, base._I1, base._UD, RZ, stall=SAFE)],
    "HFMA2.UR": [op("HFMA2.UR", RESULT, base._H1, base._UD, RZ, stall=SAFE)],
    "HFMA2.MMA.UR": [op("HFMA2.MMA.UR", RESULT, base._H1, base._UD, RZ, stall=SAFE)],
    "MUFU.UR": [op("MUFU.UR", RESULT, base._UD, write=0, stall=SAFE), op("NOP", wait=1, stall=SAFE)],
    "UIADD3": base.UNIFORM_READERS["UIADD3"],
    "UMOV": base.UNIFORM_READERS["UMOV"],
}


def experiments() -> Iterator[Experiment]:
    """Yield one program per pair of a writer and a reader."""
    old = [op("MOV", D, base._O), op("MOV", D + 1, base._O + 1)]
    setup = base._setup(NEW, OLD)
    for reader_name, reader in {**base.READERS, **NEW_READERS}.items():
        if reader_name.endswith("address"):
            continue
        writers = {name: _WRITERS[name] for name in FREQUENT} if reader_name in NEW_READERS else {}
        for writer_name, writer in {**HALF_WRITERS, **writers}.items():
            yield _named(f"{writer_name}/{reader_name}", setup, base._trials(old, writer, reader(D)))
    clear = [op("MOV", RESULT, RZ), op("MOV", RESULT + 1, RZ), op("ISETP", base.P, RZ, RZ)]
    for writer_name, writer in PREDICATES.items():
        for predicate_reader, steps in PREDICATE_READERS.items():
            yield _named(f"{writer_name}/{predicate_reader}", setup, base._trials(clear, writer, steps))
    for writer_name, writer in _UNIFORM.items():
        for uniform_reader, steps in UNIFORM_READERS.items():
            trials = base._trials([op("UMOV", base._UD, base._UO)], writer, steps)
            yield _named(f"{writer_name}/{uniform_reader}", setup, trials)
    yield from _addresses()
    yield from _jumps()


def _named(name: str, setup: Step, region: Step) -> Experiment:
    experiment = base._experiment(name, setup, region)
    return replace(experiment, name=f"forwarding/{name}")


def _addresses() -> Iterator[Experiment]:
    """A uniform register as the address of shared memory."""
    setup = base._setup((NEW_ADDRESS, NEW[1]), (OLD_ADDRESS, OLD[1]))
    read = [op("LDS.UR", RESULT, RZ, base._UD, write=0, stall=SAFE), op("NOP", wait=1, stall=SAFE)]
    for name in ("UMOV", "UIADD3", "UIMAD", "R2UR"):
        trials = base._trials([op("UMOV", base._UD, base._UO)], base.UNIFORM_WRITERS[name], read)
        yield _named(f"{name}/LDS.UR", setup, trials)


def _jumps() -> Iterator[Experiment]:
    """A distance to jump by: the old value leads to one landing place, the new one to another."""
    setup = base._setup((32, 0), (0, 0))
    for name in ("MOV", "IADD3", "LOP3", "IMAD", "VIADD", "SEL", "PRMT", "FFMA"):
        region: Step = []
        for i, distance in enumerate((0, *base.DISTANCES, base.FAR)):
            prepare = [op("MOV", D, base._O), op("MOV", D + 1, RZ), op("NOP", stall=SAFE, wait=0x3F)]
            region += prepare
            if distance:
                region.append(_WRITERS[name].having(stall=min(distance, SAFE)))
                if distance > SAFE:
                    region.append(op("NOP", stall=distance - SAFE))
            region += [op("BRX", D, stall=SAFE), op("MOV", RESULT, RZ, stall=SAFE), op("BRA", f"met{i}", stall=SAFE)]
            region.append(op("MOV", RESULT, base._I1, stall=SAFE))
            region.append(op("MOV", base._FIRST_RECORD + i, RESULT, stall=SAFE, label=f"met{i}"))
        yield _named(f"{name}/BRX", setup, region)
    for name in ("UMOV", "UIADD3", "R2UR"):
        region = []
        for i, distance in enumerate((0, *base.DISTANCES, base.FAR)):
            region += [op("UMOV", base._UD, base._UO), op("UMOV", base._UD + 1, URZ), op("NOP", stall=SAFE, wait=0x3F)]
            if distance:
                region.append(base.UNIFORM_WRITERS[name].having(stall=min(distance, SAFE)))
                if distance > SAFE:
                    region.append(op("NOP", stall=distance - SAFE))
            region += [op("BRXU", base._UD, stall=SAFE), op("MOV", RESULT, RZ, stall=SAFE)]
            region += [op("BRA", f"met{i}", stall=SAFE), op("MOV", RESULT, base._I1, stall=SAFE)]
            region.append(op("MOV", base._FIRST_RECORD + i, RESULT, stall=SAFE, label=f"met{i}"))
        yield _named(f"{name}/BRXU", setup, region)
