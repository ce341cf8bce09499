laconic profile 1
# MPICH Version:      5.0.2, 2 ranks, field noise, codec quant, bound rel:1e-3
ranks 2
within_node 0
# seconds per byte: encode decode fold add read; bytes of frames per byte
coding 7.067879614908179e-11 5.99365002074137e-11 1.1883560802061766e-10 1.0913092651776424e-10 6.715241834820417e-11 0.354949951171875
# collective, bytes, seconds of plain MPI, fastest algorithm with compression, its seconds
class allreduce 16384 0.00011029 recursive-doubling 0.000107523
class allreduce 65536 0.000139603 recursive-halving 0.00016725
class allreduce 262144 0.000166906 recursive-doubling 0.00030782
class allreduce 1048576 0.000793505 direct 0.000674331
class allreduce 4194304 0.003977438 direct 0.00192058
class reduce 16384 9.1405e-05 chain 0.000102766
class reduce 65536 0.000106838 chain 0.000130058
class reduce 262144 0.000184928 chain 0.000183612
class reduce 1048576 0.000835056 binomial 0.000538813
class reduce 4194304 0.006799388 direct 0.001880412
class reduce_scatter 16384 8.8651e-05 ring 0.000104867
class reduce_scatter 65536 9.4851e-05 direct 0.000128796
class reduce_scatter 262144 0.000122403 direct 0.000254298
class reduce_scatter 1048576 0.000558609 direct 0.000654167
class reduce_scatter 4194304 0.002640929 ring 0.001668053
class allgather 16384 7.3424e-05 bruck 0.000103485
class allgather 65536 8.8347e-05 recursive-doubling 0.000119283
class allgather 262144 7.9933e-05 ring 0.00015521
class allgather 1048576 0.000349092 recursive-doubling 0.000323204
class allgather 4194304 0.001816008 recursive-doubling 0.000946462
class bcast 16384 4.483e-06 chain 6.5021e-05
class bcast 65536 1.4569e-05 ring 0.000115754
class bcast 262144 0.000100331 chain 0.000120856
class bcast 1048576 0.000729137 binomial 0.000392324
class bcast 4194304 0.003241404 binomial 0.001428236
class scatter 16384 5.553e-06 direct 9.9623e-05
class scatter 65536 1.0397e-05 direct 0.000132838
class scatter 262144 4.2953e-05 direct 0.000175648
class scatter 1048576 0.000300189 binomial 0.000338703
class scatter 4194304 0.00164998 binomial 0.001073874
class gather 16384 4.836e-06 binomial 9.9456e-05
class gather 65536 6.359e-06 direct 0.000111257
class gather 262144 4.125e-05 binomial 0.000100124
class gather 1048576 0.000307228 direct 0.000323105
class gather 4194304 0.001561207 binomial 0.000806435
class alltoall 16384 7.7505e-05 pairwise 0.000109406
class alltoall 65536 2.1154e-05 bruck 4.7381e-05
class alltoall 262144 4.8027e-05 pairwise 0.000145447
class alltoall 1048576 0.000361368 bruck 0.000427543
class alltoall 4194304 0.001807494 pairwise 0.001281572
class scan 16384 7.8292e-05 recursive-doubling 0.000100255
class scan 65536 0.000102715 chain 0.000120663
class scan 262144 0.000242307 chain 0.000290019
class scan 1048576 0.001286783 chain 0.000744682
class scan 4194304 0.010119634 recursive-doubling 0.002503264
class exscan 16384 3.7644e-05 chain 6.572e-05
class exscan 65536 0.000100787 recursive-doubling 0.00010377
class exscan 262144 0.000140234 chain 0.000181489
class exscan 1048576 0.001148066 chain 0.000438424
class exscan 4194304 0.007304607 chain 0.001611619
class neighbor_allgather 16384 6.6614e-05 direct 0.000212732
class neighbor_allgather 65536 6.315e-05 direct 0.000218647
class neighbor_allgather 262144 0.00010778 direct 0.000266683
class neighbor_allgather 1048576 0.000294939 direct 0.003119854
class neighbor_allgather 4194304 0.001443918 direct 0.005918668
class neighbor_alltoall 16384 1.8574e-05 direct 4.5506e-05
class neighbor_alltoall 65536 4.6273e-05 direct 0.000242495
class neighbor_alltoall 262144 8.6658e-05 direct 0.000261021
class neighbor_alltoall 1048576 0.000295956 direct 0.000558252
class neighbor_alltoall 4194304 0.001385886 direct 0.001392558
end
