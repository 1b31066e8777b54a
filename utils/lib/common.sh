# Sourced by the scripts in utils: messages, timing, set-up of the machine.
# They run on Debian 12, as root or with sudo, and use no network beyond apt
# and pip; when nothing is missing they use none at all.

ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
BUILD="$ROOT/build"
VENV="$ROOT/.venv"
JOBS="${JOBS:-$(nproc)}"

say() { printf '\n==> %s\n' "$*"; }
note() { printf '    %s\n' "$*"; }
die() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

# Seconds since `start`, as 1m05s.
elapsed() {
  local seconds=$((SECONDS - $1))
  printf '%dm%02ds' $((seconds / 60)) $((seconds % 60))
}

# Debian packages: what the build needs, and what its checks need besides.
PACKAGES=(
  libmlir-22-dev mlir-22-tools llvm-22-dev llvm-22-tools # MLIR, tablegen, lit, FileCheck
  libzstd-dev zlib1g-dev                                 # libraries that LLVM's CMake files look for
  clang-22 lld-22 libclang-rt-22-dev                     # compiler, linker, sanitizers
  libopenblas-dev                                        # matrix products of compiled kernels
  coinor-libclp-dev                                      # linear programs of planners
  cmake ninja-build ccache git
  libzip-dev libopenmpi-dev openmpi-bin                  # runtime: .npz files, ranks as processes
  python3 python3-venv python3-dev                       # JAX, the tests, lit, the module for Python
  libgtest-dev clang-format-22                           # unit tests, lint
  chromium                                               # opens the timeline in a test
)

as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    die "root or sudo is needed for: $*"
  fi
}

# Installs those of the named packages that are missing.
install_packages() {
  local missing=() package
  if ! command -v dpkg-query >/dev/null; then
    note "not a Debian system; expecting the equivalents of: $*"
    return
  fi
  for package in "$@"; do
    if [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" != installed ]; then
      missing+=("$package")
    fi
  done
  if [ ${#missing[@]} -eq 0 ]; then
    note "all $# Debian packages are installed"
    return
  fi
  note "installing: ${missing[*]}"
  as_root apt-get -q update
  as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get -q install -y --no-install-recommends "${missing[@]}"
}

# Makes .venv with what utils/requirements.txt pins; again only when that file
# or the interpreter has changed.
make_venv() {
  local python=/usr/bin/python3 stamp want
  [ -x "$python" ] || python="$(command -v python3)" || die "python3 is missing"
  stamp="$VENV/.requirements"
  want="$("$python" --version) $(sha256sum <"$ROOT/utils/requirements.txt")"
  if [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$want" ]; then
    note ".venv is up to date"
    return
  fi
  note "making .venv with $("$python" --version)"
  rm -rf "$VENV"
  "$python" -m venv "$VENV"
  "$VENV/bin/pip" --disable-pip-version-check install --no-deps --progress-bar off -q \
    -r "$ROOT/utils/requirements.txt"
  "$VENV/bin/pip" --disable-pip-version-check check >/dev/null ||
    die "utils/requirements.txt does not name every dependency"
  printf '%s\n' "$want" >"$stamp"
}

# configure_and_build <preset> [target...]: the log of the configuration is
# shown only when it fails.
configure_and_build() {
  local preset="$1" directory log
  shift
  directory="$BUILD"
  [ "$preset" = release ] || directory="$BUILD-$preset"
  mkdir -p "$directory"
  log="$directory/configure.log"
  note "configuring $(basename "$directory")"
  (cd "$ROOT" && cmake --preset "$preset") >"$log" 2>&1 || {
    cat "$log" >&2
    die "the configuration failed"
  }
  cmake --build "$directory" -j "$JOBS" ${1:+--target "$@"}
}

set_up() {
  say "Debian packages"
  install_packages "${PACKAGES[@]}" "$@"
  say "Python environment"
  make_venv
}
