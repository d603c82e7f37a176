#!/usr/bin/env python3
"""Prints those of the given sources in which a statement with co_await also has, by its text, a lambda, braces or a ?:.

It finds more than is wrong and misses nothing that is written as clang-format writes it: braces of an aggregate follow
what they belong to without a space.
"""

import re
import sys

NOISE = re.compile(r'//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'')
SUSPICIOUS = re.compile(r"\?|(?:[(,={<&|!]|return|co_await)\s*(?:\[|\{)|[\w>]\{")


def statement_around(text: str, place: int) -> str:
    """From the end of the statement or block before `place` to the next semicolon, or to the block that follows."""
    begin = place
    while begin > 0 and text[begin - 1] not in ";}":
        begin -= 1
        if text[begin] == "{" and text[begin - 1].isspace():
            begin += 1
            break
    depth = 0
    for end in range(begin, len(text)):
        depth += {"(": 1, ")": -1}.get(text[end], 0)
        block = text[end] == "{" and depth <= 0 and text[:end].rstrip().endswith(")")
        if end > place and (text[end] == ";" or block):
            return text[begin:end]
    return text[begin:]


def suspicious(path: str) -> bool:
    with open(path, encoding="utf-8") as file:
        text = NOISE.sub("0", file.read())
    return any(SUSPICIOUS.search(statement_around(text, found.start())) for found in re.finditer(r"\bco_await\b", text))


for source in sys.argv[1:]:
    if suspicious(source):
        print(source)
