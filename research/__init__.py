"""The studies behind the claims of this project: worlds, arms, ablations, oracles. Not part of the package.

Run everything from the repository's root, for example `python -m research.ablate --list`. README.md lists one
command per study. The package never imports this folder.
"""
