laconic profile 3
# MPICH Version:      5.0.2, 4 ranks, field noise, codec quant and dense, bound rel:1e-3
ranks 4
within_node 0
# effort, seconds per byte: encode decode fold add read; bytes of frames per byte
coding light 6.481931658086637e-11 4.583744495079145e-11 9.289552460600703e-11 9.411621482158239e-11 3.4307855514836837e-11 0.386199951171875
coding dense 6.523666398750017e-10 3.6216735860294946e-10 1.12188720813311e-09 1.4141540508050277e-09 3.326912079160138e-11 0.373870849609375
# collective, bytes, seconds of plain MPI, fastest effort and algorithm with compression, rows and seconds
class allreduce 16384 0.000146919 light recursive-doubling 1 0.000384262
class allreduce 65536 0.000211405 light recursive-doubling 1 0.000446404
class allreduce 262144 0.000718769 light recursive-halving 1 0.000866889
class allreduce 1048576 0.002936486 light recursive-halving 2 0.002314451
class allreduce 4194304 0.009852629 light ring 8 0.005603051
class reduce 16384 0.00012754 light binomial 1 0.000126068
class reduce 65536 0.000160559 light binomial 2 0.000284643
class reduce 262144 0.000500945 light chain 2 0.000381788
class reduce 1048576 0.002029388 light chain 8 0.001428594
class reduce 4194304 0.011684187 light binomial 16 0.006221931
class reduce_scatter 16384 9.9648e-05 light ring 1 0.000579602
class reduce_scatter 65536 0.00014137 light recursive-halving 1 0.000688093
class reduce_scatter 262144 0.000445272 light ring 1 0.000911636
class reduce_scatter 1048576 0.001642542 light ring 1 0.001557946
class reduce_scatter 4194304 0.007545899 light ring 2 0.005274683
class allgather 16384 9.381e-05 light recursive-doubling 1 0.000350932
class allgather 65536 0.0001146 light bruck 1 0.000344662
class allgather 262144 0.000325173 light bruck 1 0.000390952
class allgather 1048576 0.001295256 light recursive-doubling 2 0.001099515
class allgather 4194304 0.005223196 light ring 8 0.003405563
class bcast 16384 6.6029e-05 light binomial 1 0.000238014
class bcast 65536 0.000136904 dense chain 2 0.000225255
class bcast 262144 0.00041066 light chain 4 0.00034292
class bcast 1048576 0.001728049 light chain 2 0.000832468
class bcast 4194304 0.007019667 light ring 2 0.002991478
class scatter 16384 4.4666e-05 light direct 1 0.000233357
class scatter 65536 5.2618e-05 light binomial 1 0.00017536
class scatter 262144 0.000129613 light direct 1 0.000214408
class scatter 1048576 0.000678939 light direct 2 0.000377531
class scatter 4194304 0.002686254 light direct 8 0.001329116
class gather 16384 3.5012e-05 light binomial 1 0.00012137
class gather 65536 6.5688e-05 light direct 1 0.000164705
class gather 262144 0.000265084 light direct 1 0.000407446
class gather 1048576 0.00096827 light binomial 1 0.000592521
class gather 4194304 0.004491538 light direct 2 0.001266042
class alltoall 16384 9.7946e-05 light bruck 1 0.000382839
class alltoall 65536 0.000126849 light bruck 1 0.000415718
class alltoall 262144 0.000419594 light pairwise 1 0.00072601
class alltoall 1048576 0.001519069 light pairwise 2 0.001367804
class alltoall 4194304 0.004491468 light pairwise 2 0.003686601
class scan 16384 0.000114601 light chain 1 0.000266406
class scan 65536 0.000273296 light recursive-doubling 2 0.000312395
class scan 262144 0.000783425 light chain 1 0.000475087
class scan 1048576 0.003332605 light chain 8 0.001256498
class scan 4194304 0.018911047 light chain 32 0.006317053
class exscan 16384 0.000137024 light recursive-doubling 1 0.000366826
class exscan 65536 0.000312805 light recursive-doubling 1 0.000349389
class exscan 262144 0.001038794 light recursive-doubling 2 0.000688184
class exscan 1048576 0.003825388 light chain 8 0.001877632
class exscan 4194304 0.022298911 light chain 32 0.008304628
class neighbor_allgather 16384 0.000165596 light direct 1 0.000512722
class neighbor_allgather 65536 0.000209232 light direct 1 0.000613021
class neighbor_allgather 262144 0.00040326 light direct 1 0.000689646
class neighbor_allgather 1048576 0.001770373 light direct 1 0.001259753
class neighbor_allgather 4194304 0.006446766 light direct 2 0.003023005
class neighbor_alltoall 16384 0.000140299 light direct 1 0.000445132
class neighbor_alltoall 65536 0.000216843 light direct 1 0.000581845
class neighbor_alltoall 262144 0.000391622 light direct 1 0.000835012
class neighbor_alltoall 1048576 0.001659848 light direct 1 0.001570074
class neighbor_alltoall 4194304 0.005725813 light direct 2 0.004133726
end
