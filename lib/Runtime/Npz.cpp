//===- Npz.cpp - Arrays in NumPy's archives -------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Runtime/Npz.h"
#include <algorithm>
#include <cstring>
#include <memory>
#include <set>
#include <zip.h>

using namespace hetero::runtime;

namespace {
/// Closes a file of an archive, or drops the changes of an archive.
struct Closer {
  void operator()(zip_t *archive) const { zip_discard(archive); }
  void operator()(zip_file_t *file) const { zip_fclose(file); }
};
using Archive = std::unique_ptr<zip_t, Closer>;
using Entry = std::unique_ptr<zip_file_t, Closer>;
} // namespace

static constexpr std::string_view suffix = ".npy";

static Result<Archive> openArchive(const std::string &path, int flags) {
  int code = 0;
  if (zip_t *archive = zip_open(path.c_str(), flags, &code))
    return Archive(archive);
  zip_error_t error;
  zip_error_init_with_code(&error, code);
  std::string text = path + ": " + zip_error_strerror(&error);
  zip_error_fini(&error);
  return Error{text};
}

/// Appends exactly `bytes` to `data`. Memory grows with what is read, not with
/// what the file claims to have.
template <typename Bytes>
static bool readBytes(zip_file_t *file, int64_t bytes, Bytes &data) {
  constexpr int64_t chunk = int64_t(1) << 24;
  while (bytes > 0) {
    size_t before = data.size();
    data.resize(before + std::min(bytes, chunk));
    int64_t wanted = data.size() - before;
    int64_t got = zip_fread(file, data.data() + before, wanted);
    if (got != wanted)
      return false;
    bytes -= got;
  }
  return true;
}

/// From columns to rows: the last index of `data` runs slowest.
static std::vector<char> transpose(const std::vector<char> &data,
                                   const TensorType &type) {
  std::vector<char> rows(data.size());
  int64_t size = sizeOf(type.element), count = type.numElements();
  std::vector<int64_t> index(type.shape.size());
  for (int64_t from = 0; from < count; ++from) {
    int64_t to = 0;
    for (size_t i = 0; i < index.size(); ++i)
      to = to * type.shape[i] + index[i];
    std::memcpy(rows.data() + to * size, data.data() + from * size, size);
    for (size_t i = 0; i < index.size() && ++index[i] == type.shape[i]; ++i)
      index[i] = 0;
  }
  return rows;
}

/// Errors speak of the entry.
static Result<Array> readEntry(zip_t *archive, uint64_t number) {
  Entry file(zip_fopen_index(archive, number, 0));
  if (!file)
    return Error{std::string("cannot be read: ") + zip_strerror(archive)};
  std::string start;
  if (!readBytes(file.get(), 12, start))
    return Error{"is no array of NumPy"};
  Result<int64_t> size = getNpyHeaderSize(start);
  if (!size)
    return Error{size.error()};
  if (!readBytes(file.get(), *size - int64_t(start.size()), start))
    return Error{"ends inside of its header"};
  Result<NpyHeader> header = parseNpyHeader(start);
  if (!header)
    return Error{header.error()};
  Array array;
  array.type = header->type;
  char more;
  if (!readBytes(file.get(), array.type.numBytes(), array.data) ||
      zip_fread(file.get(), &more, 1) != 0)
    return Error{"does not have the " + std::to_string(array.type.numBytes()) +
                 " bytes of " + array.type.str()};
  if (header->isFortranOrder)
    array.data = transpose(array.data, array.type);
  return array;
}

Result<std::vector<Array>> hetero::runtime::readNpz(const std::string &path) {
  Result<Archive> archive = openArchive(path, ZIP_RDONLY);
  if (!archive)
    return Error{archive.error()};
  std::vector<Array> arrays;
  int64_t count = zip_get_num_entries(archive->get(), 0);
  for (int64_t i = 0; i < count; ++i) {
    const char *name = zip_get_name(archive->get(), i, 0);
    if (!name)
      return Error{path + ": entry " + std::to_string(i) + " has no name"};
    Result<Array> array = readEntry(archive->get(), i);
    if (!array)
      return Error{path + ": '" + name + "' " + array.error()};
    llvm::StringRef stem = name;
    stem.consume_back(suffix);
    array->name = stem.str();

    arrays.push_back(std::move(*array));
  }
  return arrays;
}

/// Adds an entry; `bytes` must stay until the archive is closed.
static bool addEntry(zip_t *archive, const std::string &name,
                     const std::string &bytes) {
  zip_source_t *source =
      zip_source_buffer(archive, bytes.data(), bytes.size(), /*freep=*/0);
  if (!source)
    return false;
  int64_t index = zip_file_add(archive, name.c_str(), source, ZIP_FL_ENC_UTF_8);
  if (index < 0) {
    zip_source_free(source);
    return false;
  }
  // Not compressed, as savez does it, and with the earliest date there is
  // instead of today's.
  constexpr zip_uint16_t midnight = 0, firstOfJanuary1980 = (1 << 5) | 1;
  return zip_set_file_compression(archive, index, ZIP_CM_STORE, 0) == 0 &&
         zip_file_set_dostime(archive, index, midnight, firstOfJanuary1980,
                              0) == 0;
}

MaybeError hetero::runtime::writeNpz(const std::string &path,
                                     const std::vector<Array> &arrays) {
  std::set<std::string> names;
  for (const Array &array : arrays) {
    if (!names.insert(array.name).second)
      return path + ": two arrays are called '" + array.name + "'";
    if (int64_t(array.data.size()) != array.type.numBytes())
      return path + ": '" + array.name + "' has " +
             std::to_string(array.data.size()) + " bytes for " +
             array.type.str();
  }
  Result<Archive> archive = openArchive(path, ZIP_CREATE | ZIP_TRUNCATE);
  if (!archive)
    return archive.error();
  // An archive without entries is no file to libzip.
  std::vector<std::string> contents(arrays.size());
  for (size_t i = 0; i < arrays.size(); ++i) {
    contents[i] = makeNpyHeader(arrays[i].type);
    contents[i].append(arrays[i].data.begin(), arrays[i].data.end());
    if (!addEntry(archive->get(), arrays[i].name + std::string(suffix),
                  contents[i]))
      return path + ": '" + arrays[i].name +
             "': " + zip_strerror(archive->get());
  }
  if (zip_close(archive->get()) != 0)
    return path + ": " + zip_strerror(archive->get());
  // It has freed itself.
  static_cast<void>(archive->release());
  return std::nullopt;
}
