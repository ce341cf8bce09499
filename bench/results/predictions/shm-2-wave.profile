laconic profile 2
# MPICH Version:      5.0.2, 2 ranks, field wave, codec quant, bound rel:1e-3
ranks 2
within_node 1
# seconds per byte: encode decode fold add read; bytes of frames per byte
coding 4.168709821783523e-11 5.03543873264789e-11 5.480993436890458e-11 4.36402025627558e-11 3.2350541689929453e-11 0.0509185791015625
# collective, bytes, seconds of plain MPI, fastest algorithm with compression, its rows and seconds
class allreduce 16384 1.1467e-05 direct 1 1.1813e-05
class allreduce 65536 3.4541e-05 direct 1 2.0654e-05
class allreduce 262144 0.000165693 ring 1 6.1062e-05
class allreduce 1048576 0.000654364 direct 8 0.000239229
class allreduce 4194304 0.00236233 recursive-halving 8 0.001058917
class reduce 16384 1.2137e-05 recursive-halving 1 1.077e-05
class reduce 65536 2.6749e-05 direct 1 1.9549e-05
class reduce 262144 0.000132274 recursive-halving 2 6.2608e-05
class reduce 1048576 0.000528944 direct 1 0.000242227
class reduce 4194304 0.001894299 binomial 64 0.000948962
class reduce_scatter 16384 7.359e-06 ring 1 1.1659e-05
class reduce_scatter 65536 1.7845e-05 direct 1 2.0766e-05
class reduce_scatter 262144 5.5436e-05 direct 1 5.3909e-05
class reduce_scatter 1048576 0.000178732 ring 4 0.000200754
class reduce_scatter 4194304 0.00086797 direct 16 0.000899248
class allgather 16384 4.934e-06 ring 1 8.122e-06
class allgather 65536 8.133e-06 recursive-doubling 1 1.3083e-05
class allgather 262144 2.1108e-05 bruck 1 3.8151e-05
class allgather 1048576 7.7858e-05 direct 4 0.00015082
class allgather 4194304 0.000388789 direct 16 0.000656614
class bcast 16384 6.985e-06 chain 1 1.0101e-05
class bcast 65536 1.0299e-05 binomial 2 1.7582e-05
class bcast 262144 2.9911e-05 chain 1 5.2762e-05
class bcast 1048576 0.000121203 binomial 8 0.000203896
class bcast 4194304 0.000499105 ring 4 0.000834293
class scatter 16384 3.698e-06 direct 1 8.566e-06
class scatter 65536 5.002e-06 direct 1 1.5759e-05
class scatter 262144 1.267e-05 direct 1 4.1479e-05
class scatter 1048576 4.0513e-05 binomial 1 0.000147405
class scatter 4194304 0.000363107 direct 8 0.000732356
class gather 16384 3.506e-06 binomial 1 1.0108e-05
class gather 65536 4.77e-06 direct 1 1.6736e-05
class gather 262144 1.2553e-05 binomial 2 4.1786e-05
class gather 1048576 6.2934e-05 binomial 4 0.000145697
class gather 4194304 0.00037722 binomial 16 0.00055414
class alltoall 16384 7.35e-06 bruck 1 9.358e-06
class alltoall 65536 1.2459e-05 pairwise 1 1.8687e-05
class alltoall 262144 1.3586e-05 bruck 1 5.2264e-05
class alltoall 1048576 7.0816e-05 pairwise 4 0.000191369
class alltoall 4194304 0.000397791 bruck 8 0.000929577
class scan 16384 1.1886e-05 chain 1 1.1482e-05
class scan 65536 3.1572e-05 recursive-doubling 1 2.3789e-05
class scan 262144 0.000103352 chain 2 6.5208e-05
class scan 1048576 0.00049686 chain 8 0.000232457
class scan 4194304 0.002030469 chain 32 0.001061348
class exscan 16384 1.1084e-05 recursive-doubling 1 1.0032e-05
class exscan 65536 2.2262e-05 recursive-doubling 2 1.7393e-05
class exscan 262144 7.9712e-05 chain 4 4.4819e-05
class exscan 1048576 0.000389101 chain 16 0.000160051
class exscan 4194304 0.001575686 chain 32 0.000707147
class neighbor_allgather 16384 8.204e-06 direct 1 1.3929e-05
class neighbor_allgather 65536 2.0822e-05 direct 1 1.996e-05
class neighbor_allgather 262144 3.8143e-05 direct 1 4.0378e-05
class neighbor_allgather 1048576 0.000119349 direct 1 0.000125866
class neighbor_allgather 4194304 0.000549715 direct 2 0.000582285
class neighbor_alltoall 16384 8.191e-06 direct 1 1.5911e-05
class neighbor_alltoall 65536 2.0618e-05 direct 1 2.5341e-05
class neighbor_alltoall 262144 4.1105e-05 direct 1 6.3032e-05
class neighbor_alltoall 1048576 0.000151056 direct 2 0.000222516
class neighbor_alltoall 4194304 0.000600669 direct 8 0.000973032
end
