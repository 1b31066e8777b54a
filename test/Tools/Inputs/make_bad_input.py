"""Writes input that no exporter writes: make_bad_input.py <kind> [<number>]."""

import sys

KINDS = {
    "regions": lambda n: "module {\n" * n + "}\n" * n,
    "generic-regions": lambda n: '"builtin.module"() ({\n' * n + "}) : () -> ()\n" * n,
    "arrays": lambda n: "module attributes {x.a = " + "[" * n + "]" * n + "} {}",
    "dictionaries": lambda n: "module attributes {x.a = " + "{b = " * n + "1" + "}" * n + "} {}",
    "types": lambda n: "func.func private @f(" + "tuple<" * n + "i1" + ">" * n + ")",
    "functions": lambda n: "func.func private @f(" + "() -> (" * n + ")" * n + ")",
    "locations": lambda n: "module {} loc(" + "fused[" * n + '"a"' + "]" * n + ")",
    "elements": lambda n: "module attributes {x.a = dense<" + "[" * n + "]" * n + "> : tensor<1xi1>} {}",
    "affine-terms": lambda n: "#m = affine_map<(d0) -> (d0" + " floordiv 3 mod 7" * n + ")>",
    "affine-signs": lambda n: "#m = affine_map<(d0) -> (" + "-" * n + "d0)>",
    "aliases": lambda n: "!a0 = i1\n"
    + "".join(f"!a{i + 1} = tuple<!a{i}>\n" for i in range(n))
    + f"func.func private @f(!a{n})",
    "one-line": lambda n: "module attributes {x.a = [" + "1, " * (n // 3) + "} {}",
    "string": lambda n: 'module attributes {x.a = "' + "x" * n,
    "backslashes": lambda n: 'module attributes {x.a = "' + "\\" * n,
    "nul": lambda n: "module {\0" * n,
    "letters": lambda n: "a" * n,
    "digits": lambda n: "module attributes {x.a = " + "9" * n + "} {}",
    "dimensions": lambda n: "func.func private @f(tensor<" + "9" * 30 + "xf32>)",
}

sys.stdout.write(KINDS[sys.argv[1]](int(sys.argv[2]) if len(sys.argv) > 2 else 100000))
