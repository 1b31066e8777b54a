//===- VerifyMatching.cpp - Sends and receives, collectives ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Transforms/Verify/Verify.h"

using namespace mlir;
using namespace hetero;
using namespace hetero::verify;

namespace {
/// A communication that has no partner.
struct Single {
  const RankSteps *rank;
  const Step *step;
  const Stream *stream;
  bool told = false;
};

class Matcher {
public:
  explicit Matcher(const Programs &programs) : programs(programs) {}
  LogicalResult run();

private:
  const RankSteps *getRank(int64_t rank) const {
    auto it = programs.ranks.find(rank);
    return it == programs.ranks.end() ? nullptr : &it->second;
  }
  LogicalResult checkStream(const Stream &stream);
  LogicalResult checkPair(const Stream &stream, size_t member, size_t other,
                          size_t position);
  void compareMembers(const Stream &stream, size_t member);
  InFlightDiagnostic report(Single &single);

  const Programs &programs;
  std::vector<Single> singles;
};
} // namespace

/// The tensor that a collective is about, as a whole: equal on all members.
static Type getWholeType(Operation *op) {
  if (auto gather = dyn_cast<AllGatherOp>(op))
    return getAwaitedType(gather.getResult().getType());
  if (auto broadcast = dyn_cast<BroadcastOp>(op))
    return getAwaitedType(broadcast.getResult().getType());
  auto type = cast<RankedTensorType>(op->getOperand(0).getType());
  auto exchange = dyn_cast<AllToAllOp>(op);
  if (!exchange)
    return type;
  SmallVector<int64_t> shape(type.getShape());
  shape[exchange.getFrom().getDim()] = exchange.getFrom().getLength();
  return RankedTensorType::get(shape, type.getElementType());
}

/// The value that a message carries.
static Type getMessageType(Operation *op) {
  if (auto send = dyn_cast<SendOp>(op))
    return send.getOperand().getType();
  return getAwaitedType(op->getResult(0).getType());
}

static Type getType(Operation *op) {
  return isa<SendOp, RecvOp>(op) ? getMessageType(op) : getWholeType(op);
}

/// What two members of a collective must agree in, besides its kind.
static SmallVector<std::pair<StringRef, Attribute>> getTerms(Operation *op) {
  SmallVector<std::pair<StringRef, Attribute>> terms;
  for (StringRef name :
       {"reduction", "split", "from", "to", "root", "algorithm", "bucket"})
    terms.push_back({name, op->getAttr(name)});
  // What is not written is automatic.
  if (!terms[5].second)
    terms[5].second = AlgorithmAttr::get(op->getContext(), Algorithm::Auto);
  terms.push_back({"type", TypeAttr::get(getWholeType(op))});
  return terms;
}

std::string verify::str(Attribute attribute) {
  if (!attribute)
    return "none";
  std::string text;
  llvm::raw_string_ostream os(text);
  if (auto integer = dyn_cast<IntegerAttr>(attribute))
    os << integer.getInt();
  else if (auto algorithm = dyn_cast<AlgorithmAttr>(attribute))
    os << stringifyAlgorithm(algorithm.getValue());
  else if (auto reduction = dyn_cast<ReductionKindAttr>(attribute))
    os << stringifyReductionKind(reduction.getValue());
  else
    attribute.print(os);
  return text;
}

static std::string describeGroup(const Stream &stream) {
  std::string text = "ranks [";
  for (auto [index, rank] : llvm::enumerate(stream.group))
    text += (index ? ", " : "") + std::to_string(rank);
  return text + "] on channel " + std::to_string(stream.channel);
}

static bool isEqual(Operation *op, Operation *other) {
  return op->getName() == other->getName() && getTerms(op) == getTerms(other);
}

