"""Routines: synthetic code and what a warp executes of it, without a compiler or an emulator.

A routine is written down as a chain of calls, each of which returns a longer one::

    program().op("MUFU.RCP R4, R5", write=0).ffma(6, 4, 4, 4, stall=4, wait=[0]).exit()

Text is what nvdisasm prints, so registers, pipe and latency class are those of the opcode table.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from isa.control import NO_BARRIER, ControlCode
from isa.disassembly import Line
from isa.encoding import format_control

LANES = 32
ALL_LANES = (1 << LANES) - 1
PLAIN = ControlCode()
CONTIGUOUS = tuple(4 * lane for lane in range(LANES))
SUFFIX_BYTES = {"64": 8, "128": 16}


@dataclass(frozen=True, slots=True, repr=False)
class Op:
    """An instruction as a warp executes it.

    Attributes:
        text: as nvdisasm prints it, guard included, e.g. "@P0 LDS.64 R4, [R2]".
        control: its control code.
        lanes: mask of the lanes that execute it; 0 when its guard is false in all.
        addresses: of a memory access, the byte address by lane, None for a lane that does not access.
        warp_stride: added to the addresses for each warp of the grid.
    """

    text: str
    control: ControlCode = PLAIN
    lanes: int = ALL_LANES
    addresses: tuple[int | None, ...] = CONTIGUOUS
    warp_stride: int = 0

    def __repr__(self) -> str:
        parts = [format_control(self.control), self.text]
        if self.control.reuse:
            parts.append(f"reuse {self.control.reuse:03b}")
        if self.lanes != ALL_LANES:
            parts.append(f"lanes {self.lanes:#x}")
        if self.addresses != CONTIGUOUS:
            parts.append(f"addresses {self.addresses}")
        if self.warp_stride:
            parts.append(f"warp_stride {self.warp_stride}")
        return f"<{', '.join(parts)}>"

    @property
    def line(self) -> Line:
        """The text in the disassembler's parts."""
        guard, rest = self.text.split(" ", 1) if self.text.startswith("@") else ("", self.text)
        opcode, _, operands = rest.partition(" ")
        return Line(guard, opcode, operands.replace(" ", ""))

    @property
    def width(self) -> int:
        """Bytes per lane that an access moves."""
        return next((SUFFIX_BYTES[part] for part in self.line.opcode.split(".")[1:] if part in SUFFIX_BYTES), 4)


@dataclass(frozen=True, slots=True)
class Loop:
    """Straight code and the branch back to its start, executed ``times`` times; the last branch falls through."""

    body: tuple[Op, ...]
    times: int
    branch: ControlCode = PLAIN


@dataclass(frozen=True, slots=True)
class Jump:
    """A taken branch over ``over`` instructions that are not executed."""

    over: int
    branch: ControlCode = PLAIN


Part = Op | Loop | Jump


def strided(stride: int, base: int = 0, lanes: Iterable[int] = range(LANES)) -> tuple[int | None, ...]:
    """Addresses ``base + stride * lane`` of the lanes given; the others do not access."""
    active = set(lanes)
    return tuple(base + stride * lane if lane in active else None for lane in range(LANES))


def control(
    stall: int = 1,
    *,
    yields: bool = False,
    write: int = NO_BARRIER,
    read: int = NO_BARRIER,
    wait: Iterable[int] = (),
    reuse: Iterable[int] = (),
) -> ControlCode:
    """A control code: stall count, yield, write and read barrier, barriers to wait for, slots (0 to 2) to keep."""
    return ControlCode(
        stall=stall,
        yield_=yields,
        write_barrier=write,
        read_barrier=read,
        wait_mask=sum(1 << barrier for barrier in set(wait)),
        reuse=sum(1 << slot for slot in set(reuse)),
    )


@dataclass(frozen=True, slots=True)
class Routine:
    """What a warp does, from its first instruction to EXIT."""

    parts: tuple[Part, ...] = ()

    def op(
        self,
        text: str,
        stall: int = 1,
        *,
        yields: bool = False,
        write: int = NO_BARRIER,
        read: int = NO_BARRIER,
        wait: Iterable[int] = (),
        reuse: Iterable[int] = (),
        lanes: int = ALL_LANES,
        addresses: Sequence[int | None] | None = None,
        warp_stride: int = 0,
    ) -> "Routine":
        """Any instruction; the other methods are shorthand. Arguments as ``control`` and ``Op``."""
        code = control(stall, yields=yields, write=write, read=read, wait=wait, reuse=reuse)
        op = Op(text, code, lanes, warp_stride=warp_stride)
        return self.then(op if addresses is None else replace(op, addresses=tuple(addresses)))

    def then(self, *parts: Part) -> "Routine":
        """The routine with more parts at its end."""
        return Routine(self.parts + parts)

    def ffma(  # noqa: PLR0917  (as the instruction is written)
        self, d: int, a: int, b: int, c: int, stall: int = 1, wait: Iterable[int] = ()
    ) -> "Routine":
        """``FFMA Rd, Ra, Rb, Rc``."""
        return self.op(f"FFMA R{d}, R{a}, R{b}, R{c}", stall, wait=wait)

    def mov(self, d: int, value: int, stall: int = 1, wait: Iterable[int] = ()) -> "Routine":
        """``MOV Rd, value``: no register is read."""
        return self.op(f"MOV R{d}, {value:#x}", stall, wait=wait)

    def mufu(self, d: int, a: int, stall: int = 1, *, write: int = NO_BARRIER, wait: Iterable[int] = ()) -> "Routine":
        """``MUFU.RCP Rd, Ra``."""
        return self.op(f"MUFU.RCP R{d}, R{a}", stall, write=write, wait=wait)

    def barrier(self, stall: int = 1, wait: Iterable[int] = ()) -> "Routine":
        """``BAR.SYNC`` of all warps of the block."""
        return self.op("BAR.SYNC.DEFER_BLOCKING 0x0", stall, wait=wait)

    def nops(self, count: int) -> "Routine":
        """``NOP``, ``count`` times."""
        return self.then(*(Op("NOP") for _ in range(count)))

    def loop(self, times: int, body: "Routine", stall: int = 1) -> "Routine":
        """The ops of ``body`` and a branch back to the first, ``times`` times over."""
        ops = tuple(part for part in body.parts if isinstance(part, Op))
        if len(ops) != len(body.parts) or times < 1:
            raise ValueError("a loop runs at least once, and its body is straight code")
        return self.then(Loop(ops, times, control(stall)))

    def jump(self, over: int, stall: int = 1) -> "Routine":
        """A taken branch over ``over`` instructions."""
        return self.then(Jump(over, control(stall)))

    def exit(self, stall: int = 1, wait: Iterable[int] = ()) -> "Routine":
        """``EXIT`` of all lanes: the end."""
        return self.op("EXIT", stall, wait=wait)


def program() -> Routine:
    """An empty routine to add to."""
    return Routine()
