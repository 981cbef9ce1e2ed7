"""The page of `chained-adv look --html` in a real browser: texts stay texts, nothing is loaded, no error."""
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from chained_adv.looking import append_episodes, explore
from test_looking import row

@pytest.fixture
def page_file(tmp_path):
    hostile = "<img src=x onerror=alert(1)></script><script>alert(2)</script>"
    for o in (row(0, solved=False, code="def double(x): return x + 2"), row(0, "hostile", code=hostile), row(8), row(8, "hostile", code=hostile)):
        append_episodes(tmp_path, [o])
    explore(tmp_path).save(tmp_path / "look.html")
    return tmp_path / "look.html"

@pytest.mark.parametrize("size", [(1280, 900), (390, 800)])
def test_the_page_in_a_browser(browser, page_file, size):
    context = browser.new_context(viewport=dict(width=size[0], height=size[1]))
    page, troubles = context.new_page(), []
    page.on("pageerror", lambda e: troubles.append(str(e)))
    page.on("console", lambda m: troubles.append(m.text) if m.type in ("error", "warning") else None)
    page.on("dialog", lambda d: (troubles.append(d.message), d.dismiss()))
    page.on("request", lambda r: troubles.append(r.url) if not r.url.startswith("file:") else None)
    try:
        page.goto(page_file.as_uri())
        assert "return x + 2" in page.inner_text("#shown_left") and "return 2 * x" in page.inner_text("#shown_right")
        assert "got 5, expected 6" in page.inner_text("#shown_left") and "not solved" in page.inner_text("#shown_left")
        page.select_option("#problem", "hostile")
        assert "onerror=alert(1)" in page.inner_text("#shown_left")
        page.select_option("#right", label="nothing")
        assert page.inner_text("#shown_right") == ""
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert not troubles, troubles
    finally: context.close()
