laconic profile 1
# MPICH Version:      5.0.2, 2 ranks, field noise, codec quant, bound rel:1e-3
ranks 2
within_node 1
# seconds per byte: encode decode fold add read; bytes of frames per byte
coding 6.115730144529152e-11 3.97335497837048e-11 8.44115888298802e-11 7.141132130072947e-11 3.2604224875498744e-11 0.354949951171875
# collective, bytes, seconds of plain MPI, fastest algorithm with compression, its seconds
class allreduce 16384 1.1678e-05 direct 1.47e-05
class allreduce 65536 3.4501e-05 direct 3.2592e-05
class allreduce 262144 0.000166516 recursive-halving 0.000122178
class allreduce 1048576 0.000635024 direct 0.000454567
class allreduce 4194304 0.00250054 recursive-halving 0.001614201
class reduce 16384 1.5289e-05 ring 1.3775e-05
class reduce 65536 2.6302e-05 direct 3.1679e-05
class reduce 262144 0.000132715 recursive-halving 0.00012024
class reduce 1048576 0.000506663 direct 0.000427148
class reduce 4194304 0.002114893 recursive-halving 0.001588774
class reduce_scatter 16384 7.47e-06 recursive-halving 1.3077e-05
class reduce_scatter 65536 1.7665e-05 direct 2.9843e-05
class reduce_scatter 262144 5.9554e-05 direct 9.9096e-05
class reduce_scatter 1048576 0.00022921 direct 0.000370238
class reduce_scatter 4194304 0.000910476 recursive-halving 0.001420664
class allgather 16384 5.448e-06 direct 9.233e-06
class allgather 65536 8.102e-06 direct 1.8524e-05
class allgather 262144 2.6317e-05 direct 6.1673e-05
class allgather 1048576 8.1431e-05 bruck 0.000205288
class allgather 4194304 0.000379402 recursive-doubling 0.000741669
class bcast 16384 7.711e-06 ring 1.1188e-05
class bcast 65536 1.1457e-05 chain 2.3296e-05
class bcast 262144 3.1164e-05 ring 8.1842e-05
class bcast 1048576 0.000125555 chain 0.000364874
class bcast 4194304 0.000510614 ring 0.00121218
class scatter 16384 3.539e-06 direct 1.0036e-05
class scatter 65536 5.423e-06 direct 1.9326e-05
class scatter 262144 1.2245e-05 direct 6.5461e-05
class scatter 1048576 4.4632e-05 binomial 0.000225252
class scatter 4194304 0.000375548 binomial 0.000813731
class gather 16384 3.463e-06 binomial 1.1206e-05
class gather 65536 4.978e-06 direct 2.0523e-05
class gather 262144 1.2155e-05 direct 5.6729e-05
class gather 1048576 6.2384e-05 direct 0.000184173
class gather 4194304 0.000415215 direct 0.000699302
class alltoall 16384 8.327e-06 bruck 1.2898e-05
class alltoall 65536 1.4231e-05 pairwise 2.3238e-05
class alltoall 262144 1.3557e-05 bruck 8.5854e-05
class alltoall 1048576 7.4067e-05 bruck 0.000302426
class alltoall 4194304 0.000394935 pairwise 0.001096914
class scan 16384 1.27e-05 chain 1.4626e-05
class scan 65536 2.8677e-05 recursive-doubling 3.4509e-05
class scan 262144 0.000105645 recursive-doubling 0.000121472
class scan 1048576 0.000542936 recursive-doubling 0.000439014
class scan 4194304 0.004978564 recursive-doubling 0.001678591
class exscan 16384 1.2107e-05 recursive-doubling 1.3045e-05
class exscan 65536 2.1625e-05 recursive-doubling 2.2303e-05
class exscan 262144 8.0051e-05 recursive-doubling 8.0079e-05
class exscan 1048576 0.000429983 chain 0.000251062
class exscan 4194304 0.004494779 recursive-doubling 0.000927952
class neighbor_allgather 16384 1.2195e-05 direct 1.6492e-05
class neighbor_allgather 65536 2.2691e-05 direct 2.2281e-05
class neighbor_allgather 262144 3.9698e-05 direct 5.7785e-05
class neighbor_allgather 1048576 0.000125186 direct 0.000235386
class neighbor_allgather 4194304 0.000547059 direct 0.000758888
class neighbor_alltoall 16384 8.518e-06 direct 1.8363e-05
class neighbor_alltoall 65536 2.1399e-05 direct 2.9079e-05
class neighbor_alltoall 262144 4.0193e-05 direct 0.000102018
class neighbor_alltoall 1048576 0.000158853 direct 0.000340763
class neighbor_alltoall 4194304 0.00061003 direct 0.001140798
end
