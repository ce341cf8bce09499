laconic profile 3
# MPICH Version:      5.0.2, 4 ranks, field noise, codec quant and dense, bound rel:1e-3
ranks 4
within_node 0
# effort, seconds per byte: encode decode fold add read; bytes of frames per byte
coding light 4.278560838955059e-11 3.485106647715952e-11 6.909178784653136e-11 6.475830982566322e-11 1.855850022269845e-11 0.386199951171875
coding dense 4.871749878510023e-10 1.812362621089747e-10 7.78137207446683e-10 8.980178822781681e-10 1.797104062783994e-11 0.373870849609375
# collective, bytes, seconds of plain MPI, fastest effort and algorithm with compression, rows and seconds
class allreduce 16384 0.000113249 light recursive-doubling 1 0.000183363
class allreduce 65536 0.000670898 light recursive-halving 1 0.000483489
class allreduce 262144 0.003149392 light direct 2 0.001420202
class allreduce 1048576 0.013114169 light ring 4 0.005121465
class allreduce 4194304 0.052640219 light direct 8 0.019239596
class reduce 16384 0.000114851 light binomial 1 0.000214049
class reduce 65536 0.000641094 light chain 2 0.000332214
class reduce 262144 0.003071797 light direct 4 0.001240986
class reduce 1048576 0.013137774 light chain 16 0.004000884
class reduce 4194304 0.053142554 light chain 64 0.014124872
class reduce_scatter 16384 7.406e-05 light recursive-halving 1 0.00036998
class reduce_scatter 65536 0.00036312 light recursive-halving 1 0.00034316
class reduce_scatter 262144 0.00197349 light ring 2 0.000975701
class reduce_scatter 1048576 0.012081243 light ring 2 0.003286156
class reduce_scatter 4194304 0.047313238 light ring 2 0.011370667
class allgather 16384 9.7364e-05 light bruck 1 0.000244093
class allgather 65536 0.000230072 light recursive-doubling 1 0.000218295
class allgather 262144 0.001508984 light ring 1 0.000606522
class allgather 1048576 0.006410962 light direct 8 0.002346218
class allgather 4194304 0.025988707 light ring 16 0.008641849
class bcast 16384 0.000104936 light chain 1 0.000251343
class bcast 65536 0.001115459 dense binomial 1 0.00024209
class bcast 262144 0.005666325 light chain 4 0.000790806
class bcast 1048576 0.018695152 light chain 16 0.003102319
class bcast 4194304 0.069455845 light chain 64 0.0116154
class scatter 16384 5.1496e-05 light binomial 1 0.000190863
class scatter 65536 0.000211254 light direct 1 0.000215541
class scatter 262144 0.001659497 light direct 2 0.000446644
class scatter 1048576 0.007948553 light direct 4 0.002102296
class scatter 4194304 0.027232291 dense direct 16 0.008210653
class gather 16384 8.3554e-05 light direct 1 0.000227068
class gather 65536 0.000232596 light direct 1 0.000291824
class gather 262144 0.001342696 light direct 4 0.000392483
class gather 1048576 0.006134742 dense binomial 8 0.00205104
class gather 4194304 0.025169377 light direct 16 0.008523854
class alltoall 16384 0.000120419 light bruck 1 0.000359946
class alltoall 65536 0.000335289 light bruck 1 0.000412824
class alltoall 262144 0.001585007 light pairwise 1 0.000800079
class alltoall 1048576 0.00647329 light pairwise 1 0.002584563
class alltoall 4194304 0.026317551 light pairwise 8 0.009870386
class scan 16384 0.000150373 light chain 1 0.000258995
class scan 65536 0.000976972 light chain 2 0.000390981
class scan 262144 0.004461264 light chain 4 0.000964375
class scan 1048576 0.017951381 light chain 16 0.003738048
class scan 4194304 0.072134073 light chain 64 0.013021852
class exscan 16384 0.000123053 light chain 1 0.000145937
class exscan 65536 0.001007217 light chain 2 0.000456429
class exscan 262144 0.004316908 light chain 8 0.001803301
class exscan 1048576 0.01800398 light chain 16 0.00671238
class exscan 4194304 0.072264136 light chain 64 0.025596558
class neighbor_allgather 16384 0.000111796 light direct 1 0.000326265
class neighbor_allgather 65536 0.000244454 light direct 1 0.000398312
class neighbor_allgather 262144 0.001365164 light direct 2 0.000671698
class neighbor_allgather 1048576 0.005935755 light direct 8 0.002405962
class neighbor_allgather 4194304 0.025962758 light direct 16 0.008901285
class neighbor_alltoall 16384 0.000117455 light direct 1 0.000250933
class neighbor_alltoall 65536 0.000238324 light direct 1 0.000277483
class neighbor_alltoall 262144 0.001377458 light direct 2 0.00078007
class neighbor_alltoall 1048576 0.005899577 light direct 8 0.002421711
class neighbor_alltoall 4194304 0.025389461 light direct 16 0.00963819
end
