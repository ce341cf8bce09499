// SPDX-License-Identifier: BSD-3-Clause
#include "comm/core/repeated_messages.hpp"

#include "comm/core/known_options.hpp"

namespace laconic {

const KnownMessage* RepeatedMessages::find(MPI_Datatype type, MPI_Count count, const laconic_options* options) const {
  for (const KnownMessage& known : entries_)
    if (known.type != MPI_DATATYPE_NULL && known.type == type && known.count == count &&
        same_options(known.has_options ? &known.options : nullptr, options))
      return &known;
  return nullptr;
}

}  // namespace laconic
