"""Constants: the first touch of a line in a launch, by an operand and by LDC."""

from smsim import engines
from smsim.listeners import Issue
from smsim.operand_path import REGISTER_INTERVAL, TO_ADU
from smsim.part import Part
from smsim.state.sizes import NUM_SMSPS
from smsim.testing import Launch, program, strided

USE = "FADD R{d}, R4, c[0x0][{offset:#x}]"
OF_MODULE = "FADD R{d}, R4, c[0x3][{offset:#x}]"
INDEXED = REGISTER_INTERVAL + TO_ADU  # cycles that an LDC takes longer for its register
BANK = 3 << 32  # of the module's own constants, in a trace's accesses


def test_the_first_operand_of_a_line_waits_for_it(run, machine):
    probe = run(program().op("NOP").op(USE.format(d=8, offset=0x200)).exit(), machine)
    probe.assert_earliest_issue_at(1, probe.issued_at(0) + 1 + machine.value("frontend.constant_miss"), "imc_miss")


def test_a_miss_counts_at_its_end_as_a_fetch_and_a_wait(run, machine):
    """Rows of ULDC that each touch another line, by one warp: ncu's counters go up by 48, 5 and 4 and two nowhere."""
    probe = run(program().op("NOP").op(USE.format(d=8, offset=0x200)).exit(), machine)
    missed = machine.value("frontend.constant_miss") - 12
    assert probe.stalls(1) == {"selected": 1, "imc_miss": missed, "no_instruction": 7, "wait": 5}


def test_the_next_operand_of_the_line_does_not(run, machine):
    probe = run(program().op(USE.format(d=8, offset=0x200)).op(USE.format(d=9, offset=0x204)).exit(), machine)
    assert probe.gap(0, 1) == 1


def test_another_line_is_waited_for_again(run, machine):
    probe = run(program().op(USE.format(d=8, offset=0x200)).op(USE.format(d=9, offset=0x300)).exit(), machine)
    assert probe.gap(0, 1) == 1 + machine.value("frontend.constant_miss")


def test_what_one_warp_has_fetched_is_there_for_the_others_of_its_smsp(run, machine):
    code = program().op("NOP", 15).op(USE.format(d=8, offset=0x200)).exit()
    probe = run(Launch((code, *[_later(code)] * NUM_SMSPS), warps=NUM_SMSPS + 1), machine)
    assert probe.gap(-3, -2, warp=NUM_SMSPS) == 15


def test_each_smsp_fetches_it_for_itself(run, machine):
    code = program().op("NOP", 15).op(USE.format(d=8, offset=0x200)).exit()
    probe = run(Launch((code, _later(code)), warps=2), machine)
    assert probe.gap(-3, -2, warp=1) == 15 + machine.value("frontend.constant_miss")


def test_smsps_that_ask_at_once_are_served_in_turn(run, machine):
    code = program().op("NOP", 15).op(USE.format(d=8, offset=0x200)).exit()
    probe = run(Launch((code,), warps=NUM_SMSPS), machine.replace({"launch.warp_interval": 0}))
    first = probe.issued_at(1)
    interval = machine.value("frontend.constant_interval")
    assert [probe.issued_at(1, warp) - first for warp in range(NUM_SMSPS)] == [i * interval for i in range(NUM_SMSPS)]


def test_other_sms_have_their_turns_in_between(machine):
    code = program().op("NOP", 15).op(USE.format(d=8, offset=0x200)).exit()
    at_once = machine.replace({"launch.warp_interval": 0})
    issued = []
    listeners = [lambda event: issued.append((event.address, event.cycle)) if isinstance(event, Issue) else None]
    part = Part(busy=machine.num_sms)
    engines.run(Launch((code,), warps=NUM_SMSPS).trace(), at_once, listeners=listeners, part=part)
    second = sorted({address for address, _ in issued})[1]
    touched = sorted(cycle for address, cycle in issued if address == second)
    apart = machine.value("frontend.constant_interval") + machine.value("frontend.constants_of_others")
    assert [cycle - touched[0] for cycle in touched] == [i * apart for i in range(NUM_SMSPS)]


def _later(code):
    return program().then(*[part for _ in range(20) for part in program().op("NOP", 10).parts]).then(*code.parts)


