from pathlib import Path

import numpy as np
import pytest

import smsim
from isa.errors import CompileError, CubinError, KernelError, LaunchError, MachineError
from isa.trace.history import count_instructions

CODE = r"""
extern "C" __global__ void saxpy(const float* x, float* y, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

extern "C" __global__ __launch_bounds__(128) void reverse(int* values) {
  extern __shared__ int buffer[];
  __shared__ int fixed[4];
  int i = threadIdx.x;
  buffer[i] = values[i];
  fixed[i % 4] = FACTOR;
  __syncthreads();
  values[i] = buffer[blockDim.x - 1 - i] * fixed[i % 4];
}
"""
N = 300 * 64


@pytest.fixture(scope="module")
def module() -> smsim.RawModule:
    return smsim.RawModule(code=CODE, options=("-DFACTOR=3",))


def saxpy_arguments() -> tuple[np.ndarray, np.ndarray, np.float32, np.int32]:
    x = np.arange(N, dtype=np.float32)
    return x, np.ones(N, np.float32), np.float32(2), np.int32(N)


def test_a_call_runs_the_whole_grid_and_returns_a_result(module: smsim.RawModule) -> None:
    x, y, a, n = saxpy_arguments()
    result = module.get_function("saxpy")((300,), (64,), (x, y, a, n))
    np.testing.assert_array_equal(y, 2 * x + 1)
    assert result.setting.blocks == tuple(range(300))
    assert result.setting.cache == "warm"
    assert result.cycles > 0


def test_emulating_the_sm_runs_its_blocks_alone(module: smsim.RawModule) -> None:
    kernel = module.get_function("saxpy")
    x, y, a, n = saxpy_arguments()
    result = kernel.simulate((300,), (64,), (x, y, a, n), sms=1)
    blocks = (y != 1).reshape(300, 64).any(axis=1)
    last = 299  # shows how far the grid reaches
    assert set(np.flatnonzero(blocks)) == {0, 132, 264, last}
    assert result.setting.blocks == (0, 132, 264)
    whole = kernel.simulate((300,), (64,), saxpy_arguments(), emulate="all", sms=1)
    assert whole.to_dict() == result.to_dict()


def test_all_sms_of_a_small_grid_are_simulated_and_its_blocks_run_once(module: smsim.RawModule) -> None:
    kernel = module.get_function("saxpy")
    x, y, a, n = saxpy_arguments()
    result = kernel.simulate((100,), (64,), (x, y, a, n))
    np.testing.assert_array_equal(y[:6400], 2 * x[:6400] + 1)
    assert (result.setting.sms, result.setting.blocks) == (100, tuple(range(100)))
    trace = kernel.trace((100,), (64,), saxpy_arguments())
    assert smsim.simulate(trace, sms=132).to_dict() == result.to_dict()
    assert smsim.simulate(trace, sms=1).setting.blocks == (0,)


def test_one_sm_stands_for_all_where_these_would_take_long() -> None:
    code = r"""
    extern "C" __global__ void spin(float* y, int n) {
      float a = y[0];
      for (int i = 0; i < n; ++i) a = a * a + 1.0f;
      y[threadIdx.x] = a;
    }
    """
    module = smsim.RawModule(code=code)
    y = np.ones(32, np.float32)
    spin = module.get_function("spin")
    assert [spin.simulate((132,), (32,), (y, n)).setting.sms for n in (10, 400_000)] == [132, 1]


def test_a_trap_that_is_not_executed_needs_no_timing() -> None:
    code = 'extern "C" __global__ void checked(int* y, int n) { if (n > 32) __trap(); y[threadIdx.x] = n; }'
    checked = smsim.RawModule(code=code).get_function("checked")
    assert checked.simulate((1,), (32,), (np.zeros(32, np.int32), np.int32(32))).cycles > 0
    with pytest.raises(KernelError, match="trap"):
        checked.simulate((1,), (32,), (np.zeros(32, np.int32), np.int32(33)))


