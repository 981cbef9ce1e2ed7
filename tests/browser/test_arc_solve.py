"""The page to solve a task: every button, every key, tabs in step, nothing lost."""
import json, signal

import pytest
from visiting import Visit, until
from arc_serving import Serving
from chained_adv.arc.datasets import load_tasks

TASKS = load_tasks("builtin")

def version_of(task_id): return 1 + [t.id for t in TASKS].index(task_id)
def task_of(task_id): return TASKS[version_of(task_id) - 1]

def grid(page):
    return page.evaluate("""[...document.querySelectorAll('.editor-grid .cell')].reduce((rows, cell) => {
        (rows[cell.dataset.r] ??= [])[cell.dataset.c] = Number(cell.dataset.color); return rows; }, [])""")

def cell(page, r, c): return page.locator(f"#cell-{r}-{c}")
def saved(page): until(page, "document.querySelector('#saved').textContent.match(/Saved|another tab/)")
def resize(page, rows, columns):
    page.fill("#size", f"{rows}x{columns}")
    page.press("#size", "Enter")

@pytest.fixture
def page(visit):
    page = visit().open(f"solve.html?v={version_of('half_turn')}")
    page.wait_for_selector(".editor-grid")
    resize(page, 3, 4)
    return page

def act(page, name): page.click(f'[data-act="{name}"]')
def tool(page, name): page.click(f'[data-tool="{name}"]')
def color(page, n): page.click(f'.palette [data-color="{n}"]')

def drag(page, a, b):
    x, y = cell(page, *a).bounding_box(), cell(page, *b).bounding_box()
    page.mouse.move(x["x"] + x["width"] / 2, x["y"] + x["height"] / 2)
    page.mouse.down()
    page.mouse.move(y["x"] + y["width"] / 2, y["y"] + y["height"] / 2, steps=6)
    page.mouse.up()

def test_tools_with_the_mouse(page):
    color(page, 2)
    drag(page, (0, 0), (0, 3))
    assert grid(page) == [[2, 2, 2, 2], [0] * 4, [0] * 4]
    tool(page, "line"); color(page, 3)
    drag(page, (0, 0), (2, 2))
    assert [grid(page)[i][i] for i in range(3)] == [3, 3, 3]
    tool(page, "rect"); color(page, 4)
    drag(page, (0, 0), (2, 3))
    assert grid(page) == [[4] * 4, [4, 3, 0, 4], [4] * 4]
    tool(page, "box"); color(page, 5)
    drag(page, (1, 1), (2, 2))
    assert grid(page) == [[4] * 4, [4, 5, 5, 4], [4, 5, 5, 4]]
    tool(page, "fill"); color(page, 6)
    cell(page, 0, 0).click()
    assert grid(page) == [[6] * 4, [6, 5, 5, 6], [6, 5, 5, 6]]
    tool(page, "pick")
    cell(page, 1, 1).click()
    assert page.get_attribute('.palette [data-color="5"]', "aria-checked") == "true"
    assert page.get_attribute('[data-tool="pen"]', "aria-pressed") == "true"
    for _ in range(5): act(page, "undo")
    assert grid(page) == [[0] * 4] * 3
    for _ in range(5): act(page, "redo")
    assert grid(page) == [[6] * 4, [6, 5, 5, 6], [6, 5, 5, 6]]

def test_select_fill_copy_paste_move(page):
    color(page, 1); cell(page, 0, 0).click()
    tool(page, "select")
    drag(page, (0, 0), (1, 1))
    act(page, "copy")
    drag(page, (0, 0), (0, 2)) # moves the selection by two columns
    assert grid(page)[0] == [0, 0, 1, 0]
    page.keyboard.press("Escape")
    drag(page, (1, 0), (1, 0))
    act(page, "paste")
    assert grid(page) == [[0, 0, 1, 0], [1, 0, 0, 0], [0] * 4]
    color(page, 7) # fills what is selected
    assert grid(page)[1][:2] == [7, 7] and grid(page)[2][:2] == [7, 7]
    act(page, "clear")
    assert grid(page) == [[0, 0, 1, 0], [0] * 4, [0] * 4]
    drag(page, (0, 1), (1, 2))
    act(page, "cut")
    act(page, "undo")
    drag(page, (0, 1), (1, 2))
    act(page, "crop")
    assert grid(page) == [[0, 1], [0, 0]]

