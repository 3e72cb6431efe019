# What `cmake --install` puts where. Only a top-level build installs. The prefix may change after
# the build (cmake --install --prefix, DESTDIR, a moved tree): nothing installed holds its path.
if(NOT PROJECT_IS_TOP_LEVEL)
    return()
endif()
include(CMakePackageConfigHelpers)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/tarn DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
    FILES_MATCHING PATTERN "*.h"
    PATTERN "render.h" EXCLUDE PATTERN "view.h" EXCLUDE) # they serve our own tools and are not installed

install(TARGETS ${TARN_LIBRARIES} EXPORT tarnTargets
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/tarn)
install(EXPORT tarnTargets NAMESPACE tarn:: DESTINATION ${package_dir})
configure_package_config_file(cmake/tarnConfig.cmake.in ${PROJECT_BINARY_DIR}/tarnConfig.cmake
    INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/tarnConfigVersion.cmake
    COMPATIBILITY SameMinorVersion) # 0.x: the API may change at minors
install(FILES ${PROJECT_BINARY_DIR}/tarnConfig.cmake ${PROJECT_BINARY_DIR}/tarnConfigVersion.cmake
    DESTINATION ${package_dir})

# tarn.pc finds its prefix from its own place, unless libdir lies outside the prefix.
if(IS_ABSOLUTE ${CMAKE_INSTALL_LIBDIR} OR IS_ABSOLUTE ${CMAKE_INSTALL_INCLUDEDIR})
    set(pc_prefix ${CMAKE_INSTALL_PREFIX})
    set(pc_libdir ${CMAKE_INSTALL_FULL_LIBDIR})
    set(pc_includedir ${CMAKE_INSTALL_FULL_INCLUDEDIR})
else()
    file(RELATIVE_PATH pc_up /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
    string(REGEX REPLACE "/$" "" pc_up ${pc_up})
    set(pc_prefix \${pcfiledir}/${pc_up})
    set(pc_libdir \${prefix}/${CMAKE_INSTALL_LIBDIR})
    set(pc_includedir \${prefix}/${CMAKE_INSTALL_INCLUDEDIR})
endif()
set(pc_libs "")
set(pc_cflags " -DTARN_SHARED")
if(NOT BUILD_SHARED_LIBS) # only the static library is there, which brings no libraries of its own
    set(pc_libs " -lm -pthread")
    set(pc_cflags "")
endif()
configure_file(cmake/tarn.pc.in ${PROJECT_BINARY_DIR}/tarn.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/tarn.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

if(TARGET tarn_cli)
    install(TARGETS tarn_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
    if(TARN_VIEWER) # it shows the reference pictures of the tests as thumbnails
        install(TARGETS tarn_viewer RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
        install(DIRECTORY ${PROJECT_SOURCE_DIR}/tests/pictures/ DESTINATION ${CMAKE_INSTALL_DATADIR}/tarn/thumbnails
            FILES_MATCHING PATTERN "*.png")
    endif()
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/scenes DESTINATION ${CMAKE_INSTALL_DATADIR}/tarn
    FILES_MATCHING PATTERN "*.json")
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
