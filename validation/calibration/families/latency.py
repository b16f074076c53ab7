"""Fixed latencies: how many cycles after a writer's issue a reader must issue to see the new value.

One program per (writer, reader): for each distance the register is set to an old value, written, and read; the reader's
results are stored. Writers pass a value through unchanged (times one, plus zero), so that any reader can judge it. The
first record is what the reader makes of the old value, the last what it makes of the new one after a long wait.
"""

from collections.abc import Callable, Iterator

from ..program import DATA, SAFE, Experiment, Launch, constant
from ..sass import PT, RZ, URZ, Instruction, op

DISTANCES = tuple(range(1, 19))
FAR = 30
NEW, OLD = (0x41234567, 0x41345678), (0x40400000, 0x40400000)  # low and high word
NEW_ADDRESS, OLD_ADDRESS = 64, 32
D, RESULT = 20, 22  # register pair under test; what the reader leaves
_FIRST_RECORD = 24
_N, _O, _F1, _I1, _D1, _H1, _SEL, _PTR = 8, 10, 12, 13, 14, 16, 17, 18
_UD, _UN, _U1, _UO = 8, 10, 11, 12

Step = list[Instruction]

WRITERS: dict[str, Instruction] = {
    "FFMA": op("FFMA", D, _N, _F1, RZ),
    "FADD": op("FADD", D, _N, RZ),
    "FMUL": op("FMUL", D, _N, _F1),
    "FMNMX": op("FMNMX", D, _N, _N),
    "FSEL": op("FSEL", D, _N, RZ, PT),
    "IMAD": op("IMAD", D, _N, _I1, RZ),
    "IMAD.WIDE": op("IMAD.WIDE", D, RZ, RZ, _N),
    "IMAD.HI": op("IMAD.HI", D, RZ, RZ, _N),
    "IADD3": op("IADD3", D, _N, RZ, RZ),
    "VIADD": op("VIADD", D, _N, RZ),
    "VIMNMX": op("VIMNMX", D, _N, _N),
    "LOP3": op("LOP3", D, _N, RZ, RZ),
    "SHF": op("SHF", D, _N, RZ, RZ),
    "PRMT": op("PRMT", D, _N, _SEL, RZ),
    "SEL": op("SEL", D, _N, RZ, PT),
    "LEA": op("LEA", D, RZ, _N),
    "MOV": op("MOV", D, _N),
    "I2FP": op("I2FP", D, _I1),
    "F2FP": op("F2FP", D, _N, _N),
    "HADD2": op("HADD2", D, _N, RZ),
    "HFMA2": op("HFMA2", D, _N, _H1, RZ),
    "HFMA2.MMA": op("HFMA2.MMA", D, _N, _H1, RZ),
    "DADD": op("DADD", D, _N, RZ),
    "DMUL": op("DMUL", D, _N, _D1),
    "DFMA": op("DFMA", D, _N, _D1, RZ),
    "CS2R.32": op("CS2R.32", D),
    "VOTE.ANY": op("VOTE.ANY", D, PT),
    "MOV.UR": op("MOV.UR", D, _UN),
}


def _plain(instruction: Instruction) -> Callable[[int], Step]:
    return lambda register: [instruction.having(operands=_at(instruction, register), stall=SAFE)]


def _at(instruction: Instruction, register: int) -> dict[str, int | str]:
    return {key: register if value == D else value for key, value in instruction.operands.items()}


def _waited(instruction: Instruction, *after: Instruction) -> Callable[[int], Step]:
    def build(register: int) -> Step:
        reader = instruction.having(operands=_at(instruction, register), write=0, read=1, stall=SAFE)
        return [reader, op("NOP", wait=0x3F, stall=SAFE), *after]

    return build


def _stored(instruction: Instruction, load: Instruction) -> Callable[[int], Step]:
    def build(register: int) -> Step:
        reader = instruction.having(operands=_at(instruction, register), read=1, stall=SAFE)
        return [reader, op("NOP", wait=0x3F, stall=SAFE), load.having(write=0, stall=SAFE)]

    return build


def _select(predicate: int) -> Instruction:
    return op("SEL", RESULT, _I1, RZ, predicate, stall=SAFE)


