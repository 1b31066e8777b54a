//===- Retarget.cpp - Kernels of a GPU as functions of the host -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Retarget.h"
#include "Ptx/PtxThread.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PassManager.h"
#include "llvm/IR/ReplaceConstant.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/IPO/AlwaysInliner.h"
#include <cstddef>

using namespace llvm;

namespace {

/// The address space of what a block shares.
constexpr unsigned sharedSpace = 3;

class Retargeting {
public:
  Retargeting(Module &module)
      : module(module), context(module.getContext()), builder(context) {}

  Error run();

private:
  Error fail(const Instruction &what, const Twine &why) {
    std::string text;
    raw_string_ostream(text) << what;
    return createStringError(why + ":" + text);
  }

  void inlineAll();
  Error placeShared();
  Error makeHostFunction(Function &kernel, unsigned number);
  void describeKernel(const Function &kernel, StringRef symbol);
  Error rewrite(Instruction &instruction);
  Error rewriteCall(CallInst &call);
  Error rewriteShuffle(CallInst &call, StringRef name);
  Error rewriteAssembly(CallInst &call, StringRef text);
  Value *makeWide(CallInst &call, StringRef mnemonics);
  void callOperation(CallInst &call, StringRef name);
  Error rewriteAccess(Instruction &instruction, unsigned operand, Type *type,
                      int how);
  bool isOfThread(Value *pointer);
  uint32_t number(const Instruction &instruction);

  Value *field(size_t offset, Type *type) {
    return builder.CreateLoad(
        type, builder.CreateConstGEP1_64(builder.getInt8Ty(), thread, offset));
  }
  /// A function that the host has for translated code.
  Value *hostFunction(size_t offset) {
    Value *host = field(offsetof(ptx_thread, host), builder.getPtrTy());
    return builder.CreateLoad(
        builder.getPtrTy(),
        builder.CreateConstGEP1_64(builder.getInt8Ty(), host, offset));
  }
  CallInst *callHost(size_t offset, Type *result, ArrayRef<Value *> arguments) {
    SmallVector<Type *> types;
    for (Value *argument : arguments)
      types.push_back(argument->getType());
    return builder.CreateCall(FunctionType::get(result, types, false),
                              hostFunction(offset), arguments);
  }
  CallInst *access(int space, Value *address, uint64_t bytes, int how,
                   uint32_t line) {
    return callHost(offsetof(ptx_host, access), builder.getPtrTy(),
                    {thread, builder.getInt32(space), address,
                     builder.getInt32(bytes), builder.getInt32(how),
                     builder.getInt32(line)});
  }

  Module &module;
  LLVMContext &context;
  IRBuilder<> builder;
  /// Of the function that is being made.
  Value *thread = nullptr;
  bool isBlocking = false;
  struct Shared {
    uint64_t begin, bytes;
  };
  /// By kernel.
  DenseMap<Function *, SmallVector<Shared>> shared;
  uint64_t sharedEnd = PTX_FIRST_ADDRESS;
  std::string manifest;
  SmallVector<std::string> lines;
};

} // namespace

/// A kernel is then one function, which has the thread at hand.
void Retargeting::inlineAll() {
  for (Function &function : module) {
    // They name another processor.
    function.removeFnAttr("target-cpu");
    function.removeFnAttr("target-features");
    if (function.isDeclaration() ||
        function.getCallingConv() == CallingConv::PTX_Kernel)
      continue;
    function.removeFnAttr(Attribute::NoInline);
    function.removeFnAttr(Attribute::OptimizeNone);
    function.addFnAttr(Attribute::AlwaysInline);
  }
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager graph;
  ModuleAnalysisManager modules;
  PassBuilder passes;
  passes.registerModuleAnalyses(modules);
  passes.registerCGSCCAnalyses(graph);
  passes.registerFunctionAnalyses(functions);
  passes.registerLoopAnalyses(loops);
  passes.crossRegisterProxies(loops, functions, graph, modules);
  AlwaysInlinerPass(/*InsertLifetime=*/false).run(module, modules);
}

