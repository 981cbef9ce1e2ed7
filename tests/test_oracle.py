"""Runs that are stopped and resumed leave the figures on record: to the bit on the kind of processor they were recorded on."""
import pytest

from oracle import RUNS, differences, is_close, load, machine, run

@pytest.mark.parametrize("name", RUNS)
def test_a_resumed_run_leaves_the_figures_on_record(name):
    record = load()
    steps = len(record["runs"][name]["steps"])
    different = differences(record["runs"][name], run(name, stop_after=max(steps - 2, 1)))
    if record["machine"] != machine(): different = [d for d in different if not is_close(*d[1:]) and not d[0].startswith("/weights")]
    assert not different, f"{len(different)} figures differ, the first {different[0]}; see tests/oracle.py"
