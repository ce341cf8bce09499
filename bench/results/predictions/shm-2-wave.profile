laconic profile 1
# MPICH Version:      5.0.2, 2 ranks, field wave, codec quant, bound rel:1e-3
ranks 2
within_node 1
# seconds per byte: encode decode fold add read; bytes of frames per byte
coding 4.3334891230983885e-11 6.195088886329359e-11 5.523670409957049e-11 4.321298874288004e-11 3.4262472026203025e-11 0.0509185791015625
# collective, bytes, seconds of plain MPI, fastest algorithm with compression, its seconds
class allreduce 16384 1.2264e-05 recursive-halving 1.241e-05
class allreduce 65536 3.6072e-05 ring 2.6014e-05
class allreduce 262144 0.000169903 recursive-doubling 9.4295e-05
class allreduce 1048576 0.00068048 direct 0.000278896
class allreduce 4194304 0.002541871 recursive-halving 0.001087219
class reduce 16384 1.2588e-05 recursive-halving 1.0806e-05
class reduce 65536 2.5854e-05 direct 2.4261e-05
class reduce 262144 0.000133426 chain 7.8671e-05
class reduce 1048576 0.000508815 chain 0.000255873
class reduce 4194304 0.00206243 recursive-halving 0.001040579
class reduce_scatter 16384 7.81e-06 recursive-halving 1.076e-05
class reduce_scatter 65536 1.6841e-05 ring 2.4816e-05
class reduce_scatter 262144 5.4579e-05 direct 7.8735e-05
class reduce_scatter 1048576 0.000176922 ring 0.000225151
class reduce_scatter 4194304 0.000873588 direct 0.000905349
class allgather 16384 5.44e-06 recursive-doubling 8.223e-06
class allgather 65536 7.988e-06 recursive-doubling 1.7214e-05
class allgather 262144 2.1099e-05 ring 6.148e-05
class allgather 1048576 7.7177e-05 direct 0.000169454
class allgather 4194304 0.000387086 direct 0.000671078
class bcast 16384 8.993e-06 binomial 1.0209e-05
class bcast 65536 1.0344e-05 chain 2.1457e-05
class bcast 262144 3.0689e-05 chain 6.6499e-05
class bcast 1048576 0.000119911 chain 0.000207155
class bcast 4194304 0.000493559 ring 0.000879373
class scatter 16384 3.493e-06 direct 8.086e-06
class scatter 65536 5.567e-06 binomial 1.8094e-05
class scatter 262144 1.2322e-05 binomial 6.2246e-05
class scatter 1048576 4.458e-05 binomial 0.000186332
class scatter 4194304 0.000364529 direct 0.000685101
class gather 16384 3.564e-06 binomial 1.0238e-05
class gather 65536 5.974e-06 direct 1.8513e-05
class gather 262144 1.2339e-05 binomial 5.8966e-05
class gather 1048576 5.565e-05 binomial 0.000163754
class gather 4194304 0.00038674 direct 0.000667388
class alltoall 16384 7.715e-06 pairwise 1.0228e-05
class alltoall 65536 1.3023e-05 pairwise 2.2492e-05
class alltoall 262144 1.4376e-05 pairwise 8.2473e-05
class alltoall 1048576 6.2686e-05 pairwise 0.000254904
class alltoall 4194304 0.00036312 pairwise 0.000926002
class scan 16384 1.147e-05 chain 1.2272e-05
class scan 65536 2.9498e-05 chain 2.5705e-05
class scan 262144 0.000104042 chain 8.0672e-05
class scan 1048576 0.000490382 chain 0.000267759
class scan 4194304 0.004599218 recursive-doubling 0.001087203
class exscan 16384 1.0807e-05 recursive-doubling 1.0738e-05
class exscan 65536 2.2408e-05 recursive-doubling 2.0417e-05
class exscan 262144 7.7848e-05 chain 5.6042e-05
class exscan 1048576 0.000418983 chain 0.000206285
class exscan 4194304 0.004071041 chain 0.000737625
class neighbor_allgather 16384 1.06e-05 direct 1.4775e-05
class neighbor_allgather 65536 2.5341e-05 direct 2.0736e-05
class neighbor_allgather 262144 4.2749e-05 direct 5.4528e-05
class neighbor_allgather 1048576 0.000118836 direct 0.000204924
class neighbor_allgather 4194304 0.000518387 direct 0.000665895
class neighbor_alltoall 16384 7.825e-06 direct 1.6983e-05
class neighbor_alltoall 65536 2.0932e-05 direct 3.2356e-05
class neighbor_alltoall 262144 4.0382e-05 direct 8.3979e-05
class neighbor_alltoall 1048576 0.000141825 direct 0.000314627
class neighbor_alltoall 4194304 0.000629848 direct 0.001032469
end
