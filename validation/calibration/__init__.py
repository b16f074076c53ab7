"""Microbenchmarks of an H100 SM: SASS sequences whose every bit is ours, their timings, and what follows from them."""
