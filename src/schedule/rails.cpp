// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/rails.hpp"

namespace laconic {

Rails::Rails(Place at)
    : shape_(*at.nodes),
      nodes_(shape_.nodes()),
      locals_(shape_.per_node()),
      node_(shape_.node_of(at.rank)),
      local_(shape_.local_of(at.rank)) {}

int Rails::next() const { return on_rail(wrap(node_ + 1, nodes_)); }
int Rails::previous() const { return on_rail(wrap(node_ - 1, nodes_)); }

void Rails::reduce_scatter_in_node(Builder& s, int part) const {
  const int to = in_node(wrap(local_ + 1, locals_));
  const int from = in_node(wrap(local_ - 1, locals_));
  for (int k = 1; k < locals_; ++k)
    s.send(block(wrap(local_ - k, locals_), part), to).reduce(block(wrap(local_ - k - 1, locals_), part), from);
}

void Rails::allgather_in_node(Builder& s, int part, int skipped) const {
  for (int k = 1; k < locals_; ++k) {
    const int to = wrap(local_ + k, locals_);
    const int from = wrap(local_ - k, locals_);
    if (to != skipped) s.send(mine(part), in_node(to));
    if (local_ != skipped) s.receive(block(from, part), in_node(from));
  }
}

// All ranks of a node work on the same part at a time.  The steps within the node are spread over those of the rail: a
// rank adds up a part when the rail needs it, and hands a result on when it arrives.  So a rank holds few frames at a
// time, and the node works while a message is on its way between nodes.

void Rails::reduce_scatter(Builder& s) const {
  for (int k = 1; k <= nodes_; ++k) {
    const int part = wrap(node_ - k, nodes_);
    reduce_scatter_in_node(s, part);
    if (k > 1) s.reduce(mine(part), previous());
    if (k < nodes_) s.send(mine(part), next());
  }
}

void Rails::allgather(Builder& s) const {
  for (int k = 0; k < nodes_; ++k) {
    const int part = wrap(node_ - k, nodes_);
    if (k > 0) s.receive(mine(part), previous());
    if (k + 1 < nodes_) s.send(mine(part), next());
    allgather_in_node(s, part);
  }
}

bool fits_rails(const NodeShape& nodes) { return nodes.nodes() > 1 && nodes.per_node() > 1; }

}  // namespace laconic
