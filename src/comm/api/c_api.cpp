// SPDX-License-Identifier: BSD-3-Clause
// The C API: options, hints, statistics, names.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

#include "base/clock.hpp"
#include "base/sized.hpp"
#include "comm/api/c_guard.hpp"
#include "comm/collectives/repeated_call.hpp"
#include "comm/core/asked.hpp"
#include "comm/core/binding.hpp"
#include "comm/core/errors.hpp"
#include "comm/core/hints.hpp"
#include "comm/core/known_options.hpp"
#include "comm/core/process.hpp"
#include "comm/core/settings.hpp"
#include "comm/core/stats.hpp"
#include "comm/messages/message.hpp"
#include "comm/messages/message_tuning.hpp"
#include "laconic/laconic.h"

using laconic::guarded;
using laconic::null_argument;
using laconic::Status;

void laconic_options_init_sized(laconic_options* options, size_t size, size_t stats_size) {
  if (options == nullptr || size < sizeof options->size + sizeof options->stats_size) return;
  std::memset(static_cast<void*>(options), 0, size);
  options->size = static_cast<std::uint32_t>(size);
  options->stats_size = static_cast<std::uint32_t>(stats_size);
}

int laconic_options_set(laconic_options* options, const char* name, const char* value) {
  return guarded(MPI_COMM_NULL, [&]() -> int {
    if (options == nullptr) return laconic::remember(null_argument("options", "a laconic_options"));
    if (name == nullptr) return laconic::remember(null_argument("name", "the name of an option"));
    if (value == nullptr) return laconic::remember(null_argument("value", "text"));
    return laconic::remember(laconic::set_option_of_program(*options, name, value));
  });
}

int laconic_comm_set_info(MPI_Comm comm, MPI_Info info) {
  return guarded(comm, [&]() -> int {
    std::shared_ptr<laconic::Binding> binding;
    if (Status s = laconic::bind(comm, binding); !s) return laconic::report(comm, s);
    return laconic::report(comm, laconic::set_hints(binding, info));
  });
}

int laconic_comm_prepared(MPI_Comm comm, int* prepared) {
  return guarded(comm, [&]() -> int {
    std::shared_ptr<laconic::Binding> binding;
    if (Status s = laconic::bind(comm, binding); !s) return laconic::report(comm, s);
    if (prepared == nullptr)
      return laconic::report(comm, {laconic::Code::argument, "prepared is NULL; valid is the address of an int"});
    const std::lock_guard lock(binding->mutex);
    *prepared = binding->cannot_prepare() ? -1 : binding->prepared() ? 1 : 0;
    return MPI_SUCCESS;
  });
}

int laconic_tuning_get_sized(MPI_Comm comm, laconic_tuning* classes, int capacity, int* count, size_t size) {
  return guarded(comm, [&]() -> int {
    if (count == nullptr) return laconic::report(comm, null_argument("count", "an int"));
    if (capacity < 0 || (capacity > 0 && classes == nullptr))
      return laconic::report(
          comm, {laconic::Code::argument,
                 "capacity is " + std::to_string(capacity) +
                     (classes == nullptr ? " and classes is NULL; valid is 0" : "; valid is 0 and above")});
    std::shared_ptr<laconic::Binding> binding;
    if (Status s = laconic::bind(comm, binding); !s) return laconic::report(comm, s);
    const std::lock_guard lock(binding->mutex);
    *count = 0;
    // The elements of the program's array have the program's size.
    auto* next = reinterpret_cast<std::byte*>(classes);
    const auto add = [&](const auto& known) {
      for (const auto& one : known) {
        if ((*count)++ >= capacity) continue;
        laconic::write_sized(laconic::tuning_of(*one), next, size);
        next += size;
      }
    };
    add(binding->tuner.classes());
    add(binding->message_tuner.classes());
    return MPI_SUCCESS;
  });
}

namespace {

// Runs body with the binding of comm, locked, in functions that are part of a small call.
template <class Body>
int with_binding(MPI_Comm comm, Body&& body) {
  laconic::Process& process = laconic::Process::instance();
  laconic::Binding* binding = process.found_last(comm);
  std::shared_ptr<laconic::Binding> found;
  if (binding == nullptr) {
    if (Status s = laconic::bind(comm, found); !s) return laconic::report(comm, s);
    binding = found.get();
  }
  const auto lock = process.lock_short(*binding);
  body(*binding);
  return MPI_SUCCESS;
}

}  // namespace

int laconic_plain_took(MPI_Comm comm, double seconds) {
  return guarded(comm, [&]() -> int {
    if (!(seconds >= 0))
      return laconic::report(comm, {laconic::Code::argument, "seconds is negative or NaN; valid are 0 and above"});
    return with_binding(comm, [&](laconic::Binding& binding) {
      laconic::LeftToCaller& left = binding.left_to_caller;
      if (left.call_class != nullptr) left.call_class->end(false, seconds, left.bytes);
      left.call_class = nullptr;
    });
  });
}

