"""The workbench behind Jupyter's own server proxy, in both of its ways: paths cut off, and passed whole."""
import subprocess, sys, time, urllib.request

import pytest

from arc_serving import Serving, free_port
from visiting import Visit, until

JUPYTER = [sys.executable, "-m", "jupyter", "server", "--no-browser", "--allow-root", "--IdentityProvider.token=abc"]

@pytest.fixture(scope="module")
def jupyter(tmp_path_factory):
    pytest.importorskip("jupyter_server_proxy", reason="jupyter-server-proxy is not installed: pip install '.[browser]'")
    folder, port = tmp_path_factory.mktemp("jupyter"), free_port()
    process = subprocess.Popen([*JUPYTER, f"--port={port}", f"--ServerApp.root_dir={folder}"], stderr=subprocess.DEVNULL, cwd=folder)
    base = f"http://127.0.0.1:{port}/"
    for _ in range(300):
        try: urllib.request.urlopen(f"{base}api?token=abc", timeout=5).close(); break
        except OSError: time.sleep(.2)
    yield base
    process.terminate(); process.wait(20)

@pytest.mark.parametrize("way", ["proxy", "proxy/absolute"])
def test_two_tabs_are_in_step_behind_jupyter(browser, jupyter, tmp_path, way):
    port = free_port()
    options = ["--base-path", f"/{way}/{port}"] if "absolute" in way else []
    with Serving(tmp_path / "data", "builtin", *options, port=port) as serving:
        visit = Visit(browser, serving)
        visit.serving.base = jupyter # what a page may ask for
        first = visit.context.new_page()
        first.goto(f"{jupyter}api/status?token=abc") # signs the browser in
        first.close()
        visit.serving.base = f"{jupyter}{way}/{port}/"
        one, two = visit.open("solve.html?v=4"), visit.open("solve.html?v=4")
        for page in (one, two): page.wait_for_selector(".editor-grid")
        one.wait_for_timeout(500)
        one.click('.palette [data-color="2"]')
        one.click("#cell-0-0")
        until(two, "document.querySelector('#cell-0-0').dataset.color === '2'")
        talk = visit.open("discuss.html?v=1")
        talk.fill("#text", "What is the rule?")
        talk.press("#text", "Enter")
        until(talk, "document.querySelector('#stop').hidden && !!document.querySelector('.message.assistant')", 30)
        visit.context.close()
        assert not visit.troubles, visit.troubles
