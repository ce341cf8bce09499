laconic profile 3
# MPICH Version:      5.0.2, 2 ranks, field wave, codec quant and dense, bound rel:1e-3
ranks 2
within_node 1
# effort, seconds per byte: encode decode fold add read; bytes of frames per byte
coding light 4.705807965521558e-11 4.766842476300326e-11 6.970213295431904e-11 5.383299361838567e-11 2.7247625336568326e-11 0.0509185791015625
coding dense 5.525741600398426e-10 2.3533630599814614e-10 7.474212637692546e-10 9.257507330162618e-10 2.446784962140125e-11 0.04059600830078125
# collective, bytes, seconds of plain MPI, fastest effort and algorithm with compression, rows and seconds
class allreduce 16384 2.8873e-05 light recursive-halving 1 2.5508e-05
class allreduce 65536 5.0465e-05 light direct 1 2.4396e-05
class allreduce 262144 0.000191975 light direct 2 9.0695e-05
class allreduce 1048576 0.000810646 light direct 8 0.000256602
class allreduce 4194304 0.003316761 light recursive-halving 32 0.000842202
class reduce 16384 3.1467e-05 light recursive-halving 1 1.0245e-05
class reduce 65536 5.2578e-05 light direct 2 2.5869e-05
class reduce 262144 0.000163113 light direct 2 5.6524e-05
class reduce 1048576 0.00067948 light direct 8 0.000198976
class reduce 4194304 0.002933752 light chain 64 0.000704287
class reduce_scatter 16384 1.4271e-05 light ring 1 1.0025e-05
class reduce_scatter 65536 4.2854e-05 light ring 2 2.665e-05
class reduce_scatter 262144 8.1562e-05 light direct 1 5.1156e-05
class reduce_scatter 1048576 0.000251974 light recursive-halving 4 0.000161039
class reduce_scatter 4194304 0.001209959 light recursive-halving 16 0.000607043
class allgather 16384 1.5022e-05 light direct 1 1.4422e-05
class allgather 65536 2.015e-05 light bruck 2 2.8703e-05
class allgather 262144 4.9724e-05 light direct 2 5.2699e-05
class allgather 1048576 0.000121701 light direct 4 0.000109183
class allgather 4194304 0.000649766 light ring 8 0.0005247
class bcast 16384 9.534e-06 light binomial 1 7.331e-06
class bcast 65536 3.1397e-05 light binomial 1 1.381e-05
class bcast 262144 0.000108752 light ring 1 3.998e-05
class bcast 1048576 0.000483129 light binomial 8 0.000159447
class bcast 4194304 0.001992693 light ring 16 0.000583848
class scatter 16384 5.939e-06 light binomial 1 6.4e-06
class scatter 65536 1.0425e-05 light binomial 1 1.2108e-05
class scatter 262144 2.1081e-05 light direct 1 3.4592e-05
class scatter 1048576 0.00010793 light binomial 4 0.000124785
class scatter 4194304 0.000697447 light direct 16 0.000481416
class gather 16384 5.308e-06 light binomial 1 7.511e-06
class gather 65536 1.0285e-05 light binomial 2 1.4882e-05
class gather 262144 2.1321e-05 light binomial 2 4.2783e-05
class gather 1048576 0.000124836 light direct 4 0.000139267
class gather 4194304 0.000631479 light direct 32 0.000441887
class alltoall 16384 1.8928e-05 light bruck 1 8.873e-06
class alltoall 65536 2.9504e-05 light pairwise 2 3.2198e-05
class alltoall 262144 4.8823e-05 light pairwise 4 6.2653e-05
class alltoall 1048576 0.000195301 light bruck 4 0.000221319
class alltoall 4194304 0.000939857 light bruck 16 0.000960638
class scan 16384 2.1312e-05 light chain 1 1.2388e-05
class scan 65536 6.3865e-05 light chain 4 1.9659e-05
class scan 262144 0.000225946 light recursive-doubling 4 6.4336e-05
class scan 1048576 0.00071938 light recursive-doubling 8 0.000189061
class scan 4194304 0.003992006 light recursive-doubling 64 0.000997563
class exscan 16384 2.3976e-05 light chain 1 1.305e-05
class exscan 65536 6.709e-05 light chain 2 2.1842e-05
class exscan 262144 0.000250343 light chain 4 5.9629e-05
class exscan 1048576 0.001078343 light chain 16 0.000193017
class exscan 4194304 0.002908074 light recursive-doubling 32 0.000580403
class neighbor_allgather 16384 1.1016e-05 light direct 1 1.2098e-05
class neighbor_allgather 65536 3.1267e-05 light direct 1 1.6835e-05
class neighbor_allgather 262144 7.0175e-05 light direct 1 3.4081e-05
class neighbor_allgather 1048576 0.000230844 light direct 1 0.000108131
class neighbor_allgather 4194304 0.000911645 light direct 4 0.000468607
class neighbor_alltoall 16384 1.6765e-05 light direct 1 2.3896e-05
class neighbor_alltoall 65536 3.2097e-05 light direct 1 1.9889e-05
class neighbor_alltoall 262144 9.8877e-05 light direct 1 8.1961e-05
class neighbor_alltoall 1048576 0.00045043 light direct 1 0.000274779
class neighbor_alltoall 4194304 0.00160739 light direct 4 0.000884064
end
