"""What a process and a store take up at the quarters of a long experiment, and whether that stays."""

import os


class Use:
    """Memory of its own in bytes and open descriptors of a process."""

    def __init__(self, pid):
        with open(f"/proc/{pid}/status") as status:
            fields = dict(line.split(":", 1) for line in status)
        self.memory = int(fields["RssAnon"].split()[0]) * 1024
        self.threads = int(fields["Threads"])
        self.descriptors = len(os.listdir(f"/proc/{pid}/fd"))


class Quarters:
    """Samples of one process at the quarters of its time."""

    """Of what is measured a page at a time, beside what a process has after its first quarter."""
    MEMORY_SLACK = 16 << 20
    """A question or a commit under way may hold some open."""
    DESCRIPTOR_SLACK = 4

    def __init__(self, name, pid):
        self.name = name
        self.pid = pid
        self.samples = []

    def take(self):
        self.samples.append(Use(self.pid))

    def faults(self):
        """What has grown since the first quarter: by then caches are full."""
        first, last = self.samples[0], self.samples[-1]
        faults = []
        if last.memory > first.memory * 1.25 + self.MEMORY_SLACK:
            faults.append(f"{self.name}: memory went from {first.memory:,} to {last.memory:,} bytes")
        if last.descriptors > first.descriptors + self.DESCRIPTOR_SLACK:
            faults.append(f"{self.name}: descriptors went from {first.descriptors} to {last.descriptors}")
        return faults

    def __str__(self):
        megabytes = ", ".join(f"{sample.memory / 1048576:.1f}" for sample in self.samples)
        descriptors = ", ".join(str(sample.descriptors) for sample in self.samples)
        return f"{self.name}: {megabytes} MB; {descriptors} descriptors"


def size(path):
    try:
        return os.stat(path).st_size
    except FileNotFoundError:
        return 0
