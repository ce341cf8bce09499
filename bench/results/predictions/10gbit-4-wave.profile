laconic profile 1
# MPICH Version:      5.0.2, 4 ranks, field wave, codec quant, bound rel:1e-3
ranks 4
within_node 0
# seconds per byte: encode decode fold add read; bytes of frames per byte
coding 6.683320563638517e-11 8.624301273130186e-11 8.941647422489041e-11 6.707745470180271e-11 6.47972175915612e-11 0.0684051513671875
# collective, bytes, seconds of plain MPI, fastest algorithm with compression, its seconds
class allreduce 16384 8.6258e-05 recursive-doubling 0.000350337
class allreduce 65536 0.000159423 recursive-doubling 0.00047522
class allreduce 262144 0.000566369 ring 0.001075448
class allreduce 1048576 0.002108889 recursive-doubling 0.0019688
class allreduce 4194304 0.009645662 direct 0.004597204
class reduce 16384 0.000128351 binomial 0.000227817
class reduce 65536 0.000119584 binomial 0.000302683
class reduce 262144 0.00034982 binomial 0.000375721
class reduce 1048576 0.00169921 binomial 0.000782675
class reduce 4194304 0.014887641 chain 0.00267337
class reduce_scatter 16384 0.000133145 recursive-halving 0.000396358
class reduce_scatter 65536 0.000134432 recursive-halving 0.000537505
class reduce_scatter 262144 0.000365504 recursive-halving 0.001298451
class reduce_scatter 1048576 0.001186035 direct 0.001559163
class reduce_scatter 4194304 0.006021176 ring 0.003038776
class allgather 16384 4.3211e-05 bruck 0.000208221
class allgather 65536 5.1135e-05 bruck 0.000219072
class allgather 262144 0.000176525 bruck 0.000604963
class allgather 1048576 0.000778287 bruck 0.001072212
class allgather 4194304 0.004402096 recursive-doubling 0.002166345
class bcast 16384 4.4442e-05 binomial 0.000195572
class bcast 65536 0.000100553 chain 0.00025688
class bcast 262144 0.000388366 chain 0.000342878
class bcast 1048576 0.00166083 chain 0.000771761
class bcast 4194304 0.007424685 binomial 0.001757522
class scatter 16384 2.9596e-05 binomial 0.0001084
class scatter 65536 3.5667e-05 binomial 0.000130313
class scatter 262144 0.00010277 binomial 0.000352788
class scatter 1048576 0.000670156 direct 0.000879216
class scatter 4194304 0.002707769 direct 0.001557755
class gather 16384 2.9609e-05 direct 0.000128052
class gather 65536 6.314e-05 direct 0.000178028
class gather 262144 0.000139702 binomial 0.000353174
class gather 1048576 0.000468821 direct 0.000456692
class gather 4194304 0.002813745 binomial 0.0013548
class alltoall 16384 0.000112348 pairwise 0.000407557
class alltoall 65536 8.2552e-05 pairwise 0.0003119
class alltoall 262144 0.000210869 pairwise 0.000847351
class alltoall 1048576 0.00083216 pairwise 0.001877698
class alltoall 4194304 0.003934571 pairwise 0.00328993
class scan 16384 5.8068e-05 recursive-doubling 0.000208513
class scan 65536 0.000180799 chain 0.000275713
class scan 262144 0.000630768 chain 0.000445922
class scan 1048576 0.003632326 recursive-doubling 0.001070831
class scan 4194304 0.015375789 recursive-doubling 0.003821705
class exscan 16384 6.4214e-05 chain 0.000211166
class exscan 65536 0.000174812 recursive-doubling 0.000296374
class exscan 262144 0.000615274 chain 0.000553569
class exscan 1048576 0.00323229 chain 0.001116815
class exscan 4194304 0.015432655 recursive-doubling 0.003188471
class neighbor_allgather 16384 7.5026e-05 direct 0.000353066
class neighbor_allgather 65536 0.000110979 direct 0.000462363
class neighbor_allgather 262144 0.000203354 direct 0.000694559
class neighbor_allgather 1048576 0.001015197 direct 0.001781353
class neighbor_allgather 4194304 0.004198836 direct 0.002982816
class neighbor_alltoall 16384 7.4765e-05 direct 0.000404491
class neighbor_alltoall 65536 0.000107268 direct 0.000362944
class neighbor_alltoall 262144 0.00022979 direct 0.000826159
class neighbor_alltoall 1048576 0.001157352 direct 0.002130118
class neighbor_alltoall 4194304 0.004743771 direct 0.003658718
end
