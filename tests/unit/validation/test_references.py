"""References computed by other processes."""

import kernels
from validation.measure_on_gpu import references
from validation.measure_on_gpu.job import load_job
from validation.measure_on_gpu.references import References
from validation.prepare import catalogue_cases, write_job


def test_they_are_those_of_the_job_in_its_order(tmp_path, monkeypatch):
    monkeypatch.setattr(references, "LARGE_THREADS", 256)
    chosen = [kernels.get(name) for name in ("vec_add_x1", "chain_ffma_ilp1", "dot_ilp4")]
    write_job(tmp_path, (one for kernel in chosen for one in catalogue_cases([kernel], [kernel.default.name])))
    job = load_job(tmp_path)
    ahead = References(job, job.cases)
    for case in job.cases:
        arguments = job.arguments(case)
        got, wanted = ahead.of(case, arguments), job.expected(case, arguments)
        assert set(got) == set(wanted)
        assert all(not wanted[index].differs(got[index].values).any() for index in wanted)
    ahead.close()
