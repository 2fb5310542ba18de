# Emscripten's own toolchain file, of whichever emcc is in the PATH: so `cmake --preset web` works alike with
# Debian's package and with an activated emsdk, without emcmake.
if(DEFINED ENV{EMSCRIPTEN_ROOT} AND EXISTS "$ENV{EMSCRIPTEN_ROOT}/emcc")
  set(passmeter_emscripten_root "$ENV{EMSCRIPTEN_ROOT}")
else()
  find_program(PASSMETER_EM_CONFIG em-config)
  if(NOT PASSMETER_EM_CONFIG)
    message(FATAL_ERROR "Emscripten is not in the PATH: install it, or run emsdk_env.sh, or set EMSCRIPTEN_ROOT")
  endif()
  execute_process(COMMAND ${PASSMETER_EM_CONFIG} EMSCRIPTEN_ROOT
                  OUTPUT_VARIABLE passmeter_emscripten_root OUTPUT_STRIP_TRAILING_WHITESPACE)
endif()
include("${passmeter_emscripten_root}/cmake/Modules/Platform/Emscripten.cmake")