@pytest.mark.parametrize("name, key, wanted", [
    ("left", "[", [[2, 0], [1, 0]]), ("right", "]", [[0, 1], [0, 2]]), ("flip-h", "h", [[2, 1], [0, 0]]),
    ("flip-v", "j", [[0, 0], [1, 2]]), ("transpose", "t", [[1, 0], [2, 0]]),
    ("shift-left", "Control+ArrowLeft", [[2, 1], [0, 0]]), ("shift-right", "Control+ArrowRight", [[2, 1], [0, 0]]),
    ("shift-up", "Control+ArrowUp", [[0, 0], [1, 2]]), ("shift-down", "Control+ArrowDown", [[0, 0], [1, 2]])])
def test_the_whole_grid_by_button_and_by_key(page, name, key, wanted):
    resize(page, 2, 2)
    color(page, 1); cell(page, 0, 0).click()
    color(page, 2); cell(page, 0, 1).click()
    assert grid(page) == [[1, 2], [0, 0]]
    act(page, name)
    assert grid(page) == wanted
    act(page, "undo")
    page.locator(".editor-grid").focus()
    page.keyboard.press(key)
    assert grid(page) == wanted

def test_copy_from_input_reset_and_text(page):
    act(page, "copy-input")
    test = task_of("half_turn").test[0].input.to_lists()
    assert grid(page) == test
    act(page, "reset")
    assert grid(page) == [[0] * len(test[0])] * len(test)
    act(page, "text")
    page.fill("dialog textarea", "1 2\n3 4")
    page.click("dialog .primary")
    assert grid(page) == [[1, 2], [3, 4]]
    act(page, "text")
    page.fill("dialog textarea", "12\n3")
    page.click("dialog .primary")
    assert "equally many" in page.inner_text("#messages")

def test_a_bad_size_changes_nothing_and_the_page_goes_on(page):
    before = grid(page)
    for size in ("x", "0x3", "31x2", "3", "3x3x3", "-1x2"):
        page.fill("#size", size)
        page.press("#size", "Enter")
        assert grid(page) == before
    page.click("#next")
    page.wait_for_selector("#pairs canvas")

def test_every_key(page):
    page.locator(".editor-grid").focus()
    press = page.keyboard.press
    press("3"); press(" ")
    assert grid(page)[0][0] == 3
    press("ArrowRight"); press("ArrowDown"); press("Enter")
    assert grid(page)[1][1] == 3
    press("Shift+ArrowRight")
    assert grid(page)[1] == [0, 3, 3, 0]
    for key, name in (("l", "line"), ("r", "rect"), ("b", "box"), ("f", "fill"), ("s", "select"), ("e", "pick"), ("p", "pen")):
        press(key)
        assert page.get_attribute(f'[data-tool="{name}"]', "aria-pressed") == "true", name
    press("u"); press("Control+z"); press("Control+z")
    assert grid(page) == [[0] * 4] * 3
    press("Control+y"); press("Control+Shift+z")
    assert (grid(page)[0][0], grid(page)[1][1]) == (3, 3)
    press("l"); press("Home"); press("5"); press(" "); press("End"); press(" ") # a line from corner to corner
    assert grid(page)[1] == [5] * 4
    press("b"); press(" "); press("Escape"); press("s"); press("Home"); press("Shift+ArrowRight")
    assert page.locator(".cell.selected").count() == 2
    press("c"); press("Delete"); press("Control+v")
    assert grid(page)[1] == [5] * 4
    press("x"); assert grid(page)[1][:2] == [0, 0]
    press("v"); press("Control+a"); assert page.locator(".cell.selected").count() == 12
    press("Escape"); press("s"); press("Home"); press("Shift+ArrowRight"); press("k")
    assert grid(page) == [[5, 5]]
    press("i"); assert grid(page) == task_of("half_turn").test[0].input.to_lists()
    press("n"); assert page.inner_text("#cell-0-0") == str(grid(page)[0][0])
    press("n"); assert page.inner_text("#cell-0-0") == ""
    press("g"); assert page.evaluate("document.activeElement.id") == "size"
    press("Escape"); page.locator(".editor-grid").focus()
    press("?"); assert page.is_visible("dialog table")
    press("Escape"); assert not page.is_visible("dialog")
    press("PageDown"); page.wait_for_url(f"**v={version_of('half_turn') + 1}")
    page.wait_for_selector(".editor-grid"); page.keyboard.press("PageUp"); page.wait_for_url(f"**v={version_of('half_turn')}")

