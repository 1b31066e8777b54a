//===- NpzTest.cpp - Tests of NumPy's files -------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// That NumPy reads and writes the same is tested in test/Run.

#include "hetero/Runtime/Npz.h"
#include "gtest/gtest.h"
#include <filesystem>
#include <fstream>
#include <numeric>
#include <unistd.h>

using namespace hetero::runtime;

namespace {
/// A directory that is gone after the test.
class RuntimeNpzTest : public testing::Test {
protected:
  void SetUp() override {
    std::string name =
        testing::UnitTest::GetInstance()->current_test_info()->name();
    directory = std::filesystem::temp_directory_path() /
                ("hetero-npz-" + name + std::to_string(::getpid()));
    std::filesystem::create_directories(directory);
  }
  void TearDown() override { std::filesystem::remove_all(directory); }

  std::string path(const std::string &name) const {
    return (directory / name).string();
  }

  std::filesystem::path directory;
};
} // namespace

static Array makeArray(std::string name, ElementType element,
                       std::vector<int64_t> shape) {
  Array array{std::move(name), {element, std::move(shape)}, {}};
  array.data.resize(array.type.numBytes());
  std::iota(array.data.begin(), array.data.end(), 1);
  return array;
}

static std::string readFile(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// A header as NumPy writes it, with this dictionary.
static std::string makeHeader(const std::string &dictionary, char version = 1) {
  std::string header = std::string("\x93NUMPY", 6) + version + '\0';
  header += char(dictionary.size());
  header.append(version == 1 ? 1 : 3, '\0');
  return header + dictionary;
}

static std::string headerError(const std::string &text) {
  Result<NpyHeader> header = parseNpyHeader(text);
  return header ? "" : header.error();
}

TEST_F(RuntimeNpzTest, readsWhatItWrites) {
  std::vector<Array> arrays;
  for (int i = 0; i <= int(ElementType::C128); ++i)
    arrays.push_back(
        makeArray("z" + std::to_string(20 - i), ElementType(i), {2, i % 3, 2}));
  arrays.push_back(makeArray("scalar", ElementType::F32, {}));
  ASSERT_EQ(writeNpz(path("a.npz"), arrays), std::nullopt);
  Result<std::vector<Array>> read = readNpz(path("a.npz"));
  ASSERT_TRUE(read) << read.error();
  ASSERT_EQ(read->size(), arrays.size());
  for (size_t i = 0; i < arrays.size(); ++i) {
    EXPECT_EQ((*read)[i].name, arrays[i].name);
    EXPECT_EQ((*read)[i].type, arrays[i].type);
    EXPECT_EQ((*read)[i].data, arrays[i].data);
  }
  // Replaces, and does not depend on the time.
  ASSERT_EQ(writeNpz(path("b.npz"), {arrays[3]}), std::nullopt);
  ASSERT_EQ(writeNpz(path("b.npz"), arrays), std::nullopt);
  EXPECT_EQ(readFile(path("a.npz")), readFile(path("b.npz")));
}

TEST_F(RuntimeNpzTest, namesTheFile) {
  Result<std::vector<Array>> missing = readNpz(path("missing.npz"));
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error(), path("missing.npz") + ": No such file");
  std::ofstream(path("text.npz")) << "no archive";
  Result<std::vector<Array>> text = readNpz(path("text.npz"));
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error(), path("text.npz") + ": Not a zip archive");
  Array array = makeArray("x", ElementType::F32, {3});
  EXPECT_EQ(writeNpz(path("twice.npz"), {array, array}),
            path("twice.npz") + ": two arrays are called 'x'");
  EXPECT_TRUE(writeNpz(path("no/such/directory.npz"), {array}));
  array.data.resize(5);
  EXPECT_EQ(writeNpz(path("short.npz"), {array}),
            path("short.npz") + ": 'x' has 5 bytes for 3xf32");
}

TEST_F(RuntimeNpzTest, damagedFilesAreErrors) {
  ASSERT_EQ(writeNpz(path("a.npz"), {makeArray("x", ElementType::F32, {300})}),
            std::nullopt);
  std::string good = readFile(path("a.npz"));
  for (size_t i = 0; i < good.size(); i += 7) {
    std::string bad = good;
    bad[i] ^= 0x55;
    std::ofstream(path("b.npz"), std::ios::binary) << bad;
    // The data have a checksum; some fields of an archive do not matter.
    Result<std::vector<Array>> read = readNpz(path("b.npz"));
    if (read && !read->empty() && (*read)[0].type.numElements() == 300)
      EXPECT_EQ((*read)[0].data.size(), 1200u);
    std::ofstream(path("c.npz"), std::ios::binary) << good.substr(0, i);
    EXPECT_FALSE(readNpz(path("c.npz")));
  }
}

TEST_F(RuntimeNpzTest, headers) {
  std::string order = "'fortran_order': False, ";
  for (char version : {1, 2, 3}) {
    Result<NpyHeader> header = parseNpyHeader(makeHeader(
        "{'descr': '<f4', " + order + "'shape': (2, 3), }  \n", version));
    ASSERT_TRUE(header) << header.error();
    EXPECT_EQ(header->type.str(), "2x3xf32");
  }
  EXPECT_EQ(
      headerError(makeHeader("{'shape': (2,), " + order + "'descr': \"|V2\"}")),
      "");
  EXPECT_EQ(
      headerError(makeHeader("{'descr': '>i4', " + order + "'shape': (2,)}")),
      "has big-endian elements '>i4'; convert it to '<i4'");
  EXPECT_EQ(
      headerError(makeHeader("{'descr': '|O', " + order + "'shape': (2,)}")),
      "has elements of type '|O'; booleans, integers, floats, complex "
      "numbers and bfloat16 are known");
  EXPECT_EQ(headerError(makeHeader("{'descr': [('a', '<f4')], " + order +
                                   "'shape': (2,)}")),
            "has a structured type; only plain ones are known");
  EXPECT_EQ(headerError(makeHeader("{'descr': '<f4', " + order + "}")),
            "has a header that is not complete");
  EXPECT_EQ(
      headerError(makeHeader("{'descr': '<f4', " + order + "'shape': (-2,)}")),
      "has a header without a valid shape");
  EXPECT_EQ(headerError(makeHeader("{'descr': '<f4', " + order +
                                   "'shape': (99999999999, 99999999999)}")),
            "has the impossible shape 99999999999x99999999999xf32");
  EXPECT_EQ(headerError(makeHeader("{'descr': '<f4'", 7)),
            "has version 7 of NumPy's format; 1 to 3 are known");
  EXPECT_EQ(headerError("x"), "is no array of NumPy");
  std::string text =
      makeHeader("{'descr': '<f4', " + order + "'shape': (2, )}");
  for (size_t i = 0; i < text.size(); ++i)
    EXPECT_NE(headerError(text.substr(0, i)), "");
}
