"""Random programs on the simulator and on the GPU: what differs is shrunk to the smallest program that shows it."""