def test_single_keys_can_be_turned_off(page):
    page.click("#help")
    page.uncheck("dialog input[type=checkbox]")
    page.keyboard.press("Escape")
    page.locator(".editor-grid").focus()
    page.keyboard.press("3"); page.keyboard.press("l")
    assert page.get_attribute('[data-tool="pen"]', "aria-pressed") == "true"
    page.keyboard.press("?")
    page.check("dialog input[type=checkbox]")

def test_a_task_is_solved_by_keyboard_alone(visit):
    v = visit()
    page = v.open(f"solve.html?v={version_of('kaleidoscope')}")
    page.wait_for_selector(".editor-grid")
    answers = [p.output.to_lists() for p in task_of("kaleidoscope").test]
    for _ in range(60): # from the top of the page to the grid with Tab alone: no trap on the way
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.classList.contains('editor-grid')"): break
    assert page.evaluate("document.activeElement.getAttribute('role')") == "grid"
    for n, answer in enumerate(answers):
        page.keyboard.press("g")
        page.keyboard.type(f"{len(answer)}x{len(answer[0])}")
        page.keyboard.press("Enter")
        page.keyboard.press("Control+Home")
        for r, row in enumerate(answer):
            page.keyboard.press("Home")
            for value in row:
                page.keyboard.press(str(value)); page.keyboard.press(" "); page.keyboard.press("ArrowRight")
            page.keyboard.press("ArrowDown")
        assert grid(page) == answer
        page.keyboard.press("Control+Enter")
        page.wait_for_selector("#verdict .good")
        if n + 1 < len(answers): page.keyboard.press(".")
        page.wait_for_selector(f'[data-test="{min(n + 1, len(answers) - 1)}"][aria-selected="true"]')
    assert v.serving.ask("GET", "api/mine", secret=v.secret(page))[1]["solved"] == [version_of("kaleidoscope")]

def test_two_tries_then_the_difference(page):
    assert not page.query_selector("#difference")
    page.click("#submit")
    page.wait_for_selector("#verdict .bad")
    assert "1 try left" in page.inner_text("#verdict") and not page.query_selector("#difference")
    color(page, 1); cell(page, 0, 0).click()
    page.click("#submit")
    page.wait_for_selector("#difference")
    assert page.is_disabled("#submit") and "both tries" in page.inner_text("#verdict")

def test_the_answer_is_not_in_the_page_before_it_is_earned(visit):
    v = visit()
    page = v.open(f"solve.html?v={version_of('rings')}")
    page.wait_for_selector(".editor-grid")
    told = v.serving.ask("GET", f"api/versions/{version_of('rings')}", secret=v.secret(page))[1]
    assert [p["output"] for p in told["test"]] == [None, None] and all(p["known"] for p in told["test"])
    page.click("#reveal"); page.click("dialog .primary")
    page.wait_for_selector("#difference")
    saved(page)
    assert "reveal" in json.dumps(v.serving.ask("GET", f"api/versions/{version_of('rings')}/recording", secret=v.secret(page))[1])

def test_distance_hint_is_off_and_is_recorded_when_used(visit):
    v = visit()
    page = v.open(f"solve.html?v={version_of('dust')}")
    page.wait_for_selector(".editor-grid")
    assert not page.is_checked("#hint") and page.inner_text("#distance") == ""
    act(page, "copy-input")
    page.check("#hint")
    until(page, "document.querySelector('#distance').textContent.startsWith('Distance 0.')")
    first = page.inner_text("#distance")
    tool(page, "fill"); color(page, 9); cell(page, 0, 0).click() # the distance follows a fill, too
    until(page, f"document.querySelector('#distance').textContent !== {json.dumps(first)}")
    kinds = [o["kind"] for o in v.serving.ask("GET", f"api/versions/{version_of('dust')}/recording", secret=v.secret(page))[1]["events"]]
    assert kinds.count("hint") == 2