/// Gives the variables of a block addresses, and says who uses them.
Error Retargeting::placeShared() {
  for (GlobalVariable &variable : module.globals()) {
    if (variable.getAddressSpace() != sharedSpace) {
      if (!variable.isConstant())
        return createStringError("the module changes its variable '" +
                                 variable.getName() + "'");
      continue;
    }
    convertUsersOfConstantsToInstructions({&variable});
    uint64_t bytes = module.getDataLayout()
                         .getTypeAllocSize(variable.getValueType())
                         .getFixedValue();
    uint64_t begin = alignTo(sharedEnd, variable.getAlign().valueOrOne());
    sharedEnd = begin + bytes;
    SetVector<Function *> kernels;
    for (User *user : variable.users())
      kernels.insert(cast<Instruction>(user)->getFunction());
    for (Function *kernel : kernels)
      shared[kernel].push_back({begin, bytes});
    variable.replaceAllUsesWith(ConstantExpr::getIntToPtr(
        builder.getInt64(PTX_SHARED_WINDOW + begin), variable.getType()));
  }
  return Error::success();
}

/// The number that stands for the instruction in what is said about it.
uint32_t Retargeting::number(const Instruction &instruction) {
  std::string text;
  raw_string_ostream(text) << instruction;
  lines.push_back(text);
  return lines.size();
}

/// Whether it points to what only the thread has, or to constants.
bool Retargeting::isOfThread(Value *pointer) {
  const Value *object = getUnderlyingObject(pointer, /*MaxLookup=*/0);
  if (const auto *variable = dyn_cast<GlobalVariable>(object))
    return variable->isConstant();
  return isa<AllocaInst>(object);
}

Error Retargeting::rewriteAccess(Instruction &instruction, unsigned operand,
                                 Type *type, int how) {
  Value *pointer = instruction.getOperand(operand);
  if (isOfThread(pointer))
    return Error::success();
  uint64_t bytes =
      module.getDataLayout().getTypeStoreSize(type).getFixedValue();
  if (!isPowerOf2_64(bytes))
    return fail(instruction, "an access of " + Twine(bytes) + " bytes");
  Value *address = builder.CreatePtrToInt(pointer, builder.getInt64Ty());
  Value *place = access(PTX_GENERIC, address, bytes, how, number(instruction));
  instruction.setOperand(
      operand, builder.CreateAddrSpaceCast(place, pointer->getType()));
  return Error::success();
}

/// llvm.nvvm.shfl.sync.<how>.<type>[p](mask, value, lane, clamp)
Error Retargeting::rewriteShuffle(CallInst &call, StringRef name) {
  auto [mode, type] = name.split('.');
  int what = StringSwitch<int>(mode)
                 .Case("up", PTX_SHUFFLE_UP)
                 .Case("down", PTX_SHUFFLE_DOWN)
                 .Case("bfly", PTX_SHUFFLE_BUTTERFLY)
                 .Case("idx", PTX_SHUFFLE_INDEX)
                 .Default(-1);
  if (what < 0)
    return fail(call, "an unknown shuffle");
  bool hasPredicate = type.ends_with("p");
  Value *value = call.getArgOperand(1);
  Type *result = value->getType();
  Function *function = call.getFunction();
  builder.SetInsertPointPastAllocas(function);
  Value *predicate = builder.CreateAlloca(builder.getInt8Ty());
  builder.SetInsertPoint(&call);
  Value *bits = builder.CreateBitCast(value, builder.getInt32Ty());
  Value *given = callHost(
      offsetof(ptx_host, collective), builder.getInt64Ty(),
      {thread, builder.getInt32(what), call.getArgOperand(0),
       builder.CreateZExt(bits, builder.getInt64Ty()), call.getArgOperand(2),
       call.getArgOperand(3), predicate, builder.getInt32(number(call))});
  Value *moved = builder.CreateBitCast(
      builder.CreateTrunc(given, builder.getInt32Ty()), result);
  if (hasPredicate) {
    Value *flag =
        builder.CreateTrunc(builder.CreateLoad(builder.getInt8Ty(), predicate),
                            builder.getInt1Ty());
    Value *pair =
        builder.CreateInsertValue(PoisonValue::get(call.getType()), moved, 0);
    moved = builder.CreateInsertValue(pair, flag, 1);
  }
  call.replaceAllUsesWith(moved);
  call.eraseFromParent();
  isBlocking = true;
  return Error::success();
}

