//===- TensorSplits.cpp - Layers divided along a model dimension ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Analysis/TensorSplits.h"
#include "hetero/Analysis/Roles.h"
#include "hetero/Analysis/Summary.h"
#include "hetero/Dialect/Stablehlo.h"
#include <map>
#include <queue>
#include <set>

using namespace mlir;
using namespace hetero;

/// A split that divides less work for a byte on the network is not worth
/// anything; planners know more about those that do.
static constexpr double leastWorkPerByte = 2;
/// A split that divides less than this share of what another one of the same
/// parameter does is not looked at.
static constexpr double leastShare = 0.05;
/// A layer of which less is divided is not worth it, unless what is left whole
/// is less than this share of the step.
static constexpr double leastDivided = 0.75, negligible = 0.02;
/// A trial looks at one layer in this many of all, and at least at one.
static constexpr int64_t windowShare = 8;
/// How many units are tried for each dimension of a parameter.
static constexpr size_t maxUnits = 10;
/// How many operations all trials together look at: about a second.
static constexpr int64_t maxVisits = 500'000;

std::vector<int64_t> TensorSplits::getDegrees(int64_t layer,
                                              int64_t largest) const {
  std::vector<int64_t> degrees;
  double allWork = 0, allState = 0;
  for (const Layer &other : layers) {
    allWork += other.work;
    allState += other.state;
  }
  auto pays = [](double divided, double own, double all) {
    return divided >= leastDivided * own || own - divided <= negligible * all;
  };
  const Layer &own = layers[layer];
  if (groups.empty() || !pays(own.dividedWork, own.work, allWork) ||
      !pays(own.dividedState, own.state, allState))
    return degrees;
  for (int64_t degree = 2; degree <= largest; ++degree)
    if (llvm::all_of(layers[layer].groups, [&](size_t index) {
          int64_t units = groups[index].units;
          int64_t most = (units + degree - 1) / degree;
          return units >= degree && most * degree * 4 <= units * 5;
        }))
      degrees.push_back(degree);
  return degrees;
}

namespace {
/// What comes of splitting one parameter.
struct Trial {
  TensorSplits::Group group;
  /// What is summed or gathered.
  SmallVector<Value> paid;
  SmallVector<Operation *> local;
  double work = 0, bytes = 0;

  double getWorkPerByte() const { return work / std::max(bytes, 1.0); }
};

class SplitFinder {
public:
  SplitFinder(func::FuncOp step, const FormAnalysis &batch,
              const StepLayers &layers,
              const llvm::MapVector<unsigned, int64_t> &given)
      : step(step), block(step.getBody().front()), batch(batch), layers(layers),
        given(given), roles(getRoles(step)), positions(layers.numLayers),
        kinds(getKinds(step, layers)) {
    for (Operation &op : block)
      if (auto it = layers.ofOp.find(&op); it != layers.ofOp.end()) {
        positions[it->second.layer].push_back(allOps.size());
        allOps.push_back(&op);
      }
  }
  TensorSplits find();

private:
  struct Known {
    std::optional<std::pair<Form, int64_t>> form;
    double workPerByte = 0;
  };

  void setWindow(int64_t first);
  SmallVector<unsigned> getParameters() const;
  SmallVector<int64_t> getSizes() const;
  SmallVector<std::pair<Form, int64_t>> getForms(int64_t dim, int64_t length,
                                                 ArrayRef<int64_t> sizes) const;
  Known getKnown(unsigned argument);
  std::optional<Trial> tryParameter(unsigned argument, const Known &best);
  std::optional<std::pair<Form, int64_t>> chooseForm(unsigned argument,
                                                     ArrayRef<int64_t> dims);
  Trial run(unsigned argument, Form form, int64_t units, bool seeds);
  std::string describe(unsigned argument) const;
  bool addWanted(const FormAnalysis &forms, TensorSplits::Group &group) const;
  void measure(const FormAnalysis &forms, Trial &trial) const;
  void splitGiven(unsigned argument, int64_t dim);
  void keep(Trial trial);
  void keepForAll(Trial trial, int64_t layer);
  std::optional<Trial> translate(const Trial &trial, int64_t from,
                                 int64_t to) const;
  void search(ArrayRef<unsigned> parameters);
  void addShares();
  bool isFree(BlockArgument argument) const;
  StepLayers::Place getPlace(Operation *op) const {
    return layers.ofOp.find(op)->second;
  }