READERS: dict[str, Callable[[int], Step]] = {
    "FFMA.a": _plain(op("FFMA", RESULT, D, _F1, RZ)),
    "FFMA.b": _plain(op("FFMA", RESULT, _F1, D, RZ)),
    "FFMA.c": _plain(op("FFMA", RESULT, RZ, RZ, D)),
    "FADD.a": _plain(op("FADD", RESULT, D, RZ)),
    "FMUL.a": _plain(op("FMUL", RESULT, D, _F1)),
    "IMAD.a": _plain(op("IMAD", RESULT, D, _I1, RZ)),
    "IMAD.c": _plain(op("IMAD", RESULT, RZ, RZ, D)),
    "IMAD.WIDE.a": _plain(op("IMAD.WIDE", RESULT, D, _I1, RZ)),
    "IADD3.a": _plain(op("IADD3", RESULT, D, RZ, RZ)),
    "IADD3.c": _plain(op("IADD3", RESULT, RZ, RZ, D)),
    "LOP3.a": _plain(op("LOP3", RESULT, D, RZ, RZ)),
    "SHF.a": _plain(op("SHF", RESULT, D, RZ, RZ)),
    "PRMT.a": _plain(op("PRMT", RESULT, D, _SEL, RZ)),
    "SEL.a": _plain(op("SEL", RESULT, D, RZ, PT)),
    "FMNMX.a": _plain(op("FMNMX", RESULT, D, D)),
    "MOV.b": _plain(op("MOV", RESULT, D)),
    "I2FP.b": _plain(op("I2FP", RESULT, D)),
    "ISETP.a": lambda r: [op("ISETP", 0, r, _O, stall=SAFE), op("NOP", stall=SAFE), _select(0)],
    "FSETP.a": lambda r: [op("FSETP", 0, r, _O, stall=SAFE), op("NOP", stall=SAFE), _select(0)],
    "HADD2.a": _plain(op("HADD2", RESULT, D, RZ)),
    "HFMA2.a": _plain(op("HFMA2", RESULT, D, _H1, RZ)),
    "HFMA2.MMA.a": _plain(op("HFMA2.MMA", RESULT, D, _H1, RZ)),
    "DADD.a": _plain(op("DADD", RESULT, D, RZ)),
    "DFMA.a": _plain(op("DFMA", RESULT, D, _D1, RZ)),
    "DFMA.c": _plain(op("DFMA", RESULT, RZ, RZ, D)),
    "MUFU.RCP": _waited(op("MUFU.RCP", RESULT, D)),
    "POPC": _waited(op("POPC", RESULT, D)),
    "F2I": _waited(op("F2I", RESULT, D)),
    "SHFL": _waited(op("SHFL.IDX", RESULT, D, RZ)),
    "R2UR": lambda r: [op("R2UR", _UD, r, stall=SAFE), op("NOP", stall=SAFE), op("MOV.UR", RESULT, _UD, stall=SAFE)],
    "LDS.address": _waited(op("LDS.32", RESULT, D)),
    "STS.data": _stored(op("STS.32", RZ, 0, D), op("LDS.32", RESULT, RZ)),
    "STG.data": _stored(op("STG.32", 4, _PTR, 0, D), op("LDG.32.GPU", RESULT, 4, _PTR)),
    "LDG.address": _waited(op("LDG.32.GPU", RESULT, 4, D)),
}
ADDRESS_READERS = ("LDS.address",)
WIDE_WRITERS = ("IMAD.WIDE", "DADD", "DMUL", "DFMA")

P = 1
PREDICATE_WRITERS: dict[str, Instruction] = {
    "ISETP": op("ISETP", P, _N, RZ),
    "FSETP": op("FSETP", P, _N, RZ),
    "DSETP": op("DSETP", P, _N, RZ),
    "LOP3.P": op("LOP3.P", P, RZ, _N, 0xFFFFFFFF, RZ),
    "IADD3.CO": op("IADD3.CO", D, P, 47, 47, RZ),
    "VOTE.ALL": op("VOTE.ALL", P, PT),
}
_ONE = [op("MOV", RESULT, _I1, guard=P, stall=SAFE)]
PREDICATE_READERS: dict[str, Step] = {
    "guard MOV": _ONE,
    "guard FFMA": [op("FFMA", RESULT, RZ, RZ, _I1, guard=P, stall=SAFE)],
    "guard IMAD": [op("IMAD", RESULT, RZ, RZ, _I1, guard=P, stall=SAFE)],
    "guard LOP3": [op("LOP3", RESULT, RZ, _I1, RZ, guard=P, stall=SAFE)],
    "guard HFMA2": [op("HFMA2", RESULT, RZ, RZ, _I1, guard=P, stall=SAFE)],
    "guard DADD": [op("DADD", RESULT, _D1, _D1, guard=P, stall=SAFE), op("MOV", RESULT, 23, stall=SAFE)],
    "guard MUFU": [op("MUFU.RCP", RESULT, _F1, guard=P, write=0, stall=SAFE), op("NOP", wait=1, stall=SAFE)],
    "guard LDS": [op("LDS.32", RESULT, RZ, 64, guard=P, write=0, stall=SAFE), op("NOP", wait=1, stall=SAFE)],
    "SEL": [_select(P)],
    "FSEL": [op("FSEL", RESULT, _F1, RZ, P, stall=SAFE)],
    "IADD3.X": [op("IADD3.X", RESULT, RZ, RZ, RZ, P, stall=SAFE)],
    "VOTE.ANY": [op("VOTE.ANY", RESULT, P, stall=SAFE)],
}

