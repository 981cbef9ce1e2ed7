"""Everything about the package is in settings.ini; this file only hands it to setuptools."""
from configparser import ConfigParser
from pathlib import Path
import re
from setuptools import setup, find_packages

cfg = ConfigParser(delimiters=["="], interpolation=None)
cfg.read("settings.ini", encoding="utf-8")
meta = cfg["DEFAULT"]
def lines(key): return [o for o in meta[key].splitlines() if o.strip()]
version = re.search(r'__version__ = "(.*?)"', Path("chained_adv/__init__.py").read_text())[1]
suffix = "_requirements"

setup(
    name=meta["lib_name"], version=version, description=meta["description"], author=meta["author"],
    license_expression=meta["license"], license_files=["LICENSE"],
    keywords=meta["keywords"].split(), classifiers=lines("classifiers"),
    long_description=Path("README.md").read_text(encoding="utf-8"), long_description_content_type="text/markdown",
    packages=find_packages(include=["chained_adv*"]), package_data={"chained_adv": ["py.typed", "data/**/*", "arc/web/**/*"]},
    python_requires=f">={meta['min_python']},<{meta['max_python']}", install_requires=lines("requirements"),
    extras_require={k[:-len(suffix)]: lines(k) for k in meta if k.endswith(suffix)},
    entry_points={"console_scripts": lines("console_scripts") or [meta["console_scripts"]]},
)
