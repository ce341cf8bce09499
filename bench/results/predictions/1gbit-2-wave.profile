laconic profile 3
# MPICH Version:      5.0.2, 2 ranks, field wave, codec quant and dense, bound rel:1e-3
ranks 2
within_node 0
# effort, seconds per byte: encode decode fold add read; bytes of frames per byte
coding light 4.3457071274843884e-11 4.339595349733827e-11 5.987549345221055e-11 4.461669922406486e-11 2.7090069076862732e-11 0.0509185791015625
coding dense 5.573196418251491e-10 2.3395538284454176e-10 7.630767823174622e-10 9.202499387517271e-10 2.695655851314704e-11 0.04059600830078125
# collective, bytes, seconds of plain MPI, fastest effort and algorithm with compression, rows and seconds
class allreduce 16384 3.2138e-05 light recursive-doubling 1 4.2854e-05
class allreduce 65536 0.000370235 light recursive-doubling 1 8.1982e-05
class allreduce 262144 0.001989718 light direct 1 0.000153408
class allreduce 1048576 0.00851433 light direct 4 0.000488416
class allreduce 4194304 0.034699703 light recursive-doubling 32 0.00198341
class reduce 16384 8.5698e-05 light chain 1 8.3705e-05
class reduce 65536 0.000342029 light direct 1 9.8557e-05
class reduce 262144 0.002014976 light recursive-halving 1 0.000158385
class reduce 1048576 0.008416144 light chain 8 0.000338393
class reduce 4194304 0.034572454 light chain 64 0.001944401
class reduce_scatter 16384 2.5268e-05 light recursive-halving 1 4.9984e-05
class reduce_scatter 65536 0.000231749 light recursive-halving 1 9.2338e-05
class reduce_scatter 262144 0.001283999 light recursive-halving 1 0.000158025
class reduce_scatter 1048576 0.005561609 light direct 2 0.000322219
class reduce_scatter 4194304 0.022928206 light direct 16 0.001375886
class allgather 16384 1.2969e-05 light bruck 1 2.8823e-05
class allgather 65536 6.2442e-05 light bruck 1 4.8812e-05
class allgather 262144 0.000877119 light recursive-doubling 2 7.1977e-05
class allgather 1048576 0.004146826 light recursive-doubling 2 0.000272505
class allgather 4194304 0.016956922 light recursive-doubling 16 0.000675234
class bcast 16384 1.0146e-05 dense chain 1 8.2012e-05
class bcast 65536 0.000334407 light binomial 2 6.1762e-05
class bcast 262144 0.001944371 light chain 2 0.000106869
class bcast 1048576 0.008294913 light ring 4 0.000278163
class bcast 4194304 0.033851822 light ring 16 0.001621121
class scatter 16384 1.4962e-05 light binomial 1 9.6413e-05
class scatter 65536 7.4291e-05 light direct 1 6.9343e-05
class scatter 262144 0.000888997 light direct 4 0.000130424
class scatter 1048576 0.004078459 light binomial 2 0.000290682
class scatter 4194304 0.016802913 light binomial 4 0.000895842
class gather 16384 1.1216e-05 light direct 1 6.5848e-05
class gather 65536 5.8617e-05 light binomial 2 6.2463e-05
class gather 262144 0.000886829 light direct 2 0.000123003
class gather 1048576 0.00407584 light binomial 4 0.000233247
class gather 4194304 0.016839478 light binomial 16 0.000890515
class alltoall 16384 2.662e-05 light pairwise 1 5.7536e-05
class alltoall 65536 9.6273e-05 light pairwise 1 6.6039e-05
class alltoall 262144 0.000923999 light pairwise 1 0.00012163
class alltoall 1048576 0.004170431 light pairwise 2 0.000362279
class alltoall 4194304 0.017203954 light pairwise 8 0.001464998
class scan 16384 9.7886e-05 dense chain 1 0.000109253
class scan 65536 0.00037995 light chain 1 0.000115722
class scan 262144 0.002083983 light chain 4 0.000148291
class scan 1048576 0.008915371 light chain 8 0.000400806
class scan 4194304 0.036396787 light recursive-doubling 32 0.001946694
class exscan 16384 3.5673e-05 light chain 1 0.000123384
class exscan 65536 0.000407185 light chain 1 0.000102212
class exscan 262144 0.002070488 light recursive-doubling 4 0.000167529
class exscan 1048576 0.008844721 light recursive-doubling 16 0.000366104
class exscan 4194304 0.036131348 light chain 32 0.002068375
class neighbor_allgather 16384 3.8347e-05 light direct 1 7.6864e-05
class neighbor_allgather 65536 6.8942e-05 light direct 1 8.1571e-05
class neighbor_allgather 262144 0.000565025 light direct 1 0.000159497
class neighbor_allgather 1048576 0.002690691 light direct 2 0.000283952
class neighbor_allgather 4194304 0.011392188 light direct 2 0.000981469
class neighbor_alltoall 16384 5.2868e-05 light direct 1 8.2553e-05
class neighbor_alltoall 65536 9.0455e-05 light direct 1 0.000115442
class neighbor_alltoall 262144 0.000610568 light direct 1 0.000299946
class neighbor_alltoall 1048576 0.002801656 light direct 2 0.000507584
class neighbor_alltoall 4194304 0.011337392 light direct 4 0.001437577
end
