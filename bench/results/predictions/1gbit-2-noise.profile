laconic profile 1
# MPICH Version:      5.0.2, 2 ranks, field noise, codec quant, bound rel:1e-3
ranks 2
within_node 0
# seconds per byte: encode decode fold add read; bytes of frames per byte
coding 7.141109925612454e-11 5.0292880970914666e-11 1.0662826177565421e-10 9.741207840363586e-11 5.6789012381486254e-11 0.354949951171875
# collective, bytes, seconds of plain MPI, fastest algorithm with compression, its seconds
class allreduce 16384 7.6003e-05 recursive-doubling 3.0704e-05
class allreduce 65536 0.000402752 recursive-halving 0.000178153
class allreduce 262144 0.002016571 recursive-doubling 0.000730294
class allreduce 1048576 0.008732624 recursive-doubling 0.003098072
class allreduce 4194304 0.035083951 recursive-doubling 0.013076005
class reduce 16384 0.00012512 recursive-halving 0.000134963
class reduce 65536 0.000309376 binomial 0.000119908
class reduce 262144 0.001964234 recursive-halving 0.000679148
class reduce 1048576 0.008562993 binomial 0.003197262
class reduce 4194304 0.036924806 chain 0.013330426
class reduce_scatter 16384 8.5324e-05 ring 0.000120791
class reduce_scatter 65536 0.000233267 ring 0.000146154
class reduce_scatter 262144 0.001320381 ring 0.000411748
class reduce_scatter 1048576 0.005606379 ring 0.002109994
class reduce_scatter 4194304 0.023526777 ring 0.008828862
class allgather 16384 0.000111764 ring 0.000132232
class allgather 65536 0.000147221 recursive-doubling 0.000146796
class allgather 262144 0.000986507 direct 0.00026868
class allgather 1048576 0.004302245 bruck 0.001400314
class allgather 4194304 0.017418631 recursive-doubling 0.005912851
class bcast 16384 1.6923e-05 ring 6.4948e-05
class bcast 65536 0.000352968 chain 9.304e-05
class bcast 262144 0.001991676 chain 0.0005787
class bcast 1048576 0.008329991 ring 0.002848553
class bcast 4194304 0.034220776 ring 0.011152413
class scatter 16384 9.133e-06 binomial 9.2853e-05
class scatter 65536 0.000104522 binomial 6.6886e-05
class scatter 262144 0.00088295 direct 0.000236828
class scatter 1048576 0.004118086 binomial 0.001406616
class scatter 4194304 0.017301541 binomial 0.006280752
class gather 16384 9.402e-06 binomial 0.000150145
class gather 65536 6.3422e-05 binomial 0.000127315
class gather 262144 0.000932658 direct 0.000297014
class gather 1048576 0.004175348 binomial 0.001426611
class gather 4194304 0.016988477 binomial 0.005838798
class alltoall 16384 8.0661e-05 bruck 0.000105765
class alltoall 65536 0.000140244 bruck 0.000129545
class alltoall 262144 0.000931983 pairwise 0.000277946
class alltoall 1048576 0.004223991 bruck 0.001538198
class alltoall 4194304 0.017304401 pairwise 0.006308512
class scan 16384 8.2186e-05 recursive-doubling 0.00011347
class scan 65536 0.000421604 chain 0.000146721
class scan 262144 0.00212943 recursive-doubling 0.00065678
class scan 1048576 0.009122102 recursive-doubling 0.00316921
class scan 4194304 0.040246705 chain 0.013234822
class exscan 16384 9.1291e-05 recursive-doubling 9.519e-05
class exscan 65536 0.000415746 recursive-doubling 0.000122299
class exscan 262144 0.002105833 recursive-doubling 0.000654266
class exscan 1048576 0.008754158 chain 0.003011451
class exscan 4194304 0.039729787 recursive-doubling 0.012871356
class neighbor_allgather 16384 5.1877e-05 direct 0.000203356
class neighbor_allgather 65536 6.7622e-05 direct 0.000226457
class neighbor_allgather 262144 0.000611669 direct 0.000329441
class neighbor_allgather 1048576 0.002867343 direct 0.002551363
class neighbor_allgather 4194304 0.011570423 direct 0.003959109
class neighbor_alltoall 16384 4.8488e-05 direct 0.000177747
class neighbor_alltoall 65536 7.0188e-05 direct 0.000196763
class neighbor_alltoall 262144 0.000561064 direct 0.000413084
class neighbor_alltoall 1048576 0.00279313 direct 0.001216985
class neighbor_alltoall 4194304 0.011422026 direct 0.004536088
end
