# What `cmake --install` puts in place: libraries, public headers, licence, and the package that
# `find_package(passmeter CONFIG COMPONENTS gl webgpu)` finds. Each library has an export file of its own, so that
# someone who asks for the GL backend alone needs none of the WebGPU backend's dependencies.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/passmeter)
set(PASSMETER_COMPONENTS "")
set(PASSMETER_WEBGPU_USES_DAWN OFF)

foreach(component core gl webgpu)
  set(target passmeter_${component})
  if(NOT TARGET ${target})
    continue()
  endif()
  list(APPEND PASSMETER_COMPONENTS ${component})
  install(TARGETS ${target} EXPORT passmeter-${component} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
          INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(EXPORT passmeter-${component} NAMESPACE passmeter:: FILE passmeter-${component}.cmake
          DESTINATION ${package_dir})
  get_target_property(source_dir ${target} SOURCE_DIR)
  install(DIRECTORY ${source_dir}/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
endforeach()

# Natively the WebGPU backend's header needs Dawn's webgpu.h; with Emscripten the compiler brings its own.
if(TARGET passmeter_webgpu)
  get_target_property(links passmeter_webgpu INTERFACE_LINK_LIBRARIES)
  if("${links}" MATCHES "dawn::")
    set(PASSMETER_WEBGPU_USES_DAWN ON)
  endif()
endif()

configure_package_config_file(cmake/passmeterConfig.cmake.in ${PROJECT_BINARY_DIR}/passmeterConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/passmeterConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/passmeterConfig.cmake ${PROJECT_BINARY_DIR}/passmeterConfigVersion.cmake
        DESTINATION ${package_dir})
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
