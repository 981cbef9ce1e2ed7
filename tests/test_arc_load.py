"""A short load with a kill in the middle; `benchmarks/arc_server_load.py` measures a long one."""
import asyncio, sys
from pathlib import Path

import pytest

pytest.importorskip("uvicorn", reason="the server's extra is not installed: pip install '.[web]'")
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "benchmarks"))
from arc_server_load import measure

def test_many_people_and_a_kill_lose_nothing():
    found = asyncio.run(measure(users=20, seconds=6, kills=1))
    assert not found["errors"] and not found["lost"], found
    assert found["acknowledged"] > 50
