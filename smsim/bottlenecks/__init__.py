"""Bottlenecks: for each limit of a launch, the cycles it would take if that were the only one."""
