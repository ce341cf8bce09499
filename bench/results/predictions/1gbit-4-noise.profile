laconic profile 3
# MPICH Version:      5.0.2, 4 ranks, field noise, codec quant and dense, bound rel:1e-3
ranks 4
within_node 0
# effort, seconds per byte: encode decode fold add read; bytes of frames per byte
coding light 2.6855406787262837e-11 2.0813128998042885e-11 4.156497368512646e-11 4.0954795110792475e-11 1.9386256489006826e-11 0.386199951171875
coding dense 3.881530652449783e-10 1.5029910649388967e-10 6.929473661543284e-10 8.207016177763649e-10 1.8507778642984363e-11 0.373870849609375
# collective, bytes, seconds of plain MPI, fastest effort and algorithm with compression, rows and seconds
class allreduce 16384 0.000116134 light recursive-doubling 1 0.000207101
class allreduce 65536 0.000704377 light recursive-doubling 2 0.000479279
class allreduce 262144 0.003092291 light ring 1 0.001303626
class allreduce 1048576 0.012782163 light direct 2 0.004913394
class allreduce 4194304 0.052334171 light direct 16 0.018787231
class reduce 16384 9.8368e-05 light chain 1 0.000176725
class reduce 65536 0.000538288 light chain 1 0.000242498
class reduce 262144 0.003016678 light recursive-halving 1 0.001193978
class reduce 1048576 0.012592232 light chain 16 0.003430813
class reduce 4194304 0.051143919 light chain 64 0.012742483
class reduce_scatter 16384 5.7577e-05 light recursive-halving 1 0.000297827
class reduce_scatter 65536 0.000349875 light recursive-halving 1 0.000265249
class reduce_scatter 262144 0.001957347 light recursive-halving 1 0.000862074
class reduce_scatter 1048576 0.010765632 light ring 2 0.002984034
class reduce_scatter 4194304 0.047988714 light ring 2 0.010802958
class allgather 16384 7.0646e-05 light recursive-doubling 1 0.000177837
class allgather 65536 0.000228383 light recursive-doubling 1 0.000225779
class allgather 262144 0.001498138 dense ring 1 0.000524697
class allgather 1048576 0.006267496 light recursive-doubling 2 0.002070377
class allgather 4194304 0.025807241 dense ring 16 0.008388199
class bcast 16384 0.000104016 light ring 1 0.000257606
class bcast 65536 0.00107924 light chain 1 0.000204116
class bcast 262144 0.005755692 light chain 8 0.000702755
class bcast 1048576 0.018660521 dense chain 16 0.002757944
class bcast 4194304 0.069394294 dense chain 64 0.011262232
class scatter 16384 3.4592e-05 light binomial 1 0.000115143
class scatter 65536 0.000187541 light binomial 1 0.000191488
class scatter 262144 0.001609795 light direct 4 0.00039329
class scatter 1048576 0.007886076 dense binomial 1 0.002025949
class scatter 4194304 0.027151277 dense direct 4 0.008114037
class gather 16384 2.5178e-05 light binomial 1 8.1352e-05
class gather 65536 0.00017979 dense direct 1 0.000140882
class gather 262144 0.00137923 light direct 1 0.000376085
class gather 1048576 0.00608409 dense direct 8 0.001893853
class gather 4194304 0.025179238 dense binomial 8 0.007934208
class alltoall 16384 6.8163e-05 light bruck 1 0.000153311
class alltoall 65536 0.000281863 light bruck 1 0.000167772
class alltoall 262144 0.001450062 light pairwise 1 0.000536385
class alltoall 1048576 0.006296049 light pairwise 1 0.002233101
class alltoall 4194304 0.025645347 light pairwise 8 0.008826918
class scan 16384 8.3135e-05 light recursive-doubling 1 0.000181242
class scan 65536 0.000947773 light chain 2 0.000216194
class scan 262144 0.004241155 light chain 4 0.000904417
class scan 1048576 0.017313834 light chain 16 0.003324619
class scan 4194304 0.070344134 light chain 32 0.012890876
class exscan 16384 8.5068e-05 light chain 1 0.000162053
class exscan 65536 0.00093246 light chain 2 0.000383135
class exscan 262144 0.004224595 light chain 4 0.001720216
class exscan 1048576 0.017264775 dense chain 16 0.006535963
class exscan 4194304 0.070056242 dense chain 64 0.024700874
class neighbor_allgather 16384 9.2229e-05 light direct 1 0.000216335
class neighbor_allgather 65536 0.000229594 dense direct 1 0.000268303
class neighbor_allgather 262144 0.001297016 light direct 2 0.000613871
class neighbor_allgather 1048576 0.006063069 light direct 8 0.001983676
class neighbor_allgather 4194304 0.025601882 light direct 16 0.008044191
class neighbor_alltoall 16384 9.8477e-05 light direct 1 0.000320461
class neighbor_alltoall 65536 0.000235453 light direct 1 0.000348653
class neighbor_alltoall 262144 0.001351679 light direct 1 0.00081333
class neighbor_alltoall 1048576 0.005913324 light direct 8 0.00218527
class neighbor_alltoall 4194304 0.025272659 light direct 16 0.008820818
end
