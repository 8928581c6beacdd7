"""Measures the resources of a process at the quarters of a long experiment, and checks that they do not grow."""

import os
import threading
import time

from hosts import Hang


class Use:
    """Private memory in bytes, and the number of open descriptors, of a process."""

    def __init__(self, pid):
        with open(f"/proc/{pid}/status") as status:
            fields = dict(line.split(":", 1) for line in status)
        self.memory = int(fields["RssAnon"].split()[0]) * 1024
        self.threads = int(fields["Threads"])
        self.descriptors = len(os.listdir(f"/proc/{pid}/fd"))


class Quarters:
    """Samples of one process at the quarters of its running time."""

    """Tolerance in bytes over the memory after the first quarter."""
    MEMORY_SLACK = 16 << 20
    """Tolerance in descriptors: a query or a commit in progress may hold some open."""
    DESCRIPTOR_SLACK = 4

    def __init__(self, name, pid):
        self.name = name
        self.pid = pid
        self.samples = []

    def take(self):
        self.samples.append(Use(self.pid))

    def faults(self):
        """The resources that have grown since the first quarter, after which caches are full."""
        if not self.samples:
            return []
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


def outlast(bench, outcome, hosts, works, is_over, seconds, at_quarter=lambda: None):
    """Lets hosts and other work run for the given time; samples the hosts' resources at each quarter."""
    quarters = [Quarters(host.name, host.pid) for host in hosts]
    threads = [threading.Thread(target=work) for work in works]
    try:
        for host in hosts:
            host.awaited("finished")
        for thread in threads:
            thread.start()
        for _ in range(4):
            time.sleep(seconds / 4)
            for quarter in quarters:
                quarter.take()
            at_quarter()
        is_over.set()
        for thread in threads:
            thread.join(180)
        for host in hosts:
            if (code := host.end()) != 0:
                outcome.fail(f"{host.name} ended with {code}")
    except Hang as hang:
        outcome.fail(str(hang))
    finally:
        is_over.set()
        for host in hosts:
            host.kill()
    for quarter in quarters:
        bench.say(str(quarter))
        outcome.failures += quarter.faults()
    for host in hosts:
        if host.refusals:
            outcome.fail(f"{host.name}: {len(host.refusals)} refusals, such as {host.refusals[0]}")


def size(path):
    try:
        return os.stat(path).st_size
    except FileNotFoundError:
        return 0
