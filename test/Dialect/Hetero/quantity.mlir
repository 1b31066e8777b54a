// RUN: hetero-opt %s | FileCheck %s
// RUN: hetero-opt %s | hetero-opt | FileCheck %s

// An amount is printed in the unit that needs the fewest digits, and in the
// largest of those.

// CHECK-LABEL: module @bytes
module @bytes attributes {
  // CHECK-SAME: a00 = #hetero.bytes<0 B>
  a00 = #hetero.bytes<0 GiB>,
  // CHECK-SAME: a01 = #hetero.bytes<40 GiB>
  a01 = #hetero.bytes<40960 MiB>,
  // CHECK-SAME: a02 = #hetero.bytes<16 GB>
  a02 = #hetero.bytes<16000000000 B>,
  // CHECK-SAME: a03 = #hetero.bytes<1.5 GiB>
  a03 = #hetero.bytes<1536 MiB>,
  // CHECK-SAME: a04 = #hetero.bytes<1 KiB>
  a04 = #hetero.bytes<1024 B>,
  // CHECK-SAME: a05 = #hetero.bytes<1023 B>
  a05 = #hetero.bytes<1023 B>,
  // All 63 bits survive.
  // CHECK-SAME: a06 = #hetero.bytes<9223.372036854775807 PB>
  a06 = #hetero.bytes<9223372036854775807 B>,
  // CHECK-SAME: a07 = #hetero.bytes<9223.372036854775806 PB>
  a07 = #hetero.bytes<9223.372036854775806 PB>,
  // CHECK-SAME: a08 = #hetero.bytes<250 KB>
  a08 = #hetero.bytes<2.5e-4 GB>,
  // CHECK-SAME: a09 = #hetero.bytes<64 B>
  a09 = #hetero.bytes<0x40 B>,
  // CHECK-SAME: a10 = #hetero.bytes<1 PiB>
  a10 = #hetero.bytes<1024 TiB>,
  // CHECK-SAME: a11 = #hetero.bytes<2 GB>
  a11 = #hetero.bytes<2.0e+3 MB>
} {}

// CHECK-LABEL: module @bandwidth
module @bandwidth attributes {
  // Bits are read, bytes are written.
  // CHECK-SAME: a0 = #hetero.bandwidth<1.3 GB/s>
  a0 = #hetero.bandwidth<10.4 Gb/s>,
  // CHECK-SAME: a1 = #hetero.bandwidth<125 MB/s>
  a1 = #hetero.bandwidth<1 Gb/s>,
  // CHECK-SAME: a2 = #hetero.bandwidth<1.555 TB/s>
  a2 = #hetero.bandwidth<1555 GB/s>,
  // CHECK-SAME: a3 = #hetero.bandwidth<26.8435456 GB/s>
  a3 = #hetero.bandwidth<25 GiB/s>
} {}

// CHECK-LABEL: module @others
module @others attributes {
  // CHECK-SAME: a0 = #hetero.price<0.35/h>
  a0 = #hetero.price<0.350 /h>,
  // CHECK-SAME: a1 = #hetero.price<12/h>
  a1 = #hetero.price<12/h>,
  // CHECK-SAME: a2 = #hetero.speed<19.5 TFLOP/s>
  a2 = #hetero.speed<19500 GFLOP/s>,
  // CHECK-SAME: a3 = #hetero.time<1.5 ns>
  a3 = #hetero.time<0.0015 us>,
  // CHECK-SAME: a4 = #hetero.time<1.234567890123 s>
  a4 = #hetero.time<1234567890123 ps>,
  // CHECK-SAME: a5 = #hetero.time<0 s>
  a5 = #hetero.time<0 ns>,
  // CHECK-SAME: a6 = #hetero.work<1.2 GFLOP>
  a6 = #hetero.work<1200 MFLOP>
} {}