/// Compares what two members do at one position of a stream.
LogicalResult Matcher::checkPair(const Stream &stream, size_t member,
                                 size_t other, size_t position) {
  const RankSteps &rank = *getRank(stream.group[member]),
                  &first = *getRank(stream.group[other]);
  Operation *op = rank.steps[stream.steps[member][position]].op,
            *otherOp = first.steps[stream.steps[other][position]].op;
  auto fail = [&](const Twine &what) -> LogicalResult {
    return (op->emitOpError() << what).attachNote(otherOp->getLoc())
           << "rank " << first.rank << " has its '" << otherOp->getName()
           << "' here";
  };
  if (stream.isMessage) {
    Type sent = getMessageType(otherOp), received = getMessageType(op);
    if (sent == received)
      return success();
    return fail("of rank " + Twine(rank.rank) + " expects " +
                str(TypeAttr::get(received)) + " from rank " +
                Twine(first.rank) + " on channel " + Twine(stream.channel) +
                ", which sends " + str(TypeAttr::get(sent)));
  }
  if (op->getName() != otherOp->getName())
    return fail("is number " + Twine(position) + " of rank " +
                Twine(rank.rank) + " over " + describeGroup(stream) +
                ", where rank " + Twine(first.rank) + " enters '" +
                otherOp->getName().getStringRef() + "'");
  for (auto [mine, theirs] : llvm::zip_equal(getTerms(op), getTerms(otherOp)))
    if (mine.second != theirs.second)
      return fail("of rank " + Twine(rank.rank) + " over " +
                  describeGroup(stream) + " has " + mine.first + " " +
                  str(mine.second) + " and that of rank " + Twine(first.rank) +
                  " has " + str(theirs.second));
  return success();
}

/// Compares `member` with the first one: what only one of them does is single.
void Matcher::compareMembers(const Stream &stream, size_t member) {
  ArrayRef<size_t> theirs = stream.steps[0], mine = stream.steps[member];
  const RankSteps *first = getRank(stream.group[0]),
                  *rank = getRank(stream.group[member]);
  bool isLonger = mine.size() > theirs.size();
  const RankSteps *longer = isLonger ? rank : first,
                  *shorter = isLonger ? first : rank;
  ArrayRef<size_t> longList = isLonger ? mine : theirs,
                   shortList = isLonger ? theirs : mine;
  // The first that differs is the one too many, and so on.
  size_t at = 0, surplus = longList.size() - shortList.size();
  for (auto [passed, index] : llvm::enumerate(longList)) {
    const Step &step = longer->steps[index];
    bool fits =
        at < shortList.size() &&
        (stream.isMessage ? getMessageType(step.op) ==
                                getMessageType(shorter->steps[shortList[at]].op)
                          : isEqual(step.op, shorter->steps[shortList[at]].op));
    if (fits || passed - at >= surplus) {
      ++at;
      continue;
    }
    bool known = llvm::any_of(singles, [&](const Single &single) {
      return single.rank == longer && single.step == &step;
    });
    if (!known)
      singles.push_back({longer, &step, &stream});
  }
}

LogicalResult Matcher::checkStream(const Stream &stream) {
  for (int64_t rank : stream.group)
    if (!getRank(rank)) {
      for (auto [member, list] : llvm::enumerate(stream.steps))
        if (!list.empty())
          return getRank(stream.group[member])
                     ->steps[list.front()]
                     .op->emitOpError()
                 << "is with rank " << rank << ", which has no program";
    }
  for (size_t member = 1; member < stream.group.size(); ++member) {
    if (stream.steps[member].size() != stream.steps[0].size()) {
      compareMembers(stream, member);
      continue;
    }
    for (size_t i = 0; i < stream.steps[member].size(); ++i)
      if (failed(checkPair(stream, member, 0, i)))
        return failure();
  }
  return success();
}

/// How much two singles look like the halves of one communication; 0 if not at
/// all.
static int getLikeness(const Single &a, const Single &b) {
  if (getType(a.step->op) != getType(b.step->op))
    return 0;
  if (a.stream->isMessage != b.stream->isMessage)
    return 0;
  bool sameGroup = a.stream->group == b.stream->group;
  bool sameChannel = a.stream->channel == b.stream->channel;
  if (!a.stream->isMessage)
    return a.step->op->getName() == b.step->op->getName() && a.rank != b.rank &&
                   a.stream != b.stream
               ? 1 + sameGroup + sameChannel
               : 0;
  if (isa<SendOp>(a.step->op) == isa<SendOp>(b.step->op))
    return 0;
  bool oneEnd = a.stream->group[0] == b.stream->group[0] ||
                a.stream->group[1] == b.stream->group[1];
  return sameGroup ? 3 : (oneEnd && sameChannel ? 2 : 0);
}