UNIFORM_WRITERS: dict[str, Instruction] = {
    "UMOV": op("UMOV", _UD, _UN),
    "UIADD3": op("UIADD3", _UD, _UN, URZ, URZ),
    "ULOP3": op("ULOP3", _UD, _UN, URZ, URZ),
    "USHF": op("USHF", _UD, _UN, URZ, URZ),
    "UIMAD": op("UIMAD", _UD, _UN, _U1, URZ),
    "USEL": op("USEL", _UD, _UN, URZ, PT),
    "ULDC": op("ULDC", _UD, DATA),
    "R2UR": op("R2UR", _UD, _N),
}
UNIFORM_READERS: dict[str, Step] = {
    "MOV.UR": [op("MOV.UR", RESULT, _UD, stall=SAFE)],
    "FFMA.UR": [op("FFMA.UR", RESULT, _F1, _UD, RZ, stall=SAFE)],
    "IMAD.UR": [op("IMAD.UR", RESULT, _I1, _UD, RZ, stall=SAFE)],
    "IADD3.UR": [op("IADD3.UR", RESULT, RZ, _UD, RZ, stall=SAFE)],
    "LOP3.UR": [op("LOP3.UR", RESULT, RZ, _UD, RZ, stall=SAFE)],
}
_FROM_UNIFORM = [op("NOP", stall=SAFE), op("MOV.UR", RESULT, 9, stall=SAFE)]
UNIFORM_READERS |= {
    "UMOV": [op("UMOV", 9, _UD, stall=SAFE), *_FROM_UNIFORM],
    "UIADD3": [op("UIADD3", 9, _UD, URZ, URZ, stall=SAFE), *_FROM_UNIFORM],
    "ULOP3": [op("ULOP3", 9, _UD, URZ, URZ, stall=SAFE), *_FROM_UNIFORM],
    "UIMAD": [op("UIMAD", 9, _UD, _U1, URZ, stall=SAFE), *_FROM_UNIFORM],
    "UISETP": [
        op("UISETP", 0, _UD, _UO, stall=SAFE),
        op("NOP", stall=SAFE),
        op("USEL", 9, _U1, URZ, 0, stall=SAFE),
        *_FROM_UNIFORM,
    ],
}


def _setup(new: tuple[int, int], old: tuple[int, int]) -> Step:
    values = {_N: new[0], _N + 1: new[1], _O: old[0], _O + 1: old[1], _F1: 0x3F800000, _I1: 1, _D1: 0}
    values |= {_D1 + 1: 0x3FF00000, _H1: 0x3C003C00, _SEL: 0x3210, 46: 1, 47: 0x80000000, 48: 111, 49: 222}
    return [
        *(constant(register, value) for register, value in values.items()),
        op("LDC.64", _PTR, DATA, write=0, stall=SAFE),
        op("STS.32", RZ, OLD_ADDRESS, 48, wait=1, stall=SAFE),
        op("STS.32", RZ, NEW_ADDRESS, 49, stall=SAFE),
        op("STG.32", 4, _PTR, OLD_ADDRESS, 48, stall=SAFE),
        op("STG.32", 4, _PTR, NEW_ADDRESS, 49, stall=SAFE),
        op("R2UR", _UN, _N, stall=SAFE),
        op("R2UR", _UO, _O, stall=SAFE),
        op("UMOV.IMM", _U1, 1, stall=SAFE),
        op("NOP", stall=SAFE, wait=0x3F),
    ]


