// RUN: hetero-opt %s | FileCheck %s
// RUN: hetero-opt %s | hetero-opt | FileCheck %s

// An amount is printed in the unit that needs the fewest digits, and in the
// largest of those.

// CHECK-LABEL: module @bytes
module @bytes attributes {
  // CHECK-SAME: t.a00 = #hetero.bytes<0 B>
  t.a00 = #hetero.bytes<0 GiB>,
  // CHECK-SAME: t.a01 = #hetero.bytes<40 GiB>
  t.a01 = #hetero.bytes<40960 MiB>,
  // CHECK-SAME: t.a02 = #hetero.bytes<16 GB>
  t.a02 = #hetero.bytes<16000000000 B>,
  // CHECK-SAME: t.a03 = #hetero.bytes<1.5 GiB>
  t.a03 = #hetero.bytes<1536 MiB>,
  // CHECK-SAME: t.a04 = #hetero.bytes<1 KiB>
  t.a04 = #hetero.bytes<1024 B>,
  // CHECK-SAME: t.a05 = #hetero.bytes<1.023 KB>
  t.a05 = #hetero.bytes<1023 B>,
  // All 63 bits survive.
  // CHECK-SAME: t.a06 = #hetero.bytes<9223.372036854775807 PB>
  t.a06 = #hetero.bytes<9223372036854775807 B>,
  // CHECK-SAME: t.a07 = #hetero.bytes<9223.372036854775806 PB>
  t.a07 = #hetero.bytes<9223.372036854775806 PB>,
  // CHECK-SAME: t.a08 = #hetero.bytes<250 KB>
  t.a08 = #hetero.bytes<2.5e-4 GB>,
  // CHECK-SAME: t.a09 = #hetero.bytes<64 B>
  t.a09 = #hetero.bytes<0x40 B>,
  // CHECK-SAME: t.a10 = #hetero.bytes<1 PiB>
  t.a10 = #hetero.bytes<1024 TiB>,
  // CHECK-SAME: t.a11 = #hetero.bytes<2 GB>
  t.a11 = #hetero.bytes<2.0e+3 MB>
} {}

// CHECK-LABEL: module @bandwidth
module @bandwidth attributes {
  // Bits are read, bytes are written.
  // CHECK-SAME: t.a0 = #hetero.bandwidth<1.3 GB/s>
  t.a0 = #hetero.bandwidth<10.4 Gb/s>,
  // CHECK-SAME: t.a1 = #hetero.bandwidth<125 MB/s>
  t.a1 = #hetero.bandwidth<1 Gb/s>,
  // CHECK-SAME: t.a2 = #hetero.bandwidth<1.555 TB/s>
  t.a2 = #hetero.bandwidth<1555 GB/s>,
  // CHECK-SAME: t.a3 = #hetero.bandwidth<26.8435456 GB/s>
  t.a3 = #hetero.bandwidth<25 GiB/s>
} {}

// CHECK-LABEL: module @others
module @others attributes {
  // CHECK-SAME: t.a0 = #hetero.price<0.35/h>
  t.a0 = #hetero.price<0.350 /h>,
  // CHECK-SAME: t.a1 = #hetero.price<12/h>
  t.a1 = #hetero.price<12/h>,
  // CHECK-SAME: t.a2 = #hetero.speed<19.5 TFLOP/s>
  t.a2 = #hetero.speed<19500 GFLOP/s>,
  // CHECK-SAME: t.a3 = #hetero.time<1.5 ns>
  t.a3 = #hetero.time<0.0015 us>,
  // CHECK-SAME: t.a4 = #hetero.time<1.234567890123 s>
  t.a4 = #hetero.time<1234567890123 ps>,
  // CHECK-SAME: t.a5 = #hetero.time<0 s>
  t.a5 = #hetero.time<0 ns>,
  // CHECK-SAME: t.a6 = #hetero.work<1.2 GFLOP>
  t.a6 = #hetero.work<1200 MFLOP>
} {}
