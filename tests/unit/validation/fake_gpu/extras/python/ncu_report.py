"""Stands in for NVIDIA's ncu_report: reads what the fake ncu wrote."""

import json
from pathlib import Path


class Numbers:
    def __init__(self, numbers):
        self.numbers = numbers

    def as_uint64(self, index=0):
        return self.numbers[index]


class Metric(Numbers):
    def __init__(self, value, instances):
        super().__init__(list(instances.values()) or [value])
        self.addresses = [int(address) for address in instances]

    def num_instances(self):
        return len(self.addresses)

    def correlation_ids(self):
        return Numbers(self.addresses)


class Action:
    def __init__(self, plain):
        self.metrics = plain["sampled"]

    def metric_names(self):
        return tuple(self.metrics)

    def metric_by_name(self, name):
        return Metric(**self.metrics[name]) if name in self.metrics else None


class Range:
    def __init__(self, plain):
        self.actions = plain

    def num_actions(self):
        return len(self.actions)

    def action_by_idx(self, index):
        return Action(self.actions[index])


class Context:
    def __init__(self, plain):
        self.ranges = [plain]

    def num_ranges(self):
        return len(self.ranges)

    def range_by_idx(self, index):
        return Range(self.ranges[index])


def load_report(path):
    return Context(json.loads(Path(path).read_text()))
