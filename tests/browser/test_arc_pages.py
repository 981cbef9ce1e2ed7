"""The other pages: gallery, discussion, runs, data; offline; accessibility; hostile words; small and dark."""
import asyncio, json, re, subprocess, sys, urllib.request
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from visiting import Visit, until
from arc_serving import ROOT, Serving
from chained_adv.arc.datasets import builtin_programs, load_tasks, save_tasks
from chained_adv.arc.transforms import make_variation, pick_views

TASKS = load_tasks("builtin")
def version_of(task_id): return 1 + [t.id for t in TASKS].index(task_id)

# Gallery

def shown(page): return page.evaluate("[...document.querySelectorAll('.card .id')].map((o) => o.textContent)")

@pytest.fixture
def gallery(visit):
    page = visit().open()
    page.wait_for_selector(".card")
    return page

def test_filters_of_the_gallery(gallery):
    page = gallery
    assert len(shown(page)) == len(TASKS)
    page.fill("#filter-text", "ring"); until(page, "document.querySelectorAll('.card').length === 1")
    page.fill("#filter-text", ""); until(page, f"document.querySelectorAll('.card').length === {len(TASKS)}")
    wanted = lambda fits: [t.id for t in TASKS if fits(t)]
    grids = lambda t: [g for p in t.train + t.test for g in (p.input, p.output)]
    page.select_option("#filter-size", "small")
    assert shown(page) == wanted(lambda t: max(max(g.height, g.width) for g in grids(t)) <= 5)
    page.select_option("#filter-size", "")
    page.select_option("#filter-same", "yes")
    same = lambda p: (p.input.height, p.input.width) == (p.output.height, p.output.width)
    assert shown(page) == wanted(lambda t: all(map(same, t.train + t.test)))
    page.click(".colors button >> nth=8")
    has = lambda t, c: any(c in g.colors for g in grids(t))
    assert shown(page) == wanted(lambda t: all(map(same, t.train + t.test)) and has(t, 8))
    page.click(".colors button >> nth=8")
    assert shown(page) == wanted(lambda t: all(map(same, t.train + t.test)) and not has(t, 8))
    kept = shown(page)
    page.reload(); page.wait_for_selector(".card") # the address keeps the filters
    assert shown(page) == kept
    page.select_option("#filter-sort", "id"); assert shown(page) == sorted(kept)
    page.click("text=Clear filters"); until(page, f"document.querySelectorAll('.card').length === {len(TASKS)}")

def test_going_from_the_gallery_to_a_task(gallery):
    page = gallery
    page.fill("#go", "rings"); page.press("#go", "Enter"); page.wait_for_url(f"**solve.html?v={version_of('rings')}")
    page.go_back(); page.wait_for_selector(".card")
    page.fill("#go", "2"); page.press("#go", "Enter"); page.wait_for_url("**solve.html?v=2")
    page.go_back(); page.wait_for_selector(".card")
    page.keyboard.press("r"); page.wait_for_url("**solve.html?v=*"); page.go_back(); page.wait_for_selector(".card")
    page.click(".card a >> nth=4"); page.wait_for_url("**solve.html?v=5")

def test_solved_and_tags_are_filters(visit):
    v = visit()
    page = v.open(); page.wait_for_selector(".card")
    secret = v.secret(page)
    for n, p in enumerate(TASKS[0].test):
        assert v.serving.ask("POST", "api/versions/1/attempts", {"pair": n, "grid": p.output.to_lists()}, secret)[1]["correct"]
    v.serving.ask("PUT", "api/tasks/2/tags", {"tag": "symmetry", "on": True}, secret)
    page.reload(); page.wait_for_selector(".card")
    page.select_option("#filter-status", "solved"); assert shown(page) == [f"{TASKS[0].id} ✓ solved"]
    page.select_option("#filter-status", ""); page.select_option("#filter-tag", "symmetry"); assert shown(page) == [TASKS[1].id]

