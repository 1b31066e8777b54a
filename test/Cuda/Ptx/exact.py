"""Floating-point operations computed with fractions, and rounded once."""

from __future__ import annotations

import dataclasses
import math
from fractions import Fraction

MODES = ["rn", "rz", "rm", "rp"]


@dataclasses.dataclass(frozen=True)
class Format:
    """Numbers of so many bits behind the first one, and of the exponent."""

    name: str
    mantissa: int
    exponent: int

    @property
    def bits(self) -> int:
        return 1 + self.mantissa + self.exponent

    @property
    def bias(self) -> int:
        return (1 << (self.exponent - 1)) - 1

    @property
    def infinity(self) -> int:
        return ((1 << self.exponent) - 1) << self.mantissa

    @property
    def nan(self) -> int:
        """The one NaN of a device; of 64 bits there are more."""
        return self.infinity | ((1 << self.mantissa) - 1)

    @property
    def sign(self) -> int:
        return 1 << (self.bits - 1)

    def is_nan(self, bits: int) -> bool:
        return bits & (self.sign - 1) > self.infinity

    def is_infinite(self, bits: int) -> bool:
        return bits & (self.sign - 1) == self.infinity

    def is_negative(self, bits: int) -> bool:
        return bool(bits & self.sign)

    def flush(self, bits: int) -> int:
        return bits if bits & self.infinity else bits & self.sign

    def value(self, bits: int) -> Fraction:
        """Of a finite number."""
        power = bits >> self.mantissa & ((1 << self.exponent) - 1)
        digits = bits & ((1 << self.mantissa) - 1)
        digits += (1 << self.mantissa) if power else 0
        size = Fraction(digits) * Fraction(2) ** (max(power, 1) - self.bias - self.mantissa)
        return -size if bits & self.sign else size

    def round(self, value: Fraction, mode: str, zero: int = 0) -> int:
        """The bits of the number; `zero` are those of an exact 0."""
        if value == 0:
            return zero
        minus = value < 0
        size = abs(value)
        power = size.numerator.bit_length() - size.denominator.bit_length()
        power -= Fraction(2) ** power > size
        last = max(power, 1 - self.bias) - self.mantissa
        scaled = size / Fraction(2) ** last
        kept = scaled.numerator // scaled.denominator
        rest = scaled - kept
        up = {
            "rn": rest > Fraction(1, 2) or (rest == Fraction(1, 2) and kept % 2 == 1),
            "rz": False,
            "rm": rest > 0 and minus,
            "rp": rest > 0 and not minus,
        }[mode]
        kept += up
        bits = kept + ((last - (1 - self.bias - self.mantissa)) << self.mantissa)
        if bits >= self.infinity:
            stays = mode == "rz" or (mode == "rm" and not minus) or (mode == "rp" and minus)
            bits = self.infinity - stays
        return bits | (self.sign if minus else 0)


F16 = Format("f16", 10, 5)
BF16 = Format("bf16", 7, 8)
F32 = Format("f32", 23, 8)
F64 = Format("f64", 52, 11)
FORMATS = [F16, BF16, F32, F64]


def add(f: Format, a: int, b: int, mode: str) -> int:
    if f.is_nan(a) or f.is_nan(b):
        return f.nan
    if f.is_infinite(a) or f.is_infinite(b):
        if f.is_infinite(a) and f.is_infinite(b) and a != b:
            return f.nan
        return a if f.is_infinite(a) else b
    value = f.value(a) + f.value(b)
    same = f.is_negative(a) == f.is_negative(b)
    minus = f.is_negative(a) if same else mode == "rm"
    return f.round(value, mode, f.sign if minus else 0)


def subtract(f: Format, a: int, b: int, mode: str) -> int:
    return add(f, a, b ^ f.sign, mode)


def multiply(f: Format, a: int, b: int, mode: str) -> int:
    sign = (a ^ b) & f.sign
    if f.is_nan(a) or f.is_nan(b):
        return f.nan
    if f.is_infinite(a) or f.is_infinite(b):
        other = b if f.is_infinite(a) else a
        return f.nan if other & (f.sign - 1) == 0 else f.infinity | sign
    return f.round(f.value(a) * f.value(b), mode, sign)


def divide(f: Format, a: int, b: int, mode: str) -> int:
    sign = (a ^ b) & f.sign
    zero = b & (f.sign - 1) == 0
    if f.is_nan(a) or f.is_nan(b) or (f.is_infinite(a) and f.is_infinite(b)):
        return f.nan
    if f.is_infinite(a):
        return f.infinity | sign
    if f.is_infinite(b):
        return sign
    if zero:
        return f.nan if a & (f.sign - 1) == 0 else f.infinity | sign
    return f.round(f.value(a) / f.value(b), mode, sign)


def fuse(f: Format, a: int, b: int, c: int, mode: str) -> int:
    """a * b + c"""
    sign = (a ^ b) & f.sign
    if f.is_nan(a) or f.is_nan(b) or f.is_nan(c):
        return f.nan
    if f.is_infinite(a) or f.is_infinite(b):
        product = multiply(f, a, b, mode)
        if f.is_nan(product) or (f.is_infinite(c) and c != product):
            return f.nan
        return product
    if f.is_infinite(c):
        return c
    value = f.value(a) * f.value(b) + f.value(c)
    minus = bool(sign) if bool(sign) == f.is_negative(c) else mode == "rm"
    return f.round(value, mode, f.sign if minus else 0)


def square_root(f: Format, a: int, mode: str) -> int:
    if f.is_nan(a) or (f.is_negative(a) and a != f.sign):
        return f.nan
    if f.is_infinite(a) or a & (f.sign - 1) == 0:
        return a
    # Enough digits, and one more that says that there are others.
    value = f.value(a)
    scale = 4 ** (f.mantissa + 4 + f.bias)
    whole = value * scale
    assert whole.denominator == 1
    root = math.isqrt(whole.numerator)
    exact = root * root == whole.numerator
    return f.round(Fraction(2 * root + (not exact), 2 * 2 ** (f.mantissa + 4 + f.bias)), mode)


def convert(to: Format, source: Format, a: int, mode: str) -> int:
    sign = to.sign if source.is_negative(a) else 0
    if source.is_nan(a):
        return to.nan
    if source.is_infinite(a):
        return to.infinity | sign
    return to.round(source.value(a), mode, sign)


def integral(value: Fraction, mode: str) -> int:
    return {"rn": round, "rz": math.trunc, "rm": math.floor, "rp": math.ceil}[mode](value)


def to_integer(source: Format, a: int, bits: int, signed: bool, mode: str) -> int:
    low = -(1 << (bits - 1)) if signed else 0
    high = (1 << (bits - 1 if signed else bits)) - 1
    if source.is_nan(a):
        return 1 << (bits - 1) if source.bits == 64 or bits == 64 else 0
    if source.is_infinite(a):
        value = low if source.is_negative(a) else high
    else:
        value = min(max(integral(source.value(a), mode), low), high)
    return value & ((1 << bits) - 1)
