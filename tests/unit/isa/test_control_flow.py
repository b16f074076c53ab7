from collections.abc import Callable

import pytest

from isa.control_flow import Block, basic_blocks
from isa.module import Module, load_source
from isa.program import Program

Corpus = Callable[[str], Module]


@pytest.fixture(scope="module")
def loop() -> Program:
    code = """
    extern "C" __global__ void loop(float *o, int n) {
        float sum = o[1];
    #pragma unroll 1
        for (int i = 0; i < n; i++) sum = sum * sum + 1.0f;
        o[0] = sum;
    }"""
    return load_source(code).program("loop")


def test_blocks_cover_the_program_without_gaps(corpus: Corpus, source_name: str) -> None:
    for program in corpus(source_name).programs.values():
        blocks = basic_blocks(program)
        assert [blocks[0].start, *(block.stop for block in blocks)] == [
            *(block.start for block in blocks),
            len(program.instructions),
        ]
        assert all(0 <= successor < len(blocks) for block in blocks for successor in block.successors)


def test_a_loop_leads_back_to_itself(loop: Program) -> None:
    blocks = basic_blocks(loop)
    bodies = [number for number, block in enumerate(blocks) if contains(loop, block, "FFMA")]
    assert bodies
    for number in bodies:
        assert number in blocks[number].successors
        assert number + 1 in blocks[number].successors


def test_nothing_follows_an_unconditional_exit(loop: Program) -> None:
    exits = [
        block
        for block in basic_blocks(loop)
        if loop.instructions[block.stop - 1].opcode == "EXIT" and loop.instructions[block.stop - 1].guard is None
    ]
    assert exits
    assert all(block.successors == () for block in exits)


def test_a_jump_table_leads_to_every_case(corpus: Corpus) -> None:
    program = corpus("control").program("jump_table")
    blocks = basic_blocks(program)
    switches = [block for block in blocks if program.instructions[block.stop - 1].opcode == "BRX"]
    assert switches
    table = program.constant_banks[2]
    targets = {int.from_bytes(table[i : i + 4], "little") // 16 for i in range(0, len(table), 4)}
    for switch in switches:
        assert {blocks[successor].start for successor in switch.successors} == targets


def test_a_return_leads_behind_every_call(corpus: Corpus) -> None:
    program = corpus("control").program("calls")
    blocks = basic_blocks(program)
    behind = {i.index + 1 for i in program.instructions if i.opcode == "CALL"}
    (back, *_) = [block for block in blocks if program.instructions[block.stop - 1].opcode == "RET"]
    assert behind <= {blocks[successor].start for successor in back.successors}


def contains(program: Program, block: Block, opcode: str) -> bool:
    return any(instruction.opcode == opcode for instruction in program.instructions[block.start : block.stop])
