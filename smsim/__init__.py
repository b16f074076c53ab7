"""The simulator: Machine, rules, drivers, results and views."""
