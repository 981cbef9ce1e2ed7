"""Chats that are stopped, refused, left, removed or open twice: nothing that was written is lost, and each stays usable."""
import re, subprocess, sys

import pytest
from visiting import Visit, until
from arc_serving import ROOT, Serving

DONE = "document.querySelector('#stop').hidden && document.querySelector('.message.assistant:last-of-type')?.dataset.status === 'done'"

@pytest.fixture(scope="module")
def silent():
    "Port of an endpoint that never answers"
    command = [sys.executable, str(ROOT / "tests" / "arc_fault_server.py"), "--faults", "hang", "--share", "1"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    yield int(re.search(r"\d+", process.stdout.readline())[0])
    process.kill(); process.wait(); process.stdout.close()

@pytest.fixture
def served(tmp_path, silent):
    prices = ("--price-prompt", 1, "--price-completion", 2, "--user-budget", .05) # enough for one message
    with Serving(tmp_path / "data", "builtin", "--model", "m", "--base-url", f"http://127.0.0.1:{silent}/v1", *prices) as serving: yield serving

@pytest.fixture
def discuss(browser, served):
    visit = Visit(browser, served)
    page = visit.open("discuss.html?v=1"); page.wait_for_selector("#log")
    yield visit, page
    visit.context.close()
    troubles = [o for o in visit.troubles if "402" not in o] # what a budget refuses stands in the console
    assert not troubles, troubles

def say(page, model, text):
    page.select_option("#model", model); page.fill("#text", text); page.press("#text", "Enter")

def roles(visit, page, number):
    told = visit.serving.ask("GET", f"api/chats/{number}", secret=visit.secret(page))[1]
    return [o["role"] for o in told["messages"]]

def test_the_worst_cost_stands_there_before_the_first_message(discuss):
    _, page = discuss
    page.select_option("#model", "m")
    page.wait_for_selector("#cost:text('up to')")
    before = page.inner_text("#cost")
    page.fill("#text", "Hello " * 500)
    until(page, f"document.querySelector('#cost').textContent.includes('up to') && document.querySelector('#cost').textContent !== {before!r}")
    assert page.locator("#chats option").count() == 0

def test_another_chat_is_usable_while_an_answer_comes(discuss):
    _, page = discuss
    say(page, "m", "Hello"); page.wait_for_selector("#stop:visible")
    first = page.input_value("#chats")
    page.click("#new-chat"); page.wait_for_selector("#log .empty")
    assert not page.is_visible("#stop") and page.is_enabled("#send")
    say(page, "search", "What is the rule?"); until(page, DONE, 30)
    page.select_option("#chats", first); page.wait_for_selector("#stop:visible")
    assert "Hello" in page.inner_text("#log") and page.locator(".message").count() == 2
    page.click("#stop"); page.wait_for_selector(".message.assistant[data-status=stopped]")
    assert page.is_enabled("#send") and page.is_visible("#retry")

def test_a_chat_can_be_removed_while_an_answer_comes(discuss):
    visit, page = discuss
    say(page, "m", "Hello"); page.wait_for_selector("#stop:visible")
    page.click("#forget"); page.click("dialog .primary"); page.wait_for_selector("#log .empty")
    assert page.is_enabled("#send") and not page.is_visible("#stop") and page.locator("#chats option").count() == 0
    say(page, "search", "What is the rule?"); until(page, DONE, 30)
    assert page.locator("#messages .error").count() == 0

def test_what_is_refused_loses_neither_the_message_nor_the_old_answer(discuss):
    visit, page = discuss
    say(page, "search", "What is the rule?"); until(page, DONE, 30)
    number, answer = page.input_value("#chats"), page.inner_text(".message.assistant")
    say(page, "m", long := "because " * 6000) # more than the budget may pay
    page.wait_for_selector("#messages .error:text('choose a cheaper model')")
    until(page, "document.querySelector('#text').value !== ''") # the error stands there a moment earlier
    assert page.input_value("#text") == long.strip() and page.locator(".message").count() == 2
    page.fill("#text", "")
    say(page, "m", "Hello"); page.wait_for_selector("#stop:visible"); page.click("#stop") # now the budget is used up
    page.wait_for_selector(".message.assistant[data-status=stopped]")
    page.click("#new-chat"); page.wait_for_selector("#log .empty")
    page.select_option("#chats", number); page.wait_for_selector(".message.assistant[data-status=stopped]")
    page.click("#retry"); page.wait_for_selector("#messages .error")
    assert roles(visit, page, number) == ["user", "assistant"] * 2
    assert answer in page.inner_text("#log")

def test_another_answer_of_a_program_is_another_one(discuss):
    visit, page = discuss
    say(page, "random", "Guess"); until(page, DONE, 30)
    seen = set()
    for _ in range(8):
        seen.add(page.inner_text(".message.assistant pre"))
        page.click("#again"); page.wait_for_timeout(100); until(page, DONE, 30)
    assert len(seen) > 1 and page.locator(".message").count() == 2

def test_two_tabs_show_the_same_chats(discuss):
    visit, one = discuss
    two = visit.open("discuss.html?v=1"); two.wait_for_selector("#log")
    say(one, "search", "What is the rule?"); until(one, DONE, 30)
    two.wait_for_selector(".message.assistant[data-status=done]")
    assert two.inner_text("#log") == one.inner_text("#log")
    say(two, "m", "Hello"); one.wait_for_selector("#stop:visible") # an answer under way, too
    one.click("#stop"); two.wait_for_selector(".message.assistant[data-status=stopped]")
    assert two.is_enabled("#send")
    two.click("#forget"); two.click("dialog .primary"); one.wait_for_selector("#log .empty")
    assert one.locator("#chats option").count() == 0
    visit.troubles[:] = [o for o in visit.troubles if "404" not in o] # it may be asked for just as it is forgotten

def test_a_training_line_is_kept_once_and_tells_no_answer(served):
    ann = served.join()
    right = "def solve_task(g):\n    return [r[::-1] for r in g[::-1]]\n"
    keep = lambda code: served.ask("POST", "api/versions/1/line", {"code": code, "reasoning": "Turned."}, ann)
    assert keep(right) == (200, {"lines": 1})
    status, told = keep("# the same again\n" + right)
    assert status == 409 and "kept already" in told["error"]
    status, told = keep("def solve_task(g):\n    return g[::-1] if len(g) > 4 else [r[::-1] for r in g[::-1]]\n")
    assert status == 409 and told["error"] == "not saved: the program fails (a test input)"
    assert len(served.ask("GET", "api/lines.jsonl", secret=ann)[1]["messages"]) == 3 # one line alone is JSON

def test_a_model_in_this_process_answers(browser, tmp_path):
    pytest.importorskip("transformers", reason="transformers is not installed")
    pytest.importorskip("fastapi", reason="the small model's builder stands beside the test of its server")
    from test_arc_endpoint import make_model
    name = f"transformers:{make_model(tmp_path / 'model')}"
    with Serving(tmp_path / "data", "builtin", "--model", name, "--answer-tokens", 24) as serving:
        visit = Visit(browser, serving)
        page = visit.open("discuss.html?v=1"); page.wait_for_selector("#log")
        say(page, name, "What is the rule?") # random weights: words without sense, or none
        until(page, "document.querySelector('#stop').hidden && !!document.querySelector('.message.assistant[data-status]:not([data-status=\"\"])')", 90)
        status, told = page.get_attribute(".message.assistant", "data-status"), page.inner_text(".message.assistant")
        assert status == "done" or "length" in told, told
        assert page.is_enabled("#send")
        page.wait_for_selector("#cost:text('free')")
        visit.context.close()
        assert not visit.troubles, visit.troubles
