"""A real browser on a real server. Skipped, with the reason, where there is no Playwright or no Chromium."""
import os, shutil, sys, time
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from arc_serving import Serving

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome"))), None)

@pytest.fixture(scope="session")
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

def until(page, expression, seconds=10):
    "Wait until an expression is true in the page; Playwright's own way needs `eval`, which the page forbids"
    end = time.monotonic() + seconds
    while not page.evaluate(expression):
        assert time.monotonic() < end, f"not in {seconds} s: {expression}"
        page.wait_for_timeout(40)

class Visit:
    "A person with a browser of their own; notes everything that goes wrong on a page"
    def __init__(self, browser, serving, **options):
        self.serving, self.troubles = serving, []
        self.context = browser.new_context(viewport=options.pop("viewport", {"width": 1280, "height": 900}), **options)
        self.context.set_default_timeout(10_000)
        self.context.route("**/*", self.only_ours)

    def only_ours(self, route):
        "Nothing but the server can be reached"
        if route.request.url.startswith((self.serving.base, "blob:", "data:")): return route.continue_()
        self.troubles.append(f"outside request: {route.request.url}")
        route.abort()

    def failed(self, request):
        "A request that a visit to another page ended is no failure, unless it was to save something"
        if request.failure == "net::ERR_ABORTED" and request.method in ("GET", "POST"): return
        if "api/events" not in request.url: self.troubles.append(f"failed: {request.method} {request.url} {request.failure}")

    def open(self, path=""):
        page = self.context.new_page()
        page.on("pageerror", lambda e: self.troubles.append(f"error: {e}"))
        page.on("requestfailed", self.failed)
        page.on("console", lambda m: self.troubles.append(f"console: {m.text}") if m.type == "error" else None)
        mark = "&" if "?" in path else "?"
        page.goto(f"{self.serving.base}{path}{mark}token={self.serving.token}")
        return page

    def secret(self, page):
        return page.evaluate("Object.entries(localStorage).find(([k]) => k.endsWith(':secret'))[1]")

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
