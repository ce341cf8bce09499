laconic profile 1
# MPICH Version:      5.0.2, 4 ranks, field wave, codec quant, bound rel:1e-3
ranks 4
within_node 0
# seconds per byte: encode decode fold add read; bytes of frames per byte
coding 4.016076360358056e-11 6.585709755313474e-11 5.615241605028132e-11 4.3579362341006345e-11 3.815310012367234e-11 0.0684051513671875
# collective, bytes, seconds of plain MPI, fastest algorithm with compression, its seconds
class allreduce 16384 8.3892e-05 recursive-doubling 0.000173905
class allreduce 65536 0.000755717 recursive-halving 0.000455421
class allreduce 262144 0.00313587 recursive-halving 0.000965781
class allreduce 1048576 0.013272476 recursive-doubling 0.002233284
class allreduce 4194304 0.053149176 direct 0.00711269
class reduce 16384 8.3226e-05 binomial 0.000254171
class reduce 65536 0.000577476 binomial 0.000354025
class reduce 262144 0.003039082 chain 0.000482052
class reduce 1048576 0.012864948 chain 0.001399634
class reduce 4194304 0.054863851 chain 0.005159683
class reduce_scatter 16384 0.000120476 recursive-halving 0.000372249
class reduce_scatter 65536 0.000368648 recursive-halving 0.000433992
class reduce_scatter 262144 0.002033041 ring 0.0010504
class reduce_scatter 1048576 0.012269193 recursive-halving 0.001613304
class reduce_scatter 4194304 0.048210294 recursive-halving 0.004164324
class allgather 16384 4.1085e-05 ring 0.000244935
class allgather 65536 0.000261332 bruck 0.00026819
class allgather 262144 0.001557794 ring 0.000650325
class allgather 1048576 0.00641291 bruck 0.001177943
class allgather 4194304 0.026243297 recursive-doubling 0.002493989
class bcast 16384 0.000152786 binomial 0.000203468
class bcast 65536 0.001111849 binomial 0.000383112
class bcast 262144 0.005911163 binomial 0.000560731
class bcast 1048576 0.019002279 binomial 0.001226784
class bcast 4194304 0.069747456 ring 0.003090034
class scatter 16384 3.2455e-05 binomial 0.000176081
class scatter 65536 0.000126424 direct 0.000173351
class scatter 262144 0.001611479 direct 0.000353972
class scatter 1048576 0.007916066 binomial 0.000677934
class scatter 4194304 0.027310932 direct 0.00156131
class gather 16384 2.6205e-05 binomial 8.3124e-05
class gather 65536 0.000201528 binomial 9.9396e-05
class gather 262144 0.001386156 binomial 0.0002625
class gather 1048576 0.006194694 direct 0.00043301
class gather 4194304 0.025258086 direct 0.001417573
class alltoall 16384 6.5819e-05 pairwise 0.00034349
class alltoall 65536 0.000299054 pairwise 0.000421449
class alltoall 262144 0.001499554 pairwise 0.000717802
class alltoall 1048576 0.006355199 pairwise 0.001837298
class alltoall 4194304 0.028901008 bruck 0.00552275
class scan 16384 0.000120933 recursive-doubling 0.000210631
class scan 65536 0.00099136 chain 0.000391582
class scan 262144 0.004384646 chain 0.000689271
class scan 1048576 0.019079476 chain 0.001637703
class scan 4194304 0.076294785 chain 0.006513675
class exscan 16384 8.0892e-05 recursive-doubling 0.000213145
class exscan 65536 0.001015596 recursive-doubling 0.000290315
class exscan 262144 0.004303664 chain 0.000620637
class exscan 1048576 0.017929168 chain 0.001960869
class exscan 4194304 0.076381556 recursive-doubling 0.007940312
class neighbor_allgather 16384 8.0231e-05 direct 0.000259898
class neighbor_allgather 65536 0.000263019 direct 0.000508366
class neighbor_allgather 262144 0.001428127 direct 0.000743948
class neighbor_allgather 1048576 0.006229266 direct 0.002482101
class neighbor_allgather 4194304 0.026363355 direct 0.003290615
class neighbor_alltoall 16384 0.000100915 direct 0.000532611
class neighbor_alltoall 65536 0.000270957 direct 0.000507031
class neighbor_alltoall 262144 0.001387905 direct 0.001065641
class neighbor_alltoall 1048576 0.006039088 direct 0.002124177
class neighbor_alltoall 4194304 0.026170588 direct 0.00570332
end
