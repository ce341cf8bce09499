laconic profile 3
# MPICH Version:      5.0.2, 2 ranks, field noise, codec quant and dense, bound rel:1e-3
ranks 2
within_node 0
# effort, seconds per byte: encode decode fold add read; bytes of frames per byte
coding light 2.5085267196800487e-11 2.0752288776293426e-11 4.0954351021582625e-11 4.034417244724864e-11 1.896173495996578e-11 0.354949951171875
coding dense 3.829651040732074e-10 1.4723972041608135e-10 5.745163234038841e-10 7.050247052831082e-10 1.823806661249705e-11 0.3424224853515625
# collective, bytes, seconds of plain MPI, fastest effort and algorithm with compression, rows and seconds
class allreduce 16384 2.3435e-05 light recursive-doubling 1 2.8102e-05
class allreduce 65536 2.698e-05 light recursive-doubling 1 3.8548e-05
class allreduce 262144 0.000115534 light direct 1 8.005e-05
class allreduce 1048576 0.00072251 light recursive-halving 4 0.000276515
class allreduce 4194304 0.00342211 light direct 16 0.001355084
class reduce 16384 6.9334e-05 light chain 1 7.4211e-05
class reduce 65536 2.7241e-05 light direct 1 3.9539e-05
class reduce 262144 0.000109435 light ring 2 8.5789e-05
class reduce 1048576 0.000730477 light direct 4 0.000278308
class reduce 4194304 0.003413148 light recursive-halving 32 0.001317968
class reduce_scatter 16384 1.6415e-05 light direct 1 6.5599e-05
class reduce_scatter 65536 5.5393e-05 light direct 1 8.016e-05
class reduce_scatter 262144 8.5659e-05 light recursive-halving 1 0.000107692
class reduce_scatter 1048576 0.000451067 light ring 1 0.000215964
class reduce_scatter 4194304 0.002338529 light ring 8 0.000918468
class allgather 16384 1.0666e-05 light ring 1 2.2824e-05
class allgather 65536 4.037e-05 light direct 1 2.7321e-05
class allgather 262144 4.7e-05 light direct 1 4.1893e-05
class allgather 1048576 0.000296335 light direct 4 0.000137687
class allgather 4194304 0.001634238 light direct 16 0.000577627
class bcast 16384 8.142e-06 light chain 1 8.6741e-05
class bcast 65536 2.2323e-05 light chain 1 9.1968e-05
class bcast 262144 0.000102153 light ring 1 8.7872e-05
class bcast 1048576 0.000714162 light ring 4 0.000269985
class bcast 4194304 0.003250899 light ring 16 0.001200582
class scatter 16384 8.092e-06 light binomial 1 8.629e-05
class scatter 65536 3.4552e-05 light binomial 1 8.8823e-05
class scatter 262144 9.1147e-05 light direct 2 6.685e-05
class scatter 1048576 0.00028613 light direct 4 0.000171627
class scatter 4194304 0.001584698 light binomial 16 0.000615053
class gather 16384 7.762e-06 light direct 1 8.7502e-05
class gather 65536 9.224e-06 light binomial 1 9.2639e-05
class gather 262144 5.1878e-05 light binomial 2 7.0535e-05
class gather 1048576 0.000278117 light binomial 4 0.000141212
class gather 4194304 0.001536656 light binomial 32 0.000531788
class alltoall 16384 1.4922e-05 light pairwise 1 2.4727e-05
class alltoall 65536 1.8839e-05 light pairwise 1 3.0977e-05
class alltoall 262144 4.8783e-05 light pairwise 1 5.5252e-05
class alltoall 1048576 0.000298784 light bruck 4 0.000180741
class alltoall 4194304 0.001657853 light bruck 16 0.000730246
class scan 16384 6.1633e-05 light recursive-doubling 1 7.0906e-05
class scan 65536 5.0726e-05 light recursive-doubling 1 5.6445e-05
class scan 262144 0.000129214 light recursive-doubling 4 0.000120842
class scan 1048576 0.000916165 light recursive-doubling 8 0.000293991
class scan 4194304 0.004234154 light recursive-doubling 64 0.001291288
class exscan 16384 4.2554e-05 light recursive-doubling 1 6.651e-05
class exscan 65536 6.2144e-05 light recursive-doubling 1 4.8503e-05
class exscan 262144 0.000118999 light recursive-doubling 2 8.9564e-05
class exscan 1048576 0.000801678 light recursive-doubling 8 0.000208893
class exscan 4194304 0.003854004 light recursive-doubling 32 0.001296851
class neighbor_allgather 16384 2.4817e-05 light direct 1 3.311e-05
class neighbor_allgather 65536 3.1908e-05 light direct 1 3.8878e-05
class neighbor_allgather 262144 5.0786e-05 light direct 1 5.2268e-05
class neighbor_allgather 1048576 0.000248343 light direct 2 0.000159158
class neighbor_allgather 4194304 0.001255935 light direct 4 0.000496755
class neighbor_alltoall 16384 2.2063e-05 light direct 1 3.9069e-05
class neighbor_alltoall 65536 3.2799e-05 light direct 1 4.4868e-05
class neighbor_alltoall 262144 5.2639e-05 light direct 2 0.000102524
class neighbor_alltoall 1048576 0.000213601 light direct 1 0.000171848
class neighbor_alltoall 4194304 0.001166411 light direct 2 0.000690366
end
