"""The experiments, one file per family; each has a function `experiments()` that yields them."""
