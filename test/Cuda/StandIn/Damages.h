//===- Damages.h - Mistakes that the program has not made -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether a kind of mistake is found can only be seen when it is made. With
//
//   HETERO_STANDIN="...;damage=drop-wait@1:3"
//
// the third wait for an event on device 1 does nothing, as if the program had
// forgotten it: what comes then is the program's own work with that mistake.
// // The calls of a kind are counted for each device by itself, since ranks
// call in any order; "*" stands for all devices and for all calls.

#ifndef HETERO_TEST_CUDA_STANDIN_DAMAGES_H
#define HETERO_TEST_CUDA_STANDIN_DAMAGES_H

#include <cstdint>
#include <string>

namespace hetero::standin {

struct Stream;
struct Device;

/// Kind, its name, and what the call is as if.
#define HETERO_DAMAGES(F)                                                      \
  /* Streams and events. */                                                    \
  F(DropWait, "drop-wait", "a stream does not wait for an event")              \
  F(DropRecord, "drop-record", "an event is not recorded")                     \
  F(LieQuery, "lie-query", "the host does not wait until an event is done")    \
  F(DestroyEvent, "destroy-event", "an event is destroyed too early")          \
  F(DestroyStream, "destroy-stream", "a stream is destroyed too early")        \
  /* Graphs. */                                                                \
  F(GraphStream, "graph-stream", "a graph is launched in another stream")      \
  F(GraphOverlap, "graph-overlap", "a graph does not wait for what is before") \
  F(GraphEdge, "graph-edge", "a node of a graph waits for none of the others") \
  F(GraphStale, "graph-stale", "buffers have moved since a graph was made")    \
  /* Kernels. */                                                               \
  F(DropLaunch, "drop-launch", "a kernel is not launched")                     \
  F(LaunchStream, "launch-stream", "a kernel is launched in another stream")   \
  F(LaunchBlocks, "launch-blocks", "a kernel of several lacks a block")        \
  F(LaunchSwapped, "launch-swapped", "a kernel's outermost buffers change")    \
  F(LaunchShifted, "launch-shifted", "a buffer begins one element too late")   \
  F(UnloadModule, "unload-module", "a module is unloaded too early")           \
  F(TextBarrier, "text-barrier", "a kernel lacks a barrier")                   \
  F(TextMask, "text-mask", "a shuffle lacks half of its lanes")                \
  F(TextStore, "text-store", "a kernel stores behind the end")                 \
  F(TextDropStore, "text-drop-store", "a kernel lacks a store")                \
  F(TextShared, "text-shared", "a kernel lacks a store to shared memory")      \
  F(TextAlign, "text-align", "a kernel stores at an odd address")              \
  /* Copies. */                                                                \
  F(DropWrite, "drop-write", "nothing is copied to the device")                \
  F(DropRead, "drop-read", "nothing is copied to the host")                    \
  F(DropCopy, "drop-copy", "nothing is copied within the device")              \
  F(WriteStream, "write-stream", "a copy to the device is in another stream")  \
  F(ReadStream, "read-stream", "a copy to the host is in another stream")      \
  F(CopyStream, "copy-stream", "a copy within the device is")                  \
  F(LongWrite, "long-write", "a copy to the device is too long")               \
  F(ShortWrite, "short-write", "a copy to the device lacks a byte")            \
  F(TurnedWrite, "turned-write", "a copy to the device is one to the host")    \
  F(TurnedCopy, "turned-copy",                                                 \
    "a copy within the device has its sides turned")                           \
  /* Memory. */                                                                \
  F(EarlyFree, "early-free", "memory is freed before its last use")            \
  F(DoubleFree, "double-free", "memory is freed twice")                        \
  F(FreeStream, "free-stream", "memory is freed in another stream")            \
  F(SmallMemory, "small-memory", "an allocation has half of its bytes")        \
  F(FreePinned, "free-pinned", "pinned memory is freed too early")             \
  /* Products of matrices. */                                                  \
  F(DropGemm, "drop-gemm", "a product is not computed")                        \
  F(GemmStream, "gemm-stream", "a product is computed in another stream")      \
  F(GemmSum, "gemm-sum", "a product is added to what is there")                \
  F(GemmRows, "gemm-rows", "a product has rows too many")                      \
  /* Communication. */                                                         \
  F(DropCall, "drop-call", "a rank lacks a transfer")                          \
  F(CallStream, "call-stream", "a transfer is in another stream")              \
  F(CallOrder, "call-order", "a rank enters a transfer after the next one")    \
  F(CallRoot, "call-root", "a rank has another root, or the wrong peer")       \
  F(CallCount, "call-count", "a rank transfers an element less")               \
  F(CallType, "call-type", "a rank has another type")                          \
  F(CallReduction, "call-reduction", "a rank reduces otherwise")               \
  F(CallKind, "call-kind", "a rank gathers where others reduce")               \
  F(CallGroup, "call-group", "a transfer is of another communicator")          \
  F(CallBuffer, "call-buffer", "a transfer has a buffer that is elsewhere")    \
  F(DropGroupEnd, "drop-group-end", "a group of transfers is not ended")       \
  F(DropGroup, "drop-group", "transfers are not grouped")                      \
  F(DestroyGroup, "destroy-group", "a communicator is destroyed too early")

enum class Damage {
  None,
#define HETERO_DAMAGE(kind, name, what) kind,
  HETERO_DAMAGES(HETERO_DAMAGE)
#undef HETERO_DAMAGE
};

/// What is damaged: the `call`th call of the kind on a device. -1 is any.
struct DamageSetting {
  Damage kind = Damage::None;
  int64_t device = 0, call = 1;
};

/// "drop-wait@1:3"; false if it is none.
bool parseDamage(const std::string &text, DamageSetting &setting);
/// All names, for messages.
std::string listDamages();

/// Counts a call; whether it is the one to be damaged.
bool isDamaged(Damage kind, const Device &device);
/// The stream that a call shall use: another one if it is damaged so.
Stream &damageStream(Damage kind, Stream &stream);
/// The text of a module with what is to be wrong in it.
std::string damageText(std::string text, const Device &device);

} // namespace hetero::standin

#endif // HETERO_TEST_CUDA_STANDIN_DAMAGES_H
