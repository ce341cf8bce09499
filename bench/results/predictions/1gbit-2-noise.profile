laconic profile 3
# MPICH Version:      5.0.2, 2 ranks, field noise, codec quant and dense, bound rel:1e-3
ranks 2
within_node 0
# effort, seconds per byte: encode decode fold add read; bytes of frames per byte
coding light 2.624522821292885e-11 2.0812684908833035e-11 4.156497368512646e-11 4.0954795110792475e-11 1.917535574769147e-11 0.354949951171875
coding dense 3.854828123373011e-10 1.5090939609052612e-10 5.821533255456757e-10 7.368850529765325e-10 1.850509745437989e-11 0.3424224853515625
# collective, bytes, seconds of plain MPI, fastest effort and algorithm with compression, rows and seconds
class allreduce 16384 2.7832e-05 light recursive-doubling 1 3.1838e-05
class allreduce 65536 0.00033021 light recursive-doubling 4 9.4863e-05
class allreduce 262144 0.001990697 dense direct 8 0.000658308
class allreduce 1048576 0.008393517 dense recursive-doubling 16 0.002920944
class allreduce 4194304 0.033966986 dense recursive-doubling 32 0.011906288
class reduce 16384 8.7841e-05 light chain 1 9.0516e-05
class reduce 65536 0.0003463 light recursive-halving 1 0.000102203
class reduce 262144 0.001921834 light chain 8 0.000585313
class reduce 1048576 0.008203702 light binomial 16 0.002895911
class reduce 4194304 0.033970361 dense binomial 64 0.011821606
class reduce_scatter 16384 1.6054e-05 light ring 1 3.7807e-05
class reduce_scatter 65536 0.000167482 light direct 2 6.2945e-05
class reduce_scatter 262144 0.001251057 light recursive-halving 4 0.000334202
class reduce_scatter 1048576 0.005493625 dense recursive-halving 8 0.00186247
class reduce_scatter 4194304 0.022630758 dense ring 32 0.007895654
class allgather 16384 7.0256e-05 light recursive-doubling 1 9.1638e-05
class allgather 65536 6.5528e-05 light bruck 2 8.1582e-05
class allgather 262144 0.000990306 dense recursive-doubling 2 0.000232098
class allgather 1048576 0.004132106 dense ring 8 0.001223702
class allgather 4194304 0.016901375 dense direct 32 0.005345499
class bcast 16384 8.303e-06 light binomial 1 9.2659e-05
class bcast 65536 0.000294771 light binomial 1 8.4076e-05
class bcast 262144 0.001911439 light binomial 8 0.000509504
class bcast 1048576 0.008195229 dense ring 8 0.002513703
class bcast 4194304 0.033589595 dense binomial 16 0.010463743
class scatter 16384 6.55e-06 light binomial 1 6.009e-05
class scatter 65536 7.0616e-05 light direct 1 9.1989e-05
class scatter 262144 0.000940276 light binomial 8 0.000148683
class scatter 1048576 0.003965652 dense binomial 8 0.00117955
class scatter 4194304 0.016652071 dense direct 8 0.00524356
class gather 16384 7.451e-06 light direct 1 7.2659e-05
class gather 65536 4.8713e-05 light binomial 1 6.8603e-05
class gather 262144 0.000844688 light binomial 8 0.000161884
class gather 1048576 0.004017749 light direct 2 0.001248384
class gather 4194304 0.01672516 dense direct 32 0.005331592
class alltoall 16384 1.5754e-05 light bruck 1 2.5107e-05
class alltoall 65536 0.000116244 light bruck 1 4.0761e-05
class alltoall 262144 0.000920011 dense pairwise 2 0.000235673
class alltoall 1048576 0.004076948 light pairwise 8 0.001255895
class alltoall 4194304 0.016896959 dense pairwise 32 0.005505673
class scan 16384 7.7717e-05 light recursive-doubling 1 9.1517e-05
class scan 65536 0.000386581 light recursive-doubling 1 0.000105308
class scan 262144 0.002081925 light chain 8 0.000600471
class scan 1048576 0.008759044 light chain 16 0.002888554
class scan 4194304 0.035218158 dense chain 64 0.011784656
class exscan 16384 7.7566e-05 dense recursive-doubling 1 8.1773e-05
class exscan 65536 0.000393861 light recursive-doubling 1 9.7907e-05
class exscan 262144 0.002070567 dense recursive-doubling 8 0.000596315
class exscan 1048576 0.008794339 dense chain 16 0.002826452
class exscan 4194304 0.034791854 dense chain 32 0.011681431
class neighbor_allgather 16384 2.8532e-05 dense direct 1 7.1277e-05
class neighbor_allgather 65536 4.2865e-05 light direct 1 4.5438e-05
class neighbor_allgather 262144 0.000551568 light direct 2 0.000164537
class neighbor_allgather 1048576 0.002693152 light direct 4 0.000871687
class neighbor_allgather 4194304 0.011168115 light direct 8 0.003603012
class neighbor_alltoall 16384 2.9905e-05 light direct 1 4.5779e-05
class neighbor_alltoall 65536 6.3956e-05 light direct 1 7.9519e-05
class neighbor_alltoall 262144 0.000560131 light direct 2 0.000200215
class neighbor_alltoall 1048576 0.002634815 light direct 1 0.000867151
class neighbor_alltoall 4194304 0.011247775 light direct 8 0.003783012
end
