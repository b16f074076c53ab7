"""What the memory rules count, and the ncu counter that each count answers to."""

from enum import IntEnum


class Event(IntEnum):
    """A row of ``State.events``."""

    GLOBAL_LOAD_REQUESTS = 0
    GLOBAL_LOAD_SECTORS = 1
    GLOBAL_LOAD_HITS = 2
    GLOBAL_STORE_REQUESTS = 3
    GLOBAL_STORE_SECTORS = 4
    LOCAL_LOAD_SECTORS = 5
    LOCAL_STORE_SECTORS = 6
    SHARED_WAVEFRONTS = 7
    SHARED_REQUESTS = 8
    L2_READ_SECTORS = 9
    L2_WRITE_SECTORS = 10
    L2_SECTORS = 11
    L2_MISSES = 12
    DRAM_BYTES_READ = 13
    DRAM_BYTES_WRITTEN = 14
    L2_READ_REQUESTS = 15


COUNTERS = {
    Event.GLOBAL_LOAD_REQUESTS: "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    Event.GLOBAL_LOAD_SECTORS: "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    Event.GLOBAL_LOAD_HITS: "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum",
    Event.GLOBAL_STORE_REQUESTS: "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
    Event.GLOBAL_STORE_SECTORS: "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    Event.LOCAL_LOAD_SECTORS: "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum",
    Event.LOCAL_STORE_SECTORS: "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum",
    Event.SHARED_WAVEFRONTS: "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",
    Event.L2_READ_SECTORS: "lts__t_sectors_srcunit_tex_op_read.sum",
    Event.L2_WRITE_SECTORS: "lts__t_sectors_srcunit_tex_op_write.sum",
    Event.L2_SECTORS: "lts__t_sectors_srcunit_tex.sum",
    Event.L2_MISSES: "lts__t_sectors_srcunit_tex_lookup_miss.sum",
    Event.DRAM_BYTES_READ: "dram__bytes_read.sum",
    Event.DRAM_BYTES_WRITTEN: "dram__bytes_write.sum",
    Event.L2_READ_REQUESTS: "lts__t_requests_srcunit_tex_op_read.sum",
}
