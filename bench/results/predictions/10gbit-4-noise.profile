laconic profile 3
# MPICH Version:      5.0.2, 4 ranks, field noise, codec quant and dense, bound rel:1e-3
ranks 4
within_node 0
# effort, seconds per byte: encode decode fold add read; bytes of frames per byte
coding light 2.6855406787262837e-11 2.0752288776293426e-11 4.0954351021582625e-11 4.034417244724864e-11 1.8665308187948426e-11 0.386199951171875
coding dense 3.8319397654973386e-10 1.5155032784264222e-10 6.835556010109656e-10 8.121414651895975e-10 1.8347548480512898e-11 0.373870849609375
# collective, bytes, seconds of plain MPI, fastest effort and algorithm with compression, rows and seconds
class allreduce 16384 0.000110435 light recursive-doubling 1 0.000181923
class allreduce 65536 0.000128513 light recursive-doubling 1 0.000211096
class allreduce 262144 0.000370065 light recursive-halving 1 0.000456825
class allreduce 1048576 0.001703076 light recursive-halving 2 0.001288774
class allreduce 4194304 0.007492154 light ring 2 0.004031871
class reduce 16384 9.8948e-05 light chain 1 0.000207842
class reduce 65536 0.000111758 light binomial 1 0.000209575
class reduce 262144 0.000341993 light binomial 4 0.000249354
class reduce 1048576 0.00154609 light chain 2 0.000762254
class reduce 4194304 0.006618453 light recursive-halving 8 0.003138631
class reduce_scatter 16384 5.7807e-05 light recursive-halving 1 0.000343175
class reduce_scatter 65536 7.7727e-05 light recursive-halving 1 0.000400961
class reduce_scatter 262144 0.000239179 light ring 1 0.000514022
class reduce_scatter 1048576 0.001113141 light ring 1 0.000827572
class reduce_scatter 4194304 0.005576629 light ring 4 0.003044209
class allgather 16384 6.4797e-05 light bruck 1 0.000209123
class allgather 65536 5.7567e-05 dense recursive-doubling 1 0.00020653
class allgather 262144 0.000197116 light bruck 1 0.000201823
class allgather 1048576 0.000738408 light bruck 2 0.000510716
class allgather 4194304 0.00368524 light recursive-doubling 8 0.001770748
class bcast 16384 4.9604e-05 light binomial 1 0.000218518
class bcast 65536 0.000128523 dense chain 4 0.000202954
class bcast 262144 0.000364967 light chain 2 0.000272248
class bcast 1048576 0.001647182 light ring 1 0.00062015
class bcast 4194304 0.006687356 light chain 32 0.002040452
class scatter 16384 2.9585e-05 dense binomial 1 0.000133199
class scatter 65536 4.8103e-05 dense binomial 1 0.000162924
class scatter 262144 0.000114943 light binomial 1 0.000182895
class scatter 1048576 0.000468152 light binomial 1 0.000265568
class scatter 4194304 0.002654684 light binomial 8 0.00123957
class gather 16384 2.676e-05 light direct 1 9.1597e-05
class gather 65536 4.7352e-05 dense direct 1 0.000124467
class gather 262144 0.000163876 light direct 1 0.000149675
class gather 1048576 0.000672269 light direct 2 0.000234752
class gather 4194304 0.003457018 light binomial 4 0.000931778
class alltoall 16384 6.3145e-05 light bruck 1 0.000182373
class alltoall 65536 8.5087e-05 light bruck 1 0.000218157
class alltoall 262144 0.00023959 light bruck 1 0.000287752
class alltoall 1048576 0.00079345 light pairwise 2 0.000752059
class alltoall 4194304 0.003699912 light pairwise 8 0.002642646
class scan 16384 6.4446e-05 light chain 1 0.000181122
class scan 65536 0.000184277 light recursive-doubling 1 0.000236555
class scan 262144 0.000587192 light chain 2 0.000316725
class scan 1048576 0.00271226 light chain 2 0.000815313
class scan 4194304 0.012657515 light chain 32 0.003222957
class exscan 16384 5.8708e-05 light recursive-doubling 1 0.00021331
class exscan 65536 0.000174743 light recursive-doubling 1 0.000201703
class exscan 262144 0.000517597 light chain 1 0.000330556
class exscan 1048576 0.002577458 light chain 8 0.001368524
class exscan 4194304 0.014008113 light chain 32 0.004969282
class neighbor_allgather 16384 0.000104747 light direct 1 0.000220691
class neighbor_allgather 65536 0.00014027 dense direct 1 0.000289495
class neighbor_allgather 262144 0.000196836 light direct 1 0.000300321
class neighbor_allgather 1048576 0.001020091 light direct 1 0.000590977
class neighbor_allgather 4194304 0.003883398 light direct 4 0.001796225
class neighbor_alltoall 16384 0.000102915 light direct 1 0.0003131
class neighbor_alltoall 65536 0.000134221 light direct 1 0.000369755
class neighbor_alltoall 262144 0.000204086 light direct 1 0.000404227
class neighbor_alltoall 1048576 0.000979369 light direct 1 0.000760612
class neighbor_alltoall 4194304 0.004101946 light direct 4 0.002431729
end
