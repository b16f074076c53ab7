"""Shuffles, votes, matches and reductions over the lanes of a warp, and cooperative groups built on them."""

import numpy as np
import pytest

from isa.trace.history import expand
from tests.cuda import run

SOURCE = r"""
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;

extern "C" __global__ void shuffles(const int *x, const int *lane, int width, int *out) {
    int t = threadIdx.x, v = x[t], l = lane[t];
    int *o = out + t * 8;
    o[0] = __shfl_sync(~0u, v, l); o[1] = __shfl_up_sync(~0u, v, 3); o[2] = __shfl_down_sync(~0u, v, 5);
    o[3] = __shfl_xor_sync(~0u, v, 9); o[4] = __shfl_sync(~0u, v, l, 8); o[5] = __shfl_up_sync(~0u, v, 2, 16);
    o[6] = __shfl_down_sync(~0u, v, l & 3, 4); o[7] = __shfl_xor_sync(~0u, v, 6, 8);
}
extern "C" __global__ void shuffle_double(double *x) {
    for (int k = 16; k; k >>= 1) x[threadIdx.x] += __shfl_xor_sync(~0u, x[threadIdx.x], k);
}
extern "C" __global__ void votes(const int *x, unsigned *out) {
    int v = x[threadIdx.x]; unsigned *o = out + threadIdx.x * 6;
    o[0] = __ballot_sync(~0u, v > 5); o[1] = __any_sync(~0u, v == 3); o[2] = __all_sync(~0u, v < 10);
    o[3] = __match_any_sync(~0u, v);
    int same; o[4] = __match_all_sync(~0u, v, &same); o[5] = same;
}
extern "C" __global__ void partial(const int *x, unsigned *out) {
    int v = x[threadIdx.x];
    if (v & 1) { out[threadIdx.x] = __ballot_sync(__activemask(), v > 5) + __popc(__activemask()) * 1000u; }
    else { unsigned m = __activemask(); out[threadIdx.x] = __reduce_add_sync(m, v) + __match_any_sync(m, v); }
}
extern "C" __global__ void reductions(const int *x, int *out) {
    int v = x[threadIdx.x]; int *o = out + threadIdx.x * 8;
    o[0] = __reduce_add_sync(~0u, v); o[1] = __reduce_min_sync(~0u, v); o[2] = __reduce_max_sync(~0u, v);
    o[3] = __reduce_min_sync(~0u, (unsigned)v); o[4] = __reduce_max_sync(~0u, (unsigned)v);
    o[5] = __reduce_and_sync(~0u, (unsigned)v); o[6] = __reduce_or_sync(~0u, (unsigned)v);
    o[7] = __reduce_xor_sync(~0u, (unsigned)v);
}
extern "C" __global__ void reductions_of_parts(const int *x, int *out) {
    int v = x[threadIdx.x];
    out[threadIdx.x] = __reduce_add_sync(__match_any_sync(~0u, v & 3), v);
}
extern "C" __global__ void shuffle_after_divergence(int *x) {
    int v = x[threadIdx.x];
    for (int i = 0; i < 4; i++) {
        if (v & 1) v = v * 3 + __shfl_sync(~0u, v, threadIdx.x ^ 1); else v = v + __shfl_sync(~0u, v, threadIdx.x ^ 1);
    }
    x[threadIdx.x] = v;
}
extern "C" __global__ void lanes(unsigned *out) {
    unsigned *o = out + threadIdx.x * 6, r;
    asm("mov.u32 %0, %%laneid;" : "=r"(r)); o[0] = r; asm("mov.u32 %0, %%lanemask_lt;" : "=r"(r)); o[1] = r;
    asm("mov.u32 %0, %%lanemask_le;" : "=r"(r)); o[2] = r; asm("mov.u32 %0, %%lanemask_gt;" : "=r"(r)); o[3] = r;
    asm("mov.u32 %0, %%lanemask_ge;" : "=r"(r)); o[4] = r; asm("mov.u32 %0, %%lanemask_eq;" : "=r"(r)); o[5] = r;
}
extern "C" __global__ void ids(int *out) {
    int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    int b = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    int *o = out + (b * blockDim.x * blockDim.y * blockDim.z + t) * 2;
    o[0] = threadIdx.x + 100 * threadIdx.y + 10000 * threadIdx.z;
    o[1] = blockIdx.x + 100 * blockIdx.y + 10000 * blockIdx.z;
}
extern "C" __global__ void clocks(long long *out) {
    long long a = clock64(); int b = clock(); __nanosleep(100); long long c = clock64();
    unsigned long long t; asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
    out[0] = a; out[1] = b; out[2] = c; out[3] = t;
}
extern "C" __global__ void tiles(int *x, int *total) {
    auto block = cg::this_thread_block(); auto tile = cg::tiled_partition<8>(block);
    int v = x[block.thread_rank()];
    for (int i = tile.size() / 2; i; i /= 2) v += tile.shfl_down(v, i);
    v = tile.shfl(v, 0);
    auto warp = cg::tiled_partition<32>(block);
    int sum = cg::reduce(warp, (int)block.thread_rank(), cg::plus<int>());
    block.sync();
    if (v & 1) { auto some = cg::coalesced_threads(); if (some.thread_rank() == 0) atomicAdd(total, some.size()); }
    warp.sync();
    x[block.thread_rank()] = v + 1000 * (sum + warp.any(v == 4));
}
"""
LANES = np.arange(32)