@pytest.mark.parametrize("sms", [1, 4])
@pytest.mark.parametrize("outputs", [False, True])
def test_of_an_uneven_grid_sms_in_the_middle_stand_for_all(outputs: bool, sms: int) -> None:
    code = r"""
    extern "C" __global__ void fill(float* y, int n) {
      for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] = i;
    }
    """
    fill = smsim.RawModule(code=code).get_function("fill")
    blocks, size = 3 * 132, 64
    for turns, first in ((4.0, 0), (3.7, (132 - sms) // 2)):
        n = int(turns * blocks) * size
        arguments = (np.zeros(n, np.float32), np.int32(n))
        trace = fill.trace((blocks,), (size,), arguments, outputs=outputs, sms=sms)
        result = smsim.simulate(trace, sms=sms)
        assert result.setting.blocks[:sms] == tuple(range(first, first + sms))
        stored = result.metrics["l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"] / len(result.setting.blocks)
        assert stored == pytest.approx(n / 8 / blocks, rel=0.01)
        whole = fill.trace((blocks,), (size,), arguments, emulate="all", outputs=False)
        assert smsim.simulate(whole, sms=sms).setting == result.setting


@pytest.mark.parametrize("outputs", [False, True])
@pytest.mark.parametrize("busy", [7, 400])
def test_all_sms_are_simulated_where_one_has_clearly_more_to_do(busy: int, outputs: bool) -> None:
    code = r"""
    extern "C" __global__ void spin(float* y, int busy) {
      float a = y[0];
      int turns = blockIdx.x == busy ? 2000 : blockIdx.x % 3;
      for (int i = 0; i < turns; ++i) a = a * a + 1.0f;
      atomicAdd(y + blockIdx.x, a);
    }
    """
    spin = smsim.RawModule(code=code).get_function("spin")
    arguments = (np.ones(264, np.float32), np.int32(busy))
    trace = spin.trace((264,), (32,), arguments, outputs=outputs)
    assert trace.blocks.size == 264
    result = smsim.simulate(trace)
    assert result.setting.sms == 132
    assert (result.cycles > 2000 * 4) == (busy == 7)
    assert spin.simulate((264,), (32,), arguments, emulate="all", outputs=False).to_dict() == result.to_dict()


def test_the_whole_grid_is_traced_where_blocks_see_what_others_did_before_them() -> None:
    code = r"""
    extern "C" __global__ void last(float* y, unsigned* arrived) {
      __shared__ bool is_last;
      if (threadIdx.x == 0) is_last = atomicAdd(arrived, 1) == gridDim.x - 1;
      __syncthreads();
      if (is_last) for (int i = 0; i < 10; ++i) y[threadIdx.x] *= y[threadIdx.x + i];
    }
    """
    last = smsim.RawModule(code=code).get_function("last")
    trace = last.trace((300,), (32,), (np.ones(64, np.float32), np.zeros(1, np.uint32)))
    counts = np.bincount(trace.warps["block"], count_instructions(trace))
    assert len(counts) == 300
    assert (counts[:-1] == counts[0]).all()
    assert counts[-1] > counts[0]
    assert smsim.simulate(trace).setting.sms == 132  # what the last one does takes its time behind all others


def test_some_sms_are_simulated_where_warps_wait_for_more_lines_than_l1_has() -> None:
    code = r"""
    extern "C" __global__ void gather(const float* x, float* y, int apart) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      y[i] = x[i * apart];
    }
    """
    gather = smsim.RawModule(code=code).get_function("gather")
    blocks, size = 2 * 132, 2 * 132 * 1024
    for apart, sms in ((1, 132), (32, 4)):
        arguments = (np.ones(size * apart, np.float32), np.zeros(size, np.float32), np.int32(apart))
        result = gather.simulate((blocks,), (1024,), arguments)
        assert (result.setting.sms, len(result.setting.blocks)) == (sms, 2 * sms)


@pytest.mark.parametrize("sms", [1, 2])
@pytest.mark.parametrize(("apart", "times"), [(1, 4), (32, 1)])
def test_no_more_sms_are_simulated_than_there_are(sms: int, apart: int, times: int) -> None:
    code = r"""
    extern "C" __global__ void again(float* x, int apart, int times) {
      float sum = 0;
      for (int k = 0; k < times; ++k) sum += x[((k + threadIdx.x) % 1024) * apart];
      if (sum < 0) x[threadIdx.x] = sum;
    }
    """
    machine = smsim.load_machine("h100").replace({"gpu.num_sms": sms})
    arguments = (np.ones(1024 * apart, np.float32), np.int32(apart), np.int32(times))
    again = smsim.RawModule(code=code).get_function("again")
    assert again.simulate((2 * sms,), (1024,), arguments, machine=machine).setting.sms == sms


@pytest.mark.parametrize("sms", [0, 133, "all"])
def test_the_machine_must_have_so_many_sms(module: smsim.RawModule, sms: int) -> None:
    with pytest.raises(MachineError, match=r"sms is .*; 'h100' has 1 to 132"):
        module.get_function("saxpy").simulate((300,), (64,), saxpy_arguments(), sms=sms)


def test_the_limit_on_instructions_is_the_callers(module: smsim.RawModule) -> None:
    kernel = module.get_function("saxpy")
    with pytest.raises(KernelError, match=r"saxpy: at 0x.*more than 5 instructions.*max_instructions"):
        kernel((300,), (64,), saxpy_arguments(), max_instructions=5)
    with pytest.raises(KernelError, match="more than 5 instructions"):
        kernel.trace((300,), (64,), saxpy_arguments(), max_instructions=5)


def test_a_saved_trace_simulates_to_the_same_result(module: smsim.RawModule, tmp_path: Path) -> None:
    kernel = module.get_function("saxpy")
    trace = kernel.trace((300,), (64,), saxpy_arguments())
    trace.save(tmp_path / "saxpy.trace")
    result = smsim.simulate(smsim.Trace.load(tmp_path / "saxpy.trace"))
    assert result.to_dict() == kernel.simulate((300,), (64,), saxpy_arguments()).to_dict()


def test_a_machine_can_be_changed(module: smsim.RawModule) -> None:
    machine = smsim.load_machine("h100").replace({"gpu.num_sms": 100})
    result = module.get_function("saxpy").simulate((300,), (64,), saxpy_arguments(), machine=machine, sms=1)
    assert result.setting.blocks == (0, 100, 200)
    assert result.setting.overrides == {"gpu.num_sms": 100}


def test_resources_have_cupys_names(module: smsim.RawModule) -> None:
    kernel = module.get_function("reverse")
    assert kernel.name == "reverse"
    assert kernel.num_regs >= 8
    assert kernel.shared_size_bytes == 16
    assert kernel.local_size_bytes == 0
    assert kernel.max_threads_per_block == 128
    assert kernel.attributes["num_regs"] == kernel.num_regs
    assert kernel.attributes["max_dynamic_shared_size_bytes"] == 48 * 1024 - 16


def test_a_raw_kernel_is_compiled_from_its_source() -> None:
    values = np.arange(64, dtype=np.int32)
    kernel = smsim.RawKernel(CODE, "reverse", ("-DFACTOR=5",))
    kernel((1,), (64,), (values,), shared_mem=256)
    np.testing.assert_array_equal(values, 5 * np.arange(64)[::-1])


def test_more_shared_memory_must_be_asked_for(module: smsim.RawModule) -> None:
    kernel = module.get_function("reverse")
    values = np.arange(64, dtype=np.int32)
    with pytest.raises(LaunchError, match="set max_dynamic_shared_size_bytes first"):
        kernel((1,), (64,), (values,), shared_mem=64 * 1024)
    with pytest.raises(LaunchError, match="may use up to"):
        kernel.max_dynamic_shared_size_bytes = 228 * 1024
    kernel.max_dynamic_shared_size_bytes = 64 * 1024
    kernel((1,), (64,), (values,), shared_mem=64 * 1024)
    np.testing.assert_array_equal(values, 3 * np.arange(64)[::-1])


@pytest.mark.parametrize("shape", [(), (1, 1, 1, 1), (0,), (-1,), (1.5,), (True,)])
def test_bad_launch_shapes_are_refused(module: smsim.RawModule, shape: tuple[int, ...]) -> None:
    kernel = module.get_function("saxpy")
    with pytest.raises(LaunchError, match=r"grid .* must be one to three positive whole numbers"):
        kernel(shape, (64,), saxpy_arguments())
    with pytest.raises(LaunchError, match=r"block .* must be one to three positive whole numbers"):
        kernel((1,), shape, saxpy_arguments())


def test_numpy_integers_and_plain_ones_are_launch_shapes(module: smsim.RawModule) -> None:
    result = module.get_function("saxpy")(np.int64(2), 64, saxpy_arguments())
    assert result.launch.grid == (2, 1, 1)
    assert result.launch.block == (64, 1, 1)


def test_words_that_are_not_known_are_refused(module: smsim.RawModule) -> None:
    kernel = module.get_function("saxpy")
    with pytest.raises(LaunchError, match="'sm' or 'all'"):
        kernel.simulate((1,), (64,), saxpy_arguments(), emulate="some")
    with pytest.raises(MachineError, match="warm, cold"):
        kernel.simulate((1,), (64,), saxpy_arguments(), cache="hot")
    with pytest.raises(MachineError, match="auto, simpy, compiled"):
        kernel.simulate((1,), (64,), saxpy_arguments(), engine="fast")


def test_a_module_reads_files_of_cuda_c_and_cubins(module: smsim.RawModule, tmp_path: Path) -> None:
    (tmp_path / "header.h").write_text("#define FACTOR 3\n")
    (tmp_path / "kernels.cu").write_text('#include "header.h"\n' + CODE)
    (tmp_path / "kernels.cubin").write_bytes(module.cubin)
    for name in ("kernels.cu", "kernels.cubin"):
        assert set(smsim.RawModule(path=tmp_path / name).names) == {"saxpy", "reverse"}


def test_bad_modules_are_refused(tmp_path: Path) -> None:
    with pytest.raises(CubinError, match="either code or path"):
        smsim.RawModule()
    with pytest.raises(CubinError, match="either code or path"):
        smsim.RawModule(code=CODE, path="kernels.cu")
    with pytest.raises(CubinError, match="No such file"):
        smsim.RawModule(path=tmp_path / "missing.cubin")
    (tmp_path / "binary.cu").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(CubinError, match="neither a cubin nor CUDA C"):
        smsim.RawModule(path=tmp_path / "binary.cu")
    with pytest.raises(CompileError, match="FACTOR"):
        smsim.RawModule(code=CODE)


def test_an_unknown_kernel_lists_those_that_there_are(module: smsim.RawModule) -> None:
    with pytest.raises(CubinError, match="saxpy"):
        module.get_function("sxapy")


VARIABLES = """
__constant__ float factors[2] = {2.0f, 3.0f};
__device__ int launches;
extern "C" __global__ void scale(float* values) {
  values[threadIdx.x] *= factors[threadIdx.x % 2];
  if (threadIdx.x == 0) ++launches;
}
"""


def test_variables_of_the_module_live_as_long_as_it_does() -> None:
    module = smsim.RawModule(code=VARIABLES)
    kernel = module.get_function("scale")
    values = np.ones(32, np.float32)
    kernel.trace((1,), (32,), (values,))
    np.testing.assert_array_equal(values, [2, 3] * 16)
    module.get_global("factors").view(np.float32)[:] = (10, 20)
    kernel.trace((1,), (32,), (values,))
    np.testing.assert_array_equal(values, [20, 60] * 16)
    assert module.get_global("launches").view(np.int32) == 2


def test_an_unknown_variable_lists_those_that_there_are() -> None:
    with pytest.raises(CubinError, match=r"no variable is called 'factor'; .*factors"):
        smsim.RawModule(code=VARIABLES).get_global("factor")
    with pytest.raises(CubinError, match="the module has: none"):
        smsim.RawModule(code='extern "C" __global__ void empty() {}').get_global("factor")
