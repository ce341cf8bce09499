laconic profile 1
# MPICH Version:      5.0.2, 4 ranks, field noise, codec quant, bound rel:1e-3
ranks 4
within_node 0
# seconds per byte: encode decode fold add read; bytes of frames per byte
coding 7.244871369493922e-11 5.120837087702057e-11 1.1004663846847507e-10 9.838840853149122e-11 5.468750452486403e-11 0.386199951171875
# collective, bytes, seconds of plain MPI, fastest algorithm with compression, its seconds
class allreduce 16384 9.2203e-05 recursive-doubling 0.000238577
class allreduce 65536 0.000136753 recursive-halving 0.000442924
class allreduce 262144 0.000491652 ring 0.00107953
class allreduce 1048576 0.002112278 recursive-doubling 0.002299193
class allreduce 4194304 0.008959371 ring 0.005900459
class reduce 16384 8.8434e-05 binomial 0.000239576
class reduce 65536 0.000120315 chain 0.000320927
class reduce 262144 0.000353319 binomial 0.000412033
class reduce 1048576 0.001682333 chain 0.001272803
class reduce 4194304 0.014000586 recursive-halving 0.004676823
class reduce_scatter 16384 4.9257e-05 recursive-halving 0.000264196
class reduce_scatter 65536 7.2248e-05 ring 0.000420841
class reduce_scatter 262144 0.000253819 ring 0.000928959
class reduce_scatter 1048576 0.001220546 ring 0.001650382
class reduce_scatter 4194304 0.006245763 recursive-halving 0.004514961
class allgather 16384 4.8574e-05 bruck 0.000287428
class allgather 65536 6.3534e-05 ring 0.000331951
class allgather 262144 0.000226243 bruck 0.000596377
class allgather 1048576 0.000767303 ring 0.001315657
class allgather 4194304 0.003869599 bruck 0.002352612
class bcast 16384 3.9924e-05 chain 0.000172053
class bcast 65536 8.2011e-05 binomial 0.000253307
class bcast 262144 0.000451196 chain 0.000601073
class bcast 1048576 0.002323301 binomial 0.000929128
class bcast 4194304 0.006627735 ring 0.003030178
class scatter 16384 4.126e-05 direct 0.000199448
class scatter 65536 4.8564e-05 direct 0.000196105
class scatter 262144 0.000117548 direct 0.000422409
class scatter 1048576 0.000663138 direct 0.000862006
class scatter 4194304 0.002612849 binomial 0.001286698
class gather 16384 1.9429e-05 direct 7.3103e-05
class gather 65536 7.6994e-05 binomial 0.000157392
class gather 262144 0.00020289 binomial 0.000234931
class gather 1048576 0.0006285 direct 0.000402471
class gather 4194304 0.003342445 direct 0.001753166
class alltoall 16384 9.568e-05 bruck 0.000519001
class alltoall 65536 0.000123526 pairwise 0.000390503
class alltoall 262144 0.000367444 bruck 0.001106231
class alltoall 1048576 0.000860143 pairwise 0.001984148
class alltoall 4194304 0.004139881 pairwise 0.003679218
class scan 16384 6.1075e-05 recursive-doubling 0.000227591
class scan 65536 0.000191084 chain 0.000323183
class scan 262144 0.000652477 chain 0.00055105
class scan 1048576 0.003555348 chain 0.001303136
class scan 4194304 0.015040726 chain 0.007179011
class exscan 16384 6.166e-05 recursive-doubling 0.000173873
class exscan 65536 0.000176768 chain 0.000319712
class exscan 262144 0.000558845 chain 0.000762902
class exscan 1048576 0.003115415 recursive-doubling 0.002089303
class exscan 4194304 0.015649821 chain 0.007740295
class neighbor_allgather 16384 7.2578e-05 direct 0.000378447
class neighbor_allgather 65536 0.000114115 direct 0.000485913
class neighbor_allgather 262144 0.000218991 direct 0.000793088
class neighbor_allgather 1048576 0.001073739 direct 0.001894239
class neighbor_allgather 4194304 0.004272484 direct 0.003100924
class neighbor_alltoall 16384 7.834e-05 direct 0.000513877
class neighbor_alltoall 65536 0.000112144 direct 0.000424921
class neighbor_alltoall 262144 0.000224181 direct 0.000986303
class neighbor_alltoall 1048576 0.001230376 direct 0.002345986
class neighbor_alltoall 4194304 0.004433332 direct 0.003874351
end
