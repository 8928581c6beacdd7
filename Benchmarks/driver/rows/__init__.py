"""The rows of the table, by number: what each measures, against which peers, and the mark that it must reach."""

from rows.commands import run_output, run_true, start_and_finish
from rows.exchange import import_lines
from rows.fleet import fleet_questions, recording_while_away, rounds, shipping
from rows.questions import many_feeds, questions, status
from rows.recording import counting, empty_loading, many_callers, many_processes, one_caller
from rows.serving import live_page, pings
from rows.space import bytes_on_disk, memory
from rows.watching import status_while_recording

ROWS = {
    "1": one_caller,
    "2": many_callers,
    "3": many_processes,
    "4": counting,
    "5": empty_loading,
    "6": status,
    "6b": status_while_recording,
    "7": questions,
    "8": start_and_finish,
    "9": import_lines,
    "10": bytes_on_disk,
    "11": memory,
    "12": many_feeds,
    "13": run_true,
    "14": run_output,
    "15": pings,
    "16": live_page,
    "17": shipping,
    "18": fleet_questions,
    "19": rounds,
    "20": recording_while_away,
}
