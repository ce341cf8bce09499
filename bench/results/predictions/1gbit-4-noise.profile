laconic profile 1
# MPICH Version:      5.0.2, 4 ranks, field noise, codec quant, bound rel:1e-3
ranks 4
within_node 0
# seconds per byte: encode decode fold add read; bytes of frames per byte
coding 5.944822412118356e-11 3.790279201609792e-11 8.3129725325648e-11 7.049560935001864e-11 3.470307097241942e-11 0.386199951171875
# collective, bytes, seconds of plain MPI, fastest algorithm with compression, its seconds
class allreduce 16384 8.5372e-05 recursive-doubling 0.000236694
class allreduce 65536 0.000806704 direct 0.000466998
class allreduce 262144 0.003204541 direct 0.001751593
class allreduce 1048576 0.013665417 ring 0.005747698
class allreduce 4194304 0.053805098 direct 0.023117288
class reduce 16384 9.2873e-05 binomial 0.00022007
class reduce 65536 0.000604032 chain 0.000377088
class reduce 262144 0.003061248 chain 0.001310647
class reduce 1048576 0.013317097 chain 0.004540893
class reduce 4194304 0.058044189 chain 0.017237471
class reduce_scatter 16384 5.2219e-05 recursive-halving 0.000247907
class reduce_scatter 65536 0.000411993 ring 0.000507818
class reduce_scatter 262144 0.00208034 ring 0.001308184
class reduce_scatter 1048576 0.011813839 ring 0.003381588
class reduce_scatter 4194304 0.047518825 ring 0.014197156
class allgather 16384 6.6553e-05 bruck 0.000364194
class allgather 65536 0.000298308 ring 0.000247349
class allgather 262144 0.001642103 recursive-doubling 0.000651811
class allgather 1048576 0.006361992 bruck 0.002366126
class allgather 4194304 0.026575645 ring 0.009359279
class bcast 16384 0.000146102 binomial 0.000234277
class bcast 65536 0.001110937 chain 0.000318683
class bcast 262144 0.005735618 chain 0.000849402
class bcast 1048576 0.018784755 chain 0.003554474
class bcast 4194304 0.06975386 chain 0.013237962
class scatter 16384 3.4261e-05 binomial 0.000217306
class scatter 65536 0.00014179 binomial 0.00021583
class scatter 262144 0.001655204 binomial 0.000509611
class scatter 1048576 0.00892482 direct 0.00220535
class scatter 4194304 0.027202131 binomial 0.008645146
class gather 16384 5.1378e-05 direct 0.000189716
class gather 65536 0.000169549 direct 0.000202231
class gather 262144 0.001411052 direct 0.00040689
class gather 1048576 0.00620884 direct 0.00199298
class gather 4194304 0.025417832 direct 0.008419166
class alltoall 16384 6.122e-05 pairwise 0.000410232
class alltoall 65536 0.00030732 pairwise 0.000354314
class alltoall 262144 0.001519546 pairwise 0.001009716
class alltoall 1048576 0.006414594 pairwise 0.003207519
class alltoall 4194304 0.026007048 pairwise 0.011889592
class scan 16384 0.000196278 recursive-doubling 0.000321169
class scan 65536 0.00112303 chain 0.000435949
class scan 262144 0.004427166 chain 0.001242728
class scan 1048576 0.019022656 chain 0.00474021
class scan 4194304 0.07688453 chain 0.017573703
class exscan 16384 0.000131894 recursive-doubling 0.000231508
class exscan 65536 0.000975857 chain 0.000544688
class exscan 262144 0.004665345 chain 0.002187406
class exscan 1048576 0.018252432 chain 0.007785627
class exscan 4194304 0.07418835 chain 0.033193145
class neighbor_allgather 16384 7.8793e-05 direct 0.000423449
class neighbor_allgather 65536 0.000292635 direct 0.000488831
class neighbor_allgather 262144 0.001413198 direct 0.001032764
class neighbor_allgather 1048576 0.006171562 direct 0.002971724
class neighbor_allgather 4194304 0.026159768 direct 0.010021177
class neighbor_alltoall 16384 8.0406e-05 direct 0.00046535
class neighbor_alltoall 65536 0.000275878 direct 0.000511344
class neighbor_alltoall 262144 0.001389029 direct 0.001135314
class neighbor_alltoall 1048576 0.006202852 direct 0.005310466
class neighbor_alltoall 4194304 0.025551399 direct 0.010734311
end
