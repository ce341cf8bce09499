laconic profile 1
# MPICH Version:      5.0.2, 2 ranks, field wave, codec quant, bound rel:1e-3
ranks 2
within_node 0
# seconds per byte: encode decode fold add read; bytes of frames per byte
coding 6.115730144529152e-11 6.848144273874368e-11 8.117684302533235e-11 6.170663979787605e-11 5.689314158674463e-11 0.0509185791015625
# collective, bytes, seconds of plain MPI, fastest algorithm with compression, its seconds
class allreduce 16384 8.7369e-05 recursive-doubling 6.9093e-05
class allreduce 65536 0.000117067 ring 0.000116702
class allreduce 262144 0.000182203 recursive-doubling 0.000297907
class allreduce 1048576 0.000816954 direct 0.000649573
class allreduce 4194304 0.004283936 ring 0.00132001
class reduce 16384 8.8365e-05 chain 0.000100408
class reduce 65536 0.00010603 binomial 0.000118751
class reduce 262144 0.000136345 chain 0.000157904
class reduce 1048576 0.000788924 chain 0.000347925
class reduce 4194304 0.006175468 chain 0.001167174
class reduce_scatter 16384 7.6692e-05 ring 9.681e-05
class reduce_scatter 65536 9.1313e-05 recursive-halving 0.000126046
class reduce_scatter 262144 0.000118435 direct 0.000212253
class reduce_scatter 1048576 0.000528096 recursive-halving 0.000340818
class reduce_scatter 4194304 0.002559704 ring 0.001200302
class allgather 16384 7.5476e-05 ring 0.000101642
class allgather 65536 1.5413e-05 recursive-doubling 3.8292e-05
class allgather 262144 5.2652e-05 direct 0.00012515
class allgather 1048576 0.000392498 bruck 0.000306275
class allgather 4194304 0.002035154 recursive-doubling 0.000966976
class bcast 16384 5.529e-06 binomial 9.63e-05
class bcast 65536 1.3841e-05 ring 0.000116978
class bcast 262144 0.000106654 binomial 0.000141122
class bcast 1048576 0.000743569 binomial 0.000348737
class bcast 4194304 0.003276348 chain 0.001041027
class scatter 16384 5.239e-06 binomial 9.515e-05
class scatter 65536 7.626e-06 direct 0.0001044
class scatter 262144 2.8353e-05 binomial 0.000111348
class scatter 1048576 0.000297078 direct 0.000292528
class scatter 4194304 0.001675362 direct 0.000909374
class gather 16384 4.919e-06 direct 9.9193e-05
class gather 65536 6.323e-06 binomial 0.000113419
class gather 262144 6.6235e-05 binomial 0.000139899
class gather 1048576 0.000329479 binomial 0.000291572
class gather 4194304 0.001577502 binomial 0.000769948
class alltoall 16384 7.5505e-05 bruck 0.000103401
class alltoall 65536 8.3537e-05 pairwise 0.00012089
class alltoall 262144 8.14e-05 bruck 0.000284675
class alltoall 1048576 0.000398672 bruck 0.00060012
class alltoall 4194304 0.001977278 bruck 0.001635778
class scan 16384 7.8445e-05 recursive-doubling 8.8545e-05
class scan 65536 0.000105236 recursive-doubling 0.000114059
class scan 262144 0.000165628 chain 0.000206071
class scan 1048576 0.001142082 chain 0.00041181
class scan 4194304 0.007836241 recursive-doubling 0.001242175
class exscan 16384 7.848e-05 recursive-doubling 8.6159e-05
class exscan 65536 8.2153e-05 chain 5.2533e-05
class exscan 262144 0.00013681 recursive-doubling 0.000165859
class exscan 1048576 0.000977447 recursive-doubling 0.000301679
class exscan 4194304 0.007481349 chain 0.000884895
class neighbor_allgather 16384 4.7294e-05 direct 0.000188772
class neighbor_allgather 65536 3.4624e-05 direct 4.9145e-05
class neighbor_allgather 262144 6.1419e-05 direct 0.000220495
class neighbor_allgather 1048576 0.000278145 direct 0.00515098
class neighbor_allgather 4194304 0.001479074 direct 0.001201978
class neighbor_alltoall 16384 2.0601e-05 direct 4.5666e-05
class neighbor_alltoall 65536 5.6859e-05 direct 0.000154727
class neighbor_alltoall 262144 6.1395e-05 direct 0.00029256
class neighbor_alltoall 1048576 0.00029138 direct 0.000836512
class neighbor_alltoall 4194304 0.001460029 direct 0.001466448
end
