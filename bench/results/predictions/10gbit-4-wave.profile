laconic profile 3
# MPICH Version:      5.0.2, 4 ranks, field wave, codec quant and dense, bound rel:1e-3
ranks 4
within_node 0
# effort, seconds per byte: encode decode fold add read; bytes of frames per byte
coding light 2.1972645924961398e-11 2.7466029450806673e-11 2.8747226821224103e-11 2.502442697505103e-11 1.896171553106285e-11 0.0684051513671875
coding dense 3.657684710667297e-10 1.2409212546415915e-10 5.367736810590884e-10 6.390075690809738e-10 1.8157961245712784e-11 0.09429168701171875
# collective, bytes, seconds of plain MPI, fastest effort and algorithm with compression, rows and seconds
class allreduce 16384 9.9569e-05 light recursive-doubling 1 0.00015978
class allreduce 65536 0.000129515 light recursive-doubling 1 0.00018004
class allreduce 262144 0.000408273 light recursive-doubling 1 0.000313972
class allreduce 1048576 0.00166614 light recursive-halving 1 0.000864718
class allreduce 4194304 0.007563431 light recursive-doubling 8 0.002568064
class reduce 16384 9.7216e-05 light chain 1 0.000182013
class reduce 65536 0.000110416 light binomial 2 0.000183886
class reduce 262144 0.000327682 light binomial 1 0.000209224
class reduce 1048576 0.001344457 light binomial 2 0.000519931
class reduce 4194304 0.00890227 light binomial 16 0.001309245
class reduce_scatter 16384 6.8743e-05 light recursive-halving 1 0.000303536
class reduce_scatter 65536 8.9504e-05 light ring 1 0.000347351
class reduce_scatter 262144 0.000188924 light recursive-halving 1 0.000343275
class reduce_scatter 1048576 0.000991999 light ring 1 0.000550225
class reduce_scatter 4194304 0.004838552 light ring 2 0.001795264
class allgather 16384 6.1783e-05 dense bruck 1 0.0001932
class allgather 65536 8.2003e-05 light bruck 1 0.000191297
class allgather 262144 0.000174953 light direct 1 0.00023304
class allgather 1048576 0.000667502 light ring 1 0.000361062
class allgather 4194304 0.003174725 light recursive-doubling 2 0.000891297
class bcast 16384 4.5608e-05 dense chain 1 0.000156796
class bcast 65536 0.000118678 light binomial 1 0.000189975
class bcast 262144 0.000330296 light chain 2 0.000232218
class bcast 1048576 0.001521433 light binomial 2 0.000353681
class bcast 4194304 0.006582929 light binomial 8 0.001121804
class scatter 16384 4.7892e-05 light direct 1 0.000125448
class scatter 65536 5.1558e-05 light direct 1 0.000143515
class scatter 262144 0.000118547 light direct 2 0.000148934
class scatter 1048576 0.000522143 light binomial 1 0.00025381
class scatter 4194304 0.002414855 light direct 2 0.000515514
class gather 16384 6.4937e-05 light binomial 1 0.000170886
class gather 65536 8.9795e-05 light binomial 1 0.000169384
class gather 262144 0.000231688 light direct 1 0.000105939
class gather 1048576 0.000726119 light direct 2 0.000189405
class gather 4194304 0.002895776 light direct 8 0.000574822
class alltoall 16384 6.7621e-05 dense bruck 1 0.000210446
class alltoall 65536 8.3815e-05 light bruck 1 0.000154562
class alltoall 262144 0.000196745 light bruck 1 0.000247511
class alltoall 1048576 0.000696135 light pairwise 1 0.00043252
class alltoall 4194304 0.003576718 light pairwise 2 0.001543977
class scan 16384 7.1167e-05 light chain 1 0.000188633
class scan 65536 0.00017972 light chain 1 0.000227481
class scan 262144 0.000542224 light chain 1 0.000217697
class scan 1048576 0.002729396 light chain 4 0.00066602
class scan 4194304 0.01305328 light chain 8 0.001857688
class exscan 16384 8.2283e-05 light recursive-doubling 1 0.000205819
class exscan 65536 0.000182324 light chain 1 0.000218428
class exscan 262144 0.000534242 light chain 1 0.000189163
class exscan 1048576 0.002679451 light chain 4 0.000717807
class exscan 4194304 0.012686349 light chain 8 0.001921674
class neighbor_allgather 16384 9.6565e-05 light direct 1 0.000210035
class neighbor_allgather 65536 0.000120631 light direct 1 0.000210576
class neighbor_allgather 262144 0.000176375 light direct 1 0.000222955
class neighbor_allgather 1048576 0.000898719 light direct 1 0.00047987
class neighbor_allgather 4194304 0.003993043 light direct 2 0.001080973
class neighbor_alltoall 16384 8.9014e-05 light direct 1 0.000208243
class neighbor_alltoall 65536 0.000115694 light direct 1 0.000225879
class neighbor_alltoall 262144 0.000186661 light direct 1 0.000346329
class neighbor_alltoall 1048576 0.000884307 light direct 1 0.000581122
class neighbor_alltoall 4194304 0.004186833 light direct 2 0.001782335
end
