laconic profile 1
# MPICH Version:      5.0.2, 2 ranks, field wave, codec quant, bound rel:1e-3
ranks 2
within_node 1
# seconds per byte: encode decode fold add read; bytes of frames per byte
coding 6.567413279867651e-11 8.306866305929361e-11 8.923350947043218e-11 6.976330624297589e-11 7.145425917620685e-11 0.0509185791015625
# collective, bytes, seconds of plain MPI, fastest algorithm with compression, its seconds
class allreduce 16384 1.348e-05 direct 1.8694e-05
class allreduce 65536 2.862e-05 direct 4.111e-05
class allreduce 262144 8.4897e-05 recursive-doubling 0.000160112
class allreduce 1048576 0.000480656 recursive-halving 0.000466115
class allreduce 4194304 0.002554393 direct 0.001613025
class reduce 16384 1.1943e-05 recursive-halving 1.0807e-05
class reduce 65536 2.6836e-05 recursive-halving 2.4001e-05
class reduce 262144 0.000133684 binomial 7.8936e-05
class reduce 1048576 0.000506648 ring 0.000277716
class reduce 4194304 0.00220664 ring 0.0011152
class reduce_scatter 16384 7.479e-06 direct 1.0133e-05
class reduce_scatter 65536 1.7505e-05 direct 2.4331e-05
class reduce_scatter 262144 5.8641e-05 recursive-halving 7.6223e-05
class reduce_scatter 1048576 0.000181661 recursive-halving 0.000222745
class reduce_scatter 4194304 0.000865399 direct 0.000918499
class allgather 16384 5.358e-06 bruck 8.37e-06
class allgather 65536 8.276e-06 recursive-doubling 1.7309e-05
class allgather 262144 2.0583e-05 recursive-doubling 5.8365e-05
class allgather 1048576 7.9665e-05 recursive-doubling 0.000166043
class allgather 4194304 0.000375179 direct 0.000679394
class bcast 16384 7.399e-06 ring 1.0234e-05
class bcast 65536 9.719e-06 chain 2.0876e-05
class bcast 262144 3.2143e-05 chain 6.4372e-05
class bcast 1048576 0.000126485 chain 0.000214116
class bcast 4194304 0.000515961 chain 0.000896097
class scatter 16384 3.812e-06 direct 8.821e-06
class scatter 65536 5.831e-06 direct 1.7916e-05
class scatter 262144 1.248e-05 binomial 5.9573e-05
class scatter 1048576 4.3615e-05 binomial 0.000178904
class scatter 4194304 0.00036466 direct 0.000722039
class gather 16384 3.512e-06 binomial 1.0012e-05
class gather 65536 4.921e-06 binomial 1.8644e-05
class gather 262144 1.1963e-05 direct 5.6215e-05
class gather 1048576 6.9214e-05 direct 0.00017008
class gather 4194304 0.000449102 direct 0.000688405
class alltoall 16384 7.995e-06 bruck 1.0117e-05
class alltoall 65536 1.347e-05 pairwise 2.245e-05
class alltoall 262144 1.3117e-05 bruck 8.1467e-05
class alltoall 1048576 7.4239e-05 pairwise 0.00025495
class alltoall 4194304 0.000424555 bruck 0.001042629
class scan 16384 1.1076e-05 recursive-doubling 1.2325e-05
class scan 65536 3.2929e-05 recursive-doubling 2.5225e-05
class scan 262144 0.00011431 recursive-doubling 7.7667e-05
class scan 1048576 0.000489484 recursive-doubling 0.000260924
class scan 4194304 0.004967063 recursive-doubling 0.001041502
class exscan 16384 1.1461e-05 recursive-doubling 1.0764e-05
class exscan 65536 2.2078e-05 recursive-doubling 1.9337e-05
class exscan 262144 8.0158e-05 recursive-doubling 5.4251e-05
class exscan 1048576 0.000433776 recursive-doubling 0.000191183
class exscan 4194304 0.00462937 recursive-doubling 0.000803428
class neighbor_allgather 16384 9.825e-06 direct 1.476e-05
class neighbor_allgather 65536 2.2634e-05 direct 2.0638e-05
class neighbor_allgather 262144 4.0467e-05 direct 5.664e-05
class neighbor_allgather 1048576 0.000117921 direct 0.000204124
class neighbor_allgather 4194304 0.000546475 direct 0.000703977
class neighbor_alltoall 16384 8.914e-06 direct 1.7101e-05
class neighbor_alltoall 65536 2.1028e-05 direct 2.6847e-05
class neighbor_alltoall 262144 3.9852e-05 direct 8.2922e-05
class neighbor_alltoall 1048576 0.000146342 direct 0.000311033
class neighbor_alltoall 4194304 0.00062425 direct 0.001065193
end
