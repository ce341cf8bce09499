laconic profile 2
# MPICH Version:      5.0.2, 4 ranks, field noise, codec quant, bound rel:1e-3
ranks 4
within_node 0
# seconds per byte: encode decode fold add read; bytes of frames per byte
coding 6.0607963092707e-11 4.6631143391095975e-11 9.069855977372754e-11 9.088108043897591e-11 3.163227457747552e-11 0.386199951171875
# collective, bytes, seconds of plain MPI, fastest algorithm with compression, its rows and seconds
class allreduce 16384 0.000138315 recursive-doubling 1 0.000330264
class allreduce 65536 0.000720882 recursive-doubling 1 0.000504349
class allreduce 262144 0.0031325 ring 1 0.001394296
class allreduce 1048576 0.013030132 ring 2 0.005514463
class allreduce 4194304 0.053188259 direct 16 0.023100044
class reduce 16384 7.9645e-05 chain 1 0.000228454
class reduce 65536 0.000595184 ring 1 0.000383317
class reduce 262144 0.00302623 recursive-halving 1 0.001305524
class reduce 1048576 0.012969809 chain 16 0.004029403
class reduce 4194304 0.05267594 chain 64 0.01529558
class reduce_scatter 16384 7.0819e-05 ring 1 0.000564287
class reduce_scatter 65536 0.000351076 direct 1 0.000483842
class reduce_scatter 262144 0.00199162 ring 1 0.000825345
class reduce_scatter 1048576 0.012475912 ring 4 0.003302839
class reduce_scatter 4194304 0.049078623 ring 2 0.013397695
class allgather 16384 4.1126e-05 bruck 1 0.000218287
class allgather 65536 0.000250753 bruck 1 0.000225557
class allgather 262144 0.001497087 bruck 2 0.000560416
class allgather 1048576 0.006364556 ring 4 0.002244349
class allgather 4194304 0.026296376 recursive-doubling 8 0.008944245
class bcast 16384 0.000128949 binomial 1 0.000223416
class bcast 65536 0.001094184 chain 2 0.000287798
class bcast 262144 0.005790351 chain 4 0.000794831
class bcast 1048576 0.018717807 chain 16 0.00306902
class bcast 4194304 0.069492659 chain 64 0.011644004
class scatter 16384 2.7002e-05 binomial 1 0.000123673
class scatter 65536 0.000196862 direct 1 0.000191214
class scatter 262144 0.001620713 direct 1 0.000440446
class scatter 1048576 0.007909991 binomial 8 0.002110907
class scatter 4194304 0.02722824 direct 2 0.008324195
class gather 16384 4.7532e-05 binomial 1 0.000278237
class gather 65536 0.000203812 binomial 1 0.000232297
class gather 262144 0.001390946 binomial 4 0.000459673
class gather 1048576 0.006197395 binomial 8 0.001989744
class gather 4194304 0.025275467 direct 16 0.008412227
class alltoall 16384 7.409e-05 bruck 1 0.000547465
class alltoall 65536 0.00044229 pairwise 1 0.000485713
class alltoall 262144 0.001654537 pairwise 1 0.000862769
class alltoall 1048576 0.006632154 pairwise 2 0.002822089
class alltoall 4194304 0.027654074 pairwise 8 0.010031141
class scan 16384 8.285e-05 recursive-doubling 1 0.000245451
class scan 65536 0.001150449 chain 1 0.000362896
class scan 262144 0.004361495 chain 8 0.00101293
class scan 1048576 0.018176077 chain 16 0.004064983
class scan 4194304 0.073641968 chain 64 0.015126717
class exscan 16384 0.000110705 chain 1 0.000210932
class exscan 65536 0.000990662 chain 4 0.000411443
class exscan 262144 0.004418576 chain 8 0.001837653
class exscan 1048576 0.017929517 chain 16 0.007378584
class exscan 4194304 0.072661106 chain 64 0.02814374
class neighbor_allgather 16384 7.6511e-05 direct 1 0.000408564
class neighbor_allgather 65536 0.000250503 direct 1 0.000484025
class neighbor_allgather 262144 0.001338944 direct 1 0.00067823
class neighbor_allgather 1048576 0.005913974 direct 8 0.00258411
class neighbor_allgather 4194304 0.025559974 direct 16 0.009081218
class neighbor_alltoall 16384 7.3077e-05 direct 1 0.000317117
class neighbor_alltoall 65536 0.000254141 direct 1 0.000434456
class neighbor_alltoall 262144 0.001406112 direct 1 0.000748175
class neighbor_alltoall 1048576 0.005912315 direct 8 0.002586378
class neighbor_alltoall 4194304 0.025930825 direct 16 0.009292148
end