def _trials(prepare: Step, writer: Instruction, reader: Step) -> Step:
    region: Step = []
    record = _FIRST_RECORD
    for distance in (0, *DISTANCES, FAR):
        region += [*prepare, op("NOP", stall=SAFE, wait=0x3F)]
        if distance:
            region.append(writer.having(stall=min(distance, SAFE)))
            if distance > SAFE:
                region.append(op("NOP", stall=distance - SAFE))
        region += [*reader, op("NOP", stall=SAFE, wait=0x3F), op("MOV", record, RESULT, stall=SAFE)]
        record += 1
    return region


def _experiment(name: str, setup: Step, region: Step) -> Experiment:
    count = len(DISTANCES) + 2
    return Experiment(
        f"latency/{name}",
        region,
        range(_FIRST_RECORD, _FIRST_RECORD + count),
        setup,
        (Launch(shared=1024),),
        iterations=2,
        kind="words",
        meta={"distances": [0, *DISTANCES, FAR]},
    )


def experiments() -> Iterator[Experiment]:
    """Yield one program per pair of a writer and a reader that can be joined."""
    old = [op("MOV", D, _O), op("MOV", D + 1, _O + 1)]
    for reader_name, reader in READERS.items():
        setup = _setup(NEW, OLD)
        if reader_name in ADDRESS_READERS:
            setup = _setup((NEW_ADDRESS, NEW[1]), (OLD_ADDRESS, OLD[1]))
        for writer_name, writer in WRITERS.items():
            unfit = ("IMAD.HI", "CS2R.32", "VOTE.ANY", "I2FP", "F2FP", "LEA")
            prepare, start, halves = old, setup, {"": D}
            if reader_name.endswith("address") and writer_name in unfit:
                continue
            if reader_name == "LDG.address":
                if writer_name in WIDE_WRITERS:
                    continue
                start = [
                    *setup,
                    op("IADD3.IMM", _N, _PTR, NEW_ADDRESS, RZ, stall=SAFE),
                    op("IADD3.IMM", _O, _PTR, OLD_ADDRESS, RZ, stall=SAFE),
                    op("MOV", _O + 1, _PTR + 1, stall=SAFE),
                    op("R2UR", _UN, _N, stall=SAFE),
                ]
            if writer_name in WIDE_WRITERS and not reader_name.startswith(("D", "LDS")):
                halves = {".lo": D, ".hi": D + 1}
            for half, register in halves.items():
                region = _trials(prepare, writer, reader(register))
                yield _experiment(f"{writer_name}{half}/{reader_name}", start, region)
    zero = [op("MOV", RESULT, RZ), op("MOV", RESULT + 1, RZ)]
    for writer_name, writer in PREDICATE_WRITERS.items():
        for reader_name, steps in PREDICATE_READERS.items():
            prepare = [*zero, op("ISETP", P, RZ, RZ)]
            yield _experiment(f"{writer_name}/{reader_name}", _setup(NEW, OLD), _trials(prepare, writer, steps))
    for writer_name, writer in UNIFORM_WRITERS.items():
        for reader_name, steps in UNIFORM_READERS.items():
            prepare = [op("UMOV", _UD, _UO)]
            yield _experiment(f"{writer_name}/{reader_name}", _setup(NEW, OLD), _trials(prepare, writer, steps))
    yield from _branches()


def _branches() -> Iterator[Experiment]:
    """A predicate read by a branch's guard: the branch skips the instruction that sets the result."""
    for writer_name, writer in PREDICATE_WRITERS.items():
        region: Step = []
        for i, distance in enumerate((0, *DISTANCES, FAR)):
            region += [op("MOV", RESULT, _I1, stall=SAFE), op("ISETP", P, RZ, RZ, stall=SAFE), op("NOP", stall=SAFE)]
            if distance:
                region.append(writer.having(stall=min(distance, SAFE)))
                if distance > SAFE:
                    region.append(op("NOP", stall=distance - SAFE))
            region += [op("BRA", f"skip{i}", guard=P, stall=SAFE), op("MOV", RESULT, RZ, stall=SAFE)]
            region.append(op("MOV", _FIRST_RECORD + i, RESULT, stall=SAFE, label=f"skip{i}"))
        yield _experiment(f"{writer_name}/guard BRA", _setup(NEW, OLD), region)
