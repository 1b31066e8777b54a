//===- HeteroClusterOps.td - Clusters and meshes -----------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What there is: classes of devices, nodes that hold them, the network between
// nodes; and meshes, which are groups of devices in a shape.

#ifndef HETERO_DIALECT_HETERO_HETEROCLUSTEROPS_TD
#define HETERO_DIALECT_HETERO_HETEROCLUSTEROPS_TD

include "hetero/Dialect/Hetero/HeteroOpBase.td"

/// A part of a `hetero.cluster`.
class Hetero_ClusterPart<string opMnemonic, list<Trait> traits = []>
    : Hetero_Op<opMnemonic, traits # [HasParent<"ClusterOp">]>;

def Hetero_ClusterOp : Hetero_Op<"cluster",
    [Symbol, SymbolTable, IsolatedFromAbove, NoTerminator, SingleBlock,
     NoRegionArguments]> {
  let summary = "a cluster of devices that need not be alike";
  let description = [{
    Describes everything that a planner knows about the machines: a module with
    a cluster is self-contained. The devices have ranks 0, 1, ... in the order
    in which the nodes, and inside a node its classes, are listed; a device that
    is not available keeps its rank, so ranks in a saved plan stay right.

    The network is a graph. Its vertices are nodes and switches; its edges are
    the ports of each `hetero.switch` and the `hetero.link`s. A message takes
    the path with the fewest edges, of those the one whose narrowest edge is
    widest, of those the one that is listed first, unless a `hetero.route` says
    otherwise.

    Symbols of one table differ, but a file may call a node and a class by the
    same name. `called` keeps the name of a cluster, class or site whose symbol
    had to be another one.

    Constraints:
    - (cluster_c1) There is at least one node.
    - (cluster_c2) The body has only operations that describe a cluster.
    - (cluster_c3) Every node can be reached from the first one.
    - (cluster_c4) A module has at most one cluster.
    - (cluster_c5) It has at most 1,048,576 devices.

    ```mlir
    hetero.cluster @lab {
      hetero.device_class @a100 memory 40 GiB peak <f32: 19.5 TFLOP/s, bf16: 312 TFLOP/s>
          bandwidth 1.555 TB/s
      hetero.device_class @t4 memory 16 GB peak <f32: 8.1 TFLOP/s, f16: 65 TFLOP/s>
          bandwidth 320 GB/s
      hetero.node @n0 [4 x @a100] link <nvlink, 300 GB/s, 2 us>
      hetero.node @n1 [4 x @t4] link <pcie, 12 GB/s, 5 us>
      hetero.link @n0 <-> @n1 by <ethernet, 10 Gb/s, 30 us>
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
                       OptionalAttr<StrAttr>:$called);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sym_name (`called` $called^)? attr-dict-with-keyword $body
  }];
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    /// All devices by rank. Only of a cluster that verifies.
    std::vector<Device> getDevices();
    int64_t getNumDevices();

    /// The cluster of the module or other symbol table that `op` is in, if it
    /// has one.
    static ClusterOp lookupNear(::mlir::Operation *op);
  }];
}

def Hetero_DeviceClassOp : Hetero_ClusterPart<"device_class", [Symbol]> {
  let summary = "a kind of device";
  let description = [{
    What devices of one kind have in common. `memory` is what the device has,
    `reserved` what of that is not ours to use (driver, context, other users).
    `peak` and `bandwidth` (of its memory) bound the time of an operation,
    `efficiency` lowers the peak for small operations, and `overhead` is what
    each operation takes at least. `price` is per device.

    Constraints:
    - (device_class_c1) The memory is larger than what is reserved of it.
    - (device_class_c2) The memory bandwidth is positive.

    ```mlir
    hetero.cluster @one {
      hetero.device_class @a100 memory 40 GiB reserved 1.5 GiB
          peak <f32: 19.5 TFLOP/s, bf16: 312 TFLOP/s> bandwidth 1.555 TB/s
          efficiency <1 MFLOP: 0.02, 1 GFLOP: 0.4, 1 TFLOP: 0.85>
          overhead 4 us price 3.06/h
      hetero.node @n0 [1 x @a100]
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
                       OptionalAttr<StrAttr>:$called,
                       Hetero_BytesAttr:$memory,
                       OptionalAttr<Hetero_BytesAttr>:$reserved,
                       Hetero_PeakAttr:$peak,
                       Hetero_BandwidthAttr:$bandwidth,
                       OptionalAttr<Hetero_CurveAttr>:$efficiency,
                       OptionalAttr<Hetero_TimeAttr>:$overhead,
                       OptionalAttr<Hetero_PriceAttr>:$price);
  let assemblyFormat = [{
    $sym_name (`called` $called^)? `memory` custom<Quantity>($memory)
    (`reserved` custom<Quantity>($reserved)^)? `peak` $peak
    `bandwidth` custom<Quantity>($bandwidth)
    (`efficiency` $efficiency^)? (`overhead` custom<Quantity>($overhead)^)?
    (`price` custom<Quantity>($price)^)? attr-dict
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The bytes that a plan may use: memory without what is reserved.
    int64_t getUsableMemory();
  }];
}

def Hetero_NodeOp : Hetero_ClusterPart<"node",
    [Symbol, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a machine with devices";
  let description = [{
    Devices of one or more classes that are joined by `link`. `host` is the
    memory of the machine itself, where tensors may be parked. `unavailable`
    lists devices, by their number inside of the node, that must not be used.

    Constraints:
    - (node_c1) There is at least one device of each listed class, and there
      are at most 65,536 in all.
    - (node_c2) Each class is a `hetero.device_class` of the cluster.
    - (node_c3) Several devices have a link.
    - (node_c4) Unavailable devices exist and are listed once.

    ```mlir
    hetero.cluster @desk {
      hetero.device_class @l4 memory 24 GB peak <f32: 30.3 TFLOP/s> bandwidth 300 GB/s
      hetero.device_class @p40 memory 24 GB peak <f32: 11.8 TFLOP/s> bandwidth 346 GB/s
      hetero.node @box [2 x @l4, 1 x @p40] link <shared pcie, 12 GB/s, 5 us>
          host 128 GiB unavailable [1]
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
                       DenseI64ArrayAttr:$counts,
                       FlatSymbolRefArrayAttr:$classes,
                       OptionalAttr<Hetero_LinkAttr>:$link,
                       OptionalAttr<Hetero_BytesAttr>:$host,
                       OptionalAttr<DenseI64ArrayAttr>:$unavailable);
  let assemblyFormat = [{
    $sym_name custom<ClassCounts>($counts, $classes) (`link` $link^)?
    (`host` custom<Quantity>($host)^)?
    (`unavailable` custom<Ranks>($unavailable)^)? attr-dict
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    int64_t getNumDevices();
  }];
}

def Hetero_SwitchOp : Hetero_ClusterPart<"switch",
    [Symbol, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a switch, with an equal port for each member";
  let description = [{
    Joins nodes and other switches. Each member has a full-duplex port of its
    own; the switch itself is never what is slow. With a `shared` link it is a
    bus instead: all transfers over it share the bandwidth.

    Constraints:
    - (switch_c1) There is at least one member, and each is listed once.
    - (switch_c2) Each member is a node or another switch of the cluster.

    ```mlir
    hetero.cluster @rack {
      hetero.device_class @v100 memory 16 GB peak <f32: 15.7 TFLOP/s> bandwidth 900 GB/s
      hetero.node @n0 [8 x @v100] link <nvlink, 150 GB/s, 2 us>
      hetero.node @n1 [8 x @v100] link <nvlink, 150 GB/s, 2 us>
      hetero.node @n2 [8 x @v100] link <nvlink, 150 GB/s, 2 us>
      hetero.switch @tor joins [@n0, @n1, @n2] by <ethernet, 10.4 Gb/s, 30 us>
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
                       FlatSymbolRefArrayAttr:$members,
                       Hetero_LinkAttr:$link);
  let assemblyFormat = [{
    $sym_name `joins` $members `by` $link attr-dict
  }];
  let hasVerifier = 1;
}

def Hetero_LinkOp : Hetero_ClusterPart<"link",
    [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a cable between two nodes or switches";
  let description = [{
    A full-duplex link. Several links between the same two are as many cables.

    Constraints:
    - (link_c1) Both ends are nodes or switches of the cluster.
    - (link_c2) The ends differ.

    ```mlir
    hetero.cluster @pair {
      hetero.device_class @t4 memory 16 GB peak <f32: 8.1 TFLOP/s> bandwidth 320 GB/s
      hetero.node @n0 [1 x @t4]
      hetero.node @n1 [1 x @t4]
      hetero.link @n0 <-> @n1 by <infiniband, 100 Gb/s, 1.5 us>
    }
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$first, FlatSymbolRefAttr:$second,
                       Hetero_LinkAttr:$link);
  let assemblyFormat = [{
    $first ` ` `<` `->` $second `by` $link attr-dict
  }];
  let hasVerifier = 1;
}

def Hetero_RouteOp : Hetero_ClusterPart<"route",
    [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "the way that messages between two nodes take";
  let description = [{
    Overrides the path that would be taken otherwise, in both directions. `via`
    lists the vertices in between, in order.

    Constraints:
    - (route_c1) The ends are nodes of the cluster and differ.
    - (route_c2) What the route passes are nodes or switches of the cluster.
    - (route_c3) Each two that follow each other are joined by a link or are a
      switch and its member.

    ```mlir
    hetero.cluster @three {
      hetero.device_class @t4 memory 16 GB peak <f32: 8.1 TFLOP/s> bandwidth 320 GB/s
      hetero.node @n0 [1 x @t4]
      hetero.node @n1 [1 x @t4]
      hetero.switch @lan joins [@n0, @n1] by <ethernet, 10 Gb/s, 30 us>
      hetero.link @n0 <-> @n1 by <ethernet, 1 Gb/s, 30 us>
      hetero.route @n0 -> @n1 via [@lan]
    }
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$source, FlatSymbolRefAttr:$target,
                       FlatSymbolRefArrayAttr:$via);
  let assemblyFormat = "$source `->` $target `via` $via attr-dict";
}

def Hetero_SiteOp : Hetero_ClusterPart<"site",
    [Symbol, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "nodes and switches in one place";
  let description = [{
    Says which nodes are near each other. Sites have no cost of their own: that
    is in the links between them. Planners use them to group devices.

    Constraints:
    - (site_c1) Each member is a node or a switch of the cluster and is listed
      once.
    - (site_c2) A node or switch is in at most one site.

    ```mlir
    hetero.cluster @two_sites {
      hetero.device_class @t4 memory 16 GB peak <f32: 8.1 TFLOP/s> bandwidth 320 GB/s
      hetero.node @n0 [1 x @t4]
      hetero.node @n1 [1 x @t4]
      hetero.link @n0 <-> @n1 by <ethernet, 1 Gb/s, 5 ms>
      hetero.site @east [@n0]
      hetero.site @west [@n1]
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
                       OptionalAttr<StrAttr>:$called,
                       FlatSymbolRefArrayAttr:$members);
  let assemblyFormat = "$sym_name (`called` $called^)? $members attr-dict";
}

def Hetero_MeasuredCollectiveOp : Hetero_ClusterPart<"measured_collective",
    [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "what a collective took when it was measured";
  let description = [{
    Takes the place of formulas for groups of `members` devices in `nodes`
    nodes, of one class if it is given: times by the bytes of the whole tensor.

    Constraints:
    - (measured_collective_c1) There are at least two members, in at least one
      node.
    - (measured_collective_c2) The class is a `hetero.device_class` of the
      cluster.

    ```mlir
    hetero.cluster @box {
      hetero.device_class @l4 memory 24 GB peak <f32: 30.3 TFLOP/s> bandwidth 300 GB/s
      hetero.node @n0 [2 x @l4] link <pcie, 12 GB/s, 5 us>
      hetero.measured_collective all_reduce members 2 nodes 1 class @l4
          times <1 MB: 250 us, 64 MB: 13 ms>
    }
    ```
  }];
  let arguments = (ins Hetero_CollectiveKindAttr:$kind, I64Attr:$members,
                       I64Attr:$nodes,
                       OptionalAttr<FlatSymbolRefAttr>:$device_class,
                       Hetero_TimesAttr:$times);
  let assemblyFormat = [{
    $kind `members` $members `nodes` $nodes (`class` $device_class^)?
    `times` $times attr-dict
  }];
  let hasVerifier = 1;
}

def Hetero_MeshOp : Hetero_Op<"mesh",
    [Symbol, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "devices in a shape";
  let description = [{
    A group of devices, by rank, arranged along named axes in row-major order.
    A mesh without axes has the single axis `devices`.

    Constraints:
    - (mesh_c1) There is at least one device, none is negative, none is listed
      twice.
    - (mesh_c2) Axes have different names and positive sizes, and the product of
      the sizes is the number of devices.
    - (mesh_c3) If there is a cluster beside it, that has the devices, and they
      are available.

    ```mlir
    hetero.mesh @stage0 = [0, 1, 2, 3]
    hetero.mesh @stage1 (data = 2, tensor = 4) = [8 to 15]
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
                       StrArrayAttr:$axis_names,
                       DenseI64ArrayAttr:$axis_sizes,
                       DenseI64ArrayAttr:$devices);
  let assemblyFormat = [{
    $sym_name custom<Mesh>($axis_names, $axis_sizes, $devices) attr-dict
  }];
  let hasVerifier = 1;
  let builders = [
    OpBuilder<(ins "::llvm::StringRef":$name,
                   "::llvm::ArrayRef<int64_t>":$devices)>
  ];
  let extraClassDeclaration = [{
    /// The members of a group that spans `axes` (all axes if there are none);
    /// nothing if an axis does not exist.
    std::optional<int64_t> getGroupSize(::mlir::ArrayAttr axes);
    /// The position of device `rank` in its group along `axes`, row-major in
    /// the order of `axes`; nothing if it is not in the mesh or an axis does not
    /// exist.
    std::optional<int64_t> getMember(int64_t rank, ::mlir::ArrayAttr axes);
    /// The devices of the group of `rank` along `axes`, by position; empty
    /// where getMember gives nothing.
    ::llvm::SmallVector<int64_t> getGroup(int64_t rank,
                                          ::mlir::ArrayAttr axes);
  }];
}

#endif // HETERO_DIALECT_HETERO_HETEROCLUSTEROPS_TD