def test_several_test_inputs_are_tabs_with_their_own_undo(visit):
    page = visit().open(f"solve.html?v={version_of('kaleidoscope')}")
    page.wait_for_selector('[data-test="1"]')
    resize(page, 2, 2); color(page, 4); cell(page, 0, 0).click()
    page.click('[data-test="1"]')
    assert page.is_disabled('[data-act="undo"]')
    page.keyboard.press(",")
    assert grid(page)[0][0] == 4
    act(page, "undo")
    assert grid(page)[0][0] == 0

def test_a_reload_keeps_grids_and_undo(page):
    color(page, 8); cell(page, 2, 3).click()
    page.reload()
    page.wait_for_selector(".editor-grid")
    until(page, "document.querySelector('#cell-2-3')?.dataset.color === '8'")
    act(page, "undo")
    assert grid(page)[2][3] == 0

def test_two_tabs_are_in_step(visit):
    v = visit()
    one = v.open(f"solve.html?v={version_of('pond')}"); one.wait_for_selector(".editor-grid")
    two = v.open(f"solve.html?v={version_of('pond')}"); two.wait_for_selector(".editor-grid")
    color(one, 2); cell(one, 0, 0).click()
    until(two, "document.querySelector('#cell-0-0').dataset.color === '2'")
    color(two, 3); cell(two, 1, 1).click()
    until(one, "document.querySelector('#cell-1-1').dataset.color === '3'")
    assert grid(one) == grid(two)
    one.click("#write-trace"); one.fill(".trace-form textarea", "Seen in **both** tabs"); one.click(".trace-form .primary")
    two.wait_for_selector(".trace strong:text('both')")
    saved(one); saved(two)

def test_edits_of_two_tabs_at_once_are_put_together(visit):
    v = visit()
    one, two = (v.open(f"solve.html?v={version_of('kaleidoscope')}") for _ in range(2))
    for o in (one, two): o.wait_for_selector(".editor-grid"); o.wait_for_timeout(300)
    color(one, 2); color(two, 3)
    for apart in (0, 1): # within one save, and while the server cannot be reached
        v.context.set_offline(bool(apart))
        cell(one, 0, apart).click(); cell(two, 1, apart).click()
        two.keyboard.press("."); cell(two, 2, apart).click(); two.keyboard.press(",")
        one.wait_for_timeout(500)
        v.context.set_offline(False)
        for o in (one, two):
            until(o, f"[[0, 2], [1, 3]].every(([r, n]) => document.querySelector(`#cell-${{r}}-{apart}`).dataset.color === String(n))", 30)
            saved(o)
    assert grid(one) == grid(two)
    one.keyboard.press("."); assert grid(one)[2][:2] == [3, 3]; one.keyboard.press(",")
    act(one, "undo"); saved(one) # an undo still takes one edit away
    until(two, f"document.querySelectorAll('.cell[data-color=\"0\"]').length === {len(grid(one)) * len(grid(one)[0]) - 3}")
    v.troubles = [o for o in v.troubles if not any(t in o for t in ("DISCONNECTED", "409"))] # what is asked while offline fails; a refused save is put together

def test_news_of_another_tab_that_overtakes_the_answer_to_a_save_is_not_lost(visit):
    v, held = visit(), []
    one, two = (v.open(f"solve.html?v={version_of('kaleidoscope')}") for _ in range(2))
    for o in (one, two): o.wait_for_selector(".editor-grid"); o.wait_for_timeout(300)
    one.route("**/draft", lambda r: held.append((r, r.fetch())) if r.request.method == "PUT" else r.continue_())
    color(one, 2); cell(one, 0, 0).click()
    until(two, "document.querySelector('#cell-0-0').dataset.color === '2'") # the server has it; one has no answer yet
    color(two, 3); cell(two, 1, 0).click(); saved(two)
    one.wait_for_timeout(500)
    assert grid(one)[1][0] == 0 and len(held) == 1
    held[0][0].fulfill(response=held[0][1])
    until(one, "document.querySelector('#cell-1-0').dataset.color === '3'")
    saved(one)
    assert grid(one) == grid(two)

