# -DHETERO_EXTERNAL_STABLEHLO=<dir>: StableHLO's own dialects instead of the
# ones declared in this tree. <dir> is a build directory of StableHLO; its
# sources are found beside or above it, or where CMake's usual variables say.
set(dir "${HETERO_EXTERNAL_STABLEHLO}")
find_path(HETERO_STABLEHLO_SOURCES stablehlo/dialect/StablehloOps.h
  HINTS ${dir} ${dir}/include ${dir}/.. ${dir}/../stablehlo)
find_path(HETERO_STABLEHLO_GENERATED stablehlo/dialect/StablehloOps.h.inc
  HINTS ${dir} ${dir}/include ${dir}/stablehlo)
foreach(found HETERO_STABLEHLO_SOURCES HETERO_STABLEHLO_GENERATED)
  if(NOT ${found})
    message(FATAL_ERROR "HETERO_EXTERNAL_STABLEHLO=${dir}: no StableHLO build there; "
      "expected stablehlo/dialect/StablehloOps.h and the generated "
      "StablehloOps.h.inc, or set HETERO_STABLEHLO_SOURCES and "
      "HETERO_STABLEHLO_GENERATED")
  endif()
endforeach()

set(libraries)
foreach(name ChloOps StablehloOps StablehloTypeInference StablehloAssemblyFormat
        StablehloBroadcastUtils StablehloBase Version)
  find_library(HETERO_STABLEHLO_${name} ${name} HINTS ${dir}/lib ${dir})
  if(HETERO_STABLEHLO_${name})
    list(APPEND libraries ${HETERO_STABLEHLO_${name}})
  endif()
endforeach()
if(NOT HETERO_STABLEHLO_StablehloOps)
  message(FATAL_ERROR "HETERO_EXTERNAL_STABLEHLO=${dir}: libStablehloOps is not built there")
endif()

foreach(name HeteroStablehloDialect HeteroChloDialect)
  add_library(${name} INTERFACE)
  target_include_directories(${name} INTERFACE
    $<BUILD_INTERFACE:${HETERO_STABLEHLO_SOURCES}>
    $<BUILD_INTERFACE:${HETERO_STABLEHLO_GENERATED}>)
  target_link_libraries(${name} INTERFACE ${libraries})
  set_property(GLOBAL APPEND PROPERTY HETERO_LIBRARIES ${name})
endforeach()
add_compile_definitions(HETERO_EXTERNAL_STABLEHLO)
message(STATUS "hetero: StableHLO from ${dir}")
