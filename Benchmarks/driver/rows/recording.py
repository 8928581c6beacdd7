"""Rows 1 to 5: loads recorded by one process or by several."""

from measuring import Mark, Row
from rows.bench import DISK, SCHEMA, Bench
from tools import PEERS, Folder

SLOWEST = "slowest 1 % of LoadLog's calls ÷ their median"


def _measure(bench: Bench, name, what, *arguments):
    """LoadLog in a separate process on a new store: pairs per second."""
    def run():
        with Folder() as folder:
            result = bench.tools.json(
                bench.tools.measure, what, folder / "loadlog.db", bench.sizes.seconds, *arguments)
            return {name: result["pairs"] / result["seconds"]}
    return run


def _peer(bench: Bench, name, *program, rest=()):
    def run():
        with Folder() as folder:
            result = bench.tools.json(*program, folder / "peer.db", SCHEMA, bench.sizes.seconds, *rest)
            return {name: result["pairs"] / result["seconds"]}
    return run


def _c(bench: Bench, name, events=1):
    return _peer(bench, name, bench.tools.writer, rest=(events,))


def _grdb(bench: Bench, name, callers, face, synchronous="FULL"):
    return _peer(bench, name, bench.tools.grdb_writer, rest=(callers, face, synchronous))


def one_caller(bench: Bench):
    python = bench.tools.python if bench.tools.has_packages else "python3"
    return Row(
        "1", "durable start + finish pairs per second, one caller at a time", "/s",
        [
            bench.disk,
            _measure(bench, "LoadLog async", "recording", 1, "async"),
            _measure(bench, "LoadLog sync", "recording", 1, "sync"),
            _c(bench, "C"),
            _grdb(bench, "GRDB", 1, "sync"),
            _peer(bench, "Python", python, PEERS / "writer.py"),
        ],
        [Mark("LoadLog async", "C", "≥", 0.6), Mark("LoadLog sync", "C", "≥", 0.7)], units={DISK: "s"})


def many_callers(bench: Bench):
    contestants, marks = [bench.disk], []
    for callers, times in ((64, 8), (512, 15)):
        loadlog, grdb, limit = (
            f"LoadLog {callers}", f"GRDB {callers}", f"C, {callers} events per transaction")
        contestants += [
            _measure(bench, loadlog, "recording", callers, "async"),
            _grdb(bench, grdb, callers, "async"),
            _c(bench, limit, callers)]
        marks += [Mark(loadlog, grdb, "≥", times), Mark(loadlog, limit, "≥", 0.5)]
    return Row(
        "2", "the same by 64 and 512 concurrent tasks, 100 feeds", "/s", contestants, marks, units={DISK: "s"})


def many_processes(bench: Bench):
    def loadlog():
        with Folder() as folder:
            results = bench.tools.json_together([
                [bench.tools.measure, "recording", folder / "loadlog.db", bench.sizes.seconds, 64, "async"]] * 4)
            return {
                "LoadLog": sum(result["pairs"] / result["seconds"] for result in results),
                SLOWEST: max(result["p99"] / result["p50"] for result in results)}

    def c():
        with Folder() as folder:
            results = bench.tools.json_together(
                [[bench.tools.writer, folder / "peer.db", SCHEMA, bench.sizes.seconds, 1]] * 4)
            return {"C": sum(result["pairs"] / result["seconds"] for result in results)}

    return Row(
        "3", "the same by 64 tasks in each of 4 processes on one store", "/s", [bench.disk, loadlog, c],
        [Mark("LoadLog", "C", "≥", 3), Mark(SLOWEST, None, "≤", 20)], units={SLOWEST: "", DISK: "s"})


def counting(bench: Bench):
    def counted(threads, environment=None):
        with Folder() as folder:
            return bench.tools.json(
                bench.tools.measure, "counting", folder / "loadlog.db", bench.sizes.seconds, threads,
                environment=environment)

    def time(name, threads):
        def run():
            result = counted(threads)
            return {name: result["seconds"] / result["pairs"]}
        return run

    def mutex():
        result = bench.tools.json(bench.tools.measure, "mutex", bench.sizes.seconds / 4)
        return {"mutex": result["seconds"] / result["pairs"]}

    def allocations():
        result = counted(1, {"LD_PRELOAD": str(bench.tools.allocations)})
        return {"allocations": result["allocations"] / result["pairs"]}

    return Row(
        "4", "`push` + `pop` as the caller sees it, 1 thread and 4", "s",
        [time("LoadLog, 1 thread", 1), time("LoadLog, 4 threads", 4), mutex, allocations],
        [
            Mark("LoadLog, 1 thread", "mutex", "≤", 5),
            Mark("allocations", None, "≤", 0, "per pair")],
        units={"allocations": ""})


def empty_loading(bench: Bench):
    return Row(
        "5", "`loading { }` around an empty body, `durability: .process`", "/s",
        [
            _measure(bench, "LoadLog async", "loading", "async"),
            _grdb(bench, "GRDB async", 1, "async", "NORMAL"),
            _measure(bench, "LoadLog sync", "loading", "sync"),
            _grdb(bench, "GRDB sync", 1, "sync", "NORMAL"),
        ],
        [Mark("LoadLog async", "GRDB async", "≥", 0.8), Mark("LoadLog sync", "GRDB sync", "≥", 0.8)])