def test_a_kept_draft_goes_on_top_of_what_was_saved_elsewhere(visit):
    v = visit()
    number = version_of("stamp")
    page = v.open(f"solve.html?v={number}"); page.wait_for_selector(".editor-grid")
    color(page, 2); cell(page, 0, 0).click(); saved(page)
    v.context.set_offline(True)
    cell(page, 0, 1).click(); until(page, "document.querySelector('#saved').textContent.includes('kept in this browser')")
    page.close()
    v.context.set_offline(False)
    secret, where = v.secret(other := v.open("data.html")), f"api/versions/{number}/draft"
    other.close()
    found = v.serving.ask("GET", where, secret=secret)[1]
    found["state"]["pairs"][0]["grid"][1][1] = 5 # the same person on another machine
    assert v.serving.ask("PUT", where, {**found, "events": []}, secret)[0] == 200
    page = v.open(f"solve.html?v={number}"); page.wait_for_selector(".editor-grid")
    until(page, "document.querySelector('#cell-1-1').dataset.color === '5'"); saved(page)
    assert [grid(page)[0][:2], grid(page)[1][1]] == [[2, 2], 5]
    v.troubles = [o for o in v.troubles if "DISCONNECTED" not in o]

def test_no_try_counts_once_the_answers_were_shown(visit):
    v = visit()
    page = v.open(f"solve.html?v={version_of('rays')}"); page.wait_for_selector(".editor-grid")
    page.click("#reveal"); page.click("dialog .primary"); page.wait_for_selector("#difference")
    assert page.is_disabled("#submit") and "no further try counts" in page.inner_text("#verdict")
    body = {"pair": 0, "grid": task_of("rays").test[0].output.to_lists()}
    assert v.serving.ask("POST", f"api/versions/{version_of('rays')}/attempts", body, v.secret(page))[0] == 409
    assert v.serving.ask("GET", "api/mine", secret=v.secret(page))[1] == {"solved": [], "tried": []}

def test_the_largest_grid_has_square_cells_on_a_phone_and_a_finger_draws(visit):
    v = visit(viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True)
    page = v.open(f"solve.html?v={version_of('half_turn')}"); page.wait_for_selector(".editor-grid")
    resize(page, 30, 30)
    boxes = page.evaluate("[...document.querySelectorAll('.cell')].map((o) => o.getBoundingClientRect()).map((o) => [o.x, o.y, o.width, o.height])")
    (x, y, w, h), (right, *_), below = boxes[0], boxes[1], boxes[30]
    assert abs(w - h) < .1 and abs((right - x) - (below[1] - y)) < .1 and w >= 8
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    board, last = page.locator("#board").bounding_box(), cell(page, 29, 29).bounding_box()
    assert last["x"] + last["width"] <= board["x"] + board["width"] # a finger draws and does not scroll, so all of it must be there
    page.tap('.palette [data-color="4"]')
    cell(page, 2, 2).scroll_into_view_if_needed()
    a, b, top = cell(page, 2, 2).bounding_box(), cell(page, 2, 9).bounding_box(), page.evaluate("scrollY")
    touch = v.context.new_cdp_session(page)
    at = lambda k: [{"x": a["x"] + 4 + (b["x"] - a["x"]) * k / 8, "y": a["y"] + 4}]
    touch.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": at(0)})
    for k in range(1, 9): touch.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": at(k)})
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    until(page, "document.querySelectorAll('.cell[data-color=\"4\"]').length === 8")
    assert grid(page)[2][2:10] == [4] * 8 and page.evaluate("scrollY") == top
    saved(page)

@pytest.mark.parametrize("width", [1280, 1000, 640, 360])
def test_the_whole_board_is_in_view_from_the_start(visit, width):
    "What stands beside it is drawn later and takes room; the last column must not slide out"
    v = visit(viewport={"width": width, "height": 900})
    sizes = lambda t: {(p.input.height, p.input.width) == (p.output.height, p.output.width) for p in t.train}
    wide = sorted((t for t in TASKS if sizes(t) == {True}), key=lambda t: t.test[0].input.width)[-6:] # the first grid is as large as the input
    page = v.open()
    for task in wide:
        page.goto(f"{v.serving.base}solve.html?v={version_of(task.id)}"); page.wait_for_selector(".editor-grid")
        until(page, "document.querySelector('#board').scrollWidth <= document.querySelector('#board').clientWidth", 3)
        board, last = page.locator("#board").bounding_box(), page.locator(".cell >> nth=-1").bounding_box()
        assert last["x"] + last["width"] <= board["x"] + board["width"], task.id

