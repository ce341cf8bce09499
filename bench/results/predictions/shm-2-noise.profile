laconic profile 2
# MPICH Version:      5.0.2, 2 ranks, field noise, codec quant, bound rel:1e-3
ranks 2
within_node 1
# seconds per byte: encode decode fold add read; bytes of frames per byte
coding 5.957057069849725e-11 4.0527581290916714e-11 8.349587687916937e-11 7.733147455724065e-11 3.0719018995206676e-11 0.354949951171875
# collective, bytes, seconds of plain MPI, fastest algorithm with compression, its rows and seconds
class allreduce 16384 1.2232e-05 ring 1 1.474e-05
class allreduce 65536 3.4178e-05 recursive-halving 1 3.2407e-05
class allreduce 262144 0.000163344 recursive-halving 1 0.000100714
class allreduce 1048576 0.000632149 recursive-halving 2 0.000486274
class allreduce 4194304 0.002393395 recursive-halving 16 0.001577859
class reduce 16384 1.2347e-05 direct 1 1.3449e-05
class reduce 65536 2.605e-05 direct 1 3.1073e-05
class reduce 262144 0.000132136 direct 1 9.3023e-05
class reduce 1048576 0.000512252 recursive-halving 1 0.000377063
class reduce 4194304 0.001642114 recursive-halving 8 0.001933341
class reduce_scatter 16384 7.121e-06 recursive-halving 1 1.3174e-05
class reduce_scatter 65536 1.9585e-05 direct 2 2.9122e-05
class reduce_scatter 262144 5.8409e-05 ring 1 8.7366e-05
class reduce_scatter 1048576 0.000200246 ring 1 0.00033251
class reduce_scatter 4194304 0.000913506 ring 8 0.001379167
class allgather 16384 4.858e-06 ring 1 8.967e-06
class allgather 65536 7.717e-06 direct 2 1.9016e-05
class allgather 262144 2.0039e-05 direct 1 5.0468e-05
class allgather 1048576 8.3423e-05 bruck 2 0.000186187
class allgather 4194304 0.000415727 ring 16 0.000808989
class bcast 16384 7.069e-06 ring 1 1.1285e-05
class bcast 65536 1.0016e-05 binomial 1 2.1974e-05
class bcast 262144 3.3704e-05 ring 8 7.9578e-05
class bcast 1048576 0.000121846 ring 1 0.000265497
class bcast 4194304 0.000531665 ring 4 0.000939108
class scatter 16384 3.472e-06 direct 1 9.482e-06
class scatter 65536 5.387e-06 binomial 2 1.9053e-05
class scatter 262144 1.1961e-05 direct 1 4.8819e-05
class scatter 1048576 5.0166e-05 direct 2 0.000182018
class scatter 4194304 0.000365891 direct 8 0.000804991
class gather 16384 4.139e-06 direct 1 1.1523e-05
class gather 65536 6.276e-06 direct 2 2.0765e-05
class gather 262144 1.1667e-05 binomial 2 5.0288e-05
class gather 1048576 7.2146e-05 binomial 4 0.00017918
class gather 4194304 0.000409695 direct 16 0.000730605
class alltoall 16384 7.132e-06 pairwise 1 1.2292e-05
class alltoall 65536 1.1387e-05 pairwise 2 2.2877e-05
class alltoall 262144 1.5204e-05 pairwise 1 7.3193e-05
class alltoall 1048576 7.7622e-05 pairwise 1 0.000272644
class alltoall 4194304 0.000395479 pairwise 8 0.001074602
class scan 16384 1.1895e-05 chain 1 1.3882e-05
class scan 65536 3.0325e-05 chain 4 3.4005e-05
class scan 262144 0.000114505 recursive-doubling 4 0.000107669
class scan 1048576 0.000515554 chain 8 0.000394433
class scan 4194304 0.002094791 chain 16 0.001541086
class exscan 16384 1.1015e-05 recursive-doubling 1 1.1702e-05
class exscan 65536 2.2504e-05 recursive-doubling 4 2.1924e-05
class exscan 262144 9.9686e-05 recursive-doubling 2 6.7261e-05
class exscan 1048576 0.000411252 recursive-doubling 16 0.000242011
class exscan 4194304 0.001618448 chain 32 0.000928468
class neighbor_allgather 16384 7.82e-06 direct 1 1.5039e-05
class neighbor_allgather 65536 2.1321e-05 direct 1 2.2606e-05
class neighbor_allgather 262144 3.9869e-05 direct 2 5.1318e-05
class neighbor_allgather 1048576 0.000124226 direct 1 0.000159547
class neighbor_allgather 4194304 0.000537213 direct 2 0.000679565
class neighbor_alltoall 16384 7.646e-06 direct 1 1.686e-05
class neighbor_alltoall 65536 1.9978e-05 direct 1 2.7297e-05
class neighbor_alltoall 262144 3.936e-05 direct 2 7.7243e-05
class neighbor_alltoall 1048576 0.000153608 direct 1 0.000258926
class neighbor_alltoall 4194304 0.000593406 direct 4 0.001108715
end
