"""The half of measuring that runs on the GPU machine: ``python3 -m validation.measure_on_gpu JOB OUT``.

It needs CuPy, NumPy and the standard library. Of the project it imports ``kernels`` alone, for the catalogue's
arguments and references, so that a copy of the repository is all that the GPU machine has to have.
"""
