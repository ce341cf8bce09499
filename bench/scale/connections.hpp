// SPDX-License-Identifier: BSD-3-Clause
// The connections between simulated ranks: links of the network that simulation.py describes, one for each ordered
// pair.
#pragma once

#include <simgrid/s4u/Engine.hpp>
#include <simgrid/s4u/Link.hpp>

namespace laconic::scale {

// Lets each connection carry one message at a time, in the order sent; their latencies overlap.  SimGrid's own way is
// that all messages of a pair share the cable, so that none arrives before all of them are nearly through.  One rank
// calls it before messages are sent.
inline void put_messages_in_order() {
  for (simgrid::s4u::Link* const link : simgrid::s4u::Engine::get_instance()->get_all_links())
    if (link->get_name().starts_with("connection")) link->set_concurrency_limit(1);
}

}  // namespace laconic::scale