  func::FuncOp step;
  Block &block;
  const FormAnalysis &batch;
  const StepLayers &layers;
  const llvm::MapVector<unsigned, int64_t> &given;
  StepRoles roles;
  TensorSplits splits;
  /// Operations that are in layers, and where those of each layer are.
  std::vector<Operation *> allOps;
  std::vector<SmallVector<int64_t>> positions;
  /// For each layer the first of its structure.
  SmallVector<int64_t> kinds;
  /// Operations that are divided, and arguments that are.
  DenseSet<Operation *> taken;
  DenseSet<unsigned> takenArguments;
  /// The operations of the current window that are not divided yet.
  SmallVector<Operation *> ops;
  DenseSet<Operation *> included;
  /// What was best for parameters that are used alike: those of the same layer
  /// of a model that repeats it.
  std::map<std::string, Known> known;
  int64_t visits = 0;
};
} // namespace

void SplitFinder::setWindow(int64_t first) {
  SmallVector<int64_t> window;
  int64_t last =
      std::min(first + layers.numLayers / windowShare, layers.numLayers - 1);
  for (int64_t layer = first; layer <= last; ++layer)
    llvm::append_range(window, positions[layer]);
  llvm::sort(window);
  ops.clear();
  included.clear();
  for (int64_t position : window)
    if (Operation *op = allOps[position]; !taken.contains(op)) {
      ops.push_back(op);
      included.insert(op);
    }
}

/// Whether nothing but the window uses the state `argument`.
bool SplitFinder::isFree(BlockArgument argument) const {
  RoleAttr role = roles.arguments[argument.getArgNumber()];
  return role && role.isState() && !argument.use_empty() &&
         isa<RankedTensorType>(argument.getType()) &&
         !takenArguments.contains(argument.getArgNumber()) &&
         llvm::all_of(argument.getUsers(), [&](Operation *user) {
           return included.contains(block.findAncestorOpInBlock(*user));
         });
}

/// Matrices that are parameters.
SmallVector<unsigned> SplitFinder::getParameters() const {
  SmallVector<unsigned> parameters;
  for (BlockArgument argument : block.getArguments()) {
    RoleAttr role = roles.arguments[argument.getArgNumber()];
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (role && role.getKind() == RoleKind::Parameter && type &&
        type.getRank() >= 2)
      parameters.push_back(argument.getArgNumber());
  }
  return parameters;
}

/// The sizes of dimensions that reshapes make: heads and the like.
SmallVector<int64_t> SplitFinder::getSizes() const {
  std::set<int64_t> sizes;
  for (Operation *op : ops)
    if (isa<stablehlo::ReshapeOp>(op) && getPlace(op).phase == Phase::Forward)
      for (int64_t size :
           cast<ShapedType>(op->getResult(0).getType()).getShape())
        if (size > 1)
          sizes.insert(size);
  return SmallVector<int64_t>(sizes.begin(), sizes.end());
}

/// Ways to see a dimension as outer * units * inner.
SmallVector<std::pair<Form, int64_t>>
SplitFinder::getForms(int64_t dim, int64_t length,
                      ArrayRef<int64_t> sizes) const {
  SmallVector<std::pair<Form, int64_t>> forms;
  if (length < 2)
    return forms;
  forms.push_back({Form::split(dim), length});
  SmallVector<int64_t> inners = {1};
  llvm::append_range(inners, sizes);
  for (int64_t units : sizes)
    for (int64_t inner : inners)
      if (units < length && units <= length / inner &&
          length % (units * inner) == 0 && forms.size() < maxUnits)
        forms.push_back(
            {Form::split(dim, length / (units * inner), inner), units});
  return forms;
}

