//===- Damages.cpp - Mistakes that the program has not made ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Damages.h"
#include "Capture.h"
#include <cstdlib>

using namespace hetero::standin;

namespace {
struct Name {
  Damage kind;
  const char *name;
};
} // namespace

static const Name names[] = {
#define HETERO_DAMAGE(kind, name, what) {Damage::kind, name},
    HETERO_DAMAGES(HETERO_DAMAGE)
#undef HETERO_DAMAGE
};

std::string hetero::standin::listDamages() {
  std::string list;
  for (const Name &each : names)
    list += (list.empty() ? "'" : ", '") + std::string(each.name) + "'";
  return list;
}

/// "*" is -1.
static bool parseNumber(const std::string &text, int64_t &value) {
  char *rest = nullptr;
  value = text == "*" ? -1 : std::strtoll(text.c_str(), &rest, 10);
  return text == "*" || (!text.empty() && !*rest && value >= 0);
}

bool hetero::standin::parseDamage(const std::string &text,
                                  DamageSetting &setting) {
  size_t colon = std::min(text.find(':'), text.size());
  size_t at = std::min(text.find('@'), colon);
  std::string name = text.substr(0, at);
  if (at < colon &&
      !parseNumber(text.substr(at + 1, colon - at - 1), setting.device))
    return false;
  if (colon < text.size() && !parseNumber(text.substr(colon + 1), setting.call))
    return false;
  for (const Name &each : names)
    if (name == each.name)
      setting.kind = each.kind;
  return setting.kind != Damage::None;
}

bool hetero::standin::isDamaged(Damage kind, const Device &device) {
  const DamageSetting &setting = Engine::get().settings.damage;
  if (kind == Damage::None || kind != setting.kind ||
      (setting.device >= 0 && device.number != setting.device))
    return false;
  static int64_t count = 0;
  if (setting.call >= 0 && ++count != setting.call)
    return false;
  Engine::get().log("damage");
  return true;
}

Stream &hetero::standin::damageStream(Damage kind, Stream &stream) {
  if (!isDamaged(kind, *stream.device))
    return stream;
  Engine &engine = Engine::get();
  Stream *other = engine.createStream(*stream.device, /*isBlocking=*/false);
  // In a capture it begins where that did, beside all that came since.
  if (stream.capture) {
    other->capture = stream.capture;
    stream.capture->tips[other];
  }
  return *other;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// Changes a line, or says that it is not of the kind.
static bool damageLine(Damage kind, std::string &line) {
  auto has = [&](const char *part) {
    return line.find(part) != std::string::npos;
  };
  auto insert = [&](const char *what) {
    size_t end = line.find(']');
    if (!has("st.global") || end == std::string::npos)
      return false;
    // "[%rd5]" or "[%rd5+8]".
    size_t plus = line.rfind('+', end);
    if (plus == std::string::npos || plus < line.find('['))
      plus = end;
    line.replace(plus, end - plus, what);
    return true;
  };
  switch (kind) {
  case Damage::TextBarrier:
    if (!has("bar.sync") && !has("barrier.sync") && !has("barrier.cta.sync"))
      return false;
    break;
  case Damage::TextDropStore:
    if (!has("st.global"))
      return false;
    break;
  case Damage::TextShared:
    if (!has("st.shared"))
      return false;
    break;
  case Damage::TextStore:
    return insert("+1048576");
  case Damage::TextAlign:
    return insert("+1");
  case Damage::TextMask:
    if (!has("shfl.sync"))
      return false;
    line.replace(line.rfind(','), std::string::npos, ", 65535;");
    return true;
  default:
    return false;
  }
  line.clear();
  return true;
}

std::string hetero::standin::damageText(std::string text,
                                        const Device &device) {
  const DamageSetting &setting = Engine::get().settings.damage;
  if (setting.kind == Damage::None)
    return text;
  std::string result;
  for (size_t begin = 0; begin < text.size();) {
    size_t end = std::min(text.find('\n', begin), text.size());
    std::string line = text.substr(begin, end - begin), damaged = line;
    if (damageLine(setting.kind, damaged) && isDamaged(setting.kind, device))
      line = damaged;
    result += line + "\n";
    begin = end + 1;
  }
  return result;
}
