laconic profile 1
# MPICH Version:      5.0.2, 4 ranks, field noise, codec quant, bound rel:1e-3
ranks 4
within_node 0
# seconds per byte: encode decode fold add read; bytes of frames per byte
coding 5.92650373221204e-11 4.235856110312852e-11 8.398437501000444e-11 7.287637160402483e-11 3.2561520146856535e-11 0.386199951171875
# collective, bytes, seconds of plain MPI, fastest algorithm with compression, its seconds
class allreduce 16384 9.194e-05 recursive-doubling 0.000195224
class allreduce 65536 0.000758199 recursive-halving 0.000376753
class allreduce 262144 0.003134029 ring 0.001694954
class allreduce 1048576 0.013155466 ring 0.005974463
class allreduce 4194304 0.054597145 direct 0.023418963
class reduce 16384 8.9861e-05 chain 0.000236385
class reduce 65536 0.000638051 direct 0.000354493
class reduce 262144 0.00310571 chain 0.001117875
class reduce 1048576 0.013293333 chain 0.004407303
class reduce 4194304 0.057515068 chain 0.017113732
class reduce_scatter 16384 0.000133541 recursive-halving 0.000399503
class reduce_scatter 65536 0.000336439 recursive-halving 0.000401666
class reduce_scatter 262144 0.001996314 ring 0.001139009
class reduce_scatter 1048576 0.011827341 ring 0.003370215
class reduce_scatter 4194304 0.049792887 ring 0.014906913
class allgather 16384 5.2931e-05 recursive-doubling 0.000156333
class allgather 65536 0.000288195 direct 0.000273799
class allgather 262144 0.001550031 bruck 0.000751577
class allgather 1048576 0.006337719 direct 0.002458909
class allgather 4194304 0.025974424 ring 0.009000634
class bcast 16384 0.00010808 binomial 0.000175775
class bcast 65536 0.001099174 chain 0.000268779
class bcast 262144 0.005772461 chain 0.000837426
class bcast 1048576 0.018745393 chain 0.0034001
class bcast 4194304 0.069573027 chain 0.013313039
class scatter 16384 2.8903e-05 direct 0.000140249
class scatter 65536 0.000207178 direct 0.000169195
class scatter 262144 0.00164416 binomial 0.000509732
class scatter 1048576 0.007939402 binomial 0.002130894
class scatter 4194304 0.027300966 direct 0.00870524
class gather 16384 2.4623e-05 direct 7.8853e-05
class gather 65536 0.000176126 binomial 9.9111e-05
class gather 262144 0.001423743 binomial 0.000485157
class gather 1048576 0.0062019 binomial 0.002102831
class gather 4194304 0.025245339 binomial 0.008406584
class alltoall 16384 6.8096e-05 pairwise 0.000347495
class alltoall 65536 0.000327913 pairwise 0.00039692
class alltoall 262144 0.001521686 pairwise 0.001006918
class alltoall 1048576 0.006376594 pairwise 0.002807558
class alltoall 4194304 0.028264522 pairwise 0.010860755
class scan 16384 0.000126799 recursive-doubling 0.000225042
class scan 65536 0.001163319 chain 0.000498112
class scan 262144 0.004380093 chain 0.001177296
class scan 1048576 0.018420488 chain 0.004336958
class scan 4194304 0.075185043 chain 0.018271431
class exscan 16384 0.000101919 recursive-doubling 0.000134226
class exscan 65536 0.000987461 chain 0.000524291
class exscan 262144 0.004412184 chain 0.001859938
class exscan 1048576 0.017832697 chain 0.007838749
class exscan 4194304 0.074847115 chain 0.033449905
class neighbor_allgather 16384 7.8824e-05 direct 0.000393467
class neighbor_allgather 65536 0.000246828 direct 0.000448265
class neighbor_allgather 262144 0.001352653 direct 0.000892867
class neighbor_allgather 1048576 0.006028319 direct 0.003174786
class neighbor_allgather 4194304 0.025445906 direct 0.009510548
class neighbor_alltoall 16384 7.3006e-05 direct 0.000338784
class neighbor_alltoall 65536 0.000281109 direct 0.00052121
class neighbor_alltoall 262144 0.001473551 direct 0.00108306
class neighbor_alltoall 1048576 0.006115919 direct 0.00396023
class neighbor_alltoall 4194304 0.025307912 direct 0.011374368
end
