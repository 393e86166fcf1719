# What the network benchmarks stand on; none of it needs MPI.
foreach(name IN ITEMS test_patterns test_team_sampling test_message_data)
  add_executable(${name} ${name}.cpp)
  target_link_libraries(${name} PRIVATE machmeter-headers)
  add_test(NAME ${name} COMMAND ${name})
endforeach()
