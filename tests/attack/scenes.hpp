// SPDX-License-Identifier: BSD-3-Clause
// What a case can be.  All ranks call these with the same random numbers to come.
#pragma once

#include "world.hpp"

namespace attack {

enum class Scene { collectives, misuse, messages };

Scene draw_scene(Random& random);

// One collective, or several in flight on several communicators.
void play_collectives(World& world, Random& random);

// A mistake on some ranks, or ranks that differ: an error on every rank, and nothing else happens.
void play_misuse(World& world, Random& random);

// Messages between all ranks.
void play_messages(World& world, Random& random);

// Completes requests in one of the ways there are, and fails where an operation did.  Statuses may be left out.
void complete(World& world, Random& own, std::vector<laconic_request>& requests, std::vector<MPI_Status>* statuses);

}  // namespace attack
