# How this tree is compiled: linker, compiler cache, diagnostics colour.

# lld links an MLIR tool in a second where the system linker needs ten.
include(CheckLinkerFlag)
if(NOT CMAKE_EXE_LINKER_FLAGS MATCHES "-fuse-ld")
  check_linker_flag(CXX -fuse-ld=lld HETERO_HAVE_LLD)
  if(HETERO_HAVE_LLD)
    add_link_options(-fuse-ld=lld)
  endif()
endif()

# ccache, where it is installed. Precompiled headers need the two kinds of
# sloppiness that its manual names for them.
if(NOT CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(HETERO_CCACHE ccache)
  if(HETERO_CCACHE)
    set(CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${HETERO_CCACHE})
  endif()
endif()
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  # Without this, ccache sees a new precompiled header after every build.
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:SHELL:-Xclang -fno-pch-timestamp>")
  add_compile_options(-fcolor-diagnostics)
endif()

# Installed tools find LLVM's shared libraries where the built ones do.
set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)
