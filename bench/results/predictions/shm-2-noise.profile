laconic profile 1
# MPICH Version:      5.0.2, 2 ranks, field noise, codec quant, bound rel:1e-3
ranks 2
within_node 1
# seconds per byte: encode decode fold add read; bytes of frames per byte
coding 5.92650373221204e-11 3.997802089372726e-11 8.300782283754415e-11 7.147216152247893e-11 3.295136108416585e-11 0.354949951171875
# collective, bytes, seconds of plain MPI, fastest algorithm with compression, its seconds
class allreduce 16384 1.2483e-05 ring 1.427e-05
class allreduce 65536 3.4457e-05 ring 3.3001e-05
class allreduce 262144 0.000166789 direct 0.000124381
class allreduce 1048576 0.000639443 direct 0.000449225
class allreduce 4194304 0.002448024 direct 0.001582126
class reduce 16384 1.157e-05 recursive-halving 1.3937e-05
class reduce 65536 2.6436e-05 direct 3.1616e-05
class reduce 262144 0.00013239 direct 0.000124968
class reduce 1048576 0.000502784 direct 0.000418799
class reduce 4194304 0.002110075 recursive-halving 0.001605083
class reduce_scatter 16384 7.5e-06 recursive-halving 1.3035e-05
class reduce_scatter 65536 1.8078e-05 ring 3.042e-05
class reduce_scatter 262144 5.8319e-05 ring 0.000100056
class reduce_scatter 1048576 0.000185433 ring 0.00035347
class reduce_scatter 4194304 0.00084263 ring 0.001394343
class allgather 16384 5.389e-06 bruck 9.172e-06
class allgather 65536 7.698e-06 recursive-doubling 1.8184e-05
class allgather 262144 1.9259e-05 direct 6.26e-05
class allgather 1048576 8.3667e-05 recursive-doubling 0.000210904
class allgather 4194304 0.000375995 recursive-doubling 0.000751366
class bcast 16384 6.685e-06 ring 1.084e-05
class bcast 65536 9.955e-06 chain 2.2753e-05
class bcast 262144 3.1321e-05 ring 8.287e-05
class bcast 1048576 0.000152558 binomial 0.000358905
class bcast 4194304 0.000515426 chain 0.001155658
class scatter 16384 3.484e-06 binomial 9.337e-06
class scatter 65536 5.238e-06 binomial 1.8782e-05
class scatter 262144 1.2426e-05 direct 6.5485e-05
class scatter 1048576 4.481e-05 binomial 0.000214544
class scatter 4194304 0.000354766 binomial 0.000798615
class gather 16384 3.548e-06 binomial 1.1007e-05
class gather 65536 5.315e-06 binomial 2.004e-05
class gather 262144 1.2208e-05 binomial 5.7914e-05
class gather 1048576 5.5653e-05 direct 0.00018668
class gather 4194304 0.000391874 binomial 0.000723608
class alltoall 16384 7.714e-06 bruck 1.2582e-05
class alltoall 65536 1.2462e-05 bruck 2.3468e-05
class alltoall 262144 1.435e-05 bruck 8.7787e-05
class alltoall 1048576 6.908e-05 pairwise 0.000296954
class alltoall 4194304 0.000380015 bruck 0.001102258
class scan 16384 1.1048e-05 chain 1.4345e-05
class scan 65536 3.2672e-05 recursive-doubling 3.4942e-05
class scan 262144 0.000102921 recursive-doubling 0.000119279
class scan 1048576 0.00049266 chain 0.000417851
class scan 4194304 0.004661857 chain 0.001590871
class exscan 16384 1.1338e-05 chain 1.2138e-05
class exscan 65536 2.2309e-05 recursive-doubling 2.2524e-05
class exscan 262144 7.8185e-05 chain 8.5996e-05
class exscan 1048576 0.000391975 recursive-doubling 0.000239884
class exscan 4194304 0.004182223 chain 0.00088992
class neighbor_allgather 16384 8.524e-06 direct 1.5413e-05
class neighbor_allgather 65536 2.2196e-05 direct 2.1426e-05
class neighbor_allgather 262144 3.8462e-05 direct 5.5208e-05
class neighbor_allgather 1048576 0.000120581 direct 0.000227032
class neighbor_allgather 4194304 0.000527839 direct 0.000720637
class neighbor_alltoall 16384 7.156e-06 direct 1.7966e-05
class neighbor_alltoall 65536 2.088e-05 direct 2.8546e-05
class neighbor_alltoall 262144 3.826e-05 direct 8.252e-05
class neighbor_alltoall 1048576 0.000148769 direct 0.000315486
class neighbor_alltoall 4194304 0.000592254 direct 0.001136262
end
