"""The catalogue: CUDA C kernels with their launches and NumPy references."""