def test_1920_thumbnails_in_a_second(browser, tmp_path):
    views = pick_views(48)
    many = [replace(make_variation(t, v), id=f"{t.id}-{n}", parent=None, operations=()) for t in TASKS for n, v in enumerate(views)]
    save_tasks(many, tmp_path / "many.json", "set")
    with Serving(tmp_path / "data", f"many={tmp_path / 'many.json'}", "builtin") as serving:
        v = Visit(browser, serving)
        page = v.open(); page.wait_for_selector(".card")
        times = []
        for _ in range(3):
            page.reload(); until(page, "document.body.dataset.drawn")
            until(page, "[...document.querySelectorAll('.card canvas')].slice(0, 20).every((o) => o.width > 8)")
            times.append(int(page.evaluate("document.body.dataset.drawn")))
        assert page.evaluate("document.querySelectorAll('.card').length") == 1960
        assert min(times) < 1000, times
        page.select_option("#filter-shared", "builtin@1") # the unchanged views are the built-in tasks
        assert len(shown(page)) == len(TASKS)
        v.context.close()
        assert not v.troubles

# Discussion

FAULTS = ROOT / "tests" / "arc_fault_server.py"

@pytest.fixture(scope="module")
def endpoint():
    process = subprocess.Popen([sys.executable, str(FAULTS)], stdout=subprocess.PIPE, text=True)
    yield int(re.search(r"\d+", process.stdout.readline())[0])
    process.kill(); process.wait(); process.stdout.close()

def say(page, text):
    page.fill("#text", text); page.press("#text", "Enter")
    until(page, "document.querySelector('#stop').hidden && !document.querySelector('#send').disabled && document.querySelectorAll('.message.assistant').length > 0", 30)

@pytest.fixture
def discuss(visit):
    v = visit()
    page = v.open(f"discuss.html?v={version_of('half_turn')}")
    page.wait_for_selector("#log")
    return v, page

def test_a_chat_with_the_built_in_search_and_its_code(discuss):
    v, page = discuss
    say(page, "What is the rule?")
    page.click(".run-code")
    page.wait_for_selector("#run-status :text('3 of 3 pairs')")
    assert page.locator(".run-pair.passed").count() == 3 and page.locator(".run-pair[data-part=test] canvas").count() == 1
    page.click(".use-answer"); page.wait_for_selector("#messages .good")
    page.click(".save-line"); page.wait_for_selector("#messages .good:text('1 training line')")
    page.click("summary:text('Training data')")
    with page.expect_download() as kept: page.click("#lines")
    line = json.loads(Path(kept.value.path()).read_text())
    assert line["provenance"]["task_key"] == TASKS[0].key and line["messages"][-1]["role"] == "assistant"
    page.click(".save-trace"); page.wait_for_selector("#messages .good:text('trace')")
    page.reload(); page.wait_for_selector(".message.assistant") # the history is on the server
    draft = v.serving.ask("GET", "api/versions/1/draft", secret=v.secret(page))[1]
    assert draft["state"]["pairs"][0]["grid"] == TASKS[0].test[0].output.to_lists()
    page.click("#again"); until(page, "document.querySelector('#stop').hidden")
    page.click("#new-chat"); page.wait_for_selector("#log .empty")
    until(page, "document.querySelectorAll('#chats option').length === 2")
    page.click("#forget"); page.click("dialog .primary"); until(page, "document.querySelectorAll('#chats option').length === 1")

def test_a_wrong_program_is_marked_and_can_be_sent_back(discuss):
    v, page = discuss
    page.fill("#code", "def solve_task(g):\n    return g\n")
    page.press("#code", "Control+Enter")
    page.wait_for_selector(".run-pair.failed")
    page.fill("#code", "def solve_task(g):\n    return g[99]\n"); page.click("#run")
    page.wait_for_selector(".traceback")
    assert "IndexError" in page.inner_text(".traceback")
    page.click(".send-back >> nth=0")
    page.wait_for_selector(".message.user .text:text('does not reproduce pair 1')")
    until(page, "document.querySelector('#stop').hidden")
    page.click("summary:text('A grid of your own')"); page.fill("#own-grid", "12\n34"); page.fill("#code", "def solve_task(g): return g[::-1]")
    page.click("#run-one"); page.wait_for_selector("#own-result canvas[aria-label*='3 4; 1 2']")

