laconic profile 1
# MPICH Version:      5.0.2, 2 ranks, field wave, codec quant, bound rel:1e-3
ranks 2
within_node 0
# seconds per byte: encode decode fold add read; bytes of frames per byte
coding 6.903055904672328e-11 9.521494703790268e-11 9.979261861303712e-11 7.76370079336175e-11 6.872255542411665e-11 0.0509185791015625
# collective, bytes, seconds of plain MPI, fastest algorithm with compression, its seconds
class allreduce 16384 2.3872e-05 ring 4.0666e-05
class allreduce 65536 4.0095e-05 recursive-halving 7.9094e-05
class allreduce 262144 0.000181709 recursive-doubling 0.00027669
class allreduce 1048576 0.000785979 recursive-doubling 0.000466413
class allreduce 4194304 0.003982326 direct 0.001284516
class reduce 16384 8.8117e-05 chain 8.2848e-05
class reduce 65536 9.4698e-05 direct 8.3543e-05
class reduce 262144 0.000145148 chain 0.000167021
class reduce 1048576 0.000808204 chain 0.000344327
class reduce 4194304 0.006381768 recursive-halving 0.001447426
class reduce_scatter 16384 5.6147e-05 direct 6.8388e-05
class reduce_scatter 65536 5.2087e-05 direct 0.000123061
class reduce_scatter 262144 0.000118588 direct 0.000212086
class reduce_scatter 1048576 0.000540557 recursive-halving 0.00040142
class reduce_scatter 4194304 0.002609338 direct 0.001164185
class allgather 16384 7.6015e-05 ring 8.0539e-05
class allgather 65536 9.471e-05 direct 0.000103149
class allgather 262144 7.8415e-05 direct 0.000185457
class allgather 1048576 0.000392106 recursive-doubling 0.000398207
class allgather 4194304 0.001844807 recursive-doubling 0.000818884
class bcast 16384 5.55e-06 chain 9.5831e-05
class bcast 65536 1.4965e-05 ring 8.9936e-05
class bcast 262144 0.000112295 binomial 0.000152452
class bcast 1048576 0.000729324 chain 0.00034281
class bcast 4194304 0.003276552 ring 0.001660457
class scatter 16384 5.22e-06 binomial 9.9903e-05
class scatter 65536 7.472e-06 binomial 0.000106756
class scatter 262144 3.142e-05 binomial 0.000111575
class scatter 1048576 0.000265912 direct 0.000279663
class scatter 4194304 0.00167708 direct 0.000908562
class gather 16384 5.152e-06 binomial 9.7271e-05
class gather 65536 6.257e-06 direct 9.3086e-05
class gather 262144 8.7717e-05 binomial 0.000143309
class gather 1048576 0.000314684 direct 0.000270959
class gather 4194304 0.001590046 binomial 0.000846122
class alltoall 16384 7.3599e-05 pairwise 0.000102766
class alltoall 65536 5.7354e-05 bruck 0.000126256
class alltoall 262144 5.3052e-05 pairwise 0.00019219
class alltoall 1048576 0.000365885 pairwise 0.00042209
class alltoall 4194304 0.001858661 pairwise 0.001231462
class scan 16384 4.4456e-05 recursive-doubling 7.3595e-05
class scan 65536 0.000102817 chain 0.000110146
class scan 262144 0.000166688 chain 0.000170784
class scan 1048576 0.001122347 recursive-doubling 0.000400662
class scan 4194304 0.008363453 recursive-doubling 0.001299419
class exscan 16384 7.746e-05 chain 8.2953e-05
class exscan 65536 0.000100777 chain 0.000104688
class exscan 262144 0.000145993 recursive-doubling 0.000157532
class exscan 1048576 0.001022461 recursive-doubling 0.000311664
class exscan 4194304 0.007698503 recursive-doubling 0.000984891
class neighbor_allgather 16384 2.1943e-05 direct 4.2596e-05
class neighbor_allgather 65536 5.5061e-05 direct 0.000211883
class neighbor_allgather 262144 6.9971e-05 direct 0.000246212
class neighbor_allgather 1048576 0.000294072 direct 0.004694141
class neighbor_allgather 4194304 0.001586344 direct 0.001418761
class neighbor_alltoall 16384 0.000116836 direct 0.000299713
class neighbor_alltoall 65536 5.8124e-05 direct 0.00016533
class neighbor_alltoall 262144 0.000109199 direct 0.000290935
class neighbor_alltoall 1048576 0.000318769 direct 0.000862309
class neighbor_alltoall 4194304 0.001622026 direct 0.001923969
end
