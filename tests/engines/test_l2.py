"""What L2 holds, near and far, and DRAM behind it."""

from dataclasses import replace

import numpy as np
import pytest

from smsim import engines
from smsim.listeners import Issue
from smsim.model import build_model, walkers
from smsim.part import Part
from smsim.rules.before import copy_from_host, leave_launch
from smsim.rules.hashing import NEIGHBOURS, home_of
from smsim.rules.l2_atomics import PACKET
from smsim.rules.rule import entry
from smsim.state.chip import NUM_SIDES
from smsim.state.l2 import L2_WAYS
from smsim.state.sizes import STORE_LINES
from smsim.testing import Launch, program, strided
from validation.calibration.recordings import Recordings

LDG, STG = "LDG.E R8, desc[UR4][R4.64]", "STG.E desc[UR4][R4.64], R8"
LINE, SECTOR = 128, 32
PAGES = range(64)
CACHES = ("warm", "cold")


@entry
def home(line):
    return home_of(line)


NEAR, FAR = (next(page * NEIGHBOURS * LINE for page in PAGES if home(page * NEIGHBOURS) == side) for side in range(2))
READ, WRITTEN = "dram__bytes_read.sum", "dram__bytes_write.sum"
MISSES = "lts__t_sectors_srcunit_tex_lookup_miss.sum"


@pytest.fixture
def machine(machine):
    """Without what makes one load's time depend on others', on its address, or on when it comes."""
    alike = {"dram.refresh": 0, "dram.service": 0, "l2.service": 0, "l1.miss_spread": 0, "launch.cold_code": 0}
    return machine.replace(alike)


@pytest.fixture
def l2_hit(machine):
    return machine.value("operations.LDG.latency") + machine.value("l1.miss_latency")


def load(routine, address):
    return routine.op(LDG, write=0, addresses=strided(0, address)).mov(20, 1, wait=[0])


def latencies(run, machine, *addresses, cache="cold"):
    """Of loads one after the other, in an L1 that keeps nothing."""
    routine = program()
    for address in addresses:
        routine = load(routine, address)
    probe = run(routine.exit(), machine.replace({"l1.bytes": LINE, "l1.ways": 1}), cache=cache)
    return [probe.gap(2 * number, 2 * number + 1) for number in range(len(addresses))]


def test_dram_is_asked_once_for_a_sector(run, machine, l2_hit):
    dram = machine.value("dram.latency")
    assert latencies(run, machine, NEAR, NEAR + LINE, NEAR) == [l2_hit + dram, l2_hit + dram, l2_hit]


def test_a_line_whose_home_is_far_takes_longer_the_first_time(run, machine, l2_hit):
    longer = machine.value("dram.latency") + machine.value("l2.far_latency")
    assert latencies(run, machine, FAR, FAR + LINE, FAR) == [l2_hit + longer, l2_hit + longer, l2_hit]


def test_the_launch_before_left_what_it_touched(run, machine, l2_hit):
    assert latencies(run, machine, NEAR, FAR, cache="warm") == [l2_hit, l2_hit]


def test_on_the_h100_what_is_near_outlives_its_home(machine):
    """A reader on SM 0's side takes most of its near copies; one on the other side, that fills all of that, takes none.

    SM 0's lines that have their home there would otherwise come from DRAM again.
    """
    hit = machine.value("operations.LDG.latency") + machine.value("l1.miss_latency")
    latest = hit + machine.value("l2.far_latency") / 2
    recordings = Recordings()
    kept = [
        sum(latency < latest for latency in latencies) / len(latencies)
        for name in recordings.programs("partitions", "*reads 24 MB")
        for latencies in recordings.launches("partitions", name, "132 blocks")
    ]
    taken = [share for share in kept if share < 1]
    assert max(taken) < 0.4
    assert 0.3 < len(taken) / len(kept) < 0.7