def test_the_prompt_holds_no_answer(discuss):
    _, page = discuss
    page.click("#prompt"); page.wait_for_selector("dialog pre")
    text = page.inner_text("dialog")
    for p in TASKS[0].test: assert str(p.output) not in text
    assert str(TASKS[0].train[0].output) in text

def test_streaming_stop_and_retry_with_an_endpoint(browser, tmp_path, endpoint):
    options = ("builtin", "--model", "some-model", "--base-url", f"http://127.0.0.1:{endpoint}/v1", "--price-prompt", 1, "--price-completion", 2, "--user-budget", 5)
    with Serving(tmp_path / "data", *options) as serving:
        v = Visit(browser, serving)
        page = v.open("discuss.html?v=1"); page.wait_for_selector("#log")
        page.select_option("#model", "some-model"); page.click("#new-chat")
        page.fill("#text", "Hello"); page.wait_for_selector("#cost:text('up to')")
        assert "of 5 USD left" in page.inner_text("#cost")
        page.check("#use-temperature"); page.fill("#temperature", "0.3")
        say(page, "Hello")
        assert page.inner_text(".message.assistant code").startswith("def solve_task")
        asked = json.loads(urllib.request.urlopen(f"http://127.0.0.1:{endpoint}/log").read())
        assert len(asked) == 1 # each message goes to the model once
        v.context.close()
        assert not v.troubles

@pytest.mark.parametrize("fault", ["hang", "empty", "cut", "bad_json", "error_500", "no_choices", "bad_request", "reset"])
def test_whatever_the_endpoint_does_the_chat_goes_on(browser, tmp_path, fault):
    process = subprocess.Popen([sys.executable, str(FAULTS), "--faults", fault, "--share", "1"], stdout=subprocess.PIPE, text=True)
    port = int(re.search(r"\d+", process.stdout.readline())[0])
    try:
        with Serving(tmp_path / "data", "builtin", "--model", "m", "--base-url", f"http://127.0.0.1:{port}/v1") as serving:
            v = Visit(browser, serving)
            page = v.open("discuss.html?v=1"); page.wait_for_selector("#log")
            page.select_option("#model", "m")
            page.fill("#text", "Hello"); page.press("#text", "Enter")
            if fault == "hang":
                page.wait_for_selector("#stop:visible"); page.click("#stop")
            until(page, "document.querySelector('#stop').hidden && document.querySelector('.message.assistant[data-status]')", 30)
            status = page.get_attribute(".message.assistant", "data-status")
            assert status == ("stopped" if fault == "hang" else "error"), status
            assert page.is_visible("#retry") and page.is_enabled("#send")
            page.select_option("#model", "search"); page.click("#retry")
            until(page, "document.querySelector('.message.assistant')?.dataset.status === 'done'", 20)
            assert page.locator(".message.user").count() == 1
            v.context.close()
    finally: process.kill(); process.wait(); process.stdout.close()

def test_a_stop_that_overtakes_its_question(browser, tmp_path):
    process = subprocess.Popen([sys.executable, str(FAULTS), "--faults", "hang", "--share", "1"], stdout=subprocess.PIPE, text=True)
    port = int(re.search(r"\d+", process.stdout.readline())[0])
    try:
        with Serving(tmp_path / "data", "builtin", "--model", "m", "--base-url", f"http://127.0.0.1:{port}/v1") as serving:
            v, held = Visit(browser, serving), []
            page = v.open("discuss.html?v=1"); page.wait_for_selector("#log")
            page.route("**/send", lambda o: held.append(o)) # on its way
            page.select_option("#model", "m"); page.fill("#text", "Hello"); page.press("#text", "Enter")
            page.wait_for_selector("#stop:visible")
            with page.expect_response("**/stop") as answer: page.click("#stop")
            assert answer.value.json() == {"stopped": False}
            held[0].continue_()
            until(page, "document.querySelector('.message.assistant')?.dataset.status === 'stopped'", 20)
            assert page.is_enabled("#send") and page.is_visible("#retry")
            v.context.close()
    finally: process.kill(); process.wait(); process.stdout.close()

# Runs and data

