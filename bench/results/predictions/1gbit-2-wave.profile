laconic profile 1
# MPICH Version:      5.0.2, 2 ranks, field wave, codec quant, bound rel:1e-3
ranks 2
within_node 0
# seconds per byte: encode decode fold add read; bytes of frames per byte
coding 3.887956623316313e-11 5.46265255252365e-11 5.572520223040556e-11 3.930633596382904e-11 3.643342849635189e-11 0.0509185791015625
# collective, bytes, seconds of plain MPI, fastest algorithm with compression, its seconds
class allreduce 16384 9.3563e-05 recursive-doubling 8.6301e-05
class allreduce 65536 0.000351253 direct 6.7185e-05
class allreduce 262144 0.001989167 recursive-doubling 0.000209756
class allreduce 1048576 0.008522653 recursive-doubling 0.000503444
class allreduce 4194304 0.034527352 recursive-doubling 0.002267203
class reduce 16384 6.9558e-05 binomial 9.9473e-05
class reduce 65536 0.000331356 ring 9.2273e-05
class reduce 262144 0.001951287 binomial 0.00017037
class reduce 1048576 0.008450317 chain 0.000374284
class reduce 4194304 0.036058893 chain 0.002327208
class reduce_scatter 16384 8.1592e-05 recursive-halving 0.000108825
class reduce_scatter 65536 0.000180947 recursive-halving 5.6925e-05
class reduce_scatter 262144 0.001285475 direct 0.000192053
class reduce_scatter 1048576 0.005668414 direct 0.000538592
class reduce_scatter 4194304 0.023357907 direct 0.001833252
class allgather 16384 1.5551e-05 recursive-doubling 2.9157e-05
class allgather 65536 8.8588e-05 recursive-doubling 5.0441e-05
class allgather 262144 0.000915173 direct 0.000180372
class allgather 1048576 0.004169364 bruck 0.000425955
class allgather 4194304 0.017058263 recursive-doubling 0.000831477
class bcast 16384 6.415e-06 chain 9.6167e-05
class bcast 65536 0.000312431 chain 0.000100373
class bcast 262144 0.001982855 chain 0.00017214
class bcast 1048576 0.008310529 chain 0.000359484
class bcast 4194304 0.033755668 chain 0.001722475
class scatter 16384 5.427e-06 direct 9.8511e-05
class scatter 65536 6.5217e-05 binomial 0.000108175
class scatter 262144 0.000852928 direct 0.000149634
class scatter 1048576 0.004064654 binomial 0.000309548
class scatter 4194304 0.016732377 direct 0.001236296
class gather 16384 9.533e-06 binomial 0.000115217
class gather 65536 7.8595e-05 binomial 8.1168e-05
class gather 262144 0.000878999 direct 0.000146525
class gather 1048576 0.004058945 direct 0.00025995
class gather 4194304 0.016778283 direct 0.000995931
class alltoall 16384 1.588e-05 pairwise 2.6688e-05
class alltoall 65536 9.8878e-05 bruck 4.9212e-05
class alltoall 262144 0.000879324 pairwise 0.000204732
class alltoall 1048576 0.004136028 bruck 0.000410156
class alltoall 4194304 0.017130809 bruck 0.001308624
class scan 16384 8.5069e-05 chain 8.6291e-05
class scan 65536 0.000422381 recursive-doubling 0.000119747
class scan 262144 0.002081193 recursive-doubling 0.000197373
class scan 1048576 0.00883827 recursive-doubling 0.000407739
class scan 4194304 0.038006141 recursive-doubling 0.00219582
class exscan 16384 7.8232e-05 chain 8.3976e-05
class exscan 65536 0.000399551 recursive-doubling 0.000110219
class exscan 262144 0.002071612 recursive-doubling 0.000180186
class exscan 1048576 0.00860228 chain 0.000422669
class exscan 4194304 0.037992656 recursive-doubling 0.002438372
class neighbor_allgather 16384 3.5187e-05 direct 0.000240368
class neighbor_allgather 65536 5.9072e-05 direct 0.000179296
class neighbor_allgather 262144 0.000563015 direct 0.000248227
class neighbor_allgather 1048576 0.00273585 direct 0.003200409
class neighbor_allgather 4194304 0.011314507 direct 0.001355471
class neighbor_alltoall 16384 4.4235e-05 direct 0.000152241
class neighbor_alltoall 65536 8.5154e-05 direct 0.000221057
class neighbor_alltoall 262144 0.000569703 direct 0.000406472
class neighbor_alltoall 1048576 0.002718679 direct 0.000888643
class neighbor_alltoall 4194304 0.01118074 direct 0.002016651
end
