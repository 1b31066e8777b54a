//===- HeteroInterfaces.td - Interfaces of the hetero dialect -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HETERO_DIALECT_HETERO_HETEROINTERFACES_TD
#define HETERO_DIALECT_HETERO_HETEROINTERFACES_TD

include "mlir/IR/OpBase.td"

def Hetero_CommunicationOpInterface
    : OpInterface<"CommunicationOpInterface"> {
  let cppNamespace = "::hetero";
  let description = [{
    An operation by which ranks exchange data: a *collective* of the devices of
    a mesh along some of its axes, or one end of a *message* between two ranks.

    An operation whose result is a `!hetero.handle` only starts; `hetero.wait`
    ends it. Otherwise it blocks until its own part is done.
  }];
  let methods = [
    InterfaceMethod<"The mesh of a collective; null for a message.",
      "::mlir::FlatSymbolRefAttr", "getGroupMesh">,
    InterfaceMethod<[{The axes of the mesh that the group spans, all if empty;
                      null for a message.}],
      "::mlir::ArrayAttr", "getGroupAxes">,
    InterfaceMethod<[{The other rank of a message; nothing for a collective.}],
      "std::optional<int64_t>", "getPeerRank">,
    InterfaceMethod<[{Tells apart what the same ranks exchange at the same
                      time.}],
      "int64_t", "getChannelNumber">,
    InterfaceMethod<[{The bytes that `member` of a group of `members` puts in
                      (of a message: that it carries); nothing if the shapes are
                      not static.}],
      "std::optional<int64_t>", "getMemberBytes",
      (ins "int64_t":$member, "int64_t":$members)>,
    InterfaceMethod<[{What the operations that belong together on different
                      ranks have in common, as seen by `rank`: for a message
                      both ends and the channel, for a collective its kind,
                      devices and channel. Operations with the same key match in
                      the order in which each rank issues them. `mesh` is that
                      of getGroupMesh, or null.}],
      "::mlir::ArrayAttr", "getMatchingKey",
      (ins "int64_t":$rank, "::hetero::MeshOp":$mesh)>,
    InterfaceMethod<[{Whether this only starts, and a hetero.wait ends it.}],
      "bool", "isStart", (ins), "", [{
        return ::llvm::any_of($_op->getResultTypes(),
                              ::llvm::IsaPred<::hetero::HandleType>);
      }]>
  ];
}

#endif // HETERO_DIALECT_HETERO_HETEROINTERFACES_TD
