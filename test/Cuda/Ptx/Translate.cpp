//===- Translate.cpp - Writes a module as C -------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Translate.h"
#include "FunctionWriter.h"
#include "PtxThread.h"
#include <algorithm>
#include <cstring>

namespace hetero::standin::ptx {

static size_t alignTo(size_t offset, size_t alignment) {
  return (offset + alignment - 1) / alignment * alignment;
}

/// Says where the module's variables are.
static void placeVariables(ModuleContext &context) {
  Translation &translation = context.translation;
  auto problem = [&](const Variable &variable, const std::string &message) {
    translation.problems.push_back(
        {variable.line, "'" + variable.name + "': " + message});
  };
  std::vector<char> &memory = translation.memory;
  for (const Variable &variable : context.module.variables) {
    if (variable.isExternal)
      problem(variable, "external variables are not supported");
    Symbol symbol;
    symbol.kind = Symbol::Kind::Variable;
    symbol.bytes = variable.bytes;
    symbol.space = variable.space;
    size_t begin = 0;
    if (variable.space == "shared") {
      begin = alignTo(context.sharedEnd, variable.alignment);
      // What lies between variables belongs to none.
      context.sharedEnd = begin + variable.bytes + PTX_FIRST_ADDRESS;
      context.shared[variable.name] = {begin, variable.bytes};
      symbol.expression = std::to_string(begin) + "ULL";
    } else {
      begin = alignTo(memory.size() + PTX_FIRST_ADDRESS, variable.alignment);
      memory.resize(begin + variable.bytes);
      std::copy(variable.initial.begin(), variable.initial.end(),
                memory.begin() + begin);
      translation.variables.push_back({begin, variable.bytes});
      symbol.expression =
          "(PTX_MODULE_WINDOW + " + std::to_string(begin) + "ULL)";
    }
    context.variables[variable.name] = symbol;
  }
}

/// Writes the addresses of variables into the initial values of others.
static void resolveReferences(ModuleContext &context) {
  auto begin = context.translation.variables.begin();
  std::map<std::string, size_t> offsets;
  for (const Variable &variable : context.module.variables)
    if (variable.space != "shared")
      offsets[variable.name] = (begin++)->offset;
  for (const Variable &variable : context.module.variables)
    for (const Variable::Reference &reference : variable.references) {
      auto target = offsets.find(reference.name);
      if (target == offsets.end()) {
        context.translation.problems.push_back(
            {variable.line, "'" + reference.name + "' is not known"});
        continue;
      }
      uint64_t address = PTX_MODULE_WINDOW + target->second + reference.addend;
      std::memcpy(context.translation.memory.data() + offsets[variable.name] +
                      reference.offset,
                  &address, sizeof address);
    }
}

static TranslatedKernel describe(const Function &function) {
  TranslatedKernel kernel;
  kernel.name = function.name;
  kernel.symbol = FunctionWriter::mangle("K_", function.name);
  kernel.line = function.line;
  for (const Variable &parameter : function.parameters) {
    size_t offset = alignTo(kernel.parameterBytes, parameter.alignment);
    kernel.parameters.push_back({offset, parameter.bytes});
    kernel.parameterBytes = offset + parameter.bytes;
  }
  std::copy_n(function.maxThreads, 3, kernel.maxThreads);
  std::copy_n(function.requiredThreads, 3, kernel.requiredThreads);
  return kernel;
}

namespace {

/// What a function does, itself and by what it calls.
struct Effects {
  bool isBlocking = false;
  size_t localBytes = 0;
  std::vector<Range> shared;
  std::set<std::string> callees;
};

} // namespace

static void addCallees(const std::map<std::string, Effects> &effects,
                       const std::string &name, std::set<std::string> &seen) {
  if (!seen.insert(name).second)
    return;
  for (const std::string &callee : effects.at(name).callees)
    addCallees(effects, callee, seen);
}

/// Lets kernels have what the functions have that they call.
static void closeOverCalls(Translation &translation,
                           const std::map<std::string, Effects> &effects) {
  for (TranslatedKernel &kernel : translation.kernels) {
    std::set<std::string> reached;
    addCallees(effects, kernel.name, reached);
    size_t localBytes = PTX_FIRST_ADDRESS;
    for (const std::string &name : reached) {
      const Effects &own = effects.at(name);
      kernel.isBlocking |= own.isBlocking;
      // Frames begin at multiples of 16, the largest alignment of an element.
      localBytes += alignTo(own.localBytes, 16) + 16;
      kernel.shared.insert(kernel.shared.end(), own.shared.begin(),
                           own.shared.end());
    }
    translation.localBytes = std::max(translation.localBytes, localBytes);
  }
}

Translation translate(const Module &module) {
  Translation translation;
  ModuleContext context{module, translation, {}, {}, {}, PTX_FIRST_ADDRESS};
  placeVariables(context);
  resolveReferences(context);
  std::string prototypes, bodies;
  for (const Function &function : module.functions)
    if (function.hasBody &&
        context.functions.emplace(function.name, &function).second)
      prototypes += FunctionWriter::signature(function) + ";\n";
    else if (function.hasBody)
      translation.problems.push_back(
          {function.line, "'" + function.name + "' is there twice"});
  std::map<std::string, Effects> effects;
  for (const Function &function : module.functions) {
    if (!function.hasBody)
      continue;
    FunctionWriter writer(context, function);
    bodies += writer.write();
    effects[function.name] = {writer.isBlocking, writer.localBytes,
                              writer.sharedRanges, writer.callees};
    if (function.isKernel)
      translation.kernels.push_back(describe(function));
  }
  closeOverCalls(translation, effects);
  translation.sharedBytes = context.sharedEnd;
  translation.code = "#include \"PtxOperations.h\"\n" + prototypes + bodies;
  return translation;
}

} // namespace hetero::standin::ptx
