"""Real pytest on a module in memory"""
import logging, os, pathlib, sys
import _pytest.logging, pytest

_ARGUMENTS = ["-c", "/dev/null", "--rootdir=/", "--assert=plain", "--capture=sys", "-q", "--color=no",
              *(o for name in ("cacheprovider", "faulthandler", "stepwise", "junitxml", "pastebin") for o in ("-p", f"no:{name}"))]

class _Nowhere(logging.NullHandler):
    def __init__(self, *_, **__): super().__init__()
_pytest.logging._FileHandler = _Nowhere # no file may be opened for writing here

class InMemory(pytest.Module):
    "A module of tests that lies in memory"
    def _getobj(self): return self.held

class Collected:
    "Hands pytest the module, and tells the tester of each test: all cases of a function are one test"
    number: int | None = None
    def __init__(self, module, wanted: dict, tester): self.module, self.wanted, self.tester, self.found = module, wanted, tester, []

    def pytest_collection(self, session):
        node = InMemory.from_parent(session, path=pathlib.Path("/tests.py"))
        node.held = self.module
        items = list(session.genitems(node))
        for item in items: item.number = self.wanted.get(name_of(item))
        session.items = sorted([o for o in items if o.number is not None], key=lambda o: o.number)
        session.testscollected = len(session.items)
        return True

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item, nextitem):
        if item.number == self.number: return
        self.close()
        self.number = item.number
        self.tester.begin(item.number)

    def pytest_runtest_logreport(self, report):
        if report.outcome == "failed":
            crash = getattr(report.longrepr, "reprcrash", None)
            self.found.append((1 if report.when == "call" else 2, str(crash.message if crash else report.longrepr)[:300]))
        elif report.outcome == "skipped" and not hasattr(report, "wasxfail"): self.found.append((3, "it is skipped"))
        elif report.when == "call": self.found.append((0, ""))

    def close(self):
        "Tell what a test came to: it fails if one of its cases does"
        if self.number is not None:
            self.tester.report(self.number, *next((o for code in (1, 2, 0, 3) for o in self.found if o[0] == code), (3, "it did not run")))
        self.number, self.found = None, []

def name_of(item) -> str:
    "Class and function of an item of pytest"
    return "::".join([o.name for o in item.listchain() if isinstance(o, pytest.Class)] + [getattr(item, "originalname", None) or item.name])

def run_session(module, wanted: dict, tester):
    "Run the wanted tests of a module"
    plugin = Collected(module, wanted, tester)
    os.chdir = lambda path: None # refused here, and pytest does it at its end
    sys.modules[module.__name__] = module
    code = pytest.main(_ARGUMENTS, plugins=[plugin])
    plugin.close()
    if code not in (0, 1, 5): raise RuntimeError(getattr(sys.stdout, "getvalue", str)()[-300:])
