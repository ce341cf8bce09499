// SPDX-License-Identifier: BSD-3-Clause
// All the ways in which MPI completes requests.
#pragma once

#include <vector>

#include "support.hpp"

namespace dropin {

constexpr int ways_to_complete = 8;

// Completes all requests in one of MPI's ways.
inline void complete(ranks::Test& t, int way, std::vector<MPI_Request>& requests, std::vector<MPI_Status>& statuses) {
  const int n = static_cast<int>(requests.size());
  int left = n;
  std::vector<int> indices(requests.size());
  std::vector<MPI_Status> some(requests.size());
  const auto take = [&](int index, const MPI_Status& status) { statuses[static_cast<std::size_t>(index)] = status; };
  switch (way) {
    case 0: MPI_Waitall(n, requests.data(), statuses.data()); break;
    case 1:
      for (int k = n - 1; k >= 0; --k)
        MPI_Wait(&requests[static_cast<std::size_t>(k)], &statuses[static_cast<std::size_t>(k)]);
      break;
    case 2:
      for (int flag = 0; !flag;) MPI_Testall(n, requests.data(), &flag, statuses.data());
      break;
    case 3:
      for (; left > 0; --left) {
        int index = -1;
        MPI_Waitany(n, requests.data(), &index, some.data());
        if (CHECK(t, index >= 0 && index < n)) take(index, some[0]);
      }
      break;
    case 4:
      while (left > 0) {
        int flag = 0;
        int index = -1;
        MPI_Testany(n, requests.data(), &index, &flag, some.data());
        if (flag && CHECK(t, index != MPI_UNDEFINED)) take(index, some[0]), --left;
      }
      break;
    case 5:
    case 6:
      while (left > 0) {
        int done = 0;
        if (way == 5)
          MPI_Waitsome(n, requests.data(), &done, indices.data(), some.data());
        else
          MPI_Testsome(n, requests.data(), &done, indices.data(), some.data());
        if (!CHECK(t, done != MPI_UNDEFINED)) break;
        for (int k = 0; k < done; ++k) take(indices[static_cast<std::size_t>(k)], some[static_cast<std::size_t>(k)]);
        left -= done;
      }
      break;
    default:
      for (MPI_Request& request : requests) {
        for (int flag = 0; !flag;) MPI_Request_get_status(request, &flag, some.data());
        int flag = 0;
        MPI_Test(&request, &flag, &statuses[static_cast<std::size_t>(&request - requests.data())]);
        CHECK(t, flag);
      }
  }
  for (const MPI_Request& request : requests) CHECK(t, request == MPI_REQUEST_NULL);
}

}  // namespace dropin
