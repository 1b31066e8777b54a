//===- InputLimits.cpp - What input is refused unread ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Support/InputLimits.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"

using namespace llvm;
using namespace hetero;

static InputProblem exceeded(size_t offset, StringRef what, unsigned limit,
                             StringRef unit) {
  return {offset, (what + " more than " + Twine(limit) + " " + unit).str()};
}

/// Returns the offset behind the string that opens at `at`. As in MLIR's
/// lexer, a string ends at its line's end at the latest.
static size_t skipString(StringRef text, size_t at) {
  size_t i = at + 1;
  while ((i = text.find_first_of("\"\\\n", i)) != StringRef::npos) {
    if (text[i] != '\\')
      return i + 1;
    i += 2;
  }
  return text.size();
}

/// Returns the length of the operator at `at` whose `<` or `>` is no bracket;
/// zero when there is none.
static size_t operatorLength(StringRef text, size_t at) {
  StringRef rest = text.substr(at);
  if (rest.starts_with("<->"))
    return 3;
  if (rest.starts_with("->") || rest.starts_with("<=") ||
      rest.starts_with(">="))
    return 2;
  return 0;
}

static char openingOf(char closing) {
  switch (closing) {
  case ')':
    return '(';
  case ']':
    return '[';
  case '}':
    return '{';
  default:
    return '<';
  }
}

/// Closes the innermost bracket that `closing` fits. A `<` may be a stray
/// character, so any other bracket closes those within it; a bracket that fits
/// nothing is ignored, the parser will complain.
static void closeBracket(SmallVectorImpl<char> &open, char closing) {
  char opening = openingOf(closing);
  size_t size = open.size();
  if (opening != '<')
    while (size && open[size - 1] == '<')
      --size;
  if (size && open[size - 1] == opening)
    open.truncate(size - 1);
}

/// Returns the length of what begins at `at` and holds no bracket: a string, a
/// comment, an operator; zero when a single character begins there.
static size_t tokenLength(StringRef text, size_t at) {
  switch (text[at]) {
  case '"':
    return skipString(text, at) - at;
  case '/':
    if (text.substr(at).starts_with("//"))
      return std::min(text.find('\n', at), text.size()) - at;
    return 0;
  case '-':
  case '<':
  case '>':
    return operatorLength(text, at);
  default:
    return 0;
  }
}

static bool exceedsResultNumber(StringRef text) {
  uint64_t number = 0;
  return text.consumeInteger(10, number) || number > maxResultNumber;
}

static bool opensAffine(StringRef text, size_t at) {
  StringRef before = text.take_front(at);
  return text[at] == '<' &&
         (before.ends_with("affine_map") || before.ends_with("affine_set"));
}

static bool opensDense(StringRef text, size_t at) {
  return text[at] == '<' && text.take_front(at).ends_with("dense");
}

/// `text` without the blanks and comments in front.
static StringRef skipBlanks(StringRef text) {
  text = text.ltrim();
  while (text.starts_with("//"))
    text = text.drop_until([](char c) { return c == '\n'; }).ltrim();
  return text;
}

/// The type that `text` begins with: all up to where its brackets are closed.
static StringRef takeType(StringRef text) {
  size_t depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '<') {
      ++depth;
    } else if (text[i] == '>') {
      if (depth <= 1)
        return text.take_front(i + 1);
      --depth;
    } else if (depth == 0 && (isSpace(text[i]) || text[i] == ',' ||
                              text[i] == ')' || text[i] == '}')) {
      return text.take_front(i);
    }
  }
  return text;
}

/// What `!name = ...` stands for; empty if nothing says.
static StringRef findAlias(StringRef text, StringRef name) {
  for (size_t at = text.find(name); at != StringRef::npos;
       at = text.find(name, at + 1)) {
    StringRef rest = skipBlanks(text.substr(at + name.size()));
    if (rest.consume_front("="))
      return takeType(skipBlanks(rest));
  }
  return StringRef();
}

