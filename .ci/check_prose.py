"""Checks the wording of the repository: retired words, doc comments that open badly, long lines.

The retired words are the regular expressions of the fenced block `retired` in docs/glossary.md.
Prints one line per finding and exits with 1 if there is any.
"""

import re
import subprocess
import sys

GLOSSARY = "docs/glossary.md"
# Benchmark results are records of their time; the others are data.
SKIPPED = ("benches/results/", "tests/data/", "fuzz/corpus/", "meshes/", "LICENSE", "Cargo.lock")
SOURCES = (".rs", ".cu", ".cuh", ".hpp", ".cpp")
TEXTS = SOURCES + (".md", ".toml", ".py", ".sh", ".yml", ".txt", "justfile", ".ci/run", ".ci/release")
WIDTH = 100
BAD_OPENINGS = re.compile(r"(What|Who|Those|That of|As \[|The same)\b")
COMMENT = re.compile(r"\s*(//[/!]?) ?(.*)")


def retired():
    text = open(GLOSSARY, encoding="utf-8").read()
    block = re.search(r"^```retired\n(.*?)^```", text, re.M | re.S)
    if not block:
        sys.exit(f"{GLOSSARY}: no block of retired words")
    return re.compile(rf"\b(?:{'|'.join(block.group(1).splitlines())})\b", re.I)


def findings(path, lines, words):
    """Yields (line number, text) of each finding in a file."""
    is_source = path.endswith(SOURCES)
    is_fenced = False
    previous = None
    for number, line in enumerate(lines, 1):
        shows_bad_style = path == GLOSSARY or (path == "CONTRIBUTING.md" and line.startswith("|"))
        if not shows_bad_style and (match := words.search(line)):
            yield number, f"retired: {match.group(0)!r} (see {GLOSSARY})"
        comment = COMMENT.fullmatch(line) if is_source else None
        if comment:
            mark, text = comment.groups()
            if mark != "//" and previous != mark and BAD_OPENINGS.match(text):
                yield number, f"a doc comment opens with {text.split()[0]!r}"
            is_prose = not text.startswith("|")
        else:
            is_fenced ^= line.lstrip().startswith("```")
            is_prose = path.endswith(".md") and not is_fenced and not line.lstrip().startswith("|")
        previous = comment and comment.group(1)
        if is_prose and len(line) > WIDTH and "http" not in line:
            yield number, f"{len(line)} characters: prose has at most {WIDTH}"


def main():
    words = retired()
    files = subprocess.check_output(["git", "ls-files"], text=True).splitlines()
    count = 0
    for path in files:
        if path.startswith(SKIPPED) or not path.endswith(TEXTS):
            continue
        lines = open(path, encoding="utf-8").read().splitlines()
        for number, text in findings(path, lines, words):
            print(f"{path}:{number}: {text}")
            count += 1
    sys.exit(f"{count} findings" if count else 0)


main()
