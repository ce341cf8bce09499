laconic profile 1
# MPICH Version:      5.0.2, 2 ranks, field noise, codec quant, bound rel:1e-3
ranks 2
within_node 0
# seconds per byte: encode decode fold add read; bytes of frames per byte
coding 5.731193297719983e-11 3.894040645491259e-11 8.47779624280065e-11 7.189937534235469e-11 3.2897931601105765e-11 0.354949951171875
# collective, bytes, seconds of plain MPI, fastest algorithm with compression, its seconds
class allreduce 16384 9.3615e-05 recursive-doubling 0.000106325
class allreduce 65536 0.000119051 direct 0.000124526
class allreduce 262144 0.000157809 ring 0.000310942
class allreduce 1048576 0.000806615 direct 0.000675816
class allreduce 4194304 0.003993015 direct 0.001980315
class reduce 16384 8.9771e-05 chain 9.2711e-05
class reduce 65536 0.000114665 chain 0.000107026
class reduce 262144 0.000169231 chain 0.000203315
class reduce 1048576 0.000805315 binomial 0.00054936
class reduce 4194304 0.006459076 chain 0.001804778
class reduce_scatter 16384 7.9727e-05 direct 0.000105599
class reduce_scatter 65536 9.5671e-05 recursive-halving 0.00013021
class reduce_scatter 262144 9.4211e-05 recursive-halving 0.000214433
class reduce_scatter 1048576 0.000538412 ring 0.000492455
class reduce_scatter 4194304 0.00279438 direct 0.001641982
class allgather 16384 9.63e-06 direct 2.1974e-05
class allgather 65536 1.5082e-05 ring 4.1596e-05
class allgather 262144 8.6815e-05 ring 0.000167763
class allgather 1048576 0.00034076 direct 0.000295394
class allgather 4194304 0.001836694 direct 0.00096511
class bcast 16384 5.579e-06 binomial 9.7028e-05
class bcast 65536 1.443e-05 binomial 9.2917e-05
class bcast 262144 9.8864e-05 binomial 0.000152233
class bcast 1048576 0.000740178 chain 0.00038604
class bcast 4194304 0.003259776 binomial 0.001440732
class scatter 16384 5.392e-06 direct 9.896e-05
class scatter 65536 8.34e-06 direct 0.000104537
class scatter 262144 3.6104e-05 binomial 0.000119255
class scatter 1048576 0.000283305 direct 0.00030961
class scatter 4194304 0.001654107 direct 0.001103143
class gather 16384 4.699e-06 direct 9.7244e-05
class gather 65536 6.133e-06 direct 0.000105755
class gather 262144 8.2765e-05 direct 0.000140458
class gather 1048576 0.000311293 direct 0.000262419
class gather 4194304 0.001556192 binomial 0.000987626
class alltoall 16384 7.3866e-05 pairwise 7.2364e-05
class alltoall 65536 8.9016e-05 bruck 0.000124013
class alltoall 262144 5.1529e-05 pairwise 0.00018606
class alltoall 1048576 0.000384273 bruck 0.000416512
class alltoall 4194304 0.001810174 bruck 0.001333672
class scan 16384 7.5666e-05 chain 8.5292e-05
class scan 65536 0.000100737 chain 0.000118414
class scan 262144 0.000167053 recursive-doubling 0.000227547
class scan 1048576 0.001108919 recursive-doubling 0.000525985
class scan 4194304 0.008182757 recursive-doubling 0.001797932
class exscan 16384 7.5234e-05 chain 8.089e-05
class exscan 65536 9.8761e-05 chain 0.000102228
class exscan 262144 0.000143289 recursive-doubling 0.000135336
class exscan 1048576 0.001001502 recursive-doubling 0.000333161
class exscan 4194304 0.007862337 chain 0.001546557
class neighbor_allgather 16384 5.5824e-05 direct 0.000203759
class neighbor_allgather 65536 3.7725e-05 direct 5.6664e-05
class neighbor_allgather 262144 6.4682e-05 direct 0.000246781
class neighbor_allgather 1048576 0.00028534 direct 0.005205209
class neighbor_allgather 4194304 0.001338192 direct 0.00112429
class neighbor_alltoall 16384 5.1216e-05 direct 0.000173676
class neighbor_alltoall 65536 4.6639e-05 direct 0.000200559
class neighbor_alltoall 262144 6.5675e-05 direct 0.000260667
class neighbor_alltoall 1048576 0.000300605 direct 0.000800464
class neighbor_alltoall 4194304 0.001339936 direct 0.001373673
end
