//===- HeteroClusterAttrs.td - Attributes of a cluster -----*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HETERO_DIALECT_HETERO_HETEROCLUSTERATTRS_TD
#define HETERO_DIALECT_HETERO_HETEROCLUSTERATTRS_TD

include "hetero/Dialect/Hetero/HeteroEnums.td"

def Hetero_PeakAttr : Hetero_Attr<"Peak", "peak"> {
  let summary = "peak speed of a device by element type";
  let description = [{
    How fast a device multiplies matrices of each element type, as the vendor
    states it. What is reached in practice is `#hetero.curve` times that.

    Constraints:
    - (peak_c1) At least one element type is given, each at most once.
    - (peak_c2) Each is an integer, floating-point or complex type.
    - (peak_c3) Each speed is positive.

    ```mlir
    module attributes {
      example.peak = #hetero.peak<f32: 19.5 TFLOP/s, bf16: 312 TFLOP/s>} {}
    ```
  }];
  let parameters = (ins ArrayRefParameter<"::mlir::Type">:$types,
                        ArrayRefParameter<"int64_t">:$speeds);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Hetero_CurveAttr : Hetero_Attr<"Curve", "curve"> {
  let summary = "share of the peak that an operation reaches, by its work";
  let description = [{
    Small operations do not fill a device. The curve gives the share of the
    peak for some amounts of work; in between it is linear in the logarithm of
    the work, outside it is constant.

    Constraints:
    - (curve_c1) There is at least one point, and the work grows strictly from
      point to point.
    - (curve_c2) Each share is positive and at most 1.

    ```mlir
    module attributes {
      example.curve = #hetero.curve<1 MFLOP: 0.02, 1 GFLOP: 0.4, 1 TFLOP: 0.85>
    } {}
    ```
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$work,
                        ArrayRefParameter<"int64_t">:$shares);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Hetero_TimesAttr : Hetero_Attr<"Times", "times"> {
  let summary = "measured times, by bytes";
  let description = [{
    What something took for some amounts of bytes. In between it is linear;
    before the first point it is the time of that one, behind the last it goes
    on along the line of the last two.

    Constraints:
    - (times_c1) There is at least one point, and the bytes grow strictly from
      point to point.

    ```mlir
    module attributes {
      example.times = #hetero.times<1 MB: 250 us, 64 MB: 13 ms>
    } {}
    ```
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$bytes,
                        ArrayRefParameter<"int64_t">:$times);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Hetero_LayerTimesAttr : Hetero_Attr<"LayerTimes", "layer_times"> {
  let summary = "measured times of a layer, by samples";
  let description = [{
    What the forward and the backward of a layer took for some numbers of
    samples that were computed together.

    Constraints:
    - (layer_times_c1) There is at least one point, the first has at least one
      sample, and the samples grow strictly from point to point.

    ```mlir
    module attributes {
      example.times = #hetero.layer_times<1: 9 ms + 17 ms, 4: 31 ms + 60 ms>
    } {}
    ```
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$samples,
                        ArrayRefParameter<"int64_t">:$forward,
                        ArrayRefParameter<"int64_t">:$backward);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Hetero_LinkAttr : Hetero_Attr<"Link", "link"> {
  let summary = "kind, bandwidth and latency of a link";
  let description = [{
    A link carries `bandwidth` in each direction at the same time (full duplex)
    and adds `latency` to each message. Between several devices, every one has
    such a link of its own to the others; `shared` says that they share one, as
    on a bus.

    Constraints:
    - (link_attr_c1) The bandwidth is positive.

    ```mlir
    module attributes {
      example.fast = #hetero.link<nvlink, 300 GB/s, 2 us>,
      example.bus = #hetero.link<shared pcie, 12 GB/s, 5 us>} {}
    ```
  }];
  let parameters = (ins "LinkKind":$kind, "int64_t":$bandwidth,
                        "int64_t":$latency, "bool":$shared);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Hetero_ResourceAttr : Hetero_Attr<"Resource", "resource"> {
  let summary = "a resource of the cluster or of a stage";
  let description = [{
    Names what limits a plan: `compute`, `memory`, `bandwidth` or `latency` of a
    stage, of a device, or of a node, switch or link of the cluster.

    Constraints:
    - (resource_c1) A stage or device number is not negative.

    ```mlir
    module attributes {example.limits = [#hetero.resource<compute of stage 2>,
                                         #hetero.resource<memory of device 5>,
                                         #hetero.resource<bandwidth of @lan>]} {}
    ```
  }];
  let parameters = (ins "ResourceKind":$kind,
                        "std::optional<int64_t>":$stage,
                        "std::optional<int64_t>":$device,
                        "::mlir::FlatSymbolRefAttr":$symbol);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

#endif // HETERO_DIALECT_HETERO_HETEROCLUSTERATTRS_TD
