laconic profile 3
# MPICH Version:      5.0.2, 4 ranks, field wave, codec quant and dense, bound rel:1e-3
ranks 4
within_node 0
# effort, seconds per byte: encode decode fold add read; bytes of frames per byte
coding light 4.949951559751753e-11 5.010986070530521e-11 6.604006230759296e-11 5.072026132424412e-11 3.246803312317858e-11 0.0684051513671875
coding dense 5.826110843765164e-10 2.4595642189595424e-10 7.87605286545201e-10 9.835205080910292e-10 3.107681438574427e-11 0.09429168701171875
# collective, bytes, seconds of plain MPI, fastest effort and algorithm with compression, rows and seconds
class allreduce 16384 0.000156462 light recursive-doubling 1 0.000297422
class allreduce 65536 0.000237724 light recursive-doubling 1 0.000387696
class allreduce 262144 0.000822002 light ring 1 0.000920058
class allreduce 1048576 0.002680425 light ring 1 0.001799486
class allreduce 4194304 0.011869878 light recursive-halving 2 0.004259152
class reduce 16384 0.000130895 light binomial 1 0.000280788
class reduce 65536 0.000280397 light chain 1 0.000403179
class reduce 262144 0.000441446 light binomial 2 0.000325143
class reduce 1048576 0.001861287 light binomial 2 0.00078042
class reduce 4194304 0.013508976 light binomial 8 0.003544269
class reduce_scatter 16384 0.000112327 light recursive-halving 1 0.000702024
class reduce_scatter 65536 0.000227508 light recursive-halving 1 0.000646942
class reduce_scatter 262144 0.00051166 light ring 1 0.000900489
class reduce_scatter 1048576 0.00168163 light ring 1 0.001380483
class reduce_scatter 4194304 0.007542665 light recursive-halving 2 0.004147908
class allgather 16384 8.054e-05 dense bruck 1 0.000371522
class allgather 65536 0.000103594 light recursive-doubling 1 0.000390551
class allgather 262144 0.000358983 light bruck 1 0.000468046
class allgather 1048576 0.001312051 light bruck 1 0.000787841
class allgather 4194304 0.005174935 light recursive-doubling 2 0.001840677
class bcast 16384 6.3975e-05 light chain 1 0.000239026
class bcast 65536 0.000183422 light binomial 1 0.000345254
class bcast 262144 0.000438092 light ring 1 0.000570899
class bcast 1048576 0.00207137 light chain 2 0.000560844
class bcast 4194304 0.007891523 light binomial 8 0.001690684
class scatter 16384 7.0275e-05 light direct 1 0.000287407
class scatter 65536 9.1827e-05 light binomial 1 0.000307647
class scatter 262144 0.000310192 light direct 2 0.000370941
class scatter 1048576 0.000668804 light direct 1 0.000466423
class scatter 4194304 0.002836487 light direct 4 0.001018385
class gather 16384 9.1075e-05 light direct 1 0.000274137
class gather 65536 0.000131446 light binomial 1 0.000285524
class gather 262144 0.000368428 light binomial 1 0.000299656
class gather 1048576 0.001001619 light binomial 2 0.000358383
class gather 4194304 0.004018755 light binomial 4 0.000812949
class alltoall 16384 0.000106228 light bruck 1 0.000315879
class alltoall 65536 0.000133208 light bruck 1 0.000321568
class alltoall 262144 0.000434346 light bruck 1 0.000519813
class alltoall 1048576 0.001354173 light pairwise 1 0.001043431
class alltoall 4194304 0.006585271 light bruck 2 0.004329508
class scan 16384 0.000136904 light recursive-doubling 1 0.000346675
class scan 65536 0.000365364 light chain 1 0.000400546
class scan 262144 0.001275746 light chain 2 0.000534455
class scan 1048576 0.005254283 light chain 8 0.001643353
class scan 4194304 0.016391446 light chain 16 0.002618223
class exscan 16384 8.2302e-05 light chain 1 0.00015499
class exscan 65536 0.000271643 light chain 2 0.000264583
class exscan 262144 0.000827591 light recursive-doubling 1 0.000405452
class exscan 1048576 0.004557376 light chain 4 0.001099956
class exscan 4194304 0.019468457 light chain 16 0.003549097
class neighbor_allgather 16384 0.000162161 light direct 1 0.000378243
class neighbor_allgather 65536 0.000215731 dense direct 1 0.00055117
class neighbor_allgather 262144 0.000355529 light direct 1 0.000571139
class neighbor_allgather 1048576 0.001675911 light direct 1 0.000877665
class neighbor_allgather 4194304 0.00654384 light direct 2 0.002351666
class neighbor_alltoall 16384 0.000145957 light direct 1 0.000502978
class neighbor_alltoall 65536 0.000214409 light direct 1 0.000522437
class neighbor_alltoall 262144 0.000385543 light direct 1 0.000648835
class neighbor_alltoall 1048576 0.001767608 light direct 1 0.00115662
class neighbor_alltoall 4194304 0.006575277 light direct 2 0.003335109
end