def test_shuffles() -> None:
    rng = np.random.default_rng(8)
    x, lane = rng.integers(0, 1000, 64).astype(np.int32), rng.integers(0, 64, 64).astype(np.int32)
    out = np.zeros((64, 8), np.int32)
    run(SOURCE, "shuffles", 1, 64, x, lane, 8, out)
    for warp in (slice(0, 32), slice(32, 64)):
        v, w = x[warp], lane[warp]
        sources = [
            w % 32,
            np.where(LANES >= 3, LANES - 3, LANES),
            np.where(LANES < 27, LANES + 5, LANES),
            LANES ^ 9,
            LANES // 8 * 8 + w % 8,
            np.where(LANES % 16 >= 2, LANES - 2, LANES),
            np.where(LANES % 4 + w % 4 < 4, LANES + w % 4, LANES),
            LANES ^ 6,
        ]
        for column, source in enumerate(sources):
            assert out[warp, column].tolist() == v[np.minimum(source, 31)].tolist(), column


def test_shuffled_doubles() -> None:
    x = np.random.default_rng(9).random(32)
    total = x.sum()
    run(SOURCE, "shuffle_double", 1, 32, x)
    assert np.allclose(x, total, rtol=1e-14)
    assert (x == x[0]).all()


def test_votes_and_matches() -> None:
    x = np.random.default_rng(10).integers(0, 10, 96).astype(np.int32)
    x[32:64] = 6
    out = np.zeros((96, 6), np.uint32)
    run(SOURCE, "votes", 1, 96, x, out)
    for first in (0, 32, 64):
        v, o = x[first : first + 32], out[first : first + 32]
        assert (o[:, 0] == bits(v > 5)).all()
        assert ((o[:, 1] != 0) == (v == 3).any()).all()
        assert (o[:, 2] != 0).all()
        assert o[:, 3].tolist() == [bits(v == value) for value in v]
        assert (o[:, 4] == (0xFFFFFFFF if first == 32 else 0)).all()
        assert ((o[:, 5] != 0) == (first == 32)).all()


def bits(flags: np.ndarray) -> int:
    return int((flags * (1 << LANES)).sum())


def test_only_active_lanes_take_part() -> None:
    x = np.random.default_rng(11).integers(0, 10, 32).astype(np.int32)
    out = np.zeros(32, np.uint32)
    run(SOURCE, "partial", 1, 32, x, out)
    odd = x % 2 == 1
    expected = [
        bits((x > 5) & odd) + odd.sum() * 1000 if v & 1 else x[~odd].sum() + bits((x == v) & ~odd) for v in x.tolist()
    ]
    assert out.tolist() == [int(e) % 2**32 for e in expected]


