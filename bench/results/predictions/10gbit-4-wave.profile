laconic profile 1
# MPICH Version:      5.0.2, 4 ranks, field wave, codec quant, bound rel:1e-3
ranks 4
within_node 0
# seconds per byte: encode decode fold add read; bytes of frames per byte
coding 5.523670409957049e-11 8.056644240639343e-11 7.946776570122438e-11 5.853273421507765e-11 4.661521307847138e-11 0.0684051513671875
# collective, bytes, seconds of plain MPI, fastest algorithm with compression, its seconds
class allreduce 16384 8.8914e-05 recursive-doubling 0.000219982
class allreduce 65536 0.000144229 ring 0.000420917
class allreduce 262144 0.000424805 ring 0.001076957
class allreduce 1048576 0.002264798 recursive-doubling 0.002031718
class allreduce 4194304 0.011114174 direct 0.004504364
class reduce 16384 9.1149e-05 chain 0.000204846
class reduce 65536 0.000136853 binomial 0.000210403
class reduce 262144 0.000416675 binomial 0.000389953
class reduce 1048576 0.001898637 binomial 0.001103726
class reduce 4194304 0.013779632 binomial 0.002861869
class reduce_scatter 16384 0.000144884 direct 0.00046436
class reduce_scatter 65536 0.00015598 ring 0.000689884
class reduce_scatter 262144 0.000336568 ring 0.001436823
class reduce_scatter 1048576 0.001295711 ring 0.002197001
class reduce_scatter 4194304 0.005998078 ring 0.00296141
class allgather 16384 4.4278e-05 bruck 0.000259634
class allgather 65536 5.8949e-05 bruck 0.000198407
class allgather 262144 0.000172689 ring 0.000607904
class allgather 1048576 0.000795205 ring 0.001286266
class allgather 4194304 0.00445486 recursive-doubling 0.002120704
class bcast 16384 4.7816e-05 binomial 0.000221333
class bcast 65536 0.000129314 chain 0.000234195
class bcast 262144 0.000398536 chain 0.000449574
class bcast 1048576 0.002315127 binomial 0.000723223
class bcast 4194304 0.007256256 chain 0.002245205
class scatter 16384 3.7428e-05 direct 0.000209931
class scatter 65536 4.5662e-05 direct 0.000212686
class scatter 262144 0.000121904 direct 0.000473971
class scatter 1048576 0.000645159 direct 0.000922825
class scatter 4194304 0.00341053 direct 0.001655286
class gather 16384 4.6333e-05 binomial 0.000214309
class gather 65536 6.7544e-05 direct 0.000230898
class gather 262144 0.000191478 direct 0.000197925
class gather 1048576 0.000644714 direct 0.000390951
class gather 4194304 0.002808681 direct 0.001085789
class alltoall 16384 8.269e-05 pairwise 0.000446068
class alltoall 65536 0.000118381 pairwise 0.00042939
class alltoall 262144 0.000275712 pairwise 0.001043035
class alltoall 1048576 0.000831199 pairwise 0.001728738
class alltoall 4194304 0.004870323 pairwise 0.003471722
class scan 16384 6.6552e-05 recursive-doubling 0.000244519
class scan 65536 0.000185888 chain 0.000326479
class scan 262144 0.000651656 recursive-doubling 0.000542841
class scan 1048576 0.003704027 chain 0.001014931
class scan 4194304 0.015141975 chain 0.002934584
class exscan 16384 7.5926e-05 chain 0.000237629
class exscan 65536 0.000180642 chain 0.000340139
class exscan 262144 0.000659987 recursive-doubling 0.000789203
class exscan 1048576 0.003466048 chain 0.001174852
class exscan 4194304 0.014359047 chain 0.003122744
class neighbor_allgather 16384 7.7565e-05 direct 0.000386679
class neighbor_allgather 65536 0.000110376 direct 0.000482674
class neighbor_allgather 262144 0.000211507 direct 0.000755356
class neighbor_allgather 1048576 0.001118 direct 0.002011863
class neighbor_allgather 4194304 0.004625484 direct 0.003058732
class neighbor_alltoall 16384 7.3365e-05 direct 0.000422355
class neighbor_alltoall 65536 0.000116834 direct 0.000525472
class neighbor_alltoall 262144 0.000213705 direct 0.000892536
class neighbor_alltoall 1048576 0.001176732 direct 0.002298893
class neighbor_alltoall 4194304 0.004812678 direct 0.003913627
end
