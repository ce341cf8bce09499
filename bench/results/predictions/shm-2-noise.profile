laconic profile 3
# MPICH Version:      5.0.2, 2 ranks, field noise, codec quant and dense, bound rel:1e-3
ranks 2
within_node 1
# effort, seconds per byte: encode decode fold add read; bytes of frames per byte
coding light 2.630606843467831e-11 2.1972645924961398e-11 4.2175152259460447e-11 4.156497368512646e-11 1.965332618869553e-11 0.354949951171875
coding dense 3.915939239540478e-10 1.5205381398430973e-10 5.838394212531739e-10 7.135772528421569e-10 1.861457932239574e-11 0.3424224853515625
# collective, bytes, seconds of plain MPI, fastest effort and algorithm with compression, rows and seconds
class allreduce 16384 1.321e-05 light recursive-doubling 1 9.264e-06
class allreduce 65536 2.2013e-05 light recursive-halving 2 2.2084e-05
class allreduce 262144 9.0556e-05 light ring 1 7.8688e-05
class allreduce 1048576 0.000375614 light recursive-halving 1 0.000282194
class allreduce 4194304 0.001500723 light direct 4 0.001226581
class reduce 16384 1.2739e-05 light ring 1 8.764e-06
class reduce 65536 2.0811e-05 light direct 2 2.0862e-05
class reduce 262144 6.2153e-05 light direct 1 7.0927e-05
class reduce 1048576 0.000253711 light recursive-halving 1 0.000262714
class reduce 4194304 0.001118339 light chain 32 0.000972759
class reduce_scatter 16384 6.85e-06 light ring 1 1.0025e-05
class reduce_scatter 65536 1.5253e-05 light ring 2 1.993e-05
class reduce_scatter 262144 5.1257e-05 light ring 8 7.0306e-05
class reduce_scatter 1048576 0.000156505 light recursive-halving 1 0.000236966
class reduce_scatter 4194304 0.000799711 light ring 8 0.00091258
class allgather 16384 6.119e-06 light direct 1 6.29e-06
class allgather 65536 8.823e-06 light ring 2 1.2509e-05
class allgather 262144 2.2013e-05 light direct 8 4.3215e-05
class allgather 1048576 7.1448e-05 light recursive-doubling 1 0.000141122
class allgather 4194304 0.000383235 light bruck 8 0.000528553
class bcast 16384 7.862e-06 light chain 1 6.259e-06
class bcast 65536 1.1156e-05 light binomial 4 1.4762e-05
class bcast 262144 3.1337e-05 light chain 2 5.7727e-05
class bcast 1048576 0.000122844 light ring 2 0.000187181
class bcast 4194304 0.0005062 light binomial 8 0.000718157
class scatter 16384 4.577e-06 light direct 1 5.779e-06
class scatter 65536 6.951e-06 light direct 2 1.1597e-05
class scatter 262144 1.9549e-05 light binomial 8 3.8397e-05
class scatter 1048576 7.8988e-05 light binomial 1 0.000144076
class scatter 4194304 0.000373641 light direct 4 0.000522003
class gather 16384 4.467e-06 light binomial 1 7.031e-06
class gather 65536 6.53e-06 light direct 2 1.2118e-05
class gather 262144 2.0671e-05 light direct 8 3.6094e-05
class gather 1048576 7.3941e-05 light binomial 4 0.000113611
class gather 4194304 0.000407682 light binomial 8 0.000397366
class alltoall 16384 9.374e-06 light pairwise 1 7.441e-06
class alltoall 65536 1.4391e-05 light pairwise 2 1.6635e-05
class alltoall 262144 1.997e-05 light bruck 8 5.4512e-05
class alltoall 1048576 7.6505e-05 light pairwise 1 0.000184627
class alltoall 4194304 0.000482544 light pairwise 4 0.000717016
class scan 16384 1.5083e-05 light chain 1 8.383e-06
class scan 65536 4.5449e-05 light recursive-doubling 4 2.1862e-05
class scan 262144 0.000160381 light chain 2 7.976e-05
class scan 1048576 0.000656605 light chain 8 0.000260421
class scan 4194304 0.002556707 light chain 16 0.000990927
class exscan 16384 1.2789e-05 light recursive-doubling 1 6.49e-06
class exscan 65536 6.4357e-05 light recursive-doubling 4 1.4692e-05
class exscan 262144 0.000138498 light chain 2 6.0701e-05
class exscan 1048576 0.000550546 light recursive-doubling 4 0.000188943
class exscan 4194304 0.002294314 light chain 16 0.000644367
class neighbor_allgather 16384 8.743e-06 light direct 1 1.0857e-05
class neighbor_allgather 65536 2.5938e-05 light direct 1 1.4252e-05
class neighbor_allgather 262144 4.715e-05 light direct 1 3.3621e-05
class neighbor_allgather 1048576 0.000154872 light direct 1 0.000105388
class neighbor_allgather 4194304 0.000551027 light direct 4 0.000397346
class neighbor_alltoall 16384 8.353e-06 light direct 1 1.2739e-05
class neighbor_alltoall 65536 2.5989e-05 light direct 1 1.8188e-05
class neighbor_alltoall 262144 4.698e-05 light direct 1 4.698e-05
class neighbor_alltoall 1048576 0.000145558 light direct 1 0.000175062
class neighbor_alltoall 4194304 0.000669735 light direct 4 0.000661152
end
