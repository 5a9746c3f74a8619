"""Checks the tags and the size of a wheel of a release.

Usage: python scripts/check-wheel.py WHEEL PLATFORM
PLATFORM is the platform of its tags, such as win_amd64; several are separated by dots.
"""

import pathlib
import sys
import zipfile

# In bytes. benches/results/python.md states what a wheel consists of.
LARGEST = 10_000_000


def main() -> None:
    path, platforms = pathlib.Path(sys.argv[1]), sys.argv[2]
    size = path.stat().st_size
    if not path.name.endswith(f"-cp310-abi3-{platforms}.whl"):
        sys.exit(f"{path.name}: the platform must be {platforms}")
    with zipfile.ZipFile(path) as wheel:
        [metadata] = [n for n in wheel.namelist() if n.endswith(".dist-info/WHEEL")]
        lines = wheel.read(metadata).decode().splitlines()
    tags = {line.removeprefix("Tag: ") for line in lines if line.startswith("Tag: ")}
    if tags != {f"cp310-abi3-{platform}" for platform in platforms.split(".")}:
        sys.exit(f"{path.name}: the file WHEEL has the tags {sorted(tags)}")
    if size >= LARGEST:
        sys.exit(f"{path.name}: {size} bytes, but it must be smaller than {LARGEST}")
    print(f"{path.name}: {size} bytes")


main()
