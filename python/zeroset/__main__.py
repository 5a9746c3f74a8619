"""The command line: ``python -m zeroset`` and the script ``zeroset``."""

import sys

from . import _native


def main() -> int:
    """Run the command line with the arguments of the interpreter, and return the exit code."""
    return _native.main(["zeroset", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
