"""Rules about the documentation."""

import re

from .tree import Problem

README_LINES = 150
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)


def readme_length(tree):
    """The README has at most 150 lines."""
    if "README.md" not in tree.files:
        yield Problem("README.md", 0, "is missing")
        return
    count = len(tree.text("README.md").splitlines())
    if count > README_LINES:
        yield Problem("README.md", 0, f"{count} lines; at most {README_LINES}")


def anchors(text):
    """The anchors that the headings of a Markdown text make."""
    for heading in re.findall(r"^#+\s+(.*)$", FENCE.sub("", text), re.MULTILINE):
        slug = re.sub(r"[^\w\- ]", "", heading.strip().lower())
        yield slug.replace(" ", "-")


def resolve(path, target):
    """`target` relative to the directory of `path`, or None above the root."""
    parts = path.split("/")[:-1]
    for part in target.split("/"):
        if part == "..":
            if not parts:
                return None
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)


def doc_links(tree):
    """Relative links in Markdown files lead to a file, and to a heading."""
    directories = {p.rsplit("/", n)[0] for p in tree.files for n in range(1, p.count("/") + 1)}
    for path in tree.matching(".md"):
        text = tree.text(path)
        blanked = FENCE.sub(lambda m: re.sub(r"[^\n]", " ", m.group(0)), text)
        for match in LINK.finditer(blanked):
            target, _, anchor = match.group(1).partition("#")
            if re.match(r"[a-z]+:", target):
                continue
            line = text.count("\n", 0, match.start()) + 1
            file = resolve(path, target) if target else path
            if file is None or (file not in tree.files and file not in directories):
                yield Problem(path, line, f"link to '{target}', which does not exist")
            elif anchor and file.endswith(".md") and anchor not in anchors(tree.text(file)):
                yield Problem(path, line, f"'{file}' has no heading for '#{anchor}'")
