laconic profile 3
# MPICH Version:      5.0.2, 2 ranks, field noise, codec quant and dense, bound rel:1e-3
ranks 2
within_node 1
# effort, seconds per byte: encode decode fold add read; bytes of frames per byte
coding light 5.621336729433324e-11 4.156491817397523e-11 8.624267966439447e-11 8.923339844812972e-11 2.666282507279849e-11 0.354949951171875
coding dense 6.062164242814916e-10 3.1900787567096245e-10 8.808975285323761e-10 1.1162414603749227e-09 2.5725555366507e-11 0.3424224853515625
# collective, bytes, seconds of plain MPI, fastest effort and algorithm with compression, rows and seconds
class allreduce 16384 2.5828e-05 light direct 1 2.037e-05
class allreduce 65536 5.8467e-05 light direct 2 6.3204e-05
class allreduce 262144 0.000251844 light direct 1 0.000190783
class allreduce 1048576 0.00081349 light direct 1 0.000406564
class allreduce 4194304 0.003169322 light recursive-halving 4 0.002089627
class reduce 16384 2.6109e-05 light direct 1 1.4451e-05
class reduce 65536 6.3595e-05 light direct 2 2.8553e-05
class reduce 262144 0.000207659 light direct 8 0.000109403
class reduce 1048576 0.000804767 light binomial 8 0.00036324
class reduce 4194304 0.002698603 light binomial 16 0.001441273
class reduce_scatter 16384 1.2899e-05 light ring 1 1.1878e-05
class reduce_scatter 65536 3.8677e-05 light recursive-halving 2 2.6659e-05
class reduce_scatter 262144 0.000117405 light ring 8 9.2938e-05
class reduce_scatter 1048576 0.000261329 light ring 1 0.000345945
class reduce_scatter 4194304 0.001250449 light ring 8 0.00175546
class allgather 16384 8.082e-06 light direct 1 8.353e-06
class allgather 65536 1.1817e-05 light ring 2 1.7867e-05
class allgather 262144 3.0745e-05 light recursive-doubling 8 6.0109e-05
class allgather 1048576 0.000124796 light ring 1 0.000204314
class allgather 4194304 0.000629256 light ring 8 0.00094096
class bcast 16384 9.755e-06 light chain 1 8.453e-06
class bcast 65536 3.2167e-05 light ring 2 2.2443e-05
class bcast 262144 0.000119888 light chain 2 0.000113859
class bcast 1048576 0.000485903 light binomial 2 0.000240638
class bcast 4194304 0.00201775 light ring 4 0.001571887
class scatter 16384 5.999e-06 light binomial 1 7.301e-06
class scatter 65536 9.153e-06 light direct 2 1.5413e-05
class scatter 262144 2.8733e-05 light direct 1 5.0104e-05
class scatter 1048576 0.000118496 light direct 1 0.000183994
class scatter 4194304 0.000628073 light binomial 4 0.000876694
class gather 16384 5.538e-06 light direct 1 8.693e-06
class gather 65536 7.682e-06 light direct 2 1.6655e-05
class gather 262144 1.9799e-05 light binomial 8 4.8052e-05
class gather 1048576 0.000116864 light binomial 4 0.000177644
class gather 4194304 0.00067906 light direct 8 0.000677107
class alltoall 16384 1.1917e-05 light pairwise 1 9.875e-06
class alltoall 65536 2.0571e-05 light pairwise 2 2.1543e-05
class alltoall 262144 3.2679e-05 light pairwise 8 7.6173e-05
class alltoall 1048576 0.000177874 light bruck 4 0.00031598
class alltoall 4194304 0.000806499 light pairwise 8 0.001287465
class scan 16384 1.7556e-05 light chain 1 1.1277e-05
class scan 65536 7.6363e-05 light chain 2 4.2373e-05
class scan 262144 0.000233767 light chain 4 0.000112086
class scan 1048576 0.000967628 light chain 8 0.000386014
class scan 4194304 0.003953218 light chain 32 0.001716062
class exscan 16384 1.8788e-05 light recursive-doubling 1 1.0155e-05
class exscan 65536 5.1025e-05 light recursive-doubling 4 1.8117e-05
class exscan 262144 0.000200208 light chain 2 8.4095e-05
class exscan 1048576 0.000898496 light recursive-doubling 4 0.000265525
class exscan 4194304 0.003707833 light recursive-doubling 8 0.001401284
class neighbor_allgather 16384 1.2228e-05 light direct 1 1.2559e-05
class neighbor_allgather 65536 3.6685e-05 light direct 1 1.9058e-05
class neighbor_allgather 262144 9.6313e-05 light direct 1 8.9243e-05
class neighbor_allgather 1048576 0.000370812 light direct 2 0.00029613
class neighbor_allgather 4194304 0.000933649 light direct 4 0.000657388
class neighbor_alltoall 16384 1.1898e-05 light direct 1 1.4552e-05
class neighbor_alltoall 65536 4.6049e-05 light direct 1 2.5768e-05
class neighbor_alltoall 262144 6.4285e-05 light direct 1 7.5332e-05
class neighbor_alltoall 1048576 0.000260828 light direct 4 0.000293667
class neighbor_alltoall 4194304 0.001296598 light direct 2 0.001214136
end