def test_nothing_is_lost_when_the_server_stops_in_the_middle(browser, tmp_path):
    serving = Serving(tmp_path / "data", "builtin").start()
    v = Visit(browser, serving)
    page = v.open(f"solve.html?v={version_of('halo')}")
    page.wait_for_selector(".editor-grid")
    color(page, 2); cell(page, 0, 0).click(); saved(page)
    serving.stop(signal.SIGKILL)
    color(page, 3); cell(page, 0, 1).click()
    until(page, "document.querySelector('#saved').textContent.includes('kept in this browser')")
    assert page.is_visible("#online")
    again = Serving(tmp_path / "data", port=serving.port).start()
    assert again.token == serving.token
    cell(page, 0, 2).click()
    until(page, "document.querySelector('#saved').textContent === 'Saved'")
    until(page, "document.querySelector('#online').hidden")
    state = again.ask("GET", f"api/versions/{version_of('halo')}/draft", secret=v.secret(page))[1]["state"]
    assert state["pairs"][0]["grid"][0][:3] == [2, 3, 3]
    events = again.ask("GET", f"api/versions/{version_of('halo')}/recording", secret=v.secret(page))[1]["events"]
    assert [o["cells"] for o in events] == [[[0, 0, 2]], [[0, 1, 3]], [[0, 2, 3]]]
    v.context.close()
    again.stop()

def test_a_draft_that_could_not_be_sent_is_sent_from_another_page(browser, tmp_path):
    serving = Serving(tmp_path / "data", "builtin").start()
    v = Visit(browser, serving)
    page = v.open(f"solve.html?v={version_of('halo')}")
    page.wait_for_selector(".editor-grid")
    serving.stop(signal.SIGKILL)
    color(page, 3); cell(page, 0, 1).click()
    until(page, "document.querySelector('#saved').textContent.includes('kept in this browser')")
    page.close()
    again = Serving(tmp_path / "data", port=serving.port).start()
    other = v.open(f"solve.html?v={version_of('rays')}")
    other.wait_for_selector(".editor-grid")
    until(other, "!Object.keys(localStorage).some((o) => o.includes(':draft-'))")
    state = again.ask("GET", f"api/versions/{version_of('halo')}/draft", secret=v.secret(other))[1]["state"]
    assert state["pairs"][0]["grid"][0][1] == 3
    v.context.close()
    again.stop()

def test_replay_and_export_of_the_recording(page):
    color(page, 5); cell(page, 0, 0).click(); cell(page, 0, 1).click()
    saved(page)
    page.click("summary:text('Recording')")
    page.click("#replay")
    assert "of 3" in page.inner_text("dialog [role=status]") # the resize and two cells
    page.fill("dialog input[type=range]", "2")
    page.wait_for_selector("dialog canvas[aria-label*='5 5 0 0']")
    page.click("#play")
    page.keyboard.press("Escape")
    with page.expect_download() as kept: page.click("#save-recording")
    with open(kept.value.path(), encoding="utf-8") as f: data = json.load(f)
    assert [o["label"] for o in data["events"]] == ["resize", "paint", "paint"] and data["starts"]

