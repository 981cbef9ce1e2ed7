"""Pictures of each page of the ARC server for its docs: wide and narrow, light and dark, of real work on the tasks that ship.

    python tests/browser/pictures.py nbs/arc/images         needs Chromium and the extra `browser`
"""
import asyncio, shutil, sys, tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parent.parent)]
from arc_serving import Serving
from conftest import CHROMIUM
from visiting import Visit, until
from chained_adv.arc.bench import BenchPlan, run_bench
from chained_adv.arc.clients import make_client
from chained_adv.arc.datasets import load_tasks

TASKS = load_tasks("builtin")
SIZES = {1280: (1280, 800), 360: (360, 740)}
PAGES = ("gallery", "solve", "discuss", "runs", "data")

def number(name): return 1 + next(i for i, o in enumerate(TASKS) if name in o.key)

async def benchmark(folder):
    "Two runs to look at: the search and the random baseline"
    for name in ("search", "random"):
        client = make_client(name)
        await run_bench(client, BenchPlan(TASKS[:12], best_of=2), folder / name)
        await client.close()

def work(visit):
    "Some work of one person: a drawing, a trace, a solved task, a chat with the search"
    page = visit.open(f"solve.html?v={number('halo')}")
    page.wait_for_selector(".editor-grid")
    page.click("[title*='Copy from input'], button:has-text('Copy from input')")
    page.click("#write-trace")
    page.fill(".trace-form textarea", "Each **cell** gets a ring:\n\n- find the coloured cells\n- paint their neighbours")
    page.click(".trace-form .primary")
    page.wait_for_selector(".trace li")
    page.close()
    page = visit.open(f"discuss.html?v={number('half_turn')}")
    page.wait_for_selector("#log")
    page.fill("#text", "What is the rule?")
    page.press("#text", "Enter")
    until(page, "document.querySelector('#stop').hidden && document.querySelectorAll('.message.assistant').length > 0", 30)
    page.click(".run-code")
    page.wait_for_selector("#run-status :text('of 3 pairs')")
    page.close()

def open_page(visit, name):
    "One page, ready to be looked at"
    at = {"gallery": "index.html", "solve": f"solve.html?v={number('halo')}", "runs": "runs.html", "data": "data.html",
          "discuss": f"discuss.html?v={number('half_turn')}"}[name]
    page = visit.open(at)
    page.wait_for_selector(".card canvas, .editor-grid, .message.assistant, table, #files", state="attached")
    page.wait_for_timeout(600)
    return page

def small(path):
    "A palette of 160 colours is enough for these pages and takes a third of the room"
    Image.open(path).convert("RGB").quantize(160, dither=Image.Dither.NONE).save(path, optimize=True)

def main(folder):
    top = Path(tempfile.gettempdir(), "workbench") # a name that may stand in a picture
    shutil.rmtree(top, ignore_errors=True)
    (top / "runs").mkdir(parents=True)
    asyncio.run(benchmark(top / "runs"))
    with sync_playwright() as p:
        browser = p.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        with Serving(top / "data", "builtin") as serving:
            visit = Visit(browser, serving)
            work(visit)
            state = visit.context.storage_state()
            for width, (w, h) in SIZES.items():
                for scheme in ("light", "dark"):
                    one = Visit(browser, serving, viewport={"width": w, "height": h}, color_scheme=scheme, storage_state=state)
                    for name in PAGES:
                        path = Path(folder) / f"workbench-{name}-{width}-{scheme}.png"
                        open_page(one, name).screenshot(path=path)
                        small(path)
                    one.context.close()
        browser.close()
    shutil.rmtree(top)

if __name__ == "__main__": main(sys.argv[1])
