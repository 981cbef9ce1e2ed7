"""The editor in a page of another origin, as a notebook shows it: what is drawn there comes back to Python."""
import http.server, threading

import pytest

pytest.importorskip("uvicorn", reason="the server's extra is not installed: pip install '.[web]'")
from chained_adv import arc
from chained_adv.arc.datasets import load_tasks

@pytest.fixture
def notebook():
    "A page under another name of this machine; `show(html)` says where it is"
    class Page(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200); self.send_header("content-type", "text/html"); self.end_headers()
            self.wfile.write(Page.html.encode())
        def log_message(self, *_): pass
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    def show(html):
        Page.html = f"<!doctype html><title>Notebook</title>{html}"
        return f"http://localhost:{server.server_address[1]}/"
    yield show
    server.shutdown(); server.server_close()

def test_what_is_drawn_in_a_notebook_is_in_python(browser, notebook, tmp_path):
    task = next(t for t in load_tasks("builtin") if t.id == "kaleidoscope")
    editor = arc.edit(task, data=tmp_path / "data")
    page = browser.new_page()
    try:
        page.goto(notebook(editor._repr_html_()))
        frame = page.frame_locator("iframe")
        frame.locator(".editor-grid").wait_for()
        assert editor.grids == [] and not editor.solved
        for n, pair in enumerate(task.test):
            frame.locator(f'[data-test="{n}"]').click()
            frame.locator('[data-act="text"]').click()
            frame.locator("dialog textarea").fill("\n".join("".join(map(str, row)) for row in pair.output.to_lists()))
            frame.locator("dialog .primary").click()
        frame.locator("#saved:text('Saved')").wait_for()
        for _ in range(50):
            if editor.solved: break
            page.wait_for_timeout(100)
        assert editor.solved and editor.grids == [p.output for p in task.test]
        assert not frame.locator("header.top").is_visible() # in a notebook the editor stands alone
    finally:
        page.close()
        editor.serving.stop()

def test_a_folder_that_a_server_uses_is_told(serving):
    with pytest.raises(Exception, match="another server uses .* in a notebook data="): arc.edit(load_tasks("builtin")[0], data=serving.folder)

def test_show_displays_a_task():
    shell = pytest.importorskip("execnb.shell", reason="execnb is not installed").CaptureShell()
    [shown] = shell.run("from chained_adv import arc\nfrom chained_adv.arc.datasets import load_tasks\narc.show(load_tasks('builtin')[0])")
    assert "text/html" in shown["data"] or "image/svg+xml" in shown["data"]