/// Adds the arguments that operations would like to have split.
bool SplitFinder::addWanted(const FormAnalysis &forms,
                            TensorSplits::Group &group) const {
  SmallVector<std::pair<Value, Form>> work;
  for (Operation *op : ops)
    for (auto [value, want] :
         llvm::zip_equal(op->getOperands(), forms.getRule(op).operands))
      if (want.isSplit() && forms.getUseForm(value).isReplicated())
        work.push_back({value, want});
  DenseSet<Value> seen;
  bool added = false;
  while (!work.empty()) {
    auto [value, form] = work.pop_back_val();
    if (!forms.getUseForm(value).isReplicated() || !seen.insert(value).second)
      continue;
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      const auto *it = given.find(argument.getArgNumber());
      if (argument.getOwner() == &block && isFree(argument) &&
          (it == given.end() || it->second == form.dim))
        added |= group.arguments.insert({argument.getArgNumber(), form}).second;
      continue;
    }
    auto result = cast<OpResult>(value);
    auto model = dyn_cast<FormOpInterface>(result.getOwner());
    if (!model || !included.contains(result.getOwner()))
      continue;
    for (OpOperand &operand : result.getOwner()->getOpOperands())
      if (std::optional<Form> wanted = model.getOperandForm(
              operand, result.getResultNumber(), form, group.units))
        work.push_back({operand.get(), *wanted});
  }
  return added;
}

/// Collects the work that is divided, and what is summed or gathered for it.
void SplitFinder::measure(const FormAnalysis &forms, Trial &trial) const {
  for (const FormAnalysis::Completion &completion : forms.getCompletions())
    trial.paid.push_back(completion.value);
  for (Operation *op : ops) {
    if (!forms.isLocal(op))
      continue;
    trial.local.push_back(op);
    trial.work += double(getWork(op).flops);
    for (Value result : op->getResults()) {
      // Updated state stays as it is; anything else leaves the window whole.
      bool leaves = llvm::any_of(result.getUsers(), [&](Operation *user) {
        Operation *top = block.findAncestorOpInBlock(*user);
        bool isUpdated = top->hasTrait<OpTrait::IsTerminator>() &&
                         getPlace(op).phase == Phase::Update;
        return !included.contains(top) && !isUpdated;
      });
      if (leaves && !forms.getUseForm(result).isReplicated())
        trial.paid.push_back(result);
    }
  }
  for (Value value : trial.paid)
    trial.bytes += double(getNumBytes(value.getType()));
}

Trial SplitFinder::run(unsigned argument, Form form, int64_t units,
                       bool seeds) {
  Trial trial;
  trial.group.units = units;
  trial.group.arguments[argument] = form;
  constexpr int maxRounds = 6;
  for (int round = 0; round < maxRounds; ++round) {
    visits += ops.size() * (seeds ? 3 : 1);
    FormAxis axis;
    axis.units = units;
    axis.seeds = seeds;
    axis.only = ArrayRef(ops);
    for (auto &[number, given] : trial.group.arguments)
      axis.given[block.getArgument(number)] = given;
    FormAnalysis forms(block, std::move(axis));
    if (round + 1 < maxRounds && addWanted(forms, trial.group))
      continue;
    measure(forms, trial);
    break;
  }
  return trial;
}

/// The type of a parameter and its uses, two operations deep.
std::string SplitFinder::describe(unsigned argument) const {
  Value parameter = block.getArgument(argument);
  auto describeUse = [](OpOperand &use) {
    std::string text;
    llvm::raw_string_ostream os(text);
    os << use.getOwner()->getName();
    if (!use.getOwner()->hasTrait<OpTrait::IsTerminator>())
      os << use.getOperandNumber();
    for (Type type : use.getOwner()->getResultTypes())
      os << ':' << type;
    return text;
  };
  std::set<std::string> uses;
  for (OpOperand &use : parameter.getUses()) {
    std::string first = describeUse(use);
    uses.insert(first);
    for (Value result : use.getOwner()->getResults())
      for (OpOperand &next : result.getUses())
        uses.insert(first + ", " + describeUse(next));
  }
  std::string text;
  llvm::raw_string_ostream os(text);
  os << parameter.getType() << " ";
  llvm::interleave(uses, os, "; ");
  return text;
}

/// The split along one of the dimensions that divides the most work for a byte.
/// Tries are made without seeds, which cost the most.
std::optional<std::pair<Form, int64_t>>
SplitFinder::chooseForm(unsigned argument, ArrayRef<int64_t> dims) {
  auto type = cast<RankedTensorType>(block.getArgument(argument).getType());
  SmallVector<int64_t> sizes = getSizes();
  SmallVector<std::pair<Form, int64_t>> forms;
  SmallVector<std::pair<double, double>> results; // Work, and for a byte.
  double most = 0;
  for (int64_t dim : dims)
    for (auto [form, units] : getForms(dim, type.getDimSize(dim), sizes)) {
      Trial trial = run(argument, form, units, /*seeds=*/false);
      forms.push_back({form, units});
      results.push_back({trial.work, trial.getWorkPerByte()});
      most = std::max(most, trial.work);
    }
  std::optional<std::pair<Form, int64_t>> best;
  double bestWorkPerByte = 0;
  for (auto [form, result] : llvm::zip_equal(forms, results))
    if (result.first >= leastShare * most && result.second > bestWorkPerByte) {
      bestWorkPerByte = result.second;
      best = form;
    }
  return best;
}

