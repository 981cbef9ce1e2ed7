"""A person with a browser, and a way to wait."""
import time

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
        "A request that a visit to another page ended is no failure: a save goes on, or is made by the next page"
        if request.failure == "net::ERR_ABORTED": return
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
