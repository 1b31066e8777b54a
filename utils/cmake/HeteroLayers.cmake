# The layers from the lowest to the highest (docs/Architecture.md); a layer with
# sub-folders is a row of rooms, `Planner/Model`. A library links only libraries
# of its own and of lower layers: hetero_add_library stops the configuration when
# one links a higher one, and utils/lint checks the #include lines likewise.
set(HETERO_LAYERS
  Support Solver Cluster CostModel Simulator
  Planner/Problem Planner/Plan Planner/Model Planner/Bounds Planner/Search
  Planner/Baselines Planner/Spmd Planner/Cephalo Planner/Harp Planner/Joint
  Planner/Driver
  Runtime Dialect Analysis
  Transforms/Import Transforms/Ranks Transforms/Partition Transforms/Verify
  Transforms/Planning
  Conversion/Programs Conversion/StablehloToLinalg Conversion/Kernels
  Conversion/Cuda Conversion/Jit
  tools)

# Layers that must not know MLIR's IR.
set(HETERO_IR_FREE_LAYERS Solver Cluster CostModel Simulator Planner Runtime)

# hetero_add_library(<name> LAYER <layer> SOURCES <file>...
#                    [LINK_LIBS <target>...] [DEPENDS <target>...])
function(hetero_add_library name)
  cmake_parse_arguments(ARG "" "LAYER" "SOURCES;LINK_LIBS;DEPENDS" ${ARGN})
  list(FIND HETERO_LAYERS "${ARG_LAYER}" position)
  if(position EQUAL -1)
    message(FATAL_ERROR "${name}: unknown layer '${ARG_LAYER}'; one of: ${HETERO_LAYERS}")
  endif()
  add_library(${name} STATIC ${ARG_SOURCES})
  add_library(Hetero::${name} ALIAS ${name})
  set_target_properties(${name} PROPERTIES HETERO_LAYER ${ARG_LAYER}
    POSITION_INDEPENDENT_CODE ON)
  target_include_directories(${name} INTERFACE
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  foreach(lib IN LISTS ARG_LINK_LIBS)
    hetero_check_link(${name} ${position} ${lib})
  endforeach()
  target_link_libraries(${name} PUBLIC ${ARG_LINK_LIBS})
  string(REGEX REPLACE "/.*" "" top "${ARG_LAYER}")
  if(NOT top IN_LIST HETERO_IR_FREE_LAYERS AND NOT ARG_LAYER STREQUAL "Support")
    hetero_link_mlir(${name})
    add_dependencies(${name} hetero-headers)
    hetero_precompile(${name})
  endif()
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
  set_property(GLOBAL APPEND PROPERTY HETERO_LIBRARIES ${name})
endfunction()

function(hetero_check_link name position lib)
  if(NOT TARGET ${lib})
    return()
  endif()
  get_target_property(layer ${lib} HETERO_LAYER)
  if(NOT layer)
    return()
  endif()
  list(FIND HETERO_LAYERS "${layer}" other)
  if(other GREATER position)
    message(FATAL_ERROR
      "${name} links ${lib}, whose layer '${layer}' is higher than its own in HETERO_LAYERS")
  endif()
endfunction()

# Debian's packages carry one shared libMLIR; other builds may have only the
# component archives.
function(hetero_link_mlir name)
  if(TARGET MLIR)
    target_link_libraries(${name} PUBLIC MLIR LLVM)
  else()
    get_property(dialects GLOBAL PROPERTY MLIR_DIALECT_LIBS)
    target_link_libraries(${name} PUBLIC ${dialects} MLIROptLib MLIRLspServerLib MLIRReduceLib MLIRTranslateLib)
  endif()
endfunction()

# All MLIR users share the precompiled headers of one target.
function(hetero_precompile name)
  if(NOT HETERO_PRECOMPILED_HEADERS)
    return()
  endif()
  if(NOT TARGET HeteroPCH)
    add_library(HeteroPCH OBJECT ${PROJECT_SOURCE_DIR}/lib/Support/PCH.cpp)
    set_target_properties(HeteroPCH PROPERTIES POSITION_INDEPENDENT_CODE ON)
    target_precompile_headers(HeteroPCH PRIVATE ${PROJECT_SOURCE_DIR}/lib/Support/PCH.h)
  endif()
  target_precompile_headers(${name} REUSE_FROM HeteroPCH)
endfunction()

# hetero_add_tool(<name> SOURCES <file>... [LINK_LIBS <target>...])
function(hetero_add_tool name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK_LIBS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  # -fPIC comes from LLVM's options; -fPIE on top would not match the
  # precompiled headers.
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_link_libraries(${name} PRIVATE ${ARG_LINK_LIBS})
  hetero_link_mlir_private(${name})
  hetero_precompile(${name})
  install(TARGETS ${name} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  set_property(GLOBAL APPEND PROPERTY HETERO_TOOLS ${name})
endfunction()

function(hetero_link_mlir_private name)
  if(TARGET MLIR)
    target_link_libraries(${name} PRIVATE MLIR LLVM)
  endif()
endfunction()

# hetero_tablegen(<file.td> <output> <generator flag>...): one generated file,
# made before any library compiles (target hetero-headers).
macro(hetero_tablegen td output)
  set(LLVM_TARGET_DEFINITIONS ${td})
  mlir_tablegen(${output} ${ARGN})
  list(APPEND HETERO_TABLEGEN_OUTPUTS ${output})
endmacro()

# hetero_tablegen_target(<name>): closes the hetero_tablegen calls before it.
macro(hetero_tablegen_target name)
  add_public_tablegen_target(${name})
  add_dependencies(hetero-headers ${name})
endmacro()
