"""A real Jupyter server in a real browser: the menus of `explore`, the dashboard of a run, and the kernel's interrupt."""
import json, os, re, secrets, socket, subprocess, sys, time, urllib.request
from pathlib import Path

import pytest

for name in ("jupyterlab", "ipywidgets", "ipykernel"): pytest.importorskip(name, reason=f"{name} is not installed: pip install '.[browser]'")

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from chained_adv.checkpoints import CheckpointManager
from chained_adv.looking import append_episodes
from test_looking import row

ROOT = Path(__file__).resolve().parent.parent.parent
HOSTILE = "<img src=x onerror=alert(1)></script><script>alert(2)</script>"
TRAIN = """from chained_adv import AdversarialTrainer, ModelConfig, TrainingConfig, tiny_problems
config = TrainingConfig(out='run', model=ModelConfig(device='cpu', chain_stages=(1, 5)), stages=(5,), first_discriminator_steps=0, n_discriminator_steps=2,
                        n_generator_steps={steps}, k_alternating_steps=1, problems_per_step=4, n_samples=3, n_lists=2, eval_samples=2, n_mutants=0)
with AdversarialTrainer(config, tiny_problems('train', 30)) as trainer: summary = trainer.train_full_pipeline(overwrite=True)
summary"""
EXPLORE = "from chained_adv.looking import explore\nexplore('kept')"
SHOW = """from chained_adv import Players, Sandbox, play, tiny_problems
players, problem = Players(config.model), tiny_problems('held_out', 1)[0]
with Sandbox() as sandbox: match = play(players, [problem], sandbox, n_samples=2, seed=1).matches[0]
display(problem, match, match.chains[0], match.chains[0].lists[0], match.chains[0].result, players, summary)"""

SIZES = dict(desktop=((1280, 900), "light"), phone=((390, 800), "dark"))

def cell(text): return dict(cell_type="code", id=secrets.token_hex(4), metadata={}, execution_count=None, outputs=[], source=text)

@pytest.fixture(scope="module")
def jupyter(tmp_path_factory):
    "A server with two notebooks, without news and look-ups of extensions"
    folder = tmp_path_factory.mktemp("jupyter")
    kernel = dict(kernelspec=dict(name="python3", display_name="Python 3 (ipykernel)", language="python"), language_info=dict(name="python"))
    for name, texts in dict(look=[EXPLORE], train=[TRAIN.format(steps=400), TRAIN.format(steps=2), SHOW]).items():
        for size in SIZES: (folder / f"{name}_{size}.ipynb").write_text(json.dumps(dict(cells=[cell(o) for o in texts], metadata=kernel, nbformat=4, nbformat_minor=5)))
    for o in (row(0, solved=False, code="def double(x): return x + 2"), row(0, "hostile", code=HOSTILE), row(8), row(8, "hostile", code=HOSTILE)):
        append_episodes(folder / "kept", [o])
    settings = folder / "settings/@jupyterlab/apputils-extension"
    settings.mkdir(parents=True)
    (settings / "notification.jupyterlab-settings").write_text('{"fetchNews": "false", "checkForUpdates": false}')
    (settings / "themes.jupyterlab-settings").write_text('{"adaptive-theme": true}')
    with socket.socket() as s: s.bind(("127.0.0.1", 0)); port = s.getsockname()[1]
    token = secrets.token_hex(8)
    for name in ("data", "config", "run_time", "ipython"): (folder / name).mkdir()
    env = os.environ | dict(JUPYTERLAB_SETTINGS_DIR=str(folder / "settings"), JUPYTERLAB_WORKSPACES_DIR=str(folder / "workspaces"), JUPYTER_DATA_DIR=str(folder / "data"),
                            JUPYTER_CONFIG_DIR=str(folder / "config"), JUPYTER_RUNTIME_DIR=str(folder / "run_time"), IPYTHONDIR=str(folder / "ipython"),
                            PYTHONPATH=str(ROOT), OMP_NUM_THREADS="1", PYDEVD_DISABLE_FILE_VALIDATION="1")
    log = open(folder / "server.log", "w")
    server = subprocess.Popen([sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", f"--ServerApp.port={port}", "--ServerApp.ip=127.0.0.1",
                               f"--IdentityProvider.token={token}", f"--ServerApp.root_dir={folder}", "--LabApp.extension_manager=readonly"],
                              env=env, stdout=log, stderr=subprocess.STDOUT, cwd=folder)
    base = f"http://127.0.0.1:{port}/"
    try:
        for _ in range(300):
            try: urllib.request.urlopen(f"{base}api?token={token}", timeout=2); break
            except OSError: time.sleep(.2)
            assert server.poll() is None, (folder / "server.log").read_text()[-2000:]
        yield lambda name: f"{base}doc/tree/{name}.ipynb?token={token}", base, folder
    finally:
        server.terminate()
        try: server.wait(15)
        except subprocess.TimeoutExpired: server.kill()

