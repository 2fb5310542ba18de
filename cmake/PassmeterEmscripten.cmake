# What a build for browsers adds. Included only under Emscripten.
#
#   PASSMETER_EMDAWNWEBGPU       ON: WebGPU through Emscripten's port emdawnwebgpu, whose webgpu.h is the standard
#                                one (Emscripten 4.0.10 and later). OFF: the older -sUSE_WEBGPU=1 (up to 4.x).
#   PASSMETER_EMDAWNWEBGPU_PORT  a port file on this machine, instead of the one that emcc would download
#   PASSMETER_GOOGLETEST         folder of GoogleTest's sources, for the unit tests under Node
option(PASSMETER_EMDAWNWEBGPU "WebGPU by --use-port=emdawnwebgpu instead of -sUSE_WEBGPU=1" OFF)
set(PASSMETER_EMDAWNWEBGPU_PORT "" CACHE FILEPATH "Local emdawnwebgpu port file; empty: the one emcc knows")
set(PASSMETER_GOOGLETEST /usr/src/googletest CACHE PATH "GoogleTest's sources (Debian: libgtest-dev)")

# Exceptions and RTTI are off for everything, so that nothing pulls their support code into the module.
add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions> $<$<COMPILE_LANGUAGE:CXX>:-fno-rtti>)
add_link_options(-fno-exceptions)

# passmeter::webgpu_api: what to compile and link with for a webgpu.h.
add_library(passmeter_webgpu_api INTERFACE)
add_library(passmeter::webgpu_api ALIAS passmeter_webgpu_api)
set_target_properties(passmeter_webgpu_api PROPERTIES EXPORT_NAME webgpu_api)
if(PASSMETER_EMDAWNWEBGPU)
  if(PASSMETER_EMDAWNWEBGPU_PORT)
    set(passmeter_port --use-port=${PASSMETER_EMDAWNWEBGPU_PORT})
  else()
    set(passmeter_port --use-port=emdawnwebgpu)
  endif()
  target_compile_options(passmeter_webgpu_api INTERFACE ${passmeter_port})
  target_link_options(passmeter_webgpu_api INTERFACE ${passmeter_port})
else()
  target_link_options(passmeter_webgpu_api INTERFACE -sUSE_WEBGPU=1)
endif()

# Unit tests run under Node. The sources of GoogleTest are compiled, since a distribution's library is for its own
# processor; done once, when the first test asks.
macro(passmeter_node_googletest)
  if(NOT TARGET GTest::gtest)
    set(INSTALL_GTEST OFF CACHE BOOL "" FORCE)
    add_subdirectory(${PASSMETER_GOOGLETEST} ${CMAKE_BINARY_DIR}/googletest EXCLUDE_FROM_ALL)
    foreach(library gtest gtest_main gmock gmock_main)
      if(NOT TARGET GTest::${library})
        add_library(GTest::${library} ALIAS ${library})
      endif()
    endforeach()
  endif()
endmacro()

# passmeter_node_test(target): link options with which a test program runs under Node.
function(passmeter_node_test target)
  target_link_options(${target} PRIVATE -sENVIRONMENT=node -sALLOW_MEMORY_GROWTH -sEXIT_RUNTIME -sSTACK_SIZE=1MB
                      -sNODERAWFS -sMAX_WEBGL_VERSION=2)
endfunction()
