"""Every button of every page, pressed on a page of its own: each does something, and none ends in an error."""
import pytest

from chained_adv.arc.datasets import load_tasks
from visiting import Visit

PAGES = ("index.html", "solve.html?v=2", "discuss.html?v=2", "runs.html", "data.html")
READY = ".card, .editor-grid, #log, .empty, #files"
SEEN = """() => {
    for (const o of document.querySelectorAll('details:not([open])')) o.open = true;
    return [...document.querySelectorAll('button')].map((o, i) => [i, o.id || o.title || o.getAttribute('aria-label') || o.textContent.trim(),
        !o.disabled && o.checkVisibility()]);
}"""
WATCH = """() => {
    window.done = 0;
    const more = () => { window.done += 1; };
    new MutationObserver(more).observe(document, {subtree: true, childList: true, attributes: true, characterData: true});
    for (const kind of ['input', 'change', 'scroll', 'focusin', 'toggle']) document.addEventListener(kind, more, true);
}"""

def buttons(visit, path):
    "(index, name) of each button of a page that can be pressed, its sections open; equal ones once"
    page = ready(visit, path)
    named = {name.split(": ")[-1]: (i, name) for i, name, can in reversed(page.evaluate(SEEN)) if can}
    page.close()
    return list(named.values()) # of the ten colours of the filter, one

def ready(visit, path):
    page = visit.open(path)
    page.wait_for_selector(READY, state="attached")
    page.wait_for_timeout(250)
    return page

def press(visit, path, index):
    "Press one button; how much happened"
    page = ready(visit, path)
    page.evaluate(SEEN)
    happened = []
    page.on("download", lambda o: happened.append("download"))
    page.on("filechooser", lambda o: happened.append("file"))
    page.on("framenavigated", lambda o: happened.append("page"))
    page.evaluate(WATCH)
    page.locator("button").nth(index).click(timeout=3000)
    page.wait_for_timeout(200)
    count = 0 if happened else page.evaluate("window.done")
    page.close()
    return count + len(happened)

@pytest.mark.parametrize("path", PAGES)
def test_every_button_does_something(browser, serving, path):
    visit = Visit(browser, serving)
    found = buttons(visit, path)
    dead = [name for i, name in found if not press(visit, path, i)]
    visit.context.close()
    assert len(found) >= 3 and not dead, dead
    troubles = [o for o in visit.troubles if "409" not in o] # a swap that would show an answer is refused
    assert not troubles, troubles
