laconic profile 3
# MPICH Version:      5.0.2, 2 ranks, field noise, codec quant and dense, bound rel:1e-3
ranks 2
within_node 0
# effort, seconds per byte: encode decode fold add read; bytes of frames per byte
coding light 5.743411302105983e-11 4.156491817397523e-11 8.801270823255436e-11 8.923339844812972e-11 2.952270372613697e-11 0.354949951171875
coding dense 6.154632567478835e-10 3.1170654946066634e-10 9.450073293337802e-10 1.1869964594568572e-09 2.952537520028997e-11 0.3424224853515625
# collective, bytes, seconds of plain MPI, fastest effort and algorithm with compression, rows and seconds
class allreduce 16384 3.6254e-05 light direct 1 8.0019e-05
class allreduce 65536 0.000330777 light recursive-doubling 2 9.8516e-05
class allreduce 262144 0.002025762 dense recursive-halving 4 0.000675505
class allreduce 1048576 0.008527049 light recursive-doubling 16 0.003015058
class allreduce 4194304 0.03509437 light recursive-doubling 32 0.012461438
class reduce 16384 0.00011466 light binomial 1 0.000152868
class reduce 65536 0.000321653 light chain 4 0.000151455
class reduce 262144 0.00203126 light ring 8 0.00065289
class reduce 1048576 0.008510845 light binomial 16 0.00302357
class reduce 4194304 0.034801304 dense chain 64 0.012219103
class reduce_scatter 16384 2.4286e-05 light direct 1 7.1706e-05
class reduce_scatter 65536 0.000217033 light direct 1 9.5442e-05
class reduce_scatter 262144 0.001338129 light direct 8 0.000390942
class reduce_scatter 1048576 0.005623071 light recursive-halving 8 0.00199419
class reduce_scatter 4194304 0.023202189 light ring 32 0.008359589
class allgather 16384 1.8637e-05 light direct 1 5.0755e-05
class allgather 65536 7.4621e-05 light recursive-doubling 1 7.7385e-05
class allgather 262144 0.000913068 light direct 4 0.000229191
class allgather 1048576 0.004226514 light direct 8 0.001323989
class allgather 4194304 0.017151351 dense ring 16 0.005554298
class bcast 16384 1.5163e-05 light binomial 1 4.2753e-05
class bcast 65536 0.00034937 light binomial 2 7.5822e-05
class bcast 262144 0.001957931 light ring 8 0.000559352
class bcast 1048576 0.008345428 dense chain 16 0.0027173
class bcast 4194304 0.033747898 dense chain 64 0.011047897
class scatter 16384 2.1362e-05 light direct 1 0.000136202
class scatter 65536 9.5302e-05 light direct 2 0.000135922
class scatter 262144 0.000901776 light direct 8 0.000269561
class scatter 1048576 0.00408551 light binomial 8 0.001382411
class scatter 4194304 0.016751046 light direct 16 0.00578428
class gather 16384 1.6865e-05 light direct 1 8.7731e-05
class gather 65536 6.2703e-05 light binomial 1 0.000102372
class gather 262144 0.000885687 light binomial 8 0.000227949
class gather 1048576 0.00406519 light binomial 8 0.001368389
class gather 4194304 0.016887605 light direct 16 0.005590437
class alltoall 16384 2.2533e-05 light pairwise 1 4.4036e-05
class alltoall 65536 8.1461e-05 light pairwise 1 6.5508e-05
class alltoall 262144 0.000948566 light bruck 4 0.000259526
class alltoall 1048576 0.004179274 light pairwise 8 0.001443126
class alltoall 4194304 0.017160405 light pairwise 8 0.005943123
class scan 16384 3.1738e-05 light recursive-doubling 1 6.1562e-05
class scan 65536 0.00038758 light recursive-doubling 2 0.000105387
class scan 262144 0.002087698 light chain 8 0.000651419
class scan 1048576 0.008872552 dense chain 16 0.003006075
class scan 4194304 0.036320012 dense recursive-doubling 64 0.012194682
class exscan 16384 8.8532e-05 light recursive-doubling 1 0.0001208
class exscan 65536 0.000412694 light recursive-doubling 1 0.000108842
class exscan 262144 0.002094334 light recursive-doubling 2 0.000671007
class exscan 1048576 0.008851592 dense chain 16 0.002957558
class exscan 4194304 0.035824155 dense chain 64 0.011947424
class neighbor_allgather 16384 4.2293e-05 light direct 1 6.9483e-05
class neighbor_allgather 65536 6.728e-05 light direct 1 7.7986e-05
class neighbor_allgather 262144 0.000583928 light direct 1 0.000144055
class neighbor_allgather 1048576 0.002849416 light direct 2 0.000905116
class neighbor_allgather 4194304 0.011463935 light direct 8 0.003893599
class neighbor_alltoall 16384 4.6729e-05 dense direct 1 0.000143193
class neighbor_alltoall 65536 6.6338e-05 light direct 1 0.00010811
class neighbor_alltoall 262144 0.000567663 light direct 1 0.000197294
class neighbor_alltoall 1048576 0.002778581 light direct 4 0.001077562
class neighbor_alltoall 4194304 0.011339501 light direct 4 0.00433824
end
