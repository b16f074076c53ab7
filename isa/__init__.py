"""SASS: from CUDA C or a cubin to a Trace. Knows nothing of timing."""