@pytest.fixture(params=SIZES)
def notebook(browser, jupyter, request):
    "Open a notebook; fails in the end if something went wrong on the page"
    (width, height), scheme = SIZES[request.param]
    address, base, folder = jupyter
    context, troubles = browser.new_context(viewport=dict(width=width, height=height), color_scheme=scheme), []
    context.set_default_timeout(60_000)
    def only_ours(route):
        if not route.request.url.startswith((base, "data:", "blob:")): troubles.append(route.request.url); return route.abort()
        route.continue_()
    context.route("**/*", only_ours)
    def start(name):
        page = context.new_page()
        page.on("pageerror", lambda e: troubles.append(str(e)))
        page.on("console", lambda m: troubles.append(m.text) if m.type == "error" else None)
        page.on("dialog", lambda d: (troubles.append(d.message), d.dismiss()))
        accept = page.locator(".jp-Dialog .jp-mod-accept")
        page.add_locator_handler(accept, lambda: accept.click()) # "Select Kernel": the one that is offered
        page.goto(address(f"{name}_{request.param}"))
        page.wait_for_selector(".jp-Notebook .jp-CodeCell")
        page.wait_for_selector("[data-status='idle'], .jp-Notebook-ExecutionIndicator[data-status='idle']", state="attached")
        return page
    start.request, start.folder = request, folder
    yield start
    context.close()
    assert not troubles, troubles

def run_cell(page, n):
    "Run a cell, and stay in it"
    prompt = page.locator(".jp-CodeCell .jp-InputPrompt").nth(n)
    for _ in range(10): # a kernel that still starts doesn't hear
        page.locator(".jp-CodeCell .cm-content").nth(n).click()
        page.keyboard.press("Control+Enter")
        for _ in range(30):
            if prompt.inner_text().strip() != "[ ]:": return
            page.wait_for_timeout(100)
    raise AssertionError("the cell doesn't run")

def picture(page, notebook, name):
    "Keep a screenshot where CHAINED_ADV_PICTURES names a folder"
    if folder := os.environ.get("CHAINED_ADV_PICTURES"): page.screenshot(path=f"{folder}/{name}_{notebook.request.param}.png")

def test_menus_of_explore(notebook):
    page = notebook("look")
    run_cell(page, 0)
    output = page.locator(".jp-OutputArea").first
    output.locator("select").nth(3).wait_for()
    page.wait_for_function("document.querySelector('.jp-OutputArea').innerText.includes('return x + 2')")
    assert "return 2 * x" in output.inner_text() and "got 5, expected 6" in output.inner_text()
    picture(page, notebook, "explore")
    output.locator("select").nth(1).select_option("hostile")
    page.wait_for_function("document.querySelector('.jp-OutputArea').innerText.includes('onerror=alert(1)')")
    assert "return x + 2" not in output.inner_text()
    output.locator("select").nth(0).select_option(index=1)
    output.locator("select").nth(1).select_option("double")
    page.wait_for_function("!document.querySelector('.jp-OutputArea').innerText.includes('onerror')")
    assert "return 2 * x" not in output.inner_text() # one moment only
    assert output.locator("select").nth(3).input_value() == "nothing" # and not a menu without a choice
    output.locator("select").nth(3).select_option(index=2)
    page.wait_for_function("document.querySelector('.jp-OutputArea').innerText.includes('return 2 * x')")

def test_dashboard_and_interrupt(notebook):
    page = notebook("train")
    run_cell(page, 0)
    page.wait_for_function("/generator, step \\d/.test(document.querySelector('.jp-OutputArea').innerText)", timeout=180_000)
    output = page.locator(".jp-OutputArea").first
    step = lambda: int(re.search(r"step (\d+)", output.inner_text())[1])
    seen = step()
    page.wait_for_function(f"Number(/step (\\d+)/.exec(document.querySelector('.jp-OutputArea').innerText)[1]) > {seen}", timeout=60_000) # it updates
    assert output.locator("svg").count() >= 1 and output.locator("progress").count() == 3 and "before" in output.inner_text()
    picture(page, notebook, "dashboard")
    page.locator(".jp-CodeCell .cm-content").first.click()
    page.keyboard.press("Escape")
    page.keyboard.press("i"); page.keyboard.press("i") # the kernel's interrupt
    page.wait_for_function("document.querySelector('.jp-OutputArea').innerText.includes('KeyboardInterrupt: stopped after step')", timeout=60_000)
    assert "Go on with train_full_pipeline(resume=True)." in output.inner_text()
    stopped = step()
    assert len((notebook.folder / "run/metrics.jsonl").read_text().splitlines()) == stopped
    assert CheckpointManager(notebook.folder / "run/checkpoints").load_checkpoint("unfinished").state["step"] == stopped
    picture(page, notebook, "stopped")
    for n in (1, 2): run_cell(page, n)
    done = lambda n: f"/\\[\\d+\\]/.test(document.querySelectorAll('.jp-CodeCell .jp-InputPrompt')[{n}].innerText)"
    page.wait_for_function(done(2), timeout=240_000)
    page.wait_for_function("document.querySelectorAll('.jp-CodeCell')[2].innerText.includes('before')") # the summary, the last of seven
    texts = page.locator(".jp-CodeCell").nth(2).inner_text()
    assert "prompt_ids" not in texts and "\x1b" not in texts and "Problem(" not in texts and "before" in texts
    for k in range(0, 7, 2):
        page.locator(".jp-CodeCell").nth(2).locator(".jp-OutputArea-child").nth(k).evaluate("o => o.scrollIntoView()")
        picture(page, notebook, f"records_{k}")
    assert page.locator(".jp-CodeCell").nth(2).locator(".jp-OutputArea-output").evaluate_all("o => o.every(e => e.scrollWidth <= e.clientWidth + 1)")
