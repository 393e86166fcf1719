add_executable(test_sync test_sync.cpp)
target_link_libraries(test_sync PRIVATE machmeter-headers)
add_test(NAME test_sync COMMAND test_sync)
