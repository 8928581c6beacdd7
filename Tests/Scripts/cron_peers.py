"""Compares due times of cron expressions with cronsim, croniter and Debian's cron.

    cron_peers.py make SEED COUNT      prints random cases: expression, zone, minute since 1970, tab-separated
    cron_peers.py FILE                 compares cases, each with the due minutes that follow its minute

cronsim and croniter come from PyPI. Where the two disagree, a replay of the main loop of Debian's cron decides: it looks
at every minute of three days, as the daemon does. Prints a line for each wrong case and a summary; exits 1 if any is
wrong. Three kinds of expression are left to the replay alone, because croniter reads them in another way: a day field that
begins with "*/", which Debian's cron takes for a "*", and clock changes, of which each library has its own idea.
"""

import random
import sys
from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo

ZONES = [
    "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata", "America/Santiago", "Africa/Casablanca",
    "UTC",
]
RANGES = [(0, 59), (0, 23), (1, 31), (1, 12), (0, 6)]
MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
DAYS = "sun mon tue wed thu fri sat".split()
DUES = 6
REPLAYED = 3 * 1440


def make(seed, count):
    chance = random.Random(seed)
    changes = {zone: clock_changes(zone) for zone in ZONES}
    for _ in range(count):
        zone = chance.choice(ZONES)
        fields = [field(chance, number) for number in range(5)]
        if changes[zone] and chance.random() < 0.6:
            minute = chance.choice(changes[zone]) + chance.randrange(-1600, 400)
            if chance.random() < 0.7:
                fields[1] = str(chance.choice([0, 1, 1, 2, 2, 3, 23]))
            if chance.random() < 0.7:
                fields[2:] = "*", "*", "*"
        else:
            minute = chance.randrange(minute_of(2000), minute_of(2036))
        print(" ".join(fields), zone, minute, sep="\t")


def minute_of(year):
    return int(datetime(year, 1, 1, tzinfo=timezone.utc).timestamp()) // 60


def clock_changes(zone):
    """The minutes from 2000 to 2036 at which a zone's clocks change."""
    found, info = [], ZoneInfo(zone)
    hours = range(minute_of(2000) // 60, minute_of(2036) // 60, 12)
    for hour in hours:
        before, after = offset(info, hour * 60), offset(info, hour * 60 + 720)
        if before != after:
            low, high = hour * 60, hour * 60 + 720
            while high - low > 1:
                middle = (low + high) // 2
                low, high = (middle, high) if offset(info, middle) == before else (low, middle)
            found.append(high)
    return found


def offset(info, minute):
    return int(datetime.fromtimestamp(minute * 60, info).utcoffset().total_seconds()) // 60


def field(chance, number):
    low, high = RANGES[number]
    kind = chance.random()
    if kind < [0.2, 0.35, 0.6, 0.7, 0.6][number]:
        return "*"
    if kind < 0.7 and number != 2 and number != 4:
        return f"*/{chance.randint(1, high // 2)}"
    if kind < 0.73:
        return f"*/{chance.randint(1, high // 2)}"
    names = {3: MONTHS, 4: DAYS}.get(number)
    items = []
    for _ in range(chance.choice([1, 1, 1, 2, 3])):
        first = chance.randint(low, high)
        item = names[first - low] if names and chance.random() < 0.4 else str(first)
        if chance.random() < 0.3 and first < high:
            last = chance.randint(first, high)
            item = f"{first}-{last}" + (f"/{chance.randint(1, 5)}" if last > first and chance.random() < 0.4 else "")
        items.append(item)
    return ",".join(items)


def compare(path):
    import croniter
    import cronsim

    cases = agreed = 0
    replayed = {"cronsim": 0, "croniter": 0, "neither": 0}
    wrong = []
    for line in open(path):
        expression, zone, minute, found = line.rstrip("\n").split("\t")
        cases += 1
        minute, found = int(minute), [int(due) for due in found.split()]
        info = ZoneInfo(zone)
        start = datetime.fromtimestamp(minute * 60, info)
        sim = dues(cronsim.CronSim(expression, start), found)
        iter_ = None
        if not any(text.startswith("*/") for text in expression.split()[2::2]):
            iter_ = dues(croniter.croniter(expression, start, ret_type=datetime), found)
        if sim == iter_ == found:
            agreed += 1
            continue
        expected = replay(expression, info, minute)
        mine = [due for due in found if due <= minute + REPLAYED]
        # Without a due time in those days, only a library can confirm the others; unless it errs within them.
        errs = [due for due in sim if due <= minute + REPLAYED] != expected
        if expected[: len(found)] == mine and (mine or errs or found in (sim, iter_)):
            replayed["cronsim" if found == sim else "croniter" if found == iter_ else "neither"] += 1
        else:
            wrong.append(f"{line.rstrip()}: cron {expected[:DUES]}, cronsim {sim}, croniter {iter_}")
    for text in wrong[:20]:
        print(text)
    words = ", ".join(f"{count} with {library}" for library, count in replayed.items())
    print(f"{cases} cases: {agreed} as both libraries; where they differ, as Debian's cron ({words}); {len(wrong)} wrong")
    return 1 if wrong else 0


def dues(iterator, found):
    """As many due minutes of a library as were found; a time that it returns twice counts once."""
    result = []
    try:
        while len(result) < len(found):
            due = int(next(iterator).timestamp()) // 60
            if not result or due != result[-1]:
                result.append(due)
    except StopIteration:
        pass
    return result


def replay(expression, info, start):
    """The minutes at which Debian's cron runs a job in three days after a minute, in the way of its main loop."""
    minutes, hours, days, months, weekdays = (bits(text, number) for number, text in enumerate(expression.split()))
    star = [text.startswith("*") for text in expression.split()]
    is_wild = star[0] or star[1]

    def matches(local):
        date = datetime(1970, 1, 1) + timedelta(minutes=local)
        day, weekday = date.day in days, (date.weekday() + 1) % 7 in weekdays
        return (
            date.minute in minutes and date.hour in hours and date.month in months
            and (day and weekday if star[2] or star[4] else day or weekday)
        )

    found = []
    # The daemon has been running for half a day, so that it knows of a change just before the start.
    virtual = start - 720 + offset(info, start - 720)
    for minute in range(start - 720, start + REPLAYED + 1):
        running = minute + offset(info, minute)
        behind = running - virtual
        fixed, wild = [], [running]
        if behind < -180 or behind > 180:
            fixed, virtual = [running], running
        elif behind > 0:
            fixed, virtual = range(virtual + 1, running + 1), running
        elif behind == 0:
            fixed = [running] if minute == start - 720 else []
        # Otherwise clocks were set back: only wildcard jobs run until the time is caught up with.
        if any(matches(local) for local in (wild if is_wild else fixed)) and minute > start:
            found.append(minute)
    return found


def bits(text, number):
    low, high = RANGES[number]
    names = {3: MONTHS, 4: DAYS}.get(number, [])
    value = lambda word: low + names.index(word) if word in names else int(word)
    found = set()
    for item in text.split(","):
        item, _, step = item.partition("/")
        first, _, last = (f"{low}-{high}" if item == "*" else item).partition("-")
        found |= set(range(value(first), value(last or first) + 1, int(step or 1)))
    return found


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(int(sys.argv[2]), int(sys.argv[3]))
    else:
        sys.exit(compare(sys.argv[1]))
