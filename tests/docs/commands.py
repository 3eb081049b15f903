#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""commands.py FILE... - the command lines that documents show, one a line, in their order.

Of Markdown: what is in code blocks, which hold commands unless they are marked as text, console or
JSON, and what stands in the text as `tlbtrace ...` with more than the name of a command. Of
what --help says: the lines below "Examples". Continued lines become one, comments go; of YAML only
what begins with tlbtrace is a command, and lines of SQL become one query. Blocks marked console
show their output: tests/e2e/tour.sh compares it.
"""
import re
import sys

NOT_COMMANDS = ("text", "console", "json")


def parts(text):
    """(language, lines) of each code block, fenced or indented behind an empty line; else ("", line)."""
    language, fenced, before, indented = None, False, "", []
    lines = []
    for line in text.splitlines() + [""]:
        fence = line.lstrip().startswith("```")
        if indented and not line.startswith("    "):
            yield "sh", indented
            indented = []
        if fence:
            if fenced:
                yield language or "sh", lines
            fenced, language, lines = not fenced, line.strip()[3:], []
        elif fenced:
            lines.append(line)
        elif line.startswith("    ") and (indented or not before.strip()):
            indented.append(line[4:])
        else:
            yield None, [line]
        before = line


def whole(lines):
    """Continued lines, loops and queries as one line."""
    joined, loops = "", 0
    for line in lines:
        line = re.sub(r"^--.*|(^|\s)#\s.*", "", line).strip()
        loops += bool(re.search(r"\bdo$", line)) - line.startswith("done")
        joined += ("; " if joined and loops >= 0 and not joined.endswith(("do", "\\")) and
                   not joined.startswith("SELECT") else " " if joined else "") + line
        if joined.endswith("\\"):
            joined = joined[:-1].rstrip() + "\\"
            continue
        joined = joined.replace("\\ ", " ")
        if loops or (joined.startswith("SELECT") and not joined.endswith(";")):
            continue
        if joined:
            yield joined
        joined = ""


def of_markdown(text):
    prose = ""
    for language, lines in parts(text):
        if language is None:
            prose += lines[0] + "\n"
            continue
        yield from of_prose(prose)
        prose = ""
        if language in NOT_COMMANDS:
            continue
        for line in whole(lines):
            if language == "yaml":
                line = re.sub(r"^(- )?(run: )?", "", line)
            if language != "yaml" or line.startswith("tlbtrace "):
                yield line
    yield from of_prose(prose)


def of_prose(text):
    for found in re.findall(r"`(tlbtrace [^`]*)`", text):
        found = re.sub(r"\s+", " ", found)
        if len(found.split()) > 2 and not re.search(r"\b[A-Z]{3,}\b", found):
            yield found


def of_help(text):
    examples = re.search(r"^Examples\n((?:  .*\n)+)", text, flags=re.M)
    if not examples:
        return
    # A remark stands apart from its command.
    yield from whole(re.sub(r"(\S) {3,}\S.*", r"\1", examples[1]).splitlines())


for path in sys.argv[1:]:
    with open(path, encoding="utf-8") as file:
        for command in (of_markdown if path.endswith(".md") else of_help)(file.read()):
            print(command)
