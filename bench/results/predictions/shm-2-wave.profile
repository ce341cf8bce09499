laconic profile 3
# MPICH Version:      5.0.2, 2 ranks, field wave, codec quant and dense, bound rel:1e-3
ranks 2
within_node 1
# effort, seconds per byte: encode decode fold add read; bytes of frames per byte
coding light 2.0751844687083576e-11 2.752642558334628e-11 3.057865072264576e-11 2.624522821292885e-11 1.9733431555479795e-11 0.0509185791015625
coding dense 3.829651040732074e-10 1.2622836109699165e-10 5.510559231147738e-10 6.530685436878514e-10 1.8798823608889847e-11 0.04059600830078125
# collective, bytes, seconds of plain MPI, fastest effort and algorithm with compression, rows and seconds
class allreduce 16384 1.33e-05 light recursive-doubling 1 7.881e-06
class allreduce 65536 2.3275e-05 light recursive-doubling 1 1.4382e-05
class allreduce 262144 8.5578e-05 light direct 2 4.5958e-05
class allreduce 1048576 0.000394111 light ring 8 0.000151327
class allreduce 4194304 0.001441654 light direct 32 0.000647942
class reduce 16384 1.2329e-05 light chain 1 7.452e-06
class reduce 65536 2.1883e-05 light direct 1 1.3039e-05
class reduce 262144 6.3546e-05 light recursive-halving 2 4.023e-05
class reduce 1048576 0.000254582 light chain 8 0.00013342
class reduce 4194304 0.001116565 light binomial 32 0.000538058
class reduce_scatter 16384 7e-06 light ring 1 9.464e-06
class reduce_scatter 65536 1.5484e-05 light ring 1 1.5513e-05
class reduce_scatter 262144 4.7691e-05 light direct 1 3.6665e-05
class reduce_scatter 1048576 0.000156154 light recursive-halving 4 0.000127181
class reduce_scatter 4194304 0.000787501 light recursive-halving 16 0.000496876
class allgather 16384 6.69e-06 light bruck 1 6.27e-06
class allgather 65536 9.624e-06 light direct 1 9.464e-06
class allgather 262144 2.4597e-05 light recursive-doubling 1 2.3355e-05
class allgather 1048576 8.2553e-05 light recursive-doubling 4 8.4888e-05
class allgather 4194304 0.000429945 light recursive-doubling 16 0.0003532
class bcast 16384 9.034e-06 light binomial 1 5.849e-06
class bcast 65536 1.0786e-05 light chain 1 1.0876e-05
class bcast 262144 3.1547e-05 light binomial 2 3.1778e-05
class bcast 1048576 0.000124697 light ring 4 0.000117877
class bcast 4194304 0.00050013 light binomial 32 0.000468694
class scatter 16384 4.967e-06 light binomial 1 5.548e-06
class scatter 65536 6.61e-06 light binomial 1 1.0015e-05
class scatter 262144 1.9109e-05 light binomial 1 2.7531e-05
class scatter 1048576 7.3721e-05 light binomial 4 0.000101463
class scatter 4194304 0.000334412 light direct 16 0.000392439
class gather 16384 4.547e-06 light binomial 1 6.23e-06
class gather 65536 7.221e-06 light binomial 1 9.995e-06
class gather 262144 2.7512e-05 light binomial 1 2.5258e-05
class gather 1048576 8.1712e-05 light binomial 4 8.021e-05
class gather 4194304 0.000429214 light direct 16 0.000307452
class alltoall 16384 9.544e-06 light bruck 1 7.061e-06
class alltoall 65536 1.4782e-05 light pairwise 1 1.2288e-05
class alltoall 262144 2.2824e-05 light pairwise 1 3.4312e-05
class alltoall 1048576 8.5027e-05 light pairwise 4 0.000122624
class alltoall 4194304 0.000471858 light pairwise 16 0.000513871
class scan 16384 1.4812e-05 light chain 1 7.792e-06
class scan 65536 4.5017e-05 light recursive-doubling 1 1.332e-05
class scan 262144 0.000161503 light chain 2 3.8678e-05
class scan 1048576 0.000674623 light chain 8 0.000138718
class scan 4194304 0.002535205 light chain 32 0.000539249
class exscan 16384 1.5123e-05 light chain 1 6.039e-06
class exscan 65536 4.3525e-05 light chain 1 1.1347e-05
class exscan 262144 0.000155383 light chain 2 3.0485e-05
class exscan 1048576 0.000620461 light chain 8 0.000103425
class exscan 4194304 0.002314794 light recursive-doubling 32 0.00039989
class neighbor_allgather 16384 9.074e-06 light direct 1 1.0676e-05
class neighbor_allgather 65536 2.5458e-05 light direct 1 1.347e-05
class neighbor_allgather 262144 5.0636e-05 light direct 1 2.5258e-05
class neighbor_allgather 1048576 0.000176275 light direct 1 7.7627e-05
class neighbor_allgather 4194304 0.000551197 light direct 4 0.000270295
class neighbor_alltoall 16384 9.144e-06 light direct 1 1.2719e-05
class neighbor_alltoall 65536 2.5809e-05 light direct 1 1.7707e-05
class neighbor_alltoall 262144 4.8082e-05 light direct 1 4.0291e-05
class neighbor_alltoall 1048576 0.000168102 light direct 1 0.000127402
class neighbor_alltoall 4194304 0.000633802 light direct 4 0.000505038
end
