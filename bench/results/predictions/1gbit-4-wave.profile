laconic profile 2
# MPICH Version:      5.0.2, 4 ranks, field wave, codec quant, bound rel:1e-3
ranks 4
within_node 0
# seconds per byte: encode decode fold add read; bytes of frames per byte
coding 3.997824293833219e-11 5.596900720661324e-11 5.895994803495341e-11 4.321254465367019e-11 3.170431694954345e-11 0.0684051513671875
# collective, bytes, seconds of plain MPI, fastest algorithm with compression, its rows and seconds
class allreduce 16384 8.385e-05 recursive-doubling 1 0.000166961
class allreduce 65536 0.000702175 recursive-doubling 1 0.000337175
class allreduce 262144 0.003217108 recursive-halving 1 0.000628317
class allreduce 1048576 0.013143917 direct 2 0.001652961
class allreduce 4194304 0.053597396 direct 4 0.006856789
class reduce 16384 8.371e-05 binomial 1 9.1467e-05
class reduce 65536 0.000625785 binomial 1 0.000249227
class reduce 262144 0.00308455 chain 2 0.000437482
class reduce 1048576 0.012902589 chain 8 0.001239117
class reduce 4194304 0.052686244 direct 16 0.005311945
class reduce_scatter 16384 5.0381e-05 ring 1 0.000341427
class reduce_scatter 65536 0.00035876 recursive-halving 1 0.000467913
class reduce_scatter 262144 0.001994998 recursive-halving 1 0.000603789
class reduce_scatter 1048576 0.011623551 ring 1 0.001067427
class reduce_scatter 4194304 0.047299083 ring 4 0.004037696
class allgather 16384 4.5743e-05 direct 1 0.000277417
class allgather 65536 0.000244875 recursive-doubling 1 0.000335073
class allgather 262144 0.001601177 bruck 1 0.000399546
class allgather 1048576 0.006350945 recursive-doubling 1 0.000502945
class allgather 4194304 0.025959354 bruck 2 0.002038356
class bcast 16384 5.6106e-05 binomial 1 0.000146044
class bcast 65536 0.001094477 binomial 2 0.000273689
class bcast 262144 0.005785406 binomial 1 0.000294499
class bcast 1048576 0.018742508 chain 2 0.000730571
class bcast 4194304 0.069498932 chain 8 0.002577452
class scatter 16384 3.9761e-05 binomial 1 0.000234516
class scatter 65536 0.000141138 direct 1 0.000174083
class scatter 262144 0.001636663 direct 1 0.00021893
class scatter 1048576 0.007915279 binomial 2 0.000400485
class scatter 4194304 0.027155251 direct 2 0.001427735
class gather 16384 2.3792e-05 binomial 1 7.9947e-05
class gather 65536 0.000188663 binomial 1 0.0002308
class gather 262144 0.001360551 direct 2 0.000210091
class gather 1048576 0.006196787 binomial 2 0.000367637
class gather 4194304 0.025234123 direct 8 0.001278651
class alltoall 16384 5.5327e-05 pairwise 1 0.000255624
class alltoall 65536 0.000349328 pairwise 1 0.000336428
class alltoall 262144 0.001483887 pairwise 1 0.00042933
class alltoall 1048576 0.006404294 pairwise 1 0.001007254
class alltoall 4194304 0.025832677 pairwise 4 0.003174659
class scan 16384 0.000121665 chain 1 0.000245711
class scan 65536 0.000998464 recursive-doubling 1 0.000269288
class scan 262144 0.004318641 chain 2 0.000405881
class scan 1048576 0.018220419 chain 4 0.001266474
class scan 4194304 0.073875224 chain 16 0.005495801
class exscan 16384 0.000105946 chain 1 0.000213796
class exscan 65536 0.000963237 recursive-doubling 1 0.000253003
class exscan 262144 0.004321306 recursive-doubling 2 0.000485228
class exscan 1048576 0.017909999 chain 4 0.001514141
class exscan 4194304 0.074086678 chain 32 0.006580994
class neighbor_allgather 16384 7.1672e-05 direct 1 0.000333097
class neighbor_allgather 65536 0.000269681 direct 1 0.000420156
class neighbor_allgather 262144 0.001426172 direct 1 0.000554681
class neighbor_allgather 1048576 0.006217099 direct 1 0.000953525
class neighbor_allgather 4194304 0.02592875 direct 2 0.002317293
class neighbor_alltoall 16384 7.3316e-05 direct 1 0.000291647
class neighbor_alltoall 65536 0.000249793 direct 1 0.00030494
class neighbor_alltoall 262144 0.001346874 direct 1 0.000634784
class neighbor_alltoall 1048576 0.006129485 direct 1 0.001125818
class neighbor_alltoall 4194304 0.025656307 direct 2 0.003541043
end
