laconic profile 2
# MPICH Version:      5.0.2, 2 ranks, field noise, codec quant, bound rel:1e-3
ranks 2
within_node 0
# seconds per byte: encode decode fold add read; bytes of frames per byte
coding 5.694600346828338e-11 4.016120769279041e-11 8.502176740421419e-11 7.745359908994942e-11 3.0686922447564766e-11 0.354949951171875
# collective, bytes, seconds of plain MPI, fastest algorithm with compression, its rows and seconds
class allreduce 16384 9.3215e-05 recursive-doubling 1 0.000108568
class allreduce 65536 3.1626e-05 recursive-doubling 1 5.0593e-05
class allreduce 262144 0.000162329 ring 2 0.000157784
class allreduce 1048576 0.000785099 recursive-halving 4 0.000521047
class allreduce 4194304 0.003869738 direct 8 0.002020474
class reduce 16384 9.2775e-05 binomial 1 0.000103183
class reduce 65536 0.000107593 ring 1 0.000124963
class reduce 262144 0.000154467 direct 1 0.00012723
class reduce 1048576 0.000800343 direct 2 0.000483213
class reduce 4194304 0.004034755 chain 64 0.001788493
class reduce_scatter 16384 7.8992e-05 ring 1 0.000117629
class reduce_scatter 65536 8.9034e-05 direct 1 0.000128332
class reduce_scatter 262144 0.000117812 recursive-halving 1 0.000172562
class reduce_scatter 1048576 0.00051984 ring 1 0.000416119
class reduce_scatter 4194304 0.002573438 ring 16 0.001581307
class allgather 16384 7.2664e-05 recursive-doubling 1 0.000102847
class allgather 65536 8.1744e-05 recursive-doubling 1 3.1258e-05
class allgather 262144 5.4917e-05 ring 1 6.2721e-05
class allgather 1048576 0.000344125 recursive-doubling 4 0.000285847
class allgather 4194304 0.001808988 direct 16 0.000982048
class bcast 16384 5.966e-06 chain 1 9.7131e-05
class bcast 65536 1.4459e-05 chain 1 0.000106915
class bcast 262144 5.7218e-05 chain 4 9.8308e-05
class bcast 1048576 0.000732256 binomial 8 0.000355656
class bcast 4194304 0.003261841 binomial 32 0.001379602
class scatter 16384 5.135e-06 binomial 1 8.7374e-05
class scatter 65536 7.6e-06 direct 1 0.000105677
class scatter 262144 5.1564e-05 binomial 2 7.672e-05
class scatter 1048576 0.00027963 binomial 1 0.000265014
class scatter 4194304 0.001696195 direct 16 0.001053071
class gather 16384 1.0483e-05 direct 1 9.9265e-05
class gather 65536 6.321e-06 direct 1 0.000103777
class gather 262144 4.0511e-05 binomial 2 9.0645e-05
class gather 1048576 0.000309862 binomial 4 0.000265146
class gather 4194304 0.001580311 binomial 16 0.00084333
class alltoall 16384 9.175e-05 pairwise 1 0.000115097
class alltoall 65536 8.3624e-05 bruck 1 0.000119627
class alltoall 262144 0.000104847 pairwise 2 0.000153112
class alltoall 1048576 0.00034606 pairwise 2 0.0003059
class alltoall 4194304 0.001796012 pairwise 16 0.001317356
class scan 16384 7.9321e-05 recursive-doubling 1 9.0502e-05
class scan 65536 9.9786e-05 recursive-doubling 1 0.00011062
class scan 262144 0.000206206 chain 4 0.00020491
class scan 1048576 0.00115325 recursive-doubling 8 0.000515858
class scan 4194304 0.004788117 chain 32 0.001742655
class exscan 16384 8.4112e-05 recursive-doubling 1 9.926e-05
class exscan 65536 0.000101898 recursive-doubling 2 9.6718e-05
class exscan 262144 0.00014527 chain 4 0.000162773
class exscan 1048576 0.000979073 recursive-doubling 8 0.000347428
class exscan 4194304 0.004311236 chain 64 0.001463248
class neighbor_allgather 16384 7.3542e-05 direct 1 0.000203399
class neighbor_allgather 65536 2.7995e-05 direct 1 4.9591e-05
class neighbor_allgather 262144 5.9823e-05 direct 1 8.5676e-05
class neighbor_allgather 1048576 0.000278886 direct 2 0.000327369
class neighbor_allgather 4194304 0.001454471 direct 4 0.001060613
class neighbor_alltoall 16384 4.1355e-05 direct 1 0.000200374
class neighbor_alltoall 65536 5.2888e-05 direct 1 0.000202424
class neighbor_alltoall 262144 6.3356e-05 direct 2 0.000249475
class neighbor_alltoall 1048576 0.000298151 direct 4 0.000470202
class neighbor_alltoall 4194304 0.001442383 direct 2 0.00126694
end
