"""From a region of SASS to a kernel: prologue, warmed loop around the region, records stored at the end.

Register map of every calibration kernel (the regions use the rest):

    R0 thread index, R1 scratch, R2:R3 where this warp's records go, R4 thread index x 4, R5 block index, R6 spare,
    R7 loop counter, UR4:UR5 descriptor of global memory, P5 loop, P6 lane is not 0.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from .sass import RZ, Instruction, assemble, op
from .shell import wrap

RECORDS = 64  # words that a warp may store; the stride of the output
OUT, WARPS, SPARE, DATA = 0x210, 0x218, 0x21C, 0x220  # parameters in constant bank 0
NTID = 0x0  # blockDim.x in constant bank 0
LINE = 8  # instructions in a 128-byte line
REACHED = 3  # instructions of a region's first line that come before the region: a block barrier
SAFE = 15  # a stall that covers every fixed latency
ITERATIONS = 4


@dataclass(frozen=True)
class Launch:
    """How a program is launched.

    Attributes:
        label: name of the configuration, as the analysis looks it up.
        threads: threads per block.
        warps: bit w set = warp w takes part, the others exit at once.
        blocks: blocks in the grid.
        shared: bytes of dynamic shared memory.
        data: what the runner puts into the data buffer before: "zero", or "chase:<stride>:<elements>"; "host" is a
            buffer in the host's memory instead.
        advance: bytes by which the data pointer moves from one launch to the next.
        carveout: per cent of L1 that the launch asks to be shared memory, -1 leaves it to the driver.
        flush: whether L2 is filled with other data before the launch.
    """

    label: str = "1"
    threads: int = 32
    warps: int = 1
    blocks: int = 1
    shared: int = 0
    data: str = "zero"
    advance: int = 0
    carveout: int = -1
    flush: bool = False


@dataclass(frozen=True)
class Experiment:
    """One microbenchmark: a region of SASS, what it records, and how it is launched.

    Attributes:
        name: unique, family first: "latency/FFMA/IADD3.a".
        region: the instructions under test.
        records: registers stored at the end, in order.
        setup: instructions before the loop.
        launches: configurations to run.
        registers: registers per thread.
        align: the loop begins at a multiple of so many instructions.
        functions: instructions behind the kernel's end, to be called.
        entry: instructions before everything else.
        ending: instructions between the stores of the records and EXIT.
        iterations: times that the region runs; the records are those of the last time.
        sync: a block barrier before each time.
        constants: bytes of constants of the module's own, c[0x3].
        barriers: block barriers that the code names.
        kind: what the records are, see record.py.
        meta: numbers that the analysis needs (instruction counts and the like).
    """

    name: str
    region: Sequence[Instruction]
    records: Sequence[int]
    setup: Sequence[Instruction] = ()
    launches: Sequence[Launch] = (Launch(),)
    registers: int = 64
    iterations: int = ITERATIONS
    sync: bool = False
    align: int = LINE
    constants: int = 0
    barriers: int = 1
    functions: Sequence[Instruction] = ()
    entry: Sequence[Instruction] = ()
    ending: Sequence[Instruction] = ()
    kind: str = "elapsed"
    meta: dict[str, object] = field(default_factory=dict)

    def program(self) -> list[Instruction]:
        """Return the whole kernel."""
        head = [*self.entry, *_PROLOGUE, *self.setup, op("MOV.IMM", 7, self.iterations, stall=SAFE, wait=0x3F)]
        head += [op("NOP")] * (-len(head) % self.align)
        top = block_barrier("released", label="top") if self.sync else [op("NOP", stall=SAFE, label="top")]
        loop = [
            op("NOP", wait=0x3F, stall=SAFE),
            op("IADD3.IMM", 7, 7, -1, RZ, stall=SAFE),
            op("ISETP", 5, 7, RZ, stall=SAFE),
            op("BRA", "top", guard=5, stall=5),
        ]
        stores = [op("STG.32", 4, 2, 4 * i, register, guard=~6, stall=4) for i, register in enumerate(self.records)]
        if len(self.records) > RECORDS:
            raise ValueError(f"{self.name} stores {len(self.records)} records, {RECORDS} at most")
        tail = [
            op("NOP", stall=SAFE),
            *stores,
            *self.ending,
            op("EXIT", stall=5),
            op("BRA", "end", label="end", stall=5),
        ]
        return [*head, *top, *self.region, *loop, *tail, *self.functions]

    def cubin(self) -> bytes:
        """Return the cubin of this experiment; its kernel is called `shell`."""
        return wrap(assemble(self.program()), self.registers, self.constants, self.barriers)


_PROLOGUE = [
    op("S2R.TID", 0, write=0, label="start"),
    op("LDC.64", 2, OUT, write=1),
    op("LDC", 6, WARPS, write=2),
    op("S2R.CTAID", 5, write=3),
    op("LDC", 1, NTID, write=4),
    op("ULDC.64", 4, 0x208, stall=SAFE),
    op("SHF.R.IMM", 4, RZ, 5, 0, wait=0x3F, stall=SAFE),  # warp index
    op("SHF.R", 6, RZ, 4, 6, stall=SAFE),
    op("LOP3.P", 0, RZ, 6, 1, RZ, stall=SAFE),
    op("NOP", stall=SAFE),
    op("EXIT", guard=~0, stall=5),
    op("LOP3.P", 6, RZ, 0, 31, RZ, stall=SAFE),
    op("SHF.R.IMM", 1, RZ, 5, 1, stall=SAFE),  # warps in the block
    op("IMAD", 1, 5, 1, 4, stall=SAFE),
    op("IMAD.WIDE.U32.IMM", 2, 1, 4 * RECORDS, 2, stall=SAFE),
    op("SHF.L.IMM", 4, 0, 2, RZ, stall=SAFE),
]


def constant(register: int, value: int) -> Instruction:
    """Set a register to a 32-bit value, with nothing left in flight."""
    return op("MOV.IMM", register, value & 0xFFFFFFFF, stall=SAFE)


def clock(register: int, **control: object) -> Instruction:
    """Read the low word of the SM's cycle counter."""
    return op("CS2R.32", register, **control)


