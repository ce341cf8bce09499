laconic profile 3
# MPICH Version:      5.0.2, 2 ranks, field noise, codec quant and dense, bound rel:1e-3
ranks 2
within_node 0
# effort, seconds per byte: encode decode fold add read; bytes of frames per byte
coding light 5.43823319709702e-11 4.461669922406486e-11 8.435058207467705e-11 8.435058207467705e-11 3.0727011560149896e-11 0.354949951171875
coding dense 6.314315806332793e-10 3.395614622814236e-10 9.119949379021719e-10 1.167434690585445e-09 2.9656219147078386e-11 0.3424224853515625
# collective, bytes, seconds of plain MPI, fastest effort and algorithm with compression, rows and seconds
class allreduce 16384 3.8056e-05 light recursive-doubling 1 6.1472e-05
class allreduce 65536 5.2768e-05 light recursive-doubling 1 9.9127e-05
class allreduce 262144 0.000203202 light direct 1 0.000179346
class allreduce 1048576 0.000847601 light recursive-halving 2 0.000577308
class allreduce 4194304 0.004856561 light direct 16 0.002562811
class reduce 16384 3.3159e-05 light direct 1 5.6043e-05
class reduce 65536 5.9559e-05 dense direct 1 0.000129402
class reduce 262144 0.000234679 light direct 2 0.00017507
class reduce 1048576 0.000851155 light direct 4 0.000530488
class reduce 4194304 0.004453141 light chain 32 0.002117829
class reduce_scatter 16384 1.9819e-05 light ring 1 6.4205e-05
class reduce_scatter 65536 3.7515e-05 light direct 1 8.6619e-05
class reduce_scatter 262144 0.000162362 light direct 2 0.000175261
class reduce_scatter 1048576 0.000543378 light direct 2 0.000486373
class reduce_scatter 4194304 0.002910358 light ring 8 0.002167293
class allgather 16384 1.8628e-05 light direct 1 5.3479e-05
class allgather 65536 2.4316e-05 light direct 1 6.1261e-05
class allgather 262144 8.3024e-05 light recursive-doubling 1 0.00010716
class allgather 1048576 0.000399504 light ring 1 0.000332083
class allgather 4194304 0.002240742 light direct 4 0.001339141
class bcast 16384 1.0896e-05 dense chain 1 0.000104685
class bcast 65536 4.8562e-05 light ring 1 8.9443e-05
class bcast 262144 0.000139207 light ring 1 0.000170573
class bcast 1048576 0.000749264 light ring 4 0.000473173
class bcast 4194304 0.003296922 light ring 8 0.001528733
class scatter 16384 1.4371e-05 light binomial 1 8.3964e-05
class scatter 65536 2.4657e-05 light direct 1 6.4266e-05
class scatter 262144 6.4716e-05 light binomial 2 0.000111166
class scatter 1048576 0.000321618 light direct 4 0.00032334
class scatter 4194304 0.0017284 light binomial 16 0.001153515
class gather 16384 1.7536e-05 light binomial 1 8.74e-05
class gather 65536 1.34e-05 light binomial 1 7.2147e-05
class gather 262144 9.0936e-05 light binomial 2 0.000140359
class gather 1048576 0.000349359 light binomial 8 0.000315919
class gather 4194304 0.001624626 light binomial 16 0.000890004
class alltoall 16384 3.375e-05 light pairwise 1 5.8817e-05
class alltoall 65536 4.029e-05 light bruck 1 7.6954e-05
class alltoall 262144 8.8312e-05 light pairwise 1 0.000124415
class alltoall 1048576 0.000376239 light pairwise 4 0.000333275
class alltoall 4194304 0.002362833 light pairwise 8 0.001753347
class scan 16384 2.9734e-05 light recursive-doubling 1 9.7665e-05
class scan 65536 8.6679e-05 light chain 2 0.000101571
class scan 262144 0.00027589 light recursive-doubling 4 0.000177163
class scan 1048576 0.001370668 light chain 16 0.000547233
class scan 4194304 0.007302698 light chain 16 0.002210147
class exscan 16384 0.000109012 light chain 1 8.3404e-05
class exscan 65536 9.478e-05 light recursive-doubling 1 9.409e-05
class exscan 262144 0.00025595 light recursive-doubling 4 0.000200078
class exscan 1048576 0.001239153 light chain 8 0.00040316
class exscan 4194304 0.006333737 light chain 32 0.001594361
class neighbor_allgather 16384 3.9999e-05 light direct 1 7.2187e-05
class neighbor_allgather 65536 6.2573e-05 light direct 1 7.9819e-05
class neighbor_allgather 262144 0.000117144 light direct 1 0.000121771
class neighbor_allgather 1048576 0.000500655 light direct 1 0.000301068
class neighbor_allgather 4194304 0.002220572 light direct 4 0.001048549
class neighbor_alltoall 16384 4.1812e-05 light direct 1 8.4255e-05
class neighbor_alltoall 65536 6.5807e-05 light direct 1 0.00010748
class neighbor_alltoall 262144 0.000131375 light direct 1 0.000184925
class neighbor_alltoall 1048576 0.000446454 light direct 1 0.000408908
class neighbor_alltoall 4194304 0.002405917 light direct 2 0.001813086
end
