//===- ProgramBuilder.cpp - One rank program ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ProgramBuilder.h"

using namespace mlir;
using namespace hetero;
using runtime::BufferId;
using runtime::Instruction;
using runtime::Opcode;

static std::string getLocation(Location loc) {
  std::string text;
  llvm::raw_string_ostream os(text);
  loc->walk([&](Location inner) {
    if (auto file = dyn_cast<FileLineColLoc>(inner)) {
      os << file.getFilename().getValue() << ":" << file.getLine();
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return text;
}

Instruction &ProgramBuilder::add(Opcode opcode, Operation *op) {
  Instruction instruction;
  instruction.opcode = opcode;
  instruction.label = label;
  instruction.location = getLocation(op->getLoc());
  program.instructions.push_back(std::move(instruction));
  return program.instructions.back();
}

FailureOr<BufferId> ProgramBuilder::addBuffer(Value value) {
  std::optional<runtime::TensorType> type = getRuntimeType(value.getType());
  if (!type)
    return emitError(value.getLoc())
           << "a value of type " << value.getType() << " cannot be executed";
  BufferId id = addBuffer(*type);
  set(value, id);
  return id;
}

int32_t ProgramBuilder::getKernel(StringRef name) {
  auto [it, inserted] = kernelIds.try_emplace(name, program.kernels.size());
  if (inserted)
    program.kernels.push_back(name.str());
  return it->second;
}

LogicalResult ProgramBuilder::bind(BufferId id, DictionaryAttr attrs,
                                   bool isResult) {
  auto part = attrs ? attrs.getAs<PartAttr>(HeteroDialect::getPartAttrName())
                    : PartAttr();
  if (!part)
    return function.emitError()
           << (isResult ? "a result" : "an argument")
           << " has no hetero.part, so it is not known what it is of the step";
  runtime::Binding binding;
  binding.buffer = id;
  binding.index = part.getIndex();
  for (DenseI64ArrayAttr ranges : part.getRanges()) {
    std::vector<runtime::Range> list;
    for (int64_t i = 0; i + 1 < ranges.size(); i += 2)
      list.push_back({ranges[i], ranges[i + 1]});
    binding.region.dimensions.push_back(std::move(list));
  }
  (isResult ? program.results : program.arguments)
      .push_back(std::move(binding));
  return success();
}

BufferId ProgramBuilder::copy(BufferId from, const runtime::TensorType &type,
                              Operation *op) {
  BufferId to = addBuffer(type);
  Instruction &instruction = add(Opcode::Copy, op);
  instruction.operands = {from};
  instruction.results = {to};
  return to;
}

void ProgramBuilder::addKernelCall(StringRef kernel,
                                   ArrayRef<BufferId> operands,
                                   ArrayRef<BufferId> results, Operation *op) {
  Instruction &instruction = add(Opcode::Call, op);
  instruction.kernel = getKernel(kernel);
  instruction.operands.assign(operands.begin(), operands.end());
  instruction.results.assign(results.begin(), results.end());
}

/// A kernel, whose results become `results`.
LogicalResult ProgramBuilder::convertPiece(const NamedPiece &piece,
                                           Operation *op, ValueRange results) {
  SmallVector<BufferId> operands = llvm::map_to_vector(
      piece.kernel.operands, [&](Value v) { return get(v); });
  SmallVector<BufferId> ids;
  for (Value made : piece.kernel.results) {
    std::optional<runtime::TensorType> type = getRuntimeType(made.getType());
    if (!type)
      return emitError(made.getLoc())
             << "a value of type " << made.getType() << " cannot be executed";
    ids.push_back(addBuffer(*type));
  }
  addKernelCall(piece.name, operands, ids, op);
  for (auto [result, id] : llvm::zip_equal(results, ids))
    set(result, id);
  return success();
}

/// A unit: its kernels and what it communicates between them.
LogicalResult ProgramBuilder::convertCall(func::CallOp call) {
  FailureOr<ArrayRef<NamedPiece>> pieces = kernels.getPieces(call);
  if (failed(pieces))
    return failure();
  func::FuncOp unit = kernels.getFunction(call);
  Block &block = unit.getBody().front();
  for (auto [argument, operand] :
       llvm::zip_equal(block.getArguments(), call.getOperands()))
    set(argument, get(operand));
  for (const NamedPiece &piece : *pieces) {
    if (piece.communication) {
      if (failed(convertCommunication(piece.communication)))
        return failure();
      continue;
    }
    // The results of one that is whole are those of the call, in order.
    if (piece.kernel.isWhole)
      return convertPiece(piece, call, call.getResults());
    if (failed(convertPiece(piece, call, piece.kernel.results)))
      return failure();
  }
  for (auto [result, value] :
       llvm::zip_equal(call.getResults(), block.getTerminator()->getOperands()))
    set(result, get(value));
  return success();
}

/// The type with the units of the split apart: [.., outer, units * inner, ..].
static runtime::TensorType getWideType(runtime::TensorType type,
                                       SplitAttr split) {
  if (split.getOuter() == 1)
    return type;
  type.shape[split.getDim()] /= split.getOuter();
  type.shape.insert(type.shape.begin() + split.getDim(), split.getOuter());
  return type;
}

static std::vector<int64_t> getLengths(SplitAttr split) {
  std::vector<int64_t> lengths;
  for (int64_t size : split.getSizes())
    lengths.push_back(size * split.getInner());
  return lengths;
}

/// What kind of collective it is, and the split that it makes or ends.
LogicalResult ProgramBuilder::setKind(Operation *op, Instruction &instruction,
                                      SplitAttr &split) {
  if (auto gather = dyn_cast<AllGatherOp>(op)) {
    instruction.opcode = Opcode::AllGather;
    split = gather.getSplit();
  } else if (auto scatter = dyn_cast<ReduceScatterOp>(op)) {
    instruction.opcode = Opcode::ReduceScatter;
    split = scatter.getSplit();
  } else if (isa<AllReduceOp>(op)) {
    instruction.opcode = Opcode::AllReduce;
  } else if (isa<ExclusiveScanOp>(op)) {
    instruction.opcode = Opcode::ExclusiveScan;
  } else if (auto broadcast = dyn_cast<BroadcastOp>(op)) {
    instruction.opcode = Opcode::Broadcast;
    instruction.root = broadcast.getRoot();
  } else if (auto all = dyn_cast<AllToAllOp>(op)) {
    instruction.opcode = Opcode::AllToAll;
    split = all.getFrom();
    SplitAttr to = all.getTo();
    if (split.getOuter() != 1 || to.getOuter() != 1)
      return op->emitOpError("has outer parts, which cannot be executed yet");
    instruction.toDimension = to.getDim();
    instruction.toSizes = getLengths(to);
  } else {
    return op->emitOpError("cannot be executed in a rank program");
  }
  return success();
}

LogicalResult ProgramBuilder::convertCollective(Operation *op) {
  auto communication = cast<CommunicationOpInterface>(op);
  auto mesh = SymbolTable::lookupNearestSymbolFrom<MeshOp>(
      op, communication.getGroupMesh());
  if (!mesh)
    return op->emitOpError() << "names " << communication.getGroupMesh()
                             << ", which is not a hetero.mesh";
  SmallVector<int64_t> group =
      mesh.getGroup(program.rank, communication.getGroupAxes());
  if (group.empty()) {
    InFlightDiagnostic error = op->emitOpError()
                               << "is executed by rank " << program.rank;
    error.attachNote(mesh.getLoc()) << "which is not in its mesh";
    return error;
  }
  Instruction instruction;
  SplitAttr split;
  if (failed(setKind(op, instruction, split)))
    return failure();
  instruction.group.assign(group.begin(), group.end());
  instruction.channel = communication.getChannelNumber();
  if (auto algorithm = op->getAttrOfType<AlgorithmAttr>("algorithm"))
    instruction.algorithm = algorithm.getValue();
  if (auto reduction = op->getAttrOfType<ReductionKindAttr>("reduction"))
    instruction.reduction = reduction.getValue();
  instruction.started = communication.isStart();
  Type resultType = op->getResult(0).getType();
  if (auto handle = dyn_cast<HandleType>(resultType))
    resultType = handle.getValue();
  std::optional<runtime::TensorType> result = getRuntimeType(resultType);
  std::optional<runtime::TensorType> operand =
      op->getNumOperands() != 0 ? getRuntimeType(op->getOperand(0).getType())
                                : result;
  if (!result || !operand)
    return op->emitOpError()
           << "communicates " << resultType << ", which cannot be executed";
  // Parts that do not follow each other are moved into a dimension of their
  // own, by copies before and after.
  bool wide = split && split.getOuter() != 1;
  if (wide && instruction.started)
    return op->emitOpError(
        "is started with outer parts, which cannot be executed yet");
  if (auto bucket = op->getAttrOfType<IntegerAttr>("bucket"); bucket && !wide)
    instruction.bucket = bucket.getInt();
  if (split) {
    instruction.dimension = split.getDim() + wide;
    instruction.sizes = getLengths(split);
  }
  if (op->getNumOperands() != 0) {
    BufferId from = get(op->getOperand(0));
    instruction.operands = {wide ? copy(from, getWideType(*operand, split), op)
                                 : from};
  }
  BufferId into = addBuffer(wide ? getWideType(*result, split) : *result);
  instruction.results = {into};
  Instruction &added = add(instruction.opcode, op);
  instruction.label = added.label;
  instruction.location = added.location;
  added = std::move(instruction);
  if (added.started)
    started[op->getResult(0)] = program.instructions.size() - 1;
  set(op->getResult(0), wide ? copy(into, *result, op) : into);
  return success();
}

LogicalResult ProgramBuilder::convertAccumulate(AccumulateOp op) {
  std::optional<runtime::TensorType> type = getRuntimeType(op.getType());
  if (!type)
    return op.emitOpError() << "of " << op.getType() << " cannot be executed";
  BufferId sum = get(op.getAccumulator());
  bool isArgument = sum >= 0 && sum < int64_t(program.arguments.size());
  if (!op.getAccumulator().hasOneUse() || numNames[sum] != 1 || isArgument)
    sum = copy(sum, *type, op);
  Instruction &instruction = add(Opcode::Accumulate, op);
  instruction.operands = {get(op.getOperand()), sum};
  instruction.reduction = op.getReduction();
  numNames[sum] = 0; // The old value has no more use.
  set(op.getResult(), sum);
  return success();
}

LogicalResult ProgramBuilder::convertMessage(Operation *op) {
  if (auto send = dyn_cast<SendOp>(op)) {
    Instruction &instruction = add(Opcode::Send, op);
    instruction.operands = {get(send.getOperand())};
    instruction.peer = send.getPeer();
    instruction.channel = send.getChannel();
    instruction.started = send.getHandle() != nullptr;
    if (send.getHandle())
      started[send.getHandle()] = program.instructions.size() - 1;
    return success();
  }
  auto recv = cast<RecvOp>(op);
  Type type = recv.getResult().getType();
  bool isStart = isa<HandleType>(type);
  if (auto handle = dyn_cast<HandleType>(type))
    type = handle.getValue();
  std::optional<runtime::TensorType> result = getRuntimeType(type);
  if (!result)
    return op->emitOpError() << "of " << type << " cannot be executed";
  BufferId into = addBuffer(*result);
  Instruction &instruction = add(Opcode::Recv, op);
  instruction.results = {into};
  instruction.peer = recv.getPeer();
  instruction.channel = recv.getChannel();
  instruction.started = isStart;
  if (isStart)
    started[recv.getResult()] = program.instructions.size() - 1;
  set(recv.getResult(), into);
  return success();
}

LogicalResult ProgramBuilder::convertCommunication(Operation *op) {
  if (auto accumulate = dyn_cast<AccumulateOp>(op))
    return convertAccumulate(accumulate);
  if (auto wait = dyn_cast<WaitOp>(op)) {
    auto it = started.find(wait.getHandle());
    if (it == started.end())
      return op->emitOpError("waits for what was not started here");
    add(Opcode::Wait, op).target = it->second;
    if (op->getNumResults() != 0)
      set(op->getResult(0), get(wait.getHandle()));
    return success();
  }
  if (isa<SendOp, RecvOp>(op))
    return convertMessage(op);
  return convertCollective(op);
}

LogicalResult ProgramBuilder::convertConstant(stablehlo::ConstantOp op) {
  auto value = dyn_cast<DenseElementsAttr>(op.getValue());
  std::optional<runtime::TensorType> type = getRuntimeType(op.getType());
  bool isBool = op.getType().getElementType().isInteger(1);
  // Large ones of one value are filled in, not kept.
  constexpr int64_t maxSplatBytes = 4096;
  if (!value || !type || (isBool && !value.isSplat()) ||
      (value.isSplat() && type->numBytes() > maxSplatBytes))
    return convertKernel(op);
  std::vector<char> bytes;
  if (isBool) {
    bytes.assign(type->numBytes(), value.getSplatValue<bool>());
  } else if (value.isSplat()) {
    ArrayRef<char> one = value.getRawData();
    for (int64_t i = 0; i < type->numElements(); ++i)
      bytes.insert(bytes.end(), one.begin(), one.end());
  } else {
    bytes.assign(value.getRawData().begin(), value.getRawData().end());
  }
  BufferId id = addBuffer(*type);
  Instruction &instruction = add(Opcode::Constant, op);
  instruction.constant = program.constants.size();
  instruction.results = {id};
  program.constants.push_back(std::move(bytes));
  set(op.getResult(), id);
  return success();
}

LogicalResult ProgramBuilder::convertKernel(Operation *op) {
  if (isa<stablehlo::ReshapeOp>(op)) {
    std::optional<runtime::TensorType> type =
        getRuntimeType(op->getResult(0).getType());
    if (type) {
      set(op->getResult(0), copy(get(op->getOperand(0)), *type, op));
      return success();
    }
  }
  SmallVector<BufferId> operands =
      llvm::map_to_vector(op->getOperands(), [&](Value v) { return get(v); });
  SmallVector<BufferId> results;
  for (Value result : op->getResults()) {
    FailureOr<BufferId> id = addBuffer(result);
    if (failed(id))
      return failure();
    results.push_back(*id);
  }
  addKernelCall(kernels.addKernel(op), operands, results, op);
  return success();
}

LogicalResult ProgramBuilder::convertReturn(func::ReturnOp op) {
  llvm::SmallDenseSet<BufferId> taken;
  for (const runtime::Binding &argument : program.arguments)
    taken.insert(argument.buffer);
  for (auto [index, value] : llvm::enumerate(op.getOperands())) {
    BufferId id = get(value);
    if (id < 0)
      return op.emitOpError() << "returns a value of type " << value.getType()
                              << ", which cannot be executed";
    if (!taken.insert(id).second) {
      runtime::TensorType type = program.buffers[id];
      id = copy(id, type, op);
    }
    if (failed(bind(id, function.getResultAttrDict(index), /*isResult=*/true)))
      return failure();
  }
  return success();
}

LogicalResult ProgramBuilder::convert(Operation *op) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (auto attr = op->getAttrOfType<InstructionAttr>(
          HeteroDialect::getInstructionAttrName()))
    os << attr;
  StringRef name = text;
  label = name.consume_front("#hetero.instruction<") ? name.drop_back().str()
                                                     : std::string();
  if (label.empty())
    label = op->getName().stripDialect().str();
  if (auto call = dyn_cast<func::CallOp>(op))
    return convertCall(call);
  if (auto end = dyn_cast<func::ReturnOp>(op))
    return convertReturn(end);
  if (isa<CommunicationOpInterface, WaitOp, AccumulateOp>(op))
    return convertCommunication(op);
  if (auto constant = dyn_cast<stablehlo::ConstantOp>(op))
    return convertConstant(constant);
  if (isa<stablehlo::StablehloDialect>(op->getDialect()))
    return convertKernel(op);
  return op->emitOpError("cannot be executed in a rank program");
}

/// Ends every buffer after its last use. What a started instruction reads or
/// writes is in use until its wait.
void ProgramBuilder::free() {
  size_t count = program.instructions.size();
  std::vector<int64_t> last(program.buffers.size(), -1);
  for (size_t index = 0; index < count; ++index) {
    const Instruction &instruction = program.instructions[index];
    auto use = [&](const Instruction &of) {
      for (BufferId id : of.operands)
        last[id] = index;
      for (BufferId id : of.results)
        last[id] = index;
    };
    use(instruction);
    if (instruction.opcode == Opcode::Wait)
      use(program.instructions[instruction.target]);
  }
  for (const runtime::Binding &result : program.results)
    last[result.buffer] = -2;
  std::vector<std::vector<BufferId>> freed(count);
  std::vector<BufferId> unused;
  for (size_t id = 0; id < last.size(); ++id) {
    if (last[id] >= 0)
      freed[last[id]].push_back(id);
    else if (last[id] == -1)
      unused.push_back(id);
  }
  std::vector<Instruction> instructions;
  std::vector<int32_t> moved(count);
  auto addFree = [&](std::vector<BufferId> ids) {
    if (ids.empty())
      return;
    Instruction instruction;
    instruction.opcode = Opcode::Free;
    instruction.operands = std::move(ids);
    instructions.push_back(std::move(instruction));
  };
  addFree(std::move(unused)); // Arguments that nothing reads.
  for (size_t index = 0; index < count; ++index) {
    moved[index] = instructions.size();
    instructions.push_back(std::move(program.instructions[index]));
    if (instructions.back().opcode == Opcode::Wait)
      instructions.back().target = moved[instructions.back().target];
    addFree(std::move(freed[index]));
  }
  program.instructions = std::move(instructions);
}

FailureOr<runtime::Program> ProgramBuilder::build() {
  auto attr =
      function->getAttrOfType<ProgramAttr>(HeteroDialect::getProgramAttrName());
  program.rank = attr.getRanks().front();
  if (function.isExternal() || !function.getBody().hasOneBlock())
    return function.emitError("a rank program needs a body of one block");
  for (BlockArgument argument : function.getArguments()) {
    if (failed(addBuffer(argument)) ||
        failed(bind(get(argument),
                    function.getArgAttrDict(argument.getArgNumber()),
                    /*isResult=*/false)))
      return failure();
  }
  Block &block = function.getBody().front();
  if (std::optional<NamedPiece> whole = kernels.getWhole(function)) {
    label = "step";
    if (failed(convertPiece(*whole, block.getTerminator(),
                            whole->kernel.results)) ||
        failed(convert(block.getTerminator())))
      return failure();
  } else {
    for (Operation &op : block)
      if (failed(convert(&op)))
        return failure();
  }
  free();
  if (std::optional<std::string> problem = runtime::verify(program))
    return function.emitError() << "cannot be executed: " << *problem;
  return std::move(program);
}
