"""A real browser on a real server. Skipped, with the reason, where there is no Playwright or no Chromium."""
import os, shutil, sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from arc_serving import Serving
from visiting import Visit

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome"))), None)

@pytest.fixture(scope="module") # while a browser is there, no other test of the process can run an event loop
def browser():
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: pip install '.[browser]'")
    pytest.importorskip("uvicorn", reason="the server's extra is not installed: pip install '.[web]'")
    if not CHROMIUM: pytest.skip("there is no Chromium here (tried chromium, chromium-browser, google-chrome)")
    with api.sync_playwright() as p:
        args = ["--no-sandbox"] if os.name == "posix" and os.geteuid() == 0 else []
        browser = p.chromium.launch(executable_path=CHROMIUM, args=args)
        yield browser
        browser.close()

@pytest.fixture(scope="module")
def serving(tmp_path_factory):
    with Serving(tmp_path_factory.mktemp("arc") / "data", "builtin") as serving: yield serving

@pytest.fixture
def visit(browser, serving):
    visits = []
    def start(**options):
        visits.append(Visit(browser, serving, **options))
        return visits[-1]
    yield start
    troubles = [o for v in visits for o in v.troubles]
    for v in visits: v.context.close()
    assert not troubles, troubles