/// The best split of a parameter, or of one that is used like it.
SplitFinder::Known SplitFinder::getKnown(unsigned argument) {
  if (takenArguments.contains(argument))
    return {};
  setWindow(layers.ofArgument[argument]);
  if (visits > maxVisits || !isFree(block.getArgument(argument)))
    return {};
  auto [it, isNew] = known.try_emplace(describe(argument));
  if (isNew) {
    auto type = cast<RankedTensorType>(block.getArgument(argument).getType());
    it->second.form = chooseForm(
        argument, llvm::to_vector(llvm::seq<int64_t>(0, type.getRank())));
    if (std::optional<Trial> trial = tryParameter(argument, it->second))
      it->second.workPerByte = trial->getWorkPerByte();
    else
      it->second.form.reset();
  }
  return it->second;
}

/// What that split brings beside those that are kept.
std::optional<Trial> SplitFinder::tryParameter(unsigned argument,
                                               const Known &best) {
  if (takenArguments.contains(argument))
    return std::nullopt;
  setWindow(layers.ofArgument[argument]);
  if (!best.form || !isFree(block.getArgument(argument)))
    return std::nullopt;
  Trial trial =
      run(argument, best.form->first, best.form->second, /*seeds=*/true);
  if (trial.work <= 0 || trial.getWorkPerByte() < leastWorkPerByte)
    return std::nullopt;
  return trial;
}

void SplitFinder::keep(Trial trial) {
  int64_t samples = batch.getAxis().units;
  size_t index = splits.groups.size();
  for (auto &[argument, form] : trial.group.arguments)
    takenArguments.insert(argument);
  splits.groups.push_back(std::move(trial.group));
  for (Operation *op : trial.local) {
    taken.insert(op);
    auto &groups = splits.layers[getPlace(op).layer].groups;
    if (!llvm::is_contained(groups, index))
      groups.push_back(index);
  }
  for (Value value : trial.paid) {
    Operation *def = value.getDefiningOp();
    auto it = def ? layers.ofOp.find(def) : layers.ofOp.end();
    if (it == layers.ofOp.end() || it->second.phase == Phase::Update)
      continue;
    TensorSplits::Layer &layer = splits.layers[it->second.layer];
    Affine<Bytes> &sum =
        it->second.phase == Phase::Forward ? layer.forward : layer.backward;
    int64_t bytes = std::min<uint64_t>(getNumBytes(value.getType()), INT64_MAX);
    if (batch.getForm(value).isSplit())
      sum.perSample += Bytes((bytes + samples - 1) / samples);
    else
      sum.fixed += Bytes(bytes);
  }
}

void SplitFinder::addShares() {
  for (Operation &op : block) {
    auto it = layers.ofOp.find(&op);
    if (it == layers.ofOp.end())
      continue;
    TensorSplits::Layer &layer = splits.layers[it->second.layer];
    double work = double(getWork(&op).flops);
    layer.work += work;
    if (taken.contains(&op))
      layer.dividedWork += work;
  }
  for (BlockArgument argument : block.getArguments()) {
    unsigned number = argument.getArgNumber();
    if (!roles.arguments[number] || !roles.arguments[number].isState())
      continue;
    TensorSplits::Layer &layer = splits.layers[layers.ofArgument[number]];
    double bytes = double(getNumBytes(argument.getType()));
    layer.state += bytes;
    if (takenArguments.contains(number))
      layer.dividedState += bytes;
  }
}

