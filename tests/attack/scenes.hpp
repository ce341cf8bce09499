// SPDX-License-Identifier: BSD-3-Clause
// The kinds of cases.  All ranks call these with a random generator in the same state.
#pragma once

#include "world.hpp"

namespace attack {

enum class Scene { collectives, misuse, messages };

Scene draw_scene(Random& random);

// One collective, or several in flight on several communicators.
void play_collectives(World& world, Random& random);

// A mistake on some ranks, or ranks that differ: every rank gets an error, and there is no other effect.
void play_misuse(World& world, Random& random);

// Messages between all ranks.
void play_messages(World& world, Random& random);

// Completes requests in one of MPI's ways, and fails where an operation failed.  Statuses may be left out.
void complete(World& world, Random& own, std::vector<laconic_request>& requests, std::vector<MPI_Status>* statuses);

}  // namespace attack
