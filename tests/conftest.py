"""Settings of all suites: a slow machine must not fail a property, and long files go first.

`--dist loadfile` gives each file to one process. We start with the files that take longest, so that at the end no process is left
alone with one of them.
"""
from hypothesis import HealthCheck, settings

settings.register_profile("chained_adv", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("chained_adv")

collect_ignore = ["collections"] # problems' own tests, which the judge runs

LONGEST = ("test_training", "test_recipe", "test_collections", "test_judge_attacks", "test_judge_weakened", "test_oracle", "test_attacks", "test_ranks", "test_arc_buttons",
           "test_evaluation", "test_converters", "test_arc_roundtrip", "test_kill", "test_memory", "test_opponents", "test_engines", "test_serve", "test_cli")


def pytest_configure(config):
    config.option.loadscopereorder = False # of xdist: it would begin with the files that have most tests


def pytest_collection_modifyitems(items):
    rank = {name: i for i, name in enumerate(LONGEST)}
    items.sort(key=lambda item: rank.get(item.path.stem, len(rank))) # stable: the order within a file stays