InFlightDiagnostic Matcher::report(Single &single) {
  InFlightDiagnostic error = single.step->op->emitOpError();
  error << "of " << describePlace(*single.rank, *single.step);
  const Stream &stream = *single.stream;
  if (isa<SendOp>(single.step->op)) {
    error << " to rank " << stream.group[1] << " on channel " << stream.channel
          << " has no receive";
  } else if (isa<RecvOp>(single.step->op)) {
    error << " from rank " << stream.group[0] << " on channel "
          << stream.channel << " has no send";
  } else {
    error << " over " << describeGroup(stream) << " is not entered by";
    bool any = false;
    size_t mine = stream.steps[stream.getMember(single.rank->rank)].size();
    for (auto [member, list] : llvm::enumerate(stream.steps))
      if (list.size() < mine) {
        error << (any ? ", " : " rank ") << stream.group[member];
        any = true;
      }
  }
  return error;
}

LogicalResult Matcher::run() {
  bool ok = true;
  for (const Stream &stream : programs.streams)
    ok &= succeeded(checkStream(stream));
  llvm::sort(singles, [](const Single &a, const Single &b) {
    return std::pair(a.rank->rank, a.step) < std::pair(b.rank->rank, b.step);
  });
  for (Single &single : singles) {
    if (single.told)
      continue;
    ok = false;
    single.told = true;
    Single *partner = nullptr;
    int best = 0;
    for (Single &other : singles)
      if (int likeness = getLikeness(single, other);
          !other.told && likeness > best) {
        partner = &other;
        best = likeness;
      }
    InFlightDiagnostic error = report(single);
    if (!partner) {
      // The other end, to have a place to look at.
      for (int64_t rank : single.stream->group)
        if (rank != single.rank->rank) {
          error.attachNote(getRank(rank)->function.getLoc())
              << "the program of rank " << rank << " is here";
          break;
        }
      continue;
    }
    partner->told = true;
    Diagnostic &note = error.attachNote(partner->step->op->getLoc());
    note << "rank " << partner->rank->rank;
    if (isa<SendOp>(partner->step->op))
      note << " sends such a value to rank " << partner->stream->group[1];
    else if (isa<RecvOp>(partner->step->op))
      note << " waits for such a value from rank " << partner->stream->group[0];
    else
      note << " enters one over " << describeGroup(*partner->stream);
    if (partner->stream->isMessage)
      note << " on channel " << partner->stream->channel;
    note << " here, which has no partner either";
  }
  return success(ok);
}

LogicalResult verify::checkMatching(const Programs &programs) {
  return Matcher(programs).run();
}

//===----------------------------------------------------------------------===//
// Buckets
//===----------------------------------------------------------------------===//

static IntegerAttr getBucket(Operation *op) {
  return isa<CommunicationOpInterface>(op)
             ? op->getAttrOfType<IntegerAttr>("bucket")
             : IntegerAttr();
}

/// Whether two operations may be one transfer.
static bool isAlike(Operation *op, Operation *other) {
  return op->getName() == other->getName() &&
         op->getAttr("mesh") == other->getAttr("mesh") &&
         op->getAttr("axes") == other->getAttr("axes") &&
         op->getAttr("channel") == other->getAttr("channel") &&
         op->getAttr("reduction") == other->getAttr("reduction") &&
         isa<HandleType>(op->getResult(0).getType()) ==
             isa<HandleType>(other->getResult(0).getType());
}

LogicalResult verify::checkBuckets(const Programs &programs) {
  LogicalResult result = success();
  programs.module.walk([&](func::FuncOp function) {
    DenseMap<Attribute, Operation *> last;
    function.walk([&](Operation *op) {
      IntegerAttr bucket = getBucket(op);
      if (!bucket)
        return;
      Operation *&before = last[bucket];
      if (before && before->getNextNode() != op) {
        result = op->emitOpError() << "does not follow the one before it in "
                                      "bucket "
                                   << bucket.getInt();
        return;
      }
      if (before && !isAlike(op, before))
        result = (op->emitOpError()
                  << "is unlike the one before it in bucket " << bucket.getInt()
                  << "; they cannot be one transfer")
                     .attachNote(before->getLoc())
                 << "the one before is here";
      before = op;
    });
  });
  return result;
}