/// The offset of a special register in a thread, or -1.
static int64_t findRegister(StringRef name) {
  if (name == "laneid")
    return offsetof(ptx_thread, lane);
  auto [what, axis] = name.split('.');
  if (axis.size() != 1 || axis[0] < 'x' || axis[0] > 'z')
    return -1;
  int64_t base = StringSwitch<int64_t>(what)
                     .Case("tid", offsetof(ptx_thread, tid))
                     .Case("ctaid", offsetof(ptx_thread, ctaid))
                     .Case("ntid", offsetof(ptx_thread, ntid))
                     .Case("nctaid", offsetof(ptx_thread, nctaid))
                     .Default(-1);
  return base < 0 ? -1 : base + 4 * (axis[0] - 'x');
}

/// The instructions of assembly, without operands and declarations.
static std::string getMnemonics(StringRef text) {
  SmallVector<StringRef> statements;
  text.split(statements, ';');
  std::string all;
  for (StringRef statement : statements) {
    StringRef word = statement.ltrim("{} \t\n").split(' ').first;
    if (!word.empty() && word != "}" && word != ".reg" && word != "mov.b64")
      all += (all.empty() ? "" : " ") + word.str();
  }
  return all;
}

/// What libdevice has written as assembly, which carries from word to word.
Value *Retargeting::makeWide(CallInst &call, StringRef mnemonics) {
  auto argument = [&](unsigned index, unsigned bits) {
    return builder.CreateZExt(call.getArgOperand(index),
                              builder.getIntNTy(bits));
  };
  auto both = [&](unsigned index) {
    return builder.CreateOr(
        argument(index, 128),
        builder.CreateShl(argument(index + 1, 128), uint64_t(64)));
  };
  auto product = [&](unsigned bits) {
    return builder.CreateMul(argument(0, bits), argument(1, bits));
  };
  if (mnemonics == "mad.lo.cc.u32 madc.hi.u32")
    return builder.CreateAdd(product(64), argument(2, 64));
  if (mnemonics == "add.cc.u32 addc.cc.u32 addc.cc.u32 addc.u32")
    return builder.CreateAdd(both(0), both(2));
  if (mnemonics == "sub.cc.u32 subc.cc.u32 subc.cc.u32 subc.u32")
    return builder.CreateSub(both(0), both(2));
  if (mnemonics == "mul.lo.u32 mul.hi.u32 mad.lo.cc.u32 madc.hi.u32 "
                   "mad.lo.cc.u32 madc.hi.cc.u32 madc.hi.u32 mad.lo.cc.u32 "
                   "addc.u32")
    return product(128);
  if (mnemonics == "mad.lo.cc.u32 madc.hi.cc.u32 madc.hi.u32 mad.lo.cc.u32 "
                   "madc.hi.cc.u32 madc.hi.u32 mad.lo.cc.u32 madc.lo.cc.u32 "
                   "addc.u32")
    return builder.CreateAdd(product(128), argument(2, 128));
  return nullptr;
}

/// One instruction has operands and one result, as an intrinsic has.
Error Retargeting::rewriteAssembly(CallInst &call, StringRef text) {
  std::string mnemonics = getMnemonics(text);
  Value *result = nullptr;
  if (mnemonics == "setp.equ.f64 selp.f64") {
    Value *isEqual =
        builder.CreateFCmpUEQ(call.getArgOperand(0), call.getArgOperand(1));
    result = builder.CreateSelect(isEqual, call.getArgOperand(2),
                                  call.getArgOperand(3));
  } else if (Value *wide = makeWide(call, mnemonics)) {
    auto *halves = cast<StructType>(call.getType());
    unsigned bits = halves->getElementType(0)->getIntegerBitWidth();
    Value *low = builder.CreateTrunc(wide, halves->getElementType(0));
    Value *high = builder.CreateTrunc(builder.CreateLShr(wide, uint64_t(bits)),
                                      halves->getElementType(1));
    result = builder.CreateInsertValue(PoisonValue::get(halves), low, 0);
    result = builder.CreateInsertValue(result, high, 1);
  } else if (StringRef(mnemonics).contains(' ')) {
    return fail(call, "unknown assembly");
  } else {
    callOperation(call, mnemonics);
    return Error::success();
  }
  call.replaceAllUsesWith(result);
  call.eraseFromParent();
  return Error::success();
}

