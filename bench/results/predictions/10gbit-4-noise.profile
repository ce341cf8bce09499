laconic profile 1
# MPICH Version:      5.0.2, 4 ranks, field noise, codec quant, bound rel:1e-3
ranks 4
within_node 0
# seconds per byte: encode decode fold add read; bytes of frames per byte
coding 5.969225114199617e-11 3.887934418855821e-11 8.715805854819791e-11 7.568345949948707e-11 3.5712412194133236e-11 0.386199951171875
# collective, bytes, seconds of plain MPI, fastest algorithm with compression, its seconds
class allreduce 16384 0.000147666 recursive-doubling 0.000405747
class allreduce 65536 0.000254227 ring 0.000730864
class allreduce 262144 0.000667772 recursive-halving 0.001486168
class allreduce 1048576 0.002157727 recursive-doubling 0.002606942
class allreduce 4194304 0.008640376 ring 0.006053776
class reduce 16384 9.0022e-05 chain 0.000233616
class reduce 65536 0.000119556 chain 0.000278718
class reduce 262144 0.00041817 binomial 0.000495948
class reduce 1048576 0.001830836 binomial 0.001318975
class reduce 4194304 0.014243024 ring 0.004836831
class reduce_scatter 16384 6.0656e-05 ring 0.000288993
class reduce_scatter 65536 9.2597e-05 ring 0.00048024
class reduce_scatter 262144 0.000313335 recursive-halving 0.001102725
class reduce_scatter 1048576 0.001253905 ring 0.001537092
class reduce_scatter 4194304 0.006018843 ring 0.004623095
class allgather 16384 6.5632e-05 recursive-doubling 0.000377228
class allgather 65536 5.3125e-05 bruck 0.000206557
class allgather 262144 0.000170862 ring 0.00068465
class allgather 1048576 0.000814694 ring 0.001348748
class allgather 4194304 0.003932714 bruck 0.002557695
class bcast 16384 4.3738e-05 binomial 0.00017708
class bcast 65536 0.000125497 chain 0.000277095
class bcast 262144 0.000393033 chain 0.00040605
class bcast 1048576 0.002270912 binomial 0.000982193
class bcast 4194304 0.009083447 chain 0.003039704
class scatter 16384 3.7673e-05 direct 0.000203271
class scatter 65536 4.5826e-05 direct 0.000210784
class scatter 262144 0.000106445 direct 0.000462015
class scatter 1048576 0.000672494 binomial 0.000905181
class scatter 4194304 0.002477529 binomial 0.001472976
class gather 16384 6.4008e-05 direct 0.000219259
class gather 65536 5.3014e-05 direct 0.000215627
class gather 262144 0.000136458 direct 0.000254611
class gather 1048576 0.000462605 binomial 0.000581743
class gather 4194304 0.002879122 direct 0.001693426
class alltoall 16384 5.9789e-05 pairwise 0.000315672
class alltoall 65536 7.9834e-05 pairwise 0.000301307
class alltoall 262144 0.000208074 pairwise 0.000921027
class alltoall 1048576 0.000794124 pairwise 0.00198697
class alltoall 4194304 0.003978749 pairwise 0.003733019
class scan 16384 6.3376e-05 chain 0.000273881
class scan 65536 0.000273376 chain 0.000460859
class scan 262144 0.000929747 chain 0.000727893
class scan 1048576 0.003272856 chain 0.001264105
class scan 4194304 0.016200416 chain 0.005565754
class exscan 16384 7.0464e-05 chain 0.000200383
class exscan 65536 0.000190422 chain 0.000375603
class exscan 262144 0.000683871 recursive-doubling 0.000746657
class exscan 1048576 0.003356789 chain 0.00194211
class exscan 4194304 0.014899166 chain 0.007406194
class neighbor_allgather 16384 7.2465e-05 direct 0.000366357
class neighbor_allgather 65536 0.000110653 direct 0.000345069
class neighbor_allgather 262144 0.000218549 direct 0.000834737
class neighbor_allgather 1048576 0.001172871 direct 0.002135907
class neighbor_allgather 4194304 0.00432786 direct 0.00280831
class neighbor_alltoall 16384 7.5504e-05 direct 0.000344238
class neighbor_alltoall 65536 0.000109228 direct 0.00044868
class neighbor_alltoall 262144 0.000223053 direct 0.000894891
class neighbor_alltoall 1048576 0.001162043 direct 0.002086491
class neighbor_alltoall 4194304 0.004522669 direct 0.004238597
end