def test_it_is_asked_for_once_the_warp_has_what_it_waits_for_elsewhere(run, machine):
    touched, untouched = 0x200, 0x300
    rest = [run(_behind_a_load(offset), machine).gap(1, 2) for offset in (touched, untouched)]
    assert rest[1] - rest[0] == machine.value("frontend.constant_miss")


def _behind_a_load(offset):
    loaded = program().op(USE.format(d=8, offset=0x200)).op("LDS R9, [R4]", write=0, stall=2)
    return loaded.op(USE.format(d=10, offset=offset), wait=[0]).exit()


def test_it_is_asked_for_once_the_block_barrier_lets_go(run, machine):
    """ULDC, unlike arithmetic, does not go ahead of a barrier that another warp has yet to reach."""
    code = program().op("BAR.SYNC.DEFER_BLOCKING 0x0", stall=6).op("ULDC UR4, c[0x0][0x200]").exit()
    late = _later(code)
    probe = run(Launch((late, code), warps=2), machine)
    released = machine.value("barrier.release")
    assert probe.gap(-3, -2) == released + machine.value("frontend.constant_miss")


def test_ldc_has_a_cache_of_its_own(run, machine):
    ldc = program().op("LDC R8, c[0x0][0x200]", write=0).mov(9, 1, wait=[0])
    code = program().op(USE.format(d=8, offset=0x200)).then(*ldc.parts).then(*ldc.parts).exit()
    probe = run(code, machine)
    there = machine.value("operations.LDC.latency")
    assert (probe.gap(1, 2), probe.gap(3, 4)) == (there + machine.value("frontend.ldc_miss"), there)


def test_ldcs_that_missed_come_again_behind_those_that_find_the_line(run, machine):
    """The line is there some cycles before the first LDC that missed it has its data."""
    ldc = program().op("LDC R8, c[0x0][0x200]", write=0).mov(9, 1, wait=[0])
    late = program().op("NOP", 15).op("NOP", 15).op("NOP", 15).then(*ldc.parts).exit()
    probe = run(Launch((program().then(*ldc.parts).exit(), late), warps=2), machine)
    there = machine.value("operations.LDC.latency")
    assert (probe.gap(0, 1), probe.gap(3, 4, warp=1)) == (there + machine.value("frontend.ldc_miss"), there)
    assert probe.issued_at(4, warp=1) < probe.issued_at(1)


def test_the_modules_own_constants_come_from_l2(run, machine):
    """Microbenchmarks ``module_constants/FFMA.CONST3 64 bytes apart``: 280 cycles every 256 bytes, 69 in between."""
    code = program().op("NOP")
    for i, offset in enumerate((0, 64, 192, 256)):
        code = code.op(OF_MODULE.format(d=8 + i, offset=offset))
    probe = run(code.exit(), machine)
    waits, from_l2 = 1 + machine.value("frontend.constant_miss"), machine.value("frontend.module_constant_miss")
    assert [probe.gap(i, i + 1) for i in range(4)] == [waits + from_l2, waits, waits, waits + from_l2]


def test_tables_of_where_to_go_on_come_with_the_code(run, machine):
    """Catalogue kernels ``jump_table`` and ``function_table``, whose LDCs of c[0x2] do not wait for L2."""
    gaps = []
    for bank in (3, 2):
        ldc = program().op(f"LDC R8, c[0x{bank}][R5]", write=0, addresses=strided(0, bank << 32))
        gaps.append(run(ldc.mov(9, 1, wait=[0]).exit(), machine).gap(0, 1))
    assert gaps[0] - gaps[1] == machine.value("frontend.module_constant_miss")


def test_with_cold_caches_they_come_from_dram(run, machine):
    """Microbenchmark ``module_constants/FFMA.CONST3 256 bytes apart, turn 1, flushed``."""
    code = program().op("NOP").op(OF_MODULE.format(d=8, offset=0)).exit()
    warm, cold = (run(code, machine, cache=cache).gap(0, 1) for cache in ("warm", "cold"))
    from_l2, from_dram = (machine.value(f"frontend.{name}module_constant_miss") for name in ("", "cold_"))
    assert cold - warm == from_dram - from_l2


