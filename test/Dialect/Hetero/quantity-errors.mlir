// RUN: hetero-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{quantity_c1: '-1' is negative}}
module attributes {a = #hetero.bytes<-1 B>} {}

// -----

// expected-error @+1 {{quantity_c1: '1.5 B' is not a whole number of bytes}}
module attributes {a = #hetero.bytes<1.5 B>} {}

// -----

// expected-error @+1 {{quantity_c1: '0.3 KiB' is not a whole number of bytes}}
module attributes {a = #hetero.bytes<0.3 KiB>} {}

// -----

// expected-error @+1 {{quantity_c1: '8192 PiB' needs more than 63 bits of bytes}}
module attributes {a = #hetero.bytes<8192 PiB>} {}

// -----

// expected-error @+1 {{quantity_c1: '18446744073709551616' has too many digits}}
module attributes {a = #hetero.bytes<18446744073709551616 B>} {}

// -----

// expected-error @+1 {{quantity_c1: '1.0e+99' is out of range}}
module attributes {a = #hetero.bytes<1.0e+99 B>} {}

// -----

// expected-error @+1 {{quantity_c1: '1.0e-13 s' is not a whole number of picoseconds}}
module attributes {a = #hetero.time<1.0e-13 s>} {}

// -----

// expected-error @+1 {{quantity_c1: unknown unit 'GHz'; one of: s, ms, us, ns, ps}}
module attributes {a = #hetero.time<1 GHz>} {}

// -----

// expected-error @+1 {{quantity_c1: '12' has no unit; one of: TB/s}}
module attributes {a = #hetero.bandwidth<12>} {}

// -----

// expected-error @+1 {{quantity_c1: unknown unit 'GB'; one of: TB/s}}
module attributes {a = #hetero.bandwidth<12 GB>} {}

// -----

// expected-error @+1 {{quantity_c1: unknown unit 'USD/h'; one of: /h}}
module attributes {a = #hetero.price<1 USD/h>} {}

// -----

// expected-error @+1 {{expected floating point literal}}
module attributes {a = #hetero.bytes<GiB>} {}
