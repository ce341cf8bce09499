laconic profile 3
# for the test of the drop-in: an allreduce is faster compressed, a bcast is faster as plain MPI
ranks 4
within_node 0
coding light 1e-9 1e-9 1e-9 1e-9 1e-10 0.2
class allreduce 65536 10 light ring 1 1e-3
class bcast 65536 1e-9 light binomial 1 1
end
