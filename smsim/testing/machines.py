"""Hypothesis strategies for machines: a machine with some of its values replaced."""

from hypothesis import strategies as st

from smsim.machine import Machine, load

# Cycles that may be anything small; sizes of caches and of the chip are left alone.
_CYCLES = (
    "latency",
    "interval",
    "miss",
    "release",
    "second_pass",
    "exit",
    "relaunch",
    "first_instruction",
    "first_block",
)
_LEAST_ONE = ("pipes.", "dram.refresh_interval")
_SM_LATENCIES = ("pipes.", "operations.", "mio.")


def cycle_paths(machine: Machine) -> list[str]:
    """The paths of a machine's whole numbers of cycles: latencies, intervals, misses."""
    return [
        path
        for path, value, _ in machine.values()
        if isinstance(value, int) and path.rpartition(".")[2].endswith(_CYCLES) and not path.startswith("forwarding.")
    ]


def depth_paths(machine: Machine) -> list[str]:
    """The paths of a machine's queue depths."""
    return [path for path, _, _ in machine.values() if path.endswith("queue_depth")]


# Sizes that may be small.
_SIZES = (
    *("frontend.l0_lines", "frontend.icc_lines", "frontend.icc_ways", "register_file.read_window"),
    *("l1.ways", "l1.atomic_packets"),
    *("mio.lsu_places", "mio.place_return", "l1.store_queue_wavefronts", "l1.store_queue_lines"),
    *("l1.store_placing_lines", "l1.pending_turns", "l1.pending_loads"),
)


def machines(base: str | Machine = "h100") -> st.SearchStrategy[Machine]:
    """``base`` with some latencies, intervals, queue depths and sizes of buffers replaced."""
    machine = load(base)
    paths = {least: [path for path in cycle_paths(machine) if path.startswith(_LEAST_ONE) == least] for least in (0, 1)}
    changes = [
        *(st.tuples(st.sampled_from(paths[least]), st.integers(least, 40)) for least in (0, 1)),
        st.tuples(st.sampled_from(depth_paths(machine)), st.integers(1, 12)),
        st.tuples(st.sampled_from(_SIZES), st.integers(1, 20)),
    ]
    return st.lists(st.one_of(changes), max_size=8).map(lambda chosen: machine.replace(dict(chosen)))


@st.composite
def slower(draw: st.DrawFn, base: str | Machine = "h100") -> Machine:
    """``base`` with one to four of its pipes', operations' and queues' latencies raised."""
    machine = load(base)
    latencies = [path for path in cycle_paths(machine) if path.endswith("latency") and path.startswith(_SM_LATENCIES)]
    raised = draw(st.lists(st.sampled_from(latencies), min_size=1, max_size=4, unique=True))
    return machine.replace({path: machine.value(path) + draw(st.integers(1, 20)) for path in raised})