def test_smsps_that_wait_for_one_of_the_modules_lines_have_it_in_turn(run, machine):
    """``module_constants/FFMA.CONST3, warps together`` of 4 of the SM."""
    code = program().op("NOP", 15).op(OF_MODULE.format(d=8, offset=0)).exit()
    probe = run(Launch((code,), warps=NUM_SMSPS), machine.replace({"launch.warp_interval": 0}))
    interval = machine.value("frontend.constant_interval")
    issued = [probe.issued_at(1, warp) - probe.issued_at(1) for warp in range(NUM_SMSPS)]
    assert issued == [i * interval for i in range(NUM_SMSPS)]


def test_an_index_says_which_line_a_uldc_waits_for(run, machine):
    """``module_constants/ULDC3.R``, which wait as ULDC3 do."""
    touched = program().op(OF_MODULE.format(d=8, offset=0))
    gaps = []
    for offset in (4, 64):
        uldc = touched.op("ULDC UR4, c[0x3][UR5]", addresses=strided(0, BANK + offset))
        gaps.append(run(uldc.exit(), machine).gap(0, 1))
    assert gaps == [1, 1 + machine.value("frontend.constant_miss")]


def test_an_ldc_takes_a_pass_for_each_word_that_its_lanes_read(run, machine):
    """``module_constants/LDC3.R of * words``: 11 cycles more for each, be they in one line or not."""
    again = {words: _ldcs(run, machine, words, 4)[1] for words in (1, 2, 32)}
    further = machine.value("mio.match_latency")
    assert (again[2] - again[1], again[32] - again[1]) == (further, 31 * further)


def test_an_ldc_of_several_lines_misses_one_after_the_other(run, machine):
    """``module_constants/LDC3.R of 16 words, 256 bytes apart``, of which each misses."""
    first, again = _ldcs(run, machine, 4, 64)
    from_l2, miss = machine.value("frontend.module_constant_miss"), machine.value("frontend.ldc_miss")
    assert first - again == from_l2 + 4 * miss


def _ldcs(run, machine, words, step):
    """Cycles that an LDC takes and the same LDC once more."""
    addresses = [BANK + lane % words * step for lane in range(32)]
    code = program()
    for _ in range(2):
        code = code.op("LDC R8, c[0x3][R5]", write=0, addresses=addresses).mov(9, 1, wait=[0])
    probe = run(code.exit(), machine)
    return probe.gap(0, 1), probe.gap(2, 3)


def test_an_ldc_by_index_keeps_its_register_until_it_has_its_data(run, machine):
    """``variable/LDC.R/read`` and ``variable/LDC.R/write``: 28 cycles each; also where the line has to come first."""
    code = program()
    for barrier in ("read", "write", "write"):
        code = code.op("LDC R8, c[0x3][R5]", addresses=strided(0, BANK), **{barrier: 0}).mov(9, 1, wait=[0])
    first_read = run(code.exit(), machine).gap(0, 1)
    probe = run(program().then(*code.parts[2:], *code.parts[:2]).exit(), machine)
    first_data, data, read = (probe.gap(i, i + 1) for i in (0, 2, 4))
    assert (first_read, read) == (first_data, data)
    assert first_data > data == machine.value("operations.LDC.latency") + INDEXED


def test_an_ldc_that_waits_lets_others_ask_for_their_lines(run, machine):
    """``indexed/first touches of 4 words, 64 bytes apart, warps 64 bytes apart``, by 1, 2 and 4 warps."""
    miss, warps = machine.value("frontend.ldc_miss"), (1, 2, NUM_SMSPS)
    first = {}
    for count in warps:
        probe = run(Launch(tuple(_of_lines(warp) for warp in range(count)), warps=count), machine)
        first[count] = probe.gap(1, 2)
    assert first[1] - first[2] >= miss
    assert first[1] - first[NUM_SMSPS] >= 3 * miss


def _of_lines(warp):
    """An LDC of four words in as many lines, of which the first is the warp's number."""
    addresses = [BANK + 64 * (warp + lane % 4) for lane in range(32)]
    return program().op("NOP", 15).op("LDC R8, c[0x3][R5]", write=0, addresses=addresses).mov(9, 1, wait=[0]).exit()


