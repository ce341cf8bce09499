laconic profile 3
# MPICH Version:      5.0.2, 4 ranks, field wave, codec quant and dense, bound rel:1e-3
ranks 4
within_node 0
# effort, seconds per byte: encode decode fold add read; bytes of frames per byte
coding light 4.949951559751753e-11 5.194095153981948e-11 6.726075252316832e-11 5.200195829502263e-11 3.387793517939386e-11 0.0684051513671875
coding dense 5.817718459755206e-10 2.3059845005724e-10 8.067092896468786e-10 9.74578855117425e-10 3.2652282266898423e-11 0.09429168701171875
# collective, bytes, seconds of plain MPI, fastest effort and algorithm with compression, rows and seconds
class allreduce 16384 0.000191264 light recursive-doubling 1 0.000418552
class allreduce 65536 0.000754722 light recursive-doubling 1 0.000416048
class allreduce 262144 0.003263322 light recursive-halving 1 0.000950964
class allreduce 1048576 0.01318207 light recursive-halving 1 0.00188989
class allreduce 4194304 0.054417221 light recursive-halving 2 0.006552422
class reduce 16384 0.00020173 light chain 1 0.000335709
class reduce 65536 0.00069249 light binomial 1 0.000300166
class reduce 262144 0.003138917 light binomial 1 0.000444792
class reduce 1048576 0.012842474 light chain 4 0.001493841
class reduce 4194304 0.053900958 light chain 8 0.004341696
class reduce_scatter 16384 8.5457e-05 light ring 1 0.000433214
class reduce_scatter 65536 0.000339604 light recursive-halving 1 0.000419583
class reduce_scatter 262144 0.00211189 light recursive-halving 2 0.00073996
class reduce_scatter 1048576 0.011068357 light ring 2 0.001052114
class reduce_scatter 4194304 0.04837711 light ring 4 0.004490797
class allgather 16384 8.6348e-05 dense bruck 1 0.000323291
class allgather 65536 0.000244063 light recursive-doubling 1 0.000220558
class allgather 262144 0.001545318 light bruck 1 0.000380606
class allgather 1048576 0.00639605 light bruck 1 0.000605811
class allgather 4194304 0.026870868 light direct 4 0.002409562
class bcast 16384 0.000158836 light chain 1 0.000252025
class bcast 65536 0.001124032 light binomial 1 0.000252436
class bcast 262144 0.005809893 light binomial 8 0.000438892
class bcast 1048576 0.018776648 light chain 8 0.000792528
class bcast 4194304 0.069489245 light chain 16 0.002105531
class scatter 16384 5.9559e-05 light direct 1 0.000218755
class scatter 65536 0.000197183 light direct 1 0.000215851
class scatter 262144 0.001691986 light binomial 1 0.000294287
class scatter 1048576 0.007931543 light binomial 4 0.000438852
class scatter 4194304 0.02719166 light direct 4 0.001259994
class gather 16384 3.1807e-05 light direct 1 0.000109583
class gather 65536 0.000192296 light binomial 1 0.000116753
class gather 262144 0.001339622 light direct 1 0.000162361
class gather 1048576 0.006192999 light direct 1 0.000313205
class gather 4194304 0.025333328 light direct 8 0.001261916
class alltoall 16384 8.4396e-05 light bruck 1 0.000257523
class alltoall 65536 0.000283632 light bruck 1 0.000279937
class alltoall 262144 0.001489575 light bruck 1 0.000453855
class alltoall 1048576 0.006527916 light bruck 1 0.0008544
class alltoall 4194304 0.025995542 light pairwise 2 0.002778742
class scan 16384 0.000153058 light recursive-doubling 1 0.000318393
class scan 65536 0.001065063 light chain 1 0.000384892
class scan 262144 0.004610916 light chain 1 0.000520925
class scan 1048576 0.018003689 light chain 4 0.001244821
class scan 4194304 0.072267832 light chain 8 0.004004414
class exscan 16384 0.000132588 light chain 1 0.000244744
class exscan 65536 0.001022019 light recursive-doubling 2 0.000415197
class exscan 262144 0.004375697 light chain 4 0.00037049
class exscan 1048576 0.017753147 light chain 4 0.00150001
class exscan 4194304 0.071551426 light chain 16 0.004880056
class neighbor_allgather 16384 0.000120779 light direct 1 0.000330411
class neighbor_allgather 65536 0.000258014 light direct 1 0.000434797
class neighbor_allgather 262144 0.00141276 light direct 2 0.000447355
class neighbor_allgather 1048576 0.005933582 light direct 1 0.000699801
class neighbor_allgather 4194304 0.025945632 light direct 2 0.001818314
class neighbor_alltoall 16384 0.000128341 dense direct 1 0.00048432
class neighbor_alltoall 65536 0.000288039 light direct 1 0.000521195
class neighbor_alltoall 262144 0.001430597 light direct 1 0.000427636
class neighbor_alltoall 1048576 0.005970147 light direct 1 0.000947258
class neighbor_alltoall 4194304 0.025772189 light direct 2 0.003517369
end
