laconic profile 2
# MPICH Version:      5.0.2, 2 ranks, field wave, codec quant, bound rel:1e-3
ranks 2
within_node 0
# seconds per byte: encode decode fold add read; bytes of frames per byte
coding 3.948974480749712e-11 5.4076743083442125e-11 5.590816698486378e-11 4.284661514475374e-11 3.126102710027112e-11 0.0509185791015625
# collective, bytes, seconds of plain MPI, fastest algorithm with compression, its rows and seconds
class allreduce 16384 9.0821e-05 recursive-doubling 1 0.000112554
class allreduce 65536 0.00033229 recursive-doubling 2 4.8692e-05
class allreduce 262144 0.001983682 direct 2 0.000150614
class allreduce 1048576 0.008480009 recursive-halving 8 0.000500189
class allreduce 4194304 0.034495466 recursive-doubling 64 0.002006402
class reduce 16384 9.2645e-05 chain 1 0.00010487
class reduce 65536 0.000313349 binomial 1 0.000114575
class reduce 262144 0.001928338 chain 4 0.000125144
class reduce 1048576 0.008393 binomial 4 0.000413683
class reduce 4194304 0.034325819 chain 16 0.002273127
class reduce_scatter 16384 1.386e-05 ring 1 3.0526e-05
class reduce_scatter 65536 0.00017833 ring 2 0.0001172
class reduce_scatter 262144 0.001282876 recursive-halving 1 0.00015563
class reduce_scatter 1048576 0.005670229 ring 1 0.000274277
class reduce_scatter 4194304 0.023513824 recursive-halving 16 0.001660574
class allgather 16384 7.7593e-05 recursive-doubling 1 0.000103247
class allgather 65536 0.00011954 direct 2 0.000116621
class allgather 262144 0.00091408 bruck 2 0.000121799
class allgather 1048576 0.004093792 ring 1 0.000214897
class allgather 4194304 0.017015547 direct 8 0.000892067
class bcast 16384 8.075e-06 binomial 1 9.8722e-05
class bcast 65536 0.000323161 ring 1 0.000107222
class bcast 262144 0.001903628 binomial 4 8.9399e-05
class bcast 1048576 0.008292945 ring 4 0.000344384
class bcast 4194304 0.0337062 binomial 8 0.001533226
class scatter 16384 5.428e-06 direct 1 0.00010174
class scatter 65536 6.6543e-05 binomial 1 0.000100165
class scatter 262144 0.000860623 direct 1 9.121e-05
class scatter 1048576 0.004034692 direct 2 0.000226352
class scatter 4194304 0.016736032 direct 8 0.000947698
class gather 16384 4.676e-06 binomial 1 0.000105882
class gather 65536 6.3287e-05 binomial 1 0.000107152
class gather 262144 0.00085334 binomial 4 8.1494e-05
class gather 1048576 0.004054079 binomial 2 0.000195188
class gather 4194304 0.016754337 binomial 16 0.000857359
class alltoall 16384 7.5122e-05 bruck 1 0.000108742
class alltoall 65536 0.00010661 pairwise 1 3.9813e-05
class alltoall 262144 0.000920122 pairwise 1 0.000119404
class alltoall 1048576 0.004133225 bruck 1 0.000288737
class alltoall 4194304 0.016990668 bruck 8 0.001363344
class scan 16384 7.7741e-05 chain 1 8.4491e-05
class scan 65536 0.000414315 recursive-doubling 2 0.000121457
class scan 262144 0.002067642 chain 2 0.000169602
class scan 1048576 0.008764133 chain 4 0.000417654
class scan 4194304 0.035878724 chain 64 0.001961525
class exscan 16384 7.83e-05 recursive-doubling 1 9.8746e-05
class exscan 65536 0.000408415 recursive-doubling 1 7.3097e-05
class exscan 262144 0.002049801 recursive-doubling 1 0.000147484
class exscan 1048576 0.008591468 recursive-doubling 8 0.000403436
class exscan 4194304 0.036022131 chain 16 0.002169528
class neighbor_allgather 16384 1.9277e-05 direct 1 4.0079e-05
class neighbor_allgather 65536 4.65e-05 direct 1 5.0955e-05
class neighbor_allgather 262144 0.000574489 direct 1 0.000263533
class neighbor_allgather 1048576 0.002707335 direct 1 0.000337711
class neighbor_allgather 4194304 0.011239463 direct 2 0.000835738
class neighbor_alltoall 16384 8.1247e-05 direct 1 0.000210432
class neighbor_alltoall 65536 3.6748e-05 direct 1 5.5462e-05
class neighbor_alltoall 262144 0.000586616 direct 1 0.0002474
class neighbor_alltoall 1048576 0.00269406 direct 2 0.000384674
class neighbor_alltoall 4194304 0.011257915 direct 2 0.0011791
end