def test_reductions() -> None:
    x = np.random.default_rng(12).integers(-(2**31), 2**31, 64).astype(np.int32)
    out = np.zeros((64, 8), np.int32)
    run(SOURCE, "reductions", 1, 64, x, out)
    for first in (0, 32):
        v = x[first : first + 32]
        u = v.view(np.uint32)
        expected = np.array(
            [v.sum(dtype=np.int32), v.min(), v.max()]
            + [f.reduce(u).astype(np.uint32).view(np.int32) for f in (np.minimum, np.maximum)]
            + [f.reduce(u).view(np.int32) for f in (np.bitwise_and, np.bitwise_or, np.bitwise_xor)]
        )
        assert (out[first : first + 32] == expected).all()


def test_lanes_on_both_sides_of_a_branch_shuffle_together() -> None:
    x = np.random.default_rng(13).integers(0, 1000, 32).astype(np.int32)
    v = x.copy()
    for _ in range(4):
        v = np.where(v & 1, v * 3, v) + v[LANES ^ 1]
    run(SOURCE, "shuffle_after_divergence", 1, 32, x)
    assert x.tolist() == v.tolist()


def test_lane_masks() -> None:
    out = np.zeros((64, 6), np.uint32)
    run(SOURCE, "lanes", 1, 64, out)
    for t in range(64):
        lane = t % 32
        below, own = (1 << lane) - 1, 1 << lane
        above = 0xFFFFFFFF ^ below ^ own
        assert out[t].tolist() == [lane, below, below | own, above, above | own, own]


def test_block_and_thread_indices() -> None:
    out = np.zeros((2 * 3 * 2, 4 * 5 * 3, 2), np.int32)
    run(SOURCE, "ids", (2, 3, 2), (4, 5, 3), out)
    threads = [x + 100 * y + 10000 * z for z in range(3) for y in range(5) for x in range(4)]
    blocks = [x + 100 * y + 10000 * z for z in range(2) for y in range(3) for x in range(2)]
    assert (out[:, :, 0] == threads).all()
    assert (out[:, :, 1] == np.array(blocks)[:, None]).all()


def test_clocks_only_go_forward() -> None:
    out = np.zeros(4, np.int64)
    run(SOURCE, "clocks", 1, 1, out)
    assert out[0] < out[1] < out[2]
    assert out[3] > 0


@pytest.mark.parametrize("threads", [32, 128])
def test_cooperative_groups(threads: int) -> None:
    x = np.random.default_rng(14).integers(0, 50, threads).astype(np.int32)
    sums = np.repeat(x.reshape(-1, 8).sum(axis=1), 8)
    total = np.zeros(1, np.int32)
    expected = sums + 1000 * np.repeat(np.arange(threads).reshape(-1, 32).sum(axis=1), 32)
    expected += 1000 * np.repeat((sums.reshape(-1, 32) == 4).any(axis=1), 32)
    run(SOURCE, "tiles", 1, threads, x, total)
    assert x.tolist() == expected.tolist()
    assert total[0] == (sums % 2).sum()


def test_reductions_of_parts_of_a_warp_take_their_turns() -> None:
    """WARPSYNC.EXCLUSIVE, once for each part, as on an H100: without that REDUX would add up all lanes."""
    x = np.random.default_rng(5).integers(0, 100, 64).astype(np.int32)
    out = np.zeros(64, np.int32)
    trace = run(SOURCE, "reductions_of_parts", 1, 64, x, out)
    for warp in range(2):
        of_warp = x[32 * warp : 32 * warp + 32]
        expected = [of_warp[of_warp % 4 == value % 4].sum() for value in of_warp]
        assert out[32 * warp : 32 * warp + 32].tolist() == expected
    opcodes = [trace.program.instructions[index].text.split()[0] for index in expand(trace, 0)[0]]
    assert opcodes.count("WARPSYNC.EXCLUSIVE") == opcodes.count("REDUX.SUM.S32") == 4