int laconic_plain_call(MPI_Comm comm, uint64_t* number) {
  return guarded(comm, [&]() -> int {
    if (number == nullptr) return laconic::report(comm, null_argument("number", "a uint64_t"));
    return with_binding(comm, [&](laconic::Binding& binding) { *number = binding.left_to_caller.number; });
  });
}

int laconic_plain_again(MPI_Comm comm, uint64_t number, int* again) {
  return guarded(comm, [&]() -> int {
    if (again == nullptr) return laconic::report(comm, null_argument("again", "an int"));
    return with_binding(comm, [&](laconic::Binding& binding) {
      *again = laconic::RepeatedCall::leave_to_caller(binding, number) ? 1 : 0;
    });
  });
}

int laconic_send_advice(MPI_Comm comm, uint64_t bytes, const laconic_options* options, laconic_advice* advice) {
  return guarded(comm, [&]() -> int {
    if (advice == nullptr) return laconic::report(comm, null_argument("advice", "a laconic_advice"));
    std::shared_ptr<laconic::Binding> binding;
    if (Status s = laconic::bind(comm, binding); !s) return laconic::report(comm, s);
    const std::lock_guard lock(binding->mutex);
    laconic_options settings{};
    if (Status s = laconic::message_settings(options, *binding, settings); !s) return laconic::report(comm, s);
    *advice = LACONIC_ADVICE_COMPRESS;
    binding->sampled_by_caller = nullptr;
    if (bytes == 0 || !laconic::tuned(settings)) return MPI_SUCCESS;
    laconic::MessageClass& known = laconic::message_class(*binding, bytes, settings);
    switch (laconic::begin_message_of(known, *binding, bytes)) {
      case laconic::Decision::plain: *advice = LACONIC_ADVICE_PLAIN; break;
      case laconic::Decision::survey:
        *advice = LACONIC_ADVICE_SAMPLE;
        binding->sampled_by_caller = &known;
        break;
      case laconic::Decision::compressed: break;
    }
    return MPI_SUCCESS;
  });
}

int laconic_send_sampled(MPI_Comm comm, double seconds_per_byte, double ratio) {
  return guarded(comm, [&]() -> int {
    std::shared_ptr<laconic::Binding> binding;
    if (Status s = laconic::bind(comm, binding); !s) return laconic::report(comm, s);
    if (!(seconds_per_byte > 0))
      return laconic::report(comm,
                             {laconic::Code::argument, "seconds_per_byte is not positive; valid are positive numbers"});
    if (!(ratio > 0))
      return laconic::report(comm, {laconic::Code::argument, "ratio is not positive; valid are positive numbers"});
    const std::lock_guard lock(binding->mutex);
    if (laconic::MessageClass* known = std::exchange(binding->sampled_by_caller, nullptr); known != nullptr) {
      laconic::CodingCost cost;
      cost.encode = cost.decode = seconds_per_byte;
      cost.frame = 1 / ratio;
      known->surveyed(cost, binding->tuner.within_node());
    }
    return MPI_SUCCESS;
  });
}

void laconic_receive_ended(void) { laconic::Process::instance().received_elsewhere().note(laconic::now()); }

MPI_Op laconic_op_avg(void) {
  try {
    return laconic::Process::instance().average();
  } catch (...) {
    return MPI_OP_NULL;
  }
}

int laconic_stats_get_sized(MPI_Comm comm, laconic_stats* stats, size_t size) {
  return guarded(comm, [&]() -> int {
    if (stats == nullptr) return laconic::report(comm, null_argument("stats", "a laconic_stats"));
    std::shared_ptr<laconic::Binding> binding;
    if (Status s = laconic::bind(comm, binding); !s) return laconic::report(comm, s);
    const std::lock_guard lock(binding->mutex);
    laconic::write_sized(binding->stats, stats, size);
    return MPI_SUCCESS;
  });
}

int laconic_stats_reset(MPI_Comm comm) {
  return guarded(comm, [&]() -> int {
    std::shared_ptr<laconic::Binding> binding;
    if (Status s = laconic::bind(comm, binding); !s) return laconic::report(comm, s);
    const std::lock_guard lock(binding->mutex);
    binding->stats = laconic::empty_stats();
    return MPI_SUCCESS;
  });
}

int laconic_error_string(int errorcode, char* string, size_t capacity) {
  return guarded(MPI_COMM_NULL, [&]() -> int {
    if (string == nullptr || capacity == 0)
      return laconic::remember(null_argument("string", "memory of at least one byte"));
    const std::string message = laconic::message_of(errorcode);
    const size_t length = message.copy(string, capacity - 1);
    string[length] = '\0';
    return MPI_SUCCESS;
  });
}
