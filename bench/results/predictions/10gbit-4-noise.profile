laconic profile 2
# MPICH Version:      5.0.2, 4 ranks, field noise, codec quant, bound rel:1e-3
ranks 4
within_node 0
# seconds per byte: encode decode fold add read; bytes of frames per byte
coding 6.036371402728946e-11 4.211431203771099e-11 8.459455358433843e-11 7.879652486053601e-11 3.123167002794247e-11 0.386199951171875
# collective, bytes, seconds of plain MPI, fastest algorithm with compression, its rows and seconds
class allreduce 16384 8.5675e-05 recursive-doubling 1 0.000238343
class allreduce 65536 0.00013283 recursive-doubling 1 0.000257236
class allreduce 262144 0.000437111 ring 1 0.00066254
class allreduce 1048576 0.002072934 ring 1 0.001612617
class allreduce 4194304 0.010383147 recursive-halving 8 0.006036734
class reduce 16384 8.0593e-05 binomial 1 0.000229468
class reduce 65536 0.000117474 binomial 1 0.000269654
class reduce 262144 0.00036575 binomial 1 0.000429326
class reduce 1048576 0.00150173 ring 1 0.001305366
class reduce 4194304 0.008085915 ring 4 0.004731093
class reduce_scatter 16384 6.4909e-05 direct 1 0.000487444
class reduce_scatter 65536 8.2032e-05 recursive-halving 1 0.00035268
class reduce_scatter 262144 0.000236512 ring 1 0.000532933
class reduce_scatter 1048576 0.001149789 ring 2 0.001206036
class reduce_scatter 4194304 0.006734004 ring 4 0.004477521
class allgather 16384 3.9366e-05 recursive-doubling 1 0.000311201
class allgather 65536 5.4874e-05 ring 1 0.000289145
class allgather 262144 0.000168065 bruck 1 0.000299147
class allgather 1048576 0.000772285 recursive-doubling 2 0.000822039
class allgather 4194304 0.003849378 bruck 2 0.002431882
class bcast 16384 4.4792e-05 chain 1 0.00021625
class bcast 65536 0.000100353 chain 2 0.000179318
class bcast 262144 0.000371064 chain 4 0.000291184
class bcast 1048576 0.001589903 binomial 8 0.000884053
class bcast 4194304 0.006761782 ring 2 0.003374157
class scatter 16384 2.8715e-05 binomial 1 0.000145058
class scatter 65536 3.673e-05 direct 1 0.000156861
class scatter 262144 9.3101e-05 binomial 1 0.000273943
class scatter 1048576 0.000521296 direct 1 0.000398033
class scatter 4194304 0.002777809 binomial 2 0.001505585
class gather 16384 5.8489e-05 direct 1 0.00019947
class gather 65536 7.0031e-05 binomial 1 0.000244578
class gather 262144 0.000183774 direct 1 0.000220116
class gather 1048576 0.000734043 direct 4 0.000419163
class gather 4194304 0.002884229 direct 2 0.001475521
class alltoall 16384 6.5464e-05 pairwise 1 0.000328348
class alltoall 65536 7.6169e-05 pairwise 1 0.000276886
class alltoall 262144 0.000249549 pairwise 1 0.000449934
class alltoall 1048576 0.00091444 pairwise 1 0.001167114
class alltoall 4194304 0.004035264 pairwise 2 0.003743359
class scan 16384 6.0116e-05 chain 1 0.000222508
class scan 65536 0.000179093 chain 2 0.000273643
class scan 262144 0.000687476 chain 2 0.000402841
class scan 1048576 0.003527506 chain 4 0.001105017
class scan 4194304 0.016308899 chain 32 0.005660293
class exscan 16384 9.3734e-05 recursive-doubling 1 0.000274015
class exscan 65536 0.000158846 chain 1 0.000190451
class exscan 262144 0.00061573 chain 2 0.000504054
class exscan 1048576 0.003508164 chain 8 0.001766422
class exscan 4194304 0.014642707 recursive-doubling 32 0.007141895
class neighbor_allgather 16384 7.8059e-05 direct 1 0.000482452
class neighbor_allgather 65536 0.000116366 direct 1 0.000515927
class neighbor_allgather 262144 0.000214087 direct 1 0.000618998
class neighbor_allgather 1048576 0.001166358 direct 1 0.000985815
class neighbor_allgather 4194304 0.004428016 direct 2 0.002531628
class neighbor_alltoall 16384 0.000109917 direct 1 0.000686809
class neighbor_alltoall 65536 0.000169487 direct 1 0.00083736
class neighbor_alltoall 262144 0.000203155 direct 1 0.000416696
class neighbor_alltoall 1048576 0.00121512 direct 1 0.001139407
class neighbor_alltoall 4194304 0.00494659 direct 2 0.003747817
end