def test_what_other_sms_bring_comes_once_dram_has_answered(machine, l2_hit):
    lines = [(address // LINE) for address in (NEAR, NEAR + LINE)]
    code = load(load(load(program(), NEAR), NEAR + LINE), NEAR + 2 * LINE).exit()
    issued = []
    launch, part = Launch((code,)), Part(brought=np.array(sorted(lines)))
    listeners = [lambda event: issued.append(event.cycle) if isinstance(event, Issue) else None]
    forgetful = machine.replace({"l1.bytes": LINE, "l1.ways": 1})
    counts = engines.run(launch.trace(), forgetful, "cold", listeners=listeners, part=part)
    dram = l2_hit + machine.value("dram.latency")
    assert [issued[n + 1] - issued[n] for n in (0, 2, 4)] == [dram, l2_hit, dram]
    assert counts.memory[READ] == machine.value("l2.fill_sectors") * SECTOR


@pytest.mark.parametrize(("before", "read"), [([], 1), ([LDG], 2)])
def test_dram_reads_what_an_atomic_changes(run, machine, before, read):
    """Its own sector alone; a load before it has brought that and its neighbour."""
    code = program()
    for text in before:
        code = code.op(text, write=0, addresses=strided(0, NEAR)).mov(20, 1, wait=[0])
    code = code.op("REDG.E.ADD.S32.STRONG.GPU desc[UR4][R4.64], R8", addresses=strided(0, NEAR)).exit()
    assert run(code, machine, cache="cold").counts.memory[READ] == read * SECTOR


def test_a_line_that_its_home_gave_up_is_still_near(machine):
    """The load between refreshes the near copy; the home's is the oldest line when one more is needed."""
    near = [NEAR + number * LINE for number in range(L2_WAYS - 1)]
    half = len(near) // 2
    code = program()
    for address in (FAR, *near[:half], FAR, *near[half:], FAR):
        code = code.op(LDG, write=0, addresses=strided(0, address)).mov(20, 1, wait=[0])
    forgetful = machine.replace({"l1.bytes": LINE, "l1.ways": 1})
    counts = engines.run(Launch((code.exit(),)).trace(), forgetful, "cold", part=Part(l2_sets=1))
    assert counts.memory[READ] / SECTOR / machine.value("l2.fill_sectors") == 1 + len(near)


def in_one_set(machine, code):
    """What a launch reads of and writes to DRAM, L2 being a single set, in fills and in sectors."""
    forgetful = machine.replace({"l1.bytes": LINE, "l1.ways": 1})
    counts = engines.run(Launch((code.exit(),)).trace(), forgetful, "cold", part=Part(l2_sets=1))
    return counts.memory[READ] / SECTOR / machine.value("l2.fill_sectors"), counts.memory[WRITTEN] / SECTOR


@pytest.mark.parametrize(("lines", "again"), [(4, False), (12, True)])
def test_what_ncu_copies_back_pushes_out_what_a_launch_alone_finds(machine, lines, again):
    """The copies of 12 stored lines have no room in a set beside these and 12 loaded ones."""
    code = program()
    near = [page * NEIGHBOURS + n for page in PAGES if home(page * NEIGHBOURS) == 0 for n in range(NEIGHBOURS)]
    for line, other in zip(near[:lines], near[lines : 2 * lines], strict=True):
        code = load(code, line * LINE).op(STG, addresses=strided(4, other * LINE))
    forgetful = machine.replace({"l1.bytes": LINE, "l1.ways": 1, "l2.dirty_bytes": machine.value("l2.bytes")})
    counts = engines.run(Launch((code.exit(),)).trace(), forgetful, "warm", part=Part(l2_sets=1))
    assert (counts.alone.cycles < counts.cycles) == again
    assert (counts.memory[READ] > 0) == again
    assert counts.measured_memory[READ] == 0


def in_a_part(machine, code, sets):
    """What a launch reads of and writes to DRAM, lines for each set of a part of L2: one way has one."""
    forgetful = machine.replace({"l1.bytes": LINE, "l1.ways": 1})
    counts = engines.run(Launch((code.exit(),)).trace(), forgetful, "cold", part=Part(l2_sets=sets))
    return counts.memory[READ] / LINE / sets, counts.memory[WRITTEN] / LINE / sets


def over(code, text, first, lines, **control):
    """Loads or stores of whole warps, a line each, over so many lines."""
    for number in range(first // LANES, (first + lines) // LANES):
        code = code.op(text, addresses=strided(LINE, number * LANES * LINE), **control).mov(20, 1, wait=[0])
    return code


# Of 8 MB that were loaded, what DRAM has to bring again behind so many MB that all SMs load, and that they store.
BROUGHT_AGAIN = {20: (0.03, 0.03), 24: (0.19, 0.17), 28: (0.60, 0.60), 32: (0.84, 0.84), 40: (1.0, 1.0)}
LANES, SETS = 32, 64


def lines_of(machine, megabytes):
    """As many lines, of whole warps, as have this share of L2 in the part of it."""
    return round((megabytes << 20) / machine.value("l2.bytes") * SETS * L2_WAYS / LANES) * LANES


@pytest.mark.parametrize("megabytes", BROUGHT_AGAIN)
def test_what_is_stored_takes_as_much_room_as_what_is_loaded(machine, megabytes):
    kept, between = lines_of(machine, 8), lines_of(machine, megabytes)
    many = machine.replace({"l2.dirty_bytes": machine.value("l2.bytes")})
    for text, on_the_h100 in zip((LDG, STG), BROUGHT_AGAIN[megabytes], strict=True):
        control = {"write": 0} if text == LDG else {"read": 0}
        code = over(over(program(), LDG, 0, kept, write=0), text, kept, between, **control)
        without, _ = in_a_part(many, code, SETS)
        again, _ = in_a_part(many, over(code, LDG, 0, kept, write=0), SETS)
        fill = LINE / SECTOR / machine.value("l2.fill_sectors")
        assert (again - without) * fill * SETS / kept == pytest.approx(on_the_h100, abs=0.15)


# Of 16 MB that were stored, what is written back when so many MB were loaded behind them.
WRITTEN_BACK = {16: 0.04, 32: 0.41, 48: 0.78, 64: 0.91}


@pytest.mark.parametrize("megabytes", WRITTEN_BACK)
def test_what_is_to_be_written_back_goes_as_slowly_as_on_the_h100(machine, megabytes):
    stored, loaded = lines_of(machine, 16), lines_of(machine, megabytes)
    many = machine.replace({"l2.dirty_bytes": machine.value("l2.bytes")})
    _, written = in_a_part(many, over(over(program(), STG, 0, stored, read=0), LDG, stored, loaded, write=0), SETS)
    assert written * LINE / SECTOR * SETS / stored == pytest.approx(WRITTEN_BACK[megabytes], abs=0.12)


@pytest.mark.parametrize(("loaded", "written"), [(L2_WAYS - 4, 0), (L2_WAYS, 1), (L2_WAYS + 4, 2)])
def test_one_in_four_lines_that_a_set_gives_up_is_written_back(machine, loaded, written):
    code = program()
    near = [page * NEIGHBOURS + n for page in PAGES if home(page * NEIGHBOURS) == 0 for n in range(NEIGHBOURS)]
    for line in near[:4]:
        code = code.op(STG, addresses=strided(4, line * LINE))
    for line in near[4 : 4 + loaded]:
        code = load(code, line * LINE)
    assert in_one_set(machine, code)[1] / (LINE / SECTOR) == written


def test_dram_brings_sectors_together(run, machine, l2_hit):
    dram = machine.value("dram.latency")
    fetched = machine.value("l2.fill_sectors")
    probe = run(load(program(), NEAR).exit(), machine, cache="cold")
    assert probe.counts.memory[READ] == fetched * SECTOR
    assert probe.counts.memory[MISSES] == fetched
    beside = NEAR + fetched * SECTOR
    assert latencies(run, machine, NEAR, NEAR + SECTOR, beside) == [l2_hit + dram, l2_hit, l2_hit + dram]


def cold_load(run, machine, stride):
    """Cycles that the sectors of a warp take that lie so many bytes apart."""
    code = program().op(LDG, write=0, addresses=strided(stride)).mov(20, 1, wait=[0]).exit()
    return run(code, machine, cache="cold").gap(0, 1)


def test_sectors_that_lie_apart_open_rows(run, machine):
    interval = 1000.0
    slow = machine.replace({"dram.row_interval": interval})
    row = machine.value("dram.row_sectors") * SECTOR
    one_each, two_each, follow = (cold_load(run, slow, stride) for stride in (row, row // 2, LINE))
    assert one_each - two_each == pytest.approx(15 * interval, rel=0.05)  # the last one opens its row for nobody
    assert two_each - follow == pytest.approx(16 * interval, rel=0.05)


@pytest.mark.parametrize(("page", "again"), [(NEAR, 0), (FAR, 1)])
def test_a_line_whose_home_is_far_takes_room_in_both_partitions(machine, page, again):
    lines = 20
    assert lines < L2_WAYS < 2 * lines
    code = program()
    for line in [*range(lines), 0]:
        code = load(code, page + line * LINE)
    forgetful = machine.replace({"l1.bytes": LINE, "l1.ways": 1})
    counts = engines.run(Launch((code.exit(),)).trace(), forgetful, "cold", part=Part(l2_sets=1))
    assert counts.memory[READ] == (lines + again) * machine.value("l2.fill_sectors") * SECTOR


# Of buffers of so many megabytes that a launch reads once, what single loads then find in L2, near or far.
KEPT = {28: 0.98, 36: 0.90, 48: 0.67, 60: 0.53}


@pytest.mark.parametrize(("megabytes", "kept"), KEPT.items())
def test_l2_keeps_of_a_buffer_as_much_as_on_the_h100(machine, megabytes, kept):
    sets, lanes = 128, 32
    loads = round((megabytes << 20) / machine.value("l2.bytes") * sets * L2_WAYS / lanes)
    code = program()
    probes = range(0, loads, 8)  # so few that they change little
    for number in [*range(loads), *reversed(probes)]:
        code = code.op(LDG, write=0, addresses=strided(LINE, number * lanes * LINE)).mov(20, 1, wait=[0])
    forgetful = machine.replace({"l1.bytes": LINE, "l1.ways": 1})
    counts = engines.run(Launch((code.exit(),)).trace(), forgetful, "cold", part=Part(l2_sets=sets))
    fetched = counts.memory[READ] / SECTOR / machine.value("l2.fill_sectors")
    assert 1 - (fetched / lanes - loads) / len(probes) == pytest.approx(kept, abs=0.06)


def test_too_many_stored_lines_are_written_back(run, machine):
    lines = 4000
    small = machine.replace({"l2.dirty_bytes": 1})
    code = program().op(STG, addresses=strided(4), warp_stride=LINE).exit()
    launch = Launch((code,), warps=16, blocks=lines // 16)
    few, many = run(Launch((code,), warps=1), small), run(launch, small)
    assert few.counts.memory[WRITTEN] == 0
    assert 0 < many.counts.memory[WRITTEN] <= lines * LINE


def test_what_dram_brings_is_written_into_l2_at_the_pace_of_stores(run, machine):
    code = program().op(LDG, write=0, addresses=strided(LINE)).mov(20, 1, wait=[0]).exit()
    slow = machine.replace({"l2.write_interval": 100.0})
    times = [[run(code, each, cache=cache).gap(0, 1) for each in (machine, slow)] for cache in CACHES]
    warm, cold = (slower - alone for alone, slower in times)
    fills = 32 * machine.value("l2.fill_sectors")
    assert warm == 0
    assert (fills - 10) * 100 < cold < fills * 100


def test_a_channel_that_is_refreshed_makes_loads_wait(run, machine, l2_hit):
    always = machine.replace({"dram.refresh": 300, "dram.refresh_interval": 300})
    plain = l2_hit + machine.value("dram.latency")
    (waited,) = latencies(run, always, NEAR)
    assert plain < waited <= plain + 300


def test_the_more_is_asked_for_the_longer_each_waits(run, machine):
    code = program()
    for number in range(8):
        code = code.op(LDG, write=0, addresses=strided(4, number * LINE))
    code = code.mov(20, 1, wait=[0]).exit()
    busy = {"l2.read_interval": 8}
    alone, crowded = (run(code, machine.replace({**busy, "l2.service": service})) for service in (0, 5000))
    assert crowded.counts.cycles > alone.counts.cycles + 50


def test_while_dram_is_far_behind_l2_takes_nothing_more(run, machine, l2_hit):
    code = load(program(), NEAR)
    for number in range(1, 5):
        code = code.op(LDG, write=1, addresses=strided(0, NEAR + number * LINE))
    code = code.op("LDG.E.STRONG.GPU R8, desc[UR4][R4.64]", write=0, addresses=strided(0, NEAR))
    behind = 8 * 1000 - 500  # four misses of two sectors, less what may wait
    code = code.mov(20, 1, wait=[0]).exit()
    slow = machine.replace({"dram.read_interval": 1000})
    runs = (run(code, slow.replace({"dram.ahead": ahead}), cache="cold") for ahead in (500, 1_000_000))
    waited, passed = (each.gap(6, 7) for each in runs)
    assert passed < 2 * l2_hit < behind < waited


def test_atomics_at_one_address_follow_each_other(run, machine):
    interval = 100
    slow = machine.replace({"l2.atomic_interval": interval, "l2.float_atomic_interval": 3 * interval})
    ended = []
    for kind in ("S32", "F32.FTZ.RN"):
        code = program().op(f"REDG.E.ADD.{kind}.STRONG.GPU desc[UR4][R4.64], R8", addresses=strided(0)).exit()
        ended.append(run(code, slow).counts.last_answer)
    assert ended[1] - ended[0] == pytest.approx(2 * 31 * interval, abs=2)  # until the last begins


@pytest.mark.parametrize(("apart", "at_once"), [(4, 1), (256, 2), (512, 1)])
def test_words_of_two_slices_are_worked_on_at_once(run, machine, apart, at_once):
    """Pairs of lines have a slice of their own, but those half a kilobyte apart share one.

    Two words of a sector come in two packets, each of which takes a part of what a sector does.
    """
    interval = 1000
    slow = machine.replace({"l2.atomic_interval": interval})
    words = [lane % 2 * apart for lane in range(32)]
    code = program().op("REDG.E.ADD.S32.STRONG.GPU desc[UR4][R4.64], R8", addresses=words).exit()
    turns, each = (16, 2 * PACKET) if apart < LINE // 4 else (32 / at_once, 1)
    assert run(code, slow).counts.last_answer == pytest.approx((turns - 1) * each * interval, rel=0.1)


@pytest.mark.parametrize(("apart", "waits"), [(512, True), (256, False)])
def test_a_load_waits_for_atomics_at_its_slice(run, machine, l2_hit, apart, waits):
    """Catalogue kernels ``dot_serial`` and ``stream_dot``, generated kernel ``random_memory_032``."""
    interval = 1000
    slow = machine.replace({"l2.atomic_interval": interval})
    code = program().op("REDG.E.ADD.S32.STRONG.GPU desc[UR4][R4.64], R8", addresses=strided(0)).nops(10)
    probe = run(load(code, apart).exit(), slow)
    assert probe.gap(11, 12) == pytest.approx(32 * interval if waits else l2_hit, rel=0.2)


def test_sectors_all_of_whose_words_are_touched_take_a_time_of_their_own(run, machine):
    interval = 1000
    slow = machine.replace({"l2.whole_atomic_interval": interval})
    whole, part = (
        run(program().op("REDG.E.ADD.S32.STRONG.GPU desc[UR4][R4.64], R8", addresses=strided(stride)).exit(), slow)
        for stride in (4, 8)
    )
    behind = whole.counts.last_answer - part.counts.last_answer
    assert behind == pytest.approx(3 * interval, rel=0.05)  # until the last of four begins


def test_sectors_of_many_lines_take_a_request_each(run, machine):
    slow = machine.replace({"l2.read_interval": 10, "l2.request_interval": 30, "l2.service": 0})
    whole, scattered = (
        run(program().op(LDG, write=0, addresses=strided(stride)).mov(20, 1, wait=[0]).exit(), slow).counts.cycles
        for stride in (4, LINE)
    )
    assert scattered - whole == pytest.approx(32 * 30 - 4 * 10, rel=0.1)


def test_a_sector_stored_in_part_takes_a_packet_more(run, machine):
    few = dict.fromkeys(("l1.atomic_packets", "l1.store_placing_lines"), 1)
    slow = machine.replace({"l2.store_interval": 100, **few})
    cycles = []
    for words in (strided(4), [*strided(4)[:-1], None]):
        code = program().op(STG, addresses=words)
        for number in range(1, STORE_LINES + 8):
            code = code.op(STG, addresses=strided(4, number * LINE))
        cycles.append(run(code.exit(), slow).counts.cycles)
    assert cycles[1] - cycles[0] == pytest.approx(100, abs=10)


def test_packets_of_an_sm_wait_in_front_of_l2_and_then_in_its_port(run, machine):
    """Those of so many lines may; of the others those wait in the SM that find places in L1, for the rest the warp."""
    interval, packets, lines = 100, LINE // SECTOR, STORE_LINES + 32

    def late(lines, places):
        few = {"l1.store_placing_lines": 1, "l1.atomic_packets": places * packets}
        code = program()
        for number in range(lines):
            code = code.op(STG, addresses=strided(4, number * LINE))
        code = code.exit()
        at_once, slow = (
            run(code, machine.replace({"l2.store_interval": busy, **few})).counts.cycles for busy in (0, interval)
        )
        return slow - at_once

    few = late(lines, places=2)
    # Which line is the last to find a place depends on the slices of those behind.
    assert late(lines + 16, places=2) - few == pytest.approx(16 * packets * interval, abs=packets * interval)
    assert few - late(lines, places=4) == pytest.approx(2 * packets * interval, abs=60)


def test_a_load_waits_for_the_stores_of_its_sm_in_front_of_l2(run, machine):
    interval, lines, packets = 100, 4, LINE // SECTOR
    code = program()
    for number in range(lines):
        code = code.op(STG, addresses=strided(4, (1 << 20) + number * LINE))
    code = load(code, NEAR).exit()
    at_once, slow = (run(code, machine.replace({"l2.store_interval": busy})) for busy in (0, interval))
    later = slow.gap(lines, lines + 1) - at_once.gap(lines, lines + 1)
    assert later == pytest.approx(lines * packets * interval, abs=30)


def test_requests_for_lines_take_the_way_to_l2_as_packets_do(run, machine):
    interval, lines = 100, 8
    loads = program().op(LDG, write=0, addresses=[*strided(LINE)[:lines], *[None] * (32 - lines)])
    code = loads.op(STG, addresses=strided(4, 1 << 20)).op(LDG, write=1, addresses=strided(4, 1 << 21))
    code = code.mov(20, 1, wait=[0]).mov(20, 1, wait=[1]).exit()
    at_once, slow = (
        run(code, machine.replace({"l2.store_interval": busy, "l2.request_interval": busy})).gap(2, 4)
        for busy in (0, interval)
    )
    assert slow - at_once == pytest.approx((lines + LINE // SECTOR + 1) * interval, abs=interval)


def test_a_slice_is_not_waited_for_beside_what_all_wait_for(run, machine):
    """Requests that are far behind have the slices work all the time: the last answer is no later."""
    code = program().op(LDG, write=0, addresses=strided(LINE)).mov(20, 1, wait=[0]).exit()
    alone, crowded = (
        run(code, machine.replace({"l2.read_interval": 100, "l2.service": service})).counts.cycles
        for service in (0, 200)
    )
    assert crowded == alone


def test_what_dram_brings_waits_for_the_sectors_stored_meanwhile(run, machine):
    """Not for the packets that say which bytes: in ``transpose_untiled`` warps wait for their stores."""
    interval, lines = 100.0, 32
    slow = machine.replace({"l2.write_interval": interval})
    loads = program().op(LDG, write=0, addresses=strided(LINE, 1 << 20)).mov(20, 1, wait=[0]).exit()
    late = program()
    for _ in range(100):
        late = late.op("NOP", 15)
    others = late.exit(), late.op(STG, addresses=strided(LINE, 1 << 21)).exit()
    alone, beside = (run(Launch((loads, other), warps=2), slow, cache="cold").gap(0, 1) for other in others)
    # Each slice has places for seven of its eight lines.
    assert beside - alone == pytest.approx((lines - STORE_LINES) * interval, abs=2)


@pytest.mark.parametrize(("stored", "found"), [(2, True), (12, False)])
def test_what_a_launch_stored_was_copied_back_before_the_next(machine, stored, found):
    """The copy takes room in L2: twice that of what was stored."""
    code = program()
    for number in range(8):
        code = load(code, NEAR + number * LINE)
    for number in range(stored):
        code = code.op(STG, addresses=strided(4, NEAR + (16 + number) * LINE))
    counts = engines.run(Launch((code.exit(),)).trace(), machine, "warm", part=Part(l2_sets=1))
    assert (counts.memory[MISSES] == 0) == found


def test_what_a_launch_changes_in_place_is_far_where_an_sm_near_its_home_copied_it_back(run, machine, l2_hit):
    pages = [page * NEIGHBOURS * LINE for page in range(128)]
    far = [address for address in pages if home(address // LINE) == 1]
    routine = program()
    for address in pages:
        routine = load(routine, address)
    for address in pages:
        routine = routine.op(STG, read=1, addresses=strided(0, address)).mov(20, 1, wait=[1])
    probe = run(routine.exit(), machine)
    late = [pages[i] for i in range(len(pages)) if probe.gap(2 * i, 2 * i + 1) > l2_hit]
    assert set(late) <= set(far)
    assert len(late) == pytest.approx(len(far) / 2, rel=0.3)


def test_l2_does_an_sms_own_reductions_when_it_has_ended(run, machine):
    slow = machine.replace({"l2.atomic_interval": 1000.0})
    code = program().op("REDG.E.ADD.S32.STRONG.GPU desc[UR4][R4.64], R8", addresses=strided(0)).exit()
    counts = run(code, slow).counts
    assert counts.cycles < 200
    assert counts.last_answer > 31 * 1000


@pytest.mark.parametrize(("shared_bytes", "are_near"), [(0, True), (150_000, False)])
def test_blocks_are_on_the_same_sms_again_where_all_fit_at_once(run, machine, shared_bytes, are_near):
    code = program().op(LDG, write=0, addresses=strided(LINE), warp_stride=32 * LINE).mov(20, 1, wait=[0]).exit()
    launch = Launch((code,), blocks=16, shared_bytes=shared_bytes)
    assert (run(launch, machine, cache="warm").counts.memory[MISSES] == 0) == are_near


def test_what_the_host_copies_stays_where_it_has_to_be_written_back_and_goes_next_where_not(machine):
    """A set keeps one stored line to be written back, the second; both are behind what is loaded then."""
    lines = [NEAR + number * LINE for number in range(6)]
    code = program()
    for address in lines[:2]:
        code = code.op(STG, addresses=strided(4, address))
    for address in lines[2:]:
        code = load(code, address)
    few = machine.replace({"l2.dirty_bytes": machine.value("l2.bytes") // L2_WAYS})
    trace = Launch((code.exit(),)).trace()
    model = build_model(trace, few, Part(l2_sets=1), cold=False)
    leave_launch(replace(model, warps=walkers(model)))
    copy_from_host(model, model.stored.nonzero()[0])
    tags, order = model.l2["tag"].tolist(), model.l2_sets["order"].view(np.uint8).ravel()
    since = [order[tags.index(address // LINE * NUM_SIDES + home(NEAR // LINE))] for address in lines]
    assert since == [L2_WAYS - 1, 0, 4, 3, 2, 1]
