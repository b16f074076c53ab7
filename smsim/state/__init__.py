"""The state of one SM: NumPy records that the rules read and change, and that both drivers share.

Times are cycles since the first block's launch; ``NEVER`` stands for "not known yet: somebody will wake us". Every
number is an int64, so that each rule is compiled once.
"""
