laconic profile 1
# MPICH Version:      5.0.2, 2 ranks, field noise, codec quant, bound rel:1e-3
ranks 2
within_node 0
# seconds per byte: encode decode fold add read; bytes of frames per byte
coding 5.786127132978436e-11 3.6621372601075564e-11 8.642597748576009e-11 7.153344583343824e-11 3.270296256019378e-11 0.354949951171875
# collective, bytes, seconds of plain MPI, fastest algorithm with compression, its seconds
class allreduce 16384 7.6306e-05 recursive-doubling 0.000107588
class allreduce 65536 0.000365817 ring 0.000120478
class allreduce 262144 0.001988653 ring 0.000704393
class allreduce 1048576 0.008613647 recursive-halving 0.003189329
class allreduce 4194304 0.035134808 direct 0.013511695
class reduce 16384 0.000100392 chain 0.000100179
class reduce 65536 0.000321466 binomial 0.000106068
class reduce 262144 0.001954358 recursive-halving 0.000649205
class reduce 1048576 0.008453246 binomial 0.003026074
class reduce 4194304 0.03658166 binomial 0.012737562
class reduce_scatter 16384 0.000113805 recursive-halving 0.000161617
class reduce_scatter 65536 0.000253133 ring 0.000250437
class reduce_scatter 262144 0.001385338 recursive-halving 0.000463315
class reduce_scatter 1048576 0.005598392 ring 0.002169202
class reduce_scatter 4194304 0.023440682 direct 0.009188977
class allgather 16384 7.3183e-05 bruck 7.0382e-05
class allgather 65536 9.4349e-05 bruck 0.000116784
class allgather 262144 0.00095139 ring 0.000218844
class allgather 1048576 0.004229834 direct 0.001348242
class allgather 4194304 0.017136308 recursive-doubling 0.00578102
class bcast 16384 5.816e-06 binomial 0.000103464
class bcast 65536 0.000306941 binomial 8.7222e-05
class bcast 262144 0.00194519 chain 0.000564762
class bcast 1048576 0.008222389 binomial 0.002647956
class bcast 4194304 0.033702367 ring 0.011296344
class scatter 16384 5.69e-06 direct 0.000101548
class scatter 65536 9.8643e-05 direct 6.2248e-05
class scatter 262144 0.000845146 direct 0.000195873
class scatter 1048576 0.004047825 binomial 0.001293165
class scatter 4194304 0.016797526 direct 0.005347382
class gather 16384 8.802e-06 binomial 7.1674e-05
class gather 65536 8.4429e-05 binomial 9.8847e-05
class gather 262144 0.000919222 binomial 0.000269254
class gather 1048576 0.004100839 direct 0.001364801
class gather 4194304 0.016840601 binomial 0.005820052
class alltoall 16384 6.611e-05 bruck 0.000103229
class alltoall 65536 0.000140826 pairwise 7.8176e-05
class alltoall 262144 0.000967365 bruck 0.000250426
class alltoall 1048576 0.00428851 pairwise 0.001473018
class alltoall 4194304 0.017073334 bruck 0.006262468
class scan 16384 6.5089e-05 chain 0.000100302
class scan 65536 0.000419548 chain 0.000153782
class scan 262144 0.002109582 chain 0.00066169
class scan 1048576 0.008838682 chain 0.003109856
class scan 4194304 0.040156032 recursive-doubling 0.012715315
class exscan 16384 8.0066e-05 chain 9.353e-05
class exscan 65536 0.000408875 recursive-doubling 9.6531e-05
class exscan 262144 0.002056273 chain 0.000630055
class exscan 1048576 0.00855834 chain 0.003000034
class exscan 4194304 0.04033794 recursive-doubling 0.012759896
class neighbor_allgather 16384 2.4648e-05 direct 0.000195472
class neighbor_allgather 65536 4.0722e-05 direct 8.3121e-05
class neighbor_allgather 262144 0.000573557 direct 0.000279033
class neighbor_allgather 1048576 0.002701276 direct 0.00093042
class neighbor_allgather 4194304 0.011202414 direct 0.003759955
class neighbor_alltoall 16384 2.1355e-05 direct 4.64e-05
class neighbor_alltoall 65536 8.9051e-05 direct 6.6422e-05
class neighbor_alltoall 262144 0.00056975 direct 0.000287249
class neighbor_alltoall 1048576 0.002718165 direct 0.001010947
class neighbor_alltoall 4194304 0.01126539 direct 0.004282109
end
