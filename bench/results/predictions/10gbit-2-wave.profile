laconic profile 3
# MPICH Version:      5.0.2, 2 ranks, field wave, codec quant and dense, bound rel:1e-3
ranks 2
within_node 0
# effort, seconds per byte: encode decode fold add read; bytes of frames per byte
coding light 1.9592327760165063e-11 2.6916247009012295e-11 2.929700926301848e-11 2.502442697505103e-11 1.9175316889885607e-11 0.0509185791015625
coding dense 3.736419507127664e-10 1.2286377470971388e-10 5.409698244918104e-10 6.482467340696019e-10 1.8294157855258675e-11 0.04059600830078125
# collective, bytes, seconds of plain MPI, fastest effort and algorithm with compression, rows and seconds
class allreduce 16384 2.2273e-05 light recursive-doubling 1 2.5399e-05
class allreduce 65536 2.9815e-05 light recursive-doubling 1 3.323e-05
class allreduce 262144 0.000112459 light recursive-halving 1 6.8573e-05
class allreduce 1048576 0.000731738 light recursive-halving 1 0.000169444
class allreduce 4194304 0.003416997 light direct 8 0.00070646
class reduce 16384 6.7601e-05 light binomial 1 7.5774e-05
class reduce 65536 7.6615e-05 light binomial 1 7.0076e-05
class reduce 262144 0.000117366 light chain 4 6.9425e-05
class reduce 1048576 0.000739719 light binomial 4 0.000190786
class reduce 4194304 0.003387914 light chain 16 0.000587141
class reduce_scatter 16384 1.1878e-05 light direct 1 3.6736e-05
class reduce_scatter 65536 2.1863e-05 light direct 1 4.2955e-05
class reduce_scatter 262144 6.0801e-05 light ring 2 6.8903e-05
class reduce_scatter 1048576 0.000433991 light recursive-halving 1 0.00014643
class reduce_scatter 4194304 0.002320873 light direct 8 0.000597507
class allgather 16384 1.0706e-05 light ring 1 2.3195e-05
class allgather 65536 1.351e-05 light ring 1 2.7632e-05
class allgather 262144 5.0956e-05 light direct 1 4.1422e-05
class allgather 1048576 0.00029323 light direct 1 0.000105689
class allgather 4194304 0.001587683 light bruck 4 0.000382935
class bcast 16384 7.731e-06 light chain 1 7.0596e-05
class bcast 65536 2.2574e-05 light binomial 1 4.3155e-05
class bcast 262144 7.2889e-05 light chain 1 7.8538e-05
class bcast 1048576 0.000691928 light binomial 2 0.000180581
class bcast 4194304 0.003227394 light binomial 16 0.000596435
class scatter 16384 8.012e-06 light direct 1 2.2734e-05
class scatter 65536 1.2028e-05 light direct 1 4.3516e-05
class scatter 262144 4.9725e-05 light binomial 1 5.0455e-05
class scatter 1048576 0.000272009 light direct 1 0.000146159
class scatter 4194304 0.001536716 light binomial 8 0.000477456
class gather 16384 7.532e-06 light direct 1 6.9925e-05
class gather 65536 8.553e-06 light direct 1 4.3165e-05
class gather 262144 3.9239e-05 light binomial 4 5.6475e-05
class gather 1048576 0.000274652 light binomial 2 0.000131468
class gather 4194304 0.001558979 light direct 8 0.000388513
class alltoall 16384 1.6986e-05 light pairwise 1 2.7751e-05
class alltoall 65536 2.1632e-05 light bruck 1 3.375e-05
class alltoall 262144 5.7647e-05 light bruck 1 6.0821e-05
class alltoall 1048576 0.000298999 light bruck 2 0.000177246
class alltoall 4194304 0.001610076 light pairwise 4 0.00053313
class scan 16384 7.5954e-05 light recursive-doubling 1 8.7872e-05
class scan 65536 8.635e-05 light recursive-doubling 1 6.2434e-05
class scan 262144 0.000163806 light recursive-doubling 4 0.000122394
class scan 1048576 0.000879219 light chain 2 0.00021366
class scan 4194304 0.004070388 light chain 8 0.000653311
class exscan 16384 7.5283e-05 light recursive-doubling 1 7.7927e-05
class exscan 65536 9.4572e-05 light recursive-doubling 1 8.3515e-05
class exscan 262144 0.000140571 light recursive-doubling 1 0.000101422
class exscan 1048576 0.000841633 light chain 4 0.000182604
class exscan 4194304 0.003846112 light chain 16 0.000543756
class neighbor_allgather 16384 2.9033e-05 light direct 1 4.2013e-05
class neighbor_allgather 65536 3.6695e-05 light direct 1 4.5749e-05
class neighbor_allgather 262144 5.8287e-05 light direct 1 5.9369e-05
class neighbor_allgather 1048576 0.000257607 light direct 2 0.000150937
class neighbor_allgather 4194304 0.001294483 light direct 2 0.000409325
class neighbor_alltoall 16384 2.5108e-05 light direct 1 3.7486e-05
class neighbor_alltoall 65536 3.1678e-05 light direct 1 4.3234e-05
class neighbor_alltoall 262144 5.4832e-05 light direct 1 6.7471e-05
class neighbor_alltoall 1048576 0.000216445 light direct 1 0.000163635
class neighbor_alltoall 4194304 0.00114585 light direct 2 0.000579059
end
