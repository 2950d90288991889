"""Copies the pages, and the files that they link, for Zensical, and writes its settings.

    python3 docs/site/stage.py TARGET

Zensical needs four spaces below a list item, where GitHub needs the width of the marker. It serves files, so a link to a
directory without a page becomes plain text. The navigation is the table of docs/README.md.
"""

import pathlib
import re
import shutil
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)")
ITEM = re.compile(r"( *)([-*]|\d+\.)( +)(?=\S)")
FENCE = re.compile(r" *(```+|~~~+)")


def pages():
    yield from sorted(ROOT.glob("*.md"))
    for folder in ("docs", "docker"):
        yield from sorted((ROOT / folder).rglob("*.md"))


def indented(text):
    """Returns the text with four spaces for each level of a list."""
    lines, levels, fence, before = [], [], None, ""
    for line in text.split("\n"):
        width = len(line) - len(line.lstrip(" "))
        if fence is None and line.strip():
            while levels and width < levels[-1]:
                levels.pop()
        item = ITEM.match(line) if fence is None else None
        if item and not levels and before.strip() and not ITEM.match(before):
            lines.append("")
        base = levels[-1] if levels else 0
        lines.append(" " * (4 * len(levels) + max(0, width - base)) + line.lstrip(" ") if line.strip() else "")
        if item:
            levels.append(item.end())
        mark = FENCE.match(line[item.end():] if item else line)
        if mark:
            if fence is None:
                fence = mark.group(1)
            elif line.strip() == fence:
                fence = None
        before = line
    return "\n".join(lines)


def linked(page, text, shown, files):
    """Returns the text without links to what the site lacks, and adds the linked files."""

    def link(match):
        target = match.group(3).split("#")[0]
        if re.match(r"[a-z]+:", target) or not target:
            return match.group(0)
        path = (page.parent / target).resolve()
        if path.is_dir() and path / "README.md" in shown:
            return match.group(0).replace(match.group(3), target.rstrip("/") + "/README.md")
        if path.is_dir() or path.suffix == ".md" and path not in shown:
            return match.group(2)
        if path.exists() and path.suffix != ".md":
            files.add(path)
        return match.group(0)

    parts = re.split(r"(?ms)(^ *```.*?^ *```)", text)
    return "".join(part if i % 2 else LINK.sub(link, part) for i, part in enumerate(parts))


def navigation():
    """Returns the navigation in YAML: a tab for each row of the table in docs/README.md."""
    lines = ["nav:", "  - Coppice: README.md"]
    for row in (ROOT / "docs/README.md").read_text().splitlines():
        cells = row.split("|")
        if len(cells) > 2 and "](" in cells[2]:
            lines.append(f"  - {cells[1].strip(' *')}:")
            for _, title, target in LINK.findall(cells[2]):
                path = ((ROOT / "docs") / target.split("#")[0]).resolve().relative_to(ROOT)
                lines.append(f"    - {title[0].upper() + title[1:]}: {path}")
    return "\n".join(lines) + "\n"


def main(target):
    shutil.rmtree(target, ignore_errors=True)
    files = set()
    shown = set(pages())
    for page in sorted(shown):
        copy = target / "pages" / page.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(indented(linked(page, page.read_text(), shown, files)))
    for file in files:
        copy = target / "pages" / file.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, copy)
    settings = (ROOT / "docs/site/mkdocs.yml").read_text()
    (target / "mkdocs.yml").write_text(settings + "docs_dir: pages\nsite_dir: html\n" + navigation())


main(pathlib.Path(sys.argv[1]).resolve())
