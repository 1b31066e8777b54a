"""Compares the C++ in a page with the parts of a source that it shows.

A part begins after a line `// docs/<page>: <name>` and ends before
`// docs/<page>: end`. The blocks of the page that are marked as cpp must be
these parts, in their order.
"""

import pathlib
import re
import sys

page, source = (pathlib.Path(name) for name in sys.argv[1:])
mark = re.escape(f"// docs/{page.name}: ")
parts = re.findall(
    rf"^{mark}(?!end$)\w+\n(.*?)^{mark}end$", source.read_text(), re.M | re.S
)
blocks = re.findall(r"^```cpp\n(.*?)^```$", page.read_text(), re.M | re.S)
if not parts or parts != blocks:
    sys.exit(f"{page.name} does not show the parts of {source.name}")
print(f"{len(parts)} parts of {source.name} are in {page.name}")
