# The native tests: a harness per reader and solver, driven by libFuzzer or by a plain program, and the tests of
# threads, of a failing allocator and of the portable alternatives.
set(HARNESSES
    trec_run trec_pair qrels lengths passages gold marco delimited query_table json_lines json_run arrow batches
    dot_product cascade average_precision quadratic time_biased_gain alignment effort trails)
add_library(medir_driver OBJECT native/tests/fuzz/$<IF:$<BOOL:${MEDIR_FUZZ}>,coverage_guided.cpp,plain.cpp>)
target_include_directories(medir_driver PRIVATE native/tests/fuzz)
target_compile_options(medir_driver PRIVATE ${WARNINGS})
foreach(harness ${HARNESSES})
  add_executable(fuzz_${harness} native/tests/fuzz/${harness}.cpp $<TARGET_OBJECTS:medir_driver>)
  target_compile_options(fuzz_${harness} PRIVATE $<IF:$<BOOL:${MEDIR_FUZZ}>,-O2,-O1> ${WARNINGS})
  target_link_libraries(fuzz_${harness} PRIVATE medir_kernels)
  if(MEDIR_FUZZ)
    target_link_options(fuzz_${harness} PRIVATE -fsanitize=fuzzer)
  endif()
endforeach()

# Every reader and driver, with threads, with allocations that fail and with other seeds of hashes.
if(NOT MEDIR_FUZZ)
  add_library(medir_workload STATIC native/tests/workload.cpp)
  target_compile_options(medir_workload PRIVATE ${WARNINGS})
  target_link_libraries(medir_workload PUBLIC medir_kernels)
  foreach(test threads allocations hashing)
    add_executable(${test} native/tests/${test}.cpp)
    target_compile_options(${test} PRIVATE ${WARNINGS})
    target_link_libraries(${test} PRIVATE medir_workload)
  endforeach()
endif()

# The portable alternatives, and the check of the solvers that mutants are killed with.
if(NOT MEDIR_FUZZ)
  file(GLOB CHECKS CONFIGURE_DEPENDS native/tests/check/*.cpp)
  add_executable(portable native/tests/portable.cpp)
  add_executable(check ${CHECKS})
  target_include_directories(check PRIVATE native/tests)
  foreach(test portable check)
    target_compile_options(${test} PRIVATE -O1 ${WARNINGS})
    target_link_libraries(${test} PRIVATE medir_kernels)
  endforeach()
endif()