def test_variation_preview_sign_and_remove(visit):
    v = visit()
    page = v.open(f"solve.html?v={version_of('bars')}")
    page.wait_for_selector(".editor-grid")
    page.click("summary:text('Variations')")
    before = page.get_attribute("#pairs canvas", "aria-label")
    for op in ("rotate_90", "rotate_180", "rotate_270", "flip_left_right", "flip_top_bottom", "transpose", "anti_transpose"):
        page.click(f'[data-op="{op}"]')
        page.wait_for_selector(f"#vary-note :text('{op}')")
        assert page.get_attribute("#pairs canvas", "aria-label") != before
        page.click("#start-over")
        until(page, "!document.querySelector('#vary-note').textContent")
    page.click('[data-op="rotate_90"]')
    page.select_option("#color-a", "1"); page.select_option("#color-b", "2"); page.click("#exchange")
    page.wait_for_selector("#vary-note :text('permute_colors:0213456789')")
    page.click("#shuffle"); page.wait_for_selector("#operations .chip >> nth=2")
    page.click("#operations .chip >> nth=2 >> button")
    until(page, "document.querySelectorAll('#operations .chip').length === 2")
    page.click("#swap") # would show an answer
    page.wait_for_selector("#messages .error")
    page.click("#sign"); page.click("dialog .primary")
    until(page, "document.querySelectorAll('#version option').length === 2")
    page.click("#version-next")
    until(page, "document.querySelector('#version')?.selectedOptions[0]?.textContent.includes('1: rotate_90, permute_colors')")
    page.click("summary:text('Variations')")
    assert v.serving.ask("GET", f"api/tasks/{version_of('bars')}", secret=v.secret(page))[1]["versions"][1]["operations"][0] == {"op": "rotate_90"}
    page.click("#remove-version"); page.click("dialog .primary")
    until(page, "document.querySelectorAll('#version option').length === 1")
    v.troubles = [o for o in v.troubles if "409" not in o] # the refused swap stands in the console

def test_other_tabs_hear_of_a_new_version_and_sign_works_twice(visit):
    ann, ben = visit(), visit()
    one = ann.open(f"solve.html?v={version_of('legend')}"); one.wait_for_selector(".editor-grid")
    two = ben.open(f"solve.html?v={version_of('legend')}"); two.wait_for_selector(".editor-grid")
    one.click("summary:text('Variations')")
    for n, op in enumerate(("transpose", "rotate_180"), 2):
        one.click(f'[data-op="{op}"]'); one.wait_for_selector("#sign:enabled"); one.click("#sign"); one.click("dialog .primary")
        until(two, f"document.querySelectorAll('#version option').length === {n}")

def test_traces_votes_edit_and_remove(visit):
    ann, ben = visit(), visit()
    one = ann.open(f"solve.html?v={version_of('stamp')}"); one.wait_for_selector(".editor-grid")
    one.click("#write-trace"); one.fill(".trace-form textarea", "# How\n- first `x`\n- then **y**"); one.click(".trace-form .primary")
    one.wait_for_selector(".trace li")
    two = ben.open(f"solve.html?v={version_of('stamp')}"); two.wait_for_selector(".trace")
    assert two.query_selector(".trace button:text('Edit')") is None
    for value, score in (("1", "1"), ("-1", "-1"), ("-1", "0"), ("1", "1"), ("1", "0")):
        two.click(f'.trace [data-vote="{value}"]')
        until(two, f"document.querySelector('.trace .score').textContent === '{score}'")
    one.click(".trace button:text('Edit')"); one.fill(".trace-form textarea", "Other words"); one.click(".trace-form .primary")
    two.wait_for_selector(".trace :text('Other words')")
    one.click(".trace button:text('Remove')"); one.click("dialog .primary")
    until(two, "!document.querySelector('.trace')")

def test_walking_tags_and_going_to_a_task(visit):
    page = visit().open(f"solve.html?v={version_of('rays')}")
    page.wait_for_selector(".editor-grid")
    page.click("#next"); page.wait_for_url(f"**v={version_of('rays') + 1}"); page.wait_for_selector(".editor-grid")
    page.click("#previous"); page.wait_for_url(f"**v={version_of('rays')}"); page.wait_for_selector(".editor-grid")
    page.click("#goto"); page.fill("#go-to", "dust"); page.keyboard.press("Enter"); page.wait_for_url(f"**v={version_of('dust')}")
    page.wait_for_selector(".editor-grid"); page.click("#goto"); page.fill("#go-to", "3"); page.keyboard.press("Enter")
    page.wait_for_url("**v=3"); page.wait_for_selector(".editor-grid")
    page.click("#goto"); page.fill("#go-to", "nothing"); page.keyboard.press("Enter")
    page.wait_for_selector("#messages .error"); page.keyboard.press("Escape")
    page.fill("#new-tag", "Mine"); page.keyboard.press("Enter"); page.wait_for_selector(".chip:text('mine')")
    page.click("[aria-label='Remove the tag mine']"); until(page, "!document.querySelector('.task-bar .chip')")
    page.click("#random"); page.wait_for_selector(".editor-grid")
