"""What describes a machine: the sections of its values, the files that hold them, what they must satisfy."""