/// Whether a type has complex elements, or might have because of an alias that
/// is not found. Follows at most `budget` aliases.
static bool mayBeComplex(StringRef type, StringRef text, unsigned &budget) {
  if (type.contains("complex"))
    return true;
  for (size_t at = type.find('!'); at != StringRef::npos;
       at = type.find('!', at + 1)) {
    StringRef name = type.substr(at).take_while([](char c) {
      return isAlnum(c) || c == '!' || c == '_' || c == '$' || c == '.';
    });
    if (name.contains('.')) // A type of a dialect.
      continue;
    StringRef alias = findAlias(text, name);
    if (alias.empty() || budget == 0)
      return true;
    --budget;
    if (mayBeComplex(alias, text, budget))
      return true;
  }
  return false;
}

/// Whether behind a `dense<...>`, at `offset`, stands a type without complex
/// elements.
static bool namesRealType(StringRef text, size_t offset) {
  StringRef type = skipBlanks(text.substr(offset));
  unsigned budget = 16;
  return type.consume_front(":") &&
         !mayBeComplex(takeType(skipBlanks(type)), text, budget);
}

std::optional<InputProblem> hetero::findInputProblem(StringRef text) {
  if (text.starts_with("ML\xefR"))
    return std::nullopt;
  if (size_t zero = text.find('\0'); zero != StringRef::npos)
    return InputProblem{zero, "character with code 0, which no text has"};
  SmallVector<char, 64> open;
  size_t affineBegin = StringRef::npos; // Of the outermost affine form.
  size_t affineDepth = 0;               // Brackets open around it.
  size_t denseDepth = StringRef::npos;  // Brackets open around a constant.
  size_t complexElement = StringRef::npos;
  size_t i = 0;
  while (i < text.size()) {
    if (affineBegin != StringRef::npos && i - affineBegin > maxAffineLength)
      return exceeded(affineBegin, "affine form with", maxAffineLength,
                      "characters");
    if (size_t length = tokenLength(text, i)) {
      i += length;
      continue;
    }
    char c = text[i];
    if (isDigit(c)) {
      size_t length = text.substr(i).take_while(isAlnum).size();
      if (i && text[i - 1] == '#' && exceedsResultNumber(text.substr(i)))
        return InputProblem{
            i, ("result number above " + Twine(maxResultNumber)).str()};
      if (length > maxNumberLength)
        return exceeded(i, "number with", maxNumberLength, "characters");
      i += length;
      continue;
    }
    if (c == '(' || c == '[' || c == '{' || c == '<') {
      if (open.size() == maxNesting)
        return exceeded(i, "brackets nested", maxNesting, "levels deep");
      if (affineBegin == StringRef::npos && opensAffine(text, i)) {
        affineBegin = i;
        affineDepth = open.size();
      }
      if (opensDense(text, i)) {
        denseDepth = open.size();
        complexElement = StringRef::npos;
      } else if (c == '(' && complexElement == StringRef::npos) {
        complexElement = i;
      }
      open.push_back(c);
    } else if (c == ')' || c == ']' || c == '}' || c == '>') {
      closeBracket(open, c);
      if (open.size() <= affineDepth)
        affineBegin = StringRef::npos;
      if (denseDepth != StringRef::npos && open.size() <= denseDepth) {
        denseDepth = StringRef::npos;
        if (complexElement != StringRef::npos && namesRealType(text, i + 1))
          return InputProblem{complexElement,
                              "complex element in a constant whose type has "
                              "no complex elements"};
      }
    }
    ++i;
  }
  return std::nullopt;
}

bool hetero::reportInputProblem(MemoryBufferRef buffer, raw_ostream &os) {
  StringRef text = buffer.getBuffer();
  std::optional<InputProblem> problem = findInputProblem(text);
  if (!problem)
    return false;
  StringRef before = text.take_front(problem->offset);
  size_t lineStart = before.rfind('\n') + 1; // npos + 1 is 0.
  os << buffer.getBufferIdentifier() << ':' << before.count('\n') + 1 << ':'
     << problem->offset - lineStart + 1 << ": error: " << problem->message
     << "\n";
  return true;
}
