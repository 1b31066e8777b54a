//===- HeteroQuantities.td - Amounts with units ------------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exact amounts (hetero/Support/Quantity.h) as attributes. Operations print
// them without their mnemonic: `memory 40 GiB`.

#ifndef HETERO_DIALECT_HETERO_HETEROQUANTITIES_TD
#define HETERO_DIALECT_HETERO_HETEROQUANTITIES_TD

include "hetero/Dialect/Hetero/HeteroBase.td"

class Hetero_Quantity<string name, string attrMnemonic, string attrDimension,
                      string what, string units, string canonical>
    : Hetero_Attr<name, attrMnemonic> {
  let summary = what;
  let description = !strconcat("\n    An amount of ", what, [{.
    Units: }], units, [{.
    The number may have a fraction as long as the amount is a whole number of
    base units. It is printed in the unit that needs the fewest digits.

    Constraints:
    - (quantity_c1) The unit is one of those above, and the amount is a whole
      number of base units that is not negative and needs at most 63 bits.

    ```mlir
    module attributes {example.amount = #hetero.}], attrMnemonic, "<",
    canonical, [{>} {}
    ```
  }]);
  let parameters = (ins "int64_t":$value);
  let assemblyFormat = "`<` custom<Amount>($value, \"Dimension::" # attrDimension # "\") `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    static constexpr Dimension dimension = Dimension::}] # attrDimension # [{;
  }];
  let extraClassDefinition = [{
    ::llvm::LogicalResult $cppClass::verify(
        ::llvm::function_ref<::mlir::InFlightDiagnostic()> emitError,
        int64_t value) {
      if (value < 0)
        return emitError() << "quantity_c1: the amount " << value
                           << " is negative";
      return ::mlir::success();
    }
  }];
}

def Hetero_BytesAttr : Hetero_Quantity<"Bytes", "bytes", "Bytes",
  "memory, in bytes",
  "B, KB, MB, GB, TB, PB (powers of 1000), KiB, MiB, GiB, TiB, PiB (powers of 1024)",
  "40 GiB">;

def Hetero_BandwidthAttr : Hetero_Quantity<"Bandwidth", "bandwidth", "Bandwidth",
  "bandwidth, in bytes per second",
  "B/s to TB/s, KiB/s to TiB/s, and Kb/s to Tb/s in bits",
  "1.3 GB/s">;

def Hetero_WorkAttr : Hetero_Quantity<"Work", "work", "Work",
  "work, in floating-point operations",
  "FLOP, KFLOP, MFLOP, GFLOP, TFLOP, PFLOP, EFLOP",
  "1.2 GFLOP">;

def Hetero_SpeedAttr : Hetero_Quantity<"Speed", "speed", "Speed",
  "speed, in floating-point operations per second",
  "FLOP/s, KFLOP/s, MFLOP/s, GFLOP/s, TFLOP/s, PFLOP/s, EFLOP/s",
  "19.5 TFLOP/s">;

def Hetero_TimeAttr : Hetero_Quantity<"Time", "time", "Time",
  "time, in picoseconds",
  "ps, ns, us, ms, s",
  "2.5 us">;

def Hetero_PriceAttr : Hetero_Quantity<"Price", "price", "Price",
  "money per hour, in millionths of whatever currency the cluster is paid in",
  "/h",
  "3.06/h">;

#endif // HETERO_DIALECT_HETERO_HETEROQUANTITIES_TD
