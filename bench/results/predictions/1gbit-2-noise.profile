laconic profile 2
# MPICH Version:      5.0.2, 2 ranks, field noise, codec quant, bound rel:1e-3
ranks 2
within_node 0
# seconds per byte: encode decode fold add read; bytes of frames per byte
coding 5.6640470091906536e-11 4.016120769279041e-11 8.367928572283745e-11 7.745359908994942e-11 3.06468794786241e-11 0.354949951171875
# collective, bytes, seconds of plain MPI, fastest algorithm with compression, its rows and seconds
class allreduce 16384 8.8793e-05 recursive-doubling 1 0.000102662
class allreduce 65536 0.000368966 recursive-halving 2 0.000149025
class allreduce 262144 0.001990161 recursive-doubling 8 0.000663626
class allreduce 1048576 0.008496124 recursive-doubling 16 0.003028743
class allreduce 4194304 0.034945632 recursive-doubling 64 0.012356868
class reduce 16384 8.0558e-05 chain 1 8.7518e-05
class reduce 65536 0.000310748 binomial 2 0.000122738
class reduce 262144 0.001944774 chain 8 0.000606055
class reduce 1048576 0.008449056 binomial 8 0.003009007
class reduce 4194304 0.036189182 chain 32 0.012606247
class reduce_scatter 16384 1.6915e-05 ring 1 3.5533e-05
class reduce_scatter 65536 0.000172313 ring 1 0.000133639
class reduce_scatter 262144 0.001261086 ring 1 0.000379408
class reduce_scatter 1048576 0.005560381 recursive-halving 4 0.001950159
class reduce_scatter 4194304 0.023001325 ring 32 0.008261534
class allgather 16384 7.7123e-05 bruck 1 0.000104621
class allgather 65536 0.000211597 ring 1 3.5901e-05
class allgather 262144 0.000933726 direct 8 0.000225027
class allgather 1048576 0.004208037 ring 8 0.001307627
class allgather 4194304 0.017067818 ring 16 0.005688491
class bcast 16384 5.307e-06 binomial 1 0.000105607
class bcast 65536 0.000296978 binomial 1 0.000107583
class bcast 262144 0.001917575 ring 4 0.000525557
class bcast 1048576 0.008204588 binomial 4 0.002653478
class bcast 4194304 0.03367932 chain 16 0.011233785
class scatter 16384 5.347e-06 binomial 1 9.7309e-05
class scatter 65536 6.8784e-05 binomial 1 0.000101684
class scatter 262144 0.000837788 binomial 4 0.000199684
class scatter 1048576 0.003986068 direct 8 0.001211116
class scatter 4194304 0.016673625 direct 16 0.005390622
class gather 16384 4.877e-06 binomial 1 0.00010094
class gather 65536 6.5614e-05 direct 1 0.000106387
class gather 262144 0.000852305 binomial 8 0.000168546
class gather 1048576 0.00396343 binomial 4 0.001326554
class gather 4194304 0.016758514 binomial 16 0.005609636
class alltoall 16384 7.7366e-05 pairwise 1 0.00010902
class alltoall 65536 0.000125927 pairwise 1 5.0537e-05
class alltoall 262144 0.000922507 pairwise 8 0.00025078
class alltoall 1048576 0.004092307 pairwise 8 0.001340979
class alltoall 4194304 0.017259396 bruck 16 0.005797885
class scan 16384 7.7426e-05 recursive-doubling 1 8.7952e-05
class scan 65536 0.000406008 recursive-doubling 1 0.000126291
class scan 262144 0.002039355 chain 8 0.000647876
class scan 1048576 0.008975746 recursive-doubling 8 0.002998911
class scan 4194304 0.040800625 recursive-doubling 64 0.012293906
class exscan 16384 7.823e-05 recursive-doubling 1 9.1348e-05
class exscan 65536 0.000394251 recursive-doubling 1 0.000111207
class exscan 262144 0.002032837 chain 8 0.000641021
class exscan 1048576 0.008646051 chain 16 0.00296999
class exscan 4194304 0.039104717 chain 64 0.012483023
class neighbor_allgather 16384 2.0226e-05 direct 1 4.1881e-05
class neighbor_allgather 65536 5.7312e-05 direct 1 0.000201237
class neighbor_allgather 262144 0.000568609 direct 2 0.000131939
class neighbor_allgather 1048576 0.002698928 direct 2 0.000828481
class neighbor_allgather 4194304 0.011253114 direct 8 0.003657092
class neighbor_alltoall 16384 7.3679e-05 direct 1 0.000197968
class neighbor_alltoall 65536 9.3576e-05 direct 1 6.2648e-05
class neighbor_alltoall 262144 0.000563484 direct 1 0.000268371
class neighbor_alltoall 1048576 0.00270443 direct 4 0.000945091
class neighbor_alltoall 4194304 0.011235431 direct 8 0.004013526
end
