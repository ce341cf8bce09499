laconic profile 2
# MPICH Version:      5.0.2, 2 ranks, field wave, codec quant, bound rel:1e-3
ranks 2
within_node 0
# seconds per byte: encode decode fold add read; bytes of frames per byte
coding 3.8268943569619296e-11 4.803490938343202e-11 5.6701754402865845e-11 5.6762594624615303e-11 3.4206351640087006e-11 0.0509185791015625
# collective, bytes, seconds of plain MPI, fastest algorithm with compression, its rows and seconds
class allreduce 16384 8.8059e-05 recursive-doubling 1 0.000100055
class allreduce 65536 0.000107744 recursive-doubling 1 0.00011386
class allreduce 262144 0.00011972 direct 1 9.6502e-05
class allreduce 1048576 0.000796308 direct 2 0.000350324
class allreduce 4194304 0.003893641 recursive-halving 8 0.001240131
class reduce 16384 8.3293e-05 binomial 1 9.2938e-05
class reduce 65536 0.000103553 direct 1 0.000112627
class reduce 262144 0.000122915 recursive-halving 1 8.8424e-05
class reduce 1048576 0.000799164 direct 4 0.000320136
class reduce 4194304 0.003797948 binomial 32 0.001145949
class reduce_scatter 16384 7.9218e-05 direct 1 0.000114041
class reduce_scatter 65536 8.2295e-05 direct 2 0.000113652
class reduce_scatter 262144 0.000102232 ring 1 0.000154051
class reduce_scatter 1048576 0.000536485 ring 1 0.000281242
class reduce_scatter 4194304 0.002592006 recursive-halving 4 0.001038335
class allgather 16384 7.2185e-05 direct 1 9.7696e-05
class allgather 65536 8.0756e-05 bruck 1 0.00010694
class allgather 262144 4.9604e-05 direct 1 5.0592e-05
class allgather 1048576 0.000326089 ring 1 0.000168032
class allgather 4194304 0.001788128 direct 4 0.000836252
class bcast 16384 5.051e-06 binomial 1 9.5592e-05
class bcast 65536 1.3968e-05 chain 1 0.000101662
class bcast 262144 0.000112524 ring 1 0.000100762
class bcast 1048576 0.000716393 binomial 2 0.000270899
class bcast 4194304 0.003238745 ring 8 0.001021533
class scatter 16384 4.747e-06 direct 1 8.9243e-05
class scatter 65536 6.9e-06 binomial 1 9.3115e-05
class scatter 262144 4.8966e-05 binomial 1 6.1232e-05
class scatter 1048576 0.000284803 binomial 1 0.00019247
class scatter 4194304 0.001644647 binomial 4 0.000826078
class gather 16384 4.59e-06 direct 1 9.0381e-05
class gather 65536 6.257e-06 binomial 1 9.7513e-05
class gather 262144 4.0173e-05 binomial 1 8.004e-05
class gather 1048576 0.000296172 binomial 4 0.000192997
class gather 4194304 0.001558272 binomial 16 0.000771235
class alltoall 16384 7.3906e-05 bruck 1 0.000108578
class alltoall 65536 8.2768e-05 pairwise 1 0.000111506
class alltoall 262144 4.6323e-05 pairwise 1 6.294e-05
class alltoall 1048576 0.000365463 pairwise 1 0.000244817
class alltoall 4194304 0.001735637 pairwise 4 0.001032376
class scan 16384 7.4982e-05 recursive-doubling 1 9.1932e-05
class scan 65536 9.5956e-05 chain 1 0.00010442
class scan 262144 0.000164626 chain 2 0.00015154
class scan 1048576 0.001075436 chain 2 0.000354011
class scan 4194304 0.004841174 chain 8 0.001170302
class exscan 16384 7.6136e-05 recursive-doubling 1 9.263e-05
class exscan 65536 9.3225e-05 recursive-doubling 1 0.000108322
class exscan 262144 0.000141504 recursive-doubling 4 0.000147832
class exscan 1048576 0.001000139 chain 4 0.000311205
class exscan 4194304 0.004575768 chain 16 0.00088674
class neighbor_allgather 16384 7.3663e-05 direct 1 0.000204457
class neighbor_allgather 65536 2.7889e-05 direct 1 4.9274e-05
class neighbor_allgather 262144 6.1516e-05 direct 1 0.000238177
class neighbor_allgather 1048576 0.000257744 direct 2 0.000293634
class neighbor_allgather 4194304 0.001455628 direct 2 0.000833597
class neighbor_alltoall 16384 7.5062e-05 direct 1 0.000227111
class neighbor_alltoall 65536 5.9711e-05 direct 1 0.000194943
class neighbor_alltoall 262144 0.000104163 direct 2 0.000250947
class neighbor_alltoall 1048576 0.00033858 direct 2 0.000426181
class neighbor_alltoall 4194304 0.001435344 direct 2 0.001110661
end