def test_an_ldc_looks_for_the_line_of_its_first_lane_first(run, machine):
    """``indexed/table of``, first rounds: of two warps that read two lines in opposite orders each asks for one."""
    both = [BANK, BANK + 512]
    codes = [
        program().op("NOP", 15).op("LDC R8, c[0x3][R5]", write=0, addresses=order * 16).mov(9, 1, wait=[0]).exit()
        for order in (both, both[::-1])
    ]
    alone, unlike, alike = (
        run(Launch(launch, warps=len(launch)), machine).gap(1, 2) for launch in (codes[:1], codes, codes[:1] * 2)
    )
    assert unlike < alone == alike


def test_ldcs_by_index_that_missed_come_again_three_cycles_apart(run, machine):
    """``module_constants/LDC3.R, warps together`` of 4 of the SM."""
    code = program().op("NOP", 15).op("LDC R8, c[0x3][R5]", write=0, addresses=strided(0, BANK)).mov(9, 1, wait=[0])
    probe = run(Launch((code.exit(),), warps=NUM_SMSPS), machine)
    issued = sorted(probe.issued_at(2, warp) for warp in range(NUM_SMSPS))
    assert [later - issued[0] for later in issued] == [0, 3, 6, 9]


def test_a_set_gives_up_the_line_that_came_first(run, machine):
    """``module_constants/FFMA.CONST3 64 bytes apart, 33 lines``: of lines gone over again those of one set miss."""
    lines = int(machine.value("frontend.constant_sets") * machine.value("frontend.constant_ways"))
    for more, missed in ((0, set()), (1, set(range(0, lines + 1, int(machine.value("frontend.constant_sets")))))):
        code = program()
        for i in range(2 * (lines + more)):
            code = code.op(USE.format(d=8, offset=64 * (i % (lines + more))))
        probe = run(code.exit(), machine)
        again = range(lines + more, 2 * (lines + more))
        waits = {i - lines - more for i in again if probe.gap(i - 1, i) > machine.value("frontend.constant_miss")}
        assert waits == missed


def test_a_cache_waits_for_so_many_lines_at_a_time(run, machine):
    """``module_constants/ULDC3.R, each warp its own line``: of 32 warps half wait twice as long."""
    limit = int(machine.value("frontend.constant_misses"))
    uses = [program().op("NOP", 15).op(USE.format(d=8, offset=64 * i)).exit() for i in range(limit + 1)]
    warps = [uses[warp // NUM_SMSPS] for warp in range(NUM_SMSPS * (limit + 1))]
    probe = run(Launch(tuple(warps), warps=len(warps)), machine.replace({"launch.warp_interval": 0}))
    issued = sorted(probe.issued_at(1, warp) for warp in range(0, len(warps), NUM_SMSPS))
    miss = machine.value("frontend.constant_miss")
    assert issued[limit - 1] - issued[0] < miss <= issued[limit] - issued[0]


def test_code_that_the_l0_does_not_hold_has_its_first_constants_later(run, machine):
    """Another line is asked for as always. Seen on the H100: ncu's imc_miss of ``random_registers``."""
    late = 100 * machine.value("frontend.constants_behind_code")
    for lines, later in ((machine.value("frontend.l0_lines"), 0), (100, round(late))):
        code = program().op("NOP").op(USE.format(d=8, offset=0x200)).op(USE.format(d=9, offset=0x300))
        probe = run(code.nops(int(lines) * 8 - 4).exit(), machine)
        assert probe.gap(0, 1) == 1 + machine.value("frontend.constant_miss") + later
        assert probe.gap(1, 2) == 1 + machine.value("frontend.constant_miss")


def test_behind_long_code_a_cold_launch_has_its_first_constants_later_still(run, machine):
    """Seen on the H100: ncu's imc_miss of ``random_registers``, cold, which grows at once at some 100 lines."""
    long = int(machine.value("frontend.long_code"))
    late = {}
    for lines in (long, long + 1):
        code = program().op("NOP").op(USE.format(d=8, offset=0x200)).nops(lines * 8 - 3).exit()
        gaps = {cache: run(code, machine, cache=cache).gap(0, 1) for cache in ("warm", "cold")}
        late[lines] = gaps["cold"] - gaps["warm"]
    assert late == {long: 0, long + 1: machine.value("frontend.constants_behind_long_code")}
