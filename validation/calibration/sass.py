"""A small SASS assembler for microbenchmarks: instructions whose every bit is ours.

The encodings come from `encodings.csv`: for each name the bits that ptxas 13.0 emits for sm_90 with register,
predicate, immediate and control fields cleared, and the text that nvdisasm prints, with the fields in braces. The text
is what makes an encoding checkable: `verify.py` disassembles every prepared program and compares.
"""

from dataclasses import dataclass, field, replace
from functools import cache
from importlib import resources

from isa.control import ControlCode
from isa.encoding import encode_control

RZ, URZ, PT = 255, 63, 7
INSTRUCTION_BYTES = 16
LONGEST_STAY = 11  # sm_90 encodes "stall 0" and "stall 12 or more" only together with the yield hint

# field name -> (first bit, width)
_FIELDS = {
    "d": (16, 8),
    "a": (24, 8),
    "b": (32, 8),
    "c": (64, 8),
    "ud": (16, 6),
    "ua": (24, 6),
    "ub": (32, 6),
    "uc": (64, 6),
    "pd": (81, 3),
    "pn": (87, 3),
    "upd": (81, 3),
    "upn": (87, 3),
    "imm": (32, 32),
    "off": (40, 24),
    "const": (38, 16),
    "left": (38, 6),
}


@dataclass(frozen=True)
class Encoding:
    """One row of encodings.csv: the 128 bits without operands, and nvdisasm's text with the fields in braces."""

    name: str
    bits: int
    text: str

    @property
    def fields(self) -> tuple[str, ...]:
        """Names of the fields in the order of the text."""
        return tuple(part.split("}")[0] for part in self.text.split("{")[1:])


@cache
def encodings() -> dict[str, Encoding]:
    """Return all known encodings by name."""
    rows = (resources.files(__package__) / "encodings.csv").read_text().splitlines()
    table = {}
    for row in rows:
        if row and not row.startswith("#"):
            name, low, high, text = row.split(";")
            table[name] = Encoding(name, int(low, 16) | int(high, 16) << 64, text)
    return table


@dataclass(frozen=True)
class Instruction:
    """An instruction to assemble.

    Attributes:
        name: row of encodings.csv.
        operands: field name -> register number, immediate, byte offset; `branch` and `sync` name a label.
        guard: predicate number, negative (~p) for its negation, None for always.
        stall, yield_, write, read, wait, reuse: control fields; barrier 7 is none, wait and reuse are bit masks.
        label: name that branches can refer to.
    """

    name: str
    operands: dict[str, int | str] = field(default_factory=dict)
    guard: int | None = None
    stall: int = 1
    yield_: bool = False
    write: int = 7
    read: int = 7
    wait: int = 0
    reuse: int = 0
    label: str | None = None

    def having(self, **changes: object) -> "Instruction":
        """Return a copy with other control fields, guard or label."""
        return replace(self, **changes)  # type: ignore[arg-type]

    def encode(self, index: int, labels: dict[str, int]) -> int:
        """Return the 128 bits of this instruction at the given index of its program."""
        encoding = encodings()[self.name]
        if set(encoding.fields) != set(self.operands):
            raise ValueError(f"{self.name} takes {encoding.fields}, not {tuple(self.operands)}")
        bits = encoding.bits
        for key, value in self.operands.items():
            if isinstance(value, str):
                bits |= _label_bits(key, index, labels[value])
            else:
                first, width = _FIELDS[key]
                bits |= (value & ((1 << width) - 1)) << first
        guard = 7 if self.guard is None else self.guard if self.guard >= 0 else 8 | ~self.guard
        return encode_control(bits & ~(0xF << 12) | guard << 12, self._control())

    def _control(self) -> ControlCode:
        yields = self.yield_ or self.stall == 0 or self.stall > LONGEST_STAY
        return ControlCode(self.stall, yields, self.write, self.read, self.wait, self.reuse)

    def text(self, base: int, labels: dict[str, int]) -> str:
        """Return what nvdisasm prints for this instruction in a program that starts at byte address `base`."""
        values = {key: _operand_text(key, value, base, labels) for key, value in self.operands.items()}
        if self.name.startswith("LDC") and self.operands.get("const") == 0:
            values["const"] = "RZ"  # so nvdisasm writes c[0x0][0x0] there
        text = encodings()[self.name].text.format(**values).replace("[RZ+", "[")
        if self.guard is not None:
            text = f"@P{self.guard} {text}" if self.guard >= 0 else f"@!P{~self.guard} {text}"
        return text


@dataclass(frozen=True)
class Quoted(Instruction):
    """An instruction as a compiler left it: its 128 bits, and what nvdisasm prints for them."""

    bits: int = 0
    printed: str = ""

    def encode(self, index: int, labels: dict[str, int]) -> int:
        """Return the bits, wherever it stands."""
        return self.bits

    def text(self, base: int, labels: dict[str, int]) -> str:
        """Return nvdisasm's text."""
        return self.printed


def _label_bits(key: str, index: int, target: int) -> int:
    distance = (target - index - 1) * INSTRUCTION_BYTES
    if key == "imm":  # the address, counted from the kernel's start
        return target * INSTRUCTION_BYTES << 32
    if key == "sync":
        return distance // 4 << 34
    words = (distance // 4) & ((1 << 56) - 1)
    return (words & 0xFF) << 16 | (words >> 8) << 34


def _operand_text(key: str, value: int | str, base: int, labels: dict[str, int]) -> str:
    if isinstance(value, str):
        base = 0 if key == "imm" else base
        return hex(base + labels[value] * INSTRUCTION_BYTES)
    if key in ("d", "a", "b", "c"):
        return "RZ" if value == RZ else f"R{value}"
    if key in ("ud", "ua", "ub", "uc"):
        return "URZ" if value == URZ else f"UR{value}"
    if key in ("pd", "pn"):
        return "PT" if value == PT else f"P{value}"
    if key in ("upd", "upn"):
        return "UPT" if value == PT else f"UP{value}"
    if key == "off":
        return "" if value == 0 else f"+{value:#x}" if value > 0 else f"+-{-value:#x}"
    return f"{value:#x}" if value >= 0 else f"-{-value:#x}"


def op(name: str, *operands: int | str, **control: object) -> Instruction:
    """Build an instruction; operands in the order of its text, a trailing offset or constant may be left out (0)."""
    names = encodings()[name].fields
    values = dict(zip(names, operands, strict=False))
    for missing in names[len(operands) :]:
        if missing not in ("off", "const"):
            raise ValueError(f"{name} takes {names}: {missing} is missing")
        values[missing] = 0
    if len(operands) > len(names):
        raise ValueError(f"{name} takes {names}, got {operands}")
    return Instruction(name, values, **control)  # type: ignore[arg-type]


def assemble(program: list[Instruction]) -> bytes:
    """Return the machine code of a program."""
    labels = label_indices(program)
    code = (instruction.encode(i, labels) for i, instruction in enumerate(program))
    return b"".join(bits.to_bytes(INSTRUCTION_BYTES, "little") for bits in code)


def label_indices(program: list[Instruction]) -> dict[str, int]:
    """Return label -> instruction index."""
    return {instruction.label: i for i, instruction in enumerate(program) if instruction.label is not None}
