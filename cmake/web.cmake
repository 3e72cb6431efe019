# The WebAssembly modules of the playground and of the npm package, each with one thread and with several. All are built
# on demand: `make web`. The objects are compiled once, with atomics; linking decides whether memory is shared.

# wasm-opt takes 45 s for a module of the playground: not for quick tests (TARN_QUICK_LINK).
# No closure and no html, which need what Debian lacks. Classic scripts, because threads load them as such.
set(TARN_WEB_LINK --no-entry -sMODULARIZE=1 -sALLOW_MEMORY_GROWTH=1 -sMAXIMUM_MEMORY=2GB -sFILESYSTEM=0
    -sNODEJS_CATCH_EXIT=0 -sNODEJS_CATCH_REJECTION=0 $<$<BOOL:${TARN_QUICK_LINK}>:-O1>)

# tarn_web_module(name OUTPUT source... LINK options... LIBRARIES targets...): the modules OUTPUT and OUTPUT-threads
function(tarn_web_module target)
    cmake_parse_arguments(web "" "OUTPUT" "SOURCES;LINK;LIBRARIES;METHODS" ${ARGN})
    foreach(threads "" "-threads")
        set(name ${target}${threads})
        set(file ${web_OUTPUT}${threads})
        set(post ${PROJECT_BINARY_DIR}/web/${file}.post.js)
        file(WRITE ${post} "globalThis[Symbol.for(\"${file}\")] = createTarn;\n")
        add_executable(${name} EXCLUDE_FROM_ALL ${web_SOURCES})
        tarn_flags(${name})
        target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
        target_link_libraries(${name} PRIVATE ${web_LIBRARIES})
        set(methods ${web_METHODS})
        set(link ${TARN_WEB_LINK} ${web_LINK})
        if(threads)
            list(APPEND methods PThread)
            # The page says how many threads it wants; they are started with the module, because a page cannot wait.
            list(APPEND link -pthread -Wno-pthreads-mem-growth "-sPTHREAD_POOL_SIZE=Module.poolSize" -sPTHREAD_POOL_SIZE_STRICT=0)
        endif()
        list(JOIN methods "," methods)
        target_link_options(${name} PRIVATE ${link} -sEXPORT_NAME=createTarn -sEXPORTED_RUNTIME_METHODS=${methods}
            --extern-post-js ${post})
        set_target_properties(${name} PROPERTIES SUFFIX .js OUTPUT_NAME ${file}
            RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/web LINK_DEPENDS ${post})
        list(APPEND made ${name})
    endforeach()
    set(TARN_WEB_MODULES ${TARN_WEB_MODULES} ${made} PARENT_SCOPE)
endfunction()

tarn_web_module(web_package OUTPUT tarn SOURCES ${PROJECT_SOURCE_DIR}/apps/web/package/tarn_js.c LIBRARIES tarn
    METHODS HEAPU8
    LINK -sENVIRONMENT=web,worker,node -sEXPORTED_FUNCTIONS=_malloc,_free)

if(TARGET tarn_play)
    file(STRINGS ${PROJECT_SOURCE_DIR}/apps/play/play.h play_lines REGEX "tarn_play_[a-z_]+\\(")
    string(REGEX MATCHALL "tarn_play_[a-z_]+\\(" play_names "${play_lines}")
    list(REMOVE_DUPLICATES play_names)
    set(play_exports _malloc _free)
    foreach(name ${play_names})
        string(REPLACE "(" "" name ${name})
        list(APPEND play_exports _${name})
    endforeach()
    list(JOIN play_exports "," play_exports)
    tarn_web_module(web_page OUTPUT playground SOURCES ${PROJECT_SOURCE_DIR}/apps/web/page.c
        LIBRARIES tarn_play tarn_view tarn_render tarn METHODS ccall
        LINK -sENVIRONMENT=web,worker -sMIN_WEBGL_VERSION=2 -sMAX_WEBGL_VERSION=2
            -sEXPORTED_FUNCTIONS=${play_exports})
endif()
add_custom_target(web_modules DEPENDS ${TARN_WEB_MODULES})
