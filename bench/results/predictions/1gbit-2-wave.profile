laconic profile 1
# MPICH Version:      5.0.2, 2 ranks, field wave, codec quant, bound rel:1e-3
ranks 2
within_node 0
# seconds per byte: encode decode fold add read; bytes of frames per byte
coding 3.820810334786984e-11 5.999756247376808e-11 5.6701754402865845e-11 4.199218750500222e-11 3.429451028713615e-11 0.0509185791015625
# collective, bytes, seconds of plain MPI, fastest algorithm with compression, its seconds
class allreduce 16384 0.000111587 recursive-halving 7.869e-05
class allreduce 65536 0.000385834 recursive-halving 0.000130796
class allreduce 262144 0.002007161 recursive-doubling 0.000320832
class allreduce 1048576 0.008548046 recursive-doubling 0.0006212
class allreduce 4194304 0.035092377 recursive-doubling 0.002595117
class reduce 16384 9.3296e-05 chain 0.000101512
class reduce 65536 0.000322727 chain 9.7301e-05
class reduce 262144 0.001981688 chain 0.000223109
class reduce 1048576 0.008482068 chain 0.000442002
class reduce 4194304 0.03594382 chain 0.002536456
class reduce_scatter 16384 6.2234e-05 recursive-halving 0.000103469
class reduce_scatter 65536 0.000224047 recursive-halving 0.000155549
class reduce_scatter 262144 0.001290141 ring 0.000235615
class reduce_scatter 1048576 0.005658584 direct 0.00047523
class reduce_scatter 4194304 0.023316092 direct 0.002087262
class allgather 16384 7.6166e-05 bruck 8.6703e-05
class allgather 65536 0.000113383 ring 0.000105617
class allgather 262144 0.000954901 recursive-doubling 0.000219707
class allgather 1048576 0.004362478 direct 0.000416228
class allgather 4194304 0.017136954 bruck 0.001176689
class bcast 16384 6.25e-06 binomial 0.000109124
class bcast 65536 0.000300576 binomial 0.000120464
class bcast 262144 0.001909822 chain 0.000159531
class bcast 1048576 0.008298969 binomial 0.000358558
class bcast 4194304 0.033890772 binomial 0.001706936
class scatter 16384 5.537e-06 direct 9.8932e-05
class scatter 65536 6.8473e-05 binomial 5.3867e-05
class scatter 262144 0.000829245 binomial 0.000157147
class scatter 1048576 0.004067876 direct 0.000306687
class scatter 4194304 0.01669764 binomial 0.001088299
class gather 16384 5.197e-06 binomial 0.000102812
class gather 65536 8.3109e-05 direct 0.000123844
class gather 262144 0.000891274 direct 0.000176918
class gather 1048576 0.004090913 binomial 0.000373526
class gather 4194304 0.016803075 direct 0.0011609
class alltoall 16384 7.1713e-05 pairwise 0.000101458
class alltoall 65536 0.000132532 bruck 0.000101342
class alltoall 262144 0.000953775 bruck 0.000288937
class alltoall 1048576 0.004406971 pairwise 0.000501887
class alltoall 4194304 0.017383349 pairwise 0.001669745
class scan 16384 4.3997e-05 chain 0.000120106
class scan 65536 0.000464715 recursive-doubling 0.000175784
class scan 262144 0.00210543 chain 0.000239727
class scan 1048576 0.008906919 chain 0.000506911
class scan 4194304 0.039615269 chain 0.002251061
class exscan 16384 7.5784e-05 recursive-doubling 0.000104322
class exscan 65536 0.000451166 recursive-doubling 0.000171687
class exscan 262144 0.002224948 recursive-doubling 0.000251621
class exscan 1048576 0.008846839 recursive-doubling 0.000513012
class exscan 4194304 0.038685374 chain 0.002550082
class neighbor_allgather 16384 7.5527e-05 direct 0.000203938
class neighbor_allgather 65536 8.6813e-05 direct 0.000199824
class neighbor_allgather 262144 0.000597159 direct 0.000260687
class neighbor_allgather 1048576 0.0028476 direct 0.005095171
class neighbor_allgather 4194304 0.011427496 direct 0.001354853
class neighbor_alltoall 16384 8.2975e-05 direct 0.000213278
class neighbor_alltoall 65536 6.8629e-05 direct 0.000232023
class neighbor_alltoall 262144 0.000581527 direct 0.000314188
class neighbor_alltoall 1048576 0.002881376 direct 0.000941186
class neighbor_alltoall 4194304 0.011541433 direct 0.002026229
end
