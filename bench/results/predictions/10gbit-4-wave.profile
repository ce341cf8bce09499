laconic profile 2
# MPICH Version:      5.0.2, 4 ranks, field wave, codec quant, bound rel:1e-3
ranks 4
within_node 0
# seconds per byte: encode decode fold add read; bytes of frames per byte
coding 3.936762027478835e-11 5.737321728815914e-11 5.596900720661324e-11 4.1320724619708926e-11 3.3338520832870694e-11 0.0684051513671875
# collective, bytes, seconds of plain MPI, fastest algorithm with compression, its rows and seconds
class allreduce 16384 8.371e-05 recursive-doubling 1 0.000145053
class allreduce 65536 0.000135071 recursive-doubling 1 0.000229353
class allreduce 262144 0.000514621 recursive-doubling 1 0.000431233
class allreduce 1048576 0.002094241 ring 1 0.00107196
class allreduce 4194304 0.008897223 recursive-halving 2 0.003491804
class reduce 16384 7.8695e-05 binomial 1 0.000112425
class reduce 65536 0.000113347 binomial 1 0.000146953
class reduce 262144 0.00033899 binomial 4 0.00032334
class reduce 1048576 0.001486918 binomial 2 0.000826378
class reduce 4194304 0.008319915 binomial 16 0.002562198
class reduce_scatter 16384 5.1869e-05 recursive-halving 1 0.00043337
class reduce_scatter 65536 6.6042e-05 ring 1 0.000365983
class reduce_scatter 262144 0.000227188 ring 1 0.000452871
class reduce_scatter 1048576 0.001174354 ring 1 0.00091491
class reduce_scatter 4194304 0.005743198 recursive-halving 2 0.002772998
class allgather 16384 3.9064e-05 bruck 1 0.000189309
class allgather 65536 5.7754e-05 bruck 1 0.000251465
class allgather 262144 0.000169888 ring 1 0.00027633
class allgather 1048576 0.000757657 bruck 1 0.000552855
class allgather 4194304 0.004399426 ring 2 0.001523565
class bcast 16384 4.1707e-05 binomial 1 0.000252359
class bcast 65536 0.000101246 chain 2 0.000233852
class bcast 262144 0.000302882 binomial 2 0.000189132
class bcast 1048576 0.002319069 binomial 2 0.000708104
class bcast 4194304 0.008619796 chain 8 0.001944319
class scatter 16384 2.5549e-05 direct 1 0.000109623
class scatter 65536 3.3348e-05 direct 1 0.000162948
class scatter 262144 8.4886e-05 direct 2 0.000264125
class scatter 1048576 0.000536419 binomial 1 0.000371715
class scatter 4194304 0.003398812 direct 2 0.001196597
class gather 16384 5.5717e-05 binomial 1 0.000162205
class gather 65536 5.0236e-05 direct 1 0.000167723
class gather 262144 0.000162068 direct 1 0.000234627
class gather 1048576 0.000662481 direct 1 0.000283739
class gather 4194304 0.002531515 direct 2 0.001209918
class alltoall 16384 0.00011275 bruck 1 0.000440671
class alltoall 65536 8.3971e-05 bruck 1 0.000424648
class alltoall 262144 0.000233027 bruck 1 0.000458327
class alltoall 1048576 0.000841757 pairwise 1 0.000846085
class alltoall 4194304 0.004846261 pairwise 2 0.00277146
class scan 16384 6.5444e-05 recursive-doubling 1 0.000272706
class scan 65536 0.000184763 recursive-doubling 2 0.000267314
class scan 262144 0.000648729 chain 1 0.00036425
class scan 1048576 0.003545137 chain 2 0.0008984
class scan 4194304 0.014966704 chain 32 0.002983673
class exscan 16384 5.9635e-05 recursive-doubling 1 0.000105127
class exscan 65536 0.000183587 chain 1 0.000254192
class exscan 262144 0.000574053 chain 1 0.000401397
class exscan 1048576 0.003193614 recursive-doubling 2 0.000934934
class exscan 4194304 0.015685343 chain 16 0.002933379
class neighbor_allgather 16384 8.5107e-05 direct 1 0.000382496
class neighbor_allgather 65536 0.000115903 direct 1 0.000275418
class neighbor_allgather 262144 0.000198311 direct 1 0.000498103
class neighbor_allgather 1048576 0.001101661 direct 1 0.000759471
class neighbor_allgather 4194304 0.004309091 direct 2 0.002113301
class neighbor_alltoall 16384 8.1801e-05 direct 1 0.000466913
class neighbor_alltoall 65536 0.00013228 direct 1 0.000501806
class neighbor_alltoall 262144 0.000250889 direct 1 0.000691777
class neighbor_alltoall 1048576 0.001312391 direct 1 0.001028113
class neighbor_alltoall 4194304 0.00577229 direct 2 0.003467363
end
