"""Layers: who may include and link whom.

The order of the layers and the IR-free ones are read from
utils/cmake/HeteroLayers.cmake, where the build uses them too.
"""

import re

from .tree import Problem

LAYERS_FILE = "utils/cmake/HeteroLayers.cmake"
# The precompiled headers are the build's, not the Support layer's.
BUILD_FILES = {"lib/Support/PCH.h", "lib/Support/PCH.cpp"}
INCLUDE = re.compile(r'\s*#\s*include\s*["<]([^">]+)[">]')
ADD_LIBRARY = re.compile(r"hetero_add_library\s*\(\s*(\w+)([^)]*)\)", re.DOTALL)
KEYWORDS = {"LAYER", "SOURCES", "LINK_LIBS", "DEPENDS"}


def read_list(tree, name):
    """The value of `set(<name> ...)` in the layers file."""
    if LAYERS_FILE not in tree.files:
        return []
    match = re.search(rf"set\({name}\s+([^)]*)\)", tree.text(LAYERS_FILE))
    return match.group(1).split() if match else []


def layer_of(path, layers):
    """The layer that a file belongs to, or None; `Planner/Model` for a file in a room."""
    parts = path.split("/")
    if parts[0] == "tools" or "Tools" in parts[1:3]:
        return "tools"
    if parts[:2] == ["include", "hetero"]:
        if len(parts) == 3:
            return "tools"  # InitAll.h and the like know every layer.
        parts = parts[1:]
    elif parts[0] != "lib":
        return None
    room = "/".join(parts[1:3])
    if len(parts) > 3 and room in layers:
        return room
    return parts[1] if len(parts) > 2 and parts[1] in layers else None


def is_ir_free(layer, free):
    """Whether a layer, or the one that it is a room of, must not know MLIR's IR."""
    return layer is not None and layer.split("/")[0] in free


def includes(tree, path, rule):
    for number, line in tree.lines(path, rule):
        match = INCLUDE.match(line)
        if match:
            yield number, match.group(1)


def is_ir_header(header):
    return header.startswith("mlir/") and not header.startswith("mlir/Support/")


def reaches_ir(tree, header, seen=None):
    """The MLIR header that one of our headers includes, however indirectly."""
    seen = set() if seen is None else seen
    path = "include/" + header
    if header in seen or path not in tree.files:
        return None
    seen.add(header)
    for _, inner in includes(tree, path, "ir-free"):
        found = inner if is_ir_header(inner) else reaches_ir(tree, inner, seen)
        if found:
            return found
    return None


def ir_free(tree):
    """An IR-free layer includes no MLIR header, not even through another."""
    layers = read_list(tree, "HETERO_LAYERS")
    free = read_list(tree, "HETERO_IR_FREE_LAYERS")
    for path in tree.matching(".h", ".cpp"):
        layer = layer_of(path, layers)
        if not is_ir_free(layer, free):
            continue
        for number, header in includes(tree, path, "ir-free"):
            found = header if is_ir_header(header) else reaches_ir(tree, header)
            if found:
                via = "" if found == header else f" through '{header}'"
                yield Problem(
                    path, number, f"IR-free layer '{layer}' includes '{found}'{via}"
                )


def layer_order(tree):
    """No file includes a header of a layer higher than its own."""
    layers = read_list(tree, "HETERO_LAYERS")
    if not layers:
        yield Problem(LAYERS_FILE, 0, "does not set HETERO_LAYERS")
    for path in tree.matching(".h", ".cpp"):
        layer = layer_of(path, layers)
        if layer is None or path in BUILD_FILES:
            continue
        for number, header in includes(tree, path, "layer-order"):
            other = layer_of("include/" + header, layers)
            if other and layers.index(other) > layers.index(layer):
                yield Problem(
                    path,
                    number,
                    f"layer '{layer}' includes '{header}' of the higher layer '{other}'",
                )


def parse_libraries(tree):
    """Maps each of our libraries to (path, line, layer, linked libraries)."""
    libraries = {}
    for path in tree.matching("CMakeLists.txt"):
        text = re.sub(r"#[^\n]*", "", tree.text(path))
        for match in ADD_LIBRARY.finditer(text):
            values, key = {}, None
            for word in match.group(2).split():
                if word in KEYWORDS:
                    key = word
                else:
                    values.setdefault(key, []).append(word)
            libraries[match.group(1)] = (
                path,
                text.count("\n", 0, match.start()) + 1,
                values.get("LAYER", [""])[0],
                values.get("LINK_LIBS", []),
            )
    return libraries


def link_order(tree):
    """No library links one of a layer higher than its own; IR-free ones not MLIR."""
    layers = read_list(tree, "HETERO_LAYERS")
    free = read_list(tree, "HETERO_IR_FREE_LAYERS")
    libraries = parse_libraries(tree)
    for name, (path, line, layer, linked) in libraries.items():
        if layer not in layers:
            yield Problem(path, line, f"{name}: unknown layer '{layer}'")
            continue
        for lib in linked:
            other = libraries[lib][2] if lib in libraries else None
            if other in layers and layers.index(other) > layers.index(layer):
                yield Problem(
                    path, line, f"{name} of layer '{layer}' links {lib} of the higher layer '{other}'"
                )
            if is_ir_free(layer, free) and (
                lib.startswith("MLIR") or (other and not is_ir_free(other, free + ["Support"]))
            ):
                yield Problem(
                    path, line, f"{name} of IR-free layer '{layer}' links {lib}"
                )
