laconic profile 3
# MPICH Version:      5.0.2, 2 ranks, field wave, codec quant and dense, bound rel:1e-3
ranks 2
within_node 0
# effort, seconds per byte: encode decode fold add read; bytes of frames per byte
coding light 5.010986070530521e-11 4.3457071274843884e-11 6.231687388336127e-11 4.583738943964022e-11 2.8988646899597014e-11 0.0509185791015625
coding dense 5.515060422234264e-10 2.0759582247675823e-10 7.267150908818465e-10 8.945770305079925e-10 2.3989867037332855e-11 0.04059600830078125
# collective, bytes, seconds of plain MPI, fastest effort and algorithm with compression, rows and seconds
class allreduce 16384 3.364e-05 light recursive-doubling 1 4.4657e-05
class allreduce 65536 5.1367e-05 light recursive-doubling 1 7.0645e-05
class allreduce 262144 0.000220959 light recursive-halving 1 0.000155922
class allreduce 1048576 0.000894811 light direct 1 0.000329169
class allreduce 4194304 0.004762051 light direct 8 0.001474693
class reduce 16384 6.9223e-05 light chain 1 0.000101501
class reduce 65536 6.4766e-05 light ring 1 8.1862e-05
class reduce 262144 0.000231845 light recursive-halving 2 0.000169492
class reduce 1048576 0.000931956 light direct 2 0.000346515
class reduce 4194304 0.004524247 light direct 4 0.001485419
class reduce_scatter 16384 2.0411e-05 light direct 1 6.096e-05
class reduce_scatter 65536 4.7701e-05 light recursive-halving 1 0.000155371
class reduce_scatter 262144 0.000151134 light recursive-halving 1 0.000119347
class reduce_scatter 1048576 0.000546041 light ring 1 0.000331643
class reduce_scatter 4194304 0.002763649 light ring 8 0.001326182
class allgather 16384 1.8467e-05 dense recursive-doubling 1 6.8612e-05
class allgather 65536 2.3735e-05 light ring 1 6.2833e-05
class allgather 262144 9.3669e-05 light direct 1 8.0139e-05
class allgather 1048576 0.000389439 light recursive-doubling 1 0.000218815
class allgather 4194304 0.002067424 light recursive-doubling 4 0.000772138
class bcast 16384 1.1818e-05 light binomial 1 9.0355e-05
class bcast 65536 4.8392e-05 light chain 1 6.9013e-05
class bcast 262144 0.000154389 light ring 1 0.00013429
class bcast 1048576 0.000715694 light ring 2 0.000243903
class bcast 4194304 0.003213458 light binomial 8 0.0007466
class scatter 16384 1.2769e-05 light direct 1 3.4501e-05
class scatter 65536 1.9168e-05 light binomial 1 4.9703e-05
class scatter 262144 6.038e-05 light binomial 2 9.7305e-05
class scatter 1048576 0.000285925 light binomial 1 0.000209972
class scatter 4194304 0.001777563 light direct 8 0.000951144
class gather 16384 8.733e-06 light binomial 1 0.000108792
class gather 65536 1.9388e-05 light binomial 1 5.7455e-05
class gather 262144 8.9182e-05 light direct 4 0.000116012
class gather 1048576 0.000331143 light direct 4 0.000222841
class gather 4194304 0.001590535 light binomial 8 0.000621053
class alltoall 16384 3.0015e-05 light pairwise 1 3.8427e-05
class alltoall 65536 4.3585e-05 light pairwise 1 5.4401e-05
class alltoall 262144 9.0624e-05 light pairwise 1 0.00010118
class alltoall 1048576 0.000373355 light pairwise 1 0.000288008
class alltoall 4194304 0.002230146 light pairwise 8 0.001375686
class scan 16384 2.3595e-05 light chain 1 6.7621e-05
class scan 65536 8.07e-05 light chain 1 7.0294e-05
class scan 262144 0.000276541 light chain 4 0.000153448
class scan 1048576 0.001281936 light chain 4 0.000345624
class scan 4194304 0.007124493 light chain 16 0.001527191
class exscan 16384 5.7516e-05 light recursive-doubling 1 8.7881e-05
class exscan 65536 5.4371e-05 light recursive-doubling 2 6.8201e-05
class exscan 262144 0.000199096 light chain 2 9.6584e-05
class exscan 1048576 0.001191942 light chain 4 0.000287998
class exscan 4194304 0.006372355 light chain 16 0.000920769
class neighbor_allgather 16384 4.1432e-05 light direct 1 7.7315e-05
class neighbor_allgather 65536 6.3665e-05 light direct 1 9.42e-05
class neighbor_allgather 262144 0.000120238 light direct 1 0.00010761
class neighbor_allgather 1048576 0.000472302 light direct 2 0.000262531
class neighbor_allgather 4194304 0.002004109 light direct 2 0.000745979
class neighbor_alltoall 16384 4.4927e-05 light direct 1 8.4516e-05
class neighbor_alltoall 65536 6.2933e-05 light direct 1 9.0205e-05
class neighbor_alltoall 262144 0.000131816 light direct 1 0.000177013
class neighbor_alltoall 1048576 0.000481355 light direct 1 0.000332765
class neighbor_alltoall 4194304 0.002367971 light direct 2 0.001384138
end