/// Calls the function of HostOperations.h in place of an operation.
void Retargeting::callOperation(CallInst &call, StringRef name) {
  std::string symbol = "nvvm_" + name.str();
  llvm::replace(symbol, '.', '_');
  SmallVector<Value *> arguments(call.args());
  Value *result = builder.CreateCall(
      module.getOrInsertFunction(symbol, call.getFunctionType()), arguments);
  call.replaceAllUsesWith(result);
  call.eraseFromParent();
}

Error Retargeting::rewriteCall(CallInst &call) {
  if (auto *assembly = dyn_cast<InlineAsm>(call.getCalledOperand()))
    return rewriteAssembly(call, assembly->getAsmString());
  Function *callee = call.getCalledFunction();
  if (!callee)
    return fail(call, "a call of what is not known");
  StringRef name = callee->getName();
  if (isa<MemIntrinsic>(call))
    return fail(call, "an access of many bytes");
  if (callee->isIntrinsic() && !name.starts_with("llvm.nvvm."))
    return Error::success();
  if (!name.consume_front("llvm.nvvm."))
    return fail(call, "a call of a function that is not there");
  if (name.consume_front("shfl.sync."))
    return rewriteShuffle(call, name);
  if (name == "barrier.cta.sync.aligned.all") {
    callHost(offsetof(ptx_host, barrier), builder.getVoidTy(),
             {thread, call.getArgOperand(0), builder.getInt32(0),
              builder.getInt32(1), builder.getInt32(number(call))});
    call.eraseFromParent();
    isBlocking = true;
    return Error::success();
  }
  if (!name.consume_front("read.ptx.sreg.")) {
    callOperation(call, name);
    return Error::success();
  }
  int64_t offset = findRegister(name);
  if (offset < 0)
    return fail(call, "an unknown register");
  call.replaceAllUsesWith(field(offset, builder.getInt32Ty()));
  call.eraseFromParent();
  return Error::success();
}

Error Retargeting::rewrite(Instruction &instruction) {
  builder.SetInsertPoint(&instruction);
  if (auto *load = dyn_cast<LoadInst>(&instruction))
    return rewriteAccess(instruction, LoadInst::getPointerOperandIndex(),
                         load->getType(),
                         load->isAtomic() ? PTX_ATOMIC : PTX_READ);
  if (auto *store = dyn_cast<StoreInst>(&instruction))
    return rewriteAccess(instruction, StoreInst::getPointerOperandIndex(),
                         store->getValueOperand()->getType(),
                         PTX_WRITE |
                             (store->isAtomic() ? PTX_ATOMIC : PTX_READ));
  if (auto *update = dyn_cast<AtomicRMWInst>(&instruction))
    return rewriteAccess(
        instruction, AtomicRMWInst::getPointerOperandIndex(), update->getType(),
        PTX_WRITE | PTX_ATOMIC |
            (update->getOperation() == AtomicRMWInst::Xchg ? 0 : PTX_UPDATE));
  if (auto *exchange = dyn_cast<AtomicCmpXchgInst>(&instruction))
    return rewriteAccess(instruction,
                         AtomicCmpXchgInst::getPointerOperandIndex(),
                         exchange->getCompareOperand()->getType(),
                         PTX_WRITE | PTX_ATOMIC | PTX_UPDATE);
  if (auto *call = dyn_cast<CallInst>(&instruction))
    return rewriteCall(*call);
  return Error::success();
}

