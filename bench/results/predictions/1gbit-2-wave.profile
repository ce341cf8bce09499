laconic profile 3
# MPICH Version:      5.0.2, 2 ranks, field wave, codec quant and dense, bound rel:1e-3
ranks 2
within_node 0
# effort, seconds per byte: encode decode fold add read; bytes of frames per byte
coding light 2.0751844687083576e-11 2.6916247009012295e-11 2.990763192656232e-11 2.5085267196800487e-11 1.9525114858254253e-11 0.0509185791015625
coding dense 3.7814329445495787e-10 1.25465360323318e-10 5.462493790631129e-10 6.463394264244471e-10 1.8558488079634117e-11 0.04059600830078125
# collective, bytes, seconds of plain MPI, fastest effort and algorithm with compression, rows and seconds
class allreduce 16384 2.6981e-05 light recursive-doubling 1 2.9594e-05
class allreduce 65536 0.000339685 light ring 1 9.6084e-05
class allreduce 262144 0.001978389 light direct 2 0.000104397
class allreduce 1048576 0.008417287 light recursive-doubling 8 0.000338468
class allreduce 4194304 0.033966726 light recursive-doubling 32 0.001787948
class reduce 16384 8.8092e-05 light binomial 1 9.1146e-05
class reduce 65536 0.00030357 light binomial 2 9.4391e-05
class reduce 262144 0.001917928 light recursive-halving 2 0.000158308
class reduce 1048576 0.008371399 light chain 16 0.000358488
class reduce 4194304 0.033883571 light binomial 32 0.001790298
class reduce_scatter 16384 1.8387e-05 light ring 1 4.3305e-05
class reduce_scatter 65536 0.000179601 light ring 1 0.000101412
class reduce_scatter 262144 0.001247543 light direct 1 0.000122424
class reduce_scatter 1048576 0.005513704 light recursive-halving 1 0.000225869
class reduce_scatter 4194304 0.022653767 light ring 32 0.001218269
class allgather 16384 1.6895e-05 light ring 1 2.7452e-05
class allgather 65536 7.1517e-05 light direct 1 3.8107e-05
class allgather 262144 0.000875389 light recursive-doubling 1 6.0651e-05
class allgather 1048576 0.004083649 light recursive-doubling 2 0.000129264
class allgather 4194304 0.016832302 light recursive-doubling 16 0.000678798
class bcast 16384 8.523e-06 light binomial 1 9.0697e-05
class bcast 65536 0.000297085 light binomial 1 8.1973e-05
class bcast 262144 0.001933533 light binomial 2 8.663e-05
class bcast 1048576 0.008278064 light chain 4 0.000234542
class bcast 4194304 0.033659174 light binomial 16 0.001284917
class scatter 16384 8.443e-06 light binomial 1 9.0196e-05
class scatter 65536 5.8699e-05 light direct 1 9.312e-05
class scatter 262144 0.000856706 light binomial 2 7.4241e-05
class scatter 1048576 0.004036928 light direct 2 0.000159109
class scatter 4194304 0.016723933 light binomial 32 0.000782714
class gather 16384 8.272e-06 light binomial 1 9.0025e-05
class gather 65536 4.5238e-05 light direct 1 8.9605e-05
class gather 262144 0.0008627 light binomial 2 7.9269e-05
class gather 1048576 0.004037744 light binomial 2 0.00015966
class gather 4194304 0.016742121 light direct 16 0.000722895
class alltoall 16384 7.6896e-05 light bruck 1 9.8849e-05
class alltoall 65536 6.7922e-05 light pairwise 2 4.8703e-05
class alltoall 262144 0.000877411 light pairwise 2 7.4251e-05
class alltoall 1048576 0.004216007 light pairwise 1 0.000217737
class alltoall 4194304 0.016873694 light pairwise 16 0.00078664
class scan 16384 5.8899e-05 light recursive-doubling 1 7.6565e-05
class scan 65536 0.000360591 light chain 1 6.046e-05
class scan 262144 0.001977122 light chain 1 8.9474e-05
class scan 1048576 0.008569671 light recursive-doubling 8 0.000314202
class scan 4194304 0.034764513 light chain 32 0.001743636
class exscan 16384 7.6445e-05 dense recursive-doubling 1 7.8367e-05
class exscan 65536 0.00039329 light recursive-doubling 1 8.6149e-05
class exscan 262144 0.002043902 light chain 1 0.00012656
class exscan 1048576 0.008751338 light chain 16 0.000340661
class exscan 4194304 0.034687533 dense chain 16 0.00167937
class neighbor_allgather 16384 3.0125e-05 light direct 1 4.2083e-05
class neighbor_allgather 65536 4.2734e-05 light direct 1 4.5969e-05
class neighbor_allgather 262144 0.000518634 light direct 1 7.7737e-05
class neighbor_allgather 1048576 0.002715826 light direct 4 0.000291287
class neighbor_allgather 4194304 0.011199633 light direct 2 0.000858078
class neighbor_alltoall 16384 2.8863e-05 light direct 1 4.5388e-05
class neighbor_alltoall 65536 4.648e-05 light direct 1 5.0736e-05
class neighbor_alltoall 262144 0.000581137 light direct 1 0.000194752
class neighbor_alltoall 1048576 0.002729216 light direct 2 0.000261773
class neighbor_alltoall 4194304 0.011186628 light direct 4 0.000703075
end
