"""The page of `chained-adv report` in a browser: wide and narrow, light and dark, without a request or an error, with hostile texts in it."""
import json, re, sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from calling import call
from chained_adv.looking import append_episodes

HOSTILE = "<img src=x onerror=alert(1)></pre><script>alert(2)</script>&lt;b&gt; \x1b[31m \u202e\ud800"

def texts(step, problem, code, solved):
    common = dict(step=step, split="held_out", phase="greedy", trained_stage=0, learner=None, problem=problem, chain=0, prompt="0", tokens=9, cut=False,
                  solved=solved, reward=float(solved), advantage=None, seed=0)
    baseline = dict(test=f"f(2) == {HOSTILE}", outcome="passed" if solved else "wrong_value", reason="" if solved else HOSTILE)
    tests = [dict(test=HOSTILE, outcome="wrong_value", reason=HOSTILE, valid=True, credit=.1)]
    yield common | dict(role="generator", stage=1, list=None, text=HOSTILE, code=None, tests=[])
    yield common | dict(role="generator", stage=5, list=None, text=code, code=code, tests=[baseline])
    yield common | dict(role="discriminator", stage=3, list=0, text=HOSTILE, code=None, tests=tests)

def run_folder(path):
    "What a run leaves, with hostile texts wherever a model or a user may have put some"
    path.mkdir()
    rate = lambda v: dict(value=v, low=v - .1, high=min(v + .1, 1.))
    steps = [dict(step=i, stage=1, role="generator", generator_reward=.1 * i, discriminator_reward=-.1 * i, pass_rate=.5, bug_catch_rate=i / 9,
                  generated_tokens=100, seconds_generate=1.) for i in range(1, 9)]
    evaluations = [dict(step=8 * k, stage=5 * k, split="held_out", n=9, solved=rate(.4 + .5 * k), validity=rate(.3)) for k in (0, 1)]
    alarms = [dict(step=3, stage=1, role="generator", kind="cut", saw=HOSTILE.encode("ascii", "replace").decode(), advice="Raise it")]
    for name, rows in dict(metrics=steps, evaluation=evaluations, alarms=alarms).items():
        (path / f"{name}.jsonl").write_text("".join(json.dumps(o) + "\n" for o in rows))
    (path / "config.json").write_text(json.dumps(dict(settings=dict(out="<b>x", seed=3, model=dict(model="</td><script>")), versions=dict(torch="2"))))
    for step in (0, 8):
        append_episodes(path, [*texts(step, f"learned {HOSTILE}", HOSTILE, step == 8), *texts(step, "forgotten", f"def f(): {HOSTILE}", step == 0)])
        append_episodes(path, [o | dict(split="train") for o in texts(step, "trained on", "def f(): pass", step == 8)]) # the tables are held-out ones
    return path

def test_one_file_that_needs_nothing(tmp_path):
    folders = [run_folder(tmp_path / name) for name in ("one", "<i>two")]
    done = call("report", *folders, "--out", tmp_path / "r.html")
    assert done.exit_code == 0, done
    text = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert not re.search(r"<script|<img|<b>x|<i>|\bsrc=\"|href=|https?:|@import|url\(", text)
    assert "1 learned, 1 forgotten" in text and "trained on" not in text and "tests about 1 wrong program " in text
    for words in ("Before and after", "Who wins", "Which tests catch which bugs", "learned: learned", "forgotten: forgotten", "Raise it", "&lt;i&gt;two"): assert words in text, words

def test_refusals(tmp_path):
    from calling import refused
    refused(call("report", tmp_path), "holds no logs of a run")
    refused(call("report", run_folder(tmp_path / "one"), "--out", tmp_path / "no/such/r.html"), "cannot be written")

@pytest.mark.parametrize("size, scheme", [((1280, 900), "light"), ((390, 800), "dark")])
def test_the_page_in_a_browser(browser, tmp_path, size, scheme):
    assert call("report", run_folder(tmp_path / "one"), run_folder(tmp_path / "two"), "--out", tmp_path / "r.html").exit_code == 0
    context = browser.new_context(viewport=dict(width=size[0], height=size[1]), color_scheme=scheme)
    page, troubles = context.new_page(), []
    page.on("pageerror", lambda e: troubles.append(str(e)))
    page.on("console", lambda m: troubles.append(m.text) if m.type in ("error", "warning") else None)
    page.on("dialog", lambda d: (troubles.append(d.message), d.dismiss()))
    page.on("request", lambda r: troubles.append(r.url) if not r.url.startswith("file:") else None)
    try:
        page.goto((tmp_path / "r.html").as_uri())
        page.evaluate("document.querySelectorAll('details').forEach(o => o.open = true)")
        assert "onerror=alert(1)" in page.inner_text("body") and page.locator("svg").count() >= 6
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert page.evaluate("[...document.querySelectorAll('svg text')].every(o => o.getBoundingClientRect().right <= innerWidth)")
        page.evaluate("document.querySelectorAll('details').forEach(o => o.open = false)")
        assert not page.evaluate("document.querySelector('details pre').checkVisibility()")
        page.emulate_media(media="print") # on paper all is dark on white, and what is folded is shown
        assert page.evaluate("!CSS.supports('selector(::details-content)') || document.querySelector('details pre').checkVisibility()")
        assert page.evaluate("getComputedStyle(document.documentElement).colorScheme") == "light"
        assert not troubles, troubles
    finally: context.close()