void Retargeting::describeKernel(const Function &kernel, StringRef symbol) {
  raw_string_ostream os(manifest);
  os << "kernel " << kernel.getName() << " " << symbol << " " << isBlocking
     << "\n";
  uint64_t offset = 0;
  for (const Argument &argument : kernel.args()) {
    uint64_t bytes = module.getDataLayout()
                         .getTypeAllocSize(argument.getType())
                         .getFixedValue();
    offset = alignTo(offset, bytes);
    os << "parameter " << offset << " " << bytes << "\n";
    offset += bytes;
  }
  Attribute most = kernel.getFnAttribute("nvvm.maxntid");
  if (most.isValid()) {
    SmallVector<StringRef> sizes;
    most.getValueAsString().split(sizes, ',');
    os << "threads";
    for (size_t axis = 0; axis < 3; ++axis)
      os << " " << (axis < sizes.size() ? sizes[axis] : "1");
    os << "\n";
  }
}

Error Retargeting::makeHostFunction(Function &kernel, unsigned index) {
  std::string symbol = "host_" + std::to_string(index);
  auto *type =
      FunctionType::get(builder.getVoidTy(), builder.getPtrTy(), false);
  Function *host =
      Function::Create(type, GlobalValue::ExternalLinkage, symbol, module);
  thread = host->getArg(0);
  isBlocking = false;
  // The parameters come from their memory.
  BasicBlock *entry = BasicBlock::Create(context, "parameters", host);
  builder.SetInsertPoint(entry);
  uint64_t offset = 0;
  for (Argument &argument : kernel.args()) {
    uint64_t bytes = module.getDataLayout()
                         .getTypeAllocSize(argument.getType())
                         .getFixedValue();
    offset = alignTo(offset, bytes);
    Value *address = builder.getInt64(PTX_FIRST_ADDRESS + offset);
    Value *place = access(PTX_PARAM, address, bytes, PTX_READ, 0);
    argument.replaceAllUsesWith(builder.CreateLoad(argument.getType(), place));
    offset += bytes;
  }
  BasicBlock *first = &kernel.getEntryBlock();
  host->splice(host->end(), &kernel);
  builder.CreateBr(first);
  // The variables of a function are made where it begins.
  for (Instruction &instruction : make_early_inc_range(*first))
    if (isa<AllocaInst>(instruction))
      instruction.moveBefore(entry->begin());
  SmallVector<Instruction *> all;
  for (BasicBlock &block : drop_begin(*host))
    for (Instruction &instruction : block)
      all.push_back(&instruction);
  for (Instruction *instruction : all)
    if (Error error = rewrite(*instruction))
      return error;
  describeKernel(kernel, symbol);
  for (const Shared &each : shared.lookup(&kernel))
    raw_string_ostream(manifest)
        << "shared " << each.begin << " " << each.bytes << "\n";
  return Error::success();
}

Error Retargeting::run() {
  inlineAll();
  if (Error error = placeShared())
    return error;
  SmallVector<Function *> kernels;
  for (Function &function : module)
    if (function.getCallingConv() == CallingConv::PTX_Kernel &&
        !function.isDeclaration())
      kernels.push_back(&function);
  for (auto [index, kernel] : enumerate(kernels))
    if (Error error = makeHostFunction(*kernel, index))
      return error;
  for (Function *kernel : kernels) {
    kernel->dropAllReferences();
    kernel->eraseFromParent();
  }
  raw_string_ostream os(manifest);
  os << "memory " << sharedEnd << "\n";
  for (const std::string &line : lines)
    os << "line" << line << "\n";
  auto *text = ConstantDataArray::getString(context, manifest);
  new GlobalVariable(module, text->getType(), /*isConstant=*/true,
                     GlobalValue::ExternalLinkage, text, "hetero_manifest");
  return Error::success();
}

Error hetero::standin::retarget(Module &module, TargetMachine &machine) {
  module.setTargetTriple(machine.getTargetTriple());
  module.setDataLayout(machine.createDataLayout());
  return Retargeting(module).run();
}
