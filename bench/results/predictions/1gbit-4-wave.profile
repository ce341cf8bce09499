laconic profile 1
# MPICH Version:      5.0.2, 4 ranks, field wave, codec quant, bound rel:1e-3
ranks 4
within_node 0
# seconds per byte: encode decode fold add read; bytes of frames per byte
coding 4.083267057808371e-11 6.384270889725485e-11 5.664069213651146e-11 4.0222269959144796e-11 3.655090535792382e-11 0.0684051513671875
# collective, bytes, seconds of plain MPI, fastest algorithm with compression, its seconds
class allreduce 16384 8.9959e-05 recursive-doubling 0.000245667
class allreduce 65536 0.000689737 recursive-halving 0.000335597
class allreduce 262144 0.003109548 recursive-halving 0.001026796
class allreduce 1048576 0.013398769 recursive-doubling 0.002273438
class allreduce 4194304 0.053727178 ring 0.006561994
class reduce 16384 7.893e-05 binomial 0.000103316
class reduce 65536 0.000599854 chain 0.000285824
class reduce 262144 0.003028844 binomial 0.000433057
class reduce 1048576 0.01278916 chain 0.001220785
class reduce 4194304 0.057531805 direct 0.004944594
class reduce_scatter 16384 5.4271e-05 ring 0.000270169
class reduce_scatter 65536 0.000378539 recursive-halving 0.000412868
class reduce_scatter 262144 0.002017578 ring 0.000940118
class reduce_scatter 1048576 0.011148664 ring 0.00162838
class reduce_scatter 4194304 0.048566834 ring 0.004083678
class allgather 16384 4.0766e-05 bruck 0.000224349
class allgather 65536 0.000246168 direct 0.000233595
class allgather 262144 0.001500228 ring 0.000594069
class allgather 1048576 0.006414823 ring 0.001368595
class allgather 4194304 0.025909065 ring 0.0022438
class bcast 16384 0.000141309 chain 0.000225354
class bcast 65536 0.001097986 ring 0.000300478
class bcast 262144 0.005793563 ring 0.00042865
class bcast 1048576 0.018749023 chain 0.000881946
class bcast 4194304 0.069800501 chain 0.002729264
class scatter 16384 3.1115e-05 direct 0.000141985
class scatter 65536 0.00019893 direct 0.000220327
class scatter 262144 0.0016301 direct 0.000239023
class scatter 1048576 0.007914013 binomial 0.000582019
class scatter 4194304 0.027205234 direct 0.001562852
class gather 16384 3.5123e-05 binomial 0.000133133
class gather 65536 0.000204315 direct 0.000137448
class gather 262144 0.001377763 direct 0.000287861
class gather 1048576 0.006254043 direct 0.0005635
class gather 4194304 0.025336218 binomial 0.001223624
class alltoall 16384 0.000113919 pairwise 0.00042093
class alltoall 65536 0.000292076 pairwise 0.000359336
class alltoall 262144 0.001479958 pairwise 0.000777766
class alltoall 1048576 0.006428178 pairwise 0.00212848
class alltoall 4194304 0.025751114 pairwise 0.00343609
class scan 16384 0.000102209 chain 0.000191197
class scan 65536 0.000975336 chain 0.000344594
class scan 262144 0.004292758 chain 0.000451332
class scan 1048576 0.018060401 chain 0.001206366
class scan 4194304 0.073633302 chain 0.006316773
class exscan 16384 0.000116996 recursive-doubling 0.000196351
class exscan 65536 0.000984086 recursive-doubling 0.000372426
class exscan 262144 0.004380211 recursive-doubling 0.000661501
class exscan 1048576 0.017694018 chain 0.001845828
class exscan 4194304 0.073520519 chain 0.006751785
class neighbor_allgather 16384 0.000100526 direct 0.000558012
class neighbor_allgather 65536 0.000382307 direct 0.000549616
class neighbor_allgather 262144 0.001499058 direct 0.000935633
class neighbor_allgather 1048576 0.006180019 direct 0.002438138
class neighbor_allgather 4194304 0.025814124 direct 0.002878512
class neighbor_alltoall 16384 7.6568e-05 direct 0.000454014
class neighbor_alltoall 65536 0.000257755 direct 0.000526522
class neighbor_alltoall 262144 0.001443509 direct 0.000974288
class neighbor_alltoall 1048576 0.006102489 direct 0.002147411
class neighbor_alltoall 4194304 0.025506829 direct 0.004103587
end