/// The best split along a dimension that the user has chosen. An argument that
/// layers far from each other use is split alone.
void SplitFinder::splitGiven(unsigned argument, int64_t dim) {
  if (takenArguments.contains(argument))
    return;
  setWindow(layers.ofArgument[argument]);
  Trial trial;
  trial.group.units =
      cast<RankedTensorType>(block.getArgument(argument).getType())
          .getDimSize(dim);
  trial.group.arguments[argument] = Form::split(dim);
  if (isFree(block.getArgument(argument)))
    if (auto form = chooseForm(argument, dim))
      trial = run(argument, form->first, form->second, /*seeds=*/true);
  keep(std::move(trial));
}

/// The trial of layer `from` in layer `to`, which has the same structure;
/// nothing if it is not all inside of that layer.
std::optional<Trial> SplitFinder::translate(const Trial &trial, int64_t from,
                                            int64_t to) const {
  Trial result;
  result.group.units = trial.group.units;
  DenseMap<Operation *, Operation *> images;
  for (auto [own, other] : llvm::zip_equal(positions[from], positions[to]))
    images[allOps[own]] = allOps[other];
  for (auto [number, form] : trial.group.arguments) {
    BlockArgument image;
    for (OpOperand &use : block.getArgument(number).getUses())
      if (Operation *user = images.lookup(use.getOwner()))
        image =
            dyn_cast<BlockArgument>(user->getOperand(use.getOperandNumber()));
      else
        return std::nullopt;
    if (!image || image.getType() != block.getArgument(number).getType() ||
        takenArguments.contains(image.getArgNumber()) ||
        given.contains(image.getArgNumber()))
      return std::nullopt;
    result.group.arguments[image.getArgNumber()] = form;
  }
  for (Operation *op : trial.local) {
    Operation *image = images.lookup(op);
    if (!image || taken.contains(image))
      return std::nullopt;
    result.local.push_back(image);
  }
  for (Value value : trial.paid) {
    auto made = dyn_cast<OpResult>(value);
    Operation *image = made ? images.lookup(made.getOwner()) : nullptr;
    if (!image)
      return std::nullopt;
    result.paid.push_back(image->getResult(made.getResultNumber()));
  }
  return result;
}

/// Keeps a trial of a layer for all layers of its structure.
void SplitFinder::keepForAll(Trial trial, int64_t layer) {
  SmallVector<Trial> others;
  for (int64_t other = 0; other < layers.numLayers; ++other)
    if (other != layer && kinds[other] == kinds[layer])
      if (std::optional<Trial> same = translate(trial, layer, other))
        others.push_back(std::move(*same));
  keep(std::move(trial));
  for (Trial &other : others)
    keep(std::move(other));
}

/// Keeps the splits one after the other, those first that divide the most work
/// for a byte. One that is kept takes operations from others, so these are
/// tried again when it is their turn.
void SplitFinder::search(ArrayRef<unsigned> parameters) {
  struct Candidate {
    double workPerByte;
    unsigned argument;
    Known best;
    bool operator<(const Candidate &other) const {
      return std::make_pair(workPerByte, other.argument) <
             std::make_pair(other.workPerByte, argument);
    }
  };
  std::priority_queue<Candidate> queue;
  for (unsigned argument : parameters)
    if (Known best = getKnown(argument); best.form)
      queue.push({best.workPerByte, argument, best});
  while (!queue.empty()) {
    Candidate candidate = queue.top();
    queue.pop();
    std::optional<Trial> trial =
        tryParameter(candidate.argument, candidate.best);
    if (!trial)
      continue;
    candidate.workPerByte = trial->getWorkPerByte();
    if (!queue.empty() && candidate < queue.top())
      queue.push(candidate);
    else
      keepForAll(std::move(*trial), layers.ofArgument[candidate.argument]);
  }
}

/// Each structure is looked at once; then what is left of the layers that are
/// like another one.
TensorSplits SplitFinder::find() {
  splits.layers.resize(layers.numLayers);
  for (auto [argument, dim] : given)
    splitGiven(argument, dim);
  SmallVector<unsigned> first, rest;
  for (unsigned argument : getParameters()) {
    int64_t layer = layers.ofArgument[argument];
    (kinds[layer] == layer ? first : rest).push_back(argument);
  }
  search(first);
  search(rest);
  addShares();
  return std::move(splits);
}

TensorSplits
hetero::findTensorSplits(func::FuncOp step, const FormAnalysis &batch,
                         const StepLayers &layers,
                         const llvm::MapVector<unsigned, int64_t> &given) {
  return SplitFinder(step, batch, layers, given).find();
}