def up_to(region: Sequence[Instruction], slot: int, reached: int = REACHED) -> list[Instruction]:
    """Return the NOPs that bring the next instruction of a region, which lacks them, to that slot of a line."""
    return [op("NOP")] * ((slot - reached - len(region)) % LINE)


def block_barrier(behind: str, label: str | None = None) -> list[Instruction]:
    """A block barrier, at ``label``, and a branch to what is ``behind`` it.

    A clock read right behind a barrier would issue before the barrier blocks (control.py measures that); a branch
    waits.
    """
    return [
        op("BAR.SYNC", stall=8, label=label),
        op("BRA", behind, stall=5),
        op("NOP", stall=SAFE, label=behind),
    ]


def smsp_warps(count: int, **launch: object) -> Launch:
    """`count` warps on SMSP 0 (warp w goes to SMSP w % 4), the others exit at once."""
    mask = sum(1 << 4 * i for i in range(count))
    return Launch(str(count), 32 * (4 * (count - 1) + 1), mask, **launch)  # type: ignore[arg-type]


def sm_warps(per_smsp: int, **launch: object) -> Launch:
    """`per_smsp` warps on each of the four SMSPs."""
    return Launch(f"4x{per_smsp}", 128 * per_smsp, (1 << 4 * per_smsp) - 1, **launch)  # type: ignore[arg-type]


def first_warps(counts: Iterable[int], label: str = "{}", **launch: object) -> tuple[Launch, ...]:
    """Launches of so many warps each, on the SMSPs in turn; ``label`` names one by its number of warps."""
    return tuple(Launch(label.format(n), 32 * n, (1 << n) - 1, **launch) for n in counts)  # type: ignore[arg-type]
