laconic profile 3
# MPICH Version:      5.0.2, 4 ranks, field wave, codec quant and dense, bound rel:1e-3
ranks 4
within_node 0
# effort, seconds per byte: encode decode fold add read; bytes of frames per byte
coding light 2.1362467350627412e-11 2.6855406787262837e-11 2.8747226821224103e-11 2.44750886224665e-11 1.90952503809072e-11 0.0684051513671875
coding dense 3.7302400057726004e-10 1.2599943310931394e-10 5.470809916197084e-10 6.694183540822962e-10 1.8318191408184245e-11 0.09429168701171875
# collective, bytes, seconds of plain MPI, fastest effort and algorithm with compression, rows and seconds
class allreduce 16384 0.000121793 light recursive-doubling 1 0.00020665
class allreduce 65536 0.000688068 light recursive-doubling 1 0.000256845
class allreduce 262144 0.003103287 light recursive-halving 1 0.000511918
class allreduce 1048576 0.012854351 light recursive-halving 2 0.00143264
class allreduce 4194304 0.05155082 light direct 4 0.004453509
class reduce 16384 0.000109214 light binomial 1 0.00016006
class reduce 65536 0.000520581 light binomial 2 0.000174192
class reduce 262144 0.002944814 light binomial 4 0.000261983
class reduce 1048576 0.012672653 light chain 4 0.001036991
class reduce 4194304 0.051572477 light chain 8 0.003465451
class reduce_scatter 16384 8.0621e-05 light recursive-halving 1 0.000367502
class reduce_scatter 65536 0.000354221 light recursive-halving 1 0.000400141
class reduce_scatter 262144 0.001948024 light recursive-halving 1 0.000449354
class reduce_scatter 1048576 0.011312247 light ring 1 0.000980982
class reduce_scatter 4194304 0.048436592 light recursive-halving 2 0.002699481
class allgather 16384 8.0621e-05 dense bruck 1 0.00018652
class allgather 65536 0.000228062 dense bruck 1 0.000199079
class allgather 262144 0.00148648 light recursive-doubling 1 0.000282674
class allgather 1048576 0.006322898 light recursive-doubling 1 0.000437927
class allgather 4194304 0.025676394 light bruck 4 0.001415104
class bcast 16384 0.000111017 light chain 1 0.000227812
class bcast 65536 0.001094302 light chain 1 0.00021955
class bcast 262144 0.00576356 light chain 2 0.000286179
class bcast 1048576 0.018668866 light chain 4 0.000581082
class bcast 4194304 0.069428325 light chain 16 0.001790797
class scatter 16384 2.7011e-05 light binomial 1 0.000117676
class scatter 65536 0.000180711 light direct 1 0.000136795
class scatter 262144 0.001548508 light binomial 2 0.000248443
class scatter 1048576 0.007888609 light binomial 1 0.000252098
class scatter 4194304 0.027140216 light direct 2 0.001146061
class gather 16384 6.5608e-05 light direct 1 0.00014004
class gather 65536 0.00018022 light binomial 1 0.000185378
class gather 262144 0.001350627 light direct 1 0.00015321
class gather 1048576 0.00614751 light direct 1 0.000163666
class gather 4194304 0.025223454 light binomial 8 0.001008433
class alltoall 16384 6.4117e-05 light bruck 1 0.000198869
class alltoall 65536 0.000275293 light bruck 1 0.000187742
class alltoall 262144 0.001461594 light bruck 2 0.00034029
class alltoall 1048576 0.006320936 light pairwise 1 0.000560061
class alltoall 4194304 0.02677261 light pairwise 2 0.001916075
class scan 16384 0.000120992 light chain 1 0.000185778
class scan 65536 0.00093229 light chain 1 0.000207632
class scan 262144 0.004198031 light chain 2 0.000265758
class scan 1048576 0.017375796 light chain 4 0.000963111
class scan 4194304 0.07052376 light chain 16 0.003473612
class exscan 16384 0.000100771 light chain 1 0.000105578
class exscan 65536 0.000937267 light chain 1 0.000205829
class exscan 262144 0.004200434 light chain 4 0.000283085
class exscan 1048576 0.017331931 light chain 8 0.00126557
class exscan 4194304 0.070375417 light chain 32 0.004753133
class neighbor_allgather 16384 9.7827e-05 light direct 1 0.000260531
class neighbor_allgather 65536 0.000231678 dense direct 1 0.000371999
class neighbor_allgather 262144 0.001310883 light direct 1 0.000369375
class neighbor_allgather 1048576 0.005897941 light direct 1 0.000565409
class neighbor_allgather 4194304 0.025551482 light direct 4 0.001520332
class neighbor_alltoall 16384 9.7056e-05 light direct 1 0.000288753
class neighbor_alltoall 65536 0.000233721 light direct 1 0.000284717
class neighbor_alltoall 262144 0.001295388 light direct 1 0.000412308
class neighbor_alltoall 1048576 0.006106564 light direct 1 0.000786781
class neighbor_alltoall 4194304 0.025587091 light direct 2 0.002035615
end
