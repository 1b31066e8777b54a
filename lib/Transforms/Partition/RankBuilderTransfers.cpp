//===- RankBuilderTransfers.cpp - What a rank gives to other stages -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RankBuilder.h"
#include "hetero/Transforms/Import/TensorExpr.h"

using namespace mlir;
using namespace hetero;
using namespace hetero::partition;

//===----------------------------------------------------------------------===//
// Parts of values
//===----------------------------------------------------------------------===//

/// The type with the units of `form` apart: [.., outer, units * inner, ..].
static RankedTensorType getWideType(RankedTensorType type, const Form &form) {
  SmallVector<int64_t> shape(type.getShape());
  if (form.outer != 1) {
    shape[form.dim] /= form.outer;
    shape.insert(shape.begin() + form.dim, form.outer);
  }
  return RankedTensorType::get(shape, type.getElementType());
}

Value RankBuilder::sliceUnits(Value local, Form form, int64_t total,
                              int64_t begin, int64_t end, Location loc) {
  if (begin == 0 && end == total)
    return local;
  auto type = cast<RankedTensorType>(local.getType());
  RankedTensorType wide = getWideType(type, form);
  int64_t at = form.dim + (form.outer != 1);
  SmallVector<int64_t> starts(wide.getRank(), 0), limits(wide.getShape()),
      strides(wide.getRank(), 1);
  starts[at] = begin * form.inner;
  limits[at] = end * form.inner;
  Value part = stablehlo::SliceOp::create(builder, loc,
                                          reshape(builder, loc, wide, local),
                                          starts, limits, strides);
  SmallVector<int64_t> shape(type.getShape());
  shape[form.dim] = form.outer * (end - begin) * form.inner;
  return reshape(builder, loc,
                 RankedTensorType::get(shape, type.getElementType()), part);
}

Value RankBuilder::concatenateUnits(ArrayRef<Value> pieces, Form form,
                                    RankedTensorType type, Location loc) {
  if (pieces.empty())
    return stablehlo::ConstantOp::create(builder, loc, getZeros(type));
  if (pieces.size() == 1)
    return pieces.front();
  SmallVector<Value> wide;
  for (Value piece : pieces) {
    auto pieceType = cast<RankedTensorType>(piece.getType());
    wide.push_back(reshape(builder, loc, getWideType(pieceType, form), piece));
  }
  Value all =
      stablehlo::ConcatenateOp::create(builder, loc, getWideType(type, form),
                                       wide, form.dim + (form.outer != 1));
  return reshape(builder, loc, type, all);
}

//===----------------------------------------------------------------------===//
// Between stages
//===----------------------------------------------------------------------===//

/// Sends what the ranks of other stages take from this one.
void RankBuilder::send(Value value, Variant variant, Value local,
                       const Holding &holding, int64_t microbatch) {
  Location loc = value.getLoc();
  int64_t position = member.data * stage.tensorSize + member.tensor;
  for (int64_t to : traffic.getDestinations(value, variant)) {
    const StageRun &other = layout.stages[to];
    int64_t channel = traffic.getChannel(value, variant, to, microbatch);
    auto emit = [&](Value part, int64_t peer) {
      if (peer == rank) {
        program.handedOver[channel] = part;
        return;
      }
      auto handle = HandleType::get(builder.getContext(), Type());
      Value sent = SendOp::create(builder, loc, handle, part,
                                  builder.getI64IntegerAttr(peer),
                                  builder.getI64IntegerAttr(channel))
                       .getHandle();
      program.sends.push_back(sent);
    };
    for (int64_t data = 0; data < other.dataSize; ++data)
      for (int64_t tensor = 0; tensor < other.tensorSize; ++tensor) {
        int64_t peer = other.getRank(data, tensor);
        if (!holding.data.isSplit()) {
          int64_t source =
              (data * other.tensorSize + tensor) % stage.devices.size();
          if (source == position)
            emit(local, peer);
          continue;
        }
        if (tensor % stage.tensorSize != member.tensor)
          continue;
        auto [size, begin] =
            layout.getUnits(holding, /*isTensor=*/false, member.at(microbatch));
        auto [wanted, from] = layout.getUnits(holding, /*isTensor=*/false,
                                              {to, data, 0, microbatch});
        int64_t low = std::max(begin, from);
        int64_t high = std::min(begin + size, from + wanted);
        if (low < high)
          emit(sliceUnits(local, holding.data, size, low - begin, high - begin,
                          loc),
               peer);
      }
  }
}

FailureOr<Value> RankBuilder::receive(Value value, Variant variant,
                                      int64_t microbatch) {
  Location loc = value.getLoc();
  int64_t from = value.getDefiningOp()
                     ? layout.getStage(value.getDefiningOp())
                     : *layout.getHome(cast<BlockArgument>(value));
  const StageRun &other = layout.stages[from];
  int64_t channel =
      traffic.getChannel(value, variant, member.stage, microbatch);
  Holding holding = getHolding({value, variant});
  RankedTensorType type =
      layout.getLocalType(value.getType(), holding, member.at(microbatch));
  auto emit = [&](RankedTensorType part, int64_t peer) -> FailureOr<Value> {
    if (peer != rank)
      return Value(RecvOp::create(builder, loc, part,
                                  builder.getI64IntegerAttr(peer),
                                  builder.getI64IntegerAttr(channel)));
    if (auto it = program.handedOver.find(channel);
        it != program.handedOver.end())
      return it->second;
    return (emitError(loc) << "is used by chunk " << stage.chunk << " of stage "
                           << stage.planStage << " before chunk " << other.chunk
                           << " has computed it")
               .attachNote(stage.stage.getLoc())
           << "the order of chunks is that of the stage's schedule";
  };
  if (!holding.data.isSplit())
    return emit(type,
                other.devices[(member.data * stage.tensorSize + member.tensor) %
                              other.devices.size()]);
  auto [wanted, begin] =
      layout.getUnits(holding, /*isTensor=*/false, member.at(microbatch));
  SmallVector<Value> pieces;
  for (int64_t data = 0; data < other.dataSize; ++data) {
    auto [size, start] = layout.getUnits(holding, /*isTensor=*/false,
                                         {from, data, 0, microbatch});
    int64_t low = std::max(begin, start),
            high = std::min(begin + wanted, start + size);
    if (low >= high)
      continue;
    SmallVector<int64_t> shape(type.getShape());
    shape[holding.data.dim] =
        holding.data.outer * (high - low) * holding.data.inner;
    FailureOr<Value> piece =
        emit(RankedTensorType::get(shape, type.getElementType()),
             other.getRank(data, member.tensor % other.tensorSize));
    if (failed(piece))
      return failure();
    pieces.push_back(*piece);
  }
  return concatenateUnits(pieces, holding.data, type, loc);
}