def test_the_viewer_of_runs(browser, tmp_path):
    from chained_adv.arc.bench import BenchPlan, run_bench
    from chained_adv.arc.clients import make_client
    from chained_adv.arc.generate import run_attempts
    from chained_adv.arc.results.attempts import make_items
    async def make():
        for name in ("search", "random"):
            client = make_client(name)
            await run_bench(client, BenchPlan(TASKS[:4], best_of=2), tmp_path / "runs" / name)
            await client.close()
        client = make_client("search")
        await run_attempts(client, list(make_items(TASKS[:2], "code", 1)), tmp_path / "runs" / "generated")
        await client.close()
    with ThreadPoolExecutor(1) as pool: pool.submit(lambda: asyncio.run(make())).result() # Playwright has a loop here
    verify = [sys.executable, "-m", "chained_adv.cli", "arc", "verify", str(tmp_path / "runs" / "search"), "--dataset", "builtin",
              "--out", str(tmp_path / "runs" / "search" / "verdicts.jsonl")]
    done = subprocess.run(verify, capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    with Serving(tmp_path / "data", "builtin") as serving:
        v = Visit(browser, serving)
        page = v.open("runs.html"); page.wait_for_selector("table")
        assert page.locator("svg.chart circle").count() == 2
        page.check("[aria-label='Compare search']"); page.check("[aria-label='Compare random']"); page.click("#compare")
        page.wait_for_selector(".callout:text('only search')")
        page.click("[data-run=search] >> nth=0")
        page.wait_for_selector(".candidate.chosen canvas")
        assert "Verified:" in (told := page.inner_text("dialog")) and "2 passed" in told
        parts = page.locator(".side-by-side > [data-part-of]") # both runs' answers to the task, side by side
        assert parts.count() == 2 and parts.nth(0).locator(".candidate").count() == 2 and "right" in parts.nth(0).inner_text()
        assert parts.nth(1).bounding_box()["x"] > parts.nth(0).bounding_box()["x"] and "random" in parts.nth(1).inner_text()
        page.goto(serving.base + "runs.html?run=generated"); page.click("[data-key] >> nth=0")
        page.wait_for_selector(".candidate canvas") # nothing was chosen here, so nothing was rejected
        assert "✓ right" in page.inner_text("dialog") and "rejected" not in page.inner_text("dialog")
        v.context.close()
        assert not v.troubles

def test_import_says_what_is_wrong_and_export_brings_it_back(visit, tmp_path):
    page = visit().open("data.html"); page.wait_for_selector("#files")
    good = {"task_id": "new_one", "version": 0, **TASKS[3].to_json(), "signed_by": []}
    good.pop("name", None)
    bad = {**good, "task_id": "bad_one", "test": [{"input": [[1, 12]], "output": [[1]]}]}
    (tmp_path / "mine.json").write_text(json.dumps([good, bad]))
    page.set_input_files("#files", tmp_path / "mine.json")
    page.wait_for_selector(".refused li")
    told = page.inner_text(".refused")
    assert all(o in told for o in ("mine.json", "entry 1", "test[0].input", "row 0, column 1"))
    with page.expect_download() as kept: page.click("tr:has-text('mine') button")
    assert json.loads(Path(kept.value.path()).read_text()) == [good]
    for name in ("export-all", "export-traces", "export-lines"):
        with page.expect_download(): page.click(f"#{name}")
    page.click("#backup"); page.wait_for_selector("#backups li")

# All pages

PAGES = ("index.html", "solve.html?v=2", "discuss.html?v=2", "runs.html", "data.html")
READY = ".card, .editor-grid, #log, .empty, #files"

def axe_source():
    folder = pytest.importorskip("axe_playwright_python", reason="axe-playwright-python is not installed").__path__[0]
    return (Path(folder) / "axe.min.js").read_text(encoding="utf-8")

@pytest.mark.parametrize("path", PAGES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(visit, path, scheme):
    source = axe_source()
    page = visit(color_scheme=scheme).open(path)
    page.wait_for_selector(READY); page.wait_for_timeout(300)
    for o in page.query_selector_all("details:not([open]) > summary"): o.click()
    page.evaluate(source) # as the debugger does it, so the page's own policy stays as it is
    found = page.evaluate("axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })")
    bad = [(o["id"], o["impact"], [n["target"] for n in o["nodes"]][:4], o["nodes"][0]["failureSummary"]) for o in found["violations"] if o["impact"] in ("serious", "critical")]
    assert not bad, bad

@pytest.mark.parametrize("path", PAGES)
@pytest.mark.parametrize("width", [360, 640]) # 640 is a window of 1280 at 200 %
def test_narrow_windows_need_no_sideways_scrolling(visit, path, width):
    page = visit(viewport={"width": width, "height": 760}).open(path)
    page.wait_for_selector(READY, state="attached"); page.wait_for_timeout(200)
    assert page.evaluate("document.documentElement.scrollWidth") <= width

HOSTILE = "<img src=x onerror=\"window.hacked=1\"><script>window.hacked=1</script>[x](javascript:window.hacked=1)"

def test_markup_in_names_traces_tasks_and_replies_never_runs(browser, tmp_path):
    with Serving(tmp_path / "data", "builtin") as serving:
        secret = serving.join(HOSTILE[:60])
        task = {"task_id": HOSTILE, "version": 0, "name": HOSTILE, **{k: v for k, v in TASKS[0].to_json().items() if k != "name"}, "signed_by": [HOSTILE]}
        assert serving.ask("POST", "api/import?name=x.json", json.dumps([task]).encode(), secret)[1]["tasks"] == 1
        v = Visit(browser, serving)
        gallery = v.open(); gallery.wait_for_selector(".card")
        version = len(TASKS) + 1
        page = v.open(f"solve.html?v={version}"); page.wait_for_selector(".editor-grid")
        serving.ask("POST", "api/traces", {"task_id": HOSTILE, "text": f"# {HOSTILE}\n- {HOSTILE}\n> {HOSTILE}\n```\n{HOSTILE}\n```", "version": version}, secret)
        page.wait_for_selector(".trace")
        serving.ask("PUT", f"api/tasks/{version}/tags", {"tag": "<b onclick=x>", "on": True}, secret)
        chat = serving.ask("POST", f"api/versions/{version}/chats", secret=v.secret(page))[1]["id"]
        talk = v.open(f"discuss.html?v={version}"); talk.wait_for_selector("#log")
        talk.fill("#text", HOSTILE); talk.press("#text", "Enter"); talk.wait_for_selector(".message.assistant")
        talk.fill("#code", f"def solve_task(g):\n    raise ValueError('''{HOSTILE}''')"); talk.click("#run"); talk.wait_for_selector(".traceback")
        for o in (gallery, page, talk):
            o.wait_for_timeout(300)
            assert o.evaluate("window.hacked") is None
            assert not o.query_selector("img, main script, a[href^='javascript']")
        v.context.close()
        assert not v.troubles, v.troubles

def test_without_the_token_a_page_asks_for_it(visit):
    v = visit()
    page = v.context.new_page()
    page.goto(v.serving.base + "solve.html?v=3"); page.wait_for_selector("#token")
    page.fill("#token", f"{v.serving.base}?token={v.serving.token}"); page.keyboard.press("Enter")
    page.wait_for_selector(".editor-grid")
    assert v.serving.token not in page.url

def test_name_theme_and_colours(visit):
    page = visit().open("solve.html?v=2"); page.wait_for_selector(".editor-grid")
    page.click("#name"); page.fill("#new-name", "Kim"); page.click("dialog .primary"); until(page, "document.querySelector('#name').textContent === 'Kim'")
    page.click("#view"); page.select_option("[data-name=theme]", "dark"); assert page.get_attribute("html", "data-theme") == "dark"
    before = page.evaluate("getComputedStyle(document.documentElement).getPropertyValue('--c2')")
    page.select_option("[data-name=palette]", "apart")
    assert page.evaluate("getComputedStyle(document.documentElement).getPropertyValue('--c2')") != before
    page.select_option("[data-name=numbers]", "1"); page.keyboard.press("Escape")
    assert page.inner_text("#cell-0-0") == "0"
